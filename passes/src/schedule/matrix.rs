//! Contractions on matrix instructions: whether, and with which tile.
//!
//! A tile's cost is a model of one compute unit: workgroups that share it (as shared memory, registers and threads allow) take turns at
//! its matrix units, its shared memory and its part of the cache's bandwidth; a block takes a latency at least, however little it
//! computes. Whole rounds of workgroups are counted, since the unit with the most of them decides. The cheapest tile wins; of equal
//! ones the first. Everything depends on the plan and the target row only. The constants were fitted to 199 measurements of products and
//! convolutions on an H200: the tile that the model picks takes 4 % longer than the best measured one, in the mean.
//!
//! Worked example, H200, [4096, 4096]·[4096, 4096] bf16: 128 × 128 × 32 by 4 warps: 1024 tiles, 8 a unit in turns of 2; a block is
//! 512 cycles of the matrix units and 384 of shared memory; 128 blocks: 0.53 million cycles, 0.30 ms (measured 0.30).

use std::collections::BTreeSet;

use fornax_graph::ElementType;
use fornax_plan::matrix::{Dot, Lanes, Mfma, Wmma};
use fornax_plan::{Atom, ContractionForm, KernelPlan, MatrixAtom, MatrixSchedule, Operand, Schedule, VarId, form};
use fornax_targets::{Backend, Feature, Target, UnitRates, unit_counts, unit_rates};

use super::split;

/// Outputs of a warp along one side.
const WARP_TILES: &[u32] = &[16, 32, 64];
/// Warps of a workgroup along both sides.
const WARPS: &[(u32, u32)] = &[(1, 1), (1, 2), (2, 1), (2, 2), (1, 4), (4, 1), (2, 4), (4, 2)];
/// Bytes of a row of steps in shared memory.
const STEP_BYTES: &[u32] = &[64, 128, 256];
const STAGES: &[u32] = &[2, 3, 4, 5, 6];
/// Row tiles numbered side by side.
const GROUP: u32 = 8;
/// Outputs of a workgroup of one warp, at most, and pieces of a block that its threads bring.
const ALONE_MAX: u32 = 1024;
const ALONE_PIECES_MAX: u32 = 24;
/// Outputs along each side, and steps, below which matrix instructions are mostly empty.
const OUTPUTS_MIN: i64 = 9;
const STEPS_MIN: i64 = 8;
/// Split products against f32 multiply-add: the rate from which they pay (tiles of plain arithmetic reach less of theirs).
const SPLIT_GAIN_MIN: f64 = 0.6;
/// Accumulators (32 bit) of a thread, at most; its other registers, those of a piece, all of them at most.
const ACCUMULATORS_MAX: u32 = 128;
const OTHER_REGISTERS: u32 = 52;
const WHOLE_REGISTERS: u32 = 2;
const NARROW_REGISTERS: u32 = 5;
const REGISTERS_MAX: u32 = 244;
/// Of extents and strides that are known only at run time.
const SIZED_REGISTERS: u32 = 16;
/// Outputs of a tile from which fragments are read ahead.
const AHEAD_OUTPUTS_MIN: u32 = 128 * 128;
/// Registers of a thread beside accumulators and fragments where elements are f64 (as ptxas 13.5 says of 21 schedules, to within 20).
const WIDE_OTHER_REGISTERS: u32 = 42;
/// Cycles from starting a copy of a block to its use; what a block takes besides its work when nothing else runs (barrier, start of
/// copies); of one instruction's fragments, and of each product, when nothing hides them.
const COPY_LATENCY: f64 = 1660.0;
const BLOCK_LATENCY: f64 = 131.0;
const FRAGMENT_LATENCY: f64 = 40.0;
const PRODUCT_LATENCY: f64 = 9.0;
/// Cycles of a workgroup before the first block and after the last.
const START: f64 = 3600.0;
/// Matrix units and shared memory are not busy at the same time all the time: shares of both that add up to a block's time. Issuing
/// copies takes a share besides, splitting operands a factor.
const MATRIX_SHARE: f64 = 0.70;
const SHARED_SHARE: f64 = 0.44;
const ISSUED_SHARE: f64 = 0.55;
const SPLIT_ARITHMETIC: f64 = 1.65;
/// Cycles of a warp for one piece.
const PIECE_CYCLES: f64 = 7.0;
/// Cycles in which what is under way from memory arrives.
const MEMORY_LATENCY: f64 = 900.0;
/// Where lanes hold chunks (AMD), not measured: what a block takes besides its work when nothing else runs; shares of what passes through shared memory and the cache, and of the instructions besides
/// multiplications, that matrix instructions of other waves do not hide; such instructions of a wave for a block, and for each piece.
const CHUNK_BLOCK_LATENCY: f64 = 30.0;
const MOVED_SHARE: f64 = 0.15;
const BESIDES_SHARE: f64 = 0.3;
const BLOCK_INSTRUCTIONS: f64 = 20.0;
const PIECE_INSTRUCTIONS: f64 = 4.0;
/// SIMDs of a unit of AMD's, each with a matrix unit of its own, which a wave never leaves: by lanes of a wave.
const SIMDS: &[(u32, u32)] = &[(64, 4), (32, 2)];
/// Outputs of a tile and of a wave by MFMA from which shared memory and caches move least for an operation that registers allow, and
/// units, of four, that such tiles have to fill: smaller ones fill the last round better, for more than that gives back (unmeasured).
const DENSE_OUTPUTS: [u32; 2] = [128 * 128, 64 * 64];
const DENSE_FILL: u64 = 3;
/// Bytes of shared memory that a unit moves in a cycle.
const SHARED_BYTES: f64 = 128.0;
/// Parts that the steps may be cut into, and steps of a part at least.
const PARTS: &[i64] = &[1, 2, 3, 4, 6, 8, 9, 12, 16];
const PART_STEPS_MIN: i64 = 64;
/// Cycles that another kernel takes, however small.
const SECOND_KERNEL: f64 = 4500.0;

