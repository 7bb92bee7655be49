//! Contractions on GPUs whose workgroup computes one rectangle of outputs: both operands pass through shared memory.
//!
//! Where a workgroup's tiles can be laid out as a rectangle of `down` × `across` threads, its threads together evaluate
//! the operands of a block of contraction steps, once each, into shared memory, and every thread reads its rows and
//! columns from there. Two buffers alternate: the next block is fetched while the present one is multiplied, with one
//! barrier a block. An operand may be any expression (a padded image, a conversion): it is evaluated where it is
//! staged. The launch is the schedule's own; where rectangle or block do not divide the extents, `tile` does the work.
//!
//! Worked example: [4096, 4096]·[4096, 4096] f32, 8 rows × 2 vectors of 4 a thread, 256 threads as 16 × 16: rectangles
//! of 128 × 128, blocks of 16 steps: 2 · 2 · 16 · 132 floats of shared memory; a thread fetches 2 + 2 vectors a block
//! and multiplies 1024 pairs.

use fornax_emit::blocks::tile_schedule::TileSchedule;
use fornax_graph::ElementType;
use fornax_plan::{Body, Node, NodeId, VarId};

use fornax_emit::blocks::product::multiply_add;
use fornax_emit::emitter::{Binding, Emitter, Slot};
use fornax_emit::errors::EmitError;
use fornax_emit::order::in_order;
use fornax_emit::text::{Scalar, Ty, Value};

/// Contraction steps of a block, best first.
const BLOCKS: &[i64] = &[16, 8];
/// Elements between two steps in shared memory beyond those of a step: spreads columns over the banks.
const PADDING: i64 = 4;
/// Elements that a thread keeps in registers between fetching and staging, at most.
const FETCHED_MAX: i64 = 32;
/// Steps of a block whose reads and products LLVM may mix on AMD: left all of them, it reads the whole block first and
/// spills (gfx900).
const STEPS_TOGETHER: i64 = 4;

/// A domain variable: its tiles.
#[derive(Clone, Copy)]
struct Axis {
    var: VarId,
    step: i64,
    tiles: i64,
}

/// One operand: the outputs it varies with, and how it is fetched.
struct Side {
    node: NodeId,
    axes: Vec<Axis>,
    /// Position in `axes` of the variable that a tile covers several elements of.
    wide: usize,
    /// Elements of a tile, and of a vector of them.
    covered: i64,
    lanes: i64,
    /// Tiles of a workgroup.
    tiles: i64,
    /// Lanes of one fetch, and whether they lie along the contraction (else along the wide variable).
    fetch: i64,
    inside: bool,
}

/// How a workgroup's rectangle lies in the domain.
pub struct Staged {
    element: ElementType,
    rows: Side,
    columns: Side,
    batch: Vec<Axis>,
    /// Contraction variables with their extents; the last is cut into blocks.
    reduction: Vec<(VarId, i64)>,
    block: i64,
    threads: i64,
}

/// One fetch of a thread: where it goes in a buffer, its outputs, its step within a block.
struct Fetch {
    slot: Value,
    bindings: Vec<(VarId, Binding)>,
    step: Value,
}

impl Side {
    /// Outputs of a workgroup.
    fn extent(&self) -> i64 {
        self.tiles * self.covered
    }

    /// Elements from one step to the next in shared memory.
    fn pitch(&self) -> i64 {
        self.extent() + PADDING
    }
}

