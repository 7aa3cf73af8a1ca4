"""Bodies welded together are one body to the formulations and two to the user: motions, reactions, flags, simulators."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import multibody as mb
from analyses.dynamics.welded_models import planar, spatial
from multibody.state.system import tables_of
from multibody.tables import welds as composites
from multibody.tables.welds import find_welds

CASES: dict[str, Callable[[], mb.Model]] = {
    "planar": planar, "planar, massless parts": lambda: planar(mass=0.0), "planar, welded twice": lambda: planar(twice=True),
    "spatial": spatial, "spatial, massless parts": lambda: spatial(mass=0.0),
    "spatial, welded twice": lambda: spatial(twice=True), "open": lambda: spatial(loop=False),
}  # fmt: skip
PAIRS = [("augmented", "bdf"), ("partitioning", "dop853"), ("baumgarte", "dop853"), ("parametric", "bdf")]
TIGHT: dict[str, Any] = {"until": 0.2, "rtol": 1e-10, "atol": 1e-12, "output_step": 0.02}


def everything(run: Any) -> dict[str, np.ndarray]:
    """Return poses, rates, accelerations, reactions and energies of all bodies and joints over time."""
    m = run.model
    flat = ("x", "y", "angle", "x.rate", "angle.rate", "y.acceleration", "angle.acceleration")
    deep = ("x", "z", "rotation", "y.rate", "omega.x", "omega.z", "x.acceleration", "omega.y.rate")
    items = flat if m.dimension == 2 else deep
    found = {f"{body}.{item}": run[f"{body}.{item}"].values for body in m.bodies for item in items}
    for joint in m.joints:
        for item in ("force", "moment"):
            part = run[f"{joint}.reaction.{item}"]
            found[f"{joint}.{item}"], found[f"{joint}.{item} unique"] = part.values, np.array(part.attrs["unique"])
    for item in ("kinetic", "potential", "work"):
        found[f"energy.{item}"] = run[f"energy.{item}"].values
    return found


def assert_same(one: dict[str, np.ndarray], other: dict[str, np.ndarray], tolerance: float) -> None:
    """Compare everything."""
    for key, value in other.items():
        size = max(1.0, float(np.max(np.abs(value))))
        np.testing.assert_allclose(one[key], value, rtol=0, atol=tolerance * size, err_msg=key)


@pytest.fixture(scope="module")
def references() -> dict[str, Any]:
    """Every case in joint coordinates, whose tree has the welds as joints without freedom."""
    return {name: everything(make().run(**TIGHT, formulation="recursive")) for name, make in CASES.items()}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("formulation", ["augmented", "kane", "parametric"])
def test_composites_move_and_react_as_the_bodies_do(name: str, formulation: str, references: dict[str, Any]) -> None:
    run = CASES[name]().run(**TIGHT, formulation=formulation)
    assert run.ok
    assert_same(everything(run), references[name], 2e-7)


@pytest.mark.parametrize("name", ["planar, massless parts", "spatial, massless parts"])
@pytest.mark.parametrize("pair", PAIRS)
def test_other_formulations_and_implicit_integrators(name: str, pair: tuple[str, str], references: dict[str, Any]) -> None:
    run = CASES[name]().run(**TIGHT, formulation=pair[0], integrator=pair[1])
    assert run.ok
    assert_same(everything(run), references[name], 5e-6)


@pytest.mark.parametrize("name", ["planar", "spatial"])
def test_free_bodies_are_in_balance(name: str) -> None:
    run = CASES[name]().run(until=0.1)
    assert run.balance().relative < 1e-9


def test_equations_are_those_of_composites() -> None:
    """Massless parts leave the mass matrix regular, and the equations are fewer: nothing is solved by a full matrix."""
    for make in (lambda: planar(mass=0.0), lambda: spatial(mass=0.0)):
        sim = make().simulator(formulation="augmented").simulation
        assert sim.bundle.regular
        assert sim.bundle.tables.nv < tables_of(make()).nv - 6


@pytest.mark.parametrize("name", CASES)
def test_parametric_has_no_columns_for_welds(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same columns as without the welded bodies, and the same motion and reactions as with them apart."""
    merged = CASES[name]().simulator(formulation="parametric").simulation
    found = everything(CASES[name]().run(**TIGHT, formulation="parametric"))
    monkeypatch.setattr(composites, "find_welds", lambda tables: None)
    apart = CASES[name]().simulator(formulation="parametric").simulation
    welds = find_welds(tables_of(CASES[name]()))
    assert welds is not None
    assert apart.space.nv - merged.space.nv == tables_of(CASES[name]()).width * len(welds.joints)
    assert_same(everything(CASES[name]().run(**TIGHT, formulation="parametric")), found, 1e-9)


