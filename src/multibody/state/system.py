"""A model's tables with a workspace: what every analysis evaluates Φ, Φ_q, ν, γ and coordinates through."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from multibody.errors import ModelError
from multibody.kernels import codes as L
from multibody.kernels.arrays import Arrays
from multibody.kernels.declared import State as StateBlock
from multibody.kernels.functions import function_gradient, set_references
from multibody.kernels.measure import measure_functions
from multibody.kernels.rows import row_gamma, row_jacobian, row_partials, row_values, row_velocity
from multibody.kernels.state import displace, set_positions, set_velocities
from multibody.model.changes import copied, same, settle, untouched
from multibody.model.model import Model
from multibody.tables.lower import Tables, lower

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


def tables_of(model: Model) -> Tables:
    """Return the model's tables, lowered again only where the model was changed.

    They belong to a copy of the model as it is now, so that no result changes with the model later.
    """
    tables = unchanged_tables(model)
    if tables is not None:
        return tables
    tables = model._lowered
    try:
        settle(model)
        if tables is None or not same(model, tables.model):
            now = copied(model)
            tables = model._lowered = now._lowered = lower(now)
    except ModelError as error:
        raise model._locate(error) from None
    return tables


def unchanged_tables(model: Model) -> Tables | None:
    """Return the model's tables where nothing of it was touched since they were lowered, else None."""
    tables: Tables | None = model._lowered
    return tables if tables is not None and untouched(model, tables.model) else None


