module @jit_chains attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<37x37xf64>, %arg1: tensor<37x37xf64>) -> (tensor<37xf64> {jax.result_info = "result[0]"}, tensor<37xf64> {jax.result_info = "result[1]"}, tensor<37x37xf64> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.dot_general %arg0, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<37x37xf64>, tensor<37x37xf64>) -> tensor<37x37xf64>
    %1 = stablehlo.dot_general %arg1, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<37x37xf64>, tensor<37x37xf64>) -> tensor<37x37xf64>
    %cst = stablehlo.constant dense<1.000000e+01> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<37x37xf64>
    %3 = stablehlo.divide %0, %2 : tensor<37x37xf64>
    %4 = stablehlo.tanh %3 : tensor<37x37xf64>
    %5 = stablehlo.dot_general %4, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<37x37xf64>, tensor<37x37xf64>) -> tensor<37x37xf64>
    %cst_0 = stablehlo.constant dense<1.000000e+01> : tensor<f64>
    %6 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<37x37xf64>
    %7 = stablehlo.divide %1, %6 : tensor<37x37xf64>
    %8 = stablehlo.tanh %7 : tensor<37x37xf64>
    %9 = stablehlo.dot_general %8, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<37x37xf64>, tensor<37x37xf64>) -> tensor<37x37xf64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %10 = stablehlo.reduce(%5 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<37x37xf64>, tensor<f64>) -> tensor<37xf64>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %11 = stablehlo.reduce(%9 init: %cst_2) applies stablehlo.add across dimensions = [0] : (tensor<37x37xf64>, tensor<f64>) -> tensor<37xf64>
    %12 = stablehlo.subtract %5, %9 : tensor<37x37xf64>
    return %10, %11, %12 : tensor<37xf64>, tensor<37xf64>, tensor<37x37xf64>
  }
}
