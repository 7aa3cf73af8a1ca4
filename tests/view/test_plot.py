"""Diagrams over time, and whole pages."""

from __future__ import annotations

import inspect
import pathlib
import warnings
from collections.abc import Iterator

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
import numpy as np
import pytest

import multibody as mb
from multibody.results.compare import Compare
from multibody.results.inverse import Inverse
from multibody.results.size import Size
from multibody.view.beside import page_of, telling_time
from multibody.view.plots import Plots
from multibody.view.style import save


@pytest.fixture(autouse=True)
def closed_figures() -> Iterator[None]:
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def run() -> mb.Run:
    return mb.load("slider-crank").kinematics(steps=40)


def test_one_unit_gives_one_axes(run: mb.Run) -> None:
    (ax,) = run.plot("slider.x")
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
    (ax,) = mb.load("rssr").kinematics(steps=10).plot("crank.rotation")
    assert [line.get_label() for line in ax.get_lines()] == [f"crank.rotation.{k}" for k in "wxyz"]


def test_a_lock_up_is_marked_beyond_the_last_instant() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        stopped = mb.load("driven-slider", part=1.2).kinematics()
    (ax,) = stopped.plot("O")
    marks = [line for line in ax.get_lines() if line.get_label() == "_singular"]
    assert [line.get_xdata()[0] for line in marks] == [item.time for item in stopped.singularities]
    assert stopped.singularities[-1].kind == "lock-up"
    assert stopped.time[-1] < stopped.singularities[-1].time <= ax.get_xlim()[1]
    assert not [line for line in stopped.plot("O", singularities=False)[0].get_lines() if line.get_label() == "_singular"]


def test_given_axes_are_used_and_counted(run: mb.Run) -> None:
    _, axes = plt.subplots(2, 1)
    assert run.plot("slider.x", "O", ax=axes)[1] is axes[1]
    assert run.plot("rod.x", ax=axes[0])[0] is axes[0]
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


def test_any_path_against_any_other(run: mb.Run) -> None:
    top, below = run.plot("slider.x", "A.rate", x="2*O")
    np.testing.assert_array_equal(
        top.get_lines()[0].get_xydata(), np.column_stack([2 * run["O"].values, run["slider.x"].values])
    )
    assert (top.get_xlabel(), below.get_xlabel()) == ("", "2*O [rad]")
    (loop,) = run.plot("rod.y", x="rod.x")
    assert loop.get_xlabel() == "rod.x [m]"
    low, high = loop.get_xlim()
    assert low < run["rod.x"].min() and high > run["rod.x"].max()


def test_what_comes_back_is_always_of_one_kind(run: mb.Run, tmp_path: pathlib.Path) -> None:
    one, two = run.plot("O"), run.plot("O", "slider.x")
    assert isinstance(one, Plots) and isinstance(two, Plots) and isinstance(one, tuple)
    assert (len(one), len(two)) == (1, 2)
    assert two.figure is two[1].figure and repr(one) == "<Plots: 'O [rad]'>"
    two.save(tmp_path / "two.svg")
    assert b"<svg" in (tmp_path / "two.svg").read_bytes()
    with pytest.raises(mb.ModelError, match="unknown ending"):
        one.save(tmp_path / "two.xyz")


def test_a_second_run_is_laid_over_the_first(run: mb.Run) -> None:
    plots = run.plot("slider.x", "O", labels=["first", "angle"])
    shorter = mb.load("slider-crank", l2=0.1).kinematics(until=0.02, steps=40)
    again = shorter.plot("slider.x", "O", ax=plots, labels=["short", "b"])
    assert again == plots
    lines = plots[0].get_lines()
    assert [line.get_label() for line in lines] == ["first", "short"]
    assert lines[0].get_color() != lines[1].get_color()
    assert plots[0].get_xlim() == (0.0, run.time[-1])


def test_components_are_named_as_their_paths_are() -> None:
    model = mb.load("rssr")
    run = model.run(0.1)
    joint = next(iter(model.joints))
    (ax,) = run.plot(f"{joint}.reaction.force")
    labels = [line.get_label() for line in ax.get_lines()]
    assert labels == [f"{joint}.reaction.force.{axis}" for axis in "xyz"]
    for line in ax.get_lines():
        np.testing.assert_array_equal(line.get_ydata(), run[str(line.get_label())].values)
    assert list(run["crank.rotation"].component.values) == list("wxyz")
    assert set(run["crank.rotation", f"{joint}.reaction.force"].dims) == {"time", "quaternion", "component"}


