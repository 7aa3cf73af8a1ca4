"""What memory there is: the one declaration of everything that kernels share.

Three blocks, never mixed:

* :class:`Model`, the structure and numbers of a model and of a run: read-only for kernels, shared by all that run it
* :class:`State`, what lives from step to step
* :class:`Scratch`, what means nothing after a call

What a kernel may touch is visible from its arguments ``model``, ``state``, ``scratch``. Entry kernels take addresses, which
``model_at`` … turn into blocks; handed a block they leave it as it is. Numbers of a record that lie among the numbers of the
model (those of a basic function, of a law) are read as records too: ``planar_numbers(model.numbers, k).offset``.
"""

from __future__ import annotations

from multibody.kernels.memory.compiled import at, within
from multibody.kernels.memory.declaration import Block, Record, indices, integer, integers, number, numbers, records, vector


# --- structure -------------------------------------------------------------------------------------------------------------
class Function(Record):
    """A basic function of two poses, or an extra coordinate."""

    kind = integer("what it is, see ``layout``")
    first = integer("first body; 0 is the ground")
    second = integer("second body")
    numbers = integer("where its numbers begin")
    extra = integer("which of the extra coordinates it is, where it is one")


class Row(Record):
    """A constraint."""

    first_term = integer("first of its terms")
    terms = integer("how many there are")
    entry = integer("first of its entries in the Jacobian")
    entries = integer("how many there are")
    program = integer("where its program table begins, −1 for none")
    is_length = integer("1 if it is a length, 0 if it is an angle")


class Term(Record):
    """A weighted function in a row."""

    function = integer("the function")
    weight = integer("where its weight stands among the numbers")
    entry = indices(2, "entry of the first and of the second body's block in the row, −1 for none")


class Spline(Record):
    """A table of numbers with cubics between its knots."""

    kind = integer("what happens outside its knots, see ``layout``")
    intervals = integer("number of its pieces")
    knots = integer("where the knots begin among the numbers")
    coefficients = integer("where the cubics begin among the numbers")


class Law(Record):
    """An effort along a coordinate function."""

    kind = integer("LINEAR, FRICTION or STOP")
    function = integer("the coordinate")
    numbers = integer("where its numbers begin")
    program = integer("where its program table begins, −1 for none")
    first_input = integer("first input of its expression")
    inputs = integer("how many there are")


class Load(Record):
    """A force and a moment at a point of a body."""

    body = integer("the body")
    point = integer("where its point stands among the numbers")
    follows = integer("1 if its components are in the body's axes, 0 in those of the ground")
    components = integer("where its constant components begin: force, then moment")
    program = integer("where its program tables begin, one a component, −1 for none")
    first_input = integer("first input of its expressions")
    inputs = integer("how many there are")


class Input(Record):
    """What an expression reads beside time and parameters."""

    code = integer("INPUT_VALUE, INPUT_RATE, or INPUT_OMEGA + axis")
    index = integer("a function, or a body")


class Watch(Record):
    """A watched expression."""

    program = integer("where its program begins")
    first_input = integer("first of its inputs")
    inputs = integer("how many there are")


class MassSlots(Record):
    """Where mass properties stand among the numbers."""

    mass = integer("mass")
    inertia = integer("moment of inertia, or the matrix J′ by rows")


class Plain(Record):
    """A row that is one basic function with weight one, everything resolved."""

    kind = integer("of the function")
    first = integer("first body")
    second = integer("second body")
    numbers = integer("of the function")
    at_first = integer("where the first body's block lies among the entries of Φ_q, −1 for the ground")
    at_second = integer("the second body's")
    row = integer("the row")
    function = integer("the function")


# --- numbers among the numbers of the model ----------------------------------------------------------------------------------
class PlanarNumbers(Record):
    """Of a planar basic function."""

    s_i = vector(2, "point on the first body")
    s_j = vector(2, "point on the second")
    a = vector(2, "direction on the first, or in ground")
    b = vector(2, "direction on the second")
    offset = number("of an angle")


class SpatialNumbers(Record):
    """Of a spatial basic function."""

    s_i = vector(3, "point on the first body")
    s_j = vector(3, "point on the second")
    a = vector(3, "direction on the first, or in ground")
    b = vector(3, "direction on the second")
    c = vector(3, "another one on the first")
    d = vector(3, "another one on the second")


class Cubic(Record):
    """A piece of a table: a polynomial in the distance from its left knot."""

    zeroth = number("coefficient")
    first = number("coefficient")
    second = number("coefficient")
    third = number("coefficient")


class LinearLaw(Record):
    """e₀ − k (c − c₀) − d ċ."""

    effort = number("e₀")
    stiffness = number("k")
    free = number("c₀")
    damping = number("d")


class FrictionLaw(Record):
    """Friction of a load, or of what an expression gives for one."""

    load = number("constant load")
    sliding = number("coefficient")
    static = number("coefficient")
    stribeck = number("rate at which the static part has fallen to 1/e")
    viscous = number("effort a rate")
    smoothing = number("rate over which the sense changes")