/// The rectangle for a plan, if there is one.
pub fn find(e: &mut Emitter<'_>, schedule: &TileSchedule) -> Option<Staged> {
    let plan = e.plan;
    let Body::Contraction { reduction, lhs, rhs, accumulator, .. } = &plan.body else { return None };
    let (vector, lanes) = schedule.vector.filter(|(v, n)| *n > 1 && plan.domain.contains(v))?;
    let threads = i64::from(schedule.tile_threads);
    if !plan.has_static_loops()
        || !e.abi.is_gpu()
        || schedule.reduce_threads != 1
        || threads < 64
        || !schedule.tile_threads.is_power_of_two()
    {
        return None;
    }
    let (row_node, column_node) = match (e.depends_on(*lhs, vector), e.depends_on(*rhs, vector)) {
        (false, true) => (*lhs, *rhs),
        (true, false) => (*rhs, *lhs),
        _ => return None,
    };
    let mut axes: [Vec<Axis>; 3] = Default::default();
    for &var in &plan.domain {
        let (extent, step) = (plan.exprs.indices.extent(var), schedule.tile_extent(var) as i64);
        if extent % step != 0 {
            return None;
        }
        let of = match (e.depends_on(row_node, var), e.depends_on(column_node, var)) {
            (true, false) => 0,
            (false, true) => 1,
            _ => 2,
        };
        axes[of].push(Axis { var, step, tiles: extent / step });
    }
    let [rows, columns, batch] = axes;
    let wide_rows = rows.iter().position(|a| a.step > 1).unwrap_or(rows.len().checked_sub(1)?);
    let wide_columns = columns.iter().position(|a| a.var == vector)?;
    let single = |axes: &[Axis], wide: usize| axes.iter().enumerate().all(|(at, a)| at == wide || a.step == 1);
    if !single(&rows, wide_rows) || !single(&columns, wide_columns) || batch.iter().any(|a| a.step != 1) {
        return None;
    }
    let reduction: Vec<(VarId, i64)> = reduction.iter().map(|&v| (v, plan.exprs.indices.extent(v))).collect();
    let inner = reduction.last()?.1;
    let bytes = accumulator.storage_bytes().max(4) as i64;
    for &block in BLOCKS.iter().filter(|&&b| inner % b == 0 && inner >= 2 * b) {
        let best = (0..=threads.ilog2())
            .filter_map(|power| {
                let across = 1i64 << power;
                let side = |e: &mut Emitter<'_>, node, axes: &[Axis], wide: usize, lanes, tiles| {
                    let covered = axes[wide].step;
                    let side = Side { node, axes: axes.to_vec(), wide, covered, lanes, tiles, fetch: 1, inside: true };
                    fetching(e, side, reduction.last()?.0, block, threads, bytes)
                };
                let columns = side(e, column_node, &columns, wide_columns, i64::from(lanes), across)?;
                let rows = side(e, row_node, &rows, wide_rows, 1, threads / across)?;
                let shared = 2 * block * (rows.pitch() + columns.pitch()) * bytes;
                (shared <= i64::from(e.target.static_shared_bytes_max)).then_some((rows, columns))
            })
            .min_by_key(|(rows, columns)| rows.extent() + columns.extent());
        if let Some((rows, columns)) = best {
            return Some(Staged { element: *accumulator, rows, columns, batch, reduction, block, threads });
        }
    }
    None
}

/// How a side's block is fetched; `None` where its tiles or the threads do not divide.
fn fetching(e: &mut Emitter<'_>, mut side: Side, inner: VarId, block: i64, threads: i64, bytes: i64) -> Option<Side> {
    let all: i64 = side.axes.iter().map(|a| a.tiles).product();
    if all % side.tiles != 0 {
        return None;
    }
    let exprs = e.exprs;
    let wide = side.axes[side.wide].var;
    let steps = |var: VarId| {
        move |node: &NodeId| match exprs.node(*node) {
            Node::Load { offset, .. } => exprs.indices.stride(*offset, var) == Some(1),
            _ => false,
        }
    };
    let reachable = e.reachable(&[side.node]);
    side.inside = reachable.iter().any(steps(inner)) || !reachable.iter().any(steps(wide));
    let most = (16 / bytes).max(1);
    let contiguous = if side.inside {
        reachable.iter().any(steps(inner))
    } else {
        side.covered % most == 0 && (side.lanes == 1 || side.lanes % most == 0)
    };
    let elements = side.extent() * block;
    side.fetch = if contiguous && elements % (most * threads) == 0 { most } else { 1 };
    let each = elements / threads;
    (elements % (side.fetch * threads) == 0 && each <= FETCHED_MAX).then_some(side)
}

