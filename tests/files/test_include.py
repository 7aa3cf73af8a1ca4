"""Sub-mechanisms: what is included keeps its relative motion wherever it is put."""

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import multibody as mb
from multibody.files.reader import read_file, read_text
from multibody.files.writer import model_to_plain
from multibody.model.expressions import evaluate, names
from multibody.model.include import include
from multibody.model.joints import KINDS as JOINT_KINDS
from multibody.state.system import System
from multibody.tables.build import Builder
from multibody.tables.lower import Tables, lower

FOUR_BAR = """
name: four-bar
parameters: {a: 1, h: 0.5}
ground: {right: {at: [4, 0, 0], rpy: [0, 0, 30*deg]}}
bodies:
  crank: {mass: 1, inertia: [1, 1, 1], frames: {pin: [a, 0, 0]}, z: [0, 0, 1], x: [0, 1, 0]}
  rod: {mass: 1, inertia: [1, 1, 1], at: [0, a, 0]}
  rocker: {mass: 1, inertia: [1, 1, 1], at: [4, 0, 0], rpy: [0, 0, 30*deg], frames: {top: [h, a*cos(30*deg), 0]}}
joints:
  O: {revolute: [ground, crank], at: [0, 0, 0]}
  A: {spherical: [crank, rod], at: [0, a, 0]}
  B: {universal: [rod, rocker], at: [4, a, 0], axes: [[0, 0, 1], [0, 1, 0]]}
  C: {revolute: [ground.right, rocker]}
motions: {O: 2*t}
outputs: {tip: rod.com.x + rocker.top.y, turn: B.angle1, spin: 2*rod.omega.z}
"""


def drawn(tables: Tables) -> np.ndarray:
    """Coordinates of the drawn pose."""
    q = []
    for at, axes in tables.poses[1:]:
        turn = tables.matrix(axes)
        if tables.dimension == 2:
            q += [*tables.vector(at), np.arctan2(turn[1, 0], turn[0, 0])]
        else:
            q += [*tables.vector(at), *np.roll(Rotation.from_matrix(turn).as_quat(), 1)]
    return np.array([*q, *np.zeros(len(tables.extras))])


def scattered(tables: Tables, seed: int) -> np.ndarray:
    """Return the drawn pose, every body moved a little in its own way."""
    rng = np.random.default_rng(seed)
    q, system = drawn(tables), System(tables)
    return system.displaced(q, 0.2 * rng.standard_normal(tables.nv))


def turned(q: np.ndarray, body: int, point: np.ndarray, vector: np.ndarray, shift: np.ndarray) -> None:
    """Turn a spatial body about a point by a rotation vector, and shift it."""
    pose, turn = q[7 * (body - 1) : 7 * body], Rotation.from_rotvec(vector)
    pose[:3] = point + turn.apply(pose[:3] - point) + shift
    pose[3:] = np.roll((turn * Rotation.from_quat(np.roll(pose[3:], -1))).as_quat(), 1)


def wiggled(model: mb.Model, tables: Tables, seed: int) -> np.ndarray:
    """Return a pose in which the second body of each joint moves as the joint lets it.

    The angle of a joint with one axis is defined only while its axes are parallel, so this is where copies can be
    compared. What has no such angle is moved at will.
    """
    start, q = drawn(tables), scattered(tables, seed)
    for joint in model.joints.values():
        ends, structure = tables.ends[joint.name], joint.kind.structure(3)
        moved_by = () if structure.motion is None else structure.motion.freedoms
        slots = [slice(7 * (end.body - 1), 7 * end.body) for end in ends if end.body]
        angles = [name for name, basic in structure.coordinates if basic[0] == "angle"]
        if angles != ["angle"] and joint.kind.name not in ("fixed", "translational", "gear", "rack"):
            continue
        for slot in slots:
            q[slot] = start[slot]
        body = ends[1].body
        pose = q[7 * (body - 1) : 7 * body]
        turn = Rotation.from_quat(np.roll(pose[3:], -1)).as_matrix()
        axes, point = turn @ tables.matrix(ends[1].axes), pose[:3] + turn @ tables.vector(ends[1].point)
        shift = sum((0.3 * axes[:, f.number] for f in moved_by if f.how in ("slide", "screw")), np.zeros(3))
        axis = np.array(joint.fields["axes"][1], dtype=float) if joint.kind.name == "gear" else axes[:, 2]
        turns = joint.kind.name == "gear" or angles == ["angle"]
        if joint.kind.name == "rack":
            shift = 0.2 * np.array(joint.fields["axis"], dtype=float)
        turned(q, body, point, 0.7 * axis / np.linalg.norm(axis) if turns else np.zeros(3), shift)
    return q


