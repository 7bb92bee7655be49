#!/usr/bin/env python3
"""Language models of real shapes on a GPU: tokens a second, and the share of what its memory allows.

    python3 tests/gpu/language.py pack --fornax FORNAX --out DIR [--only REGEX] [--target cuda:sm_90a]   # the compiler
    python3 tests/gpu/language.py run --fornax FORNAX --models DIR [--only REGEX] [--out OUT] [--peers]  # the GPU

`pack` compiles checkpoints that have a header and no data. `run` makes their weights from random bits, with exponents
and scales that fit, writes them to --scratch, and measures `fornax bench` on them: nothing but modules travels.

    ms        mean in a queue of calls, each writing to the caches that the next one reads
    tok/s     of all texts
    TB/s      bytes that a call must read: matrices of layers and of the head, experts that tokens go through, caches
    share     of the rate at which torch adds up 4 GiB on the same GPU
    peer      transformers by torch.compile, static cache, in a CUDA graph (--peers)

`--only` takes rows of ROWS by name, `--layers` the first layers of each. A text of `batch` has its 1024th token
decoded.
"""
import argparse
import concurrent.futures
import json
import math
import os
import re
import struct
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

# Width, feed-forward width, layers, heads, kv heads, head width, words, tied embedding, experts, experts of a token.
SHAPES = {
    "8b": (4096, 14336, 32, 32, 8, 128, 128256, False, 0, 0),
    "1b": (2048, 8192, 16, 32, 8, 64, 128256, True, 0, 0),
    "mixtral": (4096, 14336, 8, 32, 8, 128, 32000, False, 8, 2),
    "tiny": (256, 512, 2, 4, 2, 64, 512, False, 0, 0),
    "tiny_moe": (256, 512, 2, 4, 2, 64, 512, False, 4, 2),
}
# Elements and bytes of a block, and the number of the kind in GGUF.
KINDS = {"f32": (1, 4, 0), "bf16": (1, 2, 30), "f8": (1, 1, None), "q4_0": (32, 18, 2), "q8_0": (32, 34, 8),
         "q4_k": (256, 144, 12), "q5_k": (256, 176, 13), "q6_k": (256, 210, 14)}
SAFE = {"f32": "F32", "bf16": "BF16", "f8": "F8_E4M3"}
CONTEXT = 1024
PROMPT = 2048
# Tokens of a page of the caches.
PAGE = 32
# Bytes that a thread makes and writes at a time.
PIECE = 16 << 20


