"""Derivatives of the generalized forces: K = ∂Q/∂q along the velocity columns (δr, δπ′) and D = ∂Q/∂v.

A law adds e ∇c to Q. With e(c, ċ, x) and H the derivative of ∇c along the columns, ∂ċ/∂q = vᵀH and

    K += ∇c (e_c ∇cᵀ + e_ċ vᵀH + Σ e_x x_q) + e H,   D += ∇c (e_ċ ∇cᵀ + Σ e_x x_v).
"""

from __future__ import annotations

from multibody.kernels import layout as L
from multibody.kernels.compile import inner_kernel, kernel
from multibody.kernels.forces import law_effort, law_term, load_wrench, program_value
from multibody.kernels.functions import dot_gradient, function_gradient, function_hessian, function_value, record
from multibody.kernels.vectors import apply, apply_transposed, cross, load3, load9, multiply, tilde, tilde_tilde

SECOND = 36  # scratch behind the gradient of the law: the derivatives of one input


@inner_kernel
def _columns(I, f):
    """Return the first columns of the function's two bodies, −1 for the ground; an extra coordinate has one column."""
    kind, i, j, _, extra = record(I, f)
    width = 3 if I[L.DIMENSION] == 2 else 6
    if kind == L.EXTRA:
        return (width * I[L.BODIES] + extra, -1)
    return (width * (i - 1) if i > 0 else -1, width * (j - 1) if j > 0 else -1)


@inner_kernel
def _gradient(I, F, W, f, g):
    """Write the gradient of a function at W[g]; that of an extra coordinate is padded with zeros."""
    function_gradient(I, F, W, f, g)
    if record(I, f)[0] == L.EXTRA:
        for c in range(1, 12):
            W[g + c] = 0.0


@inner_kernel
def _add_outer(W, a, a0, a1, b, b0, b1, width, factor, M):
    """Add factor a bᵀ to M: the blocks of a (at W[a]) belong to the rows a0… and a1…, those of b to columns alike.

    Zeros are skipped: gradients have many, and the padding of an extra coordinate has no column.
    """
    for p in range(2):
        row = a0 if p == 0 else a1
        if row < 0:
            continue
        for r in range(width):
            x = factor * W[a + p * width + r]
            if x == 0.0:
                continue
            for q in range(2):
                column = b0 if q == 0 else b1
                if column < 0:
                    continue
                for c in range(width):
                    y = W[b + q * width + c]
                    if y != 0.0:
                        M[row + r, column + c] += x * y


@inner_kernel
def _add_matrix(M, row, column, k, B):
    """Add k B (3×3, by rows) to M."""
    for c in range(3):
        M[row, column + c] += k * B[c]
        M[row + 1, column + c] += k * B[3 + c]
        M[row + 2, column + c] += k * B[6 + c]


@inner_kernel
def _hessian_and_rate(I, F, W, f, row):
    """Write the second derivative H of a function at W_HESSIAN and vᵀH, the derivative of its rate, at W[row]."""
    kind, i, j, _, _ = record(I, f)
    width, h = 3 if I[L.DIMENSION] == 2 else 6, I[L.W_HESSIAN]
    if kind == L.EXTRA:
        for c in range(144):
            W[h + c] = 0.0
    function_hessian(I, F, W, f, h, row)
    vi, vj = I[L.W_VELOCITY] + width * i, I[L.W_VELOCITY] + width * j
    for c in range(2 * width):
        total = 0.0
        for r in range(width):
            total += W[vi + r] * W[h + 2 * width * r + c] + W[vj + r] * W[h + 2 * width * (width + r) + c]
        W[row + c] = total


@inner_kernel
def _add_hessian(I, W, f, factor, K):
    """Add factor H, which lies at W_HESSIAN."""
    width, h = 3 if I[L.DIMENSION] == 2 else 6, I[L.W_HESSIAN]
    a, b = _columns(I, f)
    for r in range(2 * width):
        row = a + r if r < width else b + r - width
        if (a if r < width else b) >= 0:
            for c in range(2 * width):
                if (a if c < width else b) >= 0 and W[h + 2 * width * r + c] != 0.0:
                    K[row, a + c if c < width else b + c - width] += factor * W[h + 2 * width * r + c]


