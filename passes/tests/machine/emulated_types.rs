//! Every op on every element type: what the planner makes of it, as a plan for CPUs and as kernels for GPUs in the
//! emulator, gives the reference's results. Complex types are pairs of floats by then; quantised ones their storage
//! integers.

use fornax_graph::ElementType;

use super::emulated_models::emulate;
use super::machine::compare::check_on;

const DEVICES: &[&str] = &["cuda:sm_75", "cuda:sm_90a"];
const SIZES: &str = "5x7";

const UNARY_FLOAT: &[&str] = &[
    "abs",
    "negate",
    "sign",
    "floor",
    "ceil",
    "round_nearest_even",
    "round_nearest_afz",
    "sqrt",
    "exponential",
    "tanh",
];
const BINARY: &[&str] = &["add", "subtract", "multiply", "divide", "remainder", "maximum", "minimum"];
const BINARY_INTEGER: &[&str] =
    &["power", "and", "or", "xor", "shift_left", "shift_right_logical", "shift_right_arithmetic"];

/// Every type that kernels compute with, but `i1`.
fn elements() -> impl Iterator<Item = ElementType> {
    ElementType::all().filter(|e| e.is_kernel_type() && *e != ElementType::I1)
}

/// A function under construction: lines and results.
struct Body {
    element: &'static str,
    lines: Vec<String>,
    results: Vec<(String, String)>,
}

impl Body {
    fn ty(&self, sizes: &str) -> String {
        let x = if sizes.is_empty() { "" } else { "x" };
        format!("tensor<{sizes}{x}{}>", self.element)
    }

    /// An op without a result type of its own to remember.
    fn op(&mut self, text: String) -> String {
        let name = format!("%v{}", self.lines.len());
        self.lines.push(format!("{name} = {text}"));
        name
    }

    /// An op whose value is a result.
    fn result(&mut self, text: String, ty: String) {
        let name = self.op(text);
        self.results.push((name, ty));
    }

    fn text(&self) -> String {
        let t = self.ty(SIZES);
        let names: Vec<&str> = self.results.iter().map(|r| r.0.as_str()).collect();
        let types: Vec<&str> = self.results.iter().map(|r| r.1.as_str()).collect();
        let types = types.join(", ");
        format!(
            "func.func @main(%x: {t}, %y: {t}, %i: tensor<i32>, %p: tensor<4x1xi32>) -> ({types}) {{\n\
             {}\n\
             return {} : {types}\n\
             }}\n",
            self.lines.join("\n"),
            names.join(", ")
        )
    }
}

fn elementwise(b: &mut Body, float: bool, signed: bool) {
    let (t, truth) = (b.ty(SIZES), format!("tensor<{SIZES}xi1>"));
    let integer: &[&str] = if signed {
        &["abs", "negate", "sign", "not", "popcnt", "count_leading_zeros"]
    } else {
        &["not", "popcnt", "count_leading_zeros"]
    };
    for op in if float { UNARY_FLOAT } else { integer } {
        b.result(format!("stablehlo.{op} %x : {t}"), t.clone());
    }
    for op in BINARY.iter().chain(if float { &[] } else { BINARY_INTEGER }) {
        b.result(format!("stablehlo.{op} %x, %y : {t}"), t.clone());
    }
    for direction in ["EQ", "NE", "LT", "LE", "GT", "GE"] {
        b.result(format!("stablehlo.compare {direction}, %x, %y : ({t}, {t}) -> {truth}"), truth.clone());
    }
    let less = b.op(format!("stablehlo.compare LT, %x, %y : ({t}, {t}) -> {truth}"));
    b.result(format!("stablehlo.select {less}, %x, %y : {truth}, {t}"), t.clone());
    b.result(format!("stablehlo.clamp %x, %y, %x : {t}"), t.clone());
    let own = b.element;
    for to in elements().chain([ElementType::I1]).map(ElementType::spelling).filter(|to| *to != own) {
        let of = format!("tensor<{SIZES}x{to}>");
        let there = b.op(format!("stablehlo.convert %x : ({t}) -> {of}"));
        b.results.push((there.clone(), of.clone()));
        b.result(format!("stablehlo.convert {there} : ({of}) -> {t}"), t.clone());
    }
    if float {
        b.result(format!("stablehlo.is_finite %x : ({t}) -> {truth}"), truth);
        b.result(format!("stablehlo.reduce_precision %x, format = e3m1 : {t}"), t);
    }
}

