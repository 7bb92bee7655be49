"""Sums and extrema along dimensions, prefix sums, sorting."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch

from .builder import Builder, Value
from .table import op
from .types import is_float


def dims_of(value: Value, dim: Any) -> list[int]:
    """Dimensions of a reduction: all, one, or a list; an empty list is all."""
    if dim is None or (isinstance(dim, (list, tuple)) and not dim):
        return list(range(value.rank))
    dims = dim if isinstance(dim, (list, tuple)) else [dim]
    return sorted({value.dim(one) for one in dims}) if value.rank else []


def wide(dtype: torch.dtype) -> torch.dtype:
    """The type that sums are held in."""
    return torch.float32 if dtype in (torch.float16, torch.bfloat16) else dtype


def lowest(dtype: torch.dtype) -> Any:
    return -math.inf if is_float(dtype) else (False if dtype is torch.bool else torch.iinfo(dtype).min)


def highest(dtype: torch.dtype) -> Any:
    return math.inf if is_float(dtype) else (True if dtype is torch.bool else torch.iinfo(dtype).max)


def summed(g: Builder, value: Value, dims: Sequence[int], keep: bool = False) -> Value:
    return g.reduce("add", value, 0, dims, keep)


@op("aten.sum.dim_IntList", "aten.sum.default")
def sum_(g: Builder, value: Value, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Value:
    made = summed(g, g.convert(value, wide(g.dtype)), dims_of(value, dim), keepdim)
    return g.convert(made, g.dtype)


def count(value: Value, dims: Sequence[int]) -> int:
    return math.prod(value.shape[dim] for dim in dims)


def mean_of(g: Builder, value: Value, dims: Sequence[int], keep: bool) -> Value:
    return g.binary("divide", summed(g, value, dims, keep), g.full(count(value, dims), value.dtype))


@op("aten.mean.dim", "aten.mean.default")
def mean(g: Builder, value: Value, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Value:
    made = mean_of(g, g.convert(value, wide(g.dtype)), dims_of(value, dim), keepdim)
    return g.convert(made, g.dtype)


@op("aten.prod.default", "aten.prod.dim_int")
def prod(g: Builder, value: Value, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Value:
    value = g.convert(value, wide(g.dtype))
    return g.convert(g.reduce("multiply", value, 1, dims_of(value, dim), keepdim), g.dtype)


@op("aten.amax.default", "aten.max.default")
def amax(g: Builder, value: Value, dim: Any = None, keepdim: bool = False) -> Value:
    name = "or" if value.dtype is torch.bool else "maximum"
    return g.reduce(name, value, lowest(value.dtype), dims_of(value, dim), keepdim)


@op("aten.amin.default", "aten.min.default")
def amin(g: Builder, value: Value, dim: Any = None, keepdim: bool = False) -> Value:
    name = "and" if value.dtype is torch.bool else "minimum"
    return g.reduce(name, value, highest(value.dtype), dims_of(value, dim), keepdim)


@op("aten.any.default", "aten.any.dim", "aten.any.dims")
def any_(g: Builder, value: Value, dim: Any = None, keepdim: bool = False) -> Value:
    made = g.reduce("or", g.convert(value, torch.bool), False, dims_of(value, dim), keepdim)
    return g.convert(made, g.dtype)


@op("aten.all.default", "aten.all.dim", "aten.all.dims")
def all_(g: Builder, value: Value, dim: Any = None, keepdim: bool = False) -> Value:
    made = g.reduce("and", g.convert(value, torch.bool), True, dims_of(value, dim), keepdim)
    return g.convert(made, g.dtype)


def variance(
    g: Builder, value: Value, dims: Sequence[int], correction: Any, keep: bool
) -> tuple[Value, Value]:
    """Variance and mean, by the distances from the mean."""
    middle = mean_of(g, value, dims, True)
    distance = g.binary("subtract", value, middle)
    squares = summed(g, g.binary("multiply", distance, distance), dims, keep)
    left = max(count(value, dims) - (1 if correction is None else correction), 0)
    if not keep:
        kept = [size for dim, size in enumerate(value.shape) if dim not in dims]
        middle = g.reshape(middle, kept)
    # Nothing left gives NaN or an infinity, as a division by zero does.
    return g.binary("divide", squares, g.full(left, value.dtype)), middle


@op("aten.var.correction", "aten.var.dim")
def var(g: Builder, value: Value, dim: Any = None, unbiased: Any = None, *, correction: Any = None,
        keepdim: bool = False) -> Value:
    correction = int(unbiased) if isinstance(unbiased, bool) else correction
    made = variance(g, g.convert(value, wide(value.dtype)), dims_of(value, dim), correction, keepdim)[0]
    return g.convert(made, g.dtype)


@op("aten.std.correction")
def std(g: Builder, value: Value, dim: Any = None, *, correction: Any = None, keepdim: bool = False) -> Value:
    made = variance(g, g.convert(value, wide(value.dtype)), dims_of(value, dim), correction, keepdim)[0]
    return g.convert(g.unary("sqrt", made), g.dtype)


@op("aten.var_mean.correction")
def var_mean(g: Builder, value: Value, dim: Any = None, *, correction: Any = None,
             keepdim: bool = False) -> tuple[Value, Value]:
    made = variance(g, g.convert(value, wide(value.dtype)), dims_of(value, dim), correction, keepdim)
    return g.convert(made[0], g.dtype), g.convert(made[1], g.dtype)


@op("aten.linalg_vector_norm.default")
def vector_norm(g: Builder, value: Value, ord: Any = 2, dim: Any = None, keepdim: bool = False,
                dtype: Any = None) -> Value:
    size = g.unary("abs", g.convert(value, wide(g.dtype)))
    return g.convert(norm_of(g, size, ord, dims_of(value, dim), keepdim), g.dtype)


def norm_of(g: Builder, size: Value, ord: Any, dims: Sequence[int], keep: bool) -> Value:
    """The norm of this order of sizes that are not negative."""
    if ord == math.inf:
        return g.reduce("maximum", size, 0, dims, keep)
    if ord == -math.inf:
        return g.reduce("minimum", size, math.inf, dims, keep)
    if ord == 0:
        return summed(g, g.convert(g.compare(size, g.full(0, size.dtype), "NE"), size.dtype), dims, keep)
    if ord == 1:
        return summed(g, size, dims, keep)
    if ord == 2:
        return g.unary("sqrt", summed(g, g.binary("multiply", size, size), dims, keep))
    powers = summed(g, g.binary("power", size, g.full(ord, size.dtype)), dims, keep)
    return g.binary("power", powers, g.full(1 / ord, size.dtype))


@op("aten.logsumexp.default")
def logsumexp(g: Builder, value: Value, dim: Any, keepdim: bool = False) -> Value:
    dims = dims_of(value, dim)
    top = g.reduce("maximum", value, -math.inf, dims, True)
    # Rows of infinities: their own value, not a difference of infinities.
    finite = g.op("stablehlo.is_finite", [top], torch.bool, top.shape)
    top = g.select(finite, top, g.full(0, value.dtype))
    total = summed(g, g.unary("exponential", g.binary("subtract", value, top)), dims, True)
    made = g.binary("add", g.unary("log", total), top)
    return made if keepdim else g.reshape(made, [s for at, s in enumerate(value.shape) if at not in dims])


def ordered(g: Builder, value: Value, dim: int, descending: bool) -> tuple[Value, Value]:
    """All elements along a dimension in order, and where they stood."""
    places = g.iota(dim, torch.int64, value.shape)
    key = g.convert(value, torch.uint8) if value.dtype is torch.bool else value
    made = g.sort([key, places], dim, descending)
    return g.convert(made[0], value.dtype), made[1]


@op("aten.sort.default", "aten.sort.stable")
def sort(g: Builder, value: Value, *arguments: Any, stable: Any = None, dim: int = -1,
         descending: bool = False) -> tuple[Value, Value]:
    numbers = [one for one in arguments if one is not None]
    dim = numbers[0] if numbers else dim
    descending = numbers[1] if len(numbers) > 1 else descending
    if value.rank == 0:
        return value, g.full(0, torch.int64)
    return ordered(g, value, value.dim(dim), descending)


@op("aten.topk.default")
def topk(g: Builder, value: Value, k: int, dim: int = -1, largest: bool = True,
         sorted: bool = True) -> tuple[Value, Value]:
    if value.rank == 0:
        return value, g.full(0, torch.int64)
    dim = value.dim(dim)
    return tuple(g.cut(part, dim, 0, k) for part in ordered(g, value, dim, largest))  # type: ignore[return-value]


def _extreme_place(g: Builder, value: Value, dim: int, largest: bool, keep: bool) -> tuple[Value, Value]:
    """The extreme value along a dimension and its first place; NaN is more extreme than any number."""
    if value.dtype is torch.bool:
        value = g.convert(value, torch.uint8)
    name, start = ("maximum", lowest(value.dtype)) if largest else ("minimum", highest(value.dtype))
    found = g.reduce(name, value, start, [dim], True)
    hits = g.compare(value, found, "EQ")
    if is_float(value.dtype):
        hits = g.binary("or", hits, g.compare(value, value, "NE"))
    places = g.iota(dim, torch.int64, value.shape)
    size = value.shape[dim]
    first = g.reduce("minimum", g.select(hits, places, g.full(size, torch.int64)), size, [dim], True)
    if keep:
        return found, first
    shape = [s for at, s in enumerate(value.shape) if at != dim]
    return g.reshape(found, shape), g.reshape(first, shape)


def _arg(largest: bool) -> Any:
    def write(g: Builder, value: Value, dim: Any = None, keepdim: bool = False) -> Value:
        if dim is None:
            flat = g.reshape(value, [math.prod(value.shape)])
            return g.reshape(_extreme_place(g, flat, 0, largest, False)[1], g.shape)
        if value.rank == 0:
            return g.full(0, torch.int64)
        return _extreme_place(g, value, value.dim(dim), largest, keepdim)[1]

    return write


op("aten.argmax.default")(_arg(True))
op("aten.argmin.default")(_arg(False))


def _extreme(largest: bool) -> Any:
    def write(g: Builder, value: Value, dim: int, keepdim: bool = False) -> tuple[Value, Value]:
        if value.rank == 0:
            return value, g.full(0, torch.int64)
        found, place = _extreme_place(g, value, value.dim(dim), largest, keepdim)
        return g.convert(found, value.dtype), place

    return write


op("aten.max.dim")(_extreme(True))
op("aten.min.dim")(_extreme(False))


def running(g: Builder, name: str, value: Value, start: Any, dim: int) -> Value:
    """What an operation makes of all elements up to each one."""
    size = value.shape[dim]
    if size == 0:
        return value
    ones = [1] * value.rank
    window = [size if at == dim else 1 for at in range(value.rank)]
    padding = [(size - 1, 0) if at == dim else (0, 0) for at in range(value.rank)]
    return g.reduce_window(name, value, start, window, ones, padding, ones)


def _prefix(name: str, start: Any) -> Any:
    def write(g: Builder, value: Value, dim: int, dtype: Any = None) -> Value:
        target = g.dtype
        value = g.convert(value, wide(target))
        if value.rank == 0:
            return g.convert(value, target)
        return g.convert(running(g, name, value, start, value.dim(dim)), target)

    return write


op("aten.cumsum.default")(_prefix("add", 0))
op("aten.cumprod.default")(_prefix("multiply", 1))
