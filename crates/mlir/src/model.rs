//! Models in upstream dialects (linalg on tensors, TOSA, arith, tensor, scf …): any MLIR text or bytecode in, verified
//! generic text out, which `fornax-import` reads without MLIR.
//!
//! Input: `linalg.matmul ins(%a, %b : …) outs(%c : …)`. Output: `"linalg.generic"(%a, %b, %c) <{indexing_maps = …}>
//! ({…})`: pretty forms, which change between releases, named structured ops and shape arithmetic that folds are gone,
//! and every op has its place (`loc("<model>":12:5)`-like aliases). TOSA is only verified and printed: its folders are
//! not needed.
//!
//! Ops of dialects that MLIR does not have (`tm_tensor`) pass through in generic form. Limits: a fatal error of MLIR
//! ends the process, so callers work in a child process, as for kernels.

use melior::ir::operation::{OperationLike, OperationPrintingFlags};
use melior::pass::PassManager;
use melior::utility::parse_pass_pipeline;
use mlir_sys::{MlirStringRef, mlirModuleCreateParse};

use crate::context::Context;
use crate::errors::Diagnostic;

/// Folds what is known, writes named structured ops as `linalg.generic`, cleans up.
const LINALG_PIPELINE: &str =
    "builtin.module(canonicalize,cse,func.func(linalg-generalize-named-ops),canonicalize,cse)";

/// A model in generic text, or what MLIR said against it.
///
/// # Errors
/// MLIR's diagnostics, at least one.
pub fn generic_form(source: &[u8]) -> Result<String, Vec<Diagnostic>> {
    let context = Context::new();
    context.mlir().set_allow_unregistered_dialects(true);
    let failed = |what: &str| {
        let mut diagnostics = context.take_diagnostics();
        diagnostics.retain(|diagnostic| diagnostic.is_error);
        if diagnostics.is_empty() {
            diagnostics.push(Diagnostic { line: 0, column: 0, is_error: true, message: what.to_owned() });
        }
        diagnostics
    };
    let Some(mut module) = parse(&context, source) else { return Err(failed("the module is not valid MLIR")) };
    if source.windows(7).any(|bytes| bytes == b"linalg.") {
        let manager = PassManager::new(context.mlir());
        parse_pass_pipeline(manager.as_operation_pass_manager(), LINALG_PIPELINE)
            .map_err(|reason| failed(&reason.to_string()))?;
        manager.run(&mut module).map_err(|_| failed("MLIR's clean-up of the module failed"))?;
    }
    let flags = OperationPrintingFlags::new().print_generic_operation_form().enable_debug_info(true, false);
    module.as_operation().to_string_with_flags(flags).map_err(|_| failed("the module holds text that is not UTF-8"))
}

fn parse<'c>(context: &'c Context, source: &[u8]) -> Option<melior::ir::Module<'c>> {
    // MLIR's lexer wants a zero behind the text.
    let mut terminated = Vec::with_capacity(source.len() + 1);
    terminated.extend_from_slice(source);
    terminated.push(0);
    let text = MlirStringRef { data: terminated.as_ptr().cast(), length: source.len() };
    // SAFETY: `text` is valid for the call and zero-terminated; the result is null or a module that the wrapper owns,
    // and lives in `context`, which outlives it.
    unsafe { melior::ir::Module::from_option_raw(mlirModuleCreateParse(context.mlir().to_raw(), text)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn named_ops_become_generic_with_places() {
        let text = "func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %c: tensor<2x4xf32>) -> tensor<2x4xf32> {\n\
                    %0 = linalg.matmul ins(%a, %b : tensor<2x3xf32>, tensor<3x4xf32>) outs(%c : tensor<2x4xf32>) \
                        -> tensor<2x4xf32>\n\
                    return %0 : tensor<2x4xf32>\n}";
        let generic = generic_form(text.as_bytes()).unwrap();
        assert!(generic.contains("\"linalg.generic\"(") && generic.contains("\":2:6)"), "{generic}");
    }

    #[test]
    fn faults_have_lines() {
        let text = "func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {\n  \
                    %0 = tosa.abs %b : (tensor<2xf32>) -> tensor<2xf32>\n\
                    }";
        let errors = generic_form(text.as_bytes()).unwrap_err();
        assert_eq!(errors[0].line, 2, "{errors:?}");
        assert!(generic_form(b"\0\xff").is_err());
        assert!(generic_form(b"ML\xefR\x06").is_err());
    }
}
