module @jit_stacked attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<37xf32>, %arg1: tensor<101x37xf32>, %arg2: tensor<2xi64>) -> (tensor<37xf32> {jax.result_info = "result[0]"}, tensor<101x37xf32> {jax.result_info = "result[1]"}) {
    %c = stablehlo.constant dense<0> : tensor<i64>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %0:5 = stablehlo.while(%iterArg = %arg2, %iterArg_1 = %c_0, %iterArg_2 = %c, %iterArg_3 = %arg0, %iterArg_4 = %arg1) : tensor<2xi64>, tensor<i64>, tensor<i64>, tensor<37xf32>, tensor<101x37xf32>
    cond {
      %c_5 = stablehlo.constant dense<41> : tensor<i64>
      %1 = stablehlo.compare LT, %iterArg_1, %c_5, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1:3 = func.call @closed_call(%iterArg, %iterArg_2, %iterArg_3, %iterArg_4) : (tensor<2xi64>, tensor<i64>, tensor<37xf32>, tensor<101x37xf32>) -> (tensor<i64>, tensor<37xf32>, tensor<101x37xf32>)
      %c_5 = stablehlo.constant dense<1> : tensor<i64>
      %2 = stablehlo.add %iterArg_1, %c_5 : tensor<i64>
      stablehlo.return %iterArg, %2, %1#0, %1#1, %1#2 : tensor<2xi64>, tensor<i64>, tensor<i64>, tensor<37xf32>, tensor<101x37xf32>
    }
    return %0#3, %0#4 : tensor<37xf32>, tensor<101x37xf32>
  }
  func.func private @closed_call(%arg0: tensor<2xi64>, %arg1: tensor<i64>, %arg2: tensor<37xf32>, %arg3: tensor<101x37xf32>) -> (tensor<i64>, tensor<37xf32>, tensor<101x37xf32>) {
    %c = stablehlo.constant dense<1> : tensor<i64>
    %0 = stablehlo.add %arg1, %c : tensor<i64>
    %cst = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<37xf32>
    %2 = stablehlo.multiply %arg2, %1 : tensor<37xf32>
    %3 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<f32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<37xf32>
    %5 = stablehlo.add %arg2, %4 : tensor<37xf32>
    %6 = stablehlo.sine %5 : tensor<37xf32>
    %7 = stablehlo.add %2, %6 : tensor<37xf32>
    %8 = stablehlo.slice %7 [0:30] : (tensor<37xf32>) -> tensor<30xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [1] : (tensor<30xf32>) -> tensor<1x30xf32>
    %c_0 = stablehlo.constant dense<3> : tensor<i64>
    %10 = stablehlo.multiply %c_0, %arg1 : tensor<i64>
    %11 = stablehlo.slice %arg0 [0:1] : (tensor<2xi64>) -> tensor<1xi64>
    %12 = stablehlo.reshape %11 : (tensor<1xi64>) -> tensor<i64>
    %13 = stablehlo.convert %10 : tensor<i64>
    %14 = stablehlo.add %13, %12 : tensor<i64>
    %15 = stablehlo.slice %arg0 [1:2] : (tensor<2xi64>) -> tensor<1xi64>
    %16 = stablehlo.reshape %15 : (tensor<1xi64>) -> tensor<i64>
    %c_1 = stablehlo.constant dense<0> : tensor<i64>
    %17 = stablehlo.compare LT, %14, %c_1, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %c_2 = stablehlo.constant dense<101> : tensor<i64>
    %18 = stablehlo.add %14, %c_2 : tensor<i64>
    %19 = stablehlo.select %17, %18, %14 : tensor<i1>, tensor<i64>
    %c_3 = stablehlo.constant dense<0> : tensor<i64>
    %20 = stablehlo.compare LT, %16, %c_3, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %c_4 = stablehlo.constant dense<37> : tensor<i64>
    %21 = stablehlo.add %16, %c_4 : tensor<i64>
    %22 = stablehlo.select %20, %21, %16 : tensor<i1>, tensor<i64>
    %23 = stablehlo.dynamic_update_slice %arg3, %9, %19, %22 : (tensor<101x37xf32>, tensor<1x30xf32>, tensor<i64>, tensor<i64>) -> tensor<101x37xf32>
    return %0, %7, %23 : tensor<i64>, tensor<37xf32>, tensor<101x37xf32>
  }
}
