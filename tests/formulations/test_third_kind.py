"""A third kind of coordinates fits beside those of bodies and of joints: one that is made here, without a change elsewhere.

Bodies are seen from another origin, so that y is neither theirs nor that of joints: whoever took one for the other would be
far off.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pytest

import multibody as mb
from multibody.arguments import answered
from multibody.formulations import FORMULATIONS, formulation_of
from multibody.formulations.augmented import close_augmented, rates_augmented
from multibody.formulations.cartesian import CARTESIAN
from multibody.formulations.formulation import FormulationBase
from multibody.formulations.prepare import Bundle, prepare
from multibody.formulations.spaces.expanded import Expanded, expanded
from multibody.formulations.spaces.space import Reader, SpaceBase, reader_of
from multibody.kernels.compile import inlined, kernel
from multibody.kernels.declared import model_at, scratch_at, state_at
from multibody.kernels.state import set_positions, set_velocities
from multibody.kernels.watch import watched_values
from multibody.learn.plant import Plant
from multibody.options import methods
from multibody.state.state import State
from multibody.state.system import Floats, Integers, System

OFFSET = 0.75  # of every coordinate: meters, radians


@inlined
def _poses_from_afar(model, state, scratch, t, q):  # type: ignore[no-untyped-def]
    """Write the poses."""
    for c in range(model.coordinates):
        q[c] -= OFFSET
    set_positions(model, scratch, q)
    for c in range(model.coordinates):
        q[c] += OFFSET


@inlined
def _state_from_afar(model, state, scratch, t, y, bodies):  # type: ignore[no-untyped-def]
    """Write poses and twists."""
    _poses_from_afar(model, state, scratch, t, y)
    set_velocities(model, scratch, y[model.coordinates :])


AFAR = replace(CARTESIAN, name="afar", set_poses=_poses_from_afar, set_state=_state_from_afar)


@kernel
def _rhs(model, state, scratch, t, y, dy):  # type: ignore[no-untyped-def]
    """Write ẏ."""
    return rates_augmented(AFAR, model_at(model), state_at(state), scratch_at(scratch), t, y, dy)


@kernel
def _accept(model, state, scratch, t, y, active):  # type: ignore[no-untyped-def]
    """Accept a state."""
    return close_augmented(AFAR, model_at(model), state_at(state), scratch_at(scratch), t, y)


@kernel
def _monitor(model, state, scratch, t, y, out):  # type: ignore[no-untyped-def]
    """Write the values of all watched expressions at y."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    AFAR.set_state(model, state, scratch, t, y, 1)
    watched_values(model, state, scratch, t, out)
    return 0


class SpaceFromAfar(SpaceBase):
    """Poses of bodies of the plane from another origin."""

    monitor: Any = staticmethod(_monitor)

    def __init__(self, system: System, state: State, rows: Integers) -> None:
        self.system, self.nq, self.nv, self.rate_scales = system, system.nq, system.nv, system.scale_columns
        self.bundle: Bundle = prepare(system.tables, rows, state.references, False)

    def start(self, state: State, work: float = 0.0) -> Floats:
        """Return y of a state of the bodies."""
        return np.concatenate([state.q + OFFSET, state.v, [work]])

    def scales(self) -> Floats:
        """Return 1: these bodies are about as long as a meter."""
        return np.ones(self.nq + self.nv + 1)

    def cartesian(self, times: Floats, Y: Floats, references: Floats, like: Floats, closing: bool = False) -> Floats:
        """Return (q, v, w) of the bodies."""
        return np.hstack([Y[:, : self.nq] - OFFSET, Y[:, self.nq :]])

    def expanded(self, times: Floats, Y: Floats, references: Floats, like: Floats, closing: bool) -> Expanded:
        """Return everything that follows from states y."""
        return expanded(self.bundle, times, self.cartesian(times, Y, references, like), references, closing)

    def reading(self) -> SpaceFromAfar:
        """Return a copy with state and scratch of its own."""
        return self.apart(self.system)

    def apart(self, system: System) -> SpaceFromAfar:
        """Return a copy with another workspace, and state and scratch of its own."""
        other = copy.copy(self)
        other.system, other.bundle = system, self.bundle.working()
        return other

    def reader(self) -> Reader:
        """Return what coordinate functions are read with."""
        return reader_of(self.bundle)


