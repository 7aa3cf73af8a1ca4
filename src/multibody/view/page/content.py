"""The data of a page, from motions and a drawing: what `common.js` unpacks, stages draw and panels show."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from multibody._version import __version__
from multibody.results.finite import finite
from multibody.tables.lower import Tables
from multibody.view.geometry import Floats
from multibody.view.page.packing import packed, raw
from multibody.view.page.tracks import GROUPS, Arrow, Curve, Track, far_apart
from multibody.view.scene import Blueprint
from multibody.view.strokes import Drawing, Owner, Stretched, Stroke
from multibody.view.style import PALETTE, body_color

FORMAT = 1
FINE = 2.0**-22
"""Quantum of poses: of positions over the model's size, and of angles [rad] and quaternions."""
LEAST = 120_000
"""Characters that packed numbers may take even where the drawing alone makes a large page."""
CHARACTERS = 1.3
"""Of a packed number, roughly: for a first guess of how many instants there can be."""
FEWEST, MOST = 121, 4001
"""Instants of a motion: below the fewest, curves that nobody asked for are left out instead, and what arrows need of them; then
the page is larger than it should be, for fewer would not show how things move. Above the most nobody sees a difference."""
HUGE, LAST = 6_000_000, 21
"""Characters that all motions may take even so, and the instants that each has in any case."""


def mechanism(tables: Tables, drawings: Sequence[Drawing]) -> dict[str, Any]:
    """Return what a page knows of a mechanism, ready for JSON."""
    gravity = Blueprint(tables).gravity()
    return {
        "format": FORMAT, "version": __version__, "dimension": tables.dimension, "title": tables.model.name,
        "units": tables.model.units.names, "gravity": None if gravity is None else _plain(gravity),
        "bodies": [{"name": name, "color": body_color(b)} for b, name in enumerate(tables.bodies)],
        "joints": [_joint(tables, name) for name in tables.model.joints],
        "forces": [{"name": name, "kind": force.kind.name} for name, force in tables.model.forces.items()],
        "drawings": [drawing_data(drawing, _owners(tables)) for drawing in drawings],
    }  # fmt: skip


def motions(tracks: Sequence[Track], drawings: Sequence[Drawing], which: Sequence[int], budget: int) -> list[dict[str, Any]]:
    """Return how a mechanism moves, ready for JSON.

    Parameters
    ----------
    tracks : sequence of Track
        Motions of one mechanism.
    drawings : sequence of Drawing
        Each made from all motions that it belongs to, in their order.
    which : sequence of int
        The drawing of each motion.
    budget : int
        Characters that all may take together.
    """
    share, huge = max(budget, LEAST) // len(tracks), HUGE // len(tracks)
    owners, found, first = _owners(tracks[0].tables), [], [0] * len(drawings)
    for k, (track, of) in enumerate(zip(tracks, which, strict=True)):
        span = slice(first[of], first[of] + len(track.time))
        places = [np.asarray(item.places)[span] for item in drawings[of].wanderers]
        found.append(_fitted(track, Frame(drawings[of], owners, places, k), share, huge) | {"drawing": of})
        first[of] = span.stop
    return found


@dataclass(frozen=True, eq=False)
class Frame:
    """What a motion is packed for: the drawing, the numbers of owners, its wanderers' places, its own number."""

    drawing: Drawing
    owners: dict[tuple[str, str], int]
    places: list[Floats]
    number: int


# --- what the mechanism is ----------------------------------------------------------------------------------------------
def _owners(tables: Tables) -> dict[tuple[str, str], int]:
    """Return everything that a click can mean, with its number: bodies with the ground first, then joints, then forces."""
    sorts = (("body", tables.bodies), ("joint", tables.model.joints), ("force", tables.model.forces))
    return {owner: k for k, owner in enumerate((sort, name) for sort, names in sorts for name in names)}


def _joint(tables: Tables, name: str) -> dict[str, Any]:
    """Return kind, bodies and coordinates of a joint."""
    joint = tables.model.joints[name]
    ends = tables.ends.get(name)
    items = joint.names_of_coordinates(tables.dimension)
    return {
        "name": name, "kind": joint.kind.name, "bodies": [end.body for end in ends] if ends else [],
        "coordinates": [f"{name}.{item}" for item in items],
    }  # fmt: skip


