"""Pooling."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch

from .builder import Builder, Value
from .reductions import lowest, wide
from .table import op


def _pairs(values: Any, count: int, default: Sequence[int] | None = None) -> list[int]:
    if values is None or (isinstance(values, (list, tuple)) and not values):
        return list(default or [])
    values = values if isinstance(values, (list, tuple)) else [values]
    return list(values) * count if len(values) == 1 else list(values)


def _grow(size: int, window: int, stride: int, pad: int, dilation: int, ceils: bool) -> int:
    """Padding behind the end so that the last window of `ceil_mode` fits."""
    span = dilation * (window - 1) + 1
    if not ceils:
        return pad
    outputs = -(-(size + 2 * pad - span) // stride) + 1
    # The last window begins inside the input or its padding before the end.
    if (outputs - 1) * stride >= size + pad:
        outputs -= 1
    return max((outputs - 1) * stride + span - size - pad, 0)


class _Pool:
    """Window, strides and padding for all dimensions of a tensor, the last `count` of them pooled."""

    def __init__(self, value: Value, count: int, window: Any, stride: Any, padding: Any, dilation: Any, ceils: bool):
        lead = value.rank - count
        window = _pairs(window, count)
        stride = _pairs(stride, count, window)
        padding, dilation = _pairs(padding, count), _pairs(dilation, count)
        sizes = value.shape[lead:]
        ends = [_grow(*row, ceils) for row in zip(sizes, window, stride, padding, dilation)]
        self.own = list(zip(padding, ends))
        self.count = count
        self.window = [1] * lead + window
        self.strides = [1] * lead + stride
        self.padding = [(0, 0)] * lead + self.own
        self.dilations = [1] * lead + dilation

    def reduce(self, g: Builder, name: str, value: Value, start: Any) -> Value:
        return g.reduce_window(name, value, start, self.window, self.strides, self.padding, self.dilations)


def _max_pool(count: int) -> Any:
    def write(g: Builder, value: Value, window: Any, stride: Any = (), padding: Any = 0, dilation: Any = 1,
              ceil_mode: bool = False) -> tuple[Value, Value]:
        pool = _Pool(value, count, window, stride, padding, dilation, ceil_mode)
        low = lowest(value.dtype)
        found = pool.reduce(g, "maximum", value, low)
        # The place of each: the first element of the window that is as large, counted over the pooled dimensions.
        lead = value.rank - count
        cuts, places = [], []
        padded = g.pad(value, low, *([pair[side] for pair in pool.padding] for side in (0, 1)))
        for at in range(math.prod(pool.window)):
            offset, rest = [0] * value.rank, at
            for dim in range(value.rank - 1, lead - 1, -1):
                offset[dim] = rest % pool.window[dim] * pool.dilations[dim]
                rest //= pool.window[dim]
            ends = [o + (size - 1) * step + 1 for o, size, step in zip(offset, found.shape, pool.strides)]
            cuts.append(g.slice(padded, offset, ends, pool.strides))
            place = g.full(0, torch.int64)
            for dim in range(lead, value.rank):
                index = g.binary("multiply", g.iota(dim, torch.int64, found.shape),
                                 g.full(pool.strides[dim], torch.int64))
                index = g.binary("add", index, g.full(offset[dim] - pool.padding[dim][0], torch.int64))
                place = g.binary("add", g.binary("multiply", place, g.full(value.shape[dim], torch.int64)), index)
            places.append(place)
        first = places[-1]
        for cut, place in reversed(list(zip(cuts, places))[:-1]):
            first = g.select(g.compare(cut, found, "EQ"), place, first)
        return found, first

    return write


op("aten.max_pool2d_with_indices.default")(_max_pool(2))
op("aten.max_pool3d_with_indices.default")(_max_pool(3))


def _max_pool_backward(count: int) -> Any:
    def write(g: Builder, gradient: Value, value: Value, *rest: Any) -> Value:
        """The places come last; what stands before them says how they were found."""
        from .indexing import scatter_add

        lead = value.rank - count
        rows, size = math.prod(value.shape[:lead]), math.prod(value.shape[lead:])
        flat = [g.reshape(part, (rows, math.prod(part.shape[lead:]))) for part in (rest[-1], gradient)]
        summed = scatter_add(g, g.full(0, gradient.dtype, (rows, size)), 1, *flat)
        return g.reshape(summed, value.shape)

    return write


op("aten.max_pool2d_with_indices_backward.default", "aten.adaptive_max_pool2d_backward.default")(_max_pool_backward(2))
op("aten.max_pool3d_with_indices_backward.default", "aten.adaptive_max_pool3d_backward.default")(_max_pool_backward(3))


def _averages(g: Builder, total: Value, pool: _Pool, sizes: Any, counts_padding: bool, override: Any) -> Value:
    """Sums of a pool's windows by how many elements each counts."""
    count = len(sizes)
    if override:
        divisor = g.full(override, total.dtype)
    elif not any(low or high for low, high in pool.own):
        divisor = g.full(math.prod(pool.window), total.dtype)
    else:
        ones = g.full(1, total.dtype, sizes)
        pads = pool.own
        if counts_padding:
            # The padding that was asked for counts, what `ceil_mode` adds does not.
            asked = [low for low, _ in pads]
            ones = g.pad(ones, 1, asked, asked)
            pads = [(0, high - low) for low, high in pads]
        lead = total.rank - count
        divisor = g.reduce_window("add", ones, 0, pool.window[lead:], pool.strides[lead:], pads, [1] * count)
        divisor = g.broadcast(divisor, total.shape)
    return g.binary("divide", total, divisor)


