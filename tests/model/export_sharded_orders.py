#!/usr/bin/env python3
"""Writes the cases `orders_*` of tests/sharded: meshes that list their devices in no regular order, as those of a torus do.

    pip install jax
    python3 tests/model/export_sharded_orders.py

JAX counts the devices of a program in the order of its only mesh, so the order is put into its text here. Results are the same.
"""

import re

from sharded_case import GRID, TOLERANCE, numbers  # before jax

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

from case_folder import save

ORDER = "0,1,3,2,6,7,5,4"


def place(value, *axes):
    return lax.with_sharding_constraint(value, NamedSharding(GRID, P(*axes)))


def orders(name, function, inputs, ins, outs=None, shardy=True):
    on = lambda specs: jax.tree.map(lambda spec: NamedSharding(GRID, spec), specs, is_leaf=lambda x: isinstance(x, P))
    more = {} if outs is None else {"out_shardings": on(outs)}
    jitted = lambda: jax.jit(lambda *args: function(*args), in_shardings=on(ins), **more)
    results = [np.asarray(r) for r in jax.tree.leaves(jitted()(*inputs))]
    jax.config.update("jax_use_shardy_partitioner", shardy)
    text = jitted().lower(*inputs).as_text()
    jax.config.update("jax_use_shardy_partitioner", True)
    text = re.sub(r'"y"=2\]>', '"y"=2], device_ids=[%s]>' % ORDER, text)
    text = re.sub(r"\{devices=(\[4,2\]|\[4,1,2\])<=\[8\]", r"{devices=\g<1>%s" % ORDER, text)
    assert ORDER in text
    save("orders_" + name, text, inputs, results, TOLERANCE, folder="sharded")


def train(w, v, x, y):
    def loss(w, v):
        return jnp.mean((place(jax.nn.relu(x @ w), "x", "y") @ v - y) ** 2)

    value, (dw, dv) = jax.value_and_grad(loss, argnums=(0, 1))(w, v)
    return value, w - 0.1 * dw, v - 0.1 * dv


BOTH = [numbers(8, 16), numbers(16, 8)]
orders("matmul", lambda a, b: jnp.tanh(a @ b), BOTH, (P("x", None), P(None, "y")), P("x", "y"))
orders("train", train, [numbers(16, 32), numbers(32, 8), numbers(16, 16), numbers(16, 8, seed=2)], (P(None, "y"), P("y", None), P("x"), P("x")),
       (P(), P(None, "y"), P("y", None)))
orders("reversed", lambda a: (a[::-1] * 2, a[:, ::-1].sum(0), place(a[:6], "x")[::-1]), [numbers(8, 16)], (P("x", "y"),))
orders("hlo", lambda a, b: place(jnp.exp(a) @ b, "x", "y").sum(0), BOTH, (P("x", "y"), P()), shardy=False)
