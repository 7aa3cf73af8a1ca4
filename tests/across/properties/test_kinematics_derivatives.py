"""Velocities and accelerations of kinematics against eighth-order central differences of its own positions."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given

import multibody as mb
from across.properties.strategies import Floats, Mechanism, driven, examples, seeds, single_loops, trees
from multibody.state.poses import matrix_of

FIRST = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0.0, 4 / 5, -1 / 5, 4 / 105, -1 / 280])
SECOND = np.array([-1 / 560, 8 / 315, -1 / 5, 8 / 5, -205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560])
STEP = 0.02
LINKS = ("revolute", "translational", "fixed")
CHAIN = ("revolute", "translational", "cylindrical", "screw", "universal", "spherical", "planar", "fixed")


def around(instants: list[float], step: float = STEP) -> Floats:
    """Return a grid with nine points around each instant."""
    return np.concatenate([t + step * np.arange(-4, 5) for t in instants])


def differences(values: Floats, step: float = STEP) -> tuple[Floats, Floats]:
    """Return first and second derivative at the middle of each nine instants (first axis)."""
    blocks = values.reshape(-1, 9, *values.shape[1:])
    return (
        np.einsum("k,nk...->n...", FIRST, blocks) / step,
        np.einsum("k,nk...->n...", SECOND, blocks) / step**2,
    )


def agree(found: Floats, expected: Floats, tolerance: float, what: str) -> None:
    scale = max(1.0, float(np.max(np.abs(expected))))
    assert np.max(np.abs(found - expected)) < tolerance * scale, what


def check_scalar(run: Any, path: str, step: float = STEP) -> None:
    """Compare .rate and .acceleration of a path with differences of its values."""
    value, rate, acceleration = (run.measurer(path + suffix).values for suffix in ("", ".rate", ".acceleration"))
    first, second = differences(value, step)
    agree(rate[4::9], first, 1e-8, f"{path}.rate")
    agree(acceleration[4::9], second, 1e-6, f"{path}.acceleration")


def check_turning(run: Any, body: str) -> None:
    """Compare ω and ω̇ of a body with differences of its rotation matrices: ω̃ = Ȧ Aᵀ."""
    A = matrix_of(run.measurer(f"{body}.rotation").values)
    first, second = differences(A)
    middle = A[4::9]
    for found, matrix, tolerance in (
        (".", first @ middle.transpose(0, 2, 1), 1e-8),
        (".acceleration", second @ middle.transpose(0, 2, 1) + first @ first.transpose(0, 2, 1), 1e-6),
    ):
        vector = np.stack([matrix[:, 2, 1], matrix[:, 0, 2], matrix[:, 1, 0]], -1)
        suffix = "" if found == "." else found
        own = np.stack([run.measurer(f"{body}.omega.{axis}{suffix}").values[4::9] for axis in "xyz"], -1)
        agree(own, vector, tolerance, f"{body}.omega{suffix}")


def check_ball(run: Any, joint: str) -> None:
    """Compare ω of a joint (first frame's axes) with differences of its relative rotation."""
    A = matrix_of(run.measurer(f"{joint}.rotation").values)
    first, second = differences(A)
    middle = A[4::9].transpose(0, 2, 1)
    rate, change = first @ middle, second @ middle + first @ first.transpose(0, 2, 1)
    for suffix, matrix, tolerance in (("", rate, 1e-8), (".acceleration", change, 1e-6)):
        vector = np.stack([matrix[:, 2, 1], matrix[:, 0, 2], matrix[:, 1, 0]], -1)
        own = np.stack([run.measurer(f"{joint}.omega.{axis}{suffix}").values[4::9] for axis in "xyz"], -1)
        agree(own, vector, tolerance, f"{joint}.omega{suffix}")


def check_all(mechanism: Mechanism) -> None:
    """Check bodies, frames, joint coordinates and outputs at several instants."""
    model = mechanism.model()
    coordinate = mechanism.motions[0].coordinate
    last = mechanism.bodies[-1].name
    model.output("mixed", f"sin({coordinate})*{last}.Q.x^2 - {last}.y*exp(-0.3*t) + atan2({last}.origin.y, 7)")
    model.output("twice", f"mixed*{coordinate} + 0.5*mixed^2")
    model.output("speed", f"{last}.Q.x.rate*{last}.y")
    run = model.kinematics(times=around([0.4, 1.3, 2.9]))
    assert run.ok, run.status
    axes = "xyz"[: mechanism.dimension]
    for body in mechanism.bodies:
        for axis in axes:
            check_scalar(run, f"{body.name}.{axis}")
            check_scalar(run, f"{body.name}.Q.{axis}")
        if mechanism.dimension == 2:
            check_scalar(run, f"{body.name}.angle")
        else:
            check_turning(run, body.name)
    for joint in mechanism.joints:
        for item in joint.drawn:
            check_scalar(run, f"{joint.name}.{item}")
        if joint.kind == "screw":
            check_scalar(run, f"{joint.name}.position")
        if joint.kind == "spherical":
            check_ball(run, joint.name)
    check_scalar(run, "mixed")
    check_scalar(run, "twice")
    first, _ = differences(run.measurer("speed").values)
    agree(run.measurer("speed.rate").values[4::9], first, 1e-8, "speed.rate")


@pytest.mark.parametrize(("dimension", "kinds", "low", "high"), [(2, LINKS, 4, 6), (3, CHAIN, 7, 9)])
def test_random_loops(dimension: int, kinds: tuple[str, ...], low: int, high: int) -> None:
    @examples(15)
    @given(single_loops(dimension, kinds, low, high), seeds)
    def holds(mechanism: Mechanism, seed: int) -> None:
        moved = driven(mechanism, np.random.default_rng(seed))
        assume(moved is not None)
        assert moved is not None
        check_all(moved)

    holds()


@pytest.mark.parametrize("dimension", [2, 3])
def test_random_trees(dimension: int) -> None:
    kinds = ("revolute", "translational", "fixed", "free") if dimension == 2 else (
        "revolute", "translational", "cylindrical", "screw", "universal", "planar", "fixed")  # fmt: skip

    @examples(12)
    @given(trees(dimension, 4, kinds), seeds)
    def holds(mechanism: Mechanism, seed: int) -> None:
        moved = driven(mechanism, np.random.default_rng(seed), amplitude=1.0)
        assume(moved is not None)
        assert moved is not None
        check_all(moved)

    holds()


def test_points_lengths_and_springs() -> None:
    """Quantities that no joint names: a driven point, a spring's length, a distance, a frame's point."""
    m = mb.Model("slotted", dimension=2)
    m.frames(S=(-0.7, 0.9))
    m.body("arm", com=(0.3, 0.1), frames={"P": (0.9, 0.2)})
    m.body("hand", com=(-0.1, 0.2), frames={"P": (0.5, -0.3)}, at=(0.9, 0.2), angle=1.0)
    m.revolute("O", "ground", "arm")
    m.revolute("A", "arm.P", "hand")
    m.spring("coil", "ground.S", "hand.P", stiffness=1.0)
    m.motion("hand.P.x", "0.7 + 0.2*sin(t)")
    m.motion("coil", "1.9 + 0.1*cos(1.3*t)")
    run = m.kinematics(times=around([0.5, 2.0]))
    assert run.ok
    for path in ("coil", "coil.length", "hand.P.x", "hand.P.y", "O", "A", "arm.x", "hand.angle"):
        check_scalar(run, path)
    t = run.time
    assert np.max(np.abs(run["hand.P.x"] - 0.7 - 0.2 * np.sin(t))) < 1e-12
    assert np.max(np.abs(run["coil.length.acceleration"] + 0.169 * np.cos(1.3 * t))) < 1e-11


def test_cams_gears_and_couplers() -> None:
    """Rows on coordinates: an extra coordinate (contact), a gear's wheel and a coupler, all driven through one motion."""
    m = mb.Model("train", dimension=2)
    for body in ("cam", "follower", "wheel", "slide"):
        m.body(body, com=(0.01, 0.02))
    m.revolute("O", "ground", "cam")
    m.translational("guide", "ground", "follower", axis=(0, 1))
    m.cam("contact", "cam", "follower", profile="0.3 + 0.05*cos(phi - 0.4) + 0.01*sin(3*phi)", roller=0.08)
    m.revolute("W", "ground", "wheel", at=(1.0, 0.5))
    m.gear("mesh", "cam", "wheel", teeth=[20, 33])
    m.translational("S", "ground", "slide", at=(0, 2), axis=(1, 0.5))
    m.coupler("law", "S - 0.3*sin(W)*guide^2 - 0.1*t")
    m.motion("O", "t + 0.2*sin(2*t)")
    m.initial(guess={"guide": 0.4})
    run = m.kinematics(times=around([0.3, 1.1, 2.5]))
    assert run.ok
    for path in ("contact.contact", "guide", "W", "S", "follower.y", "slide.x", "wheel.angle"):
        check_scalar(run, path)


def test_a_table_as_motion() -> None:
    """A natural or periodic spline through points: smooth to second order between its knots."""
    m = mb.Model("table", dimension=2)
    knots = np.linspace(0.0, 2.0 * np.pi, 9)
    m.table("law", knots, np.sin(knots) + 0.3 * np.cos(2 * knots), kind="periodic")
    m.body("arm", com=(0.3, 0.1))
    m.revolute("O", "ground", "arm")
    m.motion("O", "law(1.1*t)")
    middle = [float(0.5 * (a + b) / 1.1) for a, b in pairwise(knots[:4])]
    run = m.kinematics(times=around(middle))
    for path in ("O", "arm.x", "arm.y"):
        check_scalar(run, path)
    at_knots = m.kinematics(times=knots / 1.1)
    assert np.max(np.abs(at_knots["O"].values - np.sin(knots) - 0.3 * np.cos(2 * knots))) < 1e-12
