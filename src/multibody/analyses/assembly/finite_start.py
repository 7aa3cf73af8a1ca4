"""Whose equations are no numbers where an analysis starts."""

from __future__ import annotations

import numpy as np

from multibody.errors import ModelError
from multibody.state.system import Floats, System

SECTIONS = {"joint": "joints", "motion": "motions", "held": "initial"}


def not_finite(system: System, q: Floats, t: float) -> ModelError:
    """Return the error of a start from which Newton's method meets numbers that are not finite.

    Parameters
    ----------
    system : System
    q : array (nq,)
        The start.
    t : float
    """
    rows, pointer = system.all_rows, system.tables.row_pointer
    with np.errstate(all="ignore"):
        bad = ~np.isfinite(system.phi(q, t, 0, rows))
        for k in np.flatnonzero(~np.isfinite(system.entries(q, t, 0, rows))):
            bad[int(np.searchsorted(pointer, k, side="right")) - 1] = True
    if not bad.any():
        hint = "look for sizes and formulas out of range, or give other guesses"
        return ModelError("numbers that are not finite come up on the way to an assembled pose", where="assemble", hint=hint)
    row = system.tables.rows[int(np.argmax(bad))]
    hint = "check its formula, or give a guess where it can be computed"
    return ModelError(f"it is not a number at the start (t = {t:g})", where=f"{SECTIONS[row.group]}.{row.owner}", hint=hint)
