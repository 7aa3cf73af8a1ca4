"""Jumps of velocities: the impulse by which constraints pass from one prescribed rate to another.

Where a motion, or a coupler that names t, changes its rate from one instant to the next, forces grow beyond all bounds and act
for no time. Integrated over the instant the equations of motion are a balance of momentum with the constraints behind it,
``M (v⁺ − v⁻) + Φ_qᵀ Λ = 0``, ``Φ_q v⁺ = ν⁺``: of all velocities that the constraints allow, v⁺ is the nearest to v⁻ in the
norm of the kinetic energy. Positions stay. A prescribed position that jumps has no such answer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.analyses.events.switching import MOST, Switching
from multibody.kernels.crossing import JUMPS, MOVES
from multibody.rank.leastnorm import constrained_step, is_large, least_norm, sparse_step
from multibody.state.kinetics import Dynamics, Event
from multibody.state.motion import Motion
from multibody.state.state import State, Status
from multibody.state.system import Floats, Integers, System

if TYPE_CHECKING:
    from multibody.tables.lower import Tables

MET = 1e-7  # part of the speeds at play by which the velocities behind a jump may miss the constraints
CUT = 1e-8  # singular values below this part of the largest are left out: at a change point


class JumpError(Exception):
    """A jump that no impulse explains; carries the status of the analysis that it ends."""

    def __init__(self, status: Status) -> None:
        super().__init__(status.message)
        self.status = status


@dataclass(frozen=True)
class Impulse:
    """What happened at an instant at which velocities jump.

    Attributes
    ----------
    names : list of str
        The motions and couplers whose rate jumps.
    before, after : arrays (nv,)
        v⁻ and v⁺.
    multipliers : array (rows,)
        Λ of joints and motions, of minimum norm where rows are redundant [force·time, moment·time].
    work : float
        What the impulse gives to the kinetic energy, −½ Λᵀ Φ_q (v⁺ + v⁻).
    motion : Motion
        The instant, with Λ in place of multipliers: reactions are impulses there.
    """

    names: list[str]
    before: Floats
    after: Floats
    multipliers: Floats
    work: float
    motion: Motion

    def __getitem__(self, path: str) -> Any:
        """Return an impulse by its path: ``O.effort`` [effort·time], ``A.reaction.force`` [force·time]; or a rate behind it."""
        from multibody.analyses.measures.measure import Measurer

        m = self.motion
        found = Measurer(m.tables, m.t, m.q, m.v, m.a, m.references, m.dynamics)(path).values[0]
        return float(found) if np.ndim(found) == 0 else np.asarray(found)

    def plain(self) -> dict[str, Any]:
        """Return names and work as JSON has them."""
        return {"names": self.names, "work": self.work}


def jump(system: System, state: State, switching: Switching, rows: Integers) -> Impulse | None:
    """Return the impulse at a switching instant, None where no rate jumps.

    Parameters
    ----------
    system : System
        With the angle references of the state.
    state : State
        At the last instant before; its velocities are those before.
    switching : Switching
    rows : array of int
        Independent rows.

    Raises
    ------
    JumpError
        Where a prescribed position jumps, or no velocities satisfy the constraints behind the instant.
    """
    from multibody.rank.decider import scaled_rows  # here: SciPy's sparse matrices take long to import

    q, v, scale = state.q, state.v, system.scale_rows[: system.rows]
    refuse_nothing(system, q, v, switching)
    refuse_positions(system, switching, moved_at(system, q, switching))
    sides = [system.velocity_side(q, t) * scale for t in (switching.before, switching.after)]
    J = scaled_rows(system, q, switching.after, system.rows)
    u = v / system.scale_columns
    speed = max(float(np.max(np.abs(u), initial=0.0)), *(float(np.max(np.abs(side), initial=0.0)) for side in sides))
    earlier = scaled_rows(system, q, switching.before, system.rows) @ u - sides[0]
    changed = np.abs(J @ u - sides[1] - earlier) > JUMPS * speed
    if not np.any(changed):
        return None
    x = _change(system, J, J @ u - sides[1])
    names = list(dict.fromkeys(system.tables.rows[r].owner for r in np.flatnonzero(changed)))
    miss = np.abs(J @ (u + x) - sides[1])
    if not np.all(miss <= MET * speed):
        raise JumpError(_unmet(system, switching, names, int(np.argmax(miss))))
    return _impulse(system, state, switching, rows, names, J, x)


def with_impulses(motion: Motion, state: State, rows: Integers) -> list[Event]:
    """Return the events of a driven motion together with the impulses at which its velocities jump, in order of time.

    Parameters
    ----------
    motion : Motion
        From kinematics, of a model with masses.
    state : State
        Its start.
    rows : array of int
        Independent rows.
    """
    if not motion.jumps or not len(motion.t):
        return motion.events
    sign, system = (1.0 if motion.t[-1] >= motion.t[0] else -1.0), System(motion.tables)
    events = list(motion.events)
    reached = [each for each in motion.jumps if sign * each.switching.time <= sign * motion.t[-1]]
    for each in reached[:MOST]:
        system.ref[:] = each.references
        before = replace(state, t=each.switching.before, q=each.q, v=each.v, references=each.references)
        try:
            found = jump(system, before, each.switching, rows)
        except JumpError as refused:  # at a singular position, which kinematics passes
            motion.notes.append(f"{refused.status.message}: its impulse is not known")
            continue
        if found is not None:
            events.append(Event(", ".join(found.names), each.switching.time, False, each.q, found.after, found))
    if len(reached) > MOST:
        motion.notes.append(f"velocities jump more than {MOST} times: the other impulses are not listed")
    return sorted(events, key=lambda event: sign * event.time)


def _change(system: System, J: Any, c: Floats) -> Floats:
    """Return the scaled change of velocity with J x = −c of least kinetic energy, the smallest where masses say nothing."""
    S = mass_roots(system)
    if is_large(system.nv):
        return sparse_step(J, c, S, np.zeros(S.shape[0]))
    return constrained_step(J.toarray(), c, S.toarray(), np.zeros(S.shape[0]), CUT)


def mass_blocks(system: System) -> list[Floats]:
    """Return the blocks of M on its diagonal, one a body, for scaled columns; extra coordinates have no mass."""
    tables, d, width, columns = system.tables, system.tables.dimension, system.tables.width, system.scale_columns
    blocks = []
    for b, (mass, inertia) in enumerate(tables.masses):
        block = np.zeros((width, width))
        block[:d, :d] = max(float(tables.F[mass]), 0.0) * np.eye(d)
        block[d:, d:] = tables.F[inertia] if d == 2 else tables.matrix(inertia)
        own = columns[width * b : width * (b + 1)]
        blocks.append(block * np.outer(own, own))
    return [*blocks, *([np.zeros((1, 1))] * (system.nv - width * len(blocks)))]


def mass_roots(system: System) -> Any:
    """Return S with SᵀS = M over its largest entry, for scaled columns; sparse."""
    from scipy.sparse import block_diag, csr_array

    blocks, roots = mass_blocks(system), []
    size = max(max((float(np.max(np.abs(block))) for block in blocks), default=0.0), 1e-300)
    for block in blocks:
        values, vectors = np.linalg.eigh(block / size)
        roots.append(np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T)
    return csr_array(block_diag(roots)) if roots else csr_array((0, system.nv))


def _impulse(
    system: System, state: State, switching: Switching, rows: Integers, names: list[str], J: Any, x: Floats
) -> Impulse:
    """Return the impulse that changes the velocities by x (scaled)."""
    from scipy.sparse import block_diag

    columns, scale = system.scale_columns, system.scale_rows[: system.rows]
    momentum: Floats = block_diag(mass_blocks(system), format="csr") @ x
    if is_large(system.nv):
        scaled = sparse_step(J.T.tocsr(), momentum)
    else:
        scaled = least_norm(J.toarray().T, -momentum, CUT)[0]
    after = state.v + x * columns
    work = -0.5 * float(scaled @ (J @ ((state.v + after) / columns)))
    multipliers = scaled * scale
    there = replace(state, t=switching.time, v=after)
    return Impulse(names, state.v, after, multipliers, work, impulse_motion(system.tables, there, multipliers, rows))


def impulse_motion(tables: Tables, state: State, multipliers: Floats, rows: Integers) -> Motion:
    """Return the instant as a motion whose forces are the impulses; finite forces have none.

    Parameters
    ----------
    tables : Tables
    state : State
        Behind the jump.
    multipliers : array (rows,)
        Λ of joints and motions [force·time, moment·time].
    rows : array of int
        Independent rows.
    """
    none = np.zeros(1)
    dynamics = Dynamics(
        multipliers[None, :], none, none.copy(), none.copy(), np.zeros((1, tables.effort_count)),
        np.zeros((1, tables.load_count)), rows,
    )  # fmt: skip
    return Motion(
        tables, np.array([state.t]), state.q[None, :].copy(), state.v[None, :].copy(), np.zeros((1, tables.nv)),
        np.full(1, np.nan), state.references[None, :].copy(), Status(True, "impulse", state.t), state, dynamics=dynamics,
    )  # fmt: skip


def refuse_nothing(system: System, q: Floats, v: Floats, switching: Switching) -> None:
    """Raise where a prescribed position, rate or acceleration has no finite value behind an instant, with its name."""
    rows = (system.phi(q, switching.after), system.velocity_side(q, switching.after), system.gamma(q, v, switching.after))
    lost = np.flatnonzero(~np.isfinite(sum(rows))) if system.rows else np.zeros(0, dtype=np.int64)
    if len(lost):
        raise JumpError(no_value(prescriber(system, int(lost[0])), switching))


def prescriber(system: System, row: int) -> str:
    """Return who prescribes a row, in words: ``motion "O"``."""
    info = system.tables.rows[row]
    return f'{"motion" if info.group == "motion" else "coupler"} "{info.owner}"'


def no_value(owner: str, switching: Switching, reached: float | None = None, grows: str = "") -> Status:
    """Return the status of an analysis that ends where a formula has no finite value any more."""
    at = switching.before if reached is None else reached
    what = f"{grows} grows beyond all bounds at" if grows else "it has no finite value behind"
    message = f"{owner}: {what} t = {switching.time:.9g}"
    return Status(False, message, at, owner, 0.0, "check its formula there, or let the analysis end before")


def moved_at(system: System, q: Floats, switching: Switching) -> Floats:
    """Return by how much (scaled) each row is moved across a switching instant, beyond what its rate explains."""
    scale = system.scale_rows[: system.rows]
    moved = np.abs(system.phi(q, switching.after) - system.phi(q, switching.before))
    gone = np.abs(system.velocity_side(q, switching.before)) * abs(switching.after - switching.before)
    return np.asarray((moved - gone) * scale)


def refuse_positions(system: System, switching: Switching, moved: Floats) -> None:
    """Raise where a prescribed position itself jumps, with its name and by how much.

    Parameters
    ----------
    system : System
    switching : Switching
    moved : array
        Scaled change of each row between the instants before and after.
    """
    if not np.any(moved > MOVES):
        return
    row = int(np.argmax(moved))
    info = system.tables.rows[row]
    unit = system.tables.model.units.length if info.is_length else "rad"
    size = "" if info.group == "joint" else f" by {moved[row] / system.scale_rows[row]:.4g} {unit}"
    kind = "coupler" if info.group == "joint" else "motion"
    message = f'{kind} "{info.owner}" jumps{size} at t = {switching.time:.9g}'
    advice = "no force moves a mass in no time; lead it over a short time, with step(t, …) or a ramp"
    raise JumpError(Status(False, message, switching.before, info.name, float(moved[row]), advice))


def _unmet(system: System, switching: Switching, names: list[str], row: int) -> Status:
    """Return the status where no velocities satisfy the constraints behind a jump."""
    where = f"t = {switching.time:.9g}"
    message = f'the rate of "{names[0]}" jumps at {where}, where the mechanism cannot follow'
    advice = f'"{system.tables.rows[row].name}" is against it; let it jump elsewhere, or smoothly over a short time'
    return Status(False, message, switching.before, system.tables.rows[row].name, 0.0, advice)
