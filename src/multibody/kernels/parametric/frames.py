"""Joint frames of a spatial pair, turned by its parameters.

H(α) = R_z(α₁), R_z(α₁)R_x(α₂) or R_z(α₁)R_y(α₂)R_x(α₃). Its derivatives are ∂H/∂α_k = H w̃_k with the axes w_k, the columns of
W(α), in the turned frame; these change by ∂w_a/∂α_b = w_a × w_b for b > a and not at all for b ≤ a.
"""

from __future__ import annotations

from multibody.kernels import layout as L
from multibody.kernels.compile import inner_kernel
from multibody.kernels.parametric import layout as P
from multibody.kernels.rotations import sincos
from multibody.kernels.vectors import add, cross, dot, load3, scale, subtract

NONE = (0.0, 0.0, 0.0)
UNIT = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@inner_kernel
def turned(rotation, frame, angles):
    """Return the frame (f, g, h) times H(α), and the axes (w₁, w₂, w₃) of the angles in it; zero where there is none."""
    f, g, h = frame
    if rotation == 0:
        return (f, g, h), (NONE, NONE, NONE)
    s, c = sincos(angles[0])
    f, g = add(scale(c, f), scale(s, g)), subtract(scale(c, g), scale(s, f))
    if rotation == 1:
        return (f, g, h), ((0.0, 0.0, 1.0), NONE, NONE)
    s2, c2 = sincos(angles[1])
    if rotation == 2:
        g, h = add(scale(c2, g), scale(s2, h)), subtract(scale(c2, h), scale(s2, g))
        return (f, g, h), ((0.0, s2, c2), (1.0, 0.0, 0.0), NONE)
    s3, c3 = sincos(angles[2])
    f, h = subtract(scale(c2, f), scale(s2, h)), add(scale(s2, f), scale(c2, h))
    g, h = add(scale(c3, g), scale(s3, h)), subtract(scale(c3, h), scale(s3, g))
    return (f, g, h), ((-s2, c2 * s3, c2 * c3), (0.0, c3, -s3), (1.0, 0.0, 0.0))


@inner_kernel
def frame_at(F, k):
    """Return the axes f, g, h of a joint frame at F[k]."""
    return (load3(F, k), load3(F, k + 3), load3(F, k + 6))


@inner_kernel
def angles_of(model, scratch, pair, at):
    """Return three numbers a pair's angles have at W[at…] (its parameters or their rates), 0 where it has none."""
    I, W = model.I, scratch.W
    n, k = I[pair + P.ROTATION], at + I[pair + P.EXTRA] + I[pair + P.SLIDES]
    return (W[k] if n > 0 else 0.0, W[k + 1] if n > 1 else 0.0, W[k + 2] if n > 2 else 0.0)


@inner_kernel
def direction(model, pair, k):
    """Return the direction, on body i, in which the k-th parameter slides; zero for an angle that does not."""
    I, F = model.I, model.F
    numbers = I[pair + P.NUMBERS]
    if I[pair + P.PITCHED] == 1:
        return scale(F[numbers + P.PITCH], load3(F, numbers + 12))
    if k < I[pair + P.SLIDES]:
        return load3(F, numbers + 6 + 3 * I[pair + P.SLIDE + k])
    return NONE


@inner_kernel
def slide_of(model, scratch, pair):
    """Return s_i + B α, where the pair's parameters put its second point on body i."""
    I, F, W = model.I, model.F, scratch.W
    x, at = load3(F, I[pair + P.NUMBERS]), I[L.W_EXTRA] + I[pair + P.EXTRA]
    for k in range(I[pair + P.ALPHAS]):
        if k < I[pair + P.SLIDES] or I[pair + P.PITCHED] == 1:
            x = add(x, scale(W[at + k], direction(model, pair, k)))
    return x


@inner_kernel
def inside(frame, x):
    """Return the components of x in a frame."""
    return (dot(frame[0], x), dot(frame[1], x), dot(frame[2], x))


@inner_kernel
def outside(frame, x):
    """Return the vector with the components x in a frame."""
    return add(add(scale(x[0], frame[0]), scale(x[1], frame[1])), scale(x[2], frame[2]))


@inner_kernel
def sum_of_axes(axes, rates):
    """Return Σ w_k x_k."""
    return add(add(scale(rates[0], axes[0]), scale(rates[1], axes[1])), scale(rates[2], axes[2]))


@inner_kernel
def axis_change(axes, rates, k):
    """Return ∂(W x)/∂α_k, x held."""
    x = NONE
    if k > 0:
        x = scale(rates[0], cross(axes[0], axes[k]))
    if k > 1:
        x = add(x, scale(rates[1], cross(axes[1], axes[2])))
    return x
