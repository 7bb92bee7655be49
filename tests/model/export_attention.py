#!/usr/bin/env python3
"""Writes the cases of tests/numeric for attention, as JAX prints it (names attend_…).

    pip install jax==0.10.2 numpy ml_dtypes
    python tests/model/export_attention.py [NAME-PART...]

The expected values are computed in f64 from the same inputs and rounded once. Rows are few and heads long, so that the cases stay
small: together below 2 MB. What JAX prints for CUDA only (calls of cuDNN, products of f16 with sums in f32) is exported for CUDA; what it asks of
a device before is answered here.
"""
import json
import shutil
import sys

import export_goldens as goldens
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src.cudnn import fused_attention_stablehlo as cudnn

DTYPES = goldens.DTYPES
TOLERANCE = {"f64": 1e-11, "f32": 1e-5, "f16": 4e-3, "bf16": 2.5e-2}
LOW = -0.7 * float(np.finfo(np.float32).max)
cases = {}


def case(name, function, *inputs, reference=None, cuda=False):
    assert "attend_" + name not in cases, name
    cases["attend_" + name] = (function, inputs, reference or function, cuda)


def tensors(name, dtype, *shapes):
    return [np.array(goldens.normal(name + str(at), *shape, dtype=dtype)) for at, shape in enumerate(shapes)]


def weights(scores, dtype, low=LOW, visible=None):
    if visible is not None:
        scores = jnp.where(visible, scores, jnp.asarray(low, scores.dtype))
    return jax.nn.softmax(scores, axis=-1).astype(dtype)


def attend(q, k, v, bias=None, visible=None, low=LOW, softcap=None):
    """[batch, heads, rows, features]; scores in f32 at least."""
    wide = jnp.promote_types(q.dtype, jnp.float32)
    scores = jnp.einsum("bhtd,bhsd->bhts", q, k, preferred_element_type=wide) * np.asarray(q.shape[-1] ** -0.5, wide)
    if softcap:
        scores = jnp.tanh(scores / softcap) * softcap
    if bias is not None:
        scores = scores + bias.astype(wide)
    return jnp.einsum("bhts,bhsd->bhtd", weights(scores, v.dtype, low, visible), v)


def causal(t, s, back=0):
    return lax.broadcasted_iota(jnp.int32, (t, s), 0) - back >= lax.broadcasted_iota(jnp.int32, (t, s), 1)


def safe(q, k, v, visible):
    """As torch decomposes a masked call: both operands scaled, rows of which nothing is visible are zero."""
    root = np.asarray(q.shape[-1] ** -0.25, q.dtype)
    scores = jnp.einsum("bhtd,bhsd->bhts", q * root, k * root)
    scores = scores + jnp.where(visible, 0.0, -jnp.inf).astype(scores.dtype)
    empty = jnp.all(scores == -jnp.inf, axis=-1, keepdims=True)
    shares = jax.nn.softmax(scores, axis=-1)
    shares = jnp.where(empty, jnp.zeros_like(shares), shares)
    return jnp.einsum("bhts,bhsd->bhtd", shares.astype(v.dtype), v)


def widened(q, k, v, visible):
    """As torch-mlir lowers 16-bit calls: widened first, scaled in f32, in f32 up to the result, which a product reads widened again."""
    root = np.float32(q.shape[-1] ** -0.25)
    wide = lambda t: t.astype(jnp.float32)
    b, h, s, d = k.shape
    keys = (wide(k).transpose(0, 1, 3, 2) * root).reshape(b * h, d, s)
    scores = ((wide(q) * root).reshape(b * h, -1, d) @ keys).reshape(b, h, -1, s)
    scores = scores + jnp.where(visible, 0.0, -jnp.inf).astype(jnp.float32)
    empty = jnp.all(scores == -jnp.inf, axis=-1, keepdims=True)
    shares = jnp.where(empty, 0.0, jax.nn.softmax(scores, axis=-1)).reshape(b * h, -1, s)
    mixed = (shares @ wide(v).reshape(b * h, s, d)).reshape(b, h, -1, d).astype(q.dtype)
    rows = wide(mixed.transpose(0, 2, 1, 3).reshape(b, -1, h * d))
    small = v * np.asarray(0.25, v.dtype)
    return jnp.tanh(rows @ wide(small.reshape(b, -1)[0, : h * d * 16].reshape(h * d, 16))).astype(q.dtype)


