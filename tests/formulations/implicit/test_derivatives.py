"""The derivatives that implicit methods iterate with, against 8th-order differences of the residual: every library model."""

from __future__ import annotations

import numpy as np
import pytest

from formulations.implicit.newton_bench import PRODUCT, Bench
from kernels.differences import central
from multibody.formulations.newton import kept_matrices
from multibody.library import names

TOLERANCE = 1e-9


def _close(found: np.ndarray, exact: np.ndarray) -> bool:
    """Return whether two matrices agree, relative to the largest number."""
    return bool(np.max(np.abs(found - exact), initial=0.0) <= TOLERANCE * max(1.0, np.max(np.abs(exact), initial=0.0)))


@pytest.mark.parametrize("name", names())
def test_kept_matrices(name: str) -> None:
    b = Bench(name, seed=3)
    M, C, K, P, V = (part.toarray() for part in kept_matrices(b.bundle))
    by_a, by_v, by_q = np.zeros((b.n, b.n)), np.zeros((b.n + b.m, b.n)), np.zeros((b.n + 2 * b.m, b.n))
    for c in range(b.n):
        d, h = np.eye(b.n)[c], 1e-2 * b.system.scale_columns[c]
        by_a[:, c] = central(lambda s, d=d: b.residual(b.q, b.v, b.a + s * d, b.multipliers)[: b.n], 1e-2)
        by_v[:, c] = central(lambda s, d=d: b.residual(b.q, b.v + s * d, b.a, b.multipliers)[: b.n + b.m], 1e-2)
        by_q[:, c] = central(lambda s, d=d: b.residual(b.moved(3, b.q, s * d), b.v, b.a, b.multipliers)[: b.n + 2 * b.m], h)
    assert _close(M, by_a)
    assert _close(C, by_v[: b.n]) and _close(P, by_v[b.n :])
    assert _close(K, by_q[: b.n]) and _close(V, by_q[b.n : b.n + b.m]) and _close(P, by_q[b.n + b.m :])


@pytest.mark.parametrize("name", ["iftomm-andrews", "rssr", "cam-roller"])
def test_products_and_moves(name: str) -> None:
    b = Bench(name, seed=5)
    M, C, K, P, V = kept_matrices(b.bundle)
    xa, xv, xq = b.random.normal(size=(3, b.n))
    found = b.call(PRODUCT, np.concatenate([xa, xv, xq]), np.zeros(b.n + b.m))
    assert np.allclose(found, np.concatenate([M @ xa + C @ xv + K @ xq, P @ xv + V @ xq]), rtol=1e-12, atol=1e-12)
    w = b.random.normal(size=b.n)
    rates = b.moved(0, b.q, w)
    assert np.allclose(b.moved(1, b.q, rates), w, atol=1e-13)
    c, before = 40.0, b.moved(3, b.q, -0.01 * w)
    q = b.moved(2, c, -c * before, w)  # one step of Euler's implicit method
    assert np.max(np.abs(c * (q - before) - b.moved(0, q, w))) < 2e-2 * np.max(np.abs(w))  # unit quaternions are enforced
    step = central(lambda s: b.moved(3, b.q, s * w), 1e-2)
    assert np.allclose(step, rates, atol=1e-9)
