"""Pages: how large, how quickly written, first picture after opening, and frames a second for 100 and 1000 bodies.

    python benchmarks/pages.py [MODEL ...]

Times are the smallest of three, rates the largest. The browser is a headless Chromium without a graphics card: WebGL is drawn
by the processor (SwiftShader). Frames of planar pages are counted in a browser with ``--disable-gpu``, whose own rasterizer
paints canvases: SwiftShader would paint them too, several times slower. Beside pages in space stands how many pictures a
second the page itself draws, and what an empty canvas of the same size reaches once the browser has put its window together:
without a graphics card that, and not the page, takes most of the time.
"""

from __future__ import annotations

import sys
import tempfile
import time
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

import multibody as mb
from multibody.library import names
from page.browser import FLAT, SPACE, Browser, absent

QUICK = {"iftomm-andrews": 0.05}
REPEATS = 3
FRAMES = 60


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


def drawn_a_second(browser: Browser) -> float:
    """Return how many pictures in space a second are drawn to the last pixel, before the browser puts its window together."""
    script = """
    const count = arguments[0], { clock, stages } = page, start = performance.now(), { gl } = stages.panes[0].stage;
    for (let k = 0; k < count; k++) {
      stages.draw(clock.from + ((clock.to - clock.from) * k) / count);
      gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
    }
    return (1000 * count) / (performance.now() - start);"""
    return max(float(browser.run(script, FRAMES)) for _ in range(REPEATS))


def frames_a_second(file: Path, flags: tuple[str, ...]) -> tuple[float, float, tuple[int, int]]:
    """Return how many pictures a second are shown and drawn, and their size: in the plane one for each of the screen's.

    In space the stage draws without a pause and waits for each.
    """
    browser = Browser(more=flags)
    browser.open(file)
    script = """
    const done = arguments[1], count = arguments[0], { clock, stages } = page, start = performance.now();
    let k = 0;
    const next = () => {
      if (k++ >= count) return done((1000 * count) / (performance.now() - start));
      stages.draw(clock.from + ((clock.to - clock.from) * k) / count);
      const gl = stages.panes[0].stage.gl;
      if (gl) gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
      if (gl) setTimeout(next, 0);
      else requestAnimationFrame(next);
    };
    next();"""
    best = max(float(browser.driver.execute_async_script(script, FRAMES)) for _ in range(REPEATS))
    drawn = drawn_a_second(browser) if flags == SPACE else best
    wide, high = browser.run("const { canvas } = page.stages.panes[0]; return [canvas.width, canvas.height];")
    browser.close()
    return best, drawn, (int(wide), int(high))


def empty_frames_a_second(file: Path, size: tuple[int, int]) -> float:
    """Return the same of a page with nothing but an empty canvas: what this machine can do at best."""
    canvas = f'<body style="margin: 0"><canvas width="{size[0]}" height="{size[1]}" style="display: block"></canvas>'
    file.write_text(f"<!doctype html>{canvas}<script>document.body.dataset.ready = 'all';</script>", encoding="utf-8")
    browser = Browser(more=SPACE)
    browser.open(file)
    script = """
    const done = arguments[1], count = arguments[0], start = performance.now();
    const gl = document.querySelector("canvas").getContext("webgl2", { antialias: false, alpha: false });
    let k = 0;
    const next = () => {
      if (k++ >= count) return done((1000 * count) / (performance.now() - start));
      gl.clearColor(1, 1, k % 2, 1);
      gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
      gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
      setTimeout(next, 0);
    };
    next();"""
    best = max(float(browser.driver.execute_async_script(script, FRAMES)) for _ in range(REPEATS))
    browser.close()
    return best


def chains(folder: Path, missing: str) -> None:
    """Print the frames a second of chains, and of empty canvases as large as theirs."""
    file = folder / "chain.html"
    for spatial in (False, True):
        for bodies in (100, 1000):
            chain(bodies, spatial).page(file, force=True)
            words = [f"chain of {bodies} {'spatial' if spatial else 'planar'} bodies: {file.stat().st_size / 1000:.0f} kB"]
            if missing:
                words.append(missing)
            else:
                rate, drawn, size = frames_a_second(file, SPACE if spatial else FLAT)
                words.append(f"{rate:.0f} frames/s")
                if spatial:
                    words.append(f"{drawn:.0f} drawn")
                    words.append(f"empty canvas of {size[0]} x {size[1]}: {empty_frames_a_second(file, size):.0f} frames/s")
            print(", ".join(words), flush=True)


def main() -> None:
    """Print the tables."""
    warnings.simplefilter("ignore", RuntimeWarning)
    missing = absent()
    browser = None if missing else Browser()
    with tempfile.TemporaryDirectory() as folder:
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
