"""The square system: triangular form, signs of the blocks, well-chosen rows, smallest singular values."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import multibody as mb
from multibody.analyses.assembly.assemble import assemble
from multibody.analyses.kinematics.square import Square, smallest_of_all
from multibody.rank.decider import Rank, well_chosen
from multibody.rank.drive import find_drive
from multibody.rank.elimination import decide_dense
from multibody.rank.idle import gauge_rows
from multibody.rank.triangular_form import split
from multibody.state.system import Floats, System, tables_of


def dense(square: Square, q: Floats, t: float) -> Floats:
    """Return the scaled square matrix, its rows as chosen and its columns as they are."""
    J = square.all_rows(q, t).toarray()
    return np.vstack([J[square.chosen], J[square.system.rows :]])


def square_of(name: str, t: float = 0.0, **parameters: object) -> tuple[Square, Floats]:
    model = mb.load(name, **parameters)
    state = assemble(model, t=t)
    system = System(tables_of(model))
    system.ref[:] = state.references
    return Square(system, find_drive(system, state.q, t)), state.q


# --- blocks ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("seed", range(8))
def test_hidden_blocks_are_found(seed: int) -> None:
    """A block triangular pattern whose rows and columns were shuffled."""
    random = np.random.default_rng(seed)
    sizes = random.integers(1, 5, size=6)
    label = np.repeat(np.arange(6), sizes)
    n = len(label)
    same, later = label[:, None] == label[None, :], label[:, None] > label[None, :]
    pattern = same | (later & (random.uniform(size=(n, n)) < 0.2))  # full blocks are strongly connected
    rows, columns = random.permutation(n), random.permutation(n)
    parts = split(sparse.csr_array(pattern[rows][:, columns].astype(float)))
    assert parts is not None
    assert sorted(np.bincount(parts.part)) == sorted(sizes)
    assert np.array_equal(label[rows], label[columns[parts.match]])  # a row is solved for a column of its own block
    place = np.empty(6, dtype=int)
    place[parts.order] = np.arange(6)
    of_label = {int(label[rows[k]]): int(place[parts.part[k]]) for k in range(n)}
    for i, j in zip(*np.nonzero(pattern), strict=True):
        assert of_label[int(label[j])] <= of_label[int(label[i])]  # what a row needs comes before it


def test_columns_of_one_owner_stay_together() -> None:
    parts = split(sparse.csr_array(np.eye(5)), np.array([0, 0, 1, -1, -1]))
    assert parts is not None
    assert parts.part[0] == parts.part[1]
    assert len(set(parts.part.tolist())) == 4


def test_a_pattern_without_a_regular_matrix() -> None:
    pattern = np.ones((4, 4))
    pattern[:3, 1:] = 0.0  # three rows on one column
    assert split(sparse.csr_array(pattern)) is None


# --- factors ---------------------------------------------------------------------------------------------------------
MODELS = ["slider-crank", "six-bar", "peaucellier", "rssr", "planetary", "cam-roller", "double-universal", "shabana-four-bar"]


@pytest.mark.parametrize("name", MODELS)
def test_signs_and_sizes_of_the_determinants(name: str) -> None:
    square, q = square_of(name)
    A = dense(square, q, 0.0)[square.row_order][:, square.column_order]
    factors = square.factor(q, 0.0)
    assert factors is not None
    signs, logarithms = factors.determinants()
    for k in range(square.blocks):
        inside = np.flatnonzero(square.block == k)
        sign, logarithm = np.linalg.slogdet(A[np.ix_(inside, inside)])
        assert (signs[k], logarithms[k]) == (sign, pytest.approx(logarithm, abs=1e-9))
        assert np.all(A[inside[-1] + 1 :, inside] == 0.0)  # block upper triangular
    assert np.sum(logarithms) == pytest.approx(np.linalg.slogdet(A)[1], abs=1e-9)


def test_a_large_block_is_ordered() -> None:
    """A long closed chain: one block, larger than those that are taken as they come."""
    m = mb.Model("ring", dimension=2)
    n = 30
    angle = 2 * np.pi * np.arange(n + 1) / (n + 1)
    points = np.stack([np.cos(angle), np.sin(angle)], -1)
    for k in range(n):
        m.body(f"b{k}")
    ends = ["ground", *(f"b{k}" for k in range(n)), "ground"]
    for k in range(n + 1):
        m.revolute(f"J{k}", ends[k], ends[k + 1], at=tuple(points[k]))
    for k in range(n - 2):  # no motion at the ground, so that nothing can be solved before the rest
        m.motion(f"J{k + 1}", "0.01*t")
    state = assemble(m)
    system = System(tables_of(m))
    square = Square(system, find_drive(system, state.q, 0.0))
    A = dense(square, state.q, 0.0)
    factors = square.factor(state.q, 0.0)
    assert factors is not None
    signs, logarithms = factors.determinants()
    assert np.max(np.bincount(square.block)) > 24
    order = np.eye(len(A))
    parity = np.linalg.det(order[square.row_order]) * np.linalg.det(order[square.column_order])
    sign, logarithm = np.linalg.slogdet(A)
    assert np.prod(signs) * np.round(parity) == sign
    assert np.sum(logarithms) == pytest.approx(logarithm, abs=1e-8)
    side = np.random.default_rng(0).normal(size=system.rows)
    x = factors.solve(side)
    assert np.max(np.abs((system.jacobian(state.q, 0.0) @ x - side)[square.chosen])) < 1e-9


@pytest.mark.parametrize("name", MODELS)
def test_smallest_singular_values(name: str) -> None:
    square, q = square_of(name)
    sigma, direction = square.smallest(q, 0.0)
    _, s, Vt = np.linalg.svd(dense(square, q, 0.0))
    assert sigma == pytest.approx(s[-1], rel=1e-4)
    assert abs(direction @ Vt[-1]) == pytest.approx(1.0, abs=1e-3)
    full = np.linalg.svd(square.all_rows(q, 0.0).toarray(), compute_uv=False)[-1]
    assert smallest_of_all(square, q, 0.0) == pytest.approx(full, rel=0.05)
    assert sigma <= full * (1.0 + 1e-4)


def test_the_free_direction_of_a_singular_pose() -> None:
    """A flat ladder: every crank but the driven one could move, and every coupler."""
    square, q = square_of("iftomm-n-four-bar", n=5, drive=True)
    flat = q.copy()
    for k in range(6):
        flat[3 * k : 3 * k + 3] = k + 0.5, 0.0, 0.0
    for k in range(5):
        flat[18 + 3 * k : 21 + 3 * k] = k + 1.5, 0.0, 0.0
    direction = square.free_direction(flat, 0.0)
    assert np.max(np.abs(square.all_rows(flat, 0.0) @ direction)) < 1e-7
    turns = np.abs(direction[2::3])
    assert turns[0] < 1e-6 and np.all(turns[1:] > 1e-3)


# --- rows and gauges -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("seed", range(6))
def test_well_chosen_rows_are_far_from_dependent(seed: int) -> None:
    """Rows whose first choice is nearly dependent are exchanged for better ones, as many and of full rank."""
    random = np.random.default_rng(seed)
    A = random.normal(size=(12, 8))
    A[9:] = 1e-3 * A[9:] + A[:3] + 0.5 * A[3:6]
    A /= np.linalg.norm(A, axis=1)[:, None]
    rank, circuits, _ = decide_dense(A, np.arange(12.0))
    left = np.zeros((12, len(circuits)))
    for k, (_, rows, values) in enumerate(circuits):
        left[rows, k] = values / np.max(np.abs(values))
    found = Rank(rank, [d for d, _, _ in circuits], sparse.csr_array(left), 0.0)
    chosen = well_chosen(found)
    assert len(chosen) == rank == 8
    volume, first = (abs(np.linalg.det(A[rows])) for rows in (chosen, found.independent))
    assert volume >= first * (1.0 - 1e-9)
    dropped = np.setdiff1d(np.arange(12), chosen)
    N = np.linalg.svd(A.T)[2][8:].T  # null(Aᵀ)
    assert np.max(np.abs(N @ np.linalg.inv(N[dropped]))) < 2.0 + 1e-6  # no exchange gains more than a factor of two


def test_gauges_are_those_of_idle_bodies() -> None:
    square, q = square_of("rssr")
    system = square.system
    J = system.scaled(system.jacobian(q, 0.0))
    gauge = gauge_rows(system, J[: system.joint_rows]).toarray()
    assert gauge.shape == (1, 18)
    assert np.linalg.norm(gauge) == pytest.approx(1.0)
    assert np.all(np.flatnonzero(gauge[0]) // 6 == system.tables.bodies.index("coupler") - 1)
    again = gauge_rows(system, sparse.csr_array(J[: system.joint_rows])).toarray()
    assert abs(gauge[0] @ again[0]) == pytest.approx(1.0)
