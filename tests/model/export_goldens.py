#!/usr/bin/env python3
"""Writes tests/numeric: models and single ops with inputs and the outputs JAX gives on the CPU.

    pip install jax==0.10.2 numpy ml_dtypes
    python tests/model/export_goldens.py [NAME-PART...]

One folder a case: model.mlir (StableHLO text), in_N.npy, out_N.npy, meta.json. A result is right when
|found - expected| <= tolerance * max(1, |expected|), the tolerance by element type in meta.json; integers and truth
values must be equal. Functions of one or two floats are computed in f64 and rounded once, so that the expected values
are better than any implementation. Denormals are left out: XLA flushes them on the CPU.
The inputs come from fixed seeds. The cases are small; together they stay below 15 MB.
"""

import itertools
import json
import os
import pathlib
import shutil
import sys

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = "--xla_allow_excess_precision=false"

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

jax.config.update("jax_enable_x64", True)

OUT = pathlib.Path(__file__).resolve().parent.parent / "numeric"
DTYPES = {
    "f64": jnp.float64, "f32": jnp.float32, "f16": jnp.float16, "bf16": jnp.bfloat16, "i1": jnp.bool_,
    "i8": jnp.int8, "i16": jnp.int16, "i32": jnp.int32, "i64": jnp.int64,
    "ui8": jnp.uint8, "ui16": jnp.uint16, "ui32": jnp.uint32, "ui64": jnp.uint64,
}
FLOATS = ("f64", "f32", "f16", "bf16")
INTS = ("i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64")
TOLERANCE = {"f64": 1e-11, "f32": 1e-5, "f16": 2e-3, "bf16": 1e-2}
# Whole models round in between.
LOOSE = {"f64": 1e-10, "f32": 5e-5, "f16": 1e-2, "bf16": 5e-2}

cases = {}


def case(name, function, *inputs, tolerance=None, exact=None):
    """`exact`: the function to compute the expected outputs with, if it is not the model itself."""
    assert name not in cases, name
    cases[name] = (function, inputs, {**TOLERANCE, **(tolerance or {})}, exact)


def rng(name):
    return np.random.default_rng(sum(name.encode()))


def normal(name, *shape, dtype="f32", scale=1.0):
    return np.asarray(jnp.asarray(rng(name).standard_normal(shape) * scale, DTYPES[dtype]))


def whole(name, *shape, dtype="i32", low=-9, high=10):
    return rng(name).integers(low, high, shape).astype(DTYPES[dtype])


# Models -------------------------------------------------------------------------------------------------------------


def softmax(x):
    return jax.nn.softmax(x, axis=-1)


def layernorm(x, scale, offset):
    x32 = x.astype(jnp.promote_types(x.dtype, jnp.float32))
    mean = x32.mean(-1, keepdims=True)
    variance = ((x32 - mean) ** 2).mean(-1, keepdims=True)
    return ((x32 - mean) * lax.rsqrt(variance + 1e-5) * scale + offset).astype(x.dtype)


def rmsnorm(x, scale):
    x32 = x.astype(jnp.promote_types(x.dtype, jnp.float32))
    return (x32 * lax.rsqrt((x32 * x32).mean(-1, keepdims=True) + 1e-6)).astype(x.dtype) * scale


def gelu_mlp(x, w1, b1, w2, b2):
    return jax.nn.gelu(x @ w1 + b1, approximate=False) @ w2 + b2


def tanh_mlp(x, w1, b1, w2, b2):
    return jax.nn.gelu(x @ w1 + b1, approximate=True) @ w2 + b2


def attention(x, wq, wk, wv, wo):
    q, k, v = (jnp.einsum("bsd,dhe->bhse", x, w) for w in (wq, wk, wv))
    scores = jnp.einsum("bhse,bhte->bhst", q, k) * np.asarray(q.shape[-1] ** -0.5, x.dtype)
    scores = jnp.where(jnp.tril(jnp.ones(scores.shape[-2:], bool)), scores, -jnp.inf)
    mixed = jnp.einsum("bhst,bhte->bhse", jax.nn.softmax(scores, axis=-1), v)
    return jnp.einsum("bhse,hed->bsd", mixed, wo)


def convolution(x, w, layout=("NHWC", "HWIO", "NHWC"), strides=(1, 1), padding="SAME", **options):
    return lax.conv_general_dilated(x, w, strides, padding, dimension_numbers=layout, **options)


