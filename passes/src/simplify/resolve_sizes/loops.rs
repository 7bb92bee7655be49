//! Loops that give a carried value back with another size: the size is carried as a number along with the value.
//!
//! Worked example: `while(%i, %y: tensor<?xf32, #stablehlo.bounds<64>>)` whose body gives `concatenate %y, %y` back.
//! The loop carries one more scalar, `get_dimension_size %y`. Its argument in the condition, its argument in the body
//! and its result are symbols that the host reads as the loop goes on; `%y` is `tensor<?xf32, #fornax.dims<n>>`, what
//! the body gives back `2*n`, with a check every round that it is at most 64.
//!
//! How: the function is resolved as if its loops kept all sizes. A loop that turns out to change one is noted, and all
//! starts again on the graph as it was, with that size carried; or kept, where nothing bounds it and it may be equal
//! all the same.
//!
//! The most that a size can be is its bound in the type of the value; where the type has none, the size that the value
//! enters the loop with, if no round makes it larger. Memory is laid out for that. Limits: sizes below 2^31.

use std::collections::{BTreeMap, HashSet};

use fornax_graph::{
    BlockId, Definition, Dim, DimCheck, DimDef, DimExpr, DimRelation, ElementType, Graph, NewOp, Op, OpId, OpKind,
    Type, Value, ValueId,
};

use crate::rewrite::build::int;
use super::{Resolver, bounds_of, is_unknown};
use crate::errors::{PassError, place};

/// A dimension of a carried value: the loop, the value's number, the dimension.
pub type Key = (OpId, usize, usize);

/// Whether a size is carried; sizes that are not named are kept until they turn out to change.
pub type Decisions = BTreeMap<Key, bool>;

/// A size that a loop carries: the scalar as the condition, the body, and what is behind the loop see it.
#[derive(Clone, Copy, Debug)]
pub struct Carried {
    key: Key,
    condition: ValueId,
    body: ValueId,
    result: ValueId,
}

/// What one walk over the loop knows of a carried size.
pub struct LoopSize {
    pub at: usize,
    pub axis: usize,
    pub condition: Dim,
    pub body: Dim,
    pub result: Dim,
    /// The size of the value that enters the loop.
    first: Dim,
    /// The bound in the value's type.
    most: Option<i64>,
}

/// Whether a loop carries a value of unknown size.
pub fn are_there(graph: &Graph, entry: BlockId) -> bool {
    let mut found = false;
    graph.walk(entry, &mut |id| {
        let op = graph.op(id);
        found |= op.kind == OpKind::While && op.results.iter().any(|&v| is_unknown(graph.ty(v)));
    });
    found
}

/// Lets the loops carry sizes; gives the scalars.
///
/// # Errors
/// FX0981 for a loop without blocks.
pub fn carry(graph: &mut Graph, decisions: &Decisions) -> Result<Vec<Carried>, PassError> {
    decisions.iter().filter(|(_, carried)| **carried).map(|(&key, _)| carry_one(graph, key)).collect()
}

fn carry_one(graph: &mut Graph, key: Key) -> Result<Carried, PassError> {
    let (id, at, axis) = key;
    let op = graph.op(id).clone();
    let blocks: Vec<BlockId> = op.regions.iter().filter_map(|&r| graph.region(r).blocks.first().copied()).collect();
    let (&[condition, body], Some(&given)) = (&blocks[..], op.operands.get(at)) else {
        return Err(PassError::malformed(graph, id, "it has no condition or no body"));
    };
    let last = graph.block(body).ops.last().copied();
    let returned = last.and_then(|last| graph.op(last).operands.get(at).copied());
    let (Some(last), Some(returned)) = (last, returned) else {
        return Err(PassError::malformed(graph, id, "its body gives too few values back"));
    };
    let first = size_before(graph, id, given, axis);
    graph.op_mut(id).operands.push(first);
    let next = size_before(graph, last, returned, axis);
    graph.op_mut(last).operands.push(next);
    let scalar = || Type::tensor(&[], ElementType::I32);
    let (condition, body) = (graph.add_argument(condition, scalar()), graph.add_argument(body, scalar()));
    let result = ValueId(graph.values.len() as u32);
    let definition = Definition::Result { op: id, index: op.results.len() as u32 };
    graph.values.push(Value { ty: scalar(), definition });
    graph.op_mut(id).results.push(result);
    Ok(Carried { key, condition, body, result })
}

