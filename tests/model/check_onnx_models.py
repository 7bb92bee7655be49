#!/usr/bin/env python3
"""Trained ONNX models, and `com.microsoft` operators, against ONNX Runtime: check_onnx_models.py FORNAX [NAME...]

    pip install onnx==1.23.2 onnxruntime==1.32.0 numpy
    pip install --no-deps magika==1.0.3 silero-vad==6.2.3 rapidocr-onnxruntime==1.4.4 ddddocr==1.6.1

The models are files of those packages. Each is compiled for the processor and run on random inputs of several sizes;
results are compared with ONNX Runtime's on the same file. Prints a line a run. Exit code 1 if one differs.
"""
import importlib.metadata
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper

FORNAX = os.path.abspath(sys.argv[1])
draw = np.random.default_rng(0)


def floats(*shape):
    return draw.normal(size=shape).astype(np.float32)


def file_of(package, name):
    for path in importlib.metadata.files(package):
        if str(path).endswith(name):
            return str(path.locate())
    sys.exit(f"{package} has no {name}")


def speech(batch):
    return {"input": floats(batch, 576) * 0.1, "state": floats(2, batch, 128) * 0.1,
            "sr": np.array(16000, np.int64)}


FIXED = ["--fix-size=sequence=576"]
# Package, file, inputs of each run, flags.
MODELS = [
    ("magika", "standard_v3_3/model.onnx",
     [{"bytes": draw.integers(0, 257, (n, 2048)).astype(np.int32)} for n in (1, 3)], []),
    ("silero-vad", "silero_vad.onnx", [speech(1), speech(2)], ["--fix-size=input.1=576", "--fix-input=sr=16000"]),
    ("silero-vad", "silero_vad_16k_op15.onnx", [speech(1), speech(2)], FIXED),
    ("silero-vad", "silero_vad_op18_ifless.onnx", [speech(1)], []),
    ("silero-vad", "silero_vad_half.onnx", [speech(1)], FIXED),
    ("silero-vad", "silero_vad_openvino_16k.onnx", [speech(1)], []),
    ("rapidocr-onnxruntime", "ch_ppocr_mobile_v2.0_cls_infer.onnx", [{"x": floats(n, 3, 48, 192)} for n in (1, 2)], []),
    ("rapidocr-onnxruntime", "ch_PP-OCRv4_det_infer.onnx",
     [{"x": floats(1, 3, *size)} for size in ((64, 96), (128, 64))], []),
    ("rapidocr-onnxruntime", "ch_PP-OCRv4_rec_infer.onnx",
     [{"x": floats(n, 3, 48, width)} for n, width in ((1, 64), (2, 104))], []),
    ("ddddocr", "common.onnx", [{"input1": floats(1, 1, 64, width)} for width in (64, 104)], []),
    ("ddddocr", "common_det.onnx", [{"images": floats(1, 3, 416, 416) * 50}], []),
]


def one(name, feeds, outputs, order=None, constants=(), **attributes):
    """(title, model, inputs): `order` names all inputs, an empty name is one left out."""
    order = order or list(feeds)
    kind = {np.dtype(np.float32): TensorProto.FLOAT, np.dtype(np.int32): TensorProto.INT32,
            np.dtype(np.int64): TensorProto.INT64, np.dtype(np.uint8): TensorProto.UINT8,
            np.dtype(bool): TensorProto.BOOL}
    node = helper.make_node(name, order, outputs, domain="com.microsoft", **attributes)
    feeds = {key: x for key, x in feeds.items() if key in order}
    infos = [helper.make_tensor_value_info(key, kind[x.dtype], x.shape) for key, x in feeds.items()
             if key not in constants]
    results = [helper.make_tensor_value_info(key, TensorProto.FLOAT, None) for key in outputs if key]
    tensors = [onnx.numpy_helper.from_array(feeds[key], key) for key in constants]
    graph = helper.make_graph([node], "g", infos, results, tensors)
    sets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(graph, opset_imports=sets, ir_version=10)
    return name, model, {key: x for key, x in feeds.items() if key not in constants}


