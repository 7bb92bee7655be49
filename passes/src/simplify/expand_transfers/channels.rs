//! The channels of a function: each is one `send` and one `recv` of the same types, in one block, with the same pairs.
//!
//! Whatever else a program says is an error (FX0308) that names the channel and what to write.

use std::collections::BTreeMap;

use fornax_graph::devices::{self, PairIds};
use fornax_graph::{BlockId, Graph, OpId, OpKind, Type, ValueId};

use crate::errors::PassError;

/// One channel of a function.
#[derive(Clone, Debug)]
pub(super) struct Channel {
    /// What `channel_handle` says.
    pub handle: i64,
    pub send: OpId,
    pub recv: OpId,
    /// What the pairs name.
    pub ids: PairIds,
    /// From, to.
    pub pairs: Vec<[u32; 2]>,
}

impl Channel {
    /// The values that are sent.
    pub fn sent<'g>(&self, graph: &'g Graph) -> &'g [ValueId] {
        values(&graph.op(self.send).operands)
    }

    /// The values that are received.
    pub fn received<'g>(&self, graph: &'g Graph) -> &'g [ValueId] {
        values(&graph.op(self.recv).results)
    }

    /// Pairs of devices (from, to).
    pub fn devices(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        let ids = self.ids;
        self.pairs.iter().flat_map(move |pair| {
            ids.devices(pair[0]).zip(ids.devices(pair[1])).map(|(from, to)| [from, to])
        })
    }
}

/// All but the token, which comes last.
fn values(all: &[ValueId]) -> &[ValueId] {
    all.split_last().map_or(&[], |(_, values)| values)
}

/// The two halves of a channel.
#[derive(Default)]
struct Halves {
    sends: Vec<OpId>,
    recvs: Vec<OpId>,
}

/// The channels of the blocks of a function, by block. `blocks` are all of them.
///
/// # Errors
/// FX0308 halves that do not fit together, FX0301 transfers from and to the host.
pub(super) fn by_block(graph: &Graph, blocks: &[BlockId]) -> Result<BTreeMap<BlockId, Vec<Channel>>, PassError> {
    let mut all: BTreeMap<i64, Halves> = BTreeMap::new();
    for &id in blocks.iter().flat_map(|&block| &graph.block(block).ops) {
        let op = graph.op(id);
        if !matches!(op.kind, OpKind::Send | OpKind::Recv) {
            continue;
        }
        if op.attrs.bool("is_host_transfer").unwrap_or(false) {
            let why = match op.kind {
                OpKind::Send => "it gives data to the host while the model runs; make the data results of the function",
                _ => "it takes data from the host while the model runs; make the data arguments of the function",
            };
            return Err(PassError::unsupported(graph, id, format!("{why} (`is_host_transfer = true`)")));
        }
        let halves = all.entry(devices::channel(&op.attrs)).or_default();
        match op.kind {
            OpKind::Send => halves.sends.push(id),
            _ => halves.recvs.push(id),
        }
    }
    let mut found: BTreeMap<BlockId, Vec<Channel>> = BTreeMap::new();
    for (handle, halves) in all {
        let channel = joined(graph, handle, &halves)?;
        found.entry(graph.op(channel.send).block).or_default().push(channel);
    }
    Ok(found)
}

fn joined(graph: &Graph, handle: i64, halves: &Halves) -> Result<Channel, PassError> {
    let refuse = |op: OpId, why: String| Err(PassError::channel(graph, op, handle, why));
    let several = [(&halves.sends, "send"), (&halves.recvs, "recv")].into_iter().find(|(ops, _)| ops.len() > 1);
    if let Some((ops, name)) = several {
        let first = crate::errors::place(graph, graph.op(ops[0]).location);
        let at = first.trim_end_matches([':', ' ']);
        let why = format!(
            "is a second `{name}` of its channel; the first is at {at} (a function that is called twice has its \
             channels twice)"
        );
        return refuse(ops[1], why);
    }
    let (send, recv) = match (halves.sends.first(), halves.recvs.first()) {
        (Some(&send), Some(&recv)) => (send, recv),
        (Some(&send), None) => return refuse(send, "has no `recv` in its function".into()),
        (_, recv) => {
            let Some(&recv) = recv else { return Err(PassError::broken("a channel without halves")) };
            return refuse(recv, "has no `send` in its function".into());
        }
    };
    let (from, to) = (graph.op(send), graph.op(recv));
    if from.block != to.block {
        let why = "and its `recv` are in different blocks: a branch or a loop has one of them, and runs on some \
                   devices, or at some times, without the other; put both into one block";
        return refuse(send, why.into());
    }
    same_types(graph, handle, (send, recv))?;
    // Where one half names no pairs, they are those of the other.
    let named = [from, to].map(|op| op.attrs.ints("source_target_pairs").filter(|pairs| !pairs.is_empty()));
    let (op, half) = match &named {
        [None, None] => {
            let why = "and its `recv` name no devices; write `source_target_pairs = dense<[[0, 1], …]> : \
                       tensor<Nx2xi64>`, a row (from, to) for each device that sends";
            return refuse(send, why.into());
        }
        [Some(a), Some(b)] if a != b => return refuse(recv, format!("has other pairs than its `send`: {b:?}, {a:?}")),
        [Some(_), _] => (from, send),
        _ => (to, recv),
    };
    match devices::named_pairs(graph, op) {
        Ok((ids, pairs)) => Ok(Channel { handle, send, recv, ids, pairs }),
        Err(why) => refuse(half, format!("names no devices: {why}")),
    }
}

fn same_types(graph: &Graph, handle: i64, (send, recv): (OpId, OpId)) -> Result<(), PassError> {
    let sent = values(&graph.op(send).operands);
    let received = values(&graph.op(recv).results);
    let text = |value: ValueId| graph.type_text(graph.ty(value));
    let why = if sent.len() != received.len() {
        format!("has {} values, its `send` has {}", received.len(), sent.len())
    } else if let Some(at) = (0..sent.len()).find(|&at| graph.ty(sent[at]) != graph.ty(received[at])) {
        format!("has value {at} as {}, its `send` has {}", text(received[at]), text(sent[at]))
    } else {
        return Ok(());
    };
    Err(PassError::channel(graph, recv, handle, why))
}

/// Whether a value can be exchanged: a tensor of plain elements, whose sizes are known.
pub(super) fn is_plain(graph: &Graph, value: ValueId) -> bool {
    matches!(graph.ty(value), Type::Tensor(ty) if ty.static_shape().is_some() && !ty.element.is_quantized())
}
