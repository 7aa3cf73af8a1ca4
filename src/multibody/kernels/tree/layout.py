"""Where the tree lies in I and W: a header of its own, records of links and columns, constants and state.

``I[TREE]`` is the place of the tree's header in I; the slots below count from there. A *link* is a moving body with the joint
that carries it; links stand in depth-first order, so that a subtree is a range. A *column* is one degree of freedom of a
joint, an elementary motion; the columns of a joint follow each other from the carrying body outward.

Constants of a link in W (from W_CONSTANT on):

* planar: δ (angle of the body beyond its carrier's at q = 0), cos β, sin β (axes of the joint in the carrier), s (2: joint
  point in the carrier), m, c (2: joint point → center of mass), J
* spatial: C (9: axes of the joint in the carrier's frame), s (3), m, c (3), J (6: xx, yy, zz, xy, xz, yz about the center of
  mass), G (9: body axes in the link's frame)

The frame of a spatial link has the axes f, g, h of its inboard joint (Kim, You 1996: "body frame j sits at its inboard
joint"); planar links keep the body's axes, so that angles count turns.

State of a link in W (w = 3 or 6): frame (3 w numbers; planar θ, cos θ, sin θ, x, c, e; spatial A, x, c, e: joint point and
center of mass from o, and o from the carrier's o), then the motions and forces Y, S, a, G, R̂, each w, its inertia (6 or 21),
and o in ground. a, G and inertia stand there only where somebody reads them.
"""

from multibody.kernels.sections import TREE as TREE

# header, from I[TREE] on
LINK_COUNT = 0
COLUMN_COUNT = 1
NQ = 2  # coordinates that are unknown
NV = 3  # rates that are unknown
LINKS = 4  # place of the link records in I
COLUMNS = 5
W_CONSTANT = 6
W_LINK = 7
W_COLUMN = 8
W_PITCH = 9  # advance a radian of every column
W_GIVEN = 10  # value, rate and acceleration of every prescribed column
GIVEN_COUNT = 11
GIVEN = 12  # records (column, row of its motion)
QUATERNIONS = 13  # list of the places of quaternions among the unknown coordinates
QUATERNION_COUNT = 14
METHOD = 15  # how the mass matrix is met, see below
ACTED = 16  # 1: there are forces beside gravity, so that poses are needed
W_FORCE = 17  # generalized forces over the Cartesian velocity columns
W_H = 18  # mass matrix by rows (skyline), then its factors
W_HD = 19  # inverse diagonal of the factors
H_BASE = 20
H_FIRST = 21
ROW_LIST = 22  # rows that are not satisfied by the tree: loops, constraints, motions elsewhere
EXTRAS_AT = 23  # first extra coordinate among the unknown coordinates, and among the rates
EXTRAS_RATE = 24
W_WRENCH = 25  # scratch: a wrench for each link
W_TAU = 26  # scratch: a value for each column
W_B = 27  # transformation: B of one body, six rows of NV
W_BASE = 28  # acceleration of the ground, minus gravity: weights are then part of the inertial forces
LINK_OF = 29  # link of every moving body
W_ENTRIES = 30  # scratch: the Cartesian entries of one row
W_FIT = 31  # scratch of fitting multipliers to a wrench
JOINT_ROWS = 32  # first row and end of the rows of every link's joint
W_ROW_SIZE = 33  # largest diagonal entry of S met at accepted states, scaled, of every chosen row
GROUP = 34  # first chosen row of the joint that each chosen row belongs to
W_RESULT = 35  # what the units below answer, see RATIO …
# addresses of the compiled units of this dimension and method, see kernels/tree/units.py
POSES, TWISTS, ROWS, VALUES, GAPS, FACTOR, SOLVE, APPLIED, POWER, MULTIPLIERS = range(36, 46)
STATE = 48
W_ACCEPTED = 49  # unknown coordinates at the last accepted state
COUNTED = 50  # 1: angles are counted that are no coordinates of the tree
POSED = 46  # 1: poses and twists of the bodies are needed (loops, forces beside gravity, watched expressions)
PLAIN = 47  # of every loop row: kind (0: not one basic function), first body, second body, numbers
SELECTED = 51  # links whose joint forces are wanted, where not all are
SELECTED_COUNT = 52  # how many; −1: all
TREE_HEADER = 54

RATIO, MASS_RATIO, WEIGHTLESS, WORK_RATE, WITH_RATES, WITH_BODIES = range(6)  # in W_RESULT
RESULTS = 6
PLAIN_STRIDE = 4

RECURSIVE, TRANSFORMATION, ARTICULATED = 0, 1, 2  # methods

# link record
BODY, CARRIER, FIRST, COUNT, COORDINATE, QUATERNION, OWN_POINT, END, LAST = range(9)
LINK_STRIDE = 9
# BODY: number among the moving bodies, from 1; CARRIER: link that carries it, −1 for the ground; FIRST, COUNT: its columns;
# COORDINATE: place of its first unknown coordinate; QUATERNION: place of its quaternion or −1; OWN_POINT: 1 if o is its joint
# point (behind all slides), else o is its carrier's; END: first link behind its subtree; LAST: innermost column that moves it,
# −1 if none does

# column record
LINK, KIND, AXIS, SIGN, RATE, POSITION, INNER, FUNCTION = range(8)
COLUMN_STRIDE = 8
# RATE: place among the unknown rates, −1 − k where it is the k-th prescribed one; POSITION: place of its coordinate, −1 for a
# quaternion; INNER: next column towards the ground, −1 if there is none; FUNCTION: the coordinate as a function, −1 if none

TURN, SLIDE, SCREW, BALL = range(4)  # kinds of columns; three BALL columns share a quaternion

CONSTANTS = {2: 9, 3: 31}
LINK_STATE = {2: 32, 3: 72}
# places in the state of a link, in widths: Y, S, a = Σ B q̈, the force G (summed or not), R̂, the inertia
MOTION, BIAS, CHANGE, FORCE, WRENCH, INERTIA = range(3, 9)
COLUMN_STATE = {2: 9, 3: 18}
