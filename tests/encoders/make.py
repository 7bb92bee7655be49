#!/usr/bin/env python3
"""Writes the small encoders here and the vectors that transformers computes with them.

    pip install torch transformers==5.24.0 safetensors numpy gguf==0.19.0
    python3 tests/encoders/make.py [NAME...]

Each folder is a checkpoint as `save_pretrained` and sentence-transformers write it, with random weights, plus tokens.npy
(i32), counts.npy (i32) and embeddings.npy (f32): row n is the vector of the first counts[n] tokens, computed in f64.
Some have a model.gguf too, tensors and keys as llama.cpp names them; there vectors have their own length (plain.npy).
"""
import json
import pathlib
import shutil
import sys

import gguf
import numpy as np
import torch
import transformers as t
from safetensors.torch import load_file, save_file

HERE = pathlib.Path(__file__).parent
WORDS = 37
COUNTS = [1, 8, 9, 17, 40]

SMALL = dict(vocab_size=WORDS, hidden_size=20, intermediate_size=28, num_hidden_layers=2, num_attention_heads=4,
             max_position_embeddings=64)

# Model, settings, pooling, whether vectors have length 1.
CASES = {
    "bert": (t.BertModel, t.BertConfig(**SMALL), "mean", True),
    # Saved with a head, norms with the names of TensorFlow.
    "bert_older": (t.BertForMaskedLM, t.BertConfig(**SMALL, hidden_act="gelu_new"), "cls", False),
    "roberta": (t.RobertaForMaskedLM, t.RobertaConfig(**SMALL, pad_token_id=1, type_vocab_size=1), "lasttoken", False),
    "xlm_roberta": (t.XLMRobertaModel, t.XLMRobertaConfig(**SMALL, pad_token_id=3, hidden_act="relu"), "mean", False),
    "distilbert": (t.DistilBertModel, t.DistilBertConfig(vocab_size=WORDS, dim=20, hidden_dim=28, n_layers=2, n_heads=4,
                                                         max_position_embeddings=64), None, False),
    "mpnet": (t.MPNetModel, t.MPNetConfig(**SMALL, pad_token_id=1), "mean", True),
}
# GGUF has no key for the activation.
GGUF = ["bert", "roberta"]
POOLING_TYPE = {"mean": 1, "lasttoken": 3}
OLDER = {"LayerNorm.weight": "LayerNorm.gamma", "LayerNorm.bias": "LayerNorm.beta"}


def sentence(folder, pooling, normalized):
    kinds = ["Transformer", "Pooling"] + ["Normalize"] * normalized
    paths = ["", "1_Pooling", "2_Normalize"]
    (folder / "modules.json").write_text(json.dumps([
        {"idx": n, "name": str(n), "path": path, "type": "sentence_transformers.models." + kind}
        for n, (kind, path) in enumerate(zip(kinds, paths))]))
    (folder / "1_Pooling").mkdir(exist_ok=True)
    modes = {"mean": "mean_tokens", "cls": "cls_token", "lasttoken": "lasttoken"}
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(
        {"word_embedding_dimension": 20, **{"pooling_mode_" + name: mode == pooling for mode, name in modes.items()}}))
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 40, "do_lower_case": False}))


def to_gguf(folder, config, pooling):
    names = {"embeddings.word_embeddings": "token_embd", "embeddings.position_embeddings": "position_embd",
             "embeddings.token_type_embeddings": "token_types", "embeddings.LayerNorm": "token_embd_norm"}
    parts = {"attention.self.query": "attn_q", "attention.self.key": "attn_k", "attention.self.value": "attn_v",
             "attention.output.dense": "attn_output", "attention.output.LayerNorm": "attn_output_norm",
             "intermediate.dense": "ffn_up", "output.dense": "ffn_down", "output.LayerNorm": "layer_output_norm"}
    first = config.pad_token_id + 1 if config.model_type == "roberta" else 0
    out = gguf.GGUFWriter(folder / "model.gguf", "bert")
    out.add_context_length(config.max_position_embeddings - first)
    out.add_embedding_length(config.hidden_size)
    out.add_block_count(config.num_hidden_layers)
    out.add_feed_forward_length(config.intermediate_size)
    out.add_head_count(config.num_attention_heads)
    out.add_layer_norm_eps(config.layer_norm_eps)
    out.add_causal_attention(False)
    out.add_pooling_type(gguf.PoolingType(POOLING_TYPE[pooling]))
    out.add_token_type_count(config.type_vocab_size)
    for name, values in load_file(folder / "model.safetensors").items():
        name = name.replace("gamma", "weight").replace("beta", "bias").removeprefix("bert.").removeprefix("roberta.")
        part, kind = name.rsplit(".", 1)
        if part.startswith(("pooler", "cls", "lm_head")) or kind == "position_ids":
            continue
        if part.startswith("encoder.layer."):
            _, _, layer, part = part.split(".", 3)
            new = "blk.%s.%s" % (layer, parts[part])
        else:
            new = names[part]
        if new == "position_embd":
            values = values[first:]
        out.add_tensor("%s.%s" % (new, kind), values.numpy())
    out.write_header_to_file()
    out.write_kv_data_to_file()
    out.write_tensors_to_file()
    out.close()


def make(name):
    kind, config, pooling, normalized = CASES[name]
    folder = HERE / name
    shutil.rmtree(folder, ignore_errors=True)
    torch.manual_seed(list(CASES).index(name))
    made = kind(config).eval()
    with torch.no_grad():
        for parameter in made.parameters():
            # Large enough that masks, distances and norms show.
            parameter.copy_(torch.randn_like(parameter) * (0.4 if parameter.ndim > 1 else 0.3)
                            + (1.0 if parameter.ndim == 1 else 0.0))
    made.save_pretrained(folder)
    (folder / "generation_config.json").unlink(missing_ok=True)
    if name == "bert_older":
        old = load_file(folder / "model.safetensors")
        spelled = lambda name: next((name.replace(new, old) for new, old in OLDER.items() if name.endswith(new)), name)
        numbers = {"bert.embeddings.position_ids": torch.arange(64)[None]}
        save_file({**{spelled(name): values for name, values in old.items()}, **numbers}, folder / "model.safetensors")
    if pooling:
        sentence(folder, pooling, normalized)
    made = getattr(made, made.base_model_prefix, made).double()
    # Numbers of padding tokens do not occur: positions would count without them.
    tokens = torch.randint(4, WORDS, (1, max(COUNTS)))
    rows = []
    for count in COUNTS:
        with torch.no_grad():
            hidden = made(tokens[:, :count]).last_hidden_state[0]
        rows.append({"cls": hidden[0], "lasttoken": hidden[-1]}.get(pooling, hidden.mean(0)))
    plain = torch.stack(rows).numpy()
    vectors = plain / np.linalg.norm(plain, axis=1, keepdims=True) if normalized else plain
    np.save(folder / "tokens.npy", tokens[0].numpy().astype(np.int32))
    np.save(folder / "counts.npy", np.array(COUNTS, np.int32))
    np.save(folder / "embeddings.npy", vectors.astype(np.float32))
    if name in GGUF:
        to_gguf(folder, config, pooling)
        np.save(folder / "plain.npy", plain.astype(np.float32))
    print(name, float(abs(vectors).max()), float(vectors.std()))


for chosen in sys.argv[1:] or CASES:
    make(chosen)
