"""Forces of joints: all of them by recursive Newton–Euler, or named ones from what forming the equations made.

Kim, You (1996), eqs. (30), (31), (36): R̂_i = G_i + K_i a_i + Σ U_l q̈_l over the columns l beyond link i, with K and
G = K S − L summed over the subtree and U_l = K_l B_l. The moment is then taken about the joint's point.
"""

from __future__ import annotations

from multibody.kernels.compile import inner_kernel, kernel
from multibody.kernels.declared import model_at, scratch_at, state_at
from multibody.kernels.robot.applied import apply_forces, count_from
from multibody.kernels.robot.dynamics import forward_state
from multibody.kernels.tree import layout as T
from multibody.kernels.tree.algebra import carried, inner, load, load_rigid, moved, plus, rigid_times, store, width, zero
from multibody.kernels.tree.composite import bodies, mass_matrix, sum_forces, sum_inertias
from multibody.kernels.tree.frames import column_of, link_of, offset, origin_of, record_of, state_of
from multibody.kernels.tree.inertias import inertia_times, load_inertia
from multibody.kernels.tree.motion import motions
from multibody.kernels.tree.newton_euler import outward
from multibody.kernels.vectors import add, apply, load3, load9, subtract


# --- where and how a joint's wrench is told ----------------------------------------------------------------------------
@inner_kernel
def _own_point(d, W, at):
    """Return the joint's point on the link whose state lies at W[at…], from o."""
    if d is None:
        return (W[at + 3], W[at + 4])
    return load3(W, at + 9)


@inner_kernel
def _carrier_point(d, model, scratch, h, i, e):
    """Return the joint's point on the carrier of link i, from o of link i, which is e from the carrier's."""
    I, W = model.I, scratch.W
    c = I[link_of(model, h, i) + T.CARRIER]
    if d is None:
        k, p = I[h + T.W_CONSTANT] + 9 * i, state_of(d, model, scratch, h, c)
        if c < 0:
            return (W[k + 3] - e[0], W[k + 4] - e[1])
        x, y = W[p + 3] + W[p + 1] * W[k + 3] - W[p + 2] * W[k + 4], W[p + 4] + W[p + 2] * W[k + 3] + W[p + 1] * W[k + 4]
        return (x - e[0], y - e[1])
    s, p = load3(W, I[h + T.W_CONSTANT] + 31 * i + 9), state_of(d, model, scratch, h, c)
    if c >= 0:
        s = add(load3(W, p + 9), apply(load9(W, p), s))
    return subtract(s, e)


@inner_kernel
def offset_of(d, model, scratch, h, i):
    """Return o of link i from o of its carrier (of the ground: from its origin)."""
    I = model.I
    if I[link_of(model, h, i) + T.OWN_POINT] == 1:
        return offset(d, model, scratch, h, i)
    if d is None:
        return (0.0, 0.0)
    return (0.0, 0.0, 0.0)


@inner_kernel
def _about(d, e, f):
    """Return a force about o as one about the point e from o."""
    if d is None:
        return carried(d, (-e[0], -e[1]), f)
    return carried(d, (-e[0], -e[1], -e[2]), f)


@inner_kernel
def _along(d, kind, k, B, f):
    """Return f, about the joint's point, without an effort k along the column B: a couple, of a slide a force."""
    if d is None:
        if kind == T.SLIDE:
            return (f[0] - k * B[0], f[1] - k * B[1], f[2])
        return (f[0], f[1], f[2] - k * B[2])
    if kind == T.SLIDE:
        return (f[0] - k * B[0], f[1] - k * B[1], f[2] - k * B[2], f[3], f[4], f[5])
    return (f[0], f[1], f[2], f[3] - k * B[3], f[4] - k * B[4], f[5] - k * B[5])


@inner_kernel
def tell(d, model, scratch, h, i, e, backward, drives, f, out):
    """Write the wrench on the joint's second body at its second point, from R̂ = f on link i about o; eq. (31).

    Parameters
    ----------
    e : tuple
        o of link i from o of its carrier.
    backward : int
        1 where the link is the joint's first body.
    drives : int
        0: without the efforts along the joint's coordinates.
    """
    I, W = model.I, scratch.W
    link = link_of(model, h, i)
    if backward == 0:
        x = _about(d, _own_point(d, W, state_of(d, model, scratch, h, i)), f)
    else:
        x = _about(d, _carrier_point(d, model, scratch, h, i, e), f)
    if drives == 0:
        for j in range(I[link + T.FIRST], I[link + T.FIRST] + I[link + T.COUNT]):
            B = load(d, W, column_of(d, model, h, j))
            x = _along(d, I[record_of(model, h, j) + T.KIND], inner(d, B, f), B, x)
    if backward == 1:
        x = plus(d, -1.0, x, zero(d))
    for k in range(len(x)):
        out[k] = x[k]


