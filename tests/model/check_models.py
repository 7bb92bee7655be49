#!/usr/bin/env python3
"""Export real models, compile and run them with Fornax, compare with JAX on the CPU.

    pip install jax==0.10.2 keras==3.15.1 numpy ml_dtypes
    python3 tests/model/check_models.py --fornax target/release/fornax [--device cpu] [--target rocm:gfx942] [--image-size 224] [NAME...]

Models: mobilenet_v2, resnet50 (keras.applications), bert_base (a plain jnp encoder of BERT-base's sizes, sequence 128),
each f32, batch 1, weights drawn from a fixed seed. Each is compiled twice: weights as named parameters in a
safetensors file, and (--constants) weights as constants in the text. Inputs: all zero, and random.

Prints a line a run: compile seconds, peak memory of the compiler, call milliseconds, relative l2 error. Exit code 1 if an
error is above --tolerance. --export-only DIR writes model.mlir, args.json, weights.safetensors, in_*.npy, out_*.npy.
"""
import argparse
import json
import os
import resource
import struct
import subprocess
import sys
import tempfile
import time

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("KERAS_BACKEND", "jax")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import numpy as np


def keras_model(name, size):
    """-> (function(x, *weights), input arrays by kind, {weight name: array})"""
    import keras

    keras.utils.set_random_seed(7)
    model = getattr(keras.applications, name)(weights=None, input_shape=(size, size, 3))
    variables = model.trainable_variables + model.non_trainable_variables
    trainable = len(model.trainable_variables)
    rng = np.random.default_rng(11)
    values = {}
    for at, v in enumerate(variables):
        shape, path = tuple(v.shape), "%03d/%s" % (at, v.path)
        if path.endswith(("gamma", "variance", "moving_variance")):
            values[path] = rng.uniform(0.8, 1.2, shape)
        elif len(shape) <= 1:
            values[path] = rng.uniform(-0.05, 0.05, shape)
        else:
            fan = np.prod(shape[:-1]) if "depthwise" not in path else np.prod(shape[:2])
            values[path] = rng.normal(0, np.sqrt(2.0 / fan), shape)
    values = {k: v.astype(np.float32) for k, v in values.items()}

    def predict(image, *weights):
        return model.stateless_call(list(weights[:trainable]), list(weights[trainable:]), image, training=False)[0]

    shape = (1, size, size, 3)
    return predict, {"zero": [np.zeros(shape, np.float32)], "random": [rng.uniform(-1, 1, shape).astype(np.float32)]}, values


def bert_base(_):
    """BERT-base encoder, [1, 128] token ids -> [1, 128, 768]: 12 layers, 12 heads, post-norm, exact gelu."""
    import jax
    import jax.numpy as jnp

    width, heads, layers, inner, vocabulary, length = 768, 12, 12, 3072, 30522, 128
    rng = np.random.default_rng(5)
    values = {}

    def weight(name, *shape, scale=0.02, offset=0.0):
        values[name] = (offset + rng.normal(0, scale, shape)).astype(np.float32)

    weight("embedding/tokens", vocabulary, width)
    weight("embedding/positions", length, width)
    for norm in ["embedding/norm"] + ["layer%d/norm%d" % (l, n) for l in range(layers) for n in (1, 2)]:
        weight(norm + "/scale", width, scale=0.05, offset=1.0)
        weight(norm + "/bias", width, scale=0.05)
    for l in range(layers):
        for part, rows, columns in [("q", width, width), ("k", width, width), ("v", width, width), ("o", width, width), ("up", width, inner), ("down", inner, width)]:
            weight("layer%d/%s/kernel" % (l, part), rows, columns)
            weight("layer%d/%s/bias" % (l, part), columns)
    names = list(values)

    def predict(ids, *weights):
        w = dict(zip(names, weights))

        def norm(x, name):
            mean = x.mean(-1, keepdims=True)
            variance = ((x - mean) ** 2).mean(-1, keepdims=True)
            return (x - mean) * jax.lax.rsqrt(variance + 1e-12) * w[name + "/scale"] + w[name + "/bias"]

        def dense(x, name):
            return x @ w[name + "/kernel"] + w[name + "/bias"]

        x = norm(w["embedding/tokens"][ids] + w["embedding/positions"], "embedding/norm")
        for l in range(layers):
            p = "layer%d/" % l
            split = lambda t: t.reshape(1, length, heads, width // heads).transpose(0, 2, 1, 3)
            q, k, v = (split(dense(x, p + n)) for n in "qkv")
            scores = q @ k.transpose(0, 1, 3, 2) / np.float32(np.sqrt(width // heads))
            mixed = (jax.nn.softmax(scores) @ v).transpose(0, 2, 1, 3).reshape(1, length, width)
            x = norm(x + dense(mixed, p + "o"), p + "norm1")
            x = norm(x + dense(jax.nn.gelu(dense(x, p + "up"), approximate=False), p + "down"), p + "norm2")
        return x

    ids = {"zero": [np.zeros((1, length), np.int32)], "random": [rng.integers(0, vocabulary, (1, length)).astype(np.int32)]}
    return predict, ids, values


MODELS = {
    "mobilenet_v2": lambda size: keras_model("MobileNetV2", size),
    "resnet50": lambda size: keras_model("ResNet50", size),
    "bert_base": bert_base,
}


def write_safetensors(path, tensors):
    header, offset = {}, 0
    for name, array in tensors.items():
        header[name] = {"dtype": "F32", "shape": list(array.shape), "data_offsets": [offset, offset + array.nbytes]}
        offset += array.nbytes
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text)
        for array in tensors.values():
            f.write(np.ascontiguousarray(array).tobytes())


def export(name, folder, constants, size):
    import jax

    function, inputs, weights = MODELS[name](size)
    arrays = list(weights.values())
    first = inputs["random"]
    specs = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in first]
    if constants:
        # Constants print as hex text; jax closes over the arrays.
        text = jax.jit(lambda *x: function(*x, *[jax.numpy.asarray(a) for a in arrays])).lower(*specs).as_text()
    else:
        text = jax.jit(function).lower(*specs, *[jax.ShapeDtypeStruct(a.shape, a.dtype) for a in arrays]).as_text()
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "model.mlir"), "w") as f:
        f.write(text.replace("@main(", "@predict("))
    write_safetensors(os.path.join(folder, "weights.safetensors"), weights)
    dtype = {"float32": "f32", "int32": "i32"}
    args = [{"name": "input%d" % i, "kind": "input", "shape": list(a.shape), "dtype": dtype[str(a.dtype)]} for i, a in enumerate(first)]
    args += [{"name": n, "kind": "weight", "shape": list(a.shape), "dtype": "f32"} for n, a in weights.items()]
    with open(os.path.join(folder, "args.json"), "w") as f:
        json.dump({"name": name, "entry": "predict", "args": args}, f, indent=1)
    run = jax.jit(function)
    for kind, values in inputs.items():
        for i, a in enumerate(values):
            np.save(os.path.join(folder, "in_%s_%d.npy" % (kind, i)), a)
        np.save(os.path.join(folder, "out_%s.npy" % kind), np.asarray(run(*values, *arrays)))
    return {kind: len(values) for kind, values in inputs.items()}


