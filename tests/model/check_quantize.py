#!/usr/bin/env python3
"""What `fornax quantize` writes against the `gguf` package: check_quantize.py FORNAX

Random matrices of a tiny Llama, in f32, become blocks of each kind. `gguf.quants.dequantize` reads them, and finds the
error that Fornax printed; where the package can quantise, its bytes are the same. Needs the packages gguf and numpy.
"""
import json
import os
import subprocess
import sys
import tempfile

import gguf
import numpy as np

FORNAX = os.path.abspath(sys.argv[1])
WIDTH, FEED_FORWARD, VOCABULARY = 256, 512, 40
KINDS = ["q4_0", "q4_1", "q5_0", "q5_1", "q8_0", "q4_k", "q5_k", "q6_k", "f16", "bf16"]


def write(path):
    """The file, and its matrices by name."""
    draw = np.random.default_rng(3)
    matrices = {}
    file = gguf.GGUFWriter(path, "llama")
    file.add_block_count(1)
    for n, (name, shape) in enumerate([("token_embd", (VOCABULARY, WIDTH)), ("output", (VOCABULARY, WIDTH)),
                                       ("blk.0.attn_q", (WIDTH, WIDTH)), ("blk.0.ffn_down", (WIDTH, FEED_FORWARD)),
                                       ("blk.0.ffn_up", (FEED_FORWARD, WIDTH))]):
        # Tails, means and magnitudes differ; some blocks are zeros, some have one sign.
        numbers = draw.standard_t(3, shape) * 10.0 ** (n - 3) + (n % 2) * 10.0 ** (n - 4)
        numbers[0] = 0
        numbers[1] = np.abs(numbers[1]) + 1
        numbers[2] = -np.abs(numbers[2])
        matrices[name + ".weight"] = numbers.astype(np.float32)
        file.add_tensor(name + ".weight", matrices[name + ".weight"])
    file.write_header_to_file()
    file.write_kv_data_to_file()
    file.write_tensors_to_file()
    file.close()
    return matrices


def main():
    os.chdir(tempfile.mkdtemp())
    matrices, failed = write("floats.gguf"), 0
    for kind in KINDS:
        flags = ["floats.gguf", "--type=" + kind, "-o", "blocks.gguf", "--format=json"]
        run = subprocess.run([FORNAX, "quantize", *flags], check=True, capture_output=True, text=True)
        said = {row["name"]: row for row in json.loads(run.stdout)["tensors"]}
        for tensor in gguf.GGUFReader("blocks.gguf").tensors:
            wanted, ty = matrices[tensor.name], tensor.tensor_type
            found = gguf.quants.dequantize(tensor.data, ty).reshape(wanted.shape).astype(np.float64)
            error = np.sqrt(((found - wanted) ** 2).sum() / (wanted.astype(np.float64) ** 2).sum())
            right = np.isclose(error, said[tensor.name]["relative_rms"], rtol=1e-4, atol=1e-9)
            try:
                bytes_ = np.ascontiguousarray(gguf.quants.quantize(wanted, ty)).view(np.uint8).ravel()
                right &= np.array_equal(bytes_, np.ascontiguousarray(tensor.data).view(np.uint8).ravel())
            except NotImplementedError:
                pass
            failed += not right
            if not right:
                print("%s as %s: %.6e, said %.6e" % (tensor.name, ty.name, error, said[tensor.name]["relative_rms"]))
        print("%s: %.3e of %s" % (kind, said["blk.0.ffn_up.weight"]["relative_rms"], said["blk.0.ffn_up.weight"]["to"]))
    print("%d passed, %d failed" % (len(KINDS) * len(matrices) - failed, failed))
    sys.exit(failed > 0)


main()
