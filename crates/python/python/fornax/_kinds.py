"""What `fornax.compile` takes. One row a kind, tried in order; another kind is another row.

A row's `read` gives a `Source`: the path or the bytes of a model that the compiler reads (StableHLO, linalg or TOSA as
text or bytecode, a checkpoint; what else `fornax compile` takes by its path, a path takes here), with the trees of its
arguments and results where it has them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from . import _jax, _torch
from ._tree import Trees


@dataclass(frozen=True)
class Source:
    """A model as the compiler reads it: a path, or bytes."""

    model: str | bytes
    trees: Trees | None = None


class Kind(NamedTuple):
    name: str
    is_of: Callable[[Any], bool]
    read: Callable[[Any, tuple[Any, ...], dict[str, Any]], Source]


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and ("\n" in value or "{" in value)


def _without_arguments(read: Callable[[Any], Source]) -> Callable[[Any, tuple[Any, ...], dict[str, Any]], Source]:
    def checked(value: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Source:
        if args or kwargs:
            raise TypeError("example arguments are for functions: this model says itself what it takes")
        return read(value)

    return checked


def _exported(value: Any) -> Source:
    return Source(value.mlir_module_serialized, _jax.trees(value))


def _jitted(value: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Source:
    return _exported(_jax.exported(value, args, kwargs))


def _is_path(value: Any) -> bool:
    return isinstance(value, (str, os.PathLike))


def _is_bytes(value: Any) -> bool:
    return isinstance(value, (bytes, bytearray, memoryview))


def _text(value: str) -> Source:
    return Source(value.encode())


def _path(value: str | os.PathLike[str]) -> Source:
    path = os.fspath(value)
    if not os.path.exists(path):
        raise FileNotFoundError(f"no such model: {path}")
    # A name is never taken for a flag, nor for the input.
    return Source(os.path.abspath(path))


def _bytes(value: Any) -> Source:
    return Source(bytes(value))


def _is_onnx(value: Any) -> bool:
    onnx = sys.modules.get("onnx")
    return onnx is not None and isinstance(value, onnx.ModelProto)


def _onnx(value: Any) -> Source:
    return Source(value.SerializeToString())


def _program(value: Any) -> Source:
    return Source(*_torch.read(value))


def _module(value: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Source:
    return _program(_torch.exported(value, args, kwargs))


KINDS: tuple[Kind, ...] = (
    Kind("StableHLO text", _is_text, _without_arguments(_text)),
    Kind("a path", _is_path, _without_arguments(_path)),
    Kind("StableHLO bytes", _is_bytes, _without_arguments(_bytes)),
    Kind("an onnx.ModelProto", _is_onnx, _without_arguments(_onnx)),
    Kind("a jax.export.Exported", _jax.is_exported, _without_arguments(_exported)),
    Kind("a jitted JAX function", _jax.is_jitted, _jitted),
    Kind("a torch.export.ExportedProgram", _torch.is_program, _without_arguments(_program)),
    Kind("a torch.nn.Module", _torch.is_module, _module),
)


def source(value: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Source:
    """The model of a value."""
    for kind in KINDS:
        if kind.is_of(value):
            return kind.read(value, args, kwargs)
    if callable(value) and "jax" in sys.modules:
        raise TypeError(f"{value!r} is a plain function: give jax.jit of it")
    names = ", ".join(kind.name for kind in KINDS)
    raise TypeError(f"{type(value).__name__} is no model: give {names}")
