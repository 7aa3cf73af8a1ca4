"""Vectors, turns and frames of a pair in the plane or in space, where they lie in memory, and how its parameters turn them.

The first argument `d` says which, PLANAR or SPATIAL (see ``tags``). A vector has two or three components; a turn, which is an
angular velocity, a moment or a virtual rotation, has one or three. An orientation is (cos θ, sin θ), or A by rows.

In space H(α) = R_z(α₁), R_z(α₁)R_x(α₂) or R_z(α₁)R_y(α₂)R_x(α₃). Its derivatives are ∂H/∂α_k = H w̃_k with the axes w_k, the
columns of W(α), in the turned frame; these change by ∂w_a/∂α_b = w_a × w_b for b > a and not at all for b ≤ a. In the plane H
turns by the one angle there is.
"""

from __future__ import annotations

from multibody.kernels import vectors as v3
from multibody.kernels.codes import FIRST_BODY
from multibody.kernels.compile import inlined, inner_kernel
from multibody.kernels.rotations import sincos
from multibody.kernels.tags import PLANAR, SPATIAL

NONE = (0.0, 0.0, 0.0)
BASIS = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@inlined
def size(d):
    """Return the number of components of a vector."""
    if d is PLANAR:
        return 2
    return 3


@inlined
def turns(d):
    """Return the number of components of a turn."""
    if d is PLANAR:
        return 1
    return 3


@inlined
def load(d, x, k):
    """Return the vector at x[k…]."""
    if d is PLANAR:
        return v3.load2(x, k)
    return v3.load3(x, k)


@inlined
def load_column(d, x, k, stride):
    """Return the vector at x[k] whose components are `stride` apart."""
    if d is PLANAR:
        return (x[k], x[k + stride])
    return v3.load_column3(x, k, stride)


@inlined
def zero(d):
    """Return the zero vector."""
    if d is PLANAR:
        return (0.0, 0.0)
    return (0.0, 0.0, 0.0)


@inlined
def basis(d, r):
    """Return the r-th unit vector."""
    if d is PLANAR:
        return (1.0 if r == 0 else 0.0, 1.0 if r == 1 else 0.0)
    return (1.0 if r == 0 else 0.0, 1.0 if r == 1 else 0.0, 1.0 if r == 2 else 0.0)


@inlined
def basis_turn(d, r):
    """Return the turn by one about the r-th axis; in the plane there is one axis."""
    if d is PLANAR:
        return (1.0,)
    return basis(d, r)


@inlined
def add(d, a, b):
    """Return the sum of two vectors."""
    if d is PLANAR:
        return (a[0] + b[0], a[1] + b[1])
    return v3.add(a, b)


@inlined
def subtract(d, a, b):
    """Return the difference of two vectors."""
    if d is PLANAR:
        return (a[0] - b[0], a[1] - b[1])
    return v3.subtract(a, b)


@inlined
def scale(d, k, a):
    """Return k times a vector."""
    if d is PLANAR:
        return (k * a[0], k * a[1])
    return v3.scale(k, a)


@inlined
def add_turns(d, a, b):
    """Return the sum of two turns."""
    if d is PLANAR:
        return (a[0] + b[0],)
    return v3.add(a, b)


@inlined
def cross(d, a, b):
    """Return the turn a × b of two vectors."""
    if d is PLANAR:
        return (a[0] * b[1] - a[1] * b[0],)
    return v3.cross(a, b)


@inlined
def swing(d, w, x):
    """Return the vector w × x of a turn and a vector."""
    if d is PLANAR:
        return (-w[0] * x[1], w[0] * x[0])
    return v3.cross(w, x)


@inlined
def basis_cross(d, r, x):
    """Return e_r × x, the r-th row of x̃, without multiplying."""
    if d is PLANAR:
        return (x[1] if r == 0 else -x[0],)
    if r == 0:
        return (0.0, -x[2], x[1])
    if r == 1:
        return (x[2], 0.0, -x[0])
    return (-x[1], x[0], 0.0)


@inlined
def apply(d, A, x):
    """Return A x."""
    if d is PLANAR:
        return (A[0] * x[0] - A[1] * x[1], A[1] * x[0] + A[0] * x[1])
    return v3.apply(A, x)


@inlined
def apply_transposed(d, A, x):
    """Return Aᵀ x."""
    if d is PLANAR:
        return (A[0] * x[0] + A[1] * x[1], A[0] * x[1] - A[1] * x[0])
    return v3.apply_transposed(A, x)


