//! The most obvious execution of a kernel plan on byte buffers: what emitted code is compared with, and what tests of
//! the passes run. Of the schedule only the places in packed panels matter; every point of the domain is computed on
//! its own.
//!
//! Scalars are computed in f64 or i128 and rounded to the node's type after every op. Limits: slow.

mod attention;
mod last;
mod memo;
mod ordered;
mod scalar;

use std::collections::HashMap;

use fornax_graph::ElementType;

pub use self::last::Last;
use self::memo::Memo;
use self::scalar::{binary, compare, convert, integer, reduce_precision, unary};
use crate::bundle::Bundle;
use crate::expr::{Binary, Node, NodeId};
use crate::fused_loop::{FusedLoop, LoopStep};
use crate::index::{Atom, AtomId, IndexId, VarId};
use crate::kernel::{Access, Body, Buffer, Combiner, KernelPlan, Store};
use crate::led::{Led, LedPlace};
use crate::products::Product;

/// Why a plan could not be executed: it is broken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InterpretError {
    #[error("buffer {buffer} has {got} bytes, the plan says {want}")]
    Length { buffer: usize, got: usize, want: usize },
    #[error("an access at element {offset} of buffer {buffer}, which has {elements}")]
    OutOfRange { buffer: u32, offset: i64, elements: i64 },
    #[error("an index value {value} outside its declared range {low}..={high}")]
    Range { value: i64, low: i64, high: i64 },
    #[error("element {offset} of buffer {buffer} is written {times} times")]
    Written { buffer: u32, offset: i64, times: u32 },
}

type Result<T> = std::result::Result<T, InterpretError>;

struct Machine<'a> {
    plan: &'a KernelPlan,
    buffers: &'a mut [Vec<u8>],
    vars: Vec<i64>,
    sizes: &'a [i64],
    reduced: Vec<u64>,
    running: Vec<u64>,
    incoming: Vec<u64>,
    memo: Memo,
    /// Of an attention: columns and scores of rows, by the values of the variables.
    scores: HashMap<Vec<i64>, Vec<(i64, f64)>>,
    /// The line of a sort or scan computed last: the other variables, and the results by place.
    last_line: Option<(Vec<i64>, Vec<Vec<u64>>)>,
}

/// Executes the plan: one byte vector a buffer, in binding order; written buffers are overwritten. Every element of a
/// written buffer must be stored exactly once.
pub fn run(plan: &KernelPlan, buffers: &mut [Vec<u8>]) -> Result<()> {
    run_sized(plan, &[], buffers)
}

/// The same with values for the size parameters; buffers are as long as these say.
pub fn run_sized(plan: &KernelPlan, sizes: &[i64], buffers: &mut [Vec<u8>]) -> Result<()> {
    let mut written: Vec<Vec<u32>> = Vec::new();
    for (at, b) in plan.buffers.iter().enumerate() {
        let want = (b.elements.max(0) as usize).saturating_mul(b.element.storage_bytes());
        let got = buffers.get(at).map_or(0, Vec::len);
        if got != want && (sizes.is_empty() || got > want) {
            return Err(InterpretError::Length { buffer: at, got, want });
        }
        written.push(vec![0; got / b.element.storage_bytes()]);
    }
    if plan.guard().is_some_and(|at| buffers[at].first() == Some(&0)) {
        return Ok(());
    }
    if let Body::FusedLoop(fused) = &plan.body {
        let guarded = usize::from(plan.guard().is_some());
        return rounds(fused, &fused.steps, &mut buffers[..plan.buffers.len() - guarded]);
    }
    if let Body::Bundle(bundle) = &plan.body {
        return adjacent(bundle, buffers);
    }
    if let Body::Led(led) = &plan.body {
        return one_after_the_other(led, buffers);
    }
    let vars = vec![0; plan.exprs.indices.extents.len()];
    let empty = Vec::new();
    let mut m = Machine {
        plan,
        buffers,
        vars,
        sizes,
        reduced: empty.clone(),
        running: empty.clone(),
        incoming: empty,
        memo: Memo::new(plan.exprs.len()),
        scores: HashMap::new(),
        last_line: None,
    };
    m.point(&plan.domain, &mut |m| m.element(&mut written))?;
    // What an update leaves alone holds what it held.
    let whole = !matches!(plan.body, Body::Update { .. });
    for store in plan.body.stores().iter().filter(|_| whole) {
        let counts = &written[store.buffer as usize];
        // Other kernels write the rest of what is updated.
        let shared = plan.buffers[store.buffer as usize].access == Access::Update;
        if let Some(at) = counts.iter().position(|&n| n > 1 || n == 0 && !shared) {
            return Err(InterpretError::Written { buffer: store.buffer, offset: at as i64, times: counts[at] });
        }
    }
    Ok(())
}

