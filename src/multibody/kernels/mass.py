"""Masses and inertias of all bodies, and what they make of velocities: energy, momentum, M x, M⁻¹ x.

M is block-diagonal because positions are those of the centers of mass: (m, m, J) for a planar body, (m E, J′) for a spatial one
with J′ in body axes. Extra coordinates have no mass.
"""

from __future__ import annotations

from multibody.kernels.body_layout import PLANE, POINT, TURN
from multibody.kernels.codes import FIRST_BODY
from multibody.kernels.compile import inlined, inner_kernel, kernel
from multibody.kernels.declared import PLANAR_MASS, SPATIAL_MASS, model_at, planar_mass, spatial_mass
from multibody.kernels.modes import STRAIGHT
from multibody.kernels.vectors import apply, dot, entry, load3, load9, scale, store3

__all__ = ["POINT", "kinetic_energy", "mass_times", "mass_times_block", "set_masses"]


@kernel
def set_masses(model, out):
    """Write m, 1/m, J and J⁻¹ of every body; an inverse that does not exist is 0. Return whether all exist.

    What is not stated counts as none: statics without gravity asks for no masses.

    Parameters
    ----------
    out : array
        The numbers of the model's `planar_mass` or `spatial_mass`, which kernels only read.
    """
    model = model_at(model)
    regular = model.extras == 0
    for b in range(model.bodies):
        mass, inertia = model.masses[b].mass, model.masses[b].inertia
        m = model.numbers[mass] if mass >= 0 else 0.0
        per_m = 1.0 / m if m > 0.0 else 0.0
        if model.planar:
            own, J = planar_mass(out, PLANAR_MASS * b), model.numbers[inertia] if inertia >= 0 else 0.0
            own.m, own.per_m, own.J, own.per_J = m, per_m, J, 1.0 / J if J > 0.0 else 0.0
            regular = regular and m > 0.0 and J > 0.0
        else:
            own3 = spatial_mass(out, SPATIAL_MASS * b)
            own3.m, own3.per_m = m, per_m
            for k in range(9):
                own3.J[k] = model.numbers[inertia + k] if inertia >= 0 else 0.0
            regular = _inverse(own3.J, own3.per_J) and m > 0.0 and regular
    return regular


@inner_kernel
def _inverse(A, out):
    """Write the inverse of a symmetric 3×3 matrix; return whether it exists (else zeros are written)."""
    c0 = A[4] * A[8] - A[5] * A[7]
    c1 = A[5] * A[6] - A[3] * A[8]
    c2 = A[3] * A[7] - A[4] * A[6]
    determinant = A[0] * c0 + A[1] * c1 + A[2] * c2
    size = (A[0] + A[4] + A[8]) / 3.0
    if not determinant > 1e-14 * size * size * size:
        for k in range(9):
            out[k] = 0.0
        return False
    k = 1.0 / determinant
    out[0], out[3], out[6] = k * c0, k * c1, k * c2
    out[1] = k * (A[2] * A[7] - A[1] * A[8])
    out[4] = k * (A[0] * A[8] - A[2] * A[6])
    out[7] = k * (A[1] * A[6] - A[0] * A[7])
    out[2] = k * (A[1] * A[5] - A[2] * A[4])
    out[5] = k * (A[2] * A[3] - A[0] * A[5])
    out[8] = k * (A[0] * A[4] - A[1] * A[3])
    return True


@inlined
def mass_times_block(model, b, x, at, out, to, inverse):
    """Write M x (``STRAIGHT``) or M⁻¹ x (``INVERSE``) of body b (0: the first moving one): x[at…] to out[to…]."""
    if model.planar:
        own = model.planar_mass[b]
        m, J = (own.m, own.J) if inverse == STRAIGHT else (own.per_m, own.per_J)
        x0, y0, turn = load3(x, at)
        store3(out, to, (m * x0, m * y0, J * turn))
        return
    own3 = model.spatial_mass[b]
    m = own3.m if inverse == STRAIGHT else own3.per_m
    turned = apply(load9(own3.J if inverse == STRAIGHT else own3.per_J, 0), load3(x, at + POINT))
    store3(out, to, scale(m, load3(x, at)))
    store3(out, to + POINT, turned)


@inlined
def mass_times(model, x, out, inverse):
    """Write M x or M⁻¹ x over all velocity coordinates; extra ones get 0. x and out may be the same."""
    width = model.width
    for b in range(model.bodies):
        mass_times_block(model, b, x, width * b, out, width * b, inverse)
    for c in range(width * model.bodies, model.velocities):
        out[c] = 0.0


@inner_kernel
def kinetic_energy(model, scratch):
    """Return ½ vᵀ M v."""
    total, v = 0.0, scratch.velocity
    for b in range(model.bodies):
        if model.planar:
            own, (x, y, omega) = model.planar_mass[b], load3(v, PLANE * (FIRST_BODY + b))
            total += own.m * (x * x + y * y) + own.J * omega * omega
        else:
            own3, k = model.spatial_mass[b], TURN * (FIRST_BODY + b)
            total += own3.m * dot(load3(v, k), load3(v, k))
            for i in range(3):
                for j in range(3):
                    total += entry(own3.J, i, j) * v[k + POINT + i] * v[k + POINT + j]
    return 0.5 * total
