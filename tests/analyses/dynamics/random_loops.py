"""Random closed loops in motion, by seed: all pairs, axes, offsets and centers of mass in general position, springs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import multibody as mb
from across.properties.strategies import FREEDOM, Maker
from analyses.dynamics.random_models import Heavy, loaded, well_posed

PAIRS = {2: ("revolute", "revolute", "translational"),
         3: ("revolute", "translational", "cylindrical", "screw", "universal", "spherical", "planar")}  # fmt: skip


def random_loop(seed: int) -> tuple[int, Heavy]:
    """Return the number of the seed's first drawing that moves and is in a regular pose, and the drawing.

    A quarter of them are planar. Half of them have one loop through the ground, the others a second one between bodies.
    """
    rng = np.random.default_rng(seed)
    dimension = 2 if seed % 4 == 3 else 3
    for number in range(200):
        heavy = loaded(_drawn(rng, dimension).mechanism(), int(rng.integers(2**32)))
        if well_posed(heavy):
            return number, heavy
    raise ValueError(f"seed {seed} draws nothing that moves")


def _drawn(rng: np.random.Generator, dimension: int) -> Maker:
    """Return a chain closed at the ground, with as many bodies as leave it one to three freedoms, perhaps braced."""
    maker, kinds, freedom = Maker(dimension, rng), PAIRS[dimension], FREEDOM[dimension]
    closed = str(rng.choice(kinds))
    total, last, size = freedom[closed], "ground", 3 if dimension == 2 else 6
    braces = int(rng.integers(2))
    while total <= size or len(maker.bodies) < 2 + braces:
        kind = str(rng.choice(kinds))
        total += freedom[kind]
        last = maker.hang(last, kind, bool(rng.integers(2)), bool(rng.integers(2)))
    maker.close(last, "ground", closed)
    if braces:
        first, second = (str(name) for name in rng.permutation(["ground", *maker.bodies])[:2])
        maker.close(first, second, str(rng.choice([k for k in kinds if freedom[k] > 1] or kinds)))
    return maker


def random_loops(seeds: Iterator[int] | range) -> Iterator[tuple[int, mb.Model, mb.State]]:
    """Return seeds with their models and consistent states in motion."""
    for seed in seeds:
        _, heavy = random_loop(seed)
        model = heavy.model()
        yield seed, model, heavy.state(model)
