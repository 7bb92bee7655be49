"""Softmax and norms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch

from .builder import Builder, Value
from .reductions import mean_of, summed, variance, wide
from .table import op


def softmax_of(g: Builder, value: Value, dim: int) -> Value:
    top = g.reduce("maximum", value, -math.inf, [dim], True)
    powers = g.unary("exponential", g.binary("subtract", value, top))
    return g.binary("divide", powers, summed(g, powers, [dim], True))


@op("aten._softmax.default", "aten.softmax.int")
def softmax(g: Builder, value: Value, dim: int, *_: Any) -> Value:
    if value.rank == 0:
        return g.full(1, g.dtype)
    return g.convert(softmax_of(g, g.convert(value, wide(g.dtype)), value.dim(dim)), g.dtype)


@op("aten._safe_softmax.default")
def safe_softmax(g: Builder, value: Value, dim: int, *_: Any) -> Value:
    """Rows of nothing but -inf give 0."""
    made = softmax(g, value, dim)
    top = g.reduce("maximum", value, -math.inf, [value.dim(dim)], True)
    empty = g.compare(top, g.full(-math.inf, value.dtype), "EQ")
    return g.select(empty, g.full(0, made.dtype), made)


@op("aten._log_softmax.default", "aten.log_softmax.int")
def log_softmax(g: Builder, value: Value, dim: int, *_: Any) -> Value:
    if value.rank == 0:
        return g.full(0, g.dtype)
    dim, held = value.dim(dim), g.convert(value, wide(g.dtype))
    less = g.binary("subtract", held, g.reduce("maximum", held, -math.inf, [dim], True))
    total = g.unary("log", summed(g, g.unary("exponential", less), [dim], True))
    return g.convert(g.binary("subtract", less, total), g.dtype)


def _inverse_deviation(g: Builder, spread: Value, eps: float) -> Value:
    return g.unary("rsqrt", g.binary("add", spread, g.full(eps, spread.dtype)))


def _along(g: Builder, value: Value | None, like: Value, dims: Sequence[int]) -> Value | None:
    return None if value is None else g.broadcast(g.convert(value, like.dtype), like.shape, dims)


def _affine(g: Builder, value: Value, weight: Value | None, bias: Value | None, dims: Sequence[int]) -> Value:
    weight, bias = _along(g, weight, value, dims), _along(g, bias, value, dims)
    value = value if weight is None else g.binary("multiply", value, weight)
    return value if bias is None else g.binary("add", value, bias)


@op("aten.native_layer_norm.default")
def layer_norm(g: Builder, value: Value, shape: Sequence[int], weight: Value | None, bias: Value | None,
               eps: float) -> tuple[Value, Value, Value]:
    dims = list(range(value.rank - len(shape), value.rank))
    held = g.convert(value, wide(value.dtype))
    kept = [1 if at in dims else size for at, size in enumerate(value.shape)]
    spread, middle = variance(g, held, dims, 0, True)
    middle = g.reshape(middle, kept)
    scale = _inverse_deviation(g, spread, eps)
    made = g.binary("multiply", g.binary("subtract", held, middle), scale)
    made = g.convert(_affine(g, made, weight, bias, dims), g.dtype)
    return made, middle, scale


@op("aten._fused_rms_norm.default", "aten.rms_norm.default")
def rms_norm(g: Builder, value: Value, shape: Sequence[int], weight: Value | None = None, eps: Any = None) -> Any:
    dims = list(range(value.rank - len(shape), value.rank))
    held = g.convert(value, wide(value.dtype))
    eps = torch.finfo(held.dtype).eps if eps is None else eps
    scale = _inverse_deviation(g, mean_of(g, g.binary("multiply", held, held), dims, True), eps)
    made = _affine(g, g.binary("multiply", held, scale), weight, None, dims)
    return g.convert(made, value.dtype), scale


@op("aten.native_group_norm.default")
def group_norm(g: Builder, value: Value, weight: Value | None, bias: Value | None, batch: int, channels: int,
               inner: int, groups: int, eps: float) -> tuple[Value, Value, Value]:
    held = g.convert(value, wide(value.dtype))
    rows = g.reshape(held, (batch, groups, channels // groups * inner))
    spread, middle = variance(g, rows, [2], 0, True)
    middle = g.reshape(middle, (batch, groups, 1))
    scale = _inverse_deviation(g, spread, eps)
    made = g.reshape(g.binary("multiply", g.binary("subtract", rows, middle), scale), value.shape)
    made = g.convert(_affine(g, made, weight, bias, [1]), g.dtype)
    return made, g.reshape(middle, (batch, groups)), g.reshape(scale, (batch, groups))


@op("aten._native_batch_norm_legit_no_training.default")
def batch_norm(g: Builder, value: Value, weight: Value | None, bias: Value | None, middle: Value, spread: Value,
               momentum: float, eps: float) -> tuple[Value, Value, Value]:
    held = g.convert(value, wide(value.dtype))
    scale = _inverse_deviation(g, g.convert(spread, held.dtype), eps)
    centred = g.binary("subtract", held, _along(g, middle, held, [1]))  # type: ignore[arg-type]
    made = g.binary("multiply", centred, _along(g, scale, held, [1]))  # type: ignore[arg-type]
    made = g.convert(_affine(g, made, weight, bias, [1]), g.dtype)
    # A GPU gives the statistics that were used, a processor none.
    if g.due[1:2] and g.due[1].shape == (0,):
        middle = scale = g.full(0, value.dtype, (0,))
    return made, middle, scale


def _trained(g: Builder, value: Value, weight: Value | None, bias: Value | None,
             eps: float) -> tuple[Value, Value, Value, Value]:
    """Normalised by the batch's own statistics; its mean, its variance and the inverse deviation."""
    dims = [at for at in range(value.rank) if at != 1]
    held = g.convert(value, wide(value.dtype))
    spread, middle = variance(g, held, dims, 0, False)
    scale = _inverse_deviation(g, spread, eps)
    centred = g.binary("subtract", held, _along(g, middle, held, [1]))  # type: ignore[arg-type]
    made = g.binary("multiply", centred, _along(g, scale, held, [1]))  # type: ignore[arg-type]
    return g.convert(_affine(g, made, weight, bias, [1]), value.dtype), middle, spread, scale


