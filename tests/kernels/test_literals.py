"""Names, never numbers, say what lies where in memory: literals in indices of kernels, formulations and integrators.

An index with a number in it, ``v[p + 1]`` or ``A[3 * r + c]``, or the place of a vector that is a number, ``load3(x, 3)``, is
found by reading the sources. What may have one is listed here, and the list can only become shorter: what left the sources
has to leave the list. Components of tuples, ``a[0]``, are no places in memory.
"""

from __future__ import annotations

import ast
import pathlib
from collections import Counter

SOURCES = pathlib.Path(__file__).parents[2] / "src" / "multibody"
ROOMS = ("kernels", "formulations", "integrators")
# here is said where things lie: offsets of fields, numbers of a vector
DECLARATIONS = {"kernels/memory/declaration.py", "kernels/vectors.py"}
# arithmetic, not memory: neighbors in a sequence (orders, differences, coefficients, links), the last one, cofactors
NEIGHBORS = {
    "kernels/assembly/closing.py": {"known - 1": 1},
    "kernels/robot/quartic.py": {"k + 1": 2},
    "kernels/robot/reach.py": {"j - 1": 3},
    "kernels/tree/frames.py": {"i + 1": 1},
    "formulations/closing.py": {"abs(k) - 1": 1},
    "formulations/relative.py": {"k - 1": 1},
    "integrators/adams.py": {
        "_BETA + j - 1": 1, "_G + q - 1": 1, "_TABLE + q + 1": 1, "_TABLE + q - 1": 1, "PHI + top + 1": 1, "STAR + k - 1": 1,
        "at.PAST + j - 1": 4, "q + 1": 1,
    },
    "integrators/bdf.py": {
        "PHI + 1": 1, "PHI + k + 1": 1, "SIGMAS + k + 1": 1, "SIGMAS + k - 1": 1, "SIGMAS + k - 2": 1, "STAR + k + 1": 1,
        "TABLE + q - 1": 1, "at.PAST + j - 1": 1,
    },
    "integrators/dop853.py": {"K1 + s - 1": 1, "s - 1": 1},
    "integrators/ida.py": {"k + 1": 2, "k - k % 2": 1},
    "integrators/members.py": {"n - 1": 3},
    "integrators/radau_stages.py": {"(i + 1) % 3": 1, "(i + 2) % 3": 1, "(j + 1) % 3": 2, "(j + 2) % 3": 2, "j + 2 * m": 1},
}  # fmt: skip


def _has_number(index: ast.expr) -> bool:
    """Return whether a number stands in the arithmetic of an index."""
    if isinstance(index, ast.BinOp):
        return _has_number(index.left) or _has_number(index.right)
    if isinstance(index, ast.UnaryOp):
        return _has_number(index.operand)
    return isinstance(index, ast.Constant) and type(index.value) is int


def _literals(text: str) -> Counter[str]:
    """Return the indices of a source that have numbers in them."""
    found: Counter[str] = Counter()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Subscript):
            indices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            found.update(ast.unparse(i) for i in indices if isinstance(i, ast.BinOp) and _has_number(i))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id.startswith(("load", "store")):
            places = [a for a in node.args if isinstance(a, ast.BinOp) or (isinstance(a, ast.Constant) and a.value != 0)]
            found.update(ast.unparse(place) for place in places if _has_number(place))
    return found


def test_what_is_counted() -> None:
    """Sums, differences, strides and places of vectors count; components and names do not."""
    text = "a[0], v[p + 1], A[3 * r + c], m[0, 2 - k], load3(x, 3), load3(x, k + 1), store3(x, 0, y), w[POINT + k], t[i]"
    assert sorted(_literals(text)) == ["2 - k", "3", "3 * r + c", "k + 1", "p + 1"]


def test_places_have_names() -> None:
    """Nothing beside the declarations and the listed neighbors has a number in an index, and all that is listed is there."""
    found = {}
    for room in ROOMS:
        for path in sorted((SOURCES / room).rglob("*.py")):
            name = path.relative_to(SOURCES).as_posix()
            literals = _literals(path.read_text(encoding="utf-8"))
            if literals and name not in DECLARATIONS:
                found[name] = dict(literals)
    assert found == NEIGHBORS
