#!/usr/bin/env python3
"""torch.compile on a GPU: backend="fornax" beside mode="max-autotune" and eager, bf16, inference.

    python3 tests/gpu/torch_compile.py [--only REGEX] [--batches 1,8] [--ways fornax,max-autotune,eager] [--out FILE]
        [--limit SECONDS] [--check]

Nets of torchvision and transformers as they come, with random weights: the same module and inputs every way, a process
each. Figures: seconds to the first result, milliseconds of a call that is waited for (median), and of one in a queue.
max-autotune captures CUDA graphs itself. Results are compared with eager's in f32: `error` is the norm of the
difference over the norm, of each way and of eager in bf16. Exit code 1 where that of a way is more than twice eager's.
`--check` only writes each net's graph as StableHLO, without a GPU: which operators have no row.
"""
import argparse
import json
import math
import os
import re
import subprocess
import sys
import time

IMAGE = (3, 224, 224)
TOKENS = 128
# Calls timed in a queue, and seconds of calls that are waited for.
QUEUED, WAITED = 50, 0.3


def vision(name):
    def make():
        import torchvision
        return getattr(torchvision.models, name)(weights=None), "image"
    return make


def text(kind, config):
    def make():
        import transformers
        made = getattr(transformers, config)()
        made.use_cache = False
        return getattr(transformers, kind)(made), "text"
    return make


MODELS = {
    "resnet50": vision("resnet50"),
    "mobilenet_v3_large": vision("mobilenet_v3_large"),
    "vit_b_16": vision("vit_b_16"),
    "convnext_tiny": vision("convnext_tiny"),
    "bert": text("BertModel", "BertConfig"),
    "gpt2": text("GPT2Model", "GPT2Config"),
}


def built(torch, name, batch, device):
    torch.manual_seed(0)
    model, kind = MODELS[name]()
    generator = torch.Generator().manual_seed(1)
    if kind == "image":
        given = torch.randn(batch, *IMAGE, generator=generator)
    else:
        given = torch.randint(0, 30000, (batch, TOKENS), generator=generator)
    return model.eval().to(device), given.to(device)


def first_tensor(value):
    return value if hasattr(value, "dtype") else value[0]


def checked(torch, name):
    """Writes the graph of a net for the processor; raises where an operator has no row."""
    from fornax._aten.program import decompositions
    from fornax._dynamo import graph_text
    from torch._dynamo.backends.common import aot_autograd
    sizes = []

    def only_text(graph, _):
        sizes.append(len(graph_text(graph.graph, {}, graph)))
        return graph.forward

    backend = aot_autograd(fw_compiler=only_text, inference_compiler=only_text, decompositions=decompositions())
    model, given = built(torch, name, 1, "cpu")
    with torch.no_grad():
        torch.compile(model.bfloat16(), backend=backend)(given.bfloat16() if given.is_floating_point() else given)
    print(f"{name}: {len(sizes)} graph(s), {sum(sizes)} bytes", flush=True)


def one(torch, name, batch, way):
    model, given = built(torch, name, batch, "cuda")
    with torch.no_grad():
        wanted = first_tensor(model(given)).double()
        model, given = model.bfloat16(), given.bfloat16() if given.is_floating_point() else given
        if way == "fornax":
            import fornax
            call = torch.compile(model, backend=fornax.torch_backend)
        else:
            call = model if way == "eager" else torch.compile(model, mode=way)
        begin = time.perf_counter()
        found = first_tensor(call(given)).double()
        torch.cuda.synchronize()
        row = {"first_s": time.perf_counter() - begin, "error": float((found - wanted).norm() / wanted.norm())}
        for _ in range(5):
            call(given)
        torch.cuda.synchronize()
        waited, until = [], time.perf_counter() + WAITED
        while time.perf_counter() < until:
            begin = time.perf_counter()
            call(given)
            torch.cuda.synchronize()
            waited.append(time.perf_counter() - begin)
        begin = time.perf_counter()
        for _ in range(QUEUED):
            call(given)
        called = time.perf_counter() - begin
        torch.cuda.synchronize()
        row["queued_ms"], row["call_ms"] = (time.perf_counter() - begin) / QUEUED * 1e3, called / QUEUED * 1e3
        row["waited_ms"] = sorted(waited)[len(waited) // 2] * 1e3
    print("ROW " + json.dumps(row))


def geomean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    parser.add_argument("--batches", default="1,8")
    parser.add_argument("--ways", default="fornax,max-autotune,eager")
    parser.add_argument("--limit", type=float, default=120)
    parser.add_argument("--out")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    args = parser.parse_args()
    names = [name for name in MODELS if re.search(args.only, name)]
    if args.one:
        import torch
        return one(torch, args.one[0], int(args.one[1]), args.one[2])
    if args.check:
        import torch
        return [checked(torch, name) for name in names]
    table, failed, speedups = {}, 0, []
    for name in names:
        for batch in args.batches.split(","):
            rows = table[f"{name} batch {batch}"] = {}
            for way in args.ways.split(","):
                try:
                    done = subprocess.run([sys.executable, __file__, "--one", name, batch, way], text=True,
                                          capture_output=True, timeout=args.limit)
                    said, output = done.stderr, done.stdout
                except subprocess.TimeoutExpired:
                    said, output = f"no result after {args.limit:.0f} s", ""
                found = re.search(r"^ROW (.*)$", output, re.MULTILINE)
                if not found:
                    failed += way == "fornax"
                    print(f"{name} batch {batch} {way} failed: {said[-700:]}", flush=True)
                    continue
                row = rows[way] = json.loads(found.group(1))
                print(f"{name} batch {batch} {way}: " + ", ".join(f"{k} {v:.4f}" for k, v in row.items()), flush=True)
                for line in re.findall(r".*PyTorch runs.*", said):
                    print("  " + line[-150:], flush=True)
            if "eager" in rows and "fornax" in rows:
                failed += not rows["fornax"]["error"] <= 2 * rows["eager"]["error"] + 1e-4
            if "max-autotune" in rows and "fornax" in rows:
                ours, theirs = rows["fornax"], rows["max-autotune"]
                speedups.append(theirs["waited_ms"] / ours["waited_ms"])
                print(f"{name} batch {batch}: {speedups[-1]:.2f} x max-autotune waited for, "
                      f"{theirs['queued_ms'] / ours['queued_ms']:.2f} x in a queue", flush=True)
            if args.out:
                with open(args.out, "w") as file:
                    json.dump(table, file)
    print(f"geomean of {len(speedups)}: {geomean(speedups):.3f} x max-autotune, waited for")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
