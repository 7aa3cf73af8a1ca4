"""Positions and velocities of the library's driven mechanisms against what mathematics says about them."""

import numpy as np
import pytest
from scipy.optimize import brentq, minimize_scalar

import multibody as mb
from library.states import Reading, e, references
from multibody.analyses.assembly.assemble import assemble
from multibody.library import find
from multibody.state.poses import matrix_of
from multibody.state.system import System


def readings(model, times, state=None):
    """Yield a reading at each time, each assembled from the one before, so that the branch is kept."""
    for t in times:
        state = assemble(model, initial=state, t=t) if state is not None else assemble(model, t=t)
        yield t, Reading(state)


def revolution(model, count=24):
    """Return the times of the model's own kinematics, evenly spaced."""
    return np.linspace(0.0, model.defaults["kinematics"]["until"], count + 1)


def close(actual, expected, tolerance=1e-12):
    """Check equality, relative to the largest number where that is above one."""
    scale = max(1.0, float(np.max(np.abs(expected))))
    assert np.max(np.abs(np.subtract(actual, expected))) <= tolerance * scale, (actual, expected)


# --- slider-cranks -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "given", "l2", "l3", "h", "omega"),
    [
        ("slider-crank", {}, 0.15, 0.35, 0.0, 150.0),
        ("slider-crank", {"l2": 0.2, "l3": 0.21, "omega": -3.0}, 0.2, 0.21, 0.0, -3.0),
        ("offset-slider-crank", {}, 0.15, 0.35, 0.05, 150.0),
        ("offset-slider-crank", {"h": -0.19}, 0.15, 0.35, -0.19, 150.0),
    ],
)
def test_a_driven_crank(name, given, l2, l3, h, omega):
    model = find(name)(**given)
    for t, reading in readings(model, revolution(model)):
        theta2 = omega * t
        theta3 = np.arcsin((h - l2 * np.sin(theta2)) / l3)
        x = l2 * np.cos(theta2) + np.sqrt(l3**2 - (h - l2 * np.sin(theta2)) ** 2)
        omega3 = -omega * l2 * np.cos(theta2) / (l3 * np.cos(theta3))
        speed = omega * l2 * np.sin(theta3 - theta2) / np.cos(theta3)
        close(reading.joint("O"), (theta2, omega))
        close(reading.angle("rod"), (theta3, omega3), 1e-11)
        close(reading.joint("S"), (x, speed), 1e-11)
        close(reading.center("slider")[0], (x, h))


@pytest.mark.parametrize("name", ["slider-crank", "offset-slider-crank"])
def test_slider_cranks_in_numbers(name):
    for row in references(name):
        reading = Reading(assemble(find(name)(), t=row["t"]))
        close(reading.angle("rod"), (row["theta3"], row["omega3"]))
        close(reading.joint("S"), (row["x"], row["xdot"]))


def test_dead_points_of_the_offset_slider():
    model = find("offset-slider-crank")()
    l2, l3, h = 0.15, 0.35, 0.05
    for sign, theta2 in ((1, np.arcsin(h / (l3 + l2))), (-1, np.pi + np.arcsin(h / (l3 - l2)))):
        reading = Reading(assemble(model, t=theta2 / 150.0))
        close(reading.joint("S"), (np.sqrt((l3 + sign * l2) ** 2 - h**2), 0.0), 1e-11)


def test_a_driven_slider():
    model, l2, l3 = find("driven-slider")(), 0.15, 0.35
    for t, reading in readings(model, revolution(model, 40)):
        x, speed = 0.35 - 0.8 * l2 * np.sin(150 * t), -0.8 * l2 * 150 * np.cos(150 * t)
        theta2 = np.arccos((l2**2 + x**2 - l3**2) / (2 * l2 * x))
        theta3 = np.arcsin(-l2 * np.sin(theta2) / l3)
        omega2 = speed * np.cos(theta3) / (l2 * np.sin(theta3 - theta2))
        omega3 = -omega2 * l2 * np.cos(theta2) / (l3 * np.cos(theta3))
        close(reading.joint("S"), (x, speed))
        close(reading.joint("O"), (theta2, omega2), 1e-11)
        close(reading.angle("rod"), (theta3, omega3), 1e-11)
    for row in references("driven-slider"):
        reading = Reading(assemble(model, t=row["t"]))
        close(reading.joint("O"), (row["theta2"], row["omega2"]))
        close(reading.angle("rod"), (row["theta3"], row["omega3"]))


