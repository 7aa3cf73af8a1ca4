"""What memory the spanning tree has: its structure, what lives from step to step, what means nothing after a call.

A *link* is a moving body with the joint that carries it; links stand in depth-first order, so that a subtree is a range. A
*column* is one degree of freedom of a joint, an elementary motion; the columns of a joint follow each other from the carrying
body outward. Motions and forces are about a point o at rest, see ``algebra``; planar and spatial ones have different records,
of which a tree has one kind, and the functions at the end choose by the tag d.

The frame of a spatial link has the axes f, g, h of its inboard joint (Kim, You 1996: "body frame j sits at its inboard
joint"); planar links keep the body's axes, so that angles count turns.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from multibody.kernels.calls import Calls
from multibody.kernels.compile import inlined
from multibody.kernels.memory.declaration import Block, Record, block, floats, integer, integers, number, records, vector
from multibody.kernels.tags import PLANAR

TURN, SLIDE, SCREW, BALL = range(4)  # kinds of columns; three BALL columns share a quaternion


# --- structure -------------------------------------------------------------------------------------------------------------
class Link(Record):
    """A moving body with the joint that carries it."""

    body = integer("number among the moving bodies, from 1")
    carrier = integer("link that carries it, −1 for the ground")
    first = integer("first of its columns")
    count = integer("how many there are")
    coordinate = integer("place of its first unknown coordinate, −1 if it has none")
    quaternion = integer("place of its quaternion among the unknown coordinates, −1 if it has none")
    own_point = integer("1 if o is its joint point (behind all slides), else o is its carrier's")
    end = integer("first link behind its subtree")
    last = integer("innermost column that moves it, −1 if none does")


class Column(Record):
    """One degree of freedom of a joint."""

    link = integer("link that it moves")
    kind = integer("TURN, SLIDE, SCREW or BALL")
    axis = integer("0, 1, 2: along f, g, h of the joint")
    sign = number("−1 where the tree walks the joint backward, else 1")
    rate = integer("place among the unknown rates, −1 − k where it is the k-th prescribed one")
    position = integer("place of its coordinate, −1 for a quaternion or where it is prescribed")
    inner = integer("next column towards the ground, −1 if there is none")
    function = integer("the coordinate as a function, −1 if there is none")
    pitch = number("advance a radian of a screw, else 0")


class Given(Record):
    """A prescribed column."""

    column = integer("the column")
    row = integer("row of its motion")


class JointRows(Record):
    """The rows of a link's joint."""

    first = integer("the first one")
    end = integer("behind the last one")


class LoopRow(Record):
    """A row that the tree does not satisfy by itself, if it is one basic function with weight one."""

    kind = integer("of the function, 0 where the row is something else")
    first = integer("first body; 0 is the ground")
    second = integer("second body")
    numbers = integer("where the numbers of the function begin")


class PlanarConstants(Record):
    """Of a planar link."""

    angle = number("δ: angle of the body beyond its carrier's at q = 0")
    axis = vector(2, "cos β, sin β: first axis of the joint in the carrier")
    s = vector(2, "joint point in the carrier, from the carrier's joint point")
    m = number("mass")
    c = vector(2, "joint point → center of mass, body axes")
    J = number("moment of inertia about the center of mass")


class SpatialConstants(Record):
    """Of a spatial link."""

    C = vector(9, "axes of the joint in the carrier's frame, by rows")
    s = vector(3, "joint point in the carrier, from the carrier's joint point")
    m = number("mass")
    c = vector(3, "joint point → center of mass, axes of the link")
    J = vector(6, "xx, yy, zz, xy, xz, yz about the center of mass, axes of the link")
    G = vector(9, "body axes in the link's frame, by rows")


class TreeCalls(Calls, readonly=True):
    """Addresses of the compiled functions of this dimension and method, see ``calls``; 0 where one is never called."""

    state = integer("poses and motions of links and bodies")
    poses = integer("poses of links and bodies")
    twists = integer("motions of links and bodies whose poses are known")
    rows = integer("Φ_u of the loop rows, and γ_u")
    values = integer("Φ of the loop rows")
    gaps = integer("ν − Φ̇ of the loop rows")
    factor = integer("factors of the equations of motion")
    solve = integer("accelerations and multipliers")
    applied = integer("what laws and loads do to the links")
    power = integer("power of motions")
    multipliers = integer("λ of the rows of tree joints")