def moved(tables: Tables, q: np.ndarray, point: np.ndarray, turn: np.ndarray) -> np.ndarray:
    """Return the same pose of a drawing that was put elsewhere."""
    q = q.copy()
    width = 3 if tables.dimension == 2 else 7
    for k in range(len(tables.bodies) - 1):
        at = slice(width * k, width * k + tables.dimension)
        q[at] = turn @ q[at] + point
        if tables.dimension == 2:
            q[width * k + 2] += np.arctan2(turn[1, 0], turn[0, 0])
        else:
            own = Rotation.from_quat(np.roll(q[width * k + 3 : width * k + 7], -1))
            q[width * k + 3 : width * k + 7] = np.roll((Rotation.from_matrix(turn) * own).as_quat(), 1)
    return q


def coordinates(tables: Tables, q: np.ndarray) -> dict[str, float]:
    """Values of all named joint coordinates."""
    system = System(tables)
    found = {f"{k[1]}.{k[2]}": system.value(q, f) for k, f in tables.coordinates.items() if k[0] == "joint"}
    return dict(sorted(found.items()))


def measured(model: mb.Model, q: np.ndarray, output: str) -> float:
    """Value of an output without rates."""
    builder = Builder(model).run()
    system = System(lower(model))
    formula = model.outputs[output]
    found = {}
    for parts in names(formula):
        path = model.resolve(parts)
        if path.kind == "parameter":
            found[parts] = builder.scope.values[parts]
            continue
        axes = np.eye(model.dimension)
        body = builder.placement.index[path.owner]
        point = builder.scope.numeric(builder.placement.frame(path.owner, path.item)[0])
        pose = q[7 * (body - 1) : 7 * body] if body else np.array([0, 0, 0, 1, 0, 0, 0])
        turn = Rotation.from_quat(np.roll(pose[3:], -1)).as_matrix()
        found[parts] = axes[path.axis] @ (pose[:3] + turn @ point)
    assert system.nv > 0
    return float(evaluate(formula, found.__getitem__))


AT, RPY = (0.3, "2*a0", -1.0), (0.4, -0.7, "a0")
POINT, TURN = np.array([0.3, 1.2, -1.0]), Rotation.from_euler("xyz", [0.4, -0.7, 0.6]).as_matrix()


def placed(other: mb.Model) -> mb.Model:
    """Return a model that holds nothing but a turned copy; its pose is a formula."""
    model = mb.Model("place", dimension=3)
    model.parameter("a0", 0.6)
    include(model, other, "left_", at=AT, rpy=RPY)
    return model


def test_a_placed_and_turned_four_bar_closes() -> None:
    other = read_text(FOUR_BAR, "four-bar.yaml", mb.Model)
    for model in (other, placed(other)):
        tables = lower(model)
        phi = System(tables).phi(drawn(tables), 0.0)
        assert len(phi) > 10
        np.testing.assert_allclose(phi, 0.0, atol=1e-12)


def test_relative_coordinates_do_not_change() -> None:
    other = read_text(FOUR_BAR, "four-bar.yaml", mb.Model)
    one, two = lower(other), lower(placed(other))
    q = wiggled(other, one, 5)
    expected = {f"left_{key}": value for key, value in coordinates(one, q).items()}
    found = coordinates(two, moved(two, q, POINT, TURN))
    assert len(found) >= 4
    assert found == pytest.approx(expected, abs=1e-12)
    assert max(abs(value) for value in found.values()) > 0.1


