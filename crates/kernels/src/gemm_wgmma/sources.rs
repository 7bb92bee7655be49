//! Where the copy engine finds the operands of a contraction by warpgroups: where they are, or in a copy made for it.
//!
//! Input: a plan and one operand. Output: a [`Source`]: a buffer as a box of dimensions, each with the place along it
//! that the loop variables give. A loaded offset that is linear in the variables has a dimension for each; where a mask
//! bounds an expression (`2y + ky − 1` of a padded image), that expression is a place along one dimension, and the copy
//! engine's zeros outside are the padding. The operand itself serves when its strides and start are multiples of 16
//! bytes. Else a kernel that runs before writes it densely, rows padded ([`row_pitch`]); weights are copied when the
//! module is loaded. f32 values that must keep their digits are written as three bf16 terms: x ≈ p₀ + 2⁻²⁴·(p₁ + p₂),
//! exactly but for the rounding of p₂; p₁ and p₂ are scaled so that they are normal bf16 for subnormal x too.
//!
//! Worked examples: an image `[8, 56, 56, 64]` under a 3×3 window, padding 1: dimensions 64 at c, 56 at x + kx − 1, 56
//! at y + ky − 1, 8 at b. x = 1 + 2⁻⁸ + 2⁻²³: p₀ = bf16(x) = 1, rest 2⁻⁸ + 2⁻²³, p₁ = bf16(2²⁴·rest) = 65536, p₂ =
//! 2²⁴·2⁻²³ = 2.

use fornax_plan::Unscheduled;
use std::collections::HashMap;

use fornax_graph::ElementType;
use fornax_plan::form::{DirectLoad, Operand};
use fornax_plan::substitute::Substitution;
use fornax_plan::{
    Access, Atom, AtomId, Binary, Body, Buffer, Exprs, IndexId, KernelPlan, Linear, Node, NodeId, Store, VarId,
};

use super::expanded::Computed;

/// Bytes that strides and starts must be multiples of.
pub const COPY_ALIGNMENT: i64 = 16;
/// Bytes that starts of rows are better multiples of (docs/understand/kernels/gemm-wgmma.md, alignment).
const SECTOR_BYTES: i64 = 32;
/// Bytes of a cache line: long rows begin with one.
const LINE_BYTES: i64 = 128;
/// Bytes of a row from which its end up to a line is little of it.
const LONG_ROW_BYTES: i64 = 8 * LINE_BYTES;
/// Terms of an f32 value.
pub const TERMS: u32 = 3;
/// Power of two by which the second and third term are scaled.
pub const TERM_EXPONENT: i32 = 24;

/// One dimension of a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dimension {
    /// Elements; where a call gives them the most there can be, and the size expression.
    pub extent: i64,
    pub run_extent: Option<IndexId>,
    /// Elements from one to the next: times the sizes `by`, if there are any.
    pub stride: i64,
    pub by: Vec<AtomId>,
    /// Where along it an element lies: `constant + Σ coefficient · variable`.
    pub place: Vec<(VarId, i64)>,
    pub constant: i64,
}

/// An operand in a buffer.
#[derive(Clone, Debug)]
pub struct Source {
    pub buffer: u32,
    pub element: ElementType,
    pub dimensions: Vec<Dimension>,
    pub constant: i64,
    pub terms: u32,
    /// Elements from one term to the next.
    pub term_stride: i64,
    /// How the producers compute it, where it lies in no buffer (`expanded`).
    pub computed: Option<Computed>,
}

/// A kernel that writes an operand to a buffer of its own, the last of its buffers (the others are the plan's).
#[derive(Clone, Debug)]
pub struct Copy {
    pub plan: KernelPlan,
    /// Bytes it reads and writes.
    pub bytes: u64,
}

impl Dimension {
    pub fn along(var: VarId, extent: i64, stride: i64) -> Dimension {
        Dimension { extent, run_extent: None, stride, by: Vec::new(), place: vec![(var, 1)], constant: 0 }
    }

