"""The arrays of a model or a run, and the blocks by which kernels find them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from multibody.kernels import declared as D
from multibody.kernels import layout as L
from multibody.kernels import sections as R
from multibody.kernels.declared import Model, Scratch, State
from multibody.kernels.memory.declaration import Record
from multibody.kernels.newton.declared import NewtonBlocks, Pattern, no_newton, no_pattern
from multibody.kernels.parametric.declared import PairBlocks, no_pairs
from multibody.kernels.tree.declared import TreeBlocks, no_tree

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
    tree : TreeBlocks, optional
        The spanning tree, where there is one.
    pattern : Pattern, optional
        Which velocity columns of the bodies meet; full matrices by default.

    Attributes
    ----------
    newton : NewtonBlocks or None
        The iteration matrix of an implicit method.
    parametric : PairBlocks or None
        Pairs with parameters.
    """

    I: Integers
    F: Floats
    W: Floats
    ref: Floats
    tree: TreeBlocks | None = None
    pattern: Pattern | None = None
    newton: NewtonBlocks | None = None
    parametric: PairBlocks | None = None

    def __init__(
        self,
        I: Integers,
        F: Floats,
        W: Floats,
        ref: Floats | None = None,
        tree: TreeBlocks | None = None,
        pattern: Pattern | None = None,
    ) -> None:
        self.I, self.F, self.W, self.ref = I, F, W, np.zeros(1) if ref is None else ref
        self.tree, self.pattern = tree, pattern

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
            found = Blocks(_model(self.I, self.F, self.W), _state(self.I, self.W, self.ref), _scratch(self.I, self.W))
            found.model.pattern = self.pattern or no_pattern()
            found.model.tree, found.state.tree, found.scratch.tree = self.tree or no_tree()
            found.model.newton, found.state.newton, found.scratch.newton = self.newton or no_newton()
            found.model.parametric, found.state.parametric, found.scratch.parametric = self.parametric or no_pairs()
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

    @property
    def still(self) -> tuple[int, int]:
        """The addresses of model and scratch, for kernels that leave the state alone."""
        model, _, scratch = self.run
        return model, scratch

    def __getstate__(self) -> dict[str, Any]:
        """Return what travels to another process: addresses do not."""
        return {name: value for name, value in vars(self).items() if name != "_blocks"}


def _records(array: npt.NDArray[Any], at: int, kind: type[Record], count: int | None = None) -> npt.NDArray[Any]:
    """Return records of an array from a place on, as many as fit unless a number is given."""
    most = (len(array) - at) // kind.size if count is None else count
    return array[at : at + kind.size * most].view(kind.dtype)


def _model(I: Integers, F: Floats, W: Floats) -> Model:
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
        gravity=h[L.GRAVITY], parameters=h[L.PARAMETERS],
        function_count=(h[L.ROWS] - h[L.FUNCTIONS]) // L.FUNCTION_STRIDE, numbers=F,
        columns=I[h[L.COLUMNS] :], tables=I, code=I[h[L.CODE] :],
        **{name: _records(I, h[slot], kind, count) for name, (slot, kind, count) in places.items()},
        plain=_records(I, h[R.PLAIN], D.Plain, h[R.PLAIN_COUNT]), others=I[h[R.OTHERS] : h[R.OTHERS] + h[R.OTHER_COUNT]],
        **_run(I, W, h),
    )  # fmt: skip


def _run(I: Integers, W: Floats, h: list[int]) -> dict[str, Any]:
    """Return what a run adds to the block of its model."""
    m, n, general = h[R.CHOSEN_COUNT], h[R.COLUMN_COUNT], h[R.GENERAL]
    lists = {
        "chosen": (R.CHOSEN, m), "S_base": (R.BASE, m), "S_first": (R.FIRST, m), "dense_base": (R.DENSE_BASE, n * general),
        "dense_first": (R.DENSE_FIRST, n * general),
    }  # fmt: skip
    return {
        "all_rows": h[R.ALL_COUNT], "driven": h[R.DRIVEN], "general": general,
        "pairs": _records(I, h[R.PAIRS], D.Pair, h[R.PAIR_COUNT]),
        "blocks": _records(I, h[R.BLOCKS], D.RowBlock, h[R.BLOCK_COUNT]),
        **{name: I[h[slot] : h[slot] + count] for name, (slot, count) in lists.items()},
        "row_scale": W[h[R.W_SCALE] : h[R.W_SCALE] + h[R.ALL_COUNT]],
        "column_scale": W[h[R.W_SCALE] + h[R.ALL_COUNT] : h[R.W_SCALE] + h[R.ALL_COUNT] + n],
        "row_weight": W[h[R.W_WEIGHT] : h[R.W_WEIGHT] + h[R.ALL_COUNT]] if h[R.W_WEIGHT] > 0 else W[:0],
    }  # fmt: skip


def _state(I: Integers, W: Floats, ref: Floats) -> State:
    """Return the block of what lives from step to step."""
    h = [int(x) for x in I[: L.HEADER]]
    m, n = h[R.CHOSEN_COUNT], h[R.COLUMN_COUNT]
    if h[R.W_STATISTICS] == 0:  # no run
        return State(ref=ref)
    return State(
        ref=ref, statistics=_records(W, h[R.W_STATISTICS], D.Statistics, 1),
        settings=_records(W, h[R.W_SETTINGS], D.Settings, 1),
        dependent=I[h[R.DEPENDENT] : h[R.DEPENDENT] + m], independent=I[h[R.INDEPENDENT] : h[R.INDEPENDENT] + max(n - m, 0)],
        place=I[h[R.PLACE] : h[R.PLACE] + n], pivots=I[h[R.PIVOTS] : h[R.PIVOTS] + n],
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
        **(_run_scratch(W, h) if h[R.W_STATISTICS] else {}),
        **{f"{prefix}_{name}": _records(W, h[slot], kind, count) for name, (slot, kind, count) in kinds.items()},
    )  # fmt: skip


def _run_scratch(W: Floats, h: list[int]) -> dict[str, Floats]:
    """Return what a run adds to the scratch."""
    m, n, count = h[R.CHOSEN_COUNT], h[R.COLUMN_COUNT], h[R.ALL_COUNT]
    nq, f, at, partition = h[R.COORDINATE_COUNT], max(n - m, 0), h[R.W_PARTITION], h[R.PARTITIONED]
    sizes = {
        "by_row": (R.W_X, count), "feedback": (R.W_FEEDBACK, count), "D": (R.W_D, m), "multipliers": (R.W_LAMBDA, m),
        "a": (R.W_A, n), "b": (R.W_B, max(n, m, 12)), "point": (R.W_STATE, nq + n), "support": (R.W_BRIDGE, nq + n),
        "Q": (R.W_Q, n), "dense": (R.W_DENSE, n * n * h[R.GENERAL]), "dense_D": (R.W_GAUGE, n * h[R.GENERAL]),
    }  # fmt: skip
    found = {name: W[h[slot] : h[slot] + size] for name, (slot, size) in sizes.items()}
    found |= {"J": W[h[R.W_J] : h[R.W_U]], "U": W[h[R.W_U] : h[R.W_S]], "S": W[h[R.W_S] : h[R.W_D]]}
    found["support_sum"] = W[h[R.W_BRIDGE] + nq + n : h[R.W_BRIDGE] + nq + 2 * n]
    for name, size in (("phi_d", m * m), ("null", n * f), ("reduced", f * f), ("reduced_right", f)):
        found[name] = W[at : at + size * partition]
        at += size
    return found
