module @jit_run attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<i32>, %arg1: tensor<5xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<3xf32> {jax.result_info = "result[1]"}) {
    %c = stablehlo.constant dense<[0, 1, 1]> : tensor<3xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<3> : tensor<i32>
    %0 = stablehlo.clamp %c_0, %arg0, %c_1 : tensor<i32>
    %1 = "stablehlo.case"(%0) ({
      %20 = stablehlo.sine %arg1 : tensor<5xf32>
      stablehlo.return %20 : tensor<5xf32>
    }, {
      %20 = stablehlo.cosine %arg1 : tensor<5xf32>
      stablehlo.return %20 : tensor<5xf32>
    }, {
      %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %20 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<5xf32>
      %21 = stablehlo.multiply %arg1, %20 : tensor<5xf32>
      stablehlo.return %21 : tensor<5xf32>
    }, {
      %20 = stablehlo.slice %arg1 [0:1] : (tensor<5xf32>) -> tensor<1xf32>
      %21 = stablehlo.reshape %20 : (tensor<1xf32>) -> tensor<f32>
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %22 = stablehlo.compare GT, %21, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %23 = stablehlo.convert %22 : (tensor<i1>) -> tensor<i32>
      %24 = "stablehlo.case"(%23) ({
        %25 = stablehlo.abs %arg1 : tensor<5xf32>
        stablehlo.return %25 : tensor<5xf32>
      }, {
        %25 = stablehlo.exponential %arg1 : tensor<5xf32>
        stablehlo.return %25 : tensor<5xf32>
      }) : (tensor<i32>) -> tensor<5xf32>
      stablehlo.return %24 : tensor<5xf32>
    }) : (tensor<i32>) -> tensor<5xf32>
    %c_2 = stablehlo.constant dense<1> : tensor<i32>
    %2 = stablehlo.compare GT, %arg0, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %3 = stablehlo.convert %2 : (tensor<i1>) -> tensor<i32>
    %4 = "stablehlo.case"(%3) ({
      %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %20 = stablehlo.reduce(%1 init: %cst) applies stablehlo.multiply across dimensions = [0] : (tensor<5xf32>, tensor<f32>) -> tensor<f32>
      stablehlo.return %20 : tensor<f32>
    }, {
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %20 = stablehlo.reduce(%1 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<5xf32>, tensor<f32>) -> tensor<f32>
      stablehlo.return %20 : tensor<f32>
    }) : (tensor<i32>) -> tensor<f32>
    %5 = stablehlo.slice %arg1 [0:3] : (tensor<5xf32>) -> tensor<3xf32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %c_4 = stablehlo.constant dense<1> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %7 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %8 = stablehlo.clamp %6, %c, %7 : tensor<3xi32>
    %c_5 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %10 = stablehlo.compare EQ, %8, %9, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %11 = stablehlo.select %10, %5, %5 : tensor<3xi1>, tensor<3xf32>
    %12 = stablehlo.sine %11 : tensor<3xf32>
    %c_6 = stablehlo.constant dense<1> : tensor<i32>
    %13 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %14 = stablehlo.compare EQ, %8, %13, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %15 = stablehlo.select %14, %5, %5 : tensor<3xi1>, tensor<3xf32>
    %16 = stablehlo.cosine %15 : tensor<3xf32>
    %c_7 = stablehlo.constant dense<1> : tensor<i32>
    %17 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %18 = stablehlo.compare LT, %8, %17, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %19 = stablehlo.select %18, %12, %16 : tensor<3xi1>, tensor<3xf32>
    return %4, %19 : tensor<f32>, tensor<3xf32>
  }
}