class System(Arrays):
    """Tables, workspace and angle references of one model.

    Parameters
    ----------
    tables : Tables

    Attributes
    ----------
    rows : int
        Number of joint and motion rows; held rows follow them.
    scale_rows, scale_columns : arrays
        Factors that make Φ_q free of units: rows of length kind over L, translation columns times L.
    """

    _heavy: Any = None  # the model that has been weighed

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        super().__init__(tables.packed, StateBlock(ref=max(len(tables.functions), 1)))
        self.nq, self.nv = tables.nq, tables.nv
        self.joint_rows = tables.count_joint
        self.rows = tables.count_joint + tables.count_motion
        self.all_rows = len(tables.rows)
        if "scales" not in tables.cache:
            tables.cache["scales"] = _scales(tables)
        self.scale_rows, self.scale_columns = tables.cache["scales"]

    def weigh(self) -> bool:
        """Take a model with the masses of the bodies, made once for the tables; return whether all can be inverted."""
        packed, known = self.tables.packed, self.tables.cache
        if self.model is packed:
            if "weighed" not in known or known["weighed"][0] is not packed:
                self._weighed = False
                known["weighed"] = packed, super().weigh(), self.model
            _, found, self.model = known["weighed"]
            self._heavy, self._weighed = self.model, True
            return bool(found)
        if self.model is not self._heavy:  # one that was given
            self._weighed = False
        found = super().weigh()
        self._heavy = self.model
        return found

    def phi(self, q: Floats, t: float, lo: int = 0, hi: int | None = None) -> Floats:
        """Return Φ(q, t) of the rows lo..hi−1 (default: joints and motions)."""
        hi = self.rows if hi is None else hi
        out = np.zeros(hi - lo)
        set_positions(self.at.model, self.at.scratch, q)
        row_values(*self.run, t, lo, hi, out)
        return out

    def entries(self, q: Floats, t: float, lo: int = 0, hi: int | None = None) -> Floats:
        """Return the entries of Φ_q on its static pattern."""
        hi = self.rows if hi is None else hi
        pointer = self.tables.row_pointer
        out = np.zeros(int(pointer[hi] - pointer[lo]))
        set_positions(self.at.model, self.at.scratch, q)
        row_jacobian(*self.run, t, lo, hi, out)
        return out

    def jacobian(self, q: Floats, t: float, lo: int = 0, hi: int | None = None) -> Floats:
        """Return Φ_q as a dense matrix (rows × velocity coordinates)."""
        hi = self.rows if hi is None else hi
        pointer, columns = self.tables.row_pointer, self.tables.columns
        entries = self.entries(q, t, lo, hi)
        matrix = np.zeros((hi - lo, self.nv))
        which = np.repeat(np.arange(hi - lo), np.diff(pointer[lo : hi + 1]))
        np.add.at(matrix, (which, columns[pointer[lo] : pointer[hi]]), entries)
        return matrix

    def velocity_side(self, q: Floats, t: float, lo: int = 0, hi: int | None = None) -> Floats:
        """Return ν of Φ_q v = ν."""
        hi = self.rows if hi is None else hi
        out = np.zeros(hi - lo)
        set_positions(self.at.model, self.at.scratch, q)
        row_velocity(*self.run, t, lo, hi, out)
        return out

    def gamma(self, q: Floats, v: Floats, t: float, lo: int = 0, hi: int | None = None) -> Floats:
        """Return γ of Φ_q v̇ = γ."""
        hi = self.rows if hi is None else hi
        out = np.zeros(hi - lo)
        set_positions(self.at.model, self.at.scratch, q)
        set_velocities(self.at.model, self.at.scratch, v)
        row_gamma(*self.run, t, lo, hi, out)
        return out

    def hessian(self, q: Floats, t: float, multipliers: Floats, lo: int = 0, hi: int | None = None) -> Floats:
        """Return (Φ_qᵀ λ)_q, the derivative of the vector Φ_qᵀ λ along (δr, δπ′)."""
        return self.row_partials(q, np.zeros(self.nv), t, multipliers, lo, hi)[0]

    def row_partials(
        self, q: Floats, v: Floats, t: float, multipliers: Floats, lo: int = 0, hi: int | None = None
    ) -> tuple[Floats, Floats]:
        """Return (Φ_qᵀ λ)_q and (Φ_q v − ν)_q, derivatives along (δr, δπ′)."""
        hi = self.rows if hi is None else hi
        K, V, pointer = np.zeros((self.nv, self.nv)), np.zeros((hi - lo, self.nv)), self.tables.row_pointer
        entries = np.zeros(pointer[hi] - pointer[lo])
        set_positions(self.at.model, self.at.scratch, q)
        set_velocities(self.at.model, self.at.scratch, v)
        weights = np.ascontiguousarray(multipliers, dtype=float)
        row_partials(*self.run, t, lo, hi, weights, K.reshape(-1), entries)
        for r in range(lo, hi):
            columns = self.tables.columns[pointer[r] : pointer[r + 1]]
            V[r - lo, columns] = entries[pointer[r] - pointer[lo] : pointer[r + 1] - pointer[lo]]
        return K, V

    def displaced(self, q: Floats, d: Floats, k: float = 1.0) -> Floats:
        """Return q ⊕ k d."""
        out = np.empty_like(q)
        displace(self.at.model, q, np.ascontiguousarray(d), k, out)
        return out

    def functions(self, q: Floats, v: Floats, lo: int, hi: int) -> tuple[Floats, Floats, Floats]:
        """Return values, rates and γ terms of the coordinate functions lo..hi−1."""
        out = np.zeros((3, 1, hi - lo))
        which, kept = np.arange(lo, hi, dtype=np.int64), self.ref.copy()
        rest = np.zeros((1, self.nv))  # with v̇ = 0 the acceleration is −γ
        none = np.zeros((1, 0))
        measure_functions(*self.run, q[None, :], v[None, :], rest, none, which, *out)
        self.ref[:] = kept
        return out[0, 0], out[1, 0], -out[2, 0]

    def value(self, q: Floats, function: int) -> float:
        """Return the value of one coordinate function."""
        return float(self.functions(q, np.zeros(self.nv), function, function + 1)[0][0])

    def gradient(self, q: Floats, function: int) -> Floats:
        """Return the gradient of one coordinate function over all velocity coordinates."""
        row = np.zeros(self.nv)
        width = self.tables.width
        set_positions(self.at.model, self.at.scratch, q)
        extra = self.tables.extra_of(function)
        if extra >= 0:
            row[self.tables.layout.extra_rates(len(self.tables.bodies) - 1)][extra] = 1.0
            return row
        g = np.zeros(2 * width)
        function_gradient(self.at.model, self.at.scratch, function, g)
        for side, body in enumerate(self.tables.functions[function].bodies):
            if body:
                row[self.tables.layout.motion(body)] += g[side * width : (side + 1) * width]
        return row

    def take_references(self, q: Floats) -> None:
        """Move the angle references to the values at q (an accepted state)."""
        set_positions(self.at.model, self.at.scratch, q)
        set_references(*self.run, len(self.tables.functions))

    def scaled(self, matrix: Floats, lo: int = 0) -> Floats:
        """Return a Jacobian free of units: rows from `lo` on."""
        scaled: Floats = self.scale_rows[lo : lo + len(matrix), None] * matrix * self.scale_columns
        return scaled


def _scales(tables: Tables) -> tuple[Floats, Floats]:
    """Return the scales of all rows and of the velocity columns; nobody may write to them."""
    length, layout = tables.length, tables.layout
    rows, columns = np.array([1.0 / length if row.is_length else 1.0 for row in tables.rows]), np.ones(tables.nv)
    layout.split_rates(columns, len(tables.bodies) - 1)[:, layout.shift] = length
    rows.flags.writeable = columns.flags.writeable = False
    return rows, columns


def row_vertices(system: System) -> list[tuple[int, ...]]:
    """Return what each row connects: bodies (0: ground) and, after them, extra coordinates."""
    tables, bodies = system.tables, len(system.tables.bodies)
    ends = [(bodies + f.extra,) if f.kind == L.EXTRA else f.bodies for f in tables.functions]
    return [tuple(sorted({end for f in functions for end in ends[f]})) for functions in tables.functions_of_rows()]
