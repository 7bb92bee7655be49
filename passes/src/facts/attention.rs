//! Finds attention: the ops from the product of query and key to the product with the values, which become one group.
//!
//! Input: a block of plain ops. Output: for each attention its ops and what it reads from buffers. Taken in besides the
//! ops between the products: what moves query, key and value (transposes, reshapes, broadcasts of heads), conditions on
//! positions and other masks (i1 ops), biases that are moved or computed from positions, conditions and few elements,
//! gathers of keys and values that few rows read (a cache in pages), and moves and a conversion of the result.
//! A row's largest score and its sum of weights may be read elsewhere: they are results too, and what follows from them
//! alone, as the logarithm of the sum, is computed where it is read. So are rounds of a ring found.
//! Rotations of position and the like stay outside, where they join other groups.
//!
//! The ops in the group stay plain ops: where a target has no kernel for it, `fuse::expand_attention` groups them one
//! by one again.
//!
//! Limits: query, key, value and weights of 16 bits or f32; nothing else between the products may be read elsewhere
//! (training).

mod rows;

use std::collections::{BTreeSet, HashMap, HashSet};

use fornax_graph::views::{dim_list, dot_dims};
use fornax_graph::{BlockId, ElementType, Graph, OpId, OpKind, ValueId};
use fornax_plan::index::Indices;

use super::index_maps::is_bijective;
use super::ops::{Class, row, splat_bits, tensor};
use super::pattern::{self, is_narrow, is_taken};
use super::scalar::float_of;
use super::sizes::{same_count, sizes};
use super::softmax::{Softmax, softmax_product};
use crate::errors::PassError;
use crate::remarks::{
    ATTENTION_FULL, ATTENTION_TYPES, Because, NO_SCORE_PRODUCT, READ_BETWEEN, SCORES_TAKEN, VISIBLE_MINUS_INF,
};

/// Ops of one attention, at most.
const OPS_MAX: usize = 96;
/// Ops by which what is added to a score may be computed from loaded elements, at most. Not measured: a score has
/// some ten instructions anyway.
const FORMULA_OPS_MAX: usize = 5;
/// Scores that one element of those stands for, at least. Not measured.
const FEW: i64 = 16;

/// Rows that share keys up to which gathered keys and values are read where they lie: one workgroup reads each of them
/// once. With more rows, tiles are read often, and by bulk copies, whose places are known beforehand: there a copy of
/// what is gathered costs less.
const GATHER_ROWS_MAX: i64 = 16;

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
    /// Of a row's largest score and its sum of weights (f32) those that are read elsewhere.
    pub rows: Vec<ValueId>,
}

/// Of an operand of a product the dimension that it contracts, or that stays; `None` where there are several.
fn row_dimension(graph: &Graph, product: OpId, (side, contracts): (usize, bool)) -> Result<Option<usize>, PassError> {
    let dims = dot_dims(graph.op(product));
    let (batching, contracting) = match side {
        0 => (dims.lhs_batch, dims.lhs_contract),
        _ => (dims.rhs_batch, dims.rhs_contract),
    };
    let rank = tensor(graph, graph.op(product).operands[side])?.rank();
    let free = (0..rank).filter(|d| !batching.contains(d) && !contracting.contains(d)).collect();
    let found: Vec<usize> = if contracts { contracting } else { free };
    Ok(if let &[only] = found.as_slice() { Some(only) } else { None })
}

/// The dimensions, of more than one element, of a shape that dimension `at` of its reshape is made of; none where the
/// reshape cuts one.
fn made_of(from: &[i64], to: &[i64], at: usize) -> Vec<usize> {
    let before: i64 = to.iter().take(at).product();
    let behind = before.saturating_mul(to.get(at).copied().unwrap_or(1));
    let (mut first, mut found) = (1i64, Vec::new());
    for (d, &extent) in from.iter().enumerate() {
        let next = first.saturating_mul(extent);
        if extent != 1 && first >= before && next <= behind {
            found.push(d);
        }
        first = next;
    }
    let made: i64 = found.iter().filter_map(|&d| from.get(d)).product();
    if before.saturating_mul(made) == behind { found } else { Vec::new() }
}

