"""How a node moves: translation, rotation and scale over time, as channels of a glTF animation with few keys."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from multibody.view.between import continuous
from multibody.view.geometry import Floats
from multibody.view.gltf.container import Entry, Glb
from multibody.view.gltf.keyframes import derivative, output, thinned


@dataclass(frozen=True, eq=False)
class Course:
    """What a node does, at every sample.

    Attributes
    ----------
    places, rates : arrays (n, 3)
        Its translation and how fast that changes.
    turns, spins : arrays (n, 4)
        Its rotation, a quaternion x, y, z, w, and how fast that changes.
    scales : array (n, 3), optional
    """

    places: Floats
    rates: Floats
    turns: Floats
    spins: Floats
    scales: Floats | None = None


def course_of(t: Floats, places: Floats, turns: Floats, scales: Floats | None = None) -> Course:
    """Return a course whose rates are not known: by differences."""
    turns = continuous(turns)
    return Course(places, derivative(t, places), turns, derivative(t, turns), scales)


class Animator:
    """Writes the channels of one animation.

    Parameters
    ----------
    glb : Glb
    t : array (n,)
        Strictly rising times of the samples [s].
    tolerance : float
        Largest error of a point that any body shows [length].
    fps : float
        Most keys a second: of a motion that is too wild for the tolerance so many are shown, as in a film.
    """

    def __init__(self, glb: Glb, t: Floats, tolerance: float, fps: float) -> None:
        self.glb, self.t, self.tolerance = glb, t, tolerance
        count = min(len(t), round(fps * float(t[-1] - t[0])) + 1)
        self.film = np.unique(np.round(np.linspace(0, len(t) - 1, max(count, 2))).astype(np.int64))
        self.channels: list[Entry] = []
        self.samplers: list[Entry] = []

    def move(self, node: int, course: Course, reach: float) -> None:
        """Let a node move.

        Parameters
        ----------
        node : int
        course : Course
        reach : float
            Greatest distance of its surfaces from its origin [length]: what an angle means.
        """
        turning = self.tolerance / max(reach, self.tolerance)
        self._channel(node, "translation", course.places, course.rates, self.tolerance)
        self._channel(node, "rotation", course.turns, course.spins, turning)
        if course.scales is not None:
            self._channel(node, "scale", course.scales, derivative(self.t, course.scales), turning)

    def _channel(self, node: int, path: str, values: Floats, rates: Floats, tolerance: float) -> None:
        """Add a channel; what does not change is said of the node itself."""
        keys = thinned(self.t, values, rates, tolerance, self.film, rotation=path == "rotation")
        if len(keys.rows) == 1:
            self.glb.lists["nodes"][node][path] = np.asarray(values[0], dtype=np.float32).tolist()
            return
        times = self.glb.floats(self.t[keys.rows], bounded=True)
        made = self.glb.floats(output(values, rates, keys))
        kind = "CUBICSPLINE" if keys.cubic else "LINEAR"
        self.samplers.append({"input": times, "output": made, "interpolation": kind})
        self.channels.append({"sampler": len(self.samplers) - 1, "target": {"node": node, "path": path}})

    def finish(self, name: str, extras: Entry) -> None:
        """Add the animation, if anything moves."""
        if self.channels:
            whole = {"name": name, "channels": self.channels, "samplers": self.samplers, "extras": extras}
            self.glb.add("animations", whole)
