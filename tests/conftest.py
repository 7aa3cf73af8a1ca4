"""One thread of linear algebra in each process of the tests, and byte code that all of them share.

OpenBLAS starts as many threads as there are cores and lets them wait in a loop. With a process of tests on every core they take
the time from each other: tests of rank decisions cost four times the processor time.

Where Python is told to write no byte code, every process that a test starts would translate all sources again, a fifth of its
time; it is kept in ``.cache`` then, apart from the sources.
"""

import os
import pathlib
import sys

if os.environ.pop("PYTHONDONTWRITEBYTECODE", "") and "PYTHONPYCACHEPREFIX" not in os.environ:
    os.environ["PYTHONPYCACHEPREFIX"] = str(pathlib.Path(__file__).parents[1] / ".cache" / "python")
    sys.pycache_prefix, sys.dont_write_bytecode = os.environ["PYTHONPYCACHEPREFIX"], False
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when NumPy is first imported, and taken over by all child processes
