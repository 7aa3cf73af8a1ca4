"""Statics: where a mechanism stays at rest under its forces, with reactions and stability.

Steps along the constraints reduce the unbalanced force. By default they go downhill, to a position that is stable where there
is one; ``nearest`` is Newton's method as it is; ``relaxation`` lets the mechanism swing and takes its velocity away whenever
its kinetic energy has a maximum.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from multibody.analyses.dynamics.opening import opened
from multibody.analyses.linear.linearization import place
from multibody.analyses.statics.balance import Balance, Point
from multibody.analyses.statics.member import Rested, compiled_rest, forces_of
from multibody.analyses.statics.stability import Stability, stability
from multibody.arguments import number_in
from multibody.errors import ModelError, nearest
from multibody.kernels.forces import law_efforts, load_wrenches, potential_energy
from multibody.model.model import Model
from multibody.state.kinetics import Dynamics
from multibody.state.motion import Motion
from multibody.state.named_columns import in_words
from multibody.state.state import State, Status
from multibody.state.system import Floats, System

METHODS = ("newton", "nearest", "relaxation")
ITERATIONS = 150
SWINGS = 4000  # steps of a relaxation, fewer in models with many unknowns
WORK = 4e9  # cubes of the number of unknowns that a relaxation may spend
FAR = 30.0  # turns [rad], or extents of the model, after which what nothing holds has been followed long enough


@dataclass(frozen=True)
class Balanced:
    """An equilibrium, or how far the search for one came.

    Attributes
    ----------
    motion : Motion
        One instant at rest, with reactions and energies.
    status : Status
    stability : Stability, optional
        None where no equilibrium was found.
    method : str
        What found it.
    iterations : int
    residual : float
        Largest unbalanced force over the largest force that acts.
    notes : list of str
    """

    motion: Motion
    status: Status
    stability: Stability | None
    method: str
    iterations: int
    residual: float
    notes: list[str] = field(default_factory=list)


def statics(
    model: Model, initial: State | None = None, t: float | None = None, method: str = "newton", tolerance: float = 1e-10
) -> Balanced:
    """Return a position in which all forces balance.

    Parameters
    ----------
    model : Model
    initial : State, optional
        Where to start; its velocities do not count. Default the model's own initial position.
    t : float, optional
        Time at which motions are held; default that of the state.
    method : {"newton", "nearest", "relaxation"}
        Downhill, where that fails by relaxation; Newton's method to the nearest equilibrium, stable or not; relaxation.
    tolerance : float
        Largest unbalanced force over the largest force that acts.

    Returns
    -------
    Balanced
    """
    _check_options(method, tolerance)
    opening = opened(model, initial, t, _require_weights)
    state = opening.state
    if not state.ok:
        return _unsolved(opening.system, state)
    balance = Balance(opening.system, state, opening.rows)
    search = Search(balance, tolerance)
    rested = compiled_rest(balance, state, tolerance) if method == "newton" else None
    point = search.run(state.q.copy(), method) if rested is None else search.took(rested)
    notes = [opening.note] if opening.note else []
    if opening.system.tables.count_motion:
        notes.append(f"motions are held at t = {state.t:g}")
    if any(force.kind.name == "friction" for force in model.forces.values()):
        notes.append("friction does nothing at rest: positions in which it would hold the mechanism are not looked for")
    found = rested is not None or search.balanced(point)
    judged = stability(balance, point) if found else None
    status = _solved(balance, judged) if found else _failed(search, point)
    return Balanced(
        _motion(balance, point, status, rested), status, judged, search.method, search.iterations, search.relative(point),
        notes + (judged.notes if judged else []),
    )  # fmt: skip


def _check_options(method: str, tolerance: float) -> None:
    """Refuse methods and tolerances that there are not."""
    if method not in METHODS:
        hint = f"{nearest(str(method), METHODS)} It is one of {', '.join(METHODS)}."
        raise ModelError(f'unknown method "{method}"', where="statics", hint=hint.strip())
    if not 0.0 < number_in(tolerance) < 1.0:
        raise ModelError(f"tolerance is {tolerance}", where="statics", hint="give a number between 0 and 1, such as 1e-10")


def _require_weights(system: System) -> None:
    """Raise where gravity acts and a body states no mass."""
    tables = system.tables
    if np.any(tables.gravity):
        for body, slots in zip(tables.bodies[1:], tables.masses, strict=True):
            if slots.mass < 0:
                hint = "give mass, or a shape with a mass; 0 is one"
                raise ModelError("it has no mass, and gravity acts", where=f"bodies.{body}", hint=hint)


class Search:
    """The search for an equilibrium.

    Parameters
    ----------
    balance : Balance
    tolerance : float
    """

    def __init__(self, balance: Balance, tolerance: float) -> None:
        self.balance, self.tolerance = balance, tolerance
        self.reference, self.iterations, self.method = 0.0, 0, "newton"
        self.way = 0.0

    def run(self, q: Floats, method: str) -> Point:
        """Return the equilibrium that a method finds, else the best point."""
        start = self.seen(self.balance.point(q))
        self.method = method
        if self.balance.freedom == 0 or self.balanced(start):
            return start
        if method == "nearest":
            return self.newton(start)
        best = start
        if method == "newton":
            best = self.polished(self.descend(start))
            if self.balanced(best) or self.held_by_nothing():
                return best
        self.method, self.way = "relaxation", 0.0
        found = self.polished(self.descend(self.relax(start)))
        if self.balanced(found) or self.held_by_nothing():
            return found
        found = found if found.size < best.size else best
        last = self.newton(found)
        return last if last.size < found.size else found

    def took(self, rested: Rested) -> Point:
        """Return the position of rest that compiled code found, as if it had been found here."""
        self.reference, self.iterations = rested.reference, rested.iterations
        return rested.point

    def seen(self, point: Point) -> Point:
        """Remember the size of the forces at a point and return it."""
        self.reference = max(self.reference, point.reference)
        return point

    def relative(self, point: Point) -> float:
        """Return the unbalanced force over the forces that act."""
        return point.size / self.reference if self.reference > 0.0 else 0.0

    def balanced(self, point: Point) -> bool:
        """Return whether a point counts as an equilibrium: to the tolerance, or to the last digits of stiff springs."""
        if point.size <= self.tolerance * self.reference:
            return True
        return point.size <= 1e-14 * float(abs(self.balance.stiffness(point)).max())

    def descend(self, point: Point) -> Point:
        """Return the point that steps downhill lead to."""
        limit = 0.5
        for _ in range(ITERATIONS):
            if self.balanced(point) or self.held_by_nothing():
                break
            self.iterations += 1
            d, expected = self.balance.descent(point, limit)
            trial = self.balance.moved(point, d)
            length = self.balance.length(d)
            gained = -1.0 if trial is None else 0.5 * float(d @ (point.p + trial.p))
            if trial is not None and (gained > 0.01 * expected or trial.size < 0.5 * point.size):
                self.way += length
                point = self.seen(trial)
                limit = min(2.0 * limit, 1.0) if gained > 0.7 * expected else limit
            else:
                limit = 0.25 * length
            if limit < 1e-13:
                break
        return point

    def newton(self, point: Point) -> Point:
        """Return the point that Newton's method leads to; a step is taken where it reduces the unbalanced force."""
        limit = 0.5
        for _ in range(ITERATIONS):
            if self.balanced(point) or limit < 1e-13:
                break
            self.iterations += 1
            d = self.balance.newton(point, limit)
            trial = self.balance.moved(point, d)
            length = self.balance.length(d)
            if trial is not None and np.linalg.norm(trial.p) < (1.0 - 1e-4 * min(length, 1.0)) * np.linalg.norm(point.p):
                point, limit = self.seen(trial), min(2.0 * limit, 0.5)
            else:
                limit = 0.25 * length
        return self.polished(point)

    def polished(self, point: Point) -> Point:
        """Return the point after a few steps of Newton's method that still reduce the unbalanced force."""
        if not self.balanced(point):
            return point
        for _ in range(3):
            d = self.balance.newton(point, 1e-3)
            trial = self.balance.moved(point, d)
            if trial is None or not trial.size < 0.5 * point.size:
                break
            point = trial
        return point

    def relax(self, point: Point) -> Point:
        """Return the point at which the mechanism comes to rest when its velocity is taken away at every peak of its energy.

        The mass is fictitious, one for all free directions, and so large that steps of length 1 are stable.
        """
        balance, n = self.balance, self.balance.system.nv
        velocity, begin = np.zeros(n), point.size
        for k in range(int(np.clip(WORK / n**3, 200, SWINGS))):
            if point.size < 1e-4 * begin or self.balanced(point) or self.held_by_nothing():
                break
            if k % 8 == 0:
                mass = max(float(abs(balance.stiffness(point)).sum(axis=1).max()), point.size / 0.05)
            self.iterations += 1
            velocity = velocity + point.p / mass
            velocity *= min(1.0, 0.3 / max(balance.length(velocity), 1e-300))
            trial = balance.moved(point, velocity)
            if trial is None:
                velocity = np.zeros(n)
                mass *= 4.0
                continue
            self.way += balance.length(velocity)
            velocity = balance.along(trial, velocity)
            point = self.seen(trial)
            if float(trial.p @ velocity) < 0.0:
                velocity = np.zeros(n)
        return point

    def held_by_nothing(self) -> bool:
        """Return whether the way has become so long that nothing seems to stop the motion."""
        return self.way > FAR


