"""The kinematic loop for large mechanisms: the steps of the compiled loop with SciPy's sparse factors.

Steps are taken, halved, refused and noted by the same rules and limits; only the sign of the determinant is watched block by
block, as large mechanisms are often made of many equal loops that pass their singular positions together.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from multibody.analyses.kinematics.follower import Crossing, Follower, Record
from multibody.analyses.kinematics.square import Factors
from multibody.kernels import tracking
from multibody.rank.drive import Drive
from multibody.state.system import Floats, System

HALVE = tracking.LOCKED  # a step that is refused; where it cannot be halved any more the mechanism is locked
SWEEPS = 2  # of inverse iteration an instant
SINGULAR_PIVOT = 1e-6  # smallest over largest pivot; below, round-off in the pose spoils the fourth digit of the rates


@dataclass(frozen=True)
class Trial:
    """What was found at an instant: state, sign of the determinant of every block, σ_min, violations of all rows."""

    q: Floats
    v: Floats
    a: Floats
    signs: Floats
    sigma: float
    worst: Floats


class SparseFollower(Follower):
    """Steps in Python, each with a few sparse factorizations: time and memory grow like the size of the mechanism."""

    def __init__(self, system: System, drive: Drive, q: Floats, t: float) -> None:
        super().__init__(system, drive, q, t)
        start = np.random.default_rng(0).normal(size=system.nv)
        self.null = start / np.linalg.norm(start)
        self.signs = np.zeros(0)
        self.sigma = 0.0
        self.noted: list[Crossing] = []
        self.row_of_entry = np.repeat(np.arange(system.rows), np.diff(system.tables.row_pointer[: system.rows + 1]))

    def take_crossings(self) -> list[Crossing]:
        """Return the crossings noted since the last call."""
        found, self.noted = self.noted, []
        return found

    def track(self, grid: Floats, first: int, record: Record) -> tuple[int, int]:
        """Follow the mechanism over grid[first:]."""
        for k in range(first, len(grid)):
            target = float(grid[k])
            code = self._reach(target) if target != self.clock[0] else self._stay(target)
            if code == tracking.DONE and not np.all(np.isfinite(self.state[0])):
                code = tracking.NOT_A_NUMBER
            if code != tracking.DONE:
                return code, k
            here = self.snapshot()
            record.store(k, here.q, here.v, here.a, self.system.ref, self.sigma)
        return tracking.DONE, len(grid)

    # --- steps --------------------------------------------------------------------------------------------------------
    def _stay(self, t: float) -> int:
        """Find the rates of the accepted pose."""
        found = self._rates(self.state[0, : self.system.nq].copy(), t)
        if found is None:
            return tracking.SINGULAR
        self._accept(found, t)
        self.clock[2] = 0.0
        return tracking.DONE

    def _reach(self, target: float) -> int:
        """Step to a time, halving where a step is refused or a determinant changes its sign; return the code."""
        interval = target - float(self.clock[0])
        h = float(self.clock[2]) if 0.0 < abs(self.clock[2]) < abs(interval) else interval
        while self.clock[0] != target:
            t, rest = float(self.clock[0]), target - float(self.clock[0])
            last = abs(rest) <= abs(h) * (1.0 + 1e-9)
            span = rest if last else h
            if t + span == t:  # below the resolution of time
                return tracking.LOCKED
            code, trial = self._attempt(t, span)
            if code == tracking.INCONSISTENT or (code == tracking.SINGULAR and last):
                return code
            crossed = trial is not None and self.clock[1] != 0.0 and not np.array_equal(trial.signs, self.signs)
            if trial is None or (crossed and abs(span) > tracking.CROSSING * abs(interval)):
                self.counts[tracking.REJECTED] += 1
                h = 0.5 * span
                if abs(h) < tracking.FINEST * abs(interval):
                    return tracking.NOT_A_NUMBER if code == tracking.NOT_A_NUMBER else tracking.LOCKED
                continue
            if crossed:
                self.noted.append(Crossing(self.snapshot(), t + span))
            self._accept(trial, target if last else t + span)
            self.counts[tracking.STEPS] += 1
            h = math.copysign(min(2.0 * abs(h), abs(interval)), interval)
        self.clock[2] = h
        return tracking.DONE

    def _accept(self, trial: Trial, t: float) -> None:
        """Make a trial the accepted state and move the angle references to it."""
        nq, nv = self.system.nq, self.system.nv
        self.state[0, :nq], self.state[1, :nv], self.state[2, :nv] = trial.q, trial.v, trial.a
        self.system.take_references(trial.q)
        self.worst[:3] = np.maximum(self.worst[:3], trial.worst)
        self.clock[0], self.clock[1] = t, float(np.prod(trial.signs))
        self.signs, self.sigma = trial.signs, trial.sigma

    def _attempt(self, t: float, span: float) -> tuple[int, Trial | None]:
        """Return a code and, where it is DONE, what was found a step further."""
        s, here = self.system, self.snapshot()
        move = span * here.v + 0.5 * span * span * here.a
        size = self._size(move)
        if not size < 1.0:
            return HALVE, None
        code, q, total = self._newton(s.displaced(here.q, move), t + span)
        if code != tracking.DONE:
            return code, None
        if total > 0.3 * size + 1e-5 or self._largest_turn(q) > 0.5 * math.pi:
            return HALVE, None
        trial = self._rates(q, t + span)
        if trial is None:
            return tracking.SINGULAR, None
        turned = span * (trial.v - here.v - span * here.a)  # from where the rates were heading, as a displacement
        if not self._size(turned) <= 0.7 * size + 1e-5:
            return HALVE, None
        return (tracking.INCONSISTENT, None) if trial.worst[0] > 1e-8 else (tracking.DONE, trial)

    def _size(self, x: Floats) -> float:
        """Return the largest scaled component of a displacement."""
        return float(np.max(np.abs(x / self.system.scale_columns), initial=0.0))

    def _largest_turn(self, q: Floats) -> float:
        """Return how far the farthest counted angle has moved from its reference [rad]."""
        if self.system.tables.dimension == 2:
            return 0.0
        before = self.system.ref.copy()
        self.system.take_references(q)
        turn = float(np.max(np.abs(self.system.ref - before), initial=0.0))
        self.system.ref[:] = before
        return turn

    # --- positions and rates ------------------------------------------------------------------------------------------
    def _newton(self, q: Floats, t: float) -> tuple[int, Floats, float]:
        """Solve Φ(q, t) = 0; return a code, the pose and the size of the total correction.

        Factors are kept while steps are small and shrink fast, as their error then costs less than another factorization.
        """
        factors: Factors | None = None
        total, previous, keep = 0.0, math.inf, False
        for _ in range(tracking.NEWTON_LIMIT):
            if not keep:
                factors = self.square.factor(q, t)
            if factors is None:
                return tracking.SINGULAR, q, math.inf
            step = factors.solve(-self.system.phi(q, t))
            size = self._size(step)
            if math.isnan(size):
                return tracking.NOT_A_NUMBER, q, math.inf
            if not size < 1.0 or (size > 2.0 * previous and size > 1e-6):
                return HALVE, q, math.inf
            q, total = self.system.displaced(q, step), total + size
            self.counts[tracking.ITERATIONS] += 1
            if size < tracking.CLOSE or (size < 1e-7 and size > 0.25 * previous):
                return tracking.DONE, q, total
            keep, previous = size < min(tracking.KEEP, 0.1 * previous), size
        return HALVE, q, math.inf

    def _rates(self, q: Floats, t: float) -> Trial | None:
        """Return rates at a closed pose with all that is known there, None where it is singular."""
        s, factors = self.system, self.square.factor(q, t)
        if factors is None or not factors.pivot_ratio() > SINGULAR_PIVOT:
            return None
        nu = s.velocity_side(q, t)
        v = factors.solve(nu)
        gamma = s.gamma(q, v, t)
        a = factors.solve(gamma)
        levels = (s.phi(q, t), self._left_side(factors, v) - nu, self._left_side(factors, a) - gamma)
        worst = np.array([np.max(np.abs(level * s.scale_rows[: s.rows]), initial=0.0) for level in levels])
        sigma, self.null = factors.smallest(self.null, SWEEPS)
        return Trial(q, v, a, factors.determinants()[0], sigma, worst)

    def _left_side(self, factors: Factors, x: Floats) -> Floats:
        """Return Φ_q x over all rows."""
        columns = self.system.tables.columns[: len(factors.entries)]
        sums = np.bincount(self.row_of_entry, weights=factors.entries * x[columns], minlength=self.system.rows)
        return sums.astype(np.float64, copy=False)
