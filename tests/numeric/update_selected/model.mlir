module @jit_selected attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x2x67x9xf32>, %arg1: tensor<2x1x9xf32>, %arg2: tensor<3xi32>) -> (tensor<2x67x9xf32> {jax.result_info = "result[0]"}, tensor<2x67x9xf32> {jax.result_info = "result[1]"}, tensor<2x67x9xf32> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.iota dim = 0 : tensor<67xi64>
    %1 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<67xi64>) -> tensor<1x67x1xi64>
    %2 = stablehlo.slice %arg2 [0:1] : (tensor<3xi32>) -> tensor<1xi32>
    %3 = stablehlo.reshape %2 : (tensor<1xi32>) -> tensor<i32>
    %4 = stablehlo.convert %3 : (tensor<i32>) -> tensor<i64>
    %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<i64>) -> tensor<1x67x1xi64>
    %6 = stablehlo.compare EQ, %1, %5, SIGNED : (tensor<1x67x1xi64>, tensor<1x67x1xi64>) -> tensor<1x67x1xi1>
    %7 = stablehlo.slice %arg0 [0:1, 0:2, 0:67, 0:9] : (tensor<3x2x67x9xf32>) -> tensor<1x2x67x9xf32>
    %8 = stablehlo.reshape %7 : (tensor<1x2x67x9xf32>) -> tensor<2x67x9xf32>
    %9 = call @_where(%6, %arg1, %8) : (tensor<1x67x1xi1>, tensor<2x1x9xf32>, tensor<2x67x9xf32>) -> tensor<2x67x9xf32>
    %10 = stablehlo.slice %arg2 [0:2] : (tensor<3xi32>) -> tensor<2xi32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0] : (tensor<2xi32>) -> tensor<2x1x1xi32>
    %12 = stablehlo.convert %11 : (tensor<2x1x1xi32>) -> tensor<2x1x1xi64>
    %13 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2] : (tensor<1x67x1xi64>) -> tensor<2x67x1xi64>
    %14 = stablehlo.broadcast_in_dim %12, dims = [0, 1, 2] : (tensor<2x1x1xi64>) -> tensor<2x67x1xi64>
    %15 = stablehlo.compare EQ, %13, %14, SIGNED : (tensor<2x67x1xi64>, tensor<2x67x1xi64>) -> tensor<2x67x1xi1>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x1x9xf32>
    %17 = stablehlo.multiply %arg1, %16 : tensor<2x1x9xf32>
    %18 = stablehlo.slice %arg0 [1:2, 0:2, 0:67, 0:9] : (tensor<3x2x67x9xf32>) -> tensor<1x2x67x9xf32>
    %19 = stablehlo.reshape %18 : (tensor<1x2x67x9xf32>) -> tensor<2x67x9xf32>
    %20 = call @_where_0(%15, %17, %19) : (tensor<2x67x1xi1>, tensor<2x1x9xf32>, tensor<2x67x9xf32>) -> tensor<2x67x9xf32>
    %21 = stablehlo.slice %arg2 [1:2] : (tensor<3xi32>) -> tensor<1xi32>
    %22 = stablehlo.reshape %21 : (tensor<1xi32>) -> tensor<i32>
    %23 = stablehlo.convert %22 : (tensor<i32>) -> tensor<i64>
    %24 = stablehlo.broadcast_in_dim %23, dims = [] : (tensor<i64>) -> tensor<1x67x1xi64>
    %25 = stablehlo.compare NE, %1, %24, SIGNED : (tensor<1x67x1xi64>, tensor<1x67x1xi64>) -> tensor<1x67x1xi1>
    %cst_0 = stablehlo.constant dense<7.000000e+00> : tensor<f64>
    %26 = call @_where_1(%25, %9, %cst_0) : (tensor<1x67x1xi1>, tensor<2x67x9xf32>, tensor<f64>) -> tensor<2x67x9xf32>
    return %9, %20, %26 : tensor<2x67x9xf32>, tensor<2x67x9xf32>, tensor<2x67x9xf32>
  }
  func.func private @_where(%arg0: tensor<1x67x1xi1>, %arg1: tensor<2x1x9xf32>, %arg2: tensor<2x67x9xf32>) -> tensor<2x67x9xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1, 2] : (tensor<1x67x1xi1>) -> tensor<2x67x9xi1>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [0, 1, 2] : (tensor<2x1x9xf32>) -> tensor<2x67x9xf32>
    %2 = stablehlo.select %0, %1, %arg2 : tensor<2x67x9xi1>, tensor<2x67x9xf32>
    return %2 : tensor<2x67x9xf32>
  }
  func.func private @_where_0(%arg0: tensor<2x67x1xi1>, %arg1: tensor<2x1x9xf32>, %arg2: tensor<2x67x9xf32>) -> tensor<2x67x9xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1, 2] : (tensor<2x67x1xi1>) -> tensor<2x67x9xi1>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [0, 1, 2] : (tensor<2x1x9xf32>) -> tensor<2x67x9xf32>
    %2 = stablehlo.select %0, %1, %arg2 : tensor<2x67x9xi1>, tensor<2x67x9xf32>
    return %2 : tensor<2x67x9xf32>
  }
  func.func private @_where_1(%arg0: tensor<1x67x1xi1>, %arg1: tensor<2x67x9xf32>, %arg2: tensor<f64>) -> tensor<2x67x9xf32> {
    %0 = stablehlo.convert %arg2 : (tensor<f64>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1, 2] : (tensor<1x67x1xi1>) -> tensor<2x67x9xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2x67x9xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<2x67x9xi1>, tensor<2x67x9xf32>
    return %3 : tensor<2x67x9xf32>
  }
}
