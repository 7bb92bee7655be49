#!/usr/bin/env python3
"""Writes each checkpoint here as a GGUF file too, tensors and keys as llama.cpp names them.

    pip install gguf==0.19.0 numpy
    python3 tests/checkpoints/to_gguf.py [NAME...]
    pip install llama-cpp-python==0.3.36
    python3 tests/checkpoints/to_gguf.py --compare [NAME...]    # logits of llama.cpp beside logits.npy

gemma2 and gemma3 have settings that GGUF has no key for; gemma2_plain and gemma3_plain do without. llama.cpp leaves
out the sliding windows of mistral and phi3, wants heads that fill the width (not so in qwen2) and keeps caches in f16.
"""
import json
import pathlib
import re
import sys

import numpy as np

HERE = pathlib.Path(__file__).parent
NO_KEYS = ["gemma2", "gemma3", "yarn_scales"]
ARCHITECTURES = {"mistral": "llama", "mixtral": "llama", "gemma3_text": "gemma3", "qwen2_moe": "qwen2moe",
                 "qwen3_moe": "qwen3moe"}
# Kinds of blocks, by part of a name.
BLOCKS = {"qwen3_moe_blocks": {"gate_exps": "Q4_0", "up_exps": "Q4_0", "down_exps": "Q8_0"}}

# Parts of a layer: the name in the folder, and in GGUF.
PARTS = {
    "input_layernorm": "attn_norm", "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v", "self_attn.o_proj": "attn_output", "self_attn.qkv_proj": "attn_qkv",
    "self_attn.q_norm": "attn_q_norm", "self_attn.k_norm": "attn_k_norm", "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down", "mlp.gate_up_proj": "ffn_up",
    "post_attention_layernorm": "ffn_norm", "pre_feedforward_layernorm": "ffn_norm",
    "post_feedforward_layernorm": "post_ffw_norm", "ln_1": "attn_norm", "ln_2": "ffn_norm",
    "block_sparse_moe.gate": "ffn_gate_inp", "mlp.gate": "ffn_gate_inp", "mlp.shared_expert_gate": "ffn_gate_inp_shexp",
    "mlp.shared_expert.gate_proj": "ffn_gate_shexp", "mlp.shared_expert.up_proj": "ffn_up_shexp",
    "mlp.shared_expert.down_proj": "ffn_down_shexp",
    "attn.c_attn": "attn_qkv", "attn.c_proj": "attn_output", "mlp.c_fc": "ffn_up", "mlp.c_proj": "ffn_down",
}
WHOLE = {
    "model.embed_tokens": "token_embd", "transformer.wte": "token_embd", "transformer.wpe": "position_embd",
    "model.norm": "output_norm", "transformer.ln_f": "output_norm", "lm_head": "output",
}


EXPERTS = {"w1": "ffn_gate_exps", "gate_proj": "ffn_gate_exps", "w2": "ffn_down_exps", "down_proj": "ffn_down_exps",
           "w3": "ffn_up_exps", "up_proj": "ffn_up_exps"}


def tensors(path):
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8:8 + size])
    header.pop("__metadata__", None)
    for name, entry in header.items():
        start, end = (8 + size + offset for offset in entry["data_offsets"])
        yield name, np.frombuffer(data[start:end], "<f4").reshape(entry["shape"])


def neighbours(matrix, heads):
    """Rows of each head from halves to pairs, as llama.cpp rotates them."""
    return matrix.reshape(heads, 2, -1, *matrix.shape[1:]).swapaxes(1, 2).reshape(matrix.shape)


def stacked(all_tensors):
    """Matrices of experts, one tensor each, as one tensor a layer."""
    stacks = {}
    for name, values in all_tensors:
        match = re.fullmatch(r"(model\.layers\.\d+)\.\w+\.experts\.(\d+)\.(\w+)\.weight", name)
        if match:
            stacks.setdefault((match[1], EXPERTS[match[3]]), {})[int(match[2])] = values
        elif name.endswith(".experts.gate_up_proj"):
            layer = name.removesuffix(".mlp.experts.gate_up_proj")
            for part, half in zip(("ffn_gate_exps", "ffn_up_exps"), np.split(values, 2, axis=1)):
                yield "%s.%s.weight" % (layer, part), half
        elif name.endswith(".experts.down_proj"):
            yield name.replace("mlp.experts.down_proj", "ffn_down_exps.weight"), values
        else:
            yield name, values
    for (layer, part), matrices in stacks.items():
        yield "%s.%s.weight" % (layer, part), np.stack([matrices[n] for n in range(len(matrices))])


def llama3_factors(rope, head):
    frequency = rope["rope_theta"] ** (-np.arange(0, head, 2) / head)
    wave = 2 * np.pi / frequency
    low, high, trained = rope["low_freq_factor"], rope["high_freq_factor"], rope["original_max_position_embeddings"]
    smooth = np.clip((trained / wave - low) / (high - low), 0, 1)
    return 1 / ((1 - smooth) / rope["factor"] + smooth)


