//! JAX-made goldens: every folder of tests/numeric is a model with inputs and the outputs JAX gave; compiled for the
//! CPU and run through the binary.

use fornax_tests::fornax;
use fornax_tests::goldens::{all_right, cases, golden};

#[test]
fn goldens_on_the_cpu() {
    on_the_cpu("tests/numeric");
}

/// Runs every golden under a folder.
pub fn on_the_cpu(goldens: &str) {
    all_right(&cases(&[goldens]), 20, |case| {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let run = |arguments: &[&str]| fornax(folder.path(), arguments);
        golden(case, folder.path(), &["--target=cpu"], &["cpu".to_string()], run)
    });
}
