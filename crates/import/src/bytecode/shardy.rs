//! Attributes of Shardy in their own encoding (shardy/dialect/sdy/ir/bytecode.td), as their text.
//!
//! Worked example: the sharding `<@mesh, [{"x"}, {}]>` is the code 6, the number of the attribute `@mesh`, a list of
//! two numbers of dimensions, and an empty list of replicated axes. The first dimension is the code 5, a list with the
//! number of the axis `"x"`, whether it is closed, and no priority.

use super::cursor::{Cursor, Result};
use super::tables::Tables;
use super::value::{Value, quoted};

/// Parts of other attributes are their text within `#sdy.part<…>`.
const PART: &str = "#sdy.part<";

/// Whatever else there is: nothing reads what it says.
fn opaque(mut bytes: Cursor<'_>) -> Result<String> {
    let bytes = bytes.take(bytes.left())?;
    let digits: String = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
    Ok(format!("#sdy.encoded<\"0x{digits}\">"))
}

pub fn attribute<'a>(tables: &Tables<'a>, cursor: &mut Cursor<'a>) -> Result<Value<'a>> {
    let all = *cursor;
    let text = match cursor.varint()? {
        0 => format!("#sdy<manual_axes{{{}}}>", list(tables, cursor, "")?),
        1 => {
            let name = string(tables, cursor)?;
            part(format!("{name}={}", cursor.svarint()?))
        }
        2 => {
            let axes = list(tables, cursor, PART)?;
            let ids: Vec<String> = cursor.svarints()?.iter().map(i64::to_string).collect();
            let order = if ids.is_empty() { String::new() } else { format!(", device_ids=[{}]", ids.join(", ")) };
            format!("#sdy.mesh<[{axes}]{order}>")
        }
        3 => part(format!(":({}){}", cursor.svarint()?, cursor.svarint()?)),
        4 => {
            let name = string(tables, cursor)?;
            let (at, cut) = cursor.flagged()?;
            let cut = if cut { inner(&tables.text(at, cursor)?, PART).to_string() } else { String::new() };
            part(name + &cut)
        }
        5 => {
            let mut axes = list(tables, cursor, PART)?;
            if cursor.byte()? == 0 {
                axes += if axes.is_empty() { "?" } else { ", ?" };
            }
            let (priority, given) = cursor.flagged()?;
            let priority = if given { format!("p{priority}") } else { String::new() };
            part(format!("{{{axes}}}{priority}"))
        }
        code @ (6 | 15 | 17) => {
            let mesh = tables.next_attribute(cursor)?;
            let mesh = tables.render(&mesh, cursor)?;
            let mut text = format!("#sdy.sharding<{mesh}, [{}]", list(tables, cursor, PART)?);
            let names = if code == 6 { &["replicated"][..] } else { &["replicated", "unreduced"] };
            for name in names {
                let axes = list(tables, cursor, PART)?;
                if !axes.is_empty() {
                    text += &format!(", {name}={{{axes}}}");
                }
            }
            if code == 17 {
                // Parts that are combined by something else than a sum.
                text += &format!(", reduction={}", cursor.svarint()?);
            }
            text + ">"
        }
        7 | 16 => format!("#sdy.sharding_per_value<[{}]>", list(tables, cursor, "#sdy.sharding")?),
        _ => opaque(all)?,
    };
    Ok(Value::Text(text))
}

fn part(text: String) -> String {
    format!("{PART}{text}>")
}

/// What an attribute's text has behind its name; between brackets, where the name ends with one.
fn inner<'t>(text: &'t str, name: &str) -> &'t str {
    let rest = text.strip_prefix(name).unwrap_or(text);
    if name.ends_with('<') { rest.strip_suffix('>').unwrap_or(rest) } else { rest }
}

/// Attributes by number, without what each begins with.
fn list<'a>(tables: &Tables<'a>, cursor: &mut Cursor<'a>, name: &str) -> Result<String> {
    let items = cursor.indices()?;
    let items = items.iter().map(|&at| Ok(inner(&tables.text(at, cursor)?, name).to_string()));
    Ok(items.collect::<Result<Vec<_>>>()?.join(", "))
}

fn string<'a>(tables: &Tables<'a>, cursor: &mut Cursor<'a>) -> Result<String> {
    Ok(quoted(tables.file.string(cursor)?))
}

/// `sdy.mesh @mesh = <["x"=2]>` of the op's attributes, as the module's parser keeps it.
pub fn mesh(attributes: &[(String, String)]) -> Option<String> {
    let find = |name: &str| attributes.iter().find(|(n, _)| n == name).map(|(_, text)| text.as_str());
    let name = find("sym_name")?.trim_matches('"');
    Some(format!("sdy.mesh @{name} = {}\n", find("mesh")?.strip_prefix("#sdy.mesh")?))
}
