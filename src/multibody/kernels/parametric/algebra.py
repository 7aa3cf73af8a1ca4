"""Vectors and turns of a pair in the plane or in space, and where they lie in memory.

The first argument `d` says which, PLANAR or SPATIAL (see ``tags``). A vector has two or three components; a turn, which is an
angular velocity, a moment or a virtual rotation, has one or three. An orientation is (cos θ, sin θ), or A by rows.
"""

from __future__ import annotations

from multibody.kernels import vectors as v3
from multibody.kernels.compile import inlined
from multibody.kernels.tags import PLANAR


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
        return (x[k], x[k + 1])
    return v3.load3(x, k)


@inlined
def load_column(d, x, k, stride):
    """Return the vector at x[k] whose components are `stride` apart."""
    if d is PLANAR:
        return (x[k], x[k + stride])
    return (x[k], x[k + stride], x[k + 2 * stride])


@inlined
def zero(d):
    """Return the zero vector."""
    if d is PLANAR:
        return (0.0, 0.0)
    return (0.0, 0.0, 0.0)


@inlined
def unit(d, r):
    """Return the r-th unit vector."""
    if d is PLANAR:
        return (1.0 if r == 0 else 0.0, 1.0 if r == 1 else 0.0)
    return (1.0 if r == 0 else 0.0, 1.0 if r == 1 else 0.0, 1.0 if r == 2 else 0.0)


@inlined
def unit_turn(d, r):
    """Return the turn by one about the r-th axis; in the plane there is one axis."""
    if d is PLANAR:
        return (1.0,)
    return unit(d, r)


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
def unit_cross(d, r, x):
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
    return (A[r], A[3 + r], A[6 + r])


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
        return (v[k], v[k + 1]), (v[k + 2],)
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