@inner_kernel
def _add_input(I, F, W, item, slope, g, a0, a1, K, D):
    """Add slope · (vector at W[g]) times the derivatives of an input: of K along q and of D along v."""
    code, index = I[item], I[item + 1]
    width, row = 3 if I[L.DIMENSION] == 2 else 6, I[L.W_GRADIENT] + SECOND
    if code >= L.INPUT_OMEGA:  # A ω′: along δπ′ it changes by −A ω̃′ δπ′
        if index == 0:
            return
        at, n = I[L.W_POSE] + 12 * index + 3, code - L.INPUT_OMEGA
        axis, spin = load3(W, at + 3 * n), load3(W, I[L.W_VELOCITY] + 6 * index + 3)
        turned = cross(spin, axis)
        for c in range(3):
            W[row + c] = 0.0
            W[row + 3 + c] = turned[c]
        _add_outer(W, g, a0, a1, row, 6 * index - 6, -1, 6, slope, K)
        for c in range(3):
            W[row + 3 + c] = axis[c]
        _add_outer(W, g, a0, a1, row, 6 * index - 6, -1, 6, slope, D)
        return
    b0, b1 = _columns(I, index)
    if code == L.INPUT_RATE:
        _hessian_and_rate(I, F, W, index, row)
        _add_outer(W, g, a0, a1, row, b0, b1, width, slope, K)
    _gradient(I, F, W, index, row)
    _add_outer(W, g, a0, a1, row, b0, b1, width, slope, D if code == L.INPUT_RATE else K)


@inner_kernel
def _add_law(I, F, W, ref, t, law, K, D):
    """Add the derivatives of a law but for its inputs; leave ∇c at W_GRADIENT and return ∂e/∂x of its expression."""
    f, g = I[law + 1], I[L.W_GRADIENT]
    width, row = 3 if I[L.DIMENSION] == 2 else 6, g + SECOND
    x = law_term(I, F, W, ref, t, law)
    value = function_value(I, F, W, ref, f)
    _gradient(I, F, W, f, g)
    rate = dot_gradient(I, W, f, g, I[L.W_VELOCITY])
    e, _, _, by_value, by_rate, by_term = law_effort(F, I[law], I[law + 2], value, rate, x)
    a, b = _columns(I, f)
    _add_outer(W, g, a, b, g, a, b, width, by_value, K)
    _add_outer(W, g, a, b, g, a, b, width, by_rate, D)
    if e != 0.0 or by_rate != 0.0:
        _hessian_and_rate(I, F, W, f, row)
        _add_hessian(I, W, f, e, K)
        _add_outer(W, g, a, b, row, a, b, width, by_rate, K)
    return by_term


@inner_kernel
def _direction(I, F, W, load, k, g):
    """Write at W[g] what a unit of a load's k-th component adds to the columns of its body."""
    body, s, own = I[load], I[load + 1], I[load + 2] == 1
    if I[L.DIMENSION] == 2:
        pose = I[L.W_POSE] + 5 * body
        cosine, sine = W[pose + 3], W[pose + 4]
        x, y = 1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0
        if own:
            x, y = cosine * x - sine * y, sine * x + cosine * y
        arm = (cosine * F[s] - sine * F[s + 1]) * y - (sine * F[s] + cosine * F[s + 1]) * x
        W[g], W[g + 1], W[g + 2] = x, y, 1.0 if k == 2 else arm
        return
    A, n = load9(W, I[L.W_POSE] + 12 * body + 3), k % 3
    e = (1.0 if n == 0 else 0.0, 1.0 if n == 1 else 0.0, 1.0 if n == 2 else 0.0)
    if own:
        turned, force = e, apply(A, e)
    else:
        turned, force = apply_transposed(A, e), e
    arm3 = cross(load3(F, s), turned)
    for c in range(3):
        W[g + c] = force[c] if k < 3 else 0.0
        W[g + 3 + c] = arm3[c] if k < 3 else turned[c]


