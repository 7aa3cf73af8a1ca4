"""How a user chooses an integrator, and what is said about a bad choice."""

from __future__ import annotations

import subprocess
import sys

import pytest

from multibody.errors import ModelError
from multibody.integrators import INTEGRATORS, Ab3, Adams, Alpha, Bdf, Dop853, Radau, Rk4, integrator_of

NAMES = "There are rk4, ab3, dop853, adams, bdf, radau, alpha, ida."


def test_names() -> None:
    assert list(INTEGRATORS) == ["rk4", "ab3", "dop853", "adams", "bdf", "radau", "alpha"]
    assert integrator_of("dop853") == Dop853()
    assert integrator_of("adams") == Adams(max_order=12)
    assert integrator_of("rk4", 0.01) == Rk4(0.01)
    assert integrator_of("ab3", step=0.01) == Ab3(0.01)
    assert integrator_of("bdf") == Bdf(max_order=5, form="ggl")
    assert integrator_of("radau") == Radau()
    assert integrator_of("alpha", 0.01) == Alpha(0.01, rho=0.8, form="stabilized")
    assert [name for name, kind in INTEGRATORS.items() if kind.implicit] == ["bdf", "radau", "alpha"]
    mine = Adams(max_order=5)
    assert integrator_of(mine) is mine
    for name, kind in INTEGRATORS.items():
        assert kind.name == name


@pytest.mark.parametrize(("make", "message"), [
    (lambda: integrator_of("dop583"), f'unknown integrator "dop583"; did you mean "dop853"? {NAMES}'),
    (lambda: integrator_of("euler"), f'unknown integrator "euler"; {NAMES}'),
    (lambda: integrator_of("rk4"), "rk4: a fixed step is missing; give its length, as in step=0.001"),
    (lambda: integrator_of("adams", 0.1), "adams: step is set, but this integrator chooses its steps; set rtol and atol"),
    (lambda: Rk4(0.0), "rk4: step 0.0 is no length of time; give a positive number"),
    (lambda: Ab3(-1.0), "ab3: step -1.0 is no length of time; give a positive number"),
    (lambda: Rk4(float("nan")), "rk4: step nan is no length of time; give a positive number"),
    (lambda: Dop853(max_step=-1.0), "dop853: max_step -1.0 is no length of time; give a positive number"),
    (lambda: Adams(first_step=0.0), "adams: first_step 0.0 is no length of time; give a positive number"),
    (lambda: Adams(max_order=13), "adams: max_order 13 is out of range; give 1 to 12"),
    (lambda: Bdf(max_order=6), "bdf: max_order 6 is out of range; give 1 to 5"),
    (lambda: Bdf(form="index3"), 'bdf: unknown form "index3"; did you mean "index2"? There are ggl, index2, index1.'),
    (lambda: integrator_of("radau", 0.1), "radau: step is set, but this integrator chooses its steps; set rtol and atol"),
    (lambda: integrator_of("alpha"), "alpha: a fixed step is missing; give its length, as in step=0.001"),
    (lambda: Alpha(0.01, rho=1.2), "alpha: rho 1.2 is no spectral radius; give 0 to 1"),
    (lambda: Alpha(0.01, rho=1.0, form="index3"),
     'alpha: with rho 1 the multipliers of the form "index3" swing without end; give a smaller rho, or form="stabilized"'),
])  # fmt: skip
def test_bad_choices(make: object, message: str) -> None:
    with pytest.raises(ModelError) as caught:
        make()  # type: ignore[operator]
    assert str(caught.value) == message


def test_choosing_imports_no_numba() -> None:
    code = "import sys, multibody.integrators as i; i.integrator_of('adams'); assert 'numba' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