    /// Elements along it are neighbours.
    pub fn is_dense(&self) -> bool {
        self.stride == 1 && self.by.is_empty()
    }

    /// The variable that alone is the place.
    pub fn var(&self) -> Option<VarId> {
        match self.place.as_slice() {
            [(var, 1)] if self.constant == 0 => Some(*var),
            _ => None,
        }
    }

    /// By how much a variable moves the place.
    pub fn coefficient(&self, var: VarId) -> Option<i64> {
        self.place.iter().find(|p| p.0 == var).map(|p| p.1)
    }
}

impl Source {
    /// The variable along which elements are neighbours.
    pub fn inner(&self) -> Option<VarId> {
        self.dimensions.iter().find(|d| d.is_dense())?.var()
    }

    /// The copy engine can fetch it from where it lies.
    pub fn is_aligned(&self) -> bool {
        let bytes = self.element.storage_bytes().max(1) as i64;
        let fits = |d: &Dimension| d.is_dense() || d.stride > 0 && d.stride * bytes % COPY_ALIGNMENT == 0;
        let one = self.dimensions.iter().filter(|d| d.is_dense()).count() == 1;
        one && self.constant >= 0
            && self.constant * bytes % COPY_ALIGNMENT == 0
            && self.dimensions.iter().all(fits)
            && self.inner().is_some()
    }
}

/// Bytes from one row to the next that suit the copy engine; those of the row itself, if they do.
pub fn row_pitch(bytes: i64) -> i64 {
    let to = if bytes >= LONG_ROW_BYTES { LINE_BYTES } else { SECTOR_BYTES };
    if bytes % SECTOR_BYTES == 0 { bytes } else { bytes.saturating_add(to - 1) / to * to }
}

/// The operand where it lies, aligned or not; `None` where it is no plain load of a box.
pub fn direct(plan: &KernelPlan, operand: &Operand) -> Option<Source> {
    loaded(plan, &operand.load?, operand.element)
}

/// What a load reads, as a box; `None` where it is none.
pub fn loaded(plan: &KernelPlan, load: &DirectLoad, element: ElementType) -> Option<Source> {
    let exprs = &plan.exprs;
    let mut rest = exprs.indices.linear(load.offset).clone();
    let mut dimensions = Vec::new();
    for bound in load.mask.map_or(Some(Vec::new()), |mask| bounds(exprs, mask))? {
        dimensions.push(bounded(exprs, bound, &mut rest)?);
    }
    for own in moving(exprs, &rest)? {
        let moved = |d: &Dimension| own.place.iter().any(|p| d.coefficient(p.0).is_some());
        if dimensions.iter().any(moved) {
            return None;
        }
        dimensions.push(own);
    }
    let (buffer, constant) = (load.buffer, rest.constant);
    Some(Source { buffer, element, dimensions, constant, terms: 1, term_stride: 0, computed: None })
}

/// A store's buffer; `None` where its offset is not linear.
pub fn stored(plan: &KernelPlan, store: &Store) -> Option<Source> {
    let element = plan.buffers.get(store.buffer as usize)?.element;
    let linear = plan.exprs.indices.linear(store.offset);
    let dimensions = moving(&plan.exprs, linear)?;
    let (buffer, constant) = (store.buffer, linear.constant);
    Some(Source { buffer, element, dimensions, constant, terms: 1, term_stride: 0, computed: None })
}

/// A dimension for each variable that moves an offset; a stride may be a number times sizes.
fn moving(exprs: &Exprs, linear: &Linear) -> Option<Vec<Dimension>> {
    let indices = &exprs.indices;
    let mut dimensions: Vec<Dimension> = Vec::with_capacity(linear.terms.len());
    for &(atom, stride) in &linear.terms {
        let (mut var, mut by) = (None, Vec::new());
        for factor in indices.factors(atom) {
            match indices.atom(factor) {
                Atom::Var(v) => var = Some(v).filter(|_| var.is_none()),
                Atom::Size(_) => by.push(factor),
                _ => return None,
            }
        }
        let var = var.filter(|&v| dimensions.iter().all(|d| d.coefficient(v).is_none()))?;
        let run_extent = indices.run_extent(var);
        dimensions.push(Dimension { run_extent, by, ..Dimension::along(var, indices.extent(var), stride) });
    }
    Some(dimensions)
}

