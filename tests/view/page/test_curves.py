"""The curves of a page and the strip under its slider, in a real browser."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import multibody as mb
from multibody.view.film.paper import ON_DARK
from multibody.view.page import modules
from multibody.view.page.write import save_page
from multibody.view.style import PALETTE
from view.page.browser import Browser, browser_or_skip

POINTER = {"mousemove": "mouseMoved", "mousedown": "mousePressed", "mouseup": "mouseReleased", "wheel": "mouseWheel"}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    made = browser_or_skip()
    yield made
    made.close()


@pytest.fixture(scope="module")
def run() -> mb.Run:
    return mb.load("slider-crank").run(0.08)


@pytest.fixture(scope="module")
def page(run: mb.Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("curves") / "page.html"
    run.page(file, plot=["slider.x", "rod.x", "A.reaction.force.x", "energy.total"])
    return file


@pytest.fixture(scope="module")
def locked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, mb.Run]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        stopped = mb.load("driven-slider", part=1.2).kinematics()
    file = tmp_path_factory.mktemp("strip") / "page.html"
    stopped.page(file)
    return file, stopped


def shown(browser: Browser) -> dict[str, str]:
    """Return the read-outs by the names of their curves."""
    script = "return [...document.querySelectorAll('#curves .chart .entry')].map(e => [e.querySelector('.name').textContent, "
    return dict(browser.run(script + "[...e.querySelectorAll('output')].map(o => o.textContent).join(' ')])"))


def number(text: str) -> float:
    return float(text.split()[0].replace("−", "-"))


def point(browser: Browser, chart: int, x: float, y: float, kind: str = "mousemove", **options: Any) -> None:
    """Let the real pointer act at a part of a diagram's box (0..1 each)."""
    script = (
        f"const c = page.curves.charts[{chart}], r = c.plot.getBoundingClientRect(), b = c.box;"
        f"return [r.left + b.left + {x} * (b.right - b.left), r.top + b.bottom - {y} * (b.bottom - b.top)]"
    )
    at = browser.run(script)
    button = "none" if kind in ("mousemove", "wheel") else "left"
    event = {"type": POINTER[kind], "x": at[0], "y": at[1], "button": button, "clickCount": 1, **options}
    browser.driver.execute_cdp_cmd("Input.dispatchMouseEvent", event)


def click(browser: Browser, chart: int, x: float, y: float, **options: Any) -> None:
    point(browser, chart, x, y)
    point(browser, chart, x, y, "mousedown", **options)
    point(browser, chart, x, y, "mouseup", **options)


def test_the_colors_are_those_of_the_pictures() -> None:
    text = modules.source("common.js")
    assert ", ".join(f'"{color}"' for color in PALETTE) in text
    inks = dict(re.findall(r'^  \w+: \["(#\w{6})", "(#\w{6})"\],$', text, re.MULTILINE))
    assert inks == ON_DARK  # a page and a film on dark paper


