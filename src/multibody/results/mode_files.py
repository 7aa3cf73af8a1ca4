"""Modes in files and tables of other programs."""

from __future__ import annotations

import json
import pathlib
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody._target import check_target, write_whole
from multibody.results.finite import finite
from multibody.results.mat import mat_bytes

if TYPE_CHECKING:
    import pandas

    from multibody.results.modes import Modes

ENDINGS = (".csv", ".json", ".mat")


def mode_frame(modes: Modes) -> pandas.DataFrame:
    """Return the table of modes; see :meth:`Modes.to_pandas`."""
    import pandas

    unit = f"[1/{modes.model.units.time}]"
    made = pandas.DataFrame({
        "frequency [Hz]": modes.frequencies, "damped frequency [Hz]": modes.damped_frequencies,
        "damping ratio": modes.damping_ratios,
        f"real {unit}": modes.eigenvalues.real, f"imaginary {unit}": modes.eigenvalues.imag,
        "shape": [modes.words(k) for k in range(len(modes))],
    }, index=pandas.RangeIndex(len(modes), name="mode"))  # fmt: skip
    made.attrs = {"model": modes.model.name, "status": modes.status.message, "success": modes.ok, "notes": list(modes.notes)}
    return made


def save_modes(modes: Modes, file: pathlib.Path) -> None:
    """Write modes by a file's ending; see :meth:`Modes.save`."""
    ending = check_target(file, ENDINGS, modes.model._files)
    if ending == ".csv":
        first = "" if modes.ok else f"# partial: {' '.join(modes.status.message.split())}\n"
        content = (first + mode_frame(modes).to_csv(float_format="%.17g", lineterminator="\n")).encode()
    elif ending == ".json":
        content = json.dumps(finite(modes.plain()), indent=1, allow_nan=False).encode()
    else:
        content = mat_bytes(_contents(modes))
    write_whole(file, content)


def _contents(modes: Modes) -> dict[str, Any]:
    """Return the variables of a MAT file; state-space matrices where there are some."""
    found: dict[str, Any] = {
        "eigenvalues": np.array(modes.eigenvalues), "frequencies": modes.frequencies, "damping_ratios": modes.damping_ratios,
        "shapes": [modes.words(k) for k in range(len(modes))], "notes": list(modes.notes), "model": modes.model.name,
        "status": modes.status.message, "success": modes.ok, "unit_system": modes.model.units.plain(),
    }  # fmt: skip
    if modes.found.minimal is None:
        return found
    space = modes.state_space()
    found |= {key: getattr(space, key) for key in ("A", "B", "C", "D")}
    return found | {"state_names": space.states, "input_names": space.inputs, "output_names": space.outputs}
