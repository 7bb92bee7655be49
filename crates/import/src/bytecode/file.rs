//! The sections of a bytecode file: strings, dialects and ops, the places of attributes and types, properties,
//! resources, the ops.
//!
//! Format: MLIR's BytecodeFormat page, versions 0 to 6. Nothing is decoded here but tables; entries are decoded when
//! they are used.

use super::cursor::{Cursor, Result};

/// An attribute or type, not decoded yet.
#[derive(Clone, Copy)]
pub struct Entry<'a> {
    pub dialect: usize,
    /// In the dialect's own encoding; else text that ends in a zero.
    pub custom: bool,
    pub data: Cursor<'a>,
}

pub struct OpName<'a> {
    pub dialect: usize,
    pub name: &'a str,
}

pub struct File<'a> {
    pub version: u64,
    pub strings: Vec<&'a str>,
    pub dialects: Vec<&'a str>,
    pub ops: Vec<OpName<'a>>,
    pub attributes: Vec<Entry<'a>>,
    pub types: Vec<Entry<'a>>,
    pub properties: Vec<Cursor<'a>>,
    /// (key, bytes) of blobs.
    pub resources: Vec<(&'a str, &'a [u8])>,
    pub ir: Cursor<'a>,
}

const SECTIONS: [&str; 9] = [
    "strings",
    "dialects",
    "attributes and types",
    "offsets of attributes and types",
    "ops",
    "resources",
    "offsets of resources",
    "versions of dialects",
    "properties",
];
const LAST_VERSION: u64 = 6;

impl<'a> File<'a> {
    pub fn read(bytes: &'a [u8], file_name: &'a str) -> Result<File<'a>> {
        let mut cursor = Cursor::new(bytes, file_name);
        cursor.take(4)?;
        let version = cursor.varint()?;
        if version > LAST_VERSION {
            return Err(
                cursor.unsupported(format!("bytecode of version {version}; versions to {LAST_VERSION} are read"))
            );
        }
        // The producer (`StableHLO_v1.15.0`) says nothing that the version and the ops do not.
        cursor.until_zero()?;
        let mut sections: [Option<Cursor<'a>>; 9] = [None; 9];
        while !cursor.at_end() {
            let (id, body) = cursor.section()?;
            match sections.get_mut(usize::from(id)) {
                Some(slot @ None) => *slot = Some(body),
                Some(Some(_)) => return Err(cursor.error(format!("a second section of {}", SECTIONS[usize::from(id)]))),
                None => return Err(cursor.unsupported(format!("section {id}"))),
            }
        }
        let wanted = |id: usize| {
            sections[id]
                .ok_or_else(|| Cursor::new(&[], file_name).error(format!("there is no section of {}", SECTIONS[id])))
        };
        let strings = read_strings(wanted(0)?)?;
        let (dialects, ops) = read_dialects(wanted(1)?, version, &strings)?;
        let (attributes, types) = read_entries(wanted(3)?, wanted(2)?, dialects.len())?;
        let properties = sections[8].map_or(Ok(Vec::new()), read_properties)?;
        let resources = match (sections[5], sections[6]) {
            (Some(data), Some(offsets)) => read_resources(data, offsets, &strings)?,
            _ => Vec::new(),
        };
        Ok(File { version, strings, dialects, ops, attributes, types, properties, resources, ir: wanted(4)? })
    }

