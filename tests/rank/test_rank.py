"""Rank decisions: blocks, singular values and elimination agree with each other and with the dense answer."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import sparse
from scipy.linalg import qr

from multibody.model.model import Model
from multibody.rank import decider as rank_module
from multibody.rank.decider import Decider, biconnected_parts, neighbors, row_priority, row_vertices
from multibody.rank.elimination import decide_dense, decide_frontal
from multibody.rank.generic import Joints, singular_value
from multibody.rank.leastnorm import independent_rows, takes_rows
from multibody.state.poses import drawn_pose
from multibody.state.system import System, tables_of


def random_mechanism(seed: int, bodies: int, extra: int, dimension: int) -> Model:
    """Bodies on a random tree of revolute joints at random points, and `extra` joints that close loops."""
    random = np.random.default_rng(seed)
    m = Model("random", dimension=dimension)
    names = ["ground"]
    for k in range(bodies):
        m.body(f"b{k}")
        _revolute(m, f"J{k}", names[random.integers(max(0, len(names) - 4), len(names))], f"b{k}", random)
        names.append(f"b{k}")
    for k in range(extra):
        a = int(random.integers(len(names)))
        b = int(np.clip(a + random.integers(1, 5), 0, len(names) - 1))
        if a != b:
            _revolute(m, f"K{k}", names[a], names[b], random)
    return m


def _revolute(m: Model, name: str, first: str, second: str, random: np.random.Generator) -> None:
    at = random.normal(size=m.dimension)
    if m.dimension == 3:
        at[2] = 0.0  # planar mechanisms modeled in space: redundant wherever a loop closes
    m.revolute(name, first, second, at=tuple(at.tolist()))


def system_of(model: Model) -> tuple[System, np.ndarray]:
    system = System(tables_of(model))
    return system, drawn_pose(system)


def check_dependencies(J: np.ndarray, rank: int, dropped: list[int], left: np.ndarray) -> None:
    """Assert that the columns of `left` are all dependencies, one dropped row in each."""
    m = len(J)
    assert rank == np.linalg.matrix_rank(J, tol=1e-9)
    assert left.shape == (m, m - rank)
    if m > rank:
        assert np.max(np.abs(left.T @ J)) < 1e-10
        assert np.linalg.matrix_rank(left) == m - rank
        for k, d in enumerate(dropped):
            own = left[dropped, k]
            assert own[k] != 0.0 and np.count_nonzero(own) == 1, d
    keep = np.setdiff1d(np.arange(m), dropped)
    assert np.linalg.matrix_rank(J[keep], tol=1e-9) == rank


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("seed", range(6))
def test_blocks_agree_with_the_whole_matrix(seed: int, dimension: int) -> None:
    system, q = system_of(random_mechanism(seed, 14, 6, dimension))
    decider = Decider(system, system.joint_rows)
    J = decider.jacobian(q, 0.0)
    assert np.allclose(J.toarray(), system.scaled(system.jacobian(q, 0.0, 0, system.joint_rows)))
    found = decider.decide(J)
    check_dependencies(J.toarray(), found.rank, found.dropped, found.left.toarray())
    whole = Decider(system, system.joint_rows, relative=False)
    assert len(whole.blocks) <= len(decider.blocks)
    assert whole.decide(J).rank == found.rank


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("seed", range(6))
def test_elimination_agrees_with_singular_values(seed: int, dimension: int, monkeypatch: pytest.MonkeyPatch) -> None:
    system, q = system_of(random_mechanism(seed, 40, 18, dimension))
    decider = Decider(system, system.joint_rows)
    J = decider.jacobian(q, 0.0)
    dense = decider.decide(J)
    monkeypatch.setattr(rank_module, "DENSE_COLUMNS", 0)
    found = decider.decide(J)
    assert found.rank == dense.rank and found.unclear == 0.0
    check_dependencies(J.toarray(), found.rank, found.dropped, found.left.toarray())
    both = np.hstack([dense.left.toarray(), found.left.toarray()])
    assert np.linalg.matrix_rank(both, tol=1e-8) == len(dense.dropped), "the same dependencies"


@pytest.mark.parametrize("seed", range(8))
def test_both_ways_on_random_sparse_matrices(seed: int) -> None:
    random = np.random.default_rng(seed)
    widths = random.integers(1, 7, size=12).tolist()
    n = sum(widths)
    offsets = np.concatenate([[0], np.cumsum(widths)])
    A = np.zeros((n, n))
    for row in A:
        for v in random.choice(12, size=2, replace=False):
            row[offsets[v] : offsets[v + 1]] = random.normal(size=widths[v])
    A /= np.linalg.norm(A, axis=1)[:, None]
    A[5] = 0.5 * A[3] - 0.25 * A[4]
    A[9] = 0.0
    A[11] = A[10]
    priority = np.arange(n) / n
    for rank, circuits, unclear in (decide_dense(A, priority), decide_frontal(sparse.csr_array(A), widths, priority)):
        left = np.zeros((n, len(circuits)))
        for k, (_, rows, values) in enumerate(circuits):
            left[rows, k] = values / np.max(np.abs(values))
        assert unclear == 0.0
        check_dependencies(A, rank, [d for d, _, _ in circuits], left)
    assert 9 in [d for d, _, _ in circuits]


def test_later_and_less_basic_rows_are_dropped() -> None:
    m = Model("hinges")
    m.body("leaf")
    m.revolute("first", "ground", "leaf", at=(0, 0, 0))
    m.revolute("second", "ground", "leaf", at=(0, 0, 1))
    system, q = system_of(m)
    decider = Decider(system, system.joint_rows)
    names = [system.tables.rows[r].name for r in decider.decide(decider.jacobian(q, 0.0)).dropped]
    points = [name for name in names if "coincidence" in name]
    assert points == ["second: z-coincidence"] and len(names) == 5
    order = row_priority(system)
    assert order[3] > order[7], "an axis of the first joint goes before a point of the second"


def test_a_rank_that_is_not_clear_says_so() -> None:
    A = np.diag([1.0, 0.5, 3e-9])
    assert decide_dense(A, np.arange(3.0))[2] == pytest.approx(3e-9)
    assert decide_frontal(sparse.csr_array(A), [1, 1, 1], np.arange(3.0))[2] == pytest.approx(3e-9)
    assert decide_dense(np.diag([1.0, 1e-5]), np.arange(2.0))[0::2] == (2, 0.0)


def test_a_large_factor_in_a_coupler_does_not_hide_other_rows() -> None:
    m = Model("coupled", dimension=2)
    for k in range(3):
        m.body(f"b{k}")
        m.revolute(f"J{k}", "ground", f"b{k}", at=(float(k), 0.0))
    m.coupler("K", "1e12*(J0 - 2*J1)")
    m.coupler("L", "J1 - J2")
    m.coupler("M", "J0 - 2*J2")
    system, q = system_of(m)
    decider = Decider(system, system.joint_rows)
    found = decider.decide(decider.jacobian(q, 0.0))
    assert found.rank == 8
    assert [system.tables.rows[r].owner for r in found.dropped] == ["M"]


# --- blocks -----------------------------------------------------------------------------------------------------------
def test_biconnected_parts_against_removal_of_vertices() -> None:
    random = np.random.default_rng(0)
    for _ in range(30):
        n = 9
        edges = [(a, b) for a in range(n) for b in range(a + 1, n) if random.random() < 0.22]
        adjacent = neighbors(edges, n)
        parts = biconnected_parts(adjacent, n)
        listed = [tuple(sorted(edge)) for _, part in parts for edge in part]
        assert sorted(listed) == sorted(edges), "every edge is in one part"
        for root, part in parts:
            vertices = {v for edge in part for v in edge}
            assert root in vertices
            for gone in vertices if len(vertices) > 2 else ():
                assert _connected(vertices - {gone}, part)
        below = [v for root, part in parts for v in {v for edge in part for v in edge} - {root}]
        assert len(below) == len(set(below)), "a vertex is below the root in one part only"


def _connected(vertices: set[int], edges: list[tuple[int, int]]) -> bool:
    reached = {min(vertices)}
    for _ in vertices:
        reached |= {w for a, b in edges for v, w in ((a, b), (b, a)) if v in reached and w in vertices}
    return reached == vertices


def test_vertices_of_gears_and_contacts() -> None:
    m = Model("both", dimension=2)
    for name in ("arm", "wheel", "cam"):
        m.body(name)
    m.gear("G", "ground", "wheel", carrier="arm", teeth=(3, 2))
    m.cam("K", "cam", "wheel", profile="1 + 0.1*cos(phi)")
    system, _ = system_of(m)
    vertices = row_vertices(system)
    assert vertices[0] == (0, 1, 2)
    assert vertices[1] == vertices[2] == (2, 3, 4)


def test_a_deep_chain_needs_no_recursion() -> None:
    n = 5000
    parts = biconnected_parts(neighbors([(k, k + 1) for k in range(n)], n + 1), n + 1)
    assert len(parts) == n
    ring = biconnected_parts(neighbors([(k, (k + 1) % n) for k in range(n)], n), n)
    assert len(ring) == 1 and len(ring[0][1]) == n


# --- poses around -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("dimension", [2, 3])
def test_poses_around_satisfy_the_joints(dimension: int) -> None:
    system, q = system_of(random_mechanism(1, 10, 1, dimension))
    joints = Joints(system, 0.0, np.zeros(system.joint_rows))
    poses, back, lost = joints.neighbors(q, 4)
    assert len(poses) == 4 and back == lost == 0
    for pose in poses:
        assert joints.worst(pose) < 1e-10
        assert np.max(np.abs(pose - q)) > 1e-3


def test_sparse_singular_value_agrees_with_the_dense_one() -> None:
    random = np.random.default_rng(2)
    bands = [random.uniform(1, 2, 800), random.uniform(0, 1, 800)]
    J = sparse.csr_array(sparse.diags_array(bands, offsets=[0, 1], shape=(800, 803)))
    dense = float(np.linalg.svd(J.toarray(), compute_uv=False)[-1])
    assert singular_value(J, 800) == pytest.approx(dense, rel=1e-5)
    assert singular_value(J, 0) == 0.0


@pytest.mark.parametrize("seed", range(30))
def test_independent_rows_are_those_of_pivoted_qr(seed: int) -> None:
    random = np.random.default_rng(seed)
    m, n = random.integers(1, 9, size=2)
    J = random.normal(size=(m, n))
    if seed % 3 == 1:
        J[-1] = J[0] * (1.0 + 10.0 ** -random.integers(4, 14))  # a redundant row, or one that only almost is
        J[-1, 0] += 10.0 ** -random.integers(6, 12)
    if seed % 3 == 2:
        J *= 10.0 ** random.uniform(-5, 5, size=(m, 1))
    found = independent_rows(J)
    _, R, order = qr(J.T, mode="economic", pivoting=True)
    diagonal = np.abs(np.diag(R))
    expected = sorted(order[: np.sum(diagonal > 1e-9 * diagonal[0])])
    if found.tolist() != expected:  # two rows as good as each other: the earlier one
        ours, theirs = (np.linalg.svd(J[rows], compute_uv=False) for rows in (found, expected))
        assert ours == pytest.approx(theirs, rel=1e-3)
        assert found.tolist() < expected


@pytest.mark.parametrize("seed", range(12))
def test_rounding_does_not_choose_between_rows(seed: int) -> None:
    """Rows that are as long as each other come out of every processor's arithmetic in the same choice, the earlier ones."""
    random = np.random.default_rng(seed)
    Q = np.linalg.qr(random.normal(size=(9, 9)))[0]
    J = np.concatenate([Q[:5], Q[:3], (Q[3] + Q[4])[None, :] / math.sqrt(2.0)])[random.permutation(9)]
    first = independent_rows(J)
    assert len(first) == 5
    for _ in range(20):
        assert np.array_equal(independent_rows(J + 1e-14 * random.normal(size=J.shape)), first)
        turned = np.linalg.qr(random.normal(size=(9, 9)))[0]  # the same rows in other coordinates
        assert np.array_equal(independent_rows(J @ turned), first)


def test_no_rows_are_independent_where_there_are_none() -> None:
    assert len(independent_rows(np.zeros((0, 3)))) == 0
    assert len(independent_rows(np.zeros((2, 3)))) == 0


@pytest.mark.parametrize("small", [0.0, 1e-13, 0.4e-9, 0.9e-9, 1.1e-9, 1e-6, 1.0])
def test_rows_are_taken_as_by_singular_values(small: float) -> None:
    """Whether some rows are the independent ones is answered alike without singular values, near the limit too."""
    random = np.random.default_rng(3)
    J = random.normal(size=(6, 9))
    J[4] = J[0] - 2.0 * J[2] + small * random.normal(size=9)
    found = independent_rows(J)
    for rows in (found, np.arange(6), np.array([0, 1, 2, 3, 5]), np.array([1, 2, 3, 4, 5]), np.array([0, 1]), np.zeros(0)):
        assert takes_rows(J, rows.astype(np.int64)) == np.array_equal(found, rows)
