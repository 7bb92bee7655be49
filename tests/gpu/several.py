#!/usr/bin/env python3
"""Work that several GPUs share: training steps, attention over a long text, a product and its reduce-scatter.

    python3 tests/gpu/several.py pack --fornax FORNAX --out DIR [--flag=…]      # where the compiler and jax are
    python3 tests/gpu/several.py run --fornax FORNAX --models DIR [--peers xla] # the GPUs
    python3 tests/gpu/several.py losses --fornax FORNAX --models DIR --steps 100 # packed with --steps 100 --warm 100

Programs of JAX, for one device and for several (`--devices`), each a module of its own. Times are milliseconds of a
call in a queue, all devices beginning together (`fornax bench`).

    dp, fsdp   training steps of a decoder of Llama 3.2 1B's shapes with 8 layers and 32,000 words, Adam, f32 weights,
               bf16 products, 8 texts of 1024 tokens in all. Weights and texts are made of integers in the program, and
               its steps are a loop, so nothing but the losses leaves the device. `dp` cuts the texts, `fsdp` weights,
               moments and texts. Losses are compared, of all steps, with those of one device.
    ring       attention of 8 heads of 128 over 65,536 tokens, not causal: each device has a part of the text, and
               gets the keys and values of the others in turn
    gather     the same, keys and values gathered before
    gemm       8192 × 8192 × 8192 in bf16, the steps cut: a product of half of them, then a reduce-scatter. Its one
               device makes the product of that half.

`--peers xla` times the same functions by XLA, a process each (dp, fsdp, gemm).
"""
import argparse
import json
import os
import re
import subprocess
import sys
import time

LAYERS, WIDTH, HEADS, KEYS, INNER, WORDS = 8, 2048, 32, 8, 8192, 32000
ROWS, TOKENS, FEW = 8, 1024, 256
TINY = (2, 64, 4, 2, 128, 512, 4, 32)
SIZE = 8192
TEXT, SPLIT = 65536, 8
# Most that two losses of a step may differ, as a part of the loss: sums of bf16 in another order.
LOSSES_APART = 0.01


class Case:
    """A function of jax arrays for a mesh, or None, with how its arguments and results are cut; the name of its program
    for one device, which several cases share."""

    def __init__(self, make, shapes, one, compared=False):
        self.make, self.shapes, self.one, self.compared = make, shapes, one, compared

    def module(self, name, count):
        return "%s_%d" % (name if count > 1 else self.one, count)


def hashed(jnp, shape, seed):
    """Numbers between -0.5 and 0.5, the same everywhere: integers mixed by their places."""
    import jax
    mixed = jnp.full(shape, (seed * 0x9E3779B1 + 1) & 0xFFFFFFFF, jnp.uint32)
    for axis in range(len(shape)):
        mixed = (mixed ^ jax.lax.broadcasted_iota(jnp.uint32, shape, axis)) * jnp.uint32(0x85EBCA77)
        mixed = mixed ^ (mixed >> 15)
        mixed = mixed * jnp.uint32(0x2C1B3C6D)
        mixed = mixed ^ (mixed >> 12)
    return (mixed >> 8).astype(jnp.float32) / 16777216 - 0.5


