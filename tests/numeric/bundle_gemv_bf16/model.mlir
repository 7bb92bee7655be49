module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x256xbf16>, %arg1: tensor<256x520xbf16>, %arg2: tensor<256x72xbf16>, %arg3: tensor<256x72xbf16>) -> (tensor<1x520xbf16> {jax.result_info = "result[0]"}, tensor<1x72xbf16> {jax.result_info = "result[1]"}, tensor<1x72xbf16> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x256xbf16>, tensor<256x520xbf16>) -> tensor<1x520xbf16>
    %1 = stablehlo.dot_general %arg0, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x256xbf16>, tensor<256x72xbf16>) -> tensor<1x72xbf16>
    %2 = stablehlo.dot_general %arg0, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x256xbf16>, tensor<256x72xbf16>) -> tensor<1x72xbf16>
    return %0, %1, %2 : tensor<1x520xbf16>, tensor<1x72xbf16>, tensor<1x72xbf16>
  }
}
