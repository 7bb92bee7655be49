#!/usr/bin/env python3
"""Writes the cases of tests/dialects: models in TOSA and in linalg on tensors with inputs and the outputs they must have.

    pip install torch==2.15.0 torch-mlir==20261001 numpy
    python3 tests/dialects/export.py [NAME-PART...]

Ops are written here as MLIR text (tosa_ops.py, linalg_ops.py) and their outputs come from numpy and torch; small networks come
out of torch-mlir in both dialects and their outputs from torch. Each case is a folder: model.mlir, in_N.npy, out_N.npy and
meta.json with the tolerance of each element type.
"""

import json
import os
import pathlib
import sys

os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "programs")]

# Networks of torch_modules.py, small enough to keep.
NETWORKS = ["embedding", "max_pool", "grouped", "argmax", "cumulative_sums", "gather_scatter", "slices_concatenate"]


def write(name, text, inputs, outputs, tolerance):
    folder = HERE / name
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    (folder / "model.mlir").write_text(text)
    for stem, arrays in (("in", inputs), ("out", outputs)):
        for at, array in enumerate(arrays):
            np.save(folder / ("%s_%d.npy" % (stem, at)), np.array(array, order="C"))
    (folder / "meta.json").write_text(json.dumps({"tolerance": tolerance}) + "\n")


def networks(wanted):
    import torch
    from torch_mlir import fx
    from torch_modules import MODULES

    for name in MODULES:
        if not any(part in name for part in NETWORKS):
            continue
        made, inputs = MODULES[name]()
        with torch.no_grad():
            results = made(*inputs)
        results = list(results) if isinstance(results, (tuple, list)) else [results]
        for dialect, short in (("linalg-on-tensors", "linalg"), ("tosa", "tosa")):
            case = "%s_net_%s" % (short, name)
            if wanted and not any(part in case for part in wanted):
                continue
            try:
                lowered = fx.export_and_import(torch.export.export(made, tuple(inputs)), output_type=dialect, func_name="main")
            except Exception:
                print(case + ": torch-mlir does not lower it")
                continue
            text = lowered.operation.get_asm(assume_verified=True, print_generic_op_form=dialect == "tosa")
            if len(text) > 60000:
                print(case + ": too large to keep")
                continue
            write(case, text, [x.numpy() for x in inputs], [r.numpy() for r in results], {"f32": 1e-4, "f64": 1e-9})


def main():
    import linalg_ops
    import tosa_ops

    wanted = sys.argv[1:]
    for prefix, module in (("tosa", tosa_ops), ("linalg", linalg_ops)):
        for name, case in module.CASES.items():
            full = "%s_%s" % (prefix, name)
            if not wanted or any(part in full for part in wanted):
                text, inputs, outputs = case()
                write(full, text, inputs, outputs, {"f32": 2e-5, "f64": 1e-11})
    networks(wanted)


if __name__ == "__main__":
    main()
