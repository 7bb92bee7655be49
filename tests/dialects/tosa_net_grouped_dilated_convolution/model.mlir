"builtin.module"() ({
  "func.func"() <{function_type = (tensor<1x8x9x10xf32>) -> tensor<1x12x9x10xf32>, sym_name = "main"}> ({
  ^bb0(%arg0: tensor<1x8x9x10xf32>):
    %0 = "tosa.const"() <{values = dense_resource<torch_tensor_12_torch.float32> : tensor<12xf32>}> : () -> tensor<12xf32>
    %1 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32>
    %2 = "tosa.const_shape"() <{values = dense<[1, 9, 10, 2]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %3 = "tosa.const_shape"() <{values = dense<[3, 3, 3, 2]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %4 = "tosa.const_shape"() <{values = dense<3> : tensor<1xindex>}> : () -> !tosa.shape<1>
    %5 = "tosa.const_shape"() <{values = dense<0> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %6 = "tosa.const_shape"() <{values = dense<0> : tensor<1xindex>}> : () -> !tosa.shape<1>
    %7 = "tosa.const_shape"() <{values = dense<[0, 0, 0, 2]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %8 = "tosa.const_shape"() <{values = dense<[3, 0, 0, 0]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %9 = "tosa.const_shape"() <{values = dense<[0, 0, 0, 4]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %10 = "tosa.const_shape"() <{values = dense<[6, 0, 0, 0]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %11 = "tosa.const_shape"() <{values = dense<6> : tensor<1xindex>}> : () -> !tosa.shape<1>
    %12 = "tosa.const_shape"() <{values = dense<[0, 0, 0, 6]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %13 = "tosa.const_shape"() <{values = dense<[9, 0, 0, 0]> : tensor<4xindex>}> : () -> !tosa.shape<4>
    %14 = "tosa.const_shape"() <{values = dense<9> : tensor<1xindex>}> : () -> !tosa.shape<1>
    %15 = "tosa.const"() <{values = dense<"0x994D31BD7AE1113EDED6CE3D0C1C45BEB0A300BE8B0F67BD57FEFB3D491C553EB726A73D265FECBDAA123FBE4900413E01CCAFBD2540523E7B2545BE675C1DBD47D3DE3DCEACBE3D3FD32C3E17170E3E10A0233D6CD0633EC518F7BC6C724BBE0C8ADEBDC5FE9CBD779B41BE8BF4513EE11A6EBE8D573ABE434527BEECDE30BE1BFB693E422BA3BD32F5C53DB57560BD78B63BBEFA1579BD373D9CBD921FE5BDD7357F3CEDD01BBE8EEEEA3DF398C73BBF438A3DF3B11E3E0E7534BC1E5CFB3D5B1AAF3D2E85F13DAAE02B3E84D6DDBCA28320BE7804313C4EA334BE94EF52BE273254BD8244383C1897C6BCFEB1583E443E82BDF8D895BDFEA75FBE1EEB37BDF01FED3C9ADF403E1B17C6BB67733D3EEFA546BEF4D631BCD02422BEB2AC73BD91149ABD578D343EE2D3D83BE8B95ABEB912D1BDCDBC36BD303D8F3D5E4F1A3EFF34503E65D7683D2863A0BC5AB7943D37DA38BEBE8A1A3D90BA6ABE4869593E4A905DBE082C83BD3B5170BE768A5E3E91073D3E69CC223E7D72B9BD5DF7C63D56E027BEFF929CBD011629BE202C5ABE9E70453E4D9A11BE8A2850BDB7798DBD04FF27BE7623A8BD90FC39BD25E89CBC8E9257BE7F88523E899E4EBE5BA8BFBD6846143DA2D2DA3D75B5EABCA0BCC4BBA23105BD51AA153D8E16F43A1A846B3E77F4FABD0D79E63D868C57BEF7ED13BE5578FEB91C264ABDA9CE63BD05DD68BE407CB83D890A93BC3E6C973D3E9EF93CBEF039BE63017BBC0277703E91E893BC2E05083E454516BEC75A6E3E0192213DB32223BE390246BE0D7E33BE39A8613E6A2829BE2140E03DB27A2CBEB6A9043E1C8BAEBDAC7DC93DA4CC4CBE18E44D3EAB1B5C3EC267233E0CAAAFBC8883CF3D9BB6783DA790E0BDB311F73DFE5F0CBDB54CA0BB2896043D0B5214BE41DEE73CA7271ABE07229FBD8E44A5BD6C4B25BDEB54C63C72E236BE6CB82D3E8D2B1CBEDD9B263E7F4B6C3EE00BD8BDD4AF55BEBF0DBD3C615632BE8FBF57BE24A33E3ED15234BD636507BEB96533BEF598043D1AA65E3E7B78F73DCDBBE03CF8C249BC0A7E253D40131EBA86748A3DD5F0CBBD0430A2BC1034D13D2DACABBDD8BE3E3EB1DC493DAA169C3D22F1593E07376BBEADC7493E4976073ED5DA4CBE5FED3D3C60951CBE5B065B3D4FE8C03DC4B40A3E155DC0BDE59B62BD50906E3D5B138A3D8F2171BE05F03CBDB265CBBBF606B9BC"> : tensor<12x3x3x2xf32>}> : () -> tensor<12x3x3x2xf32>
    %16 = "tosa.transpose"(%arg0) <{perms = array<i32: 0, 2, 3, 1>}> : (tensor<1x8x9x10xf32>) -> tensor<1x9x10x8xf32>
    %17 = "tosa.slice"(%16, %5, %2) : (tensor<1x9x10x8xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x9x10x2xf32>
    %18 = "tosa.slice"(%15, %5, %3) : (tensor<12x3x3x2xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<3x3x3x2xf32>
    %19 = "tosa.slice"(%0, %6, %4) : (tensor<12xf32>, !tosa.shape<1>, !tosa.shape<1>) -> tensor<3xf32>
    %20 = "tosa.conv2d"(%17, %18, %19, %1, %1) <{acc_type = f32, dilation = array<i64: 2, 2>, pad = array<i64: 2, 2, 2, 2>, stride = array<i64: 1, 1>}> : (tensor<1x9x10x2xf32>, tensor<3x3x3x2xf32>, tensor<3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x9x10x3xf32>
    %21 = "tosa.slice"(%16, %7, %2) : (tensor<1x9x10x8xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x9x10x2xf32>
    %22 = "tosa.slice"(%15, %8, %3) : (tensor<12x3x3x2xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<3x3x3x2xf32>
    %23 = "tosa.slice"(%0, %4, %4) : (tensor<12xf32>, !tosa.shape<1>, !tosa.shape<1>) -> tensor<3xf32>
    %24 = "tosa.conv2d"(%21, %22, %23, %1, %1) <{acc_type = f32, dilation = array<i64: 2, 2>, pad = array<i64: 2, 2, 2, 2>, stride = array<i64: 1, 1>}> : (tensor<1x9x10x2xf32>, tensor<3x3x3x2xf32>, tensor<3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x9x10x3xf32>
    %25 = "tosa.slice"(%16, %9, %2) : (tensor<1x9x10x8xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x9x10x2xf32>
    %26 = "tosa.slice"(%15, %10, %3) : (tensor<12x3x3x2xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<3x3x3x2xf32>
    %27 = "tosa.slice"(%0, %11, %4) : (tensor<12xf32>, !tosa.shape<1>, !tosa.shape<1>) -> tensor<3xf32>
    %28 = "tosa.conv2d"(%25, %26, %27, %1, %1) <{acc_type = f32, dilation = array<i64: 2, 2>, pad = array<i64: 2, 2, 2, 2>, stride = array<i64: 1, 1>}> : (tensor<1x9x10x2xf32>, tensor<3x3x3x2xf32>, tensor<3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x9x10x3xf32>
    %29 = "tosa.slice"(%16, %12, %2) : (tensor<1x9x10x8xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x9x10x2xf32>
    %30 = "tosa.slice"(%15, %13, %3) : (tensor<12x3x3x2xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<3x3x3x2xf32>
    %31 = "tosa.slice"(%0, %14, %4) : (tensor<12xf32>, !tosa.shape<1>, !tosa.shape<1>) -> tensor<3xf32>
    %32 = "tosa.conv2d"(%29, %30, %31, %1, %1) <{acc_type = f32, dilation = array<i64: 2, 2>, pad = array<i64: 2, 2, 2, 2>, stride = array<i64: 1, 1>}> : (tensor<1x9x10x2xf32>, tensor<3x3x3x2xf32>, tensor<3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x9x10x3xf32>
    %33 = "tosa.concat"(%20, %24, %28, %32) <{axis = 3 : i32}> : (tensor<1x9x10x3xf32>, tensor<1x9x10x3xf32>, tensor<1x9x10x3xf32>, tensor<1x9x10x3xf32>) -> tensor<1x9x10x12xf32>
    %34 = "tosa.transpose"(%33) <{perms = array<i32: 0, 3, 1, 2>}> : (tensor<1x9x10x12xf32>) -> tensor<1x12x9x10xf32>
    "func.return"(%34) : (tensor<1x12x9x10xf32>) -> ()
  }) : () -> ()
}) : () -> ()

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_12_torch.float32: "0x04000000383075BC90F8CABB04D9393ED2956A3E70E765BE8D7F45BCD4C04E3C00F101BE2F2A3F3D2B875F3EA4393B3DD360633E"
    }
  }
#-}
