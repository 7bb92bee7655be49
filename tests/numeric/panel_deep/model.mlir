module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<35xf32>) -> (tensor<35x33xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.iota dim = 0 : tensor<35x9001xf32>
    %cst = stablehlo.constant dense<0.699999988> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<35x9001xf32>
    %2 = stablehlo.multiply %0, %1 : tensor<35x9001xf32>
    %3 = stablehlo.iota dim = 1 : tensor<35x9001xf32>
    %cst_0 = stablehlo.constant dense<3.000000e-01> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<35x9001xf32>
    %5 = stablehlo.multiply %3, %4 : tensor<35x9001xf32>
    %6 = stablehlo.add %2, %5 : tensor<35x9001xf32>
    %7 = stablehlo.cosine %6 : tensor<35x9001xf32>
    %8 = stablehlo.broadcast_in_dim %arg0, dims = [0] : (tensor<35xf32>) -> tensor<35x1xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<35x1xf32>) -> tensor<35x9001xf32>
    %10 = stablehlo.multiply %7, %9 : tensor<35x9001xf32>
    %11 = stablehlo.iota dim = 0 : tensor<9001x33xf32>
    %cst_1 = stablehlo.constant dense<0.699999988> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<9001x33xf32>
    %13 = stablehlo.multiply %11, %12 : tensor<9001x33xf32>
    %14 = stablehlo.iota dim = 1 : tensor<9001x33xf32>
    %cst_2 = stablehlo.constant dense<3.000000e-01> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<9001x33xf32>
    %16 = stablehlo.multiply %14, %15 : tensor<9001x33xf32>
    %17 = stablehlo.add %13, %16 : tensor<9001x33xf32>
    %18 = stablehlo.cosine %17 : tensor<9001x33xf32>
    %19 = stablehlo.dot_general %10, %18, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<35x9001xf32>, tensor<9001x33xf32>) -> tensor<35x33xf32>
    return %19 : tensor<35x33xf32>
  }
}
