#!/usr/bin/env python3
"""Writes the cases of tests/numeric whose ops JAX does not export: modules written here, numbers by numpy and scipy.

    pip install numpy scipy jax
    python3 tests/model/export_written.py

One folder a case, as tests/model/export_goldens.py writes them: model.mlir, in_N.npy, out_N.npy, meta.json. The ops are older ones of
StableHLO (batch_norm_*, einsum, broadcast, torch_index_select), those that only bring shapes together (chlo.broadcast_*), and the
rest of CHLO, parts of real numbers, remainders of complex ones (exact fractions), states of random bits in every type (bits by XLA).
Numbers are computed in f64 and rounded once.
"""

import fractions

import numpy as np
from scipy import special

from case_folder import save

TOLERANCE = {"f64": 1e-11, "f32": 1e-5, "f16": 2e-3, "bf16": 1e-2}
TYPES = {np.dtype(np.float32): "f32", np.dtype(np.float64): "f64", np.dtype(np.int32): "i32", np.dtype(np.uint32): "ui32", np.dtype(bool): "i1",
         np.dtype(np.complex64): "complex<f32>", np.dtype(np.complex128): "complex<f64>", np.dtype(np.int64): "i64", np.dtype(np.uint64): "ui64"}


def tensor(array):
    return "tensor<%s%s>" % ("".join("%dx" % n for n in array.shape), TYPES[array.dtype])


def write(name, inputs, steps):
    """A case; a step is a line that defines %N, N its place, and the number that %N is: all of them are results."""
    inputs = [np.asarray(x) for x in inputs]
    results = [np.asarray(value) for _, values in steps for value in values]
    lines = [line for line, _ in steps]
    names, at = [], 0
    for number, (_, values) in enumerate(steps):
        names += ["%%%d" % number] if len(values) == 1 else ["%%%d#%d" % (number, i) for i in range(len(values))]
    arguments = ", ".join("%%arg%d: %s" % (i, tensor(x)) for i, x in enumerate(inputs))
    types = ", ".join(tensor(r) for r in results)
    body = "".join("    %s\n" % line for line in lines)
    text = "module @%s {\n  func.func public @main(%s) -> (%s) {\n%s    return %s : %s\n  }\n}\n" % (name, arguments, types, body, ", ".join(names), types)
    save(name, text, inputs, results, TOLERANCE)


class Steps:
    """Lines of generic form, from operands and results."""

    def __init__(self, inputs):
        self.inputs, self.steps = inputs, []

    def op(self, op, operands, *values, attributes=""):
        """Operands: numbers of arguments. The results are `values`."""
        values = [np.asarray(v) for v in values]
        taken = ", ".join(tensor(np.asarray(self.inputs[i])) for i in operands)
        given = ", ".join(tensor(v) for v in values)
        count = ":%d" % len(values) if len(values) > 1 else ""
        line = '%%%d%s = "%s"(%s)%s : (%s) -> %s' % (
            len(self.steps), count, op, ", ".join("%%arg%d" % i for i in operands), " " + attributes if attributes else "", taken,
            "(%s)" % given if len(values) > 1 else given)
        self.steps.append((line, values))


def f32(x):
    return np.asarray(x, np.float32)


