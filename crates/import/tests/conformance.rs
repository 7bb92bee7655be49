//! Every StableHLO conformance module parses, verifies and prints to text that gives the same graph.
//!
//! `FORNAX_SHARED` names the directory that has `conformance/cases.tar.xz`; without it the test has nothing to read.

use std::path::{Path, PathBuf};
use std::process::Command;

use fornax_graph::{print, same_graph};
use fornax_import::{ImportOptions, import_bytes, import_text};

/// Cases of the archive.
const CASES: usize = 1726;

fn check(path: &Path) -> Result<(), String> {
    let options = ImportOptions::default();
    let name = path.display().to_string();
    let bytes = std::fs::read(path).map_err(|e| format!("{name}: {e}"))?;
    let graph = import_bytes(&bytes, &name, &options).map_err(|e| e[0].to_string())?;
    let printed = print(&graph);
    let again = import_text(&printed, &name, &options).map_err(|e| format!("printed text: {}", e[0]))?;
    same_graph(&graph, &again).map_err(|e| format!("{name}: {e}"))
}

fn modules(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![root.to_path_buf()];
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(&directory).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if path.file_name().is_some_and(|n| n == "module.mlir") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

#[test]
fn every_conformance_module_round_trips() {
    let Some(shared) = std::env::var_os("FORNAX_SHARED") else {
        eprintln!("skipped: FORNAX_SHARED is not set");
        return;
    };
    let archive = Path::new(&shared).join("conformance/cases.tar.xz");
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let status = Command::new("tar").arg("-xJf").arg(&archive).arg("-C").arg(scratch.path()).status();
    assert!(status.is_ok_and(|s| s.success()), "cannot unpack {}", archive.display());
    let paths = modules(scratch.path());
    let failures: Vec<String> = paths.iter().filter_map(|p| check(p).err()).collect();
    println!("{} of {} conformance modules round-trip", paths.len() - failures.len(), paths.len());
    assert!(failures.is_empty(), "{} failures, first:\n{}", failures.len(), failures[0]);
    assert_eq!(paths.len(), CASES);
}
