#!/usr/bin/env python3
"""Whole models on a GPU: Fornax against torch, torch.compile and XLA, same weights, numbers checked first.

    python3 tests/gpu/zoo_run.py --fornax fornax --models DIR [--only REGEX] [--out OUT] [--kernels] [--peers torch,graph,compile,xla]

DIR is what tests/gpu/zoo_export.py wrote. The reference is the torch model in f32 without tf32 on the GPU (for bf16 with the weights and inputs
rounded to bf16); `error` is the relative l2 of the first output. Milliseconds:

    call      median of one call and a wait, arguments and weights on the device
    queued    mean in a queue of calls with one wait at the end
    start     a process of its own from its start to the result in a file (`run-module`, weights read from a file; the better of two)
    launches, kernels_us   kernels of a call and the sum of their times (--kernels)

Peers: `torch` eager; `graph` eager in a CUDA graph; `compile` torch.compile, default mode, and the same in a CUDA graph; `xla` JAX on model.mlir.
"""
import argparse
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import torch
import zoo
from models import Xla, kernel_table, timed

TORCH = {"f32": torch.float32, "tf32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16}
SAFE = {torch.float32: "F32", torch.bfloat16: "BF16", torch.float16: "F16"}


def raw(t):
    t = t.detach().contiguous().cpu()
    return (t.view(torch.int16) if t.dtype == torch.bfloat16 else t).numpy().tobytes()


def write_safetensors(path, tensors):
    header, offset = {}, 0
    for name, t in tensors.items():
        size = t.numel() * t.element_size()
        header[name] = {"dtype": SAFE[t.dtype], "shape": list(t.shape), "data_offsets": [offset, offset + size]}
        offset += size
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text)
        for t in tensors.values():
            f.write(raw(t))


def first(results):
    return results[0] if isinstance(results, (tuple, list)) else results


def error_of(got, expected):
    got, expected = got.double().flatten(), expected.double().flatten()
    return float((got - expected).norm() / expected.norm())


def captured(call):
    """`call` as a CUDA graph"""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        call()
    return graph.replay


def used_mb():
    free, total = torch.cuda.mem_get_info()
    return (total - free) / 2**20


