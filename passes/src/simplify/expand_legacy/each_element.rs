//! `map` whose computation is not elementwise: a loop over the elements.
//!
//! Input: a `map` of static shape. Output: a counted loop; round i cuts element i out of every operand, does a copy of
//! the computation on these scalars and puts what it returns at place i. It is slow and right: such computations hold
//! loops, reductions or branches of their own, which exporters do not write.
//!
//! Worked example: `map` over [3, 2] of x ↦ Σ x·iota(4): operands as 6 elements, 6 rounds, the result as [3, 2].

use fornax_graph::{BlockId, OpId, ValueId};
use fornax_reference::Scalar;

use crate::rewrite::copy::ValueMap;
use crate::simplify::ops::Ops;
use crate::rewrite::Rewriter;

/// The loop; `None` where sizes are not known.
pub fn expand(rw: &mut Rewriter, id: OpId, block: BlockId) -> Option<ValueId> {
    let op = rw.graph.op(id).clone();
    let ty = rw.tensor(*op.results.first()?)?.clone();
    let shape = ty.static_shape()?;
    let count: i64 = shape.iter().product();
    let arguments = rw.graph.block(block).arguments.clone();
    let fits = |&operand: &ValueId| rw.shape(operand).as_ref() == Some(&shape);
    if arguments.len() != op.operands.len() || !op.operands.iter().all(fits) {
        return None;
    }
    let o = &Ops::new(rw);
    let lists: Vec<ValueId> = op.operands.iter().map(|&operand| o.reshape(operand, &[count])).collect();
    let empty = o.splat(&[count], ty.element, Scalar::zero(ty.element));
    let made = o.counted(count, &[empty], |o, i, carried| {
        let one = |&list: &ValueId| o.reshape(o.slice_at(list, &[i], &[1]), &[]);
        let mut map: ValueMap = arguments.iter().copied().zip(lists.iter().map(one)).collect();
        let returned = o.with(|rw| rw.copy_body(block, &mut map));
        let place = |value: ValueId| o.put_at(carried[0], o.reshape(value, &[1]), &[i]);
        vec![returned.first().map_or(carried[0], |&value| place(value))]
    });
    made.first().map(|&list| o.reshape(list, &shape))
}

#[cfg(test)]
mod tests {
    use fornax_graph::ElementType;
    use fornax_reference::{Scalar, Tensor, evaluate};

    use crate::example::{import, print, reimport};

    /// Powers by a loop of its own length for every element, then a sum over four multiples.
    #[test]
    fn computations_with_loops_and_reductions() {
        let mut graph = import(
            "func.func @main(%a: tensor<3x2xf32>, %b: tensor<3x2xi32>) -> tensor<3x2xf32> {
               %0 = \"stablehlo.map\"(%a, %b) ({
                 ^bb0(%x: tensor<f32>, %n: tensor<i32>):
                   %z = stablehlo.constant dense<0> : tensor<i32>
                   %o = stablehlo.constant dense<1> : tensor<i32>
                   %1:2 = stablehlo.while(%i = %z, %y = %x) : tensor<i32>, tensor<f32>
                   cond {
                     %2 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
                     stablehlo.return %2 : tensor<i1>
                   } do {
                     %2 = stablehlo.add %i, %o : tensor<i32>
                     %3 = stablehlo.multiply %y, %x : tensor<f32>
                     stablehlo.return %2, %3 : tensor<i32>, tensor<f32>
                   }
                   %4 = stablehlo.iota dim = 0 : tensor<4xf32>
                   %5 = stablehlo.broadcast_in_dim %1#1, dims = [] : (tensor<f32>) -> tensor<4xf32>
                   %6 = stablehlo.multiply %4, %5 : tensor<4xf32>
                   %c = stablehlo.constant dense<0.0> : tensor<f32>
                   %7 = stablehlo.reduce(%6 init: %c) applies stablehlo.add across dimensions = [0] \
                       : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
                   stablehlo.return %7 : tensor<f32>
                 }) {dimensions = array<i64: 0, 1>} : (tensor<3x2xf32>, tensor<3x2xi32>) -> tensor<3x2xf32>
               return %0 : tensor<3x2xf32>
             }",
        );
        assert!(super::super::run(&mut graph, &Default::default()).unwrap());
        reimport(&graph);
        assert!(!print(&graph).contains("stablehlo.map"));
        let (x, n) = ([1.5, -2.0, 3.0, 0.5, 1.0, -1.0], [0, 1, 2, 3, 4, 5]);
        let a = Tensor::from_scalars(&[3, 2], ElementType::F32, x.map(Scalar::Float));
        let b = Tensor::from_scalars(&[3, 2], ElementType::I32, n.map(Scalar::Int));
        let found = evaluate(&graph, "main", &[a, b], &Default::default()).unwrap();
        let wanted: Vec<f64> = x.iter().zip(n).map(|(x, n)| 6.0 * x.powi(n as i32 + 1)).collect();
        let found: Vec<f64> = found[0].scalars().iter().map(|v| v.as_f64()).collect();
        assert_eq!(found, wanted);
    }
}
