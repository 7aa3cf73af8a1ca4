"""The sections of a report: what the mechanism is, how it moves, what it carries, how good that is, how to repeat it."""

from __future__ import annotations

import html
import platform
from collections.abc import Sequence
from importlib import metadata
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody._version import __version__
from multibody.analyses.check.report import CheckReport
from multibody.errors import AnalysisError, ModelError
from multibody.results.drives import drives_of, duty_of
from multibody.results.load_table import Loads
from multibody.results.plain import NO_GRAVITY, gravity_text
from multibody.results.tables import Table, number, value_text
from multibody.view.report import figures, words

if TYPE_CHECKING:
    from multibody.results.run import Run

MOST_ROWS = 40
MOST_LINES = 400
FELT = 25  # instants at which the inertia that a drive feels is computed
SHORT = 10  # rows of a table that stays on one sheet
TIMES = ("until", "output_step", "step")
SETTINGS = ("formulation", "integrator", "choice", "rtol", "atol", *TIMES, "steps", "rhs_evaluations", "newton_iterations")
PACKAGES = ("numpy", "scipy", "numba", "xarray", "matplotlib")


def section(title: str, *parts: str) -> str:
    """Return a section with its heading; nothing where it has no content."""
    inside = "\n".join(part for part in parts if part)
    return f"<section><h2>{html.escape(title)}</h2>\n{inside}\n</section>" if inside else ""


def paragraph(text: str, style: str = "") -> str:
    """Return a paragraph of plain text."""
    return f"<p{f' class={style}' if style else ''}>{html.escape(text)}</p>" if text else ""


def listed(items: Sequence[str]) -> str:
    """Return sentences as a list."""
    return "<ul>" + "".join(f"<li>{html.escape(item)}</li>" for item in items) + "</ul>" if items else ""


def cut(table: Table, most: int = MOST_ROWS) -> str:
    """Return a table, its first rows and a note where it is long."""
    if not table.rows:
        return ""
    more = f"the first {most} of {len(table.rows)}" if len(table.rows) > most else table.more
    return kept(Table(table.title, table.columns, table.rows[:most], more))


def kept(table: Table) -> str:
    """Return a table that paper does not part if it is short."""
    return f"<div{' class=keep' if len(table.rows) <= SHORT else ''}>{table.html()}</div>"


# --- the sections -----------------------------------------------------------------------------------------------------
def summary(run: Run, loads: Loads | None) -> str:
    """Return the facts that a reader looks for first."""
    units, span = run.model.units, f"{run.time[0]:g} … {run.time[-1]:g}" if len(run.time) else "–"
    facts = [("motion", f"{span} {units.time}, {len(run.time)} instants"), ("gravity", gravity_text(run.tables))]
    if loads is not None and (
        forces := [row for row in loads.rows if row.quantity == "force" and row.name in run.model.joints]
    ):
        top = max(forces, key=lambda row: row.peak if row.peak == row.peak else -1.0)
        facts.append(("largest joint force", f"{number(top.peak)} {top.unit} in {top.name} at {number(top.time)} {units.time}"))
        for row in [row for row in loads.rows if row.kind == "motion"][:3]:
            facts.append((f"drive {row.name}", f"peak {number(row.peak)} {row.unit}, RMS {number(row.rms)} {row.unit}"))
    drift = run.certificate.get("energy_drift")
    facts += [("energy balance", f"{drift:.1g}")] if drift is not None else []
    cells = "".join(f"<div><dt>{html.escape(name)}</dt><dd>{html.escape(text)}</dd></div>" for name, text in facts)
    return f"<dl class=facts>{cells}</dl>"


def mechanism(run: Run, check: CheckReport | None) -> str:
    """Return picture, freedoms, redundancy, and tables of everything that the model says."""
    said, loops = [words.composition(run)], list[str]()
    if check is not None:
        regular = "" if check.nearness == "regular" else f"Configuration at the start: {check.nearness}."
        said = [f"{said[0]} {words.mobility(check)} {regular}".rstrip(), words.redundancy(check)]
        loops = [*check.loops[: words.FEW], *(f"idle: {item}" for item in check.idle[: words.FEW])]
    tables = [_parameters(run), _bodies(run), _joints(run, check), _forces(run), _motions(run)]
    shown = "\n".join(cut(table) for table in tables)
    about = [*(paragraph(text) for text in said), listed(loops)]
    return section("The mechanism", *about, figures.pose(run), f"<div class=tables>{shown}</div>")


