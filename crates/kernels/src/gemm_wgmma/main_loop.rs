//! The two sides of the ring: the producer's copies and the consumers' multiplies.
//!
//! Producer, one thread, for every block of every tile: wait until the stage is empty, announce the bytes, start the
//! copies of both operands. Consumers, whole warpgroups: wait until the stage is full, issue the block's multiplies as
//! one group, wait for the group *before*, and release that one's stage. Stage and parity run on from tile to tile, so
//! the producer fills stages for the next tile while the consumers store the present one.
//!
//! Worked example, 128 × 256 bf16 tile, blocks of 64: a stage is one copy {64, 128} of A and four {64, 64} of row-major
//! B; a consumer issues four m64n256k16 a block.

use crate::gemm_wgmma::schedule::{SharedLayout, TiledOperand, WgmmaSchedule};
use fornax_emit::blocks::hopper::wgmma::Major;

use super::counts::Counts;
use super::tiles;
use fornax_emit::blocks::hopper::barrier;
use fornax_emit::blocks::hopper::barrier::{Cursor, Ring};
use fornax_emit::blocks::hopper::bulk;
use fornax_emit::blocks::hopper::roles;
use fornax_emit::blocks::hopper::wgmma;
use fornax_emit::blocks::hopper::wgmma::Matrix;
use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::text::{Loop, Scalar, Ty, Value};

const I32: Ty = Ty::scalar(Scalar::I32);

/// What all parts of the kernel share.
pub struct Frame<'a> {
    pub schedule: &'a WgmmaSchedule,
    pub layout: SharedLayout,
    /// Start of the dynamic shared memory.
    pub shared: Value,
    pub ring: Ring,
    /// Tensor maps of the plan, in order.
    pub maps: Vec<Value>,
    /// The workgroup's number in its cluster, where a cluster shares tiles.
    pub rank: Option<Value>,
    /// First block of this workgroup's share and the one behind its last (i32).
    pub blocks: [Value; 2],
    /// Numbers of tiles, where a call gives them.
    pub counts: Option<Counts>,
}

impl Frame<'_> {
    pub fn map(&self, e: &Emitter<'_>, at: u32) -> Result<Value, EmitError> {
        self.maps.get(at as usize).copied().ok_or_else(|| e.malformed(format!("there is no tensor map {at}")))
    }

    /// A part of what blocks are computed of.
    pub fn part(&self, e: &mut Emitter<'_>, number: Value) -> Value {
        let bytes = e.code.int_k("arith.muli", number, self.layout.asked_part as i64);
        let bytes = e.code.add_ik(bytes, self.layout.asked as i64);
        e.code.byte_offset(self.shared, bytes)
    }

    /// Blocks of 64 rows of a consumer.
    pub fn row_blocks(&self) -> i64 {
        i64::from(self.schedule.consumer_rows()) / wgmma::ROWS
    }

    pub fn matrix(&self, operand: &TiledOperand) -> Matrix {
        Matrix { element: operand.element, major: operand.major, box_bytes: i64::from(self.schedule.box_bytes()) }
    }
}

/// Producer: all blocks of the bound tile. Gives the cursor behind the last.
pub fn produce(e: &mut Emitter<'_>, frame: &Frame<'_>, cursor: Cursor) -> Result<Cursor, EmitError> {
    fill(e, frame, cursor, Filled { blocks: frame.blocks, operands: Operands::All, is_first: true })
}

/// Producer of the only tile: what no kernel of the call writes goes into the stages before the kernels before are
/// over, the other operand's part of those stages after that, and then the other blocks.
///
/// Worked example: K of 768 in blocks of 32, 8 stages: 8 blocks of the weights, the wait, 8 blocks of the activations,
/// 16 blocks of both. Gives the cursor behind the last.
pub fn produce_early(e: &mut Emitter<'_>, frame: &Frame<'_>) -> Result<Cursor, EmitError> {
    let schedule = frame.schedule;
    let cursor = Cursor::first(&mut e.code);
    let [first, end] = frame.blocks;
    let ahead = e.code.add_ik(first, i64::from(schedule.stages));
    let ahead = e.code.binary("arith.minui", ahead, end);
    let blocks = [first, ahead];
    let mut behind = fill(e, frame, cursor, Filled { blocks, operands: Operands::Early, is_first: true })?;
    e.await_earlier()?;
    if schedule.operands().any(|operand| Operands::Late.has(e, operand)) {
        behind = fill(e, frame, cursor, Filled { blocks, operands: Operands::Late, is_first: false })?;
    }
    fill(e, frame, behind, Filled { blocks: [ahead, end], operands: Operands::All, is_first: true })
}

