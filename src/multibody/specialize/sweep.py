"""The program that follows driven members over a grid of instants and leaves their states there.

Positions, velocities and accelerations come from the loop of every kinematic analysis (``kernels/tracking.py``) with the
structure of the model in it. Its LU factors are functions of their own, whose loops stay loops: pivots are chosen while they
run, so that nothing would be known beforehand.
"""

from __future__ import annotations

from dataclasses import dataclass

from multibody.kernels import tracking
from multibody.kernels.arrays import Arrays
from multibody.kernels.memory.declaration import SLOT
from multibody.kernels.square_system import SquareSystem
from multibody.specialize import following
from multibody.specialize.image import Image, local_block
from multibody.specialize.integration import (
    ARGUMENTS,
    GIVEN,
    STATES_TYPES,
    Layout,
    apart_states,
    left_states,
    way_entry,
)
from multibody.specialize.program import ARRAY, FACTORS, MOVE, TILE, TYPES, Beginning, Program, as_text, symbol_of
from multibody.specialize.stepping import RENEW

_RATES = 2  # vectors of y beside the positions: velocities and accelerations
_SIGNS = 1  # determinants whose signs dense factors tell


@dataclass(frozen=True)
class Sweep(Layout):
    """What is kept of a driven member.

    Attributes
    ----------
    coordinates, velocities : int
        Lengths of q and v.
    square : SquareSystem
        With the rows that are solved, the same of all members; dense. What holds idle freedom still is a member's own.
    """

    coordinates: int
    velocities: int
    square: SquareSystem

    @property
    def size(self) -> int:
        """Length of y = (q, v, v̇)."""
        return self.coordinates + _RATES * self.velocities

    @property
    def vectors(self) -> dict[str, dict[str, tuple[int, ...]]]:
        """Shape of every part of both vectors."""
        kept: dict[str, tuple[int, ...]] = {
            "path.numbers": (following.NUMBERS,), "path.known": (_SIGNS,), "null": (self.velocities,)
        }  # fmt: skip
        return {"told": {"end": (1,), "gauge": (len(self.square.gauge),)}, "kept": kept}


def sweep_of(arrays: Arrays, kept: Sweep, target: str) -> Program:
    """Return the program that follows members of the structure of a model.

    Parameters
    ----------
    arrays : Arrays
        The blocks of a driven model.
    kept : Sweep
    target : str
        ``host`` or ``ptx``.
    """
    begun = Beginning(arrays, target)
    way = f"{following.__name__}:follow_instants:{begun.version}"
    kernels, parts = begun.linked([], [way])
    constants, setup = _blocks(kept)
    parts += [MOVE, *constants, _member(begun.image, kept, setup, symbol_of(way), 1 if target == "host" else TILE)]
    parts.append(way_entry(target, begun.image, kept.size, kept))
    text = "\n".join(parts) + "\n"
    return Program(text, kernels, begun.image, kept.size, begun.functions, 0, FACTORS, (), kept)


def _blocks(kept: Sweep) -> tuple[list[str], list[str]]:
    """Return constants and instructions of the square system and the path, on what the member has of its own."""
    nq, nv = kept.coordinates, kept.velocities
    path = tracking.Path(
        q=nq, v=nv, a=nv, trial_q=nq, trial_v=nv, trial_a=nv, violation=3, worst=3, signs=_SIGNS
    )  # what determinants change their signs on the way is not noted
    constants, setup = local_block(kept.square, "square", {"chosen": "", "gauge": "%gauge", "null": "%null"})
    own, more = local_block(path, "path", {"q": "%y", "v": "%y.v", "a": "%y.a", "signs": "%path.known"})
    places = [f"%y.{name} = getelementptr i8, ptr %y, i64 {SLOT * (nq + k * nv)}" for k, name in enumerate("va")]
    return [*constants, *own], [*kept.places(), *places, *setup, *more]


def _member(image: Image, kept: Sweep, setup: list[str], way: str, stride: int) -> str:
    """Return the function that follows one member whose state, words and path lie on the stack."""
    rows = {"words": image.word_count, "y": kept.size, "path.numbers": following.NUMBERS}
    arrays = [ARRAY.format(n=length, data=f"%{name}") for name, length in rows.items()]
    arrays += left_states(kept.size, image.word_count, stride)
    types = f"ptr, ptr, {', '.join(['i64'] * 5)}, double, double, i64, i64, i64, double, {', '.join([TYPES] * 3)}"
    lines = [
        f"call void @{RENEW}(ptr %numbers, i64 %k)", *image.setup, *setup, *apart_states(kept.size, image.word_count),
        "%last = load double, ptr %end, align 8",
        *(f"%{name}.run = ptrtoint ptr %{name} to i64" for name in ("state", "scratch", "square", "path")),
        "%answer = alloca i64, align 8", "%trouble = alloca ptr, align 8", "store i64 0, ptr %answer",
        f"%thrown = call i32 @{way}(ptr %answer, ptr %trouble, i64 ptrtoint (ptr @model to i64), i64 %state.run,"
        " i64 %scratch.run, i64 %square.run, i64 %path.run, double %t, double %h, i64 %k, i64 %instants,"
        f" i64 %final, double %last, {', '.join(arrays)})",
        "%status = load i64, ptr %answer", "ret i64 %status",
    ]  # fmt: skip
    head = f"define internal i64 @member({ARGUMENTS}, {GIVEN}) alwaysinline {{\n"
    return f"declare i32 @{way}({types}, {STATES_TYPES})\n{head}" + as_text(lines) + "}"
