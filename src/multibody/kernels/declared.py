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
from multibody.kernels.memory.declaration import (
    Block,
    Record,
    block,
    floats,
    indices,
    integer,
    integers,
    number,
    records,
    vector,
)
from multibody.kernels.newton.declared import Newton, NewtonScratch, NewtonState, Pattern
from multibody.kernels.parametric.declared import Pairs, PairScratch, PairState
from multibody.kernels.tree.declared import Tree, TreeScratch, TreeState


# --- structure -------------------------------------------------------------------------------------------------------------
class Function(Record):
    """A basic function of two poses, or an extra coordinate."""

    kind = integer("what it is, see ``codes``")
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

    kind = integer("what happens outside its knots, see ``codes``")
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


class WrenchElement(Record):
    """A force and a moment between a frame of one body and a frame of another, computed together."""

    kind = integer("what it is, see ``codes``")
    first = integer("body of the first frame; 0 is the ground")
    second = integer("body of the second frame")
    frames = integer("where the frames begin among the numbers")
    angles = indices(3, "functions that are the angles about f, g and h of the first frame, −1 where it needs none")
    numbers = integer("where its numbers begin")


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


class RowBlock(Record):
    """A block of a chosen row."""

    entry = integer("first of its entries in Φ_q")
    body = integer("its moving body, from 0")
    row = integer("place of its row among the chosen ones")


class Pair(Record):
    """Two blocks that share a body."""

    at = integer("place of S_ij")
    first = integer("first entry of row i's block")
    second = integer("first entry of row j's block")


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


FUNCTION_NUMBERS: dict[int, type[Record]] = {2: PlanarNumbers, 3: SpatialNumbers}  # by the dimension


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


class WrenchFrames(Record):
    """Both frames of a wrench element, in the plane as in space: z = 0, axes turned about z."""

    s_i = vector(3, "point on the first body, body axes")
    C_i = vector(9, "axes of the first frame as columns, body axes, by rows")
    s_j = vector(3, "point on the second body")
    C_j = vector(9, "axes of the second frame")


class BushingNumbers(Record):
    """Stiffness and damping of all directions together, in the plane as in space: rows that it has not are zero."""

    stiffness = vector(36, "K by rows")
    damping = vector(36, "C by rows")
    preload = vector(6, "force and moment where nothing is stretched")


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


class WrenchWork(Record):
    """What is known of one wrench element: force before moment, on the second body, axes of the first frame."""

    wrench = vector(6, "force and moment")
    elastic = vector(6, "the part of them that has a potential")
    by_motion = vector(36, "∂wrench/∂(displacement, rotation) by rows, twist held")
    by_twist = vector(36, "∂wrench/∂(velocity, angular velocity) by rows")
    B = vector(72, "relative twist = B v, by rows over the columns of both bodies")
    G = vector(72, "derivative of B v along the columns, then of the wrench")
    H = vector(144, "derivative of Bᵀ wrench along the columns, the wrench held")


# --- what lives from step to step --------------------------------------------------------------------------------------------
class Statistics(Record):
    """What a run keeps of its quality."""

    position_before = number("largest scaled |Φ| before projection")
    velocity_before = number("largest scaled |Φ_q v − ν| before projection")
    position_after = number("behind it")
    velocity_after = number("behind it")
    lowest_ratio = number("smallest pivot ratio of an accepted state")
    factorizations = number("how many there were")
    lifted = number("1 where the last factors are those of a lifted S")


class Settings(Record):
    """What a run is told, and what it remembers of change points."""

    alpha = number("feedback of velocities [1/time]")
    beta = number("feedback of positions [1/time]")
    closed = number("scaled gap that accepted states are closed to")
    stage_closed = number("the same for stages")
    noticeable = number("a correction that an integrator has to know of")
    regular_ratio = number("largest pivot ratio met: that of regular positions")
    partition_ratio = number("pivot ratio with which the partition began")
    near_change = number("1 where a change point is near")
    avoidable = number("steps that end at a change point and may be tried shorter; 0: none, nor does it lock; negative: none")
    avoided = number("how many were")
    lingering = number("how many ended near by")
    stuck = number("how many ended at the change point itself, since that was last looked at")
    stuck_time = number("the time that they made")
    last_time = number("when the last step ended")
    longest = number("the longest step near by")
    second = number("one second in the model's unit of time: rates are compared with tolerances per second")
    other_rows = number("1: other independent rows may be asked for; 0: not before these are sound again; −1: there are none")


