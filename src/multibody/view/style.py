"""The look of pictures: colors, line widths and an rc context of our own, so that the user's settings stay as they are."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from functools import cache
from numbers import Real
from typing import Any

from multibody.arguments import short
from multibody.errors import ModelError

INK = "#2f3640"  # joints, text
GROUND = "#6b7280"
PALE = "#9aa3af"
ACCENT = "#c0392b"  # lock-up, contact, mesh
PALETTE = ("#2f6fb0", "#d9822b", "#3f9150", "#b3434b", "#7a5aa6", "#8a6a43", "#c96199", "#3d9ca3", "#94963a", "#5b6c8f")
SCRIPTS = (
    ("Noto Sans CJK KR", "Noto Sans KR", "NanumGothic", "Malgun Gothic", "Apple SD Gothic Neo", "UnDotum"),
    ("Noto Sans CJK JP", "Noto Sans CJK SC", "Yu Gothic", "Microsoft YaHei", "Hiragino Sans", "PingFang SC"),
)
"""Fonts with Korean letters, and with Chinese and Japanese ones; the first that is installed is taken."""
MOST_INCHES = 200.0  # width or height of a figure
PICTURES = (".png", ".pdf", ".svg")  # endings of files that figures are written to

RC: dict[str, Any] = {
    "font.size": 9.0,
    "axes.titlesize": 10.0,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 9.0,
    "axes.labelcolor": INK,
    "axes.edgecolor": PALE,
    "axes.linewidth": 0.8,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.formatter.useoffset": False,
    "axes.formatter.limits": (-3, 4),
    "axes.formatter.use_mathtext": True,
    "grid.color": "#e3e7ec",
    "grid.linewidth": 0.7,
    "xtick.color": GROUND,
    "ytick.color": GROUND,
    "xtick.labelsize": 8.0,
    "ytick.labelsize": 8.0,
    "text.color": INK,
    "legend.frameon": False,
    "legend.fontsize": 8.0,
    "lines.linewidth": 1.6,
    "lines.solid_capstyle": "round",
    "figure.facecolor": "white",
    "figure.dpi": 110.0,
    "savefig.dpi": 150.0,
    "hatch.linewidth": 0.6,
}


def styled() -> AbstractContextManager[None]:
    """Return a context in which axes and artists are made in our style."""
    import matplotlib

    rc: Any = rc_of()  # matplotlib's types list every key
    context: AbstractContextManager[None] = matplotlib.rc_context(rc)
    return context


def rc_of() -> dict[str, Any]:
    """Return matplotlib's settings in our style, with fonts for all scripts."""
    return {**RC, "font.family": families()}


def families() -> list[str]:
    """Return the user's first sans-serif font and, behind it, an installed one for each script that it may lack.

    Names of bodies and joints may be written in any script; matplotlib takes a letter from the first font that has it.
    """
    import matplotlib

    known = _installed()
    own = [name for name in matplotlib.rcParams["font.sans-serif"] if name in known]
    further = [next((name for name in names if name in known), "") for names in SCRIPTS]
    return [*own[:1], *(name for name in further if name and name not in own[:1])] or ["sans-serif"]


@cache
def _installed() -> frozenset[str]:
    """Return the names of all fonts that matplotlib knows; it need not tell of each title that one has no bold letters."""
    import logging

    from matplotlib import font_manager

    logger = logging.getLogger("matplotlib.font_manager")
    logger.addFilter(lambda record: "Failed to find font weight" not in str(record.msg))
    return frozenset(font_manager.get_font_names())



def body_color(number: int) -> str:
    """Return the color of a body by its number (1 is the first; 0, the ground, is gray)."""
    return GROUND if number == 0 else PALETTE[(number - 1) % len(PALETTE)]


def lighter(color: str, amount: float) -> tuple[float, float, float]:
    """Return a color mixed with white: `amount` 0 leaves it, 1 is white."""
    from matplotlib.colors import to_rgb

    r, g, b = to_rgb(color)
    return (r + (1.0 - r) * amount, g + (1.0 - g) * amount, b + (1.0 - b) * amount)


def plain(text: str) -> str:
    """Return a user's text for matplotlib, with dollars that begin no formula."""
    return text.replace("$", r"\$")


def save(figure: Any, file: Any) -> None:
    """Write a figure to a file in our style; the ending decides the format, in small or capital letters."""
    import io
    import pathlib

    from multibody._target import write_whole

    made = io.BytesIO()
    with styled():
        figure.savefig(made, format=pathlib.Path(file).suffix.lower().removeprefix("."))
    pathlib.Path(file).parent.mkdir(parents=True, exist_ok=True)
    write_whole(file, made.getvalue())


def figure_size(figsize: Any) -> tuple[float, float] | None:
    """Return width and height of a new figure [inch] as they are given, None where they are not.

    Raises
    ------
    ModelError
        If something else than two positive numbers is given.
    """
    if figsize is None:
        return None
    given = tuple(figsize) if isinstance(figsize, Iterable) else ()
    numbers = all(isinstance(x, Real) and not isinstance(x, bool) for x in given)
    if len(given) != 2 or not numbers or not all(0.0 < x <= MOST_INCHES for x in given):
        hint = f"give width and height in inches, such as (7, 4), at most {MOST_INCHES:g}"
        raise ModelError(f"figsize is {short(figsize)}", hint=hint)
    return float(given[0]), float(given[1])
