//! TOSA's control flow and variables.

use fornax_graph::{Op, Type, ValueId};

use crate::dialects::control::branches;
use crate::dialects::converter::{Converter, Result};

pub fn cond_if(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let operands = c.operands(op)?;
    let Some((&condition, inputs)) = operands.split_first() else {
        return Err(c.malformed(op, "the condition is missing".into()));
    };
    let condition = c.b.reshape(condition, &[]);
    let mut regions = Vec::new();
    for index in 0..2 {
        let block = c.region_block(op, index)?;
        regions.push(c.region(&[], |c, _| c.block(block, inputs))?);
    }
    branches(c, op, condition, regions)
}

pub fn while_loop(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let state = c.operands(op)?;
    let (condition, body) = (c.region_block(op, 0)?, c.region_block(op, 1)?);
    let types: Vec<Type> = state.iter().map(|&v| c.b.graph.ty(v).clone()).collect();
    let condition = c.region(&types, |c, state| {
        let results = c.block(condition, state)?;
        Ok(results.into_iter().take(1).map(|v| c.b.reshape(v, &[])).collect())
    })?;
    let body = c.region(&types, |c, state| c.block(body, state))?;
    c.repeat(op, &state, condition, body)
}

fn variable(c: &Converter, op: &Op) -> Result<String> {
    match op.attrs.str("name") {
        Some(name) => Ok(name.to_string()),
        None => Err(c.malformed(op, "`name` must be a string".into())),
    }
}

pub fn variable_read(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let name = variable(c, op)?;
    Ok(vec![c.global(op, &name)?])
}

pub fn variable_write(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    if c.depth > 0 {
        return Err(c.unsupported(op, "a write within a branch or a loop".into()));
    }
    let (name, value) = (variable(c, op)?, c.operand(op, 0)?);
    c.globals.insert(name, value);
    Ok(Vec::new())
}
