#!/usr/bin/env python3
"""Writes the cases of tests/sharded: programs for 8 devices as JAX exports them, and what JAX computes on 8 CPU devices.

    pip install jax
    python3 tests/model/export_sharded.py

One folder a case, as tests/model/export_goldens.py writes them. Inputs and outputs are whole tensors. `manual_*` are shard_map
programs, `auto_*` jit programs with shardings and no collective in them.
"""

from sharded_case import DEVICES, GRID, LINE, auto, case, manual, numbers  # before jax

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, shard_map
from jax._src.lax import parallel  # The starts of 0.10 are not exported yet.
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

# Every collective that shard_map has.
def collectives(a, b):
    c = lax.psum(a @ b, "y")
    d = lax.all_gather(c, "x", axis=1, tiled=True)
    e = lax.psum_scatter(d, "x", scatter_dimension=1, tiled=True)
    g = lax.all_to_all(e, "x", 1, 0, tiled=True)
    h = lax.ppermute(g, "x", [(i, (i + 1) % 4) for i in range(4)])
    k = lax.pmax(h, ("x", "y")) - lax.pmin(h, "y")
    return h + k + lax.axis_index("x").astype(jnp.float32)


manual("collectives", collectives, [numbers(8, 16), numbers(16, 8)], (P("x", "y"), P("y", None)), P(None, "x"))


# Collectives that are begun before their results are wanted.
def started(a, b):
    product = a @ b
    total = parallel.psum_start(product, "y")
    moved = parallel.ppermute_start(a, "x", [(i, (i + 1) % 4) for i in range(4)])
    whole = parallel.all_gather_start(b, "x", axis=1, tiled=True)
    sines = jnp.sin(product)
    part = parallel.psum_scatter_start(jnp.concatenate([sines] * 4), "x", scatter_dimension=0, tiled=True)
    return total.done() + sines, moved.done(), whole.done(), part.done()


manual("async", started, [numbers(8, 16), numbers(16, 8)], (P("x", "y"), P("y", None)), (P("x", "y"), P("x", "y"), P("y"), P(("x", "y"))))


# Tensor parallel MLP: columns, then rows, one sum.
def tensor_parallel(x, w, v):
    return lax.psum(jnp.tanh(x @ w) @ v, "d")


manual("tensor_parallel", tensor_parallel, [numbers(4, 16), numbers(16, 32), numbers(32, 16)], (P(), P(None, "d"), P("d", None)), P(), LINE)


# Data parallel gradients.
def data_parallel(x, y, w):
    loss, grad = jax.value_and_grad(lambda w: jnp.mean((x @ w - y) ** 2))(w)
    return lax.pmean(loss, "d"), w - 0.1 * lax.pmean(grad, "d")


manual("data_parallel", data_parallel, [numbers(16, 8), numbers(16, 4, seed=1), numbers(8, 4)], (P("d"), P("d"), P()), (P(), P()), LINE)


# FSDP: weights are gathered, gradients scattered.
def fsdp(x, w):
    def loss(w):
        full = lax.all_gather(w, "d", axis=0, tiled=True)
        return jnp.sum(jnp.sin(x @ full))

    return lax.psum(loss(w), "d"), jax.grad(loss)(w)


manual("fsdp", fsdp, [numbers(16, 32), numbers(32, 8)], (P("d", None), P("d", None)), (P(), P("d", None)), LINE)


# Ring attention over the sequence, in a loop.
def ring(q, k, v):
    size = 8

    def step(_, carry):
        k, v, m, s, o = carry
        logits = q @ k.T
        new = jnp.maximum(m, logits.max(axis=1, keepdims=True))
        weight = jnp.exp(logits - new)
        scale = jnp.exp(m - new)
        turn = [(i, (i + 1) % size) for i in range(size)]
        return lax.ppermute(k, "d", turn), lax.ppermute(v, "d", turn), new, s * scale + weight.sum(axis=1, keepdims=True), o * scale + weight @ v

    start = (k, v, jnp.full((q.shape[0], 1), -jnp.inf), jnp.zeros((q.shape[0], 1)), jnp.zeros_like(q))
    _, _, _, s, o = lax.fori_loop(0, size, step, start)
    return o / s


