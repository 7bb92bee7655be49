//! Contractions on matrix instructions: whether, and with which tile.
//!
//! Every tile that fits is weighed by the model of `cost`; the cheapest wins, of equal ones the first.
//! Everything depends on the plan and the target row only.

use fornax_targets::fitted::gemm_mma::{MODEL_ERROR, SECOND_KERNEL};
use std::collections::BTreeSet;

use crate::gemm_mma::schedule::MmaSchedule;
use fornax_plan::matrix::Lanes;
use fornax_plan::{Atom, ContractionForm, KernelPlan, MatrixAtom, Operand, VarId};
use fornax_targets::{Target, unit_counts, unit_rates};

use super::cost::{Size, Work, rate};
use crate::parts;
use crate::scheduled::of_name;

/// Outputs of a warp along one side.
const WARP_TILES: &[u32] = &[16, 32, 64];
/// Warps of a workgroup along both sides.
const WARPS: &[(u32, u32)] = &[(1, 1), (1, 2), (2, 1), (2, 2), (1, 4), (4, 1), (2, 4), (4, 2)];
/// Bytes of a row of steps in shared memory.
const STEP_BYTES: &[u32] = &[64, 128, 256];
const STAGES: &[u32] = &[2, 3, 4, 5, 6];
/// Row tiles numbered next to each other.
pub(super) const GROUP: u32 = 8;
/// Outputs along each side below which matrix instructions are mostly empty.
const OUTPUTS_MIN: i64 = 9;
/// Steps below which matrix instructions are mostly empty.
const STEPS_MIN: i64 = 8;
/// Split products pay from this share of the f32 multiply-add rate on: tiles of plain arithmetic reach less of theirs.
const SPLIT_GAIN_MIN: f64 = 0.6;
/// Outputs of a tile from which fragments are read ahead.
const AHEAD_OUTPUTS_MIN: u32 = 128 * 128;
/// Parts that the steps may be cut into.
const PARTS: &[i64] = &[1, 2, 3, 4, 6, 8, 9, 12, 16];
/// Steps of a part, at least.
const PART_STEPS_MIN: i64 = 64;

/// A tile, the parts that the steps are cut into (1 for one kernel), and what the model says it takes (cycles).
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    pub cost: f64,
    pub parts: i64,
    pub schedule: MmaSchedule,
}

/// The schedule of a contraction on matrix instructions.
///
/// # Errors
/// Why there is none, for people.
pub fn choose(plan: &KernelPlan, target: &Target) -> Result<Choice, String> {
    let best = ranked(plan, target)?.into_iter().find(|c| is_modelled(&c.schedule));
    best.ok_or_else(|| "no tensor core: no tile fits the target".to_string())
}

/// Schedules that are named with their cycles.
const COSTS_SHOWN: usize = 8;

/// Names of the schedules that the model takes, the cheapest first, with their cycles by the model.
pub fn costs(plan: &KernelPlan, target: &Target) -> Vec<(String, u64)> {
    let all = ranked(plan, target).unwrap_or_default().into_iter().filter(|c| is_modelled(&c.schedule));
    let named = |choice: Choice| {
        let own = plan.with_schedule(choice.schedule);
        let parts = if choice.parts > 1 { format!(" in {} parts", choice.parts) } else { String::new() };
        (own.way() + &parts, choice.cost as u64)
    };
    all.take(COSTS_SHOWN).map(named).collect()
}

/// Whether the model is good enough for a schedule: of those that read ahead, large tiles of f64 by two instructions a
/// block, of which no other workgroup hides anything (4096³ on an H200: 128 × 128 2.23 ms, 2.40 the best of the others;
/// 64 × 64 is slower for reading ahead).
fn is_modelled(s: &MmaSchedule) -> bool {
    let large = s.rows * s.columns >= AHEAD_OUTPUTS_MIN && s.down > s.across;
    let atom = s.atom == MatrixAtom::F64K8;
    if s.ahead { atom && large && s.steps == 2 * s.atom.row().shape[2] } else { !atom }
}

