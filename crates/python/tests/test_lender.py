"""Which tensors of PyTorch are handed over again, and which as they were handed over before."""

import pytest

torch = pytest.importorskip("torch")

from fornax import _lender  # noqa: E402
from fornax._lender import Lender  # noqa: E402


class Tensor(torch.Tensor):
    """A tensor that says it is on a GPU."""

    is_cuda = True


class Stream:
    cuda_stream = 7


class Result:
    """An array of a session's, for a consumer in the current stream."""

    def __dlpack__(self, stream):
        assert stream == Stream.cuda_stream
        return torch.ones(1).__dlpack__()


class Session:
    """Keeps what calls are given; results are the first of it."""

    def __init__(self):
        self.given, self.lent = [], []

    def lend(self, tensor):
        self.lent.append(tensor)
        return ("lent", tensor.data_ptr())

    def call(self, function, given, stream):
        self.given.append(given)
        return [Result()]


class Module:
    def __init__(self):
        self.session = Session()

    def parts(self):
        return self.session, "main", True


@pytest.fixture
def module(monkeypatch):
    monkeypatch.setattr(torch.cuda, "current_stream", lambda device: Stream())
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


def test_tensors_at_known_addresses_are_not_looked_at(module, monkeypatch):
    lender, weights = Lender(module), [on_gpu(4, 4) for _ in range(3)]
    for _ in range(2):
        lender.call([*weights, on_gpu(2)])
    looked = []
    monkeypatch.setattr(lender, "_given", lambda at, tensor: looked.append(at) or tensor)
    lender.call([*weights, on_gpu(2)])
    assert looked == [3]
    # One that lies elsewhere makes all be looked at.
    weights[1].data = on_gpu(4, 4)
    lender.call([*weights, on_gpu(2)])
    assert looked == [3, 0, 1, 2, 3]


def test_a_tensor_that_is_gone_ends_what_is_known(module):
    lender, weights = Lender(module), [on_gpu(4, 4) for _ in range(2)]
    for _ in range(2):
        lender.call(weights)
    assert lender._steady is not None
    del weights[0], module.session.given[:], module.session.lent[:]
    assert lender._steady is None


def test_addresses_are_compared_as_pytorch_does_it():
    tensors = [torch.zeros(4) for _ in range(3)]
    pointers, places = [0, tensors[1].data_ptr(), tensors[2].data_ptr()], [1, 2]
    for same in (_lender._are_same, _lender._same_one_by_one):
        assert same(tensors, pointers, places)
        assert not same([*tensors[:2], torch.zeros(4)], pointers, places)


def test_other_strides_and_odd_addresses_are_copied(module):
    call = Lender(module).call
    turned, odd = on_gpu(4, 8).T, on_gpu(9)[1:]
    for _ in range(3):
        call([turned, odd])
    for given in module.session.given:
        assert given[0].is_contiguous() and given[0].shape == (8, 4)
        assert given[1].data_ptr() % 16 == 0
    assert not module.session.lent
