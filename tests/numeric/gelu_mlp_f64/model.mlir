module @jit_gelu_mlp attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<9x24xf64>, %arg1: tensor<24x40xf64>, %arg2: tensor<40xf64>, %arg3: tensor<40x10xf64>, %arg4: tensor<10xf64>) -> (tensor<9x10xf64> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<9x24xf64>, tensor<24x40xf64>) -> tensor<9x40xf64>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<40xf64>) -> tensor<1x40xf64>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x40xf64>) -> tensor<9x40xf64>
    %3 = stablehlo.add %0, %2 : tensor<9x40xf64>
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<9x40xf64>
    %5 = stablehlo.multiply %4, %3 : tensor<9x40xf64>
    %6 = stablehlo.negate %3 : tensor<9x40xf64>
    %cst_0 = stablehlo.constant dense<0.70710678118654757> : tensor<f64>
    %7 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<9x40xf64>
    %8 = stablehlo.multiply %6, %7 : tensor<9x40xf64>
    %9 = chlo.erfc %8 : tensor<9x40xf64> -> tensor<9x40xf64>
    %10 = stablehlo.multiply %5, %9 : tensor<9x40xf64>
    %11 = stablehlo.dot_general %10, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<9x40xf64>, tensor<40x10xf64>) -> tensor<9x10xf64>
    %12 = stablehlo.broadcast_in_dim %arg4, dims = [1] : (tensor<10xf64>) -> tensor<1x10xf64>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0, 1] : (tensor<1x10xf64>) -> tensor<9x10xf64>
    %14 = stablehlo.add %11, %13 : tensor<9x10xf64>
    return %14 : tensor<9x10xf64>
  }
}
