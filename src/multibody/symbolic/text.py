"""Equations as text, LaTeX, HTML and plain data, and the comment at the top of code."""

from __future__ import annotations

import html as escape
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import sympy

from multibody._version import __version__

if TYPE_CHECKING:
    from multibody.symbolic.equations import Equations

WIDE = 12  # columns of a matrix that fits on paper; of a wider one the entries that are not zero are listed


# --- code --------------------------------------------------------------------------------------------------------------------
def header(equations: Equations) -> list[str]:
    """Return the lines of the comment at the top of code: what the arrays hold, in their order, with units."""
    lines = [f"Equations of {equations.name}, written by multibody {__version__}.", ""]
    arrays: list[tuple[str, str, Sequence[Any]]] = [
        ("q", "coordinates", equations.q), ("v", "velocities", equations.v), ("p", "parameters", list(equations.parameters)),
    ]  # fmt: skip
    if equations.minimal is not None:
        arrays += [("y", "minimal coordinates", equations.minimal.y), ("u", "independent speeds", equations.minimal.u)]
    for array, word, symbols in arrays:
        lines.append(f"{array}: {word}" + ("" if symbols else ", none"))
        for k, symbol in enumerate(symbols):
            named = equations.names.known[symbol]
            unit = f" [{named.unit}]" if named.unit else ""
            value = f" = {equations.parameters[symbol]!r}" if array == "p" else ""
            lines.append(f"  {array}[{k}] {named.code}{value}{unit}{'  ' + named.doc if named.doc else ''}")
    return [*lines, *(f"note: {note}" for note in equations.notes)]


# --- text --------------------------------------------------------------------------------------------------------------------
def _entries(matrix: Any) -> Iterator[tuple[int, int, Any]]:
    """Return row, column and value of the entries that are not zero."""
    rows, columns = matrix.shape
    for r in range(rows):
        for c in range(columns):
            if matrix[r, c] != 0:
                yield r, c, matrix[r, c]


def printed(equations: Equations) -> str:
    """Return the equations as lines of text."""
    lines = [f"{equations.name}: {len(equations.q)} coordinates, {len(equations.rows)} equations"]
    lines += [f"q = ({', '.join(map(str, equations.q))})", f"v = ({', '.join(map(str, equations.v))})"]
    if equations.parameters:
        lines.append("parameters: " + ", ".join(f"{symbol} = {value:g}" for symbol, value in equations.parameters.items()))
    lines += [f"  {symbol} = {formula}" for symbol, formula in equations.derived.items()]
    for title, column in (("Φ", equations.Phi), ("γ", equations.gamma)):
        lines += ["", f"{title}:", *(f"  {name}: {x}" for name, x in zip(equations.rows, column, strict=True))]
    lines += ["", "Φ_q:", *_by_rows(equations.Phi_q, equations.rows, [str(v) for v in equations.v])]
    if equations.M is not None:
        names = [str(v) for v in equations.v]
        lines += ["", "M:", *_by_rows(equations.M, names, names)]
        lines += ["", "Q:", *(f"  {name}: {x}" for name, x in zip(names, equations.Q, strict=True) if x != 0)]
    if equations.minimal is not None:
        lines += _printed_minimal(equations)
    return "\n".join([*lines, *([""] if equations.notes else []), *(f"note: {note}" for note in equations.notes)])


def _by_rows(matrix: Any, rows: Sequence[str], columns: Sequence[str]) -> list[str]:
    """Return the entries of a matrix that are not zero, a line a row."""
    found: dict[int, list[str]] = {}
    for r, c, value in _entries(matrix):
        found.setdefault(r, []).append(f"{columns[c]}: {value}")
    return [f"  {rows[r]}: {{{', '.join(items)}}}" for r, items in found.items()]


def _printed_minimal(equations: Equations) -> list[str]:
    """Return the minimal equations as lines of text."""
    own = equations.minimal
    assert own is not None
    speeds = [str(u) for u in own.u]
    lines = ["", "minimal equations of motion, M du/dt + h = tau:"]
    lines += [f"y = ({', '.join(map(str, own.y))})", f"u = ({', '.join(speeds)})"]
    if own.dependent:
        lines += ["closure:", *(f"  {name}: {x} = 0" for name, x in zip(own.closure_rows, own.closure, strict=True))]
    if own.definitions:
        lines += ["with:", *(f"  {symbol} = {x}" for symbol, x in own.definitions)]
    lines += ["M:", *_by_rows(own.M, speeds, speeds)]
    for title, column in (("h:", own.h), ("tau:", own.tau)):
        lines += [title, *(f"  {name}: {x}" for name, x in zip(speeds, column, strict=True))]
    return lines


# --- LaTeX -------------------------------------------------------------------------------------------------------------------
def _printer(equations: Equations) -> Any:
    """Return a function that prints expressions in LaTeX with the user's names."""
    names = equations.names.latex()
    return lambda x: sympy.latex(x, symbol_names=names, mat_delim="", mat_str="bmatrix")


