"""Wrench elements: a force and a moment between two frames, computed together from how the frames lie and move.

An element knows, in the axes of its first frame i, where the second frame j is and how it moves:

    d = C_iᵀ (p_j − p_i),   R = C_iᵀ C_j,   u = ḋ,   w = C_iᵀ (ω_j − ω_i),   Ṙ = w̃ R,

and the angles about f, g, h that count their turns. It answers with the force f and the moment m that act on the second body
at p_j, in the same axes; the first body gets the opposite at the same point. Their power is f·u + m·w, so that forces which
are slopes of a potential V(d, R) give and take exactly what V loses and gains.

In the plane all of this is told as in space, with z out of it: one text serves both. A kind of element is a kernel with the
arguments of ``bushing_wrench`` and a line in ``element_wrench``; everything else follows, derivatives too.
"""

from __future__ import annotations

import math

from multibody.kernels import codes as L
from multibody.kernels.body_layout import POINT
from multibody.kernels.bushing import bushing_wrench
from multibody.kernels.compile import inner_kernel
from multibody.kernels.declared import bushing_numbers, wrench_frames
from multibody.kernels.functions import function_value
from multibody.kernels.tags import VALUES
from multibody.kernels.vectors import (
    add,
    apply,
    apply_transposed,
    cross,
    dot,
    load3,
    load9,
    multiply,
    scale,
    subtract,
    transpose,
)


@inner_kernel
def element_wrench(sloped, model, state, scratch, t, element, place, twist):
    """Let an element write its wrench, and if `sloped` its derivatives, to the scratch; return its potential energy.

    Parameters
    ----------
    place : (d, R, angles)
        Of the second frame in the first, as of ``relative_place``.
    twist : (u, w)
        As of ``relative_twist``.

    A kind that is not known here has no number.
    """
    work = scratch.wrench_work[0]
    if element.kind == L.BUSHING:
        return bushing_wrench(sloped, bushing_numbers(model.numbers, element.numbers), place, twist, work)
    for c in range(L.WRENCH):
        work.wrench[c], work.elastic[c] = math.nan, math.nan
    return math.nan


# --- how the frames lie and move ---------------------------------------------------------------------------------------------
@inner_kernel
def pose_of(model, scratch, body):
    """Return center of mass and axes of a body, in the plane with z out of it."""
    if model.planar:
        p = scratch.planar_pose[body]
        return ((p.x, p.y, 0.0), (p.cos, -p.sin, 0.0, p.sin, p.cos, 0.0, 0.0, 0.0, 1.0))
    p3 = scratch.spatial_pose[body]
    return (load3(p3.r, 0), load9(p3.A, 0))


@inner_kernel
def twist_of(model, scratch, body):
    """Return velocity (ground axes) and angular velocity (body axes) of a body, in the plane with z out of it."""
    v, k = scratch.velocity, model.width * body
    if model.planar:
        x, y, omega = load3(v, k)
        return ((x, y, 0.0), (0.0, 0.0, omega))
    return (load3(v, k), load3(v, k + POINT))


@inner_kernel
def ends_of(model, scratch, element):
    """Return (A_i, A_j, C_i, arm): axes of both bodies and of the first frame, and p_j from the first body's center."""
    n = wrench_frames(model.numbers, element.frames)
    ri, Ai = pose_of(model, scratch, element.first)
    rj, Aj = pose_of(model, scratch, element.second)
    arm = subtract(add(rj, apply(Aj, load3(n.s_j, 0))), ri)
    return (Ai, Aj, multiply(Ai, load9(n.C_i, 0)), arm)


@inner_kernel
def relative_place(model, state, scratch, element):
    """Return (d, R, angles) of the second frame in the axes of the first."""
    n = wrench_frames(model.numbers, element.frames)
    Ai, Aj, Ci, arm = ends_of(model, scratch, element)
    d, R = subtract(arm, apply(Ai, load3(n.s_i, 0))), multiply(transpose(Ci), multiply(Aj, load9(n.C_j, 0)))
    x = _angle(model, state, scratch, element.angles[0])
    y = _angle(model, state, scratch, element.angles[1])
    return (apply_transposed(Ci, d), R, (x, y, _angle(model, state, scratch, element.angles[2])))


