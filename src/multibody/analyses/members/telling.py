"""What members are told before their first step: feedback of violations, a partition, what the error test counts.

The same as ``analyses/dynamics/settling.py`` tells a single run, of all members in compiled loops.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from multibody.analyses.dynamics.settling import feedback_of
from multibody.integrators import deciding_members as M
from multibody.kernels.calls import address_of
from multibody.kernels.declared import Settings
from multibody.state.system import Floats, Integers

if TYPE_CHECKING:
    from multibody.analyses.members.batch import Batch

ALPHA, BETA, RATIO = (Settings.fields[name].slot for name in ("alpha", "beta", "partition_ratio"))


def tell(b: Batch, which: Integers) -> None:
    """Tell members what simulations are told."""
    formulation = b.members.choice.formulation
    b.counted[which], b.counted[which, -1] = 1.0, 0.0
    if formulation.stabilized:
        _tell_feedback(b, which)
    if formulation.partitioned:
        _tell_partition(b, which)


def _tell_feedback(b: Batch, which: Integers) -> None:
    """Write α and β; α damps in the direction in which time goes."""
    formulation, start = b.members.choice.formulation, b.members.start
    alpha, beta = formulation.feedback
    own = _own_feedback(b, which) if alpha is None or beta is None else np.zeros(len(which))
    told = own if alpha is None else np.full(len(which), alpha)
    b.settings[which, BETA] = own if beta is None else beta
    b.settings[which, ALPHA] = np.copysign(told, b.ends[which] - start)


def _own_feedback(b: Batch, which: Integers) -> Floats:
    """Return α = β of every member from the fastest rate at its start."""
    space, rates = b.members.space, np.zeros((len(which), b.starts.shape[1]))
    b.settings[which, ALPHA] = b.settings[which, BETA] = 0.0
    rhs = address_of(b.members.choice.formulation.kernels()[0], b.planar)
    M.rate_members(rhs, which, b.models, b.states, b.scratch.address, b.members.start, b.starts, rates)
    part = slice(space.nq, space.nq + space.nv)
    v, a = (
        np.max(np.abs(x[:, part] / b.column_scale[which]), axis=1, initial=0.0) for x in (b.starts[which], rates)
    )  # fmt: skip
    return np.asarray(feedback_of(v, a, b.tables))


def _tell_partition(b: Batch, which: Integers) -> None:
    """Choose dependent columns, each member its own."""
    space, ratios = b.members.space, np.zeros(len(which))
    n, rows = space.nv, len(space.bundle.chosen)
    M.partition_members(
        b.at(space.choose, M.CHOOSE), which, b.models, b.states, b.scratch.address, b.members.start, b.starts,
        np.zeros(n * rows), np.zeros(n, dtype=np.int64), b.counted, ratios,
    )  # fmt: skip
    b.settings[which, RATIO] = ratios
