//! Several products of few steps: a thread asks for all that it multiplies before it multiplies anything.
//!
//! Where the operands come from the second-level cache, a kernel is as long as its round trips, and products of
//! different steps would wait one after another. ptxas moves loads down to where their values are used, so that fewer
//! registers are taken; it moves none across a meeting of the warp, which costs next to nothing.
//!
//! Worked example: an LSTM of 256 units on [8, 128], 4 columns of 4 gates and 256 threads a workgroup: a thread has one
//! step of x·W and two of h·U, 24 loads of 8 and 24 of 4 bytes. One round trip instead of three.

use super::emit::{Block, Bound, Gemv, LongRead, Start};
use super::products::Space;
use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::text::{Ty, Value};
use fornax_plan::NodeId;

/// A block whose operands are under way.
pub(super) struct Fetched {
    block: Block,
    /// Whether it is one of this thread's; `None`: it is.
    active: Option<Value>,
}

/// A block whose long operands are under way.
pub(super) struct Begun {
    start: Start,
    /// By long operand, load.
    long: Vec<Vec<Value>>,
    /// As of [`Fetched`].
    active: Option<Value>,
}

/// All lanes of a warp.
const ALL_LANES: u64 = 0xffff_ffff;

/// A meeting of the warp, which no load moves across.
pub(super) fn meet(e: &mut Emitter<'_>) {
    let lanes = e.code.bits(Ty::scalar(fornax_emit::text::Scalar::I32), ALL_LANES);
    e.code.line(&format!("nvvm.bar.warp.sync {lanes} : i32"));
}

impl Gemv<'_> {
    /// Starts to fetch the long operands of all blocks of thread `down`, space by space.
    pub(super) fn begin_all(
        &self,
        e: &mut Emitter<'_>,
        points: &[Bound],
        down: Value,
    ) -> Result<Vec<Vec<Begun>>, EmitError> {
        let down = e.code.resize_u(down, e.index);
        let index = e.index_ty();
        let mut all = Vec::new();
        for space in self.stages.spaces() {
            let (rounds, left) = self.full_rounds(e, space);
            let mut starts: Vec<(Start, Option<Value>)> = Vec::new();
            let first = e.code.int(index, 0);
            starts.extend(self.starts(e, space, (first, down), rounds).into_iter().map(|start| (start, None)));
            if left > 0 {
                // Threads without a block fetch the last one.
                let active = e.code.cmp_ik("ult", down, left);
                let last = e.code.int(down.ty, left - 1);
                let own = e.code.binary("arith.minui", down, last);
                let first = e.code.int(index, rounds);
                let start = self.starts(e, space, (first, own), 1);
                starts.extend(start.into_iter().map(|start| (start, Some(active))));
            }
            let mut begun = Vec::new();
            for (start, active) in starts {
                let loads = 0..self.schedule.loads();
                let fetch = |&long: &NodeId| {
                    self.fetch_long(e, &start, LongRead { points, inner: space.inner, long, loads: loads.clone() })
                };
                let long = space.long.iter().map(fetch).collect::<Result<Vec<_>, _>>()?;
                begun.push(Begun { start, long, active });
            }
            all.push(begun);
        }
        Ok(all)
    }

    /// Starts to fetch the short operands of all blocks, and goes on when all loads are under way.
    pub(super) fn fetch_all(&self, e: &mut Emitter<'_>, all: Vec<Vec<Begun>>) -> Result<Vec<Vec<Fetched>>, EmitError> {
        if all.is_empty() {
            return Ok(Vec::new());
        }
        let mut fetched = Vec::new();
        for (space, begun) in self.stages.spaces().zip(all) {
            let mut blocks = Vec::new();
            for Begun { start, long, active } in begun {
                blocks.push(Fetched { block: self.block(e, space, &start, long)?, active });
            }
            fetched.push(blocks);
        }
        meet(e);
        Ok(fetched)
    }

    /// Adds the products of the blocks of a space to its sums.
    pub(super) fn multiply_all(
        &self,
        e: &mut Emitter<'_>,
        space: &Space,
        blocks: &[Fetched],
        mut sums: Vec<Value>,
    ) -> Result<Vec<Value>, EmitError> {
        for Fetched { block, active } in blocks {
            let before = sums.clone();
            let types: Vec<Ty> = sums.iter().map(|v| v.ty).collect();
            let folded = active.map(|active| e.code.begin_if(active, &types));
            for &term in &space.terms {
                self.multiply(e, block, term, &mut sums)?;
            }
            if let Some(folded) = folded {
                e.code.begin_else(&sums);
                e.code.end_if(&before);
                sums = folded;
            }
        }
        Ok(sums)
    }
}
