"""The data of the papers' examples: poses, velocities and energies of the models along independently computed motions.

The motions are solutions of the equations of motion in as few coordinates as there are degrees of freedom. Here the
free coordinates are held at their values; the rest of the pose, all velocities, and what is conserved must come out.
"""

import numpy as np
import pytest

from library.states import Reading, e, references
from multibody.analyses.assembly.assemble import assemble
from multibody.library import find
from multibody.state.poses import read_pose


def hold(model, **values):
    """Return a reading with the given coordinates (and rates, `NAME_rate`) held; dots are written ``__``."""
    paths = {k.replace("__", ".").replace("_rate", ".rate"): v for k, v in values.items()}
    model.initial(paths)
    return Reading(assemble(model))


def bodies(reading):
    """Yield mass, inertia, rotation, place, velocity and angular velocity (body axes) of every body."""
    tables, v = reading.tables, reading.state.v
    d, width = tables.dimension, tables.width
    for b in range(1, len(tables.bodies)):
        at_mass, at_inertia = tables.masses[b - 1]
        r, A = read_pose(reading.system, reading.state.q, b)
        J = tables.matrix(at_inertia) if d == 3 else np.array([[tables.F[at_inertia]]])
        own = v[width * (b - 1) : width * b]
        yield tables.F[at_mass], J, A, r, own[:d], own[d:]


def kinetic(reading):
    """Return the kinetic energy."""
    return sum(0.5 * m * (u @ u) + 0.5 * w @ J @ w for m, J, _, _, u, w in bodies(reading))


def height(reading, axis=1):
    """Return Σ m y, the potential of gravity over g."""
    return sum(m * r[axis] for m, _, _, r, _, _ in bodies(reading))


def constant(values, tolerance=1e-9):
    """Check that a quantity keeps its value, relative to its size."""
    assert np.ptp(values) <= tolerance * max(1.0, np.max(np.abs(values))), values


def test_the_engine():
    for row in references("engine"):
        reading = hold(find("engine")(n=1), O1=row["theta"] % (2 * np.pi), O1_rate=row["omega"])
        assert reading.joint("S1") == pytest.approx((row["piston_x"], row["piston_v"]), abs=1e-11)
        assert kinetic(reading) == pytest.approx(row["energy"], rel=1e-11)
        omega = reading.state.v[9:12]
        assert omega == pytest.approx([0.0, 0.0, row["phidot"]], abs=1e-10)


def test_engines_of_both_dimensions_and_data_agree():
    for data, radius, rod, start in (("paper", 0.04, 0.12, 0.5), ("peer", 0.05, 0.2, 0.0)):
        x = radius * np.cos(start) + np.sqrt(rod**2 - radius**2 * np.sin(start) ** 2)
        energies = []
        for dimension in (2, 3):
            reading = Reading(assemble(find("engine")(n=2, data=data, dimension=dimension)))
            assert reading.joint("S2")[0] == pytest.approx(x, abs=1e-12)
            assert reading.joint("O2") == pytest.approx((start, 15.0), abs=1e-12)
            energies.append(kinetic(reading))
        assert energies[0] == pytest.approx(energies[1], rel=1e-12)
    # ½ J_c ω² + rod (center of mass r/2 ω, turning at −r/l ω), piston at rest, two sets
    omega, own = 15.0, 0.5 * 0.01 + 0.5 * 0.5 * 0.025**2 + 0.5 * 0.002 * 0.25**2
    assert energies[0] == pytest.approx(2 * own * omega**2, rel=1e-12)


def test_the_double_pendulum():
    power = []
    for row in references("double-pendulum"):
        reading = hold(
            find("double-pendulum")(), link1__angle=row["theta1"], link2__angle=row["theta2"],
            link1__angle_rate=row["omega1"], link2__angle_rate=row["omega2"],
        )  # fmt: skip
        assert reading.center("link1")[0] == pytest.approx([row["x1"], row["y1"]], abs=1e-12)
        assert reading.center("link2")[0] == pytest.approx([row["x2"], row["y2"]], abs=1e-12)
        tip = reading.point("link2", "P")
        power.append(kinetic(reading) - 10 * row["theta1"] - 8 * tip[0] - 7 * tip[1])
    constant(power)


