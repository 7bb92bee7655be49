"""Writes the models of data/dynamic: JAX functions exported with symbolic shapes.

Run it with a Python that has jax: python export_dynamic.py
"""

import pathlib

import jax
import jax.numpy as jnp
from jax import export

HERE = pathlib.Path(__file__).parent / "data" / "dynamic"
F32, I32 = jnp.float32, jnp.int32


def shaped(shape, dtype=F32):
    return jax.ShapeDtypeStruct(shape, dtype)


def softmax_product(x, w):
    return jax.nn.softmax(x) @ w


def join_and_fold(x, y):
    b = x.shape[0]
    z = jnp.concatenate([x, y[:b]], axis=0)
    return z.reshape(-1, 2).sum(0), jnp.arange(b // 2) + b, y[1::2]


def attention(q, k, v):
    s = q.shape[1]
    scores = jnp.einsum("bqd,bkd->bqk", q, k) / 4.0
    mask = jnp.tril(jnp.ones((s, s), bool))
    weights = jax.nn.softmax(jnp.where(mask, scores, -1e9))
    return jnp.einsum("bqk,bkd->bqd", weights, v)


def halves(x):
    n = x.shape[0]
    return x[: n // 2] + x[n - n // 2 :], jnp.pad(x, (n % 3, 2 * n)), jnp.flip(x)


def scanned(x, h):
    def step(h, row):
        h = jnp.tanh(h * 0.5 + row)
        return h, h.sum(-1)

    return jax.lax.scan(step, h, x)


def convolved(x, w):
    y = jax.lax.conv_general_dilated(x, w, (2,), "SAME", dimension_numbers=("NWC", "WIO", "NWC"))
    return jax.lax.reduce_window(y, -jnp.inf, jax.lax.max, (1, 3, 1), (1, 2, 1), "VALID")


def looked_up(table, tokens):
    x = table[tokens]
    x = x - x.mean(-1, keepdims=True)
    return x / jnp.sqrt((x * x).mean(-1, keepdims=True) + 1e-5), jnp.argmax(x, -1), tokens.shape[1]


def grown(x, y):
    return jnp.tile(x, (2, 1)) * y[:, : x.shape[1]], jnp.sort(x, axis=0)


def row_loss(x, y):
    loss, gradient = jax.value_and_grad(lambda w: jnp.mean((x @ w - y) ** 2))(jnp.ones((x.shape[1], 1)))
    return loss, gradient


MODELS = [
    ("softmax_product", softmax_product, "b, s", lambda b, s: (shaped((b, s)), shaped((s, 4)))),
    ("join_and_fold", join_and_fold, "b, s", lambda b, s: (shaped((b, s)), shaped((2 * b + 1, s)))),
    ("attention", attention, "b, s", lambda b, s: (shaped((b, s, 16)), shaped((b, s, 16)), shaped((b, s, 16)))),
    ("halves", halves, "n", lambda n: (shaped((n,)),)),
    ("scanned", scanned, "t, b", lambda t, b: (shaped((t, b, 3)), shaped((b, 3)))),
    ("convolved", convolved, "b, w", lambda b, w: (shaped((b, 4 * w + 8, 3)), shaped((5, 3, 4)))),
    ("looked_up", looked_up, "b, s", lambda b, s: (shaped((11, 6)), shaped((b, s), I32))),
    ("grown", grown, "b, s", lambda b, s: (shaped((b, s)), shaped((2 * b, 3 * s)))),
    ("row_loss", row_loss, "b, s", lambda b, s: (shaped((b, s)), shaped((b, 1)))),
]


def main():
    HERE.mkdir(parents=True, exist_ok=True)
    for name, function, symbols, arguments in MODELS:
        sizes = export.symbolic_shape(symbols)
        module = export.export(jax.jit(function))(*arguments(*sizes)).mlir_module()
        lines = [line for line in module.splitlines() if not line.startswith("#loc")]
        (HERE / f"{name}.mlir").write_text("\n".join(strip_locations(line) for line in lines) + "\n")


def strip_locations(line):
    """Locations name files of the machine that wrote them."""
    while " loc(" in line:
        start = line.index(" loc(")
        depth, end = 0, start + 4
        while True:
            depth += {"(": 1, ")": -1}.get(line[end], 0)
            end += 1
            if depth == 0:
                break
        line = line[:start] + line[end:]
    return line


if __name__ == "__main__":
    main()