class Row:
    """What is measured: a shape, what its matrices are, the function and texts at a time; layers where not all; E4M3
    activations where products multiply such; caches in pages, as many as the texts fill; the last tokens of a prompt
    that `prefill` takes; what the last matrix is, where that is not what the embedding is, or finer."""

    def __init__(self, shape, kind, function="decode", batch=1, layers=None, activations=None, paged=False,
                 chunk=PROMPT, last=None):
        self.last = last
        self.shape, self.kind, self.function, self.batch, self.paged = shape, kind, function, batch, paged
        self.activations, self.chunk = activations, chunk
        (self.width, self.inner, all_layers, self.heads, self.kv, self.head, self.words, self.tied, self.experts,
         self.chosen) = SHAPES[shape]
        self.layers = layers or all_layers
        self.context = PROMPT if function == "prefill" else CONTEXT
        # Pages of all texts, and the one of no text.
        self.pages = self.batch * self.context // PAGE + 1

    def flags(self):
        chunk = self.chunk if self.function == "prefill" else 32
        batch = ["--batch=%d" % self.batch] if self.batch > 1 else []
        if self.paged:
            batch.append("--cache-pages=%d" % (self.pages - 1))
        activations = ["--activation-type=" + self.activations] if self.activations else []
        return ["--context=%d" % self.context, "--chunk=%d" % chunk, "--long-chunk=0", "--compute-type=bf16", *batch,
                *activations]

    def matrices(self):
        """(name in a folder, name in GGUF, rows, columns) of a layer's matrices; {} is the layer, * an expert."""
        q, kv = self.heads * self.head, self.kv * self.head
        rows = [("self_attn.q_proj", "attn_q", q, self.width), ("self_attn.k_proj", "attn_k", kv, self.width),
                ("self_attn.v_proj", "attn_v", kv, self.width), ("self_attn.o_proj", "attn_output", self.width, q)]
        if self.experts:
            expert = "block_sparse_moe.experts.*."
            return rows + [(expert + "w1", "", self.inner, self.width), (expert + "w3", "", self.inner, self.width),
                           (expert + "w2", "", self.width, self.inner)]
        return rows + [("mlp.gate_proj", "ffn_gate", self.inner, self.width),
                       ("mlp.up_proj", "ffn_up", self.inner, self.width),
                       ("mlp.down_proj", "ffn_down", self.width, self.inner)]

    def tensors(self):
        """(name, kind, shape) of all tensors of the checkpoint."""
        blocks = self.kind.startswith("q")
        table = "bf16" if self.kind == "f8" else self.kind
        words = [self.words, self.width]
        yield ("token_embd.weight" if blocks else "model.embed_tokens.weight"), table, words
        if not self.tied:
            # Files in blocks have a finer last matrix.
            yield ("output.weight", "q6_k", words) if blocks else ("lm_head.weight", self.last or table, words)
            if self.last == "f8":
                yield "lm_head.weight_scale", "bf16", [self.words, 1]
        yield ("output_norm.weight" if blocks else "model.norm.weight"), "f32", [self.width]
        for layer in range(self.layers):
            inside = "blk.%d." % layer if blocks else "model.layers.%d." % layer
            norms = ("attn_norm", "ffn_norm") if blocks else ("input_layernorm", "post_attention_layernorm")
            for norm in norms:
                yield inside + norm + ".weight", "f32", [self.width]
            if self.experts:
                yield inside + "block_sparse_moe.gate.weight", "bf16", [self.experts, self.width]
            for folder, gguf, rows, columns in self.matrices():
                for expert in range(self.experts) if "*" in folder else [0]:
                    name = inside + (gguf if blocks else folder.replace("*", str(expert)))
                    yield name + ".weight", self.kind, [rows, columns]
                    if self.kind == "f8":
                        yield name + ".weight_scale", "bf16", [rows, 1]

    def caches(self):
        one = [self.kv, self.context, self.head]
        if self.paged:
            return [self.pages, self.kv, PAGE, self.head]
        return [self.batch, *one] if self.batch > 1 else one

    def bytes_read(self):
        """Bytes that one call of decode must read."""
        def matrix(rows, columns, kind):
            elements, size, _ = KINDS[kind]
            return rows * columns // elements * size + (2 * rows if kind == "f8" else 0)

        head = "q6_k" if self.kind.startswith("q") else self.last or "bf16"
        total = matrix(self.words, self.width, head)
        # Tokens choose experts alike and apart from each other.
        seen = self.experts * (1 - (1 - self.chosen / self.experts) ** self.batch) if self.experts else 0
        for folder, _, rows, columns in self.matrices():
            total += self.layers * matrix(rows, columns, self.kind) * (seen if "*" in folder else 1)
        return total + 4 * self.layers * self.kv * self.context * self.head * self.batch

    def operations(self):
        """Of a chunk: products of layers, attention to what is before each token, the last token's head."""
        layer = sum(rows * columns for _, _, rows, columns in self.matrices())
        attention = self.heads * self.head * (2 * PROMPT - self.chunk)
        return 2.0 * self.layers * (layer + attention) * self.chunk + 2.0 * self.words * self.width


