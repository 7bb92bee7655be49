//! `docs/use/targets.md` equals what the tables say. `FORNAX_BLESS=1` rewrites it.

use std::path::Path;

#[test]
fn the_targets_page_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/use/targets.md");
    let wanted = fornax_targets::targets_markdown();
    if std::env::var_os("FORNAX_BLESS").is_some() {
        std::fs::write(&path, &wanted).expect("docs/use/targets.md is writable");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == wanted, "docs/use/targets.md is stale: run FORNAX_BLESS=1 cargo test -p fornax-targets");
}
