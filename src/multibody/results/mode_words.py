"""Shapes of modes in words: by joint coordinates, and by bodies where these do not tell all of a motion."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from multibody.state.named_columns import MOST, NOTICED, displacements, in_words, joint_coordinates
from multibody.state.system import Floats, System

Complexes = npt.NDArray[np.complex128]
SAME = 1e-8  # singular value beside the largest below which a direction adds nothing
LARGEST = 600  # velocity columns up to which it is found out what coordinates tell


def shape_words(system: System, q: Floats, d: Floats, told: bool) -> str:
    """Return the shape of a mode at a pose q by what changes most; of the displacement d (nv,) only the direction counts.

    Parameters
    ----------
    system, q, d
        As :func:`in_words` takes them.
    told : bool
        Whether joint coordinates tell everything; else bodies are named too, with their displacements in ground axes.
    """
    if told:
        return in_words(system, q, d)
    changes = {**_coordinates(system, q, d), **_bodies(system, q, d)}
    order = sorted(changes, key=lambda name: -abs(changes[name]))
    if not order or changes[order[0]] == 0.0:
        return ""
    first = changes[order[0]]
    near = [name for name in order if abs(changes[name]) > NOTICED * abs(first)]
    text = ", ".join(f"{name} {changes[name] / first:+.2g}" for name in near[:MOST])
    return text + (", …" if len(near) > MOST else "")


def coordinates_tell(system: System, q: Floats, shapes: Complexes) -> bool:
    """Return whether the coordinates of joints tell the shapes apart: no motion leaves all of them as they are."""
    if len(shapes) > LARGEST or not shapes.shape[1]:
        return True
    coordinates = joint_coordinates(system, q)
    if not coordinates.names:
        return True  # then bodies are named anyway
    moved = np.hstack([shapes.real, shapes.imag])
    scaled = moved / system.scale_columns[:, None]
    seen = coordinates.gradients @ moved / np.where(coordinates.is_length, system.tables.length, 1.0)[:, None]
    return _rank(seen) >= _rank(scaled)


def _rank(matrix: Floats) -> int:
    """Return how many directions the columns have, each taken at its own size."""
    values = np.linalg.svd(matrix, compute_uv=False)
    return int(np.sum(values > SAME * values[0])) if len(values) and values[0] > 0.0 else 0


def _coordinates(system: System, q: Floats, d: Floats) -> dict[str, float]:
    """Return the changes of joint coordinates, lengths over the characteristic one."""
    found = joint_coordinates(system, q)
    changes = found.gradients @ d / np.where(found.is_length, system.tables.length, 1.0)
    return dict(zip(found.names, changes.tolist(), strict=True))


def _bodies(system: System, q: Floats, d: Floats) -> dict[str, float]:
    """Return the largest displacement and the largest rotation of every body that no joint with coordinates holds to ground."""
    tables, changes = system.tables, dict[str, float]()
    held = set()
    for joint in tables.model.joints.values():
        ends = {end.body for end in tables.ends.get(joint.name, ())}
        if 0 in ends and joint.names_of_coordinates(tables.dimension):
            held |= ends
    for number, (name, (moved, turned)) in enumerate(displacements(system, q, d).items(), start=1):
        if number in held:
            continue
        k, j = int(np.argmax(np.abs(moved))), int(np.argmax(np.abs(turned)))
        changes[f"{name}.{'xyz'[k]}"] = float(moved[k]) / tables.length
        changes[f"{name}.angle" if tables.dimension == 2 else f"{name}.turn.{'xyz'[j]}"] = float(turned[j])
    return changes
