//! The words of a folder as keys of GGUF: what [`crate::gguf_tokenizer`] reads.
//!
//! Limits: pieces of bytes with a list of merges (`gpt2`), cut in one of the ways that are known there.

use std::collections::BTreeMap;
use std::path::Path;

use fornax_checkpoint::gguf::Value;
use fornax_runtime::Result;
use serde_json::Value as Json;

use crate::errors::failed;
use crate::gguf_tokenizer::{CONTROL, CUTS, Cut, USER_DEFINED};
use crate::vocabulary::{
    SETTINGS, SETTINGS_BYTES_MAX, TEMPLATE, TOKENIZER, TOKENIZER_BYTES_MAX, TOKENIZER_SETTINGS, read,
};

/// An ordinary word.
const NORMAL: i64 = 1;
/// A number that no word has.
const UNUSED: i64 = 5;
/// Words at most, so that a broken list asks for no endless memory.
const WORDS_MAX: usize = 1 << 24;

/// The keys; none where the folder has no tokenizer.
///
/// # Errors
/// FX1101 and FX1102 for a tokenizer that cannot be read, or that GGUF does not know.
pub fn gguf_keys(folder: &Path) -> Result<BTreeMap<String, Value>> {
    if !folder.join(TOKENIZER).exists() {
        return Ok(BTreeMap::new());
    }
    let bytes = read(&folder.join(TOKENIZER), TOKENIZER_BYTES_MAX)?;
    let tokenizer: Json =
        serde_json::from_slice(&bytes).map_err(|error| failed("FX1102", format!("{TOKENIZER}: {error}")))?;
    let json = |name: &str| -> Json {
        let bytes = read(&folder.join(name), SETTINGS_BYTES_MAX).ok();
        bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
    };
    let mut keys = of_tokenizer(&tokenizer)?;
    let settings = json(TOKENIZER_SETTINGS);
    let words = match keys.get("tokenizer.ggml.tokens") {
        Some(Value::Strings(words)) => words.clone(),
        _ => Vec::new(),
    };
    let id_of = |name: &str| {
        let token = settings.get(name);
        let text = token.and_then(|token| token.get("content").or(Some(token))).and_then(Json::as_str)?;
        words.iter().position(|word| word == text).map(|id| id as u64)
    };
    let said = |key: &str| {
        let value = SETTINGS.iter().find_map(|name| json(name).get(key).cloned())?;
        value.as_u64().or_else(|| value.as_array()?.first()?.as_u64())
    };
    for (key, id) in [
        ("bos_token_id", id_of("bos_token").or_else(|| said("bos_token_id"))),
        ("eos_token_id", id_of("eos_token").or_else(|| said("eos_token_id"))),
        ("padding_token_id", id_of("pad_token")),
    ] {
        if let Some(id) = id {
            keys.insert(format!("tokenizer.ggml.{key}"), Value::Unsigned(id));
        }
    }
    let begins = settings.get("add_bos_token").and_then(Json::as_bool);
    let begin = match keys.get("tokenizer.ggml.bos_token_id") {
        Some(Value::Unsigned(id)) => words.get(*id as usize),
        _ => None,
    };
    let begins = begins.unwrap_or_else(|| begin.is_some_and(|word| puts_in_front(&tokenizer, word)));
    keys.insert("tokenizer.ggml.add_bos_token".into(), Value::Bool(begins));
    let own = read(&folder.join(TEMPLATE), SETTINGS_BYTES_MAX).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    if let Some(template) = own.or_else(|| settings.get("chat_template")?.as_str().map(str::to_string)) {
        keys.insert("tokenizer.chat_template".into(), Value::String(template));
    }
    Ok(keys)
}

/// Whether the tokenizer itself begins texts with a word.
fn puts_in_front(tokenizer: &Json, word: &str) -> bool {
    let post = tokenizer.get("post_processor").unwrap_or(&Json::Null);
    let inner = post.get("processors").and_then(Json::as_array).cloned().unwrap_or_default();
    let first = |processor: &Json| {
        processor.get("single")?.get(0)?.get("SpecialToken")?.get("id")?.as_str().map(|id| id == word)
    };
    inner.iter().chain([post]).any(|processor| first(processor) == Some(true))
}

/// Words, their kinds, merges, and how texts are cut.
fn of_tokenizer(tokenizer: &Json) -> Result<BTreeMap<String, Value>> {
    let unknown = |what: String| failed("FX1102", format!("{TOKENIZER}: {what}"));
    let model = tokenizer.get("model").unwrap_or(&Json::Null);
    let kind = model.get("type").and_then(Json::as_str).unwrap_or("missing");
    let falls_back = model.get("byte_fallback").and_then(Json::as_bool).unwrap_or(false);
    if kind != "BPE" || falls_back {
        let with = if falls_back { " with byte_fallback" } else { "" };
        return Err(unknown(format!("a model {kind}{with} has no keys here; known: BPE of bytes")));
    }
    let cut = cut(tokenizer.get("pre_tokenizer").unwrap_or(&Json::Null)).ok_or_else(|| {
        let known: Vec<&str> = CUTS.iter().filter_map(|cut| cut.names.first()).copied().collect();
        unknown(format!("texts are cut in a way that is not known; known: {}", known.join(", ")))
    })?;
    let mut words: BTreeMap<usize, (String, i64)> = BTreeMap::new();
    let listed = model.get("vocab").and_then(Json::as_object).into_iter().flatten();
    let listed = listed.filter_map(|(word, id)| Some((id.as_u64()? as usize, (word.clone(), NORMAL))));
    words.extend(listed);
    let added = tokenizer.get("added_tokens").and_then(Json::as_array).into_iter().flatten();
    words.extend(added.filter_map(|token| {
        let special = token.get("special").and_then(Json::as_bool).unwrap_or(false);
        let text = token.get("content")?.as_str()?.to_string();
        Some((token.get("id")?.as_u64()? as usize, (text, if special { CONTROL } else { USER_DEFINED })))
    }));
    let count = words.last_key_value().map_or(0, |(id, _)| id.saturating_add(1));
    if count == 0 || count > WORDS_MAX {
        return Err(unknown(format!("{count} words; 1 to {WORDS_MAX} can be")));
    }
    let word = |id: usize| words.get(&id).cloned().unwrap_or_else(|| (format!("[PAD{id}]"), UNUSED));
    let (tokens, kinds) = (0..count).map(word).unzip();
    let merges = model.get("merges").and_then(Json::as_array).into_iter().flatten();
    // Pairs, or one text with a space between them.
    let merges = merges.filter_map(|merge| match merge.as_array().map(Vec::as_slice) {
        Some([left, right]) => Some(format!("{} {}", left.as_str()?, right.as_str()?)),
        _ => merge.as_str().map(str::to_string),
    });
    let text = |text: &str| Value::String(text.to_string());
    let keys = [
        ("model", text("gpt2")),
        ("pre", text(cut.names.first().copied().unwrap_or_default())),
        ("tokens", Value::Strings(tokens)),
        ("token_type", Value::Integers(kinds)),
        ("merges", Value::Strings(merges.collect())),
    ];
    Ok(keys.into_iter().map(|(key, value)| (format!("tokenizer.ggml.{key}"), value)).collect())
}

