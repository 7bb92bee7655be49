//! The numbers in small integer tensors as sizes: what a shape operand holds.
//!
//! `concatenate(reshape(convert(get_dimension_size %x, 0)), [4])` holds [arg0_0, 4]. Worked backwards from the operand,
//! through arithmetic, comparisons (0 and 1), selections and moves of elements. Division rounds to zero as the op does;
//! the selections with which exporters make `floor` of it, and a remainder with the divisor's sign, are known by their
//! form.
//!
//! A scalar of the entry block that leads nowhere else, or one that can be computed there (`hoist`), becomes a symbol
//! of its own, read at run time; so does what a loop computes from its state, read every round. An element of a vector
//! that leads nowhere is taken out of it for that by a `slice` and a `reshape`.

use fornax_graph::{Dim, ElementType, Graph, NewOp, OpId, OpKind, Type, ValueId};

use crate::rewrite::build::ints;
use super::super::constants::ints_of;
use super::Resolver;

/// Longest chain of arithmetic that is followed, and most elements of a tensor.
const DEEPEST: usize = 160;
pub const MOST: i64 = 64;

impl Resolver<'_> {
    /// The elements of an integer tensor, in row-major order.
    pub fn contents(&mut self, value: ValueId) -> Option<Vec<Dim>> {
        if let Some(known) = self.contents.get(&value) {
            return known.clone();
        }
        let shape = self.integers(value)?;
        if self.depth >= DEEPEST {
            return None;
        }
        self.depth += 1;
        let found = match self.graph.producer(value) {
            Some(op) => self.computed(op, value, &shape),
            None => self.carried(value),
        };
        self.depth -= 1;
        let count = shape.iter().product::<i64>();
        let found = found.filter(|dims| dims.len() as i64 == count && !dims.contains(&Dim::Symbolic(0)));
        let found = match found.or_else(|| self.folded(value)) {
            None if self.values_allowed => self.symbols(value, &shape),
            other => other,
        };
        let found: Option<Vec<Dim>> = found.map(|dims| dims.into_iter().map(|d| self.canonical(d)).collect());
        if found.is_some() || self.values_allowed {
            self.contents.insert(value, found.clone());
        }
        found
    }

    /// [`Resolver::contents`] without making symbols of scalars.
    pub fn known_contents(&mut self, value: ValueId) -> Option<Vec<Dim>> {
        let allowed = std::mem::replace(&mut self.values_allowed, false);
        let found = self.contents(value);
        self.values_allowed = allowed;
        found
    }

    /// Shape of a small tensor of integers or truth values.
    fn integers(&mut self, value: ValueId) -> Option<Vec<i64>> {
        let element = self.graph.ty(value).as_tensor()?.element;
        let number = element.is_integer() || element == fornax_graph::ElementType::I1;
        let shape: Vec<i64> = self.shape(value).into_iter().map(|d| d.as_static()).collect::<Option<_>>()?;
        let count = shape.iter().try_fold(1i64, |n, &d| n.checked_mul(d))?;
        (number && count <= MOST).then_some(shape)
    }

    /// The only element of a tensor of one.
    pub fn scalar(&mut self, value: ValueId) -> Option<Dim> {
        match self.contents(value)?.as_slice() {
            [one] => Some(*one),
            _ => None,
        }
    }

    fn computed(&mut self, id: OpId, value: ValueId, shape: &[i64]) -> Option<Vec<Dim>> {
        let op = self.graph.op(id);
        let (kind, operands) = (op.kind, op.operands.clone());
        let first = operands.first().copied();
        match kind {
            OpKind::Constant => Some(ints_of(self.graph, value)?.into_iter().map(Dim::Static).collect()),
            OpKind::GetDimensionSize => {
                let axis = usize::try_from(op.attrs.int("dimension")?).ok()?;
                Some(vec![*self.shape(first?).get(axis)?])
            }
            OpKind::Convert | OpKind::Reshape | OpKind::DynamicReshape | OpKind::OptimizationBarrier => {
                let at = self.graph.op(id).results.iter().position(|&r| r == value)?;
                let from = if kind == OpKind::OptimizationBarrier { *operands.get(at)? } else { first? };
                match self.graph.ty(from).as_tensor()?.element.is_float() {
                    true => self.rounded(from),
                    false => self.contents(from),
                }
            }
            OpKind::BroadcastInDim | OpKind::DynamicBroadcastInDim => {
                let axes = op.attrs.ints("broadcast_dimensions")?;
                let source = self.integers(first?)?;
                let held = self.contents(first?)?;
                pick(shape, |index| {
                    let at = axes.iter().zip(&source).map(|(&axis, &n)| {
                        let i = *index.get(usize::try_from(axis).ok()?)?;
                        Some(if n == 1 { 0 } else { i })
                    });
                    held.get(flat(&at.collect::<Option<Vec<_>>>()?, &source)?).copied()
                })
            }
            OpKind::Concatenate => self.joined(id, shape),
            OpKind::Slice => {
                let (start, stride) = (op.attrs.ints("start_indices")?, op.attrs.ints("strides")?);
                let source = self.integers(first?)?;
                let held = self.contents(first?)?;
                pick(shape, |index| {
                    let at: Vec<i64> = (0..index.len()).map(|d| start[d] + index[d] * stride[d]).collect();
                    held.get(flat(&at, &source)?).copied()
                })
            }
            OpKind::Reduce => self.reduced(id),
            OpKind::Iota => {
                let axis = usize::try_from(op.attrs.int("iota_dimension")?).ok()?;
                pick(shape, |index| Some(Dim::Static(*index.get(axis)?)))
            }
            _ => {
                let mut held = Vec::new();
                for &operand in &operands {
                    held.push(self.contents(operand)?);
                }
                let count = shape.iter().product::<i64>() as usize;
                (0..count).map(|at| self.arithmetic(id, &held, at)).collect()
            }
        }
    }

    fn joined(&mut self, id: OpId, shape: &[i64]) -> Option<Vec<Dim>> {
        let op = self.graph.op(id);
        let axis = usize::try_from(op.attrs.int("dimension")?).ok()?;
        let mut parts = Vec::new();
        for operand in op.operands.clone() {
            parts.push((self.integers(operand)?, self.contents(operand)?));
        }
        pick(shape, |index| {
            let mut index = index.to_vec();
            for (sizes, held) in &parts {
                let size = *sizes.get(axis)?;
                if index[axis] < size {
                    return held.get(flat(&index, sizes)?).copied();
                }
                index[axis] -= size;
            }
            None
        })
    }

    /// A sum, product, minimum or maximum of all elements.
    fn reduced(&mut self, id: OpId) -> Option<Vec<Dim>> {
        let op = self.graph.op(id);
        let ([value, init], [region], [result]) = (&op.operands[..], &op.regions[..], &op.results[..]) else {
            return None;
        };
        let (value, init, scalar) = (*value, *init, self.graph.ty(*result).as_tensor()?.rank() == 0);
        let block = *self.graph.region(*region).blocks.first()?;
        let &[combine, _] = &self.graph.block(block).ops[..] else { return None };
        let kind = self.graph.op(combine).kind;
        if !scalar || self.graph.op(combine).operands != self.graph.block(block).arguments {
            return None;
        }
        let mut total = self.scalar(init)?;
        for dim in self.contents(value)? {
            total = self.graph.dim_binary(kind, total, dim)?;
        }
        Some(vec![total])
    }

    fn carried(&mut self, value: ValueId) -> Option<Vec<Dim>> {
        let given = self.kept(value)?;
        self.contents(given)
    }

    /// An argument of a loop that every turn hands on unchanged is what the loop was given.
    pub fn kept(&self, value: ValueId) -> Option<ValueId> {
        let fornax_graph::Definition::Argument { block, index } = self.graph.value(value).definition else {
            return None;
        };
        let (at, id) = (index as usize, *self.owners.get(&block)?);
        let op = self.graph.op(id);
        if op.kind != OpKind::While {
            return None;
        }
        let body = *self.graph.region(*op.regions.get(1)?).blocks.first()?;
        let kept = *self.graph.block(body).arguments.get(at)?;
        let last = *self.graph.block(body).ops.last()?;
        if self.graph.op(last).operands.get(at) != Some(&kept) {
            return None;
        }
        op.operands.get(at).copied()
    }

    /// Symbols for the elements of a tensor of the entry block, or of one that can be computed there.
    fn symbols(&mut self, value: ValueId, shape: &[i64]) -> Option<Vec<Dim>> {
        let element = self.graph.ty(value).as_tensor()?.element;
        if shape.len() > 1 || shape.first().is_some_and(|&n| n > 8) || element == fornax_graph::ElementType::I1 {
            return None;
        }
        let value = match self.hoisted(value) {
            Some(value) => value,
            None => return self.symbols_of_state(value, shape, element),
        };
        let Some(&length) = shape.first() else { return Some(vec![self.symbol(value)]) };
        let scalars: Vec<ValueId> = (0..length).map(|at| self.element(value, at, element)).collect::<Option<_>>()?;
        Some(scalars.into_iter().map(|scalar| self.symbol(scalar)).collect())
    }

    /// Symbols for what a loop computes from its state: the host reads them every round.
    fn symbols_of_state(&mut self, value: ValueId, shape: &[i64], element: ElementType) -> Option<Vec<Dim>> {
        let around = self.loop_around(value)?;
        let scalars = match shape.first() {
            Some(&length) => (0..length).map(|at| self.element(value, at, element)).collect::<Option<Vec<_>>>()?,
            None => vec![value],
        };
        let mut symbols = Vec::with_capacity(scalars.len());
        for scalar in scalars {
            let symbol = self.symbol(scalar);
            if !self.from_state.contains(&(symbol, around)) {
                self.from_state.push((symbol, around));
            }
            symbols.push(symbol);
        }
        Some(symbols)
    }

    fn symbol(&mut self, value: ValueId) -> Dim {
        let position = self.graph.block(self.entry).arguments.iter().position(|&v| v == value);
        let name = position.map_or_else(|| format!("n{}", value.0), |at| format!("arg{at}"));
        self.graph.value_dim(value, &name, (i64::MIN, i64::MAX))
    }

    pub fn in_entry(&self, value: ValueId) -> bool {
        match self.graph.value(value).definition {
            fornax_graph::Definition::Result { op, .. } => self.graph.op(op).block == self.entry,
            fornax_graph::Definition::Argument { block, .. } => block == self.entry,
        }
    }

    /// A scalar op result holding element `at` of a vector: one that is there already, or a new one.
    fn element(&mut self, vector: ValueId, at: i64, element: fornax_graph::ElementType) -> Option<ValueId> {
        if let Some(&known) = self.elements.get(&(vector, at)) {
            return Some(known);
        }
        let block = match self.graph.value(vector).definition {
            fornax_graph::Definition::Result { op, .. } => self.graph.op(op).block,
            fornax_graph::Definition::Argument { block, .. } => block,
        };
        let position = match self.graph.producer(vector) {
            Some(op) => self.graph.block(block).ops.iter().position(|&o| o == op)? + 1,
            None => 0,
        };
        let scalar = take_element(self.graph, block, position, vector, at, element)?;
        self.elements.insert((vector, at), scalar);
        Some(scalar)
    }
}

