"""A case as the package is told it, and what the package answers."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import multibody as mb
from across.duel.absolute import Floats
from across.duel.cases import Case


def model_of(case: Case) -> mb.Model:
    """Return the model of a case, with its velocities as guesses: they are consistent, so nothing moves them."""
    m = mb.Model("duel", dimension=case.dimension)
    guess: dict[str, Any] = {}
    for what, name, words in case.told:
        if what == "gravity":
            m = mb.Model("duel", dimension=case.dimension, gravity=words["value"])
        elif what == "ground":
            m.frames(**words)
        elif what == "body":
            m.body(name, **words)
        elif what == "motion":
            m.motion(name, words["expression"])
        elif what == "guess":
            guess |= words
        elif what in ("force", "effort", "friction", "stop"):
            rest = {key: value for key, value in words.items() if key not in ("end", "coordinate")}
            getattr(m, what)(name, words.get("end") or words["coordinate"], **rest)
        elif what == "coupler":
            m.coupler(name, words["expression"])
        else:
            rest = {key: value for key, value in words.items() if key not in ("first", "second")}
            getattr(m, what)(name, words["first"], words["second"], **rest)
    m.initial(guess=guess | rates(case))
    return m


def rates(case: Case) -> dict[str, float]:
    """Return the velocities of all bodies by path."""
    found = {}
    for k, twist in enumerate(case.v.reshape(-1, 6)):
        found |= {f"b{k}.{c}.rate": float(x) for c, x in zip("xyz"[: case.dimension], twist, strict=False)}
        spin = case.R[k] @ twist[3:]
        if case.dimension == 2:
            found[f"b{k}.angle.rate"] = float(spin[2])
        else:
            found |= {f"b{k}.omega.{c}": float(x) for c, x in zip("xyz", spin, strict=True)}
    return found


def accelerations(run: Any, case: Case, at: int = 0) -> Floats:
    """Return linear and angular accelerations of all bodies at an instant, ground axes, (n, 6)."""
    found = np.zeros((len(case.r), 6))
    for k in range(len(case.r)):
        for c, axis in enumerate("xyz"[: case.dimension]):
            found[k, c] = float(run[f"b{k}.{axis}.acceleration"][at])
            if case.dimension == 3:
                found[k, 3 + c] = float(run[f"b{k}.omega.{axis}.acceleration"][at])
        if case.dimension == 2:
            found[k, 5] = float(run[f"b{k}.angle.acceleration"][at])
    return found


def poses(run: Any, case: Case) -> tuple[Floats, Floats]:
    """Return places and axes of all bodies at the end."""
    r, R = np.zeros((len(case.r), 3)), np.zeros((len(case.r), 3, 3))
    for k in range(len(case.r)):
        r[k, : case.dimension] = [float(run[f"b{k}.{c}"][-1]) for c in "xyz"[: case.dimension]]
        if case.dimension == 2:
            R[k] = Rotation.from_rotvec([0, 0, float(run[f"b{k}.angle"][-1])]).as_matrix()
        else:
            w, x, y, z = np.asarray(run[f"b{k}.rotation"])[-1]
            R[k] = Rotation.from_quat([x, y, z, w]).as_matrix()
    return r, R


def start_of(run: Any, case: Case) -> Floats:
    """Return the velocities that the package starts with, as the independent program has them."""
    found = np.zeros((len(case.r), 6))
    for k in range(len(case.r)):
        found[k, : case.dimension] = [float(run[f"b{k}.{c}.rate"][0]) for c in "xyz"[: case.dimension]]
        if case.dimension == 2:
            found[k, 5] = float(run[f"b{k}.angle.rate"][0])
        else:
            found[k, 3:] = case.R[k].T @ [float(run[f"b{k}.omega.{c}"][0]) for c in "xyz"]
    return found.ravel()
