//! Attributes and types as the tables hold them, between their encoding and their text.

use std::fmt::Write;
use std::rc::Rc;

/// An attribute of an op or dictionary: its name and its number.
pub type Numbered<'a> = (&'a str, usize);

/// A type: its text, and its parts where other decoding needs them.
#[derive(Clone, Debug)]
pub struct Ty {
    pub text: Rc<str>,
    /// Sizes (negative: not known) and text of the element type, of a ranked tensor.
    pub tensor: Option<(Rc<[i64]>, Rc<str>)>,
    /// VHLO's marker of an absent attribute.
    pub none: bool,
}

impl Ty {
    pub fn of(text: impl Into<Rc<str>>) -> Ty {
        Ty { text: text.into(), tensor: None, none: false }
    }

    pub fn ranked(shape: &[i64], element: &str, encoding: Option<&str>) -> Ty {
        let mut text = String::from("tensor<");
        for &size in shape {
            if size < 0 { text.push_str("?x") } else { _ = write!(text, "{size}x") }
        }
        text.push_str(element);
        if let Some(encoding) = encoding {
            _ = write!(text, ", {encoding}");
        }
        text.push('>');
        Ty { text: text.into(), tensor: Some((shape.into(), element.into())), none: false }
    }
}

/// An attribute.
#[derive(Clone, Debug)]
pub enum Value<'a> {
    /// Anything whose parts nobody asks for.
    Text(String),
    Str(&'a str),
    Symbol(&'a str),
    Bool(bool),
    Int(i128, Rc<str>),
    Unit,
    Type(Ty),
    /// Elements by their numbers.
    Array(Vec<usize>),
    Dict(Vec<Numbered<'a>>),
    Dense(Ty, &'a [u8]),
    /// Inside of `loc(…)`.
    Location(String),
}

/// `"…"` with escapes.
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\22"),
            '\\' => out.push_str("\\\\"),
            c if (c as u32) < 32 || c as u32 == 127 => _ = write!(out, "\\{:02X}", c as u32),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// `@name` or `@"any name"`
pub fn symbol(name: &str) -> String {
    let plain = name.bytes().enumerate().all(|(at, b)| {
        b == b'_' || b.is_ascii_alphabetic() || at > 0 && (b.is_ascii_digit() || b == b'$' || b == b'.')
    });
    if plain && !name.is_empty() { format!("@{name}") } else { format!("@{}", quoted(name)) }
}

/// Integers of a dense attribute of 32-bit or 64-bit elements, a splat repeated.
pub fn integers(ty: &Ty, data: &[u8]) -> Option<Vec<i64>> {
    const MAX_ELEMENTS: i64 = 1 << 16;
    let (shape, element) = ty.tensor.as_ref()?;
    let count =
        shape.iter().try_fold(1i64, |n, &s| n.checked_mul(s)).filter(|n| (0..=MAX_ELEMENTS).contains(n))? as usize;
    let width = match &**element {
        "i64" | "ui64" | "index" => 8,
        "i32" | "ui32" => 4,
        _ => return None,
    };
    let one = |chunk: &[u8]| {
        let mut wide = [if chunk.last().is_some_and(|b| b & 0x80 != 0) { 0xff } else { 0 }; 8];
        wide[..width].copy_from_slice(chunk);
        i64::from_le_bytes(wide)
    };
    let values: Vec<i64> = data.chunks_exact(width).map(one).collect();
    match values.as_slice() {
        [splat] => Some(vec![*splat; count]),
        all if all.len() == count => Some(values),
        _ => None,
    }
}
