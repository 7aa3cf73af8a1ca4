"""Whether some rows are the independent ones at a pose, decided by pivots alone."""

from __future__ import annotations

from multibody.kernels.assembly.closing import fill_rows
from multibody.kernels.assembly.declared import assembly_at, room_at
from multibody.kernels.assembly.levels import takes_rows
from multibody.kernels.compile import kernel
from multibody.kernels.declared import model_at, scratch_at, state_at
from multibody.kernels.state import set_positions


@kernel
def takes_rows_at(model, state, scratch, plan, room, t, q, count, cut, floor, chosen):
    """Return whether these are the independent ones of the first `count` rows at a pose, see ``levels.takes_rows``.

    Parameters
    ----------
    plan : address of Assembly
    room : address of AssemblyScratch
    t : float
    q : array
    count : int
    cut, floor : float
    chosen : array of int
    """
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    set_positions(model, scratch, q)
    fill_rows(model, state, scratch, assembly_at(plan), room_at(room), t, count)
    return takes_rows(room, model.velocities, count, cut, floor, chosen)
