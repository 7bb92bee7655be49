"""Tensors and modules of PyTorch."""

import numpy as np
import pytest

import fornax
from conftest import GRID

torch = pytest.importorskip("torch")


def test_tensors():
    module = fornax.compile(GRID)
    x = torch.randn(200, 300)
    for given in (x, x.T.contiguous().T, torch.randn(400, 300)[::2]):
        result = module(given)
        assert isinstance(result, torch.Tensor) and torch.equal(result, -given)
    assert isinstance(module(x.numpy()), np.ndarray)
    assert module.run(x).shape == (200, 300)
    with pytest.raises((BufferError, RuntimeError)):
        module(x.clone().requires_grad_())
    with pytest.raises((BufferError, RuntimeError)):
        module(torch.nn.Parameter(x))


NEGATED = """
func.func @main(%x: tensor<2x{0}>) -> tensor<2x{0}> {{
  %y = stablehlo.negate %x : tensor<2x{0}>
  return %y : tensor<2x{0}>
}}
"""


def test_elements_that_are_conjugated_or_negated_when_they_are_read():
    whole, part = (fornax.compile(NEGATED.format(ty)) for ty in ("complex<f32>", "f32"))
    z = torch.tensor([1 + 2j, 3 - 1j])
    assert z.conj().is_conj() and z.conj().imag.is_neg()
    assert torch.equal(whole(z.conj()), -z.conj())
    assert torch.equal(part(z.conj().imag), -z.conj().imag)
    assert torch.equal(part(z.imag), -z.imag)


def test_results_keep_their_memory():
    module = fornax.compile(NEGATED.format("f32"), results="torch")
    x = torch.tensor([1.0, 2.0])
    results = [module(x) for _ in range(100)]
    del module
    results[0].add_(1)
    assert torch.equal(results[0], torch.tensor([0.0, -1.0])) and torch.equal(results[99], -x)


def test_subclasses_whose_memory_says_nothing():
    class Doubled(torch.Tensor):
        """Twice the elements that it holds."""

        @staticmethod
        def __new__(cls, held):
            return torch.Tensor._make_wrapper_subclass(cls, held.shape, dtype=held.dtype, device=held.device)

        def __init__(self, held):
            self.held = held

        @classmethod
        def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
            raise NotImplementedError(str(function))

        def __dlpack__(self, **_):
            return (2 * self.held).__dlpack__()

    module = fornax.compile(NEGATED.format("f32"))
    assert torch.equal(module.run(Doubled(torch.tensor([1.0, 2.0]))).as_type(torch.Tensor), torch.tensor([-2.0, -4.0]))


def test_modules():
    pytest.importorskip("torch_mlir")
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2)).eval()
    x = torch.randn(3, 4)
    program = torch.export.export(model, (x,))
    for module in (fornax.compile(model, x), fornax.compile(program)):
        assert torch.allclose(module(x), model(x).detach(), atol=1e-5)


def test_programs_that_check_numbers_or_keep_buffers():
    class Reads(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("table", torch.arange(12.0).reshape(4, 3))

        def forward(self, lengths, x):
            torch._check(lengths.max().item() <= 4)
            self.table = self.table.to(x.device)
            return self.table + x * lengths[:, None]

    given = (torch.tensor([1, 4, 2, 3]), torch.ones(4, 3))
    program = torch.export.export(Reads(), given, strict=False)
    module = fornax.compile(program, device="cpu")
    assert torch.equal(module(*given), Reads()(*given))
