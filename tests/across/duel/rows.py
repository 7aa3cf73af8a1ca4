"""The joints and coordinates of the independent program, written down from their meaning, not from anybody's equations.

Rows may be more than the joint removes (a cross product has three, of rank two): the program does not mind.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from across.duel.absolute import Floats, Frame, Function, Poses, angle_of


def axial(Q: Floats) -> Floats:
    """Return the vector of the skew part of a rotation, which vanishes where nothing is turned."""
    return 0.5 * np.stack([Q[:, 2, 1] - Q[:, 1, 2], Q[:, 0, 2] - Q[:, 2, 0], Q[:, 1, 0] - Q[:, 0, 1]], -1)


def about_z(Q: Floats) -> Floats:
    """Return the angle of a rotation about z."""
    return angle_of(Q[:, 1, 0], Q[:, 0, 0])


_PARTS: dict[str, Callable[[Floats, Floats], Floats]] = {  # of x and Q in the joint's own frames, z along its axis
    "fixed": lambda x, Q: np.concatenate([x, axial(Q)], 1),
    "revolute": lambda x, Q: np.concatenate([x, Q[:, :2, 2]], 1),
    "translational": lambda x, Q: np.concatenate([x[:, :2], axial(Q)], 1),
    "cylindrical": lambda x, Q: np.concatenate([x[:, :2], Q[:, :2, 2]], 1),
    "universal": lambda x, Q: np.concatenate([x, Q[:, 2:3, 0]], 1),
    "spherical": lambda x, Q: x,
    "planar": lambda x, Q: np.concatenate([x[:, 2:], Q[:, :2, 2]], 1),
    "point_on_line": lambda x, Q: x[:, :2],
    "point_on_plane": lambda x, Q: x[:, 2:],
    "parallel": lambda x, Q: Q[:, :2, 2],
    "parallel_in_plane": lambda x, Q: about_z(Q)[:, None],
}

COORDINATES: dict[str, Callable[[Floats, Floats], Floats]] = {
    "angle": lambda x, Q: about_z(Q),
    "position": lambda x, Q: x[:, 2],
    "x": lambda x, Q: x[:, 0],
    "y": lambda x, Q: x[:, 1],
    "z": lambda x, Q: x[:, 2],
    "angle1": lambda x, Q: angle_of(Q[:, 1, 0], Q[:, 0, 0]),
    "angle2": lambda x, Q: angle_of(Q[:, 2, 1], Q[:, 2, 2]),
}


def pair(kind: str, first: Frame, second: Frame) -> Function:
    """Return the rows of a pair or a geometric constraint."""
    return lambda poses: _PARTS[kind](*poses.relative(first, second))


def coordinate(name: str, first: Frame, second: Frame) -> Function:
    """Return a joint's coordinate as a function of poses."""
    return lambda poses: COORDINATES[name](*poses.relative(first, second))


def length(first: Frame, second: Frame) -> Function:
    """Return the distance of two points."""
    return lambda poses: np.sqrt(np.sum((poses.point(second) - poses.point(first)) ** 2, 1))


def screw(first: Frame, second: Frame, lead: float) -> Function:
    """Return the rows of a screw: a cylindrical pair that advances with its turn."""

    def rows(poses: Poses) -> Floats:
        x, Q = poses.relative(first, second)
        advance = x[:, 2] - lead * about_z(Q) / (2 * np.pi)
        return np.concatenate([_PARTS["cylindrical"](x, Q), advance[:, None]], 1)

    return rows


def relation(parts: list[tuple[float, Function]], value: Callable[[Floats], Floats] | float) -> Function:
    """Return the row Σ a c − value(t)."""

    def rows(poses: Poses) -> Floats:
        target = value(poses.t) if callable(value) else value
        return (sum(a * c(poses) for a, c in parts) - target)[:, None]

    return rows


def product(first: Function, second: Function, value: float) -> Function:
    """Return the row c₁ + c₂/2 + c₁ c₂ − value."""
    return lambda poses: (first(poses) + 0.5 * second(poses) + first(poses) * second(poses) - value)[:, None]


def cam(first: Frame, second: Frame, radius: tuple[float, float], form: str, size: Floats, start: float) -> Function:
    """Return the contact row of a cam ρ = b + e cos φ, the place of contact found by Newton's method for every pose.

    `form` is ``knife``, ``roller`` (`size` its radius) or ``flat`` (`size` the face's normal in the follower's frame).
    """
    b, e = radius

    def curve(phi: Floats) -> tuple[Floats, Floats, Floats]:
        rho, slope, bend = b + e * np.cos(phi), -e * np.sin(phi), -e * np.cos(phi)
        u = np.stack([np.cos(phi), np.sin(phi)], -1)
        w = np.stack([-np.sin(phi), np.cos(phi)], -1)
        P = rho[:, None] * u
        T = slope[:, None] * u + rho[:, None] * w
        return P, T, (bend - rho)[:, None] * u + 2 * slope[:, None] * w

    def rows(poses: Poses) -> Floats:
        at, Q = poses.relative(first, second)
        x = at[:, :2]
        if form == "knife":
            phi = angle_of(x[:, 1], x[:, 0])
            return (np.sqrt(np.sum(x**2, 1)) - b - e * np.cos(phi))[:, None]
        face = Q @ size if form == "flat" else at  # a plane through the follower's point
        n = face[:, :2]
        phi = np.full(len(x), start + 0j)
        for _ in range(30):
            P, T, bend = curve(phi)
            if form == "flat":
                f, slope = np.sum(n * T, 1), np.sum(n * bend, 1)
            else:
                f, slope = np.sum((x - P) * T, 1), np.sum((x - P) * bend, 1) - np.sum(T * T, 1)
            phi = phi - f / slope
        P, T, _ = curve(phi)
        if form == "flat":
            return (np.sum(n * P, 1) - np.sum(face * at, 1))[:, None]
        normal = np.stack([T[:, 1], -T[:, 0]], -1) / np.sqrt(np.sum(T * T, 1))[:, None]
        return (np.sum((x - P) * normal, 1) - size)[:, None]

    return rows
