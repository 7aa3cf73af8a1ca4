"""Tutorials as notebooks: made from their pages, whose snippets the tests execute.

What a page says becomes cells: ``python`` blocks are code, the ``text`` block behind one is its output, a ``yaml`` block with
a title writes its file, and ``$ multibody …`` runs the command. Pictures travel inside. As a hook of mkdocs it writes the
notebooks beside the built pages and links them; ``python docs/hooks/notebooks.py FOLDER`` writes them anywhere.
"""

from __future__ import annotations

import base64
import json
import pathlib
import re
import sys
from typing import Any

DOCS = pathlib.Path(__file__).resolve().parents[1]
TUTORIALS = (
    "first-mechanism", "first-mechanism.ko", "four-bar", "loops-and-reactions", "choosing-methods", "robot-arm", "studies",
)  # fmt: skip
BLOCK = re.compile(
    r"^```(?P<language>\w+)(?: +title=\"(?P<title>[^\"]+)\")?[^\n]*\n(?P<body>.*?)^```$\n?", re.MULTILINE | re.DOTALL
)
PICTURE = re.compile(r"!\[(?P<words>[^\]]*)\]\((?P<file>[^)]+\.png)\)")
LINK = re.compile(r"(?<!!)\[(?P<words>[^\]]+)\]\((?!attachment:)[^)]+\)")


def notebook_of(page: pathlib.Path) -> dict[str, Any]:
    """Return a page as a notebook (nbformat 4.5)."""
    text = page.read_text(encoding="utf-8")
    cells: list[dict[str, Any]] = []
    last = 0
    for block in BLOCK.finditer(text):
        _add_prose(cells, text[last : block.start()], page.parent)
        _add_block(cells, block)
        last = block.end()
    _add_prose(cells, text[last:], page.parent)
    for k, cell in enumerate(cells):
        cell["id"] = f"cell-{k}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def _add_prose(cells: list[dict[str, Any]], text: str, folder: pathlib.Path) -> None:
    """Add a cell of prose, with its pictures inside; links to other pages become their words."""
    text = text.strip()
    if not text:
        return
    attachments: dict[str, Any] = {}

    def attach(found: re.Match[str]) -> str:
        file = folder / found["file"]
        attachments[file.name] = {"image/png": base64.b64encode(file.read_bytes()).decode()}
        return f"![{found['words']}](attachment:{file.name})"

    text = LINK.sub(r"\g<words>", PICTURE.sub(attach, text))
    text = re.sub(r"\\\((.+?)\\\)", r"$\1$", text, flags=re.DOTALL)
    text = re.sub(r"\\\[(.+?)\\\]", r"$$\1$$", text, flags=re.DOTALL)
    cell: dict[str, Any] = {"cell_type": "markdown", "metadata": {}, "source": text}
    if attachments:
        cell["attachments"] = attachments
    cells.append(cell)


def _add_block(cells: list[dict[str, Any]], block: re.Match[str]) -> None:
    """Add a block as a cell, or as the output of the code before it."""
    language, body = block["language"], block["body"].rstrip("\n")
    if language == "python":
        cells.append(_code(body))
    elif language == "yaml" and block["title"]:
        cells.append(_code(f"%%writefile {block['title']}\n{body}"))
    elif language == "console" and any(line.startswith("$ multibody") for line in body.splitlines()):
        lines = body.splitlines()
        cells.append(_code("\n".join(f"!{line[2:]}" for line in lines if line.startswith("$ "))))
        _print(cells[-1], "\n".join(line for line in lines if not line.startswith("$ ")))
    elif language == "text" and cells and cells[-1]["cell_type"] == "code":
        _print(cells[-1], body)
    else:
        cells.append({"cell_type": "markdown", "metadata": {}, "source": f"```{language}\n{body}\n```"})


def _code(source: str) -> dict[str, Any]:
    """Return a cell of code."""
    return {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": source}


def _print(cell: dict[str, Any], text: str) -> None:
    """Put what a cell prints under it."""
    if text:
        cell["outputs"].append({"name": "stdout", "output_type": "stream", "text": f"{text}\n"})


def write_notebooks(folder: pathlib.Path) -> list[pathlib.Path]:
    """Write all tutorials as notebooks into a folder, and return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name in TUTORIALS:
        file = folder / f"{name}.ipynb"
        notebook = notebook_of(DOCS / "tutorial" / f"{name}.md")
        file.write_text(f"{json.dumps(notebook, indent=1, ensure_ascii=False)}\n", encoding="utf-8")
        written.append(file)
    return written


# --- mkdocs -------------------------------------------------------------------------------------------------------------
def on_page_content(html: str, page: Any, config: Any, files: Any) -> str:
    """Link the notebook of a tutorial under its page."""
    from mkdocs.utils import get_relative_url

    name = pathlib.PurePosixPath(page.file.src_uri)
    if name.parent.name != "tutorial" or name.stem not in TUTORIALS:
        return html
    words = "이 쪽을 노트북으로" if name.stem.endswith(".ko") else "This page as a notebook"
    link = get_relative_url(f"notebooks/{name.stem}.ipynb", page.url)
    return f'{html}\n<p><a href="{link}" download>{words}: {name.stem}.ipynb</a></p>'


def on_post_build(config: Any) -> None:
    """Write the notebooks beside the pages."""
    write_notebooks(pathlib.Path(config["site_dir"]) / "notebooks")


if __name__ == "__main__":
    for path in write_notebooks(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "notebooks")):
        print(path)
