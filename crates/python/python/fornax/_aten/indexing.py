"""Gathers and scatters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch

from .builder import Builder, Value
from .elementwise import floor_quotient
from .reductions import highest, lowest, running, wide
from .shapes import bound
from .table import Unsupported, op
from .types import is_float


def _list(values: Sequence[int]) -> str:
    return "[" + ", ".join(map(str, values)) + "]"


def wrapped(g: Builder, index: Value, size: int) -> Value:
    """Indices that may count from the end, as ones that do not; 64 bits."""
    index = g.convert(index, torch.int64)
    later = g.binary("add", index, g.full(size, torch.int64))
    return g.select(g.compare(index, g.full(0, torch.int64), "LT"), later, index)


def _gather(g: Builder, value: Value, points: Value, dims: Sequence[int], vector: int, place: int) -> Value:
    """Slices of size 1 along `dims` and whole along the others, a slice for each point.

    Coordinates lie along dimension `vector` of `points`, or are its elements where that is its rank. The points'
    dimensions stand from dimension `place` of the result on.

    The rows 2 and 0 of a [4, 5]: dims [0], points [2] of 2 and 0, vector 1, place 0; the result is [2, 5].
    """
    whole = [size for at, size in enumerate(value.shape) if at not in dims]
    shape = (*whole[:place], *points.shape[:vector], *whole[place:])
    if 0 in shape:
        # The operand may be empty as well, and then has no slice of size 1.
        return g.full(0, value.dtype, shape)
    offsets = [*range(place), *range(place + vector, len(shape))]
    slices = [1 if at in dims else size for at, size in enumerate(value.shape)]
    text = (
        f"dimension_numbers = #stablehlo.gather<offset_dims = {_list(offsets)}, collapsed_slice_dims = {_list(dims)}, "
        f"start_index_map = {_list(dims)}, index_vector_dim = {vector}>, indices_are_sorted = false, "
        f"slice_sizes = array<i64{': ' if slices else ''}{', '.join(map(str, slices))}>"
    )
    return g.op("stablehlo.gather", [value, points], value.dtype, shape, text)


def take(g: Builder, value: Value, dim: int, index: Value) -> Value:
    """Slices along a dimension: the index's dimensions stand in its place."""
    return _gather(g, value, index, [dim], index.rank, dim)


@op("aten.embedding.default")
def embedding(g: Builder, weight: Value, index: Value, *_: Any) -> Value:
    return take(g, weight, 0, g.convert(index, torch.int64))


@op("aten.index_select.default")
def index_select(g: Builder, value: Value, dim: int, index: Value) -> Value:
    if value.rank == 0:
        return value
    dim = value.dim(dim)
    if index.rank == 0:
        index = g.reshape(index, (1,))
    return take(g, value, dim, g.convert(index, torch.int64))


def _points(g: Builder, index: Value, dim: int) -> Value:
    """Where each element of an index along `dim` points: a vector of all coordinates, last."""
    parts = []
    for at in range(index.rank):
        part = index if at == dim else g.iota(at, torch.int64, index.shape)
        parts.append(g.reshape(part, (*index.shape, 1)))
    return g.concatenate(parts, index.rank)


@op("aten.gather.default")
def gather(g: Builder, value: Value, dim: int, index: Value, **_: Any) -> Value:
    if value.rank == 0:
        return g.broadcast(value, g.shape)
    if 0 in g.shape:
        # An index without elements may have any rank.
        return g.full(0, value.dtype, g.shape)
    if index.rank == 0:
        index = g.reshape(index, (1,))
    return g.reshape(gather_along(g, value, value.dim(dim), index), g.shape)


def gather_along(g: Builder, value: Value, dim: int, index: Value) -> Value:
    """The elements that an index of the same rank names along a dimension."""
    points = _points(g, g.convert(index, torch.int64), dim)
    return _gather(g, value, points, range(value.rank), index.rank, 0)


def _coordinates(g: Builder, value: Value, indices: Sequence[Value | None]) -> tuple[list[int], Value, tuple[int, ...]]:
    """Of `value[i, :, j]`: the indexed dimensions, a vector of coordinates for each point, the shape of the points."""
    if any(index is not None and index.dtype in (torch.bool, torch.uint8) for index in indices):
        raise Unsupported("indexing by a mask, whose result has a size of run time")
    dims = [at for at, index in enumerate(indices) if index is not None]
    found = [wrapped(g, indices[at], value.shape[at]) for at in dims]  # type: ignore[arg-type]
    shape = tuple(torch.broadcast_shapes(*(index.shape for index in found)))
    parts = [g.reshape(g.broadcast(index, shape), (*shape, 1)) for index in found]
    return dims, g.concatenate(parts, len(shape)), shape


