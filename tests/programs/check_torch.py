#!/usr/bin/env python3
"""Exports the PyTorch modules of torch_modules.py through torch.export and torch-mlir, runs them with Fornax, compares with torch.

    pip install torch==2.15.0 torch-mlir==20261001 numpy
    python3 tests/programs/check_torch.py --fornax target/release/fornax [--dialect stablehlo|linalg-on-tensors|tosa] [--sizes] [NAME-PART...]

With --sizes the modules are those of torch_sizes.py: each is exported once with dynamic_shapes, and run with several sizes.
Weights are constants of the module. Prints a line for each module that is not right, then a closing line; exit code 1 if one is not.
Modules that torch-mlir itself cannot lower to the dialect are counted apart.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import numpy as np
import torch
from torch_mlir import fx

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from torch_modules import MODULES  # noqa: E402
from torch_sizes import SIZED  # noqa: E402

ELEMENT = {torch.float32: "f32", torch.float64: "f64", torch.float16: "f16", torch.bfloat16: "bf16", torch.bool: "i1", torch.int64: "i64", torch.int32: "i32", torch.int8: "i8"}
TOLERANCE = {torch.float32: 1e-4, torch.float64: 1e-9, torch.float16: 1e-2, torch.bfloat16: 3e-2}


def raw(tensor):
    tensor = tensor.detach().contiguous()
    return (tensor.view(torch.int16) if tensor.dtype == torch.bfloat16 else tensor).numpy().tobytes()


def text_of(module, dialect):
    """TOSA's pretty form differs between releases of MLIR: the generic form is stable."""
    return module.operation.get_asm(assume_verified=True, print_generic_op_form=dialect == "tosa")


def check(a, name, folder):
    """The verdict on a module, and words to it."""
    if a.sizes:
        made, sizes, sets = SIZED[name]()
    else:
        made, inputs = MODULES[name]()
        sizes, sets = None, [inputs]
    try:
        program = torch.export.export(made, tuple(sets[0]), dynamic_shapes=sizes)
        lowered = fx.export_and_import(program, output_type=a.dialect, func_name="main")
    except Exception as error:
        return "not lowered", str(error).strip().splitlines()[0][:200] if str(error) else type(error).__name__
    (folder / "model.mlir").write_text(text_of(lowered, a.dialect))
    module = folder / "model.fnx"
    done = subprocess.run([a.fornax, "compile", "--quiet", "--target=" + a.target, str(folder / "model.mlir"), "-o", str(module)], stderr=subprocess.PIPE, text=True, timeout=300)
    if done.returncode:
        return "refused" if "error[FX" in done.stderr else "crashed", done.stderr.strip()[:400]
    for inputs in sets:
        verdict, words = run(a, made, inputs, module, folder)
        if verdict != "right":
            return verdict, " ".join("x".join(map(str, tensor.shape)) for tensor in inputs) + ": " + words
    return "right", ""


def run(a, made, inputs, module, folder):
    """The verdict on one set of inputs."""
    with torch.no_grad():
        results = made(*inputs)
    results = list(results) if isinstance(results, (tuple, list)) else [results]
    flags = []
    for at, tensor in enumerate(inputs):
        file = folder / ("in_%d.bin" % at)
        file.write_bytes(raw(tensor))
        flags.append("--input=%s%s=@%s" % ("".join("%dx" % n for n in tensor.shape), ELEMENT[tensor.dtype], file))
    outputs = [folder / ("out_%d.bin" % at) for at in range(len(results))]
    done = subprocess.run([a.fornax, "run-module", "--device=" + a.device, "--module=" + str(module), "--function=main", *flags, *("--output=@%s" % o for o in outputs)],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300)
    if done.returncode:
        return "failed", done.stderr.strip()[:400]
    for at, (file, expected) in enumerate(zip(outputs, results)):
        data = file.read_bytes()
        if len(data) != len(raw(expected)):
            return "wrong", "output %d has %d bytes, expected %d" % (at, len(data), len(raw(expected)))
        kind = np.int16 if expected.dtype == torch.bfloat16 else expected.numpy().dtype
        found = torch.from_numpy(np.frombuffer(data, kind).copy().reshape(tuple(expected.shape)))
        found = found.view(torch.bfloat16) if expected.dtype == torch.bfloat16 else found
        if expected.dtype not in TOLERANCE:
            if not torch.equal(found, expected):
                return "wrong", "output %d: %d of %d differ" % (at, (found != expected).sum(), expected.numel())
            continue
        f, e = found.double(), expected.double()
        far = ~(((f - e).abs() <= TOLERANCE[expected.dtype] * e.abs().clamp(min=1)) | (f == e) | (f.isnan() & e.isnan()))
        if far.any():
            return "wrong", "output %d: %d of %d wrong, worst by %g" % (at, far.sum(), far.numel(), (f - e).abs().nan_to_num(float("inf")).max())
    return "right", ""


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--fornax", default="target/release/fornax")
    p.add_argument("--device", default="cpu")
    p.add_argument("--target", default="cpu")
    p.add_argument("--dialect", default="stablehlo", choices=("stablehlo", "linalg-on-tensors", "tosa"))
    p.add_argument("--keep")
    p.add_argument("--sizes", action="store_true")
    p.add_argument("names", nargs="*")
    a = p.parse_args()
    a.fornax = os.path.abspath(a.fornax)
    counts = {}
    with tempfile.TemporaryDirectory() as scratch:
        for name in SIZED if a.sizes else MODULES:
            if a.names and not any(part in name for part in a.names):
                continue
            folder = pathlib.Path(a.keep or scratch) / name
            folder.mkdir(parents=True, exist_ok=True)
            try:
                verdict, words = check(a, name, folder)
            except subprocess.TimeoutExpired:
                verdict, words = "timed out", ""
            counts[verdict] = counts.get(verdict, 0) + 1
            if verdict != "right":
                print("%s: %s: %s" % (name, verdict, words), flush=True)
    print(a.dialect + (" with sizes" if a.sizes else "") + ": " + ", ".join("%d %s" % (n, v) for v, n in sorted(counts.items())))
    return 0 if set(counts) <= {"right", "not lowered"} else 1


if __name__ == "__main__":
    sys.exit(main())
