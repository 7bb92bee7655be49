//! A module file in Python: signature, contents, and the way to a device.

use std::path::PathBuf;

use fornax_module::manifest::{DimSig, FunctionSignature, TensorSignature};
use fornax_runtime::{Module, ParameterFile};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::OrRaise;
use crate::session::{Session, Start};

/// A module file, checked and immutable.
#[pyclass(frozen, module = "fornax._native")]
pub struct ModuleFile {
    module: Module,
}

/// One size of a signature: a number, or the name or formula of a size that is known at run time.
#[derive(IntoPyObject)]
enum Size {
    Known(u64),
    Named(String),
}

/// Name, element type as MLIR spells it, sizes.
type TensorRow = (Option<String>, String, Vec<Size>);

fn tensor_row(tensor: &TensorSignature) -> TensorRow {
    let size = |dim: &DimSig| match dim {
        DimSig::Static(size) => Size::Known(*size),
        DimSig::Symbolic { name, .. } => Size::Named(name.clone()),
        DimSig::Computed { formula, .. } => Size::Named(formula.clone()),
    };
    (tensor.name.clone(), tensor.element_type.clone(), tensor.shape.iter().map(size).collect())
}

#[pymethods]
impl ModuleFile {
    /// Opens a file.
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf) -> PyResult<ModuleFile> {
        let module = py.detach(|| Module::open(&path)).or_raise(py)?;
        Ok(ModuleFile { module })
    }

    /// A module that is in memory.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, data: &[u8]) -> PyResult<ModuleFile> {
        let copy = data.to_vec();
        let module = py.detach(|| Module::from_bytes(copy)).or_raise(py)?;
        Ok(ModuleFile { module })
    }

    /// The file's bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.module.bytes())
    }

    fn file_bytes(&self) -> usize {
        self.module.bytes().len()
    }

    /// The manifest, as JSON text.
    fn manifest(&self) -> PyResult<String> {
        let text = serde_json::to_string(self.module.manifest());
        text.map_err(|error| pyo3::exceptions::PyRuntimeError::new_err(error.to_string()))
    }

    /// An entry of the manifest's provenance.
    fn provenance(&self, key: &str) -> Option<String> {
        self.module.manifest().provenance.get(key).cloned()
    }

    /// How many arguments of the model's function are parameters of the module.
    fn parameters(&self, py: Python<'_>, name: &str) -> PyResult<usize> {
        Ok(self.module.function(Some(name)).or_raise(py)?.parameters.len())
    }

    /// Names of the exported functions.
    fn functions(&self) -> Vec<String> {
        self.module.manifest().functions.iter().map(|function| function.name.clone()).collect()
    }

    /// Name, inputs and outputs of a function; without a name, of the only one or of `main`.
    #[pyo3(signature = (name = None))]
    fn signature(&self, py: Python<'_>, name: Option<&str>) -> PyResult<(String, Vec<TensorRow>, Vec<TensorRow>)> {
        let found: &FunctionSignature = self.module.function(name).or_raise(py)?;
        let rows = |tensors: &[TensorSignature]| tensors.iter().map(tensor_row).collect();
        Ok((found.name.clone(), rows(&found.inputs), rows(&found.outputs)))
    }

    /// The module on a device. `files` are `[scope=]FILE`; `tensors` are (name, array).
    #[pyo3(signature = (device, files, tensors, max_device_memory = None))]
    fn start(
        &self,
        py: Python<'_>,
        device: &str,
        files: Vec<String>,
        tensors: Vec<(String, Bound<'_, PyAny>)>,
        max_device_memory: Option<u64>,
    ) -> PyResult<Session> {
        let files = files.iter().map(|text| ParameterFile::parse(text)).collect();
        Session::start(py, &self.module, &Start { device, files, tensors, max_device_memory })
    }
}
