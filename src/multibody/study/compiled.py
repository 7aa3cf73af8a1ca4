"""Members in compiled loops: from the numbers of parameters to those of the outputs, without Python for one of them.

The beginning of a study is computed both ways. Should a digit differ, or a member need what compiled loops do not do, the
ordinary path has the last word: results never depend on which way a member went.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from multibody.analyses.members.batch import Batch
from multibody.analyses.members.run import RunMembers
from multibody.analyses.members.stacked import StackedAnswers
from multibody.errors import AnalysisError, ModelError
from multibody.integrators.members import UNSOLVED
from multibody.study.distributions import Floats
from multibody.study.evaluate import Evaluator
from multibody.study.members import DONE, FAILED, Computed, OrdinaryMembers

FAULTS = (ModelError, AnalysisError, ArithmeticError, np.linalg.LinAlgError)


class CompiledMembers:
    """Members that compiled loops compute, with the ordinary path for the rest.

    Parameters
    ----------
    ordinary : OrdinaryMembers
        Which computes any member, one at a time.
    """

    threads = True

    def __init__(self, ordinary: OrdinaryMembers, loops: RunMembers | None = None) -> None:
        self.ordinary, self.outputs, self.units = ordinary, ordinary.outputs, ordinary.units
        self.loops = RunMembers(ordinary.model, ordinary.names, ordinary.options) if loops is None else loops
        self.chunk = self.loops.most
        self.compiled, self.others = 0, 0
        self._trusted: bool | None = None
        self._lock, self._free = threading.Lock(), list[Batch]()

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel as what it is made of; rooms and addresses are made where it arrives."""
        return CompiledMembers, (self.ordinary,)

    @property
    def model(self) -> Any:
        """The model in which everything that is varied is a parameter."""
        return self.ordinary.model

    @property
    def refine(self) -> bool:
        """Whether extremes are sought between the instants."""
        return self.ordinary.refine

    def varied(self, row: Floats) -> Any:
        """Return the model of one member."""
        return self.ordinary.varied(row)

    def compute(self, values: Floats) -> Computed:
        """Return the numbers of the members whose values are the rows of an array (members, varied)."""
        n = len(values)
        made = Computed(np.full((n, len(self.outputs.formulas)), np.nan), np.full(n, FAILED, dtype=np.int8), [""] * n)
        values = np.ascontiguousarray(values, dtype=float)
        most = self.loops.most
        for first in range(0, n, most):
            part = slice(first, min(first + most, n))
            done = self._some(values[part], made.outputs[part])
            made.status[part][done] = DONE
        rest = np.flatnonzero(made.status != DONE)
        if len(rest):
            found = self.ordinary.compute(values[rest])
            made.outputs[rest], made.status[rest] = found.outputs, found.status
            for k, text in zip(rest, found.messages, strict=True):
                made.messages[k] = text
        with self._lock:
            self.compiled, self.others = self.compiled + n - len(rest), self.others + len(rest)
        return made

    def _some(self, values: Floats, outputs: Floats) -> Any:
        """Compute members in compiled loops, as far as they fit; return which of them did (members,)."""
        done = np.zeros(len(values), dtype=bool)
        if self._trusted is False:
            return done
        batch = self._taken(len(values))
        try:
            which = np.flatnonzero(self.loops.start(batch, values))
            which = self.loops.integrate(batch, which) if len(which) else which
            if len(which):
                answers = StackedAnswers(batch, batch.read(which))
                numbers = Evaluator(self.outputs, answers, self.refine).numbers()
                good = batch.answers[which, 0] != UNSOLVED
                outputs[which[good]], done[which[good]] = numbers[good], True
        except FAULTS:  # one member's fault must not be that of others
            done[:] = False
        finally:
            with self._lock:
                self._free.append(batch)
        if self._trusted is None and np.any(done):
            done &= self._try(values, outputs, done)
        return done

    def _try(self, values: Floats, outputs: Floats, done: Any) -> bool:
        """Compute one member the ordinary way too; return whether all its digits are the same."""
        k = int(np.flatnonzero(done)[0])
        found = self.ordinary.compute(values[k : k + 1])
        self._trusted = bool(found.status[0] == DONE and np.array_equal(found.outputs[0], outputs[k], equal_nan=True))
        return self._trusted

    def _taken(self, count: int) -> Batch:
        """Return room for members that no other thread uses."""
        with self._lock:
            fitting = [k for k, batch in enumerate(self._free) if batch.count >= count]
            if fitting:
                return self._free.pop(fitting[0])
            self._free.clear()
        return self.loops.batch(count)