def training(a, mode):
    """-> f(start of the texts) -> the losses of all steps"""
    def make(mesh):
        import jax
        import jax.numpy as jnp
        from jax.sharding import NamedSharding, PartitionSpec as P
        layers, width, heads, keys, inner, words, rows, tokens = TINY if a.tiny else (
            LAYERS, WIDTH, HEADS, KEYS, INNER, WORDS, ROWS, TOKENS)
        size = width // heads
        shapes = {"words": (words, width)}
        for at in range(layers):
            kinds = {"q": (width, width), "k": (width, keys * size), "v": (width, keys * size), "o": (width, width),
                     "gate": (width, inner), "up": (width, inner), "down": (inner, width)}
            shapes.update({"l%d/%s" % (at, name): shape for name, shape in kinds.items()})

        def cut(value, spec):
            return value if mesh is None else jax.lax.with_sharding_constraint(value, NamedSharding(mesh, spec))

        def kept(state):
            """Weights and moments as they lie between steps."""
            return jax.tree.map(lambda w: cut(w, P("d", None) if mode == "fsdp" else P()), state)

        @jax.custom_vjp
        def gathered(w):
            """Weights for products, whole on each device; of their gradients each device keeps its part."""
            return cut(w.astype(jnp.bfloat16), P())

        gathered.defvjp(lambda w: (gathered(w), None), lambda _, g: (kept(g).astype(jnp.float32),))

        def norm(x):
            x = x.astype(jnp.float32)
            return (x * jax.lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-5)).astype(jnp.bfloat16)

        def turned(x):
            place = jnp.arange(tokens, dtype=jnp.float32)[:, None]
            angle = place * 10000.0 ** (-jnp.arange(size // 2, dtype=jnp.float32) / (size // 2))
            sine, cosine = jnp.sin(angle)[:, None], jnp.cos(angle)[:, None]
            low, high = jnp.split(x.astype(jnp.float32), 2, -1)
            return jnp.concatenate([low * cosine - high * sine, high * cosine + low * sine], -1).astype(jnp.bfloat16)

        def loss(w, ids, labels):
            w = {name: gathered(value) for name, value in w.items()}
            x = w["words"][ids]
            for at in range(layers):
                own = lambda name: w["l%d/%s" % (at, name)]
                y = norm(x)
                q, k, v = ((y @ own(name)).reshape(rows, tokens, -1, size) for name in "qkv")
                q, k = turned(q).reshape(rows, tokens, keys, heads // keys, size), turned(k)
                scores = jnp.einsum("btkgd,bskd->bkgts", q, k).astype(jnp.float32) * size ** -0.5
                scores = jnp.where(jnp.tril(jnp.ones((tokens, tokens), bool)), scores, -1e30)
                mixed = jnp.einsum("bkgts,bskd->btkgd", jax.nn.softmax(scores).astype(jnp.bfloat16), v)
                x = x + mixed.reshape(rows, tokens, width) @ own("o")
                y = norm(x)
                x = x + (jax.nn.silu(y @ own("gate")) * (y @ own("up"))) @ own("down")
            logits = (norm(x) @ w["words"].T).astype(jnp.float32)
            taken = jnp.take_along_axis(logits, labels[..., None], -1)[..., 0]
            return (jax.nn.logsumexp(logits, -1) - taken).mean()

        def step(state, number):
            w, first, second, start = state
            row = jnp.arange(rows, dtype=jnp.int32)[:, None]
            place = jnp.arange(tokens + 1, dtype=jnp.int32)[None]
            text = cut((start + 7 * number + 13 * row + (row % 3 + 1) * place) % FEW, P("d", None))
            value, grads = jax.value_and_grad(loss)(w, text[:, :-1], text[:, 1:])
            t = number.astype(jnp.float32) + 1
            first = {n: 0.9 * first[n] + 0.1 * grads[n] for n in w}
            second = {n: 0.99 * second[n] + 0.01 * grads[n] * grads[n] for n in w}
            move = lambda n: (first[n] / (1 - 0.9 ** t)) / (jnp.sqrt(second[n] / (1 - 0.99 ** t)) + 1e-8)
            rate = 3e-4 * jnp.minimum(1.0, t / a.warm) if a.warm else 3e-4
            w = {n: w[n] - rate * move(n) for n in w}
            return (kept(w), kept(first), kept(second), start), value

        def run(start):
            scale = lambda shape: 3.4 * shape[0] ** -0.5 if shape[0] != words else 0.07
            w = {n: scale(shapes[n]) * hashed(jnp, shapes[n], at) for at, n in enumerate(sorted(shapes))}
            zeros = {n: jnp.zeros(shapes[n], jnp.float32) for n in w}
            state = (kept(w), kept(zeros), kept(zeros), start)
            return jax.lax.scan(step, state, jnp.arange(a.steps, dtype=jnp.int32))[1]

        return run, (P(),), P()
    return Case(make, [((), "int32")], "training", compared=True)


def gemm(a):
    def make(mesh):
        import jax.numpy as jnp
        from jax.sharding import PartitionSpec as P
        return lambda x, y: jnp.matmul(x, y), (P(None, "d"), P("d", None)), P("d", None)
    size = 64 if a.tiny else SIZE
    return Case(make, [((size, size), "bfloat16")] * 2, "gemm")


def attention(a, gathers):
    size = 128 if a.tiny else TEXT

    def make(mesh):
        import jax
        import jax.numpy as jnp
        from jax import lax
        from jax.sharding import PartitionSpec as P

        def whole(q, k, v):
            scores = jnp.einsum("htd,hsd->hts", q, k).astype(jnp.float32) * q.shape[-1] ** -0.5
            return jnp.einsum("hts,hsd->htd", jax.nn.softmax(scores).astype(jnp.bfloat16), v)

        def part(q, k, v):
            """Attention to some keys: its values, divided by their sum, and the logarithm of that."""
            scores = jnp.einsum("htd,hsd->hts", q, k).astype(jnp.float32) * q.shape[-1] ** -0.5
            most = scores.max(-1, keepdims=True)
            weights = jnp.exp(scores - most)
            total = weights.sum(-1, keepdims=True)
            mixed = jnp.einsum("hts,hsd->htd", (weights / total).astype(jnp.bfloat16), v)
            return mixed.astype(jnp.float32), most + jnp.log(total)

        def ring(q, k, v):
            count = mesh.size
            turn = [(at, (at + 1) % count) for at in range(count)]
            mixed, size = part(q, k, v)
            for _ in range(count - 1):
                k, v = lax.ppermute(k, "d", turn), lax.ppermute(v, "d", turn)
                other, more = part(q, k, v)
                both = jnp.logaddexp(size, more)
                mixed, size = mixed * jnp.exp(size - both) + other * jnp.exp(more - both), both
            return mixed.astype(jnp.bfloat16)

        spec = P(None, "d", None)
        if mesh is None or gathers:
            return whole, (spec,) * 3, spec
        return jax.shard_map(ring, mesh=mesh, in_specs=(spec,) * 3, out_specs=spec), (spec,) * 3, spec
    return Case(make, [((SPLIT, size, 128), "bfloat16")] * 3, "attention")


def cases(a):
    all_cases = {"dp": training(a, "dp"), "fsdp": training(a, "fsdp"), "ring": attention(a, False),
                 "gather": attention(a, True), "gemm": gemm(a)}
    return {name: case for name, case in all_cases.items() if re.fullmatch(a.only, name)}


def one_shapes(name, case, devices):
    """Of the arguments on one device: what is compared with."""
    if name != "gemm":
        return case.shapes
    (rows, depth), kind = case.shapes[0]
    return [((rows, depth // devices), kind), ((depth // devices, case.shapes[1][0][1]), kind)]


def jitted(case, devices):
    import jax
    import numpy
    from jax.sharding import Mesh, NamedSharding
    if devices == 1:
        return jax.jit(case.make(None)[0])
    mesh = Mesh(numpy.array(jax.devices()[:devices]), ("d",))
    function, inputs, outputs = case.make(mesh)
    place = lambda spec: NamedSharding(mesh, spec)
    return jax.jit(function, in_shardings=tuple(map(place, inputs)), out_shardings=place(outputs))


def pack(a):
    os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=%d" % a.devices
    os.environ["JAX_PLATFORMS"] = "cpu"
    import jax
    from jax import export
    os.makedirs(a.out, exist_ok=True)
    made = set()
    for name, case in cases(a).items():
        for count in sorted({1, a.devices}):
            shapes = case.shapes if count > 1 else one_shapes(name, case, a.devices)
            module = os.path.join(a.out, case.module(name, count))
            if module in made:
                continue
            made.add(module)
            begin = time.time()
            arguments = [jax.ShapeDtypeStruct(shape, kind) for shape, kind in shapes]
            text = export.export(jitted(case, count), platforms=["cuda"])(*arguments).mlir_module()
            with open(module + ".mlir", "w") as file:
                file.write(text)
            subprocess.run([a.fornax, "compile", "-q", *("--target=" + t for t in a.target or ["cuda:sm_90a"]), *a.flag,
                            module + ".mlir", "-o", module + ".fnx"], check=True)
            size = os.path.getsize(module + ".fnx") >> 10
            print("%s: %.1f s, %d kB" % (module, time.time() - begin, size), flush=True)
    return 0


def bench(a, name, case, count):
    device = ["--devices=%s:0-%d" % (a.device, count - 1)] if count > 1 else ["--device=" + a.device]
    result = os.path.join(a.scratch, "%s_%d.npy" % (name, count))
    flags = ["--input=i32=1", "--output=@" + result] if case.compared else []
    command = [a.fornax, "bench", "--module=" + os.path.join(a.models, case.module(name, count) + ".fnx"), *device,
               "--format=json", "--seconds=1", "--min-calls=3", *flags]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240)
    if done.returncode:
        raise RuntimeError(done.stderr.strip()[-1200:])
    import numpy
    return json.loads(done.stdout), numpy.load(result) if case.compared else None


def by_xla(a, name, case, count):
    """Milliseconds of a call by XLA, and its result, in a process of its own: XLA keeps the memory that it had."""
    command = [sys.executable, os.path.abspath(__file__), "peer", "--fornax", a.fornax, "--only", name, "--devices",
               str(a.devices), "--steps", str(a.steps), "--count", str(count)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240)
    if done.returncode:
        raise RuntimeError(done.stderr.strip()[-1200:])
    import numpy
    report = json.loads(done.stdout.strip().splitlines()[-1])
    return report["ms"], numpy.array(report["result"]) if case.compared else None


def peer(a):
    """Prints what `by_xla` returns: the mean of a queue, the best of three."""
    import jax
    import numpy
    (name, case), = cases(a).items()
    devices, count = a.devices, a.count
    shapes = case.shapes if count > 1 else one_shapes(name, case, devices)
    function = jitted(case, count)
    rng = numpy.random.default_rng(1)
    kind = lambda k: jax.numpy.dtype(k)
    arguments = [numpy.int32(1) if shape == () else rng.standard_normal(shape, "float32").astype(kind(dtype))
                 for shape, dtype in shapes]
    if count > 1:
        from jax.sharding import Mesh, NamedSharding
        mesh = Mesh(numpy.array(jax.devices()[:count]), ("d",))
        arguments = [jax.device_put(x, NamedSharding(mesh, spec)) for x, spec in zip(arguments, case.make(mesh)[1])]
    else:
        arguments = [jax.device_put(x) for x in arguments]
    result = jax.block_until_ready(function(*arguments))
    times = []
    for _ in range(3):
        begin = time.perf_counter()
        queue = [function(*arguments) for _ in range(1 if case.compared else 10)]
        jax.block_until_ready(queue)
        times.append((time.perf_counter() - begin) / len(queue) * 1e3)
    result = [float(value) for value in result] if case.compared else None
    print(json.dumps({"ms": min(times), "result": result}))
    return 0


def apart(one, other):
    return float(max(abs(one - other) / abs(one)))


def run(a):
    os.makedirs(a.scratch, exist_ok=True)
    wrong, singles = 0, {}
    for name, case in cases(a).items():
        per_call = a.steps if case.compared else 1
        found, losses = singles.setdefault(case.one, ({}, {}))
        for count in sorted({1, a.devices}):
            for by in ["fornax", *a.peers]:
                if by == "xla" and name in ("ring", "gather") or count == 1 and (by, 1) in found:
                    continue
                begin = time.time()
                try:
                    if by == "fornax":
                        report, losses[by, count] = bench(a, name, case, count)
                        ms = report["queued_ms"]
                    else:
                        ms, losses[by, count] = by_xla(a, name, case, count)
                    found[by, count] = ms / per_call
                    print("%s on %d by %s: %.3f ms (%.0f s)" % (name, count, by, ms / per_call, time.time() - begin),
                          flush=True)
                    for one in report.get("collectives", []) if by == "fornax" else []:
                        print("    %s: %d x %.1f us, %.1f %%" % (
                            one["collective"], one["times"], one["us"], 1e2 * one["share"]))
                except Exception as error:  # one case that fails must not end the run
                    print("%s on %d by %s: %s" % (name, count, by, str(error)[-1200:]), flush=True)
                    wrong += by == "fornax"
        for by in ["fornax", *a.peers]:
            both = [found.get((by, count)) for count in (1, a.devices)]
            if all(both):
                print("%s by %s: %.3f -> %.3f ms, %.2f x" % (name, by, *both, both[0] / both[1]), flush=True)
        if case.compared and ("fornax", 1) in losses:
            one = losses["fornax", 1]
            for key, other in losses.items():  # of one device, and the last of several
                off = apart(one, other)
                wrong += key[0] == "fornax" and off > LOSSES_APART
                print("%s losses by %s on %d: %.4f ... %.4f, %.2e apart" % (name, *key, other[0], other[-1], off),
                      flush=True)
    return 1 if wrong else 0


def losses(a):
    """Runs each training once, and once more: the losses of all steps, beside those of one device."""
    import numpy
    os.makedirs(a.scratch, exist_ok=True)
    wrong, one = 0, None
    for name, case in [(name, case) for name, case in cases(a).items() if case.compared]:
        for count in sorted({1, a.devices} if one is None else {a.devices}):
            device = "--devices=%s:0-%d" % (a.device, count - 1) if count > 1 else "--device=" + a.device
            module = os.path.join(a.models, case.module(name, count) + ".fnx")
            found = []
            for turn in range(2 if count > 1 else 1):
                result = os.path.join(a.scratch, "losses_%d.npy" % turn)
                begin = time.time()
                done = subprocess.run([a.fornax, "run-module", "--module=" + module, device, "--input=i32=1",
                                       "--output=@" + result], capture_output=True, text=True, timeout=240)
                if done.returncode:
                    print("%s on %d: %s" % (name, count, done.stderr.strip()[-1200:]), flush=True)
                    return 1
                found.append(numpy.load(result))
                print("%s on %d: %d steps, %.4f ... %.4f (%.0f s)" % (
                    name, count, len(found[0]), found[0][0], found[0][-1], time.time() - begin), flush=True)
            if count == 1:
                one = found[0]
                continue
            off, same = apart(one, found[0]), (found[0] == found[-1]).all()
            wrong += off > LOSSES_APART or not same
            at = int(numpy.argmax(abs(one - found[0]) / abs(one)))
            print("%s on %d: at most %.2e apart (step %d: %.5f, %.5f), again %s" % (
                name, count, off, at, one[at], found[0][at], "the same bits" if same else "OTHER BITS"), flush=True)
    return 1 if wrong else 0


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("what", choices=["pack", "run", "losses", "peer"])
    p.add_argument("--fornax", required=True)
    p.add_argument("--models")
    p.add_argument("--out")
    p.add_argument("--only", default=".*", help="which of the cases, a regular expression")
    p.add_argument("--devices", type=int, default=2, help="how many devices share the work")
    p.add_argument("--device", default="cuda", help="the driver")
    p.add_argument("--count", type=int, default=1, help="of `peer`: its devices")
    p.add_argument("--steps", type=int, default=10, help="training steps of a call")
    p.add_argument("--warm", type=int, default=0, help="steps in which the learning rate rises to its last value")
    p.add_argument("--tiny", action="store_true", help="small sizes, for a processor")
    p.add_argument("--peers", action="append", default=[], choices=["xla"])
    p.add_argument("--scratch", default="/dev/shm/several")
    p.add_argument("--target", action="append")
    p.add_argument("--flag", action="append", default=[], help="another flag of `fornax compile`")
    a = p.parse_args()
    return {"pack": pack, "run": run, "losses": losses, "peer": peer}[a.what](a)


if __name__ == "__main__":
    sys.exit(main())
