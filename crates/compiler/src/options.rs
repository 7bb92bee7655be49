//! What a compilation is asked to do.

use std::path::PathBuf;

use fornax_backend::{CubinPolicy, Tools};
use fornax_import::onnx::OnnxOptions;
pub use fornax_kernels::demand::kinds as schedule_kinds;
pub use fornax_kernels::former_names::current as current_schedule_name;
pub use fornax_kernels::tuning::shipped as shipped_tuning;
pub use fornax_passes::schedule::{Options as ScheduleOptions, Precision};
use fornax_targets::Resolved;

use crate::arguments::ArgumentRanges;
use crate::parameters::ParameterSelection;
use crate::phase::Phase;
use crate::store::StoreOptions;
use crate::watch::PassReports;
use crate::weights::WeightSelection;
use crate::worker::Worker;

/// Everything but the model itself.
#[derive(Clone, Debug)]
pub struct CompileOptions {
    /// In the order given; duplicates are compiled once.
    pub targets: Vec<Resolved>,
    /// Stop after this phase.
    pub compile_to: Phase,
    /// Folder for dumps.
    pub dump_to: Option<PathBuf>,
    /// Whether the module tells why its kernels are as they are.
    pub remarks: bool,
    /// What is shown of the passes.
    pub reports: PassReports,
    /// Only these passes, in this order, on the imported graph; its text is the result. Empty: the whole compilation.
    pub run_passes: Vec<String>,
    pub parameters: ParameterSelection,
    /// More arguments that are parameters.
    pub weights: Option<WeightSelection>,
    /// Arguments that the caller gives away, besides those that the model marks.
    pub donate: Option<ArgumentRanges>,
    /// What is said of an ONNX model's inputs.
    pub onnx: OnnxOptions,
    /// What is chosen about kernels.
    pub schedule: ScheduleOptions,
    /// Less time for code of processors, which may be a little slower.
    pub quick: bool,
    /// Whether a cubin is made besides PTX.
    pub cubin: CubinPolicy,
    pub tools: Tools,
    pub worker: Worker,
    /// Where compiled kernels are kept between commands, if anywhere.
    pub store: Option<StoreOptions>,
    /// Workers at the same time.
    pub jobs: usize,
    /// Where a kernel that broke the backend is kept.
    pub reproducer_folder: PathBuf,
}

/// What the caller hears while it waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    Phase(Phase),
    /// Kernels compiled so far, of how many.
    Kernels {
        done: usize,
        total: usize,
    },
    /// Something the user should know.
    Note(String),
    /// What [`PassReports`] asked for: lines for stderr.
    Report(String),
}

/// Receives events, from any thread.
pub type Listener<'a> = &'a (dyn Fn(Event) + Sync);
