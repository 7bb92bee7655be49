//! Weights that a GEMV can read narrower than they are: its kernel computes them from what is stored.
//!
//! A product reads its operands many times, but with few rows each element of the other, long operand once: there a
//! few operations on an element cost less than its bytes. Input: a product with at most [`SHORT_MAX`] rows, and the ops
//! before its long operand. Output: which of those ops its kernel should evaluate, so that the fewest bytes are read.
//! Kernels of processors lay such an operand in the caches and use it for all rows, however many they are
//! ([`Rows::Any`]). So do warpgroups, in shared memory, in products of 16-bit floats ([`Rows::Halves`]); where a
//! target has none the operand is stored (`fuse::expand_computed`).
//!
//! Worked example: `x[1, 2048] · w[2048, 2048]`, `w = (convert(q) - 8) * d`, `q` of 8 bits, `d` one f16 for 32 of them:
//! 4.5 MB instead of 16.8. The subtraction, the product and both conversions are the kernel's; what makes `q` of packed
//! bytes, if it takes more than one byte for each, is stored.
//!
//! Where a product's matrices are picked by number (`facts::picked`), bytes and elements are those of the picked ones:
//! of a scale for each of 8 experts' outputs, a quarter is read for 2 experts.

use std::collections::{BTreeSet, HashMap, HashSet};

use fornax_graph::views::dot_dims;
use fornax_graph::{ElementType, Graph, OpId, OpKind, ValueId};
use fornax_kernels::sizing::SHORT_MAX;

use super::ops::splat_bits;
use super::picked;
use super::products::{is_product, rows_and_long_operand};

/// The operand's bytes over those read instead, at least.
const GAIN_MIN: f64 = 1.5;
/// Elements of the operand for one of a value, from which that value is stored: its bytes matter less than its work.
const SHARED_MIN: f64 = 8.0;
/// Bytes saved, of all that the product reads, from which such a value is not stored all the same. Source: the scales
/// and least values of Q4_K's blocks are 15 % as f32, those of Q6_K's 17 %.
const SAVED_MIN: f64 = 1.0 / 16.0;
/// Products of a sum that is looked at, at most.
const ADDED_MAX: usize = 16;
/// Ops that join bits of several bytes, one before another, that are looked through.
const MIXED_MAX: usize = 2;
/// Ops between the operand and what is read, at most.
const DEPTH_MAX: usize = 16;

/// Sizes that the last dimension of an operand is a multiple of, where many rows are multiplied by it: the lanes of the
/// longest vectors of processors, in f32.
const LANES: i64 = 16;
/// The same of an operand of 16-bit floats: the steps of a block of warpgroups' products.
const BLOCK: i64 = 64;
/// Rows of a product of 16-bit floats that may compute its long operand, at most: what a tile has. For more rows each
/// weight is computed again. Of Llama 3.1 8B's shapes in Q4_0 a prompt's call of 32 and 128 tokens takes 9.1 and 11.1
/// ms, with stored weights 14.8 and 15.9 (one H200).
const HALVES_ROWS_MAX: i64 = 128;
/// The same of an operand that takes so many times the bytes that are read instead: what is computed again hides behind
/// the matrix unit for the most part, and what is stored is stored in every call. Weights of about a byte are not: they
/// are made once (`program::run_at_load`). Llama 3.1 8B, 512 tokens, one H200, 2026-12-01, ms with stored weights and
/// with computed ones: Q4_0 23.3, 18.0, Q4_K 26.9, 20.4; E4M3 14.3, 17.9, Q6_K 14.8, 21.6. 8 layers, Q5_K 7.33, 5.78;
/// 1024 tokens Q4_0 8.59, 8.43, Q4_K 9.29, 9.59.
const NARROW_ROWS_MAX: i64 = 512;
const NARROW_GAIN: f64 = 2.75;

/// Rows of products whose kernels compute their long operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    /// At most [`SHORT_MAX`].
    Few,
    /// Of 16-bit floats up to as many as a tile has: a target may be a GPU.
    Halves,
    /// Any number: all targets are processors.
    Any,
}

/// Ops that make one element of one element of each operand, at the price of an addition.
pub fn is_cheap(kind: OpKind) -> bool {
    matches!(
        kind,
        OpKind::Convert
            | OpKind::Add
            | OpKind::Subtract
            | OpKind::Multiply
            | OpKind::And
            | OpKind::Or
            | OpKind::ShiftLeft
            | OpKind::ShiftRightLogical
            | OpKind::ShiftRightArithmetic
            | OpKind::Reshape
            | OpKind::BroadcastInDim
    )
}

