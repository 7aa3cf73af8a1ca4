"""Check: what a mechanism is before it moves: mobility, redundant equations, unique reactions, singularity, loops.

Ranks are taken at the pose and at poses around it. A rank that is lower only here is a crossing of motions (a change
point), not a further degree of freedom, so mobility counts the general rank.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from multibody.analyses.check.four_body_loops import LoopFinder
from multibody.analyses.check.report import CheckReport, shortened
from multibody.analyses.check.tree_report import describe_tree
from multibody.analyses.given.own_options import own_options
from multibody.errors import AnalysisError
from multibody.model.model import Model
from multibody.rank.around import STEPS
from multibody.rank.decider import DENSE_COLUMNS, Decider, Rank, scaled_rows
from multibody.rank.elimination import Matrix
from multibody.rank.freedom import idle_freedoms, undriven_coordinates, unique_reactions
from multibody.rank.generic import DENSE, Joints, free_direction, singular_value
from multibody.state.poses import drawn_pose
from multibody.state.system import Floats, System, tables_of
from multibody.tables.scope import Scope
from multibody.tables.tree import Tree, spanning_tree

ASSEMBLED = 1e-8  # largest scaled residual of a pose that counts as assembled
MOST_GROUPS = 50
NEAR = 0.02  # a smallest singular value below this is near zero if it is also small beside those around


def check(model: Model, q: Floats | None = None, t: float = 0.0, cut: Sequence[str] | None = None) -> CheckReport:
    """Judge a mechanism at a pose and around it.

    Parameters
    ----------
    model : Model
    q : array, optional
        Pose: center of mass and angle (planar) or unit quaternion (spatial) of each body, then the extra coordinates.
        Default: the assembled pose; where assembly fails, a pose that closes the joints, else the drawn one.
    t : float
        Time at which joints that depend on it are taken.
    cut : sequence of str, optional
        Joints that the spanning tree cuts, exactly these; by default they are chosen.

    Returns
    -------
    CheckReport
        Never fails on redundant, singular or immobile mechanisms: it says that they are.
    """
    system = System(tables_of(model))
    tree = spanning_tree(system.tables, own_options(model, "check", cut=cut)["cut"])
    notes: list[str] = []
    pose = _start(model, system, t, notes) if q is None else _given(system, q, t, notes)
    return _Checker(system, pose, t, notes).report(tree)


def _given(system: System, q: Floats, t: float, notes: list[str]) -> Floats:
    """Return the given pose, polished where it is nearly assembled."""
    pose = np.array(q, dtype=float)
    if pose.shape != (system.nq,) or not np.all(np.isfinite(pose)):
        raise AnalysisError(f"check: this is no pose of the model; give {system.nq} finite numbers")
    system.take_references(pose)
    joints = Joints(system, t, np.zeros(system.joint_rows))
    if joints.worst(pose) < 1e-4:
        polished = joints.project(pose)
        return pose if polished is None else polished
    worst = int(np.argmax(np.abs(joints.residual(pose))))
    notes.append(f'the given pose is not assembled (worst: "{system.tables.rows[worst].name}"); judged as it is')
    return pose


def _start(model: Model, system: System, t: float, notes: list[str]) -> Floats:
    """Return the assembled pose; where there is none, one that closes at least the joints, else the drawn pose."""
    from multibody.analyses.assembly.assemble import assemble

    state = assemble(model, t=t)
    system.ref[:] = state.references
    joints = Joints(system, t, np.zeros(system.joint_rows))
    if state.ok:
        return state.q.copy()
    if joints.worst(state.q) < ASSEMBLED:
        rest = np.max(np.abs(system.phi(state.q, t) * system.scale_rows[: system.rows]), initial=0.0)
        where = "at the assembled positions" if rest < ASSEMBLED else "where the joints alone are closed"
        notes.append(f"assembly fails: {state.status.message}; judged {where}")
        return state.q.copy()
    drawn = drawn_pose(system)
    system.take_references(drawn)
    closed = joints.project(drawn)
    where = "in the drawn pose, which is not closed" if closed is None else "where the joints alone are closed"
    notes.append(f"assembly fails: {state.status.message}; judged {where}")
    return drawn if closed is None else closed


@dataclass
class _Judged:
    """Rows that are judged together: at the pose, and at the pose around it where their rank is largest."""

    here: Rank
    general: Rank
    J: Matrix
    J_general: Matrix
    q_general: Floats


class _Checker:
    """One check: poses around the given one, then everything that follows from the ranks there."""

    def __init__(self, system: System, q: Floats, t: float, notes: list[str]) -> None:
        self.system, self.q, self.t, self.notes = system, q, t, notes
        self.tables = system.tables
        joints = Joints(system, t, np.zeros(system.joint_rows))
        self.assembled = joints.worst(q) < ASSEMBLED
        self.joints = joints if self.assembled else Joints(system, t, joints.residual(q))
        self.shaky, self.conflicting = False, list[str]()
        self.rows = self._judge(system.joint_rows)
        self.driven = self._judge(system.rows) if system.rows > system.joint_rows else self.rows

    # --- ranks --------------------------------------------------------------------------------------------------------
    def _judge(self, count: int) -> _Judged:
        """Judge the first `count` rows here and around."""
        decider = Decider(self.system, count, relative=self.assembled)
        J = decider.jacobian(self.q, self.t)
        here = decider.decide(J)
        best = _Judged(here, here, J, J, self.q)
        poses = self._poses(J) if here.rank < min(J.shape) else []
        if self.shaky:  # poses that do not satisfy the joints
            decider = Decider(self.system, count, relative=False)
        for pose in poses:
            J_pose = decider.jacobian(pose, self.t)
            rank = decider.decide(J_pose)
            if rank.rank > best.general.rank:
                best = _Judged(here, rank, J, J_pose, pose)
        for rank in {id(best.here): best.here, id(best.general): best.general}.values():
            if rank.unclear > 0.0:
                text = f"a pivot of {rank.unclear:.1e} is neither clearly zero nor not; the rank may be off by one"
                self.notes.extend([] if text in self.notes else [text])
        return best

    @cached_property
    def around(self) -> list[Floats]:
        """Assembled poses at finite distance; sought only where the rank here could be a special one."""
        poses, back, lost = self.joints.neighbors(self.q, 6 if self.system.nv <= DENSE_COLUMNS else 2)
        self.shaky = back > 0 and not poses  # it gives way but comes back: free to first order only
        if lost and not poses and not back:
            self.notes.append("no pose around was found: ranks are those of this pose alone")
        return poses

    def _poses(self, J: Matrix) -> list[Floats]:
        """Return the poses around, for a shaky structure poses along free directions that do not satisfy the joints."""
        if self.around or not self.shaky:
            return self.around
        random = np.random.default_rng(0)
        moved = [free_direction(J, random) * self.system.scale_columns * step for step in STEPS]
        return [self.system.displaced(self.q, step) for step in moved]

    @property
    def mobility(self) -> int:
        """Degrees of freedom of the joints alone, in general."""
        return self.system.nv - self.rows.general.rank

    # --- singularity --------------------------------------------------------------------------------------------------
    def _smallest(self, J: Matrix, here: Rank, general: int) -> float:
        """Return the singular value that must not vanish: the one with the number of the general rank."""
        if J.shape[1] <= DENSE:
            return singular_value(J, general)
        if here.rank < general:
            return 0.0
        if here.dropped:
            text = "the smallest singular value is that of the equations without the redundant ones"
            self.notes.extend([] if text in self.notes else [text])
        return singular_value(J[here.independent], general)

    def _singularity(self, judged: _Judged) -> tuple[float | None, str]:
        """Return the smallest singular value and what it means."""
        general = judged.general.rank
        if general == 0:
            return None, "regular"
        value = self._smallest(judged.J, judged.here, general)
        here, usual = self.rows.here.rank, self.rows.general.rank
        if self.shaky and here < usual:
            return value, f"singular: the structure gives way to first order (rank {here}, {usual} around)"
        if here < usual:
            return value, f"singular: a change point, the rank is {here} here and {usual} around"
        if judged.here.rank < general:
            return value, f"singular: the motions cannot drive it here, rank {judged.here.rank} instead of {general}"
        if value < NEAR:
            around = max((self._value_at(pose, judged, general) for pose in self.around[:3]), default=1.0)
            if value < 0.1 * around:
                return value, f"near a singular configuration (singular value {value:.2g}, {around:.2g} around)"
        return value, "regular"

    def _value_at(self, pose: Floats, judged: _Judged, general: int) -> float:
        """Return the singular value in question at a pose around, taken on the rows that are independent here."""
        J = scaled_rows(self.system, pose, self.t, judged.J.shape[0])
        return self._smallest(J, judged.here, general)

    # --- motions ------------------------------------------------------------------------------------------------------
    def _motions(self, idle: list[str]) -> bool:
        """Note what the motions leave free or prescribe twice; return whether they drive all but idle freedom."""
        effective = self.driven.general.rank - self.rows.general.rank
        left = self.mobility - effective
        self._conflicts()
        if left > 0:
            names = undriven_coordinates(self.system, self.driven.q_general, self.driven.J_general)
            one = left == 1
            text = f"{left} degree{'' if one else 's'} of freedom {'is' if one else 'are'} not driven"
            if names:
                text += f"; a motion could go on {', '.join(names)}"
            elif len(idle) == left:
                text += " (idle)"
            self.notes.append(text)
        return left <= len(idle)

    def _conflicts(self) -> None:
        """Note motions that are prescribed by others or by the joints."""
        first, rank = self.system.joint_rows, self.driven.general
        columns = rank.left.tocsc()
        for k, r in enumerate(rank.dropped):
            if r >= first:
                support = columns.indices[columns.indptr[k] : columns.indptr[k + 1]]
                others = [f'"{self.tables.rows[s].owner}"' for s in support if s >= first and s != r]
                name = self.tables.rows[r].owner
                self.conflicting.append(name)
                if others:
                    which = f"motion {others[0]}" if len(others) == 1 else f"the motions {', '.join(others)}"
                    self.notes.append(f'motion "{name}" conflicts with {which}: the one determines the other')
                else:
                    self.notes.append(f'motion "{name}" drives what the joints hold fixed; remove it or free a joint')

    # --- the report ---------------------------------------------------------------------------------------------------
    def report(self, tree: Tree) -> CheckReport:
        """Return everything."""
        system, general = self.system, self.rows.general
        idle = idle_freedoms(system, self.rows.q_general, self.rows.J_general) if self.mobility else []
        if idle:
            self.notes.append(f"mobility {self.mobility}, of which {len(idle)} idle")
        full = self._motions(idle) if system.rows > system.joint_rows else False
        value, nearness = self._singularity(self.driven if full else self.rows)
        if self.conflicting:
            nearness += f" without the motion{'s' if len(self.conflicting) > 1 else ''} {shortened(self.conflicting)}"
        if self.shaky:  # the poses around do not satisfy the joints
            unique = unique_reactions(system, self.q, self.rows.J, self.rows.here)
        else:
            unique = unique_reactions(system, self.rows.q_general, self.rows.J_general, general)
        names = [row.name for row in self.tables.rows]
        return CheckReport(
            name=self.tables.model.name,
            dimension=self.tables.dimension,
            gravity=gravity_text(self.tables.model),
            coordinates=system.nv,
            equations=system.joint_rows,
            rank=self.rows.here.rank,
            generic_rank=general.rank,
            mobility=self.mobility,
            gruebler=system.nv - system.joint_rows,
            motions=system.rows - system.joint_rows,
            redundant=[names[r] for r in general.dropped],
            dependent_groups=self._groups(general, names),
            unique_reactions={name: item.all for name, item in unique.items()},
            reaction_components={name: {"force": u.force, "moment": u.moment} for name, u in unique.items()},
            smallest_singular_value=value,
            nearness=nearness,
            idle=idle,
            loops=LoopFinder(system, self.q).describe(),
            notes=self.notes,
            tree=describe_tree(self.tables, tree),
        )

    def _groups(self, rank: Rank, names: list[str]) -> list[list[str]]:
        """Return the names of the rows of each dependency."""
        columns = rank.left.tocsc()
        if len(rank.dropped) > MOST_GROUPS:
            self.notes.append(f"dependent groups: the first {MOST_GROUPS} of {len(rank.dropped)} are listed")
        spans = [columns.indices[columns.indptr[k] : columns.indptr[k + 1]] for k in range(len(rank.dropped))]
        return [[names[r] for r in sorted(span)] for span in spans[:MOST_GROUPS]]


def gravity_text(model: Model) -> str:
    """Return gravity in words: ``none`` or its components with the unit."""
    if model.gravity is None:
        return "none"
    scope = Scope(model)
    vector = scope.numeric(scope.vector(model.gravity, model.dimension, "gravity"), "gravity")
    unit = f"{model.units.length}/{model.units.time}²"
    return f"({', '.join(f'{x:g}' for x in vector)}) {unit}" if any(vector) else "none"