def test_the_inverted_slider():
    model, l2, d = find("inverted-slider")(), 0.1, 0.3
    for t, reading in readings(model, revolution(model)):
        theta2 = np.pi / 3 + 5 * t
        arm = np.array([d, 0]) + l2 * e(theta2)
        theta3, span = np.arctan2(arm[1], arm[0]), np.hypot(*arm)
        close(reading.joint("O3"), (theta3, 5 * l2 * np.cos(theta3 - theta2) / span), 1e-11)
        close(reading.joint("S"), (span, 5 * l2 * np.sin(theta3 - theta2)), 1e-11)
    first = Reading(assemble(model))
    close(first.joint("O3"), (0.24256387409548527, 0.9615384615384616))
    close(first.joint("S"), (0.36055512754639896, -0.36028834606144605))


# --- links -----------------------------------------------------------------------------------------------------------


def test_shabanas_four_bar_over_a_revolution():
    """Crank angles 0 … 330° on the branch of the guess; the motion starts at 63°."""
    model = find("shabana-four-bar")()
    rows = {row["theta2_deg"]: row for row in references("shabana-four-bar")}
    degrees = [*range(63, 423, 3)]
    checked = 0
    for k, (_, reading) in enumerate(readings(model, [np.radians(d - 63) / 5.0 for d in degrees])):
        theta2 = reading.angle("link2")[0]
        close(theta2, np.radians(degrees[k]))
        a, b, c = (reading.angle(f"link{j}") for j in (2, 3, 4))
        loop = 0.2 * e(a[0]) + 0.35 * e(b[0]) + 0.25 * e(c[0])
        close(loop, (0.35, 0.0))
        row = rows.get(degrees[k] % 360)
        if row is not None:
            checked += 1
            close((b[0], c[0]), (row["theta3"], row["theta4"]))
            close((b[1], c[1]), (row["w3"], row["w4"]), 1e-11)
    assert checked == 12


@pytest.mark.parametrize(
    ("t", "theta", "omega"),
    [
        (0.0, (0.16203002666534394, 4.360304717755604), (-0.39006044899673387, 3.7030932586393606)),
        (0.02, (0.155193843167488, 4.435473035044725), (-0.296332340248, 3.808479116640)),
    ],
)
def test_shabanas_four_bar_in_numbers(t, theta, omega):
    reading = Reading(assemble(find("shabana-four-bar")(), t=t))
    third, fourth = reading.angle("link3"), reading.angle("link4")
    close((third[0], fourth[0]), theta)
    close((third[1], fourth[1]), omega, 1e-11)


