//! What is folded, as models of `rows` rows of `length` elements each.

pub struct Form {
    pub name: &'static str,
    /// Rows, elements of a row, element type.
    pub text: fn(i64, i64, &str) -> String,
}

pub const FORMS: &[Form] = &[
    Form { name: "sum", text: |r, n, e| main(&[r, n], e, &[r], &sum("%0", "%x", &[r, n], &[1], e)) },
    Form { name: "mean", text: |r, n, e| main(&[r, n], e, &[r], &mean("0", "%x", (&[r, n], &[1]), e)) },
    Form { name: "largest", text: |r, n, e| main(&[r, n], e, &[r], &fold("%0", "%x", "maximum", (&[r, n], &[1]), e)) },
    Form { name: "product", text: |r, n, e| main(&[r, n], e, &[r], &fold("%0", "%x", "multiply", (&[r, n], &[1]), e)) },
    Form { name: "sum of exponentials", text: sum_of_exponentials },
    Form { name: "variance in two passes", text: |r, n, e| main(&[r, n], e, &[r], &variance("0", (&[r, n], &[1]), e)) },
    Form { name: "variance in one pass", text: one_pass },
    Form { name: "softmax", text: softmax },
    Form { name: "logarithm of a sum of exponentials", text: log_sum_exp },
    Form { name: "place of the largest", text: argmax },
    Form { name: "layer norm", text: |r, n, e| norm((&[r, n], &[1]), e) },
    Form { name: "sum of columns", text: |r, n, e| main(&[n, r], e, &[r], &sum("%0", "%x", &[n, r], &[0], e)) },
    Form { name: "variance of columns", text: |r, n, e| main(&[n, r], e, &[r], &variance("0", (&[n, r], &[0]), e)) },
    Form { name: "norm of columns", text: |r, n, e| norm((&[n, r], &[0]), e) },
    Form { name: "group norm, channels last", text: |r, n, e| norm((&[1, n / 4, r, 4], &[1, 3]), e) },
    Form { name: "group norm, channels first", text: |r, n, e| norm((&[1, r, 4, n / 4], &[2, 3]), e) },
    Form {
        name: "sum of the middle",
        text: |r, n, e| main(&[r, n / 8, 8], e, &[r, 8], &sum("%0", "%x", &[r, n / 8, 8], &[1], e)),
    },
    Form {
        name: "sum of all but the middle",
        text: |r, n, e| main(&[n / 8, r, 8], e, &[r], &sum("%0", "%x", &[n / 8, r, 8], &[0, 2], e)),
    },
    Form { name: "sum of padded rows", text: padded },
    Form { name: "sum of rows and columns multiplied", text: crossed },
    Form { name: "product with a vector", text: vector },
];

fn tensor(shape: &[i64], element: &str) -> String {
    let dims: String = shape.iter().map(|n| format!("{n}x")).collect();
    format!("tensor<{dims}{element}>")
}

/// A model of one operand `%x` whose result is `%0`.
fn main(shape: &[i64], element: &str, result: &[i64], body: &str) -> String {
    let (x, y) = (tensor(shape, element), tensor(result, element));
    format!("func.func @main(%x: {x}) -> {y} {{\n{body}\nreturn %0 : {y}\n}}\n")
}

fn without(shape: &[i64], over: &[usize]) -> Vec<i64> {
    (0..shape.len()).filter(|d| !over.contains(d)).map(|d| shape[d]).collect()
}

fn constant(name: &str, value: &str, shape: &[i64], element: &str) -> String {
    format!("{name} = stablehlo.constant dense<{value}> : {}\n", tensor(shape, element))
}

fn fold(to: &str, from: &str, op: &str, (shape, over): (&[i64], &[usize]), element: &str) -> String {
    let start = match (op, element) {
        ("add", _) => "0.0",
        ("multiply", _) => "1.0",
        (_, "f32") => "0xFF800000",
        (_, "bf16") => "0xFF80",
        _ => "0xFC00",
    };
    let (scalar, x, y) = (tensor(&[], element), tensor(shape, element), tensor(&without(shape, over), element));
    let name = format!("%start_{}", to.trim_start_matches('%'));
    let over: Vec<String> = over.iter().map(usize::to_string).collect();
    constant(&name, start, &[], element)
        + &format!(
            "{to} = stablehlo.reduce({from} init: {name}) applies stablehlo.{op} across dimensions = [{}] : \
             ({x}, {scalar}) -> {y}\n",
            over.join(", ")
        )
}

