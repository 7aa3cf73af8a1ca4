"""Forces: gravity, gyroscopic moments, laws along coordinate functions, loads at points, wrenches between frames, as Q.

Everything is evaluated at the poses and velocities in the scratch. Q has the velocity columns: a body's
force in ground axes, then its moment (spatial: body axes), then the extra coordinates. A law with effort e along the function
c adds e ∇c, so that a positive effort raises c and acts oppositely on the two bodies.
"""

from __future__ import annotations

import math

from multibody.kernels import codes as L
from multibody.kernels.body_layout import PLANE, POINT, TURN
from multibody.kernels.compile import inlined, inner_kernel, kernel, shared_kernel
from multibody.kernels.declared import (
    friction_law,
    linear_law,
    model_at,
    planar_numbers,
    scratch_at,
    spatial_numbers,
    state_at,
    stop_law,
)
from multibody.kernels.functions import function_gradient, function_rate, function_value
from multibody.kernels.planar import planar_terms, turned
from multibody.kernels.programs import run_program
from multibody.kernels.spatial import spatial_terms
from multibody.kernels.vectors import add, add_to2, add_to3, apply, apply_transposed, cross, dot, load2, load3, load9, scale
from multibody.kernels.wrench_elements import add_wrench_element, wrench_energy, write_wrench

APART = 1e-6  # parts of the characteristic length below which the direction from one point to another is that of errors
ROUNDING = 1e-14  # the same in parts of the points' distance from the origin, for mechanisms far away from it


@inner_kernel
def set_inputs(model, state, scratch, t, first, count):
    """Write a program's inputs: t, then values and rates of functions or components of angular velocities."""
    inputs, g = scratch.input, scratch.gradient
    inputs[L.TIME] = t
    for k in range(count):
        item = model.inputs[first + k]
        if item.code == L.INPUT_VALUE:
            inputs[L.READ + k] = function_value(model, state, scratch, item.index)
        elif item.code == L.INPUT_RATE:
            function_gradient(model, scratch, item.index, g)
            inputs[L.READ + k] = function_rate(model, scratch, item.index, g)
        else:
            inputs[L.READ + k] = scratch.spatial_twist[item.index].omega[item.code - L.INPUT_OMEGA]


@inner_kernel
def program_value(model, scratch, pc):
    """Return the value of the program that begins at pc, with the inputs as they stand; 0 if there is none."""
    return run_program(model, scratch, pc) if pc >= 0 else 0.0


@inlined
def law_term(model, state, scratch, t, law):
    """Return what the expression of a law gives: an effort to add, or the load of friction. Its inputs stay known."""
    if law.program >= 0:
        set_inputs(model, state, scratch, t, law.first_input, law.inputs)
        return program_value(model, scratch, model.tables[law.program])
    return friction_law(model.numbers, law.numbers).load if law.kind == L.FRICTION else 0.0


@inner_kernel
def law_effort(numbers, law, c, rate, x, directed):
    """Return (effort e, its part with a potential, potential energy, ∂e/∂c, ∂e/∂ċ, ∂e/∂x) of a law.

    Without `directed` c is the distance of two points that coincide. The line between them has no direction then, and a law
    leaves out all that does not vanish with c or its rate, which would need one. Every law says itself what that is. A law
    that is not known here has no number.
    """
    if law.kind == L.LINEAR:
        return _linear_effort(linear_law(numbers, law.numbers), c, rate, x, directed)
    if law.kind == L.FRICTION:
        return _friction_effort(friction_law(numbers, law.numbers), rate, x)
    if law.kind == L.STOP:
        return _stop_effort(stop_law(numbers, law.numbers), c, rate, directed)
    return (math.nan, math.nan, math.nan, math.nan, math.nan, math.nan)


@inner_kernel
def _linear_effort(n, c, rate, x, directed):
    """Return what a linear law does, as ``law_effort``.

    Without a direction −k c along d/c is −k d: a spring of free length zero passes through smoothly.
    """
    stretch = c - n.free
    elastic = -n.stiffness * stretch
    energy = -0.5 * elastic * stretch
    if directed:
        return (n.effort + elastic - n.damping * rate + x, elastic, energy, -n.stiffness, -n.damping, 1.0)
    elastic = -n.stiffness * c
    return (elastic - n.damping * rate, elastic, energy, -n.stiffness, -n.damping, 0.0)