/// The extents of a contraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Size {
    rows: i64,
    columns: i64,
    batch: i64,
    steps: i64,
    /// Some extent is known only at run time.
    sized: bool,
}

impl Size {
    fn of(plan: &KernelPlan, form: &ContractionForm) -> Size {
        let indices = &plan.exprs.indices;
        let sized = |vars: &[VarId]| vars.iter().any(|&v| indices.run_extent(v).is_some());
        let points = |vars: &[VarId]| {
            let most = form::points(&plan.exprs, vars);
            if sized(vars) { most.min(plan.likely_size()) } else { most }
        };
        Size {
            rows: points(&form.rows),
            columns: points(&form.columns),
            batch: points(&form.batch),
            steps: points(&form.steps),
            sized: [&form.rows, &form.columns, &form.batch, &form.steps].into_iter().any(|vars| sized(vars)),
        }
    }
}

/// A tile, the parts that the steps are cut into (1 for one kernel), and what the model says it takes (cycles).
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    pub cost: f64,
    pub parts: i64,
    pub schedule: MatrixSchedule,
}

/// The schedule of a contraction on matrix instructions.
///
/// # Errors
/// Why there is none, for people.
pub fn choose(plan: &KernelPlan, target: &Target) -> Result<Choice, String> {
    let best = ranked(plan, target)?.into_iter().find(|c| is_modelled(&c.schedule));
    best.ok_or_else(|| "no tensor core: no tile fits the target".to_string())
}

/// Whether the model is good enough for a schedule: of those that read ahead, large tiles of f64 by two instructions a block, of which no
/// other workgroup hides anything (4096³ on an H200: 128 × 128 2.23 ms, 2.40 the best of the others; 64 × 64 is slower for reading ahead).
fn is_modelled(s: &MatrixSchedule) -> bool {
    let large = s.rows * s.columns >= AHEAD_OUTPUTS_MIN && s.down > s.across;
    let atom = s.atom == MatrixAtom::F64K8;
    if s.ahead { atom && large && s.steps == 2 * s.atom.row().shape[2] } else { !atom }
}

/// The best schedule of every kind (tile, warps, whether fragments are read ahead) by the model, the best kind first: what a tuner may try.
pub fn candidates(plan: &KernelPlan, target: &Target) -> Vec<KernelPlan> {
    let mut kinds = BTreeSet::new();
    let mut found = whole(plan, target);
    found.retain(|s| kinds.insert((s.atom.row().name, s.rows, s.columns, s.steps, s.down, s.across, s.ahead)));
    found.into_iter().map(|s| KernelPlan { schedule: Schedule::Matrix(s), ..plan.clone() }).collect()
}

