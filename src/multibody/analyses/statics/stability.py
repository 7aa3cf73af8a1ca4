"""Whether an equilibrium is stable: the eigenvalues of the stiffness along the constraints, and their directions in words."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from multibody.analyses.statics.balance import Balance, Point
from multibody.analyses.statics.lowest import lowest_along
from multibody.rank.idle import idle_motions
from multibody.state.named_columns import in_words
from multibody.state.system import Floats

FEW = 6  # eigenvalues of a large model
ASYMMETRIC = 1e-7  # part of the stiffness that must be asymmetric before forces count as such without potential


@dataclass(frozen=True)
class Stability:
    """What the stiffness along the constraints says about an equilibrium.

    Attributes
    ----------
    kind : str
        ``stable``, ``unstable``, ``indifferent``, or ``rigid`` where nothing can move.
    eigenvalues : array
        Of Nᵀ K N, lowest first [force·length], lengths over the characteristic length; of a large model the lowest few.
    directions : list of str
        The directions that make it unstable or indifferent, by the coordinates that change in them.
    notes : list of str
    """

    kind: str
    eigenvalues: Floats
    directions: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def stability(balance: Balance, point: Point) -> Stability:
    """Judge a point by its stiffness.

    Parameters
    ----------
    balance : Balance
    point : Point
        An equilibrium.
    """
    if balance.freedom == 0:
        return Stability("rigid", np.zeros(0))
    values, vectors, notes = _spectrum(balance, point)
    tolerance = 1e-12 * float(abs(balance.stiffness(point)).max()) + 1e-9 * point.reference
    low, zero = vectors[:, values < -tolerance], vectors[:, np.abs(values) <= tolerance]
    kept, idle = _without_idle(balance, point, zero)
    s, q = balance.system, point.state.q
    if idle:
        notes.append(f"{idle} idle freedom{'' if idle == 1 else 's'} left out: a body that spins without any effect")
    chosen, kind = (low, "unstable") if low.shape[1] else (kept, "indifferent")
    if not chosen.shape[1]:
        return Stability("stable", values, [], notes)
    return Stability(kind, values, [in_words(s, q, x * s.scale_columns) for x in chosen.T], notes)


def _spectrum(balance: Balance, point: Point) -> tuple[Floats, Floats, list[str]]:
    """Return eigenvalues (lowest first), scaled directions as columns, and notes."""
    if not balance.dense:
        from scipy.sparse import eye_array

        K = balance.stiffness(point)
        unit = eye_array(balance.system.nv, format="csr")
        values, vectors = lowest_along(balance, point.state.q, 0.5 * (K + K.T), unit, 1e-9 * float(abs(K).max()), FEW)
        few = len(values) < balance.freedom
        return values, vectors, [f"large model: the lowest {len(values)} eigenvalues of its stiffness"] if few else []
    S = balance.reduced(point)
    assert point.N is not None
    if np.linalg.norm(S - S.T) <= ASYMMETRIC * np.linalg.norm(S):
        sizes, U = np.linalg.eigh(0.5 * (S + S.T))
        return sizes, point.N @ U, []
    found, U = np.linalg.eig(S)
    order = np.argsort(found.real)
    text = "forces without a potential: divergence is judged here, flutter by modes"
    return found.real[order], np.real(point.N @ U[:, order]), [text]


def _without_idle(balance: Balance, point: Point, zero: Floats) -> tuple[Floats, int]:
    """Return a basis of the indifferent directions without idle ones, and how many those are."""
    s = balance.system
    if zero.shape[1] == 0 or s.tables.dimension == 2:
        return zero, 0
    J = s.scaled(s.jacobian(point.state.q, balance.t)) if balance.dense else None
    if J is None:
        return zero, 0
    parts = []
    for body, twists in idle_motions(s, J):
        block = np.zeros((s.nv, twists.shape[1]))
        block[s.tables.layout.motion(body)] = twists
        parts.append(block)
    if not parts:
        return zero, 0
    Z = np.linalg.qr(zero)[0]
    idle = Z.T @ np.hstack(parts)
    U, sizes, _ = np.linalg.svd(idle, full_matrices=True)
    count = int(np.sum(sizes > 0.999))
    return Z @ U[:, count:], count
