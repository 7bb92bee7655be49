//! Texts that are JSON of a schema: of the tokens that could follow, only those with which the text can still become
//! such JSON. The parser is that of the crate `llguidance`.
//!
//! Between tokens of JSON there is nothing, a space, or a line break with up to `INDENT_MAX` spaces: a model cannot
//! write spaces for ever.

use std::sync::Arc;

use fornax_runtime::Result;
use llguidance::api::{StopReason, TopLevelGrammar};
use llguidance::toktrie::{ApproximateTokEnv, TokEnv, TokRxInfo, TokTrie};
use llguidance::{Matcher, ParserFactory};
use serde_json::{Map, Value, json};

use crate::errors::failed;
use crate::vocabulary::Vocabulary;

/// Spaces at the beginning of a line.
const INDENT_MAX: usize = 32;
/// Longer words are never chosen in JSON, bytes. The tree of words has at most 1024 levels.
const WORD_BYTES_MAX: usize = 1000;
/// Bytes of all words that the tree of words has room for, and tokens: its nodes have numbers of 22 bits.
const WORDS_BYTES_MAX: usize = (1 << 22) - 1;
const WORDS_MAX: usize = WORDS_BYTES_MAX;
/// Key of a schema under which the parser's settings stand.
const SETTINGS: &str = "x-guidance";

/// Makes constraints for one vocabulary.
pub struct Constraints {
    factory: ParserFactory,
}

impl Constraints {
    /// For a vocabulary. Takes a second where it is large.
    ///
    /// # Errors
    /// FX1113 for words that are too long together.
    pub fn new(vocabulary: &Vocabulary) -> Result<Constraints> {
        let short = |bytes: Vec<u8>| if bytes.len() > WORD_BYTES_MAX { Vec::new() } else { bytes };
        let mut all: Vec<Vec<u8>> = vocabulary.token_bytes(WORDS_MAX).into_iter().map(short).collect();
        let bytes: usize = all.iter().map(Vec::len).sum();
        if bytes > WORDS_BYTES_MAX {
            let what = format!("words of {bytes} bytes, where {WORDS_BYTES_MAX} can be told apart");
            return Err(failed("FX1113", what));
        }
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let mut ends: Vec<u32> = vocabulary.ends().filter(|&end| (end as usize) < all.len()).collect();
        let end = ends.first().copied().unwrap_or_else(|| number(all.len()));
        if ends.is_empty() {
            // One that no model chooses: the text ends where nothing else can follow.
            ends.push(end);
            all.push(Vec::new());
        }
        let info = TokRxInfo::new(number(all.len()), end);
        let tree = TokTrie::from(&info, &all).with_eos_tokens(&ends);
        let words: TokEnv = Arc::new(ApproximateTokEnv::new(tree));
        let mut factory = ParserFactory::new_simple(&words).map_err(unfit)?;
        factory.quiet().limits_mut().verbose_errors = false;
        Ok(Constraints { factory })
    }

    /// Texts that are JSON of a schema (JSON Schema, draft 2020-12). `true` and `{}` are any JSON.
    ///
    /// # Errors
    /// FX1113 for what is no schema, has no JSON, or says what the parser does not know; the message says where.
    pub fn json(&self, schema: &Value) -> Result<Constraint> {
        let mut schema = match schema {
            Value::Object(fields) => fields.clone(),
            Value::Bool(true) => Map::new(),
            _ => return Err(failed("FX1113", "a schema is an object, or `true` for any JSON")),
        };
        let space = format!(r"(\x20|\n\x20{{0,{INDENT_MAX}}})");
        schema.insert(SETTINGS.to_string(), json!({ "whitespace_pattern": space }));
        let grammar = TopLevelGrammar::from_json_schema(Value::Object(schema));
        let matcher = Matcher::new(self.factory.create_parser(grammar));
        match matcher.get_error() {
            Some(error) => Err(unfit(error)),
            None => Ok(Constraint { matcher }),
        }
    }
}

fn unfit(error: impl std::fmt::Display) -> fornax_runtime::RuntimeError {
    // The parser's own state is left out.
    failed("FX1113", error.to_string().trim_end_matches("<non-verbose/>").trim_end())
}

/// What of a text can follow.
#[derive(Clone)]
pub struct Constraint {
    matcher: Matcher,
}