/// Blocks that go into the ring, from one up to another.
struct Filled {
    blocks: [Value; 2],
    operands: Operands,
    /// Nothing of these stages was announced: they must be empty first.
    is_first: bool,
}

/// Operands whose blocks are copied.
#[derive(Clone, Copy)]
enum Operands {
    All,
    /// What no kernel of the call writes.
    Early,
    /// The others.
    Late,
}

impl Operands {
    fn has(self, e: &Emitter<'_>, operand: &TiledOperand) -> bool {
        let map = e.plan.tensor_maps.get(operand.map as usize);
        let is_early = map.is_some_and(|map| e.plan.early.contains(&map.buffer));
        match self {
            Operands::All => true,
            Operands::Early => is_early,
            Operands::Late => !is_early,
        }
    }
}

/// Starts the copies of some blocks. Gives the cursor behind the last.
fn fill(e: &mut Emitter<'_>, frame: &Frame<'_>, cursor: Cursor, filled: Filled) -> Result<Cursor, EmitError> {
    let one = e.code.int(I32, 1);
    let open = e.code.begin_for(filled.blocks[0], filled.blocks[1], one, &cursor.values());
    let Some(at) = Cursor::of(&open.carried) else { return Err(e.malformed("a loop lost its cursor")) };
    if filled.is_first {
        frame.ring.wait_empty(&mut e.code, at);
    }
    begin(e, frame, (at, open.iv), &filled)?;
    let next = frame.ring.advance(&mut e.code, at);
    let results = e.code.end_for(open, &next.values());
    Cursor::of(&results).ok_or_else(|| e.malformed("a loop lost its cursor"))
}

/// Announces and starts the copies of a block, whose stage is empty.
pub fn begin_block(e: &mut Emitter<'_>, frame: &Frame<'_>, block: (Cursor, Value)) -> Result<(), EmitError> {
    begin(e, frame, block, &Filled { blocks: frame.blocks, operands: Operands::All, is_first: true })
}

fn begin(
    e: &mut Emitter<'_>,
    frame: &Frame<'_>,
    (at, number): (Cursor, Value),
    filled: &Filled,
) -> Result<(), EmitError> {
    let full = frame.ring.full(&mut e.code, at.stage);
    if filled.is_first {
        barrier::arrive_expecting(&mut e.code, full, stage_bytes(frame.schedule));
    }
    tiles::bind_origin(e, &frame.schedule.steps, number)?;
    for Part { operand, start, stage, outputs } in parts(frame.schedule) {
        if operand.computed.is_some() || !filled.operands.has(e, operand) {
            continue;
        }
        let place = e.code.int_k("arith.muli", at.stage, stage as i64);
        for term in 0..operand.terms {
            let place = e.code.add_ik(place, (start + term_bytes(operand, stage, term)) as i64);
            copy(e, frame, &TermCopy { operand, term, outputs, place, full })?;
        }
    }
    Ok(())
}

/// An operand's part of the ring.
pub struct Part<'a> {
    pub operand: &'a TiledOperand,
    /// Bytes from the start of shared memory to its block of stage 0, and from there to that of the next stage.
    pub start: u64,
    pub stage: u64,
    /// Outputs of a block.
    pub outputs: u32,
}

/// The operands' parts of the ring.
pub fn parts(schedule: &WgmmaSchedule) -> Vec<Part<'_>> {
    let layout = schedule.layout();
    let (start, stage, outputs) = (layout.column_operand, layout.column_stage, schedule.tile_columns());
    let rows =
        Part { operand: &schedule.row_operand, start: 0, stage: layout.row_stage, outputs: schedule.tile_rows() };
    let columns = Part { operand: &schedule.column_operand, start, stage, outputs };
    let second = schedule.second.as_ref();
    let second = second.map(|operand| Part { operand, start: start + stage / 2, stage, outputs });
    [rows, columns].into_iter().chain(second).collect()
}

/// Where a term starts in an operand's stage.
pub fn term_bytes(operand: &TiledOperand, stage: u64, term: u32) -> u64 {
    stage / u64::from(operand.terms.max(1)) * u64::from(term)
}

/// Bytes that the copies of one stage bring.
fn stage_bytes(schedule: &WgmmaSchedule) -> i64 {
    let block = i64::from(schedule.block());
    let bytes = |operand: &TiledOperand, outputs: u32| match operand.computed {
        Some(_) => 0,
        None => block * i64::from(outputs) * operand.element.storage_bytes().max(1) as i64 * i64::from(operand.terms),
    };
    bytes(&schedule.row_operand, schedule.tile_rows()) + bytes(&schedule.column_operand, schedule.multiplied_columns())
}

