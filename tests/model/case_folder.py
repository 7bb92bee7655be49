"""A case of tests/numeric: model.mlir, in_N.npy, out_N.npy, meta.json."""

import json
import pathlib

import numpy as np

NUMERIC = pathlib.Path(__file__).resolve().parent.parent / "numeric"


def save(name, text, inputs, results, tolerance):
    """Writes the folder of a case anew. `tolerance`: relative, by element type."""
    folder = NUMERIC / name
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*"):
        old.unlink()
    (folder / "model.mlir").write_text(text)
    (folder / "meta.json").write_text(json.dumps({"tolerance": tolerance}) + "\n")
    for kind, arrays in [("in", inputs), ("out", results)]:
        for i, x in enumerate(arrays):
            np.save(folder / ("%s_%d.npy" % (kind, i)), np.asarray(x, order="C"))