/// What a constraint has taken is not shown.
impl std::fmt::Debug for Constraint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Constraint").field("is_over", &self.is_over()).finish_non_exhaustive()
    }
}

impl Constraint {
    /// Takes the logits from tokens that cannot follow. Whether any can.
    ///
    /// # Errors
    /// FX1113 where what can follow takes too long to find.
    pub fn mask(&mut self, logits: &mut [f32]) -> Result<bool> {
        if self.is_over() {
            return Ok(false);
        }
        let mask = self.matcher.compute_mask().map_err(|error| match self.matcher.stop_reason() {
            StopReason::NoExtensionBias => failed("FX1113", "no word of the vocabulary can follow here"),
            _ => unfit(error),
        })?;
        let mut is_any = false;
        for (token, logit) in logits.iter_mut().enumerate() {
            match token < mask.len() && mask.get(token) {
                true => is_any = true,
                false => *logit = f32::NEG_INFINITY,
            }
        }
        Ok(is_any)
    }

    /// A token follows.
    ///
    /// # Errors
    /// FX1113 for one that cannot.
    pub fn take(&mut self, token: u32) -> Result<()> {
        self.matcher.consume_token(token).map_err(unfit)
    }

    /// The JSON is complete, and nothing can follow it.
    pub fn is_over(&self) -> bool {
        self.matcher.is_stopped()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A vocabulary of these words, special ones in angle brackets.
    fn vocabulary(words: &[&str]) -> (tempfile::TempDir, Vocabulary) {
        let dir = tempfile::tempdir().unwrap();
        let all: Map<String, Value> =
            (0..).zip(words).map(|(id, word): (u32, _)| (word.to_string(), id.into())).collect();
        let is_special = |word: &str| word.starts_with("</");
        let added = (0..).zip(words).filter(|(_, word)| is_special(word)).map(|(id, word): (u32, _)| {
            json!({"id": id, "content": word, "special": true, "single_word": false, "lstrip": false,
                   "rstrip": false, "normalized": false})
        });
        let tokenizer = json!({
            "version": "1.0", "truncation": null, "padding": null, "added_tokens": added.collect::<Vec<_>>(),
            "normalizer": null, "pre_tokenizer": null, "post_processor": null,
            "decoder": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true},
            "model": {"type": "BPE", "vocab": all, "merges": []},
        });
        std::fs::write(dir.path().join("tokenizer.json"), tokenizer.to_string()).unwrap();
        let vocabulary = Vocabulary::open(dir.path()).unwrap();
        (dir, vocabulary)
    }

    const WORDS: &[&str] =
        &["</s>", "{", "}", "\"", "a", "b", ":", ",", "1", "2", "-", "[", "]", "Ġ", "Ċ", "true", "\":", "null", "."];

    /// The text of a model that likes later words better, and why it ended.
    fn written(constraint: &mut Constraint, most: usize) -> (String, bool) {
        let mut text = String::new();
        for _ in 0..most {
            // A model may have more logits than there are words.
            let mut logits: Vec<f32> = (0..WORDS.len() + 3).map(|at| at as f32).collect();
            if !constraint.mask(&mut logits).unwrap() {
                return (text, true);
            }
            let best = (0..logits.len()).max_by(|&a, &b| logits[a].total_cmp(&logits[b])).unwrap();
            if best == 0 {
                return (text, true);
            }
            text.push_str(&WORDS[best].replace('Ġ', " ").replace('Ċ', "\n"));
            constraint.take(u32::try_from(best).unwrap()).unwrap();
            if constraint.is_over() {
                return (text, true);
            }
        }
        (text, false)
    }

