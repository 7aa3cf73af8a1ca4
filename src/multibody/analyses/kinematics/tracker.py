"""Follows a driven mechanism over its grid and deals with the singular positions met on the way.

The steps themselves are taken by a follower; here is what is done at dead points, lock-ups and inconsistencies.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from multibody.analyses.assembly.branches import Group, find_groups, label_of
from multibody.analyses.events.undefined import culprit_ahead
from multibody.analyses.kinematics.branch_labels import BranchLabels
from multibody.analyses.kinematics.follower import Follower, Record
from multibody.analyses.kinematics.instant import Instant
from multibody.analyses.kinematics.locate import locate, resolved_rates, state_between
from multibody.analyses.kinematics.singular import explain
from multibody.analyses.kinematics.square import smallest_of_all
from multibody.errors import ModelError
from multibody.kernels import tracking
from multibody.rank.drive import Drive, find_drive
from multibody.state.motion import Motion, Singularity
from multibody.state.state import State, Status
from multibody.state.system import Floats, System

PART = 500  # grid points that are followed without a look at the keyboard
REGULAR = 1e-5  # a smallest singular value above this is not zero at a located singular position


class Tracker:
    """One motion over a grid: runs the follower, locates singular positions, and puts the result together."""

    def __init__(self, system: System, state: State, grid: Floats, drive: Drive) -> None:
        self.system, self.initial, self.grid, self.drive = system, state, grid, drive
        counted = len(system.ref) if system.tables.dimension == 3 else 0
        self.record = Record(len(grid), system, counted)
        self.follower = Follower(system, drive, state.q, float(grid[0]), len(grid))
        self.singularities: list[Singularity] = []
        self.status = Status(True, "finished", float(grid[-1]))
        self.reached = 0
        self.lock: float | None = None
        self.start_references = system.ref.copy()

    @cached_property
    def groups(self) -> list[Group]:
        """The groups of bodies that are solved together, as found at the start."""
        return find_groups(self.system, self.initial.q, self.initial.t)

    # --- the loop ---------------------------------------------------------------------------------------------------
    def run(self) -> None:
        """Follow the grid to its end or to a lock-up."""
        self._first_point()
        try:
            self._follow()
        except KeyboardInterrupt:
            t = float(self.grid[self.reached - 1])
            self.status = Status(False, f"interrupted at t = {t:.9g}", t, advice="what was computed up to there is kept")
            return
        self._locate_crossings()

    def _follow(self) -> None:
        """Follow the grid in parts, between which the user may end it."""
        while self.reached < len(self.grid):
            end = min(self.reached + PART, len(self.grid))
            code, k = self.follower.track(self.grid[:end], self.reached, self.record)
            self.reached = k
            if code == tracking.DONE:
                continue
            if code in (tracking.SINGULAR, tracking.LOCKED) and self._choose_again():
                continue
            near = abs(self.grid[k] - self.follower.path.time) < 0.01 * abs(self.grid[k] - self.grid[k - 1])
            if code == tracking.SINGULAR or (code == tracking.LOCKED and near):
                if self._singular_point(k):
                    self.reached = k + 1
                    continue
                self.follower.track(self.grid, k, self.record)  # back to where it stopped
                code = tracking.LOCKED
            self._stop(code)
            break

    def _first_point(self) -> None:
        """Evaluate the assembled start."""
        s, q, t = self.system, self.initial.q, float(self.grid[0])
        code = tracking.DONE
        for _ in range(3):  # σ_min by inverse iteration from an arbitrary vector
            code, _ = self.follower.track(self.grid[:1], 0, self.record)
        if code != tracking.DONE:
            v, a = resolved_rates(s, q, t, self.initial.v, np.zeros(s.nv))
            s.take_references(q)
            self.record.store(0, q, v, a, s.ref, 0.0)
            self.follower.place(Instant(t, q, v, a))
            self._note(t, "touched", q)
        self.reached = 1

    def _choose_again(self) -> bool:
        """Choose independent rows anew where the chosen ones, not the mechanism, became singular."""
        here, square = self.follower.snapshot(), self.follower.square
        if self.system.rows == len(square.chosen):
            return False
        if square.smallest(here.q, here.t)[0] > 0.1 * smallest_of_all(square, here.q, here.t):
            return False
        try:
            drive = find_drive(self.system, here.q, here.t)
        except ModelError:  # the mechanism is singular too
            return False
        if np.array_equal(drive.rows, self.follower.drive.rows):
            return False
        self._locate_crossings()  # they belong to the rows that are given up
        self.follower.use(drive)
        return True

    # --- singular positions -------------------------------------------------------------------------------------------
    def _note(self, t: float, kind: str, q: Floats) -> str:
        """Add a singular position with its reason, which is returned."""
        reason = explain(self.system, q, t, self.groups, self.follower.square.free_direction(q, t))
        self.singularities.append(Singularity(t, kind, reason))
        return reason

    def _singular_point(self, k: int) -> bool:
        """Answer a grid point that lies on a singular position from both sides of it; False where none can be reached."""
        t, follower = float(self.grid[k]), self.follower
        for parts in (32.0, 64.0, 16.0, 128.0, 8.0):
            side = float(self.grid[k] - self.grid[k - 1]) / parts
            self._restart(k - 1)  # substeps may have come too near
            if follower.go(t - side) != tracking.DONE:
                continue
            before = follower.snapshot()
            follower.forget()  # the sign may change
            if follower.go(t + side) == tracking.DONE:
                found = state_between(self.system, before, follower.snapshot(), t)
                if found is None:
                    break
                self.record.store(k, found.q, found.v, found.a, self.system.ref, 0.0)
                self._note(t, "passed", found.q)
                follower.path.step = 0.0
                return True
        self._restart(k - 1)
        return False

    def _restart(self, k: int) -> None:
        """Go back to grid point k."""
        r = self.record
        self.follower.place(Instant(float(self.grid[k]), r.Q[k], r.V[k], r.A[k]))
        self.system.ref[: r.R.shape[1]] = r.R[k]

    def _locate_crossings(self) -> None:
        """Find the time of every noted change of sign and say what happened there."""
        references = self.system.ref.copy()
        direction = 1.0 if self.grid[-1] >= self.grid[0] else -1.0
        near = 0.01 * abs(float(self.grid[self.reached] - self.grid[self.reached - 1])) if self.lock is not None else 0.0
        for crossing in self.follower.take_crossings():
            if self.lock is not None and abs(crossing.end - self.lock) <= near:
                continue  # signs that flicker at the lock-up itself are no crossings
            before = int(np.searchsorted(direction * self.grid, direction * crossing.before.t, side="right")) - 1
            if self.record.R.shape[1]:  # the turns counted at that time
                self.system.ref[:] = self.record.R[max(before, 0)]
            located = locate(self.follower.square, crossing)
            same = 1e-3 * abs(crossing.end - crossing.before.t)
            for t in located.times:
                q = located.pose(self.system, t)
                known = any(abs(item.time - t) < same for item in self.singularities)  # an interval tried twice
                if not known and not self._rows_alone(q, t):
                    self._note(t, "passed", q)
        self.system.ref[:] = references
        self.singularities.sort(key=lambda item: direction * item.time)

    def _rows_alone(self, q: Floats, t: float) -> bool:
        """Return whether the chosen rows are singular at a pose while all rows together are not."""
        square = self.follower.square
        if self.system.rows == len(square.chosen):
            return False
        together = smallest_of_all(square, q, t)
        return together > REGULAR and square.smallest(q, t)[0] < 0.01 * together

    # --- the end ------------------------------------------------------------------------------------------------------
    def _stop(self, code: int) -> None:
        """End at a lock-up or an inconsistency; what was computed stays."""
        s = self.system
        if code == tracking.LOCKED:
            self._approach_lock()
        here = self.follower.snapshot()
        t = here.t
        span = float(self.grid[min(self.reached, len(self.grid) - 1)] - t)
        owner, ends = culprit_ahead(s, here.q, here.v, t, span)
        if owner and ends:
            advice = "check its formula there, or let the analysis end before"
            self.status = Status(False, f"{owner}: it has no finite value at or behind t = {t:.9g}", t, owner, 0.0, advice)
        elif code == tracking.LOCKED:
            message = f"locked up at t = {t:.9g}: {self._note(t, 'lock-up', here.q)}"
            advice = "the motion asks for more than the mechanism can reach; drive another coordinate or change the motion"
            self.status = Status(False, message, t, advice=advice)
        elif code == tracking.INCONSISTENT:
            phi = np.abs(s.phi(here.q, t)) * s.scale_rows[: s.rows]
            name, gap = s.tables.rows[int(np.argmax(phi))].name, float(np.max(phi))
            message = f'geometry inconsistent: redundant equation "{name}" is violated after t = {t:.9g}'
            self.status = Status(False, message, t, name, gap, "check parallel axes and link lengths")
        else:
            message, advice = f"a number that is not finite came up after t = {t:.9g}", "check the motions there"
            self.status = Status(False, message, t, advice=advice)

    def _approach_lock(self) -> None:
        """Creep toward the lock-up with intervals that shrink, to locate its time."""
        path, worst = self.follower.path, self.follower.path.worst.copy()
        span = float(self.grid[self.reached] - self.grid[self.reached - 1])
        smallest = 1e-15 * max(abs(path.time), abs(self.grid[-1] - self.grid[0]))
        while abs(span) * tracking.FINEST > smallest:
            span *= 8.0 * tracking.FINEST
            for _ in range(16):
                if self.follower.go(path.time + span) != tracking.DONE:
                    break
        self.system.take_references(self.follower.snapshot().q)
        path.worst[:] = worst  # what lies behind the last grid point is not part of the result
        self.lock = path.time

    # --- what comes out -----------------------------------------------------------------------------------------------
    def motion(self) -> Motion:
        """Return what was computed, with its certificate."""
        n, r, path = self.reached, self.record, self.follower.path
        t = self.grid[:n]
        references = r.R[:n] if r.R.shape[1] else self.start_references
        motion = Motion(
            self.system.tables, t, r.Q[:n], r.V[:n], r.A[:n], r.sigma[:n], references, self.status, self.initial,
            self.singularities,
        )  # fmt: skip
        motion.branches = self._branches(t)
        motion.drive = self.follower.drive if self.follower.drive is self.drive else None
        motion.statistics = {
            "steps": path.steps,
            "newton_iterations": path.iterations,
            "rejected": path.rejected,
        }
        motion.certificate = self._certificate(r.sigma[:n])
        return motion

    def _branches(self, t: Floats) -> Sequence[tuple[float, str]]:
        """Return the branch label at the start and after every singular position that was passed."""
        passed = [item for item in self.singularities if item.kind == "passed"]
        first = self.initial.branch
        if not passed and not first:
            return BranchLabels(float(self.grid[0]), self.initial)
        if passed and not first:  # a large mechanism is labeled only where its branch matters
            first = label_of(self.system, self.initial.q, self.initial.t, self.groups)
        labels = [(float(self.grid[0]), first)]
        direction = 1.0 if len(t) and t[-1] >= t[0] else -1.0
        for item in passed:
            after = int(np.searchsorted(direction * t, direction * item.time, side="right"))
            if 0 <= after < len(t):
                labels.append((item.time, label_of(self.system, self.record.Q[after], float(t[after]), self.groups)))
        return labels

    def _certificate(self, sigma: Floats) -> dict[str, Any]:
        """Return the largest violation at the three levels (scaled) and the smallest singular value met."""
        low = float(np.min(sigma, initial=np.inf))
        position, velocity, acceleration = (float(w) for w in self.follower.path.worst)
        return {
            "position_violation": position,
            "velocity_violation": velocity,
            "acceleration_violation": acceleration,
            "smallest_singular_value": low if np.isfinite(low) else None,
        }
