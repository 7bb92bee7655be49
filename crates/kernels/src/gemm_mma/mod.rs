//! `Body::Contraction` on matrix instructions: products and convolutions, any number of variables, as one tile program.
//!
//! Rows, columns, batch and steps are each one number that runs through the plan's variables (`axes`). Blocks of both
//! operands pass through a ring of stages in shared memory (`layout`, `operand`, `stage`), warps read fragments
//! (`fragment`) and multiply them (`atoms`, `main_loop`), and the results go to the plan's stores (`epilogue`).
//!
//! Worked example, [6272, 576]·[576, 64] (a 3×3 convolution of 32 images of 14×14×64, NHWC bf16), tile 128 × 64 × 32:
//! 49 workgroups, 18 blocks; block 5 is window place (0, 2), channels 32…63, so that a row's piece is 16 bytes at
//! ((n·14 + y - 1)·14 + x + 1)·64 + 32.

mod again;
mod ahead;
mod axes;
pub mod candidates;
mod chunk;
mod cost;
mod direct;
mod epilogue;
mod fragment;
mod layout;
mod main_loop;
mod operand;
pub mod schedule;
pub mod split;
mod stage;

use self::schedule::MmaSchedule;
use crate::family::{Family, Offer, Try, has_own};
use crate::refusal::Refusal;
use fornax_plan::Body;
use fornax_plan::matrix::Lanes;
use fornax_plan::{ContractionForm, Operand, VarId};
use fornax_targets::fitted::gemm_mma::FED_FACTOR;

use self::again::Again;
use self::axes::Axes;
use self::epilogue::Epilogue;
use self::fragment::Reader;
use self::main_loop::MainLoop;
use self::operand::{Frame, Side};
use self::stage::{Chunks, Walk};
use fornax_emit::blocks::mma::Multiplier;
use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::text::Value;

/// Sums of a thread up to which its registers are limited by name where results are computed again, and to how many.
const FEW_SUMS: u32 = 16;
const FEW_SUMS_REGISTERS: u32 = 224;

/// Emits the body.
pub fn emit(e: &mut Emitter<'_>, schedule: &MmaSchedule) -> Result<(), EmitError> {
    let Some(form) = ContractionForm::of(e.plan) else { return Err(e.malformed("not a contraction")) };
    let atom = schedule.atom.row();
    if !schedule.is_consistent() || !e.target.has(atom.feature) {
        return Err(e.unfit(format!("{} on {schedule:?}", atom.name)));
    }
    if schedule.shared_bytes(form.accumulator) > e.target.shared_bytes_max {
        return Err(e.unfit("its tiles do not fit into shared memory"));
    }
    let shared = e.abi.dynamic_shared(&mut e.code);
    let thread = e.abi.thread_id(&mut e.code);
    let index = e.index;
    let id = e.abi.workgroup_id(&mut e.code, index);
    let first = tile(e, schedule, &form, id)?;
    let [rows, columns] = outputs(e, &form);
    let walk = Walk { axes: steps(e, &form), block: i64::from(schedule.steps) };
    let frame = |extent: u32, warps: u32, start: u32| Frame {
        schedule,
        steps: &walk.axes,
        extent: i64::from(extent),
        warps: i64::from(warps),
        start: i64::from(start),
    };
    let row_side = Side::new(e, &frame(schedule.rows, schedule.down, 0), &form.row_operand, rows)?;
    let column_start = schedule.operand_bytes(schedule.rows);
    let column_frame = frame(schedule.columns, schedule.across, column_start);
    let column_side = Side::new(e, &column_frame, &form.column_operand, columns)?;

    let (lane, warp) = place(e, schedule, thread);
    let readers = [
        Reader::new(e, &row_side, warp[0], lane, (atom, true)),
        Reader::new(e, &column_side, warp[1], lane, (atom, false)),
    ];
    let fragments = [
        (row_side.warp_outputs() / i64::from(atom.shape[0])) as usize,
        (column_side.warp_outputs() / i64::from(atom.shape[1])) as usize,
    ];
    let axes = epilogue::axes(&row_side, &column_side);
    let threads = i64::from(schedule.threads());
    let at = (thread, shared);
    let chunks =
        [Chunks::new(e, row_side, at, threads, first[0])?, Chunks::new(e, column_side, at, threads, first[1])?];
    let elements = [form.row_operand.element, form.column_operand.element];
    let multiplier = Multiplier { atom: schedule.atom, elements };
    let accumulator = e.register_scalar(form.accumulator)?;
    let nodes = [form.row_operand.node, form.column_operand.node];
    let again = schedule.atom.redoes(form.precision).then(|| Again { nodes, steps: walk.axes.clone() });
    let bounded = again.is_some();
    if let Some(most) = registers_max(schedule, bounded) {
        e.abi.attribute(&format!("nvvm.maxnreg = {most} : i32"));
    }
    let main = MainLoop { schedule, walk: &walk, multiplier, shared, chunks, readers, fragments, accumulator, bounded };
    let sums = main.emit(e)?;
    // Where the thread is and what it stores is worked out again, so that the loop need not keep it.
    let thread = e.abi.thread_id_again(&mut e.code);
    let (lane, warp) = place(e, schedule, thread);
    let id = e.abi.workgroup_id_again(&mut e.code, index);
    let first = tile(e, schedule, &form, id)?;
    let warps = i64::from(schedule.down * schedule.across);
    let again = match again {
        None => None,
        Some(again) => {
            let doubt = again.doubt(e, &sums.largest, shared, thread, warps)?;
            Some((again, doubt))
        }
    };
    let registers = multiplier.registers();
    let end = Epilogue { schedule, shared, thread, lane, warp, first, axes, fragments, registers, accumulator, again };
    end.emit(e, &sums.all)
}

