"""What an acceptance says of a step: formulations say it, integrators and specialized code understand it."""

from __future__ import annotations

from multibody.kernels.compile import inlined

UNMOVED, MOVED, REFUSED, ELSEWHERE = 0, 1, 2, 3  # of y; half the length; a somewhat shorter step
ROUGH = 4  # added to UNMOVED or MOVED: f is rough near by, a change point is near
LOCKED = -1  # why it gives up: the motion stays at a change point
WEAK_PARTITION = -2  # other columns are to be dependent
MOVING_CHART = -3  # a ball needs another chart
LOST_RANK = -4  # cosine rows have no rank
OTHER_ROWS = -5  # other rows among redundant ones may serve better


@inlined
def moved(answer):
    """Return UNMOVED or MOVED of a step that passes, whether or not f is rough near by; other answers as they are."""
    return answer - ROUGH if answer >= ROUGH else answer


@inlined
def passes(answer):
    """Return whether a step passes."""
    return UNMOVED <= moved(answer) <= MOVED
