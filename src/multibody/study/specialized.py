"""Members in specialized code: the structure of the model is part of the code, outputs are made while members move.

What such code does not do is refused with the reason. A member that has another structure, or that a step cannot be made of,
is computed by the ordinary way.
"""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from multibody.analyses.specialized.batch import DEVICES, Answers, Running, SideBySide, require_device
from multibody.arguments import short
from multibody.errors import ModelError
from multibody.model.expressions import Expression, Number, evaluate, names
from multibody.model.expressions.nodes import CONSTANTS
from multibody.state.system import tables_of
from multibody.study.distributions import Floats
from multibody.study.language import CERTIFICATE, EXTREMES, Outputs, Reduction, written
from multibody.study.members import DONE, Computed, OrdinaryMembers
from multibody.tables.splines import table_function

ANALYSES = ("run", "kinematics", "inverse")
CHUNKS = {"host": 2048, "cuda": 16384}  # members that are well computed in one call
KINDS = {"integral": "integral", "mean": "integral", "rms": "square", "final": "value", "at": "value"}


UNREAD = {"first": "events", CERTIFICATE: "certificate"}  # what is found by analyses alone


@dataclass
class SpecializedMembers:
    """Members in code that is made for their structure.

    Attributes
    ----------
    ordinary : OrdinaryMembers
        The same members by the ordinary verbs.
    device : str
        ``host`` or ``cuda``.
    seed : int
        Chooses the members of every chunk that the host computes too.
    chunk : int
    threads : bool
    outputs : Outputs
    units : tuple of str
    compiled : int
        How many members specialized code computed.
    aside : Counter
        How many the ordinary path computed, by the reason.
    """

    ordinary: OrdinaryMembers
    device: str
    seed: int
    chunk: int
    threads: bool = True
    outputs: Outputs = field(init=False)
    units: tuple[str, ...] = field(init=False)
    compiled: int = 0
    aside: Counter[str] = field(default_factory=Counter)
    _made: SideBySide | None = None
    _lock: Any = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        """Take over what is asked for."""
        self.outputs, self.units = self.ordinary.outputs, self.ordinary.units

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_made": None, "_lock": None}

    def __setstate__(self, known: dict[str, Any]) -> None:
        self.__dict__.update(known, _lock=threading.Lock())

    @property
    def refine(self) -> bool:
        """Whether extremes are sought between the instants: on parabolas through three of them."""
        return self.ordinary.refine

    @property
    def model(self) -> Any:
        """The model in which everything that is varied is a parameter."""
        return self.ordinary.model

    @property
    def batch(self) -> SideBySide:
        """What moves members, made on first use."""
        with self._lock:
            if self._made is None:
                series = _series(self.outputs)
                known = self.outputs.reductions
                texts = [next(written(each, known) for each in known if each.formula == formula) for formula in series]
                running = [_running(each, series) for each in self.outputs.reductions]
                o = self.ordinary
                self._made = SideBySide(o.model, o.names, o.state, o.options, series, texts, running, o.refine, o.analysis)
            return self._made

    @property
    def _left_over(self) -> OrdinaryMembers:
        """The ordinary way for members that do not fit, read at the instants of the others."""
        s, o = self.batch.schedule, self.ordinary
        if o.analysis != "run" or o.options.get("output_step") is not None:
            return o
        return replace(o, options={**o.options, "output_step": abs(s.h) * s.every})

    def compute(self, values: Floats) -> Computed:
        """Return the numbers of the members whose values are the rows of an array (members, varied)."""
        wanted, n = sorted(self._parameters()), len(values)
        slots = tables_of(self.model).parameter_slots
        found = self.batch.compute(values, [slots[parts] for parts in wanted], self.device, self.seed)
        known = {parts: found.parameters[:, k] for k, parts in enumerate(wanted)}
        made = Computed(self._numbers(found, known), np.full(n, DONE, dtype=np.int8), [""] * n)
        left = np.flatnonzero(~found.fits)
        with self._lock:
            self.compiled += n - len(left)
            self.aside.update(found.why[left].tolist())
        if len(left):
            other = self._left_over.compute(values[left])
            made.outputs[left], made.status[left] = other.outputs, other.status
            for k, text in zip(left, other.messages, strict=True):
                made.messages[k] = text
        return made

    def _parameters(self) -> set[tuple[str, ...]]:
        """Return the parameters that stand in outputs outside of what is over time."""
        found = set().union(*(names(each) for each in self.outputs.formulas if isinstance(each, Expression)))
        return {parts for parts in found if parts not in CONSTANTS and not parts[0].startswith("#")}

    def _numbers(self, found: Answers, known: dict[tuple[str, ...], Floats]) -> Floats:
        """Return the outputs of all members, made of running numbers and parameters."""
        s = self.batch.schedule
        span = abs(s.h) * s.every * s.count
        rows = zip(self.outputs.reductions, found.values.T, found.times.T, strict=True)
        reduced = [_reduced(each, values, times, span) for each, values, times in rows]
        splines = {name: table_function(table) for name, table in self.model.tables.items()}

        def lookup(parts: tuple[str, ...]) -> Floats:
            return reduced[int(parts[0][1:])] if parts[0].startswith("#") else known[parts]

        made = np.zeros((len(found.fits), len(self.outputs.formulas)))
        for k, formula in enumerate(self.outputs.formulas):
            made[:, k] = evaluate(formula, lookup, splines)
        return made


def on_device(members: OrdinaryMembers, device: Any, seed: int) -> SpecializedMembers:
    """Return members in specialized code, everything that can be judged beforehand judged.

    Parameters
    ----------
    members : OrdinaryMembers
    device : str
        ``host`` or ``cuda``.
    seed : int
    """
    if not isinstance(device, str) or device not in DEVICES:
        hint = "it is host (this machine's processor) or cuda (one of NVIDIA's)"
        raise ModelError(f"unknown device {short(device)}", where="study.device", hint=hint)
    if members.analysis not in ANALYSES:
        problem = f"specialized code moves members by {', '.join(ANALYSES)}, and not by {members.analysis}"
        raise ModelError(problem, where="study.device", hint="leave device out")
    if device == "cuda":
        require_device()
    made = SpecializedMembers(members, device, seed, CHUNKS[device])
    made.batch  # noqa: B018 (what it refuses is told before anything is computed)
    return made


def _series(outputs: Outputs) -> list[Number]:
    """Return the formulas over time, each once."""
    return list(dict.fromkeys(each.formula for each in outputs.reductions if each.word not in UNREAD))


def _running(reduction: Reduction, series: list[Number]) -> Running:
    """Return a reduction as a number that is made while a member moves."""
    where = f"output {reduction.word}({reduction.text})"
    if reduction.word in UNREAD:
        problem = f"specialized code knows no {UNREAD[reduction.word]}"
        raise ModelError(problem, where=where, hint="leave device out")
    if reduction.word in EXTREMES:
        return Running("smallest" if reduction.word.endswith("min") else "largest", series.index(reduction.formula))
    if isinstance(reduction.time, Expression):
        hint = "give a number, or leave device out"
        raise ModelError("specialized code reads all members at one time", where=where, hint=hint)
    time = float(reduction.time) if reduction.word == "at" else None
    return Running(KINDS[reduction.word], series.index(reduction.formula), time)


def _reduced(reduction: Reduction, values: Floats, times: Floats, span: float) -> Floats:
    """Return a reduction of all members from its running number."""
    if reduction.word.startswith("time"):
        return times
    if reduction.word == "mean":
        return values / span
    return np.sqrt(values / span) if reduction.word == "rms" else values
