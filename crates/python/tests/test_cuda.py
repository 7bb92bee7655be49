"""Arrays of other libraries in a GPU's memory: no copies, in the order of their queues."""

import numpy as np
import pytest

import fornax

torch = pytest.importorskip("torch")
if not torch.cuda.is_available():
    pytest.skip("no GPU of NVIDIA", allow_module_level=True)

SUMS = """func.func @main(%x: tensor<?x1024xf32>, %y: tensor<?x1024xf32>) -> tensor<?x1024xf32> {
  %0 = stablehlo.add %x, %y : tensor<?x1024xf32>
  return %0 : tensor<?x1024xf32>
}
"""
UPDATE = """func.func @main(%t: tensor<1024xf32> {tf.aliasing_output = 0 : i32}, %x: tensor<1024xf32>) -> tensor<1024xf32> {
  %0 = stablehlo.add %t, %x : tensor<1024xf32>
  return %0 : tensor<1024xf32>
}
"""
SHAPE = (4096, 1024)


@pytest.fixture(scope="module")
def sums():
    return fornax.compile(SUMS, device="cuda")


@pytest.fixture(scope="module")
def square():
    """A product of it takes milliseconds: what is queued behind it is late."""
    return torch.randn(8192, 8192, device="cuda")


def late(square, value):
    return (square @ square)[: SHAPE[0], : SHAPE[1]].contiguous() * 0 + value


def test_memory_is_shared(sums):
    x, y = torch.randn(SHAPE, device="cuda"), torch.randn(SHAPE, device="cuda")
    result = sums(x, y)
    assert result.is_cuda and torch.equal(result, x + y)
    there = sums.run(x, y)
    assert torch.from_dlpack(there).data_ptr() == torch.from_dlpack(there).data_ptr()
    assert np.array_equal(np.asarray(there.to_host()), (x + y).cpu().numpy())
    assert isinstance(sums(x.cpu().numpy(), y.cpu().numpy()), np.ndarray)
    assert sums(x.cpu(), y).is_cuda


@pytest.mark.parametrize("own_stream", [False, True])
def test_order(sums, square, own_stream):
    stream = torch.cuda.Stream() if own_stream else torch.cuda.current_stream()
    with torch.cuda.stream(stream):
        for turn in range(100):
            x = late(square, turn) if turn % 5 == 0 else torch.full(SHAPE, float(turn), device="cuda")
            y = torch.ones(SHAPE, device="cuda")
            result = sums(x, y)
            # The caller's memory, and ours, are used again at once.
            del x, y
            junk = [torch.full(SHAPE, value, device="cuda") for value in (-7.0, -9.0)]
            copy = late(square, 0) + result if turn % 5 == 1 else result.clone()
            del result
            others = sums(*junk)
            assert (copy == turn + 1).all() and (others == -16).all(), turn


def test_results_that_nobody_reads(sums, square):
    for _ in range(20):
        x = late(square, 1)
        result = sums.run(x, x)
        del x
        torch.full(SHAPE, 5.0, device="cuda")
        assert (np.asarray(result.to_host()) == 2).all()
        sums.run(late(square, 1), late(square, 1))


def test_donation(sums):
    update = fornax.compile(UPDATE, device="cuda")
    zeros, ones = torch.zeros(1024, device="cuda"), torch.ones(1024, device="cuda")
    held = update.run(zeros, ones)
    for _ in range(9):
        held = update.run(held, ones)
    assert (torch.from_dlpack(held) == 10).all() and (zeros == 0).all()


def test_layouts_that_are_refused(sums):
    x = torch.zeros(SHAPE, device="cuda")
    with pytest.raises(TypeError, match="contiguous"):
        sums(torch.zeros(1024, 4096, device="cuda").T, x)
    with pytest.raises(TypeError, match="multiple of 16"):
        sums(torch.zeros(4096 * 1024 + 1, device="cuda")[1:].view(SHAPE), x)
    assert sums.bench(x, x, seconds=0.05).calls > 1


def test_other_libraries(sums):
    jax = pytest.importorskip("jax")
    if jax.default_backend() == "gpu":
        x = jax.numpy.ones((8, 1024))
        assert isinstance(sums(x, x), jax.Array) and (sums(x, x) == 2).all()
    cupy = pytest.importorskip("cupy")
    assert (sums(cupy.ones((8, 1024), cupy.float32), torch.ones(8, 1024, device="cuda")) == 2).all()
