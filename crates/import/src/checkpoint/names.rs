//! What the tensors of a decoder are called: one row each, by llama.cpp (GGUF) and by Hugging Face.
//!
//! A `*` stands for 0, 1, …: the tensor is the stack of those of that name (`fornax_checkpoint::stacks`).

macro_rules! roles {
    ($($(#[$doc:meta])* $role:ident $gguf:literal $hugging_face:literal;)*) => {
        /// What a tensor is for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Role {
            $($(#[$doc])* $role,)*
        }

        const ROLES: &[Role] = &[$(Role::$role),*];

        /// Names in GGUF and in Hugging Face's files; `{}` stands for the layer.
        const NAMES: &[(Role, &str, &str)] = &[$((Role::$role, $gguf, $hugging_face),)*];
    };
}

roles! {
    TokenEmbedding "token_embd.weight" "model.embed_tokens.weight";
    /// Of learned positions.
    Positions "position_embd.weight" "";
    OutputNorm "output_norm.weight" "model.norm.weight";
    OutputNormBias "output_norm.bias" "model.norm.bias";
    Output "output.weight" "lm_head.weight";
    /// What a rotation's frequencies are divided by (`rope_freqs` of Llama 3).
    RotationFactors "rope_freqs.weight" "model.rope_factors.weight";
    /// The same where a model has one list for long texts and one for short ones.
    LongFactors "rope_factors_long.weight" "";
    ShortFactors "rope_factors_short.weight" "";
    /// Of an encoder: what is added to tokens of the first text, and of a second one.
    TokenTypes "token_types.weight" "embeddings.token_type_embeddings.weight";
    EmbeddingNorm "token_embd_norm.weight" "embeddings.LayerNorm.weight";
    EmbeddingNormBias "token_embd_norm.bias" "embeddings.LayerNorm.bias";
    /// What scores of all layers get by the distance of two tokens.
    RelativeBias "" "encoder.relative_attention_bias.weight";
    /// Of what attention and the layer's input add up to.
    AttentionSumNorm "blk.{}.attn_output_norm.weight" "encoder.layer.{}.attention.output.LayerNorm.weight";
    AttentionSumNormBias "blk.{}.attn_output_norm.bias" "encoder.layer.{}.attention.output.LayerNorm.bias";
    /// The same behind the feed-forward part.
    LayerSumNorm "blk.{}.layer_output_norm.weight" "encoder.layer.{}.output.LayerNorm.weight";
    LayerSumNormBias "blk.{}.layer_output_norm.bias" "encoder.layer.{}.output.LayerNorm.bias";
    AttentionNorm "blk.{}.attn_norm.weight" "model.layers.{}.input_layernorm.weight";
    AttentionNormBias "blk.{}.attn_norm.bias" "model.layers.{}.input_layernorm.bias";
    /// Queries, keys and values, one behind the other.
    Qkv "blk.{}.attn_qkv.weight" "model.layers.{}.self_attn.qkv_proj.weight";
    QkvBias "blk.{}.attn_qkv.bias" "model.layers.{}.self_attn.qkv_proj.bias";
    Query "blk.{}.attn_q.weight" "model.layers.{}.self_attn.q_proj.weight";
    QueryBias "blk.{}.attn_q.bias" "model.layers.{}.self_attn.q_proj.bias";
    Key "blk.{}.attn_k.weight" "model.layers.{}.self_attn.k_proj.weight";
    KeyBias "blk.{}.attn_k.bias" "model.layers.{}.self_attn.k_proj.bias";
    Value "blk.{}.attn_v.weight" "model.layers.{}.self_attn.v_proj.weight";
    ValueBias "blk.{}.attn_v.bias" "model.layers.{}.self_attn.v_proj.bias";
    QueryNorm "blk.{}.attn_q_norm.weight" "model.layers.{}.self_attn.q_norm.weight";
    KeyNorm "blk.{}.attn_k_norm.weight" "model.layers.{}.self_attn.k_norm.weight";
    AttentionOutput "blk.{}.attn_output.weight" "model.layers.{}.self_attn.o_proj.weight";
    AttentionOutputBias "blk.{}.attn_output.bias" "model.layers.{}.self_attn.o_proj.bias";
    PostAttentionNorm "blk.{}.post_attention_norm.weight" "";
    FeedForwardNorm "blk.{}.ffn_norm.weight" "model.layers.{}.post_attention_layernorm.weight";
    FeedForwardNormBias "blk.{}.ffn_norm.bias" "model.layers.{}.post_attention_layernorm.bias";
    PostFeedForwardNorm "blk.{}.post_ffw_norm.weight" "model.layers.{}.post_feedforward_layernorm.weight";
    /// The gate, then what it is multiplied by.
    GateUp "" "model.layers.{}.mlp.gate_up_proj.weight";
    Gate "blk.{}.ffn_gate.weight" "model.layers.{}.mlp.gate_proj.weight";
    GateBias "blk.{}.ffn_gate.bias" "model.layers.{}.mlp.gate_proj.bias";
    Up "blk.{}.ffn_up.weight" "model.layers.{}.mlp.up_proj.weight";
    UpBias "blk.{}.ffn_up.bias" "model.layers.{}.mlp.up_proj.bias";
    Down "blk.{}.ffn_down.weight" "model.layers.{}.mlp.down_proj.weight";
    DownBias "blk.{}.ffn_down.bias" "model.layers.{}.mlp.down_proj.bias";
    /// Scores of experts.
    Router "blk.{}.ffn_gate_inp.weight" "model.layers.{}.mlp.gate.weight";
    /// Of all experts, `[experts, out, in]`.
    ExpertGates "blk.{}.ffn_gate_exps.weight" "model.layers.{}.mlp.experts.*.gate_proj.weight";
    ExpertUps "blk.{}.ffn_up_exps.weight" "model.layers.{}.mlp.experts.*.up_proj.weight";
    ExpertDowns "blk.{}.ffn_down_exps.weight" "model.layers.{}.mlp.experts.*.down_proj.weight";
    /// The same where each tensor holds all experts, gates and ups one behind the other.
    ExpertGateUpStack "" "model.layers.{}.mlp.experts.gate_up_proj";
    ExpertDownStack "" "model.layers.{}.mlp.experts.down_proj";
    /// What the shared expert's result is multiplied by, before the logistic function.
    SharedScale "blk.{}.ffn_gate_inp_shexp.weight" "model.layers.{}.mlp.shared_expert_gate.weight";
    SharedGate "blk.{}.ffn_gate_shexp.weight" "model.layers.{}.mlp.shared_expert.gate_proj.weight";
    SharedUp "blk.{}.ffn_up_shexp.weight" "model.layers.{}.mlp.shared_expert.up_proj.weight";
    SharedDown "blk.{}.ffn_down_shexp.weight" "model.layers.{}.mlp.shared_expert.down_proj.weight";
}

/// Names of one role in GGUF and in Hugging Face's files, where an architecture has others than the table.
pub type Renamed = (Role, &'static str, &'static str);

/// Whose names a checkpoint has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Naming {
    Gguf,
    HuggingFace,
}

impl Role {
    pub fn all() -> &'static [Role] {
        ROLES
    }

    /// Whether every layer has one.
    pub fn is_of_layer(self) -> bool {
        NAMES.iter().any(|row| row.0 == self && (row.1.contains("{}") || row.2.contains("{}")))
    }

    /// Whether it is what a norm multiplies by.
    pub fn is_norm(self) -> bool {
        NAMES.iter().any(|row| row.0 == self && row.1.ends_with("norm.weight"))
    }

    /// The tensor's name in a file; `layer` matters to what every layer has. Empty where the role has none.
    pub fn name(self, naming: Naming, renamed: &[Renamed], layer: u64) -> String {
        let row = renamed.iter().chain(NAMES).find(|row| row.0 == self);
        let pattern = row.map_or("", |row| match naming {
            Naming::Gguf => row.1,
            Naming::HuggingFace => row.2,
        });
        pattern.replace("{}", &layer.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_different() {
        for naming in [Naming::Gguf, Naming::HuggingFace] {
            let mut names: Vec<String> = NAMES.iter().map(|row| row.0.name(naming, &[], 3)).collect();
            names.retain(|name| !name.is_empty());
            names.sort();
            assert!(names.windows(2).all(|pair| pair[0] != pair[1]));
        }
        assert_eq!(Role::Gate.name(Naming::Gguf, &[], 12), "blk.12.ffn_gate.weight");
    }
}
