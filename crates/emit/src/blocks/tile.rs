//! What reductions and contractions share: the register tile, the loops over the reduction, threads that share a tile.
//!
//! A tile is a block of the domain: along a variable it covers `lanes · count` elements, and tile t starts at `min(t ·
//! covered, extent − covered)`. Where the extent is no multiple, the last tile overlaps its neighbour and computes the
//! same values again, so that there are no partial tiles, no masks and no scalar tails. Where the extent is known only
//! at run time, what is left behind the last full tile goes in smaller ones, in which points behind the last are the
//! last once more; lanes along an extent that is shorter go one by one.
//!
//! The reduction's loops carry one accumulator a tile point and operand. Lanes along a reduction variable have partial
//! sums that are folded pairwise at the end; what is left over (extent mod lanes) goes in shorter vectors, then in
//! scalars. Threads that share a tile take every R-th step of the reduction; they combine through lane exchange (rows:
//! r is the fastest thread coordinate) or through a tree in shared memory (columns: the tile is the fastest, so that
//! loads stay together).
//!
//! Worked example: sum over the rows of [4096, 1000] f32, lanes 4 along the row, 128 threads a row, 2 rows a
//! workgroup: 250 vectors a row, thread r takes vectors r and r + 128; then 3 additions of lanes, 5 exchanges in a
//! subgroup of 32, 4 partial sums in shared memory.

use fornax_plan::{Store, VarId};
use fornax_targets::fitted::cpu::REST_LANES_MIN;

use super::count::Count;
use super::fold::Fold;
use super::tile_axis::{Axis, Range, tiles_in_all};
use super::tile_finish::neighbours;
use super::tile_schedule::TileSchedule;
use crate::emitter::{Binding, Emitter};
use crate::errors::EmitError;
use crate::text::Value;

/// A tile point: the bindings of the domain variables.
pub type Point = Vec<(VarId, Binding)>;

pub struct Tile<'a> {
    pub fold: &'a dyn Fold,
    pub schedule: &'a TileSchedule,
    pub axes: Vec<Axis>,
    reduction: Vec<VarId>,
    pub(super) stores: &'a [Store],
    total: Count,
    /// Reduction variables that are no loops.
    taps: Option<&'a dyn Taps>,
}

/// Reduction variables that a family writes out itself, inside of all loops.
pub trait Taps {
    /// Whether a reduction variable is one of them.
    fn has(&self, var: VarId) -> bool;
    /// Folds all of them into the accumulators of all points.
    fn fold(
        &self,
        e: &mut Emitter<'_>,
        tile: &Tile<'_>,
        points: &[Point],
        running: Vec<Value>,
    ) -> Result<Vec<Value>, EmitError>;
}

/// The thread's part in its tile: its number among those that share it.
#[derive(Clone, Copy)]
pub struct Share {
    pub rank: Value,
    pub local_tile: Value,
    /// The rank is the fastest thread coordinate.
    pub rank_fastest: bool,
}

/// Emits the kernel.
pub fn emit(e: &mut Emitter<'_>, fold: &dyn Fold, schedule: &TileSchedule) -> Result<(), EmitError> {
    emit_with_taps(e, fold, schedule, None)
}