@pytest.mark.parametrize(("name", "g"), [("four-bar", 0.0), ("four-bar-singular", 9.81)])
def test_the_planar_four_bars(name, g):
    energies = []
    for row in references(name):
        reading = hold(find(name)(start=row["theta1"]), O1_rate=row["omega1"])
        assert reading.angle("link2")[0] == pytest.approx(row["theta2"], abs=1e-11)
        assert reading.angle("link3")[0] == pytest.approx(row["theta3"], abs=1e-11)
        position, _ = reading.center("link2")
        assert position == pytest.approx([row["x2"], row["y2"]], abs=1e-11)
        if "omega2" in row:
            assert reading.angle("link2")[1] == pytest.approx(row["omega2"], abs=1e-10)
            assert reading.angle("link3")[1] == pytest.approx(row["omega3"], abs=1e-10)
        force = reading.point("link2", "P")
        spring = 50 * (row["theta1"] - 0.524) ** 2
        energies.append(kinetic(reading) + g * height(reading) + spring - 80 * force[0] - 70 * force[1])
    constant(energies)
    if name == "four-bar":  # the other one counts the load's potential from elsewhere
        assert energies[0] == pytest.approx(row["energy"], rel=1e-9)


@pytest.mark.parametrize("name", ["spatial-four-bar", "spatial-four-bar-haug"])
def test_the_spatial_four_bars(name):
    for row in references(name):
        model = find(name)()
        model.initial(guess={"D": row["theta3"] + 0.02})
        reading = hold(model, O=row["theta1"], O_rate=row["theta1dot"])
        assert reading.joint("D") == pytest.approx((row["theta3"], row["theta3dot"]), abs=1e-11)
        position, velocity = reading.center("coupler")
        assert position == pytest.approx([row["x2"], row["y2"], row["z2"]], abs=1e-11)
        assert velocity == pytest.approx(row["v2"], abs=1e-11)
        energy = kinetic(reading) + 9.81 * height(reading) + 0.5 * row["theta1"] ** 2
        assert energy == pytest.approx(row["energy"], rel=1e-9)


def test_the_tilted_four_bar():
    energies = []
    for row in references("tilted-four-bar"):
        theta2, theta31, theta32, theta4 = row["q"]
        model = find("tilted-four-bar")()
        model.initial(guess={"A.angle1": theta31 + 0.02, "O4": theta4 - 0.02})
        reading = hold(model, O2=theta2, O2_rate=row["u"][0])
        found = [reading.joint("A", "angle1"), reading.joint("A", "angle2"), reading.joint("O4")]
        turns = np.array([2 * np.pi * np.round((found[0][0] - theta31) / (2 * np.pi)), 0.0, 0.0])
        assert [x for x, _ in found] - turns == pytest.approx([theta31, theta32, theta4], abs=1e-10)
        assert [u for _, u in found] == pytest.approx(row["u"][1:], abs=1e-9)
        energies.append(kinetic(reading) + 9.81 * height(reading))
    constant(energies)


def test_the_pendulum():
    energies = [0.0]
    for row in references("pendulum"):
        reading = hold(find("pendulum")(), O=row["theta"], O_rate=row["omega"])
        assert reading.center("rod")[0] == pytest.approx(0.5 * e(row["theta"]), abs=1e-12)
        energies.append(kinetic(reading) + 9.81 * height(reading))
    constant(energies)


