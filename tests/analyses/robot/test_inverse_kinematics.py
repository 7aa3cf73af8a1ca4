"""Inverse kinematics: forward of inverse is the target, all solutions of closed forms, limits, what is out of reach."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import multibody as mb
from analyses.robot.arms import ARMS, arm, planar_arm, pose
from multibody.analyses.robot.reaching import Asked, Task
from multibody.analyses.robot.targets import read_targets
from multibody.kernels.robot.declared import ITERATED

TIP = "l6.tip"
EXACT = 1e-12


def gap(robot: mb.Robot, frame: str, q: Any, target: Any) -> float:
    """Return the largest difference of a pose, lengths over the characteristic length."""
    off = np.abs(pose(robot, frame, q) - target)
    off[:-1, -1] /= robot.tables.length
    return float(off.max())


@pytest.mark.parametrize("kind", ARMS)
@pytest.mark.parametrize(("turned", "scale"), [(False, 1.0), (True, 1.0), (True, 1000.0)])
def test_forward_of_inverse_is_the_target(kind: str, turned: bool, scale: float) -> None:
    robot = arm(kind, scale, turned).robot()
    rng = np.random.default_rng(1)
    for _ in range(30):
        q = robot.random(rng)
        target = pose(robot, TIP, q)
        found = robot.inverse_kinematics(TIP, target, start=q)
        assert found.every
        np.testing.assert_allclose(found.q, q, atol=1e-7)  # nearest to the start is the start
        assert max(gap(robot, TIP, x, target) for x in found.solutions) < EXACT
        assert len(found) in (2, 4, 6, 8)
        wrapped = (found.solutions[:, None] - found.solutions + np.pi) % (2 * np.pi) - np.pi
        apart = np.abs(wrapped).max(axis=2) + 10.0 * np.eye(len(found))
        assert apart.min() > 1e-6


@pytest.mark.parametrize("kind", ARMS)
def test_iteration_from_many_starts_finds_what_the_closed_form_finds(kind: str) -> None:
    """No solution is missing, and none is counted twice: another way to solutions comes to the same number."""
    robot = arm(kind, turned=True).robot()
    rng = np.random.default_rng(2)
    task = Task(robot, TIP, 6, Asked(None, None, True, 250, 3))
    task.block.how = ITERATED
    for _ in range(3):
        target = pose(robot, TIP, robot.random(rng))
        closed = robot.inverse_kinematics(TIP, target)
        (iterated,) = robot._solved(task, TIP, read_targets(target, 3, ""), np.zeros((1, 6)))
        assert len(iterated) == len(closed)
        for x in iterated.solutions:
            off = np.abs((closed.solutions - x + np.pi) % (2 * np.pi) - np.pi).max(axis=1)
            assert off.min() < 1e-6


def test_a_puma_has_eight_solutions_within_its_workspace() -> None:
    robot = arm("puma").robot()
    counts = [len(robot.inverse_kinematics(TIP, pose(robot, TIP, robot.random(k)))) for k in range(40)]
    assert set(counts) == {8}


def test_a_redundant_arm_and_trees_with_slides_are_iterated() -> None:
    robot = mb.load("arm7").robot()
    rng = np.random.default_rng(4)
    targets = np.array([pose(robot, "link7.tip", robot.random(rng)) for _ in range(30)])
    many = robot.inverse_kinematics("link7.tip", targets)
    assert many.reached.all() and not many[0].every
    assert max(gap(robot, "link7.tip", q, T) for q, T in zip(many.q, targets, strict=True)) < EXACT


def _branched() -> mb.Robot:
    m = mb.Model("branched")
    rng = np.random.default_rng(7)
    kinds = ["revolute", "translational", "revolute", "universal", "translational", "revolute"]
    before = "ground"
    for k, kind in enumerate(kinds):
        m.body(f"b{k}", mass=1, inertia=(1, 1, 1), frames={"tip": tuple(rng.uniform(-0.4, 0.4, 3))})
        axis: dict[str, Any] = {"axes": [(0, 0, 1), (1, 0, 0)]} if kind == "universal" else {"axis": tuple(rng.normal(size=3))}
        m.joint(kind, f"j{k}", before, f"b{k}", at=tuple(rng.uniform(-0.5, 0.5, 3)), **axis)
        m.body(f"twig{k}", mass=1, inertia=(1, 1, 1))
        m.revolute(f"twig_joint{k}", f"b{k}", f"twig{k}", axis=(1, 0, 0))
        before = f"b{k}"
    return m.robot()


def test_branches_that_do_not_carry_the_frame_stay_at_the_start() -> None:
    robot = _branched()
    rng = np.random.default_rng(5)
    for _ in range(10):
        target, start = pose(robot, "b5.tip", robot.random(rng)), robot.random(rng)
        found = robot.inverse_kinematics("b5.tip", target, start=start)
        assert gap(robot, "b5.tip", found.q, target) < EXACT
        for k in range(6):
            own, _ = robot.slices(f"twig_joint{k}")
            np.testing.assert_array_equal(found.q[own], start[own])


def test_quaternions_are_turned() -> None:
    m = mb.Model("hip", gravity=(0, 0, -9.81))
    m.body("thigh", mass=1, inertia=(1, 1, 1), frames={"knee": (0, 0, -0.4)})
    m.body("shank", mass=1, inertia=(1, 1, 1), frames={"foot": (0, 0, -0.4)})
    m.spherical("hip", "ground", "thigh")
    m.revolute("knee", "thigh.knee", "shank", axis=(0, 1, 0))
    robot = m.robot()
    rng = np.random.default_rng(6)
    for _ in range(10):
        target = robot.frame_pose("shank.foot", robot.random(rng))[0]
        found = robot.inverse_kinematics("shank.foot", target)
        np.testing.assert_allclose(robot.frame_pose("shank.foot", found.q)[0], target, atol=EXACT)
        assert abs(np.linalg.norm(found.q[robot.slices("hip")[0]]) - 1.0) < 1e-12


@pytest.mark.parametrize("count", [2, 3])
def test_planar_arms_have_both_solutions(count: int) -> None:
    robot, frame = planar_arm(count), f"l{count}.e"
    rng = np.random.default_rng(8)
    for _ in range(40):
        q = robot.random(rng)
        T = pose(robot, frame, q)
        target = T if count == 3 else T[:2, 2]
        found = robot.inverse_kinematics(frame, target, start=q)
        assert len(found) == 2 and found.every
        np.testing.assert_allclose(found.q, q, atol=1e-7)
        for x in found.solutions:
            off = np.abs(pose(robot, frame, x) - T)
            assert (off if count == 3 else off[:2, 2]).max() < EXACT


def test_two_links_by_the_law_of_cosines() -> None:
    m = mb.Model("two", dimension=2)
    m.body("a", frames={"e": (3.0, 0)})
    m.body("b", frames={"e": (2.0, 0)})
    m.revolute("A", "ground", "a")
    m.revolute("B", "a.e", "b")
    found = m.robot().inverse_kinematics("b.e", (np.sqrt(19.0), 0.0))
    np.testing.assert_allclose(sorted(found.solutions[:, 1]), [-np.pi / 3, np.pi / 3], atol=1e-14)  # 19 = 9 + 4 + 12 cos B


def test_a_position_of_three_axes_has_all_its_solutions() -> None:
    rng = np.random.default_rng(9)
    m = mb.Model("three")
    before = "ground"
    for k, (point, axis) in enumerate(zip(*ARMS["elbow"][:2], strict=True)):
        if k == 3:
            break
        m.body(f"l{k}", frames={"tip": (0.52, 0.05, 0.9)} if k == 2 else {})
        m.revolute(f"j{k}", before, f"l{k}", at=point, axis=axis)
        before = f"l{k}"
    three = m.robot()
    for _ in range(20):
        q = three.random(rng)
        target = three.frame_pose("l2.tip", q)[0]
        found = three.inverse_kinematics("l2.tip", target, start=q)
        assert found.every and len(found) in (2, 4)
        np.testing.assert_allclose(found.q, q, atol=1e-7)
        for x in found.solutions:
            np.testing.assert_allclose(three.frame_pose("l2.tip", x)[0], target, atol=EXACT)


# --- limits ---------------------------------------------------------------------------------------------------------------
def test_limits_of_stops_and_of_the_caller_are_kept() -> None:
    free, held = arm("puma").robot(), arm("puma", j1=(-1.0, 1.0), j3=(0.0, None)).robot()
    rng = np.random.default_rng(10)
    seen = 0
    for _ in range(30):
        target = pose(free, TIP, free.random(rng))
        everything = (free.inverse_kinematics(TIP, target).solutions + np.pi) % (2 * np.pi) - np.pi
        # j3 has no upper limit: every angle is above 0 after a turn
        allowed = np.abs(everything[:, 0]) <= 1.0
        limits = {"j1": (-1, 1), "j3.angle": (0, None)}
        for found in (held.inverse_kinematics(TIP, target), free.inverse_kinematics(TIP, target, limits=limits)):
            assert len(found) == allowed.sum()
            if found.reached:
                seen += 1
                assert np.all(np.abs(found.solutions[:, 0]) <= 1.0) and np.all(found.solutions[:, 2] >= 0.0)
                assert max(gap(free, TIP, x, target) for x in found.solutions) < EXACT
            else:
                assert abs(found.nearest[0]) <= 1.0 + 1e-9
        assert len(held.inverse_kinematics(TIP, target, limits={})) == len(everything)
    assert seen > 10


def test_limits_of_iterated_arms_are_kept() -> None:
    robot = mb.load("arm7").robot()
    limits = {f"joint{k}": (-1.5, 1.5) for k in range(1, 8)}
    rng = np.random.default_rng(11)
    for _ in range(10):
        target = pose(robot, "link7.tip", rng.uniform(-1.4, 1.4, 7))
        found = robot.inverse_kinematics("link7.tip", target, limits=limits)
        assert np.abs(found.q).max() <= 1.5 + 1e-9
        assert gap(robot, "link7.tip", found.q, target) < EXACT


def test_angles_beyond_a_turn_are_near_the_start() -> None:
    robot = arm("elbow").robot()
    q = robot.random(3)
    start = q + 2 * np.pi * np.array([3, -2, 0, 1, 0, -5])
    np.testing.assert_allclose(robot.inverse_kinematics(TIP, pose(robot, TIP, q), start=start).q, start, atol=1e-7)


# --- what is singular or out of reach ----------------------------------------------------------------------------------------
def test_a_straight_wrist_is_said_to_be_singular() -> None:
    robot = arm("puma").robot()
    q = np.array([0.1, 0.2, 0.3, 0.4, 0.0, 0.6])
    target = pose(robot, TIP, q)
    found = robot.inverse_kinematics(TIP, target, start=q)
    assert gap(robot, TIP, found.q, target) < EXACT
    assert found.singular[0]
    (lost,) = found.lost[0]
    assert np.abs(lost @ robot.frame_jacobian(TIP, found.q)).max() < 1e-9
    assert "solution 0 is singular: l6.tip cannot move along" in found.words


def test_an_arm_stretched_out_reaches_its_rim_and_says_so() -> None:
    robot = planar_arm(2)
    l1, l2 = np.array([0.5, 0.07]), np.array([0.4, 0.07])
    far = np.linalg.norm(l1) + np.linalg.norm(l2)
    found = robot.inverse_kinematics("l2.e", (far, 0.0))
    assert len(found) == 1 and found.singular == [True]
    np.testing.assert_allclose(np.abs(found.lost[0][0]), [1.0, 0.0], atol=1e-6)
    assert "cannot move along" in found.words


@pytest.mark.parametrize("scale", [1.0, 1000.0])
def test_what_is_out_of_reach_comes_with_the_nearest_pose(scale: float) -> None:
    m = mb.Model("two", dimension=2)
    m.body("a", frames={"e": (3.0 * scale, 0)})
    m.body("b", frames={"e": (2.0 * scale, 0)})
    m.revolute("A", "ground", "a")
    m.revolute("B", "a.e", "b")
    robot = m.robot()
    found = robot.inverse_kinematics("b.e", np.array([4.0, 3.0]) * 2 * scale)
    assert not found.reached and len(found) == 0
    assert found.gap[0] == pytest.approx(5.0 * scale, rel=1e-9)  # 10 away, and the arm is 5 long
    np.testing.assert_allclose(robot.frame_pose("b.e", found.nearest)[0], np.array([4.0, 3.0]) * scale, rtol=1e-5)
    assert "does not reach the target: the nearest pose found is" in repr(found)
    with pytest.raises(mb.ModelError, match="does not reach the target"):
        _ = found.q
    found = robot.inverse_kinematics("b.e", np.array([0.1, 0.0]) * scale)  # too near: a hole of radius 1
    assert found.gap[0] == pytest.approx(0.9 * scale, rel=1e-9)


def test_joints_that_are_named_move_alone() -> None:
    robot = arm("elbow").robot()
    base = mb.Model("mobile")
    points, axes, tip = ARMS["elbow"]
    base.body("cart", mass=1, inertia=(1, 1, 1))
    base.translational("rail", "ground", "cart", axis=(1, 0, 0))
    before = "cart"
    for k, (point, axis) in enumerate(zip(points, axes, strict=True), start=1):
        base.body(f"l{k}", mass=1, inertia=(1, 1, 1), frames={"tip": tip} if k == 6 else {})
        base.revolute(f"j{k}", before, f"l{k}", at=point, axis=axis)
        before = f"l{k}"
    mobile = base.robot()
    q = robot.random(12)
    target = pose(robot, TIP, q)
    target[0, 3] += 0.25
    start = np.concatenate([[0.25], q])
    found = mobile.inverse_kinematics(TIP, target, start=start, joints=[f"j{k}" for k in range(1, 7)])
    assert found.every and len(found) == len(robot.inverse_kinematics(TIP, pose(robot, TIP, q)))
    np.testing.assert_allclose(found.q, start, atol=1e-7)
    assert np.all(found.solutions[:, 0] == 0.25)
    assert gap(mobile, TIP, mobile.inverse_kinematics(TIP, target).q, target) < EXACT


# --- how it is asked -------------------------------------------------------------------------------------------------------
def test_targets_may_be_written_in_several_ways() -> None:
    robot = arm("puma").robot()
    q = robot.random(5)
    T = pose(robot, TIP, q)
    expected = robot.inverse_kinematics(TIP, T, start=q).solutions
    for target in (T.tolist(), (T[:3, 3], T[:3, :3]), (T[:3, 3].tolist(), T[:3, :3].tolist())):
        np.testing.assert_allclose(robot.inverse_kinematics(TIP, target, start=q).solutions, expected, atol=1e-12)
    many = robot.inverse_kinematics(TIP, np.array([T, T]), start=q)
    assert len(many) == 2 and many.counts.tolist() == [len(expected)] * 2
    np.testing.assert_allclose(many.q, [q, q], atol=1e-7)
    planar = planar_arm(3)
    P = pose(planar, "l3.e", planar.random(1))
    angle = np.arctan2(P[1, 0], P[0, 0])
    np.testing.assert_allclose(
        planar.inverse_kinematics("l3.e", (P[0, 2], P[1, 2], angle)).solutions, planar.inverse_kinematics("l3.e", P).solutions,
        atol=1e-12,
    )  # fmt: skip


def test_axes_that_are_a_little_off_are_made_a_rotation() -> None:
    robot = arm("puma").robot()
    T = pose(robot, TIP, robot.random(5))
    rough = np.round(T, 8)
    assert robot.inverse_kinematics(TIP, rough).reached


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda r: r.inverse_kinematics(TIP, np.eye(3)[0] * np.nan), "the target has a number that is not finite"),
        (lambda r: r.inverse_kinematics(TIP, "there"), "the target is not an array of numbers"),
        (lambda r: r.inverse_kinematics(TIP, np.zeros(5)), r"the target has the shape \(5,\)"),
        (lambda r: r.inverse_kinematics(TIP, 2 * np.eye(4)), "the last row of the pose is not 0, 0, 0, 1"),
        (lambda r: r.inverse_kinematics(TIP, np.diag([1.0, 1, -1, 1])), "the axes of the target are no rotation"),
        (lambda r: r.inverse_kinematics("l9.tip", np.eye(4)), 'unknown body "l9"'),
        (lambda r: r.inverse_kinematics("ground", np.eye(4)), "ground is on the ground and does not move"),
        (lambda r: r.inverse_kinematics(TIP, np.eye(4), start=np.zeros(5)), r"q has the shape \(5,\)"),
        (lambda r: r.inverse_kinematics(TIP, np.eye(4), start=np.zeros((2, 6))), "there are 2 starts for 1 targets"),
        (lambda r: r.inverse_kinematics(TIP, np.eye(4), limits={"j9": (0, 1)}), 'unknown coordinate "j9"'),
        (lambda r: r.inverse_kinematics(TIP, np.eye(4), limits={"j1": (1, 0)}), "the lower limit 1 of j1.angle is above"),
        (lambda r: r.inverse_kinematics(TIP, np.eye(4), limits={"j1": 3}), "the limits of j1 are 3"),
        (lambda r: r.inverse_kinematics(TIP, np.eye(4), limits=[1]), r"limits are \[1\]"),
        (lambda r: r.inverse_kinematics(TIP, np.eye(4), joints="elbow"), 'unknown joint "elbow"'),
        (lambda r: r.inverse_kinematics(TIP, np.eye(4), joints=[]), "nothing that may move moves l6.tip"),
        (lambda r: r.inverse_kinematics(TIP, np.eye(4), restarts=-1), "restarts is -1"),
        (lambda r: r.inverse_kinematics(TIP, np.eye(4), every="all"), "every is 'all'"),
        (lambda r: r.inverse_kinematics(TIP), '"target" is missing'),
        (lambda r: r.inverse_kinematics(TIP, np.eye(4), begin=1), 'unknown field "begin"'),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_said_in_words(call: Any, words: str) -> None:
    with pytest.raises(mb.ModelError, match=words):
        call(arm("puma").robot())
