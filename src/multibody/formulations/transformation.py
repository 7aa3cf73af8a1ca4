"""`transformation`: joint coordinates by the velocity transformation ẏ = B q̇; Lee, Sohn, Kim, Yoo (2001).

Where the equations of the paper live:

=============  =======================================================  ====================================================
eqs.           what                                                     where
=============  =======================================================  ====================================================
(1)            ẏ = B q̇; Ḃ q̇ is in the motions of the links             ``kernels/tree/transformation.py``, ``sweep.py``
(2)            M̄ = Bᵀ M B and ḡ = Bᵀ(f − M Ḃ q̇), body by body          ``kernels/tree/transformation.py``
(2), (25) f.   Φ_q = Φ_y B and γ_q at the cut joints                    ``kernels/tree/loops.py``
(3)            q̈ and λ                                                  ``kernels/tree/solver.py``
(4)–(7)        residual and system Jacobian of implicit methods         ``kernels/tree/newton.py``
(8), (9)       coordinate partitioning                                  ``partitioned.py``
(15), (16)     Newton's method, iteration matrix                        ``kernels/newton/matrix.py``
(17) ff.       derivatives in the system Jacobian, here for any tree    ``kernels/tree/partials.py``, ``couplings.py``
=============  =======================================================  ====================================================

The reduced system (10)–(12) is not formed: at the state that (9) settles, (3) gives the same q̈ and λ (``partitioning.py``).

What is done about the loops (projection, stabilization, partitioning) is the same code as in the coordinates of bodies:
``augmented.py``, ``baumgarte.py``, ``partitioning.py`` on the space of ``kernels/tree/space.py``.
"""

from __future__ import annotations

from multibody.kernels.compile import kernel
from multibody.kernels.declared import model_at, scratch_at, state_at
from multibody.kernels.tags import PLANAR, SPATIAL
from multibody.kernels.tree.mass import Mass, free_formed, meet_formed, over_formed
from multibody.kernels.tree.solver import factor_tree, solve_tree
from multibody.kernels.tree.transformation import transformed_force, transformed_mass

TRANSFORMATION = Mass(
    "transformation", meet=meet_formed, over=over_formed, free=free_formed, form=transformed_mass, force=transformed_force
)


@kernel
def factor_transformation(model, state, scratch, t, y, out):
    """Factor the equations of motion."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    if model.planar:
        scratch.tree.ratio = factor_tree(PLANAR, TRANSFORMATION, model, state, scratch)
    else:
        scratch.tree.ratio = factor_tree(SPATIAL, TRANSFORMATION, model, state, scratch)
    return 0


@kernel
def solve_transformation(model, state, scratch, t, y, out):
    """Write u̇ to `a` and λ to `multipliers`."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    if model.planar:
        solve_tree(PLANAR, TRANSFORMATION, model, state, scratch)
    else:
        solve_tree(SPATIAL, TRANSFORMATION, model, state, scratch)
    return 0


CALLS = {"factor": factor_transformation, "solve": solve_transformation}  # what meets the mass matrix: names of ``TreeCalls``
