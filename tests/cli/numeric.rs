//! JAX-made goldens: every folder of tests/numeric is a model with inputs and the outputs JAX gave; compiled for the
//! CPU and run through the binary.

use fornax_tests::goldens::{all_right, cases, golden};
use fornax_tests::{ONE_CPU, fornax};

#[test]
fn goldens_on_the_cpu() {
    on_the_cpu("tests/numeric");
}

/// One golden of so many is compiled for all default targets, the others for one.
const OF_WHICH_ONE_BY_DEFAULT: usize = 8;

/// Runs every golden under a folder.
pub fn on_the_cpu(goldens: &str) {
    let cases = cases(&[goldens]);
    let by_default: Vec<_> = cases.iter().step_by(OF_WHICH_ONE_BY_DEFAULT).collect();
    all_right(&cases, 20, |case| {
        let target = if by_default.iter().any(|path| *path == case) { "--target=cpu" } else { ONE_CPU };
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let run = |arguments: &[&str]| fornax(folder.path(), arguments);
        golden(case, folder.path(), &[target], &["cpu".to_string()], run)
    });
}
