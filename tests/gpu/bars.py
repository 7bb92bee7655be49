#!/usr/bin/env python3
"""Measure the workloads of workloads.py and memory_workloads.py against torch (cuBLAS, cuDNN, CUB) on a GPU.

Where the compiler is:   python3 tests/gpu/bars.py pack --fornax target/release/fornax --out DIR [--only REGEX]
Where the GPU is:        python3 tests/gpu/bars.py run --fornax FORNAX --modules DIR --out OUT [--only REGEX] [--budget S]

`run` writes random inputs (normal, seeded) and checks Fornax's output against torch in higher precision (relative Frobenius error)
before it times anything. Fornax's time is the sum over the kernels of a call in `fornax bench --kernels`: each kernel many times in one
CUDA graph. The peer is torch of the same type, many calls in one CUDA graph, median of 5 replays, on the same data. Both run for 20 to
50 ms, since a GPU that multiplies for a second lowers its clock. ratio = peer time / Fornax time. `queued` is a call of Fornax in a queue of
calls, launches included. Of what is bound by memory, % is of the copy of the run, and in brackets of a copy of as many bytes as the largest kernel
moves, timed as the kernels are (same launches, same caches). Prints a table and one geometric mean a group; writes OUT/bars.json. Copy bandwidth of the run comes first.
"""
import argparse
import concurrent.futures
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from workloads import MLIR, WORKLOADS  # noqa: E402
import memory_workloads  # noqa: E402,F401


def chosen(only):
    return {n: w for n, w in WORKLOADS.items() if not only or re.search(only, n) or re.search(only, w.group)}


def pack(a):
    os.makedirs(a.out, exist_ok=True)

    def one(item):
        name, work = item
        out = os.path.join(a.out, name + ".fnx")
        with tempfile.NamedTemporaryFile("w", suffix=".mlir") as f:
            f.write(work.text)
            f.flush()
            flags = ["--quiet", "--jobs=1"] + ["--target=" + t for t in a.target or ["cuda:sm_90"]] + work.flags + a.flag
            done = subprocess.run([a.fornax, "compile", f.name, "-o", out] + flags, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return name, done.returncode, done.stdout

    failed = 0
    work = chosen(a.only)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, code, text in pool.map(one, work.items()):
            if code:
                failed += 1
                print("%s: %s" % (name, text.strip()[:400]))
    print("%d compiled, %d failed" % (len(work) - failed, failed))
    return 1 if failed else 0


def measure(torch, call):
    """Median milliseconds of a call, from replays of a CUDA graph that holds about 10 ms of calls."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(2):
            call()
        begin, end = torch.cuda.Event(True), torch.cuda.Event(True)
        begin.record()
        call()
        end.record()
        torch.cuda.synchronize()
        calls = max(1, min(64, int(10.0 / max(begin.elapsed_time(end), 1e-3))))
        graph = torch.cuda.CUDAGraph()
        try:
            with torch.cuda.graph(graph, stream=stream):
                for _ in range(calls):
                    call()
            replay = graph.replay
        except Exception:  # an op that cannot be captured is timed as it is
            torch.cuda.synchronize()

            def replay():
                for _ in range(calls):
                    call()
        replay()
        times = []
        for _ in range(5):
            begin.record()
            replay()
            end.record()
            torch.cuda.synchronize()
            times.append(begin.elapsed_time(end) / calls)
    return sorted(times)[2]


def copy_rate(torch):
    """TB/s read and written by torch's copy of 512 MiB, outside of a graph (whose copy nodes are slower): best of 5 times 10."""
    source = torch.empty(1 << 27, dtype=torch.float32, device="cuda").normal_()
    target = torch.empty_like(source)
    begin, end = torch.cuda.Event(True), torch.cuda.Event(True)
    times = []
    for _ in range(5):
        begin.record()
        for _ in range(10):
            target.copy_(source)
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end) / 10)
    return 2 * 4 * source.numel() / min(times) / 1e9


class Inputs:
    """Random tensors, and the same bytes in files, by shape and type."""

    def __init__(self, torch, folder):
        self.torch, self.folder, self.kept = torch, folder, {}

    def get(self, spec, at):
        torch, shape, dtype = self.torch, spec[0], spec[1]
        kind = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16, "f64": torch.float64, "i32": torch.int32, "i8": torch.int8,
                "f8": torch.float8_e4m3fn}[dtype]
        key = (spec, at)
        if key not in self.kept:
            generator = torch.Generator(device="cuda").manual_seed(1234 + at)
            if dtype == "i32":
                value = torch.randint(0, spec[2] if len(spec) > 2 else 1 << 30, shape, generator=generator, device="cuda", dtype=kind)
            elif dtype == "i8":
                value = torch.randint(-128, 128, shape, generator=generator, device="cuda", dtype=kind)
            else:
                value = torch.randn(shape, generator=generator, device="cuda", dtype=torch.float32).to(kind)
            path = os.path.join(self.folder, "%d_%s_%s.bin" % (at, "x".join(map(str, shape)), dtype))
            value.flatten().view(torch.uint8).cpu().numpy().tofile(path)
            self.kept[key] = (value, path)
        return self.kept[key]

    def drop(self):
        for _, path in self.kept.values():
            os.unlink(path)
        self.kept.clear()