def timed(command):
    before = time.time()
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    seconds = time.time() - before
    if done.returncode:
        sys.exit("%s\nexit code %d\n%s%s" % (" ".join(command), done.returncode, done.stdout, done.stderr))
    return seconds, done


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("names", nargs="*")
    p.add_argument("--fornax", default="target/release/fornax")
    p.add_argument("--device", default="cpu")
    p.add_argument("--target", action="append", help="compile target (BACKEND[:ARCH]); default: fits the device")
    p.add_argument("--constants", action="store_true", help="weights as constants in the text as well")
    p.add_argument("--tolerance", type=float, default=1e-3, help="relative l2")
    p.add_argument("--image-size", type=int, default=224, help="pixels of a side, for the image models")
    p.add_argument("--once", action="store_true", help="one call, no times: for devices that are emulated")
    p.add_argument("--export-only", metavar="DIR")
    a = p.parse_args()
    targets = a.target or {"cpu": ["cpu"], "cuda": ["cuda:sm_80", "cuda:sm_90"], "rocm": ["rocm"], "opencl": ["opencl"]}[a.device.split(":")[0]]
    failed = False
    for name in a.names or list(MODELS):
        for constants in [False, True] if a.constants else [False]:
            with tempfile.TemporaryDirectory() as temporary:
                folder = os.path.join(a.export_only, name) if a.export_only else temporary
                kinds = export(name, folder, constants, a.image_size)
                if a.export_only:
                    continue
                at = lambda f: os.path.join(folder, f)
                command = [a.fornax, "compile", "--quiet", at("model.mlir"), "-o", at("m.fnx")] + ["--target=" + t for t in targets]
                parameters = []
                if not constants:
                    command.append("--parameters-from=" + at("args.json"))
                    parameters = ["--parameters=" + at("weights.safetensors")]
                seconds, _ = timed(command)
                peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
                for kind, count in kinds.items():
                    inputs = ["--input=@" + at("in_%s_%d.npy" % (kind, i)) for i in range(count)]
                    run = [a.fornax, "run-module", "--device=" + a.device, "--module=" + at("m.fnx"), "--function=predict"]
                    timed(run + parameters + inputs + ["--output=@" + at("out.npy")])
                    got, want = np.load(at("out.npy")).astype(np.float64), np.load(at("out_%s.npy" % kind)).astype(np.float64)
                    error = np.linalg.norm(got - want) / max(np.linalg.norm(want), 1e-30)
                    verdict = "ok" if error <= a.tolerance else "WRONG"
                    failed |= verdict != "ok"
                    if a.once:
                        print("%-13s %-10s %-7s relative l2 %.2e  %s" % (name, "constants" if constants else "parameters", kind, error, verdict), flush=True)
                        continue
                    bench = [a.fornax, "bench", "--device=" + a.device, "--module=" + at("m.fnx"), "--function=predict", "--format=json"]
                    _, done = timed(bench + parameters + inputs)
                    median = json.loads(done.stdout)["median_ms"]
                    print("%-13s %-10s %-7s compile %6.2f s  peak %5.0f MiB  call %9.3f ms  relative l2 %.2e  %s"
                          % (name, "constants" if constants else "parameters", kind, seconds, peak, median, error, verdict), flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
