"""Kinematic analysis: positions, velocities and accelerations of a driven mechanism over time.

Newton–Raphson on Φ(q, t) = 0, Φ_q v = ν, Φ_q v̇ = γ (Shabana, Computational Dynamics, ch. 3) inside one compiled loop. The
square system is made of independent rows; rows that are redundant are monitored, idle degrees of freedom are held still.
"""

from __future__ import annotations

import time as clock
from typing import Any

import numpy as np

from multibody.analyses.assemble import assemble
from multibody.analyses.drive import Drive, find_drive, refuse_too_many
from multibody.analyses.instant import Instant, between
from multibody.analyses.leastnorm import DENSE_LIMIT, least_norm
from multibody.analyses.motion import Motion, Singularity
from multibody.analyses.singular import explain, groups_at
from multibody.analyses.sparse_tracking import track_sparse
from multibody.analyses.state import State, Status
from multibody.analyses.system import Floats, System, tables_of
from multibody.errors import ModelError
from multibody.kernels import tracking
from multibody.model.model import Model


def kinematics(
    model: Model, *, start: float | str = 0.0, until: float | str | None = None, steps: int | None = None,
    at: float | None = None, times: Any = None, initial: State | None = None,
) -> Motion:  # fmt: skip
    """Return the motion of a mechanism whose motions drive all its degrees of freedom.

    Parameters
    ----------
    model : Model
    start, until : float
        First and last time.
    steps : int
        Number of intervals of the grid; default 100.
    at : float, optional
        One time alone, in place of a grid.
    times : array, optional
        The grid itself, monotonic.
    initial : State, optional
        Where assembly starts, and with it the branch.

    Returns
    -------
    Motion
        One that stopped early (lock-up) keeps everything up to there; its status says why.
    """
    grid = time_grid(model, start, until, steps, at, times)
    begin = clock.perf_counter()
    tables = tables_of(model)
    state = assemble(model, initial, float(grid[0]))
    system = System(tables)
    if not state.ok:
        refuse_too_many(system, state.q, state.t)
        return _failed(tables, state, grid)
    system.ref[:] = state.references
    drive = find_drive(system, state.q, state.t)
    tracker = Tracker(system, state, grid, drive)
    tracker.run()
    motion = tracker.motion()
    motion.statistics["wall_time"] = clock.perf_counter() - begin
    return motion


def time_grid(
    model: Model, start: float | str, until: float | str | None, steps: int | None, at: float | None, times: Any
) -> Floats:
    """Return the checked time grid; defaults come from the model's own `kinematics` options."""
    defaults = model.defaults.get("kinematics", {})
    if times is not None:
        grid = np.array(times, dtype=float).ravel()
        if len(grid) == 0 or not np.all(np.isfinite(grid)):
            raise ModelError("the times are empty or not finite", where="kinematics", hint="give at least one time")
        if len(grid) > 2 and not (np.all(np.diff(grid) > 0) or np.all(np.diff(grid) < 0)):
            raise ModelError("the times are not monotonic", where="kinematics", hint="sort them")
        return grid
    if at is not None:
        if not np.isfinite(at):
            raise ModelError(f"time {at} is not finite", where="kinematics", hint="give a finite time")
        return np.array([float(at)])
    until = defaults.get("until") if until is None else until
    steps = defaults.get("steps", 100) if steps is None else steps
    if until is None:
        raise ModelError("no end time", where="kinematics", hint="give until (or at, or times)")
    from multibody.tables.scope import Scope

    values = [Scope(model).value(model.formula(x, "kinematics"), "kinematics") for x in (start, until)]
    if not np.all(np.isfinite(values)) or values[0] == values[1]:
        raise ModelError("the end time equals the start", where="kinematics", hint="give a later time")
    if not isinstance(steps, int) or isinstance(steps, bool) or steps < 1:
        raise ModelError(f"{steps!r} steps", where="kinematics", hint="a whole number of at least 1 is needed")
    return np.linspace(values[0], values[1], steps + 1)


