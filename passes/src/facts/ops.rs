//! The op table of fusion and lowering: what kind of computation each op is, what it costs an element, and which
//! scalar node it becomes. One row an op; an op without a row is refused.
//!
//! Costs are in units of one f32 addition; they only weigh recomputing a value against storing it.

use fornax_graph::{Dim, Graph, OpId, OpKind, TensorType, ValueId};
use fornax_plan::{Binary, Unary};

use crate::errors::PassError;

/// How an op takes part in fusion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Every element from the same element of the operands (scalars are allowed).
    Elementwise,
    /// Moves elements: only index maps and selects.
    Index,
    Reduction,
    Contraction,
    Constant,
    /// Runs nested blocks on the host side, or is done between kernels; never in a kernel.
    Control,
}

/// The scalar form of an elementwise op.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    Unary(Unary),
    Binary(Binary),
    /// Has its own code in `scalar.rs`.
    Own,
    /// Not elementwise.
    None,
}

#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub kind: OpKind,
    pub class: Class,
    pub cost: u32,
    pub scalar: Scalar,
}

const fn unary(kind: OpKind, op: Unary, cost: u32) -> Row {
    Row { kind, class: Class::Elementwise, cost, scalar: Scalar::Unary(op) }
}

const fn binary(kind: OpKind, op: Binary, cost: u32) -> Row {
    Row { kind, class: Class::Elementwise, cost, scalar: Scalar::Binary(op) }
}

const fn own(kind: OpKind, cost: u32) -> Row {
    Row { kind, class: Class::Elementwise, cost, scalar: Scalar::Own }
}

const fn other(kind: OpKind, class: Class, cost: u32) -> Row {
    Row { kind, class, cost, scalar: Scalar::None }
}

