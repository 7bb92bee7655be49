//! The tokenizer of a GGUF file, as the `tokenizer.json` that Hugging Face has for the same vocabulary.
//!
//! | `tokenizer.ggml.model` | the words | cut before merging |
//! | --- | --- | --- |
//! | `gpt2` | pieces of bytes with a list of merges | by the expressions of `tokenizer.ggml.pre` |
//! | `bert` | WordPiece: a piece that begins a word has the space of SentencePiece before it | at spaces and signs |
//! | `llama` | SentencePiece with scores; merges are what makes a longer piece, best score first | not at all |

use std::collections::HashMap;

use fornax_checkpoint::gguf::{Gguf, Value};
use fornax_runtime::Result;
use serde_json::{Map, json};

use crate::errors::failed;

/// Kinds of words (`tokenizer.ggml.token_type`).
pub(crate) const CONTROL: i64 = 3;
pub(crate) const USER_DEFINED: i64 = 4;
/// The space of SentencePiece.
const SPACE: &str = "\u{2581}";

/// How text is cut before merging: expressions, one after the other, as llama.cpp has them (`llama-vocab.cpp`).
pub(crate) struct Cut {
    /// Values of `tokenizer.ggml.pre`.
    pub names: &'static [&'static str],
    /// `None` for GPT-2's, which the byte level knows.
    pub expression: Option<&'static str>,
    /// Every digit stands alone, before anything else.
    pub digits_alone: bool,
    /// A whole word of the vocabulary is taken without merges.
    whole_words: bool,
}

const LLAMA_3: &str = "(?i:'s|'t|'re|'ve|'m|'ll|'d)|\
                       [^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\
                       \\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
const QWEN_2: &str = "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\
                      \\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";

pub(crate) const CUTS: &[Cut] = &[
    Cut {
        names: &["gpt-2", "gpt2", "roberta-bpe", "default"],
        expression: None,
        digits_alone: false,
        whole_words: false,
    },
    Cut { names: &["smollm"], expression: None, digits_alone: true, whole_words: false },
    Cut {
        names: &["llama-bpe", "llama3", "llama-v3"],
        expression: Some(LLAMA_3),
        digits_alone: false,
        whole_words: true,
    },
    Cut { names: &["qwen2", "deepseek-r1-qwen"], expression: Some(QWEN_2), digits_alone: false, whole_words: false },
];

/// The parts of a `tokenizer.json`.
pub fn tokenizer(file: &Gguf) -> Result<serde_json::Value> {
    let key = |name: &str| format!("tokenizer.ggml.{name}");
    let words =
        file.strings(&key("tokens")).ok_or_else(|| failed("FX1101", "the file has no tokenizer.ggml.tokens"))?;
    let kinds = file.integers(&key("token_type")).unwrap_or_default();
    let added = (0..).zip(words).zip(kinds).filter(|(_, kind)| [CONTROL, USER_DEFINED].contains(kind));
    let added: Vec<serde_json::Value> = added
        .map(|((id, word), &kind): ((u32, _), _)| {
            json!({
                "id": id, "content": word, "single_word": false, "lstrip": false, "rstrip": false,
                "normalized": false, "special": kind == CONTROL,
            })
        })
        .collect();
    let pieces = file.string(&key("model")) == Some("bert");
    let spelled = |id: usize, word: &str| match kinds.get(id) {
        Some(&CONTROL) => word.to_string(),
        _ if pieces => word_piece_spelled(word),
        _ => word.to_string(),
    };
    let vocabulary: Map<String, serde_json::Value> =
        (0usize..).zip(words).map(|(id, word)| (spelled(id, word), json!(id))).collect();
    if vocabulary.len() != words.len() {
        return Err(failed("FX1102", "a word stands twice in tokenizer.ggml.tokens"));
    }
    let mut whole = match file.string(&key("model")) {
        Some("gpt2") => {
            let merges = file.strings(&key("merges")).unwrap_or_default();
            let name = file.string(&key("pre")).unwrap_or("default");
            bytes_and_merges(vocabulary, merges, cut(name)?)
        }
        Some("bert") => word_pieces(vocabulary, words, id(file, "unknown_token_id")),
        Some("llama") => {
            let scores = file.floats(&key("scores")).unwrap_or_default();
            let prefix = file.bool(&key("add_space_prefix")).unwrap_or(true);
            let unknown = file.count(&key("unknown_token_id")).unwrap_or(0);
            let unknown = words.get(usize::try_from(unknown).unwrap_or(0)).map_or("<unk>", String::as_str);
            sentence_piece(vocabulary, merges(words, scores), (prefix, unknown))
        }
        other => {
            let what = format!("tokenizer.ggml.model is {}; known: gpt2, bert, llama", other.unwrap_or("not set"));
            return Err(failed("FX1102", what));
        }
    };
    if let Some(object) = whole.as_object_mut() {
        object.insert("version".into(), json!("1.0"));
        object.insert("added_tokens".into(), json!(added));
        if is_encoder(file) {
            object.insert("post_processor".into(), around(file, words)?);
        }
    }
    Ok(whole)
}