def motion(run: Run, chosen: Sequence[str]) -> str:
    """Return poses, curves, events and singular positions."""
    time = run.model.units.time
    events = Table("events", [(f"at [{time}]", "right"), ("event", "left"), ("", "left")])
    for event in run.events:
        how = "velocities jump" if event.impulse is not None else "ended the motion" if event.terminal else ""
        events.rows.append([number(event.time, digits=6), event.name, how])
    singular = Table("singular positions", [(f"at [{time}]", "right"), ("kind", "left"), ("reason", "left")])
    singular.rows.extend([number(item.time, digits=6), item.kind, item.reason] for item in run.singularities)
    return section("The motion", figures.poses(run), figures.motion_curves(run, chosen), cut(events), cut(singular))


def loads_section(run: Run, loads: Loads | None) -> str:
    """Return the tables of loads with curves, and what drives need; or why there are none."""
    if loads is None:
        return section("Loads", paragraph("This is a motion without forces: reactions and efforts need masses and a run."))
    about = (
        "Force and moment of a joint are what it does to the body under “on”, at the origin of its second frame, without "
        "efforts along its own coordinates. Peaks are the largest magnitudes at the instants of the run, directions are unit "
        "vectors in ground axes at that time; RMS is the root of the mean square over time."
    )
    tables = [kept(table) for table in loads.tables(MOST_ROWS)]
    notes = listed([f"{note[:1].upper()}{note[1:]}." for note in loads.notes])
    return section("Loads", paragraph(about, "about"), *tables, notes, _drives(run), figures.load_curves(run, loads))


def trust(run: Run, balance: float | None) -> str:
    """Return energies, certificate and notes."""
    notes = [note for note in run.notes if note != NO_GRAVITY]
    found = listed(words.certificate(run, balance))
    said = paragraph("What one should know:") + listed(notes) if notes else ""
    energies = figures.energy_curves(run) if run.motion.dynamics is not None else ""
    return section("Energies and certificate", found, energies, said)


def repeat(run: Run, command: str, text: str) -> str:
    """Return versions, settings, the command line and the model as it was run."""
    used = run.statistics
    rows = [["multibody", __version__], ["Python", platform.python_version()]]
    rows += [[name, metadata.version(name)] for name in PACKAGES]
    rows += [["system", f"{platform.system()} {platform.machine()}"]]
    for key in SETTINGS:
        if used.get(key) not in (None, ""):
            word = f"{used[key]:.9g}" if isinstance(used[key], float) else str(used[key])
            rows.append([key.replace("_", " "), f"{word} {run.model.units.time}" if key in TIMES else word])
    if len(run.time):
        first, last = (number(float(run.time[k]), digits=6) for k in (0, -1))
        rows.append(["instants", f"{len(run.time)}, from {first} to {last} {run.model.units.time}"])
    table = Table("versions and settings", [("", "left"), ("", "left")], rows)
    lines = text.splitlines()
    shown = lines[:MOST_LINES]
    more = f'<p class="more">the first {MOST_LINES} of {len(lines)} lines</p>' if len(lines) > MOST_LINES else ""
    model = f"<h3>The model as it was run</h3><pre>{html.escape(chr(10).join(shown))}</pre>{more}" if text else ""
    line = f"<h3>Command</h3><pre>{html.escape(command)}</pre>" if command else ""
    return section("To repeat it", cut(table), line, model)


