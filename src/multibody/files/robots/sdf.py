"""Reading SDF: models of a file or a world, nested and included, with the loops that their joints close."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from multibody.errors import ModelError
from multibody.files.robots.description import Description, Inertial, Joint, Link, Solid
from multibody.files.robots.lower import raise_all
from multibody.files.robots.markup import Element, read_markup
from multibody.files.robots.meshes import add_mesh, found_path
from multibody.files.robots.options import RobotOptions
from multibody.files.robots.pose import Pose
from multibody.files.robots.sdf_frames import Scope, read_pose
from multibody.files.robots.sdf_joints import Gearbox, close_loops, couple, read_joint
from multibody.files.robots.urdf import check_couplings, sized

__all__ = ["read_sdf"]

DEEPEST = 20
"""Models may be nested and included this deep."""

_READ = ("link", "joint", "frame", "model", "include", "pose", "static", "gravity")
_SILENT = (  # what concerns the simulation or its pictures alone
    "self_collide", "enable_wind", "allow_auto_disable", "physics", "scene", "light", "gui", "audio", "wind", "atmosphere",
    "magnetic_field", "spherical_coordinates", "state", "road", "population", "strip",
)  # fmt: skip


def read_sdf(file: Path, shown: str, options: RobotOptions) -> Description:
    """Return the robot of an SDF file: its model, or all models of its world.

    Included models and meshes are looked for in the packages of the options.
    """
    root = read_markup(file, shown)
    if root.tag not in ("sdf", "gazebo"):
        raise root.error(f"its outermost element is <{root.tag}>", "an SDF file has <sdf version=...>")
    robot = Description(file.stem, shown, base="floating", files=[str(file)])
    _Reader(robot, options, root.get("version")).read(root, file)
    return robot


class _Reader:
    """Reads one file, and notes what is wrong on the way."""

    def __init__(self, robot: Description, options: RobotOptions, version: str) -> None:
        self.robot, self.options = robot, options
        self.faults: list[ModelError] = []
        self.stack: list[Path] = []
        self.gearboxes: list[Gearbox] = []
        self.version = version

    def read(self, root: Element, file: Path) -> None:
        """Read all of it."""
        self.stack.append(Path(os.path.realpath(file)))
        worlds, models = root.all("world"), root.all("model")
        if len(worlds) > 1:
            raise worlds[1].error("it has two worlds", "one of them is read: take the other out")
        top = Scope(worlds[0] if worlds else root)
        gravity = worlds[0].find("gravity") if worlds else None
        if gravity is not None:
            self.robot.gravity = gravity.text_numbers(3)  # type: ignore[assignment]
        elif worlds and worlds[0].find("physics") is not None:  # where gravity stood before SDF 1.5
            old = worlds[0].find("physics").find("gravity")  # type: ignore[union-attr]
            self.robot.gravity = old.text_numbers(3) if old is not None else self.robot.gravity  # type: ignore[assignment]
        if len(models) + len(worlds) == 1 and models:
            self.robot.name = models[0].get("name") or self.robot.name
        alone = len([child for child in top.element.children if child.tag in ("model", "include")]) == 1
        scopes = self.nested(top, "" if alone else None)
        self.contents(top)
        for scope in scopes:
            self.contents(scope)
        raise_all(self.faults)
        if not self.robot.links:
            raise root.error("it has no link", "write <model> with <link>")
        close_loops(self.robot)
        for gearbox in self.gearboxes:
            couple(self.robot, gearbox)
        check_couplings(self.robot)

    # --- models -------------------------------------------------------------------------------------------------------
    def nested(self, scope: Scope, prefix: str | None = None) -> list[Scope]:
        """Return the models that stand in a model or world, at any depth, with their places."""
        if len(self.stack) > DEEPEST or scope.prefix.count("::") > DEEPEST:
            raise scope.element.error(f"models are nested more than {DEEPEST} deep", "write them side by side")
        found: list[Scope] = []
        for child in scope.element.all("model", "include"):
            element, pushed = self.included(child) if child.tag == "include" else (child, False)
            if element is None:
                continue
            name = (child.child_text("name") if child.tag == "include" else "") or element.named()
            if name in scope.models:
                raise child.error(f'the model "{name}" is there twice', "give each a name of its own")
            inside = Scope(element, f"{scope.prefix}{name}::" if prefix is None else prefix, scope)
            inside.static = scope.static or "true" in (child.child_text("static"), element.child_text("static"))
            inside.static |= "1" in (child.child_text("static"), element.child_text("static"))
            scope.models[name] = inside
            placed = child if child.find("pose") is not None else element
            inside.place = scope.place @ scope.posed(placed, "")
            found += [inside, *self.nested(inside)]
            if pushed:
                self.stack.pop()
        return found

    def included(self, element: Element) -> tuple[Element | None, bool]:
        """Return the model that an ``<include>`` names, and whether its file was entered; None where it is not found."""
        uri = element.child_text("uri")
        path = found_path(uri, self.stack[-1], self.options.packages) if uri else None
        if path is not None and path.is_dir():
            path = next((p for p in (path / "model.sdf", *sorted(path.glob("*.sdf"))) if p.is_file()), None)
        if path is None:
            self.robot.skip("include that is not found", uri)
            return None, False
        real = Path(os.path.realpath(path))
        if real in self.stack:
            circle = " → ".join(p.name for p in (*self.stack[self.stack.index(real) :], real))
            raise element.error(f"the files include each other ({circle})", "break the circle")
        root = read_markup(path, str(path))
        models = root.all("model")
        if root.tag not in ("sdf", "gazebo") or not models:
            raise element.error(f'"{uri}" has no <model>', "include an SDF file with one")
        self.stack.append(real)
        self.robot.files.append(str(path))
        return models[0], True

    def contents(self, scope: Scope) -> None:
        """Read the links and joints of a model."""
        for child in scope.element.children:
            try:
                if child.tag == "link":
                    self.link(child, scope)
                elif child.tag == "joint":
                    gearbox = read_joint(child, scope, self.robot, self.version)
                    self.gearboxes += [] if gearbox is None else [gearbox]
                elif child.tag not in (*_READ, *_SILENT) and scope.element.tag != "sdf":
                    self.robot.skip(child.tag.split(":")[-1], child.get("name"))
            except ModelError as error:
                self.faults.append(error)
        for frame in scope.element.all("frame"):
            owner, place = scope.link(frame.named(), frame)
            link = next((link for link in self.robot.links if link.name == owner), None)
            if link is not None and link.place is not None:
                link.frames[scope.prefix + frame.named()] = link.place.inverse() @ place

    # --- links --------------------------------------------------------------------------------------------------------
    def link(self, element: Element, scope: Scope) -> None:
        """Read a link."""
        name = element.named()
        link = Link(scope.prefix + name, place=scope.place @ scope.pose(name, element), line=element.line)
        for child in element.all("visual", "collision"):
            self.solid(child, link)
        inertial = element.find("inertial")
        if inertial is not None:
            link.inertial = _inertial(inertial, link)
        if element.child_text("gravity") in ("0", "false"):
            self.robot.skip("gravity switched off", name)
        known = ("inertial", "visual", "collision", "pose", "gravity", "self_collide", "kinematic", "must_be_base_link",
                 "velocity_decay", "enable_wind")  # fmt: skip
        for child in element.children:
            if child.tag not in known:
                self.robot.skip(child.tag.split(":")[-1], child.get("name"))
        self.robot.links.append(link)
        if scope.static:
            self.weld(link)

    def weld(self, link: Link) -> None:
        """Hold a link of a static model by the ground."""
        assert link.place is not None
        self.robot.joints.append(Joint(f"{link.name}_static", "fixed", None, link.name, link.place, line=link.line))

    def solid(self, element: Element, link: Link) -> None:
        """Read what is seen or collides."""
        geometry = element.find("geometry")
        shapes = [] if geometry is None else geometry.children
        if not shapes:
            return
        shape, pose = shapes[0], element.find("pose")
        place = Pose() if pose is None else read_pose(pose)
        solid = Solid(shape.tag, place=place, visual=element.tag == "visual", line=shape.line)
        if shape.tag == "mesh":
            scale = shape.find("scale")
            solid.scale = (1.0, 1.0, 1.0) if scale is None else scale.text_numbers(3)  # type: ignore[assignment]
            add_mesh(self.robot, link.solids, shape, shape.child_text("uri"), solid, self.options.packages)
            return
        sizes = {"box": (("size", 3),), "sphere": (("radius", 1),), "ellipsoid": (("radii", 3),),
                 "cylinder": (("radius", 1), ("length", 1)), "capsule": (("radius", 1), ("length", 1))}  # fmt: skip
        if shape.tag not in sizes:
            if shape.tag != "empty":
                self.robot.skip(f"shape <{shape.tag}>", link.name)
            return
        solid.size = tuple(x for key, count in sizes[shape.tag] for x in _child(shape, key).text_numbers(count))
        if sized(solid, shape):
            link.solids.append(solid)


def _child(element: Element, tag: str) -> Element:
    """Return a child that must be there."""
    child = element.find(tag)
    if child is None:
        raise element.error(f"<{element.tag}> has no <{tag}>", f"write <{tag}>")
    return child


def _inertial(element: Element, link: Link) -> Inertial | None:
    """Return the mass properties of a link; what is not stated is 1, as the format has it."""
    if element.get("auto") in ("true", "1"):
        return _from_shapes(element, link)
    pose, inertia = element.find("pose"), element.find("inertia")
    entries = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    unit = dict(zip(entries, (1.0, 0.0, 0.0, 1.0, 0.0, 1.0), strict=True))
    if inertia is not None:
        unit = {key: inertia.child_number(key, default) for key, default in unit.items()}
    xx, xy, xz, yy, yz, zz = unit.values()
    matrix = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return Inertial(element.child_number("mass", 1.0), Pose() if pose is None else read_pose(pose), matrix, element.line)


def _from_shapes(element: Element, link: Link) -> Inertial | None:
    """Return mass properties of the solids that collide, as ``<inertial auto="true">`` asks for."""
    from multibody.files.robots.solids import mass_of_solids

    solids = [solid for solid in link.solids if not solid.visual]
    if not solids:
        return None
    mass, com, inertia = mass_of_solids(solids, element.child_number("density", 1000.0), link.name)
    return Inertial(mass, Pose(com), inertia, element.line)
