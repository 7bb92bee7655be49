//! Types of values, and how many registers a value takes: one a scalar, vectors and structs one a member.
//!
//! Input: type text. Limits: no functions, no tokens; arrays only as what pointers step over.
//!
//! Worked example: `!llvm.struct<(vector<2xf16>, i32)>` takes 3 registers: f16, f16, i32.

use crate::errors::{EmulateError, Result};
use crate::text::{balanced, split_list};

/// What a register holds. Bits above the width are zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    Int(u8),
    F16,
    Bf16,
    F32,
    F64,
    Ptr(u8),
}

impl Scalar {
    pub fn bits(self) -> u32 {
        match self {
            Scalar::Int(bits) => u32::from(bits),
            Scalar::F16 | Scalar::Bf16 => 16,
            Scalar::F32 => 32,
            Scalar::F64 | Scalar::Ptr(_) => 64,
        }
    }

    /// Bytes in memory.
    pub fn bytes(self) -> u32 {
        self.bits().div_ceil(8)
    }

    pub fn is_float(self) -> bool {
        matches!(self, Scalar::F16 | Scalar::Bf16 | Scalar::F32 | Scalar::F64)
    }

    /// All bits of the width.
    pub fn mask(self) -> u64 {
        if self.bits() == 64 { u64::MAX } else { (1 << self.bits()) - 1 }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    Scalar(Scalar),
    Vector(u32, Scalar),
    Struct(Vec<Type>),
    Array(u64, Box<Type>),
}

impl Type {
    /// Registers of a value.
    pub fn slots(&self) -> u32 {
        match self {
            Type::Scalar(_) => 1,
            Type::Vector(n, _) => *n,
            Type::Struct(members) => members.iter().map(Type::slots).sum(),
            Type::Array(n, of) => *n as u32 * of.slots(),
        }
    }

    /// Element of a scalar or vector.
    pub fn element(&self) -> Option<Scalar> {
        match self {
            Type::Scalar(s) | Type::Vector(_, s) => Some(*s),
            _ => None,
        }
    }

    /// Bytes in memory.
    pub fn bytes(&self) -> u64 {
        match self {
            Type::Scalar(s) => u64::from(s.bytes()),
            Type::Vector(n, s) => u64::from(n * s.bits()).div_ceil(8),
            Type::Struct(members) => members.iter().map(Type::bytes).sum(),
            Type::Array(n, of) => n * of.bytes(),
        }
    }

    /// Scalar of every register.
    pub fn scalars(&self) -> Vec<Scalar> {
        match self {
            Type::Scalar(s) => vec![*s],
            Type::Vector(n, s) => vec![*s; *n as usize],
            Type::Struct(members) => members.iter().flat_map(Type::scalars).collect(),
            Type::Array(n, of) => (0..*n).flat_map(|_| of.scalars()).collect(),
        }
    }
}

fn bad(text: &str) -> EmulateError {
    EmulateError::Text { line: 0, text: text.to_string(), why: "a type that is not modelled".into() }
}

fn scalar(text: &str) -> Option<Scalar> {
    Some(match text {
        "f16" => Scalar::F16,
        "bf16" => Scalar::Bf16,
        "f32" => Scalar::F32,
        "f64" => Scalar::F64,
        "index" => Scalar::Int(64),
        "!llvm.ptr" => Scalar::Ptr(0),
        _ => {
            if let Some(space) = text.strip_prefix("!llvm.ptr<") {
                return space.strip_suffix('>')?.parse().ok().map(Scalar::Ptr);
            }
            let bits: u8 = text.strip_prefix('i')?.parse().ok()?;
            return (1..=64).contains(&bits).then_some(Scalar::Int(bits));
        }
    })
}

/// A type from its text.
pub fn parse(text: &str) -> Result<Type> {
    let text = text.trim();
    if let Some(s) = scalar(text) {
        return Ok(Type::Scalar(s));
    }
    if let Some(inner) = text.strip_prefix("vector<").and_then(|t| t.strip_suffix('>')) {
        let (count, of) = inner.split_once('x').ok_or_else(|| bad(text))?;
        return match (count.trim().parse(), scalar(of.trim())) {
            (Ok(count), Some(of)) => Ok(Type::Vector(count, of)),
            _ => Err(bad(text)),
        };
    }
    if let Some(inner) = text.strip_prefix("!llvm.struct<(").and_then(|t| t.strip_suffix(")>")) {
        return split_list(inner).into_iter().map(parse).collect::<Result<_>>().map(Type::Struct);
    }
    if let Some(inner) = text.strip_prefix("!llvm.array<").and_then(|t| t.strip_suffix('>')) {
        let (count, of) = inner.split_once(" x ").ok_or_else(|| bad(text))?;
        let count = count.trim().parse().map_err(|_| bad(text))?;
        return Ok(Type::Array(count, Box::new(parse(of)?)));
    }
    if text == "()" {
        return Ok(Type::Struct(Vec::new()));
    }
    Err(bad(text))
}

/// Types of a list, with or without the parentheses.
pub fn parse_list(text: &str) -> Result<Vec<Type>> {
    let text = text.trim();
    let whole = text.starts_with('(') && balanced(&text[1..], &[]) + 2 == text.len();
    let text = if whole { &text[1..text.len() - 1] } else { text };
    split_list(text).into_iter().map(parse).collect()
}

/// What stands before and after the outermost arrow.
pub fn arrow(signature: &str) -> (&str, Option<&str>) {
    let mut depth = 0;
    let bytes = signature.as_bytes();
    for at in 0..bytes.len() {
        match bytes[at] {
            b'(' | b'<' | b'[' => depth += 1,
            b'-' if depth == 0 && bytes.get(at + 1) == Some(&b'>') => {
                return (signature[..at].trim(), Some(signature[at + 2..].trim()));
            }
            b'>' if at > 0 && bytes[at - 1] == b'-' => {}
            b')' | b'>' | b']' => depth -= 1,
            _ => {}
        }
    }
    (signature.trim(), None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_registers() {
        let ty = parse("!llvm.struct<(vector<2xf16>, i32)>").unwrap();
        assert_eq!(ty.scalars(), [Scalar::F16, Scalar::F16, Scalar::Int(32)]);
        assert_eq!(ty.slots(), 3);
        assert_eq!(parse_list("(i32, !llvm.ptr<3>)").unwrap().len(), 2);
        assert_eq!(parse_list("i32, f32").unwrap().len(), 2);
        assert!(parse("tensor<4xf32>").is_err());
        assert_eq!(arrow("(i32) -> f32, i8"), ("(i32)", Some("f32, i8")));
    }
}
