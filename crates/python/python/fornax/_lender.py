"""Calls with tensors of PyTorch, for graphs that run again and again.

On a GPU a tensor is handed over by its pointer, on the current stream. To ask a tensor for that takes PyTorch some ten
microseconds, and a model has hundreds of parameters: a tensor that comes again is asked once.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any

from . import _arrays
from ._module import Module
from ._native import Array

# Kernels load vectors of so many bytes.
_ALIGNMENT = 16


class _Kept:
    """A tensor that was given, and what it became."""

    __slots__ = ("tensor", "pointer", "array")

    def __init__(self, tensor: Any, pointer: int) -> None:
        self.tensor = weakref.ref(tensor, self._forget)
        self.pointer = pointer
        self.array: Array | None = None

    def _forget(self, _: Any) -> None:
        # The array keeps the memory of a tensor that is gone.
        self.array = None


class Lender:
    """A module as PyTorch calls it."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._session, self._function, self._on_gpu = module.parts()
        self._kept: list[_Kept | None] = []

    def call(self, tensors: Sequence[Any]) -> list[Any]:
        """The results for these tensors, one by one."""
        if not self._on_gpu:
            given: list[Any] = [one.detach() for one in tensors]
            return [_arrays.to_torch(array) for array in self._session.call(self._function, given, None)]
        if len(self._kept) != len(tensors):
            self._kept = [None] * len(tensors)
        given = [self._given(at, kept, one) for at, (kept, one) in enumerate(zip(self._kept, tensors))]
        stream = _arrays.stream_of([one for one in tensors if one.is_cuda][:1])
        return [_arrays.to_torch(array) for array in self._session.call(self._function, given, stream)]

    def _given(self, at: int, kept: _Kept | None, tensor: Any) -> Any:
        if not tensor.is_cuda:
            return tensor.detach()
        pointer = tensor.data_ptr()
        if kept is None or kept.pointer != pointer or kept.tensor() is not tensor:
            self._kept[at] = _Kept(tensor, pointer)
            return _plain(tensor)
        if kept.array is None:
            plain = _plain(tensor)
            if plain.data_ptr() != pointer:
                return plain
            kept.array = self._session.lend(plain)
        return kept.array


def _plain(tensor: Any) -> Any:
    """The tensor with its elements in row-major order where kernels can load them, itself if it is so."""
    plain = tensor.detach().contiguous()
    return plain if plain.data_ptr() % _ALIGNMENT == 0 else plain.clone()