def broadcasting():
    """Shapes meet as numpy's do: 3x1 with 4, a scalar with 2x1x4."""
    random = np.random.default_rng(1)
    x, y = f32(random.uniform(0.5, 3, (3, 1))), f32(random.uniform(1.5, 4, 4))
    i, j = random.integers(-9, 9, (3, 1)).astype(np.int32), random.integers(1, 7, 4).astype(np.int32)
    p, q = random.integers(0, 2, (2, 1, 4)).astype(bool), np.array(True)
    order = f32([[0.0], [1.0], [2.0]])
    inputs = [x, y, i, j, p, q, order]
    s = Steps(inputs)
    X, Y = x.astype(np.float64), y.astype(np.float64)
    for op, value in (("add", X + Y), ("subtract", X - Y), ("multiply", X * Y), ("divide", X / Y), ("maximum", np.maximum(X, Y)), ("minimum", np.minimum(X, Y)),
                      ("power", X**Y), ("remainder", np.fmod(X, Y)), ("atan2", np.arctan2(X, Y)), ("zeta", special.zeta(Y + X * 0, 1 + X * 0))):
        if op == "zeta":
            s.op("chlo.broadcast_zeta", (1, 0), f32(special.zeta(Y, X)))
        else:
            s.op("chlo.broadcast_" + op, (0, 1), f32(value))
    s.op("chlo.broadcast_next_after", (0, 1), np.nextafter(x, y))
    s.op("chlo.broadcast_polygamma", (6, 1), f32(special.polygamma(order.astype(np.int64), Y)))
    s.op("chlo.broadcast_complex", (0, 1), (x + 1j * y).astype(np.complex64))
    for direction, value in (("EQ", x == y), ("NE", x != y), ("LT", x < y), ("GE", x >= y)):
        s.op("chlo.broadcast_compare", (0, 1), value, attributes="<{comparison_direction = #chlo<comparison_direction %s>}>" % direction)
    for op, value in (("add", i + j), ("subtract", i - j), ("multiply", i * j), ("divide", np.trunc(i / j).astype(np.int32)), ("remainder", np.fmod(i, j)),
                      ("maximum", np.maximum(i, j)), ("and", i & j), ("or", i | j), ("xor", i ^ j), ("shift_left", i << j), ("shift_right_arithmetic", i >> j),
                      ("shift_right_logical", (i.view(np.uint32) >> j.view(np.uint32)).view(np.int32))):
        s.op("chlo.broadcast_" + op, (2, 3), value)
    s.op("chlo.broadcast_and", (4, 5), p & q)
    s.op("chlo.broadcast_or", (5, 4), p | q)
    s.op("chlo.broadcast_xor", (4, 5), p ^ q)
    s.op("chlo.broadcast_select", (4, 0, 1), np.where(p, x, y))
    write("chlo_broadcast", inputs, s.steps)


def rest():
    random = np.random.default_rng(2)
    z = (random.standard_normal(7) + 1j * random.standard_normal(7)).astype(np.complex64)
    x = f32([0, -0.0, 1, -2.5, np.inf, -np.inf, np.nan])
    n, y = f32([0, 1, 2, 3, 5, 8, 1]), f32([0.3, 1, 2.5, 7, 40, 3.25, 0.75])
    inputs = [z, x, n, y]
    s = Steps(inputs)
    s.op("chlo.conj", (0,), np.conj(z))
    s.op("chlo.square", (0,), (z.astype(np.complex128) ** 2).astype(np.complex64))
    s.op("chlo.is_inf", (1,), np.isinf(x))
    s.op("chlo.is_pos_inf", (1,), np.isposinf(x))
    s.op("chlo.is_neg_inf", (1,), np.isneginf(x))
    s.op("chlo.polygamma", (2, 3), f32(special.polygamma(n.astype(np.int64), y.astype(np.float64))))
    s.op("chlo.constant_like", (3,), np.full(7, 2.5, np.float32), attributes="<{value = 2.5 : f32}>")
    s.op("chlo.constant", (), f32([[1, 2], [3, 4]]), attributes="<{value = dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>}>")
    # w of the dialect's definition: asin z = atan2(re z, re w) + i sign(im z) im w.
    kernel = '%8 = chlo._asin_acos_kernel %arg0 : tensor<7xcomplex<f32>> -> tensor<7xcomplex<f32>>'
    asin = np.arcsin(z.astype(np.complex128))
    parts = [
        (kernel, []),
        ("%9 = stablehlo.real %arg0 : (tensor<7xcomplex<f32>>) -> tensor<7xf32>", []),
        ("%10 = stablehlo.real %8 : (tensor<7xcomplex<f32>>) -> tensor<7xf32>", []),
        ("%11 = stablehlo.atan2 %9, %10 : tensor<7xf32>", [f32(asin.real)]),
        ("%12 = stablehlo.imag %8 : (tensor<7xcomplex<f32>>) -> tensor<7xf32>", [f32(np.abs(asin.imag))]),
    ]
    write("chlo_rest", inputs, s.steps + parts)


