//! Ops on values rather than elements: calls, control flow, tuples, tokens, transfers, barriers, fusion groups.

use fornax_graph::{Attr, Op, OpKind};

use crate::errors::EvalError;
use crate::interpreter::{Interp, Value};
use crate::transfer;

type Rule = for<'g> fn(&mut Interp<'g>, &'g Op, Vec<Value>) -> Result<Vec<Value>, EvalError>;

const RULES: &[(OpKind, Rule)] = &[
    (OpKind::FuncCall, |i, op, args| call_symbol(i, op, args, "callee")),
    (OpKind::Composite, |i, op, args| call_symbol(i, op, args, "decomposition")),
    (OpKind::While, while_loop),
    (OpKind::If, if_then_else),
    (OpKind::Case, case),
    (OpKind::Fusion, |i, op, args| run_branch(i, op, 0, args)),
    (OpKind::Tuple, |_, _, args| Ok(vec![Value::Tuple(args)])),
    (OpKind::GetTupleElement, get_tuple_element),
    // A future holds what its region gave, at once.
    (OpKind::AsyncStart, |i, op, args| Ok(vec![Value::Tuple(run_branch(i, op, 0, args)?)])),
    (OpKind::AsyncDone, async_done),
    (OpKind::OptimizationBarrier, |_, _, args| Ok(args)),
    (OpKind::ShardingConstraint, |_, _, args| Ok(args)),
    (OpKind::AfterAll, |_, _, _| Ok(vec![Value::Token])),
    (OpKind::CreateToken, |_, _, _| Ok(vec![Value::Token])),
    (OpKind::Send, transfer::send),
    (OpKind::Recv, transfer::recv),
];

/// The rule of a control op.
pub(crate) fn rule(kind: OpKind) -> Option<Rule> {
    RULES.iter().find(|r| r.0 == kind).map(|r| r.1)
}

fn call_symbol<'g>(
    interp: &mut Interp<'g>,
    op: &'g Op,
    args: Vec<Value>,
    attribute: &str,
) -> Result<Vec<Value>, EvalError> {
    let name = match op.attrs.get(attribute) {
        Some(Attr::Symbol(path)) => path.last().cloned().unwrap_or_default(),
        Some(Attr::String(name)) => name.clone(),
        _ => return Err(interp.malformed("no function is named")),
    };
    match interp.graph.function(&name) {
        Some(function) => interp.call_function(function, args),
        None => Err(EvalError::UnknownFunction { name }),
    }
}

fn run_branch(interp: &mut Interp, op: &Op, index: usize, args: Vec<Value>) -> Result<Vec<Value>, EvalError> {
    match op.regions.get(index) {
        Some(&region) => interp.run_region(region, args),
        None => Err(interp.malformed("a region is missing")),
    }
}

fn async_done(interp: &mut Interp, _: &Op, args: Vec<Value>) -> Result<Vec<Value>, EvalError> {
    match <[Value; 1]>::try_from(args) {
        Ok([Value::Tuple(values)]) => Ok(values),
        _ => Err(interp.malformed("it takes no future")),
    }
}

fn while_loop<'g>(interp: &mut Interp<'g>, op: &'g Op, mut state: Vec<Value>) -> Result<Vec<Value>, EvalError> {
    loop {
        let go_on = run_branch(interp, op, 0, state.clone())?;
        let Some(go_on) = go_on.first() else { return Err(interp.malformed("no condition")) };
        if !interp.expect_tensor(go_on)?.get(0).as_bool() {
            return Ok(state);
        }
        interp.charge(1)?;
        state = run_branch(interp, op, 1, state)?;
    }
}

fn if_then_else<'g>(interp: &mut Interp<'g>, op: &'g Op, operands: Vec<Value>) -> Result<Vec<Value>, EvalError> {
    let Some(condition) = operands.first() else { return Err(interp.malformed("no condition")) };
    let taken = interp.expect_tensor(condition)?.get(0).as_bool();
    run_branch(interp, op, usize::from(!taken), Vec::new())
}

/// An index outside of the branches takes the last one.
fn case<'g>(interp: &mut Interp<'g>, op: &'g Op, operands: Vec<Value>) -> Result<Vec<Value>, EvalError> {
    let Some(index) = operands.first() else { return Err(interp.malformed("no index")) };
    let index = interp.expect_tensor(index)?.get(0).as_int();
    let last = op.regions.len().saturating_sub(1);
    let branch = usize::try_from(index).ok().filter(|&i| i < last).unwrap_or(last);
    run_branch(interp, op, branch, Vec::new())
}

