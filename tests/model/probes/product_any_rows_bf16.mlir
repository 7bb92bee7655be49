// Rows known only at run time, bf16.
func.func @main(%a: tensor<?x256xbf16>, %b: tensor<256x512xbf16>) -> tensor<?x512xbf16> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<?x256xbf16>, tensor<256x512xbf16>) -> tensor<?x512xbf16>
  return %0 : tensor<?x512xbf16>
}
