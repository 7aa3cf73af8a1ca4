"""Operations of one joint's forces, counted in the kernels: Kim, You 1996, Table 1."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[3] / "benchmarks" / "robot.py"


@pytest.mark.skipif(not SCRIPT.exists(), reason="benchmarks are not part of the package")
def test_one_joint_takes_six_operations_for_each_joint_beyond() -> None:
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run([sys.executable, str(SCRIPT), "--count"], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout.splitlines()[-1])
    for joint in range(1, 8):
        selected, at_hand, recursive = answer[str(joint)]
        beyond = 7 - joint
        # the paper has 6(n − i) + 36; here a rigid inertia times a motion takes 24 and eq. (31) takes 6
        assert (selected["*"], selected["+"]) == (6 * beyond + 30, 6 * beyond + 30)
        assert at_hand["*"] <= 36 * beyond + 36
        assert at_hand["+"] <= 42 * beyond + 36
        assert selected["*"] + 18 * beyond <= at_hand["*"] < recursive["*"]
