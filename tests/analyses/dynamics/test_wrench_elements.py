"""Forces and moments between two frames, computed together: coupled bushings against closed forms and each other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.linalg import eigh

import multibody as mb
from analyses.dynamics.checks import FORMULATIONS, difference, tight
from formulations.relative.agreement import METHODS, exact, worst
from other_units import SYSTEMS, in_units

Floats = npt.NDArray[np.float64]
dimensions = pytest.mark.parametrize("dimension", [2, 3])


def definite(count: int, scale: float, seed: int) -> Floats:
    """Return a positive definite matrix with couplings of the size of its diagonal."""
    half = np.random.default_rng(seed).normal(size=(count, count))
    return np.asarray(scale * (half @ half.T / count + 0.5 * np.eye(count)))


def lump(dimension: int, **fields: Any) -> mb.Model:
    """Return a body in general position that a coupled bushing holds to the ground, moving."""
    planar = dimension == 2
    m = mb.Model("lump", dimension=dimension)
    count = 3 if planar else 6
    place: Any = {"at": (0.3, -0.2), "angle": 0.5} if planar else {"at": (0.3, -0.2, 0.1), "rpy": (0.4, -0.3, 0.7)}
    m.frames(seat=place)
    own: Any = {"at": (0.1, 0.05), "angle": 0.2} if planar else {"at": (0.1, 0.05, -0.08), "rpy": (-0.2, 0.1, 0.3)}
    inertia: Any = 0.3 if planar else (0.3, 0.4, 0.5)
    m.body("lump", mass=1.3, inertia=inertia, com=(0.02, 0.06, -0.03)[:dimension], frames={"foot": own})
    given: dict[str, Any] = {"stiffness": definite(count, 20.0, 1), "preload": np.linspace(-0.6, 0.8, count)} | fields
    m.bushing("B", "ground.seat", "lump.foot", **given)
    spin: Any = {"lump.angle.rate": 9.0} if planar else {"lump.omega.x": 2.0, "lump.omega.y": -1.0, "lump.omega.z": 1.5}
    m.initial({"lump.x.rate": 1.0, **spin})
    return m


def chain(dimension: int) -> mb.Model:
    """Return a pendulum of three bodies, two of them welded together, with coupled bushings that damp and load it."""
    planar, d = dimension == 2, dimension
    m = mb.Model("chain", dimension=d, gravity=(0, -9.81, 0)[:d])
    inertia: Any = 0.05 if planar else ((0.05, 0.01, 0.0), (0.01, 0.07, 0.01), (0.0, 0.01, 0.06))
    turned: Any = {"angle": 0.6} if planar else {"rpy": (0.5, -0.4, 0.8)}
    m.frames(wall={"at": (0.4, 0.2, 0.1)[:d], **turned})
    for body in ("a", "b", "c"):
        frames: Any = {"tip": (0.5, 0.0, 0.0)[:d], "side": {"at": (0.3, 0.1, 0.05)[:d], **turned}}
        m.body(body, mass=1.0, inertia=inertia, com=(0.25, 0.02, 0.01)[:d], frames=frames)
    axis: Any = {} if planar else {"axis": (0.1, 0.2, 1.0)}
    m.revolute("A", "ground", "a", **axis)
    m.revolute("B", "a.tip", "b", **axis)
    m.fixed("W", "b.side", "c")
    count = 3 if planar else 6
    m.parameter("k", 1.0)
    first: Any = definite(count, 15.0, 4).tolist()
    first[0][1] = first[1][0] = "k*1.5"
    m.bushing("F", "ground.wall", "c.side", stiffness=first, damping=definite(count, 0.6, 5))
    m.bushing("G", "a.side", "b.side", stiffness=definite(count, 8.0, 6), preload=np.linspace(0.5, -1.0, count))
    m.initial({"A": -0.4, "B": 0.3, "A.rate": 1.0})
    return m


# --- energy -----------------------------------------------------------------------------------------------------------
@dimensions
def test_energy_is_conserved_at_large_rotations(dimension: int) -> None:
    run = tight(lump(dimension), 4.0)
    total = run["energy.total"].values
    assert np.ptp(total) < 1e-9 * np.ptp(run["energy.kinetic"].values)
    assert not np.any(run["energy.work"].values)
    turned = run["lump.angle"].values if dimension == 2 else 2.0 * np.arccos(np.abs(run["lump.rotation"].values[:, 0]))
    assert np.ptp(turned) > 1.0


def test_energy_is_conserved_over_many_turns_about_the_third_axis() -> None:
    """A shaft in a soft bushing: two planes of bending are coupled, and it turns on for as long as it likes."""
    K = np.diag([50.0, 50.0, 80.0, 6.0, 7.0, 0.0])
    K[0, 4], K[4, 0], K[1, 3], K[3, 1] = 5.0, 5.0, -4.0, -4.0
    K[5, 5], K[2, 5], K[5, 2] = 0.02, 0.3, 0.3  # it winds up along its axis
    m = mb.Model("shaft")
    m.body("shaft", mass=1.0, inertia=(0.2, 0.25, 0.1), com=(0.01, 0.0, 0.1))
    m.bushing("B", "ground", "shaft", stiffness=K)
    m.initial({"shaft.omega.x": 0.4, "shaft.omega.z": 12.0})
    run = tight(m, 3.0, formulation="augmented")
    stored = run["energy.potential"].values
    assert np.max(stored) > 0.5 * 0.01 * (2 * np.pi * 3) ** 2  # more than three turns are counted
    assert np.ptp(run["energy.total"].values) < 1e-9 * np.max(stored)


@dimensions
def test_damping_takes_what_it_says(dimension: int) -> None:
    count = 3 if dimension == 2 else 6
    run = tight(lump(dimension, damping=definite(count, 0.4, 3)), 2.0)
    work = run["energy.work"].values
    assert run["energy.total"].values - run["energy.total"].values[0] == pytest.approx(work, abs=1e-9)
    assert np.all(np.diff(work) < 0.0) and work[-1] < -0.5


# --- the same forces written in another way ---------------------------------------------------------------------------
@dimensions
def test_a_diagonal_matrix_is_the_bushing_of_uncoupled_directions(dimension: int) -> None:
    count = 3 if dimension == 2 else 6
    k, c = np.linspace(8.0, 30.0, count), np.linspace(0.1, 0.6, count)
    list_of, full = (lump(dimension, stiffness=x, damping=y, preload=None) for x, y in ((k, c), (np.diag(k), np.diag(c))))
    one, two = tight(list_of, 2.0), tight(full, 2.0)
    axes = "xyz"[:dimension]
    assert difference(two, one, *(f"lump.{axis}" for axis in axes), "energy.potential", "energy.work") < 1e-9
    assert difference(two, one, *(f"B.force.{axis}" for axis in axes)) < 1e-8
    assert np.max(np.abs(two["B.moment"].values - one["B.moment"].values)) < 1e-8


@dimensions
@pytest.mark.parametrize("units", ["mm-g", "km-t", "mm-g-ms"])
def test_other_units(dimension: int, units: str) -> None:
    to, model = SYSTEMS[units], chain(dimension)
    reference, run = tight(model, 0.8), tight(in_units(model, to), 0.8 * to.time)
    for path, unit in {"c.x": to.of(1), "B": 1.0, "F.force.y": to.of(1, 1, -2), "energy.potential": to.of(2, 1, -2)}.items():
        expected = reference.at(0.8)[path]
        assert run.at(0.8 * to.time)[path] == pytest.approx(unit * expected, rel=1e-8), path


@dimensions
def test_reversed_ends_are_the_same_in_small_motions(dimension: int) -> None:
    """Where the frames coincide, e changes its sign and K stays, whichever end is measured."""

    def mounted(first: str, second: str) -> Floats:
        m = mb.Model("mount", dimension=dimension)
        turned: Any = {"angle": 0.4} if dimension == 2 else {"rpy": (0.4, 0.2, -0.9)}
        m.frames(seat={"at": (0.2, 0.1, -0.3)[:dimension], **turned})
        frames: Any = {"foot": {"at": (0.2, 0.1, -0.3)[:dimension], **turned}}
        m.body("b", mass=2.0, inertia=0.2 if dimension == 2 else (0.2, 0.3, 0.4), frames=frames)
        m.bushing("B", first, second, stiffness=definite(3 * (dimension - 1), 40.0, 7))
        return m.modes().frequencies

    there, back = mounted("ground.seat", "b.foot"), mounted("b.foot", "ground.seat")
    assert len(there) == 3 * (dimension - 1) and there == pytest.approx(back, rel=1e-9)


# --- formulations and integrators -------------------------------------------------------------------------------------
@dimensions
def test_formulations_agree_in_everything(dimension: int) -> None:
    reference = exact(chain(dimension), 0.6)
    others: dict[str, Any] = {name: name for name in FORMULATIONS[1:]} | METHODS | {"parametric": "parametric"}
    for name, formulation in others.items():
        loose = 1e-6 if name == "baumgarte" else 2e-8
        assert worst(exact(chain(dimension), 0.6, formulation), reference) < loose, name


@dimensions
@pytest.mark.parametrize("integrator", ["bdf", "radau", "alpha"])
def test_implicit_methods_have_the_derivatives(dimension: int, integrator: str) -> None:
    model = chain(dimension)
    reference = tight(model, 0.4, output_step=0.1)
    options: dict[str, Any] = {"step": 2e-4} if integrator == "alpha" else {"rtol": 1e-8, "atol": 1e-9}
    for formulation in ("augmented", "recursive", "parametric"):
        run = model.run(0.4, formulation=formulation, integrator=integrator, output_step=0.1, **options)
        assert run.ok, run.status.message
        assert difference(run, reference, "c.x", "c.y", "B") < (2e-6 if integrator == "alpha" else 1e-6), formulation


# --- closed forms -----------------------------------------------------------------------------------------------------
@dimensions
@pytest.mark.parametrize("scale", [1.0, 1e3])
def test_the_end_of_a_cantilever(dimension: int, scale: float) -> None:
    """Euler–Bernoulli: the tip of a beam goes down by F l³/3EI and turns by F l²/2EI; `scale` is the unit of length."""
    length, EI, EA, force = 0.8 * scale, 300.0 * scale**3, 1e6 * scale, -20.0 * scale
    bend, mixed, turn = 12 * EI / length**3, -6 * EI / length**2, 4 * EI / length
    m = mb.Model("cantilever", dimension=dimension)
    if dimension == 2:
        K = np.diag([EA / length, bend, turn])
        K[1, 2] = K[2, 1] = mixed
    else:
        K = np.diag([EA / length, bend, 2 * bend, 100.0 * scale**2, 2 * turn, turn])
        K[1, 5] = K[5, 1] = mixed
        K[2, 4] = K[4, 2] = -2 * mixed
    tip = (length, 0, 0)[:dimension]
    m.frames(tip=tip)
    m.body("tip", mass=1.0, inertia=1.0 if dimension == 2 else (1, 1, 1), at=tip)
    m.bushing("beam", "ground.tip", "tip", stiffness=K)
    m.force("F", "tip", value=(0, force, 0)[:dimension])
    rest = m.statics()
    assert rest.ok
    down, slope = force * length**3 / (3 * EI), force * length**2 / (2 * EI)
    assert rest["tip.y"] == pytest.approx(down, rel=1e-9)
    told = rest["tip.angle"] if dimension == 2 else 2.0 * np.arctan2(rest["tip.rotation"][3], rest["tip.rotation"][0])
    assert told == pytest.approx(slope, rel=1e-9)
    assert rest["energy.potential"] == pytest.approx(0.5 * force * down, rel=1e-9)
    assert rest["beam.force.y"] == pytest.approx(-force, rel=1e-9)


@dimensions
def test_modes_of_a_coupled_mount(dimension: int) -> None:
    count, K = 3 * (dimension - 1), definite(3 * (dimension - 1), 50.0, 11)
    m = mb.Model("mount", dimension=dimension)
    inertia: Any = 0.2 if dimension == 2 else (0.2, 0.3, 0.4)
    m.body("b", mass=2.0, inertia=inertia)
    m.bushing("B", "ground", "b", stiffness=K)
    M = np.diag([2.0] * dimension + list(np.atleast_1d(inertia)))
    expected = np.sqrt(eigh(K, M, eigvals_only=True)) / (2 * np.pi)
    found = m.modes().frequencies
    assert len(found) == count and found == pytest.approx(expected, rel=1e-9)


def driven() -> mb.Model:
    """Return a lever whose angle is prescribed, in a bushing at its tip."""
    m = mb.Model("lever", dimension=2)
    m.frames(tip=(0.5, 0.0))
    m.body("lever", mass=2.0, inertia=0.3, frames={"tip": (0.5, 0.0)})
    m.revolute("O", "ground", "lever")
    m.bushing("B", "ground.tip", "lever.tip", stiffness=definite(3, 30.0, 8), damping=definite(3, 2.0, 9), preload=(1, -2, 0.7))
    m.motion("O", "0.9*sin(2*t)")
    return m


@pytest.mark.parametrize("formulation", [None, "recursive", "articulated"])
def test_the_effort_that_a_motion_needs(formulation: str | None) -> None:
    K, C, p = definite(3, 30.0, 8), definite(3, 2.0, 9), np.array([1, -2, 0.7])
    found = driven().inverse(2.0, 40, formulation=formulation)
    for t, effort in zip(found.time, found["O"].values, strict=True):
        a, w, dw = 0.9 * np.sin(2 * t), 1.8 * np.cos(2 * t), -3.6 * np.sin(2 * t)
        e = np.array([0.5 * (np.cos(a) - 1), 0.5 * np.sin(a), a])
        along = np.array([-0.5 * np.sin(a), 0.5 * np.cos(a), 1.0])
        assert effort == pytest.approx(0.3 * dw + along @ (K @ e + C @ along * w - p), rel=1e-9, abs=1e-9)


def test_the_work_of_a_prescribed_motion() -> None:
    """Where motions determine everything, work is the integral of what motions and forces without a potential do."""
    run = driven().run(2.0, output_step=0.005)
    total = run["energy.total"].values
    assert np.ptp(total) > 1.0
    assert run["energy.work"].values == pytest.approx(total - total[0], abs=1e-6)


# --- what it did ------------------------------------------------------------------------------------------------------
@dimensions
def test_paths_loads_and_actions(dimension: int) -> None:
    run = tight(chain(dimension), 0.3)
    d, B = dimension, run["F.effort"]
    assert B.values.shape == (len(run.time), 3 * (d - 1)) and B.attrs["axes"] == "of ground.wall"
    assert run["F.force"].attrs["point"] == "c.side" and run["F.moment"].attrs["sign"] == 'what it does to "c"'
    sizes = np.linalg.norm(run["F.force"].values, axis=1)
    assert sizes == pytest.approx(np.linalg.norm(B.values[:, :d], axis=1), rel=1e-12) and sizes[-1] > 1.0
    loads = run.loads()
    assert loads["F"]["force"].peak == pytest.approx(np.max(sizes)) and loads["G"]["moment"].axes == "of a.side"
    data = run.data
    at = {str(name): k for k, name in enumerate(data["action"].values)}
    force = data["action_force"].values
    assert force[:, at["G on a"]] == pytest.approx(-force[:, at["G on b"]], abs=1e-12) and "F on c" in at
    assert "G on ground" not in at and "F on ground" not in at


def test_what_a_robot_and_a_file_know_of_it(tmp_path: Path) -> None:
    m = mb.Model("arm", gravity=(0, -9.81, 0))
    m.frames(wall={"at": (0.3, 0.2, 0), "rpy": (0.2, 0.5, -0.4)})
    m.body("arm", mass=1, inertia=(0.1, 0.2, 0.15), com=(0.2, 0, 0), frames={"side": (0.4, 0, 0.1)})
    m.revolute("A", "ground", "arm", axis=(0.2, 0.1, 1.0))
    m.bushing("F", "ground.wall", "arm.side", stiffness=definite(6, 20.0, 3), damping=definite(6, 1.0, 4))
    m.initial({"A": 0.3, "A.rate": 0.7})
    run, arm = m.run(0.01), m.robot()
    assert arm.forward_dynamics([0.3], [0.7], [0.0]) == pytest.approx(run["A.acceleration"].values[:1], rel=1e-12)
    assert arm.potential_energy([0.3]) == pytest.approx(run["energy.potential"].values[0], rel=1e-12)
    run.save(str(tmp_path / "run.nc"))
    again = mb.read_run(str(tmp_path / "run.nc"))
    assert np.array_equal(again["F.moment"].values, run["F.moment"].values)


def test_an_included_model_turns_with_its_place() -> None:
    part, whole = chain(3), mb.Model("whole")
    part.gravity = None
    whole.include(part, "p_", at=(1, 2, 3), rpy=(0.3, 0.2, 0.1))
    one, two = tight(part, 0.2), tight(whole, 0.2)
    assert two["p_F.effort"].values == pytest.approx(one["F.effort"].values, rel=1e-8)
    assert np.linalg.norm(two["p_F.force"].values, axis=1) == pytest.approx(np.linalg.norm(one["F.force"].values, axis=1))
    assert np.max(np.abs(two["p_F.force"].values - one["F.force"].values)) > 1.0


def test_two_frames_of_one_body_have_no_wrench() -> None:
    m = chain(2)
    m.bushing("Z", "a.tip", "a.side", stiffness=(1, 1, 1))
    run = m.run(0.01)
    assert np.max(np.abs(run["Z.effort"].values)) > 0.1
    with pytest.raises(mb.ModelError, match='"Z" joins two frames of "a"; what it does there cancels'):
        run["Z.force"]


def test_parameters_change_it_without_a_new_lowering() -> None:
    m = chain(2)
    tight(m, 0.1)  # lowers it
    two = tight(m.set(k=4.0), 0.3)["c.x"].values
    fresh = chain(2)
    fresh.bushing("extra", "ground", "a", stiffness=np.zeros((3, 3)))
    assert np.max(np.abs(tight(chain(2), 0.3)["c.x"].values - two)) > 1e-5
    assert tight(fresh.set(k=4.0), 0.3)["c.x"].values == pytest.approx(two, abs=1e-10)
