#!/usr/bin/env python3
"""Writes the small checkpoints here and what transformers computes with them.

    pip install torch transformers==5.24.0 safetensors numpy gguf==0.19.0
    python3 tests/checkpoints/make.py [NAME...]

Each folder is a checkpoint as `save_pretrained` writes it, with random weights, plus tokens.npy (i32) and logits.npy
(f32): row n is what follows tokens 0 to n, computed in f64. Sizes are odd where the architecture lets them be.
"""
import pathlib
import sys

import numpy as np
import torch
import transformers as t

HERE = pathlib.Path(__file__).parent
TOKENS = 29
WORDS = 37

SMALL = dict(vocab_size=WORDS, hidden_size=20, intermediate_size=28, num_hidden_layers=2, num_attention_heads=4,
             num_key_value_heads=2, head_dim=6, max_position_embeddings=64, pad_token_id=None, bos_token_id=1,
             eos_token_id=2)
LLAMA3 = dict(rope_type="llama3", factor=4.0, low_freq_factor=1.0, high_freq_factor=4.0,
              original_max_position_embeddings=16, rope_theta=500.0)

YARN = dict(rope_type="yarn", factor=4.0, original_max_position_embeddings=16, rope_theta=500.0)
EXPERTS = dict(SMALL, num_experts_per_tok=2)
# Weights of experts that blocks of these kinds hold exactly (to_gguf.py writes them so): by part of a name.
BLOCKS = {"qwen3_moe_blocks": {"gate_up": "Q4_0", "down": "Q8_0"}}
# Least difference of the scores of a chosen expert and another, so that halves choose the same.
CLEAR = {"mixtral": 0.06}
# Saved with one tensor for all experts of a layer, as transformers 5 holds them.
STACKED = ["olmoe"]

CASES = {
    "llama3": (t.LlamaConfig, t.LlamaForCausalLM,
               dict(SMALL, rope_parameters=LLAMA3, attention_bias=True, mlp_bias=True, tie_word_embeddings=True)),
    "mistral": (t.MistralConfig, t.MistralForCausalLM, dict(SMALL, sliding_window=5)),
    "qwen2": (t.Qwen2Config, t.Qwen2ForCausalLM, dict(SMALL, head_dim=10)),
    "qwen3": (t.Qwen3Config, t.Qwen3ForCausalLM, dict(SMALL)),
    "gemma": (t.GemmaConfig, t.GemmaForCausalLM, dict(SMALL, num_key_value_heads=1)),
    "gemma2": (t.Gemma2Config, t.Gemma2ForCausalLM,
               dict(SMALL, num_hidden_layers=3, sliding_window=7, query_pre_attn_scalar=11, attn_logit_softcapping=2.0,
                    final_logit_softcapping=3.0)),
    "gemma3": (t.Gemma3TextConfig, t.Gemma3ForCausalLM,
               dict(SMALL, num_hidden_layers=4, sliding_window=7, query_pre_attn_scalar=11,
                    layer_types=["sliding_attention", "sliding_attention", "full_attention", "sliding_attention"],
                    rope_parameters={"full_attention": dict(rope_type="linear", factor=3.0, rope_theta=5000.0),
                                     "sliding_attention": dict(rope_type="default", rope_theta=100.0)})),
    # As released models have it, which is what GGUF can say.
    "gemma2_plain": (t.Gemma2Config, t.Gemma2ForCausalLM,
                     dict(SMALL, num_hidden_layers=3, sliding_window=7, query_pre_attn_scalar=6,
                          attn_logit_softcapping=2.0, final_logit_softcapping=3.0)),
    "gemma3_plain": (t.Gemma3TextConfig, t.Gemma3ForCausalLM,
                     dict(SMALL, num_hidden_layers=7, sliding_window=7, query_pre_attn_scalar=6,
                          layer_types=["sliding_attention"] * 5 + ["full_attention", "sliding_attention"],
                          rope_parameters={"full_attention": dict(rope_type="linear", factor=3.0, rope_theta=5000.0),
                                           "sliding_attention": dict(rope_type="default", rope_theta=10000.0)})),
    "phi3": (t.Phi3Config, t.Phi3ForCausalLM,
             # As long as it was trained for: the short factors.
             {**SMALL, "hidden_size": 24, "sliding_window": 9, "tie_word_embeddings": False,
              "original_max_position_embeddings": 64,
              "rope_parameters": dict(rope_type="longrope", rope_theta=300.0, short_factor=[1.0, 1.5, 2.5],
                                      long_factor=[2.0, 4.0, 8.0], original_max_position_embeddings=64)}),
    "phi4_mini": (t.Phi3Config, t.Phi3ForCausalLM,
                  {**SMALL, "hidden_size": 32, "head_dim": 8, "sliding_window": None,
                   "original_max_position_embeddings": 16, "tie_word_embeddings": True,
                   # Longer: the long ones, and what heads are multiplied by.
                   "rope_parameters": dict(rope_type="longrope", rope_theta=300.0, partial_rotary_factor=0.75,
                                           short_factor=[1.0, 1.5, 2.5], long_factor=[2.0, 5.0, 9.0],
                                           original_max_position_embeddings=16)}),
    "olmo2": (t.Olmo2Config, t.Olmo2ForCausalLM, {**SMALL, "hidden_size": 24}),
    "gpt2": (t.GPT2Config, t.GPT2LMHeadModel,
             dict(vocab_size=WORDS, n_positions=64, n_embd=20, n_layer=2, n_head=4, bos_token_id=1, eos_token_id=2)),
    # The ramp lies between pairs, and heads are multiplied by more than the factor's logarithm.
    "yarn": (t.LlamaConfig, t.LlamaForCausalLM,
             dict(SMALL, head_dim=12, rope_parameters=dict(YARN, beta_fast=3.0, beta_slow=0.5))),
    "yarn_scales": (t.Qwen3Config, t.Qwen3ForCausalLM,
                    dict(SMALL, head_dim=12, rope_parameters=dict(YARN, beta_fast=2.0, mscale=1.4, mscale_all_dim=0.5,
                                                                  truncate=False))),
    "mixtral": (t.MixtralConfig, t.MixtralForCausalLM,
                dict(EXPERTS, num_local_experts=5, sliding_window=11)),
    # One layer without experts.
    "qwen3_moe": (t.Qwen3MoeConfig, t.Qwen3MoeForCausalLM,
                  dict(EXPERTS, num_hidden_layers=3, num_experts=32, num_experts_per_tok=3, moe_intermediate_size=9,
                       norm_topk_prob=True, mlp_only_layers=[1])),
    "qwen2_moe": (t.Qwen2MoeConfig, t.Qwen2MoeForCausalLM,
                  {**EXPERTS, "hidden_size": 24, "num_experts": 6, "moe_intermediate_size": 10,
                   "shared_expert_intermediate_size": 13, "decoder_sparse_step": 1, "norm_topk_prob": False}),
    # A token goes through all experts: all are multiplied in decode too.
    "olmoe": (t.OlmoeConfig, t.OlmoeForCausalLM,
              {**EXPERTS, "hidden_size": 24, "num_experts": 3, "num_experts_per_tok": 3, "norm_topk_prob": False}),
    "qwen3_moe_blocks": (t.Qwen3MoeConfig, t.Qwen3MoeForCausalLM,
                         {**EXPERTS, "hidden_size": 32, "num_experts": 5, "moe_intermediate_size": 64,
                          "norm_topk_prob": True}),
}


