"""Members of studies of ``assemble`` and ``statics``: single analyses to the last bit, and as the ordinary path says it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import multibody as mb
from study.models import door, hanging, oscillator, swing, tumbling
from study.test_compiled import both

HELD: dict[str, Any] = {"l0": (1.8, 2.0), "initial.O1.rate": (-0.2, 0.2)}
CASES: list[tuple[Any, dict[str, Any], list[str], list[str], dict[str, Any]]] = [
    (swing, HELD, ["link2.x", "O3", "O1.rate", "O3*l0"], ["A.reaction.force.x", "energy.potential", "A.reaction.moment"], {}),
    (hanging, {"l": (0.45, 0.55), "w": (2.5, 3.5)}, ["O", "block.x"], ["k.effort", "O.effort", "momentum.x"], {"t": "0.1*w"}),
    (tumbling, {"l": (0.35, 0.45)}, ["b.x", "B.angle", "norm(c.com)"], ["norm(O.reaction.force)", "k.effort"], {}),
    (door, {"width": (0.4, 0.5)}, ["door.x", "hinge0", "hinge1"], ["norm(hinge1.reaction.force)"], {"t": 0.3}),
]  # fmt: skip


@pytest.mark.parametrize("analysis", ["assemble", "statics"])
@pytest.mark.parametrize("make, varied, places, forces, options", CASES)
def test_a_member_is_the_single_analysis_to_the_last_bit(
    make: Any, varied: dict[str, Any], places: list[str], forces: list[str], options: dict[str, Any], analysis: str
) -> None:
    asked = places if analysis == "assemble" else [*places, *forces]
    members, found, known = both(make(), varied, asked, analysis, samples=6, **options)
    assert members.compiled == 6 and not members.aside, members.aside
    np.testing.assert_array_equal(found.outputs, known.outputs)
    assert np.all(np.isfinite(found.outputs)) and found.messages == known.messages


def test_a_member_is_what_a_user_gets() -> None:
    lengths = [1.88, 1.9, 1.92, 1.94]
    closed = swing().study({"l0": lengths}, ["link2.x", "O3.rate"], analysis="assemble")
    hung = swing().study({"l0": lengths}, ["link2.x", "A.reaction.force.y"], analysis="statics")
    assert closed.statistics["compiled"] == hung.statistics["compiled"] == 4
    for k, l0 in enumerate(lengths):
        state, rest = swing().set(l0=l0).assemble(), swing().set(l0=l0).statics()
        assert closed.outputs[k].tolist() == [float(state["link2.x"]), float(state["O3.rate"])]
        assert hung.outputs[k].tolist() == [float(rest["link2.x"]), float(rest["A.reaction.force"][1])]


def test_closed_form() -> None:
    """A block on a spring along a slope: k S = −m g sin(0.7)."""
    made = oscillator()
    made.gravity = (0.0, -9.81)
    found = made.study({"k": (3.0, 5.0), "m": (0.5, 2.0)}, ["S", "spring.effort"], samples=9, analysis="statics")
    assert found.statistics["compiled"] == 9
    k, m = found.values.T
    np.testing.assert_allclose(found.outputs[:, 0], -m * 9.81 * np.sin(0.7) / k, rtol=1e-12)
    np.testing.assert_allclose(found.outputs[:, 1], m * 9.81 * np.sin(0.7), rtol=1e-12)


def test_neither_threads_nor_chunks_change_a_bit() -> None:
    for analysis in ("assemble", "statics"):
        plain = swing().study(HELD, ["link2.x", "O3"], samples=24, analysis=analysis, workers=1)
        assert plain.statistics["compiled"] == 24
        for ways in ({"workers": 3, "chunk": 5}, {"chunk": 1}, {}):
            other = swing().study(HELD, ["link2.x", "O3"], samples=24, analysis=analysis, **ways)  # type: ignore[arg-type]
            np.testing.assert_array_equal(plain.outputs, other.outputs)


def test_what_does_not_fit_has_the_words_of_the_single_analysis() -> None:
    """Too short a link; a block that nothing holds where its spring has no stiffness; accelerations of a state."""
    found = swing().study({"l0": [1.9, 6.5, 1.8, 1.7]}, "O1", analysis="assemble")
    assert found.states == ["done", "failed", "done", "done"] and '"O3" cannot close' in found.messages[1]
    assert found.statistics == {"compiled": 3, "ordinary": 1, "because": {"it does not close at once": 1}}
    made = oscillator()
    made.gravity = (0.0, -9.81)
    hung = made.study({"k": [4.0, 0.0, 4.2, 4.3]}, "S", analysis="statics")
    assert hung.states == ["done", "failed", "done", "done"] and 'nothing holds "block"' in hung.messages[1]
    assert hung.statistics["because"] == {"it does not come to rest at once": 1}
    with pytest.raises(mb.ModelError, match="positions and velocities only"):
        swing().study({"l0": [1.9, 1.8, 1.7, 1.6]}, "O1.acceleration", analysis="assemble")


def test_another_method_is_the_ordinary_path() -> None:
    made = swing()
    made.defaults["statics"] = {"method": "nearest"}
    found = made.study({"l0": [1.9, 1.88, 1.92, 1.91]}, "O1", analysis="statics")
    assert found.statistics == {"compiled": 0, "ordinary": 4, "because": {"method nearest": 4}}
