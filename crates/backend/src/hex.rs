//! Bytes as hexadecimal text in JSON: what worker processes and the compiler send each other.

use serde::{Deserialize, Deserializer, Serializer, de::Error};

const DIGITS: &[u8; 16] = b"0123456789abcdef";

pub fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        text.push(char::from(DIGITS[usize::from(byte >> 4)]));
        text.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
    serializer.serialize_str(&text)
}

pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let pairs = text.as_bytes().chunks(2);
    let byte = |pair: &[u8]| match pair {
        [high, low] => Some((value(*high)? << 4) | value(*low)?),
        _ => None,
    };
    pairs.map(byte).collect::<Option<Vec<u8>>>().ok_or_else(|| D::Error::custom("malformed hexadecimal bytes"))
}

fn value(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}
