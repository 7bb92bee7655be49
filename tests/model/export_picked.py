#!/usr/bin/env python3
"""Writes the cases of tests/numeric whose matrices are picked from a table by number: a mixture of experts.

    pip install numpy
    python3 tests/model/export_picked.py

Arguments: rows, table, numbers, and of quantised tables scales. A number out of range stands for the nearest in it.
Numbers are computed in f64 and rounded once.
"""

import numpy as np

from export_quantised import rounded, tensor, write


def picked(t, table, numbers):
    """Rows of a table of any rank."""
    shape = (numbers[1][0],) + table[1][1:]
    sizes = ", ".join(str(n) for n in (1,) + table[1][1:])
    text = ("\"stablehlo.gather\"(%s, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [%s], "
            "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, "
            "slice_sizes = array<i64: %s>}> : (%s, %s) -> %s") % (
        table[0], numbers[0], ", ".join(str(n) for n in range(1, len(shape))), sizes, tensor(*table[1:]),
        tensor(*numbers[1:]), tensor(shape, table[2]))
    return t.put(text, shape, table[2])


def product(t, rows, matrices, of_matrices):
    """Rows [batch, K] or [batch, M, K] by matrices."""
    at = len(rows[1]) - 1
    shape = rows[1][:-1] + (matrices[1][3 - of_matrices],)
    text = "stablehlo.dot_general %s, %s, batching_dims = [0] x [0], contracting_dims = [%d] x [%d] : (%s, %s) -> %s" % (
        rows[0], matrices[0], at, of_matrices, tensor(*rows[1:]), tensor(*matrices[1:]), tensor(shape, "f32"))
    return t.put(text, shape, "f32")


def plain(name, numbers, table, *, rows=0, of_matrices=2, narrow=False, flat=False):
    """Matrices [N, K], or [K, N] where `of_matrices` is 1; `narrow`: given as bf16; `flat`: numbers have one dimension."""
    draw = np.random.default_rng(len(name))
    count = len(numbers)
    x = draw.normal(size=(count, rows, table[of_matrices]) if rows else (count, table[of_matrices])).astype(np.float32)
    weights = draw.normal(size=table).astype(np.float32)
    chosen = np.asarray(numbers, np.int32)
    found = (rounded(weights) if narrow else weights).astype(np.float64)[np.clip(chosen, 0, table[0] - 1)]
    found = found if of_matrices == 2 else found.swapaxes(1, 2)
    result = np.einsum("b...k,bnk->b...n", x.astype(np.float64), found)

    def body(t, a):
        table = t.convert(t.convert(a[1], "bf16"), "f32") if narrow else a[1]
        return product(t, a[0], picked(t, table, a[2]), of_matrices), result

    write(name, [x, weights, chosen if flat else chosen[:, None]], body)


def quantised(name, numbers, table, *, packed=False):
    """A table [matrices, N, blocks, elements] of bytes with a scale for each block; `packed`: two in a byte."""
    draw = np.random.default_rng(len(name))
    count, (matrices, outputs, blocks, elements) = len(numbers), table
    x = draw.normal(size=(count, blocks * elements)).astype(np.float32)
    stored = draw.integers(0, 256, (matrices, outputs, blocks, elements // (2 if packed else 1))).astype(np.uint8)
    scale = draw.uniform(0.01, 0.1, table[:3]).astype(np.float16)
    chosen = np.asarray(numbers, np.int32)
    whole = np.concatenate([stored & 15, stored >> 4], -1) if packed else stored
    weights = (whole.astype(np.float64) - 8) * scale.astype(np.float64)[..., None]
    found = weights.reshape(matrices, outputs, -1)[np.clip(chosen, 0, matrices - 1)]
    result = np.einsum("bk,bnk->bn", x.astype(np.float64), found)

    def body(t, a):
        whole = a[1]
        if packed:
            masked = t.elementwise("and", a[1], t.constant(15, a[1]))
            shifted = t.elementwise("shift_right_logical", a[1], t.constant(4, a[1]))
            whole = t.concatenate([masked, shifted], 3)
        value = t.convert(whole, "f32")
        value = t.elementwise("subtract", value, t.constant("8.0", value))
        value = t.elementwise("multiply", value, t.broadcast(t.convert(a[3], "f32"), [0, 1, 2], value[1]))
        value = t.reshape(picked(t, value, a[2]), (count, outputs, blocks * elements))
        return product(t, a[0], value, 2), result

    write(name, [x, stored, chosen[:, None], scale], body)


def main():
    plain("picked_matrices", [3, 0, 3, 9, -2], (5, 37, 40))
    plain("picked_matrices_bf16", [6, 1], (7, 96, 128), narrow=True, flat=True)
    plain("picked_matrices_transposed", [1, 2, 0], (3, 72, 64), of_matrices=1)
    plain("picked_matrices_of_eight_rows", [2, 0], (4, 48, 64), rows=8)
    plain("picked_matrices_of_nine_rows", [2, 0], (4, 48, 64), rows=9)
    plain("picked_matrix", [4], (6, 64, 96))
    quantised("picked_bytes", [5, 2, 5], (6, 45, 5, 24))
    quantised("picked_packed", [7, 0], (8, 64, 6, 32), packed=True)


if __name__ == "__main__":
    main()