/// The way in which a tokenizer cuts texts.
fn cut(pre: &Json) -> Option<&'static Cut> {
    let single = [pre.clone()];
    let steps = pre.get("pretokenizers").and_then(Json::as_array).map_or(&single[..], Vec::as_slice);
    let of = |kind: &str| steps.iter().find(|step| step.get("type").and_then(Json::as_str) == Some(kind));
    let bytes = of("ByteLevel")?;
    let digits = of("Digits").and_then(|step| step.get("individual_digits")).and_then(Json::as_bool).unwrap_or(false);
    let expression = of("Split").and_then(|step| step.get("pattern")?.get("Regex")?.as_str());
    let uses = bytes.get("use_regex").and_then(Json::as_bool).unwrap_or(true);
    if uses == expression.is_some() {
        return None;
    }
    CUTS.iter().find(|cut| cut.digits_alone == digits && cut.expression == expression)
}

#[cfg(test)]
mod tests {
    use fornax_checkpoint::gguf::Gguf;
    use serde_json::json;

    use super::*;
    use crate::gguf_tokenizer;

    /// A folder's words, as a file's, are those of the folder again.
    #[test]
    fn keys_give_the_tokenizer_back() {
        for cut in CUTS {
            let text = |text: &str| Value::String(text.to_string());
            let texts = |all: &[&str]| Value::Strings(all.iter().map(|text| text.to_string()).collect());
            let values = BTreeMap::from([
                ("tokenizer.ggml.model".to_string(), text("gpt2")),
                ("tokenizer.ggml.pre".to_string(), text(cut.names[0])),
                ("tokenizer.ggml.tokens".to_string(), texts(&["a", "b", "ab", "<|end|>", "x y"])),
                ("tokenizer.ggml.token_type".to_string(), Value::Integers(vec![1, 1, 1, 3, 4])),
                ("tokenizer.ggml.merges".to_string(), texts(&["a b"])),
            ]);
            let file = Gguf { values, entries: Vec::new() };
            let json = gguf_tokenizer::tokenizer(&file).unwrap();
            assert_eq!(of_tokenizer(&json).unwrap(), file.values, "{}", cut.names[0]);
        }
    }

    #[test]
    fn a_folder_says_where_texts_begin_and_end() {
        let folder = tempfile::tempdir().unwrap();
        let put =
            |name: &str, json: serde_json::Value| std::fs::write(folder.path().join(name), json.to_string()).unwrap();
        assert!(gguf_keys(folder.path()).unwrap().is_empty());
        let bytes = json!({"type": "ByteLevel", "add_prefix_space": false, "use_regex": true});
        let begin = json!({"single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}]});
        let model = json!({"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 3}, "merges": [["a", "b"]]});
        let added =
            json!([{"id": 4, "content": "<s>", "special": true}, {"id": 5, "content": "</s>", "special": true}]);
        let mut whole = json!({"model": model, "added_tokens": added, "pre_tokenizer": bytes, "post_processor": begin});
        put(TOKENIZER, whole.clone());
        put(TOKENIZER_SETTINGS, json!({"bos_token": "<s>", "chat_template": "hello"}));
        put("config.json", json!({"eos_token_id": [5, 4]}));
        let keys = gguf_keys(folder.path()).unwrap();
        let key = |name: &str| keys[&format!("tokenizer.{name}")].clone();
        assert_eq!(key("ggml.bos_token_id"), Value::Unsigned(4));
        assert_eq!(key("ggml.eos_token_id"), Value::Unsigned(5));
        assert_eq!(key("ggml.add_bos_token"), Value::Bool(true));
        assert_eq!(key("ggml.token_type"), Value::Integers(vec![1, 1, 5, 1, 3, 3]));
        assert_eq!(key("chat_template"), Value::String("hello".into()));
        whole["model"]["byte_fallback"] = json!(true);
        put(TOKENIZER, whole.clone());
        assert!(gguf_keys(folder.path()).unwrap_err().to_string().contains("byte_fallback"));
        whole["model"]["byte_fallback"] = json!(false);
        whole["pre_tokenizer"] = json!({"type": "Whitespace"});
        put(TOKENIZER, whole);
        assert!(gguf_keys(folder.path()).unwrap_err().to_string().contains("cut in a way"));
    }
}
