"""Operators that PyTorch itself does not take apart, as other operators of PyTorch: samples of images and volumes, bags
of embeddings, distances, adaptive pools.

Each is a rule of a decomposition table. It may answer `NotImplemented`: PyTorch then runs the operator.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

aten = torch.ops.aten

# Numbers of PyTorch's options.
_NEAREST, _CUBIC = 1, 2
_BORDER, _REFLECTION = 1, 2
_MEAN, _MAX = 1, 2


def _wide(value: Tensor) -> Tensor:
    """In 32 bits what has 16, as PyTorch's own kernels compute."""
    return value.float() if value.dtype in (torch.float16, torch.bfloat16) else value


class _Tap(NamedTuple):
    """An element that a sample reads along one dimension: its place, whether it lies in the image, its weight, and what
    the weight gains where the grid's number grows."""

    place: Tensor
    inside: Tensor
    weight: Tensor
    slope: Tensor


def _padded(place: Tensor, size: int, padding: int, corners: bool) -> tuple[Tensor, Tensor]:
    """A place moved into the image, and by how much it moves where the place does."""
    moves = torch.ones_like(place)
    if padding == _REFLECTION:
        low, high = (0, 2 * (size - 1)) if corners else (-1, 2 * size - 1)
        if low == high:
            return torch.zeros_like(place), torch.zeros_like(place)
        start, span = low / 2, (high - low) / 2
        away = (place - start).abs()
        rest = torch.fmod(away, span)
        is_even = torch.fmod((away / span).floor(), 2) == 0
        moves = torch.where(place < start, -moves, moves)
        moves = torch.where(is_even, moves, -moves)
        place = torch.where(is_even, rest + start, span + start - rest)
    if padding in (_BORDER, _REFLECTION):
        moves = torch.where((place <= 0) | (place >= size - 1), torch.zeros_like(moves), moves)
        place = place.clamp(0, size - 1)
    return place, moves


def _cubic(part: Tensor) -> list[tuple[Tensor, Tensor]]:
    """Weights and slopes of the four elements around a place, of which `part` lies behind the second one."""
    a = -0.75
    made = []
    for at in (-1, 0, 1, 2):
        away, sign = (part - at, 1.0) if at <= 0 else (at - part, -1.0)
        if at in (0, 1):
            weight = ((a + 2) * away - (a + 3)) * away * away + 1
            slope = (3 * (a + 2) * away - 2 * (a + 3)) * away
        else:
            weight = ((a * away - 5 * a) * away + 8 * a) * away - 4 * a
            slope = (3 * a * away - 10 * a) * away + 8 * a
        made.append((weight, slope * sign))
    return made


def _taps(coordinate: Tensor, size: int, interpolation: int, padding: int, corners: bool) -> list[_Tap]:
    """The elements of one dimension that samples read, and how."""

    def tap(place: Tensor, weight: Tensor, slope: Tensor) -> _Tap:
        inside = (place >= 0) & (place <= size - 1)
        return _Tap(torch.where(inside, place, torch.zeros_like(place)).to(torch.int64), inside, weight, slope)

    scale = (size - 1) / 2 if corners else size / 2
    place = coordinate * scale + (size - 1) / 2
    if interpolation == _CUBIC:
        first = place.floor()
        ways = zip((-1, 0, 1, 2), _cubic(place - first))
        return [tap(_padded(first + at, size, padding, corners)[0], w, slope * scale) for at, (w, slope) in ways]
    place, moves = _padded(place, size, padding, corners)
    if interpolation == _NEAREST:
        return [tap(place.round(), torch.ones_like(place), torch.zeros_like(place))]
    first = place.floor()
    part, slope = place - first, moves * scale
    return [tap(first, 1 - part, -slope), tap(first + 1, part, slope)]


def _samples(
    sizes: Sequence[int], grid: Tensor, interpolation: int, padding: int, corners: bool
) -> list[tuple[Tensor, Tensor, tuple[_Tap, ...]]]:
    """What every sample reads: where in the flat image, how much of it counts outside of the image (0 or 1), taps."""
    # The grid's numbers count from the last dimension.
    numbers = reversed(range(len(sizes)))
    ways = zip(numbers, sizes)
    rows = [_taps(grid[..., number], size, interpolation, padding, corners) for number, size in ways]
    made = []
    for taps in itertools.product(*rows):
        place, inside = taps[0].place, taps[0].inside
        for size, one in zip(sizes[1:], taps[1:]):
            place, inside = place * size + one.place, inside & one.inside
        made.append((place.flatten(1)[:, None], inside.to(grid.dtype)[:, None], taps))
    return made


