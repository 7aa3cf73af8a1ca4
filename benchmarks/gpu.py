"""RK4 steps a second of many members side by side on an NVIDIA processor, in code made for their structure.

``python benchmarks/gpu.py make FOLDER`` writes code, members and the host's answers into a folder, on a machine with the
package; ``python3 FOLDER/gpu.py`` measures on a machine with the processor, its driver and Python: nothing else is needed.
Every answer is compared: those of the first members with the host's, all others, which repeat them, with these bit by bit.

``study`` among the cases is a study of a hundred thousand four-bars whose lengths have tolerances: the largest force in a pin
is found while they move, and compared with the host's for every one of them.
"""

from __future__ import annotations

import array
import ctypes
import json
import pathlib
import sys
import time

POOL = 1024  # members with numbers of their own; more are made of copies of them
STEP, STEPS = 1e-3, 100
CASES = {  # model, formulation, whether steps are projected
    "four-bar": ("four-bar", "augmented", False),
    "four-bar-projected": ("four-bar", "augmented", True),
    "arm7": ("arm7", "articulated", False),
}
BLOCKS = (32, 64, 128, 256)
AGREEMENT = 1e-9
LEVELS = (4, 3, 2, 1, 0)
STUDY, TOLERANCE = 100_000, 0.002  # members of the study, and the standard deviation of their lengths over the nominal ones
STUDY_TIME, STUDY_STEP, STUDY_EVERY = 1.0, 2e-3, 5
STUDY_OUTPUT = "norm(A.reaction.force)"
WARP, PLACES = 32, 4  # as the package has them
SHARED = "+shared"  # behind the name of a case: numbers that all members share are constants of its code


# --- making -----------------------------------------------------------------------------------------------------------------
def make(folder: pathlib.Path, names: list[str]) -> None:
    """Write code, members and answers of some cases."""
    import shutil

    from multibody.specialize import cuda

    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(__file__, folder / "gpu.py")
    shutil.copy(cuda.__file__, folder / "cuda.py")
    for name in names:
        if name == "study":
            make_study(folder)
        else:
            make_case(folder, name, *CASES[name])


def make_case(folder: pathlib.Path, name: str, model: str, formulation: str, projected: bool) -> None:
    """Write one case: ``NAME.ptx``, tiles of members as they begin, and as the host ends them."""
    import common as benchmarks
    import numpy as np

    import multibody as mb
    from multibody.specialize.device import tiled
    from multibody.specialize.folding import folded
    from multibody.specialize.image import numbers_of, words_of
    from multibody.specialize.shared import common, with_constants
    from multibody.specialize.specialized import Specialized

    begin, random = time.perf_counter(), np.random.default_rng(3)
    simulation = benchmarks.simulation(mb.load(model), formulation, "rk4", step=STEP)
    rhs, accept = simulation.formulation.kernels()
    code = Specialized(simulation.bundle, rhs, accept if projected else None)
    rows = [varied(simulation, random) for _ in range(POOL)]
    numbers, y = np.array([row[0] for row in rows]), np.array([row[1] for row in rows])
    words = np.repeat(words_of(simulation.bundle)[None], POOL, axis=0)
    assert numbers.shape[1] == len(numbers_of(simulation.bundle))
    after, left = y.copy(), words.copy()
    made = time.perf_counter()
    host = code.host
    spent = time.perf_counter()
    statuses = host.advance(numbers, after, left, 0.0, STEP, STEPS, 1)
    rate = POOL * STEPS / (time.perf_counter() - spent)
    (folder / f"{name}.ptx").write_text(code.ptx())
    shared = folded(with_constants(code.ptx(), common(numbers), numbers[0]))
    (folder / f"{name}{SHARED}.ptx").write_text(shared)
    for part, rows_of in (("numbers", numbers), ("y", y), ("words", words), ("after", after)):
        (folder / f"{name}.{part}").write_bytes(tiled(rows_of).tobytes())
    about = {"size": y.shape[1], "numbers": numbers.shape[1], "words": words.shape[1]}
    about |= {
        "stopped": int(np.count_nonzero(statuses)),
        "host_steps_per_s": rate,
        "moved": float(np.max(np.abs(after - y))),
        "host_code_s": spent - made,
    }
    (folder / f"{name}.json").write_text(json.dumps(about))
    print(f"{name}: {about}, {time.perf_counter() - begin:.0f} s", flush=True)


