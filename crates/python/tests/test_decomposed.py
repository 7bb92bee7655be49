"""Operators that PyTorch does not take apart itself: samples of images, bags of embeddings, distances, pools."""

import itertools

import pytest

import fornax

torch = pytest.importorskip("torch")
from fornax._aten import decomposed  # noqa: E402
from test_aten import NOT, below, check, gradients, some  # noqa: E402  PyTorch is wanted first

F = torch.nn.functional


@pytest.fixture(autouse=True)
def whole(caplog):
    """No part is left to PyTorch."""
    torch._dynamo.reset()
    yield
    assert "PyTorch runs" not in caplog.text


@pytest.mark.parametrize("mode, rank", [("bilinear", 2), ("nearest", 2), ("bicubic", 2), ("bilinear", 3),
                                        ("nearest", 3)])
def test_samples(mode, rank):
    value, grid = some(2, 3, *(5, 6, 4)[:rank]), some(2, *(4, 5, 2)[:rank], rank)
    ways = list(itertools.product(("zeros", "border", "reflection"), (False, True)))
    if rank == 3 or mode == "bicubic":  # long programs: each of the ways once
        ways = ways[::3] + ways[4:5]
    gradients(lambda x, at: torch.stack([F.grid_sample(x, at, mode, *way) for way in ways]), value, grid)
    if rank == 3:
        check(lambda x, at: [F.grid_sample(x, at, mode, *way) for way in ways], value, grid)


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_bags(mode):
    weight, index = some(7, 4), below(7, 13)
    starts, ends = torch.tensor([0, 3, 3, 9]), torch.tensor([0, 3, 3, 9, 13])
    for padding in (None, 3):
        bag = lambda w, o, **more: F.embedding_bag(index, w, o, mode=mode, padding_idx=padding, **more)  # noqa: E731
        gradients(lambda w: bag(w, starts) + bag(w, ends, include_last_offset=True), weight)
    gradients(lambda w: F.embedding_bag(index[:12].reshape(3, 4), w, mode=mode), weight)
    if mode == "sum":
        gradients(lambda w, by: F.embedding_bag(index, w, starts, mode=mode, per_sample_weights=by), weight, some(13))


@pytest.mark.parametrize("p", [0.5, 1.0, 1.5, 2.0, 3.0, float("inf")])
def test_gradients_of_distances(p):
    a = some(2, 5, 3)
    same = torch.cat([a[:, :2], some(2, 2, 3)], 1)
    gradients(lambda a, b: torch.cdist(a, b, p), a, some(2, 4, 3))
    # Equal rows have no direction.
    gradients(lambda a: torch.cdist(a, same, p, compute_mode="donot_use_mm_for_euclid_dist"), a)
    gradients(lambda a: F.pdist(a, p), a[0])


def test_pools_of_uneven_windows():
    for rank, sizes in ((1, (3, 1, 7)), (2, ((3, 2), (1, 9))), (3, ((2, 3, 4),))):
        x = some(2, 3, *((7,), (7, 9), (5, 7, 6))[rank - 1])
        pool = getattr(F, f"adaptive_max_pool{rank}d")
        check(lambda x: [part for size in sizes for part in pool(x, size, return_indices=True)], x)
        gradients(lambda x: sum(pool(x, size).sum() for size in sizes), x)


def test_pools_where_pytorch_has_no_rule(monkeypatch):
    monkeypatch.setattr(torch._decomp, "get_decompositions", lambda operators: {})
    rules, x = decomposed.rules(), some(2, 3, 6, 8)
    for sizes in ((3, 4), (4, 3), (6, 8), (1, 1)):
        made = rules[torch.ops.aten.adaptive_max_pool2d.default](x, sizes)
        for ours, theirs in zip(made, F.adaptive_max_pool2d(x, sizes, return_indices=True)):
            assert torch.equal(ours, theirs)


def test_parts_of_tensors():
    x, i, part = some(4, 5), below(20, 3, 2), some(3, 2)
    check(lambda x, s: (x.put(i.flatten()[:1], s[0, :1]), x.put(i, s, accumulate=True)), x, part)
    mask = below(2, 4, 5).bool()
    gradients(lambda x, s: x.masked_scatter(mask, s), x, some(21))
    gradients(lambda x: x.masked_scatter(mask[:, :1], x * 2), x)
    y = some(3, 5, 4)
    for offset, dims in itertools.product((-2, 0, 1), ((0, 1), (2, 0), (-1, 1))):
        row = torch.diagonal(y, offset, *dims) * 0 + 2
        check(lambda y, r: torch.diagonal_scatter(y, r, offset, *dims), y, row)
    check(lambda x: (x[torch.tril_indices(4, 5, -1).unbind()], x[torch.triu_indices(4, 5, 1).unbind()]), x)


def test_products_of_three():
    arguments = some(3, 4), some(3, 5), some(2, 4, 5), some(2)
    gradients(F.bilinear, *arguments)
    gradients(lambda x: torch.sgn(x) * x, some(7))


def test_special_numbers():
    edge = float("inf")
    a = torch.tensor([3.0, 0.0, 1e30, -2.0, edge, NOT, edge, 0.0])
    b = torch.tensor([-4.0, 0.0, 1e30, 0.0, NOT, 1.0, -edge, -0.0])
    check(torch.hypot, a, b)
    check(lambda x: (torch.polygamma(1, x), torch.polygamma(0, x)), torch.cat([some(9) * 4, some(5).abs() + 9]))
    gradients(torch.digamma, torch.tensor([0.3, -0.4, 2.5, -7.3, 20.0]))
    gradients(lambda x: torch.logcumsumexp(x, 1) + torch.logcumsumexp(x.mT, -1).mT, some(3, 9) * 9)
    check(lambda x: torch.logcumsumexp(x, 0), torch.tensor([-edge, -edge, 1.0, -200.0, edge, 3.0]))


def test_combinations():
    x = some(6)
    for ways in ({}, {"r": 3}, {"r": 1}, {"r": 3, "with_replacement": True}):
        torch._dynamo.reset()
        gradients(lambda x: torch.combinations(x, **ways), x)
    numbers = torch.tensor([[0, 3, 0], [1, 0, 2]])
    for size in (0, 2, 3, 8):
        check(lambda n: torch.nonzero_static(n, size=size), numbers)
        check(lambda n: torch.nonzero_static(n > 5, size=size, fill_value=7), numbers)
