"""The blocks of a model or a run, and their addresses, by which kernels find them."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from multibody.kernels import codes as L
from multibody.kernels.declared import Model, PlanarMass, Scratch, SpatialMass, State
from multibody.kernels.mass import set_masses
from multibody.kernels.newton.declared import NewtonBlocks
from multibody.kernels.parametric.declared import PairBlocks
from multibody.kernels.tree.declared import TreeBlocks

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
PART = 36  # numbers of a gradient over two bodies, with room for two more


class Addresses(NamedTuple):
    """Where the blocks of a run lie, as entry kernels take it."""

    model: int
    state: int
    scratch: int


class Arrays:
    """The three blocks.

    Parameters
    ----------
    model : Model
    state : State, optional
        By default one without angle references.
    scratch : Scratch, optional
        By default one with room for the functions, rows, forces and programs of the model.
    """

    model: Model
    state: State
    scratch: Scratch
    _weighed = False  # whether the masses in the model are this object's own

    def __init__(self, model: Model, state: State | None = None, scratch: Scratch | None = None) -> None:
        self.model, self.state = model, State(ref=1) if state is None else state
        self.scratch = Scratch(**scratch_sizes(model)) if scratch is None else scratch

    def working(self) -> Self:
        """Return the same with state and scratch of its own."""
        made = object.__new__(type(self))
        vars(made).update(vars(self))
        made.state, made.scratch = self.state.copy(), self.scratch.copy()
        return made

    def weigh(self) -> bool:
        """Write the masses of the bodies to a model of this object's own; return whether all can be inverted."""
        if not self._weighed:
            self.model, self._weighed = self.model.sharing(**room_for_masses(self.model)), True
        return weigh(self.model)

    @property
    def F(self) -> Floats:
        """The numbers of the model."""
        found: Floats = self.model.numbers
        return found

    @property
    def ref(self) -> Floats:
        """The angle references."""
        found: Floats = self.state.ref
        return found

    @property
    def at(self) -> Addresses:
        """The addresses of the blocks by name."""
        return Addresses(self.model.address, self.state.address, self.scratch.address)

    @property
    def run(self) -> tuple[int, int, int]:
        """The addresses of the blocks, for entry kernels: ``kernel(*arrays.run, …)``; good as long as the blocks live."""
        return self.model.address, self.state.address, self.scratch.address

    @property
    def handed(self) -> tuple[int, int, int]:
        """The addresses of the blocks for integrators, which hand them on and are compiled once for every dimension."""
        return int(self.model.address), self.state.address, self.scratch.address

    @property
    def still(self) -> tuple[int, int]:
        """The addresses of model and scratch, for kernels that leave the state alone."""
        return self.model.address, self.scratch.address

    def _parts(self, name: str) -> tuple[Any, Any, Any]:
        """Return the blocks of one name in model, state and scratch."""
        return getattr(self.model, name), getattr(self.state, name), getattr(self.scratch, name)

    def _set_parts(self, name: str, parts: tuple[Any, Any, Any]) -> None:
        for whole, part in zip((self.model, self.state, self.scratch), parts, strict=True):
            setattr(whole, name, part)

    @property
    def tree(self) -> TreeBlocks:
        """The spanning tree of a run in joint coordinates."""
        return TreeBlocks(*self._parts("tree"))

    @tree.setter
    def tree(self, parts: TreeBlocks) -> None:
        self._set_parts("tree", parts)

    @property
    def newton(self) -> NewtonBlocks:
        """The iteration matrix of an implicit method."""
        return NewtonBlocks(*self._parts("newton"))

    @newton.setter
    def newton(self, parts: NewtonBlocks) -> None:
        self._set_parts("newton", parts)

    @property
    def parametric(self) -> PairBlocks:
        """Pairs with parameters."""
        return PairBlocks(*self._parts("parametric"))

    @parametric.setter
    def parametric(self, parts: PairBlocks) -> None:
        self._set_parts("parametric", parts)

    def with_tree(self, parts: TreeBlocks) -> Self:
        """Put a spanning tree into the blocks, which must be this object's own; return it."""
        self.tree = parts
        return self


def room_for_masses(model: Model) -> dict[str, Any]:
    """Return the arrays of a model that :func:`weigh` writes to, zero."""
    name, kind = ("planar_mass", PlanarMass) if model.planar else ("spatial_mass", SpatialMass)
    return {name: np.zeros(model.bodies, kind.dtype).view(np.recarray)}


def mass_numbers(model: Model) -> Floats:
    """Return the masses of the bodies as numbers, one behind the other."""
    found: Floats = np.asarray(model.planar_mass if model.planar else model.spatial_mass).view(np.float64).reshape(-1)
    return found


def weigh(model: Model) -> bool:
    """Write the masses of the bodies to a model that has room of its own for them; return whether all can be inverted."""
    return bool(set_masses(model.address, mass_numbers(model)))


def scratch_sizes(model: Model) -> dict[str, int]:
    """Return the lengths of the arrays that functions, rows, forces and programs of a model write and read."""
    prefix, bodies, inputs = "planar" if model.planar else "spatial", model.bodies, model.most_inputs
    return {
        f"{prefix}_pose": bodies + 1, f"{prefix}_twist": bodies + 1,
        "velocity": model.width * (bodies + 1) + model.extras, "extra": model.extras, "gradient": PART, "second_gradient": PART,
        "rates": inputs + 2, "components": 6, "hessian": 144, "input": inputs + 2, "stack": L.STACK_DEPTH,
        "kept": model.most_kept, "wrench_work": 1 if len(model.wrench_elements) else 0,
    }  # fmt: skip
