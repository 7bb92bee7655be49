//! The shipped lock: its keys and ways are those that models make.

use fornax_module::tuning::BY_MODEL;
use fornax_targets::Target;

use super::Options;
use fornax_kernels::tuning::shipped;
use fornax_plan::Precision;
use std::sync::Arc;

#[test]
fn the_shipped_lock_is_one() {
    let lock = shipped();
    assert!(!lock.ways.is_empty());
    assert!(lock.ways.keys().all(|key| key.starts_with("sm_")), "{lock:?}");
    assert!(lock.ways.values().all(|way| way != BY_MODEL));
}

/// A model of the plain product that a key describes, `… rows M columns N steps K | row - K 1 | column - 1 N | …`.
fn product(key: &str) -> Option<String> {
    let words: Vec<&str> = key.split_whitespace().collect();
    let after =
        |word: &str| words.iter().position(|w| *w == word).and_then(|at| words.get(at + 1)?.parse::<u64>().ok());
    let (m, n, k) = (after("rows")?, after("columns")?, after("steps")?);
    let element = words.get(1)?.split('*').next()?;
    let plain = |rest: &str| key.ends_with(&format!("| row - {k} 1 | column - {rest} | {element}"));
    let (w, side) = if plain(&format!("1 {n}")) {
        (format!("{k}x{n}"), 0)
    } else if plain(&format!("{k} 1")) {
        (format!("{n}x{k}"), 1)
    } else {
        return None;
    };
    let ty = |shape: String| format!("tensor<{shape}x{element}>");
    let (x, w, r) = (ty(format!("{m}x{k}")), ty(w), ty(format!("{m}x{n}")));
    Some(format!(
        "func.func @main(%x: {x}, %w: {w}) -> {r} {{
           %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [{side}] : ({x}, {w}) -> {r}
           return %0 : {r}
         }}"
    ))
}

#[test]
fn shipped_ways_of_plain_products_are_made_and_taken() {
    let lock = Arc::new(shipped());
    let mut found = 0;
    for (key, way) in &lock.ways {
        let Some(text) = product(key) else { continue };
        let graph =
            fornax_import::import_text(&text, "m.mlir", &Default::default()).unwrap_or_else(|e| panic!("{}", e[0]));
        let fused = crate::fuse::fuse(&graph).unwrap();
        let arch = key.split_whitespace().next().unwrap_or_default();
        let target = Target::from_spec(&format!("cuda:{arch}")).unwrap();
        let f32_matmul = if key.contains(" tf32 ") { Precision::Tf32 } else { Precision::Ieee };
        let schedule = Options { tuning: Some(lock.clone()), f32_matmul, ..Options::default() };
        let options = crate::program::Options { schedule, ..Default::default() };
        let planned = crate::plan(&fused, &target, &options).unwrap();
        assert_eq!(planned.notes, Vec::<String>::new(), "{key}");
        assert!(planned.program.kernels.iter().any(|k| k.note.starts_with(way.as_str())), "{key}: {way}");
        found += 1;
    }
    assert!(found > 0);
}
