"""A headless Chromium for tests of pages: absent ones skip them, unless MULTIBODY_BROWSER says that it has to be there."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest

REQUIRED = os.environ.get("MULTIBODY_BROWSER", "") == "required"
FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--hide-scrollbars", "--disable-dev-shm-usage",
    "--force-device-scale-factor=1",
)  # fmt: skip
SPACE = ("--use-angle=swiftshader", "--enable-unsafe-swiftshader")
"""WebGL by the processor (SwiftShader), and the window put together likewise, as if it were a graphics card."""
FLAT = ("--disable-gpu",)
"""No WebGL; canvases are painted by the browser's own rasterizer, for SwiftShader does it several times slower."""
BARE = (*FLAT, "--enable-unsafe-swiftshader")
"""What a browser does by itself where there is no graphics card: its own rasterizer, and SwiftShader for WebGL alone."""


def absent() -> str:
    """Return what is missing to open pages; nothing if all is there."""
    if importlib.util.find_spec("selenium") is None:
        return "selenium is not installed: pip install multibody[browser]"
    if not shutil.which("chromium"):
        return "there is no chromium on the path"
    return "" if shutil.which("chromedriver") else "there is no chromedriver on the path"


class Browser:
    """A browser that opens pages from disk and tells what went on in them."""

    def __init__(self, width: int = 1280, height: int = 800, more: tuple[str, ...] = SPACE) -> None:
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service

        self.folder = tempfile.mkdtemp(prefix="multibody-browser-")
        options = webdriver.ChromeOptions()
        options.binary_location = str(shutil.which("chromium"))
        for flag in (*FLAGS, *more, f"--user-data-dir={self.folder}", f"--window-size={width},{height}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service(str(shutil.which("chromedriver"))))
        self.driver.set_page_load_timeout(60)
        self.driver.set_script_timeout(60)

    def open(self, file: Path, until: str = "all") -> None:
        """Open a page from disk and wait until it is complete."""
        self.driver.get_log("browser")
        self.driver.get_log("performance")
        self.driver.get(file.as_uri())
        self.wait(f"return document.body.dataset.ready === {until!r}")

    def wait(self, script: str, seconds: float = 30.0) -> None:
        """Wait until a script returns true."""
        end = time.monotonic() + seconds
        while not self.run(script):
            assert time.monotonic() < end, f"never true: {script}; {self.complaints()}"
            time.sleep(0.01)

    def run(self, script: str, *arguments: Any) -> Any:
        """Return what a script returns."""
        return self.driver.execute_script(script, *arguments)

    def complaints(self) -> list[str]:
        """Return what the console was told since the page was opened."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self) -> list[str]:
        """Return the addresses that were asked for since the page was opened; the page's own file is not counted."""
        found = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                address = message["params"]["request"]["url"]
                if not address.startswith(("file:", "data:", "blob:", "chrome:")):  # chrome: the browser's own first tab
                    found.append(address)
        return found

    def frames(self, count: int) -> None:
        """Wait until the page has been painted so many times."""
        script = """
        let n = arguments[0];
        const done = arguments[1], again = () => (n-- > 0 ? requestAnimationFrame(again) : done(1));
        again();"""
        self.driver.execute_async_script(script, count)

    def seek(self, time: float) -> None:
        """Move the slider as a hand does."""
        script = "const s = document.getElementById('slider'); s.value = arguments[0]; s.dispatchEvent(new Event('input'));"
        self.run(script, float(time))

    def click_on(self, sort: str, name: str) -> bool:
        """Click where a joint or body is drawn; return whether the panel then tells about it.

        Its place is that of its name's point on the stage; something else may lie before it.
        """
        script = """
        const [sort, name] = arguments, { stage, canvas } = page.stages.panes[0], box = canvas.getBoundingClientRect();
        const { owners, names } = page.data.drawing, d = page.data.dimension;
        const item = names.find(({ owner }) => owners[owner].sort === sort && owners[owner].name === name);
        if (!item) return null;
        const place = modules.common.placedPoint(stage.poses(0, page.clock.time), d, item.body, item.point);
        const [x, y] = stage.frame.onScreen(place);
        return [Math.round(box.left + x), Math.round(box.top + y)];"""
        found = self.run(script, sort, name)
        if found is None:
            return False
        for kind in ("mousePressed", "mouseReleased"):
            event = {"type": kind, "x": found[0], "y": found[1], "button": "left", "clickCount": 1}
            self.driver.execute_cdp_cmd("Input.dispatchMouseEvent", event)
        return bool(self.run("return document.querySelector('#panel .head b')?.textContent") == name)

    def panel(self, path: str) -> str:
        """Return the number that the panel shows of a path."""
        return str(self.run("return document.querySelector(`#panel td[data-path='${arguments[0]}']`).textContent", path))

    def resize(self, width: int, height: int) -> None:
        """Give the page a size of its own, the window's frame not counted."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def paper(self, dark: bool) -> None:
        """Let the system prefer light or dark."""
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def picture(self, file: Path | None = None) -> bytes:
        """Return the window as PNG; write it too where a file is named."""
        made: bytes = self.driver.get_screenshot_as_png()
        if file is not None:
            file.write_bytes(made)
        return made

    def close(self) -> None:
        """End the browser."""
        self.driver.quit()
        shutil.rmtree(self.folder, ignore_errors=True)


def browser_or_skip() -> Browser:
    """Return a browser; skip the test where there is none."""
    missing = absent()
    if missing and not REQUIRED:
        pytest.skip(missing)
    assert not missing, missing
    return Browser()
