"""Exudyn's explicit integrator DOPRI5 on its kinematic tree in joint coordinates. A setting is the tolerance."""

from __future__ import annotations

import contextlib
import io
import sys

from problems import DOUBLE_PENDULUM, Task, main

sys.exudynFast = True  # its build without range checks
with contextlib.redirect_stdout(io.StringIO()):
    import exudyn as exu
    import exudyn.itemInterface as item  # noqa: N813


def tree(mbs: exu.MainSystem) -> int:
    """Add the two links as a tree; return the object's number."""
    p = DOUBLE_PENDULUM
    angles = [p["angles"][0], p["angles"][1] - p["angles"][0]]
    node = mbs.AddNode(
        item.NodeGenericODE2(
            referenceCoordinates=[0.0, 0.0], initialCoordinates=angles, initialCoordinates_t=[0.0, 0.0],
            numberOfODE2Coordinates=2,
        )
    )  # fmt: skip
    inertias, centers, offsets, turns = exu.Matrix3DList(), exu.Vector3DList(), exu.Vector3DList(), exu.Matrix3DList()
    for k in range(2):
        J = p["inertias"][k]
        inertias.Append([[J, 0, 0], [0, J, 0], [0, 0, J]])
        centers.Append([1.0, 0.0, 0.0])
        offsets.Append([p["length"] * k, 0.0, 0.0])
        turns.Append([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    return mbs.AddObject(
        item.ObjectKinematicTree(
            nodeNumber=node, jointTypes=[exu.JointType.RevoluteZ] * 2, linkParents=[-1, 0], jointTransformations=turns,
            jointOffsets=offsets, linkInertiasCOM=inertias, linkCOMs=centers, linkMasses=list(p["masses"]), gravity=[0, 0, 0],
        )
    )  # fmt: skip


def settings_of(tolerance: float) -> exu.SimulationSettings:
    """Return settings for one thread, no files, and steps chosen by the tolerance."""
    s = exu.SimulationSettings()
    s.timeIntegration.endTime = DOUBLE_PENDULUM["until"]
    s.timeIntegration.numberOfSteps = 1
    s.timeIntegration.automaticStepSize = True
    s.timeIntegration.initialStepSize, s.timeIntegration.minimumStepSize = 1e-4, 1e-12
    s.timeIntegration.relativeTolerance = s.timeIntegration.absoluteTolerance = tolerance
    s.timeIntegration.verboseMode = 0
    s.solution.file.write = False
    s.solution.sensors.writePeriod = s.solution.file.writePeriod = 2.0 * DOUBLE_PENDULUM["until"]
    s.parallel.numberOfThreads = 1
    return s


def double_pendulum(setting: float, _n: int) -> Task:
    """Return the double pendulum with its torque and its force at the end."""
    p = DOUBLE_PENDULUM
    exu.config.printToConsole = False
    container = exu.SystemContainer()
    mbs = container.AddSystem()
    body = tree(mbs)
    first = mbs.AddMarker(item.MarkerKinematicTreeRigid(objectNumber=body, linkNumber=0, localPosition=[0, 0, 0]))
    end = mbs.AddMarker(item.MarkerKinematicTreeRigid(objectNumber=body, linkNumber=1, localPosition=[p["length"], 0, 0]))
    mbs.AddLoad(item.LoadTorqueVector(markerNumber=first, loadVector=[0, 0, p["torque"]]))
    mbs.AddLoad(item.LoadForceVector(markerNumber=end, loadVector=[*p["force"], 0]))
    mbs.Assemble()
    settings = settings_of(setting)

    def run(_owner: exu.SystemContainer = container) -> int:  # the container must outlive its system
        mbs.SolveDynamic(settings, solverType=exu.DynamicSolverType.DOPRI5, showHints=False)
        return 0  # Exudyn does not tell the number of steps

    return Task(run, lambda: {"value": float(sum(mbs.systemData.GetODE2Coordinates()))})


if __name__ == "__main__":
    main({"double-pendulum": double_pendulum})
