module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x9x70xf32>, %arg1: tensor<2xi64>, %arg2: tensor<3x2x70xf32>) -> (tensor<3x9x70xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.iota dim = 0 : tensor<3x2x70xi64>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<2xi64>) -> tensor<1x2x1xi64>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2] : (tensor<1x2x1xi64>) -> tensor<3x2x70xi64>
    %3 = stablehlo.iota dim = 2 : tensor<3x2x70xi64>
    %4 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2] : (tensor<3x2x70xi64>) -> tensor<3x2x70x1xi64>
    %5 = stablehlo.broadcast_in_dim %2, dims = [0, 1, 2] : (tensor<3x2x70xi64>) -> tensor<3x2x70x1xi64>
    %6 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<3x2x70xi64>) -> tensor<3x2x70x1xi64>
    %7 = stablehlo.concatenate %4, %5, %6, dim = 3 : (tensor<3x2x70x1xi64>, tensor<3x2x70x1xi64>, tensor<3x2x70x1xi64>) -> tensor<3x2x70x3xi64>
    %8 = "stablehlo.scatter"(%arg0, %7, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1, 2], scatter_dims_to_operand_dims = [0, 1, 2], index_vector_dim = 3>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      stablehlo.return %arg4 : tensor<f32>
    }) : (tensor<3x9x70xf32>, tensor<3x2x70x3xi64>, tensor<3x2x70xf32>) -> tensor<3x9x70xf32>
    return %8 : tensor<3x9x70xf32>
  }
}