def _failed(tables: Any, state: State, grid: Floats) -> Motion:
    """Return the motion of a mechanism that could not be assembled: empty, with the reason."""
    empty = np.zeros((0, tables.nv))
    status = Status(
        False, state.status.message, float(grid[0]), state.status.worst, state.status.gap, state.status.advice
    )
    return Motion(
        tables, np.zeros(0), np.zeros((0, tables.nq)), empty, empty, np.zeros(0), state.references, status, state,
        statistics={"steps": 0, "newton_iterations": 0, "rejected": 0},
    )  # fmt: skip


class Tracker:
    """Drives the compiled loop over the grid and deals with the singular positions it meets."""

    def __init__(self, system: System, state: State, grid: Floats, drive: Drive) -> None:
        self.system, self.initial, self.grid = system, state, grid
        self.chosen, self.gauge = drive.rows, drive.gauge
        n, nq, m = system.nv, system.nq, system.rows
        self.Q, self.V, self.A = np.zeros((len(grid), nq)), np.zeros((len(grid), n)), np.zeros((len(grid), n))
        self.sigma = np.zeros(len(grid))
        self.state, self.trial = np.zeros((3, max(nq, n))), np.zeros((3, max(nq, n)))
        self.values, self.J = np.zeros(max(m, 1)), np.zeros(max(int(system.tables.row_pointer[m]), 1))
        dense = n if n <= DENSE_LIMIT else 1
        self.matrix, self.pivots = np.zeros((dense, dense)), np.zeros(dense, dtype=np.int64)
        self.x, self.null = np.zeros(n), np.ones(n) / np.sqrt(n)
        self.clock = np.array([grid[0], 0.0, 0.0])
        width = 2 + nq + 2 * n
        self.crossings = np.zeros((min(len(grid) + 64, max(64, 4_000_000 // width)), width))
        self.counts = np.zeros(8, dtype=np.int64)
        self.worst = np.zeros(6)
        self.singularities: list[Singularity] = []
        self.status = Status(True, "finished", float(grid[-1]))
        self.reached = 0
        self.groups = groups_at(system, state.q, state.t)
        self.start_references = system.ref.copy()
        counted = len(system.ref) if system.tables.dimension == 3 else 0
        self.R = np.zeros((len(grid), counted))

    # --- the loop ---------------------------------------------------------------------------------------------------
    def run(self) -> None:
        """Follow the grid to its end or to a lock-up."""
        if self.system.nv > DENSE_LIMIT:
            self.reached, self.status = track_sparse(self)
            return
        self._first_point()
        while self.reached < len(self.grid):
            code, k = self._track(self.grid, self.reached)
            self.reached = k
            if code == tracking.DONE:
                break
            if code in (tracking.SINGULAR, tracking.LOCKED) and self._choose_again():
                continue
            near = abs(self.grid[k] - self.clock[0]) < 0.01 * abs(self.grid[k] - self.grid[k - 1])
            if code == tracking.SINGULAR or (code == tracking.LOCKED and near):
                if self._singular_point(k):
                    self.reached = k + 1
                    continue
                self._track(self.grid, k)  # back to where it stopped
                code = tracking.LOCKED
            self._stop(code)
            break
        self._locate_crossings()

    def _track(self, grid: Floats, first: int, out: tuple[Floats, ...] | None = None) -> tuple[int, int]:
        """Call the compiled loop from grid[first] on; `out` replaces the arrays that grid points go to."""
        s = self.system
        Q, V, A, R, sigma = out or (self.Q, self.V, self.A, self.R, self.sigma)
        code, k = tracking.track(
            s.I, s.F, s.W, s.ref, grid, first, s.rows, len(s.tables.function_is_length), self.chosen, self.gauge,
            self.state, self.trial, self.values, self.J, self.matrix, self.pivots, self.x, self.null, self.worst,
            self.clock, Q, V, A, R, sigma, self.crossings, self.counts,
        )  # fmt: skip
        return int(code), int(k)

    def _first_point(self) -> None:
        """Evaluate the assembled start."""
        s, q, t = self.system, self.initial.q, float(self.grid[0])
        self.state[0, : s.nq] = q
        code = tracking.DONE
        for _ in range(3):  # σ_min by inverse iteration from an arbitrary vector
            code, _ = self._track(self.grid[:1], 0)
        if code != tracking.DONE:
            self._store(0, *self._resolve_rates(q, t, self.initial.v, np.zeros(s.nv)))
            self.singularities.append(Singularity(t, "touched", explain(s, q, t, self.groups)))
        self.reached = 1

    def _store(self, k: int, q: Floats, v: Floats, a: Floats) -> None:
        """Make (q, v, a) the accepted state and grid point k."""
        self.system.take_references(q)
        self.Q[k], self.V[k], self.A[k] = q, v, a
        self.R[k] = self.system.ref[: self.R.shape[1]]
        self.state[0, : len(q)], self.state[1, : len(v)], self.state[2, : len(a)] = q, v, a

    # --- singular positions -------------------------------------------------------------------------------------------
    def _choose_again(self) -> bool:
        """Choose independent rows anew where the chosen ones, not the mechanism, became singular."""
        q, t = self.state[0, : self.system.nq], float(self.clock[0])
        J = self.system.scaled(self.system.jacobian(q, t))
        full = np.linalg.svd(np.vstack([J, self.gauge * self.system.scale_columns]), compute_uv=False)
        part = np.linalg.svd(np.vstack([J[self.chosen], self.gauge * self.system.scale_columns]), compute_uv=False)
        if part[-1] > 0.1 * full[-1]:
            return False
        drive = find_drive(self.system, q, t)
        if np.array_equal(drive.rows, self.chosen):
            return False
        self.chosen, self.gauge = drive.rows, drive.gauge
        self.clock[1] = self.clock[2] = 0.0
        return True

    def _singular_point(self, k: int) -> bool:
        """Answer a grid point that lies on a singular position, from regular instants on both sides of it.

        Rates there are noise divided by zero; between two regular instants they are smooth. False where the mechanism
        cannot be followed across.
        """
        s, t = self.system, float(self.grid[k])
        before = None
        for parts in (32.0, 64.0, 16.0, 128.0, 8.0):
            side = float(self.grid[k] - self.grid[k - 1]) / parts
            self._restart(k - 1)  # substeps may have come too near
            if self._go(t - side) == tracking.DONE:
                before = self._snapshot()
                self.clock[1] = 0.0  # the sign may change
                if self._go(t + side) == tracking.DONE:
                    break
            before = None
        if before is None:
            self._restart(k - 1)
            return False
        v, a = between(before, self._snapshot(), t)
        h = t - before.t
        q = s.displaced(before.q, (before.v + 4.0 * between(before, self._snapshot(), before.t + 0.5 * h)[0] + v) / 6.0, h)
        for _ in range(20):
            J = s.scaled(s.jacobian(q, t))
            step, _ = least_norm(J, -s.phi(q, t) * s.scale_rows[: s.rows], 1e-7)
            q = s.displaced(q, step * s.scale_columns)
            if np.max(np.abs(step), initial=0.0) < 1e-11:
                break
        if np.max(np.abs(s.phi(q, t) * s.scale_rows[: s.rows])) > 1e-9:
            return False
        self.Q[k], self.V[k], self.A[k], self.sigma[k] = q, v, a, 0.0
        self.R[k] = s.ref[: self.R.shape[1]]
        self.singularities.append(Singularity(t, "passed", explain(s, q, t, self.groups)))
        self.clock[2] = 0.0
        return True

    def _restart(self, k: int) -> None:
        """Go back to grid point k."""
        s = self.system
        self.state[0, : s.nq], self.state[1, : s.nv], self.state[2, : s.nv] = self.Q[k], self.V[k], self.A[k]
        self.clock[:] = self.grid[k], 0.0, 0.0
        s.ref[: self.R.shape[1]] = self.R[k]

    def _go(self, t: float) -> int:
        """Follow the mechanism to one instant that is no grid point; return the code."""
        nq, nv = self.system.nq, self.system.nv
        out = (np.zeros((1, nq)), np.zeros((1, nv)), np.zeros((1, nv)), np.zeros((1, 0)), np.zeros(1))
        self.clock[2] = 0.0
        return self._track(np.array([t]), 0, out)[0]

    def _snapshot(self) -> Instant:
        """Return the accepted state."""
        nq, nv = self.system.nq, self.system.nv
        return Instant(float(self.clock[0]), self.state[0, :nq].copy(), self.state[1, :nv].copy(), self.state[2, :nv].copy())

    def _resolve_rates(self, q: Floats, t: float, v: Floats, a: Floats) -> tuple[Floats, Floats, Floats]:
        """Return v and v̇ that satisfy the regular part of the equations and lie nearest to the given ones."""
        s = self.system
        J = s.scaled(s.jacobian(q, t))
        rows, columns = s.scale_rows[: s.rows], s.scale_columns
        step, _ = least_norm(J, s.velocity_side(q, t) * rows - J @ (v / columns), 1e-7)
        v = v + step * columns
        step, _ = least_norm(J, s.gamma(q, v, t) * rows - J @ (a / columns), 1e-7)
        return q, v, a + step * columns

    def _stop(self, code: int) -> None:
        """End at a lock-up or an inconsistency; what was computed stays."""
        s = self.system
        if code == tracking.LOCKED:
            self._approach_lock()
        t, q = float(self.clock[0]), self.state[0, : s.nq].copy()
        if code == tracking.LOCKED:
            reason = explain(s, q, t, self.groups)
            self.singularities.append(Singularity(t, "lock-up", reason))
            message = f"locked up at t = {t:.9g}: {reason}"
            advice = (
                "the motion asks for more than the mechanism can reach; drive another coordinate or change the motion"
            )
            self.status = Status(False, message, t, advice=advice)
        elif code == tracking.INCONSISTENT:
            phi = np.abs(s.phi(q, t)) * s.scale_rows[: s.rows]
            k = int(np.argmax(phi))
            message = (
                f'geometry inconsistent: redundant equation "{s.tables.rows[k].name}" is violated after t = {t:.9g}'
            )
            self.status = Status(
                False, message, t, s.tables.rows[k].name, float(phi[k]), "check parallel axes and link lengths"
            )
        else:
            message, advice = f"a number that is not finite came up after t = {t:.9g}", "check the motions there"
            self.status = Status(False, message, t, advice=advice)

    def _approach_lock(self) -> None:
        """Creep towards the lock-up with intervals that shrink, to locate its time."""
        span = float(self.grid[self.reached] - self.grid[self.reached - 1])
        smallest = 1e-15 * max(abs(self.clock[0]), abs(self.grid[-1] - self.grid[0]))
        while abs(span) * tracking.FINEST > smallest:
            span *= 8.0 * tracking.FINEST
            for _ in range(16):
                if self._go(float(self.clock[0]) + span) != tracking.DONE:
                    break
        self.system.take_references(self.state[0, : self.system.nq])
        near = 0.01 * abs(float(self.grid[self.reached] - self.grid[self.reached - 1]))
        count = int(self.counts[tracking.CROSSINGS])  # signs that flicker at the lock-up itself are no crossings
        kept = [row.copy() for row in self.crossings[:count] if abs(row[1] - self.clock[0]) > near]
        self.counts[tracking.CROSSINGS] = len(kept)
        for k, row in enumerate(kept):
            self.crossings[k] = row

    def _locate_crossings(self) -> None:
        """Find the time of every change of sign of the determinant and say what happened there."""
        for k in range(int(self.counts[tracking.CROSSINGS])):
            direction = 1.0 if self.grid[-1] >= self.grid[0] else -1.0
            before = int(np.searchsorted(direction * self.grid, direction * self.crossings[k, 0], side="right")) - 1
            if self.R.shape[1]:  # the turns counted at that time
                self.system.ref[:] = self.R[max(before, 0)]
            q, t = self._crossing(self.crossings[k])
            self.singularities.append(Singularity(t, "passed", explain(self.system, q, t, self.groups)))
        self.singularities.sort(key=lambda item: item.time)

    def _crossing(self, row: Floats) -> tuple[Floats, float]:
        """Return pose and time at which the determinant vanishes in a noted interval.

        The determinant is smooth through its zero, so a cubic through four points places it; the points keep away from
        the zero itself, where Newton's method would lose digits.
        """
        nq, nv = self.system.nq, self.system.nv
        low, high = float(row[0]), float(row[1])
        start = Instant(low, row[2 : 2 + nq], row[2 + nq : 2 + nq + nv], row[2 + nq + nv :])
        u = np.array([-0.5, 0.0, 1.0, 1.5])
        values = np.array([self._determinant(start, low + x * (high - low))[0] for x in u])
        roots = np.roots(np.polyfit(u, values / np.max(np.abs(values)), 3))
        real = [float(r.real) for r in np.atleast_1d(roots) if abs(r.imag) < 1e-6 and -0.01 <= r.real <= 1.01]
        t = low + (real[0] if real else 0.5) * (high - low)
        return self._determinant(start, t)[1], float(t)

    def _determinant(self, start: Instant, t: float) -> tuple[float, Floats]:
        """Return the determinant at a time near a known instant (up to a constant factor), and the pose there."""
        s, h = self.system, t - start.t
        q = s.displaced(start.q, start.v + 0.5 * h * start.a, h)
        s.take_references(start.q)
        matrix = np.zeros((0, s.nv))
        for _ in range(12):
            matrix = np.vstack([s.scaled(s.jacobian(q, t))[self.chosen], self.gauge * s.scale_columns])
            side = np.zeros(s.nv)
            side[: len(self.chosen)] = -(s.phi(q, t) * s.scale_rows[: s.rows])[self.chosen]
            step, _ = least_norm(matrix, side, 1e-12)
            q = s.displaced(q, step * s.scale_columns)
            if np.max(np.abs(step)) < 1e-10:
                break
        sign, logarithm = np.linalg.slogdet(matrix)
        return float(sign * np.exp(logarithm)), q

    # --- what comes out -----------------------------------------------------------------------------------------------
    def motion(self) -> Motion:
        """Return what was computed, with its certificate."""
        n, s = self.reached, self.system
        t = self.grid[:n]
        motion = Motion(
            s.tables, t, self.Q[:n], self.V[:n], self.A[:n], self.sigma[:n], self._all_references(n), self.status, self.initial,
            self.singularities,
        )  # fmt: skip
        motion.branches = self._branches(t)
        motion.statistics = {
            "steps": int(self.counts[tracking.STEPS]),
            "newton_iterations": int(self.counts[tracking.ITERATIONS]),
            "rejected": int(self.counts[tracking.REJECTED]),
        }
        motion.certificate = self._certificate(t)
        return motion

    def _all_references(self, n: int) -> Floats:
        """Return the angle references of every instant, or those of the start where nothing counts turns."""
        return self.R[:n] if self.R.shape[1] else self.start_references

    def _branches(self, t: Floats) -> list[tuple[float, str]]:
        """Return the branch label at the start and after every singular position that was passed."""
        from multibody.analyses.branches import label_of

        labels = [(float(self.grid[0]), self.initial.branch)]
        for item in self.singularities:
            direction = 1.0 if len(t) and t[-1] >= t[0] else -1.0
            after = int(np.searchsorted(direction * t, direction * item.time, side="right"))
            if item.kind == "passed" and 0 <= after < len(t):
                labels.append((item.time, label_of(self.system, self.Q[after], float(t[after]), self.groups)))
        return labels

    def _certificate(self, t: Floats) -> dict[str, Any]:
        """Return the largest violation at the three levels (scaled) and the smallest singular value met."""
        low = float(np.min(self.sigma[: len(t)], initial=np.inf))
        position, velocity, acceleration = (float(w) for w in self.worst[:3])
        return {
            "position_violation": position,
            "velocity_violation": velocity,
            "acceleration_violation": acceleration,
            "smallest_singular_value": low if np.isfinite(low) else None,
        }
