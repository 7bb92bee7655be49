module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<70x136xf16>, %arg1: tensor<200x136xf16>, %arg2: tensor<200x136xf16>) -> (tensor<70x200xf16> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<70x136xf16>, tensor<200x136xf16>) -> tensor<70x200xf16>
    %1 = stablehlo.tanh %0 : tensor<70x200xf16>
    %2 = stablehlo.dot_general %arg0, %arg2, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<70x136xf16>, tensor<200x136xf16>) -> tensor<70x200xf16>
    %3 = stablehlo.multiply %1, %2 : tensor<70x200xf16>
    return %3 : tensor<70x200xf16>
  }
}
