"""Rows that the tree does not satisfy by itself (cut joints, constraints, motions elsewhere), over the unknown rates.

A row of Φ_q over the bodies' velocity columns is a wrench on every body that it touches; B_kᵀ times that wrench, for every
column on the way to the ground, is the row over joint rates: Φ_u = Φ_y B and γ_u = γ_y − Φ_y Ḃ u of Lee, Sohn, Kim, Yoo (2001),
eq. (2).
"""

from __future__ import annotations

from multibody.kernels.codes import FIRST_BODY
from multibody.kernels.compile import inlined, inner_kernel
from multibody.kernels.declared import planar_numbers, spatial_numbers
from multibody.kernels.planar import planar_gamma, planar_terms
from multibody.kernels.rows import row_gamma, row_jacobian, row_values, row_velocity
from multibody.kernels.spatial import spatial_gamma, spatial_terms
from multibody.kernels.tags import PLANAR, SPATIAL
from multibody.kernels.tree.algebra import inner, load, load_at, plus, store, width, zero
from multibody.kernels.tree.bodies import axes_of_body, centripetal, wrench_about
from multibody.kernels.tree.composite import climb
from multibody.kernels.tree.declared import links_of, loads_of
from multibody.kernels.tree.frames import center_of
from multibody.kernels.vectors import add, apply, cross, scale


# --- the entries of a row ----------------------------------------------------------------------------------------------------
@inlined
def entry_count(model, r):
    """Return the number of entries of row r over the velocity columns."""
    return model.rows[r].entries


@inlined
def entry_column(model, r, e):
    """Return the velocity column of an entry of row r."""
    return model.columns[model.rows[r].entry + e]


@inlined
def first_extra(d, model):
    """Return the velocity column of the first extra coordinate."""
    return width(d) * model.bodies


@inlined
def extra_rate(d, model, column):
    """Return the place of an extra coordinate among the rates from its velocity column."""
    return model.tree.extras_rate + column - first_extra(d, model)


