"""Wrenches of all joints by Newton–Euler inward, once accelerations and multipliers are known."""

from __future__ import annotations

from multibody.kernels import sections as R
from multibody.kernels.compile import inner_kernel
from multibody.kernels.tree import layout as T
from multibody.kernels.tree.algebra import carried, load, moved, plus, store, width, zero
from multibody.kernels.tree.frames import column_of, link_of, offset, record_of, state_of
from multibody.kernels.tree.loops import loop_wrenches
from multibody.kernels.tree.motion import inertial_force


@inner_kernel
def spread(d, model, scratch, h, x):
    """Write a = Σ B u̇ of every link to its state, u̇ at W[x…]: Ẏ = S + a."""
    I, W = model.I, scratch.W
    w = width(d)
    for i in range(I[h + T.LINK_COUNT]):
        link = link_of(model, h, i)
        a, c = zero(d), I[link + T.CARRIER]
        if c >= 0:
            a = load(d, W, state_of(d, model, scratch, h, c) + T.CHANGE * w)
            if I[link + T.OWN_POINT] == 1:
                a = moved(d, offset(d, model, scratch, h, i), a)
        for j in range(I[link + T.FIRST], I[link + T.FIRST] + I[link + T.COUNT]):
            r = I[record_of(model, h, j) + T.RATE]
            if r >= 0:
                a = plus(d, W[x + r], load(d, W, column_of(d, model, h, j)), a)
        store(d, W, state_of(d, model, scratch, h, i) + T.CHANGE * w, a)


@inner_kernel
def joint_wrenches(d, model, state, scratch, t, h):
    """Write the wrench R̂ of every joint on its link about o, efforts included, to the link's force: Newton–Euler inward.

    u̇ and λ in W; R̂ = Σ over the subtree of inertial force − applied force + Φ_yᵀ λ.
    """
    I, W = model.I, scratch.W
    w = width(d)
    spread(d, model, scratch, h, I[R.W_A])
    for i in range(I[h + T.LINK_COUNT]):
        at = state_of(d, model, scratch, h, i)
        s = plus(d, 1.0, load(d, W, at + T.BIAS * w), load(d, W, at + T.CHANGE * w))
        f = inertial_force(d, model, scratch, h, i, load(d, W, at + T.MOTION * w), s)
        if I[h + T.ACTED] == 1:
            f = plus(d, -1.0, load(d, W, I[h + T.W_WRENCH] + w * i), f)
        store(d, W, I[h + T.W_WRENCH] + w * i, f)
    loop_wrenches(d, model, state, scratch, t, h, I[h + T.W_WRENCH])
    for i in range(I[h + T.LINK_COUNT]):
        store(d, W, state_of(d, model, scratch, h, i) + T.FORCE * w, load(d, W, I[h + T.W_WRENCH] + w * i))
    for i in range(I[h + T.LINK_COUNT] - 1, -1, -1):
        c = I[link_of(model, h, i) + T.CARRIER]
        if c >= 0:
            f = load(d, W, state_of(d, model, scratch, h, i) + T.FORCE * w)
            if I[link_of(model, h, i) + T.OWN_POINT] == 1:
                f = carried(d, offset(d, model, scratch, h, i), f)
            p = state_of(d, model, scratch, h, c) + T.FORCE * w
            store(d, W, p, plus(d, 1.0, f, load(d, W, p)))