def test_newtons_iterations_on_shabanas_four_bar():
    """Three angles and two loop equations, from (63°, 10°, 245°): the steps that the book's method takes."""
    m = mb.Model("loop", dimension=2)
    for k, (name, size) in enumerate((("l1", 0.35), ("l2", 0.2), ("l3", 0.35), ("l4", 0.25)), start=1):
        m.parameter(name, size)
        if k > 1:
            m.revolute(f"O{k}", m.ground, m.body(f"link{k}"))
    m.coupler("x_loop", "l2*cos(O2) + l3*cos(O3) + l4*cos(O4) - l1")
    m.coupler("y_loop", "l2*sin(O2) + l3*sin(O3) + l4*sin(O4)")
    m.motion("O2", "63*deg + 5*t")
    m.initial(guess={"link3.angle": 10 * mb.deg, "link4.angle": 245 * mb.deg})
    state = assemble(m)
    steps = np.array([entry["delta"][[2, 5, 8]] for entry in state.history])
    close(steps[0], (0.0, -9.46458348120487e-3, 0.08649831559414561))
    close(steps[1], (0.0, -3.0388441088891886e-3, -2.256255390614916e-3))
    close(steps[2], (0.0, 5.290706436e-7, 5.990175873e-6), 1e-14)
    assert len(state.history) <= 5 and np.max(np.abs(steps[3])) < 2e-11
    residuals = [entry["residual"] for entry in state.history]
    close(
        residuals[:2],
        (np.hypot(0.02017375193299268, 0.012401220261936704), np.hypot(3.551285568e-4, 8.558098264e-4)),
        1e-12,
    )
    reading = Reading(state)
    close([reading.angle(f"link{k}")[0] for k in (3, 4)], (0.16203002666534394, 4.360304717755604), 1e-14)
    close([reading.angle(f"link{k}")[1] for k in (3, 4)], (-0.39006044899673387, 3.7030932586393606), 1e-13)


def test_the_driven_two_link_arm():
    for row in references("two-link"):
        reading = Reading(assemble(find("two-link")(), t=row["t"]))
        for link, key in (("link2", "R2"), ("link3", "R3")):
            position, velocity = reading.center(link)
            close(position, row[key])
            close(velocity, row[f"{key}d"])


def test_peaucelliers_straight_line():
    model = find("peaucellier")()
    line = (0.4**2 - 0.25**2) / 0.2
    for t, reading in readings(model, revolution(model, 40)):
        x, y = reading.point("b1", "B")
        crank = np.radians(45) * np.sin(2 * np.pi * t)
        close((x, y), (line, line * np.tan(crank / 2)))  # the angle at O is half that at the crank's pivot
        close(reading.point("b2", "B"), (x, y))
        close(np.hypot(*reading.point("crank", "A")) * np.hypot(x, y), 0.4**2 - 0.25**2)


@pytest.mark.parametrize("first", ["+", "-"])
@pytest.mark.parametrize("second", ["+", "-"])
def test_four_assemblies_of_the_six_bar(first, second):
    """Each closes over the whole turn and keeps the signs of both its dyads."""
    guess = {
        "-": {"coupler.angle": 55 * mb.deg, "rocker.angle": 105 * mb.deg},
        "+": {"coupler.angle": -30 * mb.deg, "rocker.angle": -100 * mb.deg},
    }[first]
    model = find("six-bar")()
    model.initial(guess=guess | {"+": {}, "-": {"link5.angle": 110 * mb.deg, "link6.angle": 170 * mb.deg}}[second])
    for _, reading in readings(model, revolution(model, 36)):
        A, E = reading.point("crank", "end"), reading.point("coupler", "E")
        B, F = reading.point("rocker", "end"), reading.point("link6", "end")
        close((np.hypot(*(B - A)), np.hypot(*(F - E))), (0.35, 0.45))
        assert np.sign(_cross(B - A, np.array([0.4, 0.0]) - B)) == (1 if first == "+" else -1)
        assert np.sign(_cross(F - E, np.array([0.4, 0.4]) - F)) == (1 if second == "+" else -1)


def _cross(a, b):
    """Return the planar vector product."""
    return a[0] * b[1] - a[1] * b[0]


