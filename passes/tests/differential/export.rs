//! Programs for devices: text, inputs and what is expected, in a folder that `tests/gpu/random_programs.py` compiles
//! and runs.
//!
//! `seed-N/model.mlir`, `seed-N/meta.json` and for run r of it (one a size) `in_r_0.bin` … and `out_r_0.bin` …, raw and
//! row-major. An element is right within `limit` of the expected one, NaN where NaN is expected; integers are right
//! when equal.

use std::path::{Path, PathBuf};

use fornax_reference::Tensor;

use super::program::Text;
use super::run::{Case, Outcome};
use super::sized::{SIZES, SizedProgram};

/// Where programs shall be written.
pub fn asked() -> Option<PathBuf> {
    std::env::var_os("FORNAX_FUZZ_WRITE").map(PathBuf::from)
}

pub fn program(folder: &Path, text: &Text, seed: u64) -> Outcome {
    write(&folder.join(format!("seed-{seed}")), &text.own, &[Case::new(text, seed)])
}

pub fn sized_program(folder: &Path, program: &SizedProgram, seed: u64) -> Outcome {
    let cases: Vec<_> = SIZES.iter().map(|&b| Case::new(&program.at(b), seed)).collect();
    write(&folder.join(format!("sized-{seed}")), &program.symbolic, &cases)
}

fn write(folder: &Path, model: &str, cases: &[Result<Case, String>]) -> Outcome {
    let mut runs = Vec::new();
    let save = |name: &str, bytes: &[u8]| {
        let made = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(folder.join(name), bytes));
        made.unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    };
    for (run, case) in cases.iter().enumerate() {
        let case = match case {
            Ok(case) => case,
            Err(why) => return Outcome::Invalid(why.clone()),
        };
        let limits = case.errors.iter().map(|error| error * case.scale);
        let inputs = tensors(&case.inputs, &format!("in_{run}"), &mut case.inputs.iter().map(|_| 0.0), &save);
        let outputs = tensors(&case.want, &format!("out_{run}"), &mut limits.into_iter(), &save);
        runs.push(format!("{{\"inputs\": [{inputs}], \"outputs\": [{outputs}]}}"));
    }
    save("model.mlir", model.as_bytes());
    save("meta.json", format!("{{\"runs\": [{}]}}\n", runs.join(",\n ")).as_bytes());
    Outcome::Same
}

fn tensors(
    tensors: &[Tensor],
    stem: &str,
    limits: &mut dyn Iterator<Item = f64>,
    save: &dyn Fn(&str, &[u8]),
) -> String {
    let mut rows = Vec::new();
    for (at, (tensor, limit)) in tensors.iter().zip(limits).enumerate() {
        let file = format!("{stem}_{at}.bin");
        save(&file, &tensor.bytes);
        let (element, shape) = (tensor.element().spelling(), tensor.shape());
        rows.push(format!(
            "{{\"file\": \"{file}\", \"dtype\": \"{element}\", \"shape\": {shape:?}, \"limit\": {limit:e}}}"
        ));
    }
    rows.join(", ")
}
