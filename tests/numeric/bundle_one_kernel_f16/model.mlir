module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1001xf16>, %arg1: tensor<1001xf16>, %arg2: tensor<1001xf16>, %arg3: tensor<1001xf16>, %arg4: tensor<1001xf16>, %arg5: tensor<1001xf16>) -> (tensor<1001xf16> {jax.result_info = "result[0]"}, tensor<1001xf16> {jax.result_info = "result[1]"}, tensor<1001xf16> {jax.result_info = "result[2]"}, tensor<1001xf16> {jax.result_info = "result[3]"}, tensor<1001xf16> {jax.result_info = "result[4]"}, tensor<1001xf16> {jax.result_info = "result[5]"}) {
    %0 = stablehlo.tanh %arg0 : tensor<1001xf16>
    %1 = stablehlo.multiply %0, %arg1 : tensor<1001xf16>
    %2 = stablehlo.tanh %arg1 : tensor<1001xf16>
    %3 = stablehlo.multiply %2, %arg2 : tensor<1001xf16>
    %4 = stablehlo.tanh %arg2 : tensor<1001xf16>
    %5 = stablehlo.multiply %4, %arg3 : tensor<1001xf16>
    %6 = stablehlo.tanh %arg3 : tensor<1001xf16>
    %7 = stablehlo.multiply %6, %arg4 : tensor<1001xf16>
    %8 = stablehlo.tanh %arg4 : tensor<1001xf16>
    %9 = stablehlo.multiply %8, %arg5 : tensor<1001xf16>
    %10 = stablehlo.tanh %arg5 : tensor<1001xf16>
    %11 = stablehlo.multiply %10, %arg0 : tensor<1001xf16>
    return %1, %3, %5, %7, %9, %11 : tensor<1001xf16>, tensor<1001xf16>, tensor<1001xf16>, tensor<1001xf16>, tensor<1001xf16>, tensor<1001xf16>
  }
}
