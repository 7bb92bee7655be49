#!/usr/bin/env python3
"""Whole models on a GPU: Fornax against XLA on the same StableHLO text, and torchvision where it is installed.

    python3 tests/gpu/models.py --fornax FORNAX --models DIR [--only REGEX] [--out OUT] [--kernels]

DIR/NAME holds model.mlir and args.json (`tests/model/check_models.py --export-only DIR` writes them) and fornax.fnx, compiled where the
compiler is with every argument left an argument:

    fornax compile --target=cuda:sm_90 DIR/NAME/model.mlir -o DIR/NAME/fornax.fnx
    fornax compile --target=cuda:sm_90 --f32-matmul=tf32 DIR/NAME/model.mlir -o DIR/NAME/tf32.fnx      # optional

Weights and inputs are random in the ranges of trained ones, the same bytes for every peer. XLA runs once as the text says (f32 products may
use tf32) and once with precision HIGHEST. Fornax's result is compared with XLA's HIGHEST (relative l2) before anything is timed.
`call`: median of one call and a wait, arguments on the device; `queued`: mean in a queue of calls with one wait at the end (ms).
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time

KINDS = {"f32": "float32", "i32": "int32", "f16": "float16", "i64": "int64"}


def values(numpy, spec, seed):
    """Random data of an argument, in the range that its name and shape suggest."""
    rng, shape, name = numpy.random.default_rng(seed), spec["shape"], spec["name"].lower()
    if spec["dtype"].startswith("i"):
        return rng.integers(0, 1000, shape).astype(KINDS[spec["dtype"]])
    unit = rng.uniform(-1, 1, shape)
    last = name.rsplit("/", 1)[-1]
    if spec["kind"] == "input":
        data = unit
    elif "var" in last:
        data = 1 + 0.2 * unit
    elif last in ("gamma", "scale"):
        data = 1 + 0.1 * unit
    elif len(shape) < 2:
        data = 0.05 * unit
    else:
        fan_in = max(1, int(numpy.prod(shape[:-1]))) if len(shape) != 4 or shape[-1] != 1 else shape[0] * shape[1]
        data = unit * (3.0 / fan_in) ** 0.5
    return data.astype(KINDS[spec["dtype"]])


class Xla:
    """A StableHLO text compiled by XLA, its arguments on the device."""

    def __init__(self, text, arguments, highest):
        import jax
        from jax._src.interpreters import mlir
        from jax._src.lib.mlir import ir
        from jaxlib import _jax, xla_client
        text = re.sub(r"@predict\b", "@main", text)
        if highest:
            text = text.replace("DEFAULT, DEFAULT", "HIGHEST, HIGHEST").replace(
                "precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]",
                "precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]")
        with mlir.make_ir_context():
            module = ir.Module.parse(text)
        devices = _jax.DeviceList(tuple(jax.devices()[:1]))
        self.executable = jax.devices()[0].client.compile_and_load(module, devices, xla_client.CompileOptions())
        self.arguments = [jax.device_put(a) for a in arguments]

    def call(self):
        return [parts[0] for parts in self.executable.execute_sharded(self.arguments).disassemble_into_single_device_arrays()]


def timed(call, wait, seconds=1.0):
    """(median of call and wait, mean in a queue), milliseconds."""
    for _ in range(3):
        wait(call())
    begin = time.perf_counter()
    wait(call())
    count = max(10, min(300, int(seconds / max(time.perf_counter() - begin, 1e-5))))
    single = []
    for _ in range(count):
        begin = time.perf_counter()
        wait(call())
        single.append(time.perf_counter() - begin)
    begin = time.perf_counter()
    for _ in range(count):
        last = call()
    wait(last)
    return sorted(single)[count // 2] * 1e3, (time.perf_counter() - begin) / count * 1e3


def fornax(a, folder, args, arguments, scratch, module="fornax.fnx", more=()):
    flags = []
    for at, (spec, data) in enumerate(zip(args, arguments)):
        path = os.path.join(scratch, "%d.bin" % at)
        data.tofile(path)
        flags.append("--input=%s=@%s" % ("x".join([str(d) for d in spec["shape"]] + [spec["dtype"]]), path))
    out = os.path.join(scratch, "out.npy")
    command = [a.fornax, "bench", "--module=" + os.path.join(folder, module), "--device=cuda", "--format=json", "--output=@" + out, *more]
    done = subprocess.run(command + flags, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120)
    if done.returncode:
        raise RuntimeError(done.stderr.strip()[-400:])
    return json.loads(done.stdout), out


def kernel_table(report):
    """A call's kernels that do the same thing, those that take most time first."""
    alike = {}
    for k in report["kernels"]:
        launches, us = alike.get(k["note"], (0, 0.0))
        alike[k["note"]] = (launches + k["launches"], us + k["launches"] * k["launch_us"])
    total = sum(us for _, us in alike.values())
    print("  %d kernels, %.1f us" % (sum(n for n, _ in alike.values()), total))
    for note, (launches, us) in sorted(alike.items(), key=lambda item: -item[1][1])[:15]:
        print("  %7.1f us %3.0f %% in %3d: %s" % (us, 100 * us / total, launches, note[:150]))