@op("aten._native_batch_norm_legit.no_stats")
def batch_norm_without_statistics(g: Builder, value: Value, weight: Value | None, bias: Value | None, training: bool,
                                  momentum: float, eps: float) -> tuple[Value, Value, Value]:
    made, middle, _, scale = _trained(g, value, weight, bias, eps)
    return made, middle, scale


@op("aten._native_batch_norm_legit_functional.default")
def batch_norm_trained(g: Builder, value: Value, weight: Value | None, bias: Value | None, middle: Value,
                       spread: Value, training: bool, momentum: float, eps: float) -> tuple[Value, ...]:
    if not training:
        return (*batch_norm(g, value, weight, bias, middle, spread, momentum, eps), middle, spread)
    made, own_middle, own_spread, scale = _trained(g, value, weight, bias, eps)
    count = math.prod(value.shape) // value.shape[1]
    unbiased = g.binary("multiply", own_spread, g.full(count / max(count - 1, 1), own_spread.dtype))

    def moved(old: Value, new: Value) -> Value:
        new = g.convert(new, old.dtype)
        step = g.binary("multiply", new, g.full(momentum, old.dtype))
        return g.binary("add", step, g.binary("multiply", old, g.full(1 - momentum, old.dtype)))

    return made, own_middle, scale, moved(middle, own_middle), moved(spread, unbiased)


@op("aten._weight_norm_interface_backward.default")
def weight_norm_backward(
    g: Builder, gradient: Value, direction: Value, length: Value, norms: Value, dim: int
) -> tuple[Value, Value]:
    """Gradients of a weight's direction and length; `norms` [1, …, n, …, 1] are those of the direction's slices."""
    dtype = wide(direction.dtype)
    gradient, wide_direction, norms = (g.convert(part, dtype) for part in (gradient, direction, norms))
    others = [at for at in range(direction.rank) if at != direction.dim(dim)]
    along = g.reduce("add", g.binary("multiply", gradient, wide_direction), 0, others, True)
    for_length = g.binary("divide", along, norms)
    per_norm = g.binary("divide", g.convert(length, dtype), norms)
    # What lies along the direction changes its norm, which is divided by.
    part = g.binary("multiply", g.binary("divide", for_length, norms), wide_direction)
    for_direction = g.binary("multiply", per_norm, g.binary("subtract", gradient, part))
    return g.convert(for_direction, direction.dtype), g.convert(for_length, length.dtype)
