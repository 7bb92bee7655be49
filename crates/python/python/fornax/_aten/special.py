"""Functions by series, and by the bits of floats."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch

from .builder import Builder, Value
from .table import op

# Chebyshev series of the modified Bessel functions of order 0 and 1, worked out with mpmath. From 0 to 8 that of
# exp(-x) I(x) / x^order in x / 4 - 1, above of exp(-x) I(x) sqrt(x) in 16 / x - 1.
_NEAR_0 = (
    0.6767952744094761, -0.3046826723431984, 0.17162090152220877, -0.09490109704804764, 0.049305284239670705,
    -0.02373741480589947, 0.010546460394594998, -0.004324309995050576, 0.0016394756169413357, -0.0005763755745385824,
    0.00018850288509584165, -5.754195010082104e-05, 1.6448448070728896e-05, -4.4167383584587505e-06,
    1.1173875391201037e-06, -2.670793853940612e-07, 6.046995022541919e-08, -1.300025009986248e-08,
    2.6598237246823866e-09, -5.189795601635263e-10, 9.675809035373237e-11, -1.7268262914415555e-11,
    2.95505266312964e-12, -4.85644678311193e-13, 7.676185498604936e-14, -1.1685332877993451e-14,
    1.715391285555133e-15, -2.431279846547955e-16, 3.3307945188222384e-17,
)
_FAR_0 = (
    0.8044904110141088, 0.0033691164782556943, 6.889758346916825e-05, 2.8913705208347567e-06, 2.0489185894690636e-07,
    2.266668990498178e-08, 3.396232025708386e-09, 4.94060238822497e-10, 1.1889147107846437e-11,
    -3.1499165279632416e-11, -1.3215811840447713e-11, -1.7941785315068062e-12, 7.180124451383666e-13,
    3.8527783827421426e-13, 1.54008621752141e-14, -4.150569347287222e-14, -9.554846698828307e-15,
    3.8116806693526224e-15, 1.7725601330565263e-15, -3.425485619677219e-16, -2.8276239805165836e-16,
    3.461222867697461e-17, 4.46562142029676e-17,
)
_NEAR_1 = (
    0.25258718644363365, -0.17641651835783406, 0.1026436586898471, -0.05294598120809499, 0.024726449030626516,
    -0.010564084894626197, 0.004156422944312888, -0.0015135724506312532, 0.0005122859561685758,
    -0.00016176081582589674, 4.781565107550054e-05, -1.3273163656039436e-05, 3.4702513081376785e-06,
    -8.568720264695455e-07, 2.0032947535521353e-07, -4.445059128796328e-08, 9.381537386495773e-09,
    -1.8872497517228294e-09, 3.625590281552117e-10, -6.663489723502027e-11, 1.1736186298890901e-11,
    -1.9839743977649436e-12, 3.223793365945575e-13, -5.042185504727912e-14, 7.600684294735408e-15,
    -1.1055969477353862e-15, 1.5536319577362005e-16, -2.111421214358166e-17,
)
_FAR_1 = (
    0.7785762350182801, -0.009761097491361469, -0.00011058893876262371, -3.882564808877691e-06,
    -2.512236237870209e-07, -2.6314688468895196e-08, -3.835380385964237e-09, -5.589743462196584e-10,
    -1.8974958123505413e-11, 3.2526035830154884e-11, 1.412580743661378e-11, 2.0356285441470896e-12,
    -7.198551776245908e-13, -4.0835511110921974e-13, -2.1015418427726643e-14, 4.2724400167119517e-14,
    1.0420276984128804e-14, -3.8144030724370075e-15, -1.8803547755107825e-15, 3.3082023109209285e-16,
    2.96262899764595e-16, -3.209525921993424e-17, -4.650305368489358e-17,
)


def _wide(dtype: torch.dtype) -> torch.dtype:
    return torch.float64 if dtype is torch.float64 else torch.float32


def _chebyshev(g: Builder, series: Sequence[float], at: Value) -> Value:
    """The sum of a series, from its last term on; the first counts half."""
    least = 1e-18 if at.dtype is torch.float64 else 1e-9
    twice = g.binary("add", at, at)
    later, made = g.full(0, at.dtype, at.shape), g.full(0, at.dtype, at.shape)
    for term in [term for term in series[1:] if abs(term) > least][::-1]:
        both = g.binary("subtract", g.binary("multiply", twice, made), later)
        later, made = made, g.binary("add", both, g.full(term, at.dtype))
    both = g.binary("subtract", g.binary("multiply", at, made), later)
    return g.binary("add", both, g.full(series[0] / 2, at.dtype))


def _bessel(order: int, is_scaled: bool) -> Any:
    """The modified function of the first kind; scaled by exp(-|x|)."""
    near, far = (_NEAR_1, _FAR_1) if order else (_NEAR_0, _FAR_0)

    def write(g: Builder, value: Value) -> Value:
        value = g.convert(value, _wide(g.dtype))
        size, dtype = g.unary("abs", value), value.dtype
        one = g.full(1, dtype)
        is_near = g.compare(size, g.full(8, dtype), "LE")
        low = g.select(is_near, size, one)
        low = g.binary("subtract", g.binary("divide", low, g.full(4, dtype)), one)
        low = _chebyshev(g, near, low)
        high = g.select(is_near, g.full(8, dtype), size)
        above = _chebyshev(g, far, g.binary("subtract", g.binary("divide", g.full(16, dtype), high), one))
        above = g.binary("multiply", above, g.unary("rsqrt", high))
        if order:
            low = g.binary("multiply", low, value)
            above = g.select(g.compare(value, g.full(0, dtype), "LT"), g.unary("negate", above), above)
        made = g.select(is_near, low, above)
        if not is_scaled:
            made = g.binary("multiply", made, g.unary("exponential", size))
        return g.convert(made, g.dtype)

    return write


op("aten.i0.default", "aten.special_i0.default")(_bessel(0, False))
op("aten.special_i0e.default")(_bessel(0, True))
op("aten.special_i1.default")(_bessel(1, False))
op("aten.special_i1e.default")(_bessel(1, True))


def _of_cotangent(order: int) -> list[int]:
    """Coefficients, that of the highest power first, of the polynomial P in c = cot(pi x) for which a derivative of
    pi c is pi^(order + 1) P(c). The first is -(1 + c^2), for c' = -pi (1 + c^2)."""
    powers = [0, 1]
    for _ in range(order):
        slope = [at * factor for at, factor in enumerate(powers)][1:]
        powers = [-(a + b) for a, b in zip([*slope, 0, 0], [0, 0, *slope])]
    return powers[::-1]


