"""Header slots of the sections that preparing a run appends to I, and of its scratch in W; see ``layout.RUN``.

"Chosen" rows are the independent ones in the order of elimination; "all" rows are those of joints and motions.
"""

from multibody.kernels.layout import RUN

ALL_COUNT = RUN  # number of all rows
CHOSEN_COUNT = RUN + 1  # number of chosen rows
CHOSEN = RUN + 2  # list of chosen rows
DRIVEN = RUN + 3  # 1: some row depends on time
GENERAL = RUN + 4  # 1: M is singular or there are extra coordinates, the general path is taken
BASE = RUN + 5  # skyline of S: place in W of column 0 of each chosen row
FIRST = RUN + 6  # skyline of S: first column of each chosen row
PAIRS = RUN + 7  # records (place in W of S_ij, entry of row i's block, entry of row j's block)
PAIR_COUNT = RUN + 8
BLOCKS = RUN + 9  # records (entry of the block, body less 1, place of its row among the chosen ones)
BLOCK_COUNT = RUN + 10
DENSE_BASE = RUN + 11  # general path: skyline lists of the full matrix M̄
DENSE_FIRST = RUN + 12
DEPENDENT = RUN + 13  # partition: columns, as many as chosen rows
INDEPENDENT = RUN + 14  # partition: the other columns
PLACE = RUN + 15  # partition: position of each column among the dependent ones, −1 if independent
PIVOTS = RUN + 16  # partition: row exchanges of Φ_d, then of the reduced mass matrix
W_J = RUN + 17  # entries of Φ_q
W_U = RUN + 18  # G Φ_qᵀ: on the entries' pattern, or by rows of full length on the general path
W_S = RUN + 19  # S = Φ_q G Φ_qᵀ and its factors
W_D = RUN + 20  # inverse diagonal of the factors, directly behind S
W_X = RUN + 21  # a value for each of all rows
W_FEEDBACK = RUN + 22  # a second one
W_LAMBDA = RUN + 23  # a value for each chosen row
W_Q = RUN + 24  # generalized forces
W_A = RUN + 25  # accelerations, or a correction
W_B = RUN + 26  # scratch, a value for each velocity coordinate or chosen row
W_STATE = RUN + 27  # scratch copy of (q, v)
W_DENSE = RUN + 28  # general path: M̄ by rows
W_GAUGE = RUN + 29  # general path: inverse diagonal of the factors of M̄, then the weight of each of all rows
W_PARTITION = RUN + 30  # Φ_d, then B by columns, then the reduced mass matrix and its right side
W_SCALE = RUN + 31  # 1/L or 1 of all rows, then L or 1 of all velocity coordinates
W_STATISTICS = RUN + 32
W_SETTINGS = RUN + 33
PLAIN = RUN + 34  # records (kind, first body, second body, numbers, places of the two blocks in W, row, function)
PLAIN_COUNT = RUN + 35
OTHERS = RUN + 36  # rows that are not plain
OTHER_COUNT = RUN + 37
W_BRIDGE = RUN + 38  # a displaced (q, v), then accelerations
NEWTON = RUN + 40  # header of the iteration matrix of implicit methods, see kernels/blocks.py; 0: there is none
PATTERN = RUN + 41  # header of block matrices over the Cartesian velocity columns (in Cartesian coordinates the same one)
COLUMN_COUNT = RUN + 43  # rates in y
COORDINATE_COUNT = RUN + 44  # coordinates in y
PARTITIONED = RUN + 45  # 1: there is room for a partition
W_WEIGHT = RUN + 46  # weights of all rows on the general path
PLAIN_STRIDE = 8

# statistics in W, from W_STATISTICS on
POSITION_BEFORE, VELOCITY_BEFORE, POSITION_AFTER, VELOCITY_AFTER, LOWEST_RATIO, FACTORIZATIONS, LIFTED = range(7)
STATISTICS = 8
# settings in W, from W_SETTINGS on
ALPHA, BETA, CLOSED, STAGE_CLOSED, NOTICEABLE, REGULAR_RATIO, PARTITION_RATIO = range(7)
# whether a change point is near; how many steps that end at one may be tried shorter, 0: none, nor does it ever lock, negative:
# none; how many were; how many ended near by; how many at the change point itself and the time that they made, since that was
# last looked at; when the last step ended, and the longest one near by
NEAR_CHANGE, AVOIDABLE, AVOIDED, LINGERING, STUCK, STUCK_TIME, LAST_TIME, LONGEST = range(7, 15)
SECOND = 15  # one second in the model's unit of time: rates are compared with tolerances per second
SETTINGS = 16
