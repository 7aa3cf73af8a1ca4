"""The stage of spatial mechanisms in a real browser: what is drawn where, names, clicks, views, paper, and no WebGL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import multibody as mb
from multibody.view.page.write import look_of, page_of
from view.page.browser import Browser, browser_or_skip

MODELS = {"rssr": 1.0, "stewart-platform": 0.5, "bushing-suspension": 0.3, "screw-press": 0.5, "iftomm-bricard": 0.5}
STAGE = """
const stage = page.stages.panes[0].stage, data = stage.data, view = stage.frame, gl = stage.gl;
const pixel = (x, y) => {
  const found = new Uint8Array(4);
  const [u, v] = [Math.round(x * view.ratio), stage.canvas.height - 1 - Math.round(y * view.ratio)];
  gl.readPixels(u, v, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, found);
  return [found[0], found[1], found[2]];
};
const scene = (time, more = {}) => ({layers: [{run: 0, time, fade: 0}], names: false, symbols: true, traces: [], arrows: {},
  gravity: true, dark: false, selected: -1, ...more});
const placed = (poses, body, p) => {
  const at = 7 * body, [w, x, y, z] = poses.slice(at + 3, at + 7);
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const once = cross([x, y, z], p).map((c, k) => c + w * p[k]), twice = cross([x, y, z], once);
  return p.map((c, k) => poses[at + k] + c + 2 * twice[k]);
};
const owners = data.drawing.owners, named = (list) => list.map((k) => owners[k].name);
"""
SEEN = """
stage.draw(scene(arguments[0], {names: true}));
const poses = stage.poses(0, arguments[0]), cloud = [];
for (let k = 0; k < view.cloud.length; k += 3) cloud.push(view.onScreen(view.cloud.slice(k, k + 3)));
const count = stage.canvas.width * stage.canvas.height, all = new Uint8Array(4 * count);
gl.readPixels(0, 0, stage.canvas.width, stage.canvas.height, gl.RGBA, gl.UNSIGNED_BYTE, all);
let inked = 0;
for (let k = 0; k < count; k++) {
  const color = all.slice(4 * k, 4 * k + 3);
  if (Math.max(...color) - Math.min(...color) > 25) inked++;
}
return {written: stage.naming.written, width: view.width, height: view.height, inked: inked / count, poses: Array.from(poses),
  x: [Math.min(...cloud.map((p) => p[0])), Math.max(...cloud.map((p) => p[0]))],
  y: [Math.min(...cloud.map((p) => p[1])), Math.max(...cloud.map((p) => p[1]))]};
"""
LOOKS = """
const poses = stage.poses(0, 0.1), rod = view.onScreen(placed(poses, 2, [0, 0, 0])), found = {}, part = () => pixel(...rod);
stage.draw(scene(0.1)); found.light = [pixel(2, 2), part()]; const usual = stage.canvas.toDataURL();
stage.draw(scene(0.1, {dark: true})); found.dark = [pixel(2, 2), part()];
stage.draw(scene(0.1, {selected: owners.findIndex((o) => o.sort === "body" && o.name === "coupler")})); found.selected = part();
stage.draw(scene(0.1, {symbols: false})); found.symbols = usual !== stage.canvas.toDataURL();
const ghost = {run: 0, time: 0.1, fade: 0.8};
stage.draw(scene(0.45, {layers: [ghost, {run: 0, time: 0.45, fade: 0}]})); found.ghost = part();
stage.draw(scene(0.45)); found.gone = part();
stage.draw(scene(0.1, {layers: [{run: 0, time: 0.1, fade: 0, tint: "#00ff00"}]})); found.tinted = part();
return found;
"""
PICKS = """
stage.draw(scene(0.1));
const poses = stage.poses(0, 0.1), place = (name) => {
  const found = data.drawing.names.find((one) => owners[one.owner].name === name);
  return view.onScreen(placed(poses, found.body, Array.from(found.point)));
};
const joints = ["crank_pivot", "crank_pin", "rocker_pin", "rocker_pivot"];
return {joints: Object.fromEntries(joints.map((name) => [name, named([stage.pick(...place(name))])[0]])),
  coupler: named(stage.picks(...view.onScreen(placed(poses, 2, [0, 0, 0])))), none: stage.pick(3, 3)};
