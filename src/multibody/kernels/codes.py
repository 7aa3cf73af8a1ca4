"""Codes that the lowering writes and kernels read: kinds of functions, forces, inputs, operations, tables."""

GROUND, FIRST_BODY = 0, 1  # places of the ground and of the first moving body where the ground comes first
STACK_DEPTH = 256  # values that a program has in hand at once; those that it keeps for later lie elsewhere

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

# --- kinds of wrench elements: force and moment between two frames ----------------------------------------------------
BUSHING = 1  # stiffness and damping matrix, preload
WRENCH = 6  # components of a wrench, force before moment; in the plane as in space, where the others are zero
WRENCH_OF = {2: (0, 1, 5), 3: (0, 1, 2, 3, 4, 5)}  # those that a dimension has

# --- a program's inputs: time, then what it reads -------------------------------------------------------------------
TIME, READ = 0, 1  # their places
INPUT_VALUE = 0  # value of a function
INPUT_RATE = 1  # its rate
INPUT_OMEGA = 2  # 2, 3, 4: component x, y, z (ground axes) of a body's angular velocity

# --- a program table: programs of G, of ∂G/∂t, of ∂G/∂c₁ … -------------------------------------------------------------
VALUE, BY_TIME, BY_FIRST = 0, 1, 2  # their places

# --- what is known of energy at an instant ------------------------------------------------------------------------------
KINETIC, POTENTIAL = 0, 1  # their places
ENERGIES = 2  # how many there are

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
