#!/usr/bin/env python3
"""Writes the cases `results_*` of tests/sharded: shardings that stand on results or in the middle, and none on arguments.

    pip install jax
    python3 tests/model/export_sharded_results.py
"""

from sharded_case import GRID, LINE, case, numbers  # before jax

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, shard_map
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P


def place(value, *axes, mesh=GRID):
    return lax.with_sharding_constraint(value, NamedSharding(mesh, P(*axes)))


def results(name, function, inputs, outs=None, mesh=GRID):
    on = lambda specs: jax.tree.map(lambda spec: NamedSharding(mesh, spec), specs, is_leaf=lambda x: isinstance(x, P))
    more = {} if outs is None else {"out_shardings": on(outs)}
    case("results_" + name, jax.jit(function, **more), inputs)


results("matmul", lambda a, b: jnp.tanh(a @ b), [numbers(8, 16), numbers(16, 8)], P("x", "y"))
# What stands in the middle decides for the weights before it and behind it.
results("mlp", lambda x, w, v: place(jax.nn.relu(x @ w), None, "x") @ v, [numbers(8, 16), numbers(16, 32), numbers(32, 8)])


def train(w, v, x, y):
    def loss(w, v):
        h = place(jax.nn.relu(place(x, "x", None) @ w), "x", "y")
        return jnp.mean((h @ v - y) ** 2)

    value, (dw, dv) = jax.value_and_grad(loss, argnums=(0, 1))(w, v)
    return value, w - 0.1 * dw, v - 0.1 * dv


TRAIN = [numbers(16, 32), numbers(32, 8), numbers(16, 16), numbers(16, 8, seed=2)]
results("train", train, TRAIN, (P(), P(None, "y"), P("y", None)))
results("train_fsdp", train, TRAIN, (P(), P(("x", "y"), None), P(("x", "y"), None)))
# Readers that disagree: whole for the sort, cut for the rest; two results that want other dimensions.
results("disagree", lambda a: (jnp.sort(a * 2, 0), jnp.exp(a * 2), (a * 2).T), [numbers(8, 16)], (P(), P("x", "y"), P("x", "y")))
results("scan", lambda x, w, u: lax.scan(lambda h, t: (jnp.tanh(t @ w + h @ u),) * 2, jnp.zeros((8, 4)), x), [numbers(6, 8, 5), numbers(5, 4), numbers(4, 4)],
        (P("x"), P(None, "x")))
results("layers", lambda ws, x: lax.scan(lambda h, w: (place(jnp.tanh(h @ w), "x", "y"), h.sum()), x, ws), [numbers(3, 16, 16), numbers(8, 16)])
results("cond", lambda a, b: lax.cond(a[0, 0] > 0, lambda: a @ b, lambda: a - b), [numbers(8, 8), numbers(8, 8)], P("y", "x"))
results("while", lambda a, b: lax.while_loop(lambda c: c.sum() < 50.0, lambda c: c * 1.5 + jnp.abs(b), jnp.abs(a)), [numbers(8, 8), numbers(8, 8)], P("x", "y"))
results("reshapes", lambda a: (a.reshape(4, 2, 16).transpose(2, 0, 1), jnp.broadcast_to(a[:, :1], (8, 5)), jnp.pad(a, ((0, 0), (1, 2)))), [numbers(8, 16)],
        (P("y", "x"), P("x"), P("x", None)))
results("uneven", lambda a, b: (place(a @ b, "x", "y") + 1, (a * 2).sum(1)), [numbers(10, 16), numbers(16, 6)])
mapped = shard_map(lambda x, w: lax.psum(x @ w, "y"), mesh=GRID, in_specs=(P("x", "y"), P("y", None)), out_specs=P("x", None))
results("before_manual", lambda a, b: mapped(jnp.tanh(a) * 2, b + 1)[::-1], [numbers(8, 16), numbers(16, 8)])
results("embedding", lambda t, i, w: place(t[i] @ w, "x", None, "y").sum(1), [numbers(32, 8), np.arange(24, dtype=np.int32).reshape(8, 3), numbers(8, 4)])
results("conv", lambda x, w: jax.nn.relu(lax.conv_general_dilated(x, w, (1, 1), "SAME")), [numbers(8, 3, 6, 6), numbers(4, 3, 3, 3)], P("x", "y"))


def attention(x, q, k, v):
    heads = lambda w: (x @ w).reshape(2, 8, 4, 4).transpose(0, 2, 1, 3)
    a = jax.nn.softmax(heads(q) @ heads(k).transpose(0, 1, 3, 2) / 2.0, axis=-1) @ heads(v)
    return a.transpose(0, 2, 1, 3).reshape(2, 8, 16)


results("attention", attention, [numbers(2, 8, 16)] + [numbers(16, 16, seed=s) for s in range(3)], P("y", None, "x"))
results("gradient", lambda a, b: jax.grad(lambda a, b: jnp.sum(jnp.sin(a @ b) ** 2), argnums=(0, 1))(a, b), [numbers(16, 8), numbers(8, 16)],
        (P("d", None), P(None, "d")), LINE)
