//! The loop that tests of programs write.

/// Passes that write loops out, and the one that makes one launch of several, in their order.
pub const OF_ROUNDS: &[&str] = &["round_slices", "round_rows", "round_counters", "round_turns", "bundle"];

/// What tests of what a loop's rounds are leave out.
pub fn keep_rounds() -> Vec<String> {
    OF_ROUNDS.iter().map(ToString::to_string).collect()
}

/// A value that a loop carries: its name in a round, its type, and what the round gives back for it.
pub struct Carried<'t>(pub &'t str, pub &'t str, pub &'t str);

/// Seven rounds of `body` (%i is the round, %one one), from arguments of @main. Gives back the carried values
/// `returned`, of which 0 is the counter.
pub fn loop_of(carried: &[Carried<'_>], body: &str, returned: &[usize]) -> String {
    let counter = Carried("%i", "tensor<i32>", "%j");
    let all = || std::iter::once(&counter).chain(carried);
    let list = |part: &dyn Fn(usize, &Carried<'_>) -> String| {
        let parts = all().enumerate().map(|(at, value)| part(at, value)).collect::<Vec<_>>();
        (parts.join(", "), parts[1..].join(", "))
    };
    let (_, arguments) = list(&|at, value| format!("%x{at}: {}", value.1));
    let (given, _) =
        list(&|at, value| format!("{} = {}", value.0, if at == 0 { "%zero".into() } else { format!("%x{at}") }));
    let (types, _) = list(&|_, value| value.1.into());
    let (back, _) = list(&|_, value| value.2.into());
    let result_types =
        returned.iter().filter_map(|&at| all().nth(at)).map(|value| value.1).collect::<Vec<_>>().join(", ");
    let results = returned.iter().map(|at| format!("%0#{at}")).collect::<Vec<_>>().join(", ");
    format!(
        "func.func @main({arguments}) -> ({result_types}) {{
           %zero = stablehlo.constant dense<0> : tensor<i32>
           %0:{} = stablehlo.while({given}) : {types}
           cond {{
             %most = stablehlo.constant dense<7> : tensor<i32>
             %1 = stablehlo.compare LT, %i, %most, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
             stablehlo.return %1 : tensor<i1>
           }} do {{
             %one = stablehlo.constant dense<1> : tensor<i32>
             {body}
             %j = stablehlo.add %i, %one : tensor<i32>
             stablehlo.return {back} : {types}
           }}
           return {results} : {result_types}
         }}",
        carried.len() + 1
    )
}

/// Seven rounds of `body`, which makes %r of %y. Gives back what was carried; with `counted` the counter too.
pub fn rounds(ty: &str, body: &str, counted: bool) -> String {
    loop_of(&[Carried("%y", ty, "%r")], body, if counted { &[1, 0] } else { &[1] })
}
