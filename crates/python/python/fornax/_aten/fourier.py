"""Fourier transforms."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch

from .builder import Builder, Value
from .table import op

_COMPLEX = {torch.float32: torch.complex64, torch.float64: torch.complex128}
_PART = {whole: part for part, whole in _COMPLEX.items()}


def _along(g: Builder, kind: str, value: Value, dim: int, length: int) -> Value:
    """One transform along a dimension; inverse ones are divided by the length."""
    order = [at for at in range(value.rank) if at != dim] + [dim]
    value = g.transpose(value, order)
    last = length // 2 + 1 if kind == "RFFT" else length
    dtype = {"RFFT": _COMPLEX, "IRFFT": _PART}.get(kind, {}).get(value.dtype, value.dtype)
    text = f"fft_type = #stablehlo<fft_type {kind}>, fft_length = array<i64: {length}>"
    made = g.op("stablehlo.fft", [value], dtype, (*value.shape[:-1], last), text)
    return g.transpose(made, [order.index(at) for at in range(value.rank)])


def _scaled(g: Builder, value: Value, by: float) -> Value:
    return value if by == 1 else g.binary("multiply", value, g.full(by, value.dtype))


def _norm(count: int, normalization: int) -> float:
    """PyTorch's numbers: none, by the root of the length, by the length."""
    return (1.0, 1 / math.sqrt(count), 1 / count)[normalization]


def _complex(g: Builder, value: Value, dims: Sequence[int], forward: bool) -> Value:
    """Transforms without a norm."""
    for dim in dims:
        length = value.shape[dim]
        value = _along(g, "FFT" if forward else "IFFT", value, dim, length)
        value = value if forward else _scaled(g, value, length)
    return value


@op("aten._fft_c2c.default")
def of_complex(g: Builder, value: Value, dims: Sequence[int], normalization: int, forward: bool) -> Value:
    dims = [value.dim(dim) for dim in dims]
    count = math.prod(value.shape[dim] for dim in dims)
    return _scaled(g, _complex(g, value, dims, forward), _norm(count, normalization))


@op("aten._fft_r2c.default")
def of_real(g: Builder, value: Value, dims: Sequence[int], normalization: int, onesided: bool) -> Value:
    dims = [value.dim(dim) for dim in dims]
    count = math.prod(value.shape[dim] for dim in dims)
    if onesided:
        value = _along(g, "RFFT", value, dims[-1], value.shape[dims[-1]])
        dims = dims[:-1]
    else:
        value = g.convert(value, _COMPLEX[value.dtype])
    return _scaled(g, _complex(g, value, dims, True), _norm(count, normalization))


@op("aten._fft_c2r.default")
def to_real(g: Builder, value: Value, dims: Sequence[int], normalization: int, length: int) -> Value:
    dims = [value.dim(dim) for dim in dims]
    last = dims[-1]
    count = math.prod(value.shape[dim] for dim in dims[:-1]) * length
    value = _complex(g, value, dims[:-1], False)
    value = _along(g, "IRFFT", g.cut(value, last, 0, length // 2 + 1), last, length)
    return _scaled(g, value, length * _norm(count, normalization))
