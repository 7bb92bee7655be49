"""Nested arguments and results: a function of (params, x) is called as the model's author wrote it.

A tree is what JAX calls a pytree. `PlainTree` knows tuples, lists, dictionaries and None, as JSON, so that it can stay
with a module on a machine without JAX. `JaxTree` knows whatever JAX knows, in the process that compiled.
"""

from __future__ import annotations

from typing import Any, Protocol


class Tree(Protocol):
    """A shape of nested values."""

    def leaves(self, value: Any) -> list[Any]:
        """The leaves of a value of this shape, in order; `TypeError` for another shape."""

    def build(self, leaves: list[Any]) -> Any:
        """A value of this shape."""


class PlainTree:
    """A tree of tuples, lists, dictionaries and None. Its description is JSON: `["tuple", "*", ["dict", {"w": "*"}]]`."""

    def __init__(self, description: Any) -> None:
        self.description = description

    def leaves(self, value: Any) -> list[Any]:
        found: list[Any] = []
        _collect(self.description, value, found, "the argument")
        return found

    def build(self, leaves: list[Any]) -> Any:
        return _build(self.description, iter(leaves))


class JaxTree:
    """A tree as JAX describes it."""

    def __init__(self, definition: Any) -> None:
        self.definition = definition

    def leaves(self, value: Any) -> list[Any]:
        import jax

        leaves, given = jax.tree_util.tree_flatten(value)
        if given != self.definition:
            raise TypeError(f"the arguments are {given}, the function takes {self.definition}")
        return list(leaves)

    def build(self, leaves: list[Any]) -> Any:
        return self.definition.unflatten(leaves)


def describe(value: Any) -> Any | None:
    """The description of a value whose leaves are all `"*"`; None where it holds other containers."""
    if value == "*" or value is None:
        return value
    if type(value) in (tuple, list):
        inner = [describe(item) for item in value]
        whole = all(entry is not None or item is None for entry, item in zip(inner, value))
        return [type(value).__name__, *inner] if whole else None
    if type(value) is dict and all(type(key) is str for key in value):
        entries = {key: describe(value[key]) for key in sorted(value)}
        whole = all(entries[key] is not None or value[key] is None for key in entries)
        return ["dict", entries] if whole else None
    return None


def _collect(description: Any, value: Any, found: list[Any], where: str) -> None:
    if description == "*":
        found.append(value)
    elif description is None:
        if value is not None:
            raise TypeError(f"{where} is {type(value).__name__}, the function takes None there")
    elif description[0] == "dict":
        entries = description[1]
        if not isinstance(value, dict) or set(value) != set(entries):
            raise TypeError(f"{where} is not a dictionary of {', '.join(entries)}")
        for key, inner in entries.items():
            _collect(inner, value[key], found, f"{where}[{key!r}]")
    else:
        inner = description[1:]
        wanted = tuple if description[0] == "tuple" else list
        if not isinstance(value, wanted) or len(value) != len(inner):
            raise TypeError(f"{where} is not a {description[0]} of {len(inner)}")
        for at, (entry, item) in enumerate(zip(inner, value)):
            _collect(entry, item, found, f"{where}[{at}]")


def _build(description: Any, leaves: Any) -> Any:
    if description == "*":
        return next(leaves)
    if description is None:
        return None
    if description[0] == "dict":
        return {key: _build(inner, leaves) for key, inner in description[1].items()}
    items = [_build(inner, leaves) for inner in description[1:]]
    return tuple(items) if description[0] == "tuple" else items
