"""Angles of spatial joints count turns, through references that only an accepted state moves."""

from __future__ import annotations

import numpy as np
import pytest

from kernels.entrance import entrance
from kernels.mechanisms import BY_FRAMES, CASES, Case, World
from kernels.poses import Relative, about, joint_value, placed
from multibody.kernels import functions
from multibody.kernels.state import set_positions

largest_turn = entrance(functions.largest_turn)

KINDS = ("revolute", "cylindrical", "screw", "planar", "universal")
TURNING = [case for case in CASES if case.dimension == 3 and case.kind in KINDS and case.arrangement in BY_FRAMES]


def turning_relative(world: World, kind: str, angle: float) -> Relative:
    """Return a relative pose that has turned by an angle of any number of turns."""
    if kind == "universal":
        return np.zeros(3), about("z", angle) @ about("x", -0.9 * angle), {"angle1": angle, "angle2": -0.9 * angle}
    d = np.zeros(3)
    if kind == "screw":
        d[2] = world.model.joints["J"].fields["lead"] * angle / (2.0 * np.pi)
    return d, about("z", angle), {"angle": angle}


@pytest.mark.parametrize("direction", [1.0, -1.0])
@pytest.mark.parametrize("case", TURNING, ids=lambda case: case.name)
def test_angles_count_turns(case: Case, direction: float) -> None:
    """Over five turns, in steps below half a turn; a screw keeps advancing with them."""
    world, rng = case.world(driven=False), case.rng("turns")
    system = world.system()
    count = len(system.tables.functions)
    for angle in direction * np.arange(0.0, 10.0 * np.pi, 1.3):
        d, H, coordinates = turning_relative(world, case.kind, angle)
        q = world.coordinates(placed(world, *BY_FRAMES[case.arrangement], d, H, rng))
        np.testing.assert_allclose(system.phi(q, 0.0), 0.0, atol=1e-11)
        for name, value in coordinates.items():
            assert joint_value(system, q, name) == pytest.approx(value, abs=1e-11)
        set_positions(system.at.model, system.at.scratch, q)
        assert largest_turn(*system.run, count) == pytest.approx(1.3 if angle else 0.0, abs=1e-11)
        system.take_references(q)
        assert largest_turn(*system.run, count) == pytest.approx(0.0, abs=1e-15)


def test_values_depend_on_the_reference_alone() -> None:
    """The same pose has the angle nearest to the reference, and evaluating it changes no reference."""
    case = next(case for case in TURNING if case.name == "revolute-3d-moving")
    world = case.world(driven=False)
    system = world.system()
    d, H, _ = turning_relative(world, "revolute", 0.5)
    q = world.coordinates(placed(world, *BY_FRAMES["moving"], d, H, case.rng("reference")))
    function = system.tables.coordinates["joint", "J", "angle", 0]
    for reference, turns in ((0.0, 0), (3.6, 0), (3.7, 1), (-2.6, 0), (-2.7, -1), (7.0, 1), (-40.0, -6), (200.0, 32)):
        system.ref[function] = reference
        for _ in range(2):
            assert joint_value(system, q, "angle") == pytest.approx(0.5 + 2.0 * np.pi * turns, abs=1e-12)
        assert system.ref[function] == reference
