//! Chains of updates of one value: each writes its slice, in the caller's buffer or in one copy of it.

use fornax_module::program::{Command, SizeExpr, Space};
use fornax_targets::Backend;

use super::{Options, Planned};
use crate::plan;
use crate::simplify::simplify;

const CACHE: &str = "tensor<3x256x16xf32>";
const ROW: &str = "tensor<1x1x16xf32>";

/// A function of a cache, a row and a place; it gives the cache back, and what else `body` makes.
fn planned(marks: &str, body: &str, others: &str) -> Planned {
    let text = format!(
        "func.func @main(%c: {CACHE}{marks}, %r: {ROW}, %v: tensor<16xf32>, %p: tensor<i32>) -> ({CACHE}{others}) {{
           %z = stablehlo.constant dense<0> : tensor<i32>
           %o = stablehlo.constant dense<1> : tensor<i32>
           %t = stablehlo.constant dense<2> : tensor<i32>
           {body}
         }}"
    );
    let mut graph = fornax_import::import_text(&text, "t.mlir", &Default::default()).unwrap();
    simplify(&mut graph, &Default::default()).unwrap();
    let target = fornax_targets::resolve(Backend::Cuda, "sm_80").unwrap().target;
    plan(&crate::fuse::fuse(&graph).unwrap(), &target, &Options::default()).unwrap()
}

fn update(of: &str, layer: &str) -> String {
    let index = "tensor<i32>, tensor<i32>, tensor<i32>";
    format!("stablehlo.dynamic_update_slice {of}, %r, {layer}, %p, %z : ({CACHE}, {ROW}, {index}) -> {CACHE}\n")
}

/// A layer of the cache times `%v`.
fn product(name: &str, of: &str, layer: usize) -> String {
    let to = layer + 1;
    format!(
        "%s{name} = stablehlo.slice {of} [{layer}:{to}, 0:256, 0:16] : ({CACHE}) -> tensor<1x256x16xf32>
         %l{name} = stablehlo.reshape %s{name} : (tensor<1x256x16xf32>) -> tensor<256x16xf32>
         {name} = stablehlo.dot_general %l{name}, %v, contracting_dims = [1] x [0] :
           (tensor<256x16xf32>, tensor<16xf32>) -> tensor<256xf32>\n"
    )
    .replace("%s%", "%s")
    .replace("%l%", "%l")
}

fn chain() -> String {
    let steps = [
        format!("%1 = {}", update("%c", "%z")),
        product("%d1", "%1", 0),
        format!("%2 = {}", update("%1", "%o")),
        product("%d2", "%2", 1),
        format!("%3 = {}", update("%2", "%t")),
        product("%d3", "%3", 2),
    ];
    let sum = "%s1 = stablehlo.add %d1, %d2 : tensor<256xf32> %s2 = stablehlo.add %s1, %d3 : tensor<256xf32>";
    format!("{}{sum}\nreturn %3, %s2 : {CACHE}, tensor<256xf32>", steps.concat())
}

/// Commands of all blocks that write as many bytes as the cache has: copies between two buffers, and kernels.
fn whole_writes(planned: &Planned) -> usize {
    let bytes = |length: u32| planned.program.exprs.get(length as usize) == Some(&SizeExpr::Const(3 * 256 * 16 * 4));
    let aliases = planned.aliases.get("main").cloned().unwrap_or_default();
    let one = |a: Space, b: Space| match (a, b) {
        (Space::Input(input), Space::Output(output)) => aliases.contains(&(input, output)),
        _ => false,
    };
    let commands = planned.program.blocks.iter().flat_map(|b| &b.commands);
    let writes = |command: &&Command| match command {
        Command::Copy { source, target } => bytes(target.length) && !one(source.space, target.space),
        Command::Dispatch { kernel, bindings, .. } => {
            let buffers = &planned.kernels[*kernel as usize].buffers;
            let whole = |(b, at): (&fornax_module::program::Binding, &fornax_plan::Buffer)| {
                bytes(b.span.length) && at.access == fornax_plan::Access::Write
            };
            bindings.iter().zip(buffers).any(whole)
        }
        _ => false,
    };
    commands.filter(writes).count()
}

