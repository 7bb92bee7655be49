//! How passes change a graph: ops before another one, values in the place of its results.
//!
//! [`sweep`] is one forward sweep over a graph that replaces ops: how every pass of `simplify` changes the graph. The
//! rewrites of `decompose` look at one op a time ([`Rewriter::before`]) and at what reads it.
//!
//! Blocks are rebuilt op by op in program order, nested regions before the op that owns them. Uses come after
//! definitions, so a replaced value needs no search for its users: operands are looked up in a table as the sweep
//! reaches them. A sweep is linear in the number of ops. After an error the graph is half rebuilt and must be dropped.

pub mod build;
pub mod copy;
pub mod equal;

use fornax_graph::{
    Attr, BlockId, Dim, DimDef, Graph, LocId, NewOp, OpId, OpKind, RegionId, TensorType, Type, ValueId,
};

use crate::errors::PassError;

/// What becomes of the op that a rule looked at.
#[derive(Clone, Debug, PartialEq)]
pub enum Rewrite {
    /// The op stays as it is.
    Keep,
    /// The op stays, its attributes or operands were edited.
    Edited,
    /// The op goes; these values, of the same types, take the place of its results.
    Replace(Vec<ValueId>),
    /// The op goes; nothing uses its results, or [`Rewriter::replace`] said what to use instead.
    Erase,
}

impl Rewrite {
    /// Replaces an op of one result.
    pub fn with(value: ValueId) -> Rewrite {
        Rewrite::Replace(vec![value])
    }
}

/// What a rule returns.
pub type Outcome = Result<Rewrite, PassError>;

/// A graph while its ops are being rewritten. New ops go before the op that the rule looks at.
pub struct Rewriter<'g> {
    pub graph: &'g mut Graph,
    /// By value id: the value to use in its place. Values made during the sweep lie past the end.
    replaced: Vec<Option<ValueId>>,
    /// Blocks around the current op, innermost last.
    pub(crate) blocks: Vec<BlockId>,
    location: LocId,
    changed: bool,
    /// The op that new ones go before; `None` in a sweep, where they go behind what is rebuilt.
    place: Option<OpId>,
}

/// Offers every op of every function to `rule`. Returns whether anything changed.
pub fn sweep(graph: &mut Graph, rule: &mut dyn FnMut(&mut Rewriter, OpId) -> Outcome) -> Result<bool, PassError> {
    let bodies: Vec<RegionId> = graph.functions.iter().filter_map(|f| f.body).collect();
    let replaced = vec![None; graph.values.len()];
    let mut rewriter =
        Rewriter { graph, replaced, blocks: Vec::new(), location: LocId::default(), changed: false, place: None };
    for body in bodies {
        rewriter.visit_region(body, rule)?;
    }
    rewriter.remap_sizes();
    Ok(rewriter.changed)
}

