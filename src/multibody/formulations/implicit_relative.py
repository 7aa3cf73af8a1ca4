"""Implicit methods in joint coordinates: what ``formulations/implicit.py`` is in Cartesian ones."""

from __future__ import annotations

from multibody.formulations.implicit import correction
from multibody.kernels.compile import kernel
from multibody.kernels.declared import model_at, scratch_at, state_at
from multibody.kernels.stacked import ASKED, DISPLACED
from multibody.kernels.tree.newton import move_tree
from multibody.kernels.tree.space import JOINT


@kernel
def move_relative(model, state, scratch, t, x, out):
    """Answer a question about joint coordinates and rates, see ``implicit.move_implicit``."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    code = int(x[0])
    if code == DISPLACED:
        JOINT.displace(model, x[ASKED:], x[ASKED + model.tree.nq :], 1.0, out)
    else:
        move_tree(model, code, x[ASKED:], out)
    return 0


@kernel
def correct_relative(model, state, scratch, t, x, out):
    """Write the smallest change that closes gaps."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    return correction(JOINT, model, state, scratch, x, out)
