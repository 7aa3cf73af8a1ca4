"""Where links and columns lie in I and W, and what their state tells."""

from __future__ import annotations

from multibody.kernels.compile import inlined
from multibody.kernels.tree import layout as T
from multibody.kernels.vectors import load3, load9


@inlined
def state_of(d, model, scratch, h, i):
    """Return where the state of link i lies in W."""
    I = model.I
    if d is None:
        return I[h + T.W_LINK] + 32 * i
    return I[h + T.W_LINK] + 72 * i


@inlined
def column_of(d, model, h, k):
    """Return where the state of column k lies in W: B, then U."""
    I = model.I
    if d is None:
        return I[h + T.W_COLUMN] + 9 * k
    return I[h + T.W_COLUMN] + 18 * k


@inlined
def link_of(model, h, i):
    """Return where the record of link i lies in I."""
    I = model.I
    return I[h + T.LINKS] + T.LINK_STRIDE * i


@inlined
def record_of(model, h, k):
    """Return where the record of column k lies in I."""
    I = model.I
    return I[h + T.COLUMNS] + T.COLUMN_STRIDE * k


@inlined
def offset(d, model, scratch, h, i):
    """Return o of link i from o of its carrier (of the ground: from its origin)."""
    W = scratch.W
    at = state_of(d, model, scratch, h, i)
    if d is None:
        return (W[at + 7], W[at + 8])
    return load3(W, at + 15)


@inlined
def origin_of(d, W, at):
    """Return o of the link whose state lies at W[at…] in ground."""
    if d is None:
        return (W[at + 30], W[at + 31])
    return load3(W, at + 69)


@inlined
def center_of(d, W, at):
    """Return the center of mass of the link whose state lies at W[at…], from o."""
    if d is None:
        return (W[at + 5], W[at + 6])
    return load3(W, at + 12)


@inlined
def axes_of(d, W, at):
    """Return the axes of the link whose state lies at W[at…]: planar θ, cos θ, sin θ."""
    if d is None:
        return (W[at], W[at + 1], W[at + 2])
    return load9(W, at)
