"""Sine, exponential, arctangent and the others in plain arithmetic, for processors that have no mathematical library.

Every function is right to about two units in the last place, `power` where its value is within 1e±300. Arguments are reduced in
two parts, then Taylor's series are summed. Angles of a million radians and more are not reduced: the answer is no number, which
stops the member that asked.
"""

from __future__ import annotations

import math
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from multibody.kernels.compile import inlined, inner_kernel
from multibody.kernels.rotations import LARGE, sincos_of_usual

_LN2, _LN2_REST = 0.6931471803691238, 1.9082149292705877e-10  # 32 bits, and what is left: whole multiples are exact
_HALF_PI, _HALF_PI_REST = 1.5707963267948966, 6.123233995736766e-17
_ATAN = (0.0, 0.24497866312686414, 0.4636476090008061, 0.6435011087932844, 0.7853981633974483)  # of k/4
_ATAN_REST = (0.0, 1.0698755618734451e-17, 2.2698777452961687e-17, 1.5834785051444286e-17, 3.061616997868383e-17)
_WHOLE = 1.5 * 2.0**52  # added to a number and taken away again, it leaves the nearest whole one
_SPLIT = 2.0**27 + 1.0
_ROOT_HALF = 0.7071067811865476
_LARGEST, _SMALLEST = 709.782712893384, -745.1332191019412  # between which exp is neither infinite nor 0
_BIAS, _FRACTION = 1023, 52  # of a number's exponent; bits behind it


def _bits(given: Any, answered: Any, kind: Any) -> Any:
    """Return what reads the bits of a number as an integer, or the other way round."""

    @intrinsic
    def cast(typing_context: Any, x: Any) -> Any:
        def generate(context: Any, builder: Any, called: Any, arguments: Any) -> Any:
            return builder.bitcast(arguments[0], kind)

        return answered(given), generate

    return cast


bits_of = _bits(types.float64, types.int64, ir.IntType(64))
of_bits = _bits(types.int64, types.float64, ir.DoubleType())


@inlined
def _power_of_two(k):
    """Return 2ᵏ of a k for which it is a normal number."""
    return of_bits((k + _BIAS) << _FRACTION)


@inner_kernel
def sine(x):
    """Return sin x."""
    return sincos_of_usual(x)[0] if abs(x) < LARGE else math.nan


@inner_kernel
def cosine(x):
    """Return cos x."""
    return sincos_of_usual(x)[1] if abs(x) < LARGE else math.nan


@inner_kernel
def tangent(x):
    """Return tan x."""
    if not abs(x) < LARGE:
        return math.nan
    s, c = sincos_of_usual(x)
    return s / c


@inlined
def _exponential(x, rest):
    """Return exp(x + rest), rest a small part of x."""
    if not x <= _LARGEST:
        return x if x != x else math.inf
    if x < _SMALLEST:
        return 0.0
    whole = (x * (1.0 / math.log(2.0)) + _WHOLE) - _WHOLE
    high, low = x - whole * _LN2, rest - whole * _LN2_REST
    r = high + low
    tail = low - (r - high)
    series = 1.0 / 6227020800.0
    for n in (479001600.0, 39916800.0, 3628800.0, 362880.0, 40320.0, 5040.0, 720.0, 120.0, 24.0, 6.0, 2.0):
        series = series * r + 1.0 / n
    value = 1.0 + (r + (r * r * series + tail))
    k = int(whole)
    half = k >> 1  # in two factors: one alone may be beyond what a number can be
    return value * _power_of_two(half) * _power_of_two(k - half)


@inner_kernel
def exponential(x):
    """Return eˣ."""
    return _exponential(x, 0.0)


@inlined
def _parts(x):
    """Return (m, k) with x = m 2ᵏ and m from √½ to √2, of a positive finite x."""
    k = 0
    if x < 2.2250738585072014e-308:  # subnormal
        x, k = x * 2.0**54, -54
    bits = bits_of(x)
    k += (bits >> _FRACTION) - (_BIAS - 1)
    m = of_bits((bits & ((1 << _FRACTION) - 1)) | ((_BIAS - 1) << _FRACTION))  # from ½ to 1
    return (2.0 * m, k - 1) if m < _ROOT_HALF else (m, k)


