"""How many evaluations it takes, against SciPy at the same tolerance."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.integrate._ivp import dop853_coefficients

from bare_blocks import Bare
from integrators import problems
from integrators.drive import Floats, run
from multibody.integrators import Adams, Dop853, contract, tableau

ECCENTRICITY = 0.6
CASES: dict[str, tuple[Any, tuple[float, ...], float]] = {
    "arenstorf": (problems.arenstorf, problems.ARENSTORF, problems.ARENSTORF_PERIOD),
    "kepler": (problems.kepler, (0.4, 0.0, 0.0, math.sqrt(1.6 / 0.4)), 6.0 * math.pi),
    "duffing": (problems.duffing, (1.0, 0.0), 30.0),
}


def peer(case: str, method: str, rtol: float) -> tuple[int, Floats]:
    """Return SciPy's number of evaluations and its final state."""
    rhs, y0, end = CASES[case]
    bare = Bare()

    def f(t: float, y: Floats) -> Floats:
        out = np.empty(len(y))
        rhs(*bare.run, t, y, out)
        return out

    found = solve_ivp(f, (0.0, end), y0, method=method, rtol=rtol, atol=rtol)
    return int(found.nfev), found.y[:, -1]


@pytest.mark.parametrize("rtol", [1e-6, 1e-8, 1e-10])
@pytest.mark.parametrize("case", CASES)
def test_evaluations(case: str, rtol: float) -> None:
    rhs, y0, end = CASES[case]
    accurate = peer(case, "DOP853", 1e-13)[1]
    for method, name, factor in ((Adams(), "LSODA", 1.0), (Dop853(), "DOP853", 1.15)):
        count, state = peer(case, name, rtol)
        motion = run(method, rhs, y0, end, rtol=rtol)
        assert motion.status == contract.DONE
        assert motion.evaluations <= factor * count
        error, theirs = (float(np.abs(found - accurate).max()) for found in (motion.y, state))
        assert error < 10.0 * theirs  # not bought with accuracy


def test_evaluations_of_a_step() -> None:
    motion = run(Dop853(), problems.oscillator, (1.0, 0.0), 50.0)
    assert motion.evaluations == 2 + 12 * motion.counts[contract.STEPS] + 11 * motion.counts[contract.REJECTED]
    stored = run(Dop853(), problems.oscillator, (1.0, 0.0), 50.0, dense=True)
    assert stored.evaluations == motion.evaluations + 3 * motion.counts[contract.STEPS]
    motion = run(Adams(), problems.oscillator, (1.0, 0.0), 50.0, dense=True)
    assert motion.evaluations == 2 + 2 * motion.counts[contract.STEPS] + motion.counts[contract.REJECTED]


def test_tableau() -> None:
    for name, peers in (("A", dop853_coefficients.A), ("B", dop853_coefficients.B)):
        for index, value in np.ndenumerate(peers):
            if name == "A" and index[0] == 12:
                continue  # stage 13 is the new state
            written = getattr(tableau, name + "_".join(str(i + 1) for i in index), 0.0)
            assert written == value, (name, index)
    for name, peers in (("E3", dop853_coefficients.E3), ("E5", dop853_coefficients.E5)):
        for index, value in np.ndenumerate(peers):
            assert getattr(tableau, f"{name}_{index[0] + 1}", 0.0) == value
    assert np.array_equal(tableau.C, dop853_coefficients.C)
    assert np.array_equal(tableau.D, dop853_coefficients.D)
    rows = [[getattr(tableau, f"A{s}_{j}", 0.0) for j in range(1, 17)] for s in (2, 7, 12, 14, 16)]
    assert np.sum(rows, axis=1) == pytest.approx(tableau.C[[1, 6, 11, 13, 15]], rel=1e-12)  # Σ a = c
