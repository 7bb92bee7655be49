//! The tokenizer of a checkpoint, its special tokens and its chat template: from a GGUF file, a folder of Hugging
//! Face's, or a `tokenizer.json` alone.

use std::collections::BTreeSet;
use std::path::Path;

use fornax_checkpoint::gguf::{Gguf, MAGIC};
use fornax_runtime::{ErrorKind, Result, RuntimeError};
use tokenizers::utils::truncation::TruncationDirection;
use tokenizers::{PostProcessor, Tokenizer};

use crate::errors::failed;
use crate::gguf_tokenizer;
use crate::template::{self, Message, Tokens};
use crate::token_bytes::token_bytes;

pub(crate) const TOKENIZER: &str = "tokenizer.json";
/// Settings next to it; keys of later files count where earlier ones lack them.
pub(crate) const SETTINGS: &[&str] = &["generation_config.json", "config.json"];
pub(crate) const TOKENIZER_SETTINGS: &str = "tokenizer_config.json";
/// What sentence-transformers writes.
const ENCODER_SETTINGS: &str = "sentence_bert_config.json";
pub(crate) const TEMPLATE: &str = "chat_template.jinja";
/// Special tokens that end an answer, whatever a file says.
const ENDS: &[&str] =
    &["<|im_end|>", "<|eot_id|>", "<|end_of_text|>", "<|endoftext|>", "<end_of_turn>", "<|end|>", "<|eom_id|>", "</s>"];

/// Words and their numbers.
pub struct Vocabulary {
    tokenizer: Tokenizer,
    /// Put in front of a raw prompt.
    begin: Option<u32>,
    /// Whether the tokenizer puts special tokens around a raw prompt itself.
    adds_special: bool,
    /// Texts of an encoder are put in small letters first.
    lowers: bool,
    ends: BTreeSet<u32>,
    template: Option<String>,
    tokens: Tokens,
}

impl Vocabulary {
    /// Opens a GGUF file, a folder or a `tokenizer.json`.
    ///
    /// # Errors
    /// FX1101 where there is no tokenizer, FX1102 for one that is not known, FX1001 for broken GGUF.
    pub fn open(path: &Path) -> Result<Vocabulary> {
        if path.is_dir() {
            return of_folder(path, &path.join(TOKENIZER));
        }
        let bytes = read(path, MAGIC.len() as u64)?;
        if bytes != MAGIC {
            let folder = path.parent().unwrap_or(Path::new(""));
            return of_folder(folder, path);
        }
        let broken = |e: fornax_checkpoint::FileError| {
            RuntimeError::new(e.code, ErrorKind::Input, e.message.as_str()).with_help(e.help())
        };
        let file = Gguf::open(path).map_err(broken)?;
        of_gguf(&file).map_err(|error| error.context(path.display()))
    }

    /// Tokens of a text as it is; at the beginning also the token that begins texts, if the model wants one.
    ///
    /// # Errors
    /// FX1102 where the tokenizer fails.
    pub fn encode(&self, text: &str) -> Result<Vec<u32>> {
        let ids = self.ids(text, self.adds_special)?;
        Ok(self.begin.filter(|begin| ids.first() != Some(begin)).into_iter().chain(ids).collect())
    }

    /// Tokens of a text, with those that the model wants around it; where `most` is given, so many of them, as if the
    /// text were shorter.
    ///
    /// # Errors
    /// FX1102 where the tokenizer fails.
    pub fn encode_whole(&self, text: &str, most: Option<usize>) -> Result<Vec<u32>> {
        let wrong = |error: tokenizers::Error| failed("FX1102", error.to_string());
        let lower = self.lowers.then(|| text.to_lowercase());
        let text = lower.as_deref().unwrap_or(text);
        let mut encoding = self.tokenizer.encode(text, false).map_err(wrong)?;
        let around = self.tokenizer.get_post_processor().filter(|_| self.adds_special);
        let around = around.map_or(0, |processor| processor.added_tokens(false)) + usize::from(self.begin.is_some());
        if let Some(most) = most {
            encoding.truncate(most.saturating_sub(around), 0, TruncationDirection::Right);
        }
        let whole = self.tokenizer.post_process(encoding, None, self.adds_special).map_err(wrong)?;
        Ok(self.begin.into_iter().chain(whole.get_ids().iter().copied()).collect())
    }

