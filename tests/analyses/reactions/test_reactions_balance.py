"""Reactions of every kind of joint hold their bodies in the motion that was saved."""

from __future__ import annotations

import pathlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import multibody as mb
from analyses.reactions.free_bodies import residual, saved
from multibody.model.joints import KINDS

STEP = 1e-3
TOLERANCE = 1e-7


def planar(seed: int) -> tuple[mb.Model, np.random.Generator]:
    """Return two planar bodies in general position."""
    rng = np.random.default_rng(seed)
    m = mb.Model("small", dimension=2, gravity=(0.7, -9.81))
    for name in "ab":
        m.body(
            name, mass=rng.uniform(0.5, 2), inertia=rng.uniform(0.1, 0.3), com=rng.normal(size=2) * 0.2, at=rng.normal(size=2),
            angle=rng.uniform(-3, 3), frames={"P": {"at": rng.normal(size=2) * 0.3, "angle": rng.uniform(-3, 3)}},
        )  # fmt: skip
    return m, rng


def solid(seed: int) -> tuple[mb.Model, np.random.Generator]:
    """Return two spatial bodies in general position."""
    rng = np.random.default_rng(seed)
    m = mb.Model("small", gravity=(0.7, -3.0, -9.0))
    for name in "ab":
        root = rng.normal(size=(3, 3)) * 0.3
        m.body(
            name, mass=rng.uniform(0.5, 2), inertia=(0.3 * root @ root.T + 0.3 * np.eye(3)).tolist(),
            com=rng.normal(size=3) * 0.2, at=rng.normal(size=3), rotvec=rng.normal(size=3),
            frames={"P": {"at": rng.normal(size=3) * 0.3, "rotvec": rng.normal(size=3)}},
        )  # fmt: skip
    return m, rng


def start(m: mb.Model, rng: np.random.Generator, *paths: str) -> mb.Model:
    """Give the named coordinates initial rates, and push the second body."""
    m.initial({f"{path}.rate": float(rng.uniform(0.5, 1.5)) for path in paths})
    d = m.dimension
    m.force(
        "push", "b.P", value=tuple(rng.normal(size=d) * 3), moment=1.3 if d == 2 else tuple(rng.normal(size=3)), axes="body"
    )
    m.spring("line", "ground", "b.P", stiffness=20.0, damping=0.5, length=0.4)
    return m


def pair(kind: str, fields: Callable[[np.random.Generator], dict[str, Any]], d: int, seed: int) -> mb.Model:
    """Return ground – a – b, the second joint of the given kind, with an effort on its coordinate where it has one."""
    m, rng = (planar if d == 2 else solid)(seed)
    m.joint("revolute" if d == 2 else "universal", "first", "ground", "a", at=rng.normal(size=d),
            **({} if d == 2 else {"axes": perpendicular(rng)}))  # fmt: skip
    joint = m.joint(kind, "J", "a", "b", at=rng.normal(size=d), **fields(rng))
    names = joint.names_of_coordinates(d)
    for item in names[:1]:
        m.effort("motor", f"J.{item}", value="2 + sin(3*t)", stiffness=3.0, damping=0.2)
    return start(m, rng, *(["first"] if d == 2 else ["first.angle1"]), *(f"J.{item}" for item in names[:2]))


def perpendicular(rng: np.random.Generator) -> list[list[float]]:
    a, b = rng.normal(size=(2, 3))
    return [a.tolist(), np.cross(a, b).tolist()]


def axis(d: int, **more: Any) -> Callable[[np.random.Generator], dict[str, Any]]:
    return lambda rng: {"axis": rng.normal(size=d).tolist(), **more}


def none(rng: np.random.Generator) -> dict[str, Any]:
    return {}


PAIRS: dict[tuple[str, int], Callable[[np.random.Generator], dict[str, Any]]] = {
    ("fixed", 2): none, ("revolute", 2): none, ("translational", 2): axis(2), ("free", 2): none,
    ("fixed", 3): none, ("revolute", 3): axis(3), ("translational", 3): axis(3), ("cylindrical", 3): axis(3),
    ("screw", 3): axis(3, lead=0.4), ("universal", 3): lambda rng: {"axes": perpendicular(rng)}, ("spherical", 3): none,
    ("planar", 3): axis(3), ("free", 3): none, ("point_on_line", 2): axis(2), ("point_on_line", 3): axis(3),
    ("point_on_plane", 3): axis(3), ("parallel", 2): none, ("parallel", 3): axis(3),
}  # fmt: skip


