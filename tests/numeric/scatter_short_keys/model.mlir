module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<17000xi32>, %arg1: tensor<17000xf32>) -> (tensor<200xf32> {jax.result_info = "result[0]"}, tensor<200x3xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<200xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<17000xi32>
    %2 = stablehlo.compare LT, %arg0, %1, SIGNED : (tensor<17000xi32>, tensor<17000xi32>) -> tensor<17000xi1>
    %c_0 = stablehlo.constant dense<200> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<17000xi32>
    %4 = stablehlo.add %arg0, %3 : tensor<17000xi32>
    %5 = stablehlo.select %2, %4, %arg0 : tensor<17000xi1>, tensor<17000xi32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0] : (tensor<17000xi32>) -> tensor<17000x1xi32>
    %7 = "stablehlo.scatter"(%0, %6, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %18 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %18 : tensor<f32>
    }) : (tensor<200xf32>, tensor<17000x1xi32>, tensor<17000xf32>) -> tensor<200xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<200x3xf32>
    %9 = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<17000xf32>) -> tensor<17000x1xf32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %10 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<17000xi32>
    %11 = stablehlo.compare LT, %arg0, %10, SIGNED : (tensor<17000xi32>, tensor<17000xi32>) -> tensor<17000xi1>
    %c_3 = stablehlo.constant dense<200> : tensor<i32>
    %12 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<17000xi32>
    %13 = stablehlo.add %arg0, %12 : tensor<17000xi32>
    %14 = stablehlo.select %11, %13, %arg0 : tensor<17000xi1>, tensor<17000xi32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0] : (tensor<17000xi32>) -> tensor<17000x1xi32>
    %16 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<17000x1xf32>) -> tensor<17000x3xf32>
    %17 = "stablehlo.scatter"(%8, %15, %16) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %18 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %18 : tensor<f32>
    }) : (tensor<200x3xf32>, tensor<17000x1xi32>, tensor<17000x3xf32>) -> tensor<200x3xf32>
    return %7, %17 : tensor<200xf32>, tensor<200x3xf32>
  }
}
