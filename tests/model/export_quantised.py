#!/usr/bin/env python3
"""Writes the cases of tests/numeric whose weights are integers with scales, multiplied by few and by many rows.

    pip install numpy
    python3 tests/model/export_quantised.py

One folder a case, as tests/model/export_goldens.py writes them: model.mlir, in_N.npy, out_N.npy, meta.json. Arguments:
rows, weights, scales, offsets. Numbers are computed in f64 and rounded once.
"""

import numpy as np

from case_folder import save

# Sums of some hundred products that cancel each other.
TOLERANCE = {"f64": 1e-11, "f32": 1e-4, "f16": 2e-3, "bf16": 1e-2}
# A third power of such sums triples what the order of a sum takes from a small one.
OF_CUBES = dict(TOLERANCE, f32=3e-4)
TYPES = {"int8": "i8", "int32": "i32", "uint8": "ui8", "float32": "f32", "float16": "f16"}


def tensor(shape, element):
    return "tensor<%s%s>" % ("".join("%dx" % n for n in shape), element)


class Lines:
    """Lines of a function; values are (name, shape, element)."""

    def __init__(self):
        self.lines = []

    def put(self, text, shape, element):
        name = "%%%d" % len(self.lines)
        self.lines.append("    %s = %s" % (name, text))
        return name, tuple(shape), element

    def elementwise(self, op, *values):
        _, shape, element = values[0]
        return self.put("stablehlo.%s %s : %s" % (op, ", ".join(v[0] for v in values), tensor(shape, element)), shape, element)

    def constant(self, number, like):
        return self.put("stablehlo.constant dense<%s> : %s" % (number, tensor(*like[1:])), *like[1:])

    def convert(self, value, element):
        name, shape, old = value
        if old == element:
            return value
        return self.put("stablehlo.convert %s : (%s) -> %s" % (name, tensor(shape, old), tensor(shape, element)), shape, element)

    def reshape(self, value, shape):
        name, old, element = value
        return self.put("stablehlo.reshape %s : (%s) -> %s" % (name, tensor(old, element), tensor(shape, element)), shape, element)

    def broadcast(self, value, dims, shape):
        name, old, element = value
        text = "stablehlo.broadcast_in_dim %s, dims = %s : (%s) -> %s" % (name, list(dims), tensor(old, element), tensor(shape, element))
        return self.put(text, shape, element)

    def concatenate(self, values, dim):
        shape = list(values[0][1])
        shape[dim] = sum(v[1][dim] for v in values)
        types = ", ".join(tensor(*v[1:]) for v in values)
        names = ", ".join(v[0] for v in values)
        text = "stablehlo.concatenate %s, dim = %d : (%s) -> %s" % (names, dim, types, tensor(shape, values[0][2]))
        return self.put(text, shape, values[0][2])

    def product(self, rows, weights, of_weights, element=None):
        element = element or rows[2]
        shape = (rows[1][0], weights[1][1 - of_weights])
        text = "stablehlo.dot_general %s, %s, contracting_dims = [1] x [%d] : (%s, %s) -> %s" % (
            rows[0], weights[0], of_weights, tensor(*rows[1:]), tensor(*weights[1:]), tensor(shape, element))
        return self.put(text, shape, element)


def write(name, inputs, body, tolerance=TOLERANCE):
    """A case; `body` takes lines and arguments, and gives the result with its numbers."""
    lines = Lines()
    arguments = [("%%arg%d" % i, x.shape, TYPES[x.dtype.name]) for i, x in enumerate(inputs)]
    (result, shape, element), numbers = body(lines, arguments)
    signature = ", ".join("%s: %s" % (a[0], tensor(*a[1:])) for a in arguments)
    ty = tensor(shape, element)
    text = "module @%s {\n  func.func public @main(%s) -> %s {\n%s\n    return %s : %s\n  }\n}\n" % (
        name, signature, ty, "\n".join(lines.lines), result, ty)
    save(name, text, inputs, [numbers.astype(np.float32)], tolerance)


