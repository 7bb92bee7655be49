"""Fornax: compiles models ahead of time and runs them, on processors and GPUs.

    import fornax

    module = fornax.compile(jax.jit(predict), params, x)    # or StableHLO, a file, a module of PyTorch
    y = module(params, x)
    module.save("model.fnx")

    module = fornax.load("model.fnx")
"""

from ._compile import compile
from ._command import CompilerMissing
from ._errors import (
    CompileError,
    DeviceError,
    DeviceLostError,
    FornaxError,
    InputError,
    ModuleError,
    OutOfMemoryError,
)
from ._module import BenchResult, Inspection, Kernel, Module, Signature, TensorType, load
from ._native import Array, __version__, list_devices



def __getattr__(name: str) -> object:
    # PyTorch is imported by whoever wants it.
    if name == "torch_backend":
        from ._dynamo import backend

        return backend
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "Array",
    "BenchResult",
    "CompileError",
    "CompilerMissing",
    "DeviceError",
    "DeviceLostError",
    "FornaxError",
    "InputError",
    "Inspection",
    "Kernel",
    "Module",
    "ModuleError",
    "OutOfMemoryError",
    "Signature",
    "TensorType",
    "__version__",
    "compile",
    "list_devices",
    "load",
    "torch_backend",
]
