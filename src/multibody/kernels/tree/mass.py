"""How the mass matrix H of a tree is met, as an object that the equations of motion ask (``solver.py``).

`recursive` and `transformation` form it, each in its own way, and factor it; `articulated` meets H⁻¹ by sweeps over the links.
Where H is singular (a direction without mass, an extra coordinate) H̄ = H + Φ_uᵀ W Φ_u takes its place, with the same solution.
"""

from __future__ import annotations

from dataclasses import dataclass

from multibody.kernels.compile import inlined, inner_kernel
from multibody.kernels.objects import Kernel, KernelObject
from multibody.kernels.skyline import cholesky, cholesky_solve
from multibody.kernels.tree.algebra import load, plus, store, width
from multibody.kernels.tree.declared import links_of, loads_of
from multibody.kernels.tree.sweep import inertial_force

SKIPPED = 1e-11  # a pivot of H̄ below this part of its diagonal entry is left out


@dataclass(frozen=True, eq=False)
class Mass(KernelObject):
    """A way to meet the mass matrix; `d` is the dimension, `mass` the object itself.

    Attributes
    ----------
    meet : (d, mass, model, scratch)
        Get ready at the frames of the links; smallest pivot ratio of H, ≤ 0 where it is singular.
    over : (d, tree, work, x)
        Turn x into H⁻¹ x.
    free : (d, mass, model, scratch, a)
        Write the accelerations u̇ that the forces alone would give to a; with H̄, those of the forces and Φ_uᵀ W γ_u.
    form : (d, tree, work)
        Where it is formed: write H.
    force : (d, tree, work, a)
        Where it is formed: write the generalized forces from the forces G of the links to a.
    """

    meet: Kernel
    over: Kernel
    free: Kernel
    form: Kernel | None = None
    force: Kernel | None = None


@inner_kernel
def meet_formed(d, mass, model, scratch):
    """Form and factor the mass matrix."""
    tree, work, general = model.tree, scratch.tree, model.general == 1
    if general:
        for k in range(work.H.size):
            work.H[k] = 0.0
    mass.form(d, tree, work)
    if general:
        _add_loops(model, scratch)
    return cholesky(work.H, tree.H_base, tree.H_first, work.HD, tree.nv, 0.0, SKIPPED if general else 0.0)


@inner_kernel
def _add_loops(model, scratch):
    """Add Φ_uᵀ W Φ_u of the chosen rows to H: H̄ is regular where H is not."""
    J, H, tree = scratch.J, scratch.tree.H, model.tree
    n = tree.nv
    for k in range(model.chosen.size):
        row, weight = n * model.chosen[k], model.row_weight[model.chosen[k]]
        for i in range(n):
            at = tree.H_base[i]
            for j in range(i + 1):
                H[at + j] += weight * J[row + i] * J[row + j]


@inner_kernel
def over_formed(d, tree, work, x):
    """Turn x into H⁻¹ x by the factors."""
    cholesky_solve(work.H, tree.H_base, tree.H_first, work.HD, tree.nv, x)


@inlined
def free_formed(d, mass, model, scratch, a):
    """Write the accelerations that the forces alone would give."""
    tree, work = model.tree, scratch.tree
    inertial_forces(d, tree, work)
    mass.force(d, tree, work, a)
    if model.general == 1:
        _add_general(d, model, scratch, a)
    cholesky_solve(work.H, tree.H_base, tree.H_first, work.HD, tree.nv, a)


@inner_kernel
def inertial_forces(d, tree, work):
    """Write the force G of every link, from its motion and from what laws and loads do to it."""
    for i in range(tree.links.size):
        now = links_of(d, work)[i]
        g = inertial_force(d, tree, work, i, load(d, now.motion), load(d, now.bias))
        if tree.acted == 1:
            g = plus(d, -1.0, load(d, loads_of(d, work)[i].x), g)
        store(d, now.force, g)


@inner_kernel
def _add_general(d, model, scratch, a):
    """Add the forces along extra coordinates and Φ_uᵀ W γ_u to a."""
    tree, force = model.tree, scratch.tree.force
    n, extras = tree.nv, width(d) * model.bodies
    for e in range(model.extras):
        a[tree.extras_rate + e] = force[extras + e] if tree.acted == 1 else 0.0
    for k in range(model.chosen.size):
        r = model.chosen[k]
        for c in range(n):
            a[c] += model.row_weight[r] * scratch.by_row[r] * scratch.J[n * r + c]
