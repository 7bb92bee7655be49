module @jit_gelu_mlp attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<9x24xbf16>, %arg1: tensor<24x40xbf16>, %arg2: tensor<40xbf16>, %arg3: tensor<40x10xbf16>, %arg4: tensor<10xbf16>) -> (tensor<9x10xbf16> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<9x24xbf16>, tensor<24x40xbf16>) -> tensor<9x40xbf16>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<40xbf16>) -> tensor<1x40xbf16>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x40xbf16>) -> tensor<9x40xbf16>
    %3 = stablehlo.add %0, %2 : tensor<9x40xbf16>
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<bf16>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<9x40xbf16>
    %5 = stablehlo.multiply %4, %3 : tensor<9x40xbf16>
    %6 = stablehlo.negate %3 : tensor<9x40xbf16>
    %cst_0 = stablehlo.constant dense<7.070310e-01> : tensor<bf16>
    %7 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<bf16>) -> tensor<9x40xbf16>
    %8 = stablehlo.multiply %6, %7 : tensor<9x40xbf16>
    %9 = chlo.erfc %8 : tensor<9x40xbf16> -> tensor<9x40xbf16>
    %10 = stablehlo.multiply %5, %9 : tensor<9x40xbf16>
    %11 = stablehlo.dot_general %10, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<9x40xbf16>, tensor<40x10xbf16>) -> tensor<9x10xbf16>
    %12 = stablehlo.broadcast_in_dim %arg4, dims = [1] : (tensor<10xbf16>) -> tensor<1x10xbf16>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0, 1] : (tensor<1x10xbf16>) -> tensor<9x10xbf16>
    %14 = stablehlo.add %11, %13 : tensor<9x10xbf16>
    return %14 : tensor<9x10xbf16>
  }
}