/// The steps of a fused loop, of all problems at once.
fn rounds(fused: &FusedLoop, steps: &[LoopStep], buffers: &mut [Vec<u8>]) -> Result<()> {
    for step in steps {
        match step {
            LoopStep::Part(at) => fused.parts.get(*at as usize).map_or(Ok(()), |part| run(&part.plan, buffers))?,
            LoopStep::Repeat { count, steps } => {
                for _ in 0..*count {
                    rounds(fused, steps, buffers)?;
                }
            }
        }
    }
    Ok(())
}

/// The launches of a bundle, one after another: none reads what another writes, but for what the first announces.
fn adjacent(bundle: &Bundle, buffers: &mut [Vec<u8>]) -> Result<()> {
    for part in &bundle.parts {
        for launch in &part.launches {
            let own = launch.iter().map(|&at| buffers.get(at as usize).cloned().unwrap_or_default());
            let mut own: Vec<Vec<u8>> = own.collect();
            run(&part.plan, &mut own)?;
            for ((&at, bytes), buffer) in launch.iter().zip(own).zip(&part.plan.buffers) {
                let writes = matches!(buffer.access, Access::Write | Access::Update | Access::Announced);
                if let (true, Some(whole)) = (writes, buffers.get_mut(at as usize)) {
                    *whole = bytes;
                }
            }
        }
    }
    Ok(())
}

/// The lead, then the kernel that it leads.
fn one_after_the_other(led: &Led, buffers: &mut [Vec<u8>]) -> Result<()> {
    let bytes = |b: &Buffer| (b.elements.max(0) as usize).saturating_mul(b.element.storage_bytes());
    let mut handed: Vec<Vec<u8>> = led.handed.iter().map(|buffer| vec![0; bytes(buffer)]).collect();
    for part in led.parts() {
        let held = |place: &LedPlace, handed: &[Vec<u8>], buffers: &[Vec<u8>]| match *place {
            LedPlace::Whole(at) => buffers.get(at as usize).cloned(),
            LedPlace::Handed(at) => handed.get(at as usize).cloned(),
        };
        let own = part.places.iter().map(|place| held(place, &handed, buffers).unwrap_or_default());
        let mut own: Vec<Vec<u8>> = own.collect();
        run(&part.plan, &mut own)?;
        for ((place, bytes), buffer) in part.places.iter().zip(own).zip(&part.plan.buffers) {
            let whole = match *place {
                LedPlace::Whole(at) => buffers.get_mut(at as usize),
                LedPlace::Handed(at) => handed.get_mut(at as usize),
            };
            if let (Access::Write | Access::Update, Some(whole)) = (buffer.access, whole) {
                *whole = bytes;
            }
        }
    }
    Ok(())
}

