"""Members in compiled loops: from the numbers of parameters to those of the outputs, without Python for one of them.

The beginning of a study is computed both ways. Should a digit differ, or a member need what compiled loops do not do, the
ordinary path has the last word: results never depend on which way a member went.
"""

from __future__ import annotations

import threading
from collections import Counter
from typing import Any

import numpy as np

from multibody.analyses.members.drive import DriveMembers
from multibody.analyses.members.driven_run import run_members
from multibody.analyses.members.instant import AssembleMembers, StaticsMembers
from multibody.analyses.members.inverse import InverseMembers
from multibody.analyses.members.numbers import NotServed
from multibody.analyses.members.run import RunMembers
from multibody.errors import AnalysisError, ModelError
from multibody.model.model import Model
from multibody.state.system import tables_of
from multibody.study.distributions import Floats
from multibody.study.evaluate import Evaluator
from multibody.study.language import CERTIFICATE
from multibody.study.members import DONE, WAITING, Computed, OrdinaryMembers

FAULTS = (ModelError, AnalysisError, ArithmeticError, np.linalg.LinAlgError)
FAULT_WORDS = {"LinAlgError": "numbers for which a matrix has no solution"}
FEW = 4  # members that are not worth a preparation
LOOPS: dict[str, Any] = {
    "run": run_members, "kinematics": DriveMembers, "inverse": InverseMembers, "statics": StaticsMembers,
    "assemble": AssembleMembers,
}  # fmt: skip


