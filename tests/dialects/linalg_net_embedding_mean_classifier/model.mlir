#map = affine_map<(d0, d1, d2) -> (d0, d1)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @main(%arg0: tensor<5x9xi64>) -> tensor<5x4xf32> {
    %c30 = arith.constant 30 : index
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant dense_resource<torch_tensor_4_torch.float32> : tensor<4xf32>
    %cst_1 = arith.constant dense_resource<torch_tensor_4_8_torch.float32> : tensor<4x8xf32>
    %cst_2 = arith.constant dense_resource<torch_tensor_30_8_torch.float32> : tensor<30x8xf32>
    %cst_3 = arith.constant 9.000000e+00 : f32
    %0 = tensor.empty() : tensor<5x9x8xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<5x9xi64>) outs(%0 : tensor<5x9x8xf32>) {
    ^bb0(%in: i64, %out: f32):
      %12 = arith.index_cast %in : i64 to index
      %13 = linalg.index 2 : index
      %14 = arith.cmpi slt, %12, %c30 : index
      cf.assert %14, "index must be smaller than dim size"
      %15 = arith.cmpi sge, %in, %c0_i64 : i64
      cf.assert %15, "index must be larger or equal to 0"
      %extracted = tensor.extract %cst_2[%12, %13] : tensor<30x8xf32>
      linalg.yield %extracted : f32
    } -> tensor<5x9x8xf32>
    %2 = tensor.empty() : tensor<5x8xf32>
    %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<5x8xf32>) -> tensor<5x8xf32>
    %4 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "reduction", "parallel"]} ins(%1 : tensor<5x9x8xf32>) outs(%3 : tensor<5x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %12 = arith.addf %in, %out : f32
      linalg.yield %12 : f32
    } -> tensor<5x8xf32>
    %5 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<5x8xf32>) outs(%2 : tensor<5x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %12 = arith.divf %in, %cst_3 : f32
      linalg.yield %12 : f32
    } -> tensor<5x8xf32>
    %6 = tensor.empty() : tensor<8x4xf32>
    %transposed = linalg.transpose ins(%cst_1 : tensor<4x8xf32>) outs(%6 : tensor<8x4xf32>) permutation = [1, 0] 
    %7 = tensor.empty() : tensor<5x4xf32>
    %8 = linalg.fill ins(%cst : f32) outs(%7 : tensor<5x4xf32>) -> tensor<5x4xf32>
    %9 = linalg.matmul ins(%5, %transposed : tensor<5x8xf32>, tensor<8x4xf32>) outs(%8 : tensor<5x4xf32>) -> tensor<5x4xf32>
    %10 = linalg.generic {indexing_maps = [#map4, #map3], iterator_types = ["parallel", "parallel"]} ins(%cst_0 : tensor<4xf32>) outs(%7 : tensor<5x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5x4xf32>
    %11 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%9, %10 : tensor<5x4xf32>, tensor<5x4xf32>) outs(%7 : tensor<5x4xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %12 = arith.addf %in, %in_4 : f32
      linalg.yield %12 : f32
    } -> tensor<5x4xf32>
    return %11 : tensor<5x4xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_4_torch.float32: "0x0400000021D805BECE9D35BEA759CD3D4CF2E3BD",
      torch_tensor_4_8_torch.float32: "0x040000008CEE313E94D86BBE74BC0B3ED20C9B3D4F8CAF3E0AABAFBD65090CBE060DADBEEA997BBD34E15F3E62476A3E396D833E9563633E822D70BEF961643E8B29263EDE872CBE9CE3963DD9E88CBE0DEEDB3CDE935A3E25B0A73ED58D37BE6E4DA53EB0DD9B3ECD63073EBCD0B03B37E2F33DADCA02BEB4A2953EE641A73DE28D83BE",
      torch_tensor_30_8_torch.float32: "0x040000006C2E0C3FB42EBDBF9732C13F9E9959BFF26F493F0320FC3EF6569A3F3ACB853F936C3EBFD4BB80BFEC8CEC3E820E2E3E386197BEA1ECB53EBEE2B13F49E79E3E491671BFCD23B13FF5F772BF9A36C33ECD38A13BEDFD07BF42807F3FF0C69ABFDB31273E56D90C3E0857CD3FEBA577BF53B4833F2186223F5468063F6C30193E4F3B91BE68EF7ABEC351393F0AB7AC3FD26633BF4F2E55BE62DE58BF8C71E7BD2FDB01C027BB383FFCB8723E87A79DBBD8C3DBBF8F54683E62433C3F71CC13BFCAB555BFA212B9BF53D9A33F8FAE06C032314B3ED6D59A3E1418A3BE1103C2BFBC7C8FBF6A94B9BF3287FD3FAA8464BEE71699BFB66CB8BED5335B3F59E962BF7E604CBFF2D9093DF3ADDBBF30B669BFD9865A3E2DD04ABE7C230040B598BB3F2EA5C0BFF4DE5CBF95E9AEBF42EC923F8D04803FDC07933FA5A5233F9CE1213F53DEA03D9556E43F426D97BD4309983CAC9FD8BEC803423F33F94D3F5DE24C3F4BF8053E5728D53E167A5CBF77AB903F9BE939BF4243863EDCC1053FE0ECD6BE1A2B003F69D3D2BE1328A93F41E804C00A298FBFD5C1803ECC039D3FDD09D13FD52D8FBFD16AAE3FFDE61F4027A2E93F68EDC7BEEB46B53F6767EDBEFCC7A33F73319ABF3D668DBF3A497EBF14586C3FB0D33B40BD61B33E2CF4253D554480BF33E5C13F31FA88BFD344004072148BBEA5C75E3FB8C428BF521F35BF670B4F3E431E863F9DF9B1BEB18BBDBEC607CC3E883B193FE9A763BFE16B013F2E36B93EE65F1EBDCA51843F9A1CE9BEB9F6CDBE4D4FBC3EC94E08406C3290BF60C13ABFAF455DBF941F48BE63E626BFA793DBBE79B5903EF50B393EF28EADBFB95BD9BEA7C6A53E524C0C3E0867ED3FDF3BFC3EEB5A493FBC9BE43FB27757BF7CE2733F49CCA33FA68BBFBF876B1ABF977193BFACD504BD32A6C3BF6556CEBF47BE093F1A67D33E1DAE21BF113FC63E7A4CC1BE2F4409BF98DD173EE9A222BF5DA33ABF190BE23EC50284BFDF6B8F3FE7FEE73FAF84DD3FFAB392BF8E1E73BD401698BD21B4FBBD2AFC96BFB1DBC6BE7584D53F7039043FF78E7A3FF8468BBF0E498C3FD1A92DBF453E17BFE585DE3EE5D2683EB1FB18BF3B7522BF74779F3EBAF8043D6FCE92BF3C7511C0FBCC333F9F786F3F9F204B3F037A0FBE98C73FBF0D4BB83F9EA1DABE1000D5BE9AAA7EBF0394F3BE9B569C3BAECF2BBF95DE963E51F0033FF6E22CBF43E136BF19F302BE9183093F543593BF5514633F3FD17CBF5AEA413F2B54163F75BEEFBFA0987EBEE79EF83EBF5230BD5C8D863F732E893E7C10F1BF9E91813F0157F13DFD5D853F0814CF3DDAF073BF74DA8A3F1DA3DD3F562743BE"
    }
  }
#-}
