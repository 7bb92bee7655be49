//! One model through the phases: import, simplify, fuse, schedule, emit, codegen, pack.
//!
//! [`compile`] takes the bytes of a model and [`CompileOptions`]; it gives a [`Compiled`] module or the text of a
//! phase. Kernels are compiled in worker processes ([`worker`]), so that no fault of a backend ends the caller.
#![forbid(unsafe_code)]

mod arguments;
mod dump;
mod errors;
mod fingerprint;
mod generator;
mod names;
mod one_target;
mod options;
mod pack;
mod parameters;
mod phase;
mod pool;
mod reproducer;
mod session;
mod store;
mod timing;
mod verify;
mod watch;
mod weights;
pub mod worker;

pub use arguments::ArgumentRanges;
pub use errors::{CompileError, ERROR_CODES, Fault, error_codes};
pub use fingerprint::{Fingerprint, KernelFingerprint, fingerprint};
pub use fornax_backend::{CubinPolicy, Tools};
pub use fornax_import::checkpoint::{
    ACTIVATION_TYPES, ActivationType, CACHE_TYPES, CheckpointOptions, CheckpointSizes, PAGE, chunk_default,
    is_checkpoint, long_chunk_default,
};
pub use fornax_import::onnx::{FixedInput, FixedSize, OnnxOptions, SequenceLength};
pub use fornax_passes::pipeline::{PassRow, passes};
pub use fornax_reference::Tensor as ReferenceTensor;
pub use options::{
    CompileOptions, Event, Listener, Precision, ScheduleOptions, current_schedule_name, schedule_kinds, shipped_tuning,
};
pub use parameters::ParameterSelection;
pub use phase::{PHASES, Phase};
pub use session::{Compiled, checkpoint_sizes, checkpoint_text, compile, compile_candidates, explain, import_only};
pub use store::{STORE_BYTES, StoreOptions};
pub use verify::{Checks, Input, compile_checked};
pub use watch::{PassReports, Passes};
pub use weights::WeightSelection;
pub use worker::Worker;
