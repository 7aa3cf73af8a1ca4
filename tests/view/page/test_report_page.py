"""Reports in a real browser: their player plays, nothing is asked for, and paper has pictures in its place."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import multibody as mb
from view.page.browser import Browser, browser_or_skip


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    made = browser_or_skip()
    yield made
    made.close()


@pytest.fixture(scope="module")
def report(tmp_path_factory: Any) -> Path:
    run = mb.load("slider-crank").run(until=0.0419, output_step=0.0419 / 100)
    made: Path = run.report(tmp_path_factory.mktemp("report") / "report.html")
    return made


def test_a_report_opens_from_disk_without_complaints_or_requests(browser: Browser, report: Path) -> None:
    browser.driver.get_log("browser")
    browser.driver.get_log("performance")
    browser.driver.get(report.as_uri())
    browser.wait("return document.querySelector('iframe').contentDocument?.body?.dataset.ready === 'all'")
    assert browser.complaints() == [] and browser.requests() == []
    assert browser.run("return document.documentElement.scrollWidth <= innerWidth")
    broken = "return [...document.images].filter(image => !image.complete || image.naturalWidth < 100).length"
    assert browser.run(broken) == 0


def test_paper_has_all_but_the_player(browser: Browser, report: Path) -> None:
    browser.driver.get(report.as_uri())
    made = base64.b64decode(browser.driver.print_page())
    assert made.startswith(b"%PDF") and 3 <= made.count(b"/Type /Page\n") + made.count(b"/Type /Page ") <= 12
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert browser.run("return getComputedStyle(document.querySelector('.player')).display") == "none"
    parts, room = "[...document.querySelectorAll('table, figure')]", "1.02 * document.body.clientWidth"
    assert browser.run(f"return {parts}.filter(part => part.scrollWidth > {room}).length") == 0
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
