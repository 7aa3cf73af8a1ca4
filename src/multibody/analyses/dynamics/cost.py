"""What one evaluation of the equations of motion costs in each formulation, told from the structure of a model.

Operations are counted by class, each with a constant that ``benchmarks/choice.py`` measures: rows of Φ_q and the envelope of
the matrix that they make with M⁻¹ (augmented), full matrices where M is singular (augmented with massless bodies), links and
composite inertias (recursive) or links alone (articulated), and the matrices of loops. The constants are microseconds on the
machine of the benchmarks; only their ratios matter, and those are nearly the same everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from multibody.formulations.prepare import envelope_lengths, inverts_masses
from multibody.tables.columns import columns_of
from multibody.tables.lower import Tables
from multibody.tables.tree import spanning_tree
from multibody.tables.welds import find_welds, welded_tables

STAGE = 0.3  # what an integrator adds to an evaluation
ROW = {2: 0.055, 3: 0.10}  # a row of joints and motions
ENVELOPE = 3e-4  # a multiplication inside the envelope
FULL = 1.5e-3  # n³ unknowns of a full matrix
LINK = {2: 0.04, 3: 0.105}  # a link of the articulated recursion
COMPOSITE = {2: 0.11, 3: 0.165}  # a link of the composite recursion
LOOP_ROW = {2: 0.035, 3: 0.17}  # a row that closes loops
JOINT_MASS = 1e-4  # u³ of the mass matrix of the joints' rates
LOOP_MATRIX = 3e-4  # u²m + u m² + m³/3 of its product with the loop rows
LAW = 0.075  # a force law, alike in all
MOST_RATES, MOST_LOOPS = 1000, 400  # beyond which full matrices are refused


@dataclass(frozen=True)
class Structure:
    """What the cost of an evaluation depends on.

    Attributes
    ----------
    dimension : int
    unknowns, rows : int
        Velocities of composites, and rows that hold them together.
    envelope : float
        Sum of squares of the rows of the matrix's envelope.
    regular : bool
        Whether every composite has a mass and an inertia.
    links, rates, loops : int
        Links of the spanning tree, unknown rates of its joints, rows that close loops.
    laws : int
        Force laws and loads.
    extras : bool
        Whether there are coordinates without mass (cams).
    """

    dimension: int
    unknowns: int
    rows: int
    envelope: float
    regular: bool
    links: int
    rates: int
    loops: int
    laws: int
    extras: bool


def structure_of(tables: Tables) -> Structure:
    """Return what costs depend on; bodies that are welded together count as one."""
    welds = find_welds(tables)
    known, key = tables.structure if welds is None else tables.cache, "costs"  # composites have masses of their own
    if key not in known:
        merged = tables if welds is None else welded_tables(tables, welds)[0]
        columns = columns_of(tables, spanning_tree(tables))
        rows = merged.count_joint + merged.count_motion
        lengths = envelope_lengths(merged, np.arange(rows))
        known[key] = Structure(
            tables.dimension, merged.nv, rows, float(np.sum(lengths.astype(float) ** 2)), inverts_masses(merged),
            len(tables.bodies) - 1, columns.nv, len(columns.loop_rows()), tables.effort_count + len(tables.loads),
            bool(tables.extras),
        )  # fmt: skip
    found: Structure = known[key]
    return found if welds is not None else replace(found, regular=inverts_masses(tables))


def evaluation_costs(s: Structure) -> dict[str, float]:
    """Return the cost [µs] of an evaluation in each formulation that ``auto`` chooses from and that takes the model."""
    d, common = s.dimension, STAGE + LAW * s.laws
    bodies = ROW[d] * s.rows + ENVELOPE * s.envelope if s.regular else ROW[d] * s.rows + FULL * float(s.unknowns) ** 3
    found = {"augmented": common + bodies}
    if s.loops == 0 and not s.extras:
        found["articulated"] = common + LINK[d] * s.links
    if s.rates <= MOST_RATES and s.loops <= MOST_LOOPS:
        u, m = float(s.rates), float(min(s.loops, s.rates))
        loops = LOOP_ROW[d] * s.loops + LOOP_MATRIX * (u * u * m + u * m * m + m**3 / 3.0)
        found["recursive"] = common + COMPOSITE[d] * s.links + JOINT_MASS * u**3 + loops
    return found
