//! Loop kernels on CPUs whose loads run along another variable than their stores: transposes and what is fused with
//! them.
//!
//! A square of lanes × lanes elements at a time: vectors are loaded along the loads' variable, transposed in registers
//! by exchanging halves, quarters and so on of pairs of them, and every value is then computed and stored along the
//! last variable. Squares at the end of an extent overlap those before. The launch is the loop schedule's own; a
//! workgroup takes its share of the squares.
//!
//! Worked example: a packed copy out[k, n] of in[n, k], [768, 48] f32 on AVX-512: 48 · 3 squares of 16 × 16; in each 16
//! loads along k, 64 shuffles, 16 stores along n; element by element it would be 256 loads and 240 insertions.

use crate::loop_schedule::LoopSchedule;
use fornax_plan::{Node, NodeId, Store, VarId};

use fornax_emit::blocks::transpose_square::transpose_square;
use fornax_emit::emitter::{Binding, Emitter};
use fornax_emit::errors::EmitError;
use fornax_emit::text::Value;

/// Lanes of a square's side, at most: 16 vectors and as many more fit 32 registers.
const SIDE_MAX: i64 = 16;

/// What is transposed.
pub struct Squares {
    /// The variable that loads run along; stores run along the domain's last.
    along: VarId,
    last: VarId,
    others: Vec<VarId>,
    side: i64,
    /// Loads that step by one along `along` and by more along `last`.
    crossing: Vec<NodeId>,
}

/// The squares of a plan, if its accesses cross.
pub fn find(e: &mut Emitter<'_>, stores: &[Store]) -> Option<Squares> {
    let (&last, rest) = e.plan.domain.split_last()?;
    // Squares overlap: an element computed twice must not find its own result.
    if e.plan.is_in_place() {
        return None;
    }
    let exprs = e.exprs;
    let roots: Vec<NodeId> = stores.iter().map(|s| s.value).collect();
    let reachable = e.reachable(&roots);
    let strides = |node: NodeId, var: VarId| match exprs.node(node) {
        Node::Load { offset, .. } => exprs.indices.stride(*offset, var),
        _ => None,
    };
    let crosses = |node: NodeId, var: VarId| {
        strides(node, var) == Some(1) && strides(node, last).is_some_and(|step| step.abs() > 1)
    };
    let along = rest.iter().copied().find(|&v| reachable.iter().any(|&n| crosses(n, v)))?;
    let crossing: Vec<NodeId> = reachable.into_iter().filter(|&n| crosses(n, along)).collect();
    // A mask or an index that changes inside of a square is another matter.
    let fixed = crossing.iter().all(|&node| {
        let mask = exprs.operands(node);
        mask.iter().all(|&m| !exprs.node_varies(m, along) && !exprs.node_varies(m, last))
            && exprs.index_of(node).is_some_and(|i| through_values(e, i, &[along, last]))
    });
    let contiguous = stores.iter().all(|s| exprs.indices.stride(s.offset, last) == Some(1));
    let bytes = crossing.iter().map(|&n| exprs.element(n).storage_bytes() as i64).max()?;
    let side = (i64::from(e.target.vector_bytes) / bytes.max(1)).min(SIDE_MAX);
    let large = exprs.indices.extent(along) >= side && exprs.indices.extent(last) >= side;
    let others = rest.iter().copied().filter(|&v| v != along).collect();
    (fixed && contiguous && large && side >= 4).then_some(Squares { along, last, others, side, crossing })
}

/// The index depends on the variables only directly, not by loaded values.
fn through_values(e: &Emitter<'_>, index: fornax_plan::IndexId, vars: &[VarId]) -> bool {
    let indices = &e.exprs.indices;
    indices.linear(index).terms.iter().flat_map(|t| indices.factors(t.0)).all(|atom| match indices.atom(atom) {
        fornax_plan::Atom::Value { node, .. } => vars.iter().all(|&v| !e.exprs.node_varies(node, v)),
        _ => true,
    })
}

/// Emits the body.
pub fn emit(e: &mut Emitter<'_>, stores: &[Store], schedule: LoopSchedule, squares: &Squares) -> Result<(), EmitError> {
    let extent = |e: &Emitter<'_>, v: VarId| e.exprs.indices.extent(v);
    let count = |extent: i64| (extent + squares.side - 1) / squares.side;
    let (rows, columns) = (count(extent(e, squares.along)), count(extent(e, squares.last)));
    let total = squares.others.iter().map(|&v| extent(e, v)).product::<i64>() * rows * columns;
    let items = e.plan.loop_items(schedule.vector) as i64;
    let groups = ((items + i64::from(schedule.items_per_thread) - 1) / i64::from(schedule.items_per_thread)).max(1);
    let share = (total + groups - 1) / groups;
    let ty = e.index_ty();
    let group = e.abi.workgroup_id(&mut e.code, ty.scalar);
    let (low, high) = e.share_of_workgroup(group, share, total);
    let one = e.code.int(ty, 1);
    let open = e.code.begin_for(low, high, one, &[]);
    let mut rest = open.iv;
    let mut next = |e: &mut Emitter<'_>, count: i64| e.next_digit(&mut rest, count);
    let column = next(e, columns);
    let row = next(e, rows);
    for &var in squares.others.iter().rev() {
        let number = next(e, extent(e, var));
        e.bind(var, Some(number), 1, 0);
    }
    let start = |e: &mut Emitter<'_>, number: Value, extent: i64| {
        let start = e.code.int_k("arith.muli", number, squares.side);
        let limit = e.code.int(start.ty, extent - squares.side);
        if extent % squares.side == 0 { start } else { e.code.binary("arith.minsi", start, limit) }
    };
    let (row_extent, column_extent) = (extent(e, squares.along), extent(e, squares.last));
    let (row, column) = (start(e, row, row_extent), start(e, column, column_extent));
    square(e, stores, squares, row, column)?;
    e.code.end_for(open, &[]);
    Ok(())
}

/// One square from its loads to its stores.
fn square(
    e: &mut Emitter<'_>,
    stores: &[Store],
    squares: &Squares,
    row: Value,
    column: Value,
) -> Result<(), EmitError> {
    let Squares { along, last, side, .. } = *squares;
    let lanes = side as u32;
    let mut transposed: Vec<(NodeId, Vec<Value>)> = Vec::new();
    e.lanes = lanes;
    e.bind_lanes(along, Some(row), 1, 0);
    let across: Vec<Option<Binding>> = (0..side)
        .map(|at| {
            e.bind(last, Some(column), 1, at);
            e.binding(last)
        })
        .collect();
    for &node in &squares.crossing {
        let mut vectors = Vec::with_capacity(lanes as usize);
        for &binding in across.iter().flatten() {
            e.rebind(last, binding);
            let value = e.eval(node)?;
            vectors.push(e.code.spread(value, lanes));
        }
        transposed.push((node, transpose_square(e, vectors)));
    }
    e.bind_lanes(last, Some(column), 1, 0);
    for at in 0..side {
        e.bind(along, Some(row), 1, at);
        for (node, vectors) in &transposed {
            let value = vectors.get(at as usize).copied().ok_or_else(|| e.malformed("a square lacks a vector"))?;
            e.provide(*node, value);
        }
        let values = stores.iter().map(|s| e.eval(s.value)).collect::<Result<Vec<_>, _>>()?;
        for (store, value) in stores.iter().zip(values) {
            e.store(store.buffer, store.offset, value)?;
        }
    }
    Ok(())
}
