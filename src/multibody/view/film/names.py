"""Names in a film: each keeps its place beside the thing that it names, chosen once for the whole motion."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from multibody.view.captions import MOST_NAMES
from multibody.view.film.ink import Ink, Item
from multibody.view.film.letters import ABOVE_ALL, Word
from multibody.view.film.paper import WHITE
from multibody.view.geometry import Floats
from multibody.view.labels import DIRECTIONS
from multibody.view.scene import Journey
from multibody.view.strokes import Drawing, Owner
from multibody.view.style import INK, body_color

SAMPLES = 24  # poses at which a place is judged
CROWDED = 0.15  # part of the motion for which a name may cover another

Project = Callable[[Floats], Floats]
"""Takes points in ground (..., d) to pixels (..., 2)."""


@dataclass(frozen=True, eq=False)
class Name:
    """A text, where the thing is that it names in every frame [pixels] (frames, 2), and how it looks."""

    text: str
    places: Floats
    color: str
    size: float
    distance: float
    slanted: bool


def names_of(drawing: Drawing, journey: Journey, project: Project, wanted: bool | None, pixels: float) -> list[Name]:
    """Return the names to write; joints that stay together share one.

    Parameters
    ----------
    drawing : Drawing
    journey : Journey
        The poses of the frames.
    project : callable
    wanted : bool or None
        None: bodies where there are few, joints and forces too where there are even fewer.
    pixels : float
        Of a point.
    """
    bodies = journey.tables.bodies
    count, joints = len(bodies) - 1, len(journey.tables.model.joints)
    if wanted is False or (wanted is None and count > MOST_NAMES):
        return []
    every = bool(wanted) or count + joints <= MOST_NAMES
    found = [(owner, project(journey.place(body, point))) for owner, body, point in drawing.names]
    for thing in drawing.stretched:
        ends = [journey.place(body, point) for body, point in zip(thing.bodies, thing.points, strict=True)]
        found.append((thing.owner, project(0.5 * (ends[0] + ends[1]))))
    gap = _gap(drawing, project)
    rest = [_name(owner, places, gap, bodies) for owner, places in found if owner.sort == "body" or every]
    return _merged(sorted(rest, key=lambda name: not name.slanted), pixels)


def _gap(drawing: Drawing, project: Project) -> float:
    """Return how far names of joints stand off [pixels]."""
    up = np.zeros((2, drawing.dimension))
    up[1, -1] = drawing.size
    ends = project(up)
    return max(0.4 * float(np.linalg.norm(ends[1] - ends[0])), 2.5)


def _name(owner: Owner, places: Floats, gap: float, bodies: list[str]) -> Name:
    """Return a name with its looks."""
    if owner.sort == "body":
        return Name(owner.name, places, body_color(bodies.index(owner.name)), 8.5, 1.2 * gap, False)
    return Name(owner.name, places, INK, 7.5, gap, True)


def _merged(names: list[Name], tolerance: float) -> list[Name]:
    """Return names with those of joints that are always at one point joined by commas; a name that comes twice stands once."""
    result: list[Name] = []
    for name in names:
        for k, other in enumerate(result):
            together = float(np.nanmax(np.abs(name.places - other.places))) <= tolerance
            if name.slanted and other.slanted and together:
                texts = [*other.text.split(", "), name.text]
                result[k] = Name(", ".join(dict.fromkeys(texts)), *list(vars(other).values())[1:])
                break
        else:
            result.append(name)
    return result


def name_items(
    ink: Ink, names: list[Name], obstacles: Callable[[int], Floats], frame: Any, every: bool = False
) -> list[Item]:
    """Return the names as they are drawn, each at the offset at which it covers least over the whole motion.

    Where names cover each other for a good part of the motion, those of joints are left out, and then those that still do.

    Parameters
    ----------
    ink : Ink
    names : list of Name
        Those that come first choose first.
    obstacles : callable
        Returns points in the k-th frame that had better stay visible (n, 2) [pixels].
    frame : Bbox
        Names stay inside [pixels].
    every : bool
        Whether none is left out.
    """
    if not names:
        return []
    total = len(names[0].places)
    sampled = np.unique(np.linspace(0, total - 1, min(SAMPLES, total)).astype(int))
    clouds = [obstacles(int(k)) for k in sampled]
    for chosen in (names, [name for name in names if not name.slanted]):
        placed = _offsets(ink, chosen, sampled, clouds, frame)
        if every or all(covered <= CROWDED for _, covered in placed):
            break
    kept = [(name, offset) for name, (offset, covered) in zip(chosen, placed, strict=True) if every or covered <= CROWDED]
    return [_item(ink, name, offset) for name, offset in kept]


def _offsets(
    ink: Ink, names: list[Name], sampled: Any, clouds: list[Floats], frame: Any
) -> list[tuple[Floats, float]]:
    """Return the offset of every name [pixels], and for which part of the motion it covers one before it."""
    taken: list[Floats] = []  # boxes of the names before, at the samples (samples, 4)
    found = []
    for name in names:
        half = 0.5 * np.array([0.58 * name.size * len(name.text) * ink.pixels + 2.0, 1.25 * name.size * ink.pixels])
        offset = _best_offset(name, half, sampled, clouds, taken, frame)
        middle = name.places[sampled] + offset
        box = np.hstack([middle - half, middle + half])
        hit = np.zeros(len(sampled), dtype=bool)
        for other in taken:
            hit |= _overlap(box, other)
        covered = float(np.mean(hit))
        if covered <= CROWDED:
            taken.append(box)
        found.append((offset, covered))
    return found


def _best_offset(
    name: Name, half: Floats, sampled: Any, clouds: list[Floats], taken: list[Floats], frame: Any
) -> Floats:
    """Return the offset of a name's middle with the least cost over the samples [pixels]."""
    best, least = np.zeros(2), np.inf
    for ring in range(3):
        for rank, direction in enumerate(DIRECTIONS):
            offset = np.array(direction) * (name.distance * (1.0 + 0.8 * ring) + half)
            middle = name.places[sampled] + offset
            box = np.hstack([middle - half, middle + half])
            cost = len(sampled) * (0.02 * rank + 0.3 * ring) + _cost(box, clouds, taken, frame)
            if cost < least:
                best, least = offset, cost
    return best


