module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<31x8xf32>, %arg1: tensor<3x7xi32>) -> (tensor<3x7x8xf32> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3x7xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<3x7xi32>, tensor<3x7xi32>) -> tensor<3x7xi1>
    %c_0 = stablehlo.constant dense<31> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<3x7xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<3x7xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<3x7xi1>, tensor<3x7xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<3x7xi32>) -> tensor<3x7x1xi32>
    %6 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 8>}> : (tensor<31x8xf32>, tensor<3x7x1xi32>) -> tensor<3x7x8xf32>
    %7 = stablehlo.iota dim = 0 : tensor<8xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<3x7x8xf32>
    %10 = stablehlo.add %6, %9 : tensor<3x7x8xf32>
    return %10 : tensor<3x7x8xf32>
  }
}