ROWS = {
    "8b_bf16": Row("8b", "bf16"), "8b_f8": Row("8b", "f8"), "8b_q4_k": Row("8b", "q4_k"), "8b_q4_0": Row("8b", "q4_0"),
    "8b_q8_0": Row("8b", "q8_0"), "8b_q5_k": Row("8b", "q5_k"), "8b_q6_k": Row("8b", "q6_k"),
    "1b_bf16": Row("1b", "bf16"), "1b_q4_0": Row("1b", "q4_0"),
    "8b_bf16_prefill": Row("8b", "bf16", "prefill"), "8b_f8_prefill": Row("8b", "f8", "prefill"),
    **{"%s_chunk%d" % (name, chunk): Row(*name.split("_", 1), "prefill", chunk=chunk)
       for name in ("1b_bf16", "8b_bf16", "8b_q4_0", "8b_q4_k", "8b_q5_k", "8b_q6_k", "8b_q8_0", "8b_f8", "tiny_bf16",
                    "tiny_q4_0")
       for chunk in (32, 64, 128, 256, 512)},
    "8b_f8_last": Row("8b", "f8", last="f8"), "tiny_f8_last": Row("tiny", "f8", last="f8"),
    "8b_w8a8": Row("8b", "f8", activations="f8"),
    "8b_w8a8_prefill": Row("8b", "f8", "prefill", activations="f8"),
    "8b_f8_batch32": Row("8b", "f8", batch=32, layers=8),
    "8b_w8a8_batch32": Row("8b", "f8", batch=32, layers=8, activations="f8"),
    "8b_bf16_batch32": Row("8b", "bf16", batch=32, layers=8),
    "8b_bf16_batch128": Row("8b", "bf16", batch=128, layers=8),
    "8b_bf16_batch32_paged": Row("8b", "bf16", batch=32, layers=8, paged=True),
    "8b_bf16_batch64": Row("8b", "bf16", batch=64, layers=8),
    "8b_bf16_batch64_paged": Row("8b", "bf16", batch=64, layers=8, paged=True),
    "mixtral_bf16": Row("mixtral", "bf16"), "mixtral_bf16_batch16": Row("mixtral", "bf16", batch=16),
    # Small ones: that everything here runs, also on a processor.
    "tiny_bf16": Row("tiny", "bf16"), "tiny_f8": Row("tiny", "f8"), "tiny_q4_k": Row("tiny", "q4_k"),
    "tiny_q4_0": Row("tiny", "q4_0"), "tiny_q8_0": Row("tiny", "q8_0"),
    "tiny_q5_k": Row("tiny", "q5_k"), "tiny_q6_k": Row("tiny", "q6_k"),
    "tiny_f8_prefill": Row("tiny", "f8", "prefill"),
    "tiny_w8a8": Row("tiny", "f8", activations="f8"),
    "tiny_w8a8_prefill": Row("tiny", "f8", "prefill", activations="f8"),
    "tiny_bf16_batch8": Row("tiny", "bf16", batch=8),
    "tiny_moe_batch4": Row("tiny_moe", "bf16", batch=4),
    "tiny_bf16_batch8_paged": Row("tiny", "bf16", batch=8, paged=True),
}


def config(row):
    settings = {
        "model_type": "mixtral" if row.experts else "llama", "vocab_size": row.words, "hidden_size": row.width,
        "intermediate_size": row.inner, "num_hidden_layers": row.layers, "num_attention_heads": row.heads,
        "num_key_value_heads": row.kv, "head_dim": row.head, "max_position_embeddings": PROMPT, "hidden_act": "silu",
        "rms_norm_eps": 1e-5, "rope_theta": 500000.0, "tie_word_embeddings": row.tied}
    if row.experts:
        settings.update(num_local_experts=row.experts, num_experts_per_tok=row.chosen, sliding_window=None)
    if row.kind == "f8":
        weights = {"num_bits": 8, "type": "float", "strategy": "channel", "symmetric": True, "dynamic": False}
        settings["quantization_config"] = {
            "quant_method": "compressed-tensors", "format": "float-quantized",
            "ignore": [] if row.last else ["lm_head"],
            "config_groups": {"group_0": {"targets": ["Linear"], "weights": weights}}}
    return settings


def size_of(kind, shape):
    count = 1
    for extent in shape:
        count *= extent
    elements, size, _ = KINDS[kind]
    return count // elements * size


def safetensors_header(tensors):
    table, offset = {}, 0
    for name, kind, shape in tensors:
        end = offset + size_of(kind, shape)
        table[name] = {"dtype": SAFE[kind], "shape": shape, "data_offsets": [offset, end]}
        offset = end
    text = json.dumps(table, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 64 + 56)
    return struct.pack("<Q", len(text)) + text, [entry["data_offsets"][0] for entry in table.values()]


