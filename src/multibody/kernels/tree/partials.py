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

from multibody.kernels import layout as L
from multibody.kernels.compile import inlined, inner_kernel, kernel
from multibody.kernels.declared import model_at, scratch_at
from multibody.kernels.tree import layout as T
from multibody.kernels.tree.algebra import (
    add_rigid,
    carried,
    carried_rigid,
    inner,
    load,
    load_rigid,
    moved,
    plus,
    rigid_about,
    rigid_times,
    store,
    store_rigid,
    turned,
    turned_force,
    width,
    zero,
)
from multibody.kernels.tree.couplings import add_couplings, changes, diagonal_block, fold, push, sums
from multibody.kernels.tree.frames import axes_of, center_of, column_of, link_of, offset, record_of, state_of
from multibody.kernels.tree.matrices import about, load_column, store_column, swung, times, transposed_times, unit
from multibody.kernels.tree.sweep import follow, inertia_of
from multibody.kernels.vectors import apply, cross

PARTIALS_LINK = {2: 25, 3: 88}  # scratch: F, I, D, E of every link,
PARTIALS_COLUMN = {2: 9, 3: 18}  # then Ψ, Γ, Θ of every column


# --- outward: what changes along each column ---------------------------------------------------------------------------------
@inner_kernel
def _outward(d, model, scratch, h, v, a, S):
    """Write the acceleration of every link to the place of its F, and Ψ, Γ, Θ of every column."""
    I, W = model.I, scratch.W
    w = width(d)
    for i in range(I[h + T.LINK_COUNT]):
        link, y, s = link_of(model, h, i), zero(d), zero(d)
        c = I[link + T.CARRIER]
        if c >= 0:
            y, s = load(d, W, state_of(d, model, scratch, h, c) + T.MOTION * w), load(d, W, sums(d, S, c)[0])
            if I[link + T.OWN_POINT] == 1:
                e = offset(d, model, scratch, h, i)
                y, s = moved(d, e, y), moved(d, e, s)
        fixed, end = y, I[link + T.FIRST] + I[link + T.COUNT]
        for j in range(I[link + T.FIRST], end):
            B, before = load(d, W, column_of(d, model, h, j)), fixed
            fixed, y, s = follow(d, True, model, scratch, h, record_of(model, h, j), B, v, a, fixed, y, s)
            _write_changes(d, model, scratch, h, S, j, B, before, y, s)
        for j in range(I[link + T.FIRST], end):  # a ball, which comes last in its joint, is behind all its columns at once
            if I[record_of(model, h, j) + T.KIND] == T.BALL:
                _write_changes(d, model, scratch, h, S, j, load(d, W, column_of(d, model, h, j)), fixed, y, s)
        store(d, W, sums(d, S, i)[0], s)


@inlined
def _write_changes(d, model, scratch, h, S, j, B, before, y, s):
    """Write Ψ, Γ, Θ of column j = B from the motion before it, and motion and acceleration behind it."""
    W = scratch.W
    psi, gamma, theta = changes(d, model, h, S, j)
    p = turned(d, y, B)
    store(d, W, psi, p)
    store(d, W, gamma, plus(d, 1.0, p, turned(d, before, B)))
    store(d, W, theta, plus(d, 1.0, turned(d, s, B), turned(d, y, p)))


# --- what each link has by itself --------------------------------------------------------------------------------------------
@inner_kernel
def _start(d, model, scratch, h, i, G, Kc, Cc, S):
    """Write F, I, D and E of link i alone, about its o; its acceleration is known, γ over the velocity columns in W[G…]."""
    I, W = model.I, scratch.W
    w, at, body = width(d), state_of(d, model, scratch, h, i), I[link_of(model, h, i) + T.BODY]
    c, (F, M, D, E) = center_of(d, W, at), sums(d, S, i)
    m, J = inertia_of(d, model, scratch, h, i, axes_of(d, W, at))
    K, y, s = rigid_about(d, m, c, J), load(d, W, at + T.MOTION * w), load(d, W, F)
    p, g = load(d, W, I[L.W_TWIST] + w * body), load(d, W, G + w * (body - 1))
    f = plus(d, 1.0, rigid_times(d, K, s), carried(d, c, plus(d, m, swung(d, y, p), zero(d))))
    store(d, W, F, plus(d, 1.0, f, about(d, model, scratch, body, c, g)))
    store_rigid(d, W, M, K)
    for n in range(w):
        x = unit(d, n)
        # −I (v × x) and the centripetal m (ω × ṙ): twice m x_ω × ṙ, and in space −J (ω × x_ω)
        f = carried(d, c, plus(d, 2.0 * m, swung(d, x, p), _turning(d, J, y, x)))
        store_column(d, W, D + n, w, f)
        store_column(d, W, E + n, w, carried(d, c, plus(d, -1.0, swung(d, x, g), zero(d))))
    place, stride = diagonal_block(model, body - 1)
    fold(d, model, scratch, i, body, c, body, c, place, stride, Kc, Cc, S)


