"""Other programs that tests compare with: absent ones skip a test, unless MULTIBODY_ORACLES says that they have to be there."""

from __future__ import annotations

import importlib
import os
from typing import Any

import pytest

REQUIRED = os.environ.get("MULTIBODY_ORACLES", "") == "required"


def oracle(module: str) -> Any:
    """Return another program's module.

    Parameters
    ----------
    module : str
        ``pinocchio``, ``mujoco``, ``sksundae.ida``, ``pyarrow.parquet``.
    """
    return importlib.import_module(module) if REQUIRED else pytest.importorskip(module)
