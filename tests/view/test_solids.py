"""Triangles of strokes: closed, outward, of the right size, in any unit."""

from __future__ import annotations

import math

import numpy as np
import pytest

from multibody.view import geometry, solids
from multibody.view.solids import Surface
from multibody.view.stretch import spring_line
from multibody.view.strokes import Owner, Stroke

START, END = np.array([0.3, -0.2, 0.5]), np.array([1.1, 0.7, -0.4])
LENGTH = float(np.linalg.norm(END - START))
OWNER = Owner("body", "b")


def open_edges(surface: Surface) -> int:
    """Return how many edges do not lie between two triangles that turn the same way; corners at one place count as one."""
    scale = float(np.max(np.ptp(surface.points, axis=0)))
    _, place = np.unique(np.round(surface.points / scale * 1e7), axis=0, return_inverse=True)
    named = place.reshape(-1)[surface.triangles]
    edges = [(int(t[k]), int(t[(k + 1) % 3])) for t in named for k in range(3)]
    return len(set(edges) ^ {(b, a) for a, b in edges})


def faces_outwards(surface: Surface) -> bool:
    """Return whether every triangle turns about the normals at its corners."""
    a, b, c = (surface.points[surface.triangles[:, k]] for k in range(3))
    area = np.cross(b - a, c - a)
    normals = surface.normals[surface.triangles].sum(axis=1)
    real = np.linalg.norm(area, axis=1) > 1e-9 * np.max(np.linalg.norm(area, axis=1))
    return bool(np.all(np.einsum("ij,ij->i", area, normals)[real] > 0.0))


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e3, 1e9])
def test_surfaces_are_closed_outward_and_of_the_right_size(unit: float) -> None:
    a, b = START * unit, END * unit
    cylinder = math.pi * 0.04 * LENGTH * math.sin(2 * math.pi / 24) / (2 * math.pi / 24)
    corners = geometry.box_corners(np.array([0.2, 0.3, 0.5]), START) * unit
    cases = [
        (solids.tube(a, b, 0.2 * unit), cylinder),
        (solids.ball(a, 0.3 * unit, 48, 24), 4.0 / 3.0 * math.pi * 0.027),
        (solids.box(corners), 0.03),
        (solids.mesh(*_cube(corners)), 0.03),
    ]
    for surface, volume in cases:
        assert open_edges(surface) == 0
        assert faces_outwards(surface)
        assert surface.volume() == pytest.approx(volume * unit**3, rel=0.02)
        np.testing.assert_allclose(np.linalg.norm(surface.normals, axis=1), 1.0)


def _cube(corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    made = solids.box(corners)
    points, place = np.unique(made.points, axis=0, return_inverse=True)
    return points, place.reshape(-1)[made.triangles].astype(np.int32)


def test_a_box_has_sharp_edges_and_a_ball_of_triangles_none() -> None:
    corners = geometry.box_corners(np.ones(3), np.zeros(3))
    cube = solids.mesh(*_cube(corners))
    assert len(cube.points) == 24  # three normals at every corner
    made = solids.ball(np.zeros(3), 1.0, 40, 20)
    ball = solids.mesh(made.points, made.triangles)
    assert len(ball.points) == len(made.points)
    np.testing.assert_allclose(np.einsum("ij,ij->i", ball.normals, ball.points), 1.0, atol=0.01)


def test_a_wire_follows_its_line_and_parts_at_gaps() -> None:
    angles = np.linspace(0.0, 3.0, 40)[:, None]
    arc = np.hstack([np.cos(angles), np.sin(angles), 0.2 * angles])
    wire = solids.wire_along(arc, 0.05, 16)
    assert open_edges(wire) == 0
    assert faces_outwards(wire)
    length = float(np.linalg.norm(np.diff(arc, axis=0), axis=1).sum())
    assert wire.volume() == pytest.approx(math.pi * 0.05**2 * length, rel=0.04)
    away = np.min(np.linalg.norm(wire.points[:, None] - arc, axis=2), axis=1)
    assert np.max(away) < 0.0501
    both = solids.wire_along(np.vstack([arc, np.full((1, 3), np.nan), arc + 3.0]), 0.05, 16)
    assert both.volume() == pytest.approx(2.0 * wire.volume())


def test_a_coil_ends_where_the_spring_does() -> None:
    coil = solids.wire_along(spring_line(START, END, 0.1), 0.01)
    assert open_edges(coil) == 0
    along = (END - START) / LENGTH
    stations = (coil.points - START) @ along
    assert stations.min() == pytest.approx(0.0, abs=0.02)
    assert stations.max() == pytest.approx(LENGTH, abs=0.02)
    away = np.linalg.norm(coil.points - START - np.outer(stations, along), axis=1)
    assert away.max() == pytest.approx(0.11, abs=0.005)


def test_strokes_without_a_surface_have_none() -> None:
    assert solids.surface_of(Stroke("dot", 1, START[None], "#000000", OWNER)) is None
    line = Stroke("line", 1, np.array([START, END]), "#000000", OWNER)
    assert solids.surface_of(line) is None
    wire = solids.surface_of(line, wire=0.01)
    assert wire is not None
    assert open_edges(wire) == 0
    tube = solids.surface_of(Stroke("tube", 1, np.array([START, END]), "#000000", OWNER, radius=0.1), sides=8)
    assert tube is not None
    assert len(tube.triangles) == 16 + 2 * 6
