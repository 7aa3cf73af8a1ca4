"""`multibody study`: one model with many values of its parameters."""

from __future__ import annotations

import pathlib
import re
import warnings
from typing import TYPE_CHECKING, Annotated, Any

import typer

from multibody.cli.app import app
from multibody.cli.groups import CutMethods, Files, Source, grouped
from multibody.cli.options import (
    PAGES,
    PICTURES,
    ModelArgument,
    announce_compilation,
    announce_dynamics,
    option,
    read_names,
    read_value,
    split_list,
)
from multibody.cli.output import Page, print_json, stage_progress, table
from multibody.cli.pictures import finish, save_figure, write_each
from multibody.errors import ModelError, nearest

if TYPE_CHECKING:
    from multibody.results.tables import Table
    from multibody.study.result import Study

ENDINGS = (".nc", ".csv", ".parquet", ".json", *PICTURES, *PAGES)
DISTRIBUTIONS = ("normal", "uniform", "triangular")
FORMS = "write l2=0.14:0.16 (range), l2=0.14:0.16:20 (points), k=1,2,5 (values) or l2=normal(0.15, 0.001)"


@app.command("study")
@grouped
def study_verb(
    model: ModelArgument,
    vary: Annotated[
        list[str] | None,
        typer.Option(
            "--vary",
            metavar="NAME=VALUES",
            help="What is varied: a range FROM:TO, points of it FROM:TO:COUNT, values A,B,C, or normal(MEAN, SD), "
            "uniform(A, B), triangular(A, MODE, B). NAME is a parameter, or initial.PATH. Repeatable.",
        ),
    ] = None,
    output: Annotated[
        list[str] | None,
        typer.Option("--output", metavar="FORMULA", help='What is asked for: "max(norm(A.reaction.force))". Repeatable.'),
    ] = None,
    until: Annotated[str | None, option("run", "until", "T")] = None,
    samples: Annotated[int | None, typer.Option("--samples", metavar="N", help="Members that are sampled.")] = None,
    method: Annotated[
        str | None,
        typer.Option("--method", metavar="NAME", help="grid, list, random, sobol, halton, lhs or saltelli."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="The same seed gives the same plan.")] = 0,
    analysis: Annotated[
        str, typer.Option("--analysis", metavar="NAME", help="run (default), kinematics, inverse, statics or assemble.")
    ] = "run",
    *,
    methods: CutMethods,
    start: Annotated[str | None, option("kinematics", "start", "A")] = None,
    steps: Annotated[int | None, option("kinematics", "steps", "N")] = None,
    at: Annotated[str | None, option("statics", "t", "T")] = None,
    tolerance: Annotated[float | None, option("statics", "tolerance", "R")] = None,
    efforts: Annotated[str | None, option("inverse", "efforts", "A,B")] = None,
    instants: Annotated[bool, typer.Option("--on-instants", help="Look for extremes at the instants alone.")] = False,
    device: Annotated[
        str | None, typer.Option("--device", metavar="NAME", help="Code made for the model: host, or cuda.")
    ] = None,
    workers: Annotated[
        int | None, typer.Option("--workers", metavar="N", help="Threads; processes for members that need Python.")
    ] = None,
    chunk: Annotated[int | None, typer.Option("--chunk", metavar="N", help="Members that travel together.")] = None,
    store: Annotated[
        pathlib.Path | None, typer.Option("--store", metavar="FOLDER", help="Keep finished members in a folder.")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the store; what it holds is not computed again.")
    ] = False,
    files: Files,
    source: Source,
) -> None:
    """Compute numbers of many members of a model, and print how they are spread.

    --out writes all members (.csv, .nc, .parquet), what --json prints (.json), histograms (.png, .pdf, .svg) or a page with
    tables and diagrams (.html). Ctrl-C ends the study; members that are computed are printed, written and kept in the store.
    """
    loaded = source.load(model)
    named = files.check(ENDINGS, loaded)
    varied = read_varied(vary or [])
    told = {
        **vars(methods), "cut": read_names(methods.cut, "--cut"), "efforts": read_names(efforts, "--efforts"),
        "start": start, "steps": steps, "t": at, "tolerance": tolerance,
    }  # fmt: skip
    given: dict[str, Any] = {key: value for key, value in told.items() if value is not None}
    formulas = {"until": until, "from": start, "at": at, "step": methods.step, "output-step": methods.output_step}
    for flag, text in formulas.items():
        if text is not None:
            loaded.formula(text, f"--{flag}")  # its value is that of every member
    _check_settings(source.settings or [], varied)
    if analysis == "run":
        announce_dynamics(loaded, told)
    else:
        announce_compilation("expand.expand")
    if not output:
        hint = '"--output max(norm(A.reaction.force))" or "--output final(slider.x)"'
        raise ModelError("nothing is asked for", where="--output", hint=f"say what: {hint}")
    with warnings.catch_warnings(), stage_progress("studying", quiet=source.json) as progress:
        warnings.simplefilter("ignore", RuntimeWarning)  # the status is printed below
        found = loaded.study(
            varied, output, until=until, samples=samples, method=method, seed=seed,
            analysis=analysis, workers=workers, chunk=chunk, store=store, resume=resume, refine=not instants, device=device,
            progress=None if progress is None else lambda k, count: progress(f"member {k} of {count}", k, count), **given,
        )  # fmt: skip
    written, failures = write_each(named, lambda file: _write(found, file))
    if source.json:
        print_json(found.plain())
    else:
        _print(found, written)
    finish(found.ok and found.counts["done"] > 0, failures)


