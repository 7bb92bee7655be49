#!/usr/bin/env python3
"""Language models on one GPU and on several: tokens a second of `fornax generate`, and whether texts are the same.

    python3 tests/gpu/tensor_parallel.py pack --fornax FORNAX --out DIR [--flag=…]               # where the compiler is
    python3 tests/gpu/tensor_parallel.py run --fornax FORNAX --models DIR [--devices 1,2] [--only REGEX]  # the GPUs

Shapes, headers and weights are those of language.py. Times are what a user sees, host included: of the last of three
prompts in one process.

    decode     64 tokens behind a prompt of 896
    prefill    a prompt of 2048 tokens in one chunk, to the first token
    text       a small model in f32: 64 greedy and 64 drawn tokens, on each number of devices
"""
import argparse
import json
import os
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from language import Row, write_header, write_weights

# Shape, layers (all where None), prompt, tokens that are made, context, chunk, type of products' operands.
CASES = {
    "decode": ("8b", None, 896, 64, 1024, 128, "bf16"),
    "prefill": ("8b", None, 2048, 1, 2048, 2048, "bf16"),
    "decode_8_layers": ("8b", 8, 896, 64, 1024, 128, "bf16"),
    "prefill_8_layers": ("8b", 8, 2048, 1, 2048, 2048, "bf16"),
    "text": ("tiny", None, 40, 64, 256, 32, "f32"),
}
DRAWN = ["--temperature=0.9", "--top-k=40", "--top-p=0.95", "--seed=5"]


def row(case):
    shape, layers, *_ = CASES[case]
    return Row(shape, "bf16", layers=layers)


def chosen(only):
    return [case for case in CASES if re.fullmatch(only, case)]


def devices(a):
    return [int(count) for count in a.devices.split(",")]


def pack(a):
    os.makedirs(a.out, exist_ok=True)
    for case in chosen(a.only):
        _, _, _, _, context, chunk, element = CASES[case]
        path, data, _ = write_header(row(case), os.path.join(a.out, "header"))
        for count in devices(a):
            begin = time.time()
            module = os.path.join(a.out, "%s_%d.fnx" % (case, count))
            subprocess.run([a.fornax, "compile", "-q", *("--target=" + t for t in a.target or ["cuda:sm_90a"]), *a.flag,
                            "--context=%d" % context, "--chunk=%d" % chunk, "--compute-type=" + element,
                            "--tensor-parallel=%d" % count, path, "-o", module], check=True)
            print("%s: %.1f s, %d kB" % (module, time.time() - begin, os.path.getsize(module) >> 10), flush=True)
        os.unlink(data)
    return 0


def words(path, count):
    tokenizer = {"version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": None,
                 "pre_tokenizer": {"type": "Whitespace"}, "post_processor": None, "decoder": None,
                 "model": {"type": "WordLevel", "vocab": {"w%d" % n: n for n in range(count)}, "unk_token": "w0"}}
    with open(path, "w") as file:
        json.dump(tokenizer, file)


def generate(a, module, path, count, flags):
    device = ["--devices=%s:0-%d" % (a.device, count - 1)] if count > 1 else ["--device=" + a.device]
    command = [a.fornax, "generate", "--module=" + module, "--parameters=" + path, "--raw", "--format=json", *device,
               *flags]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240)
    if done.returncode:
        raise RuntimeError(done.stderr.strip()[-1200:])
    return [json.loads(line) for line in done.stdout.strip().splitlines()]


def run(a):
    kept = (None, None)
    wrong = 0
    for case in chosen(a.only):
        shape, layers, prompt, made, *_ = CASES[case]
        if kept[0] != (shape, layers):
            begin = time.time()
            folder = os.path.join(a.scratch, "checkpoint")
            kept = ((shape, layers), write_weights(row(case), folder))
            words(os.path.join(folder, "tokenizer.json"), row(case).words)
            print("%s weights: %.1f s" % (shape, time.time() - begin), flush=True)
        prompts = [" ".join("w%d" % ((n * 7919 + 13 * k) % row(case).words) for n in range(prompt)) for k in range(3)]
        flags = [*("--prompt=" + text for text in prompts), "--max-tokens=%d" % made]
        texts = {}
        for count in devices(a):
            module = os.path.join(a.models, "%s_%d.fnx" % (case, count))
            begin = time.time()
            try:
                found = generate(a, module, kept[1], count, flags)
                texts[count] = [one["ids"] for one in found]
                if case == "text":
                    texts[count] += [one["ids"] for one in generate(a, module, kept[1], count, [*flags, *DRAWN])]
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                print("%s on %d: %s" % (case, count, error), flush=True)
                wrong += 1
                continue
            rates = ["%.2f ms" % (1e3 / one["generation_tokens_per_second"]) if made > 1 else "%.2f ms"
                     % one["time_to_first_token_ms"] for one in found]
            print("%s on %d: %s; first %.1f ms, load %.0f ms, %.2f GB each, %.1f s" % (
                case, count, ", ".join(rates), found[-1]["time_to_first_token_ms"], found[-1]["load_ms"],
                found[-1]["memory_bytes"] * 1e-9, time.time() - begin), flush=True)
        same = [ids == texts.get(devices(a)[0]) for ids in texts.values()]
        print("%s: texts are %s" % (case, "the same" if all(same) else "not the same"), flush=True)
        wrong += case == "text" and not all(same)
    return 1 if wrong else 0


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("what", choices=["pack", "run"])
    p.add_argument("--fornax", required=True)
    p.add_argument("--models")
    p.add_argument("--out")
    p.add_argument("--only", default="decode|prefill|text", help="which of CASES, a regular expression")
    p.add_argument("--devices", default="1,2", help="numbers of devices")
    p.add_argument("--device", default="cuda", help="the driver")
    p.add_argument("--scratch", default="/dev/shm/tensor_parallel")
    p.add_argument("--target", action="append")
    p.add_argument("--flag", action="append", default=[], help="another flag of `fornax compile`")
    a = p.parse_args()
    return pack(a) if a.what == "pack" else run(a)


if __name__ == "__main__":
    sys.exit(main())
