//! Finds attention: the ops from the product of query and key to the product with the values, which become one group.
//!
//! Input: a block of plain ops. Output: for each attention its ops and what it reads from buffers. Taken in besides the
//! ops between the products: what moves query, key and value (transposes, reshapes, broadcasts of heads), conditions on
//! positions and other masks (i1 ops), biases that are only moved, and moves and a conversion of the result. The scale
//! of a query, a bias computed from a mask, rotations of position and the like stay outside, where they join other
//! groups.
//!
//! The ops in the group stay plain ops: where a target has no kernel for it, `fuse::expand_attention` groups them one
//! by one again.
//!
//! Limits: query, key, value and weights of 16 bits or f32; nothing between the products may be read elsewhere
//! (training).

use std::collections::{BTreeSet, HashMap, HashSet};

use fornax_graph::{BlockId, ElementType, Graph, OpId, OpKind, ValueId};
use fornax_plan::index::Indices;

use super::index_maps::is_bijective;
use super::ops::{Class, row, splat_bits, tensor};
use super::pattern::{self, is_narrow, is_taken};
use super::sizes::{same_count, sizes};
use crate::errors::PassError;

/// Ops of one attention, at most.
const OPS_MAX: usize = 96;

/// One attention.
#[derive(Clone, Debug)]
pub struct Found {
    /// The product with the values.
    pub hero: OpId,
    /// The op whose result is stored: the hero, or the last move of its result.
    pub root: OpId,
    pub ops: BTreeSet<OpId>,
    /// Ops that no other group may evaluate: products, softmax and what depends on them.
    pub claimed: BTreeSet<OpId>,
    pub inputs: BTreeSet<ValueId>,
}

/// Every attention of a block; no two share a claimed op.
pub fn find(graph: &Graph, block: BlockId) -> Result<Vec<Found>, PassError> {
    let mut found: Vec<Found> = Vec::new();
    let ops = &graph.block(block).ops;
    if ops.iter().filter(|&&op| graph.op(op).kind == OpKind::DotGeneral).count() < 2 {
        return Ok(found);
    }
    let readers = readers(graph);
    for &op in ops.iter().filter(|&&op| graph.op(op).kind == OpKind::DotGeneral) {
        let taken = found.iter().flat_map(|f| f.claimed.iter().copied()).collect();
        let finder = Finder { graph, block, readers: &readers, taken };
        if let Some(one) = finder.attention(op)? {
            found.push(one);
        }
    }
    Ok(found)
}

/// Ops that read each value, anywhere.
fn readers(graph: &Graph) -> HashMap<ValueId, Vec<OpId>> {
    let mut readers: HashMap<ValueId, Vec<OpId>> = HashMap::new();
    for function in &graph.functions {
        let Some(entry) = graph.entry(function) else { continue };
        graph.walk(entry, &mut |op| {
            for &value in &graph.op(op).operands {
                readers.entry(value).or_default().push(op);
            }
        });
    }
    readers
}

struct Finder<'a> {
    graph: &'a Graph,
    block: BlockId,
    readers: &'a HashMap<ValueId, Vec<OpId>>,
    /// Ops that attentions found before claim.
    taken: HashSet<OpId>,
}