# --- gears and cams ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 3, 4])
@pytest.mark.parametrize("drive", ["sun", "carrier"])
def test_willis_equation(n, drive):
    zs, zp = 30, 15
    zr = zs + 2 * zp
    model = find("planetary")(n=n, zs=zs, zp=zp, drive=drive, speed=600)
    driven = 600 * 2 * np.pi / 60
    arm = driven * zs / (zs + zr) if drive == "sun" else driven
    sun = arm * (zs + zr) / zs
    planet = arm - (sun - arm) * zs / zp
    close((zr * (0 - arm), zr * (0 - arm)), (zp * (planet - arm), -zs * (sun - arm)))
    for t, reading in readings(model, [0.0, 0.02, 0.04]):
        close(reading.joint("S"), (sun * t, sun), 1e-11)
        close(reading.joint("C"), (arm * t, arm), 1e-11)
        for k in range(1, n + 1):
            close(reading.angle(f"planet{k}"), (planet * t, planet), 1e-11)
            close(reading.center(f"planet{k}")[0], 0.001 * (zs + zp) * e(2 * np.pi * k / n + arm * t))


@pytest.mark.parametrize("radius", [0.02, -0.05])
def test_a_rack_runs_as_its_pinion_turns(radius):
    model = find("rack-and-pinion")(radius=radius)
    for t, reading in readings(model, revolution(model, 12)):
        angle = np.pi / 2 * np.sin(2 * np.pi * t)
        rate = np.pi**2 * np.cos(2 * np.pi * t)
        close(reading.joint("R"), (radius * angle, radius * rate))
        close(reading.center("rack")[0], (radius * angle, 0.0))


BASE, LIFT, SPEED = 0.03, 0.01, 300 * 2 * np.pi / 60


def radius(phi):
    """Return the profile of the library's cams."""
    return BASE + LIFT * (1 - np.cos(phi)) / 2


def slope(phi):
    """Return its derivative."""
    return LIFT * np.sin(phi) / 2


def test_a_knife_edge_follows_the_profile():
    model = find("cam-knife")()
    for t, reading in readings(model, revolution(model, 36)):
        phi = np.pi / 2 - SPEED * t
        close(reading.joint("guide"), (radius(phi), -SPEED * slope(phi)), 1e-12)
        close(reading.contact(), (phi, -SPEED))


def pitch(phi, roller):
    """Return the pitch curve: the profile offset along its outward normal, in the cam's frame."""
    tangent = slope(phi) * e(phi) + radius(phi) * e(phi + np.pi / 2)
    normal = np.array([tangent[1], -tangent[0]]) / np.hypot(*tangent)
    return radius(phi) * e(phi) + roller * normal


def test_a_roller_follows_the_pitch_curve():
    model, roller = find("cam-roller")(), 0.008

    def lift(theta):
        """Return the height at which the turned pitch curve meets the guide, by the contact angle."""
        middle = np.pi / 2 - theta
        phi = brentq(lambda x: np.dot(e(-theta), pitch(x, roller)), middle - 0.5, middle + 0.5, xtol=1e-15, rtol=1e-14)
        return phi, float(np.dot(e(np.pi / 2 - theta), pitch(phi, roller)))

    for t, reading in readings(model, revolution(model, 36)):
        theta, step = SPEED * t, 1e-3
        phi, height = lift(theta)
        around = [lift(theta + k * step)[1] for k in (-2, -1, 1, 2)]
        rate = SPEED * (around[0] - 8 * around[1] + 8 * around[2] - around[3]) / (12 * step)
        place, speed = reading.joint("guide")
        close(place, height)
        close(reading.contact()[0], phi, 1e-11)
        assert speed == pytest.approx(rate, abs=1e-9)


def test_a_flat_face_follows_the_support_function():
    model = find("cam-flat")()
    for t, reading in readings(model, revolution(model, 36)):
        theta = SPEED * t
        middle = np.pi / 2 - theta
        top = minimize_scalar(
            lambda phi, theta=theta: -radius(phi) * np.sin(phi + theta),
            bounds=(middle - 0.6, middle + 0.6), method="bounded", options={"xatol": 1e-12},
        )  # fmt: skip
        phi = reading.contact()[0]
        place, speed = reading.joint("guide")
        close(place, -top.fun)
        close(phi, top.x, 1e-7)  # a maximum is flat
        close(slope(phi) * np.sin(phi + theta) + radius(phi) * np.cos(phi + theta), 0.0)  # tangent to the face
        close(speed, SPEED * radius(phi) * np.cos(phi + theta), 1e-11)  # the contact's distance from the guide