def test_the_rrc_arm_weighs_what_the_paper_says():
    """At zero, joint 2 carries 275.5 lbf whose moment is 5147 lbf in."""
    model = find("rrc-arm")(case="1b")
    reading = Reading(assemble(model))
    g = 9.80665 / 0.0254
    loads = [(m * g, r[0]) for m, _, _, r, _, _ in bodies(reading)]
    assert sum(w for w, _ in loads[1:]) == pytest.approx(275.5, rel=1e-12)
    assert sum(w * (x - 20.0) for w, x in loads[1:]) == pytest.approx(5147.0, rel=1e-12)
    assert loads[0][0] == pytest.approx(229.5)
    moved = Reading(assemble(model, t=1.0))
    assert moved.joint("joint2")[0] == pytest.approx(0.6155272768301523, abs=1e-12)
    assert moved.point("link7", "tip")[2] == pytest.approx(-56.0 * np.sin(0.6155272768301523))  # positive lowers it


def test_the_cases_of_the_rrc_arm():
    assert set(find("rrc-arm")(case="1").initials) == {"joint4", "joint4.rate", "joint6", "joint6.rate"}
    assert set(find("rrc-arm")(case="2").initials) == {"joint6", "joint6.rate"}
    model = find("rrc-arm")(case=2)
    reading = Reading(assemble(model, t=0.25))
    assert reading.joint("joint4")[0] == pytest.approx(-0.0740480489693061, abs=1e-12)
    start = Reading(assemble(model))
    assert start.point("link7", "tip") - start.point("ground", "anchor") == pytest.approx([0, 0, 1])
    assert model.forces["tip_spring"].fields["length"] == 1.0


def test_the_simple_pendulum():
    for row in references("iftomm-pendulum"):
        reading = hold(find("iftomm-pendulum")(), O=row["theta"], O_rate=row["omega"])
        position, velocity = reading.center("bar")
        assert position == pytest.approx([row["x"], row["y"]], abs=1e-12)
        assert velocity == pytest.approx([row["vx"], row["vy"]], abs=1e-12)
        assert kinetic(reading) + 9.81 * height(reading) == pytest.approx(0.0, abs=1e-10)


def test_the_ladder():
    for row in references("iftomm-n-four-bar"):
        model = find("iftomm-n-four-bar")(n=row["n"])
        theta = row["theta"] % (2 * np.pi)
        if theta > np.pi:
            continue  # beyond the change point: reached by motion, not by assembly
        reading = hold(model, A0=theta, A0_rate=row["omega"])
        assert reading.point("crank0", "end") == pytest.approx([row["B0x"], row["B0y"]], abs=1e-10)
        assert kinetic(reading) + 9.81 * height(reading) == pytest.approx(row["energy"], rel=1e-9)


def test_andrews_mechanism():
    energies = []
    for row in references("iftomm-andrews"):
        model = find("iftomm-andrews")()
        names = ("O", "F", "B", "G", "A5", "H", "A7")
        near = dict(zip(names[1:], np.array(row["q"][1:]) + 0.01, strict=True))
        model.initial(guess={k: (x + np.pi) % (2 * np.pi) - np.pi for k, x in near.items()})
        beta = (row["q"][0] + np.pi) % (2 * np.pi) - np.pi
        reading = hold(model, O=beta, O_rate=row["v"][0])
        found = np.array([reading.joint(name) for name in names])
        difference = found[:, 0] - row["q"]
        assert difference - 2 * np.pi * np.round(difference / (2 * np.pi)) == pytest.approx(np.zeros(7), abs=2e-9)
        assert found[:, 1] == pytest.approx(row["v"], rel=1e-7, abs=1e-6)
        stretch = np.hypot(*(reading.point("K3", "D") - reading.point("ground", "C"))) - 0.07785
        energies.append(kinetic(reading) + 0.5 * 4530 * stretch**2 - 0.033 * row["q"][0])
    constant(energies, 1e-7)


