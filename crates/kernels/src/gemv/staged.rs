//! The short operand in shared memory, once for all rows of a workgroup.
//!
//! A lane's load of bytes, 16 of them, meets 64 bytes of f32: neighbours' loads of 16 of these lie 64 bytes apart, so
//! that four of them want the same banks. Here they lie side by side: the first 16 bytes of all blocks, then the second
//! ones (*planes*). Each element is read from memory and computed once a workgroup, by neighbouring threads.
//!
//! ```text
//! begin to load the first blocks; wait for the kernels before; lay down x; meet; multiply
//! ```
//!
//! Worked example: 4096 elements of x, 16 bytes a load of Q8_0: 256 blocks of 4 planes; a plane takes 4096 bytes and 32
//! more, so that the four planes of a block that threads write at a time lie in different banks.

use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::text::{Scalar, Ty, Value};
use fornax_plan::KernelPlan;
use fornax_targets::fitted::gemv::computed::STAGED_MAX;
use fornax_targets::{Backend, Target};

use super::affine::LANES_MIN;
use super::emit::{Gemv, bind_joint};
use super::products::{Space, Stages};
use super::schedule::{GemvSchedule, points};
use super::shape::{Shape, Steps as Numbers, Way};

/// Loads that a thread has under way when it lays down.
const LOADS: u64 = 8;
/// Elements of a load from shared memory, its bytes, and those of all banks.
const EACH: u64 = 4;
const LOAD_BYTES: u64 = 16;
const BANKS_BYTES: u64 = 128;

/// Where the elements of a space lie.
#[derive(Clone, Copy)]
struct Layout {
    /// Loads of a block, and bytes from one to the next.
    planes: u64,
    plane_bytes: u64,
    /// Short operands times short outputs.
    vectors: u64,
}

impl Layout {
    /// Of so many steps, in blocks of `lanes`, and vectors.
    fn of(steps: u64, lanes: u64, vectors: u64) -> Layout {
        let planes = (lanes / EACH).max(1);
        let beside = if planes > 1 { BANKS_BYTES / planes.min(BANKS_BYTES / LOAD_BYTES) } else { 0 };
        let plane_bytes = (steps / lanes.max(1) * LOAD_BYTES).next_multiple_of(BANKS_BYTES) + beside;
        Layout { planes, plane_bytes, vectors }
    }

    fn bytes(self) -> u64 {
        self.vectors * self.planes * self.plane_bytes
    }
}

impl Shape {
    /// Bytes of the short operand in a workgroup's shared memory; `None` where it stays in memory.
    pub(super) fn staged_bytes(&self, target: &Target, way: &Way) -> Option<u64> {
        let meets = self.inside && !way.matrix && way.cluster == 1 && way.parts == 1 && target.backend == Backend::Cuda;
        let narrow = self.computed.is_some_and(|computed| computed.is_unpacked && computed.short > 1.0);
        if !meets || !narrow || way.lanes < u64::from(LANES_MIN) || self.accumulator_bytes != 4 {
            return None;
        }
        let each = |steps: &Numbers| bytes_of(steps.blocks(1, 1), way.lanes, steps.short * self.rows);
        let bytes = self.steps.iter().map(each).sum();
        (bytes <= STAGED_MAX.min(target.shared_bytes_max.into())).then_some(bytes)
    }
}

/// Bytes of so many steps of each of some vectors, in blocks of `lanes`.
fn bytes_of(steps: u64, lanes: u64, vectors: u64) -> u64 {
    Layout::of(steps, lanes, vectors).bytes()
}

/// The same of all spaces of a plan.
pub(super) fn bytes(schedule: &GemvSchedule, plan: &KernelPlan) -> u64 {
    let stages = Stages::of(plan, schedule.long_is_lhs);
    let rows = points(plan, &schedule.short);
    let layout = |space: &Space| {
        let steps = points(plan, &space.reduction);
        Layout::of(steps, u64::from(schedule.lanes), space.short.len() as u64 * rows)
    };
    stages.spaces().map(|space| layout(space).bytes()).sum()
}

/// What a workgroup laid down.
pub(super) struct Staged {
    array: Value,
    lanes: u64,
    rows: u64,
    /// By space, in the order of the stages: its first byte, and its layout.
    spaces: Vec<(u64, Layout)>,
}

