#!/usr/bin/env python3
"""Broken checkpoints and ONNX files: none may panic, abort, hang or eat the memory of what reads them.

    python3 tests/broken/mutate_checkpoints.py --fornax target/debug/fornax [--count 1000] [--seed 1] [--only REGEX]

Takes the small checkpoints of tests/checkpoints and tests/encoders (folders and GGUF files) and, with `onnx` at hand,
ONNX models of `onnx_mutants.py`: of open sizes, of classical learners, fused and quantised ones, the node tests of the
package. Gives checkpoints words, changes one file a little and runs one command on it: `import`, `compile` as far as
its schedule, `quantize`, or `generate` with a module of the checkpoint as it was, with prompts, `--speculate` and a
draft. Changes: bytes flipped, cut off or put in; values, keys and lists of JSON and of a safetensors header; numbers,
names and kinds of a GGUF header; any field of an ONNX model, and sizes that its inputs are given.

A mutant may work, or be refused with a code. It fails when the process ends by a signal, prints a panic, gives an
internal error (FX09..), or takes more than --cpu seconds of processor time or --memory GiB. Same seed, same mutants;
files of failing ones are kept in --keep, with what was printed. Exits with 1 where one fails.
"""
import argparse
import json
import os
import pathlib
import random
import re
import resource
import shutil
import struct
import subprocess
import sys
import tempfile

TESTS = pathlib.Path(__file__).resolve().parent.parent
NUMBERS = [0, 1, 2, 3, 7, -1, 0.5, -0.0, 65536, 2**31 - 1, 2**31, 2**32, 2**53, 2**63 - 1, 2**63, 2**64, 10**30, 1e-320,
           1e300]
WORDS = ["", "x", "llama", "mixtral", "bert", "gelu", "yarn", "F32", "BF16", "F8_E4M3", "I32", "w1", "../w", "ü" * 300,
         "{{", "model.layers.0.self_attn.q_proj.weight", "a\0b"]
#: A matrix of these would be larger than any file here.
SIZES = [0, 1, 2, 3, 31, 32, 64, 255, 4096, 2**20, 2**31, 2**32 - 1, 2**40, 2**63 - 1, 2**64 - 1]
FLAGS = [[], ["--context=64"], ["--context=16", "--chunk=8"], ["--batch=3"], ["--cache-type=int8"],
         ["--cache-type=f8", "--compute-type=bf16"], ["--activation-type=f8"], ["--activation-type=float"],
         ["--speculate=3"], ["--batch=2", "--cache-pages=4"], ["--compute-type=f16"], ["--tensor-parallel=2"]]
KINDS = ["q4_0", "q4_1", "q5_0", "q8_0", "q4_k", "q6_k", "bf16", "fp8", "int8"]
JSON_OPENS = 600


def value(rng, old=None):
    way = rng.randrange(10)
    if way < 4:
        return rng.choice(NUMBERS)
    if way == 4 and isinstance(old, (int, float)) and not isinstance(old, bool):
        return old + rng.choice([-1, 1, 16]) if rng.random() < 0.5 else -old
    if way < 7:
        return rng.choice(WORDS)
    return rng.choice([None, True, False, [], {}, [1, [2, [3]]], {"a": {"b": 1}}, [0] * 40])


def places(tree, at=()):
    """Paths of everything in a tree of JSON."""
    yield at
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, below in items:
        yield from places(below, at + (key,))


def change_json(rng, tree):
    all_places = [place for place in places(tree) if place]
    if not all_places:
        return tree
    *way, last = rng.choice(all_places)
    parent = tree
    for key in way:
        parent = parent[key]
    what = rng.randrange(6)
    if what == 0:
        del parent[last]
    elif what == 1 and isinstance(parent, dict):
        parent[rng.choice(WORDS)] = parent.pop(last)
    elif what == 2 and isinstance(parent, list):
        parent.insert(last, rng.choice([parent[last], value(rng)]))
    else:
        parent[last] = value(rng, parent[last])
    return tree


def change_bytes(rng, data, head=None):
    data = bytearray(data)
    end = min(len(data), head or len(data))
    for _ in range(rng.randint(1, 4)):
        if not data:
            break
        at = rng.randrange(max(1, end))
        what = rng.randrange(5)
        if what == 0:
            data[at] ^= 1 << rng.randrange(8)
        elif what == 1:
            data[at:at + 8] = struct.pack("<Q", rng.choice(SIZES))
        elif what == 2:
            del data[at:at + rng.choice([1, 4, 8, 100])]
        elif what == 3:
            data[at:at] = rng.randbytes(rng.choice([1, 4, 8, 64]))
        else:
            del data[at:]
        end = min(end, len(data))
    return bytes(data)


