//! `Body::FusedLoop`: the kernels of a loop as one, a workgroup (on CPUs one thread) for each problem or few.
//!
//! Steps run one after another with a barrier behind each, loops of rounds are loops. GPU: the points of all problems
//! of a workgroup are numbered, and threads take neighbouring ones. Where there are fewer points than threads and a
//! point is a fold, a power of two of neighbouring lanes share it: each folds some of the elements, and lane exchange
//! brings the parts together. A fold by an op takes every R-th element, one by a combiner of its own consecutive ones,
//! so that elements stay in order. All threads take part in the exchange: those without a point do the last one once
//! more and store nothing. CPU: a problem after another, the last variable in vectors.
//!
//! Data lie in global memory, which a workgroup finds in its caches. Buffers that a part writes promise nothing: LLVM
//! takes a barrier to leave memory alone that an argument without aliases points to, and moves loads over it.
//!
//! LLVM takes places of loads out of the loop over rounds, two registers each. Where those of all parts do not fit
//! (Jacobi rotations: a hundred loads, 512 threads), every part reads the thread's number anew and works its places out
//! again (CUDA).
//!
//! Worked example: 16 matrices of 4 × 4 in a workgroup of 256 threads; a column's norm is 16 points of 4 elements,
//! which 4 lanes share each: 64 threads work, two exchanges.

use crate::fused_loop::schedule::FusedLoopSchedule;
use fornax_plan::{Body, Combiner, FusedLoop, LoopPart, LoopStep, Store, VarId};
use fornax_targets::{Backend, Target};

use fornax_emit::blocks::fold::Fold;
use fornax_emit::blocks::lanes::exchange;
use fornax_emit::blocks::product::ProductFold;
use fornax_emit::blocks::{change, points, reduction_folds};
use fornax_emit::emitter::{Emitter, Slot};
use fornax_emit::errors::EmitError;
use fornax_emit::text::Value;

/// Lanes that share a fold, at most: within every subgroup.
const SHARE_MAX: u64 = 32;

/// A place among the threads, the same in all steps.
struct Place {
    /// The first problem.
    first: Value,
    /// Problems of this workgroup, where they may be fewer than in others.
    left: Option<Value>,
    thread: Value,
    /// Every part reads the thread's number again, so that LLVM takes no address out of the loop over rounds.
    anew: bool,
    schedule: FusedLoopSchedule,
    problems: i64,
}

/// Emits the body.
pub fn emit<'a>(e: &mut Emitter<'a>, fused: &'a FusedLoop, schedule: FusedLoopSchedule) -> Result<(), EmitError> {
    if schedule.threads == 0 || schedule.threads > e.target.max_threads_per_block || schedule.together == 0 {
        return Err(e.unfit(format!("{} threads for {} problems", schedule.threads, schedule.together)));
    }
    e.abi.exchange_in_buffers();
    if let Some(most) = registers_max(e.target, fused, schedule) {
        e.abi.attribute(&format!("nvvm.maxnreg = {most} : i32"));
    }
    let whole = e.plan;
    let ty = e.index_ty();
    let group = e.abi.workgroup_id(&mut e.code, ty.scalar);
    let together = i64::from(schedule.together);
    let first = e.code.int_k("arith.muli", group, together);
    let left = (fused.problems % together != 0).then(|| {
        let problems = e.code.int(ty, fused.problems);
        let rest = e.code.sub_i(problems, first);
        let most = e.code.int(ty, together);
        e.code.binary("arith.minsi", rest, most)
    });
    e.problem = Some((first, fused.problems));
    let thread = e.abi.thread_id(&mut e.code);
    let thread = e.code.resize_u(thread, ty.scalar);
    let anew = reads_anew(e.target, fused, schedule);
    let place = Place { first, left, thread, anew, schedule, problems: fused.problems };
    place.steps(e, fused, &fused.steps)?;
    e.turn_to(whole);
    Ok(())
}

/// The registers a thread may have, said by name (CUDA) where a unit has no more than one workgroup: all that there
/// are. Left to itself, ptxas takes 40 to 64 for more workgroups a unit, and spills up to 100 bytes.
fn registers_max(target: &Target, fused: &FusedLoop, schedule: FusedLoopSchedule) -> Option<u32> {
    let alone = schedule.workgroups(fused) <= u64::from(target.compute_units);
    (target.backend == Backend::Cuda && alone).then(|| schedule.registers(target.registers_per_unit))
}

