module @jit_run attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8x8xf32>, %arg1: tensor<8xf32>) -> (tensor<8xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:5 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %0, %iterArg_1 = %arg1, %iterArg_2 = %arg1, %iterArg_3 = %c) : tensor<8x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<i32>
    cond {
      %2 = stablehlo.dot_general %iterArg_1, %iterArg_1, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8xf32>, tensor<8xf32>) -> tensor<f32>
      %cst_4 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
      %3 = stablehlo.compare GT, %2, %cst_4, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %c_5 = stablehlo.constant dense<30> : tensor<i32>
      %4 = stablehlo.compare LT, %iterArg_3, %c_5, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_6 = stablehlo.constant dense<false> : tensor<i1>
      %5 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i1>) -> tensor<i1>
      %6 = stablehlo.compare NE, %4, %5, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %7 = stablehlo.convert %6 : tensor<i1>
      %8 = stablehlo.and %3, %7 : tensor<i1>
      stablehlo.return %8 : tensor<i1>
    } do {
      %2 = stablehlo.dot_general %iterArg, %iterArg_2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8xf32>
      %3 = stablehlo.dot_general %iterArg_1, %iterArg_1, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8xf32>, tensor<8xf32>) -> tensor<f32>
      %4 = stablehlo.dot_general %iterArg_2, %2, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8xf32>, tensor<8xf32>) -> tensor<f32>
      %5 = stablehlo.divide %3, %4 : tensor<f32>
      %6 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<f32>) -> tensor<8xf32>
      %7 = stablehlo.multiply %6, %2 : tensor<8xf32>
      %8 = stablehlo.subtract %iterArg_1, %7 : tensor<8xf32>
      %9 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<f32>) -> tensor<8xf32>
      %10 = stablehlo.multiply %9, %iterArg_2 : tensor<8xf32>
      %11 = stablehlo.add %iterArg_0, %10 : tensor<8xf32>
      %12 = stablehlo.dot_general %8, %8, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8xf32>, tensor<8xf32>) -> tensor<f32>
      %13 = stablehlo.dot_general %iterArg_1, %iterArg_1, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8xf32>, tensor<8xf32>) -> tensor<f32>
      %14 = stablehlo.divide %12, %13 : tensor<f32>
      %15 = stablehlo.broadcast_in_dim %14, dims = [] : (tensor<f32>) -> tensor<8xf32>
      %16 = stablehlo.multiply %15, %iterArg_2 : tensor<8xf32>
      %17 = stablehlo.add %8, %16 : tensor<8xf32>
      %c_4 = stablehlo.constant dense<1> : tensor<i32>
      %18 = stablehlo.add %iterArg_3, %c_4 : tensor<i32>
      stablehlo.return %iterArg, %11, %8, %17, %18 : tensor<8x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<i32>
    }
    return %1#1 : tensor<8xf32>
  }
}
