"""`recursive`: joint coordinates with composite inertias; Kim, You (1996).

Where the equations of the paper live, in the order in which an evaluation walks through them:

=============  =======================================================  ====================================================
eqs.           what                                                     where
=============  =======================================================  ====================================================
(1), (2)       orientations and positions along the tree                ``kernels/tree/sweep.py``, ``motion.py``
(3)–(6), (8)   motions Ŷ_j = Ŷ_i + B_j q̇_j; D_j = Ḃ_j q̇_j              ``sweep.follow``
(7), (9)       velocities and accelerations of the bodies               ``kernels/tree/bodies.py``
(11)           inertia M̂ of a link                                      ``sweep.rigid``, ``algebra.rigid_about``
(10), (12)     inertial and applied force Q̂ of a link                   ``sweep.inertial_force``, ``bodies.write_wrenches``
(16)           composite inertias K_i, from the leaves inward           ``composite.sum_inertias``
(17)           composite forces L_i, here G_i = K_i S_i − L_i           ``composite.sum_forces``
(15)           M_ij = B_iᵀ K_max(i,j) B_j and its right side            ``composite.mass_matrix``, ``sum_forces``
(30)           reaction R̂ of any one joint, without recursion           ``joint_forces.selected_wrench``
(31)           its force and moment, by the joint's multipliers         ``joint_forces.py``, ``analyses/reactions/``
(36)           driving force τ_i = B_iᵀ R̂_i of any one joint            ``joint_forces.py``, ``calls.py``
=============  =======================================================  ====================================================

Here (15) is put together, :func:`form` and :func:`force`. It is factored, and loops are closed, by what all formulations in
joint coordinates share: ``kernels/tree/mass.py`` and ``solver.py``.
"""

from __future__ import annotations

from multibody.kernels.compile import inner_kernel, kernel
from multibody.kernels.declared import model_at, scratch_at, state_at
from multibody.kernels.modes import NO_FORCES
from multibody.kernels.tags import PLANAR, SPATIAL
from multibody.kernels.tree.composite import bodies, mass_matrix, sum_forces, sum_inertias
from multibody.kernels.tree.mass import Mass, free_formed, meet_formed, over_formed
from multibody.kernels.tree.solver import factor_tree, solve_tree


@inner_kernel
def form(d, tree, work):
    """Write the left side of (15): inertias of the links, their sums K_i (16), and M_ij = B_iᵀ K_max(i,j) B_j."""
    bodies(d, tree, work, NO_FORCES)
    sum_inertias(d, tree, work)
    mass_matrix(d, tree, work)


@inner_kernel
def force(d, tree, work, a):
    """Write the right side of (15) from the forces G of the links: their sums (17), −B_iᵀ G_i."""
    sum_forces(d, tree, work, a)


RECURSIVE = Mass("recursive", meet=meet_formed, over=over_formed, free=free_formed, form=form, force=force)


@kernel
def factor_recursive(model, state, scratch, t, y, out):
    """Factor the equations of motion."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    if model.planar:
        scratch.tree.ratio = factor_tree(PLANAR, RECURSIVE, model, state, scratch)
    else:
        scratch.tree.ratio = factor_tree(SPATIAL, RECURSIVE, model, state, scratch)
    return 0


@kernel
def solve_recursive(model, state, scratch, t, y, out):
    """Write u̇ to `a` and λ to `multipliers`."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    if model.planar:
        solve_tree(PLANAR, RECURSIVE, model, state, scratch)
    else:
        solve_tree(SPATIAL, RECURSIVE, model, state, scratch)
    return 0


CALLS = {"factor": factor_recursive, "solve": solve_recursive}  # what meets the mass matrix: names of ``TreeCalls``
