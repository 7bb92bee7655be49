//! Which tile a workgroup works on, and where its points are: loop variables bound to tile, block and fragment.
//!
//! Tiles are numbered batch by batch; inside a batch, `group` tiles along the rows times all tiles along the columns
//! come one after another, rows fastest, so that the workgroups that run together share operands through the cache.
//!
//! Worked example: 16 × 32 tiles, group 8: tile 300 is in group 300 / 256 = 1, its number there is 44, so row tile 8 +
//! 44 mod 8 = 12, column tile 44 / 8 = 5.

use crate::gemm_wgmma::schedule::Cover;
use fornax_plan::VarId;

use super::counts;
use super::counts::Counts;
use super::main_loop::Frame;
use fornax_emit::emitter::{Binding, Emitter};
use fornax_emit::errors::EmitError;
use fornax_emit::text::{Scalar, Ty, Value};

const I32: Ty = Ty::scalar(Scalar::I32);

/// A tile: the first value of each row and column variable (index type).
pub struct Tile {
    pub rows: Vec<Value>,
    pub columns: Vec<Value>,
}

/// Variables bound to one row, or one or two columns, and whether that lies in the tensor (`None`: always).
pub struct Point {
    pub bindings: Vec<(VarId, Binding)>,
    pub inside: Option<Value>,
}

/// Binds the batch variables of tile `number` (i32), and its rows' and columns' variables to their first values.
pub fn bind_tile(e: &mut Emitter<'_>, frame: &Frame<'_>, number: Value) -> Result<Tile, EmitError> {
    let schedule = frame.schedule;
    if let Some(counts) = frame.counts {
        return bind_tile_of_call(e, frame, counts, number);
    }
    let indices = &e.exprs.indices;
    let (down, across) = (schedule.row_tiles(indices) as i64, schedule.column_tiles(indices) as i64);
    let mut rest = number;
    if schedule.batch.iter().any(|&v| e.exprs.indices.extent(v) > 1) {
        let mut batch = e.code.int_k("arith.divui", number, down * across);
        rest = e.code.int_k("arith.remui", number, down * across);
        for (at, &var) in schedule.batch.iter().enumerate().rev() {
            let digit = if at == 0 { batch } else { e.code.int_k("arith.remui", batch, e.exprs.indices.extent(var)) };
            batch = e.code.int_k("arith.divui", batch, e.exprs.indices.extent(var));
            let value = e.code.resize_u(digit, e.index);
            e.bind(var, Some(value), 1, 0);
        }
    } else {
        for &var in &schedule.batch {
            e.bind(var, None, 0, 0);
        }
    }
    let group = i64::from(schedule.group.max(1)).min(down);
    let in_group = e.code.int_k("arith.remui", rest, across * group);
    let first = e.code.int_k("arith.divui", rest, across * group);
    let first = e.code.int_k("arith.muli", first, group);
    let size = if down % group == 0 {
        e.code.int(I32, group)
    } else {
        let all = e.code.int(I32, down);
        let left = e.code.sub_i(all, first);
        let most = e.code.int(I32, group);
        e.code.binary("arith.minui", left, most)
    };
    let row = e.code.binary("arith.remui", in_group, size);
    let row = e.code.add_i(first, row);
    let column = e.code.binary("arith.divui", in_group, size);
    Ok(Tile { rows: bind_origin(e, &schedule.rows, row)?, columns: bind_origin(e, &schedule.columns, column)? })
}

/// The same with numbers of tiles that a call gives: there is a tile, so none of them is 0.
fn bind_tile_of_call(e: &mut Emitter<'_>, frame: &Frame<'_>, counts: Counts, number: Value) -> Result<Tile, EmitError> {
    let schedule = frame.schedule;
    let each = e.code.mul_i(counts.down, counts.across);
    let mut rest = number;
    if !schedule.batch.is_empty() {
        let mut batch = e.code.binary("arith.divui", number, each);
        rest = e.code.binary("arith.remui", number, each);
        for (at, &var) in schedule.batch.iter().enumerate().rev() {
            let extent = counts::extent(e, var)?;
            let digit = if at == 0 { batch } else { e.code.binary("arith.remui", batch, extent) };
            batch = e.code.binary("arith.divui", batch, extent);
            let value = e.code.resize_u(digit, e.index);
            e.bind(var, Some(value), 1, 0);
        }
    }
    let group = e.code.int(I32, i64::from(schedule.group.max(1)));
    let together = e.code.mul_i(counts.across, group);
    let in_group = e.code.binary("arith.remui", rest, together);
    let first = e.code.binary("arith.divui", rest, together);
    let first = e.code.mul_i(first, group);
    let left = e.code.sub_i(counts.down, first);
    let size = e.code.binary("arith.minui", left, group);
    let row = e.code.binary("arith.remui", in_group, size);
    let row = e.code.add_i(first, row);
    let column = e.code.binary("arith.divui", in_group, size);
    Ok(Tile { rows: bind_origin(e, &schedule.rows, row)?, columns: bind_origin(e, &schedule.columns, column)? })
}

