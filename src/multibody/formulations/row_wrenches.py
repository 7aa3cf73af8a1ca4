"""What rows of the constraints do to bodies along a motion, −Φ_qᵀ λ as a force and a moment about a point, in ground axes.

With M v̇ + Φ_qᵀ λ = Q (Shabana, Computational Dynamics, section 6.4) the rows of a joint are a generalized force on each body:
a force in ground axes and a moment about its center of mass, in space in body axes. The three functions that say so hold
nothing but arithmetic, so that symbols go through the same text as numbers.
"""

from __future__ import annotations

from multibody.formulations.driven import refer
from multibody.kernels.compile import inner_kernel, kernel
from multibody.kernels.declared import model_at, scratch_at, state_at
from multibody.kernels.rows import row_jacobian
from multibody.kernels.state import set_positions
from multibody.kernels.vectors import add, apply, load2, load3, load9, store3, subtract

POINT = 6  # of a wrench in space, behind force and moment
POINT_X, POINT_Y = 3, 4  # of one in the plane
CENTER = -1  # in the place of a point's numbers: the center of mass


@inner_kernel
def generalized_force(J, columns, ends, multipliers, first, width, sign, block):
    """Write sign · Jᵀ λ of some rows on the columns from `first` on, those of one body.

    Parameters
    ----------
    J : array (entries,)
        Of the rows, one behind the other.
    columns : array of int (entries,)
    ends : array of int (rows,)
        Where the entries of every row end.
    multipliers : array (rows,)
    block : array (width,), written
    """
    for c in range(width):
        block[c] = 0.0
    e = 0
    for r in range(ends.shape[0]):
        while e < ends[r]:
            c = columns[e] - first
            if 0 <= c < width:
                block[c] += sign * J[e] * multipliers[r]
            e += 1


@inner_kernel
def add_planar_wrench(block, arm, out):
    """Add a generalized force to force and moment about a point in the plane; the arm goes from there to the center of mass."""
    out[0] += block[0]
    out[1] += block[1]
    out[2] += block[2] + (arm[0] * block[1] - arm[1] * block[0])


@inner_kernel
def add_spatial_wrench(block, A, arm, out):
    """Add a generalized force to force and moment about a point in space; A by rows has the body axes in its columns."""
    out[0] += block[0]
    out[1] += block[1]
    out[2] += block[2]
    out[3] += A[0] * block[3] + A[1] * block[4] + A[2] * block[5] + (arm[1] * block[2] - arm[2] * block[1])
    out[4] += A[3] * block[3] + A[4] * block[4] + A[5] * block[5] + (arm[2] * block[0] - arm[0] * block[2])
    out[5] += A[6] * block[3] + A[7] * block[4] + A[8] * block[5] + (arm[0] * block[1] - arm[1] * block[0])


@kernel
def wrenches_at(model, state, scratch, times, Q, R, multipliers, rows, columns, ends, bodies, sign, home, point, room, out):
    """Write what rows do to some bodies together at every instant: force, moment about a point, the point, all in ground axes.

    Parameters
    ----------
    times : array (instants,)
    Q : array (instants, nq or more)
    R : array (instants or 1, functions)
        Angle references.
    multipliers : array (instants, all rows)
    rows : int
        The first of them.
    columns, ends : arrays of int
        Columns of their entries, and where the entries of every row end.
    bodies : array of int
    sign : float
        −1 for what the rows do to the bodies, 1 for the opposite.
    home, point : int
        Body of the point, and where its numbers begin, from the center of mass in body axes; ``CENTER``: there.
    room : array (entries + 6,)
    out : array (instants, 5 or 9), written
    """
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    count, width, begin = ends.shape[0], model.width, columns.shape[0]
    J, block = room[:begin], room[begin:]
    for k in range(times.shape[0]):
        refer(R, k, state.ref)
        set_positions(model, scratch, Q[k])
        row_jacobian(model, state, scratch, times[k], rows, rows + count, J)
        for c in range(out.shape[1]):
            out[k, c] = 0.0
        _set_point(model, scratch, home, point, out[k])
        for i in range(bodies.shape[0]):
            b = bodies[i]
            generalized_force(J, columns, ends, multipliers[k, rows : rows + count], width * (b - 1), width, sign, block)
            if model.planar:
                pose = scratch.planar_pose[b]
                add_planar_wrench(block, (pose.x - out[k, POINT_X], pose.y - out[k, POINT_Y]), out[k])
            else:
                pose3 = scratch.spatial_pose[b]
                arm = subtract(load3(pose3.r, 0), load3(out[k], POINT))
                add_spatial_wrench(block, load9(pose3.A, 0), arm, out[k])


@inner_kernel
def _set_point(model, scratch, home, point, out):
    """Write a point of a body, behind the wrench."""
    if model.planar:
        pose = scratch.planar_pose[home]
        out[POINT_X], out[POINT_Y] = pose.x, pose.y
        if point >= 0:
            x, y = load2(model.numbers, point)
            out[POINT_X] += pose.cos * x - pose.sin * y
            out[POINT_Y] += pose.sin * x + pose.cos * y
    else:
        pose3 = scratch.spatial_pose[home]
        r = load3(pose3.r, 0)
        if point >= 0:
            r = add(r, apply(load9(pose3.A, 0), load3(model.numbers, point)))
        store3(out, POINT, r)
