//! ONNX models, written here byte by byte, through `compile`, `import` and `run-module`.

use fornax_tests::fornax;

fn varint(mut number: u64) -> Vec<u8> {
    let mut out = Vec::new();
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
    out
}

/// A field that is a number.
fn number(tag: u64, value: u64) -> Vec<u8> {
    [varint(tag << 3), varint(value)].concat()
}

/// A field that is text, bytes or a message.
fn field(tag: u64, bytes: &[u8]) -> Vec<u8> {
    [varint(tag << 3 | 2), varint(bytes.len() as u64), bytes.to_vec()].concat()
}

fn node(op: &str, inputs: &[&str], output: &str) -> Vec<u8> {
    let inputs: Vec<u8> = inputs.iter().flat_map(|name| field(1, name.as_bytes())).collect();
    field(1, &[inputs, field(2, output.as_bytes()), field(3, b"here"), field(4, op.as_bytes())].concat())
}

/// A value of f32; sizes are numbers or names.
fn value(sizes: &[&str]) -> Vec<u8> {
    let dims = sizes.iter().map(|size| match size.parse() {
        Ok(size) => field(1, &number(1, size)),
        Err(_) => field(1, &field(2, size.as_bytes())),
    });
    let shape = field(2, &dims.collect::<Vec<_>>().concat());
    field(2, &field(1, &[number(1, 1), shape].concat()))
}

/// `y = x · w`, then an operator; `x` `[batch, 2]`.
fn model(last: &str) -> Vec<u8> {
    let data: Vec<u8> = [1f32, 0.0, 2.0, 0.0, 1.0, -1.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    let weight = [number(1, 2), number(1, 3), number(2, 1), field(8, b"w"), field(9, &data)].concat();
    let graph = [
        node("MatMul", &["x", "w"], "h"),
        node(last, &["h"], "y"),
        field(5, &weight),
        field(11, &[field(1, b"x"), value(&["batch", "2"])].concat()),
        field(12, &[field(1, b"y"), value(&["batch", "3"])].concat()),
    ];
    [number(1, 8), field(7, &graph.concat()), field(8, &number(2, 17))].concat()
}

#[test]
fn a_model_is_compiled_and_run() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path();
    std::fs::write(folder.join("m.onnx"), model("Relu")).unwrap();
    let run = |flags: &[&str], input: &str, wanted: &str| {
        fornax(folder, &[&["compile", "-q", "m.onnx", "-o", "m.fnx"], flags].concat()).ok();
        let expected = format!("--expected-output={wanted}");
        fornax(folder, &["run-module", "--module=m.fnx", &format!("--input={input}"), &expected])
    };
    run(&[], "2x2xf32=1 2 3 -4", "2x3xf32=1 2 0 3 0 10").ok();
    run(&[], "1x2xf32=-1 1", "1x3xf32=0 1 0").ok();
    run(&["--fix-size=batch=2"], "2x2xf32=1 2 3 -4", "2x3xf32=1 2 0 3 0 10").ok();
    run(&["--fix-size=batch=2"], "1x2xf32=-1 1", "1x3xf32=0 1 0").fails(1, "FX0713");
    let text = fornax(folder, &["import", "m.onnx", "--emit-mlir"]).ok().stdout;
    assert!(text.contains("stablehlo.dot_general") && text.contains("fornax.name = \"x\""), "{text}");
    fornax(folder, &["compile", "-q", "m.onnx", "--fix-input=x=1,2", "-o", "m.fnx"]).ok();
    fornax(folder, &["run-module", "--module=m.fnx", "--expected-output=1x3xf32=1 2 0"]).ok();
    fornax(folder, &["compile", "m.onnx", "--fix-input=z=1"]).fails(1, "FX1027");
    fornax(folder, &["compile", "m.onnx", "--fix-size=length=1"]).fails(1, "known: batch");
    fornax(folder, &["compile", "m.onnx", "--sequence-length=x"]).fails(1, "FX0801");
}

#[test]
fn what_is_not_read_says_where() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path();
    std::fs::write(folder.join("m.onnx"), model("Reluu")).unwrap();
    let said = fornax(folder, &["compile", "m.onnx", "-o", "m.fnx"]);
    let said = said.fails(1, "error[FX1022]: node \"here\" (Reluu): operator `Reluu` of domain `ai.onnx` is not known");
    assert!(said.stderr.contains("is `Relu`"), "{}", said.stderr);
    std::fs::write(folder.join("m.onnx"), &model("Relu")[..60]).unwrap();
    fornax(folder, &["compile", "m.onnx", "-o", "m.fnx"]).fails(1, "FX1021");
    std::fs::write(folder.join("m.onnx"), b"").unwrap();
    fornax(folder, &["compile", "m.onnx", "-o", "m.fnx"]).fails(1, "FX1024");
}

/// A sum that is normalised and a result itself, in rows that are no whole vectors, as many as only a run knows: the
/// kernel keeps the sum where a result will be.
#[test]
fn a_sum_that_is_kept_and_a_result_too() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path();
    let ones: Vec<u8> = [1f32; 120].iter().flat_map(|x| x.to_le_bytes()).collect();
    let weight = [number(1, 120), number(2, 1), field(8, b"w"), field(9, &ones)].concat();
    let graph = [
        node("Sigmoid", &["z"], "gate"),
        node("Mul", &["z", "gate"], "swish"),
        node("Add", &["x", "swish"], "sum"),
        node("LayerNormalization", &["sum", "w"], "y"),
        field(5, &weight),
        field(11, &[field(1, b"x"), value(&["batch", "120"])].concat()),
        field(11, &[field(1, b"z"), value(&["batch", "120"])].concat()),
        field(12, &[field(1, b"y"), value(&["batch", "120"])].concat()),
        field(12, &[field(1, b"sum"), value(&["batch", "120"])].concat()),
    ];
    let model = [number(1, 8), field(7, &graph.concat()), field(8, &number(2, 17))].concat();
    std::fs::write(folder.join("m.onnx"), model).unwrap();
    fornax(folder, &["verify", "m.onnx", "--size=arg0_0=3"]).ok();
}
