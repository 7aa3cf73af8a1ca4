"""How much work the implicit methods do, against SUNDIALS' IDA and SciPy at the same tolerance."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from bare_blocks import Bare
from integrators import systems
from integrators.drive import Floats
from integrators.implicit_drive import run
from integrators.test_implicit_orders import on_circle, start_on_circle
from multibody.integrators import Alpha, Bdf, Integrator, Radau, contract
from oracles import oracle

CASES: dict[str, tuple[int, tuple[float, ...], float, tuple[float, ...]]] = {
    "pendulum": (systems.PENDULUM, start_on_circle(False, 1.5), 10.0, ()),
    "moving circle": (systems.MOVING_CIRCLE, start_on_circle(True), 10.0, ()),
    "van der Pol": (systems.VAN_DER_POL, (2.0, 0.0), 20.0, (1.0,)),
    "stiff van der Pol": (systems.VAN_DER_POL, (2.0, 0.0), 2000.0, (1e3,)),
}


def plain(system: int, F: Any) -> Bare:
    """Return the blocks that the kernels of a system take."""
    nq, n, m, *rest = systems.SIZES[system]
    return Bare([system, nq, n, m, *rest, 0, 0, 0], F, np.zeros(systems.W_SIZE))


@functools.cache
def reference(case: str) -> Floats:
    """Return the accurate end of a case."""
    system, start, end, F = CASES[case]
    if system in (systems.PENDULUM, systems.MOVING_CIRCLE):
        return on_circle(end, system == systems.MOVING_CIRCLE, 1.5 if system == systems.PENDULUM else 1.0)[0]
    mu = F[0]
    f = lambda t, y: (y[1], mu * (1.0 - y[0] ** 2) * y[1] - y[0])  # noqa: E731
    return np.asarray(solve_ivp(f, (0.0, end), start, method="Radau", rtol=1e-11, atol=1e-13).y[:, -1])


def peer(case: str, rtol: float) -> tuple[int, Floats]:
    """Return IDA's evaluations (but for differences for Jacobians) and final state: stabilized index 2, λ and μ untested."""
    ida = oracle("sksundae.ida")
    system, start, end, F = CASES[case]
    nq, n, m, *_ = systems.SIZES[system]
    arrays = plain(system, F)
    first, r = np.zeros(n + m + 1), np.zeros(n + 3 * m + 1)
    systems.start(*arrays.run, 0.0, np.append(start, 0.0), first)
    y, dy = np.zeros(nq + n + 2 * m), np.zeros(nq + n + 2 * m)
    y[: nq + n], y[nq + n : nq + n + m] = start, first[n : n + m]
    dy[:nq], dy[nq : nq + n] = y[nq : nq + n], first[:n]

    def residual(t: float, y: Floats, dy: Floats, out: Floats) -> None:
        systems.residual(*arrays.run, t, np.concatenate([y[: nq + n], dy[nq : nq + n], y[nq + n : nq + n + m]]), r)
        rows = arrays.scratch.W[systems._P : systems._P + m * n].reshape(m, n)
        out[:nq] = dy[:nq] - y[nq : nq + n] + rows.T @ y[nq + n + m :]
        out[nq : nq + n + 2 * m] = r[: n + 2 * m]

    atol = np.full(len(y), rtol)
    atol[nq + n :] = 1e3
    algebraic = {"algebraic_idx": list(range(nq + n, len(y)))} if m else {}
    found = ida.IDA(residual, rtol=rtol, atol=atol, max_num_steps=1_000_000, **algebraic).solve([0.0, end], y, dy)
    return int(found.nfev), np.asarray(found.y[-1][: nq + n])


@pytest.mark.parametrize("rtol", [1e-4, 1e-6, 1e-8])
@pytest.mark.parametrize("case", CASES)
def test_evaluations_of_bdf(case: str, rtol: float) -> None:
    count, state = peer(case, rtol)
    system, start, end, F = CASES[case]
    exact = reference(case)
    motion = run(Bdf(), system, start, end, rtol=rtol, F=F)
    assert motion.status == contract.DONE
    assert motion.evaluations <= 1.2 * count
    error, theirs = (float(np.abs(found[: len(start)] - exact).max()) for found in (motion.y, state))
    assert error < 10.0 * theirs  # not bought with accuracy


@pytest.mark.parametrize("method", [Bdf(), Radau(), Alpha(0.01)])
@pytest.mark.parametrize("case", ["pendulum", "moving circle"])
def test_few_linearizations(method: Integrator, case: str) -> None:
    system, start, end, F = CASES[case]
    motion = run(method, system, start, end, rtol=1e-8, F=F)
    c = motion.counts
    assert c[contract.JACOBIANS] < (0.6 if method.name == "radau" else 0.15) * c[contract.STEPS]
    assert c[contract.FACTORIZATIONS] < (1.5 if method.name == "radau" else 0.2) * c[contract.STEPS]
    assert c[contract.NOT_CONVERGED] == 0
    assert c[contract.ITERATIONS] < {"bdf": 2.3, "radau": 4.5, "alpha": 6.0}[method.name] * c[contract.STEPS]