def gguf_header(row, tensors, settings=()):
    """The header, with more `settings` of text: (key, value)."""
    def text(value):
        return struct.pack("<Q", len(value)) + value.encode()

    sizes = {"context_length": PROMPT, "embedding_length": row.width, "block_count": row.layers,
             "feed_forward_length": row.inner, "attention.head_count": row.heads, "attention.head_count_kv": row.kv,
             "attention.key_length": row.head, "attention.value_length": row.head, "rope.dimension_count": row.head,
             "vocab_size": row.words}
    floats = {"attention.layer_norm_rms_epsilon": 1e-5, "rope.freq_base": 500000.0}
    settings = [("general.architecture", "llama"), *settings]
    head = b"".join(text(key) + struct.pack("<I", 8) + text(value) for key, value in settings)
    head += b"".join(text("llama." + key) + struct.pack("<II", 4, value) for key, value in sizes.items())
    head += b"".join(text("llama." + key) + struct.pack("<If", 6, value) for key, value in floats.items())
    offsets, offset = [], 0
    for name, kind, shape in tensors:
        head += text(name) + struct.pack("<I%dQIQ" % len(shape), len(shape), *reversed(shape), KINDS[kind][2], offset)
        offsets.append(offset)
        offset += size_of(kind, shape) + 31 & ~31
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(settings) + len(sizes) + len(floats)) + head
    return head + b"\0" * (-len(head) % 32), offsets


def write_header(row, folder, settings=()):
    """The checkpoint without its data: (path for commands, file with the data, [(kind, shape, offset)])."""
    tensors = list(row.tensors())
    os.makedirs(folder, exist_ok=True)
    if row.kind.startswith("q"):
        head, offsets = gguf_header(row, tensors, settings)
        path = data = os.path.join(folder, "model.gguf")
    else:
        head, offsets = safetensors_header(tensors)
        path, data = folder, os.path.join(folder, "model.safetensors")
        with open(os.path.join(folder, "config.json"), "w") as file:
            json.dump(config(row), file)
    end = max(at + size_of(kind, shape) for (_, kind, shape), at in zip(tensors, offsets))
    with open(data, "wb") as file:
        file.write(head)
        file.truncate(len(head) + end)
    return path, data, [(kind, shape, len(head) + at) for (_, kind, shape), at in zip(tensors, offsets)]


def pack(a):
    os.makedirs(a.out, exist_ok=True)
    for name, row in chosen(a.only):
        path, data, _ = write_header(row, os.path.join(a.out, "header"))
        begin = time.time()
        command = [a.fornax, "compile", *("--target=" + t for t in a.target or ["cuda:sm_90a"]), *a.flag, *row.flags(),
                   path, "-o", os.path.join(a.out, name + ".fnx")]
        done = subprocess.run(command, stderr=subprocess.PIPE, text=True)
        os.unlink(data)
        if done.returncode:
            print("%s: %s" % (name, done.stderr[-2000:]))
            return 1
        print("%-24s %.1f s, %d kB" % (name, time.time() - begin, os.path.getsize(command[-1]) >> 10), flush=True)
    return 0


def made(kind, row_width, count, seed):
    """`count` bytes of a matrix: random bits, made to be of such a size that products keep that of their operand."""
    import numpy
    bits, part = numpy.random.Generator(numpy.random.SFC64(seed)), row_width ** -0.5
    if kind == "bf16":
        # Four exponents: the square mean is 7 times the least one's power of two.
        words = numpy.frombuffer(bits.bytes(count), numpy.uint16).copy()
        low = 127 + round(math.log2(part / 7))
        words &= 0x81ff
        words += low << 7
        return words
    blocks = numpy.frombuffer(bits.bytes(count), numpy.uint8).copy()
    if kind == "f8":
        # From an eighth to two.
        blocks &= 0x9f
        blocks += 4 << 3
        return blocks
    blocks = blocks.reshape(-1, KINDS[kind][1])
    halves = {"q4_0": (0, [part / 4.6]), "q8_0": (0, [part / 74]), "q6_k": (208, [part / 1370]),
              "q4_k": (0, [part / 190, part / 190 * 7.5]), "q5_k": (0, [part / 390, part / 390 * 15.5])}
    at, values = halves[kind]
    blocks[:, at:at + 2 * len(values)] = numpy.array(values, numpy.float16).view(numpy.uint8)
    return blocks


