module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x6xf32>, %arg1: tensor<2x6xf32>, %arg2: tensor<2x6xf32>, %arg3: tensor<2x6x2xf32>) -> (tensor<2x6x2xf32> {jax.result_info = "result[0]"}) {
    %0 = stablehlo.slice %arg0 [0:1, 0:6] : (tensor<2x6xf32>) -> tensor<1x6xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x6xf32>) -> tensor<6xf32>
    %2 = stablehlo.slice %arg0 [1:2, 0:6] : (tensor<2x6xf32>) -> tensor<1x6xf32>
    %3 = stablehlo.reshape %2 : (tensor<1x6xf32>) -> tensor<6xf32>
    %4 = stablehlo.complex %1, %3 : tensor<6xcomplex<f32>>
    %5 = stablehlo.slice %arg1 [0:1, 0:6] : (tensor<2x6xf32>) -> tensor<1x6xf32>
    %6 = stablehlo.reshape %5 : (tensor<1x6xf32>) -> tensor<6xf32>
    %7 = stablehlo.slice %arg1 [1:2, 0:6] : (tensor<2x6xf32>) -> tensor<1x6xf32>
    %8 = stablehlo.reshape %7 : (tensor<1x6xf32>) -> tensor<6xf32>
    %9 = stablehlo.complex %6, %8 : tensor<6xcomplex<f32>>
    %10 = stablehlo.slice %arg2 [0:1, 0:6] : (tensor<2x6xf32>) -> tensor<1x6xf32>
    %11 = stablehlo.reshape %10 : (tensor<1x6xf32>) -> tensor<6xf32>
    %12 = stablehlo.slice %arg2 [1:2, 0:6] : (tensor<2x6xf32>) -> tensor<1x6xf32>
    %13 = stablehlo.reshape %12 : (tensor<1x6xf32>) -> tensor<6xf32>
    %14 = stablehlo.complex %11, %13 : tensor<6xcomplex<f32>>
    %15 = stablehlo.slice %arg3 [0:1, 0:6, 0:2] : (tensor<2x6x2xf32>) -> tensor<1x6x2xf32>
    %16 = stablehlo.reshape %15 : (tensor<1x6x2xf32>) -> tensor<6x2xf32>
    %17 = stablehlo.slice %arg3 [1:2, 0:6, 0:2] : (tensor<2x6x2xf32>) -> tensor<1x6x2xf32>
    %18 = stablehlo.reshape %17 : (tensor<1x6x2xf32>) -> tensor<6x2xf32>
    %19 = stablehlo.complex %16, %18 : tensor<6x2xcomplex<f32>>
    %20:5 = stablehlo.custom_call @lapack_cgtsv_ffi(%4, %9, %14, %19) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>, #stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 1, operand_tuple_indices = []>, #stablehlo.output_operand_alias<output_tuple_indices = [2], operand_index = 2, operand_tuple_indices = []>, #stablehlo.output_operand_alias<output_tuple_indices = [3], operand_index = 3, operand_tuple_indices = []>], result_layouts = [dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i], [j], [k], [l, m])->([n], [o], [p], [q, r], []) {i=6, j=6, k=6, l=6, m=2, n=6, o=6, p=6, q=6, r=2}, custom>} : (tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>, tensor<6x2xcomplex<f32>>) -> (tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>, tensor<6x2xcomplex<f32>>, tensor<i32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %21 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %22 = stablehlo.compare EQ, %20#4, %21, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %23 = stablehlo.broadcast_in_dim %22, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %cst = stablehlo.constant dense<(0x7FC00000,0x7FC00000)> : tensor<complex<f32>>
    %24 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f32>>) -> tensor<6x2xcomplex<f32>>
    %25 = stablehlo.broadcast_in_dim %23, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<6x2xi1>
    %26 = stablehlo.select %25, %20#3, %24 : tensor<6x2xi1>, tensor<6x2xcomplex<f32>>
    %27 = stablehlo.real %26 : (tensor<6x2xcomplex<f32>>) -> tensor<6x2xf32>
    %28 = stablehlo.imag %26 : (tensor<6x2xcomplex<f32>>) -> tensor<6x2xf32>
    %29 = stablehlo.broadcast_in_dim %27, dims = [1, 2] : (tensor<6x2xf32>) -> tensor<1x6x2xf32>
    %30 = stablehlo.broadcast_in_dim %28, dims = [1, 2] : (tensor<6x2xf32>) -> tensor<1x6x2xf32>
    %31 = stablehlo.concatenate %29, %30, dim = 0 : (tensor<1x6x2xf32>, tensor<1x6x2xf32>) -> tensor<2x6x2xf32>
    return %31 : tensor<2x6x2xf32>
  }
}