# --- numbers ------------------------------------------------------------------------------------------------------------
def test_each_unit_has_its_diagram_and_values_follow_the_slider(browser: Browser, page: Path, run: mb.Run) -> None:
    browser.open(page)
    assert browser.run("return page.curves.charts.map(c => c.unit)") == ["m", "N", "J"]
    times = browser.run("return [...page.data.runs[0].time]")
    for k in (0, len(times) // 3, len(times) - 1):
        browser.run("page.clock.seek(arguments[0])", times[k])
        found = shown(browser)
        assert list(found) == ["slider.x", "rod.x", "A.reaction.force.x", "energy.total"]
        row = int(np.argmin(np.abs(run.time - times[k])))
        for name, text in found.items():
            exact = float(run[name].values[row])
            scale = float(np.max(np.abs(run[name].values)))
            assert number(text) == pytest.approx(exact, rel=1e-5, abs=1e-6 * scale)
            assert text.endswith({"s": " m", "r": " m", "A": " N", "e": " J"}[name[0]])
    assert browser.complaints() == []


def test_only_the_cursor_is_drawn_while_the_time_moves(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.run("""
        window.drawn = 0;
        for (const c of page.curves.charts) { const old = c.draw; c.draw = f => (drawn++, old.call(c, f)); }""")
    before = browser.run("return page.curves.charts[0].front.toDataURL()")
    browser.run("page.clock.seek(0.03)")
    assert browser.run("return page.curves.charts[0].front.toDataURL()") != before
    assert browser.run("return drawn") == 0


def test_twenty_curves_of_two_thousand_points_are_quick(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.run("""
        const n = 2000, run = {...page.data.runs[0], events: [], singularities: [], paths: []};
        run.time = Float64Array.from({length: n}, (_, k) => k / n);
        for (let p = 0; p < 20; p++)
            run.paths.push({name: `p${p}`, unit: ["m", "N", "J"][p % 3], values: run.time.map(t => Math.sin(9 * t + p))});
        page.curves.data = {...page.data, runs: [run]};
        page.curves.show(run.paths.map(p => p.name))""")
    spent = browser.run("""
        const spent = act => { const begin = performance.now(); act(); return performance.now() - begin; };
        const best = act => Math.min(...[1, 2, 3, 4, 5, 6, 7, 8, 9].map(k => spent(() => act(k))));
        return [best(k => page.curves.at(0, 0.01 * k)), best(() => page.curves.draw())]""")
    assert spent[0] < 8.0, "a frame of sixty a second has 16 ms for everything"
    assert spent[1] < 150.0


# --- what is drawn ------------------------------------------------------------------------------------------------------
COLUMNS = """
const c = page.curves.charts[0], w = c.back.width, h = Math.floor((c.box.bottom - 2) * c.ratio), b = c.box;
const pixels = c.back.getContext("2d").getImageData(0, 0, w, h).data, found = [];
for (let x = Math.ceil(b.left * c.ratio) + 2; x < b.right * c.ratio - 1; x++) {
  let count = 0;
  for (let y = 0; y < h; y++) {
    const i = 4 * (y * w + x), rgb = [pixels[i], pixels[i + 1], pixels[i + 2]];
    if (pixels[i + 3] > 120 && Math.max(...rgb) - Math.min(...rgb) > 40) count++;
  }
  found.push(count);
}
return found;
"""


@pytest.mark.parametrize("dark", [False, True])
def test_what_is_not_finite_parts_a_curve(browser: Browser, page: Path, dark: bool) -> None:
    browser.open(page)
    browser.run("page.paper(arguments[0]); page.chooser.choose(['slider.x'], '')", dark)
    assert min(browser.run(COLUMNS)) > 0, "the curve reaches from end to end"
    browser.run("""
        const path = page.data.runs[0].paths.find(p => p.name === "slider.x"), n = path.values.length;
        path.values = path.values.map((v, k) => (k > 0.4 * n && k < 0.6 * n ? (k % 2 ? NaN : Infinity) : v));
        page.curves.show(["slider.x"])""")
    found = np.array(browser.run(COLUMNS))
    n = len(found)
    assert np.all(found[int(0.42 * n) : int(0.58 * n)] == 0)
    assert np.all(found[: int(0.38 * n)] > 0) and np.all(found[int(0.62 * n) :] > 0)
    browser.run("page.clock.seek(0.04)")
    assert shown(browser) == {"slider.x": "– m"}


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (420, 800), (1000, 420)])
def test_legends_and_numbers_lie_beside_the_curves(browser: Browser, page: Path, width: int, height: int) -> None:
    browser.resize(width, height)
    browser.open(page)
    browser.run("page.chooser.choose(page.data.runs[0].paths.slice(0, 24).map(p => p.name), '')")
    found = browser.run("""
        const box = e => { const r = e.getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom]; };
        return page.curves.charts.map(c => ({head: box(c.head), plot: box(c.plot), inner: c.box, height: c.height,
          entries: [...c.legend.children].map(box), texts: c.textsY.length}))""")
    inside = browser.run("const r = page.curves.element.getBoundingClientRect(); return [r.left, r.right]")
    browser.resize(1280, 800)
    bottom = -1e9
    for chart in found:
        assert chart["head"][1] >= bottom - 0.5 and chart["head"][3] <= chart["plot"][1] + 0.5
        assert all(inside[0] - 1 <= entry[0] and entry[2] <= inside[1] + 1 for entry in chart["entries"])
        assert chart["inner"]["bottom"] - chart["inner"]["top"] > 25 and chart["texts"] >= 2
        bottom = chart["plot"][3]


def test_a_path_against_another_and_the_point_follows(browser: Browser, page: Path, run: mb.Run) -> None:
    browser.open(page)
    browser.run("page.chooser.choose(['rod.y', 'A.reaction.force.x'], 'rod.x'); page.clock.seek(0.02)")
    (first, last), (low, high) = browser.run("return [page.curves.charts.map(c => c.xName), page.curves.range()]")
    assert (first, last) == ("", "rod.x")
    assert low < float(run["rod.x"].min()) and high > float(run["rod.x"].max())
    click(browser, 0, 0.5, 0.9)
    time = browser.run("return page.clock.time")
    where = browser.run("const c = page.curves.charts[0], r = c.nearest(c.toX(page.curves.range()[0]), 0); return r !== null")
    assert where and time != pytest.approx(0.02)


# --- the pointer --------------------------------------------------------------------------------------------------------
def test_a_click_and_a_drag_set_the_time(browser: Browser, page: Path) -> None:
    browser.open(page)
    click(browser, 1, 0.25, 0.5)
    assert browser.run("return page.clock.time") == pytest.approx(0.02, abs=3e-4)
    assert float(browser.run("return Number(document.getElementById('slider').value)")) == pytest.approx(0.02, abs=3e-4)
    point(browser, 2, 0.3, 0.5)
    point(browser, 2, 0.3, 0.5, "mousedown")
    point(browser, 2, 0.75, 0.5, "mousemove", buttons=1, button="left")
    assert browser.run("return page.clock.time") == pytest.approx(0.06, abs=3e-4)
    point(browser, 2, 0.75, 0.5, "mouseup")
    point(browser, 2, 0.1, 0.5)
    assert browser.run("return page.clock.time") == pytest.approx(0.06, abs=3e-4), "moving without a button sets nothing"


def test_the_value_under_the_pointer_is_told_inside_the_panel(browser: Browser, page: Path, run: mb.Run) -> None:
    browser.open(page)
    for x in (0.02, 0.5, 0.98):
        point(browser, 0, x, 0.95)
        text = browser.run("return page.curves.tip.textContent")
        name, told = text.split("\n")[0].split(" = ")
        time = number(text.split("t = ")[1])
        assert time == pytest.approx(0.08 * x, abs=3e-4)
        assert number(told) == pytest.approx(np.interp(time, run.time, run[name].values), abs=2e-3)
        box = browser.run("""
            const [r, e] = [page.curves.tip, page.curves.element].map(item => item.getBoundingClientRect());
            return [r.left - e.left, e.right - r.right]""")
        assert min(box) >= -1
    browser.run("page.curves.rest()")
    assert browser.run("return page.curves.tip.hidden")


def test_zoom_by_wheel_and_box_and_back(browser: Browser, page: Path) -> None:
    browser.open(page)
    whole = browser.run("return page.curves.charts[0].frame.x")
    assert whole == [0, pytest.approx(0.08)]
    for _ in range(4):
        point(browser, 0, 0.5, 0.5, "wheel", deltaX=0, deltaY=-120)
    browser.wait("return page.curves.zoomed && page.curves.zoomed[1] - page.curves.zoomed[0] < 0.05")
    low, high = browser.run("return page.curves.charts[2].frame.x")
    assert 0.0 < low < 0.04 < high < 0.08
    assert not browser.run("return page.curves.reset.hidden")
    browser.run("page.curves.reset.click()")
    assert browser.run("return page.curves.charts[0].frame.x") == whole
    shift = {"modifiers": 8}
    point(browser, 1, 0.25, 0.9)
    point(browser, 1, 0.25, 0.9, "mousedown", **shift)
    point(browser, 1, 0.5, 0.4, "mousemove", buttons=1, button="left", **shift)
    point(browser, 1, 0.5, 0.4, "mouseup", **shift)
    assert browser.run("return page.curves.charts[0].frame.x") == pytest.approx([0.02, 0.04], abs=5e-4)
    low, high = browser.run("return page.curves.charts[1].y")
    assert low < high and browser.run("return page.curves.charts[0].chosen") is None
    browser.run("page.curves.charts[0].plot.dispatchEvent(new MouseEvent('dblclick'))")
    assert browser.run("return [page.curves.zoomed, page.curves.charts[1].chosen]") == [None, None]
    assert browser.run("return page.curves.reset.hidden")


def test_a_curve_is_taken_away_and_others_keep_their_colors(browser: Browser, page: Path) -> None:
    browser.open(page)
    before = browser.run("return Object.fromEntries(page.curves.charts.flatMap(c => c.curves).map(c => [c.name, c.color]))")
    browser.run("document.querySelector('#curves .remove').click()")
    after = browser.run("return Object.fromEntries(page.curves.charts.flatMap(c => c.curves).map(c => [c.name, c.color]))")
    assert "slider.x" not in after and after == {name: before[name] for name in after}
    browser.run("page.chooser.choose([], '')")
    assert "choose" in browser.run("return page.curves.element.textContent")
    assert browser.complaints() == []


def test_several_runs_have_their_colors_and_values(browser: Browser, run: mb.Run, tmp_path: Path) -> None:
    other = mb.load("slider-crank", l2=0.1).run(0.06)
    file = save_page(tmp_path / "two.html", [run, other], labels=["long", "short"], plot=["slider.x", "rod.x"], layout="over")
    browser.open(file)
    browser.run("page.clock.seek(0.03)")
    curves = browser.run("return page.curves.charts[0].curves.map(c => [c.name, c.run.label, c.color, c.dashes.length])")
    assert [item[:2] for item in curves] == [["slider.x", "long"], ["slider.x", "short"], ["rod.x", "long"], ["rod.x", "short"]]
    assert curves[0][2] == curves[2][2] != curves[1][2] and curves[0][3] != curves[2][3]
    values = shown(browser)["slider.x"].split()
    for text, one in zip(values, (run, other), strict=False):
        assert number(text) == pytest.approx(np.interp(0.03, one.time, one["slider.x"].values), abs=1e-4)
    assert "long" in browser.run("return document.querySelector('#curves .runs').textContent")
    browser.run("page.arrange([1], 'one')")
    assert browser.run("return page.curves.charts[0].curves.map(c => c.run.label)") == ["short", "short"]
    assert browser.run("return [page.strip.from, page.strip.to]") == pytest.approx([0.0, 0.06])
    assert browser.complaints() == []


def test_runs_that_agree_are_both_seen(browser: Browser, run: mb.Run, tmp_path: Path) -> None:
    again = mb.load("slider-crank").run(0.08)
    file = save_page(tmp_path / "same.html", [run, again], labels=["one", "other"], plot=["slider.x"], layout="over")
    browser.open(file)
    assert browser.run("return page.curves.charts[0].curves.map(c => c.width)") == [3.6, 1.6]
    seen = browser.run("""
        const c = page.curves.charts[0], pixels = c.back.getContext("2d").getImageData(0, 0, c.back.width, c.back.height).data;
        const near = color => {
          const [r, g, b] = [1, 3, 5].map(k => parseInt(color.slice(k, k + 2), 16));
          let count = 0;
          for (let i = 0; i < pixels.length; i += 4)
            if (pixels[i + 3] > 250 && Math.hypot(pixels[i] - r, pixels[i + 1] - g, pixels[i + 2] - b) < 12) count++;
          return count;
        };
        return c.curves.map(curve => near(curve.color))""")
    assert min(seen) > 200


def test_ten_runs_are_all_drawn_and_their_curves_named(browser: Browser, run: mb.Run, tmp_path: Path) -> None:
    browser.open(save_page(tmp_path / "ten.html", [run] * 10, plot=["slider.x", "rod.x"]))
    sizes = browser.run("return page.stages.panes.map(p => Math.min(p.canvas.clientWidth, p.canvas.clientHeight))")
    assert len(sizes) == 10 and min(sizes) > 80
    assert browser.run("return Math.max(...page.curves.charts[0].curves.map(c => c.width))") <= 4.0
    cut = """
        const edge = document.getElementById('right').getBoundingClientRect().right;
        const all = (which) => [...document.querySelectorAll(`#curves ${which}`)];
        const parts = all('.legend *'), names = all('.name');
        return [parts.filter(part => part.getBoundingClientRect().right > edge).length,
                names.map(name => name.scrollWidth <= name.clientWidth + 1 && name.textContent)];"""
    assert browser.run(cut) == [0, ["slider.x", "rod.x"]]
    assert browser.complaints() == []


def test_values_of_five_runs_wrap(browser: Browser, run: mb.Run, tmp_path: Path) -> None:
    browser.open(save_page(tmp_path / "five.html", [run] * 5, plot=["slider.x"]))
    edges = browser.run("""
        const right = (part) => part.getBoundingClientRect().right;
        return [right(document.getElementById('right')), ...[...document.querySelectorAll('#curves output')].map(right)];""")
    assert len(edges) == 6 and max(edges[1:]) <= edges[0]


def test_the_last_number_of_the_axis_is_not_cut_off(browser: Browser, tmp_path: Path) -> None:
    made = mb.load("slider-crank").run(0.02)
    browser.open(save_page(tmp_path / "x.html", [made], plot=["slider.x"]))
    inked = browser.run("""
        const c = page.curves.charts[0], { back, ratio, box } = c, pen = back.getContext("2d");
        const found = pen.getImageData(back.width - 1, (box.bottom + 3) * ratio, 1, 14 * ratio).data;
        const last = pen.getImageData((c.width - 12) * ratio, (box.bottom + 3) * ratio, 11 * ratio, 14 * ratio).data;
        const count = (data) => data.filter((x, k) => k % 4 === 3 && x > 60).length;
        return [count(found), count(last)];""")
    assert inked[0] == 0 and inked[1] > 10


def test_a_search_without_success_says_so(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.run("page.chooser.filter.value = 'no such path'; page.chooser.list()")
    assert browser.run("return page.chooser.items.textContent") == "none found"


def test_a_report_names_each_mode_once(browser: Browser, tmp_path: Path) -> None:
    browser.open(mb.load("bushing-suspension").modes(count=2).page(tmp_path / "modes.html"))
    text = browser.run("return document.getElementById('report').textContent")
    assert text.count("mode 0:") == 1 and text.count("mode 1:") == 1


def test_sharp_on_fine_screens(browser: Browser, page: Path) -> None:
    browser.driver.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", {"width": 1000, "height": 700, "deviceScaleFactor": 2, "mobile": False}
    )
    browser.open(page)
    sizes = browser.run("""
        const c = page.curves.charts[0], s = page.strip;
        return [c.back.width, 2 * c.plot.clientWidth, s.back.width, 2 * s.element.clientWidth]""")
    browser.resize(1280, 800)
    assert sizes[0] == sizes[1] and sizes[2] == sizes[3]


def test_a_page_begins_over_the_path_that_is_asked_for(browser: Browser, run: mb.Run, tmp_path: Path) -> None:
    run.page(tmp_path / "over.html", plot=["slider.x.rate"], x="2*O")
    browser.open(tmp_path / "over.html")
    assert browser.run("return [page.curves.x, page.chooser.over.value, page.curves.charts[0].xName]") == ["2*O"] * 3
    low, high = browser.run("return page.curves.range()")
    assert low < 0.0 and high > 2.0 * float(run["O"].values[-1])
    browser.run("page.chooser.choose(page.chooser.chosen, '')")
    assert browser.run("return page.curves.charts[0].xName") == "time"


# --- round numbers ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("low", "high", "most"),
    [(0, 1, 5), (-4000, 2400, 4), (-4000, 2400, 2), (1e-9, 3e-9, 6), (0.9999, 1.0001, 5), (-1e12, 5e12, 8), (5, 5.001, 3)],
)
def test_round_numbers_of_an_axis(browser: Browser, page: Path, low: float, high: float, most: int) -> None:
    if browser.run("return typeof modules") == "undefined":
        browser.open(page)
    found = browser.run("return modules.ticks.ticks(...arguments)", low, high, most)
    values, step = found["values"], found["step"]
    assert 2 <= len(values) <= max(most, 4)
    digit = step / 10 ** np.floor(np.log10(step) + 1e-9)
    assert digit == pytest.approx(round(digit)) and round(digit) in (1, 2, 5, 10)
    assert all(low - 1e-6 * step <= v <= high + 1e-6 * step for v in values)
    shift = browser.run("return modules.ticks.power(...arguments)", low, high)
    texts = browser.run("return modules.ticks.tickTexts(...arguments)", values, step, shift)
    assert len(set(texts)) == len(texts)
    assert [float(t.replace("−", "-")) * 10.0**shift for t in texts] == pytest.approx(values, abs=1e-3 * step)


