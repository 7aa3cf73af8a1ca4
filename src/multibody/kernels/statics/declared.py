"""Memory of statics: two points, their stiffness, and room for its linear conditions."""

from __future__ import annotations

from multibody.kernels.assembly.declared import AssemblyScratch
from multibody.kernels.memory.compiled import at
from multibody.kernels.memory.declaration import Block, block, floats, integer, integers, number


class Point(Block):
    """A pose on the constraints and what is unbalanced there; forces are moments, displacements over the length."""

    q = floats("its pose")
    ref = floats("angle references there")
    multipliers = floats("λ of minimum norm that balances as much as it can, of joints and motions")
    p = floats("unbalanced force along the free directions")
    N = floats("free directions, an orthonormal basis, by rows")
    size = number("largest unbalanced force")
    reference = number("size of the largest force that acts")


class StaticsRoom(Block):
    """Room for one search at a time."""

    effort_is_length = integers("1 for efforts that are forces: of laws, then the numbers of wrench elements")
    here = block(Point, "the best point so far")
    there = block(Point, "one that is tried")
    dual = block(AssemblyScratch, "for multipliers")
    newton = block(AssemblyScratch, "for steps of Newton's method")
    still = floats("no velocity")
    Q = floats("generalized forces")
    efforts = floats("of laws and wrench elements")
    loads = floats("wrenches of loads")
    K = floats("stiffness by rows")
    D = floats("derivatives by the velocity, which nobody asks for")
    V = floats("derivatives of rates, which nobody asks for")
    KN = floats("stiffness times free directions, by directions")
    S = floats("stiffness along the free directions by rows")
    U = floats("its symmetric part's eigenvectors by columns, by rows")
    eigenvalues = floats("their eigenvalues")
    force = floats("unbalanced force along the eigenvectors")
    y = floats("a step along the free directions")
    z = floats("the same along the eigenvectors")
    d = floats("a step of all coordinates")
    tried = floats("another one")
    free = integer("number of free directions")
    bent = integer("1 where K and S are those of the best point")
    stiffest = number("largest number of K")
    reach = number("extent of the model over its length, and one")
    reference = number("largest force that acted anywhere on the way")
    tolerance = number("of the unbalanced force over that")
    way = number("how far the steps led")
    iterations = integer("how many there were")


statics_at = at(StaticsRoom)
