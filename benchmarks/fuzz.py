"""Thousands of broken model files through every verb: how many are answered in words, and what was not.

Each file comes from one seed (``tests/fuzzing/mutations.py``) and goes through all verbs in a worker process with a limit on
its memory. A worker that exceeds its time for a file, or dies, is replaced, and the seed is reported. ``--seed N`` shows one.

Usage: ``python benchmarks/fuzz.py [--count 10000] [--first 0] [--jobs 2] [--seconds 60] [--memory 6]``
"""

from __future__ import annotations

import argparse
import json
import pathlib
import queue
import resource
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tests"))


def work(memory: float) -> None:
    """Be a worker: read seeds from stdin, write one line of JSON for each."""
    import faulthandler

    from fuzzing.mutations import mutated
    from fuzzing.verbs import VERBS, fault_of

    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_AS, (int(memory * 2**30),) * 2)
    with tempfile.TemporaryDirectory() as folder:
        for line in sys.stdin:
            seed = int(line)
            ending, text = mutated(seed)
            file = pathlib.Path(folder) / f"m{ending}"
            file.write_bytes(text.encode("utf-8", "surrogatepass"))
            slowest, faults = ("", 0.0), {}
            for verb in VERBS:
                begin = time.perf_counter()
                print(json.dumps({"seed": seed, "verb": verb}), flush=True)
                fault = fault_of(verb, file)
                took = time.perf_counter() - begin
                slowest = max(slowest, (verb, took), key=lambda item: item[1])
                if fault:
                    faults[verb] = fault
            print(json.dumps({"seed": seed, "done": True, "faults": faults, "slowest": slowest}), flush=True)


class Worker:
    """A process that goes through files, watched from outside."""

    def __init__(self, memory: float) -> None:
        words = [sys.executable, __file__, "--work", "--memory", str(memory)]
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


def lane(seeds: queue.Queue[int], found: list[dict[str, object]], seconds: float, memory: float) -> None:
    """Go through seeds with one worker after the other."""
    worker = Worker(memory)
    while True:
        try:
            seed = seeds.get_nowait()
        except queue.Empty:
            break
        answer = worker.ask(seed, seconds)
        found.append(answer)
        for verb, fault in dict(answer["faults"]).items():  # type: ignore[call-overload]
            print(f"--- seed {seed}, {verb}: {fault}", flush=True)
        if answer.get("dead"):
            worker = Worker(memory)
    worker.process.kill()


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=60.0, help="for one verb on one file")
    parser.add_argument("--memory", type=float, default=6.0, help="address space of a worker in GiB")
    parser.add_argument("--seed", type=int, help="print the file of a seed")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        work(given.memory)
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
    lanes = [threading.Thread(target=lane, args=(seeds, found, given.seconds, given.memory)) for _ in range(given.jobs)]
    for each in lanes:
        each.start()
    for each in lanes:
        each.join()
    bad = [item for item in found if item["faults"]]
    print(f"{len(found)} files, {len(bad)} with faults, {time.perf_counter() - begin:.0f} s")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
