#!/usr/bin/env python3
"""Training steps on a GPU: forward, backward, Adam, in bf16 with f32 weights; Fornax beside XLA on the same text and torch.compile.

    python3 tests/gpu/training.py export --fornax FORNAX --out DIR [--only REGEX] [--target cuda:sm_90a]     # jax, no GPU
    python3 tests/gpu/training.py run --fornax FORNAX --models DIR [--only REGEX] [--out OUT] [--kernels] [--peers xla,torch]

ResNet50 (32 images of 224², batch norm over the batch), BERT-base (8 × 128 tokens, loss at every place over 30,522 words), GPT-2 small (4 × 512
tokens). A step takes weights, both moments, its number and a batch, and gives the new ones and the loss; nothing is donated, so a call can be
repeated. DIR/NAME holds model.mlir, args.json and fornax.fnx.

`run` compares the loss and the first new weights with XLA's, then times. torch: the same sizes written with torch (torchvision's ResNet50),
autocast to bf16, Adam fused and capturable; `compile` is torch.compile of forward and loss, then all in a CUDA graph. Milliseconds.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

# Sizes: images; (rows, tokens, words, causal) of the transformers.
IMAGES = 32
TEXTS = {"bert_base": (8, 128, 30522, False), "gpt2": (4, 512, 50257, True)}
BLOCKS = ((64, 3), (128, 4), (256, 6), (512, 3))
LAYERS, WIDTH, HEADS = 12, 768, 12


def resnet50():
    """-> ({name: shape}, inputs, loss of (weights, images, labels)) in NHWC"""
    import jax
    import jax.numpy as jnp
    shapes = {}

    def described(name, k, inner, outer):
        shapes[name + "/kernel"] = (k, k, inner, outer)
        shapes[name + "/gamma"], shapes[name + "/bias"] = (outer,), (outer,)

    described("stem", 7, 3, 64)
    inner = 64
    for at, (width, count) in enumerate(BLOCKS):
        for block in range(count):
            name = "b%d_%d" % (at, block)
            described(name + "/a", 1, inner, width)
            described(name + "/b", 3, width, width)
            described(name + "/c", 1, width, 4 * width)
            if block == 0:
                described(name + "/short", 1, inner, 4 * width)
            inner = 4 * width
    shapes["head/kernel"], shapes["head/bias"] = (2048, 1000), (1000,)

    def part(w, name, x, stride=1):
        x = jax.lax.conv_general_dilated(x, w[name + "/kernel"].astype(jnp.bfloat16), (stride, stride), "SAME",
                                         dimension_numbers=("NHWC", "HWIO", "NHWC")).astype(jnp.float32)
        mean, var = x.mean((0, 1, 2)), x.var((0, 1, 2))
        return ((x - mean) * jax.lax.rsqrt(var + 1e-5) * w[name + "/gamma"] + w[name + "/bias"]).astype(jnp.bfloat16)

    def loss(w, images, labels):
        x = jax.nn.relu(part(w, "stem", images.astype(jnp.bfloat16), 2))
        x = jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
        for at, (_, count) in enumerate(BLOCKS):
            for block in range(count):
                name, stride = "b%d_%d" % (at, block), 2 if at and not block else 1
                y = jax.nn.relu(part(w, name + "/a", x))
                y = jax.nn.relu(part(w, name + "/b", y, stride))
                y = part(w, name + "/c", y)
                x = jax.nn.relu(y + (x if block else part(w, name + "/short", x, stride)))
        x = x.astype(jnp.float32).mean((1, 2)).astype(jnp.bfloat16)
        logits = (x @ w["head/kernel"].astype(jnp.bfloat16)).astype(jnp.float32) + w["head/bias"]
        return -jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], 1).mean()

    return shapes, [((IMAGES, 224, 224, 3), "f32"), ((IMAGES,), "i32")], loss


def transformer(rows, tokens, words, causal):
    """The same of a decoder before its layers' products (GPT-2) or an encoder with norms after them (BERT)."""
    import jax
    import jax.numpy as jnp
    shapes = {"words": (words, WIDTH), "places": (tokens, WIDTH), "norm/gamma": (WIDTH,), "norm/bias": (WIDTH,)}
    for at in range(LAYERS):
        for name, inner, outer in (("qkv", WIDTH, 3 * WIDTH), ("out", WIDTH, WIDTH), ("up", WIDTH, 4 * WIDTH), ("down", 4 * WIDTH, WIDTH)):
            shapes["l%d/%s/kernel" % (at, name)], shapes["l%d/%s/bias" % (at, name)] = (inner, outer), (outer,)
        for name in ("n1", "n2"):
            shapes["l%d/%s/gamma" % (at, name)], shapes["l%d/%s/bias" % (at, name)] = (WIDTH,), (WIDTH,)

    def norm(w, name, x):
        x = x.astype(jnp.float32)
        mean, var = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
        return ((x - mean) * jax.lax.rsqrt(var + 1e-5) * w[name + "/gamma"] + w[name + "/bias"]).astype(jnp.bfloat16)

    def dense(w, name, x):
        return x @ w[name + "/kernel"].astype(jnp.bfloat16) + w[name + "/bias"].astype(jnp.bfloat16)

    def attend(w, name, x):
        q, k, v = (t.reshape(rows, tokens, HEADS, -1).transpose(0, 2, 1, 3) for t in jnp.split(dense(w, name + "/qkv", x), 3, -1))
        scores = jnp.einsum("bhqd,bhkd->bhqk", q, k).astype(jnp.float32) / 8
        if causal:
            scores = jnp.where(jnp.tril(jnp.ones((tokens, tokens), bool)), scores, -jnp.inf)
        mixed = jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(scores).astype(jnp.bfloat16), v)
        return dense(w, name + "/out", mixed.transpose(0, 2, 1, 3).reshape(rows, tokens, WIDTH))

    def feed(w, name, x):
        return dense(w, name + "/down", jax.nn.gelu(dense(w, name + "/up", x), approximate=causal))

    def loss(w, ids, labels):
        x = (w["words"][ids] + w["places"]).astype(jnp.bfloat16)
        x = x if causal else norm(w, "norm", x)
        for at in range(LAYERS):
            name = "l%d" % at
            if causal:
                x = x + attend(w, name, norm(w, name + "/n1", x))
                x = x + feed(w, name, norm(w, name + "/n2", x))
            else:
                x = norm(w, name + "/n1", x + attend(w, name, x))
                x = norm(w, name + "/n2", x + feed(w, name, x))
        x = norm(w, "norm", x) if causal else x
        logits = (x @ w["words"].astype(jnp.bfloat16).T).astype(jnp.float32)
        return -jnp.take_along_axis(jax.nn.log_softmax(logits), labels[..., None], -1).mean()

    return shapes, [((rows, tokens), "i32"), ((rows, tokens), "i32")], loss


