//! x in fixed point in shared memory, for workgroups that do one tile of outputs.
//!
//! A block is 32 bytes of h and 32 of l; behind all blocks are their scales and Σ X, then zeros, which the lanes read
//! that have no column of their block. Eight neighbouring threads make a block's
//! registers, of four elements each.
//!
//! Worked example: 14336 steps of Q4_K, 512 threads: 3584 registers, seven rounds of 8 bytes of x for each.

use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::text::{Scalar, Ty, Value};

use super::{F32, Fixed, I32, lane, made, read};
use crate::gemv::emit::{Gemv, bind_joint};
use crate::gemv::fixed_shape::{BLOCK_BYTES, Blocks, Layout, NUMBER_BYTES, WORD_BYTES};
use crate::gemv::products::Space;
use crate::gemv::schedule::points;
use crate::gemv::shape::LOAD_BYTES;
use crate::gemv::staged::Staged;

/// Loads of each short operand that a thread has under way when it lays down.
const LOADS: u64 = 8;
impl Staged {
    /// Lays down x of all spaces in fixed point; the workgroup meets behind it.
    pub(in crate::gemv) fn lay_fixed(
        &mut self,
        e: &mut Emitter<'_>,
        gemv: &Gemv<'_>,
        thread: Value,
    ) -> Result<(), EmitError> {
        let mut blocks = Blocks { layouts: Vec::new(), zeros: 0, lane: lane(e, thread) };
        for space in gemv.stages.spaces() {
            let count = points(e.plan, &space.reduction) / u64::from(gemv.schedule.lanes);
            let (layout, behind) = Layout::of(blocks.zeros, count, space.short.len() as u64);
            blocks.layouts.push(layout);
            blocks.zeros = behind;
            self.lay_blocks(e, gemv, (space, layout), thread)?;
        }
        let writes = e.code.cmp_ik("ult", thread, (BLOCK_BYTES / u64::from(WORD_BYTES)) as i64);
        e.code.begin_if(writes, &[]);
        let zero = e.code.int(I32, 0);
        self.store(e, (thread, WORD_BYTES.into(), blocks.zeros), zero);
        e.code.end_if(&[]);
        self.blocks = Some(blocks);
        e.abi.barrier(&mut e.code);
        Ok(())
    }

    fn lay_blocks(
        &self,
        e: &mut Emitter<'_>,
        gemv: &Gemv<'_>,
        (space, layout): (&Space, Layout),
        thread: Value,
    ) -> Result<(), EmitError> {
        let each = gemv.schedule.lanes / WORD_BYTES;
        let block_words = BLOCK_BYTES / u64::from(WORD_BYTES);
        let (all, threads) = (layout.blocks * block_words, u64::from(gemv.schedule.threads()));
        let rounds = all.div_ceil(threads);
        for first in (0..rounds).step_by(LOADS as usize) {
            let mut coming = Vec::new();
            for round in first..rounds.min(first + LOADS) {
                let at = e.code.add_ik(thread, (round * threads) as i64);
                let is_whole = (round + 1) * threads <= all;
                let exists = (!is_whole).then(|| e.code.cmp_ik("ult", at, all as i64));
                // All threads take part in exchanges; those without a block have the last one's elements.
                let last = e.code.int(at.ty, all as i64 - 1);
                let own = if is_whole { at } else { e.code.binary("arith.minui", at, last) };
                let (block, word) = e.code.div_rem(own, block_words as i64);
                let mut number = e.code.resize_u(block, e.index);
                let blocks = e.exprs.indices.extent(space.inner) / i64::from(gemv.schedule.lanes);
                let single = space.reduction.len() == 1;
                let digit = if single { number } else { e.next_digit(&mut number, blocks) };
                bind_joint(e, &space.reduction[..space.reduction.len() - 1], number);
                let base = e.code.int_k("arith.muli", digit, i64::from(gemv.schedule.lanes));
                coming.push((exists, block, word, read(e, gemv, space, (base, word))?));
            }
            for (exists, block, word, x) in coming {
                let made = made(e, &x, (each, 1));
                if let Some(exists) = exists {
                    e.code.begin_if(exists, &[]);
                }
                let own = e.code.int_k("arith.muli", word, i64::from(WORD_BYTES));
                let there = e.code.int_k("arith.muli", block, 2 * BLOCK_BYTES as i64);
                let there = e.code.add_i(there, own);
                for (plane, word) in (0u64..).zip(made.words) {
                    self.store(e, (there, 1, layout.first + plane * BLOCK_BYTES), word);
                }
                let (short, place) = e.code.div_rem(word, i64::from(each));
                let is_first = e.code.cmp_ik("eq", place, 0);
                e.code.begin_if(is_first, &[]);
                let numbers = e.code.int_k("arith.muli", block, layout.numbers as i64);
                // Each of the short operands' first threads has the scale.
                self.store(e, (numbers, 1, layout.first_number), made.scale);
                let own = e.code.int_k("arith.muli", short, NUMBER_BYTES as i64);
                let own = e.code.add_i(numbers, own);
                let sum = e.code.cast("arith.sitofp", made.sum, Scalar::F32);
                self.store(e, (own, 1, layout.first_number + NUMBER_BYTES), sum);
                // What is behind them is read with them.
                let zero = e.code.int(I32, 0);
                for behind in space.short.len() as u64 + 1..layout.numbers / NUMBER_BYTES {
                    self.store(e, (numbers, 1, layout.first_number + behind * NUMBER_BYTES), zero);
                }
                e.code.end_if(&[]);
                if exists.is_some() {
                    e.code.end_if(&[]);
                }
            }
        }
        Ok(())
    }

