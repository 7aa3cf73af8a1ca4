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
    parts = (0.0, 0.12, 0.24) if model.dimension == 2 and len(model.bodies) < 12 else (0.12,)
    times = [float(min(run.time, key=lambda t: abs(t - begin - part * (end - begin)))) for part in parts]
    ax = run.draw(at=times, labels=False, title="", figsize=(4.8, 3.6))
    ax.figure.savefig("picture.png", dpi=DOTS)
    if hasattr(run, "page"):
        run.page("player.html")


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