# --- tables -----------------------------------------------------------------------------------------------------------
def _drives(run: Run) -> str:
    """Return what every drive needs, in SI units: effort, speed, power, reflected inertia."""
    words_of = ("peak effort", "RMS", "", "peak speed", "", "peak power [W]", "mean power [W]", "reflected inertia", "")
    columns = [("drive", "left"), *((word, "right" if word else "left") for word in words_of)]
    table = Table("what drives need (SI units)", columns)
    for name in drives_of(run)[:MOST_ROWS]:
        try:
            duty = duty_of(run, name, None, None, None, felt=FELT)
        except (ModelError, AnalysisError):
            continue
        need, units = duty.summary(), ("N", "m/s", "kg") if duty.is_length else ("N·m", "rad/s", "kg·m²")
        low, high = number(need["smallest_inertia"]), number(need["largest_inertia"])
        effort = [number(need["peak_effort"]), number(need["rms_effort"]), units[0], number(need["peak_rate"]), units[1]]
        power = [number(need["peak_power"]), number(need["mean_power"], need["peak_power"] or 0.0)]
        table.rows.append([name, *effort, *power, low if low == high else f"{low} … {high}", units[2]])
    return cut(table)


def _parameters(run: Run) -> Table:
    """Return parameters with their values and formulas."""
    table = Table("parameters", [("parameter", "left"), ("value", "left"), ("unit", "left"), ("", "left")])
    for name, item in run.model.parameters.items():
        formula = value_text(item.value)
        try:
            value = value_text([float(x) for x in np.atleast_1d(run.measurer(name).values[0])])
        except (ModelError, IndexError):
            value = formula
        shown = formula if value.strip("()") == formula.strip("()") else f"{formula} = {value}"
        table.rows.append([name, shown, item.unit or "", item.doc or ""])
    return table


def _bodies(run: Run) -> Table:
    """Return mass and inertia of every body."""
    names, tables = run.model.units.names, run.tables
    square = f"{names['mass']}·{names['length']}²"
    inertia_heading = f"inertia about its center of mass [{square}]"
    columns = [("body", "left"), (f"mass [{names['mass']}]", "right"), (inertia_heading, "left")]
    shaped = any(body.shape for body in run.model.bodies.values())
    table = Table("bodies", [*columns, ("shape", "left")] if shaped else columns)
    for name, (mass, inertia) in zip(tables.bodies[1:], tables.masses, strict=True):
        body = run.model.bodies[name]
        known = mass >= 0 and inertia >= 0 and (body.mass is not None or bool(body.shape))
        spin = "–"
        if known:
            spin = number(float(tables.F[inertia])) if tables.dimension == 2 else _inertia(tables.matrix(inertia))
        shape = [", ".join(item.kind for item in body.shape or ())] if shaped else []
        table.rows.append([name, number(float(tables.F[mass])) if known else "–", spin, *shape])
    return table


def _inertia(matrix: Any) -> str:
    """Return moments of inertia about the body's axes, and products where there are any."""
    size = float(np.max(np.abs(matrix)))
    moments = ", ".join(number(float(matrix[k, k]), size) for k in range(3))
    products = [float(matrix[j, k]) for j, k in ((0, 1), (0, 2), (1, 2))]
    if all(abs(x) <= 1e-12 * size for x in products):
        return moments
    return f"{moments}; xy, xz, yz: {', '.join(number(x, size) for x in products)}"


def _joints(run: Run, check: CheckReport | None) -> Table:
    """Return kind, ends and coordinates of every joint."""
    table = Table(
        "joints", [("joint", "left"), ("kind", "left"), ("between", "left"), ("coordinates", "left"), ("reaction", "left")]
    )
    for name, joint in run.model.joints.items():
        ends = "" if name not in run.tables.ends else f"{joint.first} – {joint.second}"
        unique = "" if check is None else "unique" if check.unique_reactions.get(name, True) else "not unique"
        table.rows.append([name, joint.kind.name, ends, ", ".join(joint.names_of_coordinates(run.tables.dimension)), unique])
    return table


def _forces(run: Run) -> Table:
    """Return kind, place and numbers of every force."""
    table = Table("forces", [("force", "left"), ("kind", "left"), ("on", "left"), ("", "left")])
    for name, force in run.model.forces.items():
        plain = force.plain()
        target = plain.pop(force.kind.name)
        on = " – ".join(target) if isinstance(target, list) else str(target)
        table.rows.append([name, force.kind.name, on, ", ".join(f"{key} {value_text(value)}" for key, value in plain.items())])
    return table


def _motions(run: Run) -> Table:
    """Return what is driven, and how."""
    table = Table("motions", [("coordinate", "left"), ("over time t", "left")])
    table.rows.extend([str(name), value_text(value)] for name, value in run.model.motions.items())
    return table