def write_weights(row, folder, settings=()):
    import numpy
    path, data, places = write_header(row, folder, settings)
    file, tasks = os.open(data, os.O_WRONLY), []

    def write(kind, shape, at, count, seed):
        if kind == "f32":
            piece = numpy.ones(count // 4, numpy.float32)
        elif shape[-1] == 1:
            # The scales of a matrix whose elements are about 1: 1/64 in bf16.
            piece = numpy.full(count // 2, 0x3c80, numpy.uint16)
        else:
            piece = made(kind, shape[-1], count, seed)
        os.pwrite(file, piece, at)

    for number, (kind, shape, at) in enumerate(places):
        step = PIECE // KINDS[kind][1] * KINDS[kind][1]
        for begin in range(0, size_of(kind, shape), step):
            count = min(step, size_of(kind, shape) - begin)
            tasks.append((kind, shape, at + begin, count, number << 16 | begin // step))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda task: write(*task), tasks))
    os.close(file)
    return path


def measure(a, row, module, path, scratch):
    import numpy
    inputs, numbers = [], numpy.random.default_rng(3)
    tokens = numbers.integers(0, row.words, row.chunk if row.function == "prefill" else row.batch).astype("int32")
    caches = (numbers.standard_normal(row.caches()[-4:]).astype("float32").view("uint32") >> 16).astype("uint16")
    for stem, values in (("tokens", tokens), ("cache", caches)):
        values.tofile(os.path.join(scratch, stem))
    inputs.append("%dxi32=@%s" % (tokens.size, os.path.join(scratch, "tokens")))
    last = row.context - 1
    if row.function == "prefill":
        inputs += ["i32=%d" % (PROMPT - row.chunk), "i32=%d" % row.chunk]
    else:
        inputs.append("i32=%d" % last if row.batch == 1 else "%dxi32=%d" % (row.batch, last))
    if row.paged:
        # Pages as texts that come and go leave them: in no order.
        table = numbers.permutation(numpy.arange(1, row.pages, dtype="int32"))
        table.tofile(os.path.join(scratch, "table"))
        inputs.append("%dx%dxi32=@%s" % (row.batch, row.context // PAGE, os.path.join(scratch, "table")))
    cache = "%sxbf16=@%s" % ("x".join(map(str, row.caches())), os.path.join(scratch, "cache"))
    inputs += [cache] * (2 * row.layers)
    command = [a.fornax, "bench", "--module=" + module, "--device=" + a.device, "--function=" + row.function,
               "--parameters=" + path, "--format=json", "--verify=lazy", "--seconds=%g" % a.seconds,
               *(["--kernels"] if a.kernels else []),
               *a.flag, *("--input=" + text for text in inputs)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120)
    if done.returncode:
        raise RuntimeError(done.stderr.strip()[-800:])
    return json.loads(done.stdout)


def read_rate(a):
    """TB/s of adding up 4 GiB, on a GPU."""
    if not a.device.startswith("cuda"):
        return 0.02
    import torch
    x = torch.randn(1 << 30, device="cuda")
    x.sum()
    torch.cuda.synchronize()
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    for _ in range(5):
        x.sum()
    end.record()
    torch.cuda.synchronize()
    rate = 5 * x.numel() * 4 / begin.elapsed_time(end) * 1e-9
    del x
    torch.cuda.empty_cache()
    return rate


def peer(row):
    """Milliseconds of transformers on the same shape: decode compiled, both in a CUDA graph."""
    import torch
    from models import timed
    from transformers import LlamaConfig, LlamaForCausalLM, StaticCache
    from zoo_run import captured
    settings = {key: value for key, value in config(row).items() if key not in ("model_type", "quantization_config")}
    made, device = LlamaConfig(**settings), "cuda" if torch.cuda.is_available() else "cpu"
    torch.set_default_dtype(torch.bfloat16)
    with torch.device(device), torch.no_grad():
        model = LlamaForCausalLM(made).eval()
        torch.set_default_dtype(torch.float32)
        prompt = row.function == "prefill"
        ids = torch.randint(0, row.words, (row.batch, row.chunk if prompt else 1))
        places = torch.arange(PROMPT - row.chunk, PROMPT) if prompt else torch.tensor([row.context - 1])
        cache, forward = StaticCache(config=made, max_cache_len=row.context), model
        lengths = torch.zeros(row.layers, dtype=torch.long)

        def step():
            # Layers count what they hold: each step is the same one again.
            lengths.copy_(places[:1].expand(row.layers))
            return forward(input_ids=ids, position_ids=places[None].expand(row.batch, -1), past_key_values=cache,
                           use_cache=True, logits_to_keep=1).logits

        for layer, length in zip(cache.layers, lengths):
            layer.cumulative_length = length
        step()
        if not prompt:
            forward = torch.compile(model)
            step()
        return timed(captured(step) if device == "cuda" else step, lambda _: torch.cuda.synchronize(), 0.3)[1]


def one(a, named, module, path, rate):
    """What is told of a module."""
    (name, row), begin = named, time.time()
    report = measure(a, row, module, path, a.scratch)
    ms, tokens = report["queued_ms"], row.chunk if row.function == "prefill" else row.batch
    entry = {"ms": ms, "call_ms": report["median_ms"], "tok_s": tokens / ms * 1e3, "report": report}
    if row.function == "prefill":
        entry["tflop_s"] = row.operations() / ms * 1e-9
    else:
        entry["tb_s"] = row.bytes_read() / ms * 1e-9
        entry["share"] = entry["tb_s"] / rate
    print("%-24s %8.3f %9.1f %6.2f %5.1f%% %8.1f %7.1f" % (
        name, ms, entry["tok_s"], entry.get("tb_s", 0), 100 * entry.get("share", 0), entry.get("tflop_s", 0),
        time.time() - begin), flush=True)
    if a.kernels:
        from models import kernel_table
        kernel_table(report)
    return entry


def run(a):
    table, kept = {}, None
    rate = read_rate(a)
    print("reading 4 GiB: %.2f TB/s" % rate)
    print("%-24s %8s %9s %6s %6s %8s %7s" % ("row", "ms", "tok/s", "TB/s", "share", "TFLOP/s", "load s"))
    order = lambda item: (item[1].shape, item[1].kind, item[1].last or "", -item[1].layers)
    for name, row in sorted(chosen(a.only), key=order):
        modules = [os.path.join(folder, name + ".fnx") for folder in a.models.split(",")]
        modules = [module for module in modules if os.path.exists(module)]
        if not modules:
            continue
        try:
            # The first of a kind has all layers.
            if kept is None or kept[0] != (row.shape, row.kind, row.last):
                if kept:
                    os.unlink(kept[2])
                begin = time.time()
                folder = os.path.join(a.scratch, row.shape + "_" + row.kind)
                path = write_weights(row, folder)
                data = path if os.path.isfile(path) else path + "/model.safetensors"
                kept = (row.shape, row.kind, row.last), path, data
                print("  weights of %s, %s: %.1f GB in %.1f s" % (row.shape, row.kind, os.path.getsize(kept[2]) * 1e-9,
                                                               time.time() - begin), flush=True)
            for module in modules:
                table[module] = one(a, (name, row), module, kept[1], rate)
            if a.peers and row.kind == "bf16" and not row.experts:
                table[name + ", transformers"] = peer(row)
                print("  transformers %.3f ms" % table[name + ", transformers"], flush=True)
        except Exception as error:  # one row that fails must not end the run
            table[name + ", failed"] = str(error)[-800:]
            print("%-24s failed: %s" % (name, str(error)[-800:]), flush=True)
        if a.out:
            with open(os.path.join(a.out, "language.json"), "w") as file:
                json.dump({"read_tb_s": rate, "rows": table}, file, indent=1)
    return 0


def chosen(only):
    # Without a name, all of real shapes.
    return [(name, row) for name, row in ROWS.items() if re.search(only or "^(?!tiny)", name)]


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("what", choices=["pack", "run"])
    p.add_argument("--fornax", required=True)
    p.add_argument("--models", help="folders of modules; with commas, several on the same weights")
    p.add_argument("--out")
    p.add_argument("--only", help="rows that match this regular expression")
    p.add_argument("--target", action="append")
    p.add_argument("--flag", action="append", default=[], help="another flag of `fornax compile` or `bench`")
    p.add_argument("--device", default="cuda")
    p.add_argument("--seconds", type=float, default=0.4, help="time of a measurement")
    p.add_argument("--scratch", default="/dev/shm", help="where weights are written")
    p.add_argument("--kernels", action="store_true", help="print where the time goes")
    p.add_argument("--peers", action="store_true")
    p.add_argument("--layers", type=int, help="the first layers only, of rows that have more")
    a = p.parse_args()
    for row in ROWS.values():
        row.layers = min(row.layers, a.layers or row.layers)
    return pack(a) if a.what == "pack" else run(a)


if __name__ == "__main__":
    sys.exit(main())