fn sum(to: &str, from: &str, shape: &[i64], over: &[usize], element: &str) -> String {
    fold(to, from, "add", (shape, over), element)
}

/// `%{to}` is the mean of a value over some dimensions.
fn mean(to: &str, from: &str, (shape, over): (&[i64], &[usize]), element: &str) -> String {
    let count: i64 = over.iter().map(|&d| shape[d]).product();
    let rows = without(shape, over);
    let y = tensor(&rows, element);
    sum(&format!("%sum_{to}"), from, shape, over, element)
        + &constant(&format!("%count_{to}"), &format!("{count}.0"), &rows, element)
        + &format!("%{to} = stablehlo.divide %sum_{to}, %count_{to} : {y}\n")
}

/// A value of the rows, at all of their elements.
fn spread(to: &str, from: &str, (shape, over): (&[i64], &[usize]), element: &str) -> String {
    let dims: Vec<String> = (0..shape.len()).filter(|d| !over.contains(d)).map(|d| d.to_string()).collect();
    let (x, y) = (tensor(&without(shape, over), element), tensor(shape, element));
    format!("{to} = stablehlo.broadcast_in_dim {from}, dims = [{}] : ({x}) -> {y}\n", dims.join(", "))
}

/// `%{to}` is the mean of the squares of `%off`, which is `%x` less its mean.
fn variance(to: &str, space: (&[i64], &[usize]), element: &str) -> String {
    let x = tensor(space.0, element);
    mean("mean", "%x", space, element)
        + &spread("%means", "%mean", space, element)
        + &format!("%off = stablehlo.subtract %x, %means : {x}\n%square = stablehlo.multiply %off, %off : {x}\n")
        + &mean(to, "%square", space, element)
}

fn norm(space: (&[i64], &[usize]), element: &str) -> String {
    let rows = without(space.0, space.1);
    let (x, y) = (tensor(space.0, element), tensor(&rows, element));
    let body = variance("variance", space, element)
        + &constant("%small", "0.001", &rows, element)
        + &format!("%sum = stablehlo.add %variance, %small : {y}\n%root = stablehlo.rsqrt %sum : {y}\n")
        + &spread("%roots", "%root", space, element)
        + &format!("%0 = stablehlo.multiply %off, %roots : {x}\n");
    main(space.0, element, space.0, &body)
}

fn sum_of_exponentials(r: i64, n: i64, e: &str) -> String {
    let x = tensor(&[r, n], e);
    main(&[r, n], e, &[r], &(format!("%e = stablehlo.exponential %x : {x}\n") + &sum("%0", "%e", &[r, n], &[1], e)))
}

fn one_pass(r: i64, n: i64, e: &str) -> String {
    let (x, y) = (tensor(&[r, n], e), tensor(&[r], e));
    let body = mean("mean", "%x", (&[r, n], &[1]), e)
        + &format!("%square = stablehlo.multiply %x, %x : {x}\n")
        + &mean("squares", "%square", (&[r, n], &[1]), e)
        + &format!("%both = stablehlo.multiply %mean, %mean : {y}\n%0 = stablehlo.subtract %squares, %both : {y}\n");
    main(&[r, n], e, &[r], &body)
}

/// `%e` are exponentials of `%x` less `%top`, `%total` their sums.
fn exponentials(r: i64, n: i64, e: &str) -> String {
    let x = tensor(&[r, n], e);
    fold("%top", "%x", "maximum", (&[r, n], &[1]), e)
        + &spread("%tops", "%top", (&[r, n], &[1]), e)
        + &format!("%off = stablehlo.subtract %x, %tops : {x}\n%e = stablehlo.exponential %off : {x}\n")
        + &sum("%total", "%e", &[r, n], &[1], e)
}

