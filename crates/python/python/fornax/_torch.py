"""Modules of PyTorch, by `torch.export` and torch-mlir, whose dialect linalg-on-tensors takes the most models."""

from __future__ import annotations

import sys
from typing import Any


def is_program(value: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and hasattr(torch, "export") and isinstance(value, torch.export.ExportedProgram)


def is_module(value: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.nn.Module)


def exported(module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The module as a program for arguments like these."""
    import torch

    return torch.export.export(module, args, kwargs)


def text(program: Any) -> bytes:
    """The program as MLIR text."""
    try:
        from torch_mlir import fx
    except ImportError:
        raise ImportError("a module of PyTorch is read by torch-mlir: pip install torch-mlir") from None
    return str(fx.export_and_import(program, output_type="linalg-on-tensors", func_name="main")).encode()
