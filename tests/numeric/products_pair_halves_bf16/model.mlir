module @jit_halves attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<130x200xbf16>, %arg1: tensor<200x400xbf16>) -> (tensor<130x200xbf16> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<130x200xbf16>, tensor<200x400xbf16>) -> tensor<130x400xbf16>
    %1 = stablehlo.slice %0 [0:130, 0:200] : (tensor<130x400xbf16>) -> tensor<130x200xbf16>
    %2 = stablehlo.multiply %1, %1 : tensor<130x200xbf16>
    %3 = stablehlo.multiply %2, %1 : tensor<130x200xbf16>
    %cst = stablehlo.constant dense<4.467770e-02> : tensor<bf16>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<130x200xbf16>
    %5 = stablehlo.multiply %4, %3 : tensor<130x200xbf16>
    %6 = stablehlo.add %1, %5 : tensor<130x200xbf16>
    %cst_0 = stablehlo.constant dense<7.968750e-01> : tensor<bf16>
    %7 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<bf16>) -> tensor<130x200xbf16>
    %8 = stablehlo.multiply %7, %6 : tensor<130x200xbf16>
    %9 = stablehlo.tanh %8 : tensor<130x200xbf16>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<bf16>
    %10 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<bf16>) -> tensor<130x200xbf16>
    %11 = stablehlo.add %10, %9 : tensor<130x200xbf16>
    %cst_2 = stablehlo.constant dense<5.000000e-01> : tensor<bf16>
    %12 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<bf16>) -> tensor<130x200xbf16>
    %13 = stablehlo.multiply %12, %11 : tensor<130x200xbf16>
    %14 = stablehlo.multiply %1, %13 : tensor<130x200xbf16>
    %15 = stablehlo.slice %0 [0:130, 200:400] : (tensor<130x400xbf16>) -> tensor<130x200xbf16>
    %16 = stablehlo.multiply %14, %15 : tensor<130x200xbf16>
    return %16 : tensor<130x200xbf16>
  }
}