def fornax_row(a, folder, made, inputs, args, expected, scratch):
    dtype = next(made.parameters()).dtype
    weights = os.path.join(scratch, "weights.safetensors")
    write_safetensors(weights, zoo.weights_of(made))
    flags = ["--module=" + os.path.join(folder, "model.fnx"), "--device=cuda", "--parameters=" + weights, "--function=main"]
    for at, t in enumerate(inputs):
        spec, path = args[at], os.path.join(scratch, "in_%d.bin" % at)
        with open(path, "wb") as f:
            f.write(raw(t))
        flags.append("--input=%s=@%s" % ("x".join([str(n) for n in spec["shape"]] + [spec["dtype"]]), path))
    out = os.path.join(scratch, "out.bin")
    run = lambda command, more: subprocess.run([a.fornax, command, *flags, *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=100)
    done = run("bench", ["--format=json", "--output=@" + out, "--seconds=0.5", *(["--kernels"] if a.kernels else [])])
    if done.returncode:
        raise RuntimeError(done.stderr.strip()[-500:])
    report = json.loads(done.stdout)
    with open(out, "rb") as f:
        got = torch.frombuffer(bytearray(f.read()), dtype=dtype).cuda()
    row = {"error": error_of(got, expected), "call": report["median_ms"], "queued": report["queued_ms"]}
    if a.kernels:
        row["launches"] = sum(k["launches"] for k in report["kernels"])
        row["kernels_us"] = sum(k["launches"] * k["launch_us"] for k in report["kernels"])
        kernel_table(report)
        if a.out:
            with open(os.path.join(a.out, os.path.basename(folder) + ".json"), "w") as f:
                json.dump(report, f)
    starts = []
    for _ in range(2):
        begin = time.perf_counter()
        done = run("run-module", ["--output=@" + out, "--output-max-element-count=0"])
        starts.append((time.perf_counter() - begin) * 1e3)
    row["start"] = min(starts)
    return row


def peers(a, folder, name, made, inputs, expected, allow):
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = allow
    torch.backends.cudnn.benchmark = True
    wait, row = lambda _: torch.cuda.synchronize(), {}
    wanted = a.peers.split(",")
    if re.match("resnet|mobilenet|unet", name):
        made = made.to(memory_format=torch.channels_last)
        inputs = tuple(t.to(memory_format=torch.channels_last) if t.dim() == 4 else t for t in inputs)
    with torch.no_grad():
        if "torch" in wanted:
            row["torch"] = timed(lambda: made(*inputs), wait, 0.3)
            row["torch_error"] = error_of(first(made(*inputs)), expected)
        if "graph" in wanted:
            row["graph"] = timed(captured(lambda: made(*inputs)), wait, 0.3)
        if "compile" in wanted:
            begin = time.perf_counter()
            compiled = torch.compile(made)
            row["compile_error"] = error_of(first(compiled(*inputs)), expected)
            row["compile_s"] = time.perf_counter() - begin
            row["compile"] = timed(lambda: compiled(*inputs), wait, 0.3)
            row["compile_graph"] = timed(captured(lambda: compiled(*inputs)), wait, 0.3)
    return row


def xla(folder, made, inputs, allow):
    import jax
    import numpy

    def array(t):
        data = t.detach().cpu()
        if t.dtype == torch.bfloat16:
            import ml_dtypes
            return data.contiguous().view(torch.int16).numpy().view(ml_dtypes.bfloat16)
        return data.numpy()

    jax.config.update("jax_enable_x64", True)
    arguments = [array(t) for t in inputs] + [array(t) for t in zoo.weights_of(made).values()]
    with open(os.path.join(folder, "model.mlir")) as f:
        # torch-mlir leaves some constants in another dialect, which XLA does not read.
        text = f.read().replace("arith.constant dense", "stablehlo.constant dense")
    begin = time.perf_counter()
    program = Xla(text, arguments, not allow)
    program.call()
    return {"xla_s": time.perf_counter() - begin, "xla": timed(program.call, jax.block_until_ready, 0.3)}


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--fornax", required=True)
    p.add_argument("--models", required=True)
    p.add_argument("--only", default="")
    p.add_argument("--peers", default="torch,graph")
    p.add_argument("--out")
    p.add_argument("--kernels", action="store_true", help="print where the time goes")
    a = p.parse_args()
    table = {}
    for label in sorted(os.listdir(a.models)):
        folder = os.path.join(a.models, label)
        if not re.search(a.only, label) or not os.path.exists(os.path.join(folder, "model.fnx")):
            continue
        name, dtype = label.rsplit(".", 1)
        row = table[label] = {}
        print(label, flush=True)
        try:
            args = json.load(open(os.path.join(folder, "args.json")))["args"]
            made, inputs = zoo.build(name, TORCH[dtype])
            made, inputs = made.cuda(), tuple(t.cuda() for t in inputs)
            torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
            with torch.no_grad():
                exact = zoo.build(name)[0].cuda()
                exact.load_state_dict(made.state_dict())
                expected = first(exact(*(t.float() if t.is_floating_point() else t for t in inputs)))
                del exact
            with tempfile.TemporaryDirectory() as scratch:
                row.update(fornax_row(a, folder, made, inputs, args, expected, scratch))
            print("  fornax", json.dumps(row), flush=True)
            more = peers(a, folder, name, made, inputs, expected, dtype != "f32")
            row.update(more)
            if "xla" in a.peers.split(",") and os.path.exists(os.path.join(folder, "model.mlir")):
                more.update(xla(folder, made, inputs, dtype != "f32"))
                row.update(more)
            print("  peers", json.dumps(more), flush=True)
        except Exception as error:  # one model that fails must not end the run
            row["failed"] = str(error)[-500:]
            print("  failed", row["failed"], flush=True)
        if a.out:
            with open(os.path.join(a.out, "zoo.json"), "w") as f:
                json.dump(table, f, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
