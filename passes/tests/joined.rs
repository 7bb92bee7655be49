//! What follows from a product of one row is its epilogue: rotations and writes to caches, the numbers the reference's,
//! by plans and by the text of the kernels.

mod machine;

use fornax_passes::Planned;
use fornax_plan::{Access, Body};
use fornax_reference::{Limits, Tensor, evaluate};
use fornax_targets::Target;

use machine::compare::{check_on, close, import, inputs, planned};

const HEADS: i64 = 4;
const WIDTH: i64 = 32;
const STEPS: i64 = 256;
const TOKENS: i64 = 64;

/// `%y` made of `%h`, heads of a product, by angles `%c` and `%s`.
struct Form {
    name: &'static str,
    angles: &'static str,
    text: fn() -> String,
}

fn half(name: &str, of: &str, (low, high): (i64, i64)) -> String {
    let (whole, half) = (heads("f32", WIDTH), heads("f32", WIDTH / 2));
    format!("%{name} = stablehlo.slice {of} [0:1, 0:{HEADS}, {low}:{high}] : ({whole}) -> {half}\n")
}

fn heads(element: &str, width: i64) -> String {
    format!("tensor<1x{HEADS}x{width}x{element}>")
}

/// `a * x op b * y`.
fn mixed(name: &str, [a, x, b, y]: [&str; 4], op: &str, ty: &str) -> String {
    format!(
        "%{name}0 = stablehlo.multiply %{a}, %{x} : {ty}
         %{name}1 = stablehlo.multiply %{b}, %{y} : {ty}
         %{name} = stablehlo.{op} %{name}0, %{name}1 : {ty}\n"
    )
}

fn spread(name: &str, of: &str, width: i64, to: &str) -> String {
    format!("%{name} = stablehlo.broadcast_in_dim %{of}, dims = [2] : (tensor<{width}xf32>) -> {to}\n")
}

fn joined(a: &str, b: &str) -> String {
    let (whole, half) = (heads("f32", WIDTH), heads("f32", WIDTH / 2));
    format!("stablehlo.concatenate %{a}, %{b}, dim = 2 : ({half}, {half}) -> {whole}\n")
}

/// Both halves, each of two products.
fn halves() -> String {
    let (part, n) = (heads("f32", WIDTH / 2), WIDTH / 2);
    let parts = [half("a", "%h", (0, n)), half("b", "%h", (n, WIDTH))].concat();
    let angles = [spread("cb", "c", n, &part), spread("sb", "s", n, &part)].concat();
    let first = mixed("f", ["a", "cb", "b", "sb"], "subtract", &part);
    let second = mixed("g", ["b", "cb", "a", "sb"], "add", &part);
    format!("{parts}{angles}{first}{second}%y = {}", joined("f", "g"))
}

/// The whole times cosines, and its halves, exchanged, times sines.
fn exchanged() -> String {
    let (whole, part, n) = (heads("f32", WIDTH), heads("f32", WIDTH / 2), WIDTH / 2);
    let parts = [half("a", "%h", (0, n)), half("b", "%h", (n, WIDTH))].concat();
    let angles = [spread("cb", "c", WIDTH, &whole), spread("sb", "s", WIDTH, &whole)].concat();
    let rotated = format!("%m = stablehlo.negate %b : {part}\n%t = {}", joined("m", "a"));
    format!("{parts}{angles}{rotated}{}", mixed("y", ["h", "cb", "t", "sb"], "add", &whole))
}

/// Neighbours are a pair.
fn neighbours() -> String {
    let (whole, part, n) = (heads("f32", WIDTH), heads("f32", WIDTH / 2), WIDTH / 2);
    let pairs = format!("tensor<1x{HEADS}x{n}x2xf32>");
    let one = format!("tensor<1x{HEADS}x{n}x1xf32>");
    let cut = |name: &str, (low, high): (i64, i64)| {
        format!(
            "%{name}s = stablehlo.slice %p2 [0:1, 0:{HEADS}, 0:{n}, {low}:{high}] : ({pairs}) -> {one}
             %{name} = stablehlo.reshape %{name}s : ({one}) -> {part}\n"
        )
    };
    let parts = format!("%p2 = stablehlo.reshape %h : ({whole}) -> {pairs}\n{}{}", cut("a", (0, 1)), cut("b", (1, 2)));
    let angles = [spread("cb", "c", n, &part), spread("sb", "s", n, &part)].concat();
    let first = mixed("f", ["a", "cb", "b", "sb"], "subtract", &part);
    let second = mixed("g", ["b", "cb", "a", "sb"], "add", &part);
    format!(
        "{parts}{angles}{first}{second}
         %fo = stablehlo.reshape %f : ({part}) -> {one}
         %go = stablehlo.reshape %g : ({part}) -> {one}
         %y2 = stablehlo.concatenate %fo, %go, dim = 3 : ({one}, {one}) -> {pairs}
         %y = stablehlo.reshape %y2 : ({pairs}) -> {whole}\n"
    )
}

const FORMS: &[Form] = &[
    Form { name: "halves", angles: "tensor<16xf32>", text: halves },
    Form { name: "exchanged halves", angles: "tensor<32xf32>", text: exchanged },
    Form { name: "neighbours", angles: "tensor<16xf32>", text: neighbours },
];

