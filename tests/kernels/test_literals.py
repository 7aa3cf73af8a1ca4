"""Names, never numbers, say what lies where in memory: literals in indices of kernels, formulations and integrators.

An index with a number in it, ``v[p + 1]`` or ``A[3 * r + c]``, the place of a vector that is a number, ``load3(x, 3)``, a bound
``work[8:32]`` and an item of a block's array, ``model.x[3]``, are found by reading the sources. What may have one is listed
here, and the lists can only become shorter: what left the sources has to leave the list. Components of tuples, ``a[0]``, are
no places in memory. In all rooms, Python included, no index counts the numbers of bodies, ``q[7 * b + 3]``.
"""

from __future__ import annotations

import ast
import pathlib
from collections import Counter
from collections.abc import Callable, Sequence

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
    "integrators/dop853.py": {"s - 1": 1},
    "integrators/ida.py": {"k + 1": 2, "k - k % 2": 1},
    "integrators/members.py": {"n - 1": 3},
    "integrators/radau_stages.py": {"(i + 1) % 3": 1, "(i + 2) % 3": 1, "(j + 1) % 3": 2, "(j + 2) % 3": 2, "j + 2 * m": 1},
}  # fmt: skip
# what a block has one of, whatever the model
ONLY = (
    "state.statistics", "state.settings", "state.statistics.lowest_ratio", "state.settings.second",
    "state.settings.other_rows", "scratch.wrench_work",
)  # fmt: skip
# items of arrays by their number: the first of a sequence, components and angles of a record, what Python's own tuples hold
ITEMS = {
    "formulations/partitioned.py": {"model.column_scale[0]": 1},
    "formulations/prepare_newton.py": {"columns.flat[0]": 1, "rows.flat[0]": 1},
    "formulations/prepare_parametric.py": {"pair.ends[0]": 1},
    "formulations/square_forces.py": {"self.driving[0]": 1},
    "integrators/dop853.py": {"c.D[r, 0]": 1},
    "kernels/assembly/closing.py": {"room.diagonal[0]": 1},
    "kernels/assembly/levels.py": {"room.diagonal[0]": 1},
    "kernels/folded.py": {"found.args[0]": 1},
    "kernels/memory/compiled.py": {"called.args[0]": 5},
    "kernels/newton/matrix.py": {"newton.unit[0]": 1},
    "kernels/parametric/partials.py": {"pair.pick[0]": 1, "pair.pick[1]": 1, "pair.pick[2]": 1},
    "kernels/planar.py": {"n.a[0]": 4, "n.a[1]": 4},
    "kernels/robot/closed_forms.py": {"task.place[0]": 3, "task.place[3]": 1},
    "kernels/rows.py": {"term.entry[0]": 1},
    "kernels/square_system.py": {"square.signs[0]": 1},
    "kernels/tracking.py": {"path.violation[0]": 1},
    "kernels/tree/frames.py": {"now.axes[0]": 1, "now.axes[1]": 1, "now.axes[2]": 1},
    "kernels/wrench_elements.py": {"element.angles[0]": 1, "element.angles[1]": 1, "element.angles[2]": 1},
}  # fmt: skip
# bounds of more than one: parts of tuples and texts in Python, the blocks of two bodies side by side, quaternions and angles of
# one joint among coordinates
BOUNDS = {
    "formulations/prepare_parametric.py": {"2": 1, "6": 1},
    "formulations/spaces/joint_coordinates.py": {"-2": 1, "at + 4": 1, "rate + 3": 1},
    "formulations/spaces/parametric_space.py": {"at + 3": 5, "to + 3": 2},
    "integrators/ida.py": {"-2": 1},
    "kernels/cache/machine_code.py": {"16": 2},
    "kernels/cache/warmed.py": {"16": 1},
    "kernels/calls.py": {"2": 1, "3": 1},
    "kernels/compile.py": {"16": 2, "2": 1},
    "kernels/joined.py": {"16": 1},
    "kernels/spatial.py": {"2 * COLUMNS": 4},
}
# numbers of a body in the plane and in space, of a quaternion, of a rotation by rows
STRIDES = {3, 4, 6, 7, 9}
BODIES = {  # columns of a matrix; every sixth point of a picture
    "kernels/vectors.py": {"3 * s": 2, "4 * s": 2}, "view/captions.py": {"::6": 1},
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


def _bound_numbers(bound: ast.expr) -> bool:
    """Return whether a bound counts several numbers: ``8``, ``k + 3``, ``2 * n``; the next and the last one are neighbors."""
    return any(isinstance(n, ast.Constant) and type(n.value) is int and n.value > 1 for n in _arithmetic(bound))


def _arithmetic(index: ast.expr) -> list[ast.expr]:
    """Return what sums and products of an index are made of, not what is inside of its calls and indices."""
    if isinstance(index, ast.BinOp):
        return [*_arithmetic(index.left), *_arithmetic(index.right)]
    return _arithmetic(index.operand) if isinstance(index, ast.UnaryOp) else [index]


def _indices(node: ast.Subscript) -> list[ast.expr]:
    """Return the indices of a subscript one by one."""
    return node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]


