"""Blocks for kernels of tests, which know their numbers by place and need no model."""

from __future__ import annotations

from typing import Any

import numpy as np

from multibody.kernels.declared import State
from multibody.kernels.memory.compiled import at
from multibody.kernels.memory.declaration import Block, floats, integers


class BareModel(Block, readonly=True):
    """Integers and numbers."""

    I = integers("integers")
    F = floats("numbers")


class BareScratch(Block):
    """A workspace."""

    W = floats("numbers")


bare_model_at, bare_scratch_at = at(BareModel), at(BareScratch)


class Bare:
    """Integers and numbers in a model, references in a state, a workspace in a scratch.

    Attributes
    ----------
    run : tuple of int
        Addresses of the three blocks, good as long as this lives.
    """

    def __init__(self, I: Any = (), F: Any = (), W: Any = (), ref: Any = ()) -> None:
        self.model = BareModel(I=np.asarray(I, dtype=np.int64), F=np.asarray(F, dtype=float))
        self.state, self.scratch = State(ref=np.asarray(ref, dtype=float)), BareScratch(W=np.asarray(W, dtype=float))
        self.run = (self.model.address, self.state.address, self.scratch.address)
