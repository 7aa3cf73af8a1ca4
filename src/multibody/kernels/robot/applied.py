"""What springs, dampers, efforts and loads of the model do to a tree, its energies, and the state of the bodies."""

from __future__ import annotations

from multibody.kernels import layout as L
from multibody.kernels.compile import inner_kernel, kernel
from multibody.kernels.declared import model_at, scratch_at, state_at
from multibody.kernels.forces import add_actions, law_energy
from multibody.kernels.tree import layout as T
from multibody.kernels.tree.algebra import carried, inner, load, plus, rigid_times, store, width
from multibody.kernels.tree.bodies import write_poses, write_state, write_twists, write_wrenches
from multibody.kernels.tree.frames import center_of, column_of, link_of, offset, origin_of, record_of, state_of
from multibody.kernels.tree.motion import motions, rigid


@inner_kernel
def count_from(ref, turns, q):
    """Let angles of joints count their turns from the coordinates: `turns` has rows (function, place in q)."""
    for k in range(turns.shape[0]):
        ref[turns[k, 0]] = q[turns[k, 1]]


@inner_kernel
def apply_forces(d, model, state, scratch, t, h):
    """Write what laws and loads do to the links to W_WRENCH, about o; frames and motions of the links are known."""
    I, W = model.I, scratch.W
    n, Q = I[L.VELOCITIES], I[h + T.W_FORCE]
    write_poses(d, model, scratch, h)
    write_twists(d, model, scratch, h)
    for c in range(n):
        W[Q + c] = 0.0
    add_actions(model, state, scratch, t, W[Q : Q + n])
    write_wrenches(d, model, scratch, h, Q)


@inner_kernel
def _applied(d, model, state, scratch, t, h, q, v, out):
    I, W = model.I, scratch.W
    w = width(d)
    motions(d, model, scratch, h, q, v)
    apply_forces(d, model, state, scratch, t, h)
    for i in range(I[h + T.LINK_COUNT] - 1, -1, -1):
        link, f = link_of(model, h, i), load(d, W, I[h + T.W_WRENCH] + w * i)
        for j in range(I[link + T.FIRST], I[link + T.FIRST] + I[link + T.COUNT]):
            out[I[record_of(model, h, j) + T.RATE]] = inner(d, load(d, W, column_of(d, model, h, j)), f)
        c = I[link + T.CARRIER]
        if c >= 0:
            if I[link + T.OWN_POINT] == 1:
                f = carried(d, offset(d, model, scratch, h, i), f)
            p = I[h + T.W_WRENCH] + w * c
            store(d, W, p, plus(d, 1.0, f, load(d, W, p)))


@kernel
def applied_forces(model, state, scratch, t, turns, q, v, out, flat=None):
    """Write the generalized forces (states, nv) of the model's own laws and loads at the time t."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    I, ref = model.I, state.ref
    for k in range(q.shape[0]):
        count_from(ref, turns, q[k])
        if flat is None:
            _applied(True, model, state, scratch, t, I[T.TREE], q[k], v[k], out[k])
        else:
            _applied(None, model, state, scratch, t, I[T.TREE], q[k], v[k], out[k])


@inner_kernel
def _energies(d, model, state, scratch, h, q, v):
    """Return kinetic and potential energy."""
    I, F, W = model.I, model.F, scratch.W
    w, kinetic, potential, g = width(d), 0.0, 0.0, I[L.GRAVITY]
    motions(d, model, scratch, h, q, v)
    for i in range(I[h + T.LINK_COUNT]):
        s = state_of(d, model, scratch, h, i)
        y, K, c = load(d, W, s + T.MOTION * w), rigid(d, model, scratch, h, i), center_of(d, W, s)
        kinetic += 0.5 * inner(d, y, rigid_times(d, K, y))
        o = origin_of(d, W, s)
        for k in range(len(c)):
            potential -= K[0] * F[g + k] * (o[k] + c[k])
    if I[L.LAW_COUNT] > 0:
        write_poses(d, model, scratch, h)
        potential += law_energy(model, state, scratch, 0.0)
    return (kinetic, potential)


@kernel
def tree_energies(model, state, scratch, turns, q, v, out, flat=None):
    """Write kinetic and potential energy (states, 2), the latter of gravity (zero at the ground's origin) and springs."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    I, ref = model.I, state.ref
    for k in range(q.shape[0]):
        count_from(ref, turns, q[k])
        if flat is None:
            out[k, 0], out[k, 1] = _energies(True, model, state, scratch, I[T.TREE], q[k], v[k])
        else:
            out[k, 0], out[k, 1] = _energies(None, model, state, scratch, I[T.TREE], q[k], v[k])


@inner_kernel
def _bodies(d, model, scratch, h, q, v, y):
    motions(d, model, scratch, h, q, v)
    write_poses(d, model, scratch, h)
    write_twists(d, model, scratch, h)
    write_state(d, model, scratch, h, y)


@kernel
def body_states(model, scratch, q, v, Y, flat=None):
    """Write the Cartesian positions and velocities of all bodies, one row a state."""
    model, scratch = model_at(model), scratch_at(scratch)
    I = model.I
    for k in range(q.shape[0]):
        if flat is None:
            _bodies(True, model, scratch, I[T.TREE], q[k], v[k], Y[k])
        else:
            _bodies(None, model, scratch, I[T.TREE], q[k], v[k], Y[k])
