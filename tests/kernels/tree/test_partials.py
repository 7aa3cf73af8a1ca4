"""Derivatives of the equations of motion in joint coordinates, against differences of eighth order and closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import multibody as mb
from across.properties.strategies import examples, seeds
from analyses.dynamics.random_models import Heavy
from analyses.dynamics.test_random_models import heavies
from formulations.relative.test_joint_kinds_relative import EDGES, OTHERS, RELATIONS, chain
from kernels.force_cases import CASES, ForceCase
from kernels.tree.joint_bench import Bench, Floats, Point, partials_spatial
from multibody.formulations.pattern import Pattern
from multibody.formulations.prepare_newton import block_pattern
from multibody.kernels.arrays import Arrays
from multibody.library import names

TOLERANCE = 1e-9
FORCES = (
    "damper", "spring-law", "effort-law", "effort-contact", "load-ground-law", "load-body-law", "bushing-damped",
    "bushing-matrix-damped", "friction-stribeck", "friction-load",
)  # fmt: skip


def errors(bench: Bench, seed: int = 0, far: float = 0.3) -> dict[str, float]:
    """Return the errors of all derivatives at a random point, free of units, over their largest number.

    Where they all but vanish, over a hundredth of what they are derivatives of: differences are no better.
    """
    p, L = bench.point(seed, far), bench.space.rate_scales
    found, expected = bench.partials(p), bench.expected(p)
    force = float(np.max(np.abs(L * bench.residual(p)), initial=0.0))
    floor = {"H": 0.0, "C": 1e-2 * force, "K": 1e-2 * force, "J": 0.0, "V": 0.0}
    floor["V"] = 1e-2 * float(np.max(np.abs(expected["J"] * L), initial=0.0))
    out = {}
    for key, matrix in expected.items():
        rows = L[:, None] if key in "HCK" else 1.0
        size = max(float(np.max(np.abs(rows * matrix * L), initial=0.0)), floor[key])
        out[key] = float(np.max(np.abs(rows * (found[key] - matrix) * L), initial=0.0)) / size if size else 0.0
    return out


def check(bench: Bench, seed: int = 0, far: float = 0.3) -> None:
    """Assert that all derivatives are exact."""
    found = errors(bench, seed, far)
    assert max(found.values()) < TOLERANCE, found


# --- against differences ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", names())
def test_library(name: str) -> None:
    check(Bench(mb.load(name)))


@pytest.mark.parametrize("backward", [False, True], ids=["forward", "backward"])
@pytest.mark.parametrize(("kind", "d"), EDGES)
def test_pairs_with_forces_in_the_tree(kind: str, d: int, backward: bool) -> None:
    check(Bench(chain(kind, d, backward)))


@pytest.mark.parametrize(("kind", "d"), [*EDGES, *OTHERS])
def test_pairs_with_forces_cut(kind: str, d: int) -> None:
    cut = ["J"] if (kind, d) in EDGES and kind != "free" else None
    check(Bench(chain(kind, d, False), cut=cut))


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("name", RELATIONS)
def test_relations_between_coordinates(name: str, d: int) -> None:
    check(Bench(RELATIONS[name](d)), far=0.1)


@pytest.mark.parametrize("case", [c for c in CASES if c.name in FORCES], ids=lambda case: f"{case.name}-{case.dimension}d")
def test_forces(case: ForceCase) -> None:
    """Forces on floating bodies, most of them by the motion of others and of an extra coordinate."""
    check(Bench(case.world().model))


@pytest.mark.parametrize("d", [2, 3])
def test_driven_joints(d: int) -> None:
    """Prescribed columns are no unknowns, but their rates and accelerations turn what they carry."""
    model = chain("translational" if d == 2 else "cylindrical", d, False)
    model.motion("J.position", "0.2*sin(3*t) + 0.5*t^2")
    bench = Bench(model)
    assert len(bench.tree.model.given) == 1
    check(bench)


@examples(12)
@given(st.sampled_from([2, 3]).flatmap(heavies), seeds)
def test_random_mechanisms(heavy: Heavy, seed: int) -> None:
    model = heavy.model()
    state = model.assemble()
    assume(state.ok)
    bench = Bench(model, state)
    assume(bench.n > 0)
    check(bench, seed)


def test_matrices_by_blocks() -> None:
    """Blocks of a pattern and full matrices are read alike."""
    bench = Bench(RELATIONS["cam-roller"](3))
    p, w, bodies = bench.point(1, 0.1), bench.w, len(bench.tables.bodies) - 1
    expected = bench.partials(p)
    bench.place(p)
    full = [matrix.reshape(bench.nv, bench.nv) for matrix in bench.blocks(p)[:2]]
    nodes = [range(w * b, w * (b + 1)) for b in range(bodies)] + [range(c, c + 1) for c in range(w * bodies, bench.nv)]
    meetings: list[list[int]] = []
    parts: list[list[Floats]] = [[], []]
    for k, rows in enumerate(nodes):
        meetings.append([])
        for l in sorted(range(len(nodes)), key=lambda l, k=k: (l != k, l)):  # type: ignore[misc]
            found = [matrix[rows.start : rows.stop, nodes[l].start : nodes[l].stop] for matrix in full]
            if l == k or any(block.any() for block in found):
                meetings[-1].append(l)
                for part, block in zip(parts, found, strict=True):
                    part.append(block.ravel())
    K, D = (np.concatenate(part) for part in parts)
    assert len(K) < bench.nv**2
    pattern = block_pattern(Pattern(nodes, meetings, []))
    arrays = Arrays(bench.arrays.model.sharing(pattern=pattern), bench.arrays.state, bench.arrays.scratch)
    made = {key: np.full((bench.n, bench.n), np.nan) for key in "HCK"}
    partials_spatial(*arrays.still, p.u, p.a, bench.loads(p), K, D, *(x.reshape(-1) for x in made.values()))
    for key in "HCK":
        assert np.array_equal(made[key], expected[key])


# --- closed forms ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("seed", range(3))
def test_pendulum(seed: int) -> None:
    """Lee, Sohn, Kim, Yoo (2001), eq. (23)."""
    bench = Bench(mb.load("pendulum", m=1.3, l=0.7))
    p = bench.point(seed)
    found = bench.partials(p)
    assert found["H"][0, 0] == pytest.approx(1.3 * 0.7**2 / 3, rel=1e-14)
    assert found["K"][0, 0] == pytest.approx(-0.5 * 1.3 * 9.81 * 0.7 * np.sin(p.q[0]), rel=1e-13)
    assert abs(found["C"][0, 0]) < 1e-14


def four_bar(p: Point) -> dict[str, Floats]:
    """Return H, C, K of the tilted four-bar, θ₂, θ₃₁, θ₃₂, θ₄: Lee, Sohn, Kim, Yoo (2001), appendix B, without its errors.

    Those are misprints (F13, F15, F17, F26, F27, F31, F35, F36, F37, F48), and the change of the coupler's inertia about z with
    θ₃₂, which it leaves out. Their λ belongs to the gap from follower to coupler, ours to that from coupler to follower.
    """
    l2, l3, l4, m2, m3, m4, g = 0.4, 1.0, 0.8, 1.0, 2.0, 1.5, 9.81
    across, axial = m3 * l3**2 / 12, 0.002
    (s2, s31, s32, s4), (c2, c31, c32, c4) = np.sin(p.q), np.cos(p.q)
    s23, c23 = np.sin(p.q[0] + p.q[1]), np.cos(p.q[0] + p.q[1])
    (u2, u31, u32, _), (a2, a31, a32, _), (f1, f2, f3) = p.u, p.a, -p.multipliers
    w, half, sin2, cos2 = u2 + u31, m3 * l2 * l3 / 2, 2 * s32 * c32, c32**2 - s32**2
    about = axial * s32**2 + (across + m3 * l3**2 / 4) * c32**2  # inertia of the coupler about z
    D = axial - across - m3 * l3**2 / 4  # it changes by D sin 2θ₃₂
    H = np.diag([m2 * l2**2 / 3 + m3 * l2**2 + 2 * half * c31 * c32 + about, about, across + m3 * l3**2 / 4, m4 * l4**2 / 3])
    H[0, 1] = H[1, 0] = half * c31 * c32 + about
    H[0, 2] = H[2, 0] = -half * s31 * s32
    C, K = np.zeros((2, 4, 4))
    C[0] = [
        -2 * half * (u31 * s31 * c32 + u32 * c31 * s32) + D * u32 * sin2,
        -2 * half * (w * s31 * c32 + u32 * c31 * s32) + D * u32 * sin2,
        -2 * half * (w * c31 * s32 + u32 * s31 * c32) + D * w * sin2, 0.0,
    ]  # fmt: skip
    C[1] = [2 * half * u2 * s31 * c32 + D * u32 * sin2, D * u32 * sin2, D * w * sin2, 0.0]
    C[2] = [2 * half * u2 * c31 * s32 - D * w * sin2, -D * w * sin2, 0.0, 0.0]
    flat = -c32 * (m3 * g * l3 / 2 * s23 + l3 * (f1 * c23 + f2 * s23))
    steep = s32 * (-m3 * g * l3 / 2 * c23 + l3 * (f1 * s23 - f2 * c23))
    spun = D * ((a2 + a31) * sin2 + 2 * w * u32 * cos2)
    K[0, 0] = -g * l2 * (m2 / 2 + m3) * s2 - l2 * (f1 * c2 + f2 * s2) + flat
    K[0, 1] = flat + half * (
        -(2 * a2 + a31) * s31 * c32 - a32 * c31 * s32 - (2 * u2 * u31 + u31**2 + u32**2) * c31 * c32 + 2 * w * u32 * s31 * s32
    )
    K[0, 2] = spun + steep + half * (
        -(2 * a2 + a31) * c31 * s32 - a32 * s31 * c32 + (2 * u2 * u31 + u31**2 + u32**2) * s31 * s32 - 2 * w * u32 * c31 * c32
    )  # fmt: skip
    K[1, :3] = flat, flat + half * c32 * (u2**2 * c31 - a2 * s31), spun + steep - half * s32 * (a2 * c31 + u2**2 * s31)
    K[2, :2] = steep, steep - half * s32 * (a2 * c31 + u2**2 * s31)
    K[2, 2] = flat + l3 * f3 * s32 - D * w**2 * cos2 + half * c32 * (u2**2 * c31 - a2 * s31)
    K[3, 3] = -m4 * g * l4 / 2 * s4 + l4 * (f1 * c4 + f2 * s4)
    return {"H": H, "C": C, "K": K}


@pytest.mark.parametrize("seed", range(3))
def test_tilted_four_bar(seed: int) -> None:
    bench = Bench(mb.load("tilted-four-bar"))
    p = bench.point(seed, 0.8)
    found = bench.partials(p)
    assert [column.name for column in bench.space.columns.columns] == ["O2.angle", "A.angle1", "A.angle2", "O4.angle"]
    for key, matrix in four_bar(p).items():
        assert np.max(np.abs(found[key] - matrix)) < 1e-13 * np.max(np.abs(matrix)), key
