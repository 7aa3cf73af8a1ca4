"""Forces: gravity, gyroscopic moments, laws along coordinate functions and loads at points, as generalized forces Q.

Everything is evaluated at the poses and velocities in W, with the masses in W_MASS. Q has the velocity columns: a body's
force in ground axes, then its moment (spatial: body axes), then the extra coordinates. A law with effort e along the function
c adds e ∇c, so that a positive effort raises c and acts oppositely on the two bodies.
"""

from __future__ import annotations

import math

from multibody.kernels import layout as L
from multibody.kernels.compile import inlined, inner_kernel, kernel
from multibody.kernels.declared import model_at, scratch_at, state_at
from multibody.kernels.functions import dot_gradient, function_gradient, function_value, record
from multibody.kernels.planar import planar_terms
from multibody.kernels.programs import run_program
from multibody.kernels.spatial import spatial_terms
from multibody.kernels.vectors import add, apply, apply_transposed, cross, dot, load3, load9

COMPONENTS = 72  # a load's components in W, behind two gradients with their scratch
APART = 1e-6  # parts of the characteristic length below which the direction from one point to another is that of errors
ROUNDING = 1e-14  # the same in parts of the points' distance from the origin, for mechanisms far away from it


@inner_kernel
def set_inputs(model, state, scratch, t, first, count):
    """Write a program's inputs into W: t, then values and rates of functions or components of angular velocities."""
    I, W = model.I, scratch.W
    at, g = I[L.W_INPUT], I[L.W_GRADIENT]
    W[at] = t
    for k in range(count):
        item = I[L.INPUTS] + L.INPUT_STRIDE * (first + k)
        code, index = I[item], I[item + 1]
        if code == L.INPUT_VALUE:
            W[at + 1 + k] = function_value(model, state, scratch, index)
        elif code == L.INPUT_RATE:
            function_gradient(model, scratch, index, g)
            W[at + 1 + k] = dot_gradient(model, scratch, index, g, I[L.W_VELOCITY])
        else:
            W[at + 1 + k] = W[I[L.W_TWIST] + 6 * index + 3 + code - L.INPUT_OMEGA]


@inner_kernel
def program_value(model, scratch, entry):
    """Return the value of the program whose start stands at I[entry], with the inputs in W; 0 if there is none."""
    I = model.I
    pc = I[entry]
    return run_program(model, scratch, I[L.CODE] + pc, I[L.W_INPUT]) if pc >= 0 else 0.0


@inlined
def law_term(model, state, scratch, t, law):
    """Return what the expression of a law gives: an effort to add, or the load of friction. Its inputs stay in W."""
    I, F = model.I, model.F
    if I[law + 3] >= 0:
        set_inputs(model, state, scratch, t, I[law + 4], I[law + 5])
        return program_value(model, scratch, I[law + 3])
    return F[I[law + 2]] if I[law] == L.FRICTION else 0.0


