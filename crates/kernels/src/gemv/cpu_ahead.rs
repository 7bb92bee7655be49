//! What the lanes of a block have in common, computed ahead of a tile's products: a vector of blocks at a time.
//!
//! A scale in 16 bits costs a block its load, its conversion (two operations) and its spreading over the lanes. For
//! some blocks at once they are one of each; from scratch, as f32, a scale is an operand in memory of the product that
//! it meets.
//!
//! Input: the spaces of a GEMV for processors (`cpu`). Output: which numbers of which space are computed ahead, and
//! where their values lie in scratch, by column and block.
//!
//! Worked example: Q4_0, `x[1, 2048] · w[8192, 2048]`, AVX-512, 4 columns: the 64 scales of a column are four vectors
//! of 16, a tile's take 1 KiB. A block of 32 weights takes 8 vector operations, where it took 12.

use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::text::{Scalar, Ty, Value};
use fornax_graph::ElementType;
use fornax_plan::{KernelPlan, NodeId, VarId};

use super::emit::{Bound, rebind};
use super::products::{Space, Stages};
use super::schedule::points;
use crate::access::{lies_along, work};

/// Bytes of scratch, at most: half of a first-level cache of 32 KiB.
const BYTES_MAX: i64 = 16 * 1024;
/// Operations of a number from which on it is computed ahead: a load and a conversion.
const WORK_MIN: u64 = 2;
/// Bytes of a number in scratch.
const F32_BYTES: i64 = 4;

/// A number that the lanes of a block have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Number {
    node: NodeId,
    /// Its place in scratch, for the first column and block, in elements of f32.
    start: i64,
}

/// The numbers that are computed ahead.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Ahead {
    /// Of each space, in the order of the stages.
    pub of_space: Vec<Vec<Number>>,
    /// Bytes of scratch.
    pub bytes: i64,
}

impl Ahead {
    /// For tiles of so many columns.
    pub(super) fn of(plan: &KernelPlan, columns: u32, stages: &Stages) -> Ahead {
        let mut all = Ahead::default();
        for space in stages.spaces() {
            let mut numbers: Vec<Number> = Vec::new();
            let bytes = blocks(plan, space).saturating_mul(i64::from(columns)).saturating_mul(F32_BYTES);
            for step in space.affine.iter().flat_map(|affine| &affine.steps) {
                let node = step.common;
                let is_known = numbers.iter().any(|number| number.node == node);
                if !is_known && pays(plan, space, node) && all.bytes.saturating_add(bytes) <= BYTES_MAX {
                    numbers.push(Number { node, start: all.bytes / F32_BYTES });
                    all.bytes += bytes;
                }
            }
            all.of_space.push(numbers);
        }
        all
    }
}

/// The variable of a space's blocks that lie side by side.
fn block_var(space: &Space) -> Option<VarId> {
    space.reduction.iter().rev().nth(1).copied()
}

/// Blocks of a column.
fn blocks(plan: &KernelPlan, space: &Space) -> i64 {
    let outer = space.reduction.len().saturating_sub(1);
    points(plan, &space.reduction[..outer]) as i64
}

/// Whether several blocks' numbers at once are less work than each by itself.
fn pays(plan: &KernelPlan, space: &Space, node: NodeId) -> bool {
    let exprs = &plan.exprs;
    block_var(space).is_some_and(|var| {
        exprs.indices.extent(var) > 1
            && exprs.element(node) == ElementType::F32
            && work(plan, &[node]) >= WORK_MIN
            && lies_along(exprs, node, var)
    })
}

/// Where a space's numbers are when its blocks are multiplied.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    numbers: &'a [Number],
    blocks: i64,
    /// The number of the block; `None` for the first.
    block: Option<Value>,
}

