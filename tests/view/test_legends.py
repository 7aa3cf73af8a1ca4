"""Legends cover no curve: judged by the pixels of the curves alone."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
import numpy as np
import pytest

import multibody as mb
from multibody.view.beside import page_of

RESTLESS = "slider.x*sin(O*7) + rod.x*cos(O*31)"  # fills its axes from edge to edge


@pytest.fixture(autouse=True)
def closed_figures() -> Iterator[None]:
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def run() -> mb.Run:
    return mb.load("slider-crank").run(0.2)


def covered(figure: Any) -> list[str]:
    """Return the legends of a figure that lie over pixels of a curve or reach out of the picture."""
    figure.canvas.draw()
    legends = [ax.get_legend() for ax in figure.axes if ax.get_legend()] + list(figure.legends)
    boxes = [legend.get_window_extent() for legend in legends]
    curves = {line for ax in figure.axes for line in ax.get_lines() if not str(line.get_label()).startswith("_")}
    figure.set_layout_engine("none")  # nothing moves when the rest is hidden
    figure.patch.set_facecolor("white")
    for artist in figure.findobj():
        if artist not in curves and artist is not figure and artist not in figure.axes:
            artist.set_visible(False)
    for ax in figure.axes:
        if hasattr(ax, "get_proj"):
            ax.set_axis_off()  # draws its panes otherwise
    figure.canvas.draw()
    pixels = np.asarray(figure.canvas.buffer_rgba())[:, :, :3]
    height, width = pixels.shape[:2]
    faults = []
    for legend, box in zip(legends, boxes, strict=True):
        inside = pixels[int(height - box.y1) : int(height - box.y0) + 1, int(box.x0) : int(box.x1) + 1]
        outside = box.x0 < 0 or box.y0 < 0 or box.x1 > width or box.y1 > height
        if outside or np.any(inside < 250):
            faults.append(legend.get_texts()[0].get_text())
    assert legends
    assert np.any(pixels < 250), "no curve is drawn"
    return faults


def test_the_check_sees_a_covered_curve(run: mb.Run) -> None:
    plots = run.plot("slider.x", "rod.x")
    plots[0].legend(loc="center")
    assert covered(plots.figure) == ["slider.x"]


@pytest.mark.parametrize(
    "paths",
    [
        ("slider.x", "rod.x", "O", "A", "O - 2*A"),
        ("A.reaction.force", "B.reaction.force"),
        ("slider.x", RESTLESS),
        tuple(f"{k}*slider.x + {k}*rod.x" for k in range(1, 31)),
        ("slider.x", "rod.x", " + ".join(f"{k}*slider.x" for k in range(1, 15))),
        ("slider.x", "rod.x", "O", "A", "O.rate", "A.rate", "slider.x.rate", "rod.x.rate", "energy.total", "energy.kinetic"),
    ],
    ids=["five", "vectors", "from edge to edge", "thirty", "long expression", "many units"],
)
def test_beside_the_curves_on_a_new_figure(run: mb.Run, paths: tuple[str, ...]) -> None:
    plots = run.plot(*paths)
    widths = [ax.get_position().width * plots.figure.get_figwidth() for ax in plots]
    assert covered(plots.figure) == []
    plots.figure.canvas.draw()
    assert min(widths) > 3.0, "the curves are squeezed"


@pytest.mark.parametrize("x", ["O", "slider.x"])
def test_against_a_path(run: mb.Run, x: str) -> None:
    assert covered(run.plot("rod.x", "rod.y", x=x).figure) == []


@pytest.mark.parametrize(
    "paths", [("slider.x", "rod.x"), ("rod.x", "rod.y", RESTLESS), ("A.reaction.force", "B.reaction.force")]
)
def test_in_axes_that_are_given(run: mb.Run, paths: tuple[str, ...]) -> None:
    figure, axes = plt.subplots(2, 2)
    run.plot(*paths, ax=axes[0, 0])
    frame, box = (item.get_window_extent() for item in (axes[0, 0], axes[0, 0].get_legend()))
    assert frame.x0 <= box.x0 and box.x1 <= frame.x1 + 1, "it reaches over the neighbor"
    assert covered(figure) == []


def test_a_free_place_inside_leaves_the_limits(run: mb.Run) -> None:
    _, ax = plt.subplots()
    ax.set_ylim(0.0, 2.0)
    run.plot("slider.x", "rod.x", ax=ax)
    assert ax.get_ylim() == (0.0, 2.0)
    assert covered(ax.figure) == []


@pytest.mark.parametrize("name", ["slider-crank", "rssr"])
def test_beside_a_picture_of_the_mechanism(name: str) -> None:
    moved = mb.load(name).kinematics(steps=30)
    joints = list(moved.model.joints)[:2]
    bodies = [f"{body}.x" for body in moved.model.bodies]
    figure = page_of(moved, [f"{joints[0]}", f"2*{joints[0]}", *bodies])
    assert covered(figure) == []


def test_of_a_comparison() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compared = mb.load("pendulum").compare(
            0.2, formulations=["augmented"], integrators=["dop853", "adams"], rtol=[1e-4, 1e-6], repeats=1
        )
    assert covered(compared.plot().figure) == []
    _, axes = plt.subplots(1, 2)
    assert covered(compared.plot(ax=axes).figure) == []
    assert compared.plot(legend=False)[0].get_legend() is None


@pytest.mark.parametrize(
    ("name", "traces"), [("slider-crank", ["rod", "rod.com", "crank"]), ("rssr", ["coupler", "rocker.com"])]
)
def test_the_key_of_traced_points(name: str, traces: list[str]) -> None:
    moved = mb.load(name).kinematics(steps=40)
    pictures = [moved.draw(trace=traces).figure, page_of(moved, [next(iter(moved.model.joints))], trace=traces)]
    if moved.tables.dimension == 2:
        _, ax = plt.subplots()
        pictures.append(moved.draw(ax=ax, trace=traces).figure)
    for figure in pictures:
        ax = next(one for one in figure.axes if one.get_legend())
        figure.canvas.draw()
        written = [text for text in (ax.title, ax._left_title) if text.get_text()]
        assert not any(text.get_window_extent().overlaps(ax.get_legend().get_window_extent()) for text in written)
        assert covered(figure) == []
