//! The ops of a bytecode file in MLIR's generic form.
//!
//! Values have numbers within their isolated region (a function, the body of a reduction); the regions within it number
//! on and give their numbers back at their end. Text gets names that are used once.

use std::fmt::Write;
use std::rc::Rc;

use super::cursor::{Cursor, Result};
use super::properties;
use super::shardy;
use super::tables::Tables;
use super::value::{Numbered, Value, quoted};
use super::versioned;

/// What of an op is there, by bit.
const ATTRIBUTES: u8 = 1;
const RESULTS: u8 = 2;
const OPERANDS: u8 = 4;
const SUCCESSORS: u8 = 8;
const REGIONS: u8 = 16;
const USE_LISTS: u8 = 32;
const PROPERTIES: u8 = 64;

/// Regions within each other.
const MAX_DEPTH: u32 = 200;

/// A value: the number of its name in the text, and its type.
#[derive(Clone)]
struct Named {
    name: usize,
    ty: Rc<str>,
}

pub struct Writer<'a, 't> {
    tables: &'t Tables<'a>,
    out: String,
    /// Characters the text may have.
    limit: usize,
    depth: u32,
    /// Of each isolated region around: its values by their numbers in it.
    scopes: Vec<Vec<Option<Named>>>,
    /// Names given so far: text has no numbers that begin again in a region.
    names: usize,
}

/// Writes all ops of the file.
pub fn write<'a>(tables: &Tables<'a>, limit: usize) -> Result<String> {
    let mut writer = Writer { tables, out: String::new(), limit, depth: 0, scopes: vec![Vec::new()], names: 0 };
    let mut cursor = tables.file.ir;
    writer.block(&mut cursor, 0, false, &mut 0)?;
    Ok(writer.out)
}

