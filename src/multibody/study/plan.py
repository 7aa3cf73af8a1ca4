"""Plans: which values every member of a study has, as an array of members by varied numbers.

Grids are cartesian products, the last parameter fastest; lists go side by side; samples of the unit cube, random, quasi-random
(Sobol', Halton) or a Latin hypercube, are put through the inverse distribution of each parameter. A plan of Saltelli holds, for
every base sample, the rows a, b and a with one number of b at a time, from which :mod:`multibody.study.sobol` finds indices.
"""

from __future__ import annotations

import inspect
import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from multibody.arguments import number_in, short
from multibody.errors import ModelError, nearest
from multibody.model.model import Model
from multibody.study.distributions import Floats
from multibody.study.entries import Entry, read_entries

METHODS = ("grid", "list", "random", "sobol", "halton", "lhs", "saltelli")
ALIASES = {"zip": "list", "latin": "lhs", "latin hypercube": "lhs", "product": "grid"}
SAMPLED = ("random", "sobol", "halton", "lhs", "saltelli")
MOST_NUMBERS = 200_000_000  # of a plan, 1.6 GB
MOST_SOBOL = 21_201  # dimensions that SciPy has direction numbers for


@dataclass(frozen=True)
class Plan:
    """The values of all members.

    Attributes
    ----------
    keys : tuple of str
        What is varied.
    values : array (members, varied)
    method : str
        One of ``grid``, ``list``, ``random``, ``sobol``, ``halton``, ``lhs``, ``saltelli``.
    seed : int
        That samples were drawn with.
    shape : tuple of int
        Of a grid the number of values of every parameter, else empty.
    texts : tuple of str
        How each was given, for people.
    """

    keys: tuple[str, ...]
    values: Floats
    method: str
    seed: int
    shape: tuple[int, ...]
    texts: tuple[str, ...]

    def __len__(self) -> int:
        """Return the number of members."""
        return len(self.values)


def make_plan(model: Model, parameters: Any, samples: Any = None, method: Any = None, seed: Any = 0) -> Plan:
    """Return the plan of a study; see :meth:`Model.study`."""
    entries = read_entries(model, parameters)
    number = _whole(seed, "seed", 0, "give a whole number of at least 0")
    chosen = _method(method, samples, entries)
    if chosen not in SAMPLED and samples is not None:
        problem = f"samples together with method {chosen}"
        raise ModelError(problem, where="study.samples", hint=f"leave it out, or use {', '.join(SAMPLED)}")
    shape: tuple[int, ...] = ()
    if chosen in SAMPLED:
        values = _sampled(entries, _samples(samples, chosen), chosen, number)
    else:
        values, shape = _given(entries, chosen)
    return Plan(tuple(e.key for e in entries), values, chosen, number, shape, tuple(e.text for e in entries))


def _method(method: Any, samples: Any, entries: list[Entry]) -> str:
    """Return the method: the one that is asked for, else samples where their number is given, else a grid."""
    if method is None:
        return "grid" if samples is None and all(e.values is not None for e in entries) else "sobol"
    word = str(method).strip().lower()
    word = ALIASES.get(word, word)
    if not isinstance(method, str) or word not in METHODS:
        hint = f"{nearest(word, METHODS)} It is one of {', '.join(METHODS)}.".strip()
        raise ModelError(f"unknown method {short(method)}", where="study.method", hint=hint)
    return word


def _samples(samples: Any, method: str) -> int:
    """Return the number of samples."""
    if samples is None:
        hint = f"say how many, samples=1000; a grid takes points, (low, high, count) or a list ({method} takes samples)"
        raise ModelError("the number of samples is missing", where="study.samples", hint=hint)
    return _whole(samples, "samples", 1, "give a whole number of at least 1")


def _whole(value: Any, key: str, least: int, hint: str) -> int:
    """Return a whole number."""
    number = number_in(value)
    if not (math.isfinite(number) and number == math.floor(number) and number >= least):
        raise ModelError(f"{key} is {short(value)}", where=f"study.{key}", hint=hint)
    return int(number)


def _given(entries: list[Entry], method: str) -> tuple[Floats, tuple[int, ...]]:
    """Return the values of a grid, or of lists side by side."""
    columns = []
    for entry in entries:
        if entry.values is None:
            kind = "a range" if entry.text.startswith("(") else "a distribution"
            hint = "give points, (low, high, count) or a list, or ask for samples"
            raise ModelError(f"{kind} has no values of its own for method {method}", where=f"study.{entry.key}", hint=hint)
        columns.append(entry.values)
    lengths = [len(column) for column in columns]
    if method == "list":
        count = max(lengths)
        for entry, length in zip(entries, lengths, strict=True):
            if length not in (1, count):
                longest = entries[lengths.index(count)].key
                problem = f"it has {length} values, and {longest} has {count}"
                raise ModelError(problem, where=f"study.{entry.key}", hint='give lists of one length, or use method="grid"')
        _check_size(count, len(entries))
        return np.stack([np.broadcast_to(column, count) for column in columns], axis=1), ()
    _check_size(math.prod(lengths), len(entries))
    grid = np.meshgrid(*columns, indexing="ij")
    return np.stack([part.ravel() for part in grid], axis=1), tuple(lengths)


def _check_size(members: int, varied: int) -> None:
    """Refuse a plan that fills the memory."""
    if members * varied > MOST_NUMBERS:
        raise ModelError(f"the plan has {members:.3g} members", where="study", hint="take fewer points or samples")


def _sampled(entries: list[Entry], count: int, method: str, seed: int) -> Floats:
    """Return samples of all parameters, a row a member."""
    d = len(entries)
    rows = count * (d + 2) if method == "saltelli" else count
    _check_size(rows, d)
    unit = _saltelli(d, count, seed) if method == "saltelli" else unit_samples(d, count, method, seed)
    return np.stack([entry.at(unit[:, k]) for k, entry in enumerate(entries)], axis=1)


def unit_samples(dimension: int, count: int, method: str, seed: int) -> Floats:
    """Return samples of the unit cube.

    Parameters
    ----------
    dimension, count : int
    method : {"random", "sobol", "halton", "lhs"}
        Sobol' points are scrambled; their balance is best where `count` is a power of two.
    seed : int
    """
    rng = np.random.default_rng(seed)
    if method == "random":
        return rng.random((count, dimension))
    from scipy.stats import qmc

    if method == "sobol" and dimension > MOST_SOBOL:
        problem = f"Sobol' points have at most {MOST_SOBOL} dimensions, and these are {dimension}"
        raise ModelError(problem, where="study.method", hint="use random or lhs")
    engine: Any = {"sobol": qmc.Sobol, "halton": qmc.Halton, "lhs": qmc.LatinHypercube}[method]
    key = "rng" if "rng" in inspect.signature(engine).parameters else "seed"  # SciPy renamed it
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that the count is no power of two
        return np.asarray(engine(dimension, **{key: rng}).random(count))


def _saltelli(d: int, count: int, seed: int) -> Floats:
    """Return for every base sample the rows a, b, and for each i a with its i-th number from b (Saltelli and others 2010)."""
    base = unit_samples(2 * d, count, "sobol", seed)
    a, b = base[:, :d], base[:, d:]
    rows = np.empty((count, d + 2, d))
    rows[:, 0], rows[:, 1] = a, b
    for i in range(d):
        rows[:, 2 + i] = a
        rows[:, 2 + i, i] = b[:, i]
    return rows.reshape(count * (d + 2), d)