/// Whether an op counts along a dimension other than the last: lanes, which lie along that, have its numbers in common.
pub fn counts_across(graph: &Graph, op: OpId) -> bool {
    let data = graph.op(op);
    let rank = data.results.first().and_then(|&result| graph.ty(result).as_tensor()).map_or(0, |ty| ty.shape.len());
    let along = data.attrs.int("iota_dimension").and_then(|d| usize::try_from(d).ok());
    data.kind == OpKind::Iota && along.is_some_and(|along| along + 1 < rank)
}

/// Ops that move elements, and change at most their type.
fn only_moves(kind: OpKind) -> bool {
    matches!(kind, OpKind::Convert | OpKind::Reshape | OpKind::BroadcastInDim | OpKind::Slice)
}

/// Whether the kernel of a product evaluates an op before its long operand. `others` are products that the kernel adds
/// to this one: what several read is read once.
///
/// Worked example: Q6_K, a product of elements whose four lower bits are a byte's lower half and one of those that are
/// its upper half. Each element reads a byte of both, which both products have in common, and another byte that has two
/// bits of four elements: three quarters of a byte in all, where it would be stored as one.
pub fn is_evaluated(graph: &Graph, op: OpId, (product, others): (OpId, &[OpId]), rows: Rows) -> bool {
    let Some((long, mut reads)) = narrowed(graph, product, rows) else { return false };
    if !others.is_empty() {
        reads.known.clear();
        let made = others.iter().filter_map(|&other| Some(reached(graph, narrow_operand(graph, other, rows)?)));
        reads.others = made.collect();
        reads.least(graph, long, (1.0, DEPTH_MAX));
    }
    let data = graph.op(op);
    let Some(&result) = data.results.first().filter(|_| reads.passes(graph, op)) else { return false };
    let Some(share) = reads.known.get(&result).map(|read| read.share) else { return false };
    let (Some(own), Some(operand)) = (elements(graph, result), elements(graph, long)) else { return false };
    let is_shared = own * share * SHARED_MIN <= operand && !only_moves(data.kind);
    let all = reads.known.get(&long).map_or(0.0, |read| read.least);
    let below = reads.below(graph, op, (share, DEPTH_MAX)).zip(bytes(graph, result));
    let readers = reads.readers(result);
    below.is_some_and(|(below, own)| {
        let saved = own * share / readers - below;
        saved >= 0.0 && (!is_shared || saved >= all * SAVED_MIN)
    })
}

/// Whether an op cuts what a product's long operand is made of out of longer rows of an argument or a constant, or
/// transposes the few numbers that many elements share: once for all calls, where that is the same in every call.
pub fn is_cut_out(graph: &Graph, op: OpId, product: OpId, rows: Rows) -> bool {
    let data = graph.op(op);
    let (&[whole], &[part]) = (&data.operands[..], &data.results[..]) else { return false };
    let is_given = graph.producer(whole).is_none_or(|op| graph.op(op).kind == OpKind::Constant);
    let Some((long, reads)) = narrowed(graph, product, rows).filter(|_| is_given) else { return false };
    let last = |value| graph.ty(value).as_tensor().and_then(|ty| ty.shape.last().copied());
    let is_shared =
        || elements(graph, part).zip(elements(graph, long)).is_some_and(|(own, all)| own * SHARED_MIN <= all);
    let moves = match data.kind {
        OpKind::Slice => last(whole) != last(part),
        OpKind::Transpose => is_shared(),
        _ => false,
    };
    moves && reads.known.contains_key(&part)
}

/// Whether an op adds up products that read the same bytes.
pub fn adds_parts(graph: &Graph, op: OpId) -> bool {
    let products = added(graph, op, usize::MAX);
    let operand = |product: Option<&OpId>| narrow_operand(graph, *product?, Rows::Few);
    let (Some(first), Some(last)) = (operand(products.first()), operand(products.last())) else { return false };
    let bytes = |values: &[ValueId]| source_bytes(graph, values).unwrap_or(0.0);
    bytes(&[first, last]) < bytes(&[first]) + bytes(&[last])
}

