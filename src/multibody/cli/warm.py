"""`multibody warm`: compile all kernels ahead."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from multibody.cli.app import app
from multibody.cli.options import JsonOption
from multibody.cli.output import print_json

if TYPE_CHECKING:
    from multibody import Model

PLANAR, SPATIAL = "slider-crank", "rssr"
MOVING = "four-bar"  # moves under forces
LOOPED, DRIVEN, ARM = "spatial-four-bar", "rrc-arm", "arm7"  # for joint coordinates in space


@app.command()
def warm(json: JsonOption = False) -> None:
    """Compile all kernels and keep their machine code on disk, so that no later analysis has to."""
    from multibody.kernels.compile import REGISTRY, cache_directory

    begin = time.perf_counter()
    stages = list(_stages())
    with _progress(len(stages), quiet=json) as advance:
        for text, work in stages:
            advance(text)
            work()
    seconds = time.perf_counter() - begin
    compiled = sum(1 for kernel in REGISTRY if sum(kernel.stats.cache_misses.values()))
    place = cache_directory()
    if json:
        print_json({"seconds": seconds, "compiled": compiled, "cache_directory": str(place)})
        return
    what = f"{compiled} kernels compiled" if compiled else "all kernels were compiled already"
    typer.echo(f"{what}; {seconds:.1f} s, cache in {place}")


def _stages() -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield what is to be done, with words for it: together the stages call every kernel."""
    from multibody import load

    for name, word in ((PLANAR, "planar"), (SPATIAL, "spatial")):
        model = load(name)
        yield f"{word}: assembly", model.assemble
        yield f"{word}: kinematics and results", lambda model=model: _move(model)  # type: ignore[misc]
        yield f"{word}: check", model.check
        yield f"{word}: derivatives", lambda model=model: _evaluate(model)  # type: ignore[misc]
    yield "inverse dynamics", lambda: load(PLANAR).inverse(at=0.01)
    yield from _dynamics(load(MOVING))


def _dynamics(model: Model) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield runs that together call every formulation and every integrator once, with events and reactions."""
    from multibody.formulations import FORMULATIONS, VARIANTS
    from multibody.integrators import INTEGRATORS

    model.event("watched", "t - 0.01")

    def run(formulation: str, integrator: str) -> None:
        step = None if INTEGRATORS[integrator].adaptive else 0.01
        model.run(0.05, formulation=formulation, integrator=integrator, step=step, output_step=0.02).plain()

    for name in (*FORMULATIONS, *VARIANTS):
        yield f"dynamics: formulation {name}", lambda name=name: run(name, "dop853")  # type: ignore[misc]
    for name in ("recursive", "articulated"):
        yield f"dynamics: {name} in space", lambda name=name: _in_space(name)  # type: ignore[misc]
    for name in INTEGRATORS:
        yield f"dynamics: integrator {name}", lambda name=name: run("augmented", name)  # type: ignore[misc]
    yield "dynamics: reactions", lambda: model.reactions(0.02)
    yield "robotics", _robot


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

    from multibody.analyses.system import System, tables_of

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