"""
POINTER = """
const box = stage.canvas.getBoundingClientRect(), kinds = {wheel: WheelEvent}, found = {};
const send = (kind, x, y, id, more = {}) => {
  const about = {clientX: box.left + x, clientY: box.top + y, pointerId: id, bubbles: true, cancelable: true, ...more};
  stage.canvas.dispatchEvent(new (kinds[kind] ?? PointerEvent)(kind, about));
};
stage.view("iso");
const point = data.drawing.low, start = view.scale, eye = [...view.eye], at = view.onScreen(point);
send("wheel", at[0], at[1], 1, {deltaY: -200});
found.zoomed = view.scale / start; found.kept = view.onScreen(point).map((x, k) => x - at[k]);
const before = view.onScreen(point);
send("pointerdown", 200, 150, 1, {buttons: 1, shiftKey: true});
send("pointermove", 230, 130, 1, {buttons: 1, shiftKey: true});
found.moved = view.onScreen(point).map((x, k) => x - before[k]); found.same = view.eye.every((x, k) => x === eye[k]);
send("pointermove", 280, 130, 1, {buttons: 1});
found.turned = Math.acos(view.eye.reduce((sum, x, k) => sum + x * eye[k], 0));
send("pointerup", 280, 130, 1);
const axes = [view.right, view.up, view.eye];
found.square = axes.flatMap((a) => axes.map((b) => a.reduce((sum, x, k) => sum + x * b[k], 0)));
send("pointerdown", 100, 100, 1, {buttons: 1}); send("pointerdown", 200, 100, 2, {buttons: 1});
const wide = view.scale; send("pointermove", 300, 100, 2, {buttons: 1}); found.pinched = view.scale / wide;
send("pointerup", 300, 100, 2); send("pointerup", 100, 100, 1);
found.views = {};
for (const name of ["front", "top", "right"]) {
  stage.view(name);
  found.views[name] = view.eye.map((x) => Math.round(x));
}
stage.view("iso");
found.fitted = view.scale / start;
return found;
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    found = browser_or_skip()
    yield found
    found.close()


@pytest.fixture(scope="module")
def runs() -> dict[str, Any]:
    return {}


def opened(browser: Browser, runs: dict[str, Any], folder: Path, name: str) -> Any:
    """Open the page of a model's run and return the run."""
    if name not in runs:
        runs[name] = mb.load(name).run(until=MODELS[name], output_step=MODELS[name] / 60)
    file = folder / f"{name}.html"
    file.write_text(page_of([runs[name]], None, look_of(names=True)), encoding="utf-8")
    browser.open(file)
    return runs[name]


@pytest.mark.parametrize("name", MODELS)
def test_everything_is_seen_named_and_where_the_run_has_it(
    browser: Browser, runs: dict[str, Any], tmp_path: Path, name: str
) -> None:
    run = opened(browser, runs, tmp_path, name)
    for time in (0.0, 0.37 * MODELS[name]):
        found = browser.run(STAGE + SEEN, time)
        assert found["inked"] > 0.003
        assert found["x"][0] >= 0.0
        assert found["x"][1] <= found["width"]
        assert found["y"][0] >= 0.0
        assert found["y"][1] <= found["height"]
        assert max(found["x"][1] - found["x"][0], found["y"][1] - found["y"][0]) > 0.3 * min(found["width"], found["height"])
        boxes = [one["box"] for one in found["written"]]
        assert len(boxes) >= len(run.model.bodies) // 2
        for i, (left, top, right, bottom) in enumerate(boxes):
            assert left >= -1
            assert top >= -1
            assert right <= found["width"] + 1
            assert bottom <= found["height"] + 1
            assert not any(left < o[2] and o[0] < right and top < o[3] and o[1] < bottom for o in boxes[:i])
    k = int(np.argmin(np.abs(run.time - 0.37 * MODELS[name])))
    found = browser.run(STAGE + SEEN, float(run.time[k]))
    poses = np.array(found["poses"]).reshape(-1, 7)[1:]
    q = np.array(run.motion.q[k])[: 7 * len(run.model.bodies)].reshape(-1, 7)
    signs = np.sign(np.sum(poses[:, 3:] * q[:, 3:], axis=1))[:, None]
    np.testing.assert_allclose(poses[:, :3], q[:, :3], atol=1e-6 * max(1.0, float(np.max(np.abs(q[:, :3])))))
    np.testing.assert_allclose(poses[:, 3:], signs * q[:, 3:], atol=1e-6)
    assert browser.complaints() == []
    assert browser.requests() == []