/// Emits the kernel; taps are no loops.
pub fn emit_with_taps(
    e: &mut Emitter<'_>,
    fold: &dyn Fold,
    schedule: &TileSchedule,
    taps: Option<&dyn Taps>,
) -> Result<(), EmitError> {
    check(e, schedule)?;
    let plan = e.plan;
    let total = schedule.tiles(plan);
    if total == 0 {
        return Ok(());
    }
    let sized_outside = plan.domain.first().is_some_and(|&v| plan.exprs.indices.run_extent(v).is_some());
    let outermost_only = plan.has_static_loops() || sized_outside && plan.loops_inside_are_static();
    if e.abi.is_gpu() && !outermost_only {
        return Err(e.unfit("only the outermost extent of tiles may be known at run time alone"));
    }
    let mut axes = Vec::new();
    for &var in &plan.domain {
        let sized = if plan.exprs.indices.run_extent(var).is_some() { Some(e.extent_value(var)?) } else { None };
        let extent = plan.exprs.indices.extent(var);
        let step = schedule.tile_extent(var) as i64;
        let lanes = schedule.vector.map_or(1, |(v, n)| if v == var { i64::from(n).min(extent) } else { 1 });
        if sized.is_some() && lanes > 1 && e.abi.is_gpu() {
            return Err(e.unfit("lanes along an extent that is known only at run time"));
        }
        let tiles = extent.saturating_add(step - 1) / step;
        let covered = if sized.is_some() { step } else { step.min(extent) };
        axes.push(Axis { var, extent, step, tiles, covered, lanes, sized, place: None });
    }
    let total = tiles_in_all(e, &axes, total as i64);
    let reduction = plan.body.reduction().iter().copied().filter(|&v| taps.is_none_or(|t| !t.has(v))).collect();
    let tile = Tile { fold, schedule, axes, reduction, stores: plan.body.stores(), total, taps };
    let narrow = tile.axes.iter().position(|a| a.lanes > 1).and_then(|at| Some((at, tile.axes[at].sized?)));
    match narrow {
        _ if e.abi.is_gpu() => tile.gpu(e),
        None => tile.cpu(e),
        Some((at, extent)) => tile.wide_or_narrow(e, at, extent),
    }
}

/// Refuses schedules that cannot run.
pub fn check(e: &Emitter<'_>, s: &TileSchedule) -> Result<(), EmitError> {
    let threads = u64::from(s.reduce_threads) * u64::from(s.tile_threads);
    let lanes_ok = s.vector.is_none_or(|(_, n)| (1..=64).contains(&n));
    if threads == 0 || s.tiles_per_workgroup == 0 || !lanes_ok || s.unroll.iter().any(|u| u.1 == 0) {
        return Err(e.unfit("a tile schedule has a zero or more than 64 lanes in it"));
    }
    if threads > u64::from(e.target.max_threads_per_block) || !s.reduce_threads.is_power_of_two() {
        return Err(e.unfit(format!("{} threads share {} tiles", s.reduce_threads, s.tile_threads)));
    }
    Ok(())
}

