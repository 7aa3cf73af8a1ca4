"""The picture of a four-cylinder engine whose bodies have shapes: shapes win, words do not collide, units do not matter."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.transforms import Bbox

import multibody as mb
from multibody.view.depth import on_screen
from multibody.view.drawing import drawing_of
from multibody.view.strokes import Owner

LENGTHS = {"m": 1.0, "mm": 1000.0, "um": 1e6, "km": 1e-3}


@pytest.fixture(autouse=True)
def closed_figures() -> Iterator[None]:
    yield
    plt.close("all")


def engine(unit: str = "m") -> mb.Model:
    """Return an in-line engine: one crankshaft of many shapes, four rods and pistons, the first and last crank up."""
    k = LENGTHS[unit]
    m = mb.Model("in-line", gravity=(0, 0, -9.81 * k), units={"length": unit})
    throw, length, pitch = 0.045 * k, 0.15 * k, 0.1 * k
    heights, shapes = [throw, -throw, -throw, throw], []
    for i, z in enumerate(heights):
        y = i * pitch
        shapes.append({"cylinder": [(0, y - 0.015 * k, z), (0, y + 0.015 * k, z)], "radius": 0.022 * k})
        shapes.append({"cylinder": [(0, y - 0.05 * k, 0), (0, y - 0.027 * k, 0)], "radius": 0.027 * k})
        for side in (-0.021 * k, 0.021 * k):
            shapes.append({"box": (0.07 * k, 0.012 * k, throw + 0.07 * k), "at": (0, y + side, z / 2)})
    shapes.append({"disk": (0, 3.8 * pitch, 0), "radius": 0.13 * k, "thickness": 0.03 * k, "axis": (0, 1, 0)})
    pins = {f"pin{i}": (0, i * pitch, z) for i, z in enumerate(heights)}
    m.body("crankshaft", mass=10, frames=pins, shape=shapes)
    m.revolute("main", m.ground, "crankshaft", axis=(0, 1, 0))
    for i, z in enumerate(heights):
        y = i * pitch
        bar = {"rod": [(0, 0, 0), (0, 0, length)], "radius": 0.011 * k}
        ends = ((0, 0.032), (length, 0.018))
        eyes = [{"cylinder": [(0, -0.012 * k, s), (0, 0.012 * k, s)], "radius": r * k} for s, r in ends]
        m.body(f"rod{i}", mass=0.5, at=(0, y, z), frames={"small": (0, 0, length)}, shape=[bar, *eyes])
        crown = {"cylinder": [(0, 0, -0.02 * k), (0, 0, 0.04 * k)], "radius": 0.043 * k}
        m.body(f"piston{i}", mass=0.3, at=(0, y, z + length), shape=crown)
        m.revolute(f"big{i}", f"crankshaft.pin{i}", f"rod{i}", axis=(0, 1, 0))
        m.revolute(f"wrist{i}", f"rod{i}.small", f"piston{i}", axis=(0, 1, 0))
        m.translational(f"bore{i}", m.ground, f"piston{i}", at=(0, y, 0), axis=(0, 0, 1))
    m.motion("main", "10*t")
    return m


TITLE = "In-line engine with four cylinders, the crankshaft a radian on"


@functools.cache
def moved(unit: str = "m") -> Any:
    return engine(unit).kinematics(until=0.6, steps=30)


def picture(unit: str = "m", **options: Any) -> Any:
    return moved(unit).draw(at=0.1, trace=[f"rod{i}.com" for i in range(4)], labels=True, title=TITLE, **options)


def boxes(ax: Any) -> list[Any]:
    """Return the boxes of all words in the picture: title, legend, names, which matplotlib knows only while it draws them."""
    ax.figure.canvas.draw()
    found = [ax._left_title.get_window_extent(), ax.get_legend().get_window_extent()]
    for text in ax.texts:
        if text.get_text() and text.get_gid() != "gravity":
            x, y = on_screen(ax, np.array([text.get_position_3d()]))[0]
            box = text.get_window_extent()
            found.append(Bbox.from_bounds(x - 0.5 * box.width, y - 0.5 * box.height, box.width, box.height))
    return found


def test_words_do_not_collide_and_stay_in_the_picture() -> None:
    ax = picture()
    found = boxes(ax)
    assert len(found) == 2 + 9 + 13  # joints at one point would share a name: these do not
    figure = ax.figure.bbox
    for i, one in enumerate(found):
        for other in found[:i]:
            wide, high = min(one.x1, other.x1) - max(one.x0, other.x0), min(one.y1, other.y1) - max(one.y0, other.y0)
            assert wide <= 1.0 or high <= 1.0, (one, other)
        assert figure.x0 <= one.x0
        assert one.x1 <= figure.x1
        assert figure.y0 <= one.y0
        assert one.y1 <= figure.y1


def test_shapes_win_over_symbols_and_no_bar_reaches_out_of_a_piston() -> None:
    run = moved()
    drawing = drawing_of(run.tables, run.motion.q)
    for i in range(4):
        for joint in (f"big{i}", f"wrist{i}", f"bore{i}"):
            assert {s.kind for s in drawing.strokes if s.owner == Owner("joint", joint)} == {"line"}
        assert len([s for s in drawing.strokes if s.owner == Owner("body", f"piston{i}")]) == 1
    largest = max(float(np.max(np.ptp(s.points, axis=0))) for s in drawing.strokes if s.symbol and s.kind != "line")
    assert largest < 0.08  # the bearing's plate: no larger than a crank


def test_symbols_can_be_switched_off() -> None:
    def pieces(ax: Any) -> int:
        ax.figure.canvas.draw()
        return len(ax.collections[0].get_paths())

    whole, bare = picture(), picture(symbols=False)
    assert pieces(bare) < pieces(whole)
    assert {t.get_text() for t in bare.texts} == {t.get_text() for t in whole.texts}


@pytest.mark.parametrize("unit", ["mm", "um", "km"])
def test_the_picture_is_the_same_in_other_units(unit: str) -> None:
    one, other = picture(), picture(unit)
    np.testing.assert_allclose(one.figure.get_size_inches(), other.figure.get_size_inches())
    for limits in ("get_xlim", "get_ylim", "get_zlim"):
        np.testing.assert_allclose(np.array(getattr(one, limits)()) * LENGTHS[unit], getattr(other, limits)())
    for ax in (one, other):
        ax.figure.canvas.draw()
    paths = [np.array([path.vertices for path in ax.collections[0].get_paths()]) for ax in (one, other)]
    assert abs(len(paths[0]) - len(paths[1])) < 0.01 * len(paths[0])  # faces edge-on are seen or not by the last digit
