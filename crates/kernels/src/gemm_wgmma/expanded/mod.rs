//! Operands that warpgroups compute: weights in blocks, laid into the ring as 16-bit floats.
//!
//! Such an operand's boxes are nowhere in memory. Threads compute them of what is stored, bytes and scales, round them
//! to the type that is multiplied and write them to where a box would lie, swizzled like one. The multiplying
//! warpgroups see no difference. One warpgroup fetches what the others compute of, several blocks at a time (`asked`).
//! Of the others so many threads as have work make a *team*; teams take blocks by turns. A thread has some neighbouring
//! steps of some outputs; its rows' bytes are fetched in runs (`runs`).
//!
//! ```text
//! fetch, for some blocks together: wait until their part is empty; copy what their threads need; arrive when it is
//!     there
//! compute, for every block of the team: wait until the stage is empty; one thread starts the copies of the other
//!     operand; wait for the part; compute and write the block; fence it for the matrix unit; arrive; give the part
//!     back
//! ```
//!
//! Worked example: `[128, 4096]·[4096, 4096]ᵀ`, weights in Q4_0, tiles of 64 weights' rows by 128: a thread has 32 of a
//! block's 64 steps of one row, which it shares with one neighbour. They are 16 bytes and a scale; they become 64
//! bytes, written in 4 chunks. Eight blocks are fetched together, 256 bytes of each row.

mod asked;
mod compute;
mod fetch;
mod runs;

use std::collections::BTreeSet;

use fornax_emit::blocks::hopper::barrier::Ring;
use fornax_emit::blocks::hopper::roles::{Place, WARPGROUP_THREADS};
use fornax_emit::blocks::hopper::wgmma::Major;
use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::index::IndexValue;
use fornax_emit::text::{Scalar, Ty, Value};
use fornax_graph::ElementType;
use fornax_plan::form::{ContractionForm, Operand};
use fornax_plan::walk::Reached;
use fornax_plan::{Exprs, KernelPlan, Node, NodeId, VarId};

use asked::Asked;
pub use asked::{Asking, Needs, part_bytes};
pub use runs::Computed;
use runs::Runs;

use super::main_loop::{self, Frame, Part};
use super::schedule::{BOX_ROW_BYTES, WgmmaSchedule};
use super::sources::{Dimension, Source};
use super::tiles::Tile;
use crate::access;

/// Steps that are computed at once: bytes of a load.
const LANES: u32 = 16;
/// Warpgroups of a workgroup at most: those that multiply, one that fetches, and those that compute.
const WARPGROUPS_MAX: u32 = 8;
/// Registers of a thread of each of them together, which all share alike, and what a thread has besides its sums.
const REGISTERS: u32 = 512;
const REGISTERS_BESIDE: u32 = 32;
/// Threads of a team: the first that suits.
const TEAMS: [u32; 3] = [WARPGROUP_THREADS, WARPGROUP_THREADS / 2, WARP_THREADS];
const WARP_THREADS: u32 = 32;

/// An operand that can be computed, of 16-bit floats, made of loads of bytes, as if it lay in a buffer along its steps.
/// `None` for others: they are copied first.
pub fn source(plan: &KernelPlan, form: &ContractionForm, (operand, outputs): (&Operand, &[VarId])) -> Option<Source> {
    let exprs = &plan.exprs;
    let extent = |var: &VarId| exprs.indices.extent(*var);
    let mut moving = form.steps.iter().copied().filter(|var| extent(var) > 1);
    let (step, None) = (moving.next()?, moving.next()) else { return None };
    let (node, element) = (operand.narrow, operand.element);
    let whole = plan.has_static_loops() && extent(&step) % (i64::from(BOX_ROW_BYTES) / 2) == 0;
    let half = matches!(element, ElementType::Bf16 | ElementType::F16);
    let loads = access::loads(exprs, &[node]);
    let bytes = loads.iter().any(|load| load.element.storage_bytes() == 1);
    // What has as many elements as the operand is of bytes: wider ones are copied, once for all tiles.
    let wide =
        |load: &access::Load| load.element.storage_bytes() > 1 && access::step(exprs, load.offset, step).is_one();
    if operand.load.is_some() || !whole || !half || !bytes || loads.iter().any(wide) {
        return None;
    }
    let moves = |var: &VarId| extent(var) > 1 && exprs.node_varies(node, *var);
    let mut vars: Vec<VarId> = form.batch.iter().chain(outputs).copied().filter(moves).collect();
    vars.push(step);
    let (mut dimensions, mut stride) = (Vec::new(), 1i64);
    for &var in vars.iter().rev() {
        dimensions.push(Dimension::along(var, extent(&var), stride));
        stride = stride.checked_mul(extent(&var))?;
    }
    let computed = Some(Computed::of(plan, node, step));
    Some(Source { buffer: u32::MAX, element, dimensions, constant: 0, terms: 1, term_stride: 0, computed })
}