/// Products that an op adds up, two at least, each to the sum of those before; none where another value is added, or
/// more than `most` are.
fn added(graph: &Graph, op: OpId, most: usize) -> Vec<OpId> {
    let (mut products, mut next) = (Vec::new(), Some(op));
    while let Some(op) = next.filter(|_| products.len() < most) {
        let data = graph.op(op);
        if is_product(graph, op) && !products.is_empty() {
            products.push(op);
            products.reverse();
            return products;
        }
        let (&[a, b], OpKind::Add) = (&data.operands[..], data.kind) else { break };
        let Some(last) = graph.producer(b).filter(|&op| is_product(graph, op)) else { break };
        products.push(last);
        next = graph.producer(a);
    }
    Vec::new()
}

/// Products that some ops add up, a few each.
pub fn sums(graph: &Graph, ops: &BTreeSet<OpId>) -> Vec<Vec<OpId>> {
    ops.iter().map(|&op| added(graph, op, ADDED_MAX)).filter(|sum| !sum.is_empty()).collect()
}

/// The products that are added to one.
pub fn added_to(sums: &[Vec<OpId>], product: OpId) -> Vec<OpId> {
    let whole = sums.iter().filter(|sum| sum.contains(&product)).max_by_key(|sum| sum.len());
    whole.into_iter().flatten().copied().filter(|&other| other != product).collect()
}

/// The long operand of a product that can be read narrower than it is.
pub fn narrow_operand(graph: &Graph, product: OpId, rows: Rows) -> Option<ValueId> {
    Some(narrowed(graph, product, rows)?.0)
}

/// That operand with what its product reads of what it is made of.
fn narrowed(graph: &Graph, product: OpId, rows: Rows) -> Option<(ValueId, Reads)> {
    let (count, long) = rows_and_long_operand(graph, product)?;
    if count <= SHORT_MAX {
        return Some((long, narrower(graph, product, (long, false), rows)?));
    }
    if rows == Rows::Few || rows == Rows::Halves && (count > NARROW_ROWS_MAX || !is_halves(graph, product)) {
        return None;
    }
    if rows == Rows::Halves {
        let operand = Some(long).filter(|&long| lies_along(graph, product, (long, BLOCK)))?;
        let reads = narrower(graph, product, (operand, true), rows)?;
        let gains = || Some(bytes(graph, operand)? >= NARROW_GAIN * reads.once(graph, operand)?);
        return (count <= HALVES_ROWS_MAX || gains()?).then_some((operand, reads));
    }
    // Of many rows and many columns either may be computed.
    let mut both = graph.op(product).operands.iter().filter(|&&operand| lies_in_vectors(graph, product, operand));
    both.find_map(|&operand| Some((operand, narrower(graph, product, (operand, true), rows)?)))
}

/// What a product reads of an operand where that is fewer bytes; `joins` says whether parts are joined where they are
/// multiplied.
fn narrower(graph: &Graph, product: OpId, (operand, joins): (ValueId, bool), rows: Rows) -> Option<Reads> {
    let picks = picked::matrices(graph, product);
    let mut reads = Reads { known: HashMap::new(), picks, joins, mixes: rows != Rows::Any, others: Vec::new() };
    let least = reads.least(graph, operand, (1.0, DEPTH_MAX))?;
    let gains = bytes(graph, operand)? >= GAIN_MIN * least;
    let of_bytes =
        || Some(sources(graph, &[operand])?.into_iter().max_by(|a, b| a.elements.total_cmp(&b.elements))?.each == 1);
    (gains && of_bytes()?).then_some(reads)
}

/// Whether an operand of a product of f32 lies along what is summed up, in whole vectors.
fn lies_in_vectors(graph: &Graph, product: OpId, long: ValueId) -> bool {
    let element = |value| graph.ty(value).as_tensor().map(|ty| ty.element);
    let result = graph.op(product).results[0];
    [long, result].iter().all(|&value| element(value) == Some(ElementType::F32))
        && lies_along(graph, product, (long, LANES))
}

/// Whether both operands of a product are of one type of 16-bit floats.
fn is_halves(graph: &Graph, product: OpId) -> bool {
    let element = |value: &ValueId| graph.ty(*value).as_tensor().map(|ty| ty.element);
    let mut elements = graph.op(product).operands.iter().map(element);
    let first = elements.next().flatten();
    matches!(first, Some(ElementType::Bf16 | ElementType::F16)) && elements.all(|other| other == first)
}

