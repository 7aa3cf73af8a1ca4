"""Where the pairs of a parametric run lie: a header at I[PARAMETRIC], a record for every pair, scratch in W.

Numbers of a spatial pair in F: s_i, s_j, then the axes f, g, h of C_i and of C_j (three numbers each), the pitch. Of a planar
one: s_i, s_j, the direction of sliding on i (two numbers each), the offset of the angle.
"""

from multibody.kernels.sections import PAIR_RESULT

# header, from I[PARAMETRIC] on, behind the addresses that ``sections`` names
(
    PAIR_COUNT,
    PAIRS,
    SHADOWS,  # records (function, extra coordinate): angle references that follow a parameter
    SHADOW_COUNT,
    CLOSE,  # address of the acceptance that closes a state
    KKT_FACTOR,  # addresses of the linear algebra that is wrapped
    KKT_SOLVE,
    NEWTON_RESIDUAL,
    NEWTON_SOLVE,
    NEWTON_PRODUCT,
    KKT,  # header of the matrix [M Φ_qᵀ; Φ_q 0], as that of NEWTON (kernels/blocks.py)
    EXACT,  # 1: exact derivatives in the axes of the ground; 0: of α alone, in those of the bodies
    W_TURN,  # orientation of every body where the derivatives were taken: 9 numbers (planar 2: cos, sin)
    W_COLUMN_SCALE,  # that make the linear systems free of units
    W_ROW_SCALE,  # of the chosen rows
    W_VECTOR,  # scratch: two complex vectors of all unknowns
    W_SEEN,  # for every group of the matrix KKT: its largest determinant (logarithm), its fewest idle unknowns
    W_COEFFICIENTS,  # what factoring takes, and its answer
    W_LAST,  # sines of the last accepted state, whose signs the cosine rows must keep
) = range(PAIR_RESULT + 1, PAIR_RESULT + 20)
HEADER = PAIR_RESULT + 20
RESULTS = 4

# record of a pair
(
    FIRST,  # bodies
    SECOND,
    NUMBERS,  # in F
    ROTATION,  # number of its angles
    COSINE,  # 1: the rows E_ab − H_ab of the paper
    SLIDES,  # number of its translations, whose parameters come first
    PITCHED,  # 1: a screw, which slides by pitch times its angle
    SLIDE,  # the axes of C_i along which it slides
    SLIDE_2,
    EXTRA,  # first parameter among the extra coordinates
    ALPHAS,  # number of its parameters
    ROW,  # first row
    ENTRY,  # first entry in W_J
    WIDTH,  # entries of a row
    AT_FIRST,  # where the blocks lie in a row, −1 for the ground
    AT_SECOND,
    AT_ALPHA,
    PICK,  # codes 3 a + b of the three rotation rows
    PICK_2,
    PICK_3,
    CHOSEN,  # for every row its place among the chosen ones, −1 where it is left out
) = range(21)
PAIR_STRIDE = 26
SPATIAL_NUMBERS, PLANAR_NUMBERS = 25, 7
PITCH, OFFSET = 24, 6