/// `get_dimension_size` of a value, in front of an op.
fn size_before(graph: &mut Graph, before: OpId, value: ValueId, axis: usize) -> ValueId {
    let (block, location) = (graph.op(before).block, graph.op(before).location);
    let at = graph.block(block).ops.iter().position(|&op| op == before).unwrap_or(0);
    let new = NewOp::new(OpKind::GetDimensionSize, vec![value], vec![Type::tensor(&[], ElementType::I32)], location);
    let new = graph.insert_op(block, at, new.attr("dimension", int(axis as i64)));
    graph.op(new).results[0]
}

impl Resolver<'_> {
    /// The sizes that a loop carries, with symbols for them; `shapes` are those of the values that enter it.
    pub fn loop_sizes(&mut self, id: OpId, shapes: &[Vec<Dim>]) -> Vec<LoopSize> {
        let carried: Vec<Carried> = self.carried.iter().filter(|c| c.key.0 == id).copied().collect();
        let mut sizes = Vec::with_capacity(carried.len());
        for Carried { key: (_, at, axis), condition, body, result } in carried {
            let Some(&first) = shapes.get(at).and_then(|shape| shape.get(axis)) else { continue };
            let most = self.bound_of(self.graph.op(id), at, axis).map(|most| most.min(i32::MAX.into()));
            let room = most.unwrap_or(self.graph.dim_bounds(first).1);
            let symbols = [condition, body, result].map(|value| {
                let symbol = self.graph.value_dim(value, &format!("size{at}_{axis}"), (0, room));
                // Without a number for its bound, that the size is at most the first one is in the expression.
                if room == i64::MAX { self.graph.dim_min(symbol, first) } else { symbol }
            });
            if let Some(most) = most {
                self.stays_below(id, (at, axis), first, most);
            }
            let [condition, body, result] = symbols;
            sizes.push(LoopSize { at, axis, condition, body, result, first, most });
        }
        sizes
    }

    /// The bound of a carried dimension in the types of the loop.
    fn bound_of(&self, op: &Op, at: usize, axis: usize) -> Option<i64> {
        let tensor = self.graph.ty(*op.results.get(at)?).as_tensor()?;
        bounds_of(tensor).get(axis).copied().flatten()
    }

    fn stays_below(&mut self, id: OpId, (at, axis): (usize, usize), size: Dim, most: i64) {
        let location = self.graph.op(id).location;
        let text = self.graph.dim_text(size);
        let message =
            format!("`stablehlo.while`: dimension {axis} of value {at} is {text}, its type allows at most {most}");
        let check = DimCheck { condition: DimRelation::LessEqual, a: size, b: Dim::Static(most), message, location };
        self.graph.add_dim_check(check);
    }

    /// What the body gives back for value `at`, of shape `given`, against what the loop was given.
    pub fn given_back(
        &mut self,
        id: OpId,
        at: usize,
        (first, given): (&[Dim], &[Dim]),
        sizes: &[LoopSize],
    ) -> Result<(), PassError> {
        if first.len() != given.len() {
            return Err(PassError::malformed(self.graph, id, "its body gives a value of another rank back"));
        }
        for (axis, (&from, &to)) in first.iter().zip(given).enumerate() {
            if let Some(size) = sizes.iter().find(|s| (s.at, s.axis) == (at, axis)) {
                self.next_size(id, size, to)?;
                continue;
            }
            let (from, to) = (self.canonical(from), self.canonical(to));
            if from == to {
                continue;
            }
            let key = (id, at, axis);
            let decided = self.decisions.contains_key(&key);
            if !decided && (self.may_change(from, to) || self.bound_of(self.graph.op(id), at, axis).is_some()) {
                self.more.insert(key, true);
                return Err(PassError::broken("a loop changes a size that it carries"));
            }
            if decided && self.never_equal(from, to) {
                return Err(self.grows(id, (at, axis), from, to));
            }
            self.unify(id, from, to)?;
        }
        Ok(())
    }

    /// Whether a loop that is given one size and gives the other back changes it.
    fn may_change(&self, from: Dim, to: Dim) -> bool {
        let shared = |at: usize| {
            let symbol = !matches!(self.graph.dims[at].def, DimDef::Expr(_));
            symbol && [from, to].into_iter().all(|dim| self.graph.dim_holds(dim, at as u32))
        };
        self.never_equal(from, to) || (1..self.graph.dims.len()).any(shared)
    }

    /// Whether two sizes are different numbers, or polynomials in the same symbols.
    fn never_equal(&self, from: Dim, to: Dim) -> bool {
        let atoms = self.graph.dim_atoms(to);
        matches!((from, to), (Dim::Static(_), Dim::Static(_)))
            || self.graph.dim_atoms(from).iter().any(|atom| atoms.contains(atom))
    }

    fn grows(&self, id: OpId, (at, axis): (usize, usize), from: Dim, to: Dim) -> PassError {
        let why = format!(
            "the loop carries value {at} with dimension {axis} of size {} and gives it back with size {}, and nothing \
             says how large it can get: memory is laid out once. Give the carried value a type with a bound, \
             `tensor<?x…, #stablehlo.bounds<N>>`, or carry it padded, with the number of elements that count beside it",
            self.graph.dim_text(from),
            self.graph.dim_text(to)
        );
        PassError::Sizes { at: place(self.graph, self.graph.op(id).location), why }
    }

    /// After a failure inside of a loop: sizes with a bound may be what is not kept.
    pub fn suspect(&mut self, id: OpId) {
        let op = self.graph.op(id).clone();
        for (at, &result) in op.results.iter().enumerate() {
            for axis in 0..self.rank(result) {
                let key = (id, at, axis);
                if !self.decisions.contains_key(&key) && self.bound_of(&op, at, axis).is_some() {
                    self.more.insert(key, true);
                }
            }
        }
    }

    /// What a round makes of a carried size is never more than there is room for.
    fn next_size(&mut self, id: OpId, size: &LoopSize, next: Dim) -> Result<(), PassError> {
        let (next, first) = (self.canonical(next), self.canonical(size.first));
        self.limit(id, next, None);
        if let Some(most) = size.most {
            self.stays_below(id, (size.at, size.axis), next, most);
            return Ok(());
        }
        let body = self.canonical(size.body);
        if self.is_within(next, first) || self.is_within(next, body) {
            return Ok(());
        }
        self.more.insert((id, size.at, size.axis), false);
        Err(PassError::broken("a size that a loop changes has no bound"))
    }

    /// Whether a size is never more than another: also as its quotient, its remainder, or a minimum with it.
    fn is_within(&mut self, size: Dim, room: Dim) -> bool {
        let (mut open, mut seen) = (vec![size], HashSet::new());
        while let Some(size) = open.pop() {
            if !seen.insert(size) {
                continue;
            }
            if self.graph.dim_at_most(size, room) {
                return true;
            }
            let Dim::Symbolic(at) = size else { continue };
            let Some(DimDef::Expr(expr)) = self.graph.dims.get(at as usize).map(|d| d.def) else { continue };
            let (a, b) = expr.operands();
            let positive = self.graph.dim_bounds(a).0 >= 0 && self.graph.dim_bounds(b).0 >= 1;
            match expr {
                DimExpr::FloorDiv(..) | DimExpr::CeilDiv(..) | DimExpr::Mod(..) if positive => open.push(a),
                DimExpr::Min(..) => open.extend([b, a]),
                _ => {}
            }
        }
        false
    }

    /// Sizes that a loop computes from its state must have bounds.
    ///
    /// # Errors
    /// FX0306 for one that has none.
    pub fn check_bounds(&self) -> Result<(), PassError> {
        for &(symbol, id) in &self.from_state {
            if self.graph.dim_bounds(symbol).1 == i64::MAX && self.is_used(symbol) {
                let what = "a size that the loop computes from its state, without a bound (a type with \
                            `#stablehlo.bounds<N>` on what has the size gives it one),";
                return Err(self.unknown(id, what));
            }
        }
        Ok(())
    }

    fn is_used(&self, symbol: Dim) -> bool {
        let Dim::Symbolic(at) = symbol else { return false };
        self.shapes.values().flatten().any(|&dim| self.graph.dim_holds(dim, at))
    }

    /// The loop around a value of a block that only loops are around.
    pub fn loop_around(&self, value: ValueId) -> Option<OpId> {
        let mut block = match self.graph.value(value).definition {
            Definition::Result { op, .. } => self.graph.op(op).block,
            Definition::Argument { block, .. } => block,
        };
        let mut innermost = None;
        while block != self.entry {
            let owner = *self.owners.get(&block)?;
            if self.graph.op(owner).kind != OpKind::While {
                return None;
            }
            innermost = innermost.or(Some(owner));
            block = self.graph.op(owner).block;
        }
        innermost
    }
}
