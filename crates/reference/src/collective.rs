//! Collectives: what each device gets of the operands of its group. [`crate::evaluate_devices`] has several devices;
//! elsewhere there is one, and these ops are refused.

use std::sync::Arc;

use fornax_graph::{Attr, ElementType, Graph, OpKind, devices};

use crate::board::{Board, Seat};
use crate::errors::EvalError;
use crate::interpreter::{Call, Interp, Limits};
use crate::region::ScalarRegion;
use crate::scalar::Scalar;
use crate::shape::joined;
use crate::tensor::{Tensor, affine_copy, strides};
use crate::{elementwise, run};

type Results = Result<Vec<Tensor>, EvalError>;

/// The operands of every device of a group.
type Members = Vec<Arc<Vec<Tensor>>>;

/// Stack of a device's thread, bytes: regions nest.
const STACK_BYTES: usize = 32 << 20;

/// Evaluates a function on every device of the module's grid: `inputs` and results are one list a device.
///
/// # Errors
/// As [`evaluate_programs`].
pub fn evaluate_devices(
    graph: &Graph,
    function: &str,
    inputs: &[Vec<Tensor>],
    limits: &Limits,
) -> Result<Vec<Vec<Tensor>>, EvalError> {
    let programs: Vec<(&str, &[Tensor])> = inputs.iter().map(|inputs| (function, inputs.as_slice())).collect();
    evaluate_programs(graph, &programs, limits)
}

/// Evaluates a function a device of the module's grid, each with its inputs; results are one list a device.
///
/// # Errors
/// As [`crate::evaluate`]; `FX0384` for another number of devices, `FX0381` where devices wait for each other. The
/// error of the first device that has one of its own.
pub fn evaluate_programs(
    graph: &Graph,
    programs: &[(&str, &[Tensor])],
    limits: &Limits,
) -> Result<Vec<Vec<Tensor>>, EvalError> {
    let devices = devices::DeviceGrid::of(graph).map_or(0, |grid| grid.devices() as usize);
    if devices != programs.len() || devices == 0 {
        let why = format!("inputs for {} devices, the module is made for {devices}", programs.len());
        return Err(EvalError::Input { index: 0, why });
    }
    let board = Board::new(devices);
    let seats: Vec<Seat> = (0..devices as u32).map(|device| Seat::new(&board, device)).collect();
    let results = std::thread::scope(|scope| {
        let threads: Vec<_> = programs
            .iter()
            .zip(seats)
            .map(|(&(function, inputs), seat)| {
                let work = move || {
                    let mut interp = Interp::new(graph, limits);
                    interp.seat = Some(seat);
                    run(graph, function, inputs, interp)
                };
                std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work)
            })
            .collect();
        let lost = |why: &str| EvalError::Unsupported { op: "func.func".into(), at: String::new(), why: why.into() };
        let join = |thread: std::io::Result<std::thread::ScopedJoinHandle<'_, Results>>| {
            let thread = thread.map_err(|_| lost("the system gives no thread for a device"))?;
            thread.join().unwrap_or_else(|_| Err(lost("a device's thread ended")))
        };
        threads.into_iter().map(join).collect::<Vec<_>>()
    });
    // What a device did wrong itself comes before what others waited for.
    let waited = |e: &EvalError| matches!(e, EvalError::Unsupported { why, .. } if why.contains(WAITED));
    let own = results.iter().filter_map(|r| r.as_ref().err()).find(|e| !waited(e));
    match own {
        Some(error) => Err(error.clone()),
        None => results.into_iter().collect(),
    }
}

/// Marks the error of a device that others left waiting.
pub(crate) const WAITED: &str = "no group comes together";

/// Which replica, or which partition, this device is.
pub(crate) fn device_id(call: &mut Call) -> Results {
    let Some(seat) = &call.interp.seat else { return Err(call.unsupported("there is one device")) };
    let (device, grid) = (seat.device, devices::DeviceGrid::of(call.interp.graph));
    let partitions = grid.map_or(1, |grid| grid.partitions);
    let id = if call.op.kind == OpKind::ReplicaId { device / partitions } else { device % partitions };
    Ok(vec![Tensor::scalar(ElementType::Ui32, Scalar::Int(id.into()))])
}

/// The group of this device, and its place there; `None` in no group.
fn own_group(call: &Call, groups: Vec<Vec<u32>>) -> Result<Option<(Vec<u32>, usize)>, EvalError> {
    let Some(seat) = &call.interp.seat else {
        return Err(call.unsupported("it combines data of several devices"));
    };
    let device = seat.device;
    let found = groups.into_iter().find_map(|group| {
        let at = group.iter().position(|&d| d == device)?;
        Some((group, at))
    });
    Ok(found)
}

fn groups(call: &Call) -> Result<Vec<Vec<u32>>, EvalError> {
    devices::groups(call.interp.graph, call.op).map_err(|why| call.unsupported(&why))
}