/// Binds variables to the first values of the `number`-th tile along them.
pub fn bind_origin(e: &mut Emitter<'_>, covers: &[Cover], number: Value) -> Result<Vec<Value>, EmitError> {
    let mut rest = number;
    let mut origins = Vec::with_capacity(covers.len());
    for (at, cover) in covers.iter().enumerate().rev() {
        let digit = if at == 0 {
            rest
        } else if e.exprs.indices.run_extent(cover.var).is_some() {
            let tiles = counts::along(e, cover)?;
            let digit = e.code.binary("arith.remui", rest, tiles);
            rest = e.code.binary("arith.divui", rest, tiles);
            digit
        } else {
            let tiles = (e.exprs.indices.extent(cover.var).max(1) as u64).div_ceil(u64::from(cover.count)) as i64;
            let digit = e.code.int_k("arith.remui", rest, tiles);
            rest = e.code.int_k("arith.divui", rest, tiles);
            digit
        };
        let origin = e.code.int_k("arith.muli", digit, i64::from(cover.count));
        let origin = e.code.resize_u(origin, e.index);
        e.bind(cover.var, Some(origin), i64::from(cover.count), 0);
        origins.push(origin);
    }
    origins.reverse();
    Ok(origins)
}

/// Binds variables to point `base + offset` (base i32) of a tile; with `granule` 2 the last one to two lanes from there
/// on. Points outside the tensor are bound to the last one inside.
pub fn bind_point(
    e: &mut Emitter<'_>,
    covers: &[Cover],
    origins: &[Value],
    (base, offset): (Value, i64),
    granule: i64,
) -> Result<Point, EmitError> {
    let mut point = Point { bindings: Vec::new(), inside: None };
    let alone = covers.len() == 1;
    let mut rest = if alone { base } else { e.code.add_ik(base, offset) };
    for (at, (cover, &origin)) in covers.iter().zip(origins).enumerate().rev() {
        let count = i64::from(cover.count);
        let step = if at + 1 == covers.len() { granule } else { 1 };
        let digit = if at == 0 { rest } else { e.code.int_k("arith.remui", rest, count) };
        if at > 0 {
            rest = e.code.int_k("arith.divui", rest, count);
        }
        let digit = e.code.resize_u(digit, e.index);
        let value = e.code.add_i(origin, digit);
        let (mut value, mut constant) = (value, if alone { offset } else { 0 });
        if !e.exprs.indices.is_multiple(cover.var, count) {
            let exact = e.code.add_ik(value, constant);
            let (inside, last) = ends(e, cover.var, exact, step)?;
            point.inside = Some(point.inside.map_or(inside, |other| e.code.and(other, inside)));
            (value, constant) = (e.code.binary("arith.minui", exact, last), 0);
        }
        if step > 1 {
            e.bind_lanes(cover.var, Some(value), step, constant);
        } else {
            e.bind(cover.var, Some(value), 1, constant);
        }
        point.bindings.extend(e.binding(cover.var).map(|b| (cover.var, b)));
    }
    Ok(point)
}

/// Whether a place lies inside of a variable's extent, and the last place of `step` inside.
fn ends(e: &mut Emitter<'_>, var: VarId, place: Value, step: i64) -> Result<(Value, Value), EmitError> {
    if e.exprs.indices.run_extent(var).is_none() {
        let extent = e.exprs.indices.extent(var);
        let inside = e.code.cmp_ik("ult", place, extent);
        return Ok((inside, e.code.int(place.ty, (extent - step).max(0))));
    }
    // Where there is a tile there is a place, and with even extents a pair of them.
    let extent = e.extent_value(var)?;
    let inside = e.code.cmp_i("ult", place, extent);
    Ok((inside, e.code.add_ik(extent, -step)))
}

/// Binds a point's variables again.
pub fn rebind(e: &mut Emitter<'_>, point: &Point) {
    for &(var, binding) in &point.bindings {
        e.rebind(var, binding);
    }
}