def _check_settings(settings: list[str], varied: dict[str, Any]) -> None:
    """Refuse values of parameters that every member has its own of."""
    for name in (text.partition("=")[0].strip() for text in settings):
        if name in varied:
            raise ModelError(f'"{name}" is varied too', where="--set", hint=f"leave out --set {name} or --vary {name}")


def read_varied(texts: list[str]) -> dict[str, Any]:
    """Return what is varied from the texts of ``--vary``."""
    found: dict[str, Any] = {}
    for text in texts:
        name, sign, values = (part.strip() for part in text.partition("="))
        if not sign or not name or not values:
            raise ModelError(f'"{text}" says not how a number is varied', where="--vary", hint=FORMS)
        if name in found:
            raise ModelError(f'"{name}" is given twice', where="--vary", hint="give all its values at once")
        found[name] = _varied(values)
    if not found:
        raise ModelError("nothing is varied", where="--vary", hint=FORMS)
    return found


def _varied(text: str) -> Any:
    """Return values, a range or a distribution."""
    call = re.fullmatch(r"([a-z_]+)\s*\((.*)\)", text)
    if call is not None and (call[1] in DISTRIBUTIONS or nearest(call[1], DISTRIBUTIONS)):
        if call[1] not in DISTRIBUTIONS:
            raise ModelError(f'unknown distribution "{call[1]}"', where="--vary", hint=nearest(call[1], DISTRIBUTIONS))
        import multibody

        arguments = [read_value(part) for part in split_list(call[2])]
        return getattr(multibody, call[1])(*arguments)
    if ":" in text:
        parts = [read_value(part) for part in text.split(":")]
        if len(parts) > 3 or any(part == "" for part in parts):
            raise ModelError(f'"{text}" is no range', where="--vary", hint=FORMS)
        return tuple(parts)
    return [read_value(part) for part in split_list(text)]


def _write(found: Study, file: pathlib.Path) -> None:
    """Write a file of the study by its ending."""
    ending = file.suffix.lower()
    if ending in PAGES:
        found.page(file, force=True)
    elif ending in PICTURES:
        save_figure(lambda: found.histogram().figure, file)
    else:
        found.save(file)


def _print(found: Study, written: list[str]) -> None:
    """Print a study for people."""
    page = Page()
    page.line(f": {found.status.message}", found.about.name)
    ranges = zip(found.keys, found.about.ranges, strict=True)
    varied = ", ".join(f"{key} {text}" for key, text in ranges)
    page.line(f"varied: {varied}; method {found.about.method}, seed {found.about.seed}")
    _table(page, "outputs of the members that are done", found.summary())
    if found.about.method == "saltelli":
        _table(page, "Sobol' indices, with half widths of 95 % confidence intervals", found.sobol_table())
    for reason in found.reasons():
        page.line(reason)
    if found.status.advice:
        page.line(found.status.advice)
    page.files(written)


def _table(page: Page, title: str, shown: Table) -> None:
    """Print a table of the result."""
    made = table(title, shown.columns)
    for row in shown.rows:
        made.add_row(*row)
    page.table(made)