fn take_element(
    graph: &mut Graph,
    block: fornax_graph::BlockId,
    position: usize,
    vector: ValueId,
    at: i64,
    element: fornax_graph::ElementType,
) -> Option<ValueId> {
    let location = graph.producer(vector).map(|op| graph.op(op).location).unwrap_or_default();
    let slice = NewOp::new(OpKind::Slice, vec![vector], vec![Type::tensor(&[1], element)], location)
        .attr("start_indices", ints([at]))
        .attr("limit_indices", ints([at + 1]))
        .attr("strides", ints([1]));
    let slice = graph.insert_op(block, position, slice);
    let one = *graph.op(slice).results.first()?;
    let reshape = NewOp::new(OpKind::Reshape, vec![one], vec![Type::tensor(&[], element)], location);
    let reshape = graph.insert_op(block, position + 1, reshape);
    graph.op(reshape).results.first().copied()
}

/// Every element of a tensor by its index, in row-major order.
fn pick(shape: &[i64], element: impl Fn(&[i64]) -> Option<Dim>) -> Option<Vec<Dim>> {
    let count = shape.iter().product::<i64>();
    let mut dims = Vec::with_capacity(count as usize);
    for at in 0..count {
        let mut rest = at;
        let mut index = vec![0; shape.len()];
        for d in (0..shape.len()).rev() {
            index[d] = rest % shape[d];
            rest /= shape[d];
        }
        dims.push(element(&index)?);
    }
    Some(dims)
}

/// Position of an index in row-major order.
fn flat(index: &[i64], shape: &[i64]) -> Option<usize> {
    if index.len() != shape.len() {
        return None;
    }
    usize::try_from(index.iter().zip(shape).fold(0, |at, (&i, &n)| at * n + i)).ok()
}

