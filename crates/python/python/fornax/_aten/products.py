"""Matrix products and convolutions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from .builder import Builder, Value
from .table import Unsupported, op
from .types import is_float


@op("aten.mm.default")
def mm(g: Builder, a: Value, b: Value) -> Value:
    return g.dot(a, b, [], ([1], [0]), a.dtype)


@op("aten.bmm.default")
def bmm(g: Builder, a: Value, b: Value) -> Value:
    return g.dot(a, b, [0], ([2], [1]), a.dtype)


@op("aten.mv.default")
def mv(g: Builder, a: Value, b: Value) -> Value:
    return g.dot(a, b, [], ([1], [0]), a.dtype)


@op("aten.dot.default")
def dot(g: Builder, a: Value, b: Value) -> Value:
    return g.dot(a, b, [], ([0], [0]), a.dtype)


def _scaled(g: Builder, value: Value, factor: Any) -> Value:
    return value if factor == 1 else g.binary("multiply", value, g.full(factor, value.dtype))


def _add(g: Builder, start: Value, product: Value, beta: Any, alpha: Any) -> Value:
    product = _scaled(g, product, alpha)
    # A factor of 0 leaves the start out, NaN and all.
    return product if beta == 0 else g.binary("add", product, _scaled(g, g.convert(start, product.dtype), beta))


@op("aten.addmm.default")
def addmm(g: Builder, start: Value, a: Value, b: Value, *, beta: Any = 1, alpha: Any = 1) -> Value:
    return _add(g, start, mm(g, a, b), beta, alpha)


@op("aten.baddbmm.default")
def baddbmm(g: Builder, start: Value, a: Value, b: Value, *, beta: Any = 1, alpha: Any = 1) -> Value:
    return _add(g, start, bmm(g, a, b), beta, alpha)


@op("aten.addbmm.default")
def addbmm(g: Builder, start: Value, a: Value, b: Value, *, beta: Any = 1, alpha: Any = 1) -> Value:
    return _add(g, start, g.dot(a, b, [], ([0, 2], [0, 1]), a.dtype), beta, alpha)


@op("aten.addmv.default")
def addmv(g: Builder, start: Value, a: Value, b: Value, *, beta: Any = 1, alpha: Any = 1) -> Value:
    return _add(g, start, mv(g, a, b), beta, alpha)


@op("aten.matmul.default")
def matmul(g: Builder, a: Value, b: Value) -> Value:
    left = g.reshape(a, (1, *a.shape)) if a.rank == 1 else a
    right = g.reshape(b, (*b.shape, 1)) if b.rank == 1 else b
    batch = torch.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    left = g.broadcast(left, (*batch, *left.shape[-2:]))
    right = g.broadcast(right, (*batch, *right.shape[-2:]))
    rank = len(batch)
    made = g.dot(left, right, range(rank), ([rank + 1], [rank]), a.dtype)
    return g.reshape(made, g.shape)


def convolve(
    g: Builder, value: Value, weight: Value, numbers: str, shape: Sequence[int], strides: Sequence[int],
    padding: Sequence[tuple[int, int]], stretch: Sequence[int], dilation: Sequence[int], groups: int, batches: int = 1,
) -> Value:
    """`stretch` is the dilation of the input, `dilation` that of the window; `numbers` as StableHLO prints them."""
    pads = ", ".join(f"[{low}, {high}]" for low, high in padding)
    count = len(strides)

    def listed(values: Sequence[int]) -> str:
        return f"array<i64: {', '.join(map(str, values))}>"

    text = (
        f"window_strides = {listed(strides)}, padding = dense<[{pads}]> : tensor<{count}x2xi64>, "
        f"lhs_dilation = {listed(stretch)}, rhs_dilation = {listed(dilation)}, "
        f"dimension_numbers = #stablehlo.conv<{numbers}>, feature_group_count = {groups} : i64, "
        f"batch_group_count = {batches} : i64"
    )
    return g.op("stablehlo.convolution", [value, weight], value.dtype, shape, text)


def _spatial(count: int) -> str:
    return ", ".join(map(str, range(count)))


def _per_dimension(values: Sequence[int], count: int) -> list[int]:
    return list(values) * count if len(values) == 1 else list(values)


@op("aten.convolution.default")
def convolution(
    g: Builder, value: Value, weight: Value, bias: Value | None, stride: Sequence[int], padding: Sequence[int],
    dilation: Sequence[int], transposed: bool, output_padding: Sequence[int], groups: int,
) -> Value:
    count = weight.rank - 2
    stride, padding, dilation, output_padding = (
        _per_dimension(values, count) for values in (stride, padding, dilation, output_padding)
    )
    shape = g.shape
    if value.rank == weight.rank - 1:
        value, shape = g.reshape(value, (1, *value.shape)), (1, *shape)
    spatial, ones = _spatial(count), [1] * count
    numbers = f"[b, f, {spatial}]x[o, i, {spatial}]->[b, f, {spatial}]"
    if not transposed:
        pads = [(one, one) for one in padding]
        made = convolve(g, value, weight, numbers, shape, stride, pads, ones, dilation, groups)
    else:
        made = convolve(
            g, value, _reversed_weight(g, weight, groups), numbers, shape, ones,
            _opposite(weight, padding, dilation, output_padding), stride, dilation, groups,
        )
    if bias is not None:
        made = g.binary("add", made, g.broadcast(bias, shape, [1]))
    return g.reshape(made, g.shape)


def _opposite(
    weight: Value, padding: Sequence[int], dilation: Sequence[int], extra: Sequence[int]
) -> list[tuple[int, int]]:
    """Padding of the convolution that goes back: what the window reaches over, less what was padded."""
    spans = [(size - 1) * step for size, step in zip(weight.shape[2:], dilation)]
    return [(span - pad, span - pad + more) for span, pad, more in zip(spans, padding, extra)]


def _reversed_weight(g: Builder, weight: Value, groups: int) -> Value:
    """[I, O/groups, …] as [O, I/groups, …], the window's dimensions reversed."""
    inputs, outputs, *window = weight.shape
    count = len(window)
    split = g.reshape(weight, (groups, inputs // groups, outputs, *window))
    split = g.transpose(split, [0, 2, 1, *range(3, 3 + count)])
    flat = g.reshape(split, (groups * outputs, inputs // groups, *window))
    return g.reverse(flat, list(range(2, 2 + count)))


@op("aten.convolution_backward.default")
def convolution_backward(
    g: Builder, gradient: Value, value: Value, weight: Value, bias: Any, stride: Sequence[int], padding: Sequence[int],
    dilation: Sequence[int], transposed: bool, output_padding: Sequence[int], groups: int, wanted: Sequence[bool],
) -> tuple[Value | None, Value | None, Value | None]:
    count = weight.rank - 2
    if value.rank != weight.rank:
        raise Unsupported("the gradient of a convolution without a batch")
    stride, padding, dilation = (_per_dimension(values, count) for values in (stride, padding, dilation))
    spatial, ones = _spatial(count), [1] * count
    # Where windows lie: in the input, or, of a transposed convolution, in the result.
    wide, narrow = (gradient, value) if transposed else (value, gradient)
    # Rows that no window reached: they get no gradient, and their place is padded.
    reached = [
        (size - 1) * step + (window - 1) * dil + 1 - 2 * pad
        for size, step, window, dil, pad in zip(narrow.shape[2:], stride, weight.shape[2:], dilation, padding)
    ]
    left = [size - one for size, one in zip(wide.shape[2:], reached)]
    pads = [(pad, pad - more) for pad, more in zip(padding, left)]
    for_value = for_weight = for_bias = None
    if wanted[0]:
        numbers = f"[b, f, {spatial}]x[o, i, {spatial}]->[b, f, {spatial}]"
        if transposed:
            for_value = convolve(g, gradient, weight, numbers, value.shape, stride, pads, ones, dilation, groups)
        else:
            back = _reversed_weight(g, weight, groups)
            around = _opposite(weight, padding, dilation, left)
            for_value = convolve(g, gradient, back, numbers, value.shape, ones, around, stride, dilation, groups)
    if wanted[1]:
        # The batch is what is summed over: it takes the place of the features.
        shape = (weight.shape[1], weight.shape[0], *weight.shape[2:])
        numbers = f"[f, b, {spatial}]x[i, o, {spatial}]->[b, f, {spatial}]"
        made = convolve(g, wide, narrow, numbers, shape, dilation, pads, ones, stride, 1, groups)
        for_weight = g.transpose(made, [1, 0, *range(2, 2 + count)])
    if wanted[2]:
        dims = [0, *range(2, 2 + count)]
        sums = torch.float32 if is_float(gradient.dtype) and gradient.dtype.itemsize == 2 else gradient.dtype
        for_bias = g.convert(g.reduce("add", g.convert(gradient, sums), 0, dims), gradient.dtype)
    return for_value, for_weight, for_bias


def _group_sizes(g: Builder, ends: Value) -> Value:
    """Rows of each group, of the places behind their last rows."""
    begins = g.cut(g.pad(ends, 0, [1], [0]), 0, 0, ends.shape[0])
    return g.binary("subtract", ends, begins)


def _ragged(g: Builder, a: Value, b: Value, ends: Value, summed: bool) -> Value:
    """Groups of rows of `a` [S, K], each with a matrix of `b` [G, K, N], as [S, N]; rows of no group are zero.

    `summed` groups what is summed over: `a` [M, S] and `b` [S, N] as [G, M, N].
    """
    groups, along = ends.shape[0], 0 if summed else 1
    text = (
        "ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], "
        f"lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [{along}], "
        f"lhs_ragged_dimensions = [{int(summed)}], rhs_group_dimensions = [{'' if summed else 0}]>"
    )
    shape = (groups, a.shape[0], b.shape[-1]) if summed else (a.shape[0], b.shape[-1])
    return g.op("chlo.ragged_dot", [a, b, _group_sizes(g, ends)], a.dtype, shape, text)


# transformers has one of its own for types that PyTorch's does not take.
@op("aten._grouped_mm.default", "transformers.grouped_mm_fallback.default")
def grouped_mm(
    g: Builder, a: Value, b: Value, ends: Value | None = None, bias: Value | None = None, dtype: Any = None
) -> Value:
    if bias is not None:
        raise Unsupported("a bias of grouped products")
    if ends is None:
        made = g.dot(a, b, [0], ([2], [1]), a.dtype)
    elif a.rank == b.rank:
        made = _ragged(g, a, b, ends, summed=True)
    elif a.rank == 2:
        made = _ragged(g, a, b, ends, summed=False)
    else:
        # [G, M, K] and [K, S], whose columns are grouped.
        turned = _ragged(g, g.transpose(b, [1, 0]), g.transpose(a, [0, 2, 1]), ends, summed=False)
        made = g.transpose(turned, [1, 0])
    return g.convert(made, g.dtype)
