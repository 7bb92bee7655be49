#!/usr/bin/env python3
"""Broken programs: no input may panic, abort or hang the compiler.

    python3 tests/broken/mutate.py --fornax target/release/fornax [--count 500] [--seed 1] [--only REGEX] [--keep DIR]

Takes the modules of tests/, changes each a little (a number, an element type, a token, a line; one to three changes a program) and compiles what
became of it for a CPU and a GPU. A mutant may compile, or be refused with an error that names a code and a place; it fails when the process ends by a
signal, prints a panic, gives an internal error (FX09..), or takes longer than --timeout seconds. Same seed, same programs; failing ones are kept in
DIR with what the compiler printed.
"""
import argparse
import os
import random
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
FOLDERS = ["numeric", "dialects", "sizes", "model", "sharded"]
#: Longer modules take seconds each and hold nothing that the others do not.
LONGEST = 60_000
NUMBERS = ["0", "1", "2", "3", "7", "-1", "4096", "2147483647", "9223372036854775807", "-9223372036854775808", "99999999999999999999"]
ELEMENTS = ["i1", "i2", "ui4", "i8", "ui8", "i32", "i64", "ui64", "bf16", "f16", "f32", "f64", "complex<f32>", "f8E4M3FN", "i48", "index",
            "!quant.uniform<i8:f32, 0.5:3>"]
#: Shardings of HLO as bytes, the protocol buffer `OpSharding`: tiles, copies, a grid that is turned, a tuple.
SHARDINGS = [r"\08\03\1A\02\02\01\"\02\00\01", r"\08\03\1A\03\01\02\04J\01\08B\02\04\00",
             r"\08\03\1A\02\02\04J\02\04\02R\02\01\00", r"\08\02*\09\08\03\1A\01\02\"\02\00\01*\02\08\00",
             r"\08\04", ""]
ELEMENT = re.compile(r"(?<=[x<])(u?i\d+|bf16|f\d+\w*)(?=[,>])")
NUMBER = re.compile(r"(?<![\w%.#@])-?\d+(?![\w.])|(?<=[<x])\d+(?=x)")
TOKEN = re.compile(r"%?[\w.#@]+|[^\s\w]")


def replace(rng, text, pattern, make):
    found = list(pattern.finditer(text))
    if not found:
        return text
    at = rng.choice(found)
    return text[: at.start()] + make(at.group()) + text[at.end():]


def line(rng, text, change):
    lines = text.split("\n")
    at = rng.randrange(len(lines))
    return "\n".join(change(lines, at))


def everywhere(rng, text, pattern, make):
    """One thing changed alike in the whole text, so that types still agree with each other."""
    found = pattern.findall(text)
    if not found:
        return text
    old = rng.choice(found)
    return text.replace(old, make(old))


def resized(rng, ty):
    """A tensor type with one size changed, added or removed."""
    shape, element = re.fullmatch(r"tensor<((?:[\d?]+x)*)([^<>]*)", ty).groups()
    sizes = shape.split("x")[:-1]
    at = rng.randrange(len(sizes) + 1)
    way = rng.randrange(3)
    if way == 0 or at == len(sizes):
        sizes.insert(at, rng.choice(["1", "2", "?"]))
    elif way == 1:
        del sizes[at]
    else:
        sizes[at] = rng.choice(["0", "1", "3", "129", "?", "4096", "9223372036854775807"])
    return "tensor<" + "".join(s + "x" for s in sizes) + element


def in_text(rng, text):
    """A string with one to three of its characters changed, or another string of the program."""
    found = [at for at in STRING.finditer(text)]
    if not found:
        return text
    at = rng.choice(found)
    inner = rng.choice(found).group()[1:-1] if rng.random() < 0.2 else at.group()[1:-1]
    if "sharding" in text[max(0, at.start() - 16): at.start()] and rng.random() < 0.4:
        inner = rng.choice(SHARDINGS)
    characters = CHARACTER.findall(inner)
    for _ in range(rng.randint(1, 3)):
        place = rng.randrange(len(characters) + 1)
        new = rng.choice([r"\%02X" % rng.randrange(128), rng.choice("{}[]<=>,T() 0189"), rng.choice(NUMBERS), ""])
        characters[place: place + rng.randrange(2)] = [new]
    return text[: at.start()] + '"' + "".join(characters) + '"' + text[at.end():]


