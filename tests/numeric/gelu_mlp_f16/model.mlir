module @jit_gelu_mlp attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<9x24xf16>, %arg1: tensor<24x40xf16>, %arg2: tensor<40xf16>, %arg3: tensor<40x10xf16>, %arg4: tensor<10xf16>) -> (tensor<9x10xf16> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<9x24xf16>, tensor<24x40xf16>) -> tensor<9x40xf16>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<40xf16>) -> tensor<1x40xf16>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x40xf16>) -> tensor<9x40xf16>
    %3 = stablehlo.add %0, %2 : tensor<9x40xf16>
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<f16>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<9x40xf16>
    %5 = stablehlo.multiply %4, %3 : tensor<9x40xf16>
    %6 = stablehlo.negate %3 : tensor<9x40xf16>
    %cst_0 = stablehlo.constant dense<7.070310e-01> : tensor<f16>
    %7 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f16>) -> tensor<9x40xf16>
    %8 = stablehlo.multiply %6, %7 : tensor<9x40xf16>
    %9 = chlo.erfc %8 : tensor<9x40xf16> -> tensor<9x40xf16>
    %10 = stablehlo.multiply %5, %9 : tensor<9x40xf16>
    %11 = stablehlo.dot_general %10, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<9x40xf16>, tensor<40x10xf16>) -> tensor<9x10xf16>
    %12 = stablehlo.broadcast_in_dim %arg4, dims = [1] : (tensor<10xf16>) -> tensor<1x10xf16>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0, 1] : (tensor<1x10xf16>) -> tensor<9x10xf16>
    %14 = stablehlo.add %11, %13 : tensor<9x10xf16>
    return %14 : tensor<9x10xf16>
  }
}
