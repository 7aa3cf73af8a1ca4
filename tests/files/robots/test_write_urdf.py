"""URDF from models: round trips, other units, joints in place and turned round, and what has no URDF."""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import multibody as mb
from multibody.errors import RobotNote
from multibody.files.writer import model_to_plain

sys.path.insert(0, str(Path(__file__).parent))
from robot_texts import tree

from cli_runs import run

KINDS = ["revolute", "prismatic", "continuous", "fixed", "revolute", "planar", "continuous"]
MORE = (
    '<limit lower="-1" upper="2" effort="30" velocity="4"/>',
    '<dynamics damping="0.7" friction="0.2"/>',
    '<mimic joint="joint0" multiplier="-0.5" offset="0.1"/>',
)


def quietly(file: Path, **options: object) -> mb.Model:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RobotNote)
        return mb.load(str(file), **options)


def saved(model: mb.Model, file: Path) -> mb.Model:
    """Return a model that was written and read again."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RobotNote)
        model.save(str(file))
    return quietly(file)


def general(folder: Path) -> mb.Model:
    """Return a robot in general position with everything that URDF has."""
    text = tree(KINDS, 5)
    text = text.replace('<limit effort="10" velocity="1"/>', MORE[0] + MORE[1], 1).replace(
        '<limit effort="10" velocity="1"/>', MORE[2], 1
    )
    shapes = (
        '<visual><origin xyz="1 2 3" rpy="0.1 0.2 0.3"/><geometry><box size="1 2 3"/></geometry></visual>'
        '<visual><origin xyz="0.1 0 0" rpy="1 0 0"/><geometry><cylinder radius="0.1" length="0.4"/></geometry></visual>'
        '<visual><geometry><sphere radius="0.2"/></geometry></visual>'
    )
    (folder / "in.urdf").write_text(text.replace("    </inertial>", f"    </inertial>{shapes}", 1))
    return quietly(folder / "in.urdf")


def test_urdf_to_model_to_urdf_is_exact(tmp_path: Path) -> None:
    model = general(tmp_path)
    again = saved(model, tmp_path / "out.urdf")
    one, two = model_to_plain(model), model_to_plain(again)
    assert {key: one[key] for key in one if key != "bodies"} == {key: two[key] for key in two if key != "bodies"}
    for name, body in one["bodies"].items():
        shapes = [data.pop("shape", []) for data in (body, two["bodies"][name])]
        assert body == two["bodies"][name]
        np.testing.assert_allclose(_numbers(shapes[0]), _numbers(shapes[1]), atol=1e-14)
    assert saved(again, tmp_path / "third.urdf") is not None
    assert (tmp_path / "third.urdf").read_text().splitlines()[2:40] == (tmp_path / "out.urdf").read_text().splitlines()[2:40]


def _numbers(data: object) -> list[float]:
    """Return all numbers of plain data, in their order."""
    if isinstance(data, dict):
        return [x for value in data.values() for x in _numbers(value)]
    if isinstance(data, list | tuple):
        return [x for value in data for x in _numbers(value)]
    return [float(data)] if isinstance(data, int | float) else []


@pytest.mark.parametrize("ending", [".yaml", ".json"])
def test_urdf_to_model_to_our_own_files_is_exact(tmp_path: Path, ending: str) -> None:
    model = general(tmp_path)
    assert model_to_plain(saved(model, tmp_path / f"out{ending}")) == model_to_plain(model)


def test_a_model_of_ours_in_other_units_with_joints_in_place_and_turned_round(tmp_path: Path) -> None:
    m = mb.Model("arm", gravity=(0, 0, -9810), units={"length": "mm", "mass": "g", "time": "s"})
    reach = m.parameter("reach", 300)
    m.body("upper", mass=700, inertia=(1e6, 2e6, 2.5e6), com=(reach / 2, 10, 0), at=(50, 0, 20), rpy=(0.1, 0.2, 0.3))
    m.body("lower", shape={"box": (200, 30, 40), "at": (100, 0, 0), "density": 1e-3}, at=(80, 20, 0), quaternion=(1, 2, 3, 4))
    m.body("slide", mass=50, inertia=(1e3, 1e3, 1e3))
    m.revolute("shoulder", m.ground, "upper", at=(50, 0, 20), axis=(0, 1, 0.5))
    m.revolute("elbow", "lower", "upper", at=(80, 20, 0), axis=(0.3, 1, 0))  # the second end is nearer to the ground
    m.translational("rail", "lower", "slide", axis=(1, 1, 0))
    m.effort("drag", "rail", damping=2.0)
    m.stop("end", "rail", lower=-10, upper=20, stiffness=5e4)
    again = saved(m, tmp_path / "arm.urdf")
    assert again.units.length == "m"
    ours, theirs = m.robot(), again.robot()
    order = [theirs.rates.index(name) for name in ours.rates]
    meter = np.array([1e-3 if "rail" in name else 1.0 for name in ours.rates])
    q, v, a = (np.random.default_rng(k).normal(size=3) / meter for k in range(3))
    q *= np.where(meter < 1, 0.01, 1.0)  # inside of the stop
    unit = np.where(meter < 1, 1e-6, 1e-9)  # g mm/s² and g mm²/s²
    tau = ours.inverse_dynamics(q, v, a) * unit
    other = np.empty((3, 3))
    for row, x in zip(other, (q, v, a), strict=True):
        row[order] = x * meter
    np.testing.assert_allclose(theirs.inverse_dynamics(*other)[order], tau, rtol=1e-10, atol=1e-12)


def test_a_floating_base_and_several_bodies_on_the_ground(tmp_path: Path) -> None:
    m = mb.Model("free", gravity=(0, 0, -9.81))
    m.body("trunk", mass=1, inertia=(1, 1, 1))
    m.free("base", m.ground, "trunk")
    assert "world" not in saved(m, tmp_path / "a.urdf").bodies
    assert quietly(tmp_path / "a.urdf", base="floating").robot().nv == 6
    m.body("post", mass=1, inertia=(1, 1, 1))
    m.revolute("hinge", m.ground, "post", at=(1, 0, 0))
    again = saved(m, tmp_path / "b.urdf")
    assert {"world", "trunk", "post"} == set(again.bodies)
    assert again.robot().nv == 7


def loop() -> mb.Model:
    m = mb.Model("loop")
    m.body("a", mass=1, inertia=(1, 1, 1))
    m.revolute("O", m.ground, "a")
    m.revolute("P", m.ground, "a")
    return m


def ball() -> mb.Model:
    m = mb.Model("ball")
    m.body("a", mass=1, inertia=(1, 1, 1))
    m.spherical("O", m.ground, "a")
    return m


def squared() -> mb.Model:
    m = mb.Model("squared")
    for name in "ab":
        m.body(name, mass=1, inertia=(1, 1, 1))
        m.revolute(name.upper(), m.ground, name)
    m.coupler("tie", "A - B^2")
    return m


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (loop, 'joint "P": revolute P closes a loop, and URDF is a tree; save it as .yaml or .json'),
        (ball, 'joint "O": URDF has no spherical joint'),
        (squared, 'joint "tie": this coupler has no URDF'),
        (lambda: mb.Model("flat", dimension=2), "flat: a planar model has no URDF"),
    ],
)
def test_what_has_no_urdf_is_refused(tmp_path: Path, make: object, words: str) -> None:
    with pytest.raises(mb.ModelError) as caught:
        make().save(str(tmp_path / "x.urdf"))  # type: ignore[operator]
    assert words in str(caught.value)
    assert not (tmp_path / "x.urdf").exists()


def test_what_urdf_has_no_place_for_is_noted(tmp_path: Path) -> None:
    m = mb.Model("noted", gravity=(0, 0, -1.6))
    m.body("a", mass=1, inertia=(1, 1, 1))
    m.revolute("O", m.ground, "a")
    m.motion("O", "t")
    m.effort("coil", "O", stiffness=3)
    with pytest.warns(RobotNote, match=r"noted: not carried over: 1 effort \(coil\), 1 gravity, 1 motion \(O\)"):
        m.save(str(tmp_path / "x.urdf"))


# --- the command ------------------------------------------------------------------------------------------------------
def invoke(*arguments: str) -> tuple[int, str, str]:
    """Return exit status, stdout and stderr of a verb, without the notes of readers."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RobotNote)
        return run(*arguments)


