"""What a call about one frame needs, at one address: fewer arguments from Python are the larger part of such a call's time."""

from __future__ import annotations

from multibody.kernels.memory.compiled import at
from multibody.kernels.memory.declaration import Block, block, floats, integer, integers, number

ITERATED, WRIST, THREE, PLANAR_TWO, PLANAR_THREE = range(5)  # how a pose is reached: by iteration, or in closed form
AXES = 3  # where the axes begin in a target, behind its position


class FrameCall(Block, readonly=True):
    """A frame on a robot."""

    model = integer("address of the robot's model")
    scratch = integer("address of its scratch")
    link = integer("link that has the frame")
    point = floats("the frame's point from the center of mass, body axes")
    axes = floats("axes of the frame in the body, by rows")


class ReachRoom(Block):
    """What reaching a pose works with; it means nothing after a call."""

    lower = floats("lower limits that are in force")
    upper = floats("upper limits that are in force")
    J = floats("Jacobian over the rates of the tree, by rows")
    Jz = floats("scaled Jacobian over the rates that may move, by rows")
    S = floats("J Jᵀ + λ by rows, then its factor")
    error = floats("what is left: position, rotation, scaled")
    step = floats("of the rates that may move")
    whole = floats("of all rates of the tree")
    trial = floats("coordinates of the tree that are tried")
    angles = floats("candidates of closed forms, six each")
    roots = floats("of polynomials")
    work = floats("coefficients; the solution with S")
    target = floats("position, then axes by rows")
    q = floats("coordinates of the tree")


class Reach(Block, readonly=True):
    """A frame that is to be brought to a pose, see ``reach``; angles of closed forms count from where the lines are given."""

    # what is asked
    model = integer("address of the robot's model")
    scratch = integer("address of its scratch")
    link = integer("link that has the frame")
    point = floats("the frame's point from the center of mass, body axes")
    axes = floats("axes of the frame in the body, by rows")
    rows = integer("how many rows of the pose are asked for: of the position first")
    length = number("characteristic length")
    tolerance = number("error up to which a pose is reached, in radians and characteristic lengths")
    wanted = integer("solutions after which no other start is tried")
    iterations = integer("most iterations from a start")

    # coordinates that may move
    G = floats("rates of the tree, by rows, from those that may move")
    place = integers("place among the tree's coordinates of each rate that may move, −1 within a quaternion")
    turns = integers("1 for an angle of which whole turns do not matter")
    scale = floats("size of a step along each: characteristic length of a slide, 1 of an angle")
    lower = floats("lower limits, −∞ where there is none")
    upper = floats("upper limits, ∞ where there is none")

    starts = floats("random starts: coordinates of the tree, one after the other")

    # closed forms
    how = integer("ITERATED, WRIST, THREE, PLANAR_TWO or PLANAR_THREE")
    lines = floats("of each axis, from the ground on: direction (planar: sign) and point at zero")
    zero_point = floats("the frame's point at zero")
    zero_axes = floats("the frame's axes at zero, by rows")
    center = floats("intersection of the last three axes at zero; of THREE the frame's point")
    shape = floats("Pieper: n, m, a₁, cos α, sin α, size, see ``three_axes``")
    room = block(ReachRoom, "what is worked with")


class JointLaws(Block, readonly=True):
    """Laws that act along single coordinates of the tree, see ``joint_laws``."""

    law = integers("numbers of the laws")
    place = integers("place of each law's coordinate among those of the tree")
    rate = integers("place of its rate")


frame_at, reach_at, joint_laws_at = at(FrameCall), at(Reach), at(JointLaws)
