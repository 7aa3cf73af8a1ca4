"""`articulated`: joint coordinates by the articulated-body recursion; no mass matrix is formed.

H⁻¹ x is one sweep inward, in which every link gives way along its own joint, and one outward; the recursion itself is in
``kernels/tree/articulated.py``. A tree without loops is solved in a single pass with its forces, with nothing to factor before.
Reactions are those of Kim, You (1996), eqs. (30), (31), (36), with the articulated inertia in place of the composite one, in
which the sum over what lies beyond a joint is contained (``kernels/robot/reactions.py``, ``kernels/tree/newton_euler.py``).
"""

from __future__ import annotations

import math

from multibody.kernels.compile import inlined, inner_kernel, kernel
from multibody.kernels.declared import model_at, scratch_at, state_at
from multibody.kernels.tags import DROPPED, PLANAR, SPATIAL
from multibody.kernels.tree.algebra import store, zero
from multibody.kernels.tree.articulated import accelerations, eliminate, give_way, sweep
from multibody.kernels.tree.declared import columns_of, links_of
from multibody.kernels.tree.inertias import store_of_rigid
from multibody.kernels.tree.mass import Mass, inertial_forces
from multibody.kernels.tree.solver import factor_tree, solve_tree
from multibody.kernels.tree.sweep import rigid


@inner_kernel
def meet(d, mass, model, scratch):
    """Eliminate all columns; −1 where one of them moves no mass."""
    tree, work = model.tree, scratch.tree
    for i in range(tree.links.size):
        store_of_rigid(d, links_of(d, work)[i].inertia, rigid(d, tree, work, i))
    work.weightless = eliminate(d, tree, work)
    return 1.0 if work.weightless < 0 else -1.0


@inner_kernel
def over(d, tree, work, x):
    """Turn x into H⁻¹ x: the accelerations of links at rest, on which nothing but x acts."""
    for i in range(tree.links.size):
        store(d, links_of(d, work)[i].force, zero(d))
    give_way(d, tree, work, x)
    accelerations(d, DROPPED, tree, work, x)


@inlined
def free(d, mass, model, scratch, a):
    """Write the accelerations that the forces alone would give."""
    tree, work = model.tree, scratch.tree
    if model.chosen.size > 0:
        inertial_forces(d, tree, work)
        give_way(d, tree, work, work.tau[:0])
    else:
        _sweep(d, tree, work)
    accelerations(d, DROPPED, tree, work, a)


@inlined
def _sweep(d, tree, work):
    """Sweep a tree without loops inward; where a column moves no mass, the answer is made no number, and the run stops."""
    bad = sweep(d, DROPPED, tree, work, work.tau, tree.acted)
    work.weightless = bad
    work.mass_ratio = 1.0 if bad < 0 else -1.0
    if bad >= 0:
        for j in range(tree.columns.size):
            columns_of(d, work)[j].u = math.nan


ARTICULATED = Mass("articulated", meet=meet, over=over, free=free)


@kernel
def factor_articulated(model, state, scratch, t, y, out):
    """Factor the equations of motion."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    if model.planar:
        scratch.tree.ratio = factor_tree(PLANAR, ARTICULATED, model, state, scratch)
    else:
        scratch.tree.ratio = factor_tree(SPATIAL, ARTICULATED, model, state, scratch)
    return 0


@kernel
def solve_articulated(model, state, scratch, t, y, out):
    """Write u̇ to `a` and λ to `multipliers`."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    if model.planar:
        solve_tree(PLANAR, ARTICULATED, model, state, scratch)
    else:
        solve_tree(SPATIAL, ARTICULATED, model, state, scratch)
    return 0


CALLS = {"factor": factor_articulated, "solve": solve_articulated}  # what meets the mass matrix: names of ``TreeCalls``
