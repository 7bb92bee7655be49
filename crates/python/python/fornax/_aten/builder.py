"""StableHLO text, an operation a call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from .types import dense, is_float, is_unsigned, number, tensor_type

Dims = Sequence[int]


@dataclass(frozen=True)
class Value:
    """A tensor of the function that is written."""

    name: str
    dtype: torch.dtype
    shape: tuple[int, ...]

    @property
    def type(self) -> str:
        return tensor_type(self.dtype, self.shape)

    @property
    def rank(self) -> int:
        return len(self.shape)

    def dim(self, dim: int) -> int:
        """A dimension that may count from the end."""
        return dim % max(self.rank, 1)


def _i64(values: Dims) -> str:
    return f"array<i64: {', '.join(map(str, values))}>" if values else "array<i64>"


class Builder:
    """Writes the lines of one function.

    `dtype` and `shape` are those of the result that is wanted just now. `example` stands for its first operand where
    that is a tensor: PyTorch's strides of it. `due` stands for all results: tensors, numbers, None.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.dtype: torch.dtype = torch.float32
        self.shape: tuple[int, ...] = ()
        self.example: torch.Tensor | None = None
        self.due: tuple[Any, ...] = ()
        self._next = 0

    def name(self) -> str:
        self._next += 1
        return f"%{self._next - 1}"

    # One operation, its regions and attributes as text.
    def op(
        self, name: str, operands: Sequence[Value], dtype: torch.dtype, shape: Dims, attributes: str = "",
        region: str = "",
    ) -> Value:
        result = Value(self.name(), dtype, tuple(shape))
        self._line(result.name, name, operands, [result], attributes, region)
        return result

    def ops(
        self, name: str, operands: Sequence[Value], results: Sequence[tuple[torch.dtype, Dims]], attributes: str = "",
        region: str = "",
    ) -> tuple[Value, ...]:
        """An operation with several results."""
        first = self.name()
        values = tuple(Value(f"{first}#{at}", dtype, tuple(shape)) for at, (dtype, shape) in enumerate(results))
        self._line(f"{first}:{len(values)}", name, operands, values, attributes, region)
        return values

    def _line(
        self, left: str, name: str, operands: Sequence[Value], results: Sequence[Value], attributes: str, region: str
    ) -> None:
        given = ", ".join(value.name for value in operands)
        types = ", ".join(value.type for value in operands)
        made = ", ".join(value.type for value in results)
        made = f"({made})" if len(results) != 1 else made
        attributes = f" {{{attributes}}}" if attributes else ""
        region = f" ({region})" if region else ""
        self.lines.append(f'    {left} = "{name}"({given}){region}{attributes} : ({types}) -> {made}')

    # Constants.
    def constant(self, tensor: torch.Tensor) -> Value:
        shape = tuple(tensor.shape)
        text = f"value = dense<{dense(tensor)}> : {tensor_type(tensor.dtype, shape)}"
        return self.op("stablehlo.constant", [], tensor.dtype, shape, text)

    def full(self, value: Any, dtype: torch.dtype, shape: Dims = ()) -> Value:
        text = f"value = dense<{number(value, dtype)}> : {tensor_type(dtype, tuple(shape))}"
        if 0 in shape:
            text = f"value = dense<> : {tensor_type(dtype, tuple(shape))}"
        return self.op("stablehlo.constant", [], dtype, shape, text)

    def iota(self, dim: int, dtype: torch.dtype, shape: Dims) -> Value:
        return self.op("stablehlo.iota", [], dtype, shape, f"iota_dimension = {dim} : i64")

    # Types and shapes.
    def convert(self, value: Value, dtype: torch.dtype) -> Value:
        if value.dtype is dtype:
            return value
        if dtype is torch.bool:
            return self.compare(value, self.full(0, value.dtype), "NE")
        if value.dtype.is_complex and not dtype.is_complex:
            part = torch.float32 if value.dtype is torch.complex64 else torch.float64
            return self.convert(self.op("stablehlo.real", [value], part, value.shape), dtype)
        return self.op("stablehlo.convert", [value], dtype, value.shape)

    def tensor(self, value: Any, dtype: torch.dtype) -> Value:
        """A value of this type: a tensor converted, a number as a constant."""
        return self.convert(value, dtype) if isinstance(value, Value) else self.full(value, dtype)

    def broadcast(self, value: Value, shape: Dims, dims: Dims | None = None) -> Value:
        """To a larger shape: dimensions aligned at the end, or as `dims` says."""
        shape = tuple(shape)
        if dims is None:
            dims = range(len(shape) - value.rank, len(shape))
        if value.shape == shape and list(dims) == list(range(len(shape))):
            return value
        return self.op(
            "stablehlo.broadcast_in_dim", [value], value.dtype, shape, f"broadcast_dimensions = {_i64(list(dims))}"
        )

    def reshape(self, value: Value, shape: Dims) -> Value:
        shape = tuple(shape)
        return value if shape == value.shape else self.op("stablehlo.reshape", [value], value.dtype, shape)

    def transpose(self, value: Value, order: Dims) -> Value:
        order = [value.dim(dim) for dim in order]
        if order == list(range(value.rank)):
            return value
        shape = [value.shape[dim] for dim in order]
        return self.op("stablehlo.transpose", [value], value.dtype, shape, f"permutation = {_i64(order)}")

    def slice(self, value: Value, starts: Dims, ends: Dims, steps: Dims | None = None) -> Value:
        steps = steps or [1] * value.rank
        shape = tuple(max(0, -(-(e - s) // p)) for s, e, p in zip(starts, ends, steps))
        if shape == value.shape:
            return value
        text = f"start_indices = {_i64(starts)}, limit_indices = {_i64(ends)}, strides = {_i64(steps)}"
        return self.op("stablehlo.slice", [value], value.dtype, shape, text)

    def cut(self, value: Value, dim: int, start: int, end: int, step: int = 1) -> Value:
        """A slice along one dimension."""
        starts, ends, steps = [0] * value.rank, list(value.shape), [1] * value.rank
        starts[dim], ends[dim], steps[dim] = start, max(start, end), step
        return self.slice(value, starts, ends, steps)

    def pad(self, value: Value, fill: Any, low: Dims, high: Dims, inner: Dims | None = None) -> Value:
        inner = inner or [0] * value.rank
        shape = [a + s + b + max(s - 1, 0) * i for s, a, b, i in zip(value.shape, low, high, inner)]
        text = (
            f"edge_padding_low = {_i64(low)}, edge_padding_high = {_i64(high)}, interior_padding = {_i64(inner)}"
        )
        return self.op("stablehlo.pad", [value, self.tensor(fill, value.dtype)], value.dtype, shape, text)

    def concatenate(self, values: Sequence[Value], dim: int) -> Value:
        if len(values) == 1:
            return values[0]
        shape = list(values[0].shape)
        shape[dim] = sum(value.shape[dim] for value in values)
        return self.op("stablehlo.concatenate", values, values[0].dtype, shape, f"dimension = {dim} : i64")

    def reverse(self, value: Value, dims: Dims) -> Value:
        return self.op("stablehlo.reverse", [value], value.dtype, value.shape, f"dimensions = {_i64(dims)}")

    # Elementwise.
    def unary(self, name: str, value: Value) -> Value:
        name = name if "." in name else f"stablehlo.{name}"
        return self.op(name, [value], value.dtype, value.shape)

    def _pair(self, a: Value, b: Value) -> tuple[Value, Value, tuple[int, ...]]:
        shape = tuple(torch.broadcast_shapes(a.shape, b.shape))
        return self.broadcast(a, shape), self.broadcast(b, shape), shape

    def binary(self, name: str, a: Value, b: Value) -> Value:
        """Of operands of one type, whose shapes are broadcast."""
        a, b, shape = self._pair(a, b)
        return self.op(name if "." in name else f"stablehlo.{name}", [a, b], a.dtype, shape)

    def compare(self, a: Value, b: Value, direction: str) -> Value:
        a, b, shape = self._pair(a, b)
        kind = "FLOAT" if is_float(a.dtype) or a.dtype.is_complex else "SIGNED"
        if is_unsigned(a.dtype) or a.dtype is torch.bool:
            kind = "UNSIGNED"
        text = (
            f"comparison_direction = #stablehlo<comparison_direction {direction}>, "
            f"compare_type = #stablehlo<comparison_type {kind}>"
        )
        return self.op("stablehlo.compare", [a, b], torch.bool, shape, text)

    def select(self, where: Value, a: Value, b: Value) -> Value:
        shape = tuple(torch.broadcast_shapes(where.shape, a.shape, b.shape))
        parts = [self.broadcast(value, shape) for value in (where, a, b)]
        return self.op("stablehlo.select", parts, a.dtype, shape)

    # Regions of one operation on two scalars.
    def _region(self, name: str, dtype: torch.dtype) -> str:
        a, b, made, ty = self.name(), self.name(), self.name(), tensor_type(dtype, ())
        return (
            f'{{^bb0({a}: {ty}, {b}: {ty}): {made} = "stablehlo.{name}"({a}, {b}) : ({ty}, {ty}) -> {ty} '
            f'"stablehlo.return"({made}) : ({ty}) -> () }}'
        )

    def repeat(self, count: Value, start: Value, each: Callable[[Value, Value], Value]) -> Value:
        """`count` rounds, an i64: each gets its number and what the one before gave, and gives as much."""
        number, state = (Value(self.name(), value.dtype, value.shape) for value in (count, start))
        outside, self.lines = self.lines, []
        more = self.compare(number, count, "LT")
        test, self.lines = self.lines, []
        made = [self.binary("add", number, self.full(1, count.dtype)), each(number, state)]
        body, self.lines = self.lines, outside
        arguments = f"{number.name}: {number.type}, {state.name}: {state.type}"
        regions = []
        for lines, values in ((test, [more]), (body, made)):
            names, types = ", ".join(one.name for one in values), ", ".join(one.type for one in values)
            regions.append("\n".join(
                [f"{{^bb0({arguments}):", *lines, f'    "stablehlo.return"({names}) : ({types}) -> ()', "    }"]
            ))
        given = [self.full(0, count.dtype), start]
        return self.ops("stablehlo.while", given, [(one.dtype, one.shape) for one in given], "", ", ".join(regions))[1]

    def reduce(self, name: str, value: Value, start: Any, dims: Dims, keep: bool = False) -> Value:
        dims = sorted(dims)
        shape = [size for dim, size in enumerate(value.shape) if dim not in dims]
        initial = self.full(start, value.dtype)
        region = self._region(name, value.dtype)
        text = f"dimensions = {_i64(dims)}"
        made = self.op("stablehlo.reduce", [value, initial], value.dtype, shape, text, region)
        if not keep:
            return made
        return self.reshape(made, [1 if dim in dims else size for dim, size in enumerate(value.shape)])

    def reduce_window(
        self, name: str, value: Value, start: Any, window: Dims, strides: Dims, padding: Sequence[tuple[int, int]],
        dilations: Dims,
    ) -> Value:
        span = [(w - 1) * d + 1 for w, d in zip(window, dilations)]
        sizes = zip(value.shape, span, strides, padding)
        shape = [(size + low + high - s) // stride + 1 for size, s, stride, (low, high) in sizes]
        pads = ", ".join(f"[{low}, {high}]" for low, high in padding)
        text = (
            f"window_dimensions = {_i64(window)}, window_strides = {_i64(strides)}, "
            f"window_dilations = {_i64(dilations)}, padding = dense<[{pads}]> : tensor<{len(window)}x2xi64>"
        )
        initial = self.full(start, value.dtype)
        region = self._region(name, value.dtype)
        return self.op("stablehlo.reduce_window", [value, initial], value.dtype, shape, text, region)

    def dot(self, a: Value, b: Value, batch: Dims, contract: tuple[Dims, Dims], dtype: torch.dtype) -> Value:
        """`batch` dimensions lead in both; the other dimensions follow, those of `a` first."""
        shape = [a.shape[dim] for dim in batch]
        shape += [size for dim, size in enumerate(a.shape) if dim not in batch and dim not in contract[0]]
        shape += [size for dim, size in enumerate(b.shape) if dim not in batch and dim not in contract[1]]
        names = [list(batch), list(batch), list(contract[0]), list(contract[1])]
        text = (
            "dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = {}, rhs_batching_dimensions = {}, "
            "lhs_contracting_dimensions = {}, rhs_contracting_dimensions = {}>"
        ).format(*names)
        return self.op("stablehlo.dot_general", [a, b], dtype, shape, text)

    def sort(self, values: Sequence[Value], dim: int, descending: bool) -> tuple[Value, ...]:
        """Stable, by the first of them; NaN counts as larger than any number, as in PyTorch."""
        key = values[0]
        ty = tensor_type(key.dtype, ())
        names = [self.name() for _ in range(2 * len(values))]
        arguments = ", ".join(
            f"{names[2 * at + side]}: {tensor_type(value.dtype, ())}"
            for at, value in enumerate(values)
            for side in (0, 1)
        )
        a, b = names[0], names[1]
        first, second = (b, a) if descending else (a, b)
        less = self.name()
        kind = "FLOAT" if is_float(key.dtype) else "SIGNED"
        if is_unsigned(key.dtype) or key.dtype is torch.bool:
            kind = "UNSIGNED"
        compare = (
            '{} = "stablehlo.compare"({}, {}) {{comparison_direction = #stablehlo<comparison_direction {}>, '
            "compare_type = #stablehlo<comparison_type {}>}} : ({}, {}) -> tensor<i1> "
        )
        body = compare.format(less, first, second, "LT", kind, ty, ty)
        if is_float(key.dtype):
            # first < second, or first is a number and second is none.
            number_, none, both, made = (self.name() for _ in range(4))
            body += compare.format(number_, first, first, "EQ", kind, ty, ty)
            body += compare.format(none, second, second, "NE", kind, ty, ty)
            body += f'{both} = "stablehlo.and"({number_}, {none}) : (tensor<i1>, tensor<i1>) -> tensor<i1> '
            body += f'{made} = "stablehlo.or"({less}, {both}) : (tensor<i1>, tensor<i1>) -> tensor<i1> '
            less = made
        region = f'{{^bb0({arguments}): {body}"stablehlo.return"({less}) : (tensor<i1>) -> () }}'
        text = f"dimension = {dim} : i64, is_stable = true"
        if len(values) == 1:
            return (self.op("stablehlo.sort", values, key.dtype, key.shape, text, region),)
        results = [(value.dtype, value.shape) for value in values]
        return self.ops("stablehlo.sort", values, results, text, region)

    def update_region(self, name: str | None, dtype: torch.dtype) -> str:
        """The body of a scatter: combines, or takes the update."""
        if name is not None:
            return self._region(name, dtype)
        a, b, ty = self.name(), self.name(), tensor_type(dtype, ())
        return f'{{^bb0({a}: {ty}, {b}: {ty}): "stablehlo.return"({b}) : ({ty}) -> () }}'
