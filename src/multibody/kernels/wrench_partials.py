"""Derivatives of wrench elements along the velocity columns (δr, δπ′) of their two bodies, and along v.

The relative twist is s = B v and the generalized force Q = Bᵀ w of the wrench w. A small motion of the bodies moves the second
frame in the first by B δq, so that

    ∂Q/∂q = Bᵀ (w_x B + w_s G) + H,   ∂Q/∂v = Bᵀ w_s B,

w_x and w_s from the element, G = ∂(B v)/∂q with v held and H = ∂(Bᵀ w)/∂q with w held from here. With φ = c_i f, μ = c_i m in
the axes of the first body, b the arm from its center to the point, E = A_iᵀ A_j and s_j the point on the second body:

    Q_i = (−A_i φ, φ × b − μ),   Q_j = (A_i φ, s_j × Eᵀφ + Eᵀμ),   δb = A_iᵀ(δr_j − δr_i) − E s̃_j δπ′_j + b̃ δπ′_i.
"""

from __future__ import annotations

from multibody.kernels.blocks import add_square, columns_of_bodies
from multibody.kernels.codes import WRENCH
from multibody.kernels.compile import inner_kernel
from multibody.kernels.declared import wrench_frames
from multibody.kernels.spatial import COLUMNS, R_I, R_J, TURN_I, TURN_J
from multibody.kernels.tags import SLOPES
from multibody.kernels.vectors import (
    add,
    add_block,
    apply,
    apply_transposed,
    cross,
    load3,
    load9,
    load_column6,
    multiply,
    subtract,
    tilde,
    transpose,
)
from multibody.kernels.wrench_elements import (
    component_of,
    element_wrench,
    ends_of,
    relative_place,
    relative_twist,
    twist_of,
)

U, W = 0, 3  # rows of velocity and of angular velocity in a twist; of force and of moment in a wrench


@inner_kernel
def add_wrench_partials(model, state, scratch, t, element, K, D):
    """Add ∂Q/∂q of an element to K and ∂Q/∂v to D, block matrices (see ``blocks``)."""
    work, h = scratch.wrench_work[0], scratch.hessian
    place, twist = relative_place(model, state, scratch, element), relative_twist(model, scratch, element)
    element_wrench(SLOPES, model, state, scratch, t, element, place, twist)
    _write_B(model, scratch, element, work.B)
    _write_G(model, scratch, element, work.G)
    _write_H(model, scratch, element, work)
    both, columns = 2 * model.width, columns_of_bodies(model, element.first, element.second)  # columns of both bodies
    for c in range(COLUMNS):
        _change_of_wrench(work, c)
    for r in range(both):
        for c in range(both):
            row, column = component_of(model, r), component_of(model, c)
            h[both * r + c] = work.H[COLUMNS * row + column] + _column_product(work.B, row, work.G, column)
    add_square(model, h, columns, 1.0, K)
    for c in range(COLUMNS):
        _change_by_twist(work, c)
    for r in range(both):
        for c in range(both):
            h[both * r + c] = _column_product(work.B, component_of(model, r), work.G, component_of(model, c))
    add_square(model, h, columns, 1.0, D)


@inner_kernel
def _column(M, c):
    """Return a column of a matrix of six rows over the columns of two bodies."""
    return load_column6(M, c, COLUMNS)


@inner_kernel
def _column_product(A, r, B, c):
    """Return the product of column r of A and column c of B."""
    total = 0.0
    for k in range(WRENCH):
        total += A[COLUMNS * k + r] * B[COLUMNS * k + c]
    return total


@inner_kernel
def _change_of_wrench(work, c):
    """Put w_x B + w_s G in the place of G, in one column."""
    b, g = _column(work.B, c), _column(work.G, c)
    for r in range(WRENCH):
        total = 0.0
        for k in range(WRENCH):
            total += work.by_motion[WRENCH * r + k] * b[k] + work.by_twist[WRENCH * r + k] * g[k]
        work.G[COLUMNS * r + c] = total


@inner_kernel
def _change_by_twist(work, c):
    """Put w_s B in the place of G, in one column."""
    b = _column(work.B, c)
    for r in range(WRENCH):
        total = 0.0
        for k in range(WRENCH):
            total += work.by_twist[WRENCH * r + k] * b[k]
        work.G[COLUMNS * r + c] = total


