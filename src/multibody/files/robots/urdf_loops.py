"""Loops in URDF, as its dialects write them.

- ``<loop_joint type=>`` with ``<link1 link= xyz= rpy=/>`` and ``<link2 .../>`` (Isaac Sim, Drake of old); also with
  parent, child, parent_origin and child_origin.
- ``<constraint type=>`` with parent, parent_origin, parent_axis and the same of the child (proposed for urdfdom, pull request
  264).
- ``<loop type=>`` with ``<predecessor link=><origin/></predecessor>``, ``<successor>`` and ``<axis/>``, and ``<coupling>`` with
  ``<ratio value=/>`` (URDF+, arXiv 2411.19753).

The fourth dialect is a YAML file beside the URDF, see `urdf_side`.
"""

from __future__ import annotations

import numpy as np

from multibody.errors import nearest
from multibody.files.robots.description import Coupling, Description, Joint
from multibody.files.robots.markup import Element
from multibody.files.robots.pose import Floats, Pose

__all__ = ["LOOPS", "read_loop"]

LOOPS = ("loop_joint", "constraint", "loop", "coupling")
_KINDS = {
    "revolute": "revolute", "continuous": "revolute", "prismatic": "prismatic", "fixed": "fixed", "spherical": "ball",
    "ball": "ball", "universal": "universal", "planar": "planar", "cylindrical": "cylindrical",
}  # fmt: skip
_WITH_AXIS = ("revolute", "prismatic", "planar", "cylindrical")


def read_loop(element: Element, robot: Description) -> None:
    """Add a loop or a coupling to a robot whose tree is read."""
    if element.tag == "coupling":
        _coupling(element, robot)
        return
    name, word = element.named(), element.get("type")
    if word not in _KINDS:
        hint = f"{nearest(word, _KINDS)} Types are {', '.join(_KINDS)}.".strip()
        raise element.error(f'loop "{name}" has the type "{word}"' if word else f'loop "{name}" has no type', hint)
    (parent, place), (child, child_place) = _ends(element, robot)
    joint = Joint(name, _KINDS[word], parent, child, place, child_place, closes=True, line=element.line)
    first, second = (_axis(element, key, name) for key in ("parent_axis", "child_axis"))
    if joint.kind == "universal":
        joint.axis, joint.axis2 = _perpendicular(element, name, first, second)
    elif joint.kind in _WITH_AXIS:
        joint.axis = _axis(element, "axis", name) if first is None and second is None else first or second
        if first is not None and second is not None and first != second:
            joint.child_place = child_place @ Pose(axes=shortest_turn(np.array(first), np.array(second)))
        joint.axis = joint.axis or (1.0, 0.0, 0.0)
    robot.joints.append(joint)


def _ends(element: Element, robot: Description) -> tuple[tuple[str, Pose], tuple[str, Pose]]:
    """Return the links that a loop closes at, and where on them."""
    pairs = element.all("link1", "link2")
    if pairs:
        found = [(end, end.own_origin()) for end in pairs]
    elif element.find("predecessor") is not None:
        found = [(end, end.origin()) for end in element.all("predecessor", "successor", "sucessor")]
    else:
        found = [(end, element.origin(f"{end.tag}_origin")) for end in element.all("parent", "child")]
    if len(found) != 2:
        hint = "write link1 and link2, parent and child, or predecessor and successor"
        raise element.error(f'loop "{element.named()}" names {len(found)} links', hint)
    named = [(_known(robot, end.get("link") or end.get("name"), end), place) for end, place in found]
    if named[0][0] == named[1][0]:
        raise element.error(f'loop "{element.named()}" joins link "{named[0][0]}" with itself', "name two links")
    return named[0], named[1]


def _known(robot: Description, name: str, element: Element) -> str:
    """Return the name of a link that exists."""
    names = [link.name for link in robot.links]
    if name not in names:
        raise element.error(f'there is no link "{name}"', nearest(name, names) or f"links are {', '.join(names[:12])}")
    return name


def _axis(element: Element, tag: str, name: str) -> tuple[float, float, float] | None:
    """Return an axis, None where it is not stated."""
    child = element.find(tag)
    if child is None:
        return None
    axis = child.numbers("xyz", 3)
    if not any(axis):
        raise child.error(f'the axis of loop "{name}" has no length', "give a direction, such as 0 0 1")
    return axis[0], axis[1], axis[2]


def _perpendicular(
    element: Element, name: str, first: tuple[float, float, float] | None, second: tuple[float, float, float] | None
) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    """Return the two axes of a universal joint."""
    a, b = first or (1.0, 0.0, 0.0), second or (0.0, 1.0, 0.0)
    if abs(float(np.dot(a, b))) > 1e-6 * float(np.linalg.norm(a) * np.linalg.norm(b)):
        raise element.error(f'the axes of the universal loop "{name}" are not perpendicular', "parent_axis and child_axis are")
    return a, b


def shortest_turn(a: Floats, b: Floats) -> Floats:
    """Return the shortest rotation R with R a ∥ b (Rodrigues)."""
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    v, c = np.cross(a, b), float(a @ b)
    if c < -1.0 + 1e-12:  # opposite: half a turn about any axis across
        u = np.cross(a, np.eye(3)[int(np.argmin(np.abs(a)))])
        u /= np.linalg.norm(u)
        return np.asarray(2.0 * np.outer(u, u) - np.eye(3))
    K = np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])
    return np.asarray(np.eye(3) + K + K @ K / (1.0 + c))


def _coupling(element: Element, robot: Description) -> None:
    """Add a coupling of URDF+: the successor turns `ratio` times as fast as the predecessor, seen from where both hang."""
    (first, _), (second, _) = _ends(element, robot)
    ratio = element.find("ratio")
    chains = [_chain(robot, link) for link in (first, second)]
    while chains[0] and chains[1] and chains[0][0] is chains[1][0]:  # down to the nearest link that carries both
        chains = [chain[1:] for chain in chains]
    moving = [[joint for joint in chain if joint.kind != "fixed"] for chain in chains]
    if not all(len(chain) == 1 and chain[0].kind in ("revolute", "prismatic") for chain in moving):
        problem = f'coupling "{element.named()}": between "{first}" and "{second}" there are not two joints of one coordinate'
        raise element.error(problem, "let each of the two links hang by one joint on the link that carries both")
    factor = 1.0 if ratio is None else ratio.number("value")
    lead, follow = moving[0][0].name, moving[1][0].name
    robot.couplings.append(Coupling(element.named(), follow, lead, (0.0, factor), element.line))


def _chain(robot: Description, link: str) -> list[Joint]:
    """Return the joints from the root to a link."""
    over = {joint.child: joint for joint in robot.joints if not joint.closes}
    chain: list[Joint] = []
    while (joint := over.get(link)) is not None and joint.parent is not None:
        chain.insert(0, joint)
        link = joint.parent
    return chain