class Tree(Block, readonly=True):
    """Structure and numbers of a tree."""

    nq = integer("coordinates that are unknown")
    nv = integer("rates that are unknown")
    extras_at = integer("first extra coordinate among the unknown coordinates")
    extras_rate = integer("and among the rates")
    acted = integer("1: there are forces beside gravity")
    posed = integer("1: the equations need poses and twists of the bodies (loops, forces beside gravity)")
    counted = integer("1: angles are counted that are no coordinates of the tree")
    all_joints = integer("1: the forces of all joints are wanted, 0: of the selected ones")
    selected = integers("links whose joint forces are wanted, where not all are")
    links = records(Link, "links in depth-first order")
    columns = records(Column, "columns of all joints")
    planar_constants = records(PlanarConstants, "of the links in the plane")
    spatial_constants = records(SpatialConstants, "of the links in space")
    base = floats("acceleration of the ground, minus gravity: weights are then part of the inertial forces")
    given = records(Given, "prescribed columns")
    quaternions = integers("places of quaternions among the unknown coordinates")
    row_list = integers("rows that are not satisfied by the tree: loops, constraints, motions elsewhere")
    plain = records(LoopRow, "what these rows are")
    group = integers("first chosen row of the joint that each chosen row belongs to")
    joint_rows = records(JointRows, "rows of every link's joint")
    link_of = integers("link of every moving body, the first at 0")
    H_base = integers("skyline of H: where column 0 of each row would lie")
    H_first = integers("skyline of H: first column of each row")
    calls = block(TreeCalls, "what is called by its address")


# --- what lives from step to step --------------------------------------------------------------------------------------------
class TreeState(Block):
    """What is remembered of accepted states."""

    accepted = floats("unknown coordinates at the last accepted state, not a number where there is none yet")
    row_size = floats("largest diagonal entry of S met at accepted states, scaled, of every chosen row")


# --- what means nothing after a call -----------------------------------------------------------------------------------------
class PlanarLink(Record):
    """State of a planar link; a, G and inertia stand there only where somebody reads them."""

    axes = vector(3, "θ, cos θ, sin θ")
    point = vector(2, "joint point from o")
    center = vector(2, "center of mass from o")
    offset = vector(2, "e: o from the carrier's o")
    motion = vector(3, "Y")
    bias = vector(3, "S, the acceleration at q̈ = 0, less gravity")
    change = vector(3, "a = Σ B q̈")
    force = vector(3, "G, summed over the subtree or not")
    wrench = vector(3, "R̂ of the joint")
    inertia = vector(6, "rigid, composite or articulated inertia")
    origin = vector(2, "o in ground")


class SpatialLink(Record):
    """State of a spatial link; a, G and inertia stand there only where somebody reads them."""

    axes = vector(9, "A, by rows")
    point = vector(3, "joint point from o")
    center = vector(3, "center of mass from o")
    offset = vector(3, "e: o from the carrier's o")
    motion = vector(6, "Y")
    bias = vector(6, "S, the acceleration at q̈ = 0, less gravity")
    change = vector(6, "a = Σ B q̈")
    force = vector(6, "G, summed over the subtree or not")
    wrench = vector(6, "R̂ of the joint")
    inertia = vector(21, "rigid, composite or articulated inertia")
    origin = vector(3, "o in ground")


class PlanarColumn(Record):
    """State of a column in the plane."""

    B = vector(3, "motion of its link at rate 1")
    U = vector(3, "K B")
    per_D = number("1/D, D = Bᵀ K B")
    u = number("τ − Bᵀ G")


class SpatialColumn(Record):
    """State of a column in space."""

    B = vector(6, "motion of its link at rate 1")
    U = vector(6, "K B")
    per_D = number("1/D, D = Bᵀ K B")
    u = number("τ − Bᵀ G")
    spare = vector(2, "of no meaning: a column is two cache lines long with it, 3 % of a sweep over a chain")


class GivenValue(Record):
    """Where a prescribed column is."""

    value = number("coordinate")
    rate = number("its rate")
    acceleration = number("its acceleration")


class PlanarVector(Record):
    """A motion or a force in the plane."""

    x = vector(3, "two components along axes, one about")


class SpatialVector(Record):
    """A motion or a force in space."""

    x = vector(6, "three components along axes, three about")


class PlanarSums(Record):
    """Sums over the subtree of a planar link, see ``partials``."""

    F = vector(3, "of R_c; before that, the acceleration of the link")
    I = vector(4, "of inertias")
    D = vector(9, "of what velocities do, by rows")
    E = vector(9, "of what a displacement does to γ less its turn, by rows")


class SpatialSums(Record):
    """Sums over the subtree of a spatial link, see ``partials``."""

    F = vector(6, "of R_c; before that, the acceleration of the link")
    I = vector(10, "of inertias")
    D = vector(36, "of what velocities do, by rows")
    E = vector(36, "of what a displacement does to γ less its turn, by rows")


