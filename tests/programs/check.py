#!/usr/bin/env python3
"""Exports every program of this folder from JAX, compiles and runs it with Fornax, compares with JAX on the CPU.

    pip install jax==0.10.2 flax optax keras numpy ml_dtypes
    python3 tests/programs/check.py --fornax target/release/fornax [--device cpu] [--target cpu] [--jobs 2] [NAME-PART...]
    python3 tests/programs/check.py --list

Prints a line for every program that is not right (refused with its error, failed, wrong with the worst element), then a table of
topics and a closing line. Exit code 1 if a program is not right. --keep DIR leaves model.mlir and the arrays of each.
--goldens writes the programs of GOLDENS to tests/numeric, where every test run and every GPU run takes them.
--write DIR writes model, inputs, what is expected and how near for tests/gpu/random_programs.py, which compiles and runs them on a GPU;
programs with more than --largest bytes of data are left out and counted.
"""

import argparse
import collections
import concurrent.futures
import importlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("KERAS_BACKEND", "jax")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import jax
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
TOPICS = ("training", "recurrent", "attention", "fourier", "sorting", "images", "equations", "linear_algebra", "random_numbers", "functions")

from registry import PROGRAMS, TOLERANCE  # noqa: E402

for topic in TOPICS:
    importlib.import_module(topic)


# Small programs of every topic for tests/numeric.
GOLDENS = (
    "train_mlp_adam train_conv_batch_norm train_checkpointed_scan_of_layers train_keras_lstm train_ctc_loss rnn_lstm_gradient ssm_selective_scan "
    "ssm_diagonal_associative_scan viterbi_path beam_search_decoder attention_cache_generation_loop attention_grouped_queries "
    "experts_top2_capacity experts_sorted_ragged top_p_sampling rfft_irfft_101 stft_magnitude mandelbrot_while lexicographic_sort unique_with_counts "
    "crc32_table_loop resize_down_lanczos3 augment_batch_flip_crop_jitter median_filter_patches ode_runge_kutta_lotka_volterra "
    "conjugate_gradient_while lu_factors_with_pivots cholesky_batched_and_upper eigh_values_and_projector random_gamma random_philox_generator "
    "conditionals_switch_and_nested medians_and_histogram_of_a_long_line updates_at_indices special_functions_bessel_beta pooling_gradients"
).split()


def export(entry, folder):
    """Writes model.mlir; -> the inputs and the outputs JAX gives."""
    jax.config.update("jax_enable_x64", entry.x64)
    function, args = entry.build()
    jitted = jax.jit(function, keep_unused=True)
    (folder / "model.mlir").write_text(jitted.lower(*args).as_text())
    inputs = [np.asarray(leaf) for leaf in jax.tree.leaves(args)]
    outputs = [np.asarray(leaf) for leaf in jax.tree.leaves(jitted(*args))]
    return inputs, outputs


ELEMENT = {"float32": "f32", "float64": "f64", "float16": "f16", "bfloat16": "bf16", "bool": "i1", "complex64": "complex<f32>", "complex128": "complex<f64>",
           **{"int%d" % b: "i%d" % b for b in (8, 16, 32, 64)}, **{"uint%d" % b: "ui%d" % b for b in (8, 16, 32, 64)}}


def input_flag(folder, at, array):
    raw = folder / ("in_%d.bin" % at)
    raw.write_bytes(np.ascontiguousarray(array).tobytes())
    shape = "".join("%dx" % n for n in array.shape)
    return "--input=%s%s=@%s" % (shape, ELEMENT[array.dtype.name], raw)


def differs(found, expected, tolerance):
    """None, or words about the worst element."""
    if found.shape != expected.shape:
        return "shape %s, expected %s" % (found.shape, expected.shape)
    if expected.dtype.kind not in "fcV" and expected.dtype.name != "bfloat16":
        wrong = found != expected
        return "%d of %d integers differ" % (wrong.sum(), wrong.size) if wrong.any() else None
    wide = np.complex128 if expected.dtype.kind == "c" else np.float64
    f, e = found.astype(wide), expected.astype(wide)
    limit = tolerance or TOLERANCE[expected.dtype.name]
    with np.errstate(invalid="ignore"):
        wrong = ~((np.abs(f - e) <= limit * np.maximum(1, np.abs(e))) | (f == e) | (np.isnan(f) & np.isnan(e)))
    if not wrong.any():
        return None
    at = np.unravel_index(np.argmax(np.where(wrong, np.nan_to_num(np.abs(f - e), nan=np.inf), -1)), wrong.shape) if wrong.shape else ()
    return "%d of %d wrong; at %s found %s, expected %s" % (wrong.sum(), wrong.size, tuple(map(int, at)), f[at], e[at])


def write_goldens():
    """tests/numeric/program_NAME: model.mlir, in_N.npy, out_N.npy, and the tolerance of each element type."""
    for name in GOLDENS:
        entry, folder = PROGRAMS[name], HERE.parent / "numeric" / ("program_" + name)
        folder.mkdir(exist_ok=True)
        for stem, arrays in zip(("in", "out"), export(entry, folder)):
            for at, array in enumerate(arrays):
                np.save(folder / ("%s_%d.npy" % (stem, at)), array)
        tolerance = {ELEMENT[kind]: max(entry.tolerance or 0, least) for kind, least in TOLERANCE.items() if "complex" not in kind}
        (folder / "meta.json").write_text(json.dumps({"tolerance": tolerance}) + "\n")
    print("%d programs written" % len(GOLDENS))


