module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<133x133xf32>) -> (tensor<133x133xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<133x133xf32>) -> tensor<133x133xf32>
    %1 = stablehlo.dot_general %arg0, %0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<133x133xf32>, tensor<133x133xf32>) -> tensor<133x133xf32>
    %2 = stablehlo.iota dim = 0 : tensor<133x133xi64>
    %3 = stablehlo.iota dim = 1 : tensor<133x133xi64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %4 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<133x133xi64>
    %5 = stablehlo.add %2, %4 : tensor<133x133xi64>
    %6 = stablehlo.compare EQ, %5, %3, SIGNED : (tensor<133x133xi64>, tensor<133x133xi64>) -> tensor<133x133xi1>
    %7 = stablehlo.convert %6 : (tensor<133x133xi1>) -> tensor<133x133xf32>
    %cst = stablehlo.constant dense<7.000000e+01> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<133x133xf32>
    %9 = stablehlo.multiply %8, %7 : tensor<133x133xf32>
    %10 = stablehlo.add %1, %9 : tensor<133x133xf32>
    %11 = stablehlo.transpose %10, dims = [1, 0] : (tensor<133x133xf32>) -> tensor<133x133xf32>
    %12 = stablehlo.add %10, %11 : tensor<133x133xf32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<133x133xf32>
    %14 = stablehlo.divide %12, %13 : tensor<133x133xf32>
    %15:2 = stablehlo.custom_call @lapack_spotrf_ffi(%14) {backend_config = "", mhlo.backend_config = {uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], []) {i=133, j=133, k=133, l=133}, custom>} : (tensor<133x133xf32>) -> (tensor<133x133xf32>, tensor<i32>)
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %16 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<i32>
    %17 = stablehlo.compare EQ, %15#1, %16, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %18 = stablehlo.broadcast_in_dim %17, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %cst_2 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<133x133xf32>
    %20 = stablehlo.broadcast_in_dim %18, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<133x133xi1>
    %21 = stablehlo.select %20, %15#0, %19 : tensor<133x133xi1>, tensor<133x133xf32>
    %22 = stablehlo.iota dim = 0 : tensor<133x133xi64>
    %c_3 = stablehlo.constant dense<0> : tensor<i64>
    %23 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i64>) -> tensor<133x133xi64>
    %24 = stablehlo.add %22, %23 : tensor<133x133xi64>
    %25 = stablehlo.iota dim = 1 : tensor<133x133xi64>
    %26 = stablehlo.compare GE, %24, %25, SIGNED : (tensor<133x133xi64>, tensor<133x133xi64>) -> tensor<133x133xi1>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<133x133xf32>
    %28 = stablehlo.select %26, %21, %27 : tensor<133x133xi1>, tensor<133x133xf32>
    return %28 : tensor<133x133xf32>
  }
}