# --- space -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("beta", [30.0, -50.0, 0.0])
def test_a_universal_joint(beta):
    model, c = find("universal-shaft")(beta=beta), np.cos(np.radians(beta))
    for t, reading in readings(model, revolution(model)):
        theta = 10 * t
        output = np.arctan2(np.sin(theta), c * np.cos(theta))
        output += 2 * np.pi * np.round((theta - output) / (2 * np.pi))
        close(reading.joint("output"), (output, 10 * c / (1 - (1 - c * c) * np.cos(theta) ** 2)), 1e-11)
        close(reading.joint("input"), (theta, 10.0), 1e-11)


def test_two_universal_joints_make_the_speed_constant():
    model, c = find("double-universal")(), np.cos(np.radians(30.0))
    for t, reading in readings(model, revolution(model)):
        close(reading.joint("output"), (10 * t, 10.0), 1e-11)
        spin = reading.state.v[9:12] @ np.array([c, 0.5, 0.0])  # of the middle shaft about its own axis, body axes
        close(spin, 10 * c / (1 - 0.25 * np.cos(10 * t) ** 2), 1e-11)


def test_a_screw_press():
    model = find("screw-press")()
    for _, reading in readings(model, revolution(model, 10)):
        angle, rate = reading.joint("nut")
        place, speed = reading.joint("guide")
        close((place, speed), (0.01 * angle / (2 * np.pi), 0.01 * rate / (2 * np.pi)))
        close(reading.joint("nut", "position"), (place, speed))
        close(reading.point("ram", "face"), (0.0, 0.0, 0.15 - place))
    close(angle, 6 * np.pi)
    close(place, 0.03)


def test_rods_of_the_rssr_keep_their_lengths():
    model = find("rssr")()
    O2, A, B, O4 = (np.array(model.parameters[key].value) for key in ("pO2", "pA", "pB", "pO4"))
    for t, reading in readings(model, revolution(model)):
        system, q, v = reading.system, reading.state.q, reading.state.v
        ends = [_point3(system, q, v, body, point) for body, point in ((1, A), (2, A), (2, B), (3, B))]
        close(ends[0][0], ends[1][0])
        close(ends[2][0], ends[3][0])
        rod, rate = ends[2][0] - ends[1][0], ends[2][1] - ends[1][1]
        close((np.linalg.norm(rod), rod @ rate), (np.linalg.norm(B - A), 0.0), 1e-11)
        close(_rotated(O2, A, (1, 0.2, -0.05), 10 * t), ends[0][0])
        close(np.linalg.norm(ends[3][0] - O4), np.linalg.norm(B - O4))
        axis = np.array([0.1, -0.3, 1])
        close(axis @ (ends[3][0] - O4), axis @ (B - O4))


def _point3(system: System, q, v, body, drawn):
    """Return place and velocity of a body's point, given where it is drawn; the bodies are drawn in ground axes."""
    center, turn = (system.tables.poses[body][k] for k in (0, 1))
    local = drawn - system.tables.vector(center)
    assert np.array_equal(system.tables.matrix(turn), np.eye(3))
    A = matrix_of(q[7 * body - 4 : 7 * body])
    r, w = q[7 * body - 7 : 7 * body - 4], v[6 * body - 3 : 6 * body]
    return r + A @ local, v[6 * body - 6 : 6 * body - 3] + A @ np.cross(w, local)


def _rotated(pivot, point, axis, angle):
    """Return a point turned about an axis through a pivot (Rodrigues)."""
    u, d = np.array(axis) / np.linalg.norm(axis), point - pivot
    return pivot + np.cos(angle) * d + np.sin(angle) * np.cross(u, d) + (1 - np.cos(angle)) * (u @ d) * u
