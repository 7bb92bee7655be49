"""A compiled module on a device."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import _arrays
from ._native import Array, ModuleFile
from ._tree import Trees

# The entry of a module's provenance that has its trees.
TREES = "python.trees"


@dataclass(frozen=True)
class TensorType:
    """One input or output of a function. Sizes that are known only at run time are names or formulas."""

    name: str | None
    dtype: str
    shape: tuple[int | str, ...]

    def __str__(self) -> str:
        plain = [str(size) if isinstance(size, int) or size.isidentifier() else f"({size})" for size in self.shape]
        return "x".join([*plain, self.dtype])


@dataclass(frozen=True)
class Signature:
    """Name, inputs and outputs of a function; element types as MLIR spells them."""

    name: str
    inputs: tuple[TensorType, ...]
    outputs: tuple[TensorType, ...]

    def __str__(self) -> str:
        inputs = ", ".join(map(str, self.inputs))
        return f"@{self.name}({inputs}) -> ({', '.join(map(str, self.outputs))})"


@dataclass(frozen=True)
class Kernel:
    """One kernel of the program that was loaded."""

    name: str
    schedule: str
    summary: str
    flops: int
    bytes: int


@dataclass(frozen=True)
class Inspection:
    """What a module holds, and what of it runs here."""

    file_bytes: int
    functions: tuple[Signature, ...]
    targets: tuple[str, ...]
    device: str
    image: str
    planned_bytes: int
    kernels: tuple[Kernel, ...]
    manifest: dict[str, Any]

    def __str__(self) -> str:
        lines = [f"module of {self.file_bytes} bytes for {', '.join(self.targets)}"]
        lines += [f"function {function}" for function in self.functions]
        lines += [f"on {self.device}: {self.image}", f"{self.planned_bytes} bytes of device memory planned"]
        lines += [f"kernel {kernel.name}: {kernel.schedule}, {kernel.summary}" for kernel in self.kernels]
        return "\n".join(lines)


@dataclass(frozen=True)
class BenchResult:
    """Milliseconds of a call. `median_ms` and its neighbours are of one call and the wait for it, arguments on the
    device; `queued_ms` is the mean in a queue; upload, kernels and download are the parts of a call from the host."""

    calls: int
    median_ms: float
    min_ms: float
    p90_ms: float
    p99_ms: float
    max_ms: float
    mean_ms: float
    stddev_ms: float
    first_ms: float
    queued_ms: float | None
    upload_ms: float | None
    kernels_ms: float | None
    download_ms: float | None


def _signature(file: ModuleFile, name: str | None) -> Signature:
    found, inputs, outputs = file.signature(name)
    types = [tuple(TensorType(row[0], row[1], tuple(row[2])) for row in rows) for rows in (inputs, outputs)]
    return Signature(found, *types)


class Module:
    """A compiled module on a device. Calling it runs its function:

    >>> module = fornax.load("model.fnx")     # doctest: +SKIP
    >>> y = module(x)                         # doctest: +SKIP

    Arguments are arrays of NumPy, PyTorch, JAX or any library with DLPack, or `fornax.Array`; large ones in the
    processor's memory are used where they lie. Results are arrays of the library of the first argument: `results=` of
    `load` and `compile` chooses another one. One module serves one call at a time; threads wait for each other, without
    the interpreter's lock.
    """

    def __init__(
        self,
        file: ModuleFile,
        *,
        device: str = "auto",
        function: str | None = None,
        parameters: Mapping[str, Any] | Sequence[str | os.PathLike[str]] | None = None,
        max_device_memory: int | None = None,
        results: str | None = None,
        trees: Trees | None = None,
    ) -> None:
        files, tensors = _parameters(parameters)
        self._file = file
        self._options: dict[str, Any] | None = None
        if not files and not tensors:
            self._options = {
                "device": device, "function": function, "max_device_memory": max_device_memory, "results": results,
            }  # fmt: skip
        self._signature = _signature(file, function)
        self._function = self._signature.name
        self._convert = _arrays.converter(results) if results is not None else None
        self._trees = self._called_by(trees)
        self._session = file.start(device, files, tensors, max_device_memory)
        self._has_streams = self._session.device.startswith("cuda:")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the function. Without trees: one output is given as it is, several as a tuple."""
        inputs = self._trees.inputs(args, kwargs)
        outputs = self._called(inputs)
        convert = self._convert or _arrays.converter_for(inputs)
        return self._trees.outputs([convert(output) for output in outputs])

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """As a call, but results are `fornax.Array`s on the device: nothing is copied, nobody waits for a GPU."""
        return self._trees.outputs(list(self._called(self._trees.inputs(args, kwargs))))

    def parts(self) -> tuple[Session, str, bool]:
        """For this package: the session, the function that calls run, whether it is on a GPU with streams."""
        return self._session, self._function, self._has_streams

    def _called(self, inputs: list[Any]) -> list[Array]:
        stream = _arrays.stream_of(inputs) if self._has_streams else None
        return self._session.call(self._function, inputs, stream)

    def _called_by(self, trees: Trees | None) -> Trees:
        """The trees of the model, else those of the file."""
        if trees is None:
            text = self._file.provenance(TREES)
            parameters = self._file.parameters(self._function)
            inputs, outputs = len(self._signature.inputs) + parameters, len(self._signature.outputs)
            trees = Trees() if text is None else Trees.of_text(text, inputs, outputs)
        if self._file.parameters(self._function):
            # Some leaves are bound already: the others are given one by one.
            return Trees(results=trees.results)
        return trees

    def synchronize(self) -> None:
        """Waits for all calls of `run`."""
        self._session.synchronize()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the module's file: whole, or not at all. `fornax.load` and the `fornax` command read it."""
        target = os.fspath(path)
        beside = f"{target}.{os.getpid()}.part"
        try:
            with open(beside, "xb") as file:
                file.write(self._file.to_bytes())
            os.replace(beside, target)
        except BaseException:
            if os.path.exists(beside):
                os.unlink(beside)
            raise

    @staticmethod
    def load(path: str | os.PathLike[str] | bytes, **options: Any) -> Module:
        """As `fornax.load`."""
        return load(path, **options)

    @property
    def signature(self) -> Signature:
        """Name, inputs and outputs of the function that calls run."""
        return self._signature

    @property
    def device(self) -> str:
        """Where it runs: `cpu://`, `cuda://GPU-…`."""
        return self._session.device

    def inspect(self) -> Inspection:
        """What the module holds, and what of it runs here."""
        manifest = json.loads(self._file.manifest())
        return Inspection(
            file_bytes=self._file.file_bytes(),
            functions=tuple(_signature(self._file, name) for name in self._file.functions()),
            targets=tuple(f"{target['backend']}:{target['arch']}" for target in manifest["targets"]),
            device=self.device,
            image=self._session.description,
            planned_bytes=self._session.planned_bytes,
            kernels=tuple(Kernel(*row) for row in self._session.kernels()),
            manifest=manifest,
        )

    def bench(self, *args: Any, seconds: float = 0.5, **kwargs: Any) -> BenchResult:
        """Measures calls with these arguments for about as long."""
        return BenchResult(**self._session.bench(self._function, self._trees.inputs(args, kwargs), seconds))

    def __reduce__(self) -> tuple[Any, ...]:
        """Another process gets the file and loads it there, on the same device by name."""
        if self._options is None:
            raise TypeError("a module with parameters of its own: send its file and load it there")
        return _loaded, (self._file.to_bytes(), self._options)

    def __repr__(self) -> str:
        return f"<fornax.Module {self._signature} on {self.device}>"


