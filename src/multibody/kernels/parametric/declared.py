"""Memory of pairs with parameters: their structure, their charts, what is kept of linear systems."""

from __future__ import annotations

from typing import NamedTuple

from multibody.kernels.memory.declaration import Block, Record, block, floats, indices, integer, number, records, vector
from multibody.kernels.newton.declared import Newton, NewtonScratch, NewtonState


# --- structure ---------------------------------------------------------------------------------------------------------------
class PairOfBodies(Record):
    """Two bodies and the parameters of their relative motion."""

    first = integer("body i")
    second = integer("body j")
    rotation = integer("number of its angles")
    cosine = integer("1: the rows E_ab − H_ab of the paper")
    slides = integer("number of its translations, whose parameters come first")
    pitched = integer("1: a screw, which slides by pitch times its angle")
    slide = indices(2, "the axes of C_i along which it slides")
    extra = integer("first parameter among the extra coordinates")
    parameters = integer("number of its parameters")
    row = integer("first row")
    entry = integer("first entry of Φ_q")
    width = integer("entries of a row")
    at_first = integer("where the block of body i lies in a row, −1 for the ground")
    at_second = integer("that of body j")
    at_alpha = integer("that of the parameters")
    pick = indices(3, "codes 3 a + b of the three rotation rows")
    chosen = indices(6, "of every row its place among the chosen ones, −1 where it is left out")


class Shadow(Record):
    """An angle reference that follows a parameter."""

    function = integer("the coordinate function")
    extra = integer("the parameter among the extra coordinates")


class PlanarPairNumbers(Record):
    """Of a pair in the plane."""

    s_i = vector(2, "point on body i")
    s_j = vector(2, "point on body j")
    slide = vector(2, "direction of sliding on body i")
    offset = number("of the angle")


class SpatialPairNumbers(Record):
    """Of a pair in space."""

    s_i = vector(3, "point on body i")
    s_j = vector(3, "point on body j")
    C_j = vector(9, "axes f, g, h on body j, one behind the other")
    pitch = number("of a screw")


class Pairs(Block, readonly=True):
    """Structure and numbers of all pairs."""

    pairs = records(PairOfBodies, "all of them")
    shadows = records(Shadow, "angle references that follow parameters")
    planar_numbers = records(PlanarPairNumbers, "of every pair in the plane")
    spatial_numbers = records(SpatialPairNumbers, "of every pair in space")
    exact = integer("1: exact derivatives in the axes of the ground; 0: of α alone, in those of the bodies")
    column_scale = floats("that makes the linear systems free of units, of the columns")
    row_scale = floats("of the chosen rows")
    kkt = block(Newton, "the matrix [M Φ_qᵀ; Φ_q 0]")


# --- what lives from step to step --------------------------------------------------------------------------------------------
class Seen(Record):
    """What a group of the matrix has been like."""

    determinant = number("its largest, as a logarithm")
    idle = number("its fewest idle unknowns")


class PlanarTurn(Record):
    """Orientation in the plane."""

    cos = number("of the angle")
    sin = number("of the angle")


class SpatialTurn(Record):
    """Orientation in space."""

    A = vector(9, "from body to ground axes, by rows")


class Chart(Record):
    """Where the parameters of a pair are counted from."""

    C_i = vector(9, "axes f, g, h on body i, one behind the other; those of a ball are moved before its angles degenerate")
    last = vector(3, "sines at the last accepted state, whose signs the cosine rows must keep")


class PairState(Block):
    """What lives from step to step."""

    charts = records(Chart, "of spatial pairs")
    planar_turns = records(PlanarTurn, "of every body, the ground first, where the kept matrices were made")
    spatial_turns = records(SpatialTurn, "of every body, the ground first, where the kept matrices were made")
    seen = records(Seen, "of every group of the matrix")
    trouble = integer("the pair whose parameters did not serve at the state that was refused last, −1 for none")
    kkt = block(NewtonState, "the matrix and its factors")


# --- what means nothing after a call -----------------------------------------------------------------------------------------
class PairScratch(Block):
    """What pairs write and read."""

    ratio = number("smallest determinant of a group over the largest that it ever had")
    vector = floats("right side of a linear system over all unknowns; twice as long where it is complex")
    answer = floats("its solution, or a product")
    kkt = block(NewtonScratch, "what solutions need")


class PairBlocks(NamedTuple):
    """The parts of the three blocks that belong to pairs."""

    model: Pairs
    state: PairState
    scratch: PairScratch
