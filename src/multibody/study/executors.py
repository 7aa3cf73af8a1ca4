"""Where members are computed: in this process, on threads or processes of our own, or on an executor or cluster that is given.

Chunks travel as arrays, with the members' object pickled once; a worker unpickles that once and keeps it. A worker that is
killed takes its chunk along, and the chunk is computed again.
"""

from __future__ import annotations

import functools
import multiprocessing
import os
import pickle
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any, Protocol

from multibody._version import __version__
from multibody.arguments import short, warn
from multibody.errors import AnalysisError, ModelError
from multibody.study.distributions import Floats
from multibody.study.members import Computed, Members

AHEAD = 2  # chunks that wait for a worker beside the one that it computes
PATIENCE = 5.0  # for members that threads have under way when a study is interrupted [s]
RETRIES = 2  # that a cluster makes on its own


Work = Callable[[Floats], Computed]


def compute_chunk(payload: bytes, values: Floats) -> Computed:
    """Return a chunk, in whatever process this is.

    Parameters
    ----------
    payload : bytes
        The members' object, pickled.
    values : array (members, varied)
    """
    return _unpacked(payload).compute(values)


@functools.lru_cache(maxsize=2)
def _unpacked(payload: bytes) -> Members:
    """Return the members' object; a worker computes many chunks with one."""
    version, inside = pickle.loads(payload)
    if version != __version__:
        raise AnalysisError(f"this worker has version {__version__} of multibody, and the study {version}; install one of them")
    made: Members = pickle.loads(inside)
    return made


class Pool(Protocol):
    """Something that chunks are handed to."""

    width: int
    """How many chunks it is well handed at once."""

    def submit(self, values: Floats) -> Future[Computed]:
        """Hand over a chunk."""
        ...

    def renew(self) -> bool:
        """Begin anew after it broke; False where that is not possible."""
        ...

    def soon(self) -> float:
        """Ask what is under way to come to an end; return for how long that is worth waiting [s]."""
        ...

    def close(self, at_once: bool) -> None:
        """Let go of what is our own, of chunks under way too where it is to be at once."""
        ...


class Threads:
    """Threads of this process, for members that let go of Python's lock."""

    def __init__(self, members: Members, workers: int) -> None:
        self._members, self._pool, self.width = members, ThreadPoolExecutor(workers), AHEAD * workers

    def submit(self, values: Floats) -> Future[Computed]:
        """Hand over a chunk."""
        return self._pool.submit(self._members.compute, values)

    def renew(self) -> bool:
        """Threads do not break."""
        return False

    def soon(self) -> float:
        """Let threads return after the members that they have under way."""
        stop = getattr(self._members, "stop", None)
        if stop is None:
            return 0.0
        stop()
        return PATIENCE

    def close(self, at_once: bool) -> None:
        """Drop what was not begun; a thread cannot be ended."""
        self._pool.shutdown(wait=not at_once, cancel_futures=True)


