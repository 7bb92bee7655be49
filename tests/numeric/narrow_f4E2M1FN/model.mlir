module @narrow_f4E2M1FN {
  func.func public @main(%a0: tensor<224xf4E2M1FN>, %a1: tensor<224xf4E2M1FN>, %a2: tensor<16xf4E2M1FN>, %a3: tensor<5x19xf4E2M1FN>, %a4: tensor<19x7xf4E2M1FN>, %a5: tensor<1x9x3xf4E2M1FN>, %a6: tensor<3x3x4xf4E2M1FN>) -> (tensor<224xui8>, tensor<224xui8>, tensor<224xui8>, tensor<224xui8>, tensor<224xui8>, tensor<224xui8>, tensor<224xi1>, tensor<224xi1>, tensor<224xi1>, tensor<224xi1>, tensor<224xi1>, tensor<224xi1>, tensor<224xui8>, tensor<16xui8>, tensor<16xui8>, tensor<16xui8>, tensor<16xui8>, tensor<16xui8>, tensor<16xui8>, tensor<16xi1>, tensor<16xf16>, tensor<16xbf16>, tensor<16xf32>, tensor<16xf64>, tensor<16xi2>, tensor<16xi4>, tensor<16xui2>, tensor<16xui4>, tensor<16xi8>, tensor<16xui8>, tensor<16xi32>, tensor<16xui32>, tensor<16xi64>, tensor<16xi1>, tensor<16xui8>, tensor<16xui8>, tensor<16xui8>, tensor<16xui8>, tensor<16xui8>, tensor<16xui8>, tensor<16xui8>, tensor<16xui8>, tensor<16xf32>, tensor<16xf32>, tensor<16xui8>, tensor<5x7xf32>, tensor<5x7xbf16>, tensor<5x7xui8>, tensor<5xui8>, tensor<5xui8>, tensor<5xui8>, tensor<5x19xui8>, tensor<6x39xui8>, tensor<1x9x4xf32>) {
    %0 = stablehlo.add %a0, %a1 : tensor<224xf4E2M1FN>
    %1 = stablehlo.bitcast_convert %0 : (tensor<224xf4E2M1FN>) -> tensor<224xui4>
    %2 = stablehlo.convert %1 : (tensor<224xui4>) -> tensor<224xui8>
    %3 = stablehlo.subtract %a0, %a1 : tensor<224xf4E2M1FN>
    %4 = stablehlo.bitcast_convert %3 : (tensor<224xf4E2M1FN>) -> tensor<224xui4>
    %5 = stablehlo.convert %4 : (tensor<224xui4>) -> tensor<224xui8>
    %6 = stablehlo.multiply %a0, %a1 : tensor<224xf4E2M1FN>
    %7 = stablehlo.bitcast_convert %6 : (tensor<224xf4E2M1FN>) -> tensor<224xui4>
    %8 = stablehlo.convert %7 : (tensor<224xui4>) -> tensor<224xui8>
    %9 = stablehlo.divide %a0, %a1 : tensor<224xf4E2M1FN>
    %10 = stablehlo.bitcast_convert %9 : (tensor<224xf4E2M1FN>) -> tensor<224xui4>
    %11 = stablehlo.convert %10 : (tensor<224xui4>) -> tensor<224xui8>
    %12 = stablehlo.maximum %a0, %a1 : tensor<224xf4E2M1FN>
    %13 = stablehlo.bitcast_convert %12 : (tensor<224xf4E2M1FN>) -> tensor<224xui4>
    %14 = stablehlo.convert %13 : (tensor<224xui4>) -> tensor<224xui8>
    %15 = stablehlo.minimum %a0, %a1 : tensor<224xf4E2M1FN>
    %16 = stablehlo.bitcast_convert %15 : (tensor<224xf4E2M1FN>) -> tensor<224xui4>
    %17 = stablehlo.convert %16 : (tensor<224xui4>) -> tensor<224xui8>
    %18 = stablehlo.compare EQ, %a0, %a1 : (tensor<224xf4E2M1FN>, tensor<224xf4E2M1FN>) -> tensor<224xi1>
    %19 = stablehlo.compare NE, %a0, %a1 : (tensor<224xf4E2M1FN>, tensor<224xf4E2M1FN>) -> tensor<224xi1>
    %20 = stablehlo.compare LT, %a0, %a1 : (tensor<224xf4E2M1FN>, tensor<224xf4E2M1FN>) -> tensor<224xi1>
    %21 = stablehlo.compare LE, %a0, %a1 : (tensor<224xf4E2M1FN>, tensor<224xf4E2M1FN>) -> tensor<224xi1>
    %22 = stablehlo.compare GT, %a0, %a1 : (tensor<224xf4E2M1FN>, tensor<224xf4E2M1FN>) -> tensor<224xi1>
    %23 = stablehlo.compare GE, %a0, %a1 : (tensor<224xf4E2M1FN>, tensor<224xf4E2M1FN>) -> tensor<224xi1>
    %24 = stablehlo.select %20, %a0, %a1 : (tensor<224xi1>, tensor<224xf4E2M1FN>, tensor<224xf4E2M1FN>) -> tensor<224xf4E2M1FN>
    %25 = stablehlo.bitcast_convert %24 : (tensor<224xf4E2M1FN>) -> tensor<224xui4>
    %26 = stablehlo.convert %25 : (tensor<224xui4>) -> tensor<224xui8>
    %27 = stablehlo.negate %a2 : tensor<16xf4E2M1FN>
    %28 = stablehlo.bitcast_convert %27 : (tensor<16xf4E2M1FN>) -> tensor<16xui4>
    %29 = stablehlo.convert %28 : (tensor<16xui4>) -> tensor<16xui8>
    %30 = stablehlo.abs %a2 : tensor<16xf4E2M1FN>
    %31 = stablehlo.bitcast_convert %30 : (tensor<16xf4E2M1FN>) -> tensor<16xui4>
    %32 = stablehlo.convert %31 : (tensor<16xui4>) -> tensor<16xui8>
    %33 = stablehlo.sign %a2 : tensor<16xf4E2M1FN>
    %34 = stablehlo.bitcast_convert %33 : (tensor<16xf4E2M1FN>) -> tensor<16xui4>
    %35 = stablehlo.convert %34 : (tensor<16xui4>) -> tensor<16xui8>
    %36 = stablehlo.floor %a2 : tensor<16xf4E2M1FN>
    %37 = stablehlo.bitcast_convert %36 : (tensor<16xf4E2M1FN>) -> tensor<16xui4>
    %38 = stablehlo.convert %37 : (tensor<16xui4>) -> tensor<16xui8>
    %39 = stablehlo.ceil %a2 : tensor<16xf4E2M1FN>
    %40 = stablehlo.bitcast_convert %39 : (tensor<16xf4E2M1FN>) -> tensor<16xui4>
    %41 = stablehlo.convert %40 : (tensor<16xui4>) -> tensor<16xui8>
    %42 = stablehlo.round_nearest_even %a2 : tensor<16xf4E2M1FN>
    %43 = stablehlo.bitcast_convert %42 : (tensor<16xf4E2M1FN>) -> tensor<16xui4>
    %44 = stablehlo.convert %43 : (tensor<16xui4>) -> tensor<16xui8>
    %45 = stablehlo.is_finite %a2 : (tensor<16xf4E2M1FN>) -> tensor<16xi1>
    %46 = stablehlo.convert %a2 : (tensor<16xf4E2M1FN>) -> tensor<16xf16>
    %47 = stablehlo.convert %a2 : (tensor<16xf4E2M1FN>) -> tensor<16xbf16>
    %48 = stablehlo.convert %a2 : (tensor<16xf4E2M1FN>) -> tensor<16xf32>
    %49 = stablehlo.convert %a2 : (tensor<16xf4E2M1FN>) -> tensor<16xf64>
    %50 = stablehlo.convert %a2 : (tensor<16xf4E2M1FN>) -> tensor<16xi2>
    %51 = stablehlo.convert %a2 : (tensor<16xf4E2M1FN>) -> tensor<16xi4>
    %52 = stablehlo.convert %a2 : (tensor<16xf4E2M1FN>) -> tensor<16xui2>
    %53 = stablehlo.convert %a2 : (tensor<16xf4E2M1FN>) -> tensor<16xui4>
    %54 = stablehlo.convert %a2 : (tensor<16xf4E2M1FN>) -> tensor<16xi8>
    %55 = stablehlo.convert %a2 : (tensor<16xf4E2M1FN>) -> tensor<16xui8>
    %56 = stablehlo.convert %a2 : (tensor<16xf4E2M1FN>) -> tensor<16xi32>
    %57 = stablehlo.convert %a2 : (tensor<16xf4E2M1FN>) -> tensor<16xui32>
    %58 = stablehlo.convert %a2 : (tensor<16xf4E2M1FN>) -> tensor<16xi64>
    %59 = stablehlo.convert %a2 : (tensor<16xf4E2M1FN>) -> tensor<16xi1>
    %60 = stablehlo.convert %a2 : (tensor<16xf4E2M1FN>) -> tensor<16xf8E4M3FN>
    %61 = stablehlo.compare NE, %60, %60 : (tensor<16xf8E4M3FN>, tensor<16xf8E4M3FN>) -> tensor<16xi1>
    %62 = stablehlo.bitcast_convert %60 : (tensor<16xf8E4M3FN>) -> tensor<16xui8>
    %63 = stablehlo.constant dense<127> : tensor<16xui8>
    %64 = stablehlo.select %61, %63, %62 : (tensor<16xi1>, tensor<16xui8>, tensor<16xui8>) -> tensor<16xui8>
    %65 = stablehlo.convert %a2 : (tensor<16xf4E2M1FN>) -> tensor<16xf8E5M2>
    %66 = stablehlo.compare NE, %65, %65 : (tensor<16xf8E5M2>, tensor<16xf8E5M2>) -> tensor<16xi1>
    %67 = stablehlo.bitcast_convert %65 : (tensor<16xf8E5M2>) -> tensor<16xui8>
    %68 = stablehlo.constant dense<126> : tensor<16xui8>
    %69 = stablehlo.select %66, %68, %67 : (tensor<16xi1>, tensor<16xui8>, tensor<16xui8>) -> tensor<16xui8>
    %70 = stablehlo.convert %a2 : (tensor<16xf4E2M1FN>) -> tensor<16xf8E4M3FNUZ>
    %71 = stablehlo.compare NE, %70, %70 : (tensor<16xf8E4M3FNUZ>, tensor<16xf8E4M3FNUZ>) -> tensor<16xi1>
    %72 = stablehlo.bitcast_convert %70 : (tensor<16xf8E4M3FNUZ>) -> tensor<16xui8>
    %73 = stablehlo.constant dense<128> : tensor<16xui8>
    %74 = stablehlo.select %71, %73, %72 : (tensor<16xi1>, tensor<16xui8>, tensor<16xui8>) -> tensor<16xui8>
    %75 = stablehlo.convert %a2 : (tensor<16xf4E2M1FN>) -> tensor<16xf8E5M2FNUZ>
    %76 = stablehlo.compare NE, %75, %75 : (tensor<16xf8E5M2FNUZ>, tensor<16xf8E5M2FNUZ>) -> tensor<16xi1>
    %77 = stablehlo.bitcast_convert %75 : (tensor<16xf8E5M2FNUZ>) -> tensor<16xui8>
    %78 = stablehlo.constant dense<128> : tensor<16xui8>
    %79 = stablehlo.select %76, %78, %77 : (tensor<16xi1>, tensor<16xui8>, tensor<16xui8>) -> tensor<16xui8>
    %80 = stablehlo.convert %a2 : (tensor<16xf4E2M1FN>) -> tensor<16xf8E4M3B11FNUZ>
    %81 = stablehlo.compare NE, %80, %80 : (tensor<16xf8E4M3B11FNUZ>, tensor<16xf8E4M3B11FNUZ>) -> tensor<16xi1>
    %82 = stablehlo.bitcast_convert %80 : (tensor<16xf8E4M3B11FNUZ>) -> tensor<16xui8>
    %83 = stablehlo.constant dense<128> : tensor<16xui8>
    %84 = stablehlo.select %81, %83, %82 : (tensor<16xi1>, tensor<16xui8>, tensor<16xui8>) -> tensor<16xui8>
    %85 = stablehlo.convert %a2 : (tensor<16xf4E2M1FN>) -> tensor<16xf8E4M3>
    %86 = stablehlo.compare NE, %85, %85 : (tensor<16xf8E4M3>, tensor<16xf8E4M3>) -> tensor<16xi1>
    %87 = stablehlo.bitcast_convert %85 : (tensor<16xf8E4M3>) -> tensor<16xui8>
    %88 = stablehlo.constant dense<124> : tensor<16xui8>
    %89 = stablehlo.select %86, %88, %87 : (tensor<16xi1>, tensor<16xui8>, tensor<16xui8>) -> tensor<16xui8>
    %90 = stablehlo.convert %a2 : (tensor<16xf4E2M1FN>) -> tensor<16xf8E3M4>
    %91 = stablehlo.compare NE, %90, %90 : (tensor<16xf8E3M4>, tensor<16xf8E3M4>) -> tensor<16xi1>
    %92 = stablehlo.bitcast_convert %90 : (tensor<16xf8E3M4>) -> tensor<16xui8>
    %93 = stablehlo.constant dense<120> : tensor<16xui8>
    %94 = stablehlo.select %91, %93, %92 : (tensor<16xi1>, tensor<16xui8>, tensor<16xui8>) -> tensor<16xui8>
    %95 = stablehlo.convert %a2 : (tensor<16xf4E2M1FN>) -> tensor<16xf8E8M0FNU>
    %96 = stablehlo.compare NE, %95, %95 : (tensor<16xf8E8M0FNU>, tensor<16xf8E8M0FNU>) -> tensor<16xi1>
    %97 = stablehlo.bitcast_convert %95 : (tensor<16xf8E8M0FNU>) -> tensor<16xui8>
    %98 = stablehlo.constant dense<255> : tensor<16xui8>
    %99 = stablehlo.select %96, %98, %97 : (tensor<16xi1>, tensor<16xui8>, tensor<16xui8>) -> tensor<16xui8>
    %100 = stablehlo.convert %a2 : (tensor<16xf4E2M1FN>) -> tensor<16xf6E2M3FN>
    %101 = stablehlo.convert %100 : (tensor<16xf6E2M3FN>) -> tensor<16xf32>
    %102 = stablehlo.convert %a2 : (tensor<16xf4E2M1FN>) -> tensor<16xf6E3M2FN>
    %103 = stablehlo.convert %102 : (tensor<16xf6E3M2FN>) -> tensor<16xf32>
    %104 = stablehlo.reverse %a2, dims = [0] : tensor<16xf4E2M1FN>
    %105 = stablehlo.bitcast_convert %104 : (tensor<16xf4E2M1FN>) -> tensor<16xui4>
    %106 = stablehlo.convert %105 : (tensor<16xui4>) -> tensor<16xui8>
    %107 = stablehlo.dot_general %a3, %a4, contracting_dims = [1] x [0] : (tensor<5x19xf4E2M1FN>, tensor<19x7xf4E2M1FN>) -> tensor<5x7xf32>
    %108 = stablehlo.dot_general %a3, %a4, contracting_dims = [1] x [0] : (tensor<5x19xf4E2M1FN>, tensor<19x7xf4E2M1FN>) -> tensor<5x7xbf16>
    %109 = stablehlo.dot_general %a3, %a4, contracting_dims = [1] x [0] : (tensor<5x19xf4E2M1FN>, tensor<19x7xf4E2M1FN>) -> tensor<5x7xf4E2M1FN>
    %110 = stablehlo.bitcast_convert %109 : (tensor<5x7xf4E2M1FN>) -> tensor<5x7xui4>
    %111 = stablehlo.convert %110 : (tensor<5x7xui4>) -> tensor<5x7xui8>
    %112 = stablehlo.constant dense<0.0> : tensor<f4E2M1FN>
    %113 = stablehlo.reduce(%a3 init: %112) applies stablehlo.add across dimensions = [1] : (tensor<5x19xf4E2M1FN>, tensor<f4E2M1FN>) -> tensor<5xf4E2M1FN>
    %114 = stablehlo.bitcast_convert %113 : (tensor<5xf4E2M1FN>) -> tensor<5xui4>
    %115 = stablehlo.convert %114 : (tensor<5xui4>) -> tensor<5xui8>
    %116 = stablehlo.reduce(%a3 init: %112) applies stablehlo.maximum across dimensions = [1] : (tensor<5x19xf4E2M1FN>, tensor<f4E2M1FN>) -> tensor<5xf4E2M1FN>
    %117 = stablehlo.bitcast_convert %116 : (tensor<5xf4E2M1FN>) -> tensor<5xui4>
    %118 = stablehlo.convert %117 : (tensor<5xui4>) -> tensor<5xui8>
    %119 = stablehlo.reduce(%a3 init: %112) applies stablehlo.minimum across dimensions = [1] : (tensor<5x19xf4E2M1FN>, tensor<f4E2M1FN>) -> tensor<5xf4E2M1FN>
    %120 = stablehlo.bitcast_convert %119 : (tensor<5xf4E2M1FN>) -> tensor<5xui4>
    %121 = stablehlo.convert %120 : (tensor<5xui4>) -> tensor<5xui8>
    %122 = "stablehlo.sort"(%a3) ({^bb0(%x: tensor<f4E2M1FN>, %y: tensor<f4E2M1FN>): %q = stablehlo.compare GT, %x, %y : (tensor<f4E2M1FN>, tensor<f4E2M1FN>) -> tensor<i1> stablehlo.return %q : tensor<i1>}) {dimension = 1 : i64} : (tensor<5x19xf4E2M1FN>) -> tensor<5x19xf4E2M1FN>
    %123 = stablehlo.bitcast_convert %122 : (tensor<5x19xf4E2M1FN>) -> tensor<5x19xui4>
    %124 = stablehlo.convert %123 : (tensor<5x19xui4>) -> tensor<5x19xui8>
    %125 = stablehlo.constant dense<2.0> : tensor<f4E2M1FN>
    %126 = stablehlo.pad %a3, %125, low = [1, 0], high = [0, 2], interior = [0, 1] : (tensor<5x19xf4E2M1FN>, tensor<f4E2M1FN>) -> tensor<6x39xf4E2M1FN>
    %127 = stablehlo.bitcast_convert %126 : (tensor<6x39xf4E2M1FN>) -> tensor<6x39xui4>
    %128 = stablehlo.convert %127 : (tensor<6x39xui4>) -> tensor<6x39xui8>
    %129 = stablehlo.convolution(%a5, %a6) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x9x3xf4E2M1FN>, tensor<3x3x4xf4E2M1FN>) -> tensor<1x9x4xf32>
    return %2, %5, %8, %11, %14, %17, %18, %19, %20, %21, %22, %23, %26, %29, %32, %35, %38, %41, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %64, %69, %74, %79, %84, %89, %94, %99, %101, %103, %106, %107, %108, %111, %115, %118, %121, %124, %128, %129 : tensor<224xui8>, tensor<224xui8>, tensor<224xui8>, tensor<224xui8>, tensor<224xui8>, tensor<224xui8>, tensor<224xi1>, tensor<224xi1>, tensor<224xi1>, tensor<224xi1>, tensor<224xi1>, tensor<224xi1>, tensor<224xui8>, tensor<16xui8>, tensor<16xui8>, tensor<16xui8>, tensor<16xui8>, tensor<16xui8>, tensor<16xui8>, tensor<16xi1>, tensor<16xf16>, tensor<16xbf16>, tensor<16xf32>, tensor<16xf64>, tensor<16xi2>, tensor<16xi4>, tensor<16xui2>, tensor<16xui4>, tensor<16xi8>, tensor<16xui8>, tensor<16xi32>, tensor<16xui32>, tensor<16xi64>, tensor<16xi1>, tensor<16xui8>, tensor<16xui8>, tensor<16xui8>, tensor<16xui8>, tensor<16xui8>, tensor<16xui8>, tensor<16xui8>, tensor<16xui8>, tensor<16xf32>, tensor<16xf32>, tensor<16xui8>, tensor<5x7xf32>, tensor<5x7xbf16>, tensor<5x7xui8>, tensor<5xui8>, tensor<5xui8>, tensor<5xui8>, tensor<5x19xui8>, tensor<6x39xui8>, tensor<1x9x4xf32>
  }
}
