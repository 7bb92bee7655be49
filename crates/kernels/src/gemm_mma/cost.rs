//! What a tile of matrix instructions costs.
//!
//! A model of one compute unit: workgroups that share it (as shared memory, registers and threads allow) take turns at
//! its matrix units, its shared memory and its part of the cache's bandwidth. A block takes a latency at least, however
//! little it computes. Whole rounds of workgroups are counted: the unit with the most of them decides. The constants
//! were fitted to 199 measurements of products and convolutions on an H200. The tile that the model picks takes 4 %
//! longer than the best measured one, in the mean.
//!
//! Worked example, H200, [4096, 4096]·[4096, 4096] bf16: 128 × 128 × 32 by 4 warps: 1024 tiles, 8 a unit in turns of 2;
//! a block is 512 cycles of the matrix units and 384 of shared memory; 128 blocks: 0.53 million cycles, 0.30 ms
//! (measured 0.30).

use crate::gemm_mma::schedule::MmaSchedule;
use fornax_graph::ElementType;
use fornax_plan::matrix::{Dot, Lanes, Mfma, Wmma};
use fornax_plan::{ContractionForm, KernelPlan, MatrixAtom, VarId, form};
use fornax_targets::fitted::gemm_mma::{
    BESIDES_SHARE, BLOCK_INSTRUCTIONS, BLOCK_LATENCY, CHUNK_BLOCK_LATENCY, COPY_LATENCY, FRAGMENT_LATENCY,
    MEMORY_LATENCY, MOVED_SHARE, PIECE_CYCLES, PIECE_INSTRUCTIONS, PRODUCT_LATENCY, SHARED_BYTES, START,
};
use fornax_targets::{Backend, Feature, Target, UnitRates};

/// Outputs of a workgroup of one warp, at most.
const ALONE_MAX: u32 = 1024;
/// Pieces of a block that the threads of a workgroup of one warp bring, at most.
const ALONE_PIECES_MAX: u32 = 24;
/// Accumulators (32 bit) of a thread, at most.
const ACCUMULATORS_MAX: u32 = 128;
/// Registers of a thread besides accumulators, fragments and pieces.
const OTHER_REGISTERS: u32 = 52;
/// Registers of a piece of 16 bytes: its address and mask are shared.
const WHOLE_REGISTERS: u32 = 2;
/// Registers of a narrower piece.
const NARROW_REGISTERS: u32 = 5;
/// Registers of a thread, at most.
const REGISTERS_MAX: u32 = 244;
/// Registers of extents and strides that are known only at run time.
const SIZED_REGISTERS: u32 = 16;
/// Registers of a thread besides accumulators and fragments of f64 elements (as ptxas 13.5 says of 21 schedules, to
/// within 20).
const WIDE_OTHER_REGISTERS: u32 = 42;
/// Share of the matrix units' time in a block's: they and shared memory are not busy at the same time all the time.
const MATRIX_SHARE: f64 = 0.70;
/// Share of shared memory's time in a block's.
const SHARED_SHARE: f64 = 0.44;
/// Share of the time of issuing copies that comes on top.
const ISSUED_SHARE: f64 = 0.55;
/// Factor of a block whose operands are split into tf32 parts.
const SPLIT_ARITHMETIC: f64 = 1.65;
/// SIMDs of an AMD unit by lanes of a wave. Each has a matrix unit of its own, which a wave never leaves.
const SIMDS: &[(u32, u32)] = &[(64, 4), (32, 2)];
/// Outputs of a tile and of a wave by MFMA that move least for an operation, as far as registers allow. Smaller ones
/// fill the last round better, for more than that gives back (not measured).
const DENSE_OUTPUTS: [u32; 2] = [128 * 128, 64 * 64];
/// Units, of four, that dense tiles have to fill.
const DENSE_FILL: u64 = 3;

/// The extents of a contraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) rows: i64,
    pub(super) columns: i64,
    pub(super) batch: i64,
    pub(super) steps: i64,
    /// Some extent is known only at run time.
    pub(super) sized: bool,
}