def grid_sampler(value: Tensor, grid: Tensor, interpolation: int, padding: int, corners: bool) -> Tensor:
    wide, places = _wide(value), _wide(grid)
    flat, total = wide.flatten(2), None
    for place, inside, taps in _samples(value.shape[2:], places, interpolation, padding, corners):
        found = flat.gather(2, place.expand(-1, value.shape[1], -1)).reshape(*value.shape[:2], *grid.shape[1:-1])
        weight = math.prod((tap.weight for tap in taps[1:]), start=taps[0].weight)
        part = found * (weight[:, None] * inside)
        total = part if total is None else total + part
    assert total is not None
    return total.to(value.dtype)


def grid_sampler_backward(
    gradient: Tensor, value: Tensor, grid: Tensor, interpolation: int, padding: int, corners: bool,
    output_mask: Sequence[bool],
) -> tuple[Tensor | None, Tensor | None]:
    due, wide, places = _wide(gradient), _wide(value), _wide(grid)
    flat, channels = wide.flatten(2), value.shape[1]
    of_value = torch.zeros_like(flat)
    of_grid = [torch.zeros_like(places[..., 0]) for _ in range(grid.shape[-1])]
    for place, inside, taps in _samples(value.shape[2:], places, interpolation, padding, corners):
        index = place.expand(-1, channels, -1)
        counted = due * inside
        if output_mask[0]:
            weight = math.prod((tap.weight for tap in taps[1:]), start=taps[0].weight)
            of_value = of_value.scatter_add(2, index, (counted * weight[:, None]).flatten(2))
        if output_mask[1] and interpolation != _NEAREST:
            found = flat.gather(2, index).reshape(due.shape)
            gain = (found * counted).sum(1)
            for at in range(len(taps)):
                others = [tap.slope if one == at else tap.weight for one, tap in enumerate(taps)]
                number = len(taps) - 1 - at
                of_grid[number] = of_grid[number] + math.prod(others[1:], start=others[0]) * gain
    made = of_value.reshape(value.shape).to(value.dtype) if output_mask[0] else None
    return made, torch.stack(of_grid, -1).to(grid.dtype) if output_mask[1] else None


def _bag_of(indices: Tensor, offsets: Tensor) -> Tensor:
    """The bag that each index is in."""
    at = torch.arange(indices.shape[0], dtype=offsets.dtype, device=offsets.device)
    return torch.searchsorted(offsets, at, right=True) - 1


