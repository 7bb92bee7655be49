//! Loop kernels on GPUs whose loads and stores run along different variables: transposes and what is fused with them.
//!
//! A workgroup takes a rectangle instead of a stretch of the last variable: eight neighbouring lanes run along the loads'
//! variable and four groups of them along the stores', so that both sides move whole 32-byte sectors. No shared memory:
//! every element is still read where it is used. The launch is the loop schedule's own; the rectangles take the place of its
//! items where they divide the extents, else this file stands aside.
//!
//! Worked example: transpose of [4096, 4096] f32, 256 threads, 4 elements a thread: a workgroup takes 32 × 32 elements; a
//! thread reads 4 rows at one column, together with 7 neighbours 4 · 32 bytes, and writes 16 bytes, together with 3 others 64.

use fornax_plan::{LoopSchedule, Node, Store, VarId};

use super::emitter::Emitter;
use super::text::Value;
use crate::errors::EmitError;

/// Lanes of a subgroup along the loads' variable.
const ALONG_LOADS: i64 = 8;
/// Groups of such lanes along the stores' variable in 32 threads; twice as many in a workgroup.
const ALONG_STORES: i64 = 4;

/// How a workgroup's rectangle lies in the domain.
pub struct Crossed {
    /// Position in the domain of the variable that loads run along.
    loads_at: usize,
    /// Elements of a thread along the last variable.
    lanes: i64,
    /// Elements of a thread along the loads' variable.
    repeats: i64,
    /// Threads along the loads' variable.
    rows: i64,
}

/// The rectangle for a plan, if its accesses cross and the extents allow it.
pub fn find(e: &mut Emitter<'_>, stores: &[Store], schedule: LoopSchedule) -> Option<Crossed> {
    let (&last, others) = e.plan.domain.split_last()?;
    let roots: Vec<_> = stores.iter().map(|s| s.value).collect();
    let indices = &e.plan.exprs.indices;
    let contiguous = stores.iter().all(|s| indices.stride(s.offset, last) == Some(1));
    let crossing = |var: VarId, node: &Node| match node {
        Node::Load { offset, .. } => {
            let across = indices.stride(*offset, last);
            indices.stride(*offset, var) == Some(1) && across.is_some_and(|s| s.abs() > 1)
        }
        _ => false,
    };
    let reachable = e.reachable(&roots);
    let exprs = e.exprs;
    let loads_at = (0..others.len()).find(|&at| reachable.iter().any(|&n| crossing(others[at], exprs.node(n))))?;
    let (lanes, repeats) = match (i64::from(schedule.vector), i64::from(schedule.items_per_thread)) {
        (1, items @ (1 | 2 | 4)) => (items, 1),
        (1, _) => return None,
        (vector, items) => (vector, items),
    };
    let threads = i64::from(schedule.threads);
    if !contiguous || threads % (2 * ALONG_LOADS * ALONG_STORES) != 0 {
        return None;
    }
    let crossed = Crossed { loads_at, lanes, repeats, rows: threads / (2 * ALONG_STORES) };
    let divides =
        indices.extent(last) % crossed.width() == 0 && indices.extent(others[loads_at]) % crossed.height() == 0;
    divides.then_some(crossed)
}

impl Crossed {
    /// Elements of a rectangle along the last variable.
    fn width(&self) -> i64 {
        2 * ALONG_STORES * self.lanes
    }

    /// Elements of a rectangle along the loads' variable.
    fn height(&self) -> i64 {
        self.rows * self.repeats
    }
}

/// Emits the body.
pub fn emit(e: &mut Emitter<'_>, stores: &[Store], crossed: &Crossed) -> Result<(), EmitError> {
    let index = e.index;
    let domain = &e.plan.domain;
    let last_at = domain.len() - 1;
    let mut rest = e.abi.workgroup_id(&mut e.code, index);
    let thread = e.abi.thread_id(&mut e.code);
    // Thread = 64·(pair of subgroup halves) + 32·half + 8·column + row.
    let row = e.code.int_k("arith.remui", thread, ALONG_LOADS);
    let pair = e.code.int_k("arith.divui", thread, 2 * ALONG_LOADS * ALONG_STORES);
    let pair = e.code.int_k("arith.muli", pair, ALONG_LOADS);
    let row = e.code.add_i(row, pair);
    let column = e.code.int_k("arith.divui", thread, ALONG_LOADS);
    let column = e.code.int_k("arith.remui", column, 2 * ALONG_STORES);
    let (row, column) = (e.code.resize_u(row, index), e.code.resize_u(column, index));
    let mut loads_base: Option<Value> = None;
    for at in (0..domain.len()).rev() {
        let extent = e.exprs.indices.extent(domain[at]);
        let count = match at {
            _ if at == last_at => extent / crossed.width(),
            _ if at == crossed.loads_at => extent / crossed.height(),
            _ => extent,
        };
        let number = if at == 0 {
            rest
        } else {
            let number = e.code.int_k("arith.remui", rest, count);
            rest = e.code.int_k("arith.divui", rest, count);
            number
        };
        if at == last_at {
            let start = e.code.int_k("arith.muli", number, crossed.width());
            let inner = e.code.int_k("arith.muli", column, crossed.lanes);
            let base = e.code.add_i(start, inner);
            e.lanes = crossed.lanes as u32;
            e.bind_lanes(domain[at], Some(base), crossed.lanes, 0);
        } else if at == crossed.loads_at {
            let start = e.code.int_k("arith.muli", number, crossed.height());
            loads_base = Some(e.code.add_i(start, row));
        } else {
            e.bind(domain[at], Some(number), 1, 0);
        }
    }
    let along = domain[crossed.loads_at];
    let mut done = Vec::new();
    for repeat in 0..crossed.repeats {
        e.bind(along, loads_base, 1, repeat * crossed.rows);
        let values = stores.iter().map(|s| e.eval(s.value)).collect::<Result<Vec<_>, _>>()?;
        done.push((e.binding(along), values));
    }
    for (binding, values) in done {
        if let Some(binding) = binding {
            e.rebind(along, binding);
        }
        for (store, value) in stores.iter().zip(values) {
            e.store(store.buffer, store.offset, value)?;
        }
    }
    Ok(())
}
