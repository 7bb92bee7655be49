//! Bytecode: every file of tests/bytecode gives the graph of the text next to it, and broken bytes give errors.

use std::path::{Path, PathBuf};

use fornax_graph::sharding::Mesh;
use fornax_graph::{Graph, same_graph};
use fornax_import::{ImportOptions, import_bytes, import_text};

fn files() -> Vec<PathBuf> {
    with_extension("mlirbc")
}

fn with_extension(extension: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bytecode");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.retain(|p| p.extension().is_some_and(|e| e == extension));
    files.sort();
    files
}

/// Meshes are kept as they are written, which differs between text and bytecode: here what of them is read. Rules of
/// custom calls (`sdy.sharding_rule`) are not read.
fn with_meshes_read(mut graph: Graph) -> Graph {
    graph.ops.iter_mut().for_each(|op| op.attrs.0.retain(|(name, _)| name != "sdy.sharding_rule"));
    for op in &mut graph.module_ops {
        if let Some(mesh) = Mesh::parse(op) {
            *op = format!("{mesh:?}");
        }
    }
    graph
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
        let (expected, found) = (with_meshes_read(expected), with_meshes_read(found));
        if let Err(difference) = same_graph(&expected, &found) {
            panic!("{}: {difference}", file.display());
        }
    }
}

/// What `jax.export` serialises: the module within it, under the function's name; conventions that nobody knows are
/// refused.
#[test]
fn exported_files_give_the_graph_of_their_module() {
    let files = with_extension("bin");
    assert!(files.len() >= 2, "{} files", files.len());
    for file in files {
        let bytes = std::fs::read(&file).unwrap();
        let text = std::fs::read_to_string(file.with_extension("mlir")).unwrap();
        let options = ImportOptions::default();
        let found = import_bytes(&bytes, "x.bin", &options).unwrap_or_else(|e| panic!("{}: {}", file.display(), e[0]));
        assert_eq!(found.name.as_deref(), Some("softmax"));
        let mut expected = import_text(&text, "x.mlir", &options).unwrap();
        expected.name.clone_from(&found.name);
        if let Err(difference) = same_graph(&with_meshes_read(expected), &with_meshes_read(found)) {
            panic!("{}: {difference}", file.display());
        }
        let mut refused = 0;
        for at in 0..bytes.len().min(400) {
            let mut broken = bytes.clone();
            broken[at] = broken[at].wrapping_add(1);
            if let Err(errors) = import_bytes(&broken, "x.bin", &options) {
                assert!(errors[0].code.starts_with("FX0"), "{}", errors[0]);
                refused += usize::from(errors[0].message.contains("calling convention 11"));
            }
        }
        assert_eq!(refused, 1, "the byte of the version");
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