/// The way of a name, however the model ranks it.
pub fn named(plan: &KernelPlan, target: &Target, is_meant: &dyn Fn(&str) -> bool) -> Option<KernelPlan> {
    super::tuning::of_name(plan, whole(plan, target).into_iter().map(Schedule::Matrix), is_meant)
}

/// A schedule whose name begins so and that the target's limits leave out.
pub(super) fn whatever_fits(plan: &KernelPlan, target: &Target, start: &str) -> Option<KernelPlan> {
    let form = ContractionForm::of(plan)?;
    let all = atoms(&form, target).into_iter().flat_map(schedules);
    let mut found = all.map(|s| KernelPlan { schedule: Schedule::Matrix(s), ..plan.clone() });
    found.find(|plan| plan.way().starts_with(start))
}

/// What keeps such a schedule out.
pub(super) fn refusal(plan: &KernelPlan, target: &Target) -> Option<&'static str> {
    let Schedule::Matrix(s) = &plan.schedule else { return None };
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
fn whole(plan: &KernelPlan, target: &Target) -> Vec<MatrixSchedule> {
    let ranked = ranked(plan, target).unwrap_or_default();
    ranked.into_iter().filter(|c| c.parts == 1).map(|c| c.schedule).collect()
}

/// Sizes known only at run time: the outermost of the batch and of the steps, and rows or columns that are one variable. One that may
/// only be 0 or 1 is neither left out nor cut.
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
    let mut all: Vec<(bool, Choice)> = Vec::new();
    for &parts in PARTS {
        if parts > 1
            && (!plan.has_static_loops()
                || size.steps / parts < PART_STEPS_MIN
                || split::variable(plan, parts).is_none())
        {
            continue;
        }
        let each = Size { steps: size.steps / parts, batch: size.batch * parts, ..size };
        let outputs = (size.rows * size.columns * size.batch) as f64;
        let extra = if parts == 1 {
            0.0
        } else {
            let bytes = split::bytes(outputs, parts as f64, form.accumulator);
            SECOND_KERNEL + bytes / f64::from(target.compute_units.max(1)) / f64::from(rates.memory_bytes.max(1))
        };
        let work = Work { size: each, accumulator: form.accumulator, widths, target, units: &units, rates };
        all.extend(atoms.iter().flat_map(|&atom| schedules(atom)).filter(|s| work.fits(s)).map(|schedule| {
            let cost = extra + work.cost(&schedule);
            (work.is_sparse(&schedule), Choice { cost, parts, schedule })
        }));
    }
    all.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.cost.total_cmp(&b.1.cost)));
    Ok(all.into_iter().map(|row| row.1).collect())
}

