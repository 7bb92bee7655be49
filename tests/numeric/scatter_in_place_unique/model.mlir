module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<900x10xf32>, %arg1: tensor<300xi32>, %arg2: tensor<300x10xf32>) -> (tensor<900x10xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<300x10xf32>
    %1 = stablehlo.multiply %arg2, %0 : tensor<300x10xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<300xi32>
    %3 = stablehlo.compare LT, %arg1, %2, SIGNED : (tensor<300xi32>, tensor<300xi32>) -> tensor<300xi1>
    %c_0 = stablehlo.constant dense<900> : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<300xi32>
    %5 = stablehlo.add %arg1, %4 : tensor<300xi32>
    %6 = stablehlo.select %3, %5, %arg1 : tensor<300xi1>, tensor<300xi32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<300xi32>) -> tensor<300x1xi32>
    %8 = "stablehlo.scatter"(%arg0, %7, %1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      stablehlo.return %arg4 : tensor<f32>
    }) : (tensor<900x10xf32>, tensor<300x1xi32>, tensor<300x10xf32>) -> tensor<900x10xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<900x10xf32>
    %10 = stablehlo.add %8, %9 : tensor<900x10xf32>
    return %10 : tensor<900x10xf32>
  }
}
