"""The verb: a plan, members, the way through them, and their numbers as a result."""

from __future__ import annotations

import math
import os
import pickle
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from multibody.arguments import number_in, short, truth
from multibody.errors import ModelError
from multibody.model.model import Model
from multibody.study.compiled import fastest
from multibody.study.conduct import Book, conduct
from multibody.study.executors import pool_of, processors
from multibody.study.members import Members, OrdinaryMembers, prepare
from multibody.study.plan import Plan, make_plan
from multibody.study.result import About, Study
from multibody.study.store import Store, digests_of, open_store

MOST_WORKERS = 4096
SHARES = 2  # chunks that every thread has at least
MOST_NUMBERS = 200_000_000  # of outputs, 1.6 GB


@dataclass(frozen=True)
class Ways:
    """How the members of a study are computed and kept; see :meth:`Model.study`."""

    executor: Any = None
    workers: int | None = None
    chunk: int | None = None
    store: str | os.PathLike[str] | None = None
    resume: bool = False
    progress: Callable[[int, int], None] | None = None
    device: str | None = None


def study(
    model: Model, text: str, parameters: Any, outputs: Any, samples: Any, method: Any, seed: Any, analysis: Any, initial: Any,
    refine: bool, options: Mapping[str, Any], ways: Ways,
) -> Study:  # fmt: skip
    """Return the numbers of many members of a model; see :meth:`Model.study`.

    Parameters
    ----------
    model : Model
    text : str
        The model as a file has it, "" where no file can hold it.
    parameters, outputs, samples, method, seed, analysis, initial, refine
        As there.
    options : mapping
        Of the analysis; None where nothing was given.
    ways : Ways
    """
    if ways.progress is not None and not callable(ways.progress):
        hint = "give a function of two numbers, how many members are computed and how many there are"
        raise ModelError(f"{short(ways.progress)} is no function", where="study.progress", hint=hint)
    refine, resume = truth(refine, "refine", "study.refine"), truth(ways.resume, "resume", "study.resume")
    ways = replace(ways, resume=resume)
    plan = make_plan(model, parameters, samples, method, seed)
    told = {key: value for key, value in options.items() if value is not None}
    ordinary = prepare(model, plan.keys, outputs, analysis, told, initial, refine, plan.values)
    members: Members = fastest(ordinary, plan.values) if ways.device is None else _specialized(ordinary, ways.device, plan.seed)
    if ways.device is not None:
        told = {**told, "device": ways.device}
    if len(plan) * len(members.outputs.formulas) > MOST_NUMBERS:
        problem = f"{len(plan):.3g} members with {len(members.outputs.formulas)} outputs fill the memory"
        raise ModelError(problem, where="study", hint="ask for fewer members or outputs")
    about = _about(model, text, plan, members, analysis, told)
    workers = None if ways.workers is None else _count(ways.workers, "workers", MOST_WORKERS)
    size = _chunk(members, len(plan), workers) if ways.chunk is None else _count(ways.chunk, "chunk", len(plan))
    store = _store(about, plan, members, ways, size, initial)
    book = Book.blank(plan.values, len(members.outputs.formulas), store.size if store else size, store, ways.progress)
    known, left = book.computed, len(book.todo())
    ended = conduct(members, book, pool_of(members, ways.executor, workers, left)) if left else ""
    statistics = _statistics(members, book.computed - known)
    stored = store is not None
    return Study(about, book.values, book.outputs, book.status, book.messages, ended, members, model, statistics, stored)


def _statistics(members: Members, count: int) -> dict[str, Any]:
    """Return how members were computed, `count` of them now; those of compiled loops as far as this process knows."""
    if isinstance(members, OrdinaryMembers):
        return {"compiled": 0, "ordinary": count, "because": {members.because: count} if count else {}}
    if not isinstance(aside := getattr(members, "aside", None), Mapping):
        return {}
    return {"compiled": getattr(members, "compiled", 0), "ordinary": sum(aside.values()), "because": dict(aside)}


def _chunk(members: Members, count: int, workers: int | None) -> int:
    """Return how many members are handed out together: few enough that all threads have some to the end, all as many."""
    if not members.threads or getattr(members, "device", "") == "cuda":  # many threads of a device have one chunk
        return members.chunk
    threads = processors() if workers is None else workers
    most = max(1, min(members.chunk, -(-count // (SHARES * threads))))
    chunks = -(-count // most)
    return max(1, -(-count // (chunks + -chunks % threads)))


def _specialized(members: OrdinaryMembers, device: str, seed: int) -> Members:
    """Return the members in code that is made for them."""
    from multibody.study.specialized import on_device  # here: it loads LLVM

    return on_device(members, device, seed)


def _about(model: Model, text: str, plan: Plan, members: Members, analysis: str, told: Mapping[str, Any]) -> About:
    """Return what is asked, as plain data."""
    asked = members.outputs
    shown = {key: value if isinstance(value, int | float | str | bool) else str(value) for key, value in told.items()}
    return About(
        model.name, plan.keys, plan.texts, asked.names, asked.texts, members.units, plan.method, plan.seed, plan.shape,
        analysis, shown, text, tuple(_unit(model, key) for key in plan.keys),
    )  # fmt: skip


def _unit(model: Model, key: str) -> str:
    """Return the unit that the model states for a parameter, "" where it states none."""
    found = model.parameters.get(key.partition(".")[0])
    return "" if found is None else found.unit or ""


def _store(about: About, plan: Plan, members: Members, ways: Ways, size: int, initial: Any) -> Store | None:
    """Return the store that is asked for."""
    if ways.store is None:
        if ways.resume:
            raise ModelError("there is no store to resume from", where="study.resume", hint="name its folder: store=…")
        return None
    start = initial if initial is None or isinstance(initial, Mapping) else (initial.t, initial.q.tolist(), initial.v.tolist())
    options = (about.analysis, sorted(about.options.items()), str(start), getattr(members, "refine", True))
    known = about.model_text or pickle.dumps(getattr(members, "model", None)).hex()
    digests = digests_of(known, plan.values, plan.keys, (members.outputs.names, members.outputs.texts), options)
    return open_store(ways.store, digests, plan.values, size, {"about": asdict(about)}, ways.resume)


def _count(value: Any, key: str, most: int) -> int:
    """Return a whole number of at least 1."""
    number = number_in(value)
    if not (math.isfinite(number) and number == math.floor(number) and number >= 1):
        raise ModelError(f"{key} is {short(value)}", where=f"study.{key}", hint="give a whole number of at least 1")
    return int(min(number, most))
