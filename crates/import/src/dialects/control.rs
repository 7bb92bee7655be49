//! `scf` as StableHLO's control flow, and globals.
//!
//! `scf.for` is a `while` whose first state is the counter. `scf.while` computes its condition in the same region as
//! what it hands to the body: the state is (condition, what is handed), so that region is there twice, before the loop
//! and behind the body. An `scf.for` of known length in which a size differs from round to round is written out, one
//! round after the other.

use crate::Diagnostic;
use fornax_graph::{BlockId, Dim, ElementType, NewOp, Op, OpKind, RegionId, Type, ValueId};

use super::build::tensor_of;
use super::converter::{Converter, Result, Rule};
use super::rounds::{Counter, MOST_KEPT_ASIDE, MOST_WRITTEN_OUT, MOST_WRITTEN_OUT_IN_ALL};

pub const RULES: &[(&str, Rule)] = &[
    ("scf.if", if_),
    ("scf.for", for_),
    ("scf.while", while_),
    ("cf.assert", nothing),
    ("ml_program.global_load", load),
    ("ml_program.global_load_const", load),
    ("ml_program.global_store", store),
];

/// An assertion is taken to hold.
fn nothing(_: &mut Converter, _: &Op) -> Result<Vec<ValueId>> {
    Ok(Vec::new())
}

fn if_(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let condition = c.operand(op, 0)?;
    let mut regions = Vec::new();
    for index in 0..2 {
        let empty = op.regions.get(index).is_none_or(|&r| c.raw.region(r).blocks.is_empty());
        let region = match empty {
            true => c.region(&[], |_, _| Ok(Vec::new()))?,
            false => {
                let block = c.region_block(op, index)?;
                c.region(&[], |c, _| c.block(block, &[]))?
            }
        };
        regions.push(region);
    }
    branches(c, op, condition, regions)
}

/// `if` whose results have the sizes that both branches give.
pub fn branches(c: &mut Converter, op: &Op, condition: ValueId, regions: Vec<RegionId>) -> Result<Vec<ValueId>> {
    let given: Vec<Vec<ValueId>> = regions.iter().map(|&region| c.handed_back(region)).collect();
    let mut types = Vec::new();
    for k in 0..op.results.len() {
        let mut shapes = given.iter().filter_map(|values| values.get(k)).map(|&v| c.b.shape(v)).collect::<Vec<_>>();
        let mut shape = shapes.pop().ok_or_else(|| c.malformed(op, format!("no branch gives result {k}")))?;
        for other in shapes {
            let Some(one) = c.b.unify_shapes(&shape, &other, &format!("`{}`", op.name)) else {
                return Err(c.malformed(op, format!("the branches give result {k} with different sizes")));
            };
            shape = one;
        }
        types.push(tensor_of(&shape, c.result_element(op, k)?));
    }
    let mut new = NewOp::new(OpKind::If, vec![condition], types, c.b.location);
    new.regions = regions;
    Ok(c.b.push(new))
}

impl Converter<'_> {
    /// What a region gives back.
    fn handed_back(&self, region: RegionId) -> Vec<ValueId> {
        let block = self.b.graph.region(region).blocks.first();
        let last = block.and_then(|&block| self.b.graph.block(block).ops.last());
        last.map(|&op| self.b.graph.op(op).operands.clone()).unwrap_or_default()
    }

    /// A loop whose state keeps its sizes from round to round.
    pub fn repeat(&mut self, op: &Op, state: &[ValueId], condition: RegionId, body: RegionId) -> Result<Vec<ValueId>> {
        for (at, (&value, given)) in state.iter().zip(self.handed_back(body)).enumerate() {
            let (before, after) = (self.b.shape(value), self.b.shape(given));
            for (axis, (&from, &to)) in before.iter().zip(&after).enumerate() {
                let atoms = self.b.graph.dim_atoms(to);
                let changed = from != to && self.b.graph.dim_atoms(from).iter().any(|atom| atoms.contains(atom));
                if changed || self.b.unify(from, to, &format!("`{}`", op.name)).is_none() {
                    let (from, to) = (self.b.graph.dim_text(from), self.b.graph.dim_text(to));
                    let what = format!("value {at} has {from} in dimension {axis} before a round and {to} behind it");
                    return Err(self.unsupported(op, what));
                }
            }
        }
        Ok(self.b.while_loop(state, condition, body))
    }
}

