module @jit_run attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x12x8xf32>, %arg1: tensor<8x4xf32>, %arg2: tensor<4x8x12xf32>, %arg3: tensor<15x8xf32>) -> (tensor<15x8xf32> {jax.result_info = "result[0]"}, tensor<4xf32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.dot_general %arg3, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<15x8xf32>, tensor<8x4xf32>) -> tensor<15x4xf32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<15x4xf32>, tensor<f32>) -> tensor<15xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %3 = stablehlo.maximum %2, %1 : tensor<15xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<15xf32>) -> tensor<15x1xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<15x1xf32>) -> tensor<15x4xf32>
    %6 = stablehlo.subtract %0, %5 : tensor<15x4xf32>
    %7 = stablehlo.exponential %6 : tensor<15x4xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%7 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<15x4xf32>, tensor<f32>) -> tensor<15xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0] : (tensor<15xf32>) -> tensor<15x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<15x1xf32>) -> tensor<15x4xf32>
    %11 = stablehlo.divide %7, %10 : tensor<15x4xf32>
    %values, %indices = chlo.top_k(%11, k = 2) : tensor<15x4xf32> -> (tensor<15x2xf32>, tensor<15x2xi32>)
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.reduce(%values init: %cst_2) applies stablehlo.add across dimensions = [1] : (tensor<15x2xf32>, tensor<f32>) -> tensor<15xf32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0] : (tensor<15xf32>) -> tensor<15x1xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1] : (tensor<15x1xf32>) -> tensor<15x2xf32>
    %15 = stablehlo.divide %values, %14 : tensor<15x2xf32>
    %16 = call @_one_hot(%indices) : (tensor<15x2xi32>) -> tensor<15x2x4xf32>
    %17 = stablehlo.transpose %16, dims = [1, 0, 2] : (tensor<15x2x4xf32>) -> tensor<2x15x4xf32>
    %18 = stablehlo.reshape %17 : (tensor<2x15x4xf32>) -> tensor<30x4xf32>
    %19 = call @cumsum(%18) : (tensor<30x4xf32>) -> tensor<30x4xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<30x4xf32>
    %21 = stablehlo.subtract %19, %20 : tensor<30x4xf32>
    %22 = stablehlo.multiply %21, %18 : tensor<30x4xf32>
    %cst_4 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<30x4xf32>
    %24 = stablehlo.compare LT, %22, %23, FLOAT : (tensor<30x4xf32>, tensor<30x4xf32>) -> tensor<30x4xi1>
    %25 = stablehlo.convert %24 : (tensor<30x4xi1>) -> tensor<30x4xf32>
    %26 = stablehlo.multiply %18, %25 : tensor<30x4xf32>
    %27 = stablehlo.convert %22 : (tensor<30x4xf32>) -> tensor<30x4xi32>
    %28 = call @_one_hot_1(%27) : (tensor<30x4xi32>) -> tensor<30x4x6xf32>
    %29 = stablehlo.broadcast_in_dim %26, dims = [0, 1] : (tensor<30x4xf32>) -> tensor<30x4x1xf32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [0, 1, 2] : (tensor<30x4x1xf32>) -> tensor<30x4x6xf32>
    %31 = stablehlo.multiply %28, %30 : tensor<30x4x6xf32>
    %32 = stablehlo.reshape %31 : (tensor<30x4x6xf32>) -> tensor<2x15x4x6xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %33 = stablehlo.reduce(%32 init: %cst_5) applies stablehlo.add across dimensions = [0] : (tensor<2x15x4x6xf32>, tensor<f32>) -> tensor<15x4x6xf32>
    %34 = stablehlo.transpose %15, dims = [1, 0] : (tensor<15x2xf32>) -> tensor<2x15xf32>
    %35 = stablehlo.broadcast_in_dim %34, dims = [0, 1] : (tensor<2x15xf32>) -> tensor<2x15x1x1xf32>
    %36 = stablehlo.broadcast_in_dim %35, dims = [0, 1, 2, 3] : (tensor<2x15x1x1xf32>) -> tensor<2x15x4x6xf32>
    %37 = stablehlo.multiply %32, %36 : tensor<2x15x4x6xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %38 = stablehlo.reduce(%37 init: %cst_6) applies stablehlo.add across dimensions = [0] : (tensor<2x15x4x6xf32>, tensor<f32>) -> tensor<15x4x6xf32>
    %39 = stablehlo.dot_general %arg3, %33, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<15x8xf32>, tensor<15x4x6xf32>) -> tensor<8x4x6xf32>
    %40 = stablehlo.dot_general %39, %arg2, batching_dims = [1] x [0], contracting_dims = [0] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x6xf32>, tensor<4x8x12xf32>) -> tensor<4x6x12xf32>
    %41 = stablehlo.multiply %40, %40 : tensor<4x6x12xf32>
    %42 = stablehlo.multiply %41, %40 : tensor<4x6x12xf32>
    %cst_7 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %43 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<4x6x12xf32>
    %44 = stablehlo.multiply %43, %42 : tensor<4x6x12xf32>
    %45 = stablehlo.add %40, %44 : tensor<4x6x12xf32>
    %cst_8 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %46 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<4x6x12xf32>
    %47 = stablehlo.multiply %46, %45 : tensor<4x6x12xf32>
    %48 = stablehlo.tanh %47 : tensor<4x6x12xf32>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %49 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<4x6x12xf32>
    %50 = stablehlo.add %49, %48 : tensor<4x6x12xf32>
    %cst_10 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %51 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<4x6x12xf32>
    %52 = stablehlo.multiply %51, %50 : tensor<4x6x12xf32>
    %53 = stablehlo.multiply %40, %52 : tensor<4x6x12xf32>
    %54 = stablehlo.dot_general %53, %arg0, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x6x12xf32>, tensor<4x12x8xf32>) -> tensor<4x6x8xf32>
    %55 = stablehlo.dot_general %38, %54, contracting_dims = [2, 1] x [1, 0], precision = [DEFAULT, DEFAULT] : (tensor<15x4x6xf32>, tensor<4x6x8xf32>) -> tensor<15x8xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %56 = stablehlo.reduce(%26 init: %cst_11) applies stablehlo.add across dimensions = [0] : (tensor<30x4xf32>, tensor<f32>) -> tensor<4xf32>
    return %55, %56 : tensor<15x8xf32>, tensor<4xf32>
  }
  func.func private @_one_hot(%arg0: tensor<15x2xi32>) -> tensor<15x2x4xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<15x2xi32>) -> tensor<15x2x1xi32>
    %1 = stablehlo.iota dim = 2 : tensor<1x1x4xi32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2] : (tensor<15x2x1xi32>) -> tensor<15x2x4xi32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2] : (tensor<1x1x4xi32>) -> tensor<15x2x4xi32>
    %4 = stablehlo.compare EQ, %2, %3, SIGNED : (tensor<15x2x4xi32>, tensor<15x2x4xi32>) -> tensor<15x2x4xi1>
    %5 = stablehlo.convert %4 : (tensor<15x2x4xi1>) -> tensor<15x2x4xf32>
    return %5 : tensor<15x2x4xf32>
  }
  func.func private @cumsum(%arg0: tensor<30x4xf32>) -> tensor<30x4xf32> {
    %0 = call @cumsum_0(%arg0) : (tensor<30x4xf32>) -> tensor<30x4xf32>
    return %0 : tensor<30x4xf32>
  }
  func.func private @cumsum_0(%arg0: tensor<30x4xf32>) -> tensor<30x4xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[29, 0], [0, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 30, 1>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<30x4xf32>, tensor<f32>) -> tensor<30x4xf32>
    return %1 : tensor<30x4xf32>
  }
  func.func private @_one_hot_1(%arg0: tensor<30x4xi32>) -> tensor<30x4x6xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<30x4xi32>) -> tensor<30x4x1xi32>
    %1 = stablehlo.iota dim = 2 : tensor<1x1x6xi32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2] : (tensor<30x4x1xi32>) -> tensor<30x4x6xi32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2] : (tensor<1x1x6xi32>) -> tensor<30x4x6xi32>
    %4 = stablehlo.compare EQ, %2, %3, SIGNED : (tensor<30x4x6xi32>, tensor<30x4x6xi32>) -> tensor<30x4x6xi1>
    %5 = stablehlo.convert %4 : (tensor<30x4x6xi1>) -> tensor<30x4x6xf32>
    return %5 : tensor<30x4x6xf32>
  }
}
