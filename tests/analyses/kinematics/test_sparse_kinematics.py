"""Large mechanisms: the sparse path finds what the dense one finds, on small models sent through it and on large ones."""

from __future__ import annotations

import math
import tracemalloc
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import multibody as mb
from multibody.analyses.kinematics.follower import Follower
from multibody.analyses.kinematics.solvers import DenseSolver, SparseSolver
from multibody.analyses.kinematics.square import Factors, Square
from multibody.rank import leastnorm
from multibody.state.system import Floats, System

L2, L3 = 0.15, 0.35


def slider_crank(motion: str, coordinate: str = "S", l2: float = L2, l3: float = L3, **guess: float) -> mb.Model:
    m = mb.Model("slider-crank", dimension=2)
    m.body("crank", com=(0.03, 0.01), frames={"A": (l2, 0)})
    m.body("rod", com=(0.1, -0.02), frames={"B": (l3, 0)})
    m.body("slider")
    m.revolute("O", "ground", "crank")
    m.revolute("A", "crank.A", "rod")
    m.revolute("B", "rod.B", "slider")
    m.translational("S", "ground", "slider", axis=(1, 0))
    m.motion(coordinate, motion)
    m.initial(guess=guess)
    return m


def over_dead_points() -> mb.Model:
    return slider_crank(f"{L2}*cos(t + 1) + sqrt({L3}^2 - {L2}^2*sin(t + 1)^2)", O=1.0)


def four_bar(l1: float, l2: float, l3: float, l4: float, dimension: int, motion: str, **guess: float) -> mb.Model:
    def place(x: float) -> tuple[float, ...]:
        return (x, 0.0, 0.0)[:dimension]

    m = mb.Model("four-bar", dimension=dimension)
    m.frames(C=place(l1))
    for body, point, length in (("crank", "A", l2), ("coupler", "B", l3), ("rocker", "B", l4)):
        m.body(body, frames={point: place(length)})
    m.revolute("O", "ground", "crank")
    m.revolute("A", "crank.A", "coupler")
    m.revolute("B", "coupler.B", "rocker.B")
    m.revolute("C", "ground.C", "rocker")
    m.motion("O", motion)
    m.initial(guess=guess)
    return m


def parallelogram(dimension: int = 2, motion: str = "0.5 + t") -> mb.Model:
    return four_bar(2.0, 1.0, 2.0, 1.0, dimension, motion, C=0.5, A=-0.5)


def inverted_slider() -> mb.Model:
    return mb.load("inverted-slider", l2=0.3, d=0.3)


def rssr(m: mb.Model, k: str = "", rate: float = 0.5, y: float = 0.0) -> mb.Model:
    """Add an RSSR linkage whose rod, which can spin, is too short for part of the turn."""
    m.frames(**{f"O{k}": (0, y, 0), f"C{k}": (3, y, 0)})
    m.body(f"crank{k}", frames={"A": (0, 1.5, 0)})
    m.body(f"rod{k}", com=(0.7, 0.1, 0.2), frames={"B": (2.3, 0, 0)})
    m.body(f"rocker{k}", frames={"B": (0, 1.2, 0)})
    m.revolute(f"J{k}", f"ground.O{k}", f"crank{k}", axis=(1, 0, 0))
    m.spherical(f"A{k}", f"crank{k}.A", f"rod{k}")
    m.spherical(f"B{k}", f"rod{k}.B", f"rocker{k}.B")
    m.revolute(f"R{k}", f"ground.C{k}", f"rocker{k}", axis=(0, 0, 1))
    m.motion(f"J{k}", f"0.2 + {rate}*t")
    return m


RSSR_LOCK = math.acos(math.sqrt(((9 + 1.44 + 2.25 - 2.3**2) ** 2 - 7.2**2) / 2.4**2) / 1.5) - 0.2  # of the crank's turn