/// What becomes of the heads.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Result,
    /// Written to a cache of tokens, which the caller gives away.
    Cache,
}

/// A product of one row as heads, a form of it, and its end; weights as [outputs, steps].
fn model(angles: &str, text: &str, element: &str, end: End) -> String {
    let outputs = HEADS * WIDTH;
    let (row, rotated) = (heads("f32", WIDTH), heads(element, WIDTH));
    let cache = format!("tensor<{HEADS}x{TOKENS}x{WIDTH}x{element}>");
    let written = format!("tensor<{HEADS}x1x{WIDTH}x{element}>");
    let (result, last) = match end {
        End::Result => (rotated.clone(), format!("return %n : {rotated}")),
        End::Cache => (
            cache.clone(),
            format!(
                "%u = stablehlo.reshape %n : ({rotated}) -> {written}
                 %z = stablehlo.constant dense<0> : tensor<i32>
                 %k = stablehlo.dynamic_update_slice %cache, %u, %z, %p, %z :
                   ({cache}, {written}, tensor<i32>, tensor<i32>, tensor<i32>) -> {cache}
                 return %k : {cache}"
            ),
        ),
    };
    let given = if end == End::Cache { " {tf.aliasing_output = 0 : i32}" } else { "" };
    let narrow = if element == "f32" {
        format!("%n = stablehlo.negate %y : {row}")
    } else {
        format!("%n = stablehlo.convert %y : ({row}) -> {rotated}")
    };
    format!(
        "func.func @main(%x: tensor<1x{STEPS}x{element}>, %w: tensor<{outputs}x{STEPS}x{element}>, %c: {angles},
                         %s: {angles}, %cache: {cache}{given}, %p: tensor<i32>) -> {result} {{
           %d = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1] :
             (tensor<1x{STEPS}x{element}>, tensor<{outputs}x{STEPS}x{element}>) -> tensor<1x{outputs}xf32>
           %h = stablehlo.reshape %d : (tensor<1x{outputs}xf32>) -> {row}
           {text}{narrow}
           {last}
         }}"
    )
}

/// Kernels of a program that launch, by what they compute, with their sums and stores.
fn outline(planned: &Planned) -> Vec<(&'static str, usize, usize)> {
    let sums = |body: &Body| if let Body::Products(p) = body { p.sums.len() } else { 1 };
    planned.kernels.iter().map(|k| (k.body.hero(), sums(&k.body), k.body.stores().len())).collect()
}

#[test]
fn rotations_are_epilogues() {
    for form in FORMS {
        for end in [End::Result, End::Cache] {
            for element in ["f32", "bf16", "f16"] {
                for target in ["cuda:sm_90a", "rocm:gfx942"] {
                    let text = model(form.angles, &(form.text)(), element, end);
                    let planned = check_on(form.name, &text, target);
                    assert_eq!(outline(&planned), [("products", 2, 2)], "{} {element} on {target}", form.name);
                    let written = planned.kernels[0].buffers.iter().filter(|b| b.access == Access::Update).count();
                    assert_eq!(written, usize::from(end == End::Cache));
                }
            }
        }
    }
}

#[test]
fn a_product_is_stored_into_a_cache() {
    let text =
        model("tensor<4xf32>", &format!("%y = stablehlo.abs %h : {}\n", heads("f32", WIDTH)), "bf16", End::Cache);
    let planned = check_on("values", &text, "cuda:sm_90a");
    assert_eq!(outline(&planned), [("contraction", 1, 1)]);
}

#[test]
fn texts_give_the_numbers_of_the_reference() {
    for name in ["cuda:sm_90a", "cuda:sm_80"] {
        let target = Target::from_spec(name).unwrap();
        for (form, end) in FORMS.iter().zip([End::Cache, End::Result, End::Cache]) {
            let graph = import(&model(form.angles, &(form.text)(), "bf16", end));
            let inputs = inputs(&graph);
            let want = evaluate(&graph, "main", &inputs, &Limits::default()).unwrap();
            let (fused, planned) = planned(&graph, name);
            let got = machine::run_on(&fused, &planned, Some(&target), "main", (&inputs, &[]));
            for (bytes, want) in got.into_iter().zip(&want) {
                close(&Tensor::new(want.ty.clone(), bytes).unwrap(), want, form.name);
            }
        }
    }
}

/// Halves of which one is reversed: a point has four elements of the product, which others have too.
#[test]
fn what_several_points_need_stays_stored() {
    let (part, n) = (heads("f32", WIDTH / 2), WIDTH / 2);
    let parts = [half("a", "%h", (0, n)), half("b", "%h", (n, WIDTH))].concat();
    let reversed = |name: &str, of: &str| format!("%{name} = stablehlo.reverse %{of}, dims = [2] : {part}\n");
    let sum = |name: &str, a: &str, b: &str| format!("%{name} = stablehlo.add %{a}, %{b} : {part}\n");
    let made = [reversed("ra", "a"), reversed("rb", "b"), sum("f", "a", "rb"), sum("g", "b", "ra")].concat();
    let text = model("tensor<4xf32>", &format!("{parts}{made}%y = {}", joined("f", "g")), "bf16", End::Result);
    let planned = check_on("reversed", &text, "cuda:sm_90a");
    assert_eq!(outline(&planned), [("contraction", 1, 1), ("loop", 1, 1)]);
}