/// Bytes of the buffers that an operand is computed of.
pub fn bytes(plan: &KernelPlan, node: NodeId) -> u64 {
    let read: BTreeSet<u32> = loads(&plan.exprs, node)
        .into_iter()
        .filter_map(|load| match *plan.exprs.node(load) {
            Node::Load { buffer, .. } => Some(buffer),
            _ => None,
        })
        .collect();
    let buffers = read.into_iter().filter_map(|at| plan.buffers.get(at as usize));
    buffers.map(|b| (b.elements.max(0) as u64).saturating_mul(b.element.storage_bytes() as u64)).sum()
}

/// Teams of a workgroup: threads that compute a block together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Teams {
    /// Threads of a team.
    pub threads: u32,
    pub count: u32,
}

impl Teams {
    /// As many threads as compute the outputs in whole rounds, a warpgroup at most; `None` where not even a warp does,
    /// or where there is no room for them beside those that multiply, of which a thread has so many sums.
    ///
    /// Worked example: 112 outputs of E4M3, each shared by four threads: 64 threads, 16 outputs at a time.
    pub fn of(needs: &Needs, consumers: u32, sums: u32) -> Option<Teams> {
        let suits = |threads: &u32| {
            needs.iter().flatten().all(|(computed, outputs)| {
                let at_once = computed.outputs(*threads);
                at_once > 0 && outputs.is_multiple_of(at_once)
            })
        };
        let threads = TEAMS.into_iter().find(suits)?;
        let computing = producers(consumers, sums)? - 1;
        Some(Teams { threads, count: computing * WARPGROUP_THREADS / threads })
    }

    /// Warps of a team.
    fn warps(self) -> u32 {
        self.threads / WARP_THREADS
    }

    /// Arrivals that fill a stage: one announces the copies, one is a warp's.
    pub fn arrivals(self) -> u32 {
        1 + self.warps()
    }
}

/// Warpgroups that fetch and compute beside those that multiply, of which a thread has so many sums; `None` where there
/// is no room for two.
///
/// Worked example: 64 × 32 outputs by one warpgroup, 16 sums a thread: seven, eight in all. 64 × 128: four.
pub fn producers(consumers: u32, sums: u32) -> Option<u32> {
    let all = (REGISTERS / (sums + REGISTERS_BESIDE)).min(WARPGROUPS_MAX);
    all.checked_sub(consumers).filter(|&n| n > 1)
}

/// What threads do with an operand.
struct Worked {
    asked: Asked,
    runs: Runs,
    /// Loads that change from step to step, and conditions that do.
    loads: Vec<NodeId>,
    conditions: Vec<NodeId>,
    /// Loads that are the same for all steps of an output.
    others: Vec<NodeId>,
    step: VarId,
}

impl Worked {
    fn of(e: &mut Emitter<'_>, asked: Asked, step: VarId) -> Worked {
        let node = asked.computed.node;
        let (loads, others) = loads(e.exprs, node).into_iter().partition(|&load| e.depends_on(load, step));
        let conditions = reached(e.exprs, node, |node| matches!(node, Node::InRange { .. }));
        let conditions = conditions.into_iter().filter(|&condition| e.depends_on(condition, step)).collect();
        let runs = Runs::of(e.plan, (asked.computed, step), asked.together);
        Worked { asked, runs, loads, conditions, others, step }
    }

    /// Binds the lanes to steps `at` behind a thread's first one (index type).
    fn bind(&self, e: &mut Emitter<'_>, first: Value, at: i64) -> Result<(), EmitError> {
        e.lanes = LANES;
        e.bind_lanes(self.step, Some(first), self.asked.computed.grain.into(), at);
        for &condition in &self.conditions {
            if let Some(holds) = known(e, condition)? {
                let value = e.code.bits(Ty::scalar(Scalar::I1), holds.into());
                e.provide(condition, value);
            }
        }
        Ok(())
    }

