"""The configuration space of Cartesian coordinates: y = (q, v, w) with poses q, velocities v of all bodies and the work w.

What the formulations ask of a space, see ``kernels/space.py``.
"""

from __future__ import annotations

from multibody.kernels import kkt, plain_rows
from multibody.kernels.body_layout import POINT, SPACE, TURN
from multibody.kernels.compile import inlined, inner_kernel
from multibody.kernels.forces import add_forces
from multibody.kernels.rotations import normalize_quaternion, quaternion_rates
from multibody.kernels.rows import row_velocity
from multibody.kernels.space import Space
from multibody.kernels.state import displace, set_positions, set_velocities
from multibody.kernels.vectors import load3, load4, store4


@inlined
def sizes(model):
    """Return the numbers of coordinates and of rates."""
    return (model.coordinates, model.velocities)


@inner_kernel
def normalize(model, q):
    """Make the quaternions in q unit."""
    if not model.planar:
        for b in range(model.bodies):
            normalize_quaternion(q, SPACE * b + POINT)


@inlined
def correct(model, state, scratch):
    """Write the smallest change x (in the metric of the masses) with Φ_q x = `by_row` to `a`."""
    kkt.correct(model, state, scratch)


@inlined
def applied(model, state, scratch, t):
    """Write the generalized forces at the state to `Q`; return the power of those without a potential."""
    for c in range(model.velocities):
        scratch.Q[c] = 0.0
    return add_forces(model, state, scratch, t, scratch.Q)


@inlined
def driving_power(model, state, scratch, t):
    """Return the power −λᵀν of the constraints that depend on time, λ of the chosen rows known; `by_row` is overwritten."""
    if model.driven == 0:
        return 0.0
    row_velocity(model, state, scratch, t, 0, model.all_rows, scratch.by_row)
    total = 0.0
    for k in range(model.chosen.size):
        total -= scratch.multipliers[k] * scratch.by_row[model.chosen[k]]
    return total


@inlined
def write_rates(model, scratch, y, power, dy):
    """Write ẏ: q̇ from the velocities (ṗ = ½ p ∘ ω′), v̇ from `a`, ẇ."""
    nq, nv, v = model.coordinates, model.velocities, scratch.velocity[model.width :]
    if model.planar:
        for c in range(nv):
            dy[c] = v[c]
    else:
        for b in range(model.bodies):
            k, u = SPACE * b, TURN * b
            for c in range(POINT):
                dy[k + c] = v[u + c]
            k, u = k + POINT, u + POINT
            store4(dy, k, quaternion_rates(load4(y, k), load3(v, u)))
        for e in range(model.extras):
            dy[SPACE * model.bodies + e] = v[TURN * model.bodies + e]
    for c in range(nv):
        dy[nq + c] = scratch.a[c]
    dy[nq + nv] = power


@inner_kernel
def velocity_gaps(model, state, scratch, t, v):
    """Write ν − Φ_q v of all rows to `by_row`, Φ_q from `J`."""
    x = scratch.by_row
    for r in range(model.all_rows):
        x[r] = 0.0
    if model.driven == 1:
        row_velocity(model, state, scratch, t, 0, model.all_rows, x)
    for r in range(model.all_rows):
        row, total = model.rows[r], 0.0
        for e in range(row.entry, row.entry + row.entries):
            total += scratch.J[e] * v[model.columns[e]]
        x[r] -= total


@inlined
def set_poses(model, state, scratch, t, q):
    """Write the poses."""
    set_positions(model, scratch, q)


@inlined
def set_state(model, state, scratch, t, y, bodies):
    """Write poses and twists of y."""
    set_positions(model, scratch, y)
    set_velocities(model, scratch, y[model.coordinates :])


@inlined
def entry(model, scratch, k, c):
    """Return column and value of the c-th entry of row k."""
    e = model.rows[k].entry + c
    return (model.columns[e], scratch.J[e])


@inlined
def entry_count(model, k):
    """Return the number of entries of row k."""
    return model.rows[k].entries


@inner_kernel
def count_independent(model, active):
    """Let the error test count the positions whose velocities it counts; a quaternion with any of its rotations."""
    nq, bodies = model.coordinates, model.bodies
    if model.planar:
        for c in range(nq):
            active[c] = active[nq + c]
        return
    for b in range(bodies):
        turn = 0.0
        for c in range(3):
            active[SPACE * b + c] = active[nq + TURN * b + c]
            turn = max(turn, active[nq + TURN * b + POINT + c])
        for c in range(4):
            active[SPACE * b + POINT + c] = turn
    for e in range(model.extras):
        active[SPACE * bodies + e] = active[nq + TURN * bodies + e]


@inlined
def remember(model, state, scratch):
    """Keep nothing: every row of S has the size of its bodies' masses."""


@inlined
def turned(model, state, q):
    """Return False: the angles of all bodies are known, and what they turned by is tested itself."""
    return False


@inlined
def settled(state, q):
    """Keep nothing."""


CARTESIAN = Space(
    "cartesian",
    sizes=sizes,
    normalize=normalize,
    set_poses=set_poses,
    set_state=set_state,
    displace=displace,
    rows_at_pose=plain_rows.rows_at_pose,
    rows_at_state=plain_rows.rows_at_state,
    velocity_gaps=velocity_gaps,
    applied=applied,
    driving_power=driving_power,
    factor=kkt.factor,
    solve=kkt.solve,
    correct=correct,
    write_rates=write_rates,
    entry=entry,
    entry_count=entry_count,
    count_independent=count_independent,
    remember=remember,
    turned=turned,
    settled=settled,
)