def difference(numpy, path, expected):
    got = numpy.load(path).astype(numpy.float64).reshape(expected.shape)
    return float(numpy.linalg.norm(got - expected) / numpy.linalg.norm(expected))


def torch_model(name):
    """(call / queued) of torchvision's model in a CUDA graph, tf32 allowed and not; None where there is no such model."""
    try:
        import torch
        import torchvision
        make = {"mobilenet_v2": torchvision.models.mobilenet_v2, "resnet50": torchvision.models.resnet50}[name]
    except (ImportError, KeyError):
        return None
    found = []
    for tf32 in (True, False):
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = tf32
        torch.backends.cudnn.benchmark = True
        with torch.no_grad():
            model = make().eval().cuda().to(memory_format=torch.channels_last)
            x = torch.randn(1, 3, 224, 224, device="cuda").to(memory_format=torch.channels_last)
            stream = torch.cuda.Stream()
            with torch.cuda.stream(stream):
                for _ in range(3):
                    model(x)
            torch.cuda.synchronize()
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                model(x)
            found.append(timed(graph.replay, lambda _: torch.cuda.synchronize()))
    return found


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--fornax", required=True)
    p.add_argument("--models", required=True)
    p.add_argument("--only")
    p.add_argument("--out")
    p.add_argument("--kernels", action="store_true", help="print where the time goes")
    a = p.parse_args()
    import jax
    import numpy
    table = {}
    for name in sorted(os.listdir(a.models)):
        folder = os.path.join(a.models, name)
        if a.only and not re.search(a.only, name) or not os.path.exists(os.path.join(folder, "fornax.fnx")):
            continue
        args = json.load(open(os.path.join(folder, "args.json")))["args"]
        arguments = [values(numpy, spec, 7 + at) for at, spec in enumerate(args)]
        text = open(os.path.join(folder, "model.mlir")).read()
        row = table[name] = {}
        try:
            exact = Xla(text, arguments, True)
            expected = numpy.asarray(exact.call()[0]).astype(numpy.float64)
            with tempfile.TemporaryDirectory() as scratch:
                report, out = fornax(a, folder, args, arguments, scratch)
                row["error"], row["fornax"] = difference(numpy, out, expected), (report["median_ms"], report["queued_ms"])
                if os.path.exists(os.path.join(folder, "tf32.fnx")):
                    report, out = fornax(a, folder, args, arguments, scratch, "tf32.fnx")
                    row["tf32_error"], row["fornax_tf32"] = difference(numpy, out, expected), (report["median_ms"], report["queued_ms"])
                for module in ("fornax.fnx", "tf32.fnx") if a.kernels else ():
                    if os.path.exists(os.path.join(folder, module)):
                        print(name, module)
                        kernel_table(fornax(a, folder, args, arguments, scratch, module, ("--kernels", "--seconds=0.05"))[0])
            wait = jax.block_until_ready
            row["xla_ieee"] = timed(exact.call, wait)
            del exact
            row["xla"] = timed(Xla(text, arguments, False).call, wait)
            both = torch_model(name)
            if both:
                row["torch_graph"], row["torch_ieee_graph"] = both
        except Exception as error:  # one model that fails must not end the run
            row["failed"] = str(error)[:300]
        print(name, json.dumps(row), flush=True)
    if a.out:
        json.dump(table, open(os.path.join(a.out, "models.json"), "w"), indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