    /// Stores four bytes at `first + at · by`.
    fn store(&self, e: &mut Emitter<'_>, (at, by, first): (Value, u64, u64), value: Value) {
        let own = if by == 1 { at } else { e.code.int_k("arith.muli", at, by as i64) };
        let own = e.code.add_ik(own, first as i64);
        let there = e.code.byte_offset(self.array, own);
        e.code.line(&format!("llvm.store {value}, {there} {{alignment = 4 : i64}} : {}, {}", value.ty, there.ty));
    }

    /// Neighbouring numbers of four bytes, by loads of four.
    fn load(&self, e: &mut Emitter<'_>, first: Value, (scalar, count): (Scalar, u64)) -> Vec<Value> {
        let each = LOAD_BYTES / NUMBER_BYTES;
        let ty = Ty::vector(scalar, each as u32);
        let mut all = Vec::new();
        for at in (0..count).step_by(each as usize) {
            let own = e.code.add_ik(first, (at * NUMBER_BYTES) as i64);
            let there = e.code.byte_offset(self.array, own);
            let text = format!("llvm.load {there} {{alignment = 16 : i64}} : {} -> {ty}", there.ty);
            let value = e.code.effect(ty, &text);
            all.extend((0..each.min(count - at)).map(|lane| e.code.extract(value, lane as u32)));
        }
        all
    }

    /// x of a lane's block: that of a space, and the block's number. `None` where nothing is laid down so.
    pub(super) fn read_fixed(
        &self,
        e: &mut Emitter<'_>,
        (number, space): (usize, &Space),
        block: Value,
    ) -> Option<Fixed> {
        let Blocks { layouts, zeros, lane } = self.blocks.as_ref()?;
        let layout = layouts.get(number)?;
        let block = e.code.resize_u(block, Scalar::I32);
        let low = e.code.int(I32, (layout.first + BLOCK_BYTES) as i64);
        let high = e.code.int(I32, layout.first as i64);
        let plane = e.code.select(lane.is_high, high, low);
        let place = e.code.int_k("arith.muli", block, 2 * BLOCK_BYTES as i64);
        let place = e.code.add_i(place, plane);
        let zeros = e.code.int(I32, *zeros as i64);
        let place = e.code.select(lane.is_active, place, zeros);
        let words = self.load(e, place, (Scalar::I32, BLOCK_BYTES / u64::from(WORD_BYTES)));
        let numbers = e.code.int_k("arith.muli", block, layout.numbers as i64);
        let numbers = e.code.add_ik(numbers, layout.first_number as i64);
        let short = space.short.len();
        let numbers = self.load(e, numbers, (F32.scalar, short as u64 + 1));
        let each = words.len() / short.max(1);
        let words = words.chunks(each.max(1)).map(<[Value]>::to_vec).collect();
        Some(Fixed { words, sums: numbers[1..].to_vec(), scale: numbers[0] })
    }
}