@inlined
def _special_logarithm(x):
    """Return the logarithm of what is not positive and finite."""
    if x == 0.0:
        return -math.inf
    return x if x > 0.0 or x != x else math.nan


@inner_kernel
def logarithm(x):
    """Return ln x, by the series of s = f/(2 + f), x = (1 + f) 2ᵏ."""
    if not 0.0 < x < math.inf:
        return _special_logarithm(x)
    m, k = _parts(x)
    f = m - 1.0
    s, half = f / (2.0 + f), 0.5 * f * f
    series = _area_series(s * s)
    return k * _LN2 - ((half - (s * (half + s * s * series) + k * _LN2_REST)) - f)


@inlined
def _area_series(z):
    """Return Σ 2 zʲ/(2 j + 3), with which ln((1 + s)/(1 − s)) = 2 s + s z Σ, z = s² ≤ 0.03."""
    series = 2.0 / 25.0
    for n in (23.0, 21.0, 19.0, 17.0, 15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0):
        series = series * z + 2.0 / n
    return series


@inlined
def _product(a, b):
    """Return a b and its rounding error (Dekker)."""
    p, c, d = a * b, _SPLIT * a, _SPLIT * b
    ah, bh = c - (c - a), d - (d - b)
    al, bl = a - ah, b - bh
    return (p, ((ah * bh - p) + ah * bl + al * bh) + al * bl)


@inlined
def _sum(a, b):
    """Return a + b and its rounding error (Knuth)."""
    s = a + b
    v = s - a
    return (s, (a - (s - v)) + (b - v))


@inlined
def _long_logarithm(x):
    """Return ln x of a positive finite x in two parts, to about 1e-21 of it."""
    m, k = _parts(x)
    f, g = m - 1.0, m + 1.0
    g_rest = (m - (g - 1.0)) if g - 1.0 != m else 0.0
    s = f / g
    p, e = _product(s, g)
    s_rest = ((f - p) - e - s * g_rest) / g
    z, z_rest = _product(s, s)
    cube, cube_rest = _product(z, s)  # s³, of which 2/3 is the next term
    third, third_rest = _product(cube, 2.0 / 3.0)
    third_rest += 2.0 / 3.0 * (cube_rest + s * z_rest + 3.0 * z * s_rest) + cube * 3.700743415417188e-17
    higher = s * z * z * _fifth_series(z)
    total, rest = _sum(2.0 * s, third)
    rest += 2.0 * s_rest + third_rest
    total, more = _sum(total, higher)
    rest += more
    whole, wrest = _sum(k * _LN2, total)
    return _sum(whole, wrest + rest + k * _LN2_REST)


@inlined
def _fifth_series(z):
    """Return Σ 2 zʲ/(2 j + 5)."""
    series = 2.0 / 25.0
    for n in (23.0, 21.0, 19.0, 17.0, 15.0, 13.0, 11.0, 9.0, 7.0, 5.0):
        series = series * z + 2.0 / n
    return series


@inner_kernel
def power(x, y):
    """Return xʸ; of a negative x for a whole y."""
    if y == 0.0 or x == 1.0:
        return 1.0
    if x != x or y != y:
        return math.nan
    large = not abs(y) < 9007199254740992.0  # whole, and even
    whole = large or math.floor(y) == y
    odd = whole and not large and math.floor(0.5 * y) != 0.5 * y
    size = abs(x)
    if -math.inf < x < 0.0 and not whole:
        return math.nan
    if size == 0.0 or size == math.inf or abs(y) == math.inf:
        if size == 1.0:
            return 1.0
        grows = (size > 1.0) == (y > 0.0)
        answer = math.inf if grows else 0.0
    else:
        a, b = _long_logarithm(size)
        if abs(a * y) < 1e4:
            p, e = _product(a, y)
            answer = _exponential(p, e + b * y)
        else:
            answer = math.inf if a * y > 0.0 else 0.0
    return -answer if odd and math.copysign(1.0, x) < 0.0 else answer


