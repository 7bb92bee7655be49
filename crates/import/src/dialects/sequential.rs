//! A structured op of no known form: a loop over the summed elements, in order, all parallel elements at once.
//!
//! Worked example: `acc * 0.5 + in` over `d1` of `4x7` runs 7 times on `4` elements each: the state is the iteration's
//! number and the accumulators, the iteration slices its column out of every input. Slow, and right for any body.

use fornax_graph::{Dim, ElementType, OpKind, Type, ValueId};

use super::body::{Lane, Scope};
use super::build::{Builder, Number, numbers};
use super::converter::{Converter, Result};
use super::structured::Structured;

impl Converter<'_> {
    pub fn sequential(&mut self, parts: &Structured) -> Result<Vec<ValueId>> {
        let scope = Scope::new(parts.sizes.clone());
        let summed = scope.shape(&parts.summed);
        let known: Option<Vec<i64>> = numbers(&summed);
        if known.is_some_and(|sizes| sizes.iter().try_fold(1i64, |n, &d| n.checked_mul(d)).is_none()) {
            return Err(self.unsupported(parts.op, "a loop of more than 2⁶³ iterations".into()));
        }
        let count = self.b.graph.dim_product(&summed);
        let end = self.b.index_of(count);
        let needed = self.needed(parts.block, &parts.yields);
        let mut inputs = Vec::new();
        for i in 0..parts.inputs {
            if needed.contains(&parts.arguments[i]) {
                inputs.push((parts.arguments[i], self.read_operand(parts, i, &scope)?));
            }
        }
        let mut state = vec![self.b.splat(&[], ElementType::I64, Number::Int(0))];
        for i in parts.inputs..parts.operands.len() {
            state.push(self.read_operand(parts, i, &scope)?.value);
        }
        let types: Vec<Type> = state.iter().map(|&v| self.b.graph.ty(v).clone()).collect();
        let condition = self.b.region(&types, |b, arguments| {
            // A number is made again inside: the number of rounds is read off the region.
            let end = match count {
                Dim::Static(number) => b.splat(&[], ElementType::I64, Number::Int(number.into())),
                Dim::Symbolic(_) => end,
            };
            vec![b.compare("LT", arguments[0], end)]
        });
        let body = self.region(&types, |c, arguments| c.iteration(parts, arguments, &inputs))?;
        let made = self.b.while_loop(&state, condition, body);
        let loops: Vec<usize> = (0..parts.sizes.len()).filter(|d| !parts.summed.contains(d)).collect();
        let lanes = made.into_iter().skip(1).map(|value| Lane { value, dims: loops.clone() });
        Ok(lanes.enumerate().map(|(k, lane)| self.output(parts, k, &lane, &scope)).collect())
    }

    /// One iteration: the next number, and the accumulators.
    fn iteration(&mut self, parts: &Structured, state: &[ValueId], inputs: &[(ValueId, Lane)]) -> Result<Vec<ValueId>> {
        let Some((&number, accumulators)) = state.split_first() else { return Ok(Vec::new()) };
        let mut scope = Scope::new(parts.sizes.clone());
        let mut inner = Dim::Static(1);
        for &d in parts.summed.iter().rev() {
            let value = digit(&mut self.b, number, inner, parts.sizes[d]);
            scope.fixed.push((d, Lane { value, dims: Vec::new() }));
            inner = self.b.graph.dim_mul(inner, parts.sizes[d]);
        }
        for (argument, lane) in inputs {
            let column = self.column(lane, &scope);
            scope.env.insert(*argument, column);
        }
        let loops: Vec<usize> = (0..parts.sizes.len()).filter(|d| !parts.summed.contains(d)).collect();
        for (&argument, &value) in parts.accumulators().iter().zip(accumulators) {
            scope.env.insert(argument, Lane { value, dims: loops.clone() });
        }
        self.evaluate(parts.block, &parts.yields, &mut scope)?;
        let one = self.b.splat(&[], ElementType::I64, Number::Int(1));
        let mut next = vec![self.b.binary(OpKind::Add, number, one)];
        for &root in &parts.yields {
            let lane = self.lane(parts.op, root, &scope)?;
            next.push(self.spread(&lane, &loops, &scope));
        }
        Ok(next)
    }

    /// A lane at the iteration that the fixed loops stand at.
    fn column(&mut self, lane: &Lane, scope: &Scope) -> Lane {
        let zero = self.b.splat(&[], ElementType::I64, Number::Int(0));
        let at = |d: &usize| scope.fixed.iter().find(|(e, _)| e == d).map(|(_, lane)| lane.value);
        let starts: Vec<ValueId> = lane.dims.iter().map(|d| at(d).unwrap_or(zero)).collect();
        let sizes: Vec<Dim> =
            lane.dims.iter().map(|d| if at(d).is_some() { Dim::Static(1) } else { scope.sizes[*d] }).collect();
        let dims: Vec<usize> = lane.dims.iter().copied().filter(|d| at(d).is_none()).collect();
        let sliced = if lane.dims.is_empty() { lane.value } else { self.b.dynamic_slice(lane.value, &starts, &sizes) };
        let value = self.b.reshape(sliced, &scope.shape(&dims));
        Lane { value, dims }
    }
}

/// `number / inner mod size`
fn digit(b: &mut Builder, number: ValueId, inner: Dim, size: Dim) -> ValueId {
    let (inner, size) = (b.index_of(inner), b.index_of(size));
    let quotient = b.binary(OpKind::Divide, number, inner);
    b.binary(OpKind::Remainder, quotient, size)
}
