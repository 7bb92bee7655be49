"""From a model to a module on a device."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from . import _command, _kinds
from ._errors import DeviceError
from ._module import TREES, Module
from ._native import ModuleFile, list_devices


# Longest description of trees that a module keeps: systems limit what a command takes.
_LONGEST = 64 << 10


def _kept(source: _kinds.Source) -> list[str]:
    """What the module file remembers, so that it is called the same way when it is loaded."""
    text = source.trees.text() if source.trees is not None else None
    return [f"--provenance={TREES}={text}"] if text is not None and len(text) <= _LONGEST else []


def targets_of(target: str | Sequence[str], device: str) -> list[str]:
    """The flags for targets; `auto` is what the device is."""
    if isinstance(target, str) and target == "auto":
        return [f"--target={_driver(device)}:native"]
    return [f"--target={name}" for name in ([target] if isinstance(target, str) else target)]


def _driver(device: str) -> str:
    """The driver of a device's name; of `auto`, that of the first device that can be used."""
    if device != "auto":
        name = device.split(":")[0]
        return "cpu" if name.startswith("local") else name
    for row in list_devices():
        if row["unusable"] is None:
            return str(row["driver"])
    raise DeviceError("FX0701", "no device of this machine can run modules", "name a target to compile for")


def compile(
    model: Any,
    *args: Any,
    target: str | Sequence[str] = "auto",
    device: str = "auto",
    function: str | None = None,
    parameters: Mapping[str, Any] | Sequence[str | os.PathLike[str]] | None = None,
    results: str | None = None,
    flags: Sequence[str] = (),
    **kwargs: Any,
) -> Module:
    """Compiles a model and loads it on a device.

    `model` is a jitted JAX function, a `torch.nn.Module` (both with example arguments behind it), a
    `jax.export.Exported`, a `torch.export.ExportedProgram`, an `onnx.ModelProto`, StableHLO, linalg or TOSA as text or bytes, or the path of
    a file or folder that `fornax compile` reads. Other keywords are example arguments by name.

    `target` is what the module is made for: `auto` is exactly the device that it is loaded on; names as of
    `fornax compile --target` (`"cuda:sm_80,rocm:gfx942,cpu"`) make one that runs elsewhere too. `flags` are further
    flags of `fornax compile`. The other options are those of `fornax.load`.
    """
    source = _kinds.source(model, args, kwargs)
    data = _command.compiled(source.model, [*targets_of(target, device), *_kept(source), *flags])
    return Module(
        ModuleFile.from_bytes(data),
        device=device,
        function=function,
        parameters=parameters,
        results=results,
        trees=source.trees,
    )
