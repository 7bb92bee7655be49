"""What `fornax.compile` takes, and how the compiler's errors come."""

import os
import stat

import numpy as np
import pytest

import fornax
from conftest import SINES
from fornax import _command


def test_text_bytes_and_paths(ones, tmp_path):
    path = tmp_path / "-sines.mlir"
    path.write_text(SINES)
    for model in (SINES, SINES.encode(), path, str(path)):
        assert np.allclose(fornax.compile(model)(ones, ones), np.sin(2))
    with pytest.raises(FileNotFoundError):
        fornax.compile(tmp_path / "none.mlir")
    with pytest.raises(TypeError, match="example arguments"):
        fornax.compile(SINES, ones)
    with pytest.raises(TypeError, match="int is no model"):
        fornax.compile(7)


def test_errors_have_a_place():
    with pytest.raises(fornax.CompileError) as error:
        fornax.compile(SINES.replace("sine", "sin"))
    value = error.value
    assert (value.code, value.line, value.column) == ("FX0102", 3, 8)
    assert "stablehlo.sin %0" in value.source_line and "stablehlo.sign" in value.help
    assert str(value).splitlines()[2].index("^") == str(value).splitlines()[1].index("stablehlo")
    with pytest.raises(fornax.CompileError) as error:
        fornax.compile(SINES, target="cuda:sm_1")
    assert error.value.code.startswith("FX") and error.value.line is None
    with pytest.raises(fornax.CompileError, match="FX0801"):
        fornax.compile(SINES, flags=["--nonsense"])


@pytest.mark.parametrize("model", [b"", b"\0\0\0", b"ML\xefR" + b"\xff" * 100, "{" * 100000, "module {"])
def test_broken_models(model):
    with pytest.raises(fornax.CompileError) as error:
        fornax.compile(model)
    assert error.value.code.startswith("FX0")


def test_targets(sines, ones, tmp_path):
    module = fornax.compile(SINES, target=["cpu:x86-64-v3,cuda:sm_80", "rocm:gfx942"], device="cpu")
    backends = [name.split(":")[0] for name in module.inspect().targets]
    assert set(backends) == {"cpu", "cuda", "rocm"}
    assert np.allclose(module(ones, ones), np.sin(2))


def program(folder, monkeypatch, text):
    """A program in the place of the compiler."""
    path = folder / "fornax"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(_command, "_PACKAGED", path)


@pytest.mark.parametrize("end", ["kill -11 $$", "kill -9 $$", "exit 77", "echo nonsense >&2; exit 1"])
def test_a_compiler_that_dies_is_an_error(end, tmp_path, monkeypatch):
    program(tmp_path, monkeypatch, end)
    with pytest.raises(fornax.CompileError, match="FX0911"):
        fornax.compile(SINES)


def test_warnings_are_passed_on(tmp_path, monkeypatch):
    program(tmp_path, monkeypatch, """echo '{"level": "warning", "message": "take care"}' >&2; printf abc""")
    with pytest.warns(UserWarning, match="take care"), pytest.raises(fornax.ModuleError):
        fornax.compile(SINES)


def test_no_compiler(tmp_path, monkeypatch):
    monkeypatch.setattr(_command, "_PACKAGED", tmp_path / "none")
    monkeypatch.setenv("PATH", os.fspath(tmp_path))
    with pytest.raises(fornax.CompilerMissing, match="fornax-compiler"):
        fornax.compile(SINES)
