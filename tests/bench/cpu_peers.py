#!/usr/bin/env python3
"""Kernels and models on the CPU: Fornax against XLA (JAX) and ONNX Runtime, in one run.

    pip install jax==0.10.2 keras==3.15.1 numpy onnx onnxruntime
    python3 tests/bench/cpu_peers.py --fornax target/release/fornax --threads 1 --group gemm
    python3 tests/bench/cpu_peers.py --fornax … --group models --models DIR

Groups: gemm, dense, rows, conv, depthwise, attention, models (`--group a,b`; `--name TEXT` picks by part of the name).
DIR holds folders that `tests/model/check_models.py --export-only` wrote.

Every workload is a JAX function. Fornax compiles its StableHLO for `--target`; XLA runs it with weights as arguments; ONNX
Runtime runs an ONNX graph of the same operation with weights as initialisers, convolutions in its own layout (NCHW); models by
`onnx_models`.
The peers run in processes of their own, pinned to the first `--threads` cores, one after another and `--rounds` times in turn;
each round times calls for `--seconds`. A line: for each peer the least median of the rounds and, after the slash, the least mean
processor time of a call, in microseconds; GFLOP/s or GB/s; Fornax against the better peer by either (> 1: Fornax is faster). On a
machine with other work the processor time with one thread is the one to look at. Numbers are compared before: the largest
difference to the f64 result, relative to the largest value.
"""
import argparse
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

WORKLOADS = []


class Workload:
    """One operation: `function(*inputs, *weights)` in jnp, the ONNX nodes that compute the same, what it costs."""

    def __init__(self, group, name, function, inputs, weights, onnx, flops=0, bytes_moved=0, layout=None):
        self.group, self.name, self.function = group, name, function
        self.shapes, self.weights, self.onnx = inputs, weights, onnx
        self.flops, self.bytes_moved, self.layout = flops, bytes_moved, layout
        WORKLOADS.append(self)

    def arrays(self):
        rng = np.random.default_rng(sum(self.name.encode()))
        draw = lambda shape: rng.standard_normal(shape).astype(np.float32)
        return [draw(s) for s in self.shapes], [draw(s) / np.float32(math.sqrt(max(s[0], 1))) for s in self.weights]


def node(op, inputs, outputs, **attributes):
    return (op, inputs, outputs, attributes)


