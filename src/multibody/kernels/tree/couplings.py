"""Derivatives of forces between bodies, in joint coordinates: what the blocks of ∂R_c do through the columns of two bodies.

For ``partials.py``, where the symbols are explained. Columns that move both bodies of a block see it as part of D and E of the
last link that carries both, so that a force between neighbors costs no more than the joint between them. A *block* (`at`,
`stride`) is where the force on one body by the motion of another begins in Kc and Cc, and how far apart its rows are.
"""

from __future__ import annotations

from multibody.kernels.compile import inlined, inner_kernel
from multibody.kernels.tree.algebra import carried, inner, load, load_at, plus, width
from multibody.kernels.tree.bodies import twist_of
from multibody.kernels.tree.declared import changes_of, columns_of, links_of, sums_of
from multibody.kernels.tree.frames import center_of, inward_to, offset_of
from multibody.kernels.tree.matrices import (
    about,
    basis,
    column_times,
    load_column,
    own_columns,
    store_column,
    swinging,
    swung,
    times,
    transposed_times,
)


@inner_kernel
def fold(d, scratch, a, p, cp, q, cq, at, stride, Kc, Cc):
    """Add a block, force on body p by the motion of body q, to D and E of link a, which carries both.

    Parameters
    ----------
    cp, cq : tuples
        Centers of mass of the bodies from o of link a.
    at, stride : int
        The block.
    """
    w, r = width(d), twist_of(d, scratch, q)
    D, E = sums_of(d, scratch.tree)[a].D, sums_of(d, scratch.tree)[a].E
    for n in range(w):
        x = basis(d, n)
        own = own_columns(d, scratch, q, cq, x)
        f = about(d, scratch, p, cp, times(d, Cc, at, stride, own))
        store_column(d, D, n, w, plus(d, 1.0, f, load_column(d, D, n, w)))
        f = plus(d, 1.0, times(d, Kc, at, stride, own), times(d, Cc, at, stride, swung(d, x, r)))
        store_column(d, E, n, w, plus(d, 1.0, about(d, scratch, p, cp, f), load_column(d, E, n, w)))


@inner_kernel
def push(d, model, scratch, i, stop, f, g, C, K, row):
    """Let a row act along the columns that move link i, from the last one to `stop` (excluded).

    With f the row over the velocity columns of the body and g its derivative, f B is added to C[row + rate] and
    g B + f ∂v_c/∂q to K[row + rate]: a body turned along column j has ∂v_c = (ω_j × ṙ, 0) + Ψ_j, seen at the body.
    """
    tree, work = model.tree, scratch.tree
    body, k, link = tree.links[i].body, tree.links[i].last, i
    c, r = center_of(d, links_of(d, work)[i]), twist_of(d, scratch, body)
    g = plus(d, 1.0, about(d, scratch, body, c, g), swinging(d, r, f))
    f = about(d, scratch, body, c, f)
    while k != stop:
        column = tree.columns[k]
        while link != column.link:
            if tree.links[link].own_point == 1:
                e = offset_of(d, links_of(d, work)[link])
                f, g = carried(d, e, f), carried(d, e, g)
            link = tree.links[link].carrier
        if column.rate >= 0:
            b, to = load(d, columns_of(d, work)[k].B), row + column.rate
            C[to] += inner(d, f, b)
            K[to] += inner(d, g, b) + inner(d, f, load(d, changes_of(d, work)[k].psi))
        k = column.inner


@inner_kernel
def _couple(d, model, scratch, i, l, at, stride, Kc, Cc, C, K):
    """Add a block: force on link i by the motion of link l."""
    tree, work = model.tree, scratch.tree
    p, q, a, b = tree.links[i].body, tree.links[l].body, i, l
    while a != b:  # a carrier comes before what it carries
        if a > b:
            a = tree.links[a].carrier
        else:
            b = tree.links[b].carrier
    if a >= 0:
        cp = inward_to(d, tree, work, i, a, center_of(d, links_of(d, work)[i]))
        cq = inward_to(d, tree, work, l, a, center_of(d, links_of(d, work)[l]))
        fold(d, scratch, a, p, cp, q, cq, at, stride, Kc, Cc)
    common = tree.links[a].last if a >= 0 else -1
    stop, c, link, k = -1, center_of(d, links_of(d, work)[i]), i, tree.links[i].last
    while k >= 0:
        if k == common:
            stop = common  # from here on columns move both: those that move l alone are left
        if stop == tree.links[l].last:
            break
        column = tree.columns[k]
        c, link = inward_to(d, tree, work, link, column.link, c), column.link
        if column.rate >= 0:
            x = own_columns(d, scratch, p, c, load(d, columns_of(d, work)[k].B))
            f, g = transposed_times(d, Cc, at, stride, x), transposed_times(d, Kc, at, stride, x)
            push(d, model, scratch, l, stop, f, g, C, K, tree.nv * column.rate)
        k = column.inner