manual("ring_attention", ring, [numbers(32, 4, seed=s) for s in range(3)], (P("d"), P("d"), P("d")), P("d"), LINE)


# The same in rounds, each divided by its sum, with the logarithm of it; what lies ahead is hidden.
def ring_rounds(q, k, v):
    own, turn = lax.axis_index("d"), [(i, (i + 1) % 8) for i in range(8)]

    def part(k, v, at):
        hidden = own * 4 + jnp.arange(4)[:, None] < at * 4 + jnp.arange(4)
        scores = jnp.where(hidden, -1e30, q @ k.T)
        most = scores.max(axis=1, keepdims=True)
        weights = jnp.exp(scores - most)
        total = weights.sum(axis=1, keepdims=True)
        return (weights / total) @ v, most + jnp.log(total)

    mixed, size = part(k, v, own)
    for step in range(1, 8):
        k, v = lax.ppermute(k, "d", turn), lax.ppermute(v, "d", turn)
        other, more = part(k, v, (own - step) % 8)
        both = jnp.logaddexp(size, more)
        mixed, size = mixed * jnp.exp(size - both) + other * jnp.exp(more - both), both
    return mixed


manual("ring_rounds", ring_rounds, [numbers(32, 4, seed=s) for s in range(3)], (P("d"), P("d"), P("d")), P("d"), LINE)


# Experts: tokens go to the device of their expert and back.
def experts(x, w):
    sent = lax.all_to_all(x, "d", 0, 0, tiled=True)
    done = jnp.maximum(sent @ w[0], 0)
    return lax.all_to_all(done, "d", 0, 0, tiled=True)


manual("experts", experts, [numbers(64, 4), numbers(8, 4, 4)], (P("d"), P("d")), P("d"), LINE)
manual("integers", lambda a: (lax.psum(a, "x"), lax.pmax(a, "y"), lax.all_gather(a, "y")), [np.arange(24, dtype=np.int32).reshape(8, 3)], (P("x"),),
       (P(), P("x"), P(None, "x")))
manual("bf16", lambda a: lax.psum(a, "d"), [numbers(8, 33).astype(jnp.bfloat16)], (P("d"),), P(), LINE)

# Shardings alone.
auto("matmul", lambda a, b: jnp.tanh(a @ b), [numbers(8, 16), numbers(16, 8)], (P("x", None), P(None, "y")))
auto("contracted", lambda a, b: a @ b, [numbers(8, 16), numbers(16, 8)], (P(None, "x"), P("x", None)), P("y", None))
auto("softmax", lambda a: jax.nn.softmax(a, axis=-1), [numbers(8, 32)], (P("y", "x"),), P("x", "y"))
auto("layer_norm", lambda a, g: (a - a.mean(-1, keepdims=True)) / jnp.sqrt(a.var(-1, keepdims=True) + 1e-5) * g, [numbers(16, 8), numbers(8)],
     (P("x", "y"), P("y")))
auto("mlp_gradients", jax.grad(lambda w, v, x: jnp.sum(jnp.tanh(x @ w) @ v), argnums=(0, 1)), [numbers(16, 32), numbers(32, 8), numbers(8, 16)],
     (P(None, "x"), P("x", None), P("y", None)), (P(None, "x"), P("x", None)))


def attention(x, q, k, v):
    heads = lambda w: (x @ w).reshape(2, 8, 4, 4).transpose(0, 2, 1, 3)
    a = jax.nn.softmax(heads(q) @ heads(k).transpose(0, 1, 3, 2) / 2.0, axis=-1) @ heads(v)
    return a.transpose(0, 2, 1, 3).reshape(2, 8, 16)