/// Whether an operand lies along what is summed up, a multiple of `unit` elements of it, of at least [`LANES`] outputs.
fn lies_along(graph: &Graph, product: OpId, (long, unit): (ValueId, i64)) -> bool {
    let data = graph.op(product);
    if data.kind != OpKind::DotGeneral {
        return false;
    }
    let numbers = dot_dims(data);
    let (contract, batch) = match data.operands.first() == Some(&long) {
        true => (&numbers.lhs_contract, &numbers.lhs_batch),
        false => (&numbers.rhs_contract, &numbers.rhs_batch),
    };
    let Some(shape) = graph.ty(long).as_tensor().and_then(|ty| ty.static_shape()) else { return false };
    let own = shape.len().saturating_sub(contract.len());
    let is_last = contract.iter().copied().eq(own..shape.len());
    is_last
        && batch.is_empty()
        && shape.last().is_some_and(|size| size % unit == 0)
        && shape.iter().take(own).product::<i64>() >= LANES
}

/// What a product reads of a value.
struct Read {
    /// The fewest bytes from which that can be made by cheap ops.
    least: f64,
    /// The part of the value.
    share: f64,
}

/// What a product reads of the values that its long operand is made of.
struct Reads {
    known: HashMap<ValueId, Read>,
    /// The op that picks its matrices.
    picks: Option<OpId>,
    /// Parts are joined where they are multiplied: many rows use what that takes.
    joins: bool,
    /// Elements may be made of bits of several bytes. Processors extract few at a time. Source: eight layers of Llama
    /// 3.1 8B in Q6_K and in Q5_K, two cores with AVX-512: a step of 73 and 76 ms would take 129 and 172.
    mixes: bool,
    /// What each product that is added to it reads.
    others: Vec<HashSet<ValueId>>,
}

impl Reads {
    /// Whether an op makes elements of as many, takes some of what is made, or is the one that picks.
    fn passes(&self, graph: &Graph, op: OpId) -> bool {
        let data = graph.op(op);
        let is_made = || is_cut_of_made(graph, data.operands[0]);
        let joins = self.joins && data.kind == OpKind::Concatenate;
        let is_own = self.picks == Some(op) || counts_across(graph, op);
        let is_cheap = is_cheap(data.kind) && (data.kind != OpKind::Or || self.mixes);
        joins || is_own || is_cheap || data.kind == OpKind::Slice && is_made()
    }

    /// Products that read a value.
    fn readers(&self, value: ValueId) -> f64 {
        1.0 + self.others.iter().filter(|other| other.contains(&value)).count() as f64
    }

    /// The fewest bytes for a part of a value; `None` for sizes that are not known.
    fn least(&mut self, graph: &Graph, value: ValueId, (share, depth): (f64, usize)) -> Option<f64> {
        if let Some(read) = self.known.get(&value) {
            return Some(read.least);
        }
        if splat_bits(graph, value).is_some() {
            return Some(0.0);
        }
        let mut least = bytes(graph, value)? * share / self.readers(value);
        if let Some(op) = graph.producer(value).filter(|&op| depth > 0 && self.passes(graph, op)) {
            least = least.min(self.below(graph, op, (share, depth))?);
        }
        self.known.insert(value, Read { least, share });
        Some(least)
    }

    /// The same for the operands of an op, of whose result a part is read.
    fn below(&mut self, graph: &Graph, op: OpId, (share, depth): (f64, usize)) -> Option<f64> {
        if self.picks == Some(op) {
            let share = share * picked::share(graph, op)?;
            return self.least(graph, picked::table(graph, op)?, (share, depth));
        }
        let data = graph.op(op);
        let share = match data.kind {
            OpKind::Slice => share * elements(graph, data.results[0])? / elements(graph, data.operands[0])?.max(1.0),
            _ => share,
        };
        data.operands.iter().map(|&value| self.least(graph, value, (share, depth.saturating_sub(1)))).sum()
    }

    /// Bytes of all that a value is made of, each once: two halves of a byte are one. `None` for sizes that are not
    /// known.
    fn once(&self, graph: &Graph, value: ValueId) -> Option<f64> {
        let (mut next, mut seen, mut sum) = (vec![value], HashSet::new(), 0.0);
        while let Some(value) = next.pop() {
            if !seen.insert(value) || splat_bits(graph, value).is_some() {
                continue;
            }
            let own = bytes(graph, value)?;
            let is_made = |op: &OpId| {
                self.passes(graph, *op) && self.known.get(&value).is_some_and(|read| read.least <= own * read.share)
            };
            match graph.producer(value).filter(is_made) {
                Some(op) => next.extend(&graph.op(op).operands),
                None => sum += own,
            }
        }
        Some(sum)
    }
}

