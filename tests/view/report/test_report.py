"""Reports: what they say about models and runs of every sort, that they stand alone, and where they are written."""

from __future__ import annotations

import html
import os
import re
from pathlib import Path
from typing import Any

import pytest

import multibody as mb
from cli_runs import run, run_json
from multibody.view.report import words
from multibody.view.report.assemble import Told, report_text


def text_of(result: Any, **told: Any) -> str:
    """Return a report without its player, quick to make."""
    return report_text(result, Told(player=False, **told))


def visible(page: str) -> str:
    """Return what a reader reads of a page: its text without tags and pictures."""
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<style>.*?</style>|<[^>]*>", " ", page, flags=re.DOTALL)))


def locking() -> mb.Model:
    """Return a driven four-bar that locks up."""
    m = mb.Model("lock", dimension=2, gravity=(0, -9.81))
    m.body("a", mass=1, inertia=1, frames={"p": (1, 0)})
    m.body("b", mass=1, inertia=1, frames={"p": (1.2, 0)}, at=(1, 0))
    m.body("c", mass=1, inertia=1, frames={"p": (1.0, 0)}, at=(2, 0))
    m.frames(g=(2.5, 0))
    m.revolute("O", m.ground, "a")
    m.revolute("A", "a.p", "b")
    m.revolute("C", "b.p", "c.p")
    m.revolute("B", "ground.g", "c")
    m.motion("O", "0.3 + t")
    m.initial(guess={"b.angle": 0.3, "c.angle": 2.0})
    return m


@pytest.fixture(scope="module")
def crank() -> Any:
    return mb.load("slider-crank").run(until=0.0419, output_step=0.0419 / 100)


def test_a_report_says_everything_and_stands_alone(crank: Any, tmp_path: Path) -> None:
    file = crank.report(tmp_path / "report.html", title="Pump <drive> & more")
    page = file.read_text(encoding="utf-8")
    assert "http" not in re.sub(r"base64,[^\"]*", "", html.unescape(page)).replace("http-equiv", "")
    assert page.count("<iframe srcdoc=") == 1 and "<title>Pump &lt;drive&gt; &amp; more: report</title>" in page
    shown = visible(re.sub(r'srcdoc="[^"]*"', "", page))
    for words_ in (
        "The mechanism", "The motion", "Loads", "Energies and certificate", "To repeat it", "one degree of freedom",
        "1 motion determines it completely", "No equation is redundant", "length of the crank", "omega*t", "what drives need",
        "Joints are closed to", "hold every body in balance", mb.__version__,
    ):  # fmt: skip
        assert words_ in shown, words_
    assert page.count("<img src=") >= 6 and page.count("alt=") >= 6


def test_its_numbers_are_those_of_the_run(crank: Any) -> None:
    page, loads = text_of(crank, model="name: x\n"), crank.loads()
    for name in ("O", "A", "B", "S"):
        assert f"<td>{name}</td><td>{loads[name]['force'].kind}</td>" in page
        assert f"<td class=n>{loads[name]['force'].peak:.4g}</td>" in page
    assert f"{loads['O']['effort'].rms:.4g}" in page
    assert "<pre>name: x</pre>" in page and crank.model.name in page


def test_the_model_in_it_repeats_the_run(crank: Any, tmp_path: Path) -> None:
    page = crank.report(tmp_path / "report.html", player=False).read_text(encoding="utf-8")
    text = html.unescape(re.search(r"as it was run</h3><pre>(.*?)</pre>", page, re.DOTALL)[1])  # type: ignore[index]
    (tmp_path / "again.yaml").write_text(text, encoding="utf-8")
    again = mb.load(str(tmp_path / "again.yaml")).run(until=0.0419, output_step=0.0419 / 100)
    assert again.loads()["A"]["force"].peak == crank.loads()["A"]["force"].peak


def test_an_unfinished_run_says_so_first() -> None:
    with pytest.warns(RuntimeWarning):
        stuck = locking().run(until=6.0)
    page = text_of(stuck)
    assert page.index('class="banner"') < page.index("<section>")
    assert "The motion is not complete: locked up at" in visible(page) and "lock-up" in visible(page)


def test_a_run_that_could_not_begin_has_a_report_too() -> None:
    model = mb.Model("apart", dimension=2)
    model.body("a", mass=1, inertia=1, frames={"p": (1, 0)})
    model.frames(g=(5, 0))
    model.revolute("O", model.ground, "a")
    model.revolute("B", "a.p", "ground.g")
    with pytest.warns(RuntimeWarning):
        empty = model.run(until=1.0)
    shown = visible(text_of(empty))
    assert len(empty.time) == 0 and "not complete" in shown and "To repeat it" in shown


def test_motions_without_forces_spatial_and_redundant_models_and_inverse_dynamics(tmp_path: Path) -> None:
    bare = visible(text_of(mb.load("slider-crank").kinematics(until=0.04, steps=20)))
    assert "a motion without forces" in bare and "joints: peak" not in bare
    arm = mb.Model("arm")
    arm.body("a")
    arm.revolute("O", arm.ground, "a", axis=(0, 0, 1))
    arm.motion("O", "t")
    assert "<td>a</td><td class=n>–</td><td>–</td>" in text_of(arm.kinematics(1.0, steps=5))
    engine = visible(text_of(mb.load("engine").run(until=0.2, output_step=0.01)))
    assert "equations follow from the others" in engine and "not Fz, Mx, My" in engine and "across and along the axis" in engine
    file = mb.load("slider-crank").inverse(until=0.01, steps=10).report(tmp_path / "crank.html", player=False)
    assert "what drives need" in visible(file.read_text(encoding="utf-8"))


