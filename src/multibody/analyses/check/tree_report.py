"""The spanning tree as check shows it: a body a line, then what closes the loops."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from multibody.tables.lower import Tables
from multibody.tables.tree import Link, Tree, joint_freedom, loop_rows

MOST_BODIES = 30  # a larger tree is only counted
MOST_NAMES = 6


@dataclass(frozen=True)
class TreeReport:
    """The spanning tree of a mechanism.

    Attributes
    ----------
    joints : dict
        For each body the joint that carries it, None for one that hangs on no joint; a body after the one that carries it.
    cut : list of str
        Joints that are cut: they close loops.
    coordinates : int
        Joint coordinates (rates): what the joints of the tree leave free, and one for each cam contact.
    loop_equations : int
        Equations between them: of the cut joints, of constraints (gears, distances, …), and of motions on anything but a
        coordinate of a joint in the tree.
    lines : list of str
        The same as text; not part of the JSON.
    """

    joints: dict[str, str | None] = field(default_factory=dict)
    cut: list[str] = field(default_factory=list)
    coordinates: int = 0
    loop_equations: int = 0
    lines: list[str] = field(default_factory=list)

    def plain(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {
            "joints": dict(self.joints),
            "cut": list(self.cut),
            "coordinates": self.coordinates,
            "loop_equations": self.loop_equations,
        }


def describe_tree(tables: Tables, tree: Tree) -> TreeReport:
    """Return a tree by names, with its counts and its text."""
    coordinates = sum(joint_freedom(tables, link) for link in tree.links) + len(tables.extras)
    rows = loop_rows(tables, tree)
    head = f"{_count(coordinates, 'joint coordinate')}, {_count(len(rows), 'loop equation')}"
    if len(tree.links) > MOST_BODIES:
        loops, most = _count(len(tree.cut), "cut joint"), max(tree.depth)
        lines = [f"tree: {head}, {loops}, up to {_count(most, 'joint')} from the ground to a body"]
    else:
        lines = [f"tree ({head}):", "  ground", *_bodies(tables, tree), *_closings(tables, tree, rows)]
    names = tables.bodies
    return TreeReport(
        {names[link.body]: link.joint or None for link in tree.links}, list(tree.cut), coordinates, len(rows), lines
    )


def _count(number: int, noun: str) -> str:
    """Return a number with its noun."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _bodies(tables: Tables, tree: Tree) -> list[str]:
    """Return a line for each body, indented by the number of joints that carry it."""
    return [
        f"{'  ' * (depth + 1)}{tables.bodies[link.body]} {_carrier(tables, link)}"
        for link, depth in zip(tree.links, tree.depth, strict=True)
    ]


def _carrier(tables: Tables, link: Link) -> str:
    """Return the joint that carries a body and its coordinates: ``by O (angle)``, or that the body is free."""
    if not link.joint:
        return "free (x, y, angle)" if tables.dimension == 2 else "free (x, y, z, rotation)"
    joint = tables.model.joints[link.joint]
    names = joint.names_of_coordinates(tables.dimension)
    if tables.pairs[link.joint].motion.ball:  # its rotation is no list of angles
        names = [*names, "rotation"]
    return f"by {link.joint} ({', '.join(names) if names else joint.kind.name})"


def _closings(tables: Tables, tree: Tree, rows: list[int]) -> list[str]:
    """Return the cut joints, and what else has equations, with the number of equations of each."""
    cut, more = dict.fromkeys(tree.cut, 0), dict[str, int]()
    for r in rows:
        info = tables.rows[r]
        name = f"motion {info.owner}" if info.group == "motion" else info.owner
        into = cut if info.owner in cut and info.group == "joint" else more
        into[name] = into.get(name, 0) + 1
    return [
        f"  {title}: {_named(counts)}" for title, counts in (("cut (equations)", cut), ("further (equations)", more)) if counts
    ]


def _named(counts: dict[str, int]) -> str:
    """Return names with their numbers of equations, the first of them if there are many."""
    items = [f"{name} ({number})" for name, number in counts.items()]
    text = ", ".join(items[:MOST_NAMES])
    return text if len(items) <= MOST_NAMES else f"{text} and {len(items) - MOST_NAMES} more"