def compare(torch, numpy, work, x, path):
    """Relative Frobenius errors of Fornax's output and, where there is a better one to compare with, of the peer's."""
    with torch.no_grad():
        expected, peers = (work.exact(torch, x) if work.exact else None), None
        if expected is None:
            expected = work.peer(torch, x)()
        elif expected.dtype.is_floating_point:
            peers = work.peer(torch, x)()
            peers = peers.permute(0, 2, 3, 1) if peers.shape != expected.shape and peers.dim() == 4 else peers
        raw = numpy.fromfile(path, dtype=numpy.uint8)
        narrow = torch.float16 if x[0].dtype == torch.float16 else torch.bfloat16
        whole, by_size = not expected.dtype.is_floating_point, {2: narrow, 4: torch.float32, 8: torch.float64}
        kind = getattr(torch, work.result) if work.result else expected.dtype if whole else by_size[raw.size // expected.numel()]
        got = torch.from_numpy(raw).cuda().view(kind).reshape(expected.shape)
        wide = torch.float64

        def error(of):
            return float(torch.linalg.vector_norm(of.to(wide) - expected.to(wide)) / torch.linalg.vector_norm(expected.to(wide)))

        return error(got), error(peers) if peers is not None and peers.shape == expected.shape else None


def bench(a, name, work, inputs, folder):
    spec = []
    for at, s in enumerate(work.inputs):
        shape = "x".join(map(str, s[0]))
        spec.append("--input=%sx%s=@%s" % (shape, MLIR[s[1]], inputs[at][1]))
    out = os.path.join(folder, "out.bin")
    command = [a.fornax, "bench", "--module=" + os.path.join(a.modules, name + ".fnx"), "--device=cuda", "--format=json", "--kernels", "--seconds=0.02",
               "--min-calls=5", "--output=@" + out] + spec
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=90)
    if done.returncode:
        raise RuntimeError((done.stderr or done.stdout).strip()[-300:])
    return json.loads(done.stdout), out


def run(a):
    import numpy
    import torch
    os.makedirs(a.out, exist_ok=True)
    start, results, groups = time.time(), {}, {}
    copy = copy_rate(torch)
    print("copy of 512 MiB: %.2f TB/s" % copy)
    print("%-34s %9s %9s %9s %6s %9s %9s  %s" % ("workload", "fornax ms", "queued", "torch ms", "ratio", "rate", "%", "error (torch's)"))
    with tempfile.TemporaryDirectory() as folder:
        inputs, last = Inputs(torch, folder), None
        for name, work in chosen(a.only).items():
            if time.time() - start > a.budget:
                print("stopped: the budget of %d s is used" % a.budget)
                break
            if not os.path.exists(os.path.join(a.modules, name + ".fnx")):
                continue
            if last != work.inputs:
                inputs.drop()
                torch.cuda.empty_cache()
            last = work.inputs
            pairs = [inputs.get(s, at) for at, s in enumerate(work.inputs)]
            x = [p[0] for p in pairs]
            torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = work.tf32
            torch.backends.cudnn.benchmark = True
            row = {"group": work.group}
            try:
                report, path = bench(a, name, work, pairs, folder)
                row["error"], row["torch_error"] = compare(torch, numpy, work, x, path)
                row["ok"] = row["error"] <= (work.tolerance or 8e-3)
                launches = report["kernels"]
                row["fornax_ms"] = sum(k["launches"] * k["launch_us"] for k in launches) / 1e3
                row["queued_ms"], row["kernels"] = report["queued_ms"], [[k["name"], k["launch_us"], k["note"]] for k in launches]
                row["torch_ms"] = measure(torch, work.peer(torch, x))
                row["ratio"] = row["torch_ms"] / row["fornax_ms"]
                rate = work.work / row["fornax_ms"] / 1e9
                row["rate"], row["percent"] = rate, 100 * rate / copy if work.kind == "byte" else None
                same = max(k["copy_us"] for k in launches) / 1e3
                row["percent_same"] = 100 * same / row["fornax_ms"] if work.kind == "byte" else None
                if row["ok"]:
                    groups.setdefault(work.group, []).append(row["ratio"])
                print("%-34s %9.4f %9.4f %9.4f %6.2f %9.2f %9s  %.1e%s%s" % (name, row["fornax_ms"], row["queued_ms"], row["torch_ms"], row["ratio"], rate,
                      "" if row["percent"] is None else "%.0f (%.0f)" % (row["percent"], row["percent_same"]), row["error"],
                      "" if row["torch_error"] is None else " (%.1e)" % row["torch_error"], "" if row["ok"] else " WRONG"), flush=True)
            except Exception as error:  # one workload that fails must not end the run
                row["failed"] = str(error)
                print("%-34s FAILED %s" % (name, str(error)[:200]), flush=True)
            results[name] = row
            json.dump({"copy_tb_s": copy, "results": results}, open(os.path.join(a.out, "bars.json"), "w"), indent=1)
        inputs.drop()
    for group, ratios in groups.items():
        print("%-12s %d right, geometric mean %.3f, least %.2f" % (group, len(ratios), math.exp(sum(map(math.log, ratios)) / len(ratios)), min(ratios)))
    return 0


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("what", choices=["pack", "run", "list"])
    p.add_argument("--fornax", default="target/release/fornax")
    p.add_argument("--out", default=".")
    p.add_argument("--modules")
    p.add_argument("--only", help="workloads or groups that match this regular expression")
    p.add_argument("--target", action="append")
    p.add_argument("--flag", action="append", default=[], help="another flag of `fornax compile`")
    p.add_argument("--budget", type=float, default=500.0, help="seconds")
    a = p.parse_args()
    if a.what == "list":
        print("\n".join("%s (%s)" % (n, w.group) for n, w in chosen(a.only).items()))
        return 0
    return pack(a) if a.what == "pack" else run(a)


if __name__ == "__main__":
    sys.exit(main())
