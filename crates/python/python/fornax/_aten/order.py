"""What depends on the order of elements: medians, running extremes, places in a sorted list, counts in bins."""

from __future__ import annotations

import math
from typing import Any

import torch

from .builder import Builder, Value
from .indexing import gather_along, scatter_add
from .reductions import highest, lowest, ordered, running
from .table import op
from .types import is_float


def _at_rank(g: Builder, value: Value, dim: int, keep: bool, rank: Any) -> tuple[Value, Value]:
    """The element of a rank along a dimension, and its place. `rank` gives it of how many elements are NaN; those come
    behind all numbers."""
    if value.rank == 0:
        return value, g.full(0, torch.int64)
    dim = value.dim(dim)
    values, places = ordered(g, value, dim, False)
    none = g.convert(g.compare(value, value, "NE"), torch.int64) if is_float(value.dtype) else None
    kept = tuple(1 if at == dim else size for at, size in enumerate(value.shape))
    count = g.full(0, torch.int64, kept) if none is None else g.reduce("add", none, 0, [dim], True)
    at = rank(count, value.shape[dim])
    shape = kept if keep else tuple(size for each, size in enumerate(value.shape) if each != dim)
    return tuple(g.reshape(gather_along(g, part, dim, at), shape) for part in (values, places))  # type: ignore


@op("aten.kthvalue.default")
def kthvalue(g: Builder, value: Value, k: int, dim: int = -1, keepdim: bool = False) -> tuple[Value, Value]:
    return _at_rank(g, value, dim, keepdim, lambda count, size: g.full(k - 1, torch.int64, count.shape))


