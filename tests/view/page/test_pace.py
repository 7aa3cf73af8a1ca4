"""Pictures in motion keep the screen's pace: where they come late they become coarser, and still ones are fine again."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

import multibody as mb
from multibody.view.page.write import look_of, page_of
from view.page.browser import Browser, browser_or_skip

TOGETHER = 16
"""Pictures that are judged together."""

JUDGED = """
const [finest, count, times] = arguments, pace = new modules.pace.Pace(finest), found = [];
for (let k = 0; k < count; k++) {
  const given = times[pace.level];
  for (let i = 0; i < 16; i++) pace.took(Array.isArray(given) ? given[i] : given);
  found.push(pace.level);
}
return found;
"""
STAGE = "const { stage, canvas } = page.stages.panes[0];"
LATE = STAGE + "for (let k = 0; k < arguments[0]; k++) stage.pace.took(40);"
SEEN = "return [stage.share, stage.hasty, canvas.width, canvas.height, stage.frame.width, stage.frame.height];"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    found = browser_or_skip()
    file = tmp_path_factory.mktemp("pace") / "rssr.html"
    file.write_text(page_of([mb.load("rssr").run(1.0, output_step=0.02)], None, look_of(names=True)), encoding="utf-8")
    found.open(file)
    yield found
    assert found.complaints() == []
    found.close()


@pytest.fixture
def still(browser: Browser) -> Browser:
    """Return the browser with a page that stands and has forgotten how it was played."""
    browser.run(STAGE + "page.clock.pause(); page.clock.seek(0.3); stage.pace.forget(); page.stages.draw();")
    browser.wait(STAGE + "return !stage.hasty")
    return browser


def changes(levels: list[int]) -> int:
    return sum(a != b for a, b in itertools.pairwise(levels))


def test_pictures_in_time_are_left_alone(browser: Browser) -> None:
    for finest in (0, 1):
        assert browser.run(JUDGED, finest, 500, [16.7] * 4) == [finest] * 500
        assert browser.run(JUDGED, finest, 500, [6.9] * 4) == [finest] * 500  # a quick screen
        hiccups = [16.7] * 12 + [200.0] * 4  # something else goes on
        assert browser.run(JUDGED, finest, 500, [hiccups] * 4) == [finest] * 500


def test_late_pictures_become_coarser_until_they_are_in_time(browser: Browser) -> None:
    assert browser.run(JUDGED, 0, 5, [60, 50, 40, 30]) == [1, 2, 3, 3, 3]  # late at last, but far less so
    levels = browser.run(JUDGED, 0, 5000, [50, 33, 19, 12])  # neither late nor in time: nothing is tried
    assert levels[:2] == [1, 2]
    assert set(levels[2:]) == {2}


def test_a_finer_picture_is_tried_ever_more_rarely(browser: Browser) -> None:
    levels = browser.run(JUDGED, 0, 5000, [50, 33, 15, 12])
    assert set(levels[2:]) == {1, 2}
    assert levels.count(1) <= 6  # each lasts for one judgment
    assert changes(levels) < 12


def test_what_does_not_help_is_given_up(browser: Browser) -> None:
    levels = browser.run(JUDGED, 0, 5000, [33.3] * 4)  # a screen of 30 pictures a second
    assert levels[:4] == [1, 2, 3, 0]
    assert levels.count(0) > 0.99 * len(levels)


def test_a_machine_that_becomes_free_draws_finely_again(browser: Browser) -> None:
    script = """
const pace = new modules.pace.Pace(0), feed = (time, times) => { for (let k = 0; k < 16 * times; k++) pace.took(time); };
feed(40, 3); feed(30, 1);
const low = pace.level;
feed(16.7, 100);
return [low, pace.level];"""
    assert browser.run(script) == [3, 0]


def test_fewer_pixels_in_motion_fill_the_same_place_and_all_come_back(still: Browser) -> None:
    fine = still.run(STAGE + SEEN)
    assert fine[:2] == [1, False]
    assert fine[2:4] == pytest.approx(fine[4:6], abs=0.5)
    before = still.run(STAGE + "return canvas.toDataURL()")
    boxes = "return [...document.querySelectorAll('.pane canvas')].map((one) => JSON.stringify(one.getBoundingClientRect()));"
    places = still.run(boxes)
    for share in (0.75, 0.5):
        found = still.run(LATE + "stage.moving = () => true; page.stages.draw(0.3);" + SEEN, TOGETHER)
        assert found[:2] == [share, True]
        assert found[2:4] == pytest.approx([share * found[4], share * found[5]], abs=0.5)
        assert still.run(boxes) == places
        above = still.run(STAGE + "return [stage.above.canvas.hidden, stage.above.canvas.width, stage.naming.written.length]")
        assert above[:2] == [False, fine[2]]  # names are as sharp as before
        assert above[2] > 4
    still.run(STAGE + "stage.moving = () => page.clock.playing;")
    still.wait(STAGE + "return !stage.hasty")
    assert still.run(STAGE + SEEN) == fine
    assert still.run(STAGE + "return canvas.toDataURL()") == before
    assert still.run(LATE + "page.stages.draw(0.3);" + SEEN, 0)[:2] == [0.5, True]  # what was learned is kept


def test_clicks_mean_the_same_while_it_moves(still: Browser) -> None:
    where = """