def conv_pool(x, w1, b1, w2, b2, dense):
    y = jax.nn.relu(convolution(x, w1) + b1)
    y = lax.reduce_window(y, jnp.array(-jnp.inf, y.dtype), lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    y = jax.nn.relu(convolution(y, w2, strides=(2, 2)) + b2)
    return jax.nn.log_softmax(y.mean((1, 2)) @ dense)


def image_block(x, w1, b1, w2, w3, dense):
    """As PyTorch lays images out: channels before rows and columns; ends in sums, in tokens and in an image."""
    names = ("NCHW", "OIHW", "NCHW")
    lift = lambda t: t[None, :, None, None]
    y = jax.nn.relu(convolution(x, w1, names, strides=(2, 1), padding=((1, 1), (0, 2))) + lift(b1))
    y = lax.reduce_window(y, jnp.array(-jnp.inf, y.dtype), lax.max, (1, 1, 3, 2), (1, 1, 2, 1), ((0, 0), (0, 0), (1, 1), (0, 1)))
    z = jax.nn.silu(convolution(y, w2, names) * lift(b1) + y)
    y = jnp.concatenate([jnp.pad(y, ((0, 0), (0, 0), (0, 0), (2, 1))), jnp.pad(z, ((0, 0), (0, 0), (0, 0), (1, 2)))[:, ::1]], axis=1)[:, :, 1:]
    tokens = y.reshape(*y.shape[:2], -1).transpose(0, 2, 1)
    groups = y.reshape(y.shape[0], 4, -1)
    normal = ((groups - groups.mean(-1, keepdims=True)) * lax.rsqrt(groups.var(-1, keepdims=True) + np.asarray(0.1, y.dtype))).reshape(y.shape)
    return tokens, y.mean((2, 3)) @ dense, convolution(normal, w3, names, feature_group_count=y.shape[1])


def batch_norm(x, scale, offset, mean, variance):
    return (x - mean) * lax.rsqrt(variance + np.asarray(1e-3, x.dtype)) * scale + offset


def models():
    case("sin2x1_square", lambda x: jnp.sin(x * 2 + 1), normal("s", 96, 96))
    case("sin2x1_odd", lambda x: jnp.sin(x * 2 + 1), normal("t", 101, 39))
    for dtype in FLOATS:
        def n(name, *shape, scale=1.0, dtype=dtype):
            return normal(name, *shape, dtype=dtype, scale=scale)

        loose = {"tolerance": LOOSE}
        case(f"softmax_{dtype}", softmax, n("x", 6, 133))
        case(f"layernorm_{dtype}", layernorm, n("x", 3, 5, 65), n("a", 65), n("b", 65), **loose)
        case(f"rmsnorm_{dtype}", rmsnorm, n("x", 7, 64), n("a", 64), **loose)
        weights = (n("w", 24, 40, scale=0.2), n("b", 40), n("v", 40, 10, scale=0.2), n("c", 10))
        case(f"gelu_mlp_{dtype}", gelu_mlp, n("x", 9, 24), *weights, **loose)
        heads = [n(name, 16, 2, 8, scale=0.3) for name in "qkv"]
        case(f"attention_{dtype}", attention, n("x", 2, 11, 16), *heads, n("o", 2, 8, 16, scale=0.3), **loose)
        net = (n("w", 3, 3, 3, 8, scale=0.3), n("b", 8), n("v", 3, 3, 8, 12, scale=0.2), n("c", 12), n("d", 12, 5, scale=0.5))
        case(f"conv_pool_{dtype}", conv_pool, n("x", 2, 11, 9, 3), *net, **loose)
    weights = (normal("w", 24, 40, scale=0.2), normal("b", 40), normal("v", 40, 10, scale=0.2), normal("c", 10))
    case("tanh_mlp_f32", tanh_mlp, normal("x", 9, 24), *weights)
    case("mlp_constants", lambda x: gelu_mlp(x, *weights), normal("x", 5, 24), tolerance=LOOSE)
    case("softmax_columns", lambda x: jax.nn.softmax(x, axis=0), normal("x", 37, 21))
    case("softmax_masked", lambda x: softmax(jnp.where(x > 0, x, -1e30)), normal("x", 5, 1000))
    case("log_softmax", lambda x: jax.nn.log_softmax(x, axis=-1), normal("x", 4, 77, scale=5))
    case("logsumexp", lambda x: jax.scipy.special.logsumexp(x, axis=(0, 2)), normal("x", 5, 6, 7, scale=3))
    per_channel = [abs(normal(name, 6)) for name in "somv"]
    case("batch_norm", batch_norm, normal("x", 2, 5, 5, 6), *per_channel)
    case("embedding", lambda t, i: t[i] + jnp.arange(8, dtype=t.dtype), normal("t", 31, 8), whole("i", 3, 7, low=0, high=31))
    case("squeeze_excite", squeeze_excite, normal("x", 2, 7, 7, 8), normal("a", 8, 3), normal("b", 3, 8), tolerance=LOOSE)
    case("lstm_cell", lstm_cell, *[normal(str(k), *s) for k, s in enumerate([(4, 6), (4, 5), (4, 5), (11, 20), (20,)])], tolerance=LOOSE)


# Rows: several reductions in one kernel ----------------------------------------------------------------------------

LENGTHS = (1, 7, 33, 129, 1000, 1023)


def with_edges(x):
    """Rows with NaN, infinities, and nothing but -inf."""
    x = np.array(x)
    x[1, 0], x[2, -1], x[3, 0], x[4, :] = np.nan, np.inf, -np.inf, -np.inf
    return x


def flax_layernorm(x, scale, offset):
    """Both moments at once, as flax has it, and the statistics returned."""
    x32 = x.astype(jnp.promote_types(x.dtype, jnp.float32))
    mean, square = x32.mean(-1), (x32 * x32).mean(-1)
    variance = jnp.maximum(0.0, square - mean * mean)
    y = (x32 - mean[..., None]) * (lax.rsqrt(variance + 1e-6)[..., None] * scale) + offset
    return y.astype(x.dtype), mean, variance


def residual_layernorm(x, y, scale, offset):
    total = x + y
    return total, layernorm(total, scale, offset)


def group_norm(x, groups):
    n, h, w, c = x.shape
    g = x.reshape(n, h, w, groups, c // groups)
    mean = g.mean((1, 2, 4), keepdims=True)
    variance = ((g - mean) ** 2).mean((1, 2, 4), keepdims=True)
    return ((g - mean) * lax.rsqrt(variance + 1e-5)).reshape(n, h, w, c)


def unit_length(x):
    return x / jnp.sqrt((x * x).sum(-1, keepdims=True)), x / jnp.abs(x).max(-1, keepdims=True)


def argmax_share(x):
    at = x.argmax(-1)
    best = jnp.max(x, -1, keepdims=True)
    return at, jnp.where(x == best, x - x.mean(-1, keepdims=True), 0)


def masked_softmax(x, mask):
    x32 = jnp.where(mask, x.astype(jnp.promote_types(x.dtype, jnp.float32)) * 0.125, -jnp.inf)
    return jax.nn.softmax(x32, axis=-1).astype(x.dtype)


def entropy(x):
    p = jax.nn.softmax(x, axis=-1)
    return -(p * jnp.log(p + 1e-9)).sum(-1), p


def each(function):
    return lambda *xs: tuple(jax.tree.leaves([function(x) for x in xs]))


def rows():
    loose = {"tolerance": LOOSE}
    for dtype in FLOATS:
        def n(name, *shape, scale=1.0, dtype=dtype):
            return normal(name, *shape, dtype=dtype, scale=scale)

        lengths = LENGTHS if dtype in ("f32", "bf16") else LENGTHS[1:4]
        case(f"row_softmax_{dtype}", each(softmax), *[n(str(k), 5, k, scale=3) for k in lengths])
        case(f"row_norms_{dtype}", each(unit_length), *[n(str(k), 3, k) for k in lengths[1:]], **loose)
        case(f"row_layernorm_{dtype}", layernorm, n("x", 9, 130), n("a", 130), n("b", 130), **loose)
        case(f"row_flax_layernorm_{dtype}", flax_layernorm, n("x", 3, 7, 96), n("a", 96), n("b", 96), **loose)
        case(f"row_residual_{dtype}", residual_layernorm, n("x", 11, 72), n("y", 11, 72), n("a", 72), n("b", 72), **loose)
        case(f"row_masked_{dtype}", masked_softmax, n("x", 2, 3, 9, 40, scale=4), np.tril(np.ones((9, 40), bool), 3))
    case("row_softmax_long", each(softmax), normal("x", 2, 5003, scale=4), normal("y", 1, 40000, scale=4))
    case("row_edges", each(softmax), with_edges(normal("x", 6, 33)), with_edges(normal("y", 6, 1000)))
    case("row_edges_logsumexp", each(lambda x: jax.nn.logsumexp(x, axis=-1)), with_edges(normal("x", 6, 129)))
    case("row_log_softmax", each(lambda x: jax.nn.log_softmax(x, axis=-1)), *[normal(str(k), 4, k, scale=5) for k in LENGTHS])
    case("row_columns", lambda x: (jax.nn.softmax(x, axis=1), layernorm(x.swapaxes(1, 2), 1.0, 0.0)), normal("x", 3, 67, 36))
    case("row_columns_odd", lambda x: jax.nn.softmax(x, axis=0), normal("x", 129, 7, scale=3))
    case("row_any_axes", lambda x: jax.nn.softmax(x, axis=(0, 2)), normal("x", 5, 6, 7, scale=3))
    case("row_group_norm", lambda x: group_norm(x, 4), normal("x", 2, 5, 7, 12), **loose)
    case("row_all", lambda x: (x - x.mean()) / x.std(), normal("x", 37, 29), **loose)
    case("row_argmax", argmax_share, normal("x", 13, 77))
    case("row_entropy", entropy, normal("x", 6, 200, scale=3), **loose)
    case("row_two_axes", lambda x: jax.nn.softmax(x, axis=0) + jax.nn.softmax(x, axis=1), normal("x", 21, 34))
    case("row_variance", lambda x: (x.mean(-1), x.var(-1), x.std(0)), normal("x", 19, 45))
    case("row_i32", lambda x: (x - x.min(-1, keepdims=True)) * x.max(-1, keepdims=True), whole("x", 6, 51))


def squeeze_excite(x, a, b):
    gate = jax.nn.sigmoid(jax.nn.silu(x.mean((1, 2)) @ a) @ b)
    return x * gate[:, None, None, :]


def lstm_cell(x, h, c, w, b):
    i, f, g, o = jnp.split(jnp.concatenate([x, h], -1) @ w + b, 4, axis=-1)
    c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
    return jax.nn.sigmoid(o) * jnp.tanh(c), c


# Elementwise --------------------------------------------------------------------------------------------------------

UNARY = {
    "exponential": (lax.exp, lax.expm1, lax.logistic),
    "logarithm": (lax.log, lax.log1p),
    "trigonometric": (lax.sin, lax.cos, lax.tan),
    "hyperbolic": (lax.tanh, lax.sinh, lax.cosh),
    "inverse": (lax.asin, lax.acos, lax.atan, lax.asinh, lax.acosh, lax.atanh),
    "roots": (lax.sqrt, lax.rsqrt, lax.cbrt),
    "error_function": (lax.erf, lax.erfc, lax.erf_inv),
    "rounding": (lax.floor, lax.ceil, lambda x: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN),
                 lambda x: lax.round(x, lax.RoundingMethod.AWAY_FROM_ZERO), lax.sign, lax.abs, lax.neg),
}


def float_edges(dtype):
    info = jnp.finfo(DTYPES[dtype])
    tiny, largest = float(info.tiny), float(info.max)
    values = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.0, 0.49999, 0.25, -0.75, 1e-3, -1e-3, 7.25, -7.25, 20.0, -20.0,
              88.0, -88.0, 100.0, -100.0, 1000.5, 4 * tiny, -4 * tiny, largest, -largest, np.inf, -np.inf, np.nan]
    values += list(rng(dtype).standard_normal(40) * 3)
    return np.asarray(jnp.asarray(values, DTYPES[dtype]))


def in_f64(function, dtype):
    """The function with one rounding, from f64."""
    def exact(*args):
        results = function(*[a.astype(jnp.float64) if jnp.issubdtype(a.dtype, jnp.floating) else a for a in args])
        return jax.tree.map(lambda r: r.astype(DTYPES[dtype]) if r.dtype == jnp.float64 else r, results)

    return exact


def all_of(functions):
    return lambda *args: tuple(f(*args) for f in functions)


