module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}, {name = "y", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<32x8xf32>, %arg1: tensor<8x3xi32>, %arg2: tensor<8x4xf32>) -> (tensor<8x4xf32> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8x3xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<8x3xi32>, tensor<8x3xi32>) -> tensor<8x3xi1>
    %c_0 = stablehlo.constant dense<32> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<8x3xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<8x3xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<8x3xi1>, tensor<8x3xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<8x3xi32>) -> tensor<8x3x1xi32>
    %6 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 8>}> : (tensor<32x8xf32>, tensor<8x3x1xi32>) -> tensor<8x3x8xf32>
    %7 = stablehlo.dot_general %6, %arg2, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x3x8xf32>, tensor<8x4xf32>) -> tensor<8x3x4xf32>
    %8 = sdy.sharding_constraint %7 <@mesh, [{"x"}, {}, {"y"}]> : tensor<8x3x4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.reduce(%8 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<8x3x4xf32>, tensor<f32>) -> tensor<8x4xf32>
    return %9 : tensor<8x4xf32>
  }
}