/// The registers a thread may have, said by name: left to itself, ptxas aims at more workgroups a unit than shared
/// memory has room for, and spills a few bytes (of 64 registers for tiles of 16 × 32, of 128 for f64).
fn registers_max(schedule: &MmaSchedule, again: bool) -> Option<u32> {
    if schedule.atom.row().lanes != Lanes::Quads {
        return None;
    }
    if schedule.atom.bytes() == 8 {
        return Some(255);
    }
    let few = schedule.rows * schedule.columns <= FEW_SUMS * schedule.threads();
    (again && few).then_some(FEW_SUMS_REGISTERS)
}

/// A thread's lane, and its warp's place along rows and columns.
fn place(e: &mut Emitter<'_>, schedule: &MmaSchedule, thread: Value) -> (Value, [Value; 2]) {
    let wave = schedule.atom.wave();
    let lane = e.code.and_k(thread, i64::from(wave) - 1);
    let warp = e.code.shr_uk(thread, i64::from(wave.ilog2()));
    let across = i64::from(schedule.across);
    let (down, over) = e.code.div_rem(warp, across);
    (lane, [down, over])
}

/// Binds the batch of the tile of workgroup `id`; its first row and column. Row tiles are numbered in groups: within
/// one, rows first.
fn tile(
    e: &mut Emitter<'_>,
    schedule: &MmaSchedule,
    form: &ContractionForm,
    id: Value,
) -> Result<[Value; 2], EmitError> {
    if !e.plan.has_static_loops() {
        return sized_tile(e, schedule, form, id);
    }
    let [down, across, _] = schedule.tiles(e.plan, form).map(|n| n as i64);
    let batch = Axes::new(e.exprs, &form.batch, None);
    let id = if batch.total > 1 {
        let number = e.code.int_k("arith.divui", id, down * across);
        batch.bind(e, number, 1, false);
        e.code.int_k("arith.remui", id, down * across)
    } else {
        id
    };
    let group = i64::from(schedule.group).min(down);
    let [row, column] = if down == 1 {
        [e.code.int(id.ty, 0), id]
    } else if across == 1 {
        [id, e.code.int(id.ty, 0)]
    } else if group == down {
        [e.code.int_k("arith.remui", id, down), e.code.int_k("arith.divui", id, down)]
    } else {
        let number = e.code.int_k("arith.divui", id, group * across);
        let start = e.code.int_k("arith.muli", number, group);
        let end = e.code.int(id.ty, down);
        let left = e.code.sub_i(end, start);
        let most = e.code.int(id.ty, group);
        let size = e.code.binary("arith.minui", left, most);
        let rest = e.code.int_k("arith.remui", id, group * across);
        let inside = e.code.binary("arith.remui", rest, size);
        [e.code.add_i(start, inside), e.code.binary("arith.divui", rest, size)]
    };
    Ok([
        e.code.int_k("arith.muli", row, i64::from(schedule.rows)),
        e.code.int_k("arith.muli", column, i64::from(schedule.columns)),
    ])
}

