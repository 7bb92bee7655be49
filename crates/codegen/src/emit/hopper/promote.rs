//! Sums of blocks are added to f32 sums in registers: f32 products out of 16-bit parts, products of 8-bit floats.
//!
//! The matrix unit truncates when it adds, sums of 8-bit floats to some 14 bits; over thousands of steps that would cost more digits than parts
//! (or an f32 result) keep. So the sum of a block, or of a few, starts from zero and is added, rounded properly, to a sum of its own. Products
//! are grouped by size, small ones first: a small product meets sums of its own size, and each group counts by its power of two.
//!
//! Worked examples: three bf16 planes (value, 2^24 · rest, 2^24 · rest of the rest), blocks of 64: groups {(1,1)} by 2^-48,
//! {(0,2), (2,0), (0,1), (1,0)} by 2^-24, {(0,0)} by 1: 24 instructions of k = 16 and 3 · 64 additions a thread for a 64 × 128 share.
//! e4m3, blocks of 128, two together, 33 blocks: 16 times 8 instructions of k = 32 and 64 additions, then 4 and 64 for the last block.

use super::barrier::Cursor;
use super::main_loop::{self, Frame};
use super::wgmma;
use crate::emit::emitter::Emitter;
use crate::emit::text::{Scalar, Ty, Value};
use crate::errors::EmitError;

const I32: Ty = Ty::scalar(Scalar::I32);
const F32: Ty = Ty::scalar(Scalar::F32);

/// What a consumer needs for every round.
struct Consumer<'a> {
    frame: &'a Frame<'a>,
    descriptors: [Value; 2],
    /// This thread releases stages.
    releases: Value,
}

/// Consumer: multiplies all blocks of a tile, like `main_loop::consume`.
pub fn consume(
    e: &mut Emitter<'_>,
    frame: &Frame<'_>,
    descriptors: [Value; 2],
    releases: Value,
    cursor: Cursor,
) -> Result<(Cursor, Vec<Vec<Value>>), EmitError> {
    let registers = frame.schedule.tile_columns() as usize / 2;
    let zero = e.code.bits(F32, 0);
    let mut state = cursor.values().to_vec();
    state.extend(vec![zero; registers * frame.row_blocks() as usize]);
    let consumer = Consumer { frame, descriptors, releases };
    let [first, behind] = frame.blocks;
    let together = i64::from(frame.schedule.together);
    let mut from = first;
    if together > 1 {
        let blocks = e.code.sub_i(behind, first);
        let whole = e.code.int_k("arith.divui", blocks, together);
        let whole = e.code.int_k("arith.muli", whole, together);
        from = e.code.add_i(first, whole);
        state = consumer.rounds(e, (first, from), together, state)?;
    }
    state = consumer.rounds(e, (from, behind), 1, state)?;
    let Some(behind) = Cursor::of(&state) else { return Err(e.malformed("a loop lost its cursor")) };
    Ok((behind, state[2..].chunks(registers).map(<[Value]>::to_vec).collect()))
}

impl Consumer<'_> {
    /// A loop over blocks, `together` a round; the state is a cursor and the sums.
    fn rounds(
        &self,
        e: &mut Emitter<'_>,
        (first, behind): (Value, Value),
        together: i64,
        state: Vec<Value>,
    ) -> Result<Vec<Value>, EmitError> {
        let step = e.code.int(I32, together);
        let open = e.code.begin_for(first, behind, step, &state);
        let Some(mut at) = Cursor::of(&open.carried) else { return Err(e.malformed("a loop lost its cursor")) };
        let mut sums = open.carried[2..].to_vec();
        for (number, group) in self.frame.schedule.products.iter().enumerate() {
            let parts;
            (parts, at) = self.multiply(e, at, (together, number == 0), &group.planes)?;
            let scale = e.code.float(F32, f64::from(group.exponent).exp2());
            for (sum, part) in sums.iter_mut().zip(parts) {
                *sum = if group.exponent == 0 { e.code.add_f(*sum, part) } else { e.code.fma(part, scale, *sum) };
            }
        }
        self.release(e, at.stage);
        let next = self.frame.ring.advance(&mut e.code, at);
        let mut carried = next.values().to_vec();
        carried.extend(sums);
        Ok(e.code.end_for(open, &carried))
    }

    /// The finished sum of some blocks over a group of products, block after block of 64 rows, and the last of the blocks, whose stage
    /// is not released. The first group of a round waits for the copies.
    fn multiply(
        &self,
        e: &mut Emitter<'_>,
        mut at: Cursor,
        (together, waits): (i64, bool),
        planes: &[(u32, u32)],
    ) -> Result<(Vec<Value>, Cursor), EmitError> {
        let frame = self.frame;
        let ty = wgmma::accumulator(fornax_graph::ElementType::F32, frame.schedule.tile_columns());
        let undefined = e.code.undefined(ty);
        let mut sums = vec![undefined; frame.row_blocks() as usize];
        for block in 0..together {
            let before = at.stage;
            if block > 0 {
                at = frame.ring.advance(&mut e.code, at);
            }
            if waits {
                frame.ring.wait_full(&mut e.code, at);
            }
            wgmma::fence(&mut e.code);
            for (number, &(row, column)) in planes.iter().enumerate() {
                let fresh = block == 0 && number == 0;
                sums = main_loop::block(e, frame, self.descriptors, (at.stage, row, column), sums, fresh)?;
            }
            wgmma::commit(&mut e.code);
            if block > 0 {
                // When only this group is left, the block before has been read.
                wgmma::wait(&mut e.code, 1);
                self.release(e, before);
            }
        }
        let sums = sums.into_iter().flat_map(|sum| wgmma::wait_for(&mut e.code, sum)).collect();
        Ok((sums, at))
    }

    fn release(&self, e: &mut Emitter<'_>, stage: Value) {
        e.code.begin_if(self.releases, &[]);
        self.frame.ring.release(&mut e.code, stage);
        e.code.end_if(&[]);
    }
}