def varied(simulation, random):  # type: ignore[no-untyped-def]
    """Return numbers and state of a member whose bodies have other densities, which moves at another speed."""
    from multibody.kernels.arrays import room_for_masses, weigh
    from multibody.specialize.image import numbers_of

    bundle = simulation.bundle
    own = bundle.working()
    own.model = bundle.model.sharing(numbers=bundle.model.numbers.copy(), **room_for_masses(bundle.model))
    factors = random.uniform(0.7, 1.4, bundle.model.bodies)
    for slots, factor in zip(own.model.masses, factors, strict=True):
        own.model.numbers[slots.mass] *= factor
        own.model.numbers[slots.inertia : slots.inertia + (1 if bundle.model.planar else 9)] *= factor
    weigh(own.model)
    tree = bundle.model.tree
    if len(tree.links):
        name = "planar_constants" if bundle.model.planar else "spatial_constants"
        constants = getattr(tree, name).copy()
        for link, factor in enumerate(factors[tree.links.body - 1]):
            constants["m"][link] *= factor
            constants["J"][link] *= factor
        own.model.tree = tree.sharing(**{name: constants})
    space, y = simulation.space, simulation.y.copy()
    if space.of_bodies:  # velocities of a closed chain of fixed ground may be scaled
        y[space.nq : space.nq + space.nv] *= random.uniform(0.5, 1.5)
    else:
        y[: space.nq] += random.uniform(-1.0, 1.0, space.nq)
        y[space.nq : space.nq + space.nv] += random.uniform(-1.0, 1.0, space.nv)
    return numbers_of(own), y


def make_study(folder: pathlib.Path) -> None:
    """Write the study: code of steps and readings, members by the columns in which they differ, and the host's answers."""
    import numpy as np

    import multibody as mb
    from multibody.analyses.specialized.batch import Running, SideBySide
    from multibody.specialize.folding import folded
    from multibody.specialize.schedule import host_run
    from multibody.specialize.shared import common, with_constants
    from multibody.tables.scope import Scope

    begin, model, names = time.perf_counter(), mb.load("four-bar"), ("l0", "length", "load_at")
    sizes = np.array([1.9, 2.0, 2.0])
    values = np.array([1.9, 2.0, 0.0]) + sizes * np.random.default_rng(11).normal(0.0, TOLERANCE, (STUDY, len(names)))
    told = {"until": STUDY_TIME, "integrator": "rk4", "step": STUDY_STEP, "output_step": STUDY_EVERY * STUDY_STEP}
    formula = Scope(model).reduced(model.formula(STUDY_OUTPUT, "benchmark"), "benchmark")
    batch = SideBySide(model, names, None, told, [formula], [STUDY_OUTPUT], [Running("largest", 0)], True)
    code, reader = batch._host
    made = time.perf_counter()
    members = batch.prepare.prepared(values)
    assert bool(np.all(members.fits))
    ready = time.perf_counter()
    results, statuses = host_run(code, reader, members.numbers, members.y, members.words, batch.schedule, 1)
    spent = time.perf_counter() - ready
    assert not np.any(statuses)
    known: dict[bytes, int] = {}
    places = {
        part: [known.setdefault(np.ascontiguousarray(column).tobytes(), len(known)) for column in getattr(members, part).T]
        for part in ("numbers", "y", "words")
    }
    columns = b"".join(content if content != content[:8] * STUDY else content[:8] for content in known)
    lengths = [len(content) if content != content[:8] * STUDY else 8 for content in known]
    (folder / "study.columns").write_bytes(columns)
    (folder / "study.answers").write_bytes(np.ascontiguousarray(results[:, :2]).tobytes())
    same = common(members.numbers)
    for part, ptx in (("steps", batch.prepare.code.ptx()), ("readings", batch.prepare.code.reader_ptx(batch.asked))):
        (folder / f"study.{part}.ptx.txt").write_text(folded(with_constants(ptx, same, members.numbers[0])))
    rate = STUDY * batch.schedule.count * STUDY_EVERY / spent
    about = {"places": places, "lengths": lengths, "instants": batch.schedule.count, "host_steps_per_s": rate,
             "prepared_s": ready - made, "host_s": spent}  # fmt: skip
    (folder / "study.json").write_text(json.dumps(about))
    print(f"study: prepared in {ready - made:.1f} s, {rate:.3e} steps/s on the host, {time.perf_counter() - begin:.0f} s")