def blocks(name, rows, outputs, shape, *, kind="int8", offset=False, minus=0, after=False, half=None):
    """Weights [outputs, blocks, elements] with a scale, perhaps an offset, for each block; `packed`: two in a byte;
    `half`: the type that rows are rounded to."""
    count, elements = shape
    draw = np.random.default_rng(len(name) + rows + outputs)
    packed = kind == "packed"
    low, high = (-128, 128) if kind == "int8" else (0, 256)
    stored = draw.integers(low, high, (outputs, count, elements // 2 if packed else elements)).astype("uint8" if packed else kind)
    x = draw.normal(size=(rows, count * elements)).astype(np.float32)
    scale = draw.uniform(0.01, 0.1, (outputs, count)).astype(np.float16)
    inputs = [x, stored, scale] + ([draw.normal(size=(outputs, count)).astype(np.float16)] if offset else [])
    whole = np.concatenate([stored & 15, stored >> 4], -1) if packed else stored
    weights = (whole.astype(np.float64) - minus) * scale.astype(np.float64)[..., None]
    if offset:
        weights = weights + inputs[3].astype(np.float64)[..., None]
    multiplied = {None: x, "bf16": rounded(x), "f16": x.astype(np.float16)}[half]
    numbers = multiplied.astype(np.float64) @ weights.reshape(outputs, -1).T
    if after:
        numbers = numbers + x[:, :outputs]
        numbers = numbers * (numbers ** 2).mean(-1, keepdims=True)

    def body(t, a):
        whole = a[1]
        if packed:
            masked = t.elementwise("and", a[1], t.constant(15, a[1]))
            shifted = t.elementwise("shift_right_logical", a[1], t.constant(4, a[1]))
            whole = t.concatenate([masked, shifted], 2)
        value = t.convert(whole, "f32")
        if minus:
            value = t.elementwise("subtract", value, t.constant("%.1f" % minus, value))
        value = t.elementwise("multiply", value, t.broadcast(t.convert(a[2], "f32"), [0, 1], value[1]))
        if offset:
            value = t.elementwise("add", value, t.broadcast(t.convert(a[3], "f32"), [0, 1], value[1]))
        of_rows = t.convert(t.convert(a[0], half), "f32") if half else a[0]
        value = t.product(of_rows, t.reshape(value, (outputs, count * elements)), 1)
        if after:
            own = "stablehlo.slice %s [0:%d, 0:%d] : (%s) -> %s" % (
                a[0][0], rows, outputs, tensor(*a[0][1:]), tensor((rows, outputs), "f32"))
            value = t.elementwise("add", t.put(own, (rows, outputs), "f32"), value)
            square = t.elementwise("multiply", value, value)
            zero = t.put("stablehlo.constant dense<0.0> : tensor<f32>", (), "f32")
            add = "stablehlo.reduce(%s init: %s) applies stablehlo.add across dimensions = [1] : (%s, tensor<f32>) -> %s" % (
                square[0], zero[0], tensor(*square[1:]), tensor((rows,), "f32"))
            mean = t.broadcast(t.put(add, (rows,), "f32"), [0], value[1])
            mean = t.elementwise("divide", mean, t.constant("%.1f" % outputs, mean))
            value = t.elementwise("multiply", value, mean)
        return value, numbers

    write(name, inputs, body, OF_CUBES if after else TOLERANCE)


def rounded(x):
    """To bf16, ties to even."""
    bits = np.asarray(x, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)


def of_two(name, rows, outputs, shape):
    """Weights of six bits: four low ones, two in a byte, plus two high ones, four in a byte."""
    count, elements = shape
    draw = np.random.default_rng(len(name))
    x = draw.normal(size=(rows, count * elements)).astype(np.float32)
    low = draw.integers(0, 256, (outputs, count, elements // 2)).astype(np.uint8)
    high = draw.integers(0, 256, (outputs, count, elements // 4)).astype(np.uint8)
    whole = np.concatenate([low & 15, low >> 4], -1) + 16 * np.concatenate([high >> s & 3 for s in (0, 2, 4, 6)], -1)
    numbers = x.astype(np.float64) @ whole.reshape(outputs, -1).astype(np.float64).T

    def body(t, a):
        parts = []
        for value, shifts, mask in [(a[1], (0, 4), 15), (a[2], (0, 2, 4, 6), 3)]:
            cut = [t.elementwise("shift_right_logical", value, t.constant(s, value)) if s else value for s in shifts]
            parts.append(t.concatenate([t.elementwise("and", part, t.constant(mask, part)) for part in cut], 2))
        upper = t.elementwise("multiply", parts[1], t.constant(16, parts[1]))
        value = t.convert(t.elementwise("add", upper, parts[0]), "f32")
        return t.product(a[0], t.reshape(value, (outputs, count * elements)), 1), numbers

    write(name, [x, low, high], body)


def repeated(name, rows, outputs, count, half=None):
    """Weights of six bits in blocks [2, 2, 2, 16], with a scale for each 16: the lower four are a byte that two elements
    have in common, the upper two one that four have, shifted by numbers along the first two dimensions."""
    draw = np.random.default_rng(len(name) + rows)
    low = draw.integers(0, 256, (outputs, count, 1, 2, 2, 16)).astype(np.uint8)
    high = draw.integers(0, 256, (outputs, count, 1, 1, 2, 16)).astype(np.uint8)
    scale = draw.uniform(-0.1, 0.1, (outputs, count, 2, 2, 2)).astype(np.float16)
    first, second = np.arange(2)[:, None, None, None], np.arange(2)[:, None, None]
    whole = (low >> 4 * first & 15) + 16 * (high >> 4 * first + 2 * second & 3)
    weights = (whole.astype(np.float64) - 32) * scale.astype(np.float64)[..., None]
    x = draw.normal(size=(rows, count * 128)).astype(np.float32)
    multiplied = rounded(x) if half else x
    numbers = multiplied.astype(np.float64) @ weights.reshape(outputs, -1).T

    def body(t, a):
        shape = whole.shape

        def shifted(value, along, mask):
            by = None
            for dim, bits in along:
                count = t.put("stablehlo.iota dim = %d : %s" % (dim, tensor(shape, "i32")), shape, "i32")
                count = t.convert(count, "ui8")
                own = t.elementwise("multiply", count, t.constant(bits, count))
                by = t.elementwise("add", by, own) if by else own
            value = t.elementwise("shift_right_logical", t.broadcast(value, range(6), shape), by)
            return t.elementwise("and", value, t.constant(mask, value))

        upper = shifted(a[2], [(2, 4), (3, 2)], 3)
        upper = t.elementwise("shift_left", upper, t.constant(4, upper))
        value = t.convert(t.elementwise("or", shifted(a[1], [(2, 4)], 15), upper), "f32")
        value = t.elementwise("subtract", value, t.constant("32.0", value))
        value = t.elementwise("multiply", value, t.broadcast(t.convert(a[3], "f32"), range(5), shape))
        of_rows = t.convert(t.convert(a[0], half), "f32") if half else a[0]
        return t.product(of_rows, t.reshape(value, (outputs, count * 128)), 1), numbers

    write(name, [x, low, high, scale], body)


def columns(name, rows, outputs, steps, of_weights, narrow=False):
    """Weights of 8 bits with a scale for each output, [outputs, steps] or [steps, outputs]; `narrow`: bf16 multiplies."""
    draw = np.random.default_rng(rows + outputs)
    x = draw.normal(size=(rows, steps)).astype(np.float32)
    stored = draw.integers(-128, 128, (outputs, steps) if of_weights else (steps, outputs)).astype(np.int8)
    scale = draw.uniform(0.01, 0.1, outputs).astype(np.float32)
    own = scale[:, None] if of_weights else scale[None]
    weights = stored.astype(np.float64) * own.astype(np.float64)
    if narrow:
        x, weights = rounded(x), rounded(stored.astype(np.float32) * own)
    numbers = x.astype(np.float64) @ (weights.T if of_weights else weights).astype(np.float64)

    def body(t, a):
        value = t.convert(a[1], "f32")
        spread = t.broadcast(a[2], [1 - of_weights], value[1])
        value = t.elementwise("multiply", value, spread)
        if narrow:
            return t.product(t.convert(a[0], "bf16"), t.convert(value, "bf16"), of_weights, "f32"), numbers
        return t.product(a[0], value, of_weights), numbers

    write(name, [x, stored, scale], body)


def main():
    blocks("quantised_i8", 1, 96, (6, 32))
    blocks("quantised_i8_odd", 3, 37, (5, 24))
    blocks("quantised_i8_many_rows", 17, 48, (4, 32))
    blocks("quantised_ui8_offset", 1, 512, (9, 32), kind="uint8", offset=True)
    blocks("quantised_ui8_minus", 8, 64, (3, 16), kind="uint8", minus=128)
    blocks("quantised_packed", 1, 256, (18, 32), kind="packed", minus=8)
    blocks("quantised_packed_odd", 2, 131, (7, 20), kind="packed", minus=8)
    blocks("quantised_packed_offset", 1, 320, (16, 32), kind="packed", offset=True)
    blocks("quantised_packed_then_norm", 1, 384, (24, 32), kind="packed", minus=8, after=True)
    blocks("quantised_packed_many_rows", 9, 64, (6, 32), kind="packed", minus=8)
    blocks("quantised_packed_bf16", 1, 250, (16, 32), kind="packed", minus=8, half="bf16")
    blocks("quantised_packed_rows_bf16", 3, 72, (20, 16), kind="packed", offset=True, half="bf16")
    blocks("quantised_packed_f16", 2, 96, (36, 32), kind="packed", minus=8, offset=True, half="f16")
    columns("quantised_outputs", 1, 200, 160, 1)
    columns("quantised_outputs_transposed", 2, 136, 96, 0)
    columns("quantised_outputs_bf16", 1, 200, 160, 1, True)
    columns("quantised_outputs_transposed_bf16", 1, 264, 96, 0, True)
    of_two("quantised_packed_twice", 1, 96, (5, 32))
    repeated("quantised_repeated", 1, 80, 5)
    repeated("quantised_repeated_bf16", 1, 272, 16, half="bf16")
    repeated("quantised_repeated_many_rows", 40, 72, 3, half="bf16")


if __name__ == "__main__":
    main()