def elementwise():
    for dtype, (group, functions) in itertools.product(FLOATS, UNARY.items()):
        function = all_of(functions)
        case(f"{group}_{dtype}", function, float_edges(dtype), exact=in_f64(function, dtype))
    compare = (lax.eq, lax.ne, lax.lt, lax.le, lax.gt, lax.ge)
    for dtype in FLOATS:
        edges = float_edges(dtype)[:36]
        pairs = np.meshgrid(edges, edges, indexing="ij")
        arithmetic = all_of((lax.add, lax.sub, lax.mul, lax.max, lax.min))
        case(f"arithmetic_{dtype}", arithmetic, *pairs, exact=in_f64(arithmetic, dtype))
        division = all_of((lax.div, lax.rem))
        near = float_edges(dtype)[:24]
        case(f"division_{dtype}", division, *np.meshgrid(near, near, indexing="ij"), exact=in_f64(division, dtype))
        case(f"atan2_{dtype}", lax.atan2, *pairs, exact=in_f64(lax.atan2, dtype))
        case(f"compare_{dtype}", all_of(compare), *pairs)
        powers = np.asarray(jnp.asarray([0.0, -0.0, 1.0, -1.0, 2.0, 3.0, -2.0, 0.5, -0.5, 1.75, np.inf, -np.inf, np.nan], DTYPES[dtype]))
        bases = np.asarray(jnp.asarray([0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.3, -0.3, 5.5, 12.0, np.inf, -np.inf, np.nan], DTYPES[dtype]))
        case(f"power_{dtype}", lax.pow, *np.meshgrid(bases, powers, indexing="ij"), exact=in_f64(lax.pow, dtype))
        case(f"clamp_{dtype}", lambda x: (lax.clamp(x.dtype.type(-1), x, x.dtype.type(2)), lax.is_finite(x), jnp.where(x > 0, x, -x)), edges)
    integer_elementwise(compare)
    truth = [np.array(v) for v in zip(*itertools.product([False, True], repeat=3))]
    case("truth_values", lambda a, b, c: (a & b, a | b, a ^ b, ~a, jnp.where(a, b, c), a == b, a < b), *truth)
    case("activations", lambda x: (jax.nn.softplus(x), jax.nn.silu(x), jax.nn.elu(x), jax.nn.relu6(x), jax.nn.leaky_relu(x), jax.nn.hard_swish(x)), float_edges("f32")[:20])
    case("reduce_precision", lambda x: (lax.reduce_precision(x, 8, 7), lax.reduce_precision(x, 5, 10)), float_edges("f32"))
    case("integer_powers", lambda x: (x**2, x**3, x**-1, x**7), normal("x", 50))


def integer_edges(dtype):
    info = jnp.iinfo(DTYPES[dtype])
    small = [0, 1, 2, 3, 5, 7, 31, 100] + ([-1, -2, -3, -100] if info.min < 0 else [])
    return np.array(small + [info.min, info.min + 1, info.max, info.max - 1], DTYPES[dtype])


def integer_elementwise(compare):
    for dtype in INTS:
        edges = integer_edges(dtype)
        pairs = np.meshgrid(edges, edges, indexing="ij")
        case(f"integer_arithmetic_{dtype}", all_of((lax.add, lax.sub, lax.mul, lax.div, lax.rem, lax.max, lax.min)), *pairs)
        case(f"integer_bits_{dtype}", all_of((lax.bitwise_and, lax.bitwise_or, lax.bitwise_xor)), *pairs)
        shifts = np.array([0, 1, 3, 7, 8, 15, 31, 33, 63, 64, 100], DTYPES[dtype])
        shift = all_of((lax.shift_left, lax.shift_right_logical, lax.shift_right_arithmetic))
        case(f"integer_shifts_{dtype}", shift, *np.meshgrid(edges, shifts, indexing="ij"))
        case(f"integer_compare_{dtype}", all_of(compare), *pairs)
        unary = [lax.bitwise_not, lax.population_count, lax.clz, lax.sign] + ([lax.neg, lax.abs] if dtype[0] == "i" else [])
        case(f"integer_unary_{dtype}", all_of(unary), edges)


def converts():
    for source in DTYPES:
        if source in FLOATS:
            x = np.asarray(jnp.asarray([0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -1.99, 100.7, 127.0, 128.0, -128.0, -129.0, 255.0, 256.0, 32767.0, 65504.0,
                                        65519.0, 65520.0, -70000.0, 3e9, -3e9, 1e19, 2e19, -1e19, 3e38, 1e-5, 16777217.0,
                                        1.00390625, 1.01171875, np.inf, -np.inf, np.nan], jnp.float64).astype(DTYPES[source]))
        elif source == "i1":
            x = np.array([False, True])
        else:
            info = jnp.iinfo(DTYPES[source])
            extra = [v for v in (127, 128, 255, 256, 2049, 16777217, 2**53 + 1, 2**60 + 2**36 + 1, -2049) if info.min <= v <= info.max]
            x = np.concatenate([integer_edges(source), np.array(extra, DTYPES[source])])
        targets = [t for t in DTYPES if t != source]
        case(f"convert_{source}", lambda x, targets=targets: tuple(x.astype(DTYPES[t]) for t in targets), x,
             exact=lambda x, targets=targets: tuple(lax.convert_element_type(x, DTYPES[t]) for t in targets))
    case("bitcast", lambda a, b, c, d: (lax.bitcast_convert_type(a, jnp.int32), lax.bitcast_convert_type(b, jnp.float64),
                                       lax.bitcast_convert_type(c, jnp.uint16), lax.bitcast_convert_type(d, jnp.float16)),
         normal("a", 9), rng("b").integers(0, 2**62, 9), normal("c", 9, dtype="bf16"), rng("d").integers(0, 2**15 - 2000, 9).astype(np.int16))
    case("bitcast_narrow", lambda a, b: (lax.bitcast_convert_type(a, jnp.uint8), lax.bitcast_convert_type(b, jnp.int64)),
         whole("a", 5, dtype="i32", low=-(2**30), high=2**30), whole("b", 3, 2, dtype="i32", low=-(2**30), high=2**30))


# Data movement ------------------------------------------------------------------------------------------------------


def movement():
    x3, x4 = normal("x", 5, 7, 9), normal("y", 3, 4, 5, 6)
    case("transpose", lambda x: (x.transpose(0, 2, 1), x.transpose(2, 1, 0), x.transpose(1, 0, 2)), x3)
    case("transpose_4d", lambda x: (x.transpose(0, 3, 1, 2), x.transpose(3, 1, 0, 2)), x4)
    case("transpose_i8", lambda x: x.T, whole("x", 67, 33, dtype="i8"))
    case("transpose_reshape", lambda x: x.transpose(1, 0, 2).reshape(7, 45) + 1, x3)
    case("broadcast", lambda a, b: (a[:, None] * b[None, :], jnp.broadcast_to(a, (4, 7)), a[0] + b), normal("a", 7), normal("b", 5))
    case("reshape", lambda x: (x.reshape(35, 9), x.reshape(-1), x.reshape(1, 5, 1, 63)), x3)
    case("slice", lambda x: (x[1:4], x[:, ::2, 1:9:3], x[-1], x[..., 2]), x3)
    case("reverse", lambda x: (x[::-1], x[:, ::-1, ::-1]), x3)
    case("roll", lambda x: jnp.roll(x, 3, axis=1) - x, x3)
    case("concatenate", lambda a, b, c: (jnp.concatenate([a, b, c], 0), jnp.concatenate([c * 2, a, -b], 0)), normal("a", 3, 5), normal("b", 1, 5), normal("c", 7, 5))
    case("concatenate_last", lambda a, b: jnp.concatenate([a, b, a + 1], -1), normal("a", 4, 3), normal("b", 4, 6))
    case("stack", lambda a, b: (jnp.stack([a, b]), jnp.stack([a, b], -1)), normal("a", 6), normal("b", 6))
    case("pad", lambda x: (jnp.pad(x, ((1, 2), (0, 3))), lax.pad(x, np.float32(7), ((1, 0, 2), (0, 2, 1)))), normal("x", 4, 5))
    case("pad_negative", lambda x: (lax.pad(x, np.float32(0), ((-1, 2, 0), (3, -2, 1))), lax.pad(x, np.float32(0), ((-1, -1, 0), (0, -2, 0)))), normal("x", 6, 5))
    case("pad_integers", lambda x: lax.pad(x, np.int16(-1), ((2, 1, 1),)), whole("x", 9, dtype="i16"))
    case("iota", lambda: (lax.broadcasted_iota(jnp.int32, (5, 7), 0), lax.broadcasted_iota(jnp.float32, (5, 7), 1),
                          lax.iota(jnp.uint8, 300), lax.iota(jnp.bfloat16, 300), lax.iota(jnp.int64, 3)))
    case("tile_repeat", lambda x: (jnp.tile(x, (2, 3)), jnp.repeat(x, 2, axis=0)), normal("x", 3, 4))
    case("triangle", lambda x: (jnp.tril(x), jnp.triu(x, 1), jnp.eye(6, dtype=x.dtype) @ x), normal("x", 6, 6))
    case("one_hot", lambda i: jax.nn.one_hot(i, 7, dtype=jnp.float32), whole("i", 9, low=-2, high=9))
    case("select", lambda p, a, b: (jnp.where(p, a, b), jnp.where(p[0, 0], a, b)), whole("p", 5, 6, low=0, high=2).astype(bool), normal("a", 5, 6), normal("b", 5, 6))
    starts = [np.array(v, np.int32) for v in (2, -5, 100)]
    case("dynamic_slice", lambda x, i, j, k: (lax.dynamic_slice(x, (i, j, k), (2, 3, 4)), lax.dynamic_slice(x, (k, i, j), (5, 1, 9))), x3, *starts)
    case("dynamic_update_slice", lambda x, u, i, j: (lax.dynamic_update_slice(x, u, (i, j)), lax.dynamic_update_slice(x, u, (j, i)) * 2),
         normal("x", 8, 9), normal("u", 3, 2), np.array(4, np.int32), np.array(100, np.int32))
    case("dynamic_index_i64", lambda x, i: lax.dynamic_index_in_dim(x, i, axis=1, keepdims=False), x3, np.array(3, np.int64))
    gathers(x3)


