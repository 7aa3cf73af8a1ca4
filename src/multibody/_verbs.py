"""The verbs on a model and on what it returns: one-line delegations, and the only file that knows both ends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from multibody.errors import ModelError
from multibody.model.model import Model as _Model


class Model(_Model):
    __doc__ = _Model.__doc__


def load(source: str, **parameters: Any) -> Model:
    """Return the model of a file or of the library, with parameters set.

    Parameters
    ----------
    source : str
        Path of a ``.yaml`` or ``.json`` file, or the name of a library model.
    **parameters
        Values of its parameters.

    Returns
    -------
    Model
    """
    from multibody.files.reader import read_file

    return read_file(source, Model, parameters)


class State:
    pass


class Run:
    pass
