"""Units: a coherent set chosen by the model; every number and expression is in it, and results name it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from multibody.errors import ModelError, nearest

LENGTHS = {"m": 1.0, "mm": 1e-3, "cm": 1e-2, "km": 1e3, "um": 1e-6, "in": 0.0254, "ft": 0.3048}
TIMES = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "min": 60.0, "h": 3600.0}
MASSES = {"kg": 1.0, "g": 1e-3, "t": 1e3, "lb": 0.45359237, "slug": 14.593902937206364}
FORCES = {"N": 1.0, "kN": 1e3, "mN": 1e-3, "lbf": 4.4482216152605, "kgf": 9.80665}


@dataclass(frozen=True)
class Units:
    """A coherent set: length, time and either mass or force. Angles are radians."""

    length: str = "m"
    time: str = "s"
    mass: str | None = "kg"
    force: str | None = None

    @property
    def names(self) -> dict[str, str]:
        """Names of the units of the quantities that results carry."""
        force = self.force or ("N" if self == Units() else f"{self.mass}·{self.length}/{self.time}²")
        mass = self.mass or f"{self.force}·{self.time}²/{self.length}"
        return {
            "length": self.length, "time": self.time, "mass": mass, "force": force, "angle": "rad",
            "moment": f"{force}·{self.length}", "energy": "J" if self == Units() else f"{force}·{self.length}",
        }  # fmt: skip

    def factor(self, length: float, time: float, mass: float) -> float:
        """Return the SI value of one unit of lengthᵃ timeᵇ massᶜ."""
        unit_length, unit_time = LENGTHS[self.length], TIMES[self.time]
        if self.mass is not None:
            unit_mass = MASSES[self.mass]
        else:
            unit_mass = FORCES[str(self.force)] * unit_time**2 / unit_length
        return float(unit_length**length * unit_time**time * unit_mass**mass)

    def plain(self) -> dict[str, str]:
        """Return the mapping a file has for it."""
        return {
            k: v
            for k, v in (("length", self.length), ("time", self.time), ("mass", self.mass), ("force", self.force))
            if v
        }


def rate_unit(unit: str, time: str, order: int) -> str:
    """Return the unit of the order-th time derivative."""
    return unit if order == 0 else f"{unit}/{time}" + ("²" if order == 2 else "")


def read_units(given: Mapping[str, str] | Units | None) -> Units:
    """Return the set of units; unknown names are errors with the near one."""
    if given is None:
        return Units()
    if isinstance(given, Units):
        return given
    tables = {"length": LENGTHS, "time": TIMES, "mass": MASSES, "force": FORCES}
    for key, value in given.items():
        if key not in tables:
            raise ModelError(
                f'unknown quantity "{key}"', where="units", hint="units are length, time and mass or force"
            )
        if value not in tables[key]:
            hint = f"{nearest(str(value), tables[key])} It is one of {', '.join(tables[key])}".strip()
            raise ModelError(f'unknown unit "{value}" of {key}', where="units", hint=hint)
    if "mass" in given and "force" in given:
        raise ModelError("mass and force are both given", where="units", hint="give one; the other follows")
    mass = None if "force" in given else given.get("mass", "kg")
    return Units(given.get("length", "m"), given.get("time", "s"), mass, given.get("force"))
