"""Views, slices, joins, padding: where elements lie."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch

from .builder import Builder, Value
from .table import Unsupported, op


@op(
    "aten.view.default", "aten.reshape.default", "aten._unsafe_view.default", "aten.unsqueeze.default",
    "aten.squeeze.default", "aten.squeeze.dim", "aten.squeeze.dims", "aten.flatten.using_ints",
    "aten.view_copy.default", "aten._reshape_alias.default", "aten.unsqueeze_copy.default",
)
def reshape(g: Builder, value: Value, *_: Any, **__: Any) -> Value:
    return g.reshape(value, g.shape)


@op("aten.view.dtype")
def view_dtype(g: Builder, value: Value, dtype: torch.dtype) -> Value:
    if dtype.itemsize != value.dtype.itemsize or torch.bool in (dtype, value.dtype):
        raise Unsupported("a view of elements of another size")
    return g.op("stablehlo.bitcast_convert", [value], dtype, value.shape)


@op("aten.permute.default", "aten.permute_copy.default")
def permute(g: Builder, value: Value, order: Sequence[int]) -> Value:
    return g.transpose(value, order)


@op("aten.t.default")
def t(g: Builder, value: Value) -> Value:
    return g.transpose(value, list(range(value.rank))[::-1])


@op("aten.transpose.int")
def transpose(g: Builder, value: Value, a: int, b: int) -> Value:
    if value.rank == 0:
        return value
    order = list(range(value.rank))
    a, b = value.dim(a), value.dim(b)
    order[a], order[b] = order[b], order[a]
    return g.transpose(value, order)


@op("aten.expand.default", "aten.expand_copy.default")
def expand(g: Builder, value: Value, *_: Any, **__: Any) -> Value:
    return g.broadcast(value, g.shape)


def bound(index: int | None, size: int, default: int) -> int:
    """An end of a slice, as Python counts it."""
    if index is None:
        return default
    return min(max(index + size if index < 0 else index, 0), size)


@op("aten.slice.Tensor", "aten.slice_copy.Tensor")
def slice_(g: Builder, value: Value, dim: int = 0, start: Any = None, end: Any = None, step: int = 1) -> Value:
    dim = value.dim(dim)
    size = value.shape[dim]
    return g.cut(value, dim, bound(start, size, 0), bound(end, size, size), step)


@op("aten.select.int", "aten.select_copy.int")
def select(g: Builder, value: Value, dim: int, index: int) -> Value:
    dim = value.dim(dim)
    index = index % value.shape[dim]
    return g.reshape(g.cut(value, dim, index, index + 1), g.shape)


@op("aten.narrow.default")
def narrow(g: Builder, value: Value, dim: int, start: int, length: int) -> Value:
    dim = value.dim(dim)
    start = start % max(value.shape[dim], 1)
    return g.cut(value, dim, start, start + length)


@op("aten.cat.default")
def cat(g: Builder, values: Sequence[Value], dim: int = 0) -> Value:
    # An empty tensor of one dimension joins anything.
    values = [value for value in values if value.shape != (0,) or g.shape == (0,)]
    values = [g.convert(value, g.dtype) for value in values]
    return g.concatenate(values, values[0].dim(dim))


@op("aten.stack.default")
def stack(g: Builder, values: Sequence[Value], dim: int = 0) -> Value:
    dim = dim % len(g.shape)
    parts = []
    for value in values:
        shape = (*value.shape[:dim], 1, *value.shape[dim:])
        parts.append(g.reshape(g.convert(value, g.dtype), shape))
    return g.concatenate(parts, dim)


def _cuts(g: Builder, value: Value, sizes: Sequence[int], dim: int) -> tuple[Value, ...]:
    dim, at, parts = value.dim(dim), 0, []
    for size in sizes:
        parts.append(g.cut(value, dim, at, at + size))
        at += size
    return tuple(parts)


@op("aten.split_with_sizes.default", "aten.split_with_sizes_copy.default")
def split_with_sizes(g: Builder, value: Value, sizes: Sequence[int], dim: int = 0) -> tuple[Value, ...]:
    return _cuts(g, value, sizes, dim)


@op("aten.split.Tensor", "aten.split_copy.Tensor")
def split(g: Builder, value: Value, size: int, dim: int = 0) -> tuple[Value, ...]:
    whole = value.shape[value.dim(dim)]
    return _cuts(g, value, [min(size, whole - at) for at in range(0, whole, max(size, 1))] or [0], dim)


@op("aten.unbind.int", "aten.unbind_copy.int")
def unbind(g: Builder, value: Value, dim: int = 0) -> tuple[Value, ...]:
    dim = value.dim(dim)
    shape = [size for at, size in enumerate(value.shape) if at != dim]
    return tuple(g.reshape(g.cut(value, dim, at, at + 1), shape) for at in range(value.shape[dim]))


@op("aten.flip.default")
def flip(g: Builder, value: Value, dims: Sequence[int]) -> Value:
    return g.reverse(value, sorted(value.dim(dim) for dim in dims)) if dims and value.rank else value


@op("aten.roll.default")
def roll(g: Builder, value: Value, shifts: Any, dims: Any = ()) -> Value:
    shifts = shifts if isinstance(shifts, (list, tuple)) else [shifts]
    dims = dims if isinstance(dims, (list, tuple)) else [dims]
    shape = value.shape
    if not dims:
        value, dims = g.reshape(value, [math.prod(shape)]), [0]
    for shift, dim in zip(shifts, dims):
        dim = value.dim(dim)
        size = value.shape[dim]
        at = -shift % size if size else 0
        if at:
            value = g.concatenate([g.cut(value, dim, at, size), g.cut(value, dim, 0, at)], dim)
    return g.reshape(value, shape)


@op("aten.repeat.default")
def repeat(g: Builder, value: Value, repeats: Sequence[int]) -> Value:
    shape = (*[1] * (len(repeats) - value.rank), *value.shape)
    pairs = [size for pair in zip(repeats, shape) for size in pair]
    dims = [2 * at + 1 for at in range(len(shape))]
    return g.reshape(g.broadcast(g.reshape(value, shape), pairs, dims), g.shape)


def _pads(value: Value, pad: Sequence[int]) -> tuple[list[int], list[int]]:
    """Of the last dimension first, in pairs."""
    low, high = [0] * value.rank, [0] * value.rank
    for at in range(len(pad) // 2):
        low[value.rank - 1 - at], high[value.rank - 1 - at] = pad[2 * at], pad[2 * at + 1]
    return low, high


@op("aten.constant_pad_nd.default")
def constant_pad(g: Builder, value: Value, pad: Sequence[int], fill: Any = 0) -> Value:
    return g.pad(value, fill, *_pads(value, pad))


def _edges(g: Builder, value: Value, pad: Sequence[int], reflects: bool) -> Value:
    low, high = _pads(value, pad)
    for dim in range(value.rank):
        size, before, after = value.shape[dim], low[dim], high[dim]
        if min(before, after) < 0:
            raise Unsupported("negative padding by what is at the edge")
        parts = [value]
        if reflects:
            if before:
                parts.insert(0, g.reverse(g.cut(value, dim, 1, 1 + before), [dim]))
            if after:
                parts.append(g.reverse(g.cut(value, dim, size - 1 - after, size - 1), [dim]))
        else:
            for count, start, at in ((before, 0, 0), (after, size - 1, len(parts) + 1)):
                if count:
                    edge = g.cut(value, dim, start, start + 1)
                    shape = [count if one == dim else size_ for one, size_ in enumerate(value.shape)]
                    parts.insert(at, g.broadcast(edge, shape, range(value.rank)))
        value = g.concatenate(parts, dim)
    return value


@op("aten.reflection_pad1d.default", "aten.reflection_pad2d.default", "aten.reflection_pad3d.default")
def reflection_pad(g: Builder, value: Value, pad: Sequence[int]) -> Value:
    return _edges(g, value, pad, True)


@op("aten.replication_pad1d.default", "aten.replication_pad2d.default", "aten.replication_pad3d.default")
def replication_pad(g: Builder, value: Value, pad: Sequence[int]) -> Value:
    return _edges(g, value, pad, False)


def triangle(g: Builder, value: Value, direction: str, diagonal: int) -> Value:
    shape = value.shape[-2:]
    rows, columns = (g.iota(dim, torch.int64, shape) for dim in (0, 1))
    inside = g.compare(g.binary("subtract", columns, rows), g.full(diagonal, torch.int64), direction)
    return g.select(inside, value, g.full(0, value.dtype))


@op("aten.tril.default")
def tril(g: Builder, value: Value, diagonal: int = 0) -> Value:
    return triangle(g, value, "LE", diagonal)


@op("aten.triu.default")
def triu(g: Builder, value: Value, diagonal: int = 0) -> Value:
    return triangle(g, value, "GE", diagonal)


@op("aten.diagonal.default", "aten.diagonal_copy.default")
def diagonal(g: Builder, value: Value, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Value:
    dim1, dim2 = value.dim(dim1), value.dim(dim2)
    rest = [dim for dim in range(value.rank) if dim not in (dim1, dim2)]
    value = g.transpose(value, [*rest, dim1, dim2])
    size = g.shape[-1]
    row, column = max(-offset, 0), max(offset, 0)
    last = value.rank - 2
    square = g.cut(g.cut(value, last, row, row + size), last + 1, column, column + size)
    rows, columns = (g.iota(dim, torch.int64, (size, size)) for dim in (0, 1))
    on = g.compare(rows, columns, "EQ")
    # Everything else is a zero of the sum; an infinity elsewhere does not reach it.
    if value.dtype is torch.bool:
        return g.reduce("or", g.select(on, square, g.full(False, torch.bool)), False, [last + 1])
    return g.reduce("add", g.select(on, square, g.full(0, value.dtype)), 0, [last + 1])


@op("aten.diagonal_scatter.default")
def diagonal_scatter(
    g: Builder, value: Value, source: Value, offset: int = 0, dim1: int = 0, dim2: int = 1
) -> Value:
    dim1, dim2 = value.dim(dim1), value.dim(dim2)
    rest = [dim for dim in range(value.rank) if dim not in (dim1, dim2)]
    size, row = source.shape[-1], max(-offset, 0)
    # The diagonal along the rows, then the same in every column.
    low, high = [0] * source.rank, [0] * source.rank
    low[-1], high[-1] = row, value.shape[dim1] - row - size
    whole = g.broadcast(g.pad(g.convert(source, value.dtype), 0, low, high), value.shape, [*rest, dim1])
    rows, columns = (g.iota(dim, torch.int64, value.shape) for dim in (dim1, dim2))
    on = g.compare(g.binary("subtract", columns, rows), g.full(offset, torch.int64), "EQ")
    return g.select(on, whole, value)


@op("aten.unfold.default", "aten.unfold_copy.default")
def unfold(g: Builder, value: Value, dim: int, size: int, step: int) -> Value:
    if 0 in g.shape:
        return g.full(0, value.dtype, g.shape)
    if value.rank == 0:
        # One window of one element, which has no number.
        return g.reshape(value, g.shape)
    dim = value.dim(dim)
    count = g.shape[dim]
    parts = [g.cut(value, dim, at, at + (count - 1) * step + 1, step) for at in range(size)]
    return g.concatenate([g.reshape(part, (*part.shape, 1)) for part in parts], value.rank)


@op("aten.pixel_shuffle.default")
def pixel_shuffle(g: Builder, value: Value, factor: int) -> Value:
    *lead, channels, height, width = value.shape
    split_ = g.reshape(value, (*lead, channels // factor**2, factor, factor, height, width))
    at = len(lead)
    order = [*range(at), at, at + 3, at + 1, at + 4, at + 2]
    return g.reshape(g.transpose(split_, order), g.shape)
