"""Poses around an assembled one, in compiled code: whether more rows are independent there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from multibody.kernels.assembly.around import ranks_around
from multibody.kernels.assembly.declared import Assembly, AssemblyScratch
from multibody.state.system import Floats, System
from multibody.tables.lower import Tables

LOOKED_AT = 4  # poses
STEPS = (0.1, 0.2, 0.3)  # how far away they are tried, scaled lengths or rad


@dataclass(frozen=True)
class Surroundings:
    """What the search takes beside the model: its rows, random directions and lengths, the same for one structure.

    Attributes
    ----------
    rows : Assembly
        How many rows there are, and which are lengths.
    sizes : dict
        Of the room.
    directions : array (LOOKED_AT, nv)
    lengths : array (LOOKED_AT,)
    """

    rows: Assembly
    sizes: dict[str, int]
    directions: Floats
    lengths: Floats

    @classmethod
    def of(cls, tables: Tables) -> Surroundings:
        """Return those of a structure, made once."""
        if "surroundings" not in tables.structure:
            tables.structure["surroundings"] = cls._made(tables)
        found: Surroundings = tables.structure["surroundings"]
        return found

    @classmethod
    def _made(cls, tables: Tables) -> Surroundings:
        n, rows, random = tables.nv, tables.count_joint + tables.count_motion, np.random.default_rng(0)
        directions, lengths = np.zeros((LOOKED_AT, n)), np.zeros(LOOKED_AT)
        for k in range(LOOKED_AT):
            directions[k] = random.normal(size=n)
            lengths[k] = STEPS[k % len(STEPS)] * random.uniform(0.8, 1.2)
        block = Assembly(joint_rows=tables.count_joint, rows=rows, all_rows=rows)
        sizes = {
            "start": tables.nq, "trial": tables.nq, "step": n, "residual": rows, "entries": int(tables.row_pointer[rows]),
            "A": rows * n, "right": rows, "factor": n, "diagonal": n, "owner": n, "order": rows, "y": n,
            "L": rows * max(n, rows), "rest": rows,
        }  # fmt: skip
        return cls(block, sizes, directions, lengths)

    def room(self) -> AssemblyScratch:
        """Return room for one search at a time."""
        return AssemblyScratch(**self.sizes)


def rank_around(system: System, q: Floats, t: float) -> int:
    """Return the largest number of independent rows of joints and motions at poses around an assembled one.

    Parameters
    ----------
    system : System
    q : array
    t : float
    """
    near = Surroundings.of(system.tables)
    room = near.room()
    return int(ranks_around(*system.run, near.rows.address, room.address, t, q, near.directions.copy(), near.lengths))
