"""Derivatives of the equations of motion in joint coordinates, exact: H = ∂R/∂u̇, C = ∂R/∂u, K = ∂R/∂q, V = ∂(Φ_u u − ν)/∂q.

R = Bᵀ R_c with R_c = M a_c + γ, γ = Φ_cᵀ λ − Q_c over the bodies' velocity columns: the system Jacobian of Lee, Sohn, Kim, Yoo
(2001), with nothing held that depends on q. Motions and forces are taken about one point at rest; × and ×* are ``turned`` and
``turned_force``.

Let P_j and a_j be motion and acceleration just behind column S_j (of a ball: behind all its columns) and N_j the motion of what
its axis is fixed in (of a ball: the carrier). Along q_j the subtree turns with S_j, and along u_j it moves with S_j. With

    Ψ_j = P_j × S_j,   Θ_j = a_j × S_j + P_j × Ψ_j,   Γ_j = N_j × S_j + Ψ_j,

which belong to the column alone, motion v and acceleration a of every link of the subtree change by

    along q_j:  ∂v = S_j × v + Ψ_j,  ∂a = S_j × a + Θ_j − v × Ψ_j;      along u_j:  ∂v = S_j,  ∂a = Γ_j − v × S_j.

R_c is turned by the first terms. With sums over the subtree: F of R_c, I of inertias, D of what velocities do (D x: −I (v × x),
and the change of centripetal forces and of γ for a change x of motion), E of what a displacement does to γ less its turn,

    row k nearer the ground:  K_kj = S_k · (I Θ_j + D Ψ_j + E S_j + S_j ×* F),  C_kj = S_k · (I Γ_j + D S_j)  with sums of j
    row k further out:        K_kj = S_k · (I Θ_j + D Ψ_j + E S_j),             C_kj = S_k · (I Γ_j + D S_j)  with sums of k

since further out the turn of S_k undoes that of F (not within a ball, whose axes do not turn). So the work is a few times that
of the mass matrix H_kj = S_k · I S_j. Forces between bodies: ``couplings.py``.
"""

from __future__ import annotations

from multibody.kernels.codes import FIRST_BODY
from multibody.kernels.compile import inlined, inner_kernel
from multibody.kernels.tags import KNOWN, PLANAR
from multibody.kernels.tree.algebra import (
    add_rigid,
    add_to,
    carried,
    carried_rigid,
    inner,
    load,
    load_at,
    load_rigid,
    moved,
    plus,
    rigid_about,
    rigid_times,
    store,
    store_at,
    store_rigid,
    turned,
    turned_force,
    width,
    zero,
)
from multibody.kernels.tree.bodies import twist_of
from multibody.kernels.tree.couplings import add_couplings, diagonal_block, fold, push
from multibody.kernels.tree.declared import BALL, changes_of, columns_of, constants_of, links_of, sums_of
from multibody.kernels.tree.frames import axes_of, center_of, offset_of
from multibody.kernels.tree.loops import entry_column, entry_count, entry_link, extra_rate, first_extra
from multibody.kernels.tree.matrices import (
    about,
    basis,
    load_column,
    square_times,
    store_column,
    swung,
    transposed_square_times,
)
from multibody.kernels.tree.sweep import follow, inertia_of
from multibody.kernels.vectors import apply, cross


# --- outward: what changes along each column ---------------------------------------------------------------------------------
@inner_kernel
def _outward(d, tree, work, v, a):
    """Write the acceleration of every link to the place of its F, and Ψ, Γ, Θ of every column."""
    for i in range(tree.links.size):
        link, y, s = tree.links[i], zero(d), zero(d)
        if link.carrier >= 0:
            y, s = load(d, links_of(d, work)[link.carrier].motion), load(d, sums_of(d, work)[link.carrier].F)
            if link.own_point == 1:
                e = offset_of(d, links_of(d, work)[i])
                y, s = moved(d, e, y), moved(d, e, s)
        fixed, end = y, link.first + link.count
        for j in range(link.first, end):
            B, before = load(d, columns_of(d, work)[j].B), fixed
            fixed, y, s = follow(d, KNOWN, work, tree.columns[j], B, v, a, fixed, y, s)
            _write_changes(d, changes_of(d, work)[j], B, before, y, s)
        for j in range(link.first, end):  # a ball, which comes last in its joint, is behind all its columns at once
            if tree.columns[j].kind == BALL:
                _write_changes(d, changes_of(d, work)[j], load(d, columns_of(d, work)[j].B), fixed, y, s)
        store(d, sums_of(d, work)[i].F, s)


