//! `send` and `recv` between devices: the n-th `recv` of a channel gets what the n-th `send` of its source gave.
//!
//! A `send` never waits. A `recv` waits on a device that a pair names as a target; on others it gives zeros.

use std::collections::HashMap;

use fornax_graph::{BlockId, Graph, Op, OpId, OpKind, ValueId, devices};

use crate::board::Parcel;
use crate::errors::EvalError;
use crate::interpreter::{Interp, Value};
use crate::tensor::Tensor;

/// The ops of a block in the order in which they are run: a `recv` comes behind all that does not depend on one, so
/// that nobody waits before it has sent what it can. The order is the same on all devices.
pub(crate) fn order(graph: &Graph, block: BlockId) -> Vec<OpId> {
    let ops = &graph.block(block).ops;
    if !ops.iter().any(|&op| graph.op(op).kind == OpKind::Recv) {
        return ops.clone();
    }
    // How many receives come before a value, one behind the other.
    let mut depths: HashMap<ValueId, usize> = HashMap::new();
    let mut keyed = Vec::with_capacity(ops.len());
    for (at, &op) in ops.iter().enumerate() {
        let mut depth = 0;
        let mut look = |op: OpId| {
            let operands = graph.op(op).operands.iter().filter_map(|value| depths.get(value));
            depth = operands.copied().fold(depth, usize::max);
        };
        look(op);
        for &inner in graph.op(op).regions.iter().flat_map(|&region| &graph.region(region).blocks) {
            graph.walk(inner, &mut look);
        }
        depth += usize::from(graph.op(op).kind == OpKind::Recv);
        depths.extend(graph.op(op).results.iter().map(|&value| (value, depth)));
        keyed.push((if at + 1 == ops.len() { usize::MAX } else { depth }, op));
    }
    keyed.sort_by_key(|(depth, _)| *depth);
    keyed.into_iter().map(|(_, op)| op).collect()
}

/// Where the other half of a transfer is: `None` where this device has none.
fn partner(interp: &Interp, op: &Op, own_side: usize) -> Result<Option<u32>, EvalError> {
    if op.attrs.bool("is_host_transfer").unwrap_or(false) {
        return Err(interp.unsupported("it moves data between the host and this device while the model runs"));
    }
    let Some(seat) = &interp.seat else { return Err(interp.unsupported("it moves data between several devices")) };
    let pairs = devices::pairs(interp.graph, op).map_err(|why| interp.unsupported(&why))?;
    let own = pairs.iter().find(|pair| pair.get(own_side) == Some(&seat.device));
    Ok(own.and_then(|pair| pair.get(1 - own_side).copied()))
}

/// Gives the operands to the target.
pub(crate) fn send<'g>(interp: &mut Interp<'g>, op: &'g Op, mut args: Vec<Value>) -> Result<Vec<Value>, EvalError> {
    // The token.
    args.pop();
    let parcel = args.iter().map(|value| Ok((*interp.expect_tensor(value)?).clone())).collect::<Result<Parcel, _>>()?;
    let target = partner(interp, op, 0)?;
    if let (Some(target), Some(seat)) = (target, &mut interp.seat) {
        seat.send(devices::channel(&op.attrs), target, parcel);
    }
    Ok(vec![Value::Token])
}

/// What the source gave, or zeros.
pub(crate) fn recv<'g>(interp: &mut Interp<'g>, op: &'g Op, _: Vec<Value>) -> Result<Vec<Value>, EvalError> {
    let source = partner(interp, op, 1)?;
    let parcel = match (source, &mut interp.seat) {
        (Some(source), Some(seat)) => {
            let came = seat.receive(devices::channel(&op.attrs), source);
            came.map_err(|why| interp.unsupported(&format!("{}: {why}", crate::collective::WAITED)))?
        }
        _ => zeros(interp, op)?,
    };
    let mut values: Vec<Value> = parcel.into_iter().map(Value::tensor).collect();
    values.push(Value::Token);
    Ok(values)
}

fn zeros(interp: &Interp, op: &Op) -> Result<Parcel, EvalError> {
    let graph: &Graph = interp.graph;
    let values = op.results.split_last().map_or(&[][..], |(_, values)| values);
    let zero = |&value| {
        let ty = graph.ty(value).as_tensor();
        let shape: Option<Vec<usize>> =
            ty.and_then(|ty| ty.static_shape()).map(|shape| shape.into_iter().map(|n| n as usize).collect());
        let shape = shape.ok_or_else(|| interp.unsupported("its sizes are known only at run time"))?;
        interp.check_size(&shape)?;
        Ok(Tensor::zeros(&shape, interp.element_of(value)?))
    };
    values.iter().map(zero).collect()
}
