#map = affine_map<(d0, d1, d2) -> (d0, d1)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map2 = affine_map<(d0) -> (d0)>
#map3 = affine_map<(d0, d1) -> (d0)>
#map4 = affine_map<(d0, d1) -> (d0, d1)>
#map5 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map6 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map7 = affine_map<(d0, d1, d2) -> (d2)>
module {
  func.func @main(%arg0: tensor<2x8xi64>, %arg1: tensor<2x8xi64>) -> tensor<2x8x12xf32> {
    %c0_i64 = arith.constant 0 : i64
    %c2 = arith.constant 2 : index
    %c40 = arith.constant 40 : index
    %c16 = arith.constant 16 : index
    %cst = arith.constant 0.000000e+00 : f64
    %cst_0 = arith.constant 0.000000e+00 : f32
    %cst_1 = arith.constant dense_resource<torch_tensor_12_torch.float32_1> : tensor<12xf32>
    %cst_2 = arith.constant dense_resource<torch_tensor_12_torch.float32> : tensor<12xf32>
    %cst_3 = arith.constant 1.000000e-05 : f64
    %cst_4 = arith.constant dense_resource<torch_tensor_16_12_torch.float32> : tensor<16x12xf32>
    %cst_5 = arith.constant dense_resource<torch_tensor_2_12_torch.float32> : tensor<2x12xf32>
    %cst_6 = arith.constant dense_resource<torch_tensor_40_12_torch.float32> : tensor<40x12xf32>
    %cst_7 = arith.constant 1.200000e+01 : f64
    %cst_8 = arith.constant 1.200000e+01 : f32
    %0 = tensor.empty() : tensor<2x8x12xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<2x8xi64>) outs(%0 : tensor<2x8x12xf32>) {
    ^bb0(%in: i64, %out: f32):
      %30 = arith.index_cast %in : i64 to index
      %31 = linalg.index 2 : index
      %32 = arith.cmpi slt, %30, %c40 : index
      cf.assert %32, "index must be smaller than dim size"
      %33 = arith.cmpi sge, %in, %c0_i64 : i64
      cf.assert %33, "index must be larger or equal to 0"
      %extracted = tensor.extract %cst_6[%30, %31] : tensor<40x12xf32>
      linalg.yield %extracted : f32
    } -> tensor<2x8x12xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg1 : tensor<2x8xi64>) outs(%0 : tensor<2x8x12xf32>) {
    ^bb0(%in: i64, %out: f32):
      %30 = arith.index_cast %in : i64 to index
      %31 = linalg.index 2 : index
      %32 = arith.cmpi slt, %30, %c2 : index
      cf.assert %32, "index must be smaller than dim size"
      %33 = arith.cmpi sge, %in, %c0_i64 : i64
      cf.assert %33, "index must be larger or equal to 0"
      %extracted = tensor.extract %cst_5[%30, %31] : tensor<2x12xf32>
      linalg.yield %extracted : f32
    } -> tensor<2x8x12xf32>
    %3 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1, %2 : tensor<2x8x12xf32>, tensor<2x8x12xf32>) outs(%0 : tensor<2x8x12xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %30 = arith.addf %in, %in_9 : f32
      linalg.yield %30 : f32
    } -> tensor<2x8x12xf32>
    %4 = tensor.empty() : tensor<8xi64>
    %5 = linalg.generic {indexing_maps = [#map2], iterator_types = ["parallel"]} outs(%4 : tensor<8xi64>) {
    ^bb0(%out: i64):
      %30 = linalg.index 0 : index
      %31 = arith.index_cast %30 : index to i64
      linalg.yield %31 : i64
    } -> tensor<8xi64>
    %6 = tensor.empty() : tensor<8x12xf32>
    %7 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel"]} ins(%5 : tensor<8xi64>) outs(%6 : tensor<8x12xf32>) {
    ^bb0(%in: i64, %out: f32):
      %30 = arith.index_cast %in : i64 to index
      %31 = linalg.index 1 : index
      %32 = arith.cmpi slt, %30, %c16 : index
      cf.assert %32, "index must be smaller than dim size"
      %33 = arith.cmpi sge, %in, %c0_i64 : i64
      cf.assert %33, "index must be larger or equal to 0"
      %extracted = tensor.extract %cst_4[%30, %31] : tensor<16x12xf32>
      linalg.yield %extracted : f32
    } -> tensor<8x12xf32>
    %8 = linalg.generic {indexing_maps = [#map1, #map5, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%3, %7 : tensor<2x8x12xf32>, tensor<8x12xf32>) outs(%0 : tensor<2x8x12xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %30 = arith.addf %in, %in_9 : f32
      linalg.yield %30 : f32
    } -> tensor<2x8x12xf32>
    %9 = tensor.empty() : tensor<2x8x12xf64>
    %10 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%8 : tensor<2x8x12xf32>) outs(%9 : tensor<2x8x12xf64>) {
    ^bb0(%in: f32, %out: f64):
      %30 = arith.extf %in : f32 to f64
      linalg.yield %30 : f64
    } -> tensor<2x8x12xf64>
    %11 = tensor.empty() : tensor<2x8x1xf64>
    %12 = linalg.fill ins(%cst : f64) outs(%11 : tensor<2x8x1xf64>) -> tensor<2x8x1xf64>
    %13 = linalg.generic {indexing_maps = [#map1, #map6], iterator_types = ["parallel", "parallel", "reduction"]} ins(%10 : tensor<2x8x12xf64>) outs(%12 : tensor<2x8x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %30 = arith.addf %in, %out : f64
      linalg.yield %30 : f64
    } -> tensor<2x8x1xf64>
    %14 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%13 : tensor<2x8x1xf64>) outs(%11 : tensor<2x8x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %30 = arith.divf %in, %cst_7 : f64
      linalg.yield %30 : f64
    } -> tensor<2x8x1xf64>
    %15 = linalg.generic {indexing_maps = [#map1, #map6, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%10, %14 : tensor<2x8x12xf64>, tensor<2x8x1xf64>) outs(%9 : tensor<2x8x12xf64>) {
    ^bb0(%in: f64, %in_9: f64, %out: f64):
      %30 = arith.subf %in, %in_9 : f64
      linalg.yield %30 : f64
    } -> tensor<2x8x12xf64>
    %16 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%15, %15 : tensor<2x8x12xf64>, tensor<2x8x12xf64>) outs(%9 : tensor<2x8x12xf64>) {
    ^bb0(%in: f64, %in_9: f64, %out: f64):
      %30 = arith.mulf %in, %in_9 : f64
      linalg.yield %30 : f64
    } -> tensor<2x8x12xf64>
    %17 = linalg.generic {indexing_maps = [#map1, #map6], iterator_types = ["parallel", "parallel", "reduction"]} ins(%16 : tensor<2x8x12xf64>) outs(%12 : tensor<2x8x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %30 = arith.addf %in, %out : f64
      linalg.yield %30 : f64
    } -> tensor<2x8x1xf64>
    %18 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%17 : tensor<2x8x1xf64>) outs(%11 : tensor<2x8x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %30 = arith.divf %in, %cst_7 : f64
      linalg.yield %30 : f64
    } -> tensor<2x8x1xf64>
    %19 = tensor.empty() : tensor<2x8x1xf32>
    %20 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%18 : tensor<2x8x1xf64>) outs(%19 : tensor<2x8x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %30 = arith.truncf %in : f64 to f32
      linalg.yield %30 : f32
    } -> tensor<2x8x1xf32>
    %21 = linalg.fill ins(%cst_0 : f32) outs(%19 : tensor<2x8x1xf32>) -> tensor<2x8x1xf32>
    %22 = linalg.generic {indexing_maps = [#map1, #map6], iterator_types = ["parallel", "parallel", "reduction"]} ins(%8 : tensor<2x8x12xf32>) outs(%21 : tensor<2x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %30 = arith.addf %in, %out : f32
      linalg.yield %30 : f32
    } -> tensor<2x8x1xf32>
    %23 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%22 : tensor<2x8x1xf32>) outs(%19 : tensor<2x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %30 = arith.divf %in, %cst_8 : f32
      linalg.yield %30 : f32
    } -> tensor<2x8x1xf32>
    %24 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%20 : tensor<2x8x1xf32>) outs(%19 : tensor<2x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %30 = arith.truncf %cst_3 : f64 to f32
      %31 = arith.addf %in, %30 : f32
      linalg.yield %31 : f32
    } -> tensor<2x8x1xf32>
    %25 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%24 : tensor<2x8x1xf32>) outs(%19 : tensor<2x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %30 = math.rsqrt %in : f32
      linalg.yield %30 : f32
    } -> tensor<2x8x1xf32>
    %26 = linalg.generic {indexing_maps = [#map1, #map6, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%8, %23 : tensor<2x8x12xf32>, tensor<2x8x1xf32>) outs(%0 : tensor<2x8x12xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %30 = arith.subf %in, %in_9 : f32
      linalg.yield %30 : f32
    } -> tensor<2x8x12xf32>
    %27 = linalg.generic {indexing_maps = [#map1, #map6, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%26, %25 : tensor<2x8x12xf32>, tensor<2x8x1xf32>) outs(%0 : tensor<2x8x12xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %30 = arith.mulf %in, %in_9 : f32
      linalg.yield %30 : f32
    } -> tensor<2x8x12xf32>
    %28 = linalg.generic {indexing_maps = [#map1, #map7, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%27, %cst_2 : tensor<2x8x12xf32>, tensor<12xf32>) outs(%0 : tensor<2x8x12xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %30 = arith.mulf %in, %in_9 : f32
      linalg.yield %30 : f32
    } -> tensor<2x8x12xf32>
    %29 = linalg.generic {indexing_maps = [#map1, #map7, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%28, %cst_1 : tensor<2x8x12xf32>, tensor<12xf32>) outs(%0 : tensor<2x8x12xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %30 = arith.addf %in, %in_9 : f32
      linalg.yield %30 : f32
    } -> tensor<2x8x12xf32>
    return %29 : tensor<2x8x12xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_12_torch.float32_1: "0x04000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
      torch_tensor_12_torch.float32: "0x040000000000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F",
      torch_tensor_16_12_torch.float32: "0x0400000091280240206FA0BD02FD3CBFAE7115BF73DE37BFBA29FCBFFBF30C3F6C8F3DBF4C6D303F5ABE00408DD2E33F8841B5BF4E60743E4F7F98BF005E903C1490E2BD897EFEBEFAF772BE40ECE6BEA2CBB3BE92D72FBF311970BF21DE3CBFBC43FFBECE76B1BEA139D4BF887BD43E0B5DA63E097CA3BEF67CA63E24C8B63F266DF0BFEAEB183F5B67293F467A27BF5E4ADA3EE4CFC73E2C670C3F927A2ABE2965F43EF877F93E041AED3EAB8DF93E5068223F1BDC7ABE3B87C33FE3793D3F4DCF24BED486A43F24DB0FBFD4893C3E474F253EC012F23EBD302A40D9DD0AC080A6D03FA789A1BDBFBC97BFCF6708BCFAF3E53EFE6A3FBD90CC00BE7F1282BE9D9C3B3F6A354A3F37C6CABC7C9AC73F440089BFD08139BF1049403E1C80C83F5F7573BFD0C1883F55C82C3FF4F14540510B913FCF7014BF7A37D53E639110BFD3BE823F6708B23E1F00E93FC8D4CD3F147179BE3B79AF3F34FAC73FEDD7D1BEE27857BF4F1A1A3FBBBE1BBF593782BFC3DC2CBE0FC51ABF7F552BC06AF598BEF0A7D8BF55BB47BF484F9A3E624EC8BE8B44923ECF33793FB7DE2A3F20000CC0C3174D3E15C5A4BE2C2DAE3E839D83BE1DED49BE7B92463FA6AE1F3E457A2E3F12CC84BF1100E83EE86FA33DE4C7A63D12F16F3D728B083F0880C6BE01752CC03A58743F0F5EA2BD26C89EBDF18F0BBF009DBE3FBC4394BF4739D0BFD6DBA33F8E01753FE70A583FDA09CE3F5F78D73F966B23BF232C073E88D9683FA53AB5BFDFBBAD3FC1B149BF7474653E60D54C3FF52B0A4066A97BBE2419DB3DB8D0823FE57A53BEE9D1F2BEF4B5993E4AD7B6BF9E1720C0797FF03F926F933E1FA0AC3E30E519BF34D1A2BFE38AD33F085A053F522325BFDF0608BEF929A03EA65842BE1BE5853FCBD10D3F422E5FBF44A8CD3F78A0F8BD909EED3F411EA9BF7CDE46BF2FFF91BE2E6B793FD01A05BF1AA7CB3E8B4325BF3796883F6BE648BF6AA2823FCF3D0DC0A97BB0BCD5124EBF57D806BFBAF2C33E672892BDD067F6BF79543CBD3F5740BF0CD8CD3D30CD053F8976643F108A883CFE71903F05BA8ABF4C980FBEFB101BBE",
      torch_tensor_2_12_torch.float32: "0x04000000E531C53E4B6139BEDB81F53E7E879A3F561D993FD82F46BE18C252BF26166DBFC6BEF63E4D65383E90B6A63E17549EBF3F5206BFC760973F8046473F126EC8BE1DAF8BBDB5CFFABC41A79DBF0E15E6BE201D073F9A8FC43FBBD8CBBFEB646F3F",
      torch_tensor_40_12_torch.float32: "0x040000002359C13EF158504074D0693F48625C3F0718CBBE8DC3573FDE87363F13FB13BFFBDAE23FB05E323F35C10340DDCBD43E74D9B2BD0A20253FE30F963EC557863FC8073B3F56CB33BF167D08C0386E94BFC2BB30BF8E7708C0C2BDCCBFD2555E3FA8F9863EB1AE18BFCA61C1BF8468FCBE818FD0BEB6D7B1BE77DDB53E5826423F74F0DC3CB835B13F2AF75ABFA06A003F98E3C2BE172C9B3E23FEB1BF96AD45BF042B5CBFCC5300BF2658943FE5CC973F63218F3F693C683EEC29683F5AD29E3EB987F8BE74A41BBF463095BF70F8E73FB7080F3F5B759ABE9C97A1BEF562A73F7ADE8B3FBEA1F4BEBD9ACD3FF3FC06BF808BB53F454A8BBFA0EB01BFF03891BFBE8A4CBF34389B3E730DA2BF15750F3D9ACA1D3F26B5CABEE8B3A9BE5326DFBF29E440BFD4F9383FAD3C313FB94660BFF5D0343FA9F9D0BFEE8CC13F91691BBF4BCDDE3F706F6B3F3780A33FE115A5BFEB700CC0B1ADA83E955D883F40235C3EC7273B3FA5C0BE3ECDCB173F73DCC6BE862B45BF17EAD0BF84538CBF3107B53EFFFBAE3F5E37823E4675E8BE2AD6B23E68CCD53E2DDD88BF2034CBBD4873F3BE3AE88A3F9D02A23EC36FECBE4A65673FFA0840BF796A72BFF3880D40E7D8423EB5D286BEA8100CC07E88493F9EE1323EC69E413E7EBA663F06E2153F46C7773F358CB13F630B0240D41461BE95D9C93F9306C3BF8F43DDBE97C64C3F39447C3F92C0B63E3811943F2DD2A9BF413946BFF55BB73F4BC8FB3E629EADBF7DABB3BFA1B5363FC49708BF02AA193F7A7D163F6F2F833DC162F53F3FFE06BF49DAAE3DEA7FC5BF03D1403F0E80663FF0BF9C3FE7DFC9BFBBA9BEBECFAC5CBF17FA8BBEE22019C0B1EF75BEBD646ABF53CF023F57B98F3E342BE8BF12B6B63F95C40F3F4367F03FBB0BD4BE7D3500BECD3A0FC0CD31C73FE8A712C0F9A8BBBDCBA65A3F11B9D5BF5DC802BE3B53B63F3A1BAD3FDAC998BFB72CB13D6B62FBBEEEF5BDB98219FDBF6FF6E73D6F793C3E170C97BE47EAAE3E57F194BF66A23BBEFB9036BF4D6F063FC20E883FDC13473F23A8CBBFBD7CB4BF0A4A98BF271289BEBA97C73E31EFA73F073C9FBF7F0C0F3E8CC6CC3FC398153FE9E594BE128F2CBF5353543FF4B6D4BEBE2D513F26C1A33E2CB3FCBEE517C53F53D844BFB0B81DC023A40B3F24194EBF7347F73FCF5B503F1F78063F91D00B3FE88241BF7822E13E09AB13BFDAC4FC3FC92809BF80EAE3BFAEAE09BE0577C33D735D5DBE04B0113F641940BFD7AA2EBF70DC64BF9601E83FFE9CF83E0AFC24BF3C90EBBDF889C13EDF90E43B2954A03F2808DEBF5F7E4B3F827C423FA29384BEA0D44E3F65B2223E6823FE3FBB40143F62EF58BEDB066EBEF183CFBEA506883E18608A3FDF0D28C06B20C9BFF9983D3F4E1991BFFF0D19BF3738C33F6797063F3AD4EDBF4E31AFBF1B388EBF34016E3A57C9D2BE05230DBFD34D41BF57CC6FBF735BB4BFAEE5D5BFA6DFA73F3F01013F17FEC0BF8045013F6DD82FBEA4463E3F3C79263F923A56BD87FC813EAEEE203F172B003D52D1F0BD89CA294030C6B8BFC17798BEE339B93E50C2033F98FA93BF8B1F244098C185BEE07F9DBEAEC0AF3F3999ABBF25EA843E0BDF10BD98137ABE7D22CE3EE860CFBE17A8A1BF2F07E63E3177153E409B6CBFA164FB3F43A628BF6B49B7BF08A51E3D69E62CBEB9C00F3F2449B53FEC0032BF055004BF0AAB14BF9756843E7FAC1CBFE187FF3D9781A7BDE177BDBE4D5D56BEF4CB0FBFF9FAE63FEC6322C01DD28ABF680D7D3F67B1333E846E01BE02E3203F1129B83E0B30A4BF0A02C23E5427503FD86280BE9385BFBDFBD88D3F73D0BABFF7F41BBF1DB861BF7BEEAABF07F8843E722D16BF1BB7743E27DA82BF8978C83F8122EABE9E56C7BE6F39203FB2B6B9BE45B3F53FEF9842BD40F1A13F462BFFBDDF5E503FA41EF93E82C6E73E7B47FB3EA307623F64E090BFA0953C3E226F8EBF8667F03E83BD813E283C2C3D0A871ABF70829CBCAEC382BF6DD2993D517F4D3F488AEC3EBF5E02BF892BE1BEDF0029BF53C05ABE8E06CFBE0C0A653FFD7E85BEEEFB96BF7A44D2BF1017383FDAEBBABF3BE2AFBEF4D82EBFC84FBF3EF9AB02BFF021ACBF081710BF18B96ABF61E7CCBF81E809BF3FD2F43ED1EDC6BE261D06C000234BBD2168D0BF59B362BF52E1F3BF09B08A3E6567953F68F570BF0BADF3BD57E0A03EDA43C63B0578A4BF8336E4BD69DE283F05AE35BE66F4E2BE5D835A3E8C284EBFB33BEC3F7B272AC0E700BBBFC581B8BEE0A4313F93B276BF7B4BEB3FC3388DBF83EB9D3F68EE033FC34811BE7084B23FC9E4F2BEDC6E4EBF8E19F03E58DD31BFF0F416BFA96755BFFE55F1BF99D2113D4010173F7F33723F49221FBE695680BF699897BFFEF52C40DC077FBF8D45E13FADA4523B705B95BEDBF9A33F0C13783F2FF47A3EF829B1BFDA9B9B3F3469103F82341EBFBE29A33D22BD123E87859D3FAB588C3E6C93B83E018BE23F9489943F1480AEBE057F38BFB556004024C6D83E82AFDABF663C0AC0B3A5043FF0C3183F8351353FC9E4FD3FA8F554BED0745CBE9907F8BE0D2420BEEFF508BF745283BFF32C3A3EC6BDA9BF60E069BFCFBBB53FD9C3083F000128BF8191083FF8519A3FC3DA433F4DEB9FBFD9778CBF8B30873EDC40113FB2C976BEFA01CFBF031077BFB0FA093F90FC983E5D99443F3B413F3F"
    }
  }
#-}