    /// Tokens of a chat, up to where the model answers; of the last message alone where there is no template.
    ///
    /// # Errors
    /// FX1103 where the template fails.
    pub fn encode_chat(&self, messages: &[Message]) -> Result<Vec<u32>> {
        match &self.template {
            Some(template) => self.ids(&template::render(template, messages, &self.tokens)?, false),
            None => self.encode(messages.last().map_or("", |message| &message.content)),
        }
    }

    /// Whether the checkpoint says how chats are written.
    pub fn has_template(&self) -> bool {
        self.template.is_some()
    }

    fn ids(&self, text: &str, special: bool) -> Result<Vec<u32>> {
        let encoding = self.tokenizer.encode(text, special).map_err(|error| failed("FX1102", error.to_string()))?;
        Ok(encoding.get_ids().to_vec())
    }

    /// Whether a token ends an answer.
    pub fn is_end(&self, token: u32) -> bool {
        self.ends.contains(&token)
    }

    /// Tokens that end an answer.
    pub fn ends(&self) -> impl Iterator<Item = u32> + '_ {
        self.ends.iter().copied()
    }

    /// The bytes that each token adds to a text, none for special ones; of at most so many tokens.
    pub fn token_bytes(&self, most: usize) -> Vec<Vec<u8>> {
        let count = self.tokenizer.get_vocab(true).values().max().map_or(0, |&last| last as usize + 1);
        token_bytes(&self.tokenizer, count.min(most), |token| self.piece(token))
    }

    /// Words, added ones too.
    pub fn len(&self) -> usize {
        self.tokenizer.get_vocab_size(true)
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Text of tokens, given one by one: of each what is whole characters.
    pub fn stream(&self) -> impl FnMut(u32) -> Result<Option<String>> + '_ {
        let mut stream = self.tokenizer.decode_stream(true);
        move |token| stream.step(token).map_err(|error| failed("FX1102", error.to_string()))
    }

    /// The text that one token adds behind others: with its space, where it begins a word. Bytes that are no whole
    /// characters are replacement characters; special tokens have their names.
    pub fn piece(&self, token: u32) -> String {
        let text = |tokens: &[u32]| self.tokenizer.decode(tokens, false).unwrap_or_default();
        let (one, two) = (text(&[token]), text(&[token, token]));
        two.strip_prefix(&one).map_or(one.clone(), str::to_string)
    }

    /// Text of all tokens.
    ///
    /// # Errors
    /// FX1102 where the tokenizer fails.
    pub fn decode(&self, tokens: &[u32]) -> Result<String> {
        self.tokenizer.decode(tokens, true).map_err(|error| failed("FX1102", error.to_string()))
    }
}

pub(crate) fn read(path: &Path, most: u64) -> Result<Vec<u8>> {
    use std::io::Read;
    let unreadable = |error: std::io::Error| failed("FX1101", format!("{}: {error}", path.display()));
    let mut bytes = Vec::new();
    std::fs::File::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes)).map_err(unreadable)?;
    Ok(bytes)
}

/// What a file says of lengths is left out: nobody cuts or fills up a text unasked.
fn loaded(json: &[u8]) -> Result<Tokenizer> {
    let wrong = |error: tokenizers::Error| failed("FX1102", format!("the tokenizer: {error}"));
    let mut tokenizer = Tokenizer::from_bytes(json).map_err(wrong)?;
    tokenizer.with_padding(None).with_truncation(None).map_err(wrong)?;
    Ok(tokenizer)
}

