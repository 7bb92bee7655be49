//! Contractions on targets with warpgroup matrix multiply: a persistent grid of copying and multiplying warpgroups.
//!
//! Input: a `Body::Contraction` with a [`WgmmaSchedule`], whose tensor maps say where the operands' boxes lie.
//! Output: one kernel. One thread copies boxes of both operands into a ring of stages (`main_loop`, `bulk`, `barrier`);
//! one, two or three warpgroups multiply them (`wgmma`) and store (`epilogue`), keeping the sums in registers.
//! Registers move from the copying to the multiplying warpgroups (`roles`). A row operand that lies the wrong way for
//! the matrix unit goes through registers (`fragments`). Tails of all extents are the copy engine's: zeros in, clipped
//! out. Weights in blocks, which no copy can fetch, more warpgroups compute (`expanded`). Residuals and gates
//! come through the ring too (`epilogue_loads`). Where tiles are few, a cluster of workgroups shares each, every one a
//! part of the contraction (`exchange`).
//!
//! Why a schedule of its own: here threads are no tile points; the machine's copy and matrix units do the work and
//! threads only steer them.
//!
//! Worked example: `[4096, 4096]·[4096, 4096]` bf16, tiles of 128 × 256: 512 tiles over 132 workgroups of 384 threads;
//! a tile takes 64 blocks, a block 8 instructions of 64 × 256 × 16.

pub mod candidates;
mod counts;
mod epilogue;
mod epilogue_loads;
mod exact;
mod exchange;
pub mod expanded;
mod fragments;
pub mod im2col;
mod main_loop;
mod maps;
pub mod pair;
mod promote;
pub mod schedule;
mod shapes;
pub mod sources;
pub mod stream;
pub mod tiles;
mod together;

use self::schedule::WgmmaSchedule;
use crate::family::{Family, Offer, Try, has_own};
use fornax_emit::blocks::hopper::wgmma::Major;
use fornax_plan::Body;

use counts::Counts;
use epilogue::Finished;
use expanded::Teams;
use fornax_emit::blocks::hopper::barrier::{self, Cursor, Ring};
use fornax_emit::blocks::hopper::bulk;
use fornax_emit::blocks::hopper::roles::{self, Place};
use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::text::{Scalar, Ty, Value};
use main_loop::Frame;

const I32: Ty = Ty::scalar(Scalar::I32);

/// Emits the kernel.
pub fn emit(e: &mut Emitter<'_>, schedule: &WgmmaSchedule) -> Result<(), EmitError> {
    check(e, schedule)?;
    e.abi.attribute("nvvm.minctasm = 1 : i32");
    let layout = schedule.layout();
    let thread = e.abi.thread_id(&mut e.code);
    let place = roles::place(&mut e.code, thread);
    let shared = e.abi.dynamic_shared(&mut e.code);
    let ring = Ring { shared, at: layout.barriers as i64, stages: schedule.stages };
    let counts = Counts::of(e, schedule)?;
    let (rank, blocks) = share(e, schedule)?;
    let frame = Frame { schedule, layout, shared, ring, maps: e.maps.clone(), rank, blocks, counts };
    let first = e.code.cmp_ik("eq", thread, 0);
    e.code.begin_if(first, &[]);
    for &map in &frame.maps {
        bulk::prefetch_map(&mut e.code, map);
    }
    let arrivals = schedule.teams().filter(|_| schedule.expands()).map_or(1, Teams::arrivals);
    ring.initialise(&mut e.code, arrivals, schedule.consumers * 4);
    if schedule.expands() {
        expanded::initialise(e, &frame)?;
    }
    barrier::fence_initialised(&mut e.code);
    e.code.end_if(&[]);
    e.abi.barrier(&mut e.code);
    let group = e.abi.workgroup_id(&mut e.code, Scalar::I32);
    let group = e.code.int_k("arith.divui", group, i64::from(schedule.split));
    let registers = registers(schedule);
    let last = if schedule.expands() { "uge" } else { "eq" };
    let produces = e.code.cmp_ik(last, place.warpgroup, i64::from(schedule.consumers));
    e.code.begin_if(produces, &[]);
    if let Some((give, _)) = registers {
        roles::give_registers(&mut e.code, give);
    }
    producer(e, &frame, place, group)?;
    e.code.begin_else(&[]);
    if let Some((_, take)) = registers {
        roles::take_registers(&mut e.code, take);
    }
    if !e.plan.early.is_empty() {
        e.await_earlier()?;
    }
    consumer(e, &frame, place, group)?;
    e.code.end_if(&[]);
    Ok(())
}

