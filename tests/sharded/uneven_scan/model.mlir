module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}, {name = "y", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<4x10x5xf32>, %arg1: tensor<5x5xf32>) -> (tensor<10x5xf32> {jax.result_info = "result[0]"}, tensor<4xf32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.slice %arg0 [0:1, 0:10, 0:5] : (tensor<4x10x5xf32>) -> tensor<1x10x5xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x10x5xf32>) -> tensor<10x5xf32>
    %2 = sdy.sharding_constraint %1 <@mesh, [{"x"}, {}]> : tensor<10x5xf32>
    %3 = sdy.sharding_constraint %arg0 <@mesh, [{}, {"x"}, {}]> : tensor<4x10x5xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %5:5 = stablehlo.while(%iterArg = %3, %iterArg_0 = %arg1, %iterArg_1 = %c, %iterArg_2 = %2, %iterArg_3 = %4) : tensor<4x10x5xf32>, tensor<5x5xf32>, tensor<i32>, tensor<10x5xf32>, tensor<4xf32>
    cond {
      %c_4 = stablehlo.constant dense<4> : tensor<i32>
      %6 = stablehlo.compare LT, %iterArg_1, %c_4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %6 : tensor<i1>
    } do {
      %6 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_1) : (tensor<4x10x5xf32>, tensor<i32>) -> tensor<10x5xf32>
      %7:2 = func.call @closed_call(%iterArg_0, %iterArg_2, %6) : (tensor<5x5xf32>, tensor<10x5xf32>, tensor<10x5xf32>) -> (tensor<10x5xf32>, tensor<f32>)
      %8 = func.call @dynamic_update_index_in_dim(%iterArg_3, %7#1, %iterArg_1) : (tensor<4xf32>, tensor<f32>, tensor<i32>) -> tensor<4xf32>
      %c_4 = stablehlo.constant dense<1> : tensor<i32>
      %9 = stablehlo.add %iterArg_1, %c_4 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_0, %9, %7#0, %8 : tensor<4x10x5xf32>, tensor<5x5xf32>, tensor<i32>, tensor<10x5xf32>, tensor<4xf32>
    }
    return %5#3, %5#4 : tensor<10x5xf32>, tensor<4xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<4x10x5xf32>, %arg1: tensor<i32>) -> tensor<10x5xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 10, 5] : (tensor<4x10x5xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x10x5xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x10x5xf32>) -> tensor<10x5xf32>
    return %1 : tensor<10x5xf32>
  }
  func.func private @closed_call(%arg0: tensor<5x5xf32>, %arg1: tensor<10x5xf32>, %arg2: tensor<10x5xf32>) -> (tensor<10x5xf32>, tensor<f32>) {
    %0 = stablehlo.dot_general %arg1, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<10x5xf32>, tensor<5x5xf32>) -> tensor<10x5xf32>
    %1 = stablehlo.tanh %0 : tensor<10x5xf32>
    %2 = stablehlo.add %1, %arg2 : tensor<10x5xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%arg1 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<10x5xf32>, tensor<f32>) -> tensor<f32>
    return %2, %3 : tensor<10x5xf32>, tensor<f32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<4xf32>, %arg1: tensor<f32>, %arg2: tensor<i32>) -> tensor<4xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2 : (tensor<4xf32>, tensor<1xf32>, tensor<i32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}