# --- the three blocks -------------------------------------------------------------------------------------------------------
class Model(Block, readonly=True, versions=({"planar": 0, "width": 6}, {"planar": 1, "width": 3})):
    """Structure and numbers."""

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
    numbers = floats("all numbers: of functions, laws, loads, tables, and the parameters")
    most_inputs = integer("largest number of inputs of a program")
    most_kept = integer("largest number of values that a program keeps")
    function_count = integer("number of basic functions")
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
    wrench_elements = records(WrenchElement, "forces and moments between two frames")
    inputs = records(Input, "what expressions of forces and watches read")
    watches = records(Watch, "watched expressions: events, then switching points")
    plain = records(Plain, "of a run: rows that are one basic function")
    others = integers("of a run: the other rows")
    all_rows = integer("of a run: number of the rows of joints and motions")
    driven = integer("of a run: 1 if some row depends on time")
    general = integer("of a run: 1 if M is singular or there are extra coordinates, the general path is taken")
    chosen = integers("of a run: the independent rows in the order of elimination")
    S_base = integers("skyline of S: where column 0 of each chosen row would lie")
    S_first = integers("skyline of S: first column of each chosen row")
    dense_base = integers("the same of the full matrix M̄")
    dense_first = integers("the same of the full matrix M̄")
    pairs = records(Pair, "of a run: what S is made of")
    blocks = records(RowBlock, "of a run: blocks of the chosen rows")
    row_scale = floats("1/L for rows that are lengths, else 1")
    column_scale = floats("L for columns that are lengths, else 1")
    row_weight = floats("general path: weights of all rows in M̄")
    planar_mass = records(PlanarMass, "of the moving bodies, made of their mass properties before a run")
    spatial_mass = records(SpatialMass, "of the moving bodies, made of their mass properties before a run")
    tree = block(Tree, "the spanning tree of joint coordinates")
    pattern = block(Pattern, "which velocity columns of the bodies meet in derivatives of forces and rows")
    newton = block(Newton, "the iteration matrix of an implicit method")
    parametric = block(Pairs, "pairs with parameters")


class Factors(Block):
    """Of the equations of motion: corrections that implicit methods ask for take those of the last accepted state."""

    U = floats("G Φ_qᵀ: on the entries' pattern, or by rows of full length on the general path and in joint coordinates")
    S = floats("Φ_q G Φ_qᵀ and its factors")
    D = floats("inverse diagonal of these factors")


class State(Block):
    """What lives from step to step."""

    ref = floats("angle references: the value of every coordinate function at the last accepted state")
    statistics = records(Statistics, "one record")
    settings = records(Settings, "one record")
    dependent = integers("partition: dependent columns, one for each chosen row")
    independent = integers("partition: the other columns")
    place = integers("partition: place of every column among the dependent ones, −1 for an independent one")
    pivots = integers("row exchanges of Φ_d, then of BᵀM B")
    factors = block(Factors, "of the equations of motion, made last")
    tree = block(TreeState, "what is remembered of the tree")
    newton = block(NewtonState, "matrices and factors of an implicit method")
    parametric = block(PairState, "charts of pairs with parameters, their linear systems")


class Scratch(Block):
    """What means nothing after a call."""

    planar_pose = records(PlanarPose, "poses of all bodies, the ground first")
    spatial_pose = records(SpatialPose, "poses of all bodies, the ground first")
    planar_twist = records(PlanarTwist, "velocities of all bodies, the ground first")
    spatial_twist = records(SpatialTwist, "velocities of all bodies, the ground first")
    velocity = floats("v with the ground's block before it; spatial angular velocities in body axes")
    extra = floats("extra coordinates")
    gradient = floats("of one function: the first body's block, then the second's; room for two more")
    second_gradient = floats("of another one, likewise")
    rates = floats("1 and the rates of a program's inputs")
    components = floats("of one load")
    hessian = floats("second derivative of one function, by rows")
    wrench_work = records(WrenchWork, "of one wrench element: one record where there are any")
    input = floats("inputs of a program, time first")
    stack = floats("values that a program has in hand")
    kept = floats("values that a program keeps for later")
    J = floats("entries of Φ_q of all rows")
    by_row = floats("a value for each of all rows: Φ, ν − Φ_q v or γ")
    feedback = floats("another one")
    multipliers = floats("λ of the chosen rows")
    Q = floats("generalized forces")
    a = floats("accelerations, or a correction")
    b = floats("a value for each velocity coordinate or chosen row")
    point = floats("a state (q, v) at which equations are evaluated")
    dense = floats("general path: M̄ by rows and its factors")
    dense_D = floats("inverse diagonal of these factors")
    phi_d = floats("partition: Φ_d by rows, scaled, and its factors")
    null = floats("Kane: B by columns of full length")
    reduced = floats("Kane: BᵀM B by rows")
    reduced_right = floats("Kane: its right side")
    support = floats("a state (q, v) beside a change point")
    support_sum = floats("accelerations summed over such states")
    tree = block(TreeScratch, "what the recursions over the tree write and read")
    newton = block(NewtonScratch, "what implicit methods write and read")
    parametric = block(PairScratch, "what pairs with parameters write and read")


model_at, state_at, scratch_at = at(Model), at(State), at(Scratch)
planar_numbers, spatial_numbers = within(PlanarNumbers), within(SpatialNumbers)
planar_mass, spatial_mass = within(PlanarMass), within(SpatialMass)
PLANAR_MASS, SPATIAL_MASS = PlanarMass.size, SpatialMass.size  # numbers of one
wrench_frames, bushing_numbers = within(WrenchFrames), within(BushingNumbers)
cubic, linear_law, friction_law, stop_law = within(Cubic), within(LinearLaw), within(FrictionLaw), within(StopLaw)