def change_text(rng, data):
    """Text of JSON that is no longer what it was, or not JSON."""
    way = rng.randrange(8)
    if way == 0:
        return change_bytes(rng, data)
    if way == 1:
        return b"[" * rng.choice([JSON_OPENS, 200_000]) + data
    tree = json.loads(data)
    for _ in range(rng.randint(1, 3)):
        tree = change_json(rng, tree)
    return json.dumps(tree).encode()


def change_safetensors(rng, data):
    if rng.random() < 0.3:
        return change_bytes(rng, data, head=4096)
    (length,) = struct.unpack_from("<Q", data)
    head = change_text(rng, data[8:8 + length])
    if rng.random() < 0.1:
        length = rng.choice(SIZES)
    else:
        length = len(head)
    return struct.pack("<Q", length & 2**64 - 1) + head + data[8 + len(data[8:8 + length]):][:len(data)]


def change_gguf(rng, data):
    """Numbers of the header: counts, lengths, kinds, sizes and places of tensors."""
    if rng.random() < 0.3:
        return change_bytes(rng, data, head=4096)
    names = [match.start() for match in re.finditer(rb"[a-z_]+\.[\w.]+", data[:16384])]
    data = bytearray(data)
    for _ in range(rng.randint(1, 3)):
        at = rng.choice(names) if names and rng.random() < 0.8 else 4
        at += rng.choice([-8, -4, 0, 1, 4, 8, 12, 16, 24, 32, 40])
        size = rng.choice([1, 4, 8])
        number = rng.choice(SIZES) if rng.random() < 0.6 else rng.randrange(48)
        data[max(0, at):at + size] = (number & 256**size - 1).to_bytes(size, "little")
    return bytes(data)


def words_of(count):
    """A tokenizer of so many words."""
    return {
        "version": "1.0", "truncation": None, "padding": None, "normalizer": None,
        "added_tokens": [{"id": 2, "content": "w2", "single_word": False, "lstrip": False, "rstrip": False,
                          "normalized": False, "special": True}],
        "pre_tokenizer": {"type": "Whitespace"}, "post_processor": None, "decoder": None,
        "model": {"type": "WordLevel", "vocab": {"w%d" % n: n for n in range(count)}, "unk_token": "w0"}}


def onnx_models(only):
    """ONNX models, (name, bytes), in lists: of open sizes, of classical learners, fused ones, the package's node tests."""
    try:
        import onnx_mutants
    except ImportError:
        return []
    makers = onnx_mutants.of_open_sizes, onnx_mutants.of_learners, onnx_mutants.of_fused, onnx_mutants.of_package
    return [[one for one in maker() if re.search(only, one[0])] for maker in makers]


def change_onnx(rng, data):
    import onnx_mutants
    return change_bytes(rng, data) if rng.random() < 0.2 else onnx_mutants.change(rng, data)


CHANGES = {".json": change_text, ".safetensors": change_safetensors, ".gguf": change_gguf, ".onnx": change_onnx}


def lay_out(scratch, only):
    """Folders in lists, of which one is as likely as the other: checkpoints with words, kinds of ONNX models."""
    found = []
    for source in sorted([*(TESTS / "checkpoints").iterdir(), *(TESTS / "encoders").iterdir()]):
        if not (source / "config.json").exists() or not re.search(only, source.name):
            continue
        folder = scratch / "good" / source.name
        folder.mkdir(parents=True)
        for file in source.iterdir():
            if file.suffix in (".json", ".safetensors") and file.is_file():
                shutil.copy(file, folder)
        if not (folder / "tokenizer.json").exists():
            count = json.loads((folder / "config.json").read_text()).get("vocab_size", 64)
            (folder / "tokenizer.json").write_text(json.dumps(words_of(count)))
        found.append(folder)
        if (source / "model.gguf").exists():
            folder = scratch / "good" / (source.name + "_gguf")
            folder.mkdir()
            shutil.copy(source / "model.gguf", folder)
            found.append(folder)
    kinds = [found]
    for models in onnx_models(only):
        kinds.append([])
        for name, data in models:
            folder = scratch / "good" / ("onnx_" + name)
            folder.mkdir(parents=True)
            (folder / "model.onnx").write_bytes(data)
            kinds[-1].append(folder)
    return [folders for folders in kinds if folders]


class Modules:
    """Modules of checkpoints as they were, compiled when they are first asked for."""

    def __init__(self, fornax, scratch):
        self.fornax, self.scratch, self.known = fornax, scratch, {}

    def of(self, folder, flags):
        key = (folder.name, *flags)
        if key not in self.known:
            module = self.scratch / ("module%d.fnx" % len(self.known))
            command = [self.fornax, "compile", "--quiet", "--target=cpu:x86-64-v3", *flags, path_of(folder)]
            done = subprocess.run([*command, "-o", module], capture_output=True)
            self.known[key] = module if done.returncode == 0 else None
        return self.known[key]


