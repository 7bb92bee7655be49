"""Arrays in and out: types, layouts, memory that is shared, donation, threads, processes."""

import gc
import multiprocessing
import sys
import threading
import time

import ml_dtypes
import numpy as np
import pytest

import fornax

PLAIN = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64"]
OTHERS = ["bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e4m3", "float8_e3m4", "int4", "uint4"]
SPELLED = {"int": "i", "uint": "ui", "float": "f", "bfloat": "bf"}


def spelled(name):
    """MLIR's spelling of a dtype's name."""
    if name in ("complex64", "complex128"):
        return "complex<f32>" if name == "complex64" else "complex<f64>"
    if name == "bool":
        return "i1"
    if "_" in name:
        return "f" + name[5:].replace("_", "").upper()
    letters = name.rstrip("0123456789")
    return SPELLED[letters] + name[len(letters):]


def dtype(name):
    return np.dtype(getattr(ml_dtypes, name)) if name in OTHERS else np.dtype(name)


def test_every_element_type():
    names = PLAIN + OTHERS + ["bool", "complex64", "complex128"]
    types = [f"tensor<2x3x{spelled(name)}>" for name in names]
    inputs = ", ".join(f"%{at}: {ty}" for at, ty in enumerate(types))
    lines = [f"  %r{at} = stablehlo.reverse %{at}, dims = [1] : {ty}" for at, ty in enumerate(types)]
    results = ", ".join(f"%r{at}" for at in range(len(types)))
    body = "\n".join(lines)
    outputs = ", ".join(types)
    text = f"func.func @main({inputs}) -> ({outputs}) {{\n{body}\n  return {results} : {outputs}\n}}\n"
    module = fornax.compile(text)
    values = np.array([[0, 1, 2], [3, 4, 5]])
    given = [(values % 2).astype(bool) if name == "bool" else values.astype(dtype(name)) for name in names]
    for name, x, y in zip(names, given, module(*given)):
        assert y.dtype == x.dtype, name
        assert (y == x[:, ::-1]).all(), name
    # As arrays of Fornax, which are arguments again: there and back.
    there = module.run(*given)
    back = fornax.load(module._file.to_bytes(), results="numpy")(*there)
    for name, x, array, y in zip(names, given, there, back):
        assert array.dtype == name and array.shape == (2, 3)
        assert (y == x).all(), name


def test_layouts(grid):
    x = np.arange(60000, dtype=np.float32).reshape(200, 300)
    wide = np.zeros((400, 600), np.float32)
    wide[::2, ::2] = x
    backwards = np.ascontiguousarray(x[::-1, ::-1])[::-1, ::-1]
    frozen = x.copy()
    frozen.flags.writeable = False
    unaligned = np.frombuffer(b"\0" + x.tobytes(), np.uint8)[1:].view(np.float32).reshape(200, 300)
    layouts = [x, np.asfortranarray(x), wide[::2, ::2], backwards, frozen, x.astype(">f4"), unaligned, x.tolist()]
    for at, given in enumerate(layouts):
        assert (grid(given) == -x).all(), at


def test_numbers_and_lists(sines):
    assert np.allclose(sines([0, 1, 2, 3], np.zeros(4, np.float32)), np.sin(np.arange(4)))
    scalar = fornax.compile("func.func @main(%x: tensor<f32>) -> tensor<f32> {\n  return %x : tensor<f32>\n}\n")
    for value in (2, 2.0, np.float32(2), np.array(2, np.float32)):
        result = scalar(value)
        assert result.shape == () and result == 2


def test_sizes_of_run_time(rows):
    for count in (1, 7, 0):
        x = np.ones((count, 3), np.float32)
        assert rows(x).shape == (count, 3) and np.allclose(rows(x), np.sin(1))
    assert rows.signature.inputs[0].shape[1] == 3 and isinstance(rows.signature.inputs[0].shape[0], str)


def test_results_share_memory(sines, ones):
    result = sines.run(ones, ones)
    view = np.asarray(result)
    assert view.__array_interface__["data"][0] == result.__array_interface__["data"][0]
    assert np.from_dlpack(result).__array_interface__["data"][0] == view.__array_interface__["data"][0]
    kept = view.copy()
    del result
    gc.collect()
    for _ in range(10):
        sines(ones * 3, ones)
    assert (view == kept).all(), "a later call wrote to a result that is still in use"
    view[:] = 7


def test_arguments_change_between_calls(grid):
    x = np.zeros((200, 300), np.float32)
    for value in range(1, 6):
        x[:] = value
        assert (grid(x) == -value).all()
    # New arrays at new addresses; old ones are let go.
    before = sys.getrefcount(x)
    for value in range(20):
        assert (grid(np.full((200, 300), value, np.float32)) == -value).all()
    grid(x)
    gc.collect()
    assert sys.getrefcount(x) == before


def test_capsules_that_nobody_takes(sines, ones):
    result = sines.run(ones, ones)
    for _ in range(100):
        result.__dlpack__()
    assert result.__dlpack_device__() == (1, 0)
    copy = np.from_dlpack(result, copy=True)
    assert copy.__array_interface__["data"][0] != result.__array_interface__["data"][0]
    with pytest.raises(BufferError):
        result.__dlpack__(dl_device=(2, 0))