fn get_tuple_element<'g>(interp: &mut Interp<'g>, op: &'g Op, operands: Vec<Value>) -> Result<Vec<Value>, EvalError> {
    let index = op.attrs.int("index").and_then(|i| usize::try_from(i).ok());
    match (operands.first(), index) {
        (Some(Value::Tuple(items)), Some(index)) if index < items.len() => Ok(vec![items[index].clone()]),
        _ => Err(interp.malformed("no such tuple element")),
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;
    use crate::{Limits, evaluate_op};
    use fornax_graph::{LocId, NewOp, OpKind};

    /// `while (i < limit) i += step`, starting at 0.
    fn counting(limit: i64, step: i64) -> (Net, Vec<fornax_graph::ValueId>) {
        let mut net = Net::new(&[ints(&[], I32, &[0])]);
        let bound = {
            let block = net.block;
            net.constant(block, &ints(&[], I32, &[limit]))
        };
        let condition = net.graph.add_region();
        let block = net.graph.add_block(condition, &[ty(&[], I32)]);
        let i = net.graph.block(block).arguments[0];
        let compare = NewOp::new(OpKind::Compare, vec![i, bound], vec![ty(&[], I1)], LocId(0));
        let compare = net.graph.push_op(block, compare.attr("comparison_direction", keyword("LT")));
        let compare = net.graph.op(compare).results[0];
        net.finish(block, &[compare]);
        let body = net.graph.add_region();
        let block = net.graph.add_block(body, &[ty(&[], I32)]);
        let i = net.graph.block(block).arguments[0];
        let by = net.constant(block, &ints(&[], I32, &[step]));
        let sum = net.op(block, OpKind::Add, &[i, by], ty(&[], I32));
        net.finish(block, &[sum]);
        let mut op = NewOp::new(OpKind::While, net.args(), vec![ty(&[], I32)], LocId(0));
        op.regions = vec![condition, body];
        let at = net.block;
        let op = net.graph.push_op(at, op);
        let results = net.graph.op(op).results.clone();
        (net, results)
    }

    #[test]
    fn while_counts() {
        let (mut net, results) = counting(10, 3);
        assert_eq!(net.run(&results).unwrap()[0].ints(), [12]);
    }

    #[test]
    fn an_endless_loop_meets_the_limit() {
        let (mut net, results) = counting(10, 0);
        let limits = Limits { max_steps: 1000, ..Limits::default() };
        assert_eq!(net.run_within(&results, &limits).unwrap_err().code(), "FX0383");
    }

    #[test]
    fn a_loop_that_reads_its_surroundings_cannot_be_folded_alone() {
        let (net, results) = counting(10, 1);
        let op = net.graph.producer(results[0]).unwrap();
        let result = evaluate_op(&net.graph, op, &[ints(&[], I32, &[0])], &Limits::default());
        assert_eq!(result.unwrap_err().code(), "FX0386");
    }

    #[test]
    fn a_large_result_meets_the_limit() {
        let mut net = Net::new(&[]);
        let block = net.block;
        let mut iota = NewOp::new(OpKind::Iota, vec![], vec![ty(&[1 << 20, 1 << 20], I32)], LocId(0));
        iota.attrs.set("iota_dimension", int(0));
        let op = net.graph.push_op(block, iota);
        let results = net.graph.op(op).results.clone();
        assert_eq!(net.run(&results).unwrap_err().code(), "FX0383");
    }

    #[test]
    fn case_takes_the_last_branch_for_any_other_index() {
        for (index, want) in [(0, 10), (1, 11), (-1, 12), (7, 12)] {
            let mut net = Net::new(&[ints(&[], I32, &[index])]);
            let mut op = NewOp::new(OpKind::Case, net.args(), vec![ty(&[], I32)], LocId(0));
            for value in 10..13 {
                let region = net.graph.add_region();
                let block = net.graph.add_block(region, &[]);
                let value = net.constant(block, &ints(&[], I32, &[value]));
                net.finish(block, &[value]);
                op.regions.push(region);
            }
            let at = net.block;
            let op = net.graph.push_op(at, op);
            let results = net.graph.op(op).results.clone();
            assert_eq!(net.run(&results).unwrap()[0].ints(), [want]);
        }
    }
}