/// Whether what stays the same in all rounds would fill the registers (CUDA).
fn reads_anew(target: &Target, fused: &FusedLoop, schedule: FusedLoopSchedule) -> bool {
    target.backend == Backend::Cuda && fused.held_registers() > schedule.registers(target.registers_per_unit)
}

impl Place {
    fn steps<'a>(&self, e: &mut Emitter<'a>, fused: &'a FusedLoop, steps: &[LoopStep]) -> Result<(), EmitError> {
        for step in steps {
            match step {
                LoopStep::Part(at) => {
                    let part = fused.parts.get(*at as usize).ok_or_else(|| e.malformed(format!("no part {at}")))?;
                    e.turn_to(&part.plan);
                    self.part(e, part)?;
                    e.abi.barrier_of_all(&mut e.code);
                }
                LoopStep::Repeat { count, steps } => {
                    let count = i64::try_from(*count).map_err(|_| e.malformed("too many rounds"))?;
                    let ty = e.index_ty();
                    let (zero, one, high) = (e.code.int(ty, 0), e.code.int(ty, 1), e.code.int(ty, count));
                    let open = e.code.begin_for(zero, high, one, &[]);
                    self.steps(e, fused, steps)?;
                    e.code.end_rolled_for(open, &[]);
                }
            }
        }
        Ok(())
    }

    fn part(&self, e: &mut Emitter<'_>, part: &LoopPart) -> Result<(), EmitError> {
        if part.points() == 0 {
            return Ok(());
        }
        if !e.abi.is_gpu() {
            return self.cpu(e, part);
        }
        let share = share(e, part, self.schedule);
        if share > 1 { self.shared(e, part, share) } else { self.each(e, part) }
    }

    fn thread(&self, e: &mut Emitter<'_>) -> Value {
        if !self.anew {
            return self.thread;
        }
        let thread = e.abi.thread_id_again(&mut e.code);
        e.code.resize_u(thread, self.thread.ty.scalar)
    }

    /// Threads take points of their own.
    fn each(&self, e: &mut Emitter<'_>, part: &LoopPart) -> Result<(), EmitError> {
        let points = part.points() as i64;
        let all = e.code.int(self.first.ty, points * i64::from(self.schedule.together));
        let high = match self.left {
            Some(left) => e.code.int_k("arith.muli", left, points),
            None => all,
        };
        let threads = i64::from(self.schedule.threads);
        let thread = self.thread(e);
        e.each((thread, high), threads, &mut |e, number| {
            self.bind(e, part, number);
            point(e, part, None)
        })
    }

    /// `share` neighbouring threads take a point.
    fn shared(&self, e: &mut Emitter<'_>, part: &LoopPart, share: u64) -> Result<(), EmitError> {
        let points = part.points() as i64;
        let ty = self.first.ty;
        let thread = self.thread(e);
        let rank = e.code.int_k("arith.remui", thread, share as i64);
        let number = e.code.int_k("arith.divui", thread, share as i64);
        let high = match self.left {
            Some(left) => e.code.int_k("arith.muli", left, points),
            None => e.code.int(ty, points * i64::from(self.schedule.together)),
        };
        let exists = e.code.cmp_i("slt", number, high);
        let last = e.code.add_ik(high, -1);
        let number = e.code.binary("arith.minsi", number, last);
        self.bind(e, part, number);
        folded_together(e, part, (rank, share), exists)
    }

    /// Binds the variables of a part from the number of a point among those of the workgroup.
    fn bind(&self, e: &mut Emitter<'_>, part: &LoopPart, number: Value) {
        e.lanes = 1;
        let mut rest = number;
        let Some((&problem, vars)) = part.plan.domain.split_first() else { return };
        for &var in vars.iter().rev() {
            let extent = e.exprs.indices.extent(var);
            let own = e.next_digit(&mut rest, extent);
            e.bind(var, Some(own), 1, 0);
        }
        self.bind_problem(e, problem, (self.schedule.together > 1).then_some(rest));
    }

    fn bind_problem(&self, e: &mut Emitter<'_>, var: VarId, inside: Option<Value>) {
        if self.problems == 1 {
            return e.bind(var, None, 1, 0);
        }
        let number = inside.map_or(self.first, |inside| e.code.add_i(self.first, inside));
        e.bind(var, Some(number), 1, 0);
    }

    fn cpu(&self, e: &mut Emitter<'_>, part: &LoopPart) -> Result<(), EmitError> {
        let Some((&problem, vars)) = part.plan.domain.split_first() else { return Ok(()) };
        self.bind_problem(e, problem, None);
        let Some((&last, outer)) = vars.split_last() else { return point(e, part, None) };
        let lanes = if let Body::Update { .. } = part.plan.body { 1 } else { i64::from(part.lanes.max(1)) };
        let ty = e.index_ty();
        points::walk(e, outer, &mut |e| {
            let extent = e.exprs.indices.extent(last);
            // What is not in vectors goes one by one.
            let in_vectors = if lanes > 1 { extent - extent % lanes } else { 0 };
            let (zero, whole, end) = (e.code.int(ty, 0), e.code.int(ty, in_vectors), e.code.int(ty, extent));
            if in_vectors > 0 {
                e.each((zero, whole), lanes, &mut |e, at| {
                    e.lanes = lanes as u32;
                    e.bind_lanes(last, Some(at), lanes, 0);
                    point(e, part, None)
                })?;
            }
            e.lanes = 1;
            if in_vectors == extent {
                return Ok(());
            }
            e.each((whole, end), 1, &mut |e, at| {
                e.bind(last, Some(at), 1, 0);
                point(e, part, None)
            })
        })
    }
}

