//! Attributes of ops, functions and modules.

use fornax_types::ElementType;

use crate::graph::ConstId;
use crate::types::{Dim, Type};

/// A named attribute list in source order; names are unique.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AttrMap(pub Vec<(String, Attr)>);

/// An attribute value.
#[derive(Clone, Debug, PartialEq)]
pub enum Attr {
    Unit,
    Bool(bool),
    /// `3 : i64`; the value is sign-extended, unsigned types are stored by value in i128.
    Int(i128, Type),
    /// `1.0 : f32`
    Float(f64, Type),
    String(String),
    /// `@f` or `@a::@b`
    Symbol(Vec<String>),
    Type(Type),
    Array(Vec<Attr>),
    Dict(AttrMap),
    /// `array<i64: 1, 2>`; `i1` as 0 and 1.
    DenseArray(ElementType, Vec<i64>),
    /// `#fornax.dims<2, b+1>`: a list of which some are sizes known at run time; `DenseArray` when none is.
    Dims(Vec<Dim>),
    /// `dense<…> : tensor<…>` or `dense_resource<…>`: the data is in the constant pool, which knows its type.
    Dense(ConstId),
    /// `#stablehlo<comparison_direction EQ>`, also the bare keyword of pretty forms: (mnemonic, value).
    Enum(String, String),
    /// `#stablehlo.dot<lhs_batching_dimensions = [0], …>`: (name with dialect, fields in source order).
    Struct(String, AttrMap),
    /// Any other attribute, kept as text.
    Opaque(String),
}

impl AttrMap {
    pub fn get(&self, name: &str) -> Option<&Attr> {
        self.0.iter().find(|(n, _)| n == name).map(|(_, a)| a)
    }

    /// Sets or replaces.
    pub fn set(&mut self, name: &str, value: Attr) {
        match self.0.iter_mut().find(|(n, _)| n == name) {
            Some(entry) => entry.1 = value,
            None => self.0.push((name.to_string(), value)),
        }
    }

    pub fn remove(&mut self, name: &str) -> Option<Attr> {
        let at = self.0.iter().position(|(n, _)| n == name)?;
        Some(self.0.remove(at).1)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn int(&self, name: &str) -> Option<i64> {
        self.get(name)?.as_int()
    }

    pub fn bool(&self, name: &str) -> Option<bool> {
        match self.get(name)? {
            Attr::Bool(b) => Some(*b),
            Attr::Unit => Some(true),
            Attr::Int(v, _) => Some(*v != 0),
            _ => None,
        }
    }

    pub fn str(&self, name: &str) -> Option<&str> {
        match self.get(name)? {
            Attr::String(s) => Some(s),
            _ => None,
        }
    }

    /// Value of an enum attribute (`"EQ"`).
    pub fn keyword(&self, name: &str) -> Option<&str> {
        match self.get(name)? {
            Attr::Enum(_, v) => Some(v),
            Attr::String(s) => Some(s),
            _ => None,
        }
    }

    /// `array<i64: …>`, `[1, 2]`. Dense i64 tensors of old forms are turned into `DenseArray` by the importer.
    pub fn ints(&self, name: &str) -> Option<Vec<i64>> {
        self.get(name)?.as_ints()
    }

    /// A list of sizes: of numbers, or with some that are known at run time.
    pub fn dims(&self, name: &str) -> Option<Vec<Dim>> {
        self.get(name)?.as_dims()
    }
}

impl Attr {
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Attr::Int(v, _) => i64::try_from(*v).ok(),
            _ => None,
        }
    }

    pub fn as_ints(&self) -> Option<Vec<i64>> {
        match self {
            Attr::DenseArray(_, v) => Some(v.clone()),
            Attr::Array(items) => items.iter().map(|a| a.as_int()).collect(),
            _ => None,
        }
    }

    pub(crate) fn as_dims(&self) -> Option<Vec<Dim>> {
        match self {
            Attr::Dims(dims) => Some(dims.clone()),
            other => Some(other.as_ints()?.into_iter().map(Dim::Static).collect()),
        }
    }

    /// A list of sizes, as plain numbers when all are known.
    pub fn of_dims(dims: &[Dim]) -> Attr {
        match dims.iter().map(|d| d.as_static()).collect::<Option<Vec<i64>>>() {
            Some(numbers) => Attr::DenseArray(ElementType::I64, numbers),
            None => Attr::Dims(dims.to_vec()),
        }
    }
}
