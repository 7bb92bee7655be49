"""Calls with tensors of PyTorch, for graphs that run again and again.

On a GPU a tensor is handed over by its pointer, on the current stream. To ask a tensor for that takes PyTorch some ten
microseconds, and a model has hundreds of parameters: a tensor that comes again is asked once, and where all of them
came again by their addresses, which one call of PyTorch compares, none is looked at.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any

import torch

from . import _arrays
from ._module import Module
from ._native import Array

# Kernels load vectors of so many bytes.
_ALIGNMENT = 16


class _Kept:
    """A tensor that was given, and what it became."""

    __slots__ = ("tensor", "pointer", "array", "gone")

    def __init__(self, tensor: Any, pointer: int, gone: Callable[[], None]) -> None:
        self.tensor = weakref.ref(tensor, self._forget)
        self.pointer = pointer
        self.array: Array | None = None
        self.gone = gone

    def _forget(self, _: Any) -> None:
        # The array keeps the memory of a tensor that is gone.
        if self.array is not None:
            self.array = None
            self.gone()


class _Steady:
    """Arrays that were given for the tensors at `places`, and what is asked anew. While those tensors live nothing else
    can lie at their addresses."""

    __slots__ = ("given", "pointers", "places", "others")

    def __init__(self, kept: Sequence[_Kept | None]) -> None:
        self.given = [one.array if one is not None else None for one in kept]
        self.pointers = [one.pointer if one is not None else 0 for one in kept]
        self.places = [at for at, array in enumerate(self.given) if array is not None]
        self.others = [at for at, array in enumerate(self.given) if array is None]


def _same_one_by_one(tensors: Sequence[Any], pointers: Sequence[int], places: Sequence[int]) -> bool:
    return all(tensors[at].data_ptr() == pointers[at] for at in places)


# PyTorch's own CUDA graphs ask the same question.
_are_same = getattr(torch._C, "_tensors_data_ptrs_at_indices_equal", _same_one_by_one)


class Lender:
    """A module as PyTorch calls it."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._session, self._function, self._on_gpu = module.parts()
        self._kept: list[_Kept | None] = []
        self._steady: _Steady | None = None
        lender = weakref.ref(self)

        def gone() -> None:
            found = lender()
            if found is not None:
                found._steady = None

        self._gone = gone

    def call(self, tensors: list[Any]) -> list[Any]:
        """The results for these tensors, one by one."""
        if not self._on_gpu:
            # Gradients are AOTAutograd's.
            return [_arrays.to_torch(array) for array in self._session.call(self._function, tensors, None, True)]
        device, given = self._arguments(tensors)
        stream = None if device is None else int(torch.cuda.current_stream(device).cuda_stream)
        results = self._session.call(self._function, given, stream)
        if stream is None:
            return [_arrays.to_torch(array) for array in results]
        # DLPack's number of the default stream is 1.
        return [torch.from_dlpack(array.__dlpack__(stream=stream or 1)) for array in results]

    def _arguments(self, tensors: list[Any]) -> tuple[Any, list[Any]]:
        """The GPU of the tensors, if they are on one, and what is given for them."""
        steady = self._steady
        if steady is not None and len(steady.given) == len(tensors):
            if _are_same(tensors, steady.pointers, steady.places):
                given = list(steady.given)
                for at in steady.others:
                    given[at] = self._given(at, tensors[at])
                return tensors[steady.places[0]].device, given
        if len(self._kept) != len(tensors):
            self._kept = [None] * len(tensors)
        given = [self._given(at, one) for at, one in enumerate(tensors)]
        steady = _Steady(self._kept)
        self._steady = steady if steady.places else None
        return next((one.device for one in tensors if one.is_cuda), None), given

    def _given(self, at: int, tensor: Any) -> Any:
        if not tensor.is_cuda:
            return tensor.detach()
        pointer, kept = tensor.data_ptr(), self._kept[at]
        if kept is None or kept.pointer != pointer or kept.tensor() is not tensor:
            self._kept[at] = _Kept(tensor, pointer, self._gone)
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
