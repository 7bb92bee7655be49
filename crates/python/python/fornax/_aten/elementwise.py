"""Operators of one element at a time."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch

from .builder import Builder, Value
from .table import Unsupported, op
from .types import is_float, is_unsigned


def _promoted(a: Any, b: Any) -> torch.dtype:
    """The type that PyTorch computes a pair in: scalars of a kind that the tensor has take its type."""
    parts = [torch.empty(value.shape, dtype=value.dtype, device="meta") if isinstance(value, Value) else value
             for value in (a, b)]
    return torch.result_type(*parts)


def _pair(g: Builder, a: Any, b: Any, dtype: torch.dtype | None = None) -> tuple[Value, Value]:
    dtype = dtype or _promoted(a, b)
    return g.tensor(a, dtype), g.tensor(b, dtype)


def _shaped(g: Builder, value: Value) -> Value:
    return g.broadcast(value, g.shape)


# Operators with an op of StableHLO or CHLO for floats; integers become floats first.
_FLOAT_UNARY = {
    "acos": "chlo.acos", "acosh": "chlo.acosh", "asin": "chlo.asin", "asinh": "chlo.asinh", "atan": "chlo.atan",
    "atanh": "chlo.atanh", "cos": "cosine", "cosh": "chlo.cosh", "erf": "chlo.erf", "erfc": "chlo.erfc",
    "exp": "exponential", "expm1": "exponential_minus_one", "log": "log", "log1p": "log_plus_one",
    "rsqrt": "rsqrt", "sigmoid": "logistic", "sin": "sine", "sinh": "chlo.sinh", "sqrt": "sqrt", "tan": "tan",
    "tanh": "tanh", "lgamma": "chlo.lgamma", "erfinv": "chlo.erf_inv",
}


def _float_unary(name: str) -> Callable[..., Value]:
    def write(g: Builder, value: Value) -> Value:
        return g.unary(name, g.convert(value, g.dtype))

    return write


for _name, _op in _FLOAT_UNARY.items():
    op(f"aten.{_name}.default")(_float_unary(_op))


@op("aten.atan2.default", "aten.atan2.out")
def atan2(g: Builder, a: Value, b: Value) -> Value:
    return g.binary("atan2", *_pair(g, a, b, g.dtype))


@op("aten.log2.default")
def log2(g: Builder, value: Value) -> Value:
    return g.binary("divide", g.unary("log", g.convert(value, g.dtype)), g.full(math.log(2), g.dtype))


@op("aten.log10.default")
def log10(g: Builder, value: Value) -> Value:
    return g.binary("divide", g.unary("log", g.convert(value, g.dtype)), g.full(math.log(10), g.dtype))


@op("aten.exp2.default")
def exp2(g: Builder, value: Value) -> Value:
    return g.binary("power", g.full(2, g.dtype), g.convert(value, g.dtype))


@op("aten.reciprocal.default")
def reciprocal(g: Builder, value: Value) -> Value:
    return g.binary("divide", g.full(1, g.dtype), g.convert(value, g.dtype))


@op("aten.abs.default")
def absolute(g: Builder, value: Value) -> Value:
    if is_unsigned(value.dtype) or value.dtype is torch.bool:
        return value
    if value.dtype.is_complex:
        return g.op("stablehlo.abs", [value], g.dtype, value.shape)
    return g.unary("abs", value)


@op("aten.neg.default")
def neg(g: Builder, value: Value) -> Value:
    return g.unary("negate", value)


@op("aten.sign.default")
def sign(g: Builder, value: Value) -> Value:
    if value.dtype is torch.bool:
        return value
    if is_unsigned(value.dtype):
        return g.binary("minimum", value, g.full(1, value.dtype))
    if is_float(value.dtype):
        # PyTorch's sign of NaN is 0.
        found = g.unary("sign", value)
        return g.select(g.compare(value, value, "EQ"), found, g.full(0, value.dtype))
    return g.unary("sign", value)


def _rounding(name: str) -> Callable[..., Value]:
    def write(g: Builder, value: Value) -> Value:
        return g.unary(name, value) if is_float(value.dtype) else value

    return write


op("aten.ceil.default")(_rounding("ceil"))
op("aten.floor.default")(_rounding("floor"))
op("aten.round.default")(_rounding("round_nearest_even"))


@op("aten.trunc.default")
def trunc(g: Builder, value: Value) -> Value:
    if not is_float(value.dtype):
        return value
    low, high = g.unary("ceil", value), g.unary("floor", value)
    return g.select(g.compare(value, g.full(0, value.dtype), "LT"), low, high)


@op("aten.frac.default")
def frac(g: Builder, value: Value) -> Value:
    return g.binary("subtract", value, trunc(g, value))


@op("aten.isnan.default")
def isnan(g: Builder, value: Value) -> Value:
    return g.compare(value, value, "NE")


@op("aten.isinf.default")
def isinf(g: Builder, value: Value) -> Value:
    if not is_float(value.dtype):
        return g.full(False, torch.bool, value.shape)
    return g.compare(g.unary("abs", value), g.full(math.inf, value.dtype), "EQ")


@op("aten.isfinite.default")
def isfinite(g: Builder, value: Value) -> Value:
    if not is_float(value.dtype):
        return g.full(True, torch.bool, value.shape)
    return g.op("stablehlo.is_finite", [value], torch.bool, value.shape)


# Pairs.
def _sum(name: str) -> Callable[..., Value]:
    def write(g: Builder, a: Any, b: Any, alpha: Any = 1) -> Value:
        dtype = _promoted(a, b)
        a, b = _pair(g, a, b, dtype)
        if alpha != 1:
            b = g.binary("multiply", b, g.full(alpha, dtype))
        if dtype is torch.bool:
            return g.binary("or", a, b)
        return g.binary(name, a, b)

    return write


op("aten.add.Tensor", "aten.add.Scalar")(_sum("add"))
op("aten.sub.Tensor", "aten.sub.Scalar")(_sum("subtract"))


@op("aten.rsub.Scalar", "aten.rsub.Tensor")
def rsub(g: Builder, a: Any, b: Any, alpha: Any = 1) -> Value:
    return _sum("subtract")(g, b, a, alpha)


@op("aten.mul.Tensor", "aten.mul.Scalar")
def mul(g: Builder, a: Any, b: Any) -> Value:
    a, b = _pair(g, a, b)
    return g.binary("and" if a.dtype is torch.bool else "multiply", a, b)


def floor_quotient(g: Builder, a: Value, b: Value) -> Value:
    quotient = g.binary("divide", a, b)
    if is_float(a.dtype):
        return _floor_divide_floats(g, a, b, quotient)
    if is_unsigned(a.dtype):
        return quotient
    # Integers are cut toward zero: one less where the signs differ and something is left.
    left = g.binary("remainder", a, b)
    zero = g.full(0, a.dtype)
    signs = g.binary("xor", g.compare(left, zero, "LT"), g.compare(b, zero, "LT"))
    down = g.binary("and", g.compare(left, zero, "NE"), signs)
    return g.select(down, g.binary("subtract", quotient, g.full(1, a.dtype)), quotient)


def _floor_divide_floats(g: Builder, a: Value, b: Value, quotient: Value) -> Value:
    """As PyTorch does it: by the remainder, which is exact, so that 3 · x / x below 3 does not become 3."""
    dtype = a.dtype
    zero, one = g.full(0, dtype), g.full(1, dtype)
    left = g.binary("remainder", a, b)
    whole = g.binary("divide", g.binary("subtract", a, left), b)
    signs = g.binary("xor", g.compare(left, zero, "LT"), g.compare(b, zero, "LT"))
    down = g.binary("and", g.compare(left, zero, "NE"), signs)
    whole = g.select(down, g.binary("subtract", whole, one), whole)
    floor = g.unary("floor", whole)
    off = g.compare(g.binary("subtract", whole, floor), g.full(0.5, dtype), "GT")
    floor = g.select(off, g.binary("add", floor, one), floor)
    return g.select(g.compare(b, zero, "EQ"), quotient, floor)


@op("aten.div.Tensor", "aten.div.Scalar", "aten.true_divide.Tensor")
def div(g: Builder, a: Any, b: Any) -> Value:
    return g.binary("divide", *_pair(g, a, b, g.dtype))


@op("aten.div.Tensor_mode", "aten.div.Scalar_mode")
def div_mode(g: Builder, a: Any, b: Any, rounding_mode: str | None = None) -> Value:
    if rounding_mode is None:
        return div(g, a, b)
    a, b = _pair(g, a, b)
    if rounding_mode == "floor":
        return floor_quotient(g, a, b)
    quotient = g.binary("divide", a, b)
    return trunc(g, quotient)


@op("aten.floor_divide.default")
def floor_divide(g: Builder, a: Any, b: Any) -> Value:
    return floor_quotient(g, *_pair(g, a, b))


@op("aten.fmod.Tensor", "aten.fmod.Scalar")
def fmod(g: Builder, a: Any, b: Any) -> Value:
    return g.binary("remainder", *_pair(g, a, b))


@op("aten.remainder.Tensor", "aten.remainder.Scalar", "aten.remainder.Scalar_Tensor")
def remainder(g: Builder, a: Any, b: Any) -> Value:
    a, b = _pair(g, a, b)
    left = g.binary("remainder", a, b)
    if is_unsigned(a.dtype):
        return left
    zero = g.full(0, a.dtype)
    signs = g.binary("xor", g.compare(left, zero, "LT"), g.compare(b, zero, "LT"))
    off = g.binary("and", g.compare(left, zero, "NE"), signs)
    return g.select(off, g.binary("add", left, b), left)


@op("aten.pow.Tensor_Scalar", "aten.pow.Tensor_Tensor", "aten.pow.Scalar")
def power(g: Builder, a: Any, b: Any) -> Value:
    dtype = _promoted(a, b)
    if b == 0.5 and isinstance(a, Value) and is_float(dtype):
        # Of -0 and -inf the two differ in a sign that PyTorch's own kernels do not keep.
        return g.unary("sqrt", g.convert(a, dtype))
    if b == 2:
        value = g.tensor(a, dtype)
        return g.binary("multiply", value, value)
    return g.binary("power", *_pair(g, a, b, dtype))


def _extremum(name: str) -> Callable[..., Value]:
    def write(g: Builder, a: Any, b: Any) -> Value:
        a, b = _pair(g, a, b)
        if a.dtype is torch.bool:
            return g.binary("or" if name == "maximum" else "and", a, b)
        return g.binary(name, a, b)

    return write


op("aten.maximum.default")(_extremum("maximum"))
op("aten.minimum.default")(_extremum("minimum"))


@op("aten.clamp.default", "aten.clamp.Tensor", "aten.clip.default")
def clamp(g: Builder, value: Value, min: Any = None, max: Any = None) -> Value:
    value = g.convert(value, g.dtype)
    if min is not None:
        value = g.binary("maximum", value, g.tensor(min, g.dtype))
    if max is not None:
        value = g.binary("minimum", value, g.tensor(max, g.dtype))
    return value


@op("aten.clamp_min.default", "aten.clamp_min.Tensor")
def clamp_min(g: Builder, value: Value, low: Any) -> Value:
    return clamp(g, value, low, None)


@op("aten.clamp_max.default", "aten.clamp_max.Tensor")
def clamp_max(g: Builder, value: Value, high: Any) -> Value:
    return clamp(g, value, None, high)


def _comparison(direction: str) -> Callable[..., Value]:
    def write(g: Builder, a: Any, b: Any) -> Value:
        return g.compare(*_pair(g, a, b), direction)

    return write


for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    op(f"aten.{_name}.Tensor", f"aten.{_name}.Scalar")(_comparison(_name.upper()))


def _logical(name: str) -> Callable[..., Value]:
    def write(g: Builder, a: Value, b: Value) -> Value:
        return g.binary(name, g.convert(a, torch.bool), g.convert(b, torch.bool))

    return write


for _name in ("and", "or", "xor"):
    op(f"aten.logical_{_name}.default")(_logical(_name))


@op("aten.logical_not.default")
def logical_not(g: Builder, value: Value) -> Value:
    return g.unary("not", g.convert(value, torch.bool))


def _bitwise(name: str) -> Callable[..., Value]:
    def write(g: Builder, a: Any, b: Any) -> Value:
        return g.binary(name, *_pair(g, a, b))

    return write


for _name in ("and", "or", "xor"):
    op(f"aten.bitwise_{_name}.Tensor", f"aten.bitwise_{_name}.Scalar")(_bitwise(_name))
op(
    "aten.bitwise_left_shift.Tensor", "aten.bitwise_left_shift.Tensor_Scalar", "aten.__lshift__.Tensor",
    "aten.__lshift__.Scalar",
)(_bitwise("shift_left"))


@op(
    "aten.bitwise_right_shift.Tensor", "aten.bitwise_right_shift.Tensor_Scalar", "aten.__rshift__.Tensor",
    "aten.__rshift__.Scalar",
)
def shift_right(g: Builder, a: Any, b: Any) -> Value:
    a, b = _pair(g, a, b)
    return g.binary("shift_right_logical" if is_unsigned(a.dtype) else "shift_right_arithmetic", a, b)


@op("aten.bitwise_not.default")
def bitwise_not(g: Builder, value: Value) -> Value:
    return g.unary("not", value)


@op("aten.where.self", "aten.where.ScalarSelf", "aten.where.ScalarOther", "aten.where.Scalar")
def where(g: Builder, condition: Value, a: Any, b: Any) -> Value:
    a, b = _pair(g, a, b, g.dtype)
    return g.select(g.convert(condition, torch.bool), _shaped(g, a), b)


@op("aten.masked_fill.Scalar", "aten.masked_fill.Tensor")
def masked_fill(g: Builder, value: Value, mask: Value, fill: Any) -> Value:
    return g.select(mask, g.tensor(fill, value.dtype), value)


# Activations.
@op("aten.relu.default")
def relu(g: Builder, value: Value) -> Value:
    return g.binary("maximum", value, g.full(0, value.dtype))


@op("aten.relu6.default")
def relu6(g: Builder, value: Value) -> Value:
    return clamp(g, value, 0, 6)


@op("aten.hardtanh.default")
def hardtanh(g: Builder, value: Value, low: Any = -1, high: Any = 1) -> Value:
    return clamp(g, value, low, high)


@op("aten.leaky_relu.default")
def leaky_relu(g: Builder, value: Value, slope: Any = 0.01) -> Value:
    scaled = g.binary("multiply", value, g.full(slope, value.dtype))
    return g.select(g.compare(value, g.full(0, value.dtype), "GT"), value, scaled)


@op("aten.elu.default")
def elu(g: Builder, value: Value, alpha: Any = 1, scale: Any = 1, input_scale: Any = 1) -> Value:
    dtype = value.dtype
    wide = torch.float32 if dtype in (torch.float16, torch.bfloat16) else dtype
    x = g.convert(value, wide)
    low = g.unary("exponential_minus_one", g.binary("multiply", x, g.full(input_scale, wide)))
    low = g.binary("multiply", low, g.full(alpha * scale, wide))
    high = g.binary("multiply", x, g.full(scale, wide))
    return g.convert(g.select(g.compare(x, g.full(0, wide), "GT"), high, low), dtype)


@op("aten.gelu.default")
def gelu(g: Builder, value: Value, approximate: str = "none") -> Value:
    dtype = value.dtype
    wide = torch.float32 if dtype in (torch.float16, torch.bfloat16) else dtype
    x = g.convert(value, wide)
    half = g.binary("multiply", x, g.full(0.5, wide))
    if approximate == "tanh":
        cube = g.binary("multiply", g.binary("multiply", x, x), x)
        inner = g.binary("add", x, g.binary("multiply", cube, g.full(0.044715, wide)))
        curve = g.unary("tanh", g.binary("multiply", inner, g.full(math.sqrt(2 / math.pi), wide)))
    elif approximate == "none":
        curve = g.unary("chlo.erf", g.binary("multiply", x, g.full(math.sqrt(0.5), wide)))
    else:
        raise Unsupported(f"gelu by {approximate}")
    return g.convert(g.binary("multiply", half, g.binary("add", curve, g.full(1, wide))), dtype)


@op("aten.silu.default")
def silu(g: Builder, value: Value) -> Value:
    dtype = value.dtype
    wide = torch.float32 if dtype in (torch.float16, torch.bfloat16) else dtype
    x = g.convert(value, wide)
    return g.convert(g.binary("multiply", x, g.unary("logistic", x)), dtype)


@op("aten.softplus.default")
def softplus(g: Builder, value: Value, beta: Any = 1, threshold: Any = 20) -> Value:
    dtype = value.dtype
    scaled = g.binary("multiply", value, g.full(beta, dtype))
    soft = g.unary("log_plus_one", g.unary("exponential", scaled))
    soft = g.binary("divide", soft, g.full(beta, dtype))
    return g.select(g.compare(scaled, g.full(threshold, dtype), "GT"), value, soft)


@op("aten.copysign.Tensor", "aten.copysign.Scalar")
def copysign(g: Builder, a: Any, b: Any) -> Value:
    a, b = _pair(g, a, b, g.dtype)
    size = g.dtype.itemsize
    whole = {2: torch.int16, 4: torch.int32, 8: torch.int64}[size]
    # The sign of zero and of NaN counts, so the bit does.
    bits = g.op("stablehlo.bitcast_convert", [b], whole, b.shape)
    magnitude = g.unary("abs", a)
    return g.select(g.compare(bits, g.full(0, whole), "LT"), g.unary("negate", magnitude), magnitude)


@op("aten.round.decimals")
def round_decimals(g: Builder, value: Value, *, decimals: int) -> Value:
    """Halves go to even numbers of the last decimal."""
    power = g.full(10 ** abs(decimals), value.dtype)
    there, back = ("multiply", "divide") if decimals > 0 else ("divide", "multiply")
    return g.binary(back, g.unary("round_nearest_even", g.binary(there, value, power)), power)


@op("aten.signbit.default")
def signbit(g: Builder, value: Value) -> Value:
    """Whether the sign is set, of zero and NaN too."""
    if is_unsigned(value.dtype) or value.dtype is torch.bool:
        return g.full(False, torch.bool, value.shape)
    if is_float(value.dtype):
        whole = {2: torch.int16, 4: torch.int32, 8: torch.int64}[value.dtype.itemsize]
        value = g.op("stablehlo.bitcast_convert", [value], whole, value.shape)
    return g.compare(value, g.full(0, value.dtype), "LT")


def _extremum_of_numbers(name: str) -> Any:
    """NaN only where both are."""

    def write(g: Builder, a: Any, b: Any) -> Value:
        a, b = _pair(g, a, b, g.dtype)
        if not is_float(a.dtype):
            return g.binary(name, a, b)
        number = g.select(g.compare(a, a, "NE"), b, g.binary(name, a, b))
        return g.select(g.compare(b, b, "NE"), a, number)

    return write


op("aten.fmax.default")(_extremum_of_numbers("maximum"))
op("aten.fmin.default")(_extremum_of_numbers("minimum"))


@op("aten.hypot.default")
def hypot(g: Builder, a: Value, b: Value) -> Value:
    """Of the larger one and the quotient, which cannot overflow; infinite where one is."""
    a, b = (g.unary("abs", g.convert(part, g.dtype)) for part in (a, b))
    large, small = g.binary("maximum", a, b), g.binary("minimum", a, b)
    none = g.compare(large, g.full(0, g.dtype), "EQ")
    part = g.binary("divide", small, g.select(none, g.full(1, g.dtype), large))
    made = g.binary("multiply", large, g.unary("sqrt", g.binary("add", g.binary("multiply", part, part),
                                                               g.full(1, g.dtype))))
    endless = g.full(math.inf, g.dtype)
    is_endless = g.binary("or", g.compare(a, endless, "EQ"), g.compare(b, endless, "EQ"))
    return g.select(is_endless, endless, made)


# Complex numbers.
@op("aten._conj.default", "aten._conj_physical.default", "aten.conj_physical.default")
def conj(g: Builder, value: Value) -> Value:
    return g.unary("chlo.conj", value) if value.dtype.is_complex else value


@op("aten.angle.default")
def angle(g: Builder, value: Value) -> Value:
    """The argument; 0 or pi of real numbers."""
    if value.dtype.is_complex:
        parts = [g.op(f"stablehlo.{part}", [value], g.dtype, value.shape) for part in ("imag", "real")]
        return g.binary("atan2", *parts)
    value = g.convert(value, g.dtype)
    made = g.select(g.compare(value, g.full(0, g.dtype), "LT"), g.full(math.pi, g.dtype), g.full(0, g.dtype))
    return g.select(g.compare(value, value, "NE"), value, made)


@op("aten.complex.default")
def complex_of(g: Builder, real: Value, imaginary: Value) -> Value:
    real, imaginary = (g.broadcast(part, g.shape) for part in (real, imaginary))
    return g.op("stablehlo.complex", [real, imaginary], g.dtype, g.shape)


@op("aten.view_as_complex.default", "aten.view_as_complex_copy.default")
def view_as_complex(g: Builder, value: Value) -> Value:
    last = value.rank - 1
    parts = [g.reshape(g.cut(value, last, at, at + 1), g.shape) for at in (0, 1)]
    return g.op("stablehlo.complex", parts, g.dtype, g.shape)


@op("aten.view_as_real.default")
def view_as_real(g: Builder, value: Value) -> Value:
    parts = [g.op(f"stablehlo.{part}", [value], g.dtype, value.shape) for part in ("real", "imag")]
    return g.concatenate([g.reshape(part, (*value.shape, 1)) for part in parts], value.rank)


@op("aten.hardshrink_backward.default", "aten.softshrink_backward.default")
def shrink_backward(g: Builder, gradient: Value, value: Value, edge: Any) -> Value:
    low, high = g.full(-edge, value.dtype), g.full(edge, value.dtype)
    within = g.binary("and", g.compare(value, low, "GE"), g.compare(value, high, "LE"))
    return g.select(within, g.full(0, gradient.dtype), gradient)