def plain():
    for dtype in ("f32", "bf16", "f16"):
        x = tensors(dtype, dtype, *[(1, 2, 37, 64)] * 3)
        case("causal_" + dtype, lambda q, k, v: attend(q, k, v, visible=causal(37, 37), low=-jnp.inf), *x)
        x = tensors("u" + dtype, dtype, *[(2, 33, 2, 32)] * 3)
        case("jax_causal_" + dtype, lambda q, k, v: jax.nn.dot_product_attention(q, k, v, is_causal=True), *x, cuda=True)
        x = tensors("m" + dtype, dtype, *[(2, 2, 33, 32)] * 3)
        mask = goldens.rng("mask").random((2, 1, 1, 33)) < 0.7
        case("masked_" + dtype, lambda q, k, v, m: attend(q, k, v, visible=m), *x, mask)
        both = goldens.rng("both").random((1, 2, 33, 33)) < 0.5
        both[0, 1, 5] = False
        case("mask_of_rows_" + dtype, lambda q, k, v, m: attend(q, k, v, visible=m), *[t[:1] for t in x], both)
        bias = goldens.normal("bias", 1, 2, 33, 33, scale=2.0)
        case("bias_" + dtype, lambda q, k, v, b: attend(q, k, v, bias=b), *[t[:1] for t in x], bias)
        case("softcap_" + dtype, lambda q, k, v: attend(q, k, v, visible=causal(33, 33), softcap=5.0), *[t[:1] for t in x])
        case("window_" + dtype, lambda q, k, v: attend(q, k, v, visible=causal(33, 33) & ~causal(33, 33, 7)), *[t[:1] for t in x])
        x = tensors("r" + dtype, dtype, (1, 1, 70, 8), (1, 1, 427, 8), (1, 1, 427, 8))
        bias = goldens.normal("long", 1, 1, 70, 427, dtype="bf16")
        case("long_bias_" + dtype, lambda q, k, v, b: attend(q, k, v, bias=b), *x, bias)
        x = tensors("c" + dtype, dtype, (1, 3, 19, 48), (1, 3, 75, 48), (1, 3, 75, 56))
        case("cross_" + dtype, attend, *x)
        x = tensors("l" + dtype, dtype, (1, 2, 1, 64), (1, 2, 301, 64), (1, 2, 301, 64))
        length = np.array([257], np.int32)
        seen = lambda n: lax.broadcasted_iota(jnp.int32, (1, 1, 1, 301), 3) < n[:, None, None, None]
        case("decode_" + dtype, lambda q, k, v, n: attend(q, k, v, visible=seen(n)), *x, length)
        x = tensors("e" + dtype, dtype, *[(1, 2, 9, 32)] * 3)
        mask = np.tril(np.ones((1, 1, 9, 9), bool), -2)
        case("torch_safe_" + dtype, safe, *x, mask)
        if dtype != "f32":
            x = tensors("w" + dtype, dtype, *[(2, 3, 37, 64)] * 3)
            case("torch_wide_" + dtype, widened, *x, causal(37, 37))


def masked_again():
    """Masks after the softmax as well, or added by a formula; the first row sees nothing in `visible`."""
    low = lambda dtype: np.asarray(-3e4 if dtype == "f16" else -1e9, DTYPES[dtype])
    shares = lambda p, v: jnp.einsum("bhts,bhsd->bhtd", p.astype(v.dtype), v)
    products = lambda q, k: jnp.einsum("bhtd,bhsd->bhts", q * np.asarray(0.125, q.dtype), k)
    for dtype in ("f32", "bf16", "f16"):
        x = tensors("a" + dtype, dtype, (1, 2, 37, 64), (1, 2, 45, 64), (1, 2, 45, 64))
        ids = (goldens.rng("ids").random((1, 45)) < 0.8).astype(np.int32)
        seen = lambda n: causal(37, 45, 1) & (n[:, None, None, :] != 0)
        case("where_" + dtype, lambda q, k, v, n: shares(jax.nn.softmax(products(q, k), where=seen(n)), v), *x, ids)

        def keras(q, k, v, n, dtype=dtype):
            scores = jnp.where(seen(n), products(q, k), low(dtype).astype(q.dtype))
            return shares(jnp.where(seen(n), jax.nn.softmax(scores), 0), v)

        def added(q, k, v, n):
            hidden = (1 - (n != 0).astype(jnp.float32)) * np.float32(-1e9)
            return shares(jax.nn.softmax(products(q, k) + hidden[:, None, None, :].astype(q.dtype)), v)

        case("where_keras_" + dtype, keras, *x, ids)
        if dtype != "f16":
            case("added_ids_" + dtype, added, *x, ids)

        def divided(q, k, v):
            scores = products(q, k).astype(jnp.promote_types(q.dtype, jnp.float32))
            e = jnp.exp(scores - scores.max(-1, keepdims=True))
            return (shares(e, v) / e.sum(-1, keepdims=True)).astype(q.dtype)

        case("divided_after_" + dtype, divided, *x)


