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
//!
//! Matrix instructions (`quads`) read 16-bit floats, and four blocks at a time: there a block's elements lie side by
//! side, and behind all of them one block of zeros, which those lanes read whose x is not multiplied.

use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::text::{Scalar, Ty, Value};
use fornax_plan::{KernelPlan, form};
use fornax_targets::fitted::gemv::computed::STAGED_MAX;
use fornax_targets::{Backend, Target};

use super::affine::LANES_MIN;
use super::emit::{Gemv, bind_joint};
use super::fixed_shape::{self, Blocks};
use super::products::{Space, Stages};
use super::schedule::{GemvSchedule, QUAD_THREADS, QUADS, points};
use super::shape::{LOAD_BYTES, Shape, Steps as Numbers, Way};

/// Loads that a thread has under way when it lays down.
const LOADS: u64 = 8;
/// Bytes of all banks of shared memory.
const BANKS_BYTES: u64 = 128;

/// Bytes of an element: f32, or 16-bit floats for quads.
fn element_bytes(quads: bool) -> u64 {
    if quads { 2 } else { 4 }
}

/// Where the elements of a space lie.
#[derive(Clone, Copy)]
struct Layout {
    /// Loads of a block, and bytes from one to the next.
    planes: u64,
    plane_bytes: u64,
    /// Bytes from a block to the next, and of all blocks of a vector.
    block_bytes: u64,
    vector_bytes: u64,
    /// Short operands times short outputs.
    vectors: u64,
}

impl Layout {
    /// Of so many steps, in blocks of `lanes`, and vectors.
    fn of(steps: u64, (lanes, quads): (u64, bool), vectors: u64) -> Layout {
        let planes = (lanes * element_bytes(quads) / LOAD_BYTES).max(1);
        let blocks = steps / lanes.max(1);
        if quads {
            let block_bytes = planes * LOAD_BYTES;
            return Layout {
                planes,
                plane_bytes: LOAD_BYTES,
                block_bytes,
                vector_bytes: blocks * block_bytes,
                vectors,
            };
        }
        let beside = if planes > 1 { BANKS_BYTES / planes.min(BANKS_BYTES / LOAD_BYTES) } else { 0 };
        let plane_bytes = (blocks * LOAD_BYTES).next_multiple_of(BANKS_BYTES) + beside;
        Layout { planes, plane_bytes, block_bytes: LOAD_BYTES, vector_bytes: planes * plane_bytes, vectors }
    }

    fn bytes(self) -> u64 {
        self.vectors * self.vector_bytes
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
        if way.fixed {
            let bytes = fixed_shape::bytes(self.steps.iter().map(|steps| (steps.blocks(way.lanes, 1), steps.short)));
            return (bytes <= STAGED_MAX.min(target.shared_bytes_max.into())).then_some(bytes);
        }
        let block = (way.lanes, way.quads);
        let each = |steps: &Numbers| Layout::of(steps.blocks(1, 1), block, steps.short * self.rows).bytes();
        let bytes = self.steps.iter().map(each).sum::<u64>() + zeros_bytes(block);
        (bytes <= STAGED_MAX.min(target.shared_bytes_max.into())).then_some(bytes)
    }
}

/// Bytes of the zeros behind all vectors.
fn zeros_bytes((lanes, quads): (u64, bool)) -> u64 {
    if quads { lanes * element_bytes(quads) } else { 0 }
}

/// Bytes of all spaces of a plan.
pub(super) fn bytes(schedule: &GemvSchedule, plan: &KernelPlan) -> u64 {
    if schedule.fixed {
        return fixed_shape::bytes_of(schedule, plan);
    }
    let stages = Stages::of(plan, schedule.long_is_lhs);
    let rows = points(plan, &schedule.short);
    let block = (u64::from(schedule.lanes), schedule.quads);
    let layout = |space: &Space| {
        let steps = points(plan, &space.reduction);
        Layout::of(steps, block, space.short.len() as u64 * rows)
    };
    stages.spaces().map(|space| layout(space).bytes()).sum::<u64>() + zeros_bytes(block)
}

/// What a workgroup laid down.
pub(super) struct Staged {
    pub array: Value,
    lanes: u64,
    rows: u64,
    /// Elements of a load from it.
    each: u64,
    /// By space, in the order of the stages: its first byte, and its layout.
    spaces: Vec<(u64, Layout)>,
    pairs: Option<Pairs>,
    /// What is in fixed point (`fixed`).
    pub blocks: Option<Blocks>,
}

/// What a lane of a quad reads.
struct Pairs {
    /// It is one of those whose x is multiplied.
    active: Value,
    /// Which of two short outputs it has, and that it is the second one.
    row: Value,
    is_second: Value,
    /// The first byte of the zeros.
    zeros: u64,
}

