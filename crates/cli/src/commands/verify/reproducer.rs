//! A folder with one dispatch: `model.mlir`, `input_N.npy`, `expected_N.npy`, `found_N.npy`, `report.txt`; `fornax
//! verify FOLDER` takes it.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use fornax_module::verify::{Argument, Dispatch, Record};
use fornax_runtime::session::Module;
use fornax_runtime::tensor::output::{OutputTarget, write_output};
use fornax_runtime::{ElementType, Tensor, TensorType};

use super::measure::{Finding, tensor};
use crate::failure::Failure;

/// File of the model.
pub const MODEL: &str = "model.mlir";

/// File of input `n`.
pub fn input_file(folder: &Path, n: usize) -> PathBuf {
    folder.join(format!("input_{n}.npy"))
}

pub fn write(
    folder: &Path,
    module: &Module,
    record: &Record,
    dispatch: &Dispatch,
    finding: &Finding,
    report: &str,
) -> Result<()> {
    let unwritable = |path: &Path| format!("error[FX0802]: cannot write {}", path.display());
    std::fs::create_dir_all(folder).with_context(|| unwritable(folder))?;
    for (name, text) in [(MODEL, dispatch.model.as_str()), ("report.txt", report)] {
        let path = folder.join(name);
        std::fs::write(&path, text).with_context(|| unwritable(&path))?;
    }
    let Some(execution) = dispatch.executions.get(finding.execution) else { return Ok(()) };
    let save =
        |path: PathBuf, tensor: &Tensor| write_output(&OutputTarget::Replace(path), tensor).map_err(Failure::from);
    for (at, argument) in dispatch.arguments.iter().enumerate() {
        let value = match *argument {
            Argument::Operand(n) => execution.operands.get(n as usize).and_then(|&v| tensor(module, record, v)),
            Argument::Size(n) => {
                let size = execution.sizes.get(n as usize).copied().unwrap_or(0);
                Tensor::zeros(TensorType::new(ElementType::F32, [size, 0])).ok()
            }
        };
        if let Some(value) = value {
            save(input_file(folder, at), &value)?;
        }
    }
    for (at, &value) in execution.results.iter().enumerate() {
        if let Some(value) = tensor(module, record, value) {
            save(folder.join(format!("expected_{at}.npy")), &value)?;
        }
    }
    if let Some((result, found)) = &finding.found {
        save(folder.join(format!("found_{result}.npy")), found)?;
    }
    Ok(())
}
