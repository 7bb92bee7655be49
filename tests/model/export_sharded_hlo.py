#!/usr/bin/env python3
"""Writes the cases `hlo_*` of tests/sharded: programs whose shardings are HLO's (`mhlo.sharding`), as JAX wrote them before Shardy.

    pip install jax
    python3 tests/model/export_sharded_hlo.py
"""

from sharded_case import DEVICES, GRID, LINE, TOLERANCE, numbers  # before jax

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, shard_map
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

from case_folder import save

CUBE = Mesh(DEVICES.reshape(2, 2, 2), ("u", "v", "w"))


def place(value, *axes, mesh=GRID):
    return lax.with_sharding_constraint(value, NamedSharding(mesh, P(*axes)))


def hlo(name, function, inputs, ins, outs=None, mesh=GRID, alone=None):
    """`alone` is the function on one device, where XLA's own result on several is wrong."""
    on = lambda specs: jax.tree.map(lambda spec: NamedSharding(mesh, spec), specs, is_leaf=lambda x: isinstance(x, P))
    more = {} if outs is None else {"out_shardings": on(outs)}
    jitted = lambda: jax.jit(lambda *args: function(*args), in_shardings=on(ins), **more)
    # XLA's older partitioner aborts on some of these.
    jax.config.update("jax_use_shardy_partitioner", True)
    results = jax.tree.leaves(alone(*inputs) if alone else jitted()(*inputs))
    jax.config.update("jax_use_shardy_partitioner", False)
    save("hlo_" + name, jitted().lower(*inputs).as_text(), inputs, [np.asarray(r) for r in results], TOLERANCE, folder="sharded")


def mapped(function, ins, outs, mesh=GRID, **more):
    return shard_map(function, mesh=mesh, in_specs=ins, out_specs=outs, check_vma=False, **more)


BOTH = [numbers(8, 16), numbers(16, 8)]
hlo("matmul", lambda a, b: jnp.tanh(a @ b), BOTH, (P("x", None), P(None, "y")), P("x", "y"))
hlo("orders", lambda a, b: (a + 1, (a @ b).sum(0)), BOTH, (P(("y", "x"), None), P(None, ("x", "y"))), (P(None, ("y", "x")), P("y")))
hlo("cube", lambda a, b: place(a @ b, "v", ("w", "u"), mesh=CUBE) * 2, BOTH, (P(("u", "w"), "v"), P("v", None)), P("w", "u"), CUBE,
    lambda a, b: a @ b * 2)


def train(w, v, x, y):
    def loss(w, v):
        h = place(jax.nn.relu(x @ w), "x", "y")
        return jnp.mean((h @ v - y) ** 2)

    value, (dw, dv) = jax.value_and_grad(loss, argnums=(0, 1))(w, v)
    return value, w - 0.1 * dw, v - 0.1 * dv


hlo("train", train, [numbers(16, 32), numbers(32, 8), numbers(16, 16), numbers(16, 8, seed=2)], (P(None, "y"), P("y", None), P("x"), P("x")),
    (P(), P(None, "y"), P("y", None)))


def constrained(x, w):
    h = place(jnp.cos(x @ w), P.UNCONSTRAINED, "y")
    return h.sum(1), lax.fori_loop(0, 3, lambda i, c: place(c * 2, "y", "x") + h, h), place(x, "x")[:, ::-1]


hlo("constraints", constrained, BOTH, (P("x", None), P()))
hlo("uneven", lambda x: (place(x, "x", None).sum(0), place(jnp.log(jnp.abs(x)), None, ("x", "y")).max(1)), [numbers(6, 10)], (P(),))


def manual(a, b):
    f = mapped(lambda x, y: lax.psum(x @ y, "y") + lax.axis_index("x"), (P("x", "y"), P("y", None)), P("x", None))
    turn = [(i, (i + 1) % 8) for i in range(8)]
    ring = mapped(lambda x: lax.ppermute(x, "d", turn) * lax.axis_index("d"), P("d"), P("d"), LINE)
    return jnp.tanh(f(a * 2, b)).sum(0), ring(f(a, b + 1)), mapped(lambda: lax.psum(lax.axis_index("x") * 1.0, "x"), (), P())()


hlo("manual", manual, BOTH, (P("x"), P()))
step = mapped(lambda c, w: lax.psum(c @ w, "y"), (P("x", "y"), P("y", None)), P("x", None))
hlo("manual_in_scan", lambda a, w: lax.scan(lambda c, _: (jnp.tanh(step(c, w)), c.sum()), a, None, length=3), [numbers(8, 8), numbers(8, 8)], (P(), P()))


def descend(x, w, v):
    loss, grads = jax.value_and_grad(lambda p: jnp.mean((jax.nn.relu(x @ p[0]) @ p[1]) ** 2))((w, v))
    return lax.pmean(loss, "x"), [p - 0.1 * lax.pmean(g, "x") for p, g in zip((w, v), grads)]


hlo("partly", mapped(descend, (P("x"), P(), P()), (P(), P()), axis_names={"x"}), [numbers(8, 8), numbers(8, 16), numbers(16, 4)],
    (P("x"), P(None, "y"), P("y", None)))


def pieces(a, w):
    h = jnp.tanh(a @ w) + lax.axis_index("x").astype(jnp.float32)
    g = lax.all_gather(h, "x", axis=0, tiled=True)
    return lax.psum(h, "x"), lax.psum_scatter(g, "x", scatter_dimension=0, tiled=True), lax.all_to_all(g, "x", 0, 1, tiled=True)


hlo("partly_collectives", mapped(pieces, (P("x"), P()), (P(), P("x"), P("x", None)), axis_names={"x"}), BOTH, (P("x", None), P(None, "y")))