@op("aten.median.dim")
def median(g: Builder, value: Value, dim: int, keepdim: bool = False) -> tuple[Value, Value]:
    """The lower of two in the middle; the first NaN where there is one."""

    def rank(count: Value, size: int) -> Value:
        first = g.binary("subtract", g.full(size, torch.int64), count)
        middle = g.full((size - 1) // 2, torch.int64, count.shape)
        return g.select(g.compare(count, g.full(0, torch.int64), "GT"), first, middle)

    return _at_rank(g, value, dim, keepdim, rank)


@op("aten.nanmedian.dim")
def nanmedian(g: Builder, value: Value, dim: int, keepdim: bool = False) -> tuple[Value, Value]:
    """The lower of two numbers in the middle; NaN where there is no number."""

    def rank(count: Value, size: int) -> Value:
        numbers = g.binary("subtract", g.full(size - 1, torch.int64), count)
        numbers = g.binary("maximum", numbers, g.full(0, torch.int64))
        return g.binary("divide", numbers, g.full(2, torch.int64))

    return _at_rank(g, value, dim, keepdim, rank)


@op("aten.mode.default")
def mode(g: Builder, value: Value, dim: int = -1, keepdim: bool = False) -> tuple[Value, Value]:
    """The least of the most frequent elements, and its last place: in their order, the end of the first of the longest
    runs."""
    if value.rank == 0:
        return value, g.full(0, torch.int64)
    dim = value.dim(dim)
    size = value.shape[dim]
    values, places = ordered(g, value, dim, False)
    at = g.iota(dim, torch.int64, value.shape)
    first = g.full(True, torch.bool, [1 if each == dim else many for each, many in enumerate(value.shape)])
    starts = g.compare(g.cut(values, dim, 1, size), g.cut(values, dim, 0, size - 1), "NE")
    starts = g.concatenate([first, starts], dim)
    start = running(g, "maximum", g.select(starts, at, g.full(0, torch.int64)), 0, dim)
    length = g.binary("subtract", at, start)
    longest = g.reduce("maximum", length, 0, [dim], True)
    ends = g.select(g.compare(length, longest, "EQ"), at, g.full(size, torch.int64))
    end = g.reduce("minimum", ends, size, [dim], True)
    shape = end.shape if keepdim else tuple(many for each, many in enumerate(value.shape) if each != dim)
    return tuple(g.reshape(gather_along(g, part, dim, end), shape) for part in (values, places))  # type: ignore


def _of_all(rule: Any) -> Any:
    def write(g: Builder, value: Value) -> Value:
        count = math.prod(value.shape)
        if count == 0:
            return g.full(math.nan if is_float(value.dtype) else lowest(value.dtype), value.dtype)
        return rule(g, g.reshape(value, (count,)), 0)[0]  # type: ignore[no-any-return]

    return write


op("aten.median.default")(_of_all(median))
op("aten.nanmedian.default")(_of_all(nanmedian))


def _running_extreme(largest: bool) -> Any:
    """The extreme of all elements up to each one, and its last place; NaN is more extreme than any number."""

    def write(g: Builder, value: Value, dim: int) -> tuple[Value, Value]:
        if value.rank == 0:
            return value, g.full(0, torch.int64)
        dim, dtype = value.dim(dim), value.dtype
        if dtype is torch.bool:
            value = g.convert(value, torch.uint8)
        name, start = ("maximum", lowest(value.dtype)) if largest else ("minimum", highest(value.dtype))
        found = running(g, name, value, start, dim)
        hits = g.compare(value, found, "EQ")
        if is_float(value.dtype):
            hits = g.binary("or", hits, g.compare(value, value, "NE"))
        places = g.select(hits, g.iota(dim, torch.int64, value.shape), g.full(0, torch.int64))
        return g.convert(found, dtype), running(g, "maximum", places, 0, dim)

    return write


op("aten.cummax.default")(_running_extreme(True))
op("aten.cummin.default")(_running_extreme(False))


@op("aten.searchsorted.Tensor", "aten.searchsorted.Scalar")
def searchsorted(g: Builder, edges: Value, value: Any, *, out_int32: bool = False, right: bool = False,
                 side: str | None = None, sorter: Value | None = None) -> Value:
    """How many edges of a row lie before each element: those that it is larger than, with `right` those it equals too.
    All are compared: an edge is a step of a sum."""
    if sorter is not None:
        edges = gather_along(g, edges, edges.rank - 1, sorter)
    if not isinstance(value, Value):
        value = g.full(value, edges.dtype)
    # One type that holds both: PyTorch compares numbers.
    common = torch.promote_types(edges.dtype, value.dtype)
    edges, value = g.convert(edges, common), g.convert(value, common)
    right = right or side == "right"
    lead = edges.shape[:-1]
    whole = (*(value.shape if edges.rank == 1 else (*lead, value.shape[-1])), edges.shape[-1])
    last = len(whole) - 1
    rows = g.broadcast(edges, whole, [last] if edges.rank == 1 else [*range(edges.rank - 1), last])
    points = g.broadcast(value, whole, range(last))
    # NaN comes behind every edge.
    after = g.compare(rows, points, "GT" if right else "GE")
    before = g.convert(g.unary("not", after), g.dtype)
    return g.reduce("add", before, 0, [last])


@op("aten.bucketize.Tensor", "aten.bucketize.Scalar")
def bucketize(g: Builder, value: Any, edges: Value, *, out_int32: bool = False, right: bool = False) -> Value:
    return searchsorted(g, edges, value, right=right)


@op("aten.histc.default")
def histc(g: Builder, value: Value, bins: int = 100, min: Any = 0, max: Any = 0) -> Value:
    """Counts in bins of one width. What lies outside is left out; equal limits stand for those of the elements."""
    dtype = value.dtype
    counts = g.full(0, dtype, (bins,))
    total = math.prod(value.shape)
    if total == 0:
        return counts
    flat = g.reshape(value, (total,))
    low, high = g.full(min, dtype), g.full(max, dtype)
    if min == max:
        low, high = (g.reduce(name, flat, start, [0]) for name, start in
                     (("minimum", highest(dtype)), ("maximum", lowest(dtype))))
        same = g.convert(g.compare(low, high, "EQ"), dtype)
        low, high = g.binary("subtract", low, same), g.binary("add", high, same)
    inside = g.binary("and", g.compare(flat, low, "GE"), g.compare(flat, high, "LE"))
    scaled = g.binary("multiply", g.binary("subtract", flat, low), g.full(bins, dtype))
    at = g.binary("divide", scaled, g.binary("subtract", high, low))
    at = g.convert(g.select(inside, at, g.full(0, dtype)), torch.int64)
    at = g.binary("minimum", at, g.full(bins - 1, torch.int64))
    return scatter_add(g, counts, 0, at, g.convert(inside, dtype))