/// What is found in a block.
#[derive(Clone, Debug, Default)]
pub struct Attentions {
    /// No two share a claimed op.
    pub found: Vec<Found>,
    /// Products of what nearly are weights with values, and why they are none.
    pub missed: Vec<(OpId, Because)>,
}

/// Every attention of a block.
pub fn find(graph: &Graph, block: BlockId) -> Result<Attentions, PassError> {
    let mut all = Attentions::default();
    let ops = &graph.block(block).ops;
    if ops.iter().filter(|&&op| graph.op(op).kind == OpKind::DotGeneral).count() < 2 {
        return Ok(all);
    }
    let readers = readers(graph);
    for &op in ops.iter().filter(|&&op| graph.op(op).kind == OpKind::DotGeneral) {
        let taken = all.found.iter().flat_map(|f| f.claimed.iter().copied()).collect();
        let finder = Finder { graph, block, readers: &readers, taken };
        match finder.attention(op)? {
            Some(Ok(found)) => all.found.push(found),
            Some(Err(because)) => all.missed.push((op, because)),
            None => {}
        }
    }
    Ok(all)
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
    /// The attention that ends in a product; why there is none, where there nearly is one.
    fn attention(&self, hero: OpId) -> Result<Option<Result<Found, Because>>, PassError> {
        let graph = self.graph;
        let operands = graph.op(hero).operands.clone();
        let mut indices = Indices::default();
        let mut index = Vec::new();
        for n in sizes(graph, graph.op(hero).results[0], &mut indices)? {
            let var = indices.add_sized_var(n);
            index.push(indices.var(var));
        }
        let softmax = match softmax_product(graph, hero, &index, &mut indices)? {
            Some(Ok(softmax)) => softmax,
            Some(Err(because)) => return Ok(Some(Err(because))),
            None => return Ok(None),
        };
        let refused = |because: Because| Ok(Some(Err(because)));
        for &value in &operands {
            if !is_taken(tensor(graph, value)?.element) {
                return refused(ATTENTION_TYPES.of([]));
            }
        }
        let product = pattern::score_product(graph, softmax.scores).filter(|&product| product != hero);
        let Some(product) = product else { return refused(NO_SCORE_PRODUCT.of([])) };
        // A chain of softmax and product: the scores are what another attention gives.
        if self.taken.contains(&product) {
            return refused(SCORES_TAKEN.of([]));
        }
        if !self.is_taken_product(product)? {
            return refused(ATTENTION_TYPES.of([]));
        }
        let Some(claimed) = self.between(operands[softmax.weights], product) else {
            return refused(NO_SCORE_PRODUCT.of([]));
        };
        let masked = softmax.empty_is_zero && !softmax.visible.is_empty();
        if masked && self.may_be_infinite(softmax.scores, product)? {
            return refused(VISIBLE_MINUS_INF.of([]));
        }
        let mut ops = self.with_sides(&softmax, product, &claimed)?;
        ops.extend([hero, product]);
        let gathers = self.shared_rows(product)? <= GATHER_ROWS_MAX;
        let values = 1 - softmax.weights;
        for (op, side, contracts) in [(product, 0, false), (product, 1, false), (hero, values, true)] {
            let rows = row_dimension(graph, op, (side, contracts))?;
            self.take_moves(graph.op(op).operands[side], (gathers, rows), &mut ops);
        }
        let mut claimed = claimed;
        claimed.extend([hero, product]);
        let rows = self.rows_read(&softmax, hero, &mut claimed)?;
        if !self.is_private(&claimed, (hero, &rows)) {
            return refused(READ_BETWEEN.of([]));
        }
        if ops.len() > OPS_MAX {
            return refused(ATTENTION_FULL.of([ops.len() as i64, OPS_MAX as i64]));
        }
        let root = self.trailing(hero, &mut ops, &mut claimed)?;
        let inputs = self.inputs(&ops);
        Ok(Some(Ok(Found { hero, root, ops, claimed, inputs, rows })))
    }

    /// The claimed ops and what is added to them.
    fn with_sides(
        &self,
        softmax: &Softmax,
        product: OpId,
        claimed: &BTreeSet<OpId>,
    ) -> Result<BTreeSet<OpId>, PassError> {
        let mut ops = claimed.clone();
        for &op in claimed {
            for &value in &self.graph.op(op).operands {
                self.take_side(value, product, claimed, &mut ops)?;
            }
        }
        // A condition on rows that is known from the columns' is not computed: its reduction comes along.
        for &condition in &softmax.row_conditions {
            let reduce = self.here(condition).filter(|&op| self.graph.op(op).kind == OpKind::Reduce);
            for value in reduce.filter(|op| ops.insert(*op)).map_or(&[][..], |op| &self.graph.op(op).operands) {
                self.take_side(*value, product, claimed, &mut ops)?;
            }
        }
        Ok(ops)
    }

    /// May scores be −∞ though the product is finite: by a mask, by a bias that is loaded?
    fn may_be_infinite(&self, value: ValueId, product: OpId) -> Result<bool, PassError> {
        let mut open = vec![value];
        let mut seen = HashSet::new();
        while let Some(value) = open.pop() {
            let ty = tensor(self.graph, value)?;
            if !ty.element.is_float() || !seen.insert(value) {
                continue;
            }
            if let Some(bits) = splat_bits(self.graph, value) {
                if float_of(ty.element, bits).is_none_or(|constant| !constant.is_finite()) {
                    return Ok(true);
                }
                continue;
            }
            let Some(op) = self.here(value) else { return Ok(true) };
            let data = self.graph.op(op);
            if op == product || data.kind == OpKind::Iota {
                continue;
            }
            if !self.moves(op) && row(data.kind).is_none_or(|r| r.class != Class::Elementwise) {
                return Ok(true);
            }
            open.extend(&data.operands);
        }
        Ok(false)
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

    /// Takes in what is added to the scores: moved values, masks, positions.
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
            || elementwise && data.regions.is_empty() && (truth || self.is_formula(value, product)?);
        if takes {
            ops.insert(op);
            for &operand in &data.operands {
                self.take_side(operand, product, claimed, ops)?;
            }
        }
        Ok(())
    }

    /// Is a value computed from positions and constants, or at little cost from few elements or conditions? Then it
    /// costs less where the scores are than a kernel of its own, and memory.
    fn is_formula(&self, value: ValueId, product: OpId) -> Result<bool, PassError> {
        let scores = tensor(self.graph, self.graph.op(product).results[0])?.static_shape();
        let scores = scores.map_or(0, |shape| shape.iter().product::<i64>());
        let (mut open, mut seen) = (vec![value], HashSet::new());
        let (mut cost, mut loads) = (0, false);
        while let Some(value) = open.pop() {
            if splat_bits(self.graph, value).is_some() || !seen.insert(value) {
                continue;
            }
            let op = self.here(value).filter(|&op| {
                let cheap = row(self.graph.op(op).kind).is_some_and(|r| r.class == Class::Elementwise && r.cost <= 2);
                cheap || self.moves(op) || self.graph.op(op).kind == OpKind::Iota
            });
            let Some(op) = op else {
                let ty = tensor(self.graph, value)?;
                let elements = ty.static_shape().map_or(i64::MAX, |shape| shape.iter().product());
                if ty.element != ElementType::I1 && elements.saturating_mul(FEW) > scores {
                    return Ok(false);
                }
                loads = true;
                continue;
            };
            cost += if self.moves(op) { 0 } else { 1 };
            open.extend(&self.graph.op(op).operands);
        }
        Ok(cost <= if loads { FORMULA_OPS_MAX } else { OPS_MAX })
    }

    /// Rows of queries for each head of keys; of either operand, as the fewer ones are queries.
    fn shared_rows(&self, product: OpId) -> Result<i64, PassError> {
        let dims = dot_dims(self.graph.op(product));
        let sides = [(&dims.lhs_batch, &dims.lhs_contract), (&dims.rhs_batch, &dims.rhs_contract)];
        let mut least = i64::MAX;
        for (&value, (batching, contracting)) in self.graph.op(product).operands.iter().zip(sides) {
            let Some(shape) = tensor(self.graph, value)?.static_shape() else { return Ok(i64::MAX) };
            let own = shape.iter().enumerate().filter(|(d, _)| !batching.contains(d) && !contracting.contains(d));
            least = least.min(own.map(|(_, &size)| size).product());
        }
        Ok(least)
    }

    /// Takes in the moves and widenings before an operand of a product, and gathers where they are wanted, with the
    /// moves of their numbers. A gather that stays outside keeps the moves behind it, up to what makes
    /// more bytes of it: what is copied anyway is copied to where it is wanted. So do moves that take `rows` apart.
    fn take_moves(&self, mut value: ValueId, (gathers, rows): (bool, Option<usize>), ops: &mut BTreeSet<OpId>) {
        let kind = |op: OpId| self.graph.op(op).kind;
        let mut chain = Vec::new();
        let mut rows = rows.filter(|_| !gathers);
        while let Some(op) = self.here(value) {
            let is_gather = kind(op) == OpKind::Gather;
            if is_gather && !gathers || self.takes_rows_apart(op, &mut rows) {
                let grows = |&op: &OpId| kind(op) == OpKind::BroadcastInDim || self.widens(op);
                chain.truncate(chain.iter().rposition(grows).map_or(0, |at| at + 1));
                break;
            }
            if is_gather {
                self.take_moves(self.graph.op(op).operands[1], (false, None), ops);
            } else if !self.moves(op) && !self.widens(op) {
                break;
            }
            chain.push(op);
            value = self.graph.op(op).operands[0];
        }
        ops.extend(chain);
    }

    /// Follows the dimension of rows from the op's result to its operand. True for a reshape that makes it of several
    /// which a transpose before it brought together: these rows do not lie one behind the other, and no tensor map
    /// describes them. Such are rows that devices have gathered behind those of another dimension.
    fn takes_rows_apart(&self, op: OpId, rows: &mut Option<usize>) -> bool {
        let Some(at) = rows.take() else { return false };
        let data = self.graph.op(op);
        let shape = |value: ValueId| tensor(self.graph, value).ok().and_then(|ty| ty.static_shape());
        match data.kind {
            OpKind::Transpose => *rows = dim_list(data, "permutation").get(at).copied(),
            OpKind::Reshape => {
                let (Some(from), Some(to)) = (shape(data.operands[0]), shape(data.results[0])) else { return false };
                let merged = made_of(&from, &to, at);
                let before = self.here(data.operands[0]).map(|op| self.graph.op(op));
                let before = before.filter(|before| before.kind == OpKind::Transpose);
                match (merged.as_slice(), before) {
                    (&[only], _) => *rows = Some(only),
                    (_, Some(before)) => {
                        let Some(source) = shape(before.operands[0]) else { return false };
                        let permutation = dim_list(before, "permutation");
                        let places: Vec<usize> = merged.iter().filter_map(|&d| permutation.get(d).copied()).collect();
                        let together = |pair: &[usize]| {
                            pair[0] < pair[1]
                                && source.iter().take(pair[1]).skip(pair[0] + 1).all(|&extent| extent == 1)
                        };
                        return !places.windows(2).all(together);
                    }
                    _ => {}
                }
            }
            OpKind::Convert | OpKind::Slice => *rows = Some(at),
            _ => {}
        }
        false
    }

    /// Are the results of claimed ops, but the hero's and those of rows, read by claimed ops only?
    fn is_private(&self, claimed: &BTreeSet<OpId>, (hero, rows): (OpId, &[ValueId])) -> bool {
        claimed.iter().filter(|&&op| op != hero).all(|&op| {
            let results = self.graph.op(op).results.iter().filter(|r| !rows.contains(r));
            results.filter_map(|r| self.readers.get(r)).flatten().all(|reader| claimed.contains(reader))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::import;

    #[test]
    fn a_dimension_is_made_of_whole_ones() {
        assert_eq!(made_of(&[8, 2, 1, 16, 4], &[8, 32, 4], 1), [1, 3]);
        assert_eq!(made_of(&[8, 2, 16, 4], &[16, 16, 4], 1), [2]);
        assert_eq!(made_of(&[8, 2, 16, 4], &[8, 2, 8, 8], 2), [0usize; 0]);
    }

    /// Transposes that the attention takes in, with keys and values as `moved` makes them of an argument.
    fn taken(argument: &str, moved: &str) -> usize {
        let text = format!(
            "func.func @main(%q: tensor<8x64x16xbf16>, %a: tensor<{argument}xbf16>) -> tensor<8x64x16xbf16> {{
               {moved}
               %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2]
                 : (tensor<8x64x16xbf16>, tensor<8x64x16xbf16>) -> tensor<8x64x64xf32>
               %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
               %zero = stablehlo.constant dense<0.0> : tensor<f32>
               %m = stablehlo.reduce(%s init: %low) applies stablehlo.maximum across dimensions = [2]
                 : (tensor<8x64x64xf32>, tensor<f32>) -> tensor<8x64xf32>
               %mb = stablehlo.broadcast_in_dim %m, dims = [0, 1] : (tensor<8x64xf32>) -> tensor<8x64x64xf32>
               %d = stablehlo.subtract %s, %mb : tensor<8x64x64xf32>
               %e = stablehlo.exponential %d : tensor<8x64x64xf32>
               %t = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2]
                 : (tensor<8x64x64xf32>, tensor<f32>) -> tensor<8x64xf32>
               %tb = stablehlo.broadcast_in_dim %t, dims = [0, 1] : (tensor<8x64xf32>) -> tensor<8x64x64xf32>
               %w = stablehlo.divide %e, %tb : tensor<8x64x64xf32>
               %n = stablehlo.convert %w : (tensor<8x64x64xf32>) -> tensor<8x64x64xbf16>
               %o = stablehlo.dot_general %n, %k, batching_dims = [0] x [0], contracting_dims = [2] x [1]
                 : (tensor<8x64x64xbf16>, tensor<8x64x16xbf16>) -> tensor<8x64x16xbf16>
               return %o : tensor<8x64x16xbf16>
             }}"
        );
        let graph = import(&text);
        let entry = graph.entry(graph.function("main").unwrap()).unwrap();
        let found = find(&graph, entry).unwrap().found;
        assert_eq!(found.len(), 1, "{moved}");
        found[0].ops.iter().filter(|&&op| graph.op(op).kind == OpKind::Transpose).count()
    }

    #[test]
    fn rows_that_devices_gathered_are_copied_before() {
        let gathered = "%0 = stablehlo.transpose %a, dims = [1, 0, 2, 3]
               : (tensor<2x8x32x16xbf16>) -> tensor<8x2x32x16xbf16>
             %k = stablehlo.reshape %0 : (tensor<8x2x32x16xbf16>) -> tensor<8x64x16xbf16>";
        assert_eq!(taken("2x8x32x16", gathered), 0);
        // Heads of texts are another dimension than rows.
        let heads = "%0 = stablehlo.transpose %a, dims = [0, 2, 1, 3]
               : (tensor<2x64x4x16xbf16>) -> tensor<2x4x64x16xbf16>
             %k = stablehlo.reshape %0 : (tensor<2x4x64x16xbf16>) -> tensor<8x64x16xbf16>";
        assert_eq!(taken("2x64x4x16", heads), 1);
        // Rows in two dimensions that lie together.
        let together = "%0 = stablehlo.transpose %a, dims = [2, 0, 1, 3]
               : (tensor<4x16x8x16xbf16>) -> tensor<8x4x16x16xbf16>
             %k = stablehlo.reshape %0 : (tensor<8x4x16x16xbf16>) -> tensor<8x64x16xbf16>";
        assert_eq!(taken("4x16x8x16", together), 1);
    }
}