def test_balls_between_composites_move_their_charts() -> None:
    """A ball on a welded tool turns so far that its angles are taken anew."""
    runs = []
    for formulation in ("parametric", "recursive"):
        m = spatial(mass=0.3, loop=False)
        m.body("bob", mass=0.4, inertia=(1e-3, 2e-3, 2e-3), com=(0.2, 0, 0))
        m.spherical("ball", "tool.point", "bob")
        runs.append(m.run(1.5, formulation=formulation, rtol=1e-9, atol=1e-11))
    assert all(run.ok for run in runs)
    for path in ("bob.x", "tool.z", "W2.reaction.force"):
        np.testing.assert_allclose(runs[0][path].values, runs[1][path].values, rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("dimension", [2, 3])
def test_bodies_that_only_weld_each_other_fly_on_though_welded_twice(dimension: int) -> None:
    """Every row is round-off there: none may pass for independent."""
    m = mb.Model("flying", dimension=dimension, gravity=(0.3, -9.81, 0.7)[:dimension])
    inertia, tilt = (0.2, {"angle": 0.7}) if dimension == 2 else ((0.2, 0.3, 0.4), {"rotvec": (0.3, -0.2, 0.5)})
    frames = {"P": {"at": (0.4, 0.7, 0.3)[:dimension], **tilt}}
    m.body("a", mass=1.4, inertia=inertia, com=(0.5, -0.2, 0.3)[:dimension], frames=frames)
    m.body("b", mass=0.9, inertia=inertia, com=(0.2, -0.5, 0.35)[:dimension])
    m.fixed("J", "a.P", "b")
    m.fixed("L", "a.P", "b")
    m.initial({"a.x.rate": 0.3, ("a.angle.rate" if dimension == 2 else "a.omega.z"): 0.8})
    one, other = (m.run(0.3, formulation=f, rtol=1e-9, atol=1e-11, output_step=0.1) for f in ("augmented", "recursive"))
    assert one.ok and other.ok
    assert_same({"a.x": one["a.x"].values, "b.y": one["b.y"].values}, {p: other[p].values for p in ("a.x", "b.y")}, 1e-8)


def test_a_composite_is_the_body_one_would_compute_by_hand() -> None:
    """Two welded bars and the one bar of composed mass and inertia, the parallel axes by hand."""
    two = mb.Model("two", dimension=2, gravity=(0, -9.81))
    two.body("a", mass=2.0, inertia=0.05, com=(0.3, 0), frames={"end": {"at": (0.6, 0), "angle": 1.0}})
    two.body("b", mass=1.0, inertia=0.02, com=(0.2, 0))
    two.revolute("O", two.ground, "a")
    two.fixed("W", "a.end", "b")
    two.initial({"O": 0.4})
    center = np.array([0.6 + 0.2 * math.cos(1.0), 0.2 * math.sin(1.0)])
    com = (2.0 * np.array([0.3, 0.0]) + 1.0 * center) / 3.0
    inertia = 0.05 + 0.02 + 2.0 * np.sum((np.array([0.3, 0.0]) - com) ** 2) + np.sum((center - com) ** 2)
    one = mb.Model("one", dimension=2, gravity=(0, -9.81))
    one.body("a", mass=3.0, inertia=inertia, com=tuple(com))
    one.revolute("O", one.ground, "a")
    one.initial({"O": 0.4})
    runs = [m.run(1.0, formulation="augmented", rtol=1e-11, atol=1e-13) for m in (two, one)]
    np.testing.assert_allclose(runs[0]["O"].values, runs[1]["O"].values, atol=1e-9)
    np.testing.assert_allclose(runs[0]["O.reaction.force"].values, runs[1]["O.reaction.force"].values, atol=1e-7)
    np.testing.assert_allclose(runs[0]["b.angle"].values - runs[0]["a.angle"].values, 1.0, atol=1e-12)


def test_whole_turns_of_a_welded_body_are_kept() -> None:
    m = planar()
    m.initial(guess={"end.angle": 4 * math.pi})
    state = m.assemble()
    run = m.run(0.1, initial=state, formulation="augmented")
    assert abs(run["end.angle"].values[0] - state.q[3 * 3 + 2]) < 1e-9
    assert np.max(np.abs(np.diff(run["end.angle"].values))) < 0.5


def test_runs_go_on_and_are_read_between_instants() -> None:
    m = spatial(mass=0.0)
    whole = m.run(0.2, rtol=1e-10, atol=1e-12, formulation="augmented")
    first = m.run(0.1, rtol=1e-10, atol=1e-12, formulation="augmented")
    rest = m.run(0.2, initial=first.final, rtol=1e-10, atol=1e-12, formulation="augmented")
    np.testing.assert_allclose(rest["tool.rotation"].values[-1], whole["tool.rotation"].values[-1], atol=1e-8)
    between = whole.at(0.10037)
    near = first.at(0.09999)
    np.testing.assert_allclose(between["W2.reaction.force"], near["W2.reaction.force"], atol=0.1)


def test_a_simulator_reads_and_sets_welded_bodies() -> None:
    """What is set from outside acts on the composite, and the weld's reaction knows it."""
    found = []
    for formulation in ("augmented", "parametric", "recursive"):
        sim = planar(mass=0.0).simulator(formulation=formulation, rtol=1e-10, atol=1e-12)
        sim.step(0.02)
        sim.set("drag.force", (3.0, 1.0))
        sim.step(0.02)
        forces = [*sim["W2.reaction.force"], sim["W1.reaction.moment"]]
        found.append([sim["plate.x"], sim["B"], sim["end.angle.rate"], *forces])
    for other in found[1:]:
        np.testing.assert_allclose(found[0], other, rtol=1e-6, atol=1e-8)


def test_what_check_says_is_about_the_users_bodies() -> None:
    found = planar(twice=True).check()
    assert (found.coordinates, found.mobility) == (21, 1)
    assert any(name.startswith(("W3", "W4")) for name in found.redundant)


def test_bodies_with_loads_in_their_own_axes_keep_them() -> None:
    """Two of them with different axes are not one composite; the weld between them stays a joint."""
    m = mb.Model("pushed", dimension=2)
    m.body("a", mass=1.0, inertia=0.1, frames={"end": {"at": (0.5, 0), "angle": 0.7}})
    m.body("b", mass=1.0, inertia=0.1, com=(0.1, 0.2))
    m.fixed("W", "a.end", "b")
    m.force("fa", "a", value=("cos(t)", 0), axes="body")
    m.force("fb", "b", value=(0, "sin(t) + 1"), axes="body")
    assert find_welds(tables_of(m)) is None
    runs = [m.run(1.0, formulation=f, rtol=1e-10, atol=1e-12) for f in ("augmented", "recursive")]
    np.testing.assert_allclose(runs[0]["b.x"].values, runs[1]["b.x"].values, atol=1e-8)


def test_without_composites_the_answer_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    merged = everything(spatial().run(**TIGHT, formulation="augmented"))
    monkeypatch.setattr(composites, "find_welds", lambda tables: None)
    assert_same(everything(spatial().run(**TIGHT, formulation="augmented")), merged, 1e-8)


def test_parameters_move_welds() -> None:
    m = mb.Model("arm", dimension=2, gravity=(0, -9.81))
    length = m.parameter("l", 0.5)
    m.body("bar", mass=1.0, inertia=0.02, com=(0.2, 0), frames={"end": (length, 0)})
    m.body("bob", mass=2.0, inertia=0.0)
    m.revolute("O", m.ground, "bar")
    m.fixed("W", "bar.end", "bob")
    m.initial({"O": 0.3})
    for value in (0.5, 0.8):
        runs = [m.set(l=value).run(0.5, formulation=f, rtol=1e-10, atol=1e-12) for f in ("augmented", "articulated")]
        np.testing.assert_allclose(runs[0]["bob.y"].values, runs[1]["bob.y"].values, atol=1e-9)


def test_a_jump_of_a_prescribed_velocity_passes_composites() -> None:
    found = []
    for formulation in ("augmented", "parametric", "recursive"):
        m = spatial(mass=0.0, loop=False)
        m.initials.clear()
        m.motion("J1", "0.2 + abs(t - 0.05)")
        found.append(m.run(0.1, formulation=formulation, rtol=1e-9, atol=1e-11))
    for path in ("tool.x.rate", "W2.reaction.force", "W1.reaction.moment"):
        for other in found[1:]:
            np.testing.assert_allclose(found[0][path].values, other[path].values, rtol=1e-5, atol=1e-5)


def test_events_on_welded_bodies_come_at_the_same_time() -> None:
    times = []
    for formulation in ("augmented", "parametric", "recursive"):
        m = planar(mass=0.0)
        m.event("rises", "plate.y - 0.06")
        times.append([event.time for event in m.run(0.3, formulation=formulation).events])
    assert len(times[0]) == 1
    np.testing.assert_allclose(times[0], times[1], atol=1e-6)
    np.testing.assert_allclose(times[0], times[2], atol=1e-6)