def test_long_tables_are_cut_and_say_so() -> None:
    chain = mb.load("chain", n=60).run(until=0.01, output_step=0.005)
    shown = visible(text_of(chain, model="\n".join(f"line: {k}" for k in range(500))))
    assert "the first 40 of 60" in shown and "the 40 largest of 60" in shown and "the first 400 of 500 lines" in shown


def test_one_instant_no_joints_and_odd_names() -> None:
    ball = mb.Model('ball "<1>" & co', gravity=(0, 0, -9.81))
    ball.body("ball", mass=1.0, inertia=(1, 1, 1))
    page = text_of(ball.run(until=0.1, output_step=0.1))
    assert "<1>" not in page and "6 degrees of freedom" in visible(page)
    assert "The mechanism" in text_of(mb.load("slider-crank").inverse(at=0.01).motion)


def test_chosen_curves(crank: Any) -> None:
    assert text_of(crank, plot=("slider.x", "O.rate*2")).count("<figure>") < text_of(crank).count("<figure>")
    with pytest.raises(mb.ModelError, match=r'"O\.reaction\.force" is a vector'):
        text_of(crank, plot=("O.reaction.force",))
    with pytest.raises(mb.ModelError, match="slyder"):
        text_of(crank, plot=("slyder.x",))


def test_where_it_is_written(crank: Any, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_text("mine")
    with pytest.raises(mb.ModelError, match="it exists already; name another file, or say force=True"):
        crank.report(file)
    assert file.read_text() == "mine"
    assert crank.report(file, force=True, player=False).read_text(encoding="utf-8").startswith("<!doctype html>")
    for target, words_ in (("report.pdf", 'unknown ending ".pdf"; use .html or .htm'), ("no/report.html", "no such directory")):
        with pytest.raises(mb.ModelError, match=re.escape(words_)):
            crank.report(tmp_path / target)
    if os.geteuid() != 0:
        (tmp_path / "shut").mkdir(mode=0o500)
        with pytest.raises(mb.ModelError, match="cannot be written"):
            crank.report(tmp_path / "shut" / "report.html")


def test_settings_are_told_of_runs_made_in_python_and_of_saved_ones(tmp_path: Path) -> None:
    made = mb.load("four-bar").run(0.2, rtol=1e-7, output_step=0.05)
    made.save(tmp_path / "a.nc")
    for found in (made, mb.read_run(tmp_path / "a.nc")):
        shown = visible(text_of(found))
        assert "rtol 1e-07 atol 1e-10 until 0.2 s output step 0.05 s" in shown
        assert "instants 5, from 0 to 0.2 s" in shown
    fixed = visible(text_of(mb.load("four-bar").run(0.1, integrator="rk4", step=0.01)))
    assert "until 0.1 s output step 0.00025 s step 0.01 s" in fixed and "rtol" not in fixed


def test_the_verb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "bare.yaml"
    file.write_text("name: bare arm\ndimension: 2\nbodies: {a: {}}\njoints: {O: {revolute: [ground, a]}}\nmotions: {O: t}\n")
    monkeypatch.chdir(tmp_path)
    code, out, err = run("report", str(file), "--until", "1", "--no-player")
    assert (code, err) == (0, "") and "bare-arm-report.html" in out
    shown = visible((tmp_path / "bare-arm-report.html").read_text(encoding="utf-8"))
    assert "Moved without forces" in shown and "mass" in shown
    code, out, err = run("report", str(file), "--until", "1")
    assert (code, out) == (2, "") and "it exists already" in err and "--force" in err
    found = run_json("report", str(file), "--until", "1", "--no-player", "--force", "-o", "r.html")
    assert found["file"] == "r.html" and found["status"]["success"]
    for arguments, words_ in (
        (("report", str(file), "-o", "x.html"), "give --until T"), (("report", "none.yaml"), "none.yaml"),
        (("report", str(file), "--until", "1", "--plot", "b.x", "-o", "x.html"), '"b'),
        (("report", str(file), "-o", "x.txt"), "ending"),
    ):  # fmt: skip
        code, out, err = run(*arguments)
        assert (code, out) == (2, "") and words_ in err and not (tmp_path / "x.html").exists()
    file.write_text(file.read_text().replace("bare arm", "massive arm"))  # a fault beside the masses is told as it is
    code, out, err = run("report", str(file), "-o", "x.html")
    assert (code, out) == (2, "") and "massive arm: the last time is missing; give --until T" in err


def test_sentences() -> None:
    assert words.count(1, "body") == "1 body" and words.count(3, "body") == "3 bodies"
    assert words.count(0, "joint") == "no joints"
    free = words.mobility(mb.load("double-pendulum").check())
    assert "2 degrees of freedom" in free and "moves under its forces" in free
    redundant = words.redundancy(mb.load("engine").check())
    assert "do not tell how" in redundant
