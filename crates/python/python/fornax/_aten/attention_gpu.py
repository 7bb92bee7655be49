"""Attention as PyTorch traces it on a GPU: one operator for each library that has a kernel. What they compute is the
same; beside the result they give sums of rows for the gradient, in shapes of their own, and the state of a dropout.
"""

from __future__ import annotations

from typing import Any

import torch

from .attention import attention_backward, attention_of, without_dropout
from .builder import Builder, Value
from .table import Unsupported, op


def _results(g: Builder, made: Value, logarithm: Value) -> tuple[Any, ...]:
    """The result, the sums, and zeros for all that only a dropout reads."""
    def other(due: Any) -> Any:
        return g.full(0, due.dtype, tuple(due.shape)) if isinstance(due, torch.Tensor) else due

    sums = other(g.due[1]) if g.due[1] is None or 0 in g.due[1].shape else _padded(g, logarithm, g.due[1].shape)
    return made, sums, *map(other, g.due[2:])


def _padded(g: Builder, logarithm: Value, shape: Any) -> Value:
    """The sums in the library's shape: rows up to a multiple of 32, or a last dimension of 1."""
    more = shape[2] - logarithm.shape[2]
    return g.reshape(g.pad(logarithm, 0, (0, 0, 0), (0, 0, more)) if more else logarithm, tuple(shape))


def _plain(g: Builder, logarithm: Value, query: Value) -> Value:
    """What `_padded` made of the sums, without that."""
    rows = g.reshape(logarithm, logarithm.shape[:3])
    return g.cut(rows, 2, 0, query.shape[2])


@op("aten._scaled_dot_product_flash_attention.default")
def flash(g: Builder, query: Value, key: Value, value: Value, dropout_p: float = 0.0, is_causal: bool = False,
          return_debug_mask: bool = False, *, scale: float | None = None) -> tuple[Any, ...]:
    without_dropout(dropout_p)
    return _results(g, *attention_of(g, query, key, value, None, is_causal, scale))


@op("aten._scaled_dot_product_efficient_attention.default", "aten._scaled_dot_product_cudnn_attention.default")
def with_bias(g: Builder, query: Value, key: Value, value: Value, attn_bias: Value | None, compute_log_sumexp: bool,
              dropout_p: float = 0.0, is_causal: bool = False, *_: Any, scale: float | None = None) -> tuple[Any, ...]:
    without_dropout(dropout_p)
    return _results(g, *attention_of(g, query, key, value, attn_bias, is_causal, scale))


def _backward(g: Builder, gradient: Value, arrays: tuple[Value, Value, Value, Value, Value], causal: bool,
              **options: Any) -> tuple[Value, Value, Value]:
    query, key, value, out, logarithm = arrays
    return attention_backward(g, gradient, query, key, value, out, _plain(g, logarithm, query), 0.0, causal, **options)


@op("aten._scaled_dot_product_flash_attention_backward.default")
def flash_backward(g: Builder, gradient: Value, query: Value, key: Value, value: Value, out: Value, logarithm: Value,
                   cum_q: Any, cum_k: Any, max_q: int, max_k: int, dropout_p: float, is_causal: bool, *_: Any,
                   scale: float | None = None) -> tuple[Value, Value, Value]:
    without_dropout(dropout_p)
    return _backward(g, gradient, (query, key, value, out, logarithm), is_causal, scale=scale)


@op("aten._scaled_dot_product_cudnn_attention_backward.default")
def cudnn_backward(g: Builder, gradient: Value, query: Value, key: Value, value: Value, out: Value, logarithm: Value,
                   seed: Any, offset: Any, attn_bias: Value | None, cum_q: Any, cum_k: Any, max_q: int, max_k: int,
                   dropout_p: float, is_causal: bool, *, scale: float | None = None) -> tuple[Value, Value, Value]:
    without_dropout(dropout_p)
    return _backward(g, gradient, (query, key, value, out, logarithm), is_causal, attn_mask=attn_bias, scale=scale)


@op("aten._scaled_dot_product_efficient_attention_backward.default")
def efficient_backward(g: Builder, gradient: Value, query: Value, key: Value, value: Value, attn_bias: Value | None,
                       out: Value, logarithm: Value, seed: Any, offset: Any, dropout_p: float, wanted: list[bool],
                       is_causal: bool = False, *, scale: float | None = None) -> tuple[Any, ...]:
    without_dropout(dropout_p)
    if attn_bias is not None and wanted[3]:
        raise Unsupported("the gradient of attention's mask")
    arrays = (query, key, value, out, logarithm)
    return *_backward(g, gradient, arrays, is_causal, attn_mask=attn_bias, scale=scale), None
