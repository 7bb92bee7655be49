#!/usr/bin/env python3
"""Writes the small quantised checkpoints here and what transformers computes with the floats that they stand for.

    pip install torch transformers==5.24.0 safetensors numpy
    python3 tests/checkpoints/make_quantised.py [NAME...]

Folders are as make.py writes them, with matrices of layers quantised as the format says. The floats are computed from
the stored numbers here, by what is written of the formats, and go into a float model: logits.npy is what that gives.
Where activations have 8 bits too, each such matrix multiplies what E4M3 holds of its input, scaled as the format says.
"""
import json
import pathlib
import sys
import tempfile

import numpy as np
import torch
import transformers as t
from safetensors.torch import load_file, save_file

HERE = pathlib.Path(__file__).parent
TOKENS = 29
WORDS = 37
SMALL = dict(vocab_size=WORDS, hidden_size=40, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4,
             num_key_value_heads=2, head_dim=8, max_position_embeddings=64, pad_token_id=None, bos_token_id=1,
             eos_token_id=2)
# Outputs of a word of AWQ's, from the lowest bits on.
AWQ_ORDER = [0, 2, 4, 6, 1, 3, 5, 7]


def packed(numbers, bits, axis, order=None):
    """Several numbers in a word of 32 bits, along an axis."""
    each = 32 // bits
    numbers = np.moveaxis(numbers.astype(np.uint64), axis, -1)
    numbers = numbers.reshape(*numbers.shape[:-1], -1, each)[..., order or range(each)]
    words = sum(numbers[..., n] << np.uint64(bits * n) for n in range(each)).astype(np.uint32).view(np.int32)
    return torch.from_numpy(np.ascontiguousarray(np.moveaxis(words, -1, axis)))


def grouped(weight, bits, group_of, groups):
    """Numbers, zeros and scales of groups of a matrix [in, out]."""
    most = 2 ** bits - 1
    zeros, scales = np.zeros((groups, weight.shape[1])), np.zeros((groups, weight.shape[1]), np.float16)
    numbers = np.zeros(weight.shape)
    for n in range(groups):
        part = weight[group_of == n]
        low, high = np.minimum(part.min(0), 0), np.maximum(part.max(0), 0)
        scales[n] = (high - low) / most
        zeros[n] = np.clip(np.rint(-low / scales[n].astype(np.float64)), 0, most)
        numbers[group_of == n] = np.clip(np.rint(part / scales[n].astype(np.float64)) + zeros[n], 0, most)
    floats = (numbers - zeros[group_of]) * scales[group_of].astype(np.float64)
    return numbers, zeros, scales, floats


