"""Pictures of the recipes, and the gallery: drawn when the documentation is built, and again only when something has changed.

The snippets of a page below ``recipes/`` and ``how-to/`` write the pictures that the page shows; the gallery has a picture
and a player of every library model and recipe. All of it is made by `painter` in two processes, into ``.cache/docs`` below
the project, under the hash of the sources; nothing of it is kept in the repository. ``MULTIBODY_DOCS_PICTURES=none`` puts
empty pictures in their places.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import html
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "src"))
from multibody.library import describe, names, recipes  # noqa: E402

CACHE = ROOT / ".cache" / "docs"
SHOWN = re.compile(r"!\[[^\]]*\]\(([\w-]+\.(?:png|gif))\)")
DRAWN = ("recipes/", "how-to/")  # pages whose snippets write the pictures that they show
EMPTY = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=")
PROCESSES = 2


def on_files(files: Files, config: Any) -> Files:
    """Make what is missing and add it to the site (called by mkdocs)."""
    jobs, made = [], {}
    for file in files.documentation_pages():
        page = Path(file.abs_src_path or "")
        shown = SHOWN.findall(page.read_text(encoding="utf-8")) if file.src_uri.startswith(DRAWN) else []
        if shown:
            jobs.append({"page": str(page), "folder": str(CACHE / f"{page.stem}-{_key(page.read_text(encoding='utf-8'))}")})
            made |= {f"{Path(file.src_uri).parent}/{name}": Path(jobs[-1]["folder"], name) for name in shown}
    for name in [*names(), *recipes()]:
        jobs.append({"model": name, "folder": str(CACHE / f"model-{name}-{_key(name)}")})
        for ending, file_name in (("png", "picture.png"), ("html", "player.html")):
            made[f"gallery/{name}.{ending}"] = Path(jobs[-1]["folder"], file_name)
    if os.environ.get("MULTIBODY_DOCS_PICTURES") == "none":
        for uri in made:
            files.append(File.generated(config, uri, content=EMPTY if uri.endswith(("png", "gif")) else ""))
        return files
    _sweep({Path(job["folder"]) for job in jobs})
    _paint(jobs)
    for uri, path in made.items():
        files.append(File.generated(config, uri, abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Put the cards into the gallery, and a link to the player below the first picture of a recipe (called by mkdocs)."""
    uri = page.file.src_uri
    if uri == "gallery.md":
        for section, found in (("recipes", recipes()), ("library", names())):
            cards = "\n".join(_card(name, section == "recipes") for name in found)
            markdown = markdown.replace(f"<!-- gallery: {section} -->", f'<div class="gallery" markdown>\n{cards}\n</div>')
    elif uri.startswith("recipes/") and Path(uri).stem in recipes():
        link = f"\n\n[Play it](../gallery/{Path(uri).stem}.html){{ .md-button }}"
        markdown = SHOWN.sub(lambda found: found[0] + link, markdown, count=1)
    return markdown


def _card(name: str, with_page: bool) -> str:
    """Return picture, name and description of a model, linked to its player."""
    title = f"[**{name}**](recipes/{name}.md)" if with_page else f"**{name}**"
    return (
        f"<div markdown>\n\n[![{name}](gallery/{name}.png)](gallery/{name}.html)\n\n"
        f"{title}<br>{html.escape(describe(name), quote=False)}\n\n</div>"
    )


def _key(text: str) -> str:
    """Return a hash of a text and of all that its pictures depend on."""
    return hashlib.sha256(text.encode() + _sources()).hexdigest()[:16]


@functools.cache
def _sources() -> bytes:
    """Return a hash of the package's source and of what draws."""
    made = hashlib.sha256()
    source = ROOT / "src" / "multibody"
    every = [path for path in source.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    for path in [*sorted(every), Path(__file__).with_name("painter.py")]:
        made.update(path.name.encode() + path.read_bytes())
    return made.digest()


def _sweep(kept: set[Path]) -> None:
    """Remove from the cache what belongs to other sources or has failed."""
    for folder in CACHE.glob("*"):
        if folder not in kept or not (folder / "done").exists():
            shutil.rmtree(folder)


def _paint(jobs: list[dict[str, str]]) -> None:
    """Do the jobs that are not done, in two processes; raise what went wrong in the first that fails."""
    open_jobs = [job for job in jobs if not Path(job["folder"], "done").exists()]
    painter = [sys.executable, str(Path(__file__).with_name("painter.py"))]
    place = os.pathsep.join(filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]))
    started = []
    for k in range(min(PROCESSES, len(open_jobs))):
        process = subprocess.Popen(painter, stdin=subprocess.PIPE, text=True, env=os.environ | {"PYTHONPATH": place})
        assert process.stdin is not None
        process.stdin.write("".join(json.dumps(job) + "\n" for job in open_jobs[k::PROCESSES]))
        process.stdin.close()
        started.append(process)
    for process in started:
        process.wait()
    for job in open_jobs:
        folder = Path(job["folder"])
        if not (folder / "done").exists():
            failed = folder / "failed"
            why = failed.read_text(encoding="utf-8") if failed.exists() else "the process that draws has ended"
            raise RuntimeError(f"{job.get('page', job.get('model'))}: its pictures cannot be made\n{why}")
