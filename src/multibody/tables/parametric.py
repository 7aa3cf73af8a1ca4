"""A model's tables in parametric coordinates: extra coordinates α for the freedoms of pairs, six rows (planar three) a pair.

Numbers, programs and the numbering of functions stay those of the Cartesian tables. The coordinate functions of pairs become
extra coordinates; springs, motors, motions, gears, couplers and watched expressions on them so act on α directly.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass

from multibody.kernels import codes as L
from multibody.kernels import declared as D
from multibody.tables.build import RowInfo
from multibody.tables.lower import Tables
from multibody.tables.pairs import Pair
from multibody.tables.rows import Records, Rows, record

_LETTERS = "fgh"
_AXES = "xyz"
REGULAR, COSINE = "regular", "cosine"
_REGULAR_ROWS = (5, 6, 1)  # g*·h_j, h*·f_j, f*·g_j as 3 a + b
_COSINE_ROWS = {0: _REGULAR_ROWS, 1: (2, 5, 0), 2: (6, 0, 8), 3: (0, 6, 8)}


@dataclass(frozen=True)
class ParametricPair(Pair):
    """A pair whose freedoms are extra coordinates, its parameters: slides first, angles last, those of a ball too.

    Attributes
    ----------
    extra : int
        Its first parameter among the extra coordinates.
    """

    extra: int

    @property
    def parameters(self) -> int:
        """Number of parameters."""
        return len(self.functions)


@dataclass
class ParametricTables(Tables):
    """Tables with pairs.

    Attributes
    ----------
    parametrized : tuple of ParametricPair
        All pairs that have rows, in the order of the model.
    plain : Tables or None
        The Cartesian tables that they were made of.
    """

    parametrized: tuple[ParametricPair, ...] = ()
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
    """Return new tables with other functions, rows, terms and columns."""
    pairs, extras = _pairs(tables)
    nb, nx = len(tables.bodies) - 1, len(extras)
    functions: Records = tables.packed.functions.copy()
    lowered = list(tables.functions)
    for pair in pairs:
        for k, f in enumerate(pair.functions):
            if f >= 0:
                own = lowered[f] = lowered[f]._replace(kind=L.EXTRA, first=0, second=0, extra=pair.extra + k)
                functions[f] = record(
                    D.Function, kind=own.kind, first=own.first, second=own.second, numbers=int(functions["numbers"][f]),
                    extra=own.extra,
                )  # fmt: skip
    made_rows, infos, joint_rows = _rows(tables, functions, {pair.joint: pair for pair in pairs})
    rows, terms, columns = made_rows.packed()
    made = ParametricTables(**{key: value for key, value in vars(tables).items() if key not in ("cache", "structure")})
    made.packed = tables.packed.sharing(
        extras=nx, coordinates=tables.layout.coordinates * nb + nx, velocities=tables.width * nb + nx,
        functions=functions, rows=rows, terms=terms, columns=columns,
    )  # fmt: skip
    made.functions, made.rows, made.row_pointer, made.columns = lowered, infos, made_rows.pointer, columns
    made.count_joint, made.joint_rows, made.extras = len(infos) - tables.count_motion, joint_rows, extras
    made.parametrized, made.plain = pairs, copy.copy(tables)
    return made


def _pairs(tables: Tables) -> tuple[tuple[ParametricPair, ...], list[str]]:
    """Return the pairs that have rows, and the owners of all extra coordinates: contacts of cams first, then parameters.

    Welds that made bodies one are gone, and what joins a composite to itself is no pair: it has nothing to move.
    """
    extras, found = list(tables.extras), list[ParametricPair]()
    for name, pair in tables.pairs.items():
        if len(tables.joint_rows[name]) and pair.first != pair.second:
            found.append(ParametricPair(**vars(pair), extra=len(extras)))
            extras += [name] * len(pair.functions)
    return tuple(found), extras


def _rows(tables: Tables, functions: Records, pairs: dict[str, ParametricPair]) -> tuple[Rows, list[RowInfo], dict[str, range]]:
    """Return the rows of joints and motions, their descriptions and the rows of each joint: three or six for a pair."""
    made, infos, joint_rows = Rows(tables.width, len(tables.bodies) - 1), list[RowInfo](), dict[str, range]()
    for name, own in tables.joint_rows.items():
        start = len(infos)
        if name in pairs:
            infos += _add_pair(tables, made, pairs[name])
        else:
            made.add_of(tables.packed, functions, own)
            infos += [tables.rows[r] for r in own]
        joint_rows[name] = range(start, len(infos))
    motions = range(tables.count_joint, tables.count_joint + tables.count_motion)
    made.add_of(tables.packed, functions, motions)
    return made, infos + [tables.rows[r] for r in motions], joint_rows


def _add_pair(tables: Tables, made: Rows, pair: ParametricPair) -> list[RowInfo]:
    """Add the rows of a pair: no terms, blocks of both bodies, then its parameters."""
    d, layout = tables.dimension, tables.layout
    own = [layout.first_rate(body) + k for body in (pair.first, pair.second) if body > 0 for k in range(layout.velocities)]
    first = layout.extra_rates(made.bodies).start + pair.extra
    own += range(first, first + pair.parameters)
    words = [(f"translation along {_AXES[k]} of the first body", True) for k in range(d)]
    words += [("rotation", False)] if d == 2 else [(f"rotation about {letter}", False) for letter in _LETTERS]
    for _, is_length in words:
        made.add_block(own, is_length)
    return [RowInfo(pair.joint, "joint", meaning, is_length) for meaning, is_length in words]
