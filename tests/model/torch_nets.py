"""The nets of `check_torch_nets.py`: for each name a function that makes the module and its named inputs."""
import functools

# Pixels of a side, where 64 are too few.
SIDES = {"alexnet": 96, "inception_v3": 96, "maxvit_t": 224, "vit_b_32": 224, "squeezenet1_1": 96}

CLASSIFIERS = """
alexnet convnext_tiny densenet121 efficientnet_b0 efficientnet_v2_s googlenet inception_v3 maxvit_t mnasnet0_5
mobilenet_v2 mobilenet_v3_small regnet_x_400mf regnet_y_400mf resnet18 resnext50_32x4d shufflenet_v2_x0_5
squeezenet1_1 swin_t swin_v2_t vgg11_bn vit_b_32 wide_resnet50_2
""".split()

SEGMENTERS = "fcn_resnet50 deeplabv3_mobilenet_v3_large lraspp_mobilenet_v3_large".split()

TIMM = """
resnet10t mobilenetv3_small_050 efficientnet_lite0 ghostnet_050 convnext_atto vit_tiny_patch16_224 mixer_s32_224
regnetx_002 hardcorenas_a levit_128s poolformer_s12 edgenext_xx_small
""".split()
TIMM_SIDES = {"vit_tiny_patch16_224": 224, "mixer_s32_224": 224, "levit_128s": 224}


def images(side, count=2):
    import torch
    return torch.randn(count, 3, side, side)


def classifier(name):
    import torchvision
    more = {"init_weights": False} if name in ("googlenet", "inception_v3") else {}
    return torchvision.models.get_model(name, weights=None, **more), {"x": images(SIDES.get(name, 64))}


def segmenter(name):
    import torchvision
    argument = "input" if name.startswith("lraspp") else "x"
    return torchvision.models.get_model(name, weights=None, weights_backbone=None), {argument: images(64)}


def backbone(name):
    """The backbone with the feature pyramid that torchvision's detectors have."""
    from torchvision.models.detection import backbone_utils
    if name.startswith("mobilenet"):
        made = backbone_utils.mobilenet_backbone(backbone_name=name, weights=None, fpn=True)
    else:
        made = backbone_utils.resnet_fpn_backbone(backbone_name=name, weights=None)
    return made, {"x": images(64)}


def of_timm(name):
    import timm
    return timm.create_model(name, pretrained=False), {"x": images(TIMM_SIDES.get(name, 64))}


