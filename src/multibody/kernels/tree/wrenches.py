"""Wrenches of all joints by Newton–Euler inward, once accelerations and multipliers are known."""

from __future__ import annotations

from multibody.kernels.compile import inner_kernel
from multibody.kernels.tree.algebra import load, moved, plus, store, zero
from multibody.kernels.tree.declared import columns_of, links_of, loads_of
from multibody.kernels.tree.frames import offset_of
from multibody.kernels.tree.loops import loop_wrenches
from multibody.kernels.tree.newton_euler import sum_wrenches
from multibody.kernels.tree.sweep import inertial_force


@inner_kernel
def spread(d, tree, work, x):
    """Write a = Σ B u̇ of every link to its state, u̇ = x: Ẏ = S + a."""
    for i in range(tree.links.size):
        link, now = tree.links[i], links_of(d, work)[i]
        a = zero(d)
        if link.carrier >= 0:
            a = load(d, links_of(d, work)[link.carrier].change)
            if link.own_point == 1:
                a = moved(d, offset_of(d, now), a)
        for j in range(link.first, link.first + link.count):
            r = tree.columns[j].rate
            if r >= 0:
                a = plus(d, x[r], load(d, columns_of(d, work)[j].B), a)
        store(d, now.change, a)


@inner_kernel
def joint_wrenches(d, model, state, scratch, t):
    """Write the wrench R̂ of every joint on its link about o, efforts included, to the link's force: Newton–Euler inward.

    u̇ and λ are known; R̂ = Σ over the subtree of inertial force − applied force + Φ_yᵀ λ.
    """
    tree, work = model.tree, scratch.tree
    spread(d, tree, work, scratch.a)
    for i in range(tree.links.size):
        now, to = links_of(d, work)[i], loads_of(d, work)[i].x
        s = plus(d, 1.0, load(d, now.bias), load(d, now.change))
        f = inertial_force(d, tree, work, i, load(d, now.motion), s)
        if tree.acted == 1:
            f = plus(d, -1.0, load(d, to), f)
        store(d, to, f)
    loop_wrenches(d, model, state, scratch, t)
    for i in range(tree.links.size):
        store(d, links_of(d, work)[i].force, load(d, loads_of(d, work)[i].x))
    sum_wrenches(d, tree, work)
