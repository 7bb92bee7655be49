"""Writes the models of this folder: JAX functions exported with symbolic shapes, and what JAX gives for several sizes of each.

Every model has a folder with model.mlir and one folder a tuple of sizes: in_N.npy, out_N.npy. Run it with a Python that has jax and
numpy: python export.py [NAME...]
"""

import pathlib
import shutil
import sys

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


def recurrent(x, w):
    def step(h, row):
        h = jnp.tanh(h @ w + row)
        return h, h

    return jax.lax.scan(step, jnp.zeros(4), x)


def masked(x, lengths):
    scores = jnp.einsum("bqd,bkd->bqk", x, x) / 8**0.5
    mask = jnp.arange(x.shape[1])[None, None, :] < lengths[:, None, None] % 6 + 1
    return jnp.einsum("bqk,bkd->bqd", jax.nn.softmax(jnp.where(mask, scores, -jnp.inf)), x)


def largest(x):
    return jax.lax.top_k(x, 5)


def scattered(x, rows, y):
    """Updates and elements of unknown number, some of them outside."""
    return jax.ops.segment_sum(x, rows, y.shape[0]), jnp.asarray(y).at[rows].max(x)


def filtered(x, k):
    y = jax.lax.conv_general_dilated(x, k, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    back = k.transpose(0, 1, 3, 2)
    return y.mean((1, 2)), jax.lax.conv_general_dilated(y, back, (2, 2), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC"))


def trained(x, labels, w, v):
    """A step of gradient descent."""

    def loss(weights):
        scores = jax.nn.log_softmax(jax.nn.relu(x @ weights[0]) @ weights[1])
        return -jnp.take_along_axis(scores, labels[:, None] % 3, 1).mean()

    value, (dw, dv) = jax.value_and_grad(loss)((w, v))
    return value, w - 0.1 * dw, v - 0.1 * dv


def windowed(x):
    n = x.shape[0]
    at = jnp.arange(n - 3)[:, None] + jnp.arange(4)[None]
    sums = jax.lax.reduce_window(x, 0.0, jax.lax.add, (3, 1), (1, 1), "SAME")
    return x[at].mean(1), sums, jnp.diff(x, axis=0), x[-3:], jnp.roll(x, 2, 0)


def products(x, y):
    """Rows, columns and steps of unknown number."""
    return x @ y, jnp.einsum("ab,bc->cab", x, y).sum(1), jax.nn.softmax(x @ y, -1)


def spectra(x):
    return jnp.abs(jnp.fft.rfft(x)), jnp.fft.irfft(jnp.fft.rfft(x)[..., :7])


def factored(x, b):
    n = x.shape[0]
    a, s = x + n * jnp.eye(n), x @ x.T + n * jnp.eye(n)
    lower = jnp.linalg.cholesky(s)
    return lower, jax.scipy.linalg.cho_solve((lower, True), b), jnp.linalg.solve(a, b), jnp.linalg.slogdet(a)


def decomposed(x):
    """QR factors and eigenvalues of matrices of unknown side; products in which the signs of vectors do not show."""
    s = x @ x.T + jnp.diag(jnp.arange(x.shape[0], dtype=x.dtype))
    values, vectors = jnp.linalg.eigh(s)
    q, r = jnp.linalg.qr(x)
    return q, r, values, vectors**2, (vectors * values) @ vectors.T, jnp.linalg.eigvalsh(s)


def reflected(x):
    """QR factors of tall matrices."""
    q, r = jnp.linalg.qr(x, mode="complete")
    return q, r, jnp.linalg.qr(x)[0]


def singular(x):
    """Tall and wide matrices of unknown sides, two of them."""
    u, s, vt = jnp.linalg.svd(x, full_matrices=False)
    full, _, across = jnp.linalg.svd(x)
    return s, (u * s[:, None]) @ vt, full.mT @ full, across @ across.mT, jnp.linalg.svdvals(x)


def complex_decomposed(x, y):
    """The same of complex matrices."""
    z = jax.lax.complex(x, y)
    n = x.shape[0]
    values, vectors = jnp.linalg.eigh(z @ z.conj().T + jnp.diag(jnp.arange(n, dtype=z.dtype)))
    q, r = jnp.linalg.qr(z)
    u, s, vt = jnp.linalg.svd(z)
    again = (u * s) @ vt
    return values, jnp.abs(vectors), q.real, q.imag, r.real, r.imag, s, again.real, again.imag


def solved(a, b):
    """As for GPUs, which make permutations of pivots by a call; batch and sides unknown."""
    a = a + 3 * jnp.eye(a.shape[-1])
    return jnp.linalg.solve(a, b), *jnp.linalg.slogdet(a)


# What is exported for another platform than the CPU.
PLATFORMS = {"solved": ["cuda"]}


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
    recurrent: (["t, 4", "4, 4"], [F32] * 2, [{"t": n} for n in (1, 2, 33)]),
    masked: (["b, t, 8", "b"], [F32, I32], [{"b": b, "t": t} for b, t in ((1, 1), (3, 5), (4, 17))]),
    largest: (["b, n"], [F32], [{"b": b, "n": n} for b, n in ((1, 5), (3, 9), (5, 70))], ["n >= 5"]),
    scattered: (
        ["n, 3", "n", "m, 3"],
        [F32, I32, F32],
        [{"n": n, "m": m} for n, m in ((1, 1), (7, 60), (129, 33), (700, 45))],
    ),
    filtered: (["1, h, w, 3", "3, 3, 3, 8"], [F32] * 2, [{"h": h, "w": w} for h, w in ((4, 4), (7, 9), (16, 12))]),
    trained: (["b, 6", "b", "6, 8", "8, 3"], [F32, I32, F32, F32], [{"b": n} for n in (1, 7, 64)]),
    windowed: (["n, 5"], [F32], [{"n": n} for n in (4, 9, 23)], ["n >= 4"]),
    products: (
        ["a, b", "b, c"],
        [F32] * 2,
        [{"a": a, "b": b, "c": c} for a, b, c in ((1, 1, 1), (3, 5, 2), (7, 40, 8), (33, 17, 61))],
    ),
    spectra: (["b, c, 16"], [F32], [{"b": b, "c": c} for b, c in ((1, 1), (3, 4))]),
    factored: (["n, n", "n, m"], [F32] * 2, [{"n": n, "m": m} for n, m in ((1, 1), (5, 3), (34, 2))]),
    decomposed: (["n, n"], [F32], [{"n": n} for n in (1, 2, 5, 12, 33)]),
    complex_decomposed: (["n, n", "n, n"], [F32] * 2, [{"n": n} for n in (1, 2, 5, 14)]),
    reflected: (["m, n"], [F32], [{"m": m, "n": n} for m, n in ((1, 1), (5, 3), (30, 17))], ["m >= n"]),
    singular: (["2, m, n"], [F32], [{"m": m, "n": n} for m, n in ((1, 1), (1, 4), (5, 3), (3, 6), (20, 20), (31, 18))]),
    solved: (["b, n, n", "b, n, m"], [F32] * 2, [{"b": b, "n": n, "m": m} for b, n, m in ((1, 1, 1), (3, 5, 2), (2, 17, 4))]),
    gradients: (["b, 24", "b, 10"], [F32] * 2, [{"b": n} for n in (1, 31, 130)]),
}


def main():
    chosen = sys.argv[1:]
    for function, (shapes, dtypes, all_sizes, *constraints) in MODELS.items():
        if chosen and function.__name__ not in chosen:
            continue
        folder = HERE / function.__name__
        shutil.rmtree(folder, ignore_errors=True)
        scope = export.SymbolicScope(*constraints)
        exported = export.export(jax.jit(function), platforms=PLATFORMS.get(function.__name__))(*shaped(shapes, dtypes, scope))
        folder.mkdir()
        (folder / "model.mlir").write_text(exported.mlir_module())
        for sizes in all_sizes:
            random = np.random.default_rng(sum(sizes.values()))
            dims = [[int(sizes.get(d.strip(), d.strip())) for d in s.split(",")] for s in shapes]
            inputs = [
                random.integers(0, 50, shape).astype(dtype) if dtype == I32 else random.standard_normal(shape).astype(dtype)
                for shape, dtype in zip(dims, dtypes)
            ]
            outputs = jax.tree.leaves(jax.jit(function)(*inputs))
            case = folder / "_".join(str(n) for n in sizes.values())
            case.mkdir()
            for stem, arrays in (("in", inputs), ("out", outputs)):
                for number, array in enumerate(arrays):
                    np.save(case / f"{stem}_{number}.npy", np.asarray(array))


main()