/// Every consistent schedule with an atom.
fn schedules(atom: MatrixAtom) -> impl Iterator<Item = MatrixSchedule> {
    let bytes = atom.bytes();
    let warps = WARPS.iter().flat_map(move |&w| WARP_TILES.iter().map(move |&r| (w, r)));
    let tiles = warps.flat_map(move |w| WARP_TILES.iter().map(move |&c| (w, c)));
    let deep = tiles.flat_map(move |t| STEP_BYTES.iter().map(move |&d| (t, d / bytes)));
    let staged = deep.flat_map(move |t| STAGES.iter().map(move |&s| (t, s)));
    let read = staged.flat_map(|s| [false, true].map(|ahead| (s, ahead)));
    read.map(move |((((((down, across), rows), columns), steps), stages), ahead)| MatrixSchedule {
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
    .filter(MatrixSchedule::is_consistent)
}

/// Accumulator registers of a thread.
fn accumulators(s: &MatrixSchedule, accumulator: ElementType) -> u32 {
    s.rows * s.columns / s.threads() * (accumulator.storage_bytes() as u32 / 4).max(1)
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

fn rate(atom: MatrixAtom, rates: &UnitRates) -> f64 {
    let full = match atom {
        MatrixAtom::F16K16 | MatrixAtom::Bf16K16 | MatrixAtom::F16K8 | MatrixAtom::F16K4 => rates.matrix_half,
        MatrixAtom::Tf32 | MatrixAtom::Tf32x3 => rates.matrix_tf32,
        MatrixAtom::F64K16 | MatrixAtom::F64K8 | MatrixAtom::F64 => rates.matrix_f64,
        MatrixAtom::F8K32 | MatrixAtom::I8K32 | MatrixAtom::I8K16 => rates.matrix_byte,
        MatrixAtom::Mfma16(kind) | MatrixAtom::Mfma32(kind) => match kind {
            Mfma::F16 | Mfma::F16Wide | Mfma::Bf16K1 | Mfma::Bf16Wide => rates.matrix_half,
            // The first form takes half the steps in the same time.
            Mfma::Bf16 => rates.matrix_half / 2,
            Mfma::F32 => rates.matrix_f32,
            Mfma::Xf32 => rates.matrix_tf32,
            Mfma::F64 => rates.matrix_f64,
            Mfma::I8 | Mfma::I8Wide | Mfma::I8Wider | Mfma::F8Fnuz | Mfma::F8Wide => rates.matrix_byte,
            // A quarter of the wide form's steps in half its time.
            Mfma::F8 => rates.matrix_byte / 2,
        },
        MatrixAtom::Wmma3(Wmma::I8 | Wmma::F8) | MatrixAtom::Wmma4(Wmma::I8 | Wmma::F8) => rates.matrix_byte,
        MatrixAtom::Wmma3(_) | MatrixAtom::Wmma4(_) => rates.matrix_half,
        // Two and four multiply-adds in the place of one.
        MatrixAtom::Dot64(Dot::F16) | MatrixAtom::Dot32(Dot::F16) => 2 * rates.scalar_f32,
        MatrixAtom::Dot64(_) | MatrixAtom::Dot32(_) => 4 * rates.scalar_f32,
    };
    f64::from(full.max(1)) / f64::from(atom.row().products)
}

/// What a tile is weighed for.
struct Work<'a> {
    size: Size,
    accumulator: ElementType,
    /// Elements of a piece of the rows and of the columns.
    widths: [u32; 2],
    target: &'a Target,
    /// Compute units of the devices that the code may run on, its own first.
    units: &'a [u32],
    rates: UnitRates,
}

impl Work<'_> {
    fn fits(&self, s: &MatrixSchedule) -> bool {
        self.refusal(s).is_none()
    }

    /// What a schedule takes that the device or the product does not have; `None` where it fits.
    fn refusal(&self, s: &MatrixSchedule) -> Option<&'static str> {
        // Tiles more than twice the outputs, and stages beyond the steps, are waste.
        let wide = |tile: u32, extent: i64| tile > 16 && i64::from(tile) >= 2 * extent;
        let blocks = (self.size.steps as u64).div_ceil(u64::from(s.steps));
        // Two stages wait for the copies of the next block; one warp has nobody to compute while it waits.
        let ahead = if self.target.has(Feature::CpAsync) && blocks > 2 { 3 } else { 2 };
        let pieces: u32 = self.pieces(s).iter().sum();
        let alone = s.threads() == s.atom.wave() && (s.rows * s.columns > ALONE_MAX || pieces > ALONE_PIECES_MAX);
        // Operands that pass through registers are a block ahead, not more.
        let staged = s.atom.row().lanes == Lanes::Quads || s.stages == 2;
        // All waves of a workgroup are resident.
        let room = self.target.backend != Backend::Rocm
            || self.registers(s) * s.threads() <= self.target.registers_per_unit.max(1);
        let rules = [
            (s.threads() > self.target.max_threads_per_block, "more threads than a workgroup has"),
            (s.shared_bytes(self.accumulator) > self.target.shared_bytes_max, "more shared memory than there is"),
            (!staged, "more than 2 stages, which operands that pass through registers do not have"),
            (!room, "more registers than a unit has"),
            (wide(s.rows, self.size.rows), "tiles of more than twice the rows"),
            (wide(s.columns, self.size.columns), "tiles of more than twice the columns"),
            (alone, "more outputs than one warp hides the copies of"),
            (s.stages < ahead, "too few stages for its copies"),
            (u64::from(s.stages) > blocks + 1 && s.stages != 2, "more stages than the product has blocks of steps"),
            (accumulators(s, self.accumulator) > ACCUMULATORS_MAX, "more accumulators than a thread can hold"),
            (self.registers(s) > REGISTERS_MAX, "more registers than a thread has"),
        ];
        rules.into_iter().find(|rule| rule.0).map(|rule| rule.1)
    }

    /// A small tile by MFMA where dense ones fill the device.
    fn is_sparse(&self, s: &MatrixSchedule) -> bool {
        let Size { rows, columns, batch, .. } = self.size;
        let mfma = matches!(s.atom, MatrixAtom::Mfma16(_) | MatrixAtom::Mfma32(_));
        let tiles = (rows as u64 / 128).saturating_mul(columns as u64 / 128).saturating_mul(batch as u64);
        let fill = 4 * tiles >= DENSE_FILL * u64::from(self.target.compute_units);
        let each = [s.rows * s.columns, s.rows * s.columns / (s.down * s.across)];
        mfma && fill && each.iter().zip(DENSE_OUTPUTS).any(|(&n, least)| n < least)
    }

    /// Pieces that a thread brings to shared memory for a block, of rows and of columns.
    fn pieces(&self, s: &MatrixSchedule) -> [u32; 2] {
        [s.rows / self.widths[0], s.columns / self.widths[1]].map(|n| n * s.steps / s.threads())
    }

    /// Registers of a thread, about: narrow pieces have masks and places of their own.
    fn registers(&self, s: &MatrixSchedule) -> u32 {
        let depth = s.atom.row().shape[2] * s.atom.bytes();
        // Columns of f64 are read as they are multiplied, two fragments at a time.
        let columns = if s.atom.bytes() == 8 && !s.ahead { 16 } else { s.columns / s.across };
        let fragments = (s.rows / s.down + columns) * depth / 128 * if s.atom.row().products > 1 { 2 } else { 1 };
        let [m, n, _] = s.atom.row().shape;
        // Lanes of dot products hold a chunk of each of their rows and columns.
        let fragments =
            if s.atom.dot().is_some() { 4 * (s.rows / s.down / m + s.columns / s.across / n) } else { fragments };
        if s.atom.bytes() == 8 {
            return accumulators(s, self.accumulator) + fragments + WIDE_OTHER_REGISTERS;
        }
        let fragments = if s.ahead { 2 * fragments } else { fragments };
        let whole = 16 / s.atom.bytes();
        let of = |(pieces, width): (u32, u32)| pieces * if width == whole { WHOLE_REGISTERS } else { NARROW_REGISTERS };
        let pieces: u32 = self.pieces(s).into_iter().zip(self.widths).map(of).sum();
        let sizes = if self.size.sized { SIZED_REGISTERS } else { 0 };
        accumulators(s, self.accumulator) + fragments + OTHER_REGISTERS + pieces + sizes
    }

    /// Cycles of the kernel. Code that later devices run too is weighed on each of them, so that no count of units decides how tiles fill
    /// rounds; the mean is that of the work of all units.
    fn cost(&self, s: &MatrixSchedule) -> f64 {
        let Some(own) = self.units.first() else { return 0.0 };
        let total: f64 = self.units.iter().map(|&units| self.cost_on(s, f64::from(units)) * f64::from(units)).sum();
        total / self.units.len() as f64 / f64::from(*own)
    }

    /// Cycles on a device of so many units.
    fn cost_on(&self, s: &MatrixSchedule, units: f64) -> f64 {
        let Work { size, rates, .. } = self;
        let (rows, columns, steps) = (f64::from(s.rows), f64::from(s.columns), f64::from(s.steps));
        let bytes = f64::from(s.atom.bytes());
        let tiles = (size.rows as f64 / rows).ceil() * (size.columns as f64 / columns).ceil() * size.batch as f64;
        let groups = (tiles / units).ceil();
        let blocks = (size.steps as f64 / steps).ceil();
        let warps = f64::from(s.down * s.across);

        // What a block takes of the unit, and how long it lasts when alone.
        let matrix = 2.0 * rows * columns * steps / rate(s.atom, rates);
        let fragments = warps * (rows / f64::from(s.down) + columns / f64::from(s.across));
        // Lanes of dot products that share an output read it each.
        let [m, n, _] = s.atom.row().shape;
        let fragments = match s.atom.dot() {
            Some(_) => f64::from(s.rows * n / s.down + s.columns * m / s.across) * warps,
            None => fragments,
        };
        let shared = (fragments + rows + columns) * steps * bytes / SHARED_BYTES;
        let fetched = (rows + columns) * steps * bytes / f64::from(rates.cache_bytes);
        let issued = warps * f64::from(self.pieces(s).iter().sum::<u32>()) * PIECE_CYCLES / 4.0;
        // An instruction on f64 lasts 64 cycles of its unit, behind which other warps' reads hide.
        let together = if s.atom.bytes() == 8 { shared } else { MATRIX_SHARE * matrix + SHARED_SHARE * shared };
        let busy = matrix.max(together).max(fetched) + ISSUED_SHARE * issued;
        let busy = match s.atom.row().lanes {
            Lanes::Chunks { .. } => {
                let pieces = f64::from(self.pieces(s).iter().sum::<u32>());
                let besides = warps * (BLOCK_INSTRUCTIONS + PIECE_INSTRUCTIONS * pieces);
                matrix.max(shared).max(fetched) + MOVED_SHARE * (shared + fetched) + BESIDES_SHARE * besides
            }
            Lanes::Quads if s.atom.row().products > 1 => SPLIT_ARITHMETIC * busy,
            Lanes::Quads => busy,
        };
        let depth = steps / f64::from(s.atom.row().shape[2]);
        let products = rows * columns / warps / 128.0 * f64::from(s.atom.row().products);
        let read = if s.ahead { 0.0 } else { FRAGMENT_LATENCY };
        let chain = depth * (read + PRODUCT_LATENCY * products);
        let start = match s.atom.row().lanes {
            Lanes::Chunks { .. } => CHUNK_BLOCK_LATENCY,
            Lanes::Quads if s.ahead => 0.0,
            Lanes::Quads => BLOCK_LATENCY,
        };
        // Fewer waves than SIMDs leave matrix units to other workgroups.
        let simds = SIMDS.iter().find(|row| row.0 == s.atom.wave()).map_or(1.0, |row| f64::from(row.1));
        let alone = match s.atom.row().lanes {
            Lanes::Chunks { .. } if self.target.backend == Backend::Rocm => matrix * (simds / warps).max(1.0),
            _ => 0.0,
        };
        let latency = (busy.max(chain).max(alone) + start).max(COPY_LATENCY / f64::from(s.stages - 1));

        let resident = f64::from(self.resident(s));
        let round = |groups: f64| blocks * (groups * busy).max(latency) + START + groups * rows * columns / 24.0;
        let whole = (groups / resident).floor();
        let rest = groups - whole * resident;
        let compute = whole * round(resident) + if rest > 0.0 { round(rest) } else { 0.0 };

        // Every operand once from memory, if the cache keeps it for the tiles that share it.
        let (m, n, k) = (size.rows as f64, size.columns as f64, size.steps as f64);
        let moved = size.batch as f64 * ((m + n) * k * bytes + m * n * bytes) / units;
        let underway = resident.min(groups) * f64::from((s.stages - 1) * s.stage_bytes());
        let rate = f64::from(rates.memory_bytes.max(1)).min(underway / MEMORY_LATENCY) * (tiles / units).min(1.0);
        compute.max(moved / rate)
    }

    /// Workgroups that a unit holds at once.
    fn resident(&self, s: &MatrixSchedule) -> u32 {
        let target = self.target;
        let by_shared = target.shared_bytes_per_unit / (s.shared_bytes(self.accumulator) + 1024);
        let by_registers = target.registers_per_unit / (self.registers(s).min(255) * s.threads()).max(1);
        let by_threads = target.max_threads_per_unit / s.threads().max(1);
        by_shared.min(by_registers).min(by_threads).min(target.max_blocks_per_unit).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work(target: &Target, rows: i64, columns: i64, steps: i64) -> Work<'_> {
        let size = Size { rows, columns, batch: 1, steps, sized: false };
        let rates = unit_rates(target).expect("a CUDA target");
        let units = std::slice::from_ref(&target.compute_units);
        Work { size, accumulator: ElementType::F32, widths: [8, 8], target, units, rates }
    }

    fn tile(rows: u32, columns: u32, steps: u32, (down, across): (u32, u32), stages: u32) -> MatrixSchedule {
        MatrixSchedule {
            atom: MatrixAtom::Bf16K16,
            rows,
            columns,
            steps,
            down,
            across,
            stages,
            group: GROUP,
            ahead: false,
        }
    }

    /// A workgroup of two waves keeps two of four SIMDs busy, however well its tiles fill the units; where dense tiles fill most of them,
    /// no other one is taken.
    #[test]
    fn waves_for_every_simd() {
        let target = Target::from_spec("rocm:gfx90a").expect("a target");
        let of = |rows, warps| MatrixSchedule { atom: MatrixAtom::Mfma16(Mfma::F16), ..tile(rows, 128, 32, warps, 2) };
        let work = work(&target, 2048, 2048, 2048);
        // So deep that no second workgroup has room.
        let (two, four) = (MatrixSchedule { steps: 64, ..of(64, (1, 2)) }, of(128, (2, 2)));
        assert!(work.fits(&two) && work.fits(&four) && work.cost(&four) < work.cost(&two));
        assert!(work.is_sparse(&two) && !work.is_sparse(&four) && work.is_sparse(&of(128, (2, 4))));
        // 64 outputs a lane by dot products: eight waves would have 128 registers each.
        let old = Target::from_spec("rocm:gfx906").expect("a target");
        let dots = |warps| MatrixSchedule { atom: MatrixAtom::Dot64(Dot::F16), ..tile(128, 128, 32, warps, 2) };
        let lanes = Work { target: &old, rates: unit_rates(&old).expect("rates"), ..work };
        assert!(lanes.fits(&dots((2, 2))) && !lanes.fits(&MatrixSchedule { rows: 256, ..dots((4, 2)) }));
        let few = Work { size: Size { rows: 512, columns: 512, batch: 1, steps: 512, sized: false }, ..work };
        assert!(!few.is_sparse(&two));
    }

    /// Orders that were measured on an H200: extents, the faster tile, a slower one.
    #[test]
    fn measured_orders_hold() {
        let target = Target::from_spec("cuda:sm_90").expect("a target");
        let square = tile(128, 128, 32, (2, 2), 4);
        for (extents, faster, slower) in [
            ((4096, 4096, 4096), square, tile(128, 256, 32, (2, 4), 3)),
            ((4096, 4096, 4096), square, tile(128, 128, 32, (2, 4), 4)),
            ((2048, 2048, 2048), square, tile(64, 128, 64, (2, 2), 3)),
            ((16, 4096, 4096), tile(16, 16, 128, (1, 1), 4), tile(16, 32, 64, (1, 1), 6)),
            ((6272, 256, 2304), tile(64, 64, 64, (2, 2), 4), square),
        ] {
            let (rows, columns, steps) = extents;
            let work = work(&target, rows, columns, steps);
            assert!(work.cost(&faster) < work.cost(&slower), "{extents:?}: {faster:?} against {slower:?}");
        }
    }

    /// Measured on an H200, 4096³: 2.37 ms against 2.44 ms of one large workgroup a unit.
    #[test]
    fn small_tiles_of_f64_run_beside_each_other() {
        let target = Target::from_spec("cuda:sm_90a").expect("a target");
        let work = Work { accumulator: ElementType::F64, widths: [2, 2], ..work(&target, 4096, 4096, 4096) };
        let small = MatrixSchedule { atom: MatrixAtom::F64K16, ..tile(64, 64, 16, (2, 2), 3) };
        let large = MatrixSchedule { atom: MatrixAtom::F64K16, ..tile(128, 128, 16, (4, 2), 3) };
        assert!(work.fits(&small) && work.fits(&large));
        assert!(work.cost(&small) < work.cost(&large), "{} {}", work.cost(&small), work.cost(&large));
    }

    /// Measured on an H200 as code for sm_80, whose row has 108 units: 128 × 128 reaches 0.59 of cuBLAS at 2048³, 64 × 128 0.46.
    #[test]
    fn plain_code_is_weighed_on_later_devices_too() {
        let target = Target::from_spec("cuda:sm_80").expect("a target");
        let units = unit_counts(&target);
        for n in [2048, 4096, 8192] {
            let work = Work { units: &units, ..work(&target, n, n, n) };
            let (square, half) = (tile(128, 128, 32, (2, 2), 4), tile(64, 128, 32, (2, 2), 4));
            assert!(work.cost(&square) < work.cost(&half), "{n}");
        }
    }

    #[test]
    fn every_schedule_is_consistent_and_some_fit_everywhere() {
        for spec in ["cuda:sm_75", "cuda:sm_80", "cuda:sm_86", "cuda:sm_120"] {
            let target = Target::from_spec(spec).expect("a target");
            let work = work(&target, 100, 100, 100);
            assert!(schedules(MatrixAtom::F16K8).any(|s| work.fits(&s)), "{spec}");
        }
        assert!(schedules(MatrixAtom::Tf32x3).all(|s| s.is_consistent()));
    }
}