const GIVEN: &str = " {tf.aliasing_output = 0 : i32}";

#[test]
fn a_chain_of_updates_of_a_given_cache_writes_slices_only() {
    let planned = planned(GIVEN, &chain(), ", tensor<256xf32>");
    assert_eq!(planned.aliases.get("main").cloned().unwrap_or_default(), [(0, 0)]);
    assert_eq!(whole_writes(&planned), 0, "{}", planned.describe());
}

#[test]
fn without_donation_one_copy_is_enough() {
    let planned = planned("", &chain(), ", tensor<256xf32>");
    assert!(planned.aliases.is_empty());
    assert_eq!(whole_writes(&planned), 1, "{}", planned.describe());
}

#[test]
fn an_old_value_that_is_read_later_is_kept() {
    let body = format!(
        "%1 = {}%2 = {}%3 = stablehlo.subtract %2, %1 : {CACHE}\nreturn %3 : {CACHE}",
        update("%c", "%z"),
        update("%1", "%o")
    );
    for marks in [GIVEN, ""] {
        let planned = planned(marks, &body, "");
        assert!(whole_writes(&planned) > 0, "{}", planned.describe());
    }
}

/// A row made of the old row at another place is computed before, by a kernel of its own.
#[test]
fn a_row_of_the_old_value_is_read_before_it_is_written() {
    let index = "tensor<i32>, tensor<i32>, tensor<i32>";
    let body = format!(
        "%1 = stablehlo.dynamic_slice %c, %o, %p, %z, sizes = [1, 1, 16] : ({CACHE}, {index}) -> {ROW}
         %2 = stablehlo.add %1, %r : {ROW}
         %3 = stablehlo.dynamic_update_slice %c, %2, %t, %p, %z : ({CACHE}, {ROW}, {index}) -> {CACHE}
         return %3 : {CACHE}"
    );
    let planned = planned(GIVEN, &body, "");
    assert_eq!(planned.aliases.get("main").cloned().unwrap_or_default(), [(0, 0)], "{}", planned.describe());
    assert_eq!((whole_writes(&planned), planned.kernels.len()), (0, 2), "{}", planned.describe());
}

/// What is the same in every call is computed when the module is loaded, unless an update changes it.
#[test]
fn an_update_does_not_change_what_was_computed_at_load() {
    let body = format!(
        "%i = stablehlo.iota dim = 1 : {CACHE}
         %k = stablehlo.sine %i : {CACHE}
         {}%3 = {}%m = stablehlo.multiply %3, %3 : {CACHE}\nreturn %m, %d0 : {CACHE}, tensor<256xf32>",
        product("%d0", "%k", 1),
        update("%k", "%z")
    );
    let planned = planned("", &body, ", tensor<256xf32>");
    let load = planned.program.load.map(|at| planned.program.blocks[at as usize].commands.as_slice());
    let written = load.unwrap_or_default().iter().flat_map(|command| match command {
        Command::Dispatch { bindings, .. } => bindings.as_slice(),
        _ => &[],
    });
    let kept: Vec<_> = written.filter(|b| b.access != fornax_module::program::Access::Read).map(|b| b.span).collect();
    let main = &planned.program.blocks[planned.program.functions[0].body as usize].commands;
    for command in main {
        if let Command::Dispatch { bindings, .. } = command {
            let written = bindings.iter().filter(|b| b.access != fornax_module::program::Access::Read);
            assert!(written.map(|b| b.span).all(|span| !kept.contains(&span)), "{}", planned.describe());
        }
    }
}

