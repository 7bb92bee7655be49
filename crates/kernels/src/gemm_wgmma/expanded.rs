//! Operands that the copying warpgroup computes: weights in blocks, laid into the ring as 16-bit floats.
//!
//! Such an operand's boxes are nowhere in memory. The copying warpgroup's threads compute them of what is stored, bytes
//! and scales, round them to the type that is multiplied and write them to where a box would lie, swizzled like one.
//! The multiplying warpgroups see no difference. A thread has whole outputs of the operand. What a block of an output
//! is made of is asked for a block or two before it is computed.
//!
//! ```text
//! ask for blocks 0 … ahead - 1
//! for every block k: ask for block k + ahead; wait until the stage is empty; one thread starts the copies of the other
//!     operand; compute and write block k; fence it for the matrix unit; arrive
//! ```
//!
//! Worked example: `[128, 4096]·[4096, 4096]ᵀ`, weights in Q4_0, tiles of 128 weights' rows by 128: a thread has one
//! row. A block of it, 64 steps, is two loads of 16 bytes and two scales; it becomes 128 bytes, written in 8 chunks.

use std::collections::BTreeSet;

use fornax_emit::blocks::hopper::barrier::{self, Cursor};
use fornax_emit::blocks::hopper::bulk;
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

use super::main_loop::{self, Frame, Part};
use super::schedule::{BOX_ROW_BYTES, WgmmaSchedule};
use super::sources::{Dimension, Source};
use super::tiles::{self, Point, Tile};
use crate::access;

const I32: Ty = Ty::scalar(Scalar::I32);
/// Blocks whose loads are under way while one is computed, at most, and registers that those may take, but for one
/// block's. Not measured: a trip to memory takes about as long as two blocks of 128 by 128 outputs.
const AHEAD_MAX: u64 = 2;
const AHEAD_REGISTERS: u64 = 40;
/// Steps that are computed at once: bytes of a load.
const LANES: u32 = 16;
/// Bytes of a chunk of a box's row, and their number.
const CHUNK_BYTES: i64 = 16;
const CHUNKS: i64 = BOX_ROW_BYTES as i64 / CHUNK_BYTES;
/// Words of a chunk.
const CHUNK_WORDS: u32 = 4;
/// Outputs that a tile's operand is a multiple of: one a thread.
pub const OUTPUTS: u32 = WARPGROUP_THREADS;
/// Warpgroups that multiply beside one that computes, at most.
pub const CONSUMERS_MAX: u32 = 2;
/// Arrivals that fill a stage: one announces the copies, one is a warp's.
pub const ARRIVALS: u32 = 1 + WARPGROUP_THREADS / 32;

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
    let computed = Some(node);
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

/// An operand that is computed, and a thread's outputs of it.
struct Filled {
    node: NodeId,
    element: ElementType,
    /// Loads that change from step to step, and conditions that do.
    loads: Vec<NodeId>,
    conditions: Vec<NodeId>,
    rows: Vec<Row>,
    /// Bytes of a stage.
    stage: i64,
}

impl Filled {
    /// Registers of what a block of a thread's outputs is made of.
    fn registers(&self, plan: &KernelPlan, schedule: &WgmmaSchedule) -> u64 {
        let indices = &plan.exprs.indices;
        let moves = |var: &VarId| plan.exprs.node_varies(self.node, *var);
        let vars = plan.domain.iter().chain(plan.body.reduction()).copied().filter(|var| moves(var));
        let elements = vars.map(|var| indices.extent(var).max(1) as u64).fold(1, u64::saturating_mul);
        let block = u64::from(schedule.block()).saturating_mul(self.rows.len() as u64);
        (bytes(plan, self.node).saturating_mul(block) / elements).div_ceil(4)
    }
}

/// An output of a thread.
struct Row {
    point: Point,
    /// Its first byte in stage 0.
    place: Value,
}

/// All that a thread does for a tile.
struct Filling<'a> {
    frame: &'a Frame<'a>,
    operands: Vec<Filled>,
    step: VarId,
    /// Bytes from an output's first byte to each chunk.
    chunks: Vec<Value>,
    /// The number of the last block of all.
    last: i64,
    /// Blocks whose loads are under way while one is computed.
    ahead: i64,
}

