#!/usr/bin/env python3
"""JAX on a GPU by the PJRT plugin: what a user of JAX relies on, each in a few lines, against NumPy.

    JAX_PLATFORMS=fornax FORNAX_PJRT_OPTIONS=device=cuda python3 tests/gpu/jax_smoke.py

Prints one line a check: its name, milliseconds of the first run, or what went wrong. Exit code 1 if one failed.
"""
import gc
import sys
import threading
import time
import traceback

import jax
import jax.numpy as jnp
import numpy as np

CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


def near(found, wanted, tolerance=1e-5):
    np.testing.assert_allclose(np.asarray(found, np.float64), np.asarray(wanted, np.float64), tolerance, tolerance)


def draw(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


@check
def jit():
    x = draw(64, 64)
    near(jax.jit(lambda x: jnp.tanh(x @ x) + 1)(x), np.tanh(x @ x) + 1, 2e-3)


@check
def eager():
    x = jnp.asarray(draw(1000))
    near((x * 2 + jnp.sin(x)).sum(), (np.asarray(x) * 2 + np.sin(np.asarray(x))).sum(), 1e-4)


@check
def grad():
    x = draw(100)
    near(jax.grad(lambda x: jnp.sum(jnp.sin(x) ** 2))(x), np.sin(2 * x))


@check
def vmap():
    a, b = draw(8, 16, 32), draw(8, 32, 4, seed=1)
    near(jax.jit(jax.vmap(jnp.matmul))(a, b), a @ b, 1e-2)


@check
def scan():
    x = draw(100, 8)
    found = jax.jit(lambda x: jax.lax.scan(lambda c, row: (c * 0.5 + row, c), jnp.zeros(8), x))(x)
    carry, seen = np.zeros(8), []
    for row in x:
        seen.append(carry)
        carry = carry * 0.5 + row
    near(found[0], carry, 1e-4)
    near(found[1], seen, 1e-4)


@check
def while_and_cond():
    def collatz(n):
        even = lambda n: n // 2
        odd = lambda n: 3 * n + 1
        body = lambda s: (jax.lax.cond(s[0] % 2 == 0, even, odd, s[0]), s[1] + 1)
        return jax.lax.while_loop(lambda s: s[0] != 1, body, (n, 0))[1]

    assert int(jax.jit(collatz)(jnp.int32(27))) == 111


@check
def donation():
    step = jax.jit(lambda w, g: w - 0.1 * g, donate_argnums=0)
    w, g = jnp.asarray(draw(1 << 20)), jnp.ones(1 << 20)
    first, start, wanted = w, w.unsafe_buffer_pointer(), np.asarray(w) - 0.3
    for _ in range(3):
        w = step(w, g)
    assert first.is_deleted() and w.unsafe_buffer_pointer() == start
    near(w, wanted)


@check
def dispatch_is_asynchronous():
    work = jax.jit(lambda x: jax.lax.fori_loop(0, 400, lambda _, y: jnp.tanh(y @ y), x))
    x = jnp.asarray(draw(1024, 1024) / 32)
    work(x).block_until_ready()
    began = time.perf_counter()
    y = work(x)
    returned = time.perf_counter() - began
    y.block_until_ready()
    whole = time.perf_counter() - began
    assert returned < whole / 2, f"the call took {returned * 1e3:.1f} of {whole * 1e3:.1f} ms"


@check
def device_put():
    x = draw(300, 7)
    there = jax.device_put(x, jax.devices()[0])
    near(there.T, x.T)
    near(jax.device_put(x[::2, ::-1]), x[::2, ::-1])
    again = jax.device_put(there, jax.devices()[-1])
    near(again, x)


@check
def element_types():
    for kind in ("bool", "int8", "uint8", "int16", "int32", "uint32", "float16", "bfloat16", "float32", "complex64",
                 "float8_e4m3fn", "int4"):
        x = jnp.arange(10) % 2
        near(jnp.real(x.astype(kind).astype("complex64")), np.arange(10) % 2)


@check
def dlpack_in():
    try:
        import torch
    except ImportError:
        return
    if jax.devices()[0].device_kind.startswith("NVIDIA") and torch.cuda.is_available():
        x = torch.arange(16, device="cuda", dtype=torch.float32)
        near(jnp.from_dlpack(x) + 1, np.arange(16) + 1)


@check
def memory_stats():
    gc.collect()
    device = jax.devices()[0]
    before = device.memory_stats()["bytes_in_use"]
    x = jnp.zeros(1 << 22, jnp.float32).block_until_ready()
    assert device.memory_stats()["bytes_in_use"] - before >= 1 << 24
    assert device.memory_stats()["bytes_limit"] > 1 << 24
    del x
    gc.collect()
    assert device.memory_stats()["bytes_in_use"] - before < 1 << 24


@check
def memory_comes_back():
    # 200 times 256 MB: more than any GPU has.
    make = jax.jit(lambda x: jnp.full((1 << 26,), x))
    for at in range(200):
        y = make(jnp.float32(at))
    near(y[:3], [199.0] * 3)


@check
def random_numbers():
    # The same stream as NumPy would compute it: threefry is exact on every device.
    key = jax.random.key(7)
    bits = jax.random.bits(key, (4,))
    assert np.asarray(bits).dtype == np.uint32
    x = jax.random.normal(key, (100000,))
    assert abs(float(x.mean())) < 0.02 and abs(float(x.std()) - 1) < 0.02


@check
def linear_algebra():
    x = draw(20, 20)
    a = x @ x.T + 20 * np.eye(20, dtype=np.float32)
    near(jnp.linalg.cholesky(a), np.linalg.cholesky(a), 1e-3)
    near(jnp.linalg.solve(a, x), np.linalg.solve(a, x), 1e-3)
    q, r = jnp.linalg.qr(x)
    near(q @ r, x, 1e-3)
    near(jnp.linalg.eigvalsh(a), np.linalg.eigvalsh(a), 1e-3)
    near(jnp.linalg.svd(x, compute_uv=False), np.linalg.svd(x, compute_uv=False), 1e-3)
    near(jnp.fft.fft(x[0]).real, np.fft.fft(x[0]).real, 1e-3)


@check
def sort_and_scatter():
    x = draw(10000)
    near(jnp.sort(x), np.sort(x))
    at = np.argsort(x)[:100]
    wanted = x.copy()
    wanted[at] = 0
    near(jnp.asarray(x).at[at].set(0), wanted)
    near(jnp.cumsum(jnp.ones(5000)), np.arange(1, 5001))


@check
def convolution():
    x, w = draw(2, 3, 16, 16), draw(8, 3, 3, 3, seed=1)
    found = jax.jit(lambda x, w: jax.lax.conv(x, w, (1, 1), "VALID"))(x, w)
    patches = np.lib.stride_tricks.sliding_window_view(x, (3, 3), (2, 3))
    near(found, np.einsum("nchwij,ocij->nohw", patches, w), 2e-2)


@check
def many_programs():
    functions = [jax.jit(lambda x, at=at: x * at + at) for at in range(30)]
    x = jnp.asarray(draw(50))
    values = [f(x) for f in functions]
    for at, value in enumerate(values):
        near(value, np.asarray(x) * at + at, 1e-4)


@check
def threads():
    f = jax.jit(lambda x: jnp.cumsum(x) * 2)
    x, results = jnp.asarray(draw(5000)), [None] * 8

    def run(at):
        for _ in range(20):
            results[at] = f(x + at)

    all_of_them = [threading.Thread(target=run, args=(at,)) for at in range(8)]
    [t.start() for t in all_of_them]
    [t.join() for t in all_of_them]
    for at, value in enumerate(results):
        near(value, np.cumsum(np.asarray(x, np.float64) + at) * 2, 1e-2)


@check
def errors_have_codes():
    try:
        jax.jit(lambda x: x @ x, compiler_options={"f32_matmul": "tf33"})(jnp.ones((4, 4)))
    except jax.errors.JaxRuntimeError as error:
        assert "FX0801" in str(error)
    else:
        raise AssertionError("a wrong flag was taken")


@check
def out_of_memory_is_an_error():
    try:
        jnp.zeros((1 << 40,), jnp.int8).block_until_ready()
    except jax.errors.JaxRuntimeError as error:
        assert "FX0706" in str(error), str(error)[:200]
    near(jnp.ones(4) + 1, [2] * 4)


@check
def sizes_of_analysis():
    compiled = jax.jit(lambda x: x @ x).lower(jnp.ones((64, 64))).compile()
    assert compiled.cost_analysis()["flops"] > 0
    assert compiled.memory_analysis() is not None
    from jax.experimental import serialize_executable
    again = serialize_executable.deserialize_and_load(*serialize_executable.serialize(compiled))
    near(again(jnp.ones((64, 64))), np.full((64, 64), 64.0), 1e-2)


def main():
    print(jax.__version__, jax.devices(), jax.devices()[0].device_kind, flush=True)
    failed = 0
    for function in CHECKS:
        began = time.perf_counter()
        try:
            function()
            print(f"{function.__name__}: {(time.perf_counter() - began) * 1e3:.0f} ms", flush=True)
        except Exception as error:
            failed += 1
            place = traceback.extract_tb(error.__traceback__)[-1]
            print(f"{function.__name__} FAILED: {type(error).__name__}: {' '.join(str(error).split())[:400]}"
                  f" ({place.name}:{place.lineno})", flush=True)
    print(f"{len(CHECKS) - failed} of {len(CHECKS)}")
    sys.exit(failed > 0)


main()
