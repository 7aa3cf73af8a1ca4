"""A study as one page of HTML: tables, histograms and scatter diagrams, nothing from elsewhere."""

from __future__ import annotations

import datetime
import html
import os
import pathlib
from importlib import resources
from typing import TYPE_CHECKING

from multibody._target import check_free, check_target, write_whole
from multibody._version import __version__
from multibody.results.tables import Table
from multibody.view.embed import quiet
from multibody.view.report.figures import figure
from multibody.view.report.sections import kept, listed, paragraph, section
from multibody.view.study.plots import histogram, scatter

if TYPE_CHECKING:
    from multibody.study.result import Study

ENDINGS = (".html", ".htm")
MOST_DRAWN = 12  # outputs with diagrams
MOST_VARIED = 12  # varied numbers beside them


def save_study_page(study: Study, file: str | os.PathLike[str], title: str | None, force: bool) -> pathlib.Path:
    """Write the page of a study and return its path."""
    check_target(file, ENDINGS, () if study.model is None else study.model._files)
    check_free(file, force)
    write_whole(file, study_page(study, title).encode("utf-8", "replace"))
    return pathlib.Path(file)


def study_page(study: Study, title: str | None = None) -> str:
    """Return the page of a study.

    Parameters
    ----------
    study : Study
        Finished or not.
    title : str, optional
        Default: the model's name.
    """
    name = html.escape(study.about.name if title is None else title)
    style = resources.files("multibody.view.report").joinpath("report.css").read_text(encoding="utf-8")
    made = datetime.datetime.now().astimezone().strftime("%Y-%m-%d %H:%M")
    with quiet():
        body = "\n".join(part for part in (_numbers(study), _sobol(study), _drawn(study), _asked(study)) if part)
    banner = "" if study.ok else f'<p class="banner">{html.escape(f"The study is not complete: {study.status.message}.")}</p>\n'
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta name="generator" content="multibody">\n'
        f'<link rel="icon" href="data:,">\n<title>{name}: study</title>\n<style>\n{style}</style>\n</head>\n<body>\n'
        f"<header><h1>{name}</h1><p>Study of {made}, multibody {__version__}</p></header>\n{banner}{body}\n</body>\n</html>\n"
    )


def _numbers(study: Study) -> str:
    """Return the table of outputs, and why members have none."""
    facts = [("members", str(len(study))), *((name, str(count)) for name, count in study.counts.items() if count)]
    facts += [("plan", study.about.method), ("analysis", study.about.analysis)]
    cells = "".join(f"<div><dt>{html.escape(key)}</dt><dd>{html.escape(text)}</dd></div>" for key, text in facts)
    about = "Means, standard deviations (n − 1) and percentiles are of the members that are done."
    return f"<dl class=facts>{cells}</dl>" + section(
        "Outputs", paragraph(about, "about"), kept(study.summary()), listed(study.reasons())
    )


def _sobol(study: Study) -> str:
    """Return Sobol' indices where the plan gives them."""
    if study.about.method != "saltelli":
        return ""
    about = (
        "Part of the variance of an output that a parameter explains alone (first) and with all that it takes part in (total); "
        "± half widths of 95 % confidence intervals."
    )
    return section("Sobol' indices", paragraph(about, "about"), kept(study.sobol_table()))


def _drawn(study: Study) -> str:
    """Return histograms, and every output over what was varied."""
    shown = study.names[:MOST_DRAWN]
    more = paragraph(f"Diagrams of the first {MOST_DRAWN} outputs.", "more") if len(study.names) > MOST_DRAWN else ""
    caption = "How often values occur; the lines are at 5, 50 and 95 % of the members"
    parts = [figure(lambda: histogram(study, shown, title="").figure, caption)]
    varied = study.keys[:MOST_VARIED]
    parts += [
        figure(lambda name=name: scatter(study, name, varied, title="").figure, f"{name} over what was varied")  # type: ignore[misc]
        for name in shown
    ]
    return section("Diagrams", *parts, more)


def _asked(study: Study) -> str:
    """Return what it takes to repeat it."""
    ranges = [list(row) for row in zip(study.keys, study.about.ranges, strict=True)]
    varied = Table("varied", [("", "left"), ("", "left")], ranges)
    named = [[name, text] for name, text in zip(study.names, study.about.texts, strict=True) if name != text]
    asked = kept(Table("outputs", [("", "left"), ("", "left")], named)) if named else ""
    rows = [["method", study.about.method], ["seed", str(study.about.seed)], ["analysis", study.about.analysis]]
    rows += [[key, str(value)] for key, value in study.about.options.items()]
    text = study.about.model_text
    model = f"<h3>The model</h3><pre>{html.escape(text)}</pre>" if text else ""
    return section("To repeat it", kept(varied), asked, kept(Table("settings", [("", "left"), ("", "left")], rows)), model)
