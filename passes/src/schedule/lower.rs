//! A fusion group as a kernel body: index maps and scalar nodes, by recursion from the stored values to the loads.
//!
//! Input: a `fornax.fusion` op. Output: [`Lowered`], a kernel plan without a schedule; `heroes` makes it of what is
//! here. The element of a value at a multi-index is asked for by `value_at`, memoised by (value, index, mask);
//! elementwise ops become nodes, index ops change the index, operands become loads at the row-major offset.
//!
//! Worked example: `yield add(transpose x, broadcast b)` with x: `[3, 5]`, b: `[3]`, domain (i, j) over `[5, 3]`:
//! `store[3·i + j] = add(load x[5·j + i], load b[j])`.
//!
//! The domain is the index space of the hero's result, or of the first stored value. Values stored with it are one to
//! one with it through reshapes, transposes and reversals, so their store offsets are expressions of the same
//! variables.

use fornax_plan::Unscheduled;
use std::collections::HashMap;

use fornax_graph::views::dim_list;
use fornax_graph::{Dim, Graph, OpId, OpKind, ValueId};
use fornax_kernels::scheduled::{Bound, Prepare};
use fornax_plan::{Access, Body, Buffer, Exprs, IndexId, KernelPlan, Node, NodeId, Store, VarId};

use super::{Options, products};
use crate::errors::PassError;
use crate::facts::index_maps::{operand_index, relinearize, result_index};
use crate::facts::ops::{self, Class, shape, splat_bits, tensor};
use crate::facts::parts::whole;
use crate::facts::products::is_product;
use crate::facts::scalar;
use crate::facts::sizes::{most_elements, same_shape};

/// A kernel body and what its buffers are.
#[derive(Debug)]
pub struct Lowered {
    pub exprs: Exprs,
    pub buffers: Vec<Buffer>,
    pub bound: Vec<Bound>,
    /// Kernels that must run before, without schedules.
    pub prepare: Vec<Prepare>,
    pub domain: Vec<VarId>,
    pub body: Body,
    /// The reduction must be folded in order, by one thread.
    pub ordered: bool,
    pub summary: String,
}

/// Index of values that are one to one with the domain, or with its rows.
pub(super) type Places = HashMap<ValueId, Vec<IndexId>>;

/// Indices at which the result and the operand of an op that renames elements are the same element.
pub(super) struct Link {
    pub result: Vec<IndexId>,
    pub operand: Vec<IndexId>,
}

/// Loop variables, the index of the values that they were made for, and the body without stores.
pub(super) type Domain = (Vec<VarId>, Places, Body);

/// A hero's results, once its own body is built.
struct Hero {
    op: OpId,
    index: Vec<IndexId>,
    results: Vec<NodeId>,
}

/// The product inside of the hero (query times key), which the score reads as `Node::Reduced(0)` at one index.
pub(super) struct Inner {
    pub op: OpId,
    pub index: Option<Vec<IndexId>>,
}

pub(super) struct Lowering<'a> {
    pub graph: &'a Graph,
    pub exprs: Exprs,
    /// Convolutions read a padded copy of their input where that pays, instead of masking every load.
    pub copy_padded: bool,
    pub options: Options,
    fusion: OpId,
    pub(super) prepare: Vec<Prepare>,
    pub(super) buffers: Vec<Buffer>,
    pub(super) bound: Vec<Bound>,
    sources: HashMap<ValueId, u32>,
    memo: HashMap<(ValueId, Vec<IndexId>, Option<NodeId>), NodeId>,
    /// How places were found: what is read at such a place is read back along the same way, and found where it started
    /// however the index expressions between would be written.
    pub(super) links: HashMap<OpId, Link>,
    /// Heroes whose bodies are built.
    heroes: Vec<Hero>,
    pub inner: Option<Inner>,
    /// Of a group with several products: those that were asked for.
    pub(super) products: Option<products::Found>,
    pub(super) ordered: bool,
}

/// What a hero's builder returns: its body without stores, and its results as nodes for the stores to read.
pub(super) struct HeroBody {
    pub body: Body,
    pub results: Vec<NodeId>,
    /// The fold depends on the order of the reduction.
    pub ordered: bool,
}