def run(model: mb.Model, **options: Any) -> Any:
    """Return a run, without the warning that a stopped one gives."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return model.kinematics(**options)


def at(result: Any, path: str) -> Floats:
    return np.asarray(result[path].values)


@pytest.fixture
def both(monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[Any, Any]]:
    """Return a function that runs a model through the dense and through the sparse path."""
    used: list[type] = []
    plain = Follower.track

    def track(self: Follower, *arguments: Any) -> tuple[int, int]:
        used.append(type(self.solver))
        return plain(self, *arguments)

    monkeypatch.setattr(Follower, "track", track)

    def runs(make: Callable[[], mb.Model], **options: Any) -> tuple[Any, Any]:
        found = []
        for limit, solver in ((400, DenseSolver), (0, SparseSolver)):
            monkeypatch.setattr(leastnorm, "DENSE_LIMIT", limit)
            used.clear()
            found.append(run(make(), **options))
            assert set(used) == {solver}
        return found[0], found[1]

    return runs


def agree(dense: Any, sparse: Any, tolerance: float = 1e-8) -> None:
    """Assert that two runs are one: status, instants, all three levels, singular positions in time, kind and words."""
    assert sparse.ok == dense.ok
    assert np.array_equal(sparse.time, dense.time)
    for level in ("q", "v", "a"):
        one, two = getattr(dense.motion, level), getattr(sparse.motion, level)
        regular = dense.motion.sigma > 1e-4  # beside a singular position digits are lost on both paths
        assert np.max(np.abs(one - two)[regular], initial=0.0) < tolerance * max(1.0, float(np.max(np.abs(one[regular]))))
    assert [item.kind for item in sparse.singularities] == [item.kind for item in dense.singularities]
    assert [item.reason for item in sparse.singularities] == [item.reason for item in dense.singularities]
    times = [item.time for item in dense.singularities]
    assert [item.time for item in sparse.singularities] == pytest.approx(times, abs=1e-6)
    assert sparse.status.time_reached == pytest.approx(dense.status.time_reached, abs=1e-6)
    assert sparse.status.advice == dense.status.advice


# --- the same as the dense path --------------------------------------------------------------------------------------
CASES: dict[str, tuple[Callable[[], mb.Model], dict[str, Any]]] = {
    "slider over dead points": (over_dead_points, {"until": 12.0, "steps": 100}),
    "slider locks outside": (lambda: slider_crank("0.4 + 0.1*t", O=1.2), {"until": 2.5, "steps": 30}),
    "slider locks inside": (lambda: slider_crank("0.3 - 0.07*t^2", O=1.2), {"until": 2.5, "steps": 7}),
    "library slider locks": (lambda: mb.load("driven-slider", part=1.2), {"until": 0.04, "steps": 100}),
    "rod stands on the guide": (
        lambda: slider_crank("0.1 + 0.4*t", "O", 0.35, 0.2, S=0.55),
        {"until": 4.0, "steps": 40},
    ),
    "four-bar locks": (lambda: four_bar(3.0, 2.0, 1.2, 1.5, 2, "0.5 + 0.3*t", C=2.5), {"until": 10.0, "steps": 60}),
    "parallelogram": (parallelogram, {"until": 13.0, "steps": 40}),
    "parallelogram in space": (lambda: parallelogram(3), {"until": 13.0, "steps": 40}),
    "backwards": (parallelogram, {"start": 5.0, "until": -4.0, "steps": 50}),
    "inverted slider": (inverted_slider, {"until": 2.0, "steps": 77}),
    "shabana's four-bar": (lambda: mb.load("shabana-four-bar"), {"until": 2.0, "steps": 50}),
    "rssr": (lambda: mb.load("rssr"), {"until": 1.0, "steps": 100}),
    "rssr locks": (lambda: rssr(mb.Model("rssr")), {"until": 6.0, "steps": 50}),
    "six-bar": (lambda: mb.load("six-bar"), {"until": 1.0, "steps": 50}),
    "cam": (lambda: mb.load("cam-roller"), {"until": 0.3, "steps": 50}),
    "screw": (lambda: mb.load("screw-press"), {"until": 1.0, "steps": 20}),
    "double universal": (lambda: mb.load("double-universal"), {"until": 1.0, "steps": 30}),
    "a jump of the motion": (
        lambda: four_bar(0.35, 0.2, 0.35, 0.25, 2, "if(t < 1, 1.0, 1.3)", C=1.2),
        {"until": 2.0, "steps": 9},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_small_models_on_the_sparse_path(name: str, both: Callable[..., tuple[Any, Any]]) -> None:
    make, options = CASES[name]
    dense, sparse = both(make, **options)
    agree(dense, sparse)
    assert sparse.certificate["position_violation"] < 1e-10


@pytest.mark.parametrize("name", ["slider over dead points", "parallelogram", "inverted slider"])
def test_branch_labels_change_alike(name: str, both: Callable[..., tuple[Any, Any]]) -> None:
    make, options = CASES[name]
    dense, sparse = both(make, **options)
    assert len(dense.branches) == 1 + len(dense.singularities) > 1
    assert [label for _, label in sparse.branches] == [label for _, label in dense.branches]


@pytest.mark.parametrize("name", ["shabana's four-bar", "six-bar", "rod stands on the guide"])
def test_the_smallest_singular_value(name: str, both: Callable[..., tuple[Any, Any]]) -> None:
    make, options = CASES[name]
    _, sparse = both(make, **options)
    system = System(sparse.tables)
    for k, t in enumerate(sparse.time):
        J = system.scaled(system.jacobian(sparse.motion.q[k], float(t)))
        assert sparse.motion.sigma[k] == pytest.approx(np.linalg.svd(J, compute_uv=False)[-1], rel=0.05)
    assert sparse.certificate["smallest_singular_value"] == np.min(sparse.motion.sigma)


@pytest.mark.parametrize("before", [1, 3, 50])
@pytest.mark.parametrize("dimension", [2, 3])
def test_a_grid_point_on_a_change_point(before: int, dimension: int, both: Callable[..., tuple[Any, Any]]) -> None:
    grid = np.concatenate([np.linspace(0.0, math.pi - 0.5, before + 1), np.linspace(math.pi - 0.5, 5.0, 12)[1:]])
    dense, sparse = both(lambda: parallelogram(dimension), times=grid)
    agree(dense, sparse)
    assert np.max(np.abs(at(sparse, "C") - 0.5 - grid)) < 1e-7
    assert np.max(np.abs(at(sparse, "C.rate") - 1.0)) < 1e-6
    assert sparse.motion.sigma[before] == 0.0


@pytest.mark.parametrize("before", [3, 20])
def test_a_grid_point_on_a_dead_point(before: int, both: Callable[..., tuple[Any, Any]]) -> None:
    grid = np.concatenate([np.linspace(0.0, math.pi - 1.0, before + 1), np.linspace(math.pi - 1.0, 4.0, 12)[1:]])
    dense, sparse = both(over_dead_points, times=grid)
    agree(dense, sparse)
    assert np.max(np.abs(at(sparse, "O") - 1.0 - grid)) < 1e-6
    assert [item.kind for item in sparse.singularities] == ["passed"]


def test_the_inverted_slider_through_its_pivot(both: Callable[..., tuple[Any, Any]]) -> None:
    """Crank as long as the distance of the pivots: θ₃ = θ₂/2, and the block passes the rod's pivot at θ₂ = π."""
    _, sparse = both(inverted_slider, until=1.0, steps=31)
    theta = math.pi / 3 + 5 * sparse.time
    assert np.max(np.abs(at(sparse, "O3") - theta / 2)) < 1e-9
    assert np.max(np.abs(at(sparse, "S") - 0.6 * np.cos(theta / 2))) < 1e-9
    assert [item.time for item in sparse.singularities] == pytest.approx([2 * math.pi / 15], abs=1e-8)


