#!/usr/bin/env python3
"""Writes the cases `uneven_*` of tests/sharded: dimensions that their devices do not divide.

    pip install jax
    python3 tests/model/export_sharded_uneven.py
"""

from sharded_case import GRID, auto, case, numbers  # before jax

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P


def place(value, *axes):
    return lax.with_sharding_constraint(value, NamedSharding(GRID, P(*axes)))


def uneven(name, function, inputs):
    case("uneven_" + name, jax.jit(function), inputs)


ROWS = [numbers(10, 12)]
BOTH = ("x", "y")


def reductions(a):
    a = place(jnp.log(jnp.abs(a)), "x", "y")
    return a.sum(0), a.mean(), a.max(0), a.min(), jnp.argmax(a, 0), jnp.any(a > 1, 0), jnp.all(a < 1, 0)


uneven("reductions", reductions, ROWS)
uneven("softmax", lambda a: (jax.nn.softmax(place(a, "x"), axis=0), jax.nn.softmax(place(a, None, ("x", "y")), axis=1)), ROWS)
# Fillings would be infinite: 1 / 0.
uneven("products", lambda a, b: (place(1 / a, None, "x") @ place(1 / b, "x"), place(a, "x", "y") @ place(b, "y", "x")), [numbers(6, 10), numbers(10, 7)])


def moved(a):
    a = place(a, "x", None)
    return place(a, None, "x") * 2, place(a, BOTH, None) + 1, place(a, "y", "x").sum(0), a[::-1], jnp.sort(a, 0), jnp.cumsum(a, 0)


uneven("moved", moved, [numbers(10, 9)])
uneven("shapes", lambda a: (place(a, "x").reshape(-1), place(a, "x").reshape(10, 3, 4), jnp.concatenate([place(a, "x")] * 2), place(a, "x")[2:7], a.T @ place(a, "x")), ROWS)


def train(w, v, x, y):
    def loss(w, v):
        h = place(jax.nn.relu(place(x, "y", None) @ place(w, None, "x")), "y", "x")
        return jnp.mean((h @ place(v, "x", None) - y) ** 2)

    value, (dw, dv) = jax.value_and_grad(loss, argnums=(0, 1))(w, v)
    return value, w - 0.1 * dw, v - 0.1 * dv


uneven("train", train, [numbers(7, 10), numbers(10, 3), numbers(9, 7), numbers(9, 3)])
uneven("scan", lambda a, w: lax.scan(lambda c, x: (jnp.tanh(c @ w) + x, c.sum()), place(a[0], "x"), place(a, None, "x")), [numbers(4, 10, 5), numbers(5, 5)])
uneven("while", lambda a: lax.while_loop(lambda c: (c**2).sum() < 90.0, lambda c: c * 1.5 + c.mean(0), place(a, "x")), ROWS)
uneven("lookup", lambda t, i: (place(t, BOTH)[i], t[place(i, "x")], place(t, "x").at[i].add(1.0)), [numbers(19, 4), np.array([0, 18, 7, 7, 3, 11], dtype=np.int32)])
uneven("integers", lambda a: (place(a, "x").sum(0), place(a, "x").max(), 7 // place(a, "x"), place(a, "x").prod(0)), [np.arange(1, 41, dtype=np.int32).reshape(10, 4) % 5 + 1])
uneven("bf16", lambda a, b: (place(a, None, "x") @ place(b, "x")).sum(0), [numbers(4, 22).astype(jnp.bfloat16), numbers(22, 6).astype(jnp.bfloat16)])


def images(x, w):
    h = lax.conv_general_dilated(place(x, None, "x"), place(w, "y"), (1, 1), "SAME")
    return lax.reduce_window(h, -jnp.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID").sum(0), jax.nn.standardize(h, axis=1)


uneven("images", lambda x, w: (*images(x, w), jax.grad(lambda w: images(x, w)[0].sum())(w)), [numbers(3, 6, 5, 6), numbers(5, 6, 3, 3)])
uneven("grouped", lambda x, w: lax.conv_general_dilated(place(x, None, "x"), w, (1, 1), "SAME", feature_group_count=6), [numbers(2, 6, 5, 5), numbers(6, 1, 3, 3)])
