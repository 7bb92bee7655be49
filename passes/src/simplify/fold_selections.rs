//! Selects, comparisons and branches whose outcome is known become that outcome.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>) {
//!   %c = stablehlo.constant dense<true> : tensor<i1>
//!   %0 = "stablehlo.if"(%c) ({
//!     %3 = stablehlo.sine %arg0 : tensor<4xf32>
//!     stablehlo.return %3 : tensor<4xf32>
//!   }, {
//!     stablehlo.return %arg1 : tensor<4xf32>
//!   }) : (tensor<i1>) -> tensor<4xf32>
//!   %1 = stablehlo.not %arg2 : tensor<i1>
//!   %2 = stablehlo.select %1, %arg0, %arg1 : tensor<i1>, tensor<4xf32>
//!   return %0, %2 : tensor<4xf32>, tensor<4xf32>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>) {
//!   %0 = stablehlo.sine %arg0 : tensor<4xf32>
//!   %1 = stablehlo.select %arg2, %arg1, %arg0 : tensor<i1>, tensor<4xf32>
//!   return %0, %1 : tensor<4xf32>, tensor<4xf32>
//! }
//! ```
//!
//! `x == x` of floats is kept: it is how models ask for NaN.

use fornax_graph::{BlockId, ElementType, Graph, OpId, OpKind};
use fornax_reference::Scalar;

use super::Options;
use super::constants::splat_of;
use crate::rewrite::{Rewrite, Rewriter, sweep};
use crate::errors::PassError;

pub fn run(graph: &mut Graph, _: &Options) -> Result<bool, PassError> {
    sweep(graph, &mut |rw, id| {
        let rewrite = match rw.kind(id) {
            OpKind::Select => select(rw, id),
            OpKind::Compare => compare(rw, id),
            OpKind::If | OpKind::Case => branch(rw, id),
            _ => None,
        };
        Ok(rewrite.unwrap_or(Rewrite::Keep))
    })
}

fn select(rw: &mut Rewriter, id: OpId) -> Option<Rewrite> {
    let (condition, a, b) = (rw.operand(id, 0)?, rw.operand(id, 1)?, rw.operand(id, 2)?);
    if a == b {
        return Some(Rewrite::with(a));
    }
    if let Some(outcome) = splat_of(rw.graph, condition) {
        return Some(Rewrite::with(if outcome.as_bool() { a } else { b }));
    }
    if let Some(not) = rw.made_by(condition, OpKind::Not) {
        rw.graph.op_mut(id).operands = vec![rw.operand(not, 0)?, b, a];
        return Some(Rewrite::Edited);
    }
    if rw.tensor(a)?.element != ElementType::I1 || rw.tensor(condition)?.rank() != rw.tensor(a)?.rank() {
        return None;
    }
    match (splat_of(rw.graph, a)?.as_bool(), splat_of(rw.graph, b)?.as_bool()) {
        (true, false) => Some(Rewrite::with(condition)),
        (false, true) => Some(Rewrite::with(rw.unary(OpKind::Not, condition))),
        _ => Some(Rewrite::with(a)),
    }
}

fn compare(rw: &mut Rewriter, id: OpId) -> Option<Rewrite> {
    let (a, b, result) = (rw.operand(id, 0)?, rw.operand(id, 1)?, rw.result(id, 0)?);
    let element = rw.tensor(a)?.element;
    let attrs = &rw.graph.op(id).attrs;
    let direction = attrs.keyword("comparison_direction")?.to_owned();
    let partial = element.is_float() && attrs.keyword("compare_type") != Some("TOTALORDER");
    if element.is_complex() || element.is_quantized() {
        return None;
    }
    let known = match direction.as_str() {
        "NE" | "LT" | "GT" if a == b => Some(false).filter(|_| direction != "NE" || !partial),
        "EQ" | "LE" | "GE" if a == b => Some(true).filter(|_| !partial),
        _ => {
            let c = splat_of(rw.graph, b)?.as_int();
            if element == ElementType::I1 {
                return truth(rw, a, &direction, c != 0);
            }
            match direction.as_str() {
                "LT" if element.is_unsigned() && c == 0 => Some(false),
                "GE" if element.is_unsigned() && c == 0 => Some(true),
                _ => None,
            }
        }
    }?;
    let ty = rw.tensor(result)?.clone();
    rw.sizes(result)?;
    Some(Rewrite::with(rw.splat(&ty, Scalar::Bool(known))))
}

/// A truth value against a constant one.
fn truth(rw: &mut Rewriter, a: fornax_graph::ValueId, direction: &str, c: bool) -> Option<Rewrite> {
    match (direction, c) {
        ("EQ", true) | ("NE", false) => Some(Rewrite::with(a)),
        ("EQ", false) | ("NE", true) => Some(Rewrite::with(rw.unary(OpKind::Not, a))),
        _ => None,
    }
}

/// The ops of the branch taken move out in front; an index out of range takes the last branch.
fn branch(rw: &mut Rewriter, id: OpId) -> Option<Rewrite> {
    let chosen = splat_of(rw.graph, rw.operand(id, 0)?)?;
    let op = rw.graph.op(id);
    let last = op.regions.len().checked_sub(1)?;
    let at = match op.kind {
        OpKind::If => usize::from(!chosen.as_bool()),
        _ => usize::try_from(chosen.as_int()).unwrap_or(last).min(last),
    };
    let &[block] = &rw.graph.region(*op.regions.get(at)?).blocks[..] else { return None };
    if !returns_the_types_of(rw, block, id) {
        return None;
    }
    Some(Rewrite::Replace(rw.splice(block)))
}

fn returns_the_types_of(rw: &Rewriter, block: BlockId, id: OpId) -> bool {
    let Some(&terminator) = rw.graph.block(block).ops.last() else { return false };
    let returned = &rw.graph.op(terminator).operands;
    let results = &rw.graph.op(id).results;
    returned.len() == results.len() && returned.iter().zip(results).all(|(&v, &r)| rw.graph.ty(v) == rw.graph.ty(r))
}

#[cfg(test)]
mod tests {
    use crate::example::{import, print};
    use super::*;

    #[test]
    fn nan_tests_stay_and_integer_ones_fold() {
        let mut graph = import(
            "func.func @main(%x: tensor<4xf32>, %n: tensor<4xi32>) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
               %0 = stablehlo.compare NE, %x, %x, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
               %1 = stablehlo.compare LT, %x, %x, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
               %2 = stablehlo.compare EQ, %n, %n, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
               return %0, %1, %2 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
             }",
        );
        run(&mut graph, &Options::default()).unwrap();
        let text = print(&graph);
        assert_eq!(text.matches("stablehlo.compare").count(), 1, "{text}");
        assert!(text.contains("dense<false>") && text.contains("dense<true>"), "{text}");
    }

    #[test]
    fn a_case_out_of_range_takes_the_last_branch() {
        let mut graph = import(
            "func.func @main(%x: tensor<f32>) -> tensor<f32> {
               %c = stablehlo.constant dense<-1> : tensor<i32>
               %0 = \"stablehlo.case\"(%c) ({
                 stablehlo.return %x : tensor<f32>
               }, {
                 %1 = stablehlo.cosine %x : tensor<f32>
                 stablehlo.return %1 : tensor<f32>
               }) : (tensor<i32>) -> tensor<f32>
               return %0 : tensor<f32>
             }",
        );
        assert!(run(&mut graph, &Options::default()).unwrap());
        let text = print(&graph);
        assert!(text.contains("cosine") && !text.contains("case"), "{text}");
    }
}