/// Emits the kernel.
pub fn emit(e: &mut Emitter<'_>, staged: &Staged) -> Result<(), EmitError> {
    let index = e.index;
    let scalar = e.register_scalar(staged.element)?;
    let thread = e.abi.thread_id(&mut e.code);
    let mut group = e.abi.workgroup_id(&mut e.code, index);
    let column_block = e.next_digit(&mut group, blocks(&staged.columns));
    let row_block = e.next_digit(&mut group, blocks(&staged.rows));
    for axis in staged.batch.iter().rev() {
        let number = e.next_digit(&mut group, axis.tiles);
        e.bind(axis.var, Some(number), 1, 0);
    }
    let sides = [(&staged.rows, row_block), (&staged.columns, column_block)];
    let mut fetches = Vec::new();
    let mut arrays = Vec::new();
    for (side, number) in sides {
        fetches.push(fetch_list(e, staged, side, number, thread));
        let elements = 2 * staged.block * side.pitch();
        arrays.push(e.abi.shared_array(&mut e.code, scalar, elements as u64));
    }
    let across = e.code.int_k("arith.remui", thread, staged.columns.tiles);
    let down = e.code.int_k("arith.divui", thread, staged.columns.tiles);
    let starts = [
        e.code.int_k("arith.muli", down, staged.rows.covered),
        e.code.int_k("arith.muli", across, staged.columns.lanes),
    ];

    let ty = e.index_ty();
    let steps = staged.reduction.iter().map(|r| r.1).product::<i64>() / staged.block;
    let zero = e.code.int(ty, 0);
    let fetched = fetch(e, staged, &fetches, zero)?;
    write(e, staged, &fetches, &arrays, &fetched, zero)?;
    e.abi.barrier(&mut e.code);
    let accumulator = Ty::vector(scalar, staged.columns.lanes as u32);
    let (vectors, rows) = (staged.columns.covered / staged.columns.lanes, staged.rows.covered);
    let cleared = e.code.bits(accumulator, 0);
    let inits = vec![cleared; (rows * vectors) as usize];
    let (one, high) = (e.code.int(ty, 1), e.code.int(ty, steps));
    let open = e.code.begin_for(zero, high, one, &inits);
    let present = e.code.and_k(open.iv, 1);
    let last = e.code.int(ty, steps - 1);
    let next = e.code.add_ik(open.iv, 1);
    let next = e.code.binary("arith.minsi", next, last);
    let fetched = fetch(e, staged, &fetches, next)?;
    let sums = multiply(e, staged, &arrays, &starts, present, open.carried.clone())?;
    let other = e.code.int_k("arith.xori", present, 1);
    write(e, staged, &fetches, &arrays, &fetched, other)?;
    e.abi.barrier(&mut e.code);
    let sums = e.code.end_for(open, &sums);
    store(e, staged, sides.map(|s| s.1), [down, across], &sums)
}

/// Workgroups along a side.
fn blocks(side: &Side) -> i64 {
    side.axes.iter().map(|a| a.tiles).product::<i64>() / side.tiles
}

/// First elements of a tile, by axis, from its number along a side.
fn tile_starts(e: &mut Emitter<'_>, side: &Side, number: Value) -> Vec<Value> {
    let mut rest = number;
    let mut starts: Vec<Value> = side
        .axes
        .iter()
        .rev()
        .map(|axis| {
            let number = e.next_digit(&mut rest, axis.tiles);
            e.code.int_k("arith.muli", number, axis.step)
        })
        .collect();
    starts.reverse();
    starts
}

/// What this thread fetches of every block of a side.
fn fetch_list(e: &mut Emitter<'_>, staged: &Staged, side: &Side, block: Value, thread: Value) -> Vec<Fetch> {
    let (along_steps, along_outputs) = if side.inside { (side.fetch, 1) } else { (1, side.fetch) };
    let step_groups = staged.block / along_steps;
    let output_groups = side.extent() / along_outputs;
    let count = step_groups * output_groups / staged.threads;
    let first_tile = e.code.int_k("arith.muli", block, side.tiles);
    e.lanes = side.fetch as u32;
    (0..count)
        .map(|at| {
            let mut group = e.code.add_ik(thread, at * staged.threads);
            // The direction of the lanes is the fast one: neighbouring threads read neighbouring memory.
            let (step, output) = if side.inside {
                (e.next_digit(&mut group, step_groups), group)
            } else {
                let output = e.next_digit(&mut group, output_groups);
                (group, output)
            };
            let step = e.code.int_k("arith.muli", step, along_steps);
            let output = e.code.int_k("arith.muli", output, along_outputs);
            let tile = e.code.int_k("arith.divui", output, side.covered);
            let inner = e.code.int_k("arith.remui", output, side.covered);
            let slot = slot(e, side, tile, inner, step);
            let (tile, inner) = (e.code.resize_u(tile, e.index), e.code.resize_u(inner, e.index));
            let number = e.code.add_i(first_tile, tile);
            let starts = tile_starts(e, side, number);
            let mut bindings = Vec::new();
            for (position, (axis, start)) in side.axes.iter().zip(starts).enumerate() {
                let wide = position == side.wide;
                let base = if wide { e.code.add_i(start, inner) } else { start };
                if wide && !side.inside && side.fetch > 1 {
                    e.bind_lanes(axis.var, Some(base), side.fetch, 0);
                } else {
                    e.bind(axis.var, Some(base), 1, 0);
                }
                bindings.extend(e.binding(axis.var).map(|b| (axis.var, b)));
            }
            let step = e.code.resize_u(step, e.index);
            Fetch { slot, bindings, step }
        })
        .collect()
}

