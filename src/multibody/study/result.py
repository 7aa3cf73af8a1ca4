"""The answer of a study: the numbers of all members as labeled data, with what they say together."""

from __future__ import annotations

import pathlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody._result_verbs import StudyVerbs
from multibody._target import named_path
from multibody.arguments import answered, short, warn
from multibody.errors import ModelError, nearest
from multibody.results.reading import sealed
from multibody.results.tables import Table, number
from multibody.state.state import Status
from multibody.study import statistics
from multibody.study.distributions import Floats
from multibody.study.members import DONE, FAILED, STATES, STOPPED, WAITING, Codes
from multibody.study.sobol import Indices, sobol_indices
from multibody.study.statistics import without_a_number

if TYPE_CHECKING:
    import pandas
    import xarray

    from multibody.model.model import Model
    from multibody.study.members import Members

MOST_REASONS = 8  # that are printed


@dataclass(frozen=True)
class About:
    """What a study was asked, as plain data: it is kept in files and stores.

    Attributes
    ----------
    name : str
        Of the model.
    keys, ranges : tuples of str
        What was varied, and how that was given.
    outputs, texts, units : tuples of str
        Names of the outputs, their formulas and their units.
    method : str
        Of the plan.
    seed : int
    shape : tuple of int
        Of a grid.
    analysis : str
    options : dict
        Of the analysis, as text where they are objects.
    model_text : str
        The model as a file has it.
    key_units : tuple of str
        Units of what was varied, as far as the model states them.
    """

    name: str
    keys: tuple[str, ...]
    ranges: tuple[str, ...]
    outputs: tuple[str, ...]
    texts: tuple[str, ...]
    units: tuple[str, ...]
    method: str
    seed: int
    shape: tuple[int, ...]
    analysis: str
    options: dict[str, Any] = field(default_factory=dict)
    model_text: str = ""
    key_units: tuple[str, ...] = ()


