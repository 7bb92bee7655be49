#!/usr/bin/env python3
"""Train the small digit classifier of `make demo` and export it.

    pip install jax==0.10.2 scikit-learn numpy
    python3 train.py                      # rewrites the files beside this script; about a minute on two cores

Data: scikit-learn's `load_digits` (1,797 images of 8x8, values 0..16). The first 1,500 train, the rest are never
seen in training; ten of those, one a digit, are written as images for the demo.

Model: conv 3x3x16 - relu - conv 3x3x32 - relu - max pool 2x2 - dense 64 - relu - dense 10 - softmax.
Writes: model.mlir (StableHLO, the weights are arguments), args.json (argument names), weights.safetensors,
digit_N.npy (1x8x8x1 f32 in 0..1) and expected_N.npy (probabilities by JAX).
"""
import json
import os
import struct

os.environ.setdefault("JAX_PLATFORMS", "cpu")
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from sklearn.datasets import load_digits

HERE = os.path.dirname(os.path.abspath(__file__))
NAMES = ["conv1/kernel", "conv1/bias", "conv2/kernel", "conv2/bias", "dense1/kernel", "dense1/bias", "dense2/kernel", "dense2/bias"]
SHAPES = [(3, 3, 1, 16), (16,), (3, 3, 16, 32), (32,), (512, 64), (64,), (64, 10), (10,)]


def logits(image, weights):
    """[N, 8, 8, 1] -> [N, 10]"""
    k1, b1, k2, b2, w1, c1, w2, c2 = weights
    dims = ("NHWC", "HWIO", "NHWC")
    x = jax.nn.relu(lax.conv_general_dilated(image, k1, (1, 1), "SAME", dimension_numbers=dims) + b1)
    x = jax.nn.relu(lax.conv_general_dilated(x, k2, (1, 1), "SAME", dimension_numbers=dims) + b2)
    x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    x = x.reshape(x.shape[0], -1)
    x = jax.nn.relu(x @ w1 + c1)
    return x @ w2 + c2


def predict(image, *weights):
    return jax.nn.softmax(logits(image, weights))


def loss(weights, x, y):
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits(x, weights)), y[:, None], 1))


@jax.jit
def step(weights, m, v, t, x, y):
    """Adam."""
    grads = jax.grad(loss)(weights, x, y)
    m = [0.9 * a + 0.1 * g for a, g in zip(m, grads)]
    v = [0.999 * a + 0.001 * g * g for a, g in zip(v, grads)]
    rate = 2e-3 * jnp.sqrt(1 - 0.999**t) / (1 - 0.9**t)
    return [w - rate * a / (jnp.sqrt(b) + 1e-8) for w, a, b in zip(weights, m, v)], m, v


def write_safetensors(path, tensors):
    header, offset = {}, 0
    for name, array in tensors.items():
        header[name] = {"dtype": "F32", "shape": list(array.shape), "data_offsets": [offset, offset + array.nbytes]}
        offset += array.nbytes
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text)
        for array in tensors.values():
            f.write(np.ascontiguousarray(array, "<f4").tobytes())


def main():
    digits = load_digits()
    x = (digits.images[..., None] / 16).astype(np.float32)
    y = digits.target.astype(np.int32)
    rng = np.random.default_rng(0)
    weights = [rng.normal(0, np.sqrt(2 / max(1, np.prod(s[:-1]))), s).astype(np.float32) if len(s) > 1 else np.zeros(s, np.float32) for s in SHAPES]
    m = [np.zeros_like(w) for w in weights]
    v = [np.zeros_like(w) for w in weights]
    t = 0
    for _ in range(40):
        order = rng.permutation(1500)
        for start in range(0, 1500, 50):
            t += 1
            batch = order[start : start + 50]
            weights, m, v = step(weights, m, v, t, x[batch], y[batch])
    unseen = np.argmax(logits(x[1500:], weights), 1)
    print("accuracy on 297 unseen images: %.4f" % np.mean(unseen == y[1500:]))

    weights = [np.asarray(w) for w in weights]
    shapes = [jax.ShapeDtypeStruct((1, 8, 8, 1), np.float32)] + [jax.ShapeDtypeStruct(w.shape, np.float32) for w in weights]
    text = jax.jit(predict).lower(*shapes).as_text().replace("@main(", "@predict(")
    with open(os.path.join(HERE, "model.mlir"), "w") as f:
        f.write(text)
    write_safetensors(os.path.join(HERE, "weights.safetensors"), dict(zip(NAMES, weights)))
    args = [{"name": "image", "kind": "input", "shape": [1, 8, 8, 1], "dtype": "f32"}]
    args += [{"name": n, "kind": "weight", "shape": list(w.shape), "dtype": "f32"} for n, w in zip(NAMES, weights)]
    with open(os.path.join(HERE, "args.json"), "w") as f:
        json.dump({"name": "digits", "entry": "predict", "args": args}, f, indent=1)
    for digit in range(10):
        at = 1500 + int(np.argmax(y[1500:] == digit))
        np.save(os.path.join(HERE, "digit_%d.npy" % digit), x[at : at + 1])
        np.save(os.path.join(HERE, "expected_%d.npy" % digit), np.asarray(predict(x[at : at + 1], *weights)))


if __name__ == "__main__":
    main()
