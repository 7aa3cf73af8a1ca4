"""Where everything lies in the bundle ``I, F, W, ref``: header slots, record strides, codes.

Plain integers, shared by the lowering (which writes the records) and the kernels (which read them).

``I`` begins with a header of offsets. Records:

* function (a basic function of two poses): ``kind, first body, second body, offset of its numbers in F, extra index``
* row (a constraint): ``first term, number of terms, first entry in the Jacobian values, number of entries,
  offset of its program table or -1, 1 if the row is a length``
* term (of a row): ``function, offset of its weight in F, entry of the first body's block or -1, of the second's``
"""

# --- header of I -----------------------------------------------------------------------------------------------------
DIMENSION = 0  # 2 or 3
BODIES = 1  # moving bodies; body 0 is the ground
COORDINATES = 2  # length of q: 3 or 7 a body, then the extra coordinates
VELOCITIES = 3  # length of v: 3 or 6 a body, then the extra rates
EXTRAS = 4
FUNCTIONS = 5  # offset of the function records
ROWS = 6
TERMS = 7
COLUMNS = 8  # offset of the column index of each Jacobian entry
CODE = 9  # offset of the programs
SPLINES = 10  # offset of the spline records
PARAMETERS = 11  # offset of the parameters in F
LENGTH = 12  # slot of the characteristic length in F
W_POSE = 13  # offsets in W
W_TWIST = 14
W_VELOCITY = 15
W_EXTRA = 16
W_GRADIENT = 17
W_HESSIAN = 18
W_INPUT = 19
W_STACK = 20
LAWS = 21  # offset of the law records: efforts along coordinate functions
LAW_COUNT = 22
LOADS = 23  # offset of the load records: forces and moments at frames
LOAD_COUNT = 24
INPUTS = 25  # offset of the input items of force laws, loads and watched expressions
WATCHES = 26  # offset of the watched expressions: events, then switching points
WATCH_COUNT = 27
GRAVITY = 28  # slot of the gravity vector in F
MASSES = 29  # offset of (slot of the mass, slot of the inertia) of every moving body
W_MASS = 30  # masses, inertias and their inverses in W
W_DYNAMICS = 31  # scratch of the equations of motion in W
# 32 … 79: sections that preparing a run appends (kernels/sections.py)
RUN = 32
HEADER = 80

# --- strides ---------------------------------------------------------------------------------------------------------
FUNCTION_STRIDE = 5
ROW_STRIDE = 6
TERM_STRIDE = 4
SPLINE_STRIDE = 4  # kind, number of intervals, offset of knots in F, offset of coefficients in F
POSE_STRIDE = {2: 5, 3: 12}  # planar x, y, θ, cos, sin; spatial r, A by rows
TWIST_STRIDE = {2: 3, 3: 6}  # planar ẋ, ẏ, ω; spatial ṙ, ω in ground axes
MASS_STRIDE = {2: 4, 3: 20}  # planar m, 1/m, J, 1/J; spatial m, 1/m, J by rows, its inverse by rows
LAW_STRIDE = 6  # kind, function, its numbers in F, program table or -1, first input, number of inputs
LOAD_STRIDE = 7  # body, point in F, axes (0 ground, 1 body), components in F, program tables or -1, first input, inputs
INPUT_STRIDE = 2  # code, function or body
WATCH_STRIDE = 3  # start of the program, first input, number of inputs
NUMBERS_STRIDE = {2: 9, 3: 18}  # numbers of a function: s_i, s_j, a, b (, c, d), planar also the angle's offset
BODY_COORDINATES = {2: 3, 3: 7}
BODY_VELOCITIES = {2: 3, 3: 6}
STACK_DEPTH = 256  # values that a program has in hand at once; those that it keeps for later lie behind them

# --- kinds of basic functions (with d = point_j − point_i) -----------------------------------------------------------
COINCIDE = 1  # e·d, e fixed in ground
DOT1 = 2  # a_i·b_j
DOT2 = 3  # a_i·d
ANGLE = 4  # planar θ_j − θ_i + offset; spatial atan2(a_i·b_j, c_i·d_j), nearest to its reference
DISTANCE = 5  # |d|
EXTRA = 6  # an extra coordinate itself
ALIGNED = 7  # planar only: the angle less its whole turns, for frames that must align

# --- kinds of laws: effort along a coordinate c with rate ċ -----------------------------------------------------------
LINEAR = 1  # e₀, k, c₀, d: e₀ − k (c − c₀) − d ċ, plus the program's value
FRICTION = 2  # load, sliding and static coefficient, Stribeck rate, viscous effort a rate, smoothing rate
STOP = 3  # lower limit, upper limit, stiffness, damping, width over which it sets in
NEVER = 1e300  # a limit that no coordinate reaches

# --- codes of a program's inputs -------------------------------------------------------------------------------------
INPUT_VALUE = 0  # value of a function
INPUT_RATE = 1  # its rate
INPUT_OMEGA = 2  # 2, 3, 4: component x, y, z (ground axes) of a body's angular velocity

# --- program codes ---------------------------------------------------------------------------------------------------
(
    OP_END,
    OP_CONSTANT,
    OP_INPUT,
    OP_PARAMETER,
    OP_LOAD,  # a value that was kept
    OP_ADD,
    OP_SUBTRACT,
    OP_MULTIPLY,
    OP_DIVIDE,
    OP_POWER,
    OP_INTEGER_POWER,
    OP_NEGATE,
    OP_LESS,
    OP_LESS_EQUAL,
    OP_GREATER,
    OP_GREATER_EQUAL,
    OP_EQUAL,
    OP_NOT_EQUAL,
    OP_SELECT,
    OP_SIN,
    OP_COS,
    OP_TAN,
    OP_ASIN,
    OP_ACOS,
    OP_ATAN,
    OP_ATAN2,
    OP_SINH,
    OP_COSH,
    OP_TANH,
    OP_EXP,
    OP_LOG,
    OP_SQRT,
    OP_ABS,
    OP_MIN,
    OP_MAX,
    OP_SIGN,
    OP_SPLINE,
    OP_KEEP,  # the value on top of the stack, which stays there
) = range(38)

# --- kinds of splines ------------------------------------------------------------------------------------------------
SPLINE_CLAMPED = 0  # held constant outside its knots
SPLINE_PERIODIC = 1
