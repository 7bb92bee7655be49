"""The table of operators."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])

# Operator with its overload (`aten.add.Tensor`) → what writes it.
OPS: dict[str, Callable[..., Any]] = {}


class Unsupported(NotImplementedError):
    """Operators that the importer does not know, or a use of one that it does not take: that of `node`."""

    node: Any = None


def op(*names: str) -> Callable[[_Function], _Function]:
    """Writes these operators by the function below."""

    def add(function: _Function) -> _Function:
        for name in names:
            assert name not in OPS, name
            OPS[name] = function
        return function

    return add


def name_of(target: Any) -> str:
    """`aten.add.Tensor` of a node's target."""
    return str(target)


def is_known(node: Any) -> bool:
    return node.target is operator.getitem or name_of(node.target) in OPS


def unsupported(graph: Any) -> list[str]:
    """The operators of a graph that no row of the table writes, in the order of the alphabet."""
    calls = (node for node in graph.nodes if node.op == "call_function")
    return sorted({name_of(node.target) for node in calls if not is_known(node)})
