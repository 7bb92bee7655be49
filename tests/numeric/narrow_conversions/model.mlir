module @narrow_conversions {
  func.func public @main(%a0: tensor<ui16>, %a1: tensor<256xui32>) -> (tensor<8x256xui32>, tensor<8x256xui32>, tensor<8x256xui32>, tensor<8x256xui32>, tensor<8x256xui32>, tensor<8x256xui32>, tensor<8x256xui32>, tensor<8x256xui32>, tensor<8x256xui32>, tensor<8x256xui32>, tensor<8x256xui32>) {
    %0 = stablehlo.iota dim = 0 : tensor<65536xui16>
    %1 = stablehlo.broadcast_in_dim %a0, dims = [] : (tensor<ui16>) -> tensor<65536xui16>
    %2 = stablehlo.xor %0, %1 : tensor<65536xui16>
    %3 = stablehlo.bitcast_convert %2 : (tensor<65536xui16>) -> tensor<65536xf16>
    %4 = stablehlo.bitcast_convert %2 : (tensor<65536xui16>) -> tensor<65536xbf16>
    %5 = stablehlo.convert %2 : (tensor<65536xui16>) -> tensor<65536xui32>
    %6 = stablehlo.constant dense<16> : tensor<65536xui32>
    %7 = stablehlo.shift_left %5, %6 : tensor<65536xui32>
    %8 = stablehlo.constant dense<1> : tensor<65536xui32>
    %9 = stablehlo.or %7, %8 : tensor<65536xui32>
    %10 = stablehlo.bitcast_convert %9 : (tensor<65536xui32>) -> tensor<65536xf32>
    %11 = stablehlo.constant dense<32768> : tensor<65536xui32>
    %12 = stablehlo.or %7, %11 : tensor<65536xui32>
    %13 = stablehlo.bitcast_convert %12 : (tensor<65536xui32>) -> tensor<65536xf32>
    %14 = stablehlo.constant dense<65535> : tensor<65536xui32>
    %15 = stablehlo.or %7, %14 : tensor<65536xui32>
    %16 = stablehlo.bitcast_convert %15 : (tensor<65536xui32>) -> tensor<65536xf32>
    %17 = stablehlo.convert %2 : (tensor<65536xui16>) -> tensor<65536xui64>
    %18 = stablehlo.constant dense<48> : tensor<65536xui64>
    %19 = stablehlo.shift_left %17, %18 : tensor<65536xui64>
    %20 = stablehlo.constant dense<1> : tensor<65536xui64>
    %21 = stablehlo.or %19, %20 : tensor<65536xui64>
    %22 = stablehlo.bitcast_convert %21 : (tensor<65536xui64>) -> tensor<65536xf64>
    %23 = stablehlo.constant dense<140737488355328> : tensor<65536xui64>
    %24 = stablehlo.or %19, %23 : tensor<65536xui64>
    %25 = stablehlo.bitcast_convert %24 : (tensor<65536xui64>) -> tensor<65536xf64>
    %26 = stablehlo.constant dense<140737488355327> : tensor<65536xui64>
    %27 = stablehlo.or %19, %26 : tensor<65536xui64>
    %28 = stablehlo.bitcast_convert %27 : (tensor<65536xui64>) -> tensor<65536xf64>
    %29 = stablehlo.broadcast_in_dim %a1, dims = [1] : (tensor<256xui32>) -> tensor<256x256xui32>
    %30 = stablehlo.constant dense<0> : tensor<ui32>
    %31 = stablehlo.convert %3 : (tensor<65536xf16>) -> tensor<65536xf8E4M3FN>
    %32 = stablehlo.compare NE, %31, %31 : (tensor<65536xf8E4M3FN>, tensor<65536xf8E4M3FN>) -> tensor<65536xi1>
    %33 = stablehlo.constant dense<"0x7F"> : tensor<65536xf8E4M3FN>
    %34 = stablehlo.select %32, %33, %31 : (tensor<65536xi1>, tensor<65536xf8E4M3FN>, tensor<65536xf8E4M3FN>) -> tensor<65536xf8E4M3FN>
    %35 = stablehlo.bitcast_convert %34 : (tensor<65536xf8E4M3FN>) -> tensor<65536xui8>
    %36 = stablehlo.convert %35 : (tensor<65536xui8>) -> tensor<65536xui32>
    %37 = stablehlo.reshape %36 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %38 = stablehlo.multiply %37, %29 : tensor<256x256xui32>
    %39 = stablehlo.reduce(%38 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %40 = stablehlo.convert %4 : (tensor<65536xbf16>) -> tensor<65536xf8E4M3FN>
    %41 = stablehlo.compare NE, %40, %40 : (tensor<65536xf8E4M3FN>, tensor<65536xf8E4M3FN>) -> tensor<65536xi1>
    %42 = stablehlo.constant dense<"0x7F"> : tensor<65536xf8E4M3FN>
    %43 = stablehlo.select %41, %42, %40 : (tensor<65536xi1>, tensor<65536xf8E4M3FN>, tensor<65536xf8E4M3FN>) -> tensor<65536xf8E4M3FN>
    %44 = stablehlo.bitcast_convert %43 : (tensor<65536xf8E4M3FN>) -> tensor<65536xui8>
    %45 = stablehlo.convert %44 : (tensor<65536xui8>) -> tensor<65536xui32>
    %46 = stablehlo.reshape %45 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %47 = stablehlo.multiply %46, %29 : tensor<256x256xui32>
    %48 = stablehlo.reduce(%47 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %49 = stablehlo.convert %10 : (tensor<65536xf32>) -> tensor<65536xf8E4M3FN>
    %50 = stablehlo.compare NE, %49, %49 : (tensor<65536xf8E4M3FN>, tensor<65536xf8E4M3FN>) -> tensor<65536xi1>
    %51 = stablehlo.constant dense<"0x7F"> : tensor<65536xf8E4M3FN>
    %52 = stablehlo.select %50, %51, %49 : (tensor<65536xi1>, tensor<65536xf8E4M3FN>, tensor<65536xf8E4M3FN>) -> tensor<65536xf8E4M3FN>
    %53 = stablehlo.bitcast_convert %52 : (tensor<65536xf8E4M3FN>) -> tensor<65536xui8>
    %54 = stablehlo.convert %53 : (tensor<65536xui8>) -> tensor<65536xui32>
    %55 = stablehlo.reshape %54 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %56 = stablehlo.multiply %55, %29 : tensor<256x256xui32>
    %57 = stablehlo.reduce(%56 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %58 = stablehlo.convert %13 : (tensor<65536xf32>) -> tensor<65536xf8E4M3FN>
    %59 = stablehlo.compare NE, %58, %58 : (tensor<65536xf8E4M3FN>, tensor<65536xf8E4M3FN>) -> tensor<65536xi1>
    %60 = stablehlo.constant dense<"0x7F"> : tensor<65536xf8E4M3FN>
    %61 = stablehlo.select %59, %60, %58 : (tensor<65536xi1>, tensor<65536xf8E4M3FN>, tensor<65536xf8E4M3FN>) -> tensor<65536xf8E4M3FN>
    %62 = stablehlo.bitcast_convert %61 : (tensor<65536xf8E4M3FN>) -> tensor<65536xui8>
    %63 = stablehlo.convert %62 : (tensor<65536xui8>) -> tensor<65536xui32>
    %64 = stablehlo.reshape %63 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %65 = stablehlo.multiply %64, %29 : tensor<256x256xui32>
    %66 = stablehlo.reduce(%65 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %67 = stablehlo.convert %16 : (tensor<65536xf32>) -> tensor<65536xf8E4M3FN>
    %68 = stablehlo.compare NE, %67, %67 : (tensor<65536xf8E4M3FN>, tensor<65536xf8E4M3FN>) -> tensor<65536xi1>
    %69 = stablehlo.constant dense<"0x7F"> : tensor<65536xf8E4M3FN>
    %70 = stablehlo.select %68, %69, %67 : (tensor<65536xi1>, tensor<65536xf8E4M3FN>, tensor<65536xf8E4M3FN>) -> tensor<65536xf8E4M3FN>
    %71 = stablehlo.bitcast_convert %70 : (tensor<65536xf8E4M3FN>) -> tensor<65536xui8>
    %72 = stablehlo.convert %71 : (tensor<65536xui8>) -> tensor<65536xui32>
    %73 = stablehlo.reshape %72 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %74 = stablehlo.multiply %73, %29 : tensor<256x256xui32>
    %75 = stablehlo.reduce(%74 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %76 = stablehlo.convert %22 : (tensor<65536xf64>) -> tensor<65536xf8E4M3FN>
    %77 = stablehlo.compare NE, %76, %76 : (tensor<65536xf8E4M3FN>, tensor<65536xf8E4M3FN>) -> tensor<65536xi1>
    %78 = stablehlo.constant dense<"0x7F"> : tensor<65536xf8E4M3FN>
    %79 = stablehlo.select %77, %78, %76 : (tensor<65536xi1>, tensor<65536xf8E4M3FN>, tensor<65536xf8E4M3FN>) -> tensor<65536xf8E4M3FN>
    %80 = stablehlo.bitcast_convert %79 : (tensor<65536xf8E4M3FN>) -> tensor<65536xui8>
    %81 = stablehlo.convert %80 : (tensor<65536xui8>) -> tensor<65536xui32>
    %82 = stablehlo.reshape %81 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %83 = stablehlo.multiply %82, %29 : tensor<256x256xui32>
    %84 = stablehlo.reduce(%83 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %85 = stablehlo.convert %25 : (tensor<65536xf64>) -> tensor<65536xf8E4M3FN>
    %86 = stablehlo.compare NE, %85, %85 : (tensor<65536xf8E4M3FN>, tensor<65536xf8E4M3FN>) -> tensor<65536xi1>
    %87 = stablehlo.constant dense<"0x7F"> : tensor<65536xf8E4M3FN>
    %88 = stablehlo.select %86, %87, %85 : (tensor<65536xi1>, tensor<65536xf8E4M3FN>, tensor<65536xf8E4M3FN>) -> tensor<65536xf8E4M3FN>
    %89 = stablehlo.bitcast_convert %88 : (tensor<65536xf8E4M3FN>) -> tensor<65536xui8>
    %90 = stablehlo.convert %89 : (tensor<65536xui8>) -> tensor<65536xui32>
    %91 = stablehlo.reshape %90 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %92 = stablehlo.multiply %91, %29 : tensor<256x256xui32>
    %93 = stablehlo.reduce(%92 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %94 = stablehlo.convert %28 : (tensor<65536xf64>) -> tensor<65536xf8E4M3FN>
    %95 = stablehlo.compare NE, %94, %94 : (tensor<65536xf8E4M3FN>, tensor<65536xf8E4M3FN>) -> tensor<65536xi1>
    %96 = stablehlo.constant dense<"0x7F"> : tensor<65536xf8E4M3FN>
    %97 = stablehlo.select %95, %96, %94 : (tensor<65536xi1>, tensor<65536xf8E4M3FN>, tensor<65536xf8E4M3FN>) -> tensor<65536xf8E4M3FN>
    %98 = stablehlo.bitcast_convert %97 : (tensor<65536xf8E4M3FN>) -> tensor<65536xui8>
    %99 = stablehlo.convert %98 : (tensor<65536xui8>) -> tensor<65536xui32>
    %100 = stablehlo.reshape %99 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %101 = stablehlo.multiply %100, %29 : tensor<256x256xui32>
    %102 = stablehlo.reduce(%101 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %103 = stablehlo.reshape %39 : (tensor<256xui32>) -> tensor<1x256xui32>
    %104 = stablehlo.reshape %48 : (tensor<256xui32>) -> tensor<1x256xui32>
    %105 = stablehlo.reshape %57 : (tensor<256xui32>) -> tensor<1x256xui32>
    %106 = stablehlo.reshape %66 : (tensor<256xui32>) -> tensor<1x256xui32>
    %107 = stablehlo.reshape %75 : (tensor<256xui32>) -> tensor<1x256xui32>
    %108 = stablehlo.reshape %84 : (tensor<256xui32>) -> tensor<1x256xui32>
    %109 = stablehlo.reshape %93 : (tensor<256xui32>) -> tensor<1x256xui32>
    %110 = stablehlo.reshape %102 : (tensor<256xui32>) -> tensor<1x256xui32>
    %111 = stablehlo.concatenate %103, %104, %105, %106, %107, %108, %109, %110, dim = 0 : (tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>) -> tensor<8x256xui32>
    %112 = stablehlo.convert %3 : (tensor<65536xf16>) -> tensor<65536xf8E5M2>
    %113 = stablehlo.compare NE, %112, %112 : (tensor<65536xf8E5M2>, tensor<65536xf8E5M2>) -> tensor<65536xi1>
    %114 = stablehlo.constant dense<"0x7E"> : tensor<65536xf8E5M2>
    %115 = stablehlo.select %113, %114, %112 : (tensor<65536xi1>, tensor<65536xf8E5M2>, tensor<65536xf8E5M2>) -> tensor<65536xf8E5M2>
    %116 = stablehlo.bitcast_convert %115 : (tensor<65536xf8E5M2>) -> tensor<65536xui8>
    %117 = stablehlo.convert %116 : (tensor<65536xui8>) -> tensor<65536xui32>
    %118 = stablehlo.reshape %117 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %119 = stablehlo.multiply %118, %29 : tensor<256x256xui32>
    %120 = stablehlo.reduce(%119 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %121 = stablehlo.convert %4 : (tensor<65536xbf16>) -> tensor<65536xf8E5M2>
    %122 = stablehlo.compare NE, %121, %121 : (tensor<65536xf8E5M2>, tensor<65536xf8E5M2>) -> tensor<65536xi1>
    %123 = stablehlo.constant dense<"0x7E"> : tensor<65536xf8E5M2>
    %124 = stablehlo.select %122, %123, %121 : (tensor<65536xi1>, tensor<65536xf8E5M2>, tensor<65536xf8E5M2>) -> tensor<65536xf8E5M2>
    %125 = stablehlo.bitcast_convert %124 : (tensor<65536xf8E5M2>) -> tensor<65536xui8>
    %126 = stablehlo.convert %125 : (tensor<65536xui8>) -> tensor<65536xui32>
    %127 = stablehlo.reshape %126 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %128 = stablehlo.multiply %127, %29 : tensor<256x256xui32>
    %129 = stablehlo.reduce(%128 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %130 = stablehlo.convert %10 : (tensor<65536xf32>) -> tensor<65536xf8E5M2>
    %131 = stablehlo.compare NE, %130, %130 : (tensor<65536xf8E5M2>, tensor<65536xf8E5M2>) -> tensor<65536xi1>
    %132 = stablehlo.constant dense<"0x7E"> : tensor<65536xf8E5M2>
    %133 = stablehlo.select %131, %132, %130 : (tensor<65536xi1>, tensor<65536xf8E5M2>, tensor<65536xf8E5M2>) -> tensor<65536xf8E5M2>
    %134 = stablehlo.bitcast_convert %133 : (tensor<65536xf8E5M2>) -> tensor<65536xui8>
    %135 = stablehlo.convert %134 : (tensor<65536xui8>) -> tensor<65536xui32>
    %136 = stablehlo.reshape %135 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %137 = stablehlo.multiply %136, %29 : tensor<256x256xui32>
    %138 = stablehlo.reduce(%137 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %139 = stablehlo.convert %13 : (tensor<65536xf32>) -> tensor<65536xf8E5M2>
    %140 = stablehlo.compare NE, %139, %139 : (tensor<65536xf8E5M2>, tensor<65536xf8E5M2>) -> tensor<65536xi1>
    %141 = stablehlo.constant dense<"0x7E"> : tensor<65536xf8E5M2>
    %142 = stablehlo.select %140, %141, %139 : (tensor<65536xi1>, tensor<65536xf8E5M2>, tensor<65536xf8E5M2>) -> tensor<65536xf8E5M2>
    %143 = stablehlo.bitcast_convert %142 : (tensor<65536xf8E5M2>) -> tensor<65536xui8>
    %144 = stablehlo.convert %143 : (tensor<65536xui8>) -> tensor<65536xui32>
    %145 = stablehlo.reshape %144 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %146 = stablehlo.multiply %145, %29 : tensor<256x256xui32>
    %147 = stablehlo.reduce(%146 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %148 = stablehlo.convert %16 : (tensor<65536xf32>) -> tensor<65536xf8E5M2>
    %149 = stablehlo.compare NE, %148, %148 : (tensor<65536xf8E5M2>, tensor<65536xf8E5M2>) -> tensor<65536xi1>
    %150 = stablehlo.constant dense<"0x7E"> : tensor<65536xf8E5M2>
    %151 = stablehlo.select %149, %150, %148 : (tensor<65536xi1>, tensor<65536xf8E5M2>, tensor<65536xf8E5M2>) -> tensor<65536xf8E5M2>
    %152 = stablehlo.bitcast_convert %151 : (tensor<65536xf8E5M2>) -> tensor<65536xui8>
    %153 = stablehlo.convert %152 : (tensor<65536xui8>) -> tensor<65536xui32>
    %154 = stablehlo.reshape %153 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %155 = stablehlo.multiply %154, %29 : tensor<256x256xui32>
    %156 = stablehlo.reduce(%155 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %157 = stablehlo.convert %22 : (tensor<65536xf64>) -> tensor<65536xf8E5M2>
    %158 = stablehlo.compare NE, %157, %157 : (tensor<65536xf8E5M2>, tensor<65536xf8E5M2>) -> tensor<65536xi1>
    %159 = stablehlo.constant dense<"0x7E"> : tensor<65536xf8E5M2>
    %160 = stablehlo.select %158, %159, %157 : (tensor<65536xi1>, tensor<65536xf8E5M2>, tensor<65536xf8E5M2>) -> tensor<65536xf8E5M2>
    %161 = stablehlo.bitcast_convert %160 : (tensor<65536xf8E5M2>) -> tensor<65536xui8>
    %162 = stablehlo.convert %161 : (tensor<65536xui8>) -> tensor<65536xui32>
    %163 = stablehlo.reshape %162 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %164 = stablehlo.multiply %163, %29 : tensor<256x256xui32>
    %165 = stablehlo.reduce(%164 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %166 = stablehlo.convert %25 : (tensor<65536xf64>) -> tensor<65536xf8E5M2>
    %167 = stablehlo.compare NE, %166, %166 : (tensor<65536xf8E5M2>, tensor<65536xf8E5M2>) -> tensor<65536xi1>
    %168 = stablehlo.constant dense<"0x7E"> : tensor<65536xf8E5M2>
    %169 = stablehlo.select %167, %168, %166 : (tensor<65536xi1>, tensor<65536xf8E5M2>, tensor<65536xf8E5M2>) -> tensor<65536xf8E5M2>
    %170 = stablehlo.bitcast_convert %169 : (tensor<65536xf8E5M2>) -> tensor<65536xui8>
    %171 = stablehlo.convert %170 : (tensor<65536xui8>) -> tensor<65536xui32>
    %172 = stablehlo.reshape %171 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %173 = stablehlo.multiply %172, %29 : tensor<256x256xui32>
    %174 = stablehlo.reduce(%173 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %175 = stablehlo.convert %28 : (tensor<65536xf64>) -> tensor<65536xf8E5M2>
    %176 = stablehlo.compare NE, %175, %175 : (tensor<65536xf8E5M2>, tensor<65536xf8E5M2>) -> tensor<65536xi1>
    %177 = stablehlo.constant dense<"0x7E"> : tensor<65536xf8E5M2>
    %178 = stablehlo.select %176, %177, %175 : (tensor<65536xi1>, tensor<65536xf8E5M2>, tensor<65536xf8E5M2>) -> tensor<65536xf8E5M2>
    %179 = stablehlo.bitcast_convert %178 : (tensor<65536xf8E5M2>) -> tensor<65536xui8>
    %180 = stablehlo.convert %179 : (tensor<65536xui8>) -> tensor<65536xui32>
    %181 = stablehlo.reshape %180 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %182 = stablehlo.multiply %181, %29 : tensor<256x256xui32>
    %183 = stablehlo.reduce(%182 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %184 = stablehlo.reshape %120 : (tensor<256xui32>) -> tensor<1x256xui32>
    %185 = stablehlo.reshape %129 : (tensor<256xui32>) -> tensor<1x256xui32>
    %186 = stablehlo.reshape %138 : (tensor<256xui32>) -> tensor<1x256xui32>
    %187 = stablehlo.reshape %147 : (tensor<256xui32>) -> tensor<1x256xui32>
    %188 = stablehlo.reshape %156 : (tensor<256xui32>) -> tensor<1x256xui32>
    %189 = stablehlo.reshape %165 : (tensor<256xui32>) -> tensor<1x256xui32>
    %190 = stablehlo.reshape %174 : (tensor<256xui32>) -> tensor<1x256xui32>
    %191 = stablehlo.reshape %183 : (tensor<256xui32>) -> tensor<1x256xui32>
    %192 = stablehlo.concatenate %184, %185, %186, %187, %188, %189, %190, %191, dim = 0 : (tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>) -> tensor<8x256xui32>
    %193 = stablehlo.convert %3 : (tensor<65536xf16>) -> tensor<65536xf8E4M3FNUZ>
    %194 = stablehlo.compare NE, %193, %193 : (tensor<65536xf8E4M3FNUZ>, tensor<65536xf8E4M3FNUZ>) -> tensor<65536xi1>
    %195 = stablehlo.constant dense<"0x80"> : tensor<65536xf8E4M3FNUZ>
    %196 = stablehlo.select %194, %195, %193 : (tensor<65536xi1>, tensor<65536xf8E4M3FNUZ>, tensor<65536xf8E4M3FNUZ>) -> tensor<65536xf8E4M3FNUZ>
    %197 = stablehlo.bitcast_convert %196 : (tensor<65536xf8E4M3FNUZ>) -> tensor<65536xui8>
    %198 = stablehlo.convert %197 : (tensor<65536xui8>) -> tensor<65536xui32>
    %199 = stablehlo.reshape %198 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %200 = stablehlo.multiply %199, %29 : tensor<256x256xui32>
    %201 = stablehlo.reduce(%200 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %202 = stablehlo.convert %4 : (tensor<65536xbf16>) -> tensor<65536xf8E4M3FNUZ>
    %203 = stablehlo.compare NE, %202, %202 : (tensor<65536xf8E4M3FNUZ>, tensor<65536xf8E4M3FNUZ>) -> tensor<65536xi1>
    %204 = stablehlo.constant dense<"0x80"> : tensor<65536xf8E4M3FNUZ>
    %205 = stablehlo.select %203, %204, %202 : (tensor<65536xi1>, tensor<65536xf8E4M3FNUZ>, tensor<65536xf8E4M3FNUZ>) -> tensor<65536xf8E4M3FNUZ>
    %206 = stablehlo.bitcast_convert %205 : (tensor<65536xf8E4M3FNUZ>) -> tensor<65536xui8>
    %207 = stablehlo.convert %206 : (tensor<65536xui8>) -> tensor<65536xui32>
    %208 = stablehlo.reshape %207 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %209 = stablehlo.multiply %208, %29 : tensor<256x256xui32>
    %210 = stablehlo.reduce(%209 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %211 = stablehlo.convert %10 : (tensor<65536xf32>) -> tensor<65536xf8E4M3FNUZ>
    %212 = stablehlo.compare NE, %211, %211 : (tensor<65536xf8E4M3FNUZ>, tensor<65536xf8E4M3FNUZ>) -> tensor<65536xi1>
    %213 = stablehlo.constant dense<"0x80"> : tensor<65536xf8E4M3FNUZ>
    %214 = stablehlo.select %212, %213, %211 : (tensor<65536xi1>, tensor<65536xf8E4M3FNUZ>, tensor<65536xf8E4M3FNUZ>) -> tensor<65536xf8E4M3FNUZ>
    %215 = stablehlo.bitcast_convert %214 : (tensor<65536xf8E4M3FNUZ>) -> tensor<65536xui8>
    %216 = stablehlo.convert %215 : (tensor<65536xui8>) -> tensor<65536xui32>
    %217 = stablehlo.reshape %216 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %218 = stablehlo.multiply %217, %29 : tensor<256x256xui32>
    %219 = stablehlo.reduce(%218 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %220 = stablehlo.convert %13 : (tensor<65536xf32>) -> tensor<65536xf8E4M3FNUZ>
    %221 = stablehlo.compare NE, %220, %220 : (tensor<65536xf8E4M3FNUZ>, tensor<65536xf8E4M3FNUZ>) -> tensor<65536xi1>
    %222 = stablehlo.constant dense<"0x80"> : tensor<65536xf8E4M3FNUZ>
    %223 = stablehlo.select %221, %222, %220 : (tensor<65536xi1>, tensor<65536xf8E4M3FNUZ>, tensor<65536xf8E4M3FNUZ>) -> tensor<65536xf8E4M3FNUZ>
    %224 = stablehlo.bitcast_convert %223 : (tensor<65536xf8E4M3FNUZ>) -> tensor<65536xui8>
    %225 = stablehlo.convert %224 : (tensor<65536xui8>) -> tensor<65536xui32>
    %226 = stablehlo.reshape %225 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %227 = stablehlo.multiply %226, %29 : tensor<256x256xui32>
    %228 = stablehlo.reduce(%227 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %229 = stablehlo.convert %16 : (tensor<65536xf32>) -> tensor<65536xf8E4M3FNUZ>
    %230 = stablehlo.compare NE, %229, %229 : (tensor<65536xf8E4M3FNUZ>, tensor<65536xf8E4M3FNUZ>) -> tensor<65536xi1>
    %231 = stablehlo.constant dense<"0x80"> : tensor<65536xf8E4M3FNUZ>
    %232 = stablehlo.select %230, %231, %229 : (tensor<65536xi1>, tensor<65536xf8E4M3FNUZ>, tensor<65536xf8E4M3FNUZ>) -> tensor<65536xf8E4M3FNUZ>
    %233 = stablehlo.bitcast_convert %232 : (tensor<65536xf8E4M3FNUZ>) -> tensor<65536xui8>
    %234 = stablehlo.convert %233 : (tensor<65536xui8>) -> tensor<65536xui32>
    %235 = stablehlo.reshape %234 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %236 = stablehlo.multiply %235, %29 : tensor<256x256xui32>
    %237 = stablehlo.reduce(%236 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %238 = stablehlo.convert %22 : (tensor<65536xf64>) -> tensor<65536xf8E4M3FNUZ>
    %239 = stablehlo.compare NE, %238, %238 : (tensor<65536xf8E4M3FNUZ>, tensor<65536xf8E4M3FNUZ>) -> tensor<65536xi1>
    %240 = stablehlo.constant dense<"0x80"> : tensor<65536xf8E4M3FNUZ>
    %241 = stablehlo.select %239, %240, %238 : (tensor<65536xi1>, tensor<65536xf8E4M3FNUZ>, tensor<65536xf8E4M3FNUZ>) -> tensor<65536xf8E4M3FNUZ>
    %242 = stablehlo.bitcast_convert %241 : (tensor<65536xf8E4M3FNUZ>) -> tensor<65536xui8>
    %243 = stablehlo.convert %242 : (tensor<65536xui8>) -> tensor<65536xui32>
    %244 = stablehlo.reshape %243 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %245 = stablehlo.multiply %244, %29 : tensor<256x256xui32>
    %246 = stablehlo.reduce(%245 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %247 = stablehlo.convert %25 : (tensor<65536xf64>) -> tensor<65536xf8E4M3FNUZ>
    %248 = stablehlo.compare NE, %247, %247 : (tensor<65536xf8E4M3FNUZ>, tensor<65536xf8E4M3FNUZ>) -> tensor<65536xi1>
    %249 = stablehlo.constant dense<"0x80"> : tensor<65536xf8E4M3FNUZ>
    %250 = stablehlo.select %248, %249, %247 : (tensor<65536xi1>, tensor<65536xf8E4M3FNUZ>, tensor<65536xf8E4M3FNUZ>) -> tensor<65536xf8E4M3FNUZ>
    %251 = stablehlo.bitcast_convert %250 : (tensor<65536xf8E4M3FNUZ>) -> tensor<65536xui8>
    %252 = stablehlo.convert %251 : (tensor<65536xui8>) -> tensor<65536xui32>
    %253 = stablehlo.reshape %252 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %254 = stablehlo.multiply %253, %29 : tensor<256x256xui32>
    %255 = stablehlo.reduce(%254 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %256 = stablehlo.convert %28 : (tensor<65536xf64>) -> tensor<65536xf8E4M3FNUZ>
    %257 = stablehlo.compare NE, %256, %256 : (tensor<65536xf8E4M3FNUZ>, tensor<65536xf8E4M3FNUZ>) -> tensor<65536xi1>
    %258 = stablehlo.constant dense<"0x80"> : tensor<65536xf8E4M3FNUZ>
    %259 = stablehlo.select %257, %258, %256 : (tensor<65536xi1>, tensor<65536xf8E4M3FNUZ>, tensor<65536xf8E4M3FNUZ>) -> tensor<65536xf8E4M3FNUZ>
    %260 = stablehlo.bitcast_convert %259 : (tensor<65536xf8E4M3FNUZ>) -> tensor<65536xui8>
    %261 = stablehlo.convert %260 : (tensor<65536xui8>) -> tensor<65536xui32>
    %262 = stablehlo.reshape %261 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %263 = stablehlo.multiply %262, %29 : tensor<256x256xui32>
    %264 = stablehlo.reduce(%263 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %265 = stablehlo.reshape %201 : (tensor<256xui32>) -> tensor<1x256xui32>
    %266 = stablehlo.reshape %210 : (tensor<256xui32>) -> tensor<1x256xui32>
    %267 = stablehlo.reshape %219 : (tensor<256xui32>) -> tensor<1x256xui32>
    %268 = stablehlo.reshape %228 : (tensor<256xui32>) -> tensor<1x256xui32>
    %269 = stablehlo.reshape %237 : (tensor<256xui32>) -> tensor<1x256xui32>
    %270 = stablehlo.reshape %246 : (tensor<256xui32>) -> tensor<1x256xui32>
    %271 = stablehlo.reshape %255 : (tensor<256xui32>) -> tensor<1x256xui32>
    %272 = stablehlo.reshape %264 : (tensor<256xui32>) -> tensor<1x256xui32>
    %273 = stablehlo.concatenate %265, %266, %267, %268, %269, %270, %271, %272, dim = 0 : (tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>) -> tensor<8x256xui32>
    %274 = stablehlo.convert %3 : (tensor<65536xf16>) -> tensor<65536xf8E5M2FNUZ>
    %275 = stablehlo.compare NE, %274, %274 : (tensor<65536xf8E5M2FNUZ>, tensor<65536xf8E5M2FNUZ>) -> tensor<65536xi1>
    %276 = stablehlo.constant dense<"0x80"> : tensor<65536xf8E5M2FNUZ>
    %277 = stablehlo.select %275, %276, %274 : (tensor<65536xi1>, tensor<65536xf8E5M2FNUZ>, tensor<65536xf8E5M2FNUZ>) -> tensor<65536xf8E5M2FNUZ>
    %278 = stablehlo.bitcast_convert %277 : (tensor<65536xf8E5M2FNUZ>) -> tensor<65536xui8>
    %279 = stablehlo.convert %278 : (tensor<65536xui8>) -> tensor<65536xui32>
    %280 = stablehlo.reshape %279 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %281 = stablehlo.multiply %280, %29 : tensor<256x256xui32>
    %282 = stablehlo.reduce(%281 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %283 = stablehlo.convert %4 : (tensor<65536xbf16>) -> tensor<65536xf8E5M2FNUZ>
    %284 = stablehlo.compare NE, %283, %283 : (tensor<65536xf8E5M2FNUZ>, tensor<65536xf8E5M2FNUZ>) -> tensor<65536xi1>
    %285 = stablehlo.constant dense<"0x80"> : tensor<65536xf8E5M2FNUZ>
    %286 = stablehlo.select %284, %285, %283 : (tensor<65536xi1>, tensor<65536xf8E5M2FNUZ>, tensor<65536xf8E5M2FNUZ>) -> tensor<65536xf8E5M2FNUZ>
    %287 = stablehlo.bitcast_convert %286 : (tensor<65536xf8E5M2FNUZ>) -> tensor<65536xui8>
    %288 = stablehlo.convert %287 : (tensor<65536xui8>) -> tensor<65536xui32>
    %289 = stablehlo.reshape %288 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %290 = stablehlo.multiply %289, %29 : tensor<256x256xui32>
    %291 = stablehlo.reduce(%290 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %292 = stablehlo.convert %10 : (tensor<65536xf32>) -> tensor<65536xf8E5M2FNUZ>
    %293 = stablehlo.compare NE, %292, %292 : (tensor<65536xf8E5M2FNUZ>, tensor<65536xf8E5M2FNUZ>) -> tensor<65536xi1>
    %294 = stablehlo.constant dense<"0x80"> : tensor<65536xf8E5M2FNUZ>
    %295 = stablehlo.select %293, %294, %292 : (tensor<65536xi1>, tensor<65536xf8E5M2FNUZ>, tensor<65536xf8E5M2FNUZ>) -> tensor<65536xf8E5M2FNUZ>
    %296 = stablehlo.bitcast_convert %295 : (tensor<65536xf8E5M2FNUZ>) -> tensor<65536xui8>
    %297 = stablehlo.convert %296 : (tensor<65536xui8>) -> tensor<65536xui32>
    %298 = stablehlo.reshape %297 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %299 = stablehlo.multiply %298, %29 : tensor<256x256xui32>
    %300 = stablehlo.reduce(%299 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %301 = stablehlo.convert %13 : (tensor<65536xf32>) -> tensor<65536xf8E5M2FNUZ>
    %302 = stablehlo.compare NE, %301, %301 : (tensor<65536xf8E5M2FNUZ>, tensor<65536xf8E5M2FNUZ>) -> tensor<65536xi1>
    %303 = stablehlo.constant dense<"0x80"> : tensor<65536xf8E5M2FNUZ>
    %304 = stablehlo.select %302, %303, %301 : (tensor<65536xi1>, tensor<65536xf8E5M2FNUZ>, tensor<65536xf8E5M2FNUZ>) -> tensor<65536xf8E5M2FNUZ>
    %305 = stablehlo.bitcast_convert %304 : (tensor<65536xf8E5M2FNUZ>) -> tensor<65536xui8>
    %306 = stablehlo.convert %305 : (tensor<65536xui8>) -> tensor<65536xui32>
    %307 = stablehlo.reshape %306 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %308 = stablehlo.multiply %307, %29 : tensor<256x256xui32>
    %309 = stablehlo.reduce(%308 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %310 = stablehlo.convert %16 : (tensor<65536xf32>) -> tensor<65536xf8E5M2FNUZ>
    %311 = stablehlo.compare NE, %310, %310 : (tensor<65536xf8E5M2FNUZ>, tensor<65536xf8E5M2FNUZ>) -> tensor<65536xi1>
    %312 = stablehlo.constant dense<"0x80"> : tensor<65536xf8E5M2FNUZ>
    %313 = stablehlo.select %311, %312, %310 : (tensor<65536xi1>, tensor<65536xf8E5M2FNUZ>, tensor<65536xf8E5M2FNUZ>) -> tensor<65536xf8E5M2FNUZ>
    %314 = stablehlo.bitcast_convert %313 : (tensor<65536xf8E5M2FNUZ>) -> tensor<65536xui8>
    %315 = stablehlo.convert %314 : (tensor<65536xui8>) -> tensor<65536xui32>
    %316 = stablehlo.reshape %315 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %317 = stablehlo.multiply %316, %29 : tensor<256x256xui32>
    %318 = stablehlo.reduce(%317 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %319 = stablehlo.convert %22 : (tensor<65536xf64>) -> tensor<65536xf8E5M2FNUZ>
    %320 = stablehlo.compare NE, %319, %319 : (tensor<65536xf8E5M2FNUZ>, tensor<65536xf8E5M2FNUZ>) -> tensor<65536xi1>
    %321 = stablehlo.constant dense<"0x80"> : tensor<65536xf8E5M2FNUZ>
    %322 = stablehlo.select %320, %321, %319 : (tensor<65536xi1>, tensor<65536xf8E5M2FNUZ>, tensor<65536xf8E5M2FNUZ>) -> tensor<65536xf8E5M2FNUZ>
    %323 = stablehlo.bitcast_convert %322 : (tensor<65536xf8E5M2FNUZ>) -> tensor<65536xui8>
    %324 = stablehlo.convert %323 : (tensor<65536xui8>) -> tensor<65536xui32>
    %325 = stablehlo.reshape %324 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %326 = stablehlo.multiply %325, %29 : tensor<256x256xui32>
    %327 = stablehlo.reduce(%326 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %328 = stablehlo.convert %25 : (tensor<65536xf64>) -> tensor<65536xf8E5M2FNUZ>
    %329 = stablehlo.compare NE, %328, %328 : (tensor<65536xf8E5M2FNUZ>, tensor<65536xf8E5M2FNUZ>) -> tensor<65536xi1>
    %330 = stablehlo.constant dense<"0x80"> : tensor<65536xf8E5M2FNUZ>
    %331 = stablehlo.select %329, %330, %328 : (tensor<65536xi1>, tensor<65536xf8E5M2FNUZ>, tensor<65536xf8E5M2FNUZ>) -> tensor<65536xf8E5M2FNUZ>
    %332 = stablehlo.bitcast_convert %331 : (tensor<65536xf8E5M2FNUZ>) -> tensor<65536xui8>
    %333 = stablehlo.convert %332 : (tensor<65536xui8>) -> tensor<65536xui32>
    %334 = stablehlo.reshape %333 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %335 = stablehlo.multiply %334, %29 : tensor<256x256xui32>
    %336 = stablehlo.reduce(%335 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %337 = stablehlo.convert %28 : (tensor<65536xf64>) -> tensor<65536xf8E5M2FNUZ>
    %338 = stablehlo.compare NE, %337, %337 : (tensor<65536xf8E5M2FNUZ>, tensor<65536xf8E5M2FNUZ>) -> tensor<65536xi1>
    %339 = stablehlo.constant dense<"0x80"> : tensor<65536xf8E5M2FNUZ>
    %340 = stablehlo.select %338, %339, %337 : (tensor<65536xi1>, tensor<65536xf8E5M2FNUZ>, tensor<65536xf8E5M2FNUZ>) -> tensor<65536xf8E5M2FNUZ>
    %341 = stablehlo.bitcast_convert %340 : (tensor<65536xf8E5M2FNUZ>) -> tensor<65536xui8>
    %342 = stablehlo.convert %341 : (tensor<65536xui8>) -> tensor<65536xui32>
    %343 = stablehlo.reshape %342 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %344 = stablehlo.multiply %343, %29 : tensor<256x256xui32>
    %345 = stablehlo.reduce(%344 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %346 = stablehlo.reshape %282 : (tensor<256xui32>) -> tensor<1x256xui32>
    %347 = stablehlo.reshape %291 : (tensor<256xui32>) -> tensor<1x256xui32>
    %348 = stablehlo.reshape %300 : (tensor<256xui32>) -> tensor<1x256xui32>
    %349 = stablehlo.reshape %309 : (tensor<256xui32>) -> tensor<1x256xui32>
    %350 = stablehlo.reshape %318 : (tensor<256xui32>) -> tensor<1x256xui32>
    %351 = stablehlo.reshape %327 : (tensor<256xui32>) -> tensor<1x256xui32>
    %352 = stablehlo.reshape %336 : (tensor<256xui32>) -> tensor<1x256xui32>
    %353 = stablehlo.reshape %345 : (tensor<256xui32>) -> tensor<1x256xui32>
    %354 = stablehlo.concatenate %346, %347, %348, %349, %350, %351, %352, %353, dim = 0 : (tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>) -> tensor<8x256xui32>
    %355 = stablehlo.convert %3 : (tensor<65536xf16>) -> tensor<65536xf8E4M3B11FNUZ>
    %356 = stablehlo.compare NE, %355, %355 : (tensor<65536xf8E4M3B11FNUZ>, tensor<65536xf8E4M3B11FNUZ>) -> tensor<65536xi1>
    %357 = stablehlo.constant dense<"0x80"> : tensor<65536xf8E4M3B11FNUZ>
    %358 = stablehlo.select %356, %357, %355 : (tensor<65536xi1>, tensor<65536xf8E4M3B11FNUZ>, tensor<65536xf8E4M3B11FNUZ>) -> tensor<65536xf8E4M3B11FNUZ>
    %359 = stablehlo.bitcast_convert %358 : (tensor<65536xf8E4M3B11FNUZ>) -> tensor<65536xui8>
    %360 = stablehlo.convert %359 : (tensor<65536xui8>) -> tensor<65536xui32>
    %361 = stablehlo.reshape %360 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %362 = stablehlo.multiply %361, %29 : tensor<256x256xui32>
    %363 = stablehlo.reduce(%362 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %364 = stablehlo.convert %4 : (tensor<65536xbf16>) -> tensor<65536xf8E4M3B11FNUZ>
    %365 = stablehlo.compare NE, %364, %364 : (tensor<65536xf8E4M3B11FNUZ>, tensor<65536xf8E4M3B11FNUZ>) -> tensor<65536xi1>
    %366 = stablehlo.constant dense<"0x80"> : tensor<65536xf8E4M3B11FNUZ>
    %367 = stablehlo.select %365, %366, %364 : (tensor<65536xi1>, tensor<65536xf8E4M3B11FNUZ>, tensor<65536xf8E4M3B11FNUZ>) -> tensor<65536xf8E4M3B11FNUZ>
    %368 = stablehlo.bitcast_convert %367 : (tensor<65536xf8E4M3B11FNUZ>) -> tensor<65536xui8>
    %369 = stablehlo.convert %368 : (tensor<65536xui8>) -> tensor<65536xui32>
    %370 = stablehlo.reshape %369 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %371 = stablehlo.multiply %370, %29 : tensor<256x256xui32>
    %372 = stablehlo.reduce(%371 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %373 = stablehlo.convert %10 : (tensor<65536xf32>) -> tensor<65536xf8E4M3B11FNUZ>
    %374 = stablehlo.compare NE, %373, %373 : (tensor<65536xf8E4M3B11FNUZ>, tensor<65536xf8E4M3B11FNUZ>) -> tensor<65536xi1>
    %375 = stablehlo.constant dense<"0x80"> : tensor<65536xf8E4M3B11FNUZ>
    %376 = stablehlo.select %374, %375, %373 : (tensor<65536xi1>, tensor<65536xf8E4M3B11FNUZ>, tensor<65536xf8E4M3B11FNUZ>) -> tensor<65536xf8E4M3B11FNUZ>
    %377 = stablehlo.bitcast_convert %376 : (tensor<65536xf8E4M3B11FNUZ>) -> tensor<65536xui8>
    %378 = stablehlo.convert %377 : (tensor<65536xui8>) -> tensor<65536xui32>
    %379 = stablehlo.reshape %378 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %380 = stablehlo.multiply %379, %29 : tensor<256x256xui32>
    %381 = stablehlo.reduce(%380 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %382 = stablehlo.convert %13 : (tensor<65536xf32>) -> tensor<65536xf8E4M3B11FNUZ>
    %383 = stablehlo.compare NE, %382, %382 : (tensor<65536xf8E4M3B11FNUZ>, tensor<65536xf8E4M3B11FNUZ>) -> tensor<65536xi1>
    %384 = stablehlo.constant dense<"0x80"> : tensor<65536xf8E4M3B11FNUZ>
    %385 = stablehlo.select %383, %384, %382 : (tensor<65536xi1>, tensor<65536xf8E4M3B11FNUZ>, tensor<65536xf8E4M3B11FNUZ>) -> tensor<65536xf8E4M3B11FNUZ>
    %386 = stablehlo.bitcast_convert %385 : (tensor<65536xf8E4M3B11FNUZ>) -> tensor<65536xui8>
    %387 = stablehlo.convert %386 : (tensor<65536xui8>) -> tensor<65536xui32>
    %388 = stablehlo.reshape %387 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %389 = stablehlo.multiply %388, %29 : tensor<256x256xui32>
    %390 = stablehlo.reduce(%389 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %391 = stablehlo.convert %16 : (tensor<65536xf32>) -> tensor<65536xf8E4M3B11FNUZ>
    %392 = stablehlo.compare NE, %391, %391 : (tensor<65536xf8E4M3B11FNUZ>, tensor<65536xf8E4M3B11FNUZ>) -> tensor<65536xi1>
    %393 = stablehlo.constant dense<"0x80"> : tensor<65536xf8E4M3B11FNUZ>
    %394 = stablehlo.select %392, %393, %391 : (tensor<65536xi1>, tensor<65536xf8E4M3B11FNUZ>, tensor<65536xf8E4M3B11FNUZ>) -> tensor<65536xf8E4M3B11FNUZ>
    %395 = stablehlo.bitcast_convert %394 : (tensor<65536xf8E4M3B11FNUZ>) -> tensor<65536xui8>
    %396 = stablehlo.convert %395 : (tensor<65536xui8>) -> tensor<65536xui32>
    %397 = stablehlo.reshape %396 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %398 = stablehlo.multiply %397, %29 : tensor<256x256xui32>
    %399 = stablehlo.reduce(%398 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %400 = stablehlo.convert %22 : (tensor<65536xf64>) -> tensor<65536xf8E4M3B11FNUZ>
    %401 = stablehlo.compare NE, %400, %400 : (tensor<65536xf8E4M3B11FNUZ>, tensor<65536xf8E4M3B11FNUZ>) -> tensor<65536xi1>
    %402 = stablehlo.constant dense<"0x80"> : tensor<65536xf8E4M3B11FNUZ>
    %403 = stablehlo.select %401, %402, %400 : (tensor<65536xi1>, tensor<65536xf8E4M3B11FNUZ>, tensor<65536xf8E4M3B11FNUZ>) -> tensor<65536xf8E4M3B11FNUZ>
    %404 = stablehlo.bitcast_convert %403 : (tensor<65536xf8E4M3B11FNUZ>) -> tensor<65536xui8>
    %405 = stablehlo.convert %404 : (tensor<65536xui8>) -> tensor<65536xui32>
    %406 = stablehlo.reshape %405 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %407 = stablehlo.multiply %406, %29 : tensor<256x256xui32>
    %408 = stablehlo.reduce(%407 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %409 = stablehlo.convert %25 : (tensor<65536xf64>) -> tensor<65536xf8E4M3B11FNUZ>
    %410 = stablehlo.compare NE, %409, %409 : (tensor<65536xf8E4M3B11FNUZ>, tensor<65536xf8E4M3B11FNUZ>) -> tensor<65536xi1>
    %411 = stablehlo.constant dense<"0x80"> : tensor<65536xf8E4M3B11FNUZ>
    %412 = stablehlo.select %410, %411, %409 : (tensor<65536xi1>, tensor<65536xf8E4M3B11FNUZ>, tensor<65536xf8E4M3B11FNUZ>) -> tensor<65536xf8E4M3B11FNUZ>
    %413 = stablehlo.bitcast_convert %412 : (tensor<65536xf8E4M3B11FNUZ>) -> tensor<65536xui8>
    %414 = stablehlo.convert %413 : (tensor<65536xui8>) -> tensor<65536xui32>
    %415 = stablehlo.reshape %414 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %416 = stablehlo.multiply %415, %29 : tensor<256x256xui32>
    %417 = stablehlo.reduce(%416 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %418 = stablehlo.convert %28 : (tensor<65536xf64>) -> tensor<65536xf8E4M3B11FNUZ>
    %419 = stablehlo.compare NE, %418, %418 : (tensor<65536xf8E4M3B11FNUZ>, tensor<65536xf8E4M3B11FNUZ>) -> tensor<65536xi1>
    %420 = stablehlo.constant dense<"0x80"> : tensor<65536xf8E4M3B11FNUZ>
    %421 = stablehlo.select %419, %420, %418 : (tensor<65536xi1>, tensor<65536xf8E4M3B11FNUZ>, tensor<65536xf8E4M3B11FNUZ>) -> tensor<65536xf8E4M3B11FNUZ>
    %422 = stablehlo.bitcast_convert %421 : (tensor<65536xf8E4M3B11FNUZ>) -> tensor<65536xui8>
    %423 = stablehlo.convert %422 : (tensor<65536xui8>) -> tensor<65536xui32>
    %424 = stablehlo.reshape %423 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %425 = stablehlo.multiply %424, %29 : tensor<256x256xui32>
    %426 = stablehlo.reduce(%425 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %427 = stablehlo.reshape %363 : (tensor<256xui32>) -> tensor<1x256xui32>
    %428 = stablehlo.reshape %372 : (tensor<256xui32>) -> tensor<1x256xui32>
    %429 = stablehlo.reshape %381 : (tensor<256xui32>) -> tensor<1x256xui32>
    %430 = stablehlo.reshape %390 : (tensor<256xui32>) -> tensor<1x256xui32>
    %431 = stablehlo.reshape %399 : (tensor<256xui32>) -> tensor<1x256xui32>
    %432 = stablehlo.reshape %408 : (tensor<256xui32>) -> tensor<1x256xui32>
    %433 = stablehlo.reshape %417 : (tensor<256xui32>) -> tensor<1x256xui32>
    %434 = stablehlo.reshape %426 : (tensor<256xui32>) -> tensor<1x256xui32>
    %435 = stablehlo.concatenate %427, %428, %429, %430, %431, %432, %433, %434, dim = 0 : (tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>) -> tensor<8x256xui32>
    %436 = stablehlo.convert %3 : (tensor<65536xf16>) -> tensor<65536xf8E4M3>
    %437 = stablehlo.compare NE, %436, %436 : (tensor<65536xf8E4M3>, tensor<65536xf8E4M3>) -> tensor<65536xi1>
    %438 = stablehlo.constant dense<"0x7C"> : tensor<65536xf8E4M3>
    %439 = stablehlo.select %437, %438, %436 : (tensor<65536xi1>, tensor<65536xf8E4M3>, tensor<65536xf8E4M3>) -> tensor<65536xf8E4M3>
    %440 = stablehlo.bitcast_convert %439 : (tensor<65536xf8E4M3>) -> tensor<65536xui8>
    %441 = stablehlo.convert %440 : (tensor<65536xui8>) -> tensor<65536xui32>
    %442 = stablehlo.reshape %441 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %443 = stablehlo.multiply %442, %29 : tensor<256x256xui32>
    %444 = stablehlo.reduce(%443 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %445 = stablehlo.convert %4 : (tensor<65536xbf16>) -> tensor<65536xf8E4M3>
    %446 = stablehlo.compare NE, %445, %445 : (tensor<65536xf8E4M3>, tensor<65536xf8E4M3>) -> tensor<65536xi1>
    %447 = stablehlo.constant dense<"0x7C"> : tensor<65536xf8E4M3>
    %448 = stablehlo.select %446, %447, %445 : (tensor<65536xi1>, tensor<65536xf8E4M3>, tensor<65536xf8E4M3>) -> tensor<65536xf8E4M3>
    %449 = stablehlo.bitcast_convert %448 : (tensor<65536xf8E4M3>) -> tensor<65536xui8>
    %450 = stablehlo.convert %449 : (tensor<65536xui8>) -> tensor<65536xui32>
    %451 = stablehlo.reshape %450 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %452 = stablehlo.multiply %451, %29 : tensor<256x256xui32>
    %453 = stablehlo.reduce(%452 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %454 = stablehlo.convert %10 : (tensor<65536xf32>) -> tensor<65536xf8E4M3>
    %455 = stablehlo.compare NE, %454, %454 : (tensor<65536xf8E4M3>, tensor<65536xf8E4M3>) -> tensor<65536xi1>
    %456 = stablehlo.constant dense<"0x7C"> : tensor<65536xf8E4M3>
    %457 = stablehlo.select %455, %456, %454 : (tensor<65536xi1>, tensor<65536xf8E4M3>, tensor<65536xf8E4M3>) -> tensor<65536xf8E4M3>
    %458 = stablehlo.bitcast_convert %457 : (tensor<65536xf8E4M3>) -> tensor<65536xui8>
    %459 = stablehlo.convert %458 : (tensor<65536xui8>) -> tensor<65536xui32>
    %460 = stablehlo.reshape %459 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %461 = stablehlo.multiply %460, %29 : tensor<256x256xui32>
    %462 = stablehlo.reduce(%461 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %463 = stablehlo.convert %13 : (tensor<65536xf32>) -> tensor<65536xf8E4M3>
    %464 = stablehlo.compare NE, %463, %463 : (tensor<65536xf8E4M3>, tensor<65536xf8E4M3>) -> tensor<65536xi1>
    %465 = stablehlo.constant dense<"0x7C"> : tensor<65536xf8E4M3>
    %466 = stablehlo.select %464, %465, %463 : (tensor<65536xi1>, tensor<65536xf8E4M3>, tensor<65536xf8E4M3>) -> tensor<65536xf8E4M3>
    %467 = stablehlo.bitcast_convert %466 : (tensor<65536xf8E4M3>) -> tensor<65536xui8>
    %468 = stablehlo.convert %467 : (tensor<65536xui8>) -> tensor<65536xui32>
    %469 = stablehlo.reshape %468 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %470 = stablehlo.multiply %469, %29 : tensor<256x256xui32>
    %471 = stablehlo.reduce(%470 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %472 = stablehlo.convert %16 : (tensor<65536xf32>) -> tensor<65536xf8E4M3>
    %473 = stablehlo.compare NE, %472, %472 : (tensor<65536xf8E4M3>, tensor<65536xf8E4M3>) -> tensor<65536xi1>
    %474 = stablehlo.constant dense<"0x7C"> : tensor<65536xf8E4M3>
    %475 = stablehlo.select %473, %474, %472 : (tensor<65536xi1>, tensor<65536xf8E4M3>, tensor<65536xf8E4M3>) -> tensor<65536xf8E4M3>
    %476 = stablehlo.bitcast_convert %475 : (tensor<65536xf8E4M3>) -> tensor<65536xui8>
    %477 = stablehlo.convert %476 : (tensor<65536xui8>) -> tensor<65536xui32>
    %478 = stablehlo.reshape %477 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %479 = stablehlo.multiply %478, %29 : tensor<256x256xui32>
    %480 = stablehlo.reduce(%479 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %481 = stablehlo.convert %22 : (tensor<65536xf64>) -> tensor<65536xf8E4M3>
    %482 = stablehlo.compare NE, %481, %481 : (tensor<65536xf8E4M3>, tensor<65536xf8E4M3>) -> tensor<65536xi1>
    %483 = stablehlo.constant dense<"0x7C"> : tensor<65536xf8E4M3>
    %484 = stablehlo.select %482, %483, %481 : (tensor<65536xi1>, tensor<65536xf8E4M3>, tensor<65536xf8E4M3>) -> tensor<65536xf8E4M3>
    %485 = stablehlo.bitcast_convert %484 : (tensor<65536xf8E4M3>) -> tensor<65536xui8>
    %486 = stablehlo.convert %485 : (tensor<65536xui8>) -> tensor<65536xui32>
    %487 = stablehlo.reshape %486 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %488 = stablehlo.multiply %487, %29 : tensor<256x256xui32>
    %489 = stablehlo.reduce(%488 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %490 = stablehlo.convert %25 : (tensor<65536xf64>) -> tensor<65536xf8E4M3>
    %491 = stablehlo.compare NE, %490, %490 : (tensor<65536xf8E4M3>, tensor<65536xf8E4M3>) -> tensor<65536xi1>
    %492 = stablehlo.constant dense<"0x7C"> : tensor<65536xf8E4M3>
    %493 = stablehlo.select %491, %492, %490 : (tensor<65536xi1>, tensor<65536xf8E4M3>, tensor<65536xf8E4M3>) -> tensor<65536xf8E4M3>
    %494 = stablehlo.bitcast_convert %493 : (tensor<65536xf8E4M3>) -> tensor<65536xui8>
    %495 = stablehlo.convert %494 : (tensor<65536xui8>) -> tensor<65536xui32>
    %496 = stablehlo.reshape %495 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %497 = stablehlo.multiply %496, %29 : tensor<256x256xui32>
    %498 = stablehlo.reduce(%497 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %499 = stablehlo.convert %28 : (tensor<65536xf64>) -> tensor<65536xf8E4M3>
    %500 = stablehlo.compare NE, %499, %499 : (tensor<65536xf8E4M3>, tensor<65536xf8E4M3>) -> tensor<65536xi1>
    %501 = stablehlo.constant dense<"0x7C"> : tensor<65536xf8E4M3>
    %502 = stablehlo.select %500, %501, %499 : (tensor<65536xi1>, tensor<65536xf8E4M3>, tensor<65536xf8E4M3>) -> tensor<65536xf8E4M3>
    %503 = stablehlo.bitcast_convert %502 : (tensor<65536xf8E4M3>) -> tensor<65536xui8>
    %504 = stablehlo.convert %503 : (tensor<65536xui8>) -> tensor<65536xui32>
    %505 = stablehlo.reshape %504 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %506 = stablehlo.multiply %505, %29 : tensor<256x256xui32>
    %507 = stablehlo.reduce(%506 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %508 = stablehlo.reshape %444 : (tensor<256xui32>) -> tensor<1x256xui32>
    %509 = stablehlo.reshape %453 : (tensor<256xui32>) -> tensor<1x256xui32>
    %510 = stablehlo.reshape %462 : (tensor<256xui32>) -> tensor<1x256xui32>
    %511 = stablehlo.reshape %471 : (tensor<256xui32>) -> tensor<1x256xui32>
    %512 = stablehlo.reshape %480 : (tensor<256xui32>) -> tensor<1x256xui32>
    %513 = stablehlo.reshape %489 : (tensor<256xui32>) -> tensor<1x256xui32>
    %514 = stablehlo.reshape %498 : (tensor<256xui32>) -> tensor<1x256xui32>
    %515 = stablehlo.reshape %507 : (tensor<256xui32>) -> tensor<1x256xui32>
    %516 = stablehlo.concatenate %508, %509, %510, %511, %512, %513, %514, %515, dim = 0 : (tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>) -> tensor<8x256xui32>
    %517 = stablehlo.convert %3 : (tensor<65536xf16>) -> tensor<65536xf8E3M4>
    %518 = stablehlo.compare NE, %517, %517 : (tensor<65536xf8E3M4>, tensor<65536xf8E3M4>) -> tensor<65536xi1>
    %519 = stablehlo.constant dense<"0x78"> : tensor<65536xf8E3M4>
    %520 = stablehlo.select %518, %519, %517 : (tensor<65536xi1>, tensor<65536xf8E3M4>, tensor<65536xf8E3M4>) -> tensor<65536xf8E3M4>
    %521 = stablehlo.bitcast_convert %520 : (tensor<65536xf8E3M4>) -> tensor<65536xui8>
    %522 = stablehlo.convert %521 : (tensor<65536xui8>) -> tensor<65536xui32>
    %523 = stablehlo.reshape %522 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %524 = stablehlo.multiply %523, %29 : tensor<256x256xui32>
    %525 = stablehlo.reduce(%524 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %526 = stablehlo.convert %4 : (tensor<65536xbf16>) -> tensor<65536xf8E3M4>
    %527 = stablehlo.compare NE, %526, %526 : (tensor<65536xf8E3M4>, tensor<65536xf8E3M4>) -> tensor<65536xi1>
    %528 = stablehlo.constant dense<"0x78"> : tensor<65536xf8E3M4>
    %529 = stablehlo.select %527, %528, %526 : (tensor<65536xi1>, tensor<65536xf8E3M4>, tensor<65536xf8E3M4>) -> tensor<65536xf8E3M4>
    %530 = stablehlo.bitcast_convert %529 : (tensor<65536xf8E3M4>) -> tensor<65536xui8>
    %531 = stablehlo.convert %530 : (tensor<65536xui8>) -> tensor<65536xui32>
    %532 = stablehlo.reshape %531 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %533 = stablehlo.multiply %532, %29 : tensor<256x256xui32>
    %534 = stablehlo.reduce(%533 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %535 = stablehlo.convert %10 : (tensor<65536xf32>) -> tensor<65536xf8E3M4>
    %536 = stablehlo.compare NE, %535, %535 : (tensor<65536xf8E3M4>, tensor<65536xf8E3M4>) -> tensor<65536xi1>
    %537 = stablehlo.constant dense<"0x78"> : tensor<65536xf8E3M4>
    %538 = stablehlo.select %536, %537, %535 : (tensor<65536xi1>, tensor<65536xf8E3M4>, tensor<65536xf8E3M4>) -> tensor<65536xf8E3M4>
    %539 = stablehlo.bitcast_convert %538 : (tensor<65536xf8E3M4>) -> tensor<65536xui8>
    %540 = stablehlo.convert %539 : (tensor<65536xui8>) -> tensor<65536xui32>
    %541 = stablehlo.reshape %540 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %542 = stablehlo.multiply %541, %29 : tensor<256x256xui32>
    %543 = stablehlo.reduce(%542 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %544 = stablehlo.convert %13 : (tensor<65536xf32>) -> tensor<65536xf8E3M4>
    %545 = stablehlo.compare NE, %544, %544 : (tensor<65536xf8E3M4>, tensor<65536xf8E3M4>) -> tensor<65536xi1>
    %546 = stablehlo.constant dense<"0x78"> : tensor<65536xf8E3M4>
    %547 = stablehlo.select %545, %546, %544 : (tensor<65536xi1>, tensor<65536xf8E3M4>, tensor<65536xf8E3M4>) -> tensor<65536xf8E3M4>
    %548 = stablehlo.bitcast_convert %547 : (tensor<65536xf8E3M4>) -> tensor<65536xui8>
    %549 = stablehlo.convert %548 : (tensor<65536xui8>) -> tensor<65536xui32>
    %550 = stablehlo.reshape %549 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %551 = stablehlo.multiply %550, %29 : tensor<256x256xui32>
    %552 = stablehlo.reduce(%551 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %553 = stablehlo.convert %16 : (tensor<65536xf32>) -> tensor<65536xf8E3M4>
    %554 = stablehlo.compare NE, %553, %553 : (tensor<65536xf8E3M4>, tensor<65536xf8E3M4>) -> tensor<65536xi1>
    %555 = stablehlo.constant dense<"0x78"> : tensor<65536xf8E3M4>
    %556 = stablehlo.select %554, %555, %553 : (tensor<65536xi1>, tensor<65536xf8E3M4>, tensor<65536xf8E3M4>) -> tensor<65536xf8E3M4>
    %557 = stablehlo.bitcast_convert %556 : (tensor<65536xf8E3M4>) -> tensor<65536xui8>
    %558 = stablehlo.convert %557 : (tensor<65536xui8>) -> tensor<65536xui32>
    %559 = stablehlo.reshape %558 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %560 = stablehlo.multiply %559, %29 : tensor<256x256xui32>
    %561 = stablehlo.reduce(%560 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %562 = stablehlo.convert %22 : (tensor<65536xf64>) -> tensor<65536xf8E3M4>
    %563 = stablehlo.compare NE, %562, %562 : (tensor<65536xf8E3M4>, tensor<65536xf8E3M4>) -> tensor<65536xi1>
    %564 = stablehlo.constant dense<"0x78"> : tensor<65536xf8E3M4>
    %565 = stablehlo.select %563, %564, %562 : (tensor<65536xi1>, tensor<65536xf8E3M4>, tensor<65536xf8E3M4>) -> tensor<65536xf8E3M4>
    %566 = stablehlo.bitcast_convert %565 : (tensor<65536xf8E3M4>) -> tensor<65536xui8>
    %567 = stablehlo.convert %566 : (tensor<65536xui8>) -> tensor<65536xui32>
    %568 = stablehlo.reshape %567 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %569 = stablehlo.multiply %568, %29 : tensor<256x256xui32>
    %570 = stablehlo.reduce(%569 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %571 = stablehlo.convert %25 : (tensor<65536xf64>) -> tensor<65536xf8E3M4>
    %572 = stablehlo.compare NE, %571, %571 : (tensor<65536xf8E3M4>, tensor<65536xf8E3M4>) -> tensor<65536xi1>
    %573 = stablehlo.constant dense<"0x78"> : tensor<65536xf8E3M4>
    %574 = stablehlo.select %572, %573, %571 : (tensor<65536xi1>, tensor<65536xf8E3M4>, tensor<65536xf8E3M4>) -> tensor<65536xf8E3M4>
    %575 = stablehlo.bitcast_convert %574 : (tensor<65536xf8E3M4>) -> tensor<65536xui8>
    %576 = stablehlo.convert %575 : (tensor<65536xui8>) -> tensor<65536xui32>
    %577 = stablehlo.reshape %576 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %578 = stablehlo.multiply %577, %29 : tensor<256x256xui32>
    %579 = stablehlo.reduce(%578 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %580 = stablehlo.convert %28 : (tensor<65536xf64>) -> tensor<65536xf8E3M4>
    %581 = stablehlo.compare NE, %580, %580 : (tensor<65536xf8E3M4>, tensor<65536xf8E3M4>) -> tensor<65536xi1>
    %582 = stablehlo.constant dense<"0x78"> : tensor<65536xf8E3M4>
    %583 = stablehlo.select %581, %582, %580 : (tensor<65536xi1>, tensor<65536xf8E3M4>, tensor<65536xf8E3M4>) -> tensor<65536xf8E3M4>
    %584 = stablehlo.bitcast_convert %583 : (tensor<65536xf8E3M4>) -> tensor<65536xui8>
    %585 = stablehlo.convert %584 : (tensor<65536xui8>) -> tensor<65536xui32>
    %586 = stablehlo.reshape %585 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %587 = stablehlo.multiply %586, %29 : tensor<256x256xui32>
    %588 = stablehlo.reduce(%587 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %589 = stablehlo.reshape %525 : (tensor<256xui32>) -> tensor<1x256xui32>
    %590 = stablehlo.reshape %534 : (tensor<256xui32>) -> tensor<1x256xui32>
    %591 = stablehlo.reshape %543 : (tensor<256xui32>) -> tensor<1x256xui32>
    %592 = stablehlo.reshape %552 : (tensor<256xui32>) -> tensor<1x256xui32>
    %593 = stablehlo.reshape %561 : (tensor<256xui32>) -> tensor<1x256xui32>
    %594 = stablehlo.reshape %570 : (tensor<256xui32>) -> tensor<1x256xui32>
    %595 = stablehlo.reshape %579 : (tensor<256xui32>) -> tensor<1x256xui32>
    %596 = stablehlo.reshape %588 : (tensor<256xui32>) -> tensor<1x256xui32>
    %597 = stablehlo.concatenate %589, %590, %591, %592, %593, %594, %595, %596, dim = 0 : (tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>) -> tensor<8x256xui32>
    %598 = stablehlo.convert %3 : (tensor<65536xf16>) -> tensor<65536xf8E8M0FNU>
    %599 = stablehlo.compare NE, %598, %598 : (tensor<65536xf8E8M0FNU>, tensor<65536xf8E8M0FNU>) -> tensor<65536xi1>
    %600 = stablehlo.constant dense<"0xFF"> : tensor<65536xf8E8M0FNU>
    %601 = stablehlo.select %599, %600, %598 : (tensor<65536xi1>, tensor<65536xf8E8M0FNU>, tensor<65536xf8E8M0FNU>) -> tensor<65536xf8E8M0FNU>
    %602 = stablehlo.bitcast_convert %601 : (tensor<65536xf8E8M0FNU>) -> tensor<65536xui8>
    %603 = stablehlo.convert %602 : (tensor<65536xui8>) -> tensor<65536xui32>
    %604 = stablehlo.reshape %603 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %605 = stablehlo.multiply %604, %29 : tensor<256x256xui32>
    %606 = stablehlo.reduce(%605 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %607 = stablehlo.convert %4 : (tensor<65536xbf16>) -> tensor<65536xf8E8M0FNU>
    %608 = stablehlo.compare NE, %607, %607 : (tensor<65536xf8E8M0FNU>, tensor<65536xf8E8M0FNU>) -> tensor<65536xi1>
    %609 = stablehlo.constant dense<"0xFF"> : tensor<65536xf8E8M0FNU>
    %610 = stablehlo.select %608, %609, %607 : (tensor<65536xi1>, tensor<65536xf8E8M0FNU>, tensor<65536xf8E8M0FNU>) -> tensor<65536xf8E8M0FNU>
    %611 = stablehlo.bitcast_convert %610 : (tensor<65536xf8E8M0FNU>) -> tensor<65536xui8>
    %612 = stablehlo.convert %611 : (tensor<65536xui8>) -> tensor<65536xui32>
    %613 = stablehlo.reshape %612 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %614 = stablehlo.multiply %613, %29 : tensor<256x256xui32>
    %615 = stablehlo.reduce(%614 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %616 = stablehlo.convert %10 : (tensor<65536xf32>) -> tensor<65536xf8E8M0FNU>
    %617 = stablehlo.compare NE, %616, %616 : (tensor<65536xf8E8M0FNU>, tensor<65536xf8E8M0FNU>) -> tensor<65536xi1>
    %618 = stablehlo.constant dense<"0xFF"> : tensor<65536xf8E8M0FNU>
    %619 = stablehlo.select %617, %618, %616 : (tensor<65536xi1>, tensor<65536xf8E8M0FNU>, tensor<65536xf8E8M0FNU>) -> tensor<65536xf8E8M0FNU>
    %620 = stablehlo.bitcast_convert %619 : (tensor<65536xf8E8M0FNU>) -> tensor<65536xui8>
    %621 = stablehlo.convert %620 : (tensor<65536xui8>) -> tensor<65536xui32>
    %622 = stablehlo.reshape %621 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %623 = stablehlo.multiply %622, %29 : tensor<256x256xui32>
    %624 = stablehlo.reduce(%623 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %625 = stablehlo.convert %13 : (tensor<65536xf32>) -> tensor<65536xf8E8M0FNU>
    %626 = stablehlo.compare NE, %625, %625 : (tensor<65536xf8E8M0FNU>, tensor<65536xf8E8M0FNU>) -> tensor<65536xi1>
    %627 = stablehlo.constant dense<"0xFF"> : tensor<65536xf8E8M0FNU>
    %628 = stablehlo.select %626, %627, %625 : (tensor<65536xi1>, tensor<65536xf8E8M0FNU>, tensor<65536xf8E8M0FNU>) -> tensor<65536xf8E8M0FNU>
    %629 = stablehlo.bitcast_convert %628 : (tensor<65536xf8E8M0FNU>) -> tensor<65536xui8>
    %630 = stablehlo.convert %629 : (tensor<65536xui8>) -> tensor<65536xui32>
    %631 = stablehlo.reshape %630 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %632 = stablehlo.multiply %631, %29 : tensor<256x256xui32>
    %633 = stablehlo.reduce(%632 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %634 = stablehlo.convert %16 : (tensor<65536xf32>) -> tensor<65536xf8E8M0FNU>
    %635 = stablehlo.compare NE, %634, %634 : (tensor<65536xf8E8M0FNU>, tensor<65536xf8E8M0FNU>) -> tensor<65536xi1>
    %636 = stablehlo.constant dense<"0xFF"> : tensor<65536xf8E8M0FNU>
    %637 = stablehlo.select %635, %636, %634 : (tensor<65536xi1>, tensor<65536xf8E8M0FNU>, tensor<65536xf8E8M0FNU>) -> tensor<65536xf8E8M0FNU>
    %638 = stablehlo.bitcast_convert %637 : (tensor<65536xf8E8M0FNU>) -> tensor<65536xui8>
    %639 = stablehlo.convert %638 : (tensor<65536xui8>) -> tensor<65536xui32>
    %640 = stablehlo.reshape %639 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %641 = stablehlo.multiply %640, %29 : tensor<256x256xui32>
    %642 = stablehlo.reduce(%641 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %643 = stablehlo.convert %22 : (tensor<65536xf64>) -> tensor<65536xf8E8M0FNU>
    %644 = stablehlo.compare NE, %643, %643 : (tensor<65536xf8E8M0FNU>, tensor<65536xf8E8M0FNU>) -> tensor<65536xi1>
    %645 = stablehlo.constant dense<"0xFF"> : tensor<65536xf8E8M0FNU>
    %646 = stablehlo.select %644, %645, %643 : (tensor<65536xi1>, tensor<65536xf8E8M0FNU>, tensor<65536xf8E8M0FNU>) -> tensor<65536xf8E8M0FNU>
    %647 = stablehlo.bitcast_convert %646 : (tensor<65536xf8E8M0FNU>) -> tensor<65536xui8>
    %648 = stablehlo.convert %647 : (tensor<65536xui8>) -> tensor<65536xui32>
    %649 = stablehlo.reshape %648 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %650 = stablehlo.multiply %649, %29 : tensor<256x256xui32>
    %651 = stablehlo.reduce(%650 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %652 = stablehlo.convert %25 : (tensor<65536xf64>) -> tensor<65536xf8E8M0FNU>
    %653 = stablehlo.compare NE, %652, %652 : (tensor<65536xf8E8M0FNU>, tensor<65536xf8E8M0FNU>) -> tensor<65536xi1>
    %654 = stablehlo.constant dense<"0xFF"> : tensor<65536xf8E8M0FNU>
    %655 = stablehlo.select %653, %654, %652 : (tensor<65536xi1>, tensor<65536xf8E8M0FNU>, tensor<65536xf8E8M0FNU>) -> tensor<65536xf8E8M0FNU>
    %656 = stablehlo.bitcast_convert %655 : (tensor<65536xf8E8M0FNU>) -> tensor<65536xui8>
    %657 = stablehlo.convert %656 : (tensor<65536xui8>) -> tensor<65536xui32>
    %658 = stablehlo.reshape %657 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %659 = stablehlo.multiply %658, %29 : tensor<256x256xui32>
    %660 = stablehlo.reduce(%659 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %661 = stablehlo.convert %28 : (tensor<65536xf64>) -> tensor<65536xf8E8M0FNU>
    %662 = stablehlo.compare NE, %661, %661 : (tensor<65536xf8E8M0FNU>, tensor<65536xf8E8M0FNU>) -> tensor<65536xi1>
    %663 = stablehlo.constant dense<"0xFF"> : tensor<65536xf8E8M0FNU>
    %664 = stablehlo.select %662, %663, %661 : (tensor<65536xi1>, tensor<65536xf8E8M0FNU>, tensor<65536xf8E8M0FNU>) -> tensor<65536xf8E8M0FNU>
    %665 = stablehlo.bitcast_convert %664 : (tensor<65536xf8E8M0FNU>) -> tensor<65536xui8>
    %666 = stablehlo.convert %665 : (tensor<65536xui8>) -> tensor<65536xui32>
    %667 = stablehlo.reshape %666 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %668 = stablehlo.multiply %667, %29 : tensor<256x256xui32>
    %669 = stablehlo.reduce(%668 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %670 = stablehlo.reshape %606 : (tensor<256xui32>) -> tensor<1x256xui32>
    %671 = stablehlo.reshape %615 : (tensor<256xui32>) -> tensor<1x256xui32>
    %672 = stablehlo.reshape %624 : (tensor<256xui32>) -> tensor<1x256xui32>
    %673 = stablehlo.reshape %633 : (tensor<256xui32>) -> tensor<1x256xui32>
    %674 = stablehlo.reshape %642 : (tensor<256xui32>) -> tensor<1x256xui32>
    %675 = stablehlo.reshape %651 : (tensor<256xui32>) -> tensor<1x256xui32>
    %676 = stablehlo.reshape %660 : (tensor<256xui32>) -> tensor<1x256xui32>
    %677 = stablehlo.reshape %669 : (tensor<256xui32>) -> tensor<1x256xui32>
    %678 = stablehlo.concatenate %670, %671, %672, %673, %674, %675, %676, %677, dim = 0 : (tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>) -> tensor<8x256xui32>
    %679 = stablehlo.convert %3 : (tensor<65536xf16>) -> tensor<65536xf6E2M3FN>
    %680 = stablehlo.convert %679 : (tensor<65536xf6E2M3FN>) -> tensor<65536xf32>
    %681 = stablehlo.bitcast_convert %680 : (tensor<65536xf32>) -> tensor<65536xui32>
    %682 = stablehlo.reshape %681 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %683 = stablehlo.multiply %682, %29 : tensor<256x256xui32>
    %684 = stablehlo.reduce(%683 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %685 = stablehlo.convert %4 : (tensor<65536xbf16>) -> tensor<65536xf6E2M3FN>
    %686 = stablehlo.convert %685 : (tensor<65536xf6E2M3FN>) -> tensor<65536xf32>
    %687 = stablehlo.bitcast_convert %686 : (tensor<65536xf32>) -> tensor<65536xui32>
    %688 = stablehlo.reshape %687 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %689 = stablehlo.multiply %688, %29 : tensor<256x256xui32>
    %690 = stablehlo.reduce(%689 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %691 = stablehlo.convert %10 : (tensor<65536xf32>) -> tensor<65536xf6E2M3FN>
    %692 = stablehlo.convert %691 : (tensor<65536xf6E2M3FN>) -> tensor<65536xf32>
    %693 = stablehlo.bitcast_convert %692 : (tensor<65536xf32>) -> tensor<65536xui32>
    %694 = stablehlo.reshape %693 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %695 = stablehlo.multiply %694, %29 : tensor<256x256xui32>
    %696 = stablehlo.reduce(%695 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %697 = stablehlo.convert %13 : (tensor<65536xf32>) -> tensor<65536xf6E2M3FN>
    %698 = stablehlo.convert %697 : (tensor<65536xf6E2M3FN>) -> tensor<65536xf32>
    %699 = stablehlo.bitcast_convert %698 : (tensor<65536xf32>) -> tensor<65536xui32>
    %700 = stablehlo.reshape %699 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %701 = stablehlo.multiply %700, %29 : tensor<256x256xui32>
    %702 = stablehlo.reduce(%701 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %703 = stablehlo.convert %16 : (tensor<65536xf32>) -> tensor<65536xf6E2M3FN>
    %704 = stablehlo.convert %703 : (tensor<65536xf6E2M3FN>) -> tensor<65536xf32>
    %705 = stablehlo.bitcast_convert %704 : (tensor<65536xf32>) -> tensor<65536xui32>
    %706 = stablehlo.reshape %705 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %707 = stablehlo.multiply %706, %29 : tensor<256x256xui32>
    %708 = stablehlo.reduce(%707 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %709 = stablehlo.convert %22 : (tensor<65536xf64>) -> tensor<65536xf6E2M3FN>
    %710 = stablehlo.convert %709 : (tensor<65536xf6E2M3FN>) -> tensor<65536xf32>
    %711 = stablehlo.bitcast_convert %710 : (tensor<65536xf32>) -> tensor<65536xui32>
    %712 = stablehlo.reshape %711 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %713 = stablehlo.multiply %712, %29 : tensor<256x256xui32>
    %714 = stablehlo.reduce(%713 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %715 = stablehlo.convert %25 : (tensor<65536xf64>) -> tensor<65536xf6E2M3FN>
    %716 = stablehlo.convert %715 : (tensor<65536xf6E2M3FN>) -> tensor<65536xf32>
    %717 = stablehlo.bitcast_convert %716 : (tensor<65536xf32>) -> tensor<65536xui32>
    %718 = stablehlo.reshape %717 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %719 = stablehlo.multiply %718, %29 : tensor<256x256xui32>
    %720 = stablehlo.reduce(%719 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %721 = stablehlo.convert %28 : (tensor<65536xf64>) -> tensor<65536xf6E2M3FN>
    %722 = stablehlo.convert %721 : (tensor<65536xf6E2M3FN>) -> tensor<65536xf32>
    %723 = stablehlo.bitcast_convert %722 : (tensor<65536xf32>) -> tensor<65536xui32>
    %724 = stablehlo.reshape %723 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %725 = stablehlo.multiply %724, %29 : tensor<256x256xui32>
    %726 = stablehlo.reduce(%725 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %727 = stablehlo.reshape %684 : (tensor<256xui32>) -> tensor<1x256xui32>
    %728 = stablehlo.reshape %690 : (tensor<256xui32>) -> tensor<1x256xui32>
    %729 = stablehlo.reshape %696 : (tensor<256xui32>) -> tensor<1x256xui32>
    %730 = stablehlo.reshape %702 : (tensor<256xui32>) -> tensor<1x256xui32>
    %731 = stablehlo.reshape %708 : (tensor<256xui32>) -> tensor<1x256xui32>
    %732 = stablehlo.reshape %714 : (tensor<256xui32>) -> tensor<1x256xui32>
    %733 = stablehlo.reshape %720 : (tensor<256xui32>) -> tensor<1x256xui32>
    %734 = stablehlo.reshape %726 : (tensor<256xui32>) -> tensor<1x256xui32>
    %735 = stablehlo.concatenate %727, %728, %729, %730, %731, %732, %733, %734, dim = 0 : (tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>) -> tensor<8x256xui32>
    %736 = stablehlo.convert %3 : (tensor<65536xf16>) -> tensor<65536xf6E3M2FN>
    %737 = stablehlo.convert %736 : (tensor<65536xf6E3M2FN>) -> tensor<65536xf32>
    %738 = stablehlo.bitcast_convert %737 : (tensor<65536xf32>) -> tensor<65536xui32>
    %739 = stablehlo.reshape %738 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %740 = stablehlo.multiply %739, %29 : tensor<256x256xui32>
    %741 = stablehlo.reduce(%740 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %742 = stablehlo.convert %4 : (tensor<65536xbf16>) -> tensor<65536xf6E3M2FN>
    %743 = stablehlo.convert %742 : (tensor<65536xf6E3M2FN>) -> tensor<65536xf32>
    %744 = stablehlo.bitcast_convert %743 : (tensor<65536xf32>) -> tensor<65536xui32>
    %745 = stablehlo.reshape %744 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %746 = stablehlo.multiply %745, %29 : tensor<256x256xui32>
    %747 = stablehlo.reduce(%746 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %748 = stablehlo.convert %10 : (tensor<65536xf32>) -> tensor<65536xf6E3M2FN>
    %749 = stablehlo.convert %748 : (tensor<65536xf6E3M2FN>) -> tensor<65536xf32>
    %750 = stablehlo.bitcast_convert %749 : (tensor<65536xf32>) -> tensor<65536xui32>
    %751 = stablehlo.reshape %750 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %752 = stablehlo.multiply %751, %29 : tensor<256x256xui32>
    %753 = stablehlo.reduce(%752 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %754 = stablehlo.convert %13 : (tensor<65536xf32>) -> tensor<65536xf6E3M2FN>
    %755 = stablehlo.convert %754 : (tensor<65536xf6E3M2FN>) -> tensor<65536xf32>
    %756 = stablehlo.bitcast_convert %755 : (tensor<65536xf32>) -> tensor<65536xui32>
    %757 = stablehlo.reshape %756 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %758 = stablehlo.multiply %757, %29 : tensor<256x256xui32>
    %759 = stablehlo.reduce(%758 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %760 = stablehlo.convert %16 : (tensor<65536xf32>) -> tensor<65536xf6E3M2FN>
    %761 = stablehlo.convert %760 : (tensor<65536xf6E3M2FN>) -> tensor<65536xf32>
    %762 = stablehlo.bitcast_convert %761 : (tensor<65536xf32>) -> tensor<65536xui32>
    %763 = stablehlo.reshape %762 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %764 = stablehlo.multiply %763, %29 : tensor<256x256xui32>
    %765 = stablehlo.reduce(%764 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %766 = stablehlo.convert %22 : (tensor<65536xf64>) -> tensor<65536xf6E3M2FN>
    %767 = stablehlo.convert %766 : (tensor<65536xf6E3M2FN>) -> tensor<65536xf32>
    %768 = stablehlo.bitcast_convert %767 : (tensor<65536xf32>) -> tensor<65536xui32>
    %769 = stablehlo.reshape %768 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %770 = stablehlo.multiply %769, %29 : tensor<256x256xui32>
    %771 = stablehlo.reduce(%770 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %772 = stablehlo.convert %25 : (tensor<65536xf64>) -> tensor<65536xf6E3M2FN>
    %773 = stablehlo.convert %772 : (tensor<65536xf6E3M2FN>) -> tensor<65536xf32>
    %774 = stablehlo.bitcast_convert %773 : (tensor<65536xf32>) -> tensor<65536xui32>
    %775 = stablehlo.reshape %774 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %776 = stablehlo.multiply %775, %29 : tensor<256x256xui32>
    %777 = stablehlo.reduce(%776 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %778 = stablehlo.convert %28 : (tensor<65536xf64>) -> tensor<65536xf6E3M2FN>
    %779 = stablehlo.convert %778 : (tensor<65536xf6E3M2FN>) -> tensor<65536xf32>
    %780 = stablehlo.bitcast_convert %779 : (tensor<65536xf32>) -> tensor<65536xui32>
    %781 = stablehlo.reshape %780 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %782 = stablehlo.multiply %781, %29 : tensor<256x256xui32>
    %783 = stablehlo.reduce(%782 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %784 = stablehlo.reshape %741 : (tensor<256xui32>) -> tensor<1x256xui32>
    %785 = stablehlo.reshape %747 : (tensor<256xui32>) -> tensor<1x256xui32>
    %786 = stablehlo.reshape %753 : (tensor<256xui32>) -> tensor<1x256xui32>
    %787 = stablehlo.reshape %759 : (tensor<256xui32>) -> tensor<1x256xui32>
    %788 = stablehlo.reshape %765 : (tensor<256xui32>) -> tensor<1x256xui32>
    %789 = stablehlo.reshape %771 : (tensor<256xui32>) -> tensor<1x256xui32>
    %790 = stablehlo.reshape %777 : (tensor<256xui32>) -> tensor<1x256xui32>
    %791 = stablehlo.reshape %783 : (tensor<256xui32>) -> tensor<1x256xui32>
    %792 = stablehlo.concatenate %784, %785, %786, %787, %788, %789, %790, %791, dim = 0 : (tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>) -> tensor<8x256xui32>
    %793 = stablehlo.convert %3 : (tensor<65536xf16>) -> tensor<65536xf4E2M1FN>
    %794 = stablehlo.bitcast_convert %793 : (tensor<65536xf4E2M1FN>) -> tensor<65536xui4>
    %795 = stablehlo.convert %794 : (tensor<65536xui4>) -> tensor<65536xui8>
    %796 = stablehlo.convert %795 : (tensor<65536xui8>) -> tensor<65536xui32>
    %797 = stablehlo.reshape %796 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %798 = stablehlo.multiply %797, %29 : tensor<256x256xui32>
    %799 = stablehlo.reduce(%798 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %800 = stablehlo.convert %4 : (tensor<65536xbf16>) -> tensor<65536xf4E2M1FN>
    %801 = stablehlo.bitcast_convert %800 : (tensor<65536xf4E2M1FN>) -> tensor<65536xui4>
    %802 = stablehlo.convert %801 : (tensor<65536xui4>) -> tensor<65536xui8>
    %803 = stablehlo.convert %802 : (tensor<65536xui8>) -> tensor<65536xui32>
    %804 = stablehlo.reshape %803 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %805 = stablehlo.multiply %804, %29 : tensor<256x256xui32>
    %806 = stablehlo.reduce(%805 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %807 = stablehlo.convert %10 : (tensor<65536xf32>) -> tensor<65536xf4E2M1FN>
    %808 = stablehlo.bitcast_convert %807 : (tensor<65536xf4E2M1FN>) -> tensor<65536xui4>
    %809 = stablehlo.convert %808 : (tensor<65536xui4>) -> tensor<65536xui8>
    %810 = stablehlo.convert %809 : (tensor<65536xui8>) -> tensor<65536xui32>
    %811 = stablehlo.reshape %810 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %812 = stablehlo.multiply %811, %29 : tensor<256x256xui32>
    %813 = stablehlo.reduce(%812 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %814 = stablehlo.convert %13 : (tensor<65536xf32>) -> tensor<65536xf4E2M1FN>
    %815 = stablehlo.bitcast_convert %814 : (tensor<65536xf4E2M1FN>) -> tensor<65536xui4>
    %816 = stablehlo.convert %815 : (tensor<65536xui4>) -> tensor<65536xui8>
    %817 = stablehlo.convert %816 : (tensor<65536xui8>) -> tensor<65536xui32>
    %818 = stablehlo.reshape %817 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %819 = stablehlo.multiply %818, %29 : tensor<256x256xui32>
    %820 = stablehlo.reduce(%819 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %821 = stablehlo.convert %16 : (tensor<65536xf32>) -> tensor<65536xf4E2M1FN>
    %822 = stablehlo.bitcast_convert %821 : (tensor<65536xf4E2M1FN>) -> tensor<65536xui4>
    %823 = stablehlo.convert %822 : (tensor<65536xui4>) -> tensor<65536xui8>
    %824 = stablehlo.convert %823 : (tensor<65536xui8>) -> tensor<65536xui32>
    %825 = stablehlo.reshape %824 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %826 = stablehlo.multiply %825, %29 : tensor<256x256xui32>
    %827 = stablehlo.reduce(%826 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %828 = stablehlo.convert %22 : (tensor<65536xf64>) -> tensor<65536xf4E2M1FN>
    %829 = stablehlo.bitcast_convert %828 : (tensor<65536xf4E2M1FN>) -> tensor<65536xui4>
    %830 = stablehlo.convert %829 : (tensor<65536xui4>) -> tensor<65536xui8>
    %831 = stablehlo.convert %830 : (tensor<65536xui8>) -> tensor<65536xui32>
    %832 = stablehlo.reshape %831 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %833 = stablehlo.multiply %832, %29 : tensor<256x256xui32>
    %834 = stablehlo.reduce(%833 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %835 = stablehlo.convert %25 : (tensor<65536xf64>) -> tensor<65536xf4E2M1FN>
    %836 = stablehlo.bitcast_convert %835 : (tensor<65536xf4E2M1FN>) -> tensor<65536xui4>
    %837 = stablehlo.convert %836 : (tensor<65536xui4>) -> tensor<65536xui8>
    %838 = stablehlo.convert %837 : (tensor<65536xui8>) -> tensor<65536xui32>
    %839 = stablehlo.reshape %838 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %840 = stablehlo.multiply %839, %29 : tensor<256x256xui32>
    %841 = stablehlo.reduce(%840 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %842 = stablehlo.convert %28 : (tensor<65536xf64>) -> tensor<65536xf4E2M1FN>
    %843 = stablehlo.bitcast_convert %842 : (tensor<65536xf4E2M1FN>) -> tensor<65536xui4>
    %844 = stablehlo.convert %843 : (tensor<65536xui4>) -> tensor<65536xui8>
    %845 = stablehlo.convert %844 : (tensor<65536xui8>) -> tensor<65536xui32>
    %846 = stablehlo.reshape %845 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %847 = stablehlo.multiply %846, %29 : tensor<256x256xui32>
    %848 = stablehlo.reduce(%847 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %849 = stablehlo.reshape %799 : (tensor<256xui32>) -> tensor<1x256xui32>
    %850 = stablehlo.reshape %806 : (tensor<256xui32>) -> tensor<1x256xui32>
    %851 = stablehlo.reshape %813 : (tensor<256xui32>) -> tensor<1x256xui32>
    %852 = stablehlo.reshape %820 : (tensor<256xui32>) -> tensor<1x256xui32>
    %853 = stablehlo.reshape %827 : (tensor<256xui32>) -> tensor<1x256xui32>
    %854 = stablehlo.reshape %834 : (tensor<256xui32>) -> tensor<1x256xui32>
    %855 = stablehlo.reshape %841 : (tensor<256xui32>) -> tensor<1x256xui32>
    %856 = stablehlo.reshape %848 : (tensor<256xui32>) -> tensor<1x256xui32>
    %857 = stablehlo.concatenate %849, %850, %851, %852, %853, %854, %855, %856, dim = 0 : (tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>) -> tensor<8x256xui32>
    return %111, %192, %273, %354, %435, %516, %597, %678, %735, %792, %857 : tensor<8x256xui32>, tensor<8x256xui32>, tensor<8x256xui32>, tensor<8x256xui32>, tensor<8x256xui32>, tensor<8x256xui32>, tensor<8x256xui32>, tensor<8x256xui32>, tensor<8x256xui32>, tensor<8x256xui32>, tensor<8x256xui32>
  }
}