def group_query(length, past, rotary, window, **more):
    heads, kv, width = 4, 2, 16
    # ONNX Runtime takes several texts with a past one token at a time only.
    batch = 1 if length > 1 and past else 2
    feeds = {"q": floats(batch, length, heads * width), "k": floats(batch, length, kv * width),
             "v": floats(batch, length, kv * width), "pk": floats(batch, kv, past, width),
             "pv": floats(batch, kv, past, width),
             "lengths": np.full(batch, past + length - 1, np.int32), "total": np.array([past + length], np.int32)}
    order = ["q", "k", "v", "pk", "pv", "lengths", "total"]
    if rotary:
        angles = np.outer(np.arange(64), 1.0 / 10000 ** (np.arange(width // 2) / (width // 2)))
        feeds |= {"cos": np.cos(angles).astype(np.float32), "sin": np.sin(angles).astype(np.float32)}
        order += ["cos", "sin"]
    if more.pop("ids", False):
        feeds["ids"] = np.tile(np.arange(past, past + length, dtype=np.int64), (batch, 1))
        order += [""] * (9 - len(order)) + ["ids"]
    if more.pop("bias", False):
        feeds["bias"] = floats(batch, 1, length, past + length)
        order += [""] * (10 - len(order)) + ["bias"]
    if more.pop("sink", False):
        feeds["sink"] = floats(heads)
        order += [""] * (11 - len(order)) + ["sink"]
    return one("GroupQueryAttention", feeds, ["y", "k2", "v2"], order, num_heads=heads, kv_num_heads=kv,
               do_rotary=int(rotary), local_window_size=window, **more)


def llama(past, length):
    """A decoder of two layers as exporters for ONNX Runtime write it: weights of 4 bits, shared heads, and names for
    the sizes of the cache."""
    width, heads, kv, each, words, inner = 64, 4, 2, 16, 50, 96
    nodes, tensors = [], []

    def held(name, array):
        tensors.append(onnx.numpy_helper.from_array(array, name))
        return name

    def node(kind, inputs, outputs, domain="com.microsoft", **attributes):
        nodes.append(helper.make_node(kind, inputs, outputs, domain=domain, **attributes))
        return outputs[0]

    def linear(name, x, k, n):
        held(name + ".w", draw.integers(0, 256, (n, k // 32, 16), dtype=np.uint8))
        held(name + ".s", floats(n * (k // 32)) * 0.02)
        return node("MatMulNBits", [x, name + ".w", name + ".s"], [name], K=k, N=n, bits=4, block_size=32)

    held("embed", floats(words, width))
    one_ = held("one", np.array([1], np.int64))
    node("ReduceSum", ["mask", one_], ["sum"], "")
    node("Sub", ["sum", one_], ["less"], "")
    node("Cast", ["less"], ["seqlens"], "", to=TensorProto.INT32)
    node("Shape", ["mask"], ["maskshape"], "")
    node("Gather", ["maskshape", held("place", np.array(1, np.int64))], ["whole"], "")
    node("Cast", ["whole"], ["total"], "", to=TensorProto.INT32)
    angles = np.outer(np.arange(64), 1.0 / 10000 ** (np.arange(each // 2) / (each // 2)))
    cos, sin = held("cos", np.cos(angles).astype(np.float32)), held("sin", np.sin(angles).astype(np.float32))
    state = node("Gather", ["embed", "ids"], ["embedded"], "")
    row = node("SimplifiedLayerNormalization", [state, held("norm", floats(width))], ["n0"], "", epsilon=1e-5, axis=-1)
    feeds, results = {}, ["logits"]
    for at in range(2):
        q, k, v = (linear(f"{part}{at}", row, width, n) for part, n in
                   (("q", width), ("k", kv * each), ("v", kv * each)))
        old = [f"past.{at}.{part}" for part in "kv"]
        new = [f"present.{at}.{part}" for part in "kv"]
        feeds |= {name: floats(2, kv, past, each) for name in old}
        results += new
        y = node("GroupQueryAttention", [q, k, v, *old, "seqlens", "total", cos, sin], [f"a{at}", *new],
                 num_heads=heads, kv_num_heads=kv, do_rotary=1)
        y = linear(f"o{at}", y, width, width)
        row = node("SkipSimplifiedLayerNormalization", [state, y, held(f"p{at}", floats(width))],
                   [f"r{at}", "", "", f"t{at}"], epsilon=1e-5)
        state = f"t{at}"
        gate, up = linear(f"g{at}", row, width, inner), linear(f"u{at}", row, width, inner)
        node("Sigmoid", [gate], [f"s{at}"], "")
        node("Mul", [gate, f"s{at}"], [f"silu{at}"], "")
        node("Mul", [f"silu{at}", up], [f"m{at}"], "")
        y = linear(f"d{at}", f"m{at}", inner, width)
        row = node("SkipSimplifiedLayerNormalization", [state, y, held(f"f{at}", floats(width))],
                   [f"e{at}", "", "", f"w{at}"], epsilon=1e-5)
        state = f"w{at}"
    nodes.append(helper.make_node("MatMul", [row, held("head", floats(width, words))], ["logits"]))
    info = helper.make_tensor_value_info
    inputs = [info("ids", TensorProto.INT64, ["batch", "length"]), info("mask", TensorProto.INT64, ["batch", "whole"])]
    inputs += [info(name, TensorProto.FLOAT, ["batch", kv, "past", each]) for name in feeds]
    outputs = [info(name, TensorProto.FLOAT, None) for name in results]
    graph = helper.make_graph(nodes, "g", inputs, outputs, tensors)
    sets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    ids = draw.integers(0, words, (2, length))
    return (f"decoder at {past}", helper.make_model(graph, opset_imports=sets, ir_version=10),
            {"ids": ids, "mask": np.ones((2, past + length), np.int64), **feeds})


def matmul_bits(bits, block, k, n, zero):
    blocks = -(-k // block)
    feeds = {"a": floats(2, 3, k), "b": draw.integers(0, 256, (n, blocks, block * bits // 8), dtype=np.uint8),
             "s": floats(n * blocks) * 0.1}
    if zero:
        feeds["z"] = draw.integers(0, 256, n * -(-blocks * bits // 8), dtype=np.uint8)
    constants = [key for key in feeds if key != "a"]
    return one("MatMulNBits", feeds, ["y"], None, constants, K=k, N=n, bits=bits, block_size=block)


def fused():
    yield one("FusedMatMul", {"a": floats(2, 4, 3), "b": floats(2, 5, 4)}, ["y"], transA=1, transB=1, alpha=0.5)
    yield one("FusedMatMul", {"a": floats(5, 2, 3, 4), "b": floats(6, 2, 3, 4)}, ["y"], transBatchA=1, transBatchB=1,
              transB=1)
    yield one("FusedMatMul", {"a": floats(3, 2, 4), "b": floats(2, 3, 5)}, ["y"], transBatchA=1, transA=1)
    image = {"x": floats(2, 3, 6, 5), "w": floats(4, 3, 3, 3), "b": floats(4)}
    yield one("FusedConv", image, ["y"], activation="Relu", pads=[1, 1, 1, 1])
    yield one("FusedConv", image | {"z": floats(2, 4, 4, 3)}, ["y"], activation="Relu")
    yield one("FusedConv", image, ["y"], activation="LeakyRelu", activation_params=[0.2], strides=[2, 2])
    yield one("FusedConv", image, ["y"], activation="Clip", activation_params=[-1.0, 2.0])
    yield one("FusedConv", image, ["y"], activation="HardSigmoid", activation_params=[0.1, 0.4])
    rows = {"a": floats(4, 3), "b": floats(5, 4), "c": floats(5)}
    yield one("FusedGemm", rows, ["y"], transA=1, transB=1, alpha=0.5, activation="LeakyRelu", activation_alpha=0.1)
    yield one("FusedGemm", rows, ["y"], transA=1, transB=1, activation="Tanh")


def embedded(**more):
    """Words, kinds, tables of words, positions and kinds, and what the normalisation has."""
    ids = {"ids": draw.integers(0, 9, (2, 4)).astype(np.int32), "kinds": draw.integers(0, 2, (2, 4)).astype(np.int32)}
    tables = {"words": floats(9, 8), "places": floats(6, 8), "segments": floats(2, 8)}
    feeds = ids | tables | {"gamma": floats(8), "beta": floats(8)} | more
    order = [*feeds] if "at" not in more else [*feeds][:-1] + ["", "at"]
    case = one("EmbedLayerNormalization", feeds, ["y", "count", "sum"], order, tables, epsilon=1e-5)
    case[1].graph.output[1].type.tensor_type.elem_type = TensorProto.INT32
    return case


def of_bytes(case):
    """The case with results of 8 bits."""
    for result in case[1].graph.output:
        result.type.tensor_type.elem_type = TensorProto.UINT8
    return case


def quantised():
    """Numbers of 8 bits, one scale and zero point each, as ONNX Runtime's quantiser writes them."""
    def part(name, *shape):
        numbers = {name: draw.integers(0, 256, shape).astype(np.uint8)}
        return numbers | scale(name, 0.02)

    def scale(name, width):
        return {name + "_scale": np.array(width, np.float32), name + "_zero": np.array(117, np.uint8)}

    both = part("a", 2, 3, 4) | part("b", 3, 1) | scale("y", 0.05)
    yield of_bytes(one("QLinearAdd", both, ["y"]))
    yield of_bytes(one("QLinearMul", both, ["y"]))
    for name in ("QLinearSigmoid", "QLinearLeakyRelu"):
        yield of_bytes(one(name, part("a", 3, 4) | scale("y", 0.01), ["y"]))
    yield of_bytes(one("QLinearSoftmax", part("a", 3, 4) | scale("y", 0.004), ["y"], None, ("a_scale", "a_zero"),
                       axis=-1, opset=13))
    image = part("a", 1, 3, 6, 5) | scale("y", 0.02)
    yield of_bytes(one("QLinearGlobalAveragePool", image, ["y"], channels_last=0))
    yield of_bytes(one("QLinearAveragePool", image, ["y"], kernel_shape=[2, 3], pads=[1, 1, 0, 1], strides=[2, 1]))
    last = part("a", 1, 6, 5, 4) | scale("y", 0.02)
    yield of_bytes(one("QLinearGlobalAveragePool", last, ["y"], channels_last=1))
    yield of_bytes(one("QLinearAveragePool", last, ["y"], kernel_shape=[2, 3], channels_last=1))
    kernel = part("w", 6, 2, 3, 3) | {"c": draw.integers(-999, 999, 6).astype(np.int32)}
    order = ["a", "a_scale", "a_zero", "w", "w_scale", "w_zero", "y_scale", "y_zero", "c"]
    yield of_bytes(one("QLinearConv", last | kernel, ["y"], order, [*kernel], group=2, pads=[1, 1, 0, 1],
                       strides=[2, 1], channels_last=1))
    yield of_bytes(one("NhwcMaxPool", last, ["y"], ["a"], kernel_shape=[3, 2], strides=[2, 1], pads=[1, 0, 1, 1]))
    both = {"m": draw.random((2, 3)) > 0.5} | part("a", 2, 3) | part("b", 1, 3) | scale("y", 0.03)
    yield of_bytes(one("QLinearWhere", both, ["y"]))
    joined = scale("y", 0.03) | part("a", 2, 3) | part("b", 2, 4)
    yield of_bytes(one("QLinearConcat", joined, ["y"], axis=1))
    matrices = part("a", 4, 3) | part("b", 5, 4) | {"c": draw.integers(-999, 999, 5).astype(np.int32)}
    names = [*matrices, "y_scale", "y_zero"]
    yield of_bytes(one("QGemm", matrices | scale("y", 0.1), ["y"], names, transA=1, transB=1, alpha=0.5))
    product = part("a", 2, 3, 4) | part("b", 4, 5) | {"c": floats(5)}
    yield one("MatMulIntegerToFloat", product, ["y"], ["a", "b", "a_scale", "b_scale", "a_zero", "b_zero", "c"])
    yield one("DynamicQuantizeMatMul", {"x": floats(2, 3, 4)} | product, ["y"], ["x", "b", "b_scale", "b_zero", "c"])
    whole = part("x", 2, 3, 8) | part("w", 8, 24) | {"b": floats(24), "m": np.array([2, 3], np.int32)}
    scales = ["x_scale", "w_scale"]
    for mask, more in [("", {}), ("m", {}), ("", {"unidirectional": 1})]:
        order = ["x", "w", "b", *scales, mask, "x_zero", "w_zero"]
        yield one("QAttention", whole, ["y", ""], order, num_heads=2, **more)
    past = {"past": floats(2, 2, 2, 5, 4)}
    order = ["x", "w", "b", *scales, "", "x_zero", "w_zero", "past"]
    yield one("QAttention", whole | past, ["y", "now"], order, num_heads=2, unidirectional=1)
    for directions, more in [(1, {}), (2, {"direction": "bidirectional"}), (1, {"direction": "reverse"})]:
        bytes_of = {name: draw.integers(0, 256, (directions, size, 12)).astype(np.uint8)
                    for name, size in [("w", 5), ("r", 3)]}
        widths = {name + "_scale": np.full((directions, 12), 0.01, np.float32) for name in "wr"}
        zeros = {name + "_zero": np.full((directions, 12), 117, np.uint8) for name in "wr"}
        layer = {"x": floats(4, 2, 5)} | bytes_of | {"b": floats(directions, 24)} | widths | zeros
        order = ["x", "w", "r", "b", "", "", "", "", "w_scale", "w_zero", "r_scale", "r_zero"]
        yield one("DynamicQuantizeLSTM", layer, ["y", "h", "c"], order, ("w", "r", *widths, *zeros), hidden_size=3,
                  **more)


def operators():
    row = {"x": floats(2, 3, 8), "skip": floats(2, 3, 8), "gamma": floats(8)}
    yield one("SkipLayerNormalization", row | {"beta": floats(8), "bias": floats(8)}, ["y", "", "", "sum"],
              epsilon=1e-5)
    yield one("SkipLayerNormalization", row | {"beta": floats(8)}, ["y"])
    yield one("SkipSimplifiedLayerNormalization", row, ["y", "", "", "sum"], epsilon=1e-5)
    yield one("SkipSimplifiedLayerNormalization", row | {"bias": floats(8)}, ["y"], epsilon=1e-6)
    yield one("Gelu", {"x": floats(2, 8)}, ["y"])
    yield one("FastGelu", {"x": floats(2, 8), "b": floats(8)}, ["y"])
    yield one("BiasGelu", {"x": floats(2, 8), "b": floats(8)}, ["y"])
    yield one("QuickGelu", {"x": floats(2, 8)}, ["y"])
    for metric in ("euclidean", "sqeuclidean"):
        yield one("CDist", {"a": floats(5, 3), "b": floats(4, 3)}, ["y"], metric=metric)
    yield one("TransposeMatMul", {"a": floats(2, 4, 3), "b": floats(2, 5, 4)}, ["y"], transA=1, transB=1, alpha=0.5)
    steps = {name: np.array(at, np.float32) for name, at in [("from", 1), ("to", 6), ("by", 1.5)]}
    yield one("Range", steps, ["y"], None, [*steps])
    yield from fused()
    yield from quantised()
    yield embedded()
    yield embedded(mask=np.array([[1, 1, 1, 0], [1, 1, 0, 0]], np.int32))
    yield embedded(at=np.array([[3, 2, 1, 0], [0, 1, 5, 2]], np.int32))
    for bits, block, k, n, zero in [(4, 32, 64, 5, False), (4, 32, 96, 6, True), (4, 16, 40, 3, True),
                                    (8, 32, 64, 4, True)]:
        yield matmul_bits(bits, block, k, n, zero)
    for length, past, rotary, window in [(5, 0, True, -1), (1, 7, True, -1), (3, 4, False, -1), (6, 0, True, 3),
                                         (1, 9, False, 4)]:
        yield group_query(length, past, rotary, window)
    for length, past, more in [(5, 0, {"bias": True}), (1, 7, {"ids": True}), (6, 0, {"smooth_softmax": 1}),
                               (1, 5, {"sink": True}), (4, 0, {"sink": True, "bias": True}), (1, 3, {"scale": 0.5})]:
        yield group_query(length, past, True, -1, **more)
    yield llama(0, 5)
    yield llama(6, 1)
    angles = np.outer(np.arange(20), 1.0 / 100 ** (np.arange(4) / 4))
    tables = {"cos": np.cos(angles).astype(np.float32), "sin": np.sin(angles).astype(np.float32)}
    places = {"at": np.array([[3, 4, 5], [0, 1, 2]], np.int64)}
    yield one("RotaryEmbedding", {"x": floats(2, 3, 16)} | places | tables, ["y"])
    yield one("RotaryEmbedding", {"x": floats(2, 2, 3, 8)} | places | tables, ["y"], interleaved=1)
    yield one("RotaryEmbedding", {"x": floats(2, 3, 16), "at": np.array([2], np.int64)} | tables, ["y"])
    qkv = {"q": floats(2, 3, 16), "k": floats(2, 5, 16), "v": floats(2, 5, 16)}
    yield one("MultiHeadAttention", qkv, ["y"], num_heads=4)
    yield one("MultiHeadAttention", qkv | {"b": floats(48)}, ["y"], num_heads=2)
    yield one("MultiHeadAttention", qkv | {"mask": np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]], np.int32)}, ["y"],
              ["q", "k", "v", "", "mask"], num_heads=2)
    turned = {"q": qkv["q"], "k": floats(2, 4, 5, 4), "v": floats(2, 4, 5, 4)}
    yield one("MultiHeadAttention", turned, ["y"], num_heads=4)
    # ONNX Runtime has packed inputs on GPUs only: it gets the parts.
    parts = [floats(2, 5, 4, 4) for _ in range(3)]
    flat = dict(zip("qkv", (part.reshape(2, 5, 16) for part in parts)))
    apart = one("MultiHeadAttention", flat, ["y"], num_heads=4)
    pair = {"q": flat["q"], "kv": np.stack(parts[1:], 3)}
    yield *one("MultiHeadAttention", pair, ["y"], num_heads=4), apart
    yield *one("MultiHeadAttention", {"qkv": np.stack(parts, 3)}, ["y"], num_heads=4), apart
    yield one("MultiHeadAttention", qkv | {"pk": floats(2, 4, 6, 4), "pv": floats(2, 4, 6, 4)}, ["y", "k2", "v2"],
              ["q", "k", "v", "", "", "", "pk", "pv"], num_heads=4)
    whole = {"x": floats(2, 3, 8), "w": floats(8, 24), "b": floats(24)}
    past = {"past": floats(2, 2, 2, 5, 4)}
    yield one("Attention", whole | past, ["y", "now"], ["x", "w", "b", "", "past"], num_heads=2, unidirectional=1)
    yield one("Attention", whole | past, ["y", "now"], ["x", "w", "b", "", "past"], num_heads=2)
    yield one("Attention", whole, ["y", "now"], num_heads=2, unidirectional=1)
    yield one("Attention", whole | {"m": np.array([2, 3], np.int32)}, ["y"], num_heads=2)
    yield one("Attention", whole | {"m": np.array([3, 2, 1, 0], np.int32)}, ["y"], num_heads=2)
    yield one("Attention", whole | {"m": np.tril(np.ones((2, 3, 3), np.int32))}, ["y"], num_heads=2)
    yield one("Attention", {"x": floats(2, 3, 8), "w": floats(8, 24), "b": floats(24)}, ["y"], num_heads=2)
    yield one("Attention", {"x": floats(2, 3, 8), "w": floats(8, 24), "b": floats(24)}, ["y"], num_heads=2,
              unidirectional=1)


def compare(title, path, runs, flags, twin=None):
    """`twin` is the same in other operators, which ONNX Runtime has."""
    folder = tempfile.mkdtemp()
    done = subprocess.run([FORNAX, "compile", path, "-o", folder + "/m.fnx", *flags], capture_output=True, text=True)
    if done.returncode:
        print(f"{title}: {done.stderr.strip()}")
        return 1
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    # With several threads its LSTM quantises the rows of each by themselves.
    options.intra_op_num_threads = 1
    theirs = twin[1].SerializeToString() if twin else path
    session = onnxruntime.InferenceSession(theirs, options, providers=["CPUExecutionProvider"])
    fixed = [flag.split("=")[1] for flag in flags if flag.startswith("--fix-input")]
    given = (info.name for info in onnx.load(path, load_external_data=False).graph.input)
    names = [name for name in given if name in runs[0]]
    failed = 0
    for feeds in runs:
        feeds = {name: feeds[name] for name in names}
        wanted = session.run(None, twin[2] if twin else feeds)
        words = [FORNAX, "run-module", f"--module={folder}/m.fnx"]
        for i, name in enumerate(name for name in names if name not in fixed):
            np.save(f"{folder}/in_{i}.npy", feeds[name])
            words.append(f"--input=@{folder}/in_{i}.npy")
        words += [f"--output=@{folder}/out_{i}.npy" for i in range(len(wanted))]
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode:
            print(f"{title}: {done.stderr.strip()}")
            failed += 1
            continue
        errors = []
        for i, right in enumerate(wanted):
            got = np.load(f"{folder}/out_{i}.npy")
            if got.shape != right.shape:
                errors.append(np.inf)
                continue
            difference = np.abs(got.astype(np.float64) - right)
            # Results that are all but zero are noise: ONNX Runtime's own differ with its options.
            scale = max(np.abs(right).max(initial=0), 1e-2)
            if right.dtype.kind == "u":
                # ONNX Runtime looks some up in tables, which round earlier.
                difference = np.maximum(difference - 1, 0)
            errors.append(difference.max(initial=0) / scale)
        limit = 2e-2 if "half" in title else 1e-4
        failed += max(errors) > limit
        shapes = ", ".join("x".join(map(str, x.shape)) or "scalar" for x in feeds.values())
        verdict = " WRONG" if max(errors) > limit else ""
        print(f"{title} ({shapes}): {max(errors):.1e} of the largest{verdict}", flush=True)
    return failed


def main():
    names, failed = sys.argv[2:], 0
    for package, name, runs, flags in MODELS:
        if not names or any(wanted in f"{package}/{name}" for wanted in names):
            failed += compare(f"{package}/{name}", file_of(package, name), runs, flags)
    for title, model, feeds, *twin in operators():
        if not names or title in names:
            with tempfile.TemporaryDirectory() as folder:
                path = folder + "/model.onnx"
                onnx.save(model, path)
                failed += compare(title, path, [feeds], [], *twin)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
