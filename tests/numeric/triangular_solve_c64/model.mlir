module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x2x5x5xf32>, %arg1: tensor<2x2x5x3xf32>) -> (tensor<2x2x5x3xf32> {jax.result_info = "result[0]"}, tensor<2x2x5x3xf32> {jax.result_info = "result[1]"}, tensor<2x2x5x3xf32> {jax.result_info = "result[2]"}, tensor<2x2x5x3xf32> {jax.result_info = "result[3]"}, tensor<2x2x5x3xf32> {jax.result_info = "result[4]"}, tensor<2x2x5x3xf32> {jax.result_info = "result[5]"}, tensor<2x2x5x3xf32> {jax.result_info = "result[6]"}, tensor<2x2x5x3xf32> {jax.result_info = "result[7]"}, tensor<2x2x3x5xf32> {jax.result_info = "result[8]"}, tensor<2x2x3x5xf32> {jax.result_info = "result[9]"}, tensor<2x2x3x5xf32> {jax.result_info = "result[10]"}, tensor<2x2x3x5xf32> {jax.result_info = "result[11]"}, tensor<2x2x3x5xf32> {jax.result_info = "result[12]"}, tensor<2x2x3x5xf32> {jax.result_info = "result[13]"}, tensor<2x2x3x5xf32> {jax.result_info = "result[14]"}, tensor<2x2x3x5xf32> {jax.result_info = "result[15]"}) {
    %0 = stablehlo.slice %arg0 [0:1, 0:2, 0:5, 0:5] : (tensor<2x2x5x5xf32>) -> tensor<1x2x5x5xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x2x5x5xf32>) -> tensor<2x5x5xf32>
    %2 = stablehlo.slice %arg0 [1:2, 0:2, 0:5, 0:5] : (tensor<2x2x5x5xf32>) -> tensor<1x2x5x5xf32>
    %3 = stablehlo.reshape %2 : (tensor<1x2x5x5xf32>) -> tensor<2x5x5xf32>
    %4 = stablehlo.complex %1, %3 : tensor<2x5x5xcomplex<f32>>
    %5 = stablehlo.slice %arg1 [0:1, 0:2, 0:5, 0:3] : (tensor<2x2x5x3xf32>) -> tensor<1x2x5x3xf32>
    %6 = stablehlo.reshape %5 : (tensor<1x2x5x3xf32>) -> tensor<2x5x3xf32>
    %7 = stablehlo.slice %arg1 [1:2, 0:2, 0:5, 0:3] : (tensor<2x2x5x3xf32>) -> tensor<1x2x5x3xf32>
    %8 = stablehlo.reshape %7 : (tensor<1x2x5x3xf32>) -> tensor<2x5x3xf32>
    %9 = stablehlo.complex %6, %8 : tensor<2x5x3xcomplex<f32>>
    %10 = stablehlo.custom_call @lapack_ctrsm_ffi(%4, %9) {backend_config = "", mhlo.backend_config = {diag = 85 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l, m])->([i, n, o]) {i=2, j=5, k=5, l=5, m=3, n=5, o=3}, custom>} : (tensor<2x5x5xcomplex<f32>>, tensor<2x5x3xcomplex<f32>>) -> tensor<2x5x3xcomplex<f32>>
    %11 = stablehlo.custom_call @lapack_ctrsm_ffi(%4, %9) {backend_config = "", mhlo.backend_config = {diag = 85 : ui8, side = 76 : ui8, trans_x = 67 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l, m])->([i, n, o]) {i=2, j=5, k=5, l=5, m=3, n=5, o=3}, custom>} : (tensor<2x5x5xcomplex<f32>>, tensor<2x5x3xcomplex<f32>>) -> tensor<2x5x3xcomplex<f32>>
    %12 = stablehlo.custom_call @lapack_ctrsm_ffi(%4, %9) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l, m])->([i, n, o]) {i=2, j=5, k=5, l=5, m=3, n=5, o=3}, custom>} : (tensor<2x5x5xcomplex<f32>>, tensor<2x5x3xcomplex<f32>>) -> tensor<2x5x3xcomplex<f32>>
    %13 = stablehlo.custom_call @lapack_ctrsm_ffi(%4, %9) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 67 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l, m])->([i, n, o]) {i=2, j=5, k=5, l=5, m=3, n=5, o=3}, custom>} : (tensor<2x5x5xcomplex<f32>>, tensor<2x5x3xcomplex<f32>>) -> tensor<2x5x3xcomplex<f32>>
    %14 = stablehlo.custom_call @lapack_ctrsm_ffi(%4, %9) {backend_config = "", mhlo.backend_config = {diag = 85 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 85 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l, m])->([i, n, o]) {i=2, j=5, k=5, l=5, m=3, n=5, o=3}, custom>} : (tensor<2x5x5xcomplex<f32>>, tensor<2x5x3xcomplex<f32>>) -> tensor<2x5x3xcomplex<f32>>
    %15 = stablehlo.custom_call @lapack_ctrsm_ffi(%4, %9) {backend_config = "", mhlo.backend_config = {diag = 85 : ui8, side = 76 : ui8, trans_x = 84 : ui8, uplo = 85 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l, m])->([i, n, o]) {i=2, j=5, k=5, l=5, m=3, n=5, o=3}, custom>} : (tensor<2x5x5xcomplex<f32>>, tensor<2x5x3xcomplex<f32>>) -> tensor<2x5x3xcomplex<f32>>
    %16 = stablehlo.custom_call @lapack_ctrsm_ffi(%4, %9) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 85 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l, m])->([i, n, o]) {i=2, j=5, k=5, l=5, m=3, n=5, o=3}, custom>} : (tensor<2x5x5xcomplex<f32>>, tensor<2x5x3xcomplex<f32>>) -> tensor<2x5x3xcomplex<f32>>
    %17 = stablehlo.custom_call @lapack_ctrsm_ffi(%4, %9) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 84 : ui8, uplo = 85 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l, m])->([i, n, o]) {i=2, j=5, k=5, l=5, m=3, n=5, o=3}, custom>} : (tensor<2x5x5xcomplex<f32>>, tensor<2x5x3xcomplex<f32>>) -> tensor<2x5x3xcomplex<f32>>
    %18 = stablehlo.transpose %9, dims = [0, 2, 1] : (tensor<2x5x3xcomplex<f32>>) -> tensor<2x3x5xcomplex<f32>>
    %19 = stablehlo.custom_call @lapack_ctrsm_ffi(%4, %18) {backend_config = "", mhlo.backend_config = {diag = 85 : ui8, side = 82 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l, m])->([i, n, o]) {i=2, j=5, k=5, l=3, m=5, n=3, o=5}, custom>} : (tensor<2x5x5xcomplex<f32>>, tensor<2x3x5xcomplex<f32>>) -> tensor<2x3x5xcomplex<f32>>
    %20 = stablehlo.transpose %9, dims = [0, 2, 1] : (tensor<2x5x3xcomplex<f32>>) -> tensor<2x3x5xcomplex<f32>>
    %21 = stablehlo.custom_call @lapack_ctrsm_ffi(%4, %20) {backend_config = "", mhlo.backend_config = {diag = 85 : ui8, side = 82 : ui8, trans_x = 67 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l, m])->([i, n, o]) {i=2, j=5, k=5, l=3, m=5, n=3, o=5}, custom>} : (tensor<2x5x5xcomplex<f32>>, tensor<2x3x5xcomplex<f32>>) -> tensor<2x3x5xcomplex<f32>>
    %22 = stablehlo.transpose %9, dims = [0, 2, 1] : (tensor<2x5x3xcomplex<f32>>) -> tensor<2x3x5xcomplex<f32>>
    %23 = stablehlo.custom_call @lapack_ctrsm_ffi(%4, %22) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 82 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l, m])->([i, n, o]) {i=2, j=5, k=5, l=3, m=5, n=3, o=5}, custom>} : (tensor<2x5x5xcomplex<f32>>, tensor<2x3x5xcomplex<f32>>) -> tensor<2x3x5xcomplex<f32>>
    %24 = stablehlo.transpose %9, dims = [0, 2, 1] : (tensor<2x5x3xcomplex<f32>>) -> tensor<2x3x5xcomplex<f32>>
    %25 = stablehlo.custom_call @lapack_ctrsm_ffi(%4, %24) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 82 : ui8, trans_x = 67 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l, m])->([i, n, o]) {i=2, j=5, k=5, l=3, m=5, n=3, o=5}, custom>} : (tensor<2x5x5xcomplex<f32>>, tensor<2x3x5xcomplex<f32>>) -> tensor<2x3x5xcomplex<f32>>
    %26 = stablehlo.transpose %9, dims = [0, 2, 1] : (tensor<2x5x3xcomplex<f32>>) -> tensor<2x3x5xcomplex<f32>>
    %27 = stablehlo.custom_call @lapack_ctrsm_ffi(%4, %26) {backend_config = "", mhlo.backend_config = {diag = 85 : ui8, side = 82 : ui8, trans_x = 78 : ui8, uplo = 85 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l, m])->([i, n, o]) {i=2, j=5, k=5, l=3, m=5, n=3, o=5}, custom>} : (tensor<2x5x5xcomplex<f32>>, tensor<2x3x5xcomplex<f32>>) -> tensor<2x3x5xcomplex<f32>>
    %28 = stablehlo.transpose %9, dims = [0, 2, 1] : (tensor<2x5x3xcomplex<f32>>) -> tensor<2x3x5xcomplex<f32>>
    %29 = stablehlo.custom_call @lapack_ctrsm_ffi(%4, %28) {backend_config = "", mhlo.backend_config = {diag = 85 : ui8, side = 82 : ui8, trans_x = 84 : ui8, uplo = 85 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l, m])->([i, n, o]) {i=2, j=5, k=5, l=3, m=5, n=3, o=5}, custom>} : (tensor<2x5x5xcomplex<f32>>, tensor<2x3x5xcomplex<f32>>) -> tensor<2x3x5xcomplex<f32>>
    %30 = stablehlo.transpose %9, dims = [0, 2, 1] : (tensor<2x5x3xcomplex<f32>>) -> tensor<2x3x5xcomplex<f32>>
    %31 = stablehlo.custom_call @lapack_ctrsm_ffi(%4, %30) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 82 : ui8, trans_x = 78 : ui8, uplo = 85 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l, m])->([i, n, o]) {i=2, j=5, k=5, l=3, m=5, n=3, o=5}, custom>} : (tensor<2x5x5xcomplex<f32>>, tensor<2x3x5xcomplex<f32>>) -> tensor<2x3x5xcomplex<f32>>
    %32 = stablehlo.transpose %9, dims = [0, 2, 1] : (tensor<2x5x3xcomplex<f32>>) -> tensor<2x3x5xcomplex<f32>>
    %33 = stablehlo.custom_call @lapack_ctrsm_ffi(%4, %32) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 82 : ui8, trans_x = 84 : ui8, uplo = 85 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l, m])->([i, n, o]) {i=2, j=5, k=5, l=3, m=5, n=3, o=5}, custom>} : (tensor<2x5x5xcomplex<f32>>, tensor<2x3x5xcomplex<f32>>) -> tensor<2x3x5xcomplex<f32>>
    %34 = stablehlo.real %10 : (tensor<2x5x3xcomplex<f32>>) -> tensor<2x5x3xf32>
    %35 = stablehlo.imag %10 : (tensor<2x5x3xcomplex<f32>>) -> tensor<2x5x3xf32>
    %36 = stablehlo.broadcast_in_dim %34, dims = [1, 2, 3] : (tensor<2x5x3xf32>) -> tensor<1x2x5x3xf32>
    %37 = stablehlo.broadcast_in_dim %35, dims = [1, 2, 3] : (tensor<2x5x3xf32>) -> tensor<1x2x5x3xf32>
    %38 = stablehlo.concatenate %36, %37, dim = 0 : (tensor<1x2x5x3xf32>, tensor<1x2x5x3xf32>) -> tensor<2x2x5x3xf32>
    %39 = stablehlo.real %11 : (tensor<2x5x3xcomplex<f32>>) -> tensor<2x5x3xf32>
    %40 = stablehlo.imag %11 : (tensor<2x5x3xcomplex<f32>>) -> tensor<2x5x3xf32>
    %41 = stablehlo.broadcast_in_dim %39, dims = [1, 2, 3] : (tensor<2x5x3xf32>) -> tensor<1x2x5x3xf32>
    %42 = stablehlo.broadcast_in_dim %40, dims = [1, 2, 3] : (tensor<2x5x3xf32>) -> tensor<1x2x5x3xf32>
    %43 = stablehlo.concatenate %41, %42, dim = 0 : (tensor<1x2x5x3xf32>, tensor<1x2x5x3xf32>) -> tensor<2x2x5x3xf32>
    %44 = stablehlo.real %12 : (tensor<2x5x3xcomplex<f32>>) -> tensor<2x5x3xf32>
    %45 = stablehlo.imag %12 : (tensor<2x5x3xcomplex<f32>>) -> tensor<2x5x3xf32>
    %46 = stablehlo.broadcast_in_dim %44, dims = [1, 2, 3] : (tensor<2x5x3xf32>) -> tensor<1x2x5x3xf32>
    %47 = stablehlo.broadcast_in_dim %45, dims = [1, 2, 3] : (tensor<2x5x3xf32>) -> tensor<1x2x5x3xf32>
    %48 = stablehlo.concatenate %46, %47, dim = 0 : (tensor<1x2x5x3xf32>, tensor<1x2x5x3xf32>) -> tensor<2x2x5x3xf32>
    %49 = stablehlo.real %13 : (tensor<2x5x3xcomplex<f32>>) -> tensor<2x5x3xf32>
    %50 = stablehlo.imag %13 : (tensor<2x5x3xcomplex<f32>>) -> tensor<2x5x3xf32>
    %51 = stablehlo.broadcast_in_dim %49, dims = [1, 2, 3] : (tensor<2x5x3xf32>) -> tensor<1x2x5x3xf32>
    %52 = stablehlo.broadcast_in_dim %50, dims = [1, 2, 3] : (tensor<2x5x3xf32>) -> tensor<1x2x5x3xf32>
    %53 = stablehlo.concatenate %51, %52, dim = 0 : (tensor<1x2x5x3xf32>, tensor<1x2x5x3xf32>) -> tensor<2x2x5x3xf32>
    %54 = stablehlo.real %14 : (tensor<2x5x3xcomplex<f32>>) -> tensor<2x5x3xf32>
    %55 = stablehlo.imag %14 : (tensor<2x5x3xcomplex<f32>>) -> tensor<2x5x3xf32>
    %56 = stablehlo.broadcast_in_dim %54, dims = [1, 2, 3] : (tensor<2x5x3xf32>) -> tensor<1x2x5x3xf32>
    %57 = stablehlo.broadcast_in_dim %55, dims = [1, 2, 3] : (tensor<2x5x3xf32>) -> tensor<1x2x5x3xf32>
    %58 = stablehlo.concatenate %56, %57, dim = 0 : (tensor<1x2x5x3xf32>, tensor<1x2x5x3xf32>) -> tensor<2x2x5x3xf32>
    %59 = stablehlo.real %15 : (tensor<2x5x3xcomplex<f32>>) -> tensor<2x5x3xf32>
    %60 = stablehlo.imag %15 : (tensor<2x5x3xcomplex<f32>>) -> tensor<2x5x3xf32>
    %61 = stablehlo.broadcast_in_dim %59, dims = [1, 2, 3] : (tensor<2x5x3xf32>) -> tensor<1x2x5x3xf32>
    %62 = stablehlo.broadcast_in_dim %60, dims = [1, 2, 3] : (tensor<2x5x3xf32>) -> tensor<1x2x5x3xf32>
    %63 = stablehlo.concatenate %61, %62, dim = 0 : (tensor<1x2x5x3xf32>, tensor<1x2x5x3xf32>) -> tensor<2x2x5x3xf32>
    %64 = stablehlo.real %16 : (tensor<2x5x3xcomplex<f32>>) -> tensor<2x5x3xf32>
    %65 = stablehlo.imag %16 : (tensor<2x5x3xcomplex<f32>>) -> tensor<2x5x3xf32>
    %66 = stablehlo.broadcast_in_dim %64, dims = [1, 2, 3] : (tensor<2x5x3xf32>) -> tensor<1x2x5x3xf32>
    %67 = stablehlo.broadcast_in_dim %65, dims = [1, 2, 3] : (tensor<2x5x3xf32>) -> tensor<1x2x5x3xf32>
    %68 = stablehlo.concatenate %66, %67, dim = 0 : (tensor<1x2x5x3xf32>, tensor<1x2x5x3xf32>) -> tensor<2x2x5x3xf32>
    %69 = stablehlo.real %17 : (tensor<2x5x3xcomplex<f32>>) -> tensor<2x5x3xf32>
    %70 = stablehlo.imag %17 : (tensor<2x5x3xcomplex<f32>>) -> tensor<2x5x3xf32>
    %71 = stablehlo.broadcast_in_dim %69, dims = [1, 2, 3] : (tensor<2x5x3xf32>) -> tensor<1x2x5x3xf32>
    %72 = stablehlo.broadcast_in_dim %70, dims = [1, 2, 3] : (tensor<2x5x3xf32>) -> tensor<1x2x5x3xf32>
    %73 = stablehlo.concatenate %71, %72, dim = 0 : (tensor<1x2x5x3xf32>, tensor<1x2x5x3xf32>) -> tensor<2x2x5x3xf32>
    %74 = stablehlo.real %19 : (tensor<2x3x5xcomplex<f32>>) -> tensor<2x3x5xf32>
    %75 = stablehlo.imag %19 : (tensor<2x3x5xcomplex<f32>>) -> tensor<2x3x5xf32>
    %76 = stablehlo.broadcast_in_dim %74, dims = [1, 2, 3] : (tensor<2x3x5xf32>) -> tensor<1x2x3x5xf32>
    %77 = stablehlo.broadcast_in_dim %75, dims = [1, 2, 3] : (tensor<2x3x5xf32>) -> tensor<1x2x3x5xf32>
    %78 = stablehlo.concatenate %76, %77, dim = 0 : (tensor<1x2x3x5xf32>, tensor<1x2x3x5xf32>) -> tensor<2x2x3x5xf32>
    %79 = stablehlo.real %21 : (tensor<2x3x5xcomplex<f32>>) -> tensor<2x3x5xf32>
    %80 = stablehlo.imag %21 : (tensor<2x3x5xcomplex<f32>>) -> tensor<2x3x5xf32>
    %81 = stablehlo.broadcast_in_dim %79, dims = [1, 2, 3] : (tensor<2x3x5xf32>) -> tensor<1x2x3x5xf32>
    %82 = stablehlo.broadcast_in_dim %80, dims = [1, 2, 3] : (tensor<2x3x5xf32>) -> tensor<1x2x3x5xf32>
    %83 = stablehlo.concatenate %81, %82, dim = 0 : (tensor<1x2x3x5xf32>, tensor<1x2x3x5xf32>) -> tensor<2x2x3x5xf32>
    %84 = stablehlo.real %23 : (tensor<2x3x5xcomplex<f32>>) -> tensor<2x3x5xf32>
    %85 = stablehlo.imag %23 : (tensor<2x3x5xcomplex<f32>>) -> tensor<2x3x5xf32>
    %86 = stablehlo.broadcast_in_dim %84, dims = [1, 2, 3] : (tensor<2x3x5xf32>) -> tensor<1x2x3x5xf32>
    %87 = stablehlo.broadcast_in_dim %85, dims = [1, 2, 3] : (tensor<2x3x5xf32>) -> tensor<1x2x3x5xf32>
    %88 = stablehlo.concatenate %86, %87, dim = 0 : (tensor<1x2x3x5xf32>, tensor<1x2x3x5xf32>) -> tensor<2x2x3x5xf32>
    %89 = stablehlo.real %25 : (tensor<2x3x5xcomplex<f32>>) -> tensor<2x3x5xf32>
    %90 = stablehlo.imag %25 : (tensor<2x3x5xcomplex<f32>>) -> tensor<2x3x5xf32>
    %91 = stablehlo.broadcast_in_dim %89, dims = [1, 2, 3] : (tensor<2x3x5xf32>) -> tensor<1x2x3x5xf32>
    %92 = stablehlo.broadcast_in_dim %90, dims = [1, 2, 3] : (tensor<2x3x5xf32>) -> tensor<1x2x3x5xf32>
    %93 = stablehlo.concatenate %91, %92, dim = 0 : (tensor<1x2x3x5xf32>, tensor<1x2x3x5xf32>) -> tensor<2x2x3x5xf32>
    %94 = stablehlo.real %27 : (tensor<2x3x5xcomplex<f32>>) -> tensor<2x3x5xf32>
    %95 = stablehlo.imag %27 : (tensor<2x3x5xcomplex<f32>>) -> tensor<2x3x5xf32>
    %96 = stablehlo.broadcast_in_dim %94, dims = [1, 2, 3] : (tensor<2x3x5xf32>) -> tensor<1x2x3x5xf32>
    %97 = stablehlo.broadcast_in_dim %95, dims = [1, 2, 3] : (tensor<2x3x5xf32>) -> tensor<1x2x3x5xf32>
    %98 = stablehlo.concatenate %96, %97, dim = 0 : (tensor<1x2x3x5xf32>, tensor<1x2x3x5xf32>) -> tensor<2x2x3x5xf32>
    %99 = stablehlo.real %29 : (tensor<2x3x5xcomplex<f32>>) -> tensor<2x3x5xf32>
    %100 = stablehlo.imag %29 : (tensor<2x3x5xcomplex<f32>>) -> tensor<2x3x5xf32>
    %101 = stablehlo.broadcast_in_dim %99, dims = [1, 2, 3] : (tensor<2x3x5xf32>) -> tensor<1x2x3x5xf32>
    %102 = stablehlo.broadcast_in_dim %100, dims = [1, 2, 3] : (tensor<2x3x5xf32>) -> tensor<1x2x3x5xf32>
    %103 = stablehlo.concatenate %101, %102, dim = 0 : (tensor<1x2x3x5xf32>, tensor<1x2x3x5xf32>) -> tensor<2x2x3x5xf32>
    %104 = stablehlo.real %31 : (tensor<2x3x5xcomplex<f32>>) -> tensor<2x3x5xf32>
    %105 = stablehlo.imag %31 : (tensor<2x3x5xcomplex<f32>>) -> tensor<2x3x5xf32>
    %106 = stablehlo.broadcast_in_dim %104, dims = [1, 2, 3] : (tensor<2x3x5xf32>) -> tensor<1x2x3x5xf32>
    %107 = stablehlo.broadcast_in_dim %105, dims = [1, 2, 3] : (tensor<2x3x5xf32>) -> tensor<1x2x3x5xf32>
    %108 = stablehlo.concatenate %106, %107, dim = 0 : (tensor<1x2x3x5xf32>, tensor<1x2x3x5xf32>) -> tensor<2x2x3x5xf32>
    %109 = stablehlo.real %33 : (tensor<2x3x5xcomplex<f32>>) -> tensor<2x3x5xf32>
    %110 = stablehlo.imag %33 : (tensor<2x3x5xcomplex<f32>>) -> tensor<2x3x5xf32>
    %111 = stablehlo.broadcast_in_dim %109, dims = [1, 2, 3] : (tensor<2x3x5xf32>) -> tensor<1x2x3x5xf32>
    %112 = stablehlo.broadcast_in_dim %110, dims = [1, 2, 3] : (tensor<2x3x5xf32>) -> tensor<1x2x3x5xf32>
    %113 = stablehlo.concatenate %111, %112, dim = 0 : (tensor<1x2x3x5xf32>, tensor<1x2x3x5xf32>) -> tensor<2x2x3x5xf32>
    return %38, %43, %48, %53, %58, %63, %68, %73, %78, %83, %88, %93, %98, %103, %108, %113 : tensor<2x2x5x3xf32>, tensor<2x2x5x3xf32>, tensor<2x2x5x3xf32>, tensor<2x2x5x3xf32>, tensor<2x2x5x3xf32>, tensor<2x2x5x3xf32>, tensor<2x2x5x3xf32>, tensor<2x2x5x3xf32>, tensor<2x2x3x5xf32>, tensor<2x2x3x5xf32>, tensor<2x2x3x5xf32>, tensor<2x2x3x5xf32>, tensor<2x2x3x5xf32>, tensor<2x2x3x5xf32>, tensor<2x2x3x5xf32>, tensor<2x2x3x5xf32>
  }
}