def test_outputs_are_seen_from_the_copy_s_own_ground() -> None:
    other = read_text(FOUR_BAR, "four-bar.yaml", mb.Model)
    model = placed(other)
    q = scattered(lower(other), 6)
    expected = measured(other, q, "tip")
    assert measured(model, moved(lower(model), q, POINT, TURN), "left_tip") == pytest.approx(expected, abs=1e-12)
    assert str(model.outputs["left_turn"]) == "left_B.angle1"
    used = {parts[1:] for parts in names(model.outputs["left_spin"])}
    assert used >= {("omega", "x"), ("omega", "y"), ("omega", "z")}


ZOO = {
    "fixed": {},
    "revolute": {"axis": (1, 2, 3)},
    "translational": {"axis": (1, -2, 0.5)},
    "cylindrical": {},
    "screw": {"axis": (0, 1, -1), "lead": 0.3},
    "universal": {"axes": ((1, 1, 0), (0, 0, 2))},
    "spherical": {},
    "planar": {"axis": (1, 0, 1)},
    "free": {},
    "distance": {"length": 0.7},
    "point_on_line": {"axis": (3, 1, 1)},
    "point_on_plane": {"axis": (1, 3, 1)},
    "parallel": {"axis": (1, 1, 3)},
    "gear": {"teeth": (12, 30), "axes": ((0, 0, 1), (1, 0, 1))},
    "rack": {"radius": 0.2, "axis": (1, 1, 0)},
    "cam": {"profile": "0.1 + 0.02*cos(phi)", "roller": 0.01},
}
ORIENTATIONS = (
    {"rpy": (0.1, 0.2, 0.3)}, {"quaternion": (1, 2, -1, 0.5)}, {"rotvec": (0.3, "b", 1)}, {"euler": {"ZXZ": (1, 2, 3)}},
    {"z": (1, 2, 3)}, {"x": (1, -2, 3)}, {"x": (1, 0, 2), "z": (0, 1, 3)}, {"z": (0, 0, -1)},
)  # fmt: skip


def zoo(dimension: int, kinds: tuple[str, ...], in_place: bool) -> mb.Model:
    """Pairs of bodies in general position, one for each kind, the first of them on the ground or not."""
    rng = np.random.default_rng(2)
    model = mb.Model("zoo", dimension=dimension)
    model.parameter("b", 0.2)
    model.frames(f={"at": (1, "b", 3)[:dimension]} | ({"angle": 0.4} if dimension == 2 else {"rpy": (1, 2, 3)}))
    for k, kind in enumerate(kinds):
        bodies = []
        for side in "ij":
            form = {"angle": 0.3 + k} if dimension == 2 else ORIENTATIONS[(2 * k + (side == "i")) % len(ORIENTATIONS)]
            at = tuple(rng.standard_normal(dimension))
            frames = {"f": tuple(rng.standard_normal(dimension))}
            bodies.append(model.body(f"{kind}_{side}", frames=frames, com=at[::-1], at=at, **form))
        first = model.ground if k % 3 == 0 and kind != "gear" else bodies[0]
        fields = {key: value for key, value in ZOO[kind].items()}
        if dimension == 2:
            fields = {key: value[:2] if key == "axis" else value for key, value in fields.items() if key != "axes"}
            fields = {key: value for key, value in fields.items() if not (kind == "revolute" and key == "axis")}
        if kind in ("gear", "rack"):  # placed by other joints, zero as drawn
            model.joint(kind, f"J_{kind}", first, bodies[1], **fields)
        elif in_place:
            model.joint(kind, f"J_{kind}", first, bodies[1], at=(0.2, "b", 0.4)[:dimension], **fields)
        else:
            model.joint(kind, f"J_{kind}", first["f"], bodies[1], **fields)
    return model


