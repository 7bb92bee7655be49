module @jit_special attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<24xf32>) -> (tensor<24xf32> {jax.result_info = "result[0]"}, tensor<24xf32> {jax.result_info = "result[1]"}, tensor<24xf32> {jax.result_info = "result[2]"}, tensor<24xf32> {jax.result_info = "result[3]"}, tensor<24xf32> {jax.result_info = "result[4]"}, tensor<24xf32> {jax.result_info = "result[5]"}) {
    %0 = chlo.lgamma %arg0 : tensor<24xf32> -> tensor<24xf32>
    %1 = chlo.digamma %arg0 : tensor<24xf32> -> tensor<24xf32>
    %2 = chlo.bessel_i1e %arg0 : tensor<24xf32> -> tensor<24xf32>
    %cst = stablehlo.constant dense<2.500000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %4 = stablehlo.add %arg0, %3 : tensor<24xf32>
    %5 = chlo.zeta %4, %arg0 : tensor<24xf32>, tensor<24xf32> -> tensor<24xf32>
    %6 = chlo.erf %arg0 : tensor<24xf32> -> tensor<24xf32>
    %7 = stablehlo.negate %arg0 : tensor<24xf32>
    %8 = chlo.next_after %arg0, %7 : tensor<24xf32>, tensor<24xf32> -> tensor<24xf32>
    return %0, %1, %2, %5, %6, %8 : tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>
  }
}
