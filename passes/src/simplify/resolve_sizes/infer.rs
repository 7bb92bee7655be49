//! One op of the walk: sizes of its results, regions, what its operands must have in common.
//!
//! Worked example: `while` carrying (i, x) with x of `[arg1_0]`: the condition's and body's x get `[arg1_0]`, the body
//! must give back `[arg1_0]`, and so must the results.

use fornax_graph::{BlockId, Dim, OpId, OpKind, Type, ValueId};

use super::{Resolver, bounds_of, is_assertion, table};
use crate::errors::{PassError, place};

impl Resolver<'_> {
    pub fn op(&mut self, id: OpId) -> Result<(), PassError> {
        if is_assertion(self.graph, id) {
            return self.assertion(id);
        }
        match self.graph.op(id).kind {
            OpKind::While => self.turns(id),
            OpKind::If | OpKind::Case => self.branches(id),
            OpKind::Return | OpKind::FuncReturn => Ok(()),
            kind => match table::rule(kind) {
                Some(rule) => {
                    let shapes = rule(self, id)?;
                    self.results(id, shapes)
                }
                None => self.declared(id),
            },
        }
    }

    /// Sizes of the results; where a size is declared it is the one.
    fn results(&mut self, id: OpId, shapes: Vec<Vec<Dim>>) -> Result<(), PassError> {
        let results = self.graph.op(id).results.clone();
        if shapes.len() != results.len() {
            return Err(PassError::malformed(self.graph, id, "it has another number of results"));
        }
        results.into_iter().zip(shapes).try_for_each(|(result, shape)| self.result(id, result, shape))
    }

    fn result(&mut self, id: OpId, result: ValueId, shape: Vec<Dim>) -> Result<(), PassError> {
        let Some(tensor) = self.graph.ty(result).as_tensor() else { return Ok(()) };
        let (declared, bounds) = (tensor.shape.clone(), bounds_of(tensor));
        if declared.len() != shape.len() {
            return Err(PassError::malformed(self.graph, id, "its result has another rank than its operands give"));
        }
        let mut known = Vec::with_capacity(shape.len());
        for (axis, (&found, &given)) in shape.iter().zip(&declared).enumerate() {
            let dim = self.unify(id, found, given)?;
            if dim == Dim::Symbolic(0) {
                return Err(self.unknown(id, &format!("the size of dimension {axis} of its result")));
            }
            if let Some(&Some(max)) = bounds.get(axis) {
                self.limit(id, dim, Some(max));
            }
            known.push(dim);
        }
        self.shapes.insert(result, known);
        Ok(())
    }

    /// An op without a rule says its sizes in its types.
    fn declared(&mut self, id: OpId) -> Result<(), PassError> {
        for result in self.graph.op(id).results.clone() {
            if super::is_unknown(self.graph.ty(result)) {
                return Err(self.unknown(id, "the size of its result"));
            }
        }
        Ok(())
    }

    pub fn unknown(&self, id: OpId, what: &str) -> PassError {
        PassError::UnknownSize {
            op: self.graph.op(id).kind.name().into(),
            at: place(self.graph, self.graph.op(id).location),
            what: what.into(),
        }
    }

    fn turns(&mut self, id: OpId) -> Result<(), PassError> {
        let op = self.graph.op(id).clone();
        let mut shapes = Vec::new();
        for &operand in &op.operands {
            shapes.push(self.shape(operand));
        }
        let sizes = self.loop_sizes(id, &shapes);
        for (number, &region) in op.regions.iter().enumerate() {
            let Some(block) = self.only_block(region) else { continue };
            self.owners.insert(block, id);
            let mut inside = shapes.clone();
            for size in &sizes {
                inside[size.at][size.axis] = if number == 0 { size.condition } else { size.body };
            }
            for (&argument, shape) in self.graph.block(block).arguments.clone().iter().zip(inside) {
                self.shapes.insert(argument, shape);
            }
            if let Err(error) = self.region(region) {
                self.suspect(id);
                return Err(error);
            }
        }
        if let Some(body) = op.regions.get(1).and_then(|&region| self.only_block(region)) {
            for (at, (value, first)) in self.returned(body).into_iter().zip(&shapes).enumerate() {
                let given = self.shape(value);
                self.given_back(id, at, (first, &given), &sizes)?;
            }
        }
        for size in &sizes {
            shapes[size.at][size.axis] = size.result;
        }
        for (&result, shape) in op.results.iter().zip(shapes) {
            self.result(id, result, shape)?;
        }
        Ok(())
    }

    fn branches(&mut self, id: OpId) -> Result<(), PassError> {
        let op = self.graph.op(id).clone();
        let mut shapes: Vec<Option<Vec<Dim>>> = vec![None; op.results.len()];
        for &region in &op.regions {
            let Some(block) = self.only_block(region) else { continue };
            self.owners.insert(block, id);
            self.region(region)?;
            for (value, known) in self.returned(block).into_iter().zip(&mut shapes) {
                let found = self.shape(value);
                *known = Some(match known {
                    Some(before) => self.unify_shapes(id, before, &found)?,
                    None => found,
                });
            }
        }
        for (&result, shape) in op.results.iter().zip(shapes) {
            self.result(id, result, shape.unwrap_or_default())?;
        }
        Ok(())
    }

    fn only_block(&self, region: fornax_graph::RegionId) -> Option<BlockId> {
        self.graph.region(region).blocks.first().copied()
    }

    /// What a block hands to its op.
    fn returned(&self, block: BlockId) -> Vec<ValueId> {
        let last = self.graph.block(block).ops.last();
        last.map(|&op| self.graph.op(op).operands.clone()).unwrap_or_default()
    }

    /// The sizes that a shape operand holds, none of them negative.
    pub fn sizes_in(&mut self, id: OpId, at: usize) -> Result<Vec<Dim>, PassError> {
        let value = self.operand(id, at)?;
        let Some(dims) = self.contents(value) else { return Err(self.unknown(id, "a size in its shape operand")) };
        dims.iter().for_each(|&dim| self.limit(id, dim, None));
        Ok(dims.into_iter().map(|dim| self.canonical(dim)).collect())
    }

    /// The numbers that an operand holds, of any sign.
    pub fn numbers_in(&mut self, id: OpId, at: usize) -> Result<Vec<Dim>, PassError> {
        let value = self.operand(id, at)?;
        self.contents(value).ok_or_else(|| self.unknown(id, &format!("a number in operand {at}")))
    }

    /// What becomes of a dimension that is broadcast from one size to another; the size it has then.
    pub fn broadcast(&mut self, id: OpId, from: Dim, to: Dim, known: Option<bool>) -> Result<Dim, PassError> {
        let (from, to) = (self.canonical(from), self.canonical(to));
        if from == to || from == Dim::Static(1) && known != Some(false) {
            return Ok(to);
        }
        if to == Dim::Symbolic(0) {
            return Ok(from);
        }
        let stretches = known.unwrap_or(false);
        let equal = known == Some(false)
            || self.stretches_ones_only
            || to == Dim::Static(1)
            || self.graph.dim_bounds(from).0 > 1
            || self.graph.dim_bounds(from).1 < 1;
        if stretches {
            self.unify(id, from, Dim::Static(1))?;
        } else if equal {
            return self.unify(id, to, from);
        }
        Ok(to)
    }

    /// Whether values of a type have sizes that matter here.
    pub fn rank(&self, value: ValueId) -> usize {
        match self.graph.ty(value) {
            Type::Tensor(tensor) => tensor.rank(),
            _ => 0,
        }
    }
}
