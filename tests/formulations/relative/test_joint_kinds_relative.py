"""Every pair within a tree, walked either way, and cut, with all kinds of forces on it; constraints that are no pairs."""

from __future__ import annotations

from typing import Any

import pytest

import multibody as mb
from analyses.reactions.test_reactions_balance import PAIRS, cam, coupler, distance, gear, perpendicular, planar, rack, solid
from formulations.relative.agreement import CLOSINGS, METHODS, exact, worst
from multibody.model.joints import KINDS

EDGES = [key for key in PAIRS if KINDS[key[0]].pair]
OTHERS = [key for key in PAIRS if not KINDS[key[0]].pair]
FINE: dict[str, Any] = {"rtol": 1e-12, "atol": 1e-13}  # stops have a kink in their second derivative, which costs digits


def chain(kind: str, d: int, backward: bool, damping: float = 0.2) -> mb.Model:
    """Return ground – a – b – c with the kind between a and b, and forces of every sort on its coordinates and bodies."""
    m, rng = (planar if d == 2 else solid)(3)
    m.body("c", mass=0.6, inertia=0.1 if d == 2 else (0.1, 0.12, 0.15), com=rng.normal(size=d) * 0.2, at=rng.normal(size=d))
    turn = {} if d == 2 else {"axis": rng.normal(size=3)}
    more = {} if d == 2 else {"axes": perpendicular(rng)}
    m.joint("revolute" if d == 2 else "universal", "first", "ground", "a", at=rng.normal(size=d), **more)
    joint = m.joint(kind, "J", *("ba" if backward else "ab"), at=rng.normal(size=d), **PAIRS[kind, d](rng))
    m.revolute("last", *("cb" if backward else "bc"), at=rng.normal(size=d), **turn)
    names = [f"J.{item}" for item in joint.names_of_coordinates(d)]
    for k, path in enumerate(names):
        m.effort(f"motor{k}", path, value="2 + sin(3*t)", stiffness=3.0, rest=0.1, damping=damping)
        m.friction(f"rub{k}", path, coulomb=0.1, load=1.0, viscous=0.1, smooth=0.5)
        m.stop(f"stop{k}", path, lower=-0.3, upper=0.3, stiffness=20.0, damping=0.5, smooth=0.05)
    moment = 1.3 if d == 2 else tuple(rng.normal(size=3))
    m.force("push", "b.P", value=tuple(rng.normal(size=d) * 3), moment=moment, axes="body")
    m.spring("line", "ground", "b.P", stiffness=20.0, damping=0.5, length=0.4)
    soft = (30.0, 40.0, 0.0) if d == 2 else (30.0, 40.0, 50.0, 1.0, 2.0, 0.0)
    m.bushing("rubber", "a.P", "c", stiffness=soft, damping=tuple(0.02 * c for c in soft))
    m.initial({f"{path}.rate": float(rng.uniform(0.5, 1.5)) for path in names})
    m.initial({"first.rate" if d == 2 else "first.angle1.rate": 1.0, "last.rate": -2.0})
    return m


@pytest.mark.parametrize("backward", [False, True], ids=["forward", "backward"])
@pytest.mark.parametrize(("kind", "d"), EDGES)
def test_a_pair_in_the_tree_and_cut(kind: str, d: int, backward: bool) -> None:
    model = chain(kind, d, backward)
    expected = exact(model, 0.3, **FINE)
    chosen = list(METHODS.values())
    if kind != "free":
        chosen += [mb.Recursive(["J"]), mb.Articulated(["first", "last"]), mb.Transformation("partitioned", cut=["J"])]
    for formulation in chosen:
        run = exact(model, 0.3, formulation, **FINE)
        assert worst(run, expected) < 1e-8, formulation
        assert run.balance().relative < 1e-10
        assert run.certificate["energy_drift"] < 1e-7


@pytest.mark.parametrize(("kind", "d"), OTHERS)
def test_a_constraint_that_is_no_pair(kind: str, d: int) -> None:
    model = chain(kind, d, False)
    expected = exact(model, 0.3, **FINE)
    for name, formulation in CLOSINGS.items():
        run = exact(model, 0.3, formulation, **FINE)
        assert worst(run, expected) < 1e-8, name
        assert run.balance().relative < 1e-10


RELATIONS: dict[str, Any] = {
    "distance": distance, "gear": gear, "rack": rack, "coupler": coupler, "cam-roller": lambda d: cam(d, roller=0.008),
    "cam-flat": lambda d: cam(d, flat=(0, -1) if d == 2 else (0, -1, 0)), "cam-knife": cam,
}  # fmt: skip


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("name", RELATIONS)
def test_relations_between_coordinates(name: str, d: int) -> None:
    model = RELATIONS[name](d)
    expected = exact(model, 0.2)
    for title, formulation in CLOSINGS.items():
        if name.startswith("cam") and title == "articulated":
            with pytest.raises(mb.ModelError, match="articulated does not take cams: their contact has no mass; use recursive"):
                model.run(0.2, formulation=formulation)
            continue
        run = exact(model, 0.2, formulation)
        assert worst(run, expected) < 1e-8, title
        assert run.balance().relative < 1e-10
        assert run.certificate["energy_drift"] < 1e-8


@pytest.mark.parametrize("name", METHODS)
def test_a_planetary_train_with_a_torque(name: str) -> None:
    model = mb.load("planetary", n=4, drive="torque")
    expected, run = exact(model, 0.5), exact(model, 0.5, METHODS[name])
    assert worst(run, expected, "position", "velocity", "coordinate") < 1e-8
    ratio = run["C.rate"].values[-1] / run["S.rate"].values[-1]
    teeth = {key: model.parameters[key].value for key in ("zs", "zp")}
    assert ratio == pytest.approx(teeth["zs"] / (2 * (teeth["zs"] + teeth["zp"])), rel=1e-9)


def test_the_comparison_can_fail() -> None:
    one, other = chain("cylindrical", 3, False), chain("cylindrical", 3, False, damping=0.2001)
    assert worst(exact(one, 0.3, "recursive"), exact(other, 0.3)) > 1e-6
