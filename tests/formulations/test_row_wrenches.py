"""What rows do to bodies, against the transposed Jacobian of all rows at one instant after the other."""

from __future__ import annotations

import numpy as np
import pytest

import multibody as mb
from multibody.analyses.reactions.wrenches import RowPattern
from multibody.formulations.row_wrenches import CENTER
from multibody.state.poses import matrix_of


@pytest.mark.parametrize("name", ["four-bar", "spatial-four-bar"])
def test_rows_act_with_the_transposed_jacobian(name: str) -> None:
    run = mb.load(name).run(until=0.05, output_step=0.025)
    reactions = run.measurer.forces.reactions
    tables, system, m = reactions.tables, reactions.system, run.measurer
    multipliers = np.random.default_rng(3).normal(size=(len(m.t), system.rows))
    d, width = tables.dimension, tables.width
    for joint, rows in tables.joint_rows.items():
        touched = RowPattern.of(tables, rows).bodies
        assert touched
        for body in touched:
            found = reactions.of_rows(rows, multipliers, [body], body, CENTER)
            for k in range(len(m.t)):
                reactions.refer(k)
                q = np.ascontiguousarray(m.q[k])
                J = system.jacobian(q, float(m.t[k]))[rows.start : rows.stop]
                block = (-J.T @ multipliers[k, rows.start : rows.stop])[width * (body - 1) : width * body]
                A = np.eye(1) if d == 2 else matrix_of(q[None, 7 * body - 4 : 7 * body])[0]
                np.testing.assert_allclose(found.force[k], block[:d], rtol=1e-13, atol=1e-13)
                np.testing.assert_allclose(found.moment[k], A @ block[d:], rtol=1e-13, atol=1e-13)
        end = tables.ends[joint][1]  # about another point, and of all bodies together with the opposite sign
        moved = reactions.of_rows(rows, multipliers, touched, end.body, end.point, 1.0)
        total = sum((reactions.of_rows(rows, multipliers, [b], b, CENTER).at(moved.point) for b in touched[1:]),
                    reactions.of_rows(rows, multipliers, touched[:1], touched[0], CENTER).at(moved.point))  # fmt: skip
        np.testing.assert_allclose(moved.point, reactions.end_of(joint, 1), rtol=1e-13, atol=1e-14)
        np.testing.assert_allclose(moved.force, -total.force, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(moved.moment, -total.moment, rtol=1e-12, atol=1e-12)


def test_some_instants_are_those_of_all() -> None:
    run = mb.load("four-bar").run(until=0.05, output_step=0.01)
    reactions = run.measurer.forces.reactions
    rows, end = reactions.tables.joint_rows["A"], reactions.tables.ends["A"][1]
    every = reactions.of_rows(rows, reactions.multipliers, [end.body], end.body, end.point)
    which = np.array([3, 1])
    some = reactions.of_rows(rows, reactions.multipliers[which], [end.body], end.body, end.point, which=which)
    np.testing.assert_array_equal(some.moment, every.moment[which])
    np.testing.assert_array_equal(some.force, every.force[which])
