"""Every spatial joint in motion against equations in minimal coordinates that are written here by hand.

Bodies are drawn on the ground frame and joints made in place, so that a chain is a product of displacements from the drawing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import multibody as mb
from analyses.dynamics.checks import Floats
from analyses.dynamics.lagrange import Minimal, Place, Pose, ball, moved, shift, turn
from analyses.dynamics.oracle_cases import Case, errors, kinds
from multibody.model.joints import KINDS

G = (0.7, -0.4, -9.81)
J1 = [[0.5, 0.02, 0.03], [0.02, 0.6, -0.04], [0.03, -0.04, 0.7]]
J2 = [[0.2, -0.01, 0.02], [-0.01, 0.3, 0.03], [0.02, 0.03, 0.25]]
J3 = (0.1, 0.15, 0.2)
C1, C2, C3 = (0.3, 0.1, -0.2), (0.8, -0.3, 0.4), (1.1, 0.5, 0.6)  # drawn centers of mass


def drawn(name: str, *bodies: tuple[float, object, Sequence[float]]) -> mb.Model:
    """Return a model with bodies b1, b2, … drawn on the ground frame."""
    m = mb.Model(name, gravity=G)
    for k, (mass, inertia, com) in enumerate(bodies, 1):
        m.body(f"b{k}", mass=mass, inertia=inertia, com=com)
    return m


def chain() -> Case:
    """Return revolute, translational and cylindrical joints with skew axes, springs and dampers on them."""
    m = drawn("chain", (1.0, J1, C1), (2.0, J2, C2), (3.0, J3, C3))
    m.revolute("R", "ground", "b1", at=(0.1, 0.2, 0.3), axis=(1, 2, 3))
    m.translational("T", "b1", "b2", at=(0.4, 0.1, 0), axis=(1, -1, 0.5))
    m.cylindrical("C", "b2", "b3", at=(1, 0, 0), axis=(0, 1, 1))
    m.effort("spring", "T", stiffness=50, rest=0.1, damping=2)
    m.effort("twist", "C.angle", stiffness=3)
    m.effort("push", "C.position", stiffness=25, damping=1)

    def embed(u: Floats, t: Floats) -> list[Pose]:
        one = turn((1, 2, 3), u[:, 0], (0.1, 0.2, 0.3))
        two = one @ shift((1, -1, 0.5), u[:, 1])
        three = two @ shift((0, 1, 1), u[:, 2]) @ turn((0, 1, 1), u[:, 3], (1, 0, 0))
        return [one.pose(C1), two.pose(C2), three.pose(C3)]

    def efforts(t: float, u: Floats, v: Floats) -> Floats:
        return np.array([0.0, -50 * (u[1] - 0.1) - 2 * v[1], -25 * u[2] - v[2], -3 * u[3]])

    minimal = Minimal([1.0, 2.0, 3.0], [J1, J2, J3], embed, G, efforts)
    return Case(m, minimal, [0.0] * 4, [1.0, 0.2, 0.3, 0.5], 1.0, {"R": 0, "T": 1, "C.position": 2, "C.angle": 3})


def around(axis: Sequence[float]) -> Floats:
    """Return the axes f, g, h of a joint as columns: z turned the shortest way onto the axis."""
    h = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
    across = np.cross([0.0, 0.0, 1.0], h)
    angle = math.atan2(np.linalg.norm(across), h[2])
    return np.asarray(Rotation.from_rotvec(angle * across / np.linalg.norm(across)).as_matrix())


def mixed() -> Case:
    """Return screw, universal and planar joints one after the other."""
    m = drawn("mixed", (1.0, J1, C1), (0.8, J2, C2), (0.5, J3, C3))
    a, b, n = (1.0, 0.4, 0.2), (0.4, -1.0, 0.0), (0.3, -0.4, 1.2)
    m.screw("S", "ground", "b1", at=(0.2, 0, 0.1), axis=(0.5, 1, 2), lead=0.8)
    m.universal("U", "b1", "b2", at=(0.6, 0.1, 0), axes=[a, b])
    m.planar("P", "b2", "b3", at=(0.9, 0.2, 0.5), axis=n)
    m.effort("x", "P.x", stiffness=20)
    m.effort("y", "P.y", stiffness=30, damping=0.5)
    m.effort("bend", "U.angle2", stiffness=8)
    m.effort("motor", "S", value=3)
    f, g, _ = around(n).T

    def embed(u: Floats, t: Floats) -> list[Pose]:
        one = shift((0.5, 1, 2), 0.8 * u[:, 0] / (2 * math.pi)) @ turn((0.5, 1, 2), u[:, 0], (0.2, 0, 0.1))
        two = one @ turn(a, u[:, 1], (0.6, 0.1, 0)) @ turn(b, u[:, 2], (0.6, 0.1, 0))
        plane = moved(np.outer(u[:, 3], f) + np.outer(u[:, 4], g))
        three = two @ plane @ turn(n, u[:, 5], (0.9, 0.2, 0.5))
        return [one.pose(C1), two.pose(C2), three.pose(C3)]

    def efforts(t: float, u: Floats, v: Floats) -> Floats:
        return np.array([3.0, 0.0, -8 * u[2], -20 * u[3], -30 * u[4] - 0.5 * v[4], 0.0])

    minimal = Minimal([1.0, 0.8, 0.5], [J1, J2, J3], embed, G, efforts)
    paths = {"S": 0, "U.angle1": 1, "U.angle2": 2, "P.x": 3, "P.y": 4, "P.angle": 5}
    return Case(m, minimal, [0.0] * 6, [1.0, 0.5, -0.4, 0.3, 0.2, -1.0], 0.6, paths)


def top() -> Case:
    """Return a body on a ball joint with another one welded to it and a third on its hinge (spherical, fixed, revolute)."""
    m = drawn("top", (1.0, J1, C1), (0.8, J2, C2), (0.5, J3, C3))
    m.spherical("ball", "ground", "b1", at=(0.1, 0.1, 0.1))
    m.fixed("weld", "b1", "b2", at=(0.5, 0, 0))
    m.revolute("hinge", "b2", "b3", at=(0.9, 0, 0.3), axis=(1, 1, 0))
    m.effort("coil", "hinge", stiffness=2, damping=0.1)

    def embed(u: Floats, t: Floats) -> list[Pose]:
        one = ball(u[:, :3], (0.1, 0.1, 0.1))
        return [one.pose(C1), one.pose(C2), (one @ turn((1, 1, 0), u[:, 3], (0.9, 0, 0.3))).pose(C3)]

    def efforts(t: float, u: Floats, v: Floats) -> Floats:
        return np.array([0.0, 0.0, 0.0, -2 * u[3] - 0.1 * v[3]])

    minimal = Minimal([1.0, 0.8, 0.5], [J1, J2, J3], embed, G, efforts)
    return Case(m, minimal, [0.0] * 4, [1.0, -2.0, 3.0, 1.0], 0.6, {"hinge": 3})


def kite() -> Case:
    """Return two free bodies, the first on a massless rod to the ground, both joined by another rod (free, distance)."""
    m = mb.Model("kite", gravity=G)
    P, Q, R = np.array([0.5, 0.6, -0.3]), np.array([0.2, -0.3, -0.5]), np.array([0.7, -0.1, 0.9])
    m.body("b1", mass=1.0, inertia=J1, com=C1, frames={"P": P, "Q": Q})
    m.body("b2", mass=0.8, inertia=J2, com=C2, frames={"R": R})
    m.free("sky", "ground", "b1")
    m.distance("line", "ground", "b1.P", length=float(np.linalg.norm(P)))
    m.distance("tail", "b1.Q", "b2.R", length=float(np.linalg.norm(R - Q)))

    def swing(u: Floats, axes: Sequence[Sequence[float]]) -> Place:
        return turn(axes[0], u[:, 0]) @ turn(axes[1], u[:, 1])

    def embed(u: Floats, t: Floats) -> list[Pose]:
        axes = ((1, 0, 0), (0, 1, 1))
        p = swing(u[:, :2], axes).of(P)
        first = moved(p - P) @ ball(u[:, 2:5], tuple(P))
        r = first.of(Q) + swing(u[:, 5:7], axes).of(R - Q)
        second = moved(r - R) @ ball(u[:, 7:], tuple(R))
        return [first.pose(C1), second.pose(C2)]

    minimal = Minimal([1.0, 0.8], [J1, J2], embed, G)
    return Case(m, minimal, [0.0] * 10, [1.0, 0.5, -0.5, 1.0, 2.0, 0.7, -0.6, 1.0, 0.3, -2.0], 0.4)


def on_line() -> Case:
    """Return bodies with a point on a line and on a plane of a turning body (point_on_line, point_on_plane)."""
    m = drawn("beads", (1.0, J1, C1), (0.8, J2, C2), (0.5, J3, C3))
    at, spot, line, n = (0.4, 0.2, 0.1), (0.7, 0.4, -0.2), (1, 2, -1), (1, -0.5, 0.7)
    m.revolute("O", "ground", "b1", at=(0, 0, 0), axis=(0.2, 0.1, 1))
    m.point_on_line("bead", "b1", "b2", at=at, axis=line)
    m.point_on_plane("disk", "b1", "b3", at=spot, axis=n)
    f, g, _ = around(n).T

    def embed(u: Floats, t: Floats) -> list[Pose]:
        one = turn((0.2, 0.1, 1), u[:, 0])
        p = (one @ shift(line, u[:, 1])).of(at)
        two = moved(p - np.asarray(at)) @ ball(u[:, 2:5], at)
        q = (one @ moved(np.outer(u[:, 5], f) + np.outer(u[:, 6], g))).of(spot)
        three = moved(q - np.asarray(spot)) @ ball(u[:, 7:], spot)
        return [one.pose(C1), two.pose(C2), three.pose(C3)]

    minimal = Minimal([1.0, 0.8, 0.5], [J1, J2, J3], embed, G)
    rates = [1.0, 0.4, 0.5, -1.0, 0.6, 0.3, -0.2, 1.0, 0.5, -0.7]
    return Case(m, minimal, [0.0] * 10, rates, 0.4, {"O": 0, "bead.position": 1})


def compass() -> Case:
    """Return a body that keeps a direction parallel to one of a turning body (parallel)."""
    m = drawn("compass", (1.0, J1, C1), (0.8, J2, C2))
    own = (0.4, 0.3, 1.0)
    m.revolute("O", "ground", "b1", at=(0.1, 0, 0), axis=(1, 0.2, 0))
    m.parallel("same", "b1", "b2", axis=own)
    m.effort("coil", "O", stiffness=4)

    def embed(u: Floats, t: Floats) -> list[Pose]:
        one = turn((1, 0.2, 0), u[:, 0], (0.1, 0, 0))
        turned = turn((1, 0.2, 0), u[:, 0]) @ turn(own, u[:, 4])
        return [one.pose(C1), (u[:, 1:4] + np.asarray(C2), turned.A)]

    def efforts(t: float, u: Floats, v: Floats) -> Floats:
        return np.array([-4 * u[0], 0.0, 0.0, 0.0, 0.0])

    minimal = Minimal([1.0, 0.8], [J1, J2], embed, G, efforts)
    return Case(m, minimal, [0.0] * 5, [1.5, 0.5, -0.3, 2.0, 2.0], 0.8, {"O": 0})


def transmission() -> Case:
    """Return bevel wheels, a pinion on a rack, and a nonlinear coupler with time between two of the coordinates."""
    m = drawn("transmission", (1.0, J1, C1), (0.8, J2, C2), (0.5, J3, C3), (0.4, J3, (0.2, 0.2, 0.1)))
    m.revolute("A", "ground", "b1", at=(0, 0, 0), axis=(0, 0, 1))
    m.revolute("B", "ground", "b2", at=(0, 0, 0), axis=(1, 0, 0))
    m.gear("bevel", "b1", "b2", teeth=(20, 30), axes=[(0, 0, 1), (1, 0, 0)])
    m.translational("S", "ground", "b3", at=(0, 0, 0), axis=(0, 3, 4))
    m.rack("mesh", "b1", "b3", radius=0.3, axis=(0, 3, 4), turn=(0, 0, 1))
    m.revolute("D", "ground", "b4", at=(0.1, 0, 0), axis=(0, 1, 0))
    m.coupler("cycle", "D - 0.5*sin(2*A) - 0.1*cos(5*t) + 0.1")
    m.effort("coil", "A", stiffness=6, damping=0.3)

    def embed(u: Floats, t: Floats) -> list[Pose]:
        a = u[:, 0]
        swing = 0.5 * np.sin(2 * a) + 0.1 * np.cos(5 * t) - 0.1
        return [
            turn((0, 0, 1), a).pose(C1), turn((1, 0, 0), -20 / 30 * a).pose(C2), shift((0, 3, 4), 0.3 * a).pose(C3),
            turn((0, 1, 0), swing, (0.1, 0, 0)).pose((0.2, 0.2, 0.1)),
        ]  # fmt: skip

    def efforts(t: float, u: Floats, v: Floats) -> Floats:
        return np.array([-6 * u[0] - 0.3 * v[0]])

    minimal = Minimal([1.0, 0.8, 0.5, 0.4], [J1, J2, J3, J3], embed, G, efforts)
    return Case(m, minimal, [0.0], [2.0], 1.5, {"A": 0})


def cam() -> Case:
    """Return a round cam about z with its axis beside the center lifts a roller along y (cam)."""
    m = drawn("cam", (0.8, J1, (0.01, 0.004, 0.02)))
    m.body("b2", mass=0.3, inertia=J3)
    m.revolute("O", "ground", "b1")
    m.translational("guide", "ground", "b2", axis=(0, 1, 0))
    m.cam("contact", "b1", "b2", profile="0.02*cos(phi) + sqrt(0.05^2 - (0.02*sin(phi))^2)", roller=0.015)

    def lift(a: Floats) -> Floats:
        return np.asarray(0.02 * np.sin(a) + np.sqrt(0.065**2 - (0.02 * np.cos(a)) ** 2))

    m.initial({"O": 0.4, "O.rate": 4.0}, guess={"guide": float(lift(np.array(0.4)))})

    def embed(u: Floats, t: Floats) -> list[Pose]:
        place = turn((0, 0, 1), u[:, 0])
        return [place.pose((0.01, 0.004, 0.02)), shift((0, 1, 0), lift(u[:, 0])).pose((0, 0, 0))]

    return Case(m, Minimal([0.8, 0.3], [J1, J3], embed, G), [0.4], [4.0], 0.5, {"O": 0}, own_start=True)


MAKERS: dict[str, Callable[[], Case]] = {
    "chain": chain, "mixed": mixed, "top": top, "kite": kite, "on_line": on_line, "compass": compass,
    "transmission": transmission, "cam": cam,
}  # fmt: skip


@pytest.mark.parametrize("name", MAKERS)
def test_motion_agrees_with_minimal_coordinates(name: str) -> None:
    found = errors(MAKERS[name]())
    assert max(found.values()) < 1e-8, found


def test_every_spatial_kind_has_an_oracle() -> None:
    spatial = {kind.name for kind in KINDS.values() if kind.spatial is not None}
    assert kinds([make() for make in MAKERS.values()]) == spatial


def test_an_oracle_can_fail() -> None:
    case = top()
    case.minimal.tensors[0] = case.minimal.tensors[0] + 1e-4 * np.eye(3)[[1, 0, 2]]
    assert max(errors(case, ["augmented"]).values()) > 1e-6