/// Every op that can be compiled.
pub const OPS: &[Row] = &[
    unary(OpKind::Abs, Unary::Abs, 1),
    unary(OpKind::Negate, Unary::Negate, 1),
    unary(OpKind::Sign, Unary::Sign, 2),
    unary(OpKind::Not, Unary::Not, 1),
    unary(OpKind::Popcnt, Unary::PopulationCount, 2),
    unary(OpKind::CountLeadingZeros, Unary::CountLeadingZeros, 2),
    unary(OpKind::Floor, Unary::Floor, 1),
    unary(OpKind::Ceil, Unary::Ceil, 1),
    unary(OpKind::RoundNearestEven, Unary::RoundNearestEven, 1),
    unary(OpKind::RoundNearestAfz, Unary::RoundNearestAwayFromZero, 3),
    unary(OpKind::Sqrt, Unary::Sqrt, 4),
    unary(OpKind::Rsqrt, Unary::Rsqrt, 5),
    unary(OpKind::Cbrt, Unary::Cbrt, 16),
    unary(OpKind::Exponential, Unary::Exponential, 10),
    unary(OpKind::ExponentialMinusOne, Unary::ExponentialMinusOne, 14),
    unary(OpKind::Log, Unary::Log, 12),
    unary(OpKind::LogPlusOne, Unary::LogPlusOne, 14),
    unary(OpKind::Logistic, Unary::Logistic, 14),
    unary(OpKind::Sine, Unary::Sine, 16),
    unary(OpKind::Cosine, Unary::Cosine, 16),
    unary(OpKind::Tan, Unary::Tan, 24),
    unary(OpKind::ChloTan, Unary::Tan, 24),
    unary(OpKind::Tanh, Unary::Tanh, 14),
    unary(OpKind::ChloErf, Unary::Erf, 16),
    unary(OpKind::ChloErfc, Unary::Erfc, 24),
    unary(OpKind::ChloErfInv, Unary::ErfInv, 24),
    unary(OpKind::ChloAsin, Unary::Asin, 16),
    unary(OpKind::ChloAcos, Unary::Acos, 16),
    unary(OpKind::ChloAtan, Unary::Atan, 16),
    unary(OpKind::ChloSinh, Unary::Sinh, 16),
    unary(OpKind::ChloCosh, Unary::Cosh, 16),
    unary(OpKind::ChloAsinh, Unary::Asinh, 20),
    unary(OpKind::ChloAcosh, Unary::Acosh, 20),
    unary(OpKind::ChloAtanh, Unary::Atanh, 20),
    unary(OpKind::IsFinite, Unary::IsFinite, 1),
    binary(OpKind::Add, Binary::Add, 1),
    binary(OpKind::Subtract, Binary::Subtract, 1),
    binary(OpKind::Multiply, Binary::Multiply, 1),
    binary(OpKind::Divide, Binary::Divide, 4),
    binary(OpKind::Remainder, Binary::Remainder, 10),
    binary(OpKind::Maximum, Binary::Maximum, 1),
    binary(OpKind::Minimum, Binary::Minimum, 1),
    binary(OpKind::Power, Binary::Power, 30),
    binary(OpKind::Atan2, Binary::Atan2, 24),
    binary(OpKind::And, Binary::And, 1),
    binary(OpKind::Or, Binary::Or, 1),
    binary(OpKind::Xor, Binary::Xor, 1),
    binary(OpKind::ShiftLeft, Binary::ShiftLeft, 1),
    binary(OpKind::ShiftRightArithmetic, Binary::ShiftRightArithmetic, 1),
    binary(OpKind::ShiftRightLogical, Binary::ShiftRightLogical, 1),
    own(OpKind::Compare, 1),
    own(OpKind::Select, 1),
    own(OpKind::Clamp, 2),
    own(OpKind::Convert, 1),
    own(OpKind::ReducePrecision, 3),
    own(OpKind::Map, 4),
    other(OpKind::BitcastConvert, Class::Index, 0),
    other(OpKind::BroadcastInDim, Class::Index, 0),
    other(OpKind::Reshape, Class::Index, 0),
    other(OpKind::Transpose, Class::Index, 0),
    other(OpKind::Slice, Class::Index, 0),
    other(OpKind::Reverse, Class::Index, 0),
    other(OpKind::Iota, Class::Index, 0),
    other(OpKind::GetDimensionSize, Class::Index, 0),
    other(OpKind::Pad, Class::Index, 1),
    other(OpKind::Concatenate, Class::Index, 1),
    other(OpKind::Gather, Class::Index, 1),
    other(OpKind::DynamicSlice, Class::Index, 1),
    other(OpKind::DynamicUpdateSlice, Class::Index, 1),
    other(OpKind::Reduce, Class::Reduction, 0),
    other(OpKind::ReduceWindow, Class::Reduction, 0),
    other(OpKind::Scatter, Class::Reduction, 0),
    other(OpKind::Sort, Class::Reduction, 0),
    other(OpKind::SortRuns, Class::Reduction, 0),
    other(OpKind::MergeRuns, Class::Reduction, 0),
    other(OpKind::RadixCount, Class::Reduction, 0),
    other(OpKind::RadixDistribute, Class::Reduction, 0),
    other(OpKind::SortedScatter, Class::Reduction, 0),
    other(OpKind::UpdateInPlace, Class::Reduction, 0),
    other(OpKind::Dot, Class::Contraction, 0),
    other(OpKind::DotGeneral, Class::Contraction, 0),
    other(OpKind::Convolution, Class::Contraction, 0),
    other(OpKind::Constant, Class::Constant, 0),
    other(OpKind::While, Class::Control, 0),
    other(OpKind::If, Class::Control, 0),
    other(OpKind::Collective, Class::Control, 0),
    other(OpKind::HostCall, Class::Control, 0),
    other(OpKind::PartitionId, Class::Control, 0),
    other(OpKind::ReplicaId, Class::Control, 0),
];

/// The row of an op, if it can be compiled.
pub fn row(kind: OpKind) -> Option<&'static Row> {
    OPS.iter().find(|r| r.kind == kind)
}

/// Largest tensor, in bytes: leaves offsets far from the limits of 64-bit arithmetic.
pub const TENSOR_BYTES_MAX: u64 = 1 << 46;

