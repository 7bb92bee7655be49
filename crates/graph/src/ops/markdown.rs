//! The table of ops as a page of documentation.

use super::{AttrKind, Family, OpRow, rows};

/// docs/use/ops.md: one table a family.
pub fn ops_markdown() -> String {
    let mut page = String::from(
        "# Ops\n\n\
         Generated from the op table (`crates/graph/src/ops`); run \
         `FORNAX_BLESS=1 cargo test -p fornax-graph --test ops_page` after a change.\n",
    );
    let mut families: Vec<Family> = rows().map(|r| r.family).collect();
    families.sort();
    families.dedup();
    for family in families {
        page.push_str(&format!("\n## {family:?}\n\n"));
        page.push_str("| op | operands | results | regions | element types | attributes | traits | text form |\n");
        page.push_str("| --- | --- | --- | --- | --- | --- | --- | --- |\n");
        for row in rows().filter(|r| r.family == family) {
            page.push_str(&line(row));
        }
    }
    page
}

fn line(row: &OpRow) -> String {
    let attrs: Vec<String> = row
        .attrs
        .iter()
        .map(|a| format!("`{}`{}: {}", a.name, if a.required { "" } else { "?" }, kind_name(a.kind)))
        .collect();
    let traits: Vec<String> = row.traits.iter().map(|t| format!("{t:?}")).collect();
    let form = if row.syntax.is_empty() { "generic" } else { "pretty" };
    format!(
        "| `{}` | {} | {} | {} | {} | {} | {} | {form} |\n",
        row.kind.name(),
        row.operands,
        row.results,
        row.regions,
        row.elements,
        attrs.join(", "),
        traits.join(", "),
    )
}

fn kind_name(kind: AttrKind) -> String {
    match kind {
        AttrKind::I64 => "i64".into(),
        AttrKind::I32 => "i32".into(),
        AttrKind::F32 => "f32".into(),
        AttrKind::Bool => "bool".into(),
        AttrKind::Unit => "unit".into(),
        AttrKind::Str => "string".into(),
        AttrKind::Ints => "array of i64".into(),
        AttrKind::Bools => "array of bool".into(),
        AttrKind::Pairs => "n×2 table of i64".into(),
        AttrKind::Enum(_, values) => format!("one of {}", values.join(", ")),
        AttrKind::EnumList(_, values) => format!("list of {}", values.join(", ")),
        AttrKind::Struct(name) => format!("`#{name}`"),
        AttrKind::Symbol => "symbol".into(),
        AttrKind::Dict => "dictionary".into(),
        AttrKind::Elements => "dense constant".into(),
        AttrKind::Any => "any".into(),
    }
}
