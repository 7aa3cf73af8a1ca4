"""Recursive Newton–Euler: from q, q̇, q̈ to the efforts and the wrenches of all joints, in one sweep outward and one inward."""

from __future__ import annotations

from multibody.kernels.compile import inner_kernel
from multibody.kernels.tags import KNOWN, MOVING
from multibody.kernels.tree.algebra import add_to, inner, load, plus, store
from multibody.kernels.tree.composite import carried_in
from multibody.kernels.tree.declared import columns_of, constants_of, links_of, loads_of
from multibody.kernels.tree.sweep import force_of, link_out


@inner_kernel
def outward(d, tree, work, q, v, a):
    """Write the inertial force of every link to its state."""
    for i in range(tree.links.size):
        A, c, y, s = link_out(d, MOVING, KNOWN, tree, work, i, q, v, a)
        store(d, links_of(d, work)[i].force, force_of(d, constants_of(d, tree)[i], A, c, y, s))


@inner_kernel
def take_off_loads(d, tree, work):
    """Take the wrenches of laws and loads off the forces of all links."""
    for i in range(tree.links.size):
        force = links_of(d, work)[i].force
        store(d, force, plus(d, -1.0, load(d, loads_of(d, work)[i].x), load(d, force)))


@inner_kernel
def sum_wrenches(d, tree, work):
    """Sum the forces of the links from the leaves to the ground: R̂ of every joint stays with its link."""
    for i in range(tree.links.size - 1, -1, -1):
        carrier = tree.links[i].carrier
        if carrier >= 0:
            f = carried_in(d, tree, work, i, load(d, links_of(d, work)[i].force))
            add_to(d, links_of(d, work)[carrier].force, f)


@inner_kernel
def inward(d, tree, work, tau):
    """Sum the forces from the leaves to the ground, and write B · R̂ of every unknown rate to tau; eqs. (30), (36) by sums."""
    for i in range(tree.links.size - 1, -1, -1):
        link, f = tree.links[i], load(d, links_of(d, work)[i].force)
        for j in range(link.first, link.first + link.count):
            rate = tree.columns[j].rate
            if rate >= 0:
                tau[rate] = inner(d, load(d, columns_of(d, work)[j].B), f)
        if link.carrier >= 0:
            add_to(d, links_of(d, work)[link.carrier].force, carried_in(d, tree, work, i, f))