def drawing_data(drawing: Drawing, owners: dict[tuple[str, str], int]) -> dict[str, Any]:
    """Return a drawing as plain data; points are rounded to a millionth of the picture."""
    digits = _digits(drawing)
    ordered = [{"sort": sort, "name": name} for sort, name in owners]

    def owner(item: Owner) -> int:
        return owners.get((item.sort, item.name), -1)

    return {
        "size": drawing.size, "low": _plain(drawing.low), "high": _plain(drawing.high), "owners": ordered,
        "strokes": [_stroke(stroke, owner(stroke.owner), digits) for stroke in drawing.strokes],
        "stretched": [_stretched(item, owner(item.owner), digits) for item in drawing.stretched],
        "wanderers": [
            {"color": item.color, "owner": owner(item.owner), "width": item.width, "level": item.level}
            for item in drawing.wanderers
        ],
        "names": [
            {"owner": owner(who), "body": body, "point": _plain(point, digits)} for who, body, point in drawing.names
        ],
    }  # fmt: skip


def _digits(drawing: Drawing) -> int:
    """Return the decimals that tell a millionth of the picture's size."""
    size = float(np.max(np.abs(np.concatenate([drawing.high - drawing.low, [drawing.size]]))))
    return int(np.clip(np.ceil(6.5 - np.log10(size)), 0, 300)) if size > 0.0 else 6


STROKE_DEFAULTS = {field: Stroke.__dataclass_fields__[field].default for field in (
    "level", "paleness", "alpha", "width", "radius", "ghost", "symbol"
)}  # fmt: skip


def _stroke(stroke: Stroke, owner: int, digits: int) -> dict[str, Any]:
    """Return a stroke; what is as usual is left out and comes back in the page."""
    found = {"kind": stroke.kind, "body": stroke.body, "points": _flat(stroke.points, digits), "color": stroke.color}
    found |= {key: _number(getattr(stroke, key)) for key, usual in STROKE_DEFAULTS.items() if getattr(stroke, key) != usual}
    found["owner"] = owner
    if stroke.dashes:
        found["dashes"] = list(stroke.dashes)
    if len(stroke.hole):
        found["hole"] = _flat(stroke.hole, digits)
    if len(stroke.triangles):
        found["triangles"] = raw(stroke.triangles, "i4")
    return found


def _stretched(item: Stretched, owner: int, digits: int) -> dict[str, Any]:
    """Return a thing between two bodies."""
    return {
        "kind": item.kind, "bodies": list(item.bodies), "points": _flat(item.points, digits), "size": item.size,
        "color": item.color, "owner": owner, "level": item.level, "width": item.width, "rest": item.rest,
    }  # fmt: skip


LONG = 300
"""Numbers of a stroke above which its points are packed rather than written."""


def _flat(points: Floats, digits: int) -> Any:
    """Return points as a flat list; gaps are null."""
    numbers = np.asarray(points, dtype=float).ravel()
    return raw(numbers, "f4") if len(numbers) > LONG else _plain(numbers, digits)


def _plain(numbers: Any, digits: int = 9) -> list[float | None]:
    """Return numbers as JSON has them."""
    if digits <= 12:
        numbers = np.round(np.asarray(numbers, dtype=float), digits)
    return [_number(float(x)) if np.isfinite(x) else None for x in np.ravel(numbers)]


def _number(value: Any) -> Any:
    """Return a whole number without its point: half the length."""
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 1e15 else value


