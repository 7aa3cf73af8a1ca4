"""The instants of runs: how many a member has and when they are, as a single run has them."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from multibody.analyses.dynamics.choice import check_steps
from multibody.analyses.dynamics.run import output_times
from multibody.analyses.given.run_options import Options
from multibody.errors import ModelError
from multibody.integrators import Integrator
from multibody.state.system import Flags, Floats
from multibody.tables.lower import Tables


def set_times(ends: Floats, start: float, options: Options, tables: Tables, integrator: Integrator, times: Floats) -> Flags:
    """Write the instants of runs that end at different times; return which of them have as many as there is room for.

    Parameters
    ----------
    ends : array (members,)
    start : float
    options : Options
    tables : Tables
        Of the model.
    integrator : Integrator
        Whose steps have to lead there.
    times : array (members, instants), written
    """
    fits = np.ones(len(ends), dtype=bool)
    for end in np.unique(ends):
        same = ends == end
        if not math.isfinite(end):
            fits &= np.isfinite(ends)
            continue
        try:
            found = output_times(start, replace(options, until=float(end)), tables)
            check_steps(integrator, start, float(end))
        except ModelError:
            found = np.zeros(0)
        if len(found) != times.shape[1]:
            fits &= ~same
        else:
            times[same] = found
    return fits
