//! GGUF: writing a header. Data follows it, each tensor at its place, from the same alignment on.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::blocks::Kind;
use crate::gguf::{ALIGNMENT, ALIGNMENT_KEY, MAGIC, Value, types};

/// The version that is written.
const VERSION: u32 = 3;

/// A tensor of a new file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewTensor {
    pub name: String,
    pub kind: &'static Kind,
    /// Sizes in elements, outermost first.
    pub shape: Vec<u64>,
}

impl NewTensor {
    /// Bytes of its data.
    pub fn bytes(&self) -> u64 {
        self.shape.iter().product::<u64>() / self.kind.elements * self.kind.bytes
    }
}

/// The beginning of a file.
pub struct Header {
    /// With what fills it up to the first tensor.
    pub bytes: Vec<u8>,
    /// Where each tensor lies in the file.
    pub places: Vec<Range<u64>>,
}

/// The header of a file with these keys and tensors. Numbers get the narrowest of the types that readers ask for.
pub fn header(values: &BTreeMap<String, Value>, tensors: &[NewTensor]) -> Header {
    let values: Vec<(&String, &Value)> = values.iter().filter(|(key, _)| *key != ALIGNMENT_KEY).collect();
    let mut bytes = MAGIC.to_vec();
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend((tensors.len() as u64).to_le_bytes());
    bytes.extend((values.len() as u64).to_le_bytes());
    for (key, value) in values {
        put_text(&mut bytes, key);
        put_value(&mut bytes, value);
    }
    let mut at = 0u64;
    let mut places = Vec::new();
    for tensor in tensors {
        put_text(&mut bytes, &tensor.name);
        bytes.extend((tensor.shape.len() as u32).to_le_bytes());
        bytes.extend(tensor.shape.iter().rev().flat_map(|size| size.to_le_bytes()));
        bytes.extend(tensor.kind.code.to_le_bytes());
        bytes.extend(at.to_le_bytes());
        places.push(at..at + tensor.bytes());
        at = (at + tensor.bytes()).next_multiple_of(ALIGNMENT);
    }
    bytes.resize(bytes.len().next_multiple_of(ALIGNMENT as usize), 0);
    let data_at = bytes.len() as u64;
    let places = places.into_iter().map(|place| data_at + place.start..data_at + place.end).collect();
    Header { bytes, places }
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    out.extend((text.len() as u64).to_le_bytes());
    out.extend(text.as_bytes());
}

/// A list: what it is of, how many there are, and each of them.
fn put_list<T>(out: &mut Vec<u8>, ty: u32, list: &[T], put: impl Fn(&mut Vec<u8>, &T)) {
    out.extend(types::ARRAY.to_le_bytes());
    out.extend(ty.to_le_bytes());
    out.extend((list.len() as u64).to_le_bytes());
    list.iter().for_each(|value| put(out, value));
}

fn put_value(out: &mut Vec<u8>, value: &Value) {
    let mut put = |ty: u32, bytes: &[u8]| {
        out.extend(ty.to_le_bytes());
        out.extend(bytes);
    };
    match value {
        Value::Unsigned(number) => match u32::try_from(*number) {
            Ok(number) => put(types::U32, &number.to_le_bytes()),
            Err(_) => put(types::U64, &number.to_le_bytes()),
        },
        Value::Signed(number) => match i32::try_from(*number) {
            Ok(number) => put(types::I32, &number.to_le_bytes()),
            Err(_) => put(types::I64, &number.to_le_bytes()),
        },
        Value::Float(number) if f64::from(*number as f32) == *number => {
            put(types::F32, &(*number as f32).to_le_bytes());
        }
        Value::Float(number) => put(types::F64, &number.to_le_bytes()),
        Value::Bool(value) => put(types::BOOL, &[u8::from(*value)]),
        Value::String(text) => {
            put(types::STRING, &[]);
            put_text(out, text);
        }
        Value::Integers(list) if list.iter().all(|&number| i32::try_from(number).is_ok()) => {
            put_list(out, types::I32, list, |out, &number| out.extend((number as i32).to_le_bytes()));
        }
        Value::Integers(list) => put_list(out, types::I64, list, |out, number| out.extend(number.to_le_bytes())),
        Value::Floats(list) => put_list(out, types::F32, list, |out, number| out.extend(number.to_le_bytes())),
        Value::Bools(list) => put_list(out, types::BOOL, list, |out, &value| out.push(u8::from(value))),
        Value::Strings(list) => put_list(out, types::STRING, list, |out, text| put_text(out, text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gguf::Gguf;

    #[test]
    fn what_is_written_is_read() {
        let values = [
            ("a.count", Value::Unsigned(7)),
            ("a.large", Value::Unsigned(1 << 40)),
            ("a.less", Value::Signed(-3)),
            ("a.float", Value::Float(0.5)),
            ("a.third", Value::Float(1.0 / 3.0)),
            ("a.yes", Value::Bool(true)),
            ("a.text", Value::String("é".into())),
            ("b.integers", Value::Integers(vec![1, -2])),
            ("b.large", Value::Integers(vec![1 << 40])),
            ("b.floats", Value::Floats(vec![1.5, -0.25])),
            ("b.bools", Value::Bools(vec![true, false])),
            ("b.texts", Value::Strings(vec!["x".into(), String::new()])),
        ];
        let values: BTreeMap<String, Value> = values.into_iter().map(|(key, value)| (key.into(), value)).collect();
        let tensor = |name: &str, code, shape: &[u64]| NewTensor {
            name: name.into(),
            kind: Kind::of_code(code).unwrap(),
            shape: shape.to_vec(),
        };
        let tensors = [tensor("x", 0, &[3]), tensor("y", 2, &[2, 64]), tensor("z", 30, &[1, 5])];
        let header = header(&values, &tensors);
        let end = header.places.last().unwrap().end;
        let mut file = header.bytes;
        file.resize(end as usize, 0);
        let read = Gguf::read(&mut &file[..], end).unwrap();
        assert_eq!(read.values, values);
        for ((entry, tensor), place) in read.entries.iter().zip(&tensors).zip(&header.places) {
            assert_eq!((&entry.name, entry.kind, &entry.shape), (&tensor.name, tensor.kind, &tensor.shape));
            assert_eq!(&entry.range, place);
        }
    }
}
