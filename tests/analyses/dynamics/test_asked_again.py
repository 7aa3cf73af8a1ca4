"""The same run asked for again is found prepared: it is the same to the last bit, and follows every change of the model."""

from __future__ import annotations

import gc
import threading
import weakref
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import multibody as mb
from multibody.analyses.dynamics import plan as plans
from multibody.analyses.dynamics.opening import begun, opened, planned
from multibody.analyses.dynamics.segments import complete
from multibody.analyses.given.run_options import read_options
from multibody.integrators import contract as C
from multibody.state.system import tables_of

ASKED: dict[str, Any] = {"until": 0.5, "rtol": 1e-6, "atol": 1e-6}


def numbers(run: mb.Run) -> list[Any]:
    """Return all that a run computed, but the time that it took."""
    motion = run.motion
    assert motion.dynamics is not None
    counted = {key: value for key, value in motion.statistics.items() if key != "wall_time"}
    forces = motion.dynamics.multipliers, motion.dynamics.work
    return [motion.t, motion.q, motion.v, motion.a, *forces, counted, motion.certificate]


def assert_same(one: mb.Run, other: mb.Run) -> None:
    for a, b in zip(numbers(one), numbers(other), strict=True):
        np.testing.assert_equal(a, b)


def differ(one: mb.Run, other: mb.Run) -> bool:
    return not np.array_equal(one.motion.q[-1], other.motion.q[-1])


@pytest.mark.parametrize("name", ["four-bar", "spatial-four-bar", "pendulum", "bouncing-ball", "cam-lift-off"])
@pytest.mark.parametrize("formulation", ["augmented", "recursive"])
def test_a_run_asked_for_again_is_the_same(name: str, formulation: str) -> None:
    model = mb.load(name)
    runs = [model.run(**ASKED, formulation=formulation) for _ in range(3)]
    if name != "cam-lift-off":  # whose motions determine everything
        assert len(tables_of(model).cache["plans"]) == 1
    for run in [*runs[1:], mb.load(name).run(**ASKED, formulation=formulation)]:
        assert_same(runs[0], run)
    assert [e.time for e in runs[0].events] == [e.time for e in runs[2].events]


def test_a_model_that_is_changed_is_run_as_it_is_now() -> None:
    model = mb.load("four-bar")
    first = model.run(**ASKED)
    body, start = model.bodies["link2"], dict(model.initials)
    heavier = mb.load("four-bar")
    for changed in (model, heavier):  # an item is put into its dictionary by hand
        changed.bodies["link2"] = replace(body, mass=12.0)
    second = model.run(**ASKED)
    assert differ(first, second)
    assert_same(second, heavier.run(**ASKED))
    model.bodies["link2"] = body
    assert_same(first, model.run(**ASKED))
    model.gravity = (0.0, -3.0)
    assert differ(first, model.run(**ASKED))
    model.gravity = mb.load("four-bar").gravity
    key = next(iter(model.initials))
    model.initials[key] = 1.2
    assert differ(first, model.run(**ASKED))
    model.initials[key] = start[key]
    assert_same(first, model.run(**ASKED))


def test_defaults_and_parameters_are_those_of_now() -> None:
    model = mb.load("pendulum")
    model.defaults["run"] = {"until": 0.5, "rtol": 1e-6}
    first = model.run()
    model.defaults["run"]["until"] = 0.25
    assert model.run().time[-1] == 0.25
    model.defaults["run"] = {"until": 0.5, "rtol": 1e-6}
    assert_same(first, model.run())
    name = next(iter(model.parameters))
    other = model.set(**{name: 1.1 * float(model.parameters[name].value)})
    assert differ(first, other.run())
    assert_same(first, model.run())
    assert_same(other.run(), other.run())


def test_other_options_are_other_runs() -> None:
    model, asked = mb.load("four-bar"), []
    others = ({"rtol": 1e-9}, {"until": 1}, {"until": 1.0}, {"dense": False}, {"output_step": 0.1}, {"integrator": "adams"})
    for more in ({}, *others):
        options: dict[str, Any] = {**ASKED, **more}
        asked.append((options, model.run(**options)))
    for options, run in asked:
        assert_same(run, model.run(**options))
        assert_same(run, mb.load("four-bar").run(**options))
    with pytest.raises(mb.ModelError):
        model.run(until=True)  # is no time, although True is 1 and that was asked for


def test_only_the_last_plans_are_kept() -> None:
    model = mb.load("pendulum")
    for k in range(plans.MOST + 5):
        model.run(0.1 + 0.01 * k)
    assert len(tables_of(model).cache["plans"]) == plans.MOST


def test_what_a_reader_changes_changes_no_later_run() -> None:
    model = mb.load("four-bar")
    first = model.run(**ASKED)
    known = [np.array(a) for a in numbers(first)[:3]]
    first.motion.initial.q[:] = 7.0
    first.motion.q[:] = 7.0
    for a, b in zip(known, numbers(model.run(**ASKED)), strict=False):
        np.testing.assert_array_equal(a, b)


def test_a_promise_read_late_is_what_it_was() -> None:
    model = mb.load("four-bar")
    first, *others = [model.run(**ASKED) for _ in range(4)]
    model.simulator().set("spring.effort", 5.0)  # a simulator writes numbers of its own
    assert_same(others[-1], first)
    assert_same(first, mb.load("four-bar").run(**ASKED))


def test_threads_do_not_meet() -> None:
    model, found = mb.load("spatial-four-bar"), []
    known = mb.load("spatial-four-bar").run(**ASKED)

    def work() -> None:
        for _ in range(5):
            found.append(model.run(**ASKED))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 20
    for run in found:
        assert_same(known, run)


def test_a_model_that_nobody_needs_is_let_go() -> None:
    model = mb.load("four-bar")
    for _ in range(3):
        model.run(**ASKED)
    known = [weakref.ref(tables_of(model)), weakref.ref(tables_of(model).cache["plans"].popitem()[1])]
    model.run(**ASKED)
    del model
    gc.collect()
    assert [each() for each in known] == [None, None]


@pytest.mark.parametrize(("name", "until"), [("four-bar", 10.0), ("spatial-four-bar", 2.0), ("four-bar-singular", 3.0)])
def test_dense_output_that_is_made_later_is_the_same(name: str, until: float) -> None:
    model = mb.load(name)
    options = read_options(model, until, "augmented", "dop853", 1e-9, 1e-9, None, None, True)
    made = []
    for dense in (C.LATER, 1):
        opening = opened(model, None)
        sim, _ = begun(opening, planned(opening.system.tables, options), options)
        assert sim.counts[C.DENSE] == C.LATER
        sim.counts[C.DENSE] = dense
        assert sim.advance(until) == C.DONE
        as_made = int(sim.counts[C.AS_MADE])
        assert (as_made > 3) if dense == C.LATER else (as_made == 0)
        if name == "four-bar-singular":  # from its change point on there is no waiting
            assert as_made < sim.counts[C.STEPS]
        complete(sim)
        made.append((*sim.segments.joined(), int(sim.counts[C.EVALUATIONS]), sim.bundle.ref.copy()))
    for later, at_once in zip(*made, strict=True):
        np.testing.assert_array_equal(later, at_once)