def embedding_bag(
    weight: Tensor, indices: Tensor, offsets: Tensor, scale_grad_by_freq: bool = False, mode: int = 0,
    sparse: bool = False, per_sample_weights: Tensor | None = None, include_last_offset: bool = False,
    padding_idx: int = -1,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The rows of each bag added up, their mean or their largest elements; a bag without rows is 0."""
    bags, count = offsets.shape[0] - include_last_offset, indices.shape[0]
    if count == 0 or bags == 0:
        return NotImplemented
    bag = _bag_of(indices, offsets[:bags])
    rows = _wide(weight)[indices]
    kept = torch.ones_like(bag) if padding_idx < 0 else (indices != padding_idx).to(bag.dtype)
    sizes = torch.zeros_like(offsets[:bags], dtype=bag.dtype).index_add(0, bag, kept)
    if mode == _MAX:
        lowest = torch.full_like(rows, -math.inf)
        rows = torch.where(kept[:, None] > 0, rows, lowest)
        whole = bag[:, None].expand_as(rows)
        some = sizes[:, None] > 0
        found = rows.new_full((bags, rows.shape[1]), -math.inf).scatter_reduce(0, whole, rows, "amax")
        at = torch.arange(count, device=bag.device)[:, None].expand_as(rows)
        at = torch.where(rows == found[bag], at, torch.full_like(at, count - 1))
        first = at.new_full((bags, rows.shape[1]), count - 1).scatter_reduce(0, whole, at, "amin")
        made = torch.where(some, found, torch.zeros_like(found))
        return made.to(weight.dtype), bag, sizes, indices[first]
    if per_sample_weights is not None:
        rows = rows * _wide(per_sample_weights)[:, None]
    made = rows.new_zeros((bags, rows.shape[1])).index_add(0, bag, rows * kept[:, None].to(rows.dtype))
    if mode == _MEAN:
        made = made / sizes.clamp(min=1)[:, None]
    return made.to(weight.dtype), bag, sizes, torch.zeros_like(sizes)


def embedding_bag_backward(
    gradient: Tensor, indices: Tensor, offsets: Tensor, offset2bag: Tensor, bag_size: Tensor, maximum_indices: Tensor,
    num_weights: int, scale_grad_by_freq: bool, mode: int, sparse: bool, per_sample_weights: Tensor | None,
    padding_idx: int = -1,
) -> Tensor:
    count = indices.shape[0]
    if sparse or scale_grad_by_freq or count == 0 or gradient.shape[0] == 0:
        return NotImplemented
    due = _wide(gradient)
    start = due.new_zeros((num_weights, due.shape[1]))
    if mode == _MAX:
        some = (bag_size[: due.shape[0], None] > 0).to(due.dtype)
        return start.scatter_add(0, maximum_indices.to(torch.int64), due * some).to(gradient.dtype)
    bag = _bag_of(indices, offsets)
    kept = torch.ones_like(bag) if padding_idx < 0 else (indices != padding_idx).to(bag.dtype)
    if mode == _MEAN:
        sizes = torch.zeros_like(due[:, 0], dtype=bag.dtype).index_add(0, bag, kept)
        due = due / sizes.clamp(min=1)[:, None]
    rows = due[bag] * kept[:, None].to(due.dtype)
    if per_sample_weights is not None:
        rows = rows * _wide(per_sample_weights)[:, None]
    return start.index_add(0, indices, rows).to(gradient.dtype)


def embedding_bag_weights_backward(
    gradient: Tensor, weight: Tensor, indices: Tensor, offsets: Tensor, offset2bag: Tensor, mode: int,
    padding_idx: int = -1,
) -> Tensor:
    if indices.shape[0] == 0 or gradient.shape[0] == 0:
        return NotImplemented
    bag = _bag_of(indices, offsets)
    made = (_wide(gradient)[bag] * _wide(weight)[indices]).sum(1)
    if padding_idx >= 0:
        made = torch.where(indices != padding_idx, made, torch.zeros_like(made))
    return made.to(gradient.dtype)


def _shares(away: Tensor, distance: Tensor, p: float) -> Tensor:
    """What a distance of order p gains where a coordinate's difference grows; 0 where there is no distance."""
    if p == 0:
        return torch.zeros_like(away)
    if p == 1:
        return away.sign()
    if math.isinf(p):
        return torch.where(away.abs() == distance, away.sign(), torch.zeros_like(away))
    none = (distance == 0) | (away == 0)
    safe, size = (torch.where(none, torch.ones_like(away), one.expand_as(away)) for one in (distance, away.abs()))
    made = away.sign() * (size / safe) ** (p - 1)
    return torch.where(none, torch.zeros_like(made), made)


def cdist_backward(gradient: Tensor, a: Tensor, b: Tensor, p: float, distance: Tensor) -> Tensor:
    away = a[..., :, None, :] - b[..., None, :, :]
    made = (gradient[..., None] * _shares(away, distance[..., None], p)).sum(-2)
    return made.sum_to_size(a.shape)


def pdist_backward(gradient: Tensor, value: Tensor, p: float, distance: Tensor) -> Tensor:
    if gradient.shape[0] == 0:
        return torch.zeros_like(value)
    rows = torch.triu_indices(value.shape[0], value.shape[0], 1, device=value.device)
    share = gradient[:, None] * _shares(value[rows[0]] - value[rows[1]], distance[:, None], p)
    return torch.zeros_like(value).index_add(0, rows[0], share).index_add(0, rows[1], -share)


def _windows(size: int, outputs: int, device: torch.device) -> tuple[Tensor, Tensor]:
    """[outputs, longest] places of an adaptive pool's windows along one dimension, and which of them belong to one."""
    number = torch.arange(outputs, device=device)
    first, end = number * size // outputs, ((number + 1) * size + outputs - 1) // outputs
    longest = max(-(-(at + 1) * size // outputs) - at * size // outputs for at in range(outputs))
    place = first[:, None] + torch.arange(longest, device=device)
    return place.clamp(max=size - 1), place < end[:, None]


def _adaptive_max_pool(rule: Callable[..., Any], count: int) -> Callable[..., Any]:
    """PyTorch's rule where windows have one size; else every window at its longest, with what is not its own at -inf."""

    def write(value: Tensor, output_size: Sequence[int]) -> Any:
        made = rule(value, output_size)
        if made is not NotImplemented:
            return made
        if 0 in value.shape or 0 in tuple(output_size):
            return NotImplemented
        lead, sizes = value.dim() - count, value.shape[-count:]
        parts, own, where = value, None, None
        for at, (size, outputs) in enumerate(zip(sizes, output_size)):
            place, belongs = _windows(size, outputs, value.device)
            # Dimensions so far: lead, then windows and elements of each in turn.
            parts = parts.index_select(lead + 2 * at, place.flatten()).unflatten(lead + 2 * at, place.shape)
            shape = [1] * (2 * at) + list(place.shape) + [1] * (2 * (count - 1 - at))
            place, belongs = place.reshape(shape), belongs.reshape(shape)
            own = belongs if own is None else own & belongs
            where = place if where is None else where * size + place
        assert own is not None and where is not None
        order = [*range(0, 2 * count, 2), *range(1, 2 * count, 2)]
        parts = torch.where(own, parts, torch.full_like(parts, -math.inf))
        parts = parts.permute([*range(lead), *(lead + at for at in order)]).flatten(lead + count)
        where = where.expand(own.shape).permute(order).flatten(count)
        found, at_most = parts.max(-1)
        return found, where.expand(parts.shape).gather(-1, at_most[..., None])[..., 0]

    return write


def put(value: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """Updates of the elements in their order."""
    made = value.flatten().index_put((index.flatten(),), source.flatten(), accumulate)
    return made.reshape(value.shape)


def masked_scatter_backward(gradient: Tensor, mask: Tensor, sizes: Sequence[int]) -> Tensor:
    """The gradients of the picked elements in their order, then zeros."""
    count, mask = math.prod(sizes), mask.expand(gradient.shape).flatten()
    if count == 0 or mask.shape[0] == 0:
        return gradient.new_zeros(sizes)
    place = (mask.to(torch.int64).cumsum(0) - 1).clamp(0, count - 1)
    picked = torch.where(mask, gradient.flatten(), gradient.new_zeros(()))
    return gradient.new_zeros((count,)).index_add(0, place, picked).reshape(sizes)


def nonzero_static(value: Tensor, *, size: int, fill_value: int = -1) -> Tensor:
    """The first `size` places of elements that are not 0, a row each; then rows of `fill_value`."""
    is_there = (value != 0).flatten()
    count = is_there.shape[0]
    if value.dim() == 0 or count == 0 or size == 0:
        return value.new_full((size, value.dim()), fill_value, dtype=torch.int64)
    # How many are not 0 up to here: the element is the row with the number before it. The others go behind the rows.
    row = torch.where(is_there, is_there.to(torch.int64).cumsum(0) - 1, size).clamp(max=size)
    place = value.new_full((size + 1,), -1, dtype=torch.int64)
    place = place.scatter(0, row, torch.arange(count, device=value.device))[:size]
    columns, rest = [], place
    for extent in value.shape[::-1]:
        columns.append(rest % extent)
        rest = rest.div(extent, rounding_mode="floor")
    made = torch.stack(columns[::-1], 1)
    return torch.where(place[:, None] < 0, fill_value, made)


def logcumsumexp(value: Tensor, dim: int) -> Tensor:
    """By doubling: after each step an element holds twice as many of those before it."""
    if value.dim() == 0 or value.is_complex() or value.shape[dim] == 0:
        return NotImplemented if value.dim() else value.clone()
    dim, made, reach = dim % value.dim(), _wide(value), 1
    size = value.shape[dim]
    while reach < size:
        first = torch.full_like(made.narrow(dim, 0, reach), -math.inf)
        made = torch.logaddexp(made, torch.cat([first, made.narrow(dim, 0, size - reach)], dim))
        reach *= 2
    return made.to(value.dtype)


def trilinear(a: Tensor, b: Tensor, c: Tensor, expand_a: Sequence[int], expand_b: Sequence[int],
              expand_c: Sequence[int], summed: Sequence[int], unrolled: int = 1) -> Tensor:
    """A product of three with new dimensions of size 1, summed over some."""
    for expand in (expand_a, expand_b, expand_c):
        part = a
        for dim in sorted(expand):
            part = part.unsqueeze(dim)
        a, b, c = b, c, part
    return (a * b * c).sum(list(summed)) if summed else a * b * c


def _theirs(operator: Any) -> Callable[..., Any]:
    """PyTorch's own rule; one that knows nothing where its version has none."""
    return torch._decomp.get_decompositions([operator]).get(operator.default, lambda *_: NotImplemented)


def rules() -> dict[Any, Callable[..., Any]]:
    """The table."""
    return {
        aten.grid_sampler_3d.default: grid_sampler,
        aten.grid_sampler_2d_backward.default: grid_sampler_backward,
        aten.grid_sampler_3d_backward.default: grid_sampler_backward,
        aten._embedding_bag.default: embedding_bag,
        aten._embedding_bag_forward_only.default: embedding_bag,
        aten._embedding_bag_backward.default: embedding_bag_backward,
        aten._embedding_bag_per_sample_weights_backward.default: embedding_bag_weights_backward,
        aten._cdist_backward.default: cdist_backward,
        aten._pdist_backward.default: pdist_backward,
        aten.put.default: put,
        aten.masked_scatter_backward.default: masked_scatter_backward,
        aten.nonzero_static.default: nonzero_static,
        aten.logcumsumexp.default: logcumsumexp,
        aten._trilinear.default: trilinear,
        aten.adaptive_max_pool2d.default: _adaptive_max_pool(_theirs(aten.adaptive_max_pool2d), 2),
        aten.adaptive_max_pool3d.default: _adaptive_max_pool(_theirs(aten.adaptive_max_pool3d), 3),
    }