class Processes:
    """Processes of our own, begun anew when one of them is killed."""

    def __init__(self, payload: bytes, workers: int, context: Any = None) -> None:
        self._payload, self._workers, self.width = payload, workers, AHEAD * workers
        self._context = context or multiprocessing.get_context("spawn")  # a fork may copy locks that other threads hold
        self._pool = self._begun()

    def _begun(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(self._workers, self._context, initializer=_begin_worker)

    def submit(self, values: Floats) -> Future[Computed]:
        """Hand over a chunk."""
        return self._pool.submit(compute_chunk, self._payload, values)

    def renew(self) -> bool:
        """Begin new processes."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._pool = self._begun()
        return True

    def soon(self) -> float:
        """Wait for none: processes are ended."""
        return 0.0

    def close(self, at_once: bool) -> None:
        """Let the processes end, or end them."""
        if at_once:
            for process in list((self._pool._processes or {}).values()):
                process.terminate()
        self._pool.shutdown(wait=True, cancel_futures=True)


class Given:
    """An executor of the user, or a Dask client; it stays open."""

    def __init__(self, members: Members, executor: Executor, width: int) -> None:
        self._executor, self._workers, self.width = executor, width, AHEAD * width
        shared = isinstance(executor, ThreadPoolExecutor) and members.threads  # with this process: nothing has to travel
        self._payload = b"" if shared else packed(members)
        self._work: Work = members.compute if shared else functools.partial(compute_chunk, self._payload)
        self._instead: Processes | None = None

    def submit(self, values: Floats) -> Future[Computed]:
        """Hand over a chunk."""
        if self._instead is not None:
            return self._instead.submit(values)
        return self._executor.submit(self._work, values)

    def renew(self) -> bool:
        """Take processes of our own, as many, in the place of a process pool that broke: Python's cannot be mended."""
        if self._instead is not None:
            return self._instead.renew()
        if isinstance(self._executor, ProcessPoolExecutor):
            self._instead = Processes(self._payload, self._workers)
        return self._instead is not None

    def soon(self) -> float:
        """Wait for none: the executor belongs to somebody else."""
        return 0.0

    def close(self, at_once: bool) -> None:
        """Leave the executor to whom it belongs; what took its place is closed."""
        if self._instead is not None:
            self._instead.close(at_once)


def _begin_worker() -> None:
    """Leave Ctrl-C to the parent, which ends the study in order; end with the parent, however that ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: Any) -> None:
    """Wait for another process to end, and end."""
    parent.join()
    os._exit(0)


def pool_of(members: Members, executor: Any, workers: int | None, chunks: int) -> Pool | None:
    """Return where chunks are computed; None for this process, one after the other.

    Parameters
    ----------
    members : Members
    executor : Executor, dask.distributed.Client or None
    workers : int, optional
        Of our own: threads for members that let go of Python's lock, by default one a processor; processes otherwise, by
        default none.
    chunks : int
        How many there are to compute.
    """
    if executor is not None:
        if workers is not None:
            raise ModelError("workers together with an executor", where="study.workers", hint="an executor has its own")
        return _given(members, executor)
    if workers is None and members.threads:
        workers = processors()
    if workers is None or min(workers, chunks) <= 1:
        return None
    count = min(workers, chunks)
    return Threads(members, count) if members.threads else Processes(packed(members), count)


def processors() -> int:
    """Return how many processors this process may use."""
    asked = getattr(os, "sched_getaffinity", None)
    return len(asked(0)) if asked is not None else os.cpu_count() or 1


def packed(members: Members) -> bytes:
    """Return the members' object as it travels."""
    try:
        return pickle.dumps((__version__, pickle.dumps(members)))
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        problem = f"what the members need cannot be sent to another process ({error})"
        raise ModelError(problem, where="study.executor", hint="leave the executor and workers out") from None


def _given(members: Members, executor: Any) -> Pool:
    """Return an executor or a Dask client as what chunks are handed to."""
    if hasattr(executor, "get_executor") and hasattr(executor, "nthreads"):
        return Given(members, executor.get_executor(pure=False, retries=RETRIES), _threads_of(executor))
    if not callable(getattr(executor, "submit", None)):
        hint = "give an executor of concurrent.futures, or a dask.distributed.Client"
        raise ModelError(f"{short(executor)} is no executor", where="study.executor", hint=hint)
    width = getattr(executor, "_max_workers", None)
    return Given(members, executor, width if isinstance(width, int) and width > 0 else os.cpu_count() or 1)


def _threads_of(client: Any) -> int:
    """Return how many threads the workers of a Dask client have; a cluster without workers may get some."""
    if getattr(client, "status", "running") != "running":
        problem = f"the Dask client is {client.status}"
        raise ModelError(problem, where="study.executor", hint="give one that is connected to its cluster")
    count = int(sum(client.nthreads().values()))
    if count == 0:
        warn("the cluster has no workers: the study waits until it gets some")
    return max(1, count)
