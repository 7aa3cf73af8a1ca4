"""Tables of motors: YAML, JSON or CSV files, and the generic ones that come with the package."""

from __future__ import annotations

import csv
import io
import os
from pathlib import Path
from typing import Any

from multibody.errors import ModelError
from multibody.files.document import read_plain
from multibody.files.yaml12 import read_json, read_yaml
from multibody.model.motors import FIELDS, Motor, read_motor

GENERIC = "generic"
ENDINGS = (".yaml", ".yml", ".json", ".csv")


def read_motors(source: Any) -> list[Motor]:
    """Return the motors of a table.

    Parameters
    ----------
    source : path, "generic", mapping or list
        A file (``motors: {NAME: {...}}`` in YAML and JSON, one line a motor in CSV), the generic motors of the package, motors
        by name as a mapping, or motors that were read before.
    """
    if isinstance(source, dict):
        return [read_motor(str(name), item) for name, item in source.items()]
    if isinstance(source, list | tuple) and all(isinstance(item, Motor) for item in source):
        return list(source)
    if not isinstance(source, str | os.PathLike):
        raise ModelError(f"{source!r} is no table of motors", where="motors", hint='give a file, a mapping or "generic"')
    if str(source) == GENERIC:
        return _read(Path(__file__).parent.parent / "library" / "motors.yaml", GENERIC)
    return _read(Path(source), str(source))


def _read(file: Path, shown: str) -> list[Motor]:
    """Return the motors of a file under the name that messages show."""
    ending = file.suffix.lower()
    if ending not in ENDINGS:
        raise ModelError(f'unknown ending "{file.suffix}"', file=shown, hint='use .yaml, .json or .csv, or say "generic"')
    try:
        text = read_plain(file, shown).decode("utf-8-sig")
    except FileNotFoundError:
        raise ModelError("there is no such file", file=shown, hint="check the path") from None
    except UnicodeDecodeError:
        raise ModelError("it is no text in UTF-8", file=shown, hint="save it as UTF-8") from None
    except OSError as error:
        raise ModelError(f"it cannot be read ({error.strerror})", file=shown, hint="check the path") from None
    data = _csv(text, shown) if ending == ".csv" else _map(text, ending, shown)
    if not data:
        raise ModelError("it has no motors", file=shown, hint="write motors: {NAME: {continuous, peak, speed, inertia}}")
    return [read_motor(str(name), item, shown) for name, item in data.items()]


def _map(text: str, ending: str, shown: str) -> dict[str, Any]:
    """Return the motors of a YAML or JSON text by name."""
    data = (read_json(text, shown) if ending == ".json" else read_yaml(text, shown)).data
    motors = data.get("motors") if isinstance(data, dict) and set(data) == {"motors"} else None
    if not isinstance(motors, dict):
        raise ModelError("it has not the one key motors, with motors by name", file=shown, hint="write motors: {NAME: {...}}")
    return motors


def _csv(text: str, shown: str) -> dict[str, Any]:
    """Return the lines of a CSV text by the column ``name``; points are written ``0:1.2 300:0.9``, speed and effort."""
    lines = list(csv.reader(io.StringIO("\n".join(line for line in text.splitlines() if not line.startswith("#")))))
    head = [cell.strip() for cell in lines[0]] if lines else []
    for key in head:
        if key not in ("name", *FIELDS):
            raise ModelError(f'unknown column "{key}"', file=shown, hint=f"columns are name, {', '.join(FIELDS)}")
    if "name" not in head:
        raise ModelError("it has no column name", file=shown, hint=f"columns are name, {', '.join(FIELDS)}")
    found: dict[str, Any] = {}
    for k, cells in enumerate(lines[1:], start=2):
        if not any(cell.strip() for cell in cells):
            continue
        row = dict(zip(head, (cell.strip() for cell in cells), strict=False))
        name = row.pop("name", "")
        if not name or name in found:
            problem = f'motor "{name}" is there twice' if name else "the name is missing"
            raise ModelError(problem, file=shown, line=k, hint="give every motor a name of its own")
        found[name] = {key: _cell(key, value) for key, value in row.items() if value}
    return found


def _cell(key: str, value: str) -> Any:
    """Return a cell; points of an envelope as a list."""
    if key in ("continuous", "peak") and ":" in value:
        return [part.split(":", 1) for part in value.replace(";", " ").split()]
    return value