/// The same where the numbers of tiles are known only at run time.
fn sized_tile(
    e: &mut Emitter<'_>,
    schedule: &MmaSchedule,
    form: &ContractionForm,
    id: Value,
) -> Result<[Value; 2], EmitError> {
    let axes = [&form.batch, &form.rows, &form.columns].map(|vars| Axes::new(e.exprs, vars, None));
    let (rows, columns) = (i64::from(schedule.rows), i64::from(schedule.columns));
    let (down, across) = (axes[1].tiles(e, rows)?, axes[2].tiles(e, columns)?);
    let tiles = e.code.mul_i(down, across);
    let number = e.code.binary("arith.divui", id, tiles);
    axes[0].bind(e, number, 1, false);
    let id = e.code.binary("arith.remui", id, tiles);
    let group = e.code.int(id.ty, i64::from(schedule.group));
    let together = e.code.mul_i(group, across);
    let number = e.code.binary("arith.divui", id, together);
    let start = e.code.mul_i(number, group);
    let left = e.code.sub_i(down, start);
    let size = e.code.binary("arith.minui", left, group);
    let rest = e.code.binary("arith.remui", id, together);
    let inside = e.code.binary("arith.remui", rest, size);
    let (row, column) = (e.code.add_i(start, inside), e.code.binary("arith.divui", rest, size));
    Ok([e.code.int_k("arith.muli", row, rows), e.code.int_k("arith.muli", column, columns)])
}

/// Rows and columns: last the variable along which the results, else the operand, are contiguous.
fn outputs(e: &Emitter<'_>, form: &ContractionForm) -> [Axes; 2] {
    let exprs = e.exprs;
    let store = e.plan.body.stores().first().map(|s| s.offset);
    let inner = |vars: &[VarId], operand: &Operand| {
        let stored = vars.iter().find(|&&v| store.is_some_and(|s| exprs.indices.stride(s, v) == Some(1)));
        let loaded =
            || vars.iter().find(|&&v| operand.load.is_some_and(|l| exprs.indices.stride(l.offset, v) == Some(1)));
        stored.or_else(loaded).copied()
    };
    [(&form.rows, &form.row_operand), (&form.columns, &form.column_operand)]
        .map(|(vars, operand)| Axes::new(exprs, vars, inner(vars, operand)))
}

/// The steps: last the variable along which most operands are contiguous.
fn steps(e: &Emitter<'_>, form: &ContractionForm) -> Axes {
    let along = |var: VarId| {
        [&form.row_operand, &form.column_operand]
            .iter()
            .filter(|o| o.load.is_some_and(|l| e.exprs.indices.stride(l.offset, var) == Some(1)))
            .count()
    };
    // Of equals the last one, as the plan orders them.
    let inner = form.steps.iter().copied().max_by_key(|&v| along(v));
    Axes::new(e.exprs, &form.steps, inner)
}

/// The family's row.
pub const FAMILY: Family = Family {
    name: "mma",
    demanded: true,
    tries: &[Try {
        name: "mma",
        applies: |plan| !has_own(plan) && (!plan.has_static_loops() || matches!(plan.body, Body::Contraction { .. })),
        choose: |plan, asked| {
            let choice = candidates::choose(plan, asked.target).map_err(Refusal::Matrix)?;
            Ok(Offer::new(choice.schedule, choice.cost).at_worst(FED_FACTOR))
        },
        costs: candidates::costs,
    }],
    candidates: Some(candidates::candidates),
    named: Some(candidates::named),
    together: None,
    side_by_side: None,
    emit: write,
};

/// Writes a kernel that has one of the family's schedules.
fn write(e: &mut Emitter<'_>) -> Option<Result<(), EmitError>> {
    let plan = e.plan;
    let Body::Contraction { .. } = &plan.body else { return None };
    Some(emit(e, plan.schedule_as::<MmaSchedule>()?))
}