MODELS = {"resnet50": resnet50, **{name: lambda sizes=sizes: transformer(*sizes) for name, sizes in TEXTS.items()}}


def export(a):
    import jax
    import jax.numpy as jnp
    failed = 0
    for name, make in MODELS.items():
        if not re.search(a.only, name):
            continue
        shapes, inputs, loss = make()
        names = sorted(shapes)

        def step(*arguments):
            count = len(names)
            weights, first, second = (list(arguments[count * at:count * (at + 1)]) for at in range(3))
            number, *batch = arguments[3 * count:]
            value, grads = jax.value_and_grad(lambda w: loss(w, *batch))(dict(zip(names, weights)))
            t = number.astype(jnp.float32)
            outs = ([], [], [])
            for n, w, m, v in zip(names, weights, first, second):
                g = grads[n]
                m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
                w = w - 1e-4 * (m / (1 - 0.9 ** t)) / (jnp.sqrt(v / (1 - 0.999 ** t)) + 1e-8)
                for out, new in zip(outs, (w, m, v)):
                    out.append(new)
            return (value, *outs[0], *outs[1], *outs[2])

        kinds = {"f32": jnp.float32, "i32": jnp.int32}
        args = [{"name": prefix + n, "kind": "weight", "shape": list(shapes[n]), "dtype": "f32"} for prefix in ("", "first_", "second_var_") for n in names]
        args.append({"name": "number", "kind": "step", "shape": [], "dtype": "i32"})
        args += [{"name": "input%d" % at, "kind": "input", "shape": list(shape), "dtype": kind} for at, (shape, kind) in enumerate(inputs)]
        folder = os.path.join(a.out, name)
        os.makedirs(folder, exist_ok=True)
        at = lambda f: os.path.join(folder, f)
        with open(at("model.mlir"), "w") as f:
            f.write(jax.jit(step).lower(*[jax.ShapeDtypeStruct(tuple(g["shape"]), kinds[g["dtype"]]) for g in args]).as_text())
        with open(at("args.json"), "w") as f:
            json.dump({"name": name, "args": args}, f)
        done = subprocess.run([a.fornax, "compile", "--quiet", "--target=" + a.target, *a.flag, at("model.mlir"), "-o", at("fornax.fnx")], stderr=subprocess.PIPE, text=True)
        failed += done.returncode != 0
        print(name, "compiled" if not done.returncode else done.stderr[:800], flush=True)
    return 1 if failed else 0