impl<'g> Rewriter<'g> {
    /// Puts new ops before `op`, with its location, outside of a sweep.
    pub fn before(graph: &'g mut Graph, op: OpId) -> Rewriter<'g> {
        let data = graph.op(op);
        let (blocks, location) = (vec![data.block], data.location);
        Rewriter { graph, replaced: Vec::new(), blocks, location, changed: false, place: Some(op) }
    }

    /// Puts new ops at the end of a block that is being rebuilt, outside of a sweep.
    pub(crate) fn at_end(graph: &'g mut Graph, block: BlockId, location: LocId) -> Rewriter<'g> {
        Rewriter { graph, replaced: Vec::new(), blocks: vec![block], location, changed: false, place: None }
    }
}

impl Rewriter<'_> {
    /// Sizes that the host reads from a value that was replaced.
    fn remap_sizes(&mut self) {
        for dim in self.graph.dims.iter_mut() {
            if let DimDef::Value { value } = &mut dim.def
                && let Some(Some(new)) = self.replaced.get(value.index())
            {
                *value = *new;
            }
        }
    }

    fn visit_region(
        &mut self,
        region: RegionId,
        rule: &mut dyn FnMut(&mut Rewriter, OpId) -> Outcome,
    ) -> Result<(), PassError> {
        for at in 0..self.graph.region(region).blocks.len() {
            let block = self.graph.region(region).blocks[at];
            let ops = std::mem::take(&mut self.graph.blocks[block.index()].ops);
            self.blocks.push(block);
            for op in ops {
                self.visit_op(block, op, rule)?;
            }
            self.blocks.pop();
        }
        Ok(())
    }

    fn visit_op(
        &mut self,
        block: BlockId,
        id: OpId,
        rule: &mut dyn FnMut(&mut Rewriter, OpId) -> Outcome,
    ) -> Result<(), PassError> {
        let op = &mut self.graph.ops[id.index()];
        for operand in &mut op.operands {
            if let Some(Some(value)) = self.replaced.get(operand.index()) {
                *operand = *value;
            }
        }
        for at in 0..op.regions.len() {
            let region = self.graph.op(id).regions[at];
            self.visit_region(region, rule)?;
        }
        self.location = self.graph.op(id).location;
        let rewrite = rule(self, id)?;
        match rewrite {
            Rewrite::Replace(values) if self.fits(id, &values) => {
                self.changed = true;
                for (at, value) in values.into_iter().enumerate() {
                    self.replace(self.graph.op(id).results[at], value);
                }
                return Ok(());
            }
            Rewrite::Erase => {
                self.changed = true;
                return Ok(());
            }
            Rewrite::Edited => self.changed = true,
            Rewrite::Keep | Rewrite::Replace(_) => {}
        }
        self.graph.blocks[block.index()].ops.push(id);
        Ok(())
    }

    /// Whether the values have the types of the op's results. Symbolic sizes make `tensor<?xf32>` and `tensor<2xf32>`
    /// meet in one op; such an op is kept.
    fn fits(&self, id: OpId, values: &[ValueId]) -> bool {
        let results = &self.graph.op(id).results;
        results.len() == values.len() && results.iter().zip(values).all(|(&r, &v)| self.graph.ty(r) == self.graph.ty(v))
    }

    /// Later ops use `new` where they used `old`, a value from before the sweep.
    pub fn replace(&mut self, old: ValueId, new: ValueId) {
        if let Some(slot) = self.replaced.get_mut(old.index()) {
            *slot = Some(new);
        }
    }

    /// Whether the current op is in a region of another op.
    pub(crate) fn is_nested(&self) -> bool {
        self.blocks.len() > 1
    }

    /// Whether values of `block` can be used at the current op.
    pub(crate) fn in_scope(&self, block: BlockId) -> bool {
        self.blocks.contains(&block)
    }

    /// Location of the op being rewritten, which new ops take.
    pub fn location(&self) -> LocId {
        self.location
    }

    /// Adds an op before the current one; returns its results.
    pub fn insert(&mut self, op: NewOp) -> Vec<ValueId> {
        let Some(&block) = self.blocks.last() else { return Vec::new() };
        let id = match self.place {
            None => self.graph.push_op(block, op),
            Some(before) => {
                let at = self.graph.block(block).ops.iter().position(|&o| o == before).unwrap_or(0);
                self.graph.insert_op(block, at, op)
            }
        };
        self.graph.op(id).results.clone()
    }

    /// Adds an op of one result before the current one.
    pub fn emit(&mut self, kind: OpKind, operands: &[ValueId], ty: Type, attrs: &[(&str, Attr)]) -> ValueId {
        let mut op = NewOp::new(kind, operands.to_vec(), vec![ty], self.location);
        for (name, value) in attrs {
            op.attrs.set(name, value.clone());
        }
        self.insert(op)[0]
    }

    /// Moves the ops of a block, all but its terminator, before the current op; returns the terminator's operands.
    /// The block's arguments must be unused.
    pub fn splice(&mut self, from: BlockId) -> Vec<ValueId> {
        let Some(&to) = self.blocks.last() else { return Vec::new() };
        let mut ops = std::mem::take(&mut self.graph.blocks[from.index()].ops);
        let terminator = ops.pop();
        for &op in &ops {
            self.graph.op_mut(op).block = to;
        }
        self.graph.blocks[to.index()].ops.extend(ops);
        terminator.map(|op| self.graph.op(op).operands.clone()).unwrap_or_default()
    }

    /// What `fill` adds goes to the end of another block, of a region that is being made.
    pub(crate) fn within<T>(&mut self, block: BlockId, fill: impl FnOnce(&mut Self) -> T) -> T {
        self.blocks.push(block);
        let done = fill(self);
        self.blocks.pop();
        done
    }

    /// An op for the innermost block that is in none yet.
    pub(crate) fn draft(&mut self, op: NewOp) -> Option<OpId> {
        let &block = self.blocks.last()?;
        let id = self.graph.push_op(block, op);
        self.graph.blocks[block.index()].ops.pop().inspect(|&op| debug_assert_eq!(op, id))
    }

    /// Puts a draft where new ops go.
    pub(crate) fn place(&mut self, draft: OpId) {
        if let Some(&block) = self.blocks.last() {
            self.graph.blocks[block.index()].ops.push(draft);
        }
    }

    pub fn kind(&self, id: OpId) -> OpKind {
        self.graph.op(id).kind
    }

    /// Operand of an op; the verifier has checked the count, so a missing one only makes rules not match.
    pub fn operand(&self, id: OpId, at: usize) -> Option<ValueId> {
        self.graph.op(id).operands.get(at).copied()
    }

    pub fn result(&self, id: OpId, at: usize) -> Option<ValueId> {
        self.graph.op(id).results.get(at).copied()
    }

    /// Type of a value when it is a tensor.
    pub fn tensor(&self, value: ValueId) -> Option<&TensorType> {
        self.graph.ty(value).as_tensor()
    }

    /// Sizes of a tensor of static shape.
    pub fn shape(&self, value: ValueId) -> Option<Vec<i64>> {
        self.tensor(value)?.static_shape()
    }

    /// Sizes of a tensor, static ones or symbols, none of them `?`.
    pub fn sizes(&self, value: ValueId) -> Option<Vec<Dim>> {
        let tensor = self.tensor(value)?;
        tensor.is_sized().then(|| tensor.shape.clone())
    }

    /// The op that makes a value, if it is of that kind.
    pub(crate) fn made_by(&self, value: ValueId, kind: OpKind) -> Option<OpId> {
        self.graph.producer(value).filter(|&op| self.graph.op(op).kind == kind)
    }
}