@answered
class Study(StudyVerbs):
    """Many members of one model.

    ``study["final slider.x"]`` is an output over the members, ``study["l2"]`` a parameter; ``print(study)`` a table.

    Parameters
    ----------
    about : About
    values : array (members, varied)
    outputs : array (members, outputs)
    status : array of int8 (members,)
    messages : dict
        By member.
    ended : str
        Why it ended early, nothing if it did not.
    members, model, statistics : optional
        What computed them, of what, and how.

    Attributes
    ----------
    status : Status
        Whether every member was computed, and how many of them are done.
    values, outputs : arrays (members, ·)
        Only to be read. Outputs of members that failed are NaN, of those that stopped early they are of the part they moved.
    states : list of str
        ``done``, ``stopped``, ``failed`` or ``not computed``, of every member.
    messages : dict
        Why a member stopped or failed, or which of its outputs is no number.
    statistics : dict
        How many members compiled loops and how many the ordinary path computed, and why; of members of this process alone.
    """

    def __init__(
        self, about: About, values: Floats, outputs: Floats, status: Codes, messages: Mapping[int, str], ended: str = "",
        members: Members | None = None, model: Model | None = None, statistics: Mapping[str, Any] | None = None,
        stored: bool = False,
    ) -> None:  # fmt: skip
        self.statistics = dict(statistics or {})
        self.about, self.values, self.outputs = about, sealed(values), sealed(outputs)
        undefined = np.flatnonzero((status == DONE) & ~np.all(np.isfinite(outputs), axis=1))
        said = without_a_number(about.texts, outputs, undefined.tolist()) | dict(messages)
        self.codes, self.messages, self._members, self.model = sealed(status), said, members, model
        counts = self.counts
        numbers = ", ".join(f"{count} {name}" for name, count in counts.items() if count or name == "done")
        message = f"{len(values)} members: {numbers}"
        kept = "what its store has is not computed again with resume=True (--resume)" if stored else "what is computed is kept"
        advice = kept if ended else ""
        complete = not ended and counts["not computed"] == 0
        self.status = Status(complete, f"{ended}; {message}" if ended else message, advice=advice)
        if ended:
            warn(f"{about.name}: {self.status.message}; {advice}")

    # --- members ------------------------------------------------------------------------------------------------------
    @property
    def ok(self) -> bool:
        """Whether every member was computed; some may have failed, see `counts`."""
        return self.status.success

    @property
    def states(self) -> list[str]:
        """``done``, ``stopped``, ``failed`` or ``not computed``, of every member."""
        return [STATES[code] for code in self.codes]

    @property
    def counts(self) -> dict[str, int]:
        """How many members are done, stopped, failed, not computed."""
        return {name: int(np.count_nonzero(self.codes == code)) for code, name in enumerate(STATES)}

    @property
    def names(self) -> tuple[str, ...]:
        """The outputs."""
        return self.about.outputs

    @property
    def keys(self) -> tuple[str, ...]:
        """What was varied."""
        return self.about.keys

    def __len__(self) -> int:
        """Return the number of members."""
        return len(self.values)

    def member(self, k: int) -> dict[str, Any]:
        """Return one member as plain data: its values, outputs, status and message.

        Parameters
        ----------
        k : int
            Counted from 0.
        """
        k = self._index(k)
        return {
            "values": dict(zip(self.keys, map(float, self.values[k]), strict=True)),
            "outputs": dict(zip(self.names, map(float, self.outputs[k]), strict=True)),
            "status": STATES[self.codes[k]], "message": self.messages.get(k, ""),
        }  # fmt: skip

    def repeat(self, k: int) -> Any:
        """Compute one member once more and return its whole result: a run, a state, as its analysis returns it.

        Parameters
        ----------
        k : int
            Counted from 0.
        """
        k = self._index(k)
        if self._members is None:
            hint = "set the model's parameters to study.member(k) and run it"
            raise ModelError("a file holds the numbers of a study alone", where="study.repeat", hint=hint)
        from multibody.study.repeat import repeated

        return repeated(self._members, self.values[k])

    def _index(self, k: int) -> int:
        if isinstance(k, bool) or not isinstance(k, int | np.integer) or not -len(self) <= k < len(self):
            raise ModelError(f"there is no member {short(k)}", where="study", hint=f"there are {len(self)}, counted from 0")
        return range(len(self))[k]

    # --- data ---------------------------------------------------------------------------------------------------------
    def column(self, name: str) -> tuple[Floats, str]:
        """Return an output or a varied number over all members, and its unit."""
        if name in self.names:
            k = self.names.index(name)
            return self.outputs[:, k], self.about.units[k]
        if name in self.keys:
            return self.values[:, self.keys.index(name)], dict(zip(self.keys, self.about.key_units, strict=False)).get(name, "")
        from multibody.study.language import with_parentheses

        known = {with_parentheses(text): text for text in self.names}
        same = known.get(with_parentheses(" ".join(str(name).split())))
        if same is not None:
            return self.column(same)
        choices = [*self.names, *self.keys]
        hint = f"{nearest(str(name), choices)} There is {', '.join(choices[:12])}.".strip()
        raise ModelError(f'"{name}" was not asked for', where="study", hint=hint)

    def __getitem__(self, name: str) -> xarray.DataArray:
        """Return an output or a varied number over the members, with the varied numbers as coordinates."""
        import xarray

        values, unit = self.column(name)
        return xarray.DataArray(np.array(values), dims=("member",), coords=self._coords(), name=name, attrs={"unit": unit})

    def _coords(self) -> dict[str, Any]:
        """Return member, varied numbers and status as coordinates."""
        varied = {key: ("member", np.array(self.values[:, k])) for k, key in enumerate(self.keys)}
        return {"member": np.arange(len(self)), **varied, "status": ("member", np.array(self.states, dtype=object))}

    @property
    def data(self) -> xarray.Dataset:
        """All outputs as a dataset over ``member``, with varied numbers and status as coordinates."""
        import xarray

        columns = {
            name: ("member", np.array(self.outputs[:, k]), {"unit": self.about.units[k]}) for k, name in enumerate(self.names)
        }
        attributes = {"model": self.about.name, "analysis": self.about.analysis, "method": self.about.method}
        return xarray.Dataset(columns, coords=self._coords(), attrs={**attributes, "seed": self.about.seed})

    def to_xarray(self) -> xarray.Dataset:
        """Return the outputs as a dataset: of a grid with a dimension for every parameter, else over ``member``."""
        import xarray

        if not self.about.shape:
            return self.data
        axes = self._axes()
        columns: dict[str, Any] = {
            name: (self.keys, self.outputs[:, k].reshape(self.about.shape).copy(), {"unit": self.about.units[k]})
            for k, name in enumerate(self.names)
        }
        columns["status"] = (self.keys, np.array(self.states, dtype=object).reshape(self.about.shape))
        return xarray.Dataset(columns, coords=axes, attrs={"model": self.about.name, "analysis": self.about.analysis})

    def _axes(self) -> dict[str, Floats]:
        """Return the values of every parameter of a grid."""
        sized = zip(self.keys, self.about.shape, strict=True)
        grid = self.values.reshape(*self.about.shape, len(self.keys))
        return {key: np.moveaxis(grid[..., k], k, 0).reshape(n, -1)[:, 0].copy() for k, (key, n) in enumerate(sized)}

    def to_pandas(self) -> pandas.DataFrame:
        """Return a table with a row a member: varied numbers, outputs, status, message."""
        import pandas

        columns: dict[str, Any] = {key: np.array(self.values[:, k]) for k, key in enumerate(self.keys)}
        columns |= {name: np.array(self.outputs[:, k]) for k, name in enumerate(self.names)}
        columns |= {"status": self.states, "message": [self.messages.get(k, "") for k in range(len(self))]}
        return pandas.DataFrame(columns, index=pandas.RangeIndex(len(self), name="member"))

    def save(self, file: str | pathlib.Path) -> None:
        """Write the study by a file's ending: ``.nc`` (netCDF, for ``mb.read_study``), ``.csv``, ``.parquet``, ``.json``."""
        from multibody.study.save import save

        save(self, pathlib.Path(named_path(file)))

    # --- what they say together ---------------------------------------------------------------------------------------
    def done(self, name: str) -> Floats:
        """Return an output of the members that are done."""
        return np.array(self.column(name)[0][self.codes == DONE])

    def mean(self, name: str) -> float:
        """Return the mean of an output over the members that are done."""
        return statistics.mean(self.done(name))

    def sd(self, name: str) -> float:
        """Return the standard deviation of an output over the members that are done."""
        return statistics.sd(self.done(name))

    def percentiles(self, name: str, parts: Sequence[float] | float = statistics.PERCENTILES) -> dict[float, float]:
        """Return the values of an output below which parts of the members that are done lie.

        Parameters
        ----------
        name : str
        parts : list of float
            From 0 to 100 [%].
        """
        asked = statistics.read_parts(parts)
        found = statistics.percentiles(self.done(name), asked)
        return {float(p): float(x) for p, x in zip(asked, found, strict=True)}

    def sobol(self, name: str | None = None) -> dict[str, Indices]:
        """Return Sobol' indices of outputs, first-order and total, of a study with ``method="saltelli"``.

        Parameters
        ----------
        name : str, optional
            One output; default all.

        Returns
        -------
        dict
            By output; the numbers of each are in the order of `keys`.
        """
        if self.about.method != "saltelli":
            problem = f"a plan of method {self.about.method} gives no Sobol' indices"
            raise ModelError(problem, where="study.sobol", hint='plan it with method="saltelli"')
        asked = self.names if name is None else (name,)
        found = {}
        for one in asked:
            values = np.where(self.codes == DONE, self.column(one)[0], np.nan)
            found[one] = sobol_indices(values.reshape(-1, len(self.keys) + 2), self.about.seed)
        return found

    def summary(self) -> Table:
        """Return the table of outputs: how many members, mean, spread, extremes and percentiles of those that are done."""
        heads = ("members", "mean", "sd", "least", "5 %", "median", "95 %", "largest")
        table = Table("", [("output", "left"), ("unit", "left"), *((head, "right") for head in heads)])
        for k, name in enumerate(self.names):
            values = statistics.known(self.done(name))
            scale = float(np.max(np.abs(values))) if len(values) else 0.0
            p = statistics.percentiles(values, np.array([0.0, 5.0, 50.0, 95.0, 100.0]))
            numbers = [statistics.mean(values), statistics.sd(values), *p]
            cells = [number(float(x), scale, 5) for x in numbers]
            table.rows.append([name, self.about.units[k], str(len(values)), *cells])
        return table

    def sobol_table(self) -> Table:
        """Return the Sobol' indices as a table, with the half widths of 95 % confidence intervals."""
        heads = [("first", "right"), ("±", "right"), ("total", "right"), ("±", "right")]
        table = Table("", [("output", "left"), ("parameter", "left"), *heads])
        for name, found in self.sobol().items():
            columns = (found.first, found.first_error, found.total, found.total_error)
            for k, key in enumerate(self.keys):
                table.rows.append([name if k == 0 else "", key, *(number(float(x[k]), digits=3) for x in columns)])
        return table

    def reasons(self) -> list[str]:
        """Return why members stopped, failed or have no number, most frequent first, with the number of the first one each."""
        groups: dict[tuple[int, str], list[int]] = {}
        for k, text in sorted(self.messages.items()):
            groups.setdefault((int(self.codes[k]), _shape_of(text)), []).append(k)
        ordered = sorted(groups.items(), key=lambda item: -len(item[1]))
        said = [
            f"{len(which)} {STATES[code]}, first member {which[0]}: {self.messages[which[0]]}"
            for (code, _), which in ordered[:MOST_REASONS]
        ]
        return [*said, f"and {len(ordered) - MOST_REASONS} more reasons"] if len(ordered) > MOST_REASONS else said

    def plain(self) -> dict[str, Any]:
        """Return what the command line prints as JSON."""
        outputs = {}
        for k, name in enumerate(self.names):
            values, parts = self.done(name), self.percentiles(name, (0, 5, 25, 50, 75, 95, 100))
            outputs[name] = {
                "unit": self.about.units[k], "members": len(statistics.known(values)), "mean": statistics.mean(values),
                "sd": statistics.sd(values), "percentiles": {f"{p:g}": x for p, x in parts.items()},
            }  # fmt: skip
        found: dict[str, Any] = {
            "model": self.about.name, "status": {"success": self.ok, "message": self.status.message}, "members": len(self),
            "counts": self.counts, "analysis": self.about.analysis, "method": self.about.method, "seed": self.about.seed,
            "parameters": dict(zip(self.keys, self.about.ranges, strict=True)), "outputs": outputs, "reasons": self.reasons(),
        }  # fmt: skip
        if self.about.method == "saltelli":
            found["sobol"] = {
                name: {key: {"first": float(i.first[k]), "first_error": float(i.first_error[k]), "total": float(i.total[k]),
                             "total_error": float(i.total_error[k])} for k, key in enumerate(self.keys)}
                for name, i in self.sobol().items()
            }  # fmt: skip
        return found

    def heading(self) -> str:
        """Return what was studied, in a line."""
        varied = ", ".join(f"{key} {text}" for key, text in zip(self.keys, self.about.ranges, strict=True))
        return f"{self.about.name}: {self.status.message}; {self.about.method} over {varied}"

    def __str__(self) -> str:
        """Return a short page."""
        parts = [self.heading(), self.summary().text(), *self.reasons()]
        if self.about.method == "saltelli":
            parts.append(f"Sobol' indices\n{self.sobol_table().text()}")
        return "\n".join(parts)

    def __repr__(self) -> str:
        """Return a line for people."""
        return f"<Study of {self.about.name!r}: {self.status.message}>"


def _shape_of(text: str) -> str:
    """Return a message without its numbers: members that stop at different times stop for one reason."""
    return "".join("0" if letter.isdigit() or letter in ".e+-" else letter for letter in text).replace("00", "0")[:200]


__all__ = ["DONE", "FAILED", "STOPPED", "WAITING", "About", "Study"]
