"""Curves and outlines of pictures."""

import numpy as np
import pytest

from multibody.view import geometry


def area(outline: np.ndarray) -> float:
    x, y = outline.T
    return float(0.5 * np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)))


def test_hull_leaves_inner_points_out_and_runs_counter_clockwise() -> None:
    points = np.array([[0, 0], [2, 0], [2, 2], [0, 2], [1, 1], [1, 0]], dtype=float)
    corners = geometry.hull(points)
    assert len(corners) == 4
    assert area(corners) == pytest.approx(4.0)


@pytest.mark.parametrize(
    ("points", "expected"),
    [
        ([[0.0, 0.0]], np.pi),  # a disk
        ([[0.0, 0.0], [3.0, 0.0]], np.pi + 6.0),  # a bar
        ([[0.0, 0.0], [3.0, 0.0], [0.0, 4.0]], 6.0 + 12.0 + np.pi),  # a plate: area + circumference + disk
        ([[0.0, 0.0], [1.0, 0.0], [3.0, 0.0]], np.pi + 6.0),  # three points in line
    ],
)
def test_rounded_outline_has_the_area_of_the_offset_hull(points: list[list[float]], expected: float) -> None:
    assert area(geometry.rounded(np.array(points), 1.0)) == pytest.approx(expected, rel=0.01)


def test_zigzag_joins_its_ends() -> None:
    for a, b in ((np.zeros(2), np.array([1.0, 2.0])), (np.zeros(3), np.array([0.0, 0.0, 2.0])), (np.ones(2), np.ones(2))):
        line = geometry.zigzag(a, b, 0.1)
        np.testing.assert_allclose(line[[0, -1]], [a, b])


def test_teeth_are_counted_and_reach_across_the_pitch_circle() -> None:
    outline = geometry.teeth(np.zeros(2), 1.0, 20, 0.1, 0.0)
    radii = np.linalg.norm(outline, axis=1)
    assert len(outline) == 80
    assert (radii.min(), radii.max()) == (pytest.approx(0.95), pytest.approx(1.05))


def test_ring_lies_about_its_axis() -> None:
    axis = np.array([1.0, 2.0, -0.5])
    points = geometry.ring(np.ones(3), 0.7, axis) - 1.0
    np.testing.assert_allclose(points @ axis, 0.0, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(points, axis=1), 0.7)


def test_inner_point_and_tree() -> None:
    star = np.array([[1.0, 0.0], [-0.5, 0.9], [-0.5, -0.9], [0.0, 0.0]])
    assert geometry.inner_point(star, 0.1) == 3
    assert geometry.inner_point(star[:3], 0.1) == -1
    assert geometry.tree_edges(np.array([[0.0, 0.0], [5.0, 0.0], [1.0, 0.0]])) == [(0, 2), (2, 1)]


def test_helix_and_nearest_point() -> None:
    a, b = np.zeros(3), np.array([0.0, 0.0, 2.0])
    line = geometry.helix(a, b, 0.5, 3.0)
    np.testing.assert_allclose(np.linalg.norm(line[:, :2], axis=1), 0.5)
    np.testing.assert_allclose(geometry.nearest_on(np.array([1.0, 0.0, 5.0]), np.array([a, b])), b)