@pytest.mark.parametrize("method", [Bdf(), Radau(), Alpha(0.05)])
def test_a_linear_system_is_linearized_once(method: Integrator) -> None:
    motion = run(method, systems.OSCILLATOR, (1.0, 0.0), 20.0, rtol=1e-6)
    assert motion.counts[contract.JACOBIANS] == 1
    assert motion.counts[contract.FACTORIZATIONS] < 0.4 * motion.counts[contract.STEPS]


@pytest.mark.parametrize(("K", "D"), [(1e6, 1e4), (1e6, 1e3), (1e4, 1e2), (1e10, 1e6)])
@pytest.mark.parametrize(("method", "most"), [(Bdf(), 150), (Radau(), 100)])
def test_a_stiff_spring_costs_few_steps(method: Integrator, most: int, K: float, D: float) -> None:
    """The spring holds its body at sin t; explicit methods would need steps of 1/D."""
    motion = run(method, systems.STIFF, (1.0, 0.0, 0.0, 1.0), 10.0, rtol=1e-5, F=(K, D))
    assert motion.status == contract.DONE
    assert motion.counts[contract.STEPS] < most
    assert motion.evaluations < 6 * most
    assert motion.y[:4] == pytest.approx([math.cos(10.0), math.sin(10.0), -math.sin(10.0), math.cos(10.0)], abs=2e-3)


@pytest.mark.parametrize("method", [Bdf(), Radau()])
def test_a_stiff_spring_released_off_its_rest(method: Integrator) -> None:
    """The fast motion at the start is followed, then steps get long."""
    motion = run(method, systems.STIFF, (1.0, 0.1, 0.0, 1.0), 10.0, rtol=1e-5, F=(1e6, 3e3), dense=True)
    assert motion.counts[contract.STEPS] < 300
    assert abs(motion.steps[:10, 1]).max() < 1e-3
    assert motion.steps[:, 1].max() > 0.05
    fast = math.sqrt(2.25e6 - 1e6)  # overdamped: x = sin t + 0.1 (r1 e^(−r2 t) − r2 e^(−r1 t))/(r1 − r2)
    r1, r2 = 1.5e3 + fast, 1.5e3 - fast
    t = np.array([2e-4, 1e-3, 3e-3])
    exact = np.sin(t) + 0.1 * (r1 * np.exp(-r2 * t) - r2 * np.exp(-r1 * t)) / (r1 - r2)
    assert motion.at(t)[:, 1] == pytest.approx(exact, abs=1e-4)


@pytest.mark.parametrize("rtol", [1e-5, 1e-7])
def test_radau_against_its_peer(rtol: float) -> None:
    """SciPy has the same method: no more evaluations for the same accuracy."""
    system, start, end, F = CASES["stiff van der Pol"]
    exact, mu = reference("stiff van der Pol"), F[0]
    f = lambda t, y: (y[1], mu * (1.0 - y[0] ** 2) * y[1] - y[0])  # noqa: E731
    theirs = solve_ivp(f, (0.0, end), start, method="Radau", rtol=rtol, atol=rtol)
    motion = run(Radau(), system, start, end, rtol=rtol, F=F)
    assert motion.evaluations < theirs.nfev
    assert np.abs(motion.y[:2] - exact).max() < 30.0 * rtol


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.8, 0.95])
def test_alpha_damps_what_its_rho_says(rho: float) -> None:
    """A spring far too stiff for the step: in the long run each step leaves the part rho of a disturbance."""

    def speeds(begin: float) -> Floats:
        start = (0.0, 0.0, 0.0, begin)
        motion = run(Alpha(0.1, rho), systems.STIFF, start, 4.1, F=(1e10, 0.0), rtol=1e-12, dense=True)
        return motion.at(motion.steps[:, 0])[:, 3]

    swing = np.abs(speeds(1.001) - speeds(1.0))  # linear: the difference is what becomes of the disturbance
    assert swing[0] == pytest.approx(1e-3)
    assert swing.max() < 0.1  # not amplified without bounds at the start
    if rho == 0.0:
        assert swing[5:].max() < 1e-8  # gone
    else:  # n² rhoⁿ at most, for the eigenvalue is not simple
        assert rho - 0.02 < (swing[40] / swing[20]) ** 0.05 < rho * 2.0**0.1 + 0.02


@pytest.mark.parametrize("rtol", [1e-6, 1e-8])
def test_stiff_spring_with_little_damping_is_for_radau(rtol: float) -> None:
    """Eigenvalues near the imaginary axis, where the higher orders of bdf are not stable: radau does not mind."""
    motion = run(Radau(), systems.STIFF, (1.0, 0.0, 0.0, 1.0), 10.0, rtol=rtol, F=(1e6, 10.0))
    assert motion.counts[contract.STEPS] < 400
    assert motion.y[1] == pytest.approx(math.sin(10.0), abs=100.0 * rtol)
