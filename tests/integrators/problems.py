"""Equations with known solutions or known counts of evaluations, as kernels with the signature of ``evaluate``."""

from __future__ import annotations

import math

from bare_blocks import bare_model_at, bare_scratch_at
from multibody.kernels.compile import kernel
from multibody.kernels.declared import state_at

MU = 0.012277471
ARENSTORF = (0.994, 0.0, 0.0, -2.00158510637908252240537862224)
ARENSTORF_PERIOD = 17.0652165601579625588917206249


@kernel
def oscillator(model, state, scratch, t, y, out):
    """Harmonic oscillators of angular frequency 1: y = (x..., v...)."""
    model, state, scratch = bare_model_at(model), state_at(state), bare_scratch_at(scratch)
    n = y.shape[0] // 2
    for i in range(n):
        out[i] = y[n + i]
        out[n + i] = -y[i]
    return 0


@kernel
def forced(model, state, scratch, t, y, out):
    """Y' = −y + cos t + sin t … with the solution y = sin t from y(0) = 0; the second component is t³ itself."""
    model, state, scratch = bare_model_at(model), state_at(state), bare_scratch_at(scratch)
    out[0] = -(y[0] - math.sin(t)) + math.cos(t)
    out[1] = 3.0 * t * t * (1.0 + y[0] - math.sin(t))
    return 0


@kernel
def kepler(model, state, scratch, t, y, out):
    """Two bodies, y = (x, y, vx, vy), gravity 1."""
    model, state, scratch = bare_model_at(model), state_at(state), bare_scratch_at(scratch)
    r = y[0] * y[0] + y[1] * y[1]
    r = 1.0 / (r * math.sqrt(r))
    out[0], out[1] = y[2], y[3]
    out[2], out[3] = -y[0] * r, -y[1] * r
    return 0


@kernel
def arenstorf(model, state, scratch, t, y, out):
    """Move in the restricted three-body problem, where ARENSTORF is on an orbit that closes."""
    model, state, scratch = bare_model_at(model), state_at(state), bare_scratch_at(scratch)
    mu, nu = MU, 1.0 - MU
    a, b = y[0] + mu, y[0] - nu
    p, q = a * a + y[1] * y[1], b * b + y[1] * y[1]
    p, q = nu / (p * math.sqrt(p)), mu / (q * math.sqrt(q))
    out[0], out[1] = y[2], y[3]
    out[2] = y[0] + 2.0 * y[3] - p * a - q * b
    out[3] = y[1] - 2.0 * y[2] - p * y[1] - q * y[1]
    return 0


@kernel
def duffing(model, state, scratch, t, y, out):
    """Swing on a cubic spring under a periodic force."""
    model, state, scratch = bare_model_at(model), state_at(state), bare_scratch_at(scratch)
    out[0] = y[1]
    out[1] = y[0] - y[0] * y[0] * y[0] - 0.1 * y[1] + 0.3 * math.cos(1.2 * t)
    return 0


@kernel
def blow_up(model, state, scratch, t, y, out):
    """Y' = y², infinite at t = 1 from y = 1."""
    model, state, scratch = bare_model_at(model), state_at(state), bare_scratch_at(scratch)
    out[0] = y[0] * y[0]
    return 0


@kernel
def van_der_pol(model, state, scratch, t, y, out):
    """Stiff for a large F[0]."""
    model, state, scratch = bare_model_at(model), state_at(state), bare_scratch_at(scratch)
    F = model.F
    out[0] = y[1]
    out[1] = F[0] * (1.0 - y[0] * y[0]) * y[1] - y[0]
    return 0


@kernel
def decay_until_one(model, state, scratch, t, y, out):
    """No derivative after t = 1: status F[0], or NaN where F[0] is 0."""
    model, state, scratch = bare_model_at(model), state_at(state), bare_scratch_at(scratch)
    F = model.F
    out[0] = -y[0]
    if t > 1.0:
        out[0] = math.nan
        return int(F[0])
    return 0


@kernel
def narrow(model, state, scratch, t, y, out):
    """Be the oscillator, but only where |x| < 1.05."""
    model, state, scratch = bare_model_at(model), state_at(state), bare_scratch_at(scratch)
    out[0], out[1] = y[1], -y[0]
    return 5 if abs(y[0]) > 1.05 else 0


