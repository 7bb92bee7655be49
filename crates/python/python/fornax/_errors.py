"""Exceptions. Each has Fornax's stable code (`fornax explain FX0712` says more), and what to do about it."""

from __future__ import annotations


class FornaxError(Exception):
    """Something that Fornax refuses. The text has all of it: place, code, message, help."""

    code: str
    message: str
    help: str | None

    def __init__(self, code: str, message: str, help: str | None = None) -> None:
        self.code, self.message, self.help = code, message, help
        super().__init__(self._text())

    def _text(self) -> str:
        text = f"[{self.code}] {self.message}"
        return f"{text}\n  help: {self.help}" if self.help else text


class CompileError(FornaxError):
    """The compiler refuses a model. `line`, `column` and `source_line` say where, as far as that is known; `notes` are
    the errors behind the first."""

    def __init__(
        self,
        code: str,
        message: str,
        help: str | None = None,
        *,
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
        source_line: str | None = None,
        cause: tuple[str, ...] = (),
        others: tuple[CompileError, ...] = (),
    ) -> None:
        self.file, self.line, self.column, self.source_line = file, line, column, source_line
        self.cause, self.others = cause, others
        super().__init__(code, message, help)

    def _text(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}: " if self.line is not None else ""
        lines = [f"{place}[{self.code}] {self.message}"]
        if self.source_line is not None:
            lines += ["  " + self.source_line, "  " + " " * ((self.column or 1) - 1) + "^"]
        if self.help:
            lines.append(f"  help: {self.help}")
        lines += [f"  cause: {cause}" for cause in self.cause]
        lines += [str(other) for other in self.others]
        return "\n".join(lines)


class InputError(FornaxError, ValueError):
    """Arguments do not fit the function: number, element type, shape."""


class ModuleError(FornaxError):
    """The module file is damaged, or of another version."""


class DeviceError(FornaxError, RuntimeError):
    """There is no such device, or the module holds nothing for it."""


class OutOfMemoryError(FornaxError, MemoryError):
    """The device or the host has no memory for it."""


class DeviceLostError(DeviceError):
    """The device is lost for this process."""


_KINDS: dict[str, type[FornaxError]] = {
    "input": InputError,
    "module": ModuleError,
    "device": DeviceError,
    "memory": OutOfMemoryError,
    "lost": DeviceLostError,
}


# The runtime's help names flags of the command line; here is what they are in Python.
_IN_PYTHON: tuple[tuple[str, str], ...] = (
    ("choose one of the exported functions with --function", "choose one with function="),
    ("choose one with --function", "choose one with function="),
    ("give one --input for each argument of the function, in order", "Module.signature has the function's arguments"),
    ("`inspect` prints the function's signature", "Module.signature has the function's arguments"),
    ("choose another --device", "choose another device="),
    ("--device=", "device="),
    ("`list-drivers` says why", "`fornax list-drivers` says why"),
    ("`list-devices` prints what this machine has", "fornax.list_devices() has what this machine has"),
)


def _in_python(text: str) -> str:
    for flag, words in _IN_PYTHON:
        text = text.replace(flag, words)
    return text


def of_runtime(kind: str, code: str, message: str, help: str | None) -> FornaxError:
    """The exception of an error of the runtime."""
    return _KINDS[kind](code, _in_python(message), None if help is None else _in_python(help))
