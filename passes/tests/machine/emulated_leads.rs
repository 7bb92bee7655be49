//! Small kernels before products of few rows: led kernels in the interpreter and, as text, in the emulator.

use fornax_passes::Planned;
use fornax_plan::{Access, Body, Buffer, KernelPlan, Led, UNANNOUNCED};
use fornax_targets::Target;

use super::emulated_models::emulate;
use super::machine::compare::{check_on, import, planned};
use super::machine::emulated::{run_text, text as text_of};
use super::main_function;

const DEVICES: &[&str] = &["cuda:sm_60", "cuda:sm_80", "cuda:sm_90a"];

/// `%n`: `%x`, `[1, 256]`, divided by the root of its largest magnitude, in f32, as bf16.
const NORM: &str = "%z = stablehlo.constant dense<0.0> : tensor<f32>
    %f = stablehlo.convert %x : (tensor<1x256xbf16>) -> tensor<1x256xf32>
    %s = stablehlo.abs %f : tensor<1x256xf32>
    %m = stablehlo.reduce(%s init: %z) applies stablehlo.maximum across dimensions = [1] \
         : (tensor<1x256xf32>, tensor<f32>) -> tensor<1xf32>
    %r = stablehlo.rsqrt %m : tensor<1xf32>
    %b = stablehlo.broadcast_in_dim %r, dims = [0] : (tensor<1xf32>) -> tensor<1x256xf32>
    %g = stablehlo.multiply %f, %b : tensor<1x256xf32>
    %n = stablehlo.convert %g : (tensor<1x256xf32>) -> tensor<1x256xbf16>
";

struct Model {
    name: &'static str,
    signature: &'static str,
    /// Before [`NORM`], which reads `%x`.
    before: &'static str,
    body: &'static str,
    /// Led kernels, at least.
    led: usize,
}

const MODELS: &[Model] = &[
    Model {
        name: "a norm before one product",
        signature: "%x: tensor<1x256xbf16>, %w: tensor<256x512xbf16>) -> tensor<1x512xbf16>",
        before: "",
        body: "%0 = stablehlo.dot %n, %w : (tensor<1x256xbf16>, tensor<256x512xbf16>) -> tensor<1x512xbf16>
               return %0 : tensor<1x512xbf16>",
        led: 1,
    },
    Model {
        name: "a norm before q, k and v, the residual stored for others",
        signature: "%a: tensor<1x256xbf16>, %c: tensor<1x256xbf16>, %q: tensor<256x264xbf16>, \
                    %k: tensor<256x72xbf16>, %v: tensor<256x72xbf16>) -> (tensor<1x264xbf16>, tensor<1x72xbf16>, \
                    tensor<1x72xbf16>, tensor<1x256xbf16>)",
        before: "%x = stablehlo.add %a, %c : tensor<1x256xbf16>\n",
        body: "%0 = stablehlo.dot %n, %q : (tensor<1x256xbf16>, tensor<256x264xbf16>) -> tensor<1x264xbf16>
               %1 = stablehlo.dot %n, %k : (tensor<1x256xbf16>, tensor<256x72xbf16>) -> tensor<1x72xbf16>
               %2 = stablehlo.dot %n, %v : (tensor<1x256xbf16>, tensor<256x72xbf16>) -> tensor<1x72xbf16>
               %3 = stablehlo.negate %x : tensor<1x256xbf16>
               return %0, %1, %2, %3 : tensor<1x264xbf16>, tensor<1x72xbf16>, tensor<1x72xbf16>, tensor<1x256xbf16>",
        led: 1,
    },
    Model {
        name: "a norm that the caller sees stays a kernel",
        signature: "%x: tensor<1x256xbf16>, %w: tensor<256x512xbf16>) -> (tensor<1x512xbf16>, tensor<1x256xbf16>)",
        before: "",
        body: "%0 = stablehlo.dot %n, %w : (tensor<1x256xbf16>, tensor<256x512xbf16>) -> tensor<1x512xbf16>
               return %0, %n : tensor<1x512xbf16>, tensor<1x256xbf16>",
        led: 0,
    },
    Model {
        name: "rounds of a loop: a norm and a product each",
        signature: "%a: tensor<1x256xbf16>, %w: tensor<256x256xbf16>) -> tensor<1x256xbf16>",
        before: "%o = stablehlo.constant dense<1> : tensor<i32>
                 %t = stablehlo.constant dense<3> : tensor<i32>
                 %i0 = stablehlo.constant dense<0> : tensor<i32>
                 %l:2 = stablehlo.while(%i = %i0, %x = %a) : tensor<i32>, tensor<1x256xbf16>
                 cond {
                   %1 = stablehlo.compare LT, %i, %t, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
                   stablehlo.return %1 : tensor<i1>
                 } do {
                   %j = stablehlo.add %i, %o : tensor<i32>\n",
        body: "%0 = stablehlo.dot %n, %w : (tensor<1x256xbf16>, tensor<256x256xbf16>) -> tensor<1x256xbf16>
               %1 = stablehlo.add %0, %x : tensor<1x256xbf16>
               stablehlo.return %j, %1 : tensor<i32>, tensor<1x256xbf16>
               }
               return %l#1 : tensor<1x256xbf16>",
        led: 0,
    },
];

