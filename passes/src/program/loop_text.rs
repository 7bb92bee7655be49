//! The loop that tests of programs write.

/// Seven rounds of `body`, which makes %r of %y (%i is the round, %one one). Gives back what was carried; with `counted` the counter too.
pub fn rounds(ty: &str, body: &str, counted: bool) -> String {
    let (count_type, count) = if counted { (", tensor<i32>", ", %0#0") } else { ("", "") };
    format!(
        "func.func @main(%x: {ty}) -> ({ty}{count_type}) {{
           %zero = stablehlo.constant dense<0> : tensor<i32>
           %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, {ty}
           cond {{
             %most = stablehlo.constant dense<7> : tensor<i32>
             %1 = stablehlo.compare LT, %i, %most, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
             stablehlo.return %1 : tensor<i1>
           }} do {{
             %one = stablehlo.constant dense<1> : tensor<i32>
             {body}
             %j = stablehlo.add %i, %one : tensor<i32>
             stablehlo.return %j, %r : tensor<i32>, {ty}
           }}
           return %0#1{count} : {ty}{count_type}
         }}"
    )
}