# --- all joints ---------------------------------------------------------------------------------------------------------
@inner_kernel
def sum_wrenches(d, model, scratch, h):
    """Sum the forces of the links inward: R̂ of every joint stays with its link."""
    I, W = model.I, scratch.W
    w = width(d)
    for i in range(I[h + T.LINK_COUNT] - 1, -1, -1):
        link = link_of(model, h, i)
        c = I[link + T.CARRIER]
        if c >= 0:
            f = load(d, W, state_of(d, model, scratch, h, i) + T.FORCE * w)
            if I[link + T.OWN_POINT] == 1:
                f = carried(d, offset(d, model, scratch, h, i), f)
            p = state_of(d, model, scratch, h, c) + T.FORCE * w
            store(d, W, p, plus(d, 1.0, f, load(d, W, p)))


@inner_kernel
def _reactions(d, model, state, scratch, t, acted, which, drives, q, v, a, out):
    I, W = model.I, scratch.W
    h, w = I[T.TREE], width(d)
    outward(d, model, scratch, h, q, v, a)
    if acted is not None:
        apply_forces(d, model, state, scratch, t, h)
        for i in range(I[h + T.LINK_COUNT]):
            at = state_of(d, model, scratch, h, i) + T.FORCE * w
            store(d, W, at, plus(d, -1.0, load(d, W, I[h + T.W_WRENCH] + w * i), load(d, W, at)))
    sum_wrenches(d, model, scratch, h)
    for k in range(which.shape[0]):
        i = which[k, 0]
        f = load(d, W, state_of(d, model, scratch, h, i) + T.FORCE * w)
        tell(d, model, scratch, h, i, offset_of(d, model, scratch, h, i), which[k, 1], drives, f, out[k])


@kernel
def joint_reactions(model, state, scratch, t, acted, turns, which, drives, q, v, a, out, flat=None):
    """Write the wrenches (states, joints, 3 or 6) of joints by recursive Newton–Euler.

    Parameters
    ----------
    acted : True or None
        Whether there are laws or loads; known when this is compiled.
    which : array (joints, 2)
        Link, and 1 where it is the joint's first body.
    drives : int
        1: with the efforts along the joint's coordinates.
    """
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    ref = state.ref
    for k in range(q.shape[0]):
        count_from(ref, turns, q[k])
        if flat is None:
            _reactions(True, model, state, scratch, t, acted, which, drives, q[k], v[k], a[k], out[k])
        else:
            _reactions(None, model, state, scratch, t, acted, which, drives, q[k], v[k], a[k], out[k])


# --- selected joints ----------------------------------------------------------------------------------------------------
@inner_kernel
def change_of(d, model, scratch, h, i, a):
    """Return a_i = Σ B q̈ over the columns that carry link i, about its o: Ẏ = S + a; eq. (8) summed."""
    I, W = model.I, scratch.W
    x, link, k, apart = zero(d), i, I[link_of(model, h, i) + T.LAST], False
    at = state_of(d, model, scratch, h, i)
    while k >= 0:
        record = record_of(model, h, k)
        while link != I[record + T.LINK]:
            apart = apart or I[link_of(model, h, link) + T.OWN_POINT] == 1
            link = I[link_of(model, h, link) + T.CARRIER]
        B = load(d, W, column_of(d, model, h, k))
        if apart:
            B = moved(d, between(d, W, state_of(d, model, scratch, h, link), at), B)
        x = plus(d, a[I[record + T.RATE]], B, x)
        k = I[record + T.INNER]
    return x


@inner_kernel
def one_wrench(d, model, scratch, h, i, x, a):
    """Return R̂ of the joint of link i about o by eq. (30): K, G and U as formed, x = a_i, q̈ in `a`."""
    I, W = model.I, scratch.W
    w, link, at = width(d), link_of(model, h, i), state_of(d, model, scratch, h, i)
    f = plus(d, 1.0, load(d, W, at + T.FORCE * w), rigid_times(d, load_rigid(d, W, at + T.INERTIA * w), x))
    apart = False  # beyond a link with a point of its own, forces are about other points
    for l in range(i + 1, I[link + T.END]):
        other = link_of(model, h, l)
        apart = apart or I[other + T.OWN_POINT] == 1
        for j in range(I[other + T.FIRST], I[other + T.FIRST] + I[other + T.COUNT]):
            u = load(d, W, column_of(d, model, h, j) + w)
            if apart:
                u = carried(d, between(d, W, at, state_of(d, model, scratch, h, l)), u)
            f = plus(d, a[I[record_of(model, h, j) + T.RATE]], u, f)
    return f


