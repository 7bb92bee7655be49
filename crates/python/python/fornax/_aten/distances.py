"""Distances of rows."""

from __future__ import annotations

from typing import Any

import torch

from .builder import Builder, Value
from .indexing import take
from .reductions import norm_of
from .table import op


@op("aten._cdist_forward.default")
def cdist(g: Builder, a: Value, b: Value, p: float, *_: Any) -> Value:
    """Of every row of one matrix to every row of the other."""
    a = g.reshape(a, (*a.shape[:-1], 1, a.shape[-1]))
    b = g.reshape(b, (*b.shape[:-2], 1, *b.shape[-2:]))
    size = g.unary("abs", g.binary("subtract", a, b))
    return norm_of(g, size, p, [size.rank - 1], False)


@op("aten._pdist_forward.default")
def pdist(g: Builder, value: Value, p: float = 2.0) -> Value:
    """Of every row to those below it."""
    if 0 in g.shape:
        return g.full(0, value.dtype, g.shape)
    rows = torch.triu_indices(value.shape[0], value.shape[0], 1)
    a, b = (take(g, value, 0, g.constant(side)) for side in rows)
    return norm_of(g, g.unary("abs", g.binary("subtract", a, b)), p, [1], False)
