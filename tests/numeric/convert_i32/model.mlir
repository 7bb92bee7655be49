module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<23xi32>) -> (tensor<23xf64> {jax.result_info = "result[0]"}, tensor<23xf32> {jax.result_info = "result[1]"}, tensor<23xf16> {jax.result_info = "result[2]"}, tensor<23xbf16> {jax.result_info = "result[3]"}, tensor<23xi1> {jax.result_info = "result[4]"}, tensor<23xi8> {jax.result_info = "result[5]"}, tensor<23xi16> {jax.result_info = "result[6]"}, tensor<23xi64> {jax.result_info = "result[7]"}, tensor<23xui8> {jax.result_info = "result[8]"}, tensor<23xui16> {jax.result_info = "result[9]"}, tensor<23xui32> {jax.result_info = "result[10]"}, tensor<23xui64> {jax.result_info = "result[11]"}) {
    %0 = stablehlo.convert %arg0 : (tensor<23xi32>) -> tensor<23xf64>
    %1 = stablehlo.convert %arg0 : (tensor<23xi32>) -> tensor<23xf32>
    %2 = stablehlo.convert %arg0 : (tensor<23xi32>) -> tensor<23xf16>
    %3 = stablehlo.convert %arg0 : (tensor<23xi32>) -> tensor<23xbf16>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<23xi32>
    %5 = stablehlo.compare NE, %arg0, %4, SIGNED : (tensor<23xi32>, tensor<23xi32>) -> tensor<23xi1>
    %6 = stablehlo.convert %5 : tensor<23xi1>
    %7 = stablehlo.convert %arg0 : (tensor<23xi32>) -> tensor<23xi8>
    %8 = stablehlo.convert %arg0 : (tensor<23xi32>) -> tensor<23xi16>
    %9 = stablehlo.convert %arg0 : (tensor<23xi32>) -> tensor<23xi64>
    %10 = stablehlo.convert %arg0 : (tensor<23xi32>) -> tensor<23xui8>
    %11 = stablehlo.convert %arg0 : (tensor<23xi32>) -> tensor<23xui16>
    %12 = stablehlo.convert %arg0 : (tensor<23xi32>) -> tensor<23xui32>
    %13 = stablehlo.convert %arg0 : (tensor<23xi32>) -> tensor<23xui64>
    return %0, %1, %2, %3, %6, %7, %8, %9, %10, %11, %12, %13 : tensor<23xf64>, tensor<23xf32>, tensor<23xf16>, tensor<23xbf16>, tensor<23xi1>, tensor<23xi8>, tensor<23xi16>, tensor<23xi64>, tensor<23xui8>, tensor<23xui16>, tensor<23xui32>, tensor<23xui64>
  }
}
