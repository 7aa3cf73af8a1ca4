"""Nopython mathematics without allocation: vectors, rotations, basic constraints, rows, programs, factorizations.

A kernel takes ``model``, ``state`` and ``scratch`` (see :mod:`multibody.kernels.declared`), or those of them that it needs, and
returns an integer status or a scalar. It never allocates and never touches a Python object, so that the same source can serve
other targets.
"""

import os

ALONE = False  # set by the command line: no functions but ours are compiled in this process
CHECKED = os.environ.get("MULTIBODY_BOUNDSCHECK") == "1"  # every index is tested: slow, for tests
