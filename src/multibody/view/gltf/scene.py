"""A run as glTF: a node for every body and for every part of a spring or a cylinder, all of them moving.

glTF has y up and meters. A planar model stands in the xy plane as it is; of a spatial one, whose z axis is up, the root is
turned. Lengths are given in meters, whatever the model's unit.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody._version import __version__
from multibody.view.between import motion_at
from multibody.view.drawing import drawing_of
from multibody.view.geometry import Floats
from multibody.view.gltf.bodies import BodyPainter
from multibody.view.gltf.container import LINES, Entry, Glb
from multibody.view.gltf.motion import Animator, Course, course_of
from multibody.view.gltf.plates import Painted
from multibody.view.laying import Laid, laid_parts, turned_to
from multibody.view.scene import Journey
from multibody.view.solids import joined
from multibody.view.strokes import Drawing
from multibody.view.style import body_color, lighter

if TYPE_CHECKING:
    from multibody.results.run import Run

TOLERANCE = 2e-4  # largest error of an interpolated pose [largest extent of the whole motion]
SAMPLES = 2000  # at least so many poses are looked at
ROUGHNESS = 0.65
UPRIGHT = [-float(np.sqrt(0.5)), 0.0, 0.0, float(np.sqrt(0.5))]  # turns z into y


class RunScene:
    """Puts a run into a glTF asset.

    Parameters
    ----------
    run : Run
    seconds : float
        How long it plays.
    fps : float
        Most keys a second.
    symbols : bool
    traces : dict
        Paths of points by name: body and places (n, d).
    """

    def __init__(
        self, run: Run, seconds: float, fps: float, symbols: bool, traces: dict[str, tuple[int, Floats]]
    ) -> None:
        self.run, self.symbols, self.traces, self.seconds = run, symbols, traces, seconds
        self.glb = Glb(f"multibody {__version__}")
        times = sample_times(np.asarray(run.time))
        self.t = seconds * (times - times[0]) / (times[-1] - times[0])
        rising = np.r_[True, np.diff(self.t.astype(np.float32)) > 0.0]  # as single precision tells them apart
        times, self.t = times[rising], self.t[rising]
        self.pace = float(times[-1] - times[0]) / seconds  # the model's time in a second
        self.q, self.rates = motion_at(run, times)
        self.journey = Journey(run.tables, self.q)
        self.drawing: Drawing = drawing_of(run.tables, self.q)
        self.unit = run.model.units.factor(1, 0, 0)
        extent = float(np.max(self.drawing.high - self.drawing.low))
        self.painter = BodyPainter(self.drawing)
        self.animator = Animator(self.glb, self.t, TOLERANCE * extent * self.unit, fps)
        self.materials: dict[Any, int] = {}
        self.children: list[int] = []

    def content(self) -> bytes:
        """Return the whole file."""
        self._bodies()
        self._stretched()
        for wanderer in self.drawing.wanderers:
            self._wanderer(wanderer.places, wanderer.color, wanderer.width, wanderer.level)
        for name, (body, path) in self.traces.items():
            self._trace(name, body, path)
        name, run = self.run.model.name, self.run
        root: Entry = {"name": name, "children": self.children}
        if run.tables.dimension == 3:
            root["rotation"] = UPRIGHT
        self.glb.roots = [self.glb.add("nodes", root)]
        first, last = float(run.time[0]), float(run.time[-1])
        told = {"start": first, "end": last, "unit": run.model.units.time, "seconds": self.seconds}
        if not run.ok:
            told["partial"] = run.status.message
        self.animator.finish(name if run.ok else f"{name} (partial)", told)
        return self.glb.content()

    def _bodies(self) -> None:
        """Add a node for every body."""
        strokes = [stroke for stroke in self.drawing.strokes if self.symbols or not stroke.symbol]
        for number, name in enumerate(self.run.tables.bodies):
            painted = [part for stroke in strokes if stroke.body == number for part in self.painter.stroke(stroke)]
            node, reach = self._node(name, painted)
            if number:
                self.animator.move(node, self._course(number), reach)

    def _course(self, number: int) -> Course:
        """Return the motion of a body with the rates that the run knows."""
        layout = self.run.tables.layout
        values, rates = self.q[:, layout.pose(number)], self.pace * self.rates[:, layout.pose(number)]
        places, speeds = (self.unit * _deep(part[:, layout.shift]) for part in (values, rates))
        if layout.dimension == 2:
            half, half_rate = 0.5 * values[:, layout.angle], 0.5 * rates[:, layout.angle]
            return Course(places, speeds, _about_z(np.sin(half), np.cos(half)),
                          _about_z(half_rate * np.cos(half), -half_rate * np.sin(half)))  # fmt: skip
        p, dp = (np.roll(part[:, layout.turn], -1, axis=1) for part in (values, rates))  # x, y, z, w
        signs = np.r_[1.0, np.where(np.cumsum(np.sum(p[1:] * p[:-1], axis=1) < 0.0) % 2 == 1, -1.0, 1.0)][:, None]
        return Course(places, speeds, signs * p, signs * dp)

    def _stretched(self) -> None:
        """Add nodes for springs, rods and cylinders."""
        for thing in self.drawing.stretched:
            for part in laid_parts(thing, self.journey):
                name = thing.owner.name if part.shape in ("spring", "rod") else f"{thing.owner.name} {part.shape}"
                node, reach = self._node(name, list(self.painter.part(part, thing)))
                self.animator.move(node, self._laid_course(part), reach)

    def _laid_course(self, part: Laid) -> Course:
        """Return how a part moves, turns and stretches."""
        ratio = np.maximum(part.lengths / part.usual, 1e-6)
        if float(np.ptp(ratio)) < 1e-9:
            ratio = np.full_like(ratio, ratio[0])
        one = np.ones_like(ratio)
        if self.run.tables.dimension == 2:
            half = 0.5 * np.unwrap(np.arctan2(part.along[:, 1], part.along[:, 0]))
            turns, scales = _about_z(np.sin(half), np.cos(half)), np.column_stack([ratio, one, one])
        else:
            from scipy.spatial.transform import Rotation

            turns = Rotation.from_matrix(turned_to(part.along)).as_quat()
            scales = np.column_stack([one, one, ratio])
        return course_of(self.t, self.unit * _deep(part.starts), turns, scales)

    def _wanderer(self, places: Floats, color: str, diameter: float, level: float) -> None:
        """Add a dot that moves in no body; where it has no place it stays."""
        known = np.flatnonzero(np.all(np.isfinite(places), axis=1))
        if len(known) == 0:
            return
        held = known[np.maximum(np.searchsorted(known, np.arange(len(places)), side="right") - 1, 0)]
        node, reach = self._node("contact", list(self.painter.dot(color, diameter, level)))
        still = np.tile([0.0, 0.0, 0.0, 1.0], (len(places), 1))
        self.animator.move(node, course_of(self.t, self.unit * _deep(places[held]), still), reach)

    def _trace(self, name: str, body: int, path: Floats) -> None:
        """Add the path of a point as a line."""
        points = self.glb.floats(self.unit * _deep(path), vertices=True, bounded=True)
        material = self._material(body_color(body), 0.0, 1.0, False)
        primitive = {"attributes": {"POSITION": points}, "material": material, "mode": LINES}
        mesh = self.glb.add("meshes", {"name": name, "primitives": [primitive]})
        self.children.append(self.glb.add("nodes", {"name": f"path of {name}", "mesh": mesh}))

    def _node(self, name: str, painted: Iterable[Painted]) -> tuple[int, float]:
        """Add a node with surfaces; return its number and how far they reach from its origin [m]."""
        entry: Entry = {"name": name}
        by_material: dict[int, list[Painted]] = {}
        for part in painted:
            if len(part.surface.triangles):
                number = self._material(part.color, part.paleness, part.alpha, part.thin)
                by_material.setdefault(number, []).append(part)
        reach = 0.0
        primitives = []
        for material, parts in by_material.items():
            surface = joined([part.surface for part in parts])
            points = self.unit * surface.points
            reach = max(reach, float(np.max(np.linalg.norm(points, axis=1))))
            attributes = {
                "POSITION": self.glb.floats(points, vertices=True, bounded=True),
                "NORMAL": self.glb.floats(_unit(surface.normals), vertices=True),
            }
            primitives.append(
                {"attributes": attributes, "indices": self.glb.indices(surface.triangles), "material": material}
            )
        if primitives:
            entry["mesh"] = self.glb.add("meshes", {"name": name, "primitives": primitives})
        node = self.glb.add("nodes", entry)
        self.children.append(node)
        return node, reach

    def _material(self, color: str, paleness: float, alpha: float, thin: bool) -> int:
        """Return the material of a color; glTF has colors in linear light."""
        opacity = 1.0 if self.drawing.dimension == 2 else alpha
        key = (color, paleness, opacity, thin)
        if key not in self.materials:
            shown = np.array(lighter(color, paleness))
            linear = np.where(shown <= 0.04045, shown / 12.92, ((shown + 0.055) / 1.055) ** 2.4)
            base = {"baseColorFactor": [*np.round(linear, 6).tolist(), opacity], "metallicFactor": 0.0}
            entry: Entry = {"pbrMetallicRoughness": {**base, "roughnessFactor": ROUGHNESS}}
            if opacity < 1.0:
                entry["alphaMode"] = "BLEND"
            if thin:
                entry["doubleSided"] = True
            self.materials[key] = self.glb.add("materials", entry)
        return self.materials[key]


def sample_times(instants: Floats) -> Floats:
    """Return the instants of a run, each once, with more between them where they are few."""
    apart = np.r_[True, np.diff(instants) != 0.0]
    times = instants[apart]
    parts = max(1, -(-SAMPLES // max(len(times) - 1, 1)))
    steps = np.linspace(0.0, 1.0, parts, endpoint=False)
    return np.append((times[:-1, None] + np.diff(times)[:, None] * steps).ravel(), times[-1])


def _deep(points: Floats) -> Floats:
    """Return points of the plane in space (n, 3)."""
    return points if points.shape[1] == 3 else np.column_stack([points, np.zeros(len(points))])


def _about_z(sine: Floats, cosine: Floats) -> Floats:
    """Return quaternions x, y, z, w of turns about z."""
    zero = np.zeros_like(sine)
    return np.column_stack([zero, zero, sine, cosine])


def _unit(normals: Floats) -> Floats:
    """Return normals of length 1, also where a face has none."""
    sizes = np.linalg.norm(normals, axis=1, keepdims=True)
    return np.asarray(np.where(sizes > 0.5, normals / np.maximum(sizes, 1e-300), [0.0, 0.0, 1.0]))