impl<'a> Writer<'a, '_> {
    /// Ops of a block. `next` is the number of the next value of the region.
    fn block(
        &mut self,
        cursor: &mut Cursor<'a>,
        region_blocks: usize,
        in_function: bool,
        next: &mut usize,
    ) -> Result<()> {
        let (ops, arguments) = cursor.flagged()?;
        if arguments {
            self.out.push_str("^bb0(");
            let count = cursor.count()?;
            for n in 0..count {
                let ty = self.block_argument(cursor)?;
                let name = self.define(ty.clone(), next, cursor)?;
                _ = write!(self.out, "{}{name}: {ty}", if n > 0 { ", " } else { "" });
            }
            self.out.push_str("):\n");
            if self.tables.file.version >= 3 && cursor.byte()? != 0 {
                skip_use_lists(cursor, count)?;
            }
        } else if region_blocks > 0 {
            self.out.push_str("^bb0:\n");
        }
        for _ in 0..ops {
            self.op(cursor, in_function, next)?;
        }
        Ok(())
    }

    /// Its type; the place of an argument says nothing the op's does not.
    fn block_argument(&mut self, cursor: &mut Cursor<'a>) -> Result<Rc<str>> {
        let ty = if self.tables.file.version >= 4 {
            let (ty, located) = cursor.flagged()?;
            if located {
                cursor.index()?;
            }
            ty
        } else {
            let ty = cursor.index()?;
            cursor.index()?;
            ty
        };
        Ok(self.tables.ty(ty, cursor)?.text)
    }

    fn define(&mut self, ty: Rc<str>, next: &mut usize, cursor: &Cursor<'a>) -> Result<String> {
        let types = self.scopes.last_mut().ok_or_else(|| cursor.error("a value outside of a region"))?;
        let Some(slot) = types.get_mut(*next) else {
            return Err(cursor.error("more values than the region announces"));
        };
        *slot = Some(Named { name: self.names, ty });
        *next += 1;
        self.names += 1;
        Ok(format!("%{}", self.names - 1))
    }

    /// Gives the next value of the region the name of another.
    fn again(&mut self, value: Named, next: &mut usize, cursor: &Cursor<'a>) -> Result<()> {
        let slot = self.scopes.last_mut().and_then(|values| values.get_mut(*next));
        *slot.ok_or_else(|| cursor.error("more values than the region announces"))? = Some(value);
        *next += 1;
        Ok(())
    }

    fn op(&mut self, cursor: &mut Cursor<'a>, in_function: bool, next: &mut usize) -> Result<()> {
        if self.out.len() > self.limit {
            return Err(cursor.unsupported("the ops as text are far larger than the file"));
        }
        let at = cursor.index()?;
        let Some(op) = self.tables.file.ops.get(at) else {
            return Err(cursor.error(format!("there is no op name {at}")));
        };
        let (dialect, short) = (self.tables.dialect(op.dialect), op.name);
        let name =
            if dialect == "vhlo" { versioned::full_name(short, in_function) } else { format!("{dialect}.{short}") };
        let mask = cursor.byte()?;

        let location = cursor.index()?;
        let mut attributes = Vec::new();
        if mask & ATTRIBUTES != 0 {
            attributes = self.dictionary(cursor)?;
        }
        if mask & PROPERTIES != 0 {
            let at = cursor.index()?;
            attributes.extend(self.properties(at, dialect, short, cursor)?);
        }
        let attributes = match dialect {
            "vhlo" => versioned::attributes(self.tables, short, &attributes, cursor)?,
            _ => {
                let text = |&(name, at): &Numbered<'a>| Ok((name.to_string(), self.tables.text(at, cursor)?));
                attributes.iter().map(text).collect::<Result<_>>()?
            }
        };
        let results = if mask & RESULTS != 0 { cursor.indices()? } else { Vec::new() };
        let result_types =
            results.iter().map(|&at| Ok(self.tables.ty(at, cursor)?.text)).collect::<Result<Vec<_>>>()?;
        let operands = if mask & OPERANDS != 0 { cursor.indices()? } else { Vec::new() };
        if mask & SUCCESSORS != 0 {
            return Err(cursor.unsupported(format!("`{name}` has successor blocks")));
        }
        if mask & USE_LISTS != 0 {
            skip_use_lists(cursor, results.len())?;
        }
        let operands = self.operands(&operands, cursor)?;
        if let Some(text) = (name == "sdy.mesh").then(|| shardy::mesh(&attributes)).flatten() {
            self.out.push_str(&text);
            return Ok(());
        }
        // Around the ops of other dialects, portable artifacts cast VHLO's types to builtin ones: equal once they are
        // text.
        if name == "builtin.unrealized_conversion_cast" && operands.iter().map(|v| &v.ty).eq(&result_types) {
            operands.into_iter().try_for_each(|value| self.again(value, next, cursor))?;
            return Ok(());
        }
        let names = result_types.iter().map(|ty| self.define(ty.clone(), next, cursor)).collect::<Result<Vec<_>>>()?;
        if !names.is_empty() {
            _ = write!(self.out, "{} = ", names.join(", "));
        }
        let uses: Vec<String> = operands.iter().map(|value| format!("%{}", value.name)).collect();
        _ = write!(self.out, "{}({})", quoted(&name), uses.join(", "));
        if mask & REGIONS != 0 {
            self.regions(cursor, &name)?;
        }
        if !attributes.is_empty() {
            let items: Vec<String> =
                attributes.iter().map(|(name, text)| format!("{} = {text}", quoted(name))).collect();
            _ = write!(self.out, " {{{}}}", items.join(", "));
        }
        let operand_types: Vec<&str> = operands.iter().map(|value| &*value.ty).collect();
        _ = write!(self.out, " : ({}) -> ({})", operand_types.join(", "), result_types.join(", "));
        if let Value::Location(text) = &*self.tables.attribute(location, cursor)?
            && text != "unknown"
        {
            _ = write!(self.out, " loc({text})");
        }
        self.out.push('\n');
        Ok(())
    }

    fn operands(&self, numbers: &[usize], cursor: &Cursor<'a>) -> Result<Vec<Named>> {
        let values = self.scopes.last().map_or(&[][..], Vec::as_slice);
        let known = |&at: &usize| match values.get(at) {
            Some(Some(value)) => Ok(value.clone()),
            _ => Err(cursor.error(format!("value {at} is used before it is defined"))),
        };
        numbers.iter().map(known).collect()
    }

    fn dictionary(&self, cursor: &mut Cursor<'a>) -> Result<Vec<Numbered<'a>>> {
        match &*self.tables.next_attribute(cursor)? {
            Value::Dict(items) => Ok(items.clone()),
            _ => Err(cursor.error("the attributes of an op are not a dictionary")),
        }
    }

    fn properties(&self, at: usize, dialect: &str, op: &str, cursor: &Cursor<'a>) -> Result<Vec<Numbered<'a>>> {
        let Some(&data) = self.tables.file.properties.get(at) else {
            return Err(cursor.error(format!("there are no properties {at}")));
        };
        if let Some(found) = properties::read(data, dialect, op) {
            return Ok(found);
        }
        // Ops that no definition is known of have one dictionary.
        let mut data = data;
        self.dictionary(&mut data)
            .map_err(|_| cursor.unsupported(format!("`{dialect}.{op}` has properties in an encoding of its own")))
    }

    fn regions(&mut self, cursor: &mut Cursor<'a>, op: &str) -> Result<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(cursor.unsupported(format!("more than {MAX_DEPTH} regions within each other")));
        }
        let (count, isolated) = cursor.flagged()?;
        self.out.push_str(" (");
        if isolated && self.tables.file.version >= 2 {
            let (_, mut bodies) = cursor.section()?;
            self.region_list(&mut bodies, op, count, true)?;
        } else {
            self.region_list(cursor, op, count, isolated)?;
        }
        self.out.push(')');
        self.depth -= 1;
        Ok(())
    }

    fn region_list(&mut self, cursor: &mut Cursor<'a>, op: &str, count: usize, isolated: bool) -> Result<()> {
        for n in 0..count {
            self.out.push_str(if n > 0 { ", {\n" } else { "{\n" });
            self.region(cursor, op, isolated)?;
            self.out.push('}');
        }
        Ok(())
    }

    /// An isolated region has a scope of its own; another one's values follow those of the region around.
    fn region(&mut self, cursor: &mut Cursor<'a>, op: &str, isolated: bool) -> Result<()> {
        let blocks = cursor.index()?;
        if blocks == 0 {
            return Ok(());
        }
        if blocks > 1 {
            return Err(cursor.unsupported(format!("a region of `{op}` has {blocks} blocks")));
        }
        let values = cursor.count()?;
        if isolated {
            self.scopes.push(Vec::new());
        }
        let Some(values_of) = self.scopes.last_mut() else { return Err(cursor.error("a region outside of a scope")) };
        let first = values_of.len();
        values_of.resize(first + values, None);
        self.block(cursor, 1, op == "func.func", &mut first.clone())?;
        if isolated {
            self.scopes.pop();
        } else if let Some(values_of) = self.scopes.last_mut() {
            values_of.truncate(first);
        }
        Ok(())
    }
}

/// Orders of uses mean nothing to a graph.
fn skip_use_lists(cursor: &mut Cursor<'_>, values: usize) -> Result<()> {
    let lists = if values > 1 { cursor.count()? } else { 1 };
    for _ in 0..lists {
        if values > 1 {
            cursor.index()?;
        }
        let (count, _) = cursor.flagged()?;
        for _ in 0..count {
            cursor.index()?;
        }
    }
    Ok(())
}