def write(folder):
    import gguf
    config = json.loads((folder / "config.json").read_text())
    architecture = ARCHITECTURES.get(config["model_type"], config["model_type"])
    out = gguf.GGUFWriter(folder / "model.gguf", architecture)

    def said(*keys):
        return next((config[key] for key in keys if config.get(key) is not None), None)

    heads, width = said("num_attention_heads", "n_head"), said("hidden_size", "n_embd")
    kv_heads, head = said("num_key_value_heads") or heads, said("head_dim") or width // heads
    out.add_context_length(said("max_position_embeddings", "n_positions"))
    out.add_embedding_length(width)
    out.add_block_count(said("num_hidden_layers", "n_layer"))
    out.add_feed_forward_length(said("intermediate_size", "n_inner") or 4 * width)
    out.add_head_count(heads)
    if architecture == "gpt2":
        out.add_layer_norm_eps(config["layer_norm_epsilon"])
    else:
        out.add_head_count_kv(kv_heads)
        out.add_layer_norm_rms_eps(config["rms_norm_eps"])
        out.add_key_length(head)
        out.add_value_length(head)
        rope = config["rope_parameters"]
        rope = rope.get("full_attention", rope)
        out.add_rope_freq_base(rope["rope_theta"])
        out.add_rope_dimension_count(int(head * (rope.get("partial_rotary_factor") or 1)))
        if rope["rope_type"] == "linear":
            out.add_rope_scaling_type(gguf.RopeScalingType.LINEAR)
            out.add_rope_scaling_factor(rope["factor"])
        if rope["rope_type"] == "yarn":
            out.add_rope_scaling_type(gguf.RopeScalingType.YARN)
            out.add_rope_scaling_factor(rope["factor"])
            out.add_rope_scaling_orig_ctx_len(rope["original_max_position_embeddings"])
            out.add_rope_scaling_yarn_beta_fast(rope["beta_fast"])
            out.add_rope_scaling_yarn_beta_slow(rope["beta_slow"])
        if rope["rope_type"] == "llama3":
            out.add_tensor("rope_freqs.weight", llama3_factors(rope, head).astype(np.float32))
        if rope["rope_type"] == "longrope":
            trained = rope["original_max_position_embeddings"]
            ratio = config["max_position_embeddings"] / trained
            out.add_rope_scaling_orig_ctx_len(trained)
            out.add_rope_scaling_attn_factors(float(np.sqrt(1 + np.log(ratio) / np.log(trained))))
            for kind in ("long", "short"):
                factors = np.array(rope[kind + "_factor"], np.float32)
                out.add_tensor("rope_factors_%s.weight" % kind, factors)
    experts = said("num_local_experts", "num_experts")
    if experts:
        out.add_expert_count(experts)
        out.add_expert_used_count(config["num_experts_per_tok"])
    if config.get("moe_intermediate_size"):
        out.add_expert_feed_forward_length(config["moe_intermediate_size"])
    if config.get("shared_expert_intermediate_size"):
        out.add_expert_shared_feed_forward_length(config["shared_expert_intermediate_size"])
    if config.get("sliding_window"):
        out.add_sliding_window(config["sliding_window"])
    if architecture == "gemma2":
        out.add_attn_logit_softcapping(config["attn_logit_softcapping"])
        out.add_final_logit_softcapping(config["final_logit_softcapping"])
    words = config["vocab_size"]
    out.add_vocab_size(words)
    out.add_tokenizer_model("llama")
    out.add_token_list(["<unk>", "<s>", "</s>"] + ["t%d" % n for n in range(3, words)])
    out.add_token_scores([0.0] * words)
    out.add_token_types([2, 3, 3] + [1] * (words - 3))
    for name, values in stacked(tensors(folder / "model.safetensors")):
        part, kind = name.rsplit(".", 1)
        if part in WHOLE:
            new = WHOLE[part]
        else:
            _, _, layer, part = part.split(".", 3)
            new = PARTS.get(part, part)
            if part == "post_attention_layernorm" and architecture in ("gemma2", "gemma3", "olmo2"):
                new = "post_attention_norm"
            new = "blk.%s.%s" % (layer, new)
            if architecture == "llama" and new.endswith(("attn_q", "attn_k")):
                values = neighbours(values, heads if new.endswith("q") else kv_heads)
            if part == "mlp.shared_expert_gate":
                values = values[0]
            if architecture == "gpt2" and values.ndim == 2:
                values = values.T
        if architecture.startswith("gemma") and new.endswith("norm"):
            values = values + 1
        values = np.ascontiguousarray(values, np.float32)
        block = next((block for part, block in BLOCKS.get(folder.name, {}).items() if part in new), None)
        if block:
            block = getattr(gguf.GGMLQuantizationType, block)
            values = gguf.quants.quantize(values, block)
        out.add_tensor("%s.%s" % (new, kind), values, raw_dtype=block)
    out.write_header_to_file()
    out.write_kv_data_to_file()
    out.write_tensors_to_file()
    out.close()


def compare(folder):
    import llama_cpp
    tokens, logits = np.load(folder / "tokens.npy").tolist(), np.load(folder / "logits.npy")
    try:
        model = llama_cpp.Llama(str(folder / "model.gguf"), logits_all=True, n_ctx=64, verbose=False)
    except ValueError as error:
        print("%-12s %s" % (folder.name, error))
        return
    model.eval(tokens)
    found = np.array(model._scores)[:len(tokens)]
    print("%-12s %.1e of the largest logit" % (folder.name, np.abs(found - logits).max() / np.abs(logits).max()))


names = [name for name in sys.argv[1:] if not name.startswith("--")]
names = names or sorted(path.parent.name for path in HERE.glob("*/config.json") if path.parent.name not in NO_KEYS)
for name in names:
    (compare if "--compare" in sys.argv else write)(HERE / name)