def _bounds(text: str) -> Counter[str]:
    """Return the bounds of slices that have numbers in them."""
    found: Counter[str] = Counter()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Subscript):
            slices = [i for i in _indices(node) if isinstance(i, ast.Slice)]
            bounds = [bound for i in slices for bound in (i.lower, i.upper, i.step) if bound is not None]
            found.update(ast.unparse(bound) for bound in bounds if _bound_numbers(bound))
    return found


def _items(text: str) -> Counter[str]:
    """Return the items of attributes that are told by numbers, but for shapes and for arrays that have one item only."""
    found: Counter[str] = Counter()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and node.value.attr != "shape":
            if ast.unparse(node.value) in ONLY and isinstance(node.slice, ast.Constant) and node.slice.value == 0:
                continue
            if any(isinstance(i, ast.Constant) and type(i.value) is int for i in _indices(node)):
                found[ast.unparse(node)] += 1
    return found


def _strides(text: str) -> Counter[str]:
    """Return products with the numbers of a body in indices and slices, and steps of so many."""
    found: Counter[str] = Counter()
    for node in ast.walk(ast.parse(text)):
        called = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "slice"
        for index in _indices(node) if isinstance(node, ast.Subscript) else node.args if called else []:
            if isinstance(index, ast.Slice) and isinstance(index.step, ast.Constant) and index.step.value in STRIDES:
                found[ast.unparse(index)] += 1
            products = (n for n in ast.walk(index) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Mult))
            for n in products:
                if any(isinstance(side, ast.Constant) and side.value in STRIDES for side in (n.left, n.right)):
                    found[ast.unparse(n)] += 1
    return found


def _found(count: Callable[[str], Counter[str]], rooms: Sequence[str]) -> dict[str, dict[str, int]]:
    """Return what is counted in the files of some rooms, but for the declarations."""
    found = {}
    for room in rooms:
        for path in sorted((SOURCES / room).rglob("*.py")):
            counted = count(path.read_text(encoding="utf-8"))
            if counted:
                found[path.relative_to(SOURCES).as_posix()] = dict(counted)
    return found


def test_what_is_counted() -> None:
    """Sums, differences, strides and places of vectors count; components and names do not."""
    text = "a[0], v[p + 1], A[3 * r + c], m[0, 2 - k], load3(x, 3), load3(x, k + 1), store3(x, 0, y), w[POINT + k], t[i]"
    assert sorted(_literals(text)) == ["2 - k", "3", "3 * r + c", "k + 1", "p + 1"]


def test_what_is_counted_of_slices_items_and_bodies() -> None:
    """Several numbers in a bound, numbers of items of blocks, and what lies several bodies on; neighbors and shapes do not."""
    assert sorted(_bounds("w[8:32], w[k : k + 3], w[2 * n :], w[1:], w[:-1], w[n * k : n * (k + 1)], w[a[3] :]")) == [
        "2 * n", "32", "8", "k + 3",
    ]  # fmt: skip
    assert sorted(_items("m.x[3], m.y[0], m.t[k, 1], m.x[k], x[3], m.x.shape[1], state.settings[0], state.settings[1]")) == [
        "m.t[k, 1]", "m.x[3]", "m.y[0]", "state.settings[1]",
    ]  # fmt: skip
    assert sorted(_strides("q[7 * b + 3], q[:, 2 : 3 * n : 3], slice(b * 6, n), q[2 * b], q[width * b], 3 * q[b]")) == [
        "2:3 * n:3", "3 * n", "7 * b", "b * 6",
    ]  # fmt: skip


def test_places_have_names() -> None:
    """Nothing beside the declarations and the listed neighbors has a number in an index, and all that is listed is there."""
    found = _found(_literals, ROOMS)
    assert {name: counted for name, counted in found.items() if name not in DECLARATIONS} == NEIGHBORS


def test_bounds_have_names() -> None:
    """No part of a room for work is cut out by numbers."""
    assert _found(_bounds, ROOMS) == BOUNDS


def test_items_of_blocks_have_names() -> None:
    """No item of a block's array is told by its number, but for those listed."""
    assert _found(_items, ROOMS) == ITEMS


def test_bodies_lie_where_the_layout_says() -> None:
    """No index anywhere counts bodies by threes, sixes or sevens: ``kernels/body_layout.py`` does."""
    assert _found(_strides, ("",)) == BODIES