def test_a_level_curve_has_a_range_and_round_off_none(browser: Browser, page: Path) -> None:
    browser.open(page)
    roomy = "return modules.ticks.roomy(...arguments)"
    assert browser.run(roomy, 0.5, 0.5) == pytest.approx([0.45, 0.55])
    assert browser.run(roomy, 0.5, 0.5 + 1e-15) == pytest.approx([0.45, 0.55])
    assert browser.run(roomy, 0, 0) == [-1, 1]
    assert browser.run(roomy, -1e-15, 1e-15, 0.06, 2e-10) == pytest.approx([-2.0, 2.0])
    assert browser.run(roomy, 3, 5, 0.0, 2e-10) == [3, 5]
    assert browser.run("return modules.ticks.roomy(Infinity, -Infinity)") == [0, 1]
    assert browser.run("return ['N', '', '1'].map(u => modules.ticks.unitText(u, u ? 3 : 0))") == ["[10³ N]", "", "[10³]"]


# --- what a page begins with ---------------------------------------------------------------------------------------------
def test_a_page_begins_with_a_coordinate_a_reaction_and_energies(browser: Browser, run: mb.Run, tmp_path: Path) -> None:
    run.page(tmp_path / "page.html")
    browser.open(tmp_path / "page.html")
    chosen = browser.run("return page.chooser.chosen")
    assert chosen[:3] == ["O.angle", "O.reaction.force.x", "O.reaction.force.y"]
    assert {name.split(".")[0] for name in chosen[3:]} == {"energy"}