# --- results ----------------------------------------------------------------------------------------------------------
def _solved(balance: Balance, judged: Stability | None) -> Status:
    """Return the status of an equilibrium."""
    assert judged is not None
    words = {
        "stable": "", "rigid": "nothing can move: the joints and motions hold all bodies",
        "unstable": f"it is left at the slightest push ({'; '.join(judged.directions[:2])}): start beside it for a stable one",
        "indifferent": f"nothing holds {'; '.join(judged.directions[:2])}: the position along it is that of the start",
    }  # fmt: skip
    kind = "rigid, in balance" if judged.kind == "rigid" else f"{judged.kind} equilibrium"
    return Status(True, kind, balance.t, advice=words[judged.kind])


def _failed(search: Search, point: Point) -> Status:
    """Return the status of a search that failed: the largest unbalanced force by body, and what would help."""
    balance = search.balance
    system, tables = balance.system, balance.system.tables
    d, width, units = tables.dimension, tables.width, tables.model.units.names
    bodies = len(tables.bodies) - 1
    sizes = [float(np.linalg.norm(point.p[width * b : width * (b + 1)])) for b in range(bodies)]
    b = int(np.argmax(sizes))
    part = point.p[width * b : width * (b + 1)]
    name = tables.bodies[b + 1]
    force, moment = float(np.linalg.norm(part[:d])), float(np.linalg.norm(part[d:]))
    gap, unit = (force / tables.length, units["force"]) if force >= moment else (moment, units["moment"])
    words = in_words(system, point.state.q, point.p * system.scale_columns)
    if search.held_by_nothing():
        message = f'no equilibrium: nothing holds "{name}", {gap:.4g} {unit} remain on it'
        advice = f"it goes on along {words}; hold it with a joint, a motion, a spring or a stop"
    else:
        message = f'no equilibrium found: {gap:.4g} {unit} remain on "{name}" (along {words})'
        advice = "start nearer to it (initial values), or try another method"
    return Status(False, message, balance.t, name, gap, advice)


