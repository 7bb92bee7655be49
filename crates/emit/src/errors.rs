//! Errors of emission and of the backends: codes FX0401–FX0499.

use fornax_graph::ElementType;
use thiserror::Error;

fornax_types::errors! {
    /// Why a kernel plan could not be written as MLIR.
    #[derive(Clone, Debug, PartialEq, Eq, Error)]
    pub enum EmitError {
        #[error(
            "error FX0401: kernel `{kernel}` ({summary}) computes with `{}`, for which there is no code generation \
             yet. Convert the tensor to i8, f16, bf16 or f32 first",
            .element.spelling()
        )]
        UnsupportedElement { kernel: String, summary: String, element: ElementType } =
            FX0401 "element type without code generation":
            "convert the tensor to a wider type (i8, f16, bf16, f32) before computing with it";
        #[error(
            "error FX0402: kernel `{kernel}` ({summary}) applies `{op}` to `{}`, which is not defined",
            .element.spelling()
        )]
        UndefinedOp { kernel: String, summary: String, op: &'static str, element: ElementType } =
            FX0402 "operation not defined on the element type":
            "check the model: the verifier should have refused it; report it if it did";
        #[error(
            "error FX0403: the plan of kernel `{kernel}` ({summary}) is malformed: {why}. This is a bug of the compiler"
        )]
        MalformedPlan { kernel: String, summary: String, why: String } = FX0403 "malformed kernel plan":
            "this is a bug of the compiler: report it with the reproducer";
        #[error(
            "error FX0404: the schedule of kernel `{kernel}` ({summary}) does not fit {target}: {why}. This is a bug \
             of the compiler"
        )]
        UnfitSchedule { kernel: String, summary: String, target: String, why: String } =
            FX0404 "schedule that the target cannot run":
            "this is a bug of the compiler: report it with the reproducer";
    }
}
