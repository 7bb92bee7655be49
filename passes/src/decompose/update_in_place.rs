//! Scatters that change their result where it is: the operand is copied, then every update goes to its place
//! (`schedule::update`).
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<4096xi32>, %arg1: tensor<1000x1xi32>, %arg2: tensor<1000xi32>) -> tensor<4096xi32> {
//!   %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers =
//!       #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
//!   ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
//!     %1 = stablehlo.add %arg3, %arg4 : tensor<i32>
//!     stablehlo.return %1 : tensor<i32>
//!   }) : (tensor<4096xi32>, tensor<1000x1xi32>, tensor<1000xi32>) -> tensor<4096xi32>
//!   return %0 : tensor<4096xi32>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<4096xi32>, %arg1: tensor<1000x1xi32>, %arg2: tensor<1000xi32>) -> tensor<4096xi32> {
//!   %0 = "fornax.update_in_place"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers =
//!       #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
//!   ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
//!     %1 = stablehlo.add %arg3, %arg4 : tensor<i32>
//!     stablehlo.return %1 : tensor<i32>
//!   }) : (tensor<4096xi32>, tensor<1000x1xi32>, tensor<1000xi32>) -> tensor<4096xi32>
//!   return %0 : tensor<4096xi32>
//! }
//! ```
//!
//! That needs an order that does not matter (additions, extrema and bit operations of integers that atomic instructions
//! know) or updates of which no two go to the same place, which the op may promise. All others are sorted
//! (`sorted_scatter`) or looked at by every element (`schedule::scatter`), and so are long lists for few places, where
//! atomics would wait for one another.
//!
//! Worked example: a histogram of 2^20 values in 2^16 bins goes by atomics, one in 100 bins is sorted.

use fornax_graph::{Graph, OpId, OpKind};
use fornax_plan::Binary;

use super::Site;
use crate::errors::PassError;
use crate::facts::combiner::simple;
use crate::facts::ops::{shape, tensor};
use crate::facts::scalar;

/// Elements times updates from which two kernels pay, where one would look at all updates for every element.
const VISITS_MIN: i64 = 1 << 20;
/// Updates of a place, in the mean, up to which atomics pay.
const UPDATES_MAX: i64 = 256;

/// Makes an update in place of `op`, a scatter of static shapes, if it can be one and that pays.
pub(super) fn run(graph: &mut Graph, op: OpId, _: &Site) -> Result<(), PassError> {
    let data = graph.op(op).clone();
    let n = data.results.len();
    if data.operands.len() != 2 * n + 1 || n == 0 {
        return Ok(());
    }
    let elements: i64 = shape(graph, data.operands[0])?.iter().product();
    let updates: i64 = shape(graph, data.operands[n + 1])?.iter().product();
    let visits: i64 = shape(graph, data.operands[n])?.iter().product::<i64>().saturating_mul(elements);
    if elements == 0 || updates == 0 || visits < VISITS_MIN {
        return Ok(());
    }
    let unique = data.attrs.bool("unique_indices") == Some(true);
    let element = tensor(graph, data.operands[0])?.element;
    let atomic = element.is_integer() && [32, 64].contains(&element.bits());
    let combines = |op: Binary| {
        use Binary::{Add, And, Maximum, Minimum, Or, Xor};
        matches!(op, Add | And | Maximum | Minimum | Or | Xor)
    };
    let combined = n == 1
        && atomic
        && updates <= elements.saturating_mul(UPDATES_MAX)
        && simple(graph, scalar::body(graph, op)?).is_some_and(combines);
    if unique || combined {
        graph.op_mut(op).kind = OpKind::UpdateInPlace;
    }
    Ok(())
}
