module @small_int_i2 {
  func.func public @main(%a0: tensor<16xi2>, %a1: tensor<16xi2>) -> (tensor<16xi2>, tensor<16xi2>, tensor<16xi2>, tensor<16xi2>, tensor<16xi2>, tensor<16xi2>, tensor<16xi2>, tensor<16xi2>, tensor<16xi2>, tensor<16xi2>, tensor<16xi2>, tensor<16xi2>, tensor<16xi2>, tensor<16xi2>, tensor<16xi2>, tensor<16xi2>, tensor<16xi2>, tensor<16xi2>, tensor<16xi2>, tensor<16xi2>, tensor<16xi1>, tensor<16xi1>, tensor<16xi1>, tensor<16xi4>, tensor<16xi2>, tensor<16xui2>, tensor<16xi2>, tensor<16xui4>, tensor<16xi2>, tensor<16xi8>, tensor<16xi2>, tensor<16xui8>, tensor<16xi2>, tensor<16xi32>, tensor<16xi2>, tensor<16xui32>, tensor<16xi2>, tensor<16xi64>, tensor<16xi2>, tensor<16xf32>, tensor<16xi2>, tensor<4x4xi32>, tensor<4x4xi2>, tensor<4xi2>, tensor<4xi2>, tensor<4xi2>, tensor<16xi2>, tensor<16xi2>, tensor<4xui8>, tensor<4x4xi2>, tensor<1xui32>, tensor<1x16xi2>) {
    %0 = stablehlo.add %a0, %a1 : tensor<16xi2>
    %1 = stablehlo.subtract %a0, %a1 : tensor<16xi2>
    %2 = stablehlo.multiply %a0, %a1 : tensor<16xi2>
    %3 = stablehlo.divide %a0, %a1 : tensor<16xi2>
    %4 = stablehlo.remainder %a0, %a1 : tensor<16xi2>
    %5 = stablehlo.maximum %a0, %a1 : tensor<16xi2>
    %6 = stablehlo.minimum %a0, %a1 : tensor<16xi2>
    %7 = stablehlo.power %a0, %a1 : tensor<16xi2>
    %8 = stablehlo.and %a0, %a1 : tensor<16xi2>
    %9 = stablehlo.or %a0, %a1 : tensor<16xi2>
    %10 = stablehlo.xor %a0, %a1 : tensor<16xi2>
    %11 = stablehlo.shift_left %a0, %a1 : tensor<16xi2>
    %12 = stablehlo.shift_right_logical %a0, %a1 : tensor<16xi2>
    %13 = stablehlo.shift_right_arithmetic %a0, %a1 : tensor<16xi2>
    %14 = stablehlo.not %a0 : tensor<16xi2>
    %15 = stablehlo.negate %a0 : tensor<16xi2>
    %16 = stablehlo.popcnt %a0 : tensor<16xi2>
    %17 = stablehlo.count_leading_zeros %a0 : tensor<16xi2>
    %18 = stablehlo.abs %a0 : tensor<16xi2>
    %19 = stablehlo.sign %a0 : tensor<16xi2>
    %20 = stablehlo.compare EQ, %a0, %a1 : (tensor<16xi2>, tensor<16xi2>) -> tensor<16xi1>
    %21 = stablehlo.compare LT, %a0, %a1 : (tensor<16xi2>, tensor<16xi2>) -> tensor<16xi1>
    %22 = stablehlo.compare GE, %a0, %a1 : (tensor<16xi2>, tensor<16xi2>) -> tensor<16xi1>
    %23 = stablehlo.convert %a0 : (tensor<16xi2>) -> tensor<16xi4>
    %24 = stablehlo.convert %23 : (tensor<16xi4>) -> tensor<16xi2>
    %25 = stablehlo.convert %a0 : (tensor<16xi2>) -> tensor<16xui2>
    %26 = stablehlo.convert %25 : (tensor<16xui2>) -> tensor<16xi2>
    %27 = stablehlo.convert %a0 : (tensor<16xi2>) -> tensor<16xui4>
    %28 = stablehlo.convert %27 : (tensor<16xui4>) -> tensor<16xi2>
    %29 = stablehlo.convert %a0 : (tensor<16xi2>) -> tensor<16xi8>
    %30 = stablehlo.convert %29 : (tensor<16xi8>) -> tensor<16xi2>
    %31 = stablehlo.convert %a0 : (tensor<16xi2>) -> tensor<16xui8>
    %32 = stablehlo.convert %31 : (tensor<16xui8>) -> tensor<16xi2>
    %33 = stablehlo.convert %a0 : (tensor<16xi2>) -> tensor<16xi32>
    %34 = stablehlo.convert %33 : (tensor<16xi32>) -> tensor<16xi2>
    %35 = stablehlo.convert %a0 : (tensor<16xi2>) -> tensor<16xui32>
    %36 = stablehlo.convert %35 : (tensor<16xui32>) -> tensor<16xi2>
    %37 = stablehlo.convert %a0 : (tensor<16xi2>) -> tensor<16xi64>
    %38 = stablehlo.convert %37 : (tensor<16xi64>) -> tensor<16xi2>
    %39 = stablehlo.convert %a0 : (tensor<16xi2>) -> tensor<16xf32>
    %40 = stablehlo.constant dense<3.75> : tensor<16xf32>
    %41 = stablehlo.multiply %39, %40 : tensor<16xf32>
    %42 = stablehlo.convert %41 : (tensor<16xf32>) -> tensor<16xi2>
    %43 = stablehlo.reshape %a1 : (tensor<16xi2>) -> tensor<4x4xi2>
    %44 = stablehlo.dot_general %43, %43, contracting_dims = [1] x [0] : (tensor<4x4xi2>, tensor<4x4xi2>) -> tensor<4x4xi32>
    %45 = stablehlo.dot_general %43, %43, contracting_dims = [1] x [0] : (tensor<4x4xi2>, tensor<4x4xi2>) -> tensor<4x4xi2>
    %46 = stablehlo.constant dense<0> : tensor<i2>
    %47 = stablehlo.reshape %a0 : (tensor<16xi2>) -> tensor<4x4xi2>
    %48 = stablehlo.reduce(%47 init: %46) applies stablehlo.add across dimensions = [1] : (tensor<4x4xi2>, tensor<i2>) -> tensor<4xi2>
    %49 = stablehlo.constant dense<-2> : tensor<i2>
    %50 = stablehlo.reduce(%43 init: %49) applies stablehlo.maximum across dimensions = [0] : (tensor<4x4xi2>, tensor<i2>) -> tensor<4xi2>
    %51 = stablehlo.constant dense<1> : tensor<i2>
    %52 = stablehlo.reduce(%43 init: %51) applies stablehlo.minimum across dimensions = [0] : (tensor<4x4xi2>, tensor<i2>) -> tensor<4xi2>
    %53 = "stablehlo.sort"(%a1) ({^bb0(%x: tensor<i2>, %y: tensor<i2>): %q = stablehlo.compare GT, %x, %y : (tensor<i2>, tensor<i2>) -> tensor<i1> stablehlo.return %q : tensor<i1>}) {dimension = 0 : i64} : (tensor<16xi2>) -> tensor<16xi2>
    %54 = stablehlo.iota dim = 0 : tensor<16xi2>
    %55 = stablehlo.reshape %a0 : (tensor<16xi2>) -> tensor<4x4xi2>
    %56 = stablehlo.bitcast_convert %55 : (tensor<4x4xi2>) -> tensor<4xui8>
    %57 = stablehlo.bitcast_convert %56 : (tensor<4xui8>) -> tensor<4x4xi2>
    %58 = stablehlo.reshape %a0 : (tensor<16xi2>) -> tensor<1x16xi2>
    %59 = stablehlo.bitcast_convert %58 : (tensor<1x16xi2>) -> tensor<1xui32>
    %60 = stablehlo.bitcast_convert %59 : (tensor<1xui32>) -> tensor<1x16xi2>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %42, %44, %45, %48, %50, %52, %53, %54, %56, %57, %59, %60 : tensor<16xi2>, tensor<16xi2>, tensor<16xi2>, tensor<16xi2>, tensor<16xi2>, tensor<16xi2>, tensor<16xi2>, tensor<16xi2>, tensor<16xi2>, tensor<16xi2>, tensor<16xi2>, tensor<16xi2>, tensor<16xi2>, tensor<16xi2>, tensor<16xi2>, tensor<16xi2>, tensor<16xi2>, tensor<16xi2>, tensor<16xi2>, tensor<16xi2>, tensor<16xi1>, tensor<16xi1>, tensor<16xi1>, tensor<16xi4>, tensor<16xi2>, tensor<16xui2>, tensor<16xi2>, tensor<16xui4>, tensor<16xi2>, tensor<16xi8>, tensor<16xi2>, tensor<16xui8>, tensor<16xi2>, tensor<16xi32>, tensor<16xi2>, tensor<16xui32>, tensor<16xi2>, tensor<16xi64>, tensor<16xi2>, tensor<16xf32>, tensor<16xi2>, tensor<4x4xi32>, tensor<4x4xi2>, tensor<4xi2>, tensor<4xi2>, tensor<4xi2>, tensor<16xi2>, tensor<16xi2>, tensor<4xui8>, tensor<4x4xi2>, tensor<1xui32>, tensor<1x16xi2>
  }
}
