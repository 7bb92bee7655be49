module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<9x129xf16>) -> (tensor<9xf16> {jax.result_info = "result[0]"}, tensor<129xf16> {jax.result_info = "result[1]"}, tensor<f16> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.convert %arg0 : (tensor<9x129xf16>) -> tensor<9x129xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<9x129xf32>, tensor<f32>) -> tensor<9xf32>
    %2 = stablehlo.convert %1 : (tensor<9xf32>) -> tensor<9xf16>
    %cst_0 = stablehlo.constant dense<0xFC00> : tensor<f16>
    %3 = stablehlo.reduce(%arg0 init: %cst_0) applies stablehlo.maximum across dimensions = [0] : (tensor<9x129xf16>, tensor<f16>) -> tensor<129xf16>
    %cst_1 = stablehlo.constant dense<0x7C00> : tensor<f16>
    %4 = stablehlo.reduce(%arg0 init: %cst_1) applies stablehlo.minimum across dimensions = [0, 1] : (tensor<9x129xf16>, tensor<f16>) -> tensor<f16>
    return %2, %3, %4 : tensor<9xf16>, tensor<129xf16>, tensor<f16>
  }
}
