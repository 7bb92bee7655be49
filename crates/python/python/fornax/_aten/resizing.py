"""Resizing and the gradients of what resizes.

Each dimension is a matrix of its own. PyTorch's operator gives it, of a unit matrix: the rows are the elements of the
input, the columns those of the result. So corners, scales and edges are PyTorch's, whatever it computes.

Worked example: `upsample_nearest1d` from 2 to 4 elements gives `[[1, 1, 0, 0], [0, 0, 1, 1]]`; the gradient of the
input is that matrix times the gradient of the result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from .builder import Builder, Value
from .reductions import wide
from .table import op


# Elements of the dimensions that are not looked at. With one, smooth operators of PyTorch mix up dimensions.
_SIDE = 2


def _matrix(resize: Callable[[torch.Tensor], torch.Tensor], size: int, count: int) -> torch.Tensor:
    """[inputs, results] in f64 of an operator that resizes the first of `count` dimensions; the others keep `_SIDE`."""
    unit = torch.eye(size, dtype=torch.float64).reshape(size, 1, size, *[1] * (count - 1))
    made = resize(unit.expand(size, 1, size, *[_SIDE] * (count - 1)).contiguous())
    return made.reshape(size, made.shape[2], -1)[:, :, 0]


def _product(g: Builder, value: Value, matrices: Sequence[torch.Tensor]) -> Value:
    """The last dimensions, each by its matrix [new, old], in the type of the value."""
    made, lead = g.convert(value, wide(value.dtype)), value.rank - len(matrices)
    exact = "#stablehlo<precision HIGHEST>"
    for matrix in matrices:
        # The new dimension comes out last: after all of them the order is that of before.
        left = [size for dim, size in enumerate(made.shape) if dim != lead]
        text = (
            "dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], "
            f"lhs_contracting_dimensions = [{lead}], rhs_contracting_dimensions = [1]>, "
            f"precision_config = [{exact}, {exact}]"
        )
        weights = g.constant(matrix.to(made.dtype))
        made = g.op("stablehlo.dot_general", [made, weights], made.dtype, (*left, matrix.shape[0]), text)
    return g.convert(made, value.dtype)


def _resized(name: str, size: int, results: int, given: Sequence[Any], scale: float | None) -> torch.Tensor:
    """The matrix of one dimension; `given` is what stands between sizes and scales."""
    operator = getattr(torch.ops.aten, name).default
    count = 1 + ("2d" in name) + 2 * ("3d" in name)
    sizes, scales = [results, *[_SIDE] * (count - 1)], [scale, *[None] * (count - 1)]
    return _matrix(lambda unit: operator(unit, sizes, *given, *scales), size, count)


def _matrices(
    name: str, sizes: Sequence[int], results: Sequence[int], rest: Sequence[Any], flags: int
) -> list[torch.Tensor]:
    """[inputs, results] of every dimension; `rest` is `flags` arguments, then the scales, where they are given."""
    given, scales = list(rest[:flags]), [*rest[flags:], *[None] * len(sizes)]
    return [_resized(name, *row) for row in zip(sizes, results, [given] * len(sizes), scales)]


def _upsample_backward(name: str, flags: int) -> None:
    def write(g: Builder, gradient: Value, _: Any, size: Sequence[int], *rest: Any, **named: Any) -> Value:
        rest = (*rest, *named.values())
        return _product(g, gradient, _matrices(name, size[2:], gradient.shape[2:], rest, flags))

    op(f"aten.{name}_backward.default")(write)


for _name in ("upsample_nearest1d", "_upsample_nearest_exact1d", "upsample_nearest2d", "_upsample_nearest_exact2d",
              "upsample_nearest3d", "_upsample_nearest_exact3d"):
    _upsample_backward(_name, 0)
_CORNERS = ("upsample_linear1d", "upsample_bilinear2d", "upsample_bicubic2d", "upsample_trilinear3d",
            "_upsample_bilinear2d_aa", "_upsample_bicubic2d_aa")
for _name in _CORNERS:
    _upsample_backward(_name, 1)


@op("aten._upsample_bilinear2d_aa.default")
def upsample_bilinear_smooth(g: Builder, value: Value, size: Any, *rest: Any, **named: Any) -> Value:
    found = _matrices("_upsample_bilinear2d_aa", value.shape[2:], g.shape[2:], (*rest, *named.values()), 1)
    return _product(g, value, [matrix.T for matrix in found])


@op("aten._upsample_bicubic2d_aa.default")
def upsample_bicubic_smooth(g: Builder, value: Value, size: Any, *rest: Any, **named: Any) -> Value:
    found = _matrices("_upsample_bicubic2d_aa", value.shape[2:], g.shape[2:], (*rest, *named.values()), 1)
    return _product(g, value, [matrix.T for matrix in found])


@op("aten.upsample_nearest2d.default", "aten.upsample_nearest1d.default")
def upsample_nearest(g: Builder, value: Value, _: Any, *scales: Any) -> Value:
    from .indexing import take

    # Of one and of two dimensions the places are not the same.
    name = f"upsample_nearest{value.rank - 2}d"
    for dim, scale in zip(range(2, value.rank), [*scales, None, None]):
        inputs, outputs = value.shape[dim], g.shape[dim]
        places = _resized(name, inputs, outputs, [], scale).argmax(0)
        each = outputs // inputs
        if outputs % inputs == 0 and torch.equal(places, torch.arange(outputs) // each):
            shape = (*value.shape[:dim], inputs, each, *value.shape[dim + 1 :])
            dims = [*range(dim + 1), *range(dim + 2, value.rank + 1)]
            value = g.reshape(g.broadcast(value, shape, dims), (*value.shape[:dim], outputs, *value.shape[dim + 1 :]))
            continue
        value = take(g, value, dim, g.constant(places))
    return value


@op("aten.upsample_nearest2d.vec", "aten.upsample_nearest1d.vec")
def upsample_nearest_of_factors(g: Builder, value: Value, size: Any, factors: Any = None) -> Value:
    return upsample_nearest(g, value, size, *(factors or []))


def _edges(size: int, pair: Sequence[int]) -> torch.Tensor:
    return _matrix(lambda unit: torch.ops.aten.replication_pad1d.default(unit, pair), size, 1)


@op("aten.replication_pad1d_backward.default", "aten.replication_pad2d_backward.default",
    "aten.replication_pad3d_backward.default")
def replication_pad_backward(g: Builder, gradient: Value, value: Value, padding: Sequence[int]) -> Value:
    count = len(padding) // 2
    # The last dimension's comes first.
    pairs = [padding[2 * at : 2 * at + 2] for at in range(count)][::-1]
    return _product(g, gradient, [_edges(*row) for row in zip(value.shape[value.rank - count :], pairs)])


def _means(size: int, parts: int) -> torch.Tensor:
    return _matrix(lambda unit: torch.nn.functional.adaptive_avg_pool1d(unit, parts), size, 1)


def _adaptive_backward(count: int) -> Any:
    return lambda g, gradient, value: adaptive_backward(g, gradient, value, value.rank - count)


op("aten._adaptive_avg_pool2d_backward.default")(_adaptive_backward(2))
op("aten._adaptive_avg_pool3d_backward.default")(_adaptive_backward(3))


def adaptive_backward(g: Builder, gradient: Value, value: Value, lead: int) -> Value:
    """The gradient of means over parts; `lead` dimensions are not pooled."""
    sizes, results = value.shape[lead:], gradient.shape[lead:]
    if any(size % many for size, many in zip(sizes, results)):
        return _product(g, gradient, [_means(*row) for row in zip(sizes, results)])
    made = gradient
    for dim in range(lead, value.rank):
        inputs, outputs = value.shape[dim], gradient.shape[dim]
        each = inputs // outputs
        shape = (*made.shape[:dim], outputs, each, *made.shape[dim + 1 :])
        dims = [*range(dim + 1), *range(dim + 2, made.rank + 1)]
        spread = g.broadcast(g.binary("divide", made, g.full(each, made.dtype)), shape, dims)
        made = g.reshape(spread, (*made.shape[:dim], inputs, *made.shape[dim + 1 :]))
    return made
