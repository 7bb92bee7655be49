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


def test_modules():
    pytest.importorskip("torch_mlir")
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2)).eval()
    x = torch.randn(3, 4)
    program = torch.export.export(model, (x,))
    for module in (fornax.compile(model, x), fornax.compile(program)):
        assert torch.allclose(module(x), model(x).detach(), atol=1e-5)