# --- measuring --------------------------------------------------------------------------------------------------------------
class Members:
    """Copies of the pool on the device, and the answers that they have to come to."""

    def __init__(self, driver, folder: pathlib.Path, name: str, copies: int) -> None:  # type: ignore[no-untyped-def]
        self.driver, self.copies, self.count = driver, copies, copies * POOL
        parts = {part: (folder / f"{name}.{part}").read_bytes() for part in ("numbers", "y", "words", "after")}
        self.wanted, self.parts = array.array("d", parts["after"]), parts
        self.addresses = [driver.allocate(copies * len(parts[part])) for part in ("numbers", "y", "words")]
        self.addresses.append(driver.allocate(8 * self.count))
        self.fill("numbers", 0)

    def fill(self, part: str, which: int) -> None:
        """Write the pool once, then double what is there until all copies are made."""
        content, address = self.parts[part], self.addresses[which]
        room = ctypes.create_string_buffer(content, len(content))
        self.driver.put(address, ctypes.addressof(room), len(content))
        done = 1
        while done < self.copies:
            more = min(done, self.copies - done)
            self.driver.copy(address + done * len(content), address, more * len(content))
            done += more

    def begin(self) -> None:
        """Put all members where they begin."""
        self.fill("y", 1)
        self.fill("words", 2)
        self.driver.clear(self.addresses[3], 8 * self.count)

    def judge(self) -> tuple[float, int, int]:
        """Return the largest relative difference from the host, copies that differ from the first, members that stopped."""
        size = len(self.parts["y"])
        room = ctypes.create_string_buffer(size)
        self.driver.get(ctypes.addressof(room), self.addresses[1], size)
        first = room.raw
        worst = 0.0
        for got, wanted in zip(array.array("d", first), self.wanted, strict=True):
            gap = abs(got - wanted) / max(1.0, abs(wanted))
            worst = gap if not gap <= worst else worst
        unlike = 0
        for k in range(1, self.copies):
            self.driver.get(ctypes.addressof(room), self.addresses[1] + k * size, size)
            unlike += room.raw != first
        statuses = ctypes.create_string_buffer(8 * self.count)
        self.driver.get(ctypes.addressof(statuses), self.addresses[3], 8 * self.count)
        return worst, unlike, sum(1 for status in array.array("q", statuses.raw) if status != 0)

    def free(self) -> None:
        """Give the memory back."""
        for address in self.addresses:
            self.driver.free(address)


def measured(module, members: Members, block: int, repeats: int = 3) -> float:  # type: ignore[no-untyped-def]
    """Return the most steps a second of several repeats."""
    best = 0.0
    for _ in range(repeats):
        members.begin()
        seconds = module.launch(members.addresses, members.count, 0.0, STEP, STEPS, block)
        best = max(best, members.count * STEPS / seconds)
    return best


def run_case(driver, folder: pathlib.Path, name: str) -> None:  # type: ignore[no-untyped-def]
    """Print times, differences and registers of one case."""
    from cuda import Module

    ptx, case = (folder / f"{name}.ptx").read_bytes(), name.removesuffix(SHARED)
    about = json.loads((folder / f"{case}.json").read_text())
    print(
        f"\n## {name}: y {about['size']}, numbers {about['numbers']}, words {about['words']}; host, one thread: "
        f"{about['host_steps_per_s']:.3e} steps/s; stopped on the host {about['stopped']}",
        flush=True,
    )
    small, best = Members(driver, folder, case, 98), None
    for level in LEVELS:
        module = Module(driver, ptx, level)
        rate = measured(module, small, 64)
        worst, unlike, stopped = small.judge()
        right = worst <= AGREEMENT and unlike == 0 and stopped == about["stopped"] * small.copies
        print(f"level {level}: {rate:.3e} steps/s (1e5 members, blocks of 64), compiled in {module.compile_seconds:.1f} s,"
              f" registers {module.registers}, local {module.local} B, worst difference {worst:.1e}, unlike copies {unlike},"
              f" stopped {stopped}: {'right' if right else 'WRONG'}", flush=True)  # fmt: skip
        if right and (best is None or rate > best[0]):
            best = (rate, level)
        module.unload()
        if level == 3 and best is not None and module.compile_seconds > 20.0:
            break
    if best is None:
        print("no level is right", flush=True)
        small.free()
        return
    module = Module(driver, ptx, best[1])
    rates = {block: measured(module, small, block) for block in BLOCKS}
    print(f"level {best[1]}, 1e5 members:", ", ".join(f"blocks of {b}: {r:.3e}" for b, r in rates.items()), flush=True)
    small.free()
    block = max(rates, key=lambda each: rates[each])
    large = Members(driver, folder, case, 977)
    rate = measured(module, large, block)
    worst, unlike, stopped = large.judge()
    faster = rate / about["host_steps_per_s"]
    print(
        f"level {best[1]}, 1e6 members, blocks of {block}: {rate:.3e} steps/s, {faster:.0f} × one thread"
        f" of the host; worst difference {worst:.1e}, unlike copies {unlike}, stopped {stopped}",
        flush=True,
    )
    large.free()


