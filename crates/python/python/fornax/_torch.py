"""Modules of PyTorch, by `torch.export`: the program as text, and the trees of its arguments and results."""

from __future__ import annotations

import sys
from typing import Any

from ._tree import Trees, describe


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


def read(program: Any) -> tuple[bytes, Trees]:
    """The program as MLIR text, and how it is called.

    `_aten` writes it. What that does not take goes through torch-mlir, if it is installed: sizes of run time, and
    operators without a row.
    """
    from ._aten import Unsupported, exported_text

    try:
        return exported_text(program).encode(), trees(program)
    except Unsupported as why:
        try:
            return _lowered(program), Trees()
        except Exception as other:
            # Whoever wants the program written hears of our own importer first.
            raise why from other


def _lowered(program: Any) -> bytes:
    from torch_mlir import fx

    return str(fx.export_and_import(program, output_type="linalg-on-tensors", func_name="main")).encode()


class TorchTree:
    """A tree as PyTorch describes it. Leaves of the program are tensors; `places` says which of the tree they are, the
    others are None."""

    def __init__(self, spec: Any, places: tuple[int, ...]) -> None:
        self.spec = spec
        self.places = places

    def leaves(self, value: Any) -> list[Any]:
        from torch.utils import _pytree

        found, given = _pytree.tree_flatten(value)
        if given != self.spec:
            raise TypeError(f"the arguments are {given}, the program takes {self.spec}")
        return list(found)

    def build(self, leaves: list[Any]) -> Any:
        from torch.utils import _pytree

        everything: list[Any] = [None] * self.spec.num_leaves
        for place, leaf in zip(self.places, leaves):
            everything[place] = leaf
        return _pytree.tree_unflatten(everything, self.spec)

    def plain(self) -> Any | None:
        try:
            return describe(self.build(["*"] * len(self.places)))
        except Exception:
            # Containers of a program's own may take no text in the place of a tensor.
            return None


def trees(program: Any) -> Trees:
    """The trees of an exported program. Arguments that are no tensors are part of the program."""
    from torch.export.graph_signature import InputKind, OutputKind, TensorArgument

    def tensors(specs: Any, kind: Any) -> tuple[int, ...]:
        own = [spec.arg for spec in specs if spec.kind == kind]
        return tuple(at for at, argument in enumerate(own) if isinstance(argument, TensorArgument))

    signature, call = program.graph_signature, program.call_spec
    kept = tensors(signature.input_specs, InputKind.USER_INPUT)
    everything = tuple(range(call.in_spec.num_leaves))
    results = TorchTree(call.out_spec, tensors(signature.output_specs, OutputKind.USER_OUTPUT))
    return Trees(TorchTree(call.in_spec, everything), results, None if kept == everything else kept)