/// Place of an element in a buffer: the vectors of all threads are adjacent, so that neighbouring threads read
/// neighbouring banks.
fn slot(e: &mut Emitter<'_>, side: &Side, tile: Value, inner: Value, step: Value) -> Value {
    let vector = e.code.int_k("arith.divui", inner, side.lanes);
    let lane = e.code.int_k("arith.remui", inner, side.lanes);
    let place = if side.lanes == 1 {
        let start = e.code.int_k("arith.muli", tile, side.covered);
        e.code.add_i(start, inner)
    } else {
        let start = e.code.int_k("arith.muli", vector, side.tiles * side.lanes);
        let tile_at = e.code.int_k("arith.muli", tile, side.lanes);
        let place = e.code.add_i(start, tile_at);
        e.code.add_i(place, lane)
    };
    let row = e.code.int_k("arith.muli", step, side.pitch());
    e.code.add_i(row, place)
}

/// Evaluates this thread's part of both operands at a block.
fn fetch(
    e: &mut Emitter<'_>,
    staged: &Staged,
    lists: &[Vec<Fetch>],
    block: Value,
) -> Result<Vec<Vec<Value>>, EmitError> {
    let mut rest = block;
    let mut inner = None;
    for (at, &(var, extent)) in staged.reduction.iter().enumerate().rev() {
        if at + 1 == staged.reduction.len() {
            let number = e.next_digit(&mut rest, extent / staged.block);
            inner = Some((var, e.code.int_k("arith.muli", number, staged.block)));
        } else {
            let number = e.next_digit(&mut rest, extent);
            e.bind(var, Some(number), 1, 0);
        }
    }
    let Some((inner, start)) = inner else { return Err(e.malformed("a contraction over nothing")) };
    let mut all = Vec::new();
    for (side, list) in [&staged.rows, &staged.columns].into_iter().zip(lists) {
        e.lanes = side.fetch as u32;
        let mut values = Vec::new();
        for fetch in list {
            for &(var, binding) in &fetch.bindings {
                e.rebind(var, binding);
            }
            let base = e.code.add_i(start, fetch.step);
            if side.inside && side.fetch > 1 {
                e.bind_lanes(inner, Some(base), side.fetch, 0);
            } else {
                e.bind(inner, Some(base), 1, 0);
            }
            let value = e.eval(side.node)?;
            values.push(e.code.spread(value, side.fetch as u32));
        }
        all.push(values);
    }
    Ok(all)
}

/// Writes what was fetched to a buffer.
fn write(
    e: &mut Emitter<'_>,
    staged: &Staged,
    lists: &[Vec<Fetch>],
    arrays: &[Value],
    fetched: &[Vec<Value>],
    buffer: Value,
) -> Result<(), EmitError> {
    let sides = [&staged.rows, &staged.columns];
    for (((side, list), &array), values) in sides.into_iter().zip(lists).zip(arrays).zip(fetched) {
        let start = buffer_start(e, staged, side, array, buffer)?;
        for (fetch, &value) in list.iter().zip(values) {
            let pointer = element(e, start, fetch.slot, value.ty.scalar);
            if side.inside {
                for lane in 0..side.fetch {
                    let part = e.code.extract(value, lane as u32);
                    let pointer = element_at(e, pointer, lane * side.pitch(), value.ty.scalar);
                    store_shared(e, part, pointer);
                }
            } else {
                store_shared(e, value, pointer);
            }
        }
    }
    Ok(())
}

/// Pointer to a buffer of an array; the buffer is 0 or 1.
fn buffer_start(
    e: &mut Emitter<'_>,
    staged: &Staged,
    side: &Side,
    array: Value,
    buffer: Value,
) -> Result<Value, EmitError> {
    let scalar = e.register_scalar(staged.element)?;
    let buffer = e.code.resize_u(buffer, Scalar::I32);
    let start = e.code.int_k("arith.muli", buffer, staged.block * side.pitch());
    Ok(element(e, array, start, scalar))
}

fn element(e: &mut Emitter<'_>, base: Value, at: Value, scalar: Scalar) -> Value {
    e.code.pure(
        base.ty,
        format!("llvm.getelementptr inbounds {base}[{at}] : ({}, {}) -> {}, {scalar}", base.ty, at.ty, base.ty),
    )
}

fn element_at(e: &mut Emitter<'_>, base: Value, at: i64, scalar: Scalar) -> Value {
    if at == 0 {
        return base;
    }
    e.code.pure(base.ty, format!("llvm.getelementptr inbounds {base}[{at}] : ({}) -> {}, {scalar}", base.ty, base.ty))
}