class StopLaw(Record):
    """Limits of a coordinate."""

    lower = number("limit")
    upper = number("limit")
    stiffness = number("beyond a limit")
    damping = number("beyond a limit")
    width = number("depth over which it sets in")


# --- state of the bodies ----------------------------------------------------------------------------------------------------
class PlanarPose(Record):
    """Center of mass and orientation."""

    x = number("position")
    y = number("position")
    angle = number("θ, whole turns included")
    cos = number("of the angle")
    sin = number("of the angle")


class SpatialPose(Record):
    """Center of mass and orientation."""

    r = vector(3, "position")
    A = vector(9, "from body to ground axes, by rows")


class PlanarTwist(Record):
    """Velocity."""

    x = number("of the center of mass")
    y = number("of the center of mass")
    omega = number("angular velocity")


class SpatialTwist(Record):
    """Velocity."""

    v = vector(3, "of the center of mass, ground axes")
    omega = vector(3, "angular velocity, ground axes")


class PlanarMass(Record):
    """Mass properties and their inverses, 0 where there is none."""

    m = number("mass")
    per_m = number("1/m")
    J = number("moment of inertia about the center of mass")
    per_J = number("1/J")


class SpatialMass(Record):
    """Mass properties and their inverses, 0 where there is none."""

    m = number("mass")
    per_m = number("1/m")
    J = vector(9, "J′ about the center of mass, body axes, by rows")
    per_J = vector(9, "its inverse")


# --- the three blocks -------------------------------------------------------------------------------------------------------
class Model(Block):
    """Structure and numbers."""

    I = integers("records and places, see ``layout``")
    F = numbers("numbers of the model")
    planar = integer("1 in the plane, 0 in space")
    dimension = integer("2 or 3")
    width = integer("velocity coordinates of a body: 3 or 6")
    bodies = integer("moving bodies; body 0 is the ground")
    coordinates = integer("length of q: 3 or 7 a body, then the extra coordinates")
    velocities = integer("length of v: 3 or 6 a body, then the extra rates")
    extras = integer("number of extra coordinates")
    length = integer("where the characteristic length stands among the numbers")
    gravity = integer("where the vector of gravity begins")
    parameters = integer("where the parameters begin")
    numbers = numbers("all numbers: of functions, laws, loads, tables, and the parameters")
    functions = records(Function, "basic functions")
    rows = records(Row, "constraints: joints, then motions, then held values")
    terms = records(Term, "their terms")
    columns = integers("velocity column of every entry of Φ_q")
    tables = integers("program tables: starts of programs, −1 where a derivative vanishes")
    code = integers("programs: operation and argument in turn")
    splines = records(Spline, "tables of the model")
    masses = records(MassSlots, "mass properties of the moving bodies")
    laws = records(Law, "efforts along coordinates")
    loads = records(Load, "forces and moments at points")
    inputs = records(Input, "what expressions of forces and watches read")
    watches = records(Watch, "watched expressions: events, then switching points")
    plain = records(Plain, "of a run: rows that are one basic function")
    others = integers("of a run: the other rows")


class State(Block):
    """What lives from step to step."""

    ref = numbers("angle references: the value of every coordinate function at the last accepted state")


class Scratch(Block):
    """What means nothing after a call."""

    W = numbers("workspace, see ``layout``")
    planar_pose = records(PlanarPose, "poses of all bodies, the ground first")
    spatial_pose = records(SpatialPose, "poses of all bodies, the ground first")
    planar_twist = records(PlanarTwist, "velocities of all bodies, the ground first")
    spatial_twist = records(SpatialTwist, "velocities of all bodies, the ground first")
    planar_mass = records(PlanarMass, "of the moving bodies")
    spatial_mass = records(SpatialMass, "of the moving bodies")
    velocity = numbers("v with the ground's block before it; spatial angular velocities in body axes")
    extra = numbers("extra coordinates")
    gradient = numbers("of one function: the first body's block, then the second's; room for two more")
    second_gradient = numbers("of another one, likewise")
    rates = numbers("1 and the rates of a program's inputs")
    components = numbers("of one load")
    hessian = numbers("second derivative of one function, by rows")
    input = numbers("inputs of a program, time first")
    stack = numbers("values that a program has in hand")
    kept = numbers("values that a program keeps for later")
    J = numbers("entries of Φ_q of all rows")
    by_row = numbers("a value for each of all rows: Φ, ν − Φ_q v or γ")


model_at, state_at, scratch_at = at(Model), at(State), at(Scratch)
planar_numbers, spatial_numbers = within(PlanarNumbers), within(SpatialNumbers)
cubic, linear_law, friction_law, stop_law = within(Cubic), within(LinearLaw), within(FrictionLaw), within(StopLaw)
