//! Memory that a module needs on a device: weights once, and for each function inputs, outputs and arena of a call.
//!
//! Worked example: a module with 400 bytes of constants whose `@main(batchx8xf32)` has the arena `batch*32 + 256` needs
//! on a GPU 400 bytes of weights and, with `--input-size batch=4`, 128 of inputs, 128 of outputs, 384 of arena. Without
//! the size these are formulas and only the weights are known. Processors use weights where they lie in the file.

use fornax_module::Program;
use fornax_module::manifest::{FunctionSignature, Manifest};
use fornax_module::program::{ExprId, Function};
use fornax_types::bytes_text;
use serde::Serialize;

use crate::commands::analysis::sizes::Sizes;

/// What a call of one function needs, bytes.
#[derive(Serialize)]
pub struct Memory {
    pub function: String,
    /// Constants, parameters and packed weights in the device's memory.
    pub weights: u64,
    pub inputs: Amount,
    /// Without outputs that lie in inputs.
    pub outputs: Amount,
    pub arena: Amount,
    /// All of it, as far as it is known.
    pub known_bytes: u64,
    /// Sizes without which the rest is not known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<String>,
}

/// A number of bytes, and its formula where it depends on sizes.
#[derive(Serialize)]
pub struct Amount {
    pub bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub formula: Option<String>,
}

impl Amount {
    pub fn text(&self) -> String {
        match (self.bytes, &self.formula) {
            (Some(bytes), _) => bytes_text(bytes),
            (None, Some(formula)) => format!("{formula} bytes"),
            (None, None) => "?".into(),
        }
    }
}

/// What a call needs of a device; `in_place` where the device uses weights where they lie in the file.
pub fn memory(
    manifest: &Manifest,
    program: &Program,
    signature: &FunctionSignature,
    given: &[(String, u64)],
    in_place: bool,
) -> Option<Memory> {
    let function = program.functions.iter().find(|function| function.name == signature.name)?;
    let closed = Sizes::new(program, function, &[]);
    let sizes = Sizes::new(program, function, given);
    let inputs = amount(&sizes, &closed, &function.input_bytes);
    let shared = |at: &usize| signature.aliases.iter().any(|alias| alias.output as usize == *at);
    let own: Vec<ExprId> =
        function.output_bytes.iter().enumerate().filter(|(at, _)| !shared(at)).map(|(_, expr)| *expr).collect();
    let outputs = amount(&sizes, &closed, &own);
    let arena = amount(&sizes, &closed, &[function.arena_bytes]);
    let weights = weights(manifest, program, in_place);
    let parts = [inputs.bytes, outputs.bytes, arena.bytes.or_else(|| arena_so_far(&sizes, function))];
    let known_bytes = parts.iter().flatten().fold(weights, |sum, bytes| sum.saturating_add(*bytes));
    let used = |at: usize| sizes.slots.get(at).is_some_and(Option::is_none);
    let whole = [&inputs, &outputs, &arena].iter().all(|amount| amount.bytes.is_some());
    let open = sizes.names.iter().enumerate().filter(|(at, _)| !whole && used(*at)).map(|(_, name)| name.clone());
    let open = open.collect();
    Some(Memory { function: signature.name.clone(), weights, inputs, outputs, arena, known_bytes, open })
}

/// The part of the arena whose size is known before the call reads sizes from its data.
fn arena_so_far(sizes: &Sizes, function: &Function) -> Option<u64> {
    function.shapes.arena_stages.iter().filter_map(|stage| sizes.of(*stage)).max()
}

fn weights(manifest: &Manifest, program: &Program, in_place: bool) -> u64 {
    let reads = program.parameter_reads(manifest.parameters.len());
    let kept = manifest.parameters.iter().enumerate().filter(|(number, _)| reads.in_calls(*number));
    let all = kept.map(|(_, parameter)| parameter.bytes).fold(manifest.constants_bytes, u64::saturating_add);
    (if in_place { 0 } else { all }).saturating_add(program.persistent_bytes)
}

fn amount(sizes: &Sizes, closed: &Sizes, parts: &[ExprId]) -> Amount {
    let total = |sizes: &Sizes| parts.iter().try_fold(0u64, |sum, part| Some(sum.saturating_add(sizes.of(*part)?)));
    let formula = || {
        let fixed: u64 = parts.iter().filter_map(|part| closed.of(*part)).fold(0, u64::saturating_add);
        let mut terms: Vec<String> =
            parts.iter().filter(|part| closed.of(**part).is_none()).map(|part| closed.text(*part)).collect();
        if fixed > 0 {
            terms.push(fixed.to_string());
        }
        terms.join(" + ")
    };
    Amount { bytes: total(sizes), formula: total(closed).is_none().then(formula) }
}

#[cfg(test)]
mod tests {
    use fornax_module::manifest::Alias;
    use fornax_module::program::SizeExpr;

    use super::*;

    #[test]
    fn a_call_with_an_open_size() {
        let mut program = Program { persistent_bytes: 10, ..Program::default() };
        let (n, row, fixed) = (program.expr(SizeExpr::Slot(0)), program.constant(32), program.constant(100));
        let rows = program.expr(SizeExpr::Mul(n, row));
        let mut function = Function {
            name: "main".into(),
            size_slots: 1,
            arena_bytes: rows,
            input_bytes: vec![rows, fixed],
            output_bytes: vec![rows, fixed],
            ..Function::default()
        };
        function.shapes.slot_names = vec!["n".into()];
        program.functions.push(function);
        let manifest = Manifest { constants_bytes: 400, ..Manifest::default() };
        let aliases = vec![Alias { input: 1, output: 1 }];
        let signature = FunctionSignature { name: "main".into(), aliases, ..FunctionSignature::default() };
        let open = memory(&manifest, &program, &signature, &[], false).unwrap();
        assert_eq!((open.known_bytes, open.open), (410, vec!["n".to_string()]));
        assert_eq!(open.inputs.text(), "n*32 + 100 bytes");
        let given = memory(&manifest, &program, &signature, &[("n".into(), 4)], true).unwrap();
        assert_eq!((given.weights, given.inputs.bytes, given.outputs.bytes), (10, Some(228), Some(128)));
        assert_eq!((given.known_bytes, given.open.len()), (10 + 228 + 128 + 128, 0));
    }
}
