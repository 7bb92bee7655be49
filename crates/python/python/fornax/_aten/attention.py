"""Attention and its gradient, as plain operations: the compiler finds the kernel."""

from __future__ import annotations

import math
import torch

from .builder import Builder, Value
from .elementwise import masked_fill
from .reductions import lowest, summed, wide
from .table import Unsupported, op


def _groups(query: Value, key: Value) -> int:
    """How many heads of queries a head of keys serves."""
    return query.shape[-3] // key.shape[-3] if query.rank > 2 and key.shape[-3] != query.shape[-3] else 1


def _repeated(g: Builder, value: Value, times: int) -> Value:
    """Every head so many times, neighbours."""
    if times == 1:
        return value
    *lead, heads, length, width = value.shape
    at = len(lead)
    spread = g.broadcast(value, (*lead, heads, times, length, width), [*range(at + 1), at + 2, at + 3])
    return g.reshape(spread, (*lead, heads * times, length, width))


def _gathered(g: Builder, value: Value, times: int) -> Value:
    """The sum of what `_repeated` made of one head."""
    if times == 1:
        return value
    *lead, heads, length, width = value.shape
    parts = g.reshape(g.convert(value, wide(value.dtype)), (*lead, heads // times, times, length, width))
    return g.convert(summed(g, parts, [len(lead) + 1]), value.dtype)


def without_dropout(probability: float) -> None:
    if probability:
        raise Unsupported("attention with dropout")


def _scores(g: Builder, query: Value, key: Value, mask: Value | None, causal: bool, scale: float) -> Value:
    """Q·Kᵀ·scale + mask over the last two dimensions, in the type that sums are held in."""
    lead, held = query.rank - 2, wide(query.dtype)
    scores = g.dot(query, key, range(lead), ([lead + 1], [lead + 1]), held)
    scores = g.binary("multiply", scores, g.full(scale, held))
    if causal:
        rows, columns = (g.iota(dim, torch.int64, scores.shape[-2:]) for dim in (0, 1))
        later = g.compare(columns, rows, "GT")
        scores = masked_fill(g, scores, g.broadcast(later, scores.shape), -math.inf)
    if mask is None:
        return scores
    if mask.dtype is torch.bool:
        return g.select(mask, scores, g.full(-math.inf, held))
    return g.binary("add", scores, g.convert(mask, held))


def _scale(query: Value, scale: float | None) -> float:
    return 1 / math.sqrt(query.shape[-1]) if scale is None else scale


def attention_of(g: Builder, query: Value, key: Value, value: Value, mask: Value | None, causal: bool,
               scale: float | None) -> tuple[Value, Value]:
    """softmax(Q·Kᵀ·scale + mask)·V, and the logarithm of each row's sum of exponentials."""
    lead, dtype = query.rank - 2, query.dtype
    key, value = (_repeated(g, part, _groups(query, part)) for part in (key, value))
    scores = _scores(g, query, key, mask, causal, _scale(query, scale))
    last = scores.rank - 1
    top = g.reduce("maximum", scores, lowest(scores.dtype), [last], True)
    powers = g.unary("exponential", g.binary("subtract", scores, top))
    total = summed(g, powers, [last], True)
    weights = g.convert(g.binary("divide", powers, total), dtype)
    made = g.dot(weights, value, range(lead), ([lead + 1], [lead]), dtype)
    logarithm = g.binary("add", g.unary("log", total), top)
    return made, g.reshape(logarithm, scores.shape[:-1])


@op("aten.scaled_dot_product_attention.default")
def attention(g: Builder, query: Value, key: Value, value: Value, attn_mask: Value | None = None,
              dropout_p: float = 0.0, is_causal: bool = False, *, scale: float | None = None,
              enable_gqa: bool = False) -> Value:
    without_dropout(dropout_p)
    return attention_of(g, query, key, value, attn_mask, is_causal, scale)[0]


@op("aten._scaled_dot_product_flash_attention_for_cpu.default")
def attention_with_sums(g: Builder, query: Value, key: Value, value: Value, dropout_p: float = 0.0,
                        is_causal: bool = False, *, attn_mask: Value | None = None,
                        scale: float | None = None) -> tuple[Value, Value]:
    without_dropout(dropout_p)
    return attention_of(g, query, key, value, attn_mask, is_causal, scale)


@op("aten._scaled_dot_product_flash_attention_for_cpu_backward.default")
def attention_backward(g: Builder, gradient: Value, query: Value, key: Value, value: Value, out: Value,
                       logarithm: Value, dropout_p: float, is_causal: bool, *, attn_mask: Value | None = None,
                       scale: float | None = None) -> tuple[Value, Value, Value]:
    """With P the weights and D the sums of gradient · out along a row: dS = P · (gradient·Vᵀ − D)."""
    without_dropout(dropout_p)
    lead, dtype, held = query.rank - 2, query.dtype, wide(query.dtype)
    batch, scale, times = range(lead), _scale(query, scale), _groups(query, key)
    key, value = (_repeated(g, part, times) for part in (key, value))
    scores = _scores(g, query, key, attn_mask, is_causal, scale)
    rows = (*scores.shape[:-1], 1)
    weights = g.unary("exponential", g.binary("subtract", scores, g.reshape(g.convert(logarithm, held), rows)))
    parts = g.binary("multiply", g.convert(gradient, held), g.convert(out, held))
    row_sums = summed(g, parts, [lead + 1], True)
    by_weights = g.dot(gradient, value, batch, ([lead + 1], [lead + 1]), held)
    by_scores = g.binary("multiply", weights, g.binary("subtract", by_weights, row_sums))
    by_scores = g.convert(g.binary("multiply", by_scores, g.full(scale, held)), dtype)
    weights = g.convert(weights, dtype)
    return (
        g.dot(by_scores, key, batch, ([lead + 1], [lead]), dtype),
        _gathered(g, g.dot(by_scores, query, batch, ([lead], [lead]), dtype), times),
        _gathered(g, g.dot(weights, gradient, batch, ([lead], [lead]), dtype), times),
    )