def _loaded(data: bytes, options: dict[str, Any]) -> Module:
    return Module(ModuleFile.from_bytes(data), **options)


def _parameters(
    given: Mapping[str, Any] | Sequence[str | os.PathLike[str]] | None,
) -> tuple[list[str], list[tuple[str, Any]]]:
    """Files of parameters, and parameters by name."""
    if given is None:
        return [], []
    if isinstance(given, Mapping):
        return [], list(given.items())
    if isinstance(given, (str, os.PathLike)):
        return [os.fspath(given)], []
    return [os.fspath(file) for file in given], []


def load(
    path: str | os.PathLike[str] | bytes,
    *,
    device: str = "auto",
    function: str | None = None,
    parameters: Mapping[str, Any] | Sequence[str | os.PathLike[str]] | None = None,
    max_device_memory: int | None = None,
    results: str | None = None,
) -> Module:
    """Loads a module file, or its bytes, on a device. Loading runs code from the module: load only what you trust.

    `device` is `auto` (the first that the module has an image for), `cpu`, `cuda`, `cuda:1`, `rocm`, `opencl`.
    `parameters` are the weights of a module that was compiled without them: arrays by name, or files of safetensors,
    GGUF or npz. `results` is the library that results are arrays of: `numpy`, `torch`, `jax` or `fornax`; without it
    that of the first argument.
    """
    if isinstance(path, (bytes, bytearray, memoryview)):
        file = ModuleFile.from_bytes(bytes(path))
    else:
        file = ModuleFile.open(path)
    return Module(
        file,
        device=device,
        function=function,
        parameters=parameters,
        max_device_memory=max_device_memory,
        results=results,
    )


__all__ = ["Array", "BenchResult", "Inspection", "Kernel", "Module", "Signature", "TensorType", "load"]