/// Whether texts are what the model reads as a whole: they get a token before and behind.
pub fn is_encoder(file: &Gguf) -> bool {
    file.string("general.architecture") == Some("bert")
}

/// The tokens before and behind a text, as BERT and RoBERTa have them.
fn around(file: &Gguf, words: &[String]) -> Result<serde_json::Value> {
    let find = |names: [&str; 2], text: &str| {
        let at = names.iter().find_map(|name| id(file, name));
        let at = at.or_else(|| words.iter().position(|word| word == text).and_then(|at| u32::try_from(at).ok()));
        let at = at.filter(|&at| words.len() > at as usize);
        at.ok_or_else(|| failed("FX1102", format!("the file has no tokenizer.ggml.{}", names[0])))
    };
    // The second key is spelled so.
    let (begin, end) =
        (find(["cls_token_id", "bos_token_id"], "[CLS]")?, find(["seperator_token_id", "eos_token_id"], "[SEP]")?);
    let token = |name: &str, id: u32| json!({"id": name, "ids": [id], "tokens": [name]});
    let special = |name: &str| json!({"SpecialToken": {"id": name, "type_id": 0}});
    let text = json!({"Sequence": {"id": "A", "type_id": 0}});
    Ok(json!({
        "type": "TemplateProcessing", "single": [special("begin"), text, special("end")], "pair": [text],
        "special_tokens": {"begin": token("begin", begin), "end": token("end", end)},
    }))
}

/// A piece as WordPiece spells it: those that do not begin a word have `##` before them.
fn word_piece_spelled(word: &str) -> String {
    let is_marker = word.len() > 2 && word.starts_with('[') && word.ends_with(']');
    match word.strip_prefix(SPACE) {
        Some(start) => start.to_string(),
        None if is_marker => word.to_string(),
        None => format!("##{word}"),
    }
}

/// Files do not say whether letters are made small and accents taken off: they are where the vocabulary has no capital.
fn word_pieces(
    vocabulary: Map<String, serde_json::Value>,
    words: &[String],
    unknown: Option<u32>,
) -> serde_json::Value {
    let is_marker = |word: &&String| word.starts_with('[') && word.ends_with(']');
    let has_capitals = words.iter().filter(|word| !is_marker(word)).any(|word| word.to_lowercase() != **word);
    let unknown = unknown.and_then(|id| words.get(id as usize)).map_or("[UNK]", String::as_str);
    json!({
        "normalizer": {
            "type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null,
            "lowercase": !has_capitals,
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": true},
        "model": {
            "type": "WordPiece", "unk_token": unknown, "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100, "vocab": vocabulary,
        },
    })
}

fn cut(name: &str) -> Result<&'static Cut> {
    CUTS.iter().find(|cut| cut.names.contains(&name)).ok_or_else(|| {
        let known: Vec<&str> = CUTS.iter().flat_map(|cut| cut.names).copied().collect();
        failed("FX1102", format!("tokenizer.ggml.pre is {name}; known: {}", known.join(", ")))
    })
}

