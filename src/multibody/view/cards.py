"""Cards: what a notebook shows of a model or a result. A picture or a player, the facts, the notes; a fragment of HTML.

Pictures are images, not inline drawings, so that the names inside one cannot meet those of another; a player lives in a
frame of its own. Colors of text are the notebook's, so that dark ones stay readable.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from multibody.errors import AnalysisError, ModelError
from multibody.results.tables import value_text
from multibody.view.embed import frame_of, image_of, quiet
from multibody.view.style import ACCENT, PALE

if TYPE_CHECKING:
    from multibody._verbs import Model
    from multibody.analyses.check.report import CheckReport
    from multibody.results.compare import Compare
    from multibody.results.inverse import Inverse
    from multibody.results.modes import Modes
    from multibody.results.run import Run
    from multibody.results.small_motions import Freedoms
    from multibody.results.state import State
    from multibody.results.statics import Equilibrium

Facts = Sequence[tuple[str, str]]
MOST_DRAWN = 200  # bodies: a picture of more takes longer than a person waits for a card
MOST_NAMED = 8  # items of a list
ROUND_OFF = 1e-12  # of angles, and of lengths over the model's: shown as 0
PLAYER_HEIGHT = 520  # pixels
SMALL = 280  # width of a pose beside a table [pixels]


def card_of(thing: Any) -> str:
    """Return a fragment of HTML for a model or a result.

    Parameters
    ----------
    thing : Model, CheckReport, State, Run, Equilibrium, Modes, Freedoms, Inverse or Compare
    """
    for kind in type(thing).__mro__:
        if kind.__name__ in CARDS:
            return CARDS[kind.__name__](thing)
    return f"<pre>{html.escape(str(thing))}</pre>"


# --- pieces -------------------------------------------------------------------------------------------------------------
def _card(title: str, facts: Facts, shown: str = "", notes: Sequence[str] = (), fault: str = "") -> str:
    """Return title, facts beside what is shown, and notes; a fault in red under the title."""
    quiet = f"text-align:left;color:{PALE};padding:1px 14px 1px 0;white-space:nowrap;vertical-align:top"
    rows = "".join(
        f'<tr><td style="{quiet}">{html.escape(name)}</td>'
        f'<td style="text-align:left;padding:1px 0;width:100%">{html.escape(text)}</td></tr>'
        for name, text in facts
        if text
    )
    said = "".join(f"<li>{html.escape(note)}</li>" for note in notes)
    parts = [
        f'<div style="font-weight:600;margin-bottom:4px">{html.escape(title)}</div>',
        f'<div style="color:{ACCENT};margin-bottom:4px">{html.escape(fault)}</div>' if fault else "",
        '<div style="display:flex;flex-wrap:wrap;gap:20px;align-items:flex-start">',
        shown,
        f'<table style="border-collapse:collapse;font-size:0.92em;margin:0;flex:1 1 18em">{rows}</table>' if rows else "",
        "</div>",
        f'<ul style="margin:6px 0 0 1.1em;padding:0;font-size:0.92em">{said}</ul>' if said else "",
    ]
    return f'<div class="multibody-card" style="margin:4px 0 8px 0">{"".join(parts)}</div>'


def _figure(make: Callable[[], Any], width: int = 420) -> str:
    """Return a picture without opening a window; nothing where it cannot be drawn: the facts say why."""
    try:
        with quiet():
            return image_of(make().figure, width)
    except (ModelError, AnalysisError):
        return ""


def _some(names: Sequence[str]) -> str:
    """Return names, the first few and how many more there are."""
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _count(names: Sequence[str]) -> str:
    """Return how many there are, and their names; nothing where there are none."""
    return f"{len(names)}: {_some(names)}" if names else ""


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table."""
    cell = "padding:1px 12px 1px 0"
    head = "".join(f'<th style="text-align:left;font-weight:600;{cell}">{html.escape(text)}</th>' for text in headings)
    lines = ["".join(f'<td style="text-align:left;{cell}">{html.escape(text)}</td>' for text in row) for row in rows]
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f'<table style="border-collapse:collapse;font-size:0.92em;margin:0"><tr>{head}</tr>{body}</table>'