impl Tile<'_> {
    /// Lanes along an extent that is known only at run time: where it is shorter than a vector, one point after the
    /// other.
    fn wide_or_narrow(mut self, e: &mut Emitter<'_>, at: usize, extent: Value) -> Result<(), EmitError> {
        let wide = e.code.cmp_ik("sge", extent, self.axes[at].lanes);
        e.code.begin_if(wide, &[]);
        self.cpu(e)?;
        e.code.begin_else(&[]);
        let (zero, one) = (e.code.int(extent.ty, 0), e.code.int(extent.ty, 1));
        let open = e.code.begin_for(zero, extent, one, &[]);
        let axis = &mut self.axes[at];
        (axis.lanes, axis.covered, axis.place) = (1, 1, Some(open.iv));
        self.total = tiles_in_all(e, &self.axes, 0);
        self.cpu(e)?;
        e.code.end_for(open, &[]);
        e.code.end_if(&[]);
        Ok(())
    }

    fn cpu(&self, e: &mut Emitter<'_>) -> Result<(), EmitError> {
        let per_group = i64::from(self.schedule.tiles_per_workgroup) * i64::from(self.schedule.tile_threads);
        self.total.each_of_workgroup(e, per_group, &mut |e, tile| self.whole(e, tile, None, None))
    }

    fn gpu(&self, e: &mut Emitter<'_>) -> Result<(), EmitError> {
        let ty = e.index_ty();
        let (shared, tiles) = (i64::from(self.schedule.reduce_threads), i64::from(self.schedule.tile_threads));
        let group = e.abi.workgroup_id(&mut e.code, ty.scalar);
        let thread = e.abi.thread_id(&mut e.code);
        let rank_fastest = self.rank_fastest(e);
        let (rank, local) = if shared == 1 {
            (e.code.int(thread.ty, 0), thread)
        } else if rank_fastest {
            (e.code.int_k("arith.remui", thread, shared), e.code.int_k("arith.divui", thread, shared))
        } else {
            e.code.div_rem(thread, tiles)
        };
        let wide = e.code.resize_u(local, ty.scalar);
        let first = e.code.int_k("arith.muli", group, tiles);
        let tile = e.code.add_i(first, wide);
        let share = (shared > 1).then_some(Share { rank, local_tile: local, rank_fastest });
        if matches!(self.total, Count::Known(total) if total % tiles == 0) {
            return self.whole(e, tile, share, None);
        }
        let total = self.total.value(e);
        let inside = e.code.cmp_i("ult", tile, total);
        if share.is_none() {
            e.code.begin_if(inside, &[]);
            self.whole(e, tile, None, None)?;
            e.code.end_if(&[]);
            return Ok(());
        }
        // Threads without a tile work on the last one too, since all must meet at barriers, and do not store.
        let last = e.code.add_ik(total, -1);
        let tile = e.code.select(inside, tile, last);
        self.whole(e, tile, share, Some(inside))
    }

    /// Whether neighbouring threads should be neighbours in the reduction: loads step by one along its last variable.
    fn rank_fastest(&self, e: &mut Emitter<'_>) -> bool {
        let Some(&inner) = self.reduction.last() else { return true };
        match self.schedule.vector {
            Some((var, lanes)) if lanes > 1 => self.reduction.contains(&var),
            _ => {
                let roots = e.plan.roots();
                e.reachable(&roots)
                    .into_iter()
                    .filter_map(|n| e.exprs.index_of(n))
                    .any(|index| matches!(e.exprs.indices.stride(index, inner), Some(1 | -1)))
            }
        }
    }

    /// One tile from its number to its stores.
    fn whole(
        &self,
        e: &mut Emitter<'_>,
        tile: Value,
        share: Option<Share>,
        inside: Option<Value>,
    ) -> Result<(), EmitError> {
        let mut bases = self.bases(e, tile);
        let ragged = self.axes.iter().rposition(Axis::is_ragged).filter(|_| self.taps.is_none() && !e.abi.is_gpu());
        let ragged = ragged.and_then(|at| Some((at, self.axes[at].sized?, bases[at]?.0)));
        let Some((at, extent, first)) = ragged else {
            let points = points(e, &self.axes, &bases);
            return self.at_points(e, &points, share, inside);
        };
        let mut axes = self.axes.clone();
        let end = e.code.add_ik(first, axes[at].covered);
        let is_full = e.code.cmp_i("sle", end, extent);
        e.code.begin_if(is_full, &[]);
        axes[at] = self.axes[at].full();
        let full = points(e, &axes, &bases);
        self.at_points(e, &full, share, inside)?;
        e.code.begin_else(&[]);
        axes[at] = self.axes[at].rest();
        let step = e.code.int(first.ty, axes[at].covered);
        let open = e.code.begin_for(first, extent, step, &[]);
        bases[at] = Some((open.iv, 1));
        let rest = points(e, &axes, &bases);
        self.at_points(e, &rest, share, inside)?;
        e.code.end_for(open, &[]);
        e.code.end_if(&[]);
        Ok(())
    }

    /// The tile of these points, to its stores.
    fn at_points(
        &self,
        e: &mut Emitter<'_>,
        points: &[Point],
        share: Option<Share>,
        inside: Option<Value>,
    ) -> Result<(), EmitError> {
        let across = self.schedule.vector.filter(|(v, n)| *n > 1 && self.reduction.contains(v));
        let width = if e.abi.is_gpu() { 1 } else { neighbours(e, points) };
        let folded = match across {
            None => {
                let ranges = self.ranges(e, None)?;
                let folded = self.fold_ranges(e, points, &ranges, share)?;
                if width == 1 { folded } else { self.merged(e, &folded, width)? }
            }
            Some((var, lanes)) => self.fold_lanes(e, points, (var, lanes), width, share)?,
        };
        let folded = match share {
            None => folded,
            Some(share) => self.combine_threads(e, folded, share)?,
        };
        let stores = match (share, inside) {
            (None, inside) => inside,
            (Some(share), inside) => {
                let first = e.code.cmp_ik("eq", share.rank, 0);
                Some(match inside {
                    Some(inside) => e.code.and(first, inside),
                    None => first,
                })
            }
        };
        if let Some(condition) = stores {
            e.code.begin_if(condition, &[]);
        }
        self.store(e, points, &folded, width)?;
        if stores.is_some() {
            e.code.end_if(&[]);
        }
        Ok(())
    }

    /// Where a tile starts along every axis, and what divides that.
    fn bases(&self, e: &mut Emitter<'_>, tile: Value) -> Vec<Option<(Value, i64)>> {
        let mut rest = tile;
        let mut bases = vec![None; self.axes.len()];
        for (at, axis) in self.axes.iter().enumerate().rev() {
            if axis.is_one() {
                continue;
            }
            let outermost = self.axes[..at].iter().all(Axis::is_one);
            let number = match axis.sized {
                _ if outermost => rest,
                None => e.next_digit(&mut rest, axis.tiles),
                Some(_) => {
                    let count = axis.count(e);
                    e.next_digit_of(&mut rest, count)
                }
            };
            let start = e.code.int_k("arith.muli", number, axis.step);
            bases[at] = Some(if axis.sized.is_some() || axis.extent % axis.step == 0 {
                (start, axis.step)
            } else {
                let limit = e.code.int(start.ty, axis.extent - axis.covered);
                let step = if (axis.extent - axis.covered) % axis.lanes == 0 { axis.lanes } else { 1 };
                (e.code.binary("arith.minsi", start, limit), step)
            });
        }
        bases
    }

    /// Loops of the reduction; with lanes along one of them, that one counts whole vectors only.
    fn ranges(&self, e: &mut Emitter<'_>, lanes: Option<(VarId, u32)>) -> Result<Vec<Range>, EmitError> {
        let lanes_of = |var| lanes.map_or(1, |(v, n)| if v == var { i64::from(n) } else { 1 });
        let mut ranges = Vec::with_capacity(self.reduction.len());
        for &var in &self.reduction {
            let lanes = lanes_of(var);
            let mut range = Range { var, first: 0, count: e.exprs.indices.extent(var) / lanes, lanes, sized: None };
            if e.exprs.indices.run_extent(var).is_some() {
                let extent = e.extent_value(var)?;
                let count = if lanes == 1 { extent } else { e.code.int_k("arith.divui", extent, lanes) };
                range.sized = Some((e.code.int(extent.ty, 0), count));
            }
            ranges.push(range);
        }
        Ok(ranges)
    }

    /// Accumulators of every point that change nothing.
    fn identities(&self, e: &mut Emitter<'_>, points: &[Point]) -> Result<Vec<Value>, EmitError> {
        let mut all = Vec::new();
        for point in points {
            bind_point(e, point);
            let lanes = e.lanes;
            let identity = self.fold.identity(e)?;
            all.extend(identity.into_iter().map(|v| e.code.spread(v, lanes)));
        }
        Ok(all)
    }

    /// Lanes along a reduction variable: vectors, then what is left over, then the lanes together. Of `width` points
    /// each, neighbours, the results are lanes.
    fn fold_lanes(
        &self,
        e: &mut Emitter<'_>,
        points: &[Point],
        (var, lanes): (VarId, u32),
        width: usize,
        share: Option<Share>,
    ) -> Result<Vec<Value>, EmitError> {
        let sized = e.exprs.indices.run_extent(var).is_some();
        let mut folded: Option<Vec<Value>> = None;
        for part in parts_of(e.exprs.indices.extent(var), lanes, sized) {
            e.lanes = part.lanes;
            let mut ranges = self.ranges(e, Some((var, part.lanes)))?;
            for range in ranges.iter_mut().filter(|r| r.var == var) {
                (range.first, range.count) = (part.first, part.count);
                if let Some((_, end)) = range.sized.filter(|_| part.lanes == 1) {
                    let vectors = e.code.int_k("arith.divui", end, i64::from(lanes));
                    let first = e.code.int_k("arith.muli", vectors, i64::from(lanes));
                    (range.first, range.sized) = (0, Some((first, end)));
                }
            }
            let sums = self.fold_ranges(e, points, &ranges, share)?;
            e.lanes = 1;
            let merged = self.merged(e, &sums, width)?;
            folded = Some(match folded {
                None => merged,
                Some(before) => self.merge_all(e, &before, &merged)?,
            });
        }
        Ok(folded.unwrap_or_default())
    }

    pub fn merge_all(&self, e: &mut Emitter<'_>, a: &[Value], b: &[Value]) -> Result<Vec<Value>, EmitError> {
        let n = self.fold.operands();
        let mut merged = Vec::new();
        for (a, b) in a.chunks(n).zip(b.chunks(n)) {
            merged.extend(self.fold.merge(e, a, b)?);
        }
        Ok(merged)
    }

    /// Folds all steps of the loops, or this thread's share of them.
    fn fold_ranges(
        &self,
        e: &mut Emitter<'_>,
        points: &[Point],
        ranges: &[Range],
        share: Option<Share>,
    ) -> Result<Vec<Value>, EmitError> {
        let start = self.identities(e, points)?;
        if ranges.iter().any(Range::is_empty) {
            return Ok(start);
        }
        match share {
            None => self.nest(e, points, ranges, start),
            Some(share) => self.strided(e, points, ranges, start, share),
        }
    }

    fn nest(
        &self,
        e: &mut Emitter<'_>,
        points: &[Point],
        ranges: &[Range],
        running: Vec<Value>,
    ) -> Result<Vec<Value>, EmitError> {
        let Some((range, inner)) = ranges.split_first() else {
            return match self.taps {
                Some(taps) => taps.fold(e, self, points, running),
                None => self.step(e, points, &running),
            };
        };
        if range.is_one() {
            bind_range(e, range, None);
            return self.nest(e, points, inner, running);
        }
        let ty = e.index_ty();
        let one = e.code.int(ty, 1);
        let (low, high) = match range.sized {
            Some(bounds) => bounds,
            None => (e.code.int(ty, 0), e.code.int(ty, range.count)),
        };
        let open = e.code.begin_for(low, high, one, &running);
        bind_range(e, range, Some(open.iv));
        let next = self.nest(e, points, inner, open.carried.clone())?;
        Ok(e.code.end_for(open, &next))
    }

    /// Every R-th step, from the thread's rank on.
    fn strided(
        &self,
        e: &mut Emitter<'_>,
        points: &[Point],
        ranges: &[Range],
        running: Vec<Value>,
        share: Share,
    ) -> Result<Vec<Value>, EmitError> {
        let ty = e.index_ty();
        let steps: i64 = ranges.iter().map(|r| r.count).product();
        let low = e.code.resize_u(share.rank, ty.scalar);
        let high = e.code.int(ty, steps);
        let stride = e.code.int(ty, i64::from(self.schedule.reduce_threads));
        let open = e.code.begin_for(low, high, stride, &running);
        let mut rest = open.iv;
        for (at, range) in ranges.iter().enumerate().rev() {
            let outermost = ranges[..at].iter().all(|r| r.count == 1);
            let position = if range.count == 1 {
                None
            } else if outermost {
                Some(rest)
            } else {
                let position = e.next_digit(&mut rest, range.count);
                Some(position)
            };
            bind_range(e, range, position);
        }
        let next = self.step(e, points, &open.carried.clone())?;
        Ok(e.code.end_for(open, &next))
    }

    fn step(&self, e: &mut Emitter<'_>, points: &[Point], running: &[Value]) -> Result<Vec<Value>, EmitError> {
        let n = self.fold.operands();
        let mut next = Vec::with_capacity(running.len());
        for (at, point) in points.iter().enumerate() {
            bind_point(e, point);
            let lanes = e.lanes;
            let values = self.fold.step(e, &running[at * n..(at + 1) * n])?;
            next.extend(values.into_iter().map(|v| e.code.spread(v, lanes)));
        }
        Ok(next)
    }
}