fn led(planned: &Planned) -> Vec<&Led> {
    planned.kernels.iter().filter_map(|plan| plan.body.led()).collect()
}

#[test]
fn led_kernels_give_what_both_give() {
    for model in MODELS {
        let text = main_function(model.signature, &format!("{}{NORM}{}", model.before, model.body));
        for device in DEVICES {
            let planned = check_on(model.name, &text, device);
            let found = led(&planned).len();
            assert!(found >= model.led, "{} on {device}: {found}", model.name);
        }
        emulate(model.name, &text, DEVICES);
    }
}

/// What the lead makes for its product alone is no buffer; what others read is one.
#[test]
fn a_norm_is_handed_on_in_shared_memory() {
    let [_, model, seen, _] = MODELS else { panic!("the models") };
    let text = |model: &Model| main_function(model.signature, &format!("{}{NORM}{}", model.before, model.body));
    let planned = check_on(model.name, &text(model), "cuda:sm_90a");
    let [led] = led(&planned)[..] else { panic!("one led kernel") };
    assert!(matches!(led.then.plan.body, Body::Bundle(_)), "q, k and v");
    assert_eq!(led.handed.iter().map(|buffer| buffer.elements).collect::<Vec<_>>(), [256]);
    let planned = check_on(seen.name, &text(seen), "cuda:sm_90a");
    assert!(planned.kernels.iter().all(|plan| plan.body.led().is_none()), "the caller reads the norm");
}

/// An argument that is given away may be read by the lead and overwritten by nothing of the same launch.
#[test]
fn a_result_does_not_lie_in_what_the_lead_reads() {
    let text = main_function(
        "%x: tensor<1x256xbf16> {tf.aliasing_output = 0 : i32}, %w: tensor<256x256xbf16>) -> tensor<1x256xbf16>",
        &format!(
            "{NORM}%0 = stablehlo.dot %n, %w : (tensor<1x256xbf16>, tensor<256x256xbf16>) -> tensor<1x256xbf16>
             return %0 : tensor<1x256xbf16>"
        ),
    );
    for device in DEVICES {
        let planned = check_on("given", &text, device);
        let shares = planned.aliases.get("main").is_some_and(|pairs| !pairs.is_empty());
        assert!(!shares || led(&planned).is_empty(), "{device}: workgroups would read what another one wrote");
    }
    emulate("given", &text, DEVICES);
}

/// The factor of a norm is behind the product, which begins with what the kernel before stored with the residual.
#[test]
fn a_product_begins_before_the_factor_of_its_norm() {
    let row = "tensor<1x256xf32>";
    let text = main_function(
        &format!(
            "%a: {row}, %p: tensor<256x256xf32>, %g: tensor<256xf32>, %w: tensor<512x256xf32>) \
             -> (tensor<1x512xf32>, {row})"
        ),
        &format!(
            "%z = stablehlo.constant dense<0.0> : tensor<f32>
             %e = stablehlo.constant dense<1.0e-5> : tensor<1xf32>
             %o = stablehlo.dot_general %a, %p, contracting_dims = [1] x [1] \
                 : ({row}, tensor<256x256xf32>) -> {row}
             %v = stablehlo.add %a, %o : {row}
             %s = stablehlo.multiply %v, %v : {row}
             %m = stablehlo.reduce(%s init: %z) applies stablehlo.add across dimensions = [1] \
                 : ({row}, tensor<f32>) -> tensor<1xf32>
             %i = stablehlo.add %m, %e : tensor<1xf32>
             %r = stablehlo.rsqrt %i : tensor<1xf32>
             %b = stablehlo.broadcast_in_dim %r, dims = [0] : (tensor<1xf32>) -> {row}
             %n = stablehlo.multiply %v, %b : {row}
             %h = stablehlo.broadcast_in_dim %g, dims = [1] : (tensor<256xf32>) -> {row}
             %y = stablehlo.multiply %n, %h : {row}
             %0 = stablehlo.dot_general %y, %w, contracting_dims = [1] x [1] \
                 : ({row}, tensor<512x256xf32>) -> tensor<1x512xf32>
             return %0, %v : tensor<1x512xf32>, {row}"
        ),
    );
    let planned = check_on("factor", &text, "cuda:sm_90a");
    let early: Vec<usize> = planned.kernels.iter().map(|plan| plan.early.len()).collect();
    assert_eq!(early, [2, 0, 2], "weights and an argument; none; weights and the row");
    emulate("factor", &text, DEVICES);
}