def gathers(x3):
    rows = whole("i", 11, low=0, high=5)
    case("gather_rows", lambda x, i: x[i], x3, rows)
    case("gather_columns", lambda x, i: jnp.take(x, i, axis=1), x3, whole("i", 2, 3, low=0, high=7))
    case("gather_out_of_range", lambda x, i: (jnp.take(x, i, axis=0, mode="clip"), jnp.take(x, i, axis=0, mode="fill", fill_value=-1)),
         normal("x", 5, 4), np.array([0, 4, 5, -1, 100, -6, 2], np.int32))
    case("gather_pairs", lambda x, i, j: (x[i, j], x[i, :, j], x[:, i, j]), normal("x", 5, 5, 5), rows % 5, rows[::-1] % 5)
    case("take_along_axis", lambda x, i: jnp.take_along_axis(x, i, axis=1), normal("x", 4, 9), whole("i", 4, 3, low=0, high=9))
    case("gather_ui8_indices", lambda x, i: x[i], normal("x", 300), np.array([0, 255, 17], np.uint8))
    case("gather_windows", gather_windows, normal("x", 9, 8), whole("i", 5, 2, low=0, high=6))


def gather_windows(x, i):
    numbers = lax.GatherDimensionNumbers(offset_dims=(1, 2), collapsed_slice_dims=(), start_index_map=(0, 1))
    return lax.gather(x, i, numbers, slice_sizes=(3, 2), mode=lax.GatherScatterMode.CLIP)


# Reductions and windows ---------------------------------------------------------------------------------------------


def reductions():
    x = normal("x", 7, 13, 33)
    for axes in [(2,), (1,), (0,), (0, 1), (1, 2), (0, 2), (0, 1, 2)]:
        name = "".join(map(str, axes))
        case(f"sum_{name}", lambda x, axes=axes: (x.sum(axes), x.max(axes)), x, tolerance={"f32": 3e-5})
    case("sum_long_row", lambda x: (x.sum(-1), x.min(-1)), normal("x", 3, 4099), tolerance={"f32": 1e-4})
    case("sum_long_column", lambda x: (x.sum(0), x.max(0)), normal("x", 2051, 5), tolerance={"f32": 1e-4})
    case("sum_one", lambda x: (x.sum(1), x.max(0)), normal("x", 1, 1, 5))
    case("product", lambda x: (x.prod(1), x.prod()), normal("x", 6, 9))
    for dtype in ("f64", "f16", "bf16"):
        case(f"reduce_{dtype}", lambda x: (x.sum(-1), x.max(0), x.min()), normal("x", 9, 129, dtype=dtype), tolerance=LOOSE)
    for dtype in INTS:
        x = whole("x", 5, 37, dtype=dtype, low=0, high=100)
        case(f"reduce_{dtype}", lambda x: (lax.reduce(x, np.zeros((), x.dtype), lax.add, (1,)), x.max(0), x.min(), lax.reduce(x, np.zeros((), x.dtype), lax.bitwise_xor, (0,))), x)
    truth = whole("t", 6, 9, low=0, high=5) > 0
    case("any_all", lambda t: (t.any(0), t.all(1), t.all(), t.sum(1)), truth)
    special = normal("x", 6, 20).copy()
    special[0, 3], special[1, 0], special[2, 19], special[3, 5], special[4, :] = np.nan, np.inf, -np.inf, special[3].max() + 1, 2.0
    case("argmax", lambda x: (jnp.argmax(x, 1), jnp.argmin(x, 1), jnp.argmax(x, 0), x.max(1), x.min(1)), special)
    case("argmax_i32", lambda x: (jnp.argmax(x), jnp.argmin(x, 0)), whole("x", 9, 11))
    case("mean_variance", lambda x: (x.mean((0, 1)), x.var((0, 1)), x.std(-1)), normal("x", 4, 5, 6))
    case("reduce_of_expression", lambda x, y: ((x * y + 1).sum(1), jnp.abs(x - y[None, 0]).max()), normal("x", 9, 70), normal("y", 9, 70), tolerance=LOOSE)
    case("max_of_minus_infinity", lambda x: x.max(1), np.full((3, 5), -np.inf, np.float32))
    windows()


def pool(x, init, op, window, strides, padding, **options):
    return lax.reduce_window(x, jnp.array(init, x.dtype), op, window, strides, padding, **options)


