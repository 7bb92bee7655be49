"""Arrays of other libraries: what callers give besides arrays, and results in the library of the caller."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

from ._native import Array


def numpy_dtype(name: str) -> Any:
    """The dtype of a name: NumPy's own, or one of ml_dtypes (`bfloat16`, `float8_e4m3fn`, `int4`)."""
    import numpy

    try:
        return numpy.dtype(name)
    except TypeError:
        pass
    try:
        import ml_dtypes
    except ImportError:
        raise TypeError(f"NumPy has no {name}: install ml_dtypes, or call Module.run for a fornax.Array") from None
    return numpy.dtype(getattr(ml_dtypes, name))


def of_python(value: Any, dtype: str | None) -> Any:
    """Numbers and lists as an array of the type that the function wants; arrays in the machine's byte order."""
    import numpy

    if hasattr(value, "__array_interface__"):
        array = numpy.asarray(value)
        return numpy.ascontiguousarray(array, array.dtype.newbyteorder("="))
    if not isinstance(value, (bool, int, float, complex, list, tuple)):
        raise TypeError(f"{type(value).__name__} is no array: give one of NumPy, of a library with DLPack, or numbers")
    return numpy.asarray(value, None if dtype is None else numpy_dtype(dtype))


def to_numpy(array: Array) -> Any:
    """An array of NumPy over the same memory, where that is the processor's; a copy of what is elsewhere."""
    from numpy import asarray

    host = array.to_host()
    plain = asarray(host)
    # What NumPy does not know comes as bytes without a type.
    return plain.view(numpy_dtype(host.dtype)) if plain.dtype.kind == "V" else plain


def to_torch(array: Array) -> Any:
    """A tensor of PyTorch over the same memory."""
    import torch

    tensor = array.as_type(torch.Tensor)
    return torch.from_dlpack(array) if tensor is None else tensor


def to_jax(array: Array) -> Any:
    """An array of JAX over the same memory, where JAX has the device."""
    import jax

    return jax.numpy.from_dlpack(array)


def stream_of(values: Sequence[Any]) -> int | None:
    """The CUDA stream in which PyTorch makes the tensors among the arguments; None where other arrays on a GPU are
    among them too, or none: each library then sees to the order of its own."""
    torch = sys.modules.get("torch")
    if torch is None:
        return None
    device = None
    for value in values:
        if isinstance(value, torch.Tensor):
            device = value.device if value.is_cuda else device
        elif hasattr(value, "__dlpack_device__") and not isinstance(value, Array):
            return None
    return None if device is None else int(torch.cuda.current_stream(device).cuda_stream)


def unchanged(array: Array) -> Array:
    return array


def _is_of(module: str, name: str) -> Callable[[Any], bool]:
    def test(value: Any) -> bool:
        # Who gives an array of a library has imported it.
        library = sys.modules.get(module)
        return library is not None and isinstance(value, getattr(library, name))

    return test


# Library, whether a value is its array, results as its arrays. A row more is all that another library needs.
LIBRARIES: tuple[tuple[str, Callable[[Any], bool], Callable[[Array], Any]], ...] = (
    ("numpy", _is_of("numpy", "ndarray"), to_numpy),
    ("torch", _is_of("torch", "Tensor"), to_torch),
    ("jax", _is_of("jax", "Array"), to_jax),
    ("fornax", lambda value: isinstance(value, Array), unchanged),
)


def converter(library: str) -> Callable[[Array], Any]:
    """How results become arrays of a library."""
    for name, _, convert in LIBRARIES:
        if name == library:
            return convert
    raise ValueError(f"results as {library!r}: one of {', '.join(row[0] for row in LIBRARIES)}")


def converter_for(values: Sequence[Any]) -> Callable[[Array], Any]:
    """How results become arrays of the library that the first array among the arguments is of; else of NumPy."""
    for value in values:
        kind = type(value)
        convert = _KNOWN.get(kind)
        if convert is None:
            convert = next((row[2] for row in LIBRARIES if row[1](value)), None)
            if convert is None:
                continue
            _KNOWN[kind] = convert
        return convert
    return to_numpy


# Types that were seen. Few: a library has one or two.
_KNOWN: dict[type, Callable[[Array], Any]] = {}
