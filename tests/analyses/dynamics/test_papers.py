"""The papers' examples and the IFToMM benchmark problems against independently integrated minimal-coordinate equations.

The numbers were computed twice, with SciPy's DOP853 at 1e-13 and with an extrapolation method in extended precision, from
equations of motion in as many coordinates as there are degrees of freedom; both agree to 1e-11 or better.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import multibody as mb
from analyses.dynamics.checks import FORMULATIONS, errors_at, worst_error

# fmt: off
# Park, Yoo, Hwang, Bae 1997, example 1: double pendulum
EXAMPLE_1 = {
    5: {
        "link1.angle": 1.797947080149, "link2.angle": 1.088233021975, "link1.angle.rate": -0.08640812984764,
        "link2.angle.rate": 0.204430486091, "link1.angle.acceleration": -0.1579125690854,
        "link2.angle.acceleration": -0.2196711857015,
    },
    10: {
        "link1.angle": 0.6504490974269, "link2.angle": 0.3428507629219, "link1.angle.rate": -0.09808849399244,
        "link2.angle.rate": 0.07510361909876, "link1.angle.acceleration": 0.2074045939836,
        "link2.angle.acceleration": 0.1881420605023,
    },
    50: {
        "link1.angle": 0.8515576632468, "link2.angle": 0.5415951862268, "link1.angle.rate": -0.4197691553369,
        "link2.angle.rate": 0.2198721981095, "link1.angle.acceleration": 0.1306415467607,
        "link2.angle.acceleration": 0.102185287556,
    },
}
# example 2, case II: four-bar without a change point
EXAMPLE_2_II = {
    1: {
        "link1.angle": 0.5270431510358, "link2.angle": -0.08919856058664, "link3.angle": 0.4267336901294,
        "link1.angle.rate": -0.7062427298267, "link3.angle.rate": -0.8273883744636, "link1.angle.acceleration": 0.7951217536088,
        "link2.x": 2.724620610031, "link2.y": 0.9168795649621,
    },
    5: {
        "link1.angle": 0.2986776121075, "link2.angle": -0.1671507868765, "link3.angle": 0.1282342571659,
        "link1.angle.rate": 0.07870019901708, "link3.angle.rate": 0.1214298314043, "link1.angle.acceleration": 1.076915247631,
        "link2.x": 2.897515694437, "link2.y": 0.422139721365,
    },
    10: {
        "link1.angle": 1.085653993306, "link2.angle": -0.02798908298133, "link3.angle": 1.02868866896,
        "link1.angle.rate": -0.2418431434692, "link3.angle.rate": -0.2492274136505, "link1.angle.acceleration": -1.592325919447,
        "link2.x": 1.932276878383, "link2.y": 1.741231737435,
    },
}
# example 2, case I as printed, without gravity: it does not reach the change point
EXAMPLE_2_I = {
    1: {
        "link1.angle": 0.4910556653964, "link2.angle": 0.0, "link3.angle": 0.4910556653964,
        "link1.angle.rate": -0.7112594164409, "link2.x": 2.763671087178, "link2.y": 0.9431141480508,
    },
    5: {
        "link1.angle": 0.3266882915304, "link2.angle": 0.0, "link3.angle": 0.3266882915304,
        "link1.angle.rate": 0.4244953317728, "link2.x": 2.894220579589, "link2.y": 0.6418164814496,
    },
    10: {
        "link1.angle": 0.8130729054172, "link2.angle": 0.0, "link3.angle": 0.8130729054172,
        "link1.angle.rate": -0.718957935478, "link2.x": 2.374539030191, "link2.y": 1.452805029755,
    },
}
# example 2, case I with gravity: six passages through the change point in ten seconds
EXAMPLE_2_I_GRAVITY = {
    0.5: {
        "link1.angle": 0.6368925662547, "link2.angle": 0.0, "link3.angle": 0.6368925662547,
        "link1.angle.rate": -1.596849561398, "link2.x": 2.607895255183, "link2.y": 1.189400205296,
    },
    1: {
        "link1.angle": -0.410115835212, "link2.angle": 0.0, "link3.angle": -0.410115835212,
        "link1.angle.rate": -2.319171420706, "link2.x": 2.834149287336, "link2.y": -0.7974311203897,
    },
    2: {
        "link1.angle": -1.335702093027, "link2.angle": 0.0, "link3.angle": -1.335702093027,
        "link1.angle.rate": 1.088216659149, "link2.x": 1.465869256339, "link2.y": -1.944984790686,
    },
    5: {
        "link1.angle": -1.33862250284, "link2.angle": 0.0, "link3.angle": -1.33862250284,
        "link1.angle.rate": -1.077337384639, "link2.x": 1.460187125094, "link2.y": -1.946337023719,
    },
    10: {
        "link1.angle": 0.6433301069537, "link2.angle": 0.0, "link3.angle": 0.6433301069537,
        "link1.angle.rate": 1.58554288511, "link2.x": 2.600205178813, "link2.y": 1.199726379513,
    },
}
CROSSINGS = (0.8225871993505, 2.676064229526, 4.321238628227, 6.174715658403, 7.819890057104, 9.673367087279)
# example 3: spatial four-bar with the lengths of the paper
EXAMPLE_3_A = {
    1: {
        "O": 0.4342351525237, "D": 0.3522460636424, "O.rate": 0.9651407999081,
        "O.acceleration": 1.310928523067, "coupler.x": 3.654993168347, "coupler.y": 3.517883512813,
        "coupler.z": -0.09280790830579, "coupler.x.rate": -0.578703812345,
    },
    2: {
        "O": 1.693447539104, "D": 0.5804681001198, "O.rate": 0.8491191009778,
        "O.acceleration": -1.875467441132, "coupler.x": 3.451584574997, "coupler.y": 2.843718263652,
        "coupler.z": -1.122343929958, "coupler.x.rate": 0.1875466027712,
    },
    5: {
        "O": 1.271585915305, "D": 0.6301985302988, "O.rate": 0.3018104558482,
        "O.acceleration": 0.08950878896881, "coupler.x": 3.410694835727, "coupler.y": 2.852340998645,
        "coupler.z": -0.7052342080961, "coupler.x.rate": -0.007314717751307,
    },
    10: {
        "O": 1.391557419939, "D": 0.6287104244551, "O.rate": -0.02255811225847,
        "O.acceleration": -0.0300031473275, "coupler.x": 3.411897744159, "coupler.y": 2.824806916893,
        "coupler.z": -0.8217192750444, "coupler.x.rate": -0.0009974045036085,
    },
}
# example 3 with Haug's geometry
EXAMPLE_3_B = {
    1: {
        "O": 0.6642800538352, "D": 0.2512505880299, "O.rate": 1.554987204236,
        "O.acceleration": 2.570744008646, "coupler.x": -4.503054257635, "coupler.y": 3.500241104927,
        "coupler.z": 4.866492435138, "coupler.x.rate": -0.9546281957997,
    },
    2: {
        "O": 1.774832714933, "D": 0.0418240170845, "O.rate": 0.2390173783814,
        "O.acceleration": -0.9558403024723, "coupler.x": -3.884358061083, "coupler.y": 2.971363561656,
        "coupler.z": 5.229256689667, "coupler.x.rate": 0.5047235918195,
    },
    5: {
        "O": 1.380742703893, "D": 0.239412909363, "O.rate": 0.2748523590709,
        "O.acceleration": -1.160629704046, "coupler.x": -4.470765427466, "coupler.y": 2.931231410414,
        "coupler.z": 5.231994106543, "coupler.x.rate": 0.2393735343591,
    },
    10: {
        "O": 1.237029204817, "D": 0.275154336417, "O.rate": 0.0119514444448,
        "O.acceleration": -0.1945102705473, "coupler.x": -4.567181014702, "coupler.y": 2.979883152281,
        "coupler.z": 5.194814924068, "coupler.x.rate": 0.005743852838822,
    },
}
PATHS = {
    "double-pendulum": (EXAMPLE_1, {}),
    "four-bar": (EXAMPLE_2_II, {}),
    "four-bar-literal": (EXAMPLE_2_I, {"g": 0.0}),
    "spatial-four-bar": (EXAMPLE_3_A, {}),
    "spatial-four-bar-haug": (EXAMPLE_3_B, {}),
}
# Lee, Lee, Bae 2013, in-line engine with one cylinder: motion, then all joint forces
ENGINE = {
    0.05: {
        "O1": 1.219487969272, "O1.rate": 14.0117321393, "O1.acceleration": -3.754300266843,
        "piston1.x": 0.1277364484151, "piston1.x.rate": -0.589794785435, "piston1.x.acceleration": -0.4764991223765,
        "O1.reaction.force.x": -1.358139731214, "O1.reaction.force.y": -2.341875321153, "A1.reaction.force.x": -1.358139731214,
        "A1.reaction.force.y": -2.341875321153, "B1.reaction.force.x": -0.2382495611883, "B1.reaction.force.y": 0.628196389847,
        "S1.reaction.force.y": -0.628196389847,
    },
    0.1: {
        "O1": 1.928112126443, "O1.rate": 14.5334809803, "O1.acceleration": 19.7961929133,
        "piston1.x": 0.1000083922321, "piston1.x.rate": -0.477782985688, "piston1.x.acceleration": 4.504335918015,
        "O1.reaction.force.x": 4.038336915243, "O1.reaction.force.y": -3.741835518717, "A1.reaction.force.x": 4.038336915243,
        "A1.reaction.force.y": -3.741835518717, "B1.reaction.force.x": 2.252167959008, "B1.reaction.force.y": -0.4649553489705,
        "S1.reaction.force.y": 0.4649553489705,
    },
    0.5: {
        "O1": 7.860069869986, "O1.rate": 14.12711545801, "O1.acceleration": 11.89427878209,
        "piston1.x": 0.1128938191509, "piston1.x.rate": -0.5638578243838, "piston1.x.acceleration": 2.39605732876,
        "O1.reaction.force.x": 1.506376069886, "O1.reaction.force.y": -3.213315794644, "A1.reaction.force.x": 1.506376069886,
        "A1.reaction.force.y": -3.213315794644, "B1.reaction.force.x": 1.19802866438, "B1.reaction.force.y": -0.01901008085153,
        "S1.reaction.force.y": 0.01901008085153,
    },
    1.0: {
        "O1": 15.25957566524, "O1.rate": 15.43709998381, "O1.acceleration": 11.31746326018,
        "piston1.x": 0.08269460882642, "piston1.x.rate": -0.1864259007717, "piston1.x.acceleration": 6.393447605005,
        "O1.reaction.force.x": 7.832865813871, "O1.reaction.force.y": -2.198272169586, "A1.reaction.force.x": 7.832865813871,
        "A1.reaction.force.y": -2.198272169586, "B1.reaction.force.x": 3.196723802503, "B1.reaction.force.y": -0.3821661064293,
        "S1.reaction.force.y": 0.3821661064293,
    },
}
# IFToMM A01
PENDULUM = {
    1: {
        "O": 6.117416291909, "O.rate": 1.799309016907, "bar.x": 0.9862917511319,
        "bar.y": -0.1650108531255, "bar.x.rate": 0.2969055159163, "bar.y.rate": 1.774643641113,
    },
    5: {
        "O": 3.482937168899, "O.rate": 2.562787568193, "bar.x": -0.9423054350438,
        "bar.y": -0.334754338414, "bar.x.rate": 0.8579042568859, "bar.y.rate": -2.41492865437,
    },
    10: {
        "O": 4.433708306815, "O.rate": 4.343160692865, "bar.x": -0.2750874625761,
        "bar.y": -0.9614192050991, "bar.x.rate": 4.175598100952, "bar.y.rate": -1.19474905456,
    },
}
# IFToMM A02, N = 2 and 40: (θ, θ̇) of all cranks, from ((N + 1)/3 + N) θ̈ = −g ((N + 1)/2 + N) cos θ
N_FOUR_BAR = {
    2: {
        1: (-1.76707447631, -6.807385240869), 2: (-4.770237034517, -1.018964591439),
        5: (-15.08355715986, -6.10506755352), 10: (-30.17980086019, -1.506642180842),
    },
    40: {
        1: (-1.686410598115, -6.714814880724), 2: (-4.746862115241, -1.006549203626),
        5: (-14.70782987014, -6.460001180757), 10: (-30.02663741719, -1.167622108752),
    },
}
# IFToMM A03 at 0.03 s: β, Θ, γ, Φ, δ, Ω, ε
ANDREWS = {
    0.03: {
        "O": 15.81077119515, "F": -15.75637105841, "B": 0.04082224011965,
        "G": -0.5347301163421, "A5": 0.52440996588, "H": 0.5347301163421,
        "A7": 1.048080741042, "O.rate": 1139.920302259,
    },
}
# IFToMM A04 with slender rods: third point of the linkage, and the first angle
BRICARD = {
    0.5: {
        "rod3.end.x": 0.9681538711728, "rod3.end.y": -1.225035436322,
        "rod3.end.z": 0.7496440898776, "J0": 0.2530478549893,
        "J0.rate": 1.035714156764,
    },
    1: {
        "rod3.end.x": 0.5086647602301, "rod3.end.y": -1.649827063211,
        "rod3.end.z": 0.1390353307481, "J0": 1.03716311306,
        "J0.rate": 2.040336408454,
    },
    2: {
        "rod3.end.x": -0.9698920037897, "rod3.end.y": -1.219455140946,
        "rod3.end.z": 0.7564645796096, "J0": 2.895583292026,
        "J0.rate": 1.020614671934,
    },
    3.25: {
        "rod3.end.x": -0.8299858162799, "rod3.end.y": -1.45449956804,
        "rod3.end.z": 0.4422155032863, "J0": 2.549878582008,
        "J0.rate": -1.596859275604,
    },
}
# fmt: on


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("name", PATHS)
def test_examples_of_the_null_space_paper(name: str, formulation: str) -> None:
    reference, parameters = PATHS[name]
    model = mb.load("four-bar-singular" if name == "four-bar-literal" else name, **parameters)
    run = model.run(until=max(reference), formulation=formulation, rtol=1e-10, atol=1e-12)
    assert worst_error(run, reference) < 1e-8
    assert run.certificate["position_violation"] < 1e-8
    assert run.certificate["energy_drift"] < 1e-8


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_the_change_point_is_passed_on_the_parallelogram(formulation: str) -> None:
    model = mb.load("four-bar-singular")
    model.event("flat", "link1.angle")
    run = model.run(until=10, formulation=formulation, rtol=1e-10, atol=1e-12)
    assert worst_error(run, EXAMPLE_2_I_GRAVITY) < 1e-6
    assert np.max(np.abs(run["link2.angle"].values)) < 1e-6
    assert np.max(np.abs(run["link3.angle"].values - run["link1.angle"].values)) < 1e-6
    assert run.certificate["energy_drift"] < 1e-6
    assert [e.time for e in run.events] == pytest.approx(CROSSINGS, abs=1e-7)


@pytest.mark.parametrize("formulation", ["augmented", "kane"])
def test_the_change_point_at_usual_tolerances(formulation: str) -> None:
    run = mb.load("four-bar-singular").run(until=10, formulation=formulation)
    assert worst_error(run, EXAMPLE_2_I_GRAVITY) < 1e-5
    assert np.max(np.abs(run["link2.angle"].values)) < 1e-5


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("dimension", [2, 3])
def test_engine_with_all_joint_forces(dimension: int, formulation: str) -> None:
    model = mb.load("engine", dimension=dimension)
    run = model.run(until=1, formulation=formulation, rtol=1e-11, atol=1e-12)
    assert worst_error(run, ENGINE) < 1e-7  # accelerations and forces are 10 to 100 times as sensitive as positions
    motion = {t: {path: values[path] for path in ("O1", "O1.rate", "piston1.x")} for t, values in ENGINE.items()}
    assert worst_error(run, motion) < 1e-9
    if dimension == 3:
        assert len(run.motion.dynamics.rows) == 17  # of 20


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_simple_pendulum_without_inertia_about_its_center(formulation: str) -> None:
    run = mb.load("iftomm-pendulum").run(until=10, formulation=formulation, rtol=1e-10, atol=1e-12)
    assert worst_error(run, PENDULUM) < 1e-8
    pull = -np.einsum("ti,ti->t", run["O.reaction.force"].values, run.point("bar.com").position.values)
    assert pull == pytest.approx(-3 * 9.81 * run["bar.y"].values, abs=1e-6)  # tension 3 m g times the depth
    assert run.certificate["energy_drift"] < 1e-8


def upright(n: int, start: tuple[float, float] = (math.pi / 2, -1.0)) -> dict[float, tuple[float, float]]:
    """Return the angle and rate of the cranks of the N-four-bar by its equation in one coordinate."""
    from scipy.integrate import solve_ivp

    inertia, weight = (n + 1) / 3 + n, 9.81 * ((n + 1) / 2 + n)
    found = solve_ivp(
        lambda t, y: [y[1], -weight * math.cos(y[0]) / inertia], (0, 10), start, "DOP853", (1, 2, 5, 10), rtol=1e-13, atol=1e-13
    )
    return {float(t): (float(y[0]), float(y[1])) for t, y in zip(found.t, found.y.T, strict=True)}


def test_the_equation_of_the_n_four_bar_agrees_with_the_numbers() -> None:
    for n, numbers in N_FOUR_BAR.items():
        found = upright(n)
        for t, values in numbers.items():
            assert found[t] == pytest.approx(values, abs=1e-9)


def check_n_four_bar(n: int, run: mb.Run, tolerance: float) -> None:
    """Assert that all cranks go with the equation in one coordinate and that the couplers stay level."""
    reference = {
        t: {"A0": theta, f"A{n}": theta, "A0.rate": omega, f"crank{n}.angle.rate": omega}
        for t, (theta, omega) in upright(n).items()
    }
    assert worst_error(run, reference) < tolerance
    for k in (0, n - 1):
        assert np.max(np.abs(run[f"coupler{k}.angle"].values)) < 10 * tolerance
    assert run.certificate["energy_drift"] < tolerance


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("n", [1, 2, 10])
def test_n_four_bar_stays_on_its_branch(n: int, formulation: str) -> None:
    run = mb.load("iftomm-n-four-bar", n=n).run(until=10, formulation=formulation, rtol=1e-11)
    check_n_four_bar(n, run, 1e-6)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_what_lies_within_a_step_across_a_change_point(formulation: str) -> None:
    run = mb.load("iftomm-n-four-bar", n=2).run(until=3, formulation=formulation, rtol=1e-10, output_step=0.005)
    assert run.certificate["energy_drift"] < 1e-7  # read from dense output every 5 ms, with two passages


def test_n_four_bar_of_forty() -> None:
    run = mb.load("iftomm-n-four-bar", n=40).run(until=10)
    check_n_four_bar(40, run, 1e-5)


def test_andrews_squeezer() -> None:
    run = mb.load("iftomm-andrews").run(until=0.03, rtol=1e-10, atol=1e-12)
    assert worst_error(run, ANDREWS) < 1e-8
    start = run.at(0.0)  # first accelerations of the stiff test set
    assert float(start["O.acceleration"]) == pytest.approx(14222.443919954, rel=1e-9)
    assert float(start["F.acceleration"]) == pytest.approx(-10666.832939966, rel=1e-9)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_bricard_linkage_of_slender_rods(formulation: str) -> None:
    run = mb.load("iftomm-bricard", section=0.0).run(until=3.25, formulation=formulation, rtol=1e-10, atol=1e-12)
    assert worst_error(run, BRICARD) < 1e-8
    a, b = run["J0"].values, run["J1"].values
    assert np.max(np.abs(np.sin(a) + np.sin(b) + np.sin(a) * np.sin(b))) < 1e-8
    for k in range(2, 6):
        assert np.max(np.abs(run[f"J{k}"].values - (b if k % 2 else a))) < 1e-8
    assert run.certificate["energy_drift"] < 1e-8


def test_a_reference_can_fail() -> None:
    run = mb.load("four-bar", load_at=0.05).run(until=10)  # the force acts elsewhere
    assert max(errors_at(run, EXAMPLE_2_II).values()) > 1e-3
