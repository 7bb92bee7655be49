#!/usr/bin/env python3
"""Milliseconds from a new small function to its result, in a JAX process that runs already, by the PJRT plugin.

    JAX_PLATFORMS=fornax FORNAX_PJRT_OPTIONS=device=cpu FORNAX_MODULE_CACHE=off python3 tests/model/jit_latency.py

Each function is new to the process and to the compiler: same operators, other sizes. `compile` is JAX's
`compile()` of the lowered function, which is the compiler, the plugin and the load onto the device; `call` the first
call behind it. `COMPILER_OPTIONS=name=value,…` are options of `jit`. With other platforms (`JAX_PLATFORMS=cpu`, `cuda`)
the figures are XLA's.
"""
import os
import statistics
import time

import jax
import jax.numpy as jnp

# Functions of a kind; the first of all start the compiler and are left out.
COUNT = 12

KINDS = {
    "elementwise": lambda x: jnp.tanh(x) * 2 + x,
    "softmax": lambda x: jax.nn.softmax(x, axis=-1),
    "matmul": lambda x: x @ x,
    "layer": lambda x: jax.nn.gelu(x @ x.T) @ x + x.mean(axis=-1, keepdims=True),
}


def main():
    options = dict(pair.split("=") for pair in os.environ.get("COMPILER_OPTIONS", "").split(",") if pair)
    print(jax.devices()[0].device_kind, options, flush=True)
    for name, function in KINDS.items():
        rows = []
        for at in range(COUNT):
            x = jnp.asarray(jnp.ones((64 + 8 * at, 64 + 8 * at)))
            lowered = jax.jit(lambda x: function(x)).lower(x)
            begin = time.perf_counter()
            compiled = lowered.compile(options) if options else lowered.compile()
            between = time.perf_counter()
            compiled(x).block_until_ready()
            rows.append(((between - begin) * 1e3, (time.perf_counter() - between) * 1e3))
        compile_ms, call_ms = (statistics.median(column) for column in zip(*rows[2:]))
        print(f"{name}: compile {compile_ms:.1f} ms, call {call_ms:.2f} ms", flush=True)


main()
