"""The arrays of a model or a run, and the blocks by which kernels find them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from multibody.kernels.declared import Model, Scratch, State

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


class Blocks(NamedTuple):
    """The blocks of a run; they live as long as somebody has them."""

    model: Model
    state: State
    scratch: Scratch


class Addresses(NamedTuple):
    """Where the blocks of a run lie, as entry kernels take it."""

    model: int
    state: int
    scratch: int


class Arrays:
    """Integers, numbers, workspace and angle references, and where kernels find them.

    Parameters
    ----------
    I, F, W, ref : arrays
    """

    I: Integers
    F: Floats
    W: Floats
    ref: Floats

    def __init__(self, I: Integers, F: Floats, W: Floats, ref: Floats | None = None) -> None:
        self.I, self.F, self.W, self.ref = I, F, W, np.zeros(1) if ref is None else ref

    def __setattr__(self, name: str, value: Any) -> None:
        """Set an attribute; another array has another address."""
        object.__setattr__(self, name, value)
        if name in Arrays.__annotations__:
            vars(self).pop("_blocks", None)

    @property
    def blocks(self) -> Blocks:
        """The blocks; who keeps an address keeps them too."""
        found: Blocks | None = vars(self).get("_blocks")
        if found is None:
            found = Blocks(Model(I=self.I, F=self.F), State(ref=self.ref), Scratch(W=self.W))
            vars(self)["_blocks"] = found
        return found

    @property
    def at(self) -> Addresses:
        """The addresses of the blocks by name."""
        model, state, scratch = self.blocks
        return Addresses(model.address, state.address, scratch.address)

    @property
    def run(self) -> tuple[int, int, int]:
        """The addresses of the blocks, for entry kernels: ``kernel(*arrays.run, …)``."""
        model, state, scratch = self.blocks
        return model.address, state.address, scratch.address

    def __getstate__(self) -> dict[str, Any]:
        """Return what travels to another process: addresses do not."""
        return {name: value for name, value in vars(self).items() if name != "_blocks"}