def distance(d: int) -> mb.Model:
    m, rng = (planar if d == 2 else solid)(5)
    m.joint("revolute" if d == 2 else "spherical", "first", "ground", "a", at=rng.normal(size=d))
    state = m.assemble()
    gap = [state[f"b.P.{x}"] - state[f"a.P.{x}"] for x in "xyz"[:d]]
    m.distance("J", "a.P", "b.P", length=float(np.linalg.norm(gap)))
    return start(m, rng)


def gear(d: int) -> mb.Model:
    """Two wheels on an arm that turns itself."""
    m = mb.Model("gears", dimension=d, gravity=(0.0, -9.81) if d == 2 else (0.0, -6.0, -7.0))
    flat = {"mass": 1.0, "inertia": 0.2 if d == 2 else (0.2, 0.3, 0.4)}
    off = (0.05, 0.02) if d == 2 else (0.05, 0.02, 0.03)
    for name, x in (("arm", 0.0), ("a", 0.2), ("b", 0.5)):
        m.body(name, **flat, com=off, at=(x, 0.1) if d == 2 else (x, 0.1, 0.2))
    for name, first, second, x in (("first", "ground", "arm", 0.0), ("A", "arm", "a", 0.2), ("B", "arm", "b", 0.5)):
        m.revolute(name, first, second, at=(x, 0.1) if d == 2 else (x, 0.1, 0.2))
    m.gear("J", "a", "b", carrier="arm", radii=(0.1, 0.2))
    m.initial({"first.rate": 1.0, "A.rate": 3.0})
    m.effort("motor", "B", value=0.8)
    return m


def rack(d: int) -> mb.Model:
    m = mb.Model("rack", dimension=d, gravity=(2.0, -9.81) if d == 2 else (2.0, -6.0, -7.0))
    flat = {"mass": 1.0, "inertia": 0.2 if d == 2 else (0.2, 0.3, 0.4)}
    zero = (0.0,) * (d - 2)
    m.body("a", **flat, com=(0.05, 0.02, *zero))
    m.body("b", **flat, com=(0.1, 0.2, *zero), at=(0.0, -0.2, *zero))
    m.revolute("A", "ground", "a")
    m.translational("B", "ground", "b", axis=(1.0, 0.0, *zero), at=(0.0, -0.2, *zero))
    m.rack("J", "a", "b", radius=0.2, axis=(1.0, 0.0, *zero))
    m.initial({"A.rate": 1.0})
    return m


def cam(d: int, **follower: Any) -> mb.Model:
    """Return a cam that turns freely under a follower with a spring."""
    zero = (0.0,) * (d - 2)
    m = mb.Model("cam", dimension=d, gravity=(0.0, -9.81, *zero))
    flat = {"mass": 0.5, "inertia": 4e-3 if d == 2 else (4e-3, 5e-3, 6e-3)}
    m.body("cam", **flat, com=(0.004, 0.002, *zero))
    m.body("b", **flat, com=(0.01, 0.0, *zero))
    m.revolute("O", "ground", "cam")
    m.translational("guide", "ground", "b", axis=(0.0, 1.0, *zero))
    m.cam("J", "cam", "b", profile="0.03 + 0.01*(1 - cos(phi))/2", **follower)
    m.effort("valve", "guide", stiffness=400.0, rest=-0.1, damping=1.0)
    m.initial({"O": 0.3, "O.rate": 12.0}, guess={"guide": 0.04})
    return m


def coupler(d: int) -> mb.Model:
    m, rng = (planar if d == 2 else solid)(8)
    for name, body in (("A", "a"), ("B", "b")):
        m.revolute(name, "ground", body, at=rng.normal(size=d), **({} if d == 2 else {"axis": rng.normal(size=3).tolist()}))
    m.coupler("J", "A - 0.5*B - 0.1*sin(B) + 0.05*t")
    return start(m, rng, "A")