/// The best schedule of every kind (tile, warps, whether fragments are read ahead) by the model, the best kind first:
/// what a tuner may try.
pub fn candidates(plan: &KernelPlan, target: &Target) -> Vec<KernelPlan> {
    let mut kinds = BTreeSet::new();
    let mut found = whole(plan, target);
    found.retain(|s| kinds.insert((s.atom.row().name, s.rows, s.columns, s.steps, s.down, s.across, s.ahead)));
    found.into_iter().map(|s| plan.with_schedule(s)).collect()
}

/// The way of a name, however the model ranks it.
pub fn named(plan: &KernelPlan, target: &Target, is_meant: &dyn Fn(&str) -> bool) -> Option<KernelPlan> {
    of_name(plan, whole(plan, target).into_iter(), is_meant)
}

/// A schedule whose name begins so and that the target's limits leave out.
pub fn whatever_fits(plan: &KernelPlan, target: &Target, start: &str) -> Option<KernelPlan> {
    let form = ContractionForm::of(plan)?;
    let all = atoms(&form, target).into_iter().flat_map(schedules);
    let mut found = all.map(|s| plan.with_schedule(s));
    found.find(|plan| plan.way().starts_with(start))
}

/// What keeps such a schedule out.
pub fn refusal(plan: &KernelPlan, target: &Target) -> Option<&'static str> {
    let s = plan.schedule_as::<MmaSchedule>()?;
    let form = ContractionForm::of(plan)?;
    let (size, widths, units) = (Size::of(plan, &form), widths(plan, &form, s.atom), unit_counts(target));
    let rates = unit_rates(target)?;
    Work { size, accumulator: form.accumulator, widths, target, units: &units, rates }.refusal(s)
}

/// Elements of a piece of the rows and of the columns.
fn widths(plan: &KernelPlan, form: &ContractionForm, atom: MatrixAtom) -> [u32; 2] {
    [
        width(plan, &form.row_operand, &form.rows, &form.steps, atom),
        width(plan, &form.column_operand, &form.columns, &form.steps, atom),
    ]
}

/// All schedules of one kernel, the best by the model first.
fn whole(plan: &KernelPlan, target: &Target) -> Vec<MmaSchedule> {
    let ranked = ranked(plan, target).unwrap_or_default();
    ranked.into_iter().filter(|c| c.parts == 1).map(|c| c.schedule).collect()
}

/// Sizes known only at run time: the outermost of the batch and of the steps, and rows or columns that are one
/// variable. One that may only be 0 or 1 is neither left out nor cut.
fn fits_sizes(plan: &KernelPlan, form: &ContractionForm) -> bool {
    let indices = &plan.exprs.indices;
    let small = |&v: &VarId| indices.run_extent(v).is_some() && indices.extent(v) < 2;
    if plan.domain.iter().chain(&form.steps).any(small) {
        return false;
    }
    let is_static = |vars: &[VarId]| vars.iter().all(|&v| plan.exprs.indices.run_extent(v).is_none());
    let outermost = |vars: &[VarId]| vars.split_first().is_none_or(|(_, inner)| is_static(inner));
    let side = |vars: &[VarId]| vars.len() == 1 || is_static(vars);
    outermost(&form.batch) && side(&form.rows) && side(&form.columns) && outermost(&form.steps)
}

/// The best atom that the target has, and those of the same feature; of dot products that of its waves.
fn atoms(form: &ContractionForm, target: &Target) -> Vec<MatrixAtom> {
    let mut all = MatrixAtom::serving(form);
    all.retain(|a| a.dot().is_none() || a.wave() == target.subgroup_size);
    let best = all.iter().map(|a| a.row().feature).find(|&feature| target.has(feature));
    all.retain(|a| Some(a.row().feature) == best);
    all
}

