r"""Formulas of the documentation as MathML, made when it is built: a page shows them without a network and without a script.

``pymdownx.arithmatex`` leaves formulas as ``\( \)`` and ``\[ \]`` in elements of the class ``arithmatex``. Here latex2mathml
translates them, and what browsers do not know is put into forms that they do: bold letters are characters of their own, accents
say that they are such, columns are aligned by style. The font with the signs that stretch, STIX Two Math, comes with
the package ziamath; the letters that the pages use are copied from it into the site.
"""

from __future__ import annotations

import functools
import html
import re
import unicodedata
import xml.etree.ElementTree as ET
from importlib import resources
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert

FORMULA = re.compile(r'<(span|div) class="arithmatex">\s*\\([(\[])(.*?)\\[)\]]\s*</\1>([.,;:!?)]*)', re.DOTALL)
TAG = re.compile(r"\\tag\{([^}]*)\}")
SPACE = "http://www.w3.org/1998/Math/MathML"
FONT = "fonts/math.woff"
_SIGNS: set[str] = set()

ET.register_namespace("", SPACE)


def on_page_content(content: str, **_: Any) -> str:
    """Translate the formulas of a page (called by mkdocs)."""
    return FORMULA.sub(_replaced, content)


def _replaced(found: re.Match[str]) -> str:
    """Return a formula with the punctuation behind it, which stays on its line."""
    text = translated(html.unescape(found[3]), block=found[2] == "[")
    return f'<span class="unbroken">{text}{found[4]}</span>' if found[4] and found[2] == "(" else text + found[4]


def on_post_build(config: Any) -> None:
    """Write the font with the signs that the pages use into the site (called by mkdocs)."""
    from fontTools import subset

    options = subset.Options(flavor="woff", layout_features=["ssty", "math"], notdef_outline=True)
    with resources.as_file(resources.files("ziamath") / "fonts" / "STIXTwoMath-Regular.ttf") as file:
        font = subset.load_font(str(file), options)
    chosen = subset.Subsetter(options)
    chosen.populate(text="".join(_SIGNS | _slanted(_SIGNS) | set(" ()[]{}|‖√⏟")))
    chosen.subset(font)
    target = Path(config["site_dir"], FONT)
    target.parent.mkdir(parents=True, exist_ok=True)
    subset.save_font(font, str(target), options)


def _slanted(letters: set[str]) -> set[str]:
    """Return the slanted characters that a browser shows in place of single letters."""
    every = (chr(code) for code in range(0x1D434, 0x1D7CC))
    slanted = (sign for sign in every if unicodedata.name(sign, "").startswith("MATHEMATICAL ITALIC"))
    return {sign for sign in slanted if unicodedata.normalize("NFKC", sign) in letters} | {"ℎ"}


@functools.cache
def translated(formula: str, block: bool) -> str:
    r"""Return a formula of LaTeX as MathML.

    Parameters
    ----------
    formula : str
        Without its ``\( \)`` or ``\[ \]``.
    block : bool
        Whether it stands on lines of its own; a ``\tag`` is set at its right end then.
    """
    tag = TAG.search(formula)
    root = ET.fromstring(_without_loose_signs(convert(_plainer(TAG.sub("", formula)), display="block" if block else "inline")))
    for repair in (_write_out_variants, _mark_accents, _align_columns, _form_operators, _space_functions):
        repair(root)
    _SIGNS.update("".join(root.itertext()))
    text = ET.tostring(root, encoding="unicode")
    if not block:
        return text
    return f'<div class="formula">{text}<span class="number">{f"({tag[1]})" if tag else ""}</span></div>'


def _plainer(formula: str) -> str:
    """Return a formula in commands that the translation knows."""
    formula = re.sub(r"\\(begin|end)\{aligned\}", r"\\\1{align*}", formula)
    return re.sub(r"\\operatorname\{(\w+)\}", r"\\mathrm{\1}", formula).strip()


def _without_loose_signs(text: str) -> str:
    """Return XML in which an ampersand that begins no entity is written as one."""
    return re.sub(r"&(?!#?\w+;)", "&amp;", text)


def _write_out_variants(root: ET.Element) -> None:
    """Put bold letters as characters, words of upright letters as one name, capital Greek upright as in LaTeX."""
    for element in root.iter():
        variant = element.attrib.pop("mathvariant", "")
        letters = element.text or ""
        if "bold" in variant:
            element.text = "".join(_bold(letter, "italic" in variant) for letter in letters)
        elif variant == "normal" or (_name(element) == "mi" and len(letters) == 1 and "Α" <= letters <= "Ω"):
            element.set("mathvariant", "normal")
    for parent in root.iter():
        parts = list(parent)
        upright = [part.get("mathvariant") == "normal" and (part.text or "").isalnum() for part in parts]
        if len(parts) > 1 and _name(parent) == "mrow" and all(upright):
            for part in parts[1:]:
                parent.remove(part)
            parts[0].text = "".join(part.text or "" for part in parts)
            parts[0].tag, parts[0].attrib = f"{{{SPACE}}}mi", {}


