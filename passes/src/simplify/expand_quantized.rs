//! Quantised tensors become tensors of their storage integers; ops on them compute on what the integers stand for.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
//!   %0 = stablehlo.uniform_quantize %arg0 : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.5:10>>
//!   %1 = stablehlo.reshape %0
//!       : (tensor<4x!quant.uniform<i8:f32, 0.5:10>>) -> tensor<4x1x!quant.uniform<i8:f32, 0.5:10>>
//!   %2 = stablehlo.reshape %1
//!       : (tensor<4x1x!quant.uniform<i8:f32, 0.5:10>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:10>>
//!   %3 = stablehlo.uniform_dequantize %2 : (tensor<4x!quant.uniform<i8:f32, 0.5:10>>) -> tensor<4xf32>
//!   return %3 : tensor<4xf32>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
//!   %cst = stablehlo.constant dense<5.000000e-01> : tensor<4xf32>
//!   %0 = stablehlo.divide %arg0, %cst : tensor<4xf32>
//!   %1 = stablehlo.round_nearest_even %0 : tensor<4xf32>
//!   %cst_0 = stablehlo.constant dense<1.000000e+01> : tensor<4xf32>
//!   %2 = stablehlo.add %1, %cst_0 : tensor<4xf32>
//!   %cst_1 = stablehlo.constant dense<-1.280000e+02> : tensor<4xf32>
//!   %3 = stablehlo.maximum %2, %cst_1 : tensor<4xf32>
//!   %cst_2 = stablehlo.constant dense<1.270000e+02> : tensor<4xf32>
//!   %4 = stablehlo.minimum %3, %cst_2 : tensor<4xf32>
//!   %5 = stablehlo.convert %4 : (tensor<4xf32>) -> tensor<4xi8>
//!   %6 = stablehlo.reshape %5 : (tensor<4xi8>) -> tensor<4x1xi8>
//!   %7 = stablehlo.reshape %6 : (tensor<4x1xi8>) -> tensor<4xi8>
//!   %8 = stablehlo.convert %7 : (tensor<4xi8>) -> tensor<4xf32>
//!   %cst_3 = stablehlo.constant dense<1.000000e+01> : tensor<4xf32>
//!   %9 = stablehlo.subtract %8, %cst_3 : tensor<4xf32>
//!   %cst_4 = stablehlo.constant dense<5.000000e-01> : tensor<4xf32>
//!   %10 = stablehlo.multiply %9, %cst_4 : tensor<4xf32>
//!   return %10 : tensor<4xf32>
//! }
//! ```
//!
//! A value q stands for `(q − zero point) · scale`; back it is `round_even(x / scale) + zero point`, held inside the
//! storage range. Arithmetic is on the expressed float type and rounds to the result's steps once an op, as the
//! specification says. Arguments and results of functions that were quantised have the storage type afterwards.
//! Products of two tensors of 8 bits are sums of integers, scaled once (`expand_quantized/integer_product.rs`). Limits:
//! static shapes; one scale a tensor, a slice of one axis or a block.

mod integer_product;

use fornax_graph::{
    Constant, Dim, ElementType, Graph, NewOp, OpId, OpKind, QuantizedBlocks, QuantizedType, TensorType, Type, ValueId,
};
use fornax_reference::Scalar;

use super::Options;
use crate::rewrite::build::element_bytes;
use crate::rewrite::{Outcome, Rewrite, Rewriter, sweep};
use crate::errors::PassError;

/// Ops that hand their elements on; with one quantised type for all they work on the storage integers.
const MOVING: &[OpKind] = &[
    OpKind::Constant,
    OpKind::Reshape,
    OpKind::Transpose,
    OpKind::BroadcastInDim,
    OpKind::Broadcast,
    OpKind::Slice,
    OpKind::Concatenate,
    OpKind::Gather,
    OpKind::DynamicSlice,
    OpKind::DynamicUpdateSlice,
    OpKind::Pad,
    OpKind::Reverse,
    OpKind::Select,
    OpKind::BitcastConvert,
    OpKind::OptimizationBarrier,
    OpKind::Return,
    OpKind::FuncReturn,
    OpKind::FuncCall,
];