def test_idle_freedom_is_held(both: Callable[..., tuple[Any, Any]]) -> None:
    """The rod moves with the cranks but does not spin about itself."""
    dense, sparse = both(lambda: rssr(mb.Model("rssr")), until=1.5, steps=20)
    agree(dense, sparse, 1e-9)
    axis = np.stack([at(sparse, f"rod.B.{c}") - at(sparse, f"rod.origin.{c}") for c in "xyz"], -1)
    omega = np.stack([at(sparse, f"rod.omega.{c}") for c in "xyz"], -1)
    assert np.max(np.abs(omega)) > 0.01
    assert np.max(np.abs(np.einsum("ti,ti->t", axis, omega))) < 1e-10
    assert sparse.motion.sigma == pytest.approx(dense.motion.sigma, rel=0.02)


def test_errors_of_the_drive_are_those_of_small_models(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leastnorm, "DENSE_LIMIT", 0)
    m = four_bar(0.35, 0.2, 0.35, 0.25, 2, "1.1 + t", C=1.2)
    m.motion("C", "1.2 + 0.1*t")
    with pytest.raises(mb.ModelError, match="1 degree of freedom, 2 motions") as caught:
        m.kinematics(until=1.0)
    assert caught.value.where in ("motions.C", "motions.O")
    m = four_bar(0.35, 0.2, 0.35, 0.25, 2, "1.1 + t", C=1.2)
    m.motions.clear()
    with pytest.raises(mb.ModelError, match="1 motion is missing") as caught:
        m.kinematics(until=1.0)
    assert all(joint in caught.value.hint for joint in ("O", "A", "B", "C"))


