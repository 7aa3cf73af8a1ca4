"""Environments of Gymnasium: one, and a vector of members that are stepped in one compiled call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from multibody.arguments import short
from multibody.errors import AnalysisError, ModelError
from multibody.learn.plant import Plant
from multibody.state.state import Status
from multibody.state.system import Floats

MODES = {"next-step": AutoresetMode.NEXT_STEP, "same-step": AutoresetMode.SAME_STEP, "disabled": AutoresetMode.DISABLED}


def spaces(plant: Plant) -> tuple[Any, Any]:
    """Return the spaces of one member's actions and observations, in the model's units."""
    action = Box(plant.low, plant.high, (len(plant.inputs),), np.float64)
    return action, Box(-np.inf, np.inf, (len(plant.outputs),), np.float64)


class Environment(gymnasium.Env[Floats, Floats]):
    """A model as an environment of Gymnasium.

    Parameters
    ----------
    plant : Plant
        With one member.
    limit : int, optional
        Steps of an episode, after which it is truncated.

    Attributes
    ----------
    inputs, outputs : list of str
        What the numbers of actions and observations are.
    notes : list of str
    """

    metadata = {"render_modes": []}  # noqa: RUF012  (as Gymnasium has it)

    def __init__(self, plant: Plant, limit: int | None) -> None:
        self.plant, self.limit = plant, limit
        self.inputs, self.outputs, self.notes = plant.inputs, plant.outputs, plant.notes
        self.action_space, self.observation_space = spaces(plant)
        self._steps = 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Floats, dict[str, Any]]:
        """Begin an episode: draw initial values; return the observation, and the time in the info."""
        super().reset(seed=seed)
        _require_started(self.plant.reset([0], [self.np_random]))
        self._steps = 0
        return self.plant.observe()[0], self._info()

    def step(self, action: Floats) -> tuple[Floats, float, bool, bool, dict[str, Any]]:
        """Hold the action for a step; return observation, reward, whether it ended, whether it was cut off, and the time.

        A motion that cannot go on is cut off, with ``failure`` in the info.
        """
        failures = self.plant.advance(action, [1])
        self._steps += 1
        rewards, failures = _finite(self.plant.rewards(), failures)
        cut = bool(failures) or (self.limit is not None and self._steps >= self.limit)
        more = {"failure": failures[0]} if failures else {}
        return self.plant.observe()[0], float(rewards[0]), bool(self.plant.ended()[0]), cut, {**self._info(), **more}

    def _info(self) -> dict[str, Any]:
        return {"time": float(self.plant.members.times[0])}


class Environments(VectorEnv[Floats, Floats, Any]):
    """Members of a model as a vector environment of Gymnasium, stepped in one compiled call.

    Parameters
    ----------
    plant : Plant
    limit : int, optional
        Steps of an episode, after which it is truncated.
    autoreset : str
        When a member whose episode is over begins anew: ``next-step``, ``same-step`` or ``disabled``.

    Attributes
    ----------
    inputs, outputs : list of str
        What the numbers of actions and observations are.
    notes : list of str
    """

    def __init__(self, plant: Plant, limit: int | None, autoreset: str) -> None:
        if autoreset not in MODES:
            raise ModelError(f"autoreset is {short(autoreset)}", where="environment", hint=f"it is one of {', '.join(MODES)}")
        self.plant, self.limit, self.num_envs = plant, limit, plant.members.count
        self.inputs, self.outputs, self.notes = plant.inputs, plant.outputs, plant.notes
        self.metadata = {"autoreset_mode": MODES[autoreset], "render_modes": []}
        self.single_action_space, self.single_observation_space = spaces(plant)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self._mode = MODES[autoreset]
        self._generators: list[np.random.Generator] = []
        self._steps = np.zeros(self.num_envs, dtype=np.int64)
        self._over = np.zeros(self.num_envs, dtype=bool)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Floats, dict[str, Any]]:
        """Begin episodes of all members, or of those in ``options["reset_mask"]``.

        Parameters
        ----------
        seed : int or list of int, optional
            Member k of the seed s draws as a single environment with the seed s + k does.
        options : dict, optional
        """
        which = self._chosen(options)
        if seed is None or isinstance(seed, int | np.integer):
            seeds = [None if seed is None else int(seed) + k for k in range(self.num_envs)]
        else:
            seeds = list(seed)
        if len(seeds) != self.num_envs:
            raise ModelError(f"{len(seeds)} seeds are given", where="reset", hint=f"give {self.num_envs}, one a member")
        if not self._generators:
            self._generators = [seeding.np_random(each)[0] for each in seeds]
        for k in which:
            if seeds[k] is not None:
                self._generators[k] = seeding.np_random(seeds[k])[0]
        _require_started(self._begin(which))
        return self.plant.observe(), self._info({})

    def _chosen(self, options: dict[str, Any] | None) -> list[int]:
        """Return the members that are to begin."""
        mask = (options or {}).get("reset_mask")
        if mask is None:
            return list(range(self.num_envs))
        given = np.asarray(mask)
        if given.dtype != np.bool_ or given.shape != (self.num_envs,):
            hint = f"give {self.num_envs} truth values"
            raise ModelError(f"{short(mask)} is no mask", where="reset", hint=hint)
        return [int(k) for k in np.flatnonzero(given)]

    def _begin(self, which: Sequence[int]) -> dict[int, str]:
        """Begin episodes of some members; return why some could not be."""
        failures = self.plant.reset(which, [self._generators[k] for k in which])
        self._steps[list(which)] = 0
        self._over[list(which)] = False
        return failures

    def step(self, actions: Any) -> tuple[Floats, Floats, Any, Any, dict[str, Any]]:
        """Hold the actions for a step; return observations, rewards, which ended, which were cut off, and infos.

        A member whose motion cannot go on is cut off, with its ``failure`` in the infos; the others go on.
        """
        if not self._generators:
            raise ModelError("no episode has begun", where="step", hint="call reset() first")
        anew = np.flatnonzero(self._over) if self._mode is AutoresetMode.NEXT_STEP else np.zeros(0, dtype=np.int64)
        going = ~self._over
        failures = self.plant.advance(actions, going)
        rewards, failures = _finite(self.plant.rewards(), failures)
        ended = self.plant.ended() & going
        self._steps[going] += 1
        cut = np.zeros(self.num_envs, dtype=bool) if self.limit is None else going & (self._steps >= self.limit)
        cut[list(failures)] = True
        rewards[~going] = 0.0
        if len(anew):
            found = self._begin([int(k) for k in anew])
            failures |= found
            cut[list(found)] = True
        observations = self.plant.observe()
        self._over = (self._over & ~np.isin(np.arange(self.num_envs), anew)) | ended | cut
        if self._mode is AutoresetMode.SAME_STEP and np.any(self._over):
            observations, infos = self._restarted(observations, failures)
        else:
            infos = self._info(failures)
        return observations, rewards, ended, cut, infos

    def _restarted(self, last: Floats, failures: dict[int, str]) -> tuple[Floats, dict[str, Any]]:
        """Begin the next episodes of members whose last is over, at once; the observations before are in the infos.

        One that cannot begin as it was drawn begins at the model's own start, and its failure says so.
        """
        over = self._over.copy()
        final = np.full(self.num_envs, None, dtype=object)
        for k in np.flatnonzero(over):
            final[k] = last[k].copy()
        missed = self._begin([int(k) for k in np.flatnonzero(over)])
        told = {member: f"it begins at the model's own start: {why}" for member, why in missed.items()}
        infos = self._info(told | failures) | {"final_obs": final, "_final_obs": over}
        return self.plant.observe(), infos

    def _info(self, failures: dict[int, str]) -> dict[str, Any]:
        """Return times, and why members stopped, as Gymnasium lays infos of many members out."""
        every = np.ones(self.num_envs, dtype=bool)
        found: dict[str, Any] = {"time": self.plant.members.times.copy(), "_time": every}
        if failures:
            texts, which = np.full(self.num_envs, None, dtype=object), np.zeros(self.num_envs, dtype=bool)
            for k, why in failures.items():
                texts[k], which[k] = why, True
            found |= {"failure": texts, "_failure": which}
        return found


def _finite(rewards: Floats, failures: dict[int, str]) -> tuple[Floats, dict[int, str]]:
    """Return rewards that are numbers; members whose reward is none have failed."""
    wrong = ~np.isfinite(rewards)
    if not np.any(wrong):
        return rewards, failures
    found = {int(k): failures.get(int(k), "its reward is not finite") for k in np.flatnonzero(wrong)}
    return np.where(wrong, 0.0, rewards), failures | found


def _require_started(failures: dict[int, str]) -> None:
    """Raise where a start could not be assembled."""
    for member, why in failures.items():
        message = f"member {member} cannot begin at the initial values that were drawn: {why}"
        raise AnalysisError(message, Status(False, message, 0.0))


def environment(plant: Plant, single: bool, limit: Any, autoreset: str) -> Environment | Environments:
    """Return one environment, or a vector of them."""
    if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int | np.integer) or limit < 1):
        raise ModelError(f"limit is {short(limit)}", where="environment", hint="give a number of steps, or none")
    most = None if limit is None else int(limit)
    return Environment(plant, most) if single else Environments(plant, most, autoreset)
