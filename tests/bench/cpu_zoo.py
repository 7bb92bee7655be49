#!/usr/bin/env python3
"""Whole models on the processor: Fornax against XLA and ONNX Runtime, in turn.

    pip install jax==0.10.2 numpy onnx onnxruntime
    python3 tests/bench/cpu_zoo.py --fornax target/debug/fornax --models DIR [--threads 2] [--only NAME,…]

DIR has a folder for each model: model.mlir (StableHLO), args.json as tests/gpu/zoo_export.py writes it, and model.onnx
where ONNX Runtime has the same net. Fornax compiles model.mlir for its default processors, weights as named parameters;
XLA runs the same text. Weights and inputs are random, within `lo` and `hi` of an argument's `gen` if it has that.

Each peer is a process of its own. The peers are timed one after another, `--rounds` times `--seconds` each; what counts
is the least wall time of a call, in milliseconds. Where Linux groups processes by session, this one is put before the
others (root; else it says so), so that a machine with other work disturbs little. *base* is another binary of Fornax,
for before and after; *onnx* is Fornax with model.onnx. error: relative l2 of the first result against XLA's.
"""
import argparse
import json
import math
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import time

import numpy as np

ELEMENTS = {"f32": np.float32, "i32": np.int32, "i64": np.int64, "i1": np.bool_}
# How this session stands to others, where the kernel groups processes by session: as `nice` counts.
BEFORE_OTHERS = -15


def arguments_of(folder):
    """The manifest, and each argument's entry with an array."""
    manifest, arrays = json.loads((folder / "args.json").read_text()), []
    for at, entry in enumerate(manifest["args"]):
        rng, rule, element = np.random.default_rng(at), entry.get("gen", {}), ELEMENTS[entry["dtype"]]
        low, high = (element(rule.get(bound, default)) for bound, default in (("lo", 0), ("hi", 1)))
        if "value" in rule:
            array = np.full(entry["shape"], rule["value"], element)
        elif element is np.float32:
            if not rule:
                low, high = (0.5, 1.5) if "var" in entry["name"] else (-0.05, 0.05)
            array = rng.random(entry["shape"], np.float32) * np.float32(high - low) + np.float32(low)
        else:
            array = rng.integers(low, high, entry["shape"]).astype(element)
        arrays.append((entry, np.ascontiguousarray(array)))
    return manifest, arrays


def save_weights(path, named):
    """A safetensors file."""
    header, at = {}, 0
    for name, array in named:
        header[name] = {"dtype": "F32", "shape": list(array.shape), "data_offsets": [at, at + array.nbytes]}
        at += array.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for _, array in named:
            file.write(array.tobytes())


def least(call, seconds):
    """The least wall time of a call."""
    call()
    best, count, end = math.inf, 0, time.perf_counter() + seconds
    while count < 4 or time.perf_counter() < end:
        begin = time.perf_counter()
        call()
        best, count = min(best, time.perf_counter() - begin), count + 1
    return best


def xla(folder, _):
    import jax
    import jax.extend.mlir  # noqa: F401  # registers the dialects
    from jax._src.lib import xla_client
    manifest, arrays = arguments_of(folder)
    text = (folder / "model.mlir").read_text().replace("@%s(" % manifest["entry"], "@main(")
    given = [jax.device_put(array) for _, array in arrays]
    devices = xla_client.DeviceList(tuple(jax.devices()[:1]))
    program = jax.devices()[0].client.compile_and_load(text, devices, xla_client.CompileOptions())
    return lambda: [result.block_until_ready() for result in program.execute(given)][0]


