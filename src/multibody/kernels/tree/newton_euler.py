"""Recursive Newton–Euler: from q, q̇, q̈ to the efforts and the wrenches of all joints, in one sweep outward and one inward."""

from __future__ import annotations

from multibody.kernels.compile import inner_kernel
from multibody.kernels.tree import layout as T
from multibody.kernels.tree.algebra import carried, inner, load, plus, store, width
from multibody.kernels.tree.frames import column_of, link_of, offset, record_of, state_of
from multibody.kernels.tree.sweep import force_of, link_out


@inner_kernel
def outward(d, model, scratch, h, q, v, a):
    """Write the inertial force of every link to its state."""
    I, W = model.I, scratch.W
    w = width(d)
    for i in range(I[h + T.LINK_COUNT]):
        A, c, y, s = link_out(d, True, True, model, scratch, h, i, q, v, a)
        store(d, W, state_of(d, model, scratch, h, i) + T.FORCE * w, force_of(d, model, scratch, h, i, A, c, y, s))


@inner_kernel
def inward(d, model, scratch, h, tau):
    """Sum the forces from the leaves to the ground, and write B · R̂ of every unknown rate to tau; eqs. (30), (36) by sums."""
    I, W = model.I, scratch.W
    w = width(d)
    for i in range(I[h + T.LINK_COUNT] - 1, -1, -1):
        link, at = link_of(model, h, i), state_of(d, model, scratch, h, i)
        f = load(d, W, at + T.FORCE * w)
        for j in range(I[link + T.FIRST], I[link + T.FIRST] + I[link + T.COUNT]):
            k = I[record_of(model, h, j) + T.RATE]
            if k >= 0:
                tau[k] = inner(d, load(d, W, column_of(d, model, h, j)), f)
        c = I[link + T.CARRIER]
        if c >= 0:
            if I[link + T.OWN_POINT] == 1:
                f = carried(d, offset(d, model, scratch, h, i), f)
            p = state_of(d, model, scratch, h, c) + T.FORCE * w
            store(d, W, p, plus(d, 1.0, f, load(d, W, p)))
