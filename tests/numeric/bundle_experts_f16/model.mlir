module @jit_experts attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x96xf16>, %arg1: tensor<96x41xf16>, %arg2: tensor<96x41xf16>, %arg3: tensor<96x41xf16>, %arg4: tensor<96x41xf16>, %arg5: tensor<96x41xf16>) -> (tensor<2x41xf16> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x96xf16>, tensor<96x41xf16>) -> tensor<2x41xf16>
    %1 = stablehlo.dot_general %arg0, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x96xf16>, tensor<96x41xf16>) -> tensor<2x41xf16>
    %2 = stablehlo.dot_general %arg0, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x96xf16>, tensor<96x41xf16>) -> tensor<2x41xf16>
    %3 = stablehlo.dot_general %arg0, %arg4, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x96xf16>, tensor<96x41xf16>) -> tensor<2x41xf16>
    %4 = stablehlo.dot_general %arg0, %arg5, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x96xf16>, tensor<96x41xf16>) -> tensor<2x41xf16>
    %5 = stablehlo.broadcast_in_dim %0, dims = [1, 2] : (tensor<2x41xf16>) -> tensor<1x2x41xf16>
    %6 = stablehlo.broadcast_in_dim %1, dims = [1, 2] : (tensor<2x41xf16>) -> tensor<1x2x41xf16>
    %7 = stablehlo.broadcast_in_dim %2, dims = [1, 2] : (tensor<2x41xf16>) -> tensor<1x2x41xf16>
    %8 = stablehlo.broadcast_in_dim %3, dims = [1, 2] : (tensor<2x41xf16>) -> tensor<1x2x41xf16>
    %9 = stablehlo.broadcast_in_dim %4, dims = [1, 2] : (tensor<2x41xf16>) -> tensor<1x2x41xf16>
    %10 = stablehlo.concatenate %5, %6, %7, %8, %9, dim = 0 : (tensor<1x2x41xf16>, tensor<1x2x41xf16>, tensor<1x2x41xf16>, tensor<1x2x41xf16>, tensor<1x2x41xf16>) -> tensor<5x2x41xf16>
    %11 = stablehlo.convert %10 : (tensor<5x2x41xf16>) -> tensor<5x2x41xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.reduce(%11 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<5x2x41xf32>, tensor<f32>) -> tensor<2x41xf32>
    %13 = stablehlo.convert %12 : (tensor<2x41xf32>) -> tensor<2x41xf16>
    return %13 : tensor<2x41xf16>
  }
}
