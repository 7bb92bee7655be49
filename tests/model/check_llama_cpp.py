#!/usr/bin/env python3
"""Greedy text of a GGUF file by Fornax and by llama.cpp, token by token, and who is right where they differ.

    pip install numpy gguf llama-cpp-python
    python3 tests/model/check_llama_cpp.py --fornax FORNAX --module MODULE.fnx FILE.gguf [--tokens 128]

Twenty prompts are continued as they are (no template). --floats gives llama.cpp the weights as `gguf` dequantises them,
in a file of f32 written beside the module, and caches of f32: then both compute the same sums.

Where the texts differ first, both have the same tokens before:
shown are the token of each, and how much larger the logit of its own token was than that of the other's, by Fornax, by
llama.cpp, and by numpy, which computes the same step in f32 from the weights as `gguf` dequantises them, sums in f64
where numpy adds up so. Of two programs the one whose token numpy's logit is larger for is right there. Without
--floats llama.cpp rounds what products multiply to 8 bits.

Known are models of architecture `llama` without biases. Exits with 1 where a text differs and numpy's gap says that
Fornax is wrong by more than --near.
"""
import argparse
import json
import pathlib
import subprocess
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "bench"))
import cpu_language as bench  # noqa: E402

PROMPTS = [
    "The sky is blue because", "Once upon a time there was a king who", "Water boils at", "def fibonacci(n):",
    "The capital of France is", "To make bread you need", "In 1969 the first man", "A prime number is",
    "Dear Sir or Madam,", "The quick brown fox", "Photosynthesis is the process by which", "SELECT name FROM",
    "My favourite book is", "The largest planet of the solar system", "If it rains tomorrow,", "The recipe says:",
    "Roses are red,", "The function returns", "He opened the door and", "Two plus two is",
]


