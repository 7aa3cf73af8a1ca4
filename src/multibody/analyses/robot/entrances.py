"""Quick entrances for one state: straight to the compiled code where arguments fit, to the careful method where they do not.

Each is as short as can be, since Python takes longer to come here than the compiled code to answer. Kernels look at sizes and
at whether what comes out is a number; they answer 0, or raise TypeError for what is no contiguous array of floats. The careful
method of the robot prepares the kernel at its first call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy import empty

from multibody.arguments import ABSENT, slowly

Careful = Callable[..., Any]
MISFITS = (KeyError, TypeError, ValueError)  # a frame or kernel that is not there yet, what is no array of floats


def inverse(careful: Careful) -> Careful:
    """Return the entrance of inverse dynamics."""

    def inverse_dynamics(
        self: Any, q: Any = ABSENT, v: Any = ABSENT, a: Any = ABSENT, out: Any = None, t: float = 0.0, *more: Any,
        **unknown: Any,
    ) -> Any:  # fmt: skip
        if not (more or unknown):
            try:
                tau = empty(self.nv) if out is None else out
                if self._inverse_one(self._at_model, self._at_scratch, q, v, a, tau):
                    return tau
            except MISFITS:
                pass
        return slowly(careful, self, {"q": q, "v": v, "a": a, "out": out, "t": t}, more, unknown)

    return inverse_dynamics


def forward(careful: Careful) -> Careful:
    """Return the entrance of forward dynamics."""

    def forward_dynamics(
        self: Any, q: Any = ABSENT, v: Any = ABSENT, tau: Any = ABSENT, out: Any = None, t: float = 0.0, *more: Any,
        **unknown: Any,
    ) -> Any:  # fmt: skip
        if not (more or unknown):
            try:
                a = empty(self.nv) if out is None else out
                if self._forward_one(self._at_model, self._at_scratch, q, v, tau, a):
                    return a
            except MISFITS:
                pass
        return slowly(careful, self, {"q": q, "v": v, "tau": tau, "out": out, "t": t}, more, unknown)

    return forward_dynamics


def mass(careful: Careful) -> Careful:
    """Return the entrance of the mass matrix."""

    def mass_matrix(self: Any, q: Any = ABSENT, out: Any = None, *more: Any, **unknown: Any) -> Any:
        if not (more or unknown):
            try:
                M = empty(self._mass_shape) if out is None else out
                if self._mass_one(self._at_model, self._at_scratch, q, M):
                    return M
            except MISFITS:
                pass
        return slowly(careful, self, {"q": q, "out": out}, more, unknown)

    return mass_matrix


def momentum(careful: Careful) -> Careful:
    """Return the entrance of the momentum matrix."""

    def momentum_matrix(self: Any, q: Any = ABSENT, out: Any = None, *more: Any, **unknown: Any) -> Any:
        if not (more or unknown):
            try:
                A = empty(self._wide_shape) if out is None else out
                if self._momentum_one(self._at_moving, self._at_scratch, q, A):
                    return A
            except MISFITS:
                pass
        return slowly(careful, self, {"q": q, "out": out}, more, unknown)

    return momentum_matrix


def jacobian(careful: Careful) -> Careful:
    """Return the entrance of a frame's Jacobian."""

    def frame_jacobian(
        self: Any, frame: Any = ABSENT, q: Any = ABSENT, out: Any = None, *more: Any, **unknown: Any
    ) -> Any:
        if not (more or unknown):
            try:
                J = empty(self._wide_shape) if out is None else out
                if self._jacobian_one(self._at_frames[frame], q, J):
                    return J
            except MISFITS:
                pass
        return slowly(careful, self, {"frame": frame, "q": q, "out": out}, more, unknown)

    return frame_jacobian


def pose(careful: Careful) -> Careful:
    """Return the entrance of a frame's pose."""

    def frame_pose(self: Any, frame: Any = ABSENT, q: Any = ABSENT, *more: Any, **unknown: Any) -> Any:
        if not (more or unknown):
            try:
                r, A = empty(self.dimension), empty(self._pose_shape)
                if self._pose_one(self._at_frames[frame], q, r, A):
                    return r, A
            except MISFITS:
                pass
        return slowly(careful, self, {"frame": frame, "q": q}, more, unknown)

    return frame_pose
