//! What a loop costs as launches and as one kernel, and how many threads and problems a workgroup gets.
//!
//! Microseconds of a round: a launch takes [`LAUNCH`], a step of a workgroup [`STEP`]; elements take turns on the
//! threads there are. Of a CPU all cores share a large kernel, a problem of a fused loop has one.
//!
//! Fitted on one H200 and on two cores of x86-64. Worked example (GPU): a column of 64 rows, 64 products each, 256
//! threads: four lanes a row, 16 products one after another: 0.4 + 0.1 + 15 · 0.015 µs against 1.45 of a launch.

use fornax_kernels::fused_loop::schedule::FusedLoopSchedule;
use fornax_plan::{FusedLoop, LoopPart, LoopStep};
use fornax_targets::{Backend, Target};

use fornax_kernels::access::loads;

/// Microseconds from one small kernel of a list to the next, GPU and CPU.
const LAUNCH: [f64; 2] = [1.45, 1.0];
/// Of a step of a workgroup: a barrier and the way to the cache and back.
const STEP: [f64; 2] = [0.4, 0.02];
/// Of a step of a fold after another in a thread.
const ELEMENT: [f64; 2] = [0.015, 0.001];
/// Of a point after another in a GPU's thread.
const POINT: f64 = 0.1;
/// Elements of a CPU's kernel from which on its cores share it.
const SHARED: f64 = 16384.0;
/// How much longer a CPU takes for an element whose loads have masks (concatenations, paddings).
const MASKED: f64 = 4.0;
/// Elements a microsecond that a GPU's unit does at most.
const UNIT: f64 = 5_000.0;
/// Cores that a CPU is taken to have.
const CORES: f64 = 8.0;
/// Threads of a workgroup: 1024 were slower in everything but rotations of 128 columns, which are launches.
const THREADS_MAX: u64 = 512;
/// Turns over the points of a part that are few.
const FEW_TURNS: u64 = 4;
/// Elements of all buffers of a workgroup from which on a turn takes so much longer (CUDA; rotations of 128 columns
/// have 164 thousand, QR of 256 columns 129 and 193, LU of 512 rows 66, in f64 as in f32).
const LARGE: u64 = 100_000;
const LARGE_TURN: f64 = 2.2;

/// A launch for every kernel; `(points, steps of a fold)` of each.
pub fn of_launches(raws: &[(u64, u64)], steps: &[LoopStep], target: &Target) -> f64 {
    let each = |&(points, folded): &(u64, u64)| {
        let elements = points as f64 * folded as f64;
        if target.is_gpu() {
            LAUNCH[0] + elements / (UNIT * f64::from(target.compute_units.max(1)))
        } else {
            LAUNCH[1] + elements * ELEMENT[1] / 4.0 / if elements > SHARED { CORES } else { 1.0 }
        }
    };
    sum(steps, &|at| raws.get(at as usize).map_or(0.0, each))
}

/// One kernel.
pub fn of_fused(fused: &FusedLoop, schedule: FusedLoopSchedule, target: &Target) -> f64 {
    let gpu = target.is_gpu();
    let threads = u64::from(schedule.threads);
    let turn = if is_large(fused, schedule, target) { LARGE_TURN * POINT } else { POINT };
    let each = |part: &LoopPart| {
        let points = part.points().saturating_mul(u64::from(schedule.together));
        let folded = part.folded().max(1);
        if !gpu {
            let elements = points as f64 * folded as f64;
            let masked = loads(&part.plan.exprs, &part.plan.body.roots()).iter().any(|load| load.masked);
            return STEP[1] + elements * ELEMENT[1] * if masked { MASKED } else { 1.0 };
        }
        let shared = (threads / points.max(1)).clamp(1, 32).min(folded);
        let turns = points.div_ceil(threads) as f64;
        STEP[0] + turns * (turn + (folded.div_ceil(shared) - 1) as f64 * ELEMENT[0])
    };
    let rounds = sum(&fused.steps, &|at| fused.parts.get(at as usize).map_or(0.0, each));
    let groups = schedule.workgroups(fused) as f64;
    let at_once = if gpu {
        let each = (u64::from(target.max_threads_per_unit) / threads.max(1)).clamp(1, 8);
        (u64::from(target.compute_units.max(1)) * each) as f64
    } else {
        CORES
    };
    LAUNCH[usize::from(!gpu)] + rounds * (groups / at_once).max(1.0)
}

/// Whether turns over the buffers of a workgroup's problems are slow.
fn is_large(fused: &FusedLoop, schedule: FusedLoopSchedule, target: &Target) -> bool {
    let Some(part) = fused.parts.first() else { return false };
    let all: u64 = part.plan.buffers.iter().map(|buffer| buffer.elements.max(0) as u64).sum();
    let own = all / fused.problems.max(1) as u64 * u64::from(schedule.together);
    target.backend == Backend::Cuda && own > LARGE
}

/// Threads and problems of a workgroup.
pub fn schedule(fused: &FusedLoop, target: &Target) -> FusedLoopSchedule {
    if !target.is_gpu() {
        return FusedLoopSchedule { threads: 1, together: 1 };
    }
    // Lanes that share short folds are worth having, up to eight.
    let wanted = |part: &LoopPart| part.points().saturating_mul((part.folded() / 4).clamp(1, 8));
    let most = fused.parts.iter().map(wanted).max().unwrap_or(1).clamp(1, THREADS_MAX);
    let least = u64::from(target.subgroup_size.max(32)).next_power_of_two();
    let ceiling = THREADS_MAX.min(u64::from(target.max_threads_per_block)).max(least);
    let units = u64::from(target.compute_units.max(1));
    let spare = (fused.problems.max(1) as u64 / (2 * units)).max(1);
    let together = (256 / most.next_power_of_two()).clamp(1, spare);
    let threads = most.saturating_mul(together).next_power_of_two().clamp(least, ceiling);
    let schedule = |threads: u64| FusedLoopSchedule { threads: threads as u32, together: together as u32 };
    let held = |threads: u64| {
        target.backend != Backend::Cuda
            || fused.held_registers() <= schedule(threads).registers(target.registers_per_unit)
    };
    // Half as many threads, which keep places in registers, where they are through with a part soon; else all work the
    // places out in every round.
    let points = fused.parts.iter().map(|part| part.points().saturating_mul(together)).max().unwrap_or(1);
    let half = (threads / 2).max(least);
    schedule(if !held(threads) && held(half) && points <= half * FEW_TURNS { half } else { threads })
}

fn sum(steps: &[LoopStep], of: &dyn Fn(u32) -> f64) -> f64 {
    let each = |step: &LoopStep| match step {
        LoopStep::Part(at) => of(*at),
        LoopStep::Repeat { count, steps } => *count as f64 * sum(steps, of),
    };
    steps.iter().map(each).sum()
}