/// The operands of every member, by member.
fn members(call: &mut Call, group: &[u32], operands: Vec<Tensor>) -> Result<Members, EvalError> {
    let op = call.interp.current_op();
    let (Some(seat), Some(op)) = (&mut call.interp.seat, op) else {
        return Err(call.unsupported("it combines data of several devices"));
    };
    seat.exchange(group, op, operands).map_err(|why| call.unsupported(&format!("{WAITED}: {why}")))
}

fn operands(call: &Call) -> Vec<Tensor> {
    call.operands.iter().map(|t| (**t).clone()).collect()
}

/// What the op gives where every device is alone or in a group: all members' operands.
fn met(call: &mut Call) -> Result<(Members, usize), EvalError> {
    let groups = groups(call)?;
    let own = own_group(call, groups)?;
    let (group, at) = own.ok_or_else(|| call.malformed("a device is in no group"))?;
    let operands = operands(call);
    Ok((members(call, &group, operands)?, at))
}

/// Element by element, in the order of the group.
fn folded(call: &mut Call, parts: &[&Tensor], result: ElementType) -> Result<Tensor, EvalError> {
    let region = call.region(0)?;
    let mut body = ScalarRegion::new(call.interp, region)?;
    call.check(body.arguments.len() == 2 && body.results.len() == 1, "a region of two arguments and one result")?;
    let Some(first) = parts.first() else { return Err(call.malformed("an empty group")) };
    call.charge_work((first.len() * parts.len()) as u64)?;
    let mut out = call.alloc(&first.shape(), result)?;
    let mut value = Vec::new();
    for at in 0..first.len() {
        let sum = if body.as_float_add() {
            let sum = parts.iter().map(|part| part.get(at).as_f64()).fold(-0.0, |a, b| a + b);
            Scalar::Float(sum).round_to(body.results[0])
        } else {
            let mut sum = first.get(at).convert(body.results[0]);
            for part in &parts[1..] {
                let args = [sum.convert(body.arguments[0]), part.get(at).convert(body.arguments[1])];
                body.call(call.interp, &args, &mut value)?;
                sum = value[0];
            }
            sum
        };
        out.set(at, sum.convert(result));
    }
    Ok(out)
}

/// Piece `at` of `count` equal pieces along a dimension.
fn piece(call: &Call, tensor: &Tensor, dim: usize, (at, count): (usize, usize)) -> Result<Tensor, EvalError> {
    let mut shape = tensor.shape();
    call.check(dim < shape.len() && count > 0 && shape[dim].is_multiple_of(count), "a dimension that does not split")?;
    let steps = strides(&shape);
    shape[dim] /= count;
    let base = (at * shape[dim]) as isize * steps[dim];
    affine_copy(tensor, &shape, base, &steps).ok_or_else(|| call.malformed("a piece outside its tensor"))
}

fn dimension(call: &Call, name: &str) -> Result<usize, EvalError> {
    let dim = call.op.attrs.int(name).and_then(|d| usize::try_from(d).ok());
    dim.ok_or_else(|| call.malformed("a dimension is missing"))
}

pub(crate) fn all_reduce(call: &mut Call) -> Results {
    let (all, _) = met(call)?;
    (0..call.op.results.len())
        .map(|k| {
            let parts: Vec<&Tensor> = all.iter().filter_map(|operands| operands.get(k)).collect();
            let element = call.result_element(k)?;
            folded(call, &parts, element)
        })
        .collect()
}

pub(crate) fn all_gather(call: &mut Call) -> Results {
    let dim = dimension(call, "all_gather_dim")?;
    let (all, _) = met(call)?;
    (0..call.op.results.len())
        .map(|k| {
            let parts: Vec<&Tensor> = all.iter().filter_map(|operands| operands.get(k)).collect();
            joined(call, &parts, dim)
        })
        .collect()
}

pub(crate) fn reduce_scatter(call: &mut Call) -> Results {
    let dim = dimension(call, "scatter_dimension")?;
    let (all, at) = met(call)?;
    let parts = all.iter().filter_map(|operands| operands.first());
    let parts = parts.map(|part| piece(call, part, dim, (at, all.len()))).collect::<Result<Vec<_>, _>>()?;
    let element = call.result_element(0)?;
    Ok(vec![folded(call, &parts.iter().collect::<Vec<_>>(), element)?])
}

pub(crate) fn all_to_all(call: &mut Call) -> Results {
    let (split, concat) = (dimension(call, "split_dimension")?, dimension(call, "concat_dimension")?);
    let (all, at) = met(call)?;
    (0..call.op.results.len())
        .map(|k| {
            let parts = all.iter().filter_map(|operands| operands.get(k));
            let parts = parts.map(|part| piece(call, part, split, (at, all.len()))).collect::<Result<Vec<_>, _>>()?;
            joined(call, &parts.iter().collect::<Vec<_>>(), concat)
        })
        .collect()
}

