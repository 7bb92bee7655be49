//! A graph on other memory: the nodes whose addresses differ get new parameters, the graph stays.
//!
//! Input: the commands that a graph was made of, and the same commands on other buffers. Output: the graph, brought up
//! to these. A caller whose arrays lie elsewhere every time (a training loop with new batches) so pays for the nodes
//! that touch these, not for a graph of all.
//!
//! Limits: lists without branches and loops of unknown length. The memory must meet in the same places, so that the
//! nodes wait for the same nodes: the caller's word.
//!
//! Worked example: of 200 kernels 3 read the batch: 3 calls of the driver, half a microsecond each.

use std::slice::Iter;

use cudarc::driver::sys::{CUgraphExec, CUgraphNode};

use super::context::Context;
use super::launch::parameters;
use super::nodes;
use crate::hal::{HalResult, RawCommand, RawDispatch};

/// Gives the nodes of a graph the addresses of `to`. False where the commands are not those of the graph: it must not
/// be used any more then, as after an error.
pub(super) fn rebind(
    context: &Context,
    exec: CUgraphExec,
    nodes: &mut Iter<'_, CUgraphNode>,
    (from, to): (&[RawCommand], &[RawCommand]),
) -> HalResult<bool> {
    if from.len() != to.len() {
        return Ok(false);
    }
    for (from, to) in from.iter().zip(to) {
        let done = match (from, to) {
            (RawCommand::Dispatch(from), RawCommand::Dispatch(to)) => dispatch(context, exec, nodes, (from, to))?,
            (&RawCommand::Copy { source, target, bytes }, &RawCommand::Copy { source: s, target: t, bytes: b }) => {
                let Some(&node) = nodes.next() else { return Ok(false) };
                if (source, target) != (s, t) {
                    let parameters = nodes::copy(s, t, b);
                    // SAFETY: the node is one of the graph's; both ranges lie in allocations that the list keeps.
                    let code =
                        unsafe { context.api.cuGraphExecMemcpyNodeSetParams(exec, node, &parameters, context.context) };
                    context.check("cuGraphExecMemcpyNodeSetParams", code, "moving a graph to other memory")?;
                }
                bytes == b
            }
            (
                &RawCommand::Fill { target, bytes, pattern, pattern_bytes },
                &RawCommand::Fill { target: t, bytes: b, pattern: p, pattern_bytes: pb },
            ) => {
                for parameters in nodes::fill(t, b, p, pb) {
                    let Some(&node) = nodes.next() else { return Ok(false) };
                    if target != t {
                        // SAFETY: the node is one of the graph's; the range lies in an allocation that the list keeps.
                        let code = unsafe {
                            context.api.cuGraphExecMemsetNodeSetParams(exec, node, &parameters, context.context)
                        };
                        context.check("cuGraphExecMemsetNodeSetParams", code, "moving a graph to other memory")?;
                    }
                }
                (bytes, pattern, pattern_bytes) == (b, p, pb)
            }
            (RawCommand::Repeat { count, body }, RawCommand::Repeat { count: c, body: b }) => {
                let mut round = || rebind(context, exec, nodes, (body, b));
                count == c && (0..*count).try_fold(true, |all, _| Ok(round()? && all))?
            }
            _ => false,
        };
        if !done {
            return Ok(false);
        }
    }
    Ok(true)
}

fn dispatch(
    context: &Context,
    exec: CUgraphExec,
    nodes: &mut Iter<'_, CUgraphNode>,
    (from, to): (&RawDispatch, &RawDispatch),
) -> HalResult<bool> {
    let shape = |one: &RawDispatch| {
        (one.kernel, one.grid, one.block, one.dynamic_shared_bytes, one.words.len(), one.maps.len(), one.bindings)
    };
    let Some(&node) = nodes.next().filter(|_| shape(from) == shape(to)) else { return Ok(false) };
    if from.words == to.words && from.maps == to.maps {
        return Ok(true);
    }
    let mut words = parameters(to);
    let parameters = nodes::kernel(to, &mut words, context.context);
    // SAFETY: the node is one of the graph's; as for a launch, the list keeps the function's module.
    let code = unsafe { context.api.cuGraphExecKernelNodeSetParams_v2(exec, node, &parameters) };
    context.check("cuGraphExecKernelNodeSetParams_v2", code, "moving a graph to other memory")?;
    Ok(true)
}
