"""Tensors out of nothing."""

from __future__ import annotations

from typing import Any

import torch

from .builder import Builder, Value
from .table import op


@op("aten.full.default", "aten.full_like.default", "aten.new_full.default")
def full(g: Builder, *arguments: Any, **_: Any) -> Value:
    return g.full(arguments[-1], g.dtype, g.shape)


@op(
    "aten.zeros.default", "aten.zeros_like.default", "aten.new_zeros.default", "aten.empty.memory_format",
    "aten.empty_like.default", "aten.new_empty.default", "aten.new_empty_strided.default", "aten.empty_strided.default",
    "aten.empty_permuted.default", "aten._efficientzerotensor.default",
)
def zeros(g: Builder, *_: Any, **__: Any) -> Value:
    return g.full(0, g.dtype, g.shape)


@op("aten.ones.default", "aten.ones_like.default", "aten.new_ones.default")
def ones(g: Builder, *_: Any, **__: Any) -> Value:
    return g.full(1, g.dtype, g.shape)


@op("aten.scalar_tensor.default")
def scalar_tensor(g: Builder, value: Any, **_: Any) -> Value:
    return g.full(value, g.dtype, ())


@op("aten.arange.start_step", "aten.arange.start", "aten.arange.default")
def arange(g: Builder, *arguments: Any, **_: Any) -> Value:
    start, step = 0, 1
    if len(arguments) > 1:
        start = arguments[0]
    if len(arguments) > 2:
        step = arguments[2]
    dtype = g.dtype
    # Floats are computed as PyTorch does: in the type's accumulator.
    wide = torch.float32 if dtype in (torch.float16, torch.bfloat16) else dtype
    counted = g.iota(0, wide, g.shape)
    scaled = g.binary("multiply", counted, g.full(step, wide))
    return g.convert(g.binary("add", scaled, g.full(start, wide)), dtype)


@op("aten.eye.default", "aten.eye.m")
def eye(g: Builder, *_: Any, **__: Any) -> Value:
    rows, columns = (g.iota(dim, torch.int64, g.shape) for dim in (0, 1))
    return g.convert(g.compare(rows, columns, "EQ"), g.dtype)


def _corner_places(places: Any) -> Any:
    def write(g: Builder, rows: int, columns: int, offset: int = 0, **_: Any) -> Value:
        """[2, count] rows and columns of a triangle's elements."""
        return g.constant(places(rows, columns, offset).to(g.dtype))

    return write


op("aten.tril_indices.default")(_corner_places(torch.tril_indices))
op("aten.triu_indices.default")(_corner_places(torch.triu_indices))


@op("aten.lift_fresh_copy.default", "aten.clone.default", "aten.alias.default", "aten.detach.default",
    "aten.contiguous.default", "aten.alias_copy.default", "aten.detach_copy.default")
def same(g: Builder, value: Value, **_: Any) -> Value:
    return value


@op("aten.copy.default")
def copy(g: Builder, target: Value, source: Value, *_: Any) -> Value:
    return g.broadcast(g.convert(source, target.dtype), target.shape)


@op("aten._to_copy.default", "prims.convert_element_type.default", "aten.to.dtype")
def to_copy(g: Builder, value: Value, *_: Any, **__: Any) -> Value:
    return g.convert(value, g.dtype)


@op("aten._assert_tensor_metadata.default", "aten._assert_async.msg", "aten._assert_scalar.default")
def checked(g: Builder, *_: Any, **__: Any) -> None:
    """Checks of the exporter: the types were checked when it wrote them, values of elements are not."""
