//! Sums of blocks are added to f32 sums in registers: f32 products out of 16-bit parts, products of 8-bit floats.
//!
//! The matrix unit truncates when it adds, sums of 8-bit floats to some 14 bits; over thousands of steps that would
//! cost more digits than parts (or an f32 result) keep. So the sum of a block starts from zero and is added, rounded
//! properly, to a sum of its own. Products are grouped by size, small ones first: a small product meets sums of its own
//! size, and each group counts by its power of two.
//!
//! Worked examples: three bf16 terms (value, 2^24 · residual, 2^24 · residual of the residual), blocks of 64: groups
//! {(1,1)} by 2^-48, {(0,2), (2,0), (0,1), (1,0)} by 2^-24, {(0,0)} by 1: 24 instructions of k = 16 and 3 · 64
//! additions a thread for a 64 × 128 share. e4m3, blocks of 128: 4 instructions of k = 32 and 64 additions.

use super::main_loop;
use super::main_loop::Frame;
use fornax_emit::blocks::hopper::barrier::Cursor;
use fornax_emit::blocks::hopper::wgmma;
use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::text::{Scalar, Ty, Value};

const I32: Ty = Ty::scalar(Scalar::I32);
const F32: Ty = Ty::scalar(Scalar::F32);

/// Consumer: multiplies all blocks of a tile, like `main_loop::consume`.
pub fn consume(
    e: &mut Emitter<'_>,
    frame: &Frame<'_>,
    descriptors: [Value; 2],
    releases: Value,
    cursor: Cursor,
) -> Result<(Cursor, Vec<Vec<Value>>), EmitError> {
    let registers = frame.schedule.multiplied_columns() as usize / 2;
    let zero = e.code.bits(F32, 0);
    let mut inits = cursor.values().to_vec();
    inits.extend(vec![zero; registers * frame.row_blocks() as usize]);
    let one = e.code.int(I32, 1);
    let open = e.code.begin_for(frame.blocks[0], frame.blocks[1], one, &inits);
    let Some(at) = Cursor::of(&open.carried) else { return Err(e.malformed("a loop lost its cursor")) };
    frame.ring.wait_full(&mut e.code, at);
    let mut sums = open.carried[2..].to_vec();
    for group in &frame.schedule.products {
        let parts = multiply(e, frame, descriptors, at.stage, &group.terms)?;
        let scale = e.code.float(F32, f64::from(group.exponent).exp2());
        for (sum, part) in sums.iter_mut().zip(parts) {
            *sum = if group.exponent == 0 { e.code.add_f(*sum, part) } else { e.code.fma(part, scale, *sum) };
        }
    }
    e.code.begin_if(releases, &[]);
    frame.ring.release(&mut e.code, at.stage);
    e.code.end_if(&[]);
    let next = frame.ring.advance(&mut e.code, at);
    let mut carried = next.values().to_vec();
    carried.extend(sums);
    let results = e.code.end_for(open, &carried);
    let Some(behind) = Cursor::of(&results) else { return Err(e.malformed("a loop lost its cursor")) };
    Ok((behind, results[2..].chunks(registers).map(<[Value]>::to_vec).collect()))
}

/// The finished sum of a block over a group of products, block after block of 64 rows.
fn multiply(
    e: &mut Emitter<'_>,
    frame: &Frame<'_>,
    descriptors: [Value; 2],
    stage: Value,
    terms: &[(u32, u32)],
) -> Result<Vec<Value>, EmitError> {
    let ty = wgmma::accumulator(fornax_graph::ElementType::F32, frame.schedule.multiplied_columns());
    let undefined = e.code.undefined(ty);
    let mut sums = vec![undefined; frame.row_blocks() as usize];
    wgmma::fence(&mut e.code);
    for (number, &(row, column)) in terms.iter().enumerate() {
        let terms = main_loop::Terms { stage, row, column };
        sums = main_loop::block(e, frame, descriptors, terms, sums, number == 0)?;
    }
    wgmma::commit(&mut e.code);
    Ok(sums.into_iter().flat_map(|sum| wgmma::wait_for(&mut e.code, sum)).collect())
}
