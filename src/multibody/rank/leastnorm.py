"""Linear conditions of any rank: rows that are independent, and smallest steps that satisfy them, dense or sparse."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from multibody.kernels.assembly import levels as pivoting
from multibody.kernels.assembly.declared import AssemblyScratch

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
DENSE_LIMIT = 400  # unknowns that are followed with dense factors; beyond, the sparse path
DENSE_ASSEMBLY = 150  # unknowns that are assembled with singular values
CUT = 1e-9  # singular values below this part of the largest count as zero
NEARNESS = (1e-6, 1e-9, 1e-12)  # μ: how much the norm of a step counts beside guesses, before refinement
REFINEMENTS = 15
SETTLED = 1e-9  # part of a step by which the last refinement may move it; round-off over μ is less
_ROOMS = dict[tuple[int, ...], AssemblyScratch]()  # that of the last size
WEAK = 1e-10  # the same for guesses within the freedom that the constraints leave


def is_large(unknowns: int) -> bool:
    """Return whether a mechanism with so many velocity coordinates is followed with sparse factors."""
    return unknowns > DENSE_LIMIT


def independent_rows(J: Floats, cut: float = 1e-9, floor: float = 0.0, most: int | None = None) -> Integers:
    """Return rows of J that are independent, earlier rows preferred where the pivots allow, in increasing order.

    A pivot counts if it is above `cut` times the largest one and above `floor`, and among the `most` largest.
    """
    if J.size == 0:
        return np.zeros(0, dtype=np.int64)
    if (most is None or len(J) <= most) and all_independent(J, cut, floor):
        return np.arange(len(J), dtype=np.int64)
    pivots, order = _pivots(J)
    rank = int(np.sum(pivots > max(cut * pivots[0], floor, 1e-300)))
    return np.sort(order[: rank if most is None else min(rank, most)]).astype(np.int64)


def takes_rows(J: Floats, rows: Integers, cut: float = 1e-9, floor: float = 0.0) -> bool:
    """Return whether these rows of J, fewer than all, are those of :func:`independent_rows`."""
    if 0 < len(rows) < len(J):
        with _conditions(J) as room:
            found = int(pivoting.takes_rows(room.address, J.shape[1], len(J), cut, floor, rows))
        if found != pivoting.UNCLEAR:
            return found == 1
    return np.array_equal(independent_rows(J, cut, floor), rows)


def _pivots(J: Floats) -> tuple[Floats, Any]:
    """Return the pivots of the rows of J, falling, and the order in which rows are taken.

    Where rows serve equally well the earlier one is taken, whatever rounding says: results would depend on the processor.
    """
    with _conditions(J) as room:
        count = int(pivoting.pivot_rows(room.address, J.shape[1], len(J), pivoting.TINY, 0.0))
        pivots, order = np.zeros(min(J.shape)), room.order.copy()
        pivots[:count] = np.abs(room.diagonal[:count])
    return pivots, order


@contextlib.contextmanager
def _conditions(J: Floats) -> Iterator[AssemblyScratch]:
    """Give room in which the rows of J stand; that of the last size is kept, another thread has its own."""
    room = _ROOMS.pop(J.shape, None)
    if room is None:
        _ROOMS.clear()
        room = row_room(*J.shape)
    room.A[:] = J.ravel()
    yield room
    _ROOMS[J.shape] = room


def row_room(rows: int, n: int) -> AssemblyScratch:
    """Return room for one choice of rows at a time."""
    return AssemblyScratch(A=rows * n, factor=n, diagonal=n, owner=n, order=rows)


def all_independent(J: Floats, cut: float = 1e-9, floor: float = 0.0) -> Any:
    """Return whether all rows of J (..., m, n) stay in :func:`independent_rows`; of one matrix or of many."""
    if J.shape[-2] > J.shape[-1]:
        return np.zeros(J.shape[:-2], dtype=bool)
    sizes = np.linalg.svd(J, compute_uv=False)
    # no pivot is below the least singular value, none above the largest
    return sizes[..., -1] > np.maximum(cut * sizes[..., 0], floor)


def least_norm(J: Floats, b: Floats, cut: float = CUT, size: float = 1e-300) -> tuple[Floats, Floats]:
    """Return the smallest x with J x = b (least squares where that has no solution) and a basis of null(J).

    Singular values below `cut` times the largest one, or times `size`, count as zero. Rows that were restricted to a null space
    give the size that they had before: where nothing but round-off is left of them, they ask for nothing.
    """
    m, n = J.shape
    if m == 0:
        return np.zeros(n), np.eye(n)
    U, s, Vt = np.linalg.svd(J, full_matrices=True)
    rank = int(np.sum(s > cut * max(float(s[0]) if len(s) else 0.0, size)))
    x = Vt[:rank].T @ ((U[:, :rank].T @ b) / s[:rank])
    return x, Vt[rank:].T


def constrained_step(J: Floats, c: Floats, soft: Floats, rest: Floats, cut: float = CUT) -> Floats:
    """Return the step with J δ = −c that brings soft δ nearest to −rest, smallest where that leaves freedom."""
    x, Z = least_norm(J, -c, cut)
    if len(rest) == 0 or Z.shape[1] == 0:
        return x
    y, _ = least_norm(soft @ Z, -rest - soft @ x, WEAK, largest_row(soft))
    return np.asarray(x + Z @ y)


def largest_row(A: Floats) -> float:
    """Return the norm of the longest row of a matrix."""
    return float(np.max(np.linalg.norm(A, axis=1), initial=0.0))


def sparse_step(J: Any, c: Floats, soft: Any = None, rest: Floats | None = None, damping: float = 1e-10) -> Floats:
    """Return the same step for a large sparse J, by quasi-definite systems.

    ``[μ Jᵀ Sᵀ; J −ε 0; S 0 −1]`` moves δ toward the smallest one with J δ = −c that brings S δ nearest to −rest. μ and ε only
    make it solvable, whatever the ranks: proximal refinement, δ ← δ + the solution for what is left, removes their trace, and
    stays where it begins, at zero, along directions that neither J nor S knows.

    Parameters
    ----------
    J, soft : sparse matrices
    c, rest : arrays
    damping : float
        ε over the square of J's longest row; directions whose singular values are far below its root are left alone.
    """
    from scipy.sparse import csr_array

    n = J.shape[1]
    S: Any = csr_array((0, n)) if soft is None else csr_array(soft)
    size = max(_longest_row(S), 1e-300)
    S, wish = S / size, np.zeros(0) if rest is None else rest / size
    step = np.zeros(n)
    for nearness in NEARNESS if S.shape[0] else (1.0,):  # guesses that are weak against the norm of a step need a smaller μ
        step, settled = _refined(_Proximal(J, c, S, wish, nearness, damping))
        if settled:
            break
    return step


class _Proximal:
    """The factors of one quasi-definite system, and what is left of its conditions."""

    def __init__(self, J: Any, c: Floats, S: Any, rest: Floats, nearness: float, damping: float) -> None:
        from scipy.sparse import block_array, eye_array
        from scipy.sparse.linalg import splu

        (m, n), k = J.shape, S.shape[0]
        self.J, self.S, self.sizes = J, S, (n, m, k)
        self.right = np.concatenate([np.zeros(n), -c, -rest])
        self.kept = 0.0 if k else nearness  # without guesses the norm itself is what is made smallest
        epsilon = damping * max(_longest_row(J), 1e-300) ** 2
        upper = [nearness * eye_array(n), J.T, S.T]
        blocks = [upper, [J, -epsilon * eye_array(m), None], [S, None, -eye_array(k)]]
        filled = [0, *([1] if m else []), *([2] if k else [])]
        self.factors = splu(block_array([[blocks[i][j] for j in filled] for i in filled], format="csc"))

    def correction(self, x: Floats) -> Floats:
        """Return the solution for what x = (δ, multipliers, what the guesses miss) leaves."""
        n, m, _ = self.sizes
        d, multipliers, pull = x[:n], x[n : n + m], x[n + m :]
        upper = self.kept * d + self.J.T @ multipliers + self.S.T @ pull
        return np.asarray(self.factors.solve(self.right - np.concatenate([upper, self.J @ d, self.S @ d - pull])))


def _refined(system: _Proximal) -> tuple[Floats, bool]:
    """Return the step after refinement, and whether that has come to rest."""
    n, x, size, moved = system.sizes[0], np.zeros(sum(system.sizes)), 0.0, 0.0
    for _ in range(REFINEMENTS):
        change = system.correction(x)
        x = x + change
        moved, size = (float(np.max(np.abs(part[:n]), initial=0.0)) for part in (change, x))
        if not np.isfinite(moved) or moved <= 1e-15 * size:
            break
    return x[:n], moved <= SETTLED * size


def _longest_row(A: Any) -> float:
    """Return the largest Euclidean norm of the rows of a sparse matrix."""
    return float(np.sqrt(np.max(np.asarray(A.multiply(A).sum(axis=1)), initial=0.0)))