/// The rank in the cluster, and this workgroup's blocks: all, or an even part of them.
fn share(e: &mut Emitter<'_>, schedule: &WgmmaSchedule) -> Result<(Option<Value>, [Value; 2]), EmitError> {
    if schedule.steps.iter().any(|c| e.exprs.indices.run_extent(c.var).is_some()) {
        let (first, behind) = (e.code.int(I32, 0), counts::blocks(e, schedule)?);
        return Ok((None, [first, roles::uniform(&mut e.code, behind)]));
    }
    let blocks = schedule.blocks(&e.exprs.indices) as i64;
    if schedule.split == 1 {
        let (first, behind) = (e.code.int(I32, 0), e.code.int(I32, blocks));
        return Ok((None, [first, roles::uniform(&mut e.code, behind)]));
    }
    e.abi.attribute(&format!("nvvm.cluster_dim = array<i32: {}, 1, 1>", schedule.split));
    let rank = exchange::rank(e);
    let each = (blocks as u64).div_ceil(u64::from(schedule.split)) as i64;
    let first = e.code.int_k("arith.muli", rank, each);
    let (all, behind) = (e.code.int(I32, blocks), e.code.add_ik(first, each));
    let bounds = [first, behind].map(|n| e.code.binary("arith.minui", n, all));
    Ok((Some(rank), bounds))
}

/// Registers of a producing and of a consuming thread; `None` where all keep what they have: threads that compute need
/// about as many.
fn registers(schedule: &WgmmaSchedule) -> Option<(u32, u32)> {
    let rows = roles::REGISTERS.iter().filter(|_| !schedule.expands());
    rows.into_iter().find(|r| r.0 == schedule.consumers).map(|r| (r.1, r.2))
}

fn check(e: &Emitter<'_>, schedule: &WgmmaSchedule) -> Result<(), EmitError> {
    let unfit = |why: &str| Err(e.unfit(why));
    if !(1..=3).contains(&schedule.consumers) || !schedule.tile_rows().is_multiple_of(64 * schedule.consumers) {
        return unfit("the rows of a tile are no multiple of 64 for each consumer");
    }
    if !schedule.tile_columns().is_multiple_of(8) || !(1..=256).contains(&schedule.multiplied_columns()) {
        return unfit("the columns of a tile are not what the instruction has");
    }
    let columns_fit =
        schedule.column_operand.major == Major::Steps || schedule.column_operand.element.storage_bytes() == 2;
    let by_registers = schedule.rows_in_registers();
    if !columns_fit
        || by_registers && (schedule.staged.is_some() || !schedule.products.is_empty() || blocks_each(schedule) > 2)
    {
        return unfit("an operand does not lie as the instruction has it");
    }
    if schedule.in_terms() && (schedule.staged.is_some() || schedule.products.is_empty()) {
        return unfit("sums of parts do not leave through shared memory");
    }
    if !epilogue_loads::fit(schedule)
        || !schedule.loads.is_empty() && (by_registers || schedule.in_terms() || schedule.split > 1)
    {
        return unfit("an epilogue's loads do not come through the ring like this");
    }
    if schedule.second.is_some() && (by_registers || schedule.in_terms() || schedule.split > 1) {
        return unfit("two sums have no such operands");
    }
    if schedule.expands() && !expanded::fits(schedule) {
        return unfit("an operand is not computed like this");
    }
    if schedule.stages < 2 || schedule.clusters == 0 {
        return unfit("too few stages or workgroups");
    }
    if !e.plan.early.is_empty() && !schedule.has_one_tile(e.plan) {
        return unfit("only the first tile's operands are read early");
    }
    if schedule.split > 1 && e.plan.is_sized() {
        return unfit("a cluster shares tiles of known extents only");
    }
    if schedule.split > 1 {
        let parts = u64::from(schedule.tile_rows()) * u64::from(schedule.tile_columns()) * 4;
        let single = schedule.tiles(&e.exprs.indices) == u64::from(schedule.clusters);
        let share = schedule.tile_columns() / schedule.split;
        let staged = schedule.staged.as_ref().is_none_or(|s| share.is_multiple_of(s.columns));
        if !single || !share.is_multiple_of(8) || !staged || parts > schedule.layout().staging {
            return unfit("a tile cannot be shared by a cluster like this");
        }
    }
    if schedule.layout().total > u64::from(e.target.shared_bytes_max) {
        return unfit("too much shared memory");
    }
    Ok(())
}

