"""Many members of a run in specialized code: prepared, moved, read on the way, on the host or on a device."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from multibody.analyses.specialized.driven import DrivenPreparation
from multibody.analyses.specialized.prepared import Preparation
from multibody.analyses.specialized.symbols import inputs_of, numbers_of, read
from multibody.errors import AnalysisError, ModelError
from multibody.model.expressions import Number
from multibody.model.model import Model
from multibody.specialize import reducing
from multibody.specialize.cuda import Driver, NoDevice
from multibody.specialize.device import Disagreement
from multibody.specialize.image import Floats
from multibody.specialize.observer import Asked, Known
from multibody.specialize.schedule import host_run
from multibody.state.state import State
from multibody.tables.programs import Compiler

DEVICES = ("host", "cuda")
ELSEWHERE = 'say device="host" for the same code on this machine\'s own processor'
NOT_FITTING, STOPPED = "it does not fit the code", "it does not come to its end"
KINDS = {  # of running numbers, by the words of the analysis of outputs
    "largest": reducing.LARGEST, "smallest": reducing.SMALLEST, "integral": reducing.INTEGRAL, "square": reducing.SQUARE,
    "value": reducing.VALUE,
}  # fmt: skip


class Running(NamedTuple):
    """A number that is made of a formula over time: its kind, of which formula, and when where that matters (None: last)."""

    kind: str
    series: int
    time: float | None = None


@dataclass(frozen=True)
class Answers:
    """The running numbers of some members.

    Attributes
    ----------
    values, times : arrays (members, running numbers)
        Of extremes also when they are.
    parameters : array (members, parameters)
        Those that were asked for.
    fits : array (members,) of bool
        Whether a member was computed at all, and came to the end.
    why : array of text (members,)
        Why it was not, "" of the others.
    """

    values: Floats
    times: Floats
    parameters: Floats
    fits: Any
    why: Any


class SideBySide:
    """Members of a run, or driven ones, that are moved side by side.

    Parameters
    ----------
    model, names, state, told
        As for :class:`Preparation` or :class:`DrivenPreparation`.
    formulas : sequence of Number
        Of paths, over time.
    texts : sequence of str
        As they are written.
    running : sequence of Running
    between : bool
        Whether extremes are sought between the instants.
    verb : str
        ``run``, ``kinematics`` or ``inverse``.
    """

    def __init__(
        self, model: Model, names: tuple[str, ...], state: State | None, told: Mapping[str, Any], formulas: Sequence[Number],
        texts: Sequence[str], running: Sequence[Running], between: bool, verb: str = "run",
    ) -> None:  # fmt: skip
        self.prepare: Preparation | DrivenPreparation
        if verb == "run":
            self.prepare = Preparation(model, names, state, told)
        else:
            self.prepare = DrivenPreparation(model, names, state, told, verb)
        self._lock, self._busy = threading.Lock(), threading.Lock()  # one chunk is prepared while another is computed
        self.schedule = self.prepare.schedule
        tables = self.prepare.tables
        count = tables.count_joint + tables.count_motion
        entries = int(tables.row_pointer[count])
        measurer = self.prepare.measurer(entries)
        said = read(measurer, formulas, texts)
        loads = tables.load_count
        known = Known(
            tables.nq, tables.nv, count, tables.effort_count, loads, entries, tuple(measurer.functions), self.prepare.reading
        )
        constants: list[float] = []

        def placed(value: float) -> int:
            constants.append(value)
            return len(constants) - 1

        compiler = Compiler(numbers_of(len(tables.F)), {}, placed)
        inputs = inputs_of(known.lengths, {part: known.at(part) for part in known.lengths})
        operations, values = compiler.operations(said, inputs, "study.outputs")
        instants = [-1 if each.time is None else self._instant(each.time) for each in running]
        kinds, series = [KINDS[each.kind] for each in running], [each.series for each in running]
        self.asked = Asked(
            known, operations, constants, values, kinds, series, instants, between, self.prepare.closing,
            self.prepare.acting(),
        )  # fmt: skip

    def _instant(self, time: float) -> int:
        """Return the number of the instant at a time."""
        s = self.schedule
        k = (time - s.t) / (s.every * s.h)
        if not 0 <= round(k) <= s.count or abs(k - round(k)) > 1e-9 * max(1.0, abs(k)):
            hint = f"instants lie {abs(s.every * s.h):g} apart; take a step that divides {time:g}"
            raise ModelError(f"specialized code reads nothing at t = {time:g}", where="study.step", hint=hint)
        return round(k)

    @cached_property
    def _host(self) -> tuple[Any, Any]:
        return self.prepare.code.host, self.prepare.code.reader(self.asked)

    @cached_property
    def _device(self) -> Any:
        return self.prepare.code.device(self.asked)

    def compute(self, values: Floats, parameters: Sequence[int], device: str, seed: int) -> Answers:
        """Return the running numbers of members.

        Parameters
        ----------
        values : array (members, varied)
        parameters : sequence of int
            Numbers of the model that are wanted of every member.
        device : str
            Of ``DEVICES``.
        seed : int
            Chooses the members that the host computes too.
        """
        with self._lock:  # one room to prepare members in
            made, code = self.prepare.prepared(values), self._host[0]
        fits, which = made.fits.copy(), np.flatnonzero(made.fits)
        why = np.where(fits, "", NOT_FITTING).astype(object)
        found = np.full((len(values), reducing.PLACES * len(self.asked.kinds)), np.nan)
        if len(which):
            numbers, y = (np.ascontiguousarray(each[which]) for each in (made.numbers, made.y))
            words = np.ascontiguousarray(made.words[which])
            told = None if made.told is None else np.ascontiguousarray(made.told[which])
            found[which], statuses = self._moved(numbers, y, words, told, device, seed)
            fits[which] = statuses == 0
            why[which[statuses != 0]] = STOPPED
        first = code.program.image.number("model.numbers")
        places = found.reshape(len(values), -1, reducing.PLACES)
        answers, times = places[..., reducing.ANSWER], places[..., reducing.COMPANION]
        return Answers(answers, times, made.numbers[:, [first + k for k in parameters]], fits, why)

    def _moved(self, numbers: Floats, y: Floats, words: Any, told: Floats | None, device: str, seed: int) -> tuple[Floats, Any]:
        """Return results and statuses of members."""
        if device == "host":
            return host_run(*self._host, numbers, y, words, self.schedule, None, told)
        try:
            with self._busy:  # one chunk fills a device
                results, outcome = self._device.run(numbers, y, words, self.schedule, seed, told=told)
        except Disagreement as error:
            raise AnalysisError(f"what the device computes is not what the host computes ({error}); {ELSEWHERE}") from None
        except RuntimeError as error:  # of the driver: no memory, a device that is lost
            raise AnalysisError(f"the device does not go on ({error}); {ELSEWHERE}") from None
        return results, outcome.statuses


def require_device() -> None:
    """Raise where there is no processor of NVIDIA's, with what to do."""
    try:
        Driver()
    except NoDevice as error:
        hint = f"install NVIDIA's driver where there is such a processor; without it {ELSEWHERE}"
        raise ModelError(str(error), where="study.device", hint=hint) from None
