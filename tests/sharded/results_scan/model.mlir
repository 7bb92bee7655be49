module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}, {name = "y", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<6x8x5xf32>, %arg1: tensor<5x4xf32>, %arg2: tensor<4x4xf32>) -> (tensor<8x4xf32> {jax.result_info = "result[0]", sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<6x8x4xf32> {jax.result_info = "result[1]", sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x4xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6x8x4xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2:6 = stablehlo.while(%iterArg = %arg0, %iterArg_1 = %arg1, %iterArg_2 = %arg2, %iterArg_3 = %c, %iterArg_4 = %0, %iterArg_5 = %1) : tensor<6x8x5xf32>, tensor<5x4xf32>, tensor<4x4xf32>, tensor<i32>, tensor<8x4xf32>, tensor<6x8x4xf32>
    cond {
      %c_6 = stablehlo.constant dense<6> : tensor<i32>
      %3 = stablehlo.compare LT, %iterArg_3, %c_6, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %3 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_3) : (tensor<6x8x5xf32>, tensor<i32>) -> tensor<8x5xf32>
      %4:2 = func.call @closed_call(%iterArg_1, %iterArg_2, %iterArg_4, %3) : (tensor<5x4xf32>, tensor<4x4xf32>, tensor<8x4xf32>, tensor<8x5xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>)
      %5 = func.call @dynamic_update_index_in_dim(%iterArg_5, %4#1, %iterArg_3) : (tensor<6x8x4xf32>, tensor<8x4xf32>, tensor<i32>) -> tensor<6x8x4xf32>
      %c_6 = stablehlo.constant dense<1> : tensor<i32>
      %6 = stablehlo.add %iterArg_3, %c_6 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_1, %iterArg_2, %6, %4#0, %5 : tensor<6x8x5xf32>, tensor<5x4xf32>, tensor<4x4xf32>, tensor<i32>, tensor<8x4xf32>, tensor<6x8x4xf32>
    }
    return %2#4, %2#5 : tensor<8x4xf32>, tensor<6x8x4xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<6x8x5xf32>, %arg1: tensor<i32>) -> tensor<8x5xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 8, 5] : (tensor<6x8x5xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x5xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x8x5xf32>) -> tensor<8x5xf32>
    return %1 : tensor<8x5xf32>
  }
  func.func private @closed_call(%arg0: tensor<5x4xf32>, %arg1: tensor<4x4xf32>, %arg2: tensor<8x4xf32>, %arg3: tensor<8x5xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
    %0 = stablehlo.dot_general %arg3, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x5xf32>, tensor<5x4xf32>) -> tensor<8x4xf32>
    %1 = stablehlo.dot_general %arg2, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
    %2 = stablehlo.add %0, %1 : tensor<8x4xf32>
    %3 = stablehlo.tanh %2 : tensor<8x4xf32>
    return %3, %3 : tensor<8x4xf32>, tensor<8x4xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<6x8x4xf32>, %arg1: tensor<8x4xf32>, %arg2: tensor<i32>) -> tensor<6x8x4xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<8x4xf32>) -> tensor<1x8x4xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<6x8x4xf32>, tensor<1x8x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<6x8x4xf32>
    return %1 : tensor<6x8x4xf32>
  }
}
