"""A bushing whose directions are coupled: V = ½ eᵀ K e − pᵀ e of displacements d and angles α of one frame in another.

e = (d, α) in the axes of the first frame, with α_x = atan2(−R_yz, R_zz), α_y = atan2(R_xz, R_zz), α_z = atan2(R_yx, R_xx):
what a bushing of uncoupled directions measures too. Along a rotation δρ (axes of the first frame) α changes by T δρ. With the
efforts n = p − K e − C ė, ė = (u, T w), the wrench is (n_d, Tᵀ n_α): the exact slope of V, and damping takes ėᵀ C ė ≥ 0.
"""

from __future__ import annotations

from multibody.kernels.codes import WRENCH
from multibody.kernels.compile import inner_kernel
from multibody.kernels.tags import VALUES
from multibody.kernels.vectors import (
    add,
    add_block,
    apply,
    apply_transposed,
    cross,
    dot,
    load3,
    mixed,
    outer,
    scale,
    subtract,
    tilde_tilde,
)

X, Y, Z, DOWN = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.0, -1.0, 0.0)
TURN = 3  # first of the rotational components


@inner_kernel
def bushing_wrench(sloped, n, place, twist, work):
    """Write the wrench of a bushing and its part with a potential, if `sloped` also its derivatives; return its energy."""
    d, R, angles = place
    u, w = twist
    f, h = (R[0], R[3], R[6]), (R[2], R[5], R[8])  # axes of the second frame in the first
    tx, ty, tz = _slope(DOWN, Z, h), _slope(X, Z, h), _slope(Y, X, f)
    T = (tx[0], tx[1], tx[2], ty[0], ty[1], ty[2], tz[0], tz[1], tz[2])
    turning = apply(T, w)
    e, rates = (d[0], d[1], d[2], angles[0], angles[1], angles[2]), (u[0], u[1], u[2], turning[0], turning[1], turning[2])
    energy = 0.0
    for r in range(WRENCH):
        elastic, lost = 0.0, 0.0
        for c in range(WRENCH):
            elastic += n.stiffness[WRENCH * r + c] * e[c]
            lost += n.damping[WRENCH * r + c] * rates[c]
        energy += e[r] * (0.5 * elastic - n.preload[r])
        work.elastic[r] = n.preload[r] - elastic
        work.wrench[r] = n.preload[r] - elastic - lost
    efforts = load3(work.wrench, TURN)
    _store3(work.wrench, apply_transposed(T, efforts))
    _store3(work.elastic, apply_transposed(T, load3(work.elastic, TURN)))
    if sloped is not VALUES:
        Dx, Dy, Dz = _curve(DOWN, Z, h, tx), _curve(X, Z, h, ty), _curve(Y, X, f, tz)
        a, b, c3 = apply_transposed(Dx, w), apply_transposed(Dy, w), apply_transposed(Dz, w)
        swing = (a[0], a[1], a[2], b[0], b[1], b[2], c3[0], c3[1], c3[2])  # derivative of T w along δρ, w held
        bending = mixed(efforts[0], Dx, efforts[1], Dy)
        _write_slopes(n, T, swing, mixed(1.0, bending, efforts[2], Dz), work)
    return energy


@inner_kernel
def _store3(x, moment):
    """Write the moment of a wrench."""
    for c in range(3):
        x[TURN + c] = moment[c]


@inner_kernel
def _slope(a, e, b):
    """Return t of the angle atan2(a·b, e·b), which changes by t·δρ as b turns by δρ; 0 where it is not defined."""
    s, c = dot(a, b), dot(e, b)
    square = s * s + c * c
    k = 1.0 / square if square > 0.0 else 0.0
    return subtract(scale(k * c, cross(b, a)), scale(k * s, cross(b, e)))


@inner_kernel
def _curve(a, e, b, t):
    """Return the matrix D with δt = D δρ of ``_slope``."""
    s, c = dot(a, b), dot(e, b)
    square = s * s + c * c
    k = 1.0 / square if square > 0.0 else 0.0
    by_s, by_c = cross(b, a), cross(b, e)
    turned = mixed(k * c, tilde_tilde(a, b), -k * s, tilde_tilde(e, b))
    swapped = mixed(k, outer(by_s, by_c), -k, outer(by_c, by_s))
    radial = outer(t, add(scale(c, by_c), scale(s, by_s)))
    return mixed(1.0, mixed(1.0, turned, 1.0, swapped), -2.0 * k, radial)


@inner_kernel
def _write_slopes(n, T, swing, bending, work):
    """Write the derivatives of the wrench: −Θᵀ (K Θ + C ∂ė/∂e) with the efforts' own turning, and −Θᵀ C Θ; Θ = (1, T)."""
    by_motion, by_twist = work.by_motion, work.by_twist
    for k in range(WRENCH * WRENCH):
        by_motion[k], by_twist[k] = -n.stiffness[k], -n.damping[k]
    for r in range(WRENCH):
        at = WRENCH * r + TURN
        own = apply_transposed(T, load3(by_motion, at))
        lost = apply_transposed(swing, load3(by_twist, at))
        turned = apply_transposed(T, load3(by_twist, at))
        for c in range(3):
            by_motion[at + c], by_twist[at + c] = own[c] + lost[c], turned[c]
    _turn_rows(T, by_motion)
    _turn_rows(T, by_twist)
    add_block(by_motion, 0, WRENCH, TURN, TURN, 1.0, bending)


@inner_kernel
def _turn_rows(T, M):
    """Multiply the last three rows of a 6×6 matrix by Tᵀ, from the left."""
    for c in range(WRENCH):
        x, y, z = WRENCH * TURN + c, WRENCH * (TURN + 1) + c, WRENCH * (TURN + 2) + c
        M[x], M[y], M[z] = apply_transposed(T, (M[x], M[y], M[z]))