impl Finder<'_> {
    fn attention(&self, hero: OpId) -> Result<Option<Found>, PassError> {
        let graph = self.graph;
        let operands = graph.op(hero).operands.clone();
        for &value in &operands {
            if !is_taken(tensor(graph, value)?.element) {
                return Ok(None);
            }
        }
        let mut indices = Indices::default();
        let mut index = Vec::new();
        for n in sizes(graph, graph.op(hero).results[0], &mut indices)? {
            let var = indices.add_sized_var(n);
            index.push(indices.var(var));
        }
        let Some(softmax) = pattern::softmax_product(graph, hero, &index, &mut indices)? else { return Ok(None) };
        let Some(product) = pattern::score_product(graph, softmax.scores) else { return Ok(None) };
        if product == hero || !self.is_taken_product(product)? {
            return Ok(None);
        }
        let Some(claimed) = self.between(operands[softmax.weights], product) else { return Ok(None) };
        let mut ops = claimed.clone();
        ops.extend([hero, product]);
        for &op in &claimed {
            for &value in &graph.op(op).operands {
                self.take_side(value, product, &claimed, &mut ops)?;
            }
        }
        for &value in graph.op(product).operands.iter().chain([&operands[1 - softmax.weights]]) {
            self.take_moves(value, &mut ops);
        }
        let mut claimed = claimed;
        claimed.extend([hero, product]);
        if !self.is_private(&claimed, hero) || ops.len() > OPS_MAX {
            return Ok(None);
        }
        let root = self.trailing(hero, &mut ops, &mut claimed)?;
        let inputs = self.inputs(&ops);
        Ok(Some(Found { hero, root, ops, claimed, inputs }))
    }

    fn here(&self, value: ValueId) -> Option<OpId> {
        self.graph.producer(value).filter(|op| self.graph.op(*op).block == self.block && !self.taken.contains(op))
    }

    /// Both operands are of types that kernels take, perhaps widened.
    fn is_taken_product(&self, product: OpId) -> Result<bool, PassError> {
        for &value in &self.graph.op(product).operands {
            let mut at = value;
            while let Some(op) = self.here(at).filter(|&op| self.moves(op) || self.widens(op)) {
                at = self.graph.op(op).operands[0];
            }
            if !is_taken(tensor(self.graph, at)?.element) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn moves(&self, op: OpId) -> bool {
        matches!(self.graph.op(op).kind, OpKind::Transpose | OpKind::Reshape | OpKind::BroadcastInDim | OpKind::Slice)
    }

    fn widens(&self, op: OpId) -> bool {
        let data = self.graph.op(op);
        let element = |v: &ValueId| self.graph.ty(*v).as_tensor().map(|t| t.element);
        data.kind == OpKind::Convert
            && data.operands.first().and_then(element).is_some_and(is_narrow)
            && data.results.first().and_then(element) == Some(ElementType::F32)
    }

    /// Ops that lead from the result of `product` to `weights`; `None` where one of them is not what a score is made
    /// of.
    fn between(&self, weights: ValueId, product: OpId) -> Option<BTreeSet<OpId>> {
        let graph = self.graph;
        let mut behind = HashSet::new();
        let mut open = vec![weights];
        while let Some(value) = open.pop() {
            let Some(op) = self.here(value).filter(|&op| op != product && behind.insert(op)) else { continue };
            if behind.len() > 4 * OPS_MAX {
                return None;
            }
            let class = row(graph.op(op).kind)?.class;
            if matches!(class, Class::Elementwise | Class::Index) || graph.op(op).kind == OpKind::Reduce {
                open.extend(&graph.op(op).operands);
            }
        }
        let mut made: HashSet<ValueId> = graph.op(product).results.iter().copied().collect();
        let mut between = BTreeSet::new();
        for &op in &graph.block(self.block).ops {
            let data = graph.op(op);
            if behind.contains(&op) && data.operands.iter().any(|v| made.contains(v)) {
                let class = row(data.kind)?.class;
                let fits = class == Class::Elementwise || self.moves(op) || data.kind == OpKind::Reduce;
                if !fits || !data.regions.is_empty() && data.kind != OpKind::Reduce {
                    return None;
                }
                made.extend(&data.results);
                between.insert(op);
            }
        }
        Some(between)
    }

    /// Takes in what stands beside the scores: moved values, masks, positions.
    fn take_side(
        &self,
        value: ValueId,
        product: OpId,
        claimed: &BTreeSet<OpId>,
        ops: &mut BTreeSet<OpId>,
    ) -> Result<(), PassError> {
        let graph = self.graph;
        let Some(op) = self.here(value).filter(|op| !claimed.contains(op) && *op != product) else { return Ok(()) };
        if ops.contains(&op) || splat_bits(graph, value).is_some() {
            return Ok(());
        }
        let data = graph.op(op);
        let truth = tensor(graph, value)?.element == ElementType::I1;
        let elementwise = row(data.kind).is_some_and(|r| r.class == Class::Elementwise && r.cost <= 2);
        let takes = self.moves(op)
            || self.widens(op)
            || data.kind == OpKind::Iota
            || elementwise && data.regions.is_empty() && (truth || self.of_positions(value, 16));
        if takes {
            ops.insert(op);
            for &operand in &data.operands {
                self.take_side(operand, product, claimed, ops)?;
            }
        }
        Ok(())
    }

    /// Is a value computed from positions and constants alone?
    fn of_positions(&self, value: ValueId, depth: u32) -> bool {
        if splat_bits(self.graph, value).is_some() {
            return true;
        }
        let Some(op) = self.here(value).filter(|_| depth > 0) else { return false };
        let data = self.graph.op(op);
        let cheap = row(data.kind).is_some_and(|r| r.class == Class::Elementwise && r.cost <= 2);
        data.kind == OpKind::Iota
            || (cheap || self.moves(op)) && data.operands.iter().all(|&v| self.of_positions(v, depth - 1))
    }

    /// Takes in the moves and widenings before an operand of a product.
    fn take_moves(&self, mut value: ValueId, ops: &mut BTreeSet<OpId>) {
        while let Some(op) = self.here(value).filter(|&op| self.moves(op) || self.widens(op)) {
            ops.insert(op);
            value = self.graph.op(op).operands[0];
        }
    }

    /// Are the results of claimed ops, but the hero's, read by claimed ops only?
    fn is_private(&self, claimed: &BTreeSet<OpId>, hero: OpId) -> bool {
        claimed.iter().filter(|&&op| op != hero).all(|&op| {
            let results = &self.graph.op(op).results;
            results.iter().filter_map(|r| self.readers.get(r)).flatten().all(|reader| claimed.contains(reader))
        })
    }

    /// Follows the result through moves and conversions that are its only readers; returns the last.
    fn trailing(&self, hero: OpId, ops: &mut BTreeSet<OpId>, claimed: &mut BTreeSet<OpId>) -> Result<OpId, PassError> {
        let graph = self.graph;
        let mut root = hero;
        loop {
            let result = graph.op(root).results[0];
            let Some(&[reader]) = self.readers.get(&result).map(Vec::as_slice) else { return Ok(root) };
            let data = graph.op(reader);
            let same = |r: &ValueId| same_count(graph, *r, result);
            // What is widened is stored narrow: a product reads 16 bits as they lie.
            let converts = data.kind == OpKind::Convert
                && tensor(graph, data.results[0])?.element.is_float()
                && !self.widens(reader);
            let follows = data.block == self.block
                && (converts || is_bijective(graph, reader)?)
                && data.kind != OpKind::Reverse
                && data.results.first().map(same).transpose()? == Some(true);
            if !follows {
                return Ok(root);
            }
            ops.insert(reader);
            claimed.insert(reader);
            root = reader;
        }
    }

    fn inputs(&self, ops: &BTreeSet<OpId>) -> BTreeSet<ValueId> {
        let made = |v: ValueId| self.graph.producer(v).is_some_and(|op| ops.contains(&op));
        let read = ops.iter().flat_map(|&op| self.graph.op(op).operands.iter().copied());
        read.filter(|&v| !made(v) && splat_bits(self.graph, v).is_none()).collect()
    }
}
