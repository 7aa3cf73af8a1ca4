"""The built documentation: formulas are MathML that browsers know, and no page asks another host for anything."""

from __future__ import annotations

import html
import importlib.util
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from types import ModuleType

import pytest

from multibody.library import names, recipes

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


def test_the_gallery_has_every_model(site: Path) -> None:
    text = (site / "gallery.html").read_text(encoding="utf-8")
    for name in [*names(), *recipes()]:
        assert f'href="gallery/{name}.html"' in text and f'src="gallery/{name}.png"' in text
        assert (site / "gallery" / f"{name}.html").exists() and (site / "gallery" / f"{name}.png").exists()
    for name in recipes():
        page = (site / "recipes" / f"{name}.html").read_text(encoding="utf-8")
        assert f'href="../gallery/{name}.html"' in page
        assert f"name: {name}\n" in html.unescape(re.sub(r"<[^>]+>", "", page)), "the model file is on the page"


def test_links_lead_to_files_of_the_site(site: Path) -> None:
    for page in site.rglob("*.html"):
        if page.name == "404.html" or page.parent.name == "gallery":
            continue  # addresses from the root of a server; players
        for target in re.findall(r'<a[^>]*? href="([^"#?]+)', page.read_text(encoding="utf-8")):
            assert ":" in target or (page.parent / target).resolve().is_file(), f"{page.relative_to(site)}: {target}"


def test_the_painter_draws_pages_and_models_and_says_what_fails(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text(
        "```python\nimport multibody as mb\n\nmb.load('pendulum').draw().figure.savefig('a.png')\n```\n", encoding="utf-8"
    )
    (tmp_path / "bad.md").write_text("text\n\n```python\nraise ValueError('no such thing')\n```\n", encoding="utf-8")
    jobs = [{"page": str(tmp_path / name), "folder": str(tmp_path / Path(name).stem)} for name in ("page.md", "bad.md")]
    jobs.append({"model": "walking-leg", "folder": str(tmp_path / "leg")})
    place = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    subprocess.run(
        [sys.executable, str(ROOT / "docs" / "hooks" / "painter.py")], input="".join(json.dumps(job) + "\n" for job in jobs),
        text=True, check=True, timeout=300, env=os.environ | {"PYTHONPATH": place},
    )  # fmt: skip
    assert (tmp_path / "page" / "done").exists() and (tmp_path / "page" / "a.png").stat().st_size > 2000
    assert 'bad.md", line 4' in (tmp_path / "bad" / "failed").read_text(encoding="utf-8")
    assert (tmp_path / "leg" / "picture.png").stat().st_size > 5000
    assert "walking-leg" in (tmp_path / "leg" / "player.html").read_text(encoding="utf-8")


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
