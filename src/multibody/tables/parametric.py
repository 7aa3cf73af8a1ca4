"""A model's tables in parametric coordinates: extra coordinates α for the freedoms of pairs, six rows (planar three) a pair.

Numbers, programs and the numbering of functions stay those of the Cartesian tables. The coordinate functions of pairs become
extra coordinates; springs, motors, motions, gears, couplers and watched expressions on them so act on α directly.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from multibody.kernels import layout as L
from multibody.tables.build import RowInfo
from multibody.tables.lower import Tables, workspace_of

Integers = NDArray[np.int64]
_LETTERS = "fgh"
_AXES = "xyz"
REGULAR, COSINE = "regular", "cosine"
_REGULAR_ROWS = (5, 6, 1)  # g*·h_j, h*·f_j, f*·g_j as 3 a + b
_COSINE_ROWS = {0: _REGULAR_ROWS, 1: (2, 5, 0), 2: (6, 0, 8), 3: (0, 6, 8)}


@dataclass(frozen=True)
class Pair:
    """A pair in parametric coordinates.

    Attributes
    ----------
    joint : str
    first, second : int
        Bodies, 0 the ground.
    slides : tuple of int
        Axes of the first frame along which it slides, in the order of its parameters.
    rotation : int
        Number of its angles, whose parameters come last.
    pitched : bool
        Whether it is a screw, which slides along h by the pitch times its angle.
    functions : tuple of int
        Function of each parameter, −1 where it has no name (a ball's angles).
    extra : int
        Its first parameter among the extra coordinates.
    rows : range
    slot : int
        Where its pitch (negative, of a screw) or the offset of its angle (planar) lies in F, −1 where it has none.
    """

    joint: str
    first: int
    second: int
    slides: tuple[int, ...]
    rotation: int
    pitched: bool
    functions: tuple[int, ...]
    extra: int
    rows: range
    slot: int

    @property
    def parameters(self) -> int:
        """Number of parameters."""
        return len(self.functions)


@dataclass
class ParametricTables(Tables):
    """Tables with pairs.

    Attributes
    ----------
    pairs : tuple of Pair
    plain : Tables or None
        The Cartesian tables that they were made of.
    """

    pairs: tuple[Pair, ...] = ()
    plain: Tables | None = None


def picks(rotation: int, form: str) -> tuple[int, int, int]:
    """Return which entries 3 a + b of the relative orientation the rotation rows of a pair are."""
    return _COSINE_ROWS[rotation] if form == COSINE else _REGULAR_ROWS


def parametric(tables: Tables) -> ParametricTables:
    """Return the tables of a model in parametric coordinates, made once for each set of tables."""
    if "parametric" not in tables.cache:
        tables.cache["parametric"] = _made(tables)
    found: ParametricTables = tables.cache["parametric"]
    return found


def _made(tables: Tables) -> ParametricTables:
    """Return new tables with the sections of functions, rows, terms and columns appended."""
    pairs, extras = _pairs(tables)
    I, d, nb = tables.I.copy(), tables.dimension, len(tables.bodies) - 1
    count, nx = len(tables.function_is_length), len(extras)
    functions = I[I[L.FUNCTIONS] : I[L.FUNCTIONS] + L.FUNCTION_STRIDE * count].copy().reshape(count, L.FUNCTION_STRIDE)
    for pair in pairs:
        for k, f in enumerate(pair.functions):
            if f >= 0:
                functions[f] = L.EXTRA, 0, 0, functions[f, 3], pair.extra + k
    rows, terms, columns, infos, joint_rows = _Rows(tables, functions, pairs).lowered()
    at = len(I)
    for slot, section in ((L.FUNCTIONS, functions.ravel()), (L.ROWS, rows), (L.TERMS, terms), (L.COLUMNS, columns)):
        I[slot], at = at, at + len(section)
    I[L.EXTRAS], I[L.COORDINATES], I[L.VELOCITIES] = nx, L.BODY_COORDINATES[d] * nb + nx, L.BODY_VELOCITIES[d] * nb + nx
    most = int(tables.I[L.W_STACK] - tables.I[L.W_INPUT]) - 2
    kept = int(tables.I[L.W_MASS] - tables.I[L.W_STACK]) - L.STACK_DEPTH
    workspace = workspace_of(I, d, nb, nx, most, kept)
    pointer = np.concatenate([[0], np.cumsum(np.asarray(rows, dtype=np.int64).reshape(-1, L.ROW_STRIDE)[:, 3])])
    made = ParametricTables(**{key: value for key, value in vars(tables).items() if key != "cache"})
    sections = [np.array(section, dtype=np.int64) for section in (rows, terms, columns)]
    made.I = np.ascontiguousarray(np.concatenate([I, functions.ravel(), *sections]))
    made.workspace, made.rows, made.row_pointer, made.columns = workspace, infos, pointer, np.array(columns, dtype=np.int64)
    made.count_joint, made.joint_rows, made.extras = len(infos) - tables.count_motion, joint_rows, extras
    made.pairs, made.plain, made.cache = pairs, copy.copy(tables), {}
    return made


def _pairs(tables: Tables) -> tuple[tuple[Pair, ...], list[str]]:
    """Return the pairs that have rows, and the owners of all extra coordinates: contacts of cams first, then parameters.

    Welds that made bodies one are gone, and what joins a composite to itself is no pair: it has nothing to move.
    """
    d, extras, found = tables.dimension, list(tables.extras), []
    for name, joint in tables.model.joints.items():
        structure = joint.kind.structure(d)
        if not joint.kind.pair or not structure.rows or name not in tables.joint_rows:
            continue
        pitched = joint.kind.relation == "screw"
        ends, own = tables.ends[name], tables.joint_rows[name]
        if ends[0].body == ends[1].body:
            continue
        functions = tuple(tables.coordinates["joint", name, item, 0] for item, _ in structure.coordinates)
        functions += (-1,) * (3 if structure.rotation == 3 else 0)
        slides = () if pitched else tuple(_LETTERS.index(letter) for letter in structure.translations)
        slot = _slot(tables, functions, own, pitched, structure.rotation)
        found.append(
            Pair(name, ends[0].body, ends[1].body, slides, structure.rotation, pitched, functions, len(extras), own, slot)
        )
        extras += [name] * len(functions)
    return tuple(found), extras


def _slot(tables: Tables, functions: tuple[int, ...], rows: range, pitched: bool, rotation: int) -> int:
    """Return where a screw's pitch (negative) or the offset of a planar angle lies in F."""
    I = tables.I
    last = int(I[L.ROWS]) + L.ROW_STRIDE * (rows.stop - 1)
    term = int(I[L.TERMS]) + L.TERM_STRIDE * int(I[last])
    if pitched:  # its last row is position − pitch · angle
        return int(I[term + L.TERM_STRIDE + 1])
    if tables.dimension == 3:
        return -1
    f = functions[-1] if rotation == 1 else int(I[term])  # the angle itself, or the row that keeps the frames aligned
    return int(I[I[L.FUNCTIONS] + L.FUNCTION_STRIDE * f + 3]) + 8


class _Rows:
    """Rows of joints and motions: three or six for a pair, the others over the new functions."""

    def __init__(self, tables: Tables, functions: Integers, pairs: tuple[Pair, ...]) -> None:
        self.tables, self.functions, self.pairs = tables, functions, {pair.joint: pair for pair in pairs}
        self.rows: list[int] = []
        self.terms: list[int] = []
        self.columns: list[int] = []
        self.infos: list[RowInfo] = []

    def lowered(self) -> tuple[list[int], list[int], list[int], list[RowInfo], dict[str, range]]:
        """Return row records, terms, columns, descriptions and the rows of each joint."""
        tables, joint_rows = self.tables, {}
        for name, own in tables.joint_rows.items():
            start = len(self.infos)
            if name in self.pairs:
                self._pair(self.pairs[name])
            else:
                for r in own:
                    self._other(r)
            joint_rows[name] = range(start, len(self.infos))
        for r in range(tables.count_joint, tables.count_joint + tables.count_motion):
            self._other(r)
        return self.rows, self.terms, self.columns, self.infos, joint_rows

    def _block(self, body: int) -> list[int]:
        width = self.tables.width
        return [width * (body - 1) + c for c in range(width)]

    def _pair(self, pair: Pair) -> None:
        """Add the rows of a pair: no terms, blocks of both bodies, then its parameters."""
        tables, d = self.tables, self.tables.dimension
        nb = len(tables.bodies) - 1
        own = [c for body in (pair.first, pair.second) if body > 0 for c in self._block(body)]
        own += [tables.width * nb + pair.extra + k for k in range(pair.parameters)]
        words = [(f"translation along {_AXES[k]} of the first body", True) for k in range(d)]
        words += [("rotation", False)] if d == 2 else [(f"rotation about {letter}", False) for letter in _LETTERS]
        for meaning, is_length in words:
            self.rows += [len(self.terms) // L.TERM_STRIDE, 0, len(self.columns), len(own), -1, int(is_length)]
            self.columns += own
            self.infos.append(RowInfo(pair.joint, "joint", meaning, is_length))

    def _other(self, r: int) -> None:
        """Add a row of the Cartesian tables, its functions as they are now."""
        tables, I = self.tables, self.tables.I
        row = int(I[L.ROWS]) + L.ROW_STRIDE * r
        nb, first = len(tables.bodies) - 1, len(self.terms) // L.TERM_STRIDE
        blocks: dict[tuple[str, int], int] = {}
        own: list[int] = []
        for k in range(int(I[row + 1])):
            f, weight = (int(x) for x in I[I[L.TERMS] + L.TERM_STRIDE * (I[row] + k) :][:2])
            kind, i, j, _, extra = (int(x) for x in self.functions[f])
            entries = []
            for key in [("extra", extra)] if kind == L.EXTRA else [("body", i), ("body", j)]:
                if key == ("body", 0):
                    entries.append(-1)
                    continue
                if key not in blocks:
                    blocks[key] = len(own)
                    own += self._block(key[1]) if key[0] == "body" else [tables.width * nb + key[1]]
                entries.append(blocks[key])
            self.terms += [f, weight, entries[0], entries[1] if len(entries) > 1 else -1]
        self.rows += [first, int(I[row + 1]), len(self.columns), len(own), int(I[row + 4]), int(I[row + 5])]
        self.columns += own
        self.infos.append(tables.rows[r])
