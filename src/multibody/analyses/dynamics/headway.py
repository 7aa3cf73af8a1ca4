"""Whether a run gets on: the time that its steps make, not their number, says whether it comes to an end.

A run may be long: steps as short as a fast oscillation asks for are honest, however many they are. What makes no headway is a
run whose steps have become much shorter than they were, fail again and again, and would have to be made without end at this
pace; or one that would not end in weeks at any pace it ever had. Both are judged over many attempts, so that a short passage
through a rough place is none.
"""

from __future__ import annotations

from dataclasses import dataclass, field

NO_HEADWAY = -10  # answer of a simulation beside those of the integrators
WINDOW = 50_000  # attempts (steps and refused ones) from look to look
LOOKS = 2  # looks in a row that find no headway before a run is stopped
SAMPLE = 50  # attempts that show a pace
COLLAPSED = 1e-4  # of the best pace
FAILING = 0.03  # of the attempts are refused where steps are too long for what they meet
LONG = 1e8  # further attempts at a pace that has collapsed
ENDLESS = 1e11  # further attempts at any pace: weeks


@dataclass
class Headway:
    """The pace of a run on its way to `end`.

    Attributes
    ----------
    end : float
        Where it goes.
    time, attempts, refused : float, int, int
        Where the present window began.
    """

    end: float
    time: float
    attempts: int
    refused: int
    best: float = 0.0  # time an attempt makes, the largest mean over a sample
    before: float = 0.0  # pace of the last window
    bad: int = 0  # looks in a row without headway
    sample: tuple[float, int] = field(default=(0.0, 0))

    def __post_init__(self) -> None:
        """Begin the first sample where the first window begins."""
        self.sample = (self.time, self.attempts)

    def lost(self, t: float, attempts: int, refused: int, stiff: bool) -> bool:
        """Note where the run is; return whether it makes no headway.

        Parameters
        ----------
        t : float
        attempts, refused : int
            Steps made and refused so far, and the latter alone.
        stiff : bool
            Whether an explicit method has found stiffness: its steps are short for a reason then.
        """
        made = attempts - self.sample[1]
        if made >= SAMPLE:
            self.best = max(self.best, abs(t - self.sample[0]) / made)
            self.sample = (t, attempts)
        made = attempts - self.attempts
        if made < WINDOW:
            return False
        pace, failing = abs(t - self.time) / made, (refused - self.refused) / made
        left = abs(self.end - t)
        collapsed = pace < COLLAPSED * self.best and failing > FAILING and not stiff
        slow = left > (LONG if collapsed else ENDLESS) * pace
        recovering = 0.0 < 2.0 * self.before < pace
        self.bad = self.bad + 1 if slow and not recovering else 0
        self.time, self.attempts, self.refused, self.before = t, attempts, refused, pace
        return self.bad >= LOOKS
