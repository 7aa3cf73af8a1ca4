"""The spanning tree: which joint carries each body, and which joints are cut to open the loops.

Bodies are vertices and pairs are edges. A maximum spanning tree by number of rows leaves the fewest equations to the cut
joints (see ``growing``). Where several trees do so, joints that a motion drives stay in the tree, so that
their coordinate is known, and bodies hang on short chains: a loop is then cut in its middle, where the fewest coordinates
act on its equations and none of them over a long chain.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from multibody.errors import ModelError
from multibody.model.names import unknown
from multibody.tables.growing import Edge, Link, grown
from multibody.tables.lower import Tables

__all__ = ["Link", "Tree", "driven_functions", "joint_freedom", "loop_rows", "spanning_tree"]

SHOWN = 8  # pairs of a loop that an error names


@dataclass(frozen=True)
class Tree:
    """A spanning tree of a mechanism, rooted at the ground.

    Attributes
    ----------
    links : tuple of Link
        Depth first: a parent before its children, every subtree contiguous, children in the order of the model.
    cut : tuple of str
        Pairs that have rows and are no edges: they close loops. In the order of the model.
    """

    links: tuple[Link, ...]
    cut: tuple[str, ...]

    @cached_property
    def position(self) -> dict[int, int]:
        """Place of each body in `links`."""
        return {link.body: k for k, link in enumerate(self.links)}

    @cached_property
    def depth(self) -> tuple[int, ...]:
        """Number of joints between each link and the ground, at least 1, in the order of `links`."""
        depth = {0: 0}
        for link in self.links:
            depth[link.body] = depth[link.parent] + 1
        return tuple(depth[link.body] for link in self.links)

    @cached_property
    def ends(self) -> tuple[int, ...]:
        """Where the subtree of each link ends: links k … ends[k] − 1 are the body and all that it carries."""
        ends = list(range(1, len(self.links) + 1))
        for k in range(len(self.links) - 1, -1, -1):
            parent = self.links[k].parent
            if parent:
                at = self.position[parent]
                ends[at] = max(ends[at], ends[k])
        return tuple(ends)

    def link_of(self, body: int) -> Link:
        """Return the link of a moving body, by its index in ``tables.bodies``."""
        return self.links[self.position[body]]

    def path(self, body: int) -> list[Link]:
        """Return the links from a body (the ground has none) down to the ground."""
        found = []
        while body:
            found.append(self.link_of(body))
            body = found[-1].parent
        return found


@dataclass(frozen=True)
class _Candidate(Edge):
    """A pair that may be an edge: with its rows, and whether a motion drives it."""

    rows: int = 0
    driven: bool = False

    def rank(self, distance: int) -> tuple[int, ...]:
        """Return what is taken first: many rows, a driven coordinate, a short chain."""
        return -self.rows, not self.driven, distance


def spanning_tree(tables: Tables, cut: Sequence[str] | None = None) -> Tree:
    """Return the spanning tree of a mechanism and the joints that are cut.

    Parameters
    ----------
    tables : Tables
    cut : sequence of str, optional
        Cut exactly these pairs. The others must not close a loop; a body that is left without a pair becomes free. By
        default the pairs are chosen that leave the fewest loop equations.

    Returns
    -------
    Tree

    Raises
    ------
    ModelError
        Where `cut` names what cannot be cut, or leaves a loop.
    """
    edges = _edges(tables)
    named = set() if cut is None else _checked(tables, cut)
    bodies = len(tables.bodies)
    links = grown([edge for edge in edges if edge.name not in named], bodies, range(bodies))
    used = {link.joint for link in links.values()}
    left = [edge for edge in edges if edge.rows and edge.name not in used]
    tree = Tree(_depth_first(links, bodies), tuple(edge.name for edge in left))
    closing = [edge for edge in left if edge.name not in named]
    if cut is not None and closing:
        raise _loop_error(tree, closing[0])
    return tree


def joint_freedom(tables: Tables, link: Link) -> int:
    """Return the number of velocity coordinates of a body relative to the one that carries it."""
    return tables.width - (len(tables.joint_rows[link.joint]) if link.joint else 0)


def loop_rows(tables: Tables, tree: Tree) -> list[int]:
    """Return the rows that the joint coordinates of a tree must satisfy.

    Those of the cut pairs and of the constraints that are no pairs (gears, distances, couplers, …), and those of motions on
    anything but a coordinate of a joint in the tree. Motions on such a coordinate prescribe it and close nothing.
    """
    held = {link.joint for link in tree.links}
    rows = [r for name, span in tables.joint_rows.items() if name not in held for r in span]
    own = {function for name in held if name for function in tables.pairs[name].functions}
    return rows + [r for r, function in driven_functions(tables).items() if function not in own]


def driven_functions(tables: Tables) -> dict[int, int]:
    """Return the coordinate function that each motion's row drives."""
    motions = range(tables.count_joint, tables.count_joint + tables.count_motion)
    return {r: tables.function_of_row(r) for r in motions}


