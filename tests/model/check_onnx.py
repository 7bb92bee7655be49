#!/usr/bin/env python3
"""The `onnx` package's own tests through `fornax compile` and `fornax run-module` on the processor.

    pip install onnx==1.23.2 numpy ml_dtypes
    python3 tests/model/check_onnx.py target/debug/fornax [--set SET] [--match REGEX] [--jobs N] [--bless]

SET is node (1,884 cases of one operator or two), simple, pytorch-converted, pytorch-operator, or all (the default).
A model is compiled as it is. Where the compiler says that an input must be known (FX1025), or sizes come from inputs in
a way that it or the run refuses, it is compiled again with the small integer inputs given (--fix-input); sequences are
given their lengths (--sequence-length). Results are compared as the package's own runner does.

tests/model/onnx_expectations.txt lists what does not pass: `SET/NAME CODE`, the code of the refusal, or `wrong` and a
reason. All else must pass, and what is listed must fail in that way: exit code 1 if not. --bless writes the list anew.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import ml_dtypes
import numpy as np
import onnx
from onnx import numpy_helper

EXPECTATIONS = pathlib.Path(__file__).resolve().parent / "onnx_expectations.txt"
DATA = pathlib.Path(onnx.__file__).parent / "backend/test/data"
SETS = ["node", "simple", "pytorch-converted", "pytorch-operator"]
# Elements of an input that is given to the compiler.
SMALL = 64
SECONDS = 300


class Case:
    def __init__(self, set_, name, model, inputs, outputs, tolerance):
        self.set, self.name, self.model, self.inputs, self.outputs = set_, name, model, inputs, outputs
        self.rtol, self.atol = tolerance


def array(value):
    return numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto) else value


def node_cases():
    from onnx.backend.test.case.node import collect_testcases

    for case in collect_testcases(None):
        inputs, outputs = case.data_sets[0]
        yield Case("node", case.name, case.model, [array(x) for x in inputs], [array(x) for x in outputs],
                   (case.rtol, case.atol))


def read_value(path, info):
    """A file of test data, by the type that the model declares."""
    raw = path.read_bytes()
    kind = info.type.WhichOneof("value")
    if kind == "sequence_type":
        return numpy_helper.to_list(onnx.SequenceProto.FromString(raw))
    if kind == "optional_type":
        return numpy_helper.to_optional(onnx.OptionalProto.FromString(raw))
    return numpy_helper.to_array(onnx.TensorProto.FromString(raw))


def folder_cases(set_):
    for folder in sorted((DATA / set_).iterdir()):
        model = onnx.load(folder / "model.onnx")
        initial = {tensor.name for tensor in model.graph.initializer}
        given = [info for info in model.graph.input if info.name not in initial]
        data = folder / "test_data_set_0"
        read = lambda kind, infos: [read_value(data / f"{kind}_{i}.pb", info) for i, info in enumerate(infos)]
        yield Case(set_, folder.name, model, read("input", given), read("output", model.graph.output), (1e-3, 1e-7))


def flat(values):
    """Arrays with the suffix of their name: sequences are one value an element."""
    out = []
    for value in values:
        if isinstance(value, (list, tuple)):
            out += [(x, f".{i}") for i, x in enumerate(value)]
        else:
            out.append((value, ""))
    return out


def storage(x):
    """An array as .npy files hold it: bits of the types that NumPy does not have."""
    x = np.asarray(x, order="C")
    if x.dtype in (ml_dtypes.int4, ml_dtypes.int2):
        return x.astype(np.int8)
    if x.dtype in (ml_dtypes.uint4, ml_dtypes.uint2):
        return x.astype(np.uint8)
    if x.dtype.itemsize == 1 and x.dtype.kind not in "iub":
        return x.view(np.uint8)
    return x


def of_storage(x, dtype):
    if dtype in (ml_dtypes.int4, ml_dtypes.int2, ml_dtypes.uint4, ml_dtypes.uint2):
        return x.astype(dtype)
    if x.dtype != dtype and x.dtype.itemsize == dtype.itemsize:
        return x.view(dtype)
    return x


def compare(got, wanted, case):
    """What differs, as the runner of the package finds it; None if nothing does."""
    wanted = np.asarray(wanted)
    got = of_storage(got, wanted.dtype)
    if got.dtype != wanted.dtype or got.shape != wanted.shape:
        return f"{got.dtype}{list(got.shape)} and not {wanted.dtype}{list(wanted.shape)}"
    rtol = case.rtol
    if wanted.dtype == ml_dtypes.bfloat16:
        rtol = max(rtol, 2.0**-6)
    if wanted.dtype.kind not in "iubfc":
        got, wanted = got.astype(np.float64), wanted.astype(np.float64)
    try:
        np.testing.assert_allclose(got, wanted, rtol=rtol, atol=case.atol)
    except AssertionError as error:
        return " ".join(str(error).split())[:200]
    return None


def code_of(text):
    """The code of an error, and the input that it says must be known."""
    found = re.search(r"error\[(FX\d+)\]", text) or re.search(r"(FX\d{4})", text)
    name = re.search(r'input \d+ \("([^"]*)"\) must be known', text)
    return (found.group(1) if found else "crash"), (name.group(1) if name else None)


def run(words, folder):
    try:
        return subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(words, 124, "", "error[timeout]")


def attempt(fornax, case, folder, names, fixed):
    """(`pass`, a code or `wrong`, what was said, the input that must be known)"""
    inputs = list(zip(names, case.inputs))
    flags = []
    for name, value in inputs:
        if isinstance(value, list):
            flags.append(f"--sequence-length={name}={len(value)}")
        elif name in fixed:
            flat_ = np.asarray(value).ravel()
            is_whole = flat_.dtype.kind in "iub"
            numbers = ",".join(str(int(v)) if is_whole else repr(float(v)) for v in flat_)
            flags.append(f"--fix-input={name}={numbers}")
    done = run([fornax, "compile", "model.onnx", "-o", "m.fnx", *flags], folder)
    if done.returncode:
        code, wanted = code_of(done.stderr)
        return code, done.stderr, wanted
    words = [fornax, "run-module", "--module=m.fnx"]
    for i, (value, _) in enumerate(flat([value for name, value in inputs if name not in fixed])):
        np.save(folder / f"in_{i}.npy", storage(value))
        words.append(f"--input=@in_{i}.npy")
    outputs = flat(case.outputs)
    words += [f"--output=@out_{i}.npy" for i in range(len(outputs))]
    done = run(words, folder)
    if done.returncode:
        code, _ = code_of(done.stderr)
        return code, done.stderr, None
    for i, (wanted, _) in enumerate(outputs):
        what = compare(np.load(folder / f"out_{i}.npy", allow_pickle=False), wanted, case)
        if what:
            return "wrong", f"output {i}: {what}", None
    return "pass", "", None


def is_text(value):
    if isinstance(value, (list, tuple)):
        return any(is_text(x) for x in value)
    return value is not None and np.asarray(value).dtype.kind in "OUS"


def check(fornax, case):
    """(result, what was said, whether inputs were fixed)"""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        onnx.save(case.model, folder / "model.onnx")
        initial = {tensor.name for tensor in case.model.graph.initializer}
        names = [info.name for info in case.model.graph.input if info.name not in initial]
        if any(value is None for value in case.inputs):
            return "absent", "an optional value without contents cannot be an input", False
        if any(is_text(value) for value in case.inputs):
            done = run([fornax, "compile", "model.onnx", "-o", "m.fnx"], folder)
            return (code_of(done.stderr)[0] if done.returncode else "wrong"), done.stderr, False
        small = {name for name, value in zip(names, case.inputs)
                 if not isinstance(value, list) and np.asarray(value).dtype.kind in "iub"
                 and np.asarray(value).size <= SMALL}
        fixed, result = set(), attempt(fornax, case, folder, names, set())
        first = result
        while result[0] not in ("pass", "wrong") and result[2] in names and result[2] not in fixed:
            fixed.add(result[2])
            result = attempt(fornax, case, folder, names, fixed)
        if result[0] not in ("pass", "wrong") and small - fixed:
            fixed |= small
            again = attempt(fornax, case, folder, names, fixed)
            result = again if again[0] in ("pass", "wrong") else result
        if result[0] not in ("pass", "wrong"):
            result = first if first[0] == result[0] else result
        return result[0], result[1], bool(fixed) and result[0] == "pass"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("fornax")
    parser.add_argument("--set", default="all", choices=SETS + ["all"])
    parser.add_argument("--match", default="")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--bless", action="store_true")
    args = parser.parse_args()
    fornax = os.path.abspath(args.fornax)
    cases = []
    for set_ in SETS if args.set == "all" else [args.set]:
        cases += node_cases() if set_ == "node" else folder_cases(set_)
    cases = [case for case in cases if re.search(args.match, case.name)]
    expected = {}
    for line in EXPECTATIONS.read_text().splitlines() if EXPECTATIONS.exists() else []:
        if line and not line.startswith("#"):
            name, result = line.split()[:2]
            expected[name] = (result, line)
    counts, lines, surprises = collections.defaultdict(collections.Counter), [], 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for case, (result, said, fixed) in zip(cases, pool.map(lambda case: check(fornax, case), cases)):
            name = f"{case.set}/{case.name}"
            kind = result if result in ("pass", "wrong") else "refused"
            counts[case.set][kind] += 1
            counts[case.set]["with inputs fixed"] += fixed
            wanted, line = expected.pop(name, ("pass", ""))
            if result != "pass":
                why = " ".join(said.split())[:100]
                lines.append(line if wanted == result else f"{name} {result}" + (f" {why}" if kind == "wrong" else ""))
            if wanted != result:
                surprises += 1
                print(f"{name}: {result}, and {wanted} was expected: {' '.join(said.split())[:300]}", flush=True)
    for set_, count in counts.items():
        total = count["pass"] + count["refused"] + count["wrong"]
        print(f"{set_}: {count['pass']} of {total} pass ({100 * count['pass'] / total:.1f} %; "
              f"{count['with inputs fixed']} of them with inputs fixed), {count['refused']} refused, "
              f"{count['wrong']} wrong")
    if args.bless:
        head = [line for line in EXPECTATIONS.read_text().splitlines() if line.startswith("#")] \
            if EXPECTATIONS.exists() else ["# What check_onnx.py expects not to pass: SET/NAME CODE, or `wrong`, why."]
        others = [line for _, line in expected.values() if not any(line.startswith(set_ + "/") for set_ in counts)]
        EXPECTATIONS.write_text("\n".join(head + sorted(lines + others)) + "\n")
    sys.exit(surprises > 0)


main()