auto("attention", attention, [numbers(2, 8, 16)] + [numbers(16, 16, seed=s) for s in range(3)],
     (P("y", None, None), P(None, "x"), P(None, "x"), P(None, "x")), P("y", None, "x"))
auto("embedding", lambda t, i: t[i], [numbers(32, 8), np.arange(8, dtype=np.int32) * 3], (P("x", None), P("y")), P("y", None))
auto("conv", lambda x, w: lax.conv_general_dilated(x, w, (1, 1), "SAME"), [numbers(8, 3, 6, 6), numbers(4, 3, 3, 3)], (P("x"), P()), P("x"))
auto("scan", lambda a, w: lax.scan(lambda c, x: (jnp.tanh(c @ w) + x, c.sum()), a[0], a), [numbers(5, 8, 8), numbers(8, 8)], (P(None, "x"), P()))
auto("uneven", lambda a: a * 2 + a.sum(), [numbers(6, 5)], (P("y", None),), P(None, None))
auto("sort", lambda a: jnp.sort(a, axis=1), [numbers(8, 16)], (P("x", "y"),), P("x", "y"))
auto("slices", lambda a: jnp.concatenate([a[:, 2:6], a[:, :4]], axis=1)[::-1], [numbers(8, 8)], (P("x", "y"),), P("y", "x"))


def train(w, v, x, y):
    def loss(w, v):
        return jnp.mean((jax.nn.relu(x @ w) @ v - y) ** 2)

    value, (dw, dv) = jax.value_and_grad(loss, argnums=(0, 1))(w, v)
    return value, w - 0.1 * dw, v - 0.1 * dv


auto("train_fsdp", train, [numbers(16, 32), numbers(32, 8), numbers(16, 16), numbers(16, 8, seed=2)],
     (P(("x", "y"), None), P(("x", "y"), None), P(("x", "y"), None), P(("x", "y"), None)), (P(), P(("x", "y"), None), P(("x", "y"), None)))

# Control flow, whole and cut; orders of axes; types; what reads its rows by number.
SPLIT = [numbers(8, 16)]
auto("argmax", lambda a: (jnp.argmax(a, 1), jnp.argmax(a, 0), a.max(0)), SPLIT, (P("x", "y"),))
auto("cond", lambda a, b: lax.cond(a.sum() > 0, lambda: a @ b, lambda: a - 1.0), [numbers(8, 8), numbers(8, 8)], (P("x", None), P(None, "y")))
auto("while", lambda a, b: lax.while_loop(lambda c: c.sum() < 50.0, lambda c: c * 1.5 + jnp.abs(b), jnp.abs(a)), [numbers(8, 8), numbers(8, 8)],
     (P("x", "y"), P("y", "x")))
auto("moved_axes", lambda a: a + 1, [numbers(16, 16)], (P(("y", "x"), None),), P(None, ("x", "y")))
auto("complex", lambda a, b: a @ b, [numbers(8, 16).astype(np.complex64), numbers(16, 8).astype(np.complex64) * 1j], (P("x", "y"), P("y", None)), P(None, "y"))
auto("reshapes", lambda a: (a.reshape(4, 2, 16), a.reshape(128), a.reshape(16, 8), a.reshape(2, 4, 4, 4).transpose(3, 1, 0, 2)), SPLIT, (P("x", "y"),))
auto("update", lambda a, b: lax.dynamic_update_slice(a, b, (2, 0)), [numbers(8, 16), numbers(3, 16)], (P(None, "y"), P(None, "x")), P("x", "y"))
auto("gather_gradient", jax.grad(lambda t, i: (t[i] ** 2).sum()), [numbers(32, 8), np.arange(8, dtype=np.int32) * 3], (P("x", None), P("y")), P("x", None))
OUTSIDE = np.array([3, 31, -1, 40, 0, 17], dtype=np.int32)
auto("lookup", lambda t, i: jnp.take(t, i, axis=0, mode="clip"), [numbers(32, 8), OUTSIDE], (P(("x", "y"), None), P()))
auto("windows", lambda t, i, u: (t[i], t.at[i].set(u)), [numbers(16, 8), np.array([[3], [9]], dtype=np.int32), numbers(2, 1, 8)],
     (P(None, "x"), P(), P(None, None, "x")), (P(None, None, "x"), P(None, "x")))