    /// Where each run of lanes of a thread's steps begins.
    fn lanes(&self) -> impl Iterator<Item = i64> + use<> {
        (0..i64::from(self.asked.computed.grain)).step_by(LANES as usize)
    }
}

/// The step that blocks lie along.
fn step(e: &Emitter<'_>, schedule: &WgmmaSchedule) -> Result<VarId, EmitError> {
    let step = schedule.steps.iter().max_by_key(|cover| cover.count).map(|cover| cover.var);
    step.ok_or_else(|| e.malformed("a block without steps"))
}

/// The ring of what is asked for.
fn ring(frame: &Frame<'_>) -> Ring {
    Ring { shared: frame.shared, at: frame.layout.asked_barriers as i64, stages: frame.schedule.asking.parts }
}

/// Makes the barriers of what is asked for; one thread does it.
///
/// # Errors
/// `FX0404` for schedules without such teams.
pub fn initialise(e: &mut Emitter<'_>, frame: &Frame<'_>) -> Result<(), EmitError> {
    let teams = teams(e, frame.schedule)?;
    let empty = frame.schedule.asking.together * teams.warps();
    ring(frame).initialise(&mut e.code, WARPGROUP_THREADS, empty);
    Ok(())
}

fn teams(e: &Emitter<'_>, schedule: &WgmmaSchedule) -> Result<Teams, EmitError> {
    schedule.teams().ok_or_else(|| e.unfit("an operand is not computed like this"))
}

/// A warpgroup that does not multiply, all threads, for a tile: it fetches or computes. Gives the blocks so far.
///
/// # Errors
/// Those of the loads and of what is computed of them.
pub fn produce(
    e: &mut Emitter<'_>,
    frame: &Frame<'_>,
    (place, fetches): (Place, bool),
    tile: &Tile,
    count: Value,
) -> Result<Value, EmitError> {
    for &var in e.plan.body.reduction() {
        e.bind(var, None, 0, 0);
    }
    let [first, end] = frame.blocks;
    if fetches {
        fetch::fetch(e, frame, place, tile, count)?;
    } else {
        compute::compute(e, frame, place, tile, count)?;
    }
    let blocks = e.code.sub_i(end, first);
    Ok(e.code.add_i(count, blocks))
}

/// Loads that a node is made of, those of its places included.
fn loads(exprs: &Exprs, node: NodeId) -> Vec<NodeId> {
    reached(exprs, node, |node| matches!(node, Node::Load { .. }))
}

fn reached(exprs: &Exprs, node: NodeId, is_meant: fn(&Node) -> bool) -> Vec<NodeId> {
    let nodes = Reached::from(exprs, [node], &[]).nodes;
    nodes.into_iter().filter(|&node| is_meant(exprs.node(node))).collect()
}

/// Whether a condition holds for all lanes, or for none; `None` where that depends on the block, or on the lane.
///
/// Worked example, Q4_0: which half of a byte a step is in. 16 lanes from step 64·i + 48 on are at place 16 of a block
/// of 32: modulo 64 the place is 16, and it is below 32, so it is 16.
fn known(e: &mut Emitter<'_>, condition: NodeId) -> Result<Option<bool>, EmitError> {
    let Node::InRange { index, low, high } = *e.exprs.node(condition) else { return Ok(None) };
    let IndexValue::Affine { stride, .. } = e.index(index)? else { return Ok(None) };
    let (modulus, residue) = e.congruence(index);
    let (least, most) = e.exprs.indices.range(index);
    let first = if modulus == 0 { residue } else { least.saturating_add((residue - least).rem_euclid(modulus)) };
    if stride < 0 || modulus != 0 && first.saturating_add(modulus) <= most {
        return Ok(None);
    }
    let last = first.saturating_add(stride.saturating_mul(i64::from(LANES) - 1));
    let (all, none) = (low <= first && last < high, last < low || high <= first);
    Ok((all || none).then_some(all))
}

/// Whether a schedule's operands are such as can be computed.
pub fn fits(schedule: &WgmmaSchedule) -> bool {
    let whole = |part: &Part<'_>| {
        let is_half = part.operand.major == Major::Steps && part.operand.element.storage_bytes() == 2;
        part.operand.computed.is_none() || is_half
    };
    let turns = u64::from(schedule.stages) <= schedule.asking.stages_max();
    schedule.loads.is_empty() && turns && schedule.teams().is_some() && main_loop::parts(schedule).iter().all(whole)
}
