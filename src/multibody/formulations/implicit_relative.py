"""Implicit methods in joint coordinates: what ``formulations/implicit.py`` is in Cartesian ones."""

from __future__ import annotations

from multibody.formulations.implicit import DISPLACED, correction
from multibody.formulations.space import displace, sizes
from multibody.kernels.compile import kernel
from multibody.kernels.tree.newton import move_tree


@kernel
def move_relative(I, F, W, ref, t, x, out):
    """Answer a question about joint coordinates and rates, see ``implicit.move_implicit``."""
    code = int(x[0])
    if code == DISPLACED:
        nq, n = sizes(True, I)
        displace(True, I, x[1 : 1 + nq], x[1 + nq : 1 + nq + n], 1.0, out)
    else:
        move_tree(I, code, x[1:], out)
    return 0


@kernel
def correct_relative(I, F, W, ref, t, x, out):
    """Write the smallest change that closes gaps."""
    return correction(True, I, W, x, out)
