"""The verbs of dynamics as processes: what they load, Ctrl-C, and that they say when they compile."""

import json
import os
import pathlib
import subprocess
import sys

import pytest


def test_json_alone_on_stdout_and_nothing_heavy_loaded() -> None:
    code = (
        "import sys, atexit; atexit.register(lambda: print(sorted({'xarray', 'pandas', 'matplotlib', 'rich', 'sympy'} "
        "& set(sys.modules)), file=sys.stderr)); from multibody.cli import main; main()"
    )
    for text in ("run four-bar --until 0.1", "reactions four-bar --at 0.1", "inverse slider-crank"):
        arguments = text.split()
        result = subprocess.run([sys.executable, "-c", code, *arguments, "--json"], capture_output=True, text=True, check=True)
        assert isinstance(json.loads(result.stdout), dict)
        assert result.stderr.strip() == "[]"


def test_a_run_with_tables_loads_no_parts_of_scipy() -> None:
    code = (
        "import sys, atexit\n"
        "def loaded():\n"
        "    print(sorted({'scipy.sparse', 'scipy.linalg', 'xarray'} & set(sys.modules)), file=sys.stderr)\n"
        "    import scipy.linalg.cython_blas  # it can be loaded all the same\n"
        "atexit.register(loaded)\n"
        "from multibody.cli import main; main()"
    )
    command = [sys.executable, "-c", code, "run", "four-bar", "--until", "0.1"]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "link2" in result.stdout
    assert result.stderr.strip() == "[]"


def test_numba_keeps_its_blas_for_other_packages() -> None:
    code = (
        "import multibody as mb, numba, numpy as np; mb.load('four-bar').run(0.1); "
        "print(numba.njit(lambda a: np.dot(a, a))(np.array([1.0, 2.0])))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert float(result.stdout) == 5.0


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
def test_ctrl_c_prints_what_was_computed(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "long.yaml"
    file.write_text(
        "name: long\ndimension: 2\ngravity: [0, -9.81]\nbodies: {b: {mass: 1, inertia: 0, com: [1, 0]}}\n"
        "joints: {O: {revolute: [ground, b]}}\nrun: {until: 1e9, output_step: 1e6, integrator: rk4, step: 0.01}\n"
    )
    code = (
        "import os, signal, threading\n"
        "from multibody.analyses.dynamics.simulation import Simulation as S; advance = S.advance\n"
        "def interrupted(self, *arguments):\n"
        "    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
        "    return advance(self, *arguments)\n"
        "S.advance = interrupted\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background may have inherited none\n"
        "from multibody.cli import main; main()"
    )
    short = [sys.executable, "-m", "multibody", "run", str(file), "--until", "1", "--output-step", "1", "--json"]
    subprocess.run(short, capture_output=True, check=True)  # so that nothing is compiled when the signal comes
    command = [sys.executable, "-c", code, "run", str(file), "--json"]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    out, err = result.stdout, result.stderr
    assert result.returncode == 1, err
    found = json.loads(out)
    assert "interrupted at t =" in found["status"]["message"]
    assert 0 < found["final"]["time"] < 1e9


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_the_first_run_on_a_terminal_says_that_it_compiles(tmp_path: pathlib.Path) -> None:
    code = (
        "import multibody as mb; from multibody.cli.options import announce_dynamics as say; m = mb.load('four-bar'); "
        "say(m, {'formulation': 'kane'}); from multibody.kernels.compile import cache_directory as d; "
        "[(d(room) / (name + '-1.py311.nbc')).touch() for room, name in (('formulations', 'expand.expand'), "
        "('formulations', 'kane.rhs_kane'), ('integrators', 'dop853.advance_dop853'))]; say(m, {'formulation': 'kane'})"
    )
    import pty

    leader, follower = pty.openpty()
    environment = {**os.environ, "MULTIBODY_CACHE_DIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", code], stderr=follower, check=True, env=environment)
    os.close(follower)
    said = os.read(leader, 10_000).decode()
    os.close(leader)
    assert said.count("compiling kernels, once; see multibody warm") == 1


def test_kernels_that_are_looked_for_exist() -> None:
    """A name of no kernel would be missing in every cache: all runs on a terminal would say that they compile."""
    import re

    import multibody.cli
    from multibody import load
    from multibody.cli.options import dynamics_kernels
    from multibody.formulations import FORMULATIONS
    from multibody.integrators import INTEGRATORS

    folder = pathlib.Path(multibody.cli.__file__).parent
    texts = [file.read_text() for file in folder.glob("*.py")]
    calls = [found for text in texts for found in re.findall(r"announce_compilation\((\".*\")\)", text)]
    names = {name for call in calls for name in re.findall(r'"([\w.]+)"', call)}
    model = load("four-bar")
    for formulation in FORMULATIONS:
        for integrator in INTEGRATORS:
            names |= set(dynamics_kernels(model, {"formulation": formulation, "integrator": integrator}))
    assert len(names) > 12
    rooms = [folder.parent / room for room in ("kernels", "kernels/tree", "formulations", "integrators")]
    for name in names:
        module, function = name.split(".")
        texts = [path.read_text() for room in rooms if (path := room / f"{module}.py").exists()]
        defined = re.compile(rf"^@(kernel|shared_kernel|shared_in_space)\ndef {function}\(", re.MULTILINE)
        assert any(defined.search(text) for text in texts), name
