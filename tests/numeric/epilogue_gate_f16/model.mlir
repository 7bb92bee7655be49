module @jit_gate attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x70x72xf16>, %arg1: tensor<2x72x200xf16>, %arg2: tensor<2x70x200xf16>) -> (tensor<2x70x200xf16> {jax.result_info = "result"}) {
    %0 = call @silu(%arg2) : (tensor<2x70x200xf16>) -> tensor<2x70x200xf16>
    %1 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x70x72xf16>, tensor<2x72x200xf16>) -> tensor<2x70x200xf16>
    %2 = stablehlo.multiply %0, %1 : tensor<2x70x200xf16>
    return %2 : tensor<2x70x200xf16>
  }
  func.func private @silu(%arg0: tensor<2x70x200xf16>) -> tensor<2x70x200xf16> {
    %0 = stablehlo.negate %arg0 : tensor<2x70x200xf16>
    %1 = stablehlo.exponential %0 : tensor<2x70x200xf16>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f16>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<2x70x200xf16>
    %3 = stablehlo.add %2, %1 : tensor<2x70x200xf16>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f16>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f16>) -> tensor<2x70x200xf16>
    %5 = stablehlo.divide %4, %3 : tensor<2x70x200xf16>
    %6 = stablehlo.multiply %arg0, %5 : tensor<2x70x200xf16>
    return %6 : tensor<2x70x200xf16>
  }
}
