"""Compile-time tags: arguments that choose a version of a kernel when it is compiled, and cost nothing when it runs.

One text serves several cases. A tag is None or True, and a kernel asks ``if d is PLANAR``: whether the *type* of an argument
is that of None is known when a function is compiled, so that numba drops the branch which is not taken, before types are
found; the branches may therefore handle memory of different types. A tag comes first among the arguments and is handed on by
everybody, ``load(d, link.motion)``, from Python too (see ``compile``). Each pair has the names below, and a kernel tests for
these and for nothing else.
"""

from __future__ import annotations

PLANAR, SPATIAL = None, True  # d: the dimension
STILL, MOVING = None, True  # moving: positions alone, or motions too
FREE, KNOWN = None, True  # known: accelerations at q̈ = 0, or whole ones for given q̈
DROPPED, KEPT = None, True  # kept: whether what a sweep finds on its way stays with the links
VALUES, SLOPES = None, True  # sloped: values alone, or their derivatives too
ALONE, ACTED = None, True  # acted: whether laws and loads act on the links
