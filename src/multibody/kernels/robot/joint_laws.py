"""Stops, friction, springs and dampers along coordinates of the tree, straight from q and v: no body has to be found for them.

A robot from a file has one or two at every joint; through the poses of its bodies they take four times as long as its dynamics.
"""

from __future__ import annotations

from multibody.kernels import codes as L
from multibody.kernels.compile import inner_kernel, kernel
from multibody.kernels.declared import friction_law, model_at, scratch_at
from multibody.kernels.forces import law_effort
from multibody.kernels.robot.declared import joint_laws_at
from multibody.kernels.robot.dynamics import finite_sum, forward_one, inverse_one
from multibody.kernels.tags import PLANAR, SPATIAL


@inner_kernel
def _add_laws(laws, model, factor, q, v, out):
    """Add `factor` times the efforts of all laws of one state."""
    for k in range(laws.law.size):
        law, r = model.laws[laws.law[k]], laws.rate[k]
        load = friction_law(model.numbers, law.numbers).load if law.kind == L.FRICTION else 0.0
        out[r] += factor * law_effort(model.numbers, law, q[laws.place[k]], v[r], load, True)[0]


@kernel
def joint_law_efforts(laws, model, q, v, out):
    """Add the efforts (states, nv) of the laws of a robot."""
    laws, model = joint_laws_at(laws), model_at(model)
    for k in range(q.shape[0]):
        _add_laws(laws, model, 1.0, q[k], v[k], out[k])


@inner_kernel
def _inverse(d, laws, model, scratch, q, v, a, tau):
    """Write the efforts tau (nv) that one state needs beside its laws; return 1, or 0 as ``inverse_one`` does."""
    if inverse_one(d, model.tree, scratch.tree, q, v, a, tau) == 0:
        return 0
    _add_laws(laws, model, -1.0, q, v, tau)
    return finite_sum(tau)


@kernel
def inverse_with_laws(laws, model, scratch, q, v, a, tau):
    """See :func:`_inverse`."""
    laws, model, scratch = joint_laws_at(laws), model_at(model), scratch_at(scratch)
    if model.planar:
        return _inverse(PLANAR, laws, model, scratch, q, v, a, tau)
    return _inverse(SPATIAL, laws, model, scratch, q, v, a, tau)


@inner_kernel
def _forward(d, laws, work, model, scratch, q, v, tau, a):
    """Write the accelerations a (nv) of one state under tau and its laws; return 1, or 0 as ``forward_one`` does."""
    if q.shape[0] != model.tree.nq or v.shape[0] != work.shape[0] or tau.shape[0] != work.shape[0]:
        return 0
    for k in range(work.shape[0]):
        work[k] = tau[k]
    _add_laws(laws, model, 1.0, q, v, work)
    return forward_one(d, model.tree, scratch.tree, q, v, work, a)


@kernel
def forward_with_laws(laws, work, model, scratch, q, v, tau, a):
    """See :func:`_forward`."""
    laws, model, scratch = joint_laws_at(laws), model_at(model), scratch_at(scratch)
    if model.planar:
        return _forward(PLANAR, laws, work, model, scratch, q, v, tau, a)
    return _forward(SPATIAL, laws, work, model, scratch, q, v, tau, a)