def _bold(letter: str, italic: bool) -> str:
    """Return the bold form of a letter; small Greek ones are slanted where they would be in LaTeX."""
    named = unicodedata.name(letter, "").replace("LAMDA", "LAMBDA")
    found = re.fullmatch(r"(?:LATIN|GREEK) (SMALL|CAPITAL) LETTER (.*)|DIGIT (.*)", named)
    if found is None:
        return letter
    slanted = italic and "GREEK" in named and found[1] == "SMALL"
    style = "MATHEMATICAL BOLD ITALIC" if slanted else "MATHEMATICAL BOLD"
    word = f"DIGIT {found[3]}" if found[3] else f"{found[1]} {found[2]}"
    for lambda_ in ("LAMDA", "LAMBDA"):
        try:
            return unicodedata.lookup(f"{style} {word.replace('LAMBDA', lambda_)}")
        except KeyError:
            continue
    return letter


def _mark_accents(root: ET.Element) -> None:
    """Say of dots, hats, tildes and bars above a letter that they are accents; over more than one letter they are wide."""
    signs = {"~": "˜", "^": "ˆ", "\u203e": "¯"}
    for over in root.iter(f"{{{SPACE}}}mover"):
        base, sign = list(over)
        text = signs.get((sign.text or "").strip(), (sign.text or "").strip())
        if _name(sign) == "mo" and text in tuple("˙¨˜ˆ¯"):
            wide = sum(len(part.text or "") for part in base.iter() if len(part) == 0) > 1
            sign.text = text
            sign.set("stretchy", "false")
            if wide:  # by style: fonts have the signs that stretch at other places than browsers look
                sign.set("class", "wide")
            else:
                over.set("accent", "true")


def _align_columns(root: ET.Element) -> None:
    """Align the columns of tables by style, which is what browsers obey."""
    for cell in root.iter(f"{{{SPACE}}}mtd"):
        side = cell.attrib.pop("columnalign", "")
        if side:
            cell.set("class", side)
    for table in root.iter(f"{{{SPACE}}}mtable"):
        if table.attrib.pop("columnspacing", ""):
            table.set("class", "aligned")
        table.attrib.pop("rowspacing", "")


def _form_operators(root: ET.Element) -> None:
    """Say which signs stand before or around what they belong to, so that they keep close to it."""
    for parent in root.iter():
        inside = False
        for k, part in enumerate(parent):
            text = (part.text or "").strip()
            if _name(part) == "mi" and set(text) == {"′"}:
                part.tag = f"{{{SPACE}}}mo"
                part.attrib.update(lspace="0", rspace="0")
            if text == "~" and _name(parent) != "mover":
                part.tag, part.text = f"{{{SPACE}}}mo", "∼"
            if _name(part) != "mo":
                continue
            if text in ("|", "‖"):
                inside = not inside
                part.attrib.update(form="prefix" if inside else "postfix", lspace="0", rspace="0")
            elif text in ("−", "-", "+", "±") and (k == 0 or _expects_more(parent[k - 1])):
                part.attrib.update(form="prefix", lspace="0", rspace="0")
            elif len(text) > 1 and text.isalpha():
                part.tag, part.attrib = f"{{{SPACE}}}mi", {}


def _expects_more(element: ET.Element) -> bool:
    """Return whether a sign behind an element begins something new."""
    if _name(element) == "mspace":
        return True
    return _name(element) == "mo" and (element.text or "").strip() not in (")", "]", "}", "|", "‖", "′", "!")


def _space_functions(root: ET.Element) -> None:
    """Set thin spaces around the name of a function where no sign and no bracket parts it from its neighbors."""
    for parent in list(root.iter()):
        if _name(parent) not in ("mrow", "mtd", "math"):
            continue
        for k, part in reversed(list(enumerate(parent))):
            if not _is_function(part):
                continue
            for place, neighbor in ((k + 1, k + 1), (k, k - 1)):
                other = parent[neighbor] if 0 <= neighbor < len(parent) else None
                if other is None or _name(other) in ("mspace", "mtext", "mtable") or _opens(other):
                    continue
                if _name(other) != "mo" or other.get("form") == ("prefix" if neighbor > k else "postfix"):
                    parent.insert(place, ET.Element(f"{{{SPACE}}}mspace", {"width": "0.167em"}))


def _is_function(element: ET.Element) -> bool:
    """Return whether an element is the name of a function, with or without index and power."""
    base = element
    while len(base):
        base = base[0]
    letters = (base.text or "").strip()
    if _name(element) in ("mrow", "mfrac", "msqrt", "mtable", "mtr", "mtd"):
        return len(element) == 1 and _is_function(element[0])
    return _name(base) in ("mi", "mo") and len(letters) > 1 and letters.isalnum()


def _opens(element: ET.Element) -> bool:
    """Return whether an element begins with an opening bracket."""
    while len(element):
        element = element[0]
    return (element.text or "").strip() in ("(", "[", "{")


def _name(element: ET.Element) -> str:
    """Return the name of an element without its namespace."""
    return element.tag.rpartition("}")[2]
