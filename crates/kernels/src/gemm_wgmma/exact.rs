//! Outputs that came out as Inf or NaN, computed again as a plain sum of products.
//!
//! Values in parts (see `promote`) go wrong in two ways: Inf and NaN have no residual (Inf − Inf), and values near the
//! largest overflow in a scaled part. Both leave an Inf or a NaN in every sum they take part in, and a sum without them
//! is finite unless it truly overflows. So a thread that holds an output that is not finite computes all of its outputs
//! from the body's operands, one after another: what is stored is what f32 arithmetic gives. Data without such values
//! never comes here.
//!
//! Worked example: a row of A has an Inf at k = 7, B is finite there: its sums are NaN; the loop gives Inf or −Inf by
//! the sign of B[7, n].

use crate::gemm_wgmma::schedule::Cover;
use fornax_plan::Body;

use super::main_loop::Frame;
use super::tiles;
use super::tiles::Tile;
use fornax_emit::blocks::product::multiply_add;
use fornax_emit::emitter::{Emitter, Slot};
use fornax_emit::errors::EmitError;
use fornax_emit::text::{Scalar, Ty, Value};

const I32: Ty = Ty::scalar(Scalar::I32);

/// Whether any register of this thread is not finite.
pub fn is_needed(e: &mut Emitter<'_>, sums: &[Vec<Value>]) -> Value {
    // 0·x is NaN for Inf and NaN, and 0 for all others, and so is a sum of such.
    let zero = e.code.bits(Ty::scalar(Scalar::F32), 0);
    let mut probe = zero;
    for &register in sums.iter().flatten() {
        probe = e.code.fma(register, zero, probe);
    }
    e.code.is_nan(probe)
}

/// Computes and stores this thread's outputs: `row` is its first row in the tile, `column` its first column.
pub fn store(
    e: &mut Emitter<'_>,
    frame: &Frame<'_>,
    tile: &Tile,
    (row, column): (Value, Value),
) -> Result<(), EmitError> {
    let lanes = std::mem::replace(&mut e.lanes, 1);
    let registers = i64::from(frame.schedule.tile_columns() / frame.schedule.split) / 2;
    let (zero, one) = (e.code.int(I32, 0), e.code.int(I32, 1));
    let end = e.code.int(I32, frame.row_blocks() * registers);
    let open = e.code.begin_for(zero, end, one, &[]);
    let block = e.code.int_k("arith.divui", open.iv, registers);
    let register = e.code.int_k("arith.remui", open.iv, registers);
    // Register 4j + 2h + q: row 8h, column 8j + q.
    let half = e.code.and_k(register, 2);
    let half = e.code.shl_k(half, 2);
    let down = e.code.int_k("arith.muli", block, 64);
    let down = e.code.add_i(down, half);
    let down = e.code.add_i(down, row);
    let across = e.code.shr_uk(register, 2);
    let across = e.code.int_k("arith.muli", across, 8);
    let odd = e.code.and_k(register, 1);
    let across = e.code.add_i(across, odd);
    let across = e.code.add_i(across, column);
    let down = tiles::bind_point(e, &frame.schedule.rows, &tile.rows, (down, 0), 1)?;
    let across = tiles::bind_point(e, &frame.schedule.columns, &tile.columns, (across, 0), 1)?;
    let inside = match (down.inside, across.inside) {
        (Some(a), Some(b)) => Some(e.code.and(a, b)),
        (a, b) => a.or(b),
    };
    if let Some(inside) = inside {
        e.code.begin_if(inside, &[]);
    }
    let sum = sum(e)?;
    e.set_slot(Slot::Reduced(0), sum);
    for store in e.plan.body.stores() {
        let value = e.eval(store.value)?;
        e.store(store.buffer, store.offset, value)?;
    }
    if inside.is_some() {
        e.code.end_if(&[]);
    }
    e.code.end_for(open, &[]);
    e.lanes = lanes;
    Ok(())
}

/// The whole contraction at the bound point.
fn sum(e: &mut Emitter<'_>) -> Result<Value, EmitError> {
    let Body::Contraction { reduction, lhs, rhs, accumulator, .. } = &e.plan.body else {
        return Err(e.malformed("not a contraction"));
    };
    let (lhs, rhs, accumulator) = (*lhs, *rhs, *accumulator);
    let covers: Vec<Cover> = reduction.iter().map(|&var| Cover { var, count: 1 }).collect();
    let steps: i64 = reduction.iter().map(|&v| e.exprs.indices.extent(v)).product();
    let cleared = e.code.bits(Ty::scalar(e.register_scalar(accumulator)?), 0);
    let (zero, one) = (e.code.int(I32, 0), e.code.int(I32, 1));
    let end = e.code.int(I32, steps);
    let open = e.code.begin_for(zero, end, one, &[cleared]);
    tiles::bind_origin(e, &covers, open.iv)?;
    let (a, b) = (e.eval(lhs)?, e.eval(rhs)?);
    let next = multiply_add(e, accumulator, a, b, open.carried[0])?;
    let results = e.code.end_for(open, &[next]);
    Ok(results[0])
}
