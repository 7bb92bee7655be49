module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3000xi32>, %arg1: tensor<3000xf32>, %arg2: tensor<3000xi64>) -> (tensor<3000xi32> {jax.result_info = "result[0]"}, tensor<3000xi64> {jax.result_info = "result[1]"}) {
    %0:2 = "stablehlo.sort"(%arg0, %arg2) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>, %arg5: tensor<i64>, %arg6: tensor<i64>):
      %1 = stablehlo.compare LT, %arg3, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<3000xi32>, tensor<3000xi64>) -> (tensor<3000xi32>, tensor<3000xi64>)
    return %0#0, %0#1 : tensor<3000xi32>, tensor<3000xi64>
  }
}
