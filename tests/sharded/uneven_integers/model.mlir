module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}, {name = "y", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<10x4xi32>) -> (tensor<4xi32> {jax.result_info = "result[0]"}, tensor<i32> {jax.result_info = "result[1]"}, tensor<10x4xi32> {jax.result_info = "result[2]"}, tensor<4xi32> {jax.result_info = "result[3]"}) {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}, {}]> : tensor<10x4xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.reduce(%0 init: %c) applies stablehlo.add across dimensions = [0] : (tensor<10x4xi32>, tensor<i32>) -> tensor<4xi32>
    %2 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}, {}]> : tensor<10x4xi32>
    %c_0 = stablehlo.constant dense<-2147483648> : tensor<i32>
    %3 = stablehlo.reduce(%2 init: %c_0) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<10x4xi32>, tensor<i32>) -> tensor<i32>
    %4 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}, {}]> : tensor<10x4xi32>
    %c_1 = stablehlo.constant dense<7> : tensor<i32>
    %5 = call @floor_divide(%c_1, %4) : (tensor<i32>, tensor<10x4xi32>) -> tensor<10x4xi32>
    %6 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}, {}]> : tensor<10x4xi32>
    %c_2 = stablehlo.constant dense<1> : tensor<i32>
    %7 = stablehlo.reduce(%6 init: %c_2) applies stablehlo.multiply across dimensions = [0] : (tensor<10x4xi32>, tensor<i32>) -> tensor<4xi32>
    return %1, %3, %5, %7 : tensor<4xi32>, tensor<i32>, tensor<10x4xi32>, tensor<4xi32>
  }
  func.func private @floor_divide(%arg0: tensor<i32>, %arg1: tensor<10x4xi32>) -> tensor<10x4xi32> {
    %0 = stablehlo.convert %arg0 : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<10x4xi32>
    %2 = stablehlo.divide %1, %arg1 : tensor<10x4xi32>
    %3 = stablehlo.sign %0 : tensor<i32>
    %4 = stablehlo.sign %arg1 : tensor<10x4xi32>
    %5 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<i32>) -> tensor<10x4xi32>
    %6 = stablehlo.compare NE, %5, %4, SIGNED : (tensor<10x4xi32>, tensor<10x4xi32>) -> tensor<10x4xi1>
    %7 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<10x4xi32>
    %8 = stablehlo.remainder %7, %arg1 : tensor<10x4xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<10x4xi32>
    %10 = stablehlo.compare NE, %8, %9, SIGNED : (tensor<10x4xi32>, tensor<10x4xi32>) -> tensor<10x4xi1>
    %11 = stablehlo.and %6, %10 : tensor<10x4xi1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %12 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<10x4xi32>
    %13 = stablehlo.subtract %2, %12 : tensor<10x4xi32>
    %14 = call @_where(%11, %13, %2) : (tensor<10x4xi1>, tensor<10x4xi32>, tensor<10x4xi32>) -> tensor<10x4xi32>
    return %14 : tensor<10x4xi32>
  }
  func.func private @_where(%arg0: tensor<10x4xi1>, %arg1: tensor<10x4xi32>, %arg2: tensor<10x4xi32>) -> tensor<10x4xi32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<10x4xi1>, tensor<10x4xi32>
    return %0 : tensor<10x4xi32>
  }
}
