#!/usr/bin/env python3
"""torch.compile on a GPU: backend="fornax" beside modes of PyTorch's own compiler and eager, bf16, inference.

    python3 tests/gpu/torch_compile.py [--only REGEX] [--batches 1,8] [--ways fornax,max-autotune,reduce-overhead,eager]
        [--jobs N] [--limit SECONDS] [--out FILE] [--check]

Nets of torchvision and transformers as they come, with random weights: the same module and inputs every way. A net and
batch has a process of its own, which compiles all ways. --jobs of them compile at a time; then each measures, and
nothing else runs. Figures: seconds to the first result, milliseconds of a call that is waited for (median), and of one
in a queue. max-autotune and reduce-overhead capture CUDA graphs themselves. Results are compared with eager's in f32:
`error` is the norm of the difference over the norm, of each way and of eager in bf16. The last lines compare with the
best other way of each row. Exit code 1 where a way's error is more than twice eager's.
`--check` only writes each net's graph as StableHLO, without a GPU: which operators have no row.
"""
import argparse
import concurrent.futures
import json
import math
import re
import subprocess
import sys
import threading
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
    # Heads that begin as zeros would make every answer 0.
    for weight in model.parameters():
        if weight.dim() > 1 and not weight.any():
            torch.nn.init.normal_(weight, std=0.02)
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


def compiled(torch, model, way):
    if way == "fornax":
        import fornax
        return torch.compile(model, backend=fornax.torch_backend)
    return model if way == "eager" else torch.compile(model, mode=way)


def one(torch, name, batch, ways):
    """A process of a net: compiles every way, says so, and measures when it is told to."""
    rows, calls = {}, {}
    model, given = built(torch, name, batch, "cuda")
    with torch.no_grad():
        wanted = first_tensor(model(given)).double()
        model, given = model.bfloat16(), given.bfloat16() if given.is_floating_point() else given
        for way in ways:
            try:
                call = compiled(torch, model, way)
                begin = time.perf_counter()
                found = first_tensor(call(given)).double()
                torch.cuda.synchronize()
                first = time.perf_counter() - begin
                error = float((found - wanted).norm() / wanted.norm())
                for _ in range(5):
                    call(given)
            except Exception as why:
                print(f"FAILED {way} {type(why).__name__}: {' '.join(str(why).split())[:700]}", flush=True)
                continue
            rows[way], calls[way] = {"first_s": first, "error": error}, call
        torch.cuda.synchronize()
        print("READY", flush=True)
        sys.stdin.readline()
        for way, call in calls.items():
            rows[way].update(times(torch, lambda: call(given)))
    print("ROWS " + json.dumps(rows), flush=True)


def times(torch, call):
    for _ in range(5):
        call()
    torch.cuda.synchronize()
    waited, until = [], time.perf_counter() + WAITED
    while time.perf_counter() < until:
        begin = time.perf_counter()
        call()
        torch.cuda.synchronize()
        waited.append(time.perf_counter() - begin)
    begin = time.perf_counter()
    for _ in range(QUEUED):
        call()
    called = time.perf_counter() - begin
    torch.cuda.synchronize()
    queued = time.perf_counter() - begin
    return {"waited_ms": sorted(waited)[len(waited) // 2] * 1e3, "queued_ms": queued / QUEUED * 1e3,
            "call_ms": called / QUEUED * 1e3}


def prepared(name, batch, args):
    """The process of a net when it has compiled, and what it said until then."""
    command = [sys.executable, __file__, "--one", name, batch, args.ways]
    process = subprocess.Popen(command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT)
    timer = threading.Timer(args.limit, process.kill)
    timer.start()
    said = []
    for line in process.stdout:
        if line == "READY\n":
            break
        said.append(line)
    else:
        said.append(f"no result, exit code {process.wait()} (killed after {args.limit:.0f} s)")
    timer.cancel()
    return process, said


def measured(process, args):
    """The rows of a process that is ready."""
    try:
        output = process.communicate("\n", timeout=args.limit)[0]
    except subprocess.TimeoutExpired:
        process.kill()
        return {}
    found = re.search(r"^ROWS (.*)$", output, re.MULTILINE)
    return json.loads(found.group(1)) if found else {}


def geomean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    parser.add_argument("--batches", default="1,8")
    parser.add_argument("--ways", default="fornax,max-autotune,reduce-overhead,eager")
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--limit", type=float, default=300)
    parser.add_argument("--out")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    args = parser.parse_args()
    names = [name for name in MODELS if re.search(args.only, name)]
    if args.one:
        import torch
        return one(torch, args.one[0], int(args.one[1]), args.one[2].split(","))
    if args.check:
        import torch
        return [checked(torch, name) for name in names]
    work = [(name, batch) for name in names for batch in args.batches.split(",")]
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        ready = list(pool.map(lambda item: prepared(*item, args), work))
    table, failed, waited, queued = {}, 0, [], []
    for (name, batch), (process, said) in zip(work, ready):
        rows = table[f"{name} batch {batch}"] = measured(process, args)
        for line in said:
            if re.match("FAILED|no result", line) or "PyTorch runs" in line:
                print(f"{name} batch {batch}: {line.strip()[-700:]}", flush=True)
        if not rows:
            print(f"{name} batch {batch}: " + "".join(said)[-700:], flush=True)
        for way, row in rows.items():
            print(f"{name} batch {batch} {way}: " + ", ".join(f"{k} {v:.4f}" for k, v in row.items()), flush=True)
        ours = rows.pop("fornax", None)
        failed += ours is None and "fornax" in args.ways
        if ours is None or not rows:
            continue
        failed += "eager" in rows and not ours["error"] <= 2 * rows["eager"]["error"] + 1e-4
        for figure, all_of in (("waited_ms", waited), ("queued_ms", queued)):
            all_of.append(min(row[figure] for row in rows.values()) / ours[figure])
        rows["fornax"] = ours
        print(f"{name} batch {batch}: {waited[-1]:.2f} x waited for, {queued[-1]:.2f} x in a queue", flush=True)
    if args.out:
        with open(args.out, "w") as file:
            json.dump(table, file)
    print(f"geomean of {len(waited)}: {geomean(waited):.3f} x the best other way waited for, "
          f"{geomean(queued):.3f} x in a queue")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
