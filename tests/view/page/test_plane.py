"""The stage of planar mechanisms in a real browser: what is drawn where, names, clicks, zoom and paper."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import multibody as mb
from multibody.view.scene import Poses
from view.page.browser import Browser, browser_or_skip

MODELS = {
    "slider-crank": 0.05, "shabana-four-bar": None, "cam-roller": None, "planetary": None, "rack-and-pinion": None,
    "peaucellier": None, "six-bar": 1.0, "inverted-slider": None, "chain": 1.0, "iftomm-andrews": 0.01,
}  # fmt: skip
STAGE = """
const stage = page.stages.panes[0].stage, data = stage.data, view = stage.frame;
const pixel = (x, y) => {
  const part = stage.context.getImageData(Math.round(x * view.ratio), Math.round(y * view.ratio), 1, 1).data;
  return [part[0], part[1], part[2]];
};
const placed = (poses, body, [x, y]) => {
  const p = 3 * body, c = Math.cos(poses[p + 2]), s = Math.sin(poses[p + 2]);
  return view.onScreen([poses[p] + c * x - s * y, poses[p + 1] + s * x + c * y]);
};
"""
EVERYTHING = """
stage.draw({layers: [{run: 0, time: arguments[0], fade: 0}], names: true, gravity: true});
const poses = stage.poses(0, arguments[0]), corners = [];
for (const {thing, outline} of stage.last.kit.items) {
  for (const point of outline ? outline.samples() : []) corners.push(placed(poses, thing.body, point));
}
return [stage.last.kit.naming.written, view.width, view.height, corners];
"""
COLORS = """
const draw = (more) => stage.draw({layers: [{run: 0, time: 0.004, fade: 0}], names: false, ...more}), found = {};
const rod = placed(stage.poses(0, 0.004), 2, [0, 0]), ghost = placed(stage.poses(0, 0.03), 2, [0, 0]);
draw({dark: false});
found.light = [pixel(2, 2), pixel(...rod)];
const usual = stage.canvas.toDataURL();
draw({dark: true});
found.dark = [pixel(2, 2), pixel(...rod)];
draw({dark: false, symbols: false});
found.symbols = usual !== stage.canvas.toDataURL();
draw({dark: false, selected: 2});
found.selected = usual !== stage.canvas.toDataURL();
stage.draw({layers: [{run: 0, time: 0.03, fade: 0.8}, {run: 0, time: 0.004, fade: 0}]});
found.ghost = pixel(...ghost);
stage.draw({layers: [{run: 0, time: 0.03, fade: 0}, {run: 0, time: 0.004, fade: 0}]});
found.whole = pixel(...ghost);
return found;
"""
ARROWS = """
const run = data.runs[0], time = run.time[100], poses = stage.poses(0, time), d = 2;
const arrow = run.arrows.find((one) => one.sort === "velocity" && data.bodies[one.body].name === "slider");
const from = [poses[3 * arrow.body], poses[3 * arrow.body + 1]], vector = arrow.vector.slice(100 * d, 100 * d + d);
const scale = 0.1 / Math.hypot(...vector), tip = view.onScreen([from[0] + scale * vector[0], from[1] + scale * vector[1]]);
const inside = tip.map((x, k) => x + 0.1 * (view.onScreen(from)[k] - x));
const scene = {layers: [{run: 0, time, fade: 0}], names: false, arrows: {reaction: 0, load: 0, velocity: 0}};
stage.draw(scene);
const without = pixel(...inside);
stage.draw({...scene, arrows: {reaction: 0, load: 0, velocity: scale}});
const drawn = pixel(...inside);
stage.draw({...scene, traces: [{run: 0, body: 2, point: [0, 0], color: "#ff0000"}]});
const row = run.poses.length / run.time.length, at = (k) => view.onScreen([run.poses[k * row + 3], run.poses[k * row + 4]]);
const reddest = ([x, y]) => { // the line is thinner than a pixel is off
  const around = [-1, 0, 1].flatMap((dx) => [-1, 0, 1].map((dy) => pixel(x + dx, y + dy)));
  return around.reduce((a, b) => (a[0] - a[1] > b[0] - b[1] ? a : b));
};
return {without, drawn, past: reddest(at(60)), future: reddest(at(300))};
"""
CLICKS = """
stage.draw({layers: [{run: 0, time: 0.004, fade: 0}], names: true});
const poses = stage.poses(0, 0.004), owners = data.drawing.owners, named = (list) => list.map((k) => owners[k].name);
const place = (name) => {
  const found = data.drawing.names.find((one) => owners[one.owner].name === name);
  return placed(poses, found.body, found.point);
};
const found = Object.fromEntries(["O", "A", "B"].map((name) => [name, named(stage.picks(...place(name)))]));
const one = owners[stage.pick(...place("A"))].name;
return {...found, one, rod: named(stage.picks(...placed(poses, 2, [0, 0]))), none: stage.pick(3, 3)};
"""
POINTER = """
const box = stage.canvas.getBoundingClientRect(), kinds = {wheel: WheelEvent};
const send = (kind, x, y, id, more = {}) => {
  const about = {clientX: box.left + x, clientY: box.top + y, pointerId: id, bubbles: true, cancelable: true, ...more};
  stage.canvas.dispatchEvent(new (kinds[kind] ?? PointerEvent)(kind, about));
};
let drawn = 0;
const before = stage.onchange, start = view.scale, under = view.under(200, 150);
stage.onchange = () => { drawn++; before(); };
send("wheel", 200, 150, 1, {deltaY: -200});
const found = {zoomed: view.scale / start, kept: view.onScreen(under)};
send("pointerdown", 200, 150, 1);
send("pointermove", 260, 130, 1);
send("pointerup", 260, 130, 1);
found.panned = view.onScreen(under);
const scale = view.scale;
send("pointerdown", 200, 200, 1);
send("pointerdown", 300, 200, 2);
send("pointermove", 400, 200, 2);
found.pinched = view.scale / scale;
send("pointerup", 400, 200, 2);
send("pointerup", 200, 200, 1);
found.drawn = drawn;
stage.fit();
found.fit = view.scale / start;
return found;
"""
NOT_FINITE = """
const run = data.runs[0], kept = run.poses.slice();
const scene = {
  layers: [{run: 0, time: run.time[3], fade: 0}], names: true, symbols: true, gravity: true, arrows: {velocity: 1},
  traces: [{run: 0, body: 1, point: [0, 0], color: "#2f6fb0"}],
};
run.poses.fill(NaN);
stage.draw(scene);
stage.pick(100, 100);
run.poses.set(kept);
for (const display of ["none", ""]) {
  stage.canvas.parentElement.style.display = display;
  stage.resize();
  stage.draw(scene);
}
return view.width > 10;
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    made = browser_or_skip()
    made.resize(1000, 700)
    yield made
    made.close()