@op("aten.digamma.default")
def digamma(g: Builder, value: Value) -> Value:
    """At 0 the infinity of the other sign, at the other poles NaN, as PyTorch has it."""
    value = g.convert(value, g.dtype)
    pole = g.binary("divide", g.full(-1, g.dtype), value)
    return g.select(g.compare(value, g.full(0, g.dtype), "EQ"), pole, g.unary("chlo.digamma", value))


@op("aten.special_zeta.default", "aten.special_zeta.self_scalar", "aten.special_zeta.other_scalar")
def zeta(g: Builder, order: Any, value: Any) -> Value:
    order, value = (g.broadcast(g.tensor(one, g.dtype), g.shape) for one in (order, value))
    return g.binary("chlo.zeta", order, value)


@op("aten.polygamma.default")
def polygamma(g: Builder, order: int, value: Value) -> Value:
    """A derivative of digamma; below 1/2 that of 1 - x, with the sign of the order, less that of pi cot(pi x)."""
    if order == 0:
        return digamma(g, value)
    dtype = _wide(g.dtype)
    value, one = g.convert(value, dtype), g.full(1, dtype)
    is_low = g.compare(value, g.full(0.5, dtype), "LT")
    above = g.select(is_low, g.binary("subtract", one, value), value)
    made = g.binary("chlo.polygamma", g.full(order, dtype, value.shape), above)
    # The angle from the nearest whole number, in which nothing is lost; the place itself has a pole.
    part = g.binary("subtract", value, g.unary("round_nearest_even", value))
    angle = g.binary("multiply", part, g.full(math.pi, dtype))
    cotangent = g.binary("divide", g.unary("cosine", angle), g.unary("sine", angle))
    first, *others = _of_cotangent(order)
    curve = g.full(first, dtype, value.shape)
    for factor in others:
        curve = g.binary("add", g.binary("multiply", curve, cotangent), g.full(factor, dtype))
    curve = g.binary("multiply", curve, g.full(math.pi ** (order + 1), dtype))
    mirrored = g.binary("subtract", made if order % 2 == 0 else g.unary("negate", made), curve)
    return g.convert(g.select(is_low, mirrored, made), g.dtype)


