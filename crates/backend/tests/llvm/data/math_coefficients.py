"""Coefficients of the scalar library: minimax polynomials by Remez' exchange, rounded one coefficient after the other.

Writes crates/emit/src/math/coefficients.rs on standard output. Needs mpmath.

    python math_coefficients.py > ../../../src/emit/math/coefficients.rs
"""

import struct
import sys

import mpmath as mp

mp.mp.dps = 60


def to_float(value, bits):
    """The nearest number of `bits` significant bits (normal range)."""
    if value == 0:
        return mp.mpf(0)
    with mp.workprec(bits):
        return +value


def cheb(a, b, count):
    return [(a + b) / 2 - (b - a) / 2 * mp.cos(mp.pi * (mp.mpf(i) + mp.mpf(1) / 2) / count) for i in range(count)]


def solve(xs, f, w, degree):
    """Coefficients and level of the polynomial whose weighted error alternates on xs."""
    n = degree + 2
    a, b = mp.matrix(n, n), mp.matrix(n, 1)
    for i, x in enumerate(xs):
        power = mp.mpf(1)
        for k in range(degree + 1):
            a[i, k] = power
            power *= x
        a[i, degree + 1] = (-1) ** i / w[i]
        b[i] = f[i]
    s = mp.lu_solve(a, b)
    return [s[k] for k in range(degree + 1)], abs(s[degree + 1])


def remez(grid, f, w, degree):
    n = degree + 2
    picks = sorted({min(len(grid) - 1, int(len(grid) * (i + 0.5) / n)) for i in range(n)})
    for _ in range(30):
        c, level = solve([grid[i] for i in picks], [f[i] for i in picks], [w[i] for i in picks], degree)
        error = [w[i] * (f[i] - mp.polyval(c[::-1], grid[i])) for i in range(len(grid))]
        # One extremum a sign run.
        best = []
        for i, e in enumerate(error):
            if best and (error[best[-1]] > 0) == (e > 0):
                if abs(e) > abs(error[best[-1]]):
                    best[-1] = i
            else:
                best.append(i)
        while len(best) > n:
            if len(best) == n + 1:
                best.pop(0 if abs(error[best[0]]) < abs(error[best[-1]]) else -1)
            else:
                worst = min(range(len(best) - 1), key=lambda j: max(abs(error[best[j]]), abs(error[best[j + 1]])))
                del best[worst : worst + 2]
        top = max(abs(e) for e in error)
        if len(best) < n or best == picks or top < level * mp.mpf("1.001"):
            break
        picks = best
    return c, top


def fit(f, a, b, degree, weight, bits, rounded=None):
    """Minimax of weight·(f − p) over [a, b], coefficients rounded to `bits`: constant first. Also the error reached."""
    a, b = mp.mpf(a), mp.mpf(b)
    grid = cheb(a, b, 24 * (degree + 2))
    values = [f(x) for x in grid]
    weights = [weight(x) for x in grid]
    result = []
    rest, w = values, weights
    limit = degree + 1 if rounded is None else rounded
    for k in range(degree + 1):
        if k < limit or k == 0:
            c, _ = remez(grid, rest, w, degree - k)
        else:
            c = c[1:]
        first = to_float(c[0], bits)
        result.append(first)
        rest = [(v - first) / x if x != 0 else c[1] for v, x in zip(rest, grid)] if k < degree else rest
        w = [v * abs(x) for v, x in zip(w, grid)]
    error = max(abs(wt * (v - mp.polyval(result[::-1], x))) for wt, v, x in zip(weights, values, grid))
    return result, error


def even(f):
    """A function of x as a function of z = x²."""
    return lambda z: f(mp.sqrt(z))


def series_guard(f, taylor, threshold="1e-12"):
    """f, but near 0 by its Taylor polynomial (constant first)."""
    return lambda x: mp.polyval([mp.mpf(t) for t in taylor][::-1], x) if abs(x) < mp.mpf(threshold) else f(x)


def high_precision(f):
    def g(x):
        with mp.workdps(100):
            return f(x)
    return g


OUT = []


