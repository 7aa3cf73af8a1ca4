"""Coordinate functions: one interface (value, gradient, rate, γ, second derivative) over planar, spatial and extra ones.

A pair's rows, its coordinates, a frame's point and a cam's contact are all such functions; motions, gears, racks, screws,
cams and couplers are written on them and know no bodies.
"""

from __future__ import annotations

from multibody.kernels import codes as L
from multibody.kernels.compile import inner_kernel, kernel
from multibody.kernels.declared import model_at, planar_numbers, scratch_at, spatial_numbers, state_at
from multibody.kernels.planar import planar_component, planar_gamma, planar_gradient, planar_hessian, planar_value
from multibody.kernels.spatial import spatial_component, spatial_gamma, spatial_gradient, spatial_hessian, spatial_value


@inner_kernel
def function_value(model, state, scratch, f):
    """Return the value of function f at the poses."""
    c = model.functions[f]
    if c.kind == L.EXTRA:
        return scratch.extra[c.extra]
    if model.planar:
        pose = scratch.planar_pose
        return planar_value(c.kind, pose[c.first], pose[c.second], planar_numbers(model.numbers, c.numbers))
    pose3, n = scratch.spatial_pose, spatial_numbers(model.numbers, c.numbers)
    return spatial_value(c.kind, pose3[c.first], pose3[c.second], n, state.ref[f])


@kernel
def function_gradient(model, scratch, f, g):
    """Write the gradient of function f to g: first body's block, then the second's; an extra one writes 1."""
    model, scratch = model_at(model), scratch_at(scratch)
    c = model.functions[f]
    if c.kind == L.EXTRA:
        g[0] = 1.0
    elif model.planar:
        pose = scratch.planar_pose
        planar_gradient(c.kind, pose[c.first], pose[c.second], planar_numbers(model.numbers, c.numbers), g)
    else:
        pose3 = scratch.spatial_pose
        spatial_gradient(c.kind, pose3[c.first], pose3[c.second], spatial_numbers(model.numbers, c.numbers), g)


@inner_kernel
def component_gradient(model, scratch, f, axis, g):
    """Write the gradient of a component (ground axes) of the vector d between the two points of a distance f to g."""
    c = model.functions[f]
    if model.planar:
        pose = scratch.planar_pose
        planar_component(pose[c.first], pose[c.second], planar_numbers(model.numbers, c.numbers), axis, g)
    else:
        pose3 = scratch.spatial_pose
        spatial_component(pose3[c.first], pose3[c.second], spatial_numbers(model.numbers, c.numbers), axis, g)


@inner_kernel
def function_gamma(model, scratch, f):
    """Return the γ term of function f: its second time derivative is gradient · v̇ − γ."""
    c = model.functions[f]
    if c.kind == L.EXTRA:
        return 0.0
    if model.planar:
        pose, twist, n = scratch.planar_pose, scratch.planar_twist, planar_numbers(model.numbers, c.numbers)
        return planar_gamma(c.kind, pose[c.first], pose[c.second], twist[c.first], twist[c.second], n)
    pose3, twist3, n3 = scratch.spatial_pose, scratch.spatial_twist, spatial_numbers(model.numbers, c.numbers)
    return spatial_gamma(c.kind, pose3[c.first], pose3[c.second], twist3[c.first], twist3[c.second], n3)


@inner_kernel
def function_rate(model, scratch, f, g):
    """Return gradient g · v of function f; with accelerations in the place of v, the part of c̈ that is linear in them."""
    c, width, v = model.functions[f], model.width, scratch.velocity
    if c.kind == L.EXTRA:
        return v[width * (L.FIRST_BODY + model.bodies) + c.extra]
    total = 0.0
    for k in range(width):
        total += g[k] * v[width * c.first + k] + g[width + k] * v[width * c.second + k]
    return total


@inner_kernel
def function_hessian(model, scratch, f, h, g):
    """Write the second derivative of function f to h (by rows); g is scratch for three gradients."""
    c = model.functions[f]
    if c.kind == L.EXTRA:
        return
    if model.planar:
        pose = scratch.planar_pose
        planar_hessian(c.kind, pose[c.first], pose[c.second], planar_numbers(model.numbers, c.numbers), h, g)
    else:
        pose3 = scratch.spatial_pose
        spatial_hessian(c.kind, pose3[c.first], pose3[c.second], spatial_numbers(model.numbers, c.numbers), h, g)


@kernel
def set_references(model, state, scratch, count):
    """Move the angle references to the values at the poses; done at accepted steps only."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    for f in range(count):
        if model.functions[f].kind == L.ANGLE:
            state.ref[f] = function_value(model, state, scratch, f)


@inner_kernel
def largest_turn(model, state, scratch, count):
    """Return how far the farthest counted angle has moved from its reference [rad]."""
    worst = 0.0
    if model.planar:
        return worst
    for f in range(count):
        if model.functions[f].kind == L.ANGLE:
            worst = max(worst, abs(function_value(model, state, scratch, f) - state.ref[f]))
    return worst