auto("slots", jax.vmap(lambda c, r, p: lax.dynamic_update_slice(c, r, (0, p, 0))), [numbers(4, 8, 6, 3), numbers(4, 8, 1, 3), np.array([0, 5, 2, 3], dtype=np.int32)],
     (P(None, "x"), P(None, "x"), P()), P(None, "x"))
auto("bits", lambda a: (lax.bitcast_convert_type(a, jnp.uint8) >> 3, lax.bitcast_convert_type(a, jnp.int32) + 1), SPLIT, (P("x", "y"),))
auto("booleans", lambda a: (jnp.any(a > 0, 1), jnp.all(a > -1, 0)), SPLIT, (P("x", "y"),))


def outer(a, b):
    f = shard_map(lambda x, y: lax.psum(x @ y, "y"), mesh=GRID, in_specs=(P("x", "y"), P("y", None)), out_specs=P("x", None))
    return jnp.tanh(f(a * 2, b)).sum(0), f(a, b + 1)[::-1]


case("manual_within_jit", jax.jit(outer), [numbers(8, 16), numbers(16, 8)])
manual("while", lambda a: lax.while_loop(lambda c: lax.pmax(c.max(), "d") < 9.0, lambda c: c * 1.7 + lax.axis_index("d"), jnp.abs(a)), [numbers(8, 4)],
       (P("d"),), P("d"), LINE)
manual("cond", lambda a: lax.cond(lax.psum(a.sum(), "d") > 0, lambda x: lax.psum(x, "d"), lambda x: x, a), [numbers(8, 4)], (P("d"),), P("d"), LINE)
manual("groups", lambda a: lax.psum(a, "d", axis_index_groups=[[0, 3], [1, 2], [4, 5], [6, 7]]), [numbers(8, 4)], (P("d"),), P("d"), LINE)
manual("partial_permute", lambda a: lax.ppermute(a, "d", [(0, 3), (3, 1)]), [numbers(8, 4)], (P("d"),), P("d"), LINE)
manual("untiled", lambda a: lax.all_to_all(lax.all_gather(a, "y", axis=1), "x", 0, 1), [numbers(32, 4)], (P(("x", "y")),), P("x"))

# Loops and branches whose bodies are cut, and constraints within a program.
BATCH = P("x", None)


def recurrent(x, w, u):
    start = jnp.zeros((x.shape[1], u.shape[0]), x.dtype)
    last, all_steps = lax.scan(lambda h, t: (jnp.tanh(t @ w + h @ u),) * 2, start, x)
    return last, all_steps


auto("scan_batch", recurrent, [numbers(6, 8, 5), numbers(5, 4), numbers(4, 4)], (P(None, "x"), P(), P()), (BATCH, P(None, "x")))


def layers(ws, x):
    def block(h, w):
        return jnp.tanh(h @ w) + h, (h**2).sum()

    last, norms = lax.scan(block, x, ws)
    return (last**2).mean() + 0.01 * norms.sum()


auto("scan_layers", jax.value_and_grad(layers), [numbers(3, 16, 16), numbers(8, 16)], (P(None, "y", "x"), BATCH), (P(), P(None, "y", "x")))
auto("scan_stacked", jax.grad(layers), [numbers(4, 8, 8), numbers(8, 8)], (P("x", None, None), P("y", None)), P("x", None, None))
auto("loop_invariant", lambda a, w: lax.fori_loop(0, 4, lambda i, c: jnp.sin(c @ w) + c[:, ::-1], a), [numbers(8, 8), numbers(8, 8)],
     (P("x", "y"), P("y", "x")), P("x", "y"))
