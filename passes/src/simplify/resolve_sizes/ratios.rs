//! Sizes that are computed by way of floats, or from constants by any ops.
//!
//! torch-mlir divides sizes as f64: `convert(floor(convert(n) / convert(2)))`. A small f64 tensor whose elements are
//! quotients of sizes is followed as such, and a conversion back rounds them as the op says. Quotients of sizes below
//! 2⁵³ are exact enough in f64 that rounding them to an integer gives what the integers give.
//!
//! What depends on constants alone is computed by the reference evaluator: then it is a number, and nothing reads it at
//! run time.
//!
//! Worked example: n → f64, times 0.5 is n / 2; its floor is n floordiv 2.

use fornax_graph::ops::{self, Trait};
use fornax_graph::{Dim, ElementType, OpKind, ValueId};
use fornax_reference::{Limits, Scalar, Tensor, evaluate_op};

use super::super::constants::{constant_of, tensor_of};
use super::super::has_side_effect;
use super::Resolver;
use super::contents::MOST;

/// Longest chain of ops that is followed.
const DEEPEST: usize = 64;
/// Largest power of two by which a constant is divided.
const SHIFT_MAX: i32 = 30;
/// Integers that f64 holds.
const EXACT: f64 = (1u64 << 53) as f64;

/// A number as a quotient of sizes; the divisor is positive.
#[derive(Clone, Copy)]
pub struct Ratio {
    over: Dim,
    under: Dim,
}

