"""A study as data, files, diagrams and a page."""

from __future__ import annotations

import csv
import io
import json
import pathlib
import pickle
from typing import Any

import numpy as np
import pytest

import multibody as mb
from oracles import oracle
from study.models import oscillator, swing


@pytest.fixture(scope="module")
def grid() -> mb.Study:
    return oscillator().study({"k": (3, 5, 3), "m": [1.0, 2.0, 0.01]}, {"end": "final S", "top": "max(S)/m"}, until=0.1)


def test_a_grid_has_a_dimension_for_every_parameter(grid: mb.Study) -> None:
    data = grid.to_xarray()
    assert data["end"].dims == ("k", "m") and data["end"].shape == (3, 3)
    member = next(k for k in range(9) if grid.member(k)["values"] == {"k": 4.0, "m": 2.0})
    assert float(data["end"].sel(k=4.0, m=2.0)) == grid.member(member)["outputs"]["end"]
    assert grid.data["end"].dims == ("member",) and list(grid.data["k"].values) == list(grid.values[:, 0])
    assert grid["end"].attrs["unit"] == "m" and len(grid) == 9
    table = grid.to_pandas()
    assert list(table.columns) == ["k", "m", "end", "top", "status", "message"] and (table["status"] == "failed").sum() == 3
    for ask in (lambda: grid["ends"], lambda: grid.member(9), lambda: grid.repeat(-10), lambda: grid.member("a")):  # type: ignore[arg-type]
        with pytest.raises(mb.ModelError):
            ask()


def test_an_output_is_found_however_it_is_spelled() -> None:
    found = oscillator().study({"k": [4.0]}, ["final S", "time of max S"], until=0.1)
    assert float(found["final(S)"][0]) == float(found["final  S"][0]) == found.outputs[0, 0]
    assert float(found["time of max(S)"][0]) == found.outputs[0, 1]


def test_files_give_the_numbers_back(grid: mb.Study, tmp_path: pathlib.Path) -> None:
    for ending in (".nc", ".csv", ".json", ".parquet"):
        grid.save(tmp_path / f"s{ending}")
    read = mb.read_study(tmp_path / "s.nc")
    np.testing.assert_array_equal(read.outputs, grid.outputs)
    np.testing.assert_array_equal(read.values, grid.values)
    assert (read.about, read.states, read.messages) == (grid.about, grid.states, grid.messages) and str(read) == str(grid)
    assert read.to_xarray().equals(grid.to_xarray())
    with pytest.raises(mb.ModelError, match="a file holds the numbers of a study alone"):
        read.repeat(0)
    rows = list(csv.reader(io.StringIO((tmp_path / "s.csv").read_text())))
    assert rows[0] == ["member", "k", "m", "end [m]", "top", "status", "message"] and len(rows) == 10
    assert float(rows[1][3]) == grid.outputs[0, 0] and rows[3][3] == "" and rows[3][5] == "failed"
    plain = json.loads((tmp_path / "s.json").read_text())
    assert plain["counts"]["failed"] == 3 and plain["outputs"]["end"]["members"] == 6
    table = oracle("pyarrow.parquet").read_table(tmp_path / "s.parquet")
    assert table.num_rows == 9 and table.schema.field("end").metadata[b"unit"] == b"m"
    there = pickle.loads(pickle.dumps(grid))
    np.testing.assert_array_equal(there.outputs, grid.outputs)
    assert float(there.repeat(0)["S"][-1]) == grid.outputs[0, 0]
    for bad, said in (("s.txt", "unknown ending"), ("no/s.csv", "no such directory")):
        with pytest.raises(mb.ModelError, match=said):
            grid.save(tmp_path / bad)
    for content in (b"", b"CDF nonsense"):
        (tmp_path / "bad.nc").write_bytes(content)
        with pytest.raises(mb.ModelError):
            mb.read_study(tmp_path / "bad.nc")
    swing().run(0.01).save(tmp_path / "run.nc")
    with pytest.raises(mb.ModelError, match="it holds no study"):
        mb.read_study(tmp_path / "run.nc")


def test_what_is_handed_out_changes_no_study(grid: mb.Study) -> None:
    with pytest.raises(ValueError, match="read-only"):
        grid.outputs[0, 0] = 1.0
    copy = grid["end"]
    copy[0] = 99.0
    assert grid.outputs[0, 0] != 99.0


def test_diagrams_and_a_page(grid: mb.Study, tmp_path: pathlib.Path) -> None:
    import matplotlib.pyplot as plt

    plots = grid.histogram()
    assert len(plots) == 2 and plots[0].get_xlabel() == "end [m]"
    heights = [patch.get_height() for patch in plots[0].patches]
    assert sum(heights) == 6, "the members that are done"
    clouds = grid.scatter("top")
    assert [ax.get_xlabel() for ax in clouds] == ["k", "m"]
    x, y = clouds[0].lines[0].get_data()
    np.testing.assert_array_equal(y, grid.done("top"))
    np.testing.assert_array_equal(x, grid.done("k"))
    clouds.save(tmp_path / "a.svg")
    plt.close("all")
    text = grid.page(tmp_path / "s.html", title="a < b").read_text(encoding="utf-8")
    assert "max(S)/m" in text, "what a name stands for"
    assert "<h1>a &lt; b</h1>" in text and text.count("<figure>") == 3 and "3 failed" in text
    assert "http" not in text.split("<body>")[0]
    with pytest.raises(mb.ModelError, match="it exists already"):
        grid.page(tmp_path / "s.html")
    for wrong in ({"bins": 0}, {"bins": 2.5}, {"ax": [1, 2, 3]}):
        with pytest.raises(mb.ModelError):
            grid.histogram(**wrong)  # type: ignore[arg-type]
    assert "<pre>" in grid._repr_html_()


def test_a_study_without_a_done_member_says_so(tmp_path: pathlib.Path) -> None:
    found = oscillator().study({"m": [0.01]}, "final S", until=0.1)
    assert "1 failed" in str(found) and np.isnan(found.mean("final S")) and np.isnan(found.sd("final S"))
    assert found.page(tmp_path / "s.html").exists()
    plain: Any = found.plain()
    assert plain["outputs"]["final S"]["members"] == 0


def test_an_output_that_is_no_number_is_named() -> None:
    found = oscillator().study({"k": [4.0, 5.0]}, {"ratio": "final(S)/(k - 4)", "end": "final S"}, until=0.1)
    assert found.states == ["done", "done"] and np.isinf(found.outputs[0, 0]) and np.isfinite(found.outputs[1, 0])
    assert list(found.messages) == [0] and 'output "final(S)/(k - 4)" is no number here' in found.messages[0]
    assert found.reasons() == [f"1 done, first member 0: {found.messages[0]}"]