@inlined
def entry_link(d, model, column):
    """Return the link whose body a velocity column belongs to."""
    return model.tree.link_of[column // width(d)]


# --- values and rows ---------------------------------------------------------------------------------------------------------
@inner_kernel
def loop_values(model, state, scratch, t):
    """Write Φ of the loop rows at the poses to `by_row`."""
    rows = model.tree.row_list
    for k in range(rows.size):
        row_values(model, state, scratch, t, rows[k], rows[k] + 1, scratch.by_row[k:])


@inner_kernel
def loop_rows(d, model, state, scratch, t, rates):
    """Write Φ_u of the loop rows to `J`, by rows of full length, and with `rates` = 1 γ_u to `by_row`."""
    tree = model.tree
    for k in range(tree.row_list.size):
        out = scratch.J[tree.nv * k :]
        for c in range(tree.nv):
            out[c] = 0.0
        if tree.plain[k].kind > 0:
            _plain_row(d, model, scratch, tree.plain[k], rates, out, k)
        else:
            _other_row(d, model, state, scratch, t, tree.row_list[k], rates, out, k)


@inlined
def _plain_row(d, model, scratch, row, rates, out, k):
    """Write a row that is one basic function: its gradient is a wrench on each of two bodies."""
    i, j, link_of = row.first, row.second, model.tree.link_of
    first, second, g = terms(d, model, scratch, row, rates)
    if rates > 0:
        scratch.by_row[k] = g
    if i > 0:
        _send(d, model, scratch, link_of[i - FIRST_BODY], first, rates, out, k)
    if j > 0:
        _send(d, model, scratch, link_of[j - FIRST_BODY], second, rates, out, k)


@inlined
def _send(d, model, scratch, i, f, rates, out, k):
    """Add B · f of a wrench on link i to the row out and, with `rates`, take what it meets at q̈ = 0 off the k-th γ."""
    tree, work = model.tree, scratch.tree
    climb(d, tree, work, i, tree.links[i].last, f, out, 0)
    if rates > 0:
        now = links_of(d, work)[i]
        scratch.by_row[k] -= _met(d, f, load(d, now.bias), load(d, tree.base), centripetal(d, now))


@inlined
def terms(d, model, scratch, row, rates):
    """Return the gradient of a basic function as wrenches about o on its two bodies, and its γ (0 without `rates`)."""
    i, j, g = row.first, row.second, 0.0
    if d is PLANAR:
        p, q, n = scratch.planar_pose[i], scratch.planar_pose[j], planar_numbers(model.numbers, row.numbers)
        ex, ey, ti, tj = planar_terms(row.kind, p, q, n)
        if rates > 0:
            g = planar_gamma(row.kind, p, q, scratch.planar_twist[i], scratch.planar_twist[j], n)
        return (_planar_wrench(model, scratch, i, -ex, -ey, ti), _planar_wrench(model, scratch, j, ex, ey, tj), g)
    p, q, n = scratch.spatial_pose[i], scratch.spatial_pose[j], spatial_numbers(model.numbers, row.numbers)
    e, si, sj = spatial_terms(row.kind, p, q, n)
    if rates > 0:
        g = spatial_gamma(row.kind, p, q, scratch.spatial_twist[i], scratch.spatial_twist[j], n)
    return (_spatial_wrench(model, scratch, i, scale(-1.0, e), si), _spatial_wrench(model, scratch, j, e, sj), g)


@inlined
def _planar_wrench(model, scratch, body, x, y, turn):
    """Return a force at the center of mass and a moment about it as a wrench about o of the body's link."""
    if body == 0:
        return zero(PLANAR)
    c = center_of(PLANAR, scratch.tree.planar_links[model.tree.link_of[body - FIRST_BODY]])
    return (x, y, turn + c[0] * y - c[1] * x)


@inlined
def _spatial_wrench(model, scratch, body, f, own):
    """Return a force at the center of mass and a moment about it, in body axes, as a wrench about o of the body's link."""
    if body == 0:
        return zero(SPATIAL)
    c = center_of(SPATIAL, scratch.tree.spatial_links[model.tree.link_of[body - FIRST_BODY]])
    n = add(apply(axes_of_body(scratch, body), own), cross(c, f))
    return (f[0], f[1], f[2], n[0], n[1], n[2])


@inner_kernel
def _other_row(d, model, state, scratch, t, r, rates, out, k):
    """Write a row that is more than one basic function, from its entries over the bodies' velocity columns."""
    entries, e = scratch.tree.entries, 0
    row_jacobian(model, state, scratch, t, r, r + 1, entries)
    if rates > 0:
        row_gamma(model, state, scratch, t, r, r + 1, scratch.by_row[k:])
    while e < entry_count(model, r):
        column = entry_column(model, r, e)
        if column >= first_extra(d, model):
            out[extra_rate(d, model, column)] += entries[e]
            e += 1
            continue
        i = entry_link(d, model, column)
        _send(d, model, scratch, i, wrench_about(d, model, scratch, i, load_at(d, entries, e)), rates, out, k)
        e += width(d)


@inlined
def _met(d, f, s, base, z):
    """Return f · (S less the ground's acceleration) + force · (ω × ṙ_c): what a row meets at q̈ = 0."""
    total = inner(d, f, plus(d, -1.0, base, s))
    if d is PLANAR:
        return total + f[0] * z[0] + f[1] * z[1]
    return total + f[0] * z[0] + f[1] * z[1] + f[2] * z[2]


@inner_kernel
def loop_gaps(d, model, state, scratch, t, v):
    """Write ν − Φ_y ẏ of the loop rows at the poses and twists of the links to `by_row`; v for extra coordinates."""
    tree, work, x = model.tree, scratch.tree, scratch.by_row
    entries = work.entries
    for k in range(tree.row_list.size):
        r, e = tree.row_list[k], 0
        row_velocity(model, state, scratch, t, r, r + 1, x[k:])
        row_jacobian(model, state, scratch, t, r, r + 1, entries)
        while e < entry_count(model, r):
            column = entry_column(model, r, e)
            if column >= first_extra(d, model):
                x[k] -= entries[e] * v[extra_rate(d, model, column)]
                e += 1
                continue
            i = entry_link(d, model, column)
            f = wrench_about(d, model, scratch, i, load_at(d, entries, e))
            x[k] -= inner(d, f, load(d, links_of(d, work)[i].motion))
            e += width(d)


@inner_kernel
def loop_wrenches(d, model, state, scratch, t):
    """Add Φ_yᵀ λ of the chosen loop rows, as wrenches about o, to the loads of the links; λ in `multipliers`."""
    tree, work = model.tree, scratch.tree
    entries = work.entries
    for k in range(model.chosen.size):
        r, e = tree.row_list[model.chosen[k]], 0
        row_jacobian(model, state, scratch, t, r, r + 1, entries)
        while e < entry_count(model, r):
            column = entry_column(model, r, e)
            if column >= first_extra(d, model):
                e += 1
                continue
            i = entry_link(d, model, column)
            f, to = wrench_about(d, model, scratch, i, load_at(d, entries, e)), loads_of(d, work)[i].x
            store(d, to, plus(d, scratch.multipliers[k], f, load(d, to)))
            e += width(d)
