"""Articulated-body recursion: accelerations in time linear in the number of links.

With S, the acceleration at q̈ = 0, taken out, Ẏ = S + a and a_j = a_i + B_j q̈_j has no further term. A joint of several degrees
of freedom is eliminated one column at a time, so that only numbers are divided by: D = Bᵀ K B.
"""

from __future__ import annotations

from multibody.kernels.compile import inlined, inner_kernel
from multibody.kernels.tags import DROPPED, PLANAR
from multibody.kernels.tree.algebra import add_to, carried, inner, load, moved, plus, store, times, zero
from multibody.kernels.tree.composite import carried_in
from multibody.kernels.tree.declared import columns_of, links_of, loads_of
from multibody.kernels.tree.frames import branches, offset_of
from multibody.kernels.tree.inertias import (
    add_inertia,
    carried_inertia,
    inertia_times,
    load_inertia,
    no_inertia,
    store_inertia,
    sum_of_inertias,
    sum_of_rigid,
    without,
)
from multibody.kernels.tree.sweep import inertial_force, rigid

FLAT = 1e-14  # a pivot D below this part of what it is made of: the column moves no mass


@inner_kernel
def eliminate(d, tree, work):
    """Eliminate all columns inward: U = K B and 1/D stay with each column; return −1, or the first column without mass."""
    for i in range(tree.links.size - 1, -1, -1):
        link, now = tree.links[i], links_of(d, work)[i]
        K = load_inertia(d, now.inertia)
        for j in range(link.first + link.count - 1, link.first - 1, -1):
            if tree.columns[j].rate < 0:
                continue
            column = columns_of(d, work)[j]
            B = load(d, column.B)
            U = inertia_times(d, K, B)
            D = inner(d, B, U)
            if not FLAT * inner(d, absolute(d, B), absolute(d, U)) < D:
                return j
            store(d, column.U, U)
            column.per_D = 1.0 / D
            K = without(d, K, U, 1.0 / D)
        if link.carrier >= 0:
            if link.own_point == 1:
                K = carried_inertia(d, offset_of(d, now), K)
            add_inertia(links_of(d, work)[link.carrier].inertia, K)
    return -1


@inlined
def absolute(d, x):
    """Return the components without their signs."""
    if d is PLANAR:
        return (abs(x[0]), abs(x[1]), abs(x[2]))
    return (abs(x[0]), abs(x[1]), abs(x[2]), abs(x[3]), abs(x[4]), abs(x[5]))


@inner_kernel
def give_way(d, tree, work, tau):
    """Sweep the forces G inward through the eliminated columns; u = τ − Bᵀ G stays with each. There is no τ if tau is empty."""
    for i in range(tree.links.size - 1, -1, -1):
        link = tree.links[i]
        g = load(d, links_of(d, work)[i].force)
        for j in range(link.first + link.count - 1, link.first - 1, -1):
            r = tree.columns[j].rate
            if r < 0:
                continue
            column = columns_of(d, work)[j]
            column.u = (tau[r] if tau.size > 0 else 0.0) - inner(d, load(d, column.B), g)
            g = plus(d, column.u * column.per_D, load(d, column.U), g)
        if link.carrier >= 0:
            add_to(d, links_of(d, work)[link.carrier].force, carried_in(d, tree, work, i, g))


@inlined
def accelerations(d, kept, tree, work, out):
    """Sweep outward: q̈ = (u − Uᵀ a)/D of every unknown rate to out; if `kept`, a = Σ B q̈ of links to their state.

    A chain of many links is a matter of memory: nothing is written that nobody reads.
    """
    a = zero(d)
    for i in range(tree.links.size):
        link, now = tree.links[i], links_of(d, work)[i]
        if link.carrier < 0:
            a = zero(d)
        else:
            if link.carrier < i - 1:  # else a is at hand
                a = load(d, links_of(d, work)[link.carrier].change)
            if link.own_point == 1:
                a = moved(d, offset_of(d, now), a)
        for j in range(link.first, link.first + link.count):
            r = tree.columns[j].rate
            if r >= 0:
                column = columns_of(d, work)[j]
                k = column.per_D  # 1/D multiplies what does not wait for a
                found = k * column.u - inner(d, times(d, k, load(d, column.U)), a)
                a = plus(d, found, load(d, column.B), a)
                out[r] = found
        if kept is not DROPPED or branches(tree, i):
            store(d, now.change, a)


@inlined
def sweep(d, kept, tree, work, tau, acted):
    """Eliminate all columns and let the forces give way in one sweep inward; return −1, or the first column without mass.

    For a tree without loops whose frames and motions are known. tau are the efforts along the unknown rates; with `acted` = 1
    there are wrenches on the links. U = K B, 1/D and u = τ − Bᵀ G stay with each column and, if `kept`, K and G with each link.
    On their way to a carrier that is the next link inward, as in a chain, K and G are in registers: the time of a link is that
    of the operations which wait for each other.
    """
    K, g = no_inertia(d), zero(d)
    for i in range(tree.links.size - 1, -1, -1):
        link, now = tree.links[i], links_of(d, work)[i]
        K, g = _gathered(d, tree, work, i, acted, K, g)
        if kept is not DROPPED:
            store_inertia(now.inertia, K)
            store(d, now.force, g)
        for j in range(link.first + link.count - 1, link.first - 1, -1):
            r = tree.columns[j].rate
            if r < 0:
                continue
            column = columns_of(d, work)[j]
            B = load(d, column.B)
            U = inertia_times(d, K, B)
            D = inner(d, B, U)
            if not FLAT * inner(d, absolute(d, B), absolute(d, U)) < D:
                return j
            D, u = 1.0 / D, tau[r] - inner(d, B, g)
            store(d, column.U, U)
            column.per_D = D
            column.u = u
            K, g = without(d, K, U, D), plus(d, u * D, U, g)
        if link.own_point == 1:
            e = offset_of(d, now)
            K, g = carried_inertia(d, e, K), carried(d, e, g)
        if 0 <= link.carrier < i - 1:
            _lay_down(d, tree, work, i, K, g)
    return -1


@inlined
def _gathered(d, tree, work, i, acted, K, g):
    """Return K and G of link i: its own and what the links that it carries hand inward, of which K and g are the first's."""
    now, R = links_of(d, work)[i], rigid(d, tree, work, i)
    f = inertial_force(d, tree, work, i, load(d, now.motion), load(d, now.bias))
    if acted == 1:
        f = plus(d, -1.0, load(d, loads_of(d, work)[i].x), f)
    if i + 1 == tree.links[i].end:  # it carries none
        return (sum_of_rigid(d, R, no_inertia(d)), f)
    if branches(tree, i):
        K = sum_of_inertias(d, K, load_inertia(d, now.inertia))
        g = plus(d, 1.0, load(d, now.force), g)
    return (sum_of_rigid(d, R, K), plus(d, 1.0, f, g))


@inlined
def _lay_down(d, tree, work, i, K, g):
    """Leave K and g of link i in the state of its carrier, until that has its turn; the last of its links comes first."""
    carrier = tree.links[i].carrier
    to = links_of(d, work)[carrier]
    if tree.links[i].end < tree.links[carrier].end:
        K = sum_of_inertias(d, K, load_inertia(d, to.inertia))
        g = plus(d, 1.0, load(d, to.force), g)
    store_inertia(to.inertia, K)
    store(d, to.force, g)