def study_tiles(folder: pathlib.Path, about: dict) -> dict[str, bytes]:  # type: ignore[type-arg]
    """Return the tiles of all members of the study, put together from the columns in which they differ."""
    content, begins, at = (folder / "study.columns").read_bytes(), [], 0
    for length in about["lengths"]:
        begins.append(at)
        at += length
    found = {}
    for part, places in about["places"].items():
        pieces = []
        for first in range(0, 8 * STUDY, 8 * WARP):
            for place in places:
                begin, same = begins[place], about["lengths"][place] == 8
                pieces.append(content[begin : begin + 8] * WARP if same else content[begin + first : begin + first + 8 * WARP])
        found[part] = b"".join(pieces)
    return found


def run_study(driver, folder: pathlib.Path) -> None:  # type: ignore[no-untyped-def]
    """Move the members of the study, and compare every answer with the host's."""
    import os

    from cuda import Module

    about = json.loads((folder / "study.json").read_text())
    tiles = study_tiles(folder, about)
    tiles["results"] = bytes(8 * PLACES * STUDY)
    tiles["statuses"] = bytes(8 * STUDY)
    wanted, steps = array.array("d", (folder / "study.answers").read_bytes()), about["instants"] * STUDY_EVERY
    print(f"\n## study: {STUDY} members, {steps} steps of {STUDY_STEP} s, read every {STUDY_EVERY}; host, one thread:"
          f" {about['host_steps_per_s']:.3e} steps/s, {about['host_s']:.0f} s; prepared in {about['prepared_s']:.0f} s",
          flush=True)  # fmt: skip
    for level in LEVELS:
        modules = [Module(driver, (folder / f"study.{name}.ptx.txt").read_bytes(), level) for name in ("steps", "readings")]
        said = ", ".join(f"{m.registers} registers, {m.local} B local" for m in modules)
        places = {}
        for part, content in tiles.items():
            room = ctypes.create_string_buffer(content, len(content))
            places[part] = driver.allocate(len(content))
            driver.put(places[part], ctypes.addressof(room), len(content))
        vectors = [places[part] for part in ("numbers", "y", "words")]
        driver.finish()
        begin = time.perf_counter()
        for k in range(about["instants"] + 1):
            apart = STUDY_EVERY * STUDY_STEP
            if k:
                modules[0].enqueue([*vectors, places["statuses"]], STUDY, (k - 1) * apart, STUDY_STEP, (STUDY_EVERY,), 64)
            modules[1].enqueue([*vectors, places["results"], places["statuses"]], STUDY, k * apart, apart, (k,), 64)
        driver.finish()
        seconds = time.perf_counter() - begin
        room = ctypes.create_string_buffer(len(tiles["results"]))
        driver.get(ctypes.addressof(room), places["results"], len(tiles["results"]))
        found = array.array("d", room.raw)
        peaks, worst, late = array.array("d"), 0.0, 0.0
        for k in range(STUDY):
            at = (k // WARP) * WARP * PLACES + k % WARP
            peaks.append(found[at])
            gap = abs(found[at] - wanted[2 * k]) / abs(wanted[2 * k])
            worst = gap if not gap <= worst else worst
            late = max(late, abs(found[at + WARP] - wanted[2 * k + 1]))
        for address in places.values():
            driver.free(address)
        print(f"level {level}: {seconds:.3f} s, {STUDY * steps / seconds:.3e} steps/s, {said}; worst difference of the peak"
              f" {worst:.1e}, of its time {late:.1e} s: {'right' if worst <= AGREEMENT else 'WRONG'}", flush=True)  # fmt: skip
        for name, numbers in (("device", sorted(peaks)), ("host", sorted(wanted[::2]))):
            shares = (0, 1, 5, 25, 50, 75, 95, 99, 100)
            print(name, ", ".join(f"{q} %: {numbers[min(STUDY - 1, STUDY * q // 100)]:.10g}" for q in shares))
        if "OUT" in os.environ:
            (pathlib.Path(os.environ["OUT"]) / "peaks.f64").write_bytes(peaks.tobytes())
        if worst <= AGREEMENT:
            break


def run(folder: pathlib.Path) -> None:
    """Measure all cases of a folder."""
    sys.path.insert(0, str(folder))
    from cuda import Driver

    begin, driver = time.perf_counter(), Driver()
    print(f"{driver.name}; {STEPS} steps of {STEP} s, float64; members repeat {POOL} with numbers of their own", flush=True)
    for path in sorted(folder.glob("*.ptx")):
        try:
            run_case(driver, folder, path.stem)
        except RuntimeError as error:
            print(f"{path.stem}: {error}", flush=True)
    if (folder / "study.json").exists():
        run_study(driver, folder)
    print(f"\n{time.perf_counter() - begin:.0f} s in all")


if __name__ == "__main__":
    if len(sys.argv) > 2 and sys.argv[1] == "make":
        make(pathlib.Path(sys.argv[2]), sys.argv[3:] or [*CASES, "study"])
    else:
        run(pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else pathlib.Path(__file__).resolve().parent)
