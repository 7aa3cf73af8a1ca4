"""Every model of the library in a real browser: from disk, without complaints and requests, with the run's numbers."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import multibody as mb
from multibody.library import names
from view.page.browser import Browser, browser_or_skip

SPAN = 10.0
QUICK = {"iftomm-andrews": 0.05, "slider-crank": 0.5, "offset-slider-crank": 0.5, "driven-slider": 0.5}
LARGEST = 400_000


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    made = browser_or_skip()
    yield made
    made.close()


def moved(name: str) -> mb.Run:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return mb.load(name).run(QUICK.get(name, SPAN))


def stage_picture(browser: Browser) -> Any:
    """Return the stage as an array; two frames later than asked for, so that it shows the present."""
    from PIL import Image

    browser.frames(2)
    script = "const r = document.getElementById('stages').getBoundingClientRect(); return [r.x, r.y, r.right, r.bottom]"
    box = browser.run(script)
    return np.asarray(Image.open(io.BytesIO(browser.picture())).convert("RGB").crop([round(x) for x in box]), dtype=int)


def curve_texts(browser: Browser) -> str:
    return str(browser.run("return document.getElementById('curves').textContent"))


def number_of(text: str) -> float:
    return float(text.replace("−", "-").replace("–", "nan"))


@pytest.mark.parametrize("name", names())
def test_a_page_plays_what_the_run_holds(name: str, browser: Browser, tmp_path: Path) -> None:
    run = moved(name)
    file = run.page(tmp_path / "motion.html")
    assert file.stat().st_size <= LARGEST
    text = file.read_text(encoding="utf-8")
    assert not re.search(r"https?:|//www|@import|url\(", text)
    browser.open(file)

    first = stage_picture(browser)
    paper = np.bincount((first @ [65536, 256, 1]).ravel()).argmax()
    assert np.mean(first @ [65536, 256, 1] != paper) > 0.002, "the stage is blank"
    before = curve_texts(browser)

    browser.seek(run.time[0] + 0.437 * (run.time[-1] - run.time[0]))
    if np.ptp(run.measurer.q, axis=0).max() > 1e-6 * run.tables.length:
        assert np.any(stage_picture(browser) != first), "the slider moves nothing"
        assert curve_texts(browser) != before, "the curves do not follow"

    check_poses(browser, run)
    check_reaction(browser, run)
    assert browser.complaints() == [] and browser.requests() == []


def check_poses(browser: Browser, run: mb.Run) -> None:
    """Compare the poses on the stage with the run's at some instants that the page holds."""
    width, bodies = (3, len(run.tables.bodies) - 1) if run.tables.dimension == 2 else (7, len(run.tables.bodies) - 1)
    times = browser.run("return Array.from(page.data.runs[0].time)")
    low, high = (np.array(browser.run(f"return page.data.drawing.{key}")) for key in ("low", "high"))
    size = float(np.max(high - low))
    for k in np.linspace(0, len(times) - 1, 7).astype(int):
        shown = np.array(browser.run("return Array.from(page.stages.panes[0].stage.poses(0, arguments[0]))", times[k]))
        own = run.measurer.q[int(np.argmin(np.abs(run.time - times[k])))][: width * bodies].reshape(bodies, width)
        found = shown.reshape(bodies + 1, width)[1:]
        d = run.tables.dimension
        assert np.max(np.abs(found[:, :d] - own[:, :d]), initial=0.0) <= 1e-6 * size
        turned = np.abs(found[:, d:] - own[:, d:])
        if d == 3:
            turned = np.minimum(turned, np.abs(found[:, d:] + own[:, d:]))
        assert np.max(turned, initial=0.0) <= 1e-6


def check_reaction(browser: Browser, run: mb.Run) -> None:
    """Click on a joint where it is drawn, and compare the reaction that the panel shows with the run's."""
    k = int(0.6 * (len(run.time) - 1))
    t = browser.run("const t = page.data.runs[0].time; return t[Math.floor(0.6 * (t.length - 1))]")
    k = int(np.argmin(np.abs(run.time - t)))
    browser.seek(t)
    for joint in [name for name in run.tables.ends if len(run.tables.joint_rows[name])]:
        if browser.click_on("joint", joint):
            break
    else:
        pytest.fail("no joint can be clicked")
    d = run.tables.dimension
    own = run[f"{joint}.reaction.force"].values[k]
    shown = [number_of(browser.panel(f"{joint}.reaction.force.{axis}")) for axis in "xyz"[:d]]
    scale = float(np.max(np.abs(run[f"{joint}.reaction.force"].values)))
    floor = float(np.max(run["energy.kinetic"].values)) / run.tables.length
    assert np.allclose(shown, own, rtol=1e-5, atol=2e-8 * scale + 1e-9 * floor)
