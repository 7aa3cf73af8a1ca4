"""multibody: kinematics and dynamics of mechanisms and rigid multibody systems, described once.

Nothing heavy is imported here: the verbs load what they need when they are called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from multibody._version import __version__

if TYPE_CHECKING:
    from multibody._result_verbs import page
    from multibody._verbs import Model, load, read_run, read_study
    from multibody.analyses.robot.trajectory import Trajectory, trajectory
    from multibody.cad.part import read_part
    from multibody.errors import AnalysisError, ModelError, ModelErrors
    from multibody.files.schema import json_schema
    from multibody.formulations import (
        Articulated,
        Augmented,
        Baumgarte,
        Kane,
        Parametric,
        Partitioning,
        Recursive,
        Transformation,
    )
    from multibody.integrators import Ab3, Adams, Alpha, Bdf, Dop853, Ida, Radau, Rk4
    from multibody.model.body import Body
    from multibody.model.constructors import *  # noqa: F403
    from multibody.model.expressions import Expression
    from multibody.model.expressions.public import *  # noqa: F403
    from multibody.model.forces import Force
    from multibody.model.joints import Joint
    from multibody.results.bench import bench
    from multibody.results.robot import Robot
    from multibody.results.run import Run
    from multibody.results.simulator import Simulator
    from multibody.results.state import State
    from multibody.study.distributions import normal, triangular, uniform
    from multibody.study.result import Study

_HOME = {
    "Model": "multibody._verbs",
    "Robot": "multibody.results.robot",
    "Trajectory": "multibody.analyses.robot.trajectory",
    "trajectory": "multibody.analyses.robot.trajectory",
    "Run": "multibody.results.run",
    "Simulator": "multibody.results.simulator",
    "State": "multibody.results.state",
    "bench": "multibody.results.bench",
    "load": "multibody._verbs",
    "page": "multibody._result_verbs",
    "read_part": "multibody.cad.part",
    "read_run": "multibody._verbs",
    "read_study": "multibody._verbs",
    "Study": "multibody.study.result",
    **dict.fromkeys(("normal", "triangular", "uniform"), "multibody.study.distributions"),
    "json_schema": "multibody.files.schema",
    "AnalysisError": "multibody.errors",
    "ModelError": "multibody.errors",
    "ModelErrors": "multibody.errors",
    "Body": "multibody.model.body",
    "Joint": "multibody.model.joints",
    "Force": "multibody.model.forces",
    "Expression": "multibody.model.expressions",
    **dict.fromkeys(
        ("Articulated", "Augmented", "Baumgarte", "Kane", "Parametric", "Partitioning", "Recursive", "Transformation"),
        "multibody.formulations",
    ),
    **dict.fromkeys(("Ab3", "Adams", "Alpha", "Bdf", "Dop853", "Ida", "Radau", "Rk4"), "multibody.integrators"),
}
_CONSTRUCTORS = (
    "Bushing", "Cam", "Coupler", "Cylindrical", "Distance", "Effort", "Fixed", "Free", "Friction", "Gear", "Load", "Parallel",
    "Planar", "PointOnLine", "PointOnPlane", "Prismatic", "Rack", "Revolute", "Screw", "Spherical", "Spring", "Stop",
    "Translational", "Universal",
)  # fmt: skip
_FUNCTIONS = (
    "t", "phi", "pi", "deg", "rpm", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "log",
    "sqrt", "sign", "step", "step5", "haversine", "trapezoid", "poly", "norm", "unit", "cross", "dot", "if_", "min_", "max_",
    "abs_",
)  # fmt: skip

__all__ = [
    "Ab3",
    "Adams",
    "Alpha",
    "AnalysisError",
    "Articulated",
    "Augmented",
    "Baumgarte",
    "Bdf",
    "Body",
    "Dop853",
    "Expression",
    "Force",
    "Ida",
    "Joint",
    "Kane",
    "Model",
    "ModelError",
    "ModelErrors",
    "Parametric",
    "Partitioning",
    "Radau",
    "Recursive",
    "Rk4",
    "Robot",
    "Run",
    "Simulator",
    "State",
    "Study",
    "Trajectory",
    "Transformation",
    "__version__",
    "bench",
    "json_schema",
    "load",
    "normal",
    "page",
    "read_part",
    "read_run",
    "read_study",
    "trajectory",
    "triangular",
    "uniform",
    *_CONSTRUCTORS,
    *_FUNCTIONS,
]


if not TYPE_CHECKING:  # type checkers read the imports above, and see names that do not exist

    def __getattr__(name: str) -> Any:
        """Import a public name when it is first used (PEP 562)."""
        import importlib

        if name in _HOME:
            return getattr(importlib.import_module(_HOME[name]), name)
        if name in _FUNCTIONS:
            return getattr(importlib.import_module("multibody.model.expressions"), name)
        if name in _CONSTRUCTORS:  # mb.Revolute("A", first, second, axis=...) for model.add
            return getattr(importlib.import_module("multibody.model.constructors"), name)
        from multibody.arguments import no_attribute

        no_attribute("multibody", name, [*_HOME, *_FUNCTIONS, *_CONSTRUCTORS])


def __dir__() -> list[str]:
    """Return the public names."""
    return sorted(__all__)
