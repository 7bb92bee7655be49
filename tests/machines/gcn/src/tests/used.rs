//! Every mnemonic that kernels use has a test: the list of `used.txt`, which `tests/rocm/mnemonics.py` writes from the
//! goldens of all kinds of chips, against the rows of these files.
//!
//! Encodings (`_e32`, `_dpp`) are left out; matrix instructions stand in `layouts` without `v_mfma_`. A row of an older
//! name is one of the newer name too (`table::canonical`). Worked example: `v_add_nc_u32` is tested as such and as
//! `v_add_u32`.

use std::collections::BTreeSet;

use crate::table::canonical;

const USED: &str = include_str!("used.txt");
const ROWS: &[&str] = &[
    include_str!("rows_float.rs"),
    include_str!("rows_integer.rs"),
    include_str!("rows_lanes.rs"),
    include_str!("rows_later.rs"),
    include_str!("rows_memory.rs"),
    include_str!("rows_scalar.rs"),
    include_str!("layouts.rs"),
];
/// What does nothing to a wave's values, or ends it: whole kernels show these (`kernels`).
const KERNELS: &str = include_str!("kernels.rs");
const ENCODINGS: &[&str] = &["_e64_dpp", "_e32", "_e64", "_dpp8", "_dpp", "_sdwa"];

fn without_encoding(name: &str) -> &str {
    ENCODINGS.iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name)
}

/// Names that begin a line of assembly or stand behind `::`.
fn named(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    words.filter(|word| word.contains('_')).map(without_encoding)
}

#[test]
fn every_mnemonic_of_kernels_has_a_row() {
    let mut tested: BTreeSet<String> =
        ROWS.iter().chain([&KERNELS]).flat_map(|text| named(text)).map(|name| canonical(name).to_string()).collect();
    let matrices = named(ROWS[ROWS.len() - 1])
        .filter(|name| name.starts_with("f32_") || name.starts_with("i32_") || name.starts_with("f64_"));
    let matrices: Vec<String> = matrices.map(|name| format!("v_mfma_{name}")).collect();
    tested.extend(matrices);
    let used: Vec<&str> = USED.split_whitespace().collect();
    assert!(used.len() > 300 && used.is_sorted(), "{} mnemonics", used.len());
    let without: Vec<&&str> = used.iter().filter(|name| !tested.contains(canonical(name))).collect();
    assert!(without.is_empty(), "no row: {without:?}");
}
