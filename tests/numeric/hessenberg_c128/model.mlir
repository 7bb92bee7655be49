module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x6x6xf64>) -> (tensor<2x6x6xf64> {jax.result_info = "result[0]"}, tensor<2x5xf64> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.slice %arg0 [0:1, 0:6, 0:6] : (tensor<2x6x6xf64>) -> tensor<1x6x6xf64>
    %1 = stablehlo.reshape %0 : (tensor<1x6x6xf64>) -> tensor<6x6xf64>
    %2 = stablehlo.slice %arg0 [1:2, 0:6, 0:6] : (tensor<2x6x6xf64>) -> tensor<1x6x6xf64>
    %3 = stablehlo.reshape %2 : (tensor<1x6x6xf64>) -> tensor<6x6xf64>
    %4 = stablehlo.complex %1, %3 : tensor<6x6xcomplex<f64>>
    %5:3 = stablehlo.custom_call @lapack_zgehrd_ffi(%4) {backend_config = "", mhlo.backend_config = {high = 6 : i32, low = 1 : i32}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [m], []) {i=6, j=6, k=6, l=6, m=5}, custom>} : (tensor<6x6xcomplex<f64>>) -> (tensor<6x6xcomplex<f64>>, tensor<5xcomplex<f64>>, tensor<i32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %7 = stablehlo.compare EQ, %5#2, %6, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %cst = stablehlo.constant dense<(0x7FF8000000000000,0x7FF8000000000000)> : tensor<complex<f64>>
    %9 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f64>>) -> tensor<6x6xcomplex<f64>>
    %10 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<6x6xi1>
    %11 = stablehlo.select %10, %5#0, %9 : tensor<6x6xi1>, tensor<6x6xcomplex<f64>>
    %12 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %cst_0 = stablehlo.constant dense<(0x7FF8000000000000,0x7FF8000000000000)> : tensor<complex<f64>>
    %13 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<complex<f64>>) -> tensor<5xcomplex<f64>>
    %14 = stablehlo.broadcast_in_dim %12, dims = [0] : (tensor<1xi1>) -> tensor<5xi1>
    %15 = stablehlo.select %14, %5#1, %13 : tensor<5xi1>, tensor<5xcomplex<f64>>
    %16 = stablehlo.real %11 : (tensor<6x6xcomplex<f64>>) -> tensor<6x6xf64>
    %17 = stablehlo.imag %11 : (tensor<6x6xcomplex<f64>>) -> tensor<6x6xf64>
    %18 = stablehlo.broadcast_in_dim %16, dims = [1, 2] : (tensor<6x6xf64>) -> tensor<1x6x6xf64>
    %19 = stablehlo.broadcast_in_dim %17, dims = [1, 2] : (tensor<6x6xf64>) -> tensor<1x6x6xf64>
    %20 = stablehlo.concatenate %18, %19, dim = 0 : (tensor<1x6x6xf64>, tensor<1x6x6xf64>) -> tensor<2x6x6xf64>
    %21 = stablehlo.real %15 : (tensor<5xcomplex<f64>>) -> tensor<5xf64>
    %22 = stablehlo.imag %15 : (tensor<5xcomplex<f64>>) -> tensor<5xf64>
    %23 = stablehlo.broadcast_in_dim %21, dims = [1] : (tensor<5xf64>) -> tensor<1x5xf64>
    %24 = stablehlo.broadcast_in_dim %22, dims = [1] : (tensor<5xf64>) -> tensor<1x5xf64>
    %25 = stablehlo.concatenate %23, %24, dim = 0 : (tensor<1x5xf64>, tensor<1x5xf64>) -> tensor<2x5xf64>
    return %20, %25 : tensor<2x6x6xf64>, tensor<2x5xf64>
  }
}