fn softmax(r: i64, n: i64, e: &str) -> String {
    let body = exponentials(r, n, e)
        + &spread("%totals", "%total", (&[r, n], &[1]), e)
        + &format!("%0 = stablehlo.divide %e, %totals : {}\n", tensor(&[r, n], e));
    main(&[r, n], e, &[r, n], &body)
}

fn log_sum_exp(r: i64, n: i64, e: &str) -> String {
    let y = tensor(&[r], e);
    let body =
        exponentials(r, n, e) + &format!("%log = stablehlo.log %total : {y}\n%0 = stablehlo.add %log, %top : {y}\n");
    main(&[r, n], e, &[r], &body)
}

fn argmax(r: i64, n: i64, e: &str) -> String {
    let [x, i, y, j] = [(&[r, n][..], e), (&[r, n], "i32"), (&[r], e), (&[r], "i32")].map(|(s, e)| tensor(s, e));
    let (v, k, b) = (tensor(&[], e), tensor(&[], "i32"), tensor(&[], "i1"));
    let low = match e {
        "f32" => "0xFF800000",
        "bf16" => "0xFF80",
        _ => "0xFC00",
    };
    format!(
        "func.func @main(%x: {x}) -> ({y}, {j}) {{
        %i = stablehlo.iota dim = 1 : {i}
        %low = stablehlo.constant dense<{low}> : {v}
        %zero = stablehlo.constant dense<0> : {k}
        %0:2 = \"stablehlo.reduce\"(%x, %i, %low, %zero) ({{
        ^bb0(%a: {v}, %m: {k}, %b: {v}, %n: {k}):
          %1 = stablehlo.compare GT, %a, %b, FLOAT : ({v}, {v}) -> {b}
          %2 = stablehlo.compare EQ, %a, %b, FLOAT : ({v}, {v}) -> {b}
          %3 = stablehlo.compare LT, %m, %n, SIGNED : ({k}, {k}) -> {b}
          %4 = stablehlo.and %2, %3 : {b}
          %5 = stablehlo.or %1, %4 : {b}
          %6 = stablehlo.select %5, %a, %b : {b}, {v}
          %7 = stablehlo.select %5, %m, %n : {b}, {k}
          stablehlo.return %6, %7 : {v}, {k}
        }}) {{dimensions = array<i64: 1>}} : ({x}, {i}, {v}, {k}) -> ({y}, {j})
        return %0#0, %0#1 : {y}, {j}
        }}\n"
    )
}

fn padded(r: i64, n: i64, e: &str) -> String {
    let (x, p, s) = (tensor(&[r, n], e), tensor(&[r, n + 3], e), tensor(&[], e));
    let body = constant("%fill", "2.0", &[], e)
        + &format!(
            "%p = stablehlo.pad %x, %fill, low = [0, 1], high = [0, 2], interior = [0, 0] : ({x}, {s}) -> {p}\n"
        )
        + &sum("%0", "%p", &[r, n + 3], &[1], e);
    main(&[r, n], e, &[r], &body)
}

fn crossed(r: i64, n: i64, e: &str) -> String {
    let (x, t, y) = (tensor(&[r, n], e), tensor(&[n, r], e), tensor(&[r], e));
    let body =
        format!("%t = stablehlo.transpose %y, dims = [1, 0] : ({t}) -> {x}\n%p = stablehlo.multiply %x, %t : {x}\n")
            + &fold("%0", "%p", "maximum", (&[r, n], &[1]), e);
    format!("func.func @main(%x: {x}, %y: {t}) -> {y} {{\n{body}\nreturn %0 : {y}\n}}\n")
}

fn vector(r: i64, n: i64, e: &str) -> String {
    let (x, v, y) = (tensor(&[r, n], e), tensor(&[n], e), tensor(&[r], e));
    format!(
        "func.func @main(%x: {x}, %v: {v}) -> {y} {{
        %0 = stablehlo.dot_general %x, %v, contracting_dims = [1] x [0] : ({x}, {v}) -> {y}
        return %0 : {y}
        }}\n"
    )
}
