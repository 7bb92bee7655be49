module @narrow_f6E3M2FN {
  func.func public @main(%a0: tensor<960xf6E3M2FN>, %a1: tensor<960xf6E3M2FN>, %a2: tensor<64xf6E3M2FN>, %a3: tensor<5x19xf6E3M2FN>, %a4: tensor<19x7xf6E3M2FN>, %a5: tensor<1x9x3xf6E3M2FN>, %a6: tensor<3x3x4xf6E3M2FN>) -> (tensor<960xf32>, tensor<960xf32>, tensor<960xf32>, tensor<960xf32>, tensor<960xf32>, tensor<960xf32>, tensor<960xi1>, tensor<960xi1>, tensor<960xi1>, tensor<960xi1>, tensor<960xi1>, tensor<960xi1>, tensor<960xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xi1>, tensor<64xf16>, tensor<64xbf16>, tensor<64xf32>, tensor<64xf64>, tensor<64xi2>, tensor<64xi4>, tensor<64xui2>, tensor<64xui4>, tensor<64xi8>, tensor<64xui8>, tensor<64xi32>, tensor<64xui32>, tensor<64xi64>, tensor<64xi1>, tensor<64xui8>, tensor<64xui8>, tensor<64xui8>, tensor<64xui8>, tensor<64xui8>, tensor<64xui8>, tensor<64xui8>, tensor<64xui8>, tensor<64xf32>, tensor<64xui8>, tensor<64xf32>, tensor<5x7xf32>, tensor<5x7xbf16>, tensor<5x7xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5x19xf32>, tensor<6x39xf32>, tensor<1x9x4xf32>) {
    %0 = stablehlo.add %a0, %a1 : tensor<960xf6E3M2FN>
    %1 = stablehlo.convert %0 : (tensor<960xf6E3M2FN>) -> tensor<960xf32>
    %2 = stablehlo.subtract %a0, %a1 : tensor<960xf6E3M2FN>
    %3 = stablehlo.convert %2 : (tensor<960xf6E3M2FN>) -> tensor<960xf32>
    %4 = stablehlo.multiply %a0, %a1 : tensor<960xf6E3M2FN>
    %5 = stablehlo.convert %4 : (tensor<960xf6E3M2FN>) -> tensor<960xf32>
    %6 = stablehlo.divide %a0, %a1 : tensor<960xf6E3M2FN>
    %7 = stablehlo.convert %6 : (tensor<960xf6E3M2FN>) -> tensor<960xf32>
    %8 = stablehlo.maximum %a0, %a1 : tensor<960xf6E3M2FN>
    %9 = stablehlo.convert %8 : (tensor<960xf6E3M2FN>) -> tensor<960xf32>
    %10 = stablehlo.minimum %a0, %a1 : tensor<960xf6E3M2FN>
    %11 = stablehlo.convert %10 : (tensor<960xf6E3M2FN>) -> tensor<960xf32>
    %12 = stablehlo.compare EQ, %a0, %a1 : (tensor<960xf6E3M2FN>, tensor<960xf6E3M2FN>) -> tensor<960xi1>
    %13 = stablehlo.compare NE, %a0, %a1 : (tensor<960xf6E3M2FN>, tensor<960xf6E3M2FN>) -> tensor<960xi1>
    %14 = stablehlo.compare LT, %a0, %a1 : (tensor<960xf6E3M2FN>, tensor<960xf6E3M2FN>) -> tensor<960xi1>
    %15 = stablehlo.compare LE, %a0, %a1 : (tensor<960xf6E3M2FN>, tensor<960xf6E3M2FN>) -> tensor<960xi1>
    %16 = stablehlo.compare GT, %a0, %a1 : (tensor<960xf6E3M2FN>, tensor<960xf6E3M2FN>) -> tensor<960xi1>
    %17 = stablehlo.compare GE, %a0, %a1 : (tensor<960xf6E3M2FN>, tensor<960xf6E3M2FN>) -> tensor<960xi1>
    %18 = stablehlo.select %14, %a0, %a1 : (tensor<960xi1>, tensor<960xf6E3M2FN>, tensor<960xf6E3M2FN>) -> tensor<960xf6E3M2FN>
    %19 = stablehlo.convert %18 : (tensor<960xf6E3M2FN>) -> tensor<960xf32>
    %20 = stablehlo.negate %a2 : tensor<64xf6E3M2FN>
    %21 = stablehlo.convert %20 : (tensor<64xf6E3M2FN>) -> tensor<64xf32>
    %22 = stablehlo.abs %a2 : tensor<64xf6E3M2FN>
    %23 = stablehlo.convert %22 : (tensor<64xf6E3M2FN>) -> tensor<64xf32>
    %24 = stablehlo.sign %a2 : tensor<64xf6E3M2FN>
    %25 = stablehlo.convert %24 : (tensor<64xf6E3M2FN>) -> tensor<64xf32>
    %26 = stablehlo.floor %a2 : tensor<64xf6E3M2FN>
    %27 = stablehlo.convert %26 : (tensor<64xf6E3M2FN>) -> tensor<64xf32>
    %28 = stablehlo.ceil %a2 : tensor<64xf6E3M2FN>
    %29 = stablehlo.convert %28 : (tensor<64xf6E3M2FN>) -> tensor<64xf32>
    %30 = stablehlo.round_nearest_even %a2 : tensor<64xf6E3M2FN>
    %31 = stablehlo.convert %30 : (tensor<64xf6E3M2FN>) -> tensor<64xf32>
    %32 = stablehlo.is_finite %a2 : (tensor<64xf6E3M2FN>) -> tensor<64xi1>
    %33 = stablehlo.convert %a2 : (tensor<64xf6E3M2FN>) -> tensor<64xf16>
    %34 = stablehlo.convert %a2 : (tensor<64xf6E3M2FN>) -> tensor<64xbf16>
    %35 = stablehlo.convert %a2 : (tensor<64xf6E3M2FN>) -> tensor<64xf32>
    %36 = stablehlo.convert %a2 : (tensor<64xf6E3M2FN>) -> tensor<64xf64>
    %37 = stablehlo.convert %a2 : (tensor<64xf6E3M2FN>) -> tensor<64xi2>
    %38 = stablehlo.convert %a2 : (tensor<64xf6E3M2FN>) -> tensor<64xi4>
    %39 = stablehlo.convert %a2 : (tensor<64xf6E3M2FN>) -> tensor<64xui2>
    %40 = stablehlo.convert %a2 : (tensor<64xf6E3M2FN>) -> tensor<64xui4>
    %41 = stablehlo.convert %a2 : (tensor<64xf6E3M2FN>) -> tensor<64xi8>
    %42 = stablehlo.convert %a2 : (tensor<64xf6E3M2FN>) -> tensor<64xui8>
    %43 = stablehlo.convert %a2 : (tensor<64xf6E3M2FN>) -> tensor<64xi32>
    %44 = stablehlo.convert %a2 : (tensor<64xf6E3M2FN>) -> tensor<64xui32>
    %45 = stablehlo.convert %a2 : (tensor<64xf6E3M2FN>) -> tensor<64xi64>
    %46 = stablehlo.convert %a2 : (tensor<64xf6E3M2FN>) -> tensor<64xi1>
    %47 = stablehlo.convert %a2 : (tensor<64xf6E3M2FN>) -> tensor<64xf8E4M3FN>
    %48 = stablehlo.compare NE, %47, %47 : (tensor<64xf8E4M3FN>, tensor<64xf8E4M3FN>) -> tensor<64xi1>
    %49 = stablehlo.bitcast_convert %47 : (tensor<64xf8E4M3FN>) -> tensor<64xui8>
    %50 = stablehlo.constant dense<127> : tensor<64xui8>
    %51 = stablehlo.select %48, %50, %49 : (tensor<64xi1>, tensor<64xui8>, tensor<64xui8>) -> tensor<64xui8>
    %52 = stablehlo.convert %a2 : (tensor<64xf6E3M2FN>) -> tensor<64xf8E5M2>
    %53 = stablehlo.compare NE, %52, %52 : (tensor<64xf8E5M2>, tensor<64xf8E5M2>) -> tensor<64xi1>
    %54 = stablehlo.bitcast_convert %52 : (tensor<64xf8E5M2>) -> tensor<64xui8>
    %55 = stablehlo.constant dense<126> : tensor<64xui8>
    %56 = stablehlo.select %53, %55, %54 : (tensor<64xi1>, tensor<64xui8>, tensor<64xui8>) -> tensor<64xui8>
    %57 = stablehlo.convert %a2 : (tensor<64xf6E3M2FN>) -> tensor<64xf8E4M3FNUZ>
    %58 = stablehlo.compare NE, %57, %57 : (tensor<64xf8E4M3FNUZ>, tensor<64xf8E4M3FNUZ>) -> tensor<64xi1>
    %59 = stablehlo.bitcast_convert %57 : (tensor<64xf8E4M3FNUZ>) -> tensor<64xui8>
    %60 = stablehlo.constant dense<128> : tensor<64xui8>
    %61 = stablehlo.select %58, %60, %59 : (tensor<64xi1>, tensor<64xui8>, tensor<64xui8>) -> tensor<64xui8>
    %62 = stablehlo.convert %a2 : (tensor<64xf6E3M2FN>) -> tensor<64xf8E5M2FNUZ>
    %63 = stablehlo.compare NE, %62, %62 : (tensor<64xf8E5M2FNUZ>, tensor<64xf8E5M2FNUZ>) -> tensor<64xi1>
    %64 = stablehlo.bitcast_convert %62 : (tensor<64xf8E5M2FNUZ>) -> tensor<64xui8>
    %65 = stablehlo.constant dense<128> : tensor<64xui8>
    %66 = stablehlo.select %63, %65, %64 : (tensor<64xi1>, tensor<64xui8>, tensor<64xui8>) -> tensor<64xui8>
    %67 = stablehlo.convert %a2 : (tensor<64xf6E3M2FN>) -> tensor<64xf8E4M3B11FNUZ>
    %68 = stablehlo.compare NE, %67, %67 : (tensor<64xf8E4M3B11FNUZ>, tensor<64xf8E4M3B11FNUZ>) -> tensor<64xi1>
    %69 = stablehlo.bitcast_convert %67 : (tensor<64xf8E4M3B11FNUZ>) -> tensor<64xui8>
    %70 = stablehlo.constant dense<128> : tensor<64xui8>
    %71 = stablehlo.select %68, %70, %69 : (tensor<64xi1>, tensor<64xui8>, tensor<64xui8>) -> tensor<64xui8>
    %72 = stablehlo.convert %a2 : (tensor<64xf6E3M2FN>) -> tensor<64xf8E4M3>
    %73 = stablehlo.compare NE, %72, %72 : (tensor<64xf8E4M3>, tensor<64xf8E4M3>) -> tensor<64xi1>
    %74 = stablehlo.bitcast_convert %72 : (tensor<64xf8E4M3>) -> tensor<64xui8>
    %75 = stablehlo.constant dense<124> : tensor<64xui8>
    %76 = stablehlo.select %73, %75, %74 : (tensor<64xi1>, tensor<64xui8>, tensor<64xui8>) -> tensor<64xui8>
    %77 = stablehlo.convert %a2 : (tensor<64xf6E3M2FN>) -> tensor<64xf8E3M4>
    %78 = stablehlo.compare NE, %77, %77 : (tensor<64xf8E3M4>, tensor<64xf8E3M4>) -> tensor<64xi1>
    %79 = stablehlo.bitcast_convert %77 : (tensor<64xf8E3M4>) -> tensor<64xui8>
    %80 = stablehlo.constant dense<120> : tensor<64xui8>
    %81 = stablehlo.select %78, %80, %79 : (tensor<64xi1>, tensor<64xui8>, tensor<64xui8>) -> tensor<64xui8>
    %82 = stablehlo.convert %a2 : (tensor<64xf6E3M2FN>) -> tensor<64xf8E8M0FNU>
    %83 = stablehlo.compare NE, %82, %82 : (tensor<64xf8E8M0FNU>, tensor<64xf8E8M0FNU>) -> tensor<64xi1>
    %84 = stablehlo.bitcast_convert %82 : (tensor<64xf8E8M0FNU>) -> tensor<64xui8>
    %85 = stablehlo.constant dense<255> : tensor<64xui8>
    %86 = stablehlo.select %83, %85, %84 : (tensor<64xi1>, tensor<64xui8>, tensor<64xui8>) -> tensor<64xui8>
    %87 = stablehlo.convert %a2 : (tensor<64xf6E3M2FN>) -> tensor<64xf6E2M3FN>
    %88 = stablehlo.convert %87 : (tensor<64xf6E2M3FN>) -> tensor<64xf32>
    %89 = stablehlo.convert %a2 : (tensor<64xf6E3M2FN>) -> tensor<64xf4E2M1FN>
    %90 = stablehlo.bitcast_convert %89 : (tensor<64xf4E2M1FN>) -> tensor<64xui4>
    %91 = stablehlo.convert %90 : (tensor<64xui4>) -> tensor<64xui8>
    %92 = stablehlo.reverse %a2, dims = [0] : tensor<64xf6E3M2FN>
    %93 = stablehlo.convert %92 : (tensor<64xf6E3M2FN>) -> tensor<64xf32>
    %94 = stablehlo.dot_general %a3, %a4, contracting_dims = [1] x [0] : (tensor<5x19xf6E3M2FN>, tensor<19x7xf6E3M2FN>) -> tensor<5x7xf32>
    %95 = stablehlo.dot_general %a3, %a4, contracting_dims = [1] x [0] : (tensor<5x19xf6E3M2FN>, tensor<19x7xf6E3M2FN>) -> tensor<5x7xbf16>
    %96 = stablehlo.dot_general %a3, %a4, contracting_dims = [1] x [0] : (tensor<5x19xf6E3M2FN>, tensor<19x7xf6E3M2FN>) -> tensor<5x7xf6E3M2FN>
    %97 = stablehlo.convert %96 : (tensor<5x7xf6E3M2FN>) -> tensor<5x7xf32>
    %98 = stablehlo.constant dense<0.0> : tensor<f6E3M2FN>
    %99 = stablehlo.reduce(%a3 init: %98) applies stablehlo.add across dimensions = [1] : (tensor<5x19xf6E3M2FN>, tensor<f6E3M2FN>) -> tensor<5xf6E3M2FN>
    %100 = stablehlo.convert %99 : (tensor<5xf6E3M2FN>) -> tensor<5xf32>
    %101 = stablehlo.reduce(%a3 init: %98) applies stablehlo.maximum across dimensions = [1] : (tensor<5x19xf6E3M2FN>, tensor<f6E3M2FN>) -> tensor<5xf6E3M2FN>
    %102 = stablehlo.convert %101 : (tensor<5xf6E3M2FN>) -> tensor<5xf32>
    %103 = stablehlo.reduce(%a3 init: %98) applies stablehlo.minimum across dimensions = [1] : (tensor<5x19xf6E3M2FN>, tensor<f6E3M2FN>) -> tensor<5xf6E3M2FN>
    %104 = stablehlo.convert %103 : (tensor<5xf6E3M2FN>) -> tensor<5xf32>
    %105 = "stablehlo.sort"(%a3) ({^bb0(%x: tensor<f6E3M2FN>, %y: tensor<f6E3M2FN>): %q = stablehlo.compare GT, %x, %y : (tensor<f6E3M2FN>, tensor<f6E3M2FN>) -> tensor<i1> stablehlo.return %q : tensor<i1>}) {dimension = 1 : i64} : (tensor<5x19xf6E3M2FN>) -> tensor<5x19xf6E3M2FN>
    %106 = stablehlo.convert %105 : (tensor<5x19xf6E3M2FN>) -> tensor<5x19xf32>
    %107 = stablehlo.constant dense<2.0> : tensor<f6E3M2FN>
    %108 = stablehlo.pad %a3, %107, low = [1, 0], high = [0, 2], interior = [0, 1] : (tensor<5x19xf6E3M2FN>, tensor<f6E3M2FN>) -> tensor<6x39xf6E3M2FN>
    %109 = stablehlo.convert %108 : (tensor<6x39xf6E3M2FN>) -> tensor<6x39xf32>
    %110 = stablehlo.convolution(%a5, %a6) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x9x3xf6E3M2FN>, tensor<3x3x4xf6E3M2FN>) -> tensor<1x9x4xf32>
    return %1, %3, %5, %7, %9, %11, %12, %13, %14, %15, %16, %17, %19, %21, %23, %25, %27, %29, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %51, %56, %61, %66, %71, %76, %81, %86, %88, %91, %93, %94, %95, %97, %100, %102, %104, %106, %109, %110 : tensor<960xf32>, tensor<960xf32>, tensor<960xf32>, tensor<960xf32>, tensor<960xf32>, tensor<960xf32>, tensor<960xi1>, tensor<960xi1>, tensor<960xi1>, tensor<960xi1>, tensor<960xi1>, tensor<960xi1>, tensor<960xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xi1>, tensor<64xf16>, tensor<64xbf16>, tensor<64xf32>, tensor<64xf64>, tensor<64xi2>, tensor<64xi4>, tensor<64xui2>, tensor<64xui4>, tensor<64xi8>, tensor<64xui8>, tensor<64xi32>, tensor<64xui32>, tensor<64xi64>, tensor<64xi1>, tensor<64xui8>, tensor<64xui8>, tensor<64xui8>, tensor<64xui8>, tensor<64xui8>, tensor<64xui8>, tensor<64xui8>, tensor<64xui8>, tensor<64xf32>, tensor<64xui8>, tensor<64xf32>, tensor<5x7xf32>, tensor<5x7xbf16>, tensor<5x7xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5x19xf32>, tensor<6x39xf32>, tensor<1x9x4xf32>
  }
}