@inner_kernel
def _form(d, model, state, scratch, t, acted, h, q, v):
    I = model.I
    motions(d, model, scratch, h, q, v)
    if acted is not None:
        apply_forces(d, model, state, scratch, t, h)
    bodies(d, model, scratch, h, 1)
    sum_inertias(d, model, scratch, h)
    sum_forces(d, model, scratch, h, I[h + T.W_TAU])
    mass_matrix(d, model, scratch, h)


@kernel
def form_equations(model, state, scratch, t, acted, turns, q, v, M, bias, flat=None):
    """Form the equations (15) of one state: M a + bias = τ; what (30) needs stays in W."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    I, W, ref = model.I, scratch.W, state.ref
    h = I[T.TREE]
    count_from(ref, turns, q)
    if flat is None:
        _form(True, model, state, scratch, t, acted, h, q, v)
    else:
        _form(None, model, state, scratch, t, acted, h, q, v)
    for r in range(M.shape[0]):
        first, at = I[I[h + T.H_FIRST] + r], I[I[h + T.H_BASE] + r]
        bias[r] = -W[I[h + T.W_TAU] + r]
        for c in range(r + 1):
            M[r, c] = W[at + c] if c >= first else 0.0
            M[c, r] = M[r, c]


@inner_kernel
def _select(d, model, scratch, h, which, drives, a, out):
    for k in range(which.shape[0]):
        i = which[k, 0]
        f = one_wrench(d, model, scratch, h, i, change_of(d, model, scratch, h, i, a), a)
        tell(d, model, scratch, h, i, offset_of(d, model, scratch, h, i), which[k, 1], drives, f, out[k])


@inner_kernel
def between(d, W, p, at):
    """Return o of the link at W[at…] from o of the link at W[p…]."""
    o, x = origin_of(d, W, at), origin_of(d, W, p)
    if d is None:
        return (o[0] - x[0], o[1] - x[1])
    return subtract(o, x)


@kernel
def selected_reactions(model, scratch, which, drives, a, out, flat=None):
    """Write the wrenches (joints, 3 or 6) of named joints by eqs. (30), (31), of equations that are formed."""
    model, scratch = model_at(model), scratch_at(scratch)
    I = model.I
    if flat is None:
        _select(True, model, scratch, I[T.TREE], which, drives, a, out)
    else:
        _select(None, model, scratch, I[T.TREE], which, drives, a, out)


@inner_kernel
def _drive(d, model, scratch, h, i, a, out):
    I, W = model.I, scratch.W
    f, link = one_wrench(d, model, scratch, h, i, change_of(d, model, scratch, h, i, a), a), link_of(model, h, i)
    for j in range(I[link + T.COUNT]):
        out[j] = inner(d, load(d, W, column_of(d, model, h, I[link + T.FIRST] + j)), f)


@kernel
def selected_effort(model, scratch, i, a, out, flat=None):
    """Write the efforts along the coordinates of the joint of link i by eq. (36), of equations that are formed."""
    model, scratch = model_at(model), scratch_at(scratch)
    I = model.I
    if flat is None:
        _drive(True, model, scratch, I[T.TREE], i, a, out)
    else:
        _drive(None, model, scratch, I[T.TREE], i, a, out)


# --- with forward dynamics ------------------------------------------------------------------------------------------------
@inner_kernel
def _forward_and_select(d, model, scratch, h, which, drives, q, v, tau, a, out):
    W = scratch.W
    bad = forward_state(d, True, model, scratch, h, q, v, tau, a)
    if bad >= 0:
        return bad
    w = width(d)
    for k in range(which.shape[0]):
        i = which[k, 0]
        at = state_of(d, model, scratch, h, i)
        f = inertia_times(d, load_inertia(d, W, at + T.INERTIA * w), load(d, W, at + T.CHANGE * w))
        f = plus(d, 1.0, load(d, W, at + T.FORCE * w), f)
        tell(d, model, scratch, h, i, offset(d, model, scratch, h, i), which[k, 1], drives, f, out[k])
    return -1


@kernel
def forward_reactions(model, scratch, which, drives, q, v, tau, a, out, flat=None):
    """Write accelerations (states, nv) and the wrenches (states, joints, 3 or 6) of named joints; return −1 or a column.

    R̂_i = K_i a_i + G_i as in eq. (30), K and G the articulated inertia and force, in which the sum over what lies beyond is
    contained.
    """
    model, scratch = model_at(model), scratch_at(scratch)
    I = model.I
    h = I[T.TREE]
    for k in range(q.shape[0]):
        if flat is None:
            bad = _forward_and_select(True, model, scratch, h, which, drives, q[k], v[k], tau[k], a[k], out[k])
        else:
            bad = _forward_and_select(None, model, scratch, h, which, drives, q[k], v[k], tau[k], a[k], out[k])
        if bad >= 0:
            return bad
    return -1
