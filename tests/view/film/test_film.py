"""Films: what is written is what was drawn, what was drawn is what a picture shows, and poses between instants are right."""

import pathlib
from typing import Any

import numpy as np
import pytest
from PIL import Image

import multibody as mb
from multibody.errors import ModelError
from multibody.view.between import poses_at
from multibody.view.film.animate import canvas_of
from multibody.view.film.moments import film_times
from multibody.view.film.paper import ON_DARK
from multibody.view.scene import Poses

SMALL = (320, 240)
TURN = 2.0 * np.pi / 150.0


@pytest.fixture(scope="module")
def crank() -> Any:
    return mb.load("slider-crank").kinematics(TURN, 36)


@pytest.fixture(scope="module")
def spatial() -> Any:
    return mb.load("rssr").kinematics(1.0, 36)


def frames_of(file: pathlib.Path) -> list[np.ndarray[Any, Any]]:
    image = Image.open(file)
    found = []
    for k in range(image.n_frames):  # type: ignore[attr-defined]
        image.seek(k)
        found.append(np.asarray(image.convert("RGB")))
    return found


# --- moments ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["crank", "spatial"])
def test_poses_between_instants_are_those_of_the_motion(name: str, request: pytest.FixtureRequest) -> None:
    run = request.getfixturevalue(name)
    for t in np.array([0.31, 0.505, 0.77]) * run.time[-1]:
        q = poses_at(run, np.array([t]))[0]
        ours, exact = Poses(run.tables, q), Poses(run.tables, np.asarray(run.at(float(t)).q))
        assert np.max(np.abs(ours.r - exact.r)) < 2e-5 * run.tables.length
        assert np.max(np.abs(ours.A - exact.A)) < 5e-5


def test_at_the_instants_poses_are_the_runs_own(spatial: Any) -> None:
    assert np.max(np.abs(poses_at(spatial, spatial.time)[:-1] - spatial.motion.q[:-1])) < 1e-12


def test_poses_pass_an_impact_and_run_backwards() -> None:
    run = mb.load("pendulum").run(1.0)
    run.motion.t[:] = -run.motion.t
    run.motion.v[:] = -run.motion.v
    k = len(run.time) // 2
    assert np.max(np.abs(poses_at(run, run.time[k : k + 1])[0] - run.motion.q[k])) < 1e-12


def test_a_closed_motion_has_no_seam_and_an_open_one_reaches_its_end(crank: Any) -> None:
    times = film_times(crank, 25.0, 2.0, None)
    assert len(times) == 50
    assert times[-1] + (times[1] - times[0]) == pytest.approx(TURN)
    part = mb.load("slider-crank").kinematics(0.7 * TURN, 36)
    assert film_times(part, 25.0, 2.0, None)[-1] == part.time[-1]


def test_how_long_a_film_takes(crank: Any) -> None:
    pendulum = mb.load("pendulum").run(3.0)
    assert len(film_times(crank, 10.0, None, None)) == 40, "over in a blink: stretched to 4 s"
    assert len(film_times(pendulum, 10.0, None, None)) == 30, "real time"
    assert len(film_times(pendulum, 10.0, None, 3.0)) == 10
    assert len(film_times(pendulum, 10.0, 6.0, None)) == 60


# --- the same hand ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["slider-crank", "planetary", "cam-roller", "rssr", "stewart-platform"])
def test_a_frame_shows_what_a_picture_shows(name: str) -> None:
    from multibody.view.posing import show_pose

    model = mb.load(name)
    run = model.run(0.1) if name == "stewart-platform" else model.kinematics(0.02, 4)
    canvas = canvas_of(run, run.time[:3], labels=False, title=" ")
    frame = canvas.frame(2)[..., :3].astype(float)
    plain = canvas_of(run, run.time[:3], labels=False, title=" ")
    bare = plain.figure.canvas
    show_pose(plain.axes, plain.story.drawing, Poses(run.tables, plain.story.q[2]), 2)
    if model.dimension == 2:
        plain.axes.set(xlim=canvas.axes.get_xlim(), ylim=canvas.axes.get_ylim())
    bare.draw()
    picture = np.asarray(bare.buffer_rgba())[..., :3].astype(float)
    inked = np.any(picture < 200.0, axis=2)
    fine = model.dimension == 2  # in space pictures sort finer pieces
    assert np.mean(np.abs(frame - picture)) < (0.3 if fine else 0.9)
    assert np.mean(np.abs(frame - picture)[inked]) < (10.0 if fine else 20.0)


