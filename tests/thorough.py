"""What takes too long for every run of the suite: asked for by MULTIBODY_THOROUGH=1, as `.ci/run` does."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from typing import Any

import pytest

thorough = pytest.mark.skipif("MULTIBODY_THOROUGH" not in os.environ, reason="takes minutes: MULTIBODY_THOROUGH=1")


def few_of(names: Iterable[str], quick: Collection[str]) -> list[Any]:
    """Return all names as parameters; those that are not among the quick ones wait for a thorough run."""
    known = list(names)
    assert set(quick) <= set(known), "a quick case has another name now"
    return [pytest.param(name, marks=[] if name in quick else thorough) for name in known]