impl Staged {
    /// Lays down the short operands.
    pub(super) fn of(e: &mut Emitter<'_>, gemv: &Gemv<'_>, thread: Value) -> Result<Staged, EmitError> {
        let s = gemv.schedule;
        let array = e.abi.dynamic_shared(&mut e.code);
        let (lanes, rows) = (u64::from(s.lanes), gemv.rows as u64);
        let mut staged = Staged { array, lanes, rows, spaces: Vec::new() };
        let mut first = 0;
        for space in gemv.stages.spaces() {
            let steps = points(e.plan, &space.reduction);
            let layout = Layout::of(steps, lanes, space.short.len() as u64 * rows);
            staged.spaces.push((first, layout));
            first += layout.bytes();
        }
        for (number, space) in gemv.stages.spaces().enumerate() {
            let chunks = points(e.plan, &space.reduction) / EACH;
            let threads = u64::from(s.threads());
            let each = (LOADS / (rows * space.short.len() as u64).max(1)).max(1);
            let mut done = 0;
            while done < chunks / threads {
                let next = (done + each).min(chunks / threads);
                let places = (done..next).map(|round| e.code.add_ik(thread, (round * threads) as i64)).collect();
                staged.lay(e, gemv, (number, space), places)?;
                done = next;
            }
            if !chunks.is_multiple_of(threads) {
                let at = e.code.add_ik(thread, (done * threads) as i64);
                let exists = e.code.cmp_ik("ult", at, chunks as i64);
                e.code.begin_if(exists, &[]);
                staged.lay(e, gemv, (number, space), vec![at])?;
                e.code.end_if(&[]);
            }
        }
        e.abi.barrier(&mut e.code);
        Ok(staged)
    }

    /// Lays down chunks of four steps of each vector of a space: all are under way before the first is written.
    fn lay(
        &self,
        e: &mut Emitter<'_>,
        gemv: &Gemv<'_>,
        (number, space): (usize, &Space),
        chunks: Vec<Value>,
    ) -> Result<(), EmitError> {
        let layout = self.spaces[number].1;
        let mut loaded = Vec::new();
        for at in chunks {
            let mut chunk = e.code.resize_u(at, e.index);
            e.lanes = EACH as u32;
            let of_inner = e.exprs.indices.extent(space.inner) / EACH as i64;
            let digit = if space.reduction.len() == 1 { chunk } else { e.next_digit(&mut chunk, of_inner) };
            bind_joint(e, &space.reduction[..space.reduction.len() - 1], chunk);
            let base = e.code.int_k("arith.muli", digit, EACH as i64);
            e.bind_lanes(space.inner, Some(base), EACH as i64, 0);
            for (short, &node) in space.short.iter().enumerate() {
                for row in 0..self.rows {
                    gemv.bind_short(e, row as i64);
                    let value = e.eval(node)?;
                    loaded.push((at, short, row, e.code.spread(value, EACH as u32)));
                }
            }
        }
        for (at, short, row, value) in loaded {
            let (block, plane) = match layout.planes {
                1 => (at, e.code.int(at.ty, 0)),
                planes => e.code.div_rem(at, planes as i64),
            };
            let there = self.pointer(e, (number, short, row), block);
            let own = e.code.int_k("arith.muli", plane, layout.plane_bytes as i64);
            let there = e.code.byte_offset(there, own);
            e.code.line(&format!("llvm.store {value}, {there} {{alignment = 16 : i64}} : {}, {}", value.ty, there.ty));
        }
        Ok(())
    }

    /// The first bytes of a block of a vector: that of a short operand of a space, and a row.
    fn pointer(&self, e: &mut Emitter<'_>, (space, short, row): (usize, usize, u64), block: Value) -> Value {
        let (first, layout) = self.spaces[space];
        let vector = short as u64 * self.rows + row;
        let constant = first + vector * layout.planes * layout.plane_bytes;
        let block = e.code.resize_u(block, Scalar::I32);
        let own = e.code.int_k("arith.muli", block, LOAD_BYTES as i64);
        let own = e.code.add_ik(own, constant as i64);
        e.code.byte_offset(self.array, own)
    }

    /// The elements of a block.
    pub(super) fn read(&self, e: &mut Emitter<'_>, (space, short, row): (usize, usize, u64), block: Value) -> Value {
        let first = self.pointer(e, (space, short, row), block);
        let ty = Ty::vector(Scalar::F32, EACH as u32);
        let mut elements = Vec::new();
        for plane in 0..self.lanes / EACH {
            let bytes = e.code.int(Ty::scalar(Scalar::I32), (plane * self.spaces[space].1.plane_bytes) as i64);
            let there = e.code.byte_offset(first, bytes);
            let value =
                e.code.effect(ty, &format!("llvm.load {there} {{alignment = 16 : i64}} : {} -> {ty}", there.ty));
            elements.extend((0..EACH as u32).map(|lane| e.code.extract(value, lane)));
        }
        e.code.assemble(&elements)
    }
}
