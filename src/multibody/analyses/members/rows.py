"""Whether the rows that are independent in a member are those of the model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from multibody.kernels.assembly.member import CLOSED
from multibody.rank.run_rows import run_rows
from multibody.state.system import Integers

if TYPE_CHECKING:
    from multibody.analyses.members.batch import Blocks


def has_rows(b: Blocks, k: int, rows: Integers, t: float) -> bool:
    """Return whether these rows are independent in a member that is assembled, and no others are taken in their place.

    Parameters
    ----------
    b : Blocks
    k : int
        The member.
    rows : array of int
        Of the model.
    t : float
        Time at which the member is assembled.
    """
    if b.codes[k, 0] == CLOSED:
        return len(rows) == b.tables.count_joint + b.tables.count_motion
    return np.array_equal(run_rows(b.one.system(k), b.Q[k], t), rows)
