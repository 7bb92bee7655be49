module @jit_finite_causal attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x2x5x8xf32>, %arg1: tensor<1x2x7x8xf32>, %arg2: tensor<1x2x7x8xf32>) -> (tensor<1x2x5x8xf32> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<true> : tensor<i1>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i1>) -> tensor<1x1x5x7xi1>
    %1 = call @tril(%0) : (tensor<1x1x5x7xi1>) -> tensor<1x1x5x7xi1>
    %2 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<1x2x5x8xf32>, tensor<1x2x7x8xf32>) -> tensor<1x2x5x7xf32>
    %cst = stablehlo.constant dense<0.353553385> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1x2x5x7xf32>
    %4 = stablehlo.multiply %2, %3 : tensor<1x2x5x7xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %5 = call @_where(%1, %4, %cst_0) : (tensor<1x1x5x7xi1>, tensor<1x2x5x7xf32>, tensor<f32>) -> tensor<1x2x5x7xf32>
    %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %6 = stablehlo.reduce(%5 init: %cst_1) applies stablehlo.maximum across dimensions = [3] : (tensor<1x2x5x7xf32>, tensor<f32>) -> tensor<1x2x5xf32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1, 2] : (tensor<1x2x5xf32>) -> tensor<1x2x5x1xf32>
    %8 = stablehlo.is_finite %7 : (tensor<1x2x5x1xf32>) -> tensor<1x2x5x1xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %9 = call @_where_0(%8, %7, %c_2) : (tensor<1x2x5x1xi1>, tensor<1x2x5x1xf32>, tensor<i32>) -> tensor<1x2x5x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2, 3] : (tensor<1x2x5x1xf32>) -> tensor<1x2x5x7xf32>
    %11 = stablehlo.subtract %5, %10 : tensor<1x2x5x7xf32>
    %12 = stablehlo.exponential %11 : tensor<1x2x5x7xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.reduce(%12 init: %cst_3) applies stablehlo.add across dimensions = [3] : (tensor<1x2x5x7xf32>, tensor<f32>) -> tensor<1x2x5xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2] : (tensor<1x2x5xf32>) -> tensor<1x2x5x1xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<1x2x5x1xf32>
    %16 = stablehlo.compare EQ, %14, %15, FLOAT : (tensor<1x2x5x1xf32>, tensor<1x2x5x1xf32>) -> tensor<1x2x5x1xi1>
    %c_5 = stablehlo.constant dense<1> : tensor<i32>
    %17 = call @_where_1(%16, %c_5, %14) : (tensor<1x2x5x1xi1>, tensor<i32>, tensor<1x2x5x1xf32>) -> tensor<1x2x5x1xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1, 2, 3] : (tensor<1x2x5x1xf32>) -> tensor<1x2x5x7xf32>
    %19 = stablehlo.divide %12, %18 : tensor<1x2x5x7xf32>
    %20 = stablehlo.dot_general %19, %arg2, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<1x2x5x7xf32>, tensor<1x2x7x8xf32>) -> tensor<1x2x5x8xf32>
    return %20 : tensor<1x2x5x8xf32>
  }
  func.func private @tril(%arg0: tensor<1x1x5x7xi1>) -> tensor<1x1x5x7xi1> {
    %0 = stablehlo.iota dim = 0 : tensor<5x7xi32>
    %c = stablehlo.constant dense<-1> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<5x7xi32>
    %2 = stablehlo.add %0, %1 : tensor<5x7xi32>
    %3 = stablehlo.iota dim = 1 : tensor<5x7xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<5x7xi32>, tensor<5x7xi32>) -> tensor<5x7xi1>
    %5 = stablehlo.broadcast_in_dim %4, dims = [2, 3] : (tensor<5x7xi1>) -> tensor<1x1x5x7xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %6 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<1x1x5x7xi1>
    %7 = stablehlo.select %5, %arg0, %6 : tensor<1x1x5x7xi1>, tensor<1x1x5x7xi1>
    return %7 : tensor<1x1x5x7xi1>
  }
  func.func private @_where(%arg0: tensor<1x1x5x7xi1>, %arg1: tensor<1x2x5x7xf32>, %arg2: tensor<f32>) -> tensor<1x2x5x7xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1, 2, 3] : (tensor<1x1x5x7xi1>) -> tensor<1x2x5x7xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<1x2x5x7xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<1x2x5x7xi1>, tensor<1x2x5x7xf32>
    return %3 : tensor<1x2x5x7xf32>
  }
  func.func private @_where_0(%arg0: tensor<1x2x5x1xi1>, %arg1: tensor<1x2x5x1xf32>, %arg2: tensor<i32>) -> tensor<1x2x5x1xf32> {
    %0 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<1x2x5x1xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<1x2x5x1xi1>, tensor<1x2x5x1xf32>
    return %2 : tensor<1x2x5x1xf32>
  }
  func.func private @_where_1(%arg0: tensor<1x2x5x1xi1>, %arg1: tensor<i32>, %arg2: tensor<1x2x5x1xf32>) -> tensor<1x2x5x1xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<1x2x5x1xf32>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<1x2x5x1xi1>, tensor<1x2x5x1xf32>
    return %2 : tensor<1x2x5x1xf32>
  }
}