def _motion(balance: Balance, point: Point, status: Status, rested: Rested | None) -> Motion:
    """Return a point as a motion of one instant; forces are those that compiled code found with it, where it did."""
    system, tables, state = balance.system, balance.system.tables, point.state
    system.ref[:] = state.references
    if rested is None:
        place(system, state.q, state.v)
        bundle, (efforts, loads) = (*system.run, state.t), (np.zeros(count) for count in forces_of(tables))
        potential = potential_energy(*bundle)
        law_efforts(*bundle, efforts)
        load_wrenches(*bundle, loads)
    else:
        potential, efforts, loads = rested.potential, rested.efforts, rested.loads
    none = np.zeros(1)
    dynamics = Dynamics(
        point.multipliers[None, :], none, np.array([potential]), none, efforts[None, :], loads[None, :], balance.rows
    )
    return _still(tables, state, status, dynamics)


def _still(tables: Any, state: State, status: Status, dynamics: Dynamics | None) -> Motion:
    """Return a state as a motion of one instant at rest."""
    zero = np.zeros((1, tables.nv))
    return Motion(
        tables, np.array([state.t]), state.q[None, :].copy(), zero, zero.copy(), np.full(1, np.nan),
        state.references[None, :].copy(), status, state, dynamics=dynamics,
    )  # fmt: skip


def _unsolved(system: System, state: State) -> Balanced:
    """Return what there is where the mechanism does not even close."""
    return Balanced(_still(system.tables, state, state.status, None), state.status, None, "", 0, np.nan)
