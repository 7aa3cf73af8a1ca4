"""Makes pictures of the documentation: a program of its own, started by the hook `pictures` with a list of jobs.

Each job is a line of JSON on the input: ``{"page": FILE, "folder": FOLDER}`` runs the snippets of a page in a folder, where
they write their pictures; ``{"model": NAME, "folder": FOLDER}`` draws a library model or a recipe, and writes its player. A job
that is done leaves a file ``done`` in its folder, or ``failed`` with what went wrong.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import sys
import traceback
import warnings
from pathlib import Path
from typing import Any

os.environ["MPLBACKEND"] = "Agg"
SNIPPET = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
DOTS = 110  # an inch
# What a picture of the gallery shows beside the model itself: the path of a point, and poses as parts of the whole time.
TRACES = {
    "bouncing-ball": "ball.com", "excavator": "bucket.teeth", "peaucellier": "b1.B", "quick-return": "ram.tool",
    "rolling-wheel": "wheel.rim", "six-bar": "coupler.E", "walking-leg": "shank.foot", "double-pendulum": "link2.end",
}  # fmt: skip
POSES = {"excavator": (0.0, 0.25, 0.44, 0.81), "bouncing-ball": (0.0, 0.25, 0.4), "rolling-wheel": (0.0, 0.5, 0.75)}


def run_page(page: Path) -> None:
    """Run the snippets of a page, in order and in one namespace, in the current folder."""
    namespace: dict[str, Any] = {"__name__": "snippet"}
    text = page.read_text(encoding="utf-8")
    with contextlib.redirect_stdout(io.StringIO()):
        for found in SNIPPET.finditer(text):
            line = text[: found.start()].count("\n") + 1
            exec(compile("\n" * line + found[1], str(page), "exec"), namespace)


def draw_model(name: str) -> None:
    """Draw a model on its way into ``picture.png`` and write its player, ``player.html``, in the current folder."""
    import multibody as mb

    model = mb.load(name)
    run = model.kinematics() if "kinematics" in model.defaults else model.run()
    begin, end = float(run.time[0]), float(run.time[-1])
    few = model.dimension == 2 and len(model.bodies) < 12
    parts = POSES.get(name, (0.0, 0.12, 0.24) if few else (0.12,))
    times = [float(min(run.time, key=lambda t: abs(t - begin - part * (end - begin)))) for part in parts]
    trace = [TRACES[name]] if name in TRACES else []
    ax = run.draw(at=times, trace=trace, labels=False, title="", figsize=(4.8, 3.6))
    ax.set_axis_off()
    gravity = ax.figure.findobj(lambda found: found.get_gid() == "gravity")
    for artist in [*ax.figure.legends, *filter(None, [ax.get_legend()]), *gravity]:
        artist.remove()
    ax.figure.savefig("picture.png", dpi=DOTS)
    _trim(Path("picture.png"))
    run.page("player.html", trace=trace, force=True)


def _trim(picture: Path) -> None:
    """Cut away the white around a picture, but for a small margin."""
    from PIL import Image, ImageChops

    image = Image.open(picture).convert("RGB")
    left, top, right, bottom = ImageChops.difference(image, Image.new("RGB", image.size, "white")).getbbox() or (0, 0, 1, 1)
    margin, (width, height) = 12, image.size
    box = (max(0, left - margin), max(0, top - margin), min(width, right + margin), min(height, bottom + margin))
    image.crop(box).save(picture, optimize=True)


def do(job: dict[str, str]) -> None:
    """Do one job."""
    import matplotlib.pyplot as plt

    folder = Path(job["folder"])
    folder.mkdir(parents=True, exist_ok=True)
    os.chdir(folder)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # runs that stop early on purpose
            if "page" in job:
                run_page(Path(job["page"]))
            else:
                draw_model(job["model"])
        (folder / "done").touch()
    except Exception:
        (folder / "failed").write_text(traceback.format_exc(), encoding="utf-8")
    plt.close("all")


if __name__ == "__main__":
    for row in sys.stdin:
        do(json.loads(row))