SHAPED = re.compile(r"tensor<(?:[\d?]+x)*\w+")
STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
CHARACTER = re.compile(r"\\[0-9A-Fa-f]{2}|\\.|.")
LISTED = re.compile(r"(?<=[\[, :])-?\d+(?=[\],:])")
CONSISTENT = [
    lambda rng, text: everywhere(rng, text, SHAPED, lambda ty: resized(rng, ty)),
    lambda rng, text: everywhere(rng, text, SHAPED, lambda ty: resized(rng, ty)),
    lambda rng, text: everywhere(rng, text, ELEMENT, lambda _: rng.choice(ELEMENTS)),
    lambda rng, text: replace(rng, text, LISTED, lambda _: rng.choice(NUMBERS)),
    lambda rng, text: replace(rng, text, LISTED, lambda n: str(int(n) + rng.choice([-1, 1]))),
    lambda rng, text: replace(rng, text, re.compile(r"\b(true|false)\b"), lambda t: "false" if t == "true" else "true"),
    lambda rng, text: replace(rng, text, re.compile(r"(?<=stablehlo\.)\w+(?= %)"), lambda _: rng.choice(re.findall(r"(?<=stablehlo\.)\w+(?= %)", text))),
    lambda rng, text: replace(rng, text, re.compile(r"(?<=: )\w+(?= \}| >|,)"), lambda _: rng.choice(NUMBERS)),
    in_text,
]
MUTATIONS = [
    lambda rng, text: replace(rng, text, NUMBER, lambda _: rng.choice(NUMBERS)),
    lambda rng, text: replace(rng, text, NUMBER, lambda n: str(int(n) + rng.choice([-1, 1]))),
    lambda rng, text: replace(rng, text, ELEMENT, lambda _: rng.choice(ELEMENTS)),
    lambda rng, text: replace(rng, text, re.compile(r"tensor<[\dx?]*(?=\w)"), lambda _: "tensor<" + rng.choice(["", "?x", "0x", "3x?x", "1x1x1x1x1x1x1x"])),
    lambda rng, text: replace(rng, text, re.compile(r"%\w+"), lambda _: rng.choice(re.findall(r"%\w+", text))),
    lambda rng, text: replace(rng, text, TOKEN, lambda _: ""),
    lambda rng, text: replace(rng, text, TOKEN, lambda t: t + t),
    lambda rng, text: line(rng, text, lambda lines, at: lines[:at] + lines[at + 1:]),
    lambda rng, text: line(rng, text, lambda lines, at: lines[:at] + [lines[at]] + lines[at:]),
    lambda rng, text: line(rng, text, lambda lines, at: lines[:at] + [rng.choice(lines)] + lines[at + 1:]),
    lambda rng, text: text[: rng.randrange(len(text) + 1)],
]


def modules(only):
    for folder in FOLDERS:
        for at, _, files in sorted(os.walk(os.path.join(ROOT, folder))):
            for name in sorted(files):
                path = os.path.join(at, name)
                label = os.path.relpath(path, ROOT)
                if name.endswith(".mlir") and os.path.getsize(path) <= LONGEST and re.search(only, label):
                    yield label, open(path, encoding="utf-8").read()


def failure(command, timeout):
    """Why a compilation fails this test; `None` when it compiled or was refused properly."""
    try:
        done = subprocess.run(command, capture_output=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        return "took longer than %d s" % timeout, ""
    text = done.stderr.decode("utf-8", "replace") + done.stdout.decode("utf-8", "replace")
    if done.returncode not in (0, 1):
        return "ended with %d" % done.returncode, text
    if "panicked" in text:
        return "a panic", text
    internal = re.search(r"FX09\d\d", text)
    if internal:
        return internal.group(), text
    if done.returncode and not re.search(r"FX\d{4}", text):
        return "an error without a code", text
    return None, text


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--fornax", default="target/release/fornax")
    p.add_argument("--count", type=int, default=500)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--only", default="")
    p.add_argument("--timeout", type=int, default=60)
    p.add_argument("--targets", default="--target-backends=cpu;--target-backends=cuda --cuda-target=sm_90a", help="of each program one, in turn")
    p.add_argument("--keep", default=os.path.join(tempfile.gettempdir(), "fornax-broken"))
    a = p.parse_args()
    texts = list(modules(a.only))
    targets = [t.split() for t in a.targets.split(";")]
    compiled = refused = failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        path, out = os.path.join(scratch, "m.mlir"), os.path.join(scratch, "m.fnx")
        for number in range(a.seed, a.seed + a.count):
            rng = random.Random(number)
            label, text = rng.choice(texts)
            for _ in range(rng.randint(1, 3)):
                text = rng.choice(MUTATIONS if rng.random() < 0.2 else CONSISTENT)(rng, text)
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
            why, printed = failure([a.fornax, "compile", *targets[number % len(targets)], path, "-o", out], a.timeout)
            if why is None:
                compiled, refused = (compiled, refused + 1) if "error" in printed else (compiled + 1, refused)
                continue
            failed += 1
            os.makedirs(a.keep, exist_ok=True)
            for suffix, what in ((".mlir", text), (".txt", printed)):
                with open(os.path.join(a.keep, "%d%s" % (number, suffix)), "w", encoding="utf-8") as f:
                    f.write(what)
            print("seed %d, of %s: %s" % (number, label, why), flush=True)
    print("%d programs: %d compiled, %d refused, %d failed" % (a.count, compiled, refused, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
