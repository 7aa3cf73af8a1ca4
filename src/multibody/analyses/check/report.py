"""What check returns: plain data with names, and a page of text."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from multibody._shown import Shown
from multibody.analyses.check.tree_report import TreeReport

SHOWN = 6


@dataclass(frozen=True)
class CheckReport(Shown):
    """What a mechanism is at a pose and around it.

    Attributes
    ----------
    name : str
    dimension : int
        2 or 3.
    gravity : str
        ``none`` or the vector with its unit.
    coordinates, equations : int
        Velocity coordinates, and rows of the joints; motions are not counted.
    rank, generic_rank : int
        Rank of the joint rows at the pose, and in general: the largest at poses around it.
    mobility : int
        Degrees of freedom in general, coordinates − generic_rank.
    gruebler : int
        Coordinates − equations, the count that takes all equations for independent.
    motions : int
    redundant : list of str
        Equations that follow from the others, by name: those one would drop.
    dependent_groups : list of list of str
        For each of them the equations that depend on each other.
    unique_reactions : dict
        For each joint whether its reaction has one value only.
    reaction_components : dict
        For each joint ``{"force": [...], "moment": [...]}``: the same for each component, in ground axes, at the second
        frame's origin; a planar moment is one.
    smallest_singular_value : float or None
        Of the equations (with the motions, where they drive the mechanism completely), free of units, counted to the
        general rank, so that it vanishes where the rank drops; None where there are no equations.
    nearness : str
        ``regular``, ``near a singular configuration …`` or ``singular: …``.
    idle : list of str
        Motions of a single body that move nothing else.
    loops : list of str
        Four-bars by Grashof's rule, slider-cranks by their offset.
    notes : list of str
    tree : TreeReport
        Spanning tree, cut joints, and how many joint coordinates and loop equations they leave.
    """

    name: str
    dimension: int
    gravity: str
    coordinates: int
    equations: int
    rank: int
    generic_rank: int
    mobility: int
    gruebler: int
    motions: int
    redundant: list[str]
    dependent_groups: list[list[str]]
    unique_reactions: dict[str, bool]
    reaction_components: dict[str, dict[str, list[bool]]]
    smallest_singular_value: float | None
    nearness: str
    idle: list[str] = field(default_factory=list)
    loops: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    tree: TreeReport = field(default_factory=TreeReport)

    def plain(self) -> dict[str, Any]:
        """Return the report as JSON has it."""
        return {**asdict(self), "tree": self.tree.plain()}

    def __str__(self) -> str:
        """Return the report as a short page."""
        rank = f"{self.rank}" if self.rank == self.generic_rank else f"{self.rank} here, {self.generic_rank} around"
        value = self.smallest_singular_value
        shared = [name for name, unique in self.unique_reactions.items() if not unique]
        lines = [
            f'check of "{self.name}" ({"planar" if self.dimension == 2 else "spatial"})',
            f"gravity: {self.gravity}",
            *_table(
                [
                    ("coordinates", str(self.coordinates)),
                    ("equations", f"{self.equations} (and {self.motions} motion{'' if self.motions == 1 else 's'})"),
                    ("rank", rank),
                    ("mobility", f"{self.mobility} (coordinates − equations: {self.gruebler})"),
                    ("redundant", f"{len(self.redundant)}: {shortened(self.redundant)}" if self.redundant else "none"),
                    ("reactions", f"not unique: {shortened(shared)}" if shared else "all unique"),
                    ("smallest singular value", "–" if value is None else f"{value:.3g}"),
                    ("configuration", self.nearness),
                ]
            ),
        ]
        lines += [*_list("idle", self.idle, 3), *_list("loops", self.loops, 5), *self.tree.lines]
        return "\n".join(lines + _list("notes", self.notes, 5))


def _table(rows: list[tuple[str, str]]) -> list[str]:
    """Return rows with aligned values."""
    width = max(len(name) for name, _ in rows)
    return [f"  {name:<{width}}  {value}" for name, value in rows]


def _list(title: str, items: list[str], most: int) -> list[str]:
    """Return a titled list, cut to a few lines."""
    if not items:
        return []
    *head, last = items
    beyond = int(last.split()[1]) if last.startswith("and ") else 0  # what the list itself leaves out
    shown = head if beyond else items
    if len(shown) > most:
        beyond += len(shown) - most + 1
        shown = shown[: most - 1]
    return [f"{title}:", *(f"  {item}" for item in shown), *([f"  and {beyond} more"] if beyond else [])]


def shortened(items: list[str], most: int = SHOWN) -> str:
    """Return the first items and how many more there are."""
    text = ", ".join(items[:most])
    return text if len(items) <= most else f"{text} and {len(items) - most} more"
