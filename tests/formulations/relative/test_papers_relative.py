"""The papers' examples and benchmark problems in joint coordinates, against the same independent numbers.

Null-space examples and IFToMM problems have their references in ``analyses/dynamics/test_papers.py``. Those of Kim, You 1996
(the arm) and Lee, Sohn, Kim, Yoo 2001 (velocity transformation) stand here; they were made in the same way, by two integrators
from equations of motion in as many coordinates as there are degrees of freedom.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import multibody as mb
from analyses.dynamics.checks import errors_at, worst_error
from analyses.dynamics.oracle_cases import errors
from analyses.dynamics.test_papers import (
    ANDREWS,
    BRICARD,
    CROSSINGS,
    ENGINE,
    EXAMPLE_2_I_GRAVITY,
    PATHS,
    PENDULUM,
    check_n_four_bar,
)
from analyses.dynamics.test_planar_oracles import MAKERS as PLANAR
from analyses.dynamics.test_spatial_oracles import MAKERS as SPATIAL
from formulations.relative.agreement import CLOSINGS, METHODS

each = pytest.mark.parametrize("formulation", METHODS.values(), ids=METHODS)
every = pytest.mark.parametrize("formulation", CLOSINGS.values(), ids=CLOSINGS)
TIGHT: dict[str, Any] = {"rtol": 1e-10, "atol": 1e-12}

# fmt: off
# Kim, You 1996: joints 4 and 6, torque of joint 2, forces of joints 2 and 4 on links 2 and 4
ARM_1 = {
    0: (0.0, 0.0, -2499.041142330982, (-5.771439958450448, 0.0, 211.5017142637909),
        (-3.668962802418859, 0.0, 26.001714263790895)),
    0.5: (1.8582448623941932, 0.7761814443847459, -5220.342902248162, (61.3655614998116, 0.0, 316.4403653965498),
          (62.9712811595958, 0.0, 129.74743662785914)),
    1: (1.8464270621631589, 1.0062182337539656, -4148.036980447861, (65.99525569788254, 0.0, 272.88665197943715),
        (66.43740912620986, 0.0, 85.62859223929995)),
    2: (0.6922766259459723, 0.06380951411969632, -4163.076082259296, (21.259709732072032, 0.0, 394.7970391276226),
        (19.766318124783176, 0.0, 208.0903491587165)),
    5: (0.4342636229104799, -0.2918847933416643, -3463.3097835234753, (-84.04237768720343, 0.0, 251.67957431347813),
        (-81.93990053117183, 0.0, 66.17957431347814)),
}
# all joints but the second locked: torque and force of joint 2
ARM_1B = {
    0: (-5147.0, (-5.771439958450448, 0.0, 275.5)),
    0.5: (-4931.507432655315, (-4.407807514084945, 0.0, 278.77466899864027)),
    1: (-4300.622208411842, (-1.2137406376537228, 0.0, 280.3259911906593)),
    2: (-2957.4605583899174, (4.099459521448408, 0.0, 278.8124444106452)),
}
# a stiff spring at the tip: joint 6 and its rate, torque of joint 4
ARM_2 = {
    0.1: (0.08662899815041164, 0.2603574052512733, -3008.839383290795),
    0.25: (0.1989663091984868, 0.5404429635194795, -3096.487770060552),
    0.5: (0.28387540158558244, 0.7967877472374779, -1110.0514069739068),
    1: (-0.000170278302073751, -1.6457854912661631, 631.6774161651664),
}
# Lee, Sohn, Kim, Yoo 2001: pendulum, then θ2, θ31, θ4, their rates, and the multipliers of the cut ball
RELEASED = {
    0.5: {"O": -1.661148416750869, "O.rate": -5.413866990753795, "O.acceleration": 1.3277228041617075},
    1: {"O": -3.133418044829368, "O.rate": 0.4904855312988756, "O.acceleration": 14.71450834347754},
    2: {"O": -0.03269734257260798, "O.rate": -0.9808727418589974, "O.acceleration": -14.707134678257992},
    5: {"O": -2.937510900034762, "O.rate": 2.4422368552042943, "O.acceleration": 14.409626911785297},
}
TILTED = {
    0: ((1.0, -0.5128762192191306, 1.3690105239541763), (0.0, 0.0, 0.0),
        (-1.1735932518781176, -6.991641624279039, -0.911608485698929)),
    0.25: ((0.40752740659478803, 0.29447714830700533, 1.3223895819363236),
           (-5.6337207528250985, 8.849231062927846, 1.4063239137064516),
           (-36.22372399468031, -66.84402426513712, 25.389231374703506)),
    0.5: ((-0.6896569955853976, 2.0741128833453955, 2.1153438384617202),
          (-5.823923903296291, 7.030402749479064, 3.821309647591594),
          (3.1775466815254356, 2.957002393017461, -1.69765764272419)),
    1: ((-4.143813546621986, 4.599428185504137, 1.898491724542844),
        (-1.4047803692632608, 1.26330923477964, -0.7036629378232298),
        (2.7605892677236037, -8.120502632405497, 0.46994930302269877)),
    2: ((0.3530106167034712, 0.381305291769382, 1.3381142421366468),
        (5.463884569532454, -8.821623090057892, -1.7905809670890032),
        (-31.638664420438086, -64.1315565979364, 23.08404524939863)),
    5: ((-0.5821466042706, 1.9378887124879913, 2.0403870501451107),
        (-5.169262929719371, 6.867032918621017, 3.8147336852917904),
        (2.741262264588314, 0.5522864984063176, -0.5601010071730613)),
}
# fmt: on


# --- null-space paper, engine, benchmark problems ---------------------------------------------------------------------


@every
@pytest.mark.parametrize("name", PATHS)
def test_examples_of_the_null_space_paper(name: str, formulation: Any) -> None:
    reference, parameters = PATHS[name]
    model = mb.load("four-bar-singular" if name == "four-bar-literal" else name, **parameters)
    run = model.run(until=max(reference), formulation=formulation, **TIGHT)
    assert worst_error(run, reference) < 1e-8
    assert run.certificate["position_violation"] < 1e-8
    assert run.certificate["energy_drift"] < 1e-8


@every
def test_the_change_point_is_passed_on_the_parallelogram(formulation: Any) -> None:
    model = mb.load("four-bar-singular")
    model.event("flat", "link1.angle")
    run = model.run(until=10, formulation=formulation, **TIGHT)
    assert worst_error(run, EXAMPLE_2_I_GRAVITY) < 1e-6
    assert np.max(np.abs(run["link2.angle"].values)) < 1e-6
    assert run.certificate["energy_drift"] < 1e-6
    assert [e.time for e in run.events] == pytest.approx(CROSSINGS, abs=1e-7)


@every
@pytest.mark.parametrize("n", [1, 2, 10])
def test_n_four_bar_stays_on_its_branch(n: int, formulation: Any) -> None:
    run = mb.load("iftomm-n-four-bar", n=n).run(until=10, formulation=formulation, rtol=1e-11)
    check_n_four_bar(n, run, 1e-6)


@every
@pytest.mark.parametrize("dimension", [2, 3])
def test_engine_with_all_joint_forces(dimension: int, formulation: Any) -> None:
    run = mb.load("engine", dimension=dimension).run(until=1, formulation=formulation, rtol=1e-11, atol=1e-12)
    assert worst_error(run, ENGINE) < 1e-7
    motion = {t: {path: values[path] for path in ("O1", "O1.rate", "piston1.x")} for t, values in ENGINE.items()}
    assert worst_error(run, motion) < 1e-9


@each
def test_simple_pendulum_without_inertia_about_its_center(formulation: Any) -> None:
    run = mb.load("iftomm-pendulum").run(until=10, formulation=formulation, **TIGHT)
    assert worst_error(run, PENDULUM) < 1e-8


@every
def test_andrews_squeezer(formulation: Any) -> None:
    run = mb.load("iftomm-andrews").run(until=0.03, formulation=formulation, **TIGHT)
    assert worst_error(run, ANDREWS) < 1e-8


@every
def test_bricard_linkage_of_slender_rods(formulation: Any) -> None:
    run = mb.load("iftomm-bricard", section=0.0).run(until=3.25, formulation=formulation, **TIGHT)
    assert worst_error(run, BRICARD) < 1e-8
    assert run.certificate["energy_drift"] < 1e-8


@pytest.mark.parametrize("name", [*PLANAR, *SPATIAL])
def test_every_kind_against_minimal_coordinates(name: str) -> None:
    case = (PLANAR | SPATIAL)[name]()
    formulations = list(CLOSINGS.values())
    if any(joint.kind.name == "cam" for joint in case.model.joints.values()):
        formulations.remove(METHODS["articulated"])
        with pytest.raises(mb.ModelError, match="articulated does not take cams"):
            case.model.run(0.1, formulation="articulated")
    found = errors(case, formulations)
    assert max(found.values()) < 1e-8, found


# --- the arm ----------------------------------------------------------------------------------------------------------


@each
def test_arm_with_a_driven_joint_and_two_free_ones(formulation: Any) -> None:
    run = mb.load("rrc-arm").run(until=5, formulation=formulation, rtol=1e-11, atol=1e-12)
    for t, (q4, q6, torque, second, fourth) in ARM_1.items():
        here = run.at(t)
        assert (float(here["joint4"]), float(here["joint6"])) == pytest.approx((q4, q6), abs=1e-8)
        assert float(here["joint2.effort"]) == pytest.approx(torque, rel=1e-8)
        assert here["joint2.reaction.force"] == pytest.approx(second, rel=1e-7, abs=1e-6)
        assert here["joint4.reaction.force"] == pytest.approx(fourth, rel=1e-7, abs=1e-6)
        assert float(here["joint2"]) == pytest.approx(np.pi / 3 * np.sin(np.pi * t / 5), abs=1e-14)  # exact: no unknown
    assert run.certificate["energy_drift"] < 1e-9


@each
def test_arm_that_is_driven_completely(formulation: Any) -> None:
    model = mb.load("rrc-arm", case="1b")
    run = model.run(until=5, formulation=formulation)
    assert any("kinematics" in note for note in run.notes)
    torque = model.inverse(until=5)["joint2"]
    for t, (expected, force) in ARM_1B.items():
        here = run.at(t)
        assert float(here["joint2.effort"]) == pytest.approx(expected, rel=1e-10)
        assert here["joint2.reaction.force"] == pytest.approx(force, rel=1e-9, abs=1e-9)
        assert float(torque.interp(time=t)) == pytest.approx(expected, rel=1e-4)


@each
def test_arm_with_a_stiff_spring_at_its_tip(formulation: Any) -> None:
    run = mb.load("rrc-arm", case="2").run(until=1, formulation=formulation, rtol=1e-11, atol=1e-12)
    for t, (q6, rate, torque) in ARM_2.items():
        here = run.at(t)
        assert float(here["joint6"]) == pytest.approx(q6, abs=1e-9)
        assert float(here["joint6.rate"]) == pytest.approx(rate, abs=1e-6)
        assert float(here["joint4.effort"]) == pytest.approx(torque, abs=1e-4)


# --- velocity transformation ------------------------------------------------------------------------------------------


@each
def test_released_pendulum(formulation: Any) -> None:
    run = mb.load("pendulum").run(until=5, formulation=formulation, **TIGHT)
    assert worst_error(run, RELEASED) < 1e-8


@every
def test_tilted_four_bar_with_the_multipliers_of_its_cut_ball(formulation: Any) -> None:
    run = mb.load("tilted-four-bar").run(until=5, formulation=formulation, rtol=1e-11, atol=1e-12)
    rows = run.tables.joint_rows["C"]
    for t, (angles, rates, multipliers) in TILTED.items():
        here = run.at(t)
        found = [float(here[path]) for path in ("O2", "A.angle1", "O4", "O2.rate", "A.angle1.rate", "O4.rate")]
        assert found == pytest.approx([*angles, *rates], abs=1e-7 if t == 5 else 1e-8)
        assert float(here["A.angle2"]) == pytest.approx(0.3, abs=1e-9)
        # the paper's Φ is coupler − follower, ours second − first: what the ball does to the follower is the paper's λ
        assert here["C.reaction.force"] == pytest.approx(multipliers, rel=1e-6, abs=1e-6)
        assert -here.motion.dynamics.multipliers[0, list(rows)] == pytest.approx(multipliers, rel=1e-6, abs=1e-6)


def test_a_reference_can_fail() -> None:
    run = mb.load("tilted-four-bar", l3=1.001).run(until=0.5, formulation="recursive")
    assert abs(float(run.at(0.5)["O4"]) - TILTED[0.5][0][2]) > 1e-4
    heavier = mb.load("pendulum", l=1.001).run(until=5, formulation="articulated")
    assert max(errors_at(heavier, RELEASED).values()) > 1e-3
