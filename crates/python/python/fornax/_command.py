"""The `fornax` program: the compiler is a process of its own, so that no model can end the Python process."""

from __future__ import annotations

import json
import logging
import os
import shutil
import subprocess
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from ._errors import CompileError, FornaxError

_LOG = logging.getLogger("fornax")
_PACKAGED = Path(__file__).with_name("bin") / "fornax"


class CompilerMissing(FornaxError, ImportError):
    """This installation can run modules, not make them."""


def program() -> str:
    """The program: that of this package, else one on the PATH."""
    if _PACKAGED.exists():
        return os.fspath(_PACKAGED)
    found = shutil.which("fornax")
    if found is None:
        raise CompilerMissing(
            "FX0811",
            "the compiler is not installed: this package runs modules",
            "pip install fornax-compiler, or put the `fornax` program on the PATH",
        )
    return found


def identity() -> str:
    """What a module depends on beside its model: the program's file."""
    path = program()
    data = os.stat(path)
    return f"{os.path.realpath(path)} {data.st_size} {data.st_mtime_ns}"


def compiled(source: str | bytes, arguments: Sequence[str]) -> bytes:
    """The module of a model: a path, or bytes, which the compiler reads from its input."""
    name, given = (source, None) if isinstance(source, str) else ("-", source)
    command = [program(), "compile", "-o", "-", "--error-format=json", *arguments, "--", name]
    done = subprocess.run(command, input=given or b"", capture_output=True, check=False)
    errors = _messages(done.stderr)
    if done.returncode == 0:
        return done.stdout
    if errors:
        raise _error(errors)
    said = done.stderr.decode(errors="replace").strip() or "nothing"
    how = f"signal {-done.returncode}" if done.returncode < 0 else f"exit code {done.returncode}"
    raise CompileError("FX0911", f"the compiler ended with {how}; it said: {said}", "it may have been out of memory")


def refuse(lines: bytes) -> NoReturn:
    """The error that the compiler's lines tell of."""
    errors = _messages(lines)
    raise _error(errors) if errors else CompileError("FX0911", "the compiler told of an error without saying it")


def _messages(stderr: bytes) -> list[dict[str, Any]]:
    """The errors among the compiler's lines; warnings and notes are passed on."""
    errors = []
    for line in stderr.decode(errors="replace").splitlines():
        try:
            entry = json.loads(line)
        except ValueError:
            _LOG.info("%s", line)
            continue
        level, text = entry.get("level"), entry.get("message", "")
        if level == "error":
            errors.append(entry)
        elif level == "warning":
            warnings.warn(text, stacklevel=4)
        else:
            _LOG.info("%s", text)
    return errors


def _error(entries: list[dict[str, Any]]) -> CompileError:
    def made(entry: dict[str, Any], others: tuple[CompileError, ...] = ()) -> CompileError:
        return CompileError(
            entry["code"],
            entry["message"],
            entry.get("help"),
            file=entry.get("file"),
            line=entry.get("line"),
            column=entry.get("column"),
            source_line=entry.get("source_line"),
            cause=tuple(entry.get("cause", ())),
            others=others,
        )

    return made(entries[0], tuple(made(entry) for entry in entries[1:]))


def main() -> NoReturn:
    """The `fornax` command of this package."""
    os.execv(_PACKAGED, ["fornax", *sys.argv[1:]])
