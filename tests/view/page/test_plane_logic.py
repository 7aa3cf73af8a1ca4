"""What the stage of planar mechanisms works out without a browser: springs and cylinders, places of names, pan and zoom."""

from __future__ import annotations

import itertools
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from multibody.view import geometry, stretch
from multibody.view.page import modules
from view.page.browser import REQUIRED

node = shutil.which("node")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of modules of which node knows that they are modules."""
    if node is None:
        why = "there is no node on the path"
        pytest.fail(why) if REQUIRED else pytest.skip(why)
    made = tmp_path_factory.mktemp("modules")
    (made / "package.json").write_text('{"type": "module"}')
    for name in ("common", "stretch", "labels", "flat_view", "gestures", "flat_marks", "flat_paths"):
        shutil.copy(modules.HERE / f"{name}.js", made)
    return made


def told(folder: Path, script: str) -> Any:
    """Return what a script prints as JSON."""
    (folder / "script.js").write_text(script)
    done = subprocess.run([str(node), str(folder / "script.js")], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_springs_and_cylinders_are_laid_as_in_the_pictures(folder: Path) -> None:
    pairs = np.random.default_rng(1).normal(size=(6, 2, 2)) * 10.0 ** np.arange(-3, 3)[:, None, None]
    script = (
        'import { zigzag, cylinder, bar } from "./stretch.js";\n'
        f"const pairs = {pairs.tolist()};\n"
        "console.log(JSON.stringify(pairs.map(([a, b], k) => {\n"
        "  const half = 0.01 * 10 ** k, rest = 0.7 * Math.hypot(b[0] - a[0], b[1] - a[1]);\n"
        "  return [zigzag(a, b, half), cylinder(a, b, rest), bar(a, b, half), zigzag(a, a, half)];\n"
        "})));"
    )
    for k, ((a, b), (line, parts, outline, nothing)) in enumerate(zip(pairs, told(folder, script), strict=True)):
        half, length = 0.01 * 10.0**k, float(np.linalg.norm(b - a))
        np.testing.assert_allclose(line, stretch.spring_line(a, b, half), rtol=1e-12, atol=1e-12 * length)
        expected = stretch.cylinder_at(a, b, 0.7 * length)
        for name in ("start", "mouth", "piston", "end"):
            np.testing.assert_allclose(parts[name], getattr(expected, name), rtol=1e-12, atol=1e-12 * length)
        np.testing.assert_allclose(outline, stretch.bar(a, b, half), rtol=1e-12, atol=1e-12 * length)
        np.testing.assert_allclose(nothing, geometry.zigzag(a, a, half))


NAMES = """
import { Labels } from "./labels.js";
const labels = new Labels(), frame = { width: 600, height: 400 }, shown = [];
for (let frameNumber = 0; frameNumber < 60; frameNumber++) {
  const names = Array.from({ length: COUNT }, (_, k) => ({
    key: `${k}`, x: 80 + 37 * (k % 13) + 6 * Math.sin(0.3 * frameNumber + k), y: 60 + 53 * Math.floor(k / 13),
    width: 34, height: 14, gap: 5,
  }));
  const points = names.map(({ x, y }) => [x, y]);
  shown.push(labels.placed(names, points, frame).map((place, k) => place && [place.x, place.y, names[k].x, names[k].y]));
}
console.log(JSON.stringify(shown));
"""


@pytest.mark.parametrize("count", [12, 70])
def test_names_do_not_overlap_stay_inside_and_keep_their_places(folder: Path, count: int) -> None:
    shown = told(folder, NAMES.replace("COUNT", str(count)))
    jumps = 0
    for before, now in itertools.pairwise(shown):
        boxes = [place for place in now if place]
        assert len(boxes) >= min(count, 30)
        for k, (x, y, _, _) in enumerate(boxes):
            assert 17 <= x <= 583 and 7 <= y <= 393
            assert all(abs(x - u) >= 34 - 1e-9 or abs(y - v) >= 14 - 1e-9 for u, v, _, _ in boxes[:k])
        for old, new in zip(before, now, strict=True):
            if old and new:
                jumps += float(np.hypot(new[0] - new[2] - old[0] + old[2], new[1] - new[3] - old[1] + old[3])) > 1.0
    assert jumps <= 0.02 * count * len(shown)


VIEW = """
import { FlatView } from "./flat_view.js";
import { roundBelow } from "./flat_marks.js";
const made = (low, high) => {
  const box = { left: 0, top: 0, width: 800, height: 500 };
  const canvas = { style: {}, addEventListener() {}, getBoundingClientRect: () => box };
  globalThis.window = { devicePixelRatio: 2 };
  const view = new FlatView(canvas, low, high);
  view.resize();
  return [view, canvas];
};
const [view, canvas] = made(LOW, HIGH);
const corners = [view.onScreen(LOW), view.onScreen(HIGH)], pixels = [canvas.width, canvas.height];
const before = view.under(120, 340);
view.zoom(3.7, 120, 340);
const after = view.under(120, 340), scale = view.scale;
view.pan(25, -40);
const moved = view.onScreen(before);
const [c, s, , , e, f] = view.transform(before[0], before[1], 0.3);
for (let k = 0; k < 400; k++) view.zoom(0.5, 1, 1);
const least = view.scale;
view.fit();
const again = [view.onScreen(LOW), view.onScreen(HIGH)];
const rounds = [0.7, 1, 3.2, 9.99, 1e-7, 4.9e8].map(roundBelow);
const [point] = made([1, 1], [1, 1]);
const turn = [c, s, e, f], found = { corners, pixels, before, after, scale, moved, turn, least, again, rounds };
console.log(JSON.stringify({ ...found, point: point.scale }));
"""


def test_arrows_end_on_the_stage(folder: Path) -> None:
    script = """
import { partWithin } from "./flat_marks.js";
const tips = [[500, 100], [100, 350], [-1e9, 100], [100, 1e12], [5000, -4000], [101, 100]];
const ends = tips.map((to) => {
  const part = partWithin({ width: 600, height: 400 }, [100, 100], to);
  return [part, 100 + part * (to[0] - 100), 100 + part * (to[1] - 100)];
});
console.log(JSON.stringify([ends, partWithin({ width: 600, height: 400 }, [-5, 100], [1e9, 100])]));
"""
    ends, outside = told(folder, script)
    assert outside == 1 and [part for part, _, _ in ends if part == 1] == [1, 1, 1]
    assert all(2.9 <= x <= 597.1 and 2.9 <= y <= 397.1 for _, x, y in ends)


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e4])
def test_zoom_keeps_the_point_under_the_pointer_and_fit_shows_everything(folder: Path, size: float) -> None:
    found = told(folder, VIEW.replace("LOW", str([-size, 2 * size])).replace("HIGH", str([3 * size, 5 * size])))
    for x, y in found["corners"]:
        assert 0 <= x <= 800 and 0 <= y <= 500
    assert found["pixels"] == [1600, 1000]
    np.testing.assert_allclose(found["after"], found["before"], rtol=1e-9)
    np.testing.assert_allclose(found["moved"], [145, 300], rtol=1e-9)
    c, s, e, f = found["turn"]
    np.testing.assert_allclose(np.hypot(c, s), 2 * found["scale"], rtol=1e-9)  # device pixels
    np.testing.assert_allclose([e, f], [290, 600], rtol=1e-9)
    assert found["least"] > 0
    np.testing.assert_allclose(found["again"], found["corners"])
    np.testing.assert_allclose(found["rounds"], [0.5, 1, 2, 5, 1e-7, 2e8])
    assert found["point"] > 0