fn for_(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let [_, _, _, carried @ ..] = op.operands.as_slice() else {
        return Err(c.malformed(op, "bounds and step are missing".into()));
    };
    let (lower, upper, step) = (c.operand(op, 0)?, c.operand(op, 1)?, c.operand(op, 2)?);
    let block = c.region_block(op, 0)?;
    let mut state = vec![lower];
    for &raw in carried {
        state.push(c.value(op, raw)?);
    }
    let types: Vec<Type> = state.iter().map(|&v| c.b.graph.ty(v).clone()).collect();
    let unsigned = op.attrs.get("unsignedCmp").is_some();
    if unsigned {
        return Err(c.unsupported(op, "a counter without sign".into()));
    }
    let bounds = (c.b.known_index(lower), c.b.known_index(upper), c.b.known_index(step));
    let counted = match bounds {
        (Some(first), Some(limit), Some(step)) => {
            Counter::rounds_of(first, limit, step).map(|rounds| Counter { value: lower, first, step, rounds })
        }
        _ => None,
    };
    let written_out = counted.filter(|c| c.rounds <= MOST_WRITTEN_OUT);
    let mut before = None;
    if let Some(counter) = written_out.filter(|_| c.leaves_sizes_open(block)) {
        c.kept_aside += c.b.graph.ops.len();
        if c.kept_aside > MOST_KEPT_ASIDE {
            return Err(too_many_sizes(c, op));
        }
        before = Some((counter, c.checkpoint()));
    }
    let condition = c.b.region(&types, |b, state| vec![b.compare("LT", state[0], upper)]);
    let around = c.counters.len();
    let body = c.region(&types, |c, state| {
        let counter = state.first().copied().unwrap_or(lower);
        c.counters.extend(counted.map(|counted| Counter { value: counter, ..counted }));
        let mut next = c.block(block, state)?;
        next.insert(0, c.b.binary(OpKind::Add, counter, step));
        Ok(next)
    });
    let body = match (body, before) {
        (Err(_), Some((counter, before))) if c.size_differs => {
            c.go_back(before);
            return rounds_written_out(c, op, block, &state[1..], counter);
        }
        (body, _) => body?,
    };
    c.counters.truncate(around);
    let results = c.repeat(op, &state, condition, body)?;
    Ok(results.into_iter().skip(1).collect())
}

fn too_many_sizes(c: &Converter, op: &Op) -> Box<Diagnostic> {
    c.unsupported(op, "loops within loops whose sizes differ from round to round, too many to write them out".into())
}

/// A counted loop one round after the other: sizes that differ from round to round are numbers in each.
fn rounds_written_out(
    c: &mut Converter,
    op: &Op,
    block: BlockId,
    carried: &[ValueId],
    counter: Counter,
) -> Result<Vec<ValueId>> {
    let mut state = carried.to_vec();
    for round in 0..counter.rounds {
        c.written_out += 1;
        if c.written_out > MOST_WRITTEN_OUT_IN_ALL {
            let what =
                format!("more than {MOST_WRITTEN_OUT_IN_ALL} rounds of loops whose sizes differ from round to round");
            return Err(c.unsupported(op, what));
        }
        let number = c.b.index_of(Dim::Static(counter.first + round * counter.step));
        let arguments: Vec<ValueId> = [number].into_iter().chain(state.iter().copied()).collect();
        let next = c.block(block, &arguments)?;
        let same = next.len() == state.len() && next.iter().zip(&state).all(|(&a, &b)| c.b.shape(a) == c.b.shape(b));
        if !same {
            return Err(c.malformed(op, "a round does not hand back what it got".into()));
        }
        state = next;
    }
    Ok(state)
}

fn while_(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let (before, after) = (c.region_block(op, 0)?, c.region_block(op, 1)?);
    let inputs = c.operands(op)?;
    let state = c.block(before, &inputs)?;
    if state.first().is_none_or(|&v| c.b.element(v) != ElementType::I1) {
        return Err(c.malformed(op, "the first region must end with `scf.condition`".into()));
    }
    let types: Vec<Type> = state.iter().map(|&v| c.b.graph.ty(v).clone()).collect();
    let condition = c.b.region(&types, |_, state| state.iter().take(1).copied().collect());
    let body = c.region(&types, |c, state| {
        let next = c.block(after, state.get(1..).unwrap_or(&[]))?;
        c.block(before, &next)
    })?;
    let results = c.repeat(op, &state, condition, body)?;
    Ok(results.into_iter().skip(1).collect())
}

fn symbol<'o>(c: &Converter, op: &'o Op) -> Result<&'o str> {
    match op.attrs.get("global") {
        Some(fornax_graph::Attr::Symbol(path)) => Ok(path.last().map_or("", String::as_str)),
        _ => Err(c.malformed(op, "`global` must be a symbol".into())),
    }
}

fn load(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let name = symbol(c, op)?;
    Ok(vec![c.global(op, name)?])
}

fn store(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    if c.depth > 0 {
        return Err(c.unsupported(op, "a store within a branch or a loop".into()));
    }
    let (name, value) = (symbol(c, op)?.to_string(), c.operand(op, 0)?);
    c.globals.insert(name, value);
    Ok(Vec::new())
}