/// A part of a reduction along the variable of its lanes: `count` vectors from the element `first` on.
#[derive(Debug, PartialEq, Eq)]
struct Part {
    first: i64,
    count: i64,
    lanes: u32,
}

/// A reduction of `extent` elements in vectors of `lanes`; what is left over in shorter ones, and in scalars. Where the
/// extent is known only at run time nothing is known of what is left: scalars.
///
/// Worked example: 110 elements in 16 lanes: 6 vectors of 16, one of 8, one of 4, 2 scalars.
fn parts_of(extent: i64, lanes: u32, sized: bool) -> Vec<Part> {
    let mut parts = Vec::new();
    let (mut first, mut width) = (0, lanes);
    while width > 1 {
        let count = (extent - first) / i64::from(width);
        if count > 0 {
            parts.push(Part { first, count, lanes: width });
            first += count * i64::from(width);
        }
        width = if sized || width / 2 < REST_LANES_MIN { 1 } else { width / 2 };
    }
    if sized || first < extent || parts.is_empty() {
        parts.push(Part { first, count: extent - first, lanes: 1 });
    }
    parts
}

/// Binds every tile point; lanes along a domain variable become the present lanes.
fn points(e: &mut Emitter<'_>, axes: &[Axis], bases: &[Option<(Value, i64)>]) -> Vec<Point> {
    e.lanes = axes.iter().map(|a| a.lanes as u32).max().unwrap_or(1);
    let mut points: Vec<Point> = vec![Vec::new()];
    for (axis, &base) in axes.iter().zip(bases) {
        let (base, multiple) = base.map_or((None, 0), |(b, m)| (Some(b), m));
        let mut next = Vec::new();
        let bindings: Vec<Binding> =
            axis.offsets().into_iter().filter_map(|offset| axis.bind(e, base, multiple, offset)).collect();
        for point in &points {
            next.extend(bindings.iter().map(|&b| {
                let mut longer = point.clone();
                longer.push((axis.var, b));
                longer
            }));
        }
        points = next;
    }
    points
}