def _coordinates(state: Any) -> Facts:
    """Return the first scalar coordinates of the joints with their units."""
    tables, facts = state.tables, []
    for joint in tables.model.joints.values():
        own = joint.names_of_coordinates(tables.dimension)
        for item in own:
            is_length = tables.functions[tables.coordinates["joint", joint.name, item, 0]].is_length
            name = joint.name if len(own) == 1 else f"{joint.name}.{item}"
            unit, size = (tables.model.units.length, tables.length) if is_length else ("rad", 1.0)
            value = state[f"{joint.name}.{item}"]
            facts.append((name, f"{0.0 if abs(value) < ROUND_OFF * size else value:.6g} {unit}"))
    return facts[:MOST_NAMED] + ([("…", f"{len(facts) - MOST_NAMED} more")] if len(facts) > MOST_NAMED else [])


# --- cards ----------------------------------------------------------------------------------------------------------------
def _model(model: Model) -> str:
    """Return the card of a model: its picture at the assembled pose, or why it cannot be assembled."""
    units = model.units
    parameters = [f"{name} = {value_text(one.value)} {one.unit or ''}".rstrip() for name, one in model.parameters.items()]
    facts = [
        ("bodies", _count(list(model.bodies))), ("joints", _count(list(model.joints))),
        ("forces", _count(list(model.forces))), ("motions", _count([str(name) for name in model.motions])),
        ("parameters", _some(parameters)), ("units", f"{units.length}, {units.time}, {units.mass}"),
    ]  # fmt: skip
    title = f"{model.name} ({'planar' if model.dimension == 2 else 'spatial'} model)"
    if not model.bodies or len(model.bodies) > MOST_DRAWN:
        return _card(title, facts)
    try:
        state = model.assemble()
    except (ModelError, AnalysisError) as error:
        return _card(title, facts, fault=str(error))
    fault = "" if state.status.success else f"not assembled: {state.status.message}"
    return _card(title, facts, _figure(state.draw), fault=fault)


def _check(report: CheckReport) -> str:
    """Return the card of a check report."""
    shared = [name for name, unique in report.unique_reactions.items() if not unique]
    value = report.smallest_singular_value
    rank = f"{report.rank}" if report.rank == report.generic_rank else f"{report.rank} here, {report.generic_rank} around"
    facts = [
        ("mobility", f"{report.mobility} (coordinates − equations: {report.gruebler})"),
        ("coordinates", f"{report.coordinates}"), ("equations", f"{report.equations}"), ("motions", f"{report.motions}"),
        ("rank", rank),
        ("redundant", _count(report.redundant) or "none"),
        ("reactions", f"not unique: {_some(shared)}" if shared else "all unique"),
        ("smallest singular value", "" if value is None else f"{value:.3g}"), ("configuration", report.nearness),
        ("idle", _some(report.idle)), ("loops", _some(report.loops)), ("gravity", report.gravity),
    ]  # fmt: skip
    return _card(f"check of {report.name}", facts, _checked_pose(report), notes=report.notes)


def _checked_pose(report: CheckReport) -> str:
    """Return the mechanism that was checked, small; nothing where its model has changed since."""
    model, names = getattr(report, "_checked", (None, ()))
    if model is None or names != (*model.bodies, *model.joints) or not 0 < len(model.bodies) <= MOST_DRAWN:
        return ""
    return _figure(lambda: model.assemble().draw(title=""), SMALL)


def _pose(state: State) -> str:
    """Return a small picture of a pose beside a table."""
    few = state.status.success and 0 < len(state.tables.bodies) <= MOST_DRAWN
    return _figure(lambda: state.draw(title=""), SMALL) if few else ""


def _state(state: State) -> str:
    """Return the card of a state: its pose and the coordinates of its joints."""
    units, few = state.tables.model.units, len(state.tables.bodies) <= MOST_DRAWN
    facts = [("time", f"{state.t:.6g} {units.time}"), ("branch", state.branch), *_coordinates(state)]
    fault = "" if state.status.success else state.status.message
    return _card(f"state of {state.tables.model.name}", facts, _figure(state.draw) if few else "", fault=fault)


def _run(run: Run) -> str:
    """Return the card of a run: its player, status, certificate and notes."""
    units, title = run.model.units, f"run of {run.model.name}"
    fault = "" if run.ok else run.status.message
    if len(run.time) == 0:
        return _card(title, [], fault=fault or "no instants")
    facts = [("time", f"{run.time[0]:g} … {run.time[-1]:g} {units.time}, {len(run.time)} instants"), *_quality(run)]
    return _card(title, facts, _player(run), run.notes, fault)


