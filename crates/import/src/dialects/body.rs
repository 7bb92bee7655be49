//! Bodies of structured ops over all their elements at once.
//!
//! A scalar of a body becomes a [`Lane`]: a tensor over those loop dimensions on which the scalar depends, in ascending
//! order. Example: in `out[i, j] = a[i] * 2 + b[j]`, `a[i] * 2` is a lane over `[0]`, `b[j]` over `[1]`, the sum over
//! `[0, 1]`.

use std::collections::{HashMap, HashSet};

use fornax_graph::{BlockId, Dim, ElementType, Op, OpKind, ValueId};

use super::converter::{Converter, Result, element_of};
use super::scalars;

#[derive(Clone, Debug)]
pub struct Lane {
    pub value: ValueId,
    pub dims: Vec<usize>,
}

/// Sizes of the loops and what is known of a body's values.
pub struct Scope {
    pub sizes: Vec<Dim>,
    pub env: HashMap<ValueId, Lane>,
    /// Loops that stand at one iteration, with its number.
    pub fixed: Vec<(usize, Lane)>,
}

impl Scope {
    pub fn new(sizes: Vec<Dim>) -> Scope {
        Scope { sizes, env: HashMap::new(), fixed: Vec::new() }
    }

    pub fn shape(&self, dims: &[usize]) -> Vec<Dim> {
        dims.iter().filter_map(|&d| self.sizes.get(d).copied()).collect()
    }
}

/// Dimensions of all lanes, ascending.
pub fn union<'l>(lanes: impl IntoIterator<Item = &'l Lane>) -> Vec<usize> {
    let mut dims: Vec<usize> = lanes.into_iter().flat_map(|l| l.dims.iter().copied()).collect();
    dims.sort_unstable();
    dims.dedup();
    dims
}