/// Blocks of 64 rows of a consumer.
fn blocks_each(schedule: &WgmmaSchedule) -> u32 {
    schedule.consumer_rows() / 64
}

/// What is done for a tile of a number, given what goes on from one tile to the next.
type TileBody<'f> = &'f mut dyn FnMut(&mut Emitter<'_>, Value, &[Value]) -> Result<Vec<Value>, EmitError>;

/// Runs `body` for this workgroup's tiles with a cursor that goes on from one to the next.
fn each_tile(
    e: &mut Emitter<'_>,
    frame: &Frame<'_>,
    group: Value,
    body: &mut dyn FnMut(&mut Emitter<'_>, Value, Cursor) -> Result<Cursor, EmitError>,
) -> Result<(), EmitError> {
    let cursor = Cursor::first(&mut e.code);
    each_tile_from(e, frame, (group, &cursor.values()), &mut |e, number, at| {
        let Some(at) = Cursor::of(at) else { return Err(e.malformed("a loop lost its cursor")) };
        Ok(body(e, number, at)?.values().to_vec())
    })
}

/// The same with other values that go on.
fn each_tile_from(
    e: &mut Emitter<'_>,
    frame: &Frame<'_>,
    (group, start): (Value, &[Value]),
    body: TileBody<'_>,
) -> Result<(), EmitError> {
    let end = match frame.counts {
        Some(counts) => counts.tiles,
        None => {
            let tiles = frame.schedule.tiles(&e.exprs.indices) as i64;
            if tiles <= i64::from(frame.schedule.clusters) {
                body(e, group, start)?;
                return Ok(());
            }
            e.code.int(I32, tiles)
        }
    };
    let step = e.code.int(I32, i64::from(frame.schedule.clusters));
    let open = e.code.begin_for(group, end, step, start);
    let carried = open.carried.clone();
    let next = body(e, open.iv, &carried)?;
    e.code.end_for(open, &next);
    Ok(())
}

fn producer(e: &mut Emitter<'_>, frame: &Frame<'_>, place: Place, group: Value) -> Result<(), EmitError> {
    if frame.schedule.expands() {
        let fetches = e.code.cmp_ik("eq", place.warpgroup, i64::from(frame.schedule.consumers));
        e.code.begin_if(fetches, &[]);
        expand(e, frame, (place, true), group)?;
        e.code.begin_else(&[]);
        expand(e, frame, (place, false), group)?;
        e.code.end_if(&[]);
    } else {
        copy_all(e, frame, place, group)?;
    }
    if frame.rank.is_some() {
        exchange::attend(e);
    }
    Ok(())
}

/// A warpgroup fetches what an operand is computed of, or computes it.
fn expand(
    e: &mut Emitter<'_>,
    frame: &Frame<'_>,
    (place, fetches): (Place, bool),
    group: Value,
) -> Result<(), EmitError> {
    let none = e.code.int(I32, 0);
    each_tile_from(e, frame, (group, &[none]), &mut |e, number, count| {
        let tile = tiles::bind_tile(e, frame, number)?;
        Ok(vec![expanded::produce(e, frame, (place, fetches), &tile, count[0])?])
    })
}

/// One thread copies.
fn copy_all(e: &mut Emitter<'_>, frame: &Frame<'_>, place: Place, group: Value) -> Result<(), EmitError> {
    let first_warp = e.code.cmp_ik("eq", place.warp_in_group, 0);
    let first_lane = e.code.cmp_ik("eq", place.lane, 0);
    let one = e.code.and(first_warp, first_lane);
    e.code.begin_if(one, &[]);
    if e.plan.early.is_empty() {
        each_tile(e, frame, group, &mut |e, number, cursor| {
            tiles::bind_tile(e, frame, number)?;
            let cursor = main_loop::produce(e, frame, cursor)?;
            epilogue_loads::produce(e, frame, cursor)
        })?;
    } else {
        tiles::bind_tile(e, frame, group)?;
        let cursor = main_loop::produce_early(e, frame)?;
        epilogue_loads::produce(e, frame, cursor)?;
    }
    e.code.end_if(&[]);
    Ok(())
}

fn consumer(e: &mut Emitter<'_>, frame: &Frame<'_>, place: Place, group: Value) -> Result<(), EmitError> {
    let by_registers = frame.schedule.rows_in_registers();
    let descriptors = if by_registers { None } else { Some(main_loop::descriptors(e, frame, place.warpgroup)) };
    let releases = e.code.cmp_ik("eq", place.lane, 0);
    each_tile(e, frame, group, &mut |e, number, cursor| {
        let tile = tiles::bind_tile(e, frame, number)?;
        let (cursor, sums) = match descriptors {
            None => fragments::consume(e, frame, place, releases, cursor)?,
            Some(both) if frame.schedule.products.is_empty() => main_loop::consume(e, frame, both, releases, cursor)?,
            Some(both) => promote::consume(e, frame, both, releases, cursor)?,
        };
        let sums = match frame.rank {
            Some(rank) => exchange::add_up(e, frame, place, rank, &sums),
            None => epilogue::settle(e, frame, sums),
        };
        let finished = Finished { place, tile: &tile, sums: &sums };
        if !frame.schedule.in_terms() {
            return epilogue::store(e, frame, &finished, cursor);
        }
        let again = exact::is_needed(e, &sums);
        let first = epilogue::first(e, frame, place);
        e.code.begin_if(again, &[]);
        exact::store(e, frame, &tile, first)?;
        e.code.begin_else(&[]);
        epilogue::store(e, frame, &finished, cursor)?;
        e.code.end_if(&[]);
        Ok(cursor)
    })?;
    if frame.schedule.staged.is_some() {
        let leads = epilogue::leads(e, place);
        e.code.begin_if(leads, &[]);
        bulk::wait_stores(&mut e.code, 0);
        e.code.end_if(&[]);
    }
    Ok(())
}

/// The family's row.
pub const FAMILY: Family = Family {
    name: "wgmma",
    demanded: true,
    tries: &[Try {
        name: "wgmma",
        applies: |plan| !has_own(plan),
        choose: |plan, asked| {
            let (schedule, cycles) = match plan.body {
                Body::Products(_) => pair::choose(plan, asked.target)?,
                _ => candidates::choose(plan, asked.target, asked.rival)?,
            };
            Ok(Offer::new(schedule, cycles))
        },
        costs: |plan, target| match plan.body {
            Body::Products(_) => pair::candidates(plan, target).into_iter().map(|(c, plan)| (plan.way(), c)).collect(),
            _ => candidates::costs(plan, target),
        },
    }],
    candidates: Some(|plan, target| match plan.body {
        Body::Products(_) => pair::candidates(plan, target).into_iter().map(|(_, plan)| plan).collect(),
        _ => candidates::candidates(plan, target),
    }),
    named: None,
    together: Some(together::predicted),
    side_by_side: None,
    emit: write,
};

/// Writes a kernel that has one of the family's schedules.
fn write(e: &mut Emitter<'_>) -> Option<Result<(), EmitError>> {
    let plan = e.plan;
    let (Body::Contraction { .. } | Body::Products(_)) = &plan.body else { return None };
    Some(emit(e, plan.schedule_as::<WgmmaSchedule>()?))
}
