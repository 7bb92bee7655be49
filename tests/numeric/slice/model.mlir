module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5x7x9xf32>) -> (tensor<3x7x9xf32> {jax.result_info = "result[0]"}, tensor<5x4x3xf32> {jax.result_info = "result[1]"}, tensor<7x9xf32> {jax.result_info = "result[2]"}, tensor<5x7xf32> {jax.result_info = "result[3]"}) {
    %0 = stablehlo.slice %arg0 [1:4, 0:7, 0:9] : (tensor<5x7x9xf32>) -> tensor<3x7x9xf32>
    %1 = stablehlo.slice %arg0 [0:5, 0:7:2, 1:9:3] : (tensor<5x7x9xf32>) -> tensor<5x4x3xf32>
    %2 = stablehlo.slice %arg0 [4:5, 0:7, 0:9] : (tensor<5x7x9xf32>) -> tensor<1x7x9xf32>
    %3 = stablehlo.reshape %2 : (tensor<1x7x9xf32>) -> tensor<7x9xf32>
    %4 = stablehlo.slice %arg0 [0:5, 0:7, 2:3] : (tensor<5x7x9xf32>) -> tensor<5x7x1xf32>
    %5 = stablehlo.reshape %4 : (tensor<5x7x1xf32>) -> tensor<5x7xf32>
    return %0, %1, %3, %5 : tensor<3x7x9xf32>, tensor<5x4x3xf32>, tensor<7x9xf32>, tensor<5x7xf32>
  }
}