fn bytes_and_merges(words: Map<String, serde_json::Value>, merges: &[String], cut: &Cut) -> serde_json::Value {
    let byte_level =
        |regex: bool| json!({"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": regex});
    let mut steps = Vec::new();
    if cut.digits_alone {
        steps.push(json!({"type": "Digits", "individual_digits": true}));
    }
    if let Some(expression) = cut.expression {
        let pattern = json!({"Regex": expression});
        steps.push(json!({"type": "Split", "pattern": pattern, "behavior": "Isolated", "invert": false}));
    }
    steps.push(byte_level(cut.expression.is_none()));
    json!({
        "normalizer": null,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": steps},
        "post_processor": null,
        "decoder": byte_level(true),
        "model": {
            "type": "BPE", "dropout": null, "unk_token": null, "continuing_subword_prefix": null,
            "end_of_word_suffix": null, "fuse_unk": false, "byte_fallback": false, "ignore_merges": cut.whole_words,
            "vocab": words, "merges": merges,
        },
    })
}

fn sentence_piece(
    words: Map<String, serde_json::Value>,
    merges: Vec<(String, String)>,
    (prefix, unknown): (bool, &str),
) -> serde_json::Value {
    let mut normal = Vec::new();
    let mut shown = vec![
        json!({"type": "Replace", "pattern": {"String": SPACE}, "content": " "}),
        json!({"type": "ByteFallback"}),
        json!({"type": "Fuse"}),
    ];
    if prefix {
        normal.push(json!({"type": "Prepend", "prepend": SPACE}));
        shown.push(json!({"type": "Strip", "content": " ", "start": 1, "stop": 0}));
    }
    normal.push(json!({"type": "Replace", "pattern": {"String": " "}, "content": SPACE}));
    json!({
        "normalizer": {"type": "Sequence", "normalizers": normal},
        "pre_tokenizer": null,
        "post_processor": null,
        "decoder": {"type": "Sequence", "decoders": shown},
        "model": {
            "type": "BPE", "dropout": null, "unk_token": unknown, "continuing_subword_prefix": null,
            "end_of_word_suffix": null, "fuse_unk": true, "byte_fallback": true, "ignore_merges": false,
            "vocab": words, "merges": merges,
        },
    })
}

/// Every way to make a word of two, best score of the word first.
fn merges(words: &[String], scores: &[f32]) -> Vec<(String, String)> {
    let numbers: HashMap<&str, usize> = words.iter().enumerate().map(|(at, word)| (word.as_str(), at)).collect();
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let score = scores.get(at).copied().unwrap_or(0.0);
        for (cut, _) in word.char_indices().skip(1) {
            let (left, right) = word.split_at(cut);
            if let (Some(&l), Some(&r)) = (numbers.get(left), numbers.get(right)) {
                found.push((score, l, r));
            }
        }
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    found.into_iter().filter_map(|(_, l, r)| Some((words.get(l)?.clone(), words.get(r)?.clone()))).collect()
}

/// The id of a key such as `eos_token_id`.
pub fn id(file: &Gguf, name: &str) -> Option<u32> {
    file.count(&format!("tokenizer.ggml.{name}")).and_then(|id| u32::try_from(id).ok())
}

/// Whether prompts begin with the token of the beginning.
pub fn begins(file: &Gguf) -> bool {
    match file.values.get("tokenizer.ggml.add_bos_token") {
        Some(Value::Bool(begins)) => *begins,
        _ => file.string("tokenizer.ggml.model") == Some("llama"),
    }
}