@inlined
def axis(d, A, r):
    """Return the r-th column of A, an axis of the body."""
    if d is PLANAR:
        return (A[0], A[1]) if r == 0 else (-A[1], A[0])
    return v3.column_of(A, r)


@inlined
def inside(d, frame, x):
    """Return the components of x in a frame, given by its axes."""
    if d is PLANAR:
        return (_dot(frame[0], x), _dot(frame[1], x))
    return (v3.dot(frame[0], x), v3.dot(frame[1], x), v3.dot(frame[2], x))


@inlined
def _dot(a, b):
    """Return the product of two vectors in the plane."""
    return a[0] * b[0] + a[1] * b[1]


@inlined
def outside(d, frame, x):
    """Return the vector with the components x in a frame."""
    if d is PLANAR:
        return add(d, scale(d, x[0], frame[0]), scale(d, x[1], frame[1]))
    return v3.add(v3.add(v3.scale(x[0], frame[0]), v3.scale(x[1], frame[1])), v3.scale(x[2], frame[2]))


# --- memory ------------------------------------------------------------------------------------------------------------------
@inlined
def numbers_of(d, pairs):
    """Return the numbers of all pairs."""
    if d is PLANAR:
        return pairs.planar_numbers
    return pairs.spatial_numbers


@inlined
def poses_of(d, scratch):
    """Return the poses of all bodies, the ground first."""
    if d is PLANAR:
        return scratch.planar_pose
    return scratch.spatial_pose


@inlined
def turns_of(d, memory):
    """Return the orientations of all bodies where the kept matrices were made, the ground first."""
    if d is PLANAR:
        return memory.planar_turns
    return memory.spatial_turns


@inlined
def position(d, pose):
    """Return the center of mass of a body."""
    if d is PLANAR:
        return (pose.x, pose.y)
    return v3.load3(pose.r, 0)


@inlined
def orientation(d, pose):
    """Return the orientation of a pose, or of one that was kept."""
    if d is PLANAR:
        return (pose.cos, pose.sin)
    return v3.load9(pose.A, 0)


@inlined
def velocity_of(d, model, scratch, body):
    """Return the velocity of a body's center of mass, in ground axes, and its angular velocity in its own."""
    v, k = scratch.velocity, model.width * body
    if d is PLANAR:
        x, y, omega = v3.load3(v, k)
        return (x, y), (omega,)
    return v3.load3(v, k), v3.load3(v, k + size(d))


@inlined
def write_row(d, pair, J, r, x, turn_i, y, turn_j):
    """Write the blocks of the two bodies in the r-th row of a pair, J being on the entries of Φ_q."""
    at = pair.entry + pair.width * r
    i, j = at + pair.at_first, at + pair.at_second
    if pair.at_first >= 0:
        for c in range(size(d)):
            J[i + c] = x[c]
        for c in range(turns(d)):
            J[i + size(d) + c] = turn_i[c]
    if pair.at_second >= 0:
        for c in range(size(d)):
            J[j + c] = y[c]
        for c in range(turns(d)):
            J[j + size(d) + c] = turn_j[c]


@inlined
def clear_row(pair, J, r):
    """Write zeros to the r-th row of a pair."""
    for c in range(pair.width):
        J[pair.entry + pair.width * r + c] = 0.0


@inlined
def parameter_entry(pair, r, k):
    """Return which entry of Φ_q the k-th parameter has in the r-th row of a pair."""
    return pair.entry + pair.width * r + pair.at_alpha + k


@inlined
def multipliers_of(d, pair, x, r):
    """Return the multipliers of a pair's rows from the r-th on, as a vector; 0 for rows that are left out."""
    if d is PLANAR:
        return (_multiplier(pair, x, r), _multiplier(pair, x, r + 1))
    return (_multiplier(pair, x, r), _multiplier(pair, x, r + 1), _multiplier(pair, x, r + 2))


@inlined
def _multiplier(pair, x, r):
    """Return the multiplier of a row."""
    k = pair.chosen[r]
    return x[k] if k >= 0 else 0.0


# --- frames ------------------------------------------------------------------------------------------------------------------
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
    return v3.row_of(C, k)


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
    if n == 3:
        return v3.load3(x, k)
    if n == 2:
        a, b = v3.load2(x, k)
        return (a, b, 0.0)
    return (x[k] if n == 1 else 0.0, 0.0, 0.0)


@inner_kernel
def angle_rates(model, scratch, pair):
    """Return the rates of the angles of a spatial pair; those of the extra coordinates come behind those of the bodies."""
    return angles_of(pair, scratch.velocity[model.width * (FIRST_BODY + model.bodies) :])


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