def _cost(box: Floats, clouds: list[Floats], taken: list[Floats], frame: Any) -> float:
    """Return how bad it is to write into boxes (samples, 4): names and drawn points covered, and what leaves the frame."""
    cost = 0.0
    for other in taken:
        cost += 4.0 * float(np.count_nonzero(_overlap(box, other)))
    for (x0, y0, x1, y1), cloud in zip(box, clouds, strict=True):
        inside = (cloud[:, 0] > x0) & (cloud[:, 0] < x1) & (cloud[:, 1] > y0) & (cloud[:, 1] < y1)
        cost += 0.25 * float(np.count_nonzero(inside))
    out = (box[:, 0] < frame.x0) | (box[:, 1] < frame.y0) | (box[:, 2] > frame.x1) | (box[:, 3] > frame.y1)
    return cost + 5.0 * float(np.count_nonzero(out))


def _overlap(box: Floats, other: Floats) -> Any:
    """Return where boxes overlap (samples,)."""
    apart = (box[:, 0] > other[:, 2]) | (other[:, 0] > box[:, 2]) | (box[:, 1] > other[:, 3]) | (other[:, 1] > box[:, 3])
    return ~apart


def _item(ink: Ink, name: Name, offset: Floats) -> Item:
    """Return a name with a halo of paper."""
    word = Word(ink, name.text, name.size, italic=name.slanted)
    halo = ink.pen(ink.paper.tone(WHITE), 2.2, alpha=0.85)
    tone = (*ink.paper.tone(name.color), 1.0)
    shift = offset - word.middle

    def draw(k: int) -> None:
        word.draw(name.places[k] + shift, tone, halo)

    return Item(ABOVE_ALL, draw)