@inner_kernel
def _add_load(I, F, W, ref, t, load, K):
    """Add the derivatives of a load with constant components: of its arm, or of its direction if it follows the body."""
    x, y, z, mx, my, mz = load_wrench(I, F, W, ref, t, load)
    body, s, own = I[load], I[load + 1], I[load + 2] == 1
    if I[L.DIMENSION] == 2:
        pose, at = I[L.W_POSE] + 5 * body, 3 * (body - 1)
        if own:
            K[at, at + 2] -= y
            K[at + 1, at + 2] += x
        else:
            K[at + 2, at + 2] -= x * (W[pose + 3] * F[s] - W[pose + 4] * F[s + 1])
            K[at + 2, at + 2] -= y * (W[pose + 4] * F[s] + W[pose + 3] * F[s + 1])
        return
    A, at = load9(W, I[L.W_POSE] + 12 * body + 3), 6 * (body - 1)
    force = apply_transposed(A, (x, y, z))
    if own:
        _add_matrix(K, at, at + 3, -1.0, multiply(A, tilde(force)))
    else:
        _add_matrix(K, at + 3, at + 3, 1.0, tilde_tilde(load3(F, s), force))
        _add_matrix(K, at + 3, at + 3, 1.0, tilde(apply_transposed(A, (mx, my, mz))))


@inner_kernel
def _add_source(I, F, W, ref, t, n, K, D):
    """Add the derivatives of law n or, after the laws, of a load: its own, then those of its expressions' inputs."""
    g, width, laws = I[L.W_GRADIENT], 3 if I[L.DIMENSION] == 2 else 6, I[L.LAW_COUNT]
    is_law = n < laws
    if is_law:
        at = I[L.LAWS] + L.LAW_STRIDE * n
        by_term = _add_law(I, F, W, ref, t, at, K, D)
        a, b = _columns(I, I[at + 1])
        table, first, count, parts = I[at + 3], I[at + 4], I[at + 5], 1
    else:
        at = I[L.LOADS] + L.LOAD_STRIDE * (n - laws)
        _add_load(I, F, W, ref, t, at, K)
        by_term, a, b = 1.0, width * (I[at] - 1), -1
        table, first, count, parts = I[at + 4], I[at + 5], I[at + 6], width
    for k in range(parts if table >= 0 else 0):
        if not is_law:
            _direction(I, F, W, at, k, g)
        for i in range(count):
            slope = by_term * program_value(I, F, W, table + k * (count + 2) + 2 + i)
            if slope != 0.0:
                _add_input(I, F, W, I[L.INPUTS] + L.INPUT_STRIDE * (first + i), slope, g, a, b, K, D)


@kernel
def force_partials(I, F, W, ref, t, K, D):
    """Add the derivatives of all generalized forces: K += ∂Q/∂q along (δr, δπ′), D += ∂Q/∂v.

    Parameters
    ----------
    t : float
    K, D : arrays (nv, nv), added to
        Row: component of Q; column: velocity column. v is held in K, so spatial angular velocities keep their body components.
    """
    if I[L.DIMENSION] == 3:
        for b in range(I[L.BODIES]):
            spin, J = load3(W, I[L.W_VELOCITY] + 6 * b + 9), load9(W, I[L.W_MASS] + 20 * b + 2)
            _add_matrix(D, 6 * b + 3, 6 * b + 3, 1.0, tilde(apply(J, spin)))
            _add_matrix(D, 6 * b + 3, 6 * b + 3, -1.0, multiply(tilde(spin), J))
    for n in range(I[L.LAW_COUNT] + I[L.LOAD_COUNT]):
        _add_source(I, F, W, ref, t, n, K, D)