def gptq(settings):
    bits, size, plus = settings["bits"], settings["group_size"], settings["checkpoint_format"] == "gptq"

    def quantise(name, weight, draw):
        weight = weight.numpy().astype(np.float64).T
        inputs = weight.shape[0]
        group = inputs if size < 0 else size
        group_of = np.arange(inputs) // group
        if settings["desc_act"]:
            group_of = draw.permutation(group_of)
        if name.endswith("k_proj"):
            weight = np.abs(weight)  # Zeros of 0: one less has all bits.
        numbers, zeros, scales, floats = grouped(weight, bits, group_of, -(-inputs // group))
        stored = (zeros - 1) % 2 ** bits if plus else zeros
        return {"qweight": packed(numbers, bits, 0), "qzeros": packed(stored, bits, 1),
                "scales": torch.from_numpy(scales), "g_idx": torch.from_numpy(group_of.astype(np.int32))}, floats.T

    return quantise


def awq(settings):
    def quantise(name, weight, draw):
        weight = weight.numpy().astype(np.float64).T
        group_of = np.arange(weight.shape[0]) // settings["group_size"]
        numbers, zeros, scales, floats = grouped(weight, 4, group_of, group_of[-1] + 1)
        return {"qweight": packed(numbers, 4, 1, AWQ_ORDER), "qzeros": packed(zeros, 4, 1, AWQ_ORDER),
                "scales": torch.from_numpy(scales)}, floats.T

    return quantise


def fp8_scaled(name, weight, draw):
    """One scale for queries and experts' last matrices, else one for each output; the last of a layer stays floats."""
    if name.endswith("down_proj"):
        return {"weight": weight}, weight.numpy()
    is_whole = name.endswith(("q_proj", "w2"))
    most = weight.abs().amax(None if is_whole else 1, keepdim=True)
    scale = (most / 448).to(torch.bfloat16)
    stored = (weight / scale.float()).to(torch.float8_e4m3fn)
    scale = scale.reshape(1) if is_whole else scale
    return {"weight": stored, "weight_scale": scale}, (stored.double() * scale.double()).numpy()


def fp8_blocks(settings):
    rows, columns = settings["weight_block_size"]

    def quantise(name, weight, draw):
        out, inputs = weight.shape
        padded = torch.zeros(-(-out // rows) * rows, -(-inputs // columns) * columns)
        padded[:out, :inputs] = weight
        blocks = padded.reshape(padded.shape[0] // rows, rows, -1, columns)
        scale = blocks.abs().amax((1, 3)) / 448
        spread = scale.repeat_interleave(rows, 0).repeat_interleave(columns, 1)[:out, :inputs]
        stored = (weight / spread).to(torch.float8_e4m3fn)
        return {"weight": stored, "weight_scale_inv": scale}, (stored.double() * spread.double()).numpy()

    return quantise


def fp8_stored_scale(name, weight, draw):
    """One scale for a matrix, one for what it multiplies: about three of a hundred activations are beyond its range."""
    scale = weight.abs().amax() / 448
    stored = (weight / scale).to(torch.float8_e4m3fn)
    spread = {"o_proj": 0.4, "down_proj": 3.0}.get(name.rsplit(".", 1)[1], 1.0)
    parts = {"weight": stored, "weight_scale": scale.reshape(1), "input_scale": torch.tensor(2.2 * spread / 448)}
    return parts, (stored.double() * scale.double()).numpy()


def fp8_expert_scales(name, weight, draw):
    """The same, where each expert's matrix multiplies by a scale of its own."""
    parts, floats = fp8_stored_scale(name, weight, draw)
    spread = (3.0 if name.endswith("w2") else 1.0) * draw.uniform(0.6, 1.6)
    return dict(parts, input_scale=parts["input_scale"] * spread), floats


def fp8_channels(name, weight, draw):
    """A scale for each output of every matrix."""
    scale = (weight.abs().amax(1, keepdim=True) / 448).to(torch.bfloat16)
    stored = (weight / scale.float()).to(torch.float8_e4m3fn)
    return {"weight": stored, "weight_scale": scale}, (stored.double() * scale.double()).numpy()


def fp8_channels_stored_scale(name, weight, draw):
    """The same, and a scale of BF16 for what each multiplies: of gates and ups of the first layer one for all experts,
    of those of others one for both of an expert."""
    parts, floats = fp8_channels(name, weight, draw)
    most = {"o_proj": 0.9, "down_proj": 7.0}.get(name.rsplit(".", 1)[1], 2.2)
    if ".experts." in name:
        layer, expert = int(name.split(".")[2]), int(name.split(".")[5])
        is_same = layer == 0 and not name.endswith("down_proj")
        most *= 1.0 if is_same else (1.0, 0.7, 1.3, 1.6, 0.8)[expert % 5]
    return dict(parts, input_scale=torch.tensor([most / 448], dtype=torch.bfloat16)), floats


def rounded(x, scale):
    """What E4M3 holds of activations, with their scale."""
    return (x / scale).clamp(-448, 448).to(torch.float8_e4m3fn).to(x.dtype) * scale


def by_token(x, parts):
    return rounded(x, x.abs().amax(-1, keepdim=True).clamp(min=1 / 512) / 448)


def by_stored_scale(x, parts):
    return rounded(x, parts["input_scale"].to(x.dtype))


def by_inputs(size):
    def activations(x, parts):
        padded = torch.nn.functional.pad(x, (0, -x.shape[-1] % size)).unflatten(-1, (-1, size))
        return by_token(padded, parts).flatten(-2)[..., :x.shape[-1]]

    return activations


WEIGHTS = dict(num_bits=8, type="float", strategy="channel", symmetric=True, dynamic=False, block_structure=None)
COMPRESSED = dict(quant_method="compressed-tensors", format="float-quantized", ignore=["lm_head"],
                  config_groups={"group_0": dict(targets=["Linear"], weights=WEIGHTS)})
BLOCKS = dict(quant_method="fp8", fmt="e4m3", activation_scheme="dynamic", weight_block_size=[16, 32])
TOKEN = dict(num_bits=8, type="float", strategy="token", symmetric=True, dynamic=True)
W8A8 = dict(COMPRESSED, config_groups={"group_0": dict(targets=["Linear"], weights=WEIGHTS, input_activations=TOKEN)})
# A scale for all tokens, which the folder holds.
TENSOR = dict(TOKEN, strategy="tensor", dynamic=False)
W8A8_STATIC = dict(COMPRESSED, config_groups={
    "group_0": dict(targets=["Linear"], weights=WEIGHTS, input_activations=TENSOR)})
# Of weights alone.
EXPERT_BLOCKS = dict(quant_method="fp8", fmt="e4m3", weight_block_size=[8, 16])
STATIC = dict(quant_method="fp8", activation_scheme="static")
GPTQ = dict(quant_method="gptq", bits=4, group_size=8, desc_act=False, sym=False, checkpoint_format="gptq")
LISTED = dict(GPTQ, group_size=16, desc_act=True)
BYTES = dict(GPTQ, bits=8, group_size=-1, checkpoint_format="gptq_v2")
# Of experts, each with an order of its own.
GPTQ_LISTS = dict(GPTQ, desc_act=True, checkpoint_format="gptq_v2")
AWQ = dict(quant_method="awq", bits=4, group_size=16, version="gemm", zero_point=True)

# What activations are rounded to, of the others nothing.
ACTIVATIONS = {
    "qwen3_fp8_blocks": by_inputs(32), "llama_w8a8": by_token, "llama_w8a8_static": by_stored_scale,
    "mixtral_fp8_static": by_stored_scale, "qwen3_moe_fp8_static": by_stored_scale, "qwen3_moe_w8a8": by_token,
}

CASES = {
    "llama_fp8": (t.LlamaConfig, t.LlamaForCausalLM, COMPRESSED, fp8_scaled),
    "qwen3_fp8_blocks": (t.Qwen3Config, t.Qwen3ForCausalLM, BLOCKS, fp8_blocks(BLOCKS)),
    "qwen2_gptq": (t.Qwen2Config, t.Qwen2ForCausalLM, GPTQ, gptq(GPTQ)),
    "llama_gptq_listed": (t.LlamaConfig, t.LlamaForCausalLM, LISTED, gptq(LISTED)),
    "llama_gptq_bytes": (t.LlamaConfig, t.LlamaForCausalLM, BYTES, gptq(BYTES)),
    "llama_awq": (t.LlamaConfig, t.LlamaForCausalLM, AWQ, awq(AWQ)),
    "llama_w8a8": (t.LlamaConfig, t.LlamaForCausalLM, W8A8, fp8_scaled),
    "llama_w8a8_static": (t.LlamaConfig, t.LlamaForCausalLM, STATIC, fp8_stored_scale),
}

# Sizes that words of several elements divide, in the place of those of the folders here.
WHOLE = {6: 8, 9: 16, 12: 16, 20: 32, 24: 32, 28: 48}
# Folders here whose matrices are quantised, those of experts too.
EXPERTS = {
    "mixtral_fp8": ("mixtral", COMPRESSED, fp8_scaled, {}),
    "qwen3_moe_fp8": ("qwen3_moe", EXPERT_BLOCKS, fp8_blocks(EXPERT_BLOCKS), {}),
    "mixtral_gptq": ("mixtral", GPTQ, gptq(GPTQ), WHOLE),
    "mixtral_awq": ("mixtral", AWQ, awq(AWQ), WHOLE),
    "qwen3_moe_gptq": ("qwen3_moe", GPTQ_LISTS, gptq(GPTQ_LISTS), WHOLE),
    "mixtral_fp8_static": ("mixtral", STATIC, fp8_expert_scales, {}),
    "qwen3_moe_fp8_static": ("qwen3_moe", W8A8_STATIC, fp8_channels_stored_scale, {}),
    "qwen3_moe_w8a8": ("qwen3_moe", W8A8, fp8_channels, {}),
}
# Tokens of those that have more than the folder they are made of.
LONGER = {"mixtral_fp8_static": 47}
# What experts' gates, ups and last matrices are called.
EXPERT_MATRICES = [("w1", "gate_proj"), ("w3", "up_proj"), ("w2", "down_proj")]


def multiply(module, parts, activations):
    """Lets a module multiply rounded activations."""
    module.register_forward_pre_hook(lambda _, inputs: (activations(inputs[0], parts), *inputs[1:]))


def multiply_experts(module, matrices, activations):
    """Lets each expert multiply rounded activations; `matrices` are the parts of its gate, up and last matrix."""
    def forward(x, numbers, weights):
        out = torch.zeros_like(x)
        for expert, own in enumerate(matrices):
            rows, slots = torch.where(numbers == expert)
            gate, up = module.gate_up_proj[expert].chunk(2)
            gate, up = (activations(x[rows], part) @ w.T for part, w in zip(own, (gate, up)))
            inner = activations(module.act_fn(gate) * up, own[2])
            out.index_add_(0, rows, inner @ module.down_proj[expert].T * weights[rows, slots, None].to(x.dtype))
        return out

    module.forward = forward


def round_activations(model, quantised, activations):
    """Lets all quantised matrices, which are parts by name, multiply rounded activations."""
    for name, parts in quantised.items():
        if ".experts." not in name and parts["weight"].dtype == torch.float8_e4m3fn:
            multiply(model.get_submodule(name), parts, activations)
    for layer, block in enumerate(model.model.layers):
        of_layer = {key.split(".experts.")[1]: parts for key, parts in quantised.items()
                    if f".layers.{layer}." in key and ".experts." in key}
        count = 1 + max((int(key.split(".")[0]) for key in of_layer), default=-1)
        find = lambda expert, names: next(of_layer[f"{expert}.{end}"] for end in names if f"{expert}.{end}" in of_layer)
        if count:
            matrices = [[find(expert, names) for names in EXPERT_MATRICES] for expert in range(count)]
            multiply_experts(block.mlp.experts, matrices, activations)


def make(name):
    config, model, settings, quantise = CASES[name]
    torch.manual_seed(100 + list(CASES).index(name))
    draw = np.random.default_rng(list(CASES).index(name))
    made = model(config(**dict(SMALL, tie_word_embeddings=False))).eval()
    stored = {}
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.copy_(torch.randn_like(parameter) * 0.3 + (1.0 if parameter.ndim == 1 else 0.0))
        made = made.double()
        for key, value in made.state_dict().items():
            if key.endswith("proj.weight"):
                parts, floats = quantise(key[:-len(".weight")], value.float(), draw)
                value.copy_(torch.from_numpy(np.ascontiguousarray(floats)))
                stored.update({key[:-len("weight")] + end: part for end, part in parts.items()})
                if name in ACTIVATIONS and parts["weight"].dtype == torch.float8_e4m3fn:
                    multiply(made.get_submodule(key[:-len(".weight")]), parts, ACTIVATIONS[name])
            else:
                stored[key] = value.float()
    folder = HERE / name
    folder.mkdir(exist_ok=True)
    save_file({key: value.contiguous() for key, value in stored.items()}, folder / "model.safetensors")
    made.config.save_pretrained(folder)
    config = json.loads((folder / "config.json").read_text())
    config.update(architectures=[model.__name__], quantization_config=settings)
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    tokens = torch.randint(0, WORDS, (1, TOKENS))
    with torch.no_grad():
        logits = made(tokens).logits[0]
    np.save(folder / "tokens.npy", tokens[0].numpy().astype(np.int32))
    np.save(folder / "logits.npy", logits.numpy().astype(np.float32))
    print(name, float(logits.abs().max()), float(logits.std()))


def make_experts(name):
    source, settings, quantise, sizes = EXPERTS[name]
    stored, floats, quantised = {}, {}, {}
    torch.manual_seed(200 + list(EXPERTS).index(name))
    draw = np.random.default_rng(list(EXPERTS).index(name))
    for key, value in load_file(HERE / source / "model.safetensors").items():
        if sizes:
            shape = [sizes.get(size, size) for size in value.shape]
            value = torch.randn(shape) * 0.3 + (1.0 if value.ndim == 1 else 0.0)
        is_matrix = value.ndim == 2 and ("proj." in key or "experts." in key)
        parts = {"weight": value}
        if is_matrix:
            parts, value = quantise(key[:-len(".weight")], value, draw)
            value = torch.from_numpy(np.ascontiguousarray(value)).float()
            quantised[key[:-len(".weight")]] = parts
        stored.update({key[:-len("weight")] + end: part.contiguous() for end, part in parts.items()})
        floats[key] = value
    folder = HERE / name
    folder.mkdir(exist_ok=True)
    save_file(stored, folder / "model.safetensors")
    config = json.loads((HERE / source / "config.json").read_text())
    of_sizes = ("hidden_size", "intermediate_size", "moe_intermediate_size", "head_dim")
    config.update({key: sizes.get(config[key], config[key]) for key in of_sizes if key in config})
    (folder / "config.json").write_text(json.dumps(dict(config, quantization_config=settings), indent=2) + "\n")
    with tempfile.TemporaryDirectory() as plain:
        plain = pathlib.Path(plain)
        save_file(floats, plain / "model.safetensors", {"format": "pt"})
        (plain / "config.json").write_text(json.dumps(config))
        model = t.AutoModelForCausalLM.from_pretrained(plain, experts_implementation="eager").double().eval()
    if name in ACTIVATIONS:
        round_activations(model, quantised, ACTIVATIONS[name])
    tokens = torch.from_numpy(np.load(HERE / source / "tokens.npy")).long()[None]
    if name in LONGER:
        tokens = torch.randint(0, WORDS, (1, LONGER[name]))
    with torch.no_grad():
        logits = model(tokens).logits[0]
    np.save(folder / "tokens.npy", tokens[0].numpy().astype(np.int32))
    np.save(folder / "logits.npy", logits.numpy().astype(np.float32))
    print(name, float(logits.abs().max()), float(logits.std()))


for chosen in sys.argv[1:] or [*CASES, *EXPERTS]:
    (make if chosen in CASES else make_experts)(chosen)
