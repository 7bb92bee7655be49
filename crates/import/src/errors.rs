//! Error codes of the importer.

fornax_types::errors! {
    FX0101 "syntax error": "correct the text at the place shown; the message says what was expected";
    FX0102 "unknown op": "use an op of the StableHLO or CHLO dialect; the message suggests the nearest name";
    FX0103 "not MLIR text": "export the model as StableHLO text (for JAX: `jax.jit(f).lower(x).as_text()`)";
    FX0104 "undefined value": "define the value before its use; names do not leave the region that defines them";
    FX0105 "nesting too deep": "regions, types and attributes may nest 256 levels";
    FX0106 "unknown type": "use a type of the StableHLO specification";
    FX0107 "bad literal": "the number does not fit its type or is malformed";
    FX0108 "constant does not fit its type": "give as many elements as the tensor type has";
    FX0109 "types do not match": "the type written at a use must be the type of the definition";
    FX0110 "name defined twice": "rename one of the definitions";
    FX0111 "undefined alias": "define the `#alias` or `!alias` before its use";
    FX0112 "missing resource": "keep the `{-# dialect_resources … #-}` section at the end of the file";
    FX0113 "unsupported form": "rewrite the op in the form the message names";
    FX0114 "wrong count": "the numbers of names, operands and types must agree";
    FX0115 "bad attribute": "see docs/use/ops.md for the attributes of each op";
    FX0116 "truncated text": "the file ends inside a construct: export or copy it again";
    FX0117 "aliases too large":
        "aliases that name each other double with every line: write the type or attribute with fewer parts";
    FX0121 "broken bytecode":
        "the bytes at the place shown are not what MLIR's bytecode format says: export or copy the file again";
    FX0131 "MLIR does not accept the model":
        "correct the text at the place shown, or export it with a release of MLIR 22";
    FX0132 "op cannot be imported":
        "export the model as StableHLO, or without this op; the message says what is not supported";
    FX0133 "type cannot be imported": "export with static shapes and tensors of numbers, or export StableHLO";
    FX0134 "malformed op": "the op is not what its dialect says: export or copy the file again";
    FX1011 "not a checkpoint":
        "give a GGUF file, or a folder with config.json and .safetensors files, as Hugging Face has it";
    FX1012 "unknown architecture": "export the model as StableHLO with the functions of docs/use/from-checkpoint.md";
    FX1013 "tensor missing": "copy all files of the checkpoint; the message names the tensor";
    FX1014 "tensor cannot be used": "the message says what was expected: convert the checkpoint again";
    FX1015 "unknown setting": "the message names the setting and what is known";
    FX1016 "tensors without a place": "the checkpoint is another model than its settings say";
    FX1017 "flags that the checkpoint cannot have":
        "give --context, --chunk, --long-chunk, --batch, --cache-pages, --speculate and --activation-type \
         as the message says that they can be";
    FX1018 "checkpoint cannot be converted":
        "give a folder of floats whose settings GGUF has keys for; the message names what is in the way";
    FX1019 "model cannot be cut for so many devices": "give --tensor-parallel a number that the message names";
    FX1021 "broken ONNX file": "the file is cut off or damaged: export or copy it again";
    FX1022 "unknown ONNX operator": "export the model with operators that docs/use/from-onnx.md lists";
    FX1023 "ONNX operator not supported like this":
        "the message says what of the operator is not supported; export the model without it";
    FX1024 "broken ONNX model": "the model is not what ONNX says: check it with onnx.checker";
    FX1025 "ONNX value not known":
        "shapes hang on this value: make it a constant, or give it with --fix-input=NAME=VALUES";
    FX1026 "ONNX data file": "keep the files with the model's data in its folder, as they were exported";
    FX1027 "input of an ONNX model":
        "--fix-input=NAME=VALUES, --fix-size and --sequence-length take names of the model's inputs";
    FX0122 "unknown bytecode": "export StableHLO text, or a portable artifact of an older version";
}
