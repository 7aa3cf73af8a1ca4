"""From the description of a robot to a model."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, TypeVar

from multibody.errors import MassError, ModelError, ModelErrors, RobotNote
from multibody.files.robots.description import Coupling, Description, Joint, Link
from multibody.files.robots.inertias import Fault, Masses, carries, fixed_base, judged, roots
from multibody.files.robots.merge import merged
from multibody.files.robots.names import Names, frame_name
from multibody.files.robots.options import RobotOptions
from multibody.files.robots.pose import Pose
from multibody.files.robots.shapes import drawn_shapes
from multibody.model.model import Model

__all__ = ["lower"]

M = TypeVar("M", bound=Model)

_KINDS = {"prismatic": "translational", "ball": "spherical"}  # others are called the same
_SINGLE = ("revolute", "prismatic", "screw")  # joints of one coordinate
DEPTH = {"revolute": 0.01, "prismatic": 0.001, "screw": 0.01}
"""How far beyond a limit [rad or m] the stop takes the joint's largest effort."""
EFFORT = {"revolute": 100.0, "prismatic": 1000.0, "screw": 100.0}
"""Largest effort [N m or N] where the file states none."""
SETTLING = 0.01
"""Damping over stiffness of a stop [s]."""
FAR = 1e10
"""Limits beyond this [rad or m] are none."""
FAST = 1e9
"""Rates [rad/s or m/s] from which on a velocity limit is none; URDF asks for one."""
SHOWN = 5  # names that a note lists of each kind
CALLER = 6  # from `lower` up to who called `mb.load`


def lower(robot: Description, factory: Callable[..., M], options: RobotOptions | None = None) -> M:
    """Return the model of a robot.

    Parameters
    ----------
    robot : Description
    factory : callable
        The class of the model.
    options : RobotOptions, optional

    Raises
    ------
    ModelError
        If names collide or links hang together in a circle, with file and line.

    Warns
    -----
    RobotNote
        Once, of all that is not carried over and of inertias that dynamics will refuse.
    """
    options = options or RobotOptions()
    names = Names(robot)
    raise_all(names.faults)
    masses, faults = judged(robot, options)
    whole = robot
    if options.fixed == "merge":
        robot, masses = merged(robot, masses)
    model = factory(robot.name, gravity=robot.gravity)
    made = _Lowering(robot, model, names, options)
    made.bodies(masses)
    made.joints()
    made.couplings()
    model._locate = _Locator(whole, names, faults)
    model._files = tuple(robot.files)
    note = _note(whole, names, faults)
    if note:
        warnings.warn(note, RobotNote, stacklevel=CALLER)
    return model


def raise_all(faults: list[ModelError]) -> None:
    """Raise faults that were noted, one or several."""
    if faults:
        raise faults[0] if len(faults) == 1 else ModelErrors(faults)