def define():
    import jax
    import jax.numpy as jnp
    from jax import lax

    def product(m, k, n):
        Workload("gemm", "gemm %dx%dx%d" % (m, k, n), lambda a, b: a @ b, [(m, k), (k, n)], [],
                 [node("MatMul", ["x0", "x1"], ["y"])], flops=2 * m * n * k)

    for n in (64, 127, 128, 256, 384, 512, 768, 1024, 1536, 2048):
        product(n, n, n)
    for shape in ((1000, 33, 129), (33, 1000, 129), (129, 1000, 33), (512, 64, 512), (64, 2048, 64), (17, 4096, 1000)):
        product(*shape)
    Workload("gemm", "gemm a·bT 512", lambda a, b: a @ b.T, [(512, 512), (512, 512)], [],
             [node("Transpose", ["x1"], ["t"], perm=[1, 0]), node("MatMul", ["x0", "t"], ["y"])], flops=2 * 512**3)
    Workload("gemm", "gemm aT·b 512", lambda a, b: a.T @ b, [(512, 512), (512, 512)], [],
             [node("Transpose", ["x0"], ["t"], perm=[1, 0]), node("MatMul", ["t", "x1"], ["y"])], flops=2 * 512**3)

    def dense(m, k, n):
        Workload("dense", "dense %dx%dx%d" % (m, k, n), lambda x, w, b: x @ w + b, [(m, k)], [(k, n), (n,)],
                 [node("MatMul", ["x0", "w0"], ["t"]), node("Add", ["t", "w1"], ["y"])], flops=2 * m * n * k)

    for m in (1, 8, 128):
        for k, n in ((768, 768), (768, 2304), (768, 3072), (3072, 768)):
            dense(m, k, n)
    dense(1, 2048, 1000)
    dense(1, 4096, 11008)

    def norm(x, scale, bias):
        mean = x.mean(-1, keepdims=True)
        variance = ((x - mean) ** 2).mean(-1, keepdims=True)
        return (x - mean) * lax.rsqrt(variance + 1e-5) * scale + bias

    for rows, columns in ((128, 768), (512, 1000), (4096, 768), (1024, 4096)):
        size = "%dx%d" % (rows, columns)
        moved = 8 * rows * columns
        Workload("rows", "softmax " + size, lambda x: jax.nn.softmax(x, axis=-1), [(rows, columns)], [],
                 [node("Softmax", ["x0"], ["y"], axis=-1)], bytes_moved=moved)
        Workload("rows", "layernorm " + size, norm, [(rows, columns)], [(columns,), (columns,)],
                 [node("LayerNormalization", ["x0", "w0", "w1"], ["y"], axis=-1, epsilon=1e-5)], bytes_moved=moved)
        Workload("rows", "gelu " + size, lambda x: jax.nn.gelu(x, approximate=False), [(rows, columns)], [],
                 [node("Gelu", ["x0"], ["y"])], bytes_moved=moved)
    Workload("rows", "softmax 1536x128", lambda x: jax.nn.softmax(x, axis=-1), [(1536, 128)], [],
             [node("Softmax", ["x0"], ["y"], axis=-1)], bytes_moved=8 * 1536 * 128)

    def convolution(group, size, features, outputs, kernel, stride, groups=1, batch=1):
        pad = (kernel - 1) // 2
        out = (size + 2 * pad - kernel) // stride + 1
        function = lambda x, w: lax.conv_general_dilated(
            x, w, (stride, stride), ((pad, pad), (pad, pad)), dimension_numbers=("NHWC", "HWIO", "NHWC"),
            feature_group_count=groups)
        name = "conv %d² %d→%d %d×%d/%d" % (size, features, outputs, kernel, kernel, stride)
        attributes = dict(strides=[stride] * 2, pads=[pad] * 4, kernel_shape=[kernel] * 2, group=groups)
        flops = 2 * batch * out * out * outputs * (features // groups) * kernel * kernel
        Workload(group, name + (" dw" if groups > 1 else ""), function, [(batch, size, size, features)],
                 [(kernel, kernel, features // groups, outputs)], [node("Conv", ["x0", "w0"], ["y"], **attributes)],
                 flops=flops, layout="image")

    convolution("conv", 224, 3, 64, 7, 2)
    for size, width in ((56, 64), (28, 128), (14, 256), (7, 512)):
        before = 2 * width if size < 56 else width
        if size < 56:
            convolution("conv", 2 * size, 2 * width, width, 1, 2)
            convolution("conv", 2 * size, 2 * width, 4 * width, 1, 2)
        else:
            convolution("conv", size, width, width, 1, 1)
        convolution("conv", size, width, width, 3, 1)
        convolution("conv", size, width, 4 * width, 1, 1)
        convolution("conv", size, 4 * width, width, 1, 1)
        del before
    for size, features, stride in ((112, 32, 1), (112, 96, 2), (56, 144, 1), (56, 144, 2), (28, 192, 1), (28, 192, 2),
                                   (14, 384, 1), (14, 576, 1), (14, 576, 2), (7, 960, 1)):
        convolution("depthwise", size, features, features, 3, stride, groups=features)

    def attention(q, k, v):
        scores = jnp.einsum("bhqd,bhkd->bhqk", q, k) * np.float32(0.125)
        return jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(scores), v)

    for heads, length, features in ((12, 128, 64), (12, 512, 64), (8, 1024, 64), (32, 77, 80), (5, 197, 33)):
        nodes = [node("Transpose", ["x1"], ["kt"], perm=[0, 1, 3, 2]), node("MatMul", ["x0", "kt"], ["s"]),
                 node("Mul", ["s", "scale"], ["t"]), node("Softmax", ["t"], ["p"], axis=-1),
                 node("MatMul", ["p", "x2"], ["y"])]
        shape = (1, heads, length, features)
        Workload("attention", "attention %d×%d×%d" % (heads, length, features), attention, [shape] * 3, [], nodes,
                 flops=4 * heads * length * length * features)


# Peers: a process each, commands as lines of JSON ----------------------------------------------------------------------


def measure(call, seconds):
    call()
    times, end, used = [], time.perf_counter() + seconds, time.process_time()
    while len(times) < 5 or time.perf_counter() < end:
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    used = (time.process_time() - used) / len(times)
    return sorted(times)[len(times) // 2], used


class Xla:
    def __init__(self, threads):
        os.environ["JAX_PLATFORMS"] = "cpu"
        import jax
        self.jax, self.version = jax, "jax " + jax.__version__
        define()

    def prepare(self, workload):
        inputs, weights = workload.arrays()
        arguments = [self.jax.device_put(a) for a in inputs + weights]
        compiled = self.jax.jit(workload.function).lower(*arguments).compile()
        return lambda: compiled(*arguments).block_until_ready()

    def prepare_model(self, folder):
        import jax.extend.mlir  # noqa: F401  # registers the dialects
        from jax._src.lib import xla_client
        entry = json.loads((folder / "args.json").read_text())["entry"]
        text = (folder / "model.mlir").read_text().replace("@%s(" % entry, "@main(")
        arguments = [self.jax.device_put(a) for a in model_arguments(folder).values()]
        client = self.jax.devices()[0].client
        devices = xla_client.DeviceList(tuple(self.jax.devices()[:1]))
        executable = client.compile_and_load(text, devices, xla_client.CompileOptions())
        return lambda: executable.execute(arguments)[0].block_until_ready()


class Onnx:
    def __init__(self, threads):
        import onnxruntime
        self.ort, self.threads, self.version = onnxruntime, threads, "onnxruntime " + onnxruntime.__version__
        os.environ["JAX_PLATFORMS"] = "cpu"
        define()

    def prepare(self, workload):
        import onnx
        from onnx import TensorProto, helper, numpy_helper
        inputs, weights = workload.arrays()
        if workload.layout == "image":
            inputs = [np.ascontiguousarray(x.transpose(0, 3, 1, 2)) for x in inputs]
            weights = [np.ascontiguousarray(w.transpose(3, 2, 0, 1)) for w in weights]
        constants = [numpy_helper.from_array(w, "w%d" % at) for at, w in enumerate(weights)]
        if any("scale" in i for _, i, _, _ in workload.onnx):
            constants.append(numpy_helper.from_array(np.float32(0.125), "scale"))
        nodes = [helper.make_node(op, i, o, **a) for op, i, o, a in workload.onnx]
        values = [helper.make_tensor_value_info("x%d" % at, TensorProto.FLOAT, x.shape) for at, x in enumerate(inputs)]
        result = [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)]
        graph = helper.make_graph(nodes, "g", values, result, constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
        return self.session(model.SerializeToString(), {"x%d" % at: x for at, x in enumerate(inputs)})

    def session(self, model, inputs):
        options = self.ort.SessionOptions()
        options.intra_op_num_threads = self.threads
        options.inter_op_num_threads = 1
        session = self.ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        binding = session.io_binding()
        for name, x in inputs.items():
            binding.bind_cpu_input(name, x)
        for output in session.get_outputs():
            binding.bind_output(output.name)
        return lambda: (session.run_with_iobinding(binding), binding.get_outputs()[0])[1]

    def prepare_model(self, folder):
        import onnx_models
        named = model_arguments(folder)
        model, name = onnx_models.build(folder.name, {k: v for k, v in named.items() if k})
        return self.session(model, {name: named[None]})


def model_arguments(folder):
    """Arrays by name in the order of the arguments; the input has the name None."""
    import struct
    manifest = json.loads((folder / "args.json").read_text())
    raw = (folder / "weights.safetensors").read_bytes()
    (length,) = struct.unpack("<Q", raw[:8])
    header = json.loads(raw[8:8 + length])
    arguments = {}
    for entry in manifest["args"]:
        if entry["kind"] == "input":
            arguments[None] = np.load(folder / "in_random_0.npy")
        else:
            row = header[entry["name"]]
            low, high = (8 + length + o for o in row["data_offsets"])
            arguments[entry["name"]] = np.frombuffer(raw[low:high], np.float32).reshape(row["shape"])
    return arguments


def serve(kind, threads):
    peer = {"xla": Xla, "onnx": Onnx}[kind](threads)
    calls = {}
    print(json.dumps({"version": peer.version}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            if request["do"] == "time":
                median, used = measure(calls[request["name"]], request["seconds"])
                answer = {"median": median, "used": used}
            elif request["do"] == "forget":
                calls.clear()
                answer = {}
            else:
                if "folder" in request:
                    call = peer.prepare_model(pathlib.Path(request["folder"]))
                else:
                    call = peer.prepare(next(w for w in WORKLOADS if w.name == request["name"]))
                calls[request["name"]] = call
                result = call()
                np.save(request["output"], np.asarray(result.numpy() if kind == "onnx" else result))
                answer = {}
        except Exception as error:  # a peer that cannot do a workload has no figure for it
            answer = {"error": "%s: %s" % (type(error).__name__, str(error).splitlines()[0][:200])}
        print(json.dumps(answer), flush=True)


class Process:
    def __init__(self, kind, cores, threads):
        self.kind = kind
        pin = ["taskset", "-c", cores]
        self.process = subprocess.Popen(pin + [sys.executable, __file__, "--serve", kind, "--threads", str(threads)],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.version = json.loads(self.process.stdout.readline())["version"]

    def ask(self, **request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


class Fornax:
    def __init__(self, binary, target, cores, folder):
        self.binary, self.target, self.folder = binary, target, folder
        self.pin, self.files = ["taskset", "-c", cores], {}

    def compile(self, name, model, extra):
        module = self.folder / ("%d.fnx" % len(self.files))
        command = [self.binary, "compile", "--quiet", "--target=" + self.target, str(model), "-o", str(module)] + extra
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip())
        return module

    def prepare(self, workload, output):
        import jax
        inputs, weights = workload.arrays()
        text = jax.jit(workload.function).lower(*inputs, *weights).as_text()
        model = self.folder / "model.mlir"
        model.write_text(text)
        extra = ["--parameter-args=%d.." % len(inputs)] if weights else []
        module = self.compile(workload.name, model, extra)
        arguments = ["--module=%s" % module]
        for at, x in enumerate(inputs):
            file = self.folder / ("%d_in%d.npy" % (len(self.files), at))
            np.save(file, x)
            arguments.append("--input=@%s" % file)
        if weights:
            file = self.folder / ("%d.npz" % len(self.files))
            np.savez(file, **{"arg%d" % (len(inputs) + at): w for at, w in enumerate(weights)})
            arguments.append("--parameters=%s" % file)
        return self.first(workload.name, arguments, output)

    def prepare_model(self, name, folder, output):
        extra = ["--parameters-from=%s" % (folder / "args.json")]
        module = self.compile(name, folder / "model.mlir", extra)
        arguments = ["--module=%s" % module, "--input=@%s" % (folder / "in_random_0.npy"),
                     "--parameters=%s" % (folder / "weights.safetensors")]
        return self.first(name, arguments, output)

    def first(self, name, arguments, output):
        self.files[name] = arguments
        done = subprocess.run([self.binary, "run-module", "--device=cpu", "--output=@%s" % output] + arguments,
                              capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip())
        return {}

    def time(self, name, seconds):
        command = self.pin + [self.binary, "bench", "--device=cpu", "--format=json", "--min-calls=5",
                              "--seconds=%g" % (seconds / 2)] + self.files[name]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            return {"error": done.stderr.strip()}
        report = json.loads(done.stdout)
        return {"median": report["median_ms"] / 1e3, "used": report["processor_ms"] / 1e3}


def exact(workload):
    """The result in f64, or None where that takes too long."""
    import jax
    if workload.flops > 4e9:
        return None
    inputs, weights = workload.arrays()
    with jax.enable_x64(True):
        return np.asarray(jax.jit(workload.function)(*[a.astype(np.float64) for a in inputs + weights]))


def error_of(found, expected, image):
    if image and found.shape != expected.shape:
        found = found.transpose(0, 2, 3, 1)
    return float(np.abs(found - expected).max() / np.abs(expected).max())


def run(arguments):
    os.environ["JAX_PLATFORMS"] = "cpu"
    define()
    groups = arguments.group.split(",")
    chosen = [w for w in WORKLOADS if w.group in groups and arguments.name in w.name]
    models = []
    if "models" in groups and arguments.models:
        models = sorted(p for p in pathlib.Path(arguments.models).iterdir() if (p / "args.json").exists() and arguments.name in p.name)
    cores = ",".join(str(c) for c in sorted(os.sched_getaffinity(0))[-arguments.threads:])
    peers = {kind: Process(kind, cores, arguments.threads) for kind in arguments.peers.split(",") if kind}
    versions = ", ".join(p.version for p in peers.values())
    print("%s threads %d target %s load %.1f; %s" % (time.strftime("%F %T"), arguments.threads, arguments.target, os.getloadavg()[0], versions))
    columns = ["fornax"] + list(peers)
    print("%-34s" % "workload" + "".join("%19s" % c for c in columns) + "%15s %7s %7s" % ("fornax", "ratio", "cpu"))
    ratios = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        ours = Fornax(arguments.fornax, arguments.target, cores, folder)
        for item in chosen + models:
            name = item.name
            row = compare(item, ours, peers, folder, arguments)
            if "ratio" in row:
                group = item.group if isinstance(item, Workload) else "models"
                ratios.setdefault(group, []).append((row["ratio"], row["used"]))
            print("%-34s" % name + row["text"], flush=True)
    for group, values in ratios.items():
        for kind, column in zip(("wall", "cpu"), zip(*values)):
            geomean, good = math.exp(np.mean(np.log(column))), sum(v >= 1 for v in column)
            print("%s, %s: geomean %.2f, least %.2f, %d of %d at least 1" % (group, kind, geomean, min(column), good, len(column)))


def compare(item, ours, peers, folder, arguments):
    model = isinstance(item, pathlib.Path)
    errors, failed, results = {}, {}, {}
    for kind in ["fornax"] + list(peers):
        output = folder / (kind + ".npy")
        if kind == "fornax":
            answer = ours.prepare_model(item.name, item, output) if model else ours.prepare(item, output)
        elif model:
            answer = peers[kind].ask(do="prepare", name=item.name, folder=str(item), output=str(output))
        else:
            answer = peers[kind].ask(do="prepare", name=item.name, output=str(output))
        if "error" in answer:
            failed[kind] = answer["error"]
        else:
            results[kind] = np.load(output)
    expected = np.load(item / "out_random.npy") if model else exact(item)
    if expected is None:
        expected = next((results[k] for k in ("xla", "onnx") if k in results), results["fornax"])
    for kind, found in results.items():
        errors[kind] = error_of(found.astype(np.float64), expected, not model and item.layout == "image")
    best = {}
    for _ in range(arguments.rounds):
        for kind in results:
            answer = ours.time(item.name, arguments.seconds) if kind == "fornax" else peers[kind].ask(do="time", name=item.name, seconds=arguments.seconds)
            if "error" in answer:
                failed[kind] = answer["error"]
                continue
            old = best.get(kind, (math.inf, math.inf))
            best[kind] = (min(old[0], answer["median"]), min(old[1], answer["used"]))
    for peer in peers.values():
        peer.ask(do="forget")
    text = "".join("%10.1f/%8.1f" % tuple(1e6 * t for t in best[k]) if k in best else "%19s" % "–" for k in ["fornax"] + list(peers))
    row = {}
    speed = ""
    if not model and "fornax" in best:
        speed = "%.1f GF/s" % (item.flops / best["fornax"][1] / 1e9) if item.flops else "%.1f GB/s" % (item.bytes_moved / best["fornax"][1] / 1e9)
    others = [best[k][0] for k in peers if k in best]
    if "fornax" in best and others:
        row["ratio"] = min(others) / best["fornax"][0]
        text += "%15s %7.2f" % (speed, row["ratio"])
        row["used"] = min(best[k][1] for k in peers if k in best) / best["fornax"][1]
        text += " %7.2f" % row["used"]
    else:
        text += "%15s" % speed
    wrong = ["%s off by %.1e" % (k, e) for k, e in errors.items() if not e < arguments.tolerance]
    row["text"] = text + "".join("  ! " + w for w in wrong) + "".join("  (%s: %s)" % f for f in failed.items())
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fornax", default="target/release/fornax")
    parser.add_argument("--target", default="cpu:native")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--group", default="gemm,dense,rows,conv,depthwise,attention")
    parser.add_argument("--name", default="")
    parser.add_argument("--peers", default="xla,onnx")
    parser.add_argument("--models", default="")
    parser.add_argument("--seconds", type=float, default=0.2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tolerance", type=float, default=2e-5)
    parser.add_argument("--serve", choices=["xla", "onnx"])
    arguments = parser.parse_args()
    if arguments.serve:
        serve(arguments.serve, arguments.threads)
    else:
        run(arguments)


if __name__ == "__main__":
    main()