/// Tokens that end answers by their text.
fn known_ends(tokenizer: &Tokenizer) -> BTreeSet<u32> {
    ENDS.iter().filter_map(|text| tokenizer.token_to_id(text)).collect()
}

fn of_gguf(file: &Gguf) -> Result<Vocabulary> {
    let json = gguf_tokenizer::tokenizer(file)?;
    let tokenizer = loaded(json.to_string().as_bytes())?;
    let mut ends = known_ends(&tokenizer);
    ends.extend(
        ["eos_token_id", "eot_token_id", "eom_token_id"].iter().filter_map(|key| gguf_tokenizer::id(file, key)),
    );
    let begin = gguf_tokenizer::id(file, "bos_token_id");
    let text = |id: Option<u32>| id.and_then(|id| tokenizer.id_to_token(id)).unwrap_or_default();
    let tokens = Tokens { begin: text(begin), end: text(gguf_tokenizer::id(file, "eos_token_id")) };
    Ok(Vocabulary {
        begin: begin.filter(|_| gguf_tokenizer::begins(file) && !gguf_tokenizer::is_encoder(file)),
        adds_special: gguf_tokenizer::is_encoder(file),
        lowers: false,
        ends,
        template: file.string("tokenizer.chat_template").map(str::to_string),
        tokens,
        tokenizer,
    })
}

/// Longest file of settings that is read, bytes.
pub(crate) const SETTINGS_BYTES_MAX: u64 = 64 << 20;
/// Longest tokenizer.json that is read, bytes.
pub(crate) const TOKENIZER_BYTES_MAX: u64 = 256 << 20;

fn of_folder(folder: &Path, path: &Path) -> Result<Vocabulary> {
    let tokenizer = loaded(&read(path, TOKENIZER_BYTES_MAX)?).map_err(|error| error.context(path.display()))?;
    let json = |name: &str| -> Option<serde_json::Value> {
        serde_json::from_slice(&read(&folder.join(name), SETTINGS_BYTES_MAX).ok()?).ok()
    };
    let mut ends = known_ends(&tokenizer);
    for settings in SETTINGS.iter().filter_map(|name| json(name)) {
        let listed = match settings.get("eos_token_id") {
            Some(serde_json::Value::Array(ids)) => ids.clone(),
            Some(id) => vec![id.clone()],
            None => Vec::new(),
        };
        ends.extend(listed.iter().filter_map(|id| u32::try_from(id.as_u64()?).ok()));
    }
    let settings = json(TOKENIZER_SETTINGS).unwrap_or_default();
    let word = |name: &str| -> String {
        let token = settings.get(name);
        let token = token.and_then(|token| token.get("content").or(Some(token)));
        token.and_then(|token| token.as_str()).unwrap_or_default().to_string()
    };
    let tokens = Tokens { begin: word("bos_token"), end: word("eos_token") };
    ends.extend(tokenizer.token_to_id(&tokens.end));
    let own = read(&folder.join(TEMPLATE), SETTINGS_BYTES_MAX).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let template = own.or_else(|| settings.get("chat_template")?.as_str().map(str::to_string));
    let lowers = json(ENCODER_SETTINGS).is_some_and(|settings| settings.get("do_lower_case") == Some(&true.into()));
    Ok(Vocabulary { tokenizer, begin: None, adds_special: true, lowers, ends, template, tokens })
}

#[cfg(test)]
mod tests {
    use fornax_checkpoint::gguf::Value;

    use super::*;

    /// A file of an encoder with these words; those in brackets are control tokens.
    fn encoder(words: &[&str], more: &[(&str, Value)]) -> Gguf {
        let text = |text: &str| Value::String(text.to_string());
        let kinds = words.iter().map(|word| if word.starts_with('[') { 3 } else { 1 }).collect();
        let mut values: std::collections::BTreeMap<String, Value> = [
            ("general.architecture", text("bert")),
            ("tokenizer.ggml.model", text("bert")),
            ("tokenizer.ggml.tokens", Value::Strings(words.iter().map(|word| word.to_string()).collect())),
            ("tokenizer.ggml.token_type", Value::Integers(kinds)),
            ("tokenizer.ggml.unknown_token_id", Value::Unsigned(1)),
        ]
        .map(|(name, value)| (name.to_string(), value))
        .into();
        values.extend(more.iter().map(|(name, value)| (name.to_string(), value.clone())));
        Gguf { values, entries: Vec::new() }
    }

