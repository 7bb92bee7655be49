#!/usr/bin/env python3
"""Exports the small models of data/*.mlir as StableHLO text with JAX. Run it by hand; the texts are committed.

    python passes/tests/export_models.py
"""

import pathlib

import jax
import jax.numpy as jnp

OUT = pathlib.Path(__file__).parent / "data"
F32 = jnp.float32


def softmax(x):
    return jax.nn.softmax(x, axis=-1)


def layernorm(x, scale, bias):
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(variance + 1e-5) * scale + bias


def gelu_mlp(x, w1, b1, w2, b2):
    return jax.nn.gelu(x @ w1 + b1, approximate=False) @ w2 + b2


def attention(x, wq, wk, wv, wo):
    def heads(w):
        return jnp.einsum("bsd,dhe->bhse", x, w)

    q, k, v = heads(wq), heads(wk), heads(wv)
    scores = jnp.einsum("bhse,bhte->bhst", q, k) / 2.0
    mask = jnp.tril(jnp.ones((x.shape[1], x.shape[1]), bool))
    scores = jnp.where(mask, scores, -jnp.inf)
    mixed = jnp.einsum("bhst,bhte->bhse", jax.nn.softmax(scores, axis=-1), v)
    return jnp.einsum("bhse,hed->bsd", mixed, wo)


def conv_net(x, w, scale, offset, mean, variance, dense):
    y = jax.lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    y = (y - mean) / jnp.sqrt(variance + 1e-3) * scale + offset
    y = jnp.clip(y, 0, 6)
    y = jax.lax.reduce_window(y, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    y = jax.lax.reduce_window(y, 0.0, jax.lax.add, (1, 2, 2, 1), (1, 1, 1, 1), "SAME") / 4
    return jax.nn.log_softmax(y.reshape(y.shape[0], -1) @ dense)


def select_tokens(table, ids):
    rows = table[ids] + jnp.arange(table.shape[1], dtype=table.dtype)
    top, at = jax.lax.top_k(rows, 2)
    return top, at, jnp.argmax(rows, -1), rows[:, 1:3], jnp.cumsum(rows, axis=0)


def special(x):
    return (
        jax.scipy.special.gammaln(x),
        jax.scipy.special.digamma(x),
        jax.scipy.special.i1e(x),
        jax.scipy.special.zeta(x + 2.5, x),
        jax.scipy.special.erf(x),
        jnp.nextafter(x, -x),
    )


def loop(x, n):
    def body(carry):
        i, y = carry
        return i + 1, jnp.where(y > 1, jnp.sin(y), y * 2)

    _, y = jax.lax.while_loop(lambda carry: carry[0] < n, body, (0, x))
    return jax.lax.cond(n > 3, lambda v: v + 0.0, lambda v: jnp.cos(v), y)


MODELS = {
    "softmax": (softmax, [((5, 17), F32)]),
    "softmax_bf16": (softmax, [((5, 17), jnp.bfloat16)]),
    "layernorm": (layernorm, [((3, 4, 16), F32), ((16,), F32), ((16,), F32)]),
    "gelu_mlp": (gelu_mlp, [((3, 8), F32), ((8, 12), F32), ((12,), F32), ((12, 5), F32), ((5,), F32)]),
    "attention": (attention, [((2, 6, 8), F32)] + [((8, 2, 4), F32)] * 3 + [((2, 4, 8), F32)]),
    "conv_net": (conv_net, [((2, 8, 8, 3), F32), ((3, 3, 3, 4), F32)] + [((4,), F32)] * 4 + [((64, 7), F32)]),
    "select_tokens": (select_tokens, [((9, 6), F32), ((4,), jnp.int32)]),
    "special": (special, [((24,), F32)]),
    "loop": (loop, [((7,), F32), ((), jnp.int32)]),
}


def main():
    OUT.mkdir(exist_ok=True)
    for name, (function, arguments) in MODELS.items():
        shapes = [jax.ShapeDtypeStruct(shape, dtype) for shape, dtype in arguments]
        (OUT / f"{name}.mlir").write_text(jax.jit(function).lower(*shapes).as_text())


if __name__ == "__main__":
    main()
