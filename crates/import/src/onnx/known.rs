//! What is known of a value while the model is read: all of its elements, or elements that are sizes of run time.
//!
//! Exporters compute shapes with operators (Shape, Gather, Concat, …). Whoever needs a shape as numbers asks for the
//! elements of the value that holds it. They are worked out from the ops that made it: by the reference evaluator where
//! all operands are numbers, by `Graph::dims` where some are sizes.
//!
//! Worked example: of `x: [batch, 3]`, `Concat(Gather(Shape(x), 0), [-1])` is known to be `[batch, -1]`.

use std::rc::Rc;

use fornax_graph::{Attr, Dim, ElementType, Op, OpKind, ValueId};
use fornax_reference::{Limits, Scalar, Tensor, evaluate_op};

use super::converter::Converter;

/// Elements of a value of which something is kept.
const ELEMENTS_MAX: i64 = 1 << 12;
/// Work for one op.
const LIMITS: Limits = Limits { max_elements: 1 << 16, max_steps: 1 << 20 };

#[derive(Clone, Debug)]
pub enum Known {
    Numbers(Rc<Tensor>),
    /// Integers, row-major, of which some are sizes of run time.
    Sizes(Vec<Dim>),
}

impl Converter<'_> {
    /// What is known of a value's elements.
    pub fn known(&mut self, value: ValueId) -> Option<Known> {
        if let Some(known) = self.memory.get(&value) {
            let known = known.clone();
            return match known {
                Some(Known::Sizes(sizes)) => Some(Known::Sizes(self.canonical(sizes))),
                other => other,
            };
        }
        let known = self.worked_out(value);
        self.memory.insert(value, known.clone());
        known
    }

    /// Notes what a value holds.
    pub fn note(&mut self, value: ValueId, sizes: Vec<Dim>) {
        if sizes.iter().any(|d| d.as_static().is_none()) {
            self.memory.insert(value, Some(Known::Sizes(sizes)));
        }
    }

    fn canonical(&mut self, sizes: Vec<Dim>) -> Vec<Dim> {
        sizes.into_iter().map(|d| self.b.equal.canonical(&mut self.b.graph, d)).collect()
    }

    fn worked_out(&mut self, value: ValueId) -> Option<Known> {
        let ty = self.b.graph.ty(value).as_tensor()?;
        let elements = ty.elements().filter(|&n| n <= ELEMENTS_MAX)?;
        let shape: Vec<usize> = ty.static_shape()?.iter().map(|&n| n as usize).collect();
        let element = ty.element;
        if let Some(&size) = self.b.sizes.get(&value) {
            return Some(match size.as_static() {
                Some(number) => {
                    Known::Numbers(Rc::new(Tensor::from_scalars(&shape, element, [Scalar::Int(number.into())])))
                }
                None => Known::Sizes(vec![size]),
            });
        }
        let id = self.b.graph.producer(value)?;
        let op = self.b.graph.op(id);
        if op.kind == OpKind::Constant {
            let Some(Attr::Dense(constant)) = op.attrs.get("value") else { return None };
            let constant = self.b.graph.constant(*constant);
            return Tensor::new(constant.ty.clone(), constant.to_bytes()).ok().map(|t| Known::Numbers(Rc::new(t)));
        }
        if matches!(op.kind, OpKind::While | OpKind::If | OpKind::Case | OpKind::CustomCall | OpKind::FuncCall)
            || op.results.len() != 1
        {
            return None;
        }
        let op = op.clone();
        let mut operands = Vec::new();
        for &operand in &op.operands {
            operands.push(self.known(operand)?);
        }
        let numbers: Option<Vec<Tensor>> = operands
            .iter()
            .map(|known| match known {
                Known::Numbers(tensor) => Some(Tensor::clone(tensor)),
                Known::Sizes(_) => None,
            })
            .collect();
        if let Some(numbers) = numbers {
            let mut results = evaluate_op(&self.b.graph, id, &numbers, &LIMITS).ok()?;
            return results.pop().map(|tensor| Known::Numbers(Rc::new(tensor)));
        }
        let sizes = self.sizes_of_op(&op, &operands, elements as usize)?;
        if sizes.len() != elements as usize {
            return None;
        }
        Some(match sizes.iter().map(|d| d.as_static()).collect::<Option<Vec<i64>>>() {
            Some(numbers) => {
                let scalars = numbers.iter().map(|&n| Scalar::Int(n.into()));
                Known::Numbers(Rc::new(Tensor::from_scalars(&shape, element, scalars)))
            }
            None => Known::Sizes(sizes),
        })
    }

    /// The elements of an op some of whose operands are sizes.
    fn sizes_of_op(&mut self, op: &Op, operands: &[Known], elements: usize) -> Option<Vec<Dim>> {
        let lists: Vec<Vec<Dim>> = operands.iter().map(integers).collect::<Option<_>>()?;
        match op.kind {
            OpKind::Convert | OpKind::Reshape | OpKind::BitcastConvert => lists.first().cloned(),
            OpKind::BroadcastInDim
            | OpKind::Transpose
            | OpKind::Slice
            | OpKind::Concatenate
            | OpKind::Reverse
            | OpKind::Pad
            | OpKind::Gather => self.moved(op, operands, &lists),
            OpKind::Select => {
                let [which, yes, no] = lists.as_slice() else { return None };
                let at = |list: &[Dim], at: usize| list.get(if list.len() == 1 { 0 } else { at }).copied();
                (0..elements)
                    .map(|i| {
                        let (p, a, b) = (at(which, i)?, at(yes, i)?, at(no, i)?);
                        Some(self.b.graph.dim_select(p, a, b))
                    })
                    .collect()
            }
            OpKind::Compare => {
                let [left, right] = lists.as_slice() else { return None };
                let Some(Attr::Enum(_, direction)) = op.attrs.get("comparison_direction") else { return None };
                let pairs = left.iter().zip(right);
                pairs.map(|(&a, &b)| self.b.graph.dim_compare(direction, a, b)).collect()
            }
            OpKind::Reduce => self.folded(op, &lists, elements),
            kind => {
                let [left, right] = lists.as_slice() else { return None };
                let element = self.b.element(*op.operands.first()?);
                let pairs = left.iter().zip(right);
                pairs.map(|(&a, &b)| self.b.size_arithmetic(kind, element, a, b)).collect()
            }
        }
    }

    /// An op that only moves elements: it is evaluated on their numbers in a list of all of them.
    fn moved(&mut self, op: &Op, operands: &[Known], lists: &[Vec<Dim>]) -> Option<Vec<Dim>> {
        let mut all = Vec::new();
        let mut inputs = Vec::new();
        for (at, ((&value, list), known)) in op.operands.iter().zip(lists).zip(operands).enumerate() {
            let ty = self.b.tensor(value);
            if op.kind == OpKind::Gather && at == 1 {
                let Known::Numbers(places) = known else { return None };
                inputs.push(Tensor::clone(places));
                continue;
            }
            if !ty.element.is_integer() || ty.element.bits() < 32 {
                return None;
            }
            let shape: Vec<usize> = ty.static_shape()?.iter().map(|&n| n as usize).collect();
            let first = all.len();
            all.extend_from_slice(list);
            let names = (first..all.len()).map(|n| Scalar::Int(n as i128));
            inputs.push(Tensor::from_scalars(&shape, ty.element, names));
        }
        let id = self.b.graph.producer(*op.results.first()?)?;
        let result = evaluate_op(&self.b.graph, id, &inputs, &LIMITS).ok()?.pop()?;
        result.ints().into_iter().map(|n| all.get(n as usize).copied()).collect()
    }

    /// A reduction of a vector to one number.
    fn folded(&mut self, op: &Op, lists: &[Vec<Dim>], elements: usize) -> Option<Vec<Dim>> {
        let [list, start] = lists else { return None };
        if elements != 1 {
            return None;
        }
        let block = self.b.graph.region(*op.regions.first()?).blocks.first().copied()?;
        let [body, _] = self.b.graph.block(block).ops.as_slice() else { return None };
        let kind = self.b.graph.op(*body).kind;
        let mut sum = *start.first()?;
        for &size in list {
            sum = self.b.size_arithmetic(kind, ElementType::I64, sum, size)?;
        }
        Some(vec![sum])
    }

    /// The integers that a value holds, some of which may be sizes.
    pub fn known_sizes(&mut self, value: ValueId) -> Option<Vec<Dim>> {
        integers(&self.known(value)?)
    }

    /// The integers that a value holds.
    pub fn known_ints(&mut self, value: ValueId) -> Option<Vec<i64>> {
        self.known_sizes(value)?.iter().map(|d| d.as_static()).collect()
    }

    /// The numbers that a value holds.
    pub fn known_floats(&mut self, value: ValueId) -> Option<Vec<f64>> {
        match self.known(value)? {
            Known::Numbers(tensor) => Some(tensor.scalars().into_iter().map(Scalar::as_f64).collect()),
            Known::Sizes(_) => None,
        }
    }
}

fn integers(known: &Known) -> Option<Vec<Dim>> {
    match known {
        Known::Numbers(t) if t.element().is_integer() || t.element() == ElementType::I1 => {
            Some(t.ints().into_iter().map(Dim::Static).collect())
        }
        Known::Numbers(_) => None,
        Known::Sizes(sizes) => Some(sizes.clone()),
    }
}
