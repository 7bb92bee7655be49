#!/usr/bin/env python3
"""Trained ONNX models on one core of the processor: Fornax against ONNX Runtime, in one process.

    pip install onnx==1.23.2 onnxruntime==1.32.0 numpy
    pip install --no-deps magika==1.0.3 silero-vad==6.2.3 rapidocr-onnxruntime==1.4.4 ddddocr==1.6.1
    cargo build --release -p fornax-cli && cargo build --release -p fornax-python
    python3 tests/bench/onnx_trained.py target/release/fornax [NAME…] [--seconds N] [--fixed] [--flag FLAG]…

The models and inputs are those of `tests/model/check_onnx_models.py`, the largest inputs of each. Both run them in
turn; what counts is the least processor time of a call, since other work on the machine leaves that alone. A line: both
in microseconds, and Fornax against ONNX Runtime (above 1: Fornax is faster). Last, the geometric mean. With --fixed
Fornax is told the sizes of the inputs when it compiles.
"""
import argparse
import math
import os
import pathlib
import sys
import tempfile
import time

# One core: both take as many threads as there are.
os.sched_setaffinity(0, [max(os.sched_getaffinity(0))])
os.environ["FORNAX_MODULE_CACHE"] = "off"
ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "model"), str(ROOT / "pages")]
import check_onnx_models  # noqa: E402
import numpy as np  # noqa: E402
import onnx  # noqa: E402
import onnxruntime  # noqa: E402
import run as pages  # noqa: E402


def least(calls, seconds):
    """The least processor time of a call of each, which run in turn."""
    best = [math.inf] * len(calls)
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for at, call in enumerate(calls):
            begin, count = time.process_time(), 0
            # Long enough for the clock.
            while (spent := time.process_time() - begin) < 2e-3:
                call()
                count += 1
            best[at] = min(best[at], spent / count)
    return best


def sizes(path, feeds):
    """The flags that give the sizes which the file leaves open."""
    flags = {}
    for one in onnx.load(path, load_external_data=False).graph.input:
        for axis, dim in enumerate(one.type.tensor_type.shape.dim if one.name in feeds else []):
            name = dim.dim_param if dim.dim_param not in ("", "?") else f"{one.name}.{axis}"
            if dim.dim_value <= 0:
                flags[name] = feeds[one.name].shape[axis]
    return [f"--fix-size={name}={size}" for name, size in flags.items()]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("fornax", type=pathlib.Path)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--flag", action="append", default=[], help="a flag of fornax compile")
    parser.add_argument("--fixed", action="store_true", help="give the compiler all sizes")
    args = parser.parse_intermixed_args()
    fornax, ratios = args.fornax.resolve(), []
    with tempfile.TemporaryDirectory() as folder:
        sys.path.insert(0, str(pages.python_package(fornax, pathlib.Path(folder) / "package")))
        os.environ["PATH"] = os.pathsep.join([str(fornax.parent), os.environ.get("PATH", "")])
        import fornax as package

        for owner, name, runs, flags in check_onnx_models.MODELS:
            if args.names and not any(wanted in f"{owner}/{name}" for wanted in args.names):
                continue
            path, feeds = check_onnx_models.file_of(owner, name), runs[-1]
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = options.inter_op_num_threads = 1
            options.log_severity_level = 3
            peer = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
            given_sizes = sizes(path, feeds) if args.fixed else []
            flags = [*(one for one in flags if not (args.fixed and one.startswith("--fix-size"))), *given_sizes]
            module = package.compile(path, device="cpu", flags=[*flags, *args.flag])
            fixed = {flag.split("=")[1] for flag in flags if flag.startswith("--fix-input")}
            feeds = {one.name: feeds[one.name] for one in peer.get_inputs()}
            given = [value for name, value in feeds.items() if name not in fixed]
            ours, due = module(*given), peer.run(None, feeds)
            ours = ours if isinstance(ours, (tuple, list)) else [ours]
            # Random inputs end in numbers that only roughly agree; another model would not.
            np.testing.assert_allclose(ours[0], due[0], rtol=1e-2, atol=1e-2)
            fast, slow = least([lambda: module(*given), lambda: peer.run(None, feeds)], args.seconds)
            ratios.append(slow / fast)
            print(f"{owner}/{name}: {fast * 1e6:.1f}, {slow * 1e6:.1f} us: {slow / fast:.2f}", flush=True)
    print(f"geometric mean {math.exp(sum(map(math.log, ratios)) / len(ratios)):.2f}")


if __name__ == "__main__":
    main()