# --- how it moves -------------------------------------------------------------------------------------------------------
def _fitted(track: Track, frame: Frame, budget: int, huge: int) -> dict[str, Any]:
    """Return a motion that fits: with fewer instants, and at last without the groups of curves that nobody asked for."""
    curves, dropped, total = track.curves, list[str](), len(track.time)
    limit = MOST
    while True:
        spare = [c for c in curves if c.name not in track.asked]
        columns = track.q.shape[1] + len(curves) + sum(a.vector.shape[1] for a in track.arrows if not a.paths)
        characters = CHARACTERS * max(columns, 1)
        fits, least = int(budget / characters), max(LAST, min(FEWEST, int(huge / characters)))
        if fits >= min(FEWEST, total) or not spare:
            limit = max(min(limit, fits), least)
            chosen = _instants(track, min(limit, total))
            made = _run(track, curves, frame, chosen)
            size = len(json.dumps(made, separators=(",", ":")))
            if size <= budget or (not spare and len(chosen) <= least):
                break
            limit = min(len(chosen) - 1, int(0.95 * len(chosen) * budget / size))
            if limit >= min(FEWEST, total) or not spare:
                continue
        last = max((c.group for c in spare), key=GROUPS.index)
        curves = [c for c in curves if c.group != last or c.name in track.asked]
        dropped, limit = [*dropped, last], MOST
    if dropped:
        made["missing"] = f"left out, for the page would be too large: {', '.join(dropped)}"
    made["notes"] = [*track.about.get("notes", []), *far_apart(track, chosen)]
    made["instants"] = {"of": total, "shown": len(chosen)}
    return made


def _instants(track: Track, count: int) -> Any:
    """Return instants spread over a motion, the first and the last among them."""
    return np.unique(np.linspace(0, len(track.time) - 1, count).round().astype(int))


def _run(track: Track, curves: list[Curve], frame: Frame, chosen: Any) -> dict[str, Any]:
    """Return a motion at chosen instants."""
    tables, names = track.tables, {curve.name: k for k, curve in enumerate(curves)}
    beside: list[Floats] = []
    known = [arrow for arrow in track.arrows if not arrow.paths or all(path in names for path in arrow.paths)]
    arrows = [_arrow(arrow, names, frame.owners, beside, chosen) for arrow in known]
    poses, quanta = _poses(tables, track.q[chosen], float(np.max(frame.drawing.high - frame.drawing.low)))
    sigma = None if track.sigma is None else len(beside)
    if track.sigma is not None:
        beside.append(track.sigma[chosen])
    places = len(beside)
    beside += [column for item in frame.places for column in item[chosen].T]
    return {
        "label": track.label, "color": PALETTE[frame.number % len(PALETTE)], "sort": track.sort,
        "time": raw(track.time[chosen], "f8"), "poses": packed(poses, quanta),
        "paths": [{"name": c.name, "unit": c.unit, "group": c.group} for c in curves],
        "values": packed([c.values[chosen] for c in curves]), "beside": packed(beside), "arrows": arrows, "sigma": sigma,
        "places": places if frame.places else None, "reactions": track.reactions, **finite(track.about),
    }  # fmt: skip


def _poses(tables: Tables, q: Floats, size: float) -> tuple[list[Floats], list[float | None]]:
    """Return position and angle or quaternion of all bodies as columns, with their quanta; quaternions keep their side."""
    layout, count = tables.layout, len(tables.bodies) - 1
    rows = np.array(layout.split(q, count))
    if layout.dimension == 3:  # q and −q are the same turn: between instants the page would go the long way around
        turns = rows[:, :, layout.turn]
        flips = np.sign(np.einsum("tbk,tbk->tb", turns[1:], turns[:-1]))
        signs = np.cumprod(np.vstack([np.ones((1, count)), np.where(flips < 0.0, -1.0, 1.0)]), axis=0)
        turns *= signs[:, :, None]
    quanta = [FINE * size if k < layout.dimension else FINE for _ in range(count) for k in range(layout.coordinates)]
    return list(rows.reshape(len(q), -1).T), list(quanta)


def _arrow(arrow: Arrow, names: dict[str, int], owners: dict[tuple[str, str], int], beside: list[Floats], chosen: Any) -> Any:
    """Return an arrow whose components are curves of the page, or further columns."""
    found = {
        "sort": arrow.sort, "owner": owners.get(arrow.owner, -1), "body": arrow.body, "point": _plain(arrow.point, 300),
        "unit": arrow.unit,
    }  # fmt: skip
    if arrow.paths:
        return found | {"paths": [names[path] for path in arrow.paths]}
    first = len(beside)
    beside.extend(arrow.vector[chosen].T)
    return found | {"beside": first}