impl Staged {
    /// Lays down the short operands.
    pub(super) fn of(e: &mut Emitter<'_>, gemv: &Gemv<'_>, thread: Value) -> Result<Staged, EmitError> {
        let s = gemv.schedule;
        let array = e.abi.dynamic_shared(&mut e.code);
        let (lanes, rows) = (u64::from(s.lanes), gemv.rows as u64);
        let each = LOAD_BYTES / element_bytes(s.quads);
        let mut staged = Staged { array, lanes, rows, each, spaces: Vec::new(), pairs: None, blocks: None };
        if s.fixed {
            staged.lay_fixed(e, gemv, thread)?;
            return Ok(staged);
        }
        let mut first = 0;
        for space in gemv.stages.spaces() {
            let steps = points(e.plan, &space.reduction);
            let layout = Layout::of(steps, (lanes, s.quads), space.short.len() as u64 * rows);
            staged.spaces.push((first, layout));
            first += layout.bytes();
        }
        for (number, space) in gemv.stages.spaces().enumerate() {
            let chunks = points(e.plan, &space.reduction) / staged.each;
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
        if s.quads {
            staged.pairs = Some(staged.lay_zeros(e, first, thread));
        }
        e.abi.barrier(&mut e.code);
        Ok(staged)
    }

    /// Lays down zeros behind all vectors.
    fn lay_zeros(&self, e: &mut Emitter<'_>, zeros: u64, thread: Value) -> Pairs {
        let loads = self.lanes / self.each;
        let writes = e.code.cmp_ik("ult", thread, loads as i64);
        e.code.begin_if(writes, &[]);
        let place = e.code.int_k("arith.muli", thread, LOAD_BYTES as i64);
        let place = e.code.add_ik(place, zeros as i64);
        let there = e.code.byte_offset(self.array, place);
        let zero = e.code.bits(Ty::vector(Scalar::I32, 4), 0);
        e.code.line(&format!("llvm.store {zero}, {there} {{alignment = 16 : i64}} : {}, {}", zero.ty, there.ty));
        e.code.end_if(&[]);
        let (quad, own) = e.code.div_rem(thread, i64::from(QUAD_THREADS));
        let quad = e.code.int_k("arith.remui", quad, i64::from(QUADS));
        let (half, row) = e.code.div_rem(quad, 2);
        let active = e.code.cmp_i("eq", half, own);
        let is_second = e.code.cmp_ik("eq", row, 1);
        Pairs { active, row, is_second, zeros }
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
            e.lanes = self.each as u32;
            let of_inner = e.exprs.indices.extent(space.inner) / self.each as i64;
            let digit = if space.reduction.len() == 1 { chunk } else { e.next_digit(&mut chunk, of_inner) };
            bind_joint(e, &space.reduction[..space.reduction.len() - 1], chunk);
            let base = e.code.int_k("arith.muli", digit, self.each as i64);
            e.bind_lanes(space.inner, Some(base), self.each as i64, 0);
            for (short, &node) in space.short.iter().enumerate() {
                for row in 0..self.rows {
                    gemv.bind_short(e, row as i64);
                    let narrow = gemv.half.map(|element| (form::exact_source(e.exprs, node), element));
                    let value = e.eval(narrow.map_or(node, |(node, _)| node))?;
                    let value = e.code.spread(value, self.each as u32);
                    let value = if let Some((_, element)) = narrow { e.encode(element, value)? } else { value };
                    loaded.push((at, short, row, value));
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
    fn pointer(&self, e: &mut Emitter<'_>, vector: (usize, usize, u64), block: Value) -> Value {
        let own = self.place(e, vector, block);
        e.code.byte_offset(self.array, own)
    }

    fn place(&self, e: &mut Emitter<'_>, (space, short, row): (usize, usize, u64), block: Value) -> Value {
        let (first, layout) = self.spaces[space];
        let constant = first + (short as u64 * self.rows + row) * layout.vector_bytes;
        let block = e.code.resize_u(block, Scalar::I32);
        let own = e.code.int_k("arith.muli", block, layout.block_bytes as i64);
        e.code.add_ik(own, constant as i64)
    }

    /// A lane's words of its block of two short outputs, `row` and the next: those of the output that is its own, zeros
    /// where it has none.
    pub(super) fn read_pair(
        &self,
        e: &mut Emitter<'_>,
        (space, short, row): (usize, usize, u64),
        block: Value,
    ) -> Vec<Value> {
        let Some(pairs) = &self.pairs else { return Vec::new() };
        let layout = self.spaces[space].1;
        let place = self.place(e, (space, short, row), block);
        let zeros = e.code.int(place.ty, pairs.zeros as i64);
        let exists = row + 1 < self.rows;
        let second = e.code.int_k("arith.muli", pairs.row, if exists { layout.vector_bytes as i64 } else { 0 });
        let place = e.code.add_i(place, second);
        let place = if exists { place } else { e.code.select(pairs.is_second, zeros, place) };
        let place = e.code.select(pairs.active, place, zeros);
        let ty = Ty::vector(Scalar::I32, 4);
        let mut words = Vec::new();
        for plane in 0..layout.planes {
            let own = e.code.add_ik(place, (plane * layout.plane_bytes) as i64);
            let there = e.code.byte_offset(self.array, own);
            let value =
                e.code.effect(ty, &format!("llvm.load {there} {{alignment = 16 : i64}} : {} -> {ty}", there.ty));
            words.extend((0..4).map(|lane| e.code.extract(value, lane)));
        }
        words
    }

    /// The elements of a block.
    pub(super) fn read(&self, e: &mut Emitter<'_>, (space, short, row): (usize, usize, u64), block: Value) -> Value {
        let first = self.pointer(e, (space, short, row), block);
        let ty = Ty::vector(Scalar::F32, self.each as u32);
        let mut elements = Vec::new();
        for plane in 0..self.lanes / self.each {
            let bytes = e.code.int(Ty::scalar(Scalar::I32), (plane * self.spaces[space].1.plane_bytes) as i64);
            let there = e.code.byte_offset(first, bytes);
            let value =
                e.code.effect(ty, &format!("llvm.load {there} {{alignment = 16 : i64}} : {} -> {ty}", there.ty));
            elements.extend((0..self.each as u32).map(|lane| e.code.extract(value, lane)));
        }
        e.code.assemble(&elements)
    }
}