/// A term of an operand's block, and where it goes.
struct TermCopy<'a> {
    operand: &'a TiledOperand,
    term: u32,
    /// Outputs of the block.
    outputs: u32,
    /// Bytes from the start of shared memory.
    place: Value,
    /// The barrier that counts what has arrived.
    full: Value,
}

/// Starts the copies of one term of an operand's block.
fn copy(e: &mut Emitter<'_>, frame: &Frame<'_>, copy: &TermCopy<'_>) -> Result<(), EmitError> {
    let &TermCopy { operand, term, outputs, place, full } = copy;
    let map = frame.map(e, operand.map)?;
    let mut coordinates = bulk::coordinates(e, &operand.coordinates)?;
    if operand.terms > 1 {
        coordinates.push(e.code.int(I32, i64::from(term)));
    }
    let boxes = match operand.major {
        Major::Steps => 1,
        Major::Outputs => i64::from(outputs / operand.outputs_of_row()),
    };
    let outputs_of_row = i64::from(operand.outputs_of_row());
    for at in 0..boxes {
        let mut coordinates = coordinates.clone();
        if let Some(first) = coordinates.first_mut().filter(|_| at > 0) {
            *first = e.code.add_ik(*first, at * outputs_of_row);
        }
        let place = e.code.add_ik(place, at * i64::from(frame.schedule.box_bytes()));
        let destination = e.code.byte_offset(frame.shared, place);
        bulk::load(&mut e.code, map, &coordinates, destination, full, None);
    }
    Ok(())
}

/// The consumer's loop over a tile's blocks: the multiplies of a round run while the next round waits for its copies,
/// so a stage is given back a round late.
pub struct Rounds {
    open: Loop,
    first: Value,
    releases: Value,
    /// The stage that is read, and that of the round before.
    pub at: Cursor,
    previous: Value,
}

impl Rounds {
    /// Opens the loop behind the arrival of a block's copies. Gives the accumulators, zeros at first, one a block of 64
    /// rows.
    pub fn begin(
        e: &mut Emitter<'_>,
        frame: &Frame<'_>,
        releases: Value,
        cursor: Cursor,
    ) -> Result<(Rounds, Vec<Value>), EmitError> {
        let ty = wgmma::accumulator(accumulator_element(e)?, frame.schedule.multiplied_columns());
        let cleared = e.code.zeros(ty);
        let (one, zero) = (e.code.int(I32, 1), e.code.int(I32, 0));
        let mut inits = vec![cursor.stage, cursor.parity, zero];
        inits.extend(vec![cleared; frame.row_blocks() as usize]);
        // Compared with what the loop starts from, the compiler would take the first round out of the loop.
        let first = roles::uniform(&mut e.code, frame.blocks[0]);
        let open = e.code.begin_for(frame.blocks[0], frame.blocks[1], one, &inits);
        let Some(at) = Cursor::of(&open.carried) else { return Err(e.malformed("a loop lost its cursor")) };
        let (previous, sums) = (open.carried[2], open.carried[3..].to_vec());
        frame.ring.wait_full(&mut e.code, at);
        Ok((Rounds { open, first, releases, at, previous }, sums))
    }

    /// Gives back the stage of the round before, whose multiplies are over.
    pub fn release_previous(&self, e: &mut Emitter<'_>, frame: &Frame<'_>) {
        let later = e.code.cmp_i("ne", self.open.iv, self.first);
        release(e, frame, (later, self.releases), self.previous);
    }

    /// Ends the loop and waits for the last multiplies. Gives the cursor behind the last block and the accumulators as
    /// registers.
    pub fn end(
        self,
        e: &mut Emitter<'_>,
        frame: &Frame<'_>,
        sums: Vec<Value>,
    ) -> Result<(Cursor, Vec<Vec<Value>>), EmitError> {
        let next = frame.ring.advance(&mut e.code, self.at);
        let mut carried = vec![next.stage, next.parity, self.at.stage];
        carried.extend(sums);
        let results = e.code.end_for(self.open, &carried);
        let Some(behind) = Cursor::of(&results) else { return Err(e.malformed("a loop lost its cursor")) };
        let sums = results[3..].iter().map(|&sum| wgmma::wait_for(&mut e.code, sum)).collect();
        let some = e.code.cmp_i("ult", frame.blocks[0], frame.blocks[1]);
        release(e, frame, (some, self.releases), results[2]);
        Ok((behind, sums))
    }
}

