//! include/fornax.h is what cbindgen makes of the sources; FORNAX_BLESS=1 writes it.

use std::path::Path;

#[test]
fn the_header_is_not_stale() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(folder.join("cbindgen.toml")).unwrap();
    let mut made = Vec::new();
    cbindgen::generate_with_config(folder, config).unwrap().write(&mut made);
    let made = String::from_utf8(made).unwrap();
    let path = folder.join("include/fornax.h");
    if std::env::var_os("FORNAX_BLESS").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == made, "stale: FORNAX_BLESS=1 cargo test -p fornax-c --test header");
}

#[test]
fn the_header_has_every_function() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let header = std::fs::read_to_string(folder.join("include/fornax.h")).unwrap();
    let mut functions = 0;
    for file in std::fs::read_dir(folder.join("src")).unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        for rest in text.split("extern \"C\" fn ").skip(1) {
            let name = rest.split('(').next().unwrap();
            assert!(header.contains(&format!("{name}(")), "{name} is not in fornax.h");
            functions += 1;
        }
    }
    assert!(functions > 30, "found only {functions}");
}
