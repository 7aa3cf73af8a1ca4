"""Thousands of broken model files through every verb: how many are answered in words, and what was not.

Each file comes from one seed (``tests/across/fuzzing/mutations.py``) and goes through all verbs in a process of its own, forked
from one that has everything imported and all kernels loaded, with limits on memory, processor time and time by the clock.
A verb that has computed for some seconds is interrupted as by Ctrl-C: a model may ask for a long computation, but what was
computed has to come out. These are listed as long. A process that does not obey, or dies, is reported with its seed; so is a
traceback or a warning of Python that passes by the verb's own words. ``--seed N`` shows the file of a seed.

Usage: ``python benchmarks/fuzz.py [--count 10000] [--first 0] [--jobs 1] [--patience 20] [--seconds 60] [--memory 6]``
"""

from __future__ import annotations

import argparse
import json
import math
import os
import pathlib
import resource
import select
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NoReturn

os.environ.setdefault("OMP_NUM_THREADS", "1")  # threads of BLAS do not survive a fork, and one process is to use one core
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tests"))

SLACK = 5.0  # times a limit of processor time: what the clock may show on a busy machine
PASSED_BY = ("Traceback", "Exception ignored", "RuntimeWarning", "Fatal Python error")  # never part of an answer


@dataclass(frozen=True)
class Limits:
    """What a verb on one file may use."""

    patience: float  # processor time after which it is interrupted [s]
    seconds: float  # processor time after which it is killed [s]
    memory: float  # address space [GiB]
    end: float = math.inf  # when to begin no further file, by time.perf_counter [s]


@dataclass
class Found:
    """What came of one file."""

    seed: int
    faults: dict[str, str] = field(default_factory=dict)
    long: dict[str, float] = field(default_factory=dict)


def interrupt(*_: object) -> None:
    """Do what Ctrl-C does."""
    raise KeyboardInterrupt


def prepare(folder: pathlib.Path) -> None:
    """Import everything and load all kernels: every verb on every model that files are made of."""
    from across.fuzzing.mutations import sources
    from across.fuzzing.verbs import VERBS, fault_of
    from multibody.files.yaml12 import write_yaml

    for data in sources():
        file = folder / "prepare.yaml"
        file.write_text(write_yaml(data))
        for verb in VERBS:
            fault_of(verb, file)


def child(seed: int, folder: pathlib.Path, pipe: int, limits: Limits) -> NoReturn:
    """Be the process of one file: go through all verbs, tell the pipe, end without any cleaning up."""
    import faulthandler

    from across.fuzzing.mutations import mutated
    from across.fuzzing.verbs import VERBS, fault_of

    said = os.open(folder / "said", os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND)
    os.dup2(said, 1)
    os.dup2(said, 2)
    faulthandler.enable(file=2)
    signal.signal(signal.SIGPROF, interrupt)
    resource.setrlimit(resource.RLIMIT_AS, (int(limits.memory * 2**30),) * 2)
    try:
        ending, text = mutated(seed)
        file = folder / f"m{ending}"
        file.write_bytes(text.encode("utf-8", "surrogatepass"))
        for verb in VERBS:
            tell(pipe, verb=verb)
            begin = time.process_time()
            resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(begin + limits.seconds), resource.RLIM_INFINITY))
            signal.setitimer(signal.ITIMER_PROF, limits.patience)
            try:
                fault = fault_of(verb, file)
            except KeyboardInterrupt:  # it came between the verb and here
                fault = ""
            signal.setitimer(signal.ITIMER_PROF, 0.0)
            tell(pipe, verb=verb, fault=fault, took=round(time.process_time() - begin, 1))
        tell(pipe, done=True)
        os._exit(0)
    except BaseException:
        os.write(2, traceback.format_exc().encode())
        os._exit(1)


def tell(pipe: int, **words: object) -> None:
    """Write one line of JSON."""
    os.write(pipe, json.dumps(words).encode() + b"\n")


