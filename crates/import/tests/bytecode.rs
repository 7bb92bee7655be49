//! Bytecode: every file of tests/bytecode gives the graph of the text beside it, and broken bytes give errors.

use std::path::{Path, PathBuf};

use fornax_graph::same_graph;
use fornax_import::{ImportOptions, import_bytes, import_text};

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bytecode");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.retain(|p| p.extension().is_some_and(|e| e == "mlirbc"));
    files.sort();
    files
}

#[test]
fn bytecode_gives_the_graph_of_the_text() {
    let files = files();
    assert!(files.len() >= 8, "{} files", files.len());
    for file in files {
        let bytes = std::fs::read(&file).unwrap();
        let text = std::fs::read_to_string(file.with_extension("mlir")).unwrap();
        let options = ImportOptions::default();
        let found =
            import_bytes(&bytes, "x.mlirbc", &options).unwrap_or_else(|e| panic!("{}: {}", file.display(), e[0]));
        let expected =
            import_text(&text, "x.mlir", &options).unwrap_or_else(|e| panic!("{}: {}", file.display(), e[0]));
        if let Err(difference) = same_graph(&expected, &found) {
            panic!("{}: {difference}", file.display());
        }
    }
}

/// Truncated anywhere, or with any byte changed: an error with a code or some graph, never a panic or a hang.
#[test]
fn broken_bytes_never_panic() {
    let options = ImportOptions::default();
    for file in files() {
        let bytes = std::fs::read(&file).unwrap();
        for end in (0..bytes.len()).step_by(1 + bytes.len() / 300) {
            let errors = import_bytes(&bytes[..end], "x", &options).unwrap_err();
            assert!(errors[0].code.starts_with("FX01"), "{}", errors[0]);
        }
        for at in (4..bytes.len()).step_by(1 + bytes.len() / 250) {
            for change in [0x01, 0x80, 0xff] {
                let mut broken = bytes.clone();
                broken[at] ^= change;
                if let Err(errors) = import_bytes(&broken, "x", &options) {
                    assert!(errors[0].code.starts_with("FX0"), "{}", errors[0]);
                }
            }
        }
    }
}