/// `count` products one behind the other, each of the norm of what the one before makes with a residual; the last is as
/// three of other widths, of which two have as many columns.
fn chain(count: usize, width: usize) -> String {
    let (wide, square) = (format!("tensor<1x{width}xf32>"), format!("tensor<{width}x{width}xf32>"));
    let last = [72, 72, 200].map(|columns| format!("tensor<{columns}x{width}xf32>"));
    let results = [72, 72, 200].map(|columns| format!("tensor<1x{columns}xf32>"));
    let mut body = format!(
        "%z = stablehlo.constant dense<0.0> : tensor<f32>
         %e = stablehlo.constant dense<1.0e-5> : tensor<1xf32>
         %d = stablehlo.constant dense<{width}.0> : tensor<1xf32>
         %v0 = stablehlo.add %a, %a : {wide}\n"
    );
    for at in 1..=count {
        let before = at - 1;
        let from = if at == 1 { "a".to_string() } else { format!("y{before}") };
        body += &format!(
            "%o{at} = stablehlo.dot_general %{from}, %w{at}, contracting_dims = [1] x [1] \
                 : ({wide}, {square}) -> {wide}
             %v{at} = stablehlo.add %v{before}, %o{at} : {wide}
             %s{at} = stablehlo.multiply %v{at}, %v{at} : {wide}
             %m{at} = stablehlo.reduce(%s{at} init: %z) applies stablehlo.add across dimensions = [1] \
                 : ({wide}, tensor<f32>) -> tensor<1xf32>
             %q{at} = stablehlo.divide %m{at}, %d : tensor<1xf32>
             %i{at} = stablehlo.add %q{at}, %e : tensor<1xf32>
             %r{at} = stablehlo.rsqrt %i{at} : tensor<1xf32>
             %b{at} = stablehlo.broadcast_in_dim %r{at}, dims = [0] : (tensor<1xf32>) -> {wide}
             %n{at} = stablehlo.multiply %v{at}, %b{at} : {wide}
             %h{at} = stablehlo.broadcast_in_dim %g, dims = [1] : (tensor<{width}xf32>) -> {wide}
             %y{at} = stablehlo.multiply %n{at}, %h{at} : {wide}\n"
        );
    }
    for (at, (weights, result)) in last.iter().zip(&results).enumerate() {
        body += &format!(
            "%l{at} = stablehlo.dot_general %y{count}, %x{at}, contracting_dims = [1] x [1] \
                 : ({wide}, {weights}) -> {result}\n"
        );
    }
    body += &format!("return %l0, %l1, %l2, %v{count} : {}, {wide}", results.join(", "));
    let squares: String = (1..=count).map(|at| format!(", %w{at}: {square}")).collect();
    let others: String = last.iter().enumerate().map(|(at, ty)| format!(", %x{at}: {ty}")).collect();
    let signature =
        format!("%a: {wide}, %g: tensor<{width}xf32>{squares}{others}) -> ({}, {wide})", results.join(", "));
    main_function(&signature, &body)
}

/// Bundles whose first part announces a number, by the launches of each.
fn announcing(planned: &Planned) -> Vec<usize> {
    let announces = |plan: &&KernelPlan| plan.announces();
    planned.kernels.iter().filter(announces).filter_map(|plan| plan.body.bundle().map(|b| b.launches())).collect()
}

/// From the second norm on, its factor is found by a workgroup of the products that read it.
#[test]
fn factors_are_announced_by_a_workgroup_of_their_products() {
    for (count, width, due) in [(1, 256, &[][..]), (2, 256, &[4]), (3, 264, &[2, 4]), (4, 520, &[2, 4])] {
        let text = chain(count, width);
        let name = format!("{count} norms of {width}");
        let planned = check_on(&name, &text, "cuda:sm_90a");
        assert_eq!(announcing(&planned), due, "{name}");
        emulate(&name, &text, &["cuda:sm_90a"]);
        let planned = check_on(&name, &text, "cuda:sm_80");
        assert!(announcing(&planned).is_empty(), "kernels do not start early there");
    }
}

/// A number that has the bits of one that is not announced is announced as another NaN: nobody looks for ever.
#[test]
fn a_norm_of_no_number_is_announced() {
    let text = chain(2, 256);
    let target = Target::from_spec("cuda:sm_90a").unwrap();
    let (_, planned) = planned(&import(&text), "cuda:sm_90a");
    let announcing = planned.kernels.iter().find(|plan| plan.announces()).expect("one");
    let bytes = |b: &Buffer| b.elements as usize * b.element.storage_bytes();
    // Every float is a NaN whose bits are all set.
    let mut buffers: Vec<Vec<u8>> = announcing.buffers.iter().map(|b| vec![0xff; bytes(b)]).collect();
    let mlir = text_of(announcing, &target);
    run_text(announcing, &mlir, &mut buffers).unwrap();
    let number = announcing.buffers.iter().position(|b| b.access == Access::Announced).unwrap();
    let number = f32::from_le_bytes(buffers[number].as_slice().try_into().unwrap());
    assert!(number.is_nan() && number.to_bits() != UNANNOUNCED, "{number}");
}