/// Row of [`Graph::quantized`] of each value, by value id; values made by the pass are added.
struct Quantities(Vec<Option<u32>>);

impl Quantities {
    fn of(&self, value: ValueId) -> Option<u32> {
        self.0.get(value.index()).copied().flatten()
    }

    fn set(&mut self, value: ValueId, row: Option<u32>) {
        if self.0.len() <= value.index() {
            self.0.resize(value.index() + 1, None);
        }
        self.0[value.index()] = row;
    }
}

pub fn run(graph: &mut Graph, _: &Options) -> Result<bool, PassError> {
    let row_of = |ty: &Type| match ty.as_tensor().map(|t| t.element) {
        Some(ElementType::Quantized(row)) => Some(row),
        _ => None,
    };
    let mut quantities = Quantities(graph.values.iter().map(|value| row_of(&value.ty)).collect());
    if quantities.0.iter().all(Option::is_none) {
        return Ok(false);
    }
    let rows = graph.quantized.clone();
    let to_storage = |element: &mut ElementType| {
        if let ElementType::Quantized(row) = *element
            && let Some(ty) = rows.get(row as usize)
        {
            *element = ty.storage;
        }
    };
    let results = graph.functions.iter_mut().flat_map(|f| &mut f.result_types);
    for ty in graph.values.iter_mut().map(|value| &mut value.ty).chain(results) {
        if let Type::Tensor(tensor) = ty {
            to_storage(&mut tensor.element);
        }
    }
    graph.constants.iter_mut().for_each(|constant| to_storage(&mut constant.ty.element));
    sweep(graph, &mut |rw, id| expand(rw, id, &rows, &mut quantities))?;
    Ok(true)
}

fn expand(rw: &mut Rewriter, id: OpId, rows: &[QuantizedType], quantities: &mut Quantities) -> Outcome {
    let op = rw.graph.op(id).clone();
    let used: Vec<u32> = op.operands.iter().chain(&op.results).filter_map(|&v| quantities.of(v)).collect();
    let Some(&first) = used.first() else { return Ok(Rewrite::Keep) };
    let same = used.iter().all(|&row| rows.get(row as usize) == rows.get(first as usize));
    let per_axis =
        used.iter().any(|&row| rows.get(row as usize).is_some_and(|ty| ty.axis.is_some() || ty.blocks.is_some()));
    if MOVING.contains(&op.kind) && (same || per_axis) || !op.regions.is_empty() {
        return Ok(Rewrite::Keep);
    }
    let refuse = |rw: &Rewriter, why: &str| PassError::unsupported(rw.graph, id, why);
    let type_of = |value: &ValueId| quantities.of(*value).and_then(|row| rows.get(row as usize));
    let types: Vec<Option<&QuantizedType>> = op.operands.iter().map(type_of).collect();
    let expressed = match (op.results.first().and_then(type_of), op.results.first().and_then(|&r| rw.tensor(r))) {
        (Some(ty), _) => ty.expressed,
        (None, Some(ty)) => ty.element,
        (None, None) => ElementType::F64,
    };
    if let [Some(left), Some(right)] = types[..]
        && let Some(value) = integer_product::product(rw, &op, [left, right], expressed)
    {
        return finish(rw, &op.results, vec![value], rows, quantities).ok_or_else(|| refuse(rw, WHY));
    }
    let mut operands = Vec::with_capacity(op.operands.len());
    for &operand in &op.operands {
        operands.push(match quantities.of(operand).and_then(|row| rows.get(row as usize)) {
            Some(ty) => dequantize(rw, operand, ty).ok_or_else(|| refuse(rw, WHY))?,
            None => operand,
        });
    }
    let values = match op.kind {
        OpKind::UniformQuantize | OpKind::UniformDequantize => operands,
        _ => {
            let types = op.results.iter().map(|&r| {
                let expressed = quantities.of(r).and_then(|row| rows.get(row as usize)).map(|ty| ty.expressed);
                match (rw.graph.ty(r), expressed) {
                    (Type::Tensor(ty), Some(element)) => Type::Tensor(ty.with_element(element)),
                    (ty, _) => ty.clone(),
                }
            });
            let mut float = NewOp::new(op.kind, operands, types.collect(), op.location);
            float.attrs = op.attrs;
            if op.kind == OpKind::Compare && float.attrs.keyword("compare_type") != Some("TOTALORDER") {
                // It spoke of the storage integers.
                float.attrs.remove("compare_type");
            }
            rw.insert(float)
        }
    };
    finish(rw, &op.results, values, rows, quantities).ok_or_else(|| refuse(rw, WHY))
}