def test_frames_differ_and_dark_paper_is_dark(crank: Any) -> None:
    canvas = canvas_of(crank, crank.time[[0, 9]], size=SMALL)
    assert np.any(canvas.frame(0) != canvas.frame(1))
    assert np.array_equal(canvas.frame(0), canvas.frame(0))
    dark = canvas_of(crank, crank.time[[0, 9]], size=SMALL, paper="dark").frame(0)
    assert "#{:02x}{:02x}{:02x}".format(*dark[0, 0, :3]) == ON_DARK["#ffffff"]


def test_a_trace_grows(crank: Any) -> None:
    with_trace, without = (canvas_of(crank, crank.time[:19], size=SMALL, trace=t, labels=False) for t in (["rod"], []))
    blue = [
        np.count_nonzero(np.any(with_trace.frame(k)[60:] != without.frame(k)[60:], axis=2))  # below the legend
        for k in (1, 9, 18)
    ]
    assert blue[0] < blue[1] < blue[2]


def test_other_units_look_the_same() -> None:
    def pendulum(length: float, unit: str) -> Any:
        m = mb.Model("p", dimension=2, units={"length": unit})
        m.body("rod", mass=1.0, inertia=1.0 * length**2, frames={"tip": (length, 0)})
        m.revolute("O", "ground", "rod")
        m.motion("O", "t")
        return m.kinematics(1.0, 4)

    canvases = [canvas_of(pendulum(*how), np.linspace(0, 1, 3)) for how in ((2.0, "m"), (2e6, "um"), (2e-3, "km"))]
    places = []
    for canvas in canvases:
        box, tip = canvas.axes.bbox, canvas.project(canvas.journey.place(1, np.zeros(2)))
        places.append((tip - [box.x0, box.y0]) / [box.width, box.height])
        assert np.count_nonzero(canvas.frame(2) != canvas.frame(0)) > 1000
    assert np.max(np.abs(places[0] - places[1])) < 1e-4
    assert np.max(np.abs(places[0] - places[2])) < 1e-4


# --- files ------------------------------------------------------------------------------------------------------------
def test_a_gif_has_all_frames_times_and_colors(crank: Any, tmp_path: pathlib.Path) -> None:
    file = tmp_path / "a.gif"
    assert crank.animate(file, fps=30, seconds=1.0, size=SMALL) == file
    image = Image.open(file)
    assert (image.size, image.n_frames, image.info["loop"]) == (SMALL, 30, 0)  # type: ignore[attr-defined]
    lengths = []
    for k in range(30):
        image.seek(k)
        lengths.append(image.info["duration"])
    assert sum(lengths) == 1000
    canvas = canvas_of(crank, film_times(crank, 30, 1.0, None), size=SMALL)
    for k, frame in enumerate(frames_of(file)):
        drawn = canvas.frame(k)[..., :3].astype(int)
        paper = np.all(drawn == 255, axis=2)
        assert np.all(frame[paper] == 255)
        assert np.mean(np.abs(frame - drawn)) < 1.0
        assert np.max(np.abs(frame - drawn)) < 60


def test_a_webp_file_is_without_loss(crank: Any, tmp_path: pathlib.Path) -> None:
    crank.animate(tmp_path / "a.webp", fps=20, seconds=0.6, size=SMALL, loop=False)
    found = frames_of(tmp_path / "a.webp")
    canvas = canvas_of(crank, film_times(crank, 20, 0.6, None), size=SMALL)
    assert len(found) == 12
    assert Image.open(tmp_path / "a.webp").info["loop"] == 1
    for k, frame in enumerate(found):
        assert np.array_equal(frame, canvas.frame(k)[..., :3])


