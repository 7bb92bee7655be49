#!/usr/bin/env python3
"""Export and compile the torch models of tests/gpu/zoo.py, zoo_more.py and zoo_diffusion.py, without a GPU and without weights.

    pip install torch==2.15.0 torchvision numpy fornax-compiler      # or torch-mlir==20261001 for --importer=torch-mlir
    python3 tests/gpu/zoo_export.py --fornax target/release/fornax --out DIR [--dtypes f32,tf32,bf16] [--only REGEX] [--target cuda:sm_90a]

Writes DIR/NAME.DTYPE/{model.mlir,args.json,model.fnx}: torch.export, the package's importer (or torch-mlir's) to StableHLO, weights as arguments
that the compiler makes named parameters (`--parameters-from`). tf32 is the f32 text compiled with --f32-matmul=tf32. A model that the importer
cannot take is named. Carry DIR (without model.mlir unless XLA is to run it) to the GPU; tests/gpu/zoo_run.py makes the weights there.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time

os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

ELEMENTS = {"float32": "f32", "bfloat16": "bf16", "float16": "f16", "int64": "i64", "int32": "i32", "bool": "i1"}
TORCH = {"f32": "float32", "tf32": "float32", "bf16": "bfloat16", "f16": "float16"}


def text_of(exported, importer):
    """StableHLO of an exported program, function `main`."""
    if importer == "torch-mlir":
        from torch_mlir import fx
        return str(fx.export_and_import(exported, output_type="stablehlo", func_name="main"))
    from fornax._aten import exported_text
    return exported_text(exported)


def export(name, dtype, folder, importer):
    """Writes model.mlir and args.json."""
    import torch
    import zoo

    made, inputs = zoo.build(name, getattr(torch, TORCH[dtype]))
    weights = zoo.weights_of(made)

    class Call(torch.nn.Module):
        def forward(self, *arguments):
            given = dict(zip(weights, arguments[len(inputs):]))
            return torch.func.functional_call(made, given, arguments[:len(inputs)])

    with torch.no_grad():
        exported = torch.export.export(Call(), (*inputs, *weights.values()), strict=False)
    text = text_of(exported, importer)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "model.mlir"), "w") as f:
        f.write(text)
    spec = lambda n, kind, t: {"name": n, "kind": kind, "shape": list(t.shape), "dtype": ELEMENTS[str(t.dtype).split(".")[1]]}
    args = [spec("input%d" % at, "input", t) for at, t in enumerate(inputs)] + [spec(n, "weight", t) for n, t in weights.items()]
    with open(os.path.join(folder, "args.json"), "w") as f:
        json.dump({"name": name, "entry": "main", "args": args}, f)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--fornax", default="target/release/fornax")
    p.add_argument("--out", required=True)
    p.add_argument("--dtypes", default="f32,tf32,bf16")
    p.add_argument("--only", default="")
    p.add_argument("--target", default="cuda:sm_90a")
    p.add_argument("--flag", action="append", default=[], help="given to `fornax compile`")
    p.add_argument("--importer", choices=("fornax", "torch-mlir"), default="fornax")
    p.add_argument("--keep", action="store_true", help="compile again what was exported before")
    a = p.parse_args()
    import zoo
    failed = 0
    for name in zoo.MODELS:
        for dtype in a.dtypes.split(","):
            label = "%s.%s" % (name, dtype)
            if not re.search(a.only, label):
                continue
            folder, begin = os.path.join(a.out, label), time.time()
            at = lambda f: os.path.join(folder, f)
            try:
                other = os.path.join(a.out, "%s.f32" % name)
                if dtype == "tf32" and os.path.exists(os.path.join(other, "model.mlir")):
                    os.makedirs(folder, exist_ok=True)
                    for f in ("model.mlir", "args.json"):
                        shutil.copy(os.path.join(other, f), folder)
                elif not (a.keep and os.path.exists(at("model.mlir"))):
                    export(name, dtype, folder, a.importer)
            except Exception as error:  # one model that the importer does not know must not end the run
                failed += 1
                print("%s: not exported: %s" % (label, str(error).strip()[:300]), flush=True)
                continue
            middle = time.time()
            flags = ["--f32-matmul=tf32"] if dtype == "tf32" else []
            done = subprocess.run([a.fornax, "compile", "--quiet", "--target=" + a.target, "--parameters-from=" + at("args.json"), *flags, *a.flag,
                                   at("model.mlir"), "-o", at("model.fnx")], stderr=subprocess.PIPE, text=True)
            failed += done.returncode != 0
            print("%s: exported in %.1f s, compiled in %.1f s%s" % (label, middle - begin, time.time() - middle, " FAILED " + done.stderr[:500] if done.returncode else ""), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
