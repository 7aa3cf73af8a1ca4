"""Forces of joints: all of them by recursive Newton–Euler, or named ones from what forming the equations made.

Kim, You (1996), eqs. (30), (31), (36): R̂_i = G_i + K_i a_i + Σ U_l q̈_l over the columns l beyond link i, with K and
G = K S − L summed over the subtree and U_l = K_l B_l. The moment is then taken about the joint's point.
"""

from __future__ import annotations

from multibody.kernels.compile import inner_kernel, kernel
from multibody.kernels.declared import model_at, scratch_at, state_at
from multibody.kernels.modes import FORCES
from multibody.kernels.robot.applied import apply_forces, count_from
from multibody.kernels.robot.dynamics import forward_state
from multibody.kernels.tags import ALONE, KEPT, PLANAR
from multibody.kernels.tree.algebra import carried, inner, load, load_rigid, moved, plus, rigid_times, zero
from multibody.kernels.tree.composite import bodies, mass_matrix, sum_forces, sum_inertias
from multibody.kernels.tree.declared import SLIDE, columns_of, constants_of, links_of
from multibody.kernels.tree.frames import axes_of, between, nowhere, offset_of, origin_of, place
from multibody.kernels.tree.inertias import inertia_times, load_inertia
from multibody.kernels.tree.motion import motions
from multibody.kernels.tree.newton_euler import outward, sum_wrenches, take_off_loads
from multibody.kernels.vectors import add, apply


# --- where and how a joint's wrench is told ----------------------------------------------------------------------------
@inner_kernel
def _carrier_point(d, tree, work, i, e):
    """Return the joint's point on the carrier of link i, from o of link i, which is e from the carrier's."""
    carrier, s = tree.links[i].carrier, place(d, constants_of(d, tree)[i].s)
    if carrier >= 0:
        before = links_of(d, work)[carrier]
        p, A = place(d, before.point), axes_of(d, before)
        if d is PLANAR:
            s = (p[0] + A[1] * s[0] - A[2] * s[1], p[1] + A[2] * s[0] + A[1] * s[1])
        else:
            s = add(p, apply(A, s))
    return between(d, e, s)


@inner_kernel
def own_offset(d, tree, work, i):
    """Return o of link i from o of its carrier (of the ground: from its origin)."""
    if tree.links[i].own_point == 1:
        return offset_of(d, links_of(d, work)[i])
    return nowhere(d)


@inner_kernel
def _about(d, e, f):
    """Return a force about o as one about the point e from o."""
    if d is PLANAR:
        return carried(d, (-e[0], -e[1]), f)
    return carried(d, (-e[0], -e[1], -e[2]), f)


@inner_kernel
def _along(d, kind, k, B, f):
    """Return f, about the joint's point, without an effort k along the column B: a couple, of a slide a force."""
    if d is PLANAR:
        if kind == SLIDE:
            return (f[0] - k * B[0], f[1] - k * B[1], f[2])
        return (f[0], f[1], f[2] - k * B[2])
    if kind == SLIDE:
        return (f[0] - k * B[0], f[1] - k * B[1], f[2] - k * B[2], f[3], f[4], f[5])
    return (f[0], f[1], f[2], f[3] - k * B[3], f[4] - k * B[4], f[5] - k * B[5])


@inner_kernel
def tell(d, tree, work, i, e, backward, drives, f, out):
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
    link = tree.links[i]
    if backward == 0:
        x = _about(d, place(d, links_of(d, work)[i].point), f)
    else:
        x = _about(d, _carrier_point(d, tree, work, i, e), f)
    if drives == 0:
        for j in range(link.first, link.first + link.count):
            B = load(d, columns_of(d, work)[j].B)
            x = _along(d, tree.columns[j].kind, inner(d, B, f), B, x)
    if backward == 1:
        x = plus(d, -1.0, x, zero(d))
    for k in range(len(x)):
        out[k] = x[k]


# --- all joints ---------------------------------------------------------------------------------------------------------
@inner_kernel
def _reactions(d, acted, model, state, scratch, t, which, drives, q, v, a, out):
    tree, work = model.tree, scratch.tree
    outward(d, tree, work, q, v, a)
    if acted is not ALONE:
        apply_forces(d, model, state, scratch, t)
        take_off_loads(d, tree, work)
    sum_wrenches(d, tree, work)
    for k in range(which.shape[0]):
        i = which[k, 0]
        f = load(d, links_of(d, work)[i].force)
        tell(d, tree, work, i, own_offset(d, tree, work, i), which[k, 1], drives, f, out[k])


@kernel
def joint_reactions(d, acted, model, state, scratch, t, turns, which, drives, q, v, a, out):
    """Write the wrenches (states, joints, 3 or 6) of joints by recursive Newton–Euler.

    Parameters
    ----------
    acted : ALONE or ACTED
        Whether there are laws or loads; known when this is compiled.
    which : array (joints, 2)
        Link, and 1 where it is the joint's first body.
    drives : int
        1: with the efforts along the joint's coordinates.
    """
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    for k in range(q.shape[0]):
        count_from(state.ref, turns, q[k])
        _reactions(d, acted, model, state, scratch, t, which, drives, q[k], v[k], a[k], out[k])


