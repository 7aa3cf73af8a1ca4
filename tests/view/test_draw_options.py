"""What can be asked of a picture: symbols, views, and what is said where an option does not fit."""

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


@pytest.fixture(autouse=True)
def closed_figures() -> Iterator[None]:
    yield
    plt.close("all")


def inked(ax: Any) -> int:
    """Return how many pixels of a picture are not white."""
    ax.set_axis_off()
    ax.figure.canvas.draw()
    return int(np.sum(np.asarray(ax.figure.canvas.buffer_rgba())[:, :, :3].min(axis=2) < 250))


@pytest.mark.parametrize("name", ["slider-crank", "rssr"])
def test_symbols_can_be_left_out(name: str) -> None:
    model = mb.load(name)
    plain, full = (inked(model.draw(symbols=symbols, labels=False)) for symbols in (False, True))
    assert 500 < plain < full
    moved = model.kinematics(steps=10)
    assert inked(moved.draw(symbols=False, labels=False)) < inked(moved.draw(labels=False))


@pytest.mark.parametrize(
    ("view", "angles"), [("front", (0.0, -90.0)), ("right", (0.0, 0.0)), ("top", (90.0, -90.0)), ((30.0, 40.0), (30.0, 40.0))]
)
def test_a_view_has_a_name_or_two_angles(view: str | tuple[float, float], angles: tuple[float, float]) -> None:
    ax = mb.load("rssr").draw(view=view)
    assert (ax.elev, ax.azim) == angles  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"view": "topp"}, 'unknown view "topp"; did you mean "top"'),
        ({"view": "below"}, "it is iso, front, right, top"),
        ({"view": (1.0,)}, "is not a view; give elevation and azimuth"),
        ({"view": (1.0, float("nan"))}, "is not a view"),
        ({"lables": True}, 'unknown field "lables"; did you mean "labels"'),
        ({"trace": ["rod.nose"]}, 'unknown field "trace"'),
    ],
)
def test_what_does_not_fit_is_told(options: dict[str, object], words: str) -> None:
    with pytest.raises(mb.ModelError, match=words.replace("(", "\\(")):
        mb.load("rssr").draw(**options)  # type: ignore[arg-type]


def test_letters_of_other_scripts_have_a_font_where_one_is_installed() -> None:
    """Names may be written in any script; without a font for it there is nothing to test."""
    from multibody.view.style import SCRIPTS, families

    if not set(SCRIPTS[0]) & set(families()):
        pytest.skip("no font with Korean letters is installed")
    m = mb.Model("진자", dimension=2)
    m.body("막대", mass=1.0, inertia=0.1, com=(0.5, 0))
    m.revolute("중심", m.ground, "막대")
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # matplotlib tells of letters that no font has
        m.assemble().draw().figure.canvas.draw()


def test_a_remark_stands_under_everything_else() -> None:
    from multibody.view.remark import write_remark

    figure: Any = mb.load("slider-crank").assemble().draw().figure
    write_remark(figure, "partial: " + "a long story " * 30)
    figure.canvas.draw()
    remark = figure.texts[-1].get_window_extent()
    assert remark.y0 >= 0.0
    assert remark.x1 <= figure.bbox.x1
    assert figure.axes[0].get_tightbbox().y0 >= remark.y1
