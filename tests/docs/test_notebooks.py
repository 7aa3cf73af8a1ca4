"""Tutorials as notebooks: well formed, with the code of their pages, and executed for real where Jupyter is installed."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


def maker() -> ModuleType:
    """Return the module that makes the notebooks."""
    spec = importlib.util.spec_from_file_location("notebooks", ROOT / "docs" / "hooks" / "notebooks.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


MAKER = maker()


def source(cells: list[dict[str, Any]], kind: str) -> str:
    """Return the text of all cells of a kind."""
    return "\n".join(cell["source"] for cell in cells if cell["cell_type"] == kind)


@pytest.mark.parametrize("name", MAKER.TUTORIALS)
def test_a_notebook_holds_the_code_the_files_and_the_pictures_of_its_page(name: str) -> None:
    page = ROOT / "docs" / "tutorial" / f"{name}.md"
    text = page.read_text(encoding="utf-8")
    cells = MAKER.notebook_of(page)["cells"]
    for code in re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        assert code.rstrip("\n") in source(cells, "code")
    for title in re.findall(r"^```yaml title=\"(.*)\"$", text, re.MULTILINE):
        assert f"%%writefile {title}" in source(cells, "code")
    assert sum(len(cell.get("attachments", {})) for cell in cells) == len(re.findall(r"!\[.*\.png\)", text))
    assert "](../" not in source(cells, "markdown")
    assert "\\(" not in source(cells, "markdown")


def test_notebooks_are_valid(tmp_path: Path) -> None:
    nbformat = pytest.importorskip("nbformat", reason="pip install multibody[notebook] checks the form of notebooks")
    for file in MAKER.write_notebooks(tmp_path):
        nbformat.validate(json.loads(file.read_text(encoding="utf-8")))


@pytest.mark.parametrize("name", ["first-mechanism", "loops-and-reactions"])
def test_a_notebook_runs_from_top_to_bottom(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every cell runs in a real kernel; runs show their player."""
    nbclient = pytest.importorskip("nbclient", reason="pip install multibody[notebook] runs the tutorials as notebooks")
    pytest.importorskip("ipykernel", reason="pip install multibody[notebook] runs the tutorials as notebooks")
    import nbformat

    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:/usr/bin:/bin")
    monkeypatch.setenv("MPLBACKEND", "agg")
    notebook = nbformat.from_dict(MAKER.notebook_of(ROOT / "docs" / "tutorial" / f"{name}.md"))
    notebook.cells.append(nbformat.v4.new_code_cell("run"))
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": tmp_path}}).execute()
    shown = notebook.cells[-1]["outputs"][0]["data"]["text/html"]
    assert "<iframe" in shown
