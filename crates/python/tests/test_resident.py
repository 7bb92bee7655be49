"""Compilers that stay (`fornax._resident`): what they answer, and what becomes of a model whose worker gives none."""

import os
import stat

import pytest

import fornax
from conftest import SINES
from fornax import _command, _resident

FLAGS = ["--target=cpu:x86-64-v3"]


@pytest.fixture(autouse=True)
def alone():
    """No worker of another test waits."""
    _resident._forked()
    yield
    for _, worker in _resident._IDLE:
        worker.end()
    _resident._forked()


def waiting():
    return [worker.process.pid for _, worker in _resident._IDLE]


def program(folder, monkeypatch, text):
    """A program in the place of the compiler."""
    path = folder / "fornax"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(_command, "_PACKAGED", path)


def test_one_process_makes_the_same_modules():
    alone = _command.compiled(SINES.encode(), FLAGS)
    assert _resident.compiled(SINES.encode(), FLAGS) == alone
    first = waiting()
    assert _resident.compiled(SINES.encode(), FLAGS) == alone
    assert waiting() == first and len(first) == 1


def test_errors_are_those_of_the_command_and_the_worker_stays():
    broken = SINES.replace("sine", "sin").encode()
    said = []
    for compiled in (_command.compiled, _resident.compiled, _resident.compiled):
        with pytest.raises(fornax.CompileError) as error:
            compiled(broken, FLAGS)
        said.append((error.value.code, error.value.line, error.value.column, error.value.help, error.value.source_line))
    assert said[0][:3] == ("FX0102", 3, 8) and said[0] == said[1] == said[2]
    assert len(waiting()) == 1
    assert _resident.compiled(SINES.encode(), FLAGS)[:4] == _command.compiled(SINES.encode(), FLAGS)[:4]


def test_a_worker_that_died_is_replaced():
    made = _resident.compiled(SINES.encode(), FLAGS)
    (_, worker), = _resident._IDLE
    worker.process.kill()
    worker.process.wait()
    assert _resident.compiled(SINES.encode(), FLAGS) == made
    assert waiting() == []
    assert _resident.compiled(SINES.encode(), FLAGS) == made
    assert len(waiting()) == 1


@pytest.mark.parametrize("worker", ["exit 0", "kill -9 $$", "printf abc", r"printf '\002\0\0\0ab\001\0\0\0x'",
                                    r"printf '\377\377\377\377'", "sleep 60"])
def test_a_worker_without_an_answer_leaves_the_model_to_the_command(worker, tmp_path, monkeypatch):
    monkeypatch.setattr(_resident, "_REPLY_SECONDS", 0.5)
    program(tmp_path, monkeypatch, f'if [ "$1" = model-worker ]; then {worker}; else printf module; fi')
    assert _resident.compiled(SINES.encode() * 10000, FLAGS) == b"module"
    assert waiting() == []


def test_a_forked_process_leaves_the_workers_to_its_parent():
    made = _resident.compiled(SINES.encode(), FLAGS)
    parents = waiting()
    child = os.fork()
    if child == 0:
        same = _resident.compiled(SINES.encode(), FLAGS) == made and waiting() != parents
        os._exit(0 if same else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert _resident.compiled(SINES.encode(), FLAGS) == made and waiting() == parents