/// Floats as the op's results: rounded to the steps of those that are quantised.
fn finish(
    rw: &mut Rewriter,
    results: &[ValueId],
    values: Vec<ValueId>,
    rows: &[QuantizedType],
    quantities: &mut Quantities,
) -> Option<Rewrite> {
    let mut replacements = Vec::with_capacity(values.len());
    for (&result, value) in results.iter().zip(values) {
        let row = quantities.of(result);
        let value = match row.and_then(|row| rows.get(row as usize)) {
            Some(ty) => quantize(rw, value, ty)?,
            None => value,
        };
        quantities.set(value, row);
        replacements.push(value);
    }
    Some(Rewrite::Replace(replacements))
}

const WHY: &str = "its quantised type does not fit a static shape";

/// `(q − zero point) · scale`.
fn dequantize(rw: &mut Rewriter, q: ValueId, ty: &QuantizedType) -> Option<ValueId> {
    let mut x = rw.convert(q, ty.expressed);
    if ty.parameters.iter().any(|p| p.1 != 0) {
        let zero = parameter(rw, x, ty, |p| p.1 as f64)?;
        x = rw.binary(OpKind::Subtract, x, zero);
    }
    let scale = parameter(rw, x, ty, |p| p.0)?;
    Some(rw.binary(OpKind::Multiply, x, scale))
}

/// `round_even(x / scale) + zero point`, inside the storage range.
fn quantize(rw: &mut Rewriter, x: ValueId, ty: &QuantizedType) -> Option<ValueId> {
    let scale = parameter(rw, x, ty, |p| p.0)?;
    let scaled = rw.binary(OpKind::Divide, x, scale);
    let mut step = rw.unary(OpKind::RoundNearestEven, scaled);
    if ty.parameters.iter().any(|p| p.1 != 0) {
        let zero = parameter(rw, x, ty, |p| p.1 as f64)?;
        step = rw.binary(OpKind::Add, step, zero);
    }
    let low = rw.float_like(step, ty.storage_min as f64);
    let raised = rw.binary(OpKind::Maximum, step, low);
    let high = rw.float_like(step, ty.storage_max as f64);
    let held = rw.binary(OpKind::Minimum, raised, high);
    Some(rw.convert(held, ty.storage))
}

/// A parameter as a constant of the shape of `like`, one value or one a slice of the quantised axis.
fn parameter(rw: &mut Rewriter, like: ValueId, ty: &QuantizedType, of: fn(&(f64, i64)) -> f64) -> Option<ValueId> {
    let shape = rw.sizes(like)?;
    if let Some(blocks) = &ty.blocks {
        return block_parameter(rw, &rw.shape(like)?, (ty, blocks), of);
    }
    let Some(axis) = ty.axis else {
        let &[only] = &ty.parameters[..] else { return None };
        return Some(rw.float_like(like, of(&only)));
    };
    let axis = usize::try_from(axis).ok()?;
    let count = shape.get(axis)?.as_static()?;
    if usize::try_from(count) != Ok(ty.parameters.len()) {
        return None;
    }
    let bytes = ty.parameters.iter().flat_map(|p| element_bytes(ty.expressed, Scalar::Float(of(p)))).collect();
    let slices = rw.constant(Constant::dense(TensorType::new(&[count], ty.expressed), bytes));
    Some(rw.broadcast(slices, &[axis], &shape))
}

