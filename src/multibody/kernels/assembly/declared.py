"""Memory of assembly: what is held, guessed and hung on what (structure), and room for its linear conditions."""

from __future__ import annotations

from multibody.kernels.memory.compiled import at
from multibody.kernels.memory.declaration import Block, Record, floats, integer, integers, records

SLIDES, TURNS = 0, 1  # what a step of a pair does


class Hanger(Record):
    """A pair of the spanning tree: one body is placed from the other."""

    forward = integer("1 where the second body is placed from the first")
    child = integer("body that is placed")
    moved = integer("1 where that body has a value of its own, against which the pair is measured")
    first = integer("body of the first end")
    second = integer("body of the second end")
    first_point = integer("where the point of the first end stands among the numbers")
    first_axes = integer("the same of its axes, by rows")
    second_point = integer("the same of the second end")
    second_axes = integer("the same of its axes")
    step = integer("first of its steps")
    steps = integer("their number")
    ball = integer("1 where the relative orientation is free")
    orientation = integer("where a given one of the second end stands among the numbers, in axes of the first body; −1: none")
    angle = integer("in the plane the function that counts its turns, −1 where no value is given for it")


class Step(Record):
    """An elementary motion of a pair."""

    how = integer("SLIDES or TURNS")
    axis = integer("0, 1, 2 for f, g, h")
    function = integer("its coordinate function")
    given = integer("1 where a value is given for it")
    screw = integer("which of the screws it is, −1: none; it turns, and slides as its row asks")


class Screw(Record):
    """A screw: position = pitch · angle."""

    angle = integer("function of its angle")
    position = integer("function of its position")
    pitch = integer("where the advance a radian stands among the numbers")
    row = integer("row that couples them")


class Contact(Record):
    """Where a follower touches a cam, a coordinate of its own."""

    function = integer("its coordinate function")
    place = integer("in q")
    given = integer("1 where a value is given for it")
    cam = integer("body")
    cam_point = integer("where the point of the cam stands among the numbers")
    cam_axes = integer("the same of its axes, by rows")
    follower = integer("body")
    follower_point = integer("where its point stands among the numbers")


class Wish(Record):
    """A value that is guessed."""

    function = integer("coordinate function")
    value = integer("where the value stands among the numbers")
    weight = integer("where its weight stands")


class BodyValue(Record):
    """A coordinate of a body that is given."""

    place = integer("in q")
    function = integer("coordinate function")


class Turned(Record):
    """The orientation of a body that is given."""

    body = integer("which body")
    axes = integer("where the matrix stands among the numbers, by rows")


class Rate(Record):
    """A rate that is held or guessed."""

    function = integer("coordinate function; −1: a component of an angular velocity in ground axes")
    body = integer("of that angular velocity")
    axis = integer("its component")
    value = integer("where the value stands among the numbers")
    weight = integer("where its weight stands; −1: it is held")


class Aligned(Record):
    """Axes of a pair that must point the same way, not against each other."""

    first = integer("body of the first end")
    first_axes = integer("where its axes stand among the numbers, by rows")
    second = integer("body of the second end")
    second_axes = integer("the same of the second end")
    axis = integer("0, 1, 2 for f, g, h")


class Drawn(Record):
    """The drawn pose of a body."""

    center = integer("where its position stands among the numbers")
    axes = integer("where its axes stand, by rows")


class Assembly(Block, readonly=True):
    """What assembly of a model does, known from its structure."""

    drawn = records(Drawn, "of the moving bodies")
    drawn_angle = floats("in the plane: the angle as it is written, NaN where it is a formula")
    hangers = records(Hanger, "the spanning tree, parents first")
    steps = records(Step, "elementary motions of their pairs")
    screws = records(Screw, "among the pairs")
    contacts = records(Contact, "of cams and their followers")
    guesses = records(Wish, "guessed positions")
    given = records(BodyValue, "coordinates of bodies with a value")
    turned = records(Turned, "bodies with an orientation of their own, in space")
    rates = records(Rate, "held rates, then guessed ones")
    aligned = records(Aligned, "axes to be looked at")
    is_length = integers("1 for functions that are lengths")
    row_function = integers("first function of every row")
    joint_rows = integer("rows of joints")
    rows = integer("rows of joints and motions")
    all_rows = integer("these and held values")


class AssemblyScratch(Block):
    """Room for one assembly at a time."""

    target = floats("value that a function is given")
    has_target = integers("1 where it is")
    start = floats("the drawn pose")
    trial = floats("a pose along a step")
    best = floats("the best of them")
    step = floats("a step")
    residual = floats("scaled Φ of all rows")
    entries = floats("entries of Φ_q")
    A = floats("linear conditions by rows, level behind level, then their factors")
    right = floats("their right sides")
    factor = floats("2 / wᵀw of each Householder vector w, which lies in its row from the diagonal on")
    diagonal = floats("diagonal of L")
    owner = integers("row of each Householder vector")
    order = integers("rows of a level in the order of elimination")
    y = floats("unknowns in the turned basis")
    L = floats("a level's conditions on its own unknowns, by rows, where there are more of them")
    rest = floats("their right sides")
    iterations = integer("of Newton's method, whose ways are noted in what follows")
    residuals = floats("of every iteration: norm of the scaled residual before it")
    sizes = floats("of every iteration: size of its scaled step")
    poses = floats("of every iteration: the pose before it, one behind the other")
    steps = floats("of every iteration: its step, one behind the other")


assembly_at, room_at = at(Assembly), at(AssemblyScratch)
