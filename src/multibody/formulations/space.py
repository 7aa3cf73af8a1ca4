"""What the formulations ask of a configuration space: Cartesian coordinates of all bodies, or the joint coordinates of a tree.

The first argument `space` of every function says which, CARTESIAN or JOINT (see ``kernels/tags.py``): everything built on a
space (projection, change points, stabilization, partitioning) is written once, and neither version contains the other.
"""

from __future__ import annotations

from multibody.formulations import cartesian
from multibody.kernels import state as body_state
from multibody.kernels.compile import inlined
from multibody.kernels.tags import CARTESIAN
from multibody.kernels.tree import space as joint


@inlined
def sizes(space, model):
    """Return the numbers of coordinates and of rates in y = (q, v, w)."""
    if space is CARTESIAN:
        return (model.coordinates, model.velocities)
    return (model.tree.nq, model.tree.nv)


@inlined
def normalize(space, model, q):
    """Make the quaternions in q unit."""
    if space is CARTESIAN:
        cartesian.normalize(model, q)
    else:
        joint.joint_normalize(model, q)


@inlined
def set_poses(space, model, state, scratch, t, q):
    """Write the poses at (t, q) to W."""
    if space is CARTESIAN:
        body_state.set_positions(model, scratch, q)
    else:
        joint.joint_poses(model, state, scratch, t, q)


@inlined
def set_state(space, model, state, scratch, t, y, bodies):
    """Write poses and twists at (t, y) to W; with `bodies` = 0 only what the equations of motion need."""
    if space is CARTESIAN:
        cartesian.set_state(model, scratch, y)
    else:
        joint.joint_state(model, state, scratch, t, y, bodies)


@inlined
def displace(space, model, q, x, k, out):
    """Write q ⊕ k x."""
    if space is CARTESIAN:
        body_state.displace(model, q, x, k, out)
    else:
        joint.joint_displace(model, q, x, k, out)


@inlined
def rows_at_pose(space, model, state, scratch, t, values, gradients):
    """Write Φ of all rows to W_X where `values` is 1, Φ_q to W_J where `gradients` is 1, at the poses in W."""
    if space is CARTESIAN:
        cartesian.rows_at_pose(model, state, scratch, t, values, gradients)
        return
    if values == 1:
        joint.joint_values(model, state, scratch, t)
    if gradients == 1:
        joint.joint_jacobian(model, state, scratch, t, 0)


@inlined
def rows_at_state(space, model, state, scratch, t):
    """Write Φ_q of all rows to W_J and γ to W_X, at the poses and twists in W."""
    if space is CARTESIAN:
        cartesian.rows_at_state(model, state, scratch, t)
    else:
        joint.joint_jacobian(model, state, scratch, t, 1)


@inlined
def velocity_gaps(space, model, state, scratch, t, v):
    """Write ν − Φ_q v of all rows to W_X; poses and Φ_q are known."""
    if space is CARTESIAN:
        cartesian.velocity_gaps(model, state, scratch, t, v)
    else:
        joint.joint_gaps(model, state, scratch, t, v)


@inlined
def applied(space, model, state, scratch, t):
    """Write the applied forces at the state in W; return the power of those without a potential."""
    if space is CARTESIAN:
        return cartesian.applied(model, state, scratch, t)
    return joint.joint_applied(model, state, scratch, t)


@inlined
def driving_power(space, model, state, scratch, t):
    """Return the power of motions and constraints that depend on time, v̇ and λ in W."""
    if space is CARTESIAN:
        return cartesian.driving_power(model, state, scratch, t)
    return joint.joint_driving_power(model, state, scratch, t)


@inlined
def factor(space, model, state, scratch):
    """Factor the equations of motion at the rows in W; return the smallest pivot ratio, ≤ 0 where there is no solution."""
    if space is CARTESIAN:
        return cartesian.factor(model, state, scratch)
    return joint.joint_factor(model, state, scratch)


@inlined
def solve(space, model, state, scratch):
    """Write v̇ to W_A and λ of the chosen rows to W_LAMBDA."""
    if space is CARTESIAN:
        cartesian.solve(model, state, scratch)
    else:
        joint.joint_solve(model, state, scratch)


@inlined
def correct(space, model, state, scratch):
    """Write the smallest change x (in the metric of the masses) with Φ_q x = W_X to W_A."""
    if space is CARTESIAN:
        cartesian.correct(model, state, scratch)
    else:
        joint.joint_correct(model, scratch)


@inlined
def write_rates(space, model, scratch, y, power, dy):
    """Write ẏ, v̇ from W_A."""
    if space is CARTESIAN:
        cartesian.write_rates(model, scratch, y, power, dy)
    else:
        joint.joint_write_rates(model, scratch, y, power, dy)


@inlined
def entry(space, model, scratch, k, c):
    """Return column and value of the c-th entry of row k in W_J."""
    if space is CARTESIAN:
        e = model.rows[k].entry + c
        return (model.columns[e], scratch.J[e])
    return (c, scratch.J[model.tree.nv * k + c])


@inlined
def entry_count(space, model, k):
    """Return the number of entries of row k in W_J."""
    if space is CARTESIAN:
        return model.rows[k].entries
    return model.tree.nv


@inlined
def count_independent(space, model, active):
    """Let the error test count the positions whose rates it counts; a quaternion with any of its rotations."""
    if space is CARTESIAN:
        cartesian.count_independent(model, active)
    else:
        joint.joint_count_independent(model, active)


@inlined
def remember(space, model, state, scratch):
    """Keep what the rows are like in regular positions; called at accepted states, whose factors are in W."""
    if space is not CARTESIAN:
        joint.joint_remember(model, state, scratch)


@inlined
def turned(space, model, state, q):
    """Return whether coordinates moved so far since the last accepted state that counted angles could lose a turn."""
    if space is CARTESIAN:
        return False
    return joint.joint_turned(model, state, q)


@inlined
def settled(space, state, q):
    """Keep the coordinates of an accepted state."""
    if space is not CARTESIAN:
        joint.joint_settled(state, q)