def test_bricards_mechanism():
    for row in references("iftomm-bricard"):
        a, b = row["a"], row["b"]
        assert np.sin(a) + np.sin(b) + np.sin(a) * np.sin(b) == pytest.approx(0.0, abs=1e-9)
        state = None
        for part in np.linspace(0.0, 1.0, 9)[1:]:  # along the motion: its branches meet elsewhere
            model = find("iftomm-bricard")(section=0.0)
            model.initial({"J0": part * a, "J0.rate": row["adot"]})
            state = assemble(model, initial=state)
        reading = Reading(state)
        signs = np.array([reading.joint(f"J{k}")[0] for k in range(6)]) / np.array([a, b, a, b, a, b])
        assert np.abs(signs) == pytest.approx(np.ones(6), abs=1e-9)
        for k in range(1, 5):
            assert reading.point(f"rod{k}", "end") == pytest.approx(row[f"P{k}"], abs=1e-9)
        assert kinetic(reading) + 9.81 * height(reading) == pytest.approx(row["energy"], abs=1e-7)


def test_thick_rods_of_bricards_mechanism():
    masses = [J for _, J, *_ in bodies(Reading(assemble(find("iftomm-bricard")())))]
    for J, axis in zip(masses, (0, 1, 2, 0, 1), strict=True):
        expected = np.full(3, 1.01 / 12)
        expected[axis] = 0.01 / 6
        assert np.asarray(J) == pytest.approx(np.diag(expected), rel=1e-12)


def test_the_flyball_governor():
    spins = []
    start = {"psi": 0.0, "beta": np.pi / 6, "s": 0.5, "omega": 2 * np.pi, "betadot": 0.0, "sdot": 0.0}
    for row in [start, *references("iftomm-flyball")]:
        psi = (row["psi"] + np.pi) % (2 * np.pi) - np.pi
        reading = hold(
            find("iftomm-flyball")(), spin=psi, spin_rate=row["omega"], slide=row["s"], slide_rate=row["sdot"],
            hinge1=row["beta"], hinge1_rate=row["betadot"], hinge2=row["beta"], hinge2_rate=row["betadot"],
        )  # fmt: skip
        out, up = 0.05 + np.cos(row["beta"]), 1 - np.sin(row["beta"])
        c, s = np.cos(psi), np.sin(psi)
        assert reading.point("rod1", "ball") == pytest.approx([out * c, out * s, up], abs=1e-11)
        assert reading.point("rod2", "ball") == pytest.approx([-out * c, -out * s, up], abs=1e-11)
        assert reading.point("slider", "side1") == pytest.approx([0.05 * c, 0.05 * s, row["s"]], abs=1e-11)
        spins.append(sum((m * np.cross(r, u) + A @ J @ w)[2] for m, J, A, r, u, w in bodies(reading)))
    constant(spins)
    stretch = np.linalg.norm(np.array([0.5 * np.cos(np.pi / 6), 0.25 - 0.5]))
    assert stretch == pytest.approx(0.5)  # the springs start at their free length
    assert sum(m for m, *_ in bodies(reading)) == pytest.approx(0.3 + 2 * 5.3 + 3.0)


def test_the_seven_joint_arm_stands_upright():
    reading = Reading(assemble(find("arm7")()))
    for k, (m, J, _, r, _, _) in enumerate(bodies(reading)):
        assert r == pytest.approx([0.0, 0.0, 0.3 * k + 0.15], abs=1e-12)
        assert np.diag(J) == pytest.approx(m * np.array([0.05, 0.05, 0.02]))
    axes = [reading.tables.matrix(end.axes)[:, 2] for _, end in reading.tables.ends.values()]
    assert np.array(axes) == pytest.approx(np.array([[0, 0, 1], [0, 1, 0]] * 3 + [[0, 0, 1]]))


def test_the_chain_is_one_meter_and_one_kilogram():
    reading = Reading(assemble(find("chain")(n=8)))
    assert sum(m for m, *_ in bodies(reading)) == pytest.approx(1.0)
    assert reading.point("link8", "end") == pytest.approx([1.0, 0.0], abs=1e-12)
    assert next(bodies(reading))[1][0, 0] == pytest.approx(0.125**3 / 12)