def test_paper_selection_symbols_ghosts_and_tints(browser: Browser, runs: dict[str, Any], tmp_path: Path) -> None:
    opened(browser, runs, tmp_path, "rssr")
    found = browser.run(STAGE + LOOKS)
    light, dark = found["light"], found["dark"]
    assert light[0] == [255, 255, 255]
    assert max(dark[0]) < 40
    red, _, blue = light[1]
    assert red > blue + 25  # the coupler is orange
    assert dark[1][0] > dark[1][2] + 25
    assert sum(dark[1]) < sum(light[1])
    assert found["selected"][0] - found["selected"][1] > light[1][0] - light[1][1]  # redder
    assert found["symbols"]
    ghost = found["ghost"]
    assert found["gone"] != ghost
    assert sum(ghost) > sum(light[1])  # paler
    assert ghost != [255, 255, 255]
    assert found["tinted"][1] > found["tinted"][0]
    assert browser.complaints() == []


def test_clicks_find_joints_then_what_is_seen(browser: Browser, runs: dict[str, Any], tmp_path: Path) -> None:
    opened(browser, runs, tmp_path, "rssr")
    found = browser.run(STAGE + PICKS)
    assert found["joints"] == {name: name for name in found["joints"]}
    assert found["coupler"][0] == "coupler"
    assert found["none"] == -1


def test_pointer_wheel_and_touch_move_the_eye(browser: Browser, runs: dict[str, Any], tmp_path: Path) -> None:
    opened(browser, runs, tmp_path, "rssr")
    found = browser.run(STAGE + POINTER)
    assert found["zoomed"] > 1.2
    assert found["kept"] == pytest.approx([0.0, 0.0], abs=1.0)  # events know whole pixels
    assert found["moved"] == pytest.approx([30.0, -20.0], abs=1e-6)
    assert found["same"]
    assert found["turned"] > 0.2
    assert found["square"] == pytest.approx(np.eye(3).ravel().tolist(), abs=1e-12)
    assert found["pinched"] == pytest.approx(2.0)
    assert found["views"] == {"front": [0, -1, 0], "top": [0, 0, 1], "right": [1, 0, 0]}
    assert found["fitted"] == pytest.approx(1.0)


def test_what_is_up_is_against_gravity_along_any_axis(browser: Browser, tmp_path: Path) -> None:
    for gravity, up in (((0, -9.81, 0), [0, 1, 0]), ((3, 0, 0), [-1, 0, 0]), ((1, 1, 0), [0, 0, 1])):
        m = mb.Model("up", gravity=gravity)
        m.body("a", frames={"tip": (1, 0.5, 0.2)}, mass=1, inertia=(1, 1, 1))
        m.revolute("O", m.ground, "a", axis=(0, 0, 1))
        file = tmp_path / "up.html"
        file.write_text(page_of([m.assemble()], None, look_of()), encoding="utf-8")
        browser.open(file)
        found = browser.run(STAGE + "stage.view('front'); return view.up.map(Math.round);")
        assert [int(x) for x in found] == up


def test_a_mesh_is_drawn_and_clicked(browser: Browser, tmp_path: Path) -> None:
    trimesh: Any = pytest.importorskip("trimesh")
    trimesh.creation.icosphere(subdivisions=3, radius=0.5).export(tmp_path / "ball.stl")
    m = mb.Model("ball")
    m.body("ball", mass=1, inertia=(1, 1, 1), shape={"mesh": str(tmp_path / "ball.stl")})
    m.revolute("O", m.ground, "ball", axis=(0, 0, 1))
    file = tmp_path / "ball.html"
    file.write_text(page_of([m.assemble()], None, look_of(names=False)), encoding="utf-8")
    browser.open(file)
    beside = "const at = view.onScreen([0, 0, 0]), x = at[0] + 0.35 * view.scale; stage.draw(scene(0));"
    seen = "return [pixel(x, at[1]), named(stage.picks(x, at[1])), pixel(x + 0.4 * view.scale, at[1])];"
    found = browser.run(STAGE + beside + seen)
    assert found[0][2] > found[0][0] + 20  # the first body is blue
    assert found[1] == ["ball"]
    assert found[2][0] > 200
    assert browser.complaints() == []


