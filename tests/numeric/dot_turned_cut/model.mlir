module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<40x8xf32>, %arg1: tensor<8x8xf32>, %arg2: tensor<2x4x5x8xf32>) -> (tensor<2x8x4x5xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<40x8xf32>, tensor<8x8xf32>) -> tensor<40x8xf32>
    %1 = stablehlo.reshape %0 : (tensor<40x8xf32>) -> tensor<20x2x8xf32>
    %2 = stablehlo.transpose %1, dims = [1, 0, 2] : (tensor<20x2x8xf32>) -> tensor<2x20x8xf32>
    %3 = stablehlo.reshape %2 : (tensor<2x20x8xf32>) -> tensor<2x4x5x8xf32>
    %4 = stablehlo.add %3, %arg2 : tensor<2x4x5x8xf32>
    %5 = stablehlo.transpose %4, dims = [0, 3, 1, 2] : (tensor<2x4x5x8xf32>) -> tensor<2x8x4x5xf32>
    return %5 : tensor<2x8x4x5xf32>
  }
}
