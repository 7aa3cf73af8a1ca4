"""Whether the sparse elimination order gives good solutions; where it does not, one full matrix with all row exchanges does.

The order is found from the pattern alone. Rows are exchanged inside its small groups only, which is enough for all mechanisms
that we know of; a trial solution at the start of every run with an implicit method shows where it is not.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from multibody.formulations.implicit import (
    factor_newton,
    linearize_implicit,
    product_newton,
    solve_newton,
    start_newton,
)
from multibody.formulations.pattern import Pattern, sparse_pattern
from multibody.formulations.prepare import Bundle
from multibody.formulations.prepare_newton import attach_newton, sparse_entries
from multibody.kernels.memory.declaration import empty
from multibody.kernels.newton.declared import NewtonBlocks
from multibody.kernels.newton.declared import Pattern as Nodes
from multibody.tables.scales import second

Floats = npt.NDArray[np.float64]
ALLOWED = 1e-3  # relative error of a trial solution; Newton's iteration takes care of that much
MOST_FULL = 2000  # unknowns of a full matrix


def trial_error(bundle: Bundle, t: float, y: Floats) -> float:
    """Return the relative error of a solution by the factors at a state, for a step of a hundredth of a second."""
    n, m, c = bundle.velocities, len(bundle.chosen), 100.0 / second(bundle.tables)
    arrays = bundle.run
    found = np.zeros(n + m + 1)
    if start_newton(*arrays, t, y, found) != 0:
        return 0.0
    point = np.concatenate([y[: len(y) - 1], found[: n + m]])
    linearize_implicit(*arrays, t, point, point)
    factor_newton(*arrays, t, trial_coefficients(c), np.zeros(1))
    newton = bundle.newton
    units = _units(newton)
    probe = units * trial_wave(n, m)
    right, solution = _times(bundle, newton, t, probe, c), np.zeros(n + m)
    solve_newton(*arrays, t, right, solution)
    wrong = np.abs(solution - probe) / units
    return float(np.max(wrong, initial=0.0)) if np.all(np.isfinite(wrong)) else np.inf


def trial_coefficients(c: float) -> Floats:
    """Return the coefficients of the iteration matrix for c = 1 / step."""
    return np.array([c, 0.0, 1.0, 0.0, 1.0 / c, 0.0, 1.0, 0.0, 1.0 / c, 0.0])


def trial_wave(n: int, m: int) -> Floats:
    """Return the solution that is tried, over its units, for so many rates and rows."""
    return np.concatenate([np.sin(1.0 + np.arange(n)), np.cos(1.0 + np.arange(m))])


def _units(newton: NewtonBlocks) -> Floats:
    """Return what the factors at hand take for a unit of every unknown, so that all are of one size."""
    found = np.empty(len(newton.model.unknowns))
    found[newton.model.unknowns] = newton.state.scaled
    return found


def _times(bundle: Bundle, newton: NewtonBlocks, t: float, x: Floats, c: float) -> Floats:
    """Return the iteration matrix times x."""
    n, entries = bundle.velocities, newton.model.entries
    out = np.zeros(len(x))
    v = np.ascontiguousarray(x[:n])
    product_newton(*bundle.run, t, np.concatenate([c * v, v, v / c]), out)
    np.add.at(out, entries.column, newton.state.P[entries.entry] * x[n + entries.row])
    return out


def make_dependable(bundle: Bundle, t: float, y: Floats, complex_: bool) -> str:
    """Check the factors of a prepared run and exchange them for full ones where they are no good; return a note or nothing."""
    error = trial_error(bundle, t, y)
    n, m = bundle.velocities, len(bundle.chosen)
    if error <= ALLOWED or n + m > MOST_FULL:
        return "" if error <= ALLOWED else f"the sparse linear systems are solved to {error:.1e} only"
    before = bundle.model.newton.calls
    pattern = sparse_pattern(bundle.tables, bundle.chosen, ordered=False)
    bundle.model.pattern = empty(Nodes)
    full = Pattern(pattern.nodes, pattern.meetings, [list(range(n + m))])
    attach_newton(bundle, full, sparse_entries(bundle), complex_=complex_)
    bundle.model.newton.calls = before
    return f"the sparse elimination order is no good here (error {error:.1e}): full matrices are used"
