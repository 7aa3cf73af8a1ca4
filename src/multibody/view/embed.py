"""Pictures and pages inside other documents: as images and frames of their own, so that no name in one meets one of another."""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

DOTS = 160.0  # an inch, of pictures in space


@contextmanager
def quiet() -> Iterator[None]:
    """Make figures without windows."""
    import matplotlib.pyplot as plt

    was = plt.isinteractive()
    plt.ioff()
    try:
        yield
    finally:
        if was:
            plt.ion()


def image_of(figure: Any, width: int, alt: str = "") -> str:
    """Return a figure as an image on white paper, at most `width` pixels wide, and let go of it.

    Parameters
    ----------
    figure : Figure
    width : int
    alt : str
        What it shows, for those who do not see it.
    """
    import matplotlib.pyplot as plt

    deep = any(hasattr(ax, "get_proj") for ax in figure.axes)  # shaded faces are small as pixels and large as curves
    made = _saved(figure, deep)
    plt.close(figure)
    data = f"data:image/{'png' if deep else 'svg+xml'};base64,{base64.b64encode(made).decode()}"
    look = f"max-width:{width}px;width:100%;background:white;border-radius:4px;flex:0 1 auto"
    said = f' alt="{html.escape(alt, quote=True)}"' if alt else ""
    return f'<img src="{data}"{said} style="{look}">'


def _saved(figure: Any, deep: bool) -> bytes:
    """Return a figure as PNG or SVG; laid out and drawn once, where ``savefig`` does both twice."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    made, engine = io.BytesIO(), figure.get_layout_engine()
    if deep:
        figure.set_dpi(DOTS)
    if engine is not None:
        engine.execute(figure)
        figure.set_layout_engine("none")
    write: Any = FigureCanvasAgg(figure).print_png if deep else FigureCanvasSVG(figure).print_svg
    write(made)
    return made.getvalue()


def frame_of(document: str, title: str, look: str) -> str:
    """Return a whole page inside another one.

    Parameters
    ----------
    document : str
        The page.
    title : str
    look : str
        Style of the frame.
    """
    inside, name = html.escape(document, quote=True), html.escape(title, quote=True)
    return f'<iframe srcdoc="{inside}" title="{name}" style="{look}"></iframe>'