/// Bytes that a vector in shared memory is aligned to: places of vectors are multiples of their lanes.
fn alignment(ty: Ty) -> u32 {
    let bytes = ty.scalar.bits() / 8;
    if ty.lanes.is_power_of_two() { (bytes * ty.lanes).min(16) } else { bytes }
}

fn store_shared(e: &mut Emitter<'_>, value: Value, pointer: Value) {
    let text = format!(
        "llvm.store {value}, {pointer} {{alignment = {} : i64}} : {}, {}",
        alignment(value.ty),
        value.ty,
        pointer.ty
    );
    e.code.line(&text);
}

fn load_shared(e: &mut Emitter<'_>, pointer: Value, ty: Ty) -> Value {
    e.code.effect(ty, &format!("llvm.load {pointer} {{alignment = {} : i64}} : {} -> {ty}", alignment(ty), pointer.ty))
}

/// All products of a staged block.
fn multiply(
    e: &mut Emitter<'_>,
    staged: &Staged,
    arrays: &[Value],
    starts: &[Value; 2],
    buffer: Value,
    mut sums: Vec<Value>,
) -> Result<Vec<Value>, EmitError> {
    let scalar = e.register_scalar(staged.element)?;
    let (rows, columns) = (&staged.rows, &staged.columns);
    let row_buffer = buffer_start(e, staged, rows, arrays[0], buffer)?;
    let column_buffer = buffer_start(e, staged, columns, arrays[1], buffer)?;
    let row_base = element(e, row_buffer, starts[0], scalar);
    let column_base = element(e, column_buffer, starts[1], scalar);
    let width = (16 * 8 / i64::from(scalar.bits())).max(1);
    let width = if rows.covered % width == 0 { width } else { 1 };
    let vector = Ty::vector(scalar, columns.lanes as u32);
    let vectors = columns.covered / columns.lanes;
    for step in 0..staged.block {
        if step > 0 && step % STEPS_TOGETHER == 0 {
            in_order(e);
        }
        let mut left = Vec::new();
        for at in (0..rows.covered).step_by(width as usize) {
            let pointer = element_at(e, row_base, step * rows.pitch() + at, scalar);
            let loaded = load_shared(e, pointer, Ty::vector(scalar, width as u32));
            left.extend((0..width).map(|lane| e.code.extract(loaded, lane as u32)));
        }
        for at in 0..vectors {
            let offset = step * columns.pitch() + at * columns.tiles * columns.lanes;
            let pointer = element_at(e, column_base, offset, scalar);
            let right = load_shared(e, pointer, vector);
            for (row, &left) in left.iter().enumerate() {
                let sum = &mut sums[row * vectors as usize + at as usize];
                *sum = multiply_add(e, staged.element, left, right, *sum)?;
            }
        }
    }
    Ok(sums)
}

/// The stores of this thread's outputs.
fn store(
    e: &mut Emitter<'_>,
    staged: &Staged,
    blocks: [Value; 2],
    places: [Value; 2],
    sums: &[Value],
) -> Result<(), EmitError> {
    let mut starts = Vec::new();
    for ((side, block), place) in [&staged.rows, &staged.columns].into_iter().zip(blocks).zip(places) {
        let first = e.code.int_k("arith.muli", block, side.tiles);
        let place = e.code.resize_u(place, e.index);
        let number = e.code.add_i(first, place);
        starts.push(tile_starts(e, side, number));
    }
    let (rows, columns) = (&staged.rows, &staged.columns);
    let vectors = columns.covered / columns.lanes;
    e.lanes = columns.lanes as u32;
    for (axis, &start) in rows.axes.iter().zip(&starts[0]) {
        e.bind(axis.var, Some(start), axis.step, 0);
    }
    for (axis, &start) in columns.axes.iter().zip(&starts[1]) {
        e.bind(axis.var, Some(start), axis.step, 0);
    }
    for row in 0..rows.covered {
        e.bind(rows.axes[rows.wide].var, Some(starts[0][rows.wide]), rows.covered, row);
        for at in 0..vectors {
            let column = columns.axes[columns.wide].var;
            e.bind_lanes(column, Some(starts[1][columns.wide]), columns.covered, at * columns.lanes);
            e.set_slot(Slot::Reduced(0), sums[(row * vectors + at) as usize]);
            let stores = e.plan.body.stores();
            let values = stores.iter().map(|s| e.eval(s.value)).collect::<Result<Vec<_>, _>>()?;
            for (store, value) in stores.iter().zip(values) {
                e.store(store.buffer, store.offset, value)?;
            }
        }
    }
    Ok(())
}