def test_round_off_is_no_curve_to_begin_with_and_reads_as_zero(browser: Browser, tmp_path: Path) -> None:
    idle = mb.load("planetary").run(0.2)  # turns without load: only planets are held on their circle
    idle.page(tmp_path / "idle.html")
    browser.open(tmp_path / "idle.html")
    chosen = browser.run("return page.chooser.chosen")
    assert [name for name in chosen if "reaction" in name] == ["P1.reaction.force.x", "P1.reaction.force.y"]
    assert "energy.work" not in chosen
    level = mb.load("pendulum").run(0.5)
    level.page(tmp_path / "level.html", plot=["energy.kinetic", "1e-14*energy.kinetic"])
    browser.open(tmp_path / "level.html")
    browser.run("page.clock.seek(0.3)")
    assert shown(browser)["1e-14*energy.kinetic"] == "0 J" and number(shown(browser)["energy.kinetic"]) > 0.0


def test_a_curve_of_round_off_is_level(browser: Browser, page: Path) -> None:
    browser.open(page)
    for path, unit in (("slider.angle", "rad"), ("A.reaction.moment", "N·m")):  # held at zero, to round-off
        browser.run("page.chooser.choose([arguments[0]], '')", path)
        low, high = browser.run("return page.curves.charts[0].y")
        assert low < -0.05 and high > 0.05 and shown(browser) == {path: f"0 {unit}"}