def emit(name, what, f, a, b, degree, weight, bits, rounded=None):
    c, error = fit(high_precision(f), a, b, degree, high_precision(weight), bits, rounded)
    digits = 9 if bits == 24 else 17
    print(name, degree, "error 2^%.2f" % mp.log(error, 2), file=sys.stderr, flush=True)
    lines = [f"/// {what}: error ≤ 2^{float(mp.log(error, 2)):.1f}."]
    text = []
    for x in c[::-1]:
        x = float(x)
        if bits == 24:
            x = struct.unpack("f", struct.pack("f", x))[0]
            s = "%.9g" % x
        else:
            s = repr(x)
        if "." not in s and "e" not in s:
            s += ".0"
        text.append(s)
    if len(", ".join(text)) < 90 - len(name):
        lines.append(f"pub const {name}: [f64; {len(c)}] = [{', '.join(text)}];")
    else:
        lines.append(f"pub const {name}: [f64; {len(c)}] = [")
        lines += [f"    {t}," for t in text]
        lines.append("];")
    OUT.append("\n".join(lines))


def exp_q(r):
    return (mp.expm1(r) - r) / r**2


def log_q(f):
    return (mp.log1p(f) - f) / f**2


def atanh_p(z):
    s = mp.sqrt(z)
    return (2 * mp.atanh(s) - 2 * s) / s**3


def neg_log_erfc(a):
    return -mp.log(mp.erfc(a))


def erfc_core(k, slope):
    """(1 + slope·a)·e^(a²)·erfc a as a function of q = (a − k)/(a + k)."""
    def g(q):
        a = k * (1 + q) / (1 - q)
        return (1 + slope * a) * mp.exp(a * a) * mp.erfc(a)
    return g


def erfinv(x):
    return mp.erfinv(x)


def erfinv_of(w):
    """erf⁻¹(x)/x where w = −ln(1 − x²)."""
    if w < mp.mpf("1e-30"):
        return mp.sqrt(mp.pi) / 2
    x = mp.sqrt(-mp.expm1(-w))
    # Newton on erfc from a double start; 1 − x = e^(−w)/(1 + x).
    rest = mp.exp(-w) / (1 + x)
    if rest > mp.mpf("0.1"):
        y = mp.erfinv(x)
    else:
        y = mp.sqrt(-mp.log(rest))
        for _ in range(60):
            step = (mp.erfc(y) - rest) * mp.sqrt(mp.pi) / 2 * mp.exp(y * y)
            y += step
            if abs(step) < mp.mpf(10) ** (-40):
                break
    return y / x


