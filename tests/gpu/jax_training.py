#!/usr/bin/env python3
"""Training steps of small transformers in JAX and optax: Fornax's PJRT plugin beside XLA on the same GPU.

    python3 tests/gpu/jax_training.py [--only REGEX] [--steps 200] [--platforms fornax,cuda] [--out FILE]

One process a model and platform. A step is the gradient of the loss and AdamW (optax), its state donated, a new batch
from the host each time. Figures: milliseconds to the first step (trace, compile and run), of a step in a queue (mean of
50, one wait at the end), and of a step that is waited for (median). The losses of all steps are compared: exit code 1
where they differ by more than LOSSES_APART. Needs optax.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import time

# Layers, width, heads, rows, tokens, words, type of the products.
MODELS = {
    "tiny": (2, 128, 4, 8, 64, 512, "bfloat16"),
    "small": (6, 512, 8, 16, 256, 8192, "bfloat16"),
    "small_f32": (6, 512, 8, 16, 256, 8192, "float32"),
    "gpt2": (12, 768, 12, 8, 512, 16384, "bfloat16"),
}
# Words that the text is made of, and AdamW's rate: what is learnt slowly does not tell one rounding from another.
FEW, RATE = 256, 3e-4
# Most that two losses of a step may differ, as a part of the loss.
LOSSES_APART = 0.01
QUEUED, WAITED = 50, 20


def weights(numpy, sizes):
    layers, width, _, _, tokens, words, _ = sizes
    rng = numpy.random.default_rng(0)
    dense = lambda inner, outer: (rng.standard_normal((inner, outer)) * 0.02).astype("float32")
    norm = lambda: {"scale": numpy.ones(width, "float32"), "bias": numpy.zeros(width, "float32")}
    block = lambda: {"n1": norm(), "n2": norm(), "qkv": dense(width, 3 * width), "out": dense(width, width),
                     "up": dense(width, 4 * width), "down": dense(4 * width, width)}
    return {"words": dense(words, width), "places": dense(tokens, width), "norm": norm(),
            "blocks": [block() for _ in range(layers)]}


def loss_of(jax, jnp, sizes):
    _, width, heads, rows, tokens, _, kind = sizes
    cast = lambda x: x.astype(kind)

    def norm(w, x):
        x = x.astype(jnp.float32)
        mean, var = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
        return cast((x - mean) * jax.lax.rsqrt(var + 1e-5) * w["scale"] + w["bias"])

    def attend(w, x):
        q, k, v = jnp.split(x @ cast(w["qkv"]), 3, -1)
        q, k, v = (t.reshape(rows, tokens, heads, width // heads) for t in (q, k, v))
        mixed = jax.nn.dot_product_attention(q, k, v, is_causal=True)
        return mixed.reshape(rows, tokens, width) @ cast(w["out"])

    def loss(w, ids, labels):
        x = cast(w["words"][ids] + w["places"])
        for block in w["blocks"]:
            x = x + attend(block, norm(block["n1"], x))
            x = x + jax.nn.gelu(norm(block["n2"], x) @ cast(block["up"])) @ cast(block["down"])
        logits = (norm(w["norm"], x) @ cast(w["words"]).T).astype(jnp.float32)
        return -jnp.take_along_axis(jax.nn.log_softmax(logits), labels[..., None], -1).mean()

    return loss


def batches(numpy, sizes):
    """Text that can be learnt: each word is twice the one before it and a little, of FEW words."""
    rows, tokens = sizes[3:5]
    rng = numpy.random.default_rng(1)
    while True:
        text = numpy.empty((rows, tokens + 1), "int32")
        text[:, 0] = rng.integers(0, FEW, rows)
        for at in range(tokens):
            text[:, at + 1] = (2 * text[:, at] + rng.integers(0, 3, rows)) % FEW
        yield text[:, :-1].copy(), text[:, 1:].copy()


def one(name, steps):
    import jax
    import jax.numpy as jnp
    import numpy
    import optax
    sizes = MODELS[name]
    loss = loss_of(jax, jnp, sizes)
    optimizer = optax.adamw(optax.linear_schedule(0, RATE, 50))

    def step(w, state, ids, labels):
        value, gradient = jax.value_and_grad(loss)(w, ids, labels)
        updates, state = optimizer.update(gradient, state, w)
        return optax.apply_updates(w, updates), state, value

    step = jax.jit(step, donate_argnums=(0, 1))
    w = jax.device_put(weights(numpy, sizes))
    state = jax.device_put(optimizer.init(w))
    source = batches(numpy, sizes)
    began = time.perf_counter()
    w, state, first = step(w, state, *next(source))
    values = [first]
    first.block_until_ready()
    row = {"first_ms": (time.perf_counter() - began) * 1e3, "device": jax.devices()[0].device_kind}
    for _ in range(steps - 1):
        w, state, value = step(w, state, *next(source))
        values.append(value)
    row["losses"] = [float(value) for value in values]
    ahead = [next(source) for _ in range(QUEUED + WAITED)]
    began = time.perf_counter()
    for batch in ahead[:QUEUED]:
        w, state, value = step(w, state, *batch)
    called = time.perf_counter() - began
    value.block_until_ready()
    row["queued_ms"], row["call_ms"] = (time.perf_counter() - began) / QUEUED * 1e3, called / QUEUED * 1e3
    waited = []
    for batch in ahead[QUEUED:]:
        began = time.perf_counter()
        w, state, value = step(w, state, *batch)
        jax.block_until_ready((w, value))
        waited.append(time.perf_counter() - began)
    row["waited_ms"] = sorted(waited)[len(waited) // 2] * 1e3
    print("ROW " + json.dumps(row))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--platforms", default="fornax,cuda")
    parser.add_argument("--out")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        return one(args.one, args.steps)
    table, failed = {}, 0
    for name in (name for name in MODELS if re.search(args.only, name)):
        rows = table[name] = {}
        for platform in args.platforms.split(","):
            done = subprocess.run([sys.executable, __file__, "--one", name, "--steps", str(args.steps)], text=True,
                                  env={**os.environ, "JAX_PLATFORMS": platform}, capture_output=True)
            found = re.search(r"^ROW (.*)$", done.stdout, re.MULTILINE)
            if not found:
                failed += 1
                print(f"{name} on {platform} failed: {done.stderr[-1500:]}", flush=True)
                continue
            row = rows[platform] = json.loads(found.group(1))
            figures = ", ".join(f"{key} {value:.3f}" for key, value in row.items() if key.endswith("_ms"))
            print(f"{name} on {platform} ({row['device']}): {figures}; losses {row['losses'][0]:.4f} to "
                  f"{row['losses'][-1]:.4f}", flush=True)
        if len(rows) == 2:
            ours, theirs = rows.values()
            apart = max(abs(a - b) / abs(b) for a, b in zip(ours["losses"], theirs["losses"]))
            failed += not apart <= LOSSES_APART
            rows["apart"] = apart
            print(f"{name}: {theirs['queued_ms'] / ours['queued_ms']:.2f} x in a queue, "
                  f"{theirs['waited_ms'] / ours['waited_ms']:.2f} x waited for, losses apart {apart:.5f}", flush=True)
        if args.out:
            with open(args.out, "w") as file:
                json.dump(table, file)
    sys.exit(failed > 0)


main()