impl Machine<'_> {
    /// Runs `visit` for every value of the variables, the last fastest.
    fn point(&mut self, vars: &[VarId], visit: &mut dyn FnMut(&mut Self) -> Result<()>) -> Result<()> {
        let Some((&first, rest)) = vars.split_first() else {
            self.memo.clear();
            return visit(self);
        };
        for value in 0..self.extent(first)? {
            self.vars[first.0 as usize] = value;
            self.point(rest, visit)?;
        }
        Ok(())
    }

    fn element(&mut self, written: &mut [Vec<u32>]) -> Result<()> {
        let plan = self.plan;
        let values = plan.schedule.own_values(plan, &|var| self.vars[var.0 as usize]);
        for (var, value) in plan.schedule.own_vars().into_iter().zip(values) {
            self.vars[var.0 as usize] = value;
        }
        match &plan.body {
            Body::Loop { .. } => {}
            Body::Update { condition, combine, stores } => {
                if self.node(*condition)? == 0 {
                    return Ok(());
                }
                if let (Some(op), Some(store)) = (combine, stores.first()) {
                    return self.combine(*op, store);
                }
            }
            Body::Segment { along, key, row, inputs, inits, combiner, .. } => {
                self.segment((*along, *key, *row), inputs, inits, combiner)?;
            }
            Body::Count { digits, .. } => self.reduced = vec![self.counted(digits)?],
            Body::Sort { along, .. } | Body::Scan { along, .. } | Body::Distribute { along, .. } => {
                self.reduced = self.place_of_line(*along)?
            }
            Body::Reduce { reduction, inputs, inits, combiner, .. } => {
                self.reduced = self.fold(reduction, inputs, inits, combiner)?;
            }
            Body::Row { row, folds, .. } => {
                self.reduced.clear();
                for fold in folds {
                    let results = self.fold(row, &fold.inputs, &fold.inits, &fold.combiner)?;
                    self.reduced.extend(results);
                }
            }
            Body::Contraction { reduction, lhs, rhs, accumulator, .. } => {
                self.reduced = vec![self.sum_of_products((reduction, *lhs, *rhs), *accumulator, 0)?];
            }
            Body::Products(p) => {
                let mut sums = Vec::with_capacity(p.sums.len());
                for products in &p.sums {
                    let mut sum = 0;
                    for Product { reduction, lhs, rhs } in products {
                        sum = self.sum_of_products((reduction, *lhs, *rhs), p.accumulator, sum)?;
                    }
                    sums.push(sum);
                }
                self.reduced = sums;
            }
            Body::Attention(a) => self.attention(a)?,
            Body::FusedLoop(_) | Body::Bundle(_) | Body::Led(_) => return Ok(()),
        }
        let indexed = |store: &Store, vars: &[VarId]| vars.iter().any(|&v| plan.exprs.index_varies(store.offset, v));
        for store in plan.body.stores() {
            if let Body::Attention(a) = &plan.body
                && self.vars[a.feature.0 as usize] != 0
                && a.is_of_row(&plan.exprs, store)
            {
                continue;
            }
            let each = match &plan.body {
                Body::Row { row, .. } if indexed(store, row) => row.as_slice(),
                _ => &[],
            };
            self.point(each, &mut |m| m.store(store, written))?;
        }
        Ok(())
    }

    /// A sum, and the products over some variables added to it.
    fn sum_of_products(
        &mut self,
        (reduction, lhs, rhs): (&[VarId], NodeId, NodeId),
        accumulator: ElementType,
        mut sum: u64,
    ) -> Result<u64> {
        let plan = self.plan;
        self.point(reduction, &mut |m| {
            let a = convert(plan.exprs.element(lhs), accumulator, m.node(lhs)?);
            let b = convert(plan.exprs.element(rhs), accumulator, m.node(rhs)?);
            let product = binary(Binary::Multiply, accumulator, a, b);
            sum = binary(Binary::Add, accumulator, sum, product);
            Ok(())
        })?;
        Ok(sum)
    }

    fn fold(&mut self, vars: &[VarId], inputs: &[NodeId], inits: &[NodeId], combiner: &Combiner) -> Result<Vec<u64>> {
        let plan = self.plan;
        self.memo.clear();
        self.running = inits.iter().map(|&i| self.node(i)).collect::<Result<_>>()?;
        self.point(vars, &mut |m| {
            m.incoming = inputs.iter().map(|&i| m.node(i)).collect::<Result<_>>()?;
            m.running = match combiner {
                Combiner::Simple(op) => {
                    vec![binary(*op, plan.exprs.element(inits[0]), m.running[0], m.incoming[0])]
                }
                Combiner::General(nodes) => nodes.iter().map(|&n| m.node(n)).collect::<Result<_>>()?,
            };
            Ok(())
        })?;
        Ok(std::mem::take(&mut self.running))
    }

    fn store(&mut self, store: &Store, written: &mut [Vec<u32>]) -> Result<()> {
        let plan = self.plan;
        let value = self.node(store.value)?;
        let offset = self.index(store.offset)?;
        let at = self.place(store.buffer, offset)?;
        let bytes = plan.buffers[store.buffer as usize].element.storage_bytes();
        self.buffers[store.buffer as usize][at..at + bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
        written[store.buffer as usize][offset as usize] += 1;
        Ok(())
    }

    /// Combines a value with what is stored.
    fn combine(&mut self, op: Binary, store: &Store) -> Result<()> {
        let element = self.plan.buffers[store.buffer as usize].element;
        let value = self.node(store.value)?;
        let offset = self.index(store.offset)?;
        let at = self.place(store.buffer, offset)?;
        let bytes = element.storage_bytes();
        let place = &mut self.buffers[store.buffer as usize][at..at + bytes];
        let mut old = [0; 8];
        old[..bytes].copy_from_slice(place);
        let new = binary(op, element, u64::from_le_bytes(old), value);
        place.copy_from_slice(&new.to_le_bytes()[..bytes]);
        Ok(())
    }

    /// Byte position of an element.
    fn place(&self, buffer: u32, offset: i64) -> Result<usize> {
        let bytes = self.plan.buffers[buffer as usize].element.storage_bytes();
        let elements = (self.buffers[buffer as usize].len() / bytes) as i64;
        if offset < 0 || offset >= elements {
            return Err(InterpretError::OutOfRange { buffer, offset, elements });
        }
        Ok(offset as usize * bytes)
    }

    fn index(&mut self, id: IndexId) -> Result<i64> {
        let linear = self.plan.exprs.indices.linear(id);
        let mut sum = linear.constant;
        for &(atom, c) in &linear.terms {
            let value = self.atom(atom)?;
            sum = sum.wrapping_add(c.wrapping_mul(value));
        }
        Ok(sum)
    }

    fn atom(&mut self, atom: AtomId) -> Result<i64> {
        Ok(match self.plan.exprs.indices.atom(atom) {
            Atom::Var(v) => self.vars[v.0 as usize],
            Atom::FloorDiv(x, m) => self.index(x)?.div_euclid(m),
            Atom::Value { node, low, high } => {
                let value = integer(self.plan.exprs.element(node), self.node(node)?) as i64;
                if value < low || value > high {
                    return Err(InterpretError::Range { value, low, high });
                }
                value
            }
            Atom::Size(size) => self.sizes.get(size.0 as usize).copied().unwrap_or(0),
            Atom::Product(a, b) => self.atom(a)?.wrapping_mul(self.atom(b)?),
            Atom::Quotient(x, d) => self.index(x)?.div_euclid(self.index(d)?.max(1)),
        })
    }

    /// Number of values of a variable.
    pub(super) fn extent(&mut self, var: VarId) -> Result<i64> {
        match self.plan.exprs.indices.run_extent(var) {
            Some(extent) => self.index(extent),
            None => Ok(self.plan.exprs.indices.extent(var)),
        }
    }

    fn node(&mut self, id: NodeId) -> Result<u64> {
        if let Some(done) = self.memo.get(id) {
            return Ok(done);
        }
        let plan = self.plan;
        let element = plan.exprs.element(id);
        let of = |n: NodeId| plan.exprs.element(n);
        let value = match plan.exprs.node(id).clone() {
            Node::Constant { bits, .. } => bits,
            Node::Load { buffer, offset, mask, .. } => match mask {
                Some(mask) if self.node(mask)? == 0 => 0,
                _ => {
                    let offset = self.index(offset)?;
                    let at = self.place(buffer, offset)?;
                    let bytes = element.storage_bytes();
                    let mut word = [0u8; 8];
                    word[..bytes].copy_from_slice(&self.buffers[buffer as usize][at..at + bytes]);
                    u64::from_le_bytes(word)
                }
            },
            Node::FromIndex { index, .. } => {
                let value = self.index(index)?;
                convert(ElementType::I64, element, value as u64)
            }
            Node::InRange { index, low, high } => {
                let value = self.index(index)?;
                u64::from(low <= value && value < high)
            }
            Node::Unary { op, a } => unary(op, of(a), self.node(a)?),
            Node::Binary { op, a, b } => binary(op, of(a), self.node(a)?, self.node(b)?),
            Node::Compare { op, a, b } => u64::from(compare(op, of(a), self.node(a)?, self.node(b)?)),
            Node::Select { condition, a, b } => {
                // Both sides are evaluated: a broken index in either is a broken plan.
                let (a, b) = (self.node(a)?, self.node(b)?);
                if self.node(condition)? != 0 { a } else { b }
            }
            Node::Convert { a, .. } => convert(of(a), element, self.node(a)?),
            Node::Bitcast { a, .. } => self.node(a)?,
            Node::ReducePrecision { exponent, mantissa, a } => {
                reduce_precision(element, exponent, mantissa, self.node(a)?)
            }
            Node::Reduced { index, .. } => self.reduced.get(index as usize).copied().unwrap_or(0),
            Node::Running { index, .. } => return Ok(self.running.get(index as usize).copied().unwrap_or(0)),
            Node::Incoming { index, .. } => return Ok(self.incoming.get(index as usize).copied().unwrap_or(0)),
        };
        self.memo.insert(id, value);
        Ok(value)
    }
}
