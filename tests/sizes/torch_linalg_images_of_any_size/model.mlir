#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
module {
  func.func @main(%arg0: tensor<?x2x?x?xf32>) -> tensor<?x3x?x?xf32> {
    %c1_i64 = arith.constant 1 : i64
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c2_i64 = arith.constant 2 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant dense_resource<torch_tensor_3_torch.float32> : tensor<3xf32>
    %cst_2 = arith.constant dense_resource<torch_tensor_3_4_3_3_torch.float32> : tensor<3x4x3x3xf32>
    %cst_3 = arith.constant dense_resource<torch_tensor_4_2_3_3_torch.float32> : tensor<4x2x3x3xf32>
    %cst_4 = arith.constant dense_resource<torch_tensor_4_torch.float32> : tensor<4xf32>
    %c-1_i64 = arith.constant -1 : i64
    %dim = tensor.dim %arg0, %c0 : tensor<?x2x?x?xf32>
    %dim_5 = tensor.dim %arg0, %c2 : tensor<?x2x?x?xf32>
    %dim_6 = tensor.dim %arg0, %c3 : tensor<?x2x?x?xf32>
    %padded = tensor.pad %arg0 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg1: index, %arg2: index, %arg3: index, %arg4: index):
      tensor.yield %cst : f32
    } : tensor<?x2x?x?xf32> to tensor<?x2x?x?xf32>
    %0 = arith.index_cast %dim_5 : index to i64
    %1 = arith.addi %0, %c-1_i64 : i64
    %2 = arith.floordivsi %1, %c2_i64 : i64
    %3 = arith.addi %2, %c1_i64 : i64
    %4 = arith.index_cast %3 : i64 to index
    %5 = arith.index_cast %dim_6 : index to i64
    %6 = arith.addi %5, %c-1_i64 : i64
    %7 = arith.floordivsi %6, %c2_i64 : i64
    %8 = arith.addi %7, %c1_i64 : i64
    %9 = arith.index_cast %8 : i64 to index
    %10 = tensor.empty(%dim, %4, %9) : tensor<?x4x?x?xf32>
    %broadcasted = linalg.broadcast ins(%cst_4 : tensor<4xf32>) outs(%10 : tensor<?x4x?x?xf32>) dimensions = [0, 2, 3] 
    %11 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%padded, %cst_3 : tensor<?x2x?x?xf32>, tensor<4x2x3x3xf32>) outs(%broadcasted : tensor<?x4x?x?xf32>) -> tensor<?x4x?x?xf32>
    %12 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%11 : tensor<?x4x?x?xf32>) outs(%10 : tensor<?x4x?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %25 = arith.cmpf ugt, %in, %cst : f32
      %26 = arith.select %25, %in, %cst : f32
      linalg.yield %26 : f32
    } -> tensor<?x4x?x?xf32>
    %padded_7 = tensor.pad %12 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg1: index, %arg2: index, %arg3: index, %arg4: index):
      tensor.yield %cst_0 : f32
    } : tensor<?x4x?x?xf32> to tensor<?x4x?x?xf32>
    %13 = arith.floordivsi %7, %c2_i64 : i64
    %14 = arith.addi %13, %c1_i64 : i64
    %15 = arith.index_cast %14 : i64 to index
    %16 = arith.floordivsi %2, %c2_i64 : i64
    %17 = arith.addi %16, %c1_i64 : i64
    %18 = arith.index_cast %17 : i64 to index
    %19 = tensor.empty(%dim, %18, %15) : tensor<?x4x?x?xf32>
    %20 = linalg.fill ins(%cst_0 : f32) outs(%19 : tensor<?x4x?x?xf32>) -> tensor<?x4x?x?xf32>
    %21 = tensor.empty() : tensor<3x3xf32>
    %22 = linalg.pooling_nchw_max {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%padded_7, %21 : tensor<?x4x?x?xf32>, tensor<3x3xf32>) outs(%20 : tensor<?x4x?x?xf32>) -> tensor<?x4x?x?xf32>
    %padded_8 = tensor.pad %22 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg1: index, %arg2: index, %arg3: index, %arg4: index):
      tensor.yield %cst : f32
    } : tensor<?x4x?x?xf32> to tensor<?x4x?x?xf32>
    %23 = tensor.empty(%dim, %18, %15) : tensor<?x3x?x?xf32>
    %broadcasted_9 = linalg.broadcast ins(%cst_1 : tensor<3xf32>) outs(%23 : tensor<?x3x?x?xf32>) dimensions = [0, 2, 3] 
    %24 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%padded_8, %cst_2 : tensor<?x4x?x?xf32>, tensor<3x4x3x3xf32>) outs(%broadcasted_9 : tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32>
    return %24 : tensor<?x3x?x?xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_3_torch.float32: "0x0400000046F72F3D1A5F013ECB6D95BC",
      torch_tensor_3_4_3_3_torch.float32: "0x040000004BDF643DA35784BD98CC8F3D065889BD206EE3BDBA611FBE769BAE3C63B79EBD7B94D3BD00C2C2BC6074BFBD5CE8273E9390F1BD9E0FB9BDC606B6BD400740BDC335C23DA0BFB23CABF2CAB9AB6B063CE2850FBECFDC233EE0CD85BDA0C4933CAB22EC3A2BD745BD764FCD3CB8C11F3E76AF64BD5007B7BD20FAAD3C73B6A0BD87D1213E835AF0BD5BADBA3D58EED13D6B073BBD60192EBD203BD3BC228001BE7216053E2B0A2CBC5B86B03DFB9A333D7E47D3BD2BFE673D63581EBEE0C49E3D1BF0C3BD9342113E5B48D63D83E7D63D53D8C9BD56C1793B9B13CCBD7374003E169B553C9629053E109F32BDEBC07F3DC8AA0FBE00C53B3DA08D16BD06DC163D6B7CC03D9C0F213E20EC7A3D588EA5BDA06FC93CE6F6D73DE6FB1B3D162A35BD60166B3D20C34B3D6F77193EF660E73CE3C3FDBD5B0853BDD6C1CDBC1341EE3DABF2C0BAB60B0EBD76CC0CBE83BFC5BD6206243E86F6C33DC2B6043EC088923C23A7E1BDD87FD0BD4046A43D004A3F3C532BE33D56C7993AA03CF63D663D2C3D900935BD8663483D50BF213E4EE4D8BDCB7EC8BCCB94C4BCD66FA4BDABD2FC398FAC18BEABD7E33B4048803C34A5163E",
      torch_tensor_4_2_3_3_torch.float32: "0x04000000C0A622BE955C02BD06C1E5BC52DC253DEBB8F1BDB000BA3C0872663E793903BE62369D3DAFC7613ECB9BC03CFF7E7FBDD21B2A3D0647303E24893F3CC55B1D3E3376E23DB8C0D2BB368B453E5E79FF3D06851F3EB6E60F3E066257BEB9CFD53D7EB8A63B8BA5353EDD49273D99901DBE5032F63BF251E3BA86C1483DA7DEFBBDA602673E4494B2BD91D0163E8880F33CF22B4BBCDC5580BD08F9333E49E1D6BDB352BA3D42994ABE20623BBBE3493CBE489A263E494C373D7936F2BDBE2D5F3E4BAF21BD8D711ABDF6DB11BE2FAE16BEBCBD0F3E0CE841BD1627053DFD1737BD07D42E3E5B9184BA687769BD4D0E64BE02B3E93DBE14A03D430D94BD6161D93D094F053E7AC4EEBD133A32BEA50D103E04670EBEE1B004BD1E0BC83DCDEB02BE",
      torch_tensor_4_torch.float32: "0x04000000999FAD3DD490A9BDBB034C3CC15B003E"
    }
  }
#-}
