//! MessagePack values, as far as the metadata note of AMD code objects uses them: read, look up, write.

/// One value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    Nil,
    Bool(bool),
    Unsigned(u64),
    Signed(i64),
    Text(String),
    Array(Vec<Value>),
    Map(Vec<(Value, Value)>),
}

/// Deeper nesting is refused.
const DEPTH_MAX: usize = 32;

impl Value {
    /// Reads one value; None when the bytes are not exactly one.
    pub fn read(bytes: &[u8]) -> Option<Value> {
        let mut rest = bytes;
        let value = read_value(&mut rest, DEPTH_MAX)?;
        rest.is_empty().then_some(value)
    }

    /// The value of a text key of a map.
    pub fn get(&self, key: &str) -> Option<&Value> {
        let Value::Map(entries) = self else { return None };
        entries.iter().find(|(name, _)| matches!(name, Value::Text(text) if text == key)).map(|(_, value)| value)
    }

    /// A text.
    pub fn text(&self) -> Option<&str> {
        if let Value::Text(text) = self { Some(text) } else { None }
    }

    /// An unsigned number.
    pub fn number(&self) -> Option<u32> {
        match self {
            Value::Unsigned(number) => u32::try_from(*number).ok(),
            Value::Signed(number) => u32::try_from(*number).ok(),
            _ => None,
        }
    }

    /// Appends the shortest encoding.
    pub fn write(&self, out: &mut Vec<u8>) {
        match self {
            Value::Nil => out.push(0xc0),
            Value::Bool(value) => out.push(0xc2 + u8::from(*value)),
            Value::Unsigned(number) => write_unsigned(*number, out),
            Value::Signed(number) => write_signed(*number, out),
            Value::Text(text) => {
                write_length(text.len(), &[(31, 0xa0), (0xff, 0xd9), (0xffff, 0xda)], 0xdb, out);
                out.extend(text.as_bytes());
            }
            Value::Array(items) => {
                write_length(items.len(), &[(15, 0x90), (0xffff, 0xdc)], 0xdd, out);
                items.iter().for_each(|item| item.write(out));
            }
            Value::Map(entries) => {
                write_length(entries.len(), &[(15, 0x80), (0xffff, 0xde)], 0xdf, out);
                for (key, value) in entries {
                    key.write(out);
                    value.write(out);
                }
            }
        }
    }
}

fn take<'a>(rest: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (head, tail) = rest.split_at_checked(count)?;
    *rest = tail;
    Some(head)
}

fn big_endian(rest: &mut &[u8], bytes: usize) -> Option<u64> {
    Some(take(rest, bytes)?.iter().fold(0, |value, byte| (value << 8) | u64::from(*byte)))
}

fn read_value(rest: &mut &[u8], depth: usize) -> Option<Value> {
    let depth = depth.checked_sub(1)?;
    let tag = *take(rest, 1)?.first()?;
    let sized = |rest: &mut &[u8], bytes| big_endian(rest, bytes).and_then(|size| usize::try_from(size).ok());
    Some(match tag {
        0x00..=0x7f => Value::Unsigned(u64::from(tag)),
        0x80..=0x8f => read_map(rest, usize::from(tag & 15), depth)?,
        0x90..=0x9f => read_array(rest, usize::from(tag & 15), depth)?,
        0xa0..=0xbf => read_text(rest, usize::from(tag & 31))?,
        0xc0 => Value::Nil,
        0xc2 | 0xc3 => Value::Bool(tag == 0xc3),
        0xcc..=0xcf => Value::Unsigned(big_endian(rest, 1 << (tag - 0xcc))?),
        0xd0 => Value::Signed(i64::from(big_endian(rest, 1)? as u8 as i8)),
        0xd1 => Value::Signed(i64::from(big_endian(rest, 2)? as u16 as i16)),
        0xd2 => Value::Signed(i64::from(big_endian(rest, 4)? as u32 as i32)),
        0xd3 => Value::Signed(big_endian(rest, 8)? as i64),
        0xd9..=0xdb => {
            let size = sized(rest, 1 << (tag - 0xd9))?;
            read_text(rest, size)?
        }
        0xdc | 0xdd => {
            let size = sized(rest, 2 << (tag - 0xdc))?;
            read_array(rest, size, depth)?
        }
        0xde | 0xdf => {
            let size = sized(rest, 2 << (tag - 0xde))?;
            read_map(rest, size, depth)?
        }
        0xe0..=0xff => Value::Signed(i64::from(tag as i8)),
        _ => return None,
    })
}

