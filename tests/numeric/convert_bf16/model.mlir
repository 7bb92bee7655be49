module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<32xbf16>) -> (tensor<32xf64> {jax.result_info = "result[0]"}, tensor<32xf32> {jax.result_info = "result[1]"}, tensor<32xf16> {jax.result_info = "result[2]"}, tensor<32xi1> {jax.result_info = "result[3]"}, tensor<32xi8> {jax.result_info = "result[4]"}, tensor<32xi16> {jax.result_info = "result[5]"}, tensor<32xi32> {jax.result_info = "result[6]"}, tensor<32xi64> {jax.result_info = "result[7]"}, tensor<32xui8> {jax.result_info = "result[8]"}, tensor<32xui16> {jax.result_info = "result[9]"}, tensor<32xui32> {jax.result_info = "result[10]"}, tensor<32xui64> {jax.result_info = "result[11]"}) {
    %0 = stablehlo.convert %arg0 : (tensor<32xbf16>) -> tensor<32xf64>
    %1 = stablehlo.convert %arg0 : (tensor<32xbf16>) -> tensor<32xf32>
    %2 = stablehlo.convert %arg0 : (tensor<32xbf16>) -> tensor<32xf16>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<32xbf16>
    %4 = stablehlo.compare NE, %arg0, %3, FLOAT : (tensor<32xbf16>, tensor<32xbf16>) -> tensor<32xi1>
    %5 = stablehlo.convert %4 : tensor<32xi1>
    %6 = stablehlo.convert %arg0 : (tensor<32xbf16>) -> tensor<32xi8>
    %7 = stablehlo.convert %arg0 : (tensor<32xbf16>) -> tensor<32xi16>
    %8 = stablehlo.convert %arg0 : (tensor<32xbf16>) -> tensor<32xi32>
    %9 = stablehlo.convert %arg0 : (tensor<32xbf16>) -> tensor<32xi64>
    %10 = stablehlo.convert %arg0 : (tensor<32xbf16>) -> tensor<32xui8>
    %11 = stablehlo.convert %arg0 : (tensor<32xbf16>) -> tensor<32xui16>
    %12 = stablehlo.convert %arg0 : (tensor<32xbf16>) -> tensor<32xui32>
    %13 = stablehlo.convert %arg0 : (tensor<32xbf16>) -> tensor<32xui64>
    return %0, %1, %2, %5, %6, %7, %8, %9, %10, %11, %12, %13 : tensor<32xf64>, tensor<32xf32>, tensor<32xf16>, tensor<32xi1>, tensor<32xi8>, tensor<32xi16>, tensor<32xi32>, tensor<32xi64>, tensor<32xui8>, tensor<32xui16>, tensor<32xui32>, tensor<32xui64>
  }
}