def _blocks(equations: Equations) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Return what is printed: a heading and lines (left, right) of each block."""
    tex = _printer(equations)

    def vector(symbols: Sequence[Any]) -> str:
        return r"\left(" + r",\ ".join(map(tex, symbols)) + r"\right)"

    def matrix(left: str, value: Any, index: str) -> list[tuple[str, str]]:
        if value.shape[1] <= WIDE:
            return [(left, tex(value))]
        return [(f"{index}_{{{r + 1},{c + 1}}}", tex(x)) for r, c, x in _entries(value)]

    given = [(tex(symbol), tex(formula)) for symbol, formula in equations.derived.items()]
    yield "Coordinates and velocities", [(r"\mathbf q", vector(equations.q)), (r"\mathbf v", vector(equations.v)), *given]
    if equations.rows:
        rows = [(rf"\Phi_{{{k + 1}}}", tex(x)) for k, x in enumerate(equations.Phi)]
        yield "Constraints", rows
        yield "Jacobian", matrix(r"\boldsymbol\Phi_q", equations.Phi_q, r"\Phi_q")
        if any(x != 0 for x in equations.nu):
            yield "Velocity", [(rf"\nu_{{{k + 1}}}", tex(x)) for k, x in enumerate(equations.nu) if x != 0]
        yield "Acceleration", [(rf"\gamma_{{{k + 1}}}", tex(x)) for k, x in enumerate(equations.gamma)]
    if equations.M is not None:
        yield "Masses", matrix(r"\mathbf M", equations.M, "M")
        yield "Forces", [(rf"Q_{{{k + 1}}}", tex(x)) for k, x in enumerate(equations.Q)]
    if equations.minimal is not None:
        yield from _minimal_blocks(equations, tex, vector)


def _minimal_blocks(equations: Equations, tex: Any, vector: Any) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Return the blocks of the minimal equations."""
    own = equations.minimal
    assert own is not None
    yield "Minimal coordinates and independent speeds", [(r"\mathbf y", vector(own.y)), (r"\mathbf u", vector(own.u))]
    if own.dependent:
        yield "Closure", [("0", tex(x)) for x in own.closure]
    if own.definitions:
        title = "Velocity ratios K, dependent speeds, and their accelerations b at constant independent speeds"
        yield title if own.dependent else "Abbreviations", [(tex(symbol), tex(x)) for symbol, x in own.definitions]
    title = r"Equations of motion, $\mathbf M \dot{\mathbf u} + \mathbf h = \boldsymbol\tau$"
    if len(own.M) == 1:
        yield title, [("M", tex(own.M[0])), ("h", tex(own.h[0])), (r"\tau", tex(own.tau[0]))]
        return
    rows = [(rf"M_{{{r + 1},{c + 1}}}", tex(x)) for r, c, x in _entries(own.M) if r <= c]
    for letter, column in (("h", own.h), (r"\tau", own.tau)):
        rows += [(rf"{letter}_{{{k + 1}}}", tex(x)) for k, x in enumerate(column)]
    yield title, rows


def _align(lines: list[tuple[str, str]]) -> str:
    """Return lines of equations below each other."""
    body = " \\\\\n".join(f"{left} &= {right}" for left, right in lines)
    return f"\\begin{{aligned}}\n{body}\n\\end{{aligned}}"


def aligned(equations: Equations) -> str:
    """Return all equations as one formula."""
    return _align([line for _, lines in _blocks(equations) for line in lines])


def latex(equations: Equations) -> str:
    """Return the equations as paragraphs with formulas."""
    parts = [f"% Equations of {' '.join(equations.name.split())}, written by multibody {__version__}; needs amsmath"]
    for title, lines in _blocks(equations):
        parts.append(f"\\paragraph{{{title}}}\n\\[\n{_align(lines)}\n\\]")
    parts += [f"% note: {note}" for note in equations.notes]
    return "\n\n".join(parts) + "\n"


def html(equations: Equations) -> str:
    """Return the equations for a notebook: MathML where latex2mathml is installed, else text."""
    try:
        from latex2mathml.converter import convert
    except ImportError:
        return f"<pre>{escape.escape(printed(equations))}</pre>"
    parts = [f"<p>{escape.escape(equations.name)}</p>"]
    for title, lines in _blocks(equations):
        parts.append(f"<p>{escape.escape(title)}</p>{convert(_align(lines), display='block')}")
    parts += [f"<p>{escape.escape(note)}</p>" for note in equations.notes]
    return "\n".join(parts)


# --- plain data --------------------------------------------------------------------------------------------------------------
def plain(equations: Equations) -> dict[str, Any]:
    """Return the equations as JSON has them: expressions as text, matrices as lists of rows."""

    def rows(matrix: Any) -> list[list[str]]:
        return [[str(x) for x in matrix[r, :]] for r in range(matrix.shape[0])]

    def column(matrix: Any) -> list[str]:
        return [str(x) for x in matrix]

    found: dict[str, Any] = {
        "name": equations.name, "q": column(equations.q), "v": column(equations.v),
        "parameters": {str(symbol): value for symbol, value in equations.parameters.items()},
        "derived": {str(symbol): str(x) for symbol, x in equations.derived.items()}, "rows": equations.rows,
        "Phi": column(equations.Phi), "Phi_q": rows(equations.Phi_q), "nu": column(equations.nu),
        "gamma": column(equations.gamma), "M": None, "Q": None, "minimal": None,
        "notes": equations.notes, "difference": equations.difference,
    }  # fmt: skip
    if equations.M is not None:
        found |= {"M": rows(equations.M), "Q": column(equations.Q)}
    own = equations.minimal
    if own is not None:
        found["minimal"] = {
            "y": column(own.y), "u": column(own.u), "dependent": column(own.dependent),
            "closure": column(own.closure), "definitions": {str(s): str(x) for s, x in own.definitions},
            "M": rows(own.M), "h": column(own.h), "tau": column(own.tau),
        }  # fmt: skip
    return found