def check_zoo(other: mb.Model, poses: list[np.ndarray], point: np.ndarray, turn: np.ndarray, **form: object) -> None:
    model = mb.Model("place", dimension=other.dimension)
    include(model, other, "p_", at=tuple(point), **form)
    one, two = lower(other), lower(model)
    for q in poses:
        there = moved(two, q, point, turn)
        expected, found = coordinates(one, q), coordinates(two, there)
        assert len(found) == len(expected) > 0
        assert list(found.values()) == pytest.approx(list(expected.values()), abs=1e-12)
        for name, rows in one.joint_rows.items():
            before = System(one).phi(q, 0.0, rows.start, rows.stop)
            after = System(two).phi(there, 0.0, rows.start, rows.stop)
            # rows of a coincidence are ground components, so they turn with the ground; their norm does not
            assert np.linalg.norm(after) == pytest.approx(np.linalg.norm(before), abs=1e-12), name


@pytest.mark.parametrize("in_place", [True, False])
def test_every_spatial_joint_keeps_its_coordinates(in_place: bool) -> None:
    kinds = tuple(kind for kind in ZOO if in_place or kind not in ("gear", "rack"))
    other = zoo(3, kinds, in_place)
    tables = lower(other)
    poses = [drawn(tables), wiggled(other, tables, 3) if in_place else scattered(tables, 3)]
    check_zoo(other, poses, POINT, TURN, rpy=(0.4, -0.7, 0.6))


@pytest.mark.parametrize("in_place", [True, False])
def test_every_planar_joint_keeps_its_coordinates(in_place: bool) -> None:
    kinds = tuple(kind for kind in ZOO if JOINT_KINDS[kind].planar is not None)
    assert len(kinds) == 10
    turn = np.array([[np.cos(0.8), -np.sin(0.8)], [np.sin(0.8), np.cos(0.8)]])
    other = zoo(2, kinds, in_place)
    tables = lower(other)
    check_zoo(other, [drawn(tables), scattered(tables, 3)], np.array([1.0, -2.0]), turn, angle=0.8)


def test_names_get_the_prefix_everywhere() -> None:
    other = mb.Model("other", dimension=2)
    length = other.parameter("l", 0.5, unit="m", min=0.1)
    other.table("lift", [0, 1], [0, 2])
    other.frames(seat=(0, length))
    other.body("bar", mass=length * 2, inertia=1, frames={"end": (length, 0)})
    other.revolute("O", other.ground, "bar")
    other.spring("s", "ground.seat", "bar.end", force="-100*(s.length - l) - O.rate*lift(t)")
    other.effort("e", "O.angle", value="-O")
    other.motion("O", "lift(t)*l")
    other.initial({"O.rate": "l"}, guess={"O": {"value": "l/2", "weight": "2*l"}})
    other.output("y", "bar.end.y + ground.seat.y")
    other.event("hit", "O - l")
    model = mb.Model("top", dimension=2)
    include(model, other, "q_")
    data = model_to_plain(model)
    assert data["parameters"] == {"q_l": {"value": 0.5, "unit": "m", "min": 0.1}}
    assert data["ground"] == {"q_seat": [0, "q_l"]}
    assert data["bodies"] == {"q_bar": {"mass": "q_l*2", "inertia": 1, "frames": {"end": ["q_l", 0]}}}
    assert data["joints"] == {"q_O": {"revolute": ["ground", "q_bar"]}}
    law = "-100*(q_s.length - q_l) - q_O.rate*q_lift(t)"
    assert data["forces"]["q_s"] == {"spring": ["ground.q_seat", "q_bar.end"], "force": law}
    assert data["forces"]["q_e"] == {"effort": "q_O.angle", "value": "-q_O"}
    assert data["motions"] == {"q_O": "q_lift(t)*q_l"}
    assert data["initial"] == {"q_O.rate": "q_l"}
    assert data["guess"] == {"q_O": {"value": "q_l/2", "weight": "2*q_l"}}
    assert data["outputs"] == {"q_y": "q_bar.end.y + ground.q_seat.y"}
    assert data["events"] == {"q_hit": {"when": "q_O - q_l"}}
    assert list(data["tables"]) == ["q_lift"]