impl HeroBody {
    /// Results that need no loop over a reduction.
    pub fn computed(results: Vec<NodeId>) -> HeroBody {
        HeroBody::of(Body::Loop { stores: Vec::new() }, results)
    }

    pub fn of(body: Body, results: Vec<NodeId>) -> HeroBody {
        HeroBody { body, results, ordered: false }
    }
}

/// Names of the ops that compute, in order, for people.
pub(super) fn summary(graph: &Graph, ops: &[OpId]) -> String {
    let quiet = [OpKind::Constant, OpKind::FusionYield, OpKind::BroadcastInDim, OpKind::Reshape];
    let mut names: Vec<&str> = Vec::new();
    let loud = || ops.iter().map(|&op| graph.op(op).kind).filter(|k| !quiet.contains(k));
    for kind in loud() {
        let name = whole(kind).name();
        names.push(name.split_once('.').map_or(name, |n| n.1));
    }
    if names.is_empty() {
        names.push("copy");
    }
    if names.len() > 12 {
        let rest = names.len() - 11;
        names.truncate(11);
        return format!("{} and {rest} more", names.join(" "));
    }
    names.join(" ")
}

impl<'a> Lowering<'a> {
    pub(super) fn new(
        graph: &'a Graph,
        fusion: OpId,
        copy_padded: bool,
        options: &Options,
    ) -> Result<Lowering<'a>, PassError> {
        let mut lowering = Lowering {
            graph,
            exprs: Exprs::default(),
            copy_padded,
            options: options.clone(),
            fusion,
            prepare: Vec::new(),
            buffers: Vec::new(),
            bound: Vec::new(),
            sources: HashMap::new(),
            memo: HashMap::new(),
            links: HashMap::new(),
            heroes: Vec::new(),
            inner: None,
            products: None,
            ordered: false,
        };
        let block = scalar::body(graph, fusion)?;
        for (at, &argument) in graph.block(block).arguments.iter().enumerate() {
            let source = lowering.buffer(argument, Access::Read, Bound::Operand(at))?;
            lowering.sources.insert(argument, source);
        }
        Ok(lowering)
    }

    /// Has a kernel of its own make a copy of `value` with `(low, high)` more elements a dimension, filled with `fill`,
    /// and gives the buffer that holds it and its shape.
    pub fn padded_copy(
        &mut self,
        value: ValueId,
        padding: &[(i64, i64)],
        fill: u64,
    ) -> Result<(u32, Vec<i64>), PassError> {
        let (sizes, element) = (shape(self.graph, value)?, tensor(self.graph, value)?.element);
        let mut copy = Lowering::new(self.graph, self.fusion, false, &self.options)?;
        let mut domain = Vec::new();
        let (mut index, mut source, mut padded) = (Vec::new(), Vec::new(), Vec::new());
        let mut condition = None;
        for (&n, &(low, high)) in sizes.iter().zip(padding) {
            padded.push(n + low + high);
            let extent = copy.constant(n + low + high);
            let at = copy.variable(extent, &mut domain);
            let from = copy.exprs.indices.offset(at, -low);
            let (start, end) = (copy.constant(0), copy.constant(n));
            condition = copy.within(condition, from, start, end);
            index.push(at);
            source.push(from);
        }
        let fill = copy.exprs.add(Node::Constant { element, bits: fill });
        let node = match condition {
            Some(condition) => copy.guarded(condition, (value, &source), None, fill)?,
            None => copy.value_at(value, &source, None)?,
        };
        let elements = padded.iter().product();
        copy.buffers.push(Buffer { element, elements, access: Access::Write });
        copy.bound.push(Bound::Prepared(self.prepare.len()));
        let offset = copy.exprs.indices.linearize(&index, &padded);
        let stores = vec![Store { buffer: copy.buffers.len() as u32 - 1, offset, value: node }];
        if domain.is_empty() {
            domain.push(copy.exprs.indices.add_var(1));
        }
        let plan =
            KernelPlan::new(copy.exprs, copy.buffers, domain, Body::Loop { stores }, Unscheduled, "pad".to_string());
        self.buffers.push(Buffer { element, elements, access: Access::Read });
        self.bound.push(Bound::Prepared(self.prepare.len()));
        self.prepare.push(Prepare { plan, bound: copy.bound });
        Ok((self.buffers.len() as u32 - 1, padded))
    }

    pub(super) fn buffer(&mut self, value: ValueId, access: Access, bound: Bound) -> Result<u32, PassError> {
        let element = tensor(self.graph, value)?.element;
        let sizes = self.layout(value, bound)?;
        let elements = most_elements(&sizes, &self.exprs.indices);
        self.buffers.push(Buffer { element, elements, access });
        self.bound.push(bound);
        Ok(self.buffers.len() as u32 - 1)
    }

    /// Extents by which a value's elements lie in its buffer: its own, the last one its row pitch where it has one.
    pub(super) fn layout(&mut self, value: ValueId, bound: Bound) -> Result<Vec<IndexId>, PassError> {
        let mut sizes = self.sizes(value)?;
        if let (Some(pitch), Some(row)) = (self.pitch(bound), sizes.last_mut()) {
            *row = self.exprs.indices.constant(pitch);
        }
        Ok(sizes)
    }

    /// The row pitch of what a buffer is.
    fn pitch(&self, bound: Bound) -> Option<i64> {
        let data = self.graph.op(self.fusion);
        let of = match bound {
            Bound::Operand(n) => data.operands.get(n),
            Bound::Result(n) => data.results.get(n),
            Bound::Prepared(_) => None,
        };
        of.and_then(|value| self.options.pitches.get(value)).copied()
    }

    /// The buffer of a result: written in full, but for what lies between rows.
    pub(super) fn result(&mut self, value: ValueId, at: usize) -> Result<u32, PassError> {
        let bound = Bound::Result(at);
        let access = if self.pitch(bound).is_some() { Access::Update } else { Access::Write };
        self.buffer(value, access, bound)
    }

    /// Says which nodes the results of a hero are, at `index`.
    pub fn made(&mut self, op: OpId, index: &[IndexId], results: Vec<NodeId>) {
        self.heroes.push(Hero { op, index: index.to_vec(), results });
    }

    /// Where the results of what was made are.
    pub(super) fn made_places(&self) -> Places {
        let results = |hero: &Hero| self.graph.op(hero.op).results.clone();
        self.heroes.iter().flat_map(|hero| results(hero).into_iter().map(move |r| (r, hero.index.clone()))).collect()
    }

    /// A variable of `0..extent`; one of extent 1 is the constant 0 and not listed.
    pub fn variable(&mut self, extent: IndexId, list: &mut Vec<VarId>) -> IndexId {
        let var = self.exprs.indices.add_sized_var(extent);
        if self.exprs.indices.as_constant(extent) != Some(1) {
            list.push(var);
        }
        self.exprs.indices.var(var)
    }

    /// Index of every value that is one to one with the domain, found by walking the ops forth and back from the values
    /// whose index is known.
    pub(super) fn places(
        &mut self,
        ops: &[OpId],
        mut places: Places,
        yielded: &[ValueId],
    ) -> Result<Places, PassError> {
        for _ in 0..ops.len() {
            let before = places.len();
            for &op in ops {
                self.place_result(op, &mut places)?;
            }
            for &op in ops.iter().rev() {
                self.place_operands(op, &mut places)?;
            }
            if places.len() == before || yielded.iter().all(|y| places.contains_key(y)) {
                break;
            }
        }
        Ok(places)
    }

    /// In a domain of one element, a stored value of one element has one place, whatever lies between.
    pub(super) fn place_single(
        &mut self,
        domain: &[VarId],
        yielded: &[ValueId],
        places: &mut Places,
    ) -> Result<(), PassError> {
        if domain.iter().any(|&var| self.exprs.indices.extent(var) != 1) {
            return Ok(());
        }
        for &value in yielded.iter().filter(|v| !places.contains_key(v)).collect::<Vec<_>>() {
            let sizes = &tensor(self.graph, value)?.shape;
            if sizes.iter().all(|&n| n == Dim::Static(1)) {
                let zero = self.exprs.indices.constant(0);
                places.insert(value, vec![zero; sizes.len()]);
            }
        }
        Ok(())
    }

    /// In rows, a value of the shape that is reduced has the index of the elements, though it may follow from rows
    /// alone and from values that no reduction reads.
    pub(super) fn place_elements(&self, heroes: &[OpId], ops: &[OpId], places: &mut Places) -> Result<(), PassError> {
        let operand = heroes.first().and_then(|&hero| self.graph.op(hero).operands.first());
        let Some((&operand, place)) = operand.and_then(|v| Some((v, places.get(v)?.clone()))) else { return Ok(()) };
        let sizes = &tensor(self.graph, operand)?.shape;
        for &value in ops
            .iter()
            .filter(|&&op| self.graph.op(op).kind == OpKind::BroadcastInDim)
            .flat_map(|&op| &self.graph.op(op).results)
        {
            if !places.contains_key(&value) && tensor(self.graph, value)?.shape == *sizes {
                places.insert(value, place.clone());
            }
        }
        Ok(())
    }

    /// In rows, what a broadcast repeats over the elements of each row has the index of the rows, though no reduction
    /// leads to it.
    pub(super) fn place_rows(&mut self, heroes: &[OpId], ops: &[OpId], places: &mut Places) -> Result<(), PassError> {
        let Some(hero) = heroes.first().map(|&hero| self.graph.op(hero)) else { return Ok(()) };
        let Some(place) = hero.operands.first().and_then(|v| places.get(v)).cloned() else { return Ok(()) };
        let (sizes, reduced) = (&tensor(self.graph, hero.operands[0])?.shape, dim_list(hero, "dimensions"));
        let long = |d: &usize| sizes[*d] != Dim::Static(1);
        let rows: Vec<usize> = (0..sizes.len()).filter(|d| !reduced.contains(d) && long(d)).collect();
        let zero = self.exprs.indices.constant(0);
        for op in ops.iter().map(|&op| self.graph.op(op)).filter(|op| op.kind == OpKind::BroadcastInDim) {
            let Some(&source) = op.operands.first().filter(|v| !places.contains_key(v)) else { continue };
            if op.results.first().and_then(|r| places.get(r)) != Some(&place) {
                continue;
            }
            let (from, to) = (&tensor(self.graph, source)?.shape, dim_list(op, "broadcast_dimensions"));
            let index: Vec<Option<usize>> =
                from.iter().zip(&to).map(|(&n, &d)| (n != Dim::Static(1)).then_some(d)).collect();
            if index.iter().flatten().copied().eq(rows.iter().copied()) {
                places.insert(source, index.into_iter().map(|d| d.map_or(zero, |d| place[d])).collect());
            }
        }
        Ok(())
    }

    fn same_index(&self, op: OpId, operand: ValueId) -> Result<bool, PassError> {
        let data = self.graph.op(op);
        let elementwise = ops::row(data.kind).is_some_and(|r| r.class == Class::Elementwise);
        let result = data.results.first().copied();
        Ok(match result {
            Some(r) if elementwise || data.kind == OpKind::BitcastConvert => same_shape(self.graph, r, operand)?,
            _ => false,
        })
    }

    fn place_result(&mut self, op: OpId, places: &mut Places) -> Result<(), PassError> {
        let data = self.graph.op(op);
        let Some(&result) = data.results.first().filter(|r| !places.contains_key(r)) else { return Ok(()) };
        for &operand in &data.operands {
            let Some(place) = places.get(&operand).cloned() else { continue };
            if self.same_index(op, operand)? {
                places.insert(result, place);
                return Ok(());
            }
        }
        if let Some(place) = data.operands.first().and_then(|o| places.get(o)).cloned()
            && let Some(mapped) = result_index(self.graph, op, &place, &mut self.exprs.indices)?
        {
            self.links.insert(op, Link { result: mapped.clone(), operand: place });
            places.insert(result, mapped);
        }
        Ok(())
    }

    fn place_operands(&mut self, op: OpId, places: &mut Places) -> Result<(), PassError> {
        let data = self.graph.op(op);
        let Some(place) = data.results.first().and_then(|r| places.get(r)).cloned() else { return Ok(()) };
        for &operand in &data.operands {
            if !places.contains_key(&operand) && self.same_index(op, operand)? {
                places.insert(operand, place.clone());
            }
        }
        let Some(&operand) = data.operands.first().filter(|o| !places.contains_key(o)) else { return Ok(()) };
        if crate::facts::index_maps::is_bijective(self.graph, op)?
            && let Some(mapped) = operand_index(self.graph, op, &place, &mut self.exprs.indices)?
        {
            self.links.insert(op, Link { result: place, operand: mapped.clone() });
            places.insert(operand, mapped);
        }
        Ok(())
    }

    /// The element of a value at an index. Where `mask` (an i1 node) is false the index may be out of range and the
    /// result is unspecified.
    pub fn value_at(&mut self, value: ValueId, index: &[IndexId], mask: Option<NodeId>) -> Result<NodeId, PassError> {
        let key = (value, index.to_vec(), mask);
        if let Some(&node) = self.memo.get(&key) {
            return Ok(node);
        }
        let node = match self.sources.get(&value) {
            Some(&buffer) => self.load(value, buffer, index, mask)?,
            None => self.computed(value, index, mask)?,
        };
        self.memo.insert(key, node);
        Ok(node)
    }

    fn load(
        &mut self,
        value: ValueId,
        buffer: u32,
        index: &[IndexId],
        mask: Option<NodeId>,
    ) -> Result<NodeId, PassError> {
        let ty = tensor(self.graph, value)?;
        let element = ty.element;
        if ty.shape.contains(&Dim::Static(0)) {
            // Only reached where a mask is never true.
            return Ok(self.exprs.add(Node::Constant { element: ty.element, bits: 0 }));
        }
        let sizes = match self.bound.get(buffer as usize) {
            Some(&bound) => self.layout(value, bound)?,
            None => self.sizes(value)?,
        };
        let offset = self.exprs.indices.linearize_sized(index, &sizes);
        Ok(self.exprs.add(Node::Load { buffer, element, offset, mask }))
    }

    fn computed(&mut self, value: ValueId, index: &[IndexId], mask: Option<NodeId>) -> Result<NodeId, PassError> {
        let graph = self.graph;
        let Some(op) = graph.producer(value) else {
            let what = format!("value {} is not an operand of its group", value.0);
            return Err(PassError::broken(what));
        };
        if let Some(bits) = splat_bits(graph, value) {
            return Ok(self.exprs.add(Node::Constant { element: tensor(graph, value)?.element, bits }));
        }
        if let Some(hero) = self.heroes.iter().find(|h| h.op == op) {
            let at = graph.op(op).results.iter().position(|&r| r == value).unwrap_or(0);
            return match hero.results.get(at) {
                Some(&node) if hero.index == index => Ok(node),
                _ => Err(PassError::internal(graph, op, "the result is read at another element than it is made")),
            };
        }
        if let Some(inner) = self.inner.as_mut().filter(|i| i.op == op) {
            if inner.index.get_or_insert_with(|| index.to_vec()) != index {
                return Err(PassError::internal(graph, op, "a score depends on more than one product"));
            }
            let element = tensor(graph, value)?.element;
            let node = self.exprs.add(Node::Reduced { index: 0, element: fornax_graph::ElementType::F32 });
            return Ok(self.exprs.convert(element, node));
        }
        if self.products.is_some() && mask.is_none() && is_product(graph, op) {
            return products::at(self, op, index);
        }
        let data = graph.op(op);
        match ops::row(data.kind).map(|r| r.class) {
            Some(Class::Elementwise) => {
                let mut operands = Vec::with_capacity(data.operands.len());
                for &operand in &data.operands {
                    let scalar = tensor(graph, operand)?.rank() == 0;
                    operands.push(self.value_at(operand, if scalar { &[] } else { index }, mask)?);
                }
                scalar::apply(graph, op, &operands, &mut self.exprs)
            }
            Some(Class::Index) => self.moved(op, index, mask),
            _ => Err(PassError::internal(graph, op, "cannot be computed inside a group")),
        }
    }
}

/// Reads row-major element `index` (of shape `from`) of a tensor that has shape `to`.
pub(super) fn renamed(
    lowering: &mut Lowering<'_>,
    index: &[IndexId],
    from: &[IndexId],
    to: &[IndexId],
) -> Vec<IndexId> {
    relinearize(&mut lowering.exprs.indices, index, from, to)
}
