//! The reference evaluator: defines every op in the most obvious way, slowly.
//!
//! It is the oracle of the tests, folds constants and powers `fornax verify`. It shares no code with the emitters.
//! Values are tensors in host-edge storage; every op computes on exact integers or f64 and rounds once to its element
//! type. Custom calls, random ops of no fixed algorithm and quantised inputs or results are refused, and collectives
//! where there is one device ([`evaluate_devices`] has several).
#![forbid(unsafe_code)]

mod batch_norm;
mod binary;
mod board;
mod chlo;
mod collective;
mod complex;
mod complex_inverse;
mod control;
mod convolution;
mod dot;
mod einsum;
mod elementwise;
mod errors;
mod fft;
mod float_format;
mod gather;
mod interpreter;
mod kernels;
mod linalg;
mod quantized;
mod reduce;
mod region;
mod rng;
mod scalar;
mod shape;
mod sizes;
mod sort;
mod special;
mod tensor;
#[cfg(test)]
mod testing;
mod transfer;
mod unary;

use fornax_graph::{Graph, OpId, Type};

pub use collective::{evaluate_devices, evaluate_programs};
pub use complex::Complex;
pub use errors::{ERROR_CODES, EvalError};
pub use interpreter::{Limits, Observer};
pub use scalar::Scalar;
pub use tensor::Tensor;

use interpreter::{Interp, Value};

/// Evaluates a function on inputs, one an argument, and gives its tensor results in order; tuples are flattened,
/// tokens left out. Symbolic sizes are those of the inputs, which must satisfy the graph's checks.
///
/// # Errors
/// `FX0380` no such function, `FX0384` inputs that do not fit, `FX0388` sizes that do not, `FX0383` a limit, else what
/// the first op that cannot be evaluated says.
pub fn evaluate(graph: &Graph, function: &str, inputs: &[Tensor], limits: &Limits) -> Result<Vec<Tensor>, EvalError> {
    run(graph, function, inputs, Interp::new(graph, limits))
}

/// As [`evaluate`]; `observer` is told of every fusion group that is evaluated: the op, its operands, its results.
///
/// # Errors
/// As [`evaluate`].
pub fn evaluate_observed<'g>(
    graph: &'g Graph,
    function: &str,
    inputs: &[Tensor],
    limits: &Limits,
    observer: Observer<'g>,
) -> Result<Vec<Tensor>, EvalError> {
    let mut interp = Interp::new(graph, limits);
    interp.observer = Some(observer);
    run(graph, function, inputs, interp)
}

fn run<'g>(
    graph: &'g Graph,
    function: &str,
    inputs: &[Tensor],
    mut interp: Interp<'g>,
) -> Result<Vec<Tensor>, EvalError> {
    let unknown = || EvalError::UnknownFunction { name: function.to_string() };
    let function = graph.function(function).ok_or_else(unknown)?;
    let entry = graph.entry(function).ok_or_else(unknown)?;
    let arguments = &graph.block(entry).arguments;
    if arguments.len() != inputs.len() {
        let why = format!("{} inputs for {} arguments", inputs.len(), arguments.len());
        return Err(EvalError::Input { index: inputs.len().min(arguments.len()), why });
    }
    for (index, (&argument, input)) in arguments.iter().zip(inputs).enumerate() {
        check_input(index, graph.ty(argument), input)?;
    }
    let values = inputs.iter().map(|t| Value::tensor(t.clone())).collect();
    for ty in &function.result_types {
        refuse_quantized(ty)?;
    }
    interp.sizes.bind_inputs(graph, entry, inputs)?;
    let results = interp.call_function(function, values)?;
    Ok(flatten(results))
}

/// Values at the edge of an evaluation are plain tensors.
fn refuse_quantized(ty: &Type) -> Result<(), EvalError> {
    match ty.as_tensor() {
        Some(t) if t.element.is_quantized() => Err(EvalError::Quantized { op: "func.func".into(), at: String::new() }),
        _ => Ok(()),
    }
}

/// Evaluates one op on given operands, as constant folding does. Regions may use only their own values.
///
/// # Errors
/// As [`evaluate`]; `FX0386` when a region of the op uses a value of its surroundings.
pub fn evaluate_op(graph: &Graph, op: OpId, operands: &[Tensor], limits: &Limits) -> Result<Vec<Tensor>, EvalError> {
    let declared = &graph.op(op).operands;
    if declared.len() != operands.len() {
        let why = format!("{} tensors for {} operands", operands.len(), declared.len());
        return Err(EvalError::Input { index: operands.len().min(declared.len()), why });
    }
    for (index, (&operand, tensor)) in declared.iter().zip(operands).enumerate() {
        check_input(index, graph.ty(operand), tensor)?;
    }
    for &result in &graph.op(op).results {
        refuse_quantized(graph.ty(result))?;
    }
    let values = operands.iter().map(|t| Value::tensor(t.clone())).collect();
    let results = Interp::new(graph, limits).run_op(op, values)?;
    Ok(flatten(results))
}

fn check_input(index: usize, ty: &Type, input: &Tensor) -> Result<(), EvalError> {
    refuse_quantized(ty)?;
    let refuse = |why: &str| Err(EvalError::Input { index, why: why.to_string() });
    if input.ty.bytes() != Some(input.bytes.len() as u64) {
        return refuse("its bytes do not fit its type");
    }
    match ty {
        Type::Tensor(declared) if interpreter::fits(&input.ty, declared) => Ok(()),
        Type::Tensor(_) => refuse("another element type or shape than declared"),
        _ => refuse("declared as something that is not a ranked tensor"),
    }
}

fn flatten(values: Vec<Value>) -> Vec<Tensor> {
    let mut out = Vec::new();
    for value in values {
        match value {
            Value::Tensor(t) => out.push(std::rc::Rc::try_unwrap(t).unwrap_or_else(|shared| (*shared).clone())),
            Value::Token => {}
            Value::Tuple(items) => out.extend(flatten(items)),
        }
    }
    out
}