auto("swapped", lambda a, b: lax.fori_loop(0, 5, lambda i, c: (c[1] * 0.5, c[0] + 1), (a, b)), [numbers(8, 8), numbers(8, 8)], (P("x", None), P(None, "y")))
auto("nested_loops", lambda a, b: lax.fori_loop(0, 3, lambda i, c: lax.fori_loop(0, i + 1, lambda j, d: jnp.cos(d @ b) + a, c) * 0.5, a),
     [numbers(8, 8), numbers(8, 8)], (BATCH, P(None, "y")), BATCH)
auto("branches", lambda a, b, n: lax.switch(n, [lambda: a @ b, lambda: a + 1, lambda: jnp.zeros((8, 8)) + b.sum(0)]),
     [numbers(8, 8), numbers(8, 8), np.int32(2)], (BATCH, P(None, "y"), P()), BATCH)
auto("while_sum", lambda a: lax.while_loop(lambda c: (c[0] ** 2).sum() < 40.0, lambda c: (c[0] * 1.3 + c[0].mean(0), c[1] + 1), (a, 0)), [numbers(16, 8)],
     (P(("x", "y"), None),))


def constrained(x, w, v):
    place = lambda a, spec: lax.with_sharding_constraint(a, NamedSharding(GRID, spec))
    h = place(jax.nn.relu(place(x, P("x", None)) @ w), P("x", "y"))
    return place(h @ v, P("x", None)).sum(), lax.fori_loop(0, 2, lambda i, c: place(c * 2, P("y", "x")), h)


case("auto_constraints", jax.jit(constrained), [numbers(8, 16), numbers(16, 8), numbers(8, 4)])
mapped = shard_map(lambda c, w: lax.psum(c @ w, "y"), mesh=GRID, in_specs=(P("x", "y"), P("y", None)), out_specs=P("x", None))
case("manual_in_scan", jax.jit(lambda a, w: lax.scan(lambda c, _: (jnp.tanh(mapped(c, w)), c.sum()), a, None, length=3)), [numbers(8, 8), numbers(8, 8)])


