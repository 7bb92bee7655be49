module @jit_run attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<9x13xcomplex<f32>>) -> (tensor<9x13xi32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f32>>) -> tensor<9x13xcomplex<f32>>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<9x13xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %2:4 = stablehlo.while(%iterArg = %arg0, %iterArg_1 = %0, %iterArg_2 = %1, %iterArg_3 = %c_0) : tensor<9x13xcomplex<f32>>, tensor<9x13xcomplex<f32>>, tensor<9x13xi32>, tensor<i32>
    cond {
      %c_4 = stablehlo.constant dense<20> : tensor<i32>
      %3 = stablehlo.compare LT, %iterArg_3, %c_4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %3 = stablehlo.abs %iterArg_1 : (tensor<9x13xcomplex<f32>>) -> tensor<9x13xf32>
      %cst_4 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %4 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<9x13xf32>
      %5 = stablehlo.compare LT, %3, %4, FLOAT : (tensor<9x13xf32>, tensor<9x13xf32>) -> tensor<9x13xi1>
      %6 = stablehlo.multiply %iterArg_1, %iterArg_1 : tensor<9x13xcomplex<f32>>
      %7 = stablehlo.add %6, %iterArg : tensor<9x13xcomplex<f32>>
      %8 = func.call @_where(%5, %7, %iterArg_1) : (tensor<9x13xi1>, tensor<9x13xcomplex<f32>>, tensor<9x13xcomplex<f32>>) -> tensor<9x13xcomplex<f32>>
      %9 = stablehlo.convert %5 : (tensor<9x13xi1>) -> tensor<9x13xi32>
      %10 = stablehlo.add %iterArg_2, %9 : tensor<9x13xi32>
      %c_5 = stablehlo.constant dense<1> : tensor<i32>
      %11 = stablehlo.add %iterArg_3, %c_5 : tensor<i32>
      stablehlo.return %iterArg, %8, %10, %11 : tensor<9x13xcomplex<f32>>, tensor<9x13xcomplex<f32>>, tensor<9x13xi32>, tensor<i32>
    }
    return %2#2 : tensor<9x13xi32>
  }
  func.func private @_where(%arg0: tensor<9x13xi1>, %arg1: tensor<9x13xcomplex<f32>>, %arg2: tensor<9x13xcomplex<f32>>) -> tensor<9x13xcomplex<f32>> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<9x13xi1>, tensor<9x13xcomplex<f32>>
    return %0 : tensor<9x13xcomplex<f32>>
  }
}
