module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x2x7x4xf32>) -> (tensor<2x4xf32> {jax.result_info = "result[0]"}, tensor<2x2x7x4xf32> {jax.result_info = "result[1]"}, tensor<2x2x4x4xf32> {jax.result_info = "result[2]"}, tensor<2x2x4x4xf32> {jax.result_info = "result[3]"}) {
    %0 = stablehlo.slice %arg0 [0:1, 0:2, 0:7, 0:4] : (tensor<2x2x7x4xf32>) -> tensor<1x2x7x4xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x2x7x4xf32>) -> tensor<2x7x4xf32>
    %2 = stablehlo.slice %arg0 [1:2, 0:2, 0:7, 0:4] : (tensor<2x2x7x4xf32>) -> tensor<1x2x7x4xf32>
    %3 = stablehlo.reshape %2 : (tensor<1x2x7x4xf32>) -> tensor<2x7x4xf32>
    %4 = stablehlo.complex %1, %3 : tensor<2x7x4xcomplex<f32>>
    %5:3 = call @svd(%4) : (tensor<2x7x4xcomplex<f32>>) -> (tensor<2x7x4xcomplex<f32>>, tensor<2x4xf32>, tensor<2x4x4xcomplex<f32>>)
    %6 = stablehlo.broadcast_in_dim %5#1, dims = [0, 2] : (tensor<2x4xf32>) -> tensor<2x1x4xf32>
    %7 = stablehlo.convert %6 : (tensor<2x1x4xf32>) -> tensor<2x1x4xcomplex<f32>>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2] : (tensor<2x1x4xcomplex<f32>>) -> tensor<2x7x4xcomplex<f32>>
    %9 = stablehlo.multiply %5#0, %8 : tensor<2x7x4xcomplex<f32>>
    %10 = stablehlo.dot_general %9, %5#2, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x7x4xcomplex<f32>>, tensor<2x4x4xcomplex<f32>>) -> tensor<2x7x4xcomplex<f32>>
    %11 = stablehlo.transpose %5#0, dims = [0, 2, 1] : (tensor<2x7x4xcomplex<f32>>) -> tensor<2x4x7xcomplex<f32>>
    %12 = stablehlo.real %11 : (tensor<2x4x7xcomplex<f32>>) -> tensor<2x4x7xf32>
    %13 = stablehlo.imag %11 : (tensor<2x4x7xcomplex<f32>>) -> tensor<2x4x7xf32>
    %14 = stablehlo.negate %13 : tensor<2x4x7xf32>
    %15 = stablehlo.complex %12, %14 : tensor<2x4x7xcomplex<f32>>
    %16 = stablehlo.dot_general %15, %5#0, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x4x7xcomplex<f32>>, tensor<2x7x4xcomplex<f32>>) -> tensor<2x4x4xcomplex<f32>>
    %17 = stablehlo.transpose %5#2, dims = [0, 2, 1] : (tensor<2x4x4xcomplex<f32>>) -> tensor<2x4x4xcomplex<f32>>
    %18 = stablehlo.real %17 : (tensor<2x4x4xcomplex<f32>>) -> tensor<2x4x4xf32>
    %19 = stablehlo.imag %17 : (tensor<2x4x4xcomplex<f32>>) -> tensor<2x4x4xf32>
    %20 = stablehlo.negate %19 : tensor<2x4x4xf32>
    %21 = stablehlo.complex %18, %20 : tensor<2x4x4xcomplex<f32>>
    %22 = stablehlo.dot_general %5#2, %21, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x4x4xcomplex<f32>>, tensor<2x4x4xcomplex<f32>>) -> tensor<2x4x4xcomplex<f32>>
    %23 = stablehlo.real %10 : (tensor<2x7x4xcomplex<f32>>) -> tensor<2x7x4xf32>
    %24 = stablehlo.imag %10 : (tensor<2x7x4xcomplex<f32>>) -> tensor<2x7x4xf32>
    %25 = stablehlo.broadcast_in_dim %23, dims = [1, 2, 3] : (tensor<2x7x4xf32>) -> tensor<1x2x7x4xf32>
    %26 = stablehlo.broadcast_in_dim %24, dims = [1, 2, 3] : (tensor<2x7x4xf32>) -> tensor<1x2x7x4xf32>
    %27 = stablehlo.concatenate %25, %26, dim = 0 : (tensor<1x2x7x4xf32>, tensor<1x2x7x4xf32>) -> tensor<2x2x7x4xf32>
    %28 = stablehlo.real %16 : (tensor<2x4x4xcomplex<f32>>) -> tensor<2x4x4xf32>
    %29 = stablehlo.imag %16 : (tensor<2x4x4xcomplex<f32>>) -> tensor<2x4x4xf32>
    %30 = stablehlo.broadcast_in_dim %28, dims = [1, 2, 3] : (tensor<2x4x4xf32>) -> tensor<1x2x4x4xf32>
    %31 = stablehlo.broadcast_in_dim %29, dims = [1, 2, 3] : (tensor<2x4x4xf32>) -> tensor<1x2x4x4xf32>
    %32 = stablehlo.concatenate %30, %31, dim = 0 : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<2x2x4x4xf32>
    %33 = stablehlo.real %22 : (tensor<2x4x4xcomplex<f32>>) -> tensor<2x4x4xf32>
    %34 = stablehlo.imag %22 : (tensor<2x4x4xcomplex<f32>>) -> tensor<2x4x4xf32>
    %35 = stablehlo.broadcast_in_dim %33, dims = [1, 2, 3] : (tensor<2x4x4xf32>) -> tensor<1x2x4x4xf32>
    %36 = stablehlo.broadcast_in_dim %34, dims = [1, 2, 3] : (tensor<2x4x4xf32>) -> tensor<1x2x4x4xf32>
    %37 = stablehlo.concatenate %35, %36, dim = 0 : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<2x2x4x4xf32>
    return %5#1, %27, %32, %37 : tensor<2x4xf32>, tensor<2x2x7x4xf32>, tensor<2x2x4x4xf32>, tensor<2x2x4x4xf32>
  }
  func.func private @svd(%arg0: tensor<2x7x4xcomplex<f32>>) -> (tensor<2x7x4xcomplex<f32>>, tensor<2x4xf32>, tensor<2x4x4xcomplex<f32>>) {
    %0:5 = stablehlo.custom_call @lapack_cgesdd_ffi(%arg0) {backend_config = "", mhlo.backend_config = {mode = 83 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i, n], [i, o, p], [i, q, r], [i]) {i=2, j=7, k=4, l=7, m=4, n=4, o=7, p=4, q=4, r=4}, custom>} : (tensor<2x7x4xcomplex<f32>>) -> (tensor<2x7x4xcomplex<f32>>, tensor<2x4xf32>, tensor<2x7x4xcomplex<f32>>, tensor<2x4x4xcomplex<f32>>, tensor<2xi32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %2 = stablehlo.compare EQ, %0#4, %1, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<2xi1>) -> tensor<2x1xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %5 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<2x1xi1>) -> tensor<2x4xi1>
    %6 = stablehlo.select %5, %0#1, %4 : tensor<2x4xi1>, tensor<2x4xf32>
    %7 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<2xi1>) -> tensor<2x1x1xi1>
    %cst_0 = stablehlo.constant dense<(0x7FC00000,0x7FC00000)> : tensor<complex<f32>>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<complex<f32>>) -> tensor<2x7x4xcomplex<f32>>
    %9 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2] : (tensor<2x1x1xi1>) -> tensor<2x7x4xi1>
    %10 = stablehlo.select %9, %0#2, %8 : tensor<2x7x4xi1>, tensor<2x7x4xcomplex<f32>>
    %11 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<2xi1>) -> tensor<2x1x1xi1>
    %cst_1 = stablehlo.constant dense<(0x7FC00000,0x7FC00000)> : tensor<complex<f32>>
    %12 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<complex<f32>>) -> tensor<2x4x4xcomplex<f32>>
    %13 = stablehlo.broadcast_in_dim %11, dims = [0, 1, 2] : (tensor<2x1x1xi1>) -> tensor<2x4x4xi1>
    %14 = stablehlo.select %13, %0#3, %12 : tensor<2x4x4xi1>, tensor<2x4x4xcomplex<f32>>
    return %10, %6, %14 : tensor<2x7x4xcomplex<f32>>, tensor<2x4xf32>, tensor<2x4x4xcomplex<f32>>
  }
}