def values(numpy, spec, at):
    """An argument's values: weights by their names' ranges, moments small, labels within the words or classes."""
    import models
    rng = numpy.random.default_rng(at)
    if spec["kind"] == "step":
        return numpy.array(10, "int32")
    if spec["name"].startswith("first_"):
        return (1e-3 * rng.uniform(-1, 1, spec["shape"])).astype("float32")
    if spec["name"].startswith("second_var_"):
        return rng.uniform(1e-6, 2e-6, spec["shape"]).astype("float32")
    if spec["name"] in ("words", "places"):
        return (0.02 * rng.standard_normal(spec["shape"])).astype("float32")
    return models.values(numpy, spec, at)


def fornax_row(a, folder, args, arguments, scratch, numpy):
    lines = ["--module=" + os.path.join(folder, "fornax.fnx"), "--device=cuda", "--command-buffer=graph"]
    for at, (spec, data) in enumerate(zip(args, arguments)):
        path = os.path.join(scratch, "%d.bin" % at)
        data.tofile(path)
        lines.append("--input=%s=@%s" % ("x".join([str(d) for d in spec["shape"]] + [spec["dtype"]]), path))
    outs = [os.path.join(scratch, "out%d.npy" % at) for at in range(2)]
    lines += ["--output=@" + out for out in outs]
    flags = os.path.join(scratch, "flags")
    with open(flags, "w") as f:
        f.write("\n".join(lines))
    done = subprocess.run([a.fornax, "bench", "--flagfile=" + flags, "--format=json", "--seconds=0.5", *(["--kernels"] if a.kernels else [])],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=200)
    if done.returncode:
        raise RuntimeError(done.stderr.strip()[-600:])
    return json.loads(done.stdout), [numpy.load(out) for out in outs if os.path.exists(out)]


