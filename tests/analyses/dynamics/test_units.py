"""Units do not matter: the same model in other units of length, mass and time takes the same steps to the same result."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import multibody as mb
from multibody.state.system import tables_of
from multibody.tables.scales import characteristic_mass, second
from other_units import SYSTEMS, in_units
from unit_models import flyer, heavy_pair, stiff_arm

Floats = Any


def massless_coupler() -> mb.Model:
    """Return a planar four-bar whose coupler has neither mass nor inertia, with a damper."""
    m = mb.Model("four-bar", dimension=2, gravity=(0, -9.81))
    m.body("crank", mass=2.0, inertia=0.02, com=(0.1, 0), frames={"e": (0.2, 0)})
    m.body("coupler", mass=0, inertia=0, frames={"e": (0.5, 0)})
    m.body("rocker", mass=3.0, inertia=0.05, com=(0.2, 0), frames={"e": (0.4, 0)})
    m.frames(P=(0.5, 0))
    m.revolute("O", "ground", "crank")
    m.revolute("A", "crank.e", "coupler")
    m.revolute("B", "coupler.e", "rocker.e")
    m.revolute("C", "ground.P", "rocker")
    m.effort("damper", "C", damping=0.5)
    m.initial({"O": 1.0}, guess={"C": 1.8})
    return m


def final(run: Any, scale: Any) -> Floats:
    """Return the last positions and velocities, lengths over the model's own, times in seconds."""
    tables = run.motion.tables
    q, v, d = run.motion.q[-1].copy(), run.motion.v[-1].copy(), tables.dimension
    bodies, wide = len(tables.bodies) - 1, 3 if d == 2 else 7
    for k in range(d):
        q[k : wide * bodies : wide] /= tables.length
        v[k : tables.width * bodies : tables.width] /= tables.length
    return np.concatenate([q, v * scale.time])


@functools.cache  # the run in meters is beside that of every other system
def told(make: Callable[[], mb.Model] | str, system: str, until: float, **options: Any) -> tuple[int, Floats, float]:
    """Return the steps of a run in a system of units, its last state and the drift of its energy."""
    to = SYSTEMS[system]
    fixed = {"step": options.pop("step") * to.time} if "step" in options else {}
    model = mb.load(make) if isinstance(make, str) else make()
    run = in_units(model, to).run(until * to.time, atol=0.01 * options["rtol"], **options, **fixed)
    assert run.ok, run.status.message
    return run.statistics["steps"], final(run, to), (run.certificate or {}).get("energy_drift", 0.0)


def same(make: Callable[[], mb.Model] | str, system: str, until: float, few: float = 0.02, **options: Any) -> None:
    """Check that a run in other units takes the same steps, but for a few, and ends in the same state."""
    rtol, step = options.setdefault("rtol", 1e-8), options.get("step")
    steps, state, drift = told(make, "m-kg", until, **options)
    other_steps, other_state, other_drift = told(make, system, until, **options)
    assert abs(other_steps - steps) <= 2 + few * steps
    assert np.max(np.abs(other_state - state)) < (1e3 * rtol if step is None else 1e-7)
    assert other_drift < 2.0 * drift + rtol


@pytest.mark.parametrize("system", ["mm-g", "mm-t", "km-t", "um-ng", "mm-g-ms"])
@pytest.mark.parametrize(("make", "until"), [(stiff_arm, 1.0), (heavy_pair, 1.0), (flyer, 10.0)])
def test_implicit_steps(make: Callable[[], mb.Model], until: float, system: str) -> None:
    for integrator in ("bdf", "radau"):
        same(make, system, until, formulation="augmented", integrator=integrator)


@pytest.mark.parametrize("formulation", ["augmented", "kane", "parametric", "recursive"])
def test_coordinates(formulation: str) -> None:
    for integrator in ("dop853", "adams", "bdf", "radau"):  # one iteration a step makes bdf's choices a matter of round-off
        same(heavy_pair, "um-ng", 0.5, 0.1 if integrator == "bdf" else 0.02, formulation=formulation, integrator=integrator)