    const WORDS: [&str; 9] = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "▁hello", "▁wor", "ld", "▁!", "▁\u{6c34}"];

    #[test]
    fn words_of_an_encoder_are_cut_to_pieces() {
        let small = of_gguf(&encoder(&WORDS, &[])).unwrap();
        let ids = |text: &str, most| small.encode_whole(text, most).unwrap();
        assert_eq!(ids("Héllo, WORLD!\u{6c34}world", None), [2, 4, 1, 5, 6, 7, 8, 5, 6, 3]);
        assert_eq!(ids("", None), [2, 3]);
        assert_eq!(ids("hello world hello", Some(4)), [2, 4, 5, 3]);
        assert_eq!(ids("hello", Some(2)), [2, 3]);
        // Fewer than the model puts around a text: the caller sees that they do not fit.
        assert_eq!(ids("hello", Some(1)), [2, 3]);
        let mut words = WORDS.to_vec();
        words.push("▁Hello");
        let large = of_gguf(&encoder(&words, &[])).unwrap();
        assert_eq!(large.encode_whole("Hello hello HELLO", None).unwrap(), [2, 9, 4, 1, 3]);
        let other = of_gguf(&encoder(&WORDS, &[("tokenizer.ggml.cls_token_id", Value::Unsigned(6))])).unwrap();
        assert_eq!(other.encode_whole("hello", None).unwrap(), [6, 4, 3]);
    }

    #[test]
    fn what_files_of_encoders_lack_is_named() {
        let code = |file: &Gguf| of_gguf(file).err().map(|error| error.code());
        assert_eq!(code(&encoder(&WORDS[..3], &[])), Some("FX1102"));
        let absurd = [("tokenizer.ggml.cls_token_id", Value::Unsigned(99))];
        assert_eq!(code(&encoder(&WORDS, &absurd)), Some("FX1102"));
        // Twice, once the space is off.
        assert_eq!(code(&encoder(&["[CLS]", "[SEP]", "▁##a", "a"], &[])), Some("FX1102"));
        let unknown = [("tokenizer.ggml.model", Value::String("t5".to_string()))];
        assert_eq!(code(&encoder(&WORDS, &unknown)), Some("FX1102"));
    }

    #[test]
    fn lengths_of_a_file_are_left_out() {
        let dir = tempfile::tempdir().unwrap();
        let words = serde_json::json!({"a": 0, "b": 1});
        let tokenizer = serde_json::json!({
            "version": "1.0", "truncation": {"max_length": 2, "strategy": "LongestFirst", "stride": 0},
            "padding": {"strategy": {"Fixed": 8}, "direction": "Right", "pad_to_multiple_of": null, "pad_id": 0,
                        "pad_type_id": 0, "pad_token": "a"},
            "added_tokens": [], "normalizer": null, "pre_tokenizer": {"type": "WhitespaceSplit"},
            "post_processor": null, "decoder": null,
            "model": {"type": "WordLevel", "vocab": words, "unk_token": "a"},
        });
        std::fs::write(dir.path().join(TOKENIZER), tokenizer.to_string()).unwrap();
        std::fs::write(dir.path().join(ENCODER_SETTINGS), r#"{"do_lower_case": true}"#).unwrap();
        let words = Vocabulary::open(dir.path()).unwrap();
        assert_eq!(words.encode_whole("b B b", None).unwrap(), [1, 1, 1]);
        assert_eq!(words.encode("b b b").unwrap(), [1, 1, 1]);
    }
}