# Bits of the fraction of a float, and integers of its width.
_FRACTION = {torch.float16: 10, torch.bfloat16: 7, torch.float32: 23, torch.float64: 52}
_WHOLE = {2: torch.int16, 4: torch.int32, 8: torch.int64}


def _bits(g: Builder, value: Value) -> Value:
    return g.op("stablehlo.bitcast_convert", [value], _WHOLE[value.dtype.itemsize], value.shape)


@op("aten.nextafter.default")
def nextafter(g: Builder, a: Value, b: Value) -> Value:
    """The float next to `a` in the direction of `b`: its bits as an integer, one more or less."""
    a, b = (g.broadcast(g.convert(part, g.dtype), g.shape) for part in (a, b))
    zero, whole = g.full(0, a.dtype), _WHOLE[a.dtype.itemsize]
    is_more = g.compare(g.compare(a, b, "LT"), g.compare(a, zero, "GT"), "EQ")
    step = g.select(is_more, g.full(1, whole), g.full(-1, whole))
    moved = g.binary("add", _bits(g, a), step)
    # From 0 to the least number of the sign of `b`.
    sign = g.binary("and", _bits(g, b), g.full(torch.iinfo(whole).min, whole))
    least = g.binary("or", sign, g.full(1, whole))
    moved = g.select(g.compare(a, zero, "EQ"), least, moved)
    moved = g.op("stablehlo.bitcast_convert", [moved], a.dtype, a.shape)
    moved = g.select(g.compare(a, b, "EQ"), b, moved)
    moved = g.select(g.compare(b, b, "NE"), b, moved)
    return g.select(g.compare(a, a, "NE"), a, moved)


@op("aten.frexp.Tensor")
def frexp(g: Builder, value: Value) -> tuple[Value, Value]:
    """The fraction, of a size from 1/2 to 1, and the power of 2."""
    dtype = value.dtype
    value = g.convert(value, _wide(dtype))
    bits, width = _FRACTION[value.dtype], value.dtype.itemsize * 8
    whole, ones = _WHOLE[value.dtype.itemsize], (1 << (width - 1 - bits)) - 1
    bias = ones // 2 - 1
    size = g.unary("abs", value)
    # Numbers with fewer bits than the others are made larger first.
    is_small = g.compare(size, g.full(torch.finfo(value.dtype).tiny, value.dtype), "LT")
    scaled = g.select(is_small, g.binary("multiply", value, g.full(2.0**bits, value.dtype)), value)
    found = _bits(g, scaled)
    shift = g.full(bits, whole, value.shape)
    power = g.binary("and", g.binary("shift_right_logical", found, shift), g.full(ones, whole))
    power = g.binary("subtract", power, g.full(bias, whole))
    power = g.binary("subtract", power, g.select(is_small, g.full(bits, whole), g.full(0, whole)))
    kept = g.binary("and", found, g.full(~(ones << bits), whole))
    part = g.binary("or", kept, g.full(bias << bits, whole))
    part = g.op("stablehlo.bitcast_convert", [part], value.dtype, value.shape)
    has_none = g.binary("or", g.compare(size, g.full(0, value.dtype), "EQ"),
                        g.unary("not", g.compare(size, g.full(math.inf, value.dtype), "LT")))
    part = g.select(has_none, value, part)
    power = g.select(has_none, g.full(0, whole), power)
    return g.convert(part, dtype), g.convert(power, torch.int32)