class _Lowering:
    """Builds one model."""

    def __init__(self, robot: Description, model: Any, names: Names, options: RobotOptions) -> None:
        self.robot, self.model, self.names, self.options = robot, model, names, options
        self.followers = {coupling.joint for coupling in robot.couplings}
        # what closes loops, or says where its links are, starts as drawn, inside of the limits or not
        self.drawn_closed = any(joint.closes for joint in robot.joints) or any(link.place for link in robot.links)

    # --- bodies -------------------------------------------------------------------------------------------------------
    def bodies(self, masses: dict[str, Masses]) -> None:
        """Add all links with the frames of their joints, drawn with all coordinates at zero."""
        drawn = drawn_places(self.robot)
        frames = self._joint_frames()
        for link in self.robot.links:
            self._body(link, masses[link.name], drawn[link.name], frames.get(link.name, {}))
        if frames.get(None):
            self.model.frames(**frames[None])

    def _joint_frames(self) -> dict[str | None, dict[str, Any]]:
        """Return the frames that joints need on their links, None: on the ground."""
        found: dict[str | None, dict[str, Any]] = {}
        for joint in self.robot.joints:
            key = frame_name(self.names.joints[joint.name])
            for link, place in ((joint.parent, joint.place), (joint.child, joint.child_place)):
                if not place.trivial:
                    found.setdefault(link, {})[key] = place.frame()
        return found

    def _body(self, link: Link, masses: Masses, drawn: Pose, frames: dict[str, Any]) -> None:
        """Add a link."""
        own = {frame_name(name): place.frame() for name, place in link.frames.items()}
        inertia = masses.inertia
        self.model.body(
            self.names.links[link.name], mass=masses.mass, inertia=None if inertia is None else _plain_inertia(inertia),
            com=tuple(masses.com.tolist()), frames={**own, **frames}, shape=drawn_shapes(link) or None,
            at=None if drawn.trivial else drawn.at, **drawn.orientation(),
        )  # fmt: skip

    # --- joints -------------------------------------------------------------------------------------------------------
    def joints(self) -> None:
        """Add what carries the base, then all joints with what acts in them."""
        for root in roots(self.robot):
            body = self.names.links[root]
            drawn = self.robot.link(root).place or Pose()
            kind = "fixed" if fixed_base(self.robot, self.options) else "free"
            name = self.names.fresh("base_joint" if kind == "fixed" else "floating_base")
            first = "ground"
            if not drawn.trivial:
                self.model.frames(**{name: drawn.frame()})
                first = f"ground.{name}"
            self.model.joint(kind, name, first, body)
        for joint in self.robot.joints:
            self._joint(joint)

    def _end(self, link: str | None, place: Pose, joint: str) -> str:
        """Return an end of a joint."""
        body = "ground" if link is None else self.names.links[link]
        return body if place.trivial else f"{body}.{frame_name(joint)}"

    def _joint(self, joint: Joint) -> None:
        """Add a joint and what acts in it."""
        name = self.names.joints[joint.name]
        fields: dict[str, Any] = {}
        if joint.kind in ("revolute", "prismatic", "cylindrical", "screw", "planar"):
            fields["axis"] = joint.axis or (1.0, 0.0, 0.0)
        if joint.kind == "universal":
            fields["axes"] = (joint.axis, joint.axis2)
        if joint.kind == "screw":
            fields["lead"] = joint.lead
        if joint.kind == "distance":
            fields["length"] = joint.length
        first, second = self._end(joint.parent, joint.place, name), self._end(joint.child, joint.child_place, name)
        try:
            self.model.joint(_KINDS.get(joint.kind, joint.kind), name, first, second, **fields)
        except ModelError as error:
            raise error.located(joint.line.file, joint.line.number) from None
        if joint.kind in _SINGLE:
            self._forces(joint, name)
            self._start(joint, name)
            self._armature(joint, name)

    def _forces(self, joint: Joint, name: str) -> None:
        """Add damping, dry friction, a spring and the stop of a joint."""
        if joint.friction > 0.0:
            self.model.friction(self.names.fresh(f"{name}_friction"), name, coulomb=joint.friction, viscous=joint.damping)
        if joint.stiffness > 0.0 or (joint.damping > 0.0 and joint.friction <= 0.0):
            damping = joint.damping if joint.friction <= 0.0 else 0.0
            kind = f"{name}_spring" if joint.stiffness > 0.0 else f"{name}_damping"
            self.model.effort(self.names.fresh(kind), name, stiffness=joint.stiffness, rest=joint.rest, damping=damping)
        lower, upper = limits(joint)
        if self.options.limits == "none" or (lower is None and upper is None):
            return
        stiffness = (joint.effort or EFFORT[joint.kind]) / DEPTH[joint.kind]
        given = {key: value for key, value in (("lower", lower), ("upper", upper)) if value is not None}
        self.model.stop(self.names.fresh(f"{name}_limit"), name, **given, stiffness=stiffness, damping=SETTLING * stiffness)

    def _start(self, joint: Joint, name: str) -> None:
        """State where assembly starts, if not at zero."""
        lower, upper = limits(joint)
        start = joint.start
        if start is None and self.options.limits != "none" and not self.drawn_closed:
            start = min(max(0.0, -FAR if lower is None else lower), FAR if upper is None else upper)
        if start and joint.name not in self.followers:
            self.model.initial({}, guess={name: start})

    def _armature(self, joint: Joint, name: str) -> None:
        """Add the inertia of a drive: a flywheel on the ground that turns as the coordinate does, and has no weight.

        Its energy is armature/2 · rate², which adds the armature to the diagonal of the mass matrix and nothing else.
        """
        if joint.armature <= 0.0:
            return
        rotor, axle, tie = (self.names.fresh(f"{name}_{part}") for part in ("rotor", "axle", "armature"))
        self.model.body(rotor, mass=0.0, inertia=(joint.armature,) * 3)
        self.model.revolute(axle, "ground", rotor)
        self.model.coupler(tie, f"{axle} - {name}")

    def couplings(self) -> None:
        """Add exact relations of coordinates."""
        for coupling in self.robot.couplings:
            name = self.names.joints[coupling.joint]
            tie = self.names.fresh(frame_name(coupling.name) if coupling.name else f"{name}_mimic")
            self.model.coupler(tie, f"{name} - ({_polynomial(coupling, self.names)})")