pub fn bind_point(e: &mut Emitter<'_>, point: &Point) {
    for &(var, binding) in point {
        e.rebind(var, binding);
    }
}

fn bind_range(e: &mut Emitter<'_>, range: &Range, position: Option<Value>) {
    let base = position.map(|p| if range.lanes == 1 { p } else { e.code.int_k("arith.muli", p, range.lanes) });
    if range.lanes > 1 {
        e.bind_lanes(range.var, base, range.lanes, range.first);
    } else {
        e.bind(range.var, base, 1, range.first);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_vectors_leave_over_goes_in_shorter_ones() {
        let parts = |extent, lanes, sized| -> Vec<(i64, i64, u32)> {
            parts_of(extent, lanes, sized).iter().map(|p| (p.first, p.count, p.lanes)).collect()
        };
        assert_eq!(parts(110, 16, false), [(0, 6, 16), (96, 1, 8), (104, 1, 4), (108, 2, 1)]);
        assert_eq!(parts(96, 16, false), [(0, 6, 16)]);
        assert_eq!(parts(7, 8, false), [(0, 1, 4), (4, 3, 1)]);
        assert_eq!(parts(3, 2, false), [(0, 1, 2), (2, 1, 1)]);
        assert_eq!(parts(0, 8, false), [(0, 0, 1)]);
        assert_eq!(parts(20, 8, true), [(0, 2, 8), (16, 4, 1)]);
    }
}
