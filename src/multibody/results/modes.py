"""Modes as a result: a table of frequencies, shapes by bodies and coordinates, state-space matrices with names."""

from __future__ import annotations

import pathlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from multibody._result_verbs import PageVerbs
from multibody._target import named_path
from multibody.analyses.given.own_options import own_options
from multibody.analyses.measures.contact import line_notes
from multibody.analyses.modes import modes as analysis
from multibody.arguments import answered, warn
from multibody.errors import ModelError
from multibody.model.units import Units
from multibody.results.mode_words import coordinates_tell, shape_words
from multibody.results.plain import gravity_notes, gravity_text
from multibody.results.reading import sealed
from multibody.results.state import State
from multibody.state.named_columns import displacements, joint_coordinates
from multibody.state.state import Status
from multibody.state.system import Floats, System

if TYPE_CHECKING:
    import control
    import pandas

    from multibody.model.model import Model

Complexes = npt.NDArray[np.complex128]
SHOWN = 30  # modes of the table


@dataclass(frozen=True)
class Shape:
    """The shape of a mode: complex amplitudes, largest 1 (lengths over the characteristic length).

    Attributes
    ----------
    bodies : dict
        ``{body: {"translation": array, "rotation": array}}``: of the center of mass and of the body, in ground axes; a planar
        rotation is one number.
    coordinates : dict
        ``{coordinate: amplitude}`` of the scalar coordinates of joints.
    """

    bodies: dict[str, dict[str, Any]]
    coordinates: dict[str, complex]

    def plain(self) -> dict[str, Any]:
        """Return real and imaginary parts as lists."""
        parts = {
            body: {key: [[float(x.real), float(x.imag)] for x in np.atleast_1d(value)] for key, value in item.items()}
            for body, item in self.bodies.items()
        }
        return {"bodies": parts, "coordinates": {name: [x.real, x.imag] for name, x in self.coordinates.items()}}


@dataclass(frozen=True)
class StateSpace:
    """ẋ = A x + B u, y = C x + D u about the state, with the names of x, u and y."""

    A: Floats
    B: Floats
    C: Floats
    D: Floats
    states: list[str]
    inputs: list[str]
    outputs: list[str]