/// Producer, all threads: the blocks of the bound tile. Gives the cursor behind the last.
///
/// # Errors
/// Those of the loads and of what is computed of them.
pub fn produce(
    e: &mut Emitter<'_>,
    frame: &Frame<'_>,
    place: Place,
    tile: &Tile,
    cursor: Cursor,
) -> Result<Cursor, EmitError> {
    let filling = Filling::of(e, frame, place, tile)?;
    let [first, end] = frame.blocks;
    let one = e.code.int(I32, 1);
    let mut carried = cursor.values().to_vec();
    let fixed = carried.len();
    for at in 0..filling.ahead {
        let number = e.code.add_ik(first, at);
        carried.extend(filling.ask(e, number)?);
    }
    let each = (carried.len() - fixed) / filling.ahead as usize;
    let leads = leads(e, place);
    let arrives = e.code.cmp_ik("eq", place.lane, 0);
    let open = e.code.begin_for(first, end, one, &carried);
    let Some(at) = Cursor::of(&open.carried) else { return Err(e.malformed("a loop lost its cursor")) };
    let (now, later) = open.carried[fixed..].split_at(each);
    let (now, later) = (now.to_vec(), later.to_vec());
    let number = e.code.add_ik(open.iv, filling.ahead);
    let asked = filling.ask(e, number)?;
    // No load moves across it.
    barrier::meet_warp(&mut e.code);
    frame.ring.wait_empty(&mut e.code, at);
    e.code.begin_if(leads, &[]);
    main_loop::begin_block(e, frame, (at, open.iv))?;
    e.code.end_if(&[]);
    filling.lay(e, (open.iv, at.stage), &now)?;
    bulk::fence_shared(&mut e.code);
    barrier::meet_warp(&mut e.code);
    e.code.begin_if(arrives, &[]);
    let full = frame.ring.full(&mut e.code, at.stage);
    barrier::arrive(&mut e.code, full);
    e.code.end_if(&[]);
    let next = frame.ring.advance(&mut e.code, at);
    let results = e.code.end_for(open, &[&next.values()[..], &later, &asked].concat());
    Cursor::of(&results).ok_or_else(|| e.malformed("a loop lost its cursor"))
}

/// The thread that starts copies.
fn leads(e: &mut Emitter<'_>, place: Place) -> Value {
    let first_warp = e.code.cmp_ik("eq", place.warp_in_group, 0);
    let first_lane = e.code.cmp_ik("eq", place.lane, 0);
    e.code.and(first_warp, first_lane)
}

