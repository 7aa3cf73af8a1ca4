"""What a simulation and its integrator are told before the first step: tolerances, feedback of violations, a partition."""

from __future__ import annotations

from typing import Any

import numpy as np

from multibody.formulations import Formulation
from multibody.formulations.prepare import Bundle
from multibody.formulations.spaces.space import Space
from multibody.integrators import Integrator
from multibody.integrators import contract as C
from multibody.state.system import Floats, Integers
from multibody.tables.lower import Tables
from multibody.tables.scales import second


def told_integrator(integrator: Integrator, tables: Tables, t: float, rtol: float) -> tuple[Floats, Integers]:
    """Return `control` and `counts` of an integrator that begins at t, see its contract."""
    control, counts = np.zeros(C.CONTROL_SIZE), np.zeros(C.COUNTS_SIZE, dtype=np.int64)
    integrator.configure(control, counts)
    control[C.T], control[C.RTOL], control[C.SECOND] = t, rtol, second(tables)
    counts[C.FRESH] = 1
    return control, counts


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
    v, a = (np.max(np.abs(x[rates] / space.rate_scales), initial=0.0) for x in (y, dy))
    return float(feedback_of(v, a, b.tables))


def feedback_of(v: Any, a: Any, tables: Tables) -> Any:
    """Return α = β for the fastest rate v and its fastest change a, of one start or of many."""
    return 5.0 * np.minimum(np.maximum(np.maximum(v, np.sqrt(a)), 0.2 / second(tables)), 200.0 / second(tables))


def tell_partition(space: Space, t: float, y: Floats, active: Floats, known: bool) -> None:
    """Choose dependent columns by full pivoting at a state, and write them.

    Parameters
    ----------
    space : Space
    t : float
    y : array
    active : array, written
        Which components of y the error test counts: the independent ones.
    known : bool
        Whether there is a partition already, which has become weak.
    """
    b, n = space.bundle, space.nv
    before, room = b.state.dependent.copy(), (np.zeros(n * len(b.chosen)), np.zeros(n, dtype=np.int64))
    ratio = space.choose(*b.run, t, y, *room, active)
    if known and np.array_equal(before, b.state.dependent):  # no better one: let this one get weaker
        ratio = 0.1 * float(b.state.settings.partition_ratio[0])
    b.settings(partition_ratio=ratio)
