"""The command as a process: what it loads, that stdout is JSON alone, and that it says when it compiles."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

COMMAND = [sys.executable, "-c", "from multibody.cli import main; main()"]


def test_json_alone_on_stdout_and_nothing_heavy_loaded() -> None:
    code = (
        "import sys, atexit; atexit.register(lambda: print(sorted({'xarray', 'pandas', 'matplotlib', 'rich', 'sympy'} "
        "& set(sys.modules)), file=sys.stderr)); from multibody.cli import main; main()"
    )
    result = subprocess.run(
        [sys.executable, "-c", code, "kinematics", "slider-crank", "--json"], capture_output=True, text=True, check=True
    )
    assert json.loads(result.stdout)["status"]["success"] is True
    assert result.stderr.strip() == "[]"


def test_a_failed_analysis_warns_no_second_time() -> None:
    result = subprocess.run(
        [*COMMAND, "kinematics", "driven-slider", "--set", "part=1.2", "--json"], capture_output=True, text=True, check=False
    )
    assert result.returncode == 1
    assert result.stderr == ""
    assert json.loads(result.stdout)["status"]["success"] is False


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_the_first_run_on_a_terminal_says_that_it_compiles(tmp_path: pathlib.Path) -> None:
    code = (
        "import sys; from multibody.cli.options import announce_compilation; announce_compilation('tracking.track'); "
        "from multibody.kernels.compile import CACHE_DIRECTORY as d; (d / 'tracking.track-1.py311.nbc').touch(); "
        "announce_compilation('tracking.track')"
    )
    import pty

    leader, follower = pty.openpty()
    environment = {**os.environ, "MULTIBODY_CACHE_DIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", code], stderr=follower, check=True, env=environment)
    os.close(follower)
    said = os.read(leader, 10_000).decode()
    os.close(leader)
    assert said.count("compiling kernels, once; see multibody warm") == 1


def test_importing_the_entry_point_is_light() -> None:
    code = "import sys, multibody.cli; print(sorted({'typer', 'rich', 'numpy', 'numba'} & set(sys.modules)))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