@inner_kernel
def _couple_extra(d, model, scratch, i, rate, at, stride, Kc, Cc, C, K):
    """Add a block of one column: force on link i by an extra coordinate, whose rate is given."""
    tree, work = model.tree, scratch.tree
    c, link, k = center_of(d, links_of(d, work)[i]), i, tree.links[i].last
    while k >= 0:
        column = tree.columns[k]
        c, link = inward_to(d, tree, work, link, column.link, c), column.link
        if column.rate >= 0:
            x, to = own_columns(d, scratch, tree.links[i].body, c, load(d, columns_of(d, work)[k].B)), column.rate
            C[tree.nv * to + rate] += column_times(d, Cc, at, stride, x)
            K[tree.nv * to + rate] += column_times(d, Kc, at, stride, x)
        k = column.inner


@inner_kernel
def add_couplings(d, model, scratch, Kc, Cc, C, K):
    """Add all blocks between different bodies and extra coordinates to C and K, or to D and E of what carries both."""
    tree = model.tree
    n, bodies, shift = tree.nv, model.bodies, tree.extras_rate - model.bodies  # rate of an extra node: shift + node
    for p in range(bodies + model.extras):
        first, end = _meetings(model, p)
        for e in range(first, end):
            q, at, stride = block_of(model, p, e)
            if p >= bodies:
                row = n * (shift + p)
                if q < bodies:
                    push(d, model, scratch, tree.link_of[q], -1, load_at(d, Cc, at), load_at(d, Kc, at), C, K, row)
                else:
                    C[row + shift + q] += Cc[at]
                    K[row + shift + q] += Kc[at]
            elif q >= bodies:
                _couple_extra(d, model, scratch, tree.link_of[p], shift + q, at, stride, Kc, Cc, C, K)
            elif p != q and _filled(d, at, stride, Kc, Cc):
                _couple(d, model, scratch, tree.link_of[p], tree.link_of[q], at, stride, Kc, Cc, C, K)


@inlined
def _filled(d, at, stride, Kc, Cc):
    """Return whether there is anything in a block."""
    w = width(d)
    for r in range(w):
        for c in range(w):
            if Kc[at + stride * r + c] != 0.0 or Cc[at + stride * r + c] != 0.0:
                return True
    return False


# --- where blocks are --------------------------------------------------------------------------------------------------------
@inlined
def _meetings(model, p):
    """Return first and end of the meetings of node p; without a pattern all nodes meet."""
    if model.pattern.nodes.size == 0:
        return (0, model.bodies + model.extras)
    node = model.pattern.nodes[p]
    return (node.first, node.end)


@inlined
def block_of(model, p, e):
    """Return the node q of meeting e, where the block (p, q) begins in a matrix, and the stride of its rows.

    Without a pattern matrices are full, and meetings are the nodes themselves.
    """
    w, pattern = model.width, model.pattern
    if pattern.nodes.size == 0:
        first = w * p if p < model.bodies else (w - 1) * model.bodies + p
        return (e, model.velocities * first + (w * e if e < model.bodies else (w - 1) * model.bodies + e), model.velocities)
    return (pattern.meetings[e].node, pattern.meetings[e].at, pattern.meetings[e].stride)


@inlined
def diagonal_block(model, p):
    """Return where the block (p, p) of a body begins in a matrix, and the stride of its rows: its node's first meeting."""
    return block_of(model, p, p if model.pattern.nodes.size == 0 else model.pattern.nodes[p].first)[1:]