def main():
    half = mp.log(2) / 2 * mp.mpf("1.002")
    one = lambda x: mp.mpf(1)
    for name, bits, degree in (("EXP_F32", 24, 4), ("EXP_F64", 53, 9)):
        emit(name, "(eʳ − 1 − r)/r² on |r| ≤ ln 2 / 2, relative to eʳ", exp_q, -half, half, degree,
             lambda r: r**2 / mp.exp(r), bits)
    emit("LOG_F32", "(ln(1 + f) − f)/f² on |f| ≤ 1/3, relative to the logarithm", log_q, -mp.mpf(1) / 3, mp.mpf(1) / 3, 8,
         lambda f: abs(f**2 / mp.log1p(f)), 24)
    z = (mp.sqrt(2) - 1) ** 2 / (mp.sqrt(2) + 1) ** 2 * mp.mpf("1.001")
    emit("LOG_F64", "(ln((1 + s)/(1 − s)) − 2s)/s³ in s², |s| ≤ 0.1716, relative to the logarithm", atanh_p, mp.mpf("1e-20"), z, 6,
         lambda z: z / 2, 53)
    for name, bits, degree in (("POWER_F32", 24, 2), ("POWER_F64", 53, 7)):
        emit(name, "(ln((1 + s)/(1 − s)) − 2s − 2s³/3)/s⁵ in s², |s| ≤ 0.1716, relative to the logarithm",
             lambda z: (atanh_p(z) - mp.mpf(2) / 3) / z, mp.mpf("1e-12"), z, degree, lambda z: z * z / 2, bits)
    emit("TANH_F32", "(tanh x − x)/x³ in x², x ≤ 0.6, relative to tanh x", even(lambda x: (mp.tanh(x) - x) / x**3),
         mp.mpf("1e-12"), mp.mpf("0.36"), 4, even(lambda x: x**3 / mp.tanh(x)), 24)
    for name, bits, degree in (("SINH_F32", 24, 3), ("SINH_F64", 53, 6)):
        emit(name, "(sinh x − x)/x³ in x², x ≤ 1, relative to sinh x", even(lambda x: (mp.sinh(x) - x) / x**3),
             mp.mpf("1e-12"), mp.mpf(1), degree, even(lambda x: x**3 / mp.sinh(x)), bits)
    emit("ERF_F32", "erf x / x − 1 in x², x ≤ 1, relative", even(lambda x: mp.erf(x) / x - 1), mp.mpf("1e-12"), mp.mpf(1), 6,
         even(lambda x: x / mp.erf(x)), 24)
    emit("ERF_F64", "erf x / x − 1 in x², x ≤ 1, relative", even(lambda x: mp.erf(x) / x - 1), mp.mpf("1e-12"), mp.mpf(1), 14,
         even(lambda x: x / mp.erf(x)), 53)
    emit("ERF_TAIL_F32", "−ln erfc x on 1 ≤ x ≤ 4, relative to erf x", neg_log_erfc, mp.mpf("0.98"), mp.mpf(4), 6,
         lambda x: mp.erfc(x) / mp.erf(x), 24)
    emit("ERFC_NEAR_F32", "erf x / x in x², x ≤ 3/4, relative to erfc x", even(lambda x: mp.erf(x) / x), mp.mpf("1e-12"),
         mp.mpf("0.5625") * mp.mpf("1.001"), 5, even(lambda x: x / mp.erfc(x)), 24)
    for bits, degree, high, k, slope, rounded in ((24, 9, "10.1", 1, 1, 6), (53, 22, "27.5", 4, 2, 2)):
        core = erfc_core(k, slope)
        ends = ((mp.mpf(v) - k) / (mp.mpf(v) + k) for v in ("0.74", high))
        emit("ERFC_F%d" % (32 if bits == 24 else 64), "(1 + %sx)·exp(x²)·erfc x in (x − %d)/(x + %d), 0.74 ≤ x ≤ %s, relative"
             % ("" if slope == 1 else slope, k, k, high), core, *ends, degree, lambda q, g=core: 1 / g(q), bits, rounded)
    w = lambda c: (lambda t: 1 / erfinv_of(t + mp.mpf(c)))
    emit("ERF_INV_NEAR_F32", "erf⁻¹ x / x in w − 2.5, w = −ln(1 − x²) ≤ 5, relative", lambda t: erfinv_of(t + mp.mpf("2.5")),
         mp.mpf("-2.5"), mp.mpf("2.5"), 9, w("2.5"), 24)
    ws = lambda c: (lambda t: 1 / erfinv_of((t + mp.mpf(c)) ** 2))
    emit("ERF_INV_FAR_F32", "erf⁻¹ x / x in √w − 3, 5 ≤ w ≤ 16, relative", lambda t: erfinv_of((t + 3) ** 2),
         mp.sqrt(5) - 3, mp.mpf("4.01") - 3, 9, ws("3"), 24)
    emit("ERF_INV_NEAR_F64", "erf⁻¹ x / x in w − 3.125, w = −ln(1 − x²) ≤ 6.25, relative", lambda t: erfinv_of(t + mp.mpf("3.125")),
         mp.mpf("-3.125"), mp.mpf("3.125"), 23, w("3.125"), 53, 2)
    emit("ERF_INV_FAR_F64", "erf⁻¹ x / x in √w − 3.25, 6.25 ≤ w ≤ 16, relative", lambda t: erfinv_of((t + mp.mpf("3.25")) ** 2),
         mp.mpf("2.5") - mp.mpf("3.25"), mp.mpf("4") - mp.mpf("3.25"), 19, ws("3.25"), 53, 2)
    emit("ERF_INV_END_F64", "erf⁻¹ x / x in √w − 5, 16 ≤ w ≤ 37, relative", lambda t: erfinv_of((t + 5) ** 2),
         mp.mpf(4) - 5, mp.mpf("6.1") - 5, 17, ws("5"), 53, 2)
    for name, bits, degree, rounded in (("ATAN_F32", 24, 8, None), ("ATAN_F64", 53, 20, None)):
        emit(name, "(atan x − x)/x³ in x², x ≤ 1, relative to atan x", even(lambda x: (mp.atan(x) - x) / x**3),
             mp.mpf("1e-12"), mp.mpf(1), degree, even(lambda x: x**3 / mp.atan(x)), bits, rounded)
    for name, bits, degree, rounded in (("ASIN_F32", 24, 4, None), ("ASIN_F64", 53, 12, None)):
        emit(name, "(asin x − x)/x³ in x², x ≤ 1/2, relative to asin x", even(lambda x: (mp.asin(x) - x) / x**3),
             mp.mpf("1e-12"), mp.mpf("0.25"), degree, even(lambda x: x**3 / mp.asin(x)), bits, rounded)
    print("//! Polynomials of the scalar library, highest coefficient first.\n//!\n"
          "//! Written by `tests/llvm/data/math_coefficients.py` (Remez' exchange, coefficients rounded one after the other).\n"
          "//! A bound is the error of the rounded polynomial in exact arithmetic, weighted as said.\n")
    print("\n\n".join(OUT))


main()
