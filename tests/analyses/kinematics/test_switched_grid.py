"""The instants at which driven mechanisms are solved around those at which motions switch: several grids at once."""

from __future__ import annotations

import numpy as np
import pytest

from multibody.analyses.events.switching import Switching
from multibody.analyses.kinematics.switched_grid import solved_grid, with_limits

PASSED = [Switching(t, np.nextafter(t, -9.0), np.nextafter(t, 9.0)) for t in (0.25, 0.5, 0.75)]
ROWS = {
    "none met": (0.0, 0.1, 0.2), "at the end": (0.3, 0.4, 0.5), "at the start": (0.5, 0.6, 0.7), "two": (0.4, 0.5, 0.8),
    "twice the same": (0.3, 0.3, 0.6), "all": (0.0, 0.75, 1.0),
}  # fmt: skip


@pytest.mark.parametrize("way", [1, -1])
def test_grids_of_several_mechanisms_are_those_of_each_alone(way: int) -> None:
    """Whichever way they go, and however many switching instants they meet."""
    asked = way * np.array(list(ROWS.values()))
    passed = PASSED if way > 0 else [Switching(-s.time, -s.before, -s.after) for s in PASSED]
    grids, solved = with_limits(passed, asked)
    for own, grid, stands in zip(asked, grids, solved, strict=True):
        alone, places = solved_grid(passed, own)
        np.testing.assert_array_equal(grid[np.isfinite(grid)], alone)
        np.testing.assert_array_equal(stands, alone[places])
        assert np.all(np.diff(way * alone) > 0.0) and np.all(np.isfinite(grid[: len(alone)]))
        for s in passed:  # both neighbors of what is passed, none of what is not
            way_in, way_out = way * own[0] < way * s.time, way * own[-1] >= way * s.time
            assert (s.before in alone) == (way_in and way_out), (own, s)
            assert (s.after in alone) == (way * own[0] <= way * s.time and way_out)


def test_mechanisms_may_go_opposite_ways() -> None:
    forth, back = np.array([0.4, 0.45, 0.6]), np.array([0.3, 0.1, 0.0])
    grids, _ = with_limits(PASSED[1:2], np.stack([forth, back]))
    np.testing.assert_array_equal(grids[0], [0.4, 0.45, PASSED[1].before, PASSED[1].after, 0.6])
    np.testing.assert_array_equal(grids[1], [0.3, 0.1, 0.0, np.nan, np.nan])