/// Refuses an op that has no row, and operands or results that are not static tensors of a supported type and size.
pub fn check(graph: &Graph, op: OpId) -> Result<&'static Row, PassError> {
    let data = graph.op(op);
    let Some(row) = row(data.kind) else {
        return Err(PassError::no_kernel(graph, op, "FX0311", "has no kernel in this version"));
    };
    for &value in data.operands.iter().chain(&data.results) {
        check_value(graph, op, value)?;
    }
    Ok(row)
}

/// Refuses a value that is not a tensor of a supported element type and size; `op` is named in the message.
pub fn check_value(graph: &Graph, op: OpId, value: ValueId) -> Result<(), PassError> {
    let Some(ty) = graph.ty(value).as_tensor() else {
        return Err(PassError::no_kernel(graph, op, "FX0311", "has an operand or result that is not a ranked tensor"));
    };
    if !ty.element.is_kernel_type() {
        return Err(PassError::no_kernel(
            graph,
            op,
            "FX0312",
            format!("works on {} elements, which have no kernels in this version", ty.element.spelling()),
        ));
    }
    if ty.shape.contains(&Dim::Symbolic(0)) {
        let several = graph.functions.iter().filter(|f| !f.private).count() > 1;
        let why = "has a tensor with a size that nothing tells";
        let of_others = ": sizes of run time are those of the arguments of @main, or of the first function; \
                         give each function that has some a module of its own";
        return Err(PassError::no_kernel(
            graph,
            op,
            "FX0313",
            format!("{why}{}", if several { of_others } else { "" }),
        ));
    }
    // A size of run time counts as one: with more, such a tensor is larger still.
    let mut known = ty.shape.iter().filter_map(|dim| u64::try_from(dim.as_static()?).ok());
    let least = known.try_fold(ty.element.storage_bytes() as u64, u64::checked_mul);
    match least {
        Some(bytes) if bytes <= TENSOR_BYTES_MAX => Ok(()),
        _ => Err(PassError::no_kernel(graph, op, "FX0314", "has a tensor of 2^46 bytes or more")),
    }
}

/// Tensor type of a value of a checked op.
pub fn tensor(graph: &Graph, value: ValueId) -> Result<&TensorType, PassError> {
    graph.ty(value).as_tensor().ok_or_else(|| PassError::broken(format!("value {} is not a ranked tensor", value.0)))
}

/// The floats that a value is where it widens some, which has the same shape: moves of these move fewer bytes.
pub fn before_widening(graph: &Graph, value: ValueId) -> ValueId {
    let Some(op) = graph.producer(value).filter(|&op| graph.op(op).kind == OpKind::Convert) else { return value };
    let Some(&source) = graph.op(op).operands.first() else { return value };
    let element = |value| graph.ty(value).as_tensor().map(|ty| ty.element).filter(|element| element.is_float());
    match (element(source), element(value)) {
        (Some(from), Some(to)) if from.bits() < to.bits() => source,
        _ => value,
    }
}

/// Static shape of a value of a checked op.
pub fn shape(graph: &Graph, value: ValueId) -> Result<Vec<i64>, PassError> {
    tensor(graph, value)?
        .static_shape()
        .ok_or_else(|| PassError::broken(format!("value {} has a dynamic shape", value.0)))
}

/// Number of elements of a value of a checked op.
pub fn elements(graph: &Graph, value: ValueId) -> Result<i64, PassError> {
    Ok(shape(graph, value)?.iter().product())
}

/// The constant behind a value, if it is the result of a `constant` op.
pub fn constant_of(graph: &Graph, value: ValueId) -> Option<fornax_graph::ConstId> {
    let op = graph.op(graph.producer(value)?);
    match (op.kind, op.attrs.get("value")) {
        (OpKind::Constant, Some(fornax_graph::Attr::Dense(id))) => Some(*id),
        _ => None,
    }
}

/// Bits of a splat constant's element, zero-extended.
pub fn splat_bits(graph: &Graph, value: ValueId) -> Option<u64> {
    let constant = graph.constants.get(constant_of(graph, value)?.index())?;
    let bytes = constant.splat_bytes()?;
    if bytes.is_empty() || bytes.len() > 8 || !constant.ty.element.is_kernel_type() {
        return None;
    }
    let mut word = [0u8; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    Some(u64::from_le_bytes(word))
}