def _quality(run: Run) -> Facts:
    """Return method, work and certificate of a run."""
    work = run.statistics
    used = ", ".join(str(work[key]) for key in ("formulation", "integrator") if key in work)
    numbers = {key: value for key, value in run.certificate.items() if isinstance(value, int | float)}
    facts = [("method", used), ("steps", f"{work['steps']}" if "steps" in work else "")]
    return [*facts, *((key.replace("_", " "), f"{value:.2g}") for key, value in numbers.items())]


def _player(run: Run) -> str:
    """Return the page of a run in a frame of its own."""
    from multibody.view.page.write import look_of, page_of

    look = f"width:100%;min-width:320px;height:{PLAYER_HEIGHT}px;border:1px solid {PALE};border-radius:4px"
    return frame_of(page_of([run], None, look_of()), run.model.name, look)


def _equilibrium(found: Equilibrium) -> str:
    """Return the card of an equilibrium."""
    facts = [
        ("stability", found.stability), ("directions", _some(found.directions)), ("residual", f"{found.residual:.2g}"),
        ("found by", f"{found.method}, {found.iterations} iterations"), *_coordinates(found.state),
    ]  # fmt: skip
    few = len(found.tables.bodies) <= MOST_DRAWN
    fault = "" if found.ok else found.status.message
    return _card(f"equilibrium of {found.model.name}", facts, _figure(found.state.draw) if few else "", found.notes, fault)


def _modes(modes: Modes) -> str:
    """Return the card of modes: the table of frequencies."""
    headings, rows = modes.headings(), modes.rows()
    return _card(f"modes of {modes.model.name}", [], _pose(modes.state) + _table(headings, rows), modes.notes)


def _freedoms(found: Freedoms) -> str:
    """Return the card of freedoms: the pose, and what each of them moves."""
    facts = [(str(k), words) for k, words in enumerate(found.words, start=1)]
    more = [("…", f"{len(facts) - MOST_NAMED} more")] if len(facts) > MOST_NAMED else []
    title = f"{len(found)} freedom{'' if len(found) == 1 else 's'} of {found.model.name} at t = {found.state.t:g}"
    return _card(title, [*facts[:MOST_NAMED], *more], _pose(found.state))


def _inverse(found: Inverse) -> str:
    """Return the card of an inverse analysis: the efforts over time and their largest values."""
    title, fault = f"inverse dynamics of {found.model.name}", "" if found.ok else found.status.message
    paths = list(found)
    if len(found.time) == 0 or not paths:
        return _card(title, [], fault=fault)
    facts = [(path, _peak(found, path)) for path in paths[:MOST_NAMED]]
    return _card(title, facts, _figure(lambda: _first(found.plot(*paths[:MOST_NAMED])), 460), found.notes, fault)


def _peak(found: Inverse, path: str) -> str:
    """Return the largest effort and when it acts."""
    values = found.measurer(path)
    k = int(abs(values.values).argmax())
    return f"largest {values.values[k]:.5g} {values.unit} at {found.time[k]:.5g} {found.model.units.time}"


def _first(axes: Any) -> Any:
    """Return one of the axes of a plot."""
    return axes[0] if isinstance(axes, list | tuple) else axes


def _compare(found: Compare) -> str:
    """Return the card of a comparison: the table, and the work–precision diagram where there is something to compare."""
    columns = found.columns()
    rows = [[text(row) for _, _, text in columns] for row in found.rows]
    picture = _figure(lambda: _first(found.plot()), 520) if len(found.rows) > 1 else ""
    shown = _table([heading for heading, _, _ in columns], rows) + picture
    return _card(found.heading(), [], shown, fault=found.interrupted)


CARDS: dict[str, Callable[[Any], str]] = {
    "Model": _model, "CheckReport": _check, "State": _state, "Run": _run, "Equilibrium": _equilibrium, "Modes": _modes,
    "Freedoms": _freedoms, "Inverse": _inverse, "Compare": _compare,
}  # fmt: skip
"""The card of every class by its name: classes of other rooms are not loaded for this."""