@inlined
def _write_changes(d, change, B, before, y, s):
    """Write Ψ, Γ, Θ of the column B from the motion before it, and motion and acceleration behind it."""
    p = turned(d, y, B)
    store(d, change.psi, p)
    store(d, change.gamma, plus(d, 1.0, p, turned(d, before, B)))
    store(d, change.theta, plus(d, 1.0, turned(d, s, B), turned(d, y, p)))


# --- what each link has by itself --------------------------------------------------------------------------------------------
@inner_kernel
def _start(d, model, scratch, i, G, Kc, Cc):
    """Write F, I, D and E of link i alone, about its o; its acceleration is known, γ over the velocity columns in G."""
    tree, work = model.tree, scratch.tree
    w, now, body, own = width(d), links_of(d, work)[i], tree.links[i].body, sums_of(d, work)[i]
    c = center_of(d, now)
    m, J = inertia_of(d, constants_of(d, tree)[i], axes_of(d, now))
    K, y, s = rigid_about(d, m, c, J), load(d, now.motion), load(d, own.F)
    p, g = twist_of(d, scratch, body), load_at(d, G, w * (body - FIRST_BODY))
    f = plus(d, 1.0, rigid_times(d, K, s), carried(d, c, plus(d, m, swung(d, y, p), zero(d))))
    store(d, own.F, plus(d, 1.0, f, about(d, scratch, body, c, g)))
    store_rigid(d, own.I, K)
    for n in range(w):
        x = basis(d, n)
        # −I (v × x) and the centripetal m (ω × ṙ): twice m x_ω × ṙ, and in space −J (ω × x_ω)
        f = carried(d, c, plus(d, 2.0 * m, swung(d, x, p), _turning(d, J, y, x)))
        store_column(d, own.D, n, w, f)
        store_column(d, own.E, n, w, carried(d, c, plus(d, -1.0, swung(d, x, g), zero(d))))
    place, stride = diagonal_block(model, body - FIRST_BODY)
    fold(d, scratch, i, body, c, body, c, place, stride, Kc, Cc)


@inlined
def _turning(d, J, y, x):
    """Return (0, −J (ω × x_ω)), J in ground axes."""
    if d is PLANAR:
        return (0.0, 0.0, 0.0)
    u = cross((x[3], x[4], x[5]), (y[3], y[4], y[5]))
    xx, yy, zz, xy, xz, yz = J
    n = apply((xx, xy, xz, xy, yy, yz, xz, yz, zz), u)
    return (0.0, 0.0, 0.0, n[0], n[1], n[2])


# --- inward: sums over subtrees, and the matrices ----------------------------------------------------------------------------
@inner_kernel
def _inward(d, tree, work, H, C, K):
    """Add to H, C, K what the sums over subtrees give for all pairs of columns on a way to the ground."""
    for i in range(tree.links.size - 1, -1, -1):
        link = tree.links[i]
        for j in range(link.first, link.first + link.count):
            if tree.columns[j].rate >= 0:
                _pairs(d, tree, work, i, j, H, C, K)
        if link.carrier >= 0:
            _hand_over(d, tree, work, i)


@inner_kernel
def _pairs(d, tree, work, i, j, H, C, K):
    """Add to H, C, K what column j of link i has with itself and with the columns towards the ground."""
    own, change, first, n = sums_of(d, work)[i], changes_of(d, work)[j], tree.columns[j], tree.nv
    B, inertia, force = load(d, columns_of(d, work)[j].B), load_rigid(d, own.I), load(d, own.F)
    U, down, along = rigid_times(d, inertia, B), transposed_square_times(d, own.D, B), transposed_square_times(d, own.E, B)
    y = plus(d, 1.0, rigid_times(d, inertia, load(d, change.gamma)), square_times(d, own.D, B))
    z = plus(d, 1.0, rigid_times(d, inertia, load(d, change.theta)), square_times(d, own.D, load(d, change.psi)))
    z = plus(d, 1.0, plus(d, 1.0, z, square_times(d, own.E, B)), turned_force(d, B, force))
    r, link, k = first.rate, i, j
    while k >= 0:
        column = tree.columns[k]
        while link != column.link:
            if tree.links[link].own_point == 1:
                e = offset_of(d, links_of(d, work)[link])
                U, down, along, y, z = (
                    carried(d, e, U), carried(d, e, down), carried(d, e, along), carried(d, e, y), carried(d, e, z)
                )  # fmt: skip
            link = tree.links[link].carrier
        c = column.rate
        if c >= 0:
            b, change = load(d, columns_of(d, work)[k].B), changes_of(d, work)[k]
            H[n * r + c] = inner(d, U, b)
            H[n * c + r] = H[n * r + c]
            C[n * c + r] += inner(d, y, b)
            K[n * c + r] += inner(d, z, b)
            if k != j:
                C[n * r + c] += inner(d, U, load(d, change.gamma)) + inner(d, down, b)
                x = inner(d, U, load(d, change.theta)) + inner(d, down, load(d, change.psi))
                K[n * r + c] += x + inner(d, along, b)
                if first.kind == BALL and column.kind == BALL and link == i:
                    K[n * r + c] += inner(d, turned_force(d, b, force), B)
        k = column.inner


