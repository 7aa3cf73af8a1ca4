"""Cards that notebooks show: facts that are the result's, a picture or a player, and what went wrong in words."""

from __future__ import annotations

import base64
import re
from html.parser import HTMLParser
from typing import Any

import matplotlib
import matplotlib.pyplot as plt
import pytest

import multibody as mb

matplotlib.use("agg")
VOID = {"img", "br", "meta"}


class Balanced(HTMLParser):
    """Checks that every element is closed, and collects the text."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text: list[str] = []
        self.frames: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "iframe":
            self.frames.append(dict(attrs)["srcdoc"] or "")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def card(thing: Any) -> Balanced:
    """Return the parsed card of a thing; no figure stays open."""
    before = plt.get_fignums()
    parsed = Balanced()
    parsed.feed(thing._repr_html_())
    parsed.close()
    assert not parsed.open
    assert plt.get_fignums() == before
    return parsed


def words(thing: Any) -> str:
    """Return the text of a card."""
    return " | ".join(card(thing).text)


@pytest.fixture(scope="module")
def four_bar() -> mb.Model:
    return mb.load("four-bar")


def test_model(four_bar: mb.Model) -> None:
    text = words(four_bar)
    assert "four-bar (planar model)" in text
    assert "3: link1, link2, link3" in text
    assert "length = 2 m" in text
    image = re.search(r'src="data:image/svg\+xml;base64,([^"]+)"', four_bar._repr_html_())
    assert image is not None
    assert b"<svg" in base64.b64decode(image[1])


def test_model_that_cannot_be_assembled_says_why() -> None:
    m = mb.Model("gap", dimension=2)
    m.body("a", frames={"end": (1.0, 0)})
    m.frames(far=(3.0, 0))
    m.revolute("O", m.ground, "a")
    m.revolute("B", m.ground["far"], "a.end")
    text = words(m)
    assert "B" in text
    assert "gap" in text or "close" in text


def test_empty_and_large_models_have_no_picture() -> None:
    assert "<img" not in mb.Model("empty", dimension=2)._repr_html_()
    assert "<img" not in mb.load("chain", n=300)._repr_html_()


def test_check(four_bar: mb.Model) -> None:
    report = mb.load("iftomm-bricard").check()
    text = words(report)
    assert f"{report.mobility} (coordinates − equations: {report.gruebler})" in text
    assert "1: J5: rotation about f" in text or report.redundant[0] in text


def test_state_shows_round_off_as_zero() -> None:
    state = mb.load("slider-crank").assemble()
    assert abs(state["A"]) < 1e-12
    assert "A | 0 rad" in words(state)
    assert "0.5 m" in words(state)


def test_run_has_a_player_and_its_certificate(four_bar: mb.Model) -> None:
    run = four_bar.run(until=1.0)
    parsed = card(run)
    assert len(parsed.frames) == 1
    assert "four-bar" in parsed.frames[0]
    text = " | ".join(parsed.text)
    assert f"{run.certificate['energy_drift']:.2g}" in text
    assert "gravity: none" in text


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_run_that_did_not_finish_says_so() -> None:
    m = mb.load("driven-slider")
    m.motion("S", "0.3 + t", replace=True)  # farther than crank and rod reach
    run = m.kinematics(until=1.0, steps=20)
    assert not run.ok
    assert run.status.message in words(run)


def test_equilibrium_and_modes() -> None:
    m = mb.load("stewart-platform")
    found = m.statics()
    assert found.stability in words(found)
    modes = m.modes(at=found.state)
    text = words(modes)
    assert "frequency [Hz]" in text
    assert f"{modes.frequencies[0]:.5g}" in text


def test_inverse_says_the_largest_effort() -> None:
    found = mb.load("slider-crank").inverse(until=0.04, steps=40)
    values = found["O"].values
    assert f"largest {values[abs(values).argmax()]:.5g} N·m" in words(found)


def test_compare(four_bar: mb.Model) -> None:
    found = four_bar.compare(0.5, formulations=["augmented", "kane"], integrators=["dop853"], repeats=1)
    text = words(found)
    assert "augmented" in text
    assert "kane" in text


def test_names_are_escaped() -> None:
    m = mb.Model("<script>alert(1)</script>", dimension=2)
    m.body("a", mass=1.0, inertia=1.0)
    assert "<script>" not in m._repr_html_()


def test_checks_modes_and_freedoms_show_the_mechanism() -> None:
    model = mb.load("double-pendulum")
    for thing in (model.check(), model.modes(), model.wiggle()):
        card = thing._repr_html_()
        assert card.count("<img ") == 1
        assert "max-width:280px" in card
    assert "2 freedoms of double-pendulum" in model.wiggle()._repr_html_()


def test_a_check_of_a_model_that_has_changed_since_has_no_picture() -> None:
    model = mb.load("double-pendulum")
    report = model.check()
    model.body("more", mass=1.0, inertia=1.0)
    assert "<img " not in report._repr_html_()