def _polynomial(coupling: Coupling, names: Names) -> str:
    """Return c₀ + c₁ x + … as a formula, without what is zero."""
    x = "" if coupling.follows is None else names.joints[coupling.follows]
    powers = ("", f"*{x}", *(f"*{x}^{k}" for k in range(2, len(coupling.coefficients))))
    terms = [f"{float(c)!r}{power}" for c, power in zip(coupling.coefficients, powers, strict=False) if c]
    return " + ".join(terms) or "0"


def limits(joint: Joint) -> tuple[float | None, float | None]:
    """Return the limits of a joint; those that are very far away are none."""
    lower = joint.lower if joint.lower is not None and joint.lower > -FAR else None
    upper = joint.upper if joint.upper is not None and joint.upper < FAR else None
    return lower, upper


def _plain_inertia(inertia: Any) -> Any:
    """Return three numbers where there are no others."""
    rows = inertia.tolist()
    diagonal = not any(rows[i][j] for i in range(3) for j in range(3) if i != j)
    return [rows[k][k] for k in range(3)] if diagonal else rows


def drawn_places(robot: Description) -> dict[str, Pose]:
    """Return where each link is drawn: as stated, or behind the joints that carry it with all coordinates at zero.

    Raises
    ------
    ModelError
        If links carry each other in a circle.
    """
    over = {joint.child: joint for joint in robot.joints if carries(joint) and joint.child is not None}
    found = {link.name: link.place for link in robot.links if link.place is not None}
    for link in robot.links:
        chain: list[Joint] = []
        name: str | None = link.name
        while name is not None and name not in found and name in over:
            if len(chain) > len(robot.links):
                raise over[link.name].line.error(
                    f'link "{link.name}" carries itself: its joints go round in a circle', "let one link hang on no joint"
                )
            chain.append(over[name])
            name = over[name].parent
        place = Pose() if name is None else found.setdefault(name, Pose())
        for joint in reversed(chain):
            place = place @ joint.place @ joint.child_place.inverse()
            found[joint.child or ""] = place
    return found


class _Locator:
    """Adds file and line to faults that show only when a model is analyzed, and says why masses are missing."""

    def __init__(self, robot: Description, names: Names, faults: list[Fault]) -> None:
        self.lines = {f"bodies.{names.links[link.name]}": link.line for link in robot.links}
        self.lines |= {f"joints.{names.joints[joint.name]}": joint.line for joint in robot.joints}
        self.faults, self.file = faults, robot.file

    def __call__(self, error: ModelError) -> ModelError:
        """Return the fault with its place; a mass that is missing with all links whose inertia the file lacks."""
        if isinstance(error, MassError) and self.faults:
            return MassError(inertia_sentence(self.faults), file=self.file, hint=MENDS)
        line = self.lines.get(".".join(error.where.split(".")[:2]))
        return error.located(line.file, line.number) if line is not None else error


MENDS = 'mend the file, or load it with inertias="shapes" (with a density) or inertias="massless"'


def inertia_sentence(faults: list[Fault]) -> str:
    """Return in one sentence which links lack a possible inertia."""
    listed = ", ".join(str(fault) for fault in faults)
    return f"{len(faults)} {'link lacks' if len(faults) == 1 else 'links lack'} a possible inertia: {listed}"


def _note(robot: Description, names: Names, faults: list[Fault]) -> str:
    """Return what is to be said of a file that was read, nothing where all was carried over."""
    parts = []
    if robot.skipped:
        parts.append(f"not carried over: {skipped_words(robot)}")
    groups = (("link", names.links), ("joint", names.joints))
    changed = [(kind, old, new) for kind, group in groups for old, new in group.items() if old != new]
    if changed:
        shown = [f'{kind} "{old}" is {new}' for kind, old, new in changed[:SHOWN]]
        parts.append(f"renamed: {', '.join(shown)}{f' and {len(changed) - SHOWN} more' if len(changed) > SHOWN else ''}")
    if faults:
        parts.append(f"{inertia_sentence(faults)}, which dynamics will refuse")
    return f"{robot.file or robot.name}: {'; '.join(parts)}" if parts else ""


def skipped_words(robot: Description) -> str:
    """Return what is not carried over, by name and count."""
    return ", ".join(_counted(what, found) for what, found in robot.skipped.items())


def _counted(what: str, found: list[str]) -> str:
    """Return what there is, how often, and its first names."""
    named = list(dict.fromkeys(name for name in found if name))
    shown = ", ".join(named[:SHOWN]) + (", …" if len(named) > SHOWN else "")
    return f"{len(found)} {what}{'s' if len(found) > 1 else ''}" + (f" ({shown})" if shown else "")
