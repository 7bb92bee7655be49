//! Every two neighbouring ops of a block: computed by one kernel, or why not. Made only where somebody asks.
//!
//! Input: a block and what fusion decided for it. Output: a row for each op that reads a result of another, in the
//! order of the ops. Constants are no neighbours: each kernel has its own.

use std::collections::HashMap;

use fornax_graph::{BlockId, Graph, OpId, OpKind};

use super::decide::Decided;
use super::groups::GroupId;
use crate::facts::parts;
use crate::remarks::{
    ATTENTION, Because, ONE_NAME, READER_IS_ATTENTION, READER_IS_CONTROL, STORED_ELSEWHERE, UPDATES_ALONE,
};

/// Two ops, the groups that compute each, and why they are not computed together.
pub struct Neighbours {
    pub ops: [OpId; 2],
    pub groups: [Vec<GroupId>; 2],
    /// Empty: every group that computes the second also computes the first.
    pub refused: Vec<Because>,
}

/// The neighbours of a block; those inside of its loops and branches are theirs.
pub fn of(graph: &Graph, block: BlockId, decided: &Decided) -> Vec<Neighbours> {
    let mut of: HashMap<OpId, Vec<GroupId>> = HashMap::new();
    for (at, group) in (0..).zip(&decided.groups) {
        // The ops of a control op's group are other names of what it reads.
        let ops: Vec<OpId> = group.control.map_or_else(|| group.ops.iter().copied().collect(), |op| vec![op]);
        ops.into_iter().for_each(|op| of.entry(op).or_default().push(at));
    }
    let mut found = Vec::new();
    for &reader in &graph.block(block).ops {
        let data = graph.op(reader);
        let is_end = matches!(data.kind, OpKind::FuncReturn | OpKind::Return);
        let known = of.contains_key(&reader) || decided.aliases.contains(&reader);
        if is_end || !known {
            continue;
        }
        let mut makers: Vec<OpId> = data.operands.iter().filter_map(|&v| graph.producer(v)).collect();
        makers.sort_unstable();
        makers.dedup();
        for maker in makers {
            let known = of.contains_key(&maker) || decided.aliases.contains(&maker);
            if !known || graph.op(maker).kind == OpKind::Constant || graph.op(maker).block != block {
                continue;
            }
            let groups = [maker, reader].map(|op| of.get(&op).cloned().unwrap_or_default());
            let mut refused = refused(graph, maker, &groups, decided);
            if let Some(because) = decided.missed.get(&reader).filter(|_| !refused.is_empty()) {
                refused.insert(0, *because);
            }
            found.push(Neighbours { ops: [maker, reader], groups, refused });
        }
    }
    found
}

fn refused(graph: &Graph, maker: OpId, [made, read]: &[Vec<GroupId>; 2], decided: &Decided) -> Vec<Because> {
    if made.is_empty() || read.is_empty() {
        return vec![ONE_NAME.of([])];
    }
    let mut found: Vec<Because> = Vec::new();
    for &group in read.iter().filter(|group| !made.contains(group)) {
        let state = &decided.groups[group as usize];
        let apart = made.iter().any(|&group| decided.groups[group as usize].attention);
        let because = match decided.said.get(&(maker, Some(group))) {
            _ if apart => ATTENTION.of([]),
            _ if state.attention => READER_IS_ATTENTION.of([]),
            _ if state.control.is_some() => READER_IS_CONTROL.of([]),
            _ if parts::is_update(graph, maker) => UPDATES_ALONE.of([]),
            Some(because) => *because,
            None => STORED_ELSEWHERE.of([]),
        };
        found.extend(decided.said.get(&(maker, None)));
        found.push(because);
    }
    let mut told = Vec::new();
    found.retain(|because| {
        !told.contains(because) && {
            told.push(*because);
            true
        }
    });
    found
}
