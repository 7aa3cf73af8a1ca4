"""Free-body balance: whether the wrenches of a saved run hold every body in its motion."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.analyses.reactions.wrenches import arm_cross
from multibody.state.poses import matrix_of

if TYPE_CHECKING:
    import xarray

Floats = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True)
class Balance:
    """The largest residual of Newton's and Euler's equations over all bodies and instants.

    Attributes
    ----------
    force, moment : float
        Largest residual in the model's units.
    relative : float
        The larger of both, each over the largest force or moment that acts anywhere.
    body : str
        Where it is.
    time : float
    """

    force: float
    moment: float
    relative: float
    body: str
    time: float

    def plain(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return asdict(self)


def balance(data: xarray.Dataset) -> Balance:
    """Return the balance of every body, from the dataset of a run alone.

    m r̈ and J ω̇ + ω × J ω of a body are compared with gravity, the totals of the joints on it (reaction and efforts, at their
    points; the first body gets the opposite) and all other actions. The model is not asked again.

    Parameters
    ----------
    data : xarray.Dataset
        ``run.data``, or a file of it read again.
    """
    if data.sizes["time"] == 0 or data.sizes["body"] == 0:
        return Balance(0.0, 0.0, 0.0, "", 0.0)
    sums = _Sums(data)
    sums.add_joints()
    sums.add_actions()
    force = np.max(np.abs(sums.force), axis=2)
    moment = np.max(np.abs(sums.moment), axis=2)
    relative = np.maximum(force / sums.force_size, moment / max(sums.moment_size, sums.force_size * sums.longest_arm))
    instant, body = np.unravel_index(int(np.argmax(relative)), relative.shape)
    return Balance(
        float(np.max(force)), float(np.max(moment)), float(relative[instant, body]), str(data["body"].values[body]),
        float(data["time"].values[instant]),
    )  # fmt: skip


class _Sums:
    """What remains of force and moment about each body's center of mass (time, body, component), and how large parts are."""

    def __init__(self, data: xarray.Dataset) -> None:
        self.data, self.place = data, {str(name): k for k, name in enumerate(data["body"].values)}
        self.position, mass = data["position"].values, data["mass"].values[:, None]
        inertial = mass * data["acceleration"].values
        weight = mass * np.broadcast_to(data["gravity"].values, inertial.shape)
        self.force, self.moment = inertial - weight, _spin(data)
        self.force_size = max(_largest(inertial), _largest(weight), _least_force(data))
        self.moment_size, self.longest_arm = _largest(self.moment) or 1e-300, 0.0

    def add(self, body: str, force: Floats, moment: Floats) -> None:
        """Subtract what acts on a body, its moment about the center of mass; the ground is not judged."""
        self.force_size = max(self.force_size, _largest(force))
        self.moment_size = max(self.moment_size, _largest(moment))
        if body in self.place:
            self.force[:, self.place[body]] -= force
            self.moment[:, self.place[body]] -= moment

    def add_joints(self) -> None:
        """Take the totals of joints between two frames: on the second body, and the opposite on the first."""
        if "joint" not in self.data.sizes:
            return
        forces, moments = self.data["total_force"].values, _columns(self.data["total_moment"].values, 2)
        points = self.data["reaction_point"].values
        ends = zip(self.data["first_body"].values, self.data["on_body"].values, strict=True)
        for k, (first, second) in enumerate(ends):
            for body, sign in ((str(second), 1.0), (str(first), -1.0)) if first else ():
                if body in self.place:
                    arm = points[:, k] - self.position[:, self.place[body]]
                    self.longest_arm = max(self.longest_arm, _largest(arm))
                    self.add(body, sign * forces[:, k], sign * (moments[:, k] + arm_cross(arm, forces[:, k])))

    def add_actions(self) -> None:
        """Take everything else, which is given at the centers of mass."""
        if "action" not in self.data.sizes:
            return
        forces, moments = self.data["action_force"].values, _columns(self.data["action_moment"].values, 2)
        for k, body in enumerate(self.data["action_on"].values):
            self.add(str(body), forces[:, k], moments[:, k])


def _largest(values: Floats) -> float:
    """Return the largest absolute value."""
    return float(np.max(np.abs(values), initial=0.0))


def _least_force(data: xarray.Dataset) -> float:
    """Return a force that would hardly be noticed, so that nothing is compared with rounding where all is at rest."""
    span = float(np.ptp(data["time"].values)) or 1.0
    return 1e-6 * _largest(data["position"].values) * float(data["mass"].max()) / span**2 or 1.0


def _spin(data: xarray.Dataset) -> Floats:
    """Return J ω̇ + ω × J ω of every body (time, body, 1 or 3)."""
    w, dw = _columns(data["angular_velocity"].values, 2), _columns(data["angular_acceleration"].values, 2)
    if w.shape[2] == 1:
        return np.asarray(data["inertia"].values[:, None] * dw)
    A = matrix_of(data["rotation"].values)
    J = A @ data["inertia"].values @ np.swapaxes(A, 2, 3)
    return np.asarray(np.einsum("tbij,tbj->tbi", J, dw) + np.cross(w, np.einsum("tbij,tbj->tbi", J, w)))


def _columns(values: Floats, dimensions: int) -> Floats:
    """Return planar moments, which are numbers, as vectors of one component."""
    return values[..., None] if values.ndim == dimensions else values
