"""Write the matrix of ``multibody bench iftomm`` into docs/reference/benchmarks.md.

Run: ``python benchmarks/iftomm_page.py [FILE]``. FILE is what ``multibody bench iftomm --json`` printed; without it problems
are solved now, which takes some minutes. Times appear as multiples of the fastest run of a problem that passes, since they
depend on the machine; everything else does not.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "benchmarks.md"
BEGIN, END = "<!-- matrix: written by benchmarks/iftomm_page.py -->", "<!-- end of the matrix -->"
MEASURES = ("error", "position_violation", "velocity_violation", "energy_drift")
COUNTS = ("steps", "evaluations", "jacobians", "factorizations")


def solved() -> dict[str, Any]:
    """Return the results of all combinations."""
    import multibody as mb

    def progress(words: str, k: int, count: int) -> None:
        print(f"{k}/{count} {words}", file=sys.stderr)

    return mb.bench("iftomm", progress=progress).plain()


def line(cells: list[str]) -> str:
    """Return a row of a table."""
    return "| " + " | ".join(cells) + " |"


def fastest(rows: list[dict[str, Any]]) -> float:
    """Return the shortest time of a run that passes."""
    return min((row["wall_time"] for row in rows if row["outcome"] == "passed"), default=1.0)


def grid(rows: list[dict[str, Any]], notes: list[str]) -> list[str]:
    """Return formulations against integrators: error and time, or why not."""
    formulations = list(dict.fromkeys(row["formulation"] for row in rows if row["formulation"] != "auto"))
    integrators = list(dict.fromkeys(row["integrator"] for row in rows if row["integrator"] != "auto"))
    base, cells = fastest(rows), {(row["formulation"], row["integrator"]): row for row in rows}
    lines = [line(["", *(f"`{name}`" for name in integrators)]), "|" + "---|" * (len(integrators) + 1)]
    for formulation in formulations:
        texts = []
        for integrator in integrators:
            row = cells[formulation, integrator]
            if row["outcome"] == "passed":
                ratio = row["wall_time"] / base
                texts.append(f"{row['error']:.0e}, ×{ratio:.{0 if ratio >= 10 else 1}f}")
            else:
                texts.append(("– " if row["outcome"] == "refused" else "✗ ") + f"({note(row['reason'], notes)})")
        lines.append(line([f"`{formulation}`", *texts]))
    return lines


def note(reason: str, notes: list[str]) -> int:
    """Return the number of a footnote, a new one where it is new."""
    if reason not in notes:
        notes.append(reason)
    return notes.index(reason) + 1


def numbers(rows: list[dict[str, Any]]) -> list[str]:
    """Return all measures and counts of the runs, indented for a box that opens."""
    head = [
        "formulation",
        "integrator",
        "error",
        "position",
        "velocity",
        "energy",
        "steps",
        "evaluations",
        "Jacobians",
        "factored",
    ]
    lines = ['??? note "All numbers"', "", "    " + line(head), "    |" + "---|" * len(head)]
    for row in rows:
        if row["outcome"] == "refused":
            continue
        cells = [f"`{row['formulation']}`", f"`{row['integrator']}`"]
        cells += ["" if row[key] is None else f"{row[key]:.1e}" for key in MEASURES]
        cells += [str(row[key] or "") for key in COUNTS]
        lines.append("    " + line(cells))
    return lines


def matrix(found: dict[str, Any]) -> str:
    """Return everything between the marks."""
    parts: list[str] = []
    for problem in found["problems"]:
        rows, notes = [row for row in found["rows"] if row["problem"] == problem["name"]], []
        tolerance = max(check["tolerance"] for check in problem["checks"])
        limits = f"error {tolerance:g}, energy {problem['energy_drift']:g}, violations {problem['violation']:g}"
        parts += [f"### `{problem['name']}`", "", f"{problem['until']:g} s; accepted: {limits}, {problem['seconds']:g} s.", ""]
        parts += [*grid(rows, notes), "", *(f"({k}) {text}  " for k, text in enumerate(notes, 1)), ""]
        chosen = [row["reason"] for row in rows if row["formulation"] == "auto"]
        parts += [f"`auto` took {chosen[0]}.", ""] if chosen and chosen[0] else []
        parts += [*numbers(rows), ""]
    return "\n".join(parts)


def main() -> None:
    """Write the page anew."""
    found = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")) if len(sys.argv) > 1 else solved()
    text = PAGE.read_text(encoding="utf-8")
    head, _, rest = text.partition(BEGIN)
    _, _, tail = rest.partition(END)
    PAGE.write_text(f"{head}{BEGIN}\n\n{matrix(found)}\n{END}{tail}", encoding="utf-8")


if __name__ == "__main__":
    main()