@inner_kernel
def _hand_over(d, tree, work, i):
    """Add the sums of link i to those of its carrier, about the carrier's o."""
    link, w, own = tree.links[i], width(d), sums_of(d, work)[i]
    D, E, to = own.D, own.E, sums_of(d, work)[link.carrier]
    f, inertia = load(d, own.F), load_rigid(d, own.I)
    if link.own_point == 1:
        e = offset_of(d, links_of(d, work)[i])
        f, inertia = carried(d, e, f), carried_rigid(d, e, inertia)
        for r in range(w):
            store_at(d, D, w * r, carried(d, e, load_at(d, D, w * r)))
            store_at(d, E, w * r, carried(d, e, load_at(d, E, w * r)))
        for c in range(w):
            store_column(d, D, c, w, carried(d, e, load_column(d, D, c, w)))
            store_column(d, E, c, w, carried(d, e, load_column(d, E, c, w)))
    add_to(d, to.F, f)
    store_rigid(d, to.I, add_rigid(d, inertia, load_rigid(d, to.I)))
    for k in range(D.size):
        to.D[k] += D[k]
        to.E[k] += E[k]


# --- entrances ---------------------------------------------------------------------------------------------------------------
@inner_kernel
def tree_partials(d, model, scratch, v, a, G, Kc, Cc, H, C, K):
    """Write H = ∂R/∂u̇, C = ∂R/∂u and K = ∂R/∂q (u, u̇, λ held), each nv × nv by rows.

    Poses and twists of links and bodies are known (call `state` with bodies). Ψ stays in scratch for `tree_row`.

    Parameters
    ----------
    d : PLANAR or SPATIAL
    v, a : arrays (nv)
        Rates u and accelerations u̇.
    G : array
        γ = Φ_cᵀ λ − Q_c over the bodies' velocity columns, Q_c with weights and gyroscopic moments.
    Kc, Cc : arrays
        ∂R_c/∂q along (δr, δπ′) and ∂R_c/∂v of γ, block matrices over the velocity columns (see ``kernels/blocks.py``).
    H, C, K : arrays (nv²), written
        Row: component of R; column: direction, as in ``joint_displace``.
    """
    tree, work = model.tree, scratch.tree
    for k in range(tree.nv * tree.nv):
        H[k] = 0.0
        C[k] = 0.0
        K[k] = 0.0
    _outward(d, tree, work, v, a)
    for i in range(tree.links.size):
        _start(d, model, scratch, i, G, Kc, Cc)
    add_couplings(d, model, scratch, Kc, Cc, C, K)
    _inward(d, tree, work, H, C, K)


@inner_kernel
def tree_row(d, model, scratch, r, E, V, J, out):
    """Write row r of Φ_u to J and of V = ∂(Φ_u u − ν)/∂q to out, each nv numbers, after `tree_partials`.

    Parameters
    ----------
    r : int
        Row of the model.
    E, V : arrays
        Its entries in Φ_c and in ∂(Φ_c v_c − ν)/∂q along (δr, δπ′), on the pattern of ``row_jacobian``.
    """
    e = 0
    for c in range(model.tree.nv):
        J[c] = 0.0
        out[c] = 0.0
    while e < entry_count(model, r):
        column = entry_column(model, r, e)
        if column >= first_extra(d, model):
            J[extra_rate(d, model, column)] += E[e]
            out[extra_rate(d, model, column)] += V[e]
            e += 1
            continue
        push(d, model, scratch, entry_link(d, model, column), -1, load_at(d, E, e), load_at(d, V, e), J, out, 0)
        e += width(d)
