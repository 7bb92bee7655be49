#!/usr/bin/env python3
"""Compiles and runs exported models that come with their inputs and outputs, and compares.

    python3 tests/programs/check_trained.py --fornax target/release/fornax FOLDER...

A folder holds `model.mlir` (any dialect Fornax reads), `args.json` and .npy files: arguments in order, each with a file or
with the rule that gives its numbers, and the outputs of the framework with a tolerance. `--also` names further targets, for
which the model is only compiled. torch-mlir lowers ONNX's nearest resizing by floors to `tosa.resize`, which rounds, and leaves its offset 0;
with --resize-floors the offset is given with which rounding is the floor, so that such models equal their framework. Prints a line for each folder; exit code 1 if a model is not right.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

KINDS = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "i64": np.int64, "i32": np.int32, "i8": np.int8, "i1": np.bool_}


def hashed(argument):
    """Element i of a tensor whose rule is "hash"."""
    rule, shape = argument["gen"], argument["shape"]
    with np.errstate(over="ignore"):
        x = np.arange(int(np.prod(shape)), dtype=np.uint32) * np.uint32(0x9E3779B1)
        x += np.uint32((rule["seed"] * 0x85EBCA77 + 0x165667B1) & 0xFFFFFFFF)
        for shift, factor in ((16, 0x7FEB352D), (15, 0x846CA68B), (16, 1)):
            x ^= x >> np.uint32(shift)
            x *= np.uint32(factor)
    unit = (x >> np.uint32(8)).astype(np.float32) * np.float32(2.0**-24)
    low, high = np.float32(rule["lo"]), np.float32(rule["hi"])
    return (low + (high - low) * unit).astype(KINDS[argument["dtype"]]).reshape(shape)


def resized_by_floors(text):
    """A nearest `tosa.resize` takes element round((y * d + offset) / n), halves up; with an offset of -(n - 1) / 2, cut, that is floor(y * d / n)."""
    places = []

    def sizes(name):
        found = re.search(r"%" + name + r' = "tosa\.const_shape"\(\) <\{values = dense<([^>]*)> : tensor<(\d+)xindex>\}>', text)
        numbers = [int(n) for n in re.findall(r"-?\d+", found[1])]
        return numbers if len(numbers) == int(found[2]) else numbers * int(found[2])

    def resize(found):
        operand, scale, mode = found[1], found[2], found[5]
        steps, border = sizes(scale)[::2], sizes(found[4])
        offset = [-((n - 1) // 2) for n in steps]
        border = [b + o for b, o in zip(border, offset)]
        at = len(places)
        places.append("".join(
            '    %%%s%d = "tosa.const_shape"() <{values = dense<%s> : tensor<2xindex>}> : () -> !tosa.shape<2>\n' % (name, at, numbers)
            for name, numbers in (("offset", offset), ("border", border))))
        return '"tosa.resize"(%s, %%%s, %%offset%d, %%border%d) %s' % (operand, scale, at, at, mode)

    changed = re.sub(r'"tosa\.resize"\((%\w+), %(\w+), %(\w+), %(\w+)\) (<\{mode = #tosa.resize_mode<NEAREST_NEIGHBOR>)', resize, text)
    # Before the function's first operation.
    head = re.search(r"\^bb0\(.*\):\n", changed)
    return changed[: head.end()] + "".join(places) + changed[head.end() :] if places else text


def check(a, folder, scratch):
    made = json.loads((folder / "args.json").read_text())
    module = scratch / "model.fnx"
    source = str(folder / a.file)
    if a.resize_floors:
        (scratch / "model.mlir").write_text(resized_by_floors((folder / a.file).read_text()))
        source = str(scratch / "model.mlir")
    for target in a.also:
        done = subprocess.run([a.fornax, "compile", "--quiet", "--target=" + target, source, "-o", str(module)], stderr=subprocess.PIPE, text=True)
        if done.returncode:
            return "%s: %s" % (target, done.stderr.strip()[:400])
    done = subprocess.run([a.fornax, "compile", "--quiet", "--target=" + a.target, source, "-o", str(module)], stderr=subprocess.PIPE, text=True)
    if done.returncode:
        return done.stderr.strip()[:600]
    flags = []
    for at, argument in enumerate(made["args"]):
        file = folder / argument["file"] if "file" in argument else scratch / ("in_%d.npy" % at)
        if "file" not in argument:
            np.save(file, hashed(argument))
        flags.append("--input=@%s" % file)
    outputs = [scratch / ("out_%d.npy" % at) for at in range(len(made["results"]))]
    run = [a.fornax, "run-module", "--device=" + a.device, "--module=" + str(module), "--function=" + made["entry"]]
    done = subprocess.run([*run, *flags, *("--output=@%s" % o for o in outputs)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        return done.stderr.strip()[:400]
    worst = 0.0
    for file, result in zip(outputs, made["results"]):
        found, expected = np.load(file), np.load(folder / result["file"])
        if found.shape != expected.shape:
            return "shape %s, expected %s" % (found.shape, expected.shape)
        f, e = found.astype(np.float64), expected.astype(np.float64)
        off = np.max(np.abs(f - e) / np.maximum(np.abs(e), 1), initial=0.0)
        worst = max(worst, off if np.isfinite(off) else np.inf)
        if not worst <= result["tol"]:
            return "off by %g, allowed %g" % (worst, result["tol"])
    return worst


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--fornax", default="target/release/fornax")
    p.add_argument("--device", default="cpu")
    p.add_argument("--target", default="cpu")
    p.add_argument("--also", action="append", default=[], metavar="TARGET")
    p.add_argument("--file", default="model.mlir")
    p.add_argument("--resize-floors", action="store_true")
    p.add_argument("folders", nargs="+", type=pathlib.Path)
    a = p.parse_args()
    a.fornax = os.path.abspath(a.fornax)
    wrong = 0
    for folder in a.folders:
        with tempfile.TemporaryDirectory() as scratch:
            outcome = check(a, folder, pathlib.Path(scratch))
        right = isinstance(outcome, float)
        wrong += not right
        print("%s: %s" % (folder.name, "right, off by at most %.2g" % outcome if right else "WRONG: " + outcome), flush=True)
    print("%d right, %d wrong" % (len(a.folders) - wrong, wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
