//! docs/use/ops.md is the op table. `FORNAX_BLESS=1` writes it anew.

use fornax_graph::ops::markdown::ops_markdown;

#[test]
fn the_page_is_up_to_date() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/use/ops.md");
    let wanted = ops_markdown();
    if std::env::var_os("FORNAX_BLESS").is_some() {
        std::fs::write(path, &wanted).expect("docs/use/ops.md can be written");
    }
    let found = std::fs::read_to_string(path).unwrap_or_default();
    assert!(found == wanted, "docs/use/ops.md is stale: run FORNAX_BLESS=1 cargo test -p fornax-graph --test ops_page");
}
