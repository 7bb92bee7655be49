"""Compilers that stay: processes `fornax model-worker`, which compile one model after the other for `torch.compile`.

Starting one takes longer than compiling a small graph. The PJRT plugin speaks to them in the same way. A worker that
dies, or is silent for `_REPLY_SECONDS`, gives no answer: a process of its own then compiles the model, and says what is
wrong with it.
"""

from __future__ import annotations

import json
import os
import select
import struct
import subprocess
import threading
import time
from collections.abc import Sequence

from . import _command

# Longest time for one model.
_REPLY_SECONDS = 900.0
# No frame is longer: the limit of the other side.
_FRAME_BYTES = 1 << 30


class _Silent(Exception):
    """The worker is gone, hangs, or speaks of something else."""


def _wait(pipe: int, event: int, due: float) -> None:
    """Until the pipe can be used, or is closed on the other side."""
    poll = select.poll()
    poll.register(pipe, event)
    if not poll.poll(max(0.0, due - time.monotonic()) * 1000):
        raise _Silent


class _Worker:
    def __init__(self, program: str) -> None:
        self.process = subprocess.Popen(
            [program, "model-worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
        )

        assert self.process.stdin is not None and self.process.stdout is not None
        self.input, self.output = self.process.stdin.fileno(), self.process.stdout.fileno()
        os.set_blocking(self.input, False)

    def ask(self, arguments: Sequence[str], model: bytes) -> bytes:
        """The module of a model."""
        due = time.monotonic() + _REPLY_SECONDS
        for part in (json.dumps(list(arguments)).encode(), model):
            self._write(part, due)
        kind, body = self._read(due), self._read(due)
        if kind == b"module":
            return body
        if kind == b"error":
            _command.refuse(body)
        raise _Silent

    def _write(self, part: bytes, due: float) -> None:
        if len(part) > _FRAME_BYTES:
            raise _Silent
        left = memoryview(struct.pack("<I", len(part)) + part)
        while left:
            _wait(self.input, select.POLLOUT, due)
            left = left[os.write(self.input, left) :]

    def _read(self, due: float) -> bytes:
        (length,) = struct.unpack("<I", self._bytes(4, due))
        if length > _FRAME_BYTES:
            raise _Silent
        return self._bytes(length, due)

    def _bytes(self, count: int, due: float) -> bytes:
        found = bytearray()
        while len(found) < count:
            _wait(self.output, select.POLLIN, due)
            part = os.read(self.output, count - len(found))
            if not part:
                raise _Silent
            found += part
        return bytes(found)

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()


# Workers that wait for a model, by program. One that works is not among them.
_IDLE: list[tuple[str, _Worker]] = []
_LOCK = threading.Lock()


def _forked() -> None:
    """After a fork the pipes are the parent's."""
    global _LOCK
    _IDLE.clear()
    _LOCK = threading.Lock()


os.register_at_fork(after_in_child=_forked)


def compiled(model: bytes, arguments: Sequence[str]) -> bytes:
    """The module of a model, by a worker that waits, or a new one."""
    program = _command.identity()
    with _LOCK:
        at = next((at for at, (made_by, _) in enumerate(_IDLE) if made_by == program), None)
        worker = _IDLE.pop(at)[1] if at is not None else None
    try:
        worker = worker or _Worker(_command.program())
        made = worker.ask(arguments, model)
    except (_Silent, OSError):
        if worker is not None:
            worker.end()
        return _command.compiled(model, arguments)
    except _command.CompileError:
        _keep(program, worker)
        raise
    _keep(program, worker)
    return made


def _keep(program: str, worker: _Worker | None) -> None:
    if worker is not None:
        with _LOCK:
            _IDLE.append((program, worker))