def test_a_long_unit_leaves_the_legend_its_place(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.run("""
        const path = page.data.runs[0].paths.find(p => p.name === "slider.x");
        [path.values, path.unit] = [path.values.map(v => v * 1e-14), "kg·m²/s"];
        page.curves.show(["slider.x"])""")
    box = browser.run("""
        const c = page.curves.charts[0], range = document.createRange();
        range.selectNodeContents(c.gutter);
        return [range.getBoundingClientRect().right, c.legend.getBoundingClientRect().left, c.gutter.textContent]""")
    assert box[2] == "[10⁻¹⁵ kg·m²/s]" and box[0] <= box[1] + 0.5


# --- strip --------------------------------------------------------------------------------------------------------------
def test_the_strip_lies_under_the_slider_and_its_cursor_under_the_knob(browser: Browser, page: Path) -> None:
    browser.open(page)
    for part in (0.0, 0.4, 1.0):
        browser.run("page.clock.seek(0.08 * arguments[0])", part)
        slider, strip, place = browser.run("""
            const r = e => { const b = e.getBoundingClientRect(); return [b.left, b.right]; };
            return [r(document.getElementById("slider")), r(page.strip.element), page.strip.place(page.strip.time)]""")
        assert strip == pytest.approx(slider, abs=0.6)
        assert strip[0] + place == pytest.approx(slider[0] + 8 + part * (slider[1] - slider[0] - 16), abs=0.6)


def test_singular_positions_are_marked_told_and_sought(browser: Browser, locked: tuple[Path, mb.Run]) -> None:
    file, stopped = locked
    browser.open(file)
    marks = browser.run("return page.strip.marks")
    assert [mark["time"] for mark in marks] == pytest.approx([item.time for item in stopped.singularities])
    assert marks[-1]["kind"] == "lock-up"
    assert all(item.reason in mark["words"] for mark, item in zip(marks, stopped.singularities, strict=True))
    at = browser.run("""
        const r = page.strip.front.getBoundingClientRect();
        return [r.left + page.strip.place(page.strip.marks.at(-1).time) - 2, r.top + 6]""")
    mouse = {"x": at[0], "y": at[1], "button": "left", "clickCount": 1}
    browser.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {**mouse, "type": "mouseMoved", "button": "none"})
    assert browser.run("return [page.strip.tip.hidden, page.strip.tip.textContent]") == [False, marks[-1]["words"]]
    browser.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {**mouse, "type": "mousePressed"})
    browser.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {**mouse, "type": "mouseReleased"})
    assert browser.run("return page.clock.time") == pytest.approx(stopped.time[-1])
    middle = browser.run("const r = page.strip.front.getBoundingClientRect(); return [(r.left + r.right) / 2, r.top + 20]")
    mouse |= {"x": middle[0], "y": middle[1]}
    browser.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {**mouse, "type": "mousePressed"})
    browser.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {**mouse, "type": "mouseReleased"})
    assert browser.run("return page.clock.time") == pytest.approx(0.5 * stopped.time[-1], rel=0.02)
    assert browser.complaints() == []


