#!/usr/bin/env python3
"""Every kind of quantised block against the `gguf` package: check_block_kinds.py FORNAX

A tiny Llama whose embedding, also its last matrix, is in random blocks of one kind gives the logits of the same model
with the embedding that `gguf.quants.dequantize` makes of the blocks. Needs the Python packages gguf and numpy.
"""
import os
import subprocess
import sys
import tempfile

import gguf
import numpy as np
from gguf import GGMLQuantizationType as Type

FORNAX = os.path.abspath(sys.argv[1])
WIDTH, FEED_FORWARD, VOCABULARY, HEADS, KV_HEADS = 256, 512, 40, 4, 2
# Bytes of a block where its f16 scales lie.
HALVES = {"Q4_0": [0], "Q4_1": [0, 2], "Q5_0": [0], "Q5_1": [0, 2], "Q8_0": [0], "Q4_K": [0, 2], "Q5_K": [0, 2],
          "Q6_K": [208], "IQ4_NL": [0], "IQ4_XS": [0], "MXFP4": []}


def write(path, embedding, kind):
    """A model of one layer; `kind` is that of the embedding's blocks, None for f32."""
    file = gguf.GGUFWriter(path, "llama")
    file.add_block_count(1)
    file.add_context_length(64)
    file.add_embedding_length(WIDTH)
    file.add_feed_forward_length(FEED_FORWARD)
    file.add_head_count(HEADS)
    file.add_head_count_kv(KV_HEADS)
    file.add_layer_norm_rms_eps(1e-5)
    file.add_rope_freq_base(10000.0)
    draw = np.random.default_rng(1)
    floats = lambda *shape: (draw.normal(size=shape) * 0.05).astype(np.float32)
    file.add_tensor("token_embd.weight", embedding, raw_dtype=kind)
    kv = WIDTH // HEADS * KV_HEADS
    for name, shape in [("attn_q", (WIDTH, WIDTH)), ("attn_k", (kv, WIDTH)), ("attn_v", (kv, WIDTH)),
                        ("attn_output", (WIDTH, WIDTH)), ("ffn_gate", (FEED_FORWARD, WIDTH)),
                        ("ffn_up", (FEED_FORWARD, WIDTH)), ("ffn_down", (WIDTH, FEED_FORWARD))]:
        file.add_tensor(f"blk.0.{name}.weight", floats(*shape))
    for name in ["blk.0.attn_norm", "blk.0.ffn_norm", "output_norm"]:
        file.add_tensor(name + ".weight", 1 + floats(WIDTH))
    file.write_header_to_file()
    file.write_kv_data_to_file()
    file.write_tensors_to_file()
    file.close()


def logits(path):
    subprocess.run([FORNAX, "compile", path, "--chunk=8", "--context=16", "-o", "m.fnx"], check=True)
    np.save("tokens.npy", np.array([3, 1, 39, 7, 0, 0, 0, 0], np.int32))
    cache = f"--input={KV_HEADS}x16x{WIDTH // HEADS}xf32=0"
    subprocess.run([FORNAX, "run-module", "--module=m.fnx", "--function=prefill", "--parameters=" + path,
                    "--input=@tokens.npy", "--input=i32=0", "--input=i32=4", cache, cache, "--output=@logits.npy"],
                   check=True, capture_output=True)
    return np.load("logits.npy")


def main():
    os.chdir(tempfile.mkdtemp())
    draw, failed = np.random.default_rng(0), 0
    for name, halves in HALVES.items():
        kind = Type[name]
        elements, size = gguf.GGML_QUANT_SIZES[kind]
        blocks = draw.integers(0, 256, (VOCABULARY, WIDTH // elements, size), dtype=np.uint8)
        for at in halves:
            scales = draw.uniform(0.01, 0.05, blocks.shape[:2]).astype(np.float16)
            blocks[:, :, at:at + 2] = scales[..., None].view(np.uint8)
        if name == "MXFP4":
            blocks[:, :, 0] = draw.integers(118, 126, blocks.shape[:2])
        blocks = blocks.reshape(VOCABULARY, -1)
        write("blocks.gguf", blocks, kind)
        write("floats.gguf", gguf.quants.dequantize(blocks, kind).astype(np.float32), None)
        got, wanted = logits("blocks.gguf"), logits("floats.gguf")
        error = np.abs(got - wanted).max() / np.abs(wanted).max()
        failed += error > 1e-5
        print(f"{name}: {error:.1e} of the largest logit")
    print(f"{len(HALVES) - failed} passed, {failed} failed")
    sys.exit(failed > 0)


main()
