// 128 x 256 by 256 x 512 in f16.
func.func @main(%a: tensor<128x256xf16>, %b: tensor<256x512xf16>) -> tensor<128x512xf16> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<128x256xf16>, tensor<256x512xf16>) -> tensor<128x512xf16>
  return %0 : tensor<128x512xf16>
}