def in_blocks(parameter, kind):
    import gguf
    kind = getattr(gguf.GGMLQuantizationType, kind)
    blocks = gguf.quants.quantize(parameter.detach().numpy(), kind)
    return torch.from_numpy(gguf.quants.dequantize(blocks, kind))


def least_gap(model, tokens):
    """The least difference of scores that routers decide by."""
    gaps = []

    def note(router, _, result):
        scores = result[0].sort(-1, descending=True).values
        gaps.append(float((scores[:, router.top_k - 1] - scores[:, router.top_k]).min()))

    hooks = [m.register_forward_hook(note) for m in model.modules() if type(m).__name__.endswith("TopKRouter")]
    with torch.no_grad():
        model(tokens)
    for hook in hooks:
        hook.remove()
    return min(gaps)


def make(name):
    for seed in range(list(CASES).index(name), 100000, 100):
        made, tokens = random(name, seed)
        if name not in CLEAR or least_gap(made, tokens) >= CLEAR[name]:
            break
    save(name, made, tokens)


def random(name, seed):
    config, model, settings = CASES[name]
    torch.manual_seed(seed)
    made = model(config(**settings)).eval()
    # The usual one takes no f64.
    made.config._experts_implementation = "eager"
    with torch.no_grad():
        for parameter in made.parameters():
            # Large enough that masks, caps and norms show in the logits.
            parameter.copy_(torch.randn_like(parameter) * (0.4 if parameter.ndim > 1 else 0.3)
                            + (1.0 if parameter.ndim == 1 else 0.0))
        for part, kind in BLOCKS.get(name, {}).items():
            for own, parameter in made.named_parameters():
                if ".experts." + part in own:
                    parameter.copy_(in_blocks(parameter, kind))
    return made, torch.randint(0, WORDS, (1, TOKENS))


def save(name, made, tokens):
    folder = HERE / name
    made.save_pretrained(folder, save_original_format=name not in STACKED)
    made = made.double()
    with torch.no_grad():
        logits = made(tokens).logits[0]
    np.save(folder / "tokens.npy", tokens[0].numpy().astype(np.int32))
    np.save(folder / "logits.npy", logits.numpy().astype(np.float32))
    (folder / "generation_config.json").unlink(missing_ok=True)
    print(name, float(logits.abs().max()), float(logits.std()))


for chosen in sys.argv[1:] or CASES:
    make(chosen)
