"""Eigenvalues of linearized motions: all of a small model, the lowest of a large one; free directions are exactly zero."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from multibody.analyses.linear.linearization import Linearization
from multibody.analyses.modes.minimal import Minimal
from multibody.analyses.statics.balance import Balance
from multibody.analyses.statics.lowest import lowest_along
from multibody.state.system import Floats, System

Complexes = npt.NDArray[np.complex128]
ASYMMETRIC = 1e-9  # of the stiffness, relative, below which a model without damping is conservative
NOTHING = 1e-10  # stiffness beside the forces that act, below which a direction is free


def spectrum(system: System, point: Linearization, made: Minimal, moves: bool, force: float) -> tuple[Complexes, Complexes]:
    """Return eigenvalues by their size, one of every conjugate pair, and their z as columns.

    A free direction, in which position and rate make a double zero, is one eigenvalue that is exactly 0.

    Parameters
    ----------
    system : System
    point : Linearization
    made : Minimal
    moves : bool
        Whether the state has velocities or accelerations.
    force : float
        Size of the forces [force·length] beside which a stiffness is nothing.
    """
    symmetric = np.linalg.norm(made.K - made.K.T) <= ASYMMETRIC * np.linalg.norm(made.K)
    if not moves and not np.any(made.C) and symmetric:
        return _conservative(system, point, made, force)
    values, vectors = np.linalg.eig(made.A)
    sizes = np.abs(values)
    order = np.lexsort((-values.imag, np.round(sizes / max(float(np.max(sizes)), 1e-300), 10)))
    values, vectors = values[order], vectors[:, order]
    free, doubled = _free(system, made, force)
    values[: free + doubled] = 0.0
    keep = values.imag >= 0.0
    keep[free : free + doubled] = False
    return values[keep], vectors[: len(made.names), keep]


def _conservative(system: System, point: Linearization, made: Minimal, force: float) -> tuple[Complexes, Complexes]:
    """Return the same for M z̈ + K z = 0 with symmetric matrices: −λ² is real."""
    from scipy.linalg import eigh

    squares, Z = eigh(0.5 * (made.K + made.K.T), made.M)
    K = abs(point.K)
    values: list[complex] = []
    shapes: list[Floats] = []
    for square, z in zip(squares, Z.T, strict=True):
        d = np.abs(made.D @ z)
        largest = float(np.max(d / system.scale_columns))
        if abs(square) <= 1e-12 * float(d @ (K @ d)) + NOTHING * force * largest**2:
            found = [0j]
        else:
            root = float(np.sqrt(abs(square)))
            found = [complex(0.0, root)] if square > 0.0 else [complex(root, 0.0), complex(-root, 0.0)]
        values += found
        shapes += [z] * len(found)
    order = np.argsort(np.abs(values), kind="stable")
    return np.array(values, dtype=complex)[order], np.array(shapes, dtype=complex).T[:, order]


def _free(system: System, made: Minimal, force: float) -> tuple[int, int]:
    """Return how many eigenvalues vanish: directions without stiffness, and those of them without damping."""
    unit = np.where(made.is_length, system.tables.length, 1.0)
    S, C = (-unit[:, None] * (made.M @ matrix) * unit for matrix in (made.stiffness, made.damping))
    U, sizes, Vt = np.linalg.svd(S)
    free = int(np.sum(sizes <= max(1e-11 * float(sizes[0]), NOTHING * force)))
    if free == 0:
        return 0, 0
    rest = U[:, len(U) - free :].T @ C @ Vt[len(U) - free :].T
    damped = int(np.sum(np.linalg.svd(rest, compute_uv=False) > 1e-10 * max(float(np.max(np.abs(C))), 1e-300)))
    return free, free - damped


# --- large models -----------------------------------------------------------------------------------------------------
def lowest_modes(balance: Balance, point: Linearization, count: int) -> tuple[Complexes, Complexes]:
    """Return the lowest eigenvalues and shapes of a large model at rest.

    The factors are those of [σ² M + σ C + K, Φ_qᵀ; Φ_q, 0] about a shift σ that is small beside the frequencies.
    """
    from scipy.sparse import diags_array

    scale = diags_array(balance.system.scale_columns)
    M, C, K = ((scale @ matrix @ scale).tocsr() for matrix in (point.M, point.C, point.K))
    shift = 1e-4 * float(np.sqrt(max(abs(K).max(), 1e-300) / max(abs(M).max(), 1e-300)))
    asymmetric = float(abs(K - K.T).max()) > ASYMMETRIC * float(abs(K).max())
    if C.count_nonzero() == 0 and not asymmetric:
        values, shapes = _large_conservative(balance, point, M, 0.5 * (K + K.T), shift, count)
    else:
        values, shapes = _large_damped(balance, point, (M, C, K), shift, count)
    values = np.where(np.abs(values) < 1e-3 * shift, 0.0, values)
    order = np.argsort(np.abs(values), kind="stable")
    order = np.array([k for place, k in enumerate(order) if place < count or values[k].real > 0.0])  # growth is never left out
    return values[order], balance.system.scale_columns[:, None] * shapes[:, order]


def _large_conservative(
    balance: Balance, point: Linearization, M: Any, K: Any, shift: float, count: int
) -> tuple[Complexes, Complexes]:
    """Return modes of M d̈ + K d = 0 along the constraints."""
    squares, vectors = lowest_along(balance, point.q, K, M, shift**2, count)
    values: list[complex] = []
    shapes: list[Floats] = []
    for square, d in zip(squares, vectors.T, strict=True):
        size = float(np.sqrt(abs(square)))
        values += [complex(0.0, size)] if square > 0.0 else [complex(size, 0.0), complex(-size, 0.0)]
        shapes += [d] if square > 0.0 else [d, d]
    return np.array(values), np.array(shapes, dtype=complex).reshape(len(values), balance.system.nv).T


def _large_damped(
    balance: Balance, point: Linearization, matrices: tuple[Any, Any, Any], shift: float, count: int
) -> tuple[Complexes, Complexes]:
    """Return modes of M d̈ + C ḋ + K d = 0 along the constraints, those nearest to the shift, by Arnoldi's method."""
    from scipy.sparse.linalg import LinearOperator, eigs

    M, C, K = matrices
    n = balance.system.nv
    solve = balance.solver(point.q, K + shift * C + shift**2 * M)

    def inverse(x: Floats) -> Floats:
        y, w = np.ravel(x)[:n], np.ravel(x)[n:]
        d = -solve(M @ (w + shift * y) + C @ y)[:n]
        return np.concatenate([d, y + shift * d])

    start = np.random.default_rng(0).normal(size=2 * n)
    for _ in range(2):  # onto the constraints
        start = inverse(start)
    operator = LinearOperator((2 * n, 2 * n), matvec=inverse, dtype=float)
    theta, vectors = eigs(operator, k=min(2 * count + 2, 2 * balance.freedom, 2 * n - 2), which="LM", v0=start)
    values = shift + 1.0 / theta
    keep = values.imag >= -1e-9 * np.abs(values)
    return values[keep], vectors[:n, keep]
