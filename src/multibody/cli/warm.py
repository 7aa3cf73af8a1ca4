"""`multibody warm`: compile all kernels ahead."""

from __future__ import annotations

import gc
import multiprocessing
import multiprocessing.queues
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

from multibody.cli.app import app
from multibody.cli.options import JsonOption
from multibody.cli.output import print_json

if TYPE_CHECKING:
    from multibody import Model

Stage = tuple[str, Callable[[], object]]
PLANAR, SPATIAL = "slider-crank", "rssr"
MOVING, STANDING = "four-bar", "pendulum"  # moves under forces; has an equilibrium
LOOPED, DRIVEN, ARM = "spatial-four-bar", "rrc-arm", "arm7"  # for joint coordinates in space
BALANCED = "inverted-pendulum"  # with a motor


@app.command()
def warm(json: JsonOption = False) -> None:
    """Compile all kernels and keep their machine code on disk, so that no later analysis has to."""
    from multibody.kernels.cache.folders import lasts
    from multibody.kernels.cache.warmed import is_warm, note_warm
    from multibody.kernels.compile import cache_directory, room_directories

    begin, rooms, compiled = time.perf_counter(), room_directories(), 0
    if not (lasts() and is_warm(rooms)):
        lanes = _lanes()
        with _progress(sum(len(lane) for lane in lanes), quiet=json) as advance:
            compiled = _side_by_side(len(lanes), advance)
        if lasts():
            note_warm(rooms)
    seconds = time.perf_counter() - begin
    place = cache_directory() if lasts() else None
    if json:
        print_json({"seconds": seconds, "compiled": compiled, "cache_directory": place and str(place)})
        return
    what = f"{compiled} kernels compiled" if compiled else "all kernels were compiled already"
    typer.echo(f"{what}; {seconds:.1f} s, " + (f"cache in {place}" if place else "not kept"))


def _side_by_side(count: int, advance: Callable[[str], None]) -> int:
    """Work the lanes in a process each; return the number of kernels that they compiled."""
    context = multiprocessing.get_context("spawn")
    said: multiprocessing.queues.SimpleQueue[str | int] = context.SimpleQueue()
    workers = [context.Process(target=_work, args=(k, said)) for k in range(count)]
    for worker in workers:
        worker.start()
    compiled, done = 0, 0
    while done < count:
        word = said.get()
        if isinstance(word, str):
            advance(word)
            continue
        compiled, done = compiled + max(word, 0), done + 1
    for worker in workers:
        worker.join()
    if any(worker.exitcode for worker in workers):
        raise typer.Exit(1)
    return compiled


def _work(lane: int, said: Any) -> None:
    """Work one lane and say what is being done, at last the number of kernels compiled."""
    from multibody.kernels.compile import REGISTRY

    try:
        for text, work in _lanes()[lane]:
            said.put(text)
            work()
    finally:
        gc.freeze()  # the process ends: to look through what numba leaves, and to take it apart, takes as long as a stage
        said.put(sum(1 for kernel in REGISTRY if sum(kernel.stats.cache_misses.values())))


def _shared() -> Iterator[Stage]:
    """Yield what everything else builds on, then kinematics, with words for it."""
    from multibody import load

    yield "dynamics: augmented", lambda: _run("augmented", "dop853")
    for name, word in ((PLANAR, "planar"), (SPATIAL, "spatial")):
        model = load(name)
        yield f"{word}: assembly", model.assemble
        yield f"{word}: kinematics and results", lambda model=model: _move(model)  # type: ignore[misc]
        yield f"{word}: check", model.check
        yield f"{word}: derivatives", lambda model=model: _evaluate(model)  # type: ignore[misc]


def _lanes() -> list[list[Stage]]:
    """Return everything in two parts of equal length: coordinates of bodies, coordinates of joints.

    Together the stages call every formulation and every integrator once, with events and reactions. What both need, assembly
    and the loop of an integrator, comes first in one part; the other begins with robots, which need neither, and finds it on
    disk when it comes to that.
    """
    from multibody import load
    from multibody.formulations import FORMULATIONS, formulation_of
    from multibody.integrators import INTEGRATORS
    from multibody.options.methods import VARIANTS

    bodies: list[Stage] = [*_shared(), ("inverse dynamics", lambda: load(PLANAR).inverse(at=0.01))]
    joints: list[Stage] = [("robotics", _robot)]
    for name in (*FORMULATIONS, *VARIANTS):
        lane = joints if formulation_of(name).relative else bodies
        lane.append((f"dynamics: formulation {name}", lambda name=name: _run(name, "dop853")))  # type: ignore[misc]
    for name in INTEGRATORS:
        bodies.append((f"dynamics: integrator {name}", lambda name=name: _run("augmented", name)))  # type: ignore[misc]
    bodies.append(("dynamics: reactions", lambda: load(MOVING).reactions(0.02)))
    bodies.append(("studies", _studies))
    bodies.append(("statics and modes", lambda: load(STANDING).modes()))
    bodies.append(("dynamics: parametric, implicit", lambda: _run("parametric", "bdf")))
    bodies.append(("dynamics: augmented in space", lambda: _in_space("augmented")))
    bodies.append(("dynamics: augmented in space, implicit", lambda: _in_space_implicit("augmented")))
    for name in ("recursive", "articulated"):
        joints.append((f"dynamics: {name} in space", lambda name=name: _in_space(name)))  # type: ignore[misc]
    joints.append(("dynamics: recursive, implicit", lambda: _run("recursive", "bdf")))
    joints.append(("dynamics: recursive in space, implicit", lambda: _in_space_implicit("recursive")))
    joints.append(("members side by side", _members))
    return [bodies, joints]


