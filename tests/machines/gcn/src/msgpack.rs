//! MessagePack, as far as the metadata note of code objects uses it: read a value, look into maps and arrays.
//!
//! Input: the note's bytes. Output: a tree, or None where the bytes are none. Worked example: `81 a1 61 07` is the map
//! `{"a": 7}`.

/// One value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Nil,
    Bool(bool),
    Number(i64),
    Text(String),
    List(Vec<Value>),
    Map(Vec<(Value, Value)>),
}

/// Deeper nesting is refused.
const DEEPEST: u32 = 16;

impl Value {
    /// The value that `bytes` begin with.
    pub fn read(bytes: &[u8]) -> Option<Value> {
        let mut rest = bytes;
        value(&mut rest, DEEPEST)
    }

    pub fn get(&self, key: &str) -> Option<&Value> {
        let Value::Map(entries) = self else { return None };
        entries.iter().find(|(name, _)| name.text() == Some(key)).map(|(_, value)| value)
    }

    pub fn text(&self) -> Option<&str> {
        if let Value::Text(text) = self { Some(text) } else { None }
    }

    pub fn number(&self) -> Option<u64> {
        if let Value::Number(number) = self { u64::try_from(*number).ok() } else { None }
    }

    /// The entries of a list; none of anything else.
    pub fn list(&self) -> &[Value] {
        if let Value::List(list) = self { list } else { &[] }
    }
}

fn take<'a>(rest: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (head, tail) = rest.split_at_checked(count)?;
    *rest = tail;
    Some(head)
}

fn unsigned(rest: &mut &[u8], bytes: usize) -> Option<u64> {
    Some(take(rest, bytes)?.iter().fold(0, |sum, &byte| sum << 8 | u64::from(byte)))
}

fn text(rest: &mut &[u8], count: usize) -> Option<Value> {
    Some(Value::Text(String::from_utf8(take(rest, count)?.to_vec()).ok()?))
}

fn list(rest: &mut &[u8], count: usize, depth: u32) -> Option<Value> {
    (0..count).map(|_| value(rest, depth)).collect::<Option<_>>().map(Value::List)
}

fn map(rest: &mut &[u8], count: usize, depth: u32) -> Option<Value> {
    (0..count).map(|_| Some((value(rest, depth)?, value(rest, depth)?))).collect::<Option<_>>().map(Value::Map)
}

fn value(rest: &mut &[u8], depth: u32) -> Option<Value> {
    let depth = depth.checked_sub(1)?;
    let tag = take(rest, 1)?[0];
    let low = usize::from(tag);
    Some(match tag {
        0x00..=0x7f => Value::Number(i64::from(tag)),
        0x80..=0x8f => map(rest, low & 15, depth)?,
        0x90..=0x9f => list(rest, low & 15, depth)?,
        0xa0..=0xbf => text(rest, low & 31)?,
        0xc0 => Value::Nil,
        0xc2 | 0xc3 => Value::Bool(tag == 0xc3),
        0xcc..=0xcf => Value::Number(i64::try_from(unsigned(rest, 1 << (tag - 0xcc))?).ok()?),
        0xd0..=0xd3 => {
            let bytes = 1 << (tag - 0xd0);
            let shift = 64 - 8 * bytes as u32;
            Value::Number(((unsigned(rest, bytes)? << shift) as i64) >> shift)
        }
        0xd9..=0xdb => {
            let count = unsigned(rest, 1 << (tag - 0xd9))? as usize;
            text(rest, count)?
        }
        0xdc | 0xdd => {
            let count = unsigned(rest, 2 << (tag - 0xdc))? as usize;
            list(rest, count, depth)?
        }
        0xde | 0xdf => {
            let count = unsigned(rest, 2 << (tag - 0xde))? as usize;
            map(rest, count, depth)?
        }
        0xe0..=0xff => Value::Number(i64::from(tag as i8)),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_lists_and_numbers() {
        let bytes = [0x82, 0xa1, b'a', 0x07, 0xa1, b'b', 0x92, 0xcd, 0x01, 0x02, 0xff];
        let read = Value::read(&bytes).unwrap();
        assert_eq!(read.get("a").and_then(Value::number), Some(7));
        assert_eq!(read.get("b").unwrap().list(), [Value::Number(258), Value::Number(-1)]);
        assert_eq!(Value::read(&bytes[..6]), None);
        assert_eq!(Value::read(&[0x91; 40]), None, "too deep");
    }
}
