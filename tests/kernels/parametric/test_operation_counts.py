"""Operations of a joint's derivatives, counted in the kernels: Lee, Lee, Bae 2013, Table 7."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[3] / "benchmarks" / "parametric.py"


@pytest.mark.skipif(not SCRIPT.exists(), reason="benchmarks are not part of the package")
def test_derivatives_by_parameters_take_fewer_operations_but_for_balls() -> None:
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run([sys.executable, str(SCRIPT), "--count"], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout.splitlines()[-1])
    for kind, ((rows, second), (alpha_rows, alpha_second)) in answer.items():
        assert alpha_rows < rows, kind
        assert (alpha_second < 0.5 * second) == (kind != "spherical"), kind
    # turning two axes takes 18, and each row of A_ij and of A_ij tilde(s_j) 15 and 9
    assert answer["revolute"][1][0] == 18 + 3 * (15 + 9)