def _run(formulation: str, integrator: str) -> None:
    """Run a planar model that moves under forces, with an event."""
    from multibody import load
    from multibody.integrators import INTEGRATORS

    model = load(MOVING)
    model.event("watched", "t - 0.01")
    step = None if INTEGRATORS[integrator].adaptive else 0.01
    model.run(0.05, formulation=formulation, integrator=integrator, step=step, output_step=0.02).plain()


def _studies() -> None:
    """Compute members of runs in the plane and in space, and of inverse dynamics, in compiled loops."""
    from multibody import load

    for name, varied in ((MOVING, {"l0": (1.899, 1.901, 4)}), (SPATIAL, {"omega": (10.0, 10.1, 4)})):
        model = load(name)
        joint = next(iter(model.joints))
        model.study(varied, [f"max(norm({joint}.reaction.force))", f"final {joint}"], until=0.01, output_step=0.005)
    load(PLANAR).study({"l2": (0.15, 0.151, 4)}, "max(O.effort)", analysis="inverse", until=0.01, steps=4)


def _in_space_implicit(formulation: str) -> None:
    """Run a spatial model with an implicit method."""
    from multibody import load

    load(LOOPED).run(0.01, formulation=formulation, integrator="bdf", output_step=0.01)


def _robot() -> None:
    """Ask a robot arm for what robots are asked for most, of one state and of several."""
    import numpy as np

    from multibody import load

    arm = load(ARM).robot()
    for q in (np.zeros(arm.nq), np.zeros((2, arm.nq))):
        v = np.zeros((*q.shape[:-1], arm.nv))
        arm.inverse_dynamics(q, v, v)
        arm.forward_dynamics(q, v, v)
        arm.mass_matrix(q)
        arm.frame_jacobian("link7.tip", q)
        arm.momentum_matrix(q)
    pose = np.eye(4)
    pose[:3, 3], pose[:3, :3] = arm.frame_pose("link7.tip", np.full(arm.nq, 0.3))
    arm.inverse_kinematics("link7.tip", pose)


def _members() -> None:
    """Step two members of a planar model in one call."""
    import numpy as np

    from multibody import load
    from multibody.learn.plant import Plant

    plant = Plant(load(BALANCED), ["motor.effort"], None, 0.01, 1.0, None, None, 2, 1, None)
    plant.advance(np.zeros((2, 1)), np.ones(2))
    plant.observe()


def _in_space(formulation: str) -> None:
    """Run spatial models in joint coordinates, with loops and with motions, forces and a selected reaction."""
    from multibody import load

    load(LOOPED).run(0.01, formulation=formulation, output_step=0.01)
    load(DRIVEN, case="2").reactions(0.001, ["joint2"], formulation=formulation)


def _move(model: Model) -> None:
    """Move a mechanism over three instants and read all its results."""
    model.kinematics(steps=3).plain()


def _evaluate(model: Model) -> None:
    """Evaluate everything that analyses ask of a system one by one, and the parameters' programs."""
    import numpy as np

    from multibody.state.system import System, tables_of

    state = model.assemble()
    system = System(tables_of(model))
    system.velocity_side(state.q, state.t)
    system.gamma(state.q, state.v, state.t)
    system.hessian(state.q, state.t, np.ones(system.rows))
    system.functions(system.displaced(state.q, state.v, 0.0), state.v, 0, 1)
    system.gradient(state.q, 0)
    model.set(omega=3.0).assemble()


@contextmanager
def _progress(total: int, quiet: bool) -> Iterator[Callable[[str], None]]:
    """Show a progress bar on stderr; nothing where quiet."""
    if quiet:
        yield lambda text: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description:<34}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("compiling kernels", total=total)
        done = -1

        def advance(text: str) -> None:
            nonlocal done
            done += 1
            bar.update(task, description=text, completed=done)

        yield advance
        bar.update(task, completed=total)
