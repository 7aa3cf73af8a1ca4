"""Nopython mathematics without allocation: vectors, rotations, basic constraints, rows, programs, factorizations.

A kernel takes the bundle ``I, F, W, ref`` (integers, numbers, workspace, angle references) and returns an integer status
or a scalar. It never allocates and never touches a Python object, so that the same source can serve other targets.
"""

ALONE = False  # set by the command line: no functions but ours are compiled in this process
