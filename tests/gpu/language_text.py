#!/usr/bin/env python3
"""Text of a small random checkpoint on a GPU against the processor's, for each type of caches.

    python3 tests/gpu/language_text.py pack --fornax FORNAX --out DIR [--flag=…]        # where the compiler is
    python3 tests/gpu/language_text.py run --fornax FORNAX --models DIR [--device cuda]    # where the GPU is

Products are f32, so that both round alike to 10⁻⁶ and take the same likeliest tokens; caches are of each type. For
each: greedy on the GPU against the processor; the same chosen on the host (`--logprobs=0`); and drawn ones, which are
chosen on the device and on the host by the same numbers of the seed. A first difference is printed with its place.

Then texts of several lengths together, products in bf16, on the GPU alone: with caches of each text, in pages, and in
so few pages that texts stop and go on.
"""
import argparse
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from language import Row, write_weights

CACHES = ("f32", "bf16", "f16", "f8", "int8")
TOKENS = 64
WORDS = 512
PROMPTS = ("w3 w17 w250", " ".join("w%d" % (7 * n % WORDS) for n in range(40)))
# Modules of several texts, by their pages; a text of 256 tokens has eight.
TOGETHER = {"slots": [], "pages": ["--cache-pages=40"], "few_pages": ["--cache-pages=9"]}
MANY = [" ".join("w%d" % ((5 * n + 3) * at % WORDS) for n in range(length))
        for at, length in enumerate((1, 31, 32, 33, 63, 64, 65, 100, 150), 1)]
DRAWN = ["--temperature=0.9", "--top-k=40", "--top-p=0.95", "--seed=5"]


def checkpoint(folder):
    write_weights(Row("tiny", "bf16"), folder)
    words = {"w%d" % n: n for n in range(WORDS)}
    tokenizer = {"version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": None,
                 "pre_tokenizer": {"type": "Whitespace"}, "post_processor": None, "decoder": None,
                 "model": {"type": "WordLevel", "vocab": words, "unk_token": "w0"}}
    with open(os.path.join(folder, "tokenizer.json"), "w") as file:
        json.dump(tokenizer, file)
    return folder


def pack(a):
    folder = checkpoint(os.path.join(a.out, "checkpoint"))
    rows = {cache: ["--compute-type=f32", "--cache-type=" + cache] for cache in CACHES}
    rows |= {name: ["--compute-type=bf16", "--batch=6", *more] for name, more in TOGETHER.items()}
    for name, flags in rows.items():
        targets = ["--target=" + target for target in a.target or ["cpu:x86-64-v3", "cuda:sm_90a"]]
        subprocess.run([a.fornax, "compile", *targets, *a.flag, "--context=256", *flags, folder,
                        "-o", os.path.join(a.out, name + ".fnx")], check=True)
    return 0


def made(a, cache, device, more, prompts=PROMPTS):
    """Ids of the prompts' texts, or why there are none."""
    prompts = ["--prompt=" + prompt for prompt in prompts]
    done = subprocess.run([a.fornax, "generate", "--module=" + os.path.join(a.models, cache + ".fnx"), "--raw",
                           "--parameters=" + os.path.join(a.models, "checkpoint"), "--device=" + device, *prompts,
                           "--format=json", "--max-tokens=%d" % TOKENS, *more], capture_output=True, text=True)
    if done.returncode:
        return done.stderr.strip()[-400:]
    try:
        return [json.loads(line)["ids"] for line in done.stdout.strip().splitlines()]
    except ValueError:
        return [text["ids"] for text in json.loads(done.stdout)]


def same(what, left, right):
    if isinstance(left, str) or isinstance(right, str):
        print("%s: failed: %s" % (what, left if isinstance(left, str) else right))
        return False
    for prompt, (one, other) in enumerate(zip(left, right)):
        at = next((n for n, (a, b) in enumerate(zip(one, other)) if a != b), None)
        if at is not None or len(one) != TOKENS or len(other) != TOKENS:
            print("%s: prompt %d differs at %s of %d and %d tokens" % (what, prompt, at, len(one), len(other)))
            return False
    return True


def run(a):
    right = total = 0
    for cache in CACHES:
        greedy = made(a, cache, a.device, ["--temperature=0"])
        pairs = {
            "processor": (greedy, made(a, cache, "cpu", ["--temperature=0"])),
            "chosen on the host": (greedy, made(a, cache, a.device, ["--temperature=0", "--logprobs=0"])),
            "drawn": (made(a, cache, a.device, DRAWN), made(a, cache, a.device, [*DRAWN, "--logprobs=0"])),
        }
        for what, (left, other) in pairs.items():
            total += 1
            right += same("%s, %s" % (cache, what), left, other)
    slots, *others = [made(a, name, a.device, ["--temperature=0"], MANY) for name in TOGETHER]
    for name, other in zip(list(TOGETHER)[1:], others):
        total += 1
        right += same(name, slots, other)
    print("%d of %d texts are the same" % (right, total))
    return 0 if right == total else 1


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("what", choices=["pack", "run"])
    p.add_argument("--fornax", required=True)
    p.add_argument("--models")
    p.add_argument("--out")
    p.add_argument("--target", action="append")
    p.add_argument("--flag", action="append", default=[], help="another flag of `fornax compile`")
    p.add_argument("--device", default="cuda")
    a = p.parse_args()
    return pack(a) if a.what == "pack" else run(a)


if __name__ == "__main__":
    sys.exit(main())
