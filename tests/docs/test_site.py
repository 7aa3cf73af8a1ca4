"""The built documentation: formulas are MathML that browsers know, and no page asks another host for anything."""

from __future__ import annotations

import html
import importlib.util
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from types import ModuleType

import pytest

pytest.importorskip("mkdocs", reason="the documentation is built with mkdocs")
pytest.importorskip("latex2mathml", reason="formulas are translated with latex2mathml")

ROOT = Path(__file__).resolve().parents[2]
SPACE = "{http://www.w3.org/1998/Math/MathML}"
# Elements that load something by themselves; a plain link does not.
LOADS = re.compile(
    r"<(?:script|img|iframe|source|video|audio|embed|object|link)\b[^>]*?(?:src|href|data|srcset)=[\"']?(?:https?:)?//[^>]*>"
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the documentation, built without the pictures that take time."""
    folder = tmp_path_factory.mktemp("site")
    quiet = {"MULTIBODY_DOCS_PICTURES": "none", "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "-d", str(folder)],
        cwd=ROOT, env=os.environ | quiet, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def formulas() -> ModuleType:
    """Return the hook that translates formulas."""
    spec = importlib.util.spec_from_file_location("formulas", ROOT / "docs" / "hooks" / "formulas.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_no_page_loads_anything_from_elsewhere(site: Path) -> None:
    for page in site.rglob("*.html"):
        found = [tag for tag in LOADS.findall(page.read_text(encoding="utf-8")) if "canonical" not in tag]
        assert not found, f"{page.relative_to(site)}: {found[:3]}"
    for sheet in site.rglob("*.css"):
        text = re.sub(r"url\(\"data:.*?\"\)", "", sheet.read_text(encoding="utf-8"))
        assert not re.search(r"(url\(|@import)\s*[\"']?(https?:)?//", text), sheet.name


def test_every_formula_is_mathml(site: Path) -> None:
    count = 0
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert 'class="arithmatex"' not in text, f"{page.relative_to(site)} has a formula that was not translated"
        for formula in re.findall(r"<math.*?</math>", text, re.DOTALL):
            root = ET.fromstring(html.unescape(formula) if "&nbsp;" in formula else formula)
            letters = "".join(root.itertext())
            assert letters.strip() and not re.search(r"\\|\$|&|\{\w{2,}\}", letters), f"{page.relative_to(site)}: {letters}"
            assert {part.get("mathvariant") for part in root.iter()} <= {None, "normal"}
            count += 1
    assert count > 1000
    assert (site / "fonts" / "math.woff").stat().st_size < 400_000


def test_the_font_has_every_sign(site: Path) -> None:
    from fontTools.ttLib import TTFont

    known = TTFont(site / "fonts" / "math.woff").getBestCmap()
    for page in site.rglob("*.html"):
        for formula in re.findall(r"<math.*?</math>", page.read_text(encoding="utf-8"), re.DOTALL):
            signs = "".join("".join(ET.fromstring(formula).itertext()).split())
            missing = {sign for sign in signs if ord(sign) not in known}
            assert not missing, f"{page.relative_to(site)}: {missing}"


@pytest.mark.parametrize(
    ("latex", "letters"),
    [
        (r"\mathbf M \dot{\mathbf v}", "𝐌𝐯˙"),
        (r"\boldsymbol\Phi_{\mathbf q}^T", "𝚽𝐪T"),
        (r"\boldsymbol\lambda", "𝝀"),
        (r"\operatorname{atan2}(a, b)", "atan2(a,b)"),
        (r"\sigma \sim |\theta|", "σ∼|θ|"),
    ],
)
def test_letters_are_the_right_ones(formulas: ModuleType, latex: str, letters: str) -> None:
    root = ET.fromstring(formulas.translated(latex, block=False))
    assert "".join(root.itertext()).replace("\u200b", "") == letters


def test_numbers_of_equations_and_columns(formulas: ModuleType) -> None:
    text = formulas.translated(r"\begin{aligned} a &= b \\ c + d &= e \end{aligned} \tag{7}", block=True)
    assert '<span class="number">(7)</span>' in text and "&amp;" not in text
    root = ET.fromstring(re.search(r"<math.*</math>", text)[0])  # type: ignore[index]
    assert [cell.get("class") for cell in root.iter(f"{SPACE}mtd")] == ["right", "left"] * 2
    minus = ET.fromstring(formulas.translated("x = -y", block=False)).findall(f".//{SPACE}mo")[-1]
    assert minus.get("form") == "prefix"