@inlined
def _arc(t):
    """Return atan t for t from 0 to 1 as two parts, from the nearest k/4: (t − c)/(1 + t c) is at most 1/8."""
    k = int(4.0 * t + 0.5)
    c = 0.25 * k
    r = (t - c) / (1.0 + t * c)
    z = r * r
    series = 1.0 / 21.0
    for n in (-19.0, 17.0, -15.0, 13.0, -11.0, 9.0, -7.0, 5.0, -3.0):
        series = series * z + 1.0 / n
    return (_ATAN[k], r + (r * z * series + _ATAN_REST[k]))


@inner_kernel
def arctangent2(y, x):
    """Return the angle of the point (x, y)."""
    if x != x or y != y:
        return math.nan
    a, b = abs(x), abs(y)
    steep = b > a
    top, bottom = (a, b) if steep else (b, a)
    if bottom == 0.0:
        t = 0.0
    else:
        t = 1.0 if top == math.inf else top / bottom
    high, low = _arc(t)
    if steep:
        high, low = _sum(_HALF_PI, -high)[0], _sum(_HALF_PI, -high)[1] - low + _HALF_PI_REST
    if math.copysign(1.0, x) < 0.0:
        high, low = _sum(2.0 * _HALF_PI, -high)[0], _sum(2.0 * _HALF_PI, -high)[1] - low + 2.0 * _HALF_PI_REST
    return math.copysign(high + low, y)


@inner_kernel
def arctangent(x):
    """Return atan x."""
    return arctangent2(x, 1.0)


@inner_kernel
def arcsine(x):
    """Return asin x; no number beyond ±1."""
    return arctangent2(x, math.sqrt((1.0 - x) * (1.0 + x)))


@inner_kernel
def arccosine(x):
    """Return acos x; no number beyond ±1."""
    return arctangent2(math.sqrt((1.0 - x) * (1.0 + x)), x)


@inlined
def _small_sinh(x):
    """Return sinh x for |x| ≤ 1 by its series."""
    z = x * x
    series = 1.0 / 121645100408832000.0
    for n in (355687428096000.0, 1307674368000.0, 6227020800.0, 39916800.0, 362880.0, 5040.0, 120.0, 6.0):
        series = series * z + 1.0 / n
    return x + x * z * series


@inner_kernel
def hyperbolic_sine(x):
    """Return sinh x."""
    a = abs(x)
    if a <= 1.0:
        return _small_sinh(x)
    if not a < 709.0:  # in two factors: eˣ alone may be infinite
        half = _exponential(0.5 * a, 0.0)
        return math.copysign(0.5 * half * half, x) if x == x else x
    e = _exponential(a, 0.0)
    return math.copysign(0.5 * e - 0.5 / e, x)


@inner_kernel
def hyperbolic_cosine(x):
    """Return cosh x."""
    a = abs(x)
    if not a < 709.0:
        half = _exponential(0.5 * a, 0.0)
        return 0.5 * half * half
    e = _exponential(a, 0.0)
    return 0.5 * e + 0.5 / e


@inner_kernel
def hyperbolic_tangent(x):
    """Return tanh x."""
    a = abs(x)
    if a <= 0.5:
        s = _small_sinh(x)
        return s / math.sqrt(1.0 + s * s)
    if not a < 20.0:
        return math.copysign(1.0, x) if x == x else x
    return math.copysign(1.0 - 2.0 / (_exponential(2.0 * a, 0.0) + 1.0), x)


OWN = {  # by the names of the mathematical library
    "sin": sine, "cos": cosine, "tan": tangent, "exp": exponential, "log": logarithm, "pow": power, "asin": arcsine,
    "acos": arccosine, "atan": arctangent, "atan2": arctangent2, "sinh": hyperbolic_sine, "cosh": hyperbolic_cosine,
    "tanh": hyperbolic_tangent,
}  # fmt: skip
OF_TWO = ("pow", "atan2")
SIGNATURES = {
    function.__name__: types.float64(*(types.float64,) * (2 if name in OF_TWO else 1)) for name, function in OWN.items()
}
