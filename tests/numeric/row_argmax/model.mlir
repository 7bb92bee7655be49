module @jit_argmax_share attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<13x77xf32>) -> (tensor<13xi64> {jax.result_info = "result[0]"}, tensor<13x77xf32> {jax.result_info = "result[1]"}) {
    %0 = call @argmax(%arg0) : (tensor<13x77xf32>) -> tensor<13xi64>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<13x77xf32>, tensor<f32>) -> tensor<13xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<13xf32>) -> tensor<13x1xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<13x1xf32>) -> tensor<13x77xf32>
    %4 = stablehlo.compare EQ, %arg0, %3, FLOAT : (tensor<13x77xf32>, tensor<13x77xf32>) -> tensor<13x77xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.reduce(%arg0 init: %cst_0) applies stablehlo.add across dimensions = [1] : (tensor<13x77xf32>, tensor<f32>) -> tensor<13xf32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0] : (tensor<13xf32>) -> tensor<13x1xf32>
    %cst_1 = stablehlo.constant dense<7.700000e+01> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<13x1xf32>
    %8 = stablehlo.divide %6, %7 : tensor<13x1xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<13x1xf32>) -> tensor<13x77xf32>
    %10 = stablehlo.subtract %arg0, %9 : tensor<13x77xf32>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %11 = call @_where(%4, %10, %c) : (tensor<13x77xi1>, tensor<13x77xf32>, tensor<i64>) -> tensor<13x77xf32>
    return %0, %11 : tensor<13xi64>, tensor<13x77xf32>
  }
  func.func private @argmax(%arg0: tensor<13x77xf32>) -> tensor<13xi64> {
    %0 = stablehlo.iota dim = 1 : tensor<13x77xi64>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [1] : (tensor<13x77xf32>, tensor<13x77xi64>, tensor<f32>, tensor<i64>) -> (tensor<13xf32>, tensor<13xi64>)
     reducer(%arg1: tensor<f32>, %arg3: tensor<f32>) (%arg2: tensor<i64>, %arg4: tensor<i64>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<f32>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i64>
      stablehlo.return %9, %10 : tensor<f32>, tensor<i64>
    }
    return %1#1 : tensor<13xi64>
  }
  func.func private @_where(%arg0: tensor<13x77xi1>, %arg1: tensor<13x77xf32>, %arg2: tensor<i64>) -> tensor<13x77xf32> {
    %0 = stablehlo.convert %arg2 : (tensor<i64>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<13x77xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<13x77xi1>, tensor<13x77xf32>
    return %2 : tensor<13x77xf32>
  }
}
