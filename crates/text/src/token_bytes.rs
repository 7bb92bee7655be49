//! The bytes that tokens stand for in a text, as the decoder of a `tokenizer.json` writes them.

use std::collections::HashMap;

use serde_json::Value;
use tokenizers::Tokenizer;

/// How words of a vocabulary spell bytes.
#[derive(Default)]
struct Spelling {
    /// GPT-2's: a character for each byte.
    bytes: Option<HashMap<char, u8>>,
    /// SentencePiece's: bytes that are in no word are words of their own, `<0x0A>`.
    is_fallback: bool,
    /// Texts in words, and what they stand for.
    replaced: Vec<(String, String)>,
}

/// The character that GPT-2 writes for each byte: printable ones of Latin-1 are themselves, the others follow 255.
fn characters() -> HashMap<char, u8> {
    let is_itself = |byte: u8| matches!(byte, b'!'..=b'~' | 0xA1..=0xAC | 0xAE..=0xFF);
    let others = (0..=u8::MAX).filter(|&byte| !is_itself(byte));
    let others = others.zip(256u32..).filter_map(|(byte, code)| Some((char::from_u32(code)?, byte)));
    (0..=u8::MAX).filter(|&byte| is_itself(byte)).map(|byte| (char::from(byte), byte)).chain(others).collect()
}

impl Spelling {
    fn of(decoder: &Value) -> Spelling {
        let mut spelling = Spelling::default();
        let parts = decoder.get("decoders").and_then(Value::as_array);
        for part in parts.map_or(std::slice::from_ref(decoder), Vec::as_slice) {
            let text = |key: &str| part.get(key).and_then(Value::as_str);
            match text("type") {
                Some("ByteLevel") => spelling.bytes = Some(characters()),
                Some("ByteFallback") => spelling.is_fallback = true,
                Some("Metaspace") => {
                    let space = text("replacement").unwrap_or("\u{2581}");
                    spelling.replaced.push((space.to_string(), " ".to_string()));
                }
                Some("Replace") => {
                    let pattern = part.get("pattern").and_then(|pattern| pattern.get("String")?.as_str());
                    if let (Some(pattern), Some(content)) = (pattern, text("content")) {
                        spelling.replaced.push((pattern.to_string(), content.to_string()));
                    }
                }
                _ => {}
            }
        }
        spelling
    }

    /// The bytes of a word; `None` where the decoder has rules that say more than a word alone.
    fn bytes(&self, word: &str) -> Option<Vec<u8>> {
        if let Some(bytes) = &self.bytes {
            return Some(word.chars().flat_map(|sign| byte_or_text(bytes, sign)).collect());
        }
        if self.is_fallback
            && let Some(digits) = word.strip_prefix("<0x").and_then(|rest| rest.strip_suffix('>'))
            && digits.len() == 2
            && let Ok(byte) = u8::from_str_radix(digits, 16)
        {
            return Some(vec![byte]);
        }
        let replaced = || self.replaced.iter().fold(word.to_string(), |word, (from, to)| word.replace(from, to));
        (self.is_fallback || !self.replaced.is_empty()).then(|| replaced().into_bytes())
    }
}

fn byte_or_text(bytes: &HashMap<char, u8>, sign: char) -> Vec<u8> {
    bytes.get(&sign).map_or_else(|| sign.to_string().into_bytes(), |&byte| vec![byte])
}

/// The bytes of tokens 0 to `count`. Special tokens have none, nor numbers without a word. `piece` gives the text of
/// a token where the decoder spells no bytes.
pub fn token_bytes(tokenizer: &Tokenizer, count: usize, piece: impl Fn(u32) -> String) -> Vec<Vec<u8>> {
    let decoder = tokenizer.get_decoder().and_then(|decoder| serde_json::to_value(decoder).ok());
    let spelling = Spelling::of(&decoder.unwrap_or_default());
    let added = tokenizer.get_added_tokens_decoder();
    let bytes = |token: u32| match added.get(&token) {
        Some(added) if added.special => Vec::new(),
        Some(added) => added.content.clone().into_bytes(),
        None => tokenizer
            .id_to_token(token)
            .map_or_else(Vec::new, |word| spelling.bytes(&word).unwrap_or_else(|| piece(token).into_bytes())),
    };
    (0..u32::try_from(count).unwrap_or(u32::MAX)).map(bytes).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn words_are_bytes() {
        let bytes = |decoder: Value, word: &str| Spelling::of(&decoder).bytes(word);
        let level = json!({"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true});
        assert_eq!(bytes(level.clone(), "Ġa"), Some(b" a".to_vec()));
        assert_eq!(bytes(level.clone(), "Ċ"), Some(b"\n".to_vec()));
        // A third of a character, and one that stands for no byte.
        assert_eq!(bytes(level.clone(), "æ"), Some(vec![0xE6]));
        assert_eq!(bytes(level, "水"), Some("水".as_bytes().to_vec()));
        let pieces = json!({"type": "Sequence", "decoders": [
            {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}, {"type": "ByteFallback"}, {"type": "Fuse"},
        ]});
        assert_eq!(bytes(pieces.clone(), "▁a▁"), Some(b" a ".to_vec()));
        assert_eq!(bytes(pieces.clone(), "<0xE6>"), Some(vec![0xE6]));
        // No bytes, whatever they look like.
        for word in ["<0xZZ>", "<0x>", "<0x123>", "<0xé>"] {
            assert_eq!(bytes(pieces.clone(), word), Some(word.as_bytes().to_vec()), "{word}");
        }
        assert_eq!(bytes(Value::Null, "a"), None);
        assert_eq!(characters().len(), 256);
    }
}