def shared_heads():
    for dtype in ("f32", "bf16"):
        x = tensors("g" + dtype, dtype, (1, 21, 6, 32), (1, 40, 2, 32), (1, 40, 2, 32))
        case("grouped_" + dtype, lambda q, k, v: jax.nn.dot_product_attention(q, k, v), *x, cuda=True)
        repeat = lambda t: jnp.repeat(t, 3, axis=2)
        turned = lambda t: t.transpose(0, 2, 1, 3)
        case("repeated_" + dtype, lambda q, k, v: turned(attend(*map(turned, (q, repeat(k), repeat(v))))), *x)
        wide = lambda t: jnp.broadcast_to(t[:, :, :, None], (1, 40, 2, 3, 32)).reshape(1, 40, 6, 32)
        case("broadcast_" + dtype, lambda q, k, v: turned(attend(*map(turned, (q, wide(k), wide(v))), visible=causal(21, 40))), *x)
        x = tensors("d" + dtype, dtype, (1, 1, 8, 64), (1, 150, 2, 64), (1, 150, 2, 64))
        case("decode_grouped_" + dtype, lambda q, k, v: jax.nn.dot_product_attention(q, k, v), *x, cuda=True)


def decoded():
    """One token of each of several texts, each at its own position; a window."""
    at = np.array([0, 76, 40], np.int32)
    for name, heads, shared, dtype, window in (
            ("f32", 6, 3, "f32", None), ("bf16", 6, 3, "bf16", None), ("one_row_f32", 2, 1, "f32", None), ("window_f32", 8, 4, "f32", 20)):
        x = tensors("ds" + name, dtype, (3, heads // shared, shared, 24), (3, heads // shared, 77, 24), (3, heads // shared, 77, 24))

        def decode(q, k, v, at, window=window):
            column = lax.broadcasted_iota(jnp.int32, (3, 1, 1, 77), 3)
            at = at[:, None, None, None]
            return attend(q, k, v, visible=(column <= at) if window is None else (column <= at) & (at - column < window), low=-np.inf)

        case("decode_slots_" + name, decode, *x, at)


def paged():
    """The same where keys and values lie in pages that a table of each text names; numbers outside are clamped."""
    at = np.array([0, 39, 17], np.int32)
    table = np.array([[3, -1, -1, -1, -1], [6, 1, 5, 2, 9], [4, 3, 1, -1, -1]], np.int32)
    for name, dtype, shared, window in (("f32", "f32", 3, None), ("bf16", "bf16", 3, None), ("window_f32", "f32", 4, 11)):
        x = tensors("pg" + name, dtype, (3, 2, shared, 64), (7, 2, 8, 64), (7, 2, 8, 64))

        def decode(q, k, v, table, at, window=window):
            column = lax.broadcasted_iota(jnp.int32, (3, 1, 1, 40), 3)
            at = at[:, None, None, None]
            block = lambda pool: jnp.take(pool, table, axis=0, mode="clip").transpose(0, 2, 1, 3, 4).reshape(3, 2, 40, 64)
            seen = (column <= at) if window is None else (column <= at) & (at - column < window)
            return attend(q, block(k), block(v), visible=seen, low=-np.inf)

        case("pages_" + name, decode, *x, table, at)


def heads():
    for dtype in ("bf16", "f32"):
        for d in (16, 40, 64, 80, 96, 128, 192, 256):
            x = tensors(f"h{d}{dtype}", dtype, (1, 1, 17, d), (1, 1, 35, d), (1, 1, 35, d))
            case(f"head_{d}_{dtype}", attend, *x)
    x = tensors("mla", "bf16", (1, 2, 21, 192), (1, 2, 21, 192), (1, 2, 21, 128))
    case("head_192_128_bf16", lambda q, k, v: attend(q, k, v, visible=causal(21, 21)), *x)
    x = tensors("odd", "f32", (2, 1, 13, 9), (2, 1, 7, 9), (2, 1, 7, 5))
    case("head_9_5_f32", attend, *x)


def extremes():
    q, k, v = tensors("x", "f32", *[(1, 1, 18, 32)] * 3)
    v[0, 0, 3, 4], v[0, 0, 5, 6], v[0, 0, 7, 8] = 3e38, np.inf, np.nan
    case("extreme_values_f32", attend, q, k, v)
    q, k, v = tensors("y", "f32", *[(1, 1, 18, 32)] * 3)
    q[0, 0, 2], q[0, 0, 4, 1], k[0, 0, 6] = 1e18, np.inf, k[0, 0, 6] * 1e3
    case("extreme_scores_f32", attend, q, k, v)


def calls():
    composite = lambda q, k, v: lax.composite(lambda q, k, v, **_: attend(q, k, v), name="odml.scaled_dot_product_attention", version=1)(q, k, v, scale=0.125)
    case("composite_f32", composite, *tensors("o", "f32", *[(1, 2, 20, 32)] * 3), reference=attend)
    cudnn.check_cudnn_version = lambda: 91000
    cudnn.check_compute_capability = lambda _: True
    cudnn.is_cuda_compute_capability_equal = lambda _: False
    call = lambda *x, **more: jax.nn.dot_product_attention(*x, implementation="cudnn", **more)
    meant = lambda *x, **more: jax.nn.dot_product_attention(*x, implementation="xla", **more)
    x = tensors("cu", "bf16", (2, 24, 4, 64), (2, 40, 2, 64), (2, 40, 2, 64))
    square = tensors("cs", "f16", *[(1, 24, 2, 32)] * 3)
    bias = goldens.normal("cb", 1, 4, 24, 40, dtype="bf16")
    rows, columns = np.array([24, 11], np.int32), np.array([40, 17], np.int32)
    for name, inputs, more in (
            ("cudnn", x, {}), ("cudnn_causal", square, {"is_causal": True}),
            ("cudnn_window", square, {"is_causal": True, "local_window_size": (5, 0)})):
        case(name, lambda q, k, v, more=more: call(q, k, v, **more), *inputs, reference=lambda q, k, v, more=more: meant(q, k, v, **more), cuda=True)
    case("cudnn_bias", lambda q, k, v, b: call(q, k, v, b), *x, bias, reference=lambda q, k, v, b: meant(q, k, v, b), cuda=True)
    lengths = lambda f: lambda q, k, v, n, m: f(q, k, v, query_seq_lengths=n, key_value_seq_lengths=m)
    case("cudnn_lengths", lengths(call), *x, rows, columns, reference=lengths(meant), cuda=True)


def write(name):
    function, inputs, reference, cuda = cases[name]
    inputs = [np.asarray(x) for x in inputs]
    jitted = jax.jit(function, keep_unused=True)
    platforms = ("cuda",) if cuda else ("cpu",)
    text = jitted.trace(*inputs).lower(lowering_platforms=platforms).as_text()
    folder = goldens.OUT / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "model.mlir").write_text(text)
    wide = [x.astype(np.float64) if jnp.issubdtype(x.dtype, jnp.floating) else x for x in inputs]
    outputs = [np.asarray(y).astype(inputs[2].dtype) for y in jax.tree.leaves(jax.jit(reference)(*wide))]
    for stem, arrays in (("in", inputs), ("out", outputs)):
        for n, array in enumerate(arrays):
            np.save(folder / f"{stem}_{n}.npy", array)
    (folder / "meta.json").write_text(json.dumps({"tolerance": TOLERANCE}) + "\n")


def main():
    for group in (plain, masked_again, shared_heads, decoded, paged, heads, extremes, calls):
        group()
    wanted = [name for name in cases if not sys.argv[1:] or any(part in name for part in sys.argv[1:])]
    for name in wanted:
        write(name)
    print(f"{len(wanted)} cases written")


if __name__ == "__main__":
    main()
