"""Forces of joints: the wrench R̂ that a joint puts on its link, for all joints or for selected ones, and what follows from it.

Kim, You (1996): reaction (30), (31) and driving force (36). With Ẏ = S + a and G_i = K_i S_i − L_i,
R̂_i = G_i + K_i a_i + Σ U_l q̈_l over the columns l beyond link i, U_l = K_l B_l: nothing but what forming (15) made.
"""

from __future__ import annotations

from multibody.kernels.cholesky import ANY, factor_lower, solve_lower
from multibody.kernels.codes import FIRST_BODY
from multibody.kernels.compile import inner_kernel
from multibody.kernels.rows import row_jacobian
from multibody.kernels.tags import PLANAR
from multibody.kernels.tree.algebra import inner, load, load_at, load_rigid, plus, rigid_times, store, width, zero
from multibody.kernels.tree.bodies import wrench_about
from multibody.kernels.tree.composite import carried_in
from multibody.kernels.tree.declared import columns_of, given_of, gradients_of, links_of, loads_of
from multibody.kernels.tree.frames import center_of
from multibody.kernels.tree.loops import entry_column, entry_count, loop_wrenches
from multibody.kernels.tree.transformation import at_center
from multibody.kernels.tree.wrenches import joint_wrenches, spread


@inner_kernel
def selected_wrench(d, tree, work, i, x):
    """Return R̂ of the joint of link i about o by eq. (30): K, G summed, U and a of the links known, q̈ = x."""
    link, now = tree.links[i], links_of(d, work)[i]
    f = load(d, now.force)
    f = plus(d, 1.0, rigid_times(d, load_rigid(d, now.inertia), load(d, now.change)), f)
    if i + 1 < link.end:
        stop = tree.columns.size if link.end == tree.links.size else tree.links[link.end].first
        for l in range(link.first + link.count, stop):
            column = tree.columns[l]
            if column.rate >= 0:
                u, j = load(d, columns_of(d, work)[l].U), column.link
                while j != i:
                    u = carried_in(d, tree, work, j, u)
                    j = tree.links[j].carrier
                f = plus(d, x[column.rate], u, f)
    return f


@inner_kernel
def joint_multipliers(d, model, state, scratch, t, out):
    """Write λ of the rows of tree joints and of the motions on them; u̇ and λ of the loops are known.

    The rows of a joint act on its link with −Φ_yᵀ λ; efforts of laws are applied forces, so that this is R̂ up to the efforts of
    motions. λ is what R̂ needs along the gradients of the rows (normal equations of at most six). R̂ of all joints comes from
    Newton–Euler, of selected ones from (30).
    """
    tree, work = model.tree, scratch.tree
    if tree.all_joints == 0:
        a = scratch.a
        spread(d, tree, work, a)
        _loops_alone(d, model, state, scratch, t)
        for k in range(tree.selected.size):
            i = tree.selected[k]
            f = plus(d, 1.0, _loops_beyond(d, model, work, i), selected_wrench(d, tree, work, i, a))
            store(d, links_of(d, work)[i].wrench, f)
            _multipliers_of(d, model, state, scratch, t, i, out)
        return
    joint_wrenches(d, model, state, scratch, t)
    for i in range(tree.links.size):
        now = links_of(d, work)[i]
        store(d, now.wrench, load(d, now.force))
        _multipliers_of(d, model, state, scratch, t, i, out)


@inner_kernel
def _loops_alone(d, model, state, scratch, t):
    """Write Φ_yᵀ λ of the loops on every link to its load."""
    for i in range(model.tree.links.size if model.chosen.size > 0 else 0):
        store(d, loads_of(d, scratch.tree)[i].x, zero(d))
    loop_wrenches(d, model, state, scratch, t)


@inner_kernel
def _loops_beyond(d, model, work, i):
    """Return the sum of the loops' wrenches on the subtree of link i, about its o."""
    tree, total = model.tree, zero(d)
    for l in range(i, tree.links[i].end if model.chosen.size > 0 else i):
        f, j = load(d, loads_of(d, work)[l].x), l
        while j != i:
            f = carried_in(d, tree, work, j, f)
            j = tree.links[j].carrier
        total = plus(d, 1.0, f, total)
    return total


@inner_kernel
def _multipliers_of(d, model, state, scratch, t, i, out):
    """Write λ of the motions on link i's joint, −τ of (36), and of the joint's own rows; R̂ is known."""
    tree, work = model.tree, scratch.tree
    link, f = tree.links[i], load(d, links_of(d, work)[i].wrench)
    for j in range(link.first, link.first + link.count):
        rate = tree.columns[j].rate
        if rate < 0:
            out[tree.given[given_of(rate)].row] = -inner(d, load(d, columns_of(d, work)[j].B), f)
    if tree.joint_rows[i].end > tree.joint_rows[i].first:
        _fit(d, model, state, scratch, t, i, tree.joint_rows[i].first, tree.joint_rows[i].end, out)


@inner_kernel
def _fit(d, model, state, scratch, t, i, lo, hi, out):
    """Write λ of the rows lo..hi−1 of the joint of link i, of which R̂ (less the motions' own efforts) is made."""
    tree, work, length = model.tree, scratch.tree, model.numbers[model.length]
    link, now, m = tree.links[i], links_of(d, work)[i], hi - lo
    G, A, x = gradients_of(d, work), work.normal, work.fitted
    f = at_center(d, center_of(d, now), load(d, now.wrench))
    for j in range(link.first, link.first + link.count):
        rate = tree.columns[j].rate
        if rate < 0:
            row = tree.given[given_of(rate)].row
            g = _gradient(d, model, state, scratch, t, i, row)
            f = plus(d, out[row], at_center(d, center_of(d, now), g), f)
    for k in range(m):
        g = _gradient(d, model, state, scratch, t, i, lo + k)
        store(d, G[k].x, at_center(d, center_of(d, now), g))
    for k in range(m):
        scaled = over_length(d, load(d, G[k].x), length)
        for l in range(k + 1):
            A[m * k + l] = inner(d, scaled, load(d, G[l].x))
        x[k] = -inner(d, scaled, f)
    factor_lower(A, m, ANY)
    solve_lower(A, m, x)
    for k in range(m):
        out[lo + k] = x[k]


@inner_kernel
def over_length(d, f, length):
    """Return a force with its moment over the square of a length: the metric in which both count alike."""
    k = 1.0 / (length * length)
    if d is PLANAR:
        return (f[0], f[1], k * f[2])
    return (f[0], f[1], f[2], k * f[3], k * f[4], k * f[5])


@inner_kernel
def _gradient(d, model, state, scratch, t, i, r):
    """Return the gradient of row r over the body of link i, as a force about o."""
    entries, found = scratch.tree.entries, zero(d)
    row_jacobian(model, state, scratch, t, r, r + 1, entries)
    for e in range(entry_count(model, r)):
        if entry_column(model, r, e) == width(d) * (model.tree.links[i].body - FIRST_BODY):
            found = wrench_about(d, model, scratch, i, load_at(d, entries, e))
    return found
