module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4xui32>) -> (tensor<33xf64> {jax.result_info = "result[0]"}, tensor<5x7xf64> {jax.result_info = "result[1]"}, tensor<17xi64> {jax.result_info = "result[2]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %0 = call @_uniform(%arg0, %cst, %cst_0) : (tensor<4xui32>, tensor<f64>, tensor<f64>) -> tensor<33xf64>
    %1 = call @_normal(%arg0) : (tensor<4xui32>) -> tensor<5x7xf64>
    %2 = stablehlo.iota dim = 0 : tensor<17xi64>
    %3 = call @_shuffle(%arg0, %2) : (tensor<4xui32>, tensor<17xi64>) -> tensor<17xi64>
    return %0, %1, %3 : tensor<33xf64>, tensor<5x7xf64>, tensor<17xi64>
  }
  func.func private @_uniform(%arg0: tensor<4xui32>, %arg1: tensor<f64>, %arg2: tensor<f64>) -> tensor<33xf64> {
    %0 = stablehlo.convert %arg1 : tensor<f64>
    %1 = stablehlo.convert %arg2 : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f64>) -> tensor<1xf64>
    %3 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f64>) -> tensor<1xf64>
    %4 = stablehlo.reshape %arg0 : (tensor<4xui32>) -> tensor<2x2xui32>
    %5 = stablehlo.bitcast_convert %4 : (tensor<2x2xui32>) -> tensor<2xui64>
    %output_state, %output = stablehlo.rng_bit_generator %5, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<33xui64>)
    %6 = stablehlo.bitcast_convert %output_state : (tensor<2xui64>) -> tensor<2x2xui32>
    %7 = stablehlo.reshape %6 : (tensor<2x2xui32>) -> tensor<4xui32>
    %c = stablehlo.constant dense<12> : tensor<ui64>
    %8 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui64>) -> tensor<33xui64>
    %9 = stablehlo.shift_right_logical %output, %8 : tensor<33xui64>
    %c_0 = stablehlo.constant dense<4607182418800017408> : tensor<ui64>
    %10 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui64>) -> tensor<33xui64>
    %11 = stablehlo.or %9, %10 : tensor<33xui64>
    %12 = stablehlo.bitcast_convert %11 : (tensor<33xui64>) -> tensor<33xf64>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %13 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<33xf64>
    %14 = stablehlo.subtract %12, %13 : tensor<33xf64>
    %15 = stablehlo.subtract %3, %2 : tensor<1xf64>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0] : (tensor<1xf64>) -> tensor<33xf64>
    %17 = stablehlo.multiply %14, %16 : tensor<33xf64>
    %18 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<1xf64>) -> tensor<33xf64>
    %19 = stablehlo.add %17, %18 : tensor<33xf64>
    %20 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<1xf64>) -> tensor<33xf64>
    %21 = stablehlo.maximum %20, %19 : tensor<33xf64>
    return %21 : tensor<33xf64>
  }
  func.func private @_normal(%arg0: tensor<4xui32>) -> tensor<5x7xf64> {
    %0 = call @_normal_real(%arg0) : (tensor<4xui32>) -> tensor<5x7xf64>
    return %0 : tensor<5x7xf64>
  }
  func.func private @_normal_real(%arg0: tensor<4xui32>) -> tensor<5x7xf64> {
    %cst = stablehlo.constant dense<-0.99999999999999988> : tensor<f64>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %0 = call @_uniform_0(%arg0, %cst, %cst_0) : (tensor<4xui32>, tensor<f64>, tensor<f64>) -> tensor<5x7xf64>
    %1 = chlo.erf_inv %0 : tensor<5x7xf64> -> tensor<5x7xf64>
    %cst_1 = stablehlo.constant dense<1.4142135623730951> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<5x7xf64>
    %3 = stablehlo.multiply %2, %1 : tensor<5x7xf64>
    return %3 : tensor<5x7xf64>
  }
  func.func private @_uniform_0(%arg0: tensor<4xui32>, %arg1: tensor<f64>, %arg2: tensor<f64>) -> tensor<5x7xf64> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f64>) -> tensor<1x1xf64>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f64>) -> tensor<1x1xf64>
    %2 = stablehlo.reshape %arg0 : (tensor<4xui32>) -> tensor<2x2xui32>
    %3 = stablehlo.bitcast_convert %2 : (tensor<2x2xui32>) -> tensor<2xui64>
    %output_state, %output = stablehlo.rng_bit_generator %3, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5x7xui64>)
    %4 = stablehlo.bitcast_convert %output_state : (tensor<2xui64>) -> tensor<2x2xui32>
    %5 = stablehlo.reshape %4 : (tensor<2x2xui32>) -> tensor<4xui32>
    %c = stablehlo.constant dense<12> : tensor<ui64>
    %6 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui64>) -> tensor<5x7xui64>
    %7 = stablehlo.shift_right_logical %output, %6 : tensor<5x7xui64>
    %c_0 = stablehlo.constant dense<4607182418800017408> : tensor<ui64>
    %8 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui64>) -> tensor<5x7xui64>
    %9 = stablehlo.or %7, %8 : tensor<5x7xui64>
    %10 = stablehlo.bitcast_convert %9 : (tensor<5x7xui64>) -> tensor<5x7xf64>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %11 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<5x7xf64>
    %12 = stablehlo.subtract %10, %11 : tensor<5x7xf64>
    %13 = stablehlo.subtract %1, %0 : tensor<1x1xf64>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1] : (tensor<1x1xf64>) -> tensor<5x7xf64>
    %15 = stablehlo.multiply %12, %14 : tensor<5x7xf64>
    %16 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<1x1xf64>) -> tensor<5x7xf64>
    %17 = stablehlo.add %15, %16 : tensor<5x7xf64>
    %18 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<1x1xf64>) -> tensor<5x7xf64>
    %19 = stablehlo.maximum %18, %17 : tensor<5x7xf64>
    return %19 : tensor<5x7xf64>
  }
  func.func private @_shuffle(%arg0: tensor<4xui32>, %arg1: tensor<17xi64>) -> tensor<17xi64> {
    %0 = stablehlo.reshape %arg0 : (tensor<4xui32>) -> tensor<2x2xui32>
    %1 = stablehlo.bitcast_convert %0 : (tensor<2x2xui32>) -> tensor<2xui64>
    %output_state, %output = stablehlo.rng_bit_generator %1, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<20x4xui32>)
    %2 = stablehlo.bitcast_convert %output_state : (tensor<2xui64>) -> tensor<2x2xui32>
    %3 = stablehlo.reshape %2 : (tensor<2x2xui32>) -> tensor<4xui32>
    %4 = stablehlo.slice %output [0:20:10, 0:4] : (tensor<20x4xui32>) -> tensor<2x4xui32>
    %5 = stablehlo.slice %4 [0:1, 0:4] : (tensor<2x4xui32>) -> tensor<1x4xui32>
    %6 = stablehlo.reshape %5 : (tensor<1x4xui32>) -> tensor<4xui32>
    %7 = stablehlo.slice %4 [1:2, 0:4] : (tensor<2x4xui32>) -> tensor<1x4xui32>
    %8 = stablehlo.reshape %7 : (tensor<1x4xui32>) -> tensor<4xui32>
    %9 = stablehlo.reshape %8 : (tensor<4xui32>) -> tensor<2x2xui32>
    %10 = stablehlo.bitcast_convert %9 : (tensor<2x2xui32>) -> tensor<2xui64>
    %output_state_0, %output_1 = stablehlo.rng_bit_generator %10, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<17xui32>)
    %11 = stablehlo.bitcast_convert %output_state_0 : (tensor<2xui64>) -> tensor<2x2xui32>
    %12 = stablehlo.reshape %11 : (tensor<2x2xui32>) -> tensor<4xui32>
    %13:2 = "stablehlo.sort"(%output_1, %arg1) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg2: tensor<ui32>, %arg3: tensor<ui32>, %arg4: tensor<i64>, %arg5: tensor<i64>):
      %14 = stablehlo.compare LT, %arg2, %arg3, UNSIGNED : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
      stablehlo.return %14 : tensor<i1>
    }) : (tensor<17xui32>, tensor<17xi64>) -> (tensor<17xui32>, tensor<17xi64>)
    return %13#1 : tensor<17xi64>
  }
}