impl<'a> Filling<'a> {
    fn of(e: &mut Emitter<'_>, frame: &'a Frame<'a>, place: Place, tile: &Tile) -> Result<Filling<'a>, EmitError> {
        let schedule = frame.schedule;
        let step = schedule.steps.iter().max_by_key(|cover| cover.count).map(|cover| cover.var);
        let step = step.ok_or_else(|| e.malformed("a block without steps"))?;
        for &var in e.plan.body.reduction() {
            e.bind(var, None, 0, 0);
        }
        let before = e.code.int_k("arith.muli", place.warp_in_group, 32);
        let own = e.code.add_i(before, place.lane);
        let turned = e.code.and_k(own, CHUNKS - 1);
        let turned = e.code.int_k("arith.muli", turned, CHUNK_BYTES);
        let chunks = (0..CHUNKS).map(|at| e.code.int_k("arith.xori", turned, at * CHUNK_BYTES)).collect();
        let mut operands = Vec::new();
        for part in main_loop::parts(schedule) {
            let Some(node) = part.operand.computed else { continue };
            let is_rows = std::ptr::eq(part.operand, &schedule.row_operand);
            let (covers, origins) =
                if is_rows { (&schedule.rows, &tile.rows) } else { (&schedule.columns, &tile.columns) };
            let mut rows = Vec::new();
            for number in 0..i64::from(part.outputs / OUTPUTS) {
                let first = number * i64::from(OUTPUTS);
                let point = tiles::bind_point(e, covers, origins, (own, first), 1)?;
                let place = e.code.int_k("arith.muli", own, BOX_ROW_BYTES.into());
                let place = e.code.add_ik(place, part.start as i64 + first * i64::from(BOX_ROW_BYTES));
                rows.push(Row { point, place });
            }
            let (own, others): (BTreeSet<NodeId>, BTreeSet<NodeId>) =
                loads(e.exprs, node).into_iter().partition(|&load| e.depends_on(load, step));
            // What is the same for all blocks of an output is read once.
            e.lanes = LANES;
            for row in &rows {
                tiles::rebind(e, &row.point);
                for &load in &others {
                    e.eval(load)?;
                }
            }
            e.lanes = 1;
            let (loads, stage) = (own.into_iter().collect(), part.stage as i64);
            let conditions = reached(e.exprs, node, |node| matches!(node, Node::InRange { .. }));
            let conditions = conditions.into_iter().filter(|&condition| e.depends_on(condition, step)).collect();
            operands.push(Filled { node, element: part.operand.element, loads, conditions, rows, stage });
        }
        let last = schedule.blocks(&e.exprs.indices).max(1) as i64 - 1;
        let registers: u64 = operands.iter().map(|operand| operand.registers(e.plan, schedule)).sum();
        let ahead = (AHEAD_REGISTERS / registers.max(1)).clamp(1, AHEAD_MAX) as i64;
        Ok(Filling { frame, operands, step, chunks, last, ahead })
    }

    /// Steps of a block.
    fn block(&self) -> i64 {
        i64::from(self.frame.schedule.block())
    }

    /// The first step of a block, one behind the last is the last.
    fn origin(&self, e: &mut Emitter<'_>, number: Value) -> Value {
        let last = e.code.int(I32, self.last);
        let number = e.code.binary("arith.minui", number, last);
        let origin = e.code.int_k("arith.muli", number, self.block());
        e.code.resize_u(origin, e.index)
    }

    /// Binds the lanes of a part of a block.
    fn bind(&self, e: &mut Emitter<'_>, origin: Value, at: i64) -> Result<(), EmitError> {
        e.lanes = LANES;
        e.bind_lanes(self.step, Some(origin), self.block(), at);
        for &condition in self.operands.iter().flat_map(|operand| &operand.conditions) {
            if let Some(holds) = known(e, condition)? {
                let value = e.code.bits(Ty::scalar(Scalar::I1), holds.into());
                e.provide(condition, value);
            }
        }
        Ok(())
    }

    /// Asks for what a block of the thread's outputs is made of: lanes by lanes, operand by operand, output by output.
    fn ask(&self, e: &mut Emitter<'_>, number: Value) -> Result<Vec<Value>, EmitError> {
        let origin = self.origin(e, number);
        let mut asked = Vec::new();
        for at in (0..self.block()).step_by(LANES as usize) {
            self.bind(e, origin, at)?;
            for operand in &self.operands {
                for row in &operand.rows {
                    tiles::rebind(e, &row.point);
                    for &load in &operand.loads {
                        if is_read(e, load)? {
                            asked.push(e.eval(load)?);
                        }
                    }
                }
            }
        }
        e.lanes = 1;
        Ok(asked)
    }

    /// Computes a block of which that was asked for, and writes it to a stage.
    fn lay(&self, e: &mut Emitter<'_>, (number, stage): (Value, Value), asked: &[Value]) -> Result<(), EmitError> {
        let origin = self.origin(e, number);
        let mut asked = asked.iter().copied();
        let starts: Vec<Value> =
            self.operands.iter().map(|operand| e.code.int_k("arith.muli", stage, operand.stage)).collect();
        for at in (0..self.block()).step_by(LANES as usize) {
            self.bind(e, origin, at)?;
            for (operand, &start) in self.operands.iter().zip(&starts) {
                for row in &operand.rows {
                    tiles::rebind(e, &row.point);
                    for &load in &operand.loads {
                        if is_read(e, load)?
                            && let Some(value) = asked.next()
                        {
                            e.provide(load, value);
                        }
                    }
                    let value = e.eval(operand.node)?;
                    let raw = e.encode(operand.element, value)?;
                    let raw = e.code.spread(raw, LANES);
                    let place = e.code.add_i(start, row.place);
                    self.write(e, place, raw, at);
                }
            }
        }
        e.lanes = 1;
        Ok(())
    }

    /// Writes the chunks of some steps of an output, the first of which is step `at` of the block.
    fn write(&self, e: &mut Emitter<'_>, place: Value, raw: Value, at: i64) {
        let words = LANES / 2;
        let ty = Ty::vector(Scalar::I32, words);
        let words_of = e.code.pure(ty, format!("llvm.bitcast {raw} : {} to {ty}", raw.ty));
        for half in 0..words / CHUNK_WORDS {
            let own: Vec<Value> =
                (0..CHUNK_WORDS).map(|word| e.code.extract(words_of, half * CHUNK_WORDS + word)).collect();
            let own = e.code.assemble(&own);
            let chunk = (at * 2 / CHUNK_BYTES) as usize + half as usize;
            let place = e.code.add_i(place, self.chunks[chunk]);
            let there = e.code.byte_offset(self.frame.shared, place);
            e.code.line(&format!("llvm.store {own}, {there} {{alignment = 16 : i64}} : {}, {}", own.ty, there.ty));
        }
    }
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

/// Whether something is read: not where it is known that its mask is false for all lanes.
fn is_read(e: &mut Emitter<'_>, load: NodeId) -> Result<bool, EmitError> {
    let Node::Load { mask: Some(mask), .. } = *e.exprs.node(load) else { return Ok(true) };
    let mask = e.eval(mask)?;
    Ok(e.code.constant_bits(mask) != Some(0))
}

/// Whether a schedule's operands are such as can be computed.
pub fn fits(schedule: &WgmmaSchedule) -> bool {
    let whole = |part: &Part<'_>| {
        let has_threads = part.outputs.is_multiple_of(OUTPUTS) && part.operand.major == Major::Steps;
        part.operand.computed.is_none() || has_threads && part.operand.element.storage_bytes() == 2
    };
    schedule.loads.is_empty() && schedule.consumers <= CONSUMERS_MAX && main_loop::parts(schedule).iter().all(whole)
}

/// Arrivals that fill a stage.
pub fn arrivals(schedule: &WgmmaSchedule) -> u32 {
    if schedule.expands() { ARRIVALS } else { 1 }
}
