//! A feature of a target is there because code asks for it: `target.has(Feature::X)` somewhere outside the tables.

use crate::pass_folders::product;
use crate::sources::{report, tracked};

/// The tables: they say which chip has a feature.
const TABLES: &[&str] = &["features.rs", "amd.rs", "cpu.rs", "nvidia.rs", "opencl.rs"];

/// Names of the features, from the table of their spellings.
fn features(text: &str) -> Vec<&str> {
    let rows = text.lines().filter_map(|line| line.trim().strip_prefix("(Feature::")?.split_once(", \""));
    rows.map(|row| row.0).collect()
}

#[test]
fn every_feature_is_asked_for() {
    let files = tracked(&[".rs"]);
    let table = &files.iter().find(|file| file.0 == "targets/src/features.rs").unwrap().1;
    let is_asking = |name: &str| {
        let is_table = TABLES.iter().any(|table| name.strip_prefix("targets/src/") == Some(*table));
        !is_table && !name.starts_with("tests/") && !name.contains("/tests/")
    };
    let code: String = files.iter().filter(|file| is_asking(&file.0)).map(|(name, text)| product(name, text)).collect();
    let asked: Vec<&str> = code
        .split("Feature::")
        .skip(1)
        .map(|rest| rest.split(|c: char| !c.is_alphanumeric()).next().unwrap_or(""))
        .collect();
    let features = features(table);
    assert!(features.len() > 30, "found only {} features", features.len());
    let unasked = features.into_iter().filter(|feature| !asked.contains(feature));
    report(unasked.map(|feature| format!("no code asks for Feature::{feature}: remove it and its rows")).collect());
}
