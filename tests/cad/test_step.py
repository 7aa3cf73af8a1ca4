"""STEP parts made with OCP: mass properties against closed forms, units, several solids, axes of cylinders as frames."""

# ruff: noqa: E402  (OCP is imported where it is there)

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import multibody as mb
from cad.solids import SHIFT, TURN, Exact, box, close, cylinder, sphere
from multibody.cad.step import _silence, pieces
from multibody.cli.app import app
from oracles import oracle

oracle("OCP")

from OCP.BRepAlgoAPI import BRepAlgoAPI_Cut, BRepAlgoAPI_Fuse
from OCP.BRepBuilderAPI import BRepBuilderAPI_Transform
from OCP.BRepFilletAPI import BRepFilletAPI_MakeFillet
from OCP.BRepPrimAPI import BRepPrimAPI_MakeBox, BRepPrimAPI_MakeCylinder, BRepPrimAPI_MakeSphere
from OCP.gp import gp_Ax2, gp_Dir, gp_Pnt, gp_Trsf
from OCP.Interface import Interface_Static
from OCP.STEPControl import STEPControl_AsIs, STEPControl_Writer

BIG = 20.0  # the same shift in millimeters


def block(a: float, b: float, c: float, corner: tuple[float, float, float]) -> Any:
    return BRepPrimAPI_MakeBox(gp_Pnt(*corner), a, b, c).Shape()


def rod(r: float, h: float, at: tuple[float, float, float], along: tuple[float, float, float] = (0, 0, 1)) -> Any:
    return BRepPrimAPI_MakeCylinder(gp_Ax2(gp_Pnt(*at), gp_Dir(*along)), r, h).Shape()


def moved(shape: Any) -> Any:
    """Turn and shift a shape as `Exact.moved` does, with the shift in tens of millimeters."""
    motion = gp_Trsf()
    values = np.column_stack([TURN, BIG * SHIFT])
    motion.SetValues(*(float(x) for x in values.ravel()))
    return BRepBuilderAPI_Transform(shape, motion, True).Shape()


def step(file: Path, *shapes: Any, unit: str = "MM") -> str:
    _silence()
    writer = STEPControl_Writer()
    Interface_Static.SetCVal_s("write.step.unit", unit)
    for shape in shapes:
        writer.Transfer(shape, STEPControl_AsIs)
    writer.Write(str(file))
    Interface_Static.SetCVal_s("write.step.unit", "MM")
    return str(file)


def in_place(exact: Exact) -> Exact:
    return exact.moved(TURN, BIG * SHIFT)


L = (block(40, 10, 20, (0, 0, 0)), block(10, 20, 20, (0, 10, 0)))
SOLIDS = {
    "box": (block(10, 20, 30, (-5, -10, -15)), box(10, 20, 30)),
    "cylinder": (rod(7, 30, (0, 0, -15)), cylinder(7, 30)),
    "sphere": (BRepPrimAPI_MakeSphere(5.0).Shape(), sphere(5.0)),
    "L": (BRepAlgoAPI_Fuse(*L).Shape(), box(40, 10, 20, (20, 5, 10)) + box(10, 20, 20, (5, 20, 10))),
}


@pytest.mark.parametrize("name", SOLIDS)
@pytest.mark.parametrize("unit", ["MM", "M", "INCH"])
def test_closed_forms_in_general_position_and_in_the_unit_of_the_file(tmp_path: Path, name: str, unit: str) -> None:
    shape, exact = SOLIDS[name]
    file = step(tmp_path / "part.step", moved(shape), unit=unit)
    found = mb.read_part(file)
    close(found, in_place(exact), 2e-9)
    assert found.solids == 1 and found.unit == 1e-3
    for length, factor in (("m", 1e-3), ("mm", 1.0)):
        body = mb.Model("m", units={"length": length}).body("part", file=file, density=3.0)
        want = in_place(exact).scaled(factor)
        assert body.mass == pytest.approx(3.0 * want.volume, rel=1e-9)
        np.testing.assert_allclose(np.array(body.inertia), 3.0 * want.inertia, atol=6e-9 * np.max(want.inertia))


def test_solids_of_a_file_add_up(tmp_path: Path) -> None:
    file = step(tmp_path / "two.stp", block(10, 10, 10, (0, 0, 0)), rod(3, 8, (40, 0, 0)))
    found = mb.read_part(file)
    close(found, box(10, 10, 10, (5, 5, 5)) + cylinder(3, 8, (40, 0, 4)), 1e-11)
    assert found.solids == 2 and list(found.cylinders) == ["pin1"]


def drilled() -> Any:
    """Return a plate with three holes through it, a pin on it and two rounded edges."""
    plate = block(100, 40, 10, (0, 0, 0))
    fillet = BRepFilletAPI_MakeFillet(plate)
    for edge in [e for e in pieces(plate, "edge")][:2]:
        fillet.Add(2.0, edge)
    made = fillet.Shape()
    for r, x in ((4.0, 80.0), (4.0, 20.0), (6.0, 50.0)):
        made = BRepAlgoAPI_Cut(made, rod(r, 30, (x, 20, -10))).Shape()
    return BRepAlgoAPI_Fuse(made, rod(3.0, 15.0, (10, 20, 5), (0, 0, 1))).Shape()


