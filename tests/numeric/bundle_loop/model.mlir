module @jit_loop attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<33xf32>, %arg1: tensor<9x5xf32>, %arg2: tensor<129xf16>) -> (tensor<33xf32> {jax.result_info = "result[0]"}, tensor<9x5xf32> {jax.result_info = "result[1]"}, tensor<129xf16> {jax.result_info = "result[2]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0:4 = stablehlo.while(%iterArg = %cst, %iterArg_0 = %arg0, %iterArg_1 = %arg1, %iterArg_2 = %arg2) : tensor<f32>, tensor<33xf32>, tensor<9x5xf32>, tensor<129xf16>
    cond {
      %cst_3 = stablehlo.constant dense<6.500000e+00> : tensor<f32>
      %1 = stablehlo.compare LT, %iterArg, %cst_3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %1 = stablehlo.add %iterArg, %cst_3 : tensor<f32>
      %2 = stablehlo.sine %iterArg_0 : tensor<33xf32>
      %cst_4 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
      %3 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<33xf32>
      %4 = stablehlo.add %2, %3 : tensor<33xf32>
      %5 = stablehlo.cosine %iterArg_1 : tensor<9x5xf32>
      %cst_5 = stablehlo.constant dense<5.000000e-01> : tensor<f16>
      %6 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f16>) -> tensor<129xf16>
      %7 = stablehlo.multiply %iterArg_2, %6 : tensor<129xf16>
      %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f16>
      %8 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f16>) -> tensor<129xf16>
      %9 = stablehlo.add %7, %8 : tensor<129xf16>
      stablehlo.return %1, %4, %5, %9 : tensor<f32>, tensor<33xf32>, tensor<9x5xf32>, tensor<129xf16>
    }
    return %0#1, %0#2, %0#3 : tensor<33xf32>, tensor<9x5xf32>, tensor<129xf16>
  }
}
