#!/usr/bin/env python3
"""JAX on several devices by the PJRT plugin: programs of a few lines, against NumPy or the same program on one device.

    JAX_PLATFORMS=fornax FORNAX_PJRT_OPTIONS=device=cuda python3 tests/gpu/jax_devices.py
    JAX_PLATFORMS=fornax FORNAX_PJRT_OPTIONS=device=cpu,num_devices=8 python3 tests/gpu/jax_devices.py

Prints one line a check: its name, milliseconds of the first run, or what went wrong. Exit code 1 if one failed.
"""
import sys
import time
import traceback

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec as P

CHECKS = []
COUNT = len(jax.devices())
MESH = jax.sharding.Mesh(np.array(jax.devices()), ("d",))


def check(function):
    CHECKS.append(function)
    return function


def on(*axes):
    return NamedSharding(MESH, P(*axes))


def near(found, wanted, tolerance=1e-5):
    np.testing.assert_allclose(np.asarray(found, np.float64), np.asarray(wanted, np.float64), tolerance, tolerance)


def draw(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def each(function, x, before=P("d"), after=P("d")):
    """A program of its own on every device."""
    return jax.jit(jax.shard_map(function, mesh=MESH, in_specs=before, out_specs=after))(x)


@check
def arrays_come_and_go():
    x = draw(8 * COUNT, 6)
    for axes in [("d",), (None,), ()]:
        near(jax.device_put(x, on(*axes)), x, 0)
    cut = jax.device_put(x, on("d"))
    assert len(cut.addressable_shards) == COUNT
    near(jax.device_put(cut, on()), x, 0)


@check
def sums_and_means():
    x = draw(4 * COUNT, 5)
    near(each(lambda part: jax.lax.psum(part, "d"), x, after=P()), x.reshape(COUNT, 4, 5).sum(0))
    near(each(lambda part: jax.lax.pmean(part, "d"), x, after=P()), x.reshape(COUNT, 4, 5).mean(0))
    near(each(lambda part: jax.lax.pmax(part, "d"), x, after=P()), x.reshape(COUNT, 4, 5).max(0), 0)


@check
def long_sums_of_16_bits():
    x = (np.arange(COUNT * (1 << 20)) % 31).astype(np.float32)
    found = each(lambda part: jax.lax.psum(part.astype(jnp.bfloat16), "d").astype(jnp.float32), x, after=P())
    near(found, x.reshape(COUNT, -1).sum(0), 0)


@check
def gathers_and_scatters():
    x = draw(2 * COUNT, 3)
    gathered = jax.shard_map(lambda part: jax.lax.all_gather(part, "d", tiled=True), mesh=MESH, in_specs=P("d"),
                             out_specs=P(), check_vma=False)
    near(jax.jit(gathered)(x), x, 0)
    y = draw(COUNT * COUNT, 3, seed=1)
    scattered = each(lambda part: jax.lax.psum_scatter(part, "d", tiled=True), y)
    near(scattered, y.reshape(COUNT, COUNT, 3).sum(0))


@check
def rings_and_exchanges():
    x = draw(2 * COUNT, 3)
    ring = [(n, (n + 1) % COUNT) for n in range(COUNT)]
    near(each(lambda part: jax.lax.ppermute(part, "d", ring), x), np.roll(x, 2, axis=0), 0)
    y = draw(COUNT * COUNT, 3)
    swapped = each(lambda part: jax.lax.all_to_all(part, "d", 0, 0, tiled=True), y)
    near(swapped, y.reshape(COUNT, COUNT, 3).swapaxes(0, 1).reshape(y.shape), 0)
    numbers = each(lambda part: part + jax.lax.axis_index("d"), np.zeros(COUNT, np.int32))
    near(numbers, np.arange(COUNT), 0)


@check
def products_that_are_cut():
    x, w = draw(16, 32 * COUNT), draw(32 * COUNT, 8 * COUNT, seed=1)
    product = jax.jit(lambda x, w: jnp.tanh(x @ w), out_shardings=on(None, "d"))
    for axes in [((), (None, "d")), ((None, "d"), ("d", None)), (("d", None), ())]:
        near(product(jax.device_put(x, on(*axes[0])), jax.device_put(w, on(*axes[1]))), np.tanh(x @ w), 1e-2)


@check
def training_by_data():
    def loss(w, x, y):
        return jnp.mean((jnp.tanh(x @ w["in"]) @ w["out"] - y) ** 2)

    @jax.jit
    def step(w, x, y):
        value, gradient = jax.value_and_grad(loss)(w, x, y)
        return jax.tree.map(lambda w, g: w - 0.1 * g, w, gradient), value

    x = draw(32 * COUNT, 8)
    start = {"in": draw(8, 16 * COUNT, seed=1) / 4, "out": draw(16 * COUNT, 1, seed=2) / 4}
    ways = {
        "one": (None, None, None),
        "data": (on("d"), on(), on()),
        "cut": (on("d"), on(None, "d"), on("d", None)),
    }
    losses = {}
    for way, (data, first, second) in ways.items():
        put = lambda value, where: jax.device_put(value, where or jax.devices()[0])
        w = {"in": put(start["in"], first), "out": put(start["out"], second)}
        inputs, wanted = put(x, data), put(np.sin(x[:, :1]), data)
        losses[way] = []
        for _ in range(100):
            w, value = step(w, inputs, wanted)
            losses[way].append(float(value))
    assert losses["one"][-1] < losses["one"][0] / 2
    near(losses["data"], losses["one"], 1e-3)
    near(losses["cut"], losses["one"], 1e-3)


@check
def results_are_given_away():
    x = jax.device_put(draw(64 * COUNT, 64), on("d"))
    wanted = np.asarray(x)
    add = jax.jit(lambda x: x + 1, donate_argnums=0)
    for _ in range(10):
        x = add(x)
    near(x, wanted + 10, 1e-5)


@check
def calls_on_different_devices():
    found = [jax.jit(lambda x: jnp.sin(x).sum())(jax.device_put(draw(1000, seed=n), device))
             for n, device in enumerate(jax.devices())]
    near([float(value) for value in found], [np.sin(draw(1000, seed=n)).sum() for n in range(COUNT)], 1e-4)


@check
def many_calls_without_waiting():
    x = jax.device_put(draw(8 * COUNT, 8), on("d"))
    mix = jax.jit(jax.shard_map(lambda part: part - jax.lax.pmean(part, "d"), mesh=MESH, in_specs=P("d"),
                                out_specs=P("d")))
    wanted = np.asarray(x, np.float64)
    for _ in range(200):
        x = mix(x)
    wanted = (wanted.reshape(COUNT, 8, 8) - wanted.reshape(COUNT, 8, 8).mean(0)).reshape(8 * COUNT, 8)
    near(x, wanted, 1e-4)


def main():
    print("%d devices: %s" % (COUNT, jax.devices()[0].device_kind), flush=True)
    failed = 0
    for function in CHECKS:
        begin = time.time()
        try:
            function()
            print("%s: %.0f ms" % (function.__name__, 1e3 * (time.time() - begin)), flush=True)
        except Exception as error:  # What a check may raise is what it tests.
            failed += 1
            print("%s: FAILED: %s" % (function.__name__, str(error).strip()[:600]), flush=True)
            traceback.print_exc(limit=2)
    print("%d of %d checks pass" % (len(CHECKS) - failed, len(CHECKS)))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
