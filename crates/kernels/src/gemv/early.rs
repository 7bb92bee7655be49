//! The first blocks of the long operand, fetched before the kernels that this one depends on are over.
//!
//! A GEMV is as long as its weights take from memory. Where no kernel of a call writes what the long operands read
//! ([`fornax_plan::KernelPlan::early`]), each thread asks for its first blocks, then waits, and reads the short
//! operand after that: memory goes on sending while the kernels before (a norm, an attention) end.
//!
//! Where the short operand is there, too, when the kernel starts, as an earlier kernel wrote it that is over by then
//! ([`fornax_plan::schedule::Schedule::settled`]), the wait comes behind the first blocks, or behind the loads of
//! all: a norm's factor is found meanwhile, and the epilogue reads it.
//!
//! Worked example: [1, 2048]·[2048, 8192] bf16, 256 threads of 8 loads of 16 bytes: the first load of each, 4 KiB a
//! workgroup, is under way at the wait; the seven others follow. Where a thread asks for all that it multiplies at once
//! (`prefetch`), all of its weights are: a step of a GRU of 256 units, on one H100, 2.91 us -> 2.69.

use fornax_plan::walk::Reached;
use fornax_plan::{KernelPlan, Node, NodeId};

use super::emit::{Bound, Gemv, Start};
use super::prefetch::meet;
use super::products::Stages;
use super::steps::{Loaded, Steps};
use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::text::Value;

/// Bytes that a thread reads so early, at least one load of each operand. ptxas keeps them in registers over the wait.
/// Source: products of [1, 2048] bf16 have 32 registers with 16 bytes, 34 with 32 (a quarter fewer threads fit), 80
/// with 128; a step of Llama 1B on one H100: 1177 us, 1184, 1334.
const EARLY_BYTES: u64 = 16;

/// Blocks of a thread of which the first loads of the long operands are under way.
pub(super) struct Begun<S: Steps + ?Sized> {
    pub starts: Vec<Start>,
    pub(super) long: Loaded<S>,
}

/// Buffers that the long operands read, each once.
pub(super) fn long_buffers(plan: &KernelPlan, stages: &Stages) -> Vec<u32> {
    buffers(plan, stages.spaces().flat_map(|space| space.long.iter().copied()))
}

/// Buffers that the short operands read, each once.
pub(super) fn short_buffers(plan: &KernelPlan, stages: &Stages) -> Vec<u32> {
    buffers(plan, stages.spaces().flat_map(|space| space.short.iter().copied()))
}

fn buffers(plan: &KernelPlan, operands: impl IntoIterator<Item = NodeId>) -> Vec<u32> {
    let reached = Reached::from(&plan.exprs, operands, &[]);
    let buffer = |node| match plan.exprs.node(node) {
        Node::Load { buffer, .. } => Some(*buffer),
        _ => None,
    };
    let mut buffers: Vec<u32> = reached.nodes.into_iter().filter_map(buffer).collect();
    buffers.sort_unstable();
    buffers.dedup();
    buffers
}

impl Gemv<'_> {
    /// The kernel starts to read its long operands before it waits.
    ///
    /// # Errors
    /// `FX0404` for a plan that lets it read only some of them early.
    pub(super) fn is_early(&self, e: &Emitter<'_>) -> Result<bool, EmitError> {
        if e.plan.early.is_empty() {
            return Ok(false);
        }
        let all = long_buffers(e.plan, &self.stages).iter().all(|buffer| e.plan.early.contains(buffer));
        if all { Ok(true) } else { Err(e.unfit("only some long operands are read early")) }
    }

    /// The kernel reads its short operands before it waits, too: what they read is there when it starts.
    pub(super) fn is_settled(&self, e: &Emitter<'_>) -> bool {
        let short = short_buffers(e.plan, &self.stages);
        !short.is_empty() && short.iter().all(|buffer| e.plan.early.contains(buffer))
    }

    /// Loads of each long operand of a space that a thread begins so early.
    fn early_loads<S: Steps>(&self, e: &Emitter<'_>, steps: &S) -> usize {
        if steps.begins_all() {
            return self.schedule.loads();
        }
        let bytes = |&buffer: &u32| e.plan.buffers.get(buffer as usize).map_or(0, |b| b.element.storage_bytes());
        let widest = long_buffers(e.plan, &self.stages).iter().map(bytes).max().unwrap_or(0);
        let load = u64::from(self.schedule.lanes) * widest as u64 * steps.space().long.len() as u64;
        (EARLY_BYTES / load.max(1)).clamp(1, self.schedule.loads() as u64) as usize
    }

    /// Starts to fetch the first block of a space, if every thread has one.
    pub(super) fn begin_first<S: Steps>(
        &self,
        e: &mut Emitter<'_>,
        down: Value,
        steps: &S,
    ) -> Result<Option<Begun<S>>, EmitError> {
        let space = steps.space();
        let rounds = self.full_rounds(e, space).0;
        if rounds == 0 {
            return Ok(None);
        }
        let down = self.own_down(e, down);
        let first = e.code.int(e.index_ty(), 0);
        let count = if self.schedule.quads { rounds.min(self.schedule.depth.into()) } else { 1 };
        let starts = self.starts(e, space, (first, down), count);
        let loads = 0..self.early_loads(e, steps);
        let long = steps.fetch(e, &starts, loads)?;
        Ok(Some(Begun { starts, long }))
    }

    /// Fetches what is missing of begun blocks, and adds their products to sums.
    pub(super) fn go_on<S: Steps>(
        &self,
        e: &mut Emitter<'_>,
        steps: &S,
        Begun { starts, mut long }: Begun<S>,
        sums: Vec<Value>,
    ) -> Result<Vec<Value>, EmitError> {
        let begun = self.early_loads(e, steps);
        let others = steps.fetch(e, &starts, begun..self.schedule.loads())?;
        for (begun, others) in long.iter_mut().flatten().zip(others.into_iter().flatten()) {
            begun.extend(others);
        }
        steps.multiply(e, (&starts, long), sums, true)
    }

    /// Waits where the kernel is early, and asks for what the epilogue of the output at `place` reads; gives that's
    /// bindings, which may be known.
    pub(super) fn wait(
        &self,
        e: &mut Emitter<'_>,
        place: (Value, Value),
        (is_early, known): (bool, Option<Bound>),
    ) -> Result<Option<Bound>, EmitError> {
        if is_early {
            self.await_earlier(e)?;
        }
        if e.plan.announces() {
            let outputs = self.rows * self.schedule.width() as i64;
            let stores = e.code.cmp_ik("ult", place.0, outputs);
            e.look_for_announced(stores)?;
        }
        self.ahead(e, place, known)
    }

    /// Waits for the kernels that this one depends on, behind the loads that were begun.
    pub(super) fn await_earlier(&self, e: &mut Emitter<'_>) -> Result<(), EmitError> {
        meet(e);
        e.await_earlier()
    }
}
