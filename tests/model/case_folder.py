"""A case of tests/numeric, or of another folder of tests: model.mlir, in_N.npy, out_N.npy, meta.json."""

import json
import pathlib

import numpy as np

TESTS = pathlib.Path(__file__).resolve().parent.parent


def save(name, text, inputs, results, tolerance, folder="numeric"):
    """Writes the folder of a case anew. `tolerance`: relative, by element type."""
    folder = TESTS / folder / name
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*"):
        old.unlink()
    (folder / "model.mlir").write_text(text)
    (folder / "meta.json").write_text(json.dumps({"tolerance": tolerance}) + "\n")
    for kind, arrays in [("in", inputs), ("out", results)]:
        for i, x in enumerate(arrays):
            np.save(folder / ("%s_%d.npy" % (kind, i)), np.asarray(x, order="C"))
