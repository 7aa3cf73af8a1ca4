"""Pictures: what they contain, for every kind of joint and for odd models. Pixels are not compared."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.patches import Circle, Polygon
from matplotlib.text import Annotation

import multibody as mb
from multibody.view.scene import Blueprint
from multibody.view.style import body_color, lighter


@pytest.fixture(autouse=True)
def closed_figures() -> Iterator[None]:
    before = dict(matplotlib.rcParams)
    yield
    plt.close("all")
    assert dict(matplotlib.rcParams) == before, "the user's settings were changed"


def words(ax: Any) -> set[str]:
    """Return all names in a picture."""
    return {text.get_text() for text in ax.texts if text.get_text() and text.get_gid() != "gravity"}


def patches(ax: Any, kind: type) -> list[Any]:
    return [patch for patch in ax.patches if type(patch) is kind]


def has_color(ax: Any, number: int) -> bool:
    """Return whether a filled outline has the color of a body."""
    edge = lighter(body_color(number), 0.0)
    return any(np.allclose(patch.get_edgecolor()[:3], edge) for patch in patches(ax, Polygon))


# --- planar -----------------------------------------------------------------------------------------------------------
def test_slider_crank_has_pins_links_a_rail_and_names() -> None:
    ax = mb.load("slider-crank").assemble(t=0.005).draw()
    assert words(ax) >= {"crank", "rod", "slider", "O", "A", "B, S"}
    assert len(patches(ax, Circle)) == 3
    assert all(has_color(ax, number) for number in (1, 2, 3))
    assert ax.get_xlabel() == "x [m]"
    assert ax.get_ylabel() == "y [m]"
    assert "slider-crank" in ax.get_title(loc="left")
    assert "t = 0.005 s" in ax.get_title(loc="left")
    assert ax.get_aspect() == 1.0


def test_gravity_has_an_arrow_where_there_is_gravity() -> None:
    def arrows(ax: Any) -> int:
        return len([a for a in ax.findobj(Annotation) if a.get_gid() == "gravity"])

    assert arrows(mb.load("slider-crank").draw()) == 2  # the arrow and its letter
    assert arrows(mb.load("planetary").draw()) == 0
    assert arrows(mb.load("rssr").draw()) == 2


def test_several_times_draw_paler_poses_and_one_set_of_supports() -> None:
    run = mb.load("slider-crank").kinematics(steps=40)
    one, three = run.draw(at=0.01), run.draw(at=[0.0, 0.005, 0.01])
    assert len(patches(three, Circle)) == 3 * len(patches(one, Circle))
    assert words(three) == words(one)
    ground = [p for p in patches(three, Polygon) if len(p.get_xy()) == 4]
    assert len(ground) == len([p for p in patches(one, Polygon) if len(p.get_xy()) == 4])


def test_traces_are_the_paths_of_frames() -> None:
    run = mb.load("shabana-four-bar").kinematics(steps=60)
    ax = run.draw(trace=["link3.com", "link3.end", "link2"])
    curves = {line.get_label(): line for line in ax.get_lines()}
    expected = run.point("link3.com").position.values
    np.testing.assert_allclose(curves["link3.com"].get_xydata(), expected)
    assert curves["link3.com"].get_linestyle() != curves["link3.end"].get_linestyle()
    assert {text.get_text() for text in ax.get_legend().get_texts()} == {"link3.com", "link3.end", "link2"}


def test_everything_lies_inside_the_limits() -> None:
    run = mb.load("slider-crank").kinematics(steps=40)
    ax = run.draw(at=0.01, trace=["rod.com", "slider"])
    for name in ("crank.pin", "rod.small", "rod.com"):
        position = run.point(name).position.values[int(np.argmin(np.abs(run.time - 0.01)))]
        assert ax.get_xlim()[0] < position[0] < ax.get_xlim()[1]
        assert ax.get_ylim()[0] < position[1] < ax.get_ylim()[1]
    rail = run["S"].values
    assert ax.get_xlim()[0] < rail.min()
    assert rail.max() < ax.get_xlim()[1]


@pytest.mark.parametrize("name", ["cam-roller", "cam-flat", "cam-knife"])
def test_a_cam_touches_its_follower(name: str) -> None:
    state = mb.load(name).assemble(t=0.03)
    cam = Blueprint(state.tables).scene(state.q).cams[0]
    distance = np.linalg.norm(cam.contact - cam.tip)
    if name == "cam-roller":
        assert distance == pytest.approx(0.008)
    elif name == "cam-knife":
        assert distance == pytest.approx(0.0, abs=1e-12)
    else:
        assert cam.contact[1] == pytest.approx(cam.tip[1])
        assert np.max(cam.profile[:, 1]) <= cam.tip[1] + 1e-9
    assert words(state.draw()) >= {"cam", "follower", "guide", "valve_spring"}


def test_planetary_wheels_roll_with_touching_circles_and_meshing_teeth() -> None:
    run = mb.load("planetary").kinematics(steps=30)
    for k in (0, 7, 30):
        scene = Blueprint(run.tables).scene(run.motion.q[k])
        assert [round(wheel.radius, 12) for wheel in scene.wheels] == [0.024, 0.018, 0.06, 0.018, 0.018]
        assert [wheel.teeth for wheel in scene.wheels] == [24, 18, 60, 18, 18]
        assert [wheel.internal for wheel in scene.wheels] == [False, False, True, False, False]
        sun, ring = scene.wheels[0], scene.wheels[2]
        for planet in (wheel for wheel in scene.wheels if wheel.radius == pytest.approx(0.018)):
            for partner, sense in ((sun, 1.0), (ring, -1.0)):
                contact = min(planet.contacts, key=lambda p: abs(np.linalg.norm(p - partner.center) - partner.radius))
                assert np.linalg.norm(contact - planet.center) == pytest.approx(planet.radius)
                parts = []
                for wheel in (partner, planet):
                    out = contact - wheel.center
                    parts.append((np.arctan2(out[1], out[0]) - wheel.angle) / (2 * np.pi / wheel.teeth))
                gap = (parts[0] + sense * parts[1]) % 1.0  # a tooth of one stands in a gap of the other
                assert gap == pytest.approx(0.5, abs=1e-6)


def test_a_rack_touches_its_pinion() -> None:
    state = mb.load("rack-and-pinion").assemble(t=0.1)
    rack = Blueprint(state.tables).scene(state.q).racks[0]
    np.testing.assert_allclose(rack.contact, [0.0, 0.0], atol=1e-12)
    assert rack.start[0] < state["rack.x"] < rack.end[0]
    assert words(state.draw()) >= {"pinion", "rack", "P", "R"}


def planar_kinds() -> mb.Model:
    m = mb.Model("planar-kinds", dimension=2, gravity=(0, -9.81))
    m.frames(P=(0, 0), Q=(3, 0), R=(0, 2), T=(3, 2), U=(5, 2))
    a = m.body("a", frames={"e": (1, 0.4)})
    b = m.body("b", shape={"box": (0.8, 0.3)}, frames={"far": (2, 0)})
    c = m.body("c", mass=1, shape={"disk": (0, 0), "radius": 0.3})
    d = m.body("d", frames={"e": (1, 0), "f": (0, 1), "g": (0.3, 0.3)})
    m.body("e", at=(5, 0))
    m.body("f", frames={"tip": (0.2, 0)})
    m.revolute("O", "ground.P", a)
    m.fixed("weld", a["e"], b)
    m.translational("slide", "ground.Q", c, axis=(1, 1))
    m.point_on_line("line", "ground.R", d, axis=(1, 0))
    m.distance("rod", a["e"], d["e"], length=1.8)
    m.free("loose", m.ground, "e")
    m.translational("nut", c, "f", axis=(0, 1))
    m.parallel("same", b, d, axis=(1, 0))
    m.spring("k", "ground.T", d["e"], stiffness=1)
    m.bushing("soft", c, "ground.U")
    return m


def test_all_planar_kinds_are_drawn_and_named() -> None:
    ax = planar_kinds().assemble().draw(labels=True)
    shown = ", ".join(words(ax)).split(", ")
    assert set(shown) >= {"O", "weld", "slide", "line", "rod", "nut", "k", "soft", *"abcdef"}
    assert all(has_color(ax, number) for number in range(1, 7))
    assert "loose" not in shown


@pytest.mark.parametrize("dimension", [2, 3])
def test_odd_models_are_drawn(dimension: int) -> None:
    alone = mb.Model("alone", dimension=dimension)
    alone.body("b")
    assert words(alone.draw()) == {"b"}
    point = mb.Model("point", dimension=dimension)
    for name in "bc":
        point.body(name)
    point.revolute("A", point.ground, "b")
    point.revolute("B", "b", "c")
    assert words(point.draw()) == {"A, B", "b", "c"}


def test_many_bodies_have_no_names() -> None:
    ax = mb.load("chain", n=120).draw()
    assert words(ax) == set()
    assert len(patches(ax, Circle)) == 120
    assert words(mb.load("iftomm-n-four-bar", n=10).draw()) >= {"crank0", "coupler9"}
    assert words(mb.load("slider-crank").draw(labels=False)) == set()


def test_a_state_that_is_not_assembled_can_be_drawn() -> None:
    model = mb.Model("open", dimension=2)
    model.frames(far=(5, 0))
    model.body("a", frames={"end": (1, 0)})
    model.revolute("O", model.ground, "a")
    model.revolute("B", "ground.far", "a.end")
    state = model.assemble()
    assert not state.ok
    assert words(state.draw()) >= {"a", "O", "B"}


# --- spatial ----------------------------------------------------------------------------------------------------------
def spatial_kinds() -> mb.Model:
    m = mb.Model("spatial-kinds", gravity=(0, 0, -9.81))
    kinds: list[tuple[str, dict[str, Any], Any]] = [
        ("revolute", {"axis": (1, 0.3, 0)}, {"rod": [(0, 0, 0), (0, 0, 1)], "radius": 0.05}),
        ("cylindrical", {"axis": (0, 1, 1)}, {"box": (0.4, 0.3, 0.9), "at": (0, 0, 0.5)}),
        ("screw", {"axis": (0, 0, 1), "lead": 0.1}, {"cylinder": [(0, 0, 0), (0, 0, 1)], "radius": 0.1}),
        ("universal", {"axes": [(1, 0, 0), (0, 1, 0)]}, {"rod": [(0, 0, 0), (0.3, 0.3, 1)]}),
        ("spherical", {}, {"sphere": (0, 0, 0.8), "radius": 0.25}),
        ("translational", {"axis": (1, 1, 0)}, {"disk": (0, 0, 0.4), "radius": 0.4, "axis": (1, 0, 0)}),
        ("fixed", {}, None),
        ("planar", {"axis": (0, 0, 1)}, None),
        ("point_on_plane", {"axis": (0, 0, 1)}, None),
        ("point_on_line", {"axis": (0, 1, 0)}, None),
    ]
    for k, (kind, fields, shape) in enumerate(kinds):
        at = (2.0 * (k % 4), 2.0 * (k // 4), 0.0)
        frames = {} if shape else {"tip": (0.2, 0.1, 0.8), "side": (0.5, 0, 0.2)}
        body = m.body(f"b{k}", mass=1, inertia=(1, 1, 1), shape=shape, frames=frames, at=at)
        m.joint(kind, kind, m.ground, body, at=at, **fields)
    m.spring("k", "b6.tip", "b7.tip", stiffness=1)
    m.distance("rod", "b7.side", "b8.side", length=2)
    return m


def test_all_spatial_kinds_are_drawn_and_named() -> None:
    ax = spatial_kinds().assemble().draw(labels=True)
    assert words(ax) >= {"revolute", "cylindrical", "screw", "universal", "spherical", "translational", "fixed", "planar"}
    assert words(ax) >= {f"b{k}" for k in range(10)} | {"k", "rod"}
    ax.figure.canvas.draw()
    (faces,) = ax.collections  # all in one, which is sorted by depth
    assert len(faces.get_paths()) > 400
    assert ax.get_zlabel() == "z [m]"


def test_spatial_scales_are_equal() -> None:
    ax: Any = mb.load("rssr").assemble().draw()
    ranges = np.array([np.ptp(ax.get_xlim()), np.ptp(ax.get_ylim()), np.ptp(ax.get_zlim())])
    box = ax._box_aspect
    np.testing.assert_allclose(ranges / ranges[0], box / box[0])


def test_bevel_wheels_touch_where_their_cones_do() -> None:
    m = mb.Model("bevel")
    for name, at, axis in (("g", (0, 0, -0.3), (0, 0, 1)), ("h", (0.5, 0, 0), (1, 0, 0))):
        m.body(name, at=at)
        m.revolute(f"r{name}", m.ground, name, at=at, axis=axis)
    m.gear("mesh", "g", "h", teeth=(20, 12), axes=[(0, 0, 1), (1, 0, 0)])
    state = m.assemble()
    wheels = Blueprint(state.tables).scene(state.q).wheels
    np.testing.assert_allclose(wheels[0].contacts[0], [0.5, 0.0, -0.3])
    assert [wheel.radius for wheel in wheels] == [pytest.approx(0.5), pytest.approx(0.3)]
    assert words(state.draw()) >= {"g", "h"}


@pytest.mark.parametrize("kind", ["rack", "cam"])
def test_racks_and_cams_in_space(kind: str) -> None:
    m = mb.Model(kind)
    m.body("a")
    m.body("b", at=(0, -0.2, 0) if kind == "rack" else None, frames={"top": (0, 0.3, 0)})
    m.revolute("A", m.ground, "a")
    m.translational("B", m.ground, "b", at=(0, -0.2, 0), axis=(1, 0, 0) if kind == "rack" else (0, 1, 0))
    if kind == "rack":
        m.rack("mesh", "a", "b", radius=0.2, axis=(1, 0, 0))
    else:
        m.cam("mesh", "a", "b", profile="0.1 + 0.05*cos(phi)", roller=0.03)
        m.initial({"A": 0.3}, guess={"B": 0.3})
    state = m.assemble()
    assert state.ok
    assert words(state.draw()) >= {"a", "b", "A", "B"}


def test_all_library_models_are_drawn() -> None:
    from multibody.library import names

    for name in names():
        ax = mb.load(name).assemble().draw()
        ax.figure.canvas.draw()
        assert ax.get_title(loc="left").startswith(name)
        plt.close("all")


# --- axes and faults --------------------------------------------------------------------------------------------------
def test_given_axes_are_used() -> None:
    _, axes = plt.subplots(1, 2)
    run = mb.load("slider-crank").kinematics(steps=5)
    assert run.draw(ax=axes[0], title="here") is axes[0]
    assert axes[0].get_title(loc="left") == "here"
    assert not axes[1].patches


def test_faults_are_told() -> None:
    run = mb.load("slider-crank").kinematics(steps=5)
    with pytest.raises(mb.ModelError, match="times to draw are empty"):
        run.draw(at=[])
    for outside in (99, [0.0, -1.0]):
        with pytest.raises(mb.ModelError, match=r": t = (99|-1) is outside of the run; it goes from 0 to 0\.0418879"):
            run.draw(at=outside)
    run.draw(at=float(run.time[-1]) * (1 + 1e-15))
    one = mb.load("slider-crank").kinematics(at=0.01)
    one.draw(at=0.01)
    before = plt.get_fignums()
    for size in ((0, 0), "big", (3,), 4, (True, 2), (float("nan"), 2), (1e9, 1)):
        for picture in (one, mb.load("rssr").assemble()):
            with pytest.raises(mb.ModelError, match=r"figsize is .*; give width and height in inches"):
                picture.draw(figsize=size)
        with pytest.raises(mb.ModelError, match=r"figsize is .*; give width and height in inches"):
            run.plot("O", figsize=size)
    assert plt.get_fignums() == before, "no empty figure is left behind"
    assert tuple(one.draw(figsize=np.array([3.0, 2.0])).figure.get_size_inches()) == (3.0, 2.0)
    with pytest.raises(mb.ModelError, match='has no frame "nose"'):
        run.draw(trace=["rod.nose"])
    _, flat = plt.subplots()
    with pytest.raises(mb.ModelError, match="needs 3-D axes"):
        mb.load("rssr").assemble().draw(flat)


def test_gravity_stands_in_a_corner_that_nothing_reaches_into() -> None:
    for tip, corner in (((1.0, 1.0), (0.0, 1.0)), ((-1.0, 1.0), (1.0, 1.0))):
        m = mb.Model("up", dimension=2, gravity=(0, -9.81))
        m.body("a", mass=1.0, inertia=0.1, frames={"tip": tip})
        m.revolute("O", m.ground, "a")
        ax = m.assemble().draw()
        ax.figure.canvas.draw()
        (arrow, _) = [artist for artist in ax.artists + ax.texts if artist.get_gid() == "gravity"]
        box = arrow.arrow_patch.get_window_extent()
        middle = ax.transAxes.inverted().transform(((box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2))
        assert tuple(np.round(middle)) == corner
