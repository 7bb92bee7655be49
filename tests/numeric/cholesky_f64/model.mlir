module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x7x7xf64>) -> (tensor<3x7x7xf64> {jax.result_info = "result[0]"}, tensor<3x7x7xf64> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.transpose %arg0, dims = [0, 2, 1] : (tensor<3x7x7xf64>) -> tensor<3x7x7xf64>
    %1 = stablehlo.dot_general %arg0, %0, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<3x7x7xf64>, tensor<3x7x7xf64>) -> tensor<3x7x7xf64>
    %2 = stablehlo.transpose %1, dims = [0, 2, 1] : (tensor<3x7x7xf64>) -> tensor<3x7x7xf64>
    %3 = stablehlo.add %1, %2 : tensor<3x7x7xf64>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<3x7x7xf64>
    %5 = stablehlo.divide %3, %4 : tensor<3x7x7xf64>
    %6:2 = stablehlo.custom_call @lapack_dpotrf_ffi(%5) {backend_config = "", mhlo.backend_config = {uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i]) {i=3, j=7, k=7, l=7, m=7}, custom>} : (tensor<3x7x7xf64>) -> (tensor<3x7x7xf64>, tensor<3xi32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %8 = stablehlo.compare EQ, %6#1, %7, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0] : (tensor<3xi1>) -> tensor<3x1x1xi1>
    %cst_0 = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
    %10 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<3x7x7xf64>
    %11 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2] : (tensor<3x1x1xi1>) -> tensor<3x7x7xi1>
    %12 = stablehlo.select %11, %6#0, %10 : tensor<3x7x7xi1>, tensor<3x7x7xf64>
    %13 = stablehlo.iota dim = 0 : tensor<7x7xi64>
    %c_1 = stablehlo.constant dense<0> : tensor<i64>
    %14 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i64>) -> tensor<7x7xi64>
    %15 = stablehlo.add %13, %14 : tensor<7x7xi64>
    %16 = stablehlo.iota dim = 1 : tensor<7x7xi64>
    %17 = stablehlo.compare GE, %15, %16, SIGNED : (tensor<7x7xi64>, tensor<7x7xi64>) -> tensor<7x7xi1>
    %18 = stablehlo.broadcast_in_dim %17, dims = [1, 2] : (tensor<7x7xi1>) -> tensor<3x7x7xi1>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %19 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f64>) -> tensor<3x7x7xf64>
    %20 = stablehlo.select %18, %12, %19 : tensor<3x7x7xi1>, tensor<3x7x7xf64>
    %21 = stablehlo.transpose %arg0, dims = [0, 2, 1] : (tensor<3x7x7xf64>) -> tensor<3x7x7xf64>
    %22 = stablehlo.dot_general %arg0, %21, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<3x7x7xf64>, tensor<3x7x7xf64>) -> tensor<3x7x7xf64>
    %23 = call @cholesky(%22) : (tensor<3x7x7xf64>) -> tensor<3x7x7xf64>
    return %20, %23 : tensor<3x7x7xf64>, tensor<3x7x7xf64>
  }
  func.func private @cholesky(%arg0: tensor<3x7x7xf64>) -> tensor<3x7x7xf64> {
    %0 = stablehlo.transpose %arg0, dims = [0, 2, 1] : (tensor<3x7x7xf64>) -> tensor<3x7x7xf64>
    %1 = stablehlo.add %arg0, %0 : tensor<3x7x7xf64>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<3x7x7xf64>
    %3 = stablehlo.divide %1, %2 : tensor<3x7x7xf64>
    %4:2 = stablehlo.custom_call @lapack_dpotrf_ffi(%3) {backend_config = "", mhlo.backend_config = {uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i]) {i=3, j=7, k=7, l=7, m=7}, custom>} : (tensor<3x7x7xf64>) -> (tensor<3x7x7xf64>, tensor<3xi32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %6 = stablehlo.compare EQ, %4#1, %5, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<3xi1>) -> tensor<3x1x1xi1>
    %cst_0 = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<3x7x7xf64>
    %9 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2] : (tensor<3x1x1xi1>) -> tensor<3x7x7xi1>
    %10 = stablehlo.select %9, %4#0, %8 : tensor<3x7x7xi1>, tensor<3x7x7xf64>
    %11 = stablehlo.iota dim = 0 : tensor<7x7xi64>
    %c_1 = stablehlo.constant dense<0> : tensor<i64>
    %12 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i64>) -> tensor<7x7xi64>
    %13 = stablehlo.add %11, %12 : tensor<7x7xi64>
    %14 = stablehlo.iota dim = 1 : tensor<7x7xi64>
    %15 = stablehlo.compare GE, %13, %14, SIGNED : (tensor<7x7xi64>, tensor<7x7xi64>) -> tensor<7x7xi1>
    %16 = stablehlo.broadcast_in_dim %15, dims = [1, 2] : (tensor<7x7xi1>) -> tensor<3x7x7xi1>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %17 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f64>) -> tensor<3x7x7xf64>
    %18 = stablehlo.select %16, %10, %17 : tensor<3x7x7xi1>, tensor<3x7x7xf64>
    %19 = stablehlo.transpose %18, dims = [0, 2, 1] : (tensor<3x7x7xf64>) -> tensor<3x7x7xf64>
    return %19 : tensor<3x7x7xf64>
  }
}