# --- what comes up in a solver ---------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", [KeyboardInterrupt, MemoryError])
@pytest.mark.parametrize(
    "place", [(Square, "factored"), (Factors, "pivot_ratio"), (Factors, "solve_scaled"), (Factors, "smallest")]
)
def test_what_a_solver_raises(kind: type[BaseException], place: tuple[type, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """No exception is lost in the compiled loop; an interrupt keeps what was computed."""
    monkeypatch.setattr(leastnorm, "DENSE_LIMIT", 0)
    plain, calls = getattr(*place), [0]

    def failing(*given: Any) -> Any:
        calls[0] += 1
        if calls[0] == 40:
            raise kind
        return plain(*given)

    whole = run(parallelogram(), until=13.0, steps=40)
    monkeypatch.setattr(*place, failing)
    if kind is MemoryError:
        with pytest.raises(MemoryError):
            run(parallelogram(), until=13.0, steps=40)
        return
    result = run(parallelogram(), until=13.0, steps=40)
    assert result.status.message.startswith("interrupted at t = ")
    assert np.array_equal(result.motion.q, whole.motion.q[: len(result.time)])
    assert np.array_equal(result.motion.v, whole.motion.v[: len(result.time)])


# --- many groups at once ---------------------------------------------------------------------------------------------
def ladder(n: int, motion: str) -> mb.Model:
    """Return n parallelograms side by side, all flat at the same time."""
    m = mb.load("iftomm-n-four-bar", n=n, drive=True)
    m.motions.clear()
    m.motion("A0", motion)
    return m


@pytest.mark.parametrize("n", [2, 3, 4])
def test_groups_that_pass_together(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """An even number of determinants changes sign unseen in their product, not block by block."""
    monkeypatch.setattr(leastnorm, "DENSE_LIMIT", 0)
    result = run(ladder(n, "pi/2 + t"), until=4.0, steps=17)
    assert result.ok
    (item,) = result.singularities
    assert item.kind == "passed" and item.time == pytest.approx(math.pi / 2, abs=1e-8)
    others = f"{n - 1} more group" + ("s" if n > 2 else "")
    assert item.reason.endswith(f"A1, C1 and B0 are in line, and so it is in {others}")
    assert [len(set(label)) for _, label in result.branches] == [1, 1]
    assert result.branches[0][1] != result.branches[1][1]


def test_groups_that_pass_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two singular positions within one step are told apart."""
    monkeypatch.setattr(leastnorm, "DENSE_LIMIT", 0)
    m = mb.Model("pair", dimension=2)
    for k, phase in enumerate((0.5, 0.5002)):
        m.frames(**{f"O{k}": (0, 3 * k), f"C{k}": (2, 3 * k)})
        m.body(f"crank{k}", frames={"A": (1, 0)})
        m.body(f"coupler{k}", frames={"B": (2, 0)})
        m.body(f"rocker{k}", frames={"B": (1, 0)})
        m.revolute(f"O_{k}", f"ground.O{k}", f"crank{k}")
        m.revolute(f"A_{k}", f"crank{k}.A", f"coupler{k}")
        m.revolute(f"B_{k}", f"coupler{k}.B", f"rocker{k}.B")
        m.revolute(f"C_{k}", f"ground.C{k}", f"rocker{k}")
        m.motion(f"O_{k}", f"{phase} + t")
    m.initial(guess={f"{name}_{k}": value for k in (0, 1) for name, value in (("C", 0.5), ("A", -0.5))})
    result = run(m, until=5.0, steps=20)
    assert [item.time for item in result.singularities] == pytest.approx([math.pi - 0.5002, math.pi - 0.5], abs=1e-7)
    assert result.singularities[0].reason.startswith("coupler1 and rocker1 could move")
    assert result.singularities[1].reason.startswith("coupler0 and rocker0 could move")


# --- truly large -----------------------------------------------------------------------------------------------------
def test_a_ladder_through_the_flat_position() -> None:
    result = run(ladder(150, "pi/2 + t"), until=4.0, steps=17)
    assert result.ok and result.motion.v.shape[1] == 903
    for k in range(0, 151, 30):
        assert np.max(np.abs(at(result, f"A{k}") - math.pi / 2 - result.time)) < 1e-9
        assert np.max(np.abs(at(result, f"A{k}.rate") - 1.0)) < 1e-7
    (item,) = result.singularities
    assert (item.kind, item.time) == ("passed", pytest.approx(math.pi / 2, abs=1e-6))
    assert "A1, C1 and B0 are in line, and so it is in 149 more groups" in item.reason
    (_, before), (time, after) = result.branches
    assert time == item.time and len(before) == 150 and set(before) != set(after)
    assert 0.0 < result.certificate["smallest_singular_value"] < 0.01


def test_a_ladder_with_a_grid_point_on_the_flat_position() -> None:
    grid = np.concatenate([np.linspace(0.0, math.pi / 2, 9), np.linspace(math.pi / 2, 3.0, 7)[1:]])
    result = run(ladder(150, "pi/2 + t"), times=grid)
    assert result.ok
    for k in (1, 75, 150):
        assert np.max(np.abs(at(result, f"A{k}") - math.pi / 2 - grid)) < 1e-7
        assert np.max(np.abs(at(result, f"A{k}.rate") - 1.0)) < 1e-6
    assert [(item.kind, item.time) for item in result.singularities] == [("passed", math.pi / 2)]


def test_many_linkages_with_idle_rods() -> None:
    """Sixty RSSR linkages in one model move as one alone, and no rod spins."""
    m = mb.Model("array")
    for k in range(60):
        rssr(m, str(k), y=5.0 * k)
    result = run(m, until=1.5, steps=20)
    alone = run(rssr(mb.Model("one")), until=1.5, steps=20)
    assert result.ok and alone.ok and result.motion.v.shape[1] == 1080
    for k in (0, 31, 59):
        for path in ("R{}", "R{}.rate", "R{}.acceleration", "rod{}.x", "rod{}.omega.x", "rod{}.z.acceleration"):
            assert at(result, path.format(k)) == pytest.approx(at(alone, path.format("")), abs=1e-8)
        axis = np.stack([at(result, f"rod{k}.B.{c}") - at(result, f"rod{k}.origin.{c}") for c in "xyz"], -1)
        omega = np.stack([at(result, f"rod{k}.omega.{c}") for c in "xyz"], -1)
        assert np.max(np.abs(np.einsum("ti,ti->t", axis, omega))) < 1e-9


def test_one_of_many_linkages_locks() -> None:
    m = mb.Model("array")
    for k in range(60):
        rssr(m, str(k), rate=0.6 if k == 7 else 0.5, y=5.0 * k)
    result = run(m, until=6.0, steps=50)
    assert not result.ok
    assert result.status.time_reached == pytest.approx(RSSR_LOCK / 0.6, abs=1e-8)
    assert result.singularities[-1].kind == "lock-up"
    assert result.singularities[-1].reason == "rod7 and rocker7 could move with all motions held"
    assert result.singularities[-1].reason in result.status.message
    assert len(result.time) == int(np.sum(np.linspace(0.0, 6.0, 51) < RSSR_LOCK / 0.6))


def test_a_large_spatial_ladder_with_redundant_rows() -> None:
    """Sixty parallelograms in space, three redundant equations each: what is singular is the mechanism, not the choice."""
    m = mb.Model("ladder")
    c, s = math.cos(0.7), math.sin(0.7)
    for k in range(61):
        m.body(f"v{k}")
        m.revolute(f"G{k}", "ground", f"v{k}", at=(k, 0, 0))
    for k in range(1, 61):
        m.body(f"h{k}")
        m.revolute(f"L{k}", f"v{k - 1}", f"h{k}", at=(k - 1 + c, s, 0))
        m.revolute(f"R{k}", f"h{k}", f"v{k}", at=(k + c, s, 0))
    m.motion("G0", "t")
    result = run(m, until=3.3, steps=19)
    assert result.ok
    assert np.max(np.abs(at(result, "G60") - result.time)) < 1e-8
    assert [item.time for item in result.singularities] == pytest.approx([math.pi - 0.7], abs=1e-6)
    assert result.certificate["position_violation"] < 1e-12


def test_large_models_name_surplus_and_missing_motions() -> None:
    m = ladder(150, "pi/2 + t")
    m.motion("A70", "pi/2 + t")
    with pytest.raises(mb.ModelError, match="1 degree of freedom, 2 motions") as caught:
        m.kinematics(until=1.0)
    assert caught.value.where in ("motions.A0", "motions.A70")
    m = ladder(150, "pi/2 + t")
    m.motions.clear()
    with pytest.raises(mb.ModelError, match="1 motion is missing") as caught:
        m.kinematics(until=1.0)
    assert "A0" in caught.value.hint


def test_memory_grows_like_the_model() -> None:
    peaks = []
    for n in (150, 600):
        m = mb.load("iftomm-n-four-bar", n=n, drive=True)
        m.kinematics(until=0.1, steps=2)  # tables are lowered once
        tracemalloc.start()
        m.kinematics(until=0.5, steps=20)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 4.8 * peaks[0]
    assert peaks[1] < 0.5 * 8 * 3603**2  # not even half a dense matrix