/// Gives a stage back where both conditions hold.
fn release(e: &mut Emitter<'_>, frame: &Frame<'_>, (is_read, releases): (Value, Value), stage: Value) {
    let releasing = e.code.and(is_read, releases);
    e.code.begin_if(releasing, &[]);
    frame.ring.release(&mut e.code, stage);
    e.code.end_if(&[]);
}

/// Consumer: multiplies all blocks of a tile; `warpgroup` is the consumer's number. Gives the cursor behind the last
/// block and the accumulators, one a block of 64 rows, as registers.
pub fn consume(
    e: &mut Emitter<'_>,
    frame: &Frame<'_>,
    descriptors: [Value; 2],
    releases: Value,
    cursor: Cursor,
) -> Result<(Cursor, Vec<Vec<Value>>), EmitError> {
    let (rounds, sums) = Rounds::begin(e, frame, releases, cursor)?;
    wgmma::fence(&mut e.code);
    let sums = block(e, frame, descriptors, Terms { stage: rounds.at.stage, row: 0, column: 0 }, sums, false)?;
    wgmma::commit(&mut e.code);
    wgmma::wait(&mut e.code, 1);
    rounds.release_previous(e, frame);
    rounds.end(e, frame, sums)
}

pub fn accumulator_element(e: &Emitter<'_>) -> Result<fornax_graph::ElementType, EmitError> {
    match &e.plan.body {
        fornax_plan::Body::Contraction { accumulator, .. } => Ok(*accumulator),
        fornax_plan::Body::Products(products) => Ok(products.accumulator),
        _ => Err(e.malformed("not a contraction")),
    }
}

/// Descriptors of the consumer's rows and of all columns in stage 0.
pub fn descriptors(e: &mut Emitter<'_>, frame: &Frame<'_>, warpgroup: Value) -> [Value; 2] {
    let schedule = frame.schedule;
    let rows = frame.matrix(&schedule.row_operand);
    let share = i64::from(schedule.consumer_rows()) / wgmma::ROWS * rows.rows_bytes();
    let mine = e.code.int_k("arith.muli", warpgroup, share);
    let row_place = e.code.byte_offset(frame.shared, mine);
    let row_descriptor = rows.descriptor(&mut e.code, row_place);
    [row_descriptor, column_descriptor(e, frame)]
}

/// Descriptor of all columns in stage 0.
pub fn column_descriptor(e: &mut Emitter<'_>, frame: &Frame<'_>) -> Value {
    let start = e.code.int(I32, frame.layout.column_operand as i64);
    let place = e.code.byte_offset(frame.shared, start);
    frame.matrix(&frame.schedule.column_operand).descriptor(&mut e.code, place)
}

/// A term of the rows and one of the columns, in a stage.
#[derive(Clone, Copy)]
pub struct Terms {
    pub stage: Value,
    pub row: u32,
    pub column: u32,
}

/// The multiplies of a term of the rows with a term of the columns of one stage; `fresh` sums start from zero.
pub fn block(
    e: &mut Emitter<'_>,
    frame: &Frame<'_>,
    descriptors: [Value; 2],
    Terms { stage, row: row_term, column: column_term }: Terms,
    mut sums: Vec<Value>,
    fresh: bool,
) -> Result<Vec<Value>, EmitError> {
    let schedule = frame.schedule;
    let (rows, columns) = (frame.matrix(&schedule.row_operand), frame.matrix(&schedule.column_operand));
    let a = e.code.int_k("arith.muli", stage, frame.layout.row_stage as i64);
    let b = e.code.int_k("arith.muli", stage, frame.layout.column_stage as i64);
    let a = wgmma::descriptor_moved(&mut e.code, descriptors[0], a);
    let b = wgmma::descriptor_moved(&mut e.code, descriptors[1], b);
    let row_start = term_bytes(&schedule.row_operand, frame.layout.row_stage, row_term) as i64;
    let column_start = term_bytes(&schedule.column_operand, frame.layout.column_stage, column_term) as i64;
    let bytes = i64::from(schedule.block()) * rows.element.storage_bytes().max(1) as i64;
    for step in 0..bytes / wgmma::STEP_BYTES {
        let b = wgmma::descriptor_at(&mut e.code, b, column_start + step * columns.step_bytes());
        for (at, sum) in sums.iter_mut().enumerate() {
            let place = row_start + step * rows.step_bytes() + at as i64 * rows.rows_bytes();
            let a = wgmma::descriptor_at(&mut e.code, a, place);
            let fresh = fresh && step == 0;
            let Some(next) = wgmma::multiply(&mut e.code, *sum, (rows, a), (columns, b), fresh) else {
                return Err(e.unfit("no warpgroup multiply for an operand's type"));
            };
            *sum = next;
        }
    }
    Ok(sums)
}