def _first(dims: Sequence[int]) -> int:
    """Where the points' dimensions stand in the result: in place of neighbours, else in front."""
    return dims[0] if list(dims) == list(range(dims[0], dims[0] + len(dims))) else 0


@op("aten.index.Tensor", "aten._unsafe_index.Tensor")
def index(g: Builder, value: Value, indices: Sequence[Value | None]) -> Value:
    dims, points, shape = _coordinates(g, value, indices)
    return _gather(g, value, points, dims, len(shape), _first(dims))


@op("aten.as_strided.default", "aten.as_strided_copy.default")
def as_strided(
    g: Builder, value: Value, size: Sequence[int], stride: Sequence[int], offset: int | None = None
) -> Value:
    """Elements by their places in memory. The operand's memory is that of its elements by falling strides."""
    flat, _ = _memory(g, value, size, stride, offset or 0)
    if not offset and _dense(size, stride) and math.prod(size) == flat.shape[0]:
        return g.reshape(flat, size)
    return take(g, flat, 0, _places(g, size, stride, offset or 0))


@op("aten.as_strided_scatter.default")
def as_strided_scatter(
    g: Builder, value: Value, source: Value, size: Sequence[int], stride: Sequence[int], offset: int | None = None
) -> Value:
    """The operand with other elements at some places of its memory."""
    flat, order = _memory(g, value, size, stride, offset or 0)
    places = g.reshape(_places(g, size, stride, offset or 0), (math.prod(size),))
    made = _scatter_points(g, flat, 0, places, g.reshape(g.broadcast(source, size), places.shape), None)
    held = g.reshape(made, [value.shape[at] for at in order])
    return g.transpose(held, [order.index(at) for at in range(value.rank)])


def _memory(
    g: Builder, value: Value, size: Sequence[int], stride: Sequence[int], offset: int
) -> tuple[Value, list[int]]:
    """The elements of the first operand, as many as there are, as they lie in memory, and its dimensions by falling
    strides. Raises `Unsupported` where `size`, `stride` and `offset` name places that the operand does not have."""
    if g.example is None or g.example.storage_offset():
        raise Unsupported("a strided view of a part of a tensor")
    strides = g.example.stride()
    order = sorted(range(value.rank), key=lambda at: -strides[at] if value.shape[at] > 1 else 0)
    count = math.prod(value.shape)
    last = offset + sum((size - 1) * step for size, step in zip(size, stride))
    if not _dense([value.shape[at] for at in order], [strides[at] for at in order]) or last >= count:
        raise Unsupported("a strided view of a tensor with gaps in its memory")
    return g.reshape(g.transpose(value, order), (count,)), order


def _places(g: Builder, size: Sequence[int], stride: Sequence[int], offset: int) -> Value:
    """The place in memory of each element of a strided view: int64 of `size`."""
    places = g.full(offset, torch.int64, size)
    for at, step in enumerate(stride):
        if size[at] > 1:
            steps = g.binary("multiply", g.iota(at, torch.int64, size), g.full(step, torch.int64, size))
            places = g.binary("add", places, steps)
    return places


def _dense(size: Sequence[int], stride: Sequence[int]) -> bool:
    """Whether elements lie one after the other, the last dimension's next to each other."""
    count = 1
    for at in reversed(range(len(size))):
        if size[at] > 1 and stride[at] != count:
            return False
        count *= size[at]
    return True


def _scatter(g: Builder, value: Value, points: Value, updates: Value, numbers: str, combine: str | None) -> Value:
    if 0 in updates.shape:
        return value
    text = (
        f"scatter_dimension_numbers = #stablehlo.scatter<{numbers}>, indices_are_sorted = false, "
        "unique_indices = false"
    )
    region = g.update_region(combine, value.dtype)
    return g.op("stablehlo.scatter", [value, points, updates], value.dtype, value.shape, text, region)


def _scatter_points(g: Builder, value: Value, dim: int, index: Value, updates: Value, combine: str | None) -> Value:
    index = g.convert(index, torch.int64)
    if value.rank == 0:
        made = _scatter_points(g, g.reshape(value, (1,)), 0, g.reshape(index, (1,)), g.reshape(updates, (1,)), combine)
        return g.reshape(made, ())
    if updates.shape != index.shape:
        updates = g.slice(updates, [0] * updates.rank, index.shape)
    dims = list(range(value.rank))
    numbers = (
        f"inserted_window_dims = {_list(dims)}, scatter_dims_to_operand_dims = {_list(dims)}, "
        f"index_vector_dim = {index.rank}"
    )
    return _scatter(g, value, _points(g, index, value.dim(dim)), updates, numbers, combine)