def batch_norm():
    """Over features in the middle; the gradient as the specification writes it."""
    random = np.random.default_rng(3)
    for name, kind, feature, shape in (("f32", np.float32, 1, (3, 5, 7)), ("f64", np.float64, 2, (4, 3, 6))):
        axes = tuple(d for d in range(3) if d != feature)
        x, g = random.standard_normal(shape).astype(kind), random.standard_normal(shape).astype(kind)
        scale, offset, mean = (random.standard_normal(shape[feature]).astype(kind) for _ in range(3))
        variance = random.uniform(0.5, 2, shape[feature]).astype(kind)
        inputs = [x, scale, offset, mean, variance, g]
        X, S, O, M, V, G = (a.astype(np.float64) for a in inputs)
        epsilon = float(np.float32(0.01))
        along = lambda v: v.reshape([-1 if d == feature else 1 for d in range(3)])
        attributes = "<{epsilon = 0.01 : f32, feature_index = %d : i64}>" % feature
        s = Steps(inputs)
        normal = lambda m, v: (X - along(m)) / np.sqrt(along(v) + epsilon) * along(S) + along(O)
        s.op("stablehlo.batch_norm_inference", (0, 1, 2, 3, 4), normal(M, V).astype(kind), attributes=attributes)
        m, v = X.mean(axes), X.var(axes)
        s.op("stablehlo.batch_norm_training", (0, 1, 2), normal(m, v).astype(kind), m.astype(kind), v.astype(kind), attributes=attributes)
        count = X.size // shape[feature]
        centred, deviation = X - along(M), np.sqrt(along(V) + epsilon)
        to_scale = (G * centred / deviation).sum(axes)
        inner = count * G - along(G.sum(axes)) - along((G * centred).sum(axes)) * centred / (along(V) + epsilon)
        s.op("stablehlo.batch_norm_grad", (0, 1, 3, 4, 5), (along(S) / deviation / count * inner).astype(kind), to_scale.astype(kind),
             G.sum(axes).astype(kind), attributes=attributes)
        write("batch_norm_ops_" + name, inputs, s.steps)


def older():
    random = np.random.default_rng(4)
    a, b, c = (f32(random.standard_normal(shape)) for shape in ((3, 4, 5), (3, 5, 2), (4, 5, 6)))
    rows = np.array([[2, 0], [1, 1], [0, 2]], np.int32)
    inputs = [a, b, c, rows]
    s = Steps(inputs)
    A, B = a.astype(np.float64), b.astype(np.float64)
    s.op("stablehlo.einsum", (0, 1), f32(np.einsum("bij,bjk->bik", A, B)), attributes='<{einsum_config = "bij,bjk->bik"}>')
    s.op("stablehlo.einsum", (0, 1), f32(np.einsum("bij,bjk->kb", A, B)), attributes='<{einsum_config = "bij,bjk->kb"}>')
    s.op("stablehlo.unary_einsum", (0,), f32(np.einsum("bij->jb", A)), attributes='<{einsum_config = "bij->jb"}>')
    s.op("stablehlo.broadcast", (1,), np.broadcast_to(b, (2, 1, 3, 5, 2)), attributes="<{broadcast_sizes = array<i64: 2, 1>}>")
    s.op("stablehlo.torch_index_select", (2, 3), np.take(c, rows, axis=1), attributes="<{batch_dims = 0 : i64, dim = 1 : i64}>")
    s.op("stablehlo.torch_index_select", (0, 3), np.stack([np.take(a[i], rows[i], axis=0) for i in range(3)]), attributes="<{batch_dims = 1 : i64, dim = 1 : i64}>")
    s.op("stablehlo.logistic", (0,), f32(1 / (1 + np.exp(-A))))
    write("older_ops", inputs, s.steps)


