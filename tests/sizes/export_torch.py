"""Writes the torch_* models of this folder: modules of tests/programs/torch_sizes.py by torch.export and torch-mlir, with what torch gives.

    pip install torch==2.15.0 torch-mlir==20261001 numpy
    python export_torch.py [NAME-PART...]
"""

import os
import pathlib
import shutil
import sys

os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import numpy as np
import torch
from torch_mlir import fx

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "programs"))
from torch_sizes import SIZED  # noqa: E402

MODELS = {
    "linalg-on-tensors": ["images_of_any_size", "attention_any_length", "embedding_any_length", "joined_and_sliced", "resized_nearest"],
    "tosa": ["convolution_and_pools", "embedding_any_batch"],
    "stablehlo": ["mlp_any_batch", "joined_and_sliced"],
}


def main():
    for dialect, names in MODELS.items():
        for name in names:
            folder = HERE / ("torch_%s_%s" % (dialect.split("-")[0], name))
            if sys.argv[1:] and not any(part in folder.name for part in sys.argv[1:]):
                continue
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            made, sizes, sets = SIZED[name]()
            program = torch.export.export(made, sets[0], dynamic_shapes=sizes)
            lowered = fx.export_and_import(program, output_type=dialect, func_name="main")
            text = lowered.operation.get_asm(assume_verified=True, print_generic_op_form=dialect == "tosa")
            (folder / "model.mlir").write_text(text)
            for inputs in sets:
                with torch.no_grad():
                    outputs = made(*inputs)
                outputs = outputs if isinstance(outputs, (tuple, list)) else [outputs]
                case = folder / "_".join("x".join(map(str, tensor.shape)) for tensor in inputs)
                case.mkdir()
                for stem, tensors in (("in", inputs), ("out", outputs)):
                    for number, tensor in enumerate(tensors):
                        np.save(case / f"{stem}_{number}.npy", tensor.detach().contiguous().numpy())


main()
