"""Poses around an assembled one in compiled code: as many independent rows there as singular values say of poses by Python."""

from __future__ import annotations

import numpy as np
import pytest

import multibody as mb
from multibody.rank.around import LOOKED_AT, rank_around
from multibody.rank.generic import Joints
from multibody.rank.run_rows import run_rows
from multibody.state.system import System, tables_of
from study.models import door


def legs(angle: float, scale: float = 1.0, third: float = 0.5) -> mb.Model:
    """Return a beam on three legs, parallel and equal but for the third one's length; flat at angle 0."""
    m = mb.Model("legs", dimension=2)
    m.frames(g0=(0, 0), g1=(scale, 0), g2=(2 * scale, 0))
    m.body("beam", mass=2, inertia=0.4, frames={f"p{k}": (k * scale, 0) for k in range(3)})
    for k in range(3):
        top = (third if k == 2 else 0.5) * scale
        m.body(f"leg{k}", mass=1, inertia=0.1, com=(0.5 * top, 0), frames={"top": (top, 0)})
        m.revolute(f"O{k}", f"ground.g{k}", f"leg{k}")
        m.revolute(f"P{k}", f"leg{k}.top", f"beam.p{k}")
    m.initial({"O0": angle}, guess={"O1": angle, "O2": angle})
    return m


CASES = [legs(0.9), legs(0.9, 1e3), legs(0.9, 1e-6), door(), door((1e3, 1e3)), mb.load("iftomm-bricard"), mb.load("engine")]


@pytest.mark.parametrize("model", CASES, ids=lambda model: model.name)
def test_redundant_rows_stay_redundant(model: mb.Model) -> None:
    state = model.assemble()
    system = System(tables_of(model))
    system.ref[:] = state.references
    poses, _, _ = Joints(system, 0.0, np.zeros(system.joint_rows)).neighbors(state.q, LOOKED_AT)
    here = np.linalg.matrix_rank(system.scaled(system.jacobian(state.q, 0.0)), tol=1e-8)
    ranks = [np.linalg.matrix_rank(system.scaled(system.jacobian(pose, 0.0)), tol=1e-8) for pose in poses]
    assert len(poses) == LOOKED_AT and set(ranks) == {here} and here < system.rows
    assert rank_around(system, state.q, 0.0) == here == len(run_rows(system, state.q, 0.0))


@pytest.mark.parametrize("scale", [1.0, 1e3])
def test_a_change_point_shows_fewer_rows_than_the_mechanism_has(scale: float) -> None:
    """A parallelogram that lies flat: eight rows, seven of them independent there, all of them elsewhere."""
    m = mb.Model("flat", dimension=2)
    m.frames(g0=(0, 0), g1=(scale, 0))
    m.body("beam", mass=2, inertia=0.4, frames={"p0": (0, 0), "p1": (scale, 0)})
    for k in range(2):
        m.body(f"leg{k}", mass=1, inertia=0.1, com=(0.25 * scale, 0), frames={"top": (0.5 * scale, 0)})
        m.revolute(f"O{k}", f"ground.g{k}", f"leg{k}")
        m.revolute(f"P{k}", f"leg{k}.top", f"beam.p{k}")
    state = m.assemble()
    system = System(tables_of(m))
    system.ref[:] = state.references
    assert np.linalg.matrix_rank(system.scaled(system.jacobian(state.q, 0.0)), tol=1e-8) == 7
    assert rank_around(system, state.q, 0.0) == 8
    assert run_rows(system, state.q, 0.0).tolist() == list(range(8))


def test_where_nothing_is_free_there_is_nothing_to_look_at() -> None:
    """A door on hinges about two axes."""
    m = mb.Model("stuck", gravity=(0, 0, -9.81))
    m.body("door", mass=1.0, inertia=(1.0, 1.0, 1.0))
    m.revolute("A", "ground", "door", at=(0.1, 0.2, 0.3), axis=(1, 0, 0.2))
    m.revolute("B", "ground", "door", at=(0.4, -0.2, 0.3), axis=(0, 1, 0.1))
    state = m.assemble()
    assert state.ok and rank_around(System(tables_of(m)), state.q, 0.0) == 0
