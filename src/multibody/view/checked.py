"""The check of a mechanism beside its motion, for pages and reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multibody.errors import AnalysisError, ModelError

if TYPE_CHECKING:
    from multibody.analyses.check.report import CheckReport
    from multibody.tables.lower import Tables

MOST_CHECKED = 300  # bodies; for more the check would take longer than all the rest


def check_of(tables: Tables) -> CheckReport | None:
    """Return the check of a mechanism; nothing for a large one, or where it cannot be made."""
    from multibody.analyses.check.check import check

    if len(tables.bodies) > MOST_CHECKED:
        return None
    try:
        return check(tables.model)
    except (ModelError, AnalysisError):
        return None