/// All that the bound point needs; `exists`: whether it may store.
fn point(e: &mut Emitter<'_>, part: &LoopPart, exists: Option<Value>) -> Result<(), EmitError> {
    match &part.plan.body {
        Body::Update { condition, combine, stores } => change::point(e, (*condition, *combine), stores, exists),
        _ => points::point(e),
    }
}

/// How many lanes share a point of a part: a power of two, 1 where there is nothing to share.
fn share(e: &Emitter<'_>, part: &LoopPart, schedule: FusedLoopSchedule) -> u64 {
    let (threads, subgroup) = (u64::from(schedule.threads), u64::from(e.abi.subgroup.max(1)));
    let whole = threads.is_multiple_of(subgroup) || threads < subgroup && threads.is_power_of_two();
    let folds = matches!(part.plan.body, Body::Reduce { .. } | Body::Contraction { .. } | Body::Row { .. });
    if !folds || part.plan.ordered || !whole || !e.abi.exchanges() {
        return 1;
    }
    let points = part.points().saturating_mul(u64::from(schedule.together));
    let most = (threads / points.max(1)).min(part.folded() / 2).min(SHARE_MAX).min(subgroup);
    if most < 2 { 1 } else { 1 << most.ilog2() }
}

/// The folds of a point by the lanes that share it, then its stores.
fn folded_together(
    e: &mut Emitter<'_>,
    part: &LoopPart,
    (rank, share): (Value, u64),
    exists: Value,
) -> Result<(), EmitError> {
    let zero = e.code.int(rank.ty, 0);
    let is_first = e.code.cmp_i("eq", rank, zero);
    let one_stores = e.code.and(exists, is_first);
    let once = |e: &mut Emitter<'_>, stores: &[Store]| {
        e.code.begin_if(one_stores, &[]);
        points::store(e, stores)?;
        e.code.end_if(&[]);
        Ok(())
    };
    match &part.plan.body {
        Body::Reduce { reduction, inputs, inits, combiner, stores } => {
            let fold = reduction_folds::fold(e, inputs, inits, combiner)?;
            let inside = matches!(combiner, Combiner::Simple(_));
            fold_shared(e, fold.as_ref(), reduction, Lanes { rank, share, inside }, 0)?;
            once(e, stores)
        }
        Body::Contraction { reduction, lhs, rhs, accumulator, stores, .. } => {
            let fold = ProductFold { lhs: *lhs, rhs: *rhs, element: *accumulator };
            fold_shared(e, &fold, reduction, Lanes { rank, share, inside: true }, 0)?;
            once(e, stores)
        }
        Body::Row { row, folds, stores } => {
            let mut first = 0;
            for each in folds {
                let fold = reduction_folds::fold(e, &each.inputs, &each.inits, &each.combiner)?;
                let inside = matches!(each.combiner, Combiner::Simple(_));
                first += fold_shared(e, fold.as_ref(), row, Lanes { rank, share, inside }, first)?;
            }
            let exprs = e.exprs;
            let varies = |s: &Store| row.iter().any(|&v| exprs.index_varies(s.offset, v));
            let (each, single): (Vec<Store>, Vec<Store>) = stores.iter().copied().partition(varies);
            if !single.is_empty() {
                once(e, &single)?;
            }
            if each.is_empty() {
                return Ok(());
            }
            e.code.begin_if(exists, &[]);
            let visit = &mut |e: &mut Emitter<'_>, _: &[Value]| {
                points::store(e, &each)?;
                Ok(Vec::new())
            };
            nest(e, row, Some((longest(e, row), Lanes { rank, share, inside: true })), &[], visit)?;
            e.code.end_if(&[]);
            Ok(())
        }
        _ => Err(e.unfit("lanes share what is no fold")),
    }
}

