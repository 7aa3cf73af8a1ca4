"""The arrays of a model or a run, and the blocks by which kernels find them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from multibody.kernels import declared as D
from multibody.kernels import layout as L
from multibody.kernels import sections as R
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
            found = Blocks(_model(self.I, self.F), State(ref=self.ref), _scratch(self.I, self.W))
            vars(self)["_blocks"] = found
        return found

    @property
    def at(self) -> Addresses:
        """The addresses of the blocks by name."""
        model, state, scratch = self.blocks
        return Addresses(model.address, state.address, scratch.address)

    @property
    def run(self) -> tuple[int, int, int]:
        """The addresses of the blocks, for entry kernels: ``kernel(*arrays.run, …)``; good as long as these arrays live."""
        model, state, scratch = self.blocks
        return model.address, state.address, scratch.address

    def __getstate__(self) -> dict[str, Any]:
        """Return what travels to another process: addresses do not."""
        return {name: value for name, value in vars(self).items() if name != "_blocks"}


def _records(array: npt.NDArray[Any], at: int, kind: type[D.Record], count: int | None = None) -> npt.NDArray[Any]:
    """Return records of an array from a place on, as many as fit unless a number is given."""
    most = (len(array) - at) // kind.size if count is None else count
    return array[at : at + kind.size * most].view(kind.dtype)


def _model(I: Integers, F: Floats) -> Model:
    """Return the block of a model's integers and numbers."""
    h = [int(x) for x in I[: L.HEADER]]
    places = {
        "functions": (L.FUNCTIONS, D.Function, None), "rows": (L.ROWS, D.Row, None), "terms": (L.TERMS, D.Term, None),
        "splines": (L.SPLINES, D.Spline, None), "masses": (L.MASSES, D.MassSlots, h[L.BODIES]),
        "laws": (L.LAWS, D.Law, h[L.LAW_COUNT]), "loads": (L.LOADS, D.Load, h[L.LOAD_COUNT]),
        "inputs": (L.INPUTS, D.Input, None), "watches": (L.WATCHES, D.Watch, h[L.WATCH_COUNT]),
    }  # fmt: skip
    return Model(
        I=I, F=F, planar=int(h[L.DIMENSION] == 2), dimension=h[L.DIMENSION], width=3 if h[L.DIMENSION] == 2 else 6,
        bodies=h[L.BODIES], coordinates=h[L.COORDINATES], velocities=h[L.VELOCITIES], extras=h[L.EXTRAS], length=h[L.LENGTH],
        gravity=h[L.GRAVITY], parameters=h[L.PARAMETERS], numbers=F, columns=I[h[L.COLUMNS] :], tables=I, code=I[h[L.CODE] :],
        **{name: _records(I, h[slot], kind, count) for name, (slot, kind, count) in places.items()},
        plain=_records(I, h[R.PLAIN], D.Plain, h[R.PLAIN_COUNT]), others=I[h[R.OTHERS] : h[R.OTHERS] + h[R.OTHER_COUNT]],
    )  # fmt: skip


def _scratch(I: Integers, W: Floats) -> Scratch:
    """Return the block of a workspace."""
    h = [int(x) for x in I[: L.HEADER]]
    planar, bodies = h[L.DIMENSION] == 2, h[L.BODIES]
    kinds = {
        "pose": (L.W_POSE, D.PlanarPose if planar else D.SpatialPose, bodies + 1),
        "twist": (L.W_TWIST, D.PlanarTwist if planar else D.SpatialTwist, bodies + 1),
        "mass": (L.W_MASS, D.PlanarMass if planar else D.SpatialMass, bodies),
    }
    prefix, g = "planar" if planar else "spatial", h[L.W_GRADIENT]
    return Scratch(
        W=W, velocity=W[h[L.W_VELOCITY] : h[L.W_EXTRA]], extra=W[h[L.W_EXTRA] : h[L.W_GRADIENT]], gradient=W[g : g + 36],
        second_gradient=W[g + 36 : g + 72], rates=W[g + 36 : h[L.W_HESSIAN]], components=W[g + 72 : g + 78],
        hessian=W[h[L.W_HESSIAN] : h[L.W_INPUT]], input=W[h[L.W_INPUT] : h[L.W_STACK]],
        stack=W[h[L.W_STACK] : h[L.W_STACK] + L.STACK_DEPTH], kept=W[h[L.W_STACK] + L.STACK_DEPTH : h[L.W_MASS]],
        J=W[h[R.W_J] : h[R.W_U]], by_row=W[h[R.W_X] : h[R.W_FEEDBACK]],
        **{f"{prefix}_{name}": _records(W, h[slot], kind, count) for name, (slot, kind, count) in kinds.items()},
    )  # fmt: skip
