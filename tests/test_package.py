"""The package as a whole: what importing it costs, and that machine code is made once."""

import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

HEAVY = ("numba", "xarray", "pandas", "sympy", "matplotlib", "scipy")
ANALYSES = """
import json, warnings
import multibody as mb
from multibody.kernels.cache import machine_code
from multibody.kernels.compile import REGISTRY
from multibody.kernels.memory.compiled import Place
written, write = [], machine_code.write_whole
machine_code.write_whole = lambda path, content: (written.append(path), write(path, content))
for name in ("slider-crank", "rssr"):
    mb.load(name).kinematics(until=0.01, steps=3)
for name in ("double-pendulum", "spatial-four-bar"):
    mb.load(name).run(until=0.1)
    sim = mb.load(name).simulator(formulation="kane")
    sim.step(0.01)
    sim["O"], sim["O.reaction.force"], sim["energy.total"]
hits = sum(sum(f.stats.cache_hits.values()) for f in REGISTRY)
misses = sum(sum(f.stats.cache_misses.values()) for f in REGISTRY)
entered = {f: [s for s in f.signatures if not any(isinstance(kind, Place) for kind in s)] for f in REGISTRY}
versions = {f: {str(s).replace("uint64", "int64") for s in found} for f, found in entered.items()}  # planar and spatial are two
several = [f.py_func.__name__ for f, found in versions.items() if len(found) > 1]
print(json.dumps({"hits": hits, "misses": misses, "several": several, "written": written}))
"""


def python(code: str) -> str:
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.mark.parametrize(
    "statement",
    [
        "import multibody",
        "import multibody as mb; m = mb.Model('x'); m.body('b')",
        "import multibody as mb; mb.Baumgarte(5, 5), mb.Kane(), mb.Adams(max_order=6), mb.Rk4(1e-3)",
    ],
)
def test_importing_and_building_load_nothing_heavy(statement: str) -> None:
    loaded = python(f"import sys\n{statement}\nprint(','.join(sorted(m for m in {HEAVY!r} if m in sys.modules)))").strip()
    assert loaded == ""


def test_a_second_process_compiles_nothing() -> None:
    python(ANALYSES)
    second = json.loads(python(ANALYSES))
    assert second["hits"] > 0
    assert second["misses"] == 0
    assert second["written"] == [], "the cache grows from process to process"


def test_each_kernel_has_one_specialization_a_dimension() -> None:
    assert json.loads(python(ANALYSES))["several"] == []


def test_the_cache_directory_follows_the_sources(tmp_path: pathlib.Path) -> None:
    code = "from multibody.kernels.compile import CACHE_DIRECTORY, source_hash; print(CACHE_DIRECTORY, source_hash())"
    environment = {**os.environ, "MULTIBODY_CACHE_DIR": str(tmp_path)}
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment).stdout
    directory, digest = out.split()
    assert pathlib.Path(directory).parent == tmp_path
    assert directory.endswith(digest)


def test_changing_a_parameter_lowers_nothing_again() -> None:
    import multibody as mb

    model = mb.load("slider-crank")
    first = model.assemble(t=0.0)
    other = model.set(l2=0.1)
    assert other._lowered is not None
    assert np.shares_memory(other._lowered.packed.rows, model._lowered.packed.rows)
    assert first["slider.x"] == pytest.approx(0.5, abs=1e-12)
    assert other.assemble(t=0.0)["slider.x"] == pytest.approx(0.45, abs=1e-12)
    assert model.assemble(t=0.0)["slider.x"] == pytest.approx(0.5, abs=1e-12), "set() must not change the model"
