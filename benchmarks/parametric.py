"""Parametric coordinates: operations of a joint's derivatives, and the in-line engine (Tables 7 and 8 of Lee, Lee, Bae 2013).

Run: ``python benchmarks/parametric.py [PART ...]``. Parts: operations, engine; both by default. A time is the shortest of
several, on one thread; only ratios within one run mean much.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import robot
from common import integration, table

import multibody as mb

KINDS = ("revolute", "translational", "screw", "cylindrical", "universal", "planar", "spherical")
# Table 7: Φ_q and its derivative, conventional and proposed
PAPER = {
    "revolute": (222, 51, 360, 45), "translational": (504, 33, 939, 9), "screw": (564, 60, 1074, 54),
    "cylindrical": (420, 57, 798, 54), "universal": (138, 73, 219, 114), "planar": (294, 75, 540, 63),
    "spherical": (54, 101, 78, 386),
}  # fmt: skip
SETS = {1: 0.09 / 0.09, 5: 0.46 / 0.42, 20: 1.94 / 1.70}  # Table 8: proposed over conventional


class Counted(robot.Counted):
    """A counted number that can also be compared and be divided by, as the kernel of an angle does."""

    def __gt__(self, other: Any) -> bool:
        return self.value > float(other)

    def __eq__(self, other: object) -> bool:
        return self.value == float(other)  # type: ignore[arg-type]

    __hash__ = None  # type: ignore[assignment]

    def __rtruediv__(self, other: Any) -> robot.Counted:
        return self._with("/", float(other) / self.value)

    def _with(self, operation: str, value: float) -> Counted:
        robot.Counted.done[operation] += 1
        return Counted(value)

    def __neg__(self) -> Counted:
        return Counted(-self.value)

    def __mul__(self, other: Any) -> robot.Counted:
        if not isinstance(other, Counted) and abs(other) == 1.0:
            return Counted(self.value * other)
        return self._with("*", self.value * float(other))

    __rmul__ = __mul__


def _numbers(count: int, rng: np.random.Generator) -> Any:
    """Return numbers that count what is done with them."""
    return np.array([Counted(x) for x in rng.normal(size=count)], dtype=object)


def _sum() -> int:
    """Return the operations since the last call."""
    total = sum(robot.Counted.done.values())
    robot.Counted.done = dict.fromkeys("+*/", 0)
    return total


def conventional(kind: str) -> tuple[int, int]:
    """Return the operations of Φ_q and of its derivative of a pair in the bodies' coordinates, as the kernels do them."""
    from multibody.kernels import codes as L
    from multibody.kernels.spatial import spatial_hessian, spatial_terms
    from multibody.model.joints import KINDS as CATALOG

    codes = {"coincide": (L.COINCIDE,) * 3, "dot1": (L.DOT1,), "dot2": (L.DOT2,), "advance": (L.DOT2, L.ANGLE)}
    functions = [code for spec in CATALOG[kind].structure(3).rows for code in codes[spec[0]]]
    rng = np.random.default_rng(0)
    p, q = (SimpleNamespace(r=_numbers(3, rng), A=_numbers(9, rng)) for _ in range(2))
    n = SimpleNamespace(**{name: _numbers(3, rng) for name in ("s_i", "s_j", "a", "b", "c", "d")})
    h, g = _numbers(144, rng), _numbers(36, rng)
    _sum()
    for code in functions:
        spatial_terms(code, p, q, n)
    first = _sum()
    for code in functions:
        spatial_hessian(code, p, q, n, h, g)
    return first, _sum()