def test_donation(update):
    x = np.full(1024, 2, np.float32)
    cache = np.zeros(1024, np.float32)
    for _ in range(3):
        added, squares = update(cache, x)
        assert (added == 2).all() and (squares == 4).all() and (cache == 0).all(), "a caller's array was overwritten"
    held = update.run(cache, x)[0]
    for count in range(2, 5):
        previous = held
        held = update.run(held, x)[0]
        assert previous.is_donated
        with pytest.raises(fornax.InputError, match="FX0720"):
            previous.to_host()
    # Somebody looks at the memory: it stays as it is.
    view = np.asarray(held)
    again = update.run(held, x)[0]
    assert not held.is_donated and (view == 8).all() and (np.asarray(again) == 10).all()
    # A call that fails takes nothing.
    fresh = update.run(cache, x)[0]
    with pytest.raises(fornax.InputError, match="FX0713"):
        update.run(fresh, x[:5])
    assert not fresh.is_donated and (np.asarray(fresh) == 2).all()


def test_wrong_arguments(sines, ones):
    wrong = [
        ((ones,), fornax.InputError, "FX0711"),
        ((ones, ones.astype(np.float64)), fornax.InputError, "FX0712"),
        ((ones, ones[:2]), fornax.InputError, "FX0713"),
        ((ones, object()), TypeError, "object is no array"),
        ((ones, ["a", "b", "c", "d"]), ValueError, "could not convert"),
        ((ones, np.array(["a"] * 4)), TypeError, "no elements of a known type"),
        ((ones, np.array([None] * 4)), TypeError, "no elements of a known type"),
        ((ones, None), TypeError, "NoneType is no array"),
    ]
    for given, kind, text in wrong:
        with pytest.raises(kind, match=text):
            sines(*given)
    with pytest.raises(TypeError, match="by place"):
        sines(ones, y=ones)
    assert isinstance(pytest.raises(fornax.FornaxError, sines, ones).value, ValueError)
    assert np.allclose(sines(ones, ones), np.sin(2)), "a failed call leaves the module as it was"


def test_objects_with_an_interface(sines, ones):
    class Interface:
        __array_interface__ = ones.__array_interface__

    class Exchange:
        def __dlpack__(self, **how):
            return ones.__dlpack__()

    for given in (Interface(), Exchange(), ones.tolist()):
        assert np.allclose(sines(given, ones), np.sin(2))


class Hostile:
    """An object whose interface is nonsense."""

    def __init__(self, **interface):
        self.__array_interface__ = {"version": 3, **interface}


def test_objects_that_lie(sines, ones):
    for interface in (
        {},
        {"shape": (4,), "typestr": "<f4"},
        {"shape": (4,), "typestr": 7, "data": (0, False)},
        {"shape": "four", "typestr": "<f4", "data": (0, False)},
        {"shape": (-4,), "typestr": "<f4", "data": (0, False)},
        {"shape": (1 << 60, 1 << 60), "typestr": "<f4", "data": (0, False)},
        {"shape": (4,), "typestr": "<x9", "data": (0, False)},
    ):
        with pytest.raises((TypeError, ValueError, OverflowError)):
            sines(ones, Hostile(**interface))
    # Two bytes of anything are not bfloat16.
    with pytest.raises(TypeError, match="no elements of a known type"):
        sines(ones, np.zeros(4, "V2"))

    class Capsule:
        def __dlpack__(self):
            return 42

    with pytest.raises(ValueError):
        sines(ones, Capsule())


def test_threads(sines):
    wrong = []

    def work(seed):
        x = np.full(4, seed, np.float32)
        for _ in range(200):
            if not np.allclose(sines(x, x), np.sin(2 * seed)):
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not wrong


def test_others_run_during_a_call():
    loop = """func.func @main(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %end = stablehlo.constant dense<300000> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<1024xf32>
    cond {
      %c = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %n = stablehlo.add %i, %one : tensor<i32>
      %s = stablehlo.cosine %v : tensor<1024xf32>
      stablehlo.return %n, %s : tensor<i32>, tensor<1024xf32>
    }
  return %r#1 : tensor<1024xf32>
}
"""
    module = fornax.compile(loop)
    x = np.zeros(1024, np.float32)
    thread = threading.Thread(target=module, args=(x,))
    began, turns = time.perf_counter(), 0
    thread.start()
    while thread.is_alive():
        turns += 1
        time.sleep(0.001)
    assert turns > 10, f"only {turns} turns in {time.perf_counter() - began:.2f} s"


def _called_in_child(module, ones, answers):
    try:
        module(ones, ones)
        answers.put("called")
    except fornax.DeviceError as error:
        answers.put(error.code)
    answers.put(float(fornax.load(module._file.to_bytes())(ones, ones)[0]))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_fork_is_told(sines, ones):
    context = multiprocessing.get_context("fork")
    answers = context.Queue()
    child = context.Process(target=_called_in_child, args=(sines, ones, answers))
    child.start()
    assert answers.get(timeout=60) == "FX0721"
    assert answers.get(timeout=60) == pytest.approx(np.sin(2))
    child.join(60)
