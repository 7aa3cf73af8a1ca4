"""What memory there is: the one declaration of everything that kernels share.

Three blocks, never mixed:

* :class:`Model`, the structure and numbers of a model and of a run: read-only for kernels, shared by all that run it
* :class:`State`, what lives from step to step
* :class:`Scratch`, what means nothing after a call

What a kernel may touch is visible from its arguments ``model``, ``state``, ``scratch``. Entry kernels take addresses, which
``model_at`` … turn into blocks; handed a block they leave it as it is.
"""

from __future__ import annotations

from multibody.kernels.memory.compiled import at
from multibody.kernels.memory.declaration import Block, integers, numbers


class Model(Block):
    """Structure and numbers."""

    I = integers("records and places, see ``layout``")
    F = numbers("numbers of the model")


class State(Block):
    """What lives from step to step."""

    ref = numbers("angle references: the value of every coordinate function at the last accepted state")


class Scratch(Block):
    """What means nothing after a call."""

    W = numbers("workspace, see ``layout``")


model_at, state_at, scratch_at = at(Model), at(State), at(Scratch)
