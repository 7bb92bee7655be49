//! Size expressions of a program: from the graph's dims and from index expressions of kernels to entries of the
//! expression table.
//!
//! Input: dims (sizes of arguments, integers read from data, expressions of both) and polynomials in them. Output:
//! expressions over the size slots of the function that is planned. The named sizes of the arguments take slots 0, 1, …
//! in the order of their first appearance; those that are read from data follow.
//!
//! Worked example: `f(x: [b, 96], n: i32)` with a result of [n, b]: slots b = 0, n = 1; the result has 4·n·b bytes.

use std::collections::{HashMap, HashSet};

use fornax_graph::{BlockId, Definition, Dim, DimDef, DimExpr, Graph, OpKind, SymbolicDim, ValueId};
use fornax_module::program::{ExprId, SizeExpr};
use fornax_plan::index::Indices;
use fornax_plan::{Atom, AtomId, IndexId, KernelPlan, LaunchFormula, VarId};

use super::Planner;
use crate::errors::PassError;
use crate::facts::ops::tensor;
use crate::facts::sizes::{size, sizes};

/// Bytes of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bytes {
    Fixed(u64),
    /// A polynomial in [`FunctionSizes::indices`].
    Formula(IndexId),
}

impl Bytes {
    /// The number, where it is known.
    pub fn fixed(self) -> Option<u64> {
        if let Bytes::Fixed(bytes) = self { Some(bytes) } else { None }
    }
}

/// What is known of the sizes of the function that is planned.
#[derive(Default)]
pub struct FunctionSizes {
    pub indices: Indices,
    /// Dims that have slots, in the order of the slots.
    pub slots: Vec<u32>,
    /// Slots that arguments' shapes give; the others are read from data.
    pub from_shapes: usize,
    by_dim: HashMap<u32, ExprId>,
    /// The block of the function.
    entry: Option<BlockId>,
    /// Scalars that the host reads, in the order in which it does.
    reads: Vec<u32>,
    /// Scalars that are the same value as an earlier one: two ops that gave them have become one.
    same: HashMap<u32, u32>,
    /// Scalars that lie in the buffer of another, with which they share a slot: a carried size in a loop and behind it.
    shared: HashMap<u32, u32>,
    /// Entries that need slots read from data: the highest such slot, counted from 1.
    stages: HashMap<ExprId, usize>,
}

impl FunctionSizes {
    /// Of the function with this block: nothing yet but which scalars are the same.
    pub fn of(graph: &Graph, entry: BlockId) -> FunctionSizes {
        let read = read_values(graph);
        let first = |(at, dim): (u32, &SymbolicDim)| match dim.def {
            DimDef::Value { value } => read.get(&value).filter(|&&first| first != at).map(|&first| (at, first)),
            _ => None,
        };
        let same = (0..).zip(graph.dims.iter()).filter_map(first).collect();
        FunctionSizes { entry: Some(entry), same, ..FunctionSizes::default() }
    }

    /// The scalar that stands for a dim and those that are the same.
    fn first(&self, dim: u32) -> u32 {
        self.same.get(&dim).copied().unwrap_or(dim)
    }
}