impl Size {
    pub(super) fn of(plan: &KernelPlan, form: &ContractionForm) -> Size {
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

/// Accumulator registers of a thread.
fn accumulators(s: &MmaSchedule, accumulator: ElementType) -> u32 {
    s.rows * s.columns / s.threads() * (accumulator.storage_bytes() as u32 / 4).max(1)
}

pub(super) fn rate(atom: MatrixAtom, rates: &UnitRates) -> f64 {
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
pub(super) struct Work<'a> {
    pub(super) size: Size,
    pub(super) accumulator: ElementType,
    /// Elements of a piece of the rows and of the columns.
    pub(super) widths: [u32; 2],
    pub(super) target: &'a Target,
    /// Compute units of the devices that the code may run on, its own first.
    pub(super) units: &'a [u32],
    pub(super) rates: UnitRates,
}

impl Work<'_> {
    pub(super) fn fits(&self, s: &MmaSchedule) -> bool {
        self.refusal(s).is_none()
    }

    /// What a schedule takes that the device or the product does not have; `None` where it fits.
    pub(super) fn refusal(&self, s: &MmaSchedule) -> Option<&'static str> {
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
    pub(super) fn is_sparse(&self, s: &MmaSchedule) -> bool {
        let Size { rows, columns, batch, .. } = self.size;
        let mfma = matches!(s.atom, MatrixAtom::Mfma16(_) | MatrixAtom::Mfma32(_));
        let tiles = (rows as u64 / 128).saturating_mul(columns as u64 / 128).saturating_mul(batch as u64);
        let fill = 4 * tiles >= DENSE_FILL * u64::from(self.target.compute_units);
        let each = [s.rows * s.columns, s.rows * s.columns / (s.down * s.across)];
        mfma && fill && each.iter().zip(DENSE_OUTPUTS).any(|(&n, least)| n < least)
    }

    /// Pieces that a thread brings to shared memory for a block, of rows and of columns.
    fn pieces(&self, s: &MmaSchedule) -> [u32; 2] {
        [s.rows / self.widths[0], s.columns / self.widths[1]].map(|n| n * s.steps / s.threads())
    }

    /// Registers of a thread, about: narrow pieces have masks and places of their own.
    fn registers(&self, s: &MmaSchedule) -> u32 {
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

    /// Cycles of the kernel. Code that later devices run too is weighed on each of them, so that no count of units
    /// decides how tiles fill rounds; the mean is that of the work of all units.
    pub(super) fn cost(&self, s: &MmaSchedule) -> f64 {
        let Some(own) = self.units.first() else { return 0.0 };
        let total: f64 = self.units.iter().map(|&units| self.cost_on(s, f64::from(units)) * f64::from(units)).sum();
        total / self.units.len() as f64 / f64::from(*own)
    }

    /// Cycles of a unit in which a block passes through shared memory: written once, read as fragments.
    fn shared_cycles(&self, s: &MmaSchedule) -> f64 {
        let warps = s.down * s.across;
        let [m, n, _] = s.atom.row().shape;
        let fragments = match s.atom.dot() {
            // Lanes of dot products that share an output read it each.
            Some(_) => s.rows * n / s.down + s.columns * m / s.across,
            None => s.rows / s.down + s.columns / s.across,
        };
        f64::from((warps * fragments + s.rows + s.columns) * s.steps * s.atom.bytes()) / SHARED_BYTES
    }

    /// Cycles of a unit in which a block comes from the second-level cache.
    fn fetched_cycles(&self, s: &MmaSchedule) -> f64 {
        f64::from((s.rows + s.columns) * s.steps * s.atom.bytes()) / f64::from(self.rates.cache_bytes)
    }

    /// Cycles of shared memory and cache that all tiles take, those of outputs beyond the edges too.
    pub(super) fn moved(&self, s: &MmaSchedule) -> f64 {
        let blocks = self.tiles(s) * (self.size.steps as f64 / f64::from(s.steps)).ceil();
        blocks * (self.shared_cycles(s) + self.fetched_cycles(s))
    }

    fn tiles(&self, s: &MmaSchedule) -> f64 {
        let Size { rows, columns, batch, .. } = self.size;
        let along = |extent: i64, tile: u32| (extent as f64 / f64::from(tile)).ceil();
        along(rows, s.rows) * along(columns, s.columns) * batch as f64
    }

    /// Cycles on a device of so many units.
    fn cost_on(&self, s: &MmaSchedule, units: f64) -> f64 {
        let Work { size, rates, .. } = self;
        let (rows, columns, steps) = (f64::from(s.rows), f64::from(s.columns), f64::from(s.steps));
        let bytes = f64::from(s.atom.bytes());
        let tiles = self.tiles(s);
        let groups = (tiles / units).ceil();
        let blocks = (size.steps as f64 / steps).ceil();
        let warps = f64::from(s.down * s.across);

        // What a block takes of the unit, and how long it lasts when alone.
        let matrix = 2.0 * rows * columns * steps / rate(s.atom, rates);
        let (shared, fetched) = (self.shared_cycles(s), self.fetched_cycles(s));
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
    fn resident(&self, s: &MmaSchedule) -> u32 {
        let target = self.target;
        let by_shared = target.shared_bytes_per_unit / (s.shared_bytes(self.accumulator) + 1024);
        let by_registers = target.registers_per_unit / (self.registers(s).min(255) * s.threads()).max(1);
        let by_threads = target.max_threads_per_unit / s.threads().max(1);
        by_shared.min(by_registers).min(by_threads).min(target.max_blocks_per_unit).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::super::candidates::{GROUP, schedules};
    use super::*;
    use fornax_targets::{unit_counts, unit_rates};

    fn work(target: &Target, rows: i64, columns: i64, steps: i64) -> Work<'_> {
        let size = Size { rows, columns, batch: 1, steps, sized: false };
        let rates = unit_rates(target).expect("a CUDA target");
        let units = std::slice::from_ref(&target.compute_units);
        Work { size, accumulator: ElementType::F32, widths: [8, 8], target, units, rates }
    }

    fn tile(rows: u32, columns: u32, steps: u32, (down, across): (u32, u32), stages: u32) -> MmaSchedule {
        MmaSchedule {
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

    /// A workgroup of two waves keeps two of four SIMDs busy, however well its tiles fill the units; where dense tiles
    /// fill most of them, no other one is taken.
    #[test]
    fn waves_for_every_simd() {
        let target = Target::from_spec("rocm:gfx90a").expect("a target");
        let of = |rows, warps| MmaSchedule { atom: MatrixAtom::Mfma16(Mfma::F16), ..tile(rows, 128, 32, warps, 2) };
        let work = work(&target, 2048, 2048, 2048);
        // So deep that no second workgroup has room.
        let (two, four) = (MmaSchedule { steps: 64, ..of(64, (1, 2)) }, of(128, (2, 2)));
        assert!(work.fits(&two) && work.fits(&four) && work.cost(&four) < work.cost(&two));
        assert!(work.is_sparse(&two) && !work.is_sparse(&four) && work.is_sparse(&of(128, (2, 4))));
        // 64 outputs a lane by dot products: eight waves would have 128 registers each.
        let old = Target::from_spec("rocm:gfx906").expect("a target");
        let dots = |warps| MmaSchedule { atom: MatrixAtom::Dot64(Dot::F16), ..tile(128, 128, 32, warps, 2) };
        let lanes = Work { target: &old, rates: unit_rates(&old).expect("rates"), ..work };
        assert!(lanes.fits(&dots((2, 2))) && !lanes.fits(&MmaSchedule { rows: 256, ..dots((4, 2)) }));
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
        let small = MmaSchedule { atom: MatrixAtom::F64K16, ..tile(64, 64, 16, (2, 2), 3) };
        let large = MmaSchedule { atom: MatrixAtom::F64K16, ..tile(128, 128, 16, (4, 2), 3) };
        assert!(work.fits(&small) && work.fits(&large));
        assert!(work.cost(&small) < work.cost(&large), "{} {}", work.cost(&small), work.cost(&large));
    }

    /// Measured on an H200 as code for sm_80, whose row has 108 units: 128 × 128 reaches 0.59 of cuBLAS at 2048³, 64 ×
    /// 128 0.46.
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