    pub fn string(&self, cursor: &mut Cursor<'a>) -> Result<&'a str> {
        let at = cursor.index()?;
        self.strings.get(at).copied().ok_or_else(|| cursor.error(format!("there is no string {at}")))
    }
}

fn text<'a>(cursor: &Cursor<'a>, bytes: &'a [u8]) -> Result<&'a str> {
    std::str::from_utf8(bytes).map_err(|_| cursor.error("a string is not UTF-8"))
}

/// Lengths (with the closing zero) in reverse order, then the strings in order.
fn read_strings(mut cursor: Cursor<'_>) -> Result<Vec<&str>> {
    let count = cursor.count()?;
    let mut lengths = (0..count).map(|_| cursor.index()).collect::<Result<Vec<_>>>()?;
    lengths.reverse();
    lengths
        .into_iter()
        .map(|length| {
            let bytes = cursor.take(length)?;
            match bytes.split_last() {
                Some((0, bytes)) => text(&cursor, bytes),
                _ => Err(cursor.error("a string does not end in a zero")),
            }
        })
        .collect()
}

type Dialects<'a> = (Vec<&'a str>, Vec<OpName<'a>>);

fn read_dialects<'a>(mut cursor: Cursor<'a>, version: u64, strings: &[&'a str]) -> Result<Dialects<'a>> {
    let name = |cursor: &Cursor<'a>, at: usize| {
        strings.get(at).copied().ok_or_else(|| cursor.error(format!("there is no string {at}")))
    };
    let mut dialects = Vec::new();
    for _ in 0..cursor.count()? {
        let (at, versioned) = if version == 0 { (cursor.index()?, false) } else { cursor.flagged()? };
        dialects.push(name(&cursor, at)?);
        if versioned {
            cursor.section()?;
        }
    }
    if version >= 4 {
        cursor.index()?;
    }
    let mut ops = Vec::new();
    while !cursor.at_end() {
        let dialect = cursor.index()?;
        for _ in 0..cursor.count()? {
            let at = if version < 5 { cursor.index()? } else { cursor.flagged()?.0 };
            ops.push(OpName { dialect, name: name(&cursor, at)? });
        }
        if dialect >= dialects.len() {
            return Err(cursor.error(format!("there is no dialect {dialect}")));
        }
    }
    Ok((dialects, ops))
}

type Entries<'a> = (Vec<Entry<'a>>, Vec<Entry<'a>>);

fn read_entries<'a>(mut offsets: Cursor<'a>, mut data: Cursor<'a>, dialects: usize) -> Result<Entries<'a>> {
    let (attributes, types) = (offsets.index()?, offsets.index()?);
    let mut entries = Vec::new();
    while !offsets.at_end() {
        let dialect = offsets.index()?;
        if dialect >= dialects {
            return Err(offsets.error(format!("there is no dialect {dialect}")));
        }
        for _ in 0..offsets.count()? {
            let (size, custom) = offsets.flagged()?;
            entries.push(Entry { dialect, custom, data: data.part(size)? });
        }
    }
    if attributes.checked_add(types) != Some(entries.len()) {
        let message = format!("{attributes} attributes and {types} types are announced, {} are there", entries.len());
        return Err(offsets.error(message));
    }
    let types = entries.split_off(attributes);
    Ok((entries, types))
}

fn read_properties(mut cursor: Cursor<'_>) -> Result<Vec<Cursor<'_>>> {
    (0..cursor.count()?)
        .map(|_| {
            let size = cursor.index()?;
            cursor.part(size)
        })
        .collect()
}

/// Blobs only; other kinds of resources say nothing about the program.
fn read_resources<'a>(
    mut data: Cursor<'a>,
    mut offsets: Cursor<'a>,
    strings: &[&'a str],
) -> Result<Vec<(&'a str, &'a [u8])>> {
    const BLOB: u8 = 0;
    offsets.index()?;
    let mut resources = Vec::new();
    while !offsets.at_end() {
        offsets.index()?;
        for _ in 0..offsets.count()? {
            let key = offsets.index()?;
            let size = offsets.index()?;
            let kind = offsets.byte()?;
            let mut entry = data.part(size)?;
            if kind != BLOB {
                continue;
            }
            let key = *strings.get(key).ok_or_else(|| offsets.error(format!("there is no string {key}")))?;
            let (alignment, length) = (entry.index()?, entry.index()?);
            let Some(padding) = entry.left().checked_sub(length).filter(|_| alignment > 0) else {
                return Err(entry.error(format!("a resource of {length} bytes does not fit its entry")));
            };
            entry.take(padding)?;
            resources.push((key, entry.take(length)?));
        }
    }
    Ok(resources)
}
