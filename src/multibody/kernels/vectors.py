"""Vectors and 3×3 matrices as tuples of scalars: they live in registers and the formulas read as on paper."""

from __future__ import annotations

from multibody.kernels.compile import inlined, inner_kernel


@inner_kernel
def dot(a, b):
    """Return a·b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inner_kernel
def cross(a, b):
    """Return a×b."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@inner_kernel
def add(a, b):
    """Return a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@inner_kernel
def subtract(a, b):
    """Return a − b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@inner_kernel
def scale(k, a):
    """Return k a."""
    return (k * a[0], k * a[1], k * a[2])


ROW = 3  # numbers of a row of a matrix that lies by rows


@inlined
def basis(k):
    """Return the k-th axis of the coordinates, e_k."""
    return (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)


# --- in memory: here alone stands where the numbers of a vector lie ----------------------------------------------------------
@inner_kernel
def load2(F, k):
    """Return the two numbers at F[k]."""
    return (F[k], F[k + 1])


@inner_kernel
def load3(F, k):
    """Return the three numbers at F[k]."""
    return (F[k], F[k + 1], F[k + 2])


@inlined
def load4(F, k):
    """Return the four numbers at F[k], as those of a quaternion."""
    return (F[k], F[k + 1], F[k + 2], F[k + 3])


@inlined
def load6(F, k):
    """Return the six numbers at F[k]."""
    return (F[k], F[k + 1], F[k + 2], F[k + 3], F[k + 4], F[k + 5])


@inner_kernel
def load9(F, k):
    """Return the 3×3 matrix at F[k], by rows."""
    return (F[k], F[k + 1], F[k + 2], F[k + 3], F[k + 4], F[k + 5], F[k + 6], F[k + 7], F[k + 8])


@inlined
def store3(F, k, x):
    """Write three numbers to F[k]."""
    F[k], F[k + 1], F[k + 2] = x[0], x[1], x[2]


@inlined
def store4(F, k, x):
    """Write four numbers to F[k]."""
    F[k], F[k + 1], F[k + 2], F[k + 3] = x[0], x[1], x[2], x[3]


@inlined
def store6(F, k, x):
    """Write six numbers to F[k]."""
    F[k], F[k + 1], F[k + 2], F[k + 3], F[k + 4], F[k + 5] = x[0], x[1], x[2], x[3], x[4], x[5]


@inlined
def add_to2(F, k, x):
    """Add two numbers to those at F[k]."""
    F[k] += x[0]
    F[k + 1] += x[1]


@inlined
def add_to3(F, k, x):
    """Add three numbers to those at F[k]."""
    F[k] += x[0]
    F[k + 1] += x[1]
    F[k + 2] += x[2]


@inlined
def load_column3(F, k, s):
    """Return the three numbers at F[k] that are s apart."""
    return (F[k], F[k + s], F[k + 2 * s])


@inlined
def load_column6(F, k, s):
    """Return the six numbers at F[k] that are s apart."""
    return (F[k], F[k + s], F[k + 2 * s], F[k + 3 * s], F[k + 4 * s], F[k + 5 * s])


@inlined
def store_column3(F, k, s, x):
    """Write three numbers to F[k], s apart."""
    F[k], F[k + s], F[k + 2 * s] = x[0], x[1], x[2]


@inlined
def store_column6(F, k, s, x):
    """Write six numbers to F[k], s apart."""
    F[k], F[k + s], F[k + 2 * s], F[k + 3 * s], F[k + 4 * s], F[k + 5 * s] = x[0], x[1], x[2], x[3], x[4], x[5]


@inlined
def entry(A, r, c):
    """Return the entry of a 3×3 matrix by rows."""
    return A[ROW * r + c]


@inlined
def row_of(A, r):
    """Return a row of a 3×3 matrix by rows."""
    return load3(A, ROW * r)


@inlined
def column_of(A, c):
    """Return a column of a 3×3 matrix by rows."""
    return load_column3(A, c, ROW)


# --- matrices ----------------------------------------------------------------------------------------------------------------


@inner_kernel
def apply(A, x):
    """Return A x."""
    return (
        A[0] * x[0] + A[1] * x[1] + A[2] * x[2],
        A[3] * x[0] + A[4] * x[1] + A[5] * x[2],
        A[6] * x[0] + A[7] * x[1] + A[8] * x[2],
    )


@inner_kernel
def apply_transposed(A, x):
    """Return Aᵀ x."""
    return (
        A[0] * x[0] + A[3] * x[1] + A[6] * x[2],
        A[1] * x[0] + A[4] * x[1] + A[7] * x[2],
        A[2] * x[0] + A[5] * x[1] + A[8] * x[2],
    )


@inner_kernel
def add_block(W, h, stride, row, column, k, B):
    """Add k B (3×3 by rows) to the matrix at W[h] whose rows are `stride` long."""
    for i in range(3):
        add_to3(W, h + (row + i) * stride + column, scale(k, row_of(B, i)))


@inner_kernel
def tilde_tilde(a, b):
    """Return ã b̃ = b aᵀ − (a·b) I."""
    c = dot(a, b)
    return (
        b[0] * a[0] - c, b[0] * a[1], b[0] * a[2],
        b[1] * a[0], b[1] * a[1] - c, b[1] * a[2],
        b[2] * a[0], b[2] * a[1], b[2] * a[2] - c,
    )  # fmt: skip


@inner_kernel
def multiply(A, B):
    """Return A B."""
    return (
        A[0] * B[0] + A[1] * B[3] + A[2] * B[6],
        A[0] * B[1] + A[1] * B[4] + A[2] * B[7],
        A[0] * B[2] + A[1] * B[5] + A[2] * B[8],
        A[3] * B[0] + A[4] * B[3] + A[5] * B[6],
        A[3] * B[1] + A[4] * B[4] + A[5] * B[7],
        A[3] * B[2] + A[4] * B[5] + A[5] * B[8],
        A[6] * B[0] + A[7] * B[3] + A[8] * B[6],
        A[6] * B[1] + A[7] * B[4] + A[8] * B[7],
        A[6] * B[2] + A[7] * B[5] + A[8] * B[8],
    )


@inner_kernel
def outer(a, b):
    """Return a bᵀ."""
    return (
        a[0] * b[0], a[0] * b[1], a[0] * b[2],
        a[1] * b[0], a[1] * b[1], a[1] * b[2],
        a[2] * b[0], a[2] * b[1], a[2] * b[2],
    )  # fmt: skip


@inner_kernel
def mixed(k, A, m, B):
    """Return k A + m B of two matrices."""
    return (
        k * A[0] + m * B[0], k * A[1] + m * B[1], k * A[2] + m * B[2],
        k * A[3] + m * B[3], k * A[4] + m * B[4], k * A[5] + m * B[5],
        k * A[6] + m * B[6], k * A[7] + m * B[7], k * A[8] + m * B[8],
    )  # fmt: skip


@inner_kernel
def transpose(A):
    """Return Aᵀ."""
    return (A[0], A[3], A[6], A[1], A[4], A[7], A[2], A[5], A[8])


@inner_kernel
def tilde(a):
    """Return ã, the matrix of the cross product with a."""
    return (0.0, -a[2], a[1], a[2], 0.0, -a[0], -a[1], a[0], 0.0)
