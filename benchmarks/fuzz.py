"""Thousands of broken model files through every verb: how many are answered in words, and what was not.

Each file comes from one seed (``tests/fuzzing/mutations.py``) and goes through all verbs in a worker process with a limit on
its memory. A verb that is still at work after some seconds is interrupted as by Ctrl-C: a model may ask for a long computation,
but what was computed has to come out. These are listed as long. A worker that does not obey, or dies, is replaced, and its seed
is reported. ``--seed N`` shows one.

Usage: ``python benchmarks/fuzz.py [--count 10000] [--first 0] [--jobs 2] [--seconds 60] [--memory 6] [--minutes 12]``
"""

from __future__ import annotations

import argparse
import json
import math
import pathlib
import queue
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tests"))


def interrupt(*_: object) -> None:
    """Do what Ctrl-C does."""
    raise KeyboardInterrupt


def work(memory: float, patience: float) -> None:
    """Be a worker: read seeds from stdin, write one line of JSON for each."""
    import faulthandler

    from fuzzing.mutations import mutated
    from fuzzing.verbs import VERBS, fault_of

    faulthandler.enable()
    signal.signal(signal.SIGALRM, interrupt)
    resource.setrlimit(resource.RLIMIT_AS, (int(memory * 2**30),) * 2)
    with tempfile.TemporaryDirectory() as folder:
        for line in sys.stdin:
            seed = int(line)
            ending, text = mutated(seed)
            file = pathlib.Path(folder) / f"m{ending}"
            file.write_bytes(text.encode("utf-8", "surrogatepass"))
            long, faults = {}, {}
            for verb in VERBS:
                print(json.dumps({"seed": seed, "verb": verb}), flush=True)
                begin = time.perf_counter()
                signal.setitimer(signal.ITIMER_REAL, patience)
                try:
                    fault = fault_of(verb, file)
                except KeyboardInterrupt:  # it came between the verb and here
                    fault = ""
                signal.setitimer(signal.ITIMER_REAL, 0.0)
                took = time.perf_counter() - begin
                if took > patience:
                    long[verb] = round(took, 1)
                if fault:
                    faults[verb] = fault
            print(json.dumps({"seed": seed, "done": True, "faults": faults, "long": long}), flush=True)


class Worker:
    """A process that goes through files, watched from outside."""

    def __init__(self, memory: float, patience: float) -> None:
        words = [sys.executable, __file__, "--work", "--memory", str(memory), "--patience", str(patience)]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.lines: queue.Queue[str] = queue.Queue()
        self.said: list[str] = []
        threading.Thread(target=self._read, daemon=True).start()
        threading.Thread(target=lambda: self.said.extend(self.process.stderr or ()), daemon=True).start()

    def _read(self) -> None:
        for line in self.process.stdout or ():
            self.lines.put(line)
        self.lines.put("")

    def ask(self, seed: int, seconds: float) -> dict[str, object]:
        """Return what came of a seed; a worker that is late or dead ends here."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{seed}\n")
        self.process.stdin.flush()
        verb = "start"
        while True:
            try:
                line = self.lines.get(timeout=seconds)
            except queue.Empty:
                self.process.kill()
                return {"seed": seed, "faults": {verb: f"no answer in {seconds:g} s"}, "dead": True}
            if not line:
                words = "".join(self.said[-12:])
                return {"seed": seed, "faults": {verb: f"the process died ({self.process.wait()}): {words}"}, "dead": True}
            found: dict[str, object] = json.loads(line)
            if found.get("done"):
                return found
            verb = str(found["verb"])


def lane(
    seeds: queue.Queue[int], found: list[dict[str, object]], seconds: float, memory: float, patience: float, end: float
) -> None:  # fmt: skip
    """Go through seeds with one worker after the other until there are none or the time is over."""
    worker = Worker(memory, patience)
    while time.perf_counter() < end:
        try:
            seed = seeds.get_nowait()
        except queue.Empty:
            break
        answer = worker.ask(seed, seconds)
        found.append(answer)
        for verb, took in dict(answer.get("long", {})).items():  # type: ignore[call-overload]
            print(f"--- seed {seed}, {verb}: long, {took} s", flush=True)
        for verb, fault in dict(answer["faults"]).items():  # type: ignore[call-overload]
            print(f"--- seed {seed}, {verb}: {fault}", flush=True)
        if answer.get("dead"):
            worker = Worker(memory, patience)
    worker.process.kill()


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=60.0, help="for one verb on one file")
    parser.add_argument("--memory", type=float, default=6.0, help="address space of a worker in GiB")
    parser.add_argument("--patience", type=float, default=20.0, help="seconds after which a verb is interrupted")
    parser.add_argument("--minutes", type=float, default=math.inf, help="for all; files that are not reached are not counted")
    parser.add_argument("--seed", type=int, help="print the file of a seed")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        work(given.memory, given.patience)
        return
    if given.seed is not None:
        from fuzzing.mutations import mutated

        print(mutated(given.seed)[1])
        return
    seeds: queue.Queue[int] = queue.Queue()
    for seed in range(given.first, given.first + given.count):
        seeds.put(seed)
    found: list[dict[str, object]] = []
    begin = time.perf_counter()
    limits = (given.seconds, given.memory, given.patience, begin + 60.0 * given.minutes)
    lanes = [threading.Thread(target=lane, args=(seeds, found, *limits)) for _ in range(given.jobs)]
    for each in lanes:
        each.start()
    for each in lanes:
        each.join()
    bad = [item for item in found if item["faults"]]
    long = sum(bool(item.get("long")) for item in found)
    print(f"{len(found)} files, {len(bad)} with faults, {long} long, {time.perf_counter() - begin:.0f} s")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
