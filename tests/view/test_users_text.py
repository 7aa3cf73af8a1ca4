"""Text of the user in pictures, pages, reports and cards: shown as it is written, never taken for a formula or for HTML."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import matplotlib
import matplotlib.pyplot as plt
import pytest

import multibody as mb
from multibody.view.film.animate import canvas_of
from multibody.view.film.letters import Word
from multibody.view.report.assemble import Told, report_text
from multibody.view.report.figures import figure
from multibody.view.style import plain

matplotlib.use("agg")
DOLLARS = r"price $\frac{$ list"
FOREIGN = "</script><script>x</script><img src=x onerror=1>"


def pendulum(name: str, dimension: int = 2) -> mb.Model:
    m = mb.Model(name, dimension=dimension, gravity=None)
    flat = dimension == 2
    m.parameter("length", 1.0, unit=name, doc=name)
    m.body("rod", mass=1.0, inertia=1.0 if flat else (1.0, 1.0, 1.0), frames={"tip": (1, 0) if flat else (1, 0, 0)})
    m.revolute("O", "ground", "rod", **({} if flat else {"axis": (0, 1, 0)}))
    m.motion("O", "t")
    m.output("dear", "length*O")
    return m


def written(axes: Any) -> list[str]:
    """Return all text of a figure as it is shown, once everything is laid out and drawn."""
    figure = axes.figure
    figure.canvas.draw()
    found = [text.get_text().replace("\\$", "$").replace("\n", " ") for text in figure.findobj(matplotlib.text.Text)]
    plt.close(figure)
    return found


@pytest.mark.parametrize("dimension", [2, 3])
def test_dollars_begin_no_formula_in_pictures(dimension: int, tmp_path: Path) -> None:
    run = pendulum(DOLLARS, dimension).run(1.0)
    assert any(DOLLARS in text for text in written(run.draw(trace=["rod.tip"])))
    assert DOLLARS in written(run.draw(title=DOLLARS))
    canvas_of(run, run.time[:2], size=(320, 240), title=DOLLARS).frame(1)
    assert (run.animate(tmp_path / "x.gif", fps=5, seconds=0.4, size=(320, 240))).stat().st_size > 1000


def test_dollars_begin_no_formula_in_diagrams() -> None:
    run = pendulum(DOLLARS).run(1.0)
    assert DOLLARS in written(run.plot("O"))
    assert DOLLARS in written(run.plot("O", "O.rate", title=DOLLARS))
    assert any(text.startswith(DOLLARS) for text in written(run.plot("O", labels=[DOLLARS])))  # at the y axis
    shown = written(run.plot("O", "2*O", "O.rate", labels=["a", DOLLARS, f"{DOLLARS} 2"]))  # in a legend, and over an axes
    assert DOLLARS in shown and f"{DOLLARS} 2" in shown
    assert any(DOLLARS in text for text in written(run.size("O").plot()))
    assert DOLLARS in written(run.size("O").plot(title=DOLLARS))


def test_dollars_begin_no_formula_in_comparisons() -> None:
    m = pendulum(DOLLARS)
    m.motions.clear()
    found = m.compare(until=0.1, formulations=["augmented"], integrators=["dop853"], rtol=[1e-3, 1e-5], repeats=1)
    assert DOLLARS in written(found.plot())


def test_a_word_with_dollars_is_as_wide_as_it_is_drawn() -> None:
    run = pendulum("p").run(1.0)
    ink = canvas_of(run, run.time[:1]).ink
    word = Word(ink, "$$$", 10.0)
    assert word.path is not None
    assert word.advance == pytest.approx(ink.pixels * float(word.path.get_extents().width), rel=0.25)
    assert plain("a$b") == r"a\$b"


class Tags(HTMLParser):
    """Collects scripts, what listens, and what is loaded, in a page and in the frames inside."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.scripts: list[str] = []
        self.faults: list[str] = []
        self.inside = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.inside = tag == "script"
        self.scripts += [""] if self.inside else []
        for name, value in attrs:
            if name.startswith("on") or (name == "src" and not str(value).startswith("data:")):
                self.faults.append(f"<{tag} {name}={value}>")
            if name == "srcdoc":
                frame = Tags(value or "")
                self.scripts += frame.scripts
                self.faults += frame.faults

    def handle_endtag(self, tag: str) -> None:
        self.inside = False

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.scripts[-1] += data


def texts(name: str, tmp_path: Path) -> dict[str, str]:
    """Return everything written as HTML about a model whose texts are all as given."""
    model = pendulum(name)
    run = model.run(1.0)
    page = tmp_path / "page.html"
    mb.page(page, [run, run], labels=[name, f"{name} 2"], title=name, force=True)
    report = report_text(run, Told(title=name, command=name, model=name, note=name, plot=("dear",)))
    results = {"model": model, "check": model.check(), "state": run.at(0.5), "run": run, "inverse": model.inverse(until=1.0)}
    found = {"page": page.read_text(encoding="utf-8"), "report": report}
    return found | {key: result._repr_html_() for key, result in results.items()}


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, str], dict[str, str]]:
    folder = tmp_path_factory.mktemp("texts")
    return texts("harmless", folder), texts(FOREIGN, folder)


@pytest.mark.parametrize("where", ["page", "report", "model", "check", "state", "run", "inverse"])
def test_no_text_of_the_user_becomes_html(where: str, both: tuple[dict[str, str], dict[str, str]]) -> None:
    usual, hostile = (Tags(texts[where]) for texts in both)
    assert hostile.faults == []
    assert len(hostile.scripts) == len(usual.scripts)
    assert "x" not in [script.strip() for script in hostile.scripts]
    assert "onerror" in both[1][where] or where == "check"  # it is told, as text


def test_a_caption_is_text() -> None:
    made = figure(lambda: plt.figure(), FOREIGN)
    assert Tags(made).faults == [] and Tags(made).scripts == []
    assert "&lt;img src=x onerror=1&gt;</figcaption>" in made
