module @jit_mixed attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<200x72xbf16>, %arg1: tensor<136x72xbf16>, %arg2: tensor<200x136xf32>) -> (tensor<200x136xf32> {jax.result_info = "result[0]"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<200x72xbf16>, tensor<136x72xbf16>) -> tensor<200x136xf32>
    %1 = stablehlo.add %0, %arg2 : tensor<200x136xf32>
    return %1 : tensor<200x136xf32>
  }
}