@pytest.fixture(scope="module")
def runs() -> dict[str, Any]:
    return {}


def opened(browser: Browser, runs: dict[str, Any], folder: Path, name: str) -> Any:
    """Open the page of a library model and return its run."""
    if name not in runs:
        model, until = mb.load(name), MODELS[name]
        runs[name] = model.run(until=until) if until else model.kinematics(steps=60)
    file = folder / f"{name}.html"
    runs[name].page(file)
    browser.open(file)
    return runs[name]


@pytest.mark.parametrize("name", MODELS)
def test_names_do_not_overlap_and_everything_is_on_the_canvas(
    browser: Browser, runs: dict[str, Any], tmp_path: Path, name: str
) -> None:
    run = opened(browser, runs, tmp_path, name)
    for part in (0.0, 0.21, 0.5, 0.83, 1.0):
        time = float(run.time[0] + part * (run.time[-1] - run.time[0]))
        written, width, height, corners = browser.run(STAGE + EVERYTHING, time)
        places = np.array(corners)
        assert np.all((places > 0) & (places < [width, height])), name
        assert written
        for k, one in enumerate(written):
            a = one["box"]
            assert a[0] >= -1 and a[1] >= -1 and a[2] <= width + 1 and a[3] <= height + 1, one
            for other in written[:k]:
                b = other["box"]
                assert not (a[0] + 1 < b[2] and b[0] + 1 < a[2] and a[1] + 1 < b[3] and b[1] + 1 < a[3]), (one, other)
        poses = browser.run(STAGE + "return [...stage.poses(0, arguments[0])]", float(run.time[len(run.time) // 2]))
        expected = Poses(run.tables, run.motion.q[len(run.time) // 2])
        np.testing.assert_allclose(np.reshape(poses, (-1, 3))[:, :2], expected.r, atol=1e-6 * max(1.0, run.tables.length))
    assert browser.complaints() == []


def test_colors_are_where_the_bodies_are_on_light_and_dark_paper(
    browser: Browser, runs: dict[str, Any], tmp_path: Path
) -> None:
    opened(browser, runs, tmp_path, "slider-crank")
    found = browser.run(STAGE + COLORS)
    assert found["light"][0] == [255, 255, 255]
    assert found["dark"][0] == [22, 25, 29]
    red, green, blue = found["light"][1]
    assert red > green > blue > 100  # the pale orange of the second body
    assert sum(found["dark"][1]) < sum(found["light"][1])
    assert found["symbols"] and found["selected"]
    assert 740 > sum(found["ghost"]) > sum(found["whole"])


def test_arrows_and_paths_of_points_are_drawn(browser: Browser, runs: dict[str, Any], tmp_path: Path) -> None:
    opened(browser, runs, tmp_path, "slider-crank")
    found = browser.run(STAGE + ARROWS)
    assert found["drawn"] == [63, 145, 80] != found["without"]  # the green of velocities
    red, green, _ = found["past"]
    assert red > 200 and green < 120
    assert found["future"][0] > 200 and 120 < found["future"][1] < 230  # paler where the point has not been yet


def test_a_click_finds_joints_before_bodies(browser: Browser, runs: dict[str, Any], tmp_path: Path) -> None:
    opened(browser, runs, tmp_path, "slider-crank")
    found = browser.run(STAGE + CLICKS)
    assert found["one"] == "A" and found["none"] == -1
    assert found["O"][0] == "O" and found["A"][0] == "A" and {"crank", "rod"} <= set(found["A"])
    assert set(found["B"]) >= {"B", "S", "slider", "rod"} and set(found["B"][:2]) == {"B", "S"}
    assert found["rod"] == ["rod"]


def test_the_pointer_moves_and_zooms_the_picture(browser: Browser, runs: dict[str, Any], tmp_path: Path) -> None:
    opened(browser, runs, tmp_path, "peaucellier")
    found = browser.run(STAGE + POINTER)
    assert found["zoomed"] > 1.2
    np.testing.assert_allclose(found["kept"], [200, 150], atol=1.0)  # browsers round places of the wheel
    np.testing.assert_allclose(found["panned"], [260, 130], atol=1.0)
    assert found["pinched"] == pytest.approx(2.0)
    assert found["drawn"] >= 4 and found["fit"] == pytest.approx(1.0)


def test_poses_that_are_not_finite_and_a_hidden_canvas_do_no_harm(
    browser: Browser, runs: dict[str, Any], tmp_path: Path
) -> None:
    opened(browser, runs, tmp_path, "cam-roller")
    assert browser.run(STAGE + NOT_FINITE)
    assert browser.complaints() == []


LAID_OVER = """
const at = (run) => {
  const kit = stage.kitOf(run);
  const rod = kit.items.find(({thing}) => thing.body === 2 && thing.kind === "area").thing.points;
  return Math.max(...Array.from({length: rod.length / 2}, (_, k) => Math.hypot(rod[2 * k], rod[2 * k + 1])));
};
return {panes: page.stages.panes.length, reach: [at(0), at(1)], size: data.drawing.size, tints: stage.last.scene.layers.length};
"""


def test_runs_of_other_parameters_are_laid_over_each_other_with_their_own_shapes(browser: Browser, tmp_path: Path) -> None:
    runs = [mb.load("slider-crank", l3=length).kinematics(steps=30) for length in (0.35, 0.5)]
    file = mb.page(tmp_path / "over.html", runs, labels=["short", "long"], layout="over")
    browser.open(file)
    found = browser.run(STAGE + LAID_OVER)
    assert (found["panes"], found["tints"]) == (1, 2)
    short, long = found["reach"]
    assert long - short == pytest.approx(0.075, abs=found["size"])  # half the difference of the rods
    assert browser.complaints() == []


def test_forces_of_both_sorts_have_one_scale(browser: Browser, tmp_path: Path) -> None:
    m = mb.Model("pendulum", dimension=2, gravity=[0.0, -9.81])
    m.body("rod", mass=1.0, com=[0.5, 0.0], inertia=0.1, frames={"tip": [1.0, 0.0]})
    m.revolute("O", "ground", "rod")
    m.force("push", "rod.tip", value=[0.0, 2.0])
    browser.open(m.run(0.5).page(tmp_path / "x.html"))
    reaction, load = browser.run("return [page.stages.scale('reaction'), page.stages.scale('load')]")
    assert reaction == load > 0