fn read_text(rest: &mut &[u8], size: usize) -> Option<Value> {
    Some(Value::Text(String::from_utf8(take(rest, size)?.to_vec()).ok()?))
}

fn read_array(rest: &mut &[u8], size: usize, depth: usize) -> Option<Value> {
    (0..size).map(|_| read_value(rest, depth)).collect::<Option<Vec<_>>>().map(Value::Array)
}

fn read_map(rest: &mut &[u8], size: usize, depth: usize) -> Option<Value> {
    (0..size)
        .map(|_| Some((read_value(rest, depth)?, read_value(rest, depth)?)))
        .collect::<Option<Vec<_>>>()
        .map(Value::Map)
}

/// Writes a length: the first form whose limit holds it; a limit below 32 shares its byte with the tag.
fn write_length(length: usize, forms: &[(usize, u8)], largest: u8, out: &mut Vec<u8>) {
    for (limit, tag) in forms {
        if length <= *limit {
            match *limit {
                0..=31 => out.push(tag | (length as u8)),
                0xff => out.extend([*tag, length as u8]),
                _ => {
                    out.push(*tag);
                    out.extend((length as u16).to_be_bytes());
                }
            }
            return;
        }
    }
    out.push(largest);
    out.extend((length as u32).to_be_bytes());
}

fn write_unsigned(number: u64, out: &mut Vec<u8>) {
    match number {
        0..=0x7f => out.push(number as u8),
        0x80..=0xff => out.extend([0xcc, number as u8]),
        0x100..=0xffff => {
            out.push(0xcd);
            out.extend((number as u16).to_be_bytes());
        }
        0x1_0000..=0xffff_ffff => {
            out.push(0xce);
            out.extend((number as u32).to_be_bytes());
        }
        _ => {
            out.push(0xcf);
            out.extend(number.to_be_bytes());
        }
    }
}

fn write_signed(number: i64, out: &mut Vec<u8>) {
    match number {
        0.. => write_unsigned(number as u64, out),
        -32..=-1 => out.push(number as i8 as u8),
        _ => {
            out.push(0xd3);
            out.extend(number.to_be_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_every_form_read_back() {
        let long = "x".repeat(300);
        let numbers =
            [0, 127, 128, 255, 256, 65535, 65536, u64::from(u32::MAX), u64::MAX].map(Value::Unsigned).to_vec();
        let value = Value::Map(vec![
            (Value::Text("numbers".into()), Value::Array(numbers)),
            (
                Value::Text("negative".into()),
                Value::Array(vec![Value::Signed(-1), Value::Signed(-33), Value::Signed(i64::MIN)]),
            ),
            (Value::Text("long".into()), Value::Text(long)),
            (Value::Text("flags".into()), Value::Array(vec![Value::Nil, Value::Bool(true), Value::Bool(false)])),
            (Value::Text("many".into()), Value::Array(vec![Value::Unsigned(1); 20])),
        ]);
        let mut bytes = Vec::new();
        value.write(&mut bytes);
        assert_eq!(Value::read(&bytes), Some(value));
        for cut in 0..bytes.len() {
            assert_eq!(Value::read(&bytes[..cut]), None);
        }
        assert_eq!(Value::read(&[0x91; 100]), None);
    }
}