@op("aten.scatter.src")
def scatter_src(g: Builder, value: Value, dim: int, index: Value, source: Value) -> Value:
    return _scatter_points(g, value, dim, index, g.convert(source, value.dtype), None)


@op("aten.scatter.value")
def scatter_value(g: Builder, value: Value, dim: int, index: Value, fill: Any) -> Value:
    return _scatter_points(g, value, dim, index, g.full(fill, value.dtype, index.shape), None)


@op("aten.scatter_add.default")
def scatter_add(g: Builder, value: Value, dim: int, index: Value, source: Value) -> Value:
    return _scatter_points(g, value, dim, index, source, "or" if value.dtype is torch.bool else "add")


# What combines, and what it leaves as it is.
_COMBINES: dict[str, tuple[str, Any]] = {
    "sum": ("add", lambda _: 0), "add": ("add", lambda _: 0), "mean": ("add", lambda _: 0),
    "prod": ("multiply", lambda _: 1), "multiply": ("multiply", lambda _: 1),
    "amax": ("maximum", lowest), "amin": ("minimum", highest),
}


@op("aten.scatter_reduce.two", "aten.scatter.reduce")
def scatter_reduce(g: Builder, value: Value, dim: int, index: Value, source: Value, reduce: str,
                   include_self: bool = True) -> Value:
    combine, neutral = _COMBINES[reduce]
    target = value.dtype
    value, source = (g.convert(one, wide(target)) for one in (value, source))
    if not include_self:
        none, hit = g.full(False, torch.bool, value.shape), g.full(True, torch.bool, index.shape)
        hits = _scatter_points(g, none, dim, index, hit, None)
        value = g.select(hits, g.full(neutral(value.dtype), value.dtype), value)
    made = _scatter_points(g, value, dim, index, source, combine)
    if reduce == "mean":
        start = g.full(int(include_self), value.dtype, value.shape)
        count = _scatter_points(g, start, dim, index, g.full(1, value.dtype, index.shape), "add")
        count = g.binary("maximum", count, g.full(1, value.dtype))
        made = g.binary("divide", made, count) if is_float(value.dtype) else floor_quotient(g, made, count)
    return g.convert(made, target)


@op("aten.index_reduce.default")
def index_reduce(g: Builder, value: Value, dim: int, index: Value, source: Value, reduce: str, *,
                 include_self: bool = True) -> Value:
    """Slices of `source` combined with those that the index names."""
    if value.rank == 0:
        source, index = g.reshape(source, ()), g.reshape(index, ())
    elif value.rank == index.rank == 1:
        index = g.reshape(index, source.shape)
    index = g.broadcast(index, source.shape, [value.dim(dim)] if index.rank else [])
    return scatter_reduce(g, value, dim, index, source, reduce, include_self)


def _put_by_mask(g: Builder, value: Value, mask: Value, at: int, updates: Value, accumulate: bool) -> Value:
    """Updates for the elements that a mask over the dimensions from `at` on picks: one for all, or one each in their
    order, found by counting.

    The mask [1, 0, 1] counts [0, 0, 1]: the updates [a, b] become [a, a, b], and [a, old, b] is left.
    """
    after = value.shape[at + mask.rank :]
    many = updates.shape[-len(after) - 1] if updates.rank > len(after) else 1
    before = value.shape[:at]
    if many == 1:
        own = updates.shape[: updates.rank - len(after) - 1] if updates.rank > len(after) else ()
        lead = (*own, *([1] * mask.rank), *updates.shape[max(0, updates.rank - len(after)) :])
        rows = g.broadcast(g.reshape(updates, lead), value.shape)
    else:
        flat = g.convert(g.reshape(mask, (math.prod(mask.shape),)), torch.int64)
        # The first one picked has the number 0.
        place = g.binary("subtract", running(g, "add", flat, 0, 0), g.full(1, torch.int64))
        place = g.binary("maximum", place, g.full(0, torch.int64))
        rows = take(g, g.broadcast(updates, (*before, many, *after)), at, g.reshape(place, mask.shape))
    if accumulate:
        rows = g.binary("or" if value.dtype is torch.bool else "add", value, rows)
    picked = g.broadcast(mask, value.shape, range(at, at + mask.rank))
    return g.select(picked, rows, value)


