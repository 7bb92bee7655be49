//! Errors of emission and of the backends: codes FX0401–FX0499.

use fornax_graph::ElementType;
use thiserror::Error;

/// `(code, short title, what to do)` of every error of this crate.
#[rustfmt::skip]
pub const ERROR_CODES: &[(&str, &str, &str)] = &[
    ("FX0401", "element type without code generation", "convert the tensor to a wider type (i8, f16, bf16, f32) before computing with it"),
    ("FX0402", "operation not defined on the element type", "check the model: the verifier should have refused it; report it if it did"),
    ("FX0403", "malformed kernel plan", "this is a bug of the compiler: report it with the reproducer"),
    ("FX0404", "schedule that the target cannot run", "this is a bug of the compiler: report it with the reproducer"),
];

/// Why a kernel plan could not be written as MLIR.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EmitError {
    #[error("error FX0401: kernel `{kernel}` ({summary}) computes with `{}`, for which there is no code generation yet. Convert the tensor to i8, f16, bf16 or f32 first", .element.spelling())]
    UnsupportedElement { kernel: String, summary: String, element: ElementType },
    #[error("error FX0402: kernel `{kernel}` ({summary}) applies `{op}` to `{}`, which is not defined", .element.spelling())]
    UndefinedOp { kernel: String, summary: String, op: &'static str, element: ElementType },
    #[error(
        "error FX0403: the plan of kernel `{kernel}` ({summary}) is malformed: {why}. This is a bug of the compiler"
    )]
    MalformedPlan { kernel: String, summary: String, why: String },
    #[error(
        "error FX0404: the schedule of kernel `{kernel}` ({summary}) does not fit {target}: {why}. This is a bug of the compiler"
    )]
    UnfitSchedule { kernel: String, summary: String, target: String, why: String },
}

impl EmitError {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            EmitError::UnsupportedElement { .. } => "FX0401",
            EmitError::UndefinedOp { .. } => "FX0402",
            EmitError::MalformedPlan { .. } => "FX0403",
            EmitError::UnfitSchedule { .. } => "FX0404",
        }
    }
}