impl Converter<'_> {
    /// Values of a block that `roots` are computed from, arguments included.
    pub fn needed(&self, block: BlockId, roots: &[ValueId]) -> HashSet<ValueId> {
        let mut needed: HashSet<ValueId> = roots.iter().copied().collect();
        for &id in self.raw.block(block).ops.iter().rev() {
            let op = self.raw.op(id);
            if op.results.iter().any(|r| needed.contains(r)) {
                self.uses(op, &mut needed);
            }
        }
        needed
    }

    /// Operands of an op and of the ops within it.
    fn uses(&self, op: &Op, into: &mut HashSet<ValueId>) {
        into.extend(&op.operands);
        for &region in &op.regions {
            for &block in &self.raw.region(region).blocks {
                for &inner in &self.raw.block(block).ops {
                    self.uses(self.raw.op(inner), into);
                }
            }
        }
    }

    /// A lane over more dimensions.
    pub fn spread(&mut self, lane: &Lane, dims: &[usize], scope: &Scope) -> ValueId {
        let to: Vec<usize> = lane.dims.iter().filter_map(|d| dims.iter().position(|e| e == d)).collect();
        let shape = scope.shape(dims);
        self.b.broadcast(lane.value, &to, &shape)
    }

    /// Computes `roots`, whose block's arguments are in the scope as far as they are needed.
    pub fn evaluate(&mut self, block: BlockId, roots: &[ValueId], scope: &mut Scope) -> Result<()> {
        let needed = self.needed(block, roots);
        let raw = self.raw;
        for &id in &raw.block(block).ops {
            let op = raw.op(id);
            if op.results.iter().any(|r| needed.contains(r)) && !op.results.iter().all(|r| scope.env.contains_key(r)) {
                self.lane_op(op, scope)?;
            }
        }
        Ok(())
    }

    /// A value of a body, or one from outside.
    pub fn lane(&self, op: &Op, raw: ValueId, scope: &Scope) -> Result<Lane> {
        match scope.env.get(&raw) {
            Some(lane) => Ok(lane.clone()),
            None => Ok(Lane { value: self.value(op, raw)?, dims: Vec::new() }),
        }
    }

    fn lane_op(&mut self, op: &Op, scope: &mut Scope) -> Result<()> {
        let result = match (op.kind, op.name.as_str()) {
            (_, "linalg.index") => {
                let d = self.dimension(op, "dim", scope.sizes.len())?;
                self.index_lane(d, scope)
            }
            (_, "tensor.extract") => self.extract_lane(op, scope)?,
            (_, "scf.if") => return self.if_lanes(op, scope),
            (OpKind::Unregistered, name) if op.regions.is_empty() && scalars::names().any(|n| n == name) => {
                let lanes: Vec<Lane> = op.operands.iter().map(|&o| self.lane(op, o, scope)).collect::<Result<_>>()?;
                let dims = union(&lanes);
                let operands: Vec<ValueId> = lanes.iter().map(|l| self.spread(l, &dims, scope)).collect();
                let element = self.result_element(op, 0)?;
                match scalars::emit(&mut self.b, op, &operands, element) {
                    Some(value) => Lane { value, dims },
                    None => return self.outer_op(op, scope),
                }
            }
            _ => return self.outer_op(op, scope),
        };
        if let [one] = op.results.as_slice() {
            scope.env.insert(*one, result);
        }
        Ok(())
    }

    /// An op of a body that depends on no loop.
    fn outer_op(&mut self, op: &Op, scope: &mut Scope) -> Result<()> {
        for &operand in &op.operands {
            if let Some(lane) = scope.env.get(&operand) {
                if !lane.dims.is_empty() {
                    return Err(self.unsupported(op, "it stands in the body of a structured op".into()));
                }
                self.values.insert(operand, lane.value);
            }
        }
        self.op(op)?;
        for &result in &op.results {
            let value = self.value(op, result)?;
            scope.env.insert(result, Lane { value, dims: Vec::new() });
        }
        Ok(())
    }

    /// The number of the iteration along a loop.
    pub fn index_lane(&mut self, d: usize, scope: &Scope) -> Lane {
        if let Some((_, lane)) = scope.fixed.iter().find(|(e, _)| *e == d) {
            return lane.clone();
        }
        let value = self.b.iota(&scope.shape(&[d]), ElementType::I64, 0);
        Lane { value, dims: vec![d] }
    }

    /// Both branches, and a selection.
    fn if_lanes(&mut self, op: &Op, scope: &mut Scope) -> Result<()> {
        let condition = match op.operands.first() {
            Some(&raw) => self.lane(op, raw, scope)?,
            None => return Err(self.malformed(op, "the condition is missing".into())),
        };
        let mut branches = Vec::new();
        for index in 0..2 {
            let block = self.region_block(op, index)?;
            let last = self.raw.block(block).ops.last().map(|&id| self.raw.op(id).operands.clone());
            let roots = last.unwrap_or_default();
            self.evaluate(block, &roots, scope)?;
            branches.push(roots.iter().map(|&r| self.lane(op, r, scope)).collect::<Result<Vec<_>>>()?);
        }
        for (at, &result) in op.results.iter().enumerate() {
            let (Some(yes), Some(no)) = (branches[0].get(at).cloned(), branches[1].get(at).cloned()) else {
                return Err(self.malformed(op, "the branches must give the results".into()));
            };
            let lanes = [condition.clone(), yes, no];
            let dims = union(&lanes);
            let [c, y, n] = lanes.map(|l| self.spread(&l, &dims, scope));
            let value = self.b.select(c, y, n);
            scope.env.insert(result, Lane { value, dims });
        }
        Ok(())
    }

    /// The element type that a scalar of a body, or a tensor, has in the graph.
    pub fn scalar_element(&self, raw: ValueId) -> ElementType {
        element_of(self.raw.ty(raw)).unwrap_or(ElementType::I1)
    }

    /// The loop whose number a value of a body is.
    pub fn loop_of(&self, raw: ValueId) -> Option<usize> {
        let mut raw = raw;
        loop {
            let op = self.raw.op(self.raw.producer(raw)?);
            match op.name.as_str() {
                "linalg.index" => return usize::try_from(op.attrs.int("dim")?).ok(),
                "arith.index_cast" | "arith.index_castui" => raw = *op.operands.first()?,
                _ => return None,
            }
        }
    }
}
