"""Diagrams over time, and whole pages."""

from __future__ import annotations

import pathlib
import warnings
from collections.abc import Iterator

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
import numpy as np
import pytest

import multibody as mb
from multibody.view.beside import page_of, telling_time
from multibody.view.style import save


@pytest.fixture(autouse=True)
def closed_figures() -> Iterator[None]:
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def run() -> mb.Run:
    return mb.load("slider-crank").kinematics(steps=40)


def test_one_unit_gives_one_axes(run: mb.Run) -> None:
    ax = run.plot("slider.x")
    np.testing.assert_array_equal(ax.get_lines()[0].get_xydata(), np.column_stack([run.time, run["slider.x"].values]))
    assert ax.get_ylabel() == "slider.x [m]"
    assert ax.get_xlabel() == "time [s]"
    assert ax.get_legend() is None


def test_each_unit_has_its_axes_with_a_common_time(run: mb.Run) -> None:
    axes = run.plot("slider.x", "O", "A", "slider.x.rate", "O - 2*A", "O + slider.x")
    assert [ax.get_ylabel() for ax in axes] == ["[m]", "[rad]", "[m/s]", ""]
    assert [text.get_text() for text in axes[1].get_legend().get_texts()] == ["O", "A", "O - 2*A"]
    assert axes[0].get_title(loc="left") == "slider.x"
    assert [ax.get_xlabel() for ax in axes] == ["", "", "", "time [s]"]
    axes[0].set_xlim(0.0, 0.01)
    assert axes[3].get_xlim() == (0.0, 0.01)


def test_a_rotation_has_four_curves() -> None:
    ax = mb.load("rssr").kinematics(steps=10).plot("crank.rotation")
    assert [line.get_label() for line in ax.get_lines()] == [f"crank.rotation[{k}]" for k in range(4)]


def test_a_lock_up_is_marked_beyond_the_last_instant() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        stopped = mb.load("driven-slider", part=1.2).kinematics()
    ax = stopped.plot("O")
    marks = [line for line in ax.get_lines() if line.get_label() == "_singular"]
    assert [line.get_xdata()[0] for line in marks] == [item.time for item in stopped.singularities]
    assert stopped.singularities[-1].kind == "lock-up"
    assert stopped.time[-1] < stopped.singularities[-1].time <= ax.get_xlim()[1]
    assert not [line for line in stopped.plot("O", singularities=False).get_lines() if line.get_label() == "_singular"]


def test_given_axes_are_used_and_counted(run: mb.Run) -> None:
    _, axes = plt.subplots(2, 1)
    assert run.plot("slider.x", "O", ax=axes)[1] is axes[1]
    assert run.plot("rod.x", ax=axes[0]) is axes[0]
    assert len(axes[0].get_lines()) == 2
    with pytest.raises(mb.ModelError, match="1 axes for 2 units"):
        run.plot("slider.x", "O", ax=axes[0])


def test_faults_are_told(run: mb.Run) -> None:
    with pytest.raises(mb.ModelError, match="no path to plot"):
        run.plot()
    with pytest.raises(mb.ModelError, match=r"slider\.q"):
        run.plot("slider.q")


@pytest.mark.parametrize("name", ["slider-crank", "rssr"])
def test_a_page_has_the_mechanism_beside_its_curves(name: str, tmp_path: pathlib.Path) -> None:
    moved = mb.load(name).kinematics(steps=20)
    joint = next(iter(moved.model.joints))
    figure = page_of(moved, [joint, f"{joint}.rate"], at=telling_time(moved), trace=[next(iter(moved.model.bodies))])
    assert len(figure.axes) == 3
    save(figure, tmp_path / "new" / "page.png")
    assert (tmp_path / "new" / "page.png").stat().st_size > 20_000


def test_a_full_turn_is_shown_on_its_way(run: mb.Run) -> None:
    assert telling_time(run) == run.time[5]
    half = mb.load("slider-crank").kinematics(until=0.01, steps=10)
    assert telling_time(half) == half.time[-1]


def test_the_demo_prints_results_and_draws(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import runpy

    monkeypatch.chdir(tmp_path)
    demo = pathlib.Path(__file__).parents[2] / "examples" / "demo.py"
    runpy.run_path(str(demo), run_name="__main__")
    lines = capsys.readouterr().out.splitlines()
    assert "stroke 0.3 m" in lines[1]
    assert lines[2] == f"picture: {pathlib.Path('out') / 'slider-crank.png'}"
    assert any("four-bar" in line and "finished" in line for line in lines[3:])
    assert (tmp_path / "out" / "slider-crank.png").read_bytes()[:4] == b"\x89PNG"
