"""Medians, running extremes, places in sorted lists, counts in bins, against PyTorch's own results."""

import pytest

from test_aten import NOT, below, check, some, torch


def distinct(*shape):
    """Floats without ties: of equal elements either place is right."""
    count = torch.Size(shape).numel()
    return torch.randperm(count, generator=torch.Generator().manual_seed(count)).reshape(shape) / 7 - 2


@pytest.mark.parametrize("size", [1, 4, 5])
def test_medians(size):
    def medians(x):
        return (
            *torch.median(x, 1), *torch.median(x, 0, keepdim=True), torch.median(x), *torch.nanmedian(x, 1),
            torch.nanmedian(x), *torch.kthvalue(x, size, 1), *torch.kthvalue(x, 1, -1, keepdim=True),
        )

    x = distinct(3, size)
    check(medians, x)
    check(medians, (x * 7).long())
    x[1, size // 2] = x[2] = NOT
    # Of several NaN any place is right.
    check(lambda x: (*torch.median(x[:2], 1), torch.median(x, 1).values, torch.nanmedian(x), *torch.nanmedian(x[:2], 1),
                     torch.nanmedian(x, 1).values), x)


def test_running_extremes():
    def extremes(x):
        return *torch.cummax(x, 1), *torch.cummin(x, 0), *torch.cummax(x[0, 0], 0)

    for x in (some(3, 7), below(3, 3, 7), below(2, 3, 7).bool(), below(5, 4, 6).to(torch.uint8)):
        check(extremes, x)
    x = some(3, 7)
    x[1, 2] = x[1, 5] = NOT
    x[2] = float("-inf")
    check(extremes, x)


@pytest.mark.parametrize("right", [False, True])
def test_places_in_sorted_lists(right):
    edges = torch.tensor([-1.0, 0.0, 0.0, 2.5])
    x = torch.tensor([[-2.0, -1.0, 0.0], [1.0, 2.5, NOT]])
    check(lambda e, x: (torch.searchsorted(e, x, right=right), torch.bucketize(x, e, right=right),
                        torch.bucketize(x, e, right=right, out_int32=True), torch.searchsorted(e, 0.0, right=right)),
          edges, x)
    rows = torch.sort(below(9, 2, 3, 5)).values
    check(lambda e, x: torch.searchsorted(e, x, right=right), rows, below(9, 2, 3, 4))
    check(lambda e, x, s: torch.searchsorted(e, x, right=right, sorter=s), edges.flip(0), x,
          torch.tensor([3, 2, 1, 0]))


def test_counts_in_bins():
    x = torch.cat([some(50) * 3, torch.tensor([-2.0, 2.0, 5.0, -5.0])])
    check(lambda x: (torch.histc(x, 4, -2, 2), torch.histc(x, 10), torch.histc(x * 0 + 3, 5), torch.histc(x, 1, 2, 5),
                     torch.histc(x[:0], 3, 0, 1)), x)
    experts = below(4, 24).float()
    check(lambda x: torch.histc(x, 4, 0, 3), experts)


def test_signs_and_numbers():
    a = torch.tensor([1.0, NOT, -0.0, NOT, float("-inf"), 3.0])
    b = torch.tensor([2.0, 1.0, 0.5, NOT, -1.0, NOT])
    check(lambda a, b: (torch.fmax(a, b), torch.fmin(a, b), torch.signbit(a * 1), torch.angle(a),
                        torch.signbit(a[:1].int() - 3), torch.fmax(a[:1].int(), b[:1].int())), a, b)
    check(lambda a, b: (torch.view_as_real(torch.complex(a, b).conj() * 2), torch.angle(torch.complex(a, b))),
          some(5), some(6)[:5])


def test_operators_that_pytorch_takes_apart():
    x = some(2, 3, 9, 7)
    check(lambda x: (torch.nn.functional.adaptive_max_pool2d(x, (3, 7)), torch.dist(x[0], x[1], 3.0),
                     torch.round(x, decimals=1), torch.round(x * 99, decimals=-1), torch.ldexp(x, torch.tensor(3))), x)
    check(lambda s, a, b: torch.addbmm(s, a, b, beta=0.5, alpha=2.0), some(3, 5), some(4, 3, 6), some(4, 6, 5))
