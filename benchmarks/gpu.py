"""RK4 steps a second of many members side by side on an NVIDIA processor, in code made for their structure.

``python benchmarks/gpu.py make FOLDER`` writes code, members and the host's answers into a folder, on a machine with the
package; ``python3 FOLDER/gpu.py`` measures on a machine with the processor, its driver and Python: nothing else is needed.
Every answer is compared: those of the first members with the host's, all others, which repeat them, with these bit by bit.
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


# --- making -----------------------------------------------------------------------------------------------------------------
def make(folder: pathlib.Path, names: list[str]) -> None:
    """Write code, members and answers of some cases."""
    import shutil

    from multibody.specialize import cuda

    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(__file__, folder / "gpu.py")
    shutil.copy(cuda.__file__, folder / "cuda.py")
    for name in names:
        make_case(folder, name, *CASES[name])


def make_case(folder: pathlib.Path, name: str, model: str, formulation: str, projected: bool) -> None:
    """Write one case: ``NAME.ptx``, tiles of members as they begin, and as the host ends them."""
    import common
    import numpy as np

    import multibody as mb
    from multibody.specialize.device import tiled
    from multibody.specialize.image import numbers_of, words_of
    from multibody.specialize.specialized import Specialized

    begin, random = time.perf_counter(), np.random.default_rng(3)
    simulation = common.simulation(mb.load(model), formulation, "rk4", step=STEP)
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
    from multibody.kernels.mass import set_masses
    from multibody.specialize.image import numbers_of

    bundle = simulation.bundle
    own = bundle.working()
    own.model = bundle.model.sharing(numbers=bundle.model.numbers.copy())
    factors = random.uniform(0.7, 1.4, bundle.model.bodies)
    for slots, factor in zip(own.model.masses, factors, strict=True):
        own.model.numbers[slots.mass] *= factor
        own.model.numbers[slots.inertia : slots.inertia + (1 if bundle.model.planar else 9)] *= factor
    set_masses(own.model.address, own.scratch.address)
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

    about, ptx = json.loads((folder / f"{name}.json").read_text()), (folder / f"{name}.ptx").read_bytes()
    print(
        f"\n## {name}: y {about['size']}, numbers {about['numbers']}, words {about['words']}; host, one thread: "
        f"{about['host_steps_per_s']:.3e} steps/s; stopped on the host {about['stopped']}",
        flush=True,
    )
    small, best = Members(driver, folder, name, 98), None
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
    large = Members(driver, folder, name, 977)
    rate = measured(module, large, block)
    worst, unlike, stopped = large.judge()
    faster = rate / about["host_steps_per_s"]
    print(
        f"level {best[1]}, 1e6 members, blocks of {block}: {rate:.3e} steps/s, {faster:.0f} × one thread"
        f" of the host; worst difference {worst:.1e}, unlike copies {unlike}, stopped {stopped}",
        flush=True,
    )
    large.free()


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
    print(f"\n{time.perf_counter() - begin:.0f} s in all")


if __name__ == "__main__":
    if len(sys.argv) > 2 and sys.argv[1] == "make":
        make(pathlib.Path(sys.argv[2]), sys.argv[3:] or list(CASES))
    else:
        run(pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else pathlib.Path(__file__).resolve().parent)