@inner_kernel
def _angle(model, state, scratch, f):
    """Return an angle with its turns, 0 where the element needs none."""
    return function_value(model, state, scratch, f) if f >= 0 else 0.0


@inner_kernel
def relative_twist(model, scratch, element):
    """Return (u, w): velocity of the second frame's point as the first frame sees it, and relative angular velocity."""
    n = wrench_frames(model.numbers, element.frames)
    Ai, Aj, Ci, arm = ends_of(model, scratch, element)
    vi, oi = twist_of(model, scratch, element.first)
    vj, oj = twist_of(model, scratch, element.second)
    spin = apply(Ai, oi)
    u = subtract(add(vj, apply(Aj, cross(oj, load3(n.s_j, 0)))), add(vi, cross(spin, arm)))
    return (apply_transposed(Ci, u), apply_transposed(Ci, subtract(apply(Aj, oj), spin)))


# --- what it does ------------------------------------------------------------------------------------------------------------
@inner_kernel
def add_wrench_element(model, state, scratch, t, element, Q):
    """Add what an element does to both bodies to Q; return the power of the part without a potential."""
    n, work = wrench_frames(model.numbers, element.frames), scratch.wrench_work[0]
    place, twist = relative_place(model, state, scratch, element), relative_twist(model, scratch, element)
    element_wrench(VALUES, model, state, scratch, t, element, place, twist)
    Ai, Aj, Ci, arm = ends_of(model, scratch, element)
    f, m = load3(work.wrench, 0), load3(work.wrench, POINT)
    force, moment = apply(Ci, f), apply(Ci, m)
    own = add(cross(load3(n.s_j, 0), apply_transposed(Aj, force)), apply_transposed(Aj, moment))
    _add_to_body(model, Q, element.second, force, own)
    back = scale(-1.0, apply_transposed(Ai, add(cross(arm, force), moment)))
    _add_to_body(model, Q, element.first, scale(-1.0, force), back)
    lost = dot(subtract(f, load3(work.elastic, 0)), twist[0])
    return lost + dot(subtract(m, load3(work.elastic, POINT)), twist[1])


@inner_kernel
def _add_to_body(model, Q, body, force, moment):
    """Add a force (ground axes) and a moment about the center of mass (body axes) to the columns of a body."""
    if body == 0:
        return
    at = model.width * (body - L.FIRST_BODY)
    if model.planar:
        flat = (force[0], force[1], moment[2])
        for c in range(3):
            Q[at + c] += flat[c]
        return
    for c in range(3):
        Q[at + c] += force[c]
        Q[at + POINT + c] += moment[c]


@inner_kernel
def wrench_energy(model, state, scratch, t, element):
    """Return the potential energy of an element at the poses."""
    rest, place = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)), relative_place(model, state, scratch, element)
    return element_wrench(VALUES, model, state, scratch, t, element, place, rest)


@inner_kernel
def write_wrench(model, state, scratch, t, element, out):
    """Write force and moment on the second body at its frame, in the axes of the first: three numbers (planar) or six."""
    work = scratch.wrench_work[0]
    place, twist = relative_place(model, state, scratch, element), relative_twist(model, scratch, element)
    element_wrench(VALUES, model, state, scratch, t, element, place, twist)
    for c in range(model.width):
        out[c] = work.wrench[component_of(model, c)]


@inner_kernel
def component_of(model, c):
    """Return which component of a wrench in space the c-th of a model is; of two bodies' columns likewise."""
    if model.planar and c % 3 == 2:
        return 2 * c + 1
    return c + 3 * (c // 3) if model.planar else c