fn moved(b: &mut Body, one: &str) {
    let (t, scalar) = (b.ty(SIZES), b.ty(""));
    let (transposed, joined, padded, cut) = (b.ty("7x5"), b.ty("5x14"), b.ty("9x8"), b.ty("2x3"));
    let (rows, slab) = (b.ty("4x7"), b.ty("3x2"));
    b.result(format!("stablehlo.transpose %x, dims = [1, 0] : ({t}) -> {transposed}"), transposed);
    b.result(format!("stablehlo.concatenate %x, %y, dim = 1 : ({t}, {t}) -> {joined}"), joined);
    b.result(format!("stablehlo.reverse %x, dims = [0, 1] : {t}"), t.clone());
    b.result(format!("stablehlo.slice %x [1:4:2, 1:6:2] : ({t}) -> {cut}"), cut);
    let edge = b.op(format!("stablehlo.constant dense<{one}> : {scalar}"));
    b.result(
        format!(
            "stablehlo.pad %x, {edge}, low = [0, -1], high = [0, 2], interior = [1, 0] : ({t}, {scalar}) -> {padded}"
        ),
        padded,
    );
    b.result(
        format!(
            "\"stablehlo.gather\"(%x, %p) \
                 <{{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], \
                 start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 7>}}> \
                 : ({t}, tensor<4x1xi32>) -> {rows}"
        ),
        rows,
    );
    let part =
        b.op(format!("stablehlo.dynamic_slice %x, %i, %i, sizes = [3, 2] : ({t}, tensor<i32>, tensor<i32>) -> {slab}"));
    b.results.push((part.clone(), slab.clone()));
    b.result(
        format!("stablehlo.dynamic_update_slice %y, {part}, %i, %i : ({t}, {slab}, tensor<i32>, tensor<i32>) -> {t}"),
        t.clone(),
    );
    if b.element != "f8E8M0FNU" {
        // Sizes that do not fit a small type wrap around before anything reads them.
        let places = b.op(format!("stablehlo.iota dim = 1 : {t}"));
        let before = t.replace(b.element, "i1");
        b.result(format!("stablehlo.compare LT, {places}, %x : ({t}, {t}) -> {before}"), before);
        b.results.push((places, t));
    }
}

/// `clean` has no NaN, which the order of a fold or sort could show.
fn folded(b: &mut Body, clean: &str, float: bool, one: &str) {
    let (t, scalar, line, truth) = (b.ty(SIZES), b.ty(""), b.ty("5"), "tensor<i1>");
    let init = b.op(format!("stablehlo.constant dense<{one}> : {scalar}"));
    for op in ["maximum", "minimum"] {
        let fold = format!(
            "stablehlo.reduce({clean} init: {init}) applies stablehlo.{op} across dimensions = [1] \
             : ({t}, {scalar}) -> {line}"
        );
        b.result(fold, line.clone());
    }
    if !float {
        let fold = format!(
            "stablehlo.reduce(%x init: {init}) applies stablehlo.add across dimensions = [1] \
             : ({t}, {scalar}) -> {line}"
        );
        b.result(fold, line.clone());
    }
    let window = format!(
        "\"stablehlo.reduce_window\"({clean}, {init}) \
             <{{padding = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 3>}}> ({{\n\
         ^bb0(%a: {scalar}, %b: {scalar}):\n\
         %m = stablehlo.maximum %a, %b : {scalar}\n\
         stablehlo.return %m : {scalar}\n\
         }}) : ({t}, {scalar}) -> {t}"
    );
    b.result(window, t.clone());
    let order = if float { ", TOTALORDER" } else { "" };
    let sort = format!(
        "\"stablehlo.sort\"({clean}) ({{\n\
         ^bb0(%a: {scalar}, %b: {scalar}):\n\
         %q = stablehlo.compare GT, %a, %b{order} : ({scalar}, {scalar}) -> {truth}\n\
         stablehlo.return %q : {truth}\n}}) {{dimension = 1 : i64}} : ({t}) -> {t}"
    );
    b.result(sort, t.clone());
    let rows = b.ty("4x7");
    let updates = b.op(format!("stablehlo.slice {clean} [0:4, 0:7] : ({t}) -> {rows}"));
    for combine in ["stablehlo.return %b", "%m = stablehlo.maximum %a, %b : SCALAR\nstablehlo.return %m"] {
        let combine = combine.replace("SCALAR", &scalar);
        let scatter = format!(
            "\"stablehlo.scatter\"({clean}, %p, {updates}) \
                 <{{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], \
                 inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}}> ({{\n\
             ^bb0(%a: {scalar}, %b: {scalar}):\n{combine} : {scalar}\n}}) : ({t}, tensor<4x1xi32>, {rows}) -> {t}"
        );
        b.result(scatter, t.clone());
    }
}

