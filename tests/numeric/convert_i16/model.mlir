module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<22xi16>) -> (tensor<22xf64> {jax.result_info = "result[0]"}, tensor<22xf32> {jax.result_info = "result[1]"}, tensor<22xf16> {jax.result_info = "result[2]"}, tensor<22xbf16> {jax.result_info = "result[3]"}, tensor<22xi1> {jax.result_info = "result[4]"}, tensor<22xi8> {jax.result_info = "result[5]"}, tensor<22xi32> {jax.result_info = "result[6]"}, tensor<22xi64> {jax.result_info = "result[7]"}, tensor<22xui8> {jax.result_info = "result[8]"}, tensor<22xui16> {jax.result_info = "result[9]"}, tensor<22xui32> {jax.result_info = "result[10]"}, tensor<22xui64> {jax.result_info = "result[11]"}) {
    %0 = stablehlo.convert %arg0 : (tensor<22xi16>) -> tensor<22xf64>
    %1 = stablehlo.convert %arg0 : (tensor<22xi16>) -> tensor<22xf32>
    %2 = stablehlo.convert %arg0 : (tensor<22xi16>) -> tensor<22xf16>
    %3 = stablehlo.convert %arg0 : (tensor<22xi16>) -> tensor<22xbf16>
    %c = stablehlo.constant dense<0> : tensor<i16>
    %4 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i16>) -> tensor<22xi16>
    %5 = stablehlo.compare NE, %arg0, %4, SIGNED : (tensor<22xi16>, tensor<22xi16>) -> tensor<22xi1>
    %6 = stablehlo.convert %5 : tensor<22xi1>
    %7 = stablehlo.convert %arg0 : (tensor<22xi16>) -> tensor<22xi8>
    %8 = stablehlo.convert %arg0 : (tensor<22xi16>) -> tensor<22xi32>
    %9 = stablehlo.convert %arg0 : (tensor<22xi16>) -> tensor<22xi64>
    %10 = stablehlo.convert %arg0 : (tensor<22xi16>) -> tensor<22xui8>
    %11 = stablehlo.convert %arg0 : (tensor<22xi16>) -> tensor<22xui16>
    %12 = stablehlo.convert %arg0 : (tensor<22xi16>) -> tensor<22xui32>
    %13 = stablehlo.convert %arg0 : (tensor<22xi16>) -> tensor<22xui64>
    return %0, %1, %2, %3, %6, %7, %8, %9, %10, %11, %12, %13 : tensor<22xf64>, tensor<22xf32>, tensor<22xf16>, tensor<22xbf16>, tensor<22xi1>, tensor<22xi8>, tensor<22xi32>, tensor<22xi64>, tensor<22xui8>, tensor<22xui16>, tensor<22xui32>, tensor<22xui64>
  }
}
