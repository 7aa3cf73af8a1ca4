"""States with what follows from them: accelerations, multipliers, energies and efforts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from multibody.errors import ModelError
from multibody.formulations.expand import expand
from multibody.formulations.prepare import Bundle
from multibody.kernels.codes import ENERGIES, KINETIC, POTENTIAL
from multibody.state.kinetics import Dynamics
from multibody.state.system import Floats
from multibody.tables.lower import Tables


@dataclass
class Expanded:
    """States with everything that follows from them."""

    Y: Floats
    references: Floats
    A: Floats
    dynamics: Dynamics


def expanded(bundle: Bundle, times: Floats, Y: Floats, references: Floats, closing: bool) -> Expanded:
    """Return accelerations, multipliers, energies and efforts at given states.

    Parameters
    ----------
    bundle : Bundle
    times : array (instants,)
    Y : array (instants, nq + nv + 1)
    references : array (instants, functions)
    closing : bool
        Whether the states come from an interpolant and are projected first.
    """
    tables = bundle.tables
    n, rows = len(times), tables.count_joint + tables.count_motion
    A, multipliers, energies = np.zeros((n, tables.nv)), np.zeros((n, rows)), np.zeros((n, ENERGIES))
    efforts = np.zeros((n, tables.effort_count))
    loads = np.zeros((n, tables.load_count))
    now, statistics = bundle.ref.copy(), bundle.state.statistics.copy()
    done = expand(*bundle.run, times, Y, references, int(closing), A, multipliers, energies, efforts, loads)
    bundle.ref[:] = now
    bundle.state.statistics[:] = statistics
    if done < n:
        raise no_solution(tables, times[done])
    dynamics = Dynamics(
        multipliers, energies[:, KINETIC], energies[:, POTENTIAL], Y[:, tables.nq + tables.nv].copy(), efforts, loads,
        bundle.chosen,
    )  # fmt: skip
    return Expanded(Y, references, A, dynamics)


def no_solution(tables: Tables, t: float) -> ModelError:
    """Return the error for equations of motion that determine no accelerations."""
    what = f"the equations of motion have no solution at t = {t:.6g}"
    return ModelError(what, where=tables.model.name, hint="give every free direction a mass")
