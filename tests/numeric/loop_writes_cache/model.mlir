module @jit_cached attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5xf32>, %arg1: tensor<3x129x7xf32>, %arg2: tensor<3x2x7xf32>) -> (tensor<5xf32> {jax.result_info = "result[0]"}, tensor<3x129x7xf32> {jax.result_info = "result[1]"}, tensor<i64> {jax.result_info = "result[2]"}) {
    %c = stablehlo.constant dense<0> : tensor<i64>
    %0:4 = stablehlo.while(%iterArg = %arg2, %iterArg_0 = %arg0, %iterArg_1 = %arg1, %iterArg_2 = %c) : tensor<3x2x7xf32>, tensor<5xf32>, tensor<3x129x7xf32>, tensor<i64>
    cond {
      %1 = stablehlo.abs %iterArg_0 : tensor<5xf32>
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %2 = stablehlo.reduce(%1 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<5xf32>, tensor<f32>) -> tensor<f32>
      %cst_3 = stablehlo.constant dense<1.000000e+02> : tensor<f32>
      %3 = stablehlo.compare LT, %2, %cst_3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %1 = stablehlo.reduce(%iterArg_0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<5xf32>, tensor<f32>) -> tensor<f32>
      %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<3x2x7xf32>
      %3 = stablehlo.multiply %iterArg, %2 : tensor<3x2x7xf32>
      %c_3 = stablehlo.constant dense<50> : tensor<i64>
      %4 = stablehlo.multiply %c_3, %iterArg_2 : tensor<i64>
      %c_4 = stablehlo.constant dense<0> : tensor<i64>
      %5 = stablehlo.compare LT, %4, %c_4, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %6 = stablehlo.convert %4 : tensor<i64>
      %c_5 = stablehlo.constant dense<129> : tensor<i64>
      %7 = stablehlo.add %6, %c_5 : tensor<i64>
      %8 = stablehlo.select %5, %7, %4 : tensor<i1>, tensor<i64>
      %c_6 = stablehlo.constant dense<0> : tensor<i64>
      %c_7 = stablehlo.constant dense<0> : tensor<i64>
      %9 = stablehlo.dynamic_update_slice %iterArg_1, %3, %c_6, %8, %c_7 : (tensor<3x129x7xf32>, tensor<3x2x7xf32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<3x129x7xf32>
      %cst_8 = stablehlo.constant dense<1.300000e+00> : tensor<f32>
      %10 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<5xf32>
      %11 = stablehlo.multiply %iterArg_0, %10 : tensor<5xf32>
      %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %12 = stablehlo.reduce(%9 init: %cst_9) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<3x129x7xf32>, tensor<f32>) -> tensor<f32>
      %cst_10 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
      %13 = stablehlo.multiply %12, %cst_10 : tensor<f32>
      %14 = stablehlo.broadcast_in_dim %13, dims = [] : (tensor<f32>) -> tensor<5xf32>
      %15 = stablehlo.add %11, %14 : tensor<5xf32>
      %cst_11 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %16 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<5xf32>
      %17 = stablehlo.add %15, %16 : tensor<5xf32>
      %c_12 = stablehlo.constant dense<1> : tensor<i64>
      %18 = stablehlo.add %iterArg_2, %c_12 : tensor<i64>
      stablehlo.return %iterArg, %17, %9, %18 : tensor<3x2x7xf32>, tensor<5xf32>, tensor<3x129x7xf32>, tensor<i64>
    }
    return %0#1, %0#2, %0#3 : tensor<5xf32>, tensor<3x129x7xf32>, tensor<i64>
  }
}
