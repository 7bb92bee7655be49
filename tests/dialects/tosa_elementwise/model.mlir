func.func @main(%a0: tensor<3x1x5xf32>, %a1: tensor<1x7x5xf32>, %a2: tensor<3x1x5xf32>) -> (tensor<3x7x5xf32>, tensor<3x7x5xf32>, tensor<3x7x5xf32>, tensor<3x7x5xf32>, tensor<3x7x5xf32>, tensor<3x7x5xf32>, tensor<3x7x5xi1>, tensor<3x7x5xi1>, tensor<3x1x5xi1>, tensor<3x7x5xf32>, tensor<1x7x5xf32>, tensor<3x1x5xf32>, tensor<3x1x5xf32>, tensor<3x1x5xf32>, tensor<3x1x5xf32>, tensor<3x1x5xf32>, tensor<3x1x5xf32>, tensor<3x1x5xf32>, tensor<3x1x5xf32>, tensor<3x1x5xf32>, tensor<3x1x5xf32>, tensor<3x1x5xf32>, tensor<3x1x5xf32>, tensor<3x1x5xf32>, tensor<3x1x5xi32>) {
  %0 = "tosa.add"(%a0, %a1) : (tensor<3x1x5xf32>, tensor<1x7x5xf32>) -> tensor<3x7x5xf32>
  %1 = "tosa.sub"(%a0, %a1) : (tensor<3x1x5xf32>, tensor<1x7x5xf32>) -> tensor<3x7x5xf32>
  %2 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %3 = "tosa.mul"(%a0, %a1, %2) : (tensor<3x1x5xf32>, tensor<1x7x5xf32>, tensor<1xi8>) -> tensor<3x7x5xf32>
  %4 = "tosa.pow"(%a2, %a1) : (tensor<3x1x5xf32>, tensor<1x7x5xf32>) -> tensor<3x7x5xf32>
  %5 = "tosa.maximum"(%a0, %a1) <{nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<3x1x5xf32>, tensor<1x7x5xf32>) -> tensor<3x7x5xf32>
  %6 = "tosa.minimum"(%a0, %a1) <{nan_mode = #tosa.nan_mode<IGNORE>}> : (tensor<3x1x5xf32>, tensor<1x7x5xf32>) -> tensor<3x7x5xf32>
  %7 = "tosa.greater"(%a0, %a1) : (tensor<3x1x5xf32>, tensor<1x7x5xf32>) -> tensor<3x7x5xi1>
  %8 = "tosa.greater_equal"(%a0, %a1) : (tensor<3x1x5xf32>, tensor<1x7x5xf32>) -> tensor<3x7x5xi1>
  %9 = "tosa.equal"(%a0, %a0) : (tensor<3x1x5xf32>, tensor<3x1x5xf32>) -> tensor<3x1x5xi1>
  %10 = "tosa.greater"(%a0, %a1) : (tensor<3x1x5xf32>, tensor<1x7x5xf32>) -> tensor<3x7x5xi1>
  %11 = "tosa.select"(%10, %a0, %a1) : (tensor<3x7x5xi1>, tensor<3x1x5xf32>, tensor<1x7x5xf32>) -> tensor<3x7x5xf32>
  %12 = "tosa.clamp"(%a1) <{min_val = -0.5 : f32, max_val = 0.75 : f32, nan_mode = #tosa.nan_mode<IGNORE>}> : (tensor<1x7x5xf32>) -> tensor<1x7x5xf32>
  %13 = "tosa.abs"(%a0) : (tensor<3x1x5xf32>) -> tensor<3x1x5xf32>
  %14 = "tosa.ceil"(%a0) : (tensor<3x1x5xf32>) -> tensor<3x1x5xf32>
  %15 = "tosa.floor"(%a0) : (tensor<3x1x5xf32>) -> tensor<3x1x5xf32>
  %16 = "tosa.cos"(%a0) : (tensor<3x1x5xf32>) -> tensor<3x1x5xf32>
  %17 = "tosa.sin"(%a0) : (tensor<3x1x5xf32>) -> tensor<3x1x5xf32>
  %18 = "tosa.exp"(%a0) : (tensor<3x1x5xf32>) -> tensor<3x1x5xf32>
  %19 = "tosa.tanh"(%a0) : (tensor<3x1x5xf32>) -> tensor<3x1x5xf32>
  %20 = "tosa.erf"(%a0) : (tensor<3x1x5xf32>) -> tensor<3x1x5xf32>
  %21 = "tosa.sigmoid"(%a0) : (tensor<3x1x5xf32>) -> tensor<3x1x5xf32>
  %22 = "tosa.log"(%a2) : (tensor<3x1x5xf32>) -> tensor<3x1x5xf32>
  %23 = "tosa.reciprocal"(%a2) : (tensor<3x1x5xf32>) -> tensor<3x1x5xf32>
  %24 = "tosa.rsqrt"(%a2) : (tensor<3x1x5xf32>) -> tensor<3x1x5xf32>
  %25 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %26 = "tosa.negate"(%a0, %25, %25) : (tensor<3x1x5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<3x1x5xf32>
  %27 = "tosa.cast"(%a0) : (tensor<3x1x5xf32>) -> tensor<3x1x5xi32>
  return %0, %1, %3, %4, %5, %6, %7, %8, %9, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %26, %27 : tensor<3x7x5xf32>, tensor<3x7x5xf32>, tensor<3x7x5xf32>, tensor<3x7x5xf32>, tensor<3x7x5xf32>, tensor<3x7x5xf32>, tensor<3x7x5xi1>, tensor<3x7x5xi1>, tensor<3x1x5xi1>, tensor<3x7x5xf32>, tensor<1x7x5xf32>, tensor<3x1x5xf32>, tensor<3x1x5xf32>, tensor<3x1x5xf32>, tensor<3x1x5xf32>, tensor<3x1x5xf32>, tensor<3x1x5xf32>, tensor<3x1x5xf32>, tensor<3x1x5xf32>, tensor<3x1x5xf32>, tensor<3x1x5xf32>, tensor<3x1x5xf32>, tensor<3x1x5xf32>, tensor<3x1x5xf32>, tensor<3x1x5xi32>
}
