"""Writes the models of this folder: JAX functions exported with symbolic shapes, and what JAX gives for several sizes of each.

Every model has a folder with model.mlir and one folder a tuple of sizes: in_N.npy, out_N.npy. Run it with a Python that has jax and
numpy: python export.py
"""

import pathlib
import shutil

import jax
import jax.numpy as jnp
import numpy as np
from jax import export

# Places name the file alone.
jax.config.update("jax_hlo_source_file_canonicalization_regex", ".*/")

HERE = pathlib.Path(__file__).parent
F32, I32 = np.float32, np.int32


def mlp(x, w, v):
    return jnp.tanh(x @ w) @ v


def attention(q, k, v):
    s = q.shape[1]
    scores = jnp.einsum("bqd,bkd->bqk", q, k) / 4.0
    weights = jax.nn.softmax(jnp.where(jnp.tril(jnp.ones((s, s), bool)), scores, -1e9))
    return jnp.einsum("bqk,bkd->bqd", weights, v)


def normalised(x, scale):
    x = x - x.mean(-1, keepdims=True)
    return x / jnp.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * scale, x.sum(0)


def embedded(table, tokens):
    rows = table[tokens]
    return rows.reshape(-1, rows.shape[-1]), jnp.argmax(rows, -1)


def images(x, w):
    y = jax.lax.conv_general_dilated(x, w, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    return jax.lax.reduce_window(y, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID").mean((1, 2))


def joined(x, y):
    both = jnp.concatenate([x, jnp.flip(y, 0), 2 * x], 0)
    return jnp.pad(both, ((1, 2), (0, 0))), both[1::2], both.T.reshape(-1)


def ordered(x):
    return jnp.sort(x, axis=0), jnp.argsort(-x, axis=0)


def running(x):
    return jnp.cumsum(x, axis=0), jax.lax.cummax(x, axis=1, reverse=True)


def gradients(x, y):
    return x.T @ y


def shaped(shapes, dtypes, scope):
    return [jax.ShapeDtypeStruct(export.symbolic_shape(s, scope=scope), d) for s, d in zip(shapes, dtypes)]


MODELS = {
    mlp: (["b, 12", "12, 20", "20, 5"], [F32] * 3, [{"b": n} for n in (1, 2, 7, 33, 128)]),
    attention: (["b, s, 16"] * 3, [F32] * 3, [{"b": b, "s": s} for b, s in ((1, 1), (2, 3), (3, 17), (1, 40))]),
    normalised: (["b, s, 24", "24"], [F32] * 2, [{"b": b, "s": s} for b, s in ((1, 1), (5, 3), (2, 31))]),
    embedded: (["50, 8", "b, s"], [F32, I32], [{"b": b, "s": s} for b, s in ((1, 1), (3, 5), (16, 11))]),
    images: (["b, 9, 10, 3", "3, 3, 3, 8"], [F32] * 2, [{"b": n} for n in (1, 3, 8)]),
    joined: (["b, 6", "c, 6"], [F32] * 2, [{"b": b, "c": c} for b, c in ((1, 1), (4, 1), (3, 9), (20, 13))]),
    ordered: (["b, 3"], [F32], [{"b": n} for n in (1, 2, 19, 64, 300)]),
    running: (["b, c"], [F32], [{"b": b, "c": c} for b, c in ((1, 1), (4, 1), (70, 3))]),
    gradients: (["b, 24", "b, 10"], [F32] * 2, [{"b": n} for n in (1, 31, 130)]),
}


def main():
    for function, (shapes, dtypes, all_sizes) in MODELS.items():
        folder = HERE / function.__name__
        shutil.rmtree(folder, ignore_errors=True)
        scope = export.SymbolicScope()
        exported = export.export(jax.jit(function))(*shaped(shapes, dtypes, scope))
        folder.mkdir()
        (folder / "model.mlir").write_text(exported.mlir_module())
        for sizes in all_sizes:
            random = np.random.default_rng(sum(sizes.values()))
            dims = [[int(sizes.get(d.strip(), d.strip())) for d in s.split(",")] for s in shapes]
            inputs = [
                random.integers(0, 50, shape).astype(dtype) if dtype == I32 else random.standard_normal(shape).astype(dtype)
                for shape, dtype in zip(dims, dtypes)
            ]
            outputs = jax.tree.leaves(function(*inputs))
            case = folder / "_".join(str(n) for n in sizes.values())
            case.mkdir()
            for stem, arrays in (("in", inputs), ("out", outputs)):
                for number, array in enumerate(arrays):
                    np.save(case / f"{stem}_{number}.npy", np.asarray(array))


main()
