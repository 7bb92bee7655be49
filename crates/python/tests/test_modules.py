"""Files, contents, devices, measuring."""

import json
import pickle

import numpy as np
import pytest

import fornax

WEIGHTS = """func.func @main(%x: tensor<2xf32>, %w: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.multiply %x, %w : tensor<2xf32>
  return %0 : tensor<2xf32>
}
"""


def test_save_and_load(sines, ones, tmp_path):
    path = tmp_path / "sines.fnx"
    sines.save(path)
    for given in (path, str(path), path.read_bytes(), bytearray(path.read_bytes())):
        assert np.allclose(fornax.load(given)(ones, ones), np.sin(2))
    assert [entry.name for entry in tmp_path.iterdir()] == ["sines.fnx"]
    with pytest.raises(OSError):
        sines.save(tmp_path / "none" / "sines.fnx")
    with pytest.raises(fornax.InputError, match="FX0718"):
        fornax.load(tmp_path / "none.fnx")


def test_pickles(sines, ones):
    copy = pickle.loads(pickle.dumps(sines))
    assert np.allclose(copy(ones, ones), np.sin(2)) and copy.signature == sines.signature
    module = fornax.compile(WEIGHTS, flags=["--parameter-args=1"], parameters={"arg1": np.ones(2, np.float32)})
    with pytest.raises(TypeError, match="load it there"):
        pickle.dumps(module)


def test_damaged_files(sines):
    data = sines._file.to_bytes()
    for broken in (b"", b"abc", data[:100], data[:-1], data[:200] + b"\0" * 64 + data[264:], b"\0" + data):
        with pytest.raises(fornax.FornaxError) as error:
            fornax.load(broken)
        assert error.value.code.startswith("FX06") and isinstance(error.value, fornax.ModuleError)


def test_inspect(sines):
    found = sines.inspect()
    assert str(found.functions[0]) == "@main(4xf32, 4xf32) -> (4xf32)"
    assert found.targets[0].startswith("cpu:") and found.device == "cpu://"
    assert found.kernels[0].schedule and found.file_bytes == len(sines._file.to_bytes())
    assert found.manifest["format"] == "fornax-module"
    json.dumps(found.manifest)
    assert "kernel " in str(found) and "@main" in repr(sines)


def test_bench(sines, ones):
    measured = sines.bench(ones, ones, seconds=0.05)
    assert measured.calls > 10 and 0 < measured.min_ms <= measured.median_ms <= measured.p99_ms <= measured.max_ms
    with pytest.raises(fornax.InputError, match="FX0711"):
        sines.bench(ones)
    with pytest.raises(ValueError):
        sines.bench(ones, ones, seconds=-1)


def test_devices(sines):
    rows = fornax.list_devices()
    assert any(row["uri"] == "cpu://" and row["unusable"] is None for row in rows)
    data = sines._file.to_bytes()
    for device, code in (("nonsense", "FX0717"), ("cuda:77", "FX070"), ("cpu:9", "FX0702")):
        with pytest.raises(fornax.FornaxError) as error:
            fornax.load(data, device=device)
        assert error.value.code.startswith(code) and error.value.help
    assert fornax.load(data, device="local-sync").device == "cpu://"


def test_a_module_for_another_device():
    module = pytest.raises(fornax.DeviceError, fornax.compile, WEIGHTS, target="cuda:sm_80", device="cpu")
    assert module.value.code == "FX0611" or module.value.code == "FX0703"


def test_memory_limit(sines):
    with pytest.raises(fornax.OutOfMemoryError) as error:
        fornax.load(sines._file.to_bytes(), max_device_memory=1)(np.ones(4, np.float32), np.ones(4, np.float32))
    assert error.value.code == "FX0706" and isinstance(error.value, MemoryError)


def test_parameters(tmp_path):
    names = {"arg1": np.array([3, 4], np.float32)}
    flags = ["--parameter-args=1"]
    x = np.array([1, 2], np.float32)
    module = fornax.compile(WEIGHTS, flags=flags, parameters=names)
    assert (module(x) == [3, 8]).all()
    np.savez(tmp_path / "w.npz", **names)
    module.save(tmp_path / "w.fnx")
    for given in (tmp_path / "w.npz", [tmp_path / "w.npz"], {"arg1": names["arg1"]}):
        assert (fornax.load(tmp_path / "w.fnx", parameters=given)(x) == [3, 8]).all()
    for wrong in (None, {"arg1": x[:1]}, {"other": x}):
        with pytest.raises(fornax.InputError, match="FX0714"):
            fornax.load(tmp_path / "w.fnx", parameters=wrong)


def test_results(sines, ones):
    data = sines._file.to_bytes()
    assert isinstance(fornax.load(data, results="fornax")(ones, ones), fornax.Array)
    assert isinstance(sines(sines.run(ones, ones), ones), fornax.Array)
    with pytest.raises(ValueError, match="one of numpy, torch"):
        fornax.load(data, results="abacus")
