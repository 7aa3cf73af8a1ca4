"""Newton's and Euler's equations of every body, from a saved run alone.

Poses, velocities, wrenches and their points are read from the file; accelerations are differences of the saved velocities
(eighth order, on the uniform grid), so nothing that solved the equations of motion takes part.
"""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import numpy.typing as npt
import xarray
from scipy.spatial.transform import Rotation

Floats = npt.NDArray[np.float64]
STENCIL = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0.0, 4 / 5, -1 / 5, 4 / 105, -1 / 280])


def saved(run: Any, folder: pathlib.Path) -> xarray.Dataset:
    """Return a run after a round through a file."""
    file = folder / "run.nc"
    run.save(file)
    with xarray.open_dataset(file) as data:
        return data.load()


def rate(values: Floats, step: float) -> Floats:
    """Return the time derivative at all instants but four at each end."""
    n = len(values) - 8
    return sum(c * values[k : k + n] for k, c in enumerate(STENCIL)) / step


def spatial(values: Floats, moment: bool = False) -> Floats:
    """Return planar vectors with a zero z component, planar moments along z."""
    if moment and values.ndim == 1:
        return np.stack([0 * values, 0 * values, values], -1)
    return np.concatenate([values, np.zeros((len(values), 1))], 1) if values.shape[1] == 2 else values


def residual(data: xarray.Dataset) -> float:
    """Return the largest residual of force and moment of any body, over the largest force and moment."""
    found = [_body(data, str(name)) for name in data.body.values]
    sizes = [max(item[1][k] for item in found) for k in range(2)]
    return max(float(np.max(np.abs(item[0][k]))) / sizes[k] for item in found for k in range(2))


def _body(data: xarray.Dataset, name: str) -> tuple[tuple[Floats, Floats], tuple[float, float]]:
    body, step = data.sel(body=name), float(data.time[1] - data.time[0])
    r, mass = spatial(body.position.values), float(body.mass)
    forces = [mass * spatial(np.tile(data.gravity.values, (len(r), 1)))]
    moments = [0.0 * r]
    for joint in data.get("joint", xarray.DataArray([])).values:
        item = data.sel(joint=joint)
        sides = {str(item.on_body.values): 1.0, str(item.first_body.values): -1.0}
        if item.first_body.values != "" and name in sides:
            force = sides[name] * spatial(item.total_force.values)
            arm = spatial(item.reaction_point.values) - r
            forces.append(force)
            moments.append(sides[name] * spatial(item.total_moment.values, True) + np.cross(arm, force))
    for action in data.get("action", xarray.DataArray([])).values:
        item = data.sel(action=action)
        if item.action_on.values == name:
            forces.append(spatial(item.action_force.values))
            moments.append(spatial(item.action_moment.values, True))
    momentum = mass * spatial(body.velocity.values)
    inner = slice(4, -4)
    rest = (rate(momentum, step) - np.sum(forces, 0)[inner], rate(_spin(body), step) - np.sum(moments, 0)[inner])
    return rest, tuple(max(float(np.max(np.abs(x))) for x in group) for group in (forces, moments))  # type: ignore[return-value]


def _spin(body: xarray.Dataset) -> Floats:
    """Return the angular momentum about the center of mass."""
    if "rotation" not in body:
        return spatial(float(body.inertia) * body.angular_velocity.values, True)
    turn = Rotation.from_quat(np.roll(body.rotation.values, -1, axis=1)).as_matrix()
    return np.einsum("tij,jk,tlk,tl->ti", turn, body.inertia.values, turn, body.angular_velocity.values)