def own_rows():
    """Numbers that are made beside a sum and have one for each of its rows."""
    random = np.random.default_rng(5)
    x, v, w = f32(random.standard_normal((1, 5, 7))), random.integers(0, 50, 7).astype(np.int32), np.array(6, np.int32)
    numbers = v % w
    same = np.arange(5, dtype=np.int32)[None, :, None] == numbers
    chosen = np.where(same, x, 0).astype(np.float32)
    write("rows_with_own_numbers", [x, v, w], [
        ("%0 = stablehlo.iota dim = 1 : tensor<1x5x7xi32>", [np.broadcast_to(np.arange(5, dtype=np.int32)[None, :, None], (1, 5, 7))]),
        ("%1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<i32>) -> tensor<7xi32>", [np.full(7, 6, np.int32)]),
        ("%2 = stablehlo.remainder %arg1, %1 : tensor<7xi32>", [numbers]),
        ("%3 = stablehlo.broadcast_in_dim %2, dims = [2] : (tensor<7xi32>) -> tensor<1x5x7xi32>", [np.broadcast_to(numbers, (1, 5, 7))]),
        ("%4 = stablehlo.compare EQ, %0, %3 : (tensor<1x5x7xi32>, tensor<1x5x7xi32>) -> tensor<1x5x7xi1>", [same]),
        ("%5 = stablehlo.constant dense<0.0> : tensor<1x5x7xf32>", [np.zeros((1, 5, 7), np.float32)]),
        ("%6 = stablehlo.select %4, %arg0, %5 : tensor<1x5x7xi1>, tensor<1x5x7xf32>", [chosen]),
        ("%7 = stablehlo.constant dense<0.0> : tensor<f32>", [np.zeros((), np.float32)]),
        ("%8 = stablehlo.reduce(%6 init: %7) applies stablehlo.add across dimensions = [1] : (tensor<1x5x7xf32>, tensor<f32>) -> tensor<1x7xf32>", [chosen.sum(1)]),
    ])


def parts_of_reals():
    x = f32([0.0, -0.0, 1.5, np.inf, -np.inf, np.nan, -3.25])
    s = Steps([x])
    s.op("stablehlo.real", (0,), x)
    s.op("stablehlo.imag", (0,), np.zeros(7, np.float32))
    write("parts_of_reals", [x], s.steps)


def complex_remainders():
    """a - t*b in exact fractions, t the quotient with the fractions of both parts cut off."""
    random = np.random.default_rng(6)
    numbers = lambda n, scale, kind: ((random.standard_normal(n) + 1j * random.standard_normal(n)) * scale).astype(kind)

    def remainder(a, b):
        re, im, c, d = (fractions.Fraction(float(v)) for v in (a.real, a.imag, b.real, b.imag))
        size = c * c + d * d
        p, q = int((re * c + im * d) / size), int((im * c - re * d) / size)
        return complex(float(re - (p * c - q * d)), float(im - (p * d + q * c)))

    for name, kind in (("complex64", np.complex64), ("complex128", np.complex128)):
        a, b = numbers(60, 40, kind), numbers(60, 3, kind)
        # Real numbers, and whole ones of Gauss.
        a[:10], b[:10] = np.arange(-5, 5) * 7.25, 2.5
        a[10:20], b[10:20] = np.arange(10) * 3 - 7j, 2 + 1j
        value = np.array([remainder(x, y) for x, y in zip(a, b)], kind)
        s = Steps([a, b])
        s.op("stablehlo.remainder", (0, 1), value)
        write("remainder_" + name, [a, b], s.steps)


def random_states():
    """Bits of one state, given as words of 64 or 32 bits, signed or not."""
    import jax

    jax.config.update("jax_enable_x64", True)
    state = np.array([0x89ABCDEF01234567, 0xFFFFFFFFFFFFFFFE], np.uint64)
    inputs = [state.view(kind) for kind in (np.uint64, np.int64, np.uint32, np.int32)]
    s = Steps(inputs)
    for number, (algorithm, given) in enumerate((("THREE_FRY", jax.lax.RandomAlgorithm.RNG_THREE_FRY), ("PHILOX", jax.lax.RandomAlgorithm.RNG_PHILOX))):
        after, bits = jax.lax.rng_bit_generator(jax.numpy.asarray(state), (3, 7), np.uint32, algorithm=given)
        for at, x in enumerate(inputs):
            attributes = "<{rng_algorithm = #stablehlo<rng_algorithm %s>}>" % algorithm
            s.op("stablehlo.rng_bit_generator", (at,), np.asarray(after).view(x.dtype), np.asarray(bits), attributes=attributes)
    write("random_states", inputs, s.steps)


parts_of_reals()
complex_remainders()
random_states()
broadcasting()
rest()
batch_norm()
older()
own_rows()