@kernel
def lost_after_accept(model, state, scratch, t, y, out):
    """Y' = 1, but from t = 1/2 on no derivative at a state that has been accepted."""
    model, state, scratch = bare_model_at(model), state_at(state), bare_scratch_at(scratch)
    ref = state.ref
    out[0] = 1.0
    return 9 if t > 0.5 and ref[0] == t else 0


@kernel
def rough(model, state, scratch, t, y, out):
    """Be the oscillator beside a fast component that nobody asks for."""
    model, state, scratch = bare_model_at(model), state_at(state), bare_scratch_at(scratch)
    out[0], out[1] = y[1], -y[0]
    out[2] = math.cos(300.0 * t)
    return 0


@kernel
def pendulum(model, state, scratch, t, y, out):
    """Be a pendulum of length 1 in x, y, vx, vy, gravity 1 downwards; the constraint is differentiated twice."""
    model, state, scratch = bare_model_at(model), state_at(state), bare_scratch_at(scratch)
    tension = (y[2] * y[2] + y[3] * y[3] - y[1]) / (y[0] * y[0] + y[1] * y[1])
    out[0], out[1] = y[2], y[3]
    out[2], out[3] = -tension * y[0], -tension * y[1] - 1.0
    return 0


@kernel
def onto_circle(model, state, scratch, t, y, active):
    """Move the pendulum back onto its circle and its velocity onto the tangent.

    Where F[0] is not 0, the error test counts one coordinate and its velocity: the one along which the circle runs.
    """
    model, state, scratch = bare_model_at(model), state_at(state), bare_scratch_at(scratch)
    F = model.F
    r = math.sqrt(y[0] * y[0] + y[1] * y[1])
    moved = abs(r - 1.0) > 1e-15
    y[0], y[1] = y[0] / r, y[1] / r
    along = y[0] * y[2] + y[1] * y[3]
    y[2], y[3] = y[2] - along * y[0], y[3] - along * y[1]
    if F[0] != 0.0:
        first = 1.0 if abs(y[0]) < abs(y[1]) else 0.0
        active[0], active[2] = first, first
        active[1], active[3] = 1.0 - first, 1.0 - first
    return 1 if moved else 0


@kernel
def short_steps_only(model, state, scratch, t, y, active):
    """Refuse a step longer than F[0]; ref[0] remembers the last accepted time."""
    model, state, scratch = bare_model_at(model), state_at(state), bare_scratch_at(scratch)
    F, ref = model.F, state.ref
    if abs(t - ref[0]) > F[0]:
        return 2
    ref[0] = t
    return 0


@kernel
def remember_time(model, state, scratch, t, y, active):
    """Accept everything; ref[0] is the time of the last accepted state."""
    model, state, scratch = bare_model_at(model), state_at(state), bare_scratch_at(scratch)
    ref = state.ref
    ref[0] = t
    return 0


@kernel
def fatal_after_one(model, state, scratch, t, y, active):
    """Give up after t = 1."""
    model, state, scratch = bare_model_at(model), state_at(state), bare_scratch_at(scratch)
    return -17 if t > 1.0 else 0


@kernel
def first_component(model, state, scratch, t, y, out):
    """Watch y[0]."""
    model, state, scratch = bare_model_at(model), state_at(state), bare_scratch_at(scratch)
    out[0] = y[0]
    return 0


@kernel
def two_times(model, state, scratch, t, y, out):
    """Watch t − 1 and t − 1.6."""
    model, state, scratch = bare_model_at(model), state_at(state), bare_scratch_at(scratch)
    out[0], out[1] = t - 1.0, t - 1.6
    return 0


@kernel
def falling(model, state, scratch, t, y, out):
    """Free fall, gravity 2."""
    model, state, scratch = bare_model_at(model), state_at(state), bare_scratch_at(scratch)
    out[0], out[1] = y[1], -2.0
    return 0


@kernel
def jumping(model, state, scratch, t, y, out):
    """Swing under a force that jumps between 1 and −1, which nobody is told of."""
    model, state, scratch = bare_model_at(model), state_at(state), bare_scratch_at(scratch)
    out[0] = y[1]
    out[1] = -y[0] - 0.1 * y[1] + (1.0 if math.sin(3.0 * t) > 0.0 else -1.0)
    return 0
