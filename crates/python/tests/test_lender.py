"""Which tensors of PyTorch are handed over again, and which as they were handed over before."""

import pytest

torch = pytest.importorskip("torch")

from fornax import _arrays  # noqa: E402
from fornax._lender import Lender  # noqa: E402


class Tensor(torch.Tensor):
    """A tensor that says it is on a GPU."""

    is_cuda = True


class Session:
    """Keeps what calls are given; results are the first of it."""

    def __init__(self):
        self.given, self.lent = [], []

    def lend(self, tensor):
        self.lent.append(tensor)
        return ("lent", tensor.data_ptr())

    def call(self, function, given, stream):
        self.given.append(given)
        return [torch.ones(1)]


class Module:
    def __init__(self):
        self.session = Session()

    def parts(self):
        return self.session, "main", True


@pytest.fixture
def module(monkeypatch):
    monkeypatch.setattr(_arrays, "stream_of", lambda values: 7 if values else None)
    return Module()


def on_gpu(*shape):
    return torch.zeros(shape).as_subclass(Tensor)


def test_a_tensor_that_comes_again_is_asked_once(module):
    call, weight = Lender(module).call, on_gpu(4, 4)
    for _ in range(4):
        call([weight, on_gpu(2, 4)])
    assert len(module.session.lent) == 1
    first, *later = (given[0] for given in module.session.given)
    assert isinstance(first, torch.Tensor) and later == [("lent", weight.data_ptr())] * 3
    # Inputs are new tensors every time.
    assert all(isinstance(given[1], torch.Tensor) for given in module.session.given)


def test_a_tensor_that_moved_is_asked_again(module):
    call, weight = Lender(module).call, on_gpu(4, 4)
    for _ in range(2):
        call([weight])
    weight.data = on_gpu(4, 4)
    for _ in range(2):
        call([weight])
    assert [tensor.data_ptr() == weight.data_ptr() for tensor in module.session.lent] == [False, True]
    assert isinstance(module.session.given[2][0], torch.Tensor)


def test_the_memory_of_a_tensor_that_is_gone_is_not_kept(module):
    lender, weight = Lender(module), on_gpu(4, 4)
    for _ in range(2):
        lender.call([weight])
    assert lender._kept[0].array is not None
    del weight, module.session.given[:], module.session.lent[:]
    assert lender._kept[0].array is None


def test_other_strides_and_odd_addresses_are_copied(module):
    call = Lender(module).call
    turned, odd = on_gpu(4, 8).T, on_gpu(9)[1:]
    for _ in range(3):
        call([turned, odd])
    for given in module.session.given:
        assert given[0].is_contiguous() and given[0].shape == (8, 4)
        assert given[1].data_ptr() % 16 == 0
    assert not module.session.lent