/// A parameter of each block, repeated over its elements.
fn block_parameter(
    rw: &mut Rewriter,
    shape: &[i64],
    (ty, blocks): (&QuantizedType, &QuantizedBlocks),
    of: fn(&(f64, i64)) -> f64,
) -> Option<ValueId> {
    let sizes = blocks.block_sizes(shape)?;
    let bytes = ty.parameters.iter().flat_map(|p| element_bytes(ty.expressed, Scalar::Float(of(p)))).collect();
    let list = rw.constant(Constant::dense(TensorType::new(&blocks.shape, ty.expressed), bytes));
    let pairs: Vec<i64> = blocks.shape.iter().zip(&sizes).flat_map(|(&count, &size)| [count, size]).collect();
    let pairs: Vec<Dim> = pairs.into_iter().map(Dim::Static).collect();
    let to: Vec<usize> = (0..shape.len()).map(|d| 2 * d).collect();
    let repeated = rw.broadcast(list, &to, &pairs);
    Some(rw.reshape(repeated, shape))
}

#[cfg(test)]
mod tests {
    use crate::example::{import, print, reimport};
    use super::*;

    #[test]
    fn arithmetic_rounds_once_and_axes_have_their_own_scales() {
        let mut graph = import(
            "func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
               %0 = stablehlo.uniform_quantize %x \
                   : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<i8:f32:1, {0.5, 0.25, 0.125:3}>>
               %1 = stablehlo.uniform_dequantize %0 \
                   : (tensor<2x3x!quant.uniform<i8:f32:1, {0.5, 0.25, 0.125:3}>>) -> tensor<2x3xf32>
               %2 = stablehlo.uniform_quantize %1 : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<ui8:f32, 0.1:5>>
               %3 = stablehlo.multiply %2, %2 : tensor<2x3x!quant.uniform<ui8:f32, 0.1:5>>
               %4 = stablehlo.uniform_dequantize %3 : (tensor<2x3x!quant.uniform<ui8:f32, 0.1:5>>) -> tensor<2x3xf32>
               return %4 : tensor<2x3xf32>
             }",
        );
        let before = graph.clone();
        assert!(run(&mut graph, &Options::default()).unwrap());
        assert!(!run(&mut graph, &Options::default()).unwrap());
        reimport(&graph);
        assert!(!print(&graph).contains("quant"), "{}", print(&graph));
        let values = [0.3, -7.25, 1e9, -0.25, 0.37, f64::NAN].map(Scalar::Float);
        let input = fornax_reference::Tensor::from_scalars(&[2, 3], ElementType::F32, values);
        let evaluate = |graph| {
            fornax_reference::evaluate(graph, "main", std::slice::from_ref(&input), &Default::default()).unwrap()
        };
        assert_eq!(evaluate(&before), evaluate(&graph));
    }

    /// The simplified graph computes what the reference does on the quantised one; gives its text.
    fn check(text: &str, inputs: &[fornax_reference::Tensor]) -> String {
        let mut graph = import(text);
        let evaluate = |graph: &Graph| fornax_reference::evaluate(graph, "main", inputs, &Default::default()).unwrap();
        let wanted = evaluate(&graph);
        assert!(run(&mut graph, &Options::default()).unwrap());
        reimport(&graph);
        assert_eq!(wanted, evaluate(&graph), "{}", print(&graph));
        print(&graph)
    }

    fn floats(shape: &[usize], seed: usize) -> fornax_reference::Tensor {
        let value = |at: usize| Scalar::Float(((at * 37 + seed * 11) % 101) as f64 / 4.0 - 12.0);
        fornax_reference::Tensor::from_scalars(shape, ElementType::F32, (0..shape.iter().product()).map(value))
    }

    /// Scales that are powers of two: the reference's float sums are exact too.
    #[test]
    fn products_of_bytes_are_sums_of_integers() {
        let q = "!quant.uniform";
        for (left, right) in [
            (format!("{q}<i8:f32, 0.5>"), format!("{q}<i8:f32, 0.25>")),
            (format!("{q}<i8:f32, 0.5:3>"), format!("{q}<i8:f32, 0.25:-7>")),
            (format!("{q}<u8:f32, 0.5:131>"), format!("{q}<i8:f32, 0.25:5>")),
            (format!("{q}<i4:f32, 2.0:1>"), format!("{q}<u8:f32, 0.25:90>")),
            (format!("{q}<i8:f32, 0.5:-20>"), format!("{q}<i8:f32:2, {{0.5, 0.25, 2.0}}>")),
        ] {
            let text = check(
                &format!(
                    "func.func @main(%x: tensor<2x5x7xf32>, %y: tensor<7x2x3xf32>) -> tensor<2x5x3xf32> {{
                       %0 = stablehlo.uniform_quantize %x : (tensor<2x5x7xf32>) -> tensor<2x5x7x{left}>
                       %1 = stablehlo.uniform_quantize %y : (tensor<7x2x3xf32>) -> tensor<7x2x3x{right}>
                       %2 = stablehlo.dot_general %0, %1, batching_dims = [0] x [1], contracting_dims = [2] x [0] \
                           : (tensor<2x5x7x{left}>, tensor<7x2x3x{right}>) -> tensor<2x5x3x{q}<i32:f32, 0.125>>
                       %3 = stablehlo.uniform_dequantize %2 : (tensor<2x5x3x{q}<i32:f32, 0.125>>) -> tensor<2x5x3xf32>
                       return %3 : tensor<2x5x3xf32>
                     }}"
                ),
                &[floats(&[2, 5, 7], 1), floats(&[7, 2, 3], 2)],
            );
            assert!(text.contains("xi8>) -> tensor<2x5x3xi32>"), "{text}");
        }
    }

    #[test]
    fn what_is_compared_are_floats() {
        let ty = "tensor<7x!quant.uniform<i8:f32, 0.5:3>>";
        for kind in ["", ", SIGNED", ", UNSIGNED", ", FLOAT", ", TOTALORDER"] {
            let text = format!(
                "func.func @main(%x: tensor<7xf32>, %y: tensor<7xf32>) -> tensor<7xi1> {{
                   %0 = stablehlo.uniform_quantize %x : (tensor<7xf32>) -> {ty}
                   %1 = stablehlo.uniform_quantize %y : (tensor<7xf32>) -> {ty}
                   %2 = stablehlo.compare LT, %0, %1{kind} : ({ty}, {ty}) -> tensor<7xi1>
                   return %2 : tensor<7xi1>
                 }}"
            );
            check(&text, &[floats(&[7], 1), floats(&[7], 2)]);
        }
    }

    #[test]
    fn blocks_have_their_own_scales() {
        let ty = "tensor<4x6x!quant.uniform<i8:f32:{1:3, 0:2}, {{0.5, 0.25:3}, {1.0:-7, 0.125}}>>";
        let one = "tensor<4x6x!quant.uniform<i8:f32:{1:2}, {{0.5, 0.25, 2.0:3}}>>";
        for ty in [ty, one] {
            check(
                &format!(
                    "func.func @main(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {{
                       %0 = stablehlo.uniform_quantize %x : (tensor<4x6xf32>) -> {ty}
                       %1 = stablehlo.add %0, %0 : {ty}
                       %2 = stablehlo.uniform_dequantize %1 : ({ty}) -> tensor<4x6xf32>
                       return %2 : tensor<4x6xf32>
                     }}"
                ),
                &[floats(&[4, 6], 3)],
            );
        }
    }
}
