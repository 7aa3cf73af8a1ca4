"""What joint coordinates refuse, and how they say it; long chains; positions that are singular."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import multibody as mb
from formulations.relative.agreement import CLOSINGS, METHODS, exact, worst

each = pytest.mark.parametrize("formulation", METHODS.values(), ids=METHODS)
every = pytest.mark.parametrize("formulation", CLOSINGS.values(), ids=CLOSINGS)


@pytest.mark.parametrize(
    ("cut", "message"),
    [
        (["O2"], r"cut: what is left is not a tree: .* form a loop; cut one of them too"),
        ([], r"cut: what is left is not a tree"),
        (["O2", "nobody"], r'cut: there is no joint "nobody"|cut: unknown joint "nobody"'),
        (["O2", "O2", "F"], r'cut: it names "O2" twice; name it once'),
        (["Oh2", "F"], 'did you mean "O2"'),
        (7, r"cut: it takes a list of joints|cut 7 is no list of names"),
        ([None], "cut:|cut has None, which is no name"),
    ],
)
def test_a_cut_that_leaves_no_tree_is_refused(cut: Any, message: str) -> None:
    model = mb.load("six-bar")
    model.motions.clear()
    for kind in (mb.Recursive, mb.Transformation, mb.Articulated):
        with pytest.raises(mb.ModelError, match=message):
            model.run(0.1, formulation=kind(cut=cut))


def test_the_loop_that_is_left_is_named() -> None:
    model = mb.load("six-bar")
    model.motions.clear()
    with pytest.raises(mb.ModelError) as caught:
        model.run(0.1, formulation=mb.Recursive(["F"]))
    for joint in ("O2", "A", "B", "O4"):
        assert joint in str(caught.value)
    assert "E" not in str(caught.value).split("form a loop")[0].partition(":")[2].replace(" ", "").split(",")


def test_what_cannot_be_cut() -> None:
    model = mb.load("planetary", drive="torque")
    with pytest.raises(
        mb.ModelError, match="a gear closes loops by itself and is never part of the tree; leave it out of `cut`"
    ):
        model.run(0.1, formulation=mb.Recursive(["sun_mesh1"]))
    free = mb.Model("free")
    free.body("a", mass=1.0, inertia=(1, 1, 1))
    free.free("F", "ground", "a")
    with pytest.raises(mb.ModelError, match="a free joint holds nothing and closes no loop"):
        free.run(0.1, formulation=mb.Recursive(["F"]))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: mb.Transformation("projectd"), 'transformation: unknown loops "projectd"; did you mean "projected"'),
        (lambda: mb.Transformation("stabilized", alpha=-1.0), "alpha -1.0 is no feedback; give a number of at least 0"),
        (lambda: mb.Transformation("stabilized", beta=float("nan")), "transformation: beta nan is no feedback"),
    ],
)
def test_bad_options(make: Any, message: str) -> None:
    with pytest.raises(mb.ModelError, match=message):
        make()


def test_an_unknown_formulation_has_neighbors() -> None:
    with pytest.raises(mb.ModelError, match=r'unknown formulation "recursiv"; did you mean "recursive"'):
        mb.load("pendulum").run(0.1, formulation="recursiv")


# --- without mass -----------------------------------------------------------------------------------------------------


def fishing(dimension: int, mass: float = 0.0) -> mb.Model:
    """Return a rod with a hook at its end that has no mass."""
    zero = (0,) * (dimension - 2)
    m = mb.Model("fishing", dimension=dimension, gravity=(0, -9.81, *zero))
    m.body("rod", mass=1.0, inertia=0.1 if dimension == 2 else (0.1, 0.1, 0.1), com=(0.5, 0, *zero))
    m.body("hook", mass=mass, inertia=0.1 * mass if dimension == 2 else (0.1 * mass,) * 3, com=(1.1, 0, *zero))
    m.revolute("O", "ground", "rod", at=(0, 0, *zero))
    m.revolute("H", "rod", "hook", at=(1, 0, *zero))
    return m


@each
@pytest.mark.parametrize("dimension", [2, 3])
def test_an_end_body_without_mass_is_named(dimension: int, formulation: Any) -> None:
    with pytest.raises(mb.ModelError, match="hook"):
        fishing(dimension).run(0.1, formulation=formulation)
    assert fishing(dimension, 1e-3).run(0.1, formulation=formulation).ok


@each
def test_bodies_without_mass_within_a_chain(formulation: Any) -> None:
    def chain(mass: float) -> mb.Model:
        m = mb.Model("chain", gravity=(0, 0, -9.81))
        m.body("ring", mass=mass, inertia=(0, 0, 0))  # a gimbal: what it carries gives it inertia
        m.body("weight", mass=2.0, inertia=(0.1, 0.2, 0.3), com=(0.2, 0.1, -0.5))
        m.revolute("A", "ground", "ring", axis=(1, 0, 0))
        m.revolute("B", "ring", "weight", axis=(0, 1, 0))
        m.initial({"A.rate": 1.0, "B.rate": -0.5})
        return m

    cross = mb.Model("cross", gravity=(0, 0, -9.81))
    cross.body("weight", mass=2.0, inertia=(0.1, 0.2, 0.3), com=(0.2, 0.1, -0.5))
    cross.universal("U", "ground", "weight", axes=[(1, 0, 0), (0, 1, 0)])
    cross.initial({"U.angle1.rate": 1.0, "U.angle2.rate": -0.5})
    run, expected = exact(chain(0.0), 1.0, formulation), exact(cross, 1.0)
    assert run["A"].values == pytest.approx(expected["U.angle1"].values, abs=1e-9)
    assert run["B"].values == pytest.approx(expected["U.angle2"].values, abs=1e-9)


@every
def test_a_massless_rod_in_a_loop(formulation: Any) -> None:
    def linkage(kind: str) -> mb.Model:
        m = mb.Model("linkage", dimension=2, gravity=(0, -9.81))
        m.body("crank", mass=1.0, inertia=0.02, com=(0.1, 0), frames={"pin": (0.2, 0)})
        m.body("rocker", mass=2.0, inertia=0.1, com=(0.2, 0), frames={"pin": (0.4, 0)}, at=(0.6, 0))
        m.revolute("O", "ground", "crank")
        m.revolute("R", "ground", "rocker", at=(0.6, 0))
        if kind == "rod":
            m.body("rod", mass=0, inertia=0, frames={"end": (0.5, 0)})
            m.revolute("A", "crank.pin", "rod")
            m.revolute("B", "rod.end", "rocker.pin")
        else:
            m.distance("AB", "crank.pin", "rocker.pin", length=0.5)
        m.initial({"O": 0.5, "O.rate": 4.0}, guess={"R": 1.7} | ({"rod.angle": 0.5} if kind == "rod" else {}))
        return m

    expected = exact(linkage("distance"), 1.0)
    if formulation.name == "articulated":
        with pytest.raises(
            mb.ModelError, match=r'body "rod": articulated cannot move it: [AB]\.angle moves no mass; .*recursive'
        ):
            linkage("rod").run(1.0, formulation=formulation)
        return
    run = exact(linkage("rod"), 1.0, formulation)
    for path in ("O", "R", "O.rate", "R.rate"):
        assert run[path].values == pytest.approx(expected[path].values, abs=1e-8)


# --- size -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["recursive", "transformation"])
def test_full_matrices_have_a_limit(name: str) -> None:
    with pytest.raises(
        mb.ModelError, match=f"1001 joint coordinates are too many, {name} forms a full matrix .* use articulated"
    ):
        mb.load("chain", n=1001).run(0.001, formulation=METHODS[name])


def test_many_loops_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    from multibody.formulations.spaces import joint_space

    monkeypatch.setattr(joint_space, "MOST_LOOPS", 15)
    with pytest.raises(mb.ModelError, match=r"20 loop equations are too many for articulated, which takes 15; use augmented"):
        mb.load("iftomm-n-four-bar", n=10).run(0.001, formulation="articulated")


def test_a_chain_of_two_thousand_links() -> None:
    run = mb.load("chain", n=2000).run(0.01, formulation="articulated", output_step=0.005, dense=False)
    assert run.ok
    assert run.certificate["energy_drift"] < 1e-6
    fall = 0.5 * 9.81 * 0.01**2
    assert float(run["link2000.y"].values[-1]) == pytest.approx(-fall, rel=1e-6)  # the far end does not know of the pivot yet
    assert abs(float(run["link1.y"].values[-1])) < 0.1 * fall


def test_a_longer_chain() -> None:
    expected = exact(mb.load("chain", n=20), 0.05)
    for name in METHODS:
        assert worst(exact(mb.load("chain", n=20), 0.05, METHODS[name]), expected) < 1e-8, name


# --- singular ---------------------------------------------------------------------------------------------------------


def gimbals(second: float, rate: float) -> mb.Model:
    """Return a rotor in two massless rings, with the outer and inner axes at an angle; at 90° they fall together."""
    m = mb.Model("gimbals")
    for name in ("outer", "inner"):
        m.body(name, mass=0.0, inertia=(0, 0, 0))
    m.body("rotor", mass=1.0, inertia=(0.1, 0.12, 0.2))
    m.revolute("A", "ground", "outer", axis=(0, 0, 1))
    m.revolute("B", "outer", "inner", axis=(0, 1, 0))
    m.revolute("C", "inner", "rotor", axis=(1, 0, 0))
    m.initial({"A": 0.0, "B": second, "C": 0.0, "A.rate": 0.3, "B.rate": rate, "C.rate": 2.0})
    return m


@each
def test_gimbals_turn_as_a_ball(formulation: Any) -> None:
    ball = mb.Model("ball")
    ball.body("rotor", mass=1.0, inertia=(0.1, 0.12, 0.2))
    ball.spherical("S", "ground", "rotor")
    model = gimbals(0.2, 0.5)
    omega = model.assemble()
    turned = {"rotor.rotation": {"euler": {"ZYX": [0.0, 0.2, 0.0]}}}
    ball.initial({**turned, **{f"rotor.omega.{x}": float(omega[f"rotor.omega.{x}"]) for x in "xyz"}})
    run, expected = exact(model, 1.0, formulation), exact(ball, 1.0)
    for x in "xyz":
        assert run[f"rotor.omega.{x}"].values == pytest.approx(expected[f"rotor.omega.{x}"].values, abs=1e-8)


@each
def test_gimbal_lock_is_never_silent(formulation: Any) -> None:
    with pytest.raises((mb.ModelError, mb.AnalysisError)) as caught:
        gimbals(np.pi / 2, 0.0).run(1.0, formulation=formulation)
    assert "outer" in str(caught.value) or "inner" in str(caught.value) or "rotor" in str(caught.value)


@each
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_running_into_gimbal_lock_says_so_or_passes(formulation: Any) -> None:
    model = gimbals(1.2, 2.0)
    for body in ("outer", "inner"):
        assert float(model.bodies[body].mass or 0) == 0.0
    run = model.run(1.0, formulation=formulation, rtol=1e-8)
    assert np.all(np.isfinite(run.motion.q)) and np.all(np.isfinite(run.motion.v)) and np.all(np.isfinite(run.motion.a))
    if run.ok:
        assert run.certificate["energy_drift"] < 1e-5
    else:
        assert run.status.message and run.status.time_reached > 0.0


@each
def test_a_universal_joint_has_no_lock(formulation: Any) -> None:
    m = mb.Model("cross", gravity=(0.3, 0, -9.81))
    m.body("weight", mass=2.0, inertia=(0.1, 0.2, 0.3), com=(0.2, 0.1, -0.5))
    m.universal("U", "ground", "weight", axes=[(1, 0, 0), (0, 1, 0)])
    m.initial({"U.angle1": 0.1, "U.angle2": 1.2, "U.angle2.rate": 3.0, "U.angle1.rate": 0.5})
    run, expected = exact(m, 1.0, formulation), exact(m, 1.0)
    assert np.max(run["U.angle2"].values) > np.pi / 2  # past the right angle
    assert worst(run, expected) < 1e-8
