module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<20xui64>) -> (tensor<20xf64> {jax.result_info = "result[0]"}, tensor<20xf32> {jax.result_info = "result[1]"}, tensor<20xf16> {jax.result_info = "result[2]"}, tensor<20xbf16> {jax.result_info = "result[3]"}, tensor<20xi1> {jax.result_info = "result[4]"}, tensor<20xi8> {jax.result_info = "result[5]"}, tensor<20xi16> {jax.result_info = "result[6]"}, tensor<20xi32> {jax.result_info = "result[7]"}, tensor<20xi64> {jax.result_info = "result[8]"}, tensor<20xui8> {jax.result_info = "result[9]"}, tensor<20xui16> {jax.result_info = "result[10]"}, tensor<20xui32> {jax.result_info = "result[11]"}) {
    %0 = stablehlo.convert %arg0 : (tensor<20xui64>) -> tensor<20xf64>
    %1 = stablehlo.convert %arg0 : (tensor<20xui64>) -> tensor<20xf32>
    %2 = stablehlo.convert %arg0 : (tensor<20xui64>) -> tensor<20xf16>
    %3 = stablehlo.convert %arg0 : (tensor<20xui64>) -> tensor<20xbf16>
    %c = stablehlo.constant dense<0> : tensor<ui64>
    %4 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui64>) -> tensor<20xui64>
    %5 = stablehlo.compare NE, %arg0, %4, UNSIGNED : (tensor<20xui64>, tensor<20xui64>) -> tensor<20xi1>
    %6 = stablehlo.convert %5 : tensor<20xi1>
    %7 = stablehlo.convert %arg0 : (tensor<20xui64>) -> tensor<20xi8>
    %8 = stablehlo.convert %arg0 : (tensor<20xui64>) -> tensor<20xi16>
    %9 = stablehlo.convert %arg0 : (tensor<20xui64>) -> tensor<20xi32>
    %10 = stablehlo.convert %arg0 : (tensor<20xui64>) -> tensor<20xi64>
    %11 = stablehlo.convert %arg0 : (tensor<20xui64>) -> tensor<20xui8>
    %12 = stablehlo.convert %arg0 : (tensor<20xui64>) -> tensor<20xui16>
    %13 = stablehlo.convert %arg0 : (tensor<20xui64>) -> tensor<20xui32>
    return %0, %1, %2, %3, %6, %7, %8, %9, %10, %11, %12, %13 : tensor<20xf64>, tensor<20xf32>, tensor<20xf16>, tensor<20xbf16>, tensor<20xi1>, tensor<20xi8>, tensor<20xi16>, tensor<20xi32>, tensor<20xi64>, tensor<20xui8>, tensor<20xui16>, tensor<20xui32>
  }
}