class Reference:
    """The model in numpy."""

    def __init__(self, path):
        import gguf
        reader = gguf.GGUFReader(str(path))
        floats = gguf.quants.dequantize
        self.weights = {t.name: floats(t.data, t.tensor_type).astype(np.float32) for t in reader.tensors}

        def field(name):
            return reader.fields["llama." + name].contents()

        self.layers, self.heads = field("block_count"), field("attention.head_count")
        self.kv, self.epsilon = field("attention.head_count_kv"), field("attention.layer_norm_rms_epsilon")
        self.base = field("rope.freq_base")

    def norm(self, x, name):
        scale = 1 / np.sqrt(np.mean(np.square(x, dtype=np.float64), axis=-1, keepdims=True) + self.epsilon)
        return (x * scale).astype(np.float32) * self.weights[name]

    def rotated(self, x):
        """[tokens, heads, width], neighbours turned by their token's number."""
        width = x.shape[-1]
        angles = np.outer(np.arange(len(x)), self.base ** (-np.arange(0, width, 2) / width))[:, None]
        cos, sin = np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
        even, odd = x[..., 0::2], x[..., 1::2]
        return np.stack([even * cos - odd * sin, even * sin + odd * cos], axis=-1).reshape(x.shape)

    def logits(self, tokens):
        w, count = self.weights, len(tokens)
        x = w["token_embd.weight"][tokens]
        mask = np.triu(np.full((count, count), -np.inf, np.float32), 1)
        for layer in range(self.layers):
            at = "blk.%d." % layer
            h = self.norm(x, at + "attn_norm.weight")
            q, k, v = (h @ w[at + "attn_%s.weight" % one].T for one in "qkv")
            q = self.rotated(q.reshape(count, self.heads, -1))
            k, v = self.rotated(k.reshape(count, self.kv, -1)), v.reshape(count, self.kv, -1)
            k, v = (np.repeat(one, self.heads // self.kv, axis=1) for one in (k, v))
            scores = np.einsum("qhd,khd->hqk", q, k) / np.sqrt(np.float32(q.shape[-1])) + mask
            scores = np.exp(scores - scores.max(-1, keepdims=True))
            scores /= scores.sum(-1, keepdims=True)
            mixed = np.einsum("hqk,khd->qhd", scores, v).reshape(count, -1)
            x = x + mixed @ w[at + "attn_output.weight"].T
            h = self.norm(x, at + "ffn_norm.weight")
            gate, up = (h @ w[at + "ffn_%s.weight" % one].T for one in ("gate", "up"))
            x = x + (gate / (1 + np.exp(-gate)) * up) @ w[at + "ffn_down.weight"].T
        head = w.get("output.weight", w["token_embd.weight"])
        return self.norm(x[-1:], "output_norm.weight")[0] @ head.T


def in_floats(path, to):
    """Writes the file's words, settings and dequantised weights to `to`, in f32."""
    import gguf
    reader = gguf.GGUFReader(str(path))
    writer = gguf.GGUFWriter(str(to), reader.fields["general.architecture"].contents())
    own = ("GGUF.", "general.architecture", "general.file_type", "general.quantization_version")
    for name, field in reader.fields.items():
        if not name.startswith(own):
            sub = field.types[-1] if field.types[0] == gguf.GGUFValueType.ARRAY else None
            writer.add_key_value(name, field.contents(), field.types[0], sub_type=sub)
    for t in reader.tensors:
        writer.add_tensor(t.name, gguf.quants.dequantize(t.data, t.tensor_type).astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def of_fornax(a, prompt):
    command = [a.fornax, "generate", "--module=%s" % a.module, "--parameters=%s" % a.file, "--device=cpu", "--raw",
               "--format=json", "--prompt=%s" % prompt, "--max-tokens=%d" % a.tokens, "--logprobs=20"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr[-600:])
    return json.loads(done.stdout)


def of_llama(model, prompt, tokens, end):
    """Tokens that llama.cpp makes, and the logits each was taken from."""
    bench.forget(model)
    logits, made, all_logits = bench.decode(model, prompt, 0)[0], [], []
    for at in range(tokens):
        all_logits.append(logits.copy())
        made.append(int(logits.argmax()))
        if made[-1] in end:
            break
        logits = bench.decode(model, made[-1:], len(prompt) + at)[0]
    return made, all_logits


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("file", type=pathlib.Path)
    p.add_argument("--fornax", default="target/debug/fornax")
    p.add_argument("--module", required=True)
    p.add_argument("--tokens", type=int, default=128)
    p.add_argument("--near", type=float, default=1e-3, help="a gap of numpy's that tells nobody right")
    p.add_argument("--floats", action="store_true", help="llama.cpp multiplies and keeps f32")
    a = p.parse_args()
    file = a.file
    if a.floats:
        file = pathlib.Path(a.module).with_suffix(".f32.gguf")
        in_floats(a.file, file)
    model, reference = bench.llama(file, 2, 1024, floats=a.floats), Reference(a.file)
    end, same, wrong, right, near = {model.token_eos()}, 0, 0, 0, 0
    print("%-44s %5s %18s %9s %9s %9s" % ("prompt", "at", "tokens", "fornax", "llama.cpp", "numpy"))
    for prompt in PROMPTS:
        found = of_fornax(a, prompt)
        ours, (theirs, logits) = found["ids"], of_llama(model, found["prompt_ids"], a.tokens, end)
        # What ends the text is not among Fornax's tokens.
        theirs = theirs[:-1] if theirs and theirs[-1] in end else theirs
        at = next((n for n, pair in enumerate(zip(ours, theirs)) if pair[0] != pair[1]), None)
        if at is None:
            same += len(ours) == len(theirs)
            print("%-44s %5s" % (prompt[:44], "same" if len(ours) == len(theirs) else "end"), flush=True)
            continue
        one, other = ours[at], theirs[at]
        top = {row["id"]: row["logprob"] for row in found["logprobs"][at]["top"]}
        exact = reference.logits(np.array(found["prompt_ids"] + ours[:at]))
        gap = float(exact[one] - exact[other])
        wrong, right, near = wrong + (gap < -a.near), right + (gap > a.near), near + (abs(gap) <= a.near)
        print("%-44s %5d %18s %9.4f %9.4f %9.4f" % (
            prompt[:44], at, "%d, %d" % (one, other), top[one] - top.get(other, float("nan")),
            logits[at][other] - logits[at][one], gap), flush=True)
    print("%d of %d the same; where they differ Fornax is right %d times, llama.cpp %d, %d too near to say" % (
        same, len(PROMPTS), right, wrong, near))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
