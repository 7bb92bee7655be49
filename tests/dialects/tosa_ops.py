"""TOSA ops as text, with numpy's and torch's answers."""

import math

import numpy as np
import torch
import torch.nn.functional as F

RNG = np.random.default_rng(7)
NAMES = {"float32": "f32", "float16": "f16", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "bool": "i1"}


def ty(array):
    return "tensor<%s%s>" % ("".join("%dx" % n for n in array.shape), NAMES[str(array.dtype)])


def number(x):
    return "true" if x is True else "false" if x is False else repr(x)


class Model:
    """A function in generic form: arguments, then one op after the other."""

    def __init__(self):
        self.inputs, self.lines, self.outputs, self.count = [], [], [], 0

    def input(self, array):
        self.inputs.append(array)
        return ("%%a%d" % (len(self.inputs) - 1), ty(array))

    def op(self, name, operands, attributes, results):
        """`results` are types; gives (name, type) of each."""
        names = []
        for _ in results:
            names.append("%%%d" % self.count)
            self.count += 1
        attributes = "<{%s}> " % attributes if attributes else ""
        self.lines.append('  %s = "tosa.%s"(%s) %s: (%s) -> %s' % (
            ", ".join(names), name, ", ".join(n for n, _ in operands), attributes, ", ".join(t for _, t in operands),
            results[0] if len(results) == 1 else "(%s)" % ", ".join(results)))
        return [(n, t) for n, t in zip(names, results)]

    def const(self, array):
        values = array.reshape(-1).tolist()
        body = number(values[0]) if len(set(values)) == 1 else "[%s]" % ", ".join(map(number, values))
        if array.ndim > 1 and len(set(values)) > 1:
            raise ValueError("constants are flat")
        return self.op("const", [], "values = dense<%s> : %s" % (body, ty(array)), [ty(array)])[0]

    def shape(self, *values):
        return self.op("const_shape", [], "values = dense<[%s]> : tensor<%dxindex>" % (", ".join(map(str, values)), len(values)),
                       ["!tosa.shape<%d>" % len(values)])[0]

    def out(self, name, operands, attributes, *arrays):
        arrays = [np.asarray(a) for a in arrays]
        made = self.op(name, operands, attributes, [ty(a) for a in arrays])
        self.outputs += [(n, t, a) for (n, t), a in zip(made, arrays)]
        return made

    def done(self):
        text = "func.func @main(%s) -> (%s) {\n%s\n  return %s : %s\n}\n" % (
            ", ".join("%%a%d: %s" % (i, ty(a)) for i, a in enumerate(self.inputs)), ", ".join(t for _, t, _ in self.outputs),
            "\n".join(self.lines), ", ".join(n for n, _, _ in self.outputs), ", ".join(t for _, t, _ in self.outputs))
        return text, self.inputs, [a for _, _, a in self.outputs]


