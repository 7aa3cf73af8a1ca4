"""What a simulation is told before its first step: how closely constraints are met, feedback of violations, a partition."""

from __future__ import annotations

import math

import numpy as np

from multibody.formulations import Formulation
from multibody.formulations.prepare import Bundle, full_pivoting
from multibody.formulations.spaces.space import Space
from multibody.integrators import Integrator
from multibody.state.system import Floats, Integers
from multibody.tables.scales import second


def tell_tolerances(bundle: Bundle, integrator: Integrator, rtol: float) -> None:
    """Write how closely constraints are met; the first acceptance finds the pivot ratio of regular positions."""
    bundle.settings(closed=max(1e-14, min(1e-4 * rtol, 1e-10)), stage_closed=max(1e-12, min(0.1 * rtol, 1e-6)))
    bundle.settings(noticeable=1e-14, avoidable=integrator.steps_aside, regular_ratio=1e-300)


def tell_feedback(space: Space, formulation: Formulation, t: float, y: Floats) -> float:
    """Write the feedback of a stabilized formulation; return its α."""
    alpha, beta = formulation.feedback
    own = _own_feedback(space, formulation, t, y) if alpha is None or beta is None else 0.0
    told = own if alpha is None else alpha
    space.bundle.settings(alpha=told, beta=own if beta is None else beta)
    return told


def _own_feedback(space: Space, formulation: Formulation, t: float, y: Floats) -> float:
    """Return α = β from the fastest rate at the start: violations then decay about as fast as the motion changes."""
    dy, b, rates = np.zeros_like(y), space.bundle, slice(space.nq, space.nq + space.nv)
    b.settings(alpha=0.0, beta=0.0)
    formulation.kernels()[0](*b.run, t, y, dy)
    v = float(np.max(np.abs(y[rates] / space.rate_scales), initial=0.0))
    a = float(np.max(np.abs(dy[rates] / space.rate_scales), initial=0.0))
    return 5.0 * min(max(v, math.sqrt(a), 0.2 / second(b.tables)), 200.0 / second(b.tables))


def tell_partition(space: Space, t: float, y: Floats, known: bool) -> Integers:
    """Choose dependent columns by full pivoting at a state, and write them; return them.

    Parameters
    ----------
    space : Space
    t : float
    y : array
    known : bool
        Whether there is a partition already, which has become weak.
    """
    b, J = space.bundle, space.rows_at(y, t)
    before = b.state.dependent.copy()
    dependent, _ = full_pivoting(J)
    b.set_partition(dependent)
    ratio = _pivot_ratio(J[:, dependent])
    if known and np.array_equal(before, dependent):  # no better one: let this one get weaker
        ratio = 0.1 * float(b.state.settings.partition_ratio[0])
    b.settings(partition_ratio=ratio)
    return dependent


def write_active(space: Space, dependent: Integers, active: Floats) -> None:
    """Write which components of y the error test counts: the independent ones."""
    active[:] = 0.0
    rates = np.ones(space.nv)
    rates[dependent] = 0.0
    active[space.nq : space.nq + space.nv] = rates
    active[: space.nq] = space.position_mask(rates)


def _pivot_ratio(A: Floats) -> float:
    """Return the smallest over the largest pivot of Gauss elimination with row exchanges."""
    A, low, high = A.copy(), np.inf, 0.0
    for k in range(len(A)):
        best = k + int(np.argmax(np.abs(A[k:, k])))
        A[[k, best]] = A[[best, k]]
        pivot = abs(float(A[k, k]))
        low, high = min(low, pivot), max(high, pivot)
        if pivot == 0.0:
            return 0.0
        A[k + 1 :, k:] -= np.outer(A[k + 1 :, k] / A[k, k], A[k, k:])
    return low / high if len(A) else 1.0
