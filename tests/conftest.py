"""One thread of linear algebra in each process of the tests.

OpenBLAS starts as many threads as there are cores and lets them wait in a loop. With a process of tests on every core they take
the time from each other: tests of rank decisions cost four times the processor time.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when NumPy is first imported, and taken over by all child processes
