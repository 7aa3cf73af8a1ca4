"""The duel: one case in both programs, and how far their answers are apart."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

import multibody as mb
from across.duel.absolute import Floats
from across.duel.cases import Case
from across.duel.told import accelerations, model_of, poses, start_of

FORMULATIONS = (
    "augmented", "baumgarte", "partitioning", "kane", "parametric", "recursive", "transformation", "articulated",
)  # fmt: skip
UNTIL = 0.05


@dataclass
class Verdict:
    """Largest differences of one formulation, over the size of what is compared; or the words with which it refused."""

    formulation: str
    acceleration: float = 0.0
    reaction: float = 0.0
    place: float = 0.0
    refused: str = ""
    faults: list[str] = field(default_factory=list)

    @property
    def worst(self) -> float:
        """The largest difference."""
        return max(self.acceleration, self.reaction, self.place)


def size(x: Any) -> float:
    """Return the size of something that is compared, at least one."""
    return max(1.0, float(np.max(np.abs(x), initial=0.0)))


def ground_axes(case: Case, slopes: Floats) -> Floats:
    """Return v̇ with angular accelerations in ground axes: A ω̇′ = ω̇."""
    found = slopes.reshape(-1, 6).copy()
    found[:, 3:] = np.einsum("kab,kb->ka", case.R, found[:, 3:])
    return found


def may_refuse(case: Case, formulation: str) -> bool:
    """Return whether a formulation is documented to refuse a case: articulated inertias need mass at every turn."""
    massless = "cam" in case.kinds or not np.all(case.program.masses)
    return formulation == "articulated" and massless


def judge(case: Case, formulations: tuple[str, ...] = FORMULATIONS, integrate: bool = True) -> list[Verdict]:
    """Return what comes of a case, a verdict for every formulation."""
    model, program = model_of(case), case.program
    slopes, *_ = program.solve(case.r, case.R, case.v, 0.0)
    exact, wrenches = ground_axes(case, slopes), program.wrenches(case.r, case.R, case.v, 0.0)
    end = program.integrate(case.r, case.R, case.v, UNTIL, 1e-11) if integrate else None
    verdicts = []
    for formulation in formulations:
        verdict = Verdict(formulation)
        verdicts.append(verdict)
        try:
            run = model.run(UNTIL, formulation=formulation, integrator="dop853", rtol=1e-11, atol=1e-13, output_step=UNTIL)
        except mb.ModelError as error:
            verdict.refused = str(error)
            continue
        if not run.ok:
            verdict.faults.append(run.status.message)
            continue
        moved = float(np.max(np.abs(start_of(run, case) - case.v)))
        if moved > 1e-9:
            verdict.faults.append(f"the start was moved by {moved:.1e}")
        verdict.acceleration = float(np.max(np.abs(accelerations(run, case) - exact))) / size(exact)
        _compare_wrenches(run, case, wrenches, verdict)
        if end is not None:
            r, R = poses(run, case)
            verdict.place = max(float(np.max(np.abs(r - end[0]))), float(np.max(np.abs(R - end[1]))))
    return verdicts


def _compare_wrenches(run: Any, case: Case, wrenches: dict[str, Any], verdict: Verdict) -> None:
    """Compare the reactions of all joints at the start, and which of their components are unique."""
    for name, (force, moment, unique_force, unique_moment) in wrenches.items():
        found = run.reactions(name)
        pairs = [("force", force, unique_force), ("moment", moment, unique_moment)]
        scale = max(size(force), size(moment))
        for what, expected, unique in pairs:
            value = np.atleast_1d(np.asarray(found[what].values)[0])
            ours = np.atleast_1d(np.asarray(found[f"unique_{what}"].values))
            ours = ours[0] if ours.ndim == 2 else ours
            if case.dimension == 2:
                expected, unique = (expected[:2], unique[:2]) if what == "force" else (expected[2:], unique[2:])
            if not np.array_equal(np.broadcast_to(ours, unique.shape).astype(bool), unique):
                verdict.faults.append(f"{name} {what}: unique {ours}, expected {unique}")
            gap = np.where(unique, np.abs(value - expected), 0.0)
            verdict.reaction = max(verdict.reaction, float(np.max(gap, initial=0.0)) / scale)
