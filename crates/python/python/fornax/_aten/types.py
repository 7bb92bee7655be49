"""Element types of PyTorch, and their numbers as MLIR writes them."""

from __future__ import annotations

import math
import struct
from typing import Any

import torch

from .table import Unsupported

# dtype → MLIR's spelling.
SPELLINGS: dict[torch.dtype, str] = {
    torch.bool: "i1",
    torch.int8: "i8",
    torch.int16: "i16",
    torch.int32: "i32",
    torch.int64: "i64",
    torch.uint8: "ui8",
    torch.uint16: "ui16",
    torch.uint32: "ui32",
    torch.uint64: "ui64",
    torch.float8_e4m3fn: "f8E4M3FN",
    torch.float8_e5m2: "f8E5M2",
    torch.bfloat16: "bf16",
    torch.float16: "f16",
    torch.float32: "f32",
    torch.float64: "f64",
    torch.complex64: "complex<f32>",
    torch.complex128: "complex<f64>",
}


def is_float(dtype: torch.dtype) -> bool:
    return bool(dtype.is_floating_point)


def is_unsigned(dtype: torch.dtype) -> bool:
    return dtype in (torch.uint8, torch.uint16, torch.uint32, torch.uint64)


def tensor_type(dtype: torch.dtype, shape: tuple[int, ...]) -> str:
    if dtype not in SPELLINGS:
        raise Unsupported(f"elements of {dtype}")
    return "tensor<" + "".join(f"{size}x" for size in shape) + SPELLINGS[dtype] + ">"


def _bits(value: float, dtype: torch.dtype) -> str:
    """A float by its bits: the numbers that have no decimal form."""
    if dtype is torch.float64:
        return "0x%016X" % struct.unpack("<Q", struct.pack("<d", value))[0]
    bits = int.from_bytes(bytes(torch.tensor([value], dtype=dtype).view(torch.uint8).tolist()), "little")
    return f"0x{bits:0{2 * dtype.itemsize}X}"


def number(value: Any, dtype: torch.dtype) -> str:
    """A number as an element of this type."""
    if dtype is torch.bool:
        return "true" if value else "false"
    if dtype.is_complex:
        part = torch.float32 if dtype is torch.complex64 else torch.float64
        value = complex(value)
        return f"({number(value.real, part)}, {number(value.imag, part)})"
    if is_float(dtype):
        value = float(value)
        # Decimal text is rounded to the type by whoever reads it; beyond its range are infinities.
        finite = math.isfinite(value) and abs(value) <= torch.finfo(dtype).max
        return f"{value:.17e}" if finite else _bits(value, dtype)
    value = int(value)
    info = torch.iinfo(dtype)
    span = info.max - info.min + 1
    return str((value - info.min) % span + info.min)


def dense(tensor: torch.Tensor) -> str:
    """All elements of a tensor between the brackets of `dense<>`."""
    tensor = tensor.detach().cpu().contiguous()
    if tensor.numel() == 0:
        return ""
    if tensor.numel() == 1 or tensor.dtype is torch.bool:
        flat = [number(value, tensor.dtype) for value in tensor.reshape(-1).tolist()]
        return flat[0] if len(flat) == 1 else _nested(flat, list(tensor.shape))
    data: bytes = tensor.reshape(-1).view(torch.uint8).numpy().tobytes()
    return f'"0x{data.hex().upper()}"'


def _nested(flat: list[str], shape: list[int]) -> str:
    if not shape:
        return flat[0]
    part = len(flat) // shape[0]
    return "[" + ", ".join(_nested(flat[at * part : (at + 1) * part], shape[1:]) for at in range(shape[0])) + "]"