impl Planner<'_> {
    /// Interns an expression.
    pub fn expression(&mut self, expr: SizeExpr) -> ExprId {
        if let SizeExpr::Const(value) = expr {
            return self.size(value);
        }
        if let Some(&id) = self.expressions.get(&expr) {
            return id;
        }
        let exprs = &mut self.planned.program.exprs;
        exprs.push(expr.clone());
        let id = exprs.len() as ExprId - 1;
        self.expressions.insert(expr, id);
        id
    }

    /// A number, negative ones as their bits.
    fn number(&mut self, value: i64) -> ExprId {
        self.size(value as u64)
    }

    /// An operation; on constants its result.
    pub fn operation(&mut self, make: fn(ExprId, ExprId) -> SizeExpr, a: ExprId, b: ExprId) -> ExprId {
        let expr = make(a, b);
        let constant = |at: ExprId| match self.planned.program.exprs.get(at as usize) {
            Some(SizeExpr::Const(value)) => Some(*value as i64),
            _ => None,
        };
        match (&expr, constant(a), constant(b)) {
            (SizeExpr::Add(..), Some(0), _) => b,
            (SizeExpr::Add(..) | SizeExpr::Sub(..), _, Some(0)) => a,
            (SizeExpr::Mul(..), Some(1), _) => b,
            (SizeExpr::Mul(..) | SizeExpr::CeilDiv(..) | SizeExpr::FloorDiv(..), _, Some(1)) => a,
            (SizeExpr::Add(..), Some(x), Some(y)) if x.checked_add(y).is_some() => self.number(x + y),
            (SizeExpr::Mul(..), Some(x), Some(y)) if x.checked_mul(y).is_some() => self.number(x * y),
            (SizeExpr::Max(..), Some(x), Some(y)) => self.number(x.max(y)),
            (SizeExpr::Max(..), ..) if a == b => a,
            _ => self.expression(expr),
        }
    }

    /// Gives the dims of an argument's shape their slots.
    pub fn take_slots(&mut self, value: ValueId) -> Result<(), PassError> {
        for dim in &tensor(self.graph, value)?.shape {
            if let Dim::Symbolic(at) = *dim
                && !matches!(self.graph.dims.get(at as usize).map(|d| &d.def), Some(DimDef::Expr(_)))
            {
                self.slot(at);
            }
        }
        self.sizes_of.from_shapes = self.sizes_of.slots.len();
        Ok(())
    }

    /// The slot of a dim that is no expression.
    pub fn slot(&mut self, dim: u32) -> u32 {
        let dim = self.sizes_of.first(dim);
        let dim = self.sizes_of.shared.get(&dim).copied().unwrap_or(dim);
        let slots = &mut self.sizes_of.slots;
        let at = slots.iter().position(|&d| d == dim).unwrap_or_else(|| {
            slots.push(dim);
            slots.len() - 1
        });
        at as u32
    }

    /// Slots of the scalars that the host reads, in the order in which it does: the stages of a call count them.
    pub fn number_reads(&mut self, block: BlockId, read: &HashMap<ValueId, u32>) {
        let graph = self.graph;
        self.note_reads(&graph.block(block).arguments, read);
        for &id in &graph.block(block).ops {
            let op = graph.op(id);
            if matches!(op.kind, OpKind::While | OpKind::If) {
                let blocks: Vec<BlockId> = op.regions.iter().flat_map(|&r| &graph.region(r).blocks).copied().collect();
                for &inner in &blocks {
                    self.share(&graph.block(inner).arguments, &op.results, read);
                    self.number_reads(inner, read);
                }
            }
            self.note_reads(&op.results, read);
        }
    }

    fn note_reads(&mut self, values: &[ValueId], read: &HashMap<ValueId, u32>) {
        for &dim in values.iter().filter_map(|value| read.get(value)) {
            self.slot(dim);
            self.sizes_of.reads.push(dim);
        }
    }

    /// Arguments of a loop's block lie where its results do.
    fn share(&mut self, arguments: &[ValueId], results: &[ValueId], read: &HashMap<ValueId, u32>) {
        for (argument, result) in arguments.iter().zip(results) {
            if let (Some(&inside), Some(&behind)) = (read.get(argument), read.get(result)) {
                self.sizes_of.shared.insert(inside, behind);
            }
        }
    }

    /// Which of the scalars that two sizes are made of is read last; `None` where they are made of none.
    pub fn last_read(&self, a: Dim, b: Dim) -> Option<u32> {
        let parts = [a, b].into_iter().flat_map(|size| self.graph.dim_parts(size));
        let parts: HashSet<u32> = parts.map(|part| self.sizes_of.first(part)).collect();
        self.sizes_of.reads.iter().rev().find(|dim| parts.contains(dim)).copied()
    }

    /// The most bytes that a value can have whose size changes while its place does not; `None` where its size stays.
    /// `behind` is asked for what a loop gives: the scalars that it ends with are not read before.
    pub fn room(&mut self, value: ValueId, behind: bool) -> Result<Option<Bytes>, PassError> {
        let graph = self.graph;
        let ty = tensor(graph, value)?;
        if !ty.shape.iter().any(|&dim| self.changes(dim, behind)) {
            return Ok(None);
        }
        let mut most = Vec::with_capacity(ty.shape.len());
        for &dim in &ty.shape {
            let none = || PassError::broken(format!("size {} of a loop has no bound", graph.dim_text(dim)));
            most.push(self.most(dim, behind, &mut HashMap::new()).ok_or_else(none)?);
        }
        let indices = &mut self.sizes_of.indices;
        let elements = indices.product_of(&most);
        let bytes = indices.scale(elements, ty.element.storage_bytes() as i64);
        Ok(Some(match indices.as_constant(bytes) {
            Some(bytes) => Bytes::Fixed(u64::try_from(bytes).unwrap_or(0)),
            None => Bytes::Formula(bytes),
        }))
    }

    /// Whether a size is another one while a call goes on.
    fn changes(&self, dim: Dim, behind: bool) -> bool {
        self.graph.dim_parts(dim).into_iter().any(|at| match self.graph.dims.get(at as usize).map(|d| d.def) {
            Some(DimDef::Value { value }) => behind || self.home(value) != self.sizes_of.entry,
            _ => false,
        })
    }

    fn home(&self, value: ValueId) -> Option<BlockId> {
        match self.graph.values.get(value.index())?.definition {
            Definition::Result { op, .. } => Some(self.graph.op(op).block),
            Definition::Argument { block, .. } => Some(block),
        }
    }

    /// The largest that a size can be, of sizes that stay as they are; `known` are those worked out so far.
    fn most(&mut self, dim: Dim, behind: bool, known: &mut HashMap<Dim, Option<IndexId>>) -> Option<IndexId> {
        if let Some(&most) = known.get(&dim) {
            return most;
        }
        let most = self.work_out_most(dim, behind, known);
        known.insert(dim, most);
        most
    }

    fn work_out_most(&mut self, dim: Dim, behind: bool, known: &mut HashMap<Dim, Option<IndexId>>) -> Option<IndexId> {
        if !self.changes(dim, behind) {
            return Some(size(self.graph, dim, &mut self.sizes_of.indices));
        }
        let (least, most) = self.graph.dim_bounds(dim);
        if most < i64::MAX {
            return Some(self.sizes_of.indices.constant(most.max(0)));
        }
        let Dim::Symbolic(at) = dim else { return None };
        let Some(DimDef::Expr(expr)) = self.graph.dims.get(at as usize).map(|d| d.def) else { return None };
        let (a, b) = expr.operands();
        let least_of = |dim| self.graph.dim_bounds(dim).0;
        let (from_zero, divisor) = (least >= 0 && least_of(a) >= 0, least_of(b));
        let mut of = |planner: &mut Self, dim| planner.most(dim, behind, known);
        match expr {
            DimExpr::Add(..) => {
                let (a, b) = (of(self, a)?, of(self, b)?);
                Some(self.sizes_of.indices.add(a, b))
            }
            DimExpr::Sub(..) if divisor > i64::MIN => {
                let a = of(self, a)?;
                Some(self.sizes_of.indices.offset(a, divisor.saturating_neg()))
            }
            DimExpr::Mul(..) if from_zero && divisor >= 0 => {
                let (a, b) = (of(self, a)?, of(self, b)?);
                Some(self.sizes_of.indices.multiply(a, b))
            }
            DimExpr::FloorDiv(..) | DimExpr::CeilDiv(..) | DimExpr::Mod(..) if from_zero && divisor >= 1 => of(self, a),
            DimExpr::Min(..) => of(self, a).or_else(|| of(self, b)),
            DimExpr::Max(..) if from_zero && divisor >= 0 => {
                let (a, b) = (of(self, a)?, of(self, b)?);
                Some(self.sizes_of.indices.add(a, b))
            }
            _ => None,
        }
    }

    /// The expression of a size.
    ///
    /// # Errors
    /// FX0901 for a size without a definition.
    pub fn dim(&mut self, dim: Dim) -> Result<ExprId, PassError> {
        let root = match dim {
            Dim::Static(n) => return Ok(self.number(n)),
            Dim::Symbolic(at) => at,
        };
        let graph = self.graph;
        for at in graph.dim_parts(dim) {
            if !self.sizes_of.by_dim.contains_key(&at) {
                let id = self.entry(at)?;
                self.sizes_of.by_dim.insert(at, id);
            }
        }
        self.sizes_of.by_dim.get(&root).copied().ok_or_else(|| PassError::broken("a size has no expression"))
    }

    /// The expression of an entry of the graph's dims whose operands have theirs.
    fn entry(&mut self, at: u32) -> Result<ExprId, PassError> {
        let entry = self.graph.dims.get(at as usize);
        let entry = entry.ok_or_else(|| PassError::broken(format!("there is no size {at}")))?;
        let expr = match entry.def {
            DimDef::Unknown => return Err(PassError::broken("a size that nothing defines")),
            DimDef::Argument { .. } | DimDef::Value { .. } => {
                let slot = self.slot(at);
                let id = self.expression(SizeExpr::Slot(slot));
                if slot as usize >= self.sizes_of.from_shapes {
                    self.sizes_of.stages.insert(id, slot as usize + 1);
                }
                return Ok(id);
            }
            DimDef::Expr(expr) => expr,
        };
        let make = match expr {
            DimExpr::Add(..) => SizeExpr::Add,
            DimExpr::Sub(..) => SizeExpr::Sub,
            DimExpr::Mul(..) => SizeExpr::Mul,
            DimExpr::FloorDiv(..) => SizeExpr::FloorDiv,
            DimExpr::CeilDiv(..) => SizeExpr::CeilDiv,
            DimExpr::Mod(..) => SizeExpr::Mod,
            DimExpr::Min(..) => SizeExpr::Min,
            DimExpr::Max(..) => SizeExpr::Max,
        };
        let (a, b) = expr.operands();
        let (a, b) = (self.known_dim(a)?, self.known_dim(b)?);
        Ok(self.staged(make, a, b))
    }

    fn known_dim(&mut self, dim: Dim) -> Result<ExprId, PassError> {
        match dim {
            Dim::Static(n) => Ok(self.number(n)),
            Dim::Symbolic(at) => {
                let known = self.sizes_of.by_dim.get(&at).copied();
                known.ok_or_else(|| PassError::broken("a size refers to a later one"))
            }
        }
    }

    /// An operation that knows when its operands are known.
    fn staged(&mut self, make: fn(ExprId, ExprId) -> SizeExpr, a: ExprId, b: ExprId) -> ExprId {
        let stage = self.stage(a).max(self.stage(b));
        let id = self.operation(make, a, b);
        if stage > 0 && id != a && id != b {
            self.sizes_of.stages.insert(id, stage);
        }
        id
    }

    /// When an expression is known: 0 before the call runs, else once the slot before that number is read.
    pub fn stage(&self, expr: ExprId) -> usize {
        self.sizes_of.stages.get(&expr).copied().unwrap_or(0)
    }

    /// Sum, product and maximum, for offsets and lengths.
    pub fn sum(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.staged(SizeExpr::Add, a, b)
    }

    pub fn larger(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.staged(SizeExpr::Max, a, b)
    }

    /// The next multiple of a number.
    pub fn aligned(&mut self, expr: ExprId, to: u64) -> ExprId {
        let to = self.size(to);
        let units = self.staged(SizeExpr::CeilDiv, expr, to);
        self.staged(SizeExpr::Mul, units, to)
    }

    /// Bytes of a value.
    pub fn bytes_of(&mut self, value: ValueId) -> Result<Bytes, PassError> {
        let ty = tensor(self.graph, value)?;
        if let Some(bytes) = ty.bytes() {
            let pitch = self.options.pitches.get(&value).zip(ty.static_shape());
            let rows = pitch.and_then(|(&pitch, shape)| Some((pitch as u64, shape.last().map(|&row| row as u64)?)));
            // Known to be no more than memory holds: a pitch is no more than an eighth longer, or 31 bytes.
            return Ok(Bytes::Fixed(rows.map_or(bytes, |(pitch, row)| bytes / row.max(1) * pitch)));
        }
        if ty.static_shape().is_some() {
            return Err(PassError::broken(format!("value {} is larger than memory", value.0)));
        }
        let indices = &mut self.sizes_of.indices;
        let shape = sizes(self.graph, value, indices)?;
        let elements = indices.product_of(&shape);
        let bytes = indices.scale(elements, ty.element.storage_bytes() as i64);
        Ok(match indices.as_constant(bytes) {
            Some(bytes) => Bytes::Fixed(u64::try_from(bytes).unwrap_or(0)),
            None => Bytes::Formula(bytes),
        })
    }

    /// The expression of a buffer's bytes.
    pub fn length(&mut self, bytes: Bytes) -> Result<ExprId, PassError> {
        match bytes {
            Bytes::Fixed(bytes) => Ok(self.size(bytes)),
            Bytes::Formula(id) => {
                let indices = self.sizes_of.indices.clone();
                self.polynomial(&indices, id)
            }
        }
    }

    /// The constants of a kernel's dispatch: its size parameters, then what its tensor maps do not know.
    pub fn constants_of(&mut self, plan: &KernelPlan) -> Result<Vec<ExprId>, PassError> {
        let indices = &plan.exprs.indices;
        let mut constants = Vec::with_capacity(indices.sizes.len());
        for size in &indices.sizes {
            constants.push(self.dim(Dim::Symbolic(size.dim))?);
        }
        for size in plan.tensor_maps.iter().flat_map(|map| &map.sizes) {
            constants.push(self.polynomial(indices, size.value)?);
        }
        Ok(constants)
    }

    /// The workgroups of a launch.
    pub fn workgroups(&mut self, plan: &KernelPlan, formula: &LaunchFormula) -> Result<ExprId, PassError> {
        let one = self.size(1);
        let mut total = one;
        for factor in &formula.factors {
            let mut extent = one;
            for &var in &factor.vars {
                let own = self.extent(&plan.exprs.indices, var)?;
                extent = self.staged(SizeExpr::Mul, extent, own);
            }
            if let Some((var, step)) = factor.inner {
                let (own, step) = (self.extent(&plan.exprs.indices, var)?, self.size(step.max(1)));
                let count = self.staged(SizeExpr::CeilDiv, own, step);
                extent = self.staged(SizeExpr::Mul, extent, count);
            }
            let step = self.size(factor.step.max(1));
            let count = self.staged(SizeExpr::CeilDiv, extent, step);
            total = self.staged(SizeExpr::Mul, total, count);
        }
        let per_group = self.size(formula.per_group.max(1));
        let mut all = self.staged(SizeExpr::CeilDiv, total, per_group);
        if let Some(most) = formula.most {
            let most = self.size(most.max(1));
            all = self.staged(SizeExpr::Min, all, most);
        }
        let Some(serves) = plan.serves else { return Ok(all) };
        let size = self.polynomial(&plan.exprs.indices, serves.size)?;
        let below = self.number(serves.min - 1);
        let above = self.staged(SizeExpr::Sub, size, below);
        all = self.where_positive(all, above);
        if serves.max == i64::MAX {
            return Ok(all);
        }
        let behind = self.number(serves.max + 1);
        let below = self.staged(SizeExpr::Sub, behind, size);
        Ok(self.where_positive(all, below))
    }

    /// The extent of a loop variable.
    fn extent(&mut self, indices: &Indices, var: VarId) -> Result<ExprId, PassError> {
        match indices.run_extent(var) {
            Some(id) => self.polynomial(indices, id),
            None => Ok(self.number(indices.extent(var))),
        }
    }

    /// The value where a condition is above 0, else 0.
    fn where_positive(&mut self, value: ExprId, condition: ExprId) -> ExprId {
        let (zero, one) = (self.size(0), self.size(1));
        let condition = self.staged(SizeExpr::Max, condition, zero);
        let condition = self.staged(SizeExpr::Min, condition, one);
        self.staged(SizeExpr::Mul, value, condition)
    }

    /// A polynomial in sizes as an expression.
    fn polynomial(&mut self, indices: &Indices, id: IndexId) -> Result<ExprId, PassError> {
        let linear = indices.linear(id).clone();
        let mut total = self.number(linear.constant);
        for (atom, coefficient) in linear.terms {
            let mut term = self.size(1);
            for factor in indices.factors(atom) {
                let value = self.atom(indices, factor)?;
                term = self.staged(SizeExpr::Mul, term, value);
            }
            if coefficient < 0 {
                let by = self.number(coefficient.saturating_neg());
                let term = self.staged(SizeExpr::Mul, term, by);
                total = self.staged(SizeExpr::Sub, total, term);
            } else {
                let by = self.number(coefficient);
                let term = self.staged(SizeExpr::Mul, term, by);
                total = self.sum(total, term);
            }
        }
        Ok(total)
    }

    fn atom(&mut self, indices: &Indices, atom: AtomId) -> Result<ExprId, PassError> {
        match indices.atom(atom) {
            Atom::Size(size) => {
                let parameter = indices.sizes.get(size.0 as usize);
                let parameter = parameter.ok_or_else(|| PassError::broken("a kernel has no such size"))?;
                self.dim(Dim::Symbolic(parameter.dim))
            }
            Atom::FloorDiv(x, m) => {
                let (x, m) = (self.polynomial(indices, x)?, self.number(m));
                Ok(self.staged(SizeExpr::FloorDiv, x, m))
            }
            Atom::Quotient(x, d) => {
                let (x, d) = (self.polynomial(indices, x)?, self.polynomial(indices, d)?);
                let one = self.size(1);
                let d = self.larger(d, one);
                Ok(self.staged(SizeExpr::FloorDiv, x, d))
            }
            Atom::Var(_) | Atom::Value { .. } | Atom::Product(..) => {
                Err(PassError::broken("a size that depends on a loop"))
            }
        }
    }
}

/// The scalars that the host reads, by the value that holds them; of several that are one value the first.
pub fn read_values(graph: &Graph) -> HashMap<ValueId, u32> {
    let read = |(at, dim): (usize, &SymbolicDim)| match dim.def {
        DimDef::Value { value } => Some((value, at as u32)),
        _ => None,
    };
    graph.dims.iter().enumerate().rev().filter_map(read).collect()
}

/// The smallest and largest number that a value can be which the host reads.
pub fn read_range(graph: &Graph, value: ValueId) -> (i64, i64) {
    let read = graph.dims.iter().filter(|dim| dim.def == DimDef::Value { value });
    read.fold((i64::MIN, i64::MAX), |(low, high), dim| (low.max(dim.min), high.min(dim.max)))
}