fn variables(exprs: &Exprs, linear: &Linear) -> Option<Vec<(VarId, i64)>> {
    let of = |&(atom, stride): &(_, i64)| match exprs.indices.atom(atom) {
        Atom::Var(var) => Some((var, stride)),
        _ => None,
    };
    linear.terms.iter().map(of).collect()
}

/// The ranges that a mask is made of.
fn bounds(exprs: &Exprs, mask: NodeId) -> Option<Vec<(IndexId, i64, i64)>> {
    match *exprs.node(mask) {
        Node::InRange { index, low, high } => Some(vec![(index, low, high)]),
        Node::Binary { op: Binary::And, a, b } => Some([bounds(exprs, a)?, bounds(exprs, b)?].concat()),
        _ => None,
    }
}

/// The dimension along which a bounded expression moves; it is taken out of the offset.
fn bounded(exprs: &Exprs, (index, low, high): (IndexId, i64, i64), rest: &mut Linear) -> Option<Dimension> {
    let linear = exprs.indices.linear(index);
    let place = variables(exprs, linear)?;
    let of = |rest: &Linear, atom| rest.terms.iter().find(|t| t.0 == atom).map_or(0, |t| t.1);
    let &(first, coefficient) = linear.terms.first()?;
    let stride = of(rest, first) / coefficient;
    let moves = linear.terms.iter().all(|&(atom, c)| c > 0 && of(rest, atom) == stride * c);
    if !moves || stride <= 0 {
        return None;
    }
    rest.terms.retain(|t| !linear.terms.iter().any(|l| l.0 == t.0));
    rest.constant -= stride * (linear.constant - low);
    let constant = linear.constant - low;
    Some(Dimension { extent: high - low, run_extent: None, stride, by: Vec::new(), place, constant })
}

/// A copy of an operand with `order` as its dimensions, outermost first, in a type that holds all of its values;
/// `buffer` is the number it gets in the plan. `None` as type writes terms. A plain load is copied along the
/// dimensions of its buffer, else every combination of the variables is written.
pub fn copied(
    plan: &KernelPlan,
    operand: &Operand,
    order: &[VarId],
    buffer: u32,
    element: Option<ElementType>,
) -> Option<(Source, Copy)> {
    // The copy's own extents would have to be sizes too.
    if plan.is_sized() {
        return None;
    }
    let split = element.is_none();
    let mut exprs = plan.exprs.clone();
    let (mut dimensions, mut domain, mut narrow) = match direct(plan, operand) {
        Some(source) => boxed(&mut exprs, operand, source, order)?,
        None => {
            let vars: Vec<VarId> = order.iter().copied().filter(|&v| exprs.indices.extent(v) > 1).collect();
            let along = |&var: &VarId| Dimension::along(var, exprs.indices.extent(var), 0);
            (vars.iter().map(along).collect(), vars, operand.narrow)
        }
    };
    let element = element.unwrap_or(ElementType::Bf16);
    let width = element.storage_bytes().max(1) as i64;
    let mut shape: Vec<i64> = dimensions.iter().map(|d| d.extent).collect();
    let last = shape.last_mut()?;
    *last = row_pitch(last.checked_mul(width)?) / width;
    let elements = shape.iter().try_fold(1i64, |n, &d| n.checked_mul(d))?;
    let terms = if split { TERMS } else { 1 };
    let all = elements.checked_mul(i64::from(terms))?;
    let mut stride = 1;
    for (dimension, &extent) in dimensions.iter_mut().zip(&shape).rev() {
        dimension.stride = stride;
        stride *= extent;
    }
    if dimensions.last()?.extent < *shape.last()? {
        narrow = padded(&mut exprs, &mut domain, *shape.last()?, narrow)?;
    }
    let index: Vec<IndexId> = domain.iter().map(|&v| exprs.indices.var(v)).collect();
    let offset = exprs.indices.linearize(&index, &shape);
    let wide = exprs.convert(ElementType::F32, narrow);
    let values = if split { split_value(&mut exprs, wide) } else { vec![exprs.convert(element, narrow)] };
    let stores = values.into_iter().enumerate().map(|(term, value)| {
        let offset = exprs.indices.offset(offset, term as i64 * elements);
        Store { buffer: plan.buffers.len() as u32, offset, value }
    });
    let body = Body::Loop { stores: stores.collect() };
    let mut buffers = plan.buffers.clone();
    buffers.push(Buffer { element, elements: all, access: Access::Write });
    let schedule = Unscheduled;
    let summary = if split { "split" } else { "copy" };
    let read = elements as u64 * operand.element.storage_bytes().max(1) as u64;
    let bytes = read + all as u64 * element.storage_bytes().max(1) as u64;
    let copy = Copy { plan: KernelPlan::new(exprs, buffers, domain, body, schedule, summary.into()), bytes };
    let source = Source { buffer, element, dimensions, constant: 0, terms, term_stride: elements, computed: None };
    Some((source, copy))
}