def test_numbered_files_are_all_or_none(crank: Any, tmp_path: pathlib.Path) -> None:
    file = tmp_path / "x.png"
    first = crank.animate(file, fps=10, seconds=0.5, size=SMALL)
    names = [f"x-{k:04d}.png" for k in range(1, 6)]
    assert first == tmp_path / names[0]
    assert sorted(item.name for item in tmp_path.iterdir()) == names
    canvas = canvas_of(crank, film_times(crank, 10, 0.5, None), size=SMALL)
    assert np.array_equal(np.asarray(Image.open(tmp_path / names[3])), canvas.frame(3)[..., :3])
    with pytest.raises(ModelError, match=r"5 frames exist already, such as x-0001\.png; name another file, or say force=True"):
        crank.animate(file, fps=10, seconds=0.3)
    crank.animate(file, fps=10, seconds=0.3, size=SMALL, force=True)
    assert sorted(item.name for item in tmp_path.iterdir()) == names[:3], "no frames of the longer film are left"


def test_pictures_that_are_no_frames_stay_where_they_are(crank: Any, tmp_path: pathlib.Path) -> None:
    file, others = tmp_path / "scan.png", ["scan-20240101.png", "scan-0007.png", "scan-003.png", "scan-00002.png", "scan.png"]
    for name in others:
        (tmp_path / name).write_text(name)
    crank.animate(file, fps=10, seconds=0.5, size=SMALL)  # none of them is a frame, nor in the way of one
    crank.animate(file, fps=10, seconds=0.3, size=SMALL, force=True)
    names = [f"scan-{k:04d}.png" for k in range(1, 4)]
    assert sorted(item.name for item in tmp_path.iterdir()) == sorted([*others, *names])
    assert all((tmp_path / name).read_text() == name for name in others)
    with pytest.raises(ModelError, match=r"1 frames exist already, such as scan-0007\.png"):
        for name in names:
            (tmp_path / name).unlink()
        crank.animate(file, fps=10, seconds=0.8, size=SMALL)  # the seventh would replace one


