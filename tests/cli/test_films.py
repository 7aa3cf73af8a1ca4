"""Films from the command line."""

import pathlib

import pytest
from PIL import Image

from cli_runs import run, run_json

TURN = ("--until", "2*pi/150", "--steps", "20")


@pytest.fixture(autouse=True)
def here(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_film_and_bodies_are_written_beside_data(here: pathlib.Path) -> None:
    outs = [part for name in ("a.gif", "a.webp", "a.glb", "a.csv") for part in ("--out", name)]
    code, out, err = run("kinematics", "slider-crank", *TURN, *outs, "--fps", "10", "--seconds", "0.5", "--trace", "rod")
    assert (code, err) == (0, "")
    assert [line for line in out.splitlines() if line.startswith("written: ")] == [
        f"written: {name}" for name in ("a.gif", "a.webp", "a.glb", "a.csv")
    ]
    assert Image.open("a.gif").n_frames == 5  # type: ignore[attr-defined]
    assert not list(here.glob("*.png")), "a trace is in the film; no picture is made for it"


def test_a_film_of_a_run_is_kept_unless_told(here: pathlib.Path) -> None:
    options = ("run", "pendulum", "--until", "0.2", "--out", "a.gif", "--seconds", "0.2")
    assert run(*options)[0] == 0
    before = (here / "a.gif").read_bytes()
    code, out, err = run(*options, "--seconds", "0.4")
    assert (code, out) == (2, "")
    assert err == "error: a.gif: it exists already; name another file, or say force=True (--force)\n"
    assert (here / "a.gif").read_bytes() == before
    assert run_json(*options, "--force")["status"]["success"] is True


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--out", "a.gif", "--fps", "0"), "animate: fps is 0.0; give frames a second, at most 50 for .gif"),
        (("--out", "a.gif", "--seconds", "nan"), "animate: seconds is nan; give a positive number"),
        (("--out", "a.gif", "--seconds", "1", "--speed", "1"), "animate: seconds and speed together; give one of them"),
        (("--speed", "2"), "--speed: there is no film; add --out x.gif, .webp, .mp4 or .glb"),
        (("--out", "a.gif", "--size", "wide"), '--size: "wide" is no size; write width x height in pixels: 640x480'),
        (("--out", "a.gif", "--size", "4x480"), "animate: size is (4, 480); give width and height, whole numbers from"),
        (("--size", "640x480"), "--size: there is no film; add --out x.gif, .webp, .mp4 or .glb"),
        (("--out", "a.glb", "--size", "640x480"), "--size: size has no meaning for .glb; leave it out"),
        (("--out", "a.mov"), 'a.mov: unknown ending ".mov"; use'),
        (("--out", "no/a.gif"), "no: there is no such directory; make it first"),
    ],
)
def test_what_is_no_film(here: pathlib.Path, options: tuple[str, ...], words: str) -> None:
    code, out, err = run("kinematics", "slider-crank", *TURN, *options)
    assert (code, out) == (2, "")
    assert words in err
    assert err.count("\n") == 1
    assert list(here.iterdir()) == []


@pytest.mark.parametrize("verb", ["kinematics", "run"])
def test_a_film_has_the_size_that_is_asked_for(here: pathlib.Path, verb: str) -> None:
    from PIL import Image

    options = ("--until", "0.02", "--out", "a.gif", "--out", "a.glb", "--size", "320x200", "--fps", "5", "--seconds", "1")
    code, _, err = run(verb, "slider-crank", *options)
    assert code == 0, err
    with Image.open(here / "a.gif") as film:
        assert film.size == (320, 200)
    assert (here / "a.glb").exists()  # which has none


def test_one_instant_is_no_film(here: pathlib.Path) -> None:
    code, out, err = run("kinematics", "slider-crank", "--at", "0.01", "--out", "a.gif")
    assert code == 1
    assert "certificate" in out
    assert err == "error: slider-crank: a film needs two instants at least; draw it with run.draw()\n"
    assert list(here.iterdir()) == []
