"""Blocks for kernels of tests, which know their arrays by place and need no model."""

from __future__ import annotations

from typing import Any

import numpy as np

from multibody.kernels.declared import Model, Scratch, State


class Bare:
    """Integers and numbers in a model, references in a state, a workspace in a scratch.

    Attributes
    ----------
    run : tuple of int
        Addresses of the three blocks, good as long as this lives.
    """

    def __init__(self, I: Any = (), F: Any = (), W: Any = (), ref: Any = ()) -> None:
        self.model = Model(I=np.asarray(I, dtype=np.int64), F=np.asarray(F, dtype=float))
        self.state, self.scratch = State(ref=np.asarray(ref, dtype=float)), Scratch(W=np.asarray(W, dtype=float))
        self.run = (self.model.address, self.state.address, self.scratch.address)
