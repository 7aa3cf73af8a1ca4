"""The page as one text: its modules, style and data, nothing else and nothing from elsewhere."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from multibody.errors import ModelError
from multibody.results.finite import finite
from multibody.tables.lower import Tables
from multibody.view.drawing import drawing_of
from multibody.view.page.content import mechanism, motions
from multibody.view.page.modules import scripts, source
from multibody.view.page.tracks import Curve, Track
from multibody.view.strokes import Drawing

LARGEST, FURTHER = 395_000, 60_000
"""Characters of a page with one motion, and of every further one: instants are left out where there would be more."""
MOST_TRACED = 4
"""Points that are traced where none are named."""
NAMED = 12
"""Bodies and joints up to which a page begins with their names."""
PAPERS = ("", "light", "dark")
MODES = ("", "beside", "over")


@dataclass(frozen=True)
class Look:
    """What a page shows at first; everything can be switched there.

    Attributes
    ----------
    plot : tuple of str
        Paths whose curves are shown.
    x : str, optional
        Path that they are drawn over; default the time.
    trace : tuple of str
        Frames whose paths are drawn.
    names : bool, optional
        Whether bodies and joints are named; default: where there are few.
    paper : str
        "light", "dark" or "" for what the reader's system prefers.
    layout : str
        Of several runs: "beside" or "over" each other.
    title : str
        Default: the model's name.
    """

    plot: tuple[str, ...] = ()
    x: str | None = None
    trace: tuple[str, ...] = ()
    names: bool | None = None
    paper: str = ""
    layout: str = "beside"
    title: str = ""

    @property
    def curves(self) -> tuple[str, ...]:
        """Paths and expressions that the page has to know."""
        return self.plot if self.x is None else (*self.plot, self.x)

    def __post_init__(self) -> None:
        for key, value, known in (("paper", self.paper, PAPERS), ("layout", self.layout, MODES)):
            if value not in known:
                raise ModelError(f'unknown {key} "{value}"', where="page", hint=f"it is one of {', '.join(known[1:])}")


def page_text(tracks: Sequence[Track], look: Look, check: str = "") -> str:
    """Return the page that plays some motions.

    Parameters
    ----------
    tracks : sequence of Track
        Motions of one mechanism.
    look : Look
    check : str
        The report of the check.
    """
    tables, drawings, which = tracks[0].tables, *_drawings(tracks)
    few = len(tables.bodies) + len(tables.model.joints) <= NAMED
    absent = frozenset({"space" if tables.dimension == 2 else "plane"})
    partial = next((track.about["status"] for track in tracks if track.about.get("partial")), "")
    parts = {"style": source("page.css"), "scripts": scripts("main", absent)}
    data = mechanism(tables, drawings) | {
        "title": look.title or tables.model.name, "points": _points(tables, look.trace), "plot": list(look.plot),
        "x": look.x or "", "paper": look.paper, "names": few if look.names is None else look.names, "mode": look.layout,
        "check": check, "autoplay": tracks[0].sort in ("freedom", "mode", "direction"),
    }  # fmt: skip
    taken = len(_json(data)) + sum(len(part) for part in parts.values())
    data["runs"] = motions(tracks, drawings, which, LARGEST + FURTHER * (len(tracks) - 1) - taken)
    return _filled(parts | {
        "title": html.escape(data["title"]), "status": html.escape(partial and f"partial: {partial}"), "data": _json(data),
    })  # fmt: skip


def _drawings(tracks: Sequence[Track]) -> tuple[list[Drawing], list[int]]:
    """Return the drawings that motions need, and which one each has: those of one model share one, of other parameters not.

    Raises
    ------
    ModelError
        If the motions are of different mechanisms.
    """
    first = tracks[0].tables
    known: list[Tables] = []
    for track in tracks:
        own = track.tables
        if (own.dimension, own.bodies, list(own.model.joints)) != (first.dimension, first.bodies, list(first.model.joints)):
            hint = "one page shows one mechanism; write a page for each"
            raise ModelError(f'"{own.model.name}" is another mechanism than "{first.model.name}"', where="page", hint=hint)
        if not any(_same(own, other) for other in known):
            known.append(own)
    which = [next(k for k, other in enumerate(known) if _same(track.tables, other)) for track in tracks]
    drawings = []
    for k, tables in enumerate(known):
        own_motions = [track.q for track, of in zip(tracks, which, strict=True) if of == k]
        drawings.append(drawing_of(tables, np.vstack(own_motions)))
    return drawings, which


def _same(one: Tables, other: Tables) -> bool:
    """Return whether two lowered models have the same numbers."""
    return one is other or (one.model is other.model) or np.array_equal(one.F, other.F)


def _filled(parts: dict[str, str]) -> str:
    """Return the page with its parts in place; what a part holds is never taken for a place itself."""
    return re.sub(r"\[\[(\w+)\]\]", lambda match: parts[match[1]], source("page.html"))


def _json(data: Any) -> str:
    """Return data as JSON that no text inside can end early."""
    return json.dumps(finite(data), separators=(",", ":"), ensure_ascii=False, allow_nan=False).replace("<", "\\u003c")


def _points(tables: Tables, trace: Sequence[str]) -> list[dict[str, Any]]:
    """Return points whose paths can be drawn: those asked for, else frames that no joint uses, else pins of moving bodies."""
    model = tables.model
    asked = [model.find_end(name, "trace") for name in trace]
    if asked:
        return [_point(tables, body, frame, asked=True) for body, frame in asked]
    used = {(end.body, end.point) for ends in tables.ends.values() for end in ends}
    index = {name: b for b, name in enumerate(tables.bodies)}
    free = [
        _point(tables, body, frame) for (body, frame), slots in tables.frames.items()
        if body != "ground" and frame not in ("origin", "com") and (index[body], slots.point) not in used
    ]  # fmt: skip
    if free:
        return free[:MOST_TRACED]
    found = []
    for name, ends in tables.ends.items():
        if 0 not in (ends[0].body, ends[1].body) and len(tables.joint_rows[name]):
            end = ends[1]
            point = [float(x) for x in tables.vector(end.point)]
            found.append({"name": name, "body": end.body, "point": point, "traced": True, "asked": False})
    return found[:MOST_TRACED] or [_point(tables, name, "com") for name in tables.bodies[1 : 1 + MOST_TRACED]]


def _point(tables: Tables, body: str, frame: str, asked: bool = False) -> dict[str, Any]:
    """Return a frame's point, from the center of mass of its body."""
    point = [float(x) for x in tables.vector(tables.frames[body, frame].point)]
    return {"name": f"{body}.{frame}", "body": tables.bodies.index(body), "point": point, "traced": True, "asked": asked}


def with_plots(track: Track, measurer: Any, plot: Sequence[str]) -> Track:
    """Return a motion that keeps the curves that are asked for; those of expressions are added."""
    from dataclasses import replace

    known = {curve.name for curve in track.curves}
    more = []
    for text in dict.fromkeys(plot):
        if text not in known:
            measure = measurer(text)
            if measure.values.ndim != 1:
                raise ModelError(f'"{text}" is a vector', where="page", hint=f"a curve takes a number: write {text}.x")
            more.append(Curve(text, measure.unit, "outputs", np.asarray(measure.values, dtype=float)))
    return replace(track, curves=[*more, *track.curves], asked=frozenset(plot))