@answered
@dataclass(frozen=True)
class Afar(FormulationBase):
    """Equations of motion with multipliers, bodies seen from another origin."""

    name: ClassVar[str] = "afar"

    def kernels(self) -> tuple[Any, Any]:
        """Return the right-hand side and the acceptance."""
        return _rhs, _accept

    def space(self, system: System, state: State, rows: Integers) -> SpaceFromAfar:
        """Return the coordinates of a run, prepared."""
        return SpaceFromAfar(system, state, rows)


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let everybody know the third kind by its name, as long as a test lasts."""
    monkeypatch.setitem(methods.FORMULATIONS, "afar", {})
    monkeypatch.setitem(FORMULATIONS, "afar", Afar)  # type: ignore[arg-type]
    yield


def pendulum() -> mb.Model:
    """Return a pendulum with a damper, which is watched."""
    model = mb.Model("pendulum", dimension=2, gravity=(0.0, -9.81))
    model.body("rod", mass=2.0, inertia=0.1, com=(0.4, 0.0))
    model.revolute("pivot", model.ground, "rod")
    model.parameter("drag", 0.3)
    model.effort("bearing", "pivot", value="-drag*pivot.rate")
    model.effort("motor", "pivot", value=0.0)
    model.event("below", "pivot + 1.2")
    return model


def agree(a: Any, b: Any, tolerance: float) -> bool:
    """Return whether two arrays do."""
    return bool(np.max(np.abs(np.asarray(a) - np.asarray(b)), initial=0.0) < tolerance)


def test_it_is_known_by_its_name_and_as_an_object() -> None:
    assert formulation_of("afar") == Afar() == formulation_of(Afar())
    assert Afar() != mb.Augmented()


@pytest.mark.parametrize("integrator", ["dop853", "adams", mb.Rk4(step=0.002)])
def test_a_run_with_events_is_that_of_the_other_coordinates(integrator: Any) -> None:
    told: dict[str, Any] = {"output_step": 0.05, "integrator": integrator}
    if isinstance(integrator, str):
        told |= {"rtol": 1e-10, "atol": 1e-12}
    run, known = (pendulum().run(2.0, formulation=name, **told) for name in ("afar", "augmented"))
    assert run.ok
    assert run.statistics["formulation"] == "afar"
    for path in ("rod.x", "rod.angle", "pivot.rate", "pivot.reaction.force", "energy.total", "bearing.effort"):
        assert agree(run[path], known[path], 1e-7), path
    assert len(run.events) == len(known.events) > 1
    assert agree([event.time for event in run.events], [event.time for event in known.events], 1e-8)
    certificate = run.certificate
    assert certificate["position_violation"] < 1e-10
    assert certificate["velocity_violation"] < 1e-9
    assert certificate["energy_drift"] < 1e-7
    assert run.balance().relative < 1e-8
    again = pendulum().run(2.0, formulation=Afar(), **told)
    assert np.array_equal(again.motion.q, run.motion.q)


def test_a_terminal_event_ends_it_and_it_goes_on_from_there() -> None:
    model = pendulum()
    model.event("bottom", "pivot + 1.5", terminal=True)
    run, known = (model.run(2.0, formulation=name, rtol=1e-10) for name in ("afar", "augmented"))
    assert agree(run.motion.t[-1], known.motion.t[-1], 1e-9)
    ends = [pendulum().run(3.0, initial=x.final, formulation=x.statistics["formulation"], rtol=1e-10) for x in (run, known)]
    assert agree(ends[0]["pivot"][-1:], ends[1]["pivot"][-1:], 1e-7)


def test_verbs_that_ask_for_more_than_a_run_work_with_it() -> None:
    model = pendulum()
    matrix, known = (model.system_jacobian(formulation=name) for name in ("afar", "augmented"))
    assert agree((matrix.dF_dy - known.dF_dy).toarray(), 0.0, 1e-12)
    with pytest.MonkeyPatch.context() as patch:  # coordinates whose derivatives nobody knows are refused in words
        patch.setattr(Afar, "implicit_space", Afar.space)
        with pytest.raises(mb.ModelError, match="the system Jacobian is not known in the coordinates of afar"):
            model.system_jacobian(formulation="afar")
    study, plain = (
        model.study({"drag": [0.1, 0.2]}, ["final(pivot)"], until=0.5, formulation=name) for name in ("afar", "augmented")
    )
    assert agree(study["final(pivot)"], plain["final(pivot)"], 1e-6)
    model.motion("pivot", "0.3*sin(2*t)")
    forces, known = (model.run(0.5, formulation=name)["pivot.reaction.force"] for name in ("afar", "augmented"))
    assert np.array_equal(forces, known)
    efforts, known = (model.inverse(until=0.5, steps=4, formulation=name)["pivot.effort"] for name in ("afar", "augmented"))
    assert np.array_equal(efforts, known)


def test_members_are_stepped_side_by_side_and_a_simulator_goes_on() -> None:
    model = pendulum()
    seen = []
    for name in ("afar", "augmented"):
        simulator = model.simulator(formulation=name)
        simulator.set("motor.effort", 0.4)
        for _ in range(20):
            simulator.step(0.01)
        plant = Plant(model, ["motor.effort"], ["pivot"], 0.01, 1.0, None, None, 2, 1, name)
        plant.reset([0, 1], [np.random.default_rng(0)] * 2)
        for _ in range(20):
            plant.advance([[0.4], [0.0]], [1, 1])
        seen.append([simulator["pivot"], *plant.observe()[:, 0]])
    assert agree(*seen, 1e-8)
    assert agree(seen[0][0], seen[0][1], 1e-8)