# What makes a configuration tiny, by the names that configurations have for it.
TINY = {
    "vocab_size": 96, "hidden_size": 32, "d_model": 32, "n_embd": 32, "dim": 32, "embedding_size": 32, "emb_dim": 32,
    "num_hidden_layers": 2, "n_layer": 2, "n_layers": 2, "num_layers": 2, "encoder_layers": 2, "decoder_layers": 2,
    "num_attention_heads": 4, "n_head": 4, "n_heads": 4, "num_heads": 4, "encoder_attention_heads": 4,
    "decoder_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 64, "d_ff": 64, "ffn_dim": 64,
    "hidden_dim": 64, "encoder_ffn_dim": 64, "decoder_ffn_dim": 64, "d_kv": 8, "head_dim": 8, "n_inner": 64,
    "max_position_embeddings": 64, "n_positions": 64, "image_size": 32, "patch_size": 8, "pad_token_id": 0,
    "word_embed_proj_dim": 32, "num_experts": 4, "num_local_experts": 4, "moe_intermediate_size": 32, "n_groups": 1,
}
# What an architecture needs beside that.
OTHERS = {
    "Deberta": {"relative_attention": True, "pos_att_type": ["c2p", "p2c"]},
    "FNet": {"tpu_short_seq_length": 16},
    "Mamba": {"state_size": 8, "intermediate_size": 64, "time_step_rank": 4},
    "Swin": {"embed_dim": 16, "depths": [1, 1], "num_heads": [2, 2], "num_attention_heads": [2, 2], "window_size": 2,
             "patch_size": 4},
    "ConvNext": {"hidden_sizes": [8, 16, 24, 32], "depths": [1, 1, 1, 1], "patch_size": 4},
    "ResNet": {"embedding_size": 8, "hidden_sizes": [8, 16], "depths": [1, 1], "layer_type": "basic"},
    "RegNet": {"embedding_size": 8, "hidden_sizes": [8, 16], "depths": [1, 1], "groups_width": 4},
    "Segformer": {"hidden_sizes": [8, 16, 24, 32], "depths": [1, 1, 1, 1], "num_attention_heads": [1, 1, 2, 2]},
    "Qwen3Moe": {"num_experts_per_tok": 2},
    "CLIPText": {"eos_token_id": 95},
    "Bloom": {"hidden_size": 32},
    "Phi": {"partial_rotary_factor": 0.5},
    "GPTNeoX": {"rotary_pct": 0.5},
    "GPTNeo": {"attention_types": [[["global", "local"], 1]], "window_size": 4},
    "GPTJ": {"rotary_dim": 4},
    "Whisper": {"num_mel_bins": 8, "max_source_positions": 16, "max_target_positions": 16},
    "Falcon": {"new_decoder_architecture": False, "multi_query": True},
    "Wav2Vec2": {"conv_dim": [16, 16], "conv_stride": [5, 4], "conv_kernel": [10, 8], "num_conv_pos_embeddings": 16,
                 "num_conv_pos_embedding_groups": 4, "apply_spec_augment": False},
    "MobileBert": {"embedding_size": 16, "intra_bottleneck_size": 16, "true_hidden_size": 16},
    "SqueezeBert": {"embedding_size": 32},
    "Longformer": {"attention_window": [4, 4]},
    "BigBird": {"attention_type": "original_full"},
    "ConvBert": {"head_ratio": 2, "conv_kernel_size": 3},
    "Gemma2": {"query_pre_attn_scalar": 8, "sliding_window": 4},
    "Gemma3Text": {"query_pre_attn_scalar": 8, "sliding_window": 4},
    "Mamba2": {"num_heads": 4, "head_dim": 16, "state_size": 8, "n_groups": 1, "chunk_size": 8, "expand": 2},
    "ModernBert": {"global_attn_every_n_layers": 2, "local_attention": 8},
    "DeepseekV3": {"n_routed_experts": 4, "num_experts_per_tok": 2, "n_group": 1, "topk_group": 1, "kv_lora_rank": 8,
                   "q_lora_rank": 16, "qk_rope_head_dim": 8, "qk_nope_head_dim": 8, "v_head_dim": 8,
                   "first_k_dense_replace": 1, "num_key_value_heads": 4},
    "Qwen2Moe": {"num_experts_per_tok": 2, "shared_expert_intermediate_size": 32},
    "Olmoe": {"num_experts_per_tok": 2},
    "JetMoe": {"kv_channels": 8, "num_local_experts": 4, "num_experts_per_tok": 2},
    "RecurrentGemma": {"lru_width": 32, "attention_window_size": 8, "block_types": ["recurrent", "attention"]},
    "Rwkv": {"attention_hidden_size": 32, "intermediate_size": 64},
    "XLNet": {"d_inner": 64},
    "CTRL": {"dff": 64},
    "Glm": {"partial_rotary_factor": 0.5},
    "GPTBigCode": {"multi_query": True},
    "CodeGen": {"rotary_dim": 4},
    "MobileViT": {"hidden_sizes": [16, 24, 32], "neck_hidden_sizes": [8, 8, 16, 16, 24, 24, 32], "image_size": 64,
                  "patch_size": 2},
    "Hiera": {"embed_dim": 8, "depths": [1, 1], "num_heads": [1, 2], "image_size": [32, 32], "patch_size": [7, 7],
              "masked_unit_size": [2, 2], "query_stride": [2, 2], "num_query_pool": 1},
    "FocalNet": {"embed_dim": 8, "depths": [1, 1], "focal_levels": [1, 1], "focal_windows": [3, 3], "patch_size": 4,
                 "hidden_sizes": [8, 16]},
    "PoolFormer": {"hidden_sizes": [8, 16, 24, 32], "depths": [1, 1, 1, 1]},
    "SwiftFormer": {"depths": [1, 1, 1, 1], "embed_dims": [8, 8, 16, 16], "mlp_ratio": 2},
    "MobileNetV1": {"depth_multiplier": 0.25},
    "MobileNetV2": {"depth_multiplier": 0.35},
    "LongT5": {"local_radius": 3, "encoder_attention_type": "local"},
    "GptOss": {"num_local_experts": 4, "num_experts_per_tok": 2, "sliding_window": 4, "rope_parameters": {"rope_type":
               "default", "rope_theta": 10000.0}},
    "Qwen3Next": {"num_experts_per_tok": 2, "shared_expert_intermediate_size": 32, "linear_num_key_heads": 2,
                  "linear_num_value_heads": 4, "linear_key_head_dim": 8, "linear_value_head_dim": 8, "layer_types":
                  ["linear_attention", "full_attention"]},
    "FalconH1": {"mamba_d_ssm": 64, "mamba_n_heads": 4, "mamba_d_head": 16, "mamba_d_state": 8, "mamba_n_groups": 1,
                 "mamba_chunk_size": 8},
    "Bamba": {"mamba_n_heads": 4, "mamba_d_head": 16, "mamba_d_state": 8, "mamba_n_groups": 1, "mamba_chunk_size": 8,
              "attn_layer_indices": [1]},
    "GraniteMoe": {"num_experts_per_tok": 2},
    "GraniteMoeShared": {"num_experts_per_tok": 2, "shared_intermediate_size": 32},
    "Phimoe": {"num_experts_per_tok": 2},
    "Dots1": {"n_routed_experts": 4, "num_experts_per_tok": 2, "n_group": 1, "topk_group": 1, "n_shared_experts": 1,
              "first_k_dense_replace": 1},
    "Glm4Moe": {"n_routed_experts": 4, "num_experts_per_tok": 2, "n_group": 1, "topk_group": 1,
                "first_k_dense_replace": 1},
    "MiniMax": {"num_experts_per_tok": 2, "block_size": 8, "layer_types": ["linear_attention", "full_attention"]},
    "DeepseekV2": {"n_routed_experts": 4, "num_experts_per_tok": 2, "n_group": 1, "topk_group": 1, "kv_lora_rank": 8,
                   "q_lora_rank": 16, "qk_rope_head_dim": 8, "qk_nope_head_dim": 8, "v_head_dim": 8,
                   "first_k_dense_replace": 1, "num_key_value_heads": 4},
    "DebertaV2": {"relative_attention": True, "pos_att_type": ["c2p", "p2c"], "position_buckets": 8, "norm_rel_ebd":
                  "layer_norm", "share_att_key": True, "conv_kernel_size": 3},
    "Esm": {"position_embedding_type": "rotary", "mask_token_id": 5, "token_dropout": True},
    "Reformer": {"attn_layers": ["local", "local"], "axial_pos_embds": False, "local_attn_chunk_length": 4,
                 "feed_forward_size": 32, "attention_head_size": 8},
    "Zamba2": {"mamba_d_state": 8, "mamba_headdim": 16, "n_mamba_heads": 4, "mamba_ngroups": 1, "chunk_size": 8,
               "attention_head_dim": 16, "num_mem_blocks": 1, "hybrid_layer_ids": [1], "layers_block_type": ["mamba",
               "hybrid"], "adapter_rank": 4, "mamba_expand": 2},
    "Jamba": {"attn_layer_period": 2, "attn_layer_offset": 1, "expert_layer_period": 2, "expert_layer_offset": 1,
              "num_experts_per_tok": 2, "mamba_d_state": 8, "mamba_dt_rank": 4, "use_mamba_kernels": False},
    "Doge": {"keep_window_size": 8},
    "Xmod": {"languages": ["en"], "default_language": "en", "adapter_reduction_factor": 2},
    "RoCBert": {"pronunciation_vocab_size": 96, "shape_vocab_size": 96, "pronunciation_embed_dim": 16,
                "shape_embed_dim": 16},
    "LayoutLMv3": {"visual_embed": False, "max_2d_position_embeddings": 128, "coordinate_size": 4, "shape_size": 8},
    "MarkupLM": {"max_xpath_tag_unit_embeddings": 16, "max_xpath_subs_unit_embeddings": 16, "tag_pad_id": 0,
                 "subs_pad_id": 0, "max_depth": 4, "xpath_unit_hidden_size": 8},
    "Tapas": {"type_vocab_sizes": [3, 8, 8, 2, 8, 8, 8]},
    "FalconMamba": {"state_size": 8, "intermediate_size": 64, "time_step_rank": 4},
    "Llama4Text": {"num_experts_per_tok": 1, "num_local_experts": 2, "intermediate_size_mlp": 64,
                   "attention_chunk_size": 4, "interleave_moe_layer_step": 2},
    "NemotronH": {"layers_block_type": ["mamba", "attention"], "mamba_num_heads": 4, "mamba_head_dim": 16,
                  "ssm_state_size": 8, "n_groups": 1, "chunk_size": 8},
    "xLSTM": {"num_heads": 4, "chunk_size": 8},
    "PvtV2": {"hidden_sizes": [8, 16, 24, 32], "depths": [1, 1, 1, 1], "num_attention_heads": [1, 1, 2, 2],
              "image_size": 64},
    "ConvNextV2": {"hidden_sizes": [8, 16, 24, 32], "depths": [1, 1, 1, 1], "patch_size": 4},
    "Swinv2": {"embed_dim": 16, "depths": [1, 1], "num_heads": [2, 2], "num_attention_heads": [2, 2], "window_size":
               2, "patch_size": 4},
    "VitDet": {"window_size": 2, "window_block_indices": [0], "residual_block_indices": [1]},
    "DPT": {"is_hybrid": False, "backbone_out_indices": [0, 1, 1, 1]},
    "GLPN": {"hidden_sizes": [8, 16, 24, 32], "depths": [1, 1, 1, 1], "num_attention_heads": [1, 1, 2, 2]},
    "Swin2SR": {"embed_dim": 16, "depths": [1, 1], "num_heads": [2, 2], "window_size": 4, "patch_size": 1,
                "num_attention_heads": [2, 2]},
    "Yolos": {"image_size": [32, 32], "num_detection_tokens": 5},
    "BigBirdPegasus": {"attention_type": "original_full"},
    "PegasusX": {"block_size": 4, "num_global_tokens": 4},
    "NllbMoe": {"num_experts": 4, "encoder_sparse_step": 2, "decoder_sparse_step": 2, "expert_capacity": 8},
}
for _name in ("Hubert", "WavLM", "Data2VecAudio", "UniSpeechSat"):
    OTHERS[_name] = OTHERS["Wav2Vec2"]
