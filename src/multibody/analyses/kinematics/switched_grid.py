"""A kinematic grid with the instants at which motions switch: results stand for the limits behind them.

Kinematics follows the mechanism from just before such an instant to just behind it. There velocities may jump, and those behind
are reported; a position that jumps ends the analysis, since the mechanism would have to be somewhere else at once.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from multibody.analyses.events.impulse import JumpError, moved_at, refuse_nothing, refuse_positions
from multibody.analyses.events.switching import Switching, SwitchingTimes, limits_behind, switching_times
from multibody.analyses.events.undefined import unbounded
from multibody.kernels.crossing import JUMPS
from multibody.state.motion import Jump, Motion
from multibody.state.state import Status
from multibody.state.system import Floats, Integers, System

MOST = 100_000  # switching instants that are added to a grid


class SwitchedGrid:
    """The instants at which a driven mechanism is solved, and which of them were asked for.

    Parameters
    ----------
    system : System
    q : array
        Position at the start.
    asked : array
        The grid as it was asked for, monotonic.
    times : SwitchingTimes, optional
        When motions switch, where it is known.

    Attributes
    ----------
    grid : array
        Instants to be solved: those asked for, just behind a switching instant in place of the instant itself, and the
        neighbors of all switching instants between them. It ends before a motion that jumps.
    """

    def __init__(self, system: System, q: Floats, asked: Floats, times: SwitchingTimes | None = None) -> None:
        self.system, self.asked = system, asked
        self.grid: Floats
        self.refused: Status | None = None
        self.passed = self._switchings(switching_times(system.tables) if times is None else times)
        if not self.passed and np.all(asked[1:] != asked[:-1]):
            self.grid, self.index = asked, np.arange(len(asked))
            return
        sign = 1.0 if asked[-1] >= asked[0] else -1.0
        self.grid, self.index = solved_grid(self.passed, asked)
        self._refuse_motions(q)
        if self.refused is not None:
            grid = self.grid[sign * self.grid <= sign * self.refused.time_reached]
            solved, self.grid = self.grid[self.index], grid if len(grid) else asked[:1]
            self.index = np.searchsorted(sign * self.grid, sign * solved)

    def _switchings(self, times: SwitchingTimes | None) -> list[Switching]:
        """Return the switching instants on the way, in the order in which they are met."""
        asked = self.asked
        if times is None:
            return []
        if asked[0] == asked[-1]:
            here = times.around(float(asked[0]))
            return [] if here is None else [here]
        return times.on_the_way(float(asked[0]), float(asked[-1]), MOST)

    def _refuse_motions(self, q: Floats) -> None:
        """Find the first motion whose value jumps: that does not depend on where the mechanism is."""
        s = self.system
        for item in self.passed:
            pole = unbounded(s, q, item, item.before - float(self.asked[0]))
            if pole is not None:
                self.refused = pole
                return
            moved = moved_at(s, q, item)
            moved[: s.joint_rows] = 0.0
            try:
                refuse_nothing(s, q, np.zeros(s.nv), item)
                refuse_positions(s, item, moved)
            except JumpError as found:
                self.refused = found.status
                return

    # --- what was asked for -------------------------------------------------------------------------------------------
    def thinned(self, motion: Motion) -> Motion:
        """Return the motion at the instants that were asked for, with a note where velocities jump."""
        if len(self.passed) == 0:
            return motion
        status = self._coupler_jump(motion) or self.refused
        reached = len(motion.t)
        if status is not None:
            sign = 1.0 if self.asked[-1] >= self.asked[0] else -1.0
            reached = int(np.sum(sign * motion.t <= sign * status.time_reached))
        elif motion.status.success:
            status = replace(motion.status, time_reached=float(self.asked[-1]))
        kept = self.index < reached
        which = self.index[kept]
        references = motion.references[which] if motion.references.ndim == 2 else motion.references
        jumps = self._jumps(motion)
        notes = [*motion.notes, *_notes(jumps)]
        return replace(
            motion, t=self.asked[kept], q=motion.q[which], v=motion.v[which], a=motion.a[which], sigma=motion.sigma[which],
            references=references, status=status or motion.status, notes=notes, passed=self.passed, jumps=jumps,
        )  # fmt: skip

    def _coupler_jump(self, motion: Motion) -> Status | None:
        """Return the status of a coupler whose value jumped between two neighboring instants, None if none did."""
        s = self.system
        for k, item in self._pairs(motion):
            s.ref[:] = motion.references[k] if motion.references.ndim == 2 else motion.references
            try:
                refuse_positions(s, item, moved_at(s, np.ascontiguousarray(motion.q[k]), item))
            except JumpError as found:
                return found.status
        return None

    def _pairs(self, motion: Motion) -> list[tuple[int, Switching]]:
        """Return the switching instants whose time before was solved, with its place."""
        at = {float(t): k for k, t in enumerate(motion.t)}
        return [(at[item.before], item) for item in self.passed if item.before in at]

    def _jumps(self, motion: Motion) -> list[Jump]:
        """Return the switching instants at which velocities jump."""
        scale, found = self.system.scale_columns, []
        speed = float(np.max(np.abs(motion.v / scale), initial=0.0))
        for k, item in self._pairs(motion):
            if k + 1 < len(motion.t) and np.any(np.abs((motion.v[k + 1] - motion.v[k]) / scale) > JUMPS * speed):
                references = motion.references[k] if motion.references.ndim == 2 else motion.references
                found.append(Jump(item, motion.q[k].copy(), motion.v[k].copy(), references.copy()))
        return found


def with_limits(passed: list[Switching], asked: Floats) -> tuple[Floats, Floats]:
    """Return the instants to be solved, and those among them that stand for what was asked for.

    Parameters
    ----------
    passed : list of Switching
        In the order in which they are met; those beyond the last instant do not count.
    asked : array (..., instants)
        Monotonic times, of one mechanism or of several.

    Returns
    -------
    grid : array (..., instants)
        Every instant once, NaN behind the last one of mechanisms that have fewer than others.
    solved : array (..., instants)
    """
    sign = np.where(asked[..., -1:] >= asked[..., :1], 1.0, -1.0)
    solved, ends = limits_behind(passed, asked), np.array([(item.before, item.after) for item in passed]).reshape(-1, 2)
    way, last, first = sign[..., None], asked[..., -1:, None], solved[..., :1, None]
    met = (way * ends[:, :1] <= way * last) & (way * ends > way * first)
    extra = np.where(met, ends, np.nan).reshape(*asked.shape[:-1], ends.size)
    grid = np.sort(sign * np.concatenate([solved, extra], axis=-1))  # NaN last
    grid[..., 1:][grid[..., 1:] == grid[..., :-1]] = np.nan
    grid.sort()
    return sign * grid[..., : int(np.max(np.sum(np.isfinite(grid), axis=-1)))], solved


def solved_grid(passed: list[Switching], asked: Floats) -> tuple[Floats, Integers]:
    """Return the instants to be solved, and which of them stand for what was asked for; arguments as of :func:`with_limits`."""
    sign, (grid, solved) = 1.0 if asked[-1] >= asked[0] else -1.0, with_limits(passed, asked)
    return grid, np.searchsorted(sign * grid, sign * solved)


def _notes(jumps: list[Jump]) -> list[str]:
    """Return a sentence where velocities jump: which limit is given."""
    if not jumps:
        return []
    where = ", ".join(f"{jump.switching.time:.6g}" for jump in jumps[:5]) + (", …" if len(jumps) > 5 else "")
    return [f"velocities jump at t = {where}: those behind are given, accelerations and forces without the impulse"]