fn products(b: &mut Body, clean: &str, float: bool) {
    let (t, own) = (b.ty(SIZES), b.element);
    let wide = if own == "f64" || own == "i64" || own == "ui64" {
        own
    } else if float {
        "f32"
    } else {
        "i32"
    };
    let square = format!("tensor<5x5x{wide}>");
    let dot = format!("stablehlo.dot_general {clean}, {clean}, contracting_dims = [1] x [1] : ({t}, {t}) -> {square}");
    b.result(dot, square);
    if !float {
        let square = b.ty("5x5");
        let dot = format!("stablehlo.dot_general %x, %y, contracting_dims = [1] x [1] : ({t}, {t}) -> {square}");
        b.result(dot, square);
    }
    let (image, kernel, out) = (b.ty("1x5x7"), b.ty("1x7x5"), format!("tensor<1x7x5x{wide}>"));
    let image_of = b.op(format!("stablehlo.reshape {clean} : ({t}) -> {image}"));
    let kernel_of = b.op(format!("stablehlo.reshape {clean} : ({t}) -> {kernel}"));
    let convolution = format!(
        "stablehlo.convolution({image_of}, {kernel_of}) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], \
             window = {{pad = [[1, 1]]}} {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} \
             : ({image}, {kernel}) -> {out}"
    );
    b.result(convolution, out);
}

fn program(element: ElementType) -> String {
    let (float, signed) = (element.is_float(), element.is_integer() && !element.is_unsigned());
    let mut b = Body { element: element.spelling(), lines: Vec::new(), results: Vec::new() };
    let one = if float { "1.0" } else { "1" };
    elementwise(&mut b, float, signed);
    moved(&mut b, one);
    let mut clean = "%x".to_string();
    if float {
        let (t, truth) = (b.ty(SIZES), format!("tensor<{SIZES}xi1>"));
        let nan = b.op(format!("stablehlo.compare NE, %x, %x : ({t}, {t}) -> {truth}"));
        let ones = b.op(format!("stablehlo.constant dense<1.0> : {t}"));
        clean = b.op(format!("stablehlo.select {nan}, {ones}, %x : {truth}, {t}"));
    }
    folded(&mut b, &clean, float, one);
    products(&mut b, &clean, float);
    b.text()
}

#[test]
fn every_op_on_floats() {
    for element in elements().filter(|e| e.is_float()) {
        emulate(element.spelling(), &program(element), DEVICES);
        check_on(element.spelling(), &program(element), "cpu:x86-64-v3");
    }
}

#[test]
fn every_op_on_integers() {
    for element in elements().filter(|e| e.is_integer()) {
        emulate(element.spelling(), &program(element), DEVICES);
        check_on(element.spelling(), &program(element), "cpu:x86-64-v3");
    }
}