def write_programs(folder, chosen, largest):
    """FOLDER/NAME: model.mlir, in_N.bin, out_N.bin and meta.json, as tests/gpu/random_programs.py reads them."""
    large = []
    for entry in chosen:
        own = pathlib.Path(folder) / entry.name
        own.mkdir(parents=True, exist_ok=True)
        arrays = dict(zip(("in", "out"), export(entry, own)))
        if sum(array.nbytes for arrays_of in arrays.values() for array in arrays_of) > largest:
            large.append(entry.name)
            shutil.rmtree(own)
            continue
        listed = {"in": [], "out": []}
        for stem, own_arrays in arrays.items():
            for at, array in enumerate(own_arrays):
                file = "%s_%d.bin" % (stem, at)
                (own / file).write_bytes(np.ascontiguousarray(array).tobytes())
                limit = entry.tolerance or TOLERANCE.get(array.dtype.name, 0)
                near = {"limit": limit, "relative": limit} if stem == "out" else {}
                listed[stem].append({"shape": array.shape, "dtype": ELEMENT[array.dtype.name], "file": file, **near})
        (own / "meta.json").write_text(json.dumps({"runs": [{"inputs": listed["in"], "outputs": listed["out"]}]}))
    print("%d programs written; left out for their size: %s" % (len(chosen) - len(large), " ".join(large) or "none"))


def run(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300)
    return done.returncode, (done.stderr or done.stdout).strip()


def check(a, entry, folder, inputs, outputs):
    """-> (verdict, words)."""
    module = folder / "model.fnx"
    try:
        code, text = run([a.fornax, "compile", "--quiet", "--target=" + a.target, str(folder / "model.mlir"), "-o", str(module)])
        if code:
            return "refused" if "error[FX" in text else "crashed", text[:600]
        flags = [input_flag(folder, at, array) for at, array in enumerate(inputs)]
        results = [folder / ("found_%d.bin" % at) for at in range(len(outputs))]
        code, text = run([a.fornax, "run-module", "--device=" + a.device, "--module=" + str(module), "--function=main", *flags, *("--output=@%s" % r for r in results)])
        if code:
            return "failed", text[:600]
    except subprocess.TimeoutExpired:
        return "timed out", ""
    for at, (result, expected) in enumerate(zip(results, outputs)):
        raw = np.frombuffer(result.read_bytes(), expected.dtype)
        if raw.size != expected.size:
            return "wrong", "output %d has %d elements, expected %d" % (at, raw.size, expected.size)
        words = differs(raw.reshape(expected.shape), expected, entry.tolerance)
        if words:
            return "wrong", "output %d: %s" % (at, words)
    return "right", ""


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--fornax", default="target/release/fornax")
    p.add_argument("--device", default="cpu")
    p.add_argument("--target", default="cpu")
    p.add_argument("--jobs", type=int, default=os.cpu_count())
    p.add_argument("--keep")
    p.add_argument("--list", action="store_true")
    p.add_argument("--goldens", action="store_true")
    p.add_argument("--write", metavar="DIR")
    p.add_argument("--largest", type=int, default=1 << 19, help="bytes of inputs and outputs of a program that --write takes")
    p.add_argument("names", nargs="*")
    a = p.parse_args()
    a.fornax = os.path.abspath(a.fornax)
    chosen = [e for e in PROGRAMS.values() if not a.names or any(n in e.name for n in a.names)]
    if a.list:
        for entry in chosen:
            print(entry.topic, entry.name)
        print(len(chosen), "programs")
        return 0
    if a.goldens:
        write_goldens()
        return 0
    if a.write:
        write_programs(a.write, chosen, a.largest)
        return 0
    begun = time.time()
    counts = collections.defaultdict(collections.Counter)
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        root = pathlib.Path(a.keep or scratch)
        waiting = []
        for entry in chosen:
            folder = root / entry.name
            folder.mkdir(parents=True, exist_ok=True)
            try:
                inputs, outputs = export(entry, folder)
            except Exception as error:  # a program JAX itself cannot run is a mistake of this folder
                counts[entry.topic]["not exported"] += 1
                print("%s: not exported: %s: %s" % (entry.name, type(error).__name__, str(error)[:300]), flush=True)
                continue
            waiting.append((entry, pool.submit(check, a, entry, folder, inputs, outputs)))
        for entry, job in waiting:
            verdict, words = job.result()
            counts[entry.topic][verdict] += 1
            if verdict != "right":
                print("%s: %s: %s" % (entry.name, verdict, words), flush=True)
    for topic, verdicts in counts.items():
        print("%-16s %s" % (topic, ", ".join("%d %s" % (n, v) for v, n in sorted(verdicts.items()))))
    total = sum(sum(c.values()) for c in counts.values())
    right = sum(c["right"] for c in counts.values())
    print("%d of %d programs right in %.0f s" % (right, total, time.time() - begun))
    return 0 if right == total else 1


if __name__ == "__main__":
    sys.exit(main())