class PlanarChanges(Record):
    """How motion and acceleration change along a column in the plane, see ``partials``."""

    psi = vector(3, "Ψ")
    gamma = vector(3, "Γ")
    theta = vector(3, "Θ")


class SpatialChanges(Record):
    """How motion and acceleration change along a column in space, see ``partials``."""

    psi = vector(6, "Ψ")
    gamma = vector(6, "Γ")
    theta = vector(6, "Θ")


class TreeScratch(Block):
    """What the recursions write and read."""

    # what those that are called by address are asked right before, and answer
    with_bodies = integer("asked: 1 for poses and twists of the bodies too")
    with_rates = integer("asked: 1 for γ_u too")
    ratio = number("smallest pivot ratio of S")
    mass_ratio = number("smallest pivot ratio of H, ≤ 0 where it is singular")
    weightless = integer("a column that moves no mass, −1 if all do")
    work_rate = number("power")

    planar_links = records(PlanarLink, "state of the links")
    spatial_links = records(SpatialLink, "state of the links")
    planar_columns = records(PlanarColumn, "state of the columns")
    spatial_columns = records(SpatialColumn, "state of the columns")
    given = records(GivenValue, "prescribed columns")
    planar_loads = records(PlanarVector, "a wrench on each link about o")
    spatial_loads = records(SpatialVector, "a wrench on each link about o")
    force = floats("generalized forces over the Cartesian velocity columns")
    tau = floats("a value for each column")
    H = floats("mass matrix by rows (skyline), then its factors")
    HD = floats("inverse diagonal of the factors")
    planar_B = records(PlanarVector, "transformation: B of one body, a column for each rate")
    spatial_B = records(SpatialVector, "transformation: B of one body, a column for each rate")
    entries = floats("the Cartesian entries of one row")
    planar_gradients = records(PlanarVector, "of the rows of one joint")
    spatial_gradients = records(SpatialVector, "of the rows of one joint")
    normal = floats("matrix of fitting multipliers to a wrench, by rows")
    fitted = floats("right side, then the multipliers")
    planar_sums = records(PlanarSums, "derivatives: sums of every link")
    spatial_sums = records(SpatialSums, "derivatives: sums of every link")
    planar_changes = records(PlanarChanges, "derivatives: of every column")
    spatial_changes = records(SpatialChanges, "derivatives: of every column")
    body_force = floats("derivatives: what acts on the bodies, over the Cartesian velocity columns, less its sign")
    body_K = floats("derivatives: of that by positions of the bodies, see ``model.pattern``")
    body_C = floats("derivatives: of that by velocities of the bodies")
    row_entries = floats("derivatives: Cartesian entries of the chosen rows, one behind the other")
    row_changes = floats("derivatives: of their velocities by positions, likewise")


class TreeBlocks(NamedTuple):
    """The tree's parts of the three blocks."""

    model: Tree
    state: TreeState
    scratch: TreeScratch

    def working(self) -> TreeBlocks:
        """Return blocks on the same structure with a state and scratch of their own."""
        return TreeBlocks(self.model, self.state.copy(), self.scratch.copy())

    def changed(self, **values: Any) -> TreeBlocks:
        """Return blocks with other values in a copy of the structure; state and scratch are shared."""
        return TreeBlocks(self.model.copy(**values), self.state, self.scratch)


# --- planar or spatial -------------------------------------------------------------------------------------------------------
@inlined
def constants_of(d, tree):
    """Return the constants of all links."""
    if d is PLANAR:
        return tree.planar_constants
    return tree.spatial_constants


@inlined
def links_of(d, work):
    """Return the state of all links."""
    if d is PLANAR:
        return work.planar_links
    return work.spatial_links


@inlined
def columns_of(d, work):
    """Return the state of all columns."""
    if d is PLANAR:
        return work.planar_columns
    return work.spatial_columns


@inlined
def given_of(rate):
    """Return which prescribed column a negative `rate` of a column means."""
    return -1 - rate


@inlined
def loads_of(d, work):
    """Return the wrenches on all links."""
    if d is PLANAR:
        return work.planar_loads
    return work.spatial_loads


@inlined
def transformation_of(d, work):
    """Return the columns of B of one body, one for each rate."""
    if d is PLANAR:
        return work.planar_B
    return work.spatial_B


@inlined
def gradients_of(d, work):
    """Return the gradients of the rows of one joint."""
    if d is PLANAR:
        return work.planar_gradients
    return work.spatial_gradients


@inlined
def sums_of(d, work):
    """Return F, I, D and E of all links."""
    if d is PLANAR:
        return work.planar_sums
    return work.spatial_sums


@inlined
def changes_of(d, work):
    """Return Ψ, Γ and Θ of all columns."""
    if d is PLANAR:
        return work.planar_changes
    return work.spatial_changes