impl<'a> Place<'a> {
    pub(super) fn of(e: &Emitter<'_>, space: &Space, numbers: &'a [Number]) -> Place<'a> {
        Place { numbers, blocks: blocks(e.plan, space), block: None }
    }

    /// Within one more loop over blocks, of so many turns.
    pub(super) fn within(self, e: &mut Emitter<'_>, turn: Value, turns: i64) -> Place<'a> {
        let before = self.block.map(|block| e.code.int_k("arith.muli", block, turns));
        Place { block: Some(before.map_or(turn, |before| e.code.add_i(before, turn))), ..self }
    }

    /// The number of the present block of a column; `None` where it is not computed ahead.
    pub(super) fn find(self, e: &mut Emitter<'_>, node: NodeId, column: usize) -> Option<Value> {
        let number = self.numbers.iter().find(|number| number.node == node)?;
        let pointer = self.pointer(e, *number, column);
        let ty = Ty::scalar(Scalar::F32);
        Some(e.code.effect(ty, &format!("llvm.load {pointer} {{alignment = 4 : i64}} : !llvm.ptr -> {ty}")))
    }

    fn pointer(self, e: &mut Emitter<'_>, number: Number, column: usize) -> Value {
        let ty = e.index_ty();
        let block = self.block.unwrap_or_else(|| e.code.int(ty, 0));
        let at = e.code.add_ik(block, number.start + column as i64 * self.blocks);
        let bytes = e.code.int_k("arith.muli", at, F32_BYTES);
        let pointer = Ty::scalar(Scalar::Ptr(0));
        e.code.pure(
            pointer,
            format!("llvm.getelementptr inbounds %scratch[{bytes}] : (!llvm.ptr, {ty}) -> !llvm.ptr, i8"),
        )
    }

    /// Computes the numbers of a tile's columns, as many blocks at a time as there are lanes.
    ///
    /// # Errors
    /// Of what the numbers are made of.
    pub(super) fn compute(
        self,
        e: &mut Emitter<'_>,
        (space, outer): (&Space, &[VarId]),
        columns: &[Bound],
        lanes: u32,
    ) -> Result<(), EmitError> {
        let Some((&var, inner)) = outer.split_first() else { return Ok(()) };
        let extent = e.exprs.indices.extent(var);
        if inner.is_empty() {
            return self.compute_row(e, (var, extent), columns, lanes);
        }
        let open = begin(e, [0, extent, 1]);
        e.bind(var, Some(open.iv), 1, 0);
        let within = self.within(e, open.iv, extent);
        within.compute(e, (space, inner), columns, lanes)?;
        e.code.end_for(open, &[]);
        Ok(())
    }

    /// Those of blocks side by side: whole vectors, then what is left in shorter ones.
    fn compute_row(
        self,
        e: &mut Emitter<'_>,
        (var, extent): (VarId, i64),
        columns: &[Bound],
        lanes: u32,
    ) -> Result<(), EmitError> {
        let (mut from, mut width) = (0, lanes);
        while from < extent {
            let whole = (extent - from) / i64::from(width) * i64::from(width);
            if whole > 0 {
                let open = begin(e, [from, from + whole, i64::from(width)]);
                e.lanes = width;
                e.bind_lanes(var, Some(open.iv), 1, 0);
                let within = self.within(e, open.iv, extent);
                within.store(e, columns)?;
                e.code.end_for(open, &[]);
            }
            (from, width) = (from + whole, width / 2);
        }
        e.lanes = 1;
        Ok(())
    }

    /// Computes and stores the numbers of the bound blocks.
    fn store(self, e: &mut Emitter<'_>, columns: &[Bound]) -> Result<(), EmitError> {
        for (at, column) in columns.iter().enumerate() {
            rebind(e, column);
            for &number in self.numbers {
                let value = e.eval(number.node)?;
                let lanes = e.lanes;
                let value = e.code.spread(value, lanes);
                let pointer = self.pointer(e, number, at);
                let ty = value.ty;
                e.code.line(&format!("llvm.store {value}, {pointer} {{alignment = 4 : i64}} : {ty}, !llvm.ptr"));
            }
        }
        Ok(())
    }
}

fn begin(e: &mut Emitter<'_>, bounds: [i64; 3]) -> fornax_emit::text::Loop {
    let ty = e.index_ty();
    let [low, high, step] = bounds.map(|k| e.code.int(ty, k));
    e.code.begin_for(low, high, step, &[])
}
