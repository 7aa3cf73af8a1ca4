"""A motor behind a gear: what it has to give, which ratio suits it best, and whether its envelope holds.

With the ratio N = motor speed over coordinate rate, the efficiency η of the gear and the rotor inertia J

    ω = N q̇,    T = τ/(N η) + J N q̈ where the drive gives power (τ q̇ ≥ 0),    T = τ η/N + J N q̈ where it takes power back.

A drive that holds a load counts as one that gives power: what it has to give to begin to lift.

All numbers are in SI units.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from multibody.model.motors import Motor, Points
from multibody.results.drives import Duty
from multibody.results.over_time import Floats, mean, rms

TRIED = 61  # ratios over two decades: neighbors differ by 8 %
HOLDING = 1e-9  # part of the largest power that comes back and still counts as none


@dataclass(frozen=True)
class Gear:
    """A gear between motor and coordinate.

    Attributes
    ----------
    ratio : float
        Motor speed over the coordinate's rate, positive [1, or rad/m].
    efficiency : float
        Part of the power that arrives, in either direction.
    inertia : float
        Of the gear, coupling and brake, at the motor's side [kg·m² or kg].
    """

    ratio: float
    efficiency: float = 1.0
    inertia: float = 0.0


@dataclass(frozen=True)
class Candidate:
    """A motor with a gear, and how it fits.

    Attributes
    ----------
    motor : Motor
    gear : Gear
    peak_effort, rms_effort : float
        Of the motor, the mean over the cycle [N·m or N].
    peak_speed, mean_speed : float
        [rad/s or m/s]
    peak_power : float
        Largest power that the motor gives [W].
    inertia_ratio : float or None
        Largest reflected inertia of the load over that of rotor and gear, both at the motor; infinite where these have none.
    best_ratio : float or None
        The ratio with the smallest RMS effort of this motor, or the largest that its top speed allows; None where a larger
        or a smaller one is always better.
    peak_margin, continuous_margin, speed_margin : float
        What the motor can give over what it has to: the peak envelope at the worst instant, the continuous envelope at the mean
        speed over the RMS effort, the top speed over the largest.
    above_continuous : float
        Part of the motion's time with more effort than the continuous envelope at that speed.
    feasible : bool
        Whether all margins are at least the one asked for, and the inertia ratio at most.
    reason : str
        What fails, in words; nothing if it is feasible.
    """

    motor: Motor
    gear: Gear
    peak_effort: float
    rms_effort: float
    peak_speed: float
    mean_speed: float
    peak_power: float
    inertia_ratio: float | None
    best_ratio: float | None
    peak_margin: float
    continuous_margin: float
    speed_margin: float
    above_continuous: float
    feasible: bool
    reason: str

    @property
    def use(self) -> float:
        """How much of the motor is used: 1 over its smallest margin."""
        smallest = min(self.peak_margin, self.continuous_margin, self.speed_margin)
        return 1.0 / smallest if smallest > 0.0 else math.inf


def lossy(duty: Duty, efficiency: float) -> Floats:
    """Return the effort of a drive with the loss of its gear: more where it gives power or holds, less where it takes some."""
    power = duty.power
    back = -HOLDING * float(np.max(np.abs(power[np.isfinite(power)]), initial=0.0))
    return duty.effort * np.where(power >= back, 1.0 / efficiency, efficiency)


def through(duty: Duty, gear: Gear, inertia: float) -> tuple[Floats, Floats]:
    """Return speed and effort of a motor over time.

    Parameters
    ----------
    duty : Duty
        What happens at the coordinate.
    gear : Gear
    inertia : float
        Of the rotor [kg·m² or kg].
    """
    effort = lossy(duty, gear.efficiency) / gear.ratio + (inertia + gear.inertia) * gear.ratio * duty.acceleration
    return gear.ratio * duty.rate, effort


def best_ratio(duty: Duty, motor: Motor, efficiency: float, inertia: float, margin: float) -> float | None:
    """Return the ratio that gives a motor the smallest RMS effort, bounded by its top speed.

    T = a/N + b N with a = τ η^∓1 and b = J q̈ has the mean square ⟨a²⟩/N² + 2⟨a b⟩ + ⟨b²⟩N², least at N⁴ = ⟨a²⟩/⟨b²⟩; for a pure
    inertia without losses that is the ratio at which load and rotor match. None where nothing bounds it: nothing moves, or
    the drive has nothing to give.
    """
    load = rms(duty.time, lossy(duty, efficiency))
    own = (motor.inertia + inertia) * rms(duty.time, duty.acceleration)
    fastest = float(np.max(np.abs(duty.rate), initial=0.0))
    bound = motor.speed / (margin * fastest) if fastest > 0.0 else math.inf
    wanted = math.sqrt(load / own) if own > 0.0 else math.inf
    found = min(wanted, bound)
    return found if math.isfinite(found) and found > 0.0 else None


def roomiest(duty: Duty, motor: Motor, efficiency: float, inertia: float, margin: float) -> Gear | None:
    """Return the gear that leaves a motor most: its smallest margin is the largest on a grid of ratios up to the top speed.

    None where no speed bounds a ratio and none is best: a drive that holds still has the more of its motor the larger it is.
    """
    fastest = float(np.max(np.abs(duty.rate), initial=0.0))
    best = best_ratio(duty, motor, efficiency, inertia, margin)
    grid = motor.speed / fastest / margin * np.geomspace(1.0, 1e-2, TRIED) if fastest > 0.0 else np.zeros(0)
    gears = [Gear(float(ratio), efficiency, inertia) for ratio in [*([] if best is None else [best]), *grid]]
    return None if not gears else max(gears, key=lambda gear: min(_margins(duty, motor, *through(duty, gear, motor.inertia))))


def limit(points: Points, speed: Floats) -> Floats:
    """Return what an envelope allows at speeds of either sign; nothing beyond its last corner."""
    speeds, efforts = np.array(points).T
    inside = np.abs(speed) <= speeds[-1] * (1.0 + 1e-12)
    return np.where(inside, np.interp(np.abs(speed), speeds, efforts), 0.0)


def candidate(duty: Duty, motor: Motor, gear: Gear, margin: float, most_inertia: float | None) -> Candidate:
    """Return how a motor with a gear fits a duty."""
    speed, effort = through(duty, gear, motor.inertia)
    known = np.isfinite(effort)
    peak_speed, peak_effort = float(np.max(np.abs(speed))), float(np.max(np.abs(effort[known]), initial=0.0))
    power = effort[known] * speed[known]
    above = np.where(np.abs(effort) > limit(motor.continuous, speed), 1.0, 0.0)
    felt = duty.inertia[np.isfinite(duty.inertia)]
    own = (motor.inertia + gear.inertia) * gear.ratio**2
    ratio = _ratio(float(np.max(felt)), own) if len(felt) else None
    margins = _margins(duty, motor, speed, effort)
    rms_effort, mean_speed = _means(duty, speed, effort)
    reasons = _reasons(margins, ratio, margin, most_inertia)
    best = best_ratio(duty, motor, gear.efficiency, gear.inertia, margin)
    return Candidate(
        motor, gear, peak_effort, rms_effort, peak_speed, mean_speed, max(float(np.max(power, initial=0.0)), 0.0), ratio, best,
        *margins, mean(duty.time, above), not reasons, ", ".join(reasons),
    )  # fmt: skip


def _means(duty: Duty, speed: Floats, effort: Floats) -> tuple[float, float]:
    """Return RMS effort and mean speed of a motor over the cycle, with its rest."""
    return rms(duty.time, effort) * math.sqrt(duty.share), mean(duty.time, np.abs(speed)) * duty.share


def _margins(duty: Duty, motor: Motor, speed: Floats, effort: Floats) -> tuple[float, float, float]:
    """Return what a motor can give over what it has to: at the peak, for ever, in speed."""
    known = np.isfinite(effort)
    rms_effort, mean_speed = _means(duty, speed, effort)
    return (
        _worst(limit(motor.peak, speed[known]), np.abs(effort[known])),
        _over(float(limit(motor.continuous, np.array([mean_speed]))[0]), rms_effort),
        _over(motor.speed, float(np.max(np.abs(speed)))),
    )


def _reasons(margins: tuple[float, float, float], ratio: float | None, margin: float, most_inertia: float | None) -> list[str]:
    """Return what fails."""
    words = ("peak effort", "continuous effort", "speed")
    slack = 1.0 - 1e-9  # a ratio that was chosen for its bound is not to fail by round-off
    found = [word for word, own in zip(words, margins, strict=True) if not own >= margin * slack]
    if most_inertia is not None and ratio is not None and ratio > most_inertia:
        found.append("inertia ratio")
    return found


def _ratio(load: float, own: float) -> float | None:
    """Return the ratio of two inertias: infinite where only the load has one, None where neither has."""
    return load / own if own > 0.0 else math.inf if load > 0.0 else None


def _over(given: float, needed: float) -> float:
    """Return how often a need is met; without end where there is none."""
    return given / needed if needed > 0.0 else math.inf


def _worst(given: Floats, needed: Floats) -> float:
    """Return the smallest ratio of what is given to what is needed over the instants."""
    real = needed > 1e-12 * np.max(needed, initial=0.0)
    return float(np.min(given[real] / needed[real], initial=math.inf))


def power_of(motor: Motor) -> float:
    """Return the largest power that a motor gives for ever [W]: what its size is judged by."""
    speeds = np.linspace(0.0, motor.continuous[-1][0], 101)
    return float(np.max(speeds * limit(motor.continuous, speeds)))
