"""A model of the package beside the same mechanism in minimal coordinates, and how the two are compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial.transform import Rotation

import multibody as mb
from analyses.dynamics.checks import FORMULATIONS, Floats
from analyses.dynamics.lagrange import FIRST, POINTS, Minimal


@dataclass
class Case:
    """One mechanism, told twice.

    Attributes
    ----------
    model : Model
        Its bodies are drawn on the ground frame (planar: their poses follow from the embedding).
    minimal : Minimal
        The bodies in the same order.
    start, rates : coordinates and rates at t = 0
    until : last time
    paths : scalar paths that should equal a minimal coordinate, with its number
    """

    model: mb.Model
    minimal: Minimal
    start: Sequence[float]
    rates: Sequence[float]
    until: float = 1.0
    paths: dict[str, int] | None = None
    own_start: bool = False  # the model's own initial values

    def state(self) -> mb.State | None:
        """Return the start as a state of the model, from the poses of the embedding."""
        if self.own_start:
            return None
        planar = self.model.dimension == 2
        u, du = np.asarray(self.start, dtype=float), np.asarray(self.rates, dtype=float)
        q, v = [], []
        fast = max(1.0, float(np.max(np.abs(du))))
        for r, A in self.minimal.embedding(u + np.outer(POINTS / fast, du), POINTS / fast):
            slope, spin = fast * (FIRST @ r), fast * np.tensordot(FIRST, A, 1)
            own = A[4].T @ spin  # ω′ in body axes
            if planar:
                q.append([*r[4, :2], np.arctan2(A[4, 1, 0], A[4, 0, 0])])
                v.append([*slope[:2], own[1, 0]])
            else:
                x, y, z, w = Rotation.from_matrix(A[4]).as_quat()
                q.append([*r[4], w, x, y, z])
                v.append([*slope, own[2, 1], own[0, 2], own[1, 0]])
        given = self.model.assemble()
        assert given.ok, given.status.message
        return replace(given, q=np.concatenate(q), v=np.concatenate(v))  # type: ignore[no-any-return]

    def poses(self, u: Floats, t: float) -> list[tuple[Floats, Floats]]:
        """Return the poses of all bodies at coordinates u."""
        return [(r[0], A[0]) for r, A in self.minimal.embedding(u[None, :], np.array([t]))]


def errors(case: Case, formulations: Sequence[str] = FORMULATIONS) -> dict[str, float]:
    """Return the largest error of poses and rates (over max(1, size)) of every formulation."""
    times = np.array([0.0, 0.37 * case.until, case.until])
    exact = case.minimal.motion(times, case.start, case.rates)
    n, found = len(case.start), {}
    for formulation in formulations:
        run = case.model.run(case.until, initial=case.state(), formulation=formulation, rtol=1e-11, atol=1e-12)
        assert run.ok, run.status.message
        assert not [note for note in run.notes if "inconsistent" in note], run.notes
        worst = 0.0
        for t, y in zip(times, exact, strict=True):
            instant = run.at(float(t))
            for body, (r, A) in zip(case.model.bodies, case.poses(y[:n], float(t)), strict=True):
                worst = max(worst, _pose_error(instant, case.model.dimension, body, r, A))
            for path, k in (case.paths or {}).items():
                worst = max(worst, _relative(float(instant[path]), y[k]), _relative(float(instant[f"{path}.rate"]), y[n + k]))
                accelerations = case.minimal.accelerations(float(t), y[:n], y[n:])
                worst = max(worst, 0.01 * _relative(float(instant[f"{path}.acceleration"]), accelerations[k]))
        found[formulation] = worst
    return found


def _pose_error(instant: mb.State, dimension: int, body: str, r: Floats, A: Floats) -> float:
    """Return how far a body is from a pose; rotations by the matrix."""
    index = list(instant.tables.bodies).index(body) - 1
    if dimension == 2:
        x, y, angle = instant.q[3 * index : 3 * index + 3]
        turned = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        return max(_relative(x, r[0]), _relative(y, r[1]), float(np.max(np.abs(turned - A[:2, :2]))))
    q = instant.q[7 * index : 7 * index + 7]
    matrix = Rotation.from_quat([*q[4:], q[3]]).as_matrix()
    return max(*(_relative(a, b) for a, b in zip(q[:3], r, strict=True)), float(np.max(np.abs(matrix - A))))


def _relative(value: float, exact: float) -> float:
    return abs(value - exact) / max(1.0, abs(exact))


def kinds(cases: Sequence[Case]) -> set[str]:
    """Return the kinds of joints in all the models."""
    return {joint.kind.name for case in cases for joint in case.model.joints.values()}
