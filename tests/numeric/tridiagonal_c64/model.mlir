module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x6x6xf32>) -> (tensor<2x6x6xf32> {jax.result_info = "result[0]"}, tensor<6xf32> {jax.result_info = "result[1]"}, tensor<5xf32> {jax.result_info = "result[2]"}, tensor<2x5xf32> {jax.result_info = "result[3]"}) {
    %0 = stablehlo.slice %arg0 [0:1, 0:6, 0:6] : (tensor<2x6x6xf32>) -> tensor<1x6x6xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x6x6xf32>) -> tensor<6x6xf32>
    %2 = stablehlo.slice %arg0 [1:2, 0:6, 0:6] : (tensor<2x6x6xf32>) -> tensor<1x6x6xf32>
    %3 = stablehlo.reshape %2 : (tensor<1x6x6xf32>) -> tensor<6x6xf32>
    %4 = stablehlo.complex %1, %3 : tensor<6x6xcomplex<f32>>
    %5 = stablehlo.transpose %4, dims = [1, 0] : (tensor<6x6xcomplex<f32>>) -> tensor<6x6xcomplex<f32>>
    %6 = stablehlo.real %5 : (tensor<6x6xcomplex<f32>>) -> tensor<6x6xf32>
    %7 = stablehlo.imag %5 : (tensor<6x6xcomplex<f32>>) -> tensor<6x6xf32>
    %8 = stablehlo.negate %7 : tensor<6x6xf32>
    %9 = stablehlo.complex %6, %8 : tensor<6x6xcomplex<f32>>
    %10 = stablehlo.dot_general %4, %9, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x6xcomplex<f32>>, tensor<6x6xcomplex<f32>>) -> tensor<6x6xcomplex<f32>>
    %11:5 = stablehlo.custom_call @lapack_chetrd_ffi(%10) {backend_config = "", mhlo.backend_config = {uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [m], [n], [o], []) {i=6, j=6, k=6, l=6, m=6, n=5, o=5}, custom>} : (tensor<6x6xcomplex<f32>>) -> (tensor<6x6xcomplex<f32>>, tensor<6xf32>, tensor<5xf32>, tensor<5xcomplex<f32>>, tensor<i32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %12 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %13 = stablehlo.compare EQ, %11#4, %12, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %14 = stablehlo.broadcast_in_dim %13, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %cst = stablehlo.constant dense<(0x7FC00000,0x7FC00000)> : tensor<complex<f32>>
    %15 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f32>>) -> tensor<6x6xcomplex<f32>>
    %16 = stablehlo.broadcast_in_dim %14, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<6x6xi1>
    %17 = stablehlo.select %16, %11#0, %15 : tensor<6x6xi1>, tensor<6x6xcomplex<f32>>
    %18 = stablehlo.broadcast_in_dim %13, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %cst_0 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %20 = stablehlo.broadcast_in_dim %18, dims = [0] : (tensor<1xi1>) -> tensor<6xi1>
    %21 = stablehlo.select %20, %11#1, %19 : tensor<6xi1>, tensor<6xf32>
    %22 = stablehlo.broadcast_in_dim %13, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %24 = stablehlo.broadcast_in_dim %22, dims = [0] : (tensor<1xi1>) -> tensor<5xi1>
    %25 = stablehlo.select %24, %11#2, %23 : tensor<5xi1>, tensor<5xf32>
    %26 = stablehlo.broadcast_in_dim %13, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %cst_2 = stablehlo.constant dense<(0x7FC00000,0x7FC00000)> : tensor<complex<f32>>
    %27 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<complex<f32>>) -> tensor<5xcomplex<f32>>
    %28 = stablehlo.broadcast_in_dim %26, dims = [0] : (tensor<1xi1>) -> tensor<5xi1>
    %29 = stablehlo.select %28, %11#3, %27 : tensor<5xi1>, tensor<5xcomplex<f32>>
    %30 = stablehlo.real %17 : (tensor<6x6xcomplex<f32>>) -> tensor<6x6xf32>
    %31 = stablehlo.imag %17 : (tensor<6x6xcomplex<f32>>) -> tensor<6x6xf32>
    %32 = stablehlo.broadcast_in_dim %30, dims = [1, 2] : (tensor<6x6xf32>) -> tensor<1x6x6xf32>
    %33 = stablehlo.broadcast_in_dim %31, dims = [1, 2] : (tensor<6x6xf32>) -> tensor<1x6x6xf32>
    %34 = stablehlo.concatenate %32, %33, dim = 0 : (tensor<1x6x6xf32>, tensor<1x6x6xf32>) -> tensor<2x6x6xf32>
    %35 = stablehlo.real %29 : (tensor<5xcomplex<f32>>) -> tensor<5xf32>
    %36 = stablehlo.imag %29 : (tensor<5xcomplex<f32>>) -> tensor<5xf32>
    %37 = stablehlo.broadcast_in_dim %35, dims = [1] : (tensor<5xf32>) -> tensor<1x5xf32>
    %38 = stablehlo.broadcast_in_dim %36, dims = [1] : (tensor<5xf32>) -> tensor<1x5xf32>
    %39 = stablehlo.concatenate %37, %38, dim = 0 : (tensor<1x5xf32>, tensor<1x5xf32>) -> tensor<2x5xf32>
    return %34, %21, %25, %39 : tensor<2x6x6xf32>, tensor<6xf32>, tensor<5xf32>, tensor<2x5xf32>
  }
}
