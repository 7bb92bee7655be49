module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<40x256xf16>, %arg1: tensor<36x256xf16>, %arg2: tensor<3x256xf16>) -> (tensor<40x36xf32> {jax.result_info = "result[0]"}, tensor<3x36xf32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<40x256xf16>, tensor<36x256xf16>) -> tensor<40x36xf32>
    %1 = stablehlo.dot_general %arg2, %arg1, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<3x256xf16>, tensor<36x256xf16>) -> tensor<3x36xf32>
    return %0, %1 : tensor<40x36xf32>, tensor<3x36xf32>
  }
}
