"""Pages: how large, how quickly written, first picture after opening, and frames a second for 100 and 1000 bodies.

    python benchmarks/pages.py [MODEL ...]
    python benchmarks/pages.py OLD.html NEW.html

Times are the smallest of three, rates the largest. The browser is a headless Chromium without a graphics card: it puts its
window together by its own rasterizer and draws WebGL by the processor (SwiftShader), as browsers do by themselves on such a
machine. Frames are those that it shows while the page plays; more than the screen's 60 a second are never shown. Beside them
stands the processor time of all its processes for one of them, how much of it the page's own scripts take, and how fine it was
in the end. With files, pages that were written before are played by turns, so that an older version is measured in the
same minutes; there is also the rate where SwiftShader puts the window together as well, and that of an empty canvas there: then
the browser takes most of the time, with any page.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

import multibody as mb
from multibody.library import names
from view.page.browser import BARE, FLAT, SPACE, Browser, absent

QUICK = {"iftomm-andrews": 0.05}
REPEATS = 3
SECONDS = 3.0


def written(name: str, file: Path) -> float:
    """Return the seconds that the page of ten seconds takes; every repeat has a run of its own, for runs keep what was read."""
    best = float("inf")
    for _ in range(REPEATS):
        run = mb.load(name).run(QUICK.get(name, 10.0))
        start = time.perf_counter()
        run.page(file, force=True)
        best = min(best, time.perf_counter() - start)
    return best


def first_frame(browser: Browser, file: Path) -> float:
    """Return the milliseconds from the start of loading to the first picture on the stage."""
    best = float("inf")
    for _ in range(REPEATS):
        browser.open(file)
        best = min(best, float(browser.run("return performance.getEntriesByName('first picture')[0].startTime")))
    return best


def chain(bodies: int, spatial: bool) -> mb.Run:
    """Return a short run of a hanging chain."""
    if not spatial:
        return mb.load("chain", n=bodies).run(0.2, output_step=0.01)
    m = mb.Model("chain", dimension=3, gravity=(0, 0, -9.81))
    before = "ground"
    for k in range(1, bodies + 1):
        m.body(f"link{k}", shape={"rod": [(0, 0, 0), (0.1, 0, 0)], "radius": 0.01, "mass": 0.1}, frames={"tip": (0.1, 0, 0)})
        m.revolute(f"J{k}", before, f"link{k}", axis=(0, 1, 0) if k % 2 else (0, 0, 1))
        before = f"link{k}.tip"
    return m.run(0.2, output_step=0.01)


def processor_time(root: int) -> float:
    """Return the seconds that a process and all that it started have been computing."""
    children: dict[int, list[int]] = {}
    spent: dict[int, float] = {}
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = file.read_text().rsplit(")", 1)[1].split()
        except OSError:  # it has just ended
            continue
        pid = int(file.parent.name)
        children.setdefault(int(fields[1]), []).append(pid)
        spent[pid] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    total, left = 0.0, [root]
    while left:
        pid = left.pop()
        total += spent.get(pid, 0.0)
        left += children.get(pid, [])
    return total


PLAY = """
const [seconds, done] = arguments, { clock } = page, usual = page.show, start = performance.now();
let count = 0, scripts = 0;
page.show = function (time) { const from = performance.now(); usual.call(this, time); scripts += performance.now() - from; };
clock.play();
const next = () => {
  const passed = performance.now() - start;
  if (passed < 1000 * seconds) return void (count++, requestAnimationFrame(next));
  const { stage } = page.stages.panes[0], part = stage.share ?? 1;
  clock.pause();
  page.show = usual;
  done([(1000 * count) / passed, scripts / count, part]);
};
requestAnimationFrame(next);"""

EMPTY = """
const [seconds, done] = arguments, start = performance.now();
const gl = document.querySelector("canvas").getContext("webgl2", { antialias: false, alpha: false });
let count = 0;
const next = () => {
  const passed = performance.now() - start;
  if (passed > 1000 * seconds) return done([(1000 * count) / passed, 0, 1]);
  gl.clearColor(1, 1, count++ % 2, 1);
  gl.clear(gl.COLOR_BUFFER_BIT);
  requestAnimationFrame(next);
};
requestAnimationFrame(next);"""


class Player:
    """A page in a browser of its own, played again and again."""

    def __init__(self, file: Path, flags: tuple[str, ...], script: str = PLAY) -> None:
        self.browser, self.script = Browser(more=flags), script
        self.browser.open(file)
        self.rate = self.part = 0.0
        self.scripts = self.processor = float("inf")

    def play(self) -> None:
        """Play once; what was best is kept."""
        root = self.browser.driver.service.process.pid
        before, start = processor_time(root), time.perf_counter()
        rate, scripts, self.part = self.browser.driver.execute_async_script(self.script, SECONDS)
        spent = (processor_time(root) - before) / (rate * (time.perf_counter() - start))
        self.rate, self.scripts = max(self.rate, rate), min(self.scripts, scripts)
        self.processor = min(self.processor, 1e3 * spent)

    def __str__(self) -> str:
        told = f"{self.rate:.0f} frames/s, {self.processor:.1f} ms of the processor each, {self.scripts:.1f} in scripts"
        return told if self.part == 1 else f"{told}, {self.part:.2g} of the pixels along a side"


def played(files: list[Path], flags: tuple[str, ...], script: str = PLAY) -> list[str]:
    """Return what there is to say of pages that are played by turns."""
    players = [Player(file, flags, script) for file in files]
    for _ in range(REPEATS):
        for player in players:
            player.play()
    for player in players:
        player.browser.close()
    return [str(player) for player in players]


def compare(files: list[Path], folder: Path) -> None:
    """Print how pages are played, and an empty canvas as large as theirs."""
    empty = folder / "empty.html"
    canvas = '<body style="margin: 0"><canvas width="742" height="531" style="display: block"></canvas>'
    empty.write_text(f"<!doctype html>{canvas}<script>document.body.dataset.ready = 'all';</script>", encoding="utf-8")
    for words, flags in (("as the browser does it", BARE), ("window by SwiftShader", SPACE)):
        for file, told in zip(files, played(files, flags), strict=True):
            print(f"{file.name}, {words}: {told}", flush=True)
        print(f"empty canvas, {words}: {played([empty], flags, EMPTY)[0]}; load {os.getloadavg()[0]:.1f}", flush=True)


def chains(folder: Path, missing: str) -> None:
    """Print how chains are played."""
    file = folder / "chain.html"
    for spatial in (False, True):
        for bodies in (100, 1000):
            chain(bodies, spatial).page(file, force=True)
            size, sort = file.stat().st_size / 1000, "spatial" if spatial else "planar"
            told = missing or f"{played([file], BARE if spatial else FLAT)[0]}; load {os.getloadavg()[0]:.1f}"
            print(f"chain of {bodies} {sort} bodies: {size:.0f} kB, {told}", flush=True)


def main() -> None:
    """Print the tables."""
    warnings.simplefilter("ignore", RuntimeWarning)
    missing = absent()
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(name).resolve() for name in sys.argv[1:] if name.endswith(".html")]
        if files:
            return print(missing) if missing else compare(files, Path(folder))
        browser = None if missing else Browser()
        file = Path(folder) / "page.html"
        print(f"{'model':24} {'kB':>5} {'write [s]':>9} {'first picture [ms]':>18}")
        for name in sys.argv[1:] or names():
            seconds = written(name, file)
            shown = f"{first_frame(browser, file):18.0f}" if browser else missing
            print(f"{name:24} {file.stat().st_size / 1000:5.0f} {seconds:9.2f} {shown}", flush=True)
        if browser:
            browser.close()
        chains(Path(folder), missing)


if __name__ == "__main__":
    main()
