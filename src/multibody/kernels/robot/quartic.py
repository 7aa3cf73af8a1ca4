"""Real roots of polynomials of degree four, between the roots of their derivatives, and of trigonometric ones of degree two.

No root is lost where two of them meet: a critical point at which the polynomial is zero but for rounding counts as one.
"""

from __future__ import annotations

import math

from multibody.kernels.compile import inner_kernel
from multibody.kernels.rotations import sincos

TOUCHING = 1e-11  # value at a critical point, relative to the terms that cancel, that counts as a double root
PHASES = 9  # directions of which the one farthest from any root is put at infinity
HALVINGS = 80


@inner_kernel
def value_of(a, n, t):
    """Return a polynomial of degree n with the coefficients a[0…n], the constant first."""
    found = a[n]
    for k in range(n - 1, -1, -1):
        found = found * t + a[k]
    return found


@inner_kernel
def _size(a, n, t):
    """Return the sum of the magnitudes of the terms."""
    found = abs(a[n])
    for k in range(n - 1, -1, -1):
        found = found * abs(t) + abs(a[k])
    return found


@inner_kernel
def _between(a, n, low, high):
    """Return the root between two points where the polynomial has different signs: Newton's method, halving where it leaves."""
    sign = 1.0 if value_of(a, n, high) > 0.0 else -1.0
    t = 0.5 * (low + high)
    for _ in range(HALVINGS):
        p, slope = a[n], 0.0
        for k in range(n - 1, -1, -1):
            slope, p = slope * t + p, p * t + a[k]
        if p == 0.0:
            return t
        if sign * p > 0.0:
            high = t
        else:
            low = t
        new = t - p / slope if slope != 0.0 else low
        if not (low < new < high):
            new = 0.5 * (low + high)
        if abs(new - t) <= 1e-16 * abs(t):
            return new
        t = new
    return t


@inner_kernel
def _roots_between(a, n, bound, critical, count, out):
    """Write the real roots within ±bound, given those of the derivative in order; return how many there are."""
    found, low = 0, -bound
    for k in range(count + 1):
        high = critical[k] if k < count else bound
        before, behind = value_of(a, n, low), value_of(a, n, high)
        if (before < 0.0) != (behind < 0.0):
            out[found] = _between(a, n, low, high)
            found += 1
        elif k < count and abs(behind) <= TOUCHING * _size(a, n, high):
            out[found] = high
            found += 1
        low = high
    return found


@inner_kernel
def quartic_roots(work, out):
    """Write the real roots of ``quartic`` in rising order to out (8 numbers), t⁴ not small; return how many there are.

    Parameters
    ----------
    work : Work
    """
    a, bound = work.quartic, 0.0
    for k in range(4):
        bound = max(bound, abs(a[k] / a[4]))
    bound += 1.0
    first, second, third = work.first, work.second, work.critical
    for k in range(4):
        first[k] = (k + 1) * a[k + 1]  # the derivative
    for k in range(3):
        second[k] = (k + 1) * first[k + 1]
    square = second[1] * second[1] - 4.0 * second[2] * second[0]
    count = 0
    if square > 0.0:
        root = math.sqrt(square)
        big = -0.5 * (second[1] + (root if second[1] >= 0.0 else -root))
        x = big / second[2]
        y = second[0] / big if big != 0.0 else x
        out[0], out[1] = min(x, y), max(x, y)
        count = 2
    count = _roots_between(first, 3, bound, out, count, third)
    return _roots_between(a, 4, bound, third, count, out)


@inner_kernel
def circle_roots(work, out):
    """Write the angles at which f₀ + f₁ cos θ + f₂ sin θ + f₃ cos 2θ + f₄ sin 2θ = 0 to out, f ``circle``; return how many.

    With t = tan(ψ/2), ψ counted from the direction that is opposite to one far from all roots, it is a quartic.

    Parameters
    ----------
    work : Work
    """
    f, farthest, best = work.circle, -1.0, 0.0
    for k in range(PHASES):
        angle = 2.0 * math.pi * k / PHASES
        s, c = sincos(angle)
        here = abs(f[0] + f[1] * c + f[2] * s + f[3] * (c * c - s * s) + 2.0 * f[4] * s * c)
        if here > farthest:
            farthest, best = here, angle
    if farthest == 0.0:
        return 0
    base = best + math.pi
    s, c = sincos(base)
    s2, c2 = 2.0 * s * c, c * c - s * s
    c1, s1 = f[1] * c + f[2] * s, f[2] * c - f[1] * s
    d, e = f[3] * c2 + f[4] * s2, f[4] * c2 - f[3] * s2
    a = work.quartic
    a[0], a[1], a[2] = f[0] + c1 + d, 2.0 * s1 + 4.0 * e, 2.0 * f[0] - 6.0 * d
    a[3], a[4] = 2.0 * s1 - 4.0 * e, f[0] - c1 + d
    count = quartic_roots(work, out)
    for k in range(count):
        out[k] = base + 2.0 * math.atan(out[k])
    return count
