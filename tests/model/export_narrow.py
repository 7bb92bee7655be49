#!/usr/bin/env python3
"""Writes the cases of tests/numeric for floats of eight bits and less and integers of two and four bits.

    pip install numpy ml_dtypes
    python tests/model/export_narrow.py

narrow_conversions: every f16 and bf16, every upper half of an f32 and f64 with several lower halves (ties, their
neighbours), converted to every small float. A result is a checksum a row of 256 operands, so that the case stays small
and covers every code: sum over i of pattern(i) * (2654435761 * i + 1) modulo 2^32. What a small float is converted to is
in narrow_<type>, with arithmetic, comparisons, reductions, products, convolutions, sorting and moved data of all codes.
narrow_products: products of the two formats that matrix instructions have, of more than one block of steps.
narrow_scaling: arith.scaling_extf and arith.scaling_truncf among StableHLO, every small float by scales of several types.
small_int_<type>: every pair of values.

The expected values are computed here in f64 (Python integers) and rounded once by ml_dtypes through an f32 rounded to
odd, which cannot tie. NaN is made one pattern before bits are compared. Formats whose NaN is the pattern of -0 give a NaN
without a sign, so what they are converted to in formats without NaN is not compared for it.
"""
import json
import pathlib
import shutil

import ml_dtypes as m
import numpy as np

OUT = pathlib.Path(__file__).resolve().parent.parent / "numeric"
FLOATS = {
    "f8E4M3FN": m.float8_e4m3fn, "f8E5M2": m.float8_e5m2, "f8E4M3FNUZ": m.float8_e4m3fnuz,
    "f8E5M2FNUZ": m.float8_e5m2fnuz, "f8E4M3B11FNUZ": m.float8_e4m3b11fnuz, "f8E4M3": m.float8_e4m3,
    "f8E3M4": m.float8_e3m4, "f8E8M0FNU": m.float8_e8m0fnu, "f6E2M3FN": m.float6_e2m3fn,
    "f6E3M2FN": m.float6_e3m2fn, "f4E2M1FN": m.float4_e2m1fn,
}
WIDE = {"f16": np.float16, "bf16": m.bfloat16, "f32": np.float32, "f64": np.float64}
INTS = {"i2": (2, True), "i4": (4, True), "ui2": (2, False), "ui4": (4, False), "i8": (8, True), "ui8": (8, False),
        "i32": (32, True), "ui32": (32, False), "i64": (64, True)}
np.seterr(all="ignore")


def bits_of(name):
    return int(name[1])


def odd(x):
    """f64 to f32, towards zero with the last bit set where anything was lost."""
    x = np.asarray(x, np.float64)
    near = x.astype(np.float32)
    back, bits = near.astype(np.float64), near.view(np.uint32).copy()
    bits[np.abs(back) > np.abs(x)] -= 1
    bits[(back != x) & ~np.isnan(x)] |= 1
    return bits.view(np.float32)


def rounded(name, x):
    """Patterns of the nearest values. ml_dtypes rounds what is below the least power but one of f8E8M0FNU upwards."""
    x = np.asarray(x, np.float64)
    result = odd(x.ravel()).astype(FLOATS[name]).view(np.uint8).reshape(x.shape)
    if name == "f8E8M0FNU":
        result = np.where((x > 2.0**-128) & (x < 1.5 * 2.0**-127), np.uint8(0), result)
    return result


def values(name, patterns):
    return np.asarray(patterns, np.uint8).view(FLOATS[name]).astype(np.float64)


def numpy_type(name):
    if name in WIDE:
        return WIDE[name]
    if name in FLOATS or name == "i1":
        return np.uint8
    bits, signed = INTS[name]
    return np.dtype("%sint%d" % ("" if signed else "u", max(8, bits)))