@op("aten.masked_scatter.default")
def masked_scatter(g: Builder, value: Value, mask: Value, source: Value) -> Value:
    shape = tuple(torch.broadcast_shapes(value.shape, mask.shape))
    value, mask = g.broadcast(value, shape), g.broadcast(g.convert(mask, torch.bool), shape)
    flat = g.reshape(source, (math.prod(source.shape),))
    return value if 0 in shape or 0 in flat.shape else _put_by_mask(g, value, mask, 0, flat, False)


@op("aten.index_put.default", "aten._unsafe_index_put.default")
def index_put(g: Builder, value: Value, indices: Sequence[Value | None], updates: Value,
              accumulate: bool = False) -> Value:
    given = [one for one in indices if one is not None]
    if len(given) == 1 and given[0].dtype is torch.bool:
        at = next(at for at, one in enumerate(indices) if one is not None)
        return _put_by_mask(g, value, given[0], at, g.convert(updates, value.dtype), accumulate)
    dims, points, shape = _coordinates(g, value, indices)
    first, rank = _first(dims), len(shape)
    rest = [size for at, size in enumerate(value.shape) if at not in dims]
    made = (*rest[:first], *shape, *rest[first:])
    updates = g.broadcast(g.convert(updates, value.dtype), made)
    windows = [*range(first), *range(first + rank, len(made))]
    numbers = (
        f"update_window_dims = {_list(windows)}, inserted_window_dims = {_list(dims)}, "
        f"scatter_dims_to_operand_dims = {_list(dims)}, index_vector_dim = {rank}"
    )
    combine = ("or" if value.dtype is torch.bool else "add") if accumulate else None
    return _scatter(g, value, points, updates, numbers, combine)


@op("aten.index_add.default")
def index_add(g: Builder, value: Value, dim: int, index: Value, source: Value, alpha: Any = 1) -> Value:
    if alpha != 1:
        source = g.binary("multiply", source, g.full(alpha, source.dtype))
    places: list[Value | None] = [None] * value.dim(dim)
    return index_put(g, value, [*places, index], source, True)


@op("aten.index_copy.default")
def index_copy(g: Builder, value: Value, dim: int, index: Value, source: Value) -> Value:
    places: list[Value | None] = [None] * value.dim(dim)
    return index_put(g, value, [*places, index], source, False)


@op("aten.select_scatter.default")
def select_scatter(g: Builder, value: Value, source: Value, dim: int, index: int) -> Value:
    dim = value.dim(dim)
    index = index % value.shape[dim]
    part = g.reshape(source, [1 if at == dim else size for at, size in enumerate(value.shape)])
    return _joined(g, value, part, dim, index, index + 1)


@op("aten.slice_scatter.default")
def slice_scatter(g: Builder, value: Value, source: Value, dim: int = 0, start: Any = None, end: Any = None,
                  step: int = 1) -> Value:
    dim = value.dim(dim)
    size = value.shape[dim]
    first = bound(start, size, 0)
    last = max(bound(end, size, size), first)
    source = g.convert(source, value.dtype)
    if step == 1:
        return _joined(g, value, source, dim, first, last)
    # Stretched to the slice's steps, then taken where it has elements.
    count = source.shape[dim]
    if count == 0:
        return value
    reach = (count - 1) * step + 1
    low, high, inner = ([number if at == dim else 0 for at in range(value.rank)]
                        for number in (first, size - first - reach, step - 1))
    hits = g.pad(g.full(True, torch.bool, source.shape), False, low, high, inner)
    return g.select(hits, g.pad(source, 0, low, high, inner), value)


def _joined(g: Builder, value: Value, part: Value, dim: int, first: int, last: int) -> Value:
    pieces = [g.cut(value, dim, 0, first), part, g.cut(value, dim, last, value.shape[dim])]
    return g.concatenate([piece for piece in pieces if piece.shape[dim] or piece is part], dim)


@op("aten.embedding_dense_backward.default")
def embedding_dense_backward(g: Builder, gradient: Value, index: Value, rows: int, padding: int, scaled: bool) -> Value:
    if scaled:
        raise Unsupported("gradients scaled by the frequency of words")
    width = gradient.shape[-1]
    index = g.convert(index, torch.int64)
    if padding >= 0:
        kept = g.compare(index, g.full(padding, torch.int64), "NE")
        kept = g.broadcast(kept, gradient.shape, range(kept.rank))
        gradient = g.select(kept, gradient, g.full(0, gradient.dtype))
    return index_put(g, g.full(0, g.dtype, (rows, width)), [index], gradient, True)