def normal(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


def whole(dtype, *shape, low=None, high=None):
    info = np.iinfo(dtype)
    return RNG.integers(info.min if low is None else low, info.max + 1 if high is None else high, shape).astype(dtype)


def elementwise():
    m = Model()
    x, y = normal(3, 1, 5), normal(1, 7, 5)
    p = np.abs(normal(3, 1, 5)) + np.float32(0.25)
    y[0, 2, 3] = np.nan
    a, b, c = m.input(x), m.input(y), m.input(p)
    m.out("add", [a, b], "", x + y)
    m.out("sub", [a, b], "", x - y)
    m.out("mul", [a, b, m.const(np.zeros(1, np.int8))], "", x * y)
    m.out("pow", [c, b], "", p ** y)
    m.out("maximum", [a, b], "nan_mode = #tosa.nan_mode<PROPAGATE>", np.maximum(x, y))
    m.out("minimum", [a, b], "nan_mode = #tosa.nan_mode<IGNORE>", np.fmin(x, y))
    m.out("greater", [a, b], "", x > y)
    m.out("greater_equal", [a, b], "", x >= y)
    m.out("equal", [a, a], "", x == x)
    chosen = m.op("greater", [a, b], "", [ty(x > y)])[0]
    m.out("select", [chosen, a, b], "", np.where(x > y, x, y))
    m.out("clamp", [b], "min_val = -0.5 : f32, max_val = 0.75 : f32, nan_mode = #tosa.nan_mode<IGNORE>", np.fmin(np.fmax(y, np.float32(-0.5)), np.float32(0.75)))
    for name, f in (("abs", np.abs), ("ceil", np.ceil), ("floor", np.floor), ("cos", np.cos), ("sin", np.sin), ("exp", np.exp), ("tanh", np.tanh)):
        m.out(name, [a], "", f(x))
    m.out("erf", [a], "", np.vectorize(math.erf)(x).astype(np.float32))
    m.out("sigmoid", [a], "", 1 / (1 + np.exp(-x)))
    for name, f in (("log", np.log), ("reciprocal", lambda v: 1 / v), ("rsqrt", lambda v: 1 / np.sqrt(v))):
        m.out(name, [c], "", f(p).astype(np.float32))
    zero = m.const(np.zeros(1, np.float32))
    m.out("negate", [a, zero, zero], "", -x)
    m.out("cast", [a], "", np.rint(x * 1).astype(np.int32))
    return m.done()


def integers():
    m = Model()
    x, y = whole(np.int32, 4, 1), whole(np.int32, 1, 3, low=-9, high=10)
    y[y == 0] = 7
    s = np.array([[0, 3, 31, 1]], np.int32).reshape(4, 1)
    a, b, shift = m.input(x), m.input(y), m.input(s)
    m.out("intdiv", [a, b], "", np.fix(x / y).astype(np.int32))
    last = np.where(s > 0, (x >> np.maximum(s - 1, 0)) & 1, 0)
    m.out("arithmetic_right_shift", [a, shift], "round = true", (x >> s) + last)
    m.out("arithmetic_right_shift", [a, shift], "round = false", x >> s)
    m.out("logical_right_shift", [a, shift], "", (x.view(np.uint32) >> s.astype(np.uint32)).view(np.int32))
    m.out("logical_left_shift", [a, shift], "", (x.view(np.uint32) << s.astype(np.uint32)).view(np.int32))
    m.out("bitwise_and", [a, b], "", x & y)
    m.out("bitwise_or", [a, b], "", x | y)
    m.out("bitwise_xor", [a, b], "", x ^ y)
    m.out("bitwise_not", [a], "", ~x)
    m.out("clz", [b], "", np.vectorize(lambda v: 32 - int(v).bit_length() if v >= 0 else 0)(y).astype(np.int32))
    m.out("mul", [a, b, m.const(np.full(1, 5, np.int8))], "", ((x.astype(np.int64) * y + 16) >> 5).astype(np.int32))
    u, v = whole(np.int8, 2, 5), whole(np.int8, 2, 5)
    c, d = m.input(u), m.input(v)
    m.out("mul", [c, d, m.const(np.zeros(1, np.int8))], "", u.astype(np.int32) * v)
    m.out("negate", [c, m.const(np.full(1, 3, np.int8)), m.const(np.full(1, -7, np.int8))], "",
          np.clip(-7 - (u.astype(np.int64) - 3), -128, 127).astype(np.int8))
    entries = whole(np.int8, 256)
    m.out("table", [c, m.input(entries)], "", entries[u.astype(np.int64) + 128])
    wide, steps = whole(np.int16, 3, 4), whole(np.int16, 513)
    at = wide.astype(np.int64) + 32768
    base, behind = steps[at >> 7].astype(np.int64), steps[(at >> 7) + 1].astype(np.int64)
    m.out("table", [m.input(wide), m.input(steps)], "", ((base << 7) + (behind - base) * (at & 127)).astype(np.int32))
    f = np.array([-200.0, -1.5, -0.5, 0.5, 1.5, 2.5, 126.6, 1e6, -0.0], np.float32)
    m.out("cast", [m.input(f)], "", np.clip(np.rint(f), -128, 127).astype(np.int8))
    m.out("cast", [c], "", u.astype(np.float32))
    return m.done()


def torch_conv(x, w, **kw):
    """NHWC images, OHWI kernels, in f64."""
    x, w = torch.from_numpy(x.astype(np.float64)).movedim(-1, 1), torch.from_numpy(w.astype(np.float64)).movedim(-1, 1)
    top, bottom, left, right = kw.pop("pad")
    x = F.pad(x, (left, right, top, bottom))
    return F.conv2d(x, w, **kw).movedim(1, -1).numpy()


def apply_scale(value, multiplier, shift, double):
    round_ = np.int64(1) << (shift - 1)
    if double:
        round_ = np.where(shift > 31, np.where(value >= 0, round_ + (1 << 30), round_ - (1 << 30)), round_)
    return (value * multiplier + round_) >> shift


def reciprocal_scale(n):
    k = (n - 1).bit_length()
    return ((1 << 30) + 1 << k) // n, 30 + k


def pooled(x, kernel, stride, pad):
    """(values, window) of every place, the window clipped to the image."""
    h = (x.shape[1] + pad[0] + pad[1] - kernel[0]) // stride[0] + 1
    w = (x.shape[2] + pad[2] + pad[3] - kernel[1]) // stride[1] + 1
    for i in range(h):
        for j in range(w):
            y0, x0 = i * stride[0] - pad[0], j * stride[1] - pad[2]
            yield i, j, x[:, max(y0, 0):y0 + kernel[0], max(x0, 0):x0 + kernel[1]], (h, w)


def quantised():
    m = Model()
    x, w, b = whole(np.int8, 2, 7, 5, 3), whole(np.int8, 4, 3, 2, 3), whole(np.int32, 4, low=-1000, high=1000)
    a = m.input(x)
    zx, zw = m.const(np.full(1, 11, np.int8)), m.const(np.full(1, -4, np.int8))
    where = "acc_type = i32, dilation = array<i64: 1, 2>, pad = array<i64: 1, 1, 2, 1>, stride = array<i64: 2, 1>"
    conv = torch_conv(x.astype(np.int64) - 11, w.astype(np.int64) + 4, pad=(1, 1, 2, 1), stride=(2, 1), dilation=(1, 2)) + b
    conv = conv.astype(np.int64)
    made = m.out("conv2d", [a, m.input(w), m.input(b), zx, zw], where, conv.astype(np.int32))[0]
    mult, shift = whole(np.int32, 4, low=1 << 30, high=(1 << 31) - 1), np.array([33, 38, 40, 36], np.int8)
    scaled = apply_scale(conv, mult.astype(np.int64), shift.astype(np.int64), True) - 5
    attrs = "input_unsigned = false, output_unsigned = false, per_channel = true, rounding_mode = #tosa.rounding_mode<DOUBLE_ROUND>, scale32 = true"
    m.out("rescale", [made, m.input(mult), m.input(shift), m.const(np.zeros(1, np.int32)), m.const(np.full(1, -5, np.int8))], attrs,
          np.clip(scaled, -128, 127).astype(np.int8))
    attrs = "input_unsigned = true, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true"
    widened = apply_scale(x.view(np.uint8).astype(np.int64) - 128, np.int64(1 << 30), np.int64(28), False)
    one = [m.const(np.full(1, 1 << 30, np.int32)), m.const(np.full(1, 28, np.int8)), m.const(np.full(1, -128, np.int8)), m.const(np.zeros(1, np.int32))]
    m.out("rescale", [a, *one], attrs, widened.astype(np.int32))
    deep = whole(np.int8, 3, 2, 3, 2)
    at = deep.transpose(2, 3, 0, 1).reshape(6, 1, 3, 2).astype(np.float64)
    image = torch.from_numpy(x.astype(np.float64) - 11).movedim(-1, 1)
    expected = F.conv2d(F.pad(image, (1, 0, 0, 1)), torch.from_numpy(at), groups=3).movedim(1, -1).numpy()
    m.out("depthwise_conv2d", [a, m.input(deep), m.const(np.zeros(1, np.int32)), zx, m.const(np.zeros(1, np.int8))],
          "acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 1, 1, 0>, stride = array<i64: 1, 1>", expected.astype(np.int32))
    p, q = whole(np.int8, 2, 3, 9), whole(np.int8, 2, 9, 4)
    m.out("matmul", [m.input(p), m.input(q), zx, zw], "", np.matmul(p.astype(np.int32) - 11, q.astype(np.int32) + 4))
    mean = None
    for i, j, part, shape in pooled(x.astype(np.int64) + 2, (3, 2), (2, 2), (1, 1, 0, 1)):
        mean = np.zeros((2, *shape, 3), np.int64) if mean is None else mean
        mul_, sh = reciprocal_scale(part.shape[1] * part.shape[2])
        mean[:, i, j] = ((part.sum((1, 2)) * mul_ + (1 << (sh - 1))) >> sh) + 9
    m.out("avg_pool2d", [a, m.const(np.full(1, -2, np.int8)), m.const(np.full(1, 9, np.int8))],
          "acc_type = i32, kernel = array<i64: 3, 2>, pad = array<i64: 1, 1, 0, 1>, stride = array<i64: 2, 2>", np.clip(mean, -128, 127).astype(np.int8))
    return m.done()


def wide():
    """Sums of 48 bits: products of i16, whose results no i32 holds, and their rescaling by 16-bit factors."""
    m = Model()
    x, w, b = whole(np.int16, 1, 6, 5, 24), whole(np.int8, 130, 3, 2, 24), RNG.integers(-(1 << 40), 1 << 40, 130)
    nothing = [m.const(np.zeros(1, np.int16)), m.const(np.zeros(1, np.int8))]
    conv = torch_conv(x.astype(np.int64), w.astype(np.int64), pad=(1, 0, 0, 1), stride=(1, 2), dilation=(1, 1)).astype(np.int64) + b
    out = "tensor<%sxi48>" % "x".join(map(str, conv.shape))
    bias = m.op("const", [], "values = dense<[%s]> : tensor<130xi48>" % ", ".join(map(str, b)), ["tensor<130xi48>"])[0]
    a = m.input(x)
    sums = m.op("conv2d", [a, m.input(w), bias, *nothing],
                "acc_type = i48, dilation = array<i64: 1, 1>, pad = array<i64: 1, 0, 0, 1>, stride = array<i64: 1, 2>", [out])[0]
    zero = m.op("const", [], "values = dense<0> : tensor<1xi48>", ["tensor<1xi48>"])[0]
    mult, shift = whole(np.int16, 130, low=1 << 14, high=(1 << 15) - 1), np.full(130, 40, np.int8)
    scaled = apply_scale(conv, mult.astype(np.int64), shift.astype(np.int64), False)
    m.out("rescale", [sums, m.input(mult), m.input(shift), zero, nothing[0]],
          "input_unsigned = false, output_unsigned = false, per_channel = true, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = false",
          np.clip(scaled, -32768, 32767).astype(np.int16))
    p, q = whole(np.int16, 2, 3, 9), whole(np.int16, 2, 9, 4)
    product = m.op("matmul", [m.input(p), m.input(q), nothing[0], nothing[0]], "", ["tensor<2x3x4xi48>"])[0]
    m.outputs.append((*product, np.matmul(p.astype(np.int64), q.astype(np.int64))))
    return m.done()


def windows():
    m = Model()
    x = normal(2, 9, 8, 3)
    a, zero = m.input(x), m.const(np.zeros(1, np.float32))
    w, b = normal(5, 3, 2, 3), normal(5)
    m.out("conv2d", [a, m.input(w), m.input(b), zero, zero], "acc_type = f32, dilation = array<i64: 2, 1>, pad = array<i64: 1, 0, 0, 3>, stride = array<i64: 1, 3>",
          (torch_conv(x, w, pad=(1, 0, 0, 3), stride=(1, 3), dilation=(2, 1)) + b).astype(np.float32))
    deep, bias = normal(2, 3, 3, 3), normal(9)
    kernel = torch.from_numpy(deep.transpose(2, 3, 0, 1).reshape(9, 1, 2, 3))
    image = torch.from_numpy(x).movedim(-1, 1)
    expected = F.conv2d(F.pad(image, (1, 1, 1, 0)), kernel, stride=(2, 1), groups=3).movedim(1, -1).numpy() + bias
    m.out("depthwise_conv2d", [a, m.input(deep), m.input(bias), zero, zero], "acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 0, 1, 1>, stride = array<i64: 2, 1>", expected)
    up, bias = normal(4, 3, 2, 3), normal(4)
    expected = F.conv_transpose2d(image, torch.from_numpy(up.transpose(3, 0, 1, 2).copy()), stride=(2, 3)).movedim(1, -1).numpy() + bias
    expected = np.pad(expected, ((0, 0), (0, 1), (0, 0), (0, 0)))[:, :, 1:]
    expected[:, -1] = bias
    m.out("transpose_conv2d", [a, m.input(up), m.input(bias), zero, zero], "acc_type = f32, out_pad = array<i64: 0, 1, -1, 0>, stride = array<i64: 2, 3>", expected)
    v, w3, b3 = normal(1, 4, 5, 6, 2), normal(3, 2, 3, 1, 2), normal(3)
    expected = F.conv3d(F.pad(torch.from_numpy(v).movedim(-1, 1), (0, 1, 1, 0, 0, 2)), torch.from_numpy(w3.transpose(0, 4, 1, 2, 3).copy()), stride=(2, 1, 2)).movedim(1, -1).numpy() + b3
    m.out("conv3d", [m.input(v), m.input(w3), m.input(b3), zero, zero], "acc_type = f32, dilation = array<i64: 1, 1, 1>, pad = array<i64: 0, 2, 1, 0, 0, 1>, stride = array<i64: 2, 1, 2>", expected)
    means, largest = None, None
    for i, j, part, shape in pooled(x, (3, 3), (2, 2), (1, 1, 2, 1)):
        means = np.zeros((2, *shape, 3), np.float32) if means is None else means
        largest = np.zeros((2, *shape, 3), np.float32) if largest is None else largest
        means[:, i, j], largest[:, i, j] = part.mean((1, 2)), part.max((1, 2))
    m.out("avg_pool2d", [a, zero, zero], "acc_type = f32, kernel = array<i64: 3, 3>, pad = array<i64: 1, 1, 2, 1>, stride = array<i64: 2, 2>", means)
    m.out("max_pool2d", [a], "kernel = array<i64: 3, 3>, nan_mode = #tosa.nan_mode<PROPAGATE>, pad = array<i64: 1, 1, 2, 1>, stride = array<i64: 2, 2>", largest)
    p, q = normal(3, 5, 7), normal(3, 7, 2)
    m.out("matmul", [m.input(p), m.input(q), zero, zero], "", p @ q)
    return m.done()


def resized(x, out, scale, offset, nearest):
    result = np.zeros((x.shape[0], *out, x.shape[3]), np.float64)
    for i in range(out[0]):
        for j in range(out[1]):
            ways = []
            for d, place in ((0, i), (1, j)):
                at = place * scale[2 * d + 1] + offset[d]
                n = scale[2 * d]
                low = at // n
                clip = lambda v: min(max(v, 0), x.shape[d + 1] - 1)
                ways.append((clip(low), clip(low + 1), at - low * n, n))
            (y0, y1, ry, ny), (x0, x1, rx, nx) = ways
            if nearest:
                result[:, i, j] = x[:, y1 if 2 * ry >= ny else y0, x1 if 2 * rx >= nx else x0]
                continue
            top = x[:, y0, x0] * (nx - rx) + x[:, y0, x1] * rx
            low = x[:, y1, x0] * (nx - rx) + x[:, y1, x1] * rx
            result[:, i, j] = top * (ny - ry) + low * ry
    return result


def resize():
    m = Model()
    x, u = normal(2, 4, 3, 2), whole(np.int8, 1, 4, 5, 2)
    a, b = m.input(x), m.input(u)
    for scale, offset, border, out in (((4, 2, 6, 2), (0, 0), (2, 4), (8, 9)), ((16, 9, 5, 3), (-3, 1), (5, 2), (6, 5))):
        for value, array in ((a, x), (b, u)):
            # As many as the specification gives: ((size - 1) * n - offset + border) / d + 1.
            got = [((array.shape[d + 1] - 1) * scale[2 * d] - offset[d] + border[d]) // scale[2 * d + 1] + 1 for d in range(2)]
            fit = [border[d] - ((array.shape[d + 1] - 1) * scale[2 * d] - offset[d] + border[d]) % scale[2 * d + 1] for d in range(2)]
            shapes = [m.shape(*scale), m.shape(*offset), m.shape(*fit)]
            exact = resized(array.astype(np.float64), got, scale, offset, True)
            m.out("resize", [value, *shapes], "mode = #tosa.resize_mode<NEAREST_NEIGHBOR>", exact.astype(array.dtype))
            exact = resized(array.astype(np.float64), got, scale, offset, False)
            exact = exact / (scale[0] * scale[2]) if array is x else exact
            m.out("resize", [value, *shapes], "mode = #tosa.resize_mode<BILINEAR>", exact.astype(np.float32 if array is x else np.int32))
    return m.done()


def moves():
    m = Model()
    x = normal(3, 4, 5)
    x[1, 2, 3] = np.nan
    a = m.input(x)
    m.out("pad", [a, m.shape(1, 0, 0, 2, 3, 1), m.const(np.full(1, 2.5, np.float32))], "", np.pad(x, ((1, 0), (0, 2), (3, 1)), constant_values=2.5))
    m.out("slice", [a, m.shape(1, 0, 2), m.shape(2, 3, 2)], "", x[1:3, 0:3, 2:4])
    m.out("tile", [a, m.shape(2, 1, 3)], "", np.tile(x, (2, 1, 3)))
    m.out("reverse", [a], "axis = 1 : i32", x[:, ::-1])
    m.out("transpose", [a], "perms = array<i32: 2, 0, 1>", x.transpose(2, 0, 1))
    m.out("concat", [a, a, a], "axis = 2 : i32", np.concatenate([x, x, x], 2))
    m.out("reshape", [a, m.shape(5, 12)], "", x.reshape(5, 12))
    values, at = normal(2, 6, 3), np.array([[5, 0, 0, 2], [1, 1, 3, 4]], np.int32)
    v, i = m.input(values), m.input(at)
    m.out("gather", [v, i], "", np.stack([values[n, at[n]] for n in range(2)]))
    places, new = np.array([[5, 0, 2], [1, 3, 4]], np.int32), normal(2, 3, 3)
    written = values.copy()
    for n in range(2):
        written[n, places[n]] = new[n]
    m.out("scatter", [v, m.input(places), m.input(new)], "", written)
    m.out("argmax", [a], "axis = 2 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>", np.argmax(x, 2).astype(np.int32))
    m.out("argmax", [a], "axis = 0 : i32, nan_mode = #tosa.nan_mode<IGNORE>", np.nanargmax(x, 0).astype(np.int32))
    for name, mode, f in (("max", "PROPAGATE", np.max), ("max", "IGNORE", np.nanmax), ("min", "IGNORE", np.nanmin)):
        m.out("reduce_" + name, [a], "axis = 1 : i32, nan_mode = #tosa.nan_mode<%s>" % mode, f(x, 1, keepdims=True))
    m.out("reduce_sum", [v], "axis = 1 : i32", values.sum(1, keepdims=True))
    m.out("reduce_product", [v], "axis = 2 : i32", values.prod(2, keepdims=True))
    flags = RNG.integers(0, 2, (3, 4)).astype(bool)
    f = m.input(flags)
    m.out("reduce_all", [f], "axis = 1 : i32", flags.all(1, keepdims=True))
    m.out("reduce_any", [f], "axis = 0 : i32", flags.any(0, keepdims=True))
    m.out("logical_not", [f], "", ~flags)
    return m.done()


def transforms():
    m = Model()
    re, im = normal(2, 4, 8), normal(2, 4, 8)
    a, b = m.input(re), m.input(im)
    for inverse in (False, True):
        done = np.fft.ifft2(re + 1j * im) * 32 if inverse else np.fft.fft2(re + 1j * im)
        m.out("fft2d", [a, b], "inverse = %s" % str(inverse).lower(), done.real.astype(np.float32), done.imag.astype(np.float32))
    done = np.fft.rfft2(re)
    m.out("rfft2d", [a], "", done.real.astype(np.float32), done.imag.astype(np.float32))
    return m.done()


CONTROL = """module {
  tosa.variable @count = dense<[1, 2, 3]> : tensor<3xi32>
  func.func @main(%x: tensor<3xi32>, %c: tensor<i1>) -> (tensor<3xi32>, tensor<3xi32>, tensor<3xi32>) {
    %v = tosa.variable_read @count : tensor<3xi32>
    %s = tosa.add %v, %x : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    tosa.variable_write @count, %s : tensor<3xi32>
    %r = tosa.variable_read @count : tensor<3xi32>
    %b = "tosa.cond_if"(%c, %x, %r) ({
    ^bb0(%p: tensor<3xi32>, %q: tensor<3xi32>):
      %0 = tosa.sub %p, %q : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
      tosa.yield %0 : tensor<3xi32>
    }, {
    ^bb0(%p: tensor<3xi32>, %q: tensor<3xi32>):
      tosa.yield %p : tensor<3xi32>
    }) : (tensor<i1>, tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    %limit = "tosa.const"() <{values = dense<100> : tensor<3xi32>}> : () -> tensor<3xi32>
    %w = "tosa.while_loop"(%x) ({
    ^bb0(%p: tensor<3xi32>):
      %0 = tosa.greater %limit, %p : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
      %1 = tosa.reduce_all %0 {axis = 0 : i32} : (tensor<3xi1>) -> tensor<1xi1>
      %n = tosa.const_shape {values = dense<> : tensor<0xindex>} : () -> !tosa.shape<0>
      %2 = tosa.reshape %1, %n : (tensor<1xi1>, !tosa.shape<0>) -> tensor<i1>
      tosa.yield %2 : tensor<i1>
    }, {
    ^bb0(%p: tensor<3xi32>):
      %0 = tosa.add %p, %p : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
      tosa.yield %0 : tensor<3xi32>
    }) : (tensor<3xi32>) -> tensor<3xi32>
    return %r, %b, %w : tensor<3xi32>, tensor<3xi32>, tensor<3xi32>
  }
}
"""


def control():
    x, c = np.array([5, 7, 9], np.int32), np.array(True)
    r = x + np.array([1, 2, 3], np.int32)
    w = x.copy()
    while (w < 100).all():
        w = w + w
    return CONTROL, [x, c], [r, x - r, w]


CASES = {"elementwise": elementwise, "integers": integers, "quantised": quantised, "windows": windows, "resize": resize, "moves": moves,
         "transforms": transforms, "control": control, "wide": wide}