def test_what_is_stated_in_ground_is_moved() -> None:
    other = mb.Model("other", dimension=2)
    other.body("bar", mass=1, inertia=1)
    other.force("push", "bar", value=(1, "t"))
    other.effort("hold", "bar.angle", stiffness=3, rest=0.2)
    other.initial({"bar.x": 1, "bar.y": 2, "bar.x.rate": 3, "bar.y.rate": 4, "bar.angle": 0.1})
    model = mb.Model("top", dimension=2)
    include(model, other, "q_", at=(10, 20), angle="pi/2")
    data = model_to_plain(model)
    assert data["bodies"]["q_bar"] == {"mass": 1, "inertia": 1, "at": [10, 20], "angle": "pi/2"}
    turned = {key: evaluate(value, dict) for key, value in model.initials.items()}
    expected = {"q_bar.x": 8, "q_bar.y": 21, "q_bar.x.rate": -4, "q_bar.y.rate": 3, "q_bar.angle": 0.1 + np.pi / 2}
    assert turned == pytest.approx(expected)
    force = [evaluate(part, lambda parts: 5.0) for part in model.forces["q_push"].fields["value"]]
    assert force == pytest.approx([-5, 1])
    assert evaluate(model.forces["q_hold"].fields["rest"], dict) == pytest.approx(0.2 + np.pi / 2)


def test_a_single_component_cannot_be_held_in_a_turned_copy() -> None:
    other = mb.Model("other", dimension=2)
    other.body("bar", mass=1, inertia=1)
    other.motion("bar.x", "t")
    model = mb.Model("top", dimension=2)
    with pytest.raises(mb.ModelError, match=r'"q_bar.x" does not exist in a copy that is turned') as caught:
        include(model, other, "q_", angle=0.3)
    assert "joint" in caught.value.hint
    include(model, other, "q_", at=(2, 0))
    assert str(model.motions["q_bar.x"]) == "t + 2"


def test_an_include_that_does_not_fit_changes_nothing() -> None:
    other = read_text(FOUR_BAR, "four-bar.yaml", mb.Model)
    model = mb.Model("top", dimension=3)
    model.body("left_rod")
    before = model_to_plain(model)
    with pytest.raises(mb.ModelError, match='the name "left_rod" is taken'):
        include(model, other, "left_")
    assert model_to_plain(model) == before
    with pytest.raises(mb.ModelError, match="dimension 3"):
        include(mb.Model("flat", dimension=2), other, "left_")
    with pytest.raises(mb.ModelError, match="other units"):
        include(mb.Model("inches", units={"length": "in"}), other, "left_")
    for prefix in ("", "1", "a-", "_a"):
        with pytest.raises(mb.ModelError, match="is not a prefix"):
            include(model, other, prefix)


# --- in files --------------------------------------------------------------------------------------------------------

TOP = """
name: pair
parameters: {size: 2, gap: 3}
include:
- {model: parts/four-bar.yaml, prefix: left_, set: {a: size/2}}
- {model: parts/four-bar.yaml, prefix: right_, at: [gap, 0, 0], rpy: [0, 0, 90*deg], set: {h: 0.6}}
joints:
  bridge: {distance: [left_rod, right_rod], length: 1}
outputs: {both: left_O + right_O}
"""


@pytest.fixture
def top(tmp_path: Path) -> Path:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "four-bar.yaml").write_text(FOUR_BAR)
    (tmp_path / "top.yaml").write_text(TOP)
    return tmp_path / "top.yaml"


def test_a_file_includes_another_twice(top: Path) -> None:
    model = read_file(top, mb.Model)
    assert list(model.bodies) == ["left_crank", "left_rod", "left_rocker", "right_crank", "right_rod", "right_rocker"]
    assert str(model.parameters["left_a"].value) == "size/2"
    assert model.parameters["right_h"].value == 0.6
    tables = lower(model)
    joints = slice(0, tables.joint_rows["bridge"].start)
    np.testing.assert_allclose(System(tables).phi(drawn(tables), 0.0)[joints][: 6 * 2], 0.0, atol=1e-12)
    again = lower(read_file(top, mb.Model, {"size": 2, "left_h": 0.5}))
    np.testing.assert_array_equal(again.F, tables.F)