def _avg_pool(count: int) -> Any:
    def write(g: Builder, value: Value, window: Any, stride: Any = (), padding: Any = 0, ceil_mode: bool = False,
              count_include_pad: bool = True, divisor_override: Any = None) -> Value:
        pool = _Pool(value, count, window, stride, padding, 1, ceil_mode)
        total = pool.reduce(g, "add", g.convert(value, wide(value.dtype)), 0)
        made = _averages(g, total, pool, value.shape[-count:], count_include_pad, divisor_override)
        return g.convert(made, value.dtype)

    return write


def _avg_pool_backward(count: int) -> Any:
    """Each element gets the sum of its windows' shares: the gradient, stretched by the strides, summed by a window."""

    def write(g: Builder, gradient: Value, value: Value, window: Any, stride: Any, padding: Any, ceil_mode: bool,
              count_include_pad: bool, divisor_override: Any) -> Value:
        pool = _Pool(value, count, window, stride, padding, 1, ceil_mode)
        shares = g.convert(gradient, wide(value.dtype))
        shares = _averages(g, shares, pool, value.shape[-count:], count_include_pad, divisor_override)
        lead = value.rank - count
        low, high, inner = [0] * lead, [0] * lead, [0] * lead
        for at, (before, _) in enumerate(pool.own, lead):
            reach = (gradient.shape[at] - 1) * pool.strides[at] + 1
            low.append(pool.window[at] - 1 - before)
            high.append(value.shape[at] + pool.window[at] - 1 - low[at] - reach)
            inner.append(pool.strides[at] - 1)
        spread = g.pad(shares, 0, low, high, inner)
        ones, none = [1] * value.rank, [(0, 0)] * value.rank
        return g.convert(g.reduce_window("add", spread, 0, pool.window, ones, none, ones), value.dtype)

    return write


op("aten.avg_pool1d.default")(_avg_pool(1))
op("aten.avg_pool2d.default")(_avg_pool(2))
op("aten.avg_pool3d.default")(_avg_pool(3))
op("aten.avg_pool2d_backward.default")(_avg_pool_backward(2))
op("aten.avg_pool3d_backward.default")(_avg_pool_backward(3))


def _adaptive(count: int) -> Any:
    def write(g: Builder, value: Value, size: Any) -> Value:
        """Every output is the mean of its part of the input; parts may overlap and differ by one in size."""
        dtype = value.dtype
        value = g.convert(value, wide(dtype))
        for at, outputs in enumerate(_pairs(size, count)):
            dim = value.rank - count + at
            inputs = value.shape[dim]
            if outputs == inputs:
                continue
            if inputs % outputs == 0:
                shape = (*value.shape[:dim], outputs, inputs // outputs, *value.shape[dim + 1 :])
                total = g.reduce("add", g.reshape(value, shape), 0, [dim + 1])
                value = g.binary("divide", total, g.full(inputs // outputs, value.dtype))
                continue
            parts = []
            for one in range(outputs):
                start, end = one * inputs // outputs, -(-(one + 1) * inputs // outputs)
                total = g.reduce("add", g.cut(value, dim, start, end), 0, [dim], True)
                parts.append(g.binary("divide", total, g.full(end - start, value.dtype)))
            value = g.concatenate(parts, dim)
        return g.convert(value, dtype)

    return write


op("aten._adaptive_avg_pool2d.default", "aten.adaptive_avg_pool2d.default")(_adaptive(2))
op("aten._adaptive_avg_pool3d.default")(_adaptive(3))
op("aten.adaptive_avg_pool1d.default")(_adaptive(1))