/// Lets the last variable run to `extent`, which fills rows up with what they begin with: nobody reads that, but all is
/// written.
fn padded(exprs: &mut Exprs, domain: &mut [VarId], extent: i64, value: NodeId) -> Option<NodeId> {
    let last = domain.last_mut()?;
    let inside = exprs.indices.extent(*last);
    let longer = exprs.indices.add_var(extent);
    let index = exprs.indices.var(longer);
    let again = exprs.indices.modulo(index, inside);
    let map = HashMap::from([(*last, again)]);
    *last = longer;
    Some(Substitution::new(exprs, &map).node(value))
}

/// A plain load as a loop over its buffer's dimensions, in `order` of the variables that move them: dimensions,
/// variables, loaded node.
fn boxed(
    exprs: &mut Exprs,
    operand: &Operand,
    source: Source,
    order: &[VarId],
) -> Option<(Vec<Dimension>, Vec<VarId>, NodeId)> {
    let mut dimensions = source.dimensions;
    let rank = |d: &Dimension| order.iter().rposition(|&v| d.coefficient(v).is_some());
    dimensions.sort_by_key(rank);
    dimensions.last()?.var()?;
    let domain: Vec<VarId> = dimensions.iter().map(|d| exprs.indices.add_var(d.extent)).collect();
    let mut offset = exprs.indices.constant(source.constant);
    for (dimension, &var) in dimensions.iter().zip(&domain) {
        let index = exprs.indices.var(var);
        let term = exprs.indices.scale(index, dimension.stride);
        offset = exprs.indices.add(offset, term);
    }
    let load = exprs.add(Node::Load { buffer: source.buffer, element: operand.element, offset, mask: None });
    Some((dimensions, domain, load))
}

/// The terms of an f32 node.
fn split_value(exprs: &mut Exprs, value: NodeId) -> Vec<NodeId> {
    let scale = |exprs: &mut Exprs, exponent: i32| {
        let bits = u64::from((exponent as f32).exp2().to_bits());
        exprs.add(Node::Constant { element: ElementType::F32, bits })
    };
    let (up, down) = (scale(exprs, TERM_EXPONENT), scale(exprs, -TERM_EXPONENT));
    let mut terms = vec![exprs.convert(ElementType::Bf16, value)];
    let wide = exprs.convert(ElementType::F32, terms[0]);
    let mut rest = exprs.binary(Binary::Subtract, value, wide);
    for term in 1..TERMS {
        let scaled = exprs.binary(Binary::Multiply, rest, up);
        let part = exprs.convert(ElementType::Bf16, scaled);
        terms.push(part);
        if term + 1 < TERMS {
            let wide = exprs.convert(ElementType::F32, part);
            let wide = exprs.binary(Binary::Multiply, wide, down);
            rest = exprs.binary(Binary::Subtract, rest, wide);
        }
    }
    terms
}