@inlined
def _turning(d, J, y, x):
    """Return (0, −J (ω × x_ω)), J in ground axes."""
    if d is None:
        return (0.0, 0.0, 0.0)
    u = cross((x[3], x[4], x[5]), (y[3], y[4], y[5]))
    xx, yy, zz, xy, xz, yz = J
    n = apply((xx, xy, xz, xy, yy, yz, xz, yz, zz), u)
    return (0.0, 0.0, 0.0, n[0], n[1], n[2])


# --- inward: sums over subtrees, and the matrices ----------------------------------------------------------------------------
@inner_kernel
def _inward(d, model, scratch, h, S, H, C, K):
    """Add to H, C, K what the sums over subtrees give for all pairs of columns on a way to the ground."""
    I = model.I
    for i in range(I[h + T.LINK_COUNT] - 1, -1, -1):
        link = link_of(model, h, i)
        for j in range(I[link + T.FIRST], I[link + T.FIRST] + I[link + T.COUNT]):
            if I[record_of(model, h, j) + T.RATE] >= 0:
                _pairs(d, model, scratch, h, i, j, S, H, C, K)
        if I[link + T.CARRIER] >= 0:
            _hand_over(d, model, scratch, h, i, I[link + T.CARRIER], S)


@inner_kernel
def _pairs(d, model, scratch, h, i, j, S, H, C, K):
    """Add to H, C, K what column j of link i has with itself and with the columns towards the ground."""
    I, W = model.I, scratch.W
    w, n, j0 = width(d), I[h + T.NV], record_of(model, h, j)
    F, M, D, E = sums(d, S, i)
    psi, gamma, theta = changes(d, model, h, S, j)
    B, inertia, force = load(d, W, column_of(d, model, h, j)), load_rigid(d, W, M), load(d, W, F)
    U, down, along = rigid_times(d, inertia, B), transposed_times(d, W, D, w, B), transposed_times(d, W, E, w, B)
    y = plus(d, 1.0, rigid_times(d, inertia, load(d, W, gamma)), times(d, W, D, w, B))
    z = plus(d, 1.0, rigid_times(d, inertia, load(d, W, theta)), times(d, W, D, w, load(d, W, psi)))
    z = plus(d, 1.0, plus(d, 1.0, z, times(d, W, E, w, B)), turned_force(d, B, force))
    r, link, k = I[j0 + T.RATE], i, j
    while k >= 0:
        record = record_of(model, h, k)
        while link != I[record + T.LINK]:
            if I[link_of(model, h, link) + T.OWN_POINT] == 1:
                e = offset(d, model, scratch, h, link)
                U, down, along, y, z = (
                    carried(d, e, U), carried(d, e, down), carried(d, e, along), carried(d, e, y), carried(d, e, z)
                )  # fmt: skip
            link = I[link_of(model, h, link) + T.CARRIER]
        c = I[record + T.RATE]
        if c >= 0:
            b, (psi, gamma, theta) = load(d, W, column_of(d, model, h, k)), changes(d, model, h, S, k)
            x = load(d, W, psi)
            W[H + n * r + c] = inner(d, U, b)
            W[H + n * c + r] = W[H + n * r + c]
            W[C + n * c + r] += inner(d, y, b)
            W[K + n * c + r] += inner(d, z, b)
            if k != j:
                W[C + n * r + c] += inner(d, U, load(d, W, gamma)) + inner(d, down, b)
                W[K + n * r + c] += inner(d, U, load(d, W, theta)) + inner(d, down, x) + inner(d, along, b)
                if I[j0 + T.KIND] == T.BALL and I[record + T.KIND] == T.BALL and link == i:
                    W[K + n * r + c] += inner(d, turned_force(d, b, force), B)
        k = I[record + T.INNER]


@inner_kernel
def _hand_over(d, model, scratch, h, i, carrier, S):
    """Add the sums of link i to those of its carrier, about the carrier's o."""
    I, W = model.I, scratch.W
    w, (F, M, D, E), (F0, M0, D0, E0) = width(d), sums(d, S, i), sums(d, S, carrier)
    f, inertia = load(d, W, F), load_rigid(d, W, M)
    if I[link_of(model, h, i) + T.OWN_POINT] == 1:
        e = offset(d, model, scratch, h, i)
        f, inertia = carried(d, e, f), carried_rigid(d, e, inertia)
        for r in range(w):
            store(d, W, D + w * r, carried(d, e, load(d, W, D + w * r)))
            store(d, W, E + w * r, carried(d, e, load(d, W, E + w * r)))
        for c in range(w):
            store_column(d, W, D + c, w, carried(d, e, load_column(d, W, D + c, w)))
            store_column(d, W, E + c, w, carried(d, e, load_column(d, W, E + c, w)))
    store(d, W, F0, plus(d, 1.0, f, load(d, W, F0)))
    store_rigid(d, W, M0, add_rigid(d, inertia, load_rigid(d, W, M0)))
    for k in range(w * w):
        W[D0 + k] += W[D + k]
        W[E0 + k] += W[E + k]


