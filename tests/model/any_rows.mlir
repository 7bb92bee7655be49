module @any_rows {
  func.func public @predict(%x: tensor<?x1024xbf16>, %w: tensor<1024x512xbf16>, %bias: tensor<512xf32>) -> tensor<?x512xbf16> {
    %columns = stablehlo.constant dense<512> : tensor<1xi32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %b = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x1024xbf16>) -> tensor<i32>
    %rows = stablehlo.reshape %b : (tensor<i32>) -> tensor<1xi32>
    %shape = stablehlo.concatenate %rows, %columns, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<?x1024xbf16>, tensor<1024x512xbf16>) -> tensor<?x512xf32>
    %1 = stablehlo.dynamic_broadcast_in_dim %bias, %shape, dims = [1] : (tensor<512xf32>, tensor<2xi32>) -> tensor<?x512xf32>
    %2 = stablehlo.add %0, %1 : tensor<?x512xf32>
    %3 = stablehlo.dynamic_broadcast_in_dim %zero, %shape, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x512xf32>
    %4 = stablehlo.maximum %2, %3 : tensor<?x512xf32>
    %5 = stablehlo.convert %4 : (tensor<?x512xf32>) -> tensor<?x512xbf16>
    return %5 : tensor<?x512xbf16>
  }
}
