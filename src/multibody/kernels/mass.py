"""Masses and inertias of all bodies in the workspace, and what they make of velocities: energy, momentum, M x, M⁻¹ x.

M is block-diagonal because positions are those of the centers of mass: (m, m, J) for a planar body, (m E, J′) for a spatial one
with J′ in body axes. Extra coordinates have no mass.
"""

from __future__ import annotations

from multibody.kernels import layout as L
from multibody.kernels.compile import inlined, inner_kernel, kernel
from multibody.kernels.declared import model_at, scratch_at


@kernel
def set_masses(model, scratch):
    """Write m, 1/m, J and J⁻¹ of every body into W; an inverse that does not exist is 0. Return whether all exist."""
    model, scratch = model_at(model), scratch_at(scratch)
    I, F, W = model.I, model.F, scratch.W
    regular, planar = I[L.EXTRAS] == 0, I[L.DIMENSION] == 2
    for b in range(I[L.BODIES]):
        slots = I[L.MASSES] + 2 * b
        m, at = F[I[slots]], I[L.W_MASS] + (4 if planar else 20) * b
        W[at] = m
        W[at + 1] = 1.0 / m if m > 0.0 else 0.0
        if planar:
            J = F[I[slots + 1]]
            W[at + 2] = J
            W[at + 3] = 1.0 / J if J > 0.0 else 0.0
            regular = regular and m > 0.0 and J > 0.0
        else:
            for k in range(9):
                W[at + 2 + k] = F[I[slots + 1] + k]
            regular = _inverse(W, at + 2, at + 11) and m > 0.0 and regular
    return regular


@inner_kernel
def _inverse(W, a, out):
    """Write the inverse of the symmetric 3×3 matrix at W[a]; return whether it exists (else zeros are written)."""
    c0 = W[a + 4] * W[a + 8] - W[a + 5] * W[a + 7]
    c1 = W[a + 5] * W[a + 6] - W[a + 3] * W[a + 8]
    c2 = W[a + 3] * W[a + 7] - W[a + 4] * W[a + 6]
    determinant = W[a] * c0 + W[a + 1] * c1 + W[a + 2] * c2
    size = (W[a] + W[a + 4] + W[a + 8]) / 3.0
    if not determinant > 1e-14 * size * size * size:
        for k in range(9):
            W[out + k] = 0.0
        return False
    k = 1.0 / determinant
    W[out], W[out + 3], W[out + 6] = k * c0, k * c1, k * c2
    W[out + 1] = k * (W[a + 2] * W[a + 7] - W[a + 1] * W[a + 8])
    W[out + 4] = k * (W[a] * W[a + 8] - W[a + 2] * W[a + 6])
    W[out + 7] = k * (W[a + 1] * W[a + 6] - W[a] * W[a + 7])
    W[out + 2] = k * (W[a + 1] * W[a + 5] - W[a + 2] * W[a + 4])
    W[out + 5] = k * (W[a + 2] * W[a + 3] - W[a] * W[a + 5])
    W[out + 8] = k * (W[a] * W[a + 4] - W[a + 1] * W[a + 3])
    return True


@inlined
def mass_times_block(model, scratch, b, x, out, inverse):
    """Write M x (inverse = 0) or M⁻¹ x (inverse = 1) of body b (0: the first moving one): W[x…] into W[out…]."""
    I, W = model.I, scratch.W
    if I[L.DIMENSION] == 2:
        at = I[L.W_MASS] + 4 * b + inverse
        W[out] = W[at] * W[x]
        W[out + 1] = W[at] * W[x + 1]
        W[out + 2] = W[at + 2] * W[x + 2]
        return
    at = I[L.W_MASS] + 20 * b
    J = at + 2 + 9 * inverse
    m = W[at + inverse]
    W[out], W[out + 1], W[out + 2] = m * W[x], m * W[x + 1], m * W[x + 2]
    a, b_, c = W[x + 3], W[x + 4], W[x + 5]
    W[out + 3] = W[J] * a + W[J + 1] * b_ + W[J + 2] * c
    W[out + 4] = W[J + 3] * a + W[J + 4] * b_ + W[J + 5] * c
    W[out + 5] = W[J + 6] * a + W[J + 7] * b_ + W[J + 8] * c


@inlined
def mass_times(model, scratch, x, out, inverse):
    """Write M x or M⁻¹ x over all velocity coordinates; extra ones get 0. x and out are places in W, and may be equal."""
    I, W = model.I, scratch.W
    width = 3 if I[L.DIMENSION] == 2 else 6
    for b in range(I[L.BODIES]):
        mass_times_block(model, scratch, b, x + width * b, out + width * b, inverse)
    for c in range(width * I[L.BODIES], I[L.VELOCITIES]):
        W[out + c] = 0.0


@inner_kernel
def kinetic_energy(model, scratch):
    """Return ½ vᵀ M v of the velocities in W."""
    I, W = model.I, scratch.W
    total, planar = 0.0, I[L.DIMENSION] == 2
    width = 3 if planar else 6
    for b in range(I[L.BODIES]):
        v = I[L.W_VELOCITY] + width * (b + 1)
        at = I[L.W_MASS] + (4 if planar else 20) * b
        if planar:
            total += W[at] * (W[v] * W[v] + W[v + 1] * W[v + 1]) + W[at + 2] * W[v + 2] * W[v + 2]
        else:
            total += W[at] * (W[v] * W[v] + W[v + 1] * W[v + 1] + W[v + 2] * W[v + 2])
            for i in range(3):
                for j in range(3):
                    total += W[at + 2 + 3 * i + j] * W[v + 3 + i] * W[v + 3 + j]
    return 0.5 * total
