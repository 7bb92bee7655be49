module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<15xui8>) -> (tensor<15xf64> {jax.result_info = "result[0]"}, tensor<15xf32> {jax.result_info = "result[1]"}, tensor<15xf16> {jax.result_info = "result[2]"}, tensor<15xbf16> {jax.result_info = "result[3]"}, tensor<15xi1> {jax.result_info = "result[4]"}, tensor<15xi8> {jax.result_info = "result[5]"}, tensor<15xi16> {jax.result_info = "result[6]"}, tensor<15xi32> {jax.result_info = "result[7]"}, tensor<15xi64> {jax.result_info = "result[8]"}, tensor<15xui16> {jax.result_info = "result[9]"}, tensor<15xui32> {jax.result_info = "result[10]"}, tensor<15xui64> {jax.result_info = "result[11]"}) {
    %0 = stablehlo.convert %arg0 : (tensor<15xui8>) -> tensor<15xf64>
    %1 = stablehlo.convert %arg0 : (tensor<15xui8>) -> tensor<15xf32>
    %2 = stablehlo.convert %arg0 : (tensor<15xui8>) -> tensor<15xf16>
    %3 = stablehlo.convert %arg0 : (tensor<15xui8>) -> tensor<15xbf16>
    %c = stablehlo.constant dense<0> : tensor<ui8>
    %4 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui8>) -> tensor<15xui8>
    %5 = stablehlo.compare NE, %arg0, %4, UNSIGNED : (tensor<15xui8>, tensor<15xui8>) -> tensor<15xi1>
    %6 = stablehlo.convert %5 : tensor<15xi1>
    %7 = stablehlo.convert %arg0 : (tensor<15xui8>) -> tensor<15xi8>
    %8 = stablehlo.convert %arg0 : (tensor<15xui8>) -> tensor<15xi16>
    %9 = stablehlo.convert %arg0 : (tensor<15xui8>) -> tensor<15xi32>
    %10 = stablehlo.convert %arg0 : (tensor<15xui8>) -> tensor<15xi64>
    %11 = stablehlo.convert %arg0 : (tensor<15xui8>) -> tensor<15xui16>
    %12 = stablehlo.convert %arg0 : (tensor<15xui8>) -> tensor<15xui32>
    %13 = stablehlo.convert %arg0 : (tensor<15xui8>) -> tensor<15xui64>
    return %0, %1, %2, %3, %6, %7, %8, %9, %10, %11, %12, %13 : tensor<15xf64>, tensor<15xf32>, tensor<15xf16>, tensor<15xbf16>, tensor<15xi1>, tensor<15xi8>, tensor<15xi16>, tensor<15xi32>, tensor<15xi64>, tensor<15xui16>, tensor<15xui32>, tensor<15xui64>
  }
}