def torch_step(name):
    """-> (step() in eager torch, the same compiled): forward, backward, Adam"""
    import torch
    from torch import nn
    torch.manual_seed(1)
    device = dict(device="cuda")
    if name == "resnet50":
        import torchvision
        made = torchvision.models.resnet50().to(**device, memory_format=torch.channels_last)
        batch = (torch.randn(IMAGES, 3, 224, 224, **device).to(memory_format=torch.channels_last), torch.randint(0, 1000, (IMAGES,), **device))
    else:
        import zoo
        rows, tokens, words, causal = TEXTS[name]

        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.words, self.places, self.norm = nn.Embedding(words, WIDTH), nn.Embedding(tokens, WIDTH), nn.LayerNorm(WIDTH)
                inside = zoo.build("gpt2_prefill_s512" if causal else "bert_base_s128_b8")[0]
                self.layers = inside.blocks if causal else inside.layers

            def forward(self, ids):
                x = self.words(ids) + self.places.weight
                x = x if causal else self.norm(x)
                for layer in self.layers:
                    x = layer(x)[0] if causal else layer(x)
                x = self.norm(x) if causal else x
                return x @ self.words.weight.T

        made = Model().to(**device)
        batch = tuple(torch.randint(0, words, (rows, tokens), **device) for _ in range(2))
    made.train()
    optimizer = torch.optim.Adam(made.parameters(), lr=1e-4, fused=True, capturable=True)

    def loss(x, labels):
        with torch.autocast("cuda", torch.bfloat16):
            logits = made(x)
        return nn.functional.cross_entropy(logits.flatten(0, -2).float(), labels.flatten())

    def stepper(function):
        def step():
            optimizer.zero_grad(set_to_none=True)
            function(*batch).backward()
            optimizer.step()
        return step

    return stepper(loss), stepper(torch.compile(loss))


def torch_row(name):
    import torch
    from models import timed
    from zoo_run import captured
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    torch.backends.cudnn.benchmark = True
    eager, compiled = torch_step(name)
    wait = lambda _: torch.cuda.synchronize()
    return {"torch": timed(eager, wait, 0.3), "compile": timed(compiled, wait, 0.3), "compile_graph": timed(captured(compiled), wait, 0.3)}


def run(a):
    import numpy
    import models
    table = {}
    for name in sorted(os.listdir(a.models)):
        folder = os.path.join(a.models, name)
        if not re.search(a.only, name) or not os.path.exists(os.path.join(folder, "fornax.fnx")):
            continue
        print(name, flush=True)
        row = table[name] = {}
        args = json.load(open(os.path.join(folder, "args.json")))["args"]
        arguments = [values(numpy, spec, at) for at, spec in enumerate(args)]
        try:
            with tempfile.TemporaryDirectory() as scratch:
                report, found = fornax_row(a, folder, args, arguments, scratch, numpy)
            row["fornax"] = (report["median_ms"], report["queued_ms"])
            if a.kernels:
                models.kernel_table(report)
            if "xla" in a.peers.split(","):
                import jax
                program = models.Xla(open(os.path.join(folder, "model.mlir")).read(), arguments, False)
                due = [numpy.asarray(v, numpy.float64) for v in program.call()[:2]]
                row["loss"] = (float(found[0]), float(due[0]))
                moved = [numpy.asarray(v, numpy.float64) - arguments[0] for v in (found[1].reshape(due[1].shape), due[1])]
                row["error"] = float(numpy.linalg.norm(moved[0] - moved[1]) / numpy.linalg.norm(moved[1]))
                row["xla"] = models.timed(program.call, jax.block_until_ready, 0.3)
                del program, due
            if "torch" in a.peers.split(","):
                row.update(torch_row(name))
        except Exception as error:  # one model that fails must not end the run
            row["failed"] = str(error)[-500:]
        print(" ", json.dumps(row), flush=True)
        if a.out:
            with open(os.path.join(a.out, "training.json"), "w") as f:
                json.dump(table, f, indent=1)
    return 0


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("what", choices=("export", "run"))
    p.add_argument("--fornax", required=True)
    p.add_argument("--out")
    p.add_argument("--models")
    p.add_argument("--only", default="")
    p.add_argument("--target", default="cuda:sm_90a")
    p.add_argument("--flag", action="append", default=[], help="given to `fornax compile`")
    p.add_argument("--peers", default="xla,torch")
    p.add_argument("--kernels", action="store_true", help="print where the time goes")
    a = p.parse_args()
    return export(a) if a.what == "export" else run(a)


if __name__ == "__main__":
    sys.exit(main())
