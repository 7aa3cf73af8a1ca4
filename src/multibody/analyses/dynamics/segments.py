"""What is stored of the steps of a simulation, and the motion between them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from multibody.integrators import Integrator
from multibody.integrators import contract as C
from multibody.integrators.reading import read_dense
from multibody.kernels.calls import INTERPOLATE, address_with
from multibody.kernels.subnormals import flushed
from multibody.state.system import Floats

if TYPE_CHECKING:
    from multibody.analyses.dynamics.simulation import Simulation


class Segments:
    """Dense output of steps: start and length of each, its record, and the angle references at its start."""

    def __init__(self) -> None:
        self.parts: list[tuple[Floats, Floats, Floats]] = []

    @property
    def count(self) -> int:
        """Steps that are kept."""
        return sum(len(steps) for steps, _, _ in self.parts)

    def append(self, steps: Floats, dense: Floats, refs: Floats, copied: bool) -> None:
        """Keep some steps or copies of them, all or nothing: an interruption may come at any moment."""
        self.parts.append((steps.copy(), dense.copy(), refs.copy()) if copied else (steps, dense, refs))

    def joined(self) -> tuple[Floats, Floats, Floats]:
        """Return all of them as three arrays."""
        if len(self.parts) > 1:
            steps, dense, refs = (np.concatenate(arrays) for arrays in zip(*self.parts, strict=True))
            self.parts = [(steps, dense, refs)]
        return self.parts[0]


def complete(sim: Simulation) -> None:
    """Make the dense output of the steps that a simulation has stored as they were made."""
    parts, b, rows = sim.segments.parts, sim.bundle, sim.integrator.dense_rows
    if all(records.shape[1] == rows for _, records, _ in parts):
        return
    behind, near = [*(refs[0] for _, _, refs in parts[1:]), b.ref.copy()], float(b.state.settings.near_change[0])
    made, memory = [], np.empty_like(sim.memory)
    b.settings(near_change=0.0)  # as it was then: steps near a change point, and all later ones, have their dense output
    for (steps, records, refs), last in zip(parts, behind, strict=True):
        k = min(int(sim.counts[C.AS_MADE]), len(steps)) if records.shape[1] != rows else 0
        dense = np.empty((len(steps), rows, len(sim.y)))
        dense[k:] = records[k:, :rows]
        with flushed():
            sim.integrator.complete(
                sim.addresses[0], b.handed, b.ref, steps[:k], records[:k], np.vstack([refs[1:], last]), memory, dense[:k]
            )
        sim.counts[C.AS_MADE] -= k
        sim.counts[C.EVALUATIONS] += sim.integrator.extra_evaluations * k
        made.append((steps, dense, refs))
    b.ref[:] = behind[-1]
    b.settings(near_change=near)
    sim.segments.parts = made


def interpolated(
    integrator: Integrator, size: int, steps: Floats, records: Floats, references: Floats, times: Floats
) -> tuple[Floats, Floats]:
    """Return (q, v, w) at the times by the dense output of some steps, and the angle references to read them with."""
    direction = math.copysign(1.0, steps[0, 1])
    starts = direction * steps[:, 0]
    index = np.clip(np.searchsorted(starts, direction * times, side="right") - 1, 0, len(starts) - 1)
    Y = np.zeros((len(times), size))
    read_dense(address_with(integrator.interpolate, INTERPOLATE), steps, records, index, times, Y)
    return Y, np.ascontiguousarray(references[index])