def test_parameters_of_what_is_included_can_be_set(top: Path) -> None:
    model = read_file(top, mb.Model, {"left_a": 1.5, "right_h": 0.9})
    assert (model.parameters["left_a"].value, model.parameters["right_h"].value) == (1.5, 0.9)
    with pytest.raises(mb.ModelError, match='unknown parameter "hh"; did you mean "h"') as caught:
        read_file(top, mb.Model, {"right_hh": 0.9})
    assert caught.value.file == str(top.parent / "parts" / "four-bar.yaml")


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("parts/four-bar.yaml, prefix: left_", "../four-bar.yaml, prefix: left_", "leaves the directory"),
        ("parts/four-bar.yaml, prefix: left_", "/etc/four-bar.yaml, prefix: left_", "absolute path"),
        ("parts/four-bar.yaml, prefix: left_", "c:\\x.yaml, prefix: left_", "absolute path"),
        ("parts/four-bar.yaml, prefix: left_", "top.yaml, prefix: left_", "include each other (top.yaml → top.yaml)"),
        ("parts/four-bar.yaml, prefix: left_", "parts/fourbar.yaml, prefix: left_", 'did you mean "four-bar.yaml"?'),
        ("parts/four-bar.yaml, prefix: left_", "no-such-model, prefix: left_", 'no model "no-such-model"'),
        ("prefix: left_", "prefixx: left_", 'unknown field "prefixx"; did you mean "prefix"?'),
        ("set: {a: size/2}", "set: {a: sizes/2}", 'unknown name "sizes"'),
        ("set: {a: size/2}", "set: {aa: size/2}", 'unknown parameter "aa"'),
    ],
)
def test_faults_of_an_include(top: Path, old: str, new: str, problem: str) -> None:
    assert old in TOP
    top.write_text(TOP.replace(old, new, 1))
    with pytest.raises(mb.ModelError) as caught:
        read_file(top, mb.Model)
    assert problem in str(caught.value)
    assert caught.value.line == 5 or caught.value.file != str(top)


def test_a_fault_in_an_included_file_names_that_file(top: Path) -> None:
    part = top.parent / "parts" / "four-bar.yaml"
    part.write_text(FOUR_BAR.replace("[ground.right, rocker]", "[ground.rihgt, rocker]"))
    with pytest.raises(mb.ModelError, match='did you mean "right"') as caught:
        read_file(top, mb.Model)
    assert (caught.value.file, caught.value.line) == (str(part), 13)


def test_a_fault_that_only_the_copy_has_points_to_the_include(top: Path) -> None:
    top.write_text(TOP.replace("at: [gap, 0, 0]", "at: [gapp, 0, 0]"))
    with pytest.raises(mb.ModelError, match='unknown name "gapp"') as caught:
        read_file(top, mb.Model)
    assert (caught.value.file, caught.value.line, caught.value.where) == (str(top), 6, "include.1")


def test_files_in_a_circle_are_refused(tmp_path: Path) -> None:
    for here, there in (("a", "b"), ("b", "a")):
        (tmp_path / f"{here}.yaml").write_text(f"include: [{{model: {there}.yaml, prefix: p_}}]\n")
    with pytest.raises(mb.ModelError, match="include each other"):
        read_file(tmp_path / "a.yaml", mb.Model)


def test_doubling_files_end(tmp_path: Path) -> None:
    for k in range(15):
        entries = ", ".join(f"{{model: f{k + 1}.yaml, prefix: {side}_}}" for side in "ab")
        (tmp_path / f"f{k}.yaml").write_text(f"name: f\ninclude: [{entries}]\n")
    (tmp_path / "f15.yaml").write_text("name: last\nbodies: {b: {mass: 1}}\n")
    with pytest.raises(mb.ModelError, match="1000 files"):
        read_file(tmp_path / "f0.yaml", mb.Model)