    #[test]
    fn texts_are_json_of_their_schema() {
        let (_dir, vocabulary) = vocabulary(WORDS);
        let constraints = Constraints::new(&vocabulary).unwrap();
        for schema in [
            json!({"type": "object", "properties": {"b": {"type": "boolean"}, "a": {"enum": [2, null]}},
                   "required": ["b", "a"], "additionalProperties": false}),
            json!({"type": "array", "items": {"type": "integer", "minimum": 1, "maximum": 22}, "maxItems": 3}),
            json!({"$ref": "#/$defs/x", "$defs": {"x": {"anyOf": [{"const": "ab"}, {"const": "ba"}]}}}),
            json!({"type": "string", "maxLength": 2}),
        ] {
            let (text, is_whole) = written(&mut constraints.json(&schema).unwrap(), 400);
            let value: Value =
                serde_json::from_str(&text).unwrap_or_else(|error| panic!("{schema}: {text:?}: {error}"));
            assert!(is_whole, "{schema}: {text:?}");
            match schema.get("type").and_then(Value::as_str) {
                Some("object") => assert!(value["b"].is_boolean() && [json!(2), Value::Null].contains(&value["a"])),
                Some("array") => {
                    assert!(value.as_array().unwrap().iter().all(|n| (1..=22).contains(&n.as_i64().unwrap())))
                }
                Some(_) => assert!(value.as_str().unwrap().chars().count() <= 2),
                None => assert!(["ab", "ba"].contains(&value.as_str().unwrap())),
            }
        }
        // Order of properties is that of the schema.
        let schema =
            json!({"type": "object", "properties": {"b": {"const": 1}, "a": {"const": 1}}, "required": ["a", "b"]});
        let (text, _) = written(&mut constraints.json(&schema).unwrap(), 400);
        assert!(text.find('b') < text.find('a'), "{text}");
    }

    #[test]
    fn nothing_else_can_follow() {
        let (_dir, vocabulary) = vocabulary(WORDS);
        let constraints = Constraints::new(&vocabulary).unwrap();
        let mut constraint = constraints.json(&json!({"const": 12})).unwrap();
        let allowed = |constraint: &mut Constraint| -> Vec<usize> {
            let mut logits = vec![0.0; WORDS.len()];
            let is_any = constraint.mask(&mut logits).unwrap();
            (0..WORDS.len()).filter(|&at| is_any && logits[at] == 0.0).collect()
        };
        assert_eq!(allowed(&mut constraint), [8]);
        let mut other = constraint.clone();
        constraint.take(8).unwrap();
        assert_eq!(allowed(&mut constraint), [9]);
        // A copy is where it was.
        assert_eq!(allowed(&mut other), [8]);
        assert_eq!(other.take(9).unwrap_err().code(), "FX1113");
        constraint.take(9).unwrap();
        assert!(constraint.is_over() && allowed(&mut constraint).is_empty());
    }

    #[test]
    fn what_is_no_schema_is_said() {
        let (_dir, vocabulary) = vocabulary(WORDS);
        let constraints = Constraints::new(&vocabulary).unwrap();
        for schema in [
            json!(1),
            json!(false),
            json!([]),
            json!({"type": "text"}),
            json!({"$ref": "#/nowhere"}),
            json!({"$ref": "https://example.org/x.json"}),
            json!({"pattern": "("}),
            json!({"not": {}, "type": "string"}),
            json!({"type": "string", "maxLength": -1}),
            json!({"properties": []}),
            json!({"enum": []}),
        ] {
            let error = constraints.json(&schema).unwrap_err();
            assert_eq!(error.code(), "FX1113", "{schema}");
            assert!(!error.message().contains("<non-verbose"), "{error}");
        }
        // What is too large fails at once, or not at all.
        let deep = (0..100).fold(json!({}), |inner, _| json!({"type": "array", "items": inner, "minItems": 1000}));
        let wide: Vec<Value> = (0..20_000).map(|n| json!(format!("{n}{n}"))).collect();
        for schema in [json!({"pattern": "(a{1000}){1000}b{1000}", "type": "string"}), deep, json!({"enum": wide})] {
            let began = std::time::Instant::now();
            match constraints.json(&schema).map(|mut one| one.mask(&mut [0.0; 19])) {
                Ok(Ok(_)) => {}
                Ok(Err(error)) | Err(error) => assert_eq!(error.code(), "FX1113"),
            }
            assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
        }
        assert!(constraints.json(&json!(true)).is_ok() && constraints.json(&json!({})).is_ok());
    }

    #[test]
    fn words_of_any_length_are_taken() {
        let long = "a".repeat(5000);
        let (_dir, vocabulary) = vocabulary(&["{", "}", &long, "", "\u{c3}\u{28}"]);
        let constraints = Constraints::new(&vocabulary).unwrap();
        let mut constraint = constraints.json(&json!({"type": "object", "maxProperties": 0})).unwrap();
        let mut logits = [0.0; 7];
        assert!(constraint.mask(&mut logits).unwrap());
        assert_eq!(logits.iter().filter(|logit| **logit == 0.0).count(), 1);
    }
}
