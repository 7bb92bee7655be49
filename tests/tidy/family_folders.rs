//! Kernel families are rooms: no family uses another. What several need lies at the root of `crates/kernels/src` or in
//! `fornax_emit::blocks`; only the files of [`HOUSE`] know which families there are.

use std::collections::BTreeSet;

use crate::pass_folders::{product, uses};
use crate::sources::{report, tracked};

const ROOT: &str = "crates/kernels/src/";

/// Files at the root that put families together.
const HOUSE: &[&str] = &["chooser", "classes", "demand", "lib", "run_time", "tuning"];

#[test]
fn no_family_uses_another() {
    let files: Vec<(String, String)> = tracked(&[".rs"])
        .into_iter()
        .filter_map(|(name, text)| Some((name.strip_prefix(ROOT)?.to_string(), text)))
        .collect();
    let families: BTreeSet<&str> = files.iter().filter_map(|(name, _)| Some(name.split_once('/')?.0)).collect();
    assert!(families.len() > 10, "{families:?}");
    let mut wrong = Vec::new();
    for (name, text) in &files {
        let own = name.split_once('/').map_or(name.trim_end_matches(".rs"), |(family, _)| family);
        if HOUSE.contains(&own) {
            continue;
        }
        for used in uses(&product(name, text)) {
            if used != own && (families.contains(used.as_str()) || HOUSE.contains(&used.as_str())) {
                wrong.push(format!("{ROOT}{name}: `{own}` may not use `{used}`"));
            }
        }
    }
    report(wrong);
}