# --- entrances ---------------------------------------------------------------------------------------------------------------
@inner_kernel
def tree_partials(d, model, scratch, h, v, a, G, Kc, Cc, S, H, C, K):
    """Write H = ∂R/∂u̇, C = ∂R/∂u and K = ∂R/∂q (u, u̇, λ held) to W[H…], W[C…], W[K…], each NV × NV by rows.

    Poses and twists of links and bodies are known (unit STATE with bodies).

    Parameters
    ----------
    d : None or True
        Planar or spatial, known when compiled.
    h : int
        The tree's header, ``I[TREE]``.
    v, a : arrays (NV)
        Rates u and accelerations u̇.
    G : int
        Place in W of γ = Φ_cᵀ λ − Q_c over the bodies' velocity columns, Q_c with weights and gyroscopic moments.
    Kc, Cc : arrays
        ∂R_c/∂q along (δr, δπ′) and ∂R_c/∂v of γ, block matrices over the velocity columns (see ``kernels/blocks.py``).
    S : int
        Place in W of scratch, PARTIALS_LINK numbers a link and PARTIALS_COLUMN a column. Ψ stays there for `tree_row`.
    H, C, K : int
        Row: component of R; column: direction, as in ``joint_displace``.
    """
    I, W = model.I, scratch.W
    n = I[h + T.NV]
    for k in range(n * n):
        W[H + k] = 0.0
        W[C + k] = 0.0
        W[K + k] = 0.0
    _outward(d, model, scratch, h, v, a, S)
    for i in range(I[h + T.LINK_COUNT]):
        _start(d, model, scratch, h, i, G, Kc, Cc, S)
    add_couplings(d, model, scratch, h, Kc, Cc, S, C, K)
    _inward(d, model, scratch, h, S, H, C, K)


@inner_kernel
def tree_row(d, model, scratch, h, r, E, V, S, J, out):
    """Write row r of Φ_u to W[J…] and of V = ∂(Φ_u u − ν)/∂q to W[out…], each NV numbers, after `tree_partials`.

    Parameters
    ----------
    r : int
        Row of the model.
    E, V : int
        Places in W of its entries in Φ_c and in ∂(Φ_c v_c − ν)/∂q along (δr, δπ′), on the pattern of ``row_jacobian``.
    """
    I, W = model.I, scratch.W
    w, n, extras, row, e = width(d), I[h + T.NV], width(d) * I[L.BODIES], I[L.ROWS] + L.ROW_STRIDE * r, 0
    for c in range(n):
        W[J + c] = 0.0
        W[out + c] = 0.0
    while e < I[row + 3]:
        column = I[I[L.COLUMNS] + I[row + 2] + e]
        if column >= extras:
            W[J + I[h + T.EXTRAS_RATE] + column - extras] += W[E + e]
            W[out + I[h + T.EXTRAS_RATE] + column - extras] += W[V + e]
            e += 1
            continue
        push(d, model, scratch, h, I[I[h + T.LINK_OF] + column // w], -1, load(d, W, E + e), load(d, W, V + e), S, J, out)
        e += w


@kernel
def partials_planar(model, scratch, v, a, G, Kc, Cc, S, H, C, K):
    """Call `tree_partials` for a planar model."""
    model, scratch = model_at(model), scratch_at(scratch)
    I = model.I
    tree_partials(None, model, scratch, I[T.TREE], v, a, G, Kc, Cc, S, H, C, K)


@kernel
def partials_spatial(model, scratch, v, a, G, Kc, Cc, S, H, C, K):
    """Call `tree_partials` for a spatial model."""
    model, scratch = model_at(model), scratch_at(scratch)
    I = model.I
    tree_partials(True, model, scratch, I[T.TREE], v, a, G, Kc, Cc, S, H, C, K)


@kernel
def row_planar(model, scratch, r, E, V, S, J, out):
    """Call `tree_row` for a planar model."""
    model, scratch = model_at(model), scratch_at(scratch)
    I = model.I
    tree_row(None, model, scratch, I[T.TREE], r, E, V, S, J, out)


@kernel
def row_spatial(model, scratch, r, E, V, S, J, out):
    """Call `tree_row` for a spatial model."""
    model, scratch = model_at(model), scratch_at(scratch)
    I = model.I
    tree_row(True, model, scratch, I[T.TREE], r, E, V, S, J, out)