def test_old_frames_go_when_the_new_ones_are_there(
    crank: Any, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "x.png"
    crank.animate(file, fps=10, seconds=0.5, size=SMALL)

    def fails(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", fails)
    with pytest.raises(ModelError, match=r"x\.png: it cannot be written \(No space left on device\)"):
        crank.animate(file, fps=10, seconds=0.3, size=SMALL, force=True)
    assert len(list(tmp_path.iterdir())) == 5


def test_mp4(crank: Any, tmp_path: pathlib.Path) -> None:
    ffmpeg = pytest.importorskip("imageio_ffmpeg")
    crank.animate(tmp_path / "a.mp4", fps=25, seconds=0.4, size=(301, 200))
    reader = ffmpeg.read_frames(str(tmp_path / "a.mp4"))
    told = next(reader)
    assert told["size"] == (302, 200), "even numbers"
    assert told["fps"] == 25
    shown = [np.frombuffer(frame, dtype=np.uint8).reshape(200, 302, 3).astype(int) for frame in reader]
    canvas = canvas_of(crank, film_times(crank, 25, 0.4, None), size=(301, 200))
    assert len(shown) == 10
    assert np.mean(np.abs(shown[4] - canvas.frame(4)[..., :3])) < 4.0


def test_without_ffmpeg(crank: Any, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.util

    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *a: None if name == "imageio_ffmpeg" else found(name, *a))
    with pytest.raises(ModelError, match=r"a\.mp4: \.mp4 needs a further package \(imageio-ffmpeg\); pip install"):
        crank.animate(tmp_path / "a.mp4")


@pytest.mark.parametrize("ending", [".gif", ".webp", ".png", ".mp4"])
def test_an_interrupted_film_leaves_nothing(crank: Any, tmp_path: pathlib.Path, ending: str) -> None:
    if ending == ".mp4":
        pytest.importorskip("imageio_ffmpeg")

    def stop(done: int, total: int) -> None:
        if done == 3:
            raise KeyboardInterrupt

    old = tmp_path / f"old{ending}"
    old.write_bytes(b"old")
    for file in (tmp_path / f"a{ending}", old):
        with pytest.raises(KeyboardInterrupt):
            crank.animate(file, seconds=0.4, size=SMALL, progress=stop, force=True)
    assert [item.name for item in tmp_path.iterdir()] == [old.name]
    assert old.read_bytes() == b"old"


# --- bad input --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("a.avi", {}, r'a\.avi: unknown ending "\.avi"; use'),
        ("no/a.gif", {}, "there is no such directory"),
        ("a.gif", {"fps": 0}, r"animate: fps is 0; give frames a second, at most 50 for \.gif"),
        ("a.gif", {"fps": 60}, "fps is 60"),
        ("a.gif", {"fps": float("nan")}, "fps is nan"),
        ("a.gif", {"fps": "fast"}, "fps is"),
        ("a.gif", {"seconds": -1}, "animate: seconds is -1; give a positive number"),
        ("a.gif", {"speed": 0}, "speed is 0"),
        ("a.gif", {"speed": 1, "seconds": 1}, "seconds and speed together; give one"),
        ("a.gif", {"seconds": 1e9}, "frames are too many"),
        ("a.gif", {"size": (10, 10)}, "size is .* give width and height, whole numbers from 64 to 4096 pixels"),
        ("a.gif", {"size": (10**6, 10**6)}, "size is"),
        ("a.gif", {"size": 300}, "size is 300"),
        ("a.gif", {"trace": ["nobody"]}, "nobody"),
        ("a.gif", {"paper": "pink"}, 'it is "light" or "dark"'),
        ("a.gif", {"fsp": 3}, "fps"),
    ],
)
def test_what_cannot_be_a_film(crank: Any, tmp_path: pathlib.Path, name: str, options: Any, words: str) -> None:
    with pytest.raises(ModelError, match=words) as caught:
        crank.animate(tmp_path / name, **options)
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_exists_is_kept(crank: Any, tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.gif").write_bytes(b"mine")
    with pytest.raises(ModelError, match=r"a\.gif: it exists already; name another file, or say force=True \(--force\)"):
        crank.animate(tmp_path / "a.gif")
    assert (tmp_path / "a.gif").read_bytes() == b"mine"


def test_one_instant_is_no_film_and_numbers_have_to_be_numbers(tmp_path: pathlib.Path) -> None:
    with pytest.raises(ModelError, match=r"slider-crank: a film needs two instants at least; draw it with run\.draw\(\)"):
        mb.load("slider-crank").kinematics(at=0.001).animate(tmp_path / "a.gif")
    run = mb.load("pendulum").run(1.0)
    run.motion.q[7, 0] = np.nan
    with pytest.raises(ModelError, match=r"pendulum: the pose at t = 0\.0175 is not a number"):
        run.animate(tmp_path / "a.gif")
    assert list(tmp_path.iterdir()) == []


def test_a_run_that_did_not_finish_says_so() -> None:
    with pytest.warns(RuntimeWarning, match="locked up"):
        run = mb.load("driven-slider", part=1.2).kinematics()
    assert not run.ok
    canvas = canvas_of(run, run.time[:2], size=SMALL)
    assert canvas.story.remark.startswith("partial: ")
    texts = [" ".join(text.get_text().split()) for text in canvas.figure.texts]  # it is wrapped
    assert canvas.story.remark in texts


@pytest.mark.parametrize(("name", "traces"), [("slider-crank", ["rod", "crank"]), ("rssr", ["coupler", "rocker.com"])])
def test_title_and_key_of_a_film_lie_inside_and_apart(name: str, traces: list[str], tmp_path: pathlib.Path) -> None:
    moved = mb.load(name).kinematics(steps=10)
    moved.animate(tmp_path / "film.gif", trace=traces, seconds=0.2)
    with Image.open(tmp_path / "film.gif") as film:
        film.seek(1)
        rows = np.asarray(film.convert("L")).min(axis=1)
    assert rows[0] > 200, "the title is cut"
    assert np.any(rows[1:40] < 120)