def proposed(kind: str) -> tuple[int, int]:
    """Return the same in parametric coordinates, derivatives as functions of α alone."""
    from multibody.kernels.parametric import frames, partials
    from multibody.kernels.tags import SPATIAL
    from multibody.model.joints import KINDS as CATALOG

    frames.sincos = lambda x: (Counted(math.sin(x)), Counted(math.cos(x)))  # as the paper, which counts × and + only
    motion = CATALOG[kind].structure(3).motion
    slides, pitched = tuple(freedom.number for freedom in motion.slides), motion.screw is not None
    count, rng = len(motion.freedoms), np.random.default_rng(0)
    pair = SimpleNamespace(
        first=1, second=2, rotation=motion.angles, cosine=0, slides=len(slides), pitched=int(pitched), slide=slides,
        extra=0, parameters=count, row=0, entry=0, width=12 + count, at_first=0, at_second=6, at_alpha=12, chosen=range(6),
    )  # fmt: skip
    numbers = SimpleNamespace(s_i=_numbers(3, rng), s_j=_numbers(3, rng), C_j=_numbers(9, rng), pitch=Counted(rng.normal()))
    model = SimpleNamespace(
        parametric=SimpleNamespace(pairs=[pair], spatial_numbers=[numbers]), pattern=SimpleNamespace(nodes=np.zeros(0)),
        width=6, bodies=2, velocities=12 + count,
    )  # fmt: skip
    state = SimpleNamespace(parametric=SimpleNamespace(charts=[SimpleNamespace(C_i=_numbers(9, rng))]))
    scratch = SimpleNamespace(extra=_numbers(count, rng))
    P, K = np.zeros(6 * pair.width, dtype=object), np.zeros((12 + count) ** 2, dtype=object)
    multipliers = _numbers(6, rng)
    _sum()
    moved, axes = frames.moved_frame(SPATIAL, model, state, scratch, 0)
    partials.alpha_rows(SPATIAL, model, state, scratch, 0, moved, axes, P)
    first = _sum()
    partials.alpha_second(SPATIAL, model, state, scratch, 0, moved, axes, multipliers, K)
    return first, _sum()


def operations() -> None:
    """Print the operations of derivatives, counted in the kernels, beside the paper's."""
    command = [sys.executable, __file__, "--count"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, "NUMBA_DISABLE_JIT": "1"})
    answer, rows = json.loads(done.stdout.splitlines()[-1]), []
    for kind in KINDS:
        (a, b), (c, d) = answer[kind]
        p = PAPER[kind]
        rows.append([kind, f"{a} → {c}", f"{c / a:.2f}", f"{p[0]} → {p[1]}", f"{b} → {d}", f"{d / b:.2f}", f"{p[2]} → {p[3]}"])
    head = ["joint", "Φ_q", "ratio", "paper", "(Φ_qᵀλ)_q", "ratio", "paper"]
    table("× and + of a joint, conventional → parametric", head, rows)


def engine(sets: tuple[int, ...] = tuple(SETS), until: float = 1.0, rtol: float = 1e-6, rounds: int = 5) -> None:
    """Print the time of engines in both coordinates, and their largest difference."""
    rows = []
    for n in sets:
        model, found = mb.load("engine", n=n), {}
        for _ in range(2):  # methods take turns
            for formulation in ("augmented", "parametric"):
                options: dict[str, Any] = {"formulation": formulation, "integrator": "bdf", "rtol": rtol, "atol": rtol / 100}
                took, sim = integration(model, until, rounds, **options)
                found[formulation] = (min(took, found.get(formulation, (math.inf,))[0]), sim)
        (old, a), (new, b) = found["augmented"], found["parametric"]
        gap = float(np.max(np.abs(a.y[: a.system.nq] - b.y[: a.system.nq])))
        steps = [int(sim.statistics()["steps"]) for sim in (a, b)]
        each = new / steps[1] / (old / steps[0])
        rows.append([
            str(n), f"{1e3 * old:.2f} ms, {steps[0]} steps", f"{1e3 * new:.2f} ms, {steps[1]} steps", f"{new / old:.2f}",
            f"{each:.2f}", f"{SETS.get(n, math.nan):.2f}", f"{gap:.1e}",
        ])  # fmt: skip
    head = ["sets", "augmented, bdf", "parametric, bdf", "ratio", "ratio of a step", "paper", "difference at the end"]
    table(f"engine, {until:g} s, rtol {rtol:g}", head, rows)


def main() -> None:
    """Run the chosen parts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", default=["operations", "engine"])
    parser.add_argument("--count", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.count:
        print(json.dumps({kind: [conventional(kind), proposed(kind)] for kind in KINDS}))
        return
    for part in options.parts:
        {"operations": operations, "engine": engine}[part]()


if __name__ == "__main__":
    main()
