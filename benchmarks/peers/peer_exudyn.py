"""Exudyn: its explicit DOPRI5 on a kinematic tree, and its generalized-α (ρ = 0.95) on planar bodies with revolute joints.

A setting is the tolerance of DOPRI5, the number of steps of generalized-α.
"""

from __future__ import annotations

import contextlib
import io
import math
import sys

from problems import DOUBLE_PENDULUM, FOUR_BAR, LADDER, Task, four_bar_angles, main

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


def bar(mbs: exu.MainSystem, place: tuple, angle: float, mass: float, inertia: float, rates: tuple, gravity: float) -> tuple:
    """Add a planar body; return its node and its object."""
    node = mbs.AddNode(item.NodeRigidBody2D(referenceCoordinates=[*place, angle], initialVelocities=list(rates)))
    body = mbs.AddObject(item.ObjectRigidBody2D(nodeNumber=node, mass=mass, inertia=inertia))
    if gravity:
        marker = mbs.AddMarker(item.MarkerBodyMass(bodyNumber=body))
        mbs.AddLoad(item.LoadMassProportional(markerNumber=marker, loadVector=[0, -gravity, 0]))
    return node, body


def pin_joint(mbs: exu.MainSystem, first: int, at: tuple, second: int, there: tuple) -> None:
    """Join points of two bodies."""
    ends = [
        mbs.AddMarker(item.MarkerBodyPosition(bodyNumber=b, localPosition=[*p, 0])) for b, p in ((first, at), (second, there))
    ]
    mbs.AddObject(item.ObjectJointRevolute2D(markerNumbers=ends))


def implicit_settings(until: float, steps: int, sparse: bool) -> exu.SimulationSettings:
    """Return settings of the generalized-α method with a fixed step."""
    s = settings_of(1e-8)
    s.timeIntegration.endTime, s.timeIntegration.numberOfSteps = until, steps
    s.timeIntegration.automaticStepSize = s.timeIntegration.adaptiveStep = False
    s.solution.sensors.writePeriod = s.solution.file.writePeriod = 2.0 * until
    s.timeIntegration.newton.useModifiedNewton = True
    s.timeIntegration.newton.relativeTolerance = s.timeIntegration.newton.absoluteTolerance = 1e-9
    s.timeIntegration.generalizedAlpha.spectralRadius = 0.95
    s.timeIntegration.generalizedAlpha.computeInitialAccelerations = True
    kinds = exu.LinearSolverType
    s.linearSolver.solverType = kinds.EigenSparse if sparse else kinds.EXUdense
    return s


def solving(container: exu.SystemContainer, mbs: exu.MainSystem, s: exu.SimulationSettings, value: object) -> Task:
    """Return the task of integrating an assembled system."""

    def run(_owner: exu.SystemContainer = container) -> int:
        if mbs.SolveDynamic(s, solverType=exu.DynamicSolverType.GeneralizedAlpha, showHints=False) is False:
            raise RuntimeError("Exudyn stopped")
        return int(s.timeIntegration.numberOfSteps)

    return Task(run, lambda: {"value": float(value())})


def four_bar(setting: float, _n: int) -> Task:
    """Return the planar four-bar."""
    p, container = FOUR_BAR, exu.SystemContainer()
    exu.config.printToConsole = False
    mbs, angles = container.AddSystem(), four_bar_angles()
    ground = mbs.AddObject(item.ObjectGround())
    tips = [(math.cos(a), math.sin(a)) for a in angles]
    crank_end = (2 * tips[0][0], 2 * tips[0][1])
    places = [tips[0], (crank_end[0] + tips[1][0], crank_end[1] + tips[1][1]), (p["ground"] + tips[2][0], tips[2][1])]
    made = [bar(mbs, places[k], angles[k], p["masses"][k], p["inertias"][k], (0, 0, 0), 0.0) for k in range(3)]
    bodies = [body for _, body in made]
    pin_joint(mbs, ground, (0, 0), bodies[0], (-1, 0))
    pin_joint(mbs, bodies[0], (1, 0), bodies[1], (-1, 0))
    pin_joint(mbs, bodies[1], (1, 0), bodies[2], (1, 0))
    pin_joint(mbs, ground, (p["ground"], 0), bodies[2], (-1, 0))
    middle = mbs.AddMarker(item.MarkerBodyPosition(bodyNumber=bodies[1], localPosition=[0, 0, 0]))
    mbs.AddLoad(item.LoadForceVector(markerNumber=middle, loadVector=[*p["force"], 0]))
    still = mbs.AddNode(item.NodePointGround())
    ends = [mbs.AddMarker(item.MarkerNodeCoordinate(nodeNumber=n, coordinate=c)) for n, c in ((still, 0), (made[0][0], 2))]
    spring = {"stiffness": p["stiffness"], "damping": 0, "offset": p["rest"] - angles[0]}
    mbs.AddObject(item.ObjectConnectorCoordinateSpringDamper(markerNumbers=ends, **spring))
    mbs.Assemble()
    s = implicit_settings(p["until"], round(setting), sparse=False)
    return solving(container, mbs, s, lambda: places[1][0] + mbs.systemData.GetODE2Coordinates()[3])


def ladder(setting: float, n: int) -> Task:
    """Return n four-bars side by side, 20 steps of them: what a step costs."""
    container, rate, g = exu.SystemContainer(), LADDER["rate"], LADDER["gravity"]
    exu.config.printToConsole = False
    mbs = container.AddSystem()
    ground, J = mbs.AddObject(item.ObjectGround()), 1.0 / 12.0
    cranks = [bar(mbs, (k, 0.5), 0.5 * math.pi, 1.0, J, (-0.5 * rate, 0, rate), g)[1] for k in range(n + 1)]
    couplers = [bar(mbs, (k + 0.5, 1.0), 0.0, 1.0, J, (-rate, 0, 0), g)[1] for k in range(n)]
    for k, crank in enumerate(cranks):
        pin_joint(mbs, ground, (k, 0), crank, (-0.5, 0))
    for k, coupler in enumerate(couplers):
        pin_joint(mbs, cranks[k], (0.5, 0), coupler, (-0.5, 0))
        pin_joint(mbs, coupler, (0.5, 0), cranks[k + 1], (0.5, 0))
    mbs.Assemble()
    s = implicit_settings(20 * LADDER["until"] / setting, 20, sparse=True)
    return solving(container, mbs, s, lambda: mbs.systemData.GetODE2Coordinates()[0])


if __name__ == "__main__":
    main({"double-pendulum": double_pendulum, "four-bar": four_bar, "n-four-bar": ladder})
