//! `scf` as StableHLO's control flow, and globals.
//!
//! `scf.for` is a `while` whose first state is the counter. `scf.while` computes its condition in the same region as what it
//! hands to the body: the state is (condition, what is handed), so that region is there twice, before the loop and behind
//! the body.

use fornax_graph::{ElementType, NewOp, Op, OpKind, Type, ValueId};

use super::converter::{Converter, Result, Rule};

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
    let types = (0..op.results.len()).map(|k| c.result_type(op, k).map(Type::Tensor)).collect::<Result<_>>()?;
    let mut new = NewOp::new(OpKind::If, vec![condition], types, c.b.location);
    new.regions = regions;
    Ok(c.b.push(new))
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
    let condition = c.b.region(&types, |b, state| vec![b.compare("LT", state[0], upper)]);
    let body = c.region(&types, |c, state| {
        let mut next = c.block(block, state)?;
        let counter = state.first().copied().unwrap_or(lower);
        next.insert(0, c.b.binary(OpKind::Add, counter, step));
        Ok(next)
    })?;
    let results = c.b.while_loop(&state, condition, body);
    Ok(results.into_iter().skip(1).collect())
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
    let results = c.b.while_loop(&state, condition, body);
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
