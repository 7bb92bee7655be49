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
            np.dtype(np.int64): TensorProto.INT64, np.dtype(np.uint8): TensorProto.UINT8}
    node = helper.make_node(name, order, outputs, domain="com.microsoft", **attributes)
    infos = [helper.make_tensor_value_info(key, kind[x.dtype], x.shape) for key, x in feeds.items()
             if key not in constants]
    results = [helper.make_tensor_value_info(key, TensorProto.FLOAT, None) for key in outputs if key]
    tensors = [onnx.numpy_helper.from_array(feeds[key], key) for key in constants]
    graph = helper.make_graph([node], "g", infos, results, tensors)
    sets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(graph, opset_imports=sets, ir_version=10)
    return name, model, {key: x for key, x in feeds.items() if key not in constants}


def group_query(length, past, rotary, window):
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
    return one("GroupQueryAttention", feeds, ["y", "k2", "v2"], order, num_heads=heads, kv_num_heads=kv,
               do_rotary=int(rotary), local_window_size=window)


def matmul_bits(bits, block, k, n, zero):
    blocks = -(-k // block)
    feeds = {"a": floats(2, 3, k), "b": draw.integers(0, 256, (n, blocks, block * bits // 8), dtype=np.uint8),
             "s": floats(n * blocks) * 0.1}
    if zero:
        feeds["z"] = draw.integers(0, 256, n * -(-blocks * bits // 8), dtype=np.uint8)
    constants = [key for key in feeds if key != "a"]
    return one("MatMulNBits", feeds, ["y"], None, constants, K=k, N=n, bits=bits, block_size=block)


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
    yield one("FusedMatMul", {"a": floats(2, 4, 3), "b": floats(2, 5, 4)}, ["y"], transA=1, transB=1, alpha=0.5)
    for bits, block, k, n, zero in [(4, 32, 64, 5, False), (4, 32, 96, 6, True), (4, 16, 40, 3, True),
                                    (8, 32, 64, 4, True)]:
        yield matmul_bits(bits, block, k, n, zero)
    for length, past, rotary, window in [(5, 0, True, -1), (1, 7, True, -1), (3, 4, False, -1), (6, 0, True, 3),
                                         (1, 9, False, 4)]:
        yield group_query(length, past, rotary, window)
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
    yield one("Attention", {"x": floats(2, 3, 8), "w": floats(8, 24), "b": floats(24)}, ["y"], num_heads=2)
    yield one("Attention", {"x": floats(2, 3, 8), "w": floats(8, 24), "b": floats(24)}, ["y"], num_heads=2,
              unidirectional=1)


def compare(title, path, runs, flags):
    folder = tempfile.mkdtemp()
    done = subprocess.run([FORNAX, "compile", path, "-o", folder + "/m.fnx", *flags], capture_output=True, text=True)
    if done.returncode:
        print(f"{title}: {done.stderr.strip()}")
        return 1
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    fixed = [flag.split("=")[1] for flag in flags if flag.startswith("--fix-input")]
    names = [info.name for info in session.get_inputs()]
    failed = 0
    for feeds in runs:
        feeds = {name: feeds[name] for name in names}
        wanted = session.run(None, feeds)
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
    for title, model, feeds in operators():
        if not names or title in names:
            with tempfile.TemporaryDirectory() as folder:
                path = folder + "/model.onnx"
                onnx.save(model, path)
                failed += compare(title, path, [feeds], [])
    sys.exit(failed > 0)


main()