def test_convert(tmp_path: Path) -> None:
    general(tmp_path)
    for name in ("out.yaml", "out.json", "out.urdf"):
        code, out, _ = invoke(
            "convert", str(tmp_path / "in.urdf"), str(tmp_path / name), "--limits", "none", "--fixed", "merge"
        )
        assert (code, out) == (0, f"written: {tmp_path / name}\n")
        assert "limit" not in json.dumps(list(quietly(tmp_path / name).forces))
    assert len(quietly(tmp_path / "out.yaml").bodies) == len(KINDS)


def test_convert_refuses_in_words(tmp_path: Path) -> None:
    general(tmp_path)
    source = str(tmp_path / "in.urdf")
    for arguments, words in (
        ((source, str(tmp_path / "x.stl")), 'unknown ending ".stl"'),
        ((source, source), "it is a file of the model itself"),
        ((source, str(tmp_path / "x.yaml"), "--base", "flying"), "base is 'flying'"),
        (("four-bar", str(tmp_path / "x.urdf")), "a planar model has no URDF"),
    ):
        code, _, err = invoke("convert", *arguments)
        assert code == 2
        assert words in err


def test_verbs_take_robots_and_their_options(tmp_path: Path) -> None:
    general(tmp_path)
    fixed, floating = (invoke("check", str(tmp_path / "in.urdf"), "--json", *more) for more in ((), ("--set", "base=floating")))
    assert fixed[0] == floating[0] == 0
    assert json.loads(floating[1])["mobility"] == json.loads(fixed[1])["mobility"] + 6