def _edges(tables: Tables) -> list[_Candidate]:
    """Return the pairs that may carry a body, in the order of the model.

    A pair without rows constrains nothing. It serves only as the coordinates of a body that floats: from the ground to it.
    """
    driven = set(driven_functions(tables).values())
    edges = []
    for order, (name, pair) in enumerate(tables.pairs.items()):
        rows = len(tables.joint_rows[name])
        if rows or pair.first == 0:
            own = any(function in driven for function in pair.functions)
            edges.append(_Candidate(name, pair.first, pair.second, order, rows > 0, rows, own))
    return edges


def _depth_first(links: dict[int, Link], bodies: int) -> tuple[Link, ...]:
    """Return the links depth first, children in the order of the model."""
    children: list[list[int]] = [[] for _ in range(bodies)]
    for body in range(bodies - 1, 0, -1):  # backward, as the last one on the stack comes first
        children[links[body].parent].append(body)
    stack, order = list(children[0]), []
    while stack:
        body = stack.pop()
        order.append(links[body])
        stack.extend(children[body])
    return tuple(order)


def _checked(tables: Tables, cut: Sequence[str]) -> set[str]:
    """Return the pairs to cut, each of which exists, can be cut and is named once."""
    joints, named = tables.model.joints, set[str]()
    if not isinstance(cut, Iterable):
        raise ModelError("it takes a list of joints", where="cut", hint='write cut=["A", "B"]')
    for name in [cut] if isinstance(cut, str) else cut:
        joint = joints.get(name) if isinstance(name, str) else None
        if joint is None:
            pairs = [item for item, other in joints.items() if other.kind.pair]
            raise unknown("joint", str(name), pairs, "cut")
        where, kind = f"joints.{name}", joint.kind.name
        if not joint.kind.pair:
            raise ModelError(
                f"a {kind} closes loops by itself and is never part of the tree", where=where, hint="leave it out of `cut`"
            )
        if not len(tables.joint_rows[name]):
            raise ModelError(f"a {kind} joint holds nothing and closes no loop", where=where, hint="leave it out of `cut`")
        if name in named:
            raise ModelError(f'it names "{name}" twice', where="cut", hint="name it once")
        named.add(name)
    return named


def _shortened(names: list[str]) -> str:
    """Return the first names and how many more there are."""
    text = ", ".join(names[:SHOWN])
    return text if len(names) <= SHOWN else f"{text} and {len(names) - SHOWN} more"


def _loop_error(tree: Tree, closing: Edge) -> ModelError:
    """Return the error for a pair that closes a loop and is not cut; it names the pairs of the loop in order."""
    first, second = tree.path(closing.first), tree.path(closing.second)
    while first and second and first[-1] == second[-1]:  # what both have in common leads to the ground, not around
        first.pop()
        second.pop()
    loop = [closing.name, *(link.joint for link in second), *(link.joint for link in reversed(first))]
    return ModelError(f"what is left is not a tree: {_shortened(loop)} form a loop", where="cut", hint="cut one of them too")