class Module:
    """One function under construction: lines, arguments, results with the arrays expected."""

    def __init__(self, name):
        self.name, self.lines, self.arguments, self.results, self.count = name, [], [], [], 0

    def argument(self, element, array):
        name = "%%a%d" % len(self.arguments)
        self.arguments.append((name, self.type(array.shape, element), array))
        return name

    @staticmethod
    def type(shape, element):
        return "tensor<%s%s>" % ("".join("%dx" % n for n in shape), element)

    def op(self, text):
        name = "%%%d" % self.count
        self.count += 1
        self.lines.append("%s = %s" % (name, text))
        return name

    def constant(self, element, shape, text):
        return self.op("stablehlo.constant dense<%s> : %s" % (text, self.type(shape, element)))

    def convert(self, x, shape, a, b):
        return self.op("stablehlo.convert %s : (%s) -> %s" % (x, self.type(shape, a), self.type(shape, b)))

    def bitcast(self, x, shape, a, to, b):
        return self.op("stablehlo.bitcast_convert %s : (%s) -> %s" % (x, self.type(shape, a), self.type(to, b)))

    def result(self, value, element, array):
        self.results.append((value, self.type(array.shape, element), np.ascontiguousarray(array)))

    def write(self, tolerance=None):
        folder = OUT / self.name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        arguments = ", ".join("%s: %s" % a[:2] for a in self.arguments)
        types = ", ".join(r[1] for r in self.results)
        names = ", ".join(r[0] for r in self.results)
        text = "module @%s {\n  func.func public @main(%s) -> (%s) {\n" % (self.name, arguments, types)
        text += "".join("    %s\n" % line for line in self.lines)
        text += "    return %s : %s\n  }\n}\n" % (names, types)
        (folder / "model.mlir").write_text(text)
        (folder / "meta.json").write_text(json.dumps({"tolerance": tolerance or {"f64": 0, "f32": 0, "f16": 0, "bf16": 0}}) + "\n")
        for stem, rows in (("in", self.arguments), ("out", self.results)):
            for at, row in enumerate(rows):
                np.save(folder / ("%s_%d.npy" % (stem, at)), row[2])


def as_bits(module, x, shape, element):
    """Bits of a small float as ui8, NaN in one pattern; of six bits, which no integer has, the f32 it is."""
    if bits_of(element) == 8:
        not_equal = module.op("stablehlo.compare NE, %s, %s : (%s, %s) -> %s" % (
            (x, x) + (module.type(shape, element),) * 2 + (module.type(shape, "i1"),)))
        # Of bits: a compiler may give any NaN for a NaN.
        bits, of = module.bitcast(x, shape, element, shape, "ui8"), module.type(shape, "ui8")
        nan = module.constant("ui8", shape, str(rounded(element, np.array(np.nan))))
        return module.op("stablehlo.select %s, %s, %s : (%s, %s, %s) -> %s" % (
            not_equal, nan, bits, module.type(shape, "i1"), of, of, of))
    if bits_of(element) == 4:
        x = module.bitcast(x, shape, element, shape, "ui4")
        return module.convert(x, shape, "ui4", "ui8")
    return module.convert(x, shape, element, "f32")


def without_nan(module, x, shape, kind):
    """1 for NaN: formats without NaN look at its sign, which machines lose."""
    ty, truth = module.type(shape, kind), module.type(shape, "i1")
    nan = module.op("stablehlo.compare NE, %s, %s : (%s, %s) -> %s" % (x, x, ty, ty, truth))
    one = module.constant(kind, shape, "1.0")
    return module.op("stablehlo.select %s, %s, %s : (%s, %s, %s) -> %s" % (nan, one, x, truth, ty, ty, ty))


def small_result(module, x, element, patterns):
    """A result in a small float, compared bit by bit."""
    patterns = np.asarray(patterns, np.uint8)
    bits = as_bits(module, x, patterns.shape, element)
    if bits_of(element) == 6:
        return module.result(bits, "f32", values(element, patterns).astype(np.float32))
    nan = np.isnan(values(element, patterns))
    module.result(bits, "ui8", np.where(nan, rounded(element, np.array(np.nan)), patterns))


