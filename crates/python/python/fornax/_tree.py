"""Nested arguments and results: a function of (params, x) is called as the model's author wrote it.

A tree is what JAX calls a pytree. `PlainTree` knows tuples, lists, dictionaries and None, as JSON, so that it can stay
with a module on a machine without JAX. `JaxTree` knows whatever JAX knows, in the process that compiled.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Protocol


class Tree(Protocol):
    """A shape of nested values."""

    def leaves(self, value: Any) -> list[Any]:
        """The leaves of a value of this shape, in order; `TypeError` for another shape."""

    def build(self, leaves: list[Any]) -> Any:
        """A value of this shape."""

    def plain(self) -> Any | None:
        """Its description, if tuples, lists and dictionaries are all it has."""


class PlainTree:
    """A tree of tuples, lists, dictionaries and None. Its description is JSON, as `["tuple", "*", ["list", "*"]]`."""

    def __init__(self, description: Any) -> None:
        self.description = description

    def leaves(self, value: Any) -> list[Any]:
        found: list[Any] = []
        _collect(self.description, value, found, "the argument")
        return found

    def build(self, leaves: list[Any]) -> Any:
        return _build(self.description, iter(leaves))

    def plain(self) -> Any | None:
        return self.description


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

    def plain(self) -> Any | None:
        try:
            return describe(self.definition.unflatten(["*"] * self.definition.num_leaves))
        except Exception:
            # Containers of a program's own may take no text in the place of an array.
            return None


@dataclass(frozen=True)
class Trees:
    """How a function is called: the tree of (args, kwargs), which of its leaves the program takes (None: all), and the
    tree of the results. A function without a tree takes its inputs, and gives its outputs, one by one."""

    arguments: Tree | None = None
    results: Tree | None = None
    kept: tuple[int, ...] | None = None

    def inputs(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        if self.arguments is None:
            if kwargs:
                raise TypeError("the function takes its arguments by place, not by name")
            return list(args)
        leaves = self.arguments.leaves((args, kwargs))
        return leaves if self.kept is None else [leaves[at] for at in self.kept]

    def outputs(self, leaves: list[Any]) -> Any:
        if self.results is not None:
            return self.results.build(leaves)
        return leaves[0] if len(leaves) == 1 else tuple(leaves)

    def text(self) -> str | None:
        """The trees as JSON, for a module file; None for containers of a program's own."""
        parts = [None if tree is None else tree.plain() for tree in (self.arguments, self.results)]
        if None in parts:
            return None
        return json.dumps([*parts, self.kept], separators=(",", ":"))

    @staticmethod
    def of_text(text: str, inputs: int, outputs: int) -> Trees:
        """The trees of a module file; none where they do not fit the function."""
        try:
            arguments, results, kept = json.loads(text)
            leaves = range(count(arguments))
            taken = leaves if kept is None else [leaves[at] for at in kept]
            if (len(taken), count(results)) != (inputs, outputs):
                return Trees()
            return Trees(PlainTree(arguments), PlainTree(results), None if kept is None else tuple(kept))
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
            return Trees()


def count(description: Any) -> int:
    """How many leaves a description has."""
    if description == "*":
        return 1
    if description is None:
        return 0
    inner = description[1].values() if description[0] == "dict" else description[1:]
    return sum(map(count, inner))


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