/// The chain in the body of a loop, on a value that the loop carries.
#[test]
fn a_loop_carries_a_chain_in_one_buffer() {
    let body = format!(
        "%n = stablehlo.constant dense<9> : tensor<i32>
         %a = stablehlo.constant dense<0.0> : tensor<256xf32>
         %w:3 = stablehlo.while(%p1 = %p, %c1 = %c, %acc = %a) : tensor<i32>, {CACHE}, tensor<256xf32>
         cond {{
           %q = stablehlo.compare LT, %p1, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
           stablehlo.return %q : tensor<i1>
         }} do {{
           %next = stablehlo.add %p1, %o : tensor<i32>
           %1 = {}{}%2 = {}{}
           %s1 = stablehlo.add %acc, %d1 : tensor<256xf32>
           %s2 = stablehlo.add %s1, %d2 : tensor<256xf32>
           stablehlo.return %next, %2, %s2 : tensor<i32>, {CACHE}, tensor<256xf32>
         }}
         return %w#1, %w#2 : {CACHE}, tensor<256xf32>",
        update("%c1", "%z").replace("%p", "%p1"),
        product("%d1", "%1", 0),
        update("%1", "%o").replace("%p", "%p1"),
        product("%d2", "%2", 1),
    );
    let given = planned(GIVEN, &body, ", tensor<256xf32>");
    assert_eq!(given.aliases.get("main").cloned().unwrap_or_default(), [(0, 0)], "{}", given.describe());
    assert_eq!(whole_writes(&given), 0, "{}", given.describe());
    assert_eq!(whole_writes(&planned("", &body, ", tensor<256xf32>")), 1);
}

/// The same update as a select of the row with a number; of a list of numbers, one a batch.
#[test]
fn a_row_selected_by_its_number_is_written_in_place() {
    let mask = |positions: &str, ty: &str, dims: &str, direction: &str| {
        format!(
            "%i = stablehlo.iota dim = 1 : tensor<3x256xi32>
             %b = stablehlo.broadcast_in_dim {positions}, dims = [{dims}] : ({ty}) -> tensor<3x256xi32>
             %q = stablehlo.compare {direction}, %i, %b, SIGNED :
               (tensor<3x256xi32>, tensor<3x256xi32>) -> tensor<3x256xi1>
             %m = stablehlo.broadcast_in_dim %q, dims = [0, 1] : (tensor<3x256xi1>) -> tensor<3x256x16xi1>
             %n = stablehlo.broadcast_in_dim %v, dims = [2] : (tensor<16xf32>) -> {CACHE}\n"
        )
    };
    let select = |a: &str, b: &str| {
        format!("%s = stablehlo.select %m, {a}, {b} : tensor<3x256x16xi1>, {CACHE}\nreturn %s : {CACHE}")
    };
    let each = "%l = stablehlo.iota dim = 0 : tensor<3xi32>
                %k = stablehlo.broadcast_in_dim %p, dims = [] : (tensor<i32>) -> tensor<3xi32>
                %pp = stablehlo.add %l, %k : tensor<3xi32>\n";
    // One of a list of positions.
    let listed = "%w = stablehlo.iota dim = 0 : tensor<9xi32>
                  %u = stablehlo.slice %w [4:5] : (tensor<9xi32>) -> tensor<1xi32>
                  %pp = stablehlo.reshape %u : (tensor<1xi32>) -> tensor<i32>\n";
    let bodies = [
        format!("{listed}{}", mask("%pp", "tensor<i32>", "", "EQ")) + &select("%n", "%c"),
        mask("%p", "tensor<i32>", "", "EQ") + &select("%n", "%c"),
        mask("%p", "tensor<i32>", "", "NE") + &select("%c", "%n"),
        format!("{each}{}", mask("%pp", "tensor<3xi32>", "0", "EQ")) + &select("%n", "%c"),
    ];
    for body in bodies {
        let planned = planned(GIVEN, &body, "");
        assert_eq!(planned.aliases.get("main").cloned().unwrap_or_default(), [(0, 0)], "{}", planned.describe());
        assert_eq!((whole_writes(&planned), planned.kernels.len()), (0, 1), "{}", planned.describe());
    }
    // Other rows than one, and what is other in every row, are written as a whole.
    let others = [
        mask("%p", "tensor<i32>", "", "LT") + &select("%n", "%c"),
        mask("%p", "tensor<i32>", "", "EQ") + &select("%c", "%n"),
        mask("%p", "tensor<i32>", "", "EQ").replace("%n = ", "%n0 = ")
            + &format!("%n = stablehlo.add %n0, %c : {CACHE}\n")
            + &select("%n", "%c"),
    ];
    for body in others {
        assert!(whole_writes(&planned(GIVEN, &body, "")) > 0);
    }
}
