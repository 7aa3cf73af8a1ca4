"""Coordinate functions: one interface (value, gradient, rate, γ, second derivative) over planar, spatial and extra ones.

A pair's rows, its coordinates, a frame's point and a cam's contact are all such functions; motions, gears, racks, screws,
cams and couplers are written on them and know no bodies.
"""

from __future__ import annotations

from multibody.kernels import layout as L
from multibody.kernels.compile import inner_kernel, kernel
from multibody.kernels.declared import model_at, scratch_at, state_at
from multibody.kernels.planar import planar_component, planar_gamma, planar_gradient, planar_hessian, planar_value
from multibody.kernels.spatial import spatial_component, spatial_gamma, spatial_gradient, spatial_hessian, spatial_value


@inner_kernel
def record(model, f):
    """Return kind, first body, second body, offset of the numbers in F, extra index."""
    I = model.I
    k = I[L.FUNCTIONS] + L.FUNCTION_STRIDE * f
    return (I[k], I[k + 1], I[k + 2], I[k + 3], I[k + 4])


@inner_kernel
def function_value(model, state, scratch, f):
    """Return the value of function f at the poses in W."""
    I, F, W, ref = model.I, model.F, scratch.W, state.ref
    kind, i, j, k, extra = record(model, f)
    if kind == L.EXTRA:
        return W[I[L.W_EXTRA] + extra]
    at = I[L.W_POSE]
    if I[L.DIMENSION] == 2:
        return planar_value(W, F, kind, at + 5 * i, at + 5 * j, k)
    return spatial_value(W, F, kind, at + 12 * i, at + 12 * j, k, ref[f])


@kernel
def function_gradient(model, scratch, f, g):
    """Write the gradient of function f at W[g]: first body's block, then the second's; an extra one writes 1."""
    model, scratch = model_at(model), scratch_at(scratch)
    I, F, W = model.I, model.F, scratch.W
    kind, i, j, k, _ = record(model, f)
    at = I[L.W_POSE]
    if kind == L.EXTRA:
        W[g] = 1.0
    elif I[L.DIMENSION] == 2:
        planar_gradient(W, F, kind, at + 5 * i, at + 5 * j, k, g)
    else:
        spatial_gradient(W, F, kind, at + 12 * i, at + 12 * j, k, g)


@inner_kernel
def component_gradient(model, scratch, f, c, g):
    """Write the gradient of component c (ground axes) of the vector d between the two points of a distance f at W[g]."""
    I, F, W = model.I, model.F, scratch.W
    _, i, j, k, _ = record(model, f)
    at = I[L.W_POSE]
    if I[L.DIMENSION] == 2:
        planar_component(W, F, at + 5 * i, at + 5 * j, k, c, g)
    else:
        spatial_component(W, F, at + 12 * i, at + 12 * j, k, c, g)


@inner_kernel
def function_gamma(model, scratch, f):
    """Return the γ term of function f: its second time derivative is gradient · v̇ − γ."""
    I, F, W = model.I, model.F, scratch.W
    kind, i, j, k, _ = record(model, f)
    if kind == L.EXTRA:
        return 0.0
    at, twist = I[L.W_POSE], I[L.W_TWIST]
    if I[L.DIMENSION] == 2:
        return planar_gamma(W, F, kind, at + 5 * i, at + 5 * j, twist + 3 * i, twist + 3 * j, k)
    return spatial_gamma(W, F, kind, at + 12 * i, at + 12 * j, twist + 6 * i, twist + 6 * j, k)


@inner_kernel
def dot_gradient(model, scratch, f, g, vector):
    """Return gradient (at W[g]) · vector, where the vector lies at W[vector] with the ground's block first."""
    I, W = model.I, scratch.W
    kind, i, j, _, extra = record(model, f)
    width = 3 if I[L.DIMENSION] == 2 else 6
    if kind == L.EXTRA:
        return W[vector + width * (I[L.BODIES] + 1) + extra]
    total = 0.0
    for c in range(width):
        total += W[g + c] * W[vector + width * i + c] + W[g + width + c] * W[vector + width * j + c]
    return total


@inner_kernel
def function_hessian(model, scratch, f, h, g):
    """Write the second derivative of function f at W[h] (by rows); W[g..] is scratch for three gradients."""
    I, F, W = model.I, model.F, scratch.W
    kind, i, j, k, _ = record(model, f)
    at = I[L.W_POSE]
    if kind == L.EXTRA:
        return
    if I[L.DIMENSION] == 2:
        planar_hessian(W, F, kind, at + 5 * i, at + 5 * j, k, h, g)
    else:
        spatial_hessian(W, F, kind, at + 12 * i, at + 12 * j, k, h, g)


@kernel
def set_references(model, state, scratch, count):
    """Move the angle references to the values at the poses in W; done at accepted steps only."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    ref = state.ref
    for f in range(count):
        if record(model, f)[0] == L.ANGLE:
            ref[f] = function_value(model, state, scratch, f)


@inner_kernel
def largest_turn(model, state, scratch, count):
    """Return how far the farthest counted angle has moved from its reference [rad]."""
    I, ref = model.I, state.ref
    worst = 0.0
    if I[L.DIMENSION] == 2:
        return worst
    for f in range(count):
        if record(model, f)[0] == L.ANGLE:
            worst = max(worst, abs(function_value(model, state, scratch, f) - ref[f]))
    return worst
