//! Devices that would wait for each other for ever: found before the program runs.
//!
//! A device that receives waits for the `send` of its source; that comes when the source has all that its `send` is
//! computed from, and what its token stands for. A cycle of such waits never ends.
//!
//! Worked example: one channel with pairs 0 → 1 and 1 → 0, and what is sent is computed from what is received. Device 1
//! waits for device 0, which waits for device 1. With pairs 0 → 1 alone, device 0 receives zeros and waits for nobody.

use std::collections::HashMap;

use fornax_graph::{BlockId, Graph, OpId, OpKind, ValueId};

use super::channels::Channel;
use crate::errors::{PassError, place};
use crate::facts::control::inputs;

/// Of each channel, which channels' receives come before its `send`, and before its `recv`: those from which a path
/// leads there without another `recv` on it.
pub(super) struct Order {
    pub before_send: Vec<Vec<usize>>,
    before_recv: Vec<Vec<usize>>,
}

impl Order {
    /// By operands and what regions capture, tokens included.
    pub fn of(graph: &Graph, block: BlockId, channels: &[Channel]) -> Order {
        let numbers: HashMap<OpId, usize> = channels.iter().enumerate().map(|(at, c)| (c.recv, at)).collect();
        let mut made: HashMap<ValueId, Vec<u64>> = HashMap::new();
        let words = channels.len().div_ceil(64);
        let mut reached: HashMap<OpId, Vec<usize>> = HashMap::new();
        for &op in &graph.block(block).ops {
            let mut set = vec![0u64; words];
            for value in inputs(graph, op) {
                if let Some(other) = made.get(&value) {
                    set.iter_mut().zip(other).for_each(|(word, more)| *word |= more);
                }
            }
            if matches!(graph.op(op).kind, OpKind::Send | OpKind::Recv) {
                let is_in = |at: &usize| set[at / 64] >> (at % 64) & 1 == 1;
                reached.insert(op, (0..channels.len()).filter(is_in).collect());
            }
            if let Some(&at) = numbers.get(&op) {
                set.fill(0);
                set[at / 64] |= 1 << (at % 64);
            }
            if set.iter().any(|&word| word != 0) {
                made.extend(graph.op(op).results.iter().map(|&value| (value, set.clone())));
            }
        }
        let mut listed = |op| reached.remove(&op).unwrap_or_default();
        let before_send = channels.iter().map(|channel| listed(channel.send)).collect();
        Order { before_send, before_recv: channels.iter().map(|channel| listed(channel.recv)).collect() }
    }
}

/// A device at the `recv` of a channel.
type Wait = (u32, usize);

/// # Errors
/// FX0309 with the cycle.
pub(super) fn refuse(graph: &Graph, channels: &[Channel], order: &Order) -> Result<(), PassError> {
    let sources: Vec<HashMap<u32, u32>> =
        channels.iter().map(|channel| channel.devices().map(|[from, to]| (to, from)).collect()).collect();
    // What must be over before a wait is; who is no target waits for nobody, but comes there in its own order.
    let needs = |(device, at): Wait| -> Vec<Wait> {
        let own = order.before_recv[at].iter().map(|&other| (device, other));
        let source = sources[at].get(&device);
        let others = source.iter().flat_map(|&&source| order.before_send[at].iter().map(move |&other| (source, other)));
        own.chain(others).collect()
    };
    let mut done: HashMap<Wait, bool> = HashMap::new();
    for (at, targets) in sources.iter().enumerate() {
        let mut devices: Vec<u32> = targets.keys().copied().collect();
        devices.sort_unstable();
        for device in devices {
            if let Some(cycle) = cycle((device, at), &needs, &mut done) {
                return Err(error(graph, channels, &sources, &cycle));
            }
        }
    }
    Ok(())
}

/// A walk along what is needed; `done` is false for what is on the way, true for what ends.
fn cycle(
    start: Wait,
    needs: &dyn Fn(Wait) -> Vec<Wait>,
    done: &mut HashMap<Wait, bool>,
) -> Option<Vec<Wait>> {
    if done.contains_key(&start) {
        return None;
    }
    done.insert(start, false);
    let mut path = vec![(start, needs(start))];
    while let Some((wait, left)) = path.last_mut() {
        let Some(next) = left.pop() else {
            done.insert(*wait, true);
            path.pop();
            continue;
        };
        match done.get(&next) {
            Some(true) => {}
            Some(false) => {
                let from = path.iter().position(|(wait, _)| *wait == next).unwrap_or(0);
                return Some(path[from..].iter().map(|(wait, _)| *wait).collect());
            }
            None => {
                done.insert(next, false);
                path.push((next, needs(next)));
            }
        }
    }
    None
}

/// Waits that an error lists, at most.
const SHOWN: usize = 8;

fn error(graph: &Graph, channels: &[Channel], sources: &[HashMap<u32, u32>], cycle: &[Wait]) -> PassError {
    let say = |&(device, at): &Wait| {
        let source = sources[at].get(&device)?;
        Some(format!("device {device} waits for device {source} on channel {}", channels[at].handle))
    };
    let mut waits: Vec<String> = cycle.iter().filter_map(say).collect();
    if waits.len() > SHOWN {
        let more = waits.len() - SHOWN;
        waits.truncate(SHOWN);
        waits.push(format!("{more} more"));
    }
    let recv = cycle.first().map(|&(_, at)| graph.op(channels[at].recv).location);
    PassError::Deadlock { at: recv.map(|location| place(graph, location)).unwrap_or_default(), why: waits.join("; ") }
}
