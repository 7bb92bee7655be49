//! Arguments of `fornax inspect`.

use std::path::PathBuf;

use clap::Args;

use super::Format;

#[derive(Args, Debug)]
pub struct InspectArgs {
    /// The module file, or a code object for AMD (.hsaco)
    pub module: PathBuf,
    /// text or json
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// Only this target's kernels and plan
    #[arg(long, value_name = "ARCH")]
    pub target: Option<String>,
    /// Also the main loop of every ROCm kernel and, by LLVM's scheduling model, its cycles and those of the matrix unit (needs
    /// llvm-objdump and llvm-mca)
    #[arg(long)]
    pub loops: bool,
}
