"""Joint frames of a pair, turned by its parameters.

In space H(α) = R_z(α₁), R_z(α₁)R_x(α₂) or R_z(α₁)R_y(α₂)R_x(α₃). Its derivatives are ∂H/∂α_k = H w̃_k with the axes w_k, the
columns of W(α), in the turned frame; these change by ∂w_a/∂α_b = w_a × w_b for b > a and not at all for b ≤ a. In the plane H
turns by the one angle there is.
"""

from __future__ import annotations

from multibody.kernels import vectors as v3
from multibody.kernels.compile import inner_kernel
from multibody.kernels.parametric.algebra import add, load, numbers_of, outside, scale, zero
from multibody.kernels.rotations import sincos
from multibody.kernels.tags import PLANAR, SPATIAL

NONE = (0.0, 0.0, 0.0)
UNIT = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@inner_kernel
def turned(rotation, frame, angles):
    """Return the frame (f, g, h) times H(α), and the axes (w₁, w₂, w₃) of the angles in it; zero where there is none."""
    f, g, h = frame
    if rotation == 0:
        return (f, g, h), (NONE, NONE, NONE)
    s, c = sincos(angles[0])
    f, g = v3.add(v3.scale(c, f), v3.scale(s, g)), v3.subtract(v3.scale(c, g), v3.scale(s, f))
    if rotation == 1:
        return (f, g, h), ((0.0, 0.0, 1.0), NONE, NONE)
    s2, c2 = sincos(angles[1])
    if rotation == 2:
        g, h = v3.add(v3.scale(c2, g), v3.scale(s2, h)), v3.subtract(v3.scale(c2, h), v3.scale(s2, g))
        return (f, g, h), ((0.0, s2, c2), (1.0, 0.0, 0.0), NONE)
    s3, c3 = sincos(angles[2])
    f, h = v3.subtract(v3.scale(c2, f), v3.scale(s2, h)), v3.add(v3.scale(s2, f), v3.scale(c2, h))
    g, h = v3.add(v3.scale(c3, g), v3.scale(s3, h)), v3.subtract(v3.scale(c3, h), v3.scale(s3, g))
    return (f, g, h), ((-s2, c2 * s3, c2 * c3), (0.0, c3, -s3), (1.0, 0.0, 0.0))


@inner_kernel
def axis_of(C, k):
    """Return the k-th axis of a joint frame."""
    return v3.load3(C, 3 * k)


@inner_kernel
def axes_of(C):
    """Return the axes f, g, h of a joint frame."""
    return (axis_of(C, 0), axis_of(C, 1), axis_of(C, 2))


@inner_kernel
def right_frame(d, model, n):
    """Return the axes of a pair's frame on body j; in the plane those of the body itself."""
    if d is PLANAR:
        return ((1.0, 0.0), (0.0, 1.0))
    return axes_of(model.parametric.spatial_numbers[n].C_j)


@inner_kernel
def second_point(d, model, n):
    """Return s_j, the point of a pair on body j."""
    return load(d, numbers_of(d, model.parametric)[n].s_j, 0)


@inner_kernel
def angles_of(pair, x):
    """Return three numbers that the angles of a spatial pair have in x (parameters, or their rates), 0 where it has none."""
    n, k = pair.rotation, pair.extra + pair.slides
    return (x[k] if n > 0 else 0.0, x[k + 1] if n > 1 else 0.0, x[k + 2] if n > 2 else 0.0)


@inner_kernel
def angle_rates(model, scratch, pair):
    """Return the rates of the angles of a spatial pair; those of the extra coordinates come behind those of the bodies."""
    return angles_of(pair, scratch.velocity[model.width * (model.bodies + 1) :])


@inner_kernel
def moved_frame(d, model, state, scratch, n):
    """Return the frame on body j as the parameters have it, C_i H(α), and the axes of the angles in it."""
    pair = model.parametric.pairs[n]
    if d is PLANAR:
        angle = -model.parametric.planar_numbers[n].offset
        if pair.rotation == 1:
            angle += scratch.extra[pair.extra + pair.slides]
        s, c = sincos(angle)
        return ((c, s), (-s, c)), ((1.0,),)
    return turned(pair.rotation, axes_of(state.parametric.charts[n].C_i), angles_of(pair, scratch.extra))


@inner_kernel
def across(d, moved, right, r):
    """Return row r of A_ij, which is C_i H C_jᵀ, as a vector in the axes of body j."""
    if d is PLANAR:
        return (moved[0][r], moved[1][r])
    return outside(d, right, (moved[0][r], moved[1][r], moved[2][r]))


@inner_kernel
def direction(d, model, state, n, k):
    """Return the direction, on body i, in which the k-th parameter slides; zero for an angle that does not."""
    pair = model.parametric.pairs[n]
    if d is PLANAR:
        return load(d, model.parametric.planar_numbers[n].slide, 0) if k < pair.slides else zero(d)
    C = state.parametric.charts[n].C_i
    if pair.pitched == 1:
        return v3.scale(model.parametric.spatial_numbers[n].pitch, axis_of(C, 2))
    return axis_of(C, pair.slide[k]) if k < pair.slides else zero(d)


@inner_kernel
def slide_of(d, model, state, scratch, n):
    """Return s_i + B α, where the parameters of a pair put its second point on body i."""
    pair = model.parametric.pairs[n]
    x = load(d, numbers_of(d, model.parametric)[n].s_i, 0)
    for k in range(pair.parameters):
        if k < pair.slides or pair.pitched == 1:
            x = add(d, x, scale(d, scratch.extra[pair.extra + k], direction(d, model, state, n, k)))
    return x


@inner_kernel
def sum_of_axes(axes, rates):
    """Return Σ w_k x_k."""
    return outside(SPATIAL, axes, rates)


@inner_kernel
def axis_change(axes, rates, k):
    """Return ∂(W x)/∂α_k, x held."""
    x = NONE
    if k > 0:
        x = v3.scale(rates[0], v3.cross(axes[0], axes[k]))
    if k > 1:
        x = v3.add(x, v3.scale(rates[1], v3.cross(axes[1], axes[2])))
    return x