# --- selected joints ----------------------------------------------------------------------------------------------------
@inner_kernel
def change_of(d, tree, work, i, a):
    """Return a_i = Σ B q̈ over the columns that carry link i, about its o: Ẏ = S + a; eq. (8) summed."""
    x, link, k, apart = zero(d), i, tree.links[i].last, False
    o = origin_of(d, links_of(d, work)[i])
    while k >= 0:
        column = tree.columns[k]
        while link != column.link:
            apart = apart or tree.links[link].own_point == 1
            link = tree.links[link].carrier
        B = load(d, columns_of(d, work)[k].B)
        if apart:
            B = moved(d, between(d, origin_of(d, links_of(d, work)[link]), o), B)
        x = plus(d, a[column.rate], B, x)
        k = column.inner
    return x


@inner_kernel
def one_wrench(d, tree, work, i, x, a):
    """Return R̂ of the joint of link i about o by eq. (30): K, G and U as formed, x = a_i, q̈ in `a`."""
    now = links_of(d, work)[i]
    f = plus(d, 1.0, load(d, now.force), rigid_times(d, load_rigid(d, now.inertia), x))
    apart = False  # beyond a link with a point of its own, forces are about other points
    for l in range(i + 1, tree.links[i].end):
        other = tree.links[l]
        apart = apart or other.own_point == 1
        for j in range(other.first, other.first + other.count):
            u = load(d, columns_of(d, work)[j].U)
            if apart:
                u = carried(d, between(d, origin_of(d, now), origin_of(d, links_of(d, work)[l])), u)
            f = plus(d, a[tree.columns[j].rate], u, f)
    return f


@inner_kernel
def _form(d, acted, model, state, scratch, t, q, v):
    tree, work = model.tree, scratch.tree
    motions(d, tree, work, q, v)
    if acted is not ALONE:
        apply_forces(d, model, state, scratch, t)
    bodies(d, tree, work, FORCES)
    sum_inertias(d, tree, work)
    sum_forces(d, tree, work, work.tau)
    mass_matrix(d, tree, work)


@kernel
def form_equations(d, acted, model, state, formed, t, turns, q, v, M, bias):
    """Form the equations (15) of one state: M a + bias = τ.

    Parameters
    ----------
    formed : address of Scratch
        What (30) needs stays there: it belongs to these equations alone, and lives as long as they do.
    """
    model, state, formed = model_at(model), state_at(state), scratch_at(formed)
    tree, work = model.tree, formed.tree
    count_from(state.ref, turns, q)
    _form(d, acted, model, state, formed, t, q, v)
    for r in range(M.shape[0]):
        first, at = tree.H_first[r], tree.H_base[r]
        bias[r] = -work.tau[r]
        for c in range(r + 1):
            M[r, c] = work.H[at + c] if c >= first else 0.0
            M[c, r] = M[r, c]


@kernel
def selected_reactions(d, model, formed, which, drives, a, out):
    """Write the wrenches (joints, 3 or 6) of named joints by eqs. (30), (31), of equations that are formed."""
    tree, work = model_at(model).tree, scratch_at(formed).tree
    for k in range(which.shape[0]):
        i = which[k, 0]
        f = one_wrench(d, tree, work, i, change_of(d, tree, work, i, a), a)
        tell(d, tree, work, i, own_offset(d, tree, work, i), which[k, 1], drives, f, out[k])


@kernel
def selected_effort(d, model, formed, i, a, out):
    """Write the efforts along the coordinates of the joint of link i by eq. (36), of equations that are formed."""
    tree, work = model_at(model).tree, scratch_at(formed).tree
    link, f = tree.links[i], one_wrench(d, tree, work, i, change_of(d, tree, work, i, a), a)
    for j in range(link.count):
        out[j] = inner(d, load(d, columns_of(d, work)[link.first + j].B), f)


# --- with forward dynamics ------------------------------------------------------------------------------------------------
@inner_kernel
def _forward_and_select(d, tree, work, which, drives, q, v, tau, a, out):
    bad = forward_state(d, KEPT, tree, work, q, v, tau, a)
    if bad >= 0:
        return bad
    for k in range(which.shape[0]):
        i = which[k, 0]
        now = links_of(d, work)[i]
        f = inertia_times(d, load_inertia(d, now.inertia), load(d, now.change))
        f = plus(d, 1.0, load(d, now.force), f)
        tell(d, tree, work, i, offset_of(d, now), which[k, 1], drives, f, out[k])
    return -1


@kernel
def forward_reactions(d, model, scratch, which, drives, q, v, tau, a, out):
    """Write accelerations (states, nv) and the wrenches (states, joints, 3 or 6) of named joints; return −1 or a column.

    R̂_i = K_i a_i + G_i as in eq. (30), K and G the articulated inertia and force, in which the sum over what lies beyond is
    contained.
    """
    tree, work = model_at(model).tree, scratch_at(scratch).tree
    for k in range(q.shape[0]):
        bad = _forward_and_select(d, tree, work, which, drives, q[k], v[k], tau[k], a[k], out[k])
        if bad >= 0:
            return bad
    return -1
