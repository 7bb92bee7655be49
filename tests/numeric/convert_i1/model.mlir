module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2xi1>) -> (tensor<2xf64> {jax.result_info = "result[0]"}, tensor<2xf32> {jax.result_info = "result[1]"}, tensor<2xf16> {jax.result_info = "result[2]"}, tensor<2xbf16> {jax.result_info = "result[3]"}, tensor<2xi8> {jax.result_info = "result[4]"}, tensor<2xi16> {jax.result_info = "result[5]"}, tensor<2xi32> {jax.result_info = "result[6]"}, tensor<2xi64> {jax.result_info = "result[7]"}, tensor<2xui8> {jax.result_info = "result[8]"}, tensor<2xui16> {jax.result_info = "result[9]"}, tensor<2xui32> {jax.result_info = "result[10]"}, tensor<2xui64> {jax.result_info = "result[11]"}) {
    %0 = stablehlo.convert %arg0 : (tensor<2xi1>) -> tensor<2xf64>
    %1 = stablehlo.convert %arg0 : (tensor<2xi1>) -> tensor<2xf32>
    %2 = stablehlo.convert %arg0 : (tensor<2xi1>) -> tensor<2xf16>
    %3 = stablehlo.convert %arg0 : (tensor<2xi1>) -> tensor<2xbf16>
    %4 = stablehlo.convert %arg0 : (tensor<2xi1>) -> tensor<2xi8>
    %5 = stablehlo.convert %arg0 : (tensor<2xi1>) -> tensor<2xi16>
    %6 = stablehlo.convert %arg0 : (tensor<2xi1>) -> tensor<2xi32>
    %7 = stablehlo.convert %arg0 : (tensor<2xi1>) -> tensor<2xi64>
    %8 = stablehlo.convert %arg0 : (tensor<2xi1>) -> tensor<2xui8>
    %9 = stablehlo.convert %arg0 : (tensor<2xi1>) -> tensor<2xui16>
    %10 = stablehlo.convert %arg0 : (tensor<2xi1>) -> tensor<2xui32>
    %11 = stablehlo.convert %arg0 : (tensor<2xi1>) -> tensor<2xui64>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11 : tensor<2xf64>, tensor<2xf32>, tensor<2xf16>, tensor<2xbf16>, tensor<2xi8>, tensor<2xi16>, tensor<2xi32>, tensor<2xi64>, tensor<2xui8>, tensor<2xui16>, tensor<2xui32>, tensor<2xui64>
  }
}