@inner_kernel
def _write_B(model, scratch, element, B):
    """Write B: the relative twist, in the axes of the first frame, of the velocity columns."""
    n = wrench_frames(model.numbers, element.frames)
    Ai, Aj, Ci, arm = ends_of(model, scratch, element)
    back = transpose(Ci)
    own, other = multiply(back, Ai), multiply(back, Aj)
    for k in range(WRENCH * COLUMNS):
        B[k] = 0.0
    add_block(B, 0, COLUMNS, U, R_I, -1.0, back)
    add_block(B, 0, COLUMNS, U, R_J, 1.0, back)
    add_block(B, 0, COLUMNS, U, TURN_I, 1.0, multiply(back, multiply(tilde(arm), Ai)))
    add_block(B, 0, COLUMNS, U, TURN_J, -1.0, multiply(other, tilde(load3(n.s_j, 0))))
    add_block(B, 0, COLUMNS, W, TURN_I, -1.0, own)
    add_block(B, 0, COLUMNS, W, TURN_J, 1.0, other)


@inner_kernel
def _write_G(model, scratch, element, G):
    """Write G: the derivative of B v along the columns, v held."""
    n = wrench_frames(model.numbers, element.frames)
    Ai, Aj, _, arm = ends_of(model, scratch, element)
    vi, oi = twist_of(model, scratch, element.first)
    vj, oj = twist_of(model, scratch, element.second)
    sj, frame = load3(n.s_j, 0), transpose(load9(n.C_i, 0))
    back, E = transpose(Ai), multiply(transpose(Ai), Aj)
    swept = cross(oj, sj)
    passing = apply(back, subtract(add(vj, apply(Aj, swept)), vi))
    spinning = multiply(frame, tilde(oi))
    for k in range(WRENCH * COLUMNS):
        G[k] = 0.0
    add_block(G, 0, COLUMNS, U, R_I, 1.0, multiply(spinning, back))
    add_block(G, 0, COLUMNS, U, R_J, -1.0, multiply(spinning, back))
    add_block(G, 0, COLUMNS, U, TURN_I, 1.0, multiply(frame, tilde(passing)))
    add_block(G, 0, COLUMNS, U, TURN_I, -1.0, multiply(spinning, tilde(apply(back, arm))))
    add_block(G, 0, COLUMNS, U, TURN_J, -1.0, multiply(frame, multiply(E, tilde(swept))))
    add_block(G, 0, COLUMNS, U, TURN_J, 1.0, multiply(spinning, multiply(E, tilde(sj))))
    add_block(G, 0, COLUMNS, W, TURN_I, 1.0, multiply(frame, tilde(apply(E, oj))))
    add_block(G, 0, COLUMNS, W, TURN_J, -1.0, multiply(frame, multiply(E, tilde(oj))))


@inner_kernel
def _write_H(model, scratch, element, work):
    """Write H: the derivative of Bᵀ w along the columns, w held in the axes of the first frame."""
    n, H = wrench_frames(model.numbers, element.frames), work.H
    Ai, Aj, _, arm = ends_of(model, scratch, element)
    frame, sj, E = load9(n.C_i, 0), tilde(load3(n.s_j, 0)), multiply(transpose(Ai), Aj)
    phi, mu = apply(frame, load3(work.wrench, U)), apply(frame, load3(work.wrench, W))
    turned, back = multiply(Ai, tilde(phi)), multiply(tilde(phi), transpose(Ai))
    for k in range(COLUMNS * COLUMNS):
        H[k] = 0.0
    add_block(H, 0, COLUMNS, R_I, TURN_I, 1.0, turned)
    add_block(H, 0, COLUMNS, R_J, TURN_I, -1.0, turned)
    add_block(H, 0, COLUMNS, TURN_I, R_I, -1.0, back)
    add_block(H, 0, COLUMNS, TURN_I, R_J, 1.0, back)
    add_block(H, 0, COLUMNS, TURN_I, TURN_I, 1.0, multiply(tilde(phi), tilde(apply_transposed(Ai, arm))))
    add_block(H, 0, COLUMNS, TURN_I, TURN_J, -1.0, multiply(tilde(phi), multiply(E, sj)))
    own, way = multiply(sj, tilde(apply_transposed(E, phi))), transpose(E)
    add_block(H, 0, COLUMNS, TURN_J, TURN_J, 1.0, own)
    add_block(H, 0, COLUMNS, TURN_J, TURN_J, 1.0, tilde(apply_transposed(E, mu)))
    add_block(H, 0, COLUMNS, TURN_J, TURN_I, -1.0, multiply(sj, multiply(way, tilde(phi))))
    add_block(H, 0, COLUMNS, TURN_J, TURN_I, -1.0, multiply(way, tilde(mu)))
