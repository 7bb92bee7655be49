module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<50xf32>) -> (tensor<50xf32> {jax.result_info = "result[0]"}, tensor<50xf32> {jax.result_info = "result[1]"}, tensor<50xf32> {jax.result_info = "result[2]"}, tensor<50xf32> {jax.result_info = "result[3]"}) {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<50xf32>
    %1 = stablehlo.multiply %arg0, %arg0 : tensor<50xf32>
    %2 = stablehlo.multiply %1, %arg0 : tensor<50xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<50xf32>
    %4 = stablehlo.divide %3, %arg0 : tensor<50xf32>
    %5 = stablehlo.multiply %arg0, %arg0 : tensor<50xf32>
    %6 = stablehlo.multiply %arg0, %5 : tensor<50xf32>
    %7 = stablehlo.multiply %5, %5 : tensor<50xf32>
    %8 = stablehlo.multiply %6, %7 : tensor<50xf32>
    return %0, %2, %4, %8 : tensor<50xf32>, tensor<50xf32>, tensor<50xf32>, tensor<50xf32>
  }
}
