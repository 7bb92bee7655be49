//! Attributes and types by number: decoded when first asked for, kept, and written as text.

use std::cell::{Cell, RefCell};
use std::fmt::Write;
use std::rc::Rc;

use super::cursor::{Cursor, Result};
use super::file::{Entry, File};
use super::value::{Ty, Value, quoted, symbol};
use super::{builtin, hlo, shardy, vhlo};

/// Attributes and types within each other.
const MAX_DEPTH: u32 = 100;

/// Characters of a type: tuples that name each other double their text every time.
const MAX_TYPE: usize = 1 << 20;

/// What has become of an entry.
enum Slot<T> {
    Waiting,
    /// Being decoded: to meet it again is a cycle.
    Busy,
    Done(T),
}

pub struct Tables<'a> {
    pub file: &'a File<'a>,
    attributes: RefCell<Vec<Slot<Rc<Value<'a>>>>>,
    types: RefCell<Vec<Slot<Ty>>>,
    depth: Cell<u32>,
    /// Characters of text that may still be made of attributes: nested lists could name each other many times over.
    budget: Cell<usize>,
}

impl<'a> Tables<'a> {
    pub fn new(file: &'a File<'a>, budget: usize) -> Tables<'a> {
        let slots = |count| (0..count).map(|_| Slot::Waiting).collect();
        Tables {
            file,
            attributes: RefCell::new(slots(file.attributes.len())),
            types: RefCell::new((0..file.types.len()).map(|_| Slot::Waiting).collect()),
            depth: Cell::new(0),
            budget: Cell::new(budget),
        }
    }

    pub fn ty(&self, at: usize, from: &Cursor<'a>) -> Result<Ty> {
        look_up(&self.types, at, from, "type", || {
            let entry = self.file.types.get(at).ok_or_else(|| from.error(format!("there is no type {at}")))?;
            let ty = self.nested(from, || self.decode_type(entry))?;
            if ty.text.len() > MAX_TYPE {
                return Err(from.unsupported(format!("a type of more than {MAX_TYPE} characters")));
            }
            Ok(ty)
        })
    }

    pub fn attribute(&self, at: usize, from: &Cursor<'a>) -> Result<Rc<Value<'a>>> {
        look_up(&self.attributes, at, from, "attribute", || {
            let entry =
                self.file.attributes.get(at).ok_or_else(|| from.error(format!("there is no attribute {at}")))?;
            self.nested(from, || self.decode_attribute(entry).map(Rc::new))
        })
    }

    fn nested<T>(&self, from: &Cursor<'a>, work: impl FnOnce() -> Result<T>) -> Result<T> {
        if self.depth.get() >= MAX_DEPTH {
            return Err(from.error(format!("more than {MAX_DEPTH} attributes or types within each other")));
        }
        self.depth.set(self.depth.get() + 1);
        let result = work();
        self.depth.set(self.depth.get() - 1);
        result
    }

    /// The next number of the cursor, as a type.
    pub fn next_type(&self, cursor: &mut Cursor<'a>) -> Result<Ty> {
        let at = cursor.index()?;
        self.ty(at, cursor)
    }

    pub fn next_attribute(&self, cursor: &mut Cursor<'a>) -> Result<Rc<Value<'a>>> {
        let at = cursor.index()?;
        self.attribute(at, cursor)
    }

    /// The next number as an attribute that must be a string.
    pub fn next_string(&self, cursor: &mut Cursor<'a>) -> Result<&'a str> {
        match &*self.next_attribute(cursor)? {
            Value::Str(text) | Value::Symbol(text) => Ok(text),
            _ => Err(cursor.error("a string is wanted")),
        }
    }

    fn decode_type(&self, entry: &Entry<'a>) -> Result<Ty> {
        let mut cursor = entry.data;
        if !entry.custom {
            return Ok(Ty::of(assembly(&mut cursor)?));
        }
        match self.dialect(entry.dialect) {
            "builtin" => builtin::ty(self, &mut cursor),
            "vhlo" => vhlo::ty(self, &mut cursor),
            "stablehlo" => hlo::ty(self, &mut cursor),
            "quant" => super::quant::ty(self, &mut cursor),
            other => Err(cursor.unsupported(format!("a type of dialect `{other}` in an encoding of its own"))),
        }
    }

    fn decode_attribute(&self, entry: &Entry<'a>) -> Result<Value<'a>> {
        let mut cursor = entry.data;
        if !entry.custom {
            return Ok(Value::Text(assembly(&mut cursor)?.to_string()));
        }
        match self.dialect(entry.dialect) {
            "builtin" => builtin::attribute(self, &mut cursor),
            "vhlo" => vhlo::attribute(self, &mut cursor),
            "stablehlo" => hlo::attribute(self, &mut cursor),
            "chlo" => hlo::chlo_attribute(&mut cursor),
            "sdy" => shardy::attribute(self, &mut cursor),
            other => Err(cursor.unsupported(format!("an attribute of dialect `{other}` in an encoding of its own"))),
        }
    }

    pub fn dialect(&self, at: usize) -> &'a str {
        self.file.dialects.get(at).copied().unwrap_or("?")
    }

    /// The text of attribute `at`.
    pub fn text(&self, at: usize, from: &Cursor<'a>) -> Result<String> {
        let value = self.attribute(at, from)?;
        self.nested(from, || self.render(&value, from))
    }

    pub fn render(&self, value: &Value<'a>, from: &Cursor<'a>) -> Result<String> {
        let text = match value {
            Value::Text(text) => text.clone(),
            Value::Str(text) => quoted(text),
            Value::Symbol(name) => symbol(name),
            Value::Bool(value) => value.to_string(),
            Value::Int(value, ty) => format!("{value} : {ty}"),
            Value::Unit => "unit".to_string(),
            Value::Type(ty) => ty.text.to_string(),
            Value::Location(text) => format!("loc({text})"),
            Value::Dense(ty, data) => dense(ty, data),
            Value::Array(items) => {
                let items = items.iter().map(|&at| self.text(at, from)).collect::<Result<Vec<_>>>()?;
                format!("[{}]", items.join(", "))
            }
            Value::Dict(items) => self.dictionary(items, from)?,
        };
        let left = self.budget.get().checked_sub(text.len());
        self.budget.set(left.ok_or_else(|| from.unsupported("attributes that name each other too many times"))?);
        Ok(text)
    }

    pub fn dictionary(&self, items: &[(&str, usize)], from: &Cursor<'a>) -> Result<String> {
        let items = items.iter().map(|&(name, at)| Ok(format!("{} = {}", quoted(name), self.text(at, from)?)));
        Ok(format!("{{{}}}", items.collect::<Result<Vec<_>>>()?.join(", ")))
    }
}

fn look_up<T: Clone>(
    slots: &RefCell<Vec<Slot<T>>>,
    at: usize,
    from: &Cursor<'_>,
    what: &str,
    decode: impl FnOnce() -> Result<T>,
) -> Result<T> {
    match slots.borrow_mut().get_mut(at) {
        Some(Slot::Done(value)) => return Ok(value.clone()),
        Some(Slot::Busy) => return Err(from.error(format!("{what} {at} is a part of itself"))),
        Some(slot) => *slot = Slot::Busy,
        None => return Err(from.error(format!("there is no {what} {at}"))),
    }
    let value = decode()?;
    if let Some(slot) = slots.borrow_mut().get_mut(at) {
        *slot = Slot::Done(value.clone());
    }
    Ok(value)
}

/// The text form of an entry, up to its zero.
fn assembly<'a>(cursor: &mut Cursor<'a>) -> Result<&'a str> {
    let bytes = cursor.until_zero()?;
    std::str::from_utf8(bytes).map_err(|_| cursor.error("an attribute's text is not UTF-8"))
}

/// `dense<"0x…"> : type`, the bytes as the file has them.
fn dense(ty: &Ty, data: &[u8]) -> String {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    let mut out = String::with_capacity(data.len() * 2 + ty.text.len() + 16);
    if data.is_empty() {
        _ = write!(out, "dense<> : {}", ty.text);
        return out;
    }
    out.push_str("dense<\"0x");
    for &byte in data {
        out.push(HEX[usize::from(byte >> 4)] as char);
        out.push(HEX[usize::from(byte & 15)] as char);
    }
    _ = write!(out, "\"> : {}", ty.text);
    out
}