@pytest.mark.parametrize("make", [stiff_arm, heavy_pair, flyer, massless_coupler])
@pytest.mark.parametrize("formulation", ["augmented", "baumgarte", "partitioning", "kane", "parametric", "recursive"])
def test_no_digit_changes(make: Callable[[], mb.Model], formulation: str) -> None:
    """Powers of two leave all digits as they are: a single number that is compared in units of the model would show up."""
    massless = make is massless_coupler
    for integrator in ("dop853", "adams", "bdf", "radau", "alpha"):
        implicit = integrator in ("bdf", "radau", "alpha")
        if implicit and (formulation == "baumgarte" or (massless and formulation == "parametric")):
            continue
        fixed = {"step": 0.005} if integrator == "alpha" else {}
        options: dict[str, Any] = {"formulation": formulation, "integrator": integrator, **fixed}
        runs = [in_units(make(), SYSTEMS[system]).run(0.2, **options) for system in ("m-kg", "binary")]
        assert runs[0].status.message == runs[1].status.message
        assert runs[0].statistics["steps"] == runs[1].statistics["steps"]
        states = [final(run, SYSTEMS["m-kg"]) for run in runs]
        assert np.array_equal(states[0], states[1])


@pytest.mark.parametrize("integrator", ["rk4", "ab3", "alpha"])
def test_fixed_steps(integrator: str) -> None:
    same(heavy_pair, "um-ng", 0.2, integrator=integrator, step=1e-3, formulation="augmented")


@pytest.mark.parametrize("system", ["mm-g", "um-ng"])
def test_massless_bodies(system: str) -> None:
    for integrator in ("dop853", "bdf", "radau"):
        same(massless_coupler, system, 1.0, formulation="augmented", integrator=integrator)


def governor() -> mb.Model:
    """Return a governor with a stiff spring."""
    return mb.load("iftomm-flyball", c=4e5)


@pytest.mark.parametrize("system", ["mm-g", "um-ng", "km-t"])
def test_a_stiff_governor(system: str) -> None:
    same(governor, system, 0.5, rtol=1e-6)  # auto: begins explicitly, hands over


@pytest.mark.parametrize("name", ["four-bar", "spatial-four-bar", "iftomm-bricard", "stewart-platform", "planetary"])
def test_library_models(name: str) -> None:
    for integrator in ("dop853", "bdf"):
        same(name, "um-ng", 0.1, integrator=integrator)


@pytest.mark.parametrize("system", ["ms", "min"])
@pytest.mark.parametrize("integrator", ["dop853", "adams", "bdf", "radau"])
def test_the_unit_of_time(integrator: str, system: str) -> None:
    """The first step is chosen in seconds, whatever the unit of time is, and so all later ones are the same."""
    for name in ("four-bar", "tilted-four-bar", "stewart-platform", "iftomm-bricard"):
        same(name, system, 0.2, integrator=integrator)


def test_a_wrong_answer_is_right_in_all_units() -> None:
    """The reference is an explicit integration with a tight tolerance in meters."""
    reference = final(heavy_pair().run(1.0, integrator="dop853", rtol=1e-12, atol=1e-13), SYSTEMS["m-kg"])
    for system in ("m-kg", "mm-g"):
        run = in_units(heavy_pair(), SYSTEMS[system]).run(1.0, formulation="augmented", integrator="radau")
        assert np.max(np.abs(final(run, SYSTEMS[system]) - reference)) < 1e-6


def test_a_tumbling_giant_keeps_its_momentum() -> None:
    """The angular momentum of a free body is constant in ground axes."""
    for integrator in ("dop853", "bdf", "radau"):
        run = flyer().run(20.0, integrator=integrator, formulation="augmented")
        w, x, y, z = run.motion.q[:, 3:7].T
        spin = run.motion.v[:, 3:6] * np.array([2e10, 8e10, 9e10])
        u = np.stack([x, y, z], axis=1)
        turned = spin + 2.0 * np.cross(u, np.cross(u, spin) + w[:, None] * spin)
        assert run.ok and np.max(np.abs(turned / np.linalg.norm(spin[0]) - turned[0] / np.linalg.norm(spin[0]))) < 1e-6


def test_scales() -> None:
    tables = {name: tables_of(in_units(flyer(), system)) for name, system in SYSTEMS.items()}
    for name, system in SYSTEMS.items():
        assert tables[name].length == pytest.approx(300.0 * system.length)  # the largest radius of gyration
        assert characteristic_mass(tables[name]) == pytest.approx(1e6 * system.mass)
        assert second(tables[name]) == pytest.approx(system.time)
    wheel = mb.Model("wheel", dimension=2)
    wheel.body("w", mass=0, inertia=8.0, frames={"rim": (2, 0)})
    wheel.revolute("O", "ground", "w")
    assert characteristic_mass(tables_of(wheel)) == pytest.approx(2.0)