def test_scales_and_marks_of_a_strip(browser: Browser, page: Path) -> None:
    browser.open(page)
    scale = "return modules.strip.scaleOf(arguments[0].map(sigma => ({sigma: sigma.map(x => x ?? NaN)})))"
    assert browser.run(scale, [[0.5, 0.4, None, 0.6]])["log"] is False
    wide = browser.run(scale, [[1.0, 1e-5], [2.0]])
    assert wide["log"] and wide["low"] < 1e-5 and wide["high"] > 2.0
    assert browser.run(scale, [[1.0, 0.0]])["low"] > 0.0
    assert browser.run(scale, [[0.0, 0.0]]) == {"low": 0, "high": 1, "log": False}
    marks = browser.run("""
        return modules.strip.marksOf({
        label: "a", time: [0, 1, 2], partial: true, status: "stopped", branches: [[0, "1"], [0.7, "2"], [1, "1"]],
        events: [{time: 0.5, name: "top"}], singularities: [{time: 0.7, kind: "passed", words: "pins in line"}]}, true, "s")""")
    assert [(mark["kind"], mark["time"]) for mark in marks] == [("singular", 0.7), ("branch", 1), ("event", 0.5), ("end", 2)]
    assert marks[0]["words"] == "a: singular position, passed\nt = 0.7 s\npins in line\nfrom here on branch 2"


def test_one_instant_and_nothing_to_mark(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "pose.html"
    mb.load("slider-crank").assemble().page(file)
    browser.open(file)
    assert browser.run("return getComputedStyle(page.strip.element).display") == "none"
    assert shown(browser)
    assert browser.complaints() == []
