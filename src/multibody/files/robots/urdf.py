"""Reading URDF: links and joints of a tree, and what its dialects add to close loops."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np

from multibody.errors import ModelError, nearest
from multibody.files.robots.description import Coupling, Description, Inertial, Joint, Link, Solid
from multibody.files.robots.lower import FAST, raise_all
from multibody.files.robots.markup import Element, read_markup
from multibody.files.robots.meshes import add_mesh
from multibody.files.robots.options import RobotOptions
from multibody.files.robots.urdf_loops import LOOPS, read_loop
from multibody.files.robots.urdf_side import read_side_file

__all__ = ["read_urdf", "urdf_description"]

_KINDS = {
    "revolute": "revolute", "continuous": "revolute", "prismatic": "prismatic", "fixed": "fixed", "floating": "free",
    "planar": "planar", "spherical": "ball", "ball": "ball", "universal": "universal", "screw": "screw",
}  # fmt: skip
_INERTIA = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


def read_urdf(file: Path, shown: str, options: RobotOptions) -> Description:
    """Return the robot of a URDF file.

    The options name packages, and the file that states loops.

    Raises
    ------
    ModelError
        All that is wrong with it, with lines.
    """
    return urdf_description(read_markup(file, shown), str(file), options)


def urdf_description(root: Element, file: str, options: RobotOptions) -> Description:
    """Return the robot of a ``<robot>`` element."""
    if root.tag != "robot":
        raise root.error(f"its outermost element is <{root.tag}>", "a URDF file has <robot name=...>")
    robot = Description(root.get("name") or Path(file).stem, root.line.file, files=[file])
    _Reader(robot, options).read(root)
    return robot


class _Reader:
    """Reads one robot, and notes what is wrong on the way."""

    def __init__(self, robot: Description, options: RobotOptions) -> None:
        self.robot, self.options = robot, options
        self.faults: list[ModelError] = []

    def read(self, root: Element) -> None:
        """Read all of it."""
        add = {"link": self.link, "joint": self.joint, "frame": self.frame, "fixed_frame": self.frame}
        late = [child for child in root.children if child.tag in ("frame", "fixed_frame", *LOOPS)]
        for child in root.children:
            if child in late:
                continue
            if child.tag in add:
                self.noting(lambda child=child: add[child.tag](child))
            elif child.tag.startswith("xacro:"):
                raise child.error(f"it has macros (<{child.tag}>)", "name the file .xacro")
            else:
                self.robot.skip(child.tag, child.get("name"))
        raise_all(self.faults)
        if not self.robot.links:
            raise root.error("it has no link", 'write <link name="base"/>')
        check_tree(self.robot)
        for child in late:
            read = add.get(child.tag) or (lambda child: read_loop(child, self.robot))
            self.noting(lambda child=child, read=read: read(child))
        self.noting(lambda: check_couplings(self.robot))
        raise_all(self.faults)
        if self.options.loops is not None:
            read_side_file(self.options.loops, self.robot)

    def noting(self, read: object) -> None:
        """Note a fault, and go on behind it."""
        try:
            read()  # type: ignore[operator]
        except ModelError as error:
            self.faults.append(error)

    # --- links --------------------------------------------------------------------------------------------------------
    def link(self, element: Element) -> None:
        """Read a link."""
        link = Link(element.named(), line=element.line)
        inertial = element.find("inertial")
        if inertial is not None:
            link.inertial = _inertial(inertial)
        for child in element.all("visual", "collision"):
            self.solid(child, link)
        for child in element.children:
            if child.tag not in ("inertial", "visual", "collision"):
                self.robot.skip(child.tag, child.get("name"))
        self.robot.links.append(link)

    def solid(self, element: Element, link: Link) -> None:
        """Read what is seen or collides."""
        geometry = element.find("geometry")
        shapes = [] if geometry is None else geometry.children
        if not shapes:
            self.robot.skip(f"{element.tag} without a shape", link.name)
            return
        shape = shapes[0]
        solid = Solid(shape.tag, place=element.origin(), visual=element.tag == "visual", line=shape.line)
        if shape.tag == "mesh":
            solid.scale = _scale(shape)
            add_mesh(self.robot, link.solids, shape, shape.get("filename"), solid, self.options.packages)
            return
        sizes = {"box": ("size",), "sphere": ("radius",), "cylinder": ("radius", "length"), "capsule": ("radius", "length")}
        if shape.tag not in sizes:
            self.robot.skip(f"shape <{shape.tag}>", link.name)
            return
        solid.size = tuple(x for key in sizes[shape.tag] for x in shape.numbers(key, 3 if key == "size" else 1))
        if sized(solid, shape):
            link.solids.append(solid)
        else:
            self.robot.skip("shape without size", link.name)

    def frame(self, element: Element) -> None:
        """Read a named frame: Drake's ``<frame link= xyz= rpy=>``, or Isaac's ``<fixed_frame>`` with parent and origin."""
        parent = element.find("parent")
        owner = element.get("link") if parent is None else parent.get("link")
        link = known_link(self.robot, owner, element)
        assert link is not None
        place = element.own_origin() if parent is None else element.origin()
        self.robot.link(link).frames[element.named()] = place

    # --- joints -------------------------------------------------------------------------------------------------------
    def joint(self, element: Element) -> None:
        """Read a joint of the tree."""
        name, kind = element.named(), element.get("type")
        if kind not in _KINDS:
            hint = f"{nearest(kind, _KINDS)} Types are {', '.join(_KINDS)}.".strip()
            raise element.error(f'joint "{name}" has the type "{kind}"' if kind else f'joint "{name}" has no type', hint)
        ends = []
        for tag in ("parent", "child"):
            end = element.find(tag)
            if end is None or not end.get("link"):
                raise element.error(f'joint "{name}" has no {tag}', f'write <{tag} link="..."/>')
            ends.append(end.get("link"))
        joint = Joint(name, _KINDS[kind], ends[0], ends[1], element.origin(), line=element.line)
        if joint.kind not in ("fixed", "free", "ball"):
            joint.axis = read_axis(element, "axis", name)
        if joint.kind == "universal":
            joint.axis2 = read_axis(element, "axis2", name)
        if joint.kind == "screw":
            joint.lead = (element.find("thread_pitch") or element).number("value", 0.0) or _no_lead(element, name)
        self.limits(element, joint, endless=kind == "continuous")
        self.dynamics(element, joint)
        for child in element.children:
            if child.tag not in ("origin", "parent", "child", "axis", "axis2", "limit", "dynamics", "mimic", "thread_pitch"):
                self.robot.skip(child.tag, name)
        self.robot.joints.append(joint)

    def limits(self, element: Element, joint: Joint, *, endless: bool) -> None:
        """Read limits; those of a joint that turns endlessly, and lower ones that are not below upper ones, are none."""
        limit = element.find("limit")
        if limit is None:
            return
        joint.effort, joint.velocity = (_bound(limit, key) for key in ("effort", "velocity"))
        if joint.velocity and joint.velocity < FAST:
            self.robot.skip("velocity limit")
        if endless or not {"lower", "upper"} & set(limit.attributes):
            return
        lower, upper = (_bound(limit, key, 0.0) for key in ("lower", "upper"))
        if lower is not None and upper is not None and lower >= upper:
            self.robot.skip("limit whose lower is not below its upper", joint.name)
            return
        joint.lower, joint.upper = lower, upper

    def dynamics(self, element: Element, joint: Joint) -> None:
        """Read damping, friction and what the joint follows."""
        dynamics = element.find("dynamics")
        if dynamics is not None:
            joint.damping, joint.friction = dynamics.number("damping", 0.0), dynamics.number("friction", 0.0)
            joint.armature = dynamics.number("armature", 0.0)
            for key in ("damping", "friction", "armature"):
                if getattr(joint, key) < 0.0:
                    raise dynamics.error(f'the {key} of joint "{joint.name}" is negative', "give a number from zero")
        mimic = element.find("mimic")
        if mimic is not None:
            factors = mimic.number("offset", 0.0), mimic.number("multiplier", 1.0)
            self.robot.couplings.append(Coupling("", joint.name, mimic.get("joint"), factors, mimic.line))


def _no_lead(element: Element, name: str) -> float:
    raise element.error(f'the screw "{name}" has no lead', 'write <thread_pitch value="0.01"/>, the advance a turn')


def sized(solid: Solid, shape: Element) -> bool:
    """Return whether a shape has a size; one below zero is refused."""
    if any(x < 0.0 for x in solid.size):
        raise shape.error(f"a size of <{shape.tag}> is negative", "give numbers above zero")
    return all(x > 0.0 for x in (solid.size[:1] if solid.kind == "capsule" else solid.size))


def read_axis(element: Element, tag: str, name: str) -> tuple[float, float, float]:
    """Return an axis, by default x."""
    child = element.find(tag)
    axis = (1.0, 0.0, 0.0) if child is None else child.numbers("xyz", 3, (1.0, 0.0, 0.0))
    if not any(axis):
        raise (child or element).error(f'the axis of joint "{name}" has no length', "give a direction, such as 0 0 1")
    return axis  # type: ignore[return-value]


def _scale(shape: Element) -> tuple[float, float, float]:
    """Return the scale of a mesh along its axes; one number is for all."""
    text = shape.attributes.get("scale", "1 1 1")
    values = shape.read(text, 1 if len(text.split()) == 1 else 3, '"scale" of <mesh>')
    return (values * 3)[:3]  # type: ignore[return-value]


def _bound(limit: Element, key: str, default: float | None = None) -> float | None:
    """Return a limit; an infinite one is none."""
    if key not in limit.attributes:
        return default
    text = limit.get(key)
    if text.lower().lstrip("+-") in ("inf", "infinity"):
        return None
    value = limit.number(key)
    return value if abs(value) < math.inf else None


def _inertial(element: Element) -> Inertial:
    """Return the mass properties of a link."""
    mass, inertia = element.find("mass"), element.find("inertia")
    numbers = dict.fromkeys(_INERTIA, 0.0)
    if inertia is not None:
        numbers = {key: inertia.number(key, 0.0) for key in _INERTIA}
    xx, xy, xz, yy, yz, zz = numbers.values()
    matrix = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return Inertial(0.0 if mass is None else mass.number("value"), element.origin(), matrix, element.line)


# --- the whole --------------------------------------------------------------------------------------------------------
def known_link(robot: Description, name: str, element: Element) -> str | None:
    """Return the name of a link that exists."""
    names = [link.name for link in robot.links]
    if name not in names:
        hint = f"{nearest(name, names)} Links are {', '.join(names[:12])}{', …' if len(names) > 12 else ''}.".strip()
        raise element.error(f'there is no link "{name}"', hint)
    return name


def check_tree(robot: Description) -> None:
    """Refuse joints of links that do not exist, a link with two parents, no root and two roots; all of them at once."""
    names = {link.name: link for link in robot.links}
    over: dict[str, Joint] = {}
    faults = []
    for joint in robot.joints:
        for end in (joint.parent, joint.child):
            if end not in names:
                hint = nearest(end or "", names) or 'write <link name="..."/>'
                faults.append(joint.line.error(f'joint "{joint.name}" names the link "{end}", which is not there', hint))
        first = over.setdefault(joint.child or "", joint)
        if first is not joint:
            problem = f'link "{joint.child}" is the child of two joints, "{first.name}" and "{joint.name}"'
            faults.append(joint.line.error(problem, "URDF is a tree: close a loop with <loop_joint>, or write SDF"))
    raise_all(faults)
    tops = [link for link in robot.links if link.name not in over]
    if len(tops) > 1:
        named = ", ".join(f'"{link.name}" (line {link.line.number})' for link in tops[:6])
        more = f" and {len(tops) - 6} more" if len(tops) > 6 else ""
        problem = f"{len(tops)} links hang on no joint: {named}{more}"
        raise tops[1].line.error(problem, "a URDF has one root: join the others to it")
    if not tops:
        raise robot.joints[0].line.error("every link hangs on another, so there is no root", "let one link hang on no joint")
    _check_reached(robot, tops[0].name)


def _check_reached(robot: Description, top: str) -> None:
    """Refuse links that hang on each other in a circle, apart from the root."""
    below: dict[str | None, list[str]] = {}
    for joint in robot.joints:
        below.setdefault(joint.parent, []).append(joint.child or "")
    reached, todo = {top}, [top]
    while todo:
        todo.extend(new := [child for child in below.get(todo.pop(), ()) if child not in reached])
        reached.update(new)
    lost = next((joint for joint in robot.joints if joint.child not in reached), None)
    if lost is not None:
        raise lost.line.error(f'link "{lost.child}" hangs on itself: its joints go round in a circle', "join it to the root")


def check_couplings(robot: Description) -> None:
    """Refuse mimics of joints that do not exist or follow others themselves; those of fixed joints are no constraint."""
    joints = {joint.name: joint for joint in robot.joints}
    followers = {coupling.joint for coupling in robot.couplings if joints[coupling.joint].kind != "fixed"}
    kept, faults = [], []
    for coupling in robot.couplings:
        lead = joints.get(coupling.follows or "")
        if joints[coupling.joint].kind == "fixed":
            robot.skip("mimic of a fixed joint", coupling.joint)
            continue
        problem, hint = "", ""
        if lead is None:
            problem, hint = "which is not there", nearest(coupling.follows or "", joints)
        elif coupling.follows in followers:
            problem, hint = "which follows another one itself", "name the joint that leads, with the product of the multipliers"
        elif lead.kind == "fixed":
            coupling = replace(coupling, follows=None, coefficients=coupling.coefficients[:1])
        elif not {lead.kind, joints[coupling.joint].kind} <= {"revolute", "prismatic", "screw"}:
            problem, hint = f"and one of them ({lead.kind}) has not one coordinate", "mimic joints turn or slide"
        if problem:
            faults.append(coupling.line.error(f'joint "{coupling.joint}" follows "{coupling.follows}", {problem}', hint))
        kept.append(coupling)
    robot.couplings[:] = kept
    raise_all(faults)