@answered
class Modes(PageVerbs):
    """Natural frequencies, damping ratios and shapes of the motion near a state.

    Parameters
    ----------
    found : Linear

    Attributes
    ----------
    status : Status
    state : State
        About which it was linearized.
    eigenvalues : array of complex
        λ of exp(λ t), one of every conjugate pair, lowest first [1/time]; free directions are exactly 0.
    notes : list of str
    """

    def __init__(self, found: analysis.Linear) -> None:
        self.found, self.tables = found, found.state.tables
        self.model = self.tables.model
        self.status: Status = found.status
        self.state = State.of(found.state)
        self.eigenvalues = sealed(found.eigenvalues)
        lines = line_notes(self.state.measurer) if self.ok else []
        self.notes: list[str] = list(dict.fromkeys([*gravity_notes(self.tables), *found.notes, *lines]))
        if not self.ok:
            warn(f"{self.model.name}: {self.status.sentence}")

    @property
    def ok(self) -> bool:
        """Whether there was a state to linearize about."""
        return self.status.success

    def __len__(self) -> int:
        """Return the number of modes."""
        return len(self.eigenvalues)

    @property
    def frequencies(self) -> Floats:
        """Natural frequencies |λ|/2π [Hz]; of a mode that does not oscillate that of its rate."""
        seconds = self.model.units.factor(0, 1, 0)
        return np.asarray(np.abs(self.eigenvalues) / (2.0 * np.pi * seconds))

    @property
    def damped_frequencies(self) -> Floats:
        """Frequencies of the oscillation, Im λ/2π [Hz]."""
        return np.asarray(self.eigenvalues.imag / (2.0 * np.pi * self.model.units.factor(0, 1, 0)))

    @property
    def damping_ratios(self) -> Floats:
        """Damping ratios −Re λ/|λ|: 0 undamped, 1 no oscillation, negative where it grows; NaN for free directions."""
        sizes = np.abs(self.eigenvalues)
        return np.asarray(np.where(sizes > 0.0, -self.eigenvalues.real / np.where(sizes > 0.0, sizes, 1.0), np.nan))

    @property
    def stable(self) -> bool:
        """Whether nothing grows; free directions and undamped oscillations do not."""
        rest = self.found.equilibrium
        if rest is not None and rest.stability is not None and rest.stability.kind == "unstable":
            return False  # a large model may have it among modes that were not asked for
        sizes = np.abs(self.eigenvalues)
        return bool(np.all(self.eigenvalues.real <= 1e-9 * max(float(np.max(sizes, initial=0.0)), 1e-300)))

    @cached_property
    def _system(self) -> System:
        system = System(self.tables)
        system.ref[:] = self.found.state.references
        return system

    def shape(self, k: int) -> Shape:
        """Return the shape of mode k.

        Parameters
        ----------
        k : int
            Counted from 0.
        """
        if isinstance(k, bool) or not isinstance(k, int | np.integer) or not -len(self) <= k < len(self):
            raise ModelError(f"there is no mode {k}", where="modes", hint=f"there are {len(self)}, counted from 0")
        d, q = self.found.shapes[:, k], self.found.state.q
        bodies = {
            name: {"translation": np.array(moved), "rotation": turned[0] if self.tables.dimension == 2 else turned}
            for name, (moved, turned) in displacements(self._system, q, d).items()
        }
        coordinates = joint_coordinates(self._system, q)
        amplitudes = coordinates.gradients @ d
        return Shape(bodies, {name: complex(x) for name, x in zip(coordinates.names, amplitudes, strict=True)})

    def words(self, k: int) -> str:
        """Return the shape of mode k by the coordinates that change most; where these do not tell all, by bodies too."""
        return shape_words(self._system, self.found.state.q, np.real(self.found.shapes[:, k]), self._told)

    @cached_property
    def _told(self) -> bool:
        """Whether joint coordinates tell every shape."""
        return coordinates_tell(self._system, self.found.state.q, self.found.shapes)

    def state_space(self) -> StateSpace:
        """Return A, B, C, D with the names of states (coordinates, then their rates), inputs and outputs."""
        made = self.found.minimal
        if made is None:
            hint = "nothing moves" if len(self) == 0 else "models of up to 400 coordinates have them"
            raise ModelError("there are no state-space matrices", where="modes", hint=hint)
        states = [*made.names, *(f"{name}.rate" for name in made.names)]
        found = self.found
        A, B, C, D = (np.array(matrix) for matrix in (made.A, found.B, found.C, found.D))
        return StateSpace(A, B, C, D, states, list(found.inputs), list(found.outputs))

    def plain(self, units: str | None = None) -> dict[str, Any]:
        """Return what the command line prints as JSON; ``units="SI"`` converts times."""
        si = units == "SI"
        seconds = self.model.units.factor(0, 1, 0)
        factor = 1.0 / seconds if si else 1.0
        rows = []
        for k, value in enumerate(self.eigenvalues):
            ratio = float(self.damping_ratios[k])
            rows.append({
                "frequency": float(self.frequencies[k]), "damped_frequency": float(self.damped_frequencies[k]),
                "damping_ratio": None if np.isnan(ratio) else ratio,
                "eigenvalue": [float(value.real) * factor, float(value.imag) * factor], "shape": self.shape(k).plain(),
            })  # fmt: skip
        return {
            "model": self.model.name, "units": (Units() if si else self.model.units).plain(),
            "gravity": gravity_text(self.tables),
            "status": {**self.status.plain(), "time_reached": self.status.time_reached * (seconds if si else 1.0)},
            "stable": self.stable if self.ok else None, "modes": rows, "notes": self.notes,
        }  # fmt: skip

    def to_pandas(self) -> pandas.DataFrame:
        """Return the table for pandas: a row a mode, with frequencies [Hz], damping ratio, eigenvalue and shape in words."""
        from multibody.results.mode_files import mode_frame

        return mode_frame(self)

    def save(self, file: str | pathlib.Path) -> None:
        """Write the modes by a file's ending.

        Parameters
        ----------
        file : path
            ``.csv``: the table; ``.json``: what the command line prints; ``.mat`` (MATLAB, Octave): eigenvalues, shapes and
            the state-space matrices with their names.
        """
        from multibody.results.mode_files import save_modes

        save_modes(self, pathlib.Path(named_path(file)))

    def to_control(self) -> control.StateSpace:
        """Return the state space for python-control (extra ``control``): states, inputs and outputs have their names.

        Units, the state that it is about and what the numbers mean are in its ``notes``; inputs and outputs are deviations
        from that state.
        """
        from multibody.results.control import state_space_of

        return state_space_of(self)

    def headings(self) -> tuple[str, str, str, str, str]:
        """Return the headings of the table."""
        return ("mode", "frequency [Hz]", "damping", f"eigenvalue [1/{self.model.units.time}]", "shape")

    def rows(self) -> list[tuple[str, str, str, str, str]]:
        """Return the table: number, frequency, damping ratio, eigenvalue, shape in words."""
        found = []
        for k, value in enumerate(self.eigenvalues[:SHOWN]):
            ratio = self.damping_ratios[k]
            text = "0 (free)" if value == 0.0 else f"{self.frequencies[k]:.5g}"
            found.append((str(k), text, "" if np.isnan(ratio) else f"{ratio + 0.0:.4g}", _complex(value), self.words(k)))
        return found

    def __repr__(self) -> str:
        """Return a table for people."""
        lines = [f'modes of "{self.model.name}" at t = {self.state.t:g}: {self.status.message}']
        table = [self.headings(), *self.rows()]
        widths = [max(len(row[c]) for row in table) for c in range(5)]
        if len(table) > 1:
            lines += ["  " + "  ".join(f"{cell:<{w}}" for cell, w in zip(row, widths, strict=True)).rstrip() for row in table]
        if len(self) > SHOWN:
            lines.append(f"  and {len(self) - SHOWN} more")
        return "\n".join(lines + (["notes:", *(f"  {note}" for note in self.notes)] if self.notes else []))


def _complex(value: complex) -> str:
    """Return a complex number for people, without round-off."""
    size = abs(value)
    real, imaginary = (0.0 if abs(x) < 1e-9 * size else x for x in (value.real, value.imag))
    if imaginary == 0.0:
        return f"{real:.5g}"
    return f"{real:.5g} ± {imaginary:.5g}i" if real else f"± {imaginary:.5g}i"


def modes_of(
    model: Model, initial: Any, at: Any, inputs: Sequence[str] | None, outputs: Sequence[str] | None, count: int | None
) -> Modes:
    """Return the modes of a model; see :meth:`Model.modes`."""
    asked = own_options(model, "modes", at=at, inputs=inputs, outputs=outputs, count=count)
    return Modes(analysis.modes(model, initial, **asked))