def ort(folder, threads):
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads, options.log_severity_level = threads, 1, 3
    session = onnxruntime.InferenceSession(str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"])
    binding, rng = session.io_binding(), np.random.default_rng(0)
    for one in session.get_inputs():
        floats = one.type == "tensor(float)"
        whole = np.int64 if one.type == "tensor(int64)" else np.int32
        binding.bind_cpu_input(one.name, rng.random(one.shape, np.float32) if floats else np.ones(one.shape, whole))
    for one in session.get_outputs():
        binding.bind_output(one.name)
    return lambda: (session.run_with_iobinding(binding), binding.get_outputs()[0].numpy())[1]


def serve(kind, threads):
    """A peer's process: requests are lines of JSON."""
    call = None
    for line in sys.stdin:
        request, answer = json.loads(line), {}
        try:
            if "seconds" in request:
                answer = {"least": least(call, request["seconds"])}
            else:
                call = None
                call = {"xla": xla, "ort": ort}[kind](pathlib.Path(request["folder"]), threads)
                np.save(request["output"], np.asarray(call()))
        except Exception as error:  # a peer that cannot run a model has no figure for it
            answer = {"error": repr(error)[:200]}
        print(json.dumps(answer), flush=True)


class Peer:
    def __init__(self, kind, pin, threads, scratch):
        command = pin + [sys.executable, __file__, "--serve", kind, "--threads", str(threads)]
        environment = dict(os.environ, JAX_PLATFORMS="cpu")
        self.output = scratch / (kind + ".npy")
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self.process = subprocess.Popen(command, env=environment, **pipes)

    def ask(self, **request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def prepare(self, folder):
        return self.ask(folder=str(folder), output=str(self.output))

    def time(self, seconds):
        return self.ask(seconds=seconds)


class Fornax:
    def __init__(self, binary, pin, from_onnx, scratch):
        self.binary, self.pin, self.from_onnx, self.scratch = binary, pin, from_onnx, scratch
        self.output = scratch / "fornax.npy"

    def call(self, *command, pin=(), **other):
        done = subprocess.run([*pin, self.binary, *command], capture_output=True, text=True, **other)
        return {"error": done.stderr[:300]} if done.returncode else {"out": done.stdout}

    def prepare(self, folder):
        module = self.scratch / "model.fnx"
        self.arguments, flags = ["--device=cpu", "--module=%s" % module], []
        if self.from_onnx:
            import onnx
            source = folder / "model.onnx"
            for one in onnx.load(source, load_external_data=False).graph.input:
                ty = one.type.tensor_type
                sizes = "x".join(str(dim.dim_value) for dim in ty.shape.dim)
                values = {1: "f32=random:1", 6: "i32=1", 7: "i64=1"}[ty.elem_type]
                self.arguments.append("--input=%sx%s" % (sizes, values))
        else:
            source, flags = folder / "model.mlir", ["--parameters-from=%s" % (folder / "args.json")]
            arrays, weights = arguments_of(folder)[1], self.scratch / "weights.safetensors"
            save_weights(weights, [(entry["name"], array) for entry, array in arrays if entry["kind"] == "weight"])
            self.arguments.append("--parameters=%s" % weights)
            for at, array in enumerate(array for entry, array in arrays if entry["kind"] != "weight"):
                file = self.scratch / ("input%d.npy" % at)
                np.save(file, array)
                self.arguments.append("--input=@%s" % file)
        # A session of its own: compiling goes behind what others do.
        made = self.call("compile", "--quiet", str(source), "-o", str(module), *flags, start_new_session=True)
        if "error" in made or self.from_onnx:
            return made
        return self.call("run-module", "--output=@%s" % self.output, *self.arguments)

    def time(self, seconds):
        took = ["--format=json", "--min-calls=4", "--warmup=2", "--seconds=%g" % seconds]
        answer = self.call("bench", *took, *self.arguments, pin=self.pin)
        return answer if "error" in answer else {"least": json.loads(answer["out"])["min_ms"] / 1e3}


def error_of(found, due):
    found, due = (np.load(path).astype(np.float64) for path in (found, due))
    return np.linalg.norm(found - due) / np.linalg.norm(due) if found.shape == due.shape else math.inf


def compare(folder, peers, arguments):
    """The least time of each peer, and what failed."""
    best, failed = {}, {}
    for name, peer in peers.items():
        answer = peer.prepare(folder)
        if "error" in answer:
            failed[name] = answer["error"]
    for _ in range(arguments.rounds):
        for name, peer in peers.items():
            if name not in failed:
                answer = peer.time(arguments.seconds)
                failed.update({name: answer["error"]} if "error" in answer else {})
                best[name] = min(best.get(name, math.inf), answer.get("least", math.inf))
    return best, failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fornax", default="target/debug/fornax")
    parser.add_argument("--base", help="another binary of Fornax")
    parser.add_argument("--models", type=pathlib.Path)
    parser.add_argument("--only", default="", help="parts of names")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--peers", default="fornax,xla,ort", help="of fornax, base, onnx, xla, ort")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=0.3)
    parser.add_argument("--serve", choices=["xla", "ort"], help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        return serve(arguments.serve, arguments.threads)
    if os.getsid(0) != os.getpid():
        return subprocess.call([sys.executable] + sys.argv, start_new_session=True)
    try:
        pathlib.Path("/proc/self/autogroup").write_text(str(BEFORE_OTHERS))
    except OSError as why:
        print("not put before other work: %s" % why)
    cores = sorted(os.sched_getaffinity(0))[-arguments.threads:]
    pin, kinds, peers, ratios = ["taskset", "-c", ",".join(map(str, cores))], arguments.peers.split(","), {}, []
    print(time.strftime("%F %T"), "threads %d, load %.1f" % (arguments.threads, os.getloadavg()[0]))
    print("%-20s" % "model" + "".join("%11s" % kind for kind in kinds) + "%8s%9s" % ("ratio", "error"), flush=True)
    with tempfile.TemporaryDirectory() as temporary:
        for kind in kinds:
            scratch = pathlib.Path(temporary) / kind
            scratch.mkdir()
            binary = arguments.base if kind == "base" else arguments.fornax
            if kind in ("xla", "ort"):
                peers[kind] = Peer(kind, pin, arguments.threads, scratch)
            else:
                peers[kind] = Fornax(binary, pin, kind == "onnx", scratch)
        for folder in sorted(path.parent for path in arguments.models.glob("*/args.json")):
            if not any(part in folder.name for part in arguments.only.split(",")):
                continue
            best, failed = compare(folder, peers, arguments)
            line = "%-20s" % folder.name + "".join("%11.3f" % (1e3 * best.get(kind, math.nan)) for kind in kinds)
            others = [best[kind] for kind in ("xla", "ort") if kind in best]
            if "fornax" in best and others:
                ratios.append(min(others) / best["fornax"])
                line += "%8.2f" % ratios[-1]
            if "fornax" in best and "xla" in best:
                line += "%9.1e" % error_of(peers["fornax"].output, peers["xla"].output)
            print(line, *failed.items(), flush=True)
    if ratios:
        print("geometric mean %.2f, least %.2f" % (math.exp(np.mean(np.log(ratios))), min(ratios)))


if __name__ == "__main__":
    sys.exit(main())