@inner_kernel
def law_effort(F, kind, k, c, rate, x):
    """Return (effort e, its part with a potential, potential energy, ∂e/∂c, ∂e/∂ċ, ∂e/∂x) of a law with numbers at F[k].

    A stop at depth p beyond a limit pushes back with max(0, k r(p) + d r′(p) ṗ): r grows as p³ at first and is p − w/2 from
    the depth w on. It never pulls.
    """
    if kind == L.LINEAR:
        stretch = c - F[k + 2]
        elastic = -F[k + 1] * stretch
        return (F[k] + elastic - F[k + 3] * rate + x, elastic, -0.5 * elastic * stretch, -F[k + 1], -F[k + 3], 1.0)
    if kind == L.FRICTION:
        drop, falling = F[k + 2] - F[k + 1], rate / F[k + 3]
        falling_by = math.exp(-falling * falling)
        coefficient, sense = F[k + 1] + drop * falling_by, math.tanh(rate / F[k + 5])
        slope = coefficient * (1.0 - sense * sense) / F[k + 5] - 2.0 * drop * falling_by * falling / F[k + 3] * sense
        return (-x * coefficient * sense - F[k + 4] * rate, 0.0, 0.0, 0.0, -x * slope - F[k + 4], -coefficient * sense)
    side, p = 1.0, F[k] - c
    if c - F[k + 1] > p:
        side, p = -1.0, c - F[k + 1]
    if p <= 0.0:
        return (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    width, u = F[k + 4], p / F[k + 4]
    if u < 1.0:
        r, r1, r2 = p * u * u * (1.0 - 0.5 * u), u * u * (3.0 - 2.0 * u), 6.0 * u * (1.0 - u) / width
        area = p * p * u * u * (0.25 - 0.1 * u)
    else:
        r, r1, r2, area = p - 0.5 * width, 1.0, 0.0, 0.15 * width * width + 0.5 * p * (p - width)
    deepening, damping = -side * rate, F[k + 3]
    push = F[k + 2] * r + damping * r1 * deepening
    elastic, energy = side * F[k + 2] * r, F[k + 2] * area
    if damping > 0.0:  # it lets go before it is relaxed: what it stores is not given back, so all of it counts as work
        elastic, energy = 0.0, 0.0
    if push <= 0.0:
        return (0.0, elastic, energy, 0.0, 0.0, 0.0)
    stiffness = F[k + 2] * r1 + damping * r2 * deepening
    return (side * push, elastic, energy, -stiffness, -damping * r1, 0.0)


@inlined
def coincident(model, scratch, kind, i, j, value):
    """Return whether a function is the distance of two points that cannot be told apart: their line has no direction."""
    I, F, W = model.I, model.F, scratch.W
    if kind != L.DISTANCE or value > 1e3 * APART * F[I[L.LENGTH]]:  # nearly all: no need to know where they are
        return False
    reach, size = 0.0, 5 if I[L.DIMENSION] == 2 else 12
    for c in range(I[L.DIMENSION]):
        reach = max(reach, abs(W[I[L.W_POSE] + size * i + c]), abs(W[I[L.W_POSE] + size * j + c]))
    return value <= APART * F[I[L.LENGTH]] + ROUNDING * reach


@inner_kernel
def without_direction(F, kind, k, c, rate, found):
    """Return what `law_effort` found less all that does not vanish with the distance c or its rate, which would need a line.

    −k c along d/c is −k d: a spring of free length zero passes through smoothly.
    """
    if kind == L.FRICTION:
        return found
    if kind == L.LINEAR:
        elastic = -F[k + 1] * c
        return (elastic - F[k + 3] * rate, elastic, found[2], -F[k + 1], -F[k + 3], 0.0)
    return (0.0, 0.0, found[2], 0.0, 0.0, 0.0)


@inlined
def load_wrench(model, state, scratch, t, load):
    """Return force and moment of a load in ground axes, six numbers (planar: x, y, 0, 0, 0, moment)."""
    I, F, W = model.I, model.F, scratch.W
    at, table, count = I[L.W_GRADIENT] + COMPONENTS, I[load + 4], I[load + 6]
    planar = I[L.DIMENSION] == 2
    if table >= 0:
        set_inputs(model, state, scratch, t, I[load + 5], count)
    for k in range(3 if planar else 6):
        W[at + k] = F[I[load + 3] + k]
        if table >= 0:
            W[at + k] += program_value(model, scratch, table + k * (count + 2))
    if planar:
        x, y, pose = W[at], W[at + 1], I[L.W_POSE] + 5 * I[load]
        if I[load + 2] == 1:
            x, y = W[pose + 3] * x - W[pose + 4] * y, W[pose + 4] * x + W[pose + 3] * y
        return (x, y, 0.0, 0.0, 0.0, W[at + 2])
    force, moment = load3(W, at), load3(W, at + 3)
    if I[load + 2] == 1:
        A = load9(W, I[L.W_POSE] + 12 * I[load] + 3)
        force, moment = apply(A, force), apply(A, moment)
    return (force[0], force[1], force[2], moment[0], moment[1], moment[2])


@inlined
def _add_weights(model, scratch, Q):
    """Add the weights and, in space, the gyroscopic moments −ω′ × J′ω′."""
    I, F, W = model.I, model.F, scratch.W
    g = I[L.GRAVITY]
    if I[L.DIMENSION] == 2:
        for b in range(I[L.BODIES]):
            m = W[I[L.W_MASS] + 4 * b]
            Q[3 * b] += m * F[g]
            Q[3 * b + 1] += m * F[g + 1]
        return
    for b in range(I[L.BODIES]):
        mass, spin = I[L.W_MASS] + 20 * b, load3(W, I[L.W_VELOCITY] + 6 * b + 9)
        turning = cross(apply(load9(W, mass + 2), spin), spin)
        for c in range(3):
            Q[6 * b + c] += W[mass] * F[g + c]
        Q[6 * b + 3] += turning[0]
        Q[6 * b + 4] += turning[1]
        Q[6 * b + 5] += turning[2]


@inlined
def _add_load(model, state, scratch, t, load, Q):
    """Add a load to Q and return its power."""
    I, F, W = model.I, model.F, scratch.W
    x, y, z, mx, my, mz = load_wrench(model, state, scratch, t, load)
    body, s = I[load], I[load + 1]
    if I[L.DIMENSION] == 2:
        pose, v, at = I[L.W_POSE] + 5 * body, I[L.W_VELOCITY] + 3 * body, 3 * body - 3
        sx, sy = W[pose + 3] * F[s] - W[pose + 4] * F[s + 1], W[pose + 4] * F[s] + W[pose + 3] * F[s + 1]
        turning = sx * y - sy * x + mz
        Q[at] += x
        Q[at + 1] += y
        Q[at + 2] += turning
        return x * W[v] + y * W[v + 1] + turning * W[v + 2]
    A, v, at = load9(W, I[L.W_POSE] + 12 * body + 3), I[L.W_VELOCITY] + 6 * body, 6 * body - 6
    own = add(cross(load3(F, s), apply_transposed(A, (x, y, z))), apply_transposed(A, (mx, my, mz)))
    Q[at] += x
    Q[at + 1] += y
    Q[at + 2] += z
    Q[at + 3] += own[0]
    Q[at + 4] += own[1]
    Q[at + 5] += own[2]
    return dot((x, y, z), load3(W, v)) + dot(own, load3(W, v + 3))


@inlined
def _add_law(model, state, scratch, t, law, Q):
    """Add e ∇c of a law to Q; return the power of the part of e that has no potential."""
    I, F, W = model.I, model.F, scratch.W
    f, x = I[law + 1], law_term(model, state, scratch, t, law)
    kind, i, j, numbers, extra = record(model, f)
    value, v = function_value(model, state, scratch, f), I[L.W_VELOCITY]
    if kind == L.EXTRA:
        width = 3 if I[L.DIMENSION] == 2 else 6
        rate = W[v + width * (I[L.BODIES] + 1) + extra]
        found = law_effort(F, I[law], I[law + 2], value, rate, x)
        Q[width * I[L.BODIES] + extra] += found[0]
        return (found[0] - found[1]) * rate
    if I[L.DIMENSION] == 2:
        u, w, pose = v + 3 * i, v + 3 * j, I[L.W_POSE]
        ex, ey, ti, tj = planar_terms(W, F, kind, pose + 5 * i, pose + 5 * j, numbers)
        rate = ex * (W[w] - W[u]) + ey * (W[w + 1] - W[u + 1]) + ti * W[u + 2] + tj * W[w + 2]
        found = law_effort(F, I[law], I[law + 2], value, rate, x)
        if coincident(model, scratch, kind, i, j, value):
            found = without_direction(F, I[law], I[law + 2], value, rate, found)
        for side in range(2):
            b, sign, turn = (i, -found[0], ti) if side == 0 else (j, found[0], tj)
            if b > 0:
                Q[3 * b - 3] += sign * ex
                Q[3 * b - 2] += sign * ey
                Q[3 * b - 1] += found[0] * turn
        return (found[0] - found[1]) * rate
    u, w, pose = v + 6 * i, v + 6 * j, I[L.W_POSE]
    e, si, sj = spatial_terms(W, F, kind, pose + 12 * i, pose + 12 * j, numbers)
    rate = dot(e, load3(W, w)) - dot(e, load3(W, u)) + dot(si, load3(W, u + 3)) + dot(sj, load3(W, w + 3))
    found = law_effort(F, I[law], I[law + 2], value, rate, x)
    if coincident(model, scratch, kind, i, j, value):
        found = without_direction(F, I[law], I[law + 2], value, rate, found)
    for c in range(3):
        if i > 0:
            Q[6 * i - 6 + c] -= found[0] * e[c]
            Q[6 * i - 3 + c] += found[0] * si[c]
        if j > 0:
            Q[6 * j - 6 + c] += found[0] * e[c]
            Q[6 * j - 3 + c] += found[0] * sj[c]
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


@inlined
def add_actions(model, state, scratch, t, Q):
    """Add what laws and loads do to Q, neither weights nor gyroscopic moments; return the power without a potential."""
    I = model.I
    power = 0.0
    for n in range(I[L.LAW_COUNT]):
        power += _add_law(model, state, scratch, t, I[L.LAWS] + L.LAW_STRIDE * n, Q)
    for n in range(I[L.LOAD_COUNT]):
        power += _add_load(model, state, scratch, t, I[L.LOADS] + L.LOAD_STRIDE * n, Q)
    return power


@kernel
def potential_energy(model, state, scratch, t):
    """Return the potential energy of gravity (zero at the ground's origin), springs, bushings and stops at the poses in W."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    I, F, W = model.I, model.F, scratch.W
    planar, g, total = I[L.DIMENSION] == 2, I[L.GRAVITY], 0.0
    for b in range(I[L.BODIES]):
        m = W[I[L.W_MASS] + (4 if planar else 20) * b]
        pose = I[L.W_POSE] + (5 if planar else 12) * (b + 1)
        for c in range(2 if planar else 3):
            total -= m * F[g + c] * W[pose + c]
    for n in range(I[L.LAW_COUNT]):
        law = I[L.LAWS] + L.LAW_STRIDE * n
        if I[law] != L.FRICTION:
            value = function_value(model, state, scratch, I[law + 1])
            total += law_effort(F, I[law], I[law + 2], value, 0.0, 0.0)[2]
    return total


@kernel
def law_efforts(model, state, scratch, t, out):
    """Write the effort of every law [force or moment along its coordinate]."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    I, F = model.I, model.F
    g = I[L.W_GRADIENT]
    for n in range(I[L.LAW_COUNT]):
        law = I[L.LAWS] + L.LAW_STRIDE * n
        f = I[law + 1]
        x = law_term(model, state, scratch, t, law)
        value = function_value(model, state, scratch, f)
        function_gradient(model, scratch, f, g)
        rate = dot_gradient(model, scratch, f, g, I[L.W_VELOCITY])
        found = law_effort(F, I[law], I[law + 2], value, rate, x)
        kind, i, j, _, _ = record(model, f)
        if coincident(model, scratch, kind, i, j, value):
            found = without_direction(F, I[law], I[law + 2], value, rate, found)
        out[n] = found[0]


@kernel
def load_wrenches(model, state, scratch, t, out):
    """Write force and moment of every load at its point, ground axes: three numbers a load (planar) or six."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    I = model.I
    planar = I[L.DIMENSION] == 2
    for n in range(I[L.LOAD_COUNT]):
        x, y, z, mx, my, mz = load_wrench(model, state, scratch, t, I[L.LOADS] + L.LOAD_STRIDE * n)
        if planar:
            out[3 * n], out[3 * n + 1], out[3 * n + 2] = x, y, mz
        else:
            out[6 * n], out[6 * n + 1], out[6 * n + 2] = x, y, z
            out[6 * n + 3], out[6 * n + 4], out[6 * n + 5] = mx, my, mz
