module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}, {name = "y", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<10x12xf32>) -> (tensor<120xf32> {jax.result_info = "result[0]"}, tensor<10x3x4xf32> {jax.result_info = "result[1]"}, tensor<20x12xf32> {jax.result_info = "result[2]"}, tensor<5x12xf32> {jax.result_info = "result[3]"}, tensor<12x12xf32> {jax.result_info = "result[4]"}) {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}, {}]> : tensor<10x12xf32>
    %1 = stablehlo.reshape %0 : (tensor<10x12xf32>) -> tensor<120xf32>
    %2 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}, {}]> : tensor<10x12xf32>
    %3 = stablehlo.reshape %2 : (tensor<10x12xf32>) -> tensor<10x3x4xf32>
    %4 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}, {}]> : tensor<10x12xf32>
    %5 = stablehlo.concatenate %4, %4, dim = 0 : (tensor<10x12xf32>, tensor<10x12xf32>) -> tensor<20x12xf32>
    %6 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}, {}]> : tensor<10x12xf32>
    %7 = stablehlo.slice %6 [2:7, 0:12] : (tensor<10x12xf32>) -> tensor<5x12xf32>
    %8 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<10x12xf32>) -> tensor<12x10xf32>
    %9 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}, {}]> : tensor<10x12xf32>
    %10 = stablehlo.dot_general %8, %9, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<12x10xf32>, tensor<10x12xf32>) -> tensor<12x12xf32>
    return %1, %3, %5, %7, %10 : tensor<120xf32>, tensor<10x3x4xf32>, tensor<20x12xf32>, tensor<5x12xf32>, tensor<12x12xf32>
  }
}
