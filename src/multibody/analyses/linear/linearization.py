"""The equations of motion linearized about a state: M, C, K, Φ_q and V as sparse matrices over the velocity columns.

With R = M v̇ − Q + Φ_qᵀ λ a displacement d of the positions (q ⊕ d), a change w of the velocities and changes of v̇ and λ obey

    M δv̇ + C w + K d + Φ_qᵀ δλ = 0,   Φ_q d = 0,   Φ_q w + V d = 0,   ḋ = w − Ω d.

Columns are those of v: δr in ground axes, δπ′ in body axes, extra coordinates. Ω turns with the body: for its rotations
Ω δπ′ = ω′ × δπ′, and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from multibody.formulations.pattern import sparse_pattern
from multibody.formulations.prepare import prepare
from multibody.formulations.prepare_newton import block_pattern, numbered
from multibody.formulations.spaces.expanded import Expanded, expanded
from multibody.kernels.arrays import Arrays
from multibody.kernels.force_partials import force_partials
from multibody.kernels.forces import add_forces
from multibody.kernels.newton.declared import Pattern
from multibody.kernels.rows import row_jacobian, row_partials
from multibody.kernels.state import set_positions, set_velocities
from multibody.state.state import State
from multibody.state.system import Floats, Integers, System
from multibody.tables.lower import Tables

Matrix = Any  # a sparse matrix by rows


@dataclass(frozen=True)
class Linearization:
    """The derivatives of the equations of motion at one state.

    Attributes
    ----------
    t : float
    q, v, a : arrays
        Positions, velocities and accelerations.
    multipliers : array (rows,)
        λ of joint and motion rows.
    M, C, K : sparse arrays (nv, nv)
        ∂R/∂v̇, ∂R/∂v and ∂R/∂q of R = M v̇ − Q + Φ_qᵀ λ.
    J, V : sparse arrays (rows, nv)
        Φ_q, and ∂(Φ_q v − ν)/∂q.
    """

    t: float
    q: Floats
    v: Floats
    a: Floats
    multipliers: Floats
    M: Matrix
    C: Matrix
    K: Matrix
    J: Matrix
    V: Matrix


def linearize(system: System, state: State, a: Floats, multipliers: Floats) -> Linearization:
    """Return the derivatives of the equations of motion at a state.

    Parameters
    ----------
    system : System
        Its references are moved to those of the state.
    state : State
    a : array (nv,)
        Accelerations v̇.
    multipliers : array (rows,)
        λ of joint and motion rows.
    """
    from scipy.sparse import coo_array, csr_array

    system.ref[:] = state.references
    q, v, t, tables = np.ascontiguousarray(state.q), np.ascontiguousarray(state.v), state.t, system.tables
    pattern, where = _blocks(tables)
    place(system, q, v)
    by_q, by_v, curvature = np.zeros((3, len(where[0])))
    arrays = Arrays(system.model.sharing(pattern=pattern), system.state, system.scratch)
    force_partials(*arrays.run, t, by_q, by_v)
    pointer, columns = tables.row_pointer[: system.rows + 1], tables.columns[: tables.row_pointer[system.rows]]
    J, V = np.zeros((2, len(columns)))
    row_jacobian(*arrays.run, t, 0, system.rows, J)
    row_partials(*arrays.run, t, 0, system.rows, np.ascontiguousarray(multipliers), curvature, V)
    shape = (system.nv, system.nv)
    square = [coo_array((values, where), shape=shape).tocsr() for values in (-by_v, curvature - by_q)]
    flat = [csr_array((values, columns, pointer), shape=(system.rows, system.nv)) for values in (J, V)]
    for matrix in square:
        matrix.eliminate_zeros()
    return Linearization(t, state.q, state.v, a, multipliers, known_mass_matrix(system), *square, *flat)


def _blocks(tables: Tables) -> tuple[Pattern, tuple[Integers, Integers]]:
    """Return the pattern of block matrices, and row and column of every number of one; made once for a model."""
    if "blocks" not in tables.cache:
        pattern = sparse_pattern(tables, np.arange(tables.count_joint + tables.count_motion), ordered=False)
        tables.cache["blocks"] = (block_pattern(pattern), numbered(pattern))
    found: tuple[Pattern, tuple[Integers, Integers]] = tables.cache["blocks"]
    return found


def place(system: System, q: Floats, v: Floats) -> None:
    """Write positions, velocities and masses to the system; a mass or an inertia that is not stated counts as none."""
    set_positions(system.at.model, system.at.scratch, q)
    set_velocities(system.at.model, system.at.scratch, v)
    system.weigh()


def known_mass_matrix(system: System) -> Matrix:
    """Return M, with zeros for masses and inertias that are not stated."""
    from scipy.sparse import block_diag, csr_array

    tables, d, w = system.tables, system.tables.dimension, system.tables.width
    blocks = []
    for mass, inertia in tables.masses:
        block = np.zeros((w, w))
        block[:d, :d] = (float(tables.F[mass]) if mass >= 0 else 0.0) * np.eye(d)
        if inertia >= 0:
            block[d:, d:] = tables.F[inertia : inertia + (w - d) ** 2].reshape(w - d, w - d)
        blocks.append(block)
    made = block_diag([*blocks, csr_array((len(tables.extras), len(tables.extras)))], format="csr")
    made.eliminate_zeros()
    return made


def applied_forces(system: System, q: Floats, v: Floats, t: float) -> Floats:
    """Return the generalized forces Q (weights, gyroscopic moments, laws, loads)."""
    Q = np.zeros(system.nv)
    place(system, np.ascontiguousarray(q), np.ascontiguousarray(v))
    add_forces(*system.run, t, Q)
    return Q


def motion_at(system: System, state: State, rows: Integers) -> Expanded:
    """Return accelerations, multipliers and energies that follow from a consistent state; λ of rows left out is 0.

    Parameters
    ----------
    system : System
    state : State
    rows : array of int
        Independent rows.
    """
    bundle = prepare(system.tables, rows, state.references, partitioned=False)
    Y = np.concatenate([state.q, state.v, [0.0]])[None, :]
    return expanded(bundle, np.array([state.t]), Y, state.references[None, :].copy(), closing=False)


def turning(system: System, v: Floats) -> Matrix:
    """Return Ω of ḋ = w − Ω d: ω̃′ at the rotations of spatial bodies."""
    from scipy.sparse import coo_array

    if system.tables.dimension == 2:
        return coo_array((system.nv, system.nv)).tocsr()
    spins = system.tables.layout.spin
    first = np.array([spins(b).start for b in range(1, len(system.tables.bodies))], dtype=np.int64)
    x, y, z = (v[first + k] for k in range(3))
    rows = np.concatenate([first, first, first + 1, first + 1, first + 2, first + 2])
    columns = np.concatenate([first + 1, first + 2, first, first + 2, first, first + 1])
    return coo_array((np.concatenate([-z, y, z, -x, -y, x]), (rows, columns)), shape=(system.nv, system.nv)).tocsr()