/// The elements that a lane takes along one variable.
#[derive(Clone, Copy)]
struct Lanes {
    rank: Value,
    share: u64,
    /// Every `share`-th, else consecutive ones.
    inside: bool,
}

/// The longest of some variables.
fn longest(e: &Emitter<'_>, vars: &[VarId]) -> Option<VarId> {
    vars.iter().copied().max_by_key(|&v| e.exprs.indices.extent(v))
}

/// One fold by several lanes; sets the results from number `first` on, in all lanes, and gives how many there are.
fn fold_shared(
    e: &mut Emitter<'_>,
    fold: &dyn Fold,
    vars: &[VarId],
    lanes: Lanes,
    first: u32,
) -> Result<u32, EmitError> {
    let Lanes { rank, share, inside } = lanes;
    // In order, the outermost variable is cut.
    let cut = if inside { longest(e, vars) } else { vars.first().copied() };
    let start = fold.identity(e)?;
    let mut sums = nest(e, vars, Some((cut, lanes)), &start, &mut |e, running| fold.step(e, running))?;
    let mut mask = 1;
    while mask < share {
        let moved = exchange(e, &sums, mask as u32);
        if inside && fold.is_symmetric() {
            sums = fold.merge(e, &sums, &moved)?;
        } else {
            // What the lower lane has comes first.
            let bit = e.code.and_k(rank, mask as i64);
            let lower = e.code.cmp_ik("eq", bit, 0);
            let pairs: Vec<(Value, Value)> = sums.iter().copied().zip(moved).collect();
            let a: Vec<Value> = pairs.iter().map(|&(own, other)| e.code.select(lower, own, other)).collect();
            let b: Vec<Value> = pairs.iter().map(|&(own, other)| e.code.select(lower, other, own)).collect();
            sums = fold.merge(e, &a, &b)?;
        }
        mask *= 2;
    }
    let results = fold.finish(e, &sums)?;
    for (at, &value) in (first..).zip(&results) {
        e.set_slot(Slot::Reduced(at), value);
    }
    Ok(results.len() as u32)
}

/// What is done with the carried values at one point of a nest.
type Visit<'a> = dyn FnMut(&mut Emitter<'_>, &[Value]) -> Result<Vec<Value>, EmitError> + 'a;

/// Loops over variables that carry values; along one of them a lane takes its own elements.
fn nest(
    e: &mut Emitter<'_>,
    vars: &[VarId],
    cut: Option<(Option<VarId>, Lanes)>,
    running: &[Value],
    visit: &mut Visit<'_>,
) -> Result<Vec<Value>, EmitError> {
    let Some((&var, inner)) = vars.split_first() else { return visit(e, running) };
    let ty = e.index_ty();
    let extent = e.exprs.indices.extent(var);
    let (mut low, mut high, mut step) = (e.code.int(ty, 0), e.code.int(ty, extent), 1);
    if let Some((Some(at), lanes)) = cut
        && at == var
    {
        if lanes.inside {
            (low, step) = (lanes.rank, lanes.share as i64);
        } else {
            let each = (extent as u64).div_ceil(lanes.share) as i64;
            low = e.code.int_k("arith.muli", lanes.rank, each);
            let end = e.code.add_ik(low, each);
            high = e.code.binary("arith.minsi", end, high);
        }
    }
    let step = e.code.int(ty, step);
    let open = e.code.begin_for(low, high, step, running);
    e.bind(var, Some(open.iv), 1, 0);
    let next = nest(e, inner, cut, &open.carried.clone(), visit)?;
    Ok(e.code.end_for(open, &next))
}