const item = page.data.drawing.names.find(({ owner }) => page.data.drawing.owners[owner].name === "coupler");
const at = stage.frame.onScreen(modules.common.placedPoint(stage.poses(0, 0.3), 3, item.body, item.point));
page.stages.draw(0.3);
return [stage.share, page.data.drawing.owners[stage.pick(...at)].name];"""
    assert still.run(LATE + where, 2 * TOGETHER) == [0.5, "coupler"]


def test_another_size_of_the_window_begins_anew(still: Browser) -> None:
    still.run(LATE + "page.stages.draw(0.3);", 2 * TOGETHER)
    still.resize(900, 700)
    still.wait(STAGE + "return stage.frame.width < 700 && stage.pace.level === 1")
    still.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    still.wait(STAGE + "return stage.frame.width > 700")


def test_a_page_that_is_played_too_slowly_catches_up(still: Browser) -> None:
    slow = """
const usual = stage.drawSolid;
stage.drawSolid = function (...all) {
  usual.apply(stage, all);
  const end = performance.now() + (stage.share === 1 && stage.hasty ? 60 : 0);
  while (performance.now() < end);
};
window.usual = () => { delete stage.drawSolid; };
page.clock.play();"""
    still.run(STAGE + slow)
    still.wait(STAGE + "return stage.share < 1 && canvas.width < stage.frame.width")
    still.run("page.clock.pause();")
    still.wait(STAGE + "return !stage.hasty && stage.share === 1 && canvas.width === Math.round(stage.frame.width)")
    still.run("window.usual();")


def test_a_slow_hand_is_not_a_slow_machine(still: Browser) -> None:
    script = """
const [done] = arguments, { stage } = page.stages.panes[0], times = [];
stage.pace.took = (time) => times.push(time);
let k = 0;
const next = () => {
  if (k === 30) { delete stage.pace.took; return done(times); }
  if (k++ % 3 === 0) stage.frame.orbit(1, 0); // twice the screen shows what it has shown
  requestAnimationFrame(next);
};
requestAnimationFrame(next);"""
    assert still.driver.execute_async_script(script) == []


def test_a_turn_of_the_eye_while_it_plays_is_drawn_once(still: Browser) -> None:
    script = """
let drawn = 0;
const usual = stage.draw;
stage.draw = function (scene) { drawn++; usual.call(stage, scene); };
page.stages.moving = () => true;
stage.frame.orbit(3, 0);
const turning = drawn;
page.clock.seek(0.31);
delete stage.draw;
page.stages.moving = () => page.clock.playing;
return [turning, drawn];"""
    assert still.run(STAGE + script) == [0, 1]


def test_thin_tubes_are_lines_in_haste_and_tubes_again_where_they_are_thick(browser: Browser, tmp_path: Path) -> None:
    m = mb.Model("thin", gravity=(0, 0, -9.81))
    m.body("rod", shape={"rod": [(0, 0, 0), (1, 0, 0)], "radius": 0.001, "mass": 1.0})
    m.revolute("J", m.ground, "rod", axis=(0, 1, 0))
    file = tmp_path / "thin.html"
    file.write_text(page_of([m.assemble()], None, look_of()), encoding="utf-8")
    own = Browser()
    try:
        own.open(file)
        script = (
            STAGE
            + """
const told = [];
stage.drawThin = () => told.push("line");
const tell = () => { stage.draw(stage.last.scene); return told.splice(0).length; };
const fitted = tell();
stage.frame.zoom(20, 300, 200);
const near = tell();
stage.fit();
stage.drawSolid(stage.last.scene, [stage.last.poses], false);
return [fitted > 0, near, told.length];"""
        )
        assert own.run(script) == [True, 0, 0]
        assert own.complaints() == []
    finally:
        own.close()