TEXT = """
Bert Roberta DistilBert Albert Electra MPNet Deberta Funnel FNet GPT2 GPTNeo GPTNeoX GPTJ OPT Bloom Falcon Phi Llama
Mistral Qwen2 Qwen3 Gemma Olmo StableLm Cohere Mixtral Qwen3Moe Mamba CLIPText XLMRoberta GPTBigCode CodeGen XLNet
BigBird Longformer RoFormer ConvBert MobileBert SqueezeBert XLM CTRL Gemma2 Gemma3Text Phi3 Granite Olmo2 Starcoder2
Persimmon Rwkv Mamba2 RecurrentGemma Glm Nemotron ModernBert JetMoe Ernie Splinter LayoutLM OpenAIGPT Flaubert
Camembert Nystromformer Yoso IBert Lfm2 SmolLM3 Helium Glm4 Exaone4 Cohere2 Arcee MegatronBert RemBert Qwen2Moe
DeepseekV3 Olmoe XGLM BioGpt GptOss Qwen3Next FalconH1 Bamba GraniteMoe GraniteMoeShared Phimoe Dots1 Glm4Moe MiniMax
DeepseekV2 DebertaV2 Esm Reformer Zamba2 Jamba HunYuanDenseV1 Doge Mra Xmod XLMRobertaXL RobertaPreLayerNorm RoCBert
LayoutLMv3 MarkupLM Tapas ImageGPT DiffLlama Apertus SeedOss Ernie4_5 VaultGemma Olmo3 FalconMamba Llama4Text NanoChat
BitNet Cwm GPTNeoXJapanese Mpt EuroBert NemotronH xLSTM
""".split()
SIGHT = """
ViT DeiT Swin ConvNext ResNet RegNet Segformer Dinov2 Beit Data2VecVision MobileViT Hiera FocalNet PoolFormer
MobileNetV1 MobileNetV2 ViTMSN Dinov2WithRegisters SwiftFormer DINOv3ViT Bit PvtV2 ConvNextV2 Swinv2 SiglipVision
VitDet DPT GLPN Swin2SR Yolos TextNet CLIPVision IJepa Aimv2Vision Pixio MLCDVision
""".split()
BOTH_SIDES = """
T5 Bart Marian LongT5 Pegasus MBart M2M100 Blenderbot ProphetNet SwitchTransformers LED PLBart FSMT BigBirdPegasus
PegasusX MT5 BlenderbotSmall Mvp NllbMoe
""".split()
SPEECH = "Whisper Wav2Vec2 Hubert WavLM Data2VecAudio SEW UniSpeech UniSpeechSat".split()