def test_cylinders_are_frames_by_the_stated_rule(tmp_path: Path) -> None:
    found = mb.read_part(step(tmp_path / "plate.step", drilled())).cylinders
    assert list(found) == ["hole1", "hole2", "hole3", "pin1"]  # fillets are no cylinders
    assert [c.radius for c in found.values()] == pytest.approx([6, 4, 4, 3])
    np.testing.assert_allclose([c.at for c in found.values()], [[50, 20, 5], [20, 20, 5], [80, 20, 5], [10, 20, 15]], atol=1e-9)
    assert all(c.axis == pytest.approx((0, 0, 1)) for c in found.values())
    assert [c.length for c in found.values()] == pytest.approx([10, 10, 10, 10])
    assert [c.inside for c in found.values()] == [True, True, True, False]


def test_frames_in_general_position_carry_joints(tmp_path: Path) -> None:
    file = step(tmp_path / "plate.step", moved(drilled()))
    m = mb.Model("hung", gravity=(0, 0, -9.81))
    arm = m.body("arm", file=file, density=2700)
    m.frames(wall={"at": (0, 0, 0), "z": (0, 1, 0)})
    m.revolute("O", m.ground["wall"], arm["hole1"])
    at = TURN @ [50, 20, 5] + BIG * SHIFT
    assert np.linalg.norm(np.array(arm.frames["hole1"].at) - 1e-3 * at) < 1e-10
    assert m.check().mobility == 1
    state = m.assemble()
    here = np.array([state[f"arm.hole1.{c}"] for c in "xyz"])
    np.testing.assert_allclose(here, 0.0, atol=1e-12)
    assert m.run(0.2).ok


def test_a_plate_in_the_plane_has_its_holes_as_points(tmp_path: Path) -> None:
    file = step(tmp_path / "plate.step", drilled(), rod(3.0, 5.0, (-20, 0, 0), (1, 0, 0)))
    body = mb.Model("flat", dimension=2, units={"length": "mm"}).body("plate", file=file, density=1.0)
    assert {name: frame.at for name, frame in body.frames.items() if name.startswith("hole")} == {
        "hole1": pytest.approx((50, 20)), "hole2": pytest.approx((20, 20)), "hole3": pytest.approx((80, 20)),
    }  # fmt: skip
    assert len([name for name in body.frames if name.startswith("pin")]) == 1  # the other pin lies in the plane


def test_the_part_is_drawn_where_it_is(tmp_path: Path) -> None:
    from multibody.view.drawing import drawing_of

    file = step(tmp_path / "ball.step", BRepPrimAPI_MakeSphere(gp_Pnt(30, 0, 0), 5.0).Shape())
    m = mb.Model("m")
    m.body("ball", file=file, density=1000)
    m.revolute("O", m.ground, "ball", axis=(0, 0, 1))
    state = m.assemble()
    drawing = drawing_of(state.tables, np.array(state.q)[None])
    (mesh,) = [stroke for stroke in drawing.strokes if stroke.kind == "mesh"]
    np.testing.assert_allclose(np.linalg.norm(mesh.points, axis=1), 0.005, rtol=1e-9)  # from the center of mass
    assert drawing.notes == ()


def test_the_command_line_lists_them(tmp_path: Path) -> None:
    file = step(tmp_path / "plate.step", drilled())
    told = CliRunner().invoke(app, ["frames", file])
    assert told.exit_code == 0 and "1 solid, lengths in mm" in told.output and "hole3" in told.output
    found = json.loads(CliRunner().invoke(app, ["frames", file, "--json"]).output)
    assert found["frames"]["hole1"]["radius"] == pytest.approx(6.0)


def test_bad_files_are_told_in_one_sentence(tmp_path: Path) -> None:
    def refusal(file: str, **fields: Any) -> str:
        with pytest.raises(mb.ModelError) as told:
            mb.Model("m").body("arm", file=file, **({"density": 1.0} | fields))
        assert "\n" not in str(told.value)
        return str(told.value)

    good = step(tmp_path / "good.step", SOLIDS["box"][0])
    assert "states its own unit; leave unit out" in refusal(good, unit="mm")
    face = next(pieces(SOLIDS["box"][0], "face"))
    assert "has no solid, only 1 faces; close its surface" in refusal(step(tmp_path / "face.step", face))
    (tmp_path / "text.step").write_text("no STEP file")
    assert "holds no shape that can be read" in refusal(str(tmp_path / "text.step"))
    whole = Path(good).read_text()
    (tmp_path / "half.step").write_text(whole[: len(whole) // 2])
    assert "half.step" in refusal(str(tmp_path / "half.step"))
    (tmp_path / "empty.step").write_text("")
    assert "empty.step" in refusal(str(tmp_path / "empty.step"))


def test_a_solid_that_is_inside_out_is_turned_over_by_open_cascade(tmp_path: Path) -> None:
    file = step(tmp_path / "inside.step", SOLIDS["box"][0].Reversed())
    close(mb.read_part(file), box(10, 20, 30), 1e-12)
