"""The bounds-checked build: an index outside its section is an error that names the kernel's fault, however deep it lies."""

import os
import subprocess
import sys

PROGRAM = """
import numpy as np
import multibody as mb
from multibody.kernels import CHECKED
from multibody.kernels.calls import address_of, call
from multibody.kernels.compile import inner_kernel, kernel
from multibody.kernels.declared import Model, PlanarPose, Scratch, model_at, scratch_at

assert CHECKED

@inner_kernel
def _pose(scratch, b):
    return scratch.planar_pose[b].x

@kernel
def behind(model, state, scratch, t, y, out):
    out[0] = _pose(scratch_at(scratch), int(t))
    return 0

@kernel
def enter(address, run, t, y, out):
    return call(address, run, t, y, out)

scratch, y = Scratch(planar_pose=np.zeros(3, PlanarPose.dtype)), np.zeros(1)
run = (0, 0, scratch.address)
assert enter(address_of(behind, planar=False), run, 2.0, y, y) == 0
for wrong in (3.0, -1.0):
    try:
        enter(address_of(behind, planar=False), run, wrong, y, y)
    except IndexError:
        continue
    raise SystemExit("an index outside was read")
"""


def test_an_index_outside_its_section_is_an_error() -> None:
    environment = {**os.environ, "MULTIBODY_BOUNDSCHECK": "1"}
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