def test_events_are_marked_over_time_and_on_curves() -> None:
    model = mb.load("pendulum")
    joint = next(iter(model.joints))
    model.event("low", f"{joint}.rate")
    run = model.run(3.0)
    assert run.events
    (ax,) = run.plot(joint)
    (marks,) = [line for line in ax.get_lines() if line.get_label() == "_event"]
    assert list(marks.get_xdata()) == [event.time for event in run.events]
    (ax,) = run.plot(f"{joint}.rate", x=joint)
    (marks,) = [line for line in ax.get_lines() if line.get_label() == "_event"]
    assert np.max(np.abs(marks.get_ydata())) < 0.02 * np.max(np.abs(run[f"{joint}.rate"].values))
    assert not [line for line in run.plot(joint, events=False)[0].get_lines() if line.get_label() == "_event"]


def test_singular_positions_are_rings_where_x_is_not_the_time() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        stopped = mb.load("driven-slider", part=1.2).kinematics()
    (ax,) = stopped.plot("O", x="slider.x")
    marks = [line for line in ax.get_lines() if line.get_label() == "_singular"]
    assert len(marks) == len(stopped.singularities)
    assert marks[-1].get_xdata()[0] == pytest.approx(stopped["slider.x"].values[-1])


def test_options_do_what_they_say(run: mb.Run) -> None:
    plots = run.plot("O", "A", title="angles", figsize=(5.0, 3.0), legend=False, grid=False)
    assert plots[0].get_title(loc="left") == "angles"
    assert tuple(plots.figure.get_size_inches()) == (5.0, 3.0)
    assert plots[0].get_legend() is None
    assert not any(line.get_visible() for line in plots[0].get_xgridlines())


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"x": "nothing"}, 'unknown name "nothing"'),
        ({"x": "A.reaction.force"}, "reactions need masses"),
        ({"labels": ["a", "b"]}, "2 labels for 1 paths"),
        ({"xx": "O"}, 'unknown field "xx"'),
        ({"colour": "red"}, 'unknown field "colour"'),
    ],
)
def test_options_that_do_not_fit_are_told(run: mb.Run, options: dict[str, object], words: str) -> None:
    with pytest.raises(mb.ModelError, match=words):
        run.plot("slider.x", **options)  # type: ignore[arg-type]


def test_a_vector_is_no_axis() -> None:
    moved = mb.load("slider-crank").run(0.01)
    with pytest.raises(mb.ModelError, match=r'"A.reaction.force" is a vector; choose one of A.reaction.force.x'):
        moved.plot("slider.x", x="A.reaction.force")


def test_efforts_over_the_coordinate() -> None:
    found = mb.load("slider-crank").inverse(until=0.04, steps=30)
    (ax,) = found.plot(x="O")
    np.testing.assert_array_equal(
        ax.get_lines()[0].get_xydata(), np.column_stack([found.motion["O"].values, found["O"].values])
    )
    (ax,) = found.plot("slider.x", x="O.effort")
    np.testing.assert_array_equal(ax.get_lines()[0].get_xdata(), found["O"].values)


def test_a_run_of_one_instant_and_gaps() -> None:
    (ax,) = mb.load("slider-crank").kinematics(at=0.01).plot("slider.x", x="O")
    assert ax.get_lines()[0].get_marker() == "o"
    run = mb.load("slider-crank").kinematics(steps=20)
    (ax,) = run.plot("1/(O - O)")
    assert np.all(~np.isfinite(np.asarray(ax.get_lines()[0].get_ydata(), dtype=float)))


def test_every_plot_and_draw_has_arguments_of_its_own() -> None:
    shown = [mb.Run.plot, mb.Run.draw, mb.State.draw, mb.Model.draw, Inverse.plot, Compare.plot, Size.plot]
    for method in shown:
        parameters = inspect.signature(method).parameters
        assert not [p for p in parameters.values() if p.kind is p.VAR_KEYWORD], method
        said = inspect.getdoc(method) or ""
        for name in set(parameters) - {"self"}:
            assert name in said or "as for :meth:" in said, (method, name)


def test_without_a_legend_several_curves_share_the_unit_alone() -> None:
    run = mb.load("four-bar").run(until=0.1)
    assert run.plot("O1", "A", legend=False)[0].get_ylabel() == "[rad]"
    assert run.plot("O1", legend=False)[0].get_ylabel() == "O1 [rad]"