fn ranked(plan: &KernelPlan, target: &Target) -> Result<Vec<Choice>, String> {
    let form = ContractionForm::of(plan).ok_or("not a contraction")?;
    if !fits_sizes(plan, &form) {
        return Err("no tensor core: several sizes of a side are known only at run time".into());
    }
    let size = Size::of(plan, &form);
    let rates = unit_rates(target).ok_or("no tensor core: its rates are not known")?;
    let atoms = atoms(&form, target);
    let &atom = atoms.first().ok_or_else(|| {
        let (a, b) = (form.row_operand.element.spelling(), form.column_operand.element.spelling());
        let (sum, precision) = (form.accumulator.spelling(), form.precision.name());
        format!("no tensor core: {} has none for {a} by {b} in {sum}, {precision}", target.name)
    })?;
    if atom == MatrixAtom::Tf32x3 && rate(atom, &rates) < SPLIT_GAIN_MIN * f64::from(rates.scalar_f32) {
        return Err(format!(
            "no tensor core: three tf32 products are no faster than f32 arithmetic on {}",
            target.name
        ));
    }
    if size.rows < OUTPUTS_MIN || size.columns < OUTPUTS_MIN || size.steps < STEPS_MIN {
        return Err(format!("no tensor core: {} × {} × {} is too small", size.rows, size.columns, size.steps));
    }
    let widths = widths(plan, &form, atom);
    let units = unit_counts(target);
    let mut all: Vec<Ranked> = Vec::new();
    for &parts in PARTS {
        if parts > 1
            && (!plan.has_static_loops()
                || size.steps / parts < PART_STEPS_MIN
                || parts::variable(plan, parts).is_none())
        {
            continue;
        }
        let each = Size { steps: size.steps / parts, batch: size.batch * parts, ..size };
        let outputs = (size.rows * size.columns * size.batch) as f64;
        let extra = if parts == 1 {
            0.0
        } else {
            let bytes = parts::bytes(outputs, parts as f64, form.accumulator);
            SECOND_KERNEL + bytes / f64::from(target.compute_units.max(1)) / f64::from(rates.memory_bytes.max(1))
        };
        let work = Work { size: each, accumulator: form.accumulator, widths, target, units: &units, rates };
        all.extend(atoms.iter().flat_map(|&atom| schedules(atom)).filter(|s| work.fits(s)).map(|schedule| {
            let choice = Choice { cost: extra + work.cost(&schedule), parts, schedule };
            Ranked { sparse: work.is_sparse(&schedule), moved: work.moved(&schedule), choice }
        }));
    }
    rank(&mut all);
    Ok(all.into_iter().map(|row| row.choice).collect())
}

/// A choice and what its rank depends on.
struct Ranked {
    sparse: bool,
    /// [`Work::moved`].
    moved: f64,
    choice: Choice,
}

/// The best first: dense tiles, then the least cost. Where the model is not measured, of tiles that it can not tell
/// apart the one that moves least: a latency hides what caches that others use too take, and power.
///
/// Worked example, MI300X, [1000, 513]·[513, 768] f16, 9 blocks of 64 steps that a copy's latency rules: 32 × 32 takes
/// 18668 cycles and moves 62 bytes from the cache for 1000 operations, 64 × 128 18881 (1 % more) and 23. The latter is
/// taken.
fn rank(all: &mut [Ranked]) {
    let least = |sparse| {
        let costs = all.iter().filter(move |row| row.sparse == sparse).map(|row| row.choice.cost);
        costs.fold(f64::INFINITY, f64::min)
    };
    let known = [false, true].map(|sparse| least(sparse) * (1.0 + MODEL_ERROR));
    all.sort_by(|a, b| {
        let told = |row: &Ranked| match row.choice.schedule.atom.row().lanes {
            Lanes::Chunks { .. } => row.choice.cost.max(known[usize::from(row.sparse)]),
            Lanes::Quads => row.choice.cost,
        };
        let moved = |row: &Ranked| match row.choice.schedule.atom.row().lanes {
            Lanes::Chunks { .. } => row.moved,
            Lanes::Quads => 0.0,
        };
        let by_cost = a.sparse.cmp(&b.sparse).then(told(a).total_cmp(&told(b)));
        by_cost.then(moved(a).total_cmp(&moved(b))).then(a.choice.cost.total_cmp(&b.choice.cost))
    });
}