@inner_kernel
def _friction_effort(f, rate, x):
    """Return what friction does, as ``law_effort``; all of it vanishes with the rate, so that it needs no direction."""
    drop, falling = f.static - f.sliding, rate / f.stribeck
    falling_by = math.exp(-falling * falling)
    coefficient, sense = f.sliding + drop * falling_by, math.tanh(rate / f.smoothing)
    slope = coefficient * (1.0 - sense * sense) / f.smoothing - 2.0 * drop * falling_by * falling / f.stribeck * sense
    return (-x * coefficient * sense - f.viscous * rate, 0.0, 0.0, 0.0, -x * slope - f.viscous, -coefficient * sense)


@inner_kernel
def _stop_effort(stop, c, rate, directed):
    """Return what a stop does, as ``law_effort``; without a direction it keeps its energy and pushes nowhere.

    At depth p beyond a limit it pushes back with max(0, k r(p) + d r′(p) ṗ): r grows as p³ at first and is p − w/2 from the
    depth w on. It never pulls.
    """
    side, p = 1.0, stop.lower - c
    if c - stop.upper > p:
        side, p = -1.0, c - stop.upper
    if p <= 0.0:
        return (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    width, u = stop.width, p / stop.width
    if u < 1.0:
        r, r1, r2 = p * u * u * (1.0 - 0.5 * u), u * u * (3.0 - 2.0 * u), 6.0 * u * (1.0 - u) / width
        area = p * p * u * u * (0.25 - 0.1 * u)
    else:
        r, r1, r2, area = p - 0.5 * width, 1.0, 0.0, 0.15 * width * width + 0.5 * p * (p - width)
    deepening, damping = -side * rate, stop.damping
    push = stop.stiffness * r + damping * r1 * deepening
    elastic, energy = side * stop.stiffness * r, stop.stiffness * area
    if damping > 0.0:  # it lets go before it is relaxed: what it stores is not given back, so all of it counts as work
        elastic, energy = 0.0, 0.0
    if not directed:
        return (0.0, 0.0, energy, 0.0, 0.0, 0.0)
    if push <= 0.0:
        return (0.0, elastic, energy, 0.0, 0.0, 0.0)
    stiffness = stop.stiffness * r1 + damping * r2 * deepening
    return (side * push, elastic, energy, -stiffness, -damping * r1, 0.0)


@inlined
def coincident(model, scratch, f, value):
    """Return whether a function is the distance of two points that cannot be told apart: their line has no direction."""
    c, length = model.functions[f], model.numbers[model.length]
    if c.kind != L.DISTANCE or value > 1e3 * APART * length:  # nearly all: no need to know where they are
        return False
    reach = 0.0
    if model.planar:
        p, q = scratch.planar_pose[c.first], scratch.planar_pose[c.second]
        reach = max(abs(p.x), abs(p.y), abs(q.x), abs(q.y))
    else:
        for k in range(3):
            reach = max(reach, abs(scratch.spatial_pose[c.first].r[k]), abs(scratch.spatial_pose[c.second].r[k]))
    return value <= APART * length + ROUNDING * reach


@inlined
def load_wrench(model, state, scratch, t, load):
    """Return force and moment of a load in ground axes, six numbers (planar: x, y, 0, 0, 0, moment)."""
    own, count = scratch.components, model.width
    if load.program >= 0:
        set_inputs(model, state, scratch, t, load.first_input, load.inputs)
    for k in range(count):
        own[k] = model.numbers[load.components + k]
        if load.program >= 0:
            own[k] += program_value(model, scratch, model.tables[component_table(load, k)])
    if model.planar:
        x, y = own[0], own[1]
        if load.follows == 1:
            x, y = turned(scratch.planar_pose[load.body], (x, y))
        return (x, y, 0.0, 0.0, 0.0, own[2])
    force, moment = load3(own, 0), load3(own, POINT)
    if load.follows == 1:
        A = load9(scratch.spatial_pose[load.body].A, 0)
        force, moment = apply(A, force), apply(A, moment)
    return (force[0], force[1], force[2], moment[0], moment[1], moment[2])


@inlined
def component_table(load, k):
    """Return where the program table of a load's component begins: value, then derivatives by time and by every input."""
    return load.program + k * (load.inputs + 2)


@inlined
def _add_weights(model, scratch, Q):
    """Add the weights and, in space, the gyroscopic moments −ω′ × J′ω′."""
    g = load_gravity(model)
    if model.planar:
        for b in range(model.bodies):
            m = model.planar_mass[b].m
            add_to2(Q, PLANE * b, (m * g[0], m * g[1]))
        return
    for b in range(model.bodies):
        own, spin = model.spatial_mass[b], load3(scratch.velocity, TURN * (L.FIRST_BODY + b) + POINT)
        turning = cross(apply(load9(own.J, 0), spin), spin)
        add_to3(Q, TURN * b, scale(own.m, g))
        add_to3(Q, TURN * b + POINT, turning)


@inlined
def load_gravity(model):
    """Return the vector of gravity; in the plane its third component is none."""
    if model.planar:
        x, y = load2(model.numbers, model.gravity)
        return (x, y, 0.0)
    return load3(model.numbers, model.gravity)


@inlined
def _add_load(model, state, scratch, t, load, Q):
    """Add a load to Q and return its power."""
    x, y, z, mx, my, mz = load_wrench(model, state, scratch, t, load)
    body, s, v = load.body, load.point, scratch.velocity
    if model.planar:
        arm = turned(scratch.planar_pose[body], load2(model.numbers, s))
        wrench = (x, y, arm[0] * y - arm[1] * x + mz)
        add_to3(Q, PLANE * (body - L.FIRST_BODY), wrench)
        return dot(wrench, load3(v, PLANE * body))
    A, at, k = load9(scratch.spatial_pose[body].A, 0), TURN * (body - L.FIRST_BODY), TURN * body
    own = add(cross(load3(model.numbers, s), apply_transposed(A, (x, y, z))), apply_transposed(A, (mx, my, mz)))
    add_to3(Q, at, (x, y, z))
    add_to3(Q, at + POINT, own)
    return dot((x, y, z), load3(v, k)) + dot(own, load3(v, k + POINT))


@inlined
def _add_law(model, state, scratch, t, law, Q):
    """Add e ∇c of a law to Q; return the power of the part of e that has no potential."""
    x, c, value = law_term(model, state, scratch, t, law), model.functions[law.function], 0.0
    value = function_value(model, state, scratch, law.function)
    if c.kind == L.EXTRA:
        rate = scratch.velocity[model.width * (L.FIRST_BODY + model.bodies) + c.extra]
        found = law_effort(model.numbers, law, value, rate, x, True)
        Q[model.width * model.bodies + c.extra] += found[0]
        return (found[0] - found[1]) * rate
    if model.planar:
        return _add_planar_law(model, scratch, law, c, value, x, Q)
    return _add_spatial_law(model, scratch, law, c, value, x, Q)


@inlined
def _effort(model, scratch, law, value, rate, x):
    """Return what a law does, without direction where its line has none."""
    return law_effort(model.numbers, law, value, rate, x, not coincident(model, scratch, law.function, value))


@inlined
def _add_planar_law(model, scratch, law, c, value, x, Q):
    """Add e ∇c of a law between two planar bodies; return the power of what has no potential."""
    i, j, v, pose = PLANE * c.first, PLANE * c.second, scratch.velocity, scratch.planar_pose
    ex, ey, ti, tj = planar_terms(c.kind, pose[c.first], pose[c.second], planar_numbers(model.numbers, c.numbers))
    (xi, yi, omega_i), (xj, yj, omega_j) = load3(v, i), load3(v, j)
    rate = ex * (xj - xi) + ey * (yj - yi) + ti * omega_i + tj * omega_j
    found = _effort(model, scratch, law, value, rate, x)
    for side in range(2):
        b, sign, turn = (i, -found[0], ti) if side == 0 else (j, found[0], tj)
        if b > 0:
            add_to3(Q, b - PLANE, (sign * ex, sign * ey, found[0] * turn))
    return (found[0] - found[1]) * rate


@inlined
def _add_spatial_law(model, scratch, law, c, value, x, Q):
    """Add e ∇c of a law between two spatial bodies; return the power of what has no potential."""
    i, j, v, pose = TURN * c.first, TURN * c.second, scratch.velocity, scratch.spatial_pose
    e, si, sj = spatial_terms(c.kind, pose[c.first], pose[c.second], spatial_numbers(model.numbers, c.numbers))
    rate = dot(e, load3(v, j)) - dot(e, load3(v, i)) + dot(si, load3(v, i + POINT)) + dot(sj, load3(v, j + POINT))
    found = _effort(model, scratch, law, value, rate, x)
    for k in range(3):
        if i > 0:
            Q[i - TURN + k] -= found[0] * e[k]
            Q[i - TURN + POINT + k] += found[0] * si[k]
        if j > 0:
            Q[j - TURN + k] += found[0] * e[k]
            Q[j - TURN + POINT + k] += found[0] * sj[k]
    return (found[0] - found[1]) * rate


@kernel
def add_forces(model, state, scratch, t, Q):
    """Add all generalized forces to Q; return the power of those that have no potential energy.

    Parameters
    ----------
    t : float
    Q : array (nv), added to
        Forces in ground axes [force], moments in body axes [force·length], efforts of extra coordinates.

    Returns
    -------
    float
        Power of dampers, expressions, constant efforts, friction and loads [force·length/time].
    """
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    _add_weights(model, scratch, Q)
    return add_actions(model, state, scratch, t, Q)


@shared_kernel
def add_actions(model, state, scratch, t, Q):
    """Add what laws, loads and wrench elements do to Q, no weights, no gyroscopic moments; return power without potential."""
    power = 0.0
    for n in range(model.laws.size):
        power += _add_law(model, state, scratch, t, model.laws[n], Q)
    for n in range(model.loads.size):
        power += _add_load(model, state, scratch, t, model.loads[n], Q)
    for n in range(model.wrench_elements.size):
        power += add_wrench_element(model, state, scratch, t, model.wrench_elements[n], Q)
    return power


@kernel
def potential_energy(model, state, scratch, t):
    """Return the potential energy of gravity (zero at the ground's origin), springs, bushings and stops at the poses."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    g, total = load_gravity(model), 0.0
    for b in range(model.bodies):
        if model.planar:
            m, p = model.planar_mass[b].m, scratch.planar_pose[L.FIRST_BODY + b]
            total -= m * g[0] * p.x
            total -= m * g[1] * p.y
        else:
            for c in range(3):
                total -= model.spatial_mass[b].m * g[c] * scratch.spatial_pose[L.FIRST_BODY + b].r[c]
    return elastic_energy(model, state, scratch, t, total)


@shared_kernel
def elastic_energy(model, state, scratch, t, total):
    """Add the potential energy of springs, bushings and stops to a total; return it."""
    for n in range(model.laws.size):
        law = model.laws[n]
        value = function_value(model, state, scratch, law.function)
        total += law_effort(model.numbers, law, value, 0.0, 0.0, True)[2]
    for n in range(model.wrench_elements.size):
        total += wrench_energy(model, state, scratch, t, model.wrench_elements[n])
    return total


@shared_kernel
def law_efforts(model, state, scratch, t, out):
    """Write the effort of every law [force or moment along its coordinate], then the wrench of every wrench element.

    A wrench is three numbers (planar) or six: force and moment on the second body at its frame, axes of the first frame.
    """
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    g, behind = scratch.gradient, model.laws.size
    for n in range(model.laws.size):
        law = model.laws[n]
        x = law_term(model, state, scratch, t, law)
        value = function_value(model, state, scratch, law.function)
        function_gradient(model, scratch, law.function, g)
        rate = function_rate(model, scratch, law.function, g)
        out[n] = _effort(model, scratch, law, value, rate, x)[0]
    for n in range(model.wrench_elements.size):
        at = behind + model.width * n
        write_wrench(model, state, scratch, t, model.wrench_elements[n], out[at : at + model.width])


@shared_kernel
def load_wrenches(model, state, scratch, t, out):
    """Write force and moment of every load at its point, ground axes: three numbers a load (planar) or six."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    for n in range(model.loads.size):
        x, y, z, mx, my, mz = load_wrench(model, state, scratch, t, model.loads[n])
        if model.planar:
            own = out[PLANE * n : PLANE * (n + 1)]
            own[0], own[1], own[2] = x, y, mz
        else:
            own = out[TURN * n : TURN * (n + 1)]
            own[0], own[1], own[2], own[3], own[4], own[5] = x, y, z, mx, my, mz
