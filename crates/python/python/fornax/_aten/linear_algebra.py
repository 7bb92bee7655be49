"""Equations of triangular matrices."""

from __future__ import annotations

import torch

from .builder import Builder, Value
from .table import op


@op("aten.linalg_solve_triangular.default")
def solve_triangular(
    g: Builder, a: Value, b: Value, *, upper: bool, left: bool = True, unitriangular: bool = False
) -> Value:
    batch = torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    a, b = (g.broadcast(part, (*batch, *part.shape[-2:])) for part in (a, b))
    text = (
        f"left_side = {str(left).lower()}, lower = {str(not upper).lower()}, "
        f"unit_diagonal = {str(unitriangular).lower()}, transpose_a = #stablehlo<transpose NO_TRANSPOSE>"
    )
    return g.op("stablehlo.triangular_solve", [a, b], b.dtype, b.shape, text)