def conversions():
    rows, columns = 256, 256
    module = Module("narrow_conversions")
    zero = module.argument("ui16", np.zeros((), np.uint16))
    every = np.arange(rows * columns, dtype=np.uint16)
    shape = (rows * columns,)
    iota = module.op("stablehlo.iota dim = 0 : %s" % module.type(shape, "ui16"))
    spread = module.op("stablehlo.broadcast_in_dim %s, dims = [] : (tensor<ui16>) -> %s" % (zero, module.type(shape, "ui16")))
    bits = module.op("stablehlo.xor %s, %s : %s" % (iota, spread, module.type(shape, "ui16")))
    sources = []
    for kind in ("f16", "bf16"):
        sources.append((kind, module.bitcast(bits, shape, "ui16", shape, kind), every.view(WIDE[kind]).astype(np.float64)))
    for kind, word, shift, lows in (("f32", "ui32", 16, (0x0001, 0x8000, 0xFFFF)),
                                    ("f64", "ui64", 48, (0x0000000000000001, 0x800000000000, 0x7FFFFFFFFFFF))):
        wide = module.convert(bits, shape, "ui16", word)
        by = module.constant(word, shape, str(shift))
        high = module.op("stablehlo.shift_left %s, %s : %s" % (wide, by, module.type(shape, word)))
        for low in lows:
            rest = module.constant(word, shape, str(low))
            whole = module.op("stablehlo.or %s, %s : %s" % (high, rest, module.type(shape, word)))
            array = (every.astype("u%d" % (int(word[2:]) // 8)) << np.array(shift, "u8").astype("u%d" % (int(word[2:]) // 8))) | np.array(low, "u%d" % (int(word[2:]) // 8))
            sources.append((kind, module.bitcast(whole, shape, word, shape, kind), array.view(WIDE[kind]).astype(np.float64)))
    weights = (np.arange(columns, dtype=np.uint64) * 2654435761 + 1).astype(np.uint32)
    weight = module.argument("ui32", weights)
    grid = (rows, columns)
    weight = module.op("stablehlo.broadcast_in_dim %s, dims = [1] : (%s) -> %s" % (weight, module.type((columns,), "ui32"), module.type(grid, "ui32")))
    none = module.constant("ui32", (), "0")
    numbers = [(kind, without_nan(module, x, shape, kind), np.where(np.isnan(array), 1, array)) for kind, x, array in sources]
    for element in FLOATS:
        sums, expected = [], []
        for kind, x, array in sources if bits_of(element) == 8 else numbers:
            x = module.convert(x, shape, kind, element)
            x = as_bits(module, x, shape, element)
            patterns = rounded(element, array)
            patterns = np.where(np.isnan(values(element, patterns)), rounded(element, np.array(np.nan)), patterns).astype(np.uint32)
            if bits_of(element) == 6:
                x = module.bitcast(x, shape, "f32", shape, "ui32")
                patterns = values(element, patterns.astype(np.uint8)).astype(np.float32).view(np.uint32)
            else:
                x = module.convert(x, shape, "ui8", "ui32")
            x = module.op("stablehlo.reshape %s : (%s) -> %s" % (x, module.type(shape, "ui32"), module.type(grid, "ui32")))
            x = module.op("stablehlo.multiply %s, %s : %s" % (x, weight, module.type(grid, "ui32")))
            x = module.op("stablehlo.reduce(%s init: %s) applies stablehlo.add across dimensions = [1] : (%s, tensor<ui32>) -> %s" % (
                x, none, module.type(grid, "ui32"), module.type((rows,), "ui32")))
            sums.append(x)
            expected.append((patterns.reshape(grid).astype(np.uint64) * weights).sum(1).astype(np.uint32))
        one = module.type((rows,), "ui32")
        rowed = [module.op("stablehlo.reshape %s : (%s) -> %s" % (x, one, module.type((1, rows), "ui32"))) for x in sums]
        kinds = ", ".join([module.type((1, rows), "ui32")] * len(rowed))
        joined = module.op("stablehlo.concatenate %s, dim = 0 : (%s) -> %s" % (", ".join(rowed), kinds, module.type((len(rowed), rows), "ui32")))
        module.result(joined, "ui32", np.stack(expected))
    module.write()


def arithmetic(element):
    """All codes with some partners; what follows is on few numbers whose sums and products are exact in f32."""
    rng = np.random.default_rng(sum(element.encode()))
    n = 1 << bits_of(element)
    module = Module("narrow_" + element)
    codes = np.arange(n, dtype=np.uint8)
    # Without NaN the sign of a zero made of NaN is that of the machine's NaN.
    usable = codes if bits_of(element) == 8 else codes[values(element, codes) != 0]
    partners = codes if n <= 16 else rng.permutation(usable)[:15]
    partners = partners[np.isin(partners, usable)]
    left, right = np.repeat(codes, len(partners)), np.tile(partners, n)
    shape, ty = left.shape, module.type(left.shape, element)
    a, b = module.argument(element, left), module.argument(element, right)
    x, y = values(element, left), values(element, right)
    nan = np.isnan(x) | np.isnan(y)

    def extremum(least):
        value = np.where(nan, np.nan, np.minimum(x, y) if least else np.maximum(x, y))
        signs = (np.signbit(x) | np.signbit(y)) if least else (np.signbit(x) & np.signbit(y))
        return np.where((x == 0) & (y == 0), np.where(signs, -0.0, 0.0), value)

    for name, value in (("add", x + y), ("subtract", x - y), ("multiply", x * y), ("divide", x / y),
                        ("maximum", extremum(False)), ("minimum", extremum(True))):
        small_result(module, module.op("stablehlo.%s %s, %s : %s" % (name, a, b, ty)), element, rounded(element, value))
    truths = {"EQ": x == y, "NE": x != y, "LT": x < y, "LE": x <= y, "GT": x > y, "GE": x >= y}
    less = None
    for direction, truth in truths.items():
        c = module.op("stablehlo.compare %s, %s, %s : (%s, %s) -> %s" % (direction, a, b, ty, ty, module.type(shape, "i1")))
        module.result(c, "i1", truth)
        less = c if direction == "LT" else less
    chosen = module.op("stablehlo.select %s, %s, %s : (%s, %s, %s) -> %s" % (less, a, b, module.type(shape, "i1"), ty, ty, ty))
    small_result(module, chosen, element, np.where(truths["LT"], left, right))

    one = module.argument(element, codes)
    z, of = values(element, codes), module.type((n,), element)
    for name, value in (("negate", -z), ("abs", np.abs(z)), ("sign", np.where(z == 0, z, np.sign(z))), ("floor", np.floor(z)),
                        ("ceil", np.ceil(z)), ("round_nearest_even", np.rint(z))):
        small_result(module, module.op("stablehlo.%s %s : %s" % (name, one, of)), element, rounded(element, value))
    if bits_of(element) == 8:
        root = module.op("stablehlo.sqrt %s : %s" % (one, of))
        small_result(module, root, element, rounded(element, np.sqrt(z)))
        back = module.bitcast(one, (n,), element, (n,), "ui8")
        module.result(back, "ui8", codes)
    finite = module.op("stablehlo.is_finite %s : (%s) -> %s" % (one, of, module.type((n,), "i1")))
    module.result(finite, "i1", np.isfinite(z))
    for kind, wide in WIDE.items():
        module.result(module.convert(one, (n,), element, kind), kind, odd(z).astype(wide) if kind != "f64" else z)
    for kind, (bits, signed) in INTS.items():
        low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
        whole = [0 if np.isnan(v) else low if v < low else high if v > high else int(v) for v in map(float, z)]
        module.result(module.convert(one, (n,), element, kind), kind, np.array(whole, numpy_type(kind)))
    module.result(module.convert(one, (n,), element, "i1"), "i1", z != 0)
    for other in FLOATS:
        lost = np.isnan(z) & (bits_of(other) < 8)
        if other != element and not lost.any():
            small_result(module, module.convert(one, (n,), element, other), other, rounded(other, z))
    reverse = module.op("stablehlo.reverse %s, dims = [0] : %s" % (one, of))
    small_result(module, reverse, element, codes[::-1])
    products(module, element, rng)
    module.write()


def products(module, element, rng):
    """Reductions, products, a convolution, a sort and padding of numbers of few bits."""
    power = element == "f8E8M0FNU"
    draw = (lambda *s: 2.0 ** rng.integers(-3, 4, s)) if power else (lambda *s: rng.integers(-12, 13, s) / 4.0)
    left, right = rounded(element, draw(5, 19)), rounded(element, draw(19, 7))
    a, b = module.argument(element, left), module.argument(element, right)
    x, y = values(element, left), values(element, right)
    ta, tb = module.type(left.shape, element), module.type(right.shape, element)
    for kind in ("f32", "bf16", element):
        dot = module.op("stablehlo.dot_general %s, %s, contracting_dims = [1] x [0] : (%s, %s) -> %s" % (
            a, b, ta, tb, module.type((5, 7), kind)))
        if kind == element:
            small_result(module, dot, element, rounded(element, x @ y))
        else:
            module.result(dot, kind, (x @ y).astype(WIDE[kind]))
    zero = 1.0 if power else 0.0
    init = module.constant(element, (), "%.1f" % zero)
    for combiner, value in (("add", x.sum(1) + zero), ("maximum", np.maximum(x.max(1), zero)), ("minimum", np.minimum(x.min(1), zero))):
        folded = module.op("stablehlo.reduce(%s init: %s) applies stablehlo.%s across dimensions = [1] : (%s, %s) -> %s" % (
            a, init, combiner, ta, module.type((), element), module.type((5,), element)))
        small_result(module, folded, element, rounded(element, value))
    scalar = module.type((), element)
    ordered = module.op(
        '"stablehlo.sort"(%s) ({^bb0(%%x: %s, %%y: %s): %%q = stablehlo.compare GT, %%x, %%y : (%s, %s) -> tensor<i1> '
        "stablehlo.return %%q : tensor<i1>}) {dimension = 1 : i64} : (%s) -> %s" % (a, scalar, scalar, scalar, scalar, ta, ta))
    small_result(module, ordered, element, np.take_along_axis(left, np.argsort(-x, axis=1, kind="stable"), 1))
    edge = module.constant(element, (), "2.0")
    padded = module.op("stablehlo.pad %s, %s, low = [1, 0], high = [0, 2], interior = [0, 1] : (%s, %s) -> %s" % (
        a, edge, ta, scalar, module.type((6, 39), element)))
    grown = np.full((6, 39), rounded(element, np.array(2.0)), np.uint8)
    grown[1:, 0:37:2] = left
    small_result(module, padded, element, grown)
    image, kernel = rounded(element, draw(1, 9, 3)), rounded(element, draw(3, 3, 4))
    c, k = module.argument(element, image), module.argument(element, kernel)
    u, w = np.pad(values(element, image), ((0, 0), (1, 1), (0, 0))), values(element, kernel)
    expected = sum(u[:, t : t + 9] @ w[t] for t in range(3))
    convolved = module.op(
        "stablehlo.convolution(%s, %s) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]} "
        "{batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (%s, %s) -> %s" % (
            c, k, module.type(image.shape, element), module.type(kernel.shape, element), module.type((1, 9, 4), "f32")))
    module.result(convolved, "f32", expected.astype(np.float32))


def pairings():
    """Products large enough for matrix instructions: both formats of each encoding in every pairing, as they are and as f16 or bf16."""
    module, rng = Module("narrow_pairings"), np.random.default_rng(19)
    m, n, k = 33, 29, 70
    for encoding in (("f8E4M3FN", "f8E5M2"), ("f8E4M3FNUZ", "f8E5M2FNUZ")):
        sides = []
        for shape in ((m, k), (k, n)):
            # Every sum is exact in the fourteen bits that some matrix units keep.
            number = rng.integers(-4, 5, shape) / 4.0
            sides.append((number, [(e, module.argument(e, rounded(e, number))) for e in encoding]))
        expected = (sides[0][0] @ sides[1][0]).astype(np.float32)
        for a, x in sides[0][1]:
            for b, y in sides[1][1]:
                ta, tb, to = module.type((m, k), a), module.type((k, n), b), module.type((m, n), "f32")
                module.result(module.op("stablehlo.dot_general %s, %s, contracting_dims = [1] x [0] : (%s, %s) -> %s" % (x, y, ta, tb, to)), "f32", expected)
        (a, x), (b, y) = sides[0][1][0], sides[1][1][1]
        for wide in ("f16", "bf16"):
            u, v = module.convert(x, (m, k), a, wide), module.convert(y, (k, n), b, wide)
            ta, tb, to = module.type((m, k), wide), module.type((k, n), wide), module.type((m, n), "f32")
            module.result(module.op("stablehlo.dot_general %s, %s, contracting_dims = [1] x [0] : (%s, %s) -> %s" % (u, v, ta, tb, to)), "f32", expected)
    module.write()


def long_products():
    """Products of two formats of tiles, rows and steps that are no multiple of any, exact in 14 bits."""
    rng = np.random.default_rng(83)
    module = Module("narrow_products")
    for left, right, transposed in (("f8E4M3FN", "f8E5M2", True), ("f8E5M2", "f8E5M2", False), ("f8E4M3FN", "f8E4M3FN", True)):
        x = rounded(left, rng.integers(-8, 9, (33, 201)) / 4.0)
        y = rounded(right, rng.integers(-8, 9, (201, 41)) / 4.0)
        product = values(left, x) @ values(right, y)
        given = np.ascontiguousarray(y.T) if transposed else y
        a, b = module.argument(left, x), module.argument(right, given)
        dot = module.op("stablehlo.dot_general %s, %s, contracting_dims = [1] x [%d] : (%s, %s) -> %s" % (
            a, b, int(transposed), module.type(x.shape, left), module.type(given.shape, right), module.type(product.shape, "f32")))
        module.result(dot, "f32", product.astype(np.float32))
    module.write()


def integers(element):
    bits, signed = INTS[element]
    low = -(1 << (bits - 1)) if signed else 0
    n, count = 1 << bits, 1 << (2 * bits)
    numbers = np.arange(low, low + n)
    left, right = np.repeat(numbers, n), np.tile(numbers, n)

    def wrap(v, to=element):
        width, negative = INTS[to]
        least = -(1 << (width - 1)) if negative else 0
        return (int(v) - least) % (1 << width) + least

    def low_bits(v):
        return int(v) & (n - 1)

    def sign_extended(v):
        return (int(v) + n // 2) % n - n // 2

    def divide(x, y):
        return -1 if y == 0 else abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)

    def power(x, y):
        return x**y if y >= 0 else 1 if x == 1 else (-1) ** (y % 2) if x == -1 else 0

    binary = {
        "add": lambda x, y: x + y, "subtract": lambda x, y: x - y, "multiply": lambda x, y: x * y, "divide": divide,
        "remainder": lambda x, y: x if y == 0 else x - y * divide(x, y), "maximum": max, "minimum": min, "power": power,
        "and": lambda x, y: low_bits(x) & low_bits(y), "or": lambda x, y: low_bits(x) | low_bits(y),
        "xor": lambda x, y: low_bits(x) ^ low_bits(y),
        "shift_left": lambda x, y: 0 if low_bits(y) >= bits else low_bits(x) << low_bits(y),
        "shift_right_logical": lambda x, y: 0 if low_bits(y) >= bits else low_bits(x) >> low_bits(y),
        "shift_right_arithmetic": lambda x, y: sign_extended(x) >> min(low_bits(y), bits - 1),
    }
    unary = {"not": lambda x: ~x, "negate": lambda x: -x, "popcnt": lambda x: bin(low_bits(x)).count("1"),
             "count_leading_zeros": lambda x: bits - low_bits(x).bit_length()}
    if signed:
        unary.update({"abs": abs, "sign": lambda x: (x > 0) - (x < 0)})
    module, kind = Module("small_int_" + element), numpy_type(element)
    a, b = module.argument(element, left.astype(kind)), module.argument(element, right.astype(kind))
    shape, ty = (count,), module.type((count,), element)
    for name, function in binary.items():
        expected = [wrap(function(int(x), int(y))) for x, y in zip(left, right)]
        module.result(module.op("stablehlo.%s %s, %s : %s" % (name, a, b, ty)), element, np.array(expected, kind))
    for name, function in unary.items():
        module.result(module.op("stablehlo.%s %s : %s" % (name, a, ty)), element, np.array([wrap(function(int(x))) for x in left], kind))
    for direction, truth in (("EQ", left == right), ("LT", left < right), ("GE", left >= right)):
        c = module.op("stablehlo.compare %s, %s, %s : (%s, %s) -> %s" % (direction, a, b, ty, ty, module.type(shape, "i1")))
        module.result(c, "i1", truth)
    for other in INTS:
        if other != element:
            there = module.convert(a, shape, element, other)
            far = [wrap(v, other) for v in left]
            module.result(there, other, np.array(far, numpy_type(other)))
            module.result(module.convert(there, shape, other, element), element, np.array([wrap(v) for v in far], kind))
    scaled = module.convert(a, shape, element, "f32")
    module.result(scaled, "f32", left.astype(np.float32))
    factor = module.constant("f32", shape, "3.75")
    scaled = module.op("stablehlo.multiply %s, %s : %s" % (scaled, factor, module.type(shape, "f32")))
    clamped = [max(low, min(low + n - 1, int(v * 3.75))) for v in left]
    module.result(module.convert(scaled, shape, "f32", element), element, np.array(clamped, kind))
    grid, square = (n, n), right.reshape(n, n)
    of = module.type(grid, element)
    rows = module.op("stablehlo.reshape %s : (%s) -> %s" % (b, ty, of))
    for result in ("i32", element):
        dot = module.op("stablehlo.dot_general %s, %s, contracting_dims = [1] x [0] : (%s, %s) -> %s" % (rows, rows, of, of, module.type(grid, result)))
        module.result(dot, result, np.array([wrap(v, result) for v in (square @ square).ravel()], numpy_type(result)).reshape(grid))
    for combiner, init, expected in (("add", 0, left.reshape(n, n).sum(1)), ("maximum", low, square.max(0)), ("minimum", low + n - 1, square.min(0))):
        start = module.constant(element, (), str(init))
        axis, x = (1, module.op("stablehlo.reshape %s : (%s) -> %s" % (a, ty, of))) if combiner == "add" else (0, rows)
        folded = module.op("stablehlo.reduce(%s init: %s) applies stablehlo.%s across dimensions = [%d] : (%s, %s) -> %s" % (
            x, start, combiner, axis, of, module.type((), element), module.type((n,), element)))
        module.result(folded, element, np.array([wrap(v) for v in expected], kind))
    scalar = module.type((), element)
    ordered = module.op(
        '"stablehlo.sort"(%s) ({^bb0(%%x: %s, %%y: %s): %%q = stablehlo.compare GT, %%x, %%y : (%s, %s) -> tensor<i1> '
        "stablehlo.return %%q : tensor<i1>}) {dimension = 0 : i64} : (%s) -> %s" % (b, scalar, scalar, scalar, scalar, ty, ty))
    module.result(ordered, element, np.sort(right)[::-1].astype(kind))
    iota = module.op("stablehlo.iota dim = 0 : %s" % ty)
    module.result(iota, element, np.array([wrap(v) for v in range(count)], kind))
    for word in ("ui8", "ui32"):
        parts = INTS[word][0] // bits
        if count % parts:
            continue
        cut = (count // parts, parts)
        x = module.op("stablehlo.reshape %s : (%s) -> %s" % (a, ty, module.type(cut, element)))
        packed = module.bitcast(x, cut, element, cut[:1], word)
        expected = [sum(low_bits(v) << (bits * at) for at, v in enumerate(row)) for row in left.reshape(cut)]
        module.result(packed, word, np.array(expected, numpy_type(word)))
        module.result(module.bitcast(packed, cut[:1], word, cut, element), element, left.astype(kind).reshape(cut))
    module.write()


def scaling():
    """A scale is the power of two that f8E8M0FNU makes of it, then a number of the wider of the two types."""
    module = Module("narrow_scaling")
    codes = np.array([0, 1, 2, 60, 110, 119, 126, 127, 128, 131, 140, 150, 200, 253, 254, 255], np.uint8)
    powers = np.repeat(codes, 256)
    shape = powers.shape
    power = module.argument("f8E8M0FNU", powers)
    line = lambda op, x, s, kinds: module.op("arith.%s %s, %s : %s, %s to %s" % ((op, x, s) + tuple(module.type(shape, k) for k in kinds)))
    for name in ("f8E4M3FN", "f8E5M2", "f6E2M3FN", "f4E2M1FN"):
        patterns = np.tile(np.arange(256, dtype=np.uint8) % (1 << bits_of(name)), len(codes))
        x = module.argument(name, patterns)
        for kind in ("f32", "f16", "bf16"):
            wide, factor = values(name, patterns).astype(WIDE[kind]), values("f8E8M0FNU", powers).astype(WIDE[kind])
            product = wide * factor
            assert product.dtype == WIDE[kind]
            found = line("scaling_extf", x, power, (name, "f8E8M0FNU", kind))
            if kind == "bf16":
                found, product = module.convert(found, shape, kind, "f32"), product.astype(np.float32)
                kind = "f32"
            module.result(found, kind, product)
    random = np.random.default_rng(13)
    for kind, spread in (("f32", 90), ("f16", 9)):
        numbers = (random.standard_normal(shape) * 2.0 ** random.uniform(-spread, spread, shape)).astype(WIDE[kind])
        scales = np.abs(random.standard_normal(shape) * 2.0 ** random.uniform(-spread, spread, shape)).astype(WIDE[kind])
        factor = values("f8E8M0FNU", rounded("f8E8M0FNU", scales.astype(np.float64))).astype(WIDE[kind])
        x, s = module.argument(kind, numbers), module.argument(kind, scales)
        quotient = numbers / factor
        assert quotient.dtype == WIDE[kind] and not np.isnan(quotient).any()
        for name in ("f8E4M3FN", "f8E5M2", "f6E3M2FN", "f4E2M1FN"):
            found = line("scaling_truncf", x, s, (kind, kind, name))
            small_result(module, found, name, rounded(name, quotient.astype(np.float64)))
    module.write()


if __name__ == "__main__":
    conversions()
    pairings()
    for small in FLOATS:
        arithmetic(small)
    long_products()
    scaling()
    for small in ("i2", "i4", "ui2", "ui4"):
        integers(small)
