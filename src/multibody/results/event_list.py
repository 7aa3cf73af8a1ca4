"""Events as a list that prints as a table: their states are for programs, times and names for people."""

from __future__ import annotations

from typing import SupportsIndex, overload

from multibody.state.kinetics import Event

SHOWN = 12  # events that a table lists at both ends together


class Events(list[Event]):
    """Events of a motion, each with its name, time and state."""

    @overload
    def __getitem__(self, at: SupportsIndex) -> Event: ...

    @overload
    def __getitem__(self, at: slice) -> Events: ...

    def __getitem__(self, at: SupportsIndex | slice) -> Event | Events:
        """Return an event, or some of them as a list that prints as a table too."""
        return Events(super().__getitem__(at)) if isinstance(at, slice) else super().__getitem__(at)

    def __repr__(self) -> str:
        """Return a table for people: time, name, and what the event did."""
        if not self:
            return "no events"
        half, left = SHOWN // 2, len(self) - SHOWN
        shown: list[Event | None] = [*self] if left <= 1 else [*self[:half], None, *self[-half:]]
        rows = [("time", "event", "")] + [("…", f"{left} more", "") if one is None else _row(one) for one in shown]
        widths = [max(len(row[c]) for row in rows) for c in range(2)]
        lines = [f"  {time:>{widths[0]}}  {name:<{widths[1]}}  {did}".rstrip() for time, name, did in rows]
        return "\n".join([f"{len(self)} event{'' if len(self) == 1 else 's'}", *lines])


def _row(event: Event) -> tuple[str, str, str]:
    """Return an event as the cells of a row."""
    did = "velocities jump" if event.impulse is not None else "ended the motion" if event.terminal else ""
    return f"{event.time:.6g}", event.name, did
