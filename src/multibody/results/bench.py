"""Benchmark problems solved with every formulation and integrator, as tables and plain data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from multibody.analyses.comparison.bench import FAILED, PASSED, REFUSED, Attempt
from multibody.errors import ModelError, nearest
from multibody.library.criteria import Problem

Cell = Callable[[Attempt], str]
SUITES = ("iftomm",)
NOTHING = "–"


def _number(value: float | None, form: str = ".1e") -> str:
    """Return a number for people; nothing where there is none."""
    return "" if value is None else format(value, form)


def _count(value: int) -> str:
    """Return a count; nothing for none."""
    return str(value) if value else ""


def _time(value: float | None) -> str:
    """Return a time in milliseconds."""
    return "" if value is None else f"{1e3 * value:.3g}"


COLUMNS: tuple[tuple[str, str, Cell], ...] = (
    ("error", "right", lambda r: _number(r.error)),
    ("position", "right", lambda r: _number(r.position_violation)),
    ("velocity", "right", lambda r: _number(r.velocity_violation)),
    ("energy", "right", lambda r: _number(r.energy_drift)),
    ("steps", "right", lambda r: str(r.steps)),
    ("evaluations", "right", lambda r: str(r.evaluations)),
    ("Jacobians", "right", lambda r: _count(r.jacobians)),
    ("factored", "right", lambda r: _count(r.factorizations)),
    ("time [ms]", "right", lambda r: _time(r.wall_time)),
    ("", "left", lambda r: r.outcome),
)


class Bench:
    """What a suite of benchmark problems costs, and which combinations solve it.

    Parameters
    ----------
    suite : str
    problems : sequence of Problem
        Those that were run.
    rows : list of Attempt
        One a combination: ``outcome`` is ``passed``, ``failed`` or ``refused``, ``reason`` says why, ``error`` is the largest
        distance from the reference solution, ``wall_time`` that of the integration alone [s].
    planned : int, optional
        How many rows were asked for; fewer are there if it was interrupted.
    """

    def __init__(self, suite: str, problems: Sequence[Problem], rows: list[Attempt], planned: int | None = None) -> None:
        self.planned = len(rows) if planned is None else planned
        self.suite, self.problems, self.rows = suite, list(problems), rows

    @property
    def ok(self) -> bool:
        """Whether each problem is solved by one of the combinations at least."""
        solved = all(any(row.outcome == PASSED for row in self.of(problem.name)) for problem in self.problems)
        return solved and not self.interrupted

    @property
    def interrupted(self) -> str:
        """How far it came before it was interrupted, in words; nothing if it was not."""
        return "" if len(self.rows) == self.planned else f"interrupted after {len(self.rows)} of {self.planned} runs"

    def of(self, problem: str) -> list[Attempt]:
        """Return the rows of one problem."""
        return [row for row in self.rows if row.problem == problem]

    def notes(self) -> list[str]:
        """Return why rows are refused or failed, every reason once: the footnotes, counted from 1."""
        return list(dict.fromkeys(row.reason for row in self.rows if row.reason and row.outcome != PASSED))

    def cells(self, row: Attempt) -> list[str]:
        """Return a row for people: names, measures, outcome with the number of its footnote."""
        if row.outcome == REFUSED:
            measures = [NOTHING] * (len(COLUMNS) - 1) + [""]
        else:
            measures = [text(row) for _, _, text in COLUMNS]
        if row.outcome != PASSED:
            measures[-1] = f"{'' if row.outcome == REFUSED else FAILED + ' '}({self.notes().index(row.reason) + 1})"
        elif row.reason:
            measures[-1] += f" ({row.reason})"
        return [row.formulation, row.integrator, *measures]

    @staticmethod
    def headings() -> list[tuple[str, str]]:
        """Return heading and side of the columns."""
        return [("formulation", "left"), ("integrator", "left"), *((heading, side) for heading, side, _ in COLUMNS)]

    @staticmethod
    def title(problem: Problem) -> str:
        """Return a problem and its criteria in words."""
        tolerances = sorted({check.tolerance for check in problem.checks})
        error = " to ".join(f"{value:g}" for value in {tolerances[0]: 0, tolerances[-1]: 0})
        return (
            f"{problem.name}, {problem.until:g} s; accepted: error {error}, energy drift {problem.energy_drift:g}, "
            f"violation {problem.violation:g}, {problem.seconds:g} s"
        )

    def table(self) -> str:
        """Return everything as lines of text."""
        lines: list[str] = []
        for problem in self.problems:
            cells = [[heading for heading, _ in self.headings()], *(self.cells(row) for row in self.of(problem.name))]
            widths = [max(len(line[k]) for line in cells) for k in range(len(cells[0]))]
            sides = [side for _, side in self.headings()]
            lines += ["", self.title(problem)]
            for line in cells:
                parts = zip(line, widths, sides, strict=True)
                lines.append("  ".join(x.ljust(w) if side == "left" else x.rjust(w) for x, w, side in parts).rstrip())
        return "\n".join([*lines[1:], "", *(f"({k}) {note}" for k, note in enumerate(self.notes(), 1))]).rstrip()

    def plain(self) -> dict[str, Any]:
        """Return what the command line prints as JSON; wall times are in seconds."""
        failed = [p.name for p in self.problems if not any(row.outcome == PASSED for row in self.of(p.name))]
        message = "finished" if self.ok else self.interrupted or f"not solved: {', '.join(failed)}"
        return {
            "suite": self.suite,
            "status": {"success": self.ok, "message": message},
            "problems": [asdict(problem) for problem in self.problems],
            "rows": [asdict(row) for row in self.rows],
        }

    def __str__(self) -> str:
        """Return the tables."""
        return self.table()

    def __repr__(self) -> str:
        """Return a line for people."""
        counts = {word: sum(row.outcome == word for row in self.rows) for word in (PASSED, FAILED, REFUSED)}
        return f"<Bench {self.suite!r}: {', '.join(f'{count} {word}' for word, count in counts.items())}>"


def bench(
    suite: str = "iftomm", *, problems: Sequence[str] | None = None, formulations: Sequence[str] | None = None,
    integrators: Sequence[str] | None = None, repeats: int = 3, progress: Any = None,
) -> Bench:  # fmt: skip
    """Solve the problems of a benchmark suite with every formulation and integrator.

    Parameters
    ----------
    suite : str
        ``iftomm``: the library of computational benchmarks for multibody dynamics of IFToMM.
    problems : list of str, optional
        ``pendulum``, ``n-four-bar-2``, ``n-four-bar-40``, ``andrews``, ``bricard``, ``flyball``; default all.
    formulations, integrators : lists of names, optional
        Default all there are, and ``auto`` before them.
    repeats : int
        Timed repetitions, of which the fastest counts.
    progress : callable, optional
        Called with words, the number of the run and their count.
    """
    from multibody.analyses.comparison import bench as analysis

    known = suite_of(suite)
    rows, planned = analysis.bench(
        known, names=problems, formulations=formulations, integrators=integrators, repeats=repeats, progress=progress
    )
    ran = {row.problem for row in rows}
    return Bench(suite, [problem for problem in known if problem.name in ran], rows, planned)


def suite_of(name: str) -> tuple[Problem, ...]:
    """Return the problems of a suite, or say which suites there are."""
    if name != "iftomm":
        hint = " ".join(part for part in (nearest(str(name), SUITES), f"There is {', '.join(SUITES)}.") if part)
        raise ModelError(f'there is no benchmark suite "{name}"', where="bench", hint=hint)
    from multibody.library.iftomm import PROBLEMS

    return PROBLEMS