/// Every consistent schedule with an atom.
pub(super) fn schedules(atom: MatrixAtom) -> impl Iterator<Item = MmaSchedule> {
    let bytes = atom.bytes();
    let warps = WARPS.iter().flat_map(move |&w| WARP_TILES.iter().map(move |&r| (w, r)));
    let tiles = warps.flat_map(move |w| WARP_TILES.iter().map(move |&c| (w, c)));
    let deep = tiles.flat_map(move |t| STEP_BYTES.iter().map(move |&d| (t, d / bytes)));
    let staged = deep.flat_map(move |t| STAGES.iter().map(move |&s| (t, s)));
    let read = staged.flat_map(|s| [false, true].map(|ahead| (s, ahead)));
    read.map(move |((((((down, across), rows), columns), steps), stages), ahead)| MmaSchedule {
        atom,
        rows: rows * down,
        columns: columns * across,
        steps,
        down,
        across,
        stages,
        group: GROUP,
        ahead,
    })
    .filter(MmaSchedule::is_consistent)
}

/// Elements of a piece in which an operand comes into shared memory: neighbours along a variable, aligned.
fn width(plan: &KernelPlan, operand: &Operand, outputs: &[VarId], steps: &[VarId], atom: MatrixAtom) -> u32 {
    let most = 16 / atom.bytes();
    let Some(load) = operand.load else { return 1 };
    let exprs = &plan.exprs;
    let along = |&var: &VarId| {
        if exprs.indices.stride(load.offset, var) != Some(1) || load.mask.is_some_and(|m| exprs.node_varies(m, var)) {
            return 1;
        }
        let linear = exprs.indices.linear(load.offset);
        let others = linear.terms.iter().filter(|t| exprs.indices.atom(t.0) != Atom::Var(var)).map(|t| t.1);
        let extent = match exprs.indices.run_extent(var) {
            Some(extent) => exprs.indices.alignment(extent, i64::from(most)),
            None => exprs.indices.extent(var),
        };
        let bits = others.fold(linear.constant | extent, |bits, c| bits | c);
        1 << bits.trailing_zeros().min(most.ilog2())
    };
    outputs.iter().chain(steps).map(along).max().unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fornax_graph::ElementType;
    use fornax_plan::matrix::Mfma;

    /// The worked example of [`rank`]: latencies rule both, so the tile that moves less is taken.
    #[test]
    fn of_tiles_that_the_model_can_not_tell_apart_the_one_that_moves_least() {
        let target = Target::from_spec("rocm:gfx942").expect("a target");
        let size = Size { rows: 1000, columns: 768, batch: 1, steps: 513, sized: false };
        let rates = unit_rates(&target).expect("rates");
        let units = [target.compute_units];
        // Rows of 513 elements are not aligned.
        let widths = [1, 8];
        let work = Work { size, accumulator: ElementType::F32, widths, target: &target, units: &units, rates };
        let atom = MatrixAtom::Mfma16(Mfma::F16Wide);
        let mut all: Vec<Ranked> = schedules(atom)
            .filter(|s| work.fits(s))
            .map(|schedule| {
                let choice = Choice { cost: work.cost(&schedule), parts: 1, schedule };
                Ranked { sparse: work.is_sparse(&schedule), moved: work.moved(&schedule), choice }
            })
            .collect();
        let cheapest = all.iter().map(|row| row.choice.cost).fold(f64::INFINITY, f64::min);
        rank(&mut all);
        let best = &all[0];
        assert_eq!([best.choice.schedule.rows, best.choice.schedule.columns], [64, 128]);
        assert!(best.choice.cost <= cheapest * (1.0 + MODEL_ERROR));
        let close = all.iter().filter(|row| row.choice.cost <= cheapest * (1.0 + MODEL_ERROR));
        assert!(close.clone().count() > 1 && close.into_iter().all(|row| row.moved >= best.moved));
    }
}
