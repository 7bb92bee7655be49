//! What emission gives and the back ends take.

use serde::{Deserialize, Serialize};

/// One kernel to compile: a module with one `llvm.func` called `name`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct KernelSource {
    /// Symbol of the kernel: letters, digits and `_`, unique in the image.
    pub name: String,
    /// The module's text.
    pub mlir: String,
}