/// What the first of the group has; zeros outside of groups.
pub(crate) fn broadcast(call: &mut Call) -> Results {
    if call.op.attrs.bool("has_dynamic_root").unwrap_or(false) {
        return Err(call.unsupported("its root is known only at run time"));
    }
    let groups = groups(call)?;
    broadcast_in(call, groups)
}

fn broadcast_in(call: &mut Call, groups: Vec<Vec<u32>>) -> Results {
    let operands = operands(call);
    match own_group(call, groups)? {
        Some((group, _)) => {
            let all = members(call, &group, operands)?;
            Ok(all.first().map(|first| (**first).clone()).unwrap_or_default())
        }
        None => Ok(operands.iter().map(|t| Tensor::zeros(&t.shape(), t.element())).collect()),
    }
}

/// Each pair is a group of two (or of one); a device may be the source of one and the target of another.
pub(crate) fn permute(call: &mut Call) -> Results {
    let pairs = devices::pairs(call.interp.graph, call.op).map_err(|why| call.unsupported(&why))?;
    permute_along(call, &pairs)
}

fn permute_along(call: &mut Call, pairs: &[Vec<u32>]) -> Results {
    let Some(device) = call.interp.seat.as_ref().map(|seat| seat.device) else {
        return Err(call.unsupported("it combines data of several devices"));
    };
    // All devices that take part meet, so that a ring is one step.
    let mut named: Vec<u32> = pairs.iter().flatten().copied().collect();
    named.sort_unstable();
    named.dedup();
    let operands = operands(call);
    let zeros = operands.iter().map(|t| Tensor::zeros(&t.shape(), t.element())).collect();
    if !named.contains(&device) {
        return Ok(zeros);
    }
    let all = members(call, &named, operands)?;
    let source = pairs.iter().find(|pair| pair.get(1) == Some(&device)).and_then(|pair| pair.first());
    let source = source.and_then(|source| named.iter().position(|d| d == source)).and_then(|at| all.get(at));
    Ok(source.map_or(zeros, |source| (**source).clone()))
}

/// `fornax.collective`.
pub(crate) fn canonical(call: &mut Call) -> Results {
    let kind = call.op.attrs.str("kind").unwrap_or_default();
    let rows = match call.op.attrs.get("groups") {
        Some(Attr::Array(rows)) => rows.as_slice(),
        _ => &[],
    };
    let ids = |row: &Attr| row.as_ints().unwrap_or_default().into_iter().map(|id| id as u32).collect();
    let groups: Vec<Vec<u32>> = rows.iter().map(ids).collect();
    match kind {
        "broadcast" => return broadcast_in(call, groups),
        "permute" => return permute_along(call, &groups),
        _ => {}
    }
    let own = own_group(call, groups)?;
    let (group, at) = own.ok_or_else(|| call.malformed("a device is in no group"))?;
    let operands = operands(call);
    let all = members(call, &group, operands)?;
    // Pieces of one buffer.
    let whole = |pieces: &Arc<Vec<Tensor>>| match pieces.as_slice() {
        [one] => Ok(one.clone()),
        pieces => joined(call, &pieces.iter().collect::<Vec<_>>(), 0),
    };
    let buffers = all.iter().map(whole).collect::<Result<Vec<_>, _>>()?;
    let parts: Vec<&Tensor> = buffers.iter().collect();
    let n = parts.len();
    let cut = |call: &Call| parts.iter().map(|part| piece(call, part, 0, (at, n))).collect::<Result<Vec<_>, _>>();
    let out = match kind {
        "all_gather" => joined(call, &parts, 0)?,
        "all_to_all" => joined(call, &cut(call)?.iter().collect::<Vec<_>>(), 0)?,
        "reduce_scatter" => combined(call, &cut(call)?.iter().collect::<Vec<_>>())?,
        _ => combined(call, &parts)?,
    };
    Ok(vec![out])
}

/// As [`folded`], by the reducer's name.
fn combined(call: &Call, parts: &[&Tensor]) -> Result<Tensor, EvalError> {
    let reducer = call.op.attrs.str("reducer").and_then(devices::reducer);
    let kind = reducer.ok_or_else(|| call.malformed("no known reducer"))?;
    let Some((first, others)) = parts.split_first() else { return Err(call.malformed("an empty group")) };
    if kind != OpKind::Add || !first.element().is_float() {
        let start = (*first).clone();
        return others.iter().try_fold(start, |sum, next| elementwise::apply(call, kind, &[&sum, next]));
    }
    let sums = (0..first.len()).map(|at| parts.iter().map(|part| part.get(at).as_f64()).fold(-0.0, |a, b| a + b));
    let sums = sums.map(|sum| Scalar::Float(sum).round_to(first.element()));
    Ok(Tensor::from_scalars(&first.shape(), first.element(), sums))
}
