"""The same model in other units of length, mass and time: every number with a dimension is multiplied, formulas as they are."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

import multibody as mb
from multibody.files.reader import read_text
from multibody.files.writer import model_to_plain

LENGTHS = {"x", "y", "z", "position", "length"}  # names of coordinates that are lengths
RATES = {"rate": 1, "vx": 1, "vy": 1, "vz": 1, "acceleration": 2}
TIMES = {1e3: "ms", 1.0 / 60.0: "min"}  # units of time by how many of them a second is
SLIDING = {"translational", "distance"}


@dataclass(frozen=True)
class System:
    """How many of its units a meter, a kilogram and a second are, and how a file calls them where it can."""

    length: float = 1.0
    mass: float = 1.0
    time: float = 1.0

    def of(self, length: int = 0, mass: int = 0, time: int = 0) -> float:
        """Return what a number of dimension lengthᵃ massᵇ timeᶜ is multiplied by."""
        return self.length**length * self.mass**mass * self.time**time


# in "binary" units every number is multiplied by a power of two: where units do not matter at all, no digit changes
SYSTEMS = {
    "m-kg": System(), "mm-g": System(1e3, 1e3), "mm-t": System(1e3, 1e-3), "km-t": System(1e-3, 1e-3),
    "um-ng": System(1e6, 1e12), "mm-g-ms": System(1e3, 1e3, 1e3), "binary": System(2.0**10, 2.0**12),
    "ms": System(time=1e3), "min": System(time=1.0 / 60.0),
}  # fmt: skip


def in_units(model: mb.Model, to: System) -> mb.Model:
    """Return a model in other units.

    Parameters
    ----------
    model : Model
        In any units; formulas may name parameters and the time, coordinates only in outputs, which are left out.
    to : System
        Units by which its own are to be divided.
    """
    data = model_to_plain(model)
    data.pop("outputs", None)
    data.pop("units", None)
    if to.time != 1.0:
        data["units"] = {"time": TIMES[to.time]}
    kinds = {name: next(iter(joint)) for name, joint in data.get("joints", {}).items()}
    place = Placed(to, kinds, frozenset(data.get("parameters", {})))
    if "gravity" in data:
        data["gravity"] = place.times(data["gravity"], to.of(1, 0, -2))
    if "length" in data:
        data["length"] = place.times(data["length"], to.of(1))
    for section, change in {
        "ground": place.frame, "bodies": place.body, "joints": place.joint, "forces": place.force,
    }.items():  # fmt: skip
        data[section] = {name: change(item) for name, item in data.get(section, {}).items()}
    for section in ("initial", "guess", "motions"):
        data[section] = {path: place.value(path, item) for path, item in data.get(section, {}).items()}
    for verb in ("run", "kinematics"):
        if "until" in data.get(verb, {}):
            data[verb]["until"] = place.times(data[verb]["until"], to.of(0, 0, 1))
    text = json.dumps({key: item for key, item in data.items() if item != {}})
    return read_text(text, "other-units.json", mb.Model, format="json")


@dataclass(frozen=True)
class Placed:
    """Changes of the parts of a model; kinds of joints by their names, names of parameters."""

    to: System
    kinds: dict[str, str]
    parameters: frozenset[str]

    def times(self, value: Any, factor: float) -> Any:
        """Return a number, formula or list of them times a factor; the time in a formula is that of the old units."""
        if isinstance(value, list):
            return [self.times(item, factor) for item in value]
        if isinstance(value, int | float):
            return value * factor
        old = re.sub(r"(?<![\w.])t(?![\w.])", f"(t/{self.to.time!r})", value) if self.to.time != 1.0 else value
        return f"{factor!r}*({old})"

    def is_length(self, path: str) -> bool:
        """Return whether a coordinate is a length."""
        if ".omega" in path:
            return False
        parts = [part for part in path.split(".") if part not in ("rate", "acceleration")]
        return parts[-1] in LENGTHS or parts[-1] in ("vx", "vy", "vz") or self.kinds.get(parts[-1]) in SLIDING

    def value(self, path: str, value: Any) -> Any:
        """Return an initial value, guess or motion of a coordinate."""
        if isinstance(value, dict):
            return value | ({"value": self.value(path, value["value"])} if "value" in value else {})
        order = RATES.get(path.split(".")[-1], 1 if ".omega" in path else 0)
        factor = self.to.of(1 if self.is_length(path) else 0, 0, -order)
        return value if factor == 1.0 and not isinstance(value, str) else self.times(value, factor)

    def frame(self, item: Any) -> Any:
        """Return a frame: a point, or a mapping with one."""
        if isinstance(item, dict):
            return item | ({"at": self.times(item["at"], self.to.of(1))} if "at" in item else {})
        return self.times(item, self.to.of(1))

    def body(self, item: dict[str, Any]) -> dict[str, Any]:
        """Return a body."""
        factors = {"mass": self.to.of(0, 1), "inertia": self.to.of(2, 1), "com": self.to.of(1), "at": self.to.of(1)}
        for axis in "xyz":
            factors[axis] = self.to.of(1)
        found = {key: self.times(value, factors[key]) if key in factors else value for key, value in item.items()}
        if "frames" in item:
            found["frames"] = {name: self.frame(frame) for name, frame in item["frames"].items()}
        if "shape" in item:
            shapes = item["shape"] if isinstance(item["shape"], list) else [item["shape"]]
            found["shape"] = [self.shape(shape) for shape in shapes]
        return found

    def shape(self, item: dict[str, Any]) -> dict[str, Any]:
        """Return a solid; names of frames stay."""
        factors = {"density": self.to.of(-3, 1), "mass": self.to.of(0, 1), "axis": 1.0}
        numbers = {"density", "mass", "radius", "thickness"}

        def changed(key: str, value: Any) -> Any:
            if isinstance(value, list):
                return [changed(key, x) for x in value]
            if isinstance(value, str) and key not in numbers and value.isidentifier() and value not in self.parameters:
                return value  # a frame
            return self.times(value, factors.get(key, self.to.of(1)))

        return {key: changed(key, value) for key, value in item.items()}

    def joint(self, item: dict[str, Any]) -> dict[str, Any]:
        """Return a joint."""
        lengths = {"at", "lead", "length", "radius", "roller", "offset"}
        found = {key: self.times(value, self.to.of(1)) if key in lengths else value for key, value in item.items()}
        if "profile" in item:
            found["profile"] = self.times(item["profile"], self.to.of(1))
        return found

    def force(self, item: dict[str, Any]) -> dict[str, Any]:
        """Return a force."""
        kind = next(key for key in ("spring", "effort", "bushing", "stop", "friction", "force") if key in item)
        force, moment = self.to.of(1, 1, -2), self.to.of(2, 1, -2)
        own = {"effort", "stop", "friction"}
        unit = self.to.of(1) if kind == "spring" or (kind in own and self.is_length(item[kind])) else 1.0
        effort = force if kind in ("spring", "force") or unit != 1.0 or kind == "bushing" else moment
        if kind == "bushing":
            count = len(item["stiffness"])
            half = 2 if count == 3 else 3
            arms = [1.0] * half + [self.to.of(1)] * (count - half)  # a moment is a force times a length, an angle has no unit
            found = dict(item)
            for key, own in (("stiffness", force / self.to.of(1)), ("damping", force * self.to.time / self.to.of(1))):
                found[key] = [
                    [self.times(x, own * a * b) for x, b in zip(row, arms, strict=True)] if isinstance(row, list)
                    else self.times(row, own * a * a) for row, a in zip(item.get(key, []), arms, strict=False)
                ]  # fmt: skip
            if "preload" in item:
                found["preload"] = [self.times(x, force * a) for x, a in zip(item["preload"], arms, strict=True)]
            return {key: value for key, value in found.items() if value}
        factors = {
            "stiffness": effort / unit, "damping": effort * self.to.time / unit, "length": self.to.of(1), "rest": unit,
            "value": effort, "moment": moment, "lower": unit, "upper": unit, "load": effort, "smooth": unit / self.to.time,
        }  # fmt: skip
        if kind == "spring":
            factors["force"] = force
        return {key: self.times(x, factors[key]) if key in factors and key != kind else x for key, x in item.items()}
