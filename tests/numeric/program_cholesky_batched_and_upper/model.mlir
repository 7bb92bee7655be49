module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x7x7xf32>) -> (tensor<3x7x7xf32> {jax.result_info = "result[0]"}, tensor<7x7xf32> {jax.result_info = "result[1]"}) {
    %0 = call @cholesky(%arg0) : (tensor<3x7x7xf32>) -> tensor<3x7x7xf32>
    %1 = stablehlo.slice %arg0 [0:1, 0:7, 0:7] : (tensor<3x7x7xf32>) -> tensor<1x7x7xf32>
    %2 = stablehlo.reshape %1 : (tensor<1x7x7xf32>) -> tensor<7x7xf32>
    %3 = call @_cholesky(%2) : (tensor<7x7xf32>) -> tensor<7x7xf32>
    return %0, %3 : tensor<3x7x7xf32>, tensor<7x7xf32>
  }
  func.func private @cholesky(%arg0: tensor<3x7x7xf32>) -> tensor<3x7x7xf32> {
    %0 = stablehlo.transpose %arg0, dims = [0, 2, 1] : (tensor<3x7x7xf32>) -> tensor<3x7x7xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<3x7x7xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x7x7xf32>
    %3 = stablehlo.divide %1, %2 : tensor<3x7x7xf32>
    %4:2 = stablehlo.custom_call @lapack_spotrf_ffi(%3) {backend_config = "", mhlo.backend_config = {uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i]) {i=3, j=7, k=7, l=7, m=7}, custom>} : (tensor<3x7x7xf32>) -> (tensor<3x7x7xf32>, tensor<3xi32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %6 = stablehlo.compare EQ, %4#1, %5, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<3xi1>) -> tensor<3x1x1xi1>
    %cst_0 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3x7x7xf32>
    %9 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2] : (tensor<3x1x1xi1>) -> tensor<3x7x7xi1>
    %10 = stablehlo.select %9, %4#0, %8 : tensor<3x7x7xi1>, tensor<3x7x7xf32>
    %11 = stablehlo.iota dim = 0 : tensor<7x7xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %12 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<7x7xi32>
    %13 = stablehlo.add %11, %12 : tensor<7x7xi32>
    %14 = stablehlo.iota dim = 1 : tensor<7x7xi32>
    %15 = stablehlo.compare GE, %13, %14, SIGNED : (tensor<7x7xi32>, tensor<7x7xi32>) -> tensor<7x7xi1>
    %16 = stablehlo.broadcast_in_dim %15, dims = [1, 2] : (tensor<7x7xi1>) -> tensor<3x7x7xi1>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<3x7x7xf32>
    %18 = stablehlo.select %16, %10, %17 : tensor<3x7x7xi1>, tensor<3x7x7xf32>
    return %18 : tensor<3x7x7xf32>
  }
  func.func private @_cholesky(%arg0: tensor<7x7xf32>) -> tensor<7x7xf32> {
    %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<7x7xf32>) -> tensor<7x7xf32>
    %1:2 = stablehlo.custom_call @lapack_spotrf_ffi(%0) {backend_config = "", mhlo.backend_config = {uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], []) {i=7, j=7, k=7, l=7}, custom>} : (tensor<7x7xf32>) -> (tensor<7x7xf32>, tensor<i32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %3 = stablehlo.compare EQ, %1#1, %2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<7x7xf32>
    %6 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<7x7xi1>
    %7 = stablehlo.select %6, %1#0, %5 : tensor<7x7xi1>, tensor<7x7xf32>
    %8 = stablehlo.iota dim = 0 : tensor<7x7xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<7x7xi32>
    %10 = stablehlo.add %8, %9 : tensor<7x7xi32>
    %11 = stablehlo.iota dim = 1 : tensor<7x7xi32>
    %12 = stablehlo.compare GE, %10, %11, SIGNED : (tensor<7x7xi32>, tensor<7x7xi32>) -> tensor<7x7xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<7x7xf32>
    %14 = stablehlo.select %12, %7, %13 : tensor<7x7xi1>, tensor<7x7xf32>
    %15 = stablehlo.transpose %14, dims = [1, 0] : (tensor<7x7xf32>) -> tensor<7x7xf32>
    return %15 : tensor<7x7xf32>
  }
}
