"""Mechanisms on which a Newton iteration that is judged too early makes thousands of steps."""

from __future__ import annotations

import pytest

from multibody import library
from multibody.integrators import Alpha, Bdf, Integrator, Radau


@pytest.mark.parametrize("rtol", [1e-4, 1e-6])
@pytest.mark.parametrize(("method", "steps", "rejected"), [(Bdf(), 200, 20), (Radau(), 200, 20), (Alpha(1e-3), 1020, 10)])
def test_bricard(method: Integrator, steps: int, rejected: int, rtol: float) -> None:
    """It moves in spite of its constraints; many components are zero, and asked for more digits than the others."""
    found = library.find("iftomm-bricard")().run(until=1.0, integrator=method, rtol=rtol).statistics
    assert found["steps"] < steps
    assert found["rejected"] < rejected


@pytest.mark.parametrize("rtol", [1e-4, 1e-6, 1e-8])
@pytest.mark.parametrize("method", [Bdf(), Radau()])
def test_stiff_flyball(method: Integrator, rtol: float) -> None:
    """Stiff springs that turn with the shaft: far fewer evaluations than the fifteen thousand of an explicit method."""
    found = library.find("iftomm-flyball")().run(until=1.0, integrator=method, rtol=rtol).statistics
    assert found["rhs_evaluations"] < 2500
    assert found["rejected"] < 0.35 * found["steps"]
    assert found["jacobian_evaluations"] < found["steps"]
