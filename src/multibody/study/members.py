"""Members: what computes the numbers of many members from the values of their parameters.

The rest of a study knows nothing but this: an object that can be pickled, is given rows of values and returns rows of outputs.
Each row is computed by itself, so that neither the size of a chunk nor the number of workers changes a digit.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from multibody.arguments import short
from multibody.errors import AnalysisError, MassError, ModelError, nearest
from multibody.model.model import Model
from multibody.model.parameters import changed
from multibody.state.state import State
from multibody.state.system import tables_of
from multibody.study.distributions import Floats
from multibody.study.evaluate import Evaluator, units_of
from multibody.study.language import Outputs, read_outputs
from multibody.study.readings import ANALYSES, Reading
from multibody.study.varied import varied_model

DONE, STOPPED, FAILED, WAITING = 0, 1, 2, 3
RESERVED = ("member", "status", "message")  # columns of tables beside parameters and outputs
STATES = ("done", "stopped", "failed", "not computed")
Codes = npt.NDArray[np.int8]


class Computed(NamedTuple):
    """The numbers of some members.

    Attributes
    ----------
    outputs : array (members, outputs)
        NaN where a member failed; of one that stopped early those of the part that it moved.
    status : array of int8 (members,)
        ``DONE``, ``STOPPED``, ``FAILED``; ``WAITING`` where it was asked to stop before.
    messages : list of str
        Why a member stopped or failed, "" of the others.
    """

    outputs: Floats
    status: Codes
    messages: list[str]


class Members(Protocol):
    """What a study asks of whatever computes its members.

    Attributes
    ----------
    outputs : Outputs
    units : tuple of str
        Of the outputs.
    chunk : int
        How many members are well computed in one call.
    threads : bool
        Whether calls from several threads at once save time; processes are used otherwise.
    """

    outputs: Outputs
    units: tuple[str, ...]
    chunk: int
    threads: bool

    def compute(self, values: Floats) -> Computed:
        """Return the numbers of the members whose values are the rows of an array (members, varied)."""
        ...


@dataclass
class OrdinaryMembers:
    """Members by the ordinary verbs: a copy of the model with other parameters, its analysis, its result.

    Attributes
    ----------
    model : Model
        In which everything that is varied is a parameter.
    names : tuple of str
        These parameters.
    state : State or None
        Where each member starts.
    analysis : str
    options : mapping
    outputs : Outputs
    refine : bool
        Whether extremes are sought between the instants.
    units : tuple of str
    because : str
        Why compiled loops do not compute them.
    """

    model: Model
    names: tuple[str, ...]
    state: State | None
    analysis: str
    options: Mapping[str, Any]
    outputs: Outputs
    refine: bool = True
    units: tuple[str, ...] = ()
    chunk: int = 32
    threads: bool = False
    because: str = ""

    def compute(self, values: Floats) -> Computed:
        """Return the numbers of the members whose values are the rows of an array (members, varied)."""
        n = len(values)
        made = Computed(np.full((n, len(self.outputs.formulas)), np.nan), np.full(n, FAILED, dtype=np.int8), [""] * n)
        for k, row in enumerate(values):
            made.outputs[k], made.status[k], made.messages[k] = self._member(row)
        return made

    def varied(self, row: Floats) -> Model:
        """Return the model of one member."""
        if self.model._lowered is None:
            tables_of(self.model)  # carried over by the copies, whose numbers alone are evaluated anew
        return changed(self.model, {name: float(x) for name, x in zip(self.names, row, strict=True)})

    def _member(self, row: Floats) -> tuple[Any, int, str]:
        """Return outputs, status and message of one member."""
        try:
            reading = ANALYSES[self.analysis](self.varied(row), self.state, self.options)
            if reading.status.interrupted:  # a run ends in order with Ctrl-C; here it is the study that is to end
                raise KeyboardInterrupt
            if len(reading.t) == 0 or not (reading.status.success or self.stops(reading)):
                return np.nan, FAILED, reading.status.sentence
            numbers = Evaluator(self.outputs, reading, self.refine).numbers()[0]
        except (ModelError, AnalysisError, ArithmeticError, np.linalg.LinAlgError) as error:
            return np.nan, FAILED, " ".join(str(error).split()) or type(error).__name__
        except Exception as error:  # a fault of ours costs no other member, and is not hidden
            said = " ".join(f"{type(error).__name__}: {error}".split())[:200]
            return np.nan, FAILED, f"a fault of the package ({said}); please report the model and these values"
        if not reading.status.success:
            return numbers, STOPPED, reading.status.sentence
        return numbers, DONE, ""

    def stops(self, reading: Reading) -> bool:
        """Return whether an answer that is not complete is the beginning of one: a motion that ended early."""
        return not ANALYSES[self.analysis].instant and len(reading.t) > 1


def prepare(
    model: Model, keys: Sequence[str], outputs: Any, analysis: str, options: Mapping[str, Any], initial: Any, refine: bool,
    values: Floats | None = None,
) -> OrdinaryMembers:  # fmt: skip
    """Return what computes the members of a study, everything that can be judged beforehand judged.

    Parameters
    ----------
    model : Model
    keys : sequence of str
        What is varied.
    outputs : text, list or mapping
    analysis : str
        Of ``ANALYSES``.
    options : mapping
        Of the analysis, without those that are not given.
    initial : State, mapping or None
    refine : bool
    values : array (members, varied), optional
        Of all members, some of which are tried where the model as it is does not begin.
    """
    if not isinstance(analysis, str) or analysis not in ANALYSES:
        hint = f"{nearest(str(analysis), ANALYSES)} It is one of {', '.join(ANALYSES)}.".strip()
        raise ModelError(f"unknown analysis {short(analysis)}", where="study.analysis", hint=hint)
    kind = ANALYSES[analysis]
    for key in options:
        if key not in kind.options:
            raise ModelError(f'{analysis} takes no "{key}"', where=f"study.{key}", hint=f"it takes {', '.join(kind.options)}")
    for key in keys:
        if key in RESERVED:
            problem = f'a parameter called "{key}" cannot be varied: tables have a column of that name'
            raise ModelError(problem, where=f"study.{key}", hint="give the parameter another name")
    asked = read_outputs(model, outputs, forces=kind.forces, instant=kind.instant, certified=kind.certified)
    for name in asked.names:
        if name in (*keys, *RESERVED):
            problem = f'an output cannot be called "{name}": tables have a column of that name'
            raise ModelError(problem, where="study.outputs", hint="name it another way")
    made, names, state = varied_model(model, keys, initial)
    tables_of(made)
    members = OrdinaryMembers(made, names, state, analysis, dict(options), asked, refine)
    _try_out(members, model, initial, values)
    return members


def _try_out(members: OrdinaryMembers, model: Model, initial: Any, values: Floats | None) -> None:
    """Read the outputs at a start: for their units, and to refuse what would fail for every member.

    That of the model as it is. It need not be a member nor be able to begin: then some of the members are asked, and what they
    all refuse is refused in the words of the first.
    """
    from multibody.analyses.given.initial import given

    members.units = ("",) * len(members.outputs.formulas)
    some = [] if values is None else [values[k] for k in sorted({0, len(values) // 2, len(values) - 1})]
    refused: list[ModelError | MassError] = []
    for row in (None, *some):
        try:
            nominal, state = given(model, initial) if row is None else (members.varied(row), members.state)
            reading = ANALYSES[members.analysis].begin(nominal, state, members.options)
            if len(reading.t) and reading.status.success:
                _check_times(Evaluator(members.outputs, reading, False), reading)
                members.units = units_of(members.outputs, reading)
                return
        except (ModelError, MassError) as error:
            refused.append(error)
        except AnalysisError:
            pass  # other values may do: every member says for itself
    if len(refused) > len(some):
        raise refused[0]


def _check_times(tried: Evaluator, reading: Reading) -> None:
    """Evaluate the outputs at the start; refuse times of ``at`` that no member reaches."""
    tried.numbers()
    for reduction in tried.outputs.reductions:
        if reduction.word != "at" or math.isnan(reading.end):
            continue
        time, (low, high) = float(tried.number(reduction.time)[0]), sorted((float(reading.t[0]), reading.end))
        if not low <= time <= high:
            where, hint = f"output at({time:g}, {reduction.text})", f"it goes from {low:g} to {high:g}"
            raise ModelError(f"t = {time:g} is outside of the motion", where=where, hint=hint)