def path_of(folder):
    """What a command is given: a folder, or its only file."""
    files = list(folder.iterdir())
    return files[0] if len(files) == 1 and files[0].suffix in (".gguf", ".onnx") else folder


def generating(rng, good, broken, modules):
    """A command that answers with a broken checkpoint, tokenizer or draft; `None` where there is no module."""
    speculates = rng.random() < 0.4
    module = modules.of(good, ["--context=32", "--speculate=3"] if speculates else ["--context=32"])
    if module is None or path_of(good) != good:
        return None
    command = ["generate", "--module=%s" % module, "--prompt=w3 w4 w5", "--max-tokens=4", "--raw", "--format=json"]
    draft = modules.of(good, ["--context=32"])
    if speculates and rng.random() < 0.6:
        command += ["--draft-module=%s" % draft, "--draft-parameters=%s" % broken, "--parameters=%s" % good]
    else:
        command += ["--parameters=%s" % broken]
        command += ["--speculate=%s" % rng.choice([0, 1, 3, 99, -1, 2**63])] if speculates else []
    return command


def command_of(rng, good, broken, modules, out):
    path = path_of(broken)
    if (broken / "model.onnx").exists():
        size = rng.choice(SIZES + [-1, "x", "1,2"])
        name = rng.choice(["batch", "steps", "x.0", "x.9", "z.1", "n", "h", "", "="])
        flags = [] if rng.random() < 0.5 else ["--fix-size=%s=%s" % (name, size)]
        flags += [] if rng.random() < 0.8 else ["--sequence-length=%s=%s" % (name, size)]
        return rng.choice([["import", "--emit-mlir", path, *flags],
                           ["compile", "--target=cpu:x86-64-v3", "--compile-to=schedule", path, *flags]])
    way, flags = rng.randrange(8), rng.choice(FLAGS)
    if way < 3:
        return ["import", "--emit-mlir", path, *flags]
    if way < 5:
        return ["compile", "--target=cpu:x86-64-v3", "--compile-to=schedule", path, *flags]
    if way == 5:
        kind = rng.choice(KINDS)
        return ["quantize", path, "--type=%s" % kind, "-o", out / ("q" if kind in ("fp8", "int8") else "q.gguf")]
    return generating(rng, good, broken, modules) or ["import", "--emit-mlir", path, *flags]


def failure(command, cpu, memory):
    """Why a command fails this test, or `None`, and what it printed."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 5))
        resource.setrlimit(resource.RLIMIT_AS, (memory << 30, memory << 30))

    try:
        done = subprocess.run(command, capture_output=True, preexec_fn=limit, timeout=30 * cpu)
    except subprocess.TimeoutExpired:
        return "waits for ever", ""
    text = done.stderr.decode("utf-8", "replace") + done.stdout.decode("utf-8", "replace")[-4000:]
    if done.returncode not in (0, 1, 2):
        return "ended with %d" % done.returncode, text
    if "panicked" in text:
        return "a panic", text
    internal = re.search(r"FX09\d\d", text)
    if internal:
        return internal.group(), text
    if done.returncode and not re.search(r"FX\d{4}", text):
        return "an error without a code", text
    return None, "refused " + text if done.returncode else text


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--fornax", default="target/debug/fornax", type=lambda path: str(pathlib.Path(path).resolve()))
    p.add_argument("--count", type=int, default=1000)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--only", default="", help="names of checkpoints and models")
    p.add_argument("--cpu", type=int, default=40, help="seconds of processor time")
    p.add_argument("--memory", type=int, default=6, help="GiB of addresses")
    p.add_argument("--keep", default=os.path.join(tempfile.gettempdir(), "fornax-broken"), type=pathlib.Path)
    a = p.parse_args()
    worked = refused = failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        broken, out = scratch / "b", scratch / "out"
        good, modules = lay_out(scratch, a.only), Modules(a.fornax, scratch)
        for number in range(a.seed, a.seed + a.count):
            rng = random.Random(number)
            source = rng.choice(rng.choice(good))
            for folder in (broken, out):
                shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(source, broken)
            out.mkdir()
            file = rng.choice(sorted(broken.iterdir()))
            file.write_bytes(CHANGES[file.suffix](rng, file.read_bytes()))
            command = [a.fornax, *map(str, command_of(rng, source, broken, modules, out))]
            why, printed = failure(command, a.cpu, a.memory)
            if why is None:
                worked, refused = (worked, refused + 1) if printed.startswith("refused ") else (worked + 1, refused)
                continue
            failed += 1
            kept = a.keep / str(number)
            shutil.rmtree(kept, ignore_errors=True)
            shutil.copytree(broken, kept)
            (kept / "printed.txt").write_text(" ".join(command) + "\n" + printed)
            print("seed %d, %s of %s, %s: %s" % (number, file.name, source.name, command[1], why), flush=True)
    print("%d mutants: %d worked, %d refused, %d failed" % (a.count, worked, refused, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
