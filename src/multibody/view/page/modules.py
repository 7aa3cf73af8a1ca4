"""The page's modules, put into one HTML file that works from disk.

A browser lets no module of a file on disk import another one, so the modules are inlined. The convention, checked here:

- a module imports by ``import { a, b as c } from "./other.js";`` and exports by ``export`` before ``function``, ``async
  function``, ``class`` or ``const``; nothing else of imports and exports is used;
- each module becomes one function that is called once, in an order in which what is imported comes first; what it exports
  it returns. Names that it keeps to itself therefore never meet those of others;
- comments on lines of their own stay behind, for they would be a third of the page; lines stay where they are, and each script
  says its own name, so that a stack trace reads ``plane.js:120`` and leads to the line of the file here.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
IMPORT = re.compile(r'^import\s*\{([^}]*)\}\s*from\s*"\./(\w+)\.js";', re.MULTILINE)
EXPORT = re.compile(r"^export (?=((?:async )?function\*?|class|const) (\w+))", re.MULTILINE)
COMMENT = re.compile(r"^[ \t]*(?:/\*\*.*?\*/|//[^\n]*)[ \t]*$", re.MULTILINE | re.DOTALL)
LEFT_OVER = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)


@cache
def source(name: str) -> str:
    """Return the text of a module, style or page beside this file."""
    return (HERE / name).read_text(encoding="utf-8")


def in_order(first: str, absent: frozenset[str] = frozenset()) -> list[str]:
    """Return a module and all that it imports, what is imported first.

    Parameters
    ----------
    first : str
        Name of the module without ending.
    absent : frozenset of str
        Modules that this page does without: what is imported from them is undefined.
    """
    found: list[str] = []

    def visit(name: str) -> None:
        for match in IMPORT.finditer(source(f"{name}.js")):
            if match[2] not in found and match[2] not in absent:
                visit(match[2])
        found.append(name)

    visit(first)
    return found


def inlined(name: str, absent: frozenset[str] = frozenset()) -> str:
    """Return a module as a script that hands out what it exports.

    Raises
    ------
    ValueError
        If the module breaks the convention.
    """
    text = source(f"{name}.js")
    exports = [match[2] for match in EXPORT.finditer(text)]

    def taken(match: re.Match[str]) -> str:
        names = match[1].replace(" as ", ": ")  # newlines inside stay: lines keep their numbers
        home = "({})" if match[2] in absent else f"modules.{match[2]}"
        return f"const {{{names}}} = {home};"

    body = EXPORT.sub("", IMPORT.sub(taken, COMMENT.sub(lambda match: "\n" * match[0].count("\n"), text)))
    odd = LEFT_OVER.search(body) or re.search(r"</script|<!--", body)
    if odd:
        raise ValueError(f"{name}.js: {odd[0]!r} breaks the convention of multibody.view.page.modules")
    head = f'modules.{name} = (() => {{ "use strict"; '
    return f"{head}{body}\nreturn {{ {', '.join(exports)} }};\n}})();\n//# sourceURL={name}.js"


def scripts(first: str, absent: frozenset[str] = frozenset()) -> str:
    """Return the script elements of a module and all that it imports."""
    parts = ["const modules = {};", *(inlined(name, absent) for name in in_order(first, absent))]
    return "\n".join(f"<script>{part}</script>" for part in parts)