# Images: batches, channels and windows.
def network(w, d, v, x):
    h = jax.nn.relu(lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")))
    h = lax.conv_general_dilated(h, d, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"), feature_group_count=8)
    h = lax.reduce_window(h, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    h = (h - h.mean((0, 1, 2))) / jnp.sqrt(h.var((0, 1, 2)) + 1e-3)
    return (h.mean((1, 2)) @ v).std()


IMAGES = [numbers(3, 3, 2, 8), numbers(3, 3, 1, 16), numbers(16, 4), numbers(8, 8, 8, 2)]
auto("images", jax.value_and_grad(network, argnums=(0, 1, 2)), IMAGES, (P(), P(), P(), P(("x", "y"))))
auto("channels", jax.value_and_grad(network, argnums=(0, 1, 2)), IMAGES, (P(None, None, None, "x"), P(None, None, None, "x"), P("x"), P("y")))
auto("input_channels", lambda x, w: lax.conv_general_dilated(x, w, (2, 1), "SAME"), [numbers(4, 8, 5, 6), numbers(6, 8, 3, 3)],
     (P("y", "x"), P(None, "x")), P("y"))
auto("grouped", lambda x, w: lax.conv_general_dilated(x, w, (1, 1), "VALID", feature_group_count=2), [numbers(4, 8, 5, 6), numbers(8, 4, 3, 3)],
     (P("x", "y"), P("y")), P("x", "y"))
auto("factors", lambda a: jnp.linalg.cholesky(a @ a.transpose(0, 2, 1) + 4 * jnp.eye(5)), [numbers(8, 5, 5)], (P("x"),), P("x"))
auto("prefix_sums", lambda a: (jnp.cumsum(a, 1), jnp.cumsum(a, 0)), SPLIT, (P("x", "y"),))


# Programs that say what each device does along some axes only.
def partly(name, function, inputs, ins, outs, places, axes=("x",)):
    mapped = shard_map(function, mesh=GRID, in_specs=ins, out_specs=outs, axis_names=set(axes), check_vma=False)
    shardings = jax.tree.map(lambda spec: NamedSharding(GRID, spec), places, is_leaf=lambda x: isinstance(x, P))
    case("partly_" + name, jax.jit(mapped, in_shardings=shardings), inputs)


def pieces(a, w):
    h = jnp.tanh(a @ w) + lax.axis_index("x").astype(jnp.float32)
    g = lax.all_gather(h, "x", axis=0, tiled=True)
    turned = lax.ppermute(h, "x", [(i, (i + 1) % 4) for i in range(4)])
    return lax.psum(h, "x"), lax.psum_scatter(g, "x", scatter_dimension=0, tiled=True) + turned, lax.all_to_all(g, "x", 0, 1, tiled=True)


partly("collectives", pieces, [numbers(8, 16), numbers(16, 8)], (P("x"), P()), (P(), P("x"), P("x", None)), (P("x", None), P(None, "y")))


def descend(x, w, v):
    loss, grads = jax.value_and_grad(lambda p: jnp.mean((jax.nn.relu(x @ p[0]) @ p[1]) ** 2))((w, v))
    return lax.pmean(loss, "x"), [p - 0.1 * lax.pmean(g, "x") for p, g in zip((w, v), grads)]


partly("descend", descend, [numbers(8, 8), numbers(8, 16), numbers(16, 4)], (P("x"), P(), P()), (P(), P()), (P("x"), P(None, "y"), P("y", None)))
partly("loop", lambda a, w: lax.scan(lambda c, _: (jnp.sin(c @ w) + lax.psum(c, "y"), c.sum()), a, None, length=3), [numbers(8, 8), numbers(4, 4)],
       (P(None, "y"), P()), (P(None, "y"), P()), (P("x", "y"), P("x", None)), ("y",))
inner = lambda a: shard_map(lambda b: lax.psum(b, "y") * 2, mesh=None, in_specs=P(None, "y"), out_specs=P(), axis_names={"y"}, check_vma=False)(a)
partly("nested", lambda a, b: inner(a * lax.axis_index("x")) + b[:, :4], [numbers(8, 8), numbers(8, 8)], (P("x"), P("x")), P("x"), (P("x", "y"), P("x")))
open_rows = NamedSharding(GRID, P(P.UNCONSTRAINED, "y"))
auto("unconstrained", lambda a, w: lax.with_sharding_constraint(jnp.cos(a @ w), open_rows).sum(1), [numbers(8, 16), numbers(16, 8)], (P("x", None), P()))

# Bodies that hand on what they get, and meshes of the same devices with other axes.
manual("handed_on", lambda a: (a, a, a * 2), [numbers(8, 16)], P("x", "y"), (P("x", "y"), P(("x", "y")), P("y", "x")))
CUBE = Mesh(DEVICES.reshape(2, 2, 2), ("u", "v", "w"))
on_line = lambda *axes: NamedSharding(LINE, P(*axes))
on_cube = lambda *axes: NamedSharding(CUBE, P(*axes))


def several_meshes(a, w):
    h = lax.with_sharding_constraint(jnp.tanh(a @ w), on_line(None, "d"))
    h = lax.with_sharding_constraint(h * 2 + h.sum(0), on_cube("v", ("w", "u")))
    return h @ w.T, shard_map(lambda h: lax.psum(h, "d"), mesh=LINE, in_specs=P("d"), out_specs=P())(h)


auto("several_meshes", several_meshes, [numbers(8, 16), numbers(16, 8)], (P("x", "y"), P(None, "x")), (P("y", "x"), P()))
