"""Functions by series and by the bits of floats, the most frequent elements, slices combined by an index."""

import itertools
import math

import pytest

import fornax  # noqa: F401

torch = pytest.importorskip("torch")
from test_aten import NOT, below, check, gradients, some  # noqa: E402  PyTorch is wanted first


@pytest.fixture(autouse=True)
def whole(caplog):
    """No part is left to PyTorch."""
    torch._dynamo.reset()
    yield
    assert "PyTorch runs" not in caplog.text


def test_bessel_functions():
    """On both sides of 8, where the series change."""
    names = [getattr(torch.special, name) for name in ("i0", "i0e", "i1", "i1e")]
    places = torch.cat([some(50) * 4, torch.linspace(-30, 30, 41), torch.tensor([0.0, -8.0, 8.0, 8.0001, NOT])])
    for x in (places, places.double()):
        check(lambda x: [function(x) for function in names], x)
        gradients(lambda x: names[1](x) + names[3](x), x[:-1] + 0.01)
        gradients(lambda x: names[0](x) + names[2](x), x[:-1] / 20 + 0.01)
    check(torch.i0, torch.arange(-3, 9))


@pytest.mark.parametrize("order", [1, 2, 3, 4, 5])
def test_polygamma(order):
    """Above 1/2 by a series, below by reflection; 0 is a pole."""
    x = torch.tensor([0.3, 0.7, 2.5, 9.0, 40.0, -0.4, -1.3, -7.75, 0.0], dtype=torch.float64)
    check(lambda x: torch.polygamma(order, x), x)
    gradients(lambda x: torch.polygamma(order, x), x[1:4])


def test_poles_of_digamma():
    x = torch.tensor([-3.0, -1.0, 0.0, -0.0, 1.0, -0.5, -1.5, 1e-3])
    check(torch.digamma, x)
    check(lambda x: torch.polygamma(0, x), x)
    check(torch.digamma, torch.arange(-2, 3))


def test_zeta():
    order, place = torch.tensor([1.0, 2, 3, 1.5, 2, 9]), torch.tensor([1.0, 0.3, 40, 2, 1e4, 1])
    check(torch.special.zeta, order, place)
    check(lambda place: torch.special.zeta(2.5, place), place)
    check(lambda order: torch.special.zeta(order, 3), order)
    gradients(lambda place: torch.special.zeta(2.5, place), place[1:])


def test_bits_of_floats():
    edge, tiny = math.inf, torch.finfo(torch.float32).tiny
    places = torch.tensor([0.0, -0.0, 1.0, -1.0, edge, -edge, NOT, 1e-45, -1e-45, 3.4e38, 2.0, 1e-40, tiny, -tiny])
    for dtype in (torch.float32, torch.float64, torch.bfloat16):
        x = places.to(dtype)
        check(torch.frexp, x)
        check(torch.nextafter, *torch.meshgrid(x, x, indexing="ij"))
    check(torch.frexp, some(20).half())


def test_most_frequent_elements():
    for dim, keep in itertools.product((0, 1, -1), (False, True)):
        check(lambda x: torch.mode(x, dim, keep)[0], below(3, 7, 9))
        check(lambda x: x.gather(dim, torch.mode(x, dim, True)[1]), below(3, 7, 9))
    check(lambda x: torch.mode(x)[0], torch.tensor([1.0, NOT, NOT, NOT, 2.0, 2.0]))
    check(lambda x: torch.mode(x, 0)[0], torch.tensor(3.0))
    check(lambda x: torch.mode(x, 0)[0], some(5, 3) > 0)


@pytest.mark.parametrize("reduce", ["mean", "prod", "amax", "amin"])
def test_slices_by_an_index(reduce):
    index = torch.tensor([0, 4, 0, 2])
    for own in (True, False):
        combined = lambda x, y, d=1: torch.index_reduce(x, d, index, y, reduce, include_self=own)  # noqa: E731
        check(combined, some(3, 5, 2), some(3, 4, 2))
        check(lambda x, y: combined(x, y, 0), below(9, 5), below(9, 4))
        if reduce != "prod":  # its own needs values at run time
            gradients(combined, some(3, 5, 2), some(3, 4, 2))
    check(lambda x, y: torch.index_reduce(x, 0, torch.tensor(0), y, reduce), torch.tensor(1.5), torch.tensor(2.0))
