"""Model files that are nearly right: valid ones with words, numbers, keys and structure changed by a seeded generator.

One seed gives one file, the same everywhere. Used by the suite with a few hundred seeds and by ``benchmarks/fuzz.py``.
"""

from __future__ import annotations

import copy
import functools
import json
import random
from typing import Any

import multibody as mb
from multibody.files.writer import model_to_plain
from multibody.files.yaml12 import write_yaml
from multibody.library import names

MOST_BODIES = 16  # of a model that is changed: verbs are to answer quickly
NUMBERS: tuple[Any, ...] = (
    0, -0.0, 1, -1, 1e300, -1e300, 1e-306, 5e-324, 1.7e308, 1e100, 1e-100, 1e40, 1e-40, 10**400, -(10**18), 2**63, 0.1, 1e9,
    float("nan"), float("inf"), float("-inf"), True, False,
)  # fmt: skip
WORDS: tuple[Any, ...] = (
    "", " ", "nan", "inf", "1e999", "t", "0*t", "1/0", "0/0", "sqrt(-1)", "log(0)", "1/t", "t^1e9", "(-t)^0.5", "tan(pi/2)",
    "ground", "ground.origin", "a.b.c.d", "..", "x" * 300, "ünïcode", "日本語", "\u202e", "a\0b", "\n", "\t", "{}", "[1,2",
    "$k", "if(t<1, 0, 1)", "step(t,0,0,0,1)", "abs(t-0.01)", "sign(t)", "9" * 40, "t" + "*t" * 60, "sin(" * 40 + "t" + ")" * 40,
    "exp(exp(exp(10)))", "10^300*10^300", "atan2(0,0)", "min()", "max(t)", "norm([1,2,3])", "deg", "rpm*t", "__class__",
    "O.angle", "O.rate", "energy.total", "null", "~", "0x10", "-", "1e-400", "1_000",
)  # fmt: skip
SHAPES: tuple[Any, ...] = (
    None, [], {}, [[]], [0, 0], [0, 0, 0], [1e300, 1], [1, 2, 3, 4], {"x": 1}, {"value": 1}, [None], ["a", "b"],
    [[1, 0], [0, 1]], {"for": {"k": 3}},
    [{"for": {"k": 10**12}, "bodies": {"b$k": {}}}], [{"model": "none.yaml", "prefix": "p_"}], [True],
)  # fmt: skip
KEYS = (
    "mass", "inertia", "com", "frames", "shape", "at", "axis", "axes", "angle", "gravity", "length", "dimension",
    "units", "bodies", "joints", "forces", "motions", "initial", "guess", "outputs", "events", "parameters", "tables",
    "run", "kinematics", "repeat", "include", "ground", "name", "stiffness", "damping", "free_length", "value",
    "until", "formulation", "integrator", "rtol", "weight", "ratio", "teeth", "profile", "pitch", "distance",
    "carrier", "terminal", "direction", "when", "1", "true", "",
)  # fmt: skip


@functools.cache
def sources() -> tuple[dict[str, Any], ...]:
    """Return the data of the valid models: those of the library that are small."""
    models = (mb.load(name) for name in names())
    return tuple(model_to_plain(model) for model in models if len(model.bodies) <= MOST_BODIES)


def mutated(seed: int) -> tuple[str, str]:
    """Return the ending and the text of the file of a seed."""
    draw = random.Random(seed)
    data = copy.deepcopy(draw.choice(sources()))
    for _ in range(draw.choice((1, 1, 1, 2, 2, 3, 6))):
        _mutate(data, draw)
    text, ending = _written(data, draw)
    if draw.random() < 0.12:
        text = _damaged(text, draw)
    return ending, text


def _places(data: Any, found: list[tuple[Any, Any]] | None = None) -> list[tuple[Any, Any]]:
    """Return every (container, key or index) of nested data."""
    found = [] if found is None else found
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in list(items):
        found.append((data, key))
        _places(value, found)
    return found


def _mutate(data: dict[str, Any], draw: random.Random) -> None:
    """Change one thing."""
    places = _places(data)
    if not places:
        data[draw.choice(KEYS)] = draw.choice(SHAPES)
        return
    holder, key = draw.choice(places)
    kind = draw.choice(("number", "number", "word", "shape", "drop", "key", "copy", "swap", "formula", "add", "scale"))
    if kind == "number":
        holder[key] = draw.choice(NUMBERS)
    elif kind == "word":
        holder[key] = draw.choice(WORDS)
    elif kind == "shape":
        holder[key] = copy.deepcopy(draw.choice(SHAPES))
    elif kind == "drop":
        del holder[key]
    elif kind == "key" and isinstance(holder, dict):
        new = draw.choice((*KEYS, str(key)[:-1], f"{key}x", str(key).upper()))
        holder[new] = holder.pop(key)
    elif kind == "copy" and isinstance(holder, dict):
        holder[f"{key}_{draw.randrange(9)}"] = copy.deepcopy(holder[key])
    elif kind == "swap":
        other, place = draw.choice(places)
        _swap(holder, key, other, place)
    elif kind == "formula" and isinstance(holder[key], str | int | float):
        form = draw.choice(("({})*{}", "({})/({})", "({})^({})", "({})+{}", "sqrt({})*{}", "-({})-{}", "if({} > 0, {}, t)"))
        holder[key] = form.format(holder[key], draw.choice(("t", "0", "1e200", "pi", "1e-200", "sin(t)", "abs(t)")))
    elif kind == "scale" and isinstance(holder[key], int | float) and not isinstance(holder[key], bool):
        factor = draw.choice((-1.0, 1e-9, 1e9, 1e30, 1e-30, 1.0 + 1e-9))
        holder[key] = holder[key] * (factor if abs(holder[key]) < 2**1000 else -1)  # some integers are beyond all floats
    elif isinstance(holder, dict):
        holder[draw.choice(KEYS)] = copy.deepcopy(draw.choice((*SHAPES, *NUMBERS, *WORDS)))


def _swap(one: Any, key: Any, other: Any, place: Any) -> None:
    """Exchange two values, each as a copy, so that nothing comes to hold itself."""
    first, second = copy.deepcopy(one[key]), copy.deepcopy(other[place])
    one[key], other[place] = second, first


def _written(data: dict[str, Any], draw: random.Random) -> tuple[str, str]:
    """Return the data as YAML or JSON; what YAML cannot say goes out as JSON, NaN and all."""
    if draw.random() < 0.6:
        try:
            return write_yaml(data), ".yaml"
        except (mb.ModelError, TypeError, ValueError):
            pass
    return json.dumps(data, ensure_ascii=draw.random() < 0.5, default=str), ".json"


def _damaged(text: str, draw: random.Random) -> str:
    """Return a text with letters lost, doubled or exchanged."""
    at = draw.randrange(len(text) + 1)
    kind = draw.choice(("cut", "letter", "line", "double", "nul", "nest"))
    if kind == "cut":
        return text[:at]
    if kind == "letter":
        return text[:at] + draw.choice("{}[]:,-#&*!|>'\"%@`\\\t 0\u2028\ufeff") + text[at + 1 :]
    if kind == "line":
        lines = text.split("\n")
        lines[draw.randrange(len(lines))] = draw.choice(lines)
        return "\n".join(lines)
    if kind == "double":
        return text + text
    return text[:at] + ("\0" if kind == "nul" else draw.choice(("[", "{")) * 3000) + text[at:]