def test_a_lost_picture_comes_back(browser: Browser, runs: dict[str, Any], tmp_path: Path) -> None:
    opened(browser, runs, tmp_path, "rssr")
    browser.run(STAGE + "window.gone = gl.getExtension('WEBGL_lose_context'); window.gone.loseContext();")
    browser.wait("return page.stages.panes[0].stage.gl.isContextLost()")
    browser.run("page.stages.draw(); window.gone.restoreContext();")
    browser.wait("return !page.stages.panes[0].stage.gl.isContextLost()")
    assert browser.run(STAGE + SEEN, 0.1)["inked"] > 0.003


def test_without_webgl_there_is_a_sentence(browser: Browser, runs: dict[str, Any], tmp_path: Path) -> None:
    script = """const canvas = HTMLCanvasElement.prototype, usual = canvas.getContext;
canvas.getContext = function (kind, ...more) { return kind === 'webgl2' ? null : usual.call(this, kind, ...more); };"""
    made = browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": script})
    try:
        opened(browser, runs, tmp_path, "rssr")
        assert "no WebGL2" in browser.run("return document.querySelector('.pane p').textContent")
        assert browser.run("page.clock.seek(0.2); return page.stages.panes[0].stage.pick(100, 100)") == -1
        assert browser.complaints() == []
    finally:
        browser.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", made)


def test_more_runs_than_a_browser_has_pictures_for_are_told(browser: Browser, tmp_path: Path) -> None:
    run = mb.load("rssr").run(0.05)
    browser.open(mb.page(tmp_path / "x.html", [run] * 14))
    found = browser.run("return [page.stages.panes.length, document.querySelector('#stages .rest').textContent]")
    assert found == [12, "2 more: choose them at the top, or lay all over each other"]
    browser.run("page.arrange([13], 'one')")
    assert browser.run("return [page.stages.panes.length, document.querySelectorAll('#stages .rest').length]") == [1, 0]
    assert browser.complaints() == []


def test_without_a_card_pictures_in_motion_are_hasty_and_still_ones_smooth(
    browser: Browser, runs: dict[str, Any], tmp_path: Path
) -> None:
    opened(browser, runs, tmp_path, "rssr")
    colors = """
const all = new Uint8Array(4 * stage.canvas.width * stage.canvas.height);
gl.readPixels(0, 0, stage.canvas.width, stage.canvas.height, gl.RGBA, gl.UNSIGNED_BYTE, all);
return [new Set(new Uint32Array(all.buffer)).size, stage.hasty];"""
    few, hasty = browser.run(STAGE + "page.stages.draw(0.1);" + colors)
    assert hasty
    browser.wait("return !page.stages.panes[0].stage.hasty")
    assert browser.run(STAGE + colors)[0] > few  # mixtures along the edges
    assert browser.complaints() == []


def test_all_copies_of_a_shape_are_drawn_at_once(browser: Browser, runs: dict[str, Any], tmp_path: Path) -> None:
    opened(browser, runs, tmp_path, "stewart-platform")
    count = """
let drawn = 0, instances = 0;
const usual = gl.drawElements, many = gl.drawElementsInstanced;
gl.drawElements = function (...all) { drawn++; usual.apply(gl, all); };
gl.drawElementsInstanced = function (...all) { instances += all[4]; many.apply(gl, all); };
stage.draw(scene(0.1));
delete gl.drawElements; delete gl.drawElementsInstanced;
return [drawn, instances, stage.parts.length, data.drawing.strokes.length];"""
    drawn, instances, parts, strokes = browser.run(STAGE + count)
    assert 0 < drawn <= parts + 3  # the grid and what is stretched
    assert instances == 0
    assert drawn < strokes / 4


def test_the_large_canvas_above_is_there_for_names_and_arrows_only(
    browser: Browser, runs: dict[str, Any], tmp_path: Path
) -> None:
    opened(browser, runs, tmp_path, "rssr")
    found = browser.run(
        STAGE
        + """
const told = [], large = stage.above.canvas;
for (const more of [{}, {names: true}, {arrows: {reaction: 0.01}}]) { stage.draw(scene(0.1, more)); told.push(large.hidden); }
const corner = stage.above.axes.canvas, before = corner.toDataURL();
stage.draw(scene(0.2)); const kept = corner.toDataURL() === before;
stage.view("top"); stage.draw(scene(0.2));
return [told, kept, corner.toDataURL() !== before, corner.width < 0.3 * large.width];"""
    )
    assert found == [[True, False, False], True, True, True]