def windows():
    image = normal("x", 2, 11, 13, 3)
    inf = -np.inf
    case("max_pool_valid", lambda x: pool(x, inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"), image)
    case("max_pool_same", lambda x: pool(x, inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME"), image)
    case("max_pool_dilated", lambda x: pool(x, inf, lax.max, (1, 2, 3, 1), (1, 1, 2, 1), "VALID", window_dilation=(1, 3, 2, 1)), image)
    case("max_pool_bf16", lambda x: pool(x, inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME"), normal("x", 1, 9, 9, 4, dtype="bf16"))
    case("average_pool", average_pool, image)
    case("sum_window_base_dilated", lambda x: pool(x, 0, lax.add, (3, 2), (1, 1), ((1, 1), (0, 2)), base_dilation=(2, 1)), normal("x", 6, 7))
    case("min_pool_i32", lambda x: pool(x, 100, lax.min, (2, 3), (2, 1), "SAME"), whole("x", 7, 8))
    case("cumulative", lambda x: (jnp.cumsum(x, 0), jnp.cumsum(x, 1), lax.cummax(x, axis=1), lax.cumprod(x, axis=0, reverse=True)), normal("x", 6, 17))
    case("cumsum_i32", lambda x: lax.cumsum(x, axis=0, reverse=True), whole("x", 40))


def average_pool(x):
    ones = jnp.ones(x.shape, x.dtype)
    def total(v):
        return pool(v, 0, lax.add, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")

    return total(x) / total(ones)


# Products and convolutions ------------------------------------------------------------------------------------------


def dot(a, b, contract, batch=((), ()), **options):
    return lax.dot_general(a, b, (contract, batch), **options)


def products():
    loose = {"tolerance": LOOSE}
    for m, k, n in [(1, 1, 1), (7, 13, 5), (64, 64, 64), (33, 129, 17), (1, 100, 9), (9, 100, 1), (5, 1, 6), (130, 20, 70)]:
        case(f"dot_{m}x{k}x{n}", lambda a, b: a @ b, normal("a", m, k), normal("b", k, n), **loose)
    for a, b in itertools.product("nt", repeat=2):
        left = normal("a", 19, 23) if a == "n" else normal("a", 23, 19)
        right = normal("b", 23, 11) if b == "n" else normal("b", 11, 23)
        case(f"dot_{a}{b}", lambda x, y, c=((int(a == "n"),), (int(b == "t"),)): dot(x, y, c), left, right, **loose)
    for dtype in ("f64", "f16", "bf16"):
        case(f"dot_{dtype}", lambda a, b: a @ b, normal("a", 21, 34, dtype=dtype), normal("b", 34, 18, dtype=dtype), **loose)
    for dtype in ("f16", "bf16"):
        wide = {"preferred_element_type": jnp.float32}
        case(f"dot_{dtype}_to_f32", lambda a, b, wide=wide: dot(a, b, ((1,), (0,)), **wide), normal("a", 21, 34, dtype=dtype), normal("b", 34, 18, dtype=dtype), tolerance={"f32": 1e-4})
    case("dot_i32", lambda a, b: a @ b, whole("a", 9, 17), whole("b", 17, 8))
    case("dot_i8_to_i32", lambda a, b: dot(a, b, ((1,), (0,)), preferred_element_type=jnp.int32), whole("a", 9, 70, dtype="i8", low=-128, high=128), whole("b", 70, 8, dtype="i8", low=-128, high=128))
    # Whole blocks of contiguous steps on both sides, many rows and few.
    for dtype, wide in (("f16", jnp.float32), ("i8", jnp.int32), ("ui8", jnp.uint32)):
        values = (lambda name, *shape, dtype=dtype: normal(name, *shape, dtype=dtype)) if dtype == "f16" else (
            lambda name, *shape, dtype=dtype: whole(name, *shape, dtype=dtype, low=-128 if dtype == "i8" else 0, high=128 if dtype == "i8" else 256))
        both = lambda a, b, c, wide=wide: tuple(dot(x, b, ((1,), (1,)), preferred_element_type=wide) for x in (a, c))
        case(f"dot_words_{dtype}", both, values("a", 40, 256), values("b", 36, 256), values("c", 3, 256), tolerance={"f32": 2e-4})
    case("dot_vectors", lambda a, b, m: (a @ b, m @ a, a @ m), normal("a", 31), normal("b", 31), normal("m", 31, 31), **loose)
    case("dot_outer", lambda a, b: dot(a, b, ((), ())), normal("a", 5), normal("b", 7))
    case("dot_batch", lambda a, b: a @ b, normal("a", 3, 4, 9, 16), normal("b", 3, 4, 16, 7), **loose)
    case("dot_batch_last", lambda a, b: dot(a, b, ((0,), (1,)), ((2,), (0,))), normal("a", 11, 5, 3), normal("b", 3, 11, 6), **loose)
    case("dot_two_contractions", lambda a, b: dot(a, b, ((1, 2), (2, 0))), normal("a", 6, 5, 7), normal("b", 7, 9, 5), **loose)
    case("dot_epilogue", lambda a, b, c: jax.nn.relu(a @ b + c) * 2, normal("a", 17, 33), normal("b", 33, 20), normal("c", 20), **loose)
    case("dot_prologue", lambda a, b: (a * 2 + 1) @ jnp.tanh(b), normal("a", 17, 33), normal("b", 33, 20), **loose)
    # Tokens of images, batch second, as images with channels first.
    tokens = lambda a, w, r: ((a @ w).reshape(20, 2, 8).transpose(1, 0, 2).reshape(2, 4, 5, 8) + r).transpose(0, 3, 1, 2)
    case("dot_turned_cut", tokens, normal("a", 40, 8), normal("w", 8, 8), normal("r", 2, 4, 5, 8), **loose)
    case("einsum", lambda a, b: (jnp.einsum("bij,bkj->bki", a, b), jnp.einsum("bij,bkj->ik", a, b)), normal("a", 3, 5, 7), normal("b", 3, 4, 7), **loose)


def convolutions():
    def conv(name, x, w, tolerance=None, **options):
        case(f"conv_{name}", lambda x, w: convolution(x, w, **options), x, w, tolerance=tolerance or LOOSE)

    x, w = normal("x", 2, 9, 11, 4), normal("w", 3, 3, 4, 6, scale=0.3)
    conv("same", x, w)
    conv("valid", x, w, padding="VALID")
    conv("stride", x, w, strides=(2, 3))
    conv("padding", x, w, padding=((2, 0), (1, 3)))
    conv("negative_padding", x, w, padding=((-1, 2), (0, -2)))
    conv("dilated", x, w, rhs_dilation=(2, 3))
    conv("transposed", x, w, lhs_dilation=(2, 2), padding=((1, 2), (2, 2)))
    conv("both_dilated", x, w, lhs_dilation=(2, 1), rhs_dilation=(1, 2), strides=(1, 2), padding=((1, 1), (2, 3)))
    conv("pointwise", x, normal("w", 1, 1, 4, 7), padding="VALID")
    conv("groups", x, normal("w", 3, 3, 2, 6, scale=0.3), feature_group_count=2)
    conv("depthwise", x, normal("w", 3, 3, 1, 4), feature_group_count=4)
    conv("depthwise_stride", x, normal("w", 5, 5, 1, 8), feature_group_count=4, strides=(2, 2))
    conv("batch_groups", normal("x", 4, 7, 7, 3), normal("w", 3, 3, 3, 6), batch_group_count=2)
    for dtype in ("f32", "f16"):
        of = lambda name, *shape, scale=0.2: normal(name, *shape, scale=scale, dtype=dtype)
        case("conv_nchw_block_" + dtype, image_block, of("x", 2, 3, 13, 11, scale=1), of("w", 16, 3, 3, 3), of("b", 16), of("v", 16, 16, 3, 3), of("u", 32, 1, 3, 3),
             of("d", 32, 5), tolerance=LOOSE)
    conv("nchw", normal("x", 2, 4, 9, 11), normal("w", 6, 4, 3, 3, scale=0.3), layout=("NCHW", "OIHW", "NCHW"))
    conv("mixed_layout", normal("x", 9, 11, 2, 4), normal("w", 4, 3, 3, 6, scale=0.3), layout=("HWNC", "IHWO", "NCHW"))
    conv("1d", normal("x", 3, 30, 5), normal("w", 4, 5, 6, scale=0.3), layout=("NWC", "WIO", "NWC"), strides=(2,))
    conv("3d", normal("x", 1, 5, 6, 7, 2), normal("w", 2, 3, 2, 2, 3), layout=("NDHWC", "DHWIO", "NDHWC"), strides=(1, 1, 2))
    for dtype in ("f64", "f16", "bf16"):
        conv(dtype, normal("x", 2, 7, 7, 4, dtype=dtype), normal("w", 3, 3, 4, 5, dtype=dtype, scale=0.3))
    case("conv_bias_relu", lambda x, w, b: jax.nn.relu(convolution(x, w, strides=(2, 2)) + b), x, w, normal("b", 6), tolerance=LOOSE)


def corners():
    case("scalar", lambda x, y: (x + y, jnp.sin(x), x > y), np.float32(1.5), np.float32(-2))
    case("passed_through", lambda x, y: (y, x, x), normal("x", 3), normal("y", 2, 2))
    case("constant_results", lambda x: (np.arange(5, dtype=np.int32), np.float32(3), x + 1), normal("x", 3))
    case("empty", lambda x: (x + 1, x.sum(0), jnp.concatenate([x, jnp.ones((2, 3), x.dtype)])), np.zeros((0, 3), np.float32))
    case("unused_argument", lambda x, y: x * 2, normal("x", 3), normal("y", 4))
    case("many_results", lambda x: tuple(x * k for k in range(1, 13)), normal("x", 6))
    case("diamond", lambda x: (lambda y: (y.sum(1, keepdims=True) * y, y - y.max()))(jnp.exp(x)), normal("x", 9, 12), tolerance=LOOSE)
    case("no_arguments", lambda: jnp.sin(lax.iota(jnp.float32, 50)))
    case("rank_8", lambda x: x.transpose(7, 0, 6, 1, 5, 2, 4, 3) + 1, normal("x", 2, 1, 3, 2, 1, 2, 2, 3))
    case("chain", chain, normal("x", 64, 3), tolerance={"f32": 1e-3})  # a rounding error grows with every step


def chain(x):
    for k in range(20):
        x = jnp.sin(x) * (1 + k / 10) + x * 0.5
    return x


# Writing ------------------------------------------------------------------------------------------------------------


def write(name):
    function, inputs, tolerance, exact = cases[name]
    inputs = [np.asarray(x) for x in inputs]
    # A function that is jitted already has its own marks of arguments that it gives away.
    jitted = function if hasattr(function, "lower") else jax.jit(function, keep_unused=True)
    text = jitted.lower(*inputs).as_text()
    folder = OUT / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "model.mlir").write_text(text)
    outputs = jax.tree.leaves(jax.jit(exact or function)(*inputs))
    for stem, arrays in (("in", inputs), ("out", outputs)):
        for n, array in enumerate(arrays):
            np.save(folder / f"{stem}_{n}.npy", np.asarray(array))
    (folder / "meta.json").write_text(json.dumps({"tolerance": tolerance}) + "\n")


def sortable(name, *shape, dtype="f32", special=True):
    """Numbers with duplicates; floats with NaN, infinities and both zeros."""
    x = np.round(rng(name).standard_normal(shape) * 8)
    if special:
        flat = x.reshape(-1)
        for at, value in enumerate((np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0)):
            flat[at::37] = value
    return np.asarray(jnp.asarray(x, DTYPES[dtype]))


def orders():
    """Sorts, selections, prefix folds and scatters: short lines, odd ones, and lines that are cut into parts."""
    for n in (1, 2, 7, 33, 129, 1000, 2049, 5003):
        case(f"sort_{n}", lambda x: (jnp.sort(x, axis=1), jnp.argsort(x, axis=1)), sortable("s", 3, n))
    case("sort_columns", lambda x: jnp.sort(x, axis=0), sortable("sc", 131, 5))
    case("sort_descending", lambda x: (jnp.sort(x, descending=True), jnp.argsort(x, descending=True)), sortable("sd", 500))
    for dtype in ("f64", "f16", "bf16"):
        case(f"sort_{dtype}", lambda x: jnp.sort(x, axis=1), sortable(dtype, 4, 150, dtype=dtype))
    for dtype in ("i8", "i32", "i64", "ui8", "ui32"):
        values = np.asarray(rng(dtype).integers(0, 100, (4, 150)), DTYPES[dtype])
        case(f"sort_{dtype}", lambda x: (jnp.sort(x, axis=1), jnp.argsort(x, axis=1)), values)
    case("sort_truth", lambda x: jnp.sort(x, axis=1), rng("t").integers(0, 2, (4, 150)).astype(bool))
    lexical = [rng("lex").integers(0, 4, 3000).astype(np.int32), sortable("lex", 3000, special=False), np.arange(3000, dtype=np.int64)]
    case("sort_two_keys", lambda a, b, c: lax.sort((a, b, c), num_keys=2), *lexical)
    case("sort_unstable_keys", lambda a, b, c: lax.sort((a, c), num_keys=1), *lexical)
    case("sort_prologue", lambda x: jnp.sort(x * x + 1, axis=1) * 2, sortable("sp", 5, 300, special=False))
    case("unique_ranks", lambda x: jnp.searchsorted(jnp.sort(x), x, method="scan_unrolled"), sortable("ur", 60, special=False))
    for shape, k in (((4, 100), 1), ((4, 100), 7), ((2, 6000), 5), ((6001,), 300), ((2, 33001), 9)):
        case(f"top_{k}_of_{shape[-1]}", lambda x, k=k: lax.top_k(x, k), sortable("k", *shape, special=False))
    case("median", lambda x: jnp.median(x, axis=1), sortable("m", 5, 99, special=False))

    for n in (1, 2, 9, 100, 257, 3000):
        case(f"scan_{n}", lambda x: (jnp.cumsum(x, 1), lax.cummax(x, axis=1, reverse=True)), np.round(normal("x", 3, n) * 4))
    case("scan_columns", lambda x: (jnp.cumsum(x, 0), lax.cumprod(x, axis=0, reverse=True)), normal("x", 40, 70))
    case("scan_side", lambda x: lax.cumsum(x, axis=0, reverse=True), rng("side").integers(-9, 9, (133, 2119)).astype(np.int8))
    case("scan_middle", lambda x: lax.cummin(x, axis=1), normal("x", 5, 33, 6))
    case("scan_long", lambda x: (jnp.cumsum(x), lax.cumsum(x, reverse=True)), np.round(normal("x", 40001) * 4))
    case("scan_long_i32", lambda x: (jnp.cumsum(x, 1), lax.cummax(x, axis=1)), rng("l").integers(-9, 9, (2, 33000)).astype(np.int32))
    for dtype in ("f64", "f16", "bf16"):
        case(f"scan_{dtype}", lambda x: jnp.cumsum(x, 1), np.round(normal(dtype, 3, 70, dtype=dtype)))
    case("scan_truth", lambda x: lax.cummax(x.astype(jnp.int8), axis=1), rng("t").integers(0, 2, (4, 150)).astype(bool))
    case("scan_epilogue", lambda x, y: jnp.exp(-jnp.cumsum(x * x, 1)) + y, normal("x", 6, 90), normal("y", 6, 90))


def scatters():
    rows = lambda n, of: rng(f"r{n}").integers(-1, of + 1, n).astype(np.int32)
    case("scatter_add_rows", lambda x, i, u: x.at[i].add(u), normal("x", 20, 33), rows(50, 20), normal("u", 50, 33))
    case("scatter_add_many", lambda x, i, u: x.at[i].add(u), np.round(normal("x", 3000)), rows(5000, 3000), np.round(normal("u", 5000) * 4))
    case("scatter_set_unique", lambda x, i, u: x.at[i].set(u, unique_indices=True), normal("x", 700, 3),
         rng("p").permutation(700)[:300].astype(np.int32), normal("u", 300, 3))
    case("scatter_max", lambda x, i, u: x.at[i].max(u), normal("x", 300), rows(900, 300), normal("u", 900))
    case("scatter_multiply", lambda x, i, u: x.at[i].multiply(u), np.ones(100, np.float32), rows(60, 100), np.round(normal("u", 60) * 2) + 3)
    case("histogram", lambda i: jnp.bincount(i, length=100), rng("h").integers(0, 100, 4000).astype(np.int32))
    case("segment_sum", lambda u, i: jax.ops.segment_sum(u, i, 200), np.round(normal("u", 3000, 5) * 4), rng("i").integers(0, 200, 3000).astype(np.int32))
    case("scatter_i64", lambda x, i, u: x.at[i].min(u), rng("a").integers(-99, 99, 500), rows(2000, 500), rng("b").integers(-99, 99, 2000))
    case("scatter_windows", lambda x, i, u: x.at[i[:, 0], i[:, 1]].add(u), np.zeros((40, 50), np.float32),
         rng("w").integers(0, 40, (3000, 2)).astype(np.int32), np.round(normal("u", 3000) * 4))
    # Large enough to be done in place: integers by atomic instructions, unique indices by stores.
    case("scatter_in_place_add", lambda x, i, u: x.at[i].add(u), whole("x", 1500), rows(2000, 1500), whole("u", 2000))
    case("scatter_in_place_max", lambda x, i, u: x.at[i[:, 0], i[:, 1]].max(u), whole("x", 40, 50, dtype="ui64", low=0, high=2**40),
         rng("w").integers(0, 52, (1000, 2)).astype(np.int32), whole("v", 1000, dtype="ui64", low=0, high=2**41))
    case("scatter_in_place_unique", lambda x, i, u: x.at[i].set(u * 2, unique_indices=True) + 1, normal("x", 900, 10),
         rng("p").permutation(900)[:300].astype(np.int32), normal("u", 300, 10))
    case("scatter_in_place_unique_product", lambda x, i, u: x.at[:, i].multiply(u, unique_indices=True), normal("x", 7, 2000, dtype="bf16"),
         rng("p").permutation(2000)[:300].astype(np.int32), normal("u", 7, 300, dtype="bf16"))
    # As PyTorch writes into a cache: an index for every element.
    cache = lambda x, p, u: lax.scatter(x, jnp.stack([lax.broadcasted_iota(jnp.int64, u.shape, 0), jnp.broadcast_to(p[None, :, None], u.shape),
                                                      lax.broadcasted_iota(jnp.int64, u.shape, 2)], -1), u,
                                        lax.ScatterDimensionNumbers((), (0, 1, 2), (0, 1, 2)), mode=lax.GatherScatterMode.FILL_OR_DROP)
    for name, places in (("one", [4]), ("outside", [9]), ("two", [7, 2])):
        case("scatter_cache_" + name, cache, normal("x", 3, 9, 70), np.array(places), normal("u", 3, len(places), 70))
    # One update a row into a constant; indices outside too, and small unsigned ones.
    one_each = lax.ScatterDimensionNumbers((), (2,), (2,), (0, 1), (0, 1))
    drop = lax.GatherScatterMode.FILL_OR_DROP
    case("scatter_one_a_row_add", lambda i, u: lax.scatter_add(jnp.full((3, 5, 70), 0.5, jnp.float32), i, u, one_each, mode=drop) * 2,
         rng("one").integers(-3, 75, (3, 5, 1)).astype(np.int32), normal("u", 3, 5))
    case("scatter_one_a_row_set", lambda i, u: lax.scatter(jnp.zeros((3, 5, 70), jnp.bfloat16), i, u, one_each, mode=drop) + 1,
         rng("two").integers(0, 90, (3, 5, 1)).astype(np.uint8), normal("u", 3, 5, dtype="bf16"))
    loss = lambda x, i: -jnp.take_along_axis(jax.nn.log_softmax(x), i[:, None], 1).mean()
    case("gradient_of_cross_entropy", lambda x, i: jax.value_and_grad(loss)(x, i), normal("x", 9, 131), rng("i").integers(0, 131, 9).astype(np.int32))
    # Long enough for digits instead of merges: row numbers of 8 and of 16 bits; two scatters, one sort.
    case("scatter_short_keys", lambda i, u: (jnp.zeros(200, jnp.float32).at[i].add(u), jnp.ones((200, 3), jnp.float32).at[i].add(u[:, None])),
         rows(17000, 200), np.round(normal("u", 17000) * 4))
    case("scatter_middle_keys", lambda i, u: jnp.zeros(40000, jnp.float32).at[i].add(u), rows(17001, 40000), np.round(normal("u", 17001) * 4))
    case("scatter_bf16", lambda x, i, u: x.at[i].add(u), np.round(normal("x", 600, dtype="bf16")), rows(1000, 600), np.round(normal("u", 1000, dtype="bf16")))


def panels():
    """Products whose rows, columns and depth no tile divides, with operands that are packed, turned, computed or converted."""
    loose = dict(tolerance=LOOSE)
    for dtype in ("f32", "bf16", "f16"):
        case(f"panel_product_{dtype}", lambda a, b: a @ b, normal("a", 37, 65, dtype=dtype), normal("b", 65, 133, dtype=dtype), **loose)
    case("panel_turned", lambda a, b: a @ b.T, normal("a", 61, 47), normal("b", 71, 47), **loose)
    case("panel_turned_rows", lambda a, b: a.T @ b, normal("a", 47, 61), normal("b", 47, 35), **loose)
    case("panel_batches", lambda a, b: jnp.einsum("bhqd,bhkd->bhqk", a, b), normal("a", 2, 3, 41, 17), normal("b", 2, 3, 35, 17), **loose)
    weights = normal("w", 129, 67)
    case("panel_constant", lambda a: jax.nn.relu(a @ weights + 1), normal("a", 19, 129), **loose)
    deep = lambda rows, columns: jnp.cos(lax.broadcasted_iota(jnp.float32, (rows, columns), 0) * 0.7 + lax.broadcasted_iota(jnp.float32, (rows, columns), 1) * 0.3)
    case("panel_deep", lambda a: (deep(35, 9001) * a[:, None]) @ deep(9001, 33), normal("a", 35), tolerance={"f32": 2e-3})
    case("panel_window", lambda x, w: lax.conv_general_dilated(x, w, (2, 1), ((1, 2), (0, 1)), dimension_numbers=("NHWC", "HWIO", "NHWC")),
         normal("x", 2, 13, 11, 19), normal("w", 3, 3, 19, 33), **loose)
    masked = np.array(normal("m", 7, 1003))
    masked[2, 5:] = -np.inf
    masked[3] = 0
    case("panel_softmax", lambda x: jax.nn.softmax(x, axis=-1), masked)
    case("panel_softmax_long", lambda x: jax.nn.softmax(x, axis=-1), normal("x", 3, 2503))
    case("transpose_odd", lambda x, y: jnp.transpose(x, (2, 0, 1)) + y, normal("x", 3, 35, 67), normal("y", 67, 3, 35))
    case("transpose_odd_bf16", lambda x: jnp.transpose(x, (1, 0)) * 2, normal("x", 37, 130, dtype="bf16"))
    case("transpose_short_odd", lambda x, y: (jnp.transpose(x, (0, 2, 1)), jnp.transpose(y, (1, 0)), jnp.transpose(y[:, :3], (1, 0)).astype(jnp.float32)),
         normal("x", 2, 3, 1040), whole("y", 1072, 5, dtype="i8"))


def linear_algebra():
    """Factorisations as JAX exports them for the CPU: LAPACK's calls. Results that libraries give by sign or phase are put together again."""
    H = lambda x: jnp.conj(jnp.swapaxes(x, -1, -2))
    join = lambda x: lax.complex(x[0], x[1])
    split = lambda *values: tuple(jnp.stack([v.real, v.imag]) if jnp.iscomplexobj(v) else v for v in values)
    la = lax.linalg
    # f32 against f64: as good as LAPACK, whose own f32 results differ as much.
    loose = dict(tolerance={"f32": 2e-4, "f64": 1e-10})

    def both(name, function, *shapes, spread=0.0):
        """The function on f32 and f64, real and complex."""
        for kind, dtype in (("f32", "f32"), ("f64", "f64"), ("c64", "f32"), ("c128", "f64")):
            lead = (2,) if kind[0] == "c" else ()
            inputs = [normal(f"{name}{kind}{at}", *lead, *shape, dtype=dtype) for at, shape in enumerate(shapes)]
            if spread:
                inputs[0] = inputs[0] + np.asarray(spread * np.eye(*shapes[0][-2:]) * (np.array([1, 0])[(...,) + (None,) * len(shapes[0])] if lead else 1), inputs[0].dtype)
            wrapped = (lambda *args: split(*jax.tree.leaves(function(*[join(a) for a in args])))) if lead else function
            case(f"{name}_{kind}", wrapped, *inputs, **loose)

    def solves(a, b):
        forms = itertools.product((True, False), (True, False), (True, False), (False, True))
        return [la.triangular_solve(a, b if left else jnp.swapaxes(b, -1, -2), left_side=left, lower=lower, unit_diagonal=unit,
                                    transpose_a=turned, conjugate_a=turned and lower) for left, lower, unit, turned in forms]

    both("triangular_solve", solves, (2, 5, 5), (2, 5, 3), spread=4.0)
    both("cholesky", lambda x: [la.cholesky(x @ H(x)), jnp.linalg.cholesky(x @ H(x), upper=True)], (3, 7, 7), spread=1.0)
    case("cholesky_fails", lambda x: la.cholesky(x), np.stack([np.diag([4.0, 9.0, 0.0]), np.diag([1.0, -1.0, 1.0]), np.diag([1.0, 4.0, 9.0]), np.full((3, 3), np.nan)]).astype(np.float32))
    case("cholesky_long", lambda x: la.cholesky(x @ x.T + 70 * jnp.eye(133, dtype=x.dtype)), normal("long", 133, 133), **loose)
    both("lu", la.lu, (2, 7, 5))
    case("lu_wide", la.lu, normal("wide", 4, 9), **loose)
    case("lu_long", lambda x: la.lu(x)[2], normal("lu_long", 133, 70), **loose)
    case("lu_singular", lambda x: la.lu(x), np.array([[1, 2, 3], [2, 4, 6], [0, 0, 5]], np.float32), **loose)
    both("solve", lambda a, b: [jnp.linalg.solve(a, b), jnp.linalg.det(a)], (5, 5), (5, 3), spread=2.0)
    both("qr", lambda x: [jnp.linalg.qr(x), la.geqrf(x) if hasattr(la, "geqrf") else ()], (2, 7, 4))
    case("qr_wide", lambda x: jnp.linalg.qr(x, mode="complete"), normal("qw", 3, 8), **loose)
    case("qr_pivoted", lambda x: jax.scipy.linalg.qr(x, pivoting=True), normal("qp", 6, 4), **loose)
    both("eigh", lambda x: (lambda w, v: [w, (v * w[..., None, :]) @ H(v), H(v) @ v])(*jnp.linalg.eigh(x)), (2, 7, 7))
    both("svd", lambda x: (lambda u, s, v: [s, (u * s[..., None, :]) @ v, H(u) @ u, v @ H(v)])(*jnp.linalg.svd(x, full_matrices=False)), (2, 7, 4))
    case("svd_full", lambda x: (lambda u, s, v: [s, u.T @ u, jnp.abs(u.T @ x @ v.T)])(*jnp.linalg.svd(x)), normal("sf", 3, 6), **loose)
    case("svd_rank", lambda x: (lambda u, s, v: [s, u.T @ u, (u * s) @ v])(*jnp.linalg.svd(x @ x.T)), normal("sr", 5, 2), **loose)
    both("tridiagonal_solve", la.tridiagonal_solve, (6,), (6,), (6,), (6, 2))
    both("hessenberg", la.hessenberg, (6, 6))
    both("tridiagonal", lambda x: la.tridiagonal(x @ H(x), lower=True), (6, 6))
    case("least_squares", lambda a, b: jnp.linalg.lstsq(a, b)[:2], normal("la", 7, 3), normal("lb", 7, 2), **loose)
    case("matrix_functions", lambda a: [jax.scipy.linalg.expm(a), jnp.linalg.matrix_power(a, 5), jnp.linalg.pinv(a[:, :2])], normal("mf", 4, 4), **loose)


def pooling_gradients():
    def grad(op, init, window, strides, padding, **more):
        return lambda x: jax.grad(lambda x: jnp.sum(lax.reduce_window(x, init, op, window, strides, padding, **more) ** 2))(x)
    image = lambda name: normal(name, 2, 9, 11, 3)
    case("max_pool_gradient", grad(lax.max, -jnp.inf, (1, 3, 3, 1), (1, 2, 2, 1), "SAME"), image("a"))
    case("max_pool_gradient_apart", grad(lax.max, -jnp.inf, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"), image("b"))
    case("max_pool_gradient_gaps", grad(lax.max, -jnp.inf, (1, 2, 2, 1), (1, 3, 4, 1), "VALID"), image("c"))
    case("min_pool_gradient_ties", grad(lax.min, jnp.inf, (1, 3, 2, 1), (1, 1, 1, 1), ((0, 0), (2, 1), (0, 3), (0, 0))), np.round(image("d")))
    case("max_pool_gradient_across_images_ties", grad(lax.max, -jnp.inf, (2, 2, 2), (1, 1, 1), "VALID"), np.round(normal("f", 2, 4, 6)))
    case("max_pool_gradient_large", grad(lax.max, -jnp.inf, (12, 11), (3, 2), "SAME"), normal("e", 30, 31))
    for dtype in ("bf16", "f64"):
        case(f"max_pool_gradient_{dtype}", grad(lax.max, -jnp.inf, (2, 3), (2, 1), "SAME"), normal(dtype, 8, 9, dtype=dtype))


def random_numbers():
    key = np.array([123456789, 987654321], np.uint32)
    long_key = np.array([1, 2, 3, 4], np.uint32)
    for impl, bits in (("threefry2x32", key), ("rbg", long_key), ("unsafe_rbg", long_key)):
        draw = lambda f, impl=impl: lambda k: f(jax.random.wrap_key_data(k, impl=impl))
        case(f"random_bits_{impl}", draw(lambda k: [jax.random.bits(k, (3, 5), d) for d in ("uint8", "uint16", "uint32", "uint64")]), bits)
        case(f"random_floats_{impl}", draw(lambda k: [jax.random.uniform(k, (33,)), jax.random.normal(k, (5, 7)), jax.random.permutation(k, 17)]), bits)
    for algorithm in ("RNG_THREE_FRY", "RNG_PHILOX", "RNG_DEFAULT"):
        for dtype in (jnp.uint8, jnp.uint16, jnp.uint32, jnp.uint64):
            if algorithm != "RNG_THREE_FRY" or dtype != jnp.uint8:
                case(f"{algorithm.lower()}_{dtype.__name__}", lambda k, a=algorithm, d=dtype: [lax.rng_bit_generator(k, s, d, getattr(lax.RandomAlgorithm, a)) for s in ((7,), (4, 3), (3, 5))],
                     np.array([2**64 - 3, 2**64 - 2], np.uint64))
    case("random_distributions", lambda k: [f(jax.random.wrap_key_data(k)) for f in (
        lambda k: jax.random.gumbel(k, (9,)), lambda k: jax.random.categorical(k, jnp.arange(6.0), shape=(9,)), lambda k: jax.random.truncated_normal(k, -1.0, 1.0, (9,)),
        lambda k: jax.random.choice(k, 20, (5,), replace=False), lambda k: jax.random.gamma(k, 2.5, (5,)), lambda k: jax.random.poisson(k, 3.0, (9,)))], key)


def stacked(x, results, at):
    """Writes 30 elements a round at places that reach over the ends."""
    def round(i, state):
        x, results = state
        x = x * 0.9 + jnp.sin(x + i)
        return x, lax.dynamic_update_slice(results, x[None, :30], (3 * i + at[0], at[1]))
    return lax.fori_loop(0, 41, round, (x, results))


def cached(x, cache, values):
    """Writes into a cache as long as the data say, and reads it in the same round."""
    def round(state):
        x, cache, n = state
        cache = lax.dynamic_update_slice(cache, values * jnp.sum(x), (0, 50 * n, 0))
        return x * 1.3 + jnp.sum(cache) * 1e-3 + 1, cache, n + 1
    return lax.while_loop(lambda state: jnp.sum(jnp.abs(state[0])) < 100, round, (x, cache, 0))


def control():
    case("switch", lambda i, x: [lax.switch(n, [jnp.sin, jnp.cos, jnp.exp, lambda x: x, jnp.abs], x) for n in i], np.array([0, 4, 2, -3, 9], np.int32), normal("x", 7))
    case("counted_loop", lambda x: lax.fori_loop(0, 10, lambda i, x: x * 1.1 + i, x), normal("x", 5))
    case("counted_scan", lambda x: lax.scan(lambda c, y: (c + y, c * y), jnp.zeros(3), x), normal("x", 9, 3))
    case("loop_stacks_results", stacked, normal("x", 37), normal("o", 101, 37), whole("at", 2, dtype="i64", low=-20, high=60))
    case("loop_writes_cache", cached, normal("x", 5), normal("o", 3, 129, 7), normal("v", 3, 2, 7))
    case("data_loop", lambda x: lax.while_loop(lambda x: jnp.sum(x) < 100, lambda x: x * 2 + 1, x), normal("x", 3))
    case("loop_in_loop", lambda x: lax.fori_loop(0, 3, lambda i, x: lax.fori_loop(0, 4, lambda j, y: y * 0.9 + i * j, x), x), normal("x", 5))
    case("approximate_top_k", lambda x: [lax.approx_max_k(x, 5), lax.approx_min_k(x, 3)], normal("x", 4, 100))
    case("ragged_product", lambda a, b, g: lax.ragged_dot(a, b, g), normal("a", 11, 5), normal("b", 3, 5, 7), np.array([4, 0, 5], np.int32))


def updates():
    """Chains of updates of one value, in place where the caller gives it away or a loop carries it."""

    def write(cache, rows, starts):
        starts = [jnp.asarray(start) for start in starts]
        kind = next((start.dtype for start in starts if start.dtype != jnp.int64), jnp.int64)
        return lax.dynamic_update_slice(cache, rows, [start.astype(kind) for start in starts])

    def read(cache, starts, sizes):
        return lax.dynamic_slice(cache, [jnp.asarray(start).astype(jnp.int32) for start in starts], sizes)

    def chain(cache, row, at):
        total = 0
        for layer in range(3):
            cache = write(cache, row[None] * (layer + 1.5), (layer, 0, at[layer], 0))
            total += jnp.einsum("hsd,hd->hs", cache[layer], row[:, 0])
        return cache, total

    def loop(cache, row, at):
        def step(i, carried):
            kept, total = chain(carried[0], row * (i + 1), at + i)
            return kept, carried[1] + total

        return lax.fori_loop(0, 5, step, (cache, jnp.zeros((2, 67), cache.dtype)))

    def old(cache, row, at):
        new = write(cache, row[None], (1, 0, at[0], 0))
        newer = write(new, read(cache, (2, 0, at[1], 0), (1, 2, 1, 9)) + 1, (0, 0, at[2], 0))
        return newer, new * 2, newer - cache

    def selected(cache, row, at):
        count = jnp.arange(67)[None, :, None]
        one = jnp.where(count == at[0], row, cache[0])
        each = jnp.where(count == at[:2, None, None], row * 2, cache[1])
        return one, each, jnp.where(count != at[1], one, 7.0)

    def swapped(cache, row, at):
        a, b = cache[0, 0], cache[1, 0]
        for i in range(4):
            line = read(a, (at[0] + i, 0), (1, 9))
            b = write(b, line * 2, (at[1] - i, 0))
            a = write(a, read(b, (at[2], 0), (1, 9)) + row[0], (at[0], 0))
        return a, b, a + b

    inputs = normal("c", 3, 2, 67, 9), normal("r", 2, 1, 9)
    at = np.array([5, 66, 90], np.int32)
    donated = jax.jit(chain, donate_argnums=0)
    case("update_chain", chain, *inputs, at)
    case("update_chain_donated", donated, *inputs, at - 9)
    case("update_chain_bytes", chain, *(x.astype(np.float32) for x in inputs), np.array([5, 66, -1], np.int8))
    case("update_chain_bf16", chain, *(np.asarray(x, jnp.bfloat16) for x in inputs), at.astype(np.int64))
    case("update_chain_in_loop", loop, *inputs, at - 60)
    case("update_of_old_values", old, *inputs, at)
    case("update_selected", selected, *inputs, at - 3)
    case("update_swapped_donated", jax.jit(lambda a, b, row, at: swapped(jnp.stack([a, b])[:, None], row, at)[:2], donate_argnums=(0, 1)), inputs[0][0, 0], inputs[0][1, 0], inputs[1], at - 4)
    case("update_selected_outside", selected, *inputs, np.array([-1, 67, 3], np.int32))
    case("update_swapped", swapped, *inputs, at - 2)


def main():
    for group in (updates, linear_algebra, pooling_gradients, random_numbers, control, panels, models, rows, elementwise, converts, movement, reductions, products, convolutions, corners, orders, scatters):
        group()
    wanted = [name for name in cases if not sys.argv[1:] or any(part in name for part in sys.argv[1:])]
    for name in wanted:
        write(name)
    files = [f for f in OUT.rglob("*") if f.is_file()]
    print(f"{len(wanted)} cases written; {len(cases)} in all, {sum(f.stat().st_size for f in files) / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
