"""Environments of Gymnasium: their contract, members that move as if alone, starts, ends and failures."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np
import pytest

import multibody as mb
from multibody.errors import AnalysisError, ModelError

pytest.importorskip("gymnasium")
SMALL = (-0.05, 0.05)
CART: dict[str, Any] = {
    "inputs": {"motor.effort": (-10, 10)}, "outputs": ["track", "track.rate", "pivot", "pivot.rate"], "step": 0.02,
    "reward": "1 - 0.001*motor.effort^2", "terminated": ["abs(pivot) > 0.2", "abs(track) > 2.4"],
    "initial": {"track": SMALL, "track.rate": SMALL, "pivot": SMALL, "pivot.rate": SMALL},
}  # fmt: skip


@pytest.fixture(scope="module")
def model() -> Any:
    return mb.load("inverted-pendulum")


def test_gymnasium_takes_it(model: Any) -> None:
    from gymnasium.utils.env_checker import check_env

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that limits are infinite, or not 1, is advice
        check_env(model.environment(**CART, limit=50), skip_render_check=True)


def test_a_step_is_that_of_a_simulator(model: Any) -> None:
    env = model.environment(**CART, substeps=2)
    first, info = env.reset(seed=4)
    assert info == {"time": 0.0}
    assert np.all(np.abs(first) <= 0.05)
    start = dict(zip(CART["outputs"], map(float, first), strict=True))
    sim = model.simulator(start, formulation="recursive", integrator="rk4", step=0.01)
    for k in range(30):
        u = 3.0 * np.cos(k)
        seen, reward, ended, cut, info = env.step(np.array([u]))
        sim.set("motor.effort", u)
        sim.step(0.02)
        assert np.allclose(seen, [sim[path] for path in CART["outputs"]], rtol=0, atol=1e-14)
        assert reward == pytest.approx(1 - 0.001 * u**2, abs=1e-15)
        assert info["time"] == pytest.approx(0.02 * (k + 1))
        assert ended == bool(abs(sim["pivot"]) > 0.2 or abs(sim["track"]) > 2.4)
        assert not cut


@pytest.mark.parametrize("formulation", [None, "augmented", "articulated"])
def test_members_are_single_environments(model: Any, formulation: str | None) -> None:
    count, actions = 5, np.random.default_rng(0).uniform(-12, 12, (60, 5, 1))
    vector = model.environment(**CART, members=count, limit=20, formulation=formulation)
    singles = [model.environment(**CART, limit=20, formulation=formulation) for _ in range(count)]
    seen, _ = vector.reset(seed=7)
    assert vector.observation_space.contains(seen)
    assert np.array_equal(seen, [single.reset(seed=7 + k)[0] for k, single in enumerate(singles)])
    over, episodes = np.zeros(count, dtype=bool), 0
    for action in actions:
        seen, rewards, ended, cut, infos = vector.step(action)
        for k, single in enumerate(singles):
            if over[k]:  # Gymnasium's next-step mode: this step begins the next episode
                expected: Any = (*single.reset()[:1], 0.0, False, False)
            else:
                expected = single.step(action[k])[:4]
            assert np.array_equal(seen[k], expected[0])
            assert (rewards[k], ended[k], cut[k]) == expected[1:]
        over = ended | cut
        episodes += int(np.sum(over))
        assert np.all(infos["_time"])
    assert episodes > count


def test_same_step_mode_hands_the_last_observation_over(model: Any) -> None:
    from gymnasium.vector import AutoresetMode

    vector = model.environment(**CART, members=3, limit=4, autoreset="same-step")
    other = model.environment(**CART, members=3, limit=4, autoreset="disabled")
    assert vector.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    vector.reset(seed=1)
    other.reset(seed=1)
    for k in range(4):
        seen, _, _, cut, infos = vector.step(np.ones((3, 1)))
        last, _, _, _, _ = other.step(np.ones((3, 1)))
        assert np.all(cut) == (k == 3)
    assert np.array_equal(np.stack(infos["final_obs"]), last)
    assert np.all(infos["_final_obs"])
    assert np.all(np.abs(seen) <= 0.05), "the next episode has begun"
    still, rewards, _, _, _ = other.step(np.ones((3, 1)))
    assert np.array_equal(still, last), "without a reset nothing goes on"
    assert np.all(rewards == 0.0)
    some, _ = other.reset(options={"reset_mask": np.array([True, False, False])})
    assert np.array_equal(some[1:], last[1:])
    assert np.all(np.abs(some[0]) <= 0.05)


def test_seeds_repeat_and_differ(model: Any) -> None:
    vector = model.environment(**CART, members=4)
    one, _ = vector.reset(seed=3)
    two, _ = vector.reset(seed=3)
    three, _ = vector.reset(seed=4)
    more, _ = vector.reset()
    assert np.array_equal(one, two)
    assert np.array_equal(one[1:], three[:-1])
    assert not np.any(more == three)
    assert np.array_equal(vector.reset(seed=[3, 4, 5, 6])[0], one)


def test_starts_far_away_and_in_loops() -> None:
    """A turn and a half is kept, and where loops have to be closed the rest follows."""
    m = mb.Model("wheel", dimension=2)
    m.body("wheel", mass=1, inertia=1)
    m.revolute("O", m.ground, "wheel")
    m.effort("motor", "O", value=0)
    env = m.environment(["motor.effort"], ["O", "wheel.angle"], step=0.1, initial={"O": 9.0})
    assert np.allclose(env.reset()[0], [9.0, 9.0], atol=1e-12)
    assert np.allclose(env.step([0.0])[0], [9.0, 9.0], atol=1e-12)
    four = mb.load("four-bar")
    loop = four.environment(["spring.effort"], ["O1", "A", "O3"], step=0.01, initial={"O1": mb.uniform(1.0, 1.2)}, members=3)
    seen, _ = loop.reset(seed=0)
    for values in seen:
        expected = four.assemble({"O1": float(values[0])})
        assert 1.0 <= values[0] <= 1.2
        assert np.allclose(values, [expected[path] for path in ("O1", "A", "O3")], atol=1e-9)
    after = loop.step(np.zeros((3, 1)))[0]
    assert np.all(np.isfinite(after))


class Turns:
    """A distribution that is none: given values one after the other."""

    def __init__(self, values: list[float]) -> None:
        self.values = values

    def ppf(self, u: Any) -> Any:
        return np.array([self.values.pop(0) for _ in u])


def test_a_body_in_space_is_read_as_by_a_simulator() -> None:
    m = mb.Model("satellite")
    m.body("sat", mass=3, inertia=(1, 2, 3))
    m.free("F", m.ground, "sat")
    m.force("jet", "sat", value=(0, 0, 0), axes="body")
    env = m.environment(
        ["jet.moment", "jet.force"], ["sat.x", "sat.rotation", "[sat.y, sat.z]"], step=0.05, members=2,
        reward="-norm([sat.x, sat.y, sat.z])",
    )  # fmt: skip
    assert env.inputs == [f"jet.{part}.{axis}" for part in ("moment", "force") for axis in "xyz"]
    assert env.outputs[:5] == ["sat.x", *(f"sat.rotation.{letter}" for letter in "wxyz")]
    env.reset(seed=0)
    sim = m.simulator(formulation="recursive", integrator="rk4", step=0.05)
    sim.set("jet.moment", [0.3, -0.2, 0.5])
    sim.set("jet.force", [1.0, 0.0, 0.0])
    for _ in range(30):
        seen, rewards, *_ = env.step(np.array([[0.3, -0.2, 0.5, 1, 0, 0], [0, 0, 0, 0, 0, 0]]))
        sim.step(0.05)
    assert np.allclose(seen[0, [0, 5, 6]], [sim["sat.x"], sim["sat.y"], sim["sat.z"]], atol=1e-13)
    assert abs(seen[0, 1:5] @ sim["sat.rotation"]) == pytest.approx(1.0, abs=1e-13)
    assert rewards[0] == pytest.approx(-np.linalg.norm(seen[0, [0, 5, 6]]))
    assert rewards[1] == 0.0


def test_a_start_that_cannot_be_is_told() -> None:
    m = mb.Model("reach", dimension=2)
    m.frames(right=(0.9, 0))
    for name, length in (("crank", 0.3), ("coupler", 0.6), ("rocker", 0.5)):
        m.body(name, mass=length, inertia=length**3 / 12, com=(length / 2, 0), frames={"end": (length, 0)})
    m.revolute("O", m.ground, "crank")
    m.revolute("A", "crank.end", "coupler")
    m.revolute("B", "coupler.end", "rocker.end")
    m.revolute("C", m.ground["right"], "rocker")
    m.effort("motor", "O", value=0)
    m.initial({"O": -1.2}, guess={"C": -1.5})  # at O = π the pins are 1.2 apart, coupler and rocker reach 1.1
    env = m.environment(["motor.effort"], ["O"], step=0.01, initial={"O": 3.0})
    with pytest.raises(AnalysisError, match="member 0 cannot begin at the initial values that were drawn"):
        env.reset(seed=0)
    for mode in ("next-step", "same-step"):  # one that cannot begin stops nobody else
        draw = Turns([-1.2, -1.1, -1.0] + [3.0, -1.0, -1.1] + [-1.0] * 20)
        some = m.environment(["motor.effort"], ["O"], step=0.01, initial={"O": draw}, members=3, limit=1, autoreset=mode)
        assert np.allclose(some.reset(seed=0)[0][:, 0], [-1.2, -1.1, -1.0])
        told = []
        for _ in range(4):
            seen, _, _, _, infos = some.step(np.zeros((3, 1)))
            assert np.all(np.isfinite(seen))
            told += [text for text in infos.get("failure", []) if text is not None]
        assert len(told) == 1
        assert "cannot close" in told[0]


def test_one_that_fails_is_cut_off_and_the_others_go_on() -> None:
    m = mb.Model("rocket", dimension=2)
    m.body("rocket", mass=1, inertia=1)
    m.translational("S", m.ground, "rocket", axis=(1, 0))
    m.effort("motor", "S", value=0)
    m.effort("blow", "S", value="exp(S.rate)")  # v → ∞ at t = exp(−v₀)
    m.initial({"S": 0, "S.rate": 0})
    env = m.environment({"motor.effort": (-1, 1)}, ["S", "S.rate"], step=0.05, initial={"S.rate": mb.uniform(-6, 2)}, members=8)
    started, _ = env.reset(seed=2)
    assert np.sum(started[:, 1] > 0.5) >= 1
    failed = np.zeros(8, dtype=bool)
    for _ in range(14):
        seen, rewards, ended, cut, infos = env.step(np.zeros((8, 1)))
        assert np.all(np.isfinite(seen))
        assert np.all(np.isfinite(rewards))
        assert not np.any(ended)
        assert np.array_equal(cut, infos.get("_failure", np.zeros(8, dtype=bool)))
        for k in np.flatnonzero(cut):
            assert " at t = " in infos["failure"][k]
        failed |= cut
    assert np.sum(failed) >= 1
    slow = started[:, 1] < -2
    assert not np.any(failed & slow)
    exact = -np.log(np.exp(-started[slow, 1]) - 0.7)
    assert np.allclose(seen[slow, 1], exact, rtol=1e-4)


def test_rules_may_be_functions_of_arrays(model: Any) -> None:
    given = {**CART, "reward": lambda y, u: -(y[:, 2] ** 2) - 0.1 * u[:, 0] ** 2, "terminated": lambda y, u: y[:, 2] > 0.02}
    env = model.environment(**given, members=6)
    env.reset(seed=0)
    seen, rewards, ended, _, _ = env.step(np.full((6, 1), 2.0))
    assert np.array_equal(rewards, -(seen[:, 2] ** 2) - 0.1 * 2.0**2)
    assert np.array_equal(ended, seen[:, 2] > 0.02)
    assert 0 < np.sum(ended) < 6
    env = model.environment(**{**CART, "reward": lambda y, u: y}, members=6)
    env.reset(seed=0)
    with pytest.raises(ModelError, match=r"reward: the function returned .* let the function return an array of 6 numbers"):
        env.step(np.zeros((6, 1)))


def test_a_reward_that_is_no_number_is_a_failure(model: Any) -> None:
    env = model.environment(**{**CART, "reward": "sqrt(pivot)"}, members=6)
    env.reset(seed=0)
    seen, rewards, _, cut, infos = env.step(np.zeros((6, 1)))
    wrong = seen[:, 2] < 0
    assert np.array_equal(cut, wrong)
    assert np.all(np.isfinite(rewards))
    assert set(infos["failure"][wrong]) == {"its reward is not finite"}


def test_actions_are_clipped_and_judged(model: Any) -> None:
    env = model.environment(**CART)
    env.reset(seed=0)
    clipped = env.step(np.array([99.0]))
    env.reset(seed=0)
    assert np.array_equal(clipped[0], env.step(np.array([10.0]))[0])
    for wrong in ([1, 2], "left", [float("inf")], None):
        with pytest.raises(ModelError, match=r"is no action|is not finite"):
            env.step(wrong)
    with pytest.raises(ModelError, match="no episode has begun"):
        model.environment(**CART, members=2).step(np.zeros((2, 1)))


def test_what_does_not_fit_is_told_in_a_sentence(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for change, words in (
        ({"inputs": ["pivot"]}, "'pivot' cannot be set"), ({"inputs": []}, "nothing to act on"),
        ({"inputs": {"motor.effort": (1, -1)}}, "are no limits"),
        ({"outputs": ["track.acceleration"]}, "a force or an acceleration"),
        ({"reward": "pivot.reaction.force.x"}, "a force or an acceleration"), ({"outputs": ["nope"]}, "unknown name"),
        ({"step": 0}, "step is 0"), ({"substeps": 0}, "substeps is 0"), ({"initial": {"pivot": "left"}}, "is no initial value"),
        ({"initial": {"nope": 1}}, "nope"), ({"members": 0}, "members is 0"), ({"limit": 0}, "limit is 0"),
        ({"members": 2, "autoreset": "never"}, "autoreset is 'never'"),
        ({"formulation": "partitioning"}, "not stepped side by side"), ({"initial": [1]}, "is no mapping"),
    ):  # fmt: skip
        with pytest.raises(ModelError, match=words):
            model.environment(**{**CART, **change})
    monkeypatch.delitem(sys.modules, "multibody.learn.environment")
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    with pytest.raises(ModelError, match=r"Gymnasium is not installed; pip install multibody\[gym\]"):
        model.environment(**CART)


def test_switches_and_events_are_noted() -> None:
    m = mb.Model("drag", dimension=2)
    m.body("ball", mass=1, inertia=1)
    m.translational("S", m.ground, "ball", axis=(1, 0))
    m.effort("motor", "S", value=0)
    m.effort("air", "S", value="-S.rate*abs(S.rate)")
    m.event("far", "S - 3")
    env = m.environment(["motor.effort"], step=0.1)
    assert [name.endswith(".rate") for name in env.outputs] == [False, True]
    assert any("air switches" in note for note in env.notes)
    assert any('event "far" is not looked for' in note for note in env.notes)
