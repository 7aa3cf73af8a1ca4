"""Memory of iteration matrices: which columns meet, where every number goes, the matrices that are kept, and their factors.

A *node* is the columns of a body, or one extra coordinate (in joint coordinates: all columns together). Square matrices over
the columns are stored by blocks, one for each pair of nodes that *meet* in K = ∂R/∂q; what meets is known when a run is
prepared. *Groups* are the unknowns that are eliminated together, see ``kernels/block_lu.py``.
"""

from __future__ import annotations

from typing import NamedTuple

from multibody.kernels.calls import Calls
from multibody.kernels.memory.declaration import Block, Record, block, floats, integer, integers, records


# --- structure ---------------------------------------------------------------------------------------------------------------
class Node(Record):
    """Columns that come together."""

    column = integer("its first column")
    size = integer("number of its columns")
    first = integer("first of its meetings, that with itself")
    end = integer("behind the last")


class Meeting(Record):
    """A block of a matrix: rows of one node, columns of another."""

    node = integer("whose columns they are")
    at = integer("where the block begins in a matrix")
    stride = integer("length of its rows: number of the columns")


class Pattern(Block, readonly=True):
    """Which columns meet; without nodes matrices are full and stored by rows, as tests and small analyses want them."""

    nodes = records(Node, "columns that come together")
    meetings = records(Meeting, "blocks of all nodes, by rows")
    numbers = integer("of a matrix: how many")


class Entry(Record):
    """An entry of Φ_q in a chosen row."""

    entry = integer("which of the entries of Φ_q")
    column = integer("its column")
    row = integer("place of its row among the chosen ones")
    below = integer("its place in the factors below the diagonal")
    above = integer("and above")


class Group(Record):
    """Unknowns that are eliminated together."""

    size = integer("how many")
    place = integer("of the first in the order of elimination")
    diagonal = integer("where its block on the diagonal begins in the factors")
    behind = integer("first of its records of groups behind it that it meets")
    count = integer("how many there are")
    targets = integer("where the blocks begin that products of these change")


class Behind(Record):
    """A group that an earlier one meets."""

    size = integer("number of its unknowns")
    place = integer("of the first in the order of elimination")
    above = integer("where the block above the diagonal begins")
    below = integer("and that below")


class NewtonCalls(Calls, readonly=True):
    """Addresses of what the kernels of implicit methods call."""

    rhs = integer("right-hand side of the formulation")
    residual = integer("residual away from change points")
    factor = integer("what factors the real matrix")
    solve = integer("what solves with it")


class Newton(Block, readonly=True):
    """Structure of an iteration matrix."""

    nq = integer("number of coordinates")
    nv = integer("number of rates")
    unknowns = integers("unknown (column, or number of columns + chosen row) at every place of the elimination order")
    pattern = block(Pattern, "of its square part")
    entries = records(Entry, "of Φ_q in the chosen rows")
    places = integers("of every number of a block matrix in the factors")
    diagonals = integers("of every chosen row its place on the diagonal of the factors")
    groups = records(Group, "in the order of elimination")
    behind = records(Behind, "of all groups")
    targets = integers("of every pair of groups behind a group where their block begins")
    unit = floats("mass·length²: of the square part; one number")
    units = floats("that make it a matrix of plain numbers: of every unknown in the order of elimination")
    matrix_units = floats("of every number of a block matrix")
    entry_units = floats("of every entry of Φ_q")
    calls = block(NewtonCalls, "what its kernels call")


# --- what lives from step to step --------------------------------------------------------------------------------------------
class NewtonState(Block):
    """The matrices of the last linearization, and factors."""

    near = integer("1: the factors are those for the neighborhood of a change point")
    M = floats("∂R/∂v̇")
    C = floats("∂R/∂v")
    K = floats("∂R/∂q")
    P = floats("Φ_q, on its entries")
    V = floats("∂(Φ_q v − ν)/∂q, on the entries of Φ_q")
    factor = floats("of the real matrix")
    pivots = integers("row exchanges of its groups")
    scaled = floats("what its unknowns and equations were multiplied by")
    complex_factor = floats("of the complex matrix: real and imaginary parts in turn")
    complex_pivots = integers("row exchanges of its groups")
    complex_scaled = floats("what its unknowns and equations were multiplied by")


# --- what means nothing after a call -----------------------------------------------------------------------------------------
class NewtonScratch(Block):
    """What evaluations and solutions write and read."""

    right = floats("right side in the order of elimination; complex: real and imaginary parts in turn")
    point = floats("state (q, v, w) of an evaluation")
    rates = floats("its rates as the right-hand side finds them")


class NewtonBlocks(NamedTuple):
    """The parts of the three blocks that belong to an iteration matrix."""

    model: Newton
    state: NewtonState
    scratch: NewtonScratch