class CompiledMembers:
    """Members that compiled loops compute, with the ordinary path for the rest.

    Parameters
    ----------
    ordinary : OrdinaryMembers
        Which computes any member, one at a time.
    typical : array (varied,), optional
        Values of the member whose structure (rows, what is independent) those of the others are compared with; by default the
        model as it is, where initial values that are varied are zero.

    Attributes
    ----------
    aside : Counter
        How many members the ordinary path computed, by the reason.
    compiled : int
        How many members compiled loops computed.
    stopping : bool
        Whether no further members are to be begun.

    Raises
    ------
    NotServed
        Where compiled loops do not know the analysis, the model or the options.
    """

    threads = True

    def __init__(self, ordinary: OrdinaryMembers, typical: Floats | None = None) -> None:
        given = ordinary.state is not None
        if ordinary.analysis not in LOOPS or (given and ordinary.analysis != "run"):
            raise NotServed(f"{ordinary.analysis} from a given state" if given else ordinary.analysis)
        words = [reduction.word for reduction in ordinary.outputs.reductions]
        watched = {watch.name for watch in tables_of(ordinary.model).watches}
        if any(reduction.word == "first" and reduction.event not in watched for reduction in ordinary.outputs.reductions):
            raise NotServed("an event of results")
        self.typical = typical
        self.ordinary, self.outputs, self.units = ordinary, ordinary.outputs, ordinary.units
        self.model, self.refine = ordinary.model, ordinary.refine
        told = (ordinary.state,) if given else ()
        self.loops = LOOPS[ordinary.analysis](self._typical_model(), ordinary.names, ordinary.options, *told)
        if CERTIFICATE in words and not isinstance(self.loops, RunMembers):
            raise NotServed("a certificate of what is not integrated")
        self.loops.last_only = set(words) <= {"final", "first"}
        self.chunk = self.loops.most
        self.compiled, self.aside = 0, Counter[str]()
        self.stopping = False
        self._trusted: bool | None = None
        self._lock, self._free = threading.Lock(), list[Any]()

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel as what it is made of; rooms and addresses are made where it arrives."""
        return CompiledMembers, (self.ordinary, self.typical)

    def _typical_model(self) -> Model:
        """Return the model whose structure is that of the members."""
        try:
            return self.ordinary.model if self.typical is None else self.ordinary.varied(self.typical)
        except ModelError:  # its values are refused
            return self.ordinary.model

    def stop(self) -> None:
        """Let every thread return after the members that it has under way; those that are not begun keep waiting."""
        self.stopping = True

    def release(self) -> None:
        """Let go of the memory of batches."""
        with self._lock:
            self._free.clear()

    def compute(self, values: Floats) -> Computed:
        """Return the numbers of the members whose values are the rows of an array (members, varied)."""
        n = len(values)
        made = Computed(np.full((n, len(self.outputs.formulas)), np.nan), np.full(n, WAITING, dtype=np.int8), [""] * n)
        values, why = np.ascontiguousarray(values, dtype=float), np.full(n, "", dtype=object)
        most = self.loops.most  # which may become less on the way
        for first in range(0, n, most):
            if self.stopping:
                break
            part = slice(first, min(first + most, n))
            why[part] = self._some(values[part], made.outputs[part])
            made.status[part] = np.where(why[part] == "", DONE, WAITING)
        compiled, rest = int(np.count_nonzero(made.status == DONE)), np.flatnonzero(why != "")
        self._one_by_one(values, rest, made)
        with self._lock:
            self.compiled += compiled
            self.aside.update(why[rest].tolist())
        return made

    def _one_by_one(self, values: Floats, which: Any, made: Computed) -> None:
        """Compute members by the ordinary path; Ctrl-C loses none that is finished."""
        for k in which:
            if self.stopping:
                return
            try:
                found = self.ordinary.compute(values[k : k + 1])
            except KeyboardInterrupt:
                self.stop()
                return
            made.outputs[k], made.status[k], made.messages[k] = found.outputs[0], found.status[0], found.messages[0]

    def _some(self, values: Floats, outputs: Floats) -> Any:
        """Compute members in compiled loops, as far as they fit; return why others did not, "" of those that did (members,)."""
        if self._trusted is False:
            return "its digits differ"
        batch, why, lost = self._taken(len(values)), np.full(len(values), "", dtype=object), ""
        try:
            which = self.loops.computed(batch, values, why)
            for some in batch.alike(which) if len(which) else ():
                outputs[some] = Evaluator(self.outputs, self.loops.answers(batch, some), self.refine).numbers()
            why[which[batch.unsolved(which)]] = batch.lost
        except FAULTS as fault:  # that of one member must not be that of others
            lost = FAULT_WORDS.get(type(fault).__name__, f"{type(fault).__name__} on the way")
        finally:
            with self._lock:
                self._free.append(batch)
        if lost:
            half = (len(values) + 1) // 2
            if half == len(values):
                return np.full(1, lost, dtype=object)
            return np.concatenate([self._some(values[k], outputs[k]) for k in (slice(0, half), slice(half, None))])
        if self._trusted is None and np.any(why == ""):
            self._trusted = self._is_same(values, outputs, int(np.flatnonzero(why == "")[0]))
            why[:] = why if self._trusted else "its digits differ"
        return why

    def _is_same(self, values: Floats, outputs: Floats, k: int) -> bool:
        """Compute one member the ordinary way too; return whether all its digits are the same."""
        found = self.ordinary.compute(values[k : k + 1])
        return bool(found.status[0] == DONE and np.array_equal(found.outputs[0], outputs[k], equal_nan=True))

    def _taken(self, count: int) -> Any:
        """Return room for members that no other thread uses."""
        with self._lock:
            for k, batch in enumerate(self._free):
                if batch.count >= count:
                    return self._free.pop(k)
            self._free.clear()
        return self.loops.batch(count)


def fastest(ordinary: OrdinaryMembers, values: Floats) -> OrdinaryMembers | CompiledMembers:
    """Return what computes members with these values fastest; a few of them are tried.

    The first of these whose structure serves is what others are compared with: one that cannot begin, or whose motion jumps,
    says nothing of the others.
    """
    if len(values) < FEW:
        ordinary.because = f"fewer than {FEW} members"
        return ordinary
    some, said = np.ascontiguousarray(values[np.unique(np.linspace(0, len(values) - 1, FEW).astype(int))]), list[str]()
    for row in some:
        try:
            made = CompiledMembers(ordinary, row.copy())
        except NotServed as reason:
            said.append(str(reason))
            continue
        except FAULTS:  # it says so itself, as a member
            said.append("values that are refused")
            continue
        why = np.ravel(made._some(some, np.zeros((len(some), len(made.outputs.formulas)))))
        if np.any(why == ""):
            return made
        said.append(str(why[0]))
    ordinary.because = said[0]
    return ordinary