def configured(name):
    import transformers
    config = getattr(transformers, name + "Config")
    known = config().to_dict()
    chosen = {key: value for key, value in TINY.items() if key in known or key in config().attribute_map}
    made = config(**{**chosen, **OTHERS.get(name, {})})
    for rate in [key for key in made.to_dict() if "drop" in key or key == "layerdrop"]:
        if isinstance(getattr(made, rate, None), float):
            setattr(made, rate, 0.0)
    made.use_cache = False
    return getattr(transformers, name + "Model")(made)


def tokens():
    import torch
    return torch.randint(1, 95, (2, 12))


def text(name):
    return configured(name), {"input_ids": tokens()}


def sight(name):
    return configured(name), {"pixel_values": images(32)}


def both_sides(name):
    return configured(name), {"input_ids": tokens(), "decoder_input_ids": tokens()}


def speech(name):
    import torch
    if name == "Whisper":
        return configured(name), {"input_features": torch.randn(2, 8, 32), "decoder_input_ids": tokens()}
    return configured(name), {"input_values": torch.randn(2, 800)}


def _rows(prefix, names, make):
    return {f"{prefix}{name}": functools.partial(make, name) for name in names}


NETS = {
    **_rows("", CLASSIFIERS, classifier),
    **_rows("", SEGMENTERS, segmenter),
    **_rows("fpn_", ["resnet18", "mobilenet_v3_large"], backbone),
    **_rows("timm/", TIMM, of_timm),
    **_rows("transformers/", TEXT, text),
    **_rows("transformers/", SIGHT, sight),
    **_rows("transformers/", BOTH_SIDES, both_sides),
    **_rows("transformers/", SPEECH, speech),
}