/// All values that one is made of by cheap ops and by moves.
fn reached(graph: &Graph, value: ValueId) -> HashSet<ValueId> {
    let (mut next, mut seen) = (vec![value], HashSet::new());
    while let Some(value) = next.pop() {
        if !seen.insert(value) {
            continue;
        }
        if let Some(op) = graph.producer(value) {
            let data = graph.op(op);
            if is_cheap(data.kind) || data.kind == OpKind::Slice {
                next.extend(&data.operands);
            }
        }
    }
    seen
}

/// Whether a value is made by a cheap op, or cut out of such.
fn is_cut_of_made(graph: &Graph, mut value: ValueId) -> bool {
    while let Some(op) = graph.producer(value).map(|op| graph.op(op)) {
        if op.kind != OpKind::Slice {
            return is_cheap(op.kind);
        }
        value = op.operands[0];
    }
    false
}

/// What values are made of by cheap ops.
struct Source {
    elements: f64,
    /// Bytes of an element.
    each: usize,
}

/// All that values are made of by cheap ops, each once; `None` for sizes that are not known.
fn sources(graph: &Graph, values: &[ValueId]) -> Option<Vec<Source>> {
    sources_within(graph, values, MIXED_MAX)
}

/// The same, with bits of several bytes in an element of such at most so often.
fn sources_within(graph: &Graph, values: &[ValueId], mixed: usize) -> Option<Vec<Source>> {
    let (mut next, mut seen, mut found) = (values.to_vec(), HashSet::new(), Vec::new());
    while let Some(value) = next.pop() {
        if !seen.insert(value) || splat_bits(graph, value).is_some() {
            continue;
        }
        if let Some(op) = graph.producer(value) {
            let data = graph.op(op);
            // What is packed of more bytes than it has is read packed.
            let is_packed = || {
                let below = sources_within(graph, &data.operands, mixed.checked_sub(1)?)?;
                Some(bytes(graph, value)? <= bytes_of(&below))
            };
            let stays = data.kind == OpKind::Or && is_packed().unwrap_or(true);
            if is_cheap(data.kind) && !stays || counts_across(graph, op) {
                next.extend(&data.operands);
                continue;
            }
            if let Some(table) = picked::table(graph, op) {
                next.push(table);
                continue;
            }
        }
        let tensor = graph.ty(value).as_tensor()?;
        found.push(Source { elements: elements(graph, value)?, each: tensor.element.storage_bytes() });
    }
    Some(found)
}

/// Bytes of all that values are made of by cheap ops, each once; `None` for sizes that are not known.
pub fn source_bytes(graph: &Graph, values: &[ValueId]) -> Option<f64> {
    Some(bytes_of(&sources(graph, values)?))
}

fn bytes_of(sources: &[Source]) -> f64 {
    sources.iter().map(|source| source.elements * source.each as f64).sum()
}

/// The most elements that any has of what a value is made of by cheap ops; 0 for sizes that are not known.
pub fn most_elements(graph: &Graph, value: ValueId) -> f64 {
    let all = sources(graph, &[value]).unwrap_or_default();
    all.iter().map(|source| source.elements).fold(0.0, f64::max)
}

/// Whether a group has a product with many rows whose operand of 16-bit floats it computes.
pub fn computes_operand(graph: &Graph, fusion: OpId) -> bool {
    let inner = graph.op(fusion).regions.iter().flat_map(|&region| &graph.region(region).blocks);
    let ops = inner.flat_map(|&block| &graph.block(block).ops).copied();
    let mut products = ops.filter(|&op| is_product(graph, op) && is_halves(graph, op));
    products.any(|product| {
        let rows = rows_and_long_operand(graph, product);
        rows.is_some_and(|(rows, long)| rows > SHORT_MAX && is_computed(graph, long))
    })
}

/// Whether more than moves of elements is done to make a value.
fn is_computed(graph: &Graph, mut value: ValueId) -> bool {
    while let Some(op) = graph.producer(value) {
        let data = graph.op(op);
        if !only_moves(data.kind) {
            return is_cheap(data.kind);
        }
        value = data.operands[0];
    }
    false
}

fn elements(graph: &Graph, value: ValueId) -> Option<f64> {
    let tensor = graph.ty(value).as_tensor()?;
    Some(tensor.static_shape()?.iter().map(|&size| size as f64).product())
}

fn bytes(graph: &Graph, value: ValueId) -> Option<f64> {
    let each = graph.ty(value).as_tensor()?.element.storage_bytes();
    Some(elements(graph, value)? * each as f64)
}