impl Resolver<'_> {
    /// The integers that a conversion makes of f64 elements: rounded to zero.
    pub fn rounded(&mut self, from: ValueId) -> Option<Vec<Dim>> {
        let ratios = self.ratios(from, 0)?;
        ratios.into_iter().map(|r| self.graph.dim_divide(r.over, r.under)).collect()
    }

    /// The elements of a small f64 tensor.
    fn ratios(&mut self, value: ValueId, depth: usize) -> Option<Vec<Ratio>> {
        let ty = self.graph.ty(value).as_tensor()?;
        let count = ty.static_shape()?.iter().product::<i64>();
        if ty.element != ElementType::F64 || count > MOST || depth > DEEPEST {
            return None;
        }
        if let Some(constant) = constant_of(self.graph, value) {
            let bytes = constant.to_bytes();
            let number = |chunk: &[u8]| Some(f64::from_le_bytes(chunk.try_into().ok()?));
            return bytes.chunks_exact(8).map(|chunk| dyadic(number(chunk)?)).collect();
        }
        let id = self.graph.producer(value)?;
        let op = self.graph.op(id);
        let (kind, operands) = (op.kind, op.operands.clone());
        let first = *operands.first()?;
        let whole = |dims: Vec<Dim>| dims.into_iter().map(|over| Ratio { over, under: Dim::Static(1) }).collect();
        match kind {
            OpKind::Convert if self.graph.ty(first).as_tensor()?.element.is_integer() => {
                self.known_contents(first).map(whole)
            }
            OpKind::Convert | OpKind::Reshape | OpKind::OptimizationBarrier if operands.len() == 1 => {
                self.ratios(first, depth + 1)
            }
            OpKind::BroadcastInDim => {
                let from = self.ratios(first, depth + 1)?;
                (from.len() == 1).then(|| vec![from[0]; count as usize])
            }
            OpKind::Floor | OpKind::Ceil => {
                let from = self.ratios(first, depth + 1)?;
                let round = |r: Ratio, g: &mut fornax_graph::Graph| match kind {
                    OpKind::Floor => g.dim_floor_div(r.over, r.under),
                    _ => g.dim_ceil_div(r.over, r.under),
                };
                let dims = from.into_iter().map(|r| round(r, self.graph)).collect();
                Some(whole(dims))
            }
            OpKind::Negate => {
                let from = self.ratios(first, depth + 1)?;
                let negate = |r: Ratio, g: &mut fornax_graph::Graph| g.dim_sub(Dim::Static(0), r.over);
                Some(from.into_iter().map(|r| Ratio { over: negate(r, self.graph), under: r.under }).collect())
            }
            OpKind::Add | OpKind::Subtract | OpKind::Multiply | OpKind::Divide => {
                let (a, b) = (self.ratios(first, depth + 1)?, self.ratios(*operands.get(1)?, depth + 1)?);
                a.into_iter().zip(b).map(|(a, b)| self.combined(kind, a, b)).collect()
            }
            _ => None,
        }
    }

    fn combined(&mut self, kind: OpKind, a: Ratio, b: Ratio) -> Option<Ratio> {
        let g = &mut *self.graph;
        Some(match kind {
            OpKind::Multiply => Ratio { over: g.dim_mul(a.over, b.over), under: g.dim_mul(a.under, b.under) },
            OpKind::Divide if g.dim_bounds(b.over).0 > 0 => {
                Ratio { over: g.dim_mul(a.over, b.under), under: g.dim_mul(a.under, b.over) }
            }
            OpKind::Add | OpKind::Subtract => {
                let (x, y) = (g.dim_mul(a.over, b.under), g.dim_mul(b.over, a.under));
                let over = if kind == OpKind::Add { g.dim_add(x, y) } else { g.dim_sub(x, y) };
                Ratio { over, under: g.dim_mul(a.under, b.under) }
            }
            _ => return None,
        })
    }

    /// The integers of a value that depends on constants and known sizes alone.
    pub fn folded(&mut self, value: ValueId) -> Option<Vec<Dim>> {
        let tensor = self.computed_now(value, 0)?;
        let integer = |scalar: &Scalar| i64::try_from(scalar.as_int()).ok().map(Dim::Static);
        tensor.scalars().iter().map(integer).collect()
    }

    /// The tensor that the evaluator computes.
    fn computed_now(&mut self, value: ValueId, depth: usize) -> Option<Tensor> {
        if let Some(found) = self.evaluated.get(&value) {
            return found.clone();
        }
        let ty = self.graph.ty(value).as_tensor()?.clone();
        let count = ty.static_shape()?.iter().product::<i64>();
        if count > MOST || ty.element.is_quantized() || depth > DEEPEST {
            return None;
        }
        let found = match self.sizes_now(value, depth) {
            Some(sizes) => {
                let scalars = sizes.into_iter().map(|n| Scalar::Int(n.into()));
                let sizes: Vec<usize> = ty.static_shape()?.iter().map(|&n| n as usize).collect();
                Some(Tensor::from_scalars(&sizes, ty.element, scalars))
            }
            None => self.op_now(value, depth),
        };
        self.evaluated.insert(value, found.clone());
        found
    }

    /// The numbers of an operand that are known as sizes.
    fn sizes_now(&mut self, value: ValueId, depth: usize) -> Option<Vec<i64>> {
        // Of the value that is asked for nothing is known.
        if depth == 0 || !self.graph.ty(value).as_tensor()?.element.is_integer() {
            return None;
        }
        self.known_contents(value)?.into_iter().map(Dim::as_static).collect()
    }

    fn op_now(&mut self, value: ValueId, depth: usize) -> Option<Tensor> {
        if let Some(tensor) = tensor_of(self.graph, value) {
            return Some(tensor);
        }
        let id = self.graph.producer(value)?;
        let op = self.graph.op(id);
        let row = ops::row(op.kind);
        if !op.regions.is_empty() || op.operands.is_empty() || !row.has(Trait::Elementwise) && !is_move(op.kind) {
            return None;
        }
        let (operands, at) = (op.operands.clone(), op.results.iter().position(|&r| r == value)?);
        if has_side_effect(self.graph, id) {
            return None;
        }
        let mut inputs = Vec::with_capacity(operands.len());
        for operand in operands {
            inputs.push(self.computed_now(operand, depth + 1)?);
        }
        let limits = Limits { max_elements: MOST as u64, max_steps: 1 << 16 };
        evaluate_op(self.graph, id, &inputs, &limits).ok()?.into_iter().nth(at)
    }
}

/// Ops that move elements.
fn is_move(kind: OpKind) -> bool {
    use OpKind::{BroadcastInDim, Concatenate, DynamicSlice, Reshape, Reverse, Slice, Transpose};
    matches!(kind, BroadcastInDim | Concatenate | DynamicSlice | Reshape | Reverse | Slice | Transpose)
}

/// A constant as an integer over a power of two.
fn dyadic(value: f64) -> Option<Ratio> {
    let mut over = value;
    for shift in 0..=SHIFT_MAX {
        if over.abs() >= EXACT {
            return None;
        }
        if over.fract() == 0.0 {
            return Some(Ratio { over: Dim::Static(over as i64), under: Dim::Static(1 << shift) });
        }
        over *= 2.0;
    }
    None
}
