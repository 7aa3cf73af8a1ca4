"""Trees of bodies: from a root on, always the best joint that reaches a new body (Prim 1957).

Which joint is best is up to the caller: the spanning tree of joint coordinates takes other ones than the tree along which
assembly places bodies.
"""

from __future__ import annotations

import heapq
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

__all__ = ["Edge", "Link", "grown"]


@dataclass(frozen=True)
class Link:
    """A moving body in the tree, with the joint that carries it.

    Attributes
    ----------
    body : int
        Index in ``tables.bodies``; 0 is the ground.
    parent : int
        Index of the body that carries it.
    joint : str
        Name of the pair; "" for a body that hangs on no pair and has six (planar three) free coordinates relative to the
        ground.
    reversed : bool
        Whether the body is the joint's first end: the joint's coordinates then count the other way.
    """

    body: int
    parent: int
    joint: str
    reversed: bool


@dataclass(frozen=True)
class Edge(ABC):
    """A joint that may carry a body.

    Attributes
    ----------
    name : str
    first, second : int
        Bodies at its ends.
    order : int
        Its place in the model.
    both : bool
        Whether either end can carry the other; otherwise only the first one carries.
    """

    name: str
    first: int
    second: int
    order: int
    both: bool = True

    @abstractmethod
    def rank(self, distance: int) -> tuple[int, ...]:
        """Return what edges are compared by, the lowest first, where its carrier is so many edges from the root."""


def grown(edges: Sequence[Edge], bodies: int, roots: Iterable[int]) -> dict[int, Link]:
    """Return the links of a tree by body, each after the one that carries it, in the order in which it grew.

    Parameters
    ----------
    edges : sequence of Edge
    bodies : int
        Their number, with the ground.
    roots : iterable of int
        From each of them that was not reached before, a tree grows; one that is not the ground is a link without a joint.
    """
    around: list[list[Edge]] = [[] for _ in range(bodies)]
    for edge in edges:
        around[edge.first].append(edge)
        if edge.both:
            around[edge.second].append(edge)
    links: dict[int, Link] = {}
    depth = [-1] * bodies
    heap: list[tuple[tuple[int, ...], int, int, int, Edge]] = []

    def reach(body: int, distance: int) -> None:
        depth[body] = distance
        for edge in around[body]:
            other = edge.first + edge.second - body
            if depth[other] < 0:
                heapq.heappush(heap, (edge.rank(distance), edge.order, other, distance, edge))

    for root in roots:
        if depth[root] >= 0:
            continue
        if root:
            links[root] = Link(root, 0, "", False)
        reach(root, 0)
        while heap:
            _, _, body, distance, edge = heapq.heappop(heap)
            if depth[body] < 0:
                links[body] = Link(body, edge.first + edge.second - body, edge.name, body == edge.first)
                reach(body, distance + 1)
    return links
