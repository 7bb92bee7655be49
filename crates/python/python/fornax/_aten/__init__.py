"""Programs of PyTorch as StableHLO: core ATen, one function an operator.

* `program` walks the graph of an exported program, or of a part that `torch.compile` found.
* `builder` writes StableHLO; `types` has the element types.
* Operators by theme, each file a table: `elementwise`, `reductions`, `shapes`, `indexing`, `products`, `windows`,
  `normalisation`, `attention`, `attention_gpu`, `creation`, `distances`, `fourier`, `linear_algebra`, `order`,
  `resizing`.
* `decomposed` writes operators as other operators of PyTorch, where PyTorch itself does not.

A new operator is a function with `@op("aten.name.overload")` in the file of its theme. It gets a builder and the
operator's arguments, tensors as `Value`, and gives the `Value` (or a tuple of them) of its result.
"""

from __future__ import annotations

from . import (
    attention,
    attention_gpu,
    creation,
    distances,
    elementwise,
    fourier,
    indexing,
    linear_algebra,
    normalisation,
    order,
    products,
    reductions,
    resizing,
    shapes,
    special,
    windows,
)
from .program import exported_text, graph_text
from .table import OPS, Unsupported, unsupported

__all__ = ["OPS", "Unsupported", "exported_text", "graph_text", "unsupported"]

# The themes are imported for their tables.
_THEMES = (
    attention, attention_gpu, creation, distances, elementwise, fourier, indexing, linear_algebra, normalisation, order,
    products, reductions, resizing, shapes, special, windows,
)
