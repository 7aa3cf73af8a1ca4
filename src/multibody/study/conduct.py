"""The way through a study: chunks are handed out, taken back in any order, kept, and computed again where they were lost."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Future, wait
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from multibody._target import WriteError
from multibody.arguments import short
from multibody.errors import AnalysisError
from multibody.study.distributions import Floats
from multibody.study.executors import Pool
from multibody.study.members import FAILED, WAITING, Codes, Computed, Members
from multibody.study.store import Store

TRIES = 3  # of a chunk whose worker dies
LOOK = 1.0  # how long an executor may be silent before its futures are asked themselves [s]
Progress = Callable[[int, int], None]
Rows = npt.NDArray[np.intp]


@dataclass
class Book:
    """What is known of all members, in memory and on disk.

    Attributes
    ----------
    values : array (members, varied)
    outputs : array (members, outputs)
    status : array of int8 (members,)
    messages : dict
        By member, of those that stopped or failed.
    size : int
        Members of a chunk.
    store : Store or None
    progress : callable or None
        Called with the number of members computed and of all.
    trouble : str
        Why the store takes no more.
    computed : int
        How many members are computed.
    """

    values: Floats
    outputs: Floats
    status: Codes
    size: int
    store: Store | None = None
    progress: Progress | None = None
    messages: dict[int, str] = field(default_factory=dict)
    trouble: str = ""
    computed: int = 0

    @classmethod
    def blank(cls, values: Floats, outputs: int, size: int, store: Store | None, progress: Progress | None) -> Book:
        """Return a book in which nothing is known; what the store holds is read into it."""
        n = len(values)
        made = cls(values, np.full((n, outputs), np.nan), np.full(n, WAITING, dtype=np.int8), size, store, progress)
        for first in range(0, n, size) if store is not None else ():
            kept = store.read(first, outputs) if store is not None else None
            if kept is not None:
                made.note(np.arange(first, first + len(kept.status)), kept)
        return made

    def todo(self) -> list[int]:
        """Return the chunks with something to compute, by their first members."""
        return [k for k in range(0, len(self.status), self.size) if np.any(self.status[k : k + self.size] == WAITING)]

    def rows(self, first: int) -> Rows:
        """Return the members of a chunk that are not computed yet."""
        return first + np.flatnonzero(self.status[first : first + self.size] == WAITING)

    def note(self, rows: Rows, found: Computed) -> None:
        """Note members that were computed."""
        self.messages.update({int(k): text for k, text in zip(rows, found.messages, strict=True) if text})
        self.outputs[rows], self.status[rows] = found.outputs, found.status
        self.computed = int(np.count_nonzero(self.status != WAITING))

    def tell(self) -> None:
        """Tell how far it is."""
        if self.progress is not None:
            self.progress(self.computed, len(self.status))

    def keep(self, first: int) -> None:
        """Write a chunk to the store; a store that takes no more ends the study in order."""
        if self.store is None or self.trouble:
            return
        part = slice(first, min(first + self.size, len(self.status)))
        if np.all(self.status[part] == WAITING):
            return
        said = [self.messages.get(k, "") for k in range(part.start, part.stop)]
        try:
            self.store.write(first, Computed(self.outputs[part], self.status[part], said))
        except WriteError as error:
            self.trouble = str(error)


def conduct(members: Members, book: Book, pool: Pool | None) -> str:
    """Compute all members that are not computed yet; return what ended it early in words, nothing if nothing did."""
    said = "interrupted"
    try:
        if pool is None:
            _in_turn(members, book)
        else:
            _handed_out(book, pool)
        said = f"the store takes no more ({book.trouble})" if book.trouble else ""
    except KeyboardInterrupt:
        pass
    except AnalysisError as error:  # what was computed is worth more than the error
        if book.computed == 0:
            raise
        said = str(error)
    finally:
        if pool is not None:
            pool.close(at_once=bool(said))
        if (release := getattr(members, "release", None)) is not None:
            release()
    return f"{said} after {book.computed} of {len(book.status)} members" if said else ""


def _interrupt() -> None:
    """Do what Ctrl-C usually does."""
    raise KeyboardInterrupt


def _in_turn(members: Members, book: Book) -> None:
    """Compute members in this process; Ctrl-C loses none that is finished."""
    stride = members.chunk if members.threads else 1
    for first in book.todo():
        rows = book.rows(first)
        try:
            for k in range(0, len(rows), stride):
                some = rows[k : k + stride]
                with _met_by(getattr(members, "stop", _interrupt)):
                    found = members.compute(book.values[some])
                book.note(some, found)
                book.tell()
                if getattr(members, "stopping", False):
                    raise KeyboardInterrupt
        finally:
            book.keep(first)
        if book.trouble:
            return


@contextlib.contextmanager
def _met_by(asked: Callable[[], None]) -> Iterator[None]:
    """Let the first Ctrl-C within call something in the place of an exception."""
    usual = signal.default_int_handler
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGINT) is not usual:
        yield
        return

    def meet(*_: Any) -> None:
        signal.signal(signal.SIGINT, usual)
        asked()

    signal.signal(signal.SIGINT, meet)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)


@contextlib.contextmanager
def _held() -> Iterator[None]:
    """Let Ctrl-C wait until what is handed out or taken within is written down."""
    came: list[bool] = []
    with _met_by(lambda: came.append(True)):
        yield
    if came:
        raise KeyboardInterrupt


def _handed_out(book: Book, pool: Pool) -> None:
    """Hand chunks out and take them back as they come."""
    waiting, suspects = deque(book.todo()), deque[int]()
    tries: dict[int, int] = {}
    flying: dict[Future[Computed], int] = {}
    try:
        while (waiting or suspects or flying) and not book.trouble:
            with _held():
                _fill(book, pool, waiting, suspects, flying)
            wait(flying, timeout=LOOK, return_when=FIRST_COMPLETED)
            done = [future for future in flying if future.done()]  # cancelled ones too, of which an executor may never tell
            lost: dict[int, Any] = {}
            with _held():
                for future in done:  # each is in flight until it is noted, whatever a progress function does
                    if not _taken(book, future, flying[future]):
                        lost[flying[future]] = _cause(future)
                    del flying[future]
            broken = [cause for cause in lost.values() if isinstance(cause, BrokenExecutor)]
            if broken:  # all that was under way is lost with it, and nothing says whose fault it was
                lost |= dict.fromkeys(flying.values(), broken[0])
                flying.clear()
                if not pool.renew():
                    raise AnalysisError(f"the executor broke ({_why(broken[0])}) and another one is needed")
            _again(book, lost, tries, suspects)
    finally:
        _collect(book, pool, flying)


def _fill(
    book: Book, pool: Pool, waiting: deque[int], suspects: deque[int], flying: dict[Future[Computed], int]
) -> None:
    """Keep the pool busy; a chunk that was lost once is computed alone, so that none suffers for another."""
    if suspects:
        if not flying:
            first = suspects.popleft()
            flying[_submitted(book, pool, first)] = first
        return
    while waiting and len(flying) < pool.width:
        first = waiting.popleft()
        flying[_submitted(book, pool, first)] = first


def _submitted(book: Book, pool: Pool, first: int) -> Future[Computed]:
    """Hand over a chunk; a pool that takes none any more has broken, which its future says."""
    problem, found = "", None
    try:
        found = pool.submit(book.values[book.rows(first)])
        if isinstance(found, Future):
            return found
        problem = f"its submit returned {short(found)}, which is no future"
    except Exception as refused:
        problem = _why(refused)
    broken: Future[Computed] = Future()
    broken.set_exception(BrokenExecutor(problem))
    return broken


def _taken(book: Book, future: Future[Computed], first: int) -> bool:
    """Take the answer of a chunk; False if it has none."""
    cause = _cause(future)
    if isinstance(cause, KeyboardInterrupt):
        raise cause
    if cause is not None:
        return False
    book.note(book.rows(first), future.result())
    book.keep(first)
    book.tell()
    return True


def _cause(future: Future[Computed]) -> BaseException | None:
    """Return why a chunk has no answer, None if it has one."""
    if future.cancelled():
        return CancelledError("cancelled")
    cause = future.exception()
    if cause is None and not isinstance(future.result(), Computed):
        return TypeError(f"it answered {short(future.result())}")
    return cause


def _again(book: Book, lost: dict[int, Any], tries: dict[int, int], suspects: deque[int]) -> None:
    """Note chunks that were lost for another try; after the last one their members count as failed."""
    for first, cause in lost.items():
        tries[first] = tries.get(first, 0) + 1
        if tries[first] < TRIES:
            suspects.append(first)
            continue
        if book.computed == 0:
            hint = 'a script that starts processes needs its work under if __name__ == "__main__":'
            hint = hint if isinstance(cause, BrokenExecutor) else "compute one member alone to see why"
            raise AnalysisError(f"the workers end without an answer ({_why(cause)}); {hint}")
        rows = book.rows(first)
        text = f"its worker ended {TRIES} times without an answer ({_why(cause)})"
        lost_values = np.full((len(rows), book.outputs.shape[1]), np.nan)
        book.note(rows, Computed(lost_values, np.full(len(rows), FAILED, dtype=np.int8), [text] * len(rows)))
        book.keep(first)


def _why(cause: BaseException) -> str:
    """Return an exception in one line."""
    if type(cause) is BrokenExecutor:  # of our own: it says already what it is
        return str(cause)
    return " ".join(f"{type(cause).__name__}: {cause}".split())[:200]


def _collect(book: Book, pool: Pool, flying: dict[Future[Computed], int]) -> None:
    """Take what is finished when the study ends early, or will be at once, and drop the rest."""
    begun = {future: first for future, first in flying.items() if not future.cancel()}
    if begun:
        wait(begun, timeout=pool.soon())
    for future, first in begun.items():
        if future.done() and _cause(future) is None:
            rows, found = book.rows(first), future.result()
            if len(rows) == len(found.status):  # else it is noted already
                book.note(rows, found)
            book.keep(first)