def told(pipe: int, process: int, seconds: float) -> Iterator[dict[str, Any]]:
    """Yield the lines of a process; one that says nothing for so long is killed."""
    rest = b""
    while True:
        if not select.select([pipe], [], [], seconds)[0]:
            os.kill(process, signal.SIGKILL)
            return
        got = os.read(pipe, 65536)
        if not got:
            return
        *lines, rest = (rest + got).split(b"\n")
        yield from (json.loads(line) for line in lines)


def tried(seed: int, folder: pathlib.Path, limits: Limits) -> Found:
    """Return what came of the file of a seed, in a process of its own."""
    reads, writes = os.pipe()
    process = os.fork()
    if process == 0:
        os.close(reads)
        child(seed, folder, writes, limits)
    os.close(writes)
    found, verb, done = Found(seed), "start", False
    for words in told(reads, process, SLACK * limits.seconds):
        verb, done = words.get("verb", verb), words.get("done", False)
        if words.get("fault"):
            found.faults[verb] = words["fault"]
        if words.get("took", 0.0) > limits.patience:
            found.long[verb] = words["took"]
    os.close(reads)
    status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    said = (folder / "said").read_text(errors="replace") if (folder / "said").exists() else ""
    if status or not done:
        found.faults.setdefault(verb, f"the process ended with {status}: {said[-1500:]}")
    if any(word in said for word in PASSED_BY):
        found.faults.setdefault("all", f"passed by the verbs: {said[-1500:]}")
    return found


def lane(seeds: Iterable[int], limits: Limits) -> list[Found]:
    """Go through seeds until there are none or the time is over; faults are printed at once."""
    all_found = []
    with tempfile.TemporaryDirectory() as place:
        for seed in seeds:
            if time.perf_counter() > limits.end:
                break
            found = tried(seed, pathlib.Path(place), limits)
            all_found.append(found)
            for verb, took in found.long.items():
                print(f"--- seed {seed}, {verb}: long, {took} s", flush=True)
            for verb, fault in found.faults.items():
                print(f"--- seed {seed}, {verb}: {fault}", flush=True)
            if len(all_found) % 250 == 0:
                print(f"{len(all_found)} files, the last with seed {seed}", flush=True)
    return all_found


def lanes(seeds: range, jobs: int, limits: Limits) -> tuple[int, int, int]:
    """Return how many files were tried, had faults, were long; ``jobs`` processes share the seeds."""
    ends = []
    for job in range(jobs):
        reads, writes = os.pipe()
        if os.fork() == 0:
            found = lane(seeds[job::jobs], limits)
            tell(writes, counts=[len(found), sum(bool(item.faults) for item in found), sum(bool(item.long) for item in found)])
            os._exit(0)
        os.close(writes)
        ends.append(reads)
    counts = [json.loads(os.fdopen(end).read())["counts"] for end in ends]
    return sum(item[0] for item in counts), sum(item[1] for item in counts), sum(item[2] for item in counts)


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--patience", type=float, default=20.0, help="processor time after which a verb is interrupted [s]")
    parser.add_argument("--seconds", type=float, default=60.0, help="processor time after which a verb is killed [s]")
    parser.add_argument("--memory", type=float, default=6.0, help="address space of a process [GiB]")
    parser.add_argument("--minutes", type=float, default=math.inf, help="for all; files that are not reached are not counted")
    parser.add_argument("--seed", type=int, help="print the file of a seed")
    given = parser.parse_args()
    if given.seed is not None:
        from across.fuzzing.mutations import mutated

        print(mutated(given.seed)[1])
        return
    begin = time.perf_counter()
    with tempfile.TemporaryDirectory() as place:
        prepare(pathlib.Path(place))
    print(f"prepared in {time.perf_counter() - begin:.0f} s", flush=True)
    limits = Limits(given.patience, given.seconds, given.memory, begin + 60.0 * given.minutes)
    tried_files, bad, long = lanes(range(given.first, given.first + given.count), given.jobs, limits)
    print(f"{tried_files} files, {bad} with faults, {long} long, {time.perf_counter() - begin:.0f} s")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