CASES: dict[str, Callable[[], mb.Model]] = {
    f"{kind}-{d}": (lambda kind=kind, d=d, fields=fields: pair(kind, fields, d, 3)) for (kind, d), fields in PAIRS.items()
}  # fmt: skip
for _d in (2, 3):
    CASES |= (
        {
            f"{make.__name__}-{_d}": (lambda make=make, d=_d: make(d))
            for make in (distance, gear, rack, coupler)  # type: ignore[misc]
        }
        | {
            f"cam-knife-{_d}": lambda d=_d: cam(d),  # type: ignore[misc]
            f"cam-roller-{_d}": lambda d=_d: cam(d, roller=0.01),  # type: ignore[misc]
            f"cam-flat-{_d}": lambda d=_d: cam(d, flat=(0.0, 1.0, 0.0)[:d]),  # type: ignore[misc]
        }
    )


def test_every_kind_is_here() -> None:
    kinds = {name.rpartition("-")[0].partition("-")[0] for name in CASES}
    assert kinds == set(KINDS)


def small_run(model: mb.Model) -> Any:
    return model.run(until=0.06, rtol=1e-11, atol=1e-13, output_step=STEP)


@pytest.mark.parametrize("name", CASES)
def test_free_bodies_balance(name: str, tmp_path: pathlib.Path) -> None:
    run = small_run(CASES[name]())
    assert run.ok
    assert residual(saved(run, tmp_path)) < TOLERANCE
    assert run.balance().relative < 1e-9
    assert run.certificate["reaction_balance"] < 1e-9


@pytest.mark.parametrize("name", ["revolute-2", "translational-2", "revolute-3", "screw-3", "universal-3", "cam-roller-2"])
def test_a_wrong_sign_or_point_is_seen(name: str, tmp_path: pathlib.Path) -> None:
    data = saved(small_run(CASES[name]()), tmp_path)
    good = residual(data)
    for key in ("total_force", "reaction_point"):
        wrong = data.copy(deep=True)
        if key == "total_force":
            wrong[key][:, -1] *= -1.0
        else:
            wrong[key][:, -1, 0] += 0.01
            wrong[key][:, -1, 1] -= 0.02
        assert residual(wrong) > 1e3 * max(good, 1e-9)
    wrong = data.copy(deep=True)
    wrong["on_body"], wrong["first_body"] = data["first_body"], data["on_body"]  # the wrench on the other body
    assert residual(wrong) > 1e3 * max(good, 1e-9)


@pytest.mark.parametrize("name", ["revolute-3", "screw-3", "translational-2"])
def test_the_effort_is_part_of_the_total_and_not_of_the_reaction(name: str) -> None:
    run = small_run(CASES[name]())
    joint = run.model.joints["J"]
    kind = joint.names_of_coordinates(run.tables.dimension)[0]
    axes = run.measurer.forces.reactions.axes_of("J", 0)
    h = axes[:, :, 2] if run.tables.dimension == 3 else axes[:, :, 0]
    part = "force" if kind == "position" else "moment"
    reaction, total = (run[f"J.{word}.{part}"].values for word in ("reaction", "total"))
    along = np.einsum("ti,ti->t", total - reaction, h)
    assert np.max(np.abs(along - run["J.effort"].values)) < 1e-9
    assert np.max(np.abs(run["J.effort"].values - run["motor.effort"].values)) == 0.0
    if name != "screw-3":  # an ideal joint does no work along its own coordinate
        assert np.max(np.abs(np.einsum("ti,ti->t", reaction, h))) < 1e-7


def test_reactions_of_cams_act_along_the_normal_at_the_contact() -> None:
    for name in ("cam-roller-2", "cam-flat-2", "cam-roller-3", "cam-flat-3", "cam-knife-2"):
        run = small_run(CASES[name]())
        contact = run.reactions("J")
        size = float(np.max(np.abs(contact.force)))
        assert np.max(np.abs(contact.moment.values)) < 1e-9 * size
        assert contact.attrs["point"] == "contact"
        phi = run["J.contact"].values
        point = contact.point.values[:, :2]
        radius = 0.03 + 0.005 * (1 - np.cos(phi))
        assert np.max(np.abs(np.hypot(*point.T) - radius)) < 1e-10
        slope = 0.005 * np.sin(phi)
        angle = run["O"].values + phi
        tangent = np.stack([slope * np.cos(angle) - radius * np.sin(angle), slope * np.sin(angle) + radius * np.cos(angle)], 1)
        assert np.max(np.abs(np.einsum("ti,ti->t", contact.force.values[:, :2], tangent))) < 1e-8 * size
