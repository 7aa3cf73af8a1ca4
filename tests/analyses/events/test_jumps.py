"""Motions whose velocity jumps: the impulse, the same for all formulations and integrators; positions that jump are refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

import multibody as mb
from multibody.analyses.events.switching import SwitchingTimes

ALL = ("augmented", "baumgarte", "partitioning", "kane", "parametric", "recursive", "transformation", "articulated")
INTEGRATORS = ("dop853", "adams", "rk4", "ab3", "bdf", "radau", "alpha")
JUMPS = ("3*abs(t - 0.5)", "max(0, 5*(t - 0.5))", "if(t < 0.5, 0, 4*(t - 0.5))", "ramp(t)")
TIGHT = {"rtol": 1e-10, "atol": 1e-12}


def arm(motion: str, length: float = 1.0, mass: float = 1.0) -> mb.Model:
    """Return two links in a plane, the first one driven; lengths and masses in other units by their factors."""
    units = {1.0: None, 1e3: {"length": "mm", "mass": "g", "time": "s"}}[length]
    m = mb.Model("arm", dimension=2, gravity=(0, -9.81 * length), **({} if units is None else {"units": units}))
    m.table("ramp", [-1.0, 0.5, 2.0], [0.3, 0.3, 4.8], kind="linear")
    inertia = 0.1 * mass * length**2
    m.body("a", mass=mass, inertia=inertia, com=(0.5 * length, 0), frames={"e": (length, 0)})
    m.body("b", mass=mass, inertia=inertia, com=(0.5 * length, 0), frames={"e": (length, 0)})
    m.revolute("O", "ground", "a")
    m.revolute("Q", "a.e", "b")
    m.motion("O", motion)
    m.initial({"Q": 0.3, "Q.rate": 0})
    return m


def spatial(motion: str) -> mb.Model:
    """Return three links in space with axes, points and inertias in general position, the middle joint driven."""
    m = mb.Model("spatial", gravity=(1.0, -9.0, 2.0))
    for k in range(3):
        inertia = [[0.11 + k / 50, 0.01, -0.02], [0.01, 0.08, 0.015], [-0.02, 0.015, 0.09]]
        m.body(f"b{k}", mass=1.0 + k, inertia=inertia, com=(0.3, 0.1 * k, -0.1), frames={"e": (0.5, -0.2, 0.1 + 0.1 * k)})
    m.revolute("A", "ground", "b0", axis=(0.2, 1, 0.3))
    m.revolute("B", "b0.e", "b1", axis=(1, 0.1, -0.4))
    m.spherical("C", "b1.e", "b2")
    m.motion("B", motion)
    m.initial({"A": 0.2, "A.rate": 1.5})
    return m


@pytest.mark.parametrize("motion", JUMPS)
def test_all_formulations_give_one_answer(motion):
    found = {name: arm(motion).run(until=1, formulation=name, **TIGHT) for name in ALL}
    first = found["augmented"]
    assert all(r.ok for r in found.values())
    for name, r in found.items():
        assert float(r["Q"][-1]) == pytest.approx(float(first["Q"][-1]), abs=1e-6), name
        assert [(e.name, e.time) for e in r.events] == [("O", 0.5)]
        assert r.certificate["energy_drift"] < 1e-6, name


@pytest.mark.parametrize("formulation", ["augmented", "parametric", "articulated"])
@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_all_integrators_give_one_answer(integrator, formulation):
    fixed = integrator in ("rk4", "ab3", "alpha")
    options = {"step": 1e-3} if fixed else {"rtol": 1e-9, "atol": 1e-11}
    r = arm("3*abs(t - 0.5)").run(until=1, formulation=formulation, integrator=integrator, **options)
    assert r.ok
    assert float(r["Q"][-1]) == pytest.approx(-8.6757216, abs=5e-5 if fixed else 3e-7)
    assert len(r.events) == 1


def test_it_is_the_limit_of_smooth_motions():
    jump = arm("3*abs(t - 0.5)").run(until=1, **TIGHT)
    wide, narrow = (arm(f"3*sqrt((t - 0.5)^2 + {w}^2)").run(until=1, **TIGHT)["Q"][-1] for w in (1e-4, 5e-5))
    assert abs(float(narrow) - float(jump["Q"][-1])) < 1e-3
    assert float(jump["Q"][-1]) == pytest.approx(float(2 * narrow - wide), abs=1e-5)


def test_closed_form_of_the_impulse():
    """Momentum of the second link about its pin, and of both about the first one."""
    r = arm("max(0, 5*(t - 0.5))").run(until=1, **TIGHT)
    (event,) = r.events
    angle = float(r.at(event.time)["Q"])
    turned = -0.5 * math.cos(angle) * 5.0 / (0.1 + 0.25)  # of b: (I + m c²) Δω + m c l cos Q Δω_a = 0
    impulse = event.impulse
    assert impulse.after[5] - impulse.before[5] == pytest.approx(turned, rel=1e-9)
    assert impulse.after[2] - impulse.before[2] == pytest.approx(5.0, rel=1e-12)
    com = event.q.reshape(2, 3)[:, :2]
    change = (impulse.after - impulse.before).reshape(2, 3)
    momentum = sum(0.1 * c[2] + x[0] * c[1] - x[1] * c[0] for x, c in zip(com, change, strict=True))
    assert impulse["O.effort"] == pytest.approx(momentum, rel=1e-9)
    assert impulse["Q.reaction.force"] == pytest.approx(change[1, :2], rel=1e-9)
    assert impulse["O.rate"] == pytest.approx(5.0)
    kinetic = [
        0.5 * sum(v[0] ** 2 + v[1] ** 2 + 0.1 * v[2] ** 2 for v in u.reshape(2, 3)) for u in (impulse.before, impulse.after)
    ]
    assert impulse.work == pytest.approx(kinetic[1] - kinetic[0], rel=1e-9)


def test_units_do_not_matter():
    si = arm("3*abs(t - 0.5)").run(until=1, **TIGHT)
    small = arm("3*abs(t - 0.5)", 1e3, 1e3).run(until=1, **TIGHT)
    assert float(small["Q"][-1]) == pytest.approx(float(si["Q"][-1]), abs=1e-8)
    assert small.events[0].impulse["O.effort"] == pytest.approx(1e9 * si.events[0].impulse["O.effort"], rel=1e-8)


def test_in_space_with_axes_in_general_position():
    found = [spatial("0.4 + 2*abs(t - 0.3)").run(until=0.6, formulation=name, **TIGHT) for name in ALL]
    wide, narrow = (spatial(f"0.4 + 2*sqrt((t - 0.3)^2 + {w}^2)").run(until=0.6, **TIGHT) for w in (1e-4, 5e-5))
    for r in found:
        assert r.ok
        for path in ("A", "b2.x", "b2.omega.z"):
            assert float(r[path][-1]) == pytest.approx(float(found[0][path][-1]), abs=1e-6)
            assert float(r[path][-1]) == pytest.approx(float(2 * narrow[path][-1] - wide[path][-1]), abs=1e-5)
        assert r.certificate["energy_drift"] < 1e-6


@pytest.mark.parametrize("motion", ["if(t < 0.5, 0, 1)", "sign(t - 0.5)", "if(t <= 0.5, t, t + 1e-3)"])
def test_a_position_that_jumps_is_named(motion):
    for name in ("augmented", "kane", "parametric", "recursive", "articulated"):
        with pytest.warns(RuntimeWarning):
            r = arm(motion).run(until=1, formulation=name)
        assert not r.ok
        assert r.status.message.startswith('motion "O" jumps by') and "t = 0.5" in r.status.message
        assert r.time[-1] == pytest.approx(0.5)


def test_the_limit_behind_the_jump_stands_on_the_grid():
    r = arm("3*abs(t - 0.5)").run(until=1, output_step=0.25)
    assert np.asarray(r["O.rate"]) == pytest.approx([-3, -3, 3, 3, 3])
    assert float(r.at(0.5)["O.rate"]) == pytest.approx(3.0)
    assert float(r.at(0.4999999)["O.rate"]) == pytest.approx(-3.0)


@pytest.mark.parametrize("formulation", ["augmented", "parametric", "recursive"])
def test_at_the_start_and_at_the_end(formulation):
    whole = arm("3*abs(t)").run(until=0.5, formulation=formulation, **TIGHT)
    plain = arm("3*t").run(until=0.5, formulation=formulation, **TIGHT)
    assert not whole.events
    assert float(whole["O.rate"][0]) == pytest.approx(3.0)
    assert float(whole["Q"][-1]) == pytest.approx(float(plain["Q"][-1]), abs=1e-8)
    half = arm("3*abs(t - 0.5)").run(until=0.5, formulation=formulation, **TIGHT)
    assert half.time[-1] == 0.5
    assert [e.time for e in half.events] == [0.5]
    assert float(half["O.rate"][-1]) == pytest.approx(3.0)
    rest = arm("3*abs(t - 0.5)").run(until=1, initial=half.final, formulation=formulation, **TIGHT)
    assert not rest.events
    through = arm("3*abs(t - 0.5)").run(until=1, formulation=formulation, **TIGHT)
    assert float(rest["Q"][-1]) == pytest.approx(float(through["Q"][-1]), abs=1e-6)


@pytest.mark.parametrize("formulation", ["augmented", "kane", "recursive"])
def test_back_in_time(formulation):
    there = arm("max(0, 5*(t - 0.5))").run(until=0.7, formulation=formulation, **TIGHT)
    back = arm("max(0, 5*(t - 0.5))").run(until=0.0, initial=there.final, formulation=formulation, **TIGHT)
    assert back.ok
    assert [e.time for e in back.events] == [0.5]
    assert float(back["Q"][-1]) == pytest.approx(0.3, abs=1e-6)
    assert float(back["Q.rate"][-1]) == pytest.approx(0.0, abs=1e-5)


def test_with_a_period_and_several_at_once():
    def model() -> mb.Model:
        m = arm("0.2*abs(sin(10*t))")
        m.revolute("R", "b.e", m.body("c", mass=0.5, inertia=0.05, com=(0.2, 0.1)))
        m.motion("R", "0.3*max(sin(10*t), 0) + 0.1*abs(t - 0.45)")
        return m

    found = [model().run(until=1, formulation=name, **TIGHT) for name in ("augmented", "kane", "articulated")]
    for r in found:
        assert r.ok
        times = sorted([0.45, *(k * math.pi / 10 for k in (1, 2, 3))])
        assert [e.time for e in r.events] == pytest.approx(times)
        assert [e.name for e in r.events] == ["O, R", "R", "O, R", "O, R"]
        assert float(r["Q"][-1]) == pytest.approx(float(found[0]["Q"][-1]), abs=1e-6)
        assert r.certificate["energy_drift"] < 1e-6


def test_in_a_simulator():
    whole = arm("3*abs(t - 0.5)").run(until=1, **TIGHT)
    sim = arm("3*abs(t - 0.5)").simulator(**TIGHT)
    for _ in range(100):
        sim.step(0.01)
    assert sim["Q"] == pytest.approx(float(whole["Q"][-1]), abs=1e-6)
    assert [e.name for e in sim.events] == ["O"]
    with pytest.raises(mb.AnalysisError, match=r'motion "O" jumps by 1 rad at t = 0\.5'):
        arm("if(t < 0.5, 0, 1)").simulator().run_until(1.0)


def loop(extra: bool, massless: bool = False) -> mb.Model:
    """Return a driven parallelogram that carries a pendulum, with a redundant link or a massless one on request."""
    m = mb.Model("loop", dimension=2, gravity=(0, -9.81))
    m.frames(g0=(0, 0), g1=(1, 0), g2=(2, 0))
    m.body("beam", mass=2, inertia=0.4, com=(1.1, 0.03), frames={"p0": (0, 0), "p1": (1, 0), "p2": (2, 0)})
    for k in range(3 if extra else 2):
        heavy = not (massless and k == 1)
        m.body(f"leg{k}", mass=1.0 * heavy, inertia=0.1 * heavy, com=(0.25, 0.02), frames={"top": (0.5, 0)})
        m.revolute(f"O{k}", f"ground.g{k}", f"leg{k}")
        m.revolute(f"P{k}", f"leg{k}.top", f"beam.p{k}")
    m.revolute("S", "beam.p2", m.body("bob", mass=1.5, inertia=0.02, com=(0.3, 0)))
    m.motion("O0", "0.9 + 1.5*abs(t - 0.2)")
    m.initial({"S": -1.0}, guess={f"O{k}": 1.2 for k in range(3 if extra else 2)})
    return m


@pytest.mark.parametrize(("extra", "massless"), [(False, False), (True, False), (False, True)])
def test_loops_redundant_rows_and_massless_bodies(extra, massless):
    names = ["augmented", "kane", "parametric", "recursive"] + ([] if massless else ["transformation"])
    found = [loop(extra, massless).run(until=0.5, formulation=name, **TIGHT) for name in names]
    for r in found:
        assert r.ok
        assert float(r["S"][-1]) == pytest.approx(float(found[0]["S"][-1]), abs=1e-6)
        assert r.events[0].impulse["O0.effort"] == pytest.approx(found[0].events[0].impulse["O0.effort"], rel=1e-6)
        assert r.events[0].impulse["P1.reaction.force"] == pytest.approx(
            found[0].events[0].impulse["P1.reaction.force"], abs=1e-6
        )
        assert r.certificate["energy_drift"] < 1e-6


def test_a_point_a_coupler_and_an_effort_that_shares_the_jump():
    def model() -> mb.Model:
        m = mb.Model("two", dimension=2, gravity=(0, -9.81))
        m.body("a", mass=1, inertia=0.1, com=(0.5, 0), frames={"e": (1, 0)})
        m.body("b", mass=1, inertia=0.1, com=(0.5, 0), frames={"e": (1, 0)})
        m.body("c", mass=1, inertia=0.1, com=(0.5, 0))
        m.revolute("O", "ground", "a")
        m.revolute("Q", "a.e", "b")
        m.revolute("R", "b.e", "c")
        m.coupler("K", "Q - 0.4*O - max(0, 2*(t - 0.3))")
        m.motion("b.e.x", "1.5 - abs(0.2*(t - 0.4))")
        m.initial({"R": 0.1}, guess={"O": 0.3, "Q": 0.2})
        return m

    found = [model().run(until=0.6, formulation=name, **TIGHT) for name in ("augmented", "kane", "parametric", "recursive")]
    for r in found:
        assert r.ok
        assert [(e.name, round(e.time, 12)) for e in r.events] == [("K", 0.3), ("b.e.x", 0.4)]
        assert float(r["R"][-1]) == pytest.approx(float(found[0]["R"][-1]), abs=1e-6)
        assert r.certificate["energy_drift"] < 1e-6


def test_a_large_model_takes_the_same_impulse(monkeypatch):
    from multibody.analyses.events import impulse

    def found() -> np.ndarray:
        return loop(extra=True).run(until=0.25, formulation="augmented", **TIGHT).events[0].impulse

    dense = found()
    monkeypatch.setattr(impulse, "is_large", lambda unknowns: True)
    sparse = found()
    assert sparse.after == pytest.approx(dense.after, abs=1e-9)
    assert sparse.multipliers == pytest.approx(dense.multipliers, abs=1e-8)


def test_json_of_the_event():
    r = arm("max(0, 5*(t - 0.5))").run(until=1)
    (event,) = r.plain()["events"]
    assert event["name"] == "O"
    impulse = event["impulse"]
    assert impulse["names"] == ["O"]
    assert impulse["work"] == pytest.approx(r.events[0].impulse.work)
    assert impulse["joints"]["O"]["effort"] == pytest.approx(r.events[0].impulse["O.effort"])


def test_a_switch_that_was_not_foreseen_is_met_from_before(monkeypatch):
    from multibody.analyses.events import switching

    plain = arm("3*abs(sin(2*t - 1))").run(until=1, **TIGHT)
    monkeypatch.setattr(switching.SwitchingTimes, "_all_zeros", lambda self, low, high: [])
    blind = arm("3*abs(sin(2*t - 1))").run(until=1, **TIGHT)
    assert [e.time for e in blind.events] == pytest.approx([0.5])
    assert float(blind["Q"][-1]) == pytest.approx(float(plain["Q"][-1]), abs=1e-7)


def coupled(expression: str) -> mb.Model:
    """Return two links with a coupler between their angles, the first one moving toward zero."""
    m = mb.Model("coupled", dimension=2, gravity=(0, -9.81))
    m.table("lift", [-2.0, 0.0, 2.0], [0.0, 0.0, 1.0], kind="linear")
    m.body("a", mass=1, inertia=0.1, com=(0.5, 0), frames={"e": (1, 0)})
    m.body("b", mass=1, inertia=0.1, com=(0.5, 0))
    m.revolute("O", "ground", "a")
    m.revolute("Q", "a.e", "b")
    m.coupler("K", expression)
    m.initial({"O": 0.3, "O.rate": -2})
    return m


@pytest.mark.parametrize("expression", ["Q - 0.5*abs(O)", "Q - max(O, 0)", "Q - lift(O)"])
def test_a_kink_of_a_coupler_in_a_coordinate_is_named(expression):
    times = []
    for name in ("augmented", "kane", "parametric", "recursive"):
        with pytest.warns(RuntimeWarning, match='coupler "K" has a kink at t = '):
            r = coupled(expression).run(until=0.6, formulation=name)
        assert not r.ok
        assert r.certificate["energy_drift"] < 1e-6
        times.append(float(r.status.message.split("=")[1]))
    assert times == pytest.approx([times[0]] * 4, abs=1e-5)


def test_a_coupler_that_switches_smoothly_is_passed():
    found = [
        coupled("Q - 0.5*max(O, 0)^2").run(until=0.6, formulation=name, **TIGHT) for name in ("augmented", "kane", "recursive")
    ]
    for r in found:
        assert r.ok
        assert r.certificate["energy_drift"] < 1e-6
        assert float(r["O"][-1]) == pytest.approx(float(found[0]["O"][-1]), abs=1e-6)


def test_switching_instants_are_found_however_dense():
    times = SwitchingTimes(arm("abs(sin(50*t)) + abs(abs(t - 7) - 1e-6)"))
    expected = sorted([7 - 1e-6, 7.0, 7 + 1e-6, *(k * math.pi / 50 for k in range(1, 1592))])
    found = times.on_the_way(0.01, 100.0, 100_000)
    assert [s.time for s in found] == pytest.approx(expected, abs=1e-12, rel=1e-13)
    back = times.on_the_way(100.0, 0.01, 100_000)
    assert [s.time for s in back] == [s.time for s in found][::-1]


@pytest.mark.parametrize(("begin", "end"), [(0.0, 1.0), (1.0, 0.0)])
def test_a_way_ends_at_an_instant_that_switches(begin: float, end: float) -> None:
    """A motion from rest to rest switches where it begins and ends, which is where a run begins and ends."""
    m = mb.Model("rest-to-rest", dimension=2)
    m.body("a")
    m.revolute("O", m.ground, "a")
    m.motion("O", "step5(t, 0, 0, 1, 2)")
    found = SwitchingTimes(m).on_the_way(begin, end, 1000)
    assert [item.time for item in found] == pytest.approx([begin, end], abs=1e-12)
    run = m.kinematics(start=begin, until=end, steps=10)
    assert run.ok
    assert len(run.time) == 11



def linkage(both: bool, mm: float = 1.0) -> mb.Model:
    """Return two links of which the first, or both, are driven with rates that jump."""
    m = mb.Model("arm", dimension=2, gravity=(0, -9.81 * mm))
    m.body("a", mass=1, inertia=0.1 * mm**2, com=(0.5 * mm, 0), frames={"e": (mm, 0)})
    m.body("b", mass=1, inertia=0.1 * mm**2, com=(0.5 * mm, 0))
    m.revolute("O", "ground", "a")
    m.revolute("Q", "a.e", "b")
    m.motion("O", "max(0, 5*(t - 0.5))")
    if both:
        m.motion("Q", "0.3 + abs(t - 0.7) - abs(t - 0.5)")
    return m


@pytest.mark.parametrize("mm", [1.0, 1e3])
def test_impulses_where_motions_determine_everything(mm: float) -> None:
    """The balance of angular momentum about O and Q by hand, and the kinetic energy that the run reports."""
    m = linkage(both=True, mm=mm)
    m.event("on_the_way", "O - 0.5")
    run = m.run(until=1.0, output_step=0.01)
    assert [event.name for event in run.events] == ["O, Q", "on_the_way", "Q"]
    first, last = run.events[0].impulse, run.events[2].impulse
    assert first is not None and last is not None
    w, u = 5.0, -2.0  # changes of the rates of O and Q, where Q is 0.5
    inertia, reach = 0.1 + 0.25, 0.5 * np.cos(0.5)
    about_q = inertia * (w + u) + reach * w
    about_o = inertia * w + w + reach * (w + u) + about_q
    assert first["Q.effort"] == pytest.approx(about_q * mm**2, rel=1e-9)
    assert first["O.effort"] == pytest.approx(about_o * mm**2, rel=1e-9)
    kinetic = run["energy.kinetic"].values
    assert first.work == pytest.approx(kinetic[50] - kinetic[49], rel=1e-9)


def test_impulses_of_driven_and_of_free_joints_agree() -> None:
    """A joint driven as it would move by itself takes no impulse, and the other one the same as if it were free."""
    free = linkage(both=False)
    free.initial({"Q": 0.3, "Q.rate": 0.0})
    hit = free.run(until=0.6, rtol=1e-11, atol=1e-13).events[0].impulse
    assert hit is not None
    before, after = (float(v[5] - v[2]) for v in (hit.before, hit.after))  # rates of Q
    angle = float(hit.motion.q[0, 5] - hit.motion.q[0, 2])
    driven = linkage(both=False)
    driven.motion("Q", f"{angle!r} + {before!r}*(t - 0.5) + {after - before!r}*max(0, t - 0.5)")
    found = driven.run(until=0.6).events[0].impulse
    assert found is not None
    assert abs(found["Q.effort"]) < 1e-8
    assert found["O.effort"] == pytest.approx(hit["O.effort"], rel=1e-8)
    np.testing.assert_allclose(found["Q.reaction.force"], hit["Q.reaction.force"], rtol=1e-8)


def test_impulses_end_with_a_terminal_event_and_go_back_in_time() -> None:
    m = linkage(both=True)
    m.event("enough", "O - 0.5", terminal=True)
    assert [event.name for event in m.run(until=1.0).events] == ["O, Q", "enough"]
    plain = linkage(both=True)
    assert plain.kinematics(until=1.0, steps=100).events == []  # it knows no masses
    back = plain.run(until=0.0, initial=plain.assemble(t=1.0))
    assert [round(event.time, 9) for event in back.events] == [0.7, 0.5]
