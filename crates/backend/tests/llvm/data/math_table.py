"""Values of the scalar library's functions, by mpmath: the table that tests/llvm/emit_math.rs compares with.

A row is `function argument value tail`, for functions of two arguments `function argument argument value tail`; arguments
and values are f64 bits in hexadecimal, the tail is what the rounded value lacks, in 1/256 of its last place. The first half
of a function's rows has arguments that are f32 numbers. Needs mpmath.

    python math_table.py > math_table.txt
"""

import math
import random
import struct

import mpmath as mp

mp.mp.prec = 300
ROWS = 48


def bits(x):
    return struct.unpack("<Q", struct.pack("<d", x))[0]


def single(x):
    try:
        return struct.unpack("<f", struct.pack("<f", x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)


def round_to_double(value):
    """The nearest f64, subnormal numbers and overflow included."""
    if value == 0 or mp.isinf(value) or mp.isnan(value):
        return float(value)
    _, exponent = mp.frexp(value)
    unit = mp.mpf(2) ** (max(exponent, -1021) - 53)
    scaled = value / unit
    whole = mp.nint(scaled)
    if abs(whole * unit) >= mp.mpf(2) ** 1024:
        return math.copysign(math.inf, value)
    if whole == 0:
        return math.copysign(0.0, value)
    # Exact: a whole number of at most 53 bits times a power of two, in two factors.
    power = max(exponent, -1021) - 53
    return math.ldexp(float(int(whole)), power)


def row(name, arguments, value):
    rounded = round_to_double(value)
    tail = 0
    if rounded != 0 and math.isfinite(rounded):
        _, exponent = math.frexp(rounded)
        unit = mp.mpf(2) ** (max(exponent, -1021) - 53)
        tail = int(mp.nint((value - mp.mpf(rounded)) / unit * 256))
    print(name, *(f"{bits(x):016x}" for x in arguments), f"{bits(rounded):016x}", tail)


def erf_inv(x):
    a = abs(x)
    rest = 1 - a
    # Bisection to a start, then Newton on erfc.
    low, high = mp.mpf(0), mp.mpf(7)
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if mp.erfc(middle) > rest else (low, middle)
    y = (low + high) / 2 if a > mp.mpf("1e-6") else a * mp.sqrt(mp.pi) / 2
    for _ in range(8):
        y += (mp.erfc(y) - rest if a > 0.5 else a - mp.erf(y)) * mp.sqrt(mp.pi) / 2 * mp.exp(y * y)
    return mp.sign(x) * y


# Function, domain of the arguments (any float of it), intervals that matter.
ANY = [(-math.inf, math.inf)]
UNARY = [
    ("sqrt", mp.sqrt, (0, math.inf), [(0, 2)]),
    ("rsqrt", lambda x: 1 / mp.sqrt(x), (0, math.inf), [(0, 2)]),
    ("cbrt", lambda x: mp.sign(x) * mp.cbrt(abs(x)), (-math.inf, math.inf), [(-9, 9)]),
    ("exponential", mp.exp, (-746, 709.7), [(-1, 1), (-746, 709.7), (-104, 88.7)]),
    ("exponential_minus_one", mp.expm1, (-60, 709.7), [(-1, 1), (-60, 88.7), (-60, 709.7)]),
    ("log", mp.log, (0, math.inf), [(0, 2), (0.9, 1.1)]),
    ("log_plus_one", mp.log1p, (-1, math.inf), [(-1, 1), (-0.01, 0.01), (-1, 10)]),
    ("logistic", lambda x: 1 / (1 + mp.exp(-x)), (-745, 745), [(-1, 1), (-20, 20), (-745, 40)]),
    ("sine", mp.sin, (-math.inf, math.inf), [(-4, 4), (-1000, 1000)]),
    ("cosine", mp.cos, (-math.inf, math.inf), [(-4, 4), (-1000, 1000)]),
    ("tan", mp.tan, (-math.inf, math.inf), [(-4, 4), (-1000, 1000)]),
    ("tanh", mp.tanh, (-math.inf, math.inf), [(-1, 1), (-22, 22)]),
    ("erf", mp.erf, (-math.inf, math.inf), [(-1, 1), (-6, 6)]),
    ("erfc", mp.erfc, (-10, 27.3), [(-1, 1), (-6, 10), (0, 27.3)]),
    ("erf_inv", erf_inv, (-1, 1), [(-1, 1), (-1, -0.99), (0.999, 1)]),
    ("asin", mp.asin, (-1, 1), [(-1, 1), (0.99, 1)]),
    ("acos", mp.acos, (-1, 1), [(-1, 1), (0.99, 1)]),
    ("atan", mp.atan, (-math.inf, math.inf), [(-2, 2), (-100, 100)]),
    ("sinh", mp.sinh, (-710, 710), [(-2, 2), (-710, 710), (-89, 89)]),
    ("cosh", mp.cosh, (-710, 710), [(-2, 2), (-710, 710), (-89, 89)]),
    ("asinh", mp.asinh, (-math.inf, math.inf), [(-2, 2), (-100, 100)]),
    ("acosh", mp.acosh, (1, math.inf), [(1, 2), (1, 1.001), (1, 100)]),
    ("atanh", mp.atanh, (-1, 1), [(-1, 1), (0.99, 1)]),
]


def any_float(low, high):
    """A number of the domain with a random exponent."""
    while True:
        x = struct.unpack("<d", struct.pack("<Q", random.getrandbits(64)))[0]
        if low < x < high:
            return x


def any_single(low, high):
    while True:
        x = struct.unpack("<f", struct.pack("<I", random.getrandbits(32)))[0]
        if low < x < high:
            return x


def arguments(domain, intervals):
    # Values near the ends of the exponent range: the trigonometric functions need 1200 bits there, mpmath sees to that.
    singles = [any_single(*domain) for _ in range(ROWS // 6)]
    singles += [single(random.uniform(*random.choice(intervals))) for _ in range(ROWS // 3)]
    doubles = [any_float(*domain) for _ in range(ROWS // 6)]
    doubles += [random.uniform(*random.choice(intervals)) for _ in range(ROWS // 3)]
    return [x for x in singles + doubles if domain[0] < x < domain[1] and x != 0]


def power_arguments():
    for at in range(ROWS * 2):
        x = math.exp(random.uniform(-3, 3)) if at % 2 else 1 + random.choice([-1, 1]) * 2 ** random.uniform(-40, -1)
        limit = random.choice([80, 700])
        y = random.uniform(-limit, limit) / math.log(x)
        if at % 3 == 0:
            x, y = single(x), single(y)
        if at % 5 == 0:
            x, y = -x, float(round(y))
        if abs(y * math.log(abs(x))) < 745:
            yield x, y


def main():
    random.seed(22)
    print("# Written by math_table.py: function, arguments, value, tail.")
    for name, function, domain, intervals in UNARY:
        for x in arguments(domain, intervals):
            with mp.workprec(2400 if name in ("sine", "cosine", "tan") else 300):
                value = function(mp.mpf(x))
            row(name, [x], value)
    for x, y in power_arguments():
        row("power", [x, y], mp.power(mp.mpf(x), mp.mpf(y)))
    for at in range(ROWS):
        y, x = (random.choice([-1, 1]) * 2 ** random.uniform(-20, 20) for _ in range(2))
        if at % 2:
            y, x = single(y), single(x)
        row("atan2", [y, x], mp.atan2(mp.mpf(y), mp.mpf(x)))


main()
